//! PageRank of a graph that changes.
//!
//! With damping `c`, one unit of teleport a vertex and `P(i,j) = A(i,j) / d(j)`, let `y` be the solution of
//!
//! ```text
//!   y = (1 - c) 1 + c P y          then the ranks are r = y / Σ y
//! ```
//!
//! because spreading what dangling vertices hold as the teleport is only scales the solution (Del Corso, Gullí & Romani, *Fast PageRank Computation via a Sparse
//! Linear System*, Internet Math. 2005). What is kept between batches is an approximation `y` and its residual `e = (1 - c) 1 + c P y - y`. A batch that changes
//! the arcs out of `u` changes one column of `P`, and so `e` at the old and the new successors of `u` by `c y(u) / d(u)` each; then
//!
//! ```text
//!   push(v):   y(v) += e(v)      e(w) += c e(v) / d(v) for v → w      e(v) = 0
//! ```
//!
//! as long as there is a residual above the tolerance for one vertex (Zhang, Lofgren & Goel, *Approximate Personalized PageRank on Dynamic
//! Graphs*, KDD 2016; Ohsaka, Maehara & Kawarabayashi, *Efficient PageRank Tracking in Evolving Networks*, KDD 2015). On graphs of small
//! diameter a push soon reaches all vertices. So once pushing has read a certain share of all arcs, or has left residuals that add up to
//! more than the tolerance, the residual is computed again by one product, and reduced for all vertices at once by PageRank's kernel:
//! `y += e`, `e = c P e`. That is a power iteration that starts from the old ranks, once `y` is scaled before each step so that the residual sums
//! to zero: scaled by `s` its residual is `s e + (1 - s)(1 - c) 1`, and what a residual has in common with the ranks themselves would go
//! down by no more than `c` a step.
//!
//! A batch takes time in what it touches, or as many power iterations as it takes from its residual down to the tolerance; `16 n` bytes are kept.

use std::collections::VecDeque;
use std::ops::Range;

use pleach::Rows;
use pleach::kernels::pagerank::sum_shares;
use pleach::runtime::{Fiber, par_items, par_map, par_parts};
use pleach::traverse::{Adjacency, Bits};

use crate::error::in_arcs;
use crate::incremental::{FollowError, check_versions};
use crate::pagerank::PageRankError;

/// Ranks that follow a graph.
pub struct MovingRanks {
    damping: f64,
    tolerance: f64,
    /// Iterations over all arcs for each version at most.
    most: usize,
    potential: Vec<f64>,
    residual: Vec<f64>,
    last: Moved,
}

/// The work that a batch took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Moved {
    /// Number of pushes; a vertex that was pushed twice counts twice.
    pub pushes: usize,
    /// Iterations over all arcs.
    pub iterations: usize,
}

/// Pushing, by one thread, reads at most one in this many of all arcs. Beyond that, iterations over all arcs by all threads are faster.
const PUSHED_SHARE: usize = 8;

/// Iterations for each version at most, unless another number is given.
const MOST: usize = 1000;

/// Vertices whose partial sums are added up in order.
const CHUNK: usize = 4096;

impl MovingRanks {
    /// The ranks of a graph, which must keep its in-arcs. `tolerance` bounds the sum of the residuals of all vertices; ranks sum to one. For each
    /// version there are at most 1000 iterations over all arcs.
    ///
    /// # Errors
    ///
    /// [`PageRankError`] if the damping or the tolerance is no such thing, or a directed graph keeps no in-arcs.
    pub fn new<'a, A: Rows + 'a>(
        graph: impl Into<Adjacency<'a, A>>,
        damping: f64,
        tolerance: f64,
    ) -> Result<Self, PageRankError> {
        Self::within(graph, damping, tolerance, MOST)
    }

