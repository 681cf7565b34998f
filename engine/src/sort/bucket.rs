//! Sorts the arcs of one bucket, which fits a cache, into rows.
//!
//! Where rows hold many arcs the whole bucket is sorted by column first, digit by digit, and then by row: a few passes whose
//! cost does not depend on the rows' lengths. Where rows are short they are gathered first and each is sorted on its own.

use super::Duplicates;
use super::key::{Key, Span};

/// Bits of a digit: as many counters as fit the first cache level beside the data.
pub(super) const DIGIT_BITS: u32 = 11;

/// Rows that hold more arcs than this on average are sorted all together.
const LONG_ROWS: usize = 8;

/// Rows up to this length are sorted by insertion.
const INSERTION: usize = 24;

/// Buffers for one task, used again for the next bucket.
pub(super) struct BucketSorter<K, V> {
    /// Column coordinates, row by row.
    pub cols: Vec<u32>,
    /// Values at the positions of their coordinates.
    pub values: Vec<V>,
    /// Where each row begins, and where the last ends.
    pub offsets: Vec<usize>,
    /// For the passes over columns, and for a bucket that is split again.
    pub keys: Vec<K>,
    /// As `keys`.
    pub key_values: Vec<V>,
    /// One long row's columns above their positions.
    order: Vec<u64>,
    /// One long row's values.
    row_values: Vec<V>,
}

impl<K, V> Default for BucketSorter<K, V> {
    fn default() -> Self {
        BucketSorter {
            cols: Vec::new(),
            values: Vec::new(),
            offsets: Vec::new(),
            keys: Vec::new(),
            key_values: Vec::new(),
            order: Vec::new(),
            row_values: Vec::new(),
        }
    }
}

/// Makes a buffer at least `n` long, without its old content: new memory comes zeroed from the system, and nothing is copied.
pub(super) fn fit<T: Clone + Default>(buffer: &mut Vec<T>, n: usize) {
    if buffer.len() < n {
        *buffer = Vec::new();
        *buffer = vec![T::default(); n];
    }
}

impl<K: Key, V: Copy + Default> BucketSorter<K, V> {
    /// Sorts arcs by row, then by column, then by their position in the input, into `cols`, `values` and `offsets`. Afterwards `keys` and
    /// `values` are in no particular order.
    pub(super) fn sort(&mut self, keys: &mut [K], values: &mut [V], span: Span) {
        let n = keys.len();
        fit(&mut self.cols, n);
        fit(&mut self.values, n);
        if n <= LONG_ROWS * span.rows {
            self.gather_rows(keys, values, span);
            self.sort_rows(span.rows);
            return;
        }
        fit(&mut self.keys, n);
        fit(&mut self.key_values, n);
        let (mut other_keys, mut other_values) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.key_values));
        let mut swapped = false;
        let passes = span.col_bits.div_ceil(DIGIT_BITS);
        let bits = span.col_bits.div_ceil(passes.max(1));
        for digit in (0..passes).map(|pass| Digit { shift: pass * bits, mask: (1 << bits) - 1 }) {
            let from =
                if swapped { (&mut other_keys[..n], &mut other_values[..n]) } else { (&mut *keys, &mut *values) };
            let mut counts = digit.count(from.0);
            // A digit that is the same in all keys needs no pass.
            if counts[digit.of(from.0[0])] == n {
                continue;
            }
            if swapped {
                digit.pass((&other_keys[..n], &other_values[..n]), (keys, values), &mut counts);
            } else {
                digit.pass((keys, values), (&mut other_keys[..n], &mut other_values[..n]), &mut counts);
            }
            swapped = !swapped;
        }
        if swapped {
            self.gather_rows(&other_keys[..n], &other_values[..n], span);
        } else {
            self.gather_rows(keys, values, span);
        }
        (self.keys, self.key_values) = (other_keys, other_values);
    }

    /// Moves arcs to their rows, in the order in which they stand: one counting sort.
    fn gather_rows(&mut self, keys: &[K], values: &[V], span: Span) {
        let Span { first_row, rows, col_bits } = span;
        // While arcs are moved, `offsets[r + 1]` is where the next arc of row `r` goes.
        self.offsets.clear();
        self.offsets.resize(rows + 2, 0);
        let offsets = &mut self.offsets[1..];
        for &key in keys {
            offsets[key.local_row(first_row, col_bits) + 1] += 1;
        }
        let mut sum = 0;
        for offset in &mut offsets[1..] {
            sum += *offset;
            *offset = sum;
        }
        let n = keys.len();
        let cols = &mut self.cols[..n];
        if size_of::<V>() == 0 {
            for &key in keys {
                let next = &mut offsets[key.local_row(first_row, col_bits)];
                cols[*next] = key.col(col_bits);
                *next += 1;
            }
        } else {
            let moved = &mut self.values[..n];
            for (&key, &value) in keys.iter().zip(values) {
                let next = &mut offsets[key.local_row(first_row, col_bits)];
                cols[*next] = key.col(col_bits);
                moved[*next] = value;
                *next += 1;
            }
        }
        self.offsets.truncate(rows + 1);
    }

    /// Sorts each row by column, keeping the order of equals.
    fn sort_rows(&mut self, rows: usize) {
        for row in 0..rows {
            let range = self.offsets[row]..self.offsets[row + 1];
            if range.len() < 2 {
                continue;
            }
            let (cols, values) = (&mut self.cols[range.clone()], &mut self.values[range]);
            if cols.len() <= INSERTION {
                insertion_sort(cols, values);
            } else if size_of::<V>() == 0 {
                cols.sort_unstable();
            } else {
                // Positions below the columns keep equals in order.
                self.order.clear();
                self.order.extend(cols.iter().zip(0u64..).map(|(&col, k)| u64::from(col) << 32 | k));
                self.order.sort_unstable();
                self.row_values.clear();
                self.row_values.extend_from_slice(values);
                for ((col, value), &key) in cols.iter_mut().zip(values).zip(&self.order) {
                    *col = (key >> 32) as u32;
                    *value = self.row_values[key as u32 as usize];
                }
            }
        }
    }

    /// Leaves one arc at each coordinate, chosen by `duplicates`, and closes the gaps.
    ///
    /// Returns the number of arcs left, or the (local) row and the column of the first duplicate if there must be none.
    pub(super) fn deduplicate(&mut self, rows: usize, duplicates: Duplicates<V>) -> Result<usize, (usize, u32)> {
        let offsets = &mut self.offsets[..=rows];
        let (cols, values) = (&mut self.cols[..offsets[rows]], &mut self.values[..offsets[rows]]);
        let has_duplicate = |w: &[usize]| cols[w[0]..w[1]].windows(2).fold(false, |any, c| any | (c[0] == c[1]));
        let Some(first) = offsets.windows(2).position(has_duplicate) else { return Ok(offsets[rows]) };
        let mut kept = offsets[first];
        let mut begin = kept;
        for row in first..rows {
            let end = offsets[row + 1];
            kept = match duplicates {
                // A pattern has no values to choose from: write every coordinate, and advance only if it is new.
                _ if size_of::<V>() == 0 && !matches!(duplicates, Duplicates::Error) => {
                    keep_distinct(cols, begin..end, kept)
                }
                Duplicates::Error => match cols[begin..end].windows(2).find(|c| c[0] == c[1]) {
                    Some(c) => return Err((row, c[0])),
                    None => keep_distinct(cols, begin..end, kept),
                },
                Duplicates::First => merge_equal(cols, values, begin..end, kept, |a, _| a),
                Duplicates::Last => merge_equal(cols, values, begin..end, kept, |_, b| b),
                Duplicates::Combine(combine) => merge_equal(cols, values, begin..end, kept, combine),
            };
            begin = end;
            offsets[row + 1] = kept;
        }
        Ok(kept)
    }
}

