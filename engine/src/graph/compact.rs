//! Graphs numbered anew, so that every number below the bound is a vertex.

use pleach_runtime::{Paged, Store};

use super::{DEFAULT_MAX_VERTICES, Graph, GraphOptions, Snapshot};
use crate::sort::Weight;
use crate::{BuildError, EdgeList, Rows};

/// Vertices numbered anew from 0 on, in the order of their old numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Numbering {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "ascending"))]
    old: Vec<u32>,
}

impl Numbering {
    /// Numbers ascending vertices.
    pub(super) fn of(old: Vec<u32>) -> Self {
        Numbering { old }
    }

    /// The old number of each vertex, ascending.
    pub fn old(&self) -> &[u32] {
        &self.old
    }

    /// The new number of a vertex, if it existed. Logarithmic in the number of vertices.
    pub fn new_of(&self, old: u32) -> Option<u32> {
        self.old.binary_search(&old).ok().map(|new| new as u32)
    }

    /// The old number of a vertex. Constant time.
    pub fn old_of(&self, new: u32) -> Option<u32> {
        self.old.get(new as usize).copied()
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }
}

/// Old numbers, which are looked up by bisection.
#[cfg(feature = "serde")]
fn ascending<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
    let old = <Vec<u32> as serde::Deserialize>::deserialize(from)?;
    match old.windows(2).find(|pair| pair[0] >= pair[1]) {
        None => Ok(old),
        Some(pair) => {
            let wrong = format_args!("vertex {} comes after {}, and old numbers ascend", pair[1], pair[0]);
            Err(serde::de::Error::custom(wrong))
        }
    }
}

/// A graph without gaps among its vertices, and their old numbers.
#[derive(Debug)]
pub struct Compact<R: Store<Coord = u32, Value: Weight>> {
    /// The graph.
    pub graph: Graph<R>,
    /// The old number of each of its vertices.
    pub numbering: Numbering,
}

impl<R: Store<Coord = u32, Value: Weight>> Snapshot<R> {
    /// The same graph with its vertices numbered from 0 on without gaps, in their order. Edges keep their weights, and in-arcs are kept if
    /// they are kept here; all other options are the defaults, with room for the vertices that are there.
    ///
    /// Takes O(n) time and shares the rows, in the outer level that they are in, if there are no gaps, as in a graph of which no vertex was
    /// removed; otherwise it builds the graph anew in parallel, with its rows in pages below a copy-on-write tree.
    ///
    /// ```
    /// use pleach::graph::{Graph, GraphOptions};
    ///
    /// let graph: Graph = Graph::new(GraphOptions::undirected());
    /// graph.insert([(0, 1), (1, 5), (5, 9)])?;
    /// graph.remove_vertex(0)?;
    /// let compact = graph.fresh().compact()?;
    /// assert_eq!(compact.numbering.old(), [1, 5, 9]);
    /// assert!(compact.graph.fresh().edges().map(|(from, to, _)| (from, to)).eq([(0, 1), (1, 2)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the memory for the new graph cannot be allocated.
    pub fn compact(&self) -> Result<Compact<R>, BuildError> {
        let numbering = Numbering::of(self.vertices().collect());
        let (directed, incoming) = (self.is_directed(), self.incoming().is_some());
        let max_vertices = DEFAULT_MAX_VERTICES.max(numbering.len());
        let options = GraphOptions { directed, incoming, max_vertices, ..GraphOptions::default() };
        if numbering.len() == self.num_rows() {
            return Ok(Compact { graph: Graph::of_snapshot(self, options), numbering });
        }
        let mut new = vec![u32::MAX; self.num_rows()];
        numbering.old.iter().zip(0..).for_each(|(&old, number)| new[old as usize] = number);
        let mut list = EdgeList::new(numbering.len(), numbering.len());
        for (from, to, &weight) in self.edges() {
            list.push(new[from as usize], new[to as usize], weight);
        }
        let (graph, _) = Graph::from_edges::<Paged<R>>(list, options)?;
        Ok(Compact { graph, numbering })
    }
}
