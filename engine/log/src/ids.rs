//! What vertices are called outside.

use std::collections::HashSet;
use std::hash::Hash;

use pleach::graph::{Ids, IdsError, IdsVersion, MAX_VERTICES};

use crate::bytes::{Malformed, Reader, Writer, count};
use crate::{IdKind, LogError};

/// The ids of the vertices of a graph that is kept, if they have any. A handle: clones are the same map.
///
/// Ids are added together with the first batch that names their vertices, by
/// [`Durable::submit_with_ids`](crate::Durable::submit_with_ids); or before that batch is prepared, by [`Ids::intern`], and then they stay
/// if the graph refuses the batch. They are removed by [`Durable::remove_ids`](crate::Durable::remove_ids) only, so that the directory knows of it.
#[derive(Clone, Debug)]
pub enum VertexIds {
    /// Vertices have no other name than their number.
    None,
    /// They are called by 64-bit numbers.
    Numbers(Ids<u64>),
    /// They are called by strings.
    Names(Ids<str>),
}

/// New ids, for vertices that a batch is the first to name: see [`Durable::submit_with_ids`](crate::Durable::submit_with_ids).
#[derive(Clone, Debug)]
pub enum NewIds<'a> {
    /// Numbers, for a graph whose vertices are called by 64-bit numbers.
    Numbers(Vec<u64>),
    /// Texts, for a graph whose vertices are called by strings.
    Names(Vec<&'a str>),
}

impl NewIds<'_> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            NewIds::Numbers(new) => new.len(),
            NewIds::Names(new) => new.len(),
        }
    }
}

/// Whether each of some ids is there once and is not known yet.
fn are_new<K: Hash + Eq>(ids: &[K], known: impl Fn(&K) -> bool) -> bool {
    let mut seen = HashSet::with_capacity(ids.len());
    ids.iter().all(|id| seen.insert(id) && !known(id))
}

/// The ids as they were once.
#[derive(Clone, Debug)]
pub(crate) enum IdsThen {
    None,
    Numbers(IdsVersion<u64>),
    Names(IdsVersion<str>),
}

impl VertexIds {
    pub(crate) fn new(kind: IdKind) -> Self {
        match kind {
            IdKind::None => VertexIds::None,
            IdKind::Numbers => VertexIds::Numbers(Ids::new()),
            IdKind::Names => VertexIds::Names(Ids::new()),
        }
    }

    /// What vertices are called.
    pub fn kind(&self) -> IdKind {
        match self {
            VertexIds::None => IdKind::None,
            VertexIds::Numbers(_) => IdKind::Numbers,
            VertexIds::Names(_) => IdKind::Names,
        }
    }

    /// The map of 64-bit numbers, if vertices are called so.
    pub fn numbers(&self) -> Option<&Ids<u64>> {
        if let VertexIds::Numbers(ids) = self { Some(ids) } else { None }
    }

    /// The map of strings, if vertices are called so.
    pub fn names(&self) -> Option<&Ids<str>> {
        if let VertexIds::Names(ids) = self { Some(ids) } else { None }
    }

    /// One more than the largest vertex that has or had an id.
    pub fn bound(&self) -> usize {
        match self {
            VertexIds::None => 0,
            VertexIds::Numbers(ids) => ids.bound(),
            VertexIds::Names(ids) => ids.bound(),
        }
    }

    pub(crate) fn version(&self) -> IdsThen {
        match self {
            VertexIds::None => IdsThen::None,
            VertexIds::Numbers(ids) => IdsThen::Numbers(ids.version()),
            VertexIds::Names(ids) => IdsThen::Names(ids.version()),
        }
    }

    /// Adds ids of consecutive vertices from `first` on, which are the next ones to get an id.
    pub(crate) fn add(&self, first: u32, new: &NewIds<'_>) -> Result<(), LogError> {
        let unlike = || LogError::OtherIds { first, bound: self.bound() };
        let is_new = match (self, new) {
            (VertexIds::Numbers(ids), NewIds::Numbers(new)) => are_new(new, |key| ids.get(key).is_some()),
            (VertexIds::Names(ids), NewIds::Names(new)) => are_new(new, |key| ids.get(key).is_some()),
            _ => false,
        };
        // All of them or none: what is refused half-way would keep its numbers.
        if self.bound() != first as usize || !is_new {
            return Err(unlike());
        }
        if new.len() > MAX_VERTICES - self.bound() {
            return Err(IdsError::Full.into());
        }
        let mut next = first;
        let mut check = |added: Result<u32, IdsError>| {
            if added? != next {
                return Err(unlike());
            }
            next += 1;
            Ok(())
        };
        match (self, new) {
            (VertexIds::Numbers(ids), NewIds::Numbers(new)) => new.iter().try_for_each(|key| check(ids.intern(key))),
            (VertexIds::Names(ids), NewIds::Names(new)) => new.iter().try_for_each(|key| check(ids.intern(key))),
            _ => Err(unlike()),
        }
    }

