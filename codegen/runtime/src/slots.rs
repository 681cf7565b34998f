//! Arrays with empty slots: a slot whose coordinate is the gap mark holds no value.

use std::mem::MaybeUninit;

use crate::{Coord, Elements, Run, Value};

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
