// Written by the emitter; see main.rs.

/// forall(i, forall(j, C(i,j) = A(i,j) + B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn union_rows(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_stores: &impl ::pleach_runtime::Rows<Value = f64>,
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{Fiber, check_extents};
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let b_stores_row = b_stores.finder();
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let mut a_p = a_pos[i];
        let a_end = a_pos[i + 1];
        a_p = b_stores_row(i)
            .fold_ordered(
                a_p,
                |mut a_p, run| {
                    for (j, &b_entry) in run.iter() {
                        let j = j as usize;
                        while a_p < a_end && (a_crd[a_p] as usize) < j {
                            let j_a = a_crd[a_p] as usize;
                            c_crd.push(j_a as u32);
                            c_vals.push(a_vals[a_p]);
                            a_p += 1;
                        }
                        let a_here = a_p < a_end && a_crd[a_p] as usize == j;
                        if a_here {
                            c_crd.push(j as u32);
                            c_vals.push(a_vals[a_p] + b_entry);
                            a_p += 1;
                        } else {
                            c_crd.push(j as u32);
                            c_vals.push(b_entry);
                        }
                    }
                    a_p
                },
            );
        for (&j_a, &a_ij) in a_crd[a_p..a_end].iter().zip(&a_vals[a_p..a_end]) {
            let j_a = j_a as usize;
            c_crd.push(j_a as u32);
            c_vals.push(a_ij);
        }
        c_pos[i + 1] = c_crd.len();
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, forall(j, C(i,j) = A(i,j) * B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn common_rows(
    a_rows: usize,
    a_cols: usize,
    a_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    b_rows: usize,
    b_cols: usize,
    b_pos: &[usize],
    b_crd: &[u32],
    b_vals: &[f64],
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{Fiber, check_extents};
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let a_stores_row = a_stores.finder();
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let span = b_pos[i]..b_pos[i + 1];
        for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span]) {
            let j = j as usize;
            if let Some(&a_entry) = a_stores_row(i).locate(j as u32) {
                c_crd.push(j as u32);
                c_vals.push(a_entry * b_ij);
            }
        }
        c_pos[i + 1] = c_crd.len();
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, forall(j, C(i,j) = A(i,j) + B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn grown<StoreC: ::pleach_runtime::Store<Coord = u32, Value = f64>>(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_stores: &impl ::pleach_runtime::Rows<Value = f64>,
) -> Result<(usize, usize, Vec<StoreC>), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Fiber, build, check_extents};
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let b_stores_row = b_stores.finder();
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let mut a_p = a_pos[i];
        let a_end = a_pos[i + 1];
        a_p = b_stores_row(i)
            .fold_ordered(
                a_p,
                |mut a_p, run| {
                    for (j, &b_entry) in run.iter() {
                        let j = j as usize;
                        while a_p < a_end && (a_crd[a_p] as usize) < j {
                            let j_a = a_crd[a_p] as usize;
                            c_crd.push(j_a as u32);
                            c_vals.push(a_vals[a_p]);
                            a_p += 1;
                        }
                        let a_here = a_p < a_end && a_crd[a_p] as usize == j;
                        if a_here {
                            c_crd.push(j as u32);
                            c_vals.push(a_vals[a_p] + b_entry);
                            a_p += 1;
                        } else {
                            c_crd.push(j as u32);
                            c_vals.push(b_entry);
                        }
                    }
                    a_p
                },
            );
        for (&j_a, &a_ij) in a_crd[a_p..a_end].iter().zip(&a_vals[a_p..a_end]) {
            let j_a = j_a as usize;
            c_crd.push(j_a as u32);
            c_vals.push(a_ij);
        }
        c_pos[i + 1] = c_crd.len();
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    let mut c2_stores: Vec<_> = Vec::with_capacity(c_pos.len() - 1);
    for p in 0..c_pos.len() - 1 {
        c2_stores
            .push(
                build(&c_crd[c_pos[p]..c_pos[p + 1]], &c_vals[c_pos[p]..c_pos[p + 1]]),
            );
    }
    Ok((c_rows, c_cols, c2_stores))
}
/// forall(i, parallel, forall(j, C(i,j) = A(i,j) + B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn union_parallel(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_stores: &impl ::pleach_runtime::Rows<Value = f64>,
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{
        Fiber, Work, check_extents, each, par_for, prefix_sum, segments,
    };
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let b_stores_row = b_stores.finder();
    let mut c_pos = vec![0usize; a_rows + 1];
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        each(&mut c_pos, 1, 1),
        |block, mut c_pos| {
            for i in block {
                let mut a_p = a_pos[i];
                let a_end = a_pos[i + 1];
                let mut c_pos_sum = c_pos[i + 1];
                (c_pos_sum, a_p) = b_stores_row(i)
                    .fold_ordered(
                        (c_pos_sum, a_p),
                        |(mut c_pos_sum, mut a_p), run| {
                            for &j in run.coords() {
                                let j = j as usize;
                                while a_p < a_end && (a_crd[a_p] as usize) < j {
                                    c_pos_sum += 1;
                                    a_p += 1;
                                }
                                let a_here = a_p < a_end && a_crd[a_p] as usize == j;
                                if a_here {
                                    c_pos_sum += 1;
                                    a_p += 1;
                                } else {
                                    c_pos_sum += 1;
                                }
                            }
                            (c_pos_sum, a_p)
                        },
                    );
                for _a_p2 in a_p..a_end {
                    c_pos_sum += 1;
                }
                c_pos[i + 1] = c_pos_sum;
            }
        },
    );
    prefix_sum(&mut c_pos);
    let mut c_crd = vec![0u32; c_pos[c_pos.len() - 1]];
    let mut c_vals = vec![0.0; c_pos[c_pos.len() - 1]];
    par_for(
        Work::over(0..a_rows).weighted(a_pos).cost(32),
        (segments(&mut c_crd, &c_pos), segments(&mut c_vals, &c_pos)),
        |block, (mut c_crd, mut c_vals)| {
            for i in block {
                let mut c_at = c_pos[i];
                let mut a_p = a_pos[i];
                let a_end = a_pos[i + 1];
                (c_at, a_p) = b_stores_row(i)
                    .fold_ordered(
                        (c_at, a_p),
                        |(mut c_at, mut a_p), run| {
                            for (j, &b_entry) in run.iter() {
                                let j = j as usize;
                                while a_p < a_end && (a_crd[a_p] as usize) < j {
                                    let j_a = a_crd[a_p] as usize;
                                    c_crd[c_at] = j_a as u32;
                                    c_vals[c_at] = a_vals[a_p];
                                    c_at += 1;
                                    a_p += 1;
                                }
                                let a_here = a_p < a_end && a_crd[a_p] as usize == j;
                                if a_here {
                                    c_crd[c_at] = j as u32;
                                    c_vals[c_at] = a_vals[a_p] + b_entry;
                                    c_at += 1;
                                    a_p += 1;
                                } else {
                                    c_crd[c_at] = j as u32;
                                    c_vals[c_at] = b_entry;
                                    c_at += 1;
                                }
                            }
                            (c_at, a_p)
                        },
                    );
                for (&j_a, &a_ij) in a_crd[a_p..a_end].iter().zip(&a_vals[a_p..a_end]) {
                    let j_a = j_a as usize;
                    c_crd[c_at] = j_a as u32;
                    c_vals[c_at] = a_ij;
                    c_at += 1;
                }
            }
        },
    );
    let c_rows = a_rows;
    let c_cols = a_cols;
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, forall(j, C(i,j) = A(i,j) + B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn coordinates(
    a_rows: usize,
    a_cols: usize,
    a1_pos: &[usize],
    a1_crd: &[u32],
    a2_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_pos: &[usize],
    b_crd: &[u32],
    b_vals: &[f64],
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut a_p = a1_pos[0];
    let a_end = a1_pos[1];
    let mut a_next = a_p;
    while a_next < a_end && a1_crd[a_next] as usize == a1_crd[a_p] as usize {
        a_next += 1;
    }
    for i in 0..a_rows {
        let a_here = a_p < a_end && a1_crd[a_p] as usize == i;
        if a_here {
            let mut a_p2 = a_p;
            let a_end2 = a_next;
            let mut a_next2 = a_p2;
            let mut a_sum = 0.0;
            while a_next2 < a_end2 && a2_crd[a_next2] as usize == a2_crd[a_p2] as usize {
                a_sum += a_vals[a_next2];
                a_next2 += 1;
            }
            let mut b_p = b_pos[i];
            let b_end = b_pos[i + 1];
            while a_p2 < a_end2 && b_p < b_end {
                let j_a = a2_crd[a_p2] as usize;
                let j_b = b_crd[b_p] as usize;
                if j_a == j_b {
                    c_crd.push(j_a as u32);
                    c_vals.push(a_sum + b_vals[b_p]);
                } else if j_b < j_a {
                    c_crd.push(j_b as u32);
                    c_vals.push(b_vals[b_p]);
                } else {
                    c_crd.push(j_a as u32);
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
                    b_p += 1;
                }
            }
            for (&j_b, &b_ij) in b_crd[b_p..b_end].iter().zip(&b_vals[b_p..b_end]) {
                let j_b = j_b as usize;
                c_crd.push(j_b as u32);
                c_vals.push(b_ij);
            }
            while a_p2 < a_end2 {
                let j_a = a2_crd[a_p2] as usize;
                c_crd.push(j_a as u32);
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
        } else {
            let span = b_pos[i]..b_pos[i + 1];
            for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span]) {
                let j = j as usize;
                c_crd.push(j as u32);
                c_vals.push(b_ij);
            }
        }
        c_pos[i + 1] = c_crd.len();
        if a_here {
            a_p = a_next;
            while a_next < a_end && a1_crd[a_next] as usize == a1_crd[a_p] as usize {
                a_next += 1;
            }
        }
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, forall(j, C(i,j) = w(j)) where forall(k, forall(j, w(j) += A(i,k) * B(k,j))))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn product(
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
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::check_extents;
    check_extents("`A` along `k`", a_cols, "`B` along `k`", b_rows)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut w = vec![0.0; b_cols];
    let mut w_set = vec![false; b_cols];
    let mut w_list: Vec<usize> = Vec::new();
    for i in 0..a_rows {
        let span = a_pos[i]..a_pos[i + 1];
        for (&k, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
            let k = k as usize;
            let span = b_pos[k]..b_pos[k + 1];
            for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span]) {
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
        c_pos[i + 1] = c_crd.len();
    }
    let c_rows = a_rows;
    let c_cols = b_cols;
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, parallel, forall(j, y(i) += A(i,j) * x(j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn spmv_rows(
    y_len: usize,
    y_vals: &mut [f64],
    a_rows: usize,
    a_cols: usize,
    a_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    x_len: usize,
    x_vals: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Fiber, Work, check_extents, each, par_for};
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x_len)?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y_len)?;
    let a_stores_row = a_stores.finder();
    par_for(
        Work::over(0..a_rows),
        each(y_vals, 0, 1),
        |block, mut y_vals| {
            for i in block {
                let mut y_i = y_vals[i];
                y_i = a_stores_row(i)
                    .fold_storage(
                        y_i,
                        |mut y_i, run| {
                            for (j, &a_entry) in run.iter() {
                                let j = j as usize;
                                y_i += a_entry * x_vals[j];
                            }
                            y_i
                        },
                    );
                y_vals[i] = y_i;
            }
        },
    );
    Ok(())
}
/// forall(i, y(i) = t where forall(j, t += A(i,j) * x(j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn column<StoreY: ::pleach_runtime::Store<Coord = u32, Value = f64>>(
    a_rows: usize,
    a_cols: usize,
    a_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    x_len: usize,
    x_vals: &[f64],
) -> Result<(usize, StoreY), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Fiber, build, check_extents};
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x_len)?;
    let a_stores_row = a_stores.finder();
    let mut y_crd: Vec<u32> = Vec::new();
    let mut y_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let mut t = 0.0;
        let mut t_set = false;
        (t, t_set) = a_stores_row(i)
            .fold_storage(
                (t, t_set),
                |(mut t, mut t_set), run| {
                    for (j, &a_entry) in run.iter() {
                        let j = j as usize;
                        t += a_entry * x_vals[j];
                        t_set = true;
                    }
                    (t, t_set)
                },
            );
        if t_set {
            y_crd.push(i as u32);
            y_vals.push(t);
        }
    }
    let y_len = a_rows;
    let y = build(&y_crd[0..y_crd.len()], &y_vals[0..y_crd.len()]);
    Ok((y_len, y))
}
/// forall(i, forall(j, C(i,j) = A(i,j) + B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn outer_union(
    a_rows: usize,
    a_cols: usize,
    a1_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    b_rows: usize,
    b_cols: usize,
    b1_stores: &impl ::pleach_runtime::Rows<Value = f64>,
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{Cursor, Fiber, RowCursor, check_extents};
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    let mut a_cursor = RowCursor::new(a1_stores);
    let mut b_cursor = RowCursor::new(b1_stores);
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
                    c_crd.push(j_a as u32);
                    c_vals.push(*a_cursor2.value() + *b_cursor2.value());
                    a_cursor2.advance();
                    b_cursor2.advance();
                } else if j_b < j_a {
                    c_crd.push(j_b as u32);
                    c_vals.push(*b_cursor2.value());
                    b_cursor2.advance();
                } else {
                    c_crd.push(j_a as u32);
                    c_vals.push(*a_cursor2.value());
                    a_cursor2.advance();
                }
            }
            b_cursor2
                .rest(|run| {
                    for (j, &b_entry) in run.iter() {
                        let j = j as usize;
                        c_crd.push(j as u32);
                        c_vals.push(b_entry);
                    }
                });
            a_cursor2
                .rest(|run| {
                    for (j, &a_entry) in run.iter() {
                        let j = j as usize;
                        c_crd.push(j as u32);
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
                            c_crd.push(j as u32);
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
                            c_crd.push(j as u32);
                            c_vals.push(a_entry);
                        }
                    },
                );
            a_cursor.advance();
        }
        c_pos[i + 1] = c_crd.len();
    }
    for (i, b_entry) in b_cursor.rest() {
        b_entry
            .fold_ordered(
                (),
                |(), run| {
                    for (j, &b_entry2) in run.iter() {
                        let j = j as usize;
                        c_crd.push(j as u32);
                        c_vals.push(b_entry2);
                    }
                },
            );
        c_pos[i + 1] = c_crd.len();
    }
    for (i, a_entry) in a_cursor.rest() {
        a_entry
            .fold_ordered(
                (),
                |(), run| {
                    for (j, &a_entry2) in run.iter() {
                        let j = j as usize;
                        c_crd.push(j as u32);
                        c_vals.push(a_entry2);
                    }
                },
            );
        c_pos[i + 1] = c_crd.len();
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    for p in 1..c_pos.len() {
        c_pos[p] = c_pos[p].max(c_pos[p - 1]);
    }
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, forall(j, C(i,j) = A(i,j) * B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn outer_common(
    a_rows: usize,
    a_cols: usize,
    a1_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    b_rows: usize,
    b_cols: usize,
    b_pos: &[usize],
    b_crd: &[u32],
    b_vals: &[f64],
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{Fiber, check_extents};
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    a1_stores
        .rows(|i, a_entry| {
            let span = b_pos[i]..b_pos[i + 1];
            for (&j, &b_ij) in b_crd[span.clone()].iter().zip(&b_vals[span]) {
                let j = j as usize;
                if let Some(&a_entry2) = a_entry.locate(j as u32) {
                    c_crd.push(j as u32);
                    c_vals.push(a_entry2 * b_ij);
                }
            }
            c_pos[i + 1] = c_crd.len();
        });
    let c_rows = a_rows;
    let c_cols = a_cols;
    for p in 1..c_pos.len() {
        c_pos[p] = c_pos[p].max(c_pos[p - 1]);
    }
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, parallel, forall(j, y(i) += A(i,j) * x(j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn outer_rows(
    y_len: usize,
    y_vals: &mut [f64],
    a_rows: usize,
    a_cols: usize,
    a1_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    x_len: usize,
    x_vals: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Fiber, check_extents};
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x_len)?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y_len)?;
    let y_vals = ::pleach_runtime::SharedOutput::new(y_vals);
    a1_stores
        .par_rows(|i, a_entry| {
            let mut y_i = y_vals.get(i);
            y_i = a_entry
                .fold_storage(
                    y_i,
                    |mut y_i, run| {
                        for (j, &a_entry2) in run.iter() {
                            let j = j as usize;
                            y_i += a_entry2 * x_vals[j];
                        }
                        y_i
                    },
                );
            y_vals.set(i, y_i);
        });
    Ok(())
}
/// forall(i, parallel, forall(j, y(i) += A(i,j) * x(j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn compressed_rows(
    y_len: usize,
    y_vals: &mut [f64],
    a_rows: usize,
    a_cols: usize,
    a1_pos: &[usize],
    a1_crd: &[u32],
    a2_pos: &[usize],
    a2_crd: &[u32],
    a_vals: &[f64],
    x_len: usize,
    x_vals: &[f64],
) -> Result<(), ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Work, check_extents, listed, par_for};
    check_extents("`A` along `j`", a_cols, "`x` along `j`", x_len)?;
    check_extents("`A` along `i`", a_rows, "`y` along `i`", y_len)?;
    par_for(
        Work::over(a1_pos[0]..a1_pos[1]).weighted(a2_pos),
        listed(y_vals, 0, 1, a1_crd),
        |block, mut y_vals| {
            for a_p in block {
                let i = a1_crd[a_p] as usize;
                let mut y_i = y_vals[i];
                let span = a2_pos[a_p]..a2_pos[a_p + 1];
                for (&j, &a_ij) in a2_crd[span.clone()].iter().zip(&a_vals[span]) {
                    let j = j as usize;
                    y_i += a_ij * x_vals[j];
                }
                y_vals[i] = y_i;
            }
        },
    );
    Ok(())
}
/// forall(i, forall(j, C(i,j) = A(i,j) + B(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn from_outside(
    a_rows: usize,
    a_cols: usize,
    a_begin: &[usize],
    a_end: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_stores: &impl ::pleach_runtime::Rows<Value = f64>,
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{Fiber, check_extents};
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    let b_stores_row = b_stores.finder();
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let mut a_p = a_begin[i];
        let a_end2 = a_end[i];
        a_p = b_stores_row(i)
            .fold_ordered(
                a_p,
                |mut a_p, run| {
                    for (j, &b_entry) in run.iter() {
                        let j = j as usize;
                        while a_p < a_end2 && (a_crd[a_p] as usize) < j {
                            let j_a = a_crd[a_p] as usize;
                            c_crd.push(j_a as u32);
                            c_vals.push(a_vals[a_p]);
                            a_p += 1;
                        }
                        let a_here = a_p < a_end2 && a_crd[a_p] as usize == j;
                        if a_here {
                            c_crd.push(j as u32);
                            c_vals.push(a_vals[a_p] + b_entry);
                            a_p += 1;
                        } else {
                            c_crd.push(j as u32);
                            c_vals.push(b_entry);
                        }
                    }
                    a_p
                },
            );
        for (&j_a, &a_ij) in a_crd[a_p..a_end2].iter().zip(&a_vals[a_p..a_end2]) {
            let j_a = j_a as usize;
            c_crd.push(j_a as u32);
            c_vals.push(a_ij);
        }
        c_pos[i + 1] = c_crd.len();
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, forall(j, C(i,j) = A(i,j) + A(j,i)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn transposed_sum(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{check_extents, prefix_sum};
    check_extents(
        "`A` along its second index",
        a_cols,
        "`A` along its first index",
        a_rows,
    )?;
    check_extents(
        "`A` along its first index",
        a_rows,
        "`A` along its second index",
        a_cols,
    )?;
    let mut c_pos = vec![0usize; a_rows + 1];
    let mut c_crd: Vec<u32> = Vec::new();
    let mut c_vals: Vec<f64> = Vec::new();
    // A(j,i) in the order i, j
    let mut a_ij_coords0: Vec<usize> = Vec::new();
    let mut a_ij_coords1: Vec<usize> = Vec::new();
    let mut a_ij_list: Vec<f64> = Vec::new();
    for j in 0..a_rows {
        let span = a_pos[j]..a_pos[j + 1];
        for (&i, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
            let i = i as usize;
            a_ij_coords0.push(i);
            a_ij_coords1.push(j);
            a_ij_list.push(a_ij);
        }
    }
    let mut a_ij_order: Vec<usize> = (0..a_ij_coords0.len()).collect();
    a_ij_order.sort_by_key(|&p| (a_ij_coords0[p], a_ij_coords1[p]));
    let mut a_ij_sorted0: Vec<usize> = Vec::with_capacity(a_ij_coords0.len());
    let mut a_ij_sorted1: Vec<usize> = Vec::with_capacity(a_ij_coords0.len());
    let mut a_ij_folded: Vec<f64> = Vec::with_capacity(a_ij_coords0.len());
    for &from in &a_ij_order {
        let last = a_ij_sorted0.len().max(1) - 1;
        if a_ij_sorted0.len() > 0 && a_ij_sorted0[last] == a_ij_coords0[from]
            && a_ij_sorted1[last] == a_ij_coords1[from]
        {
            a_ij_folded[last] += a_ij_list[from];
        } else {
            a_ij_sorted0.push(a_ij_coords0[from]);
            a_ij_sorted1.push(a_ij_coords1[from]);
            a_ij_folded.push(a_ij_list[from]);
        }
    }
    let mut a_ij1_pos = vec![0usize; 2];
    let mut a_ij1_at = vec![0usize; a_ij_sorted0.len()];
    let mut a_ij1_pos_sum = a_ij1_pos[1];
    for e in 0..a_ij_sorted0.len() {
        if !(e > 0 && a_ij_sorted0[e] == a_ij_sorted0[e - 1]) {
            a_ij1_pos_sum += 1;
        }
    }
    a_ij1_pos[1] = a_ij1_pos_sum;
    prefix_sum(&mut a_ij1_pos);
    let mut a_ij1_crd = vec![0u32; a_ij1_pos[1]];
    let mut a_ij1_next = vec![0usize; 1];
    for (a_ij1_next_p, &a_ij1_pos_p) in a_ij1_next[0..1].iter_mut().zip(&a_ij1_pos[0..1])
    {
        *a_ij1_next_p = a_ij1_pos_p;
    }
    for e in 0..a_ij_sorted0.len() {
        if e > 0 && a_ij_sorted0[e] == a_ij_sorted0[e - 1] {
            a_ij1_at[e] = a_ij1_at[e - 1];
        } else {
            a_ij1_at[e] = a_ij1_next[0];
            a_ij1_crd[a_ij1_at[e]] = a_ij_sorted0[e] as u32;
            a_ij1_next[0] += 1;
        }
    }
    let a_ij1_count = a_ij1_crd.len();
    let mut a_ij2_pos = vec![0usize; a_ij1_count + 1];
    let mut a_ij2_at = vec![0usize; a_ij_sorted0.len()];
    for e in 0..a_ij_sorted0.len() {
        if !(e > 0 && a_ij1_at[e] == a_ij1_at[e - 1]
            && a_ij_sorted1[e] == a_ij_sorted1[e - 1])
        {
            a_ij2_pos[a_ij1_at[e] + 1] += 1;
        }
    }
    prefix_sum(&mut a_ij2_pos);
    let mut a_ij2_crd = vec![0u32; a_ij2_pos[a_ij1_count]];
    let mut a_ij2_next = vec![0usize; a_ij1_count];
    for (a_ij2_next_p, &a_ij2_pos_p) in a_ij2_next[0..a_ij1_count]
        .iter_mut()
        .zip(&a_ij2_pos[0..a_ij1_count])
    {
        *a_ij2_next_p = a_ij2_pos_p;
    }
    for e in 0..a_ij_sorted0.len() {
        if e > 0 && a_ij1_at[e] == a_ij1_at[e - 1]
            && a_ij_sorted1[e] == a_ij_sorted1[e - 1]
        {
            a_ij2_at[e] = a_ij2_at[e - 1];
        } else {
            a_ij2_at[e] = a_ij2_next[a_ij1_at[e]];
            a_ij2_crd[a_ij2_at[e]] = a_ij_sorted1[e] as u32;
            a_ij2_next[a_ij1_at[e]] += 1;
        }
    }
    let a_ij2_count = a_ij2_crd.len();
    let mut a_ij_vals = vec![0.0; a_ij2_count];
    let span = 0..a_ij_sorted0.len();
    for (&a_ij2_at_e, &a_ij_folded_e) in a_ij2_at[span.clone()]
        .iter()
        .zip(&a_ij_folded[span])
    {
        a_ij_vals[a_ij2_at_e] = a_ij_folded_e;
    }
    let mut a_p = a_ij1_pos[0];
    let a_end = a_ij1_pos[1];
    for i in 0..a_rows {
        let a_here = a_p < a_end && a_ij1_crd[a_p] as usize == i;
        if a_here {
            let mut a_p2 = a_pos[i];
            let a_end2 = a_pos[i + 1];
            let mut a_p3 = a_ij2_pos[a_p];
            let a_end3 = a_ij2_pos[a_p + 1];
            while a_p2 < a_end2 && a_p3 < a_end3 {
                let j_a = a_crd[a_p2] as usize;
                let j_a2 = a_ij2_crd[a_p3] as usize;
                if j_a == j_a2 {
                    c_crd.push(j_a as u32);
                    c_vals.push(a_vals[a_p2] + a_ij_vals[a_p3]);
                    a_p2 += 1;
                    a_p3 += 1;
                } else if j_a2 < j_a {
                    c_crd.push(j_a2 as u32);
                    c_vals.push(a_ij_vals[a_p3]);
                    a_p3 += 1;
                } else {
                    c_crd.push(j_a as u32);
                    c_vals.push(a_vals[a_p2]);
                    a_p2 += 1;
                }
            }
            for (&j_a, &a_ij_vals_a_p4) in a_ij2_crd[a_p3..a_end3]
                .iter()
                .zip(&a_ij_vals[a_p3..a_end3])
            {
                let j_a = j_a as usize;
                c_crd.push(j_a as u32);
                c_vals.push(a_ij_vals_a_p4);
            }
            for (&j_a, &a_ij) in a_crd[a_p2..a_end2].iter().zip(&a_vals[a_p2..a_end2]) {
                let j_a = j_a as usize;
                c_crd.push(j_a as u32);
                c_vals.push(a_ij);
            }
        } else {
            let span = a_pos[i]..a_pos[i + 1];
            for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
                let j = j as usize;
                c_crd.push(j as u32);
                c_vals.push(a_ij);
            }
        }
        c_pos[i + 1] = c_crd.len();
        if a_here {
            a_p += 1;
        }
    }
    let c_rows = a_rows;
    let c_cols = a_cols;
    Ok((c_rows, c_cols, c_pos, c_crd, c_vals))
}
/// forall(i, forall(j, R(i,j) = A(i,j) + B(i,j) - C(i,j) + D(i,j) * E(i,j) + F(i,j) + G(i,j)))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn seven(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    c_rows: usize,
    c_cols: usize,
    c_pos: &[usize],
    c_crd: &[u32],
    c_vals: &[f64],
    d_rows: usize,
    d_cols: usize,
    d_pos: &[usize],
    d_crd: &[u32],
    d_vals: &[f64],
    e_rows: usize,
    e_cols: usize,
    e_pos: &[usize],
    e_crd: &[u32],
    e_vals: &[f64],
    f_rows: usize,
    f_cols: usize,
    f_pos: &[usize],
    f_crd: &[u32],
    f_vals: &[f64],
    g_rows: usize,
    g_cols: usize,
    g_pos: &[usize],
    g_crd: &[u32],
    g_vals: &[f64],
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{Cursor, Fiber, check_extents};
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    check_extents("`A` along `i`", a_rows, "`C` along `i`", c_rows)?;
    check_extents("`A` along `j`", a_cols, "`C` along `j`", c_cols)?;
    check_extents("`A` along `i`", a_rows, "`D` along `i`", d_rows)?;
    check_extents("`A` along `j`", a_cols, "`D` along `j`", d_cols)?;
    check_extents("`A` along `i`", a_rows, "`E` along `i`", e_rows)?;
    check_extents("`A` along `j`", a_cols, "`E` along `j`", e_cols)?;
    check_extents("`A` along `i`", a_rows, "`F` along `i`", f_rows)?;
    check_extents("`A` along `j`", a_cols, "`F` along `j`", f_cols)?;
    check_extents("`A` along `i`", a_rows, "`G` along `i`", g_rows)?;
    check_extents("`A` along `j`", a_cols, "`G` along `j`", g_cols)?;
    let b_stores_row = b_stores.finder();
    let mut r_pos = vec![0usize; a_rows + 1];
    let mut r_crd: Vec<u32> = Vec::new();
    let mut r_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let mut a_p = a_pos[i];
        let a_end = a_pos[i + 1];
        let mut b_cursor = Cursor::over(b_stores_row(i));
        let mut c_p = c_pos[i];
        let c_end = c_pos[i + 1];
        let mut d_p = d_pos[i];
        let d_end = d_pos[i + 1];
        let mut e_p = e_pos[i];
        let e_end = e_pos[i + 1];
        let mut f_p = f_pos[i];
        let f_end = f_pos[i + 1];
        let mut g_p = g_pos[i];
        let g_end = g_pos[i + 1];
        while a_p < a_end || b_cursor.coord().is_some() || c_p < c_end
            || d_p < d_end && e_p < e_end || f_p < f_end || g_p < g_end
        {
            let j_a = if a_p < a_end { a_crd[a_p] as usize } else { usize::MAX };
            let j_b = if b_cursor.coord().is_some() {
                b_cursor.coord().map_or(usize::MAX, |c| c as usize)
            } else {
                usize::MAX
            };
            let j_c = if c_p < c_end { c_crd[c_p] as usize } else { usize::MAX };
            let j_d = if d_p < d_end { d_crd[d_p] as usize } else { usize::MAX };
            let j_e = if e_p < e_end { e_crd[e_p] as usize } else { usize::MAX };
            let j_f = if f_p < f_end { f_crd[f_p] as usize } else { usize::MAX };
            let j_g = if g_p < g_end { g_crd[g_p] as usize } else { usize::MAX };
            let j = j_a.min(j_b).min(j_c).min(j_d).min(j_e).min(j_f).min(j_g);
            let a_here = j_a == j;
            let b_here = j_b == j;
            let c_here = j_c == j;
            let d_here = j_d == j;
            let e_here = j_e == j;
            let f_here = j_f == j;
            let g_here = j_g == j;
            if a_here || b_here || c_here || d_here && e_here || f_here || g_here {
                r_crd.push(j as u32);
                r_vals
                    .push(
                        (if a_here { a_vals[a_p] } else { 0.0 })
                            + (if b_here { *b_cursor.value() } else { 0.0 })
                            - (if c_here { c_vals[c_p] } else { 0.0 })
                            + (if d_here {
                                if e_here {
                                    (if d_here { d_vals[d_p] } else { 0.0 })
                                        * (if e_here { e_vals[e_p] } else { 0.0 })
                                } else {
                                    0.0
                                }
                            } else {
                                0.0
                            }) + (if f_here { f_vals[f_p] } else { 0.0 })
                            + (if g_here { g_vals[g_p] } else { 0.0 }),
                    );
            }
            if a_here {
                a_p += 1;
            }
            if b_here {
                b_cursor.advance();
            }
            if c_here {
                c_p += 1;
            }
            if d_here {
                d_p += 1;
            }
            if e_here {
                e_p += 1;
            }
            if f_here {
                f_p += 1;
            }
            if g_here {
                g_p += 1;
            }
        }
        r_pos[i + 1] = r_crd.len();
    }
    let r_rows = a_rows;
    let r_cols = a_cols;
    Ok((r_rows, r_cols, r_pos, r_crd, r_vals))
}
/// forall(i, parallel, forall(j, R(i,j) = (A(i,j) + B(i,j) + C(i,j) + D(i,j)) * (E(i,j) + F(i,j) + G(i,j))))
///
/// # Errors
///
/// If extents do not agree.
#[allow(clippy::all)]
pub fn seven_parallel(
    a_rows: usize,
    a_cols: usize,
    a_pos: &[usize],
    a_crd: &[u32],
    a_vals: &[f64],
    b_rows: usize,
    b_cols: usize,
    b_stores: &impl ::pleach_runtime::Rows<Value = f64>,
    c_rows: usize,
    c_cols: usize,
    c_pos: &[usize],
    c_crd: &[u32],
    c_vals: &[f64],
    d_rows: usize,
    d_cols: usize,
    d_pos: &[usize],
    d_crd: &[u32],
    d_vals: &[f64],
    e_rows: usize,
    e_cols: usize,
    e_pos: &[usize],
    e_crd: &[u32],
    e_vals: &[f64],
    f_rows: usize,
    f_cols: usize,
    f_pos: &[usize],
    f_crd: &[u32],
    f_vals: &[f64],
    g_rows: usize,
    g_cols: usize,
    g_pos: &[usize],
    g_crd: &[u32],
    g_vals: &[f64],
) -> Result<
    (usize, usize, Vec<usize>, Vec<u32>, Vec<f64>),
    ::pleach_runtime::kernel::ShapeError,
