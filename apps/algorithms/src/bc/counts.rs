//! One search: numbers of paths level by level away from its source, and dependences level by level back.
//!
//! ```text
//!   levels        s ──► v v ──► v v v v v v ──► v v v ──► v
//!   paths           sum     add             sum       sum       add: along the out-arcs of a level that is far smaller than the next one
//!   dependences         ◄── sum         ◄── sum   ◄── sum       sum: over the rows of the vertices that get the sums
//! ```

use std::ops::Range;

use pleach::Rows;
use pleach::runtime::{Fiber, SharedOutput, first_coords, par_parts, par_ranges, prefetch_at};
use pleach::traverse::{Adjacency, Bits};

use super::paths::{Bounds, Paths};

/// Vertices of a level whose rows one thread sums alone.
const SUMMED_ALONE: usize = 256;

/// Vertices of a level whose values one thread replaces alone.
const REPLACED_ALONE: usize = 1 << 12;

/// Coordinates of a row whose numbers are prefetched.
const SOON: usize = 8;

/// The state of each vertex in one search.
pub(super) struct Counts<P: Paths> {
    /// Paths from the source.
    paths: Vec<P::Cell>,
    /// The vector that rows are summed over, zero but for one level.
    masked: Vec<P::Cell>,
    dependence: Vec<f64>,
    /// The vertices of the level to which numbers are being added. Otherwise it is empty.
    members: Bits,
}

impl<P: Paths> Counts<P> {
    /// Of no vertices.
    pub(super) fn none() -> Self {
        Counts { paths: Vec::new(), masked: Vec::new(), dependence: Vec::new(), members: Bits::new(0) }
    }

    /// Adds the dependences on each vertex of the paths through `levels` to its score. Returns whether the paths could be counted.
    pub(super) fn add<A: Rows>(
        &mut self,
        graph: Adjacency<'_, A>,
        incoming: &A,
        levels: &[Vec<u32>],
        scores: &mut [f64],
    ) -> bool {
        let vertices = graph.bound();
        if self.dependence.len() != vertices {
            self.paths.resize_with(vertices, P::Cell::default);
            self.masked.resize_with(vertices, P::Cell::default);
            self.dependence.resize(vertices, 0.0);
            self.members = Bits::new(vertices);
        }
        let Some(raises) = self.count(graph, incoming, levels) else { return false };
        self.depend(graph, levels, &raises, scores);
        true
    }

    /// Counts the paths to each vertex of each level. Where numbers become too large, those of a level and of all behind it are lowered by one factor, a power
    /// of two, so that no digit is lost. Returns for each level the factor that raises its numbers to the sums that they were; `None` if the numbers of one
    /// level are too far apart.
    fn count<A: Rows>(&mut self, graph: Adjacency<'_, A>, incoming: &A, levels: &[Vec<u32>]) -> Option<Vec<f64>> {
        let Counts { paths, masked, members, .. } = self;
        let (paths, masked) = (&paths[..], &masked[..]);
        let number = |vertex: usize| P::load(&paths[vertex]);
        P::ONE.store(&paths[levels[0][0] as usize]);
        replace(masked, &[], &levels[0], number);
        let (mut raises, mut is_lowered) = (vec![1.0], false);
        for pair in levels.windows(2) {
            graph.check_cancel();
            let (from, to) = (&pair[0], &pair[1]);
            let may_add = !is_lowered && add_is_cheaper(graph.out(), from, to);
            if !(may_add && add::<_, P>(graph.out(), from, to, members, paths)) {
                sums(incoming, to, masked, |vertex, sum: P| sum.store(&paths[vertex]));
            }
            let bounds = replace(masked, from, to, number);
            let Some(factor) = bounds.lowering() else {
                replace(masked, to, &[], number);
                return None;
            };
            if factor != 1.0 {
                is_lowered = true;
                over(to, REPLACED_ALONE, |to| {
                    to.iter().for_each(|&vertex| number(vertex as usize).by(factor).store(&paths[vertex as usize]));
                });
                replace(masked, to, to, number);
            }
            raises.push(1.0 / factor);
        }
        replace(masked, &levels[levels.len() - 1], &[], number);
        Some(raises)
    }

