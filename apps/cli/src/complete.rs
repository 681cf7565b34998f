//! What completion scripts offer for values that are not a fixed list: stores, formats of files and of tensors, and graphs
//! by name.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use clap_complete::Shell;
use pleach_datasets::{Format, UnknownFormatName};
use pleach_erased::{FORMATS, OUTER_LEVELS, ROW_STORES, StoreName, UnknownStore};

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

/// Graphs by name. Any path is accepted, too.
pub fn graphs() -> Offering<String> {
    Offering { parse: |text| Ok(text.to_owned()), values: graph_names }
}

/// The graphs that can be named without a file.
fn graph_names() -> Vec<&'static str> {
    pleach_datasets::list().map(|entry| entry.name).collect()
}

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
        // The others fall back to files where no name fits, or offer them anyway.
        _ => script.to_owned(),
    }
}
