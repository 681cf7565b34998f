//! The figures of a run as the files of a checkout show them: `benches/README.md`, and one table of `README.md` between two markers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::result::{Results, Row, Side};
use crate::suites::pagerank::{BEFORE, INSIDE, MEMORY};
use crate::table::{self, figure, places};
use crate::targets::{Judged, State, judge};

/// What stands before the table of `README.md` and behind it.
pub const MARKERS: [&str; 2] = ["<!-- figures: `pleach bench readme` writes them -->", "<!-- end of the figures -->"];

/// A text has no place for the table.
#[derive(Debug, thiserror::Error)]
#[error("expected one line `{}` and behind it one line `{}`, between which the table is written", MARKERS[0], MARKERS[1])]
pub struct NoMarkers;

/// What is known of targets that are missed, by the [`slug`] of a target, or by the words with which those of several begin.
pub type Notes = BTreeMap<String, String>;

/// Reads the notes of a folder, each a file `SLUG.md`; none if there is no such folder.
///
/// # Errors
///
/// What the system says of a file.
pub fn notes(folder: &Path) -> std::io::Result<Notes> {
    if !folder.is_dir() {
        return Ok(Notes::new());
    }
    let mut notes = Notes::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "md")
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            notes.insert(name.to_owned(), std::fs::read_to_string(&path)?);
        }
    }
    Ok(notes)
}

/// The name of a target as that of a file: words of small letters and digits.
///
/// ```
/// # use pleach_measure::readme::slug;
/// assert_eq!(slug("CSR + CSR by one thread: rmat20"), "csr-csr-by-one-thread-rmat20");
/// ```
pub fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The note on a target: of several, the one that names it most closely.
///
/// ```
/// # use pleach_measure::readme::{Notes, note_on};
/// let notes = Notes::from([("bfs", "a"), ("bfs-rmat20", "b"), ("cc", "c")].map(|(of, note)| (of.to_owned(), note.to_owned())));
/// assert_eq!(note_on("bfs: rmat20, default store", &notes).map(|(of, _)| of), Some("bfs-rmat20"));
/// assert_eq!(note_on("bfs: rgg20, default store", &notes).map(|(of, _)| of), Some("bfs"));
/// assert_eq!(note_on("bfsx: rgg20", &notes), None);
/// ```
pub fn note_on<'a>(target: &str, notes: &'a Notes) -> Option<(&'a str, &'a str)> {
    let name = slug(target);
    let names = |of: &str| name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    notes.iter().filter(|(of, _)| names(of)).max_by_key(|(of, _)| of.len()).map(|(of, note)| (&of[..], note.trim()))
}

/// A text with the table of a run in the place of what stood between the markers.
///
/// # Errors
///
/// [`NoMarkers`] if there is no such place, or more than one.
pub fn with_table(text: &str, results: &Results) -> Result<String, NoMarkers> {
    let [begin, end] = MARKERS;
    let (before, rest) = text.split_once(begin).ok_or(NoMarkers)?;
    let (_, after) = rest.split_once(end).ok_or(NoMarkers)?;
    match after.contains(begin) || after.contains(end) || before.contains(end) {
        true => Err(NoMarkers),
        false => Ok(format!("{before}{begin}\n{}{end}{after}", table(results))),
    }
}

/// The rows of a suite with a figure.
fn measured<'a>(results: &'a Results, suite: &str) -> Vec<&'a Row> {
    results.rows.iter().filter(|row| row.suite == suite && row.median.is_some()).collect()
}

/// The table of `README.md`: the kernel of PageRank over stores, by the most threads of the run.
pub fn table(results: &Results) -> String {
    let mut rows = measured(results, "pagerank");
    let most = rows.iter().map(|row| row.threads).max().unwrap_or(0);
    rows.retain(|row| row.threads == most && row.side == Side::Ours && (row.work == INSIDE || row.work == MEMORY));
    let first = rows.iter().find_map(|row| row.graph.clone());
    rows.retain(|row| row.work == INSIDE || row.graph == first);
    // The kernel's columns come first.
    rows.sort_by_key(|row| row.work == MEMORY);
    let column = |row: &Row| match row.work == MEMORY {
        true => format!("bytes per arc, `{}`", graph(row)),
        false => format!("`{}`", graph(row)),
    };
    let cell = |row: &Row| if row.work == MEMORY { row.median.map(places) } else { row.ratio.map(places) };
    let stores =
        pivot(&rows, "store", |row| format!("`{}`", row.competitor), column, |row| cell(row).unwrap_or_default());
    let machine = &results.machine;
    format!("\n{stores}\nBy {most} threads, on {}, {}.\n\n", machine.cpu, machine.date.split(' ').next().unwrap_or(""))
}

