//! The PageRank kernel over every store beside static CSR: the kernel `y(i) += A(i,j) * x(j) / d(j)` with its division, and with
//! `x / d` computed first; the store as it was built, and again after a tenth of its arcs was deleted and as many inserted; what building it
//! takes, and what it occupies.

use pleach::kernels::ShapeError;
use pleach::kernels::pagerank::{sum_quotients, sum_shares};
use pleach::runtime::mix;
use pleach::runtime::pool::trim;
use pleach::{Batch, BuildOptions, Csr, CsrView, EdgeList, Rows};
use pleach_erased::{AnyMatrix, DEFAULT_STORE, OUTER_LEVELS, ROW_STORES, StoreName};

use rayon::prelude::*;

use super::SuiteError;
use super::memory::{REUSED, is_reused};
use crate::peers::{Kernel, Subject};
use crate::plain::{self, Plain};
use crate::{Bench, Competitor, Graph, Side, Unit, Work, in_random_order};

/// How to measure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The stores.
    pub stores: Vec<StoreName>,
    /// Whether each store is measured again after a tenth of its arcs was replaced. By default it is not.
    pub aged: bool,
    /// Bytes that are allocated at the moment of the call. By default they are unknown, and no memory is reported.
    pub allocated: Option<fn() -> usize>,
}

/// What is measured unless the user names stores: every row store below `dense` and `paged`, and below itself where it can be an outer
/// level, and `bst,ctree`.
pub fn telling_pairs() -> Vec<StoreName> {
    let mut pairs = Vec::new();
    for outer in ["dense", "paged"] {
        pairs.extend(ROW_STORES.iter().map(|row| StoreName::Pair(outer, row)));
    }
    pairs.push(StoreName::Pair("bst", "ctree"));
    pairs.extend(ROW_STORES.iter().filter(|row| OUTER_LEVELS.contains(row)).map(|row| StoreName::Pair(row, row)));
    pairs
}

/// The kernel with its division.
pub const INSIDE: &str = "kernel, x/d inside";
/// The kernel over `x/d`, which was computed before.
pub const BEFORE: &str = "kernel, x/d before";
/// From unsorted arcs in memory to finished rows.
pub const BUILDING: &str = "building";
/// Bytes for each arc.
pub const MEMORY: &str = "memory";

/// Why a store is left out.
const TOO_MANY: &str = "with the stores before it, it takes more than half of the memory: name fewer with --store";

/// Measures stores on one graph, all beside each other and beside static rows. Stores that do not fit into half of the memory with those
/// before them are left out, and a row says so.
///
/// # Errors
///
/// [`SuiteError`] if the arcs cannot be sorted into rows.
///
/// # Panics
///
/// If a store does not compute what static rows do.
pub fn run(bench: &mut Bench<'_>, graph: &Graph, options: &Options) -> Result<(), SuiteError> {
    let edges = graph.pattern();
    let build = graph.build();
    let csr = bench.within(|| Csr::from_edges(&edges, &build))?.0;
    bench.begin("pagerank", Some(&graph.name));
    bench.add_graph(graph.facts(&csr));
    let (mut held, mut occupied, most) = (Vec::new(), 0, bench.memory() / 2);
    let mut taken = Vec::new();
    for store in options.stores.iter().filter(|store| **store != StoreName::Csr) {
        if most != 0 && occupied > most {
            bench.skip(&Work::timed(INSIDE), &store.to_string(), Side::Ours, TOO_MANY);
            continue;
        }
        let before = options.allocated(bench);
        let matrix = bench.within(|| AnyMatrix::from_edges(store, &edges, &build))?.0;
        occupied += matrix.footprint().bytes as u64;
        if most != 0 && occupied > most {
            bench.skip(&Work::timed(INSIDE), &store.to_string(), Side::Ours, TOO_MANY);
            continue;
        }
        taken.push(options.allocated(bench).zip(before).map(|(after, before)| after.saturating_sub(before)));
        held.push((store, matrix));
    }
    building(bench, &held, edges, &build);
    footprints(bench, &csr, &held, &taken, "");
    kernels(bench, &csr, &held, None, "");
    if !graph.directed {
        without_stores(bench, &csr);
    }
    if options.aged {
        let (updated, arcs) = bench.within(|| replace_tenth(&csr, &mut held));
        footprints(bench, &updated, &held, &[], ", aged");
        let default = held.iter().find(|(store, _)| store.to_string() == DEFAULT_STORE);
        let anew = default.map(|(store, _)| bench.within(|| AnyMatrix::from_edges(store, &arcs, &Default::default())));
        let anew = anew.transpose()?.map(|(matrix, _)| matrix);
        kernels(bench, &updated, &held, anew.as_ref(), ", aged");
    }
    Ok(())
}

