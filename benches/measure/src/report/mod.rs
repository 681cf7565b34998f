//! A run as one page of HTML that needs nothing else: tables that sort, bars, scatter plots, the method, and the JSON behind it.

use std::fmt::{Display, Write};

use crate::result::{Machine, Results, Row, Unit};
use crate::table;

/// The page. Every measured number on it is in the document, to which its cell's `data-v` leads.
///
/// # Panics
///
/// Never: the document is made of text and numbers.
pub fn page(results: &Results) -> String {
    let json = serde_json::to_string(results).expect("text and numbers are JSON").replace("</", "<\\/");
    let mut suites: Vec<&str> = Vec::new();
    for row in &results.rows {
        if !suites.contains(&&row.suite[..]) {
            suites.push(&row.suite);
        }
    }
    let sections: String = suites.iter().map(|suite| section(suite, results)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Pleach: benchmarks</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<h1>Benchmarks</h1>\n{}{METHOD}{}{sections}\
         <script type=\"application/json\" id=\"results\">{json}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("page.css"),
        machine(&results.machine),
        graphs(results),
        include_str!("page.js"),
    )
}

const METHOD: &str = "<h2>Method</h2>\n<p>Competitors run in turn in one process, after a warm-up; each round begins with another one. A figure is the \
                      median of its repetitions, with the quartiles beside it. A ratio is the cost over that of the competitor named beside it, in the same \
                      rounds: smaller is better, for rates too. “× bandwidth” is the time over that in which the bytes that must be moved go through memory, at the \
                      rate of the triad. In the plots, a point below the diagonal is faster than the competitor that it is compared with.</p>\n";

/// Text within HTML.
fn text(text: impl Display) -> String {
    text.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn machine(machine: &Machine) -> String {
    let mut page = "<dl>\n".to_owned();
    let mut add = |name: &str, value: String| {
        writeln!(page, "<dt>{name}</dt><dd>{}</dd>", text(value)).expect("writing to a string succeeds");
    };
    for line in table::machine(machine).lines() {
        let name = match line {
            line if line.contains("triad") => "memory",
            line if line.starts_with("pleach ") => "built from",
            line if line.contains("UTC") => "measured",
            _ => "machine",
        };
        add(name, line.to_owned());
    }
    add("system", machine.system.clone());
    add("command", machine.command.clone());
    page + "</dl>\n"
}

/// A cell with a number of the document.
fn number(value: f64, shown: impl Display) -> String {
    format!("<td data-v=\"{value}\">{shown}</td>")
}

/// The head of a table that sorts by each column.
fn head(columns: &[&str]) -> String {
    let cells: String = columns.iter().map(|name| format!("<th><button>{name}</button></th>")).collect();
    format!("<div class=\"wide\"><table>\n<thead><tr>{cells}</tr></thead>\n<tbody>\n")
}

fn graphs(results: &Results) -> String {
    if results.graphs.is_empty() {
        return String::new();
    }
    let columns = ["graph", "kind", "vertices", "arcs", "degree, mean", "degree, largest", "without arcs"];
    let mut page = format!("<h2>Graphs</h2>\n{}", head(&columns));
    for facts in &results.graphs {
        let kind = if facts.directed { "directed" } else { "undirected" };
        let whole = |count: usize| number(count as f64, count);
        let (vertices, arcs) = (whole(facts.vertices), whole(facts.arcs));
        let mean = number(facts.mean_degree, table::places(facts.mean_degree));
        let (most, none) = (whole(facts.max_degree), whole(facts.isolated));
        writeln!(page, "<tr><td>{}</td><td>{kind}</td>{vertices}{arcs}{mean}{most}{none}</tr>", text(&facts.name))
            .expect("writing to a string succeeds");
    }
    page + "</tbody></table></div>\n"
}

fn section(suite: &str, results: &Results) -> String {
    let rows: Vec<&Row> = results.rows.iter().filter(|row| row.suite == suite).collect();
    let columns = [
        "graph",
        "work",
        "competitor",
        "whose",
        "threads",
        "median",
        "quarter",
        "three quarters",
        "ratio",
        "to",
        "× bandwidth",
        "runs",
        "bar",
    ];
    let mut page = format!("<h2>{}</h2>\n{}{}", text(suite), scatter(suite, &rows), head(&columns));
    for row in rows {
        let graph = row.graph.as_deref().unwrap_or("–");
        write!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}",
            text(graph),
            text(&row.work),
            text(&row.competitor),
            row.side.name(),
            number(row.threads as f64, row.threads)
        )
        .expect("writing to a string succeeds");
        page += &figures(row);
        page += "</tr>\n";
    }
    page + "</tbody></table></div>\n"
}

