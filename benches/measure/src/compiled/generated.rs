/// `bcsr_6_6`: (i / 6): dense, (j / 6): compressed, (i % 6): dense, (j % 6): dense.
#[allow(dead_code)]
pub type Bcsr6x6<V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Remapped<::pleach::runtime::tensor::Dense>,
            ::pleach::runtime::tensor::Remapped<
                ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            >,
            ::pleach::runtime::tensor::Remapped<::pleach::runtime::tensor::Dense>,
            ::pleach::runtime::tensor::Remapped<::pleach::runtime::tensor::Dense>,
        ),
        Vec<V>,
    >,
    (
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
    ),
>;
/// `bcsr_6_6`: (i / 6): dense, (j / 6): compressed, (i % 6): dense, (j % 6): dense, its arrays borrowed.
#[allow(dead_code)]
pub type Bcsr6x6View<'a, V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Remapped<::pleach::runtime::tensor::Dense>,
            ::pleach::runtime::tensor::Remapped<
                ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            >,
            ::pleach::runtime::tensor::Remapped<::pleach::runtime::tensor::Dense>,
            ::pleach::runtime::tensor::Remapped<::pleach::runtime::tensor::Dense>,
        ),
        &'a [V],
    >,
    (
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<6>,
        >,
    ),
>;
/// `compressed_compressed_dense`: i: compressed, j: compressed, k: dense.
#[allow(dead_code)]
pub type CompressedCompressedDense<V> = ::pleach::runtime::tensor::Tensor<
    3,
    (
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach::runtime::tensor::Dense,
    ),
    Vec<V>,
>;
/// `compressed_compressed_dense`: i: compressed, j: compressed, k: dense, its arrays borrowed.
#[allow(dead_code)]
pub type CompressedCompressedDenseView<'a, V> = ::pleach::runtime::tensor::Tensor<
    3,
    (
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach::runtime::tensor::Dense,
    ),
    &'a [V],
>;
/// `coo`: i: compressed(nonunique), j: singleton.
#[allow(dead_code)]
pub type Coo<V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach::runtime::tensor::Singleton<Vec<u32>>,
    ),
    Vec<V>,
>;
/// `coo`: i: compressed(nonunique), j: singleton, its arrays borrowed.
#[allow(dead_code)]
pub type CooView<'a, V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach::runtime::tensor::Singleton<&'a [u32]>,
    ),
    &'a [V],
>;
/// `coo3`: i: compressed(nonunique), j: singleton(nonunique), k: singleton.
#[allow(dead_code)]
pub type Coo3<V> = ::pleach::runtime::tensor::Tensor<
    3,
    (
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach::runtime::tensor::Singleton<Vec<u32>>,
        ::pleach::runtime::tensor::Singleton<Vec<u32>>,
    ),
    Vec<V>,
>;
/// `coo3`: i: compressed(nonunique), j: singleton(nonunique), k: singleton, its arrays borrowed.
#[allow(dead_code)]
pub type Coo3View<'a, V> = ::pleach::runtime::tensor::Tensor<
    3,
    (
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach::runtime::tensor::Singleton<&'a [u32]>,
        ::pleach::runtime::tensor::Singleton<&'a [u32]>,
    ),
    &'a [V],
