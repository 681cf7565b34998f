//! What one would write without Pleach: rows of sorted vectors, of search trees, and graphs and matrices of other libraries, behind one trait.

use std::collections::BTreeMap;

use graph_builder::{CsrLayout, GraphBuilder, UndirectedCsrGraph, UndirectedNeighbors};
use petgraph::graphmap::UnGraphMap;
use pleach::{Csr, EdgeList};
use rayon::prelude::*;
use sprs::CsMatI;

/// An undirected graph in memory.
pub trait Plain: Send + Sync {
    /// The graph of symmetric static rows.
    fn of(rows: &Csr) -> Self
    where
        Self: Sized;

    /// What it is called.
    fn name(&self) -> &'static str;

    /// Arcs.
    fn num_arcs(&self) -> usize;

    /// `y(i) += A(i,j) * x(j) / d(j)`.
    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]);
}

/// A graph that takes batches of edges. There are no versions: a reader waits.
pub trait Changing: Plain {
    /// Inserts edges in both directions; those that are there stay.
    fn insert(&mut self, edges: &EdgeList);

    /// Deletes edges in both directions; those that are not there are passed over.
    fn delete(&mut self, edges: &EdgeList);
}

/// Makes a plain graph of symmetric static rows.
pub type Make<T> = fn(&Csr) -> Box<T>;

/// Makes each of the plain graphs.
pub const ALL: [Make<dyn Plain>; 5] = [
    |rows| Box::new(Sorted::of(rows)),
    |rows| Box::new(Trees::of(rows)),
    |rows| Box::new(Library::of(rows)),
    |rows| Box::new(Static::of(rows)),
    |rows| Box::new(Sparse::of(rows)),
];

/// Makes those that take batches.
pub const CHANGING: [Make<dyn Changing>; 3] =
    [|rows| Box::new(Sorted::of(rows)), |rows| Box::new(Trees::of(rows)), |rows| Box::new(Library::of(rows))];

/// The arcs of edges, in both directions, sorted, each once.
fn arcs(edges: &EdgeList) -> Vec<(u32, u32)> {
    let both = edges.src.iter().zip(&edges.dst).flat_map(|(&from, &to)| [(from, to), (to, from)]);
    let mut arcs: Vec<(u32, u32)> = both.collect();
    // Threads do not pay for a few.
    if arcs.len() < 1 << 13 {
        arcs.sort_unstable()
    } else {
        arcs.par_sort_unstable()
    }
    arcs.dedup();
    arcs
}

/// Hands each row its part of sorted arcs: one after the other where they are few, by all threads where they are many.
fn by_row<R: Send>(rows: &mut [R], arcs: &[(u32, u32)], change: impl Fn(&mut R, &[(u32, u32)]) + Sync) {
    if arcs.len() < rows.len() / 8 || arcs.len() < 1 << 13 {
        for part in arcs.chunk_by(|a, b| a.0 == b.0) {
            change(&mut rows[part[0].0 as usize], part);
        }
        return;
    }
    rows.par_chunks_mut(256).enumerate().for_each(|(chunk, rows)| {
        let first = (256 * chunk) as u32;
        let begin = arcs.partition_point(|arc| arc.0 < first);
        let end = begin + arcs[begin..].partition_point(|arc| arc.0 < first + 256);
        for part in arcs[begin..end].chunk_by(|a, b| a.0 == b.0) {
            change(&mut rows[(part[0].0 - first) as usize], part);
        }
    });
}

/// Adds a sum over each row.
fn sum(y: &mut [f64], row: impl Fn(usize) -> f64 + Sync) {
    y.par_iter_mut().with_min_len(64).enumerate().for_each(|(i, y)| *y += row(i));
}

/// `Vec<Vec<u32>>`, each row sorted.
pub struct Sorted(Vec<Vec<u32>>);

impl Plain for Sorted {
    fn of(rows: &Csr) -> Self {
        Sorted(rows.view().rows().map(|row| row.coords.to_vec()).collect())
    }

    fn name(&self) -> &'static str {
        "Vec<Vec>"
    }

    fn num_arcs(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) {
        sum(y, |i| self.0[i].iter().map(|&j| x[j as usize] / d[j as usize]).sum());
    }
}

