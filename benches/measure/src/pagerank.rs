//! The PageRank kernel over every store beside static CSR: the kernel `y(i) += A(i,j) * x(j) / d(j)` with its division, and with
//! `x / d` computed first; the store as it was built, and again after a tenth of its arcs was deleted and as many inserted.
//!
//! Both sides of a ratio run in turn in one process, on the same graph, with the same threads and the same formulation.

use std::time::{Duration, Instant};

use pleach::kernels::ShapeError;
use pleach::kernels::pagerank::{sum_quotients, sum_shares};
use pleach::runtime::mix;
use pleach::runtime::pool::trim;
use pleach::{Batch, BuildOptions, Csr, CsrView, EdgeList, Rows};
use pleach_erased::{AnyMatrix, HoldError, OUTER_LEVELS, ROW_STORES, StoreName};
use serde::Serialize;

use crate::in_turn;

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Rounds whose median counts.
    pub rounds: usize,
    /// Whether each store is measured again after a tenth of its arcs was replaced.
    pub aged: bool,
    /// Bytes that the global allocator has handed out at the moment of the call.
    pub allocated: Option<fn() -> usize>,
}

impl Options {
    /// What the allocator has handed out, once the node pool has given back what it keeps for later.
    fn allocated(&self) -> Option<usize> {
        let allocated = self.allocated?;
        rayon::broadcast(|_| trim());
        trim();
        Some(allocated())
    }
}

/// One formulation of the kernel: median milliseconds over static rows and over the store.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Pair {
    /// Static rows.
    pub csr_ms: f64,
    /// The store.
    pub store_ms: f64,
    /// The store's time over that of static rows.
    pub ratio: f64,
}

/// Both formulations.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Kernel {
    /// `y(i) += A(i,j) * x(j) / d(j)`.
    pub sum_quotients: Pair,
    /// `w(j) = x(j) / d(j)` outside of the measurement, then `y(i) += A(i,j) * w(j)`.
    pub sum_shares: Pair,
}

/// What was measured of one store.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Its name.
    pub store: String,
    /// Arcs per second of the build from unsorted arcs in memory.
    pub build_arcs_per_second: f64,
    /// Time of the build over that of static rows.
    pub build_ratio: f64,
    /// Bytes per arc, as the store's footprint says.
    pub bytes_per_arc: f64,
    /// Bytes per arc that the global allocator handed out for it and has not got back: whole chunks of the node pool, and size classes;
    /// `None` if the allocator cannot tell.
    pub allocated_per_arc: Option<f64>,
    /// As built.
    pub fresh: Kernel,
    /// After a tenth of the arcs was deleted and as many inserted.
    pub aged: Option<Aged>,
}

/// A store after updates.
#[derive(Clone, Debug, Serialize)]
pub struct Aged {
    /// The kernel, beside static rows of the same, updated graph.
    pub kernel: Kernel,
    /// Time over that of the fresh store, each divided by the time of static rows beside it.
    pub over_fresh: f64,
    /// Bytes per arc.
    pub bytes_per_arc: f64,
}

/// What is measured unless told otherwise: static rows, every row store below `dense` and `paged`, and below itself where it can
/// be an outer level, and `bst,ctree`.
pub fn telling_pairs() -> Vec<StoreName> {
    let mut pairs = vec![StoreName::Csr];
    for outer in ["dense", "paged"] {
        pairs.extend(ROW_STORES.iter().map(|row| StoreName::Pair(outer, row)));
    }
    pairs.push(StoreName::Pair("bst", "ctree"));
    pairs.extend(ROW_STORES.iter().filter(|row| OUTER_LEVELS.contains(row)).map(|row| StoreName::Pair(row, row)));
    pairs
}

/// Measures some stores on one graph, one after the other, and hands each result to `report`.
///
/// # Errors
///
/// [`HoldError`] if the arcs cannot be sorted into rows.
pub fn measure(
    stores: &[StoreName],
    edges: &EdgeList,
    build: &BuildOptions,
    options: &Options,
    mut report: impl FnMut(Measured),
) -> Result<(), HoldError> {
    let (csr, _) = Csr::from_edges(edges, build)?;
    for store in stores {
        // Static rows are built again beside each store, so that both builds see the same machine.
        let begin = Instant::now();
        let again = Csr::from_edges(edges, build)?;
        let csr_build = begin.elapsed();
        drop(again);
        let before = options.allocated();
        let compare = Compare { csr: &csr, csr_build, options, store, before };
        let begin = Instant::now();
        report(match store {
            StoreName::Csr => {
                let (held, _) = Csr::from_edges(edges, build)?;
                compare.with_rows(&held, begin.elapsed())
            }
            StoreName::Pair(..) => {
                let (matrix, _) = AnyMatrix::from_edges(store, edges, build)?;
                compare.with_matrix(matrix, begin.elapsed())
            }
        });
    }
    Ok(())
}

/// Compares static rows with the same graph in any store.
struct Compare<'a> {
    csr: &'a Csr,
    csr_build: Duration,
    options: &'a Options,
    store: &'a StoreName,
    /// Bytes allocated before the store was built.
    before: Option<usize>,
}

