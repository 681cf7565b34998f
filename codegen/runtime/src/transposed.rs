//! Counting sorts of entries into compressed rows, whose results are not cleared before: of a list, and of compressed columns.

/// A type in which compressed rows keep positions and coordinates.
pub trait Position: Copy + sealed::Sealed {
    /// As an index. A negative number is one that no array has.
    fn index(self) -> usize;

    /// An index in this type; its lowest bits where it does not fit.
    fn of(index: usize) -> Self;

    /// Whether an index fits this type.
    fn fits(index: usize) -> bool;

    /// Whether all are below an extent, and none is negative.
    fn all_below(positions: &[Self], extent: usize) -> bool;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! positions {
    ($($position:ty: $unsigned:ty),*) => {$(
        impl sealed::Sealed for $position {}

        impl Position for $position {
            #[inline(always)]
            fn index(self) -> usize {
                self as $unsigned as usize
            }

            #[inline(always)]
            fn of(index: usize) -> Self {
                index as $position
            }

            fn fits(index: usize) -> bool {
                <$position>::try_from(index).is_ok()
            }

            fn all_below(positions: &[Self], extent: usize) -> bool {
                // A negative number is a large one without a sign. Without a way out of the loop, many are compared at a time.
                let most = <$position>::MAX as $unsigned;
                let last = extent.checked_sub(1).map(|last| <$unsigned>::try_from(last).unwrap_or(most).min(most));
                last.map_or(positions.is_empty(), |last| {
                    !positions.iter().fold(false, |beyond, &position| beyond | (position as $unsigned > last))
                })
            }
        }
    )*};
}

positions!(u32: u32, i32: u32, i64: u64, usize: usize);

/// Offsets, coordinates and values of the transpose of compressed rows with `cols` columns. Its rows ascend, whatever the order of the
/// given rows is, and what is there twice stays. O(nonzeros + rows + columns).
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
pub fn transposed<P: Position, C: Position, V: Copy>(
    offsets: &[P],
    coords: &[C],
    values: &[V],
    cols: usize,
) -> Option<(Vec<P>, Vec<C>, Vec<V>)> {
    let (nonzeros, rows) = (coords.len(), offsets.len().checked_sub(1)?);
    let ascend = offsets.windows(2).all(|pair| pair[0].index() <= pair[1].index());
    if !ascend || offsets[0].index() != 0 || offsets[rows].index() != nonzeros || values.len() != nonzeros {
        return None;
    }
    if !P::fits(nonzeros) || !C::fits(rows) {
        return None;
    }
    let mut next: Vec<P> = places(coords, cols)?;
    let (mut turned, mut moved) = (Vec::with_capacity(nonzeros), Vec::with_capacity(nonzeros));
    let (to_coords, to_values) = (turned.spare_capacity_mut(), moved.spare_capacity_mut());
    for row in 0..rows {
        let number = C::of(row);
        for at in offsets[row].index()..offsets[row + 1].index() {
            // SAFETY: offsets ascend to `nonzeros`, which is the length of `coords` and of `values`.
            let (col, value) = unsafe { (coords.get_unchecked(at).index(), *values.get_unchecked(at)) };
            // SAFETY: the coordinate is below `cols`: `places` has checked it, and it has not changed since, because it is borrowed.
            let place = unsafe { next.get_unchecked_mut(col + 1) };
            let to = place.index();
            // SAFETY: the place of a column began at the number of entries of all columns before it, and went on by one for each entry of its
            // own, of which this is one. There are `nonzeros` in all, for which both vectors have room.
            unsafe {
                to_coords.get_unchecked_mut(to).write(number);
                to_values.get_unchecked_mut(to).write(value);
            }
            *place = P::of(to + 1);
        }
    }
    // SAFETY: every nonzero was visited once, since offsets ascend from 0 to `nonzeros`, and was written to a place of its own.
    unsafe {
        turned.set_len(nonzeros);
        moved.set_len(nonzeros);
    }
    next.truncate(cols + 1);
    Some((next, turned, moved))
}

/// The places at which a counting sort of `numbers` puts the first entry of each number: that of `k` is element `k + 1`. Whoever puts an entry
/// there adds one to the element. When all are put, element `k` holds where the entries of `k` begin, and `k + 1` where they end.
///
/// `None` if a number is not below `extent`.
fn places<P: Position, C: Position>(numbers: &[C], extent: usize) -> Option<Vec<P>> {
    let len = extent.checked_add(2)?;
    if !C::all_below(numbers, extent) {
        return None;
    }
    let mut next = vec![P::of(0); len];
    for number in numbers {
        // SAFETY: the number is below `extent`, as all are, and there are two elements more than that.
        let count = unsafe { next.get_unchecked_mut(number.index() + 2) };
        *count = P::of(count.index() + 1);
    }
    let mut begin = 0;
    for place in &mut next {
        begin += place.index();
        *place = P::of(begin);
    }
    Some(next)
}

/// Offsets, coordinates and values of compressed rows, `num_rows` of them, of entries in any order: entry `k` lies in `rows[k]` and `cols[k]`.
/// The entries of a row stay in their order, and what is there twice stays. O(nonzeros + rows).
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
pub fn gathered<C: Position, V: Copy>(
    rows: &[C],
    cols: &[C],
    values: &[V],
    num_rows: usize,
) -> Option<(Vec<C>, Vec<C>, Vec<V>)> {
    let nonzeros = rows.len();
    if cols.len() != nonzeros || values.len() != nonzeros || !C::fits(nonzeros) {
        return None;
    }
    let mut next: Vec<C> = places(rows, num_rows)?;
    let (mut coords, mut moved) = (Vec::with_capacity(nonzeros), Vec::with_capacity(nonzeros));
    let (to_coords, to_values) = (coords.spare_capacity_mut(), moved.spare_capacity_mut());
    for ((row, &col), &value) in rows.iter().zip(cols).zip(values) {
        // SAFETY: the row is below `num_rows`: `places` has checked it, and it has not changed since, because it is borrowed.
        let place = unsafe { next.get_unchecked_mut(row.index() + 1) };
        let to = place.index();
        // SAFETY: the place of a row began at the number of entries of all rows before it, and went on by one for each entry of its own, of
        // which this is one. There are `nonzeros` in all, for which both vectors have room.
        unsafe {
            to_coords.get_unchecked_mut(to).write(col);
            to_values.get_unchecked_mut(to).write(value);
        }
        *place = C::of(to + 1);
    }
    // SAFETY: every entry was visited once, and was written to a place of its own.
    unsafe {
        coords.set_len(nonzeros);
        moved.set_len(nonzeros);
    }
    next.truncate(num_rows + 1);
    Some((next, coords, moved))
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
        for row in 0..64 {
            let range = begins[row] as usize..begins[row + 1] as usize;
            assert_eq!(range.len(), rows.iter().filter(|&&of| of as usize == row).count());
            assert!(moved[range].iter().all(|&at| rows[at] as usize == row));
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