>;
/// `csf`: i: compressed, j: compressed, k: compressed.
#[allow(dead_code)]
pub type Csf<V> = ::pleach::runtime::tensor::Tensor<
    3,
    (
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `csf`: i: compressed, j: compressed, k: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type CsfView<'a, V> = ::pleach::runtime::tensor::Tensor<
    3,
    (
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// `csr`: i: dense, j: compressed.
#[allow(dead_code)]
pub type Csr<V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Dense,
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `csr`: i: dense, j: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type CsrView<'a, V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Dense,
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// `dcsr`: i: compressed, j: compressed.
#[allow(dead_code)]
pub type Dcsr<V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `dcsr`: i: compressed, j: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type DcsrView<'a, V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// `dense_hashed`: i: dense, j: hashed.
#[allow(dead_code)]
pub type DenseHashed<V> = ::pleach::runtime::tensor::Tensor<
    2,
    (::pleach::runtime::tensor::Dense, ::pleach::runtime::tensor::Hashed<Vec<u32>>),
    Vec<V>,
>;
/// `dense_hashed`: i: dense, j: hashed, its arrays borrowed.
#[allow(dead_code)]
pub type DenseHashedView<'a, V> = ::pleach::runtime::tensor::Tensor<
    2,
    (::pleach::runtime::tensor::Dense, ::pleach::runtime::tensor::Hashed<&'a [u32]>),
    &'a [V],
>;
/// `dia`: (j - i): squeezed, i: range, j: offset.
#[allow(dead_code)]
pub type Dia<V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Remapped<
                ::pleach::runtime::tensor::Squeezed<Vec<u32>>,
            >,
            ::pleach::runtime::tensor::Range,
            ::pleach::runtime::tensor::Offset,
        ),
        Vec<V>,
    >,
    (
        ::pleach::runtime::tensor::coordinate::Sub<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Index<0>,
        >,
        ::pleach::runtime::tensor::coordinate::Index<0>,
        ::pleach::runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `dia`: (j - i): squeezed, i: range, j: offset, its arrays borrowed.
#[allow(dead_code)]
pub type DiaView<'a, V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Remapped<
                ::pleach::runtime::tensor::Squeezed<&'a [u32]>,
            >,
            ::pleach::runtime::tensor::Range,
            ::pleach::runtime::tensor::Offset,
        ),
        &'a [V],
    >,
    (
        ::pleach::runtime::tensor::coordinate::Sub<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Index<0>,
        >,
        ::pleach::runtime::tensor::coordinate::Index<0>,
        ::pleach::runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `ell`: (#i): sliced, i: dense, j: singleton(padded).
#[allow(dead_code)]
pub type Ell<V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Sliced,
            ::pleach::runtime::tensor::Dense,
            ::pleach::runtime::tensor::Singleton<Vec<u32>>,
        ),
        Vec<V>,
    >,
    (
        ::pleach::runtime::tensor::coordinate::Counter<
            (::pleach::runtime::tensor::coordinate::Index<0>,),
        >,
        ::pleach::runtime::tensor::coordinate::Index<0>,
        ::pleach::runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `ell`: (#i): sliced, i: dense, j: singleton(padded), its arrays borrowed.
#[allow(dead_code)]
pub type EllView<'a, V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Sliced,
            ::pleach::runtime::tensor::Dense,
            ::pleach::runtime::tensor::Singleton<&'a [u32]>,
        ),
        &'a [V],
    >,
    (
        ::pleach::runtime::tensor::coordinate::Counter<
            (::pleach::runtime::tensor::coordinate::Index<0>,),
        >,
        ::pleach::runtime::tensor::coordinate::Index<0>,
        ::pleach::runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `hash`: i: hashed.
#[allow(dead_code)]
pub type Hash<V> = ::pleach::runtime::tensor::Tensor<
    1,
    (::pleach::runtime::tensor::Hashed<Vec<u32>>,),
    Vec<V>,
>;
/// `hash`: i: hashed, its arrays borrowed.
#[allow(dead_code)]
pub type HashView<'a, V> = ::pleach::runtime::tensor::Tensor<
    1,
    (::pleach::runtime::tensor::Hashed<&'a [u32]>,),
    &'a [V],
>;
/// `matrix`: i: dense, j: dense.
#[allow(dead_code)]
pub type Matrix<V> = ::pleach::runtime::tensor::Tensor<
    2,
    (::pleach::runtime::tensor::Dense, ::pleach::runtime::tensor::Dense),
    Vec<V>,
>;
/// `matrix`: i: dense, j: dense, its arrays borrowed.
#[allow(dead_code)]
pub type MatrixView<'a, V> = ::pleach::runtime::tensor::Tensor<
    2,
    (::pleach::runtime::tensor::Dense, ::pleach::runtime::tensor::Dense),
    &'a [V],
>;
/// `matrix`: i: dense, j: dense, its values to be written.
#[allow(dead_code)]
pub type MatrixMut<'a, V> = ::pleach::runtime::tensor::Tensor<
    2,
    (::pleach::runtime::tensor::Dense, ::pleach::runtime::tensor::Dense),
    &'a mut [V],
>;
/// `sparse`: i: compressed.
#[allow(dead_code)]
pub type Sparse<V> = ::pleach::runtime::tensor::Tensor<
    1,
    (::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,),
    Vec<V>,
>;
/// `sparse`: i: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type SparseView<'a, V> = ::pleach::runtime::tensor::Tensor<
    1,
    (::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,),
    &'a [V],
>;
/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_csr(
    y: &mut [f64],
    a: CsrView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, Work, check_extents, each, par_for};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y.len())?;
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        each(y, 0, 1),
        move |block, mut y| {
            for i in block {
                let mut t = 0.0;
                let span = a_pos[i]..a_pos[i + 1];
                for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                    let j = j as usize;
                    t += a_ij * x[j];
                }
                y[i] = t;
            }
        },
    );
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: compressed(nonunique), j: singleton
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_coo(
    y: &mut [f64],
    a: CooView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, Singleton, check_extents};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    y.fill(0.0);
    let span = a1_pos[0]..a1_pos[1];
    for ((&i, &j), &a_ij) in a1_crd[span.clone()]
        .iter()
        .zip(&a2_crd[span.clone()])
        .zip(&a_vals[span])
    {
        let i = i as usize;
        let j = j as usize;
        y[i] += a_ij * x[j];
    }
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: (#i): sliced, i: dense, j: singleton(padded)
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_ell(
    y: &mut [f64],
    a: EllView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Singleton, Sliced, Work, check_extents, each, par_for,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Sliced { slices: a1_slices } = a.levels.0;
    let Singleton { crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    y.fill(0.0);
    for c1 in 0..a1_slices {
        par_for(
            Work::over(0..a_rows).light(),
            each(y, 0, 1),
            move |block, mut y| {
                for ((&a3_crd_i, y_i), &a_vals_i) in a3_crd[c1 * a_rows
                        + block.start..c1 * a_rows + block.end]
                    .iter()
                    .zip(&mut y[block.clone()])
                    .zip(&a_vals[c1 * a_rows + block.start..c1 * a_rows + block.end])
                {
                    if a3_crd_i != u32::MAX {
                        let j = a3_crd_i as usize;
                        *y_i += a_vals_i * x[j];
                    }
                }
            },
        );
    }
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: (j - i): squeezed, i: range, j: offset
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_dia(
    y: &mut [f64],
    a: DiaView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Squeezed, Work, check_extents, each, par_for};
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Squeezed { crd: a_crd } = a.levels.0.level;
    let a_vals = a.vals;
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    y.fill(0.0);
    for p1 in 0..a_crd.len() {
        let c1 = a_crd[p1] as usize;
        par_for(
            Work::over(
                    (a_rows.max(1) - 1usize).max(c1)
                        - c1..a_rows
                        .min((a_cols + (a_rows.max(1) - 1usize)).max(c1) - c1),
                )
                .light(),
            each(y, 0, 1),
            move |block, mut y| {
                for ((y_i, &a_vals_i), &x_i) in y[block.clone()]
                    .iter_mut()
                    .zip(&a_vals[p1 * a_rows + block.start..p1 * a_rows + block.end])
                    .zip(
                        &x[block.start + c1
                            - (a_rows.max(1) - 1)..block.end + c1 - (a_rows.max(1) - 1)],
                    )
                {
                    *y_i += a_vals_i * x_i;
                }
            },
        );
    }
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: (i / 6): dense, (j / 6): compressed, (i % 6): dense, (j % 6): dense
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_bcsr_6_6(
    y: &mut [f64],
    a: Bcsr6x6View<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, Work, check_extents, each, par_for};
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let a1_extent = a.levels.0.extent;
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1.level;
    let a3_extent = a.levels.2.extent;
    let a4_extent = a.levels.3.extent;
    let a_vals = a.vals;
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    y.fill(0.0);
    par_for(
        Work::over(0..a1_extent).weighted(a_pos).cost(1024),
        each(y, 0, 6),
        |block, mut y| {
            for c1 in block {
                let whole = a3_extent == 6 && a4_extent == 6 && c1 * 6 + 5 < a_rows;
                let mut y_c1 = [0.0; 6];
                if whole {
                    y_c1[0..6].copy_from_slice(&y[c1 * 6..c1 * 6 + 6]);
                }
                for p2 in a_pos[c1]..a_pos[c1 + 1] {
                    let c2 = a_crd[p2] as usize;
                    if whole && c2 * 6 + 5 < a_cols {
                        let a_p2 = &a_vals[p2 * 36..p2 * 36 + 36];
                        let x_c2 = &x[c2 * 6..c2 * 6 + 6];
                        for c3 in 0..6 {
                            let mut y_c1_c3 = y_c1[c3];
                            for (&a_vals_c4, &x_i) in a_p2[c3 * 6..c3 * 6 + 6]
                                .iter()
                                .zip(x_c2)
                            {
                                y_c1_c3 += a_vals_c4 * x_i;
                            }
                            y_c1[c3] = y_c1_c3;
                        }
                    } else {
                        if whole {
                            y[c1 * 6..c1 * 6 + 6].copy_from_slice(&y_c1[0..6]);
                        }
                        for c3 in 0..a3_extent.min(6) {
                            for c4 in 0..a4_extent.min(6) {
                                let i = c1 * 6 + c3;
                                let j = c2 * 6 + c4;
                                if i < a_rows && j < a_cols {
                                    y[i]
                                        += a_vals[(p2 * a3_extent.min(6) + c3) * a4_extent.min(6)
                                            + c4] * x[j];
                                }
                            }
                        }
                        if whole {
                            y_c1[0..6].copy_from_slice(&y[c1 * 6..c1 * 6 + 6]);
                        }
                    }
                }
                if whole {
                    y[c1 * 6..c1 * 6 + 6].copy_from_slice(&y_c1[0..6]);
                }
            }
        },
    );
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: dense, j: hashed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_dense_hashed(
    y: &mut [f64],
    a: DenseHashedView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Hashed, Work, check_extents, each, par_for};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Hashed { width: a_width, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y.len())?;
    par_for(
        Work::over(0..a_rows),
        each(y, 0, 1),
        move |block, mut y| {
            for i in block {
                let mut t = 0.0;
                let span = i * a_width..(i + 1) * a_width;
                for (&a_crd_a_p, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span])
                {
                    if a_crd_a_p != u32::MAX {
                        let j = a_crd_a_p as usize;
                        t += a_ij * x[j];
                    }
                }
                y[i] = t;
            }
        },
    );
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: dense, j: packed
///
/// `a` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_rows(
    y: &mut [f64],
    a: &impl ::pleach::runtime::Rows<Value = f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{check_extents, fold_row};
    check_extents("`A` along `j`", a.num_cols(), "`x` along `j`", x.len())?;
    check_extents("`A` along `i`", a.num_rows(), "`y` along `i`", y.len())?;
    y.fill(0.0);
    let y = ::pleach::runtime::SharedOutput::new(y);
    a.par_rows(|i, a_i| {
        let t = fold_row(
            a_i,
            0f64,
            |mut t, run| {
                for (j, &a_entry) in run.iter() {
                    let j = j as usize;
                    t += a_entry * x[j];
                }
                t
            },
            |left, right| left + right,
        );
        y.set(i, t);
    });
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed;  x: i: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_vector_sparse(
    y: &mut [f64],
    a: CsrView<'_, f64>,
    x: SparseView<'_, f64>,
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Work, check_extents, each, par_for, seek,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let x_len = x.shape[0];
    let Compressed { pos: x_pos, crd: x_crd } = x.levels.0;
    let x_vals = x.vals;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x_len)?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y.len())?;
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        each(y, 0, 1),
        move |block, mut y| {
            for i in block {
                let mut t = 0.0;
                let mut a_p = a_pos[i];
                let a_end = a_pos[i + 1];
                let mut x_p = x_pos[0];
                let x_end = x_pos[1];
                let a_long = a_end - a_p > (x_end - x_p) * 32;
                let x_long = x_end - x_p > (a_end - a_p) * 32;
                while a_p < a_end && x_p < x_end {
                    let j_a = a_crd[a_p] as usize;
                    let j_x = x_crd[x_p] as usize;
                    if j_a == j_x {
                        t += a_vals[a_p] * x_vals[x_p];
                    }
                    if j_a <= j_x {
                        a_p = if a_long {
                            seek(a_crd, a_p + 1, a_end, j_x)
                        } else {
                            a_p + 1
                        };
                    }
                    if j_x <= j_a {
                        x_p = if x_long {
                            seek(x_crd, x_p + 1, x_end, j_a)
                        } else {
                            x_p + 1
                        };
                    }
                }
                y[i] = t;
            }
        },
    );
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed;  x: i: hashed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_vector_hash(
    y: &mut [f64],
    a: CsrView<'_, f64>,
    x: HashView<'_, f64>,
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Hashed, Work, check_extents, each, par_for, seek,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let x_len = x.shape[0];
    let Hashed { width: x_width, crd: x_crd } = x.levels.0;
    let x_vals = x.vals;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x_len)?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y.len())?;
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        each(y, 0, 1),
        move |block, mut y| {
            for i in block {
                let mut t = 0.0;
                if a_pos[i + 1] - a_pos[i] > x_width * 32 {
                    for (&x_crd_x_p, &x_i) in x_crd[0..x_width]
                        .iter()
                        .zip(&x_vals[0..x_width])
                    {
                        if x_crd_x_p != u32::MAX {
                            let j = x_crd_x_p as usize;
                            let a_end = a_pos[i + 1];
                            let a_p = seek(a_crd, a_pos[i], a_end, j);
                            if a_p < a_end && a_crd[a_p] as usize == j {
                                t += a_vals[a_p] * x_i;
                            }
                        }
                    }
                } else {
                    let span = a_pos[i]..a_pos[i + 1];
                    for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let j = j as usize;
                        let bucket = j % x_width.max(1);
                        let mut slot = 0usize;
                        let mut found = false;
                        for step in 0..x_width {
                            slot = (bucket + step).checked_rem(x_width).unwrap_or(0);
                            if x_crd[slot] == j as u32 {
                                found = true;
                                break;
                            }
                            if x_crd[slot] == u32::MAX {
                                break;
                            }
                        }
                        if found {
                            t += a_ij * x_vals[slot];
                        }
                    }
                }
                y[i] = t;
            }
        },
    );
    Ok(())
}
/// B(i,j) = A(i,j)          A: i: dense, j: compressed;  B: i: dense, j: hashed
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn hashed(
    a: CsrView<'_, f64>,
) -> Result<DenseHashed<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, Hashed, Tensor};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b_lengths = vec![0usize; a_rows];
    for i in 0..a_rows {
        b_lengths[i] = a_pos[i + 1] - a_pos[i];
    }
    let mut b_width = 0usize;
    for &b_lengths_p in &b_lengths[0..a_rows] {
        b_width = b_width.max(b_lengths_p * 2);
    }
    let mut b_crd = vec![u32::MAX; a_rows * b_width];
    let b_size = a_rows * b_width;
    let mut b_vals = vec![0.0; b_size];
    for i in 0..a_rows {
        let span = a_pos[i]..a_pos[i + 1];
        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
            let j = j as usize;
            let mut b_at = 0usize;
            for step in 0..b_width {
                let slot = i * b_width + (j + step).checked_rem(b_width).unwrap_or(0);
                if b_crd[slot] == u32::MAX || b_crd[slot] == j as u32 {
                    b_at = slot;
                    break;
                }
            }
            b_crd[b_at] = j as u32;
            b_vals[b_at] = a_ij;
        }
    }
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach::runtime::tensor::Dense,
            Hashed {
                width: b_width,
                crd: b_crd,
            },
        ),
    })
}
/// B(i,j) = A(i,j)
///
/// A: i: dense, j: compressed;  B: (i / 6): dense, (j / 6): compressed, (i % 6): dense, (j % 6): dense
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn blocks(
    a: CsrView<'_, f64>,
) -> Result<Bcsr6x6<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Arranged, Compressed, Remapped, Tensor, Work, check_extents, par_for, prefix_sum,
        seek, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    check_extents(
        "`B` along its computed coordinate, which has 32 bits for a coordinate,",
        ((a_cols + 5usize) / 6usize).min(4294967295),
        "its computed coordinate",
        (a_cols + 5) / 6,
    )?;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b1_extent = (a_rows + 5) / 6;
    let b2_extent = (a_cols + 5) / 6;
    let mut b_pos = vec![0usize; b1_extent + 1];
    let mut b_listed = vec![0u32; a_pos[a_rows]];
    let b_entries = a_pos[a_rows];
    let b_tasks = tasks(b_entries);
    {
        let b_listed = ::pleach::runtime::SharedOutput::new(&mut b_listed);
        let b_pos = ::pleach::runtime::SharedOutput::new(&mut b_pos);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    ) + 5usize) / 6usize * 6usize)
                        .min(a_rows);
                    let hi = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    ) + 5usize) / 6usize * 6usize)
                        .min(a_rows);
                    let mut b_seen = vec![0usize; b2_extent];
                    let mut b_own: Vec<u32> = Vec::new();
                    let mut begin = a_pos[lo];
                    for parent in (lo + 5) / 6..(hi + 5) / 6 {
                        let lo2 = parent * 6;
                        let hi2 = (lo2 + 6usize).min(a_rows);
                        b_own.clear();
                        for &j in &a_crd[a_pos[lo2]..a_pos[hi2]] {
                            let j = j as usize;
                            if b_seen[j / 6] != parent + 1 {
                                b_seen[j / 6] = parent + 1;
                                b_own.push((j / 6usize) as u32);
                            }
                        }
                        b_own.sort_unstable();
                        for e in 0..b_own.len() {
                            b_listed.set(begin + e, b_own[e]);
                        }
                        begin += b_own.len();
                        b_pos.set(parent + 1, b_own.len());
                    }
                }
            },
        );
    }
    prefix_sum(&mut b_pos);
    let mut b_crd = vec![0u32; b_pos[b1_extent]];
    let b_size = b_pos[b1_extent];
    let b3_extent = 6usize;
    let b_size2 = b_size * 6;
    let b4_extent = 6usize;
    let b_size3 = b_size2 * 6;
    let mut b_vals = vec![0.0; b_size3];
    {
        let b_crd = ::pleach::runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach::runtime::SharedOutput::new(&mut b_vals);
        let b_pos = &b_pos[..];
        let b_listed = &b_listed[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    ) + 5usize) / 6usize * 6usize)
                        .min(a_rows);
                    let hi = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    ) + 5usize) / 6usize * 6usize)
                        .min(a_rows);
                    let mut b_slot = vec![0usize; b2_extent];
                    let mut begin = a_pos[lo];
                    for parent in (lo + 5) / 6..(hi + 5) / 6 {
                        let lo2 = parent * 6;
                        let hi2 = (lo2 + 6usize).min(a_rows);
                        for e in 0..b_pos[parent + 1] - b_pos[parent] {
                            let c = b_listed[begin + e] as usize;
                            let b_at = b_pos[parent] + e;
                            b_crd.set(b_at, c as u32);
                            b_slot[c] = b_at;
                        }
                        begin += b_pos[parent + 1] - b_pos[parent];
                        for i in lo2..hi2 {
                            let span = a_pos[i]..a_pos[i + 1];
                            for (&j, &a_ij) in a_crd[span.clone()]
                                .iter()
                                .zip(&a_vals[span])
                            {
                                let j = j as usize;
                                b_vals.set((b_slot[j / 6] * 6 + i % 6) * 6 + j % 6, a_ij);
                            }
                        }
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: ::pleach::runtime::tensor::Dense,
                },
                Remapped {
                    extent: b2_extent,
                    level: Compressed {
                        pos: b_pos,
                        crd: b_crd,
                    },
                },
                Remapped {
                    extent: b3_extent,
                    level: ::pleach::runtime::tensor::Dense,
                },
                Remapped {
                    extent: b4_extent,
                    level: ::pleach::runtime::tensor::Dense,
                },
            ),
        }),
    )
}
/// C(i,j) = A(i,j) + B(i,j)          A, B, C: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn add_csr(
    a: CsrView<'_, f64>,
    b: CsrView<'_, f64>,
) -> Result<Csr<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Tensor, Work, check_extents, each, par_for, prefix_sum, uncleared,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let (b_rows, b_cols) = (b.shape[0], b.shape[1]);
    let Compressed { pos: b_pos, crd: b_crd } = b.levels.1;
    let b_vals = b.vals;
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        each(&mut c_pos, 1, 1),
        move |block, mut c_pos| {
            for i in block {
                let mut a_p = a_pos[i];
                let a_end = a_pos[i + 1];
                let mut b_p = b_pos[i];
                let b_end = b_pos[i + 1];
                let mut c_pos_sum = c_pos[i + 1];
                while a_p < a_end && b_p < b_end {
                    let j_a = a_crd[a_p] as usize;
                    let j_b = b_crd[b_p] as usize;
                    if j_a == j_b {
                        c_pos_sum += 1;
                        a_p += 1;
                        b_p += 1;
                    } else if j_b < j_a {
                        c_pos_sum += 1;
                        b_p += 1;
                    } else {
                        c_pos_sum += 1;
                        a_p += 1;
                    }
                }
                for _b_p2 in b_p..b_end {
                    c_pos_sum += 1;
                }
                for _a_p2 in a_p..a_end {
                    c_pos_sum += 1;
                }
                c_pos[i + 1] = c_pos_sum;
            }
        },
    );
    prefix_sum(&mut c_pos);
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        (
            uncleared(&mut c_crd, c_pos[c_pos.len() - 1]).segments(&c_pos),
            uncleared(&mut c_vals, c_pos[c_pos.len() - 1]).segments(&c_pos),
        ),
        move |block, (mut c_crd, mut c_vals)| {
            for i in block {
                let mut a_p = a_pos[i];
                let a_end = a_pos[i + 1];
                let mut b_p = b_pos[i];
                let b_end = b_pos[i + 1];
                while a_p < a_end && b_p < b_end {
                    let j_a = a_crd[a_p] as usize;
                    let j_b = b_crd[b_p] as usize;
                    if j_a == j_b {
                        c_crd.push(j_a as u32);
                        c_vals.push(a_vals[a_p] + b_vals[b_p]);
                        a_p += 1;
                        b_p += 1;
                    } else if j_b < j_a {
                        c_crd.push(j_b as u32);
                        c_vals.push(b_vals[b_p]);
                        b_p += 1;
                    } else {
                        c_crd.push(j_a as u32);
                        c_vals.push(a_vals[a_p]);
                        a_p += 1;
                    }
                }
                for (&j_b, &b_ij) in b_crd[b_p..b_end].iter().zip(&b_vals[b_p..b_end]) {
                    let j_b = j_b as usize;
                    c_crd.push(j_b as u32);
                    c_vals.push(b_ij);
                }
                for (&j_a, &a_ij) in a_crd[a_p..a_end].iter().zip(&a_vals[a_p..a_end]) {
                    let j_a = j_a as usize;
                    c_crd.push(j_a as u32);
                    c_vals.push(a_ij);
                }
            }
        },
    );
    let c_rows = a_rows;
    let c_cols = a_cols;
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: c_vals,
        levels: (
            ::pleach::runtime::tensor::Dense,
            Compressed {
                pos: c_pos,
                crd: c_crd,
            },
        ),
    })
}
/// C(i,j) = A(i,j) + B(i,j)          A: i: dense, j: packed;  B, C: i: dense, j: compressed
///
/// `a` holds its rows in any ordered store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn add_dense_packed(
    a: &impl ::pleach::runtime::Rows<Value = f64>,
    b: CsrView<'_, f64>,
) -> Result<Csr<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Fiber, Tensor, Work, check_extents, each, par_for, prefix_sum,
        uncleared,
    };
    let (b_rows, b_cols) = (b.shape[0], b.shape[1]);
    let Compressed { pos: b_pos, crd: b_crd } = b.levels.1;
    let b_vals = b.vals;
    check_extents("`A` along `i`", a.num_rows(), "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a.num_cols(), "`B` along `j`", b_cols)?;
    let a_row = a.finder();
    let mut c_pos = vec![0usize; a.num_rows() + 1];
    par_for(
        Work::over(0..a.num_rows()).weighted(b_pos).cost(32),
        each(&mut c_pos, 1, 1),
        |block, mut c_pos| {
            for i in block {
                let mut b_p = b_pos[i];
                let b_end = b_pos[i + 1];
                let mut c_pos_sum = c_pos[i + 1];
                (c_pos_sum, b_p) = a_row(i)
                    .fold_ordered(
                        (c_pos_sum, b_p),
                        |(mut c_pos_sum, mut b_p), run| {
                            for &j in run.coords() {
                                let j = j as usize;
                                while b_p < b_end && (b_crd[b_p] as usize) < j {
                                    c_pos_sum += 1;
                                    b_p += 1;
                                }
                                let b_here = b_p < b_end && b_crd[b_p] as usize == j;
                                if b_here {
                                    c_pos_sum += 1;
                                    b_p += 1;
                                } else {
                                    c_pos_sum += 1;
                                }
                            }
                            (c_pos_sum, b_p)
                        },
                    );
                for _b_p2 in b_p..b_end {
                    c_pos_sum += 1;
                }
                c_pos[i + 1] = c_pos_sum;
            }
        },
    );
    prefix_sum(&mut c_pos);
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    par_for(
        Work::over(0..a.num_rows()).weighted(b_pos).cost(32),
        (
            uncleared(&mut c_crd, c_pos[c_pos.len() - 1]).segments(&c_pos),
            uncleared(&mut c_vals, c_pos[c_pos.len() - 1]).segments(&c_pos),
        ),
        |block, (mut c_crd, mut c_vals)| {
            for i in block {
                let mut b_p = b_pos[i];
                let b_end = b_pos[i + 1];
                b_p = a_row(i)
                    .fold_ordered(
                        b_p,
                        |mut b_p, run| {
                            for (j, &a_entry) in run.iter() {
                                let j = j as usize;
                                while b_p < b_end && (b_crd[b_p] as usize) < j {
                                    let j_b = b_crd[b_p] as usize;
                                    c_crd.push(j_b as u32);
                                    c_vals.push(b_vals[b_p]);
                                    b_p += 1;
                                }
                                let b_here = b_p < b_end && b_crd[b_p] as usize == j;
                                if b_here {
                                    c_crd.push(j as u32);
                                    c_vals.push(a_entry + b_vals[b_p]);
                                    b_p += 1;
                                } else {
                                    c_crd.push(j as u32);
                                    c_vals.push(a_entry);
                                }
                            }
                            b_p
                        },
                    );
                for (&j_b, &b_ij) in b_crd[b_p..b_end].iter().zip(&b_vals[b_p..b_end]) {
                    let j_b = j_b as usize;
                    c_crd.push(j_b as u32);
                    c_vals.push(b_ij);
                }
            }
        },
    );
    let c_rows = a.num_rows();
    let c_cols = a.num_cols();
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: c_vals,
        levels: (
            ::pleach::runtime::tensor::Dense,
            Compressed {
                pos: c_pos,
                crd: c_crd,
            },
        ),
    })
}
/// C(i,j) = A(i,j) + B(i,j)          A, B, C: i: compressed(nonunique), j: singleton
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn add_entries(
    a: CooView<'_, f64>,
    b: CooView<'_, f64>,
) -> Result<Coo<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, Singleton, Tensor, check_extents};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let (b_rows, b_cols) = (b.shape[0], b.shape[1]);
    let Compressed { pos: b1_pos, crd: b1_crd } = b.levels.0;
    let Singleton { crd: b2_crd } = b.levels.1;
    let b_vals = b.vals;
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let mut c1_pos = vec![0usize; 2];
    let mut c1_crd: Vec<u32> = Vec::new();
    let mut c2_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut a_p = a1_pos[0];
    let a_end = a1_pos[1];
    let mut a_next = a_p;
    while a_next < a_end && a1_crd[a_next] as usize == a1_crd[a_p] as usize {
        a_next += 1;
    }
    let mut b_p = b1_pos[0];
    let b_end = b1_pos[1];
    let mut b_next = b_p;
    while b_next < b_end && b1_crd[b_next] as usize == b1_crd[b_p] as usize {
        b_next += 1;
    }
    while a_p < a_end && b_p < b_end {
        let i_a = a1_crd[a_p] as usize;
        let i_b = b1_crd[b_p] as usize;
        if i_a == i_b {
            let mut a_p2 = a_p;
            let a_end2 = a_next;
            let mut a_next2 = a_p2;
            let mut a_sum = 0.0;
            while a_next2 < a_end2 && a2_crd[a_next2] as usize == a2_crd[a_p2] as usize {
                a_sum += a_vals[a_next2];
                a_next2 += 1;
            }
            let mut b_p2 = b_p;
            let b_end2 = b_next;
            let mut b_next2 = b_p2;
            let mut b_sum = 0.0;
            while b_next2 < b_end2 && b2_crd[b_next2] as usize == b2_crd[b_p2] as usize {
                b_sum += b_vals[b_next2];
                b_next2 += 1;
            }
            while a_p2 < a_end2 && b_p2 < b_end2 {
                let j_a = a2_crd[a_p2] as usize;
                let j_b = b2_crd[b_p2] as usize;
                if j_a == j_b {
                    c1_crd.push(i_a as u32);
                    c2_crd.push(j_a as u32);
                    c_vals.push(a_sum + b_sum);
                } else if j_b < j_a {
                    c1_crd.push(i_a as u32);
                    c2_crd.push(j_b as u32);
                    c_vals.push(b_sum);
                } else {
                    c1_crd.push(i_a as u32);
                    c2_crd.push(j_a as u32);
                    c_vals.push(a_sum);
                }
                if j_a <= j_b {
                    a_p2 = a_next2;
                    a_sum = 0.0;
                    while a_next2 < a_end2
                        && a2_crd[a_next2] as usize == a2_crd[a_p2] as usize
                    {
                        a_sum += a_vals[a_next2];
                        a_next2 += 1;
                    }
                }
                if j_b <= j_a {
                    b_p2 = b_next2;
                    b_sum = 0.0;
                    while b_next2 < b_end2
                        && b2_crd[b_next2] as usize == b2_crd[b_p2] as usize
                    {
                        b_sum += b_vals[b_next2];
                        b_next2 += 1;
                    }
                }
            }
            while b_p2 < b_end2 {
                let j_b = b2_crd[b_p2] as usize;
                c1_crd.push(i_a as u32);
                c2_crd.push(j_b as u32);
                c_vals.push(b_sum);
                b_p2 = b_next2;
                b_sum = 0.0;
                while b_next2 < b_end2
                    && b2_crd[b_next2] as usize == b2_crd[b_p2] as usize
                {
                    b_sum += b_vals[b_next2];
                    b_next2 += 1;
                }
            }
            while a_p2 < a_end2 {
                let j_a = a2_crd[a_p2] as usize;
                c1_crd.push(i_a as u32);
                c2_crd.push(j_a as u32);
                c_vals.push(a_sum);
                a_p2 = a_next2;
                a_sum = 0.0;
                while a_next2 < a_end2
                    && a2_crd[a_next2] as usize == a2_crd[a_p2] as usize
                {
                    a_sum += a_vals[a_next2];
                    a_next2 += 1;
                }
            }
        } else if i_b < i_a {
            let mut b_p2 = b_p;
            let b_end2 = b_next;
            while b_p2 < b_end2 {
                let j = b2_crd[b_p2] as usize;
                let mut b_sum = 0.0;
                while b_p2 < b_end2 && b2_crd[b_p2] as usize == j {
                    b_sum += b_vals[b_p2];
                    b_p2 += 1;
                }
                c1_crd.push(i_b as u32);
                c2_crd.push(j as u32);
                c_vals.push(b_sum);
            }
        } else {
            let mut a_p2 = a_p;
            let a_end2 = a_next;
            while a_p2 < a_end2 {
                let j = a2_crd[a_p2] as usize;
                let mut a_sum = 0.0;
                while a_p2 < a_end2 && a2_crd[a_p2] as usize == j {
                    a_sum += a_vals[a_p2];
                    a_p2 += 1;
                }
                c1_crd.push(i_a as u32);
                c2_crd.push(j as u32);
                c_vals.push(a_sum);
            }
        }
        if i_a <= i_b {
            a_p = a_next;
            while a_next < a_end && a1_crd[a_next] as usize == a1_crd[a_p] as usize {
                a_next += 1;
            }
        }
        if i_b <= i_a {
            b_p = b_next;
            while b_next < b_end && b1_crd[b_next] as usize == b1_crd[b_p] as usize {
                b_next += 1;
            }
        }
    }
    while b_p < b_end {
        let i_b = b1_crd[b_p] as usize;
        let mut b_p2 = b_p;
        let b_end2 = b_next;
        while b_p2 < b_end2 {
            let j = b2_crd[b_p2] as usize;
            let mut b_sum = 0.0;
            while b_p2 < b_end2 && b2_crd[b_p2] as usize == j {
                b_sum += b_vals[b_p2];
                b_p2 += 1;
            }
            c1_crd.push(i_b as u32);
            c2_crd.push(j as u32);
            c_vals.push(b_sum);
        }
        b_p = b_next;
        while b_next < b_end && b1_crd[b_next] as usize == b1_crd[b_p] as usize {
            b_next += 1;
        }
    }
    while a_p < a_end {
        let i_a = a1_crd[a_p] as usize;
        let mut a_p2 = a_p;
        let a_end2 = a_next;
        while a_p2 < a_end2 {
            let j = a2_crd[a_p2] as usize;
            let mut a_sum = 0.0;
            while a_p2 < a_end2 && a2_crd[a_p2] as usize == j {
                a_sum += a_vals[a_p2];
                a_p2 += 1;
            }
            c1_crd.push(i_a as u32);
            c2_crd.push(j as u32);
            c_vals.push(a_sum);
        }
        a_p = a_next;
        while a_next < a_end && a1_crd[a_next] as usize == a1_crd[a_p] as usize {
            a_next += 1;
        }
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    c1_pos[1] = c1_crd.len();
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: c_vals,
        levels: (
            Compressed {
                pos: c1_pos,
                crd: c1_crd,
            },
            Singleton { crd: c2_crd },
        ),
    })
}
/// Y(i,k) = A(i,j) * X(j,k)          Y, X: i: dense, j: dense;  A: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmm(
    y: MatrixMut<'_, f64>,
    a: CsrView<'_, f64>,
    x: MatrixView<'_, f64>,
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Work, check_extents, each, par_for, unaliased,
    };
    let (y_rows, y_cols) = (y.shape[0], y.shape[1]);
    let y_vals = y.vals;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let (x_rows, x_cols) = (x.shape[0], x.shape[1]);
    let x_vals = x.vals;
    check_extents("`Y` along `i`", y_rows, "`A` along `i`", a_rows)?;
    check_extents("`A` along `j`", a_cols, "`X` along `j`", x_rows)?;
    check_extents("`Y` along `k`", y_cols, "`X` along `k`", x_cols)?;
    par_for(
        Work::over(0..y_rows).weighted(a_pos).cost(32),
        each(y_vals, 0, y_cols),
        move |block, mut y_vals| {
            for i in block {
                for y_ij in &mut y_vals[i * y_cols..i * y_cols + y_cols] {
                    *y_ij = 0.0;
                }
                let y_i = &mut y_vals[i * y_cols..i * y_cols + y_cols];
                let span = a_pos[i]..a_pos[i + 1];
                for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                    let j = j as usize;
                    unaliased(
                        y_i,
                        |y_i| {
                            for (y_ij, &x_ij) in y_i
                                .iter_mut()
                                .zip(&x_vals[j * x_cols..j * x_cols + y_cols])
                            {
                                *y_ij += a_ij * x_ij;
                            }
                        },
                    );
                }
            }
        },
    );
    Ok(())
}
/// Y(i,k) = A(i,j) * X(j,k)
///
/// Y, X: i: dense, j: dense;  A: i: compressed(nonunique), j: singleton
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmm_by_entries(
    y: MatrixMut<'_, f64>,
    a: CooView<'_, f64>,
    x: MatrixView<'_, f64>,
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Singleton, Work, check_extents, each, par_for, unaliased,
    };
    let (y_rows, y_cols) = (y.shape[0], y.shape[1]);
    let y_vals = y.vals;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let (x_rows, x_cols) = (x.shape[0], x.shape[1]);
    let x_vals = x.vals;
    check_extents("`Y` along `i`", y_rows, "`A` along `i`", a_rows)?;
    check_extents("`A` along `j`", a_cols, "`X` along `j`", x_rows)?;
    check_extents("`Y` along `k`", y_cols, "`X` along `k`", x_cols)?;
    par_for(
        Work::over(0..y_rows),
        each(y_vals, 0, y_cols),
        move |block, mut y_vals| {
            for i in block {
                for y_ij in &mut y_vals[i * y_cols..i * y_cols + y_cols] {
                    *y_ij = 0.0;
                }
            }
        },
    );
    let span = a1_pos[0]..a1_pos[1];
    for ((&i, &j), &a_ij) in a1_crd[span.clone()]
        .iter()
        .zip(&a2_crd[span.clone()])
        .zip(&a_vals[span])
    {
        let i = i as usize;
        let j = j as usize;
        unaliased(
            &mut y_vals[i * y_cols..i * y_cols + y_cols],
            |y_vals| {
                for (y_ij, &x_ij) in y_vals
                    .iter_mut()
                    .zip(&x_vals[j * x_cols..j * x_cols + y_cols])
                {
                    *y_ij += a_ij * x_ij;
                }
            },
        );
    }
    Ok(())
}
/// C(i,j) = B(i,j) * X(i,k) * Z(j,k)          B, C: i: dense, j: compressed;  X, Z: i: dense, j: dense
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn sddmm(
    b: CsrView<'_, f64>,
    x: MatrixView<'_, f64>,
    z: MatrixView<'_, f64>,
) -> Result<Csr<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Tensor, Work, check_extents, copied, par_for, uncleared,
    };
    let (b_rows, b_cols) = (b.shape[0], b.shape[1]);
    let Compressed { pos: b_pos, crd: b_crd } = b.levels.1;
    let b_vals = b.vals;
    let (x_rows, x_cols) = (x.shape[0], x.shape[1]);
    let x_vals = x.vals;
    let (z_rows, z_cols) = (z.shape[0], z.shape[1]);
    let z_vals = z.vals;
    check_extents("`B` along `i`", b_rows, "`X` along `i`", x_rows)?;
    check_extents("`B` along `j`", b_cols, "`Z` along `j`", z_rows)?;
    check_extents("`X` along `k`", x_cols, "`Z` along `k`", z_cols)?;
    let c_pos = copied(&b_pos[..b_rows + 1]);
    let c_crd = copied(&b_crd[..b_pos[b_rows]]);
    let mut c_vals: Vec<f64> = Vec::new();
    par_for(
        Work::over(0..b_rows).weighted(b_pos).cost(32),
        uncleared(&mut c_vals, b_pos[b_rows]).segments(b_pos),
        move |block, mut c_vals| {
            for i in block {
                let x_i = &x_vals[i * x_cols..i * x_cols + x_cols];
                let span = b_pos[i]..b_pos[i + 1];
                for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span]) {
                    let j = j as usize;
                    let mut t = 0.0;
                    for (&x_ij, &z_ij) in x_i
                        .iter()
                        .zip(&z_vals[j * z_cols..j * z_cols + x_cols])
                    {
                        t += b_ij * x_ij * z_ij;
                    }
                    c_vals.push(t);
                }
            }
        },
    );
    let c_rows = b_rows;
    let c_cols = b_cols;
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: c_vals,
        levels: (
            ::pleach::runtime::tensor::Dense,
            Compressed {
                pos: c_pos,
                crd: c_crd,
            },
        ),
    })
}
/// C(i,j) = A(i,k) * B(k,j)          A, B, C: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spgemm(
    a: CsrView<'_, f64>,
    b: CsrView<'_, f64>,
) -> Result<Csr<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Tensor, Work, check_extents, each, par_for, prefix_sum, uncleared,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let (b_rows, b_cols) = (b.shape[0], b.shape[1]);
    let Compressed { pos: b_pos, crd: b_crd } = b.levels.1;
    let b_vals = b.vals;
    check_extents("`A` along `k`", a_cols, "`B` along `k`", b_rows)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        each(&mut c_pos, 1, 1),
        move |block, mut c_pos| {
            let w_fits = b_cols
                <= ((a_vals.len() + b_vals.len() + a_rows + b_rows) * 16usize)
                    .max(262144);
            let mut w_set = vec![false; if w_fits { b_cols } else { 0 }];
            let mut w_list: Vec<usize> = Vec::new();
            for i in block {
                if w_fits {
                    for &k in &a_crd[a_pos[i]..a_pos[i + 1]] {
                        let k = k as usize;
                        for &j in &b_crd[b_pos[k]..b_pos[k + 1]] {
                            let j = j as usize;
                            if !w_set[j] {
                                w_set[j] = true;
                                w_list.push(j);
                            }
                        }
                    }
                    let mut c_pos_sum = c_pos[i + 1];
                    for _w_p in 0..w_list.len() {
                        c_pos_sum += 1;
                    }
                    c_pos[i + 1] = c_pos_sum;
                    for &w_list_q in &w_list {
                        w_set[w_list_q] = false;
                    }
                    w_list.clear();
                } else {
                    let mut w_coords0: Vec<usize> = Vec::new();
                    for &k in &a_crd[a_pos[i]..a_pos[i + 1]] {
                        let k = k as usize;
                        for &j in &b_crd[b_pos[k]..b_pos[k + 1]] {
                            let j = j as usize;
                            w_coords0.push(j);
                        }
                    }
                    let mut w_order: Vec<usize> = (0..w_coords0.len()).collect();
                    w_order.sort_by_key(|&p| w_coords0[p]);
                    let mut w_sorted0: Vec<usize> = Vec::with_capacity(w_coords0.len());
                    for &from in &w_order {
                        let last = w_sorted0.len().max(1) - 1;
                        if !(w_sorted0.len() > 0 && w_sorted0[last] == w_coords0[from]) {
                            w_sorted0.push(w_coords0[from]);
                        }
                    }
                    let mut c_pos_sum = c_pos[i + 1];
                    for _w_p in 0..w_sorted0.len() {
                        c_pos_sum += 1;
                    }
                    c_pos[i + 1] = c_pos_sum;
                }
            }
        },
    );
    prefix_sum(&mut c_pos);
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        (
            uncleared(&mut c_crd, c_pos[c_pos.len() - 1]).segments(&c_pos),
            uncleared(&mut c_vals, c_pos[c_pos.len() - 1]).segments(&c_pos),
        ),
        move |block, (mut c_crd, mut c_vals)| {
            let w_fits = b_cols
                <= ((a_vals.len() + b_vals.len() + a_rows + b_rows) * 16usize)
                    .max(262144);
            let mut w = vec![0.0; if w_fits { b_cols } else { 0 }];
            let mut w_set = vec![false; if w_fits { b_cols } else { 0 }];
            let mut w_list: Vec<usize> = Vec::new();
            for i in block {
                if w_fits {
                    let span = a_pos[i]..a_pos[i + 1];
                    for (&k, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let k = k as usize;
                        let span = b_pos[k]..b_pos[k + 1];
                        for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span])
                        {
                            let j = j as usize;
                            let value = a_ij * b_ij;
                            if w_set[j] {
                                w[j] += value;
                            } else {
                                w_set[j] = true;
                                w_list.push(j);
                                w[j] = value;
                            }
                        }
                    }
                    w_list.sort_unstable();
                    for &j in &w_list {
                        c_crd.push(j as u32);
                        c_vals.push(w[j]);
                    }
                    for &w_list_q in &w_list {
                        w_set[w_list_q] = false;
                    }
                    w_list.clear();
                } else {
                    let mut w_coords0: Vec<usize> = Vec::new();
                    let mut w_list2: Vec<f64> = Vec::new();
                    let span = a_pos[i]..a_pos[i + 1];
                    for (&k, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let k = k as usize;
                        let span = b_pos[k]..b_pos[k + 1];
                        for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span])
                        {
                            let j = j as usize;
                            w_coords0.push(j);
                            w_list2.push(a_ij * b_ij);
                        }
                    }
                    let mut w_order: Vec<usize> = (0..w_coords0.len()).collect();
                    w_order.sort_by_key(|&p| w_coords0[p]);
                    let mut w_sorted0: Vec<usize> = Vec::with_capacity(w_coords0.len());
                    let mut w_folded: Vec<f64> = Vec::with_capacity(w_coords0.len());
                    for &from in &w_order {
                        let last = w_sorted0.len().max(1) - 1;
                        if w_sorted0.len() > 0 && w_sorted0[last] == w_coords0[from] {
                            w_folded[last] += w_list2[from];
                        } else {
                            w_sorted0.push(w_coords0[from]);
                            w_folded.push(w_list2[from]);
                        }
                    }
                    let span = 0..w_sorted0.len();
                    for (&j, &w_folded_w_p) in w_sorted0[span.clone()]
                        .iter()
                        .zip(&w_folded[span])
                    {
                        c_crd.push(j as u32);
                        c_vals.push(w_folded_w_p);
                    }
                }
            }
        },
    );
    let c_rows = a_rows;
    let c_cols = b_cols;
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: c_vals,
        levels: (
            ::pleach::runtime::tensor::Dense,
            Compressed {
                pos: c_pos,
                crd: c_crd,
            },
        ),
    })
}
/// C(i,j) = A(i,j,k) * x(k)
///
/// A: i: compressed, j: compressed, k: compressed;  C: i: compressed, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn ttv(
    a: CsfView<'_, f64>,
    x: &[f64],
) -> Result<Dcsr<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Tensor, Work, check_extents, copied, par_for, uncleared,
    };
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let Compressed { pos: a3_pos, crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    check_extents("`A` along `k`", a_dim2, "`x` along `k`", x.len())?;
    let c1_pos = copied(&a1_pos[..2]);
    let c1_crd = copied(&a1_crd[..a1_pos[1]]);
    let c2_pos = copied(&a2_pos[..a1_pos[1] + 1]);
    let c2_crd = copied(&a2_crd[..a2_pos[a1_pos[1]]]);
    let mut c_vals: Vec<f64> = Vec::new();
    par_for(
        Work::over(a1_pos[0]..a1_pos[1]).weighted(a2_pos).cost(32),
        uncleared(&mut c_vals, a2_pos[a1_pos[1]]).segments(a2_pos),
        move |block, mut c_vals| {
            for a_p in block {
                for a_p2 in a2_pos[a_p]..a2_pos[a_p + 1] {
                    let mut t = 0.0;
                    let span = a3_pos[a_p2]..a3_pos[a_p2 + 1];
                    for (&k, &a_ijk) in a3_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let k = k as usize;
                        t += a_ijk * x[k];
                    }
                    c_vals.push(t);
                }
            }
        },
    );
    let c_rows = a_dim0;
    let c_cols = a_dim1;
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: c_vals,
        levels: (
            Compressed {
                pos: c1_pos,
                crd: c1_crd,
            },
            Compressed {
                pos: c2_pos,
                crd: c2_crd,
            },
        ),
    })
}
/// C(i,j,l) = A(i,j,k) * X(k,l)
///
/// A: i: compressed, j: compressed, k: compressed;  X: i: dense, j: dense;  C: i: compressed, j: compressed, k: dense
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn ttm(
    a: CsfView<'_, f64>,
    x: MatrixView<'_, f64>,
) -> Result<CompressedCompressedDense<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Tensor, Work, check_extents, copied, par_for, unaliased, uncleared,
    };
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let Compressed { pos: a3_pos, crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let (x_rows, x_cols) = (x.shape[0], x.shape[1]);
    let x_vals = x.vals;
    check_extents("`A` along `k`", a_dim2, "`X` along `k`", x_rows)?;
    let c1_pos = copied(&a1_pos[..2]);
    let c1_crd = copied(&a1_crd[..a1_pos[1]]);
    let c2_pos = copied(&a2_pos[..a1_pos[1] + 1]);
    let c2_crd = copied(&a2_crd[..a2_pos[a1_pos[1]]]);
    let mut c_vals: Vec<f64> = Vec::new();
    par_for(
        Work::over(a1_pos[0]..a1_pos[1]).weighted(a2_pos).cost(1024),
        uncleared(&mut c_vals, a2_pos[a1_pos[1]] * x_cols).blocks(a2_pos, x_cols),
        move |block, mut c_vals| {
            for a_p in block {
                for a_p2 in a2_pos[a_p]..a2_pos[a_p + 1] {
                    let c_a_p2 = &mut c_vals[a_p2 * x_cols..a_p2 * x_cols + x_cols];
                    let span = a3_pos[a_p2]..a3_pos[a_p2 + 1];
                    for (&k, &a_ijk) in a3_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let k = k as usize;
                        unaliased(
                            c_a_p2,
                            |c_a_p2| {
                                for (c_ijk, &x_ij) in c_a_p2
                                    .iter_mut()
                                    .zip(&x_vals[k * x_cols..k * x_cols + x_cols])
                                {
                                    *c_ijk += a_ijk * x_ij;
                                }
                            },
                        );
                    }
                }
            }
        },
    );
    let c_dim0 = a_dim0;
    let c_dim1 = a_dim1;
    let c_dim2 = x_cols;
    Ok(Tensor {
        shape: [c_dim0, c_dim1, c_dim2],
        vals: c_vals,
        levels: (
            Compressed {
                pos: c1_pos,
                crd: c1_crd,
            },
            Compressed {
                pos: c2_pos,
                crd: c2_crd,
            },
            ::pleach::runtime::tensor::Dense,
        ),
    })
}
/// C(i,j,k) = A(i,j,k) + B(i,j,k)          A, B, C: i: compressed, j: compressed, k: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn plus(
    a: CsfView<'_, f64>,
    b: CsfView<'_, f64>,
) -> Result<Csf<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, Tensor, check_extents};
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let Compressed { pos: a3_pos, crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let (b_dim0, b_dim1, b_dim2) = (b.shape[0], b.shape[1], b.shape[2]);
    let Compressed { pos: b1_pos, crd: b1_crd } = b.levels.0;
    let Compressed { pos: b2_pos, crd: b2_crd } = b.levels.1;
    let Compressed { pos: b3_pos, crd: b3_crd } = b.levels.2;
    let b_vals = b.vals;
    check_extents("`A` along `i`", a_dim0, "`B` along `i`", b_dim0)?;
    check_extents("`A` along `j`", a_dim1, "`B` along `j`", b_dim1)?;
    check_extents("`A` along `k`", a_dim2, "`B` along `k`", b_dim2)?;
    let mut c1_pos = vec![0usize; 2];
    let mut c2_pos = vec![0usize; 1];
    let mut c3_pos = vec![0usize; 1];
    let mut c1_crd: Vec<u32> = Vec::new();
    let mut c2_crd: Vec<u32> = Vec::new();
    let mut c3_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut a_p = a1_pos[0];
    let a_end = a1_pos[1];
    let mut b_p = b1_pos[0];
    let b_end = b1_pos[1];
    while a_p < a_end && b_p < b_end {
        let i_a = a1_crd[a_p] as usize;
        let i_b = b1_crd[b_p] as usize;
        let i = i_a.min(i_b);
        if i_a == i_b {
            let mut a_p2 = a2_pos[a_p];
            let a_end2 = a2_pos[a_p + 1];
            let mut b_p2 = b2_pos[b_p];
            let b_end2 = b2_pos[b_p + 1];
            while a_p2 < a_end2 && b_p2 < b_end2 {
                let j_a = a2_crd[a_p2] as usize;
                let j_b = b2_crd[b_p2] as usize;
                let j = j_a.min(j_b);
                if j_a == j_b {
                    let mut a_p3 = a3_pos[a_p2];
                    let a_end3 = a3_pos[a_p2 + 1];
                    let mut b_p3 = b3_pos[b_p2];
                    let b_end3 = b3_pos[b_p2 + 1];
                    while a_p3 < a_end3 && b_p3 < b_end3 {
                        let k_a = a3_crd[a_p3] as usize;
                        let k_b = b3_crd[b_p3] as usize;
                        if k_a == k_b {
                            c3_crd.push(k_a as u32);
                            c_vals.push(a_vals[a_p3] + b_vals[b_p3]);
                            a_p3 += 1;
                            b_p3 += 1;
                        } else if k_b < k_a {
                            c3_crd.push(k_b as u32);
                            c_vals.push(b_vals[b_p3]);
                            b_p3 += 1;
                        } else {
                            c3_crd.push(k_a as u32);
                            c_vals.push(a_vals[a_p3]);
                            a_p3 += 1;
                        }
                    }
                    for (&k_b, &b_ijk) in b3_crd[b_p3..b_end3]
                        .iter()
                        .zip(&b_vals[b_p3..b_end3])
                    {
                        let k_b = k_b as usize;
                        c3_crd.push(k_b as u32);
                        c_vals.push(b_ijk);
                    }
                    for (&k_a, &a_ijk) in a3_crd[a_p3..a_end3]
                        .iter()
                        .zip(&a_vals[a_p3..a_end3])
                    {
                        let k_a = k_a as usize;
                        c3_crd.push(k_a as u32);
                        c_vals.push(a_ijk);
                    }
                    a_p2 += 1;
                    b_p2 += 1;
                } else if j_b < j_a {
                    let span = b3_pos[b_p2]..b3_pos[b_p2 + 1];
                    for (&k, &b_ijk) in b3_crd[span.clone()].iter().zip(&b_vals[span]) {
                        let k = k as usize;
                        c3_crd.push(k as u32);
                        c_vals.push(b_ijk);
                    }
                    b_p2 += 1;
                } else {
                    let span = a3_pos[a_p2]..a3_pos[a_p2 + 1];
                    for (&k, &a_ijk) in a3_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let k = k as usize;
                        c3_crd.push(k as u32);
                        c_vals.push(a_ijk);
                    }
                    a_p2 += 1;
                }
                if c3_pos[c3_pos.len() - 1] < c3_crd.len() {
                    c2_crd.push(j as u32);
                    c3_pos.push(c3_crd.len());
                }
            }
            for b_p3 in b_p2..b_end2 {
                let j_b = b2_crd[b_p3] as usize;
                let span = b3_pos[b_p3]..b3_pos[b_p3 + 1];
                for (&k, &b_ijk) in b3_crd[span.clone()].iter().zip(&b_vals[span]) {
                    let k = k as usize;
                    c3_crd.push(k as u32);
                    c_vals.push(b_ijk);
                }
                if c3_pos[c3_pos.len() - 1] < c3_crd.len() {
                    c2_crd.push(j_b as u32);
                    c3_pos.push(c3_crd.len());
                }
            }
            for a_p3 in a_p2..a_end2 {
                let j_a = a2_crd[a_p3] as usize;
                let span = a3_pos[a_p3]..a3_pos[a_p3 + 1];
                for (&k, &a_ijk) in a3_crd[span.clone()].iter().zip(&a_vals[span]) {
                    let k = k as usize;
                    c3_crd.push(k as u32);
                    c_vals.push(a_ijk);
                }
                if c3_pos[c3_pos.len() - 1] < c3_crd.len() {
                    c2_crd.push(j_a as u32);
                    c3_pos.push(c3_crd.len());
                }
            }
            a_p += 1;
            b_p += 1;
        } else if i_b < i_a {
            for b_p2 in b2_pos[b_p]..b2_pos[b_p + 1] {
                let j = b2_crd[b_p2] as usize;
                let span = b3_pos[b_p2]..b3_pos[b_p2 + 1];
                for (&k, &b_ijk) in b3_crd[span.clone()].iter().zip(&b_vals[span]) {
                    let k = k as usize;
                    c3_crd.push(k as u32);
                    c_vals.push(b_ijk);
                }
                if c3_pos[c3_pos.len() - 1] < c3_crd.len() {
                    c2_crd.push(j as u32);
                    c3_pos.push(c3_crd.len());
                }
            }
            b_p += 1;
        } else {
            for a_p2 in a2_pos[a_p]..a2_pos[a_p + 1] {
                let j = a2_crd[a_p2] as usize;
                let span = a3_pos[a_p2]..a3_pos[a_p2 + 1];
                for (&k, &a_ijk) in a3_crd[span.clone()].iter().zip(&a_vals[span]) {
                    let k = k as usize;
                    c3_crd.push(k as u32);
                    c_vals.push(a_ijk);
                }
                if c3_pos[c3_pos.len() - 1] < c3_crd.len() {
                    c2_crd.push(j as u32);
                    c3_pos.push(c3_crd.len());
                }
            }
            a_p += 1;
        }
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    for b_p2 in b_p..b_end {
        let i_b = b1_crd[b_p2] as usize;
        for b_p3 in b2_pos[b_p2]..b2_pos[b_p2 + 1] {
            let j = b2_crd[b_p3] as usize;
            let span = b3_pos[b_p3]..b3_pos[b_p3 + 1];
            for (&k, &b_ijk) in b3_crd[span.clone()].iter().zip(&b_vals[span]) {
                let k = k as usize;
                c3_crd.push(k as u32);
                c_vals.push(b_ijk);
            }
            if c3_pos[c3_pos.len() - 1] < c3_crd.len() {
                c2_crd.push(j as u32);
                c3_pos.push(c3_crd.len());
            }
        }
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i_b as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    for a_p2 in a_p..a_end {
        let i_a = a1_crd[a_p2] as usize;
        for a_p3 in a2_pos[a_p2]..a2_pos[a_p2 + 1] {
            let j = a2_crd[a_p3] as usize;
            let span = a3_pos[a_p3]..a3_pos[a_p3 + 1];
            for (&k, &a_ijk) in a3_crd[span.clone()].iter().zip(&a_vals[span]) {
                let k = k as usize;
                c3_crd.push(k as u32);
                c_vals.push(a_ijk);
            }
            if c3_pos[c3_pos.len() - 1] < c3_crd.len() {
                c2_crd.push(j as u32);
                c3_pos.push(c3_crd.len());
            }
        }
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i_a as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    let c_dim0 = a_dim0;
    let c_dim1 = a_dim1;
    let c_dim2 = a_dim2;
    c1_pos[1] = c1_crd.len();
    Ok(Tensor {
        shape: [c_dim0, c_dim1, c_dim2],
        vals: c_vals,
        levels: (
            Compressed {
                pos: c1_pos,
                crd: c1_crd,
            },
            Compressed {
                pos: c2_pos,
                crd: c2_crd,
            },
            Compressed {
                pos: c3_pos,
                crd: c3_crd,
            },
        ),
    })
}
/// t = A(i,j,k) * B(i,j,k)          A, B: i: compressed, j: compressed, k: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn inner(
    a: CsfView<'_, f64>,
    b: CsfView<'_, f64>,
) -> Result<f64, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, check_extents, seek};
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let Compressed { pos: a3_pos, crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let (b_dim0, b_dim1, b_dim2) = (b.shape[0], b.shape[1], b.shape[2]);
    let Compressed { pos: b1_pos, crd: b1_crd } = b.levels.0;
    let Compressed { pos: b2_pos, crd: b2_crd } = b.levels.1;
    let Compressed { pos: b3_pos, crd: b3_crd } = b.levels.2;
    let b_vals = b.vals;
    check_extents("`A` along `i`", a_dim0, "`B` along `i`", b_dim0)?;
    check_extents("`A` along `j`", a_dim1, "`B` along `j`", b_dim1)?;
    check_extents("`A` along `k`", a_dim2, "`B` along `k`", b_dim2)?;
    let mut t = 0.0;
    let mut a_p = a1_pos[0];
    let a_end = a1_pos[1];
    let mut b_p = b1_pos[0];
    let b_end = b1_pos[1];
    while a_p < a_end && b_p < b_end {
        let i_a = a1_crd[a_p] as usize;
        let i_b = b1_crd[b_p] as usize;
        if i_a == i_b {
            let mut a_p2 = a2_pos[a_p];
            let a_end2 = a2_pos[a_p + 1];
            let mut b_p2 = b2_pos[b_p];
            let b_end2 = b2_pos[b_p + 1];
            while a_p2 < a_end2 && b_p2 < b_end2 {
                let j_a = a2_crd[a_p2] as usize;
                let j_b = b2_crd[b_p2] as usize;
                if j_a == j_b {
                    let mut a_p3 = a3_pos[a_p2];
                    let a_end3 = a3_pos[a_p2 + 1];
                    let mut b_p3 = b3_pos[b_p2];
                    let b_end3 = b3_pos[b_p2 + 1];
                    let a_long = a_end3 - a_p3 > (b_end3 - b_p3) * 32;
                    let b_long = b_end3 - b_p3 > (a_end3 - a_p3) * 32;
                    while a_p3 < a_end3 && b_p3 < b_end3 {
                        let k_a = a3_crd[a_p3] as usize;
                        let k_b = b3_crd[b_p3] as usize;
                        if k_a == k_b {
                            t += a_vals[a_p3] * b_vals[b_p3];
                        }
                        if k_a <= k_b {
                            a_p3 = if a_long {
                                seek(a3_crd, a_p3 + 1, a_end3, k_b)
                            } else {
                                a_p3 + 1
                            };
                        }
                        if k_b <= k_a {
                            b_p3 = if b_long {
                                seek(b3_crd, b_p3 + 1, b_end3, k_a)
                            } else {
                                b_p3 + 1
                            };
                        }
                    }
                }
                if j_a <= j_b {
                    a_p2 = seek(a2_crd, a_p2 + 1, a_end2, j_b);
                }
                if j_b <= j_a {
                    b_p2 = seek(b2_crd, b_p2 + 1, b_end2, j_a);
                }
            }
        }
        if i_a <= i_b {
            a_p = seek(a1_crd, a_p + 1, a_end, i_b);
        }
        if i_b <= i_a {
            b_p = seek(b1_crd, b_p + 1, b_end, i_a);
        }
    }
    Ok(t)
}
/// M(i,r) = A(i,k,l) * C(k,r) * D(l,r)
///
/// M, C, D: i: dense, j: dense;  A: i: compressed, j: compressed, k: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn mttkrp_csf(
    m: MatrixMut<'_, f64>,
    a: CsfView<'_, f64>,
    c: MatrixView<'_, f64>,
    d: MatrixView<'_, f64>,
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Work, check_extents, each, listed, par_for, unaliased,
    };
    let (m_rows, m_cols) = (m.shape[0], m.shape[1]);
    let m_vals = m.vals;
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let Compressed { pos: a3_pos, crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let (c_rows, c_cols) = (c.shape[0], c.shape[1]);
    let c_vals = c.vals;
    let (d_rows, d_cols) = (d.shape[0], d.shape[1]);
    let d_vals = d.vals;
    check_extents("`M` along `i`", m_rows, "`A` along `i`", a_dim0)?;
    check_extents("`A` along `k`", a_dim1, "`C` along `k`", c_rows)?;
    check_extents("`M` along `r`", m_cols, "`C` along `r`", c_cols)?;
    check_extents("`A` along `l`", a_dim2, "`D` along `l`", d_rows)?;
    check_extents("`M` along `r`", m_cols, "`D` along `r`", d_cols)?;
    par_for(
        Work::over(0..m_rows),
        each(m_vals, 0, m_cols),
        move |block, mut m_vals| {
            for i in block {
                for m_ij in &mut m_vals[i * m_cols..i * m_cols + m_cols] {
                    *m_ij = 0.0;
                }
            }
        },
    );
    par_for(
        Work::over(a1_pos[0]..a1_pos[1]).weighted(a2_pos).cost(1024),
        listed(m_vals, 0, m_cols, a1_crd),
        move |block, mut m_vals| {
            for a_p in block {
                let i = a1_crd[a_p] as usize;
                let m_i = &mut m_vals[i * m_cols..i * m_cols + m_cols];
                for a_p2 in a2_pos[a_p]..a2_pos[a_p + 1] {
                    let k = a2_crd[a_p2] as usize;
                    let c_k = &c_vals[k * c_cols..k * c_cols + m_cols];
                    let span = a3_pos[a_p2]..a3_pos[a_p2 + 1];
                    for (&l, &a_ijk) in a3_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let l = l as usize;
                        unaliased(
                            m_i,
                            |m_i| {
                                for ((m_ij, &c_ij), &d_ij) in m_i
                                    .iter_mut()
                                    .zip(c_k)
                                    .zip(&d_vals[l * d_cols..l * d_cols + m_cols])
                                {
                                    *m_ij += a_ijk * c_ij * d_ij;
                                }
                            },
                        );
                    }
                }
            }
        },
    );
    Ok(())
}
/// M(i,r) = A(i,k,l) * C(k,r) * D(l,r)
///
/// M, C, D: i: dense, j: dense;  A: i: compressed(nonunique), j: singleton(nonunique), k: singleton
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn mttkrp_coo3(
    m: MatrixMut<'_, f64>,
    a: Coo3View<'_, f64>,
    c: MatrixView<'_, f64>,
    d: MatrixView<'_, f64>,
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Singleton, Work, check_extents, each, par_for, unaliased,
    };
    let (m_rows, m_cols) = (m.shape[0], m.shape[1]);
    let m_vals = m.vals;
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let Singleton { crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let (c_rows, c_cols) = (c.shape[0], c.shape[1]);
    let c_vals = c.vals;
    let (d_rows, d_cols) = (d.shape[0], d.shape[1]);
    let d_vals = d.vals;
    check_extents("`M` along `i`", m_rows, "`A` along `i`", a_dim0)?;
    check_extents("`A` along `k`", a_dim1, "`C` along `k`", c_rows)?;
    check_extents("`M` along `r`", m_cols, "`C` along `r`", c_cols)?;
    check_extents("`A` along `l`", a_dim2, "`D` along `l`", d_rows)?;
    check_extents("`M` along `r`", m_cols, "`D` along `r`", d_cols)?;
    par_for(
        Work::over(0..m_rows),
        each(m_vals, 0, m_cols),
        move |block, mut m_vals| {
            for i in block {
                for m_ij in &mut m_vals[i * m_cols..i * m_cols + m_cols] {
                    *m_ij = 0.0;
                }
            }
        },
    );
    let span = a1_pos[0]..a1_pos[1];
    for (((&i, &k), &l), &a_ijk) in a1_crd[span.clone()]
        .iter()
        .zip(&a2_crd[span.clone()])
        .zip(&a3_crd[span.clone()])
        .zip(&a_vals[span])
    {
        let i = i as usize;
        let k = k as usize;
        let l = l as usize;
        unaliased(
            &mut m_vals[i * m_cols..i * m_cols + m_cols],
            |m_vals| {
                for ((m_ij, &c_ij), &d_ij) in m_vals
                    .iter_mut()
                    .zip(&c_vals[k * c_cols..k * c_cols + m_cols])
                    .zip(&d_vals[l * d_cols..l * d_cols + m_cols])
                {
                    *m_ij += a_ijk * c_ij * d_ij;
                }
            },
        );
    }
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: dense, j: packed;  y: i: bst
///
/// `a` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn into_tree<StoreY: ::pleach::runtime::Store<Coord = u32, Value = f64>>(
    a: &impl ::pleach::runtime::Rows<Value = f64>,
    x: &[f64],
) -> Result<
    ::pleach::runtime::tensor::Tensor<
        1,
        (::pleach::runtime::tensor::Stores<StoreY>,),
        (),
    >,
    ::pleach::runtime::kernel::ShapeError,
