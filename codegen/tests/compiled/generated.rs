// Written by the emitter; see main.rs.

/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_csr(
    y: &mut [f64],
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    x: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`x` along `j`", x.len(), "`A` along `j`", a_cols)?;
    for i in 0..a_rows {
        let mut sum = 0.0;
        let span = a_pos[i]..a_pos[i + 1];
        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
            let j = j as usize;
            sum += a_ij * x[j];
        }
        y[i] = sum;
    }
    Ok(())
}
/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_csr_parallel(
    y: &mut [f64],
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    x: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Work, check_extents, each, par_for};
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`x` along `j`", x.len(), "`A` along `j`", a_cols)?;
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        each(y, 0, 1),
        |block, mut y| {
            for i in block {
                let mut sum = 0.0;
                let span = a_pos[i]..a_pos[i + 1];
                for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                    let j = j as usize;
                    sum += a_ij * x[j];
                }
                y[i] = sum;
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
    a_rows: usize,
    a_cols: usize,
    a_crd_i: &[u32],
    a_crd_j: &[u32],
    a_vals: &[f64],
    x: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`y` along `i`", y.len(), "`A` along `i`", a_rows)?;
    check_extents("`x` along `j`", x.len(), "`A` along `j`", a_cols)?;
    y.fill(0.0);
    for ((&i, &j), &a_ij) in a_crd_i.iter().zip(a_crd_j).zip(a_vals) {
        let i = i as usize;
        let j = j as usize;
        y[i] += a_ij * x[j];
    }
    Ok(())
}
/// alpha = x(i) * y(i)
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn dot(x: &[f64], y: &[f64]) -> Result<f64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`x` along `i`", x.len(), "`y` along `i`", y.len())?;
    let mut alpha = 0.0;
    for (&x_i, &y_i) in x.iter().zip(y) {
        alpha += x_i * y_i;
    }
    Ok(alpha)
}
/// alpha = x(i) * y(i)
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn dot_parallel(
    x: &[f64],
    y: &[f64],
) -> Result<f64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Work, check_extents, par_fold};
    check_extents("`x` along `i`", x.len(), "`y` along `i`", y.len())?;
    let mut alpha = 0.0;
    let folded = par_fold(
        Work::over(0..x.len()).light(),
        (),
        |block, ()| {
            let mut alpha = 0f64;
            for (&x_i, &y_i) in x[block.clone()].iter().zip(&y[block]) {
                alpha += x_i * y_i;
            }
            alpha
        },
        |left, right| left + right,
    );
    alpha += folded;
    Ok(alpha)
}
/// C(i,j) = A(i,j) + B(i,j)          A, B, C: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn add_csr(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_pos: &[usize],
    b_crd: &[u32],
    b_vals: &[f64],
) -> Result<(Vec<usize>, Vec<u32>, Vec<f64>), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let mut c_pos: Vec<usize> = Vec::with_capacity(a_rows + 1);
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    c_pos.push(0);
    for i in 0..a_rows {
        let mut pa = a_pos[i];
        let pa_end = a_pos[i + 1];
        let mut pb = b_pos[i];
        let pb_end = b_pos[i + 1];
        // A ∪ B while both last
        while pa < pa_end && pb < pb_end {
            let ja = a_crd[pa] as usize;
            let jb = b_crd[pb] as usize;
            let j = ja.min(jb);
            if ja == j && jb == j {
                c_crd.push(j as u32);
                c_vals.push(a_vals[pa] + b_vals[pb]);
            } else if ja == j {
                c_crd.push(j as u32);
                c_vals.push(a_vals[pa]);
            } else {
                c_crd.push(j as u32);
                c_vals.push(b_vals[pb]);
            }
            if ja == j {
                pa += 1;
            }
            if jb == j {
                pb += 1;
            }
        }
        // A alone
        for (&a_crd_q, &a_ij) in a_crd[pa..pa_end].iter().zip(&a_vals[pa..pa_end]) {
            c_crd.push(a_crd_q as usize as u32);
            c_vals.push(a_ij);
        }
        // B alone
        for (&b_crd_q, &b_ij) in b_crd[pb..pb_end].iter().zip(&b_vals[pb..pb_end]) {
            c_crd.push(b_crd_q as usize as u32);
            c_vals.push(b_ij);
        }
        c_pos.push(c_crd.len());
    }
    Ok((c_pos, c_crd, c_vals))
}
/// C(i,j) = A(i,k) * B(k,j)          A, B, C: i: dense, j: compressed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spgemm_csr(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_pos: &[usize],
    b_crd: &[u32],
    b_vals: &[f64],
) -> Result<(Vec<usize>, Vec<u32>, Vec<f64>), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Work, check_extents, each, par_for, prefix_sum, segments,
    };
    check_extents("`A` along `k`", a_cols, "`B` along `k`", b_rows)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    // count
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        each(&mut c_pos, 1, 1),
        |block, mut c_pos| {
            let mut seen = vec![0usize; b_cols];
            for i in block {
                let mut n = 0usize;
                for &k in &a_crd[a_pos[i]..a_pos[i + 1]] {
                    let k = k as usize;
                    for &j in &b_crd[b_pos[k]..b_pos[k + 1]] {
                        let j = j as usize;
                        if seen[j] != i + 1 {
                            seen[j] = i + 1;
                            n += 1;
                        }
                    }
                }
                c_pos[i + 1] = n;
            }
        },
    );
    prefix_sum(&mut c_pos);
    let mut c_crd = vec![0u32; c_pos[a_rows]];
    let mut c_vals = vec![0.0; c_pos[a_rows]];
    // fill
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        (segments(&mut c_crd, &c_pos), segments(&mut c_vals, &c_pos)),
        |block, (mut c_crd, mut c_vals)| {
            let mut w = vec![0.0; b_cols];
            let mut met = vec![false; b_cols];
            for i in block {
                let start = c_pos[i];
                let mut n = 0usize;
                let span = a_pos[i]..a_pos[i + 1];
                for (&k, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                    let k = k as usize;
                    let span = b_pos[k]..b_pos[k + 1];
                    for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span]) {
                        let j = j as usize;
                        if !met[j] {
                            met[j] = true;
                            c_crd[start + n] = j as u32;
                            n += 1;
                        }
                        w[j] += a_ij * b_ij;
                    }
                }
                c_crd[start..start + n].sort_unstable();
                let span = start..start + n;
                for (&j, c_ij) in c_crd[span.clone()].iter().zip(&mut c_vals[span]) {
                    let j = j as usize;
                    *c_ij = w[j];
                    w[j] = 0.0;
                    met[j] = false;
                }
            }
        },
    );
    Ok((c_pos, c_crd, c_vals))
}
/// y(i) += A(i,j) * x(j)          A: i: paged, j: packed
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn spmv_store(
    y: &mut [f64],
    a: &impl ::pleach_runtime::Rows<Value = f64>,
    x: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Fiber, fold_row};
    let y = ::pleach_runtime::SharedOutput::new(y);
    a.par_rows(|i, a_i| {
        let sum = fold_row(
            a_i,
            0f64,
            |mut sum, run| {
                for (j, &a_ij) in run.iter() {
                    let j = j as usize;
                    sum += a_ij * x[j];
                }
                sum
            },
            |left, right| left + right,
        );
        y.set(i, y.get(i) + sum);
    });
    Ok(())
}
/// C(j) = A(j) + B(j)          A, B, C: j: packed
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn add_stores<'a, StoreC: ::pleach_runtime::Store<Coord = u32, Value = f64>>(
    a: impl ::pleach_runtime::Fiber<'a, Coord = u32, Value = f64>,
    b: impl ::pleach_runtime::Fiber<'a, Coord = u32, Value = f64>,
) -> Result<(StoreC, usize), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Cursor, Sink, check_extents};
    check_extents("nothing", 0, "nothing", 0)?;
    let mut sink = Sink::<StoreC>::new();
    let mut at_a = Cursor::over(a);
    let mut at_b = Cursor::over(b);
    while at_a.coord().is_some() && at_b.coord().is_some() {
        let j = at_a
            .coord()
            .map_or(usize::MAX, |c| c as usize)
            .min(at_b.coord().map_or(usize::MAX, |c| c as usize));
        let mut c_j = 0.0;
        if at_a.coord().map_or(usize::MAX, |c| c as usize) == j {
            c_j += *at_a.value();
            at_a.advance();
        }
        if at_b.coord().map_or(usize::MAX, |c| c as usize) == j {
            c_j += *at_b.value();
            at_b.advance();
        }
        sink.append(j as u32, c_j);
    }
    at_a.rest(|run| {
        for (j, &v) in run.iter() {
            let j = j as usize;
            sink.append(j as u32, v);
        }
    });
    at_b.rest(|run| {
        for (j, &v) in run.iter() {
            let j = j as usize;
            sink.append(j as u32, v);
        }
    });
    let n = a.len();
    let c = sink.finish();
    Ok((c, n))
}
/// Random program 0.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_0_f64(
    n: usize,
    a: &mut [f64],
    b: &[f64],
) -> Result<f64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s += b_p;
        *a_p += b_p;
    }
    s = f64::from(
        u8::from(
            s * s == a[(f64::INFINITY as usize).checked_rem(n).unwrap_or(0)] && s < -1.0,
        ),
    );
    for &a_p in a.iter() {
        s
            += f64::from(
                u8::from(s - 0.5 > f64::from(u8::from(!(0.5 >= -1.0))) && 0.0 < s),
            );
        s = s.min((-7f64).abs() as u32 as f64);
        s = a_p;
    }
    if s / s >= s as u64 as f64 || s == s {
        a[((-7f64 + s) as usize).checked_rem(n).unwrap_or(0)] = a[((-7f64 + s) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .min((s / f64::INFINITY) as f32 as f64);
        for p in 0..n {
            a[p] = a[p].min((1.0 - s) * (s * s));
            let _w = vec![s as u32 as f64; n];
            if a[(s.min(s) as usize).checked_rem(n).unwrap_or(0)] != s - -7.0 || s == 0.0
            {
                break;
            }
        }
    } else {
        let _t = a[(f64::from(u8::from(s > s)) as usize).checked_rem(n).unwrap_or(0)];
    }
    let w = vec![s + 0.5; n];
    if !(s != s / s) {
        let _w2 = vec![s / s; n];
        s
            += w[(w[(f64::from(u8::from(s <= s || s == s)) as usize)
                .checked_rem(n)
                .unwrap_or(0)] as usize)
                .checked_rem(n)
                .unwrap_or(0)];
    } else {
        let _t = f64::INFINITY / s - f64::from(u8::from(s >= s));
    }
    Ok(s)
}
/// Random program 1.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_1_u64(
    n: usize,
    a: &mut [u64],
    b: &[u64],
) -> Result<u64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_mul(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    let mut t = (0u64 ^ s) as i64 as u64;
    // a remark
    s = (a[(s as f32 as u64 as usize).checked_rem(n).unwrap_or(0)] >= 0u64 | t) as u64;
    let w = vec![s.max(1000000000); n];
    for p in 0..n {
        s = (t & s).wrapping_mul(s);
        if w[p] > u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0) {
            let w2 = vec![t.checked_div(t).unwrap_or(0); n];
            t = t.max(t << 1 & w2[p]);
        } else {
            // a remark
        }
        s = a[p] | s.wrapping_sub(t);
    }
    Ok(s)
}
/// Random program 2.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_2_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for p in 0..n {
        for _p2 in 0..n {
            a[p] = a[p].wrapping_mul(((u32::MAX <= 0u32) as u32).wrapping_add(s << 3));
            s = s
                .min(0)
                .max(
                    u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0),
                );
            if !(s.wrapping_mul(s) < s.checked_rem(0).unwrap_or(0)) {
                break;
            }
        }
        a[(s.wrapping_add(s) as usize).checked_rem(n).unwrap_or(0)]
            |= a[(s.checked_div(s).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)];
        if s / 1000000000 == s as f64 as u32 {
            break;
        }
    }
    for p in 0..n {
        for _p2 in 0..n {
            s = (!(s > s) as u32).wrapping_add((0u32 <= s) as u32);
            for p3 in 0..n {
                s = (if 0 <= 1000000000 { 3 } else { s }) & a[p];
                a[p] |= s.wrapping_mul(1000000000) & (if s >= s { s } else { s });
                a[p3]
                    |= s.checked_rem(s).unwrap_or(0) | u32::MAX.wrapping_mul(1000000000);
            }
            for _p3 in 0..n {
                let t = u32::try_from(s.min(s))
                    .ok()
                    .and_then(|by| (s & 1000000000u32).checked_shr(by))
                    .unwrap_or(0);
                let _w = vec![s | s; n];
                let _t2 = (0u32 ^ 3u32).min(t.wrapping_sub(1));
            }
        }
        for _p2 in 0..n {
            s &= ((1000000000u32 < s && s < 0u32) as u32 >= s as f64 as u32) as u32;
            s = if 0 & s <= (0u32 >= 1000000000u32) as u32 && s < s {
                if !(s > s) { s } else { s }
            } else {
                a[p]
            };
            if s | u32::MAX <= s || s == 0 {
                break;
            }
        }
        s = s
            .wrapping_mul(
                (if s <= s && s < 0 { s } else { 0 })
                    & (if s < 1000000000 || 3 == 1000000000 { 3 } else { s }),
            );
    }
    s = (0u32.checked_rem(s).unwrap_or(0) == s as i32 as u32 || s == s) as u32;
    for p in 0..n {
        a[p] = a[p].max(a[p]);
        for _p2 in 0..n {
            a[((if s == s || 0u32 == s { s } else { s }) as usize)
                .checked_rem(n)
                .unwrap_or(0)] = (s as i32 as u32).wrapping_mul(s.max(1000000000));
            let t = u32::try_from(
                    u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0),
                )
                .ok()
                .and_then(|by| {
                    (if 0u32 > s || u32::MAX == s { s } else { s }).checked_shr(by)
                })
                .unwrap_or(0);
            s = if 0u32.wrapping_add(t) >= (if t >= s && 3 < t { 1000000000 } else { s })
            {
                s.wrapping_mul(0)
            } else {
                a[p]
            };
        }
        for _p2 in 0..n {
            let t = u32::try_from(s)
                .ok()
                .and_then(|by| s.checked_shr(by))
                .unwrap_or(0)
                .wrapping_sub(s.checked_div(s).unwrap_or(0));
            // a remark
            for _p3 in 0..n {
                s = a[p];
                // a remark
                let _w = vec![t | s; n];
            }
        }
    }
    a[((s != s || s == s) as u32 as usize).checked_rem(n).unwrap_or(0)] = a[((s & s)
            as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .checked_div(s | s)
        .unwrap_or(0);
    Ok(s)
}
/// Random program 3.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_3_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    let w = vec![s.max(s); n];
    a[(s.wrapping_neg() as usize).checked_rem(n).unwrap_or(0)] = u32::try_from(
            (s < s && 1i64 < 0i64) as i64,
        )
        .ok()
        .and_then(|by| (s | 3i64).checked_shl(by))
        .unwrap_or(0);
    let mut w2 = vec![s >> 3; n];
    if s.checked_rem(s).unwrap_or(0) <= 1i64.wrapping_mul(s) {
        if (s as u32 as i64)
            <= w2[((s >= s || 0i64 == -7i64) as i64 as usize)
                .checked_rem(n)
                .unwrap_or(0)] || s == i64::MAX
        {
            s = w2[(u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
                as usize)
                .checked_rem(n)
                .unwrap_or(0)];
            let _t = (a[(0i64.wrapping_mul(-7) as usize).checked_rem(n).unwrap_or(0)]
                > 1i64 as i32 as i64 && s < s) as i64;
        } else {
            for a_p in a.iter_mut() {
                s = s.max(i64::MAX.wrapping_add(s).min(s.min(s)));
                *a_p = if s as f64 as i64 > !(i64::MAX != s) as i64 && -1 < i64::MAX {
                    s.checked_rem(s).unwrap_or(0)
                } else {
                    s.wrapping_abs()
                };
                s = s.max(w[(-7i64 as u32 as i64 as usize).checked_rem(n).unwrap_or(0)]);
            }
        }
        let _w3 = vec![s >> 0; n];
    } else {
        for _p in 0..n {
            let t = s.checked_div(s).unwrap_or(0).wrapping_abs();
            let _w3 = vec![0 | s; n];
            if s.wrapping_sub(s) != t as f64 as i64 && 1 < s {
                let _t2 = w2[(t.wrapping_sub(s) as usize).checked_rem(n).unwrap_or(0)];
                // a remark
            } else {
                let _t2 = (t & t).checked_rem(s as u64 as i64).unwrap_or(0);
            }
        }
    }
    w2[(s.max(s) as usize).checked_rem(n).unwrap_or(0)]
        &= w2[(w[(!(s > s) as i64 as usize).checked_rem(n).unwrap_or(0)] as usize)
            .checked_rem(n)
            .unwrap_or(0)];
    Ok(s)
}
/// Random program 4.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_4_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = s.wrapping_mul(s).wrapping_sub(if !(s > 1000000000) { s } else { 0 });
    a[((if 0u32 != u32::MAX && s < s { 0u32 } else { s }) as usize)
        .checked_rem(n)
        .unwrap_or(0)] = a[(s.min(s) as usize).checked_rem(n).unwrap_or(0)];
    for p in 0..n {
        for a_p2 in a.iter_mut() {
            *a_p2 = (*a_p2).max(0u32.wrapping_mul(s).wrapping_add(s.wrapping_add(3)));
            s &= *a_p2;
            if u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0) > s
                && s < s
            {
                break;
            }
        }
        a[(s.checked_div(s).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)] = a[p];
        for _p2 in 0..n {
            a[p] = 0u32.wrapping_sub(0).max(3 & s);
            let _t = u32::try_from(s)
                .ok()
                .and_then(|by| s.checked_shr(by))
                .unwrap_or(0)
                .max(3 & s);
            if s & s > a[p] || s == s {
                break;
            }
        }
    }
    a[(0u32.wrapping_add(1000000000) as usize).checked_rem(n).unwrap_or(0)] = s
        .checked_rem(s)
        .unwrap_or(0) as f32 as u32;
    let _w = vec![u32::MAX & s; n];
    Ok(s)
}
/// Random program 5.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_5_i32(
    n: usize,
    a: &mut [i32],
    b: &[i32],
) -> Result<i32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    // a remark
    let mut t = (a[((if 1000000000i32 >= -7i32 { s } else { 0i32 }) as usize)
        .checked_rem(n)
        .unwrap_or(0)] > (if s >= 3i32 { s } else { s })) as i32;
    for a_p in a.iter_mut() {
        *a_p = (s as i64 as i32).wrapping_abs();
        t = t.checked_div(s).unwrap_or(0) as f64 as i32;
        t = s ^ t & i32::MAX;
    }
    let _t2 = u32::try_from(-1i32 | i32::MAX)
        .ok()
        .and_then(|by| (if t >= 3i32 { t } else { s }).checked_shr(by))
        .unwrap_or((if t >= 3i32 { t } else { s }) >> 31);
    // a remark
    Ok(s)
}
/// Random program 6.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_6_i32(
    n: usize,
    a: &mut [i32],
    b: &[i32],
) -> Result<i32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s |= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    // a remark
    let mut t = s.wrapping_add(s).wrapping_neg();
    let t2 = if !((if s != s && s < t { s } else { t })
        != (i32::MAX < t || s == s) as i32)
    {
        s.min(s)
    } else {
        s.wrapping_add(t)
    };
    if !((t2 >= -7i32) as i32 == (if i32::MAX >= s && 1 < -7 { t } else { 0 })) {
        t = t
            .min(
                if !(t2.max(t2) < t & s) {
                    if t >= 1000000000 { 1000000000 } else { 0 }
                } else {
                    0 & t
                },
            );
        for _p in 0..n {
            t = u32::try_from(if s >= t2 && t < s { t } else { t2 })
                .ok()
                .and_then(|by| t.min(-1).checked_shr(by))
                .unwrap_or(t.min(-1) >> 31);
            let _t3 = if !(s.wrapping_abs() < s.checked_div(0).unwrap_or(0)) {
                t.min(s)
            } else {
                if !(3 == t2) { s } else { t2 }
            };
            if (-7i32).wrapping_add(s)
                >= a[(a[(u32::try_from(s)
                    .ok()
                    .and_then(|by| s.checked_shr(by))
                    .unwrap_or(s >> 31) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)] as usize)
                    .checked_rem(n)
                    .unwrap_or(0)] && 1 < s
            {
                break;
            }
        }
    } else {
        let at = (a[(t.wrapping_neg() as usize).checked_rem(n).unwrap_or(0)] as usize)
            .checked_rem(n)
            .unwrap_or(0);
        a[at]
            &= (if t2 < 1000000000i32 && t2 < 1000000000i32 { 0i32 } else { s })
                .checked_rem(t.checked_div(s).unwrap_or(0))
                .unwrap_or(0);
    }
    a[(s.wrapping_sub(s) as usize).checked_rem(n).unwrap_or(0)] = u32::try_from(s)
        .ok()
        .and_then(|by| t.checked_shl(by))
        .unwrap_or(0) as f32 as i32;
    Ok(s)
}
/// Random program 7.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_7_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_add(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    let t = u32::try_from(s & s)
        .ok()
        .and_then(|by| 1i64.wrapping_neg().checked_shl(by))
        .unwrap_or(0);
    let _w = vec![if s >= t || s == - 1 { 0 } else { s }; n];
    // a remark
    s = s.max(t.wrapping_abs().wrapping_neg());
    for _p in 0..n {
        for _p2 in 0..n {
            s = (s as f32 as i64)
                .checked_rem(if !(3 > 0) { 0 } else { -7 })
                .unwrap_or(0);
            let _t2 = t ^ 1000000000 | t.wrapping_neg();
            if -1i64 as f32 as i64 != 3i64.wrapping_add(3) {
                break;
            }
        }
        // a remark
        if t.max(i64::MAX) > s.max(t) {
            break;
        }
    }
    Ok(s)
}
/// Random program 8.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_8_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s |= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = if s as f32 as u32
        == a[(a[(s.wrapping_add(s) as usize).checked_rem(n).unwrap_or(0)] as usize)
            .checked_rem(n)
            .unwrap_or(0)] && s < s
    {
        if 1 < s || 1000000000 == 0 { s } else { s }
    } else {
        s / 1000000000
    };
    let at = (a[(s.wrapping_add(s) as usize).checked_rem(n).unwrap_or(0)] as usize)
        .checked_rem(n)
        .unwrap_or(0);
    a[at] = a[at]
        .max(
            (3u32 < 3u32 && s < 1u32) as u32
                & a[((u32::MAX ^ s) as usize).checked_rem(n).unwrap_or(0)],
        );
    s = s
        .wrapping_add(
            (1000000000u32 | 3u32
                >= a[(a[(1000000000u32.wrapping_mul(s) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)] as usize)
                    .checked_rem(n)
                    .unwrap_or(0)]) as u32,
        );
    if s.checked_rem(s).unwrap_or(0)
        <= u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0) && s < s
    {
        for p in 0..n {
            if u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
                != s as i64 as u32 || s == s
            {
                s = s.min(a[p] as i64 as u32);
                a[p] = u32::try_from(s.checked_rem(s).unwrap_or(0))
                    .ok()
                    .and_then(|by| s.max(s).checked_shr(by))
                    .unwrap_or(0);
            } else {
                a[p]
                    &= (if s >= s && 1000000000 < s { 0 } else { 0 })
                        & (if !(s < s) { s } else { s });
            }
            s = s
                .wrapping_add(
                    u32::try_from(if s <= 3 && 0 < s { s } else { s })
                        .ok()
                        .and_then(|by| 0u32.wrapping_sub(s).checked_shr(by))
                        .unwrap_or(0),
                );
            if s >> 0
                > a[(1000000000u32.checked_div(s).unwrap_or(0) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)]
            {
                break;
            }
        }
        for _p in 0..n {
            s
                |= (if !(1000000000u32 < s) { s } else { s })
                    .checked_div((s < s || s == s) as u32)
                    .unwrap_or(0);
            s = s.wrapping_add(0u32.wrapping_mul(1000000000u32.wrapping_sub(s)));
            s = if !(s <= 0u32) as u32 >= s || s == 1 {
                1000000000u32.checked_div(s).unwrap_or(0)
            } else {
                s.checked_div(s).unwrap_or(0)
            };
        }
    } else {
        let _w = vec![s.checked_div(s).unwrap_or(0); n];
    }
    if !(s | 0 != s.wrapping_mul(s)) {
        a[(0u32 as i32 as u32 as usize).checked_rem(n).unwrap_or(0)] = (s.max(1000000000)
            < s.max(s)) as u32;
        s = s
            .max(
                a[((0u32 ^ 0u32) as usize).checked_rem(n).unwrap_or(0)]
                    .checked_div(0 & 1)
                    .unwrap_or(0),
            );
    } else {
        a[((u32::MAX >= s) as u32 as usize).checked_rem(n).unwrap_or(0)] = s as f32
            as u32 as i32 as u32;
    }
    Ok(s)
}
/// Random program 9.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_9_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    a[(0u32.max(s) as usize).checked_rem(n).unwrap_or(0)] = if !(s | s
        <= (if s == s || s == 1000000000 { s } else { 0 }))
    {
        s | s
    } else {
        s.wrapping_mul(s)
    };
    if (if s != 3 && s < s { s } else { s }) < s.wrapping_mul(s) {
        for &a_p in a.iter() {
            for _p2 in 0..n {
                // a remark
                s &= a_p;
                if (if s > s && 0 < 0 { 1 } else { 3 }) >= s.max(3) || s == s {
                    break;
                }
            }
            let _t = if s | s
                >= a[(s.wrapping_sub(s) as usize).checked_rem(n).unwrap_or(0)]
            {
                a_p
            } else {
                s
            };
            if s << 1 == 3u32.wrapping_add(s) || 1 == s {
                break;
            }
        }
        a[(s.wrapping_sub(s) as usize).checked_rem(n).unwrap_or(0)] = a[(s
                .wrapping_sub(s) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .wrapping_mul(
                if u32::try_from(s)
                    .ok()
                    .and_then(|by| u32::MAX.checked_shl(by))
                    .unwrap_or(0)
                    == a[((if s >= 0u32 || 0u32 == s { s } else { s }) as usize)
                        .checked_rem(n)
                        .unwrap_or(0)]
                {
                    0 & s
                } else {
                    0u32 as i32 as u32
                },
            );
    } else {
        a[((if 0u32 == s && s < s { s } else { 1000000000u32 }) as usize)
            .checked_rem(n)
            .unwrap_or(0)] = a[((if 0u32 == s && s < s { s } else { 1000000000u32 })
                as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .wrapping_mul((s as f32 as u32).min(s.checked_div(s).unwrap_or(0)));
    }
    if (s != s || s == s) as u32 == s.wrapping_add(0) || u32::MAX == 0 {
        // a remark
        for p in 0..n {
            for p2 in 0..n {
                a[p2] = a[p2]
                    .wrapping_mul(
                        if !(3u32.wrapping_mul(s) >= (0u32 >= s) as u32) {
                            u32::try_from(s)
                                .ok()
                                .and_then(|by| 3u32.checked_shr(by))
                                .unwrap_or(0)
                        } else {
                            !(s > s) as u32
                        },
                    );
                a[p]
                    |= u32::try_from(a[p2])
                        .ok()
                        .and_then(|by| (s ^ 0u32).checked_shr(by))
                        .unwrap_or(0);
                let _w = vec![a[p2]; n];
            }
            for p2 in 0..n {
                // a remark
                // a remark
                a[p] = a[p2].checked_rem(s ^ u32::MAX).unwrap_or(0);
            }
            let _t = 1u32.checked_rem(s.wrapping_add(s)).unwrap_or(0);
        }
    } else {
        let _t = (s ^ 0u32).checked_rem((s < 0u32) as u32).unwrap_or(0);
    }
    s = s
        .min(
            s.wrapping_sub(s)
                | a[((if 0u32 < 1000000000u32 { s } else { s }) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)],
        );
    // a remark
    Ok(s)
}
/// Random program 10.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_10_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = if !(s.min(s) > a[(3u32.wrapping_sub(s) as usize).checked_rem(n).unwrap_or(0)]) {
        s ^ s
    } else {
        3u32.checked_rem(s).unwrap_or(0)
    };
    s = s
        .wrapping_mul(
            a[(s.checked_div(s).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)],
        );
    if !(0 | s != (if !(3 < s) { s } else { s })) {
        let mut w = vec![s as i32 as u32; n];
        for w_p in &mut w[0..n] {
            for _p2 in 0..n {
                s
                    &= u32::try_from(1000000000u32)
                        .ok()
                        .and_then(|by| 1u32.checked_shr(by))
                        .unwrap_or(0)
                        .wrapping_sub(!(0u32 >= s) as u32);
                s = s.max((s <= s && u32::MAX < s) as u32 ^ (if 0 < 1 { 0 } else { 0 }));
                if !(((u32::MAX >= s || s == s) as u32) <= 1000000000u32.wrapping_mul(s))
                {
                    break;
                }
            }
            *w_p = 0u32.min(s).wrapping_add(if 0 == s || 0 == 0 { s } else { s });
            for _p2 in 0..n {
                // a remark
                // a remark
                let _w2 = vec![s.checked_rem(s).unwrap_or(0); n];
            }
        }
    } else {
        for p in 0..n {
            for p2 in 0..n {
                s = (u32::MAX ^ s < s | 1u32 && 0u32 < s) as u32;
                a[p2] = a[p2]
                    .min(
                        (s as f64 as u32)
                            .checked_div(if s != 1 || s == 1 { u32::MAX } else { s })
                            .unwrap_or(0),
                    );
                a[p] = a[(a[p] as usize).checked_rem(n).unwrap_or(0)];
            }
            a[p] = !(0u32.checked_rem(s).unwrap_or(0) < s & 3u32) as u32;
            if 3u32.checked_rem(s).unwrap_or(0)
                != a[(s.checked_rem(s).unwrap_or(0) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)] || s == 1000000000
            {
                break;
            }
        }
    }
    if s.wrapping_sub(0) >= s.wrapping_add(s) {
        for a_p in a.iter_mut() {
            s = 0u32.wrapping_sub(3).wrapping_sub(s.checked_rem(s).unwrap_or(0));
            for _p2 in 0..n {
                *a_p = u32::try_from(3u32.max(s))
                    .ok()
                    .and_then(|by| (*a_p).checked_shl(by))
                    .unwrap_or(0);
                s = (if s >= s || s == 1u32 { s } else { s })
                    .checked_div(s.checked_div(s).unwrap_or(0))
                    .unwrap_or(0);
                if s.min(0) >= *a_p {
                    break;
                }
            }
            *a_p = (*a_p)
                .wrapping_mul(
                    u32::try_from(0u32.min(s))
                        .ok()
                        .and_then(|by| (*a_p).checked_shr(by))
                        .unwrap_or(0),
                );
        }
        for _p in 0..n {
            // a remark
            let _w = vec![0u32.checked_div(s).unwrap_or(0); n];
            let _t = 0 % 1000000000 & s.checked_rem(s).unwrap_or(0);
        }
    } else {
        // a remark
    }
    a[((s >> 0u32) as usize).checked_rem(n).unwrap_or(0)] = a[((s >> 0u32) as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .wrapping_add(
            u32::try_from((s <= s || s == 0u32) as u32)
                .ok()
                .and_then(|by| s.checked_div(s).unwrap_or(0).checked_shr(by))
                .unwrap_or(0),
        );
    Ok(s)
}
/// Random program 11.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_11_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_mul(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = s.min((s.wrapping_mul(s) == !(s <= s) as i64 && s < i64::MAX) as i64);
    s = s
        .min(
            u32::try_from((s > s) as i64)
                .ok()
                .and_then(|by| s.wrapping_mul(0).checked_shl(by))
                .unwrap_or(0),
        );
    s = s.wrapping_mul((-7i64).max(s).wrapping_add((s == s && s < s) as i64));
    // a remark
    s = s.max(s).wrapping_mul((0i64 > s && s < s) as i64);
    Ok(s)
}
/// Random program 12.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_12_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s
        &= a[((s | s) as usize).checked_rem(n).unwrap_or(0)]
            .wrapping_sub(s.wrapping_abs());
    let w = vec![1000000000 & s; n];
    s = s.wrapping_add((s | 0i64 == s.checked_rem(s).unwrap_or(0) && s < s) as i64);
    for p in 0..n {
        a[p] = (s as u64 as i64).wrapping_neg();
        let _t = a[(w[p] as usize).checked_rem(n).unwrap_or(0)]
            .wrapping_add(s.wrapping_mul(3));
        s = w[p];
    }
    s = if !(-1 | 3 != s.checked_rem(-7).unwrap_or(0)) {
        s as u64 as i64
    } else {
        if s == s || 3 == s { s } else { 0 }
    };
    Ok(s)
}
/// Random program 13.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_13_f64(
    n: usize,
    a: &mut [f64],
    b: &[f64],
) -> Result<f64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s *= b_p;
        *a_p += b_p;
    }
    for p in 0..n {
        a[((s * s) as usize).checked_rem(n).unwrap_or(0)] = if !(s.min(-7.0) <= s.max(s))
        {
            1000000000f64 as i64 as f64
        } else {
            s / s
        };
        for p2 in 0..n {
            let t = -1.0 / s / (s + s);
            // a remark
            if !(f64::from(u8::from(s != 1.0 || 0.0 == t)) > a[p2]) {
                let _t2 = t.abs().min(-t);
                let _w = vec![s.max(1.0); n];
            } else {
                a[p] = a[p].max((if t != s && s < t { t } else { s }) - s * t);
            }
        }
        if (s as i32 as f64) < -1.0 * s && s < s {
            s = s / s / 1000000000f64.min(f64::INFINITY);
            s = s - s - 1000000000f64.min(-1.0);
        } else {
            a[p] = f64::from(u8::from(1000000000f64.abs() > -0.0 && 1.0 < 3.0));
        }
    }
    if s.abs() <= 0f64 as i32 as f64 {
        a[((-7f64 + -7f64) as usize).checked_rem(n).unwrap_or(0)] = a[((-7f64 + -7f64)
                as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .max((s + s).max(3f64.min(s)));
        for _p in 0..n {
            s = a[((s + s) as usize).checked_rem(n).unwrap_or(0)].min(s.abs());
            for _p2 in 0..n {
                s = f64::from(u8::from(!(-1f64 as i32 as f64 > 1.0 * 1.0)));
                s *= f64::from(u8::from(-7f64 as u32 as f64 > s - s && s < s));
                if (-1f64).max(s) <= (if !(s < -7.0) { -1.0 } else { -7.0 }) && s < s {
                    break;
                }
            }
            // a remark
        }
    } else {
        let _w = vec![s as f32 as f64; n];
    }
    s = f64::from(
        u8::from(s > (if -7.0 <= 1.0 || s == s { 0.0 } else { -7.0 }) || s == s),
    );
    if !((if 3.0 < s && s < -1.0 { s } else { 0.5 }) <= 3f64.abs()) {
        for _p in 0..n {
            for a_p2 in a.iter_mut() {
                *a_p2 = (*a_p2).min(*a_p2);
                s = (s - s) * f64::INFINITY.min(s);
                *a_p2 = (*a_p2)
                    .min(
                        (*a_p2).max(if !(s < s) { f64::INFINITY } else { 1000000000.0 }),
                    );
            }
            // a remark
            if 1000000000f64 as u32 as f64 == f64::from(u8::from(!(s == s))) {
                // a remark
                // a remark
            } else {
                let _w = vec![f64::from(u8::from(! (s >= 0.0))); n];
            }
        }
        for p in 0..n {
            for p2 in 0..n {
                a[p2] = a[p2].min(a[p]);
                s = (if s <= f64::INFINITY && 0f64 < s { s } else { 0f64 })
                    .min(a[((-7f64).max(0.0) as usize).checked_rem(n).unwrap_or(0)]);
                let _t = f64::from(u8::from(s >= s || s == s)) - 3f64.abs();
            }
            let _t = s.max(s) - s.max(0.0);
            s -= s.max(-1.0);
        }
    } else {
        a[(s as u64 as f64 as usize).checked_rem(n).unwrap_or(0)]
            += (-f64::INFINITY).min(f64::from(u8::from(!(s != s))));
    }
    for &a_p in a.iter() {
        s = a_p;
        for _p2 in 0..n {
            // a remark
            let _w = vec![f64::from(u8::from(! (s <= 3.0))); n];
            if s as i32 as f64 >= a_p || 3.0 == 0.0 {
                break;
            }
        }
        if !(s.max(s) == s.min(0.5)) {
            break;
        }
    }
    Ok(s)
}
/// Random program 14.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_14_i32(
    n: usize,
    a: &mut [i32],
    b: &[i32],
) -> Result<i32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_add(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    a[((s << 1i32) as usize).checked_rem(n).unwrap_or(0)] = u32::try_from(0i32 ^ 3i32)
        .ok()
        .and_then(|by| 3i32.wrapping_mul(s).checked_shl(by))
        .unwrap_or(0);
    a[(-1i32 as usize).checked_rem(n).unwrap_or(0)] = a[(-1i32 as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .max(
            (if !(s == s) { s } else { s })
                ^ u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0),
        );
    s = s.wrapping_add(s) | a[(s.min(s) as usize).checked_rem(n).unwrap_or(0)];
    for _p in 0..n {
        for _p2 in 0..n {
            a[((s | s) as usize).checked_rem(n).unwrap_or(0)] = a[((s | s) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)]
                .min((!(s > s) as i32).wrapping_mul(1 | 1000000000));
            let _t = s
                .wrapping_neg()
                .max(
                    u32::try_from(-1i32)
                        .ok()
                        .and_then(|by| (-1i32).checked_shl(by))
                        .unwrap_or(0),
                );
            if (if !(s == s) { s } else { s }) != s << 1 && s < 1000000000 {
                break;
            }
        }
        for p2 in 0..n {
            s = a[p2];
            // a remark
            a[((if s <= 1i32 || s == s { s } else { s }) as usize)
                .checked_rem(n)
                .unwrap_or(0)] = a[p2] as u64 as i32;
        }
        if s.wrapping_add(s) > (s < s && 1000000000i32 < s) as i32 {
            // a remark
            let _w = vec![s.checked_div(s).unwrap_or(0); n];
        } else {
            for _p2 in 0..n {
                let t = s.min(s) ^ s.wrapping_abs();
                s = u32::try_from(t).ok().and_then(|by| t.checked_shl(by)).unwrap_or(0)
                    | (if s <= t && -7 < t { -7 } else { i32::MAX });
                // a remark
            }
        }
    }
    s = s.max((s ^ s).wrapping_neg());
    Ok(s)
}
/// Random program 15.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_15_u64(
    n: usize,
    a: &mut [u64],
    b: &[u64],
) -> Result<u64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    a[(!(s < 1000000000u64) as u64 as usize).checked_rem(n).unwrap_or(0)] = (if 1000000000
        <= s
    {
        0
    } else {
        s
    }) | a[(1000000000u64.max(s) as usize).checked_rem(n).unwrap_or(0)];
    for p in 0..n {
        // a remark
        for p2 in 0..n {
            a[p] = (s as i64 as u64).wrapping_add(s % 1);
            a[((1u64 & s) as usize).checked_rem(n).unwrap_or(0)] = (1000000000u64 >= s
                || 0u64 == s) as u64 ^ 0u64.wrapping_sub(s);
            s = s
                .min(
                    if 0u64.min(s) > 0u64 as u32 as u64 || 1 == 0 {
                        if !(s >= 0) { 0 } else { 0 }
                    } else {
                        a[p2]
                    },
                );
        }
        if !((if !(s <= 1) { s } else { s }) != 0 & s) {
            break;
        }
    }
    // a remark
    a[((1u64 ^ s) as usize).checked_rem(n).unwrap_or(0)] = a[((1u64 ^ s) as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .wrapping_add(
            s
                .min(0)
                .wrapping_mul(
                    a[((1000000000u64 ^ s) as usize).checked_rem(n).unwrap_or(0)],
                ),
        );
    // a remark
    Ok(s)
}
/// Random program 16.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_16_u64(
    n: usize,
    a: &mut [u64],
    b: &[u64],
) -> Result<u64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_mul(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = if 0 ^ s > 1u64.max(3) {
        (s > s || 0u64 == 0u64) as u64
    } else {
        (3u64 < 0u64 && s < s) as u64
    };
    for a_p in a.iter_mut() {
        s = s
            .wrapping_mul(
                (if s <= s && s < s { s } else { 3u64 })
                    .checked_rem(0u64.wrapping_mul(s))
                    .unwrap_or(0),
            );
        // a remark
        if !(*a_p <= u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0))
        {
            s = u32::try_from((s < s && s < s) as u64)
                .ok()
                .and_then(|by| (if s < s && 0u64 < s { s } else { s }).checked_shl(by))
                .unwrap_or(0);
            s
                |= (if s << 0 < (if !(s <= 0) { s } else { s }) && s < 0 {
                    0 ^ 1
                } else {
                    0u64.wrapping_mul(s)
                });
        } else {
            *a_p
                &= s
                    .checked_div(s)
                    .unwrap_or(0)
                    .wrapping_mul(
                        u32::try_from(s)
                            .ok()
                            .and_then(|by| 1000000000u64.checked_shl(by))
                            .unwrap_or(0),
                    );
        }
    }
    a[(s as u32 as u64 as usize).checked_rem(n).unwrap_or(0)] = ((if !(s <= 0u64) {
        s
    } else {
        s
    }) <= a[((3u64 >= s) as u64 as usize).checked_rem(n).unwrap_or(0)] || s == s) as u64;
    s = if s.wrapping_sub(3) >= s.min(s) {
        s.checked_div(0).unwrap_or(0)
    } else {
        0u64.wrapping_sub(s)
    };
    s = (a[((0u64 ^ 0u64) as usize).checked_rem(n).unwrap_or(0)]
        == u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
        || 0u64 == s) as u64;
    Ok(s)
}
/// Random program 17.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_17_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_mul(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    let mut w = vec![
        u32::try_from(s).ok().and_then(| by | 1000000000i64.checked_shl(by))
        .unwrap_or(0); n
    ];
    for w_p in &mut w[0..n] {
        for _p2 in 0..n {
            s = s.min(s.wrapping_neg() as f64 as i64);
            *w_p &= ((s == s && s < 1000000000i64) as i64).min(s.wrapping_add(1));
            if s | s >= s >> 0 {
                break;
            }
        }
        // a remark
        if (-7i64).min(s) == s.wrapping_neg() && s < 3 {
            break;
        }
    }
    for _p in 0..n {
        // a remark
        // a remark
        if s.wrapping_sub(1000000000) <= s ^ s {
            break;
        }
    }
    for w_p in &mut w[0..n] {
        s |= (s.wrapping_neg() == i64::MAX.wrapping_neg() || s == 1000000000i64) as i64;
        // a remark
        if s ^ s
            <= u32::try_from(-7i64)
                .ok()
                .and_then(|by| (-7i64).checked_shl(by))
                .unwrap_or(0)
        {
            if !(1000000000 == 1000000000i64.wrapping_sub(s)) {
                a[(s.wrapping_mul(s) as usize).checked_rem(n).unwrap_or(0)] = a[(s
                        .wrapping_mul(s) as usize)
                        .checked_rem(n)
                        .unwrap_or(0)]
                    .min(
                        (if !(-1i64 <= s) { s } else { s })
                            .checked_div(i64::MAX.max(s))
                            .unwrap_or(0),
                    );
                *w_p = (if s >= s { s } else { 0i64 }).wrapping_sub(s.wrapping_sub(s));
            } else {
                let _w2 = vec![(s > s && s < s) as i64; n];
            }
            s
                &= (if ((3i64 > s || 1i64 == s) as i64)
                    <= (if 1 > s || s == s { 3 } else { s }) || s == s
                {
                    (s <= s || s == s) as i64
                } else {
                    if !(s <= s) { s } else { s }
                });
        } else {
            for p2 in 0..n {
                a[(3i64 as u32 as i64 as usize).checked_rem(n).unwrap_or(0)] = -1
                    & u32::try_from(s)
                        .ok()
                        .and_then(|by| s.checked_shl(by))
                        .unwrap_or(0);
                a[(s.wrapping_mul(s) as usize).checked_rem(n).unwrap_or(0)] = (s as i32
                    as i64)
                    .wrapping_mul(s ^ -7);
                s = s.max(a[p2]);
            }
        }
    }
    for (&a_p, &w_p) in a[0..n].iter().zip(&w[0..n]) {
        for _p2 in 0..n {
            for _p3 in 0..n {
                let _w2 = vec![s & i64::MAX; n];
                // a remark
                if u32::try_from(s)
                    .ok()
                    .and_then(|by| s.checked_shr(by))
                    .unwrap_or(s >> 63) != 0i64.wrapping_add(0) || 3 == s
                {
                    break;
                }
            }
            let _t = u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
                | (-7i64).wrapping_mul(s);
            if s.checked_rem(0).unwrap_or(0) == a_p && s < s {
                break;
            }
        }
        s = s.wrapping_mul(w_p);
        if !(((-7i64 <= s) as i64) <= s.wrapping_neg()) {
            break;
        }
    }
    Ok(s)
}
/// Random program 18.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_18_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_add(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = s
        .wrapping_add(
            if s | u32::MAX == s.wrapping_sub(0) && s < 0 {
                u32::try_from(s).ok().and_then(|by| 1u32.checked_shl(by)).unwrap_or(0)
            } else {
                s.wrapping_mul(s)
            },
        );
    for _p in 0..n {
        // a remark
        s = u32::try_from(s.min(0))
            .ok()
            .and_then(|by| {
                (if s < 1000000000u32 && s < s { 0u32 } else { s }).checked_shr(by)
            })
            .unwrap_or(0);
        if !(u32::try_from(s).ok().and_then(|by| 0u32.checked_shr(by)).unwrap_or(0)
            == (1u32 > s || s == s) as u32)
        {
            break;
        }
    }
    for a_p in a.iter_mut() {
        *a_p = (*a_p)
            .max(if s ^ s == *a_p || 0 == 0 { s.wrapping_add(s) } else { s << 1 });
        let _t = (3u32 % 1u32).checked_rem(s & s).unwrap_or(0);
        if !(s as f64 as u32 == 1000000000u32 as f32 as u32) {
            break;
        }
    }
    s = s
        .min(
            (if 1u32 >= 3u32 || 0u32 == s { s } else { s })
                .checked_div(
                    u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0),
                )
                .unwrap_or(0),
        );
    if u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
        == (if 0 > s { s } else { 3 }) || s == s
    {
        let _t = if s << 0 < s.min(s) || s == 1 { s ^ s } else { s.min(s) };
        // a remark
    } else if s.wrapping_mul(0) != (0u32 >= u32::MAX || u32::MAX == s) as u32 && s < s {
        s |= 3u32.wrapping_add(s).max(s.max(s));
        let _t = a[(u32::try_from(s)
            .ok()
            .and_then(|by| 1000000000u32.checked_shr(by))
            .unwrap_or(0) as usize)
            .checked_rem(n)
            .unwrap_or(0)];
    } else {
        for _p in 0..n {
            s
                |= u32::try_from(s)
                    .ok()
                    .and_then(|by| 0u32.checked_shl(by))
                    .unwrap_or(0)
                    .min(s.wrapping_sub(0));
            let _t = s.min(0).wrapping_add((s < s) as u32);
            // a remark
        }
    }
    Ok(s)
}
/// Random program 19.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_19_f32(
    n: usize,
    a: &mut [f32],
    b: &[f32],
) -> Result<f32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p += b_p;
    }
    let mut w = vec![f32::from(u8::from(! (s == s))); n];
    s = s.max(-f32::from(u8::from(s <= s)));
    a[((if !(1000000000f32 >= s) { s } else { s }) as usize)
        .checked_rem(n)
        .unwrap_or(0)] = if s.min(s) > -s || s == -1.0 { s * 0.0 } else { 3f32.abs() };
    for &a_p in a.iter() {
        let _w2 = vec![a_p; n];
        s = -7f32 as u32 as f32 * -1000000000.0;
        if !(f32::from(u8::from(s >= s || s == s)) == s.max(1.0)) {
            break;
        }
    }
    w[((s + 1f32) as usize).checked_rem(n).unwrap_or(0)] = w[((s + 1f32) as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .min(s - s - 0.5f32.abs());
    Ok(s)
}
/// Random program 20.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_20_f32(
    n: usize,
    a: &mut [f32],
    b: &[f32],
) -> Result<f32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s *= b_p;
        *a_p += b_p;
    }
    a[(f32::from(u8::from(s < -7f32 && s < s)) as usize).checked_rem(n).unwrap_or(0)] = a[(f32::from(
        u8::from(-1f32 < s),
    ) as usize)
        .checked_rem(n)
        .unwrap_or(0)];
    let mut w = vec![- 7.0 - s; n];
    s = f32::from(u8::from(!(f32::INFINITY * -1.0 > -s)));
    for p in 0..n {
        for _p2 in 0..n {
            for &a_p3 in a.iter() {
                w[p]
                    += if (-7f32).max(s) != (if 1000000000.0 < s { 3.0 } else { s })
                        || -1.0 == s
                    {
                        0.5 * s
                    } else {
                        if 1.0 >= s && 3.0 < s { s } else { s }
                    };
                s = 0.5f32.max(s) + -1.0 / s;
                s = a_p3;
            }
            let _w2 = vec![s * - 1.0; n];
            for _p3 in 0..n {
                let _t = a[p];
                // a remark
                // a remark
            }
        }
        a[p] *= 1f32.min(0.5) - f32::from(u8::from(s > 0.0 && s < s));
        if (if -1.0 == s || s == s { s } else { -7.0 }) == 0.0 - s && 3.0 < 1000000000.0
        {
            w[p] = -(s + -7.0);
            for &w_p2 in &w[0..n] {
                let mut t = a[p];
                t = f32::from(u8::from(0f32.abs() > w_p2 || s == s));
                let _w2 = vec![t - s; n];
            }
        } else {
            let _t = (s - s).abs();
        }
    }
    s *= s as i64 as f32 - f32::from(u8::from(s > s && s < -1.0));
    Ok(s)
}
/// Random program 21.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_21_f64(
    n: usize,
    a: &mut [f64],
    b: &[f64],
) -> Result<f64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p += b_p;
    }
    for p in 0..n {
        for _p2 in 0..n {
            let t = s as u64 as f64;
            let _t2 = t as i64 as f64 * -t;
            if !((if -1.0 != s || s == s { s } else { s }) < f64::from(u8::from(s != s)))
            {
                break;
            }
        }
        for p2 in 0..n {
            s *= a[p2];
            a[p] = f64::from(u8::from(a[p2] <= a[p2] || s == -1.0));
            // a remark
        }
        if s.max(1000000000.0) != f64::from(u8::from(s >= s && s < f64::INFINITY)) {
            break;
        }
    }
    s = s as i64 as f64 as u32 as f64;
    a[(f64::from(u8::from(s == 3f64 && 3f64 < 3f64)) as usize)
        .checked_rem(n)
        .unwrap_or(0)] = if -s == -s {
        s + s
    } else {
        a[(f64::from(u8::from(!(-1f64 <= s))) as usize).checked_rem(n).unwrap_or(0)]
    };
    // a remark
    // a remark
    Ok(s)
}
/// Random program 22.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_22_i32(
    n: usize,
    a: &mut [i32],
    b: &[i32],
) -> Result<i32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_add(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = (s | s).wrapping_neg();
    for a_p in a.iter_mut() {
        if 0i32.wrapping_mul(s) <= s.wrapping_neg() || s == -7 {
            *a_p = s << 3
                & u32::try_from(s).ok().and_then(|by| 0i32.checked_shl(by)).unwrap_or(0);
            for _p2 in 0..n {
                s &= s.wrapping_neg() as i64 as i32;
                let _w = vec![0i32 as u64 as i32; n];
                // a remark
            }
        } else {
            *a_p = (*a_p).wrapping_mul(*a_p);
        }
        *a_p &= 3i32.checked_div(s).unwrap_or(0).wrapping_neg();
        s = s
            .wrapping_add(!(s.wrapping_abs() != (if s != s { 3i32 } else { s })) as i32);
    }
    let mut w = vec![s as u64 as i32; n];
    for p in 0..n {
        for w_p2 in &mut w[0..n] {
            // a remark
            if (if !(i32::MAX != s) { s } else { s })
                < (if s <= i32::MAX { s } else { s }) || s == 1
            {
                *w_p2 = (*w_p2)
                    .wrapping_mul(
                        if (s as i64 as i32) < (if s >= s { s } else { s }) || s == s {
                            (s == s && s < s) as i32
                        } else {
                            s.checked_rem(s).unwrap_or(0)
                        },
                    );
                s = s.wrapping_mul((-7i32).wrapping_mul(s.wrapping_abs()));
            } else {
                s = s.min((s as f32 as i32).wrapping_add((-7i32).min(1000000000)));
            }
            for _p3 in 0..n {
                // a remark
                let _t = u32::try_from(i32::MAX.wrapping_add(s))
                    .ok()
                    .and_then(|by| ((s <= i32::MAX || s == s) as i32).checked_shr(by))
                    .unwrap_or(((s <= i32::MAX || s == s) as i32) >> 31);
                if s.wrapping_sub(s) > (1i32 > s) as i32 {
                    break;
                }
            }
        }
        for p2 in 0..n {
            if s.min(s) != (if s > 1000000000 && 3 < -1 { s } else { 0 }) || 0 == s {
                w[p] = w[p]
                    .max(
                        u32::try_from(s.min(s))
                            .ok()
                            .and_then(|by| (0i32 as f64 as i32).checked_shl(by))
                            .unwrap_or(0),
                    );
                // a remark
            } else {
                let _t = a[p2] ^ 1000000000i32.wrapping_add(s);
            }
            a[p] = a[p].wrapping_mul(i32::MAX.max(s) & (s == s) as i32);
            w[((s ^ 3i32) as usize).checked_rem(n).unwrap_or(0)] = w[((s ^ 3i32)
                    as usize)
                    .checked_rem(n)
                    .unwrap_or(0)]
                .min(w[p]);
        }
        s = u32::try_from((-1i32).max(s))
            .ok()
            .and_then(|by| ((1i32 >= s) as i32).checked_shl(by))
            .unwrap_or(0);
    }
    a[(s as f64 as i32 as usize).checked_rem(n).unwrap_or(0)] = a[(s as f64 as i32
            as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .max(((s != 0i32) as i32 >= !(s != s) as i32) as i32);
    Ok(s)
}
/// Random program 23.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_23_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_mul(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = (s as f64 as u32).wrapping_mul((1u32 >= 0u32 || 1000000000u32 == s) as u32);
    a[(s.min(s) as usize).checked_rem(n).unwrap_or(0)] = (s | s)
        .min((s > s && 1000000000u32 < s) as u32);
    a[(s as f32 as u32 as usize).checked_rem(n).unwrap_or(0)]
        &= (s.checked_rem(s).unwrap_or(0)
            < u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0))
            as u32;
    s = s
        .min(
            if (0u32 != 3u32) as u32 == s.checked_rem(s).unwrap_or(0) {
                if 0 <= 0 { s } else { 3 }
            } else {
                (s < 0u32 && s < 1u32) as u32
            },
        );
    s = (u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
        >= u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0) || s == s)
        as u32;
    Ok(s)
}
/// Random program 24.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_24_f32(
    n: usize,
    a: &mut [f32],
    b: &[f32],
) -> Result<f32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p += b_p;
    }
    // a remark
    if (f32::from(u8::from(s == s && s < 3.0)))
        < (if -7.0 <= s && s < s { s } else { s }) && 1.0 < s
    {
        if -7f32 as f64 as f32 > 3f32.min(s) || s == 3.0 {
            for &a_p in a.iter() {
                s = s
                    .max(
                        f32::from(u8::from(s.max(s) == 1000000000f32.abs() || s == 3.0)),
                    );
                s = a_p / (0.5 + s);
                let _t = a[((if !(0.5f32 >= s) { 1000000000f32 } else { s }) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)] + (1.0 - f32::INFINITY);
            }
            s = -(s as u64 as f32);
        } else {
            s = s.min(-(1000000000.0 - s));
        }
        let at = (a[((s + s) as usize).checked_rem(n).unwrap_or(0)] as usize)
            .checked_rem(n)
            .unwrap_or(0);
        a[at] = a[at]
            .max(
                (-1f32).abs() - a[(s as i64 as f32 as usize).checked_rem(n).unwrap_or(0)],
            );
    } else if a[(f32::from(u8::from(0f32 >= -7f32)) as usize)
        .checked_rem(n)
        .unwrap_or(0)] != s * s && s < 3.0
    {
        // a remark
        let _w = vec![- s; n];
    } else {
        a[(f32::from(u8::from(s < s)) as usize).checked_rem(n).unwrap_or(0)] = a[(f32::from(
                u8::from(s < s),
            ) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .min((if s <= 1f32 && s < s { s } else { 1000000000f32 }) as u64 as f32);
    }
    if 0f32.max(s) != -s && s < s {
        a[(s as i64 as f32 as usize).checked_rem(n).unwrap_or(0)]
            += if !(-1.0 / s <= s.max(s)) { s.min(s) } else { s - s };
        s += s.min(-7.0) * -1.0;
    } else if 0f32.abs() >= s - s && s < 3.0 {
        if (1000000000f32 as u32 as f32) <= 3f32 as f64 as f32 {
            let _w = vec![s / 1000000000.0; n];
            s = (if s > s { s } else { 3f32 }).max(s * -7.0);
        } else {
            a[((s / 0.5f32) as usize).checked_rem(n).unwrap_or(0)] = a[((s / 0.5f32)
                    as usize)
                    .checked_rem(n)
                    .unwrap_or(0)]
                .max(
                    a[(a[(a[((if s < s { s } else { s }) as usize)
                        .checked_rem(n)
                        .unwrap_or(0)] as usize)
                        .checked_rem(n)
                        .unwrap_or(0)] as usize)
                        .checked_rem(n)
                        .unwrap_or(0)],
                );
        }
        let _t = (if s > 1f32 && s < 0.5f32 { 3f32 } else { s }) as i32 as f32;
    } else {
        s = (-s).max(s + s);
    }
    for p in 0..n {
        a[p] += f32::from(u8::from(f32::from(u8::from(s >= s)) > s as f64 as f32));
        let mut t = if (if !(3.0 > -1.0) { -1.0 } else { s }) > (-7f32).abs() {
            s / s
        } else {
            s - -7.0
        };
        for p2 in 0..n {
            t = f32::from(u8::from((if s > s { s } else { t }) <= t as i32 as f32));
            a[p2] = a[p2].min(-(0.0 / s));
            t = f32::from(
                u8::from(
                    (f32::from(u8::from(0.5 < -7.0)))
                        < a[(s.abs() as usize).checked_rem(n).unwrap_or(0)],
                ),
            );
        }
    }
    // a remark
    Ok(s)
}
/// Random program 25.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_25_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for a_p in a.iter_mut() {
        for _p2 in 0..n {
            *a_p = s.wrapping_neg() ^ 0i64.wrapping_neg();
            for _p3 in 0..n {
                let mut w = vec![1i64 as f64 as i64; n];
                w[(s.wrapping_add(s) as usize).checked_rem(n).unwrap_or(0)] = w[(s
                        .wrapping_add(s) as usize)
                        .checked_rem(n)
                        .unwrap_or(0)]
                    .min((s as i32 as i64).checked_rem(s.max(0)).unwrap_or(0));
                if 1i64.wrapping_abs() != i64::MAX.wrapping_abs() || s == s {
                    break;
                }
            }
            *a_p = (*a_p)
                .max(s.checked_rem(s).unwrap_or(0).wrapping_sub(s.wrapping_abs()));
        }
        let _w = vec![s % 3; n];
        for _p2 in 0..n {
            // a remark
            for _p3 in 0..n {
                let t = (s as i32 as i64)
                    .checked_rem(s.checked_div(s).unwrap_or(0))
                    .unwrap_or(0);
                let _t2 = (0i64.wrapping_sub(t) < (s >= 0i64) as i64 || t == t) as i64;
                let _w2 = vec![t.wrapping_abs(); n];
            }
            if s.wrapping_neg() < s | s || s == -7 {
                break;
            }
        }
    }
    for _p in 0..n {
        for a_p2 in a.iter_mut() {
            // a remark
            *a_p2 = (*a_p2)
                .wrapping_mul(
                    s.wrapping_neg().checked_div(i64::MAX.min(s)).unwrap_or(0),
                );
            for _p3 in 0..n {
                // a remark
                s = (if s < s && s < s { s } else { -1i64 })
                    .checked_div(s.max(s))
                    .unwrap_or(0);
                s = s.wrapping_mul((s <= 0i64 || -1i64 == s) as i64 ^ s.wrapping_add(s));
            }
        }
        for &a_p2 in a.iter() {
            s = s.checked_rem(s).unwrap_or(0).checked_div(a_p2).unwrap_or(0);
            // a remark
            s = (-1i64).checked_div(s).unwrap_or(0).wrapping_abs();
        }
        if !((!(s <= s) as i64) <= s.wrapping_sub(s)) {
            break;
        }
    }
    s = !(-7i64 > s) as i64 as f32 as i64;
    // a remark
    s &= 1000000000i64.wrapping_mul(s).wrapping_mul(s | 1);
    Ok(s)
}
/// Random program 26.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_26_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    a[(0u32.checked_rem(0).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)] = if s
        .checked_rem(0)
        .unwrap_or(0) == s as i64 as u32 && 0 < s
    {
        s.min(s)
    } else {
        0u32.max(s)
    };
    if s / 1000000000 <= s.checked_rem(0).unwrap_or(0) || s == 0 {
        if s as i64 as u32
            > u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
            || 0 == s
        {
            let t = a[(0u32.min(s) as usize).checked_rem(n).unwrap_or(0)]
                .wrapping_add(if !(s <= s) { s } else { 1000000000 });
            for a_p in a.iter_mut() {
                *a_p = (3u32 & u32::MAX).checked_div(0u32.wrapping_add(s)).unwrap_or(0);
                s &= t.wrapping_sub(1000000000);
                if (if t <= t { s } else { t })
                    > u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
                    && t < 0
                {
                    break;
                }
            }
        } else {
            s = s.wrapping_add(s).max(s);
        }
        let _t = (s.wrapping_sub(s) <= s.checked_rem(s).unwrap_or(0)) as u32;
    } else if s ^ s == !(s == s) as u32 && s < s {
        a[(s.checked_div(s).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)] = a[(s
                .checked_div(s)
                .unwrap_or(0) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .max(
                if s.wrapping_sub(s) == s as f32 as u32 {
                    s & s
                } else {
                    !(s != s) as u32
                },
            );
        // a remark
    } else {
        for p in 0..n {
            s = s
                .wrapping_mul(
                    (a[(0u32.max(u32::MAX) as usize).checked_rem(n).unwrap_or(0)]
                        != a[((0u32 <= s || 1u32 == s) as u32 as usize)
                            .checked_rem(n)
                            .unwrap_or(0)]) as u32,
                );
            a[p] = a[p]
                .min((s as f64 as u32).checked_div(0u32 as f32 as u32).unwrap_or(0));
            s
                &= u32::try_from(1u32.wrapping_mul(s))
                    .ok()
                    .and_then(|by| {
                        u32::try_from(s)
                            .ok()
                            .and_then(|by| 0u32.checked_shr(by))
                            .unwrap_or(0)
                            .checked_shl(by)
                    })
                    .unwrap_or(0);
        }
    }
    let t = s.wrapping_mul(s) & s.wrapping_sub(s);
    a[(!(0u32 != 3u32) as u32 as usize).checked_rem(n).unwrap_or(0)] = a[(!(0u32 != 3u32)
            as u32 as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .wrapping_add(
            u32::try_from(s.min(1000000000))
                .ok()
                .and_then(|by| {
                    (if s > 0u32 && t < t { 0u32 } else { t }).checked_shr(by)
                })
                .unwrap_or(0),
        );
    for p in 0..n {
        let mut w = vec![0u32; n];
        w[p] = w[p].wrapping_add((if !(t != t) { t } else { s }) ^ (1000000000 ^ s));
        if (!(s > s) as u32) <= (if t >= 0 && t < 3 { t } else { t }) && s < s {
            break;
        }
    }
    Ok(s)
}
/// Random program 27.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_27_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    let mut w = vec![
        u32::try_from(s).ok().and_then(| by | s.checked_shl(by)).unwrap_or(0); n
    ];
    for (w_p, a_p) in w[0..n].iter_mut().zip(&mut a[0..n]) {
        *w_p |= *w_p;
        *a_p = (*a_p)
            .wrapping_mul(
                (s | s
                    == u32::try_from(s)
                        .ok()
                        .and_then(|by| 0u32.checked_shr(by))
                        .unwrap_or(0) || s == 0u32) as u32,
            );
        *a_p = u32::try_from((0u32 <= s || s == s) as u32)
            .ok()
            .and_then(|by| s.checked_rem(s).unwrap_or(0).checked_shl(by))
            .unwrap_or(0);
    }
    for p in 0..n {
        for p2 in 0..n {
            w[p2] &= a[p];
            a[(1000000000u32 as i64 as u32 as usize).checked_rem(n).unwrap_or(0)] = (u32::MAX
                / 1000000000u32)
                .wrapping_sub(
                    u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0),
                );
            let _w2 = vec![a[p2]; n];
        }
        // a remark
        // a remark
    }
    for w_p in &mut w[0..n] {
        s = if u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
            == u32::try_from(s).ok().and_then(|by| 1u32.checked_shr(by)).unwrap_or(0)
            && 0 < 0
        {
            s.checked_rem(s).unwrap_or(0)
        } else {
            s.max(s)
        };
        for _p2 in 0..n {
            s = u32::try_from(s)
                .ok()
                .and_then(|by| u32::MAX.checked_shl(by))
                .unwrap_or(0) as u64 as u32;
            for _p3 in 0..n {
                s &= a[(s.wrapping_add(u32::MAX) as usize).checked_rem(n).unwrap_or(0)];
                *w_p = (*w_p)
                    .max((if 1000000000u32 > 3u32 { 0u32 } else { s }) as f64 as u32);
                a[(*w_p as usize).checked_rem(n).unwrap_or(0)] = u32::try_from(
                        if 0 < s { s } else { s },
                    )
                    .ok()
                    .and_then(|by| (s | s).checked_shl(by))
                    .unwrap_or(0);
            }
            if s.checked_rem(s).unwrap_or(0) > (if s >= s || s == s { 1 } else { s }) {
                break;
            }
        }
        for _p2 in 0..n {
            for _p3 in 0..n {
                // a remark
                let _t = if !(1u32.max(s)
                    >= (if s > 0 || u32::MAX == s { s } else { s }))
                {
                    s.checked_rem(s).unwrap_or(0)
                } else {
                    u32::try_from(u32::MAX)
                        .ok()
                        .and_then(|by| s.checked_shr(by))
                        .unwrap_or(0)
                };
                if s as i64 as u32 >= u32::MAX | s && u32::MAX < s {
                    break;
                }
            }
            let _w2 = vec![(s <= s) as u32; n];
            s
                |= !(((3u32 >= s && 0u32 < 0u32) as u32)
                    <= (if s > s && s < s { s } else { 0u32 })) as u32;
        }
    }
    s = w[((s <= s && 1u32 < s) as u32 as usize).checked_rem(n).unwrap_or(0)];
    Ok(s)
}
/// Random program 28.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_28_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for a_p in a.iter_mut() {
        for _p2 in 0..n {
            *a_p = ((if 0u32 <= 0u32 || 0u32 == 1000000000u32 { s } else { u32::MAX })
                > (if s == s { 0u32 } else { s }) || 1000000000u32 == s) as u32;
            s = 0u32.min(3).checked_div(0u32.wrapping_add(s)).unwrap_or(0);
            if 0u32.wrapping_add(3) <= 0 << 0 {
                break;
            }
        }
        // a remark
        s = s.wrapping_add(*a_p);
    }
    a[((if 1u32 < s { s } else { s }) as usize).checked_rem(n).unwrap_or(0)] = (u32::try_from(
            s,
        )
        .ok()
        .and_then(|by| s.checked_shr(by))
        .unwrap_or(0) <= s.min(s) || s == s) as u32;
    s = s
        .wrapping_add(
            a[((s >= 0u32 || s == 0u32) as u32 as usize).checked_rem(n).unwrap_or(0)],
        );
    // a remark
    // a remark
    Ok(s)
}
/// Random program 29.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_29_i32(
    n: usize,
    a: &mut [i32],
    b: &[i32],
) -> Result<i32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    if u32::try_from(i32::MAX).ok().and_then(|by| s.checked_shr(by)).unwrap_or(s >> 31)
        < a[((-7i32 < s && 1i32 < s) as i32 as usize).checked_rem(n).unwrap_or(0)]
        && 0 < 1000000000
    {
        let _w = vec![if s < s && s < s { s } else { 3 }; n];
        // a remark
    } else {
        s |= ((s < s && s < i32::MAX) as i32).wrapping_neg();
    }
    // a remark
    if !(s as f32 as i32 == 1 ^ s) {
        for a_p in a.iter_mut() {
            s = s.max(s.wrapping_mul(i32::MAX).checked_rem(s & 3).unwrap_or(0));
            let _t = s.checked_rem(s).unwrap_or(0).max(s.min(s));
            *a_p |= *a_p ^ (s != s || 1i32 == -1i32) as i32;
        }
        for p in 0..n {
            a[p]
                &= u32::try_from(s)
                    .ok()
                    .and_then(|by| (-1i32).checked_shl(by))
                    .unwrap_or(0)
                    .checked_rem(if !(s < s) { 0 } else { i32::MAX })
                    .unwrap_or(0);
            for a_p2 in a.iter_mut() {
                let _t = *a_p2;
                *a_p2 = s as u64 as i32 as u64 as i32;
                if !(!(s != s) as i32 == s % 3) {
                    break;
                }
            }
            a[p] = a[p]
                .wrapping_add(
                    if s as u32 as i32 == a[p] && s < s {
                        s.wrapping_sub(0)
                    } else {
                        (-7i32 < s) as i32
                    },
                );
        }
    } else {
        s
            &= a[(a[((s < 0i32) as i32 as usize).checked_rem(n).unwrap_or(0)] as usize)
                .checked_rem(n)
                .unwrap_or(0)];
    }
    a[(s.wrapping_mul(s) as usize).checked_rem(n).unwrap_or(0)]
        |= (s as f64 as i32).wrapping_abs();
    for a_p in a.iter_mut() {
        s = s.max(s as f32 as i32 ^ (s ^ s));
        *a_p = (*a_p).max(if !(s != 3) { s } else { s });
        let _w = vec![s as f32 as i32; n];
    }
    Ok(s)
}
/// Random program 30.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_30_i32(
    n: usize,
    a: &mut [i32],
    b: &[i32],
) -> Result<i32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_add(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = (if !(s >= -1i32) { i32::MAX } else { s })
        .wrapping_add((s == s && s < s) as i32);
    if a[((s | 0i32) as usize).checked_rem(n).unwrap_or(0)]
        >= u32::try_from(i32::MAX)
            .ok()
            .and_then(|by| (-1i32).checked_shr(by))
            .unwrap_or((-1i32) >> 31)
    {
        for p in 0..n {
            for p2 in 0..n {
                let at = (a[p] as usize).checked_rem(n).unwrap_or(0);
                a[at] = (if s >= s { 3i32 } else { s }) as f64 as i32;
                a[p2] &= s.wrapping_mul(s).min((-1i32).wrapping_mul(s));
                a[((1i32 & s) as usize).checked_rem(n).unwrap_or(0)] = u32::try_from(
                        1000000000i32.wrapping_neg(),
                    )
                    .ok()
                    .and_then(|by| (1000000000i32 as f64 as i32).checked_shr(by))
                    .unwrap_or((1000000000i32 as f64 as i32) >> 31);
            }
            for a_p2 in a.iter_mut() {
                s |= (-7i32).wrapping_neg().checked_rem(s as u32 as i32).unwrap_or(0);
                *a_p2 = (*a_p2)
                    .max(
                        if (s <= s) as i32 >= (-7i32).wrapping_neg() && 3 < s {
                            1000000000 | s
                        } else {
                            s / 3
                        },
                    );
                let _w = vec![s.wrapping_mul(s); n];
            }
            for _p2 in 0..n {
                s = ((1i32 != s || s == 1i32) as i32)
                    .checked_div(if !(s != s) { 3 } else { 0 })
                    .unwrap_or(0);
                s |= (3i32 as i64 as i32).wrapping_mul(s.min(1000000000));
                let _t = (if 1i32 < -1i32 && s < 1000000000i32 { s } else { s })
                    .wrapping_mul(if !(3 == 1) { s } else { s });
            }
        }
        s = s
            .wrapping_sub(s)
            .min(
                u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(s >> 31),
            );
    } else {
        a[((if s == s && s < 1000000000i32 { s } else { s }) as usize)
            .checked_rem(n)
            .unwrap_or(0)] = a[((if s == s && s < 1000000000i32 { s } else { s })
                as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .wrapping_mul(((s == s && 1i32 < s) as i32).wrapping_add(s | s));
    }
    let mut t = s as i64 as i32 as f32 as i32;
    if t.wrapping_neg() <= (if !(s > t) { i32::MAX } else { s }) {
        a[((0i32 | t) as usize).checked_rem(n).unwrap_or(0)] = if 0i32.min(t)
            >= (if 3 != t { t } else { s }) || 1000000000 == s
        {
            i32::MAX as f64 as i32
        } else {
            a[((s & t) as usize).checked_rem(n).unwrap_or(0)]
        };
        for p in 0..n {
            for _p2 in 0..n {
                // a remark
                s = s
                    .wrapping_mul(
                        (1i32.wrapping_sub(s) == (s <= i32::MAX && 3i32 < t) as i32
                            || s == i32::MAX) as i32,
                    );
                t &= ((-7i32 <= -7i32 || t == t) as i32).wrapping_abs();
            }
            for a_p2 in a.iter_mut() {
                *a_p2 = if (t < i32::MAX || s == 3i32) as i32 != s as i64 as i32
                    || 0 == t
                {
                    if !(-7 > s) { s } else { -1 }
                } else {
                    if t >= t && 1 < -7 { s } else { s }
                };
                let _w = vec![s.wrapping_add(0); n];
                *a_p2 = u32::try_from(t)
                    .ok()
                    .and_then(|by| 0i32.checked_shr(by))
                    .unwrap_or(0i32 >> 31);
            }
            a[p] = a[p]
                .wrapping_add(
                    a[(a[p] as usize).checked_rem(n).unwrap_or(0)]
                        .checked_rem(t / 3)
                        .unwrap_or(0),
                );
        }
    } else {
        for _p in 0..n {
            if t ^ s >= (if !(s != i32::MAX) { 1 } else { s }) || s == t {
                let t2 = (!(s > t) as i32).wrapping_abs();
                a[(s.wrapping_abs() as usize).checked_rem(n).unwrap_or(0)] = t2
                    .wrapping_sub(t2)
                    .wrapping_mul((-7i32).wrapping_abs());
            } else {
                s |= a[((0i32 ^ s) as usize).checked_rem(n).unwrap_or(0)];
            }
            t
                &= a[((-7i32).wrapping_neg() as usize).checked_rem(n).unwrap_or(0)]
                    .min(t.wrapping_sub(0));
            let _t2 = (if !(s == -7i32) { -7i32 } else { t })
                .wrapping_add(
                    u32::try_from(t).ok().and_then(|by| t.checked_shl(by)).unwrap_or(0),
                );
        }
    }
    // a remark
    Ok(s)
}
/// Random program 31.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_31_f32(
    n: usize,
    a: &mut [f32],
    b: &[f32],
) -> Result<f32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s += b_p;
        *a_p += b_p;
    }
    let mut w = vec![s as f64 as f32; n];
    s = (if -7.0 >= -7.0 || -7.0 == s { -1.0 } else { s })
        * (if s < 0.0 && s < -1.0 { -1.0 } else { 3.0 });
    let mut t = a[(s as i64 as f32 as usize).checked_rem(n).unwrap_or(0)];
    t = f32::from(u8::from(t < 0.5f32 && t < s)).min(0.5f32.min(t));
    let at = (w[((if !(s <= s) { t } else { s }) as usize).checked_rem(n).unwrap_or(0)]
        as usize)
        .checked_rem(n)
        .unwrap_or(0);
    w[at] = f32::from(
        u8::from(!((f32::from(u8::from(t != -7.0 || 1.0 == 3.0))) < -1.0)),
    );
    Ok(s)
}
/// Random program 32.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_32_f64(
    n: usize,
    a: &mut [f64],
    b: &[f64],
) -> Result<f64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s += b_p;
        *a_p += b_p;
    }
    for _p in 0..n {
        s = -(if f64::INFINITY > s { 3.0 } else { s });
        // a remark
        for &a_p2 in a.iter() {
            s = s.min(a[(s.abs() as usize).checked_rem(n).unwrap_or(0)]);
            for _p3 in 0..n {
                // a remark
                let _w = vec![a_p2; n];
                s = s.max(s).abs();
            }
            s *= f64::from(u8::from(s >= s && -7f64 < s)).max(s);
        }
    }
    a[((s / f64::INFINITY) as usize).checked_rem(n).unwrap_or(0)] = 1.0 + s
        - s * f64::INFINITY;
    for _p in 0..n {
        let t = if s * 3.0 > s * s || s == s { s.min(s) } else { s as i32 as f64 };
        a[(f64::from(u8::from(s != s || s == 1f64)) as usize)
            .checked_rem(n)
            .unwrap_or(0)] = f64::from(u8::from(s >= t && t < t)) as f32 as f64;
        let _t2 = f64::from(
            u8::from(f64::from(u8::from(t >= s && f64::INFINITY < -1.0)) != s + s),
        );
    }
    a[((s / s) as usize).checked_rem(n).unwrap_or(0)] = -s / -1.0;
    s = -s.max(s);
    Ok(s)
}
/// Random program 33.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_33_f32(
    n: usize,
    a: &mut [f32],
    b: &[f32],
) -> Result<f32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p += b_p;
    }
    s *= 0f32.min(s).max(s / 0.5);
    s *= (s - s).min(a[(s.max(s) as usize).checked_rem(n).unwrap_or(0)]);
    if s + s == s && 0.5 < s {
        a[(3f32 as f64 as f32 as usize).checked_rem(n).unwrap_or(0)] = a[(3f32 as f64
                as f32 as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .min((s - s).min(3.0 - s));
        for _p in 0..n {
            for _p2 in 0..n {
                // a remark
                a[((-1f32).max(s) as usize).checked_rem(n).unwrap_or(0)] = s / 0.0
                    - s / s;
                if 1.0 - s > s.abs() {
                    break;
                }
            }
            let _w = vec![s.abs(); n];
            if a[((s / s) as usize).checked_rem(n).unwrap_or(0)]
                <= (if !(1000000000.0 < 0.0) { s } else { s }) || s == s
            {
                break;
            }
        }
    } else {
        let _t = if a[(s.min(s) as usize).checked_rem(n).unwrap_or(0)]
            >= a[(a[(0.5f32.min(-1.0) as usize).checked_rem(n).unwrap_or(0)] as usize)
                .checked_rem(n)
                .unwrap_or(0)]
        {
            s + s
        } else {
            (-7f32).abs()
        };
    }
    for p in 0..n {
        let t = a[(0f32 as u32 as f32 as usize).checked_rem(n).unwrap_or(0)];
        a[p] += if !(t as u32 as f32 != t + 0.0) { t as i32 as f32 } else { 0.5 + s };
        a[p] = a[p]
            .max(
                (-t)
                    .min(
                        a[((if s <= t && s < -1f32 { t } else { s }) as usize)
                            .checked_rem(n)
                            .unwrap_or(0)],
                    ),
            );
    }
    for p in 0..n {
        let mut w = vec![if ! (s != s) { f32::INFINITY } else { s }; n];
        w[p] = s * s / (s + s);
        w[((s + s) as usize).checked_rem(n).unwrap_or(0)] = w[((s + s) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .min(-(-1.0 + s));
    }
    Ok(s)
}
/// Random program 34.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_34_u64(
    n: usize,
    a: &mut [u64],
    b: &[u64],
) -> Result<u64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for p in 0..n {
        let mut w = vec![0u64.wrapping_add(s); n];
        w[p] = (s ^ s).wrapping_mul(s as f64 as u64);
        if u64::MAX ^ s != 1000000000 >> 0 {
            break;
        }
    }
    let mut w = vec![0u64.checked_div(s).unwrap_or(0); n];
    s = (s >> 0u64 < w[((s > s) as u64 as usize).checked_rem(n).unwrap_or(0)]) as u64;
    for a_p in a.iter_mut() {
        for _p2 in 0..n {
            // a remark
            *a_p = (!(u64::MAX <= 0u64) as u64).checked_rem(s | 1000000000).unwrap_or(0);
            let _w2 = vec![0u64.wrapping_sub(0); n];
        }
        let _w2 = vec![s.max(s); n];
        if s.wrapping_sub(0)
            == u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
            || s == s
        {
            break;
        }
    }
    w[(u64::MAX.checked_rem(s).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)] = 0
        >> 3 | 1000000000u64.wrapping_add(s);
    Ok(s)
}
/// Random program 35.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_35_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for p in 0..n {
        if (s != -7i64) as i64 == s.wrapping_add(1) && s < s {
            s &= 0i64.max(s) | 3i64.wrapping_sub(s);
            a[p] = a[p];
        } else {
            a[p] = a[p].wrapping_add(s.wrapping_abs().wrapping_neg());
        }
        if !(a[p] != s as f64 as i64) {
            // a remark
            for _p2 in 0..n {
                let _t = (s / 1000000000i64 > s.wrapping_neg() || s == s) as i64;
                let _t2 = (s as i32 as i64).min(0 >> 0);
                // a remark
            }
        } else if 3i64 as i32 as i64 != a[p] || s == 3 {
            s = s
                .max(
                    u32::try_from(s as u64 as i64)
                        .ok()
                        .and_then(|by| ((s <= s) as i64).checked_shr(by))
                        .unwrap_or(((s <= s) as i64) >> 63),
                );
            // a remark
        } else {
            a[p] = a[p].max((0i64 | 1i64) as f32 as i64);
        }
        a[((-1i64 ^ s) as usize).checked_rem(n).unwrap_or(0)] = a[((-1i64 ^ s) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .wrapping_mul(a[p]);
    }
    if ((s != s && s < s) as i64) <= 1000000000i64 as u32 as i64 || 0 == s {
        // a remark
        s
            &= (if 0 ^ -1 != s.wrapping_abs() && s < s {
                3i64.wrapping_sub(s)
            } else {
                i64::MAX as u64 as i64
            });
    } else {
        let _w = vec![s & s; n];
    }
    let t = s.wrapping_neg()
        | a[((if s > -1i64 && 1i64 < s { s } else { s }) as usize)
            .checked_rem(n)
            .unwrap_or(0)];
    if !((!(t < -7i64) as i64) < (-7i64).max(t)) {
        // a remark
        s = s.wrapping_abs().min(if s == -1 || 0 == -1 { i64::MAX } else { t });
    } else {
        a[(3i64.checked_rem(-7).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)] = a[(3i64
                .checked_rem(-7)
                .unwrap_or(0) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .wrapping_add(a[((s | t) as usize).checked_rem(n).unwrap_or(0)]);
    }
    a[((-1i64 / 1i64) as usize).checked_rem(n).unwrap_or(0)] = a[((-1i64 / 1i64)
            as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .min((if t > t { t } else { 0i64 }).wrapping_add(t.wrapping_add(t)));
    Ok(s)
}
/// Random program 36.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_36_u64(
    n: usize,
    a: &mut [u64],
    b: &[u64],
) -> Result<u64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for p in 0..n {
        // a remark
        s = ((s < 1u64 || s == 0u64) as u64).wrapping_sub(s.wrapping_add(0));
        for p2 in 0..n {
            s = s.max(s) | a[p2];
            for _p3 in 0..n {
                a[(s.min(s) as usize).checked_rem(n).unwrap_or(0)] = 0u64
                    .max(0)
                    .max(a[p]);
                let _t = (s as f64 as u64 >= s.wrapping_sub(s) || 1u64 == 0u64) as u64;
                if 1000000000 ^ s != s.wrapping_mul(s) || s == 1000000000 {
                    break;
                }
            }
            // a remark
        }
    }
    for _p in 0..n {
        let _w = vec![
            u32::try_from(s).ok().and_then(| by | s.checked_shr(by)).unwrap_or(0); n
        ];
        for p2 in 0..n {
            a[p2] = a[p2]
                .wrapping_mul(
                    a[((s & 1u64) as usize).checked_rem(n).unwrap_or(0)] as f64 as u64,
                );
            for _p3 in 0..n {
                // a remark
                let t = s as f64 as u64 | 1000000000u64 as f32 as u64;
                let _w2 = vec![s.checked_div(t).unwrap_or(0); n];
            }
            if s ^ s >= s ^ 0 && s < 0 {
                break;
            }
        }
        if !(s.checked_rem(s).unwrap_or(0)
            > a[((s | s) as usize).checked_rem(n).unwrap_or(0)])
        {
            break;
        }
    }
    for _p in 0..n {
        let t = 0u64.min(s).checked_div((s >= s || s == 3u64) as u64).unwrap_or(0);
        let mut t2 = (if s < t && s < t { 0 } else { 3 }) | t.wrapping_add(t);
        if t as u32 as u64 == 0u64.max(t2) && 1 < t2 {
            for a_p2 in a.iter_mut() {
                t2 = (if !(0u64 >= t2) { t2 } else { t2 }).min(t2.max(t));
                *a_p2 = if 3 < 1 || u64::MAX == t2 { t } else { s };
                if !(t2 as i32 as u64 > t.min(t2)) {
                    break;
                }
            }
            for p2 in 0..n {
                let mut w = vec![1000000000u64.wrapping_mul(s); n];
                w[p2] = if (t2 != t2) as u64
                    >= (if s == t && u64::MAX < 0 { 1 } else { s }) && t2 < t
                {
                    s ^ t
                } else {
                    if 0 >= s && s < 1000000000 { t } else { s }
                };
                if u32::try_from(t2)
                    .ok()
                    .and_then(|by| 0u64.checked_shl(by))
                    .unwrap_or(0)
                    >= u32::try_from(t2)
                        .ok()
                        .and_then(|by| s.checked_shr(by))
                        .unwrap_or(0) && t < t2
                {
                    break;
                }
            }
        } else {
            for a_p2 in a.iter_mut() {
                let _w = vec![
                    u32::try_from(t2).ok().and_then(| by | t.checked_shl(by))
                    .unwrap_or(0); n
                ];
                *a_p2 = (*a_p2)
                    .wrapping_mul(
                        (s | t2)
                            .checked_div(
                                if 1000000000 <= s || 1000000000 == t { s } else { 0 },
                            )
                            .unwrap_or(0),
                    );
                let _t3 = ((1000000000u64 < t2) as u64)
                    .checked_rem(if t == t2 { 0 } else { t })
                    .unwrap_or(0);
            }
        }
    }
    for p in 0..n {
        for p2 in 0..n {
            for a_p3 in a.iter_mut() {
                let t = s.max(s).wrapping_sub(0u64.wrapping_sub(0));
                *a_p3 = (if s != 0u64 { s } else { t }) as u32 as u64;
                let _t2 = u64::MAX as f64 as u64 as i64 as u64;
            }
            if 3u64.checked_rem(s).unwrap_or(0) != 1u64.wrapping_mul(3) || s == s {
                let _w = vec![s | s; n];
                s = s
                    .wrapping_add(
                        ((s != s || s == s) as u64)
                            .checked_div(s % u64::MAX)
                            .unwrap_or(0),
                    );
            } else {
                a[(u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
                    as usize)
                    .checked_rem(n)
                    .unwrap_or(0)] = s as i32 as u64 as i32 as u64;
            }
            a[p2] = s ^ s ^ s as f32 as u64;
        }
        for _p2 in 0..n {
            s = s.wrapping_sub(s);
            a[(u32::try_from(u64::MAX).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
                as usize)
                .checked_rem(n)
                .unwrap_or(0)] = if s as f32 as u64 == s.wrapping_mul(0) {
                0u64.wrapping_mul(s)
            } else {
                (0u64 >= 0u64) as u64
            };
            if s.checked_rem(s).unwrap_or(0) < s ^ s {
                break;
            }
        }
        if s.wrapping_add(0) == a[p] || s == 0 {
            let _w = vec![! (s > 0u64) as u64; n];
            // a remark
        } else {
            a[p] &= a[p];
        }
    }
    s = if s ^ s > (if 3 == s { s } else { 3 }) && s < 0 {
        (s > s && s < 1000000000u64) as u64
    } else {
        1u64.max(s)
    };
    Ok(s)
}
/// Random program 37.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_37_u64(
    n: usize,
    a: &mut [u64],
    b: &[u64],
) -> Result<u64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s &= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for p in 0..n {
        if !(s >= a[p]) {
            s = s.wrapping_add(s | s | s ^ 0);
            // a remark
        } else {
            a[p] = (s.min(s) < s / 1u64 || s == s) as u64;
        }
        for a_p2 in a.iter_mut() {
            *a_p2 = 1u64.max(s).checked_div(1u64.wrapping_mul(0)).unwrap_or(0);
            let _w = vec![
                u32::try_from(s).ok().and_then(| by | 0u64.checked_shr(by)).unwrap_or(0);
                n
            ];
            if s | s <= (s >= s) as u64 && s < 0 {
                break;
            }
        }
        if (s > s || 0u64 == s) as u64 != s & s {
            break;
        }
    }
    let at = (a[((s != u64::MAX || s == 1u64) as u64 as usize)
        .checked_rem(n)
        .unwrap_or(0)] as usize)
        .checked_rem(n)
        .unwrap_or(0);
    a[at] = s ^ s ^ s.wrapping_add(1000000000);
    for _p in 0..n {
        for p2 in 0..n {
            if !(s.checked_div(0).unwrap_or(0)
                >= (if s > s || 0 == 1000000000 { s } else { s }))
            {
                a[p2] = 3u64.checked_rem(0).unwrap_or(0) & a[p2];
                a[(3u64 as usize).checked_rem(n).unwrap_or(0)] = a[(3u64 as usize)
                        .checked_rem(n)
                        .unwrap_or(0)]
                    .wrapping_mul(
                        u32::try_from(s & s)
                            .ok()
                            .and_then(|by| ((0u64 < s && s < s) as u64).checked_shl(by))
                            .unwrap_or(0),
                    );
            } else {
                let _t = if a[((s ^ s) as usize).checked_rem(n).unwrap_or(0)]
                    >= s.wrapping_add(s) && 0 < 0
                {
                    s.checked_div(s).unwrap_or(0)
                } else {
                    s.wrapping_sub(u64::MAX)
                };
            }
            // a remark
            for _p3 in 0..n {
                let mut t = a[p2];
                t = u64::MAX as u32 as u64 | s / 1000000000;
                if !((if s >= 1000000000 && s < s { s } else { u64::MAX }) == s) {
                    break;
                }
            }
        }
        for _p2 in 0..n {
            let _t = !((if 0u64 > s { s } else { 0u64 }) > s.max(1000000000)) as u64;
            // a remark
            if 1000000000u64.min(s) != s & s || s == 0 {
                break;
            }
        }
        if (0u64 as u32 as u64) < s.wrapping_add(0) && u64::MAX < 0 {
            break;
        }
    }
    for p in 0..n {
        if a[((3u64 == s && 0u64 < s) as u64 as usize).checked_rem(n).unwrap_or(0)]
            <= s.checked_div(s).unwrap_or(0) || 0 == s
        {
            let t = 3u64.max(s).checked_div(!(s < s) as u64).unwrap_or(0);
            a[p]
                |= (if !(3 & 1000000000 >= t << 0) {
                    s.max(t)
                } else {
                    u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(0)
                });
        } else {
            s = s
                .max(
                    if u32::try_from(u64::MAX)
                        .ok()
                        .and_then(|by| s.checked_shr(by))
                        .unwrap_or(0) > (s < s && s < s) as u64 || s == s
                    {
                        !(1u64 > 1u64) as u64
                    } else {
                        a[p]
                    },
                );
        }
        let w = vec![s % 1; n];
        for _p2 in 0..n {
            for a_p3 in a.iter_mut() {
                let t = *a_p3;
                *a_p3 = (t as i32 as u64).wrapping_add(s.wrapping_add(t));
                if (!(1u64 >= u64::MAX) as u64) < 0u64 as f32 as u64 && s < 0 {
                    break;
                }
            }
            if (0u64 >= s && s < s) as u64 == (if !(s == s) { s } else { u64::MAX })
                || s == u64::MAX
            {
                s = a[((if !(s >= s) { s } else { s }) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)];
                s = s as i32 as u64;
            } else {
                let _t = 0u64.max(s).wrapping_mul(s.min(s));
            }
            if !(1000000000 & 1000000000 < s.checked_div(s).unwrap_or(0)) {
                let _w2 = vec![s.wrapping_sub(s); n];
                // a remark
            } else {
                s = s
                    .wrapping_mul(
                        u32::try_from(
                                w[((s | 3u64) as usize).checked_rem(n).unwrap_or(0)],
                            )
                            .ok()
                            .and_then(|by| s.wrapping_add(1000000000).checked_shr(by))
                            .unwrap_or(0),
                    );
            }
        }
    }
    s = (s ^ s).checked_rem((s == s && s < s) as u64).unwrap_or(0);
    Ok(s)
}
/// Random program 38.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_38_f32(
    n: usize,
    a: &mut [f32],
    b: &[f32],
) -> Result<f32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p += b_p;
    }
    let mut t = s.max(s)
        * a[(a[(f32::from(u8::from(s == s && s < s)) as usize)
            .checked_rem(n)
            .unwrap_or(0)] as usize)
            .checked_rem(n)
            .unwrap_or(0)];
    for _p in 0..n {
        for _p2 in 0..n {
            let _w = vec![- s; n];
            // a remark
            // a remark
        }
        a[((if s > 1f32 || t == t { s } else { t }) as usize)
            .checked_rem(n)
            .unwrap_or(0)] = a[((if s > 1f32 || t == t { s } else { t }) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .max(f32::from(u8::from(s / s < s as i64 as f32 || t == t)));
        if 3.0 / s > -7.0 / t {
            break;
        }
    }
    let mut w = vec![t / s; n];
    if s.abs() == (if t < s { 0.0 } else { s }) || s == t {
        for w_p in &mut w[0..n] {
            // a remark
            *w_p = (*w_p).min(-(s / t));
            if s - s != s / t || s == s {
                break;
            }
        }
        // a remark
    } else {
        for _p in 0..n {
            for _p2 in 0..n {
                let mut t2 = (t - t) as u32 as f32;
                t2 = t2.max((1000000000f32 - t2) as u64 as f32);
                // a remark
            }
            t = s * s;
            let _w2 = vec![s - 1000000000.0; n];
        }
    }
    for &w_p in &w[0..n] {
        let _t2 = w_p.min(w[(t as f64 as f32 as usize).checked_rem(n).unwrap_or(0)]);
        let _w2 = vec![f32::INFINITY.max(f32::INFINITY); n];
        let _t3 = if -s > (-7f32).min(0.0) || 0.0 == 3.0 {
            -1f32 as i64 as f32
        } else {
            t - t
        };
    }
    Ok(s)
}
/// Random program 39.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_39_i32(
    n: usize,
    a: &mut [i32],
    b: &[i32],
) -> Result<i32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s &= a[(s.wrapping_abs() as usize).checked_rem(n).unwrap_or(0)];
    for _p in 0..n {
        // a remark
        for p2 in 0..n {
            a[p2] = s.wrapping_neg().checked_div(1i32.wrapping_add(s)).unwrap_or(0);
            for _p3 in 0..n {
                s = ((if !(s <= i32::MAX) { 1i32 } else { 1000000000i32 })
                    >= (0i32 <= s) as i32) as i32;
                s = s
                    .wrapping_mul(
                        if !(s.checked_rem(s).unwrap_or(0)
                            != a[((-7i32 != s) as i32 as usize)
                                .checked_rem(n)
                                .unwrap_or(0)])
                        {
                            (-7i32).wrapping_abs()
                        } else {
                            u32::try_from(s)
                                .ok()
                                .and_then(|by| (-1i32).checked_shl(by))
                                .unwrap_or(0)
                        },
                    );
                if s >> 3 <= 0i32.min(-7) || s == 1000000000 {
                    break;
                }
            }
            if (-1i32).wrapping_sub(3) != (s < -1i32) as i32 && s < s {
                break;
            }
        }
        if !(s.wrapping_neg() > s.wrapping_abs()) {
            break;
        }
    }
    let _w = vec![if s < s || s == s { 1i32 } else { 0i32 }; n];
    s = s.checked_div(s).unwrap_or(0) as f32 as i32;
    for &a_p in a.iter() {
        let _t = s as u64 as i32
            & a[(s as f32 as i32 as usize).checked_rem(n).unwrap_or(0)];
        let _w2 = vec![a_p; n];
        if u32::try_from(s)
            .ok()
            .and_then(|by| (-1i32).checked_shr(by))
            .unwrap_or((-1i32) >> 31) == s as f64 as i32 && 1 < s
        {
            break;
        }
    }
    Ok(s)
}
/// Random program 40.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_40_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s |= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = u32::try_from(s as f64 as u32)
        .ok()
        .and_then(|by| s.max(u32::MAX).checked_shr(by))
        .unwrap_or(0);
    for p in 0..n {
        s = if (if !(s <= 1000000000) { 0 } else { s }) >= s as f64 as u32 || s == s {
            u32::try_from(s).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
        } else {
            !(s < s) as u32
        };
        s = a[p].checked_div(!(0u32 == s) as u32).unwrap_or(0);
        for p2 in 0..n {
            if s == s.min(u32::MAX) {
                // a remark
                let _w = vec![s.wrapping_mul(s); n];
            } else {
                s = s
                    .wrapping_add(
                        a[(0u32.wrapping_add(s) as usize).checked_rem(n).unwrap_or(0)],
                    );
            }
            for p3 in 0..n {
                a[p2] = a[p2]
                    .max(
                        u32::try_from(if s < s && 0 < 3 { s } else { s })
                            .ok()
                            .and_then(|by| ((s < 0u32 && s < s) as u32).checked_shl(by))
                            .unwrap_or(0),
                    );
                a[p3] = a[p3]
                    .wrapping_mul(((s >= s || s == s) as u32).wrapping_sub(s & s));
                a[p2]
                    |= u32::try_from(a[p2])
                        .ok()
                        .and_then(|by| 0u32.max(3).checked_shr(by))
                        .unwrap_or(0);
            }
            let at = (a[p] as usize).checked_rem(n).unwrap_or(0);
            a[at] = a[at]
                .min((s as i64 as u32).checked_rem(s.wrapping_sub(0)).unwrap_or(0));
        }
    }
    s = s.wrapping_add(!(s > s) as u32 as f32 as u32);
    // a remark
    for p in 0..n {
        let mut t = (s & s).wrapping_sub((u32::MAX >= s) as u32);
        for p2 in 0..n {
            for _p3 in 0..n {
                t
                    |= u32::try_from(s)
                        .ok()
                        .and_then(|by| t.checked_shr(by))
                        .unwrap_or(0) & (1000000000u32 != u32::MAX || 0u32 == s) as u32;
                a[p2] = a[p2]
                    .wrapping_mul(
                        u32::try_from(t & t)
                            .ok()
                            .and_then(|by| s.wrapping_add(s).checked_shr(by))
                            .unwrap_or(0),
                    );
                a[(u32::try_from(t).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
                    as usize)
                    .checked_rem(n)
                    .unwrap_or(0)]
                    &= a[(0u32 as i32 as u32 as usize).checked_rem(n).unwrap_or(0)];
            }
            for _p3 in 0..n {
                a[(t.wrapping_add(0) as usize).checked_rem(n).unwrap_or(0)] = (s as f64
                    as u32)
                    .min(s.wrapping_mul(s));
                t = a[p].checked_div(u32::MAX << 0).unwrap_or(0);
                if t.max(s) > a[p2] && 0 < 0 {
                    break;
                }
            }
            t
                |= (if t.wrapping_sub(t) == 1000000000u32 as f32 as u32 {
                    3u32 as f64 as u32
                } else {
                    a[p2]
                });
        }
        if 0u32.checked_div(s).unwrap_or(0) != s.wrapping_add(s) || s == s {
            break;
        }
    }
    Ok(s)
}
/// Random program 41.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_41_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    for p in 0..n {
        a[p] = a[p];
        a[p] = a[p].wrapping_add(s.checked_div(s).unwrap_or(0) as u64 as i64);
        for &a_p2 in a.iter() {
            for _p3 in 0..n {
                s = s
                    .wrapping_mul(
                        !(s.wrapping_abs() > (s == 0i64 && s < s) as i64) as i64,
                    );
                s = s.wrapping_mul(s).wrapping_abs();
                s = if 1i64.wrapping_add(-1) >= a[p] {
                    (s < s || s == s) as i64
                } else {
                    (s >= s && 1000000000i64 < s) as i64
                };
            }
            s = s
                .min(
                    u32::try_from(a_p2)
                        .ok()
                        .and_then(|by| {
                            (if 0i64 != s || s == s { 1000000000i64 } else { 1i64 })
                                .checked_shr(by)
                        })
                        .unwrap_or(
                            (if 0i64 != s || s == s { 1000000000i64 } else { 1i64 })
                                >> 63,
                        ),
                );
            let _w = vec![s.wrapping_add(s); n];
        }
    }
    for &a_p in a.iter() {
        let t = a_p.wrapping_abs();
        s = u32::try_from(s)
            .ok()
            .and_then(|by| (-7i64).checked_shl(by))
            .unwrap_or(0)
            .min(t | t);
        if !(s == s) as i64 != s ^ 0 {
            break;
        }
    }
    a[(s.min(s) as usize).checked_rem(n).unwrap_or(0)] = a[(s.min(s) as usize)
            .checked_rem(n)
            .unwrap_or(0)]
        .wrapping_mul(((1i64 >= -1i64 && 1i64 < s) as i64).max(s | s));
    for p in 0..n {
        for _p2 in 0..n {
            a[((-1i64 | s) as usize).checked_rem(n).unwrap_or(0)] = a[((-1i64 | s)
                    as usize)
                    .checked_rem(n)
                    .unwrap_or(0)]
                .wrapping_mul(s.min(a[p]));
            let _w = vec![(s == s || s == 1000000000i64) as i64; n];
            if !((if s == s && s < 0 { s } else { s }) < (if !(s > s) { s } else { s }))
            {
                break;
            }
        }
        let _t = if s > s.checked_rem(s).unwrap_or(0) || 0 == 0 {
            if s >= s { s } else { s }
        } else {
            a[(a[p] as usize).checked_rem(n).unwrap_or(0)]
        };
        if (1000000000i64 < i64::MAX) as i64 > (if -7 == s || 0 == s { 0 } else { s })
            && s < s
        {
            break;
        }
    }
    if a[((1000000000i64 ^ s) as usize).checked_rem(n).unwrap_or(0)]
        <= (if s == 1 || s == s { i64::MAX } else { 0 }) || s == i64::MAX
    {
        s = (s <= s || -7i64 == s) as i64 as u64 as i64;
        for p in 0..n {
            for _p2 in 0..n {
                let at = (a[p] as usize).checked_rem(n).unwrap_or(0);
                a[at] = (s | 0i64).wrapping_sub(s | s);
                // a remark
                // a remark
            }
            let _t = (-7i64)
                .wrapping_neg()
                .wrapping_add(a[(a[p] as usize).checked_rem(n).unwrap_or(0)]);
            if (if s != 1000000000 && s < 0 { s } else { s }) <= 0i64.max(s) {
                break;
            }
        }
    } else {
        let _w = vec![(- 1i64 > s && s < s) as i64; n];
    }
    Ok(s)
}
/// Random program 42.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_42_f64(
    n: usize,
    a: &mut [f64],
    b: &[f64],
) -> Result<f64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.max(b_p);
        *a_p += b_p;
    }
    s = s.min(s - s - (if s < 0.5 && 1.0 < 1.0 { s } else { s }));
    for _p in 0..n {
        s *= (s - 0f64) as i32 as f64;
        for p2 in 0..n {
            for a_p3 in a.iter_mut() {
                s *= -f64::from(u8::from(f64::INFINITY == s));
                *a_p3 = s * s - s / s;
                let _t = 0.5 * s + s * s;
            }
            let mut w = vec![s - s; n];
            for _p3 in 0..n {
                w[p2] = f64::from(u8::from(s - s >= --7.0 && -1.0 < s));
                s = -(if 0.5 >= s && s < s { s } else { -1.0 });
                if s * s < s as u64 as f64 || f64::INFINITY == s {
                    break;
                }
            }
        }
        if !(s.min(s) <= s as u64 as f64) {
            break;
        }
    }
    for p in 0..n {
        // a remark
        if s >= s + 1000000000.0 && s < s {
            s = if !(s / s <= s.min(s)) { s + s } else { s * s };
            a[p] = a[(1f64 as f32 as f64 as usize).checked_rem(n).unwrap_or(0)]
                * (s - -1.0);
        } else {
            for &a_p2 in a.iter() {
                s = f64::from(
                    u8::from(
                        a[(s.abs() as usize).checked_rem(n).unwrap_or(0)] < s.abs()
                            && 0.0 < s,
                    ),
                );
                s = s.min(a_p2 * (1.0 * -7.0));
                if s + s <= -7.0 * 0.0 {
                    break;
                }
            }
        }
        let _w = vec![a[p]; n];
    }
    s = (if 3f64 > s { f64::INFINITY } else { s }).abs();
    a[((if !(s > s) { 0f64 } else { s }) as usize).checked_rem(n).unwrap_or(0)] = s * s
        / f64::from(u8::from(s != s));
    Ok(s)
}
/// Random program 43.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_43_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_mul(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    let mut t = u32::MAX.wrapping_add(s) as i64 as u32;
    // a remark
    if a[(s.checked_div(s).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)]
        >= (if t < s && 0 < t { 1000000000 } else { t })
    {
        if (t < s) as u32
            >= a[((if t > 1000000000u32 && s < s { 0u32 } else { s }) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
        {
            for _p in 0..n {
                // a remark
                s = a[(s as usize).checked_rem(n).unwrap_or(0)];
                if !(u32::try_from(1000000000u32)
                    .ok()
                    .and_then(|by| s.checked_shl(by))
                    .unwrap_or(0)
                    < a[((if !(s >= 0u32) { s } else { t }) as usize)
                        .checked_rem(n)
                        .unwrap_or(0)])
                {
                    break;
                }
            }
            t = ((s > t) as u32).wrapping_mul(s.min(0));
        } else {
            for a_p in a.iter_mut() {
                *a_p
                    |= (1u32 as f64 as u32)
                        .wrapping_sub(
                            if s < t && u32::MAX < t { 1000000000 } else { s },
                        );
                s = u32::try_from(s)
                    .ok()
                    .and_then(|by| t.checked_shr(by))
                    .unwrap_or(0)
                    .wrapping_sub(s);
                s = s.min(s.checked_rem(t).unwrap_or(0).wrapping_add(t & t));
            }
        }
        for p in 0..n {
            a[p] = if 3u32.wrapping_add(1)
                >= (if s <= s && 1000000000 < 0 { 0 } else { 1 })
            {
                a[((t >= s && s < t) as u32 as usize).checked_rem(n).unwrap_or(0)]
            } else {
                s.max(0)
            };
            let t2 = a[p].wrapping_mul((t >= t || u32::MAX == s) as u32);
            for p2 in 0..n {
                let t3 = if s & t > 0u32 as i32 as u32 && s < s {
                    3u32.wrapping_sub(0)
                } else {
                    0u32 << 3u32
                };
                a[p2] = (0u32.checked_rem(t2).unwrap_or(0)
                    > a[((if u32::MAX > 0u32 || t3 == t3 { t2 } else { t3 }) as usize)
                        .checked_rem(n)
                        .unwrap_or(0)] || 0u32 == u32::MAX) as u32;
                s = s
                    .max(
                        if !((0u32 <= s) as u32 == t3.checked_rem(t).unwrap_or(0)) {
                            if 3 >= 1 && 1000000000 < s { s } else { 1 }
                        } else {
                            t2.checked_div(t2).unwrap_or(0)
                        },
                    );
            }
        }
    } else {
        a[(s.checked_rem(0).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)]
            |= !(t != u32::MAX) as u32 as i64 as u32;
    }
    a[((s | s) as usize).checked_rem(n).unwrap_or(0)] = a[((1000000000u32 | s) as usize)
        .checked_rem(n)
        .unwrap_or(0)] ^ t.checked_div(s).unwrap_or(0);
    let _t2 = (s % u32::MAX).wrapping_sub(s ^ t);
    Ok(s)
}
/// Random program 44.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_44_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_add(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = u32::try_from(a[(s.wrapping_mul(1) as usize).checked_rem(n).unwrap_or(0)])
        .ok()
        .and_then(|by| ((s == s) as i64).checked_shr(by))
        .unwrap_or(((s == s) as i64) >> 63);
    s = s.wrapping_add(!(0i64 | 1i64 > s.checked_div(0).unwrap_or(0)) as i64);
    // a remark
    let _t = u32::try_from(
            u32::try_from(s).ok().and_then(|by| 1i64.checked_shl(by)).unwrap_or(0),
        )
        .ok()
        .and_then(|by| (0i64 as f32 as i64).checked_shl(by))
        .unwrap_or(0);
    let _w = vec![0 | s; n];
    Ok(s)
}
/// Random program 45.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_45_u32(
    n: usize,
    a: &mut [u32],
    b: &[u32],
) -> Result<u32, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.min(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    // a remark
    if a[((if s > s && s < s { s } else { s }) as usize).checked_rem(n).unwrap_or(0)]
        != (if s != s { s } else { s })
    {
        s = if s.min(s) > s.checked_rem(s).unwrap_or(0) {
            s.checked_div(s).unwrap_or(0)
        } else {
            a[(1u32 as f32 as u32 as usize).checked_rem(n).unwrap_or(0)]
        };
        let _t = u32::try_from(s & s)
            .ok()
            .and_then(|by| {
                u32::try_from(s)
                    .ok()
                    .and_then(|by| s.checked_shr(by))
                    .unwrap_or(0)
                    .checked_shr(by)
            })
            .unwrap_or(0);
    } else {
        a[(3u32.wrapping_sub(0) as usize).checked_rem(n).unwrap_or(0)] = if s
            .checked_div(s)
            .unwrap_or(0) > a[((0u32 ^ s) as usize).checked_rem(n).unwrap_or(0)]
            || s == s
        {
            u32::try_from(s).ok().and_then(|by| u32::MAX.checked_shr(by)).unwrap_or(0)
        } else {
            a[(0u32.wrapping_sub(s) as usize).checked_rem(n).unwrap_or(0)]
        };
    }
    for p in 0..n {
        for p2 in 0..n {
            for p3 in 0..n {
                a[p3] = u32::try_from(a[p])
                    .ok()
                    .and_then(|by| (s | s).checked_shl(by))
                    .unwrap_or(0);
                s = s.wrapping_mul(a[p]);
                a[p2] &= 0u32.wrapping_add(s) as f64 as u32;
            }
            for a_p3 in a.iter_mut() {
                s = (*a_p3)
                    .wrapping_add(if s <= s || s == s { u32::MAX } else { u32::MAX });
                *a_p3 = (!(s <= 1000000000u32) as u32)
                    .min(s.checked_div(0).unwrap_or(0));
                s = (0u32 == 0u32 && s < 0u32) as u32 as i64 as u32;
            }
            for _p3 in 0..n {
                s = 3u32.min(s).checked_div(s as i32 as u32).unwrap_or(0);
                s = s.max(a[p2]);
                let _t = (s.min(u32::MAX) > 0u32.wrapping_mul(0) || s == s) as u32;
            }
        }
        a[(s.wrapping_mul(0) as usize).checked_rem(n).unwrap_or(0)] = a[(s
                .wrapping_mul(0) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .min(
                u32::try_from(3u32.wrapping_sub(0))
                    .ok()
                    .and_then(|by| a[p].checked_shl(by))
                    .unwrap_or(0),
            );
        for p2 in 0..n {
            let t = (s | s).checked_rem(0u32 as u64 as u32).unwrap_or(0);
            if s.wrapping_add(s) > s.max(t) || s == t {
                a[p] = a[p]
                    .wrapping_mul(
                        (u32::try_from(t)
                            .ok()
                            .and_then(|by| s.checked_shr(by))
                            .unwrap_or(0) != u32::MAX.wrapping_add(0)) as u32,
                    );
                a[p] = a[p]
                    .wrapping_mul(
                        (1000000000u32 | t)
                            .wrapping_add(0u32.checked_rem(t).unwrap_or(0)),
                    );
            } else {
                a[p2] = a[p2].wrapping_add(s ^ u32::MAX | !(s >= s) as u32);
            }
            if s.wrapping_sub(s) != t as i64 as u32 || s == t {
                let t2 = a[p2];
                s = a[p2].wrapping_mul(if t2 >= 0 || t == 3 { 1 } else { s });
            } else {
                let _w = vec![(t != t || s == s) as u32; n];
            }
        }
    }
    let mut t = (s.checked_div(s).unwrap_or(0) >= 1u32 as i64 as u32 || 3u32 == 0u32)
        as u32;
    if 0u32.checked_div(0).unwrap_or(0)
        < u32::try_from(t).ok().and_then(|by| s.checked_shl(by)).unwrap_or(0)
    {
        let t2 = s.wrapping_mul(s).min(s.max(s));
        if u32::try_from(s).ok().and_then(|by| t2.checked_shr(by)).unwrap_or(0)
            >= u32::try_from(t2).ok().and_then(|by| 0u32.checked_shl(by)).unwrap_or(0)
            || s == s
        {
            a[(t2 as i32 as u32 as usize).checked_rem(n).unwrap_or(0)]
                |= !(t < 1u32) as u32 | t2 & 0;
            for p in 0..n {
                a[(s.checked_div(s).unwrap_or(0) as usize)
                    .checked_rem(n)
                    .unwrap_or(0)] = a[p];
                s = s.wrapping_mul(t) as u64 as u32;
                // a remark
            }
        } else {
            t = 0 >> 1;
        }
    } else {
        a[(0u32.wrapping_add(t) as usize).checked_rem(n).unwrap_or(0)] = a[(0u32
                .wrapping_add(t) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .min(
                if !(1 | t != t.wrapping_mul(u32::MAX)) {
                    a[((s | s) as usize).checked_rem(n).unwrap_or(0)]
                } else {
                    0u32.wrapping_mul(s)
                },
            );
    }
    Ok(s)
}
/// Random program 46.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_46_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s = s.wrapping_mul(b_p);
        *a_p = (*a_p).wrapping_add(b_p);
    }
    a[((s < s && 0i64 < s) as i64 as usize).checked_rem(n).unwrap_or(0)] = if s
        .wrapping_neg()
        <= u32::try_from(s)
            .ok()
            .and_then(|by| (-1i64).checked_shr(by))
            .unwrap_or((-1i64) >> 63)
    {
        1i64 as i32 as i64
    } else {
        s.wrapping_neg()
    };
    a[((i64::MAX << 1i64) as usize).checked_rem(n).unwrap_or(0)]
        |= a[(u32::try_from(s).ok().and_then(|by| s.checked_shr(by)).unwrap_or(s >> 63)
                as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .wrapping_abs();
    a[(s.wrapping_add(s) as usize).checked_rem(n).unwrap_or(0)] = !(s.wrapping_abs()
        <= s ^ -1i64) as i64;
    let _w = vec![s.checked_rem(s).unwrap_or(0); n];
    // a remark
    Ok(s)
}
/// Random program 47.
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn random_47_i64(
    n: usize,
    a: &mut [i64],
    b: &[i64],
) -> Result<i64, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`a`", a.len(), "`n`", n)?;
    check_extents("`b`", b.len(), "`n`", n)?;
    let mut s = b[0];
    for (&b_p, a_p) in b.iter().zip(a.iter_mut()) {
        s |= b_p;
        *a_p = (*a_p).wrapping_add(b_p);
    }
    s = a[(a[((i64::MAX | 0i64) as usize).checked_rem(n).unwrap_or(0)] as usize)
        .checked_rem(n)
        .unwrap_or(0)];
    a[(s.wrapping_sub(s) as usize).checked_rem(n).unwrap_or(0)]
        &= s.wrapping_sub(s).checked_div((-1i64).wrapping_sub(s)).unwrap_or(0);
    if s & s >= (if s > -7 { s } else { s }) || 3 == s {
        a[((if s <= 0i64 { -1i64 } else { s }) as usize).checked_rem(n).unwrap_or(0)] = (if -7i64
            == s || s == s
        {
            s
        } else {
            s
        }) as f64 as i64;
        for &t in a.iter() {
            // a remark
            if 3 & i64::MAX <= s as u64 as i64 {
                break;
            }
        }
    } else {
        a[(1i64.checked_div(s).unwrap_or(0) as usize).checked_rem(n).unwrap_or(0)] = a[(1i64
                .checked_div(s)
                .unwrap_or(0) as usize)
                .checked_rem(n)
                .unwrap_or(0)]
            .wrapping_add(
                (0i64 & s
                    < a[((s <= 1i64 || 1000000000i64 == s) as i64 as usize)
                        .checked_rem(n)
                        .unwrap_or(0)]) as i64,
            );
    }
    s = if s.min(s) >= s << 1 && s < s { s.wrapping_add(s) } else { s.wrapping_add(s) };
    let _w = vec![! (s > s) as i64; n];
    Ok(s)
}
