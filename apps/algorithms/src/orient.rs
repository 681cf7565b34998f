//! Graphs with every edge oriented one way, so that each triangle is found once.
//!
//! ```text
//!   a b c d …      vertices in their order, or numbered anew by ascending degree
//!   └─┴─┘ └─►      each edge, whatever its directions, once: from its smaller end to its larger one
//! ```
//!
//! By degree no row is longer than `√(2m)`, and the triangles of a graph are the pairs of arcs `a → b`, `a → c` for which there is `b → c`: there
//! are O(m √m) such pairs, however many arcs a hub has (Latapy, *Main-memory triangle computations for very large
//! (sparse (power-law)) graphs*, TCS 2008).

use pleach::runtime::{Fiber, par_concat, par_parts, par_sort};
use pleach::traverse::Adjacency;
use pleach::{Csr, Rows};

/// The simple undirected graph below another one, oriented.
pub(crate) struct Oriented {
    /// Number of arcs, one or two, between the ends of each edge; vertices are numbered anew.
    pub edges: Csr<u8>,
    /// The old number of each vertex.
    pub old: Vec<u32>,
    /// Number of neighbours of each vertex by its old number, itself not counted.
    pub degrees: Vec<u32>,
}

/// The order of vertices by which edges are oriented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// By number: rows may be as long as hubs have arcs.
    Number,
    /// By degree, and by number where degrees are equal.
    Degree,
}

/// Vertices that one task reads.
const VERTICES: usize = 1 << 10;

fn sort_by_degree(vertices: &mut [u32], degrees: &[u32]) {
    let key = |&vertex: &u32| u64::from(degrees[vertex as usize]) << 32 | u64::from(vertex);
    let mut keys: Vec<u64> = vertices.iter().map(key).collect();
    par_sort(&mut keys);
    vertices.iter_mut().zip(keys).for_each(|(vertex, key)| *vertex = key as u32);
}

impl Oriented {
    /// Orients a graph. Self loops are left out. O(n log n + m log d) for degrees `d`.
    pub fn of<A: Rows>(graph: Adjacency<'_, A>, order: Order) -> Self {
        let vertices = graph.bound();
        let degrees: Vec<u32> = par_concat(vertices, VERTICES / 16, |some| {
            graph.check_cancel();
            let mut near = Vec::new();
            let degree = |vertex| {
                neighbours(graph, vertex, &mut near);
                near.len() as u32
            };
            some.map(degree).collect()
        });
        let mut old: Vec<u32> = (0..vertices as u32).collect();
        if order == Order::Degree {
            sort_by_degree(&mut old, &degrees);
        }
        let mut new = vec![0; vertices];
        old.iter().enumerate().for_each(|(rank, &vertex)| new[vertex as usize] = rank as u32);
        let parts = par_parts(vertices, VERTICES, |ranks| {
            graph.check_cancel();
            let (mut lengths, mut edges, mut near) = (Vec::with_capacity(ranks.len()), Vec::new(), Vec::new());
            for rank in ranks {
                let begin = edges.len();
                neighbours(graph, old[rank] as usize, &mut near);
                let larger = near.iter().map(|&(to, arcs)| (new[to as usize], arcs));
                edges.extend(larger.filter(|&(to, _)| to as usize > rank));
                edges[begin..].sort_unstable();
                lengths.push(edges.len() - begin);
            }
            (lengths, edges)
        });
        Oriented { edges: joined(vertices, parts), old, degrees }
    }
}

/// The lengths of some rows, and their arcs one after the other.
type Part = (Vec<usize>, Vec<(u32, u8)>);

/// Puts rows together from the lengths and the arcs of all rows, some at a time.
fn joined(vertices: usize, parts: Vec<Part>) -> Csr<u8> {
    let mut offsets = Vec::with_capacity(vertices + 1);
    offsets.push(0);
    let total = parts.iter().map(|part| part.1.len()).sum();
    let (mut coords, mut values) = (Vec::with_capacity(total), Vec::with_capacity(total));
    for (lengths, edges) in parts {
        for length in lengths {
            offsets.push(offsets[offsets.len() - 1] + length);
        }
        coords.extend(edges.iter().map(|edge| edge.0));
        values.extend(edges.iter().map(|edge| edge.1));
    }
    Csr::from_parts(vertices, offsets, coords, values).expect("rows are sorted")
}

/// The vertices next to one, itself not among them, ascending, with the number of arcs in between: one in an undirected graph, one or two in a
/// directed one.
pub(crate) fn neighbours<A: Rows>(graph: Adjacency<'_, A>, vertex: usize, near: &mut Vec<(u32, u8)>) {
    near.clear();
    let incoming = if graph.is_directed() { graph.incoming().and_then(|rows| rows.row(vertex)) } else { None };
    for row in [graph.out().row(vertex), incoming].into_iter().flatten() {
        row.fold_runs((), |(), run| {
            near.extend(run.coords().iter().filter(|&&to| to as usize != vertex).map(|&to| (to, 1)));
        });
    }
    if graph.is_directed() || !<A::Fiber<'_> as Fiber<'_>>::ORDERED {
        near.sort_unstable();
        near.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            earlier.1 += u8::from(same);
            same
        });
    }
}
