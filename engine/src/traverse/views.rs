//! Views of a graph under other numbers, and without directions. They replace a copy of the graph.
//!
//! ```text
//!   renumbered    row 2 of the view  =  row old[2] of the matrix, each column c of which is shown as new[c]
//!   symmetric     row v of the view  =  targets of v merged with sources of v
//! ```

use std::any::Any;
use std::cmp::Ordering;
use std::ops::ControlFlow;

use pleach_runtime::{Run, Value, par_map};
use smallvec::SmallVec;

use super::erased::{DynRows, ErasedRows, ErasedRuns, ROWS, Sorted, UNITS, VisitRun};

impl<'m, V: Value> DynRows<'m, V> {
    /// The rows and columns of a square matrix under other numbers: row `k` is row `old[k]`, and column `c` is shown as `new[c]`. Takes
    /// constant time.
    ///
    /// A row that is visited in ascending order is sorted each time; one visited in any order is not.
    ///
    /// # Panics
    ///
    /// If there is not one old and one new number for each row and column.
    #[must_use]
    pub fn renumbered(self, old: &'m [u32], new: &'m [u32]) -> Self {
        let (rows, cols) = (self.rows.num_rows(), self.num_cols);
        assert!(
            rows == cols && old.len() == rows && new.len() == cols,
            "every row and every column has another number"
        );
        DynRows { rows: Box::new(Renumbered { rows: self.rows, old, new }), ..self }
    }
}

impl<'m, V: Value + PartialOrd> DynRows<'m, V> {
    /// The graph of `out`, whose transpose is `incoming`, without directions. Of two arcs between the same vertices the one of the smaller
    /// weight counts.
    ///
    /// Counts the neighbours of each vertex: a pass over both matrices, and 4 bytes a row are kept. The two rows of a vertex are merged
    /// whenever it is visited.
    ///
    /// # Panics
    ///
    /// If the matrices are not square and of one size.
    pub fn symmetric(out: Self, incoming: Self) -> Self {
        let (rows, num_cols) = (out.rows.num_rows(), out.num_cols);
        assert!(
            [num_cols, incoming.rows.num_rows(), incoming.num_cols] == [rows; 3],
            "both are square, and of one size"
        );
        let mut merged = Symmetric { out: out.rows, incoming: incoming.rows, degrees: Vec::new() };
        merged.degrees = par_map(rows, ROWS, |row| merged.row(row).len() as u32);
        let nnz = merged.degrees.iter().map(|&degree| degree as usize).sum();
        DynRows { rows: Box::new(merged), num_cols, nnz }
    }
}

/// As many values as there are places, if values take no memory.
fn units<'a, V: Value>(len: usize) -> Option<&'a [V]> {
    static ALL: &[()] = &UNITS;
    let all: &'static [V] = (&ALL as &dyn Any).downcast_ref::<&'static [V]>()?;
    Some(&all[..len])
}

/// Shows the nonzeros of a row in this order: as one run if their values take no memory, else one by one.
fn show<'a, V: Value>(nonzeros: &[(u32, &'a V)], visit: VisitRun<'_, 'a, V>) {
    if let Some(units) = units(nonzeros.len()) {
        let coords: SmallVec<[u32; 64]> = nonzeros.iter().map(|nonzero| nonzero.0).collect();
        let _ = visit(Run::new(&coords, units));
    } else {
        let _ = nonzeros.iter().try_for_each(|(coord, value)| visit(Run::one(coord, value)));
    }
}

/// The nonzeros of a row.
fn collect<'a, V: Value>(rows: &'a (dyn ErasedRows<V> + 'a), row: usize, in_order: bool) -> Vec<(u32, &'a V)> {
    let mut nonzeros = Vec::new();
    rows.runs(row, in_order, &mut |run| {
        nonzeros.extend(run.iter());
        ControlFlow::Continue(())
    });
    nonzeros
}