> {
    use ::pleach::runtime::kernel::{Fiber, Stores, Tensor, build, check_extents, gather};
    check_extents("`A` along `j`", a.num_cols(), "`x` along `j`", x.len())?;
    check_extents(
        "`y` along `i`, which has 32 bits for a coordinate,",
        a.num_rows().min(4294967295),
        "`i`",
        a.num_rows(),
    )?;
    let mut y_crd: Vec<u32> = Vec::new();
    let mut y_vals: Vec<f64> = Vec::new();
    gather(
        a,
        &mut y_crd,
        &mut y_vals,
        |_, a_i| {
            let mut t = 0.0;
            let mut t_set = false;
            (t, t_set) = a_i
                .fold_storage(
                    (t, t_set),
                    |(mut t, mut t_set), run| {
                        for (j, &a_entry) in run.iter() {
                            let j = j as usize;
                            t += a_entry * x[j];
                            t_set = true;
                        }
                        (t, t_set)
                    },
                );
            t_set.then(|| t)
        },
    );
    let y_len = a.num_rows();
    let y = build(&y_crd[0..y_crd.len()], &y_vals[0..y_crd.len()]);
    Ok(Tensor {
        shape: [y_len],
        vals: (),
        levels: (Stores(y),),
    })
}
/// c(i) = a(i) + b(i)          a, b, c: i: bst
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn union_of_vectors<'a, StoreC: ::pleach::runtime::Store<Coord = u32, Value = f64>>(
    a: ::pleach::runtime::tensor::Tensor<
        1,
        (
            ::pleach::runtime::tensor::Stores<
                impl ::pleach::runtime::Fiber<'a, Coord = u32, Value = f64>,
            >,
        ),
        (),
    >,
    b: ::pleach::runtime::tensor::Tensor<
        1,
        (
            ::pleach::runtime::tensor::Stores<
                impl ::pleach::runtime::Fiber<'a, Coord = u32, Value = f64>,
            >,
        ),
        (),
    >,
) -> Result<
    ::pleach::runtime::tensor::Tensor<
        1,
        (::pleach::runtime::tensor::Stores<StoreC>,),
        (),
    >,
    ::pleach::runtime::kernel::ShapeError,