    /// Adds the dependence on each vertex to its score, from the deepest level back. The dependences of the deepest level are zero; those of each other
    /// level are sums over the next deeper one. The source gets none.
    fn depend<A: Rows>(&mut self, graph: Adjacency<'_, A>, levels: &[Vec<u32>], raises: &[f64], scores: &mut [f64]) {
        let Counts { paths, masked, dependence, .. } = self;
        let (paths, masked) = (&paths[..], &masked[..]);
        let number = |vertex: usize| P::load(&paths[vertex]);
        let last = levels.len() - 1;
        replace(masked, &[], &levels[last], |vertex| number(vertex).by(raises[last]).divide(1.0));
        for depth in (1..last).rev() {
            graph.check_cancel();
            let level = &levels[depth];
            let (scores, dependences) = (SharedOutput::new(scores), SharedOutput::new(dependence));
            sums(graph.out(), level, masked, |vertex, sum: P| {
                let dependence = number(vertex).times(sum);
                dependences.set(vertex, dependence);
                scores.set(vertex, scores.get(vertex) + dependence);
            });
            replace(masked, &levels[depth + 1], level, |vertex| {
                number(vertex).by(raises[depth]).divide(1.0 + dependences.get(vertex))
            });
        }
        replace(masked, &levels[last.min(1)], &[], number);
    }
}

/// Calls `some` with the vertices of a level: with all of them if there are at most `alone`, otherwise with parts of them in parallel.
fn over(level: &[u32], alone: usize, some: impl Fn(&[u32]) + Sync) {
    if level.len() <= alone {
        some(level);
    } else {
        par_ranges(level.len(), alone / 4, &|range: Range<usize>| some(&level[range]));
    }
}

/// Calls `each` with each vertex of a level and the sum of `x` over its row, in order.
fn sums<A: Rows, P: Paths>(rows: &A, level: &[u32], x: &[P::Cell], each: impl Fn(usize, P) + Sync) {
    let soon = |_, row: A::Fiber<'_>| first_coords(row, SOON, |other| prefetch_at(x, other as usize));
    over(level, SUMMED_ALONE, |level| {
        rows.each_ahead(level, soon, |vertex, row| {
            let sum = row.map_or(P::NONE, |row| {
                row.fold_runs(P::NONE, |sum, run| {
                    run.coords().iter().fold(sum, |sum, &other| sum.plus(P::load(&x[other as usize])))
                })
            });
            each(vertex as usize, sum);
        });
    });
}

/// Whether one thread adds along the out-arcs of a level in less time than it takes to sum over the rows of the next level.
fn add_is_cheaper<A: Rows>(rows: &A, from: &[u32], to: &[u32]) -> bool {
    let mean = rows.nnz() / rows.num_rows().max(1);
    let degree = |&vertex: &u32| rows.row(vertex as usize).map_or(0, Fiber::len);
    from.len() < to.len() / SMALLER && from.iter().map(degree).sum::<usize>() < to.len() * mean / FEWER
}

/// Only a level of fewer vertices than this part of the next one's may be added along its out-arcs.
const SMALLER: usize = 8;

/// Adding is cheaper if the level has fewer arcs than this part of the next one's, which are estimated by the mean degree.
const FEWER: usize = 4;

/// Adds the numbers of a level along its out-arcs to those of the next one. `members` is empty before and after: meanwhile it holds the next level.
/// One thread adds in the order of the level, which a search leaves to chance. Returns whether the numbers are so small that the order does not matter.
fn add<A: Rows, P: Paths>(rows: &A, from: &[u32], to: &[u32], members: &Bits, paths: &[P::Cell]) -> bool {
    members.set_all(to);
    to.iter().for_each(|&vertex| P::NONE.store(&paths[vertex as usize]));
    let soon = |_, row: A::Fiber<'_>| first_coords(row, SOON, |other| prefetch_at(paths, other as usize));
    rows.each_ahead(from, soon, |vertex, row| {
        let own = P::load(&paths[vertex as usize]);
        let Some(row) = row else { return };
        row.fold_runs((), |(), run| {
            for &other in run.coords().iter().filter(|&&other| members.get(other as usize)) {
                let cell = &paths[other as usize];
                P::load(cell).plus(own).store(cell);
            }
        });
    });
    // To clear all bits would take time for every vertex of the graph, at each level.
    members.clear_all(to);
    bounds(to, |vertex| P::load(&paths[vertex])).are_exact()
}

