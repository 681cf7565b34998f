//! A row that is being added up from others, as a row of a product of two matrices is (Gustavson 1978).

use std::mem::take;

use super::Number;

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// What the sums of rows need: a value for each column, and two levels of bits that tell which columns there are.
///
/// ```text
///   add(col, value) ──► sums[col], bit col of the columns, bit col / 64 of the words that are not zero
///   take            ──► words that are not zero ──► their columns, in ascending order
/// ```
///
/// A short row of a wide matrix has its columns listed and sorted instead, because to look at all words would take longer. Takes memory
/// for a value and a bit for each column.
///
/// ```
/// use pleach::csr::RowSums;
///
/// let mut sums = RowSums::new(1000);
/// let mut row = sums.begin(3);
/// row.add(700, 1.0);
/// row.add(2, 5.0);
/// row.add(700, 0.5);
/// let mut found = Vec::new();
/// row.take(|col, value| found.push((col, value)));
/// assert_eq!(found, [(2, 5.0), (700, 1.5)]);
/// ```
#[derive(Clone, Debug)]
pub struct RowSums<V> {
    sums: Vec<V>,
    /// A bit for each column of the row.
    columns: Vec<u64>,
    /// A bit for each word of `columns` that is not zero.
    words: Vec<u64>,
    /// The columns of a short row, as they came.
    list: Vec<u32>,
}

/// A row that is being added up. What it holds must be taken: otherwise the next row is wrong.
#[derive(Debug)]
#[must_use = "what is not taken makes the next row wrong"]
pub struct RowSum<'a, V> {
    sums: &'a mut [V],
    columns: &'a mut [u64],
    words: &'a mut [u64],
    list: &'a mut Vec<u32>,
    listed: bool,
}

impl<V: Number> RowSums<V> {
    /// For rows of so many columns. O(columns).
    ///
    /// # Panics
    ///
    /// If there are more than 2^32 columns.
    pub fn new(cols: usize) -> Self {
        assert!(cols as u64 <= 1 << 32, "{cols} columns are more than 32-bit coordinates can number");
        let words = cols.div_ceil(BITS);
        RowSums {
            sums: vec![V::default(); cols],
            columns: vec![0; words],
            words: vec![0; words.div_ceil(BITS)],
            list: Vec::new(),
        }
    }

    /// An empty row. `most` is how often [`RowSum::add`] will be called: it decides how columns are found, and a wrong number makes the row
    /// slower. O(1).
    #[inline]
    pub fn begin(&mut self, most: usize) -> RowSum<'_, V> {
        RowSum {
            listed: most <= self.words.len() / 4,
            sums: &mut self.sums,
            columns: &mut self.columns,
            words: &mut self.words,
            list: &mut self.list,
        }
    }
}

impl<V: Number> RowSum<'_, V> {
    /// Number of columns.
    #[inline]
    pub fn num_cols(&self) -> usize {
        self.sums.len()
    }

    /// Adds a value to a column. O(1).
    ///
    /// # Panics
    ///
    /// If there is no such column.
    #[inline]
    pub fn add(&mut self, col: usize, value: V) {
        let (sum, word, bit) = (&mut self.sums[col], &mut self.columns[col / BITS], 1u64 << (col % BITS));
        if *word & bit != 0 {
            *sum = *sum + value;
            return;
        }
        *sum = value;
        if self.listed {
            self.list.push(col as u32);
        } else if *word == 0 {
            self.words[col / BITS / BITS] |= 1 << (col / BITS % BITS);
        }
        *word |= bit;
    }

    /// Calls `visit` with each column and its sum, in ascending order. O(columns of the row + columns / 4096), or a sort of a short row.
    #[inline]
    pub fn take(self, mut visit: impl FnMut(u32, V)) {
        if self.listed {
            self.list.sort_unstable();
            for col in self.list.drain(..) {
                self.columns[col as usize / BITS] = 0;
                visit(col, self.sums[col as usize]);
            }
            return;
        }
        for (first, words) in (0..).step_by(BITS).zip(&mut *self.words) {
            for word in ones(take(words)) {
                for bit in ones(take(&mut self.columns[first + word])) {
                    let col = (first + word) * BITS + bit;
                    visit(col as u32, self.sums[col]);
                }
            }
        }
    }
}

/// The places of the bits of a word that are 1, from the lowest on.
#[inline]
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        place
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn rows_are_those_of_a_map() {
        let mut state = 1u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for cols in [1, 7, 63, 64, 65, 4095, 4096, 4097, 300_000] {
            let mut sums = RowSums::new(cols);
            for adds in [0, 1, 2, 17, 18, 40, 700, 5000] {
                // A wrong announcement changes nothing but the time.
                for most in [adds, 0, usize::MAX] {
                    let mut expected = BTreeMap::new();
                    let mut row = sums.begin(most);
                    for k in 0..adds as u64 {
                        // The first and the last column, too.
                        let col = if k % 9 == 0 { (cols - 1) * (k as usize / 9 % 2) } else { random(cols) };
                        row.add(col, k + 1);
                        *expected.entry(col as u32).or_insert(0) += k + 1;
                    }
                    let mut found = Vec::new();
                    row.take(|col, value| found.push((col, value)));
                    assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{cols} columns, {adds} values");
                }
            }
        }
    }

    #[test]
    fn sums_that_become_zero_stay() {
        let mut sums = RowSums::new(100);
        let mut row = sums.begin(2);
        row.add(5, 1);
        row.add(5, -1);
        let mut found = Vec::new();
        row.take(|col, value| found.push((col, value)));
        assert_eq!(found, [(5, 0)]);
        sums.begin(0).take(|col, _| panic!("column {col} is left over"));
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_column_beyond_the_last_is_refused() {
        RowSums::new(64).begin(1).add(64, 1);
    }
}