> {
    use ::pleach::runtime::kernel::{Cursor, Stores, Tensor, build, check_extents};
    let a_len = a.shape[0];
    let a_stores = a.levels.0.0;
    let b_len = b.shape[0];
    let b_stores = b.levels.0.0;
    check_extents("`a` along `i`", a_len, "`b` along `i`", b_len)?;
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut a_cursor = Cursor::over(a_stores);
    let mut b_cursor = Cursor::over(b_stores);
    while a_cursor.coord().is_some() && b_cursor.coord().is_some() {
        let i_a = a_cursor.coord().map_or(usize::MAX, |c| c as usize);
        let i_b = b_cursor.coord().map_or(usize::MAX, |c| c as usize);
        if i_a == i_b {
            c_crd.push(i_a as u32);
            c_vals.push(*a_cursor.value() + *b_cursor.value());
            a_cursor.advance();
            b_cursor.advance();
        } else if i_b < i_a {
            c_crd.push(i_b as u32);
            c_vals.push(*b_cursor.value());
            b_cursor.advance();
        } else {
            c_crd.push(i_a as u32);
            c_vals.push(*a_cursor.value());
            a_cursor.advance();
        }
    }
    b_cursor
        .rest(|run| {
            for (i, &b_entry) in run.iter() {
                let i = i as usize;
                c_crd.push(i as u32);
                c_vals.push(b_entry);
            }
        });
    a_cursor
        .rest(|run| {
            for (i, &a_entry) in run.iter() {
                let i = i as usize;
                c_crd.push(i as u32);
                c_vals.push(a_entry);
            }
        });
    let c_len = a_len;
    let c = build(&c_crd[0..c_crd.len()], &c_vals[0..c_crd.len()]);
    Ok(Tensor {
        shape: [c_len],
        vals: (),
        levels: (Stores(c),),
    })
}
/// C(i,j) = A(i,j) + B(i,j)          A, B, C: i: bst, j: bst
///
/// `a` and `b` hold their rows in any ordered store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn union_pam<
    StoreCHeld: ::pleach::runtime::Store<Coord = u32, Value = f64>,
    StoreC: ::pleach::runtime::Store<Coord = u32, Value = StoreCHeld>,