/// Rows under other numbers.
struct Renumbered<'m, V> {
    rows: Box<dyn ErasedRows<V> + 'm>,
    /// The row of the matrix that each row of the view is.
    old: &'m [u32],
    /// What each column of the matrix is called.
    new: &'m [u32],
}

impl<V: Value> Renumbered<'_, V> {
    /// The nonzeros of a row of the view, ascending.
    fn row(&self, row: usize) -> Vec<(u32, &V)> {
        let mut nonzeros = collect(&*self.rows, self.old[row] as usize, false);
        nonzeros.iter_mut().for_each(|(coord, _)| *coord = self.new[*coord as usize]);
        nonzeros.sort_unstable_by_key(|nonzero| nonzero.0);
        nonzeros
    }
}

impl<V: Value> ErasedRows<V> for Renumbered<'_, V> {
    fn num_rows(&self) -> usize {
        self.old.len()
    }

    fn len(&self, row: usize) -> usize {
        self.rows.len(self.old[row] as usize)
    }

    fn runs<'a>(&'a self, row: usize, in_order: bool, visit: VisitRun<'_, 'a, V>) {
        if in_order {
            return show(&self.row(row), visit);
        }
        self.rows.runs(self.old[row] as usize, false, &mut |run| {
            let coords: SmallVec<[u32; 64]> = run.coords().iter().map(|&coord| self.new[coord as usize]).collect();
            visit(Run::new(&coords, run.values()))
        });
    }

    fn locate(&self, row: usize, col: u32) -> Option<&V> {
        self.rows.locate(self.old[row] as usize, *self.old.get(col as usize)?)
    }

    fn iterator<'a>(&'a self, row: usize) -> Box<dyn ErasedRuns<'a, V> + 'a> {
        Box::new(Sorted::new(self.row(row)))
    }
}

/// The rows of a graph without the directions of its arcs.
struct Symmetric<'m, V> {
    out: Box<dyn ErasedRows<V> + 'm>,
    incoming: Box<dyn ErasedRows<V> + 'm>,
    /// Neighbours of each vertex.
    degrees: Vec<u32>,
}

impl<V: Value + PartialOrd> Symmetric<'_, V> {
    /// The neighbours of a vertex, ascending.
    fn row(&self, row: usize) -> Vec<(u32, &V)> {
        let (targets, sources) = (collect(&*self.out, row, true), collect(&*self.incoming, row, true));
        if sources.is_empty() {
            return targets;
        }
        let mut merged = Vec::with_capacity(targets.len() + sources.len());
        let (mut targets, mut sources) = (targets.into_iter().peekable(), sources.into_iter().peekable());
        while let (Some(&target), Some(&source)) = (targets.peek(), sources.peek()) {
            merged.push(match target.0.cmp(&source.0) {
                Ordering::Less => target,
                Ordering::Greater => source,
                Ordering::Equal => (target.0, smaller(target.1, source.1)),
            });
            targets.next_if(|_| target.0 <= source.0);
            sources.next_if(|_| source.0 <= target.0);
        }
        merged.extend(targets.chain(sources));
        merged
    }
}

/// The smaller of two weights; the other, if one is not a number.
#[allow(clippy::eq_op, reason = "only what is not a number differs from itself")]
fn smaller<'a, V: PartialOrd>(a: &'a V, b: &'a V) -> &'a V {
    if b < a || a != a { b } else { a }
}

