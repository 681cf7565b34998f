//! The same algorithms as a person would write them for one layout. Compiled kernels are measured against these loops.

use std::ops::Range;

use rayon::prelude::*;

use crate::matrices::{Csf, Csr};

pub mod conversions;

/// Rows cut into stretches of about equally many nonzeros; one if there is one thread.
fn stretches(pos: &[usize]) -> Vec<Range<usize>> {
    let rows = pos.len() - 1;
    let threads = rayon::current_num_threads();
    let tasks = if threads == 1 { 1 } else { 8 * threads };
    let mut bounds: Vec<usize> = (0..=tasks)
        .map(|t| pos[1..].partition_point(|&end| (end as u128) * (tasks as u128) <= pos[rows] as u128 * t as u128))
        .collect();
    bounds[0] = 0;
    bounds[tasks] = rows;
    bounds.windows(2).map(|b| b[0]..b[1]).collect()
}

/// Runs `body` for each stretch with its part of `y`, which has `width` elements for each row.
fn by_rows<T: Send>(pos: &[usize], y: &mut [T], width: usize, body: impl Fn(Range<usize>, &mut [T]) + Sync) {
    let mut tasks = Vec::new();
    let mut rest = y;
    for rows in stretches(pos) {
        let (own, others) = rest.split_at_mut((rows.len() * width).min(rest.len()));
        rest = others;
        tasks.push((rows, own));
    }
    match tasks.len() {
        1 => tasks.into_iter().for_each(|(rows, y)| body(rows, y)),
        _ => tasks.into_par_iter().with_max_len(1).for_each(|(rows, y)| body(rows, y)),
    }
}

pub fn spmv_csr(y: &mut [f64], a: &Csr, x: &[f64]) {
    by_rows(&a.pos, y, 1, |rows, y| {
        for (y, i) in y.iter_mut().zip(rows) {
            let row = a.pos[i]..a.pos[i + 1];
            *y = a.crd[row.clone()].iter().zip(&a.vals[row]).fold(0.0, |sum, (&j, &v)| sum + v * x[j as usize]);
        }
    });
}

pub fn spmv_coo(y: &mut [f64], rows: &[u32], cols: &[u32], vals: &[f64], x: &[f64]) {
    y.fill(0.0);
    for ((&i, &j), &v) in rows.iter().zip(cols).zip(vals) {
        y[i as usize] += v * x[j as usize];
    }
}

pub fn spmv_ell(y: &mut [f64], crd: &[u32], vals: &[f64], x: &[f64]) {
    let rows = y.len();
    y.fill(0.0);
    for (crd, vals) in crd.chunks_exact(rows).zip(vals.chunks_exact(rows)) {
        for ((y, &j), &v) in y.iter_mut().zip(crd).zip(vals) {
            if j != u32::MAX {
                *y += v * x[j as usize];
            }
        }
    }
}

pub fn spmv_dia(y: &mut [f64], crd: &[u32], vals: &[f64], x: &[f64]) {
    let rows = y.len();
    y.fill(0.0);
    for (&c, vals) in crd.iter().zip(vals.chunks_exact(rows)) {
        let (lo, hi) = ((rows - 1).saturating_sub(c as usize), rows.min(x.len() + rows - 1 - c as usize));
        let first = lo + c as usize - (rows - 1);
        for ((y, &v), &x) in y[lo..hi].iter_mut().zip(&vals[lo..hi]).zip(&x[first..]) {
            *y += v * x;
        }
    }
}

pub fn spmv_bcsr<const B: usize>(y: &mut [f64], pos: &[usize], crd: &[u32], vals: &[f64], x: &[f64]) {
    by_rows(pos, y, B, |rows, y| {
        for (y, i) in y.chunks_exact_mut(B).zip(rows) {
            let mut sums = [0.0; B];
            for p in pos[i]..pos[i + 1] {
                let x = &x[crd[p] as usize * B..][..B];
                for (sum, row) in sums.iter_mut().zip(vals[p * B * B..][..B * B].chunks_exact(B)) {
                    for (v, x) in row.iter().zip(x) {
                        *sum += v * x;
                    }
                }
            }
            y.copy_from_slice(&sums);
        }
    });
}

