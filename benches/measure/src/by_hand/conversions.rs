//! Conversions as one writes them by hand: what generated ones are held against.

use pleach::convert::{self, Format};
use pleach::runtime::tensor::{
    Arranged, Compressed, Dense, Offset, Range, Remapped, Singleton, Sliced, Squeezed, Tensor,
};

/// Blocks of 4 × 4.
pub type Bcsr = Tensor<
    2,
    (Remapped<Dense>, Remapped<Compressed<Vec<usize>, Vec<u32>>>, Remapped<Dense>, Remapped<Dense>),
    Vec<f64>,
>;
/// Rows, or columns, of which each is a stretch of positions.
pub type Lines = Tensor<2, (Dense, Compressed<Vec<usize>, Vec<u32>>), Vec<f64>>;
/// Entries in order.
pub type Coo = Tensor<2, (Compressed<Vec<usize>, Vec<u32>>, Singleton<Vec<u32>>), Vec<f64>>;
/// Columns.
pub type Csc = <convert::Csc as Format>::Tensor;
/// Diagonals.
pub type Dia = <convert::Dia as Format>::Tensor;
/// As many slots a row as the longest one needs.
pub type Ell = <convert::Ell as Format>::Tensor;

fn lines(shape: [usize; 2], pos: Vec<usize>, crd: Vec<u32>, vals: Vec<f64>) -> Lines {
    Tensor { shape, levels: (Dense, Compressed { pos, crd }), vals }
}

