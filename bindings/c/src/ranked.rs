//! The vertices of a snapshot with their ids, and the order of the ids.

use pleach::graph::Ids;
use rayon::prelude::*;

/// Vertices in the order of their numbers, which is that of all results.
pub(crate) struct Vertices {
    pub(crate) numbers: Vec<u32>,
    /// The id of each.
    pub(crate) ids: Vec<u64>,
}

impl Vertices {
    pub(crate) fn new(numbers: impl Iterator<Item = u32>, ids: &Ids<u64>) -> Self {
        let numbers: Vec<u32> = numbers.collect();
        let id = |&vertex: &u32| ids.key(vertex).expect("a vertex of the graph was given a number by its id");
        let ids = numbers.par_iter().map(id).collect();
        Vertices { numbers, ids }
    }

    /// The ids, ascending, and the place of each vertex's id among them, by the vertex's number; 0 for a number below `bound` that is not a
    /// vertex.
    pub(crate) fn ranks(&self, bound: usize) -> (Vec<u64>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.ids.len() as u32).collect();
        order.par_sort_unstable_by_key(|&at| self.ids[at as usize]);
        let mut ranks = vec![0; bound];
        for (rank, &at) in order.iter().enumerate() {
            ranks[self.numbers[at as usize] as usize] = rank as u32;
        }
        (order.iter().map(|&at| self.ids[at as usize]).collect(), ranks)
    }
}
