//! What vertices are called: the ids or names of a graph that changes.

use pleach::graph::Ids;
use pleach_datasets::{Edges, Format, IdMap, Input, Label};
use pleach_erased::AnySnapshot;
use pleach_log::VertexIds;

use crate::Failure;
use crate::kept::Carried;

/// The ids or names of a graph that was read, each of them a vertex in this order.
pub fn of_input(known: &IdMap) -> Result<VertexIds, Failure> {
    if known.has_names() {
        let ids = Ids::<str>::new();
        known.labels().try_for_each(|label| ids.intern(&label.to_string()).map(drop)).map_err(Failure::input)?;
        return Ok(VertexIds::Names(ids));
    }
    let ids = Ids::new();
    known.iter().try_for_each(|id| ids.intern(&id).map(drop)).map_err(Failure::input)?;
    Ok(VertexIds::Numbers(ids))
}

/// What a vertex is called; its number, if vertices have no ids. `None` of a vertex that has no id.
pub fn label(ids: &VertexIds, vertex: u32) -> Option<Label<'_>> {
    match ids {
        VertexIds::None => Some(Label::Id(vertex.into())),
        VertexIds::Numbers(ids) => ids.key(vertex).map(Label::Id),
        VertexIds::Names(ids) => ids.key(vertex).map(Label::Name),
    }
}

/// The vertex that is called so.
pub fn find(ids: &VertexIds, label: &str) -> Option<u32> {
    match ids {
        VertexIds::None => label.parse().ok(),
        VertexIds::Numbers(ids) => ids.get(&label.parse().ok()?),
        VertexIds::Names(ids) => ids.get(label),
    }
}

/// Vertices by what they are called, ascending.
pub fn ascending<'a>(ids: &'a VertexIds, vertices: impl Iterator<Item = u32>) -> Vec<(Label<'a>, u32)> {
    let mut all: Vec<(Label<'_>, u32)> =
        vertices.map(|vertex| (label(ids, vertex).unwrap_or(Label::Id(vertex.into())), vertex)).collect();
    all.sort_unstable();
    all
}

/// A version of a graph as one that was read from a file: its vertices by ascending ids, and the edges between them.
pub fn as_input<V: Carried>(snapshot: &AnySnapshot<V>, ids: &VertexIds, name: &str, directed: bool) -> Input {
    let order = ascending(ids, snapshot.vertices());
    let mut place = vec![0u32; snapshot.num_rows()];
    order.iter().zip(0..).for_each(|(&(_, vertex), position)| place[vertex as usize] = position);
    let mut list = pleach::EdgeList::new(order.len(), order.len());
    let mut self_loops = 0;
    snapshot.for_each_edge(|from, to, weight| {
        self_loops += u64::from(from == to);
        list.push(place[from as usize], place[to as usize], weight);
    });
    let edges: Edges = V::edges(list);
    let number = |label: &Label<'_>| if let Label::Id(id) = label { *id } else { 0 };
    let text = |label: &Label<'_>| if let Label::Name(name) = label { (*name).to_owned() } else { String::new() };
    let ids = match ids {
        VertexIds::Names(_) => {
            let names: Vec<String> = order.iter().map(|(label, _)| text(label)).collect();
            IdMap::from_sorted_names(names.iter().map(String::as_str))
        }
        _ => IdMap::from_sorted(order.iter().map(|(label, _)| number(label)).collect()),
    };
    Input {
        name: name.to_owned(),
        format: Format::EdgeList,
        edges,
        ids,
        directed,
        declared: None,
        mirrored: !directed,
        self_loops,
        attributes: Default::default(),
        notes: Vec::new(),
    }
}
