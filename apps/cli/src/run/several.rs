//! `pleach run a,b,c GRAPH`: several algorithms on a graph that is read once.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::Command;

use super::super::Failure;
use super::snapshot::SnapshotApp;
use super::source::Source;

/// The command lines of the single algorithms, if the arguments name several: `pleach run bfs,cc GRAPH --source 1` becomes
/// `pleach run bfs GRAPH --source 1` and `pleach run cc GRAPH`. An option goes to the algorithms that have it; one that none has goes to
/// all, so that the error names it.
///
/// # Errors
///
/// If the list has a name twice or an empty one, or if all algorithms would write the same file.
pub fn several(
    arguments: &[OsString],
    command: impl FnOnce() -> Command,
) -> Result<Option<Vec<Vec<OsString>>>, Failure> {
    let text = |at: usize| arguments.get(at).and_then(|argument| argument.to_str());
    let Some(run) = (1..arguments.len()).find(|&at| !text(at).is_some_and(|text| text.starts_with('-'))) else {
        return Ok(None);
    };
    if text(run) != Some("run") {
        return Ok(None);
    }
    // What holds for all commands may stand before the list.
    let is_global = |at: &usize| matches!(text(*at), Some("-q" | "--quiet" | "-v" | "--verbose"));
    let named = run + 1 + (run + 1..arguments.len()).take_while(is_global).count();
    let Some(list) = text(named).filter(|list| list.contains(',') && !list.starts_with('-')) else { return Ok(None) };
    let command = command();
    let run_command = command.find_subcommand("run").expect("there is a command `run`");
    let mut apps = Vec::new();
    for name in list.split(',').map(str::trim) {
        let Some(app) = run_command.find_subcommand(name) else {
            let names: Vec<&str> = run_command.get_subcommands().map(Command::get_name).collect();
            return Err(Failure::usage(format!("there is no algorithm `{name}`; there are {}", names.join(", "))));
        };
        if apps.iter().any(|other: &&Command| other.get_name() == name) {
            return Err(Failure::usage(format!("`{list}` names {name} twice")));
        }
        apps.push(app);
    }
    let mut lines: Vec<Vec<OsString>> =
        apps.iter().map(|app| arguments[..named].iter().cloned().chain([app.get_name().into()]).collect()).collect();
    let known: Vec<BTreeSet<String>> = apps.iter().map(|app| options(app)).collect();
    let mut at = named + 1;
    while at < arguments.len() {
        let argument = &arguments[at];
        let (name, joined) = match argument.to_str() {
            Some(text) if text.starts_with("--") && text.len() > 2 => {
                text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)))
            }
            _ => ("", None),
        };
        let has: Vec<bool> = known.iter().map(|known| known.contains(name)).collect();
        let unknown = !has.contains(&true);
        let takes_value = apps.iter().zip(&has).any(|(app, has)| *has && takes_value(app, name));
        let value = match joined {
            Some(value) => Some(OsString::from(value)),
            None if takes_value => arguments.get(at + 1).cloned(),
            None => None,
        };
        for ((line, has), app) in lines.iter_mut().zip(&has).zip(&apps) {
            if !has && !unknown {
                continue;
            }
            if unknown || !takes_value {
                line.push(argument.clone());
                continue;
            }
            line.push(name.into());
            if let Some(value) = &value {
                line.push(own_file(name, value, app.get_name())?);
            }
        }
        at += if takes_value && joined.is_none() { 2 } else { 1 };
    }
    Ok(Some(lines))
}

/// The long options of a command.
fn options(app: &Command) -> BTreeSet<String> {
    app.get_arguments().filter_map(|argument| Some(format!("--{}", argument.get_long()?))).collect()
}

fn takes_value(app: &Command, option: &str) -> bool {
    let found = app.get_arguments().find(|argument| argument.get_long() == option.strip_prefix("--"));
    found.is_some_and(|argument| argument.get_action().takes_values())
}

/// The value of an option for one of several algorithms: files that are written have `{app}` in their names.
fn own_file(option: &str, value: &OsString, app: &str) -> Result<OsString, Failure> {
    if !["--out", "--plot"].contains(&option) {
        return Ok(value.clone());
    }
    match value.to_str().filter(|text| text.contains("{app}")) {
        Some(text) => Ok(text.replace("{app}", app).into()),
        None => Err(Failure::usage(format!(
            "{option} {}: several algorithms cannot write the same file; put `{{app}}` into its name, and each writes its own",
            value.to_string_lossy()
        ))),
    }
}

/// Runs algorithms one after the other. Refuses options that one of them cannot use before the first starts.
pub fn each(apps: &[Box<dyn SnapshotApp>]) -> Result<(), Failure> {
    let weighted = apps.iter().any(|app| app.is_weighted());
    apps.iter().try_for_each(|app| app.check_run(weighted))?;
    let mut source = Source::new(apps.len(), weighted);
    apps.iter().try_for_each(|app| app.run(&mut source))
}
