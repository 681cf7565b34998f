//! What we go for: each target as data, and whether a run meets it.

mod ours;

use serde::Serialize;

use crate::result::{Results, Row};
use crate::suites::scaling;

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
    /// The same, beside programs of others, all of which must be there.
    Peer(Figure, &'static [&'static str], f64),
    /// No suite measures it yet; the text says what is missing.
    Unmeasured(&'static str),
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
    /// The threads; 0 means any number.
    pub threads: usize,
}

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
    /// The figure that is compared, the worst one where several numbers of threads were measured; a ratio where the target is one.
    pub measured: Option<f64>,
    /// Whether it is met.
    pub state: State,
    /// What is missing, where it is not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

pub(crate) const DEFAULT: &str = "paged,packed";
const INSIDE: &str = "kernel, x/d inside";

/// An algorithm over the default store beside programs of others: the algorithm, the graph, the programs, the ratio, and what that is called.
type Beside = (&'static str, &'static str, &'static [&'static str], f64, &'static str);

/// Algorithms beside programs of others. PageRank is ten iterations in 64 bits.
const APPS: [Beside; 15] = [
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
    ("tc", "rmat20", &["gap"], 0.4, "≤ 0.4 × GAP"),
    ("tc", "grid2048", &["gap"], 1.0, "≤ 1.0 × GAP"),
    ("pagerank", "rmat20", &["gap"], 1.4, "≤ 1.4 × GAP"),
    ("pagerank", "grid2048", &["gap"], 1.4, "≤ 1.4 × GAP"),
];

