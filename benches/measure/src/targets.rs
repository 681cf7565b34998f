//! What we go for: each target as data, and whether a run meets it.

mod ours;

use serde::Serialize;

use crate::result::{Results, Row, Side, Unit};
use crate::suites::pagerank::{INSIDE, MEMORY};
use crate::suites::scaling;
use crate::table;

/// A target that a run meets or misses.
#[derive(Clone, Debug)]
pub struct Target {
    /// What is measured.
    pub name: String,
    /// The condition, in words.
    pub target: &'static str,
    /// How a run decides it.
    pub rule: Rule,
}

/// How a run decides a target.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// The cost of one figure over that of another one in the same comparison is at most so much.
    Ratio(Figure, &'static str, f64),
    /// The rate over that of another one in the same comparison is at least so much.
    Rate(Figure, &'static str, f64),
    /// The figure is at most so much.
    AtMost(Figure, f64),
    /// The rate is at least so much.
    AtLeast(Figure, f64),
    /// The arcs of the graph by the seconds of the figure are at least so many.
    Arcs(Figure, f64),
    /// The cost over that of the same competitor in another work is at most so much.
    Works(Figure, &'static str, f64),
    /// With so many threads it is so many times as fast as with one at least.
    Threads(Figure, usize, f64),
    /// The cost over that of the best of some programs of others is at most so much. A run without one of them can miss this, but not meet it.
    Peer(Figure, &'static [&'static str], f64),
    /// The rate over that of the best of them is at least so much.
    PeerRate(Figure, &'static [&'static str], f64),
}

/// Which figure of a run: of a suite and a graph, a work and a competitor. An empty graph or work means any.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The suite.
    pub suite: &'static str,
    /// The graph.
    pub graph: &'static str,
    /// The work.
    pub work: &'static str,
    /// The competitor.
    pub competitor: &'static str,
    /// The threads; 0 means any number, and [`MOST`] the largest one of the run.
    pub threads: usize,
}

/// As many threads as there are figures of.
pub const MOST: usize = usize::MAX;

const fn figure(suite: &'static str, graph: &'static str, work: &'static str, competitor: &'static str) -> Figure {
    Figure { suite, graph, work, competitor, threads: 0 }
}

/// Whether a target is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum State {
    /// All figures are there and within the target.
    #[serde(rename = "met")]
    Met,
    /// All figures are there, and one is beyond the target.
    #[serde(rename = "not met")]
    Missed,
    /// A figure is not there.
    #[serde(rename = "not measured")]
    NotMeasured,
}

impl State {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            State::Met => "met",
            State::Missed => "not met",
            State::NotMeasured => "not measured",
        }
    }
}

/// A target beside what a run says of it.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// What is measured.
    pub name: String,
    /// The condition.
    pub target: &'static str,
    /// What the target bounds: the ratio where it is one, otherwise the figure, in `unit`. The worst one where several graphs or numbers of
    /// threads were measured.
    pub measured: Option<f64>,
    /// The unit of what is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// What is measured as it is printed, beside a bound in the same unit: `1.67 µs`, `0.41 ×`.
    #[serde(skip)]
    pub shown: String,
    /// Whether it is met.
    pub state: State,
    /// What is missing, where it is not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

pub(crate) const DEFAULT: &str = "paged,packed";

/// The graphs that targets hold for unless they name one.
const GRAPHS: [&str; 3] = ["rmat20", "grid2048", "rgg20"];

/// An algorithm over the default store beside programs of others: the algorithm, the graph, the programs, the ratio, and what that is called.
type Beside = (&'static str, &'static str, &'static [&'static str], f64, &'static str);

/// Algorithms beside programs of others. PageRank is ten iterations in 64 bits.
const APPS: [Beside; 18] = [
    ("bfs", "rmat20", &["gap"], 1.1, "≤ 1.1 × GAP"),
    ("bfs", "grid2048", &["gap"], 1.1, "≤ 1.1 × GAP"),
    ("bfs", "rgg20", &["gap"], 1.1, "≤ 1.1 × GAP"),
    ("cc", "rmat20", &["gap"], 1.0, "≤ 1.0 × GAP"),
    ("cc", "grid2048", &["gap"], 1.0, "≤ 1.0 × GAP"),
    ("cc", "rgg20", &["gap"], 1.0, "≤ 1.0 × GAP"),
    ("sssp32", "rmat20", &["gap", "graph"], 1.0, "≤ 1.0 × the better of GAP and the graph crate"),
    ("sssp32", "grid2048", &["gap", "graph"], 1.0, "≤ 1.0 × the better of GAP and the graph crate"),
    ("sssp32", "rgg20", &["gap", "graph"], 1.0, "≤ 1.0 × the better of GAP and the graph crate"),
    ("bc", "rmat20", &["gap"], 0.4, "≤ 0.4 × GAP"),
    ("bc", "grid2048", &["aspen"], 0.8, "≤ 0.8 × Aspen"),
    ("bc", "rgg20", &["gap"], 0.4, "≤ 0.4 × GAP"),
    ("tc", "rmat20", &["gap"], 0.4, "≤ 0.4 × GAP"),
    ("tc", "grid2048", &["gap"], 1.0, "≤ 1.0 × GAP"),
    ("tc", "rgg20", &["gap"], 1.0, "≤ 1.0 × GAP"),
    ("pagerank", "rmat20", &["gap"], 1.4, "≤ 1.4 × GAP"),
    ("pagerank", "grid2048", &["gap"], 1.4, "≤ 1.4 × GAP"),
    ("pagerank", "rgg20", &["gap"], 1.4, "≤ 1.4 × GAP"),
];

