//! The sort by a table of all numbers for each part.
//!
//! ```text
//!   part 0: numbers ──► how many of each ─┐                            ┌─► moves its entries
//!   part 1: numbers ──► how many of each ─┴─► where each part begins ──┴─► moves its entries
//! ```

use super::Entries;
use crate::parallel::Room;
use crate::{Position, par_items, par_map};

/// As [`Way::sorted`](super::Way::sorted).
pub(super) fn sorted<P: Position, K: Position, C: Position, V: Copy + Send + Sync>(
    entries: &impl Entries<K, C, V>,
    nonzeros: usize,
    extent: usize,
) -> Option<(Vec<P>, Vec<C>, Vec<V>)> {
    let len = extent.checked_add(1)?;
    let tables = par_map(entries.parts(), 1, |part| counts(entries.numbers(part), len));
    let mut tables: Vec<Vec<P>> = tables.into_iter().collect::<Option<_>>()?;
    begins(&mut tables);
    let (mut others, mut moved) = (Vec::with_capacity(nonzeros), Vec::with_capacity(nonzeros));
    let room = (Room::of(&mut others), Room::of(&mut moved));
    let put = |(part, mut next): (usize, Vec<P>)| {
        // SAFETY: `counts` has found an element for each number, and they are borrowed since. Those of a number and of a part have the places from
        // where `begins` put them on, as many as `counts` counted: nonzeros in all, for which both lists have room.
        unsafe { move_part(entries, part, &mut next[1..], room) };
        next
    };
    let ends: Vec<Vec<P>> = par_items(tables.into_iter().enumerate().collect(), put);
    // SAFETY: every entry was put into a place of its own: there are as many entries as places.
    unsafe {
        others.set_len(nonzeros);
        moved.set_len(nonzeros);
    }
    Some((ends.into_iter().next_back()?, others, moved))
}

/// Moves the entries of a part to their places, which `next` has for each number.
///
/// # Safety
///
/// The numbers of the part are below the length of `next`, and their places are within both allocations. No other entry has them, of this
/// part or of another one.
unsafe fn move_part<P: Position, K: Position, C: Position, V: Copy>(
    entries: &impl Entries<K, C, V>,
    part: usize,
    next: &mut [P],
    (to_others, to_values): (Room<C>, Room<V>),
) {
    entries.each(part, |number, other, value| {
        // SAFETY: as promised.
        let place = unsafe { next.get_unchecked_mut(number.index()) };
        let to = place.index();
        *place = P::of(to + 1);
        // SAFETY: as promised.
        unsafe {
            to_others.set(to, other);
            to_values.set(to, value);
        }
    });
}

/// How many of the numbers are `k`, as element `k + 1` of so many. `None` if there is no such element.
fn counts<P: Position, K: Position>(numbers: &[K], len: usize) -> Option<Vec<P>> {
    let mut counts = vec![P::of(0); len];
    let of_numbers = &mut counts[1..];
    for number in numbers {
        let count = of_numbers.get_mut(number.index())?;
        *count = P::of(count.index() + 1);
    }
    Some(counts)
}

/// Makes the counts of each part the places at which its entries begin: those of a number lie side by side, part by part. When all are put, the
/// last part has where the entries of each number end.
fn begins<P: Position>(tables: &mut [Vec<P>]) {
    let mut begin = 0;
    if let [table] = tables {
        for place in table {
            begin += std::mem::replace(place, P::of(begin)).index();
        }
        return;
    }
    for k in 0..tables[0].len() {
        for table in &mut *tables {
            begin += std::mem::replace(&mut table[k], P::of(begin)).index();
        }
    }
}