fn graph(row: &Row) -> &str {
    row.graph.as_deref().unwrap_or("no graph")
}

/// A table of Markdown; rows and columns stand in the order in which they come first.
fn pivot(
    rows: &[&Row],
    corner: &str,
    row_of: impl Fn(&Row) -> String,
    column_of: impl Fn(&Row) -> String,
    cell: impl Fn(&Row) -> String,
) -> String {
    let (mut names, mut columns, mut cells) = (Vec::new(), Vec::new(), BTreeMap::new());
    for row in rows {
        let (name, column) = (row_of(row), column_of(row));
        if !columns.contains(&column) {
            columns.push(column.clone());
        }
        if !names.contains(&name) {
            names.push(name.clone());
        }
        cells.insert((name, column), cell(row));
    }
    let mut text = format!("| {corner} | {} |\n|---|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for name in names {
        let of = |column: &String| cells.get(&(name.clone(), column.clone())).map_or("–", |cell| cell.as_str());
        writeln!(text, "| {name} | {} |", columns.iter().map(of).collect::<Vec<_>>().join(" | "))
            .expect("writing to a string succeeds");
    }
    text
}

/// Suites with a table for each graph, whose columns are competitors: what they are called, and what they measure.
const SUITES: [(&str, &str, &str); 16] = [
    ("apps", "Algorithms", "Over static CSR, over stores, and by programs of others."),
    (
        "updates",
        "Updates",
        "Arcs a second of batches; an arc is one direction of an edge. `updates` in the guide says what the ways are.",
    ),
    ("stream", "Updates from a file", "Lines a second through `pleach stream`, from the first line to the last."),
    ("mixed", "Algorithms while a graph is updated", "Each alone and beside the other."),
    ("incremental", "Results that follow a graph", "Computed anew on each version, and kept up to date."),
    ("memory", "Memory", "Bytes per arc, and what algorithms allocate at their height."),
    ("spmv", "Products with stores", "A matrix with values of 64 bits times a vector."),
    ("add", "Sums, unions and transposition", ""),
    ("convert", "Conversions", "Beside routines by hand, which use one thread."),
    ("spmv-formats", "Products by format", "Compiled kernels beside loops by hand."),
    ("kernels", "Compiled kernels over matrices", "Beside loops by hand of the same algorithm."),
    ("tensor", "Compiled kernels over tensors", "Beside loops by hand of the same algorithm, all by one thread."),
    ("algebra", "Algorithms as expressions", "Beside those that are written as traversals."),
    ("kept", "A graph in a directory", "Each batch goes into a graph in memory and into one that is kept."),
    ("serve", "A server under load", ""),
    ("load", "Files", "Generating graphs, writing and reading files, from the memory of the system."),
];

/// The page with all figures that a reader looks for.
pub fn page(results: &Results, notes: &Notes) -> String {
    let mut page = "# Figures\n\n<!-- `pleach bench readme` writes this page. -->\n\n".to_owned();
    page += "Competitors of a row were measured in turn. In parentheses stands the ratio of the cost to that of the figure of the row that has none: smaller \
             is better, for rates too. [The guide](../docs/src/benchmarks.md) has the method, and `pleach bench all --report DIR` writes a page with every figure, \
             its quartiles, and plots.\n\n";
    writeln!(page, "```text\n{}{}\n```\n\n## Graphs\n", table::machine(&results.machine), results.machine.command)
        .expect("writing to a string succeeds");
    page += "| graph | vertices | arcs | most arcs of a vertex |\n|---|---|---|---|\n";
    for facts in &results.graphs {
        writeln!(page, "| `{}` | {} | {} | {} |", facts.name, facts.vertices, facts.arcs, facts.max_degree)
            .expect("writing to a string succeeds");
    }
    page += &stores(results);
    for (suite, title, about) in SUITES {
        page += &section(results, suite, title, about);
    }
    page += &section(results, "compile", "The compiler", "From index notation to Rust text.");
    page + &targets(results, notes)
}