/// All targets.
pub fn targets() -> Vec<Target> {
    let mut all = Vec::new();
    let mut add = |name: &str, target, rule| all.push(Target { name: name.to_owned(), target, rule });
    for (work, graph, names, most, target) in APPS {
        let rule = Rule::Peer(figure("apps", graph, work, DEFAULT), names, most);
        add(&format!("{work}: {graph}, default store"), target, rule);
    }
    for graph in GRAPHS {
        let rule = Rule::Peer(figure("apps", graph, "bfs", "csr"), &["gap"], 0.95);
        add(&format!("bfs: {graph}, static CSR"), "≤ 0.95 × GAP", rule);
        let rule = Rule::Peer(figure("apps", graph, "pagerank32", DEFAULT), &["gap"], 1.0);
        add(&format!("pagerank, 10 iterations, 32 bits: {graph}"), "≤ 1.0 × GAP", rule);
        let rule = Rule::Peer(figure("apps", graph, "mis", DEFAULT), &["aspen"], 0.45);
        add(&format!("maximal independent set: {graph}"), "≤ 0.45 × Aspen", rule);
    }
    updates(&mut add);
    ours::all(&mut add);
    let libraries: &[&str] = &["taco", "graphblas", "scipy"];
    for graph in GRAPHS {
        let figure = Figure { threads: MOST, ..figure("spmv", graph, "spmv", "csr") };
        let target = "≤ 1.0 × the best of taco, GraphBLAS and SciPy (by one thread)";
        add(&format!("spmv with 64-bit values: {graph}, static CSR"), target, Rule::Peer(figure, libraries, 1.0));
    }
    for graph in GRAPHS {
        let rule = Rule::Ratio(figure("spmv", graph, "spmv", DEFAULT), "csr", 1.15);
        add(&format!("spmv with 64-bit values: {graph}, default store"), "≤ 1.15 × our CSR", rule);
    }
    for graph in GRAPHS {
        for (store, from) in [("the default store", DEFAULT), ("bst,bst", "bst,bst")] {
            let rule = Rule::Peer(figure("spmv", graph, "spmv into a search tree", from), &["pam"], 0.6);
            add(&format!("spmv into a tree: {graph}, from {store}"), "≤ 0.6 × PAM", rule);
        }
    }
    for graph in GRAPHS {
        let add_on = |work, competitor| figure("add", graph, work, competitor);
        let rule = Rule::Peer(add_on("union of two vectors in search trees", "bst"), &["pam"], 0.8);
        add(&format!("union of two trees: {graph}"), "≤ 0.8 × PAM", rule);
        let rule = Rule::Ratio(add_on("store + csr into csr", DEFAULT), "csr", 1.3);
        add(&format!("default store + CSR into CSR: {graph}"), "≤ 1.3 × our CSR + CSR", rule);
        let rule = Rule::Peer(Figure { threads: 1, ..add_on("csr + csr", "pleach") }, &["scipy"], 0.9);
        add(&format!("CSR + CSR by one thread: {graph}"), "≤ 0.9 × SciPy", rule);
        let rule = Rule::Peer(Figure { threads: MOST, ..add_on("transpose csr", "pleach") }, &["scipy"], 0.7);
        add(&format!("transposition of CSR: {graph}"), "≤ 0.7 × SciPy (by one thread)", rule);
    }
    for (name, work) in
        [("SpGEMM", "spgemm, A A"), ("SpMM, 32 columns", "spmm, 32 columns"), ("SDDMM, 32", "sddmm, 32")]
    {
        let rule = Rule::Peer(figure("kernels", "", work, "pleach"), &["scipy", "graphblas"], 1.0);
        add(name, "≤ 1.0 × the better of SciPy (by one thread) and GraphBLAS, by one and two threads", rule);
    }
    add(
        "bytes per arc: rmat20, coded",
        "≤ 2.0 B/arc",
        Rule::AtMost(figure("pagerank", "rmat20", MEMORY, "paged,packed_delta"), 2.0),
    );
    add(
        "bytes per arc: rmat20, plain",
        "≤ 4.4 B/arc",
        Rule::AtMost(figure("pagerank", "rmat20", MEMORY, DEFAULT), 4.4),
    );
    let said = |store| figure("memory", "rmat20", "rows, as each store says", store);
    add(
        "bytes per arc beside others: rmat20, coded",
        "≤ 1.0 × the best of CPMA, CPAM and Aspen, difference-coded",
        Rule::Peer(said("paged,packed_delta"), &["cpma", "cpam-coded", "aspen-coded"], 1.0),
    );
    add(
        "bytes per arc beside others: rmat20, plain",
        "≤ 1.0 × the better of CPAM and Aspen",
        Rule::Peer(said(DEFAULT), &["cpam", "aspen"], 1.0),
    );
    for (name, graph, store, target, most) in [
        ("kernel of PageRank: rmat20, default store", "rmat20", DEFAULT, "≤ 1.10 × CSR", 1.10),
        ("kernel of PageRank: grid2048, default store", "grid2048", DEFAULT, "≤ 1.10 × CSR", 1.10),
        ("kernel of PageRank: rgg20, default store", "rgg20", DEFAULT, "≤ 1.10 × CSR", 1.10),
        ("kernel of PageRank: rmat20, coded", "rmat20", "paged,packed_delta", "≤ 1.5 × CSR", 1.5),
        ("kernel of PageRank: grid2048, coded", "grid2048", "paged,packed_delta", "≤ 2.5 × CSR", 2.5),
        ("kernel of PageRank: rmat20, bst,ctree", "rmat20", "bst,ctree", "≤ 1.1 × CSR", 1.1),
        ("kernel of PageRank: grid2048, bst,ctree", "grid2048", "bst,ctree", "≤ 2.0 × CSR", 2.0),
        ("kernel of PageRank: rmat20, bst,bst", "rmat20", "bst,bst", "≤ 1.6 × CSR", 1.6),
        ("kernel of PageRank: grid2048, bst,bst", "grid2048", "bst,bst", "≤ 2.6 × CSR", 2.6),
    ] {
        add(name, target, Rule::Ratio(figure("pagerank", graph, INSIDE, store), "csr", most));
    }
    for (name, work) in [
        ("COO to CSR, one thread", "coo to csr"),
        ("CSR to CSC, one thread", "csr to csc"),
        ("CSR to DIA, one thread", "csr to dia"),
        ("CSR to ELL, one thread", "csr to ell"),
        ("COO to DIA, one thread", "coo to dia"),
        ("CSC to DIA, one thread", "csc to dia"),
        ("CSC to ELL, one thread", "csc to ell"),
    ] {
        add(
            name,
            "≤ 1.0 × the routine by hand",
            Rule::Ratio(Figure { threads: 1, ..figure("convert", "", work, "pleach") }, "by hand", 1.0),
        );
    }
    for (name, work, store) in [
        ("CSR to the default store", "csr to a store", DEFAULT),
        ("the default store to CSR", "a store to csr", DEFAULT),
        ("CSR to bst,ctree", "csr to a store", "bst,ctree"),
        ("bst,ctree to CSR", "a store to csr", "bst,ctree"),
    ] {
        add(
            name,
            "≤ 2 × a copy of the arrays",
            Rule::Ratio(figure("convert", "", work, store), "copy of the arrays", 2.0),
        );
    }
    for (name, work) in [
        ("parallelism of PageRank on rmat20", "pagerank, parallelism"),
        ("parallelism of BFS on rmat20", "bfs, parallelism"),
        ("parallelism of the PageRank kernel on rmat20", "kernel, x/d inside, parallelism"),
        ("parallelism of batches of 100,000 arcs, in place", "insert 100000 arcs, in place, parallelism"),
        ("parallelism of batches of 100,000 arcs, published", "insert 100000 arcs, published, parallelism"),
        ("parallelism of batches of 1,000,000 arcs, in place", "insert 1000000 arcs, in place, parallelism"),
        ("parallelism of batches of 1,000,000 arcs, published", "insert 1000000 arcs, published, parallelism"),
    ] {
        let figure = Figure { threads: 96, ..figure("scaling", "rmat20", work, DEFAULT) };
        add(name, "≥ 200 ×, by work and span for 96 threads", Rule::AtLeast(figure, 200.0));
    }
    all
}

