//! Elements: the sorted, random-access sequence that a store is built from.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};

use crate::coded::encode_coords;
use crate::{Coord, Value};

/// A sequence of (coordinate, value) pairs with strictly ascending coordinates, from which values can be moved out.
///
/// It can be split anywhere in constant time, so that recursive builds run in parallel. Values that were not taken are dropped
/// with it.
pub struct Elements<'a, C, V> {
    coords: &'a [C],
    /// The values of `coords`, all initialised and owned by `self` (or `Copy`).
    values: *mut V,
    marker: PhantomData<&'a mut [V]>,
}

// SAFETY: `Elements` owns the values it points at (or they are `Copy` and borrowed for `'a`), like a `&mut [V]`.
unsafe impl<C: Sync, V: Send> Send for Elements<'_, C, V> {}
// SAFETY: as above; `&Elements` gives no access to the values other than by `&V`.
unsafe impl<C: Sync, V: Sync> Sync for Elements<'_, C, V> {}

impl<'a, C: Coord, V: Value> Elements<'a, C, V> {
    /// Elements whose values are copied out of a borrowed slice.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn copied(coords: &'a [C], values: &'a [V]) -> Self
    where
        V: Copy,
    {
        assert_eq!(coords.len(), values.len(), "one value per coordinate");
        Elements { coords, values: values.as_ptr().cast_mut(), marker: PhantomData }
    }

    /// Elements whose values are moved out of a vector, which is left empty (its allocation can be used again).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn drain(coords: &'a [C], values: &'a mut Vec<V>) -> Self {
        assert_eq!(coords.len(), values.len(), "one value per coordinate");
        // SAFETY: no element is initialised as far as `values` is concerned afterwards; `self` owns them now.
        unsafe { values.set_len(0) };
        Elements { coords, values: values.as_mut_ptr(), marker: PhantomData }
    }

    /// No elements.
    pub fn none() -> Self {
        Elements { coords: &[], values: std::ptr::NonNull::dangling().as_ptr(), marker: PhantomData }
    }

    /// Elements whose values are moved out from under a pointer.
    ///
    /// # Safety
    ///
    /// `values` points at a value for each of `coords`, valid for `'a`, which their owner gives up.
    pub(crate) unsafe fn from_raw(coords: &'a [C], values: *mut V) -> Self {
        Elements { coords, values, marker: PhantomData }
    }

    /// Number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.coords.len()
    }

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.coords.is_empty()
    }

    /// The coordinates, ascending.
    #[inline(always)]
    pub fn coords(&self) -> &'a [C] {
        self.coords
    }

    /// The values, in the order of the coordinates.
    #[inline(always)]
    pub fn values(&self) -> &[V] {
        // SAFETY: `values` points at `coords.len()` initialised values.
        unsafe { std::slice::from_raw_parts(self.values, self.coords.len()) }
    }

    /// Takes the first element.
    #[inline(always)]
    pub fn pop_front(&mut self) -> Option<(C, V)> {
        let (&coord, rest) = self.coords.split_first()?;
        self.coords = rest;
        // SAFETY: the first value is initialised and owned; the pointer moves past it, so it is read once.
        let value = unsafe {
            let value = self.values.read();
            self.values = self.values.add(1);
            value
        };
        Some((coord, value))
    }

    /// Splits off the first `n` elements.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[inline(always)]
    pub fn split_at(self, n: usize) -> (Self, Self) {
        // First, so that a panic drops the values.
        let (left, right) = self.coords.split_at(n);
        let this = ManuallyDrop::new(self);
        // SAFETY: `n <= len` was checked by `split_at`; the halves own disjoint values.
        let middle = unsafe { this.values.add(n) };
        (
            Elements { coords: left, values: this.values, marker: PhantomData },
            Elements { coords: right, values: middle, marker: PhantomData },
        )
    }

    /// Takes the first `n` elements, leaving the rest.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[inline(always)]
    pub fn split_front(&mut self, n: usize) -> Self {
        let (left, right) = self.coords.split_at(n);
        let values = self.values;
        self.coords = right;
        // SAFETY: `n <= len` was checked by `split_at`; the two own disjoint values.
        self.values = unsafe { values.add(n) };
        Elements { coords: left, values, marker: PhantomData }
    }

    /// Splits into what lies before position `n`, the element there, and what lies behind.
    ///
    /// # Panics
    ///
    /// If there is no element at `n`.
    #[inline(always)]
    pub fn split_around(self, n: usize) -> (Self, (C, V), Self) {
        let (left, mut right) = self.split_at(n);
        let middle = right.pop_front().expect("an element to split around");
        (left, middle, right)
    }

    /// Moves all elements into arrays.
    ///
    /// # Safety
    ///
    /// `coords` and `values` are valid for writes of `self.len()` elements and do not overlap the sources.
    #[inline(always)]
    pub unsafe fn write_to(self, coords: *mut C, values: *mut V) {
        let this = ManuallyDrop::new(self);
        // SAFETY: the caller's promise; the values are owned and moved out exactly once, since `this` is never dropped.
        unsafe {
            copy_few(this.coords.as_ptr(), coords, this.coords.len());
            copy_few(this.values, values, this.coords.len());
        }
    }

    /// Moves all elements away: the coordinates difference-coded above `base`, the values into an array.
    ///
    /// # Safety
    ///
    /// `bytes` is valid for writes of `len` bytes, which is what [`coded_len`](crate::coded_len) says, `values` for writes of
    /// `self.len()` elements, and neither overlaps the sources.
    #[inline]
    pub unsafe fn write_coded_to(self, base: Option<C>, bytes: *mut u8, len: usize, values: *mut V) {
        let this = ManuallyDrop::new(self);
        // SAFETY: the caller's promise; the bytes are initialised before they are a slice, and the values are owned and moved out
        // exactly once, since `this` is never dropped.
        unsafe {
            bytes.write_bytes(0, len);
            encode_coords(this.coords, base, std::slice::from_raw_parts_mut(bytes, len));
            std::ptr::copy_nonoverlapping(this.values, values, this.coords.len());
        }
    }
}

