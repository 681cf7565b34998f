//! The parts that all parallel maps over linked stores share.
//!
//! Rayon compiles its scheduling anew for each closure, some thousand lines a time, and generated stores, outer levels and kernels
//! bring hundreds. Here it is compiled once, and calls what it schedules through a table: once a task.

mod recorded;

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::{Fiber, NodeRef};

pub use recorded::{WorkAndSpan, is_recorded, work_and_span};

/// Nonzeros below which a task is not worth its spawning.
pub const GRAIN: usize = 1 << 12;

/// How many levels of children a parallel map spawns tasks for.
pub const FORK_DEPTH: u32 = 10;

/// How many levels of [`FORK_DEPTH`] a node with an array of children uses up.
pub const WIDE_DEPTH: u32 = 5;

/// What this thread does where work may be shared.
#[derive(Clone, Copy)]
enum Mode {
    /// It shares the work with the other threads of its pool.
    Shared,
    /// It does one thing after the other.
    Serial,
    /// It does one thing after the other, and records which tasks there are.
    Recorded,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Shared) };
}

/// Runs `work` in a mode. The mode from before is set again afterwards, also if `work` panics.
fn in_mode<T>(mode: Mode, work: impl FnOnce() -> T) -> T {
    struct Restore(Mode);

    impl Drop for Restore {
        fn drop(&mut self) {
            MODE.set(self.0);
        }
    }

    let _restore = Restore(MODE.replace(mode));
    work()
}

/// Runs `work` without any other thread: [`join`], [`par_each`] and all other loops and sorts of this module do one thing after the other
/// meanwhile.
///
/// For work that is too little to share, and for work under a lock: a worker of a pool that waits for other workers may pick up any
/// other job of its pool, one that wants the same lock included.
pub fn serially<T>(work: impl FnOnce() -> T) -> T {
    in_mode(Mode::Serial, work)
}

/// The threads that parallel work is divided among: those of this thread's pool, as many as [`work_and_span`] was told, or one within
/// [`serially`].
#[inline]
pub fn threads() -> usize {
    match MODE.get() {
        Mode::Serial => 1,
        Mode::Recorded => recorded::threads().unwrap_or(1),
        Mode::Shared => rayon::current_num_threads(),
    }
}

/// Does two things in parallel.
#[inline]
pub fn join<A: Send, B: Send>(left: impl FnOnce() -> A + Send, right: impl FnOnce() -> B + Send) -> (A, B) {
    let mode = MODE.get();
    if let Mode::Serial = mode {
        return (left(), right());
    }
    let (mut left, mut right) = (Half::Waiting(left), Half::Waiting(right));
    join_any(mode, &mut left, &mut right);
    (left.result(), right.result())
}

/// One of two things that are done in parallel.
enum Half<F, A> {
    Waiting(F),
    Running,
    Done(A),
}

impl<F, A> Half<F, A> {
    fn result(self) -> A {
        match self {
            Half::Done(result) => result,
            _ => unreachable!("the pool returns when all is done"),
        }
    }
}

/// A side of a join, of any type.
trait Side: Send {
    fn run(&mut self);
}

impl<F: FnOnce() -> A + Send, A: Send> Side for Half<F, A> {
    fn run(&mut self) {
        if let Half::Waiting(f) = std::mem::replace(self, Half::Running) {
            *self = Half::Done(f());
        }
    }
}

fn join_any(mode: Mode, left: &mut dyn Side, right: &mut dyn Side) {
    match mode {
        Mode::Recorded => recorded::join(&mut || left.run(), &mut || right.run()),
        _ => drop(rayon::join(|| left.run(), || right.run())),
    }
}

/// Does something on a thread of the pool: no thread has to be woken, then, between one parallel loop and the next.
pub fn on_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Half::Waiting(work);
    run_on_pool(&mut work);
    work.result()
}

fn run_on_pool(work: &mut dyn Side) {
    match MODE.get() {
        Mode::Serial | Mode::Recorded => work.run(),
        Mode::Shared => rayon::scope(|_| work.run()),
    }
}

/// What is done for each of some numbers. Every closure that takes a number does it.
///
/// A trait of its own, and not `dyn Fn`, for the reason that [`Visit`](crate::Visit) gives.
pub trait Each: Sync {
    /// Does it.
    fn each(&self, k: usize);
}

impl<F: Fn(usize) + Sync> Each for F {
    #[inline]
    fn each(&self, k: usize) {
        self(k);
    }
}

/// Does something for each number below `n` in parallel, at most `most` of them in one task.
pub fn par_each(n: usize, most: usize, each: &dyn Each) {
    match MODE.get() {
        // No other thread is woken for it.
        _ if n == 1 => each.each(0),
        Mode::Serial => (0..n).for_each(|k| each.each(k)),
        Mode::Recorded => recorded::each(n, most, each),
        Mode::Shared => (0..n).into_par_iter().with_max_len(most.max(1)).for_each(|k| each.each(k)),
    }
}

