//! Maps the ids of a file to the coordinates of a graph and back.
//!
//! Files number vertices in many ways: from 0, from 1, with gaps, with 64-bit keys. Inside, vertices are `0..n` in 32 bits. The
//! internal order is the order of the external ids, so that a graph reads the same whatever order its file lists edges in.
//!
//! A file may also call its vertices by names. They are numbered in the order of their names, and [`Label`] is what a reader is shown.

use std::fmt;
use std::ops::Range;

/// Maps dense internal coordinates `0..len` to the ids of the file they came from, and back.
///
/// Order is kept: `external` is strictly increasing. Ids without gaps take no memory; others take 4 bytes a vertex, 8 if one does not fit
/// 32 bits, and names 8 bytes and their text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdMap {
    repr: Repr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Repr {
    /// Ids `first..first + len`.
    Range { first: u64, len: usize },
    /// External ids of 32 bits, strictly increasing; the position is the internal one.
    Narrow(Vec<u32>),
    /// The same, of which the last one does not fit 32 bits.
    Wide(Vec<u64>),
    /// Names in strictly increasing order, one behind the other, and where each ends; the position is the internal id.
    Names { text: String, ends: Vec<usize> },
}

/// What the vertices of a graph are called where people read it: a number or a name.
///
/// Numbers come before names, names in the order of their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label<'a> {
    /// The id in the file.
    Id(u64),
    /// The name in the file.
    Name(&'a str),
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Id(id) => id.fmt(f),
            Label::Name(name) => f.pad(name),
        }
    }
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
            (_, Some(&last)) if u32::try_from(last).is_ok() => {
                IdMap { repr: Repr::Narrow(ids.iter().map(|&id| id as u32).collect()) }
            }
            _ => IdMap { repr: Repr::Wide(ids) },
        }
    }

    /// Any names, given in strictly increasing order of their bytes.
    ///
    /// # Panics
    ///
    /// If the names do not increase strictly.
    pub fn from_sorted_names<'a>(names: impl IntoIterator<Item = &'a str>) -> IdMap {
        IdMap::try_from_sorted_names(names).unwrap_or_else(|_| panic!("names must increase strictly"))
    }

    /// The same; the first name that is not greater than the one before it is the error.
    pub(crate) fn try_from_sorted_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<IdMap, &'a str> {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for name in names {
            let last = ends.len().checked_sub(1).map(|at| &text[span(&ends, at)]);
            if last.is_some_and(|last| last >= name) {
                return Err(name);
            }
            text.push_str(name);
            ends.push(text.len());
        }
        Ok(IdMap { repr: Repr::Names { text, ends } })
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        match &self.repr {
            Repr::Range { len, .. } => *len,
            Repr::Narrow(ids) => ids.len(),
            Repr::Wide(ids) => ids.len(),
            Repr::Names { ends, .. } => ends.len(),
        }
    }

    /// Whether the vertices have names instead of ids.
    pub fn has_names(&self) -> bool {
        matches!(self.repr, Repr::Names { .. })
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether external ids and coordinates are the same.
    pub fn is_identity(&self) -> bool {
        matches!(self.repr, Repr::Range { first: 0, .. } | Repr::Names { .. })
    }

    /// The first id and their number, if there are no gaps.
    pub fn range(&self) -> Option<(u64, usize)> {
        match &self.repr {
            Repr::Range { first, len } => Some((*first, *len)),
            Repr::Narrow(_) | Repr::Wide(_) => None,
            Repr::Names { ends, .. } => Some((0, ends.len())),
        }
    }

    /// The id in the file of coordinate `internal`, in constant time. Where vertices have names instead of ids, the coordinate itself.
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
            Repr::Narrow(ids) => u64::from(ids[internal as usize]),
            Repr::Wide(ids) => ids[internal as usize],
            Repr::Names { ends, .. } => {
                assert!((internal as usize) < ends.len(), "vertex {internal} of {}", ends.len());
                u64::from(internal)
            }
        }
    }

    /// What the vertex at coordinate `internal` is called, in constant time.
    ///
    /// # Panics
    ///
    /// If `internal` is not below [`len`](Self::len).
    pub fn label(&self, internal: u32) -> Label<'_> {
        match &self.repr {
            Repr::Names { text, ends } => Label::Name(&text[span(ends, internal as usize)]),
            _ => Label::Id(self.external(internal)),
        }
    }

    /// The coordinate of the vertex that is called `label`, a name or an id in decimal digits. At most logarithmic in the number of
    /// vertices.
    pub fn find(&self, label: &str) -> Option<u32> {
        let Repr::Names { text, ends } = &self.repr else { return self.internal(label.parse().ok()?) };
        let (mut low, mut high) = (0, ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match text[span(ends, middle)].cmp(label) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle as u32),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The coordinate of the vertex with the id `external`, if there is one. At most logarithmic in the number of vertices.
    pub fn internal(&self, external: u64) -> Option<u32> {
        match &self.repr {
            Repr::Range { first, len } => {
                let at = external.checked_sub(*first)?;
                (at < *len as u64).then_some(at as u32)
            }
            Repr::Narrow(ids) => ids.binary_search(&u32::try_from(external).ok()?).ok().map(|at| at as u32),
            Repr::Wide(ids) => ids.binary_search(&external).ok().map(|at| at as u32),
            Repr::Names { ends, .. } => (external < ends.len() as u64).then_some(external as u32),
        }
    }

    /// All external ids, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len()).map(|at| self.external(at as u32))
    }

    /// What all vertices are called, in the order of their coordinates.
    pub fn labels(&self) -> impl Iterator<Item = Label<'_>> {
        (0..self.len()).map(|at| self.label(at as u32))
    }

    /// Bytes of memory beyond the value itself.
    pub fn heap_bytes(&self) -> usize {
        match &self.repr {
            Repr::Range { .. } => 0,
            Repr::Narrow(ids) => ids.capacity() * size_of::<u32>(),
            Repr::Wide(ids) => ids.capacity() * size_of::<u64>(),
            Repr::Names { text, ends } => text.capacity() + ends.capacity() * size_of::<usize>(),
        }
    }
}

