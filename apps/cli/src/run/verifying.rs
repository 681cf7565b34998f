//! What `--verify` costs, said beforehand, and that it is still at work.

use std::time::Instant;

use pleach::Rows;
use pleach::runtime::{Fiber, Value, par_items, par_parts};
use pleach::traverse::{Adjacency, DynRows};

use super::super::output::{detail, note};
use super::super::{Failure, progress};
use super::common::{Algorithm, Vertices};

/// What the cost of a verifier depends on. What takes a pass over the arcs is computed only where it is asked for.
///
/// A step is what looking at one arc or one vertex of a row takes. What takes longer counts as several steps.
#[derive(Clone, Copy)]
pub struct Size<'a, V: Value> {
    /// Number of vertices.
    pub vertices: f64,
    /// Number of arcs.
    pub arcs: f64,
    graph: Adjacency<'a, DynRows<'a, V>>,
}

/// Vertices that one task counts.
const VERTICES: usize = 1 << 12;

/// What the list of a vertex's neighbours takes beside its arcs, in steps.
const LIST: f64 = 8.0;

/// Steps for each level of a heap or of a search tree, and for each of the rounds in which numbers are sorted.
const LEVEL: f64 = 1.0;

/// What counting a number in a hash table takes, in steps.
pub const HASHED: f64 = 8.0;

/// What one entry of `count` in a heap, in a tree, or in a list that is sorted takes, in steps.
pub fn of_sorted(count: f64) -> f64 {
    LEVEL * (count + 2.0).log2()
}

/// Searches from which the number of arcs that a vertex reaches is estimated.
const SEARCHES: usize = 16;

impl<'a, V: Value> Size<'a, V> {
    /// The size of a graph.
    pub fn of(graph: Adjacency<'a, DynRows<'a, V>>) -> Self {
        Size { vertices: graph.num_vertices() as f64, arcs: graph.num_arcs() as f64, graph }
    }

    /// The same of the graph with its arcs turned around; of one that has no in-arcs, the same.
    pub fn reversed(&self) -> Self {
        Size { graph: self.graph.reversed().unwrap_or(self.graph), ..*self }
    }

    /// A pass over the graph.
    pub fn pass(&self) -> f64 {
        self.vertices + self.arcs
    }

    /// Number of arcs of a vertex.
    pub fn len(&self, vertex: u32) -> f64 {
        self.graph.out().row(vertex as usize).map_or(0, |row| row.len()) as f64
    }

    /// How often all arcs have an end that looks at the other: those of directed graphs from both.
    pub fn ends(&self) -> f64 {
        if self.graph.is_directed() { 2.0 * self.arcs } else { self.arcs }
    }

    /// Lists of neighbours, one for each vertex: an allocation takes as long as [`LIST`] arcs.
    pub fn lists(&self) -> f64 {
        LIST * self.vertices + self.arcs
    }

    /// The vertices for which `keep` holds, and their arcs.
    pub fn among(&self, keep: impl Fn(u32) -> bool) -> f64 {
        self.graph.vertices().filter(|&vertex| keep(vertex)).map(|vertex| 1.0 + self.len(vertex)).sum()
    }

    /// The vertices and arcs that searches from these vertices meet, in all: estimated from a few of them.
    pub fn met_from(&self, sources: &[u32]) -> f64 {
        let from: Vec<u32> = sources.iter().copied().step_by(sources.len().div_ceil(SEARCHES).max(1)).collect();
        let count = from.len().max(1) as f64;
        let (vertices, arcs) = all_met(self.graph, from);
        (vertices + arcs) / count * sources.len() as f64
    }

    /// Σ over each arc of the arcs of its target, as many as there are paths of two arcs.
    pub fn wedges(&self) -> f64 {
        let lens = self.lens();
        self.sum(|_, near| near.iter().map(|&other| f64::from(lens[other as usize])).sum())
    }

    /// Σ over each arc of the arcs of that end which has fewer: what lists the triangles of each edge.
    pub fn lesser(&self) -> f64 {
        let lens = self.lens();
        self.sum(|vertex, near| near.iter().map(|&other| f64::from(lens[vertex].min(lens[other as usize]))).sum())
    }

    /// The same with each edge once, led to its end of more arcs, and those alone counted that lead on.
    pub fn turned(&self) -> f64 {
        let lens = self.lens();
        self.sum(|vertex, near| {
            let leads = |&&other: &&u32| (lens[vertex], vertex) < (lens[other as usize], other as usize);
            let onwards = near.iter().filter(leads).count();
            onwards as f64 * (near.len() - onwards) as f64
        })
    }