/// What is done for each of some ranges of numbers. Every closure that takes a range does it.
pub trait EachRange: Sync {
    /// Does it.
    fn range(&self, range: Range<usize>);
}

impl<F: Fn(Range<usize>) + Sync> EachRange for F {
    #[inline]
    fn range(&self, range: Range<usize>) {
        self(range);
    }
}

/// Calls `each` in parallel with ranges of `length` numbers (the last may be shorter) that make up `0..n`.
pub fn par_ranges(n: usize, length: usize, each: &dyn EachRange) {
    let length = length.max(1);
    par_each(n.div_ceil(length), usize::MAX, &|k: usize| each.range(k * length..n.min((k + 1) * length)));
}

/// The values of the numbers below `n`, computed in parallel in tasks of `length` numbers.
///
/// ```
/// assert_eq!(pleach_runtime::par_map(5, 2, |k| k * k), [0, 1, 4, 9, 16]);
/// ```
///
/// # Panics
///
/// If `value` does. What was computed before is then leaked.
pub fn par_map<T: Send>(n: usize, length: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut values = Vec::with_capacity(n);
    let places = Room::of(&mut values);
    par_ranges(n, length, &|range: Range<usize>| {
        for k in range {
            // SAFETY: `k < n`, which is within the capacity, and `par_ranges` hands out each number once.
            unsafe { places.set(k, value(k)) };
        }
    });
    // SAFETY: the ranges make up `0..n`, and all calls have returned: each value is in its place.
    unsafe { values.set_len(n) };
    values
}

/// Where values are moved to or from, each by one thread.
pub(crate) struct Room<T>(*mut T);

impl<T> Clone for Room<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Room<T> {}

// SAFETY: threads only move values in and out.
unsafe impl<T: Send> Sync for Room<T> {}

impl<T> Room<T> {
    /// The places of a list, up to its capacity.
    pub(crate) fn of(list: &mut Vec<T>) -> Self {
        Room(list.as_mut_ptr())
    }

    /// # Safety
    ///
    /// The place is within the allocation, and nobody else writes to it.
    #[inline]
    pub(crate) unsafe fn set(&self, k: usize, value: T) {
        // SAFETY: as promised.
        unsafe { self.0.add(k).write(value) };
    }

    /// Prefetches the cache line behind that of a place. Any place is allowed.
    #[inline(always)]
    pub(crate) fn prefetch_behind(&self, k: usize) {
        crate::prefetch::read::<1>(self.0.wrapping_add(k).cast::<u8>().wrapping_add(crate::prefetch::LINE));
    }

    /// Copies values bit by bit to the places from `k` on.
    ///
    /// # Safety
    ///
    /// The places are within the allocation, nobody else writes to them, and only one of the two copies is used.
    #[inline]
    unsafe fn fill(&self, k: usize, values: &[T]) {
        // SAFETY: as promised; what is allocated anew overlaps nothing.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.0.add(k), values.len()) };
    }

    /// # Safety
    ///
    /// The place is within the allocation and holds a value, which nobody else takes.
    #[inline]
    unsafe fn take(&self, k: usize) -> T {
        // SAFETY: as promised.
        unsafe { self.0.add(k).read() }
    }
}

/// Calls `some` in parallel with ranges of `length` numbers that make up `0..n`, and concatenates the results.
///
/// ```
/// let even = pleach_runtime::par_concat(9, 4, |range| range.filter(|k| k % 2 == 0).collect());
/// assert_eq!(even, [0, 2, 4, 6, 8]);
/// ```
pub fn par_concat<T: Send>(n: usize, length: usize, some: impl Fn(Range<usize>) -> Vec<T> + Sync) -> Vec<T> {
    let mut parts = par_parts(n, length, some);
    if parts.len() < 2 {
        return parts.pop().unwrap_or_default();
    }
    let total = parts.iter().map(Vec::len).sum();
    let mut all: Vec<T> = Vec::with_capacity(total);
    if total < MOVED {
        parts.iter_mut().for_each(|part| all.append(part));
        return all;
    }
    let places = Room::of(&mut all);
    let mut begin = 0;
    let placed = parts.into_iter().map(|part| {
        begin += part.len();
        (begin - part.len(), part)
    });
    par_items(placed.collect(), |(begin, mut part): (usize, Vec<T>)| {
        // SAFETY: the parts have room side by side within the capacity, each in a place of its own; the values move, since the part
        // gives them up.
        unsafe {
            places.fill(begin, &part);
            part.set_len(0);
        }
    });
    // SAFETY: all parts have been moved.
    unsafe { all.set_len(total) };
    all
}

