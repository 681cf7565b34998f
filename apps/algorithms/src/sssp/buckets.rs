//! The vertices that wait to be relaxed, by bucket.
//!
//! ```text
//!   first ─► [ first ][ first + 1 ] … [ first + NEAR - 1 ]    an array for each bucket, in a ring
//!   far   ─► (bucket, vertex) …                               a heap of later ones, which come into the ring as it moves on
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of buckets, from the one that is being relaxed, for which there is an array each.
const NEAR: usize = 256;

/// The vertices whose distance one task has lowered, by their new bucket. A vertex may be there several times, once for each bucket that it fell into.
pub(super) struct Buckets {
    /// The bucket that is being relaxed; no vertex is in one before it.
    first: u64,
    /// Vertices in bucket `k` of the first ones at `k % NEAR`.
    near: Box<[Vec<u32>; NEAR]>,
    /// Vertices in the arrays.
    waiting: usize,
    /// Vertices in later buckets.
    far: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Buckets {
    /// No vertices.
    pub(super) fn new() -> Self {
        let near = Box::new([const { Vec::new() }; NEAR]);
        Buckets { first: 0, near, waiting: 0, far: BinaryHeap::new() }
    }

    /// The bucket that is being relaxed.
    #[inline(always)]
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Adds a vertex to a bucket that is not before the first.
    #[inline(always)]
    pub(super) fn push(&mut self, bucket: u64, vertex: u32) {
        if bucket.wrapping_sub(self.first) < NEAR as u64 {
            self.near[bucket as usize % NEAR].push(vertex);
            self.waiting += 1;
        } else {
            self.far.push(Reverse((bucket, vertex)));
        }
    }

    /// The lowest bucket with vertices.
    pub(super) fn lowest(&self) -> Option<u64> {
        let far = self.far.peek().map(|&Reverse((bucket, _))| bucket);
        if self.waiting == 0 {
            return far;
        }
        let near =
            (0..NEAR as u64).map(|k| self.first.wrapping_add(k)).find(|&k| !self.near[k as usize % NEAR].is_empty());
        near.into_iter().chain(far).min()
    }

    /// Goes on to a bucket that no vertex is before.
    pub(super) fn go_to(&mut self, bucket: u64) {
        self.first = bucket;
        while let Some(&Reverse((next, vertex))) = self.far.peek()
            && next - bucket < NEAR as u64
        {
            self.far.pop();
            self.push(next, vertex);
        }
    }

    /// Moves the vertices of the first bucket behind others.
    pub(super) fn take_first(&mut self, vertices: &mut Vec<u32>) {
        let first = &mut self.near[self.first as usize % NEAR];
        self.waiting -= first.len();
        match vertices.is_empty() {
            true => std::mem::swap(vertices, first),
            false => vertices.append(first),
        }
    }

    /// Number of vertices in the first bucket.
    pub(super) fn in_first(&self) -> usize {
        self.near[self.first as usize % NEAR].len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices come out by ascending bucket, those that lie far ahead and those of the last bucket included.
    #[test]
    fn buckets_are_taken_in_order() {
        let mut buckets = Buckets::new();
        let all: Vec<u64> = (0..2000).map(|k: u64| k * k * 7919 % 5000).chain([u64::MAX, u64::MAX - 300]).collect();
        let (first, later) = all.split_at(1000);
        (0..).zip(first).for_each(|(vertex, &bucket)| buckets.push(bucket, vertex));
        let (mut taken, mut last) = (Vec::new(), 0);
        while let Some(bucket) = buckets.lowest() {
            assert!(bucket >= last);
            last = bucket;
            buckets.go_to(bucket);
            assert_eq!(buckets.first(), bucket);
            let (mut some, count) = (Vec::new(), buckets.in_first());
            buckets.take_first(&mut some);
            assert!(count > 0 && some.len() == count && some.iter().all(|&vertex| all[vertex as usize] == bucket));
            if taken.is_empty() {
                // What comes later goes behind the bucket that is being relaxed.
                (1000..)
                    .zip(later)
                    .filter(|later| *later.1 >= bucket)
                    .for_each(|(vertex, &bucket)| buckets.push(bucket, vertex));
            }
            taken.extend(some);
        }
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..all.len() as u32));
    }
}