    /// Takes the ids of vertices away. They are removed in the order of their vertices, so that a replay does the same.
    pub(crate) fn remove(&self, vertices: &[u32]) {
        for &vertex in vertices {
            match self {
                VertexIds::None => {}
                VertexIds::Numbers(ids) => {
                    ids.key(vertex).map(|key| ids.remove(&key));
                }
                VertexIds::Names(ids) => {
                    ids.key(vertex).map(|key| ids.remove(key));
                }
            }
        }
    }

    /// Whether a vertex has an id.
    pub(crate) fn has(&self, vertex: u32) -> bool {
        match self {
            VertexIds::None => false,
            VertexIds::Numbers(ids) => ids.key(vertex).is_some(),
            VertexIds::Names(ids) => ids.key(vertex).is_some(),
        }
    }

    /// Writes the ids of consecutive vertices, which have one each or lost it just now.
    pub(crate) fn write(&self, vertices: std::ops::Range<u32>, to: &mut Writer) {
        self.version().write(vertices, to);
    }

    /// Reads ids that were written, and adds them as those of the vertices from `first` on.
    pub(crate) fn read(&self, first: u32, n: usize, from: &mut Reader<'_>) -> Result<(), Malformed> {
        const ORDER: Malformed = "its ids are those of other vertices";
        if n > 0 && self.bound() != first as usize {
            return Err(ORDER);
        }
        match self {
            VertexIds::None if n > 0 => Err("it has ids, and the graph has none"),
            VertexIds::None => Ok(()),
            VertexIds::Numbers(ids) => {
                let gone = gaps(first, n, from)?;
                let keys: Vec<u64> = from.array(n)?;
                for (vertex, key) in (first..).zip(&keys) {
                    let added = if gone.binary_search(&vertex).is_ok() { ids.add_removed() } else { ids.intern(key) };
                    if added != Ok(vertex) {
                        return Err(ORDER);
                    }
                }
                Ok(())
            }
            VertexIds::Names(ids) => {
                let gone = gaps(first, n, from)?;
                let lens: Vec<u32> = from.array(n)?;
                for (vertex, &len) in (first..).zip(&lens) {
                    let key = std::str::from_utf8(from.bytes(len as usize)?).map_err(|_| "an id of it is no text")?;
                    let added = if gone.binary_search(&vertex).is_ok() { ids.add_removed() } else { ids.intern(key) };
                    if added != Ok(vertex) {
                        return Err(ORDER);
                    }
                }
                from.align()
            }
        }
    }
}

/// The vertices that had lost their id when the others were written, ascending.
fn gaps(first: u32, n: usize, from: &mut Reader<'_>) -> Result<Vec<u32>, Malformed> {
    let gone = count(from.number()?)?;
    let gone: Vec<u32> = from.array(gone)?;
    from.align()?;
    let inside = |&vertex: &u32| vertex >= first && ((vertex - first) as usize) < n;
    if !gone.is_sorted_by(|a, b| a < b) || !gone.iter().all(inside) {
        return Err("its ids are those of other vertices");
    }
    Ok(gone)
}

impl IdsThen {
    /// Writes the ids that consecutive vertices had: those that had none by then, and a key for each.
    pub fn write(&self, vertices: std::ops::Range<u32>, to: &mut Writer) {
        let mut write_gone = |gone: Vec<u32>| {
            to.number(gone.len() as u64);
            to.array(&gone);
            to.align();
        };
        match self {
            IdsThen::None => {}
            IdsThen::Numbers(ids) => {
                write_gone(vertices.clone().filter(|&vertex| ids.key(vertex).is_none()).collect());
                vertices.clone().for_each(|vertex| to.number(ids.key(vertex).unwrap_or_default()));
            }
            IdsThen::Names(ids) => {
                write_gone(vertices.clone().filter(|&vertex| ids.key(vertex).is_none()).collect());
                let key = |vertex| ids.key(vertex).unwrap_or_default();
                vertices.clone().for_each(|vertex| to.number(key(vertex).len() as u32));
                vertices.clone().for_each(|vertex| to.bytes.extend_from_slice(key(vertex).as_bytes()));
                to.align();
            }
        }
    }
}
