//! The way between the ids of a file and the coordinates of a graph.
//!
//! Files number vertices as they like: from 0, from 1, with gaps, with 64-bit keys. Inside, vertices are `0..n` in 32 bits. The
//! internal order is the order of the external ids, so that a graph reads the same whatever order its file lists edges in.

/// Maps dense internal coordinates `0..len` to the ids of the file they came from, and back.
///
/// Order is kept: `external` is strictly increasing. Ids without gaps take no memory; others take 8 bytes a vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdMap {
    repr: Repr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Repr {
    /// Ids `first..first + len`.
    Range { first: u64, len: usize },
    /// External ids, strictly increasing; the position is the internal one.
    Table(Vec<u64>),
}

impl IdMap {
    /// Ids that are coordinates already.
    pub fn identity(len: usize) -> IdMap {
        IdMap::offset(0, len)
    }

    /// The ids `first..first + len`.
    pub fn offset(first: u64, len: usize) -> IdMap {
        IdMap { repr: Repr::Range { first, len } }
    }

    /// Any ids, given in strictly increasing order.
    ///
    /// # Panics
    ///
    /// If the ids do not increase strictly.
    pub fn from_sorted(ids: Vec<u64>) -> IdMap {
        assert!(ids.is_sorted_by(|a, b| a < b), "ids must increase strictly");
        match (ids.first(), ids.last()) {
            (Some(&first), Some(&last)) if last - first == ids.len() as u64 - 1 => IdMap::offset(first, ids.len()),
            (None, _) => IdMap::identity(0),
            _ => IdMap { repr: Repr::Table(ids) },
        }
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        match &self.repr {
            Repr::Range { len, .. } => *len,
            Repr::Table(ids) => ids.len(),
        }
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether external ids and coordinates are the same.
    pub fn is_identity(&self) -> bool {
        matches!(self.repr, Repr::Range { first: 0, .. })
    }

    /// The first id and their number, if there are no gaps.
    pub fn range(&self) -> Option<(u64, usize)> {
        match self.repr {
            Repr::Range { first, len } => Some((first, len)),
            Repr::Table(_) => None,
        }
    }

    /// The id in the file of coordinate `internal`, in constant time.
    ///
    /// # Panics
    ///
    /// If `internal` is not below [`len`](Self::len).
    pub fn external(&self, internal: u32) -> u64 {
        match &self.repr {
            Repr::Range { first, len } => {
                assert!((internal as usize) < *len, "vertex {internal} of {len}");
                first + u64::from(internal)
            }
            Repr::Table(ids) => ids[internal as usize],
        }
    }

    /// The coordinate of the vertex with the id `external`, if there is one. At most logarithmic in the number of vertices.
    pub fn internal(&self, external: u64) -> Option<u32> {
        match &self.repr {
            Repr::Range { first, len } => {
                let at = external.checked_sub(*first)?;
                (at < *len as u64).then_some(at as u32)
            }
            Repr::Table(ids) => ids.binary_search(&external).ok().map(|at| at as u32),
        }
    }

    /// All external ids, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len()).map(|at| self.external(at as u32))
    }

    /// Bytes of memory beyond the value itself.
    pub fn heap_bytes(&self) -> usize {
        match &self.repr {
            Repr::Range { .. } => 0,
            Repr::Table(ids) => ids.capacity() * size_of::<u64>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_take_no_table() {
        let ids = IdMap::from_sorted(vec![1, 2, 3]);
        assert_eq!(ids, IdMap::offset(1, 3));
        assert_eq!(ids.heap_bytes(), 0);
        assert_eq!(ids.internal(0), None);
        assert_eq!(ids.internal(1), Some(0));
        assert_eq!(ids.internal(4), None);
        assert_eq!(ids.internal(u64::MAX), None);
        assert!(IdMap::from_sorted(vec![]).is_empty());
    }

    #[test]
    fn tables_go_both_ways() {
        let external = [3, 7, 1 << 40, u64::MAX];
        let ids = IdMap::from_sorted(external.to_vec());
        for (at, id) in external.into_iter().enumerate() {
            assert_eq!(ids.external(at as u32), id);
            assert_eq!(ids.internal(id), Some(at as u32));
        }
        assert_eq!(ids.internal(4), None);
        assert_eq!(ids.iter().collect::<Vec<_>>(), external);
    }

    #[test]
    fn the_largest_ids_are_a_range_too() {
        let ids = IdMap::from_sorted(vec![u64::MAX - 1, u64::MAX]);
        assert_eq!(ids.external(1), u64::MAX);
        assert_eq!(ids.internal(u64::MAX), Some(1));
    }
}