/// The least and the largest of the numbers of a level, as [`Paths::magnitude`] gives them.
fn bounds<P: Paths>(level: &[u32], number: impl Fn(usize) -> P + Sync) -> Bounds {
    let of = |level: &[u32]| {
        level.iter().fold(Bounds::NONE, |bounds, &vertex| bounds.and(Bounds::of(number(vertex as usize).magnitude())))
    };
    par_parts(level.len(), REPLACED_ALONE, |range| of(&level[range])).into_iter().fold(Bounds::NONE, Bounds::and)
}

/// Sets the numbers of one level to zero, and then those of another to `number` of each vertex. Returns the bounds of the latter.
fn replace<P: Paths>(numbers: &[P::Cell], old: &[u32], new: &[u32], number: impl Fn(usize) -> P + Sync) -> Bounds {
    over(old, REPLACED_ALONE, |old| old.iter().for_each(|&vertex| P::NONE.store(&numbers[vertex as usize])));
    bounds(new, |vertex| {
        let number = number(vertex);
        number.store(&numbers[vertex]);
        number
    })
}

#[cfg(test)]
mod tests {
    use pleach::{BuildOptions, Csr, EdgeList};

    use super::*;

    /// Two vertices lead from the source to 400, which have further arcs among each other.
    #[test]
    fn paths_are_added_along_arcs_where_a_level_is_small() {
        let mut edges = EdgeList::new(403, 403);
        [1, 2].into_iter().for_each(|middle| edges.push(0, middle, ()));
        for leaf in 3..403u32 {
            (1..=2).for_each(|middle| edges.push(middle, leaf, ()));
            (1..=8).for_each(|step| edges.push(leaf, 3 + (leaf - 3 + step) % 400, ()));
        }
        let csr = Csr::from_edges(&edges, &BuildOptions::default().with_undirected(true)).expect("in range").0;
        let (view, levels) = (csr.view(), [vec![0], vec![2, 1], (3..403).collect()]);
        assert!(add_is_cheaper(&view, &levels[1], &levels[2]) && !add_is_cheaper(&view, &levels[2], &levels[1]));
        let graph = Adjacency::undirected(&view).expect("symmetric");
        let (mut counts, mut scores) = (Counts::<f64>::none(), vec![0.0; 403]);
        // What the first search has counted does not show in the second.
        for searches in [1.0, 2.0] {
            assert!(counts.add(graph, &view, &levels, &mut scores));
            assert!((3..403).all(|leaf| f64::load(&counts.paths[leaf]) == 2.0));
            assert_eq!(&scores[..4], &[0.0, 200.0 * searches, 200.0 * searches, 0.0]);
            assert!(counts.masked.iter().all(|cell| f64::load(cell) == 0.0));
        }
    }

    /// Numbers beyond those that floats hold exactly: the order of their sum would matter.
    #[test]
    fn numbers_that_are_rounded_are_not_added_along_arcs() {
        let mut edges = EdgeList::new(4, 4);
        (0..3).for_each(|from| edges.push(from, 3, ()));
        let csr = Csr::from_edges(&edges, &BuildOptions::default()).expect("in range").0;
        let members = Bits::new(4);
        for (number, is_exact) in [(1e15, true), (2f64.powi(53), false), (1e16, false)] {
            let paths: Vec<_> = [number, 1.0, 1.0, 7.0].into_iter().map(|_| Default::default()).collect();
            [number, 1.0, 1.0, 7.0].iter().zip(&paths).for_each(|(number, cell)| number.store(cell));
            assert_eq!(add::<_, f64>(&csr, &[0, 1, 2], &[3], &members, &paths), is_exact, "{number}");
            assert!(!is_exact || f64::load(&paths[3]) == number + 2.0);
            assert_eq!(members.count(), 0);
        }
    }
}
