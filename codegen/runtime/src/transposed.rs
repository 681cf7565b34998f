//! Counting sorts of entries into compressed rows, whose results are not cleared before: of a list, and of compressed columns.

mod buckets;
mod counts;

use std::ops::Range;

use crate::{Position, threads};

/// Offsets, coordinates and values of the transpose of compressed rows with `cols` columns. Its rows ascend, whatever the order of the
/// given rows is, and what is there twice stays. O(nonzeros + rows + columns); by several threads if there are many more nonzeros than columns.
///
/// `None` if the arrays are no compressed rows: if there are no offsets, the first is not 0, one is below the one before it, or the last
/// is not the number of coordinates and of values; if a coordinate is not below `cols`; or if the number of rows or of nonzeros does not fit
/// the types.
///
/// ```
/// // [[0, 5, 6], [7, 0, 0]]
/// let (offsets, coords, values) = pleach_runtime::transposed(&[0u32, 2, 3], &[1u32, 2, 0], &[5, 6, 7], 3).unwrap();
/// assert_eq!(offsets, [0, 1, 2, 3]);
/// assert_eq!(coords, [1, 0, 0]);
/// assert_eq!(values, [7, 5, 6]);
/// ```
pub fn transposed<P: Position, C: Position, V: Copy + Send + Sync>(
    offsets: &[P],
    coords: &[C],
    values: &[V],
    cols: usize,
) -> Option<(Vec<P>, Vec<C>, Vec<V>)> {
    let (nonzeros, rows) = (coords.len(), offsets.len().checked_sub(1)?);
    let ascend = offsets.windows(2).fold(true, |all, pair| all & (pair[0].index() <= pair[1].index()));
    if !ascend || offsets[0].index() != 0 || offsets[rows].index() != nonzeros || values.len() != nonzeros {
        return None;
    }
    if !P::fits(nonzeros) || !C::fits(rows) {
        return None;
    }
    let way = Way::of(coords, cols);
    let parts = way.parts(nonzeros, cols);
    let first = |part: usize| match part {
        0 => 0,
        part if part == parts => rows,
        part => offsets.partition_point(|at| at.index() < nonzeros / parts * part).min(rows),
    };
    let firsts: Vec<usize> = (0..=parts).map(first).collect();
    way.sorted(&ByRows { offsets, cols: coords, values, firsts }, nonzeros, cols)
}

/// Offsets, coordinates and values of compressed rows, `num_rows` of them, of entries in any order: entry `k` lies in `rows[k]` and `cols[k]`.
/// The entries of a row stay in their order, and what is there twice stays. O(nonzeros + rows); by several threads if there are many more
/// nonzeros than rows.
///
/// `None` if the arrays differ in length, if a row is not below `num_rows`, or if the number of entries does not fit the type. Columns are
/// not looked at.
///
/// ```
/// let (offsets, cols, values) = pleach_runtime::gathered(&[1u32, 0, 1], &[2u32, 1, 0], &[5, 6, 7], 2).unwrap();
/// assert_eq!(offsets, [0, 1, 3]);
/// assert_eq!(cols, [1, 2, 0]);
/// assert_eq!(values, [6, 5, 7]);
/// ```
pub fn gathered<C: Position, V: Copy + Send + Sync>(
    rows: &[C],
    cols: &[C],
    values: &[V],
    num_rows: usize,
) -> Option<(Vec<C>, Vec<C>, Vec<V>)> {
    let nonzeros = rows.len();
    if cols.len() != nonzeros || values.len() != nonzeros || !C::fits(nonzeros) {
        return None;
    }
    let way = Way::of(rows, num_rows);
    way.sorted(&Listed { rows, cols, values, parts: way.parts(nonzeros, num_rows) }, nonzeros, num_rows)
}

/// Nonzeros of a part: to wake a thread takes as long as to move some thousands.
const PART: usize = if cfg!(miri) { 1 << 5 } else { 1 << 16 };

/// Entries from which on what is sorted does not stay in a cache next to the core.
const LARGE: usize = if cfg!(any(miri, test)) { 1 << 6 } else { 1 << 17 };

/// So few numbers have their next places in a cache next to the core, all at once.
const FEW: usize = if cfg!(any(miri, test)) { 1 << 5 } else { 1 << 12 };

/// With more threads than this, tables of all numbers for each are too many.
const THREADS: usize = 4;

/// Numbers so near to one another mostly share a cache line, of counts and of places.
const NEAR: usize = if cfg!(any(miri, test)) { 1 } else { 16 };

/// Entries that are looked at, and how many before each.
const SAMPLE: usize = 256;
const BEFORE: usize = 32;