/// Where the name at a position is in the text of all.
fn span(ends: &[usize], at: usize) -> Range<usize> {
    let end = ends[at];
    let begin = at.checked_sub(1).map_or(0, |before| ends[before]);
    begin..end
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
        for (last, bytes) in [(u32::MAX.into(), 16), (1 << 32, 32), (u64::MAX, 32)] {
            let external = [3, 7, 1 << 20, last];
            let ids = IdMap::from_sorted(external.to_vec());
            for (at, id) in external.into_iter().enumerate() {
                assert_eq!(ids.external(at as u32), id);
                assert_eq!(ids.internal(id), Some(at as u32));
            }
            assert_eq!((ids.internal(4), ids.internal(last - 1)), (None, None));
            // Its low bits are those of an id.
            assert_eq!(ids.internal((1 << 33) + 3), None);
            assert_eq!(ids.iter().collect::<Vec<_>>(), external);
            assert_eq!(ids.heap_bytes(), bytes);
        }
    }

    #[test]
    fn names_go_both_ways() {
        let ids = IdMap::from_sorted_names(["", "7", "bash", "libc6", "ägypten"]);
        assert_eq!((ids.len(), ids.has_names(), ids.is_identity()), (5, true, true));
        for (at, name) in ["", "7", "bash", "libc6", "ägypten"].into_iter().enumerate() {
            assert_eq!(ids.label(at as u32), Label::Name(name));
            assert_eq!(ids.find(name), Some(at as u32));
        }
        // What looks like a number is a name here.
        assert_eq!((ids.find("1"), ids.find("bas"), ids.find("zsh")), (None, None, None));
        assert_eq!((ids.external(3), ids.internal(3), ids.internal(5)), (3, Some(3), None));
        assert_eq!(format!("[{:>6}] [{:>3}]", ids.label(2), IdMap::identity(1).label(0)), "[  bash] [  0]");
        let none = IdMap::from_sorted_names([]);
        assert!(none.is_empty() && none.find("").is_none());
    }

    #[test]
    #[should_panic(expected = "names must increase strictly")]
    fn a_name_that_occurs_twice_is_refused() {
        IdMap::from_sorted_names(["a", "a"]);
    }

    #[test]
    fn ids_are_found_by_their_digits() {
        let ids = IdMap::from_sorted(vec![3, 7]);
        assert_eq!((ids.find("7"), ids.find("8"), ids.find("x"), ids.find("-3")), (Some(1), None, None, None));
        assert_eq!(ids.labels().collect::<Vec<_>>(), [Label::Id(3), Label::Id(7)]);
    }

    #[test]
    fn the_largest_ids_are_a_range_too() {
        let ids = IdMap::from_sorted(vec![u64::MAX - 1, u64::MAX]);
        assert_eq!(ids.external(1), u64::MAX);
        assert_eq!(ids.internal(u64::MAX), Some(1));
    }
}
