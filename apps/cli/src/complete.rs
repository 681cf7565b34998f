//! What completion scripts offer for values that are not a fixed list: stores, formats of files and of tensors, endings, graphs by name, kinds of
//! generated graphs, algorithms, and what `pleach help` explains.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, CommandFactory, Error, Subcommand};
use clap_complete::Shell;
use pleach_datasets::{Format, Generator, UnknownFormatName};
use pleach_erased::{FORMATS, OUTER_LEVELS, ROW_STORES, StoreName, UnknownStore};

use super::Cli;
use super::help::TOPICS;
use super::run::App;

/// A parser that accepts what `parse` accepts, and names values for completion scripts.
#[derive(Clone)]
pub struct Offering<T> {
    parse: fn(&str) -> Result<T, String>,
    values: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Offering<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.values)().into_iter().map(PossibleValue::new)))
    }
}

/// Pairs of levels.
static PAIRS: LazyLock<Vec<String>> = LazyLock::new(|| {
    OUTER_LEVELS.iter().flat_map(|outer| ROW_STORES.iter().map(move |row| format!("{outer},{row}"))).collect()
});

/// Stores: formats first, then pairs of levels.
pub fn stores() -> Offering<StoreName> {
    Offering {
        parse: |text| text.parse().map_err(|error: UnknownStore| error.to_string()),
        values: || {
            let formats = FORMATS.iter().map(|format| format.0);
            std::iter::once("csr").chain(formats).chain(PAIRS.iter().map(String::as_str)).collect()
        },
    }
}

/// Kinds of files.
pub fn formats() -> Offering<Format> {
    Offering {
        parse: |text| text.parse().map_err(|error: UnknownFormatName| error.to_string()),
        values: || Format::FILES.map(Format::name).into(),
    }
}

/// Formats of matrices and tensors, by the names of those that are bundled. Any other is accepted, too.
pub fn tensor_formats() -> Offering<String> {
    Offering {
        parse: |text| Ok(text.to_owned()),
        values: || {
            let names = pleach_catalog::FORMATS.lines().filter_map(|line| line.strip_prefix("format "));
            names.filter_map(|line| line.split(['(', '<', ' ']).next()).collect()
        },
    }
}

/// Endings of files that graphs are written to. Any other is accepted, too: `.gz` or `.zst` may follow.
pub fn endings() -> Offering<String> {
    Offering { parse: |text| Ok(text.to_owned()), values: || pleach_datasets::written_endings().collect() }
}

/// Kinds of generated graphs, with what precedes their sizes.
pub fn generators() -> Offering<Generator> {
    Offering {
        parse: |text| text.parse().map_err(|error: pleach_datasets::Error| error.to_string()),
        values: || vec!["rmat:", "grid:", "rgg:", "er:"],
    }
}

/// Names of algorithms. Options may follow.
pub fn algorithms() -> Offering<String> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| names(&App::augment_subcommands(Command::new("run"))));
    Offering { parse: |text| Ok(text.to_owned()), values: || NAMES.iter().map(String::as_str).collect() }
}

/// Commands and topics that `pleach help` explains.
pub fn explained() -> Offering<String> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| names(&Cli::command()));
    let values = || NAMES.iter().map(String::as_str).chain(TOPICS.iter().map(|topic| topic.0)).collect();
    Offering { parse: |text| Ok(text.to_owned()), values }
}

/// The names of the commands of a command.
fn names(command: &Command) -> Vec<String> {
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown.map(|command| command.get_name().to_owned()).collect()
}

/// Graphs by name. Any path is accepted, too.
pub fn graphs() -> Offering<String> {
    Offering { parse: |text| Ok(text.to_owned()), values: graph_names }
}

/// The graphs that can be named without a file.
fn graph_names() -> Vec<&'static str> {
    pleach_datasets::list().map(|entry| entry.name).collect()
}

/// What a word holds before the part that bash completes: the names of other algorithms in `pleach run bfs,cc`, and that of a tensor in
/// `-f A=csr`, where bash takes `=` for a word.
const BASH_PARTS: &str = r#"
_pleach_parts() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
    if [[ "${COMP_WORDS[1]}" == run && "${cur}" == *,* && ${COMP_CWORD} -eq 2 ]]; then
        COMPREPLY=( $(compgen -P "${cur%,*}," -W "ALGORITHMS" -- "${cur##*,}") )
    elif [[ "${COMP_WORDS[1]}" == eval && ( "${cur}" == = || "${prev}" == = ) && "${COMP_LINE}" == *-f* ]]; then
        COMPREPLY=( $(compgen -W "TENSOR_FORMATS" -- "${cur#=}") )
    else
        _pleach "$@"
    fi
}
complete -F _pleach_parts -o bashdefault -o default pleach
"#;

/// A script that completes paths, too, where it offers graphs by name.
pub fn with_files(script: &str, shell: Shell) -> String {
    let names = graph_names();
    match shell {
        // Where a list stands behind an argument, zsh offers nothing else.
        Shell::Zsh => {
            let list = names.join(" ");
            script.replace(
                &format!(":({list})'"),
                &format!(":{{_alternative \"files:file:_files\" \"graphs:graph:({list})\"}}'"),
            )
        }
        // The script for fish says nothing of arguments without an option.
        Shell::Fish => {
            let list = names.join(" ");
            format!("{script}complete -c pleach -n \"__fish_seen_subcommand_from run stream data\" -a \"{list}\"\n")
        }
        // It falls back to files where no name fits.
        Shell::Bash => {
            let list = |all: Vec<&str>| all.join(" ");
            let parts = BASH_PARTS.replace("ALGORITHMS", &list((algorithms().values)()));
            format!("{script}{}", parts.replace("TENSOR_FORMATS", &list((tensor_formats().values)())))
        }
        // The others offer files anyway.
        _ => script.to_owned(),
    }
}
