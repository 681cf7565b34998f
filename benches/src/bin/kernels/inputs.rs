//! Matrices of the kinds that solvers and graphs bring, and the formats that kernels take them in.

use pleach::runtime::SplitMix64;
use rayon::prelude::*;

/// Compressed sparse rows, as every input starts.
#[derive(Clone, Default)]
pub struct Csr {
    pub rows: usize,
    pub cols: usize,
    pub pos: Vec<usize>,
    pub crd: Vec<u32>,
    pub vals: Vec<f64>,
}

/// Random numbers.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(SplitMix64(seed))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    /// From a half up to one and a half.
    pub fn value(&mut self) -> f64 {
        0.5 + (self.0.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn values(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.value()).collect()
    }
}

impl Csr {
    /// Sorts the columns of each row and drops those that are there twice.
    fn of_rows(cols: usize, rows: impl Iterator<Item = Vec<u32>>) -> Csr {
        let (mut pos, mut crd) = (vec![0], Vec::new());
        for mut row in rows {
            row.sort_unstable();
            row.dedup();
            crd.extend(row);
            pos.push(crd.len());
        }
        let vals = Random::new(crd.len() as u64).values(crd.len());
        Csr { rows: pos.len() - 1, cols, pos, crd, vals }
    }

    /// The stencil of a grid with these sides: a point and its neighbours along each axis.
    pub fn stencil(sides: &[usize]) -> Csr {
        let n: usize = sides.iter().product();
        let row = |i: usize| {
            let (mut row, mut stride) = (vec![i as u32], 1);
            for &side in sides {
                let at = i / stride % side;
                if at > 0 {
                    row.push((i - stride) as u32);
                }
                if at + 1 < side {
                    row.push((i + stride) as u32);
                }
                stride *= side;
            }
            row
        };
        Csr::of_rows(n, (0..n).map(row))
    }

    /// Full blocks of `b` × `b`, about nine in each row of blocks, near the diagonal.
    pub fn blocks(rows: usize, b: usize) -> Csr {
        let blocks = rows / b;
        let mut random = Random::new(5);
        let mut beside = Vec::new();
        Csr::of_rows(
            blocks * b,
            (0..blocks * b).map(move |i| {
                if i % b == 0 {
                    let near = |random: &mut Random| (i / b + random.below(400)).saturating_sub(200).min(blocks - 1);
                    beside = (0..8).map(|_| near(&mut random)).chain([i / b]).collect();
                }
                beside.iter().flat_map(|&j: &usize| (j * b..(j + 1) * b).map(|c| c as u32)).collect()
            }),
        )
    }

    /// An R-MAT graph of `2^scale` vertices and about `arcs` arcs, with the constants of Graph500.
    pub fn web(scale: u32, arcs: usize) -> Csr {
        let n = 1usize << scale;
        let mut random = Random::new(11);
        let mut all: Vec<(u32, u32)> = (0..arcs)
            .map(|_| {
                let (mut i, mut j) = (0, 0);
                for _ in 0..scale {
                    let quarter = random.below(100);
                    (i, j) = (
                        2 * i + u32::from(quarter >= 76),
                        2 * j + u32::from((57..76).contains(&quarter) || quarter >= 95),
                    );
                }
                (i, j)
            })
            .collect();
        all.par_sort_unstable();
        let mut rest = &all[..];
        Csr::of_rows(
            n,
            (0..n as u32).map(|i| {
                let (row, others) = rest.split_at(rest.partition_point(|arc| arc.0 <= i));
                rest = others;
                row.iter().map(|arc| arc.1).collect()
            }),
        )
    }

    /// The same rows, each column moved one to the right, and other values: what a matrix is added to.
    pub fn moved(&self) -> Csr {
        let cols = self.cols as u32;
        let row = |i: usize| self.crd[self.pos[i]..self.pos[i + 1]].iter().map(|&j| (j + 1) % cols).collect();
        Csr::of_rows(self.cols, (0..self.rows).map(row))
    }

    /// The row of each nonzero: with `crd` and `vals`, coordinates.
    pub fn row_crd(&self) -> Vec<u32> {
        (0..self.rows).flat_map(|i| std::iter::repeat_n(i as u32, self.pos[i + 1] - self.pos[i])).collect()
    }

