//! The code of the default graph, compiled here.
//!
//! Where neither this crate nor a program that uses it is optimised, rustc takes the code of a generic function from the crate below if it
//! is there. So the programs of those who try something out, and their tests, do not compile the default graph once more each time. An
//! optimised program has its own copy in any case: rustc does not share those.

use pleach_runtime::Packed;

use super::{Graph, GraphError, GraphOptions, Snapshot, Update};
use crate::EdgeList;

/// Calls what most programs call, so that it is compiled.
///
/// # Errors
///
/// As [`Graph::insert`] and [`Graph::remove_vertex`].
pub fn default_graph(
    options: GraphOptions,
    edges: &EdgeList,
    updates: Vec<Update>,
) -> Result<Snapshot<Packed<u32, ()>>, GraphError> {
    let graph: Graph = Graph::new(options);
    graph.insert_list(edges)?;
    graph.insert([(0, 1)])?;
    graph.insert(vec![(0, 1)])?;
    graph.delete([(0, 1)])?;
    graph.delete_list(edges)?;
    graph.apply(updates)?;
    graph.add_vertex(0)?;
    graph.remove_vertex(0)?;
    graph.latest();
    let snapshot = graph.publish();
    snapshot.audit().expect("the store is as updates leave it");
    snapshot.footprint();
    assert_eq!(snapshot.edges().count() as u64, snapshot.num_edges());
    assert_eq!(snapshot.neighbors(0).len(), 0, "a removed vertex has no neighbours");
    Ok(graph.fresh())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_here_runs() {
        let snapshot = default_graph(GraphOptions::undirected(), &EdgeList::new(2, 2), vec![Update::insert((2, 3))]);
        assert_eq!(snapshot.unwrap().num_edges(), 1);
    }
}
