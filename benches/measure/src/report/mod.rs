//! A run as one page of HTML that needs nothing else: tables that sort, bars, scatter plots, the method, and the JSON behind it.

mod papers;
mod plot;
mod scaling;

use std::fmt::{Display, Write};

use crate::result::{Machine, Results, Row};
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
         <style>\n{}</style>\n</head>\n<body>\n<h1>Benchmarks</h1>\n{}{METHOD}{}{sections}{}\
         <script type=\"application/json\" id=\"results\">{json}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("page.css"),
        machine(&results.machine),
        graphs(results),
        papers::section(results),
        include_str!("page.js"),
    )
}

const METHOD: &str = "<h2>Method</h2>\n<p>Competitors run in turn in one process, after a warm-up; each round begins with another one. A figure is the \
                      median of its repetitions, with the quartiles beside it. A ratio is the cost over that of the competitor named beside it, in the same \
                      rounds: smaller is better, for rates too. “× bandwidth” is the time over that in which the bytes that must be moved go through memory, at the \
                      rate of the triad. Bars show ratios; one that would be longer than five ends with an arrow. Plots show what we take against what others take in the same comparison, both in \
                      logarithms: below the diagonal we are ahead. Point at a mark to see what it is.</p>\n";

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
fn head(class: &str, columns: &[&str]) -> String {
    let cells: String = columns.iter().map(|name| format!("<th><button>{name}</button></th>")).collect();
    format!("<div class=\"wide\"><table class=\"{class}\">\n<thead><tr>{cells}</tr></thead>\n<tbody>\n")
}

fn graphs(results: &Results) -> String {
    if results.graphs.is_empty() {
        return String::new();
    }
    let columns = ["graph", "kind", "vertices", "arcs", "degree, mean", "degree, largest", "without arcs"];
    let mut page = format!("<h2>Graphs</h2>\n{}", head("graphs", &columns));
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
    let mut page = format!(
        "<h2>{}</h2>\n<div class=\"plots\">\n{}</div>\n{}",
        text(suite),
        plots(suite, &rows),
        head("figures", &columns)
    );
    for row in rows {
        let graph = row.graph.as_deref().unwrap_or("–");
        write!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>{}",
            text(graph),
            text(&row.work),
            competitor(row),
            row.side.name(),
            number(row.threads as f64, row.threads)
        )
        .expect("writing to a string succeeds");
        page += &figures(row);
        page += "</tr>\n";
    }
    page + "</tbody></table></div>\n"
}

/// Its name, and what differs from what the others do.
fn competitor(row: &Row) -> String {
    let note = row.note.as_ref().map_or(String::new(), |note| format!("<br><small>{}</small>", text(note)));
    text(&row.competitor) + &note
}

/// The ratio at which bars are cut.
const LONGEST: f64 = 5.0;

/// What is drawn of a suite.
fn plots(suite: &str, rows: &[&Row]) -> String {
    if suite == crate::suites::scaling::NAME { scaling::plots(rows) } else { plot::scatter(suite, rows) }
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
        let (cut, title) =
            if ratio > LONGEST { (" cut", " title=\"longer than the bar: cut at 5\"") } else { ("", "") };
        let width = (100.0 * ratio.min(LONGEST) / LONGEST).max(0.5);
        format!("<span class=\"bar {side}{cut}\"{title} style=\"width:{width:.1}%\"></span>")
    });
    format!(
        "{}{}{}{}<td>{}</td>{}{}<td class=\"bars\">{bar}</td>",
        figure(spread.median),
        figure(spread.quartiles[0]),
        figure(spread.quartiles[1]),
        optional(row.ratio),
        text(row.beside.as_deref().unwrap_or("")),
        optional(row.over_bandwidth),
        number(spread.repetitions as f64, spread.repetitions),
    )
}