> {
    use ::pleach_runtime::kernel::{
        Cursor, Fiber, Work, check_extents, each, par_for, prefix_sum, segments,
    };
    check_extents("`A` along `i`", a_rows, "`B` along `i`", b_rows)?;
    check_extents("`A` along `j`", a_cols, "`B` along `j`", b_cols)?;
    check_extents("`A` along `i`", a_rows, "`C` along `i`", c_rows)?;
    check_extents("`A` along `j`", a_cols, "`C` along `j`", c_cols)?;
    check_extents("`A` along `i`", a_rows, "`D` along `i`", d_rows)?;
    check_extents("`A` along `j`", a_cols, "`D` along `j`", d_cols)?;
    check_extents("`A` along `i`", a_rows, "`E` along `i`", e_rows)?;
    check_extents("`A` along `j`", a_cols, "`E` along `j`", e_cols)?;
    check_extents("`A` along `i`", a_rows, "`F` along `i`", f_rows)?;
    check_extents("`A` along `j`", a_cols, "`F` along `j`", f_cols)?;
    check_extents("`A` along `i`", a_rows, "`G` along `i`", g_rows)?;
    check_extents("`A` along `j`", a_cols, "`G` along `j`", g_cols)?;
    let b_stores_row = b_stores.finder();
    let mut r_pos = vec![0usize; a_rows + 1];
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        each(&mut r_pos, 1, 1),
        |block, mut r_pos| {
            for i in block {
                let mut a_p = a_pos[i];
                let a_end = a_pos[i + 1];
                let mut b_cursor = Cursor::over(b_stores_row(i));
                let mut c_p = c_pos[i];
                let c_end = c_pos[i + 1];
                let mut d_p = d_pos[i];
                let d_end = d_pos[i + 1];
                let mut e_p = e_pos[i];
                let e_end = e_pos[i + 1];
                let mut f_p = f_pos[i];
                let f_end = f_pos[i + 1];
                let mut g_p = g_pos[i];
                let g_end = g_pos[i + 1];
                let mut r_pos_sum = r_pos[i + 1];
                while (a_p < a_end || b_cursor.coord().is_some() || c_p < c_end
                    || d_p < d_end) && (e_p < e_end || f_p < f_end || g_p < g_end)
                {
                    let j_a = if a_p < a_end { a_crd[a_p] as usize } else { usize::MAX };
                    let j_b = if b_cursor.coord().is_some() {
                        b_cursor.coord().map_or(usize::MAX, |c| c as usize)
                    } else {
                        usize::MAX
                    };
                    let j_c = if c_p < c_end { c_crd[c_p] as usize } else { usize::MAX };
                    let j_d = if d_p < d_end { d_crd[d_p] as usize } else { usize::MAX };
                    let j_e = if e_p < e_end { e_crd[e_p] as usize } else { usize::MAX };
                    let j_f = if f_p < f_end { f_crd[f_p] as usize } else { usize::MAX };
                    let j_g = if g_p < g_end { g_crd[g_p] as usize } else { usize::MAX };
                    let j = j_a.min(j_b).min(j_c).min(j_d).min(j_e).min(j_f).min(j_g);
                    let a_here = j_a == j;
                    let b_here = j_b == j;
                    let c_here = j_c == j;
                    let d_here = j_d == j;
                    let e_here = j_e == j;
                    let f_here = j_f == j;
                    let g_here = j_g == j;
                    if (a_here || b_here || c_here || d_here)
                        && (e_here || f_here || g_here)
                    {
                        r_pos_sum += 1;
                    }
                    if a_here {
                        a_p += 1;
                    }
                    if b_here {
                        b_cursor.advance();
                    }
                    if c_here {
                        c_p += 1;
                    }
                    if d_here {
                        d_p += 1;
                    }
                    if e_here {
                        e_p += 1;
                    }
                    if f_here {
                        f_p += 1;
                    }
                    if g_here {
                        g_p += 1;
                    }
                }
                r_pos[i + 1] = r_pos_sum;
            }
        },
    );
    prefix_sum(&mut r_pos);
    let mut r_crd = vec![0u32; r_pos[r_pos.len() - 1]];
    let mut r_vals = vec![0.0; r_pos[r_pos.len() - 1]];
    par_for(
        Work::over(0..a_rows).weighted(a_pos),
        (segments(&mut r_crd, &r_pos), segments(&mut r_vals, &r_pos)),
        |block, (mut r_crd, mut r_vals)| {
            for i in block {
                let mut r_at = r_pos[i];
                let mut a_p = a_pos[i];
                let a_end = a_pos[i + 1];
                let mut b_cursor = Cursor::over(b_stores_row(i));
                let mut c_p = c_pos[i];
                let c_end = c_pos[i + 1];
                let mut d_p = d_pos[i];
                let d_end = d_pos[i + 1];
                let mut e_p = e_pos[i];
                let e_end = e_pos[i + 1];
                let mut f_p = f_pos[i];
                let f_end = f_pos[i + 1];
                let mut g_p = g_pos[i];
                let g_end = g_pos[i + 1];
                while (a_p < a_end || b_cursor.coord().is_some() || c_p < c_end
                    || d_p < d_end) && (e_p < e_end || f_p < f_end || g_p < g_end)
                {
                    let j_a = if a_p < a_end { a_crd[a_p] as usize } else { usize::MAX };
                    let j_b = if b_cursor.coord().is_some() {
                        b_cursor.coord().map_or(usize::MAX, |c| c as usize)
                    } else {
                        usize::MAX
                    };
                    let j_c = if c_p < c_end { c_crd[c_p] as usize } else { usize::MAX };
                    let j_d = if d_p < d_end { d_crd[d_p] as usize } else { usize::MAX };
                    let j_e = if e_p < e_end { e_crd[e_p] as usize } else { usize::MAX };
                    let j_f = if f_p < f_end { f_crd[f_p] as usize } else { usize::MAX };
                    let j_g = if g_p < g_end { g_crd[g_p] as usize } else { usize::MAX };
                    let j = j_a.min(j_b).min(j_c).min(j_d).min(j_e).min(j_f).min(j_g);
                    let a_here = j_a == j;
                    let b_here = j_b == j;
                    let c_here = j_c == j;
                    let d_here = j_d == j;
                    let e_here = j_e == j;
                    let f_here = j_f == j;
                    let g_here = j_g == j;
                    if (a_here || b_here || c_here || d_here)
                        && (e_here || f_here || g_here)
                    {
                        r_crd[r_at] = j as u32;
                        r_vals[r_at] = if a_here || b_here || c_here || d_here {
                            if e_here || f_here || g_here {
                                ((if a_here { a_vals[a_p] } else { 0.0 })
                                    + (if b_here { *b_cursor.value() } else { 0.0 })
                                    + (if c_here { c_vals[c_p] } else { 0.0 })
                                    + (if d_here { d_vals[d_p] } else { 0.0 }))
                                    * ((if e_here { e_vals[e_p] } else { 0.0 })
                                        + (if f_here { f_vals[f_p] } else { 0.0 })
                                        + (if g_here { g_vals[g_p] } else { 0.0 }))
                            } else {
                                0.0
                            }
                        } else {
                            0.0
                        };
                        r_at += 1;
                    }
                    if a_here {
                        a_p += 1;
                    }
                    if b_here {
                        b_cursor.advance();
                    }
                    if c_here {
                        c_p += 1;
                    }
                    if d_here {
                        d_p += 1;
                    }
                    if e_here {
                        e_p += 1;
                    }
                    if f_here {
                        f_p += 1;
                    }
                    if g_here {
                        g_p += 1;
                    }
                }
            }
        },
    );
    let r_rows = a_rows;
    let r_cols = a_cols;
    Ok((r_rows, r_cols, r_pos, r_crd, r_vals))
}
