//! What the papers behind this project have published, beside what this run has measured.

use std::fmt::Write;

use super::{head, number, text};
use crate::result::{Results, Row};
use crate::table;

/// The figures, as published: a line each, with tabs between its fields.
const PUBLISHED: &str = include_str!("papers.tsv");

/// A paper, and where and how its authors measured.
const PAPERS: [(&str, &str, &str); 4] = [
    (
        "dynamic",
        "Dynamic Sparse Tensor Algebra Compilation (Chou, Amarasinghe)",
        "24 threads on one socket of a 12-core Xeon E5-2680 v3 at 2.5 GHz with 30 MB of cache; medians of 100 runs with cold caches; 14 matrices",
    ),
    (
        "formats",
        "Format Abstraction for Sparse Tensor Algebra Compilers (Chou, Kjolstad, Amarasinghe)",
        "one thread of a Xeon E5-2695 v2 at 2.4 GHz with 30 MB of cache; means of 10 to 100 runs with cold caches; the text states no figure for Figures \
         11, 12, 13 and 16, whose experiments are `spdm`, `coo + coo`, `csr + csr` and `spmv` by density",
    ),
    (
        "conversion",
        "Automatic Generation of Efficient Sparse Tensor Format Conversion Routines (Chou, Kjolstad, Amarasinghe)",
        "one thread of a Xeon E5-2680 v3 at 2.5 GHz with 30 MB of cache; medians of 50 runs with cold caches",
    ),
    (
        "thesis",
        "The thesis behind the paper on formats (Chou)",
        "one thread of a Xeon E5-2695 v2 at 2.4 GHz with 30 MB of cache; means with cold caches; the text states no figure for Figures 5-1 to 5-3 and \
         5-5 to 5-7",
    ),
];

/// A published figure, and which rows of a run are of the same experiment.
struct Published {
    paper: &'static str,
    place: &'static str,
    what: &'static str,
    theirs: f64,
    unit: &'static str,
    suite: &'static str,
    /// Empty for any.
    graph: &'static str,
    work: &'static str,
    competitor: &'static str,
    /// Whose cost ours is divided by; empty where the figure is a time.
    beside: &'static str,
    differs: &'static str,
}

fn published() -> impl Iterator<Item = Published> {
    PUBLISHED.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [paper, place, what, theirs, unit, suite, graph, work, competitor, beside, differs] = fields[..] else {
            return None;
        };
        let theirs = theirs.parse().ok()?;
        Some(Published { paper, place, what, theirs, unit, suite, graph, work, competitor, beside, differs })
    })
}

impl Published {
    /// Rows of a run that are of this experiment, and our figure of each.
    fn ours<'a>(&'a self, results: &'a Results) -> impl Iterator<Item = (&'a Row, f64)> {
        let of_work = move |row: &&Row| {
            (&row.suite[..], &row.work[..], &row.competitor[..]) == (self.suite, self.work, self.competitor)
                && (self.graph.is_empty() || row.graph.as_deref().is_some_and(|graph| smaller(graph).0 == self.graph))
        };
        results.rows.iter().filter(of_work).filter_map(move |row| {
            let median = row.median?;
            if self.beside.is_empty() {
                return Some((row, median));
            }
            let other = results.rows.iter().find(|other| {
                (&other.suite, &other.graph, &other.work, other.threads)
                    == (&row.suite, &row.graph, &row.work, row.threads)
                    && other.competitor == self.beside
            });
            Some((row, row.unit.ratio(median, other?.median?)))
        })
    }
}

/// The name of a matrix, and how many times smaller it is than the one of that name.
fn smaller(graph: &str) -> (&str, Option<u32>) {
    let parts = graph.rsplit_once('/').and_then(|(name, times)| Some((name, times.parse().ok()?)));
    parts.map_or((graph, None), |(name, times)| (name, Some(times)))
}

/// The section of the page; nothing if the run has none of the experiments.
pub(super) fn section(results: &Results) -> String {
    let mut page = String::new();
    for (paper, title, machine) in PAPERS {
        let mut rows = String::new();
        for published in published().filter(|published| published.paper == paper) {
            for (row, ours) in published.ours(results) {
                rows += &line(&published, row, ours);
            }
        }
        if rows.is_empty() {
            continue;
        }
        let columns = ["where", "what", "published", "ours", "on", "threads", "what differs"];
        let heading = format!("<h3>{}</h3>\n<p>Theirs: {}.</p>\n", text(title), text(machine));
        page += &(heading + &head("", &columns) + &rows + "</tbody></table></div>\n");
    }
    if page.is_empty() {
        return page;
    }
    "<h2>Beside the papers</h2>\n<p>Figures as the texts and tables of the papers state them; bars of plots were not read off. The machines, the \
     matrices and the numbers of threads differ, so that ratios say more than times. Experiments that this run does not have are left out.</p>\n"
        .to_owned()
        + &page
}

