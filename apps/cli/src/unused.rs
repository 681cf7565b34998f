//! Options that would have no effect on the graph at hand. They are refused: who gives one expects something of it.

use std::path::Path;

use pleach_datasets::{EntryKind, Generator, list};

use super::Failure;
use super::input::InputArgs;

/// Where a graph comes from.
enum Origin {
    /// A directory that holds a graph, a file, or standard input.
    Read,
    /// The program itself.
    Bundled,
    /// A generator.
    Generated(Generator),
}

impl Origin {
    /// Where the graph of a name comes from. A file beats any other name.
    fn of(name: &str) -> Self {
        let bundled = || list().any(|entry| entry.name == name && entry.kind == EntryKind::Bundled);
        match name.parse::<Generator>() {
            _ if name == "-" || Path::new(name).exists() => Origin::Read,
            _ if bundled() => Origin::Bundled,
            Ok(generator) => Origin::Generated(generator),
            Err(_) => Origin::Read,
        }
    }
}

/// Refuses options on how to read or generate a graph that have no effect on this one. `draws` says that the command itself draws random numbers.
pub fn refuse(input: &InputArgs, draws: bool) -> Result<(), Failure> {
    let (name, origin) = (input.name(), Origin::of(input.name()));
    let seed = input.has_seed() && !draws;
    let format = input.has_format();
    let columns = input.columns.is_some();
    let why = match origin {
        Origin::Read if seed => format!("--seed is for generated graphs, and {name} is read"),
        Origin::Bundled if seed => format!("--seed is for generated graphs, and {name} is a part of the program"),
        Origin::Generated(generator) if seed && !draws_numbers(&generator, false) => {
            format!("--seed: {generator} draws no random numbers")
        }
        Origin::Bundled if format => format!("--format is for files, and {name} is a part of the program"),
        Origin::Generated(_) if format => format!("--format is for files, and {name} is generated"),
        Origin::Generated(_) if columns => format!("--columns is for files, and {name} is generated"),
        _ => return Ok(()),
    };
    Err(Failure::Usage(why))
}

/// Refuses the same of the graph that a stream begins with, which holds nothing if it is called `nothing`.
pub fn refuse_of_base(base: &InputArgs, nothing: &str) -> Result<(), Failure> {
    if base.name() != nothing {
        return refuse(base, false);
    }
    let given =
        [("--format", base.has_format()), ("--graph-columns", base.columns.is_some()), ("--seed", base.has_seed())];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            Err(Failure::usage(format!("{option} is for a graph at the beginning, and `{nothing}` holds none")))
        }
    }
}

/// Refuses `--conflict` where edges have no weights of which one could win.
pub fn refuse_conflict(input: &InputArgs, why: &str) -> Result<(), Failure> {
    match input.conflict {
        None => Ok(()),
        Some(_) => Err(Failure::usage(format!("--conflict chooses between weights, and {why}"))),
    }
}

/// Refuses a seed where no random numbers are drawn, and numbering at random where vertices have no positions.
pub fn refuse_of_generator(generator: &Generator, seed: bool, permute: bool) -> Result<(), Failure> {
    let places = matches!(generator, Generator::Grid { .. } | Generator::Geometric { .. });
    if permute && !places {
        let message =
            format!("--permute is for grids and geometric graphs: the vertices of {generator} have no positions");
        return Err(Failure::Usage(message));
    }
    if seed && !draws_numbers(generator, permute) {
        return Err(Failure::usage(format!("--seed: {generator} draws no random numbers without --permute")));
    }
    Ok(())
}

/// Whether a generator draws random numbers.
fn draws_numbers(generator: &Generator, permute: bool) -> bool {
    permute || !matches!(generator, Generator::Grid { .. })
}
