//! Room for coordinates and values side by side, and the moves that insert into it and delete from it.
//!
//! ```text
//!   coords   3  7  9 12 ·  ·  ·          used elements, then slack
//!   values   a  b  c  d ·  ·  ·
//! ```
//!
//! A change is planned first (where does each element go?) and then done in one sweep: from the back when it inserts, from the
//! front when it deletes, so that each element moves once.

use crate::{Change, Coord, Counts, RowBatch, Value};

/// One planned move: what lies at `position`, or would lie before it, against element `index` of the batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub position: usize,
    pub index: usize,
}

/// The two arrays, by their addresses. Copying an `Area` copies addresses only; every method states what must lie there.
pub(crate) struct Area<C, V> {
    pub coords: *mut C,
    pub values: *mut V,
}

impl<C, V> Clone for Area<C, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, V> Copy for Area<C, V> {}

/// Elements moved one by one below this; a call of `memmove` costs more.
const SHORT: usize = 8;

/// Moves `n` elements from `from` to `to`, which may overlap.
///
/// # Safety
///
/// Both are valid for `n` elements.
#[inline(always)]
unsafe fn slide<T>(from: *const T, to: *mut T, n: usize) {
    if size_of::<T>() == 0 {
        return;
    }
    // SAFETY: the caller's promise; the short loops go in the direction in which nothing is overwritten before it was read.
    unsafe {
        if n >= SHORT {
            std::ptr::copy(from, to, n);
        } else if to.cast_const() > from {
            for k in (0..n).rev() {
                to.add(k).write(from.add(k).read());
            }
        } else {
            for k in 0..n {
                to.add(k).write(from.add(k).read());
            }
        }
    }
}

impl<C: Coord, V: Value> Area<C, V> {
    /// The area `n` elements further on.
    ///
    /// # Safety
    ///
    /// The arrays have at least `n` elements.
    #[inline(always)]
    pub(crate) unsafe fn add(self, n: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Area { coords: self.coords.add(n), values: self.values.add(n) } }
    }

    /// Moves the first `n` elements of `source` here.
    ///
    /// # Safety
    ///
    /// `source` holds `n` elements, which it gives up; here is room for them; the two do not overlap.
    #[inline(always)]
    pub(crate) unsafe fn move_from(self, source: Self, n: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(source.coords, self.coords, n);
            std::ptr::copy_nonoverlapping(source.values, self.values, n);
        }
    }

    /// Copies the first `n` elements of `source` here. If cloning a value panics, those cloned before it are dropped.
    ///
    /// # Safety
    ///
    /// `source` holds `n` elements; here is room for them; the two do not overlap.
    pub(crate) unsafe fn clone_from(self, source: Self, n: usize) {
        /// Values that were cloned, while more are to come.
        struct Cloned<V> {
            values: *mut V,
            len: usize,
        }

        impl<V> Drop for Cloned<V> {
            fn drop(&mut self) {
                // SAFETY: `len` values were written there, and nothing else refers to them.
                unsafe { std::ptr::slice_from_raw_parts_mut(self.values, self.len).drop_in_place() };
            }
        }

        let mut cloned = Cloned { values: self.values, len: 0 };
        // SAFETY: the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(source.coords, self.coords, n);
            while cloned.len < n {
                self.values.add(cloned.len).write((*source.values.add(cloned.len)).clone());
                cloned.len += 1;
            }
        }
        std::mem::forget(cloned);
    }

    /// Drops `n` values.
    ///
    /// # Safety
    ///
    /// They are initialised, and given up.
    #[inline(always)]
    pub(crate) unsafe fn drop_values(self, n: usize) {
        if std::mem::needs_drop::<V>() {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::slice_from_raw_parts_mut(self.values, n).drop_in_place() };
        }
    }

    /// Inserts the elements of `batch` that `steps` names, each before its position, into `used` elements. Values are cloned, before
    /// anything moves.
    ///
    /// # Safety
    ///
    /// `used` elements lie here, with room for `steps.len()` more; positions do not descend and are at most `used`.
    pub(crate) unsafe fn insert(self, used: usize, steps: &[Step], batch: RowBatch<'_, C, V>) {
        // Values of size zero are cloned too: a program may count clones and drops.
        let mut values: Vec<V> = steps.iter().map(|step| batch.values[step.index].clone()).collect();
        let mut end = used;
        for (k, step) in steps.iter().enumerate().rev() {
            let at = step.position;
            // SAFETY: `at <= end <= used`, and at most `steps.len()` elements further on there is room; what lies from
            // `at + k + 1` on has moved away already.
            unsafe {
                slide(self.coords.add(at), self.coords.add(at + k + 1), end - at);
                slide(self.values.add(at), self.values.add(at + k + 1), end - at);
                self.coords.add(at + k).write(batch.coords[step.index]);
                self.values.add(at + k).write(values.pop().expect("a value for each step"));
            }
            end = at;
        }
    }

    /// Takes the elements at the positions of `steps` out of `used` elements. Returns those values that have to be dropped, so that
    /// this happens when the count is right again.
    ///
    /// # Safety
    ///
    /// `used` elements lie here; positions strictly ascend and are below `used`.
    pub(crate) unsafe fn remove(self, used: usize, steps: &[Step]) -> Vec<V> {
        let mut removed = Vec::new();
        if std::mem::needs_drop::<V>() {
            removed.reserve_exact(steps.len());
            // SAFETY: the caller's promise: each position holds an element; it is overwritten or given up below.
            removed.extend(steps.iter().map(|step| unsafe { self.values.add(step.position).read() }));
        }
        for (k, step) in steps.iter().enumerate() {
            let from = step.position + 1;
            let to = steps.get(k + 1).map_or(used, |next| next.position);
            // SAFETY: what lies up to `to` moves to the front into room that was given up.
            unsafe {
                slide(self.coords.add(from), self.coords.add(from - k - 1), to - from);
                slide(self.values.add(from), self.values.add(from - k - 1), to - from);
            }
        }
        removed
    }
}

