//! What `--verify` costs, said beforehand, and that it is still at work.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pleach::Rows;
use pleach::runtime::{Fiber, Value, par_items, par_parts};
use pleach::traverse::{Adjacency, DynRows};

use super::super::output::{detail, note, shows_progress};

/// What the cost of a verifier depends on. What takes a pass over the arcs is computed only where it is asked for.
pub struct Size<'a, V: Value> {
    /// Number of vertices.
    pub vertices: f64,
    /// Number of arcs.
    pub arcs: f64,
    graph: Adjacency<'a, DynRows<'a, V>>,
}

/// Vertices that one task counts.
const VERTICES: usize = 1 << 12;

/// Searches from which the number of arcs that a vertex reaches is estimated.
const SEARCHES: usize = 16;

impl<'a, V: Value> Size<'a, V> {
    /// The size of a graph.
    pub fn of(graph: Adjacency<'a, DynRows<'a, V>>) -> Self {
        Size { vertices: graph.num_vertices() as f64, arcs: graph.num_arcs() as f64, graph }
    }

    /// A pass over the graph.
    pub fn pass(&self) -> f64 {
        self.vertices + self.arcs
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

    /// The vertices and arcs that a search against the direction of arcs meets, on average over the vertices: estimated from a few.
    pub fn reached(&self) -> f64 {
        let Some(reversed) = self.graph.reversed().or((!self.graph.is_directed()).then_some(self.graph)) else {
            return self.pass();
        };
        let vertices: Vec<u32> = self.graph.vertices().collect();
        let step = vertices.len().div_ceil(SEARCHES).max(1);
        let from: Vec<u32> = vertices.into_iter().skip(step / 2).step_by(step).collect();
        let count = from.len().max(1) as f64;
        par_items(from, |vertex| met(reversed, vertex)).into_iter().sum::<f64>() / count
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

/// The vertices and arcs that a search from a vertex meets.
fn met<V: Value>(graph: Adjacency<'_, DynRows<'_, V>>, from: u32) -> f64 {
    let mut seen = vec![false; graph.bound()];
    seen[from as usize] = true;
    let (mut waiting, mut met) = (vec![from], 0.0);
    while let Some(vertex) = waiting.pop() {
        met += 1.0;
        let Some(row) = graph.out().row(vertex as usize) else { continue };
        row.fold_runs((), |(), run| {
            met += run.coords().len() as f64;
            waiting.extend(run.coords().iter().filter(|&&to| !std::mem::replace(&mut seen[to as usize], true)));
        });
    }
    met
}

/// Steps from which on their number is said without `--verbose`: about the tenth of a second.
const MANY: f64 = 1e7;

/// Says how many steps checking a result takes. On a terminal, a line shows that the check is running, until the returned bar is cleared.
pub fn begin(app: &str, steps: f64) -> ProgressBar {
    let text = format!("checking the result of {app}: about {} steps", short(steps));
    if steps >= MANY {
        note(&text)
    } else {
        detail(&text)
    }
    if !shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} checking, {elapsed} so far").expect("a valid template");
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
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