>(
    a: &impl ::pleach::runtime::Rows<Value = f64>,
    b: &impl ::pleach::runtime::Rows<Value = f64>,
) -> Result<
    ::pleach::runtime::tensor::Tensor<
        2,
        (::pleach::runtime::tensor::Stores<StoreC>,),
        (),
    >,
    ::pleach::runtime::kernel::ShapeError,
> {
    use ::pleach::runtime::kernel::{
        Cursor, Fiber, RowCursor, Stores, Tensor, build, build_of_stores, check_extents,
    };
    check_extents("`A` along `i`", a.num_rows(), "`B` along `i`", b.num_rows())?;
    check_extents("`A` along `j`", a.num_cols(), "`B` along `j`", b.num_cols())?;
    let mut c2_pos = vec![0usize; 1];
    let mut c1_crd: Vec<u32> = Vec::new();
    let mut c2_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut a_cursor = RowCursor::new(a);
    let mut b_cursor = RowCursor::new(b);
    while a_cursor.coord().is_some() && b_cursor.coord().is_some() {
        let i_a = a_cursor.coord().map_or(usize::MAX, |c| c as usize);
        let i_b = b_cursor.coord().map_or(usize::MAX, |c| c as usize);
        let i = i_a.min(i_b);
        if i_a == i_b {
            let mut a_cursor2 = Cursor::over(a_cursor.value());
            let mut b_cursor2 = Cursor::over(b_cursor.value());
            while a_cursor2.coord().is_some() && b_cursor2.coord().is_some() {
                let j_a = a_cursor2.coord().map_or(usize::MAX, |c| c as usize);
                let j_b = b_cursor2.coord().map_or(usize::MAX, |c| c as usize);
                if j_a == j_b {
                    c2_crd.push(j_a as u32);
                    c_vals.push(*a_cursor2.value() + *b_cursor2.value());
                    a_cursor2.advance();
                    b_cursor2.advance();
                } else if j_b < j_a {
                    c2_crd.push(j_b as u32);
                    c_vals.push(*b_cursor2.value());
                    b_cursor2.advance();
                } else {
                    c2_crd.push(j_a as u32);
                    c_vals.push(*a_cursor2.value());
                    a_cursor2.advance();
                }
            }
            b_cursor2
                .rest(|run| {
                    for (j, &b_entry) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(b_entry);
                    }
                });
            a_cursor2
                .rest(|run| {
                    for (j, &a_entry) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(a_entry);
                    }
                });
            a_cursor.advance();
            b_cursor.advance();
        } else if i_b < i_a {
            b_cursor
                .value()
                .fold_ordered(
                    (),
                    |(), run| {
                        for (j, &b_entry) in run.iter() {
                            let j = j as usize;
                            c2_crd.push(j as u32);
                            c_vals.push(b_entry);
                        }
                    },
                );
            b_cursor.advance();
        } else {
            a_cursor
                .value()
                .fold_ordered(
                    (),
                    |(), run| {
                        for (j, &a_entry) in run.iter() {
                            let j = j as usize;
                            c2_crd.push(j as u32);
                            c_vals.push(a_entry);
                        }
                    },
                );
            a_cursor.advance();
        }
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    for (i, b_entry) in b_cursor.rest() {
        b_entry
            .fold_ordered(
                (),
                |(), run| {
                    for (j, &b_entry2) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(b_entry2);
                    }
                },
            );
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    for (i, a_entry) in a_cursor.rest() {
        a_entry
            .fold_ordered(
                (),
                |(), run| {
                    for (j, &a_entry2) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(a_entry2);
                    }
                },
            );
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    let c_rows = a.num_rows();
    let c_cols = a.num_cols();
    let mut c2_stores: Vec<_> = Vec::with_capacity(c2_pos.len() - 1);
    for p in 0..c2_pos.len() - 1 {
        c2_stores
            .push(
                build(
                    &c2_crd[c2_pos[p]..c2_pos[p + 1]],
                    &c_vals[c2_pos[p]..c2_pos[p + 1]],
                ),
            );
    }
    let c = build_of_stores(&c1_crd[0..c1_crd.len()], &c2_stores[0..c1_crd.len()]);
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: (),
        levels: (Stores(c),),
    })
}
/// C(i,j) = A(i,j) + B(i,j)          A, B: i: bst, j: bst;  C: i: bst, j: ctree
///
/// `a` and `b` hold their rows in any ordered store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn union_aspen<
    StoreCHeld: ::pleach::runtime::Store<Coord = u32, Value = f64>,
    StoreC: ::pleach::runtime::Store<Coord = u32, Value = StoreCHeld>,
