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

    /// Places below `n`, each with the same probability, by the distances between them.
    pub fn places(&mut self, n: usize, probability: f64) -> Vec<u32> {
        let (mut places, mut next) = (Vec::new(), 0.0);
        loop {
            let uniform = (self.value() - 0.5).max(f64::MIN_POSITIVE);
            next += (uniform.ln() / (1.0 - probability).ln()).floor();
            if next >= n as f64 {
                return places;
            }
            places.push(next as u32);
            next += 1.0;
        }
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

    /// A square matrix of so many rows, each place of which holds a nonzero with the same probability.
    pub fn random(rows: usize, density: f64) -> Csr {
        let mut random = Random::new(17);
        Csr::of_rows(rows, (0..rows).map(move |_| random.places(rows, density)))
    }

    /// A square matrix with nine diagonals next to the main one, each place of which holds a nonzero with the same probability.
    pub fn diagonals_filled(rows: usize, density: f64) -> Csr {
        let mut random = Random::new(19);
        let row = move |i: usize| {
            let near = (i + 5).saturating_sub(9)..(i + 5).min(rows);
            near.filter(|_| random.value() - 0.5 < density).map(|j| j as u32).collect()
        };
        Csr::of_rows(rows, (0..rows).map(row))
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

    /// The most nonzeros of a row.
    pub fn longest(&self) -> usize {
        self.pos.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0)
    }

    /// The differences of column and row that occur.
    pub fn diagonals(&self) -> usize {
        let mut occurs = vec![false; self.rows + self.cols];
        let rows = self.row_crd();
        rows.iter().zip(&self.crd).for_each(|(&i, &j)| occurs[j as usize + self.rows - 1 - i as usize] = true);
        occurs.into_iter().filter(|&occurs| occurs).count()
    }

    /// The blocks of `b` × `b` that hold a nonzero.
    pub fn blocks_of(&self, b: usize) -> usize {
        let mut last = vec![usize::MAX; self.cols / b + 1];
        let mut count = 0;
        for (i, &j) in self.row_crd().iter().zip(&self.crd) {
            let (row, block) = (*i as usize / b, j as usize / b);
            if last[block] != row {
                last[block] = row;
                count += 1;
            }
        }
        count
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
        let vals = random.values(all.len());
        Csf::of_entries(shape, &all.into_iter().zip(vals).collect::<Vec<_>>())
    }

    /// Of sorted entries, each once.
    pub fn of_entries(shape: [usize; 3], entries: &[([u32; 3], f64)]) -> Csf {
        let all: Vec<[u32; 3]> = entries.iter().map(|entry| entry.0).collect();
        let vals = entries.iter().map(|entry| entry.1).collect();
        let mut csf = Csf { shape, pos: Default::default(), crd: Default::default(), vals };
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

    /// All entries in order.
    pub fn entries(&self) -> Vec<([u32; 3], f64)> {
        let [first, second] = self.coordinates();
        let coordinates = first.into_iter().zip(second).zip(&self.crd[2]).map(|((i, j), &k)| [i, j, k]);
        coordinates.zip(self.vals.iter().copied()).collect()
    }

    /// The same coordinates moved by one along the last extent, and other values: what a tensor is added to.
    pub fn moved(&self) -> Csf {
        let extent = self.shape[2] as u32;
        let mut entries: Vec<_> =
            self.entries().into_iter().map(|([i, j, k], value)| ([i, j, (k + 1) % extent], 2.0 * value)).collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        Csf::of_entries(self.shape, &entries)
    }
}

/// A matrix under a name.
pub struct Matrix {
    /// The name.
    pub name: String,
    /// Its rows.
    pub(crate) rows: Csr,
}

/// The names of the matrices that are generated.
pub const NAMES: [&str; 4] = ["eco", "atm", "fem", "web"];

impl Matrix {
    /// A generated matrix, `scale` times smaller than it is otherwise: `eco`, a 5-point stencil of a million rows; `atm`, a 7-point stencil of 1.26
    /// million; `fem`, 200,000 rows of blocks of 6 by 6; `web`, a skewed graph of 2^20 vertices and 3.2 million arcs. One that is smaller is called
    /// `eco/2`, say. `None` for other names.
    pub fn named(name: &str, scale: usize) -> Option<Self> {
        let (s, root, cube) = (scale, (scale as f64).sqrt(), (scale as f64).cbrt());
        let (side, long) = ((1000.0 / root) as usize, (108.0 / cube) as usize);
        let rows = match name {
            "eco" => Csr::stencil(&[side.max(2), side.max(2)]),
            "atm" => Csr::stencil(&[long.max(2), long.max(2), long.max(2)]),
            "fem" => Csr::blocks((200_000 / s).max(60), 6),
            "web" => Csr::web(20_u32.saturating_sub(s.ilog2()).max(4), (3_200_000 / s).max(64)),
            _ => return None,
        };
        let name = if scale == 1 { name.to_owned() } else { format!("{name}/{scale}") };
        Some(Matrix { name, rows })
    }

    /// The matrix of a graph, with drawn values where its arcs have no weights.
    ///
    /// # Errors
    ///
    /// [`BuildError`](pleach::BuildError) if the arcs cannot be sorted into rows.
    pub fn of(graph: &crate::Graph) -> Result<Self, pleach::BuildError> {
        let (rows, cols, pos, crd, vals);
        if graph.edges.is_weighted() {
            let csr = pleach::Csr::from_edges(&graph.edges.clone().into_weighted(), &graph.build())?.0;
            (rows, cols) = (csr.num_rows(), csr.num_cols());
            (pos, crd, vals) = (csr.offsets().to_vec(), csr.coords().to_vec(), csr.values().to_vec());
        } else {
            let csr = graph.rows()?;
            (rows, cols) = (csr.num_rows(), csr.num_cols());
            (pos, crd) = (csr.offsets().to_vec(), csr.coords().to_vec());
            vals = Random::new(crd.len() as u64).values(crd.len());
        }
        Ok(Matrix { name: graph.name.clone(), rows: Csr { rows, cols, pos, crd, vals } })
    }
}