    /// As [`new`](Self::new), with at most `most` iterations over all arcs for each version. [`converged`](Self::converged) says whether they were
    /// enough.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn within<'a, A: Rows + 'a>(
        graph: impl Into<Adjacency<'a, A>>,
        damping: f64,
        tolerance: f64,
        most: usize,
    ) -> Result<Self, PageRankError> {
        let graph = graph.into();
        if !(0.0..1.0).contains(&damping) {
            return Err(PageRankError::Damping(damping));
        }
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(PageRankError::Tolerance(tolerance));
        }
        let incoming = in_arcs(graph, "MovingRanks::new")?;
        let last = Moved::default();
        let mut ranks = MovingRanks { damping, tolerance, most, potential: Vec::new(), residual: Vec::new(), last };
        ranks.grow(graph);
        ranks.last.iterations = ranks.iterate(graph, incoming);
        Ok(ranks)
    }

    /// Follows a batch that turned `before` into `after`; `changed` are the vertices whose out-arcs may differ, both ends of an edge in an undirected graph, and
    /// those that it removes or adds: [`changed_sources`](super::changed_sources) finds them. `after` must keep its in-arcs.
    ///
    /// # Errors
    ///
    /// [`FollowError`] if a directed graph keeps no in-arcs, `before` is not as large as the graph that was followed so far, or `after` is
    /// smaller.
    pub fn follow<'a, 'b, A: Rows + 'a, B: Rows + 'b>(
        &mut self,
        before: impl Into<Adjacency<'a, A>>,
        after: impl Into<Adjacency<'b, B>>,
        changed: &[u32],
    ) -> Result<Moved, FollowError> {
        let (before, after) = (before.into(), after.into());
        let incoming = in_arcs(after, "MovingRanks::follow")?;
        check_versions(self.potential.len(), before.bound(), after.bound())?;
        let old = self.potential.len();
        self.grow(after);
        let mut changed = changed.to_vec();
        changed.sort_unstable();
        changed.dedup();
        // Numbers that are a vertex in neither version have no arcs.
        changed.retain(|&vertex| (vertex as usize) < after.bound());
        let mut touched: Vec<u32> = (old as u32..after.bound() as u32).collect();
        for &from in &changed {
            let had_arcs = (from as usize) < old && before.out().row(from as usize).is_some_and(|row| !row.is_empty());
            if (from as usize) < old && !before.has_vertex(from) && after.has_vertex(from) {
                self.residual[from as usize] += 1.0 - self.damping;
            }
            if had_arcs {
                let flow = self.damping * self.potential[from as usize];
                spread(before.out(), from, -flow, &mut self.residual, |to| touched.push(to));
            } else if after.has_vertex(from) {
                // A vertex that joins a graph is likelier to end near the mean rank than near that of a single vertex.
                let more = 1.0 - std::mem::replace(&mut self.potential[from as usize], 1.0);
                self.residual[from as usize] -= more;
                touched.push(from);
            }
            let flow = self.damping * self.potential[from as usize];
            spread(after.out(), from, flow, &mut self.residual, |to| touched.push(to));
        }
        // The shares along all arcs to and from removed vertices have been taken back.
        for &gone in changed.iter().filter(|&&vertex| !after.has_vertex(vertex)) {
            (self.potential[gone as usize], self.residual[gone as usize]) = (0.0, 0.0);
        }
        self.last = self.push(after, incoming, touched);
        Ok(self.last)
    }

    /// The work of the last batch, or of the first computation.
    pub fn last(&self) -> Moved {
        self.last
    }

    /// The sum of the residuals of all vertices; ranks sum to one.
    pub fn residual(&self) -> f64 {
        sum_of(&self.residual, f64::abs) / self.sum().max(f64::MIN_POSITIVE)
    }

    /// Whether the sum of the residuals is within the tolerance.
    pub fn converged(&self) -> bool {
        sum_of(&self.residual, f64::abs) <= self.tolerance * self.sum()
    }

    /// Rank of each vertex; they sum to one. That of a number that is not a vertex is 0.
    pub fn ranks(&self) -> Vec<f64> {
        let sum = self.sum().max(f64::MIN_POSITIVE);
        par_map(self.potential.len(), CHUNK, |vertex| self.potential[vertex] / sum)
    }

    fn sum(&self) -> f64 {
        sum_of(&self.potential, |potential| potential)
    }

    fn grow<A: Rows>(&mut self, graph: Adjacency<'_, A>) {
        let old = self.residual.len();
        self.potential.resize(graph.bound(), 0.0);
        self.residual.resize(graph.bound(), 1.0 - self.damping);
        graph.absent().skip_while(|&gap| (gap as usize) < old).for_each(|gap| self.residual[gap as usize] = 0.0);
    }

    /// Numbers that are not vertices have no residual.
    fn skip_absent<A: Rows>(&mut self, graph: Adjacency<'_, A>) {
        graph.absent().for_each(|gap| self.residual[gap as usize] = 0.0);
    }

    /// Pushes vertices from a queue, and turns to iterations where that takes too long.
    fn push<A: Rows>(&mut self, graph: Adjacency<'_, A>, incoming: &A, touched: Vec<u32>) -> Moved {
        let vertices = graph.num_vertices();
        let least = self.tolerance * self.sum().max(vertices as f64 * (1.0 - self.damping)) / vertices.max(1) as f64;
        let queued = Bits::new(graph.bound());
        let mut queue: VecDeque<u32> = VecDeque::new();
        let exceeds = |residual: &[f64], vertex: u32| residual[vertex as usize].abs() > least;
        queue.extend(touched.into_iter().filter(|&to| exceeds(&self.residual, to) && queued.set(to as usize)));
        let most = graph.num_arcs() / PUSHED_SHARE;
        let (mut moved, mut arcs) = (Moved::default(), 0);
        graph.announce("pushes", None);
        while let Some(vertex) = queue.pop_front() {
            graph.advance(1);
            queued.clear_one(vertex as usize);
            let taken = std::mem::take(&mut self.residual[vertex as usize]);
            self.potential[vertex as usize] += taken;
            moved.pushes += 1;
            let mut reached = Vec::new();
            spread(graph.out(), vertex, self.damping * taken, &mut self.residual, |to| reached.push(to));
            arcs += reached.len();
            queue.extend(reached.into_iter().filter(|&to| exceeds(&self.residual, to) && queued.set(to as usize)));
            if arcs > most && !queue.is_empty() {
                break;
            }
        }
        // Residuals that no batch has touched, and those that are too small to push, may add up to more than the tolerance.
        if !queue.is_empty() || !self.converged() {
            self.renew(graph, incoming);
            moved.iterations = 1 + self.iterate(graph, incoming);
        }
        moved
    }

    /// Computes the residual from its definition, which also takes out of it what rounding has left there.
    fn renew<A: Rows>(&mut self, graph: Adjacency<'_, A>, incoming: &A) {
        let shares = self.restart(&self.weights(graph));
        self.skip_absent(graph);
        flow(incoming, &shares, &mut self.residual);
    }

    /// Takes the residual of all vertices at once, until the sum is within the tolerance; how often.
    fn iterate<A: Rows>(&mut self, graph: Adjacency<'_, A>, incoming: &A) -> usize {
        let weights = self.weights(graph);
        // Kept from step to step: fresh memory would take as long as the product.
        let (mut shares, mut iterations) = (vec![0.0; weights.len()], 0);
        self.center(graph);
        graph.announce("iterations", None);
        while iterations < self.most && !self.converged() {
            graph.advance(1);
            self.take_residual(&mut shares, &weights);
            flow(incoming, &shares, &mut self.residual);
            self.center(graph);
            iterations += 1;
        }
        iterations
    }

    /// Scales the approximation so that its residual sums to zero.
    fn center<A: Rows>(&mut self, graph: Adjacency<'_, A>) {
        let teleport = 1.0 - self.damping;
        let whole = teleport * graph.num_vertices() as f64;
        // Zero as long as the approximation is zero, and positive afterwards.
        let reached = whole - sum_of(&self.residual, |residual| residual);
        if reached <= whole * f64::EPSILON {
            return;
        }
        let scale = whole / reached;
        // This is rounding only, and would be added again in each iteration.
        if (1.0 - scale).abs() <= 4.0 * f64::EPSILON {
            return;
        }
        self.scale(scale, teleport);
        self.skip_absent(graph);
    }

    /// The share of a vertex's value that each of its successors gets.
    fn weights<A: Rows>(&self, graph: Adjacency<'_, A>) -> Vec<f64> {
        self.weights_of(&graph.out().row_degrees())
    }

    fn weights_of(&self, degrees: &[u32]) -> Vec<f64> {
        let weight = |degree: u32| if degree == 0 { 0.0 } else { self.damping / f64::from(degree) };
        par_map(degrees.len(), CHUNK, |vertex| weight(degrees[vertex]))
    }
}

