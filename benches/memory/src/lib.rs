//! Loops that show how fast a machine's memory is. They are a crate of their own because they are optimised in every profile: otherwise each
//! test of a bench would wait seconds for them.

use std::hint::black_box;

use pleach_runtime::mix;
use rayon::prelude::*;

/// Elements that one task takes at a time.
const CHUNK: usize = 1 << 14;

/// The arrays of `a = b + c * d`, of which each is read or written once from its beginning to its end.
pub struct Triad {
    a: Vec<f64>,
    b: Vec<f64>,
    c: f64,
    d: Vec<f64>,
}

impl Triad {
    /// Arrays of `n` numbers each.
    pub fn new(n: usize) -> Self {
        Triad { a: vec![0.0; n], b: vec![1.0; n], c: black_box(3.0), d: vec![2.0; n] }
    }

    /// The bytes that one run moves.
    pub fn bytes(&self) -> usize {
        3 * size_of::<f64>() * self.a.len()
    }

    /// Computes all of `a`, with all threads of the pool.
    pub fn run(&mut self) {
        let c = self.c;
        let parts = self.a.par_chunks_mut(CHUNK).zip(self.b.par_chunks(CHUNK)).zip(self.d.par_chunks(CHUNK));
        parts.for_each(|((a, b), d)| a.iter_mut().zip(b).zip(d).for_each(|((a, b), d)| *a = b + c * d));
        black_box(&mut self.a);
    }
}

/// An array, and random places in it, whose reads do not depend on one another.
pub struct Gather {
    x: Vec<f64>,
    places: Vec<u32>,
}

impl Gather {
    /// An array of `n` numbers, which are at most 2^32, and half as many places.
    pub fn new(n: usize) -> Self {
        let place = |k: u64| ((u128::from(mix(k)) * n as u128) >> 64) as u32;
        Gather { x: vec![black_box(1.0); n], places: (0..(n / 2) as u64).map(place).collect() }
    }

    /// The number of places that one run reads.
    pub fn reads(&self) -> usize {
        self.places.len()
    }

    /// Reads all places, with all threads of the pool, and returns the sum.
    pub fn run(&self) -> f64 {
        let sum = |places: &[u32]| places.iter().map(|&at| self.x[at as usize]).sum::<f64>();
        black_box(self.places.par_chunks(CHUNK).map(sum).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::{Gather, Triad};

    #[test]
    fn every_element_is_computed_and_every_place_is_read() {
        let mut triad = Triad::new(100_000);
        triad.run();
        assert!(triad.a.iter().all(|&a| a == 7.0));
        assert_eq!(triad.bytes(), 2_400_000);

        let gather = Gather::new(100_001);
        assert_eq!((gather.reads(), gather.run()), (50_000, 50_000.0));
        assert!(gather.places.iter().all(|&place| place < 100_001));
        // They are random: about (1 - 1/e^(1/2)) of all places are read.
        let mut places = gather.places.clone();
        places.sort_unstable();
        places.dedup();
        assert!((38_000..41_000).contains(&places.len()), "{}", places.len());
    }
}