/// Some adjacent bits of a key.
#[derive(Clone, Copy)]
pub(super) struct Digit {
    shift: u32,
    mask: usize,
}

impl Digit {
    /// The bits from `shift` on.
    pub(super) fn at(shift: u32) -> Self {
        Digit { shift, mask: (1 << DIGIT_BITS) - 1 }
    }

    /// The digit of a key, below `1 << DIGIT_BITS`.
    #[inline]
    fn of<K: Key>(self, key: K) -> usize {
        key.digit(self.shift) & self.mask & ((1 << DIGIT_BITS) - 1)
    }

    /// How often each digit occurs.
    pub(super) fn count<K: Key>(self, keys: &[K]) -> [usize; 1 << DIGIT_BITS] {
        let mut counts = [0; 1 << DIGIT_BITS];
        keys.iter().for_each(|&key| counts[self.of(key)] += 1);
        counts
    }

    /// Moves arcs to where this digit of their key puts them. `counts` says how often each occurs, and is used up.
    pub(super) fn pass<K: Key, V: Copy>(
        self,
        (keys, values): (&[K], &[V]),
        (to_keys, to_values): (&mut [K], &mut [V]),
        counts: &mut [usize; 1 << DIGIT_BITS],
    ) {
        let mut sum = 0;
        for count in &mut counts[..=self.mask] {
            sum += std::mem::replace(count, sum);
        }
        if size_of::<V>() == 0 {
            for &key in keys {
                let next = &mut counts[self.of(key)];
                to_keys[*next] = key;
                *next += 1;
            }
        } else {
            for (&key, &value) in keys.iter().zip(values) {
                let next = &mut counts[self.of(key)];
                to_keys[*next] = key;
                to_values[*next] = value;
                *next += 1;
            }
        }
    }
}

/// Sorts a short row by column, keeping the order of equals.
fn insertion_sort<V: Copy>(cols: &mut [u32], values: &mut [V]) {
    for k in 1..cols.len() {
        let (col, value) = (cols[k], values[k]);
        let mut hole = k;
        while hole > 0 && cols[hole - 1] > col {
            cols[hole] = cols[hole - 1];
            values[hole] = values[hole - 1];
            hole -= 1;
        }
        cols[hole] = col;
        values[hole] = value;
    }
}

/// Moves the distinct ones of ascending coordinates down to `to`. Returns where they end.
fn keep_distinct(cols: &mut [u32], row: std::ops::Range<usize>, mut to: usize) -> usize {
    let Some(&first) = cols[row.clone()].first() else { return to };
    let mut previous = !first;
    for k in row {
        let col = cols[k];
        cols[to] = col;
        // A new coordinate is written behind the last one, a repeated one over it.
        if col != previous {
            to += 1;
        }
        previous = col;
    }
    to
}

/// Moves ascending coordinates and their values down to `to`, merging equals from left to right. Returns where they end.
fn merge_equal<V: Copy>(
    cols: &mut [u32],
    values: &mut [V],
    row: std::ops::Range<usize>,
    to: usize,
    merge: impl Fn(V, V) -> V,
) -> usize {
    let begin = to;
    let mut to = to;
    for k in row {
        if to > begin && cols[to - 1] == cols[k] {
            values[to - 1] = merge(values[to - 1], values[k]);
        } else {
            (cols[to], values[to]) = (cols[k], values[k]);
            to += 1;
        }
    }
    to
}