/// The first position in `from..coords.len()` whose coordinate is at least `target`, looked for where it is likely: about `stride`
/// further on.
#[inline]
pub(crate) fn seek<C: Coord>(coords: &[C], from: usize, target: C, stride: usize) -> usize {
    let rest = &coords[from..];
    if stride <= 4 {
        // The batch is dense: the next few elements are in the cache.
        return from + rest.iter().position(|&c| c >= target).unwrap_or(rest.len());
    }
    let (mut low, mut high) = (0, stride.min(rest.len()));
    while high < rest.len() && rest[high - 1] < target {
        low = high;
        high = (high * 2).min(rest.len());
    }
    from + low + rest[low..high].partition_point(|&c| c < target)
}

/// Plans a change of one row: appends a step for each element to insert (its position counted from `base`, its index from
/// `first_index`) or to delete, and combines the values of those that are there already.
///
/// # Safety
///
/// If `V` has a size other than zero and the change inserts or updates, `values` is held exclusively and has a value for each of
/// `coords`.
#[inline]
pub(crate) unsafe fn plan<C: Coord, V: Value>(
    coords: &[C],
    values: *mut V,
    batch: RowBatch<'_, C, V>,
    change: Change<'_, V>,
    (base, first_index): (usize, usize),
    steps: &mut Vec<Step>,
) -> Counts {
    let mut counts = Counts::default();
    let stride = coords.len() / batch.coords.len().max(1) + 1;
    let mut position = 0;
    for (index, &coord) in batch.coords.iter().enumerate() {
        position = seek(coords, position, coord, stride);
        let found = position < coords.len() && coords[position] == coord;
        match (change, found) {
            (Change::Insert(_), false) => {
                counts.new += 1;
                steps.push(Step { position: base + position, index: first_index + index });
            }
            (Change::Insert(combine) | Change::Update(combine), true) => {
                // A pattern has nothing to combine, and its page need not be unshared to find that out.
                let changed = size_of::<V>() > 0 && {
                    // SAFETY: the caller's promise.
                    combine(unsafe { &mut *values.add(position) }, &batch.values[index])
                };
                if changed { counts.changed += 1 } else { counts.unchanged += 1 }
            }
            (Change::Delete, true) => {
                counts.removed += 1;
                steps.push(Step { position: base + position, index: first_index + index });
                position += 1;
            }
            (Change::Update(_) | Change::Delete, false) => counts.absent += 1,
        }
    }
    counts
}

thread_local! {
    /// The plan of the change that is under way, kept for the next one.
    static STEPS: std::cell::Cell<Vec<Step>> = const { std::cell::Cell::new(Vec::new()) };
}

/// Lends an empty plan whose memory outlives the change. A change inside another's combiner gets a new one.
pub(crate) fn with_steps<T>(f: impl FnOnce(&mut Vec<Step>) -> T) -> T {
    let mut steps = STEPS.take();
    steps.clear();
    let result = f(&mut steps);
    STEPS.set(steps);
    result
}