/// Values below which one thread moves them: waking others takes longer.
const MOVED: usize = if cfg!(miri) { 1 << 11 } else { 1 << 13 };

/// Calls `part` in parallel with each of the ranges of `length` numbers that make up `0..n`. Returns the results in order.
pub fn par_parts<A: Send>(n: usize, length: usize, part: impl Fn(Range<usize>) -> A + Sync) -> Vec<A> {
    let length = length.max(1);
    if (1..=length).contains(&n) {
        return vec![part(0..n)];
    }
    par_map(n.div_ceil(length), 1, |k| part(k * length..n.min((k + 1) * length)))
}

/// What `each` makes of each of some items, in parallel, in a task of its own, in their order.
///
/// ```
/// let words = vec![String::from("a"), String::from("bc")];
/// assert_eq!(pleach_runtime::par_items(words, |word| word.len()), [1, 2]);
/// ```
///
/// # Panics
///
/// If `each` does. Items and results that are left are then leaked.
pub fn par_items<T: Send, A: Send>(mut items: Vec<T>, each: impl Fn(T) -> A + Sync) -> Vec<A> {
    let n = items.len();
    let from = Room::of(&mut items);
    // SAFETY: no item is left in the list; each is moved out below, once.
    unsafe { items.set_len(0) };
    let mut made = Vec::with_capacity(n);
    let places = Room::of(&mut made);
    par_each(n, 1, &|k: usize| {
        // SAFETY: `k < n`, within both allocations, and `par_each` hands out each number once.
        unsafe { places.set(k, each(from.take(k))) };
    });
    // SAFETY: all calls have returned: each result is in its place.
    unsafe { made.set_len(n) };
    made
}

/// The first number below `n` for which `holds`, found in parallel in tasks of `length` numbers.
///
/// ```
/// assert_eq!(pleach_runtime::par_first(100, 10, |k| k * k > 50), Some(8));
/// assert_eq!(pleach_runtime::par_first(100, 10, |k| k > 100), None);
/// ```
pub fn par_first(n: usize, length: usize, holds: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let first = AtomicUsize::new(usize::MAX);
    par_ranges(n, length, &|mut range: Range<usize>| {
        if range.start < first.load(Relaxed)
            && let Some(k) = range.find(|&k| holds(k))
        {
            first.fetch_min(k, Relaxed);
        }
    });
    Some(first.into_inner()).filter(|&k| k < n)
}

/// Sorts numbers in parallel.
pub fn par_sort(numbers: &mut [u64]) {
    par_sort_by(numbers, |a, b| a.cmp(b));
}

/// Sorts items in parallel. Items that are equal in this order may change places.
pub fn par_sort_by<T: Send>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    match MODE.get() {
        Mode::Serial => items.sort_unstable_by(order),
        Mode::Recorded => recorded::sort(items, &order),
        Mode::Shared => items.par_sort_unstable_by(order),
    }
}

/// Folds over the slots of a node's arrays in parallel, and joins neighbouring slots' results.
pub fn par_slots<A: Send>(
    slots: usize,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(usize) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    match slots {
        0 => identity(),
        1 => fold(0),
        _ => par_range(0, slots, fold, combine),
    }
}

