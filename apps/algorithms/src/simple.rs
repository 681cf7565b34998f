//! The simple undirected graph of any graph, in static rows, for algorithms that remove edges one by one.

use pleach::Rows;
use pleach::runtime::par_parts;
use pleach::traverse::Adjacency;

use crate::orient::neighbours;

/// Neighbours of each vertex, ascending, without loops, with the number of the edge to each.
pub(crate) struct Simple {
    offsets: Vec<usize>,
    near: Vec<u32>,
    edge: Vec<u32>,
    /// The ends of each edge, the smaller first.
    pub ends: Vec<(u32, u32)>,
}

/// Vertices that one task reads.
const VERTICES: usize = 1 << 8;

impl Simple {
    /// Copies a graph. Linear, but for a logarithm of the degree where both directions are merged. `None` if it has 2^32 edges or more.
    pub fn of<A: Rows>(graph: Adjacency<'_, A>) -> Option<Self> {
        let parts = par_parts(graph.bound(), VERTICES, |vertices| {
            graph.check_cancel();
            let (mut lengths, mut all, mut near) = (Vec::with_capacity(vertices.len()), Vec::new(), Vec::new());
            for vertex in vertices {
                neighbours(graph, vertex, &mut near);
                lengths.push(near.len());
                all.extend(near.iter().map(|&(to, _)| to));
            }
            (lengths, all)
        });
        Self::of_parts(graph.bound(), parts)
    }

    /// Puts together the number of neighbours and the neighbours of all vertices, some at a time, and numbers edges.
    fn of_parts(vertices: usize, parts: Vec<(Vec<usize>, Vec<u32>)>) -> Option<Self> {
        let mut simple = Simple { offsets: vec![0], near: Vec::new(), edge: Vec::new(), ends: Vec::new() };
        for (lengths, near) in parts {
            for length in lengths {
                simple.offsets.push(simple.offsets[simple.offsets.len() - 1] + length);
            }
            simple.near.extend(near);
        }
        if simple.near.len() / 2 > u32::MAX as usize {
            return None;
        }
        // An edge is numbered at its smaller end. The larger end's row lists its smaller neighbours in the order in which they get there.
        let mut next = simple.offsets.clone();
        simple.edge = vec![0; simple.near.len()];
        for u in 0..vertices {
            for k in simple.offsets[u]..simple.offsets[u + 1] {
                let v = simple.near[k] as usize;
                if v > u {
                    let number = simple.ends.len() as u32;
                    simple.ends.push((u as u32, v as u32));
                    simple.edge[k] = number;
                    simple.edge[next[v]] = number;
                    next[v] += 1;
                }
            }
        }
        Some(simple)
    }

    /// The neighbours of a vertex.
    pub fn near(&self, vertex: u32) -> &[u32] {
        &self.near[self.offsets[vertex as usize]..self.offsets[vertex as usize + 1]]
    }

    /// Calls `f` with the numbers of the two other edges of each triangle that edge `number` is in. O(d log D) for the degrees `d ≤ D` of its ends.
    pub fn each_triangle(&self, number: u32, mut f: impl FnMut(u32, u32)) {
        let (mut u, mut v) = self.ends[number as usize];
        if self.near(u).len() > self.near(v).len() {
            (u, v) = (v, u);
        }
        let mut rest = self.offsets[v as usize]..self.offsets[v as usize + 1];
        for k in self.offsets[u as usize]..self.offsets[u as usize + 1] {
            let w = self.near[k];
            rest.start += self.near[rest.clone()].partition_point(|&other| other < w);
            if rest.is_empty() {
                return;
            }
            if self.near[rest.start] == w {
                f(self.edge[k], self.edge[rest.start]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach::{BuildOptions, Csr, EdgeList};

    #[test]
    fn both_ends_know_an_edge_by_one_number() {
        let mut edges = EdgeList::new(50, 50);
        (0..300u32).for_each(|k| edges.push(k * k % 47, k * 13 % 50, ()));
        let options = BuildOptions::default().with_undirected(true);
        let (csr, _) = Csr::from_edges(&edges, &options).unwrap();
        let view = csr.view();
        let simple = Simple::of(Adjacency::undirected(&view).unwrap()).unwrap();
        let mut seen = 0;
        for u in 0..50u32 {
            let expected: Vec<u32> = csr.row(u as usize).coords.iter().copied().filter(|&v| v != u).collect();
            assert_eq!(simple.near(u), expected);
            for k in simple.offsets[u as usize]..simple.offsets[u as usize + 1] {
                let v = simple.near[k];
                assert_eq!(simple.ends[simple.edge[k] as usize], (u.min(v), u.max(v)));
                seen += 1;
            }
        }
        assert_eq!(seen, 2 * simple.ends.len());
        for (number, &(u, v)) in simple.ends.iter().enumerate() {
            let mut found = Vec::new();
            simple.each_triangle(number as u32, |a, b| found.push((a, b)));
            let common = simple.near(u).iter().filter(|w| simple.near(v).contains(w)).count();
            assert_eq!(found.len(), common);
        }
    }
}