// What does not depend on the store of the graph is compiled once for all of them.
impl MovingRanks {
    /// Sets the residual to what it is without any flow; what each successor of a vertex gets of the approximation.
    fn restart(&mut self, weights: &[f64]) -> Vec<f64> {
        let residual = 1.0 - self.damping;
        self.residual = par_map(self.potential.len(), CHUNK, |vertex| residual - self.potential[vertex]);
        par_map(self.potential.len(), CHUNK, |vertex| self.potential[vertex] * weights[vertex])
    }

    /// Adds the residual of each vertex to its approximation, and gives to each of its successors a share of it.
    fn take_residual(&mut self, shares: &mut [f64], weights: &[f64]) {
        let potential = self.potential.chunks_mut(CHUNK).zip(self.residual.chunks_mut(CHUNK));
        let chunks = shares.chunks_mut(CHUNK).zip(weights.chunks(CHUNK)).zip(potential);
        par_items(chunks.collect(), |((shares, weights), (potential, residual))| {
            for (((share, weight), potential), residual) in shares.iter_mut().zip(weights).zip(potential).zip(residual)
            {
                *share = *residual * weight;
                *potential += std::mem::take(residual);
            }
        });
    }

    fn scale(&mut self, scale: f64, teleport: f64) {
        let chunks = self.residual.chunks_mut(CHUNK).zip(self.potential.chunks_mut(CHUNK));
        par_items(chunks.collect(), |(residual, potential)| {
            for (residual, potential) in residual.iter_mut().zip(potential) {
                *potential *= scale;
                *residual = scale * *residual + (1.0 - scale) * teleport;
            }
        });
    }
}

/// Adds to `y` what the vertices get of the shares that each has for any of its successors.
fn flow<A: Rows>(incoming: &A, shares: &[f64], y: &mut [f64]) {
    sum_shares(y, incoming, shares).expect("the arrays were made to fit");
}

/// Adds to the residual of each successor of a vertex its share of a flow.
fn spread<A: Rows>(rows: &A, from: u32, flow: f64, residual: &mut [f64], mut reached: impl FnMut(u32)) {
    let Some(row) = rows.row(from as usize) else { return };
    let share = flow / row.len().max(1) as f64;
    row.fold_runs((), |(), run| {
        for &to in run.coords() {
            residual[to as usize] += share;
            reached(to);
        }
    });
}

/// A sum in an order that depends on the length only.
fn sum_of(x: &[f64], f: impl Fn(f64) -> f64 + Sync) -> f64 {
    let partial = |range: Range<usize>| x[range].iter().map(|&x| f(x)).sum::<f64>();
    par_parts(x.len(), CHUNK, partial).into_iter().sum()
}
