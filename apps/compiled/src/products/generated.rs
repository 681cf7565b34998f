/// `bcsr`: (i / 4): dense, (j / 4): compressed, (i % 4): dense, (j % 4): dense.
#[allow(dead_code)]
pub type Bcsr<V> = ::pleach::runtime::tensor::Arranged<
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
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// `bcsr`: (i / 4): dense, (j / 4): compressed, (i % 4): dense, (j % 4): dense, its arrays borrowed.
#[allow(dead_code)]
pub type BcsrView<'a, V> = ::pleach::runtime::tensor::Arranged<
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
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// `bcsr_2_2`: (i / 2): dense, (j / 2): compressed, (i % 2): dense, (j % 2): dense.
#[allow(dead_code)]
pub type Bcsr2x2<V> = ::pleach::runtime::tensor::Arranged<
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
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
    ),
>;
/// `bcsr_2_2`: (i / 2): dense, (j / 2): compressed, (i % 2): dense, (j % 2): dense, its arrays borrowed.
#[allow(dead_code)]
pub type Bcsr2x2View<'a, V> = ::pleach::runtime::tensor::Arranged<
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
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach::runtime::tensor::coordinate::Div<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<0>,
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach::runtime::tensor::coordinate::Rem<
            ::pleach::runtime::tensor::coordinate::Index<1>,
            ::pleach::runtime::tensor::coordinate::Const<2>,
        >,
    ),
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
/// `csc`: j: dense, i: compressed.
#[allow(dead_code)]
pub type Csc<V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Dense,
            ::pleach::runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ),
        Vec<V>,
    >,
    (
        ::pleach::runtime::tensor::coordinate::Index<1>,
        ::pleach::runtime::tensor::coordinate::Index<0>,
    ),
>;
/// `csc`: j: dense, i: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type CscView<'a, V> = ::pleach::runtime::tensor::Arranged<
    ::pleach::runtime::tensor::Tensor<
        2,
        (
            ::pleach::runtime::tensor::Dense,
            ::pleach::runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ),
        &'a [V],
    >,
    (
        ::pleach::runtime::tensor::coordinate::Index<1>,
        ::pleach::runtime::tensor::coordinate::Index<0>,
    ),
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
/// `skyline`: i: dense, j: banded.
#[allow(dead_code)]
pub type Skyline<V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Dense,
        ::pleach::runtime::tensor::Banded<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `skyline`: i: dense, j: banded, its arrays borrowed.
