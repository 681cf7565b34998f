//! The sort of entries whose numbers lie anywhere: they are dealt out to buckets of consecutive numbers, and each bucket is sorted by counting while
//! it is in a cache.
//!
//! ```text
//!   part 0: entries ─┐           ┌─ bucket 0: numbers 0 to 63      ──► counts, places of its entries
//!   part 1: entries ─┴─► dealt ──┼─ bucket 1: numbers 64 to 4095   ──► counts, places of its entries
//!                                └─ …
//! ```
//!
//! Memory is written bucket by bucket, where a sort by counts alone writes a cache line here and there for each entry.

use super::Entries;
use crate::parallel::Room;
use crate::{Position, par_items, par_map};

/// Cells of consecutive numbers at most, whose entries are counted to make up buckets.
const CELLS: usize = if cfg!(any(miri, test)) { 1 << 4 } else { 1 << 12 };

/// Buckets that are aimed at: each has a cache line where its next entry goes.
const BUCKETS: usize = if cfg!(any(miri, test)) { 5 } else { 256 };

/// Numbers of a bucket: each has a cache line where its next entry goes, too.
const NUMBERS: usize = if cfg!(any(miri, test)) { 7 } else { 1 << 12 };

/// Where there are more numbers than in so many buckets, buckets have more of them.
const MOST: usize = 1 << 10;

/// As [`Way::sorted`](super::Way::sorted).
pub(super) fn sorted<P: Position, K: Position, C: Position, V: Copy + Send + Sync>(
    entries: &impl Entries<K, C, V>,
    nonzeros: usize,
    extent: usize,
) -> Option<(Vec<P>, Vec<C>, Vec<V>)> {
    let len = extent.checked_add(1)?;
    let shift = (0..usize::BITS).find(|shift| extent >> shift < CELLS)?;
    let counts = |part| {
        let (numbers, mut counts) = (entries.numbers(part), vec![0; (extent >> shift) + 1]);
        K::all_below(numbers, extent).then(|| {
            numbers.iter().for_each(|number| counts[number.index() >> shift] += 1);
            counts
        })
    };
    let counts: Vec<Vec<usize>> = par_map(entries.parts(), 1, counts).into_iter().collect::<Option<_>>()?;
    let buckets = Buckets::of(&counts, nonzeros, (extent, shift));
    let (keys, mut values) = deal(entries, &buckets, &counts, nonzeros);
    let (mut others, mut begins) = (vec![C::of(0); nonzeros], vec![P::of(nonzeros); len]);
    par_items(buckets.each(&keys, (&mut others, &mut values), &mut begins), Bucket::sort);
    Some((begins, others, values))
}

/// Which numbers each bucket has.
struct Buckets {
    /// The lowest bits of a number, which its cell does not depend on.
    shift: u32,
    /// The bucket of each cell.
    of_cell: Vec<u16>,
    /// The first cell of each bucket, and how many cells there are.
    cells: Vec<usize>,
    /// Where the entries of each bucket begin, and how many there are.
    entries: Vec<usize>,
}

impl Buckets {
    /// Buckets of cells of which each part has so many entries: about as many entries in each as in another.
    fn of(counts: &[Vec<usize>], nonzeros: usize, (extent, shift): (usize, u32)) -> Self {
        let num_cells = (extent >> shift) + 1;
        let (most, wide) = (nonzeros / BUCKETS + 1, (NUMBERS.max(extent / MOST) >> shift).max(1));
        let mut buckets = Buckets { shift, of_cell: Vec::with_capacity(num_cells), cells: vec![0], entries: vec![0] };
        let (mut first, mut begin, mut all) = (0, 0, 0);
        for cell in 0..num_cells {
            let own: usize = counts.iter().map(|counts| counts[cell]).sum();
            if cell > first && (all + own - begin > most || cell - first >= wide) {
                buckets.cells.push(cell);
                buckets.entries.push(all);
                (first, begin) = (cell, all);
            }
            all += own;
            buckets.of_cell.push((buckets.cells.len() - 1) as u16);
        }
        buckets.cells.push(num_cells);
        buckets.entries.push(all);
        buckets
    }

    fn len(&self) -> usize {
        self.cells.len() - 1
    }

