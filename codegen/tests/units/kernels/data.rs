//! Random operands, and the arguments that kernels over them take.

use pleach_codegen::ir::interpret::Value;
use pleach_runtime::SplitMix64;

/// A small generator, so that every run sees the same operands.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        let mut random = SplitMix64(self.0);
        let bits = random.bits();
        self.0 = random.0;
        bits
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A small whole number, so that sums are exact in any order.
    pub fn value(&mut self) -> f64 {
        self.below(19) as f64 - 9.0
    }

    pub fn values(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.value()).collect()
    }
}

/// A CSR matrix.
#[derive(Clone, Debug)]
pub struct CsrData {
    pub rows: usize,
    pub cols: usize,
    pub pos: Vec<usize>,
    pub crd: Vec<u32>,
    pub vals: Vec<f64>,
}

impl CsrData {
    /// Each element is stored with probability `percent`; every fourth row or so is empty, and every eighth full.
    pub fn random(rng: &mut Random, rows: usize, cols: usize, percent: usize) -> CsrData {
        let mut m = CsrData { rows, cols, pos: vec![0], crd: vec![], vals: vec![] };
        for _ in 0..rows {
            let percent = match rng.below(8) {
                0 | 1 => 0,
                2 => 100,
                _ => percent,
            };
            for j in 0..cols {
                if rng.below(100) < percent {
                    m.crd.push(j as u32);
                    m.vals.push(rng.value());
                }
            }
            m.pos.push(m.crd.len());
        }
        m
    }

    pub fn dense(&self) -> Vec<Vec<f64>> {
        let mut d = vec![vec![0.0; self.cols]; self.rows];
        for (i, row) in d.iter_mut().enumerate() {
            for p in self.pos[i]..self.pos[i + 1] {
                row[self.crd[p] as usize] += self.vals[p];
            }
        }
        d
    }

    pub fn args(&self) -> Vec<Value> {
        vec![
            Value::usize(self.rows),
            Value::usize(self.cols),
            self.pos.clone().into(),
            self.crd.clone().into(),
            self.vals.clone().into(),
        ]
    }

    /// The row coordinate of each element.
    pub fn row_crd(&self) -> Vec<u32> {
        (0..self.rows).flat_map(|i| vec![i as u32; self.pos[i + 1] - self.pos[i]]).collect()
    }
}

/// The shapes that tests go through: empty, single, without rows or columns, small and larger.
pub const SHAPES: [(usize, usize, usize); 8] =
    [(0, 0, 50), (0, 4, 50), (3, 0, 50), (1, 1, 100), (1, 40, 30), (40, 1, 30), (17, 23, 20), (60, 60, 8)];