#[allow(dead_code)]
pub type SkylineView<'a, V> = ::pleach::runtime::tensor::Tensor<
    2,
    (
        ::pleach::runtime::tensor::Dense,
        ::pleach::runtime::tensor::Banded<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed
///
/// A matrix times a vector, in each format that `pleach data info --measure` compares.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_csr(
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
/// y(i) = A(i,j) * x(j)          A: j: dense, i: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_csc(
    y: &mut [f64],
    a: CscView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, check_extents};
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    y.fill(0.0);
    for j in 0..a_cols {
        let span = a_pos[j]..a_pos[j + 1];
        for (&i, &a_ji) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
            let i = i as usize;
            y[i] += a_ji * x[j];
        }
    }
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: compressed, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_dcsr(
    y: &mut [f64],
    a: DcsrView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Compressed, check_extents};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y.len())?;
    let mut a_p = a1_pos[0];
    let a_end = a1_pos[1];
    for i in 0..a_rows {
        let a_here = a_p < a_end && a1_crd[a_p] as usize == i;
        if a_here {
            let mut t = 0.0;
            let span = a2_pos[a_p]..a2_pos[a_p + 1];
            for (&j, &a_ij) in a2_crd[span.clone()].iter().zip(&a_vals[span]) {
                let j = j as usize;
                t += a_ij * x[j];
            }
            y[i] = t;
        } else {
            y[i] = 0.0;
        }
        if a_here {
            a_p += 1;
        }
    }
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: compressed(nonunique), j: singleton
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_coo(
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
/// y(i) = A(i,j) * x(j)          A: (j - i): squeezed, i: range, j: offset
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_dia(
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
/// y(i) = A(i,j) * x(j)          A: (#i): sliced, i: dense, j: singleton(padded)
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_ell(
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
/// y(i) = A(i,j) * x(j)          A: (i / 2): dense, (j / 2): compressed, (i % 2): dense, (j % 2): dense
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_blocks_of_2(
    y: &mut [f64],
    a: Bcsr2x2View<'_, f64>,
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
        each(y, 0, 2),
        |block, mut y| {
            for c1 in block {
                let whole = a3_extent == 2 && a4_extent == 2 && c1 * 2 + 1 < a_rows;
                let mut y_c1 = [0.0; 2];
                if whole {
                    y_c1[0..2].copy_from_slice(&y[c1 * 2..c1 * 2 + 2]);
                }
                for p2 in a_pos[c1]..a_pos[c1 + 1] {
                    let c2 = a_crd[p2] as usize;
                    if whole && c2 * 2 + 1 < a_cols {
                        let a_p2 = &a_vals[p2 * 4..p2 * 4 + 4];
                        let x_c2 = &x[c2 * 2..c2 * 2 + 2];
                        for c3 in 0..2 {
                            let mut y_c1_c3 = y_c1[c3];
                            for (&a_vals_c4, &x_i) in a_p2[c3 * 2..c3 * 2 + 2]
                                .iter()
                                .zip(x_c2)
                            {
                                y_c1_c3 += a_vals_c4 * x_i;
                            }
                            y_c1[c3] = y_c1_c3;
                        }
                    } else {
                        if whole {
                            y[c1 * 2..c1 * 2 + 2].copy_from_slice(&y_c1[0..2]);
                        }
                        for c3 in 0..a3_extent.min(2) {
                            for c4 in 0..a4_extent.min(2) {
                                let i = c1 * 2 + c3;
                                let j = c2 * 2 + c4;
                                if i < a_rows && j < a_cols {
                                    y[i]
                                        += a_vals[(p2 * a3_extent.min(2) + c3) * a4_extent.min(2)
                                            + c4] * x[j];
                                }
                            }
                        }
                        if whole {
                            y_c1[0..2].copy_from_slice(&y[c1 * 2..c1 * 2 + 2]);
                        }
                    }
                }
                if whole {
                    y[c1 * 2..c1 * 2 + 2].copy_from_slice(&y_c1[0..2]);
                }
            }
        },
    );
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: (i / 4): dense, (j / 4): compressed, (i % 4): dense, (j % 4): dense
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_blocks_of_4(
    y: &mut [f64],
    a: BcsrView<'_, f64>,
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
        each(y, 0, 4),
        |block, mut y| {
            for c1 in block {
                let whole = a3_extent == 4 && a4_extent == 4 && c1 * 4 + 3 < a_rows;
                let mut y_c1 = [0.0; 4];
                if whole {
                    y_c1[0..4].copy_from_slice(&y[c1 * 4..c1 * 4 + 4]);
                }
                for p2 in a_pos[c1]..a_pos[c1 + 1] {
                    let c2 = a_crd[p2] as usize;
                    if whole && c2 * 4 + 3 < a_cols {
                        let a_p2 = &a_vals[p2 * 16..p2 * 16 + 16];
                        let x_c2 = &x[c2 * 4..c2 * 4 + 4];
                        for c3 in 0..4 {
                            let mut y_c1_c3 = y_c1[c3];
                            for (&a_vals_c4, &x_i) in a_p2[c3 * 4..c3 * 4 + 4]
                                .iter()
                                .zip(x_c2)
                            {
                                y_c1_c3 += a_vals_c4 * x_i;
                            }
                            y_c1[c3] = y_c1_c3;
                        }
                    } else {
                        if whole {
                            y[c1 * 4..c1 * 4 + 4].copy_from_slice(&y_c1[0..4]);
                        }
                        for c3 in 0..a3_extent.min(4) {
                            for c4 in 0..a4_extent.min(4) {
                                let i = c1 * 4 + c3;
                                let j = c2 * 4 + c4;
                                if i < a_rows && j < a_cols {
                                    y[i]
                                        += a_vals[(p2 * a3_extent.min(4) + c3) * a4_extent.min(4)
                                            + c4] * x[j];
                                }
                            }
                        }
                        if whole {
                            y_c1[0..4].copy_from_slice(&y[c1 * 4..c1 * 4 + 4]);
                        }
                    }
                }
                if whole {
                    y[c1 * 4..c1 * 4 + 4].copy_from_slice(&y_c1[0..4]);
                }
            }
        },
    );
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: dense, j: banded
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn by_skyline(
    y: &mut [f64],
    a: SkylineView<'_, f64>,
    x: &[f64],
) -> Result<(), ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{Banded, Work, check_extents, each, par_for};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Banded { pos: a_pos, first: a_first } = a.levels.1;
    let a_vals = a.vals;
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x.len())?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y.len())?;
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        each(y, 0, 1),
        move |block, mut y| {
            for i in block {
                let mut t = 0.0;
                for j in a_first[i]
                    as usize..a_first[i] as usize + (a_pos[i + 1] - a_pos[i])
                {
                    t += a_vals[a_pos[i] + (j - a_first[i] as usize)] * x[j];
                }
                y[i] = t;
            }
        },
    );
    Ok(())
}
/// B(i,j) = A(i,j)
///
/// A: i: dense, j: compressed;  B: (i / 2): dense, (j / 2): compressed, (i % 2): dense, (j % 2): dense
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn to_blocks_of_2(
    a: CsrView<'_, f64>,
) -> Result<Bcsr2x2<f64>, ::pleach::runtime::kernel::ShapeError> {
    use ::pleach::runtime::kernel::{
        Arranged, Compressed, Remapped, Tensor, Work, check_extents, par_for, prefix_sum,
        seek, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    check_extents(
        "`B` along its computed coordinate, which has 32 bits for a coordinate,",
        ((a_cols + 1usize) / 2usize).min(4294967295),
        "its computed coordinate",
        (a_cols + 1) / 2,
    )?;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b1_extent = (a_rows + 1) / 2;
    let b2_extent = (a_cols + 1) / 2;
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
                    ) + 1usize) / 2usize * 2usize)
                        .min(a_rows);
                    let hi = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    ) + 1usize) / 2usize * 2usize)
                        .min(a_rows);
                    let mut b_seen = vec![0usize; b2_extent];
                    let mut b_own: Vec<u32> = Vec::new();
                    let mut begin = a_pos[lo];
                    for parent in (lo + 1) / 2..(hi + 1) / 2 {
                        let lo2 = parent * 2;
                        let hi2 = (lo2 + 2usize).min(a_rows);
                        b_own.clear();
                        for &j in &a_crd[a_pos[lo2]..a_pos[hi2]] {
                            let j = j as usize;
                            if b_seen[j / 2] != parent + 1 {
                                b_seen[j / 2] = parent + 1;
                                b_own.push((j / 2usize) as u32);
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
    let b3_extent = 2usize;
    let b_size2 = b_size * 2;
    let b4_extent = 2usize;
    let b_size3 = b_size2 * 2;
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
                    ) + 1usize) / 2usize * 2usize)
                        .min(a_rows);
                    let hi = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    ) + 1usize) / 2usize * 2usize)
                        .min(a_rows);
                    let mut b_slot = vec![0usize; b2_extent];
                    let mut begin = a_pos[lo];
                    for parent in (lo + 1) / 2..(hi + 1) / 2 {
                        let lo2 = parent * 2;
                        let hi2 = (lo2 + 2usize).min(a_rows);
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
                                b_vals.set((b_slot[j / 2] * 2 + i % 2) * 2 + j % 2, a_ij);
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