/// What a batch is called, and the works that insert batches of it.
const SIZES: [(&str, &str, &str); 5] = [
    ("10", "insert 10 arcs, skewed, in place", "insert 10 arcs, skewed, published"),
    ("1,000", "insert 1000 arcs, skewed, in place", "insert 1000 arcs, skewed, published"),
    ("100,000", "insert 100000 arcs, skewed, in place", "insert 100000 arcs, skewed, published"),
    ("1,000,000", "insert 1000000 arcs, skewed, in place", "insert 1000000 arcs, skewed, published"),
    ("10,000,000", "insert 10000000 arcs, skewed, in place", "insert 10000000 arcs, skewed, published"),
];

/// The targets of updates.
fn updates(add: &mut impl FnMut(&str, &'static str, Rule)) {
    for (arcs, work, _) in SIZES {
        let rule = Rule::Rate(figure("updates", "rmat20", work, DEFAULT), "Vec<Vec>", 1.2);
        add(&format!("insertion in place, batches of {arcs}: rmat20"), "≥ 1.2 × the rate of sorted Vec<Vec>", rule);
    }
    for graph in GRAPHS {
        let of = |work, store| figure("updates", graph, work, store);
        for (arcs, _, work) in SIZES {
            let (target, least) = match arcs {
                "10,000,000" => ("≥ 2.5 × the rate of the better of Aspen and CPAM", 2.5),
                _ => ("≥ 4 × the rate of the better of Aspen and CPAM", 4.0),
            };
            let name = format!("insertion published at every batch of {arcs}: {graph}");
            add(&name, target, Rule::PeerRate(of(work, DEFAULT), &["aspen", "cpam"], least));
            let rule = Rule::PeerRate(of(work, "bst,ctree"), &["aspen"], 1.3);
            add(&format!("{name}, bst,ctree"), "≥ 1.3 × the rate of Aspen", rule);
            let rule = Rule::PeerRate(of(work, "paged,packed_delta"), &["aspen", "cpam-coded"], 2.0);
            add(&format!("{name}, coded"), "≥ 2 × the rate of the better of Aspen and CPAM, difference-coded", rule);
        }
    }
}

/// Judges all targets by a run, or by none.
pub fn judge(results: Option<&Results>) -> Vec<Judged> {
    targets().into_iter().map(|target| judged(target, results)).collect()
}

fn judged(Target { name, target, rule }: Target, results: Option<&Results>) -> Judged {
    let measured = match results {
        None => Err("no run was given: --from reads one".to_owned()),
        Some(results) => rule.figure(results),
    };
    let state = match &measured {
        Ok((figure, _)) if rule.is_met(*figure) => State::Met,
        Ok(_) => State::Missed,
        Err(_) => State::NotMeasured,
    };
    let shown = match &measured {
        Ok((figure, Unit::Times)) => rule.shown(*figure),
        Ok((figure, unit)) => table::figure(*figure, *unit),
        Err(_) => "–".to_owned(),
    };
    let (measured, missing) = match measured {
        Ok(measured) => (Some(measured), None),
        Err(missing) => (None, Some(missing)),
    };
    let (measured, unit) = measured.unzip();
    Judged { name, target, measured, unit, shown, state, missing }
}

impl Rule {
    fn is_met(self, figure: f64) -> bool {
        match self {
            Rule::Ratio(_, _, most) | Rule::Peer(_, _, most) | Rule::Works(_, _, most) | Rule::AtMost(_, most) => {
                figure <= most
            }
            Rule::Rate(_, _, least)
            | Rule::PeerRate(_, _, least)
            | Rule::AtLeast(_, least)
            | Rule::Arcs(_, least)
            | Rule::Threads(_, _, least) => figure >= least,
        }
    }

    /// A ratio, with more digits where fewer would lie on the other side of the bound.
    fn shown(self, ratio: f64) -> String {
        let right = |text: &String| text.parse().is_ok_and(|rounded: f64| self.is_met(rounded) == self.is_met(ratio));
        let longer = (3..=6).map(|digits| format!("{ratio:.digits$}"));
        let mut all = std::iter::once(table::places(ratio)).chain(longer);
        format!("{} ×", all.find(right).unwrap_or_else(|| ratio.to_string()))
    }

    /// What decides it, the worst of the run, and its unit.
    fn figure(self, results: &Results) -> Result<(f64, Unit), String> {
        // As a rate, the largest cost is the smallest one.
        let rate = |cost: f64| (1.0 / cost, Unit::Times);
        match self {
            Rule::Ratio(figure, beside, most) => worst(results, figure, beside, most).map(|cost| (cost, Unit::Times)),
            Rule::Rate(figure, beside, least) => worst(results, figure, beside, 1.0 / least).map(rate),
            Rule::Peer(figure, names, most) => {
                worst_of_all(results, figure, names, most).map(|cost| (cost, Unit::Times))
            }
            Rule::PeerRate(figure, names, least) => worst_of_all(results, figure, names, 1.0 / least).map(rate),
            Rule::AtMost(figure, _) => figure.extreme(results, f64::max),
            Rule::AtLeast(figure, _) => figure.extreme(results, f64::min),
            Rule::Arcs(figure, _) => {
                let arcs = |row: &Row| results.graphs.iter().find(|graph| Some(&graph.name) == row.graph.as_ref());
                let rates = figure.rows(results).filter_map(|row| Some(arcs(row)?.arcs as f64 / row.median?));
                let least = rates.reduce(f64::min).ok_or_else(|| figure.missing())?;
                Ok((least, Unit::ArcsPerSecond))
            }
            Rule::Works(figure, work, _) => {
                let other = |row: &Row| {
                    let same = |other: &&Row| {
                        (&other.suite, &other.graph, &other.competitor, other.threads)
                            == (&row.suite, &row.graph, &row.competitor, row.threads)
                            && other.work == work
                    };
                    results.rows.iter().find(same)?.median
                };
                let ratios = figure.rows(results).filter_map(|row| Some(row.unit.ratio(row.median?, other(row)?)));
                let most = ratios.reduce(f64::max).ok_or_else(|| figure.missing())?;
                Ok((most, Unit::Times))
            }
            Rule::Threads(figure, threads, _) => {
                let all = || figure.rows(results);
                let one = |row: &Row| all().find(|one| one.threads == 1 && one.graph == row.graph)?.median;
                let many = all().filter(|row| row.threads == threads);
                let times = many.filter_map(|row| Some(row.unit.ratio(one(row)?, row.median?)));
                let least = times.reduce(f64::min).ok_or_else(|| {
                    format!("`pleach bench {} --threads 1,{threads}` measures it on {threads} cores", figure.suite)
                })?;
                Ok((least, Unit::Times))
            }
        }
    }
}

/// Programs that compute by one thread only: more threads of ours are held against that.
const SERIAL: &[&str] = &["scipy"];

/// The largest ratio, over graphs and numbers of threads, of the cost to that of a competitor. Comparisons in which it does not take part
/// are passed over: suites have some of other formats on other matrices. `most` is that of [`largest`].
fn worst(results: &Results, figure: Figure, beside: &str, most: f64) -> Result<f64, String> {
    let compared = |row: &&Row| results.rows.iter().any(|other| is_beside(other, row, beside));
    let rows: Vec<&Row> = figure.rows(results).filter(|row| row.median.is_some()).collect();
    if !rows.is_empty() && !rows.iter().any(compared) {
        return Err(no_figure(beside));
    }
    largest(results, figure, rows.into_iter().filter(compared), &[beside], most)
}

/// The largest ratio, over graphs and numbers of threads, of the cost to that of the best of some programs.
fn worst_of_all(results: &Results, figure: Figure, programs: &[&str], most: f64) -> Result<f64, String> {
    largest(results, figure, figure.rows(results).filter(|row| row.median.is_some()), programs, most)
}

/// The largest ratio of the cost in some rows to that of some competitors. Where one of these is not there, only a ratio of the others beyond `most` is
/// a result: whatever that one had taken, the target would be missed.
fn largest<'a>(
    results: &Results,
    figure: Figure,
    rows: impl Iterator<Item = &'a Row>,
    beside: &[&str],
    most: f64,
) -> Result<f64, String> {
    let (mut worst, mut absent): (Option<f64>, _) = (None, None);
    for row in rows {
        let Some(median) = row.median else { continue };
        for name in beside {
            let of = |row: &Row| results.rows.iter().find(|other| is_beside(other, row, name))?.median;
            let by_one = || {
                if !SERIAL.contains(name) {
                    return None;
                }
                let one = Row { threads: 1, ..row.clone() };
                let its = |other: &&Row| other.side == Side::Peer && is_beside(other, &one, name);
                results.rows.iter().find(its)?.median
            };
            let Some(theirs) = of(row).or_else(by_one) else {
                absent.get_or_insert(name);
                continue;
            };
            let ratio = row.unit.ratio(median, theirs);
            // The best competitor gives the largest ratio.
            worst = Some(worst.map_or(ratio, |worst| worst.max(ratio)));
        }
    }
    match (worst.filter(|ratio| ratio.is_finite()), absent) {
        (Some(worst), Some(absent)) if worst <= most => Err(no_figure(absent)),
        (Some(worst), _) => Ok(worst),
        (None, absent) => Err(absent.map_or_else(|| figure.missing(), |name| no_figure(name))),
    }
}