/// Measures only building, and the kernels over what was built: what computes in parallel.
///
/// # Errors
///
/// [`SuiteError`] if the arcs cannot be sorted into rows.
pub(super) fn parallel(bench: &mut Bench<'_>, graph: &Graph, stores: &[StoreName]) -> Result<(), SuiteError> {
    let (edges, build) = (graph.pattern(), graph.build());
    let csr = bench.within(|| Csr::from_edges(&edges, &build))?.0;
    bench.begin("pagerank", Some(&graph.name));
    bench.add_graph(graph.facts(&csr));
    let mut held = Vec::new();
    for store in stores.iter().filter(|store| **store != StoreName::Csr) {
        held.push((store, bench.within(|| AnyMatrix::from_edges(store, &edges, &build))?.0));
    }
    building(bench, &held, edges, &build);
    kernels(bench, &csr, &held, None, "");
    Ok(())
}

/// A graph in each of several stores.
type Held<'a> = Vec<(&'a StoreName, AnyMatrix<()>)>;

impl Options {
    /// Static rows beside these stores.
    pub fn new(stores: Vec<StoreName>) -> Self {
        Options { stores, aged: false, allocated: None }
    }

    /// Whether each store is measured again after a tenth of its arcs was replaced.
    #[must_use]
    pub fn with_aged(self, aged: bool) -> Self {
        Options { aged, ..self }
    }

    /// Bytes that are allocated at the moment of the call.
    #[must_use]
    pub fn with_allocated(self, allocated: fn() -> usize) -> Self {
        Options { allocated: Some(allocated), ..self }
    }

    /// Bytes that are allocated, once the node pool has given back what it keeps for later.
    fn allocated(&self, bench: &Bench<'_>) -> Option<usize> {
        let allocated = self.allocated?;
        bench.pool().broadcast(|_| trim());
        trim();
        Some(allocated())
    }
}

/// From unsorted arcs in memory to a finished store.
fn building(bench: &mut Bench<'_>, held: &Held<'_>, edges: EdgeList, build: &BuildOptions) {
    let edges = &in_random_order(edges);
    let mut all = vec![Competitor::timed("csr", Side::Static, || Csr::from_edges(edges, build))];
    for (store, _) in held {
        all.push(Competitor::timed(store.to_string(), Side::Ours, || AnyMatrix::from_edges(store, edges, build)));
    }
    bench.compare(&[Work::timed(BUILDING)], all);
}

/// Bytes for each arc: what each store says, and what is allocated for it.
fn footprints(bench: &mut Bench<'_>, csr: &Csr, held: &Held<'_>, taken: &[Option<usize>], when: &str) {
    let per_arc = |bytes: usize| Ok(vec![vec![bytes as f64 / csr.nnz().max(1) as f64]]);
    let mut names = vec![("csr".to_owned(), Side::Static)];
    names.extend(held.iter().map(|(store, _)| (store.to_string(), Side::Ours)));
    let mut found = vec![per_arc(csr.footprint())];
    found.extend(held.iter().map(|(_, matrix)| per_arc(matrix.footprint().bytes)));
    bench.record(&[Work::in_unit(format!("{MEMORY}{when}"), Unit::BytesPerArc)], &names, found);
    if taken.iter().any(Option::is_some) {
        let mut found = vec![per_arc(csr.footprint())];
        found.extend(held.iter().zip(taken).map(|((_, matrix), taken)| {
            let taken = taken.unwrap_or(0);
            match is_reused(taken, matrix.footprint().bytes) {
                true => Err(REUSED.to_owned()),
                false => per_arc(taken),
            }
        }));
        bench.record(&[Work::in_unit(format!("{MEMORY} by the allocator{when}"), Unit::BytesPerArc)], &names, found);
    }
}