/// As [`par_slots`] for the slots `low..high`, of which there is one.
fn par_range<A: Send>(
    low: usize,
    high: usize,
    fold: &(impl Fn(usize) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    if high - low == 1 {
        return fold(low);
    }
    let middle = low + (high - low) / 2;
    let (left, right) = join(|| par_range(low, middle, fold, combine), || par_range(middle, high, fold, combine));
    combine(left, right)
}

/// Whether a fiber has enough nonzeros to be worth more than one task. Reads no more of it than it needs to decide.
pub fn is_large<'a, F: Fiber<'a>>(fiber: F) -> bool {
    fiber
        .try_fold_runs(0, |seen, run| match seen + run.len() {
            seen if seen > GRAIN => ControlFlow::Break(()),
            seen => ControlFlow::Continue(seen),
        })
        .is_break()
}

/// Folds over a list in parallel: walks it, and spawns a task for each stretch of nodes that holds about [`GRAIN`] nonzeros.
///
/// `weigh` gives the number of nonzeros in a node, `next` the node after it, `fold` folds over so many nodes from the given one
/// on, and `combine` joins the results of neighbouring stretches.
pub fn par_list<'a, T, A>(
    mut node: Option<NodeRef<'a, T>>,
    weigh: impl Fn(NodeRef<'a, T>) -> usize,
    next: impl Fn(NodeRef<'a, T>) -> Option<NodeRef<'a, T>>,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, NodeRef<'a, T>, usize) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A
where
    T: Sync,
    A: Send,
{
    /// A stretch of nodes, and what came of it.
    struct Stretch<N, A> {
        first: N,
        nodes: usize,
        part: Option<A>,
    }

    let stretches: Mutex<Vec<Stretch<NodeRef<'a, T>, A>>> = Mutex::new(Vec::new());
    let lock = || stretches.lock().unwrap_or_else(|poison| poison.into_inner());
    let mut more = || {
        let Some(first) = node else { return false };
        let (mut nodes, mut nonzeros) = (0, 0);
        while let Some(at) = node
            && nonzeros < GRAIN
        {
            nonzeros += weigh(at);
            nodes += 1;
            node = next(at);
        }
        lock().push(Stretch { first, nodes, part: None });
        true
    };
    spawn_while(&mut more, &|k: usize| {
        let (first, nodes) = {
            let stretch = &lock()[k];
            (stretch.first, stretch.nodes)
        };
        let part = fold(identity(), first, nodes);
        lock()[k].part = Some(part);
    });
    let stretches = stretches.into_inner().unwrap_or_else(|poison| poison.into_inner());
    stretches.into_iter().filter_map(|stretch| stretch.part).reduce(combine).unwrap_or_else(identity)
}

/// Spawns a task for each number from 0 on, as long as there is more.
fn spawn_while(more: &mut dyn FnMut() -> bool, each: &dyn Each) {
    match MODE.get() {
        Mode::Serial => (0..).take_while(|_| more()).for_each(|k| each.each(k)),
        Mode::Recorded => recorded::spawn_while(more, each),
        Mode::Shared => rayon::in_place_scope(|scope| {
            (0..).take_while(|_| more()).for_each(|k| scope.spawn(move |_| each.each(k)));
        }),
    }
}

/// Sorts elements by coordinate. What is sorted does not depend on the store that it is from, so that this is compiled once for all.
pub fn sort_by_coord<C: Ord + Copy, T>(elements: &mut [(C, T)]) {
    elements.sort_unstable_by_key(|element| element.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_make_up_all_numbers_in_their_order() {
        let (counts, lengths): (&[usize], &[usize]) = match crate::SHORT {
            true => (&[0, 1, 4, 6], &[0, 4, 100]),
            false => (&[0, 1, 7, 8, 9], &[0, 1, 4, 8, 100]),
        };
        for &n in counts {
            for &length in lengths {
                let numbers: Vec<usize> = (0..n).collect();
                assert_eq!(par_map(n, length, |k| k), numbers);
                assert_eq!(par_concat(n, length, |range| range.collect()), numbers);
                let boxed = par_concat(n, length, |range| range.map(Box::new).collect());
                assert!(boxed.into_iter().map(|number| *number).eq(0..n));
                let parts = par_parts(n, length, |range| range.len());
                assert_eq!((parts.len(), parts.iter().sum::<usize>()), (n.div_ceil(length.max(1)), n));
            }
        }
    }

    #[test]
    fn what_runs_serially_runs_on_its_own_thread() {
        let thread = std::thread::current().id();
        let check = || assert_eq!(std::thread::current().id(), thread);
        serially(|| {
            let mut left = 100;
            let mut more = || {
                left -= 1;
                left > 0
            };
            spawn_while(&mut more, &|_: usize| check());
            assert_eq!(left, 0);
            par_each(100, 1, &|_: usize| check());
            // Miri takes minutes for 100,000 calls of `check`.
            let mut items: Vec<u32> = (0..if cfg!(miri) { 500 } else { 100_000 }).rev().collect();
            par_sort_by(&mut items, |a, b| {
                check();
                a.cmp(b)
            });
            assert!(items.is_sorted());
            on_pool(check);
        });
    }

    #[test]
    fn many_values_are_moved_in_parallel_and_none_is_lost() {
        let count = std::sync::Arc::new(());
        let n = MOVED + 100;
        let held = par_concat(n, 1000, |range| range.map(|k| (k, count.clone())).collect());
        assert!(held.iter().map(|held| held.0).eq(0..n));
        assert_eq!(std::sync::Arc::strong_count(&count), n + 1);
        drop(held);
        assert_eq!(std::sync::Arc::strong_count(&count), 1);
    }

    #[test]
    fn items_are_taken_once_and_dropped_once() {
        let count = std::sync::Arc::new(());
        for n in [0, 1, 2, 9] {
            let items: Vec<_> = (0..n).map(|k| (k, count.clone())).collect();
            let made = par_items(items, |(k, held)| (k * 2, held));
            assert!(made.iter().map(|made| made.0).eq((0..n).map(|k| k * 2)));
            drop(made);
            assert_eq!(std::sync::Arc::strong_count(&count), 1);
        }
    }

    #[test]
    fn a_value_that_panics_leaves_no_list() {
        let made = std::panic::catch_unwind(|| {
            par_map(9, 2, |k| if k == 5 { panic!("five") } else { vec![k] });
        });
        assert!(made.is_err());
    }
}