impl<V: Value + PartialOrd> ErasedRows<V> for Symmetric<'_, V> {
    fn num_rows(&self) -> usize {
        self.out.num_rows()
    }

    fn len(&self, row: usize) -> usize {
        self.degrees[row] as usize
    }

    fn runs<'a>(&'a self, row: usize, _: bool, visit: VisitRun<'_, 'a, V>) {
        show(&self.row(row), visit);
    }

    fn locate(&self, row: usize, col: u32) -> Option<&V> {
        match (self.out.locate(row, col), self.incoming.locate(row, col)) {
            (Some(a), Some(b)) => Some(smaller(a, b)),
            (a, b) => a.or(b),
        }
    }

    fn iterator<'a>(&'a self, row: usize) -> Box<dyn ErasedRuns<'a, V> + 'a> {
        Box::new(Sorted::new(self.row(row)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::erased::tests::equals_static_rows;
    use super::*;
    use crate::{BuildOptions, Csr, Duplicates, EdgeList};

    const N: usize = 211;

    /// Arcs both ways, loops, weights that differ both ways, vertices without arcs, and one with arcs to all others.
    fn edges() -> EdgeList<f64> {
        let mut edges = EdgeList::new(N, N);
        for k in 0..900u32 {
            edges.push(k * k % 191, k * 7 % 200, f64::from(k * 31 % 97));
        }
        (0..N as u32).for_each(|k| edges.push(5, k, f64::from(k)));
        edges
    }

    /// The arcs with numbers multiplied by seven, which makes another order of them.
    fn moved(edges: &EdgeList<f64>) -> EdgeList<f64> {
        let place = |vertex: &u32| vertex * 7 % N as u32;
        EdgeList {
            src: edges.src.iter().map(place).collect(),
            dst: edges.dst.iter().map(place).collect(),
            ..edges.clone()
        }
    }

    fn turned(edges: &EdgeList<f64>) -> EdgeList<f64> {
        EdgeList { src: edges.dst.clone(), dst: edges.src.clone(), ..edges.clone() }
    }

    fn csr(edges: &EdgeList<f64>, undirected: bool) -> Csr<f64> {
        let options = BuildOptions { undirected, duplicates: Duplicates::min(), ..BuildOptions::default() };
        Csr::from_edges(edges, &options).expect("arcs are in range").0
    }

    #[test]
    fn views_are_what_a_copy_would_be() {
        let (edges, new) = (edges(), (0..N as u32).map(|vertex| vertex * 7 % N as u32).collect::<Vec<_>>());
        let mut old = vec![0; N];
        new.iter().zip(0..).for_each(|(&place, vertex)| old[place as usize] = vertex);
        let (out, incoming) = (csr(&edges, false), csr(&turned(&edges), false));
        let (out, incoming) = (out.view(), incoming.view());
        let symmetric = || DynRows::symmetric(DynRows::of(&out), DynRows::direct(&incoming));
        equals_static_rows(&DynRows::direct(&out).renumbered(&old, &new), &csr(&moved(&edges), false));
        equals_static_rows(&symmetric(), &csr(&edges, true));
        equals_static_rows(&symmetric().renumbered(&old, &new), &csr(&moved(&edges), true));
        // Without values a row is one run.
        let places = symmetric().into_places().renumbered(&old, &new);
        let whole = symmetric().renumbered(&old, &new);
        for row in 0..N {
            let coords = |mut all: Vec<u32>, coords: &[u32]| {
                all.extend_from_slice(coords);
                all
            };
            let expected = crate::Rows::row(&whole, row).unwrap();
            let expected = pleach_runtime::Fiber::fold_runs(expected, Vec::new(), |all, run| coords(all, run.coords()));
            let mut runs = 0;
            let found = crate::Rows::row(&places, row).unwrap();
            let found = pleach_runtime::Fiber::fold_runs(found, Vec::new(), |all, run| {
                runs += 1;
                coords(all, run.coords())
            });
            assert!(found == expected && runs <= 1, "row {row}");
        }
    }

    #[test]
    #[should_panic(expected = "of one size")]
    fn both_matrices_are_square() {
        let (out, flat) = (Csr::<f64>::empty(2, 2).unwrap(), Csr::<f64>::empty(2, 5).unwrap());
        DynRows::symmetric(DynRows::direct(&out), DynRows::direct(&flat));
    }

    #[test]
    fn what_is_no_number_is_the_larger_weight() {
        let nan = f64::NAN;
        assert_eq!([smaller(&nan, &1.0), smaller(&1.0, &nan), smaller(&2.0, &1.0), smaller(&1.0, &2.0)], [&1.0; 4]);
    }
}