/// Both forms of the kernel over whatever holds the rows.
trait Kernels: Sync {
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError>;
    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError>;
}

impl Kernels for CsrView<'_, ()> {
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        sum_quotients(y, self, x, d)
    }

    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError> {
        sum_shares(y, self, w)
    }
}

impl Kernels for AnyMatrix<()> {
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        AnyMatrix::sum_quotients(self, y, x, d)
    }

    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError> {
        AnyMatrix::sum_shares(self, y, w)
    }
}

/// The kernel as a loop over static rows.
struct ByHand<'a>(CsrView<'a, ()>);

impl ByHand<'_> {
    /// Adds a sum over each row, the rows cut into stretches of about equally many arcs.
    fn add(&self, y: &mut [f64], term: impl Fn(u32) -> f64 + Sync) {
        let (mut tasks, mut rest) = (Vec::new(), y);
        for rows in self.0.split_by_arcs(64) {
            let (own, others) = rest.split_at_mut(rows.len());
            rest = others;
            tasks.push((rows, own));
        }
        tasks.into_par_iter().with_max_len(1).for_each(|(rows, y)| {
            for (y, ends) in y.iter_mut().zip(self.0.offsets()[rows.start..=rows.end].windows(2)) {
                *y += self.0.coords()[ends[0]..ends[1]].iter().fold(0.0, |sum, &j| sum + term(j));
            }
        });
    }
}

impl Kernels for ByHand<'_> {
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        self.add(y, |j| x[j as usize] / d[j as usize]);
        Ok(())
    }

    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError> {
        self.add(y, |j| w[j as usize]);
        Ok(())
    }
}

/// The kernel over what one would write without Pleach, beside static rows.
fn without_stores(bench: &mut Bench<'_>, csr: &Csr) {
    let view = csr.view();
    let (x, d) = (vec![1.0; csr.num_cols()], vec![2.0; csr.num_cols()]);
    let plain: Vec<Box<dyn Plain>> = bench.within(|| plain::ALL.iter().map(|make| make(csr)).collect());
    let mut results = vec![vec![0.0; csr.num_rows()]; plain.len() + 1];
    let (first, others) = results.split_first_mut().expect("there is one for static rows");
    bench.within(|| Kernels::sum_quotients(&view, first, &x, &d)).expect("the arrays were made to fit");
    for (plain, y) in plain.iter().zip(&mut *others) {
        bench.within(|| plain.sum_quotients(y, &x, &d));
        assert!(y == first, "{} holds another graph than the static rows", plain.name());
    }
    let mut all = vec![Competitor::timed("csr", Side::Static, || {
        Kernels::sum_quotients(&view, first, &x, &d).expect("the arrays were made to fit");
    })];
    for (plain, y) in plain.iter().zip(others) {
        all.push(Competitor::timed(plain.name(), Side::Hand, || plain.sum_quotients(y, &x, &d)));
    }
    bench.compare(&[Work::timed(format!("{INSIDE}, without Pleach"))], all);
}

/// The default store, built from the arcs that the aged one holds.
pub const ANEW: &str = "paged,packed, built anew";