>(
    a: &impl ::pleach::runtime::Rows<Value = f64>,
    b: &impl ::pleach::runtime::Rows<Value = f64>,
) -> Result<
    ::pleach::runtime::tensor::Tensor<
        2,
        (::pleach::runtime::tensor::Stores<StoreC>,),
        (),
    >,
    ::pleach::runtime::kernel::ShapeError,
> {
    use ::pleach::runtime::kernel::{
        Cursor, Fiber, RowCursor, Stores, Tensor, build, build_of_stores, check_extents,
    };
    check_extents("`A` along `i`", a.num_rows(), "`B` along `i`", b.num_rows())?;
    check_extents("`A` along `j`", a.num_cols(), "`B` along `j`", b.num_cols())?;
    let mut c2_pos = vec![0usize; 1];
    let mut c1_crd: Vec<u32> = Vec::new();
    let mut c2_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut a_cursor = RowCursor::new(a);
    let mut b_cursor = RowCursor::new(b);
    while a_cursor.coord().is_some() && b_cursor.coord().is_some() {
        let i_a = a_cursor.coord().map_or(usize::MAX, |c| c as usize);
        let i_b = b_cursor.coord().map_or(usize::MAX, |c| c as usize);
        let i = i_a.min(i_b);
        if i_a == i_b {
            let mut a_cursor2 = Cursor::over(a_cursor.value());
            let mut b_cursor2 = Cursor::over(b_cursor.value());
            while a_cursor2.coord().is_some() && b_cursor2.coord().is_some() {
                let j_a = a_cursor2.coord().map_or(usize::MAX, |c| c as usize);
                let j_b = b_cursor2.coord().map_or(usize::MAX, |c| c as usize);
                if j_a == j_b {
                    c2_crd.push(j_a as u32);
                    c_vals.push(*a_cursor2.value() + *b_cursor2.value());
                    a_cursor2.advance();
                    b_cursor2.advance();
                } else if j_b < j_a {
                    c2_crd.push(j_b as u32);
                    c_vals.push(*b_cursor2.value());
                    b_cursor2.advance();
                } else {
                    c2_crd.push(j_a as u32);
                    c_vals.push(*a_cursor2.value());
                    a_cursor2.advance();
                }
            }
            b_cursor2
                .rest(|run| {
                    for (j, &b_entry) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(b_entry);
                    }
                });
            a_cursor2
                .rest(|run| {
                    for (j, &a_entry) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(a_entry);
                    }
                });
            a_cursor.advance();
            b_cursor.advance();
        } else if i_b < i_a {
            b_cursor
                .value()
                .fold_ordered(
                    (),
                    |(), run| {
                        for (j, &b_entry) in run.iter() {
                            let j = j as usize;
                            c2_crd.push(j as u32);
                            c_vals.push(b_entry);
                        }
                    },
                );
            b_cursor.advance();
        } else {
            a_cursor
                .value()
                .fold_ordered(
                    (),
                    |(), run| {
                        for (j, &a_entry) in run.iter() {
                            let j = j as usize;
                            c2_crd.push(j as u32);
                            c_vals.push(a_entry);
                        }
                    },
                );
            a_cursor.advance();
        }
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    for (i, b_entry) in b_cursor.rest() {
        b_entry
            .fold_ordered(
                (),
                |(), run| {
                    for (j, &b_entry2) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(b_entry2);
                    }
                },
            );
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    for (i, a_entry) in a_cursor.rest() {
        a_entry
            .fold_ordered(
                (),
                |(), run| {
                    for (j, &a_entry2) in run.iter() {
                        let j = j as usize;
                        c2_crd.push(j as u32);
                        c_vals.push(a_entry2);
                    }
                },
            );
        if c2_pos[c2_pos.len() - 1] < c2_crd.len() {
            c1_crd.push(i as u32);
            c2_pos.push(c2_crd.len());
        }
    }
    let c_rows = a.num_rows();
    let c_cols = a.num_cols();
    let mut c2_stores: Vec<_> = Vec::with_capacity(c2_pos.len() - 1);
    for p in 0..c2_pos.len() - 1 {
        c2_stores
            .push(
                build(
                    &c2_crd[c2_pos[p]..c2_pos[p + 1]],
                    &c_vals[c2_pos[p]..c2_pos[p + 1]],
                ),
            );
    }
    let c = build_of_stores(&c1_crd[0..c1_crd.len()], &c2_stores[0..c1_crd.len()]);
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: (),
        levels: (Stores(c),),
    })
}
/// y(i) = x(i)          x: i: compressed;  y: i: hashed
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn hashed_vector(
    x: SparseView<'_, f64>,
) -> Result<Hash<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, Hashed, Tensor};
    let x_len = x.shape[0];
    let Compressed { pos: x_pos, crd: x_crd } = x.levels.0;
    let x_vals = x.vals;
    let mut y_coords0: Vec<usize> = Vec::new();
    let mut y_list: Vec<f64> = Vec::new();
    let span = x_pos[0]..x_pos[1];
    for (&i, &x_i) in x_crd[span.clone()].iter().zip(&x_vals[span]) {
        let i = i as usize;
        y_coords0.push(i);
        y_list.push(x_i);
    }
    let y_len = x_len;
    let mut y_ends = vec![0usize; 2];
    y_ends[1] = y_coords0.len();
    let mut y_lengths = vec![0usize; 1];
    y_lengths[0] = y_ends[1] - y_ends[0];
    let mut y_width = 0usize;
    for &y_lengths_p in &y_lengths[0..1] {
        y_width = y_width.max(y_lengths_p * 2);
    }
    let mut y_crd = vec![u32::MAX; y_width];
    let y_size = y_width;
    let mut y_vals = vec![0.0; y_size];
    let span = y_ends[0]..y_ends[1];
    for (&i, &y_list_p1) in y_coords0[span.clone()].iter().zip(&y_list[span]) {
        let mut y_at = 0usize;
        for step in 0..y_width {
            let slot = (i + step).checked_rem(y_width).unwrap_or(0);
            if y_crd[slot] == u32::MAX || y_crd[slot] == i as u32 {
                y_at = slot;
                break;
            }
        }
        y_crd[y_at] = i as u32;
        y_vals[y_at] = y_list_p1;
    }
    Ok(Tensor {
        shape: [y_len],
        vals: y_vals,
        levels: (
            Hashed {
                width: y_width,
                crd: y_crd,
            },
        ),
    })
}
/// forall(v, parallel, forall(u, y(v) += A(v,u) * x(u) over min_second))
///
/// A: i: dense, j: packed
///
/// One step of a search: from every vertex of a frontier `x` (its own number where it is one, infinity elsewhere) to all it leads to; the least one wins.
///
/// `a` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn level(
    y: &mut [f64],
    a: &impl ::pleach::runtime::Rows,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Fiber, Work, check_extents, each, minimum, par_for};
    check_extents("`A` along `u`", a.num_cols(), "`x` along `u`", x.len())?;
    check_extents("`A` along `v`", a.num_rows(), "`y` along `v`", y.len())?;
    let a_row = a.finder();
    par_for(
        Work::over(0..a.num_rows()),
        each(y, 0, 1),
        |block, mut y| {
            for v in block {
                let mut y_v = y[v];
                y_v = a_row(v)
                    .fold_storage(
                        y_v,
                        |mut y_v, run| {
                            for &u in run.coords() {
                                let u = u as usize;
                                y_v = minimum(y_v, x[u]);
                            }
                            y_v
                        },
                    );
                y[v] = y_v;
            }
        },
    );
    Ok(())
}
/// forall(v, parallel, forall(u, y(v) += A(v,u) * d(u) over min_plus))          A: i: dense, j: packed
///
/// One round of shortest paths: every arc is relaxed.
///
/// `a` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn relax(
    y: &mut [f64],
    a: &impl ::pleach::runtime::Rows<Value = f64>,
    d: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Fiber, Work, check_extents, each, minimum, par_for};
    check_extents("`A` along `u`", a.num_cols(), "`d` along `u`", d.len())?;
    check_extents("`A` along `v`", a.num_rows(), "`y` along `v`", y.len())?;
    let a_row = a.finder();
    par_for(
        Work::over(0..a.num_rows()),
        each(y, 0, 1),
        |block, mut y| {
            for v in block {
                let mut y_v = y[v];
                y_v = a_row(v)
                    .fold_storage(
                        y_v,
                        |mut y_v, run| {
                            for (u, &a_entry) in run.iter() {
                                let u = u as usize;
                                y_v = minimum(y_v, a_entry + d[u]);
                            }
                            y_v
                        },
                    );
                y[v] = y_v;
            }
        },
    );
    Ok(())
}
/// t = L(a,b) * L(a,c) * L(b,c)          L: i: dense, j: packed
///
/// Triangles of a graph whose edges lead from the smaller end to the larger one.
///
/// `l` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn triangles(
    l: &impl ::pleach::runtime::Rows,
) -> Result<f64, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Cursor, Fiber, Work, check_extents, par_fold};
    check_extents(
        "`L` along its second index",
        l.num_cols(),
        "`L` along its first index",
        l.num_rows(),
    )?;
    let l_row = l.finder();
    let mut t = 0.0;
    let folded = par_fold(
        Work::over(0..l.num_rows()).cost(32),
        (),
        |block, ()| {
            let mut t = 0f64;
            for a in block {
                t = l_row(a)
                    .fold_storage(
                        t,
                        |mut t, run| {
                            for &b in run.coords() {
                                let b = b as usize;
                                let mut l_cursor = Cursor::new(l_row(a).runs());
                                let mut l_cursor2 = Cursor::new(l_row(b).runs());
                                while l_cursor.coord().is_some()
                                    && l_cursor2.coord().is_some()
                                {
                                    l_cursor.advance();
                                    l_cursor2.advance();
                                }
                                if l_cursor.coord().is_some() {
                                    t = l_row(b)
                                        .fold_storage(
                                            t,
                                            |mut t, run| {
                                                for &c in run.coords() {
                                                    let c = c as usize;
                                                    if l_row(a).locate(c as u32).is_some() {
                                                        t += 1.0;
                                                    }
                                                }
                                                t
                                            },
                                        );
                                } else {
                                    t = l_row(a)
                                        .fold_storage(
                                            t,
                                            |mut t, run| {
                                                for &c in run.coords() {
                                                    let c = c as usize;
                                                    if l_row(b).locate(c as u32).is_some() {
                                                        t += 1.0;
                                                    }
                                                }
                                                t
                                            },
                                        );
                                }
                            }
                            t
                        },
                    );
            }
            t
        },
        |left, right| left + right,
    );
    t += folded;
    Ok(t)
}
/// C(v,l) = A(v,u) * S(u,l)          A, S, C: i: dense, j: compressed
///
/// How many neighbours of each vertex carry each label, where S(u, label of u) = 1.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn labels(
    a: CsrView<'_, f64>,
    s_: CsrView<'_, f64>,
) -> Result<Csr<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Compressed, Tensor, Work, check_extents, each, par_for, prefix_sum, uncleared,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let (s_rows, s_cols) = (s_.shape[0], s_.shape[1]);
    let Compressed { pos: s_pos, crd: s_crd } = s_.levels.1;
    let s_vals = s_.vals;
    check_extents("`A` along `u`", a_cols, "`S` along `u`", s_rows)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        each(&mut c_pos, 1, 1),
        move |block, mut c_pos| {
            let w_fits = s_cols
                <= ((a_vals.len() + s_vals.len() + a_rows + s_rows) * 16usize)
                    .max(262144);
            let mut w_set = vec![false; if w_fits { s_cols } else { 0 }];
            let mut w_list: Vec<usize> = Vec::new();
            for v in block {
                if w_fits {
                    for &u in &a_crd[a_pos[v]..a_pos[v + 1]] {
                        let u = u as usize;
                        for &l in &s_crd[s_pos[u]..s_pos[u + 1]] {
                            let l = l as usize;
                            if !w_set[l] {
                                w_set[l] = true;
                                w_list.push(l);
                            }
                        }
                    }
                    let mut c_pos_sum = c_pos[v + 1];
                    for _w_p in 0..w_list.len() {
                        c_pos_sum += 1;
                    }
                    c_pos[v + 1] = c_pos_sum;
                    for &w_list_q in &w_list {
                        w_set[w_list_q] = false;
                    }
                    w_list.clear();
                } else {
                    let mut w_coords0: Vec<usize> = Vec::new();
                    for &u in &a_crd[a_pos[v]..a_pos[v + 1]] {
                        let u = u as usize;
                        for &l in &s_crd[s_pos[u]..s_pos[u + 1]] {
                            let l = l as usize;
                            w_coords0.push(l);
                        }
                    }
                    let mut w_order: Vec<usize> = (0..w_coords0.len()).collect();
                    w_order.sort_by_key(|&p| w_coords0[p]);
                    let mut w_sorted0: Vec<usize> = Vec::with_capacity(w_coords0.len());
                    for &from in &w_order {
                        let last = w_sorted0.len().max(1) - 1;
                        if !(w_sorted0.len() > 0 && w_sorted0[last] == w_coords0[from]) {
                            w_sorted0.push(w_coords0[from]);
                        }
                    }
                    let mut c_pos_sum = c_pos[v + 1];
                    for _w_p in 0..w_sorted0.len() {
                        c_pos_sum += 1;
                    }
                    c_pos[v + 1] = c_pos_sum;
                }
            }
        },
    );
    prefix_sum(&mut c_pos);
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        (
            uncleared(&mut c_crd, c_pos[c_pos.len() - 1]).segments(&c_pos),
            uncleared(&mut c_vals, c_pos[c_pos.len() - 1]).segments(&c_pos),
        ),
        move |block, (mut c_crd, mut c_vals)| {
            let w_fits = s_cols
                <= ((a_vals.len() + s_vals.len() + a_rows + s_rows) * 16usize)
                    .max(262144);
            let mut w = vec![0.0; if w_fits { s_cols } else { 0 }];
            let mut w_set = vec![false; if w_fits { s_cols } else { 0 }];
            let mut w_list: Vec<usize> = Vec::new();
            for v in block {
                if w_fits {
                    let span = a_pos[v]..a_pos[v + 1];
                    for (&u, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let u = u as usize;
                        let span = s_pos[u]..s_pos[u + 1];
                        for (&l, &s_ij) in s_crd[span.clone()].iter().zip(&s_vals[span])
                        {
                            let l = l as usize;
                            let value = a_ij * s_ij;
                            if w_set[l] {
                                w[l] += value;
                            } else {
                                w_set[l] = true;
                                w_list.push(l);
                                w[l] = value;
                            }
                        }
                    }
                    w_list.sort_unstable();
                    for &l in &w_list {
                        c_crd.push(l as u32);
                        c_vals.push(w[l]);
                    }
                    for &w_list_q in &w_list {
                        w_set[w_list_q] = false;
                    }
                    w_list.clear();
                } else {
                    let mut w_coords0: Vec<usize> = Vec::new();
                    let mut w_list2: Vec<f64> = Vec::new();
                    let span = a_pos[v]..a_pos[v + 1];
                    for (&u, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                        let u = u as usize;
                        let span = s_pos[u]..s_pos[u + 1];
                        for (&l, &s_ij) in s_crd[span.clone()].iter().zip(&s_vals[span])
                        {
                            let l = l as usize;
                            w_coords0.push(l);
                            w_list2.push(a_ij * s_ij);
                        }
                    }
                    let mut w_order: Vec<usize> = (0..w_coords0.len()).collect();
                    w_order.sort_by_key(|&p| w_coords0[p]);
                    let mut w_sorted0: Vec<usize> = Vec::with_capacity(w_coords0.len());
                    let mut w_folded: Vec<f64> = Vec::with_capacity(w_coords0.len());
                    for &from in &w_order {
                        let last = w_sorted0.len().max(1) - 1;
                        if w_sorted0.len() > 0 && w_sorted0[last] == w_coords0[from] {
                            w_folded[last] += w_list2[from];
                        } else {
                            w_sorted0.push(w_coords0[from]);
                            w_folded.push(w_list2[from]);
                        }
                    }
                    let span = 0..w_sorted0.len();
                    for (&l, &w_folded_w_p) in w_sorted0[span.clone()]
                        .iter()
                        .zip(&w_folded[span])
                    {
                        c_crd.push(l as u32);
                        c_vals.push(w_folded_w_p);
                    }
                }
            }
        },
    );
    let c_rows = a_rows;
    let c_cols = s_cols;
    Ok(Tensor {
        shape: [c_rows, c_cols],
        vals: c_vals,
        levels: (
            ::pleach::runtime::tensor::Dense,
            Compressed {
                pos: c_pos,
                crd: c_crd,
            },
        ),
    })
}
