//! Rows that come in no order: algorithms that need ascending neighbours sort them.

use std::ops::ControlFlow;

use pleach::runtime::{Fiber, Run, SliceFiber, SliceRuns};
use pleach::traverse::Adjacency;
use pleach::{BuildOptions, Csr, EdgeList, Rows};
use pleach_algorithms::{louvain, nibble, similarity, spectral, sssp, walks};

/// A matrix whose rows lie from the last coordinate to the first.
struct Backwards {
    rows: Vec<(Vec<u32>, Vec<f64>)>,
    nnz: usize,
}

impl Backwards {
    fn of(csr: &Csr<f64>) -> Self {
        let back = |row: pleach::CsrRow<'_, f64>| {
            (row.coords.iter().rev().copied().collect(), row.values.iter().rev().copied().collect())
        };
        Backwards { rows: csr.view().rows().map(back).collect(), nnz: csr.view().nnz() }
    }
}

#[derive(Clone, Copy)]
struct Row<'a>(SliceFiber<'a, u32, f64>);

impl<'a> Fiber<'a> for Row<'a> {
    type Coord = u32;
    type Value = f64;
    type Runs = SliceRuns<'a, u32, f64>;
    const ORDERED: bool = false;

    fn len(self) -> usize {
        self.0.len()
    }

    fn runs(self) -> Self::Runs {
        self.0.runs()
    }

    fn try_fold_runs<A, B, F>(self, init: A, f: F) -> ControlFlow<B, A>
    where
        F: FnMut(A, Run<'_, 'a, u32, f64>) -> ControlFlow<B, A>,
    {
        self.0.try_fold_runs(init, f)
    }

    fn locate(self, coord: u32) -> Option<&'a f64> {
        let run = self.0.run();
        run.coords().iter().position(|&other| other == coord).map(|at| &run.values()[at])
    }
}

impl Rows for Backwards {
    type Value = f64;
    type Fiber<'a> = Row<'a>;

    fn num_rows(&self) -> usize {
        self.rows.len()
    }

    fn num_cols(&self) -> usize {
        self.rows.len()
    }

    fn nnz(&self) -> usize {
        self.nnz
    }

    fn row(&self, coord: usize) -> Option<Row<'_>> {
        self.rows.get(coord).map(|(coords, values)| Row(SliceFiber::new(coords, values)))
    }

    fn par_rows<'a, F: Fn(usize, Row<'a>) + Sync>(&'a self, visit: F) {
        self.rows(visit);
    }

    fn try_rows<'a, B, F>(&'a self, mut visit: F) -> ControlFlow<B>
    where
        F: FnMut(usize, Row<'a>) -> ControlFlow<B>,
    {
        (0..self.rows.len()).try_for_each(|coord| match self.row(coord) {
            Some(row) => visit(coord, row),
            None => ControlFlow::Continue(()),
        })
    }
}

#[test]
fn rows_in_no_order_are_read_as_others() {
    let mut edges = EdgeList::new(60, 60);
    (0..300_u32).for_each(|k| edges.push(k * k % 59, (k * 13 + k / 60) % 60, f64::from(k % 5 + 1)));
    let (csr, _) = Csr::from_edges(&edges, &BuildOptions::default().with_undirected(true)).unwrap();
    let backwards = Backwards::of(&csr);
    let sorted = Adjacency::undirected(&csr).unwrap();
    let unsorted = Adjacency::assume_undirected(&backwards).unwrap();

    let pairs: Vec<(u32, u32)> = (0..59).map(|vertex| (vertex, vertex + 1)).collect();
    let found = similarity::similarity(unsorted, &pairs).unwrap();
    assert_eq!(found, similarity::similarity(sorted, &pairs).unwrap());
    similarity::verify(unsorted, &pairs, &found).unwrap();
    let options = walks::Walks::default().with_bias(0.25, 4.0);
    let found = walks::walks(unsorted, &[0, 1, 2], &options).unwrap();
    assert_eq!(found, walks::walks(sorted, &[0, 1, 2], &options).unwrap());
    let found = louvain::louvain(unsorted, &Default::default()).unwrap();
    assert_eq!(found, louvain::louvain(sorted, &Default::default()).unwrap());
    let found = spectral::eigenvector(unsorted, &Default::default()).unwrap();
    assert_eq!(found, spectral::eigenvector(sorted, &Default::default()).unwrap());
    let found = nibble::nibble(unsorted, 0, &Default::default()).unwrap();
    assert_eq!(found, nibble::nibble(sorted, 0, &Default::default()).unwrap());
    let lengths = sssp::sssp(unsorted, 0, &Default::default()).unwrap().distances;
    let found = sssp::predecessors(unsorted, 0, &lengths);
    assert_eq!(found, sssp::predecessors(sorted, 0, &lengths));
}