/// Merges two rows; `entry` takes a coordinate and a value.
#[inline(always)]
fn merge(a: &Csr, b: &Csr, i: usize, mut entry: impl FnMut(u32, f64)) {
    let ((mut p, a_end), (mut q, b_end)) = ((a.pos[i], a.pos[i + 1]), (b.pos[i], b.pos[i + 1]));
    while p < a_end && q < b_end {
        let (j, k) = (a.crd[p], b.crd[q]);
        match j.cmp(&k) {
            std::cmp::Ordering::Equal => {
                entry(j, a.vals[p] + b.vals[q]);
                (p, q) = (p + 1, q + 1);
            }
            std::cmp::Ordering::Less => {
                entry(j, a.vals[p]);
                p += 1;
            }
            std::cmp::Ordering::Greater => {
                entry(k, b.vals[q]);
                q += 1;
            }
        }
    }
    a.crd[p..a_end].iter().zip(&a.vals[p..a_end]).for_each(|(&j, &v)| entry(j, v));
    b.crd[q..b_end].iter().zip(&b.vals[q..b_end]).for_each(|(&j, &v)| entry(j, v));
}

/// The sum of two matrices: the entries of each row are counted first, then filled in.
pub fn add(a: &Csr, b: &Csr) -> Csr {
    let mut pos = vec![0; a.rows + 1];
    by_rows(&a.pos, &mut pos[1..], 1, |rows, counts| {
        for (count, i) in counts.iter_mut().zip(rows) {
            merge(a, b, i, |_, _| *count += 1);
        }
    });
    let mut sum = 0;
    for p in &mut pos {
        sum += *p;
        *p = sum;
    }
    let (mut crd, mut vals) = (vec![0; sum], vec![0.0; sum]);
    let mut tasks = Vec::new();
    let (mut crd_rest, mut vals_rest) = (&mut crd[..], &mut vals[..]);
    for rows in stretches(&a.pos) {
        let n = pos[rows.end] - pos[rows.start];
        let (crd_own, crd_others) = crd_rest.split_at_mut(n);
        let (vals_own, vals_others) = vals_rest.split_at_mut(n);
        (crd_rest, vals_rest) = (crd_others, vals_others);
        tasks.push((rows, crd_own, vals_own));
    }
    tasks.into_par_iter().with_max_len(1).for_each(|(rows, crd, vals)| {
        let mut at = 0;
        for i in rows {
            merge(a, b, i, |j, v| {
                crd[at] = j;
                vals[at] = v;
                at += 1;
            });
        }
    });
    Csr { rows: a.rows, cols: a.cols, pos, crd, vals }
}

/// The product of two matrices, each row gathered in an array of all columns.
pub fn spgemm(a: &Csr, b: &Csr) -> Csr {
    let parts: Vec<Csr> = stretches(&a.pos).into_par_iter().with_max_len(1).map(|rows| gathered(a, b, rows)).collect();
    let mut all = parts.into_iter();
    let mut c = all.next().unwrap_or_else(|| gathered(a, b, 0..0));
    c.rows = a.rows;
    for part in all {
        let first = c.crd.len();
        c.pos.extend(part.pos[1..].iter().map(|end| first + end));
        c.crd.extend(part.crd);
        c.vals.extend(part.vals);
    }
    c
}

/// Some rows of a product.
fn gathered(a: &Csr, b: &Csr, rows: Range<usize>) -> Csr {
    let mut c = Csr { rows: rows.len(), cols: b.cols, pos: vec![0], ..Csr::default() };
    let (mut sums, mut row_of, mut own) = (vec![0.0; b.cols], vec![usize::MAX; b.cols], Vec::new());
    for i in rows {
        for p in a.pos[i]..a.pos[i + 1] {
            let (k, v) = (a.crd[p] as usize, a.vals[p]);
            for q in b.pos[k]..b.pos[k + 1] {
                let j = b.crd[q] as usize;
                if row_of[j] != i {
                    row_of[j] = i;
                    sums[j] = 0.0;
                    own.push(j as u32);
                }
                sums[j] += v * b.vals[q];
            }
        }
        own.sort_unstable();
        c.vals.extend(own.iter().map(|&j| sums[j as usize]));
        c.crd.append(&mut own);
        c.pos.push(c.crd.len());
    }
    c
}

