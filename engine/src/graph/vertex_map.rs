//! Payloads of vertices, shared between versions.
//!
//! ```text
//!   root ─▶ [64 children] ─▶ [64 children] ─▶ leaf: 64 places            as high as the largest vertex asks for
//! ```

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use super::counted::Counted;

/// Children of a node, and places of a leaf.
const FANOUT: usize = 64;

/// Bits of a vertex that a node resolves.
const BITS: u32 = FANOUT.trailing_zeros();

/// A map from vertices to payloads of any kind, to be kept beside a graph.
///
/// Cloning takes constant time and shares all memory, so that a clone may be kept beside each snapshot; the first change after it copies
/// one short path. Finding and changing a payload take O(log n) time with a base of 64.
///
/// ```
/// use pleach::graph::{Graph, GraphOptions, VertexMap};
///
/// let graph: Graph = Graph::new(GraphOptions::default());
/// graph.insert([(0, 1), (1, 2)])?;
/// let mut names: VertexMap<&str> = [(0, "Ada"), (1, "Bob"), (2, "Eve")].into_iter().collect();
///
/// let (snapshot, before) = (graph.fresh(), names.clone());
/// graph.remove_vertex(1)?;
/// names.remove(1);
/// assert!(snapshot.neighbors(0).map(|(to, ())| before[to]).eq(["Bob"]));
/// names.retain(|vertex, _| graph.fresh().has_vertex(vertex));
/// assert!(names.iter().map(|(_, &name)| name).eq(["Ada", "Eve"]));
/// # Ok::<(), pleach::graph::GraphError>(())
/// ```
#[derive(Clone)]
pub struct VertexMap<T> {
    root: Option<Arc<Node<T>>>,
    /// Levels of nodes above the leaves.
    height: u32,
    len: usize,
}

#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "nodes are held behind `Arc`s, and leaves are few beside their values")]
enum Node<T> {
    Leaf(Box<[Option<T>; FANOUT]>),
    Inner([Option<Arc<Node<T>>>; FANOUT]),
}

impl<T> Node<T> {
    fn empty(height: u32) -> Arc<Self> {
        Arc::new(if height == 0 {
            Node::Leaf(Box::new([const { None }; FANOUT]))
        } else {
            Node::Inner([const { None }; FANOUT])
        })
    }
}

impl<T> Default for VertexMap<T> {
    fn default() -> Self {
        VertexMap { root: None, height: 0, len: 0 }
    }
}

/// The place of a vertex in a node that many levels above the leaves.
fn place(vertex: u32, height: u32) -> usize {
    (vertex >> (BITS * height)) as usize % FANOUT
}

impl<T> VertexMap<T> {
    /// A map without payloads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of payloads.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no payloads.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a tree of this height has a place for a vertex.
    fn reaches(&self, vertex: u32) -> bool {
        u64::from(vertex) >> (BITS * (self.height + 1)) == 0
    }

    /// The payload of a vertex, if it has one.
    pub fn get(&self, vertex: u32) -> Option<&T> {
        let mut node = self.root.as_deref().filter(|_| self.reaches(vertex))?;
        let mut height = self.height;
        loop {
            match node {
                Node::Leaf(places) => return places[place(vertex, 0)].as_ref(),
                Node::Inner(children) => node = children[place(vertex, height)].as_deref()?,
            }
            height -= 1;
        }
    }

    /// Whether a vertex has a payload.
    pub fn contains(&self, vertex: u32) -> bool {
        self.get(vertex).is_some()
    }

    /// The vertices that have payloads, ascending, with these.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &T)> {
        let mut path: Vec<(&Node<T>, u64, u32, usize)> = Vec::new();
        path.extend(self.root.as_deref().map(|root| (root, 0, self.height, 0)));
        let payloads = std::iter::from_fn(move || {
            loop {
                let (node, base, height, next) = path.last_mut()?;
                let at = *next;
                if at == FANOUT {
                    path.pop();
                    continue;
                }
                *next += 1;
                let first = *base + ((at as u64) << (BITS * *height));
                match node {
                    Node::Leaf(places) => {
                        if let Some(payload) = &places[at] {
                            return Some((first as u32, payload));
                        }
                    }
                    Node::Inner(children) => {
                        let below = *height - 1;
                        if let Some(child) = children[at].as_deref() {
                            path.push((child, first, below, 0));
                        }
                    }
                }
            }
        });
        Counted::new(payloads, self.len)
    }
}

