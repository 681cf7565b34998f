//! The graphs that suites measure on.

use pleach::runtime::{SplitMix64, Value};
use pleach::{BuildError, BuildOptions, Csr, EdgeList};
use pleach_datasets::Edges;

use crate::result::GraphFacts;

/// A graph in memory, as its edges were read or generated.
#[derive(Clone)]
pub struct Graph {
    /// As the user named it.
    pub name: String,
    /// The edges.
    pub edges: Edges,
    /// Whether they have a direction.
    pub directed: bool,
}

impl Graph {
    /// How rows are built of the edges: of duplicates, the last one counts.
    pub fn build<V>(&self) -> BuildOptions<V>
    where
        BuildOptions<V>: Default,
    {
        BuildOptions::default().with_undirected(!self.directed)
    }

    /// The edges without weights.
    pub fn pattern(&self) -> EdgeList {
        self.edges.clone().into_pattern()
    }

    /// Static rows without weights.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the edges cannot be sorted into rows.
    pub fn rows(&self) -> Result<Csr, BuildError> {
        Ok(Csr::from_edges(&self.pattern(), &self.build())?.0)
    }

    /// Describes it by its static rows.
    pub fn facts<V: Value + Copy + Default>(&self, rows: &Csr<V>) -> GraphFacts {
        let (vertices, arcs) = (rows.num_rows(), rows.nnz());
        let degrees = (0..vertices).map(|vertex| rows.degree(vertex));
        GraphFacts {
            name: self.name.clone(),
            directed: self.directed,
            vertices,
            arcs,
            mean_degree: arcs as f64 / vertices.max(1) as f64,
            max_degree: degrees.clone().max().unwrap_or(0),
            isolated: degrees.filter(|&degree| degree == 0).count(),
        }
    }
}

/// The same edges in a random order: some generators draw them vertex by vertex, and files may be sorted.
///
/// ```
/// # use pleach_measure::in_random_order;
/// let mut edges = pleach::EdgeList::new(9, 9);
/// (0..9).for_each(|vertex| edges.push(vertex, 8 - vertex, ()));
/// let mut drawn = in_random_order(edges);
/// assert!(drawn.src != [0, 1, 2, 3, 4, 5, 6, 7, 8] && drawn.src.iter().zip(&drawn.dst).all(|(from, to)| from + to == 8));
/// drawn.src.sort();
/// assert_eq!(drawn.src, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
/// ```
pub fn in_random_order(mut edges: EdgeList) -> EdgeList {
    let mut random = SplitMix64(1);
    for last in (1..edges.len()).rev() {
        let other = random.below(last as u64 + 1) as usize;
        edges.src.swap(last, other);
        edges.dst.swap(last, other);
    }
    edges
}