    /// What each bucket has of what was dealt out, and of where the entries of each number begin.
    fn each<'a, P, K, C, V>(
        &self,
        mut keys: &'a [(K, C)],
        (mut others, mut values): (&'a mut [C], &'a mut [V]),
        mut begins: &'a mut [P],
    ) -> Vec<Bucket<'a, P, K, C, V>> {
        let each = |bucket: usize| {
            let first = self.cells[bucket] << self.shift;
            // The last cell may reach beyond the numbers, to where the end of all entries stands.
            let extent = ((self.cells[bucket + 1] << self.shift) - first).min(begins.len());
            let own = self.entries[bucket + 1] - self.entries[bucket];
            Bucket {
                first,
                begin: self.entries[bucket],
                keys: keys.split_off(..own).unwrap_or_default(),
                others: others.split_off_mut(..own).unwrap_or_default(),
                values: values.split_off_mut(..own).unwrap_or_default(),
                begins: begins.split_off_mut(..extent).unwrap_or_default(),
            }
        };
        (0..self.len()).map(each).collect()
    }

    /// Where each part puts its entries of each bucket: those of a bucket lie side by side, part by part.
    fn begins(&self, counts: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let of_part = |counts: &Vec<usize>| -> Vec<usize> {
            self.cells.windows(2).map(|cells| counts[cells[0]..cells[1]].iter().sum()).collect()
        };
        let mut begins: Vec<_> = counts.iter().map(of_part).collect();
        for (bucket, &begin) in self.entries[..self.len()].iter().enumerate() {
            let mut begin = begin;
            for part in &mut begins {
                begin += std::mem::replace(&mut part[bucket], begin);
            }
        }
        begins
    }
}

/// Brings all entries into their buckets, in which they stay in order: each number beside the other coordinate, and the values.
fn deal<K: Position, C: Position, V: Copy + Send + Sync>(
    entries: &impl Entries<K, C, V>,
    buckets: &Buckets,
    counts: &[Vec<usize>],
    nonzeros: usize,
) -> (Vec<(K, C)>, Vec<V>) {
    let (mut keys, mut values) = (Vec::with_capacity(nonzeros), Vec::with_capacity(nonzeros));
    let (to_keys, to_values) = (Room::of(&mut keys), Room::of(&mut values));
    let parts = buckets.begins(counts).into_iter().enumerate().collect();
    par_items(parts, |(part, mut next): (usize, Vec<usize>)| {
        entries.each(part, |number, other, value| {
            let next = &mut next[usize::from(buckets.of_cell[number.index() >> buckets.shift])];
            let place = *next;
            *next += 1;
            // The processor follows a few arrays by itself, and not as many as there are buckets.
            to_keys.prefetch_behind(place);
            to_values.prefetch_behind(place);
            // SAFETY: the numbers of the part, which are borrowed, are those that were counted: each bucket gets as many entries of the part as
            // it has places for it, from where `begins` says on, and there are as many places as entries.
            unsafe {
                to_keys.set(place, (number, other));
                to_values.set(place, value);
            }
        });
    });
    // SAFETY: every entry was put into a place of its own: there are as many entries as places.
    unsafe {
        keys.set_len(nonzeros);
        values.set_len(nonzeros);
    }
    (keys, values)
}

/// The entries of a bucket.
struct Bucket<'a, P, K, C, V> {
    /// The lowest number that it may have.
    first: usize,
    /// How many entries those before have.
    begin: usize,
    keys: &'a [(K, C)],
    others: &'a mut [C],
    values: &'a mut [V],
    /// Where the entries of each of its numbers begin.
    begins: &'a mut [P],
}

impl<P: Position, K: Position, C: Position, V: Copy> Bucket<'_, P, K, C, V> {
    /// Sorts the entries in place, and finds where those of each number begin.
    fn sort(self) {
        let mut next = vec![0; self.begins.len()];
        self.keys.iter().for_each(|(number, _)| next[number.index() - self.first] += 1);
        let mut at = 0;
        for (begin, next) in self.begins.iter_mut().zip(&mut next) {
            *begin = P::of(self.begin + at);
            at += std::mem::replace(next, at);
        }
        // A copy of them fits into the cache.
        let values = self.values.to_vec();
        for (&(number, other), value) in self.keys.iter().zip(values) {
            let place = &mut next[number.index() - self.first];
            self.others[*place] = other;
            self.values[*place] = value;
            *place += 1;
        }
    }
}