/// How entries are sorted. `pleach bench convert --graph web --graph eco --threads 1` holds both beside counts by hand: on the skewed graph, by
/// buckets, transposition took 0.58 times as long; on the grid it goes by counts, and took 0.72 times as long.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// By a count of each number.
    Counts,
    /// By buckets of numbers, which are sorted by counts.
    Buckets,
}

impl Way {
    /// The faster one for so many numbers below an extent.
    fn of<K: Position>(numbers: &[K], extent: usize) -> Self {
        let pays = numbers.len() >= LARGE && extent > FEW && (threads() > THREADS || are_scattered(numbers));
        if pays { Way::Buckets } else { Way::Counts }
    }

    /// The parts in which so many nonzeros are sorted at a time. With counts, each has a table of the numbers below `extent`, and there are more
    /// nonzeros than elements of tables.
    fn parts(self, nonzeros: usize, extent: usize) -> usize {
        let most = match self {
            Way::Counts => (nonzeros / PART).min(nonzeros / extent.max(1)),
            Way::Buckets => nonzeros / PART,
        };
        most.clamp(1, threads())
    }

    /// Sorts so many entries; those of one number stay in their order. Returns where the entries of each number begin and the last ones end, and what
    /// is sorted. `None` if a number is not below `extent`.
    fn sorted<P: Position, K: Position, C: Position, V: Copy + Send + Sync>(
        self,
        entries: &impl Entries<K, C, V>,
        nonzeros: usize,
        extent: usize,
    ) -> Option<(Vec<P>, Vec<C>, Vec<V>)> {
        match self {
            Way::Counts => counts::sorted(entries, nonzeros, extent),
            Way::Buckets => buckets::sorted(entries, nonzeros, extent),
        }
    }
}

/// Whether most numbers of a sample lie near none of those shortly before them.
fn are_scattered<K: Position>(numbers: &[K]) -> bool {
    let is_far =
        |&k: &usize| numbers[k - BEFORE..k].iter().all(|other| other.index().abs_diff(numbers[k].index()) > NEAR);
    let sample = (BEFORE..numbers.len()).step_by((numbers.len() / SAMPLE).max(1));
    2 * sample.clone().filter(is_far).count() > sample.len()
}

/// What is sorted, part by part. An entry has a number, by which it is sorted, another coordinate, and a value.
trait Entries<K, C, V>: Sync {
    /// How many parts there are.
    fn parts(&self) -> usize;

    /// The numbers of a part. Parts follow one another.
    fn numbers(&self, part: usize) -> &[K];

    /// Calls `put` for each entry of a part, in order.
    fn each(&self, part: usize, put: impl FnMut(K, C, V));
}

/// The entries of compressed rows, by their columns: the other coordinate is the row. Part `k` begins with row `firsts[k]`, and there is one number
/// more than parts.
struct ByRows<'a, P, K, V> {
    offsets: &'a [P],
    cols: &'a [K],
    values: &'a [V],
    firsts: Vec<usize>,
}

impl<P: Position, K: Position, C: Position, V: Copy + Sync> Entries<K, C, V> for ByRows<'_, P, K, V> {
    fn parts(&self) -> usize {
        self.firsts.len() - 1
    }

    fn numbers(&self, part: usize) -> &[K] {
        &self.cols[self.offsets[self.firsts[part]].index()..self.offsets[self.firsts[part + 1]].index()]
    }

    #[inline(always)]
    fn each(&self, part: usize, mut put: impl FnMut(K, C, V)) {
        let (cols, values) = (self.cols, self.values);
        let rows = self.firsts[part]..self.firsts[part + 1];
        let ends = &self.offsets[rows.start..=rows.end];
        for (row, pair) in rows.zip(ends.windows(2)) {
            let range = pair[0].index()..pair[1].index();
            let other = C::of(row);
            cols[range.clone()].iter().zip(&values[range]).for_each(|(&col, &value)| put(col, other, value));
        }
    }
}

/// Entries in a list, by their rows.
struct Listed<'a, C, V> {
    rows: &'a [C],
    cols: &'a [C],
    values: &'a [V],
    parts: usize,
}

impl<C, V> Listed<'_, C, V> {
    fn range(&self, part: usize) -> Range<usize> {
        let begin = |part| if part == self.parts { self.rows.len() } else { self.rows.len() / self.parts * part };
        begin(part)..begin(part + 1)
    }
}