/// Whether a row is that of a competitor in the same comparison.
fn is_beside(other: &Row, row: &Row, name: &str) -> bool {
    other.competitor.eq_ignore_ascii_case(name)
        && (&other.suite, &other.graph, &other.work, other.threads) == (&row.suite, &row.graph, &row.work, row.threads)
}

fn no_figure(name: &str) -> String {
    format!("there is no figure of {name}")
}

impl Figure {
    /// The rows of a run that it means.
    fn rows(self, results: &Results) -> impl Iterator<Item = &Row> {
        let all = move || results.rows.iter().filter(move |row| self.is(row));
        let most = all().filter(|row| row.median.is_some()).map(|row| row.threads).max();
        all().filter(move |row| self.threads != MOST || Some(row.threads) == most)
    }

    /// The largest or smallest figure.
    fn extreme(self, results: &Results, of_two: fn(f64, f64) -> f64) -> Result<(f64, Unit), String> {
        let figures = self.rows(results).filter_map(|row| Some((row.median?, row.unit)));
        figures.reduce(|(one, unit), (other, _)| (of_two(one, other), unit)).ok_or_else(|| self.missing())
    }

    fn is(&self, row: &Row) -> bool {
        let graph = self.graph.is_empty() || row.graph.as_deref() == Some(self.graph);
        let threads = [0, MOST].contains(&self.threads) || row.threads == self.threads;
        let work = self.work.is_empty() || row.work == self.work;
        graph && threads && work && (&row.suite[..], &row.competitor[..]) == (self.suite, self.competitor)
    }

