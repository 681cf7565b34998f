//! Vertices that arcs call by their places in a list of ids. Each worker has a stretch of the list.
//!
//! ```text
//!   worker 0: 17 20 23     worker 1: 40 41         an arc 1 ─► 3 is one from 20 to 40: worker 1 is asked for place 3
//! ```

use crate::exchange::Lost;
use crate::wire::Wire;

/// A worker's stretch of a list of ids.
#[derive(Clone, Debug)]
pub struct Places {
    /// The place of the first id of each worker, and how many ids there are.
    firsts: Vec<u64>,
    own: Vec<u64>,
}

impl Places {
    /// The list of which every worker has the next ids. A superstep.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    pub fn of(wire: &mut Wire<'_>, own: Vec<u64>) -> Result<Self, Lost> {
        let mut firsts = vec![0];
        wire.all(own.len() as u64)?.iter().for_each(|count| firsts.push(firsts[firsts.len() - 1] + count));
        Ok(Places { firsts, own })
    }

    /// How many ids there are.
    pub fn len(&self) -> u64 {
        self.firsts.last().copied().unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces places by ids, of each worker its own; what is no place stays. O(p log p) for p places, and two supersteps.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    pub fn call(&self, wire: &mut Wire<'_>, places: Vec<&mut u64>) -> Result<(), Lost> {
        let mut asked: Vec<u64> = places.iter().map(|place| **place).filter(|&place| place < self.len()).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut to: Vec<Vec<u64>> = vec![Vec::new(); wire.workers()];
        let mut owner = 0;
        for &place in &asked {
            while place >= self.firsts[owner + 1] {
                owner += 1;
            }
            to[owner].push(place - self.firsts[owner]);
        }
        let id = |place: u64| self.own[place as usize];
        let answers = wire.swap_numbers(to)?.into_iter().map(|asked| asked.into_iter().map(id).collect()).collect();
        // Stretches ascend with the workers, as places do.
        let ids: Vec<u64> = wire.swap_numbers::<u64>(answers)?.concat();
        for place in places {
            if let Ok(at) = asked.binary_search(place) {
                *place = ids[at];
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_loop_back;

    #[test]
    fn places_are_replaced_by_ids() {
        for workers in 1..=4 {
            on_loop_back(workers, |end| {
                let mut wire = Wire::new(end);
                let me = wire.worker();
                // The second worker has no ids.
                let lengths = [5u64, 0, 7, 2];
                let first: u64 = lengths[..me].iter().sum();
                let own = (first..first + lengths[me]).map(|place| 10 * place + 3).collect();
                let places = Places::of(&mut wire, own).unwrap();
                let all: u64 = lengths[..workers].iter().sum();
                assert_eq!(places.len(), all);
                let mut asked: Vec<u64> = (0..all).rev().chain([0, all, 1]).skip(me).collect();
                let expected: Vec<u64> =
                    asked.iter().map(|&place| if place < all { 10 * place + 3 } else { place }).collect();
                places.call(&mut wire, asked.iter_mut().collect()).unwrap();
                assert_eq!(asked, expected);
            });
        }
    }
}