impl<T: Clone> VertexMap<T> {
    /// Makes the tree high enough for a vertex.
    fn rise_to(&mut self, vertex: u32) {
        while !self.reaches(vertex) {
            self.root = self.root.take().map(|below| {
                let mut children = [const { None }; FANOUT];
                children[0] = Some(below);
                Arc::new(Node::Inner(children))
            });
            self.height += 1;
        }
    }

    /// Mutable access to the place of a vertex. Shared nodes on the path to it are copied first.
    fn place_mut(&mut self, vertex: u32) -> &mut Option<T> {
        self.rise_to(vertex);
        let mut height = self.height;
        let mut node = self.root.get_or_insert_with(|| Node::empty(height));
        loop {
            match Arc::make_mut(node) {
                Node::Leaf(places) => return &mut places[place(vertex, 0)],
                Node::Inner(children) => {
                    node = children[place(vertex, height)].get_or_insert_with(|| Node::empty(height - 1));
                    height -= 1;
                }
            }
        }
    }

    /// Gives a vertex a payload. Returns the one that it had.
    pub fn insert(&mut self, vertex: u32, payload: T) -> Option<T> {
        let old = self.place_mut(vertex).replace(payload);
        self.len += usize::from(old.is_none());
        old
    }

    /// Mutable access to the payload of a vertex, which is copied first if a clone of the map shares it.
    pub fn get_mut(&mut self, vertex: u32) -> Option<&mut T> {
        if self.contains(vertex) { self.place_mut(vertex).as_mut() } else { None }
    }

    /// Removes and returns the payload of a vertex.
    pub fn remove(&mut self, vertex: u32) -> Option<T> {
        let old = if self.contains(vertex) { self.place_mut(vertex).take() } else { None };
        self.len -= usize::from(old.is_some());
        old
    }

    /// Removes all payloads except those for which `keep` holds. O(n) calls.
    pub fn retain(&mut self, mut keep: impl FnMut(u32, &T) -> bool) {
        let gone: Vec<u32> = self.iter().filter(|&(vertex, payload)| !keep(vertex, payload)).map(|(v, _)| v).collect();
        gone.into_iter().for_each(|vertex| drop(self.remove(vertex)));
    }
}

impl<T> Index<u32> for VertexMap<T> {
    type Output = T;

    /// # Panics
    ///
    /// If the vertex has no payload.
    fn index(&self, vertex: u32) -> &T {
        self.get(vertex).unwrap_or_else(|| panic!("vertex {vertex} has no payload"))
    }
}

impl<T: Clone> Extend<(u32, T)> for VertexMap<T> {
    fn extend<I: IntoIterator<Item = (u32, T)>>(&mut self, payloads: I) {
        payloads.into_iter().for_each(|(vertex, payload)| drop(self.insert(vertex, payload)));
    }
}

impl<T: Clone> FromIterator<(u32, T)> for VertexMap<T> {
    fn from_iter<I: IntoIterator<Item = (u32, T)>>(payloads: I) -> Self {
        let mut map = VertexMap::new();
        map.extend(payloads);
        map
    }
}

impl<T: fmt::Debug> fmt::Debug for VertexMap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pleach_runtime::SplitMix64;

    use super::*;

    #[test]
    fn random_changes_against_a_map_with_versions_held() {
        let mut random = SplitMix64(5);
        let (mut map, mut model, mut kept) = (VertexMap::new(), BTreeMap::new(), Vec::new());
        for round in 0..60 {
            let range = [64, 5_000, 1 << 20, 1 << 32][round % 4];
            for k in 0..100u32 {
                let vertex = random.below(range) as u32;
                if k % 3 == 0 {
                    assert_eq!(map.remove(vertex), model.remove(&vertex));
                } else {
                    assert_eq!(map.insert(vertex, k.to_string()), model.insert(vertex, k.to_string()));
                }
                assert_eq!(map.get(vertex), model.get(&vertex));
            }
            if let (Some(payload), Some(expected)) = (map.get_mut(9), model.get_mut(&9)) {
                payload.push('!');
                expected.push('!');
            }
            kept.push((map.clone(), model.clone()));
        }
        map.insert(u32::MAX, String::new());
        model.insert(u32::MAX, String::new());
        map.retain(|vertex, _| vertex % 2 == 1);
        model.retain(|vertex, _| vertex % 2 == 1);
        kept.push((map, model));
        for (map, model) in kept {
            assert_eq!(map.iter().len(), model.len());
            assert!(
                map.iter().eq(model.iter().map(|(&vertex, payload)| (vertex, payload))),
                "a version does not change"
            );
        }
    }
}