/// The cells with figures of a row.
fn figures(row: &Row) -> String {
    let Some(spread) = row.spread() else {
        return format!(
            "<td class=\"why\" colspan=\"8\">{}</td>",
            text(row.skipped.as_deref().unwrap_or("not measured"))
        );
    };
    let figure = |value: f64| number(value, table::figure(value, row.unit));
    let optional =
        |value: Option<f64>| value.map_or("<td></td>".to_owned(), |value| number(value, table::places(value)));
    let bar = row.ratio.map_or(String::new(), |ratio| {
        let side = format!("{:?}", row.side).to_lowercase();
        format!("<span class=\"bar {side}\" style=\"width:{:.0}px\"></span>", (40.0 * ratio).clamp(1.0, 200.0))
    });
    format!(
        "{}{}{}{}<td>{}</td>{}{}<td>{bar}</td>",
        figure(spread.median),
        figure(spread.quartiles[0]),
        figure(spread.quartiles[1]),
        optional(row.ratio),
        text(row.beside.as_deref().unwrap_or("")),
        optional(row.over_bandwidth),
        number(spread.repetitions as f64, spread.repetitions),
    )
}

/// Side of a plot, and the margin around it.
const SIDE: f64 = 340.0;
const MARGIN: f64 = 40.0;

/// Times of all competitors against those that they are compared with, both in logarithms.
fn scatter(suite: &str, rows: &[&Row]) -> String {
    let with = |row: &&&Row| {
        let beside = row.beside.as_ref()?;
        let of = |other: &&&Row| {
            (&other.graph, &other.work, other.threads) == (&row.graph, &row.work, row.threads)
                && other.competitor == *beside
        };
        Some((rows.iter().find(of)?.median?, row.median?))
    };
    let timed = rows.iter().filter(|row| row.unit == Unit::Seconds && row.beside.as_ref() != Some(&row.competitor));
    let points: Vec<(&Row, f64, f64)> = timed
        .filter_map(|row| with(&row).map(|(x, y)| (*row, x, y)))
        .filter(|(_, x, y)| *x > 0.0 && *y > 0.0)
        .collect();
    if points.len() < 2 {
        return String::new();
    }
    let all = || points.iter().flat_map(|(_, x, y)| [x.log10(), y.log10()]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min).floor(), all().fold(f64::NEG_INFINITY, f64::max).ceil());
    let place = |value: f64| SIDE * (value - low) / (high - low).max(1.0);
    let full = SIDE + 2.0 * MARGIN;
    let mut page = format!(
        "<svg viewBox=\"0 0 {full} {full}\" width=\"{full}\" role=\"img\" aria-label=\"{}: time against the competitor beside it\">\n",
        text(suite)
    );
    let (end, bottom) = (MARGIN + SIDE, MARGIN + SIDE);
    for decade in low as i32..=high as i32 {
        let at = place(f64::from(decade));
        let name = table::figure(10f64.powi(decade), Unit::Seconds).replace(".00", "").replace(".0", "");
        writeln!(
            page,
            "<path class=\"axis\" d=\"M{x:.1} {MARGIN}V{bottom}M{MARGIN} {y:.1}H{end}\"/>\
             <text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{name}</text><text x=\"2\" y=\"{y:.1}\">{name}</text>",
            x = MARGIN + at,
            y = bottom - at,
            below = bottom + 16.0
        )
        .expect("writing to a string succeeds");
    }
    writeln!(page, "<path class=\"diagonal\" d=\"M{MARGIN} {bottom}L{end} {MARGIN}\"/>")
        .expect("writing to a string succeeds");
    for (row, x, y) in &points {
        writeln!(
            page,
            "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{}: {} {}, {} {}</title></circle>",
            format!("{:?}", row.side).to_lowercase(),
            MARGIN + place(x.log10()),
            bottom - place(y.log10()),
            text(&row.work),
            text(&row.competitor),
            table::figure(*y, row.unit),
            text(row.beside.as_deref().unwrap_or("")),
            table::figure(*x, row.unit),
        )
        .expect("writing to a string succeeds");
    }
    writeln!(
        page,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">the competitor beside it</text></svg>",
        full / 2.0,
        full - 4.0
    )
    .expect("writing to a string succeeds");
    page
}
