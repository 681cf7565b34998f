//! Runs that were kept: two held against each other, one against our targets, and one shown in the files of a checkout.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use pleach_measure::compare::{Verdict, compare};
use pleach_measure::targets::{State, judge};
use pleach_measure::{Results, readme, report, table};
use serde_json::json;

use crate::Failure;
use crate::output::{print, print_json, write_file};

/// Bytes of a file with results, at most.
const MOST: u64 = 1 << 30;

/// Two runs.
#[derive(Args)]
pub struct CompareArgs {
    /// The first run: a file that `pleach bench … --json` has printed
    #[arg(value_name = "A.json")]
    first: PathBuf,
    /// The second run
    #[arg(value_name = "B.json")]
    second: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A run and our targets.
#[derive(Args)]
pub struct TargetsArgs {
    /// Run to judge by: a file that `pleach bench … --json` has printed [default: none]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Reads the results of a run.
fn read(path: &Path) -> Result<Results, Failure> {
    let named = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
    match std::fs::metadata(path) {
        Ok(file) if file.len() > MOST => return Err(named(&"expected the results of a run, of at most a gigabyte")),
        Ok(_) => {}
        Err(error) => return Err(named(&error)),
    }
    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
    Results::parse(&text).map_err(|error| named(&error))
}

impl CompareArgs {
    /// Compares every figure.
    pub fn run(&self) -> Result<(), Failure> {
        let (first, second) = (read(&self.first)?, read(&self.second)?);
        let all = compare(&first, &second);
        if self.json {
            return print_json(&json!({ "bench_compare": all }));
        }
        let mut text = String::new();
        for (name, one, other) in [
            ("processor", &first.machine.cpu, &second.machine.cpu),
            ("commit", &first.machine.commit, &second.machine.commit),
            ("compiler", &first.machine.rustc, &second.machine.rustc),
            ("allocator", &first.machine.allocator, &second.machine.allocator),
        ] {
            if one != other {
                writeln!(text, "{name}: {one}, then {other}").expect("writing to a string succeeds");
            }
        }
        for one in &all {
            let row = &one.row;
            let graph = row.graph.as_ref().map_or(String::new(), |graph| format!(", {graph}"));
            let figure = |value: Option<f64>| value.map_or("–".to_owned(), |value| table::figure(value, row.unit));
            let before = if one.verdict == Verdict::New { None } else { row.median };
            let change = one.change.map_or(String::new(), table::places);
            writeln!(
                text,
                "{:<64} {:>16} {:>16} {change:>8}  {}",
                format!("{}{graph}: {}, {}, {} thr.", row.suite, row.work, row.competitor, row.threads),
                figure(before),
                figure(one.other),
                one.verdict.name()
            )
            .expect("writing to a string succeeds");
        }
        let count = |verdict| all.iter().filter(|one| one.verdict == verdict).count();
        writeln!(
            text,
            "{} figures: {} better, {} worse, {} without a difference, {} in one run only",
            all.len(),
            count(Verdict::Better),
            count(Verdict::Worse),
            count(Verdict::Same),
            count(Verdict::Gone) + count(Verdict::New)
        )
        .expect("writing to a string succeeds");
        print(text.as_bytes())
    }
}

impl TargetsArgs {
    /// Judges every target.
    pub fn run(&self) -> Result<(), Failure> {
        let results = self.from.as_deref().map(read).transpose()?;
        let all = judge(results.as_ref());
        if self.json {
            return print_json(&json!({ "bench_targets": all }));
        }
        let mut text = String::new();
        for one in &all {
            let missing = one.missing.as_ref().map_or(String::new(), |missing| format!(": {missing}"));
            writeln!(text, "{:<62} {:<64} {:>13}  {}{missing}", one.name, one.target, one.shown, one.state.name())
                .expect("writing to a string succeeds");
        }
        let count = |state| all.iter().filter(|one| one.state == state).count();
        let (met, missed, open) = (count(State::Met), count(State::Missed), count(State::NotMeasured));
        writeln!(text, "{} targets: {met} met, {missed} not met, {open} not measured", all.len())
            .expect("writing to a string succeeds");
        print(text.as_bytes())
    }
}

/// A run, and the checkout that shows its figures.
#[derive(Args)]
pub struct ReadmeArgs {
    /// Run to show: a file that `pleach bench … --json` has printed
    #[arg(value_name = "RESULTS.json")]
    results: PathBuf,
    /// Root of a checkout of Pleach
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ReadmeArgs {
    /// Writes both files, and the page of the run.
    pub fn run(&self) -> Result<(), Failure> {
        let results = read(&self.results)?;
        let named = |path: &Path, error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        let (page, root) = (self.folder.join("benches/README.md"), self.folder.join("README.md"));
        let before = std::fs::read_to_string(&root).map_err(|error| named(&root, &error))?;
        let after = readme::with_table(&before, &results).map_err(|error| named(&root, &error))?;
        let notes = readme::notes(&self.folder.join("benches/missed")).map_err(|error| named(&self.folder, &error))?;
        write_file(&page, |file| file.write_all(readme::page(&results, &notes).as_bytes()))?;
        write_file(&root, |file| file.write_all(after.as_bytes()))?;
        write_file(&self.results.with_extension("html"), |file| file.write_all(report::page(&results).as_bytes()))
    }
}
