//! Arrays with empty slots: a slot whose coordinate is the gap mark holds no value.

use std::mem::MaybeUninit;

use crate::{Coord, Elements, Run, Search, Value};

/// An array of slots, for reading. A gap ends a run.
pub struct Slots<'a, C, V> {
    coords: &'a [C],
    /// Initialised exactly where the coordinate is not the gap mark.
    values: &'a [MaybeUninit<V>],
}

impl<C, V> Clone for Slots<'_, C, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, V> Copy for Slots<'_, C, V> {}

impl<'a, C: Coord, V> Slots<'a, C, V> {
    /// The slots of two arrays.
    ///
    /// # Safety
    ///
    /// The arrays have the same length, and each value is initialised whose coordinate is not the gap mark.
    #[inline(always)]
    pub unsafe fn new(coords: &'a [C], values: &'a [MaybeUninit<V>]) -> Self {
        debug_assert_eq!(coords.len(), values.len());
        Slots { coords, values }
    }

    /// Number of slots, empty ones included.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.coords.len()
    }

    /// Whether there are no slots at all.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.coords.is_empty()
    }

    /// The coordinates of all slots; the gap mark where one is empty.
    #[inline(always)]
    pub fn coords(self) -> &'a [C] {
        self.coords
    }

    /// The value in a slot, unless it is empty.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    #[inline(always)]
    pub fn value(self, slot: usize) -> Option<&'a V> {
        if self.coords[slot] == C::GAP {
            return None;
        }
        // SAFETY: the coordinate of the slot is not the gap mark.
        Some(unsafe { self.values[slot].assume_init_ref() })
    }

    /// The next run at or after a slot, and the slot after it.
    #[inline(always)]
    pub fn next_run(self, from: usize) -> Option<(Run<'a, 'a, C, V>, usize)> {
        let begin = from + self.coords.get(from..)?.iter().position(|&coord| coord != C::GAP)?;
        let rest = &self.coords[begin..];
        let end = begin + rest.iter().position(|&coord| coord == C::GAP).unwrap_or(rest.len());
        let values = &self.values[begin..end];
        // SAFETY: no coordinate in `begin..end` is the gap mark.
        let values = unsafe { values.assume_init_ref() };
        Some((Run::new(&self.coords[begin..end], values), end))
    }

    #[inline(always)]
    pub(crate) fn raw_values(self) -> &'a [MaybeUninit<V>] {
        self.values
    }

    /// The first run; empty if every slot is.
    #[inline(always)]
    pub fn first_run(self) -> Run<'a, 'a, C, V> {
        self.next_run(0).map_or(Run::empty(), |(run, _)| run)
    }

    /// Looks for a coordinate; the slots that are not empty ascend. Linear.
    #[inline]
    pub fn search(self, coord: C) -> Search<'a, V> {
        self.search_unordered(coord)
    }

    /// Looks for a coordinate. Linear.
    #[inline]
    pub fn search_unordered(self, coord: C) -> Search<'a, V> {
        let (mut below, mut above) = (false, false);
        if coord == C::GAP {
            return Search::After;
        }
        for (slot, &at) in self.coords.iter().enumerate() {
            if at == coord {
                // SAFETY: the coordinate of the slot is not the gap mark.
                return Search::Found(unsafe { self.values[slot].assume_init_ref() });
            }
            below |= at < coord;
            above |= at > coord && at != C::GAP;
        }
        match (below, above) {
            (true, true) => Search::Missing,
            (false, true) => Search::Before,
            _ => Search::After,
        }
    }

    /// One slot by itself.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    #[inline(always)]
    pub fn slot(self, slot: usize) -> Self {
        Slots { coords: &self.coords[slot..=slot], values: &self.values[slot..=slot] }
    }

    /// The first `used` slots as one run.
    ///
    /// # Safety
    ///
    /// None of them is empty.
    #[inline(always)]
    pub unsafe fn filled(self, used: usize) -> Run<'a, 'a, C, V> {
        let (coords, values) = (&self.coords[..used], &self.values[..used]);
        // SAFETY: no coordinate among these is the gap mark, says the caller.
        Run::new(coords, unsafe { values.assume_init_ref() })
    }

    /// Number of empty slots.
    pub fn gaps(self) -> usize {
        self.coords.iter().filter(|&&coord| coord == C::GAP).count()
    }
}

/// An array of slots, for writing.
pub struct SlotsMut<'a, C, V> {
    coords: &'a mut [C],
    /// Initialised exactly where the coordinate is not the gap mark.
    values: &'a mut [MaybeUninit<V>],
}

impl<'a, C: Coord, V: Value> SlotsMut<'a, C, V> {
    /// The slots of two arrays.
    ///
    /// # Safety
    ///
    /// The arrays have the same length, and each value is initialised whose coordinate is not the gap mark.
    #[inline(always)]
    pub unsafe fn new(coords: &'a mut [C], values: &'a mut [MaybeUninit<V>]) -> Self {
        debug_assert_eq!(coords.len(), values.len());
        SlotsMut { coords, values }
    }