pub fn spmm(y: &mut [f64], a: &Csr, x: &[f64], width: usize) {
    by_rows(&a.pos, y, width, |rows, y| {
        for (y, i) in y.chunks_exact_mut(width).zip(rows) {
            y.fill(0.0);
            for p in a.pos[i]..a.pos[i + 1] {
                let v = a.vals[p];
                for (y, x) in y.iter_mut().zip(&x[a.crd[p] as usize * width..][..width]) {
                    *y += v * x;
                }
            }
        }
    });
}

/// A matrix in coordinates times a dense one, entry after entry.
pub fn spmm_coo(y: &mut [f64], rows: &[u32], cols: &[u32], vals: &[f64], x: &[f64], width: usize) {
    y.fill(0.0);
    for ((&i, &j), &v) in rows.iter().zip(cols).zip(vals) {
        let (y, x) = (&mut y[i as usize * width..][..width], &x[j as usize * width..][..width]);
        y.iter_mut().zip(x).for_each(|(y, x)| *y += v * x);
    }
}

/// Coordinates, in order and each once, and their values.
pub type Entries = (Vec<u32>, Vec<u32>, Vec<f64>);

/// The sum of two matrices in coordinates.
pub fn add_coo((a_rows, a_cols, a): &Entries, (b_rows, b_cols, b): &Entries) -> Entries {
    let (mut p, mut q, mut c) = (0, 0, Entries::default());
    let mut push = |i, j, value| {
        c.0.push(i);
        c.1.push(j);
        c.2.push(value);
    };
    while p < a.len() && q < b.len() {
        let (left, right) = ((a_rows[p], a_cols[p]), (b_rows[q], b_cols[q]));
        let (takes_left, takes_right) = (left <= right, right <= left);
        let value = if takes_left { a[p] } else { 0.0 } + if takes_right { b[q] } else { 0.0 };
        let (i, j) = left.min(right);
        push(i, j, value);
        (p, q) = (p + usize::from(takes_left), q + usize::from(takes_right));
    }
    (p..a.len()).for_each(|p| push(a_rows[p], a_cols[p], a[p]));
    (q..b.len()).for_each(|q| push(b_rows[q], b_cols[q], b[q]));
    c
}

/// The values of the result; its coordinates are those of `b`, copied.
pub fn sddmm(b: &Csr, x: &[f64], z: &[f64], width: usize) -> Csr {
    let (mut crd, mut vals) = (vec![0; b.crd.len()], vec![0.0; b.crd.len()]);
    let mut tasks = Vec::new();
    let (mut crd_rest, mut vals_rest) = (&mut crd[..], &mut vals[..]);
    for rows in stretches(&b.pos) {
        let n = b.pos[rows.end] - b.pos[rows.start];
        let (crd_own, crd_others) = crd_rest.split_at_mut(n);
        let (vals_own, vals_others) = vals_rest.split_at_mut(n);
        (crd_rest, vals_rest) = (crd_others, vals_others);
        tasks.push((rows, crd_own, vals_own));
    }
    tasks.into_par_iter().with_max_len(1).for_each(|(rows, crd, vals)| {
        let first = b.pos[rows.start];
        for i in rows {
            let x = &x[i * width..][..width];
            for p in b.pos[i]..b.pos[i + 1] {
                let z = &z[b.crd[p] as usize * width..][..width];
                crd[p - first] = b.crd[p];
                vals[p - first] = x.iter().zip(z).fold(0.0, |sum, (x, z)| sum + b.vals[p] * x * z);
            }
        }
    });
    Csr { rows: b.rows, cols: b.cols, pos: b.pos.clone(), crd, vals }
}

/// Compressed rows of compressed columns: `pos` and `crd` of both levels, and values.
pub type Dcsr = (Vec<usize>, Vec<u32>, Vec<usize>, Vec<u32>, Vec<f64>);

pub fn ttv(a: &Csf, x: &[f64]) -> Dcsr {
    let vals = a.pos[2]
        .windows(2)
        .map(|fiber| {
            let fiber = fiber[0]..fiber[1];
            a.crd[2][fiber.clone()].iter().zip(&a.vals[fiber]).fold(0.0, |sum, (&k, &v)| sum + v * x[k as usize])
        })
        .collect();
    (a.pos[0].clone(), a.crd[0].clone(), a.pos[1].clone(), a.crd[1].clone(), vals)
}