/// The kernel of PageRank and what stores occupy, stores beside each other.
fn stores(results: &Results) -> String {
    let rows = measured(results, "pagerank");
    let mut text = String::new();
    let works = [
        (INSIDE.to_owned(), "`y(i) += A(i,j) * x(j) / d(j)`, the division in the inner loop"),
        (BEFORE.to_owned(), "the same where `x(j) / d(j)` was computed before"),
        (format!("{INSIDE}, aged"), "the first one after a tenth of the arcs was replaced"),
    ];
    for (work, about) in &works {
        let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.work == *work).collect();
        if rows.is_empty() {
            continue;
        }
        let title = if text.is_empty() { "\n## The kernel of PageRank, as a ratio to static CSR\n" } else { "" };
        let ratio = |row: &Row| match row.beside.as_ref() == Some(&row.competitor) {
            true => figure(row.median.unwrap_or(f64::NAN), row.unit),
            false => row.ratio.map_or(String::new(), places),
        };
        write!(text, "{title}\n{}:\n\n{}", capital(about), pivot(&rows, "store", competitor, by_graph, ratio))
            .expect("writing to a string succeeds");
    }
    for (title, works) in [
        ("Bytes per arc of stores", [MEMORY.to_owned(), format!("{MEMORY}, aged")]),
        ("Building from unsorted arcs in memory", ["building".to_owned(), String::new()]),
    ] {
        let rows: Vec<&Row> = rows.iter().copied().filter(|row| works.contains(&row.work)).collect();
        if !rows.is_empty() {
            let aged = |row: &Row| if row.work.ends_with("aged") { ", aged" } else { "" };
            let column = |row: &Row| format!("{}{}", by_graph(row), aged(row));
            write!(text, "\n## {title}\n\n{}", pivot(&rows, "store", competitor, column, cell))
                .expect("writing to a string succeeds");
        }
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn competitor(row: &Row) -> String {
    format!("`{}`", row.competitor)
}

/// The graph, and the threads where that is one of several numbers.
fn by_graph(row: &Row) -> String {
    format!("`{}`, {}", graph(row), threads(row.threads))
}

fn threads(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

/// A figure, and its ratio to the first competitor.
fn cell(row: &Row) -> String {
    let median = row.median.map_or(String::new(), |median| figure(median, row.unit));
    match row.ratio.filter(|_| row.beside.as_ref() != Some(&row.competitor)) {
        Some(ratio) => format!("{median} ({})", places(ratio)),
        None => median,
    }
}

/// A suite: a table for each graph and number of threads.
fn section(results: &Results, suite: &str, title: &str, about: &str) -> String {
    let rows = measured(results, suite);
    let skipped: Vec<&Row> = results.rows.iter().filter(|row| row.suite == suite && row.skipped.is_some()).collect();
    if rows.is_empty() && skipped.is_empty() {
        return String::new();
    }
    let mut text = format!("\n## {title}\n");
    if !about.is_empty() {
        write!(text, "\n{about}\n").expect("writing to a string succeeds");
    }
    let mut groups: Vec<(Option<&str>, usize)> = Vec::new();
    for row in &rows {
        let group = (row.graph.as_deref(), row.threads);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    for (graph, count) in groups {
        let of: Vec<&Row> =
            rows.iter().copied().filter(|row| (row.graph.as_deref(), row.threads) == (graph, count)).collect();
        let corner = graph.map_or(threads(count), |graph| format!("{graph}, {}", threads(count)));
        write!(text, "\n{}", pivot(&of, &corner, |row| row.work.clone(), competitor, cell))
            .expect("writing to a string succeeds");
    }
    text += &remarks(&rows);
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in &skipped {
        let named =
            format!("{} ({})", row.work, [row.graph.as_deref().unwrap_or(""), &row.competitor].join(" ").trim());
        reasons.entry(row.skipped.as_deref().unwrap_or("")).or_default().push(named);
    }
    if !reasons.is_empty() {
        text += "\nNot measured:\n\n";
    }
    for (why, works) in reasons {
        writeln!(text, "* {}: {why}", works.join("; ")).expect("writing to a string succeeds");
    }
    text
}

/// What differs from what the others do: of all that a competitor does, or of the works that are named.
fn remarks(rows: &[&Row]) -> String {
    let mut notes: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        if let Some(note) = &row.note {
            notes.entry((&row.competitor, note)).or_default().push(row);
        }
    }
    let mut text = if notes.is_empty() { String::new() } else { "\nNotes:\n\n".to_owned() };
    for ((competitor, note), noted) in notes {
        let of_competitor = |work: &str| {
            rows.iter().filter(|row| row.competitor == competitor && (work.is_empty() || row.work == work)).count()
        };
        // Works that it is about on the same graphs, unless it is about all of them.
        let mut places: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
        if noted.len() < of_competitor("") {
            for row in &noted {
                let graphs = noted.iter().filter(|other| other.work == row.work).map(|other| graph(other));
                let graphs: Vec<&str> =
                    if graphs.clone().count() < of_competitor(&row.work) { graphs.collect() } else { Vec::new() };
                match places.iter_mut().find(|place| place.0 == graphs) {
                    Some((_, works)) if works.contains(&&*row.work) => {}
                    Some((_, works)) => works.push(&row.work),
                    None => places.push((graphs, vec![&row.work])),
                }
            }
        }
        places.sort_by_key(|(graphs, _)| !graphs.is_empty());
        let on =
            |graphs: &[&str]| if graphs.is_empty() { String::new() } else { format!("on {}: ", graphs.join(", ")) };
        let places = places.iter().map(|(graphs, works)| on(graphs) + &works.join("; ")).collect::<Vec<_>>();
        let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join("; ")) };
        writeln!(text, "* `{competitor}`: {note}{places}").expect("writing to a string succeeds");
    }
    text
}