    /// ELL: how many slices, their coordinates (`u32::MAX` where there is none) and values.
    pub fn ell(&self) -> (usize, Vec<u32>, Vec<f64>) {
        let slices = self.pos.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
        let (mut crd, mut vals) = (vec![u32::MAX; slices * self.rows], vec![0.0; slices * self.rows]);
        for i in 0..self.rows {
            for (k, p) in (self.pos[i]..self.pos[i + 1]).enumerate() {
                crd[k * self.rows + i] = self.crd[p];
                vals[k * self.rows + i] = self.vals[p];
            }
        }
        (slices, crd, vals)
    }

    /// DIA: the differences of column and row that occur, counted from `1 - rows`, and a value for each of them and each row.
    pub fn dia(&self) -> (Vec<u32>, Vec<f64>) {
        let rows = self.row_crd();
        let key = |p: usize| (self.crd[p] as usize + self.rows - 1 - rows[p] as usize) as u32;
        let mut crd: Vec<u32> = (0..self.crd.len()).map(key).collect();
        crd.sort_unstable();
        crd.dedup();
        let mut vals = vec![0.0; crd.len() * self.rows];
        for p in 0..self.crd.len() {
            let d = crd.binary_search(&key(p)).expect("it was collected");
            vals[d * self.rows + rows[p] as usize] = self.vals[p];
        }
        (crd, vals)
    }

    /// BCSR: compressed rows of full blocks of `b` × `b`, values block by block.
    pub fn bcsr(&self, b: usize) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let (mut pos, mut crd, mut vals) = (vec![0], Vec::new(), Vec::new());
        for i in (0..self.rows).step_by(b) {
            let mut own: Vec<u32> =
                self.crd[self.pos[i]..self.pos[(i + b).min(self.rows)]].iter().map(|j| j / b as u32).collect();
            own.sort_unstable();
            own.dedup();
            let first = vals.len();
            vals.resize(first + own.len() * b * b, 0.0);
            for r in i..(i + b).min(self.rows) {
                for p in self.pos[r]..self.pos[r + 1] {
                    let at = own.binary_search(&(self.crd[p] / b as u32)).expect("it was collected");
                    vals[first + (at * b + r - i) * b + self.crd[p] as usize % b] = self.vals[p];
                }
            }
            crd.extend(own);
            pos.push(crd.len());
        }
        (pos, crd, vals)
    }
}

/// A tensor of the third order as compressed sparse fibers.
pub struct Csf {
    pub shape: [usize; 3],
    pub pos: [Vec<usize>; 3],
    pub crd: [Vec<u32>; 3],
    pub vals: Vec<f64>,
}

impl Csf {
    /// About `nonzeros` random ones.
    pub fn random(shape: [usize; 3], nonzeros: usize) -> Csf {
        let mut random = Random::new(3);
        let mut all: Vec<[u32; 3]> = (0..nonzeros).map(|_| shape.map(|n| random.below(n) as u32)).collect();
        all.par_sort_unstable();
        all.dedup();
        let mut csf = Csf { shape, pos: Default::default(), crd: Default::default(), vals: random.values(all.len()) };
        for (e, at) in all.iter().enumerate() {
            let same = (0..3).find(|&m| e == 0 || all[e - 1][m] != at[m]).unwrap_or(2);
            for (m, &c) in at.iter().enumerate().skip(same) {
                csf.crd[m].push(c);
                if m < 2 {
                    csf.pos[m + 1].push(csf.crd[m + 1].len());
                }
            }
        }
        csf.pos[0] = vec![0, csf.crd[0].len()];
        for m in 1..3 {
            csf.pos[m].push(csf.crd[m].len());
        }
        csf
    }

    /// The first two coordinates of each nonzero: with `crd[2]` and `vals`, coordinates.
    pub fn coordinates(&self) -> [Vec<u32>; 2] {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for p in 0..self.crd[0].len() {
            for q in self.pos[1][p]..self.pos[1][p + 1] {
                let n = self.pos[2][q + 1] - self.pos[2][q];
                first.extend(std::iter::repeat_n(self.crd[0][p], n));
                second.extend(std::iter::repeat_n(self.crd[1][q], n));
            }
        }
        [first, second]
    }
}