/// All targets.
pub fn targets() -> Vec<Target> {
    let mut all = Vec::new();
    let mut add = |name: &str, target, rule| all.push(Target { name: name.to_owned(), target, rule });
    for (work, graph, names, most, target) in APPS {
        let rule = Rule::Peer(figure("apps", graph, work, DEFAULT), names, most);
        add(&format!("{work}: {graph}, default store"), target, rule);
    }
    for (name, graph) in [("bfs: rmat20, static CSR", "rmat20"), ("bfs: grid2048, static CSR", "grid2048")] {
        add(name, "≤ 0.95 × GAP", Rule::Peer(figure("apps", graph, "bfs", "csr"), &["gap"], 0.95));
    }
    for graph in ["rmat20", "grid2048"] {
        let rule = Rule::Peer(figure("apps", graph, "pagerank32", DEFAULT), &["gap"], 1.0);
        add(&format!("pagerank, 10 iterations, 32 bits: {graph}"), "≤ 1.0 × GAP", rule);
        let rule = Rule::Peer(figure("apps", graph, "mis", DEFAULT), &["aspen"], 0.45);
        add(&format!("maximal independent set: {graph}"), "≤ 0.45 × Aspen", rule);
    }
    updates(&mut add);
    ours::all(&mut add);
    let libraries: &[&str] = &["taco", "graphblas", "scipy"];
    for (name, graph) in [
        ("spmv with 64-bit values: rmat20, static CSR", "rmat20"),
        ("spmv with 64-bit values: grid2048, static CSR", "grid2048"),
    ] {
        add(
            name,
            "≤ 1.0 × the best of taco, GraphBLAS and SciPy",
            Rule::Peer(figure("spmv", graph, "spmv", "csr"), libraries, 1.0),
        );
    }
    for (name, graph) in [
        ("spmv with 64-bit values: rmat20, default store", "rmat20"),
        ("spmv with 64-bit values: grid2048, default store", "grid2048"),
        ("spmv with 64-bit values: rgg20, default store", "rgg20"),
    ] {
        add(name, "≤ 1.15 × our CSR", Rule::Ratio(figure("spmv", graph, "spmv", DEFAULT), "csr", 1.15));
    }
    for (name, graph, from) in [
        ("spmv into a tree: rmat20, from the default store", "rmat20", DEFAULT),
        ("spmv into a tree: rmat20, from bst,bst", "rmat20", "bst,bst"),
        ("spmv into a tree: grid2048, from the default store", "grid2048", DEFAULT),
        ("spmv into a tree: grid2048, from bst,bst", "grid2048", "bst,bst"),
    ] {
        add(name, "≤ 0.6 × PAM", Rule::Peer(figure("spmv", graph, "spmv into a search tree", from), &["pam"], 0.6));
    }
    for graph in ["rmat20", "grid2048"] {
        let rule = Rule::Peer(figure("add", graph, "union of two vectors in search trees", "bst"), &["pam"], 0.8);
        add(&format!("union of two trees: {graph}"), "≤ 0.8 × PAM", rule);
    }
    for (name, graph) in
        [("default store + CSR into CSR: rmat20", "rmat20"), ("default store + CSR into CSR: grid2048", "grid2048")]
    {
        add(
            name,
            "≤ 1.3 × our CSR + CSR",
            Rule::Ratio(figure("add", graph, "store + csr into csr", DEFAULT), "csr", 1.3),
        );
    }
    for (name, graph) in
        [("CSR + CSR by one thread: rmat20", "rmat20"), ("CSR + CSR by one thread: grid2048", "grid2048")]
    {
        add(
            name,
            "≤ 0.9 × SciPy",
            Rule::Peer(Figure { threads: 1, ..figure("add", graph, "csr + csr", "pleach") }, &["scipy"], 0.9),
        );
    }
    for (name, graph) in [("transposition of CSR: rmat20", "rmat20"), ("transposition of CSR: grid2048", "grid2048")] {
        add(name, "≤ 0.7 × SciPy", Rule::Peer(figure("add", graph, "transpose csr", "pleach"), &["scipy"], 0.7));
    }
    for (name, work) in
        [("SpGEMM", "spgemm, A A"), ("SpMM, 32 columns", "spmm, 32 columns"), ("SDDMM, 32", "sddmm, 32")]
    {
        let rule = Rule::Peer(figure("kernels", "", work, "pleach"), &["scipy", "graphblas"], 1.0);
        add(name, "ahead of SciPy and GraphBLAS by one and two threads", rule);
    }
    add(
        "bytes per arc: rmat20, coded",
        "≤ 2.0",
        Rule::AtMost(figure("pagerank", "rmat20", "memory", "paged,packed_delta"), 2.0),
    );
    add("bytes per arc: rmat20, plain", "≤ 4.4", Rule::AtMost(figure("pagerank", "rmat20", "memory", DEFAULT), 4.4));
    let said = |store| figure("memory", "rmat20", "rows, as each store says", store);
    add(
        "bytes per arc beside others: rmat20, coded",
        "≤ those of CPMA, CPAM and Aspen, difference-coded",
        Rule::Peer(said("paged,packed_delta"), &["cpma", "cpam-coded", "aspen-coded"], 1.0),
    );
    add(
        "bytes per arc beside others: rmat20, plain",
        "≤ those of CPAM and Aspen",
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
        add(name, "≥ 200, by work and span for 96 threads", Rule::AtLeast(figure, 200.0));
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
    let of = |work, store| figure("updates", "rmat20", work, store);
    for (arcs, work, _) in SIZES {
        let rule = Rule::Ratio(of(work, DEFAULT), "Vec<Vec>", 1.0 / 1.2);
        add(&format!("insertion in place, batches of {arcs}"), "≥ 1.2 × the rate of sorted Vec<Vec>", rule);
    }
    add("inserting one edge", "≤ 0.5 µs", Rule::AtMost(of("insert one edge, median", DEFAULT), 0.5e-6));
    for (arcs, _, work) in SIZES {
        let (target, most) = match arcs {
            "10,000,000" => ("≥ 2.5 × the rate of the better of Aspen and CPAM", 1.0 / 2.5),
            _ => ("≥ 4 × the rate of the better of Aspen and CPAM", 1.0 / 4.0),
        };
        let name = format!("insertion published at every batch of {arcs}");
        add(&name, target, Rule::Peer(of(work, DEFAULT), &["aspen", "cpam"], most));
        let rule = Rule::Peer(of(work, "bst,ctree"), &["aspen"], 1.0 / 1.3);
        add(&format!("{name}, bst,ctree"), "≥ 1.3 × the rate of Aspen", rule);
        let rule = Rule::Peer(of(work, "paged,packed_delta"), &["aspen", "cpam-coded"], 1.0 / 2.0);
        add(&format!("{name}, coded"), "≥ 2 × the rate of both Aspen and CPAM, difference-coded", rule);
    }
}

/// Judges all targets by a run, or by none.
pub fn judge(results: Option<&Results>) -> Vec<Judged> {
    targets().into_iter().map(|target| judged(target, results)).collect()
}

fn judged(Target { name, target, rule }: Target, results: Option<&Results>) -> Judged {
    let measured = match (rule, results) {
        (Rule::Unmeasured(why), _) => Err(why.to_owned()),
        (_, None) => Err("no run was given: --from reads one".to_owned()),
        (rule, Some(results)) => rule.figure(results),
    };
    let is_met = |figure: f64| match rule {
        Rule::Ratio(_, _, most) | Rule::Peer(_, _, most) | Rule::Works(_, _, most) | Rule::AtMost(_, most) => {
            figure <= most
        }
        Rule::AtLeast(_, least) | Rule::Arcs(_, least) | Rule::Threads(_, _, least) => figure >= least,
        Rule::Unmeasured(_) => false,
    };
    let state = match &measured {
        Ok(figure) if is_met(*figure) => State::Met,
        Ok(_) => State::Missed,
        Err(_) => State::NotMeasured,
    };
    let missing = measured.as_ref().err().cloned();
    Judged { name, target, measured: measured.ok(), state, missing }
}

impl Rule {
    /// The figure that decides it: the worst one of the run.
    fn figure(self, results: &Results) -> Result<f64, String> {
        const WITHOUT: &str = "there is no figure of";
        let all = |figure: Figure| results.rows.iter().filter(move |row| figure.is(row));
        match self {
            Rule::Ratio(figure, beside, _) => worst(results, figure, &[beside], WITHOUT),
            Rule::Peer(figure, names, _) => worst(results, figure, names, WITHOUT),
            Rule::AtMost(figure, _) => {
                all(figure).filter_map(|row| row.median).reduce(f64::max).ok_or_else(|| figure.missing())
            }
            Rule::AtLeast(figure, _) => {
                all(figure).filter_map(|row| row.median).reduce(f64::min).ok_or_else(|| figure.missing())
            }
            Rule::Arcs(figure, _) => {
                let arcs = |row: &Row| results.graphs.iter().find(|graph| Some(&graph.name) == row.graph.as_ref());
                let rates = all(figure).filter_map(|row| Some(arcs(row)?.arcs as f64 / row.median?));
                rates.reduce(f64::min).ok_or_else(|| figure.missing())
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
                let ratios = all(figure).filter_map(|row| Some(row.unit.ratio(row.median?, other(row)?)));
                ratios.reduce(f64::max).ok_or_else(|| figure.missing())
            }
            Rule::Threads(figure, threads, _) => {
                let one = |row: &Row| all(figure).find(|one| one.threads == 1 && one.graph == row.graph)?.median;
                let many = all(figure).filter(|row| row.threads == threads);
                let times = many.filter_map(|row| Some(row.unit.ratio(one(row)?, row.median?)));
                times.reduce(f64::min).ok_or_else(|| {
                    format!("`pleach bench {} --threads 1,{threads}` measures it on {threads} cores", figure.suite)
                })
            }
            Rule::Unmeasured(why) => Err(why.to_owned()),
        }
    }
}

/// The largest ratio, over graphs and numbers of threads, of the figure to the best of those beside it, all of which must be there.
fn worst(results: &Results, figure: Figure, beside: &[&str], without: &str) -> Result<f64, String> {
    let mut worst: Option<f64> = None;
    for row in results.rows.iter().filter(|row| figure.is(row)) {
        let Some(median) = row.median else { continue };
        for name in beside {
            let of = |other: &&Row| {
                other.competitor.eq_ignore_ascii_case(name)
                    && (&other.suite, &other.graph, &other.work, other.threads)
                        == (&row.suite, &row.graph, &row.work, row.threads)
            };
            let other = results.rows.iter().find(of).and_then(|other| other.median);
            let ratio = row.unit.ratio(median, other.ok_or_else(|| format!("{without} {name}"))?);
            // The best competitor gives the largest ratio.
            worst = Some(worst.map_or(ratio, |worst| worst.max(ratio)));
        }
    }
    worst.filter(|ratio| ratio.is_finite()).ok_or_else(|| figure.missing())
}

impl Figure {
    fn is(&self, row: &Row) -> bool {
        let graph = self.graph.is_empty() || row.graph.as_deref() == Some(self.graph);
        let threads = self.threads == 0 || row.threads == self.threads;
        let work = self.work.is_empty() || row.work == self.work;
        graph && threads && work && (&row.suite[..], &row.competitor[..]) == (self.suite, self.competitor)
    }

    /// How the figure is measured.
    fn missing(&self) -> String {
        let graph = if self.graph.is_empty() { String::new() } else { format!(" --graph {}", self.graph) };
        let threads = if self.threads == 0 || self.suite == scaling::NAME {
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
    use crate::result::{FORMAT, GraphFacts, Machine, Side, Unit};

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
        let both = |ms| vec![ours(ms), theirs("GAP", 4.0), theirs("graph", 2.0)];
        assert_eq!(state(both(2.0), name), (State::Met, Some(1.0)));
        assert_eq!(state(both(3.0), name), (State::Missed, Some(1.5)), "the better of the two counts");
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
        let name = "insertion in place, batches of 10";
        assert_eq!(state(vec![rate("paged,packed", 13.0), rate("Vec<Vec>", 10.0)], name).0, State::Met);
        assert_eq!(state(vec![rate("paged,packed", 11.0), rate("Vec<Vec>", 10.0)], name).0, State::Missed);
        let one =
            |seconds| vec![row("updates", "rmat20", "insert one edge, median", "paged,packed", Unit::Seconds, seconds)];
        assert_eq!(state(one(0.4e-6), "inserting one edge").0, State::Met);
        assert_eq!(state(one(0.6e-6), "inserting one edge").0, State::Missed);
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
}