    /// The slots, for reading.
    #[inline(always)]
    pub fn slots(&self) -> Slots<'_, C, V> {
        Slots { coords: self.coords, values: self.values }
    }

    /// Puts a nonzero into a slot and returns what was there.
    ///
    /// # Panics
    ///
    /// If there is no such slot, or the coordinate is the gap mark.
    #[inline]
    pub fn put(&mut self, slot: usize, coord: C, value: V) -> Option<(C, V)> {
        assert!(coord != C::GAP, "the gap mark is no coordinate");
        let old = self.take(slot);
        self.values[slot].write(value);
        self.coords[slot] = coord;
        old
    }

    /// Empties a slot.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    #[inline]
    pub fn take(&mut self, slot: usize) -> Option<(C, V)> {
        let coord = std::mem::replace(&mut self.coords[slot], C::GAP);
        if coord == C::GAP {
            return None;
        }
        // SAFETY: the coordinate was not the gap mark, and is now, so the value is moved out once.
        Some((coord, unsafe { self.values[slot].assume_init_read() }))
    }

    /// Fills the first slots.
    ///
    /// # Panics
    ///
    /// If there are fewer slots than elements, or a coordinate is the gap mark.
    pub fn fill(&mut self, elements: Elements<'_, C, V>) {
        assert!(elements.len() <= self.coords.len(), "more elements than slots");
        for (slot, (coord, value)) in elements.enumerate() {
            self.put(slot, coord, value);
        }
    }

    /// A nonzero's value, unless its slot is empty.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    #[inline]
    pub fn value_mut(&mut self, slot: usize) -> Option<&mut V> {
        if self.coords[slot] == C::GAP {
            return None;
        }
        // SAFETY: the coordinate of the slot is not the gap mark.
        Some(unsafe { self.values[slot].assume_init_mut() })
    }

    /// Empties all slots.
    pub fn clear(&mut self) {
        for slot in 0..self.coords.len() {
            self.take(slot);
        }
    }
}

/// An array of slots that is filled from the front, for writing: a counter says how many slots are full.
pub struct FilledMut<'a, C, V, N> {
    slots: SlotsMut<'a, C, V>,
    used: &'a mut N,
}

impl<'a, C: Coord, V: Value, N: Copy + TryInto<usize> + TryFrom<usize>> FilledMut<'a, C, V, N> {
    /// The slots of two arrays and the field that says how many are full.
    ///
    /// # Safety
    ///
    /// The arrays have the same length, exactly the first `used` coordinates are not the gap mark and exactly these slots' values
    /// are initialised.
    #[inline(always)]
    pub unsafe fn new(coords: &'a mut [C], values: &'a mut [MaybeUninit<V>], used: &'a mut N) -> Self {
        // SAFETY: the caller's promise.
        FilledMut { slots: unsafe { SlotsMut::new(coords, values) }, used }
    }

    /// Number of full slots.
    #[inline(always)]
    pub fn len(&self) -> usize {
        (*self.used).try_into().unwrap_or(usize::MAX)
    }

    /// Whether no slot is full.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every slot is full.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len() == self.slots.coords.len()
    }

    /// Fills the next slot.
    ///
    /// # Panics
    ///
    /// If every slot is full, or the coordinate is the gap mark.
    #[inline]
    pub fn push(&mut self, coord: C, value: V) {
        let len = self.len();
        let used = N::try_from(len + 1).ok().expect("a number of slots that its field can hold");
        self.slots.put(len, coord, value);
        *self.used = used;
    }

    /// Empties the last full slot.
    #[inline]
    pub fn pop(&mut self) -> Option<(C, V)> {
        let last = self.len().checked_sub(1)?;
        *self.used = N::try_from(last).ok()?;
        self.slots.take(last)
    }

    /// The coordinates of the full slots.
    #[inline(always)]
    pub fn coords(&self) -> &[C] {
        &self.slots.coords[..self.len()]
    }

    /// The values of the full slots.
    #[inline(always)]
    pub fn values_mut(&mut self) -> &mut [V] {
        let len = self.len();
        // SAFETY: the first `used` slots are full.
        unsafe { self.slots.values[..len].assume_init_mut() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_end_runs() {
        let mut coords = [u32::MAX; 7];
        let mut values = [const { MaybeUninit::<String>::uninit() }; 7];
        // SAFETY: all slots are empty.
        let mut slots = unsafe { SlotsMut::new(&mut coords, &mut values) };
        for (slot, coord) in [(1, 3), (2, 5), (4, 8), (6, 9)] {
            assert!(slots.put(slot, coord, coord.to_string()).is_none());
        }
        let read = slots.slots();
        assert_eq!(read.gaps(), 3);
        let (mut at, mut seen) = (0, Vec::new());
        while let Some((run, next)) = read.next_run(at) {
            seen.push(run.coords().to_vec());
            assert!(run.iter().all(|(coord, value)| coord.to_string() == *value));
            at = next;
        }
        assert_eq!(seen, [vec![3, 5], vec![8], vec![9]]);
        assert_eq!(slots.put(2, 6, "six".into()), Some((5, "5".into())));
        assert_eq!(slots.take(0), None);
        assert_eq!(slots.slots().value(2).unwrap(), "six");
        slots.clear();
        assert_eq!(slots.slots().gaps(), 7);
    }
}