/// What we go for, and the notes on what is missed.
fn targets(results: &Results, notes: &Notes) -> String {
    let all = judge(Some(results));
    let of = |state| all.iter().filter(|one| one.state == state).collect::<Vec<_>>();
    let (met, missed, open) = (of(State::Met), of(State::Missed), of(State::NotMeasured));
    let mut text = format!(
        "\n## Targets\n\nOf {} targets, {} are met, {} are not met, and {} are not measured by this run.\n",
        all.len(),
        met.len(),
        missed.len(),
        open.len()
    );
    let line = |text: &mut String, one: &Judged| {
        writeln!(text, "| {} | {} | {} |", one.name, one.target, one.shown).expect("writing to a string succeeds");
    };
    for (title, some) in [("Not met", &missed), ("Met", &met)] {
        if some.is_empty() {
            continue;
        }
        write!(text, "\n### {title}\n\n| | target | measured |\n|---|---|---|\n")
            .expect("writing to a string succeeds");
        some.iter().for_each(|one| line(&mut text, one));
    }
    // Notes in the order of the first targets that they are on.
    let mut noted: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in missed {
        let Some((_, note)) = note_on(&one.name, notes) else { continue };
        match noted.iter_mut().find(|(other, _)| *other == note) {
            Some((_, names)) => names.push(&one.name),
            None => noted.push((note, vec![&one.name])),
        }
    }
    if !noted.is_empty() {
        text += "\n### Why targets are not met\n";
    }
    for (note, names) in noted {
        write!(text, "\n#### {}\n\n{note}\n", names.join("; ")).expect("writing to a string succeeds");
    }
    if !open.is_empty() {
        text += "\n### Not measured\n\n";
    }
    for one in open {
        let missing = one.missing.as_deref().unwrap_or("");
        writeln!(text, "* {} ({}): {missing}", one.name, one.target).expect("writing to a string succeeds");
    }
    text
}