    /// How the figure is measured.
    fn missing(&self) -> String {
        let graph = if self.graph.is_empty() { String::new() } else { format!(" --graph {}", self.graph) };
        let threads = if [0, MOST].contains(&self.threads) || self.suite == scaling::NAME {
            String::new()
        } else {
            format!(" --threads {}", self.threads)
        };
        format!("`pleach bench {}{graph}{threads}` measures it", self.suite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{FORMAT, GraphFacts, Machine};

    fn row(suite: &str, graph: &str, work: &str, competitor: &str, unit: Unit, median: f64) -> Row {
        Row {
            suite: suite.to_owned(),
            graph: Some(graph.to_owned()),
            work: work.to_owned(),
            competitor: competitor.to_owned(),
            side: Side::Ours,
            threads: 2,
            unit,
            median: Some(median),
            quartiles: Some([median; 2]),
            repetitions: 20,
            ratio: None,
            beside: None,
            over_bandwidth: None,
            note: None,
            skipped: None,
        }
    }

    fn state(rows: Vec<Row>, name: &str) -> (State, Option<f64>) {
        let results = Results { format: FORMAT.to_owned(), machine: Machine::default(), graphs: Vec::new(), rows };
        let judged = judge(Some(&results)).into_iter().find(|judged| judged.name == name).unwrap();
        (judged.state, judged.measured)
    }

    #[test]
    fn a_peer_that_is_not_there_is_never_met() {
        let ours = |ms| row("apps", "rmat20", "sssp32", "paged,packed", Unit::Seconds, ms);
        let theirs = |name, ms| row("apps", "rmat20", "sssp32", name, Unit::Seconds, ms);
        let name = "sssp32: rmat20, default store";
        assert_eq!(state(vec![ours(0.001)], name), (State::NotMeasured, None));
        assert_eq!(state(vec![ours(0.001), theirs("GAP", 1.0)], name).0, State::NotMeasured, "one of two is missing");
        let beyond = state(vec![ours(2.0), theirs("GAP", 1.0)], name);
        assert_eq!(beyond, (State::Missed, Some(2.0)), "whatever the other one takes");
        let both = |ms| vec![ours(ms), theirs("GAP", 4.0), theirs("graph", 2.0)];
        assert_eq!(state(both(2.0), name), (State::Met, Some(1.0)));
        assert_eq!(state(both(3.0), name), (State::Missed, Some(1.5)), "the better of the two counts");
        let failed = |row: Row| Row { threads: 2, median: None, ..row };
        let parallel = Row { threads: 2, ..ours(2.0) };
        let rows = vec![parallel, failed(theirs("GAP", 1.0)), theirs("GAP", 4.0), theirs("graph", 4.0)];
        assert_eq!(state(rows, name).0, State::NotMeasured, "its time by one thread does not stand for that by two");
    }

    #[test]
    fn works_threads_and_rates_are_judged() {
        let building = |seconds| row("pagerank", "rmat20", "building", "paged,packed", Unit::Seconds, seconds);
        let name = "building the default store: rmat20";
        let graph = GraphFacts {
            name: "rmat20".to_owned(),
            directed: false,
            vertices: 9,
            arcs: 40_000_000,
            mean_degree: 1.0,
            max_degree: 1,
            isolated: 0,
        };
        let found = |seconds| {
            let (format, machine) = (FORMAT.to_owned(), Machine::default());
            let results = Results { format, machine, graphs: vec![graph.clone()], rows: vec![building(seconds)] };
            judge(Some(&results)).into_iter().find(|judged| judged.name == name).unwrap()
        };
        assert_eq!((found(1.0).state, found(1.0).measured), (State::Met, Some(4e7)));
        assert_eq!(found(1.1).state, State::Missed);
        let rate = |work: &str, rate| row("updates", "rmat20", work, "paged,packed", Unit::ArcsPerSecond, rate);
        let both = |deleted| {
            vec![rate("insert 10 arcs, skewed, in place", 3e6), rate("delete 10 arcs, skewed, in place", deleted)]
        };
        assert_eq!(state(both(3e6), "insertion, batches of 10: rmat20").0, State::Met);
        assert_eq!(state(both(2.6e6), "deletion, batches of 10: rmat20").0, State::Met);
        assert_eq!(state(both(2.4e6), "deletion, batches of 10: rmat20"), (State::Missed, Some(1.25)));
        let by =
            |threads, seconds| Row { threads, ..row("convert", "eco", "coo to csr", "pleach", Unit::Seconds, seconds) };
        assert_eq!(state(vec![by(1, 3.0), by(4, 1.0)], "COO to CSR, four threads"), (State::Met, Some(3.0)));
        assert_eq!(state(vec![by(1, 2.0), by(4, 1.0)], "COO to CSR, four threads").0, State::Missed);
        assert_eq!(state(vec![by(1, 2.0), by(2, 1.0)], "COO to CSR, four threads").0, State::NotMeasured);
    }

    #[test]
    fn rates_and_bounds_are_judged() {
        let work = "insert 10 arcs, skewed, in place";
        let rate = |name, rate| row("updates", "rmat20", work, name, Unit::ArcsPerSecond, rate);
        let name = "insertion in place, batches of 10: rmat20";
        assert_eq!(state(vec![rate("paged,packed", 15.0), rate("Vec<Vec>", 10.0)], name), (State::Met, Some(1.5)));
        assert_eq!(state(vec![rate("paged,packed", 5.0), rate("Vec<Vec>", 10.0)], name), (State::Missed, Some(0.5)));
        let one =
            |seconds| vec![row("updates", "rmat20", "insert one edge, median", "paged,packed", Unit::Seconds, seconds)];
        assert_eq!(state(one(0.4e-6), "inserting one edge: rmat20").0, State::Met);
        assert_eq!(state(one(0.6e-6), "inserting one edge: rmat20").0, State::Missed);
        let parallelism = |times| {
            let row = row("scaling", "rmat20", "bfs, parallelism", "paged,packed", Unit::Times, times);
            state(vec![Row { threads: 96, ..row }], "parallelism of BFS on rmat20").0
        };
        assert_eq!((parallelism(200.0), parallelism(199.0)), (State::Met, State::Missed));
        assert!(judge(None).iter().all(|judged| judged.state == State::NotMeasured && judged.missing.is_some()));
        // The files with notes on targets are named by this.
        let mut names: Vec<String> = targets().iter().map(|target| crate::readme::slug(&target.name)).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "each name is there once");
    }

    #[test]
    fn texts_say_what_is_judged() {
        for Target { name, target, rule } in targets() {
            let mut words = target.split([' ', ',']);
            let (sign, number) = (words.next().unwrap(), words.next().unwrap().parse::<f64>().unwrap());
            let unit = words.next().unwrap();
            let (scale, unit) = match (unit, words.next()) {
                ("M", Some(unit)) => (1e6, unit),
                ("k", Some(unit)) => (1e3, unit),
                ("ms", _) => (1e-3, "s"),
                ("µs", _) => (1e-6, "s"),
                ("ns", _) => (1e-9, "s"),
                _ => (1.0, unit),
            };
            let (bound, units) = match rule {
                Rule::Ratio(_, _, bound) | Rule::Peer(_, _, bound) | Rule::Works(_, _, bound) => (bound, &["×"][..]),
                Rule::Rate(_, _, bound) | Rule::PeerRate(_, _, bound) | Rule::Threads(_, _, bound) => {
                    (bound, &["×"][..])
                }
                Rule::AtMost(_, bound) => (bound, &["s", "B/arc"][..]),
                Rule::AtLeast(_, bound) => (bound, &["arcs/s", "lines/s", "×"][..]),
                Rule::Arcs(_, bound) => (bound, &["arcs/s"][..]),
            };
            assert!((number * scale / bound - 1.0).abs() < 1e-9 && units.contains(&unit), "{name}: {target}");
            let expected = if rule.is_met(0.5 * bound) { "≤" } else { "≥" };
            assert_eq!(sign, expected, "{name}: {target}");
            let rate = matches!(rule, Rule::Rate(..) | Rule::PeerRate(..));
            assert_eq!(target.contains("the rate of"), rate, "{name}: {target}");
        }
    }

    #[test]
    fn each_figure_has_one_target_of_a_kind() {
        let what = |target: &Target| format!("{:?}", target.rule).rsplit_once(',').map(|(what, _)| what.to_owned());
        let mut all: Vec<_> = targets().iter().filter_map(what).collect();
        all.sort();
        let twice = all.windows(2).find(|two| two[0] == two[1]);
        assert_eq!(twice, None);
    }

    #[test]
    fn what_is_measured_is_shown_as_its_bound_is() {
        let shown = |rows: Vec<Row>, name: &str| {
            let results = Results { format: FORMAT.to_owned(), machine: Machine::default(), graphs: Vec::new(), rows };
            let judged = judge(Some(&results)).into_iter().find(|judged| judged.name == name).unwrap();
            (judged.shown, judged.state)
        };
        let work = "insert 10 arcs, skewed, in place";
        let rate = |name, rate| row("updates", "rmat20", work, name, Unit::ArcsPerSecond, rate);
        let both = || vec![rate(DEFAULT, 2.88e6), rate("Vec<Vec>", 6.94e6)];
        let name = "insertion in place, batches of 10: rmat20";
        assert_eq!(shown(both(), name), ("0.41 ×".to_owned(), State::Missed));
        assert_eq!(shown(both(), "insertion, batches of 10: rmat20"), ("2.88 M arcs/s".to_owned(), State::Met));
        let one = row("updates", "rmat20", "insert one edge, median", DEFAULT, Unit::Seconds, 1.67e-6);
        assert_eq!(shown(vec![one], "inserting one edge: rmat20"), ("1.67 µs".to_owned(), State::Missed));
        let bytes = row("pagerank", "rmat20", MEMORY, DEFAULT, Unit::BytesPerArc, 4.51);
        assert_eq!(shown(vec![bytes], "bytes per arc: rmat20, plain"), ("4.51 B/arc".to_owned(), State::Missed));
        let sum = |name, seconds| row("kernels", "eco", "spmm, 32 columns", name, Unit::Seconds, seconds);
        let name = "spmm, 32 columns, compiled";
        let beyond = vec![sum("by hand", 1.0), sum("pleach", 1.0503)];
        assert_eq!(shown(beyond, name), ("1.0503 ×".to_owned(), State::Missed), "what rounding would hide is shown");
    }

    #[test]
    fn a_ratio_is_judged_where_both_take_part() {
        let spmv = |graph, name| row("spmv-formats", graph, "spmv", name, Unit::Seconds, 1.0);
        let diagonals = || vec![spmv("nine diagonals, 1 filled", "csr"), spmv("nine diagonals, 1 filled", "dia")];
        let both = || [spmv("eco", "csr"), spmv("eco", "csr by hand")].into_iter().chain(diagonals()).collect();
        assert_eq!(state(both(), "SpMV, csr"), (State::Met, Some(1.0)));
        assert_eq!(state(diagonals(), "SpMV, csr").0, State::NotMeasured);
        let skipped = Row { median: None, skipped: Some("too slow".to_owned()), ..spmv("atm", "csr by hand") };
        let without = both().into_iter().chain([spmv("atm", "csr"), skipped]).collect();
        assert_eq!(state(without, "SpMV, csr").0, State::NotMeasured, "it should have taken part");
    }

    #[test]
    fn a_program_of_one_thread_is_beside_all_of_ours() {
        let by = |threads, name: &str, side, seconds| {
            let row = row("add", "rmat20", "transpose csr", name, Unit::Seconds, seconds);
            Row { threads, side, ..row }
        };
        let theirs = Row { median: None, ..by(2, "scipy", Side::Peer, 0.0) };
        let ours = || vec![by(1, "pleach", Side::Ours, 9.0), by(2, "pleach", Side::Ours, 3.0), theirs.clone()];
        let name = "transposition of CSR: rmat20";
        assert_eq!(state(ours(), name).0, State::NotMeasured);
        let both = ours().into_iter().chain([by(1, "scipy", Side::Peer, 6.0)]).collect();
        assert_eq!(state(both, name), (State::Met, Some(0.5)));
    }
}
