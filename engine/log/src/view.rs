//! A version that is only read.

use pleach_erased::{AnyGraph, AnySnapshot};

use crate::ids::VertexIds;
use crate::recover::{Recovered, Recovery};
use crate::value::Weights;

/// A version of a graph as its directory has it, to be read. Nothing in the directory changes.
pub struct View<V: Weights = ()> {
    graph: AnyGraph<V>,
    ids: VertexIds,
    recovery: Recovery,
}

impl<V: Weights> View<V> {
    pub(crate) fn new(recovered: Recovered<V>) -> Self {
        let Recovered { graph, ids, recovery, .. } = recovered;
        View { graph, ids, recovery }
    }

    /// The version.
    pub fn snapshot(&self) -> AnySnapshot<V> {
        self.graph.fresh()
    }

    /// What vertices are called.
    pub fn ids(&self) -> &VertexIds {
        &self.ids
    }

    /// What was done to read it. What it says was cut off was left out, and is still there.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }
}
