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
    use ::pleach_runtime::kernel::{check_extents, minimum};
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
        s = minimum(s, (-7f64).abs() as u32 as f64);
        s = a_p;
    }
    if s / s >= s as u64 as f64 || s == s {
        a[((-7f64 + s) as usize).checked_rem(n).unwrap_or(0)] = minimum(
            a[((-7f64 + s) as usize).checked_rem(n).unwrap_or(0)],
            (s / f64::INFINITY) as f32 as f64,
        );
        for p in 0..n {
            a[p] = minimum(a[p], (1.0 - s) * (s * s));
            let _w = vec![s as u32 as f64; n];
            if a[(minimum(s, s) as usize).checked_rem(n).unwrap_or(0)] != s - -7.0
                || s == 0.0
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