/// The same levels above rows of `width` values.
pub fn ttm(a: &Csf, x: &[f64], width: usize) -> Dcsr {
    let mut vals = vec![0.0; a.crd[1].len() * width];
    for (y, fiber) in vals.chunks_exact_mut(width).zip(a.pos[2].windows(2)) {
        for q in fiber[0]..fiber[1] {
            let v = a.vals[q];
            for (y, x) in y.iter_mut().zip(&x[a.crd[2][q] as usize * width..][..width]) {
                *y += v * x;
            }
        }
    }
    (a.pos[0].clone(), a.crd[0].clone(), a.pos[1].clone(), a.crd[1].clone(), vals)
}

pub fn mttkrp_csf(m: &mut [f64], a: &Csf, c: &[f64], d: &[f64], width: usize) {
    m.fill(0.0);
    for (p, &i) in a.crd[0].iter().enumerate() {
        let m = &mut m[i as usize * width..][..width];
        for q in a.pos[1][p]..a.pos[1][p + 1] {
            let c = &c[a.crd[1][q] as usize * width..][..width];
            for r in a.pos[2][q]..a.pos[2][q + 1] {
                let v = a.vals[r];
                let d = &d[a.crd[2][r] as usize * width..][..width];
                for ((m, c), d) in m.iter_mut().zip(c).zip(d) {
                    *m += v * c * d;
                }
            }
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the arrays of one format")]
pub fn mttkrp_coo(m: &mut [f64], crd: [&[u32]; 3], vals: &[f64], c: &[f64], d: &[f64], width: usize) {
    m.fill(0.0);
    for (p, &v) in vals.iter().enumerate() {
        let m = &mut m[crd[0][p] as usize * width..][..width];
        let c = &c[crd[1][p] as usize * width..][..width];
        let d = &d[crd[2][p] as usize * width..][..width];
        for ((m, c), d) in m.iter_mut().zip(c).zip(d) {
            *m += v * c * d;
        }
    }
}

/// The sum of two tensors: the levels of each, compared coordinate by coordinate.
pub fn plus(a: &Csf, b: &Csf) -> Csf {
    let (mut all, mut other) = (a.entries().into_iter().peekable(), b.entries().into_iter().peekable());
    let mut sum: Vec<([u32; 3], f64)> = Vec::with_capacity(a.vals.len() + b.vals.len());
    while let Some(at) = all.peek().into_iter().chain(other.peek()).map(|entry| entry.0).min() {
        let left = all.next_if(|entry| entry.0 == at).map_or(0.0, |entry| entry.1);
        let right = other.next_if(|entry| entry.0 == at).map_or(0.0, |entry| entry.1);
        sum.push((at, left + right));
    }
    Csf::of_entries(a.shape, &sum)
}

/// The sum of the products of what both hold.
pub fn inner(a: &Csf, b: &Csf) -> f64 {
    let mut sum = 0.0;
    let both = |a: &[u32], b: &[u32], mut found: Box<dyn FnMut(usize, usize) + '_>| {
        let (mut p, mut q) = (0, 0);
        while p < a.len() && q < b.len() {
            match a[p].cmp(&b[q]) {
                std::cmp::Ordering::Less => p += 1,
                std::cmp::Ordering::Greater => q += 1,
                std::cmp::Ordering::Equal => {
                    found(p, q);
                    p += 1;
                    q += 1;
                }
            }
        }
    };
    both(
        &a.crd[0],
        &b.crd[0],
        Box::new(|p, q| {
            let (ap, bp) = (a.pos[1][p], b.pos[1][q]);
            both(
                &a.crd[1][ap..a.pos[1][p + 1]],
                &b.crd[1][bp..b.pos[1][q + 1]],
                Box::new(|p, q| {
                    let (mut p, mut q) =
                        (a.pos[2][ap + p]..a.pos[2][ap + p + 1], b.pos[2][bp + q]..b.pos[2][bp + q + 1]);
                    while !p.is_empty() && !q.is_empty() {
                        let (left, right) = (a.crd[2][p.start], b.crd[2][q.start]);
                        if left == right {
                            sum += a.vals[p.start] * b.vals[q.start];
                        }
                        p.start += usize::from(left <= right);
                        q.start += usize::from(right <= left);
                    }
                }),
            );
        }),
    );
    sum
}