    /// The vertices and the arcs that a search against the direction of arcs meets, on average over the vertices: estimated from a few.
    pub fn reached(&self) -> (f64, f64) {
        let Some(reversed) = self.graph.reversed().or((!self.graph.is_directed()).then_some(self.graph)) else {
            return (self.vertices, self.arcs);
        };
        let vertices: Vec<u32> = self.graph.vertices().collect();
        let step = vertices.len().div_ceil(SEARCHES).max(1);
        let from: Vec<u32> = vertices.into_iter().skip(step / 2).step_by(step).collect();
        let count = from.len().max(1) as f64;
        let (vertices, arcs) = all_met(reversed, from);
        (vertices / count, arcs / count)
    }

    /// The number of arcs of each vertex.
    fn lens(&self) -> Vec<u32> {
        let len = |vertex| self.graph.out().row(vertex).map_or(0, |row| row.len() as u32);
        par_parts(self.graph.bound(), VERTICES, |vertices| vertices.map(len).collect::<Vec<_>>()).concat()
    }

    /// Adds up `steps(vertex, targets)` over the vertices.
    fn sum(&self, steps: impl Fn(usize, &[u32]) -> f64 + Sync) -> f64 {
        let sums = par_parts(self.graph.bound(), VERTICES, |vertices| {
            let (mut near, mut sum) = (Vec::new(), 0.0);
            for vertex in vertices {
                near.clear();
                if let Some(row) = self.graph.out().row(vertex) {
                    row.fold_runs((), |(), run| near.extend_from_slice(run.coords()));
                }
                sum += steps(vertex, &near);
            }
            sum
        });
        sums.into_iter().sum()
    }
}

/// The vertices and the arcs that searches from these vertices meet, in all.
fn all_met<V: Value>(graph: Adjacency<'_, DynRows<'_, V>>, from: Vec<u32>) -> (f64, f64) {
    let all = par_items(from, |vertex| met(graph, vertex));
    all.into_iter().fold((0.0, 0.0), |sum, met| (sum.0 + met.0, sum.1 + met.1))
}

/// The vertices and the arcs that a search from a vertex meets.
fn met<V: Value>(graph: Adjacency<'_, DynRows<'_, V>>, from: u32) -> (f64, f64) {
    let mut seen = vec![false; graph.bound()];
    seen[from as usize] = true;
    let (mut waiting, mut met) = (vec![from], (0.0, 0.0));
    while let Some(vertex) = waiting.pop() {
        met.0 += 1.0;
        let Some(row) = graph.out().row(vertex as usize) else { continue };
        row.fold_runs((), |(), run| {
            met.1 += run.coords().len() as f64;
            waiting.extend(run.coords().iter().filter(|&&to| !std::mem::replace(&mut seen[to as usize], true)));
        });
    }
    met
}

/// Checks a result by the second method of its algorithm, once it was said what that costs.
pub fn check<T: Algorithm>(
    algorithm: &T,
    graph: Adjacency<'_, DynRows<'_, T::Value>>,
    vertices: &Vertices<'_>,
    found: &T::Found,
) -> Result<(), Failure> {
    let steps = algorithm.steps_to_verify(&Size::of(graph), vertices, found);
    watched(T::NAME, steps, &|| algorithm.verify(graph, vertices, found))
}

/// Runs a check that takes about so many steps, which are said beforehand; the error says what is wrong.
pub fn watched(app: &str, steps: f64, check: &dyn Fn() -> Result<(), String>) -> Result<(), Failure> {
    note(format_args!("checking the result of {app}: about {} steps", short(steps)));
    let (bar, started) = (progress::clock("checking"), Instant::now());
    let checked = check();
    bar.finish_and_clear();
    detail(format_args!("checked in {:.3} s", started.elapsed().as_secs_f64()));
    checked.map_err(|wrong| Failure::input(format!("the result is wrong: {wrong}")))
}

/// A number of two digits and a word.
fn short(number: f64) -> String {
    let units = [(1e18, "quintillion"), (1e15, "quadrillion"), (1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
    match units.into_iter().find(|unit| number >= unit.0) {
        Some((unit, word)) => {
            let digits = number / unit;
            if digits < 10.0 { format!("{digits:.1} {word}") } else { format!("{digits:.0} {word}") }
        }
        None => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let expected = [
            (0.0, "0"),
            (999_999.0, "999999"),
            (1.26e6, "1.3 million"),
            (34e9, "34 billion"),
            (5e21, "5000 quintillion"),
        ];
        for (number, text) in expected {
            assert_eq!(short(number), text);
        }
    }
}