/// Copies `n` items, which are few as a rule: up to 128 bytes by two copies of a fixed length, which may overlap, where a call of the
/// function that copies any length takes longer than the copy.
///
/// # Safety
///
/// As for [`std::ptr::copy_nonoverlapping`].
#[inline(always)]
unsafe fn copy_few<T>(from: *const T, to: *mut T, n: usize) {
    /// The first and the last `N` of `bytes` bytes.
    ///
    /// # Safety
    ///
    /// As for `copy_few`, and `N <= bytes`.
    #[inline(always)]
    unsafe fn both_ends<const N: usize>(from: *const u8, to: *mut u8, bytes: usize) {
        type Bytes<const N: usize> = [MaybeUninit<u8>; N];
        // SAFETY: both stretches lie within the bytes.
        unsafe {
            let last = from.add(bytes - N).cast::<Bytes<N>>().read();
            to.cast::<Bytes<N>>().write(from.cast::<Bytes<N>>().read());
            to.add(bytes - N).cast::<Bytes<N>>().write(last);
        }
    }
    let (source, target) = (from.cast::<u8>(), to.cast::<u8>());
    // SAFETY: the caller's promise; each length is at least that of the copies made for it.
    unsafe {
        match n.wrapping_mul(size_of::<T>()) {
            bytes @ 4..8 => both_ends::<4>(source, target, bytes),
            bytes @ 8..16 => both_ends::<8>(source, target, bytes),
            bytes @ 16..32 => both_ends::<16>(source, target, bytes),
            bytes @ 32..64 => both_ends::<32>(source, target, bytes),
            bytes @ 64..=128 => both_ends::<64>(source, target, bytes),
            _ => std::ptr::copy_nonoverlapping(from, to, n),
        }
    }
}

impl<C, V> Drop for Elements<'_, C, V> {
    #[inline(always)]
    fn drop(&mut self) {
        if std::mem::needs_drop::<V>() {
            // SAFETY: the remaining values are initialised and owned by `self`.
            unsafe { std::ptr::drop_in_place(std::ptr::slice_from_raw_parts_mut(self.values, self.coords.len())) };
        }
    }
}

impl<C: Coord, V: Value> Iterator for Elements<'_, C, V> {
    type Item = (C, V);

    #[inline(always)]
    fn next(&mut self) -> Option<(C, V)> {
        self.pop_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }
}

impl<C: Coord, V: Value> ExactSizeIterator for Elements<'_, C, V> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_items_of_any_size_is_moved() {
        fn check<V: Value + PartialEq + std::fmt::Debug>(value: impl Fn(usize) -> V) {
            for n in 0..70 {
                let coords: Vec<u32> = (0..n as u32).collect();
                let mut values: Vec<V> = (0..n).map(&value).collect();
                let elements = Elements::drain(&coords, &mut values);
                let (mut to_coords, mut to_values) = (Vec::with_capacity(n + 1), Vec::with_capacity(n + 1));
                to_coords.resize(n + 1, u32::MAX);
                // SAFETY: both arrays have room for the elements, and no others.
                unsafe {
                    elements.write_to(to_coords.as_mut_ptr(), to_values.as_mut_ptr());
                    to_values.set_len(n);
                }
                assert_eq!((&to_coords[..n], to_coords[n]), (&coords[..], u32::MAX));
                assert_eq!(to_values, (0..n).map(&value).collect::<Vec<_>>());
            }
        }
        check(|_| ());
        check(|k| k as u8);
        check(|k| k as f64);
        check(|k| k.to_string());
        check(|k| [k; 5]);
    }
}
