//! Runs: stretches of nonzeros that lie together in memory.

/// A stretch of nonzeros that lie together: `coords[k]` is the coordinate of `values[k]`.
///
/// Every traversal of every store hands out runs, so that the inner loop over a run is the same tight loop as over a row of CSR.
/// A gap ends a run, so each value of a run is initialised. The coordinates may live in a buffer of the traversal (`'c`:
/// difference-coded blocks are decoded into one); the values always lie in the store (`'a`). With values of size zero (a
/// pattern) `values` costs nothing.
#[derive(Debug)]
pub struct Run<'c, 'a, C, V> {
    coords: &'c [C],
    values: &'a [V],
}

impl<C, V> Clone for Run<'_, '_, C, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, V> Copy for Run<'_, '_, C, V> {}

impl<'c, 'a, C, V> Run<'c, 'a, C, V> {
    /// A run of the given coordinates and values.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[inline(always)]
    pub fn new(coords: &'c [C], values: &'a [V]) -> Self {
        assert_eq!(coords.len(), values.len(), "a run has one value per coordinate");
        Run { coords, values }
    }

    /// A run of one nonzero.
    #[inline(always)]
    pub fn one(coord: &'c C, value: &'a V) -> Self {
        Run { coords: std::slice::from_ref(coord), values: std::slice::from_ref(value) }
    }

    /// The run without nonzeros.
    #[inline(always)]
    pub fn empty() -> Self {
        Run { coords: &[], values: &[] }
    }

    /// Number of nonzeros.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.coords.len()
    }

    /// Whether the run has no nonzeros.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.coords.is_empty()
    }

    /// The coordinates, as many as there are values.
    #[inline(always)]
    pub fn coords(&self) -> &'c [C] {
        self.coords
    }

    /// The values, as many as there are coordinates.
    #[inline(always)]
    pub fn values(&self) -> &'a [V] {
        self.values
    }

    /// The first `n` nonzeros of the run (all of them, if it has fewer).
    #[inline(always)]
    pub fn first(self, n: usize) -> Self {
        let n = n.min(self.coords.len());
        Run { coords: &self.coords[..n], values: &self.values[..n] }
    }

    /// Nonzeros `range` of the run.
    ///
    /// # Panics
    ///
    /// If the run has fewer.
    #[inline(always)]
    pub fn part(self, range: std::ops::Range<usize>) -> Self {
        Run { coords: &self.coords[range.clone()], values: &self.values[range] }
    }

    /// The run without its first `n` nonzeros (all of them, if it has fewer).
    #[inline(always)]
    pub fn skip(self, n: usize) -> Self {
        let n = n.min(self.coords.len());
        Run { coords: &self.coords[n..], values: &self.values[n..] }
    }
}

/// Where a coordinate lies against a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search<'a, V> {
    /// Before its first nonzero.
    Before,
    /// It is the coordinate of a nonzero, which has this value.
    Found(&'a V),
    /// Between its first and its last nonzero, but it is that of none.
    Missing,
    /// After its last nonzero, or the run is empty.
    After,
}

impl<'c, 'a, C: Copy + Ord, V> Run<'c, 'a, C, V> {
    /// Looks for a coordinate in a run that ascends. Logarithmic.
    #[inline]
    pub fn search(self, coord: C) -> Search<'a, V> {
        let (Some(&first), Some(&last)) = (self.coords.first(), self.coords.last()) else { return Search::After };
        if coord > last {
            return Search::After;
        }
        if coord < first {
            return Search::Before;
        }
        match self.coords.binary_search(&coord) {
            Ok(position) => Search::Found(&self.values[position]),
            Err(_) => Search::Missing,
        }
    }

    /// Looks for a coordinate in a run that is in no order. Linear.
    #[inline]
    pub fn search_unordered(self, coord: C) -> Search<'a, V> {
        let (mut below, mut above) = (false, false);
        for (position, &at) in self.coords.iter().enumerate() {
            if at == coord {
                return Search::Found(&self.values[position]);
            }
            below |= at < coord;
            above |= at > coord;
        }
        match (below, above) {
            (true, true) => Search::Missing,
            (false, true) => Search::Before,
            _ => Search::After,
        }
    }
}

impl<'c, 'a, C: Copy, V> Run<'c, 'a, C, V> {
    /// The nonzeros, in the order in which they lie.
    #[inline(always)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (C, &'a V)> + use<'c, 'a, C, V> {
        self.coords.iter().copied().zip(self.values)
    }
}
