//! Weakly connected components of a graph that grows.
//!
//! ```text
//!   c(v) = the smallest vertex that edges lead to from v          edges ∪ batch ⇒ some c(v) sink, none rises
//! ```
//!
//! The forest of [`cc`](crate::cc), in which a larger root hangs below a smaller one, is kept between batches: an edge of a batch hooks one root below another
//! one or finds both ends in one tree (Galler & Fischer, *An Improved Equivalence Algorithm*, CACM 1964; with concurrent hooks, Jayanti & Tarjan,
//! *Concurrent Disjoint Set Union*, 2021). A batch of `b` edges takes O(b log n) time, in practice O(b), whatever the size of the graph; telling all labels
//! takes O(n), of `4 n` bytes. An edge that is deleted may split a component, which a forest cannot tell: after deletions start anew from
//! [`components`](crate::cc::components).

use rayon::prelude::*;

use crate::cc::{Components, Forest};

/// Edges of a batch that one task hooks.
const GRAIN: usize = 1 << 11;

/// Components that are kept while edges are inserted.
#[derive(Default)]
pub struct GrowingComponents {
    forest: Forest,
}

impl GrowingComponents {
    /// No vertices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on from components that were computed.
    ///
    /// # Panics
    ///
    /// If a label is not the smallest vertex of its component, as those of [`components`](crate::cc::components) are.
    pub fn of(components: Components) -> Self {
        GrowingComponents { forest: Forest::of_labels(components.labels) }
    }

    /// Number of vertices.
    pub fn num_vertices(&self) -> usize {
        self.forest.len()
    }

    /// Makes it at least so many vertices; new ones are components of their own.
    pub fn grow(&mut self, vertices: usize) {
        self.forest.grow(vertices);
    }

    /// Inserts edges, in parallel if they are many; the direction of an arc does not matter, nor whether it is there. Vertices that are not there yet come
    /// into being.
    pub fn insert(&mut self, edges: &[(u32, u32)]) {
        let beyond = edges.iter().map(|&(u, v)| u.max(v) as usize + 1).max().unwrap_or(0);
        self.grow(beyond);
        if edges.len() <= GRAIN {
            edges.iter().for_each(|&(u, v)| self.forest.link(u, v));
        } else {
            edges.par_iter().with_min_len(GRAIN).for_each(|&(u, v)| self.forest.link(u, v));
        }
    }

    /// Whether a path leads from one vertex to another.
    ///
    /// # Panics
    ///
    /// If one of them is not there.
    pub fn connected(&self, u: u32, v: u32) -> bool {
        self.forest.root(u) == self.forest.root(v)
    }

    /// The components of now.
    pub fn components(&mut self) -> Components {
        self.forest.compress();
        Components::of_labels(self.forest.labels())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::components;
    use pleach::traverse::Adjacency;
    use pleach::{BuildOptions, Csr, EdgeList};

    #[test]
    fn equals_what_is_computed_anew() {
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as u32
        };
        for (vertices, batches, size) in [(3000, 12, 300), (40_000, 4, 8000)] {
            let mut edges = EdgeList::new(vertices, vertices);
            let mut growing = GrowingComponents::new();
            for batch in 0..batches {
                let new: Vec<(u32, u32)> = (0..size).map(|_| (draw(vertices as u64), draw(vertices as u64))).collect();
                new.iter().for_each(|&(u, v)| edges.push(u, v, ()));
                growing.insert(&new);
                growing.grow(vertices);
                let undirected = BuildOptions { undirected: true, ..BuildOptions::default() };
                let (csr, _) = Csr::from_edges(&edges, &undirected).unwrap();
                let view = csr.view();
                let expected = components(Adjacency::undirected(&view));
                assert_eq!(growing.components(), expected, "batch {batch}");
                assert!(new.iter().all(|&(u, v)| growing.connected(u, v)));
                let apart = (0..vertices as u32).find(|&v| expected.labels[v as usize] != expected.labels[0]);
                assert!(apart.is_none_or(|v| !growing.connected(0, v)));
                if batch == 1 {
                    growing = GrowingComponents::of(expected);
                }
            }
        }
    }

    #[test]
    fn nothing_and_loops() {
        let mut growing = GrowingComponents::new();
        assert_eq!(growing.components(), Components { labels: vec![], count: 0, largest: 0 });
        growing.insert(&[]);
        growing.insert(&[(2, 2)]);
        assert_eq!(growing.components(), Components { labels: vec![0, 1, 2], count: 3, largest: 1 });
        growing.insert(&[(4, 2), (2, 0)]);
        assert_eq!(growing.components(), Components { labels: vec![0, 1, 0, 3, 0], count: 3, largest: 3 });
    }

    #[test]
    #[should_panic(expected = "smallest vertex")]
    fn labels_that_are_none_are_refused() {
        GrowingComponents::of(Components { labels: vec![1, 1], count: 1, largest: 2 });
    }
}
