//! Edge lists: a line an arc, with the ids that the graph was read with.

use std::ops::Range;

use super::{Lines, push_number, push_weight};
use crate::input::Input;

pub(super) struct EdgeList<'a> {
    pub(super) input: &'a Input,
    pub(super) separator: u8,
    /// Whether the file begins with comments, in SNAP's words.
    pub(super) comments: bool,
}

impl Lines for EdgeList<'_> {
    fn head(&self) -> Vec<u8> {
        if !self.comments {
            return Vec::new();
        }
        let kind = if self.input.directed { "Directed" } else { "Undirected" };
        let (name, vertices, edges) = (&self.input.name, self.input.num_vertices(), self.input.edges.len());
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        format!("# {kind} graph: {name}\n# Nodes: {vertices} Edges: {edges}\n").into_bytes()
    }

    fn count(&self) -> usize {
        self.input.edges.len()
    }

    fn format(&self, arcs: Range<usize>, text: &mut Vec<u8>) {
        let edges = &self.input.edges;
        let (src, dst, weight) = (edges.src(), edges.dst(), edges.weight());
        for k in arcs {
            push_number(text, self.input.ids.external(src[k]));
            text.push(self.separator);
            push_number(text, self.input.ids.external(dst[k]));
            if let Some(weight) = weight {
                text.push(self.separator);
                push_weight(text, weight[k]);
            }
            text.push(b'\n');
        }
    }
}