impl Changing for Sorted {
    fn insert(&mut self, edges: &EdgeList) {
        by_row(&mut self.0, &arcs(edges), |row, new| {
            if new.len() < 8 {
                for &(_, to) in new {
                    if let Err(place) = row.binary_search(&to) {
                        row.insert(place, to);
                    }
                }
                return;
            }
            let old = std::mem::take(row);
            row.reserve(old.len() + new.len());
            let (mut old, mut new) = (old.into_iter().peekable(), new.iter().map(|arc| arc.1).peekable());
            while let Some(next) = old.peek().into_iter().chain(new.peek()).copied().min() {
                old.next_if_eq(&next);
                new.next_if_eq(&next);
                row.push(next);
            }
        });
    }

    fn delete(&mut self, edges: &EdgeList) {
        by_row(&mut self.0, &arcs(edges), |row, doomed| {
            if doomed.len() < 8 {
                for (_, to) in doomed {
                    if let Ok(place) = row.binary_search(to) {
                        row.remove(place);
                    }
                }
                return;
            }
            let mut doomed = doomed.iter().map(|arc| arc.1).peekable();
            row.retain(|to| {
                while doomed.next_if(|next| next < to).is_some() {}
                doomed.peek() != Some(to)
            });
        });
    }
}

/// `Vec<BTreeMap<u32, ()>>`.
pub struct Trees(Vec<BTreeMap<u32, ()>>);

impl Plain for Trees {
    fn of(rows: &Csr) -> Self {
        Trees(rows.view().rows().map(|row| row.coords.iter().map(|&to| (to, ())).collect()).collect())
    }

    fn name(&self) -> &'static str {
        "Vec<BTreeMap>"
    }

    fn num_arcs(&self) -> usize {
        self.0.iter().map(BTreeMap::len).sum()
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) {
        sum(y, |i| self.0[i].keys().map(|&j| x[j as usize] / d[j as usize]).sum());
    }
}

impl Changing for Trees {
    fn insert(&mut self, edges: &EdgeList) {
        by_row(&mut self.0, &arcs(edges), |row, new| row.extend(new.iter().map(|arc| (arc.1, ()))));
    }

    fn delete(&mut self, edges: &EdgeList) {
        by_row(&mut self.0, &arcs(edges), |row, doomed| {
            for (_, to) in doomed {
                row.remove(to);
            }
        });
    }
}

/// petgraph's `UnGraphMap<u32, ()>`, by one thread where it changes.
pub struct Library(UnGraphMap<u32, ()>);

impl Plain for Library {
    fn of(rows: &Csr) -> Self {
        let mut graph = UnGraphMap::with_capacity(rows.num_rows(), rows.nnz() / 2);
        for (from, row) in (0..).zip(rows.view().rows()) {
            graph.add_node(from);
            row.coords.iter().filter(|&&to| from <= to).for_each(|&to| _ = graph.add_edge(from, to, ()));
        }
        Library(graph)
    }

    fn name(&self) -> &'static str {
        "petgraph"
    }

    fn num_arcs(&self) -> usize {
        let loops = self.0.all_edges().filter(|(from, to, _)| from == to).count();
        2 * self.0.edge_count() - loops
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) {
        sum(y, |i| self.0.neighbors(i as u32).map(|j| x[j as usize] / d[j as usize]).sum());
    }
}

impl Changing for Library {
    fn insert(&mut self, edges: &EdgeList) {
        edges.src.iter().zip(&edges.dst).for_each(|(&from, &to)| _ = self.0.add_edge(from, to, ()));
    }

    fn delete(&mut self, edges: &EdgeList) {
        edges.src.iter().zip(&edges.dst).for_each(|(&from, &to)| _ = self.0.remove_edge(from, to));
    }
}

/// The static rows of the crate `graph_builder`.
pub struct Static {
    graph: UndirectedCsrGraph<u32>,
    /// Vertices with an edge to themselves: the graph would have two arcs of each.
    loops: Vec<u32>,
}

