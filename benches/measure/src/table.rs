//! Rows for people.

use std::fmt::Write;

use crate::result::{GraphFacts, Machine, Row, Unit};

/// A figure with its unit, to three places: `12.3 ms`, `4.2 M arcs/s`.
///
/// ```
/// # use pleach_measure::{Unit, table::figure};
/// assert_eq!(figure(0.01234, Unit::Seconds), "12.3 ms");
/// assert_eq!(figure(4.2e6, Unit::ArcsPerSecond), "4.20 M arcs/s");
/// assert_eq!(figure(4.5, Unit::BytesPerArc), "4.50 B/arc");
/// ```
pub fn figure(value: f64, unit: Unit) -> String {
    let (value, prefix) = match unit {
        Unit::Seconds => match value.abs() {
            0.0 => (0.0, ""),
            v if v < 1e-6 => (value * 1e9, "n"),
            v if v < 1e-3 => (value * 1e6, "µ"),
            v if v < 1.0 => (value * 1e3, "m"),
            _ => (value, ""),
        },
        Unit::BytesPerArc | Unit::Times | Unit::Count => (value, ""),
        _ => match value.abs() {
            v if v >= 1e9 => (value / 1e9, "G "),
            v if v >= 1e6 => (value / 1e6, "M "),
            v if v >= 1e3 => (value / 1e3, "k "),
            _ => (value, ""),
        },
    };
    format!("{} {prefix}{}", places(value), unit.name()).trim_end().to_owned()
}

/// Three significant digits from one on, two below.
///
/// ```
/// # use pleach_measure::table::places;
/// assert_eq!([129.4, 12.94, 1.294, 0.294, 0.0594, 0.0].map(places), ["129", "12.9", "1.29", "0.29", "0.059", "0.00"]);
/// ```
pub fn places(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.1 || v == 0.0 => format!("{value:.2}"),
        v => format!("{value:.*}", (1.0 - v.log10().floor()) as usize),
    }
}

/// What the machine is.
pub fn machine(machine: &Machine) -> String {
    let Machine { cpu, cores, threads, triad_gb_per_second: triad, gather_m_per_second: gather, .. } = machine;
    format!(
        "{cpu}, {cores} cores, {:.1} GB of memory, caches of {:.1} MB\n\
         by {threads} threads: triad {triad:.1} GB/s, random reads {gather:.0} M/s\n\
         pleach {} ({}), {}, allocator {}\n\
         {} UTC; {} repetitions or {} s each{}{}\n",
        machine.memory_bytes as f64 / 1e9,
        machine.cache_bytes as f64 / 1e6,
        machine.version,
        machine.commit,
        machine.rustc,
        machine.allocator,
        machine.date,
        machine.rounds,
        machine.seconds,
        if machine.cold { "; cold caches" } else { "" },
        if machine.pinned { "; pinned threads" } else { "" },
    )
}

/// What a graph is.
pub fn graph(facts: &GraphFacts) -> String {
    let GraphFacts { name, vertices, arcs, mean_degree, max_degree, isolated, directed } = facts;
    let kind = if *directed { "directed" } else { "undirected" };
    format!(
        "\n{name}: {kind}, {vertices} vertices ({isolated} without arcs), {arcs} arcs, degrees {mean_degree:.1} on average, at most {max_degree}\n"
    )
}

/// The rows of one comparison, below a heading for each work.
pub fn rows(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut last = None;
    for row in rows {
        let heading = (&row.suite, &row.graph, &row.work, row.threads);
        if last != Some(heading) {
            last = Some(heading);
            let graph = row.graph.as_ref().map_or(String::new(), |graph| format!(", {graph}"));
            let threads = if row.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", row.threads) };
            writeln!(text, "\n{}: {}{graph}, {threads}", row.suite, row.work).expect("writing to a string succeeds");
        }
        text += &line(row);
    }
    text
}

fn line(row: &Row) -> String {
    let name = format!("{}{}", row.competitor, if row.side == crate::Side::Peer { " (theirs)" } else { "" });
    if let Some(why) = &row.skipped {
        return format!("  {name:<28} –  {why}\n");
    }
    let median = row.median.map_or(String::new(), |median| figure(median, row.unit));
    let quartiles = row
        .quartiles
        .filter(|_| row.repetitions > 1)
        .map_or(String::new(), |[low, high]| format!("{} to {}", figure(low, row.unit), figure(high, row.unit)));
    let ratio = row.ratio.map_or(String::new(), places);
    let bandwidth = row.over_bandwidth.map_or(String::new(), |over| format!("{} × bandwidth", places(over)));
    let note = row.note.as_deref().unwrap_or("");
    let between = if bandwidth.is_empty() || note.is_empty() { "" } else { "; " };
    format!("  {name:<28}{median:>16}{ratio:>8}   {quartiles:<32} {bandwidth}{between}{note}").trim_end().to_owned()
        + "\n"
}
