//! Rows and columns exchanged.

use pleach_runtime::transposed;

use super::{Csr, CsrView};

impl<V: Copy + Send + Sync> CsrView<'_, V> {
    /// The matrix with rows and columns exchanged, in parallel; O(nonzeros + rows + columns). It is written by hand, because values are of
    /// any type here and the way is chosen by the data: the generated conversion of `csr` to `csc` is compiled for `f64`, and always counts.
    pub fn transpose(self) -> Csr<V> {
        let turned = transposed(self.offsets(), self.coords(), self.values(), self.num_cols());
        let (offsets, coords, values) = turned.expect("the arrays are compressed rows");
        Csr { num_cols: self.num_rows(), offsets, coords, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with nonzeros at some columns.
    fn matrix(rows: usize, cols: usize, col: impl Fn(usize, usize) -> usize) -> Csr<i64> {
        let entries = (0..rows).flat_map(|i| (0..i % 4).map(move |k| (i, k)));
        Csr::from_entries(rows, cols, entries.map(|(i, k)| (i as u32, col(i, k) as u32, (i * 10 + k) as i64))).unwrap()
    }

    #[test]
    fn rows_and_columns_are_exchanged() {
        let many = 1 << 17;
        let near = matrix(5000, many, |i, k| (i * 19 + k * 7) % many);
        let far = matrix(120_000, many, |i, k| (i * 7_919_777 + k * 104_729) % many);
        let empty = Csr::<i64>::empty;
        for a in [near, far, matrix(40, 7, |i, k| (i + k) % 7), empty(3, 0).unwrap(), empty(0, 3).unwrap()] {
            let mut entries: Vec<(u32, u32, i64)> = (0..a.num_rows())
                .flat_map(|i| a.row(i).iter().map(move |(j, &value)| (j, i as u32, value)).collect::<Vec<_>>())
                .collect();
            entries.sort_unstable();
            let want = Csr::from_entries(a.num_cols(), a.num_rows(), entries).unwrap();
            assert!(a.transpose() == want);
        }
    }
}