impl Plain for Static {
    fn of(rows: &Csr) -> Self {
        let arcs =
            || (0..).zip(rows.view().rows()).flat_map(|(from, row)| row.coords.iter().map(move |&to| (from, to)));
        let edges: Vec<(u32, u32)> = arcs().filter(|(from, to)| from < to).collect();
        let graph = GraphBuilder::new().csr_layout(CsrLayout::Sorted).edges(edges);
        let graph = graph.node_values(vec![(); rows.num_rows()]).build();
        Static { graph, loops: arcs().filter(|(from, to)| from == to).map(|(from, _)| from).collect() }
    }

    fn name(&self) -> &'static str {
        "graph_builder"
    }

    fn num_arcs(&self) -> usize {
        use graph_builder::Graph;
        2 * self.graph.edge_count() as usize + self.loops.len()
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) {
        sum(y, |i| self.graph.neighbors(i as u32).map(|&j| x[j as usize] / d[j as usize]).sum());
        for i in self.loops.iter().map(|&i| i as usize) {
            y[i] += x[i] / d[i];
        }
    }
}

/// Compressed rows of the crate `sprs`.
pub struct Sparse(CsMatI<(), u32, usize>);

impl Plain for Sparse {
    fn of(rows: &Csr) -> Self {
        let (offsets, coords) = (rows.offsets().to_vec(), rows.coords().to_vec());
        Sparse(CsMatI::new((rows.num_rows(), rows.num_cols()), offsets, coords, vec![(); rows.nnz()]))
    }

    fn name(&self) -> &'static str {
        "sprs"
    }

    fn num_arcs(&self) -> usize {
        self.0.nnz()
    }

    fn sum_quotients(&self, y: &mut [f64], x: &[f64], d: &[f64]) {
        sum(y, |i| {
            let row = self.0.outer_view(i);
            row.map_or(0.0, |row| row.indices().iter().map(|&j| x[j as usize] / d[j as usize]).sum())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach::BuildOptions;

    fn list(edges: impl IntoIterator<Item = (u32, u32)>) -> EdgeList {
        let mut list = EdgeList::new(400, 400);
        edges.into_iter().for_each(|(from, to)| list.push(from, to, ()));
        list
    }

    fn rows(edges: &EdgeList) -> Csr {
        Csr::from_edges(edges, &BuildOptions::default().with_undirected(true)).unwrap().0
    }

    /// Sums of halves of whole numbers, which are exact in any order.
    fn expected(rows: &Csr, x: &[f64]) -> Vec<f64> {
        rows.view().rows().map(|row| row.coords.iter().map(|&j| x[j as usize] / 2.0).sum()).collect()
    }

    fn sums<P: Plain + ?Sized>(plain: &P, x: &[f64], d: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        plain.sum_quotients(&mut y, x, d);
        y
    }

    #[test]
    fn plain_graphs_hold_what_static_rows_do() {
        let some = |seed: u32, count: u32| {
            list((0..count).map(move |k| ((k * 7 + seed) % 400, (k.wrapping_mul(k) / 3 + seed) % 400)))
        };
        let hub = list((0..300).map(|k| (5, k)));
        for (batch, name) in
            [(list([]), "empty"), (list([(3, 3)]), "loop"), (some(1, 9), "few"), (some(2, 9000), "many"), (hub, "hub")]
        {
            let first = some(0, 500);
            let both =
                list(first.src.iter().chain(&batch.src).copied().zip(first.dst.iter().chain(&batch.dst).copied()));
            let (start, with) = (rows(&first), rows(&both));
            let x: Vec<f64> = (0..400).map(f64::from).collect();
            let d = vec![2.0; 400];
            for make in ALL {
                let plain = make(&with);
                assert_eq!(plain.num_arcs(), with.nnz(), "{}, {name}", plain.name());
                assert_eq!(sums(&*plain, &x, &d), expected(&with, &x), "{}, {name}", plain.name());
            }
            for make in CHANGING {
                let mut plain = make(&start);
                plain.insert(&batch);
                assert_eq!(plain.num_arcs(), with.nnz(), "{}, {name}", plain.name());
                assert_eq!(sums(&*plain, &x, &d), expected(&with, &x), "{}, {name}", plain.name());
                plain.delete(&both);
                assert_eq!(plain.num_arcs(), 0, "{}, {name}", plain.name());
            }
        }
    }
}