impl<C: Position, V: Copy + Sync> Entries<C, C, V> for Listed<'_, C, V> {
    fn parts(&self) -> usize {
        self.parts
    }

    fn numbers(&self, part: usize) -> &[C] {
        &self.rows[self.range(part)]
    }

    #[inline(always)]
    fn each(&self, part: usize, mut put: impl FnMut(C, C, V)) {
        let range = self.range(part);
        let (rows, cols, values) = (&self.rows[range.clone()], &self.cols[range.clone()], &self.values[range]);
        rows.iter().zip(cols).zip(values).for_each(|((&row, &col), &value)| put(row, col, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_those_of_a_sort() {
        // Rows without order, with duplicates, empty ones at both ends; the last columns empty.
        let (rows, cols) = (60usize, 41usize);
        let mut entries: Vec<(usize, usize, usize)> = Vec::new();
        let (mut offsets, mut coords, mut values) = (vec![0i64], Vec::new(), Vec::new());
        for row in 0..rows {
            for k in 0..row % 7 * usize::from(row % 5 != 0) {
                let col = (row * row + 3 * k * k) % 37;
                entries.push((col, row, values.len()));
                coords.push(col as i32);
                values.push(values.len());
            }
            offsets.push(coords.len() as i64);
        }
        entries.sort_by_key(|&(col, row, _)| (col, row));
        let (begins, numbers, moved) = transposed(&offsets, &coords, &values, cols).unwrap();
        assert_eq!(begins.len(), cols + 1);
        let mut found = Vec::new();
        for col in 0..cols {
            let range = begins[col] as usize..begins[col + 1] as usize;
            found.extend(range.map(|at| (col, numbers[at] as usize, moved[at])));
        }
        assert_eq!(found, entries);
    }

    /// Calls `compute` on a pool of three threads.
    fn by_three<T: Send>(compute: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started").install(compute)
    }

    #[test]
    fn several_threads_sort_as_one_does() {
        // One long row, empty rows, and rows that begin and end amid parts.
        let nonzeros = 3 * PART + 7;
        let mut offsets = vec![0u32, 0];
        while (offsets[offsets.len() - 1] as usize) < nonzeros {
            let len = [0, nonzeros / 2, 3, 0, 5][(offsets.len() - 2).min(4)] as u32;
            offsets.push((offsets[offsets.len() - 1] + len).min(nonzeros as u32));
        }
        offsets.push(nonzeros as u32);
        let coords: Vec<u32> = (0..nonzeros as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20 & 15).collect();
        let values: Vec<usize> = (0..nonzeros).collect();
        let rows: Vec<u32> =
            (0..values.len()).map(|at| offsets.partition_point(|&end| end as usize <= at) as u32 - 1).collect();
        by_three(|| assert_eq!((Way::of(&coords, 17), Way::Counts.parts(nonzeros, 17)), (Way::Counts, 3)));
        let by_one = crate::serially(|| transposed(&offsets, &coords, &values, 17)).unwrap();
        let mut expected = values.clone();
        expected.sort_by_key(|&at| coords[at]);
        assert_eq!(by_one.2, expected);
        assert_eq!(by_three(|| transposed(&offsets, &coords, &values, 17)).unwrap(), by_one);
        assert_eq!(by_three(|| gathered(&coords, &rows, &values, 17)).unwrap(), by_one);
        assert_eq!(by_three(|| transposed(&offsets, &coords, &values, 15)), None);
        assert_eq!(by_three(|| gathered(&coords, &rows, &values, 15)), None);
    }

    #[test]
    fn both_ways_sort_alike() {
        let n = if cfg!(miri) { 3 * PART } else { 2 * PART + 5 };
        let drawn = |k: usize, extent: usize| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % extent;
        // Anywhere; half of them one number; the highest numbers only; the last number of a power of two.
        let [some, few, many] = if cfg!(miri) { [150, 90, 500] } else { [1000, 700, 90_000] };
        let numbers: [(usize, Vec<u32>); 4] = [
            (some, (0..n).map(|k| drawn(k, some) as u32).collect()),
            (few, (0..n).map(|k| if k % 2 == 0 { 33 } else { drawn(k, few) as u32 }).collect()),
            (many, (0..n).map(|k| (many - 1 - drawn(k, 50)) as u32).collect()),
            (1 << 8, (0..n).map(|k| [255, 0][k % 2]).collect()),
        ];
        let values: Vec<usize> = (0..n).collect();
        for (extent, rows) in &numbers {
            let sorted = |way: Way| {
                let listed = Listed { rows, cols: rows, values: &values, parts: way.parts(n, *extent) };
                way.sorted::<u32, _, _, _>(&listed, n, *extent).expect("numbers are in range")
            };
            let mut order = values.clone();
            order.sort_by_key(|&k| rows[k]);
            let mut begins = vec![0; extent + 1];
            rows.iter().for_each(|&row| begins[row as usize + 1] += 1);
            (0..*extent).for_each(|row| begins[row + 1] += begins[row]);
            let expected = (begins, order.iter().map(|&k| rows[k]).collect::<Vec<_>>(), order);
            for way in [Way::Counts, Way::Buckets] {
                assert!(by_three(|| sorted(way)) == expected, "{way:?} of numbers below {extent}");
                assert!(
                    crate::serially(|| sorted(way)) == expected,
                    "{way:?} of numbers below {extent}, by one thread"
                );
            }
            let beyond = Listed { rows, cols: rows, values: &values, parts: 2 };
            let least = *rows.iter().max().expect("there are some") as usize;
            assert!(Way::Buckets.sorted::<u32, _, _, _>(&beyond, n, least).is_none());
        }
        assert_eq!(Way::of(&numbers[0].1, some), Way::Buckets);
        assert_eq!(Way::of(&(0..n as u32).collect::<Vec<_>>(), n), Way::Counts);
    }

    #[test]
    fn one_row_is_one_part() {
        let nonzeros = 2 * PART;
        let (coords, values) = (vec![0u32; nonzeros], vec![1u8; nonzeros]);
        let found = by_three(|| transposed(&[0u32, nonzeros as u32], &coords, &values, 1)).unwrap();
        assert_eq!(found, (vec![0, nonzeros as u32], coords, values));
    }

    #[test]
    fn nothing_comes_of_arrays_that_are_no_rows() {
        let turn = |offsets: &[i32], coords: &[i32], values: &[u8], cols| transposed(offsets, coords, values, cols);
        assert_eq!(turn(&[0], &[], &[], 0), Some((vec![0], vec![], vec![])));
        assert_eq!(turn(&[0, 0], &[], &[], 2), Some((vec![0, 0, 0], vec![], vec![])));
        assert_eq!(turn(&[0, 2], &[1, 1], &[3, 4], 2), Some((vec![0, 0, 2], vec![0, 0], vec![3, 4])));
        for (offsets, coords, values) in [
            (&[][..], &[][..], &[][..]),
            (&[1, 2], &[0, 0], &[0, 0]),
            (&[0, 2, 1, 3], &[0, 0, 0], &[0, 0, 0]),
            (&[0, -1, 1], &[0], &[0]),
            (&[0, 1], &[0, 0], &[0, 0]),
            (&[0, 3], &[0, 0], &[0, 0]),
            (&[0, 2], &[0, 0], &[0]),
            (&[0, 2], &[0, 2], &[0, 0]),
            (&[0, 2], &[0, -1], &[0, 0]),
            (&[0, 2], &[0, i32::MAX], &[0, 0]),
        ] {
            assert_eq!(turn(offsets, coords, values, 2), None, "{offsets:?} {coords:?} {values:?}");
        }
        assert_eq!(transposed(&[0usize, 1], &[usize::MAX], &[0], 2), None);
        assert_eq!(transposed(&[0usize, 1], &[0usize], &[0], usize::MAX), None);
    }

    #[test]
    fn entries_of_a_list_are_those_of_a_stable_sort() {
        let (rows, cols): (Vec<i32>, Vec<i32>) = (0..500).map(|k| (k * k * 7 % 61, k * 31 % 43)).unzip();
        let values: Vec<usize> = (0..500).collect();
        let (begins, coords, moved) = gathered(&rows, &cols, &values, 64).unwrap();
        let mut expected = values.clone();
        expected.sort_by_key(|&at| rows[at]);
        assert_eq!(moved, expected);
        assert!(moved.iter().zip(&coords).all(|(&at, &col)| cols[at] == col));
        assert_eq!(begins.len(), 65);
        for (row, &begin) in begins.iter().enumerate() {
            assert_eq!(begin as usize, expected.partition_point(|&at| (rows[at] as usize) < row), "row {row}");
        }
    }

    #[test]
    fn nothing_comes_of_lists_that_do_not_fit() {
        assert_eq!(gathered::<u32, u8>(&[], &[], &[], 0), Some((vec![0], vec![], vec![])));
        for (rows, cols, values) in [
            (&[0, 2][..], &[0, 0][..], &[1u8, 2][..]),
            (&[0, -1], &[0, 0], &[1, 2]),
            (&[0, 1], &[0], &[1, 2]),
            (&[0, 1], &[0, 0], &[1]),
        ] {
            assert_eq!(gathered(rows, cols, values, 2), None, "{rows:?}");
        }
        assert_eq!(gathered(&[0usize], &[0], &[0], usize::MAX), None);
    }
}