/// Measures both forms over static rows and stores of the same graph; of an aged one also over the default store `anew`.
fn kernels(bench: &mut Bench<'_>, csr: &Csr, held: &Held<'_>, anew: Option<&AnyMatrix<()>>, when: &str) {
    let csr = csr.view();
    let d: Vec<f64> = csr.col_degrees().into_iter().map(|degree| f64::from(degree.max(1))).collect();
    let x: Vec<f64> = (0..csr.num_cols()).map(|j| 1.0 / (1.0 + j as f64)).collect();
    let w: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x / d).collect();
    let mut all: Vec<(String, Side, &dyn Kernels)> = vec![("csr".to_owned(), Side::Static, &csr)];
    all.extend(held.iter().map(|(store, matrix)| (store.to_string(), Side::Ours, matrix as &dyn Kernels)));
    all.extend(anew.map(|matrix| (ANEW.to_owned(), Side::Ours, matrix as &dyn Kernels)));
    let by_hand = ByHand(csr);
    all.push(("by hand".to_owned(), Side::Hand, &by_hand));
    let mut results = vec![vec![0.0; csr.num_rows()]; all.len()];
    // Coordinates, ends of rows, what is read and what is written, each once.
    let bytes = 4 * csr.nnz() + 8 * 4 * csr.num_rows();
    let fits = "the arrays were made to fit";
    for (name, divides, bytes) in [(INSIDE, true, bytes + 8 * csr.num_rows()), (BEFORE, false, bytes)] {
        // Each adds to its sums in every repetition, and one that is slow has fewer: what they find is compared before.
        for ((.., rows), y) in all.iter().zip(&mut results) {
            y.fill(0.0);
            bench.within(|| if divides { rows.sum_quotients(y, &x, &d) } else { rows.sum_shares(y, &w) }).expect(fits);
        }
        let (first, others) = results.split_first().expect("static rows take part");
        for ((name, ..), others) in all[1..].iter().zip(others) {
            let same = first.iter().zip(others).all(|(a, b)| (a - b).abs() <= 1e-12 * a.abs());
            assert!(same, "{name} holds another graph than the static rows");
        }
        let mut competitors = Vec::new();
        for ((competitor, side, rows), y) in all.iter().zip(&mut results) {
            let (rows, x, d, w) = (*rows, &x, &d, &w);
            competitors.push(Competitor::timed(competitor.clone(), *side, move || match divides {
                true => rows.sum_quotients(y, x, d).expect(fits),
                false => rows.sum_shares(y, w).expect(fits),
            }));
        }
        if divides && when.is_empty() {
            let subject = Subject::of_matrix(csr.offsets(), csr.coords(), csr.num_cols());
            competitors.extend(bench.theirs(Kernel::PageRankKernel, subject));
        }
        bench.compare(&[Work::timed(format!("{name}{when}")).moving(bytes)], competitors);
    }
}

/// Batches in which a tenth of the arcs is replaced.
const BATCHES: u64 = 10;

/// Deletes a tenth of the arcs of each store, chosen by a hash, and inserts about as many at random places, in ten batches of each; gives the
/// static rows of the result and its arcs.
fn replace_tenth(csr: &Csr, held: &mut Held<'_>) -> (Csr, EdgeList) {
    let (rows, cols) = (csr.num_rows() as u64, csr.num_cols() as u64);
    let arcs = || csr.view().rows().enumerate().flat_map(|(i, row)| row.coords.iter().map(move |&j| (i as u32, j)));
    let lot = |&(i, j): &(u32, u32)| mix(u64::from(i) << 32 | u64::from(j));
    let inserted = |batch: u64| {
        (0..csr.nnz() as u64 / (10 * BATCHES)).map(move |k| {
            let drawn = mix(!(batch << 40 | k));
            (((drawn >> 32) * rows) >> 32, ((drawn & 0xffff_ffff) * cols) >> 32)
        })
    };
    const WITHIN: &str = "the arcs are those of the matrix, or between its vertices";
    let mut updated: Vec<Vec<(u32, u32)>> = Vec::new();
    for batch in 0..BATCHES {
        let doomed = arcs().filter(|arc| lot(arc) % (10 * BATCHES) == batch);
        let doomed = Batch::pattern(doomed);
        let new: Vec<(u32, u32)> = inserted(batch).map(|(i, j)| (i as u32, j as u32)).collect();
        let more = Batch::pattern(new.iter().copied());
        for (_, matrix) in held.iter_mut() {
            matrix.delete(&doomed).expect(WITHIN);
            matrix.insert(&more).expect(WITHIN);
        }
        // A later batch of deletions takes out what an earlier one inserted only if it was an arc before.
        updated.iter_mut().for_each(|arcs| {
            arcs.retain(|arc| lot(arc) % (10 * BATCHES) != batch || csr.row(arc.0 as usize).get(arc.1).is_none());
        });
        updated.push(new);
    }
    let mut list = EdgeList::new(csr.num_rows(), csr.num_cols());
    for (i, j) in arcs().filter(|arc| lot(arc) % (10 * BATCHES) >= BATCHES).chain(updated.into_iter().flatten()) {
        list.push(i, j, ());
    }
    (Csr::from_edges(&list, &BuildOptions::default()).expect("the arcs are in range").0, list)
}