fn line(published: &Published, row: &Row, ours: f64) -> String {
    let shown = match published.beside {
        "" => table::figure(ours, row.unit),
        _ => table::places(ours),
    };
    let mut differs = text(published.differs);
    if let (false, Some(times)) = (published.graph.is_empty(), smaller(row.graph.as_deref().unwrap_or("")).1) {
        write!(differs, "; {times} times smaller").expect("writing to a string succeeds");
    }
    let mut line = String::new();
    writeln!(
        line,
        "<tr><td>{}</td><td>{}</td><td>{} {}</td><td>{shown}</td><td>{}</td>{}<td class=\"why\">{}</td></tr>",
        published.place,
        text(published.what),
        published.theirs,
        if published.unit == "ms" { "ms" } else { "×" },
        text(row.graph.as_deref().unwrap_or("–")),
        number(row.threads as f64, row.threads),
        differs,
    )
    .expect("writing to a string succeeds");
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{FORMAT, Machine, Side, Unit};

    fn row(suite: &str, graph: &str, work: &str, competitor: &str, median: f64) -> Row {
        Row {
            suite: suite.to_owned(),
            graph: Some(graph.to_owned()),
            work: work.to_owned(),
            competitor: competitor.to_owned(),
            side: Side::Ours,
            threads: 1,
            unit: Unit::Seconds,
            median: Some(median),
            quartiles: Some([median; 2]),
            repetitions: 3,
            ratio: None,
            beside: None,
            over_bandwidth: None,
            note: None,
            skipped: None,
        }
    }

    #[test]
    fn every_line_is_read() {
        let lines = PUBLISHED.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(published().count(), lines);
        for one in published() {
            assert!(PAPERS.iter().any(|paper| paper.0 == one.paper), "{}", one.what);
            assert_eq!(one.unit == "ratio", !one.beside.is_empty(), "{}: a ratio is beside something", one.what);
            assert!(one.place.starts_with("Figure ") || one.place.starts_with("Table "), "{}", one.place);
        }
        // Spot checks by the papers' texts.
        let theirs = |place: &str, what: &str| {
            published().find(|one| one.place == place && one.what.starts_with(what)).map(|one| one.theirs)
        };
        assert_eq!(theirs("Figure 16", "PageRank kernel: C-trees"), Some(2.01));
        assert_eq!(theirs("Figure 15", "A in search trees"), Some(7.4));
        assert_eq!(theirs("Table 3", "csr_dia, ecology1"), Some(35.8));
        assert_eq!(theirs("Table 3", "csc_dia: SPARSKIT"), Some(2.75));
        assert_eq!(theirs("Table 5.2", "INNERPROD"), Some(10.0));
    }

    #[test]
    fn ours_stand_beside_theirs() {
        let rows = vec![
            row("convert", "atm", "csr to dia", "pleach", 0.025),
            row("convert", "atm/2", "csr to dia", "pleach", 0.012),
            row("pagerank", "rmat8", "kernel, x/d inside", "csr", 2.0),
            row("pagerank", "rmat8", "kernel, x/d inside", "bst,ctree", 3.0),
        ];
        let results = Results { format: FORMAT.to_owned(), machine: Machine::default(), graphs: Vec::new(), rows };
        let page = section(&results);
        assert_eq!(page.matches("<tr><td>").count(), 3, "{page}");
        assert!(page.contains("<td>62.2 ms</td><td>25.0 ms</td><td>atm</td>"), "{page}");
        assert_eq!(page.matches("times smaller").count(), 1, "{page}");
        assert!(
            page.contains("<td>62.2 ms</td><td>12.0 ms</td><td>atm/2</td>")
                && page.contains("generated; 2 times smaller"),
            "{page}"
        );
        assert!(page.contains("<td>2.01 ×</td><td>1.50</td><td>rmat8</td>"), "{page}");
        let none = Results { rows: Vec::new(), ..results };
        assert_eq!(section(&none), "");
    }
}