impl Compare<'_> {
    /// Bytes that the store has taken from the allocator.
    fn taken(&self) -> Option<usize> {
        Some(self.options.allocated()?.saturating_sub(self.before?))
    }

    fn measured(
        &self,
        (build, bytes): (Duration, usize),
        taken: Option<usize>,
        fresh: Kernel,
        aged: Option<Aged>,
    ) -> Measured {
        let arcs = self.csr.nnz().max(1) as f64;
        Measured {
            store: self.store.to_string(),
            build_arcs_per_second: arcs / build.as_secs_f64(),
            build_ratio: build.as_secs_f64() / self.csr_build.as_secs_f64(),
            bytes_per_arc: bytes as f64 / arcs,
            allocated_per_arc: taken.map(|bytes| bytes as f64 / arcs),
            fresh,
            aged,
        }
    }

    /// Compares static rows with themselves.
    fn with_rows(&self, csr: &Csr, build: Duration) -> Measured {
        let taken = self.taken();
        let fresh = kernel(self.csr, &csr.view(), self.options.rounds);
        self.measured((build, csr.footprint()), taken, fresh, None)
    }

    /// Compares static rows with a store.
    fn with_matrix(&self, mut matrix: AnyMatrix<()>, build: Duration) -> Measured {
        let bytes = matrix.footprint().bytes;
        let taken = self.taken();
        let fresh = kernel(self.csr, &matrix, self.options.rounds);
        let aged = self.options.aged.then(|| {
            let updated = replace_tenth(self.csr, &mut matrix);
            let kernel = kernel(&updated, &matrix, self.options.rounds);
            Aged {
                kernel,
                over_fresh: kernel.sum_quotients.ratio / fresh.sum_quotients.ratio,
                bytes_per_arc: matrix.footprint().bytes as f64 / updated.nnz().max(1) as f64,
            }
        });
        self.measured((build, bytes), taken, fresh, aged)
    }
}

/// Both formulations of the kernel over whatever holds the rows.
trait Kernels {
    fn num_rows(&self) -> usize;
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError>;
    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError>;
}

impl Kernels for CsrView<'_, ()> {
    fn num_rows(&self) -> usize {
        CsrView::num_rows(self)
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        sum_quotients(y, self, x, d)
    }

    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError> {
        sum_shares(y, self, w)
    }
}

impl Kernels for AnyMatrix<()> {
    fn num_rows(&self) -> usize {
        AnyMatrix::num_rows(self)
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) -> Result<(), ShapeError> {
        AnyMatrix::sum_quotients(self, y, x, d)
    }

    fn sum_shares(&self, y: &mut [f64], w: &[f64]) -> Result<(), ShapeError> {
        AnyMatrix::sum_shares(self, y, w)
    }
}

/// Measures both formulations over static rows and a store of the same graph.
fn kernel(csr: &Csr, store: &dyn Kernels, rounds: usize) -> Kernel {
    let csr = csr.view();
    let d: Vec<f64> = csr.col_degrees().into_iter().map(|degree| f64::from(degree.max(1))).collect();
    let x: Vec<f64> = (0..csr.num_cols()).map(|j| 1.0 / (1.0 + j as f64)).collect();
    let w: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x / d).collect();
    let (mut y_csr, mut y_store) = (vec![0.0; csr.num_rows()], vec![0.0; store.num_rows()]);
    let fits = "the arrays were made to fit";
    let sum_quotients = in_turn(
        rounds,
        || csr.sum_quotients(&mut y_csr, &x, &d).expect(fits),
        || store.sum_quotients(&mut y_store, &x, &d).expect(fits),
    );
    let first = in_turn(
        rounds,
        || csr.sum_shares(&mut y_csr, &w).expect(fits),
        || store.sum_shares(&mut y_store, &w).expect(fits),
    );
    assert!(
        y_csr.iter().zip(&y_store).all(|(a, b)| (a - b).abs() <= 1e-12 * a.abs()),
        "the store holds another graph than the static rows"
    );
    Kernel { sum_quotients: pair(sum_quotients), sum_shares: pair(first) }
}

fn pair((csr, store): (Duration, Duration)) -> Pair {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    Pair {
        csr_ms: milliseconds(csr),
        store_ms: milliseconds(store),
        ratio: store.as_secs_f64() / csr.as_secs_f64().max(f64::MIN_POSITIVE),
    }
}

/// Batches in which a tenth of the arcs is replaced.
const BATCHES: u64 = 10;

/// Deletes a tenth of the arcs, chosen by a hash, and inserts about as many at random places, in ten batches of each; gives the
/// static rows of the result.
fn replace_tenth(csr: &Csr, matrix: &mut AnyMatrix<()>) -> Csr {
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
        matrix.delete(&Batch::pattern(doomed)).expect(WITHIN);
        let new: Vec<(u32, u32)> = inserted(batch).map(|(i, j)| (i as u32, j as u32)).collect();
        matrix.insert(&Batch::pattern(new.iter().copied())).expect(WITHIN);
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
    Csr::from_edges(&list, &BuildOptions::default()).expect("the arcs are in range").0
}
