/// y(i) += A(i,j) * x(j) / d(j)          A: i: dense, j: packed
///
/// One division for each nonzero, as the paper measures it. No element of `d` that a nonzero reads should be zero.
///
/// `a` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn sum_quotients(
    y: &mut [f64],
    a: &impl ::pleach_runtime::Rows,
    x: &[f64],
    d: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{check_extents, fold_row};
    check_extents("`A` along `j`", a.num_cols(), "`x` along `j`", x.len())?;
    check_extents("`A` along `j`", a.num_cols(), "`d` along `j`", d.len())?;
    check_extents("`A` along `i`", a.num_rows(), "`y` along `i`", y.len())?;
    let y = ::pleach_runtime::SharedOutput::new(y);
    a.par_rows(|i, a_i| {
        let t = fold_row(
            a_i,
            0f64,
            |mut t, run| {
                for &j in run.coords() {
                    let j = j as usize;
                    t += x[j] / d[j];
                }
                t
            },
            |left, right| left + right,
        );
        y.set(i, y.get(i) + t);
    });
    Ok(())
}
/// y(i) += A(i,j) * w(j)          A: i: dense, j: packed
///
/// The same where `w(j) = x(j) / d(j)` was computed first.
///
/// `a` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn sum_shares(
    y: &mut [f64],
    a: &impl ::pleach_runtime::Rows,
    w: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{check_extents, fold_row};
    check_extents("`A` along `j`", a.num_cols(), "`w` along `j`", w.len())?;
    check_extents("`A` along `i`", a.num_rows(), "`y` along `i`", y.len())?;
    let y = ::pleach_runtime::SharedOutput::new(y);
    a.par_rows(|i, a_i| {
        let t = fold_row(
            a_i,
            0f64,
            |mut t, run| {
                for &j in run.coords() {
                    let j = j as usize;
                    t += w[j];
                }
                t
            },
            |left, right| left + right,
        );
        y.set(i, y.get(i) + t);
    });
    Ok(())
}
/// y(i) += A(i,j) * w(j)          A: i: dense, j: packed
///
/// The same in numbers of 32 bits, which halves what is gathered.
///
/// `a` holds its rows in any store, below any outer level, or as static arrays.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn sum_shares_f32(
    y: &mut [f32],
    a: &impl ::pleach_runtime::Rows,
    w: &[f32],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{check_extents, fold_row};
    check_extents("`A` along `j`", a.num_cols(), "`w` along `j`", w.len())?;
    check_extents("`A` along `i`", a.num_rows(), "`y` along `i`", y.len())?;
    let y = ::pleach_runtime::SharedOutput::new(y);
    a.par_rows(|i, a_i| {
        let t = fold_row(
            a_i,
            0f32,
            |mut t, run| {
                for &j in run.coords() {
                    let j = j as usize;
                    t += w[j];
                }
                t
            },
            |left, right| left + right,
        );
        y.set(i, y.get(i) + t);
    });
    Ok(())
}