fn ends(counts: &mut [usize]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

fn shift_back(pos: &mut [usize]) {
    pos.copy_within(..pos.len() - 1, 1);
    pos[0] = 0;
}

/// The list is in order: a row ends behind its last entry, and columns and values stay as they are.
pub fn coo_to_csr(a: &Coo) -> Lines {
    let (rows, cols) = (&a.levels.0.crd, &a.levels.1.crd);
    let mut pos = vec![0; a.shape[0] + 1];
    for (p, &i) in rows.iter().enumerate() {
        pos[i as usize + 1] = p + 1;
    }
    let mut end = 0;
    for pos in &mut pos {
        end = end.max(*pos);
        *pos = end;
    }
    lines(a.shape, pos, cols.clone(), a.vals.clone())
}

/// Each row is written as often as it has entries.
pub fn csr_to_coo(a: &Lines) -> Coo {
    let Compressed { pos, crd } = &a.levels.1;
    let mut rows = Vec::with_capacity(crd.len());
    for (i, row) in pos.windows(2).enumerate() {
        rows.resize(row[1], i as u32);
    }
    let levels = (Compressed { pos: vec![0, crd.len()], crd: rows }, Singleton { crd: crd.clone() });
    Tensor { shape: a.shape, levels, vals: a.vals.clone() }
}

/// Gustavson's half of a permutation.
pub fn csr_to_csc(a: &Lines) -> Csc {
    let Compressed { pos: a_pos, crd: a_crd } = &a.levels.1;
    let mut pos = vec![0; a.shape[1] + 1];
    for &j in a_crd {
        pos[j as usize + 1] += 1;
    }
    ends(&mut pos);
    let (mut crd, mut vals) = (vec![0; a_crd.len()], vec![0.0; a_crd.len()]);
    for (i, row) in a_pos.windows(2).enumerate() {
        for (&j, &value) in a_crd[row[0]..row[1]].iter().zip(&a.vals[row[0]..row[1]]) {
            let at = pos[j as usize];
            pos[j as usize] += 1;
            crd[at] = i as u32;
            vals[at] = value;
        }
    }
    shift_back(&mut pos);
    Arranged::new(lines(a.shape, pos, crd, vals))
}

/// What remains to be done once it is known which diagonals there are.
fn diagonals(shape: [usize; 2], mut rank: Vec<usize>, each: impl FnOnce(&[usize], &mut [f64])) -> Dia {
    let mut crd = Vec::new();
    for (k, rank) in rank.iter_mut().enumerate() {
        if *rank != 0 {
            *rank = crd.len();
            crd.push(k as u32);
        }
    }
    let mut vals = vec![0.0; crd.len() * shape[0]];
    each(&rank, &mut vals);
    let extent = rank.len();
    Arranged::new(Tensor { shape, levels: (Remapped { extent, level: Squeezed { crd } }, Range, Offset), vals })
}

/// Marks diagonals, numbers them, and puts each entry at its row of its diagonal.
pub fn csr_to_dia(a: &Lines) -> Dia {
    let Compressed { pos, crd } = &a.levels.1;
    let [rows, cols] = a.shape;
    let mut rank = vec![0; rows + cols - 1];
    for (i, row) in pos.windows(2).enumerate() {
        for &j in &crd[row[0]..row[1]] {
            rank[j as usize + rows - 1 - i] = 1;
        }
    }
    diagonals(a.shape, rank, |rank, vals| {
        for (i, row) in pos.windows(2).enumerate() {
            for (&j, &value) in crd[row[0]..row[1]].iter().zip(&a.vals[row[0]..row[1]]) {
                vals[rank[j as usize + rows - 1 - i] * rows + i] = value;
            }
        }
    })
}

/// The same from columns.
pub fn csc_to_dia(a: &Lines) -> Dia {
    let Compressed { pos, crd } = &a.levels.1;
    let [rows, cols] = a.shape;
    let mut rank = vec![0; rows + cols - 1];
    for (j, column) in pos.windows(2).enumerate() {
        for &i in &crd[column[0]..column[1]] {
            rank[j + rows - 1 - i as usize] = 1;
        }
    }
    diagonals(a.shape, rank, |rank, vals| {
        for (j, column) in pos.windows(2).enumerate() {
            for (&i, &value) in crd[column[0]..column[1]].iter().zip(&a.vals[column[0]..column[1]]) {
                vals[rank[j + rows - 1 - i as usize] * rows + i as usize] = value;
            }
        }
    })
}

/// The same from a list.
pub fn coo_to_dia(a: &Coo) -> Dia {
    let (is, js) = (&a.levels.0.crd, &a.levels.1.crd);
    let [rows, cols] = a.shape;
    let mut rank = vec![0; rows + cols - 1];
    for (&i, &j) in is.iter().zip(js) {
        rank[j as usize + rows - 1 - i as usize] = 1;
    }
    diagonals(a.shape, rank, |rank, vals| {
        for ((&i, &j), &value) in is.iter().zip(js).zip(&a.vals) {
            vals[rank[j as usize + rows - 1 - i as usize] * rows + i as usize] = value;
        }
    })
}

/// The longest row from the ends of rows, then slot by slot.
pub fn csr_to_ell(a: &Lines) -> Ell {
    let Compressed { pos, crd } = &a.levels.1;
    let rows = a.shape[0];
    let slices = pos.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
    let (mut to, mut vals) = (vec![u32::MAX; slices * rows], vec![0.0; slices * rows]);
    for (i, row) in pos.windows(2).enumerate() {
        let mut at = i;
        for (&j, &value) in crd[row[0]..row[1]].iter().zip(&a.vals[row[0]..row[1]]) {
            to[at] = j;
            vals[at] = value;
            at += rows;
        }
    }
    Arranged::new(Tensor { shape: a.shape, levels: (Sliced { slices }, Dense, Singleton { crd: to }), vals })
}

/// Counts rows, then slot by slot with a count for each row.
pub fn csc_to_ell(a: &Lines) -> Ell {
    let Compressed { pos, crd } = &a.levels.1;
    let rows = a.shape[0];
    let mut counts = vec![0usize; rows];
    for &i in crd {
        counts[i as usize] += 1;
    }
    let slices = counts.iter().copied().max().unwrap_or(0);
    counts.fill(0);
    let (mut to, mut vals) = (vec![u32::MAX; slices * rows], vec![0.0; slices * rows]);
    for (j, column) in pos.windows(2).enumerate() {
        for (&i, &value) in crd[column[0]..column[1]].iter().zip(&a.vals[column[0]..column[1]]) {
            let i = i as usize;
            let at = counts[i] * rows + i;
            counts[i] += 1;
            to[at] = j as u32;
            vals[at] = value;
        }
    }
    Arranged::new(Tensor { shape: a.shape, levels: (Sliced { slices }, Dense, Singleton { crd: to }), vals })
}

/// Block rows: the blocks of each are found by marks, sorted, and filled.
pub fn csr_to_bcsr(a: &Lines) -> Bcsr {
    let Compressed { pos, crd } = &a.levels.1;
    let (rows, cols) = (a.shape[0].div_ceil(4), a.shape[1].div_ceil(4));
    let (mut ends, mut blocks, mut seen) = (vec![0], Vec::new(), vec![0; cols]);
    let own = |row: usize| pos[row * 4]..pos[a.shape[0].min(row * 4 + 4)];
    for row in 0..rows {
        let first = blocks.len();
        for &j in &crd[own(row)] {
            if seen[j as usize / 4] != row + 1 {
                seen[j as usize / 4] = row + 1;
                blocks.push(j / 4);
            }
        }
        blocks[first..].sort_unstable();
        ends.push(blocks.len());
    }
    let mut vals = vec![0.0; blocks.len() * 16];
    let mut place = vec![0; cols];
    for row in 0..rows {
        for (at, &block) in (ends[row]..).zip(&blocks[ends[row]..ends[row + 1]]) {
            place[block as usize] = at * 16;
        }
        for i in row * 4..a.shape[0].min(row * 4 + 4) {
            for (&j, &value) in crd[pos[i]..pos[i + 1]].iter().zip(&a.vals[pos[i]..pos[i + 1]]) {
                vals[place[j as usize / 4] + i % 4 * 4 + j as usize % 4] = value;
            }
        }
    }
    let level = Compressed { pos: ends, crd: blocks };
    let (outer, inner) = (|extent| Remapped { extent, level: Dense }, Remapped { extent: 4, level: Dense });
    Tensor {
        shape: a.shape,
        levels: (outer(rows), Remapped { extent: cols, level }, inner, Remapped { extent: 4, level: Dense }),
        vals,
    }
}
