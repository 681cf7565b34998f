//! The vertices that a worker meets, numbered as they come.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::owner::Ownership;

/// Marks ids of this worker that have no number.
const NONE: u32 = u32::MAX;

/// Ids of this worker that are looked up in an array, at least. Beyond, as many as eight for each that was met.
const NEAR: u64 = 1 << 20;

/// Local numbers of ids.
///
/// Ids of this worker without large gaps are found in an array, all others in a table.
pub(crate) struct Met {
    ownership: Ownership,
    me: usize,
    ids: Vec<u64>,
    /// Numbers by the place of an id among those of this worker.
    near: Vec<u32>,
    far: HashMap<u64, u32, foldhash::fast::FixedState>,
    num_own: usize,
}

impl Met {
    pub(crate) fn new(ownership: Ownership, me: usize) -> Self {
        Met { ownership, me, ids: Vec::new(), near: Vec::new(), far: HashMap::default(), num_own: 0 }
    }

    /// The number of an id, which is added if it is new.
    #[inline]
    pub(crate) fn number(&mut self, id: u64) -> Result<u32, String> {
        match self.get(id) {
            Some(number) => Ok(number),
            None => self.add(id),
        }
    }

    /// The number of an id, if it was met.
    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        if self.ownership.owner(id) == self.me
            && let Some(&number) = self.near.get(usize::try_from(self.ownership.place(id)).unwrap_or(usize::MAX))
            && number != NONE
        {
            return Some(number);
        }
        self.far.get(&id).copied()
    }

    fn add(&mut self, id: u64) -> Result<u32, String> {
        let number = self.ids.len() as u32;
        if number == NONE {
            let limit = "one worker can hold 2^32 - 1 vertices and ghosts: use more workers";
            return Err(format!("more than {number} vertices and ghosts; {limit}"));
        }
        self.ids.push(id);
        self.num_own += usize::from(self.ownership.owner(id) == self.me);
        self.keep(id, number);
        Ok(number)
    }

    fn keep(&mut self, id: u64, number: u32) {
        let place = self.ownership.place(id);
        if self.ownership.owner(id) != self.me || place >= NEAR + 8 * self.num_own as u64 {
            self.far.insert(id, number);
            return;
        }
        let place = place as usize;
        if place >= self.near.len() {
            // Grows by doubling, so that ascending ids cost a constant each.
            self.near.resize((place + 1).next_power_of_two().min(NEAR as usize + 8 * self.num_own), NONE);
        }
        self.near[place] = number;
    }

    /// The first id of this worker, in the order in which they came, of which something holds.
    pub(crate) fn first_own(&self, holds: impl Fn(u32) -> bool) -> Option<u64> {
        let all = self.ids.iter().zip(0..);
        all.filter(|&(&id, _)| self.ownership.owner(id) == self.me)
            .find(|&(_, number)| holds(number))
            .map(|(&id, _)| id)
    }

    /// Numbers all anew: first those of this worker. `counts` says how many arcs lead to each. Those of many arcs come first, so that the entries
    /// of an array that are read most lie together: they are put in groups by powers of two of the mean count, and those of one group keep the
    /// order of owners and ids, in which neighbours of many graphs are near each other (Faldu, Diamond & Grot, *A Closer Look at Lightweight
    /// Graph Reordering*, 2019, section 5). Returns the new number of each old one.
    pub(crate) fn sort(&mut self, counts: &[u32]) -> Vec<u32> {
        let (ownership, me) = (self.ownership, self.me);
        let behind = |id: u64| (ownership.owner(id) + ownership.workers() - me) % ownership.workers();
        let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let mean = (sum / counts.len().max(1) as u64).max(1);
        let group = |number: u32| match u64::from(counts.get(number as usize).copied().unwrap_or(0)) {
            0 => 0,
            count => 1 + (count / mean).checked_ilog2().map_or(0, |log| log + 1),
        };
        let mut order: Vec<u32> = (0..self.ids.len() as u32).collect();
        order.sort_unstable_by_key(|&number| {
            let id = self.ids[number as usize];
            let owner = behind(id);
            (owner > 0, Reverse(group(number)), owner, id)
        });
        let mut renamed = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&old, new)| renamed[old as usize] = new);
        self.ids = order.iter().map(|&old| self.ids[old as usize]).collect();
        let new = |number: &mut u32| *number = renamed[*number as usize];
        self.near.iter_mut().filter(|number| **number != NONE).for_each(new);
        self.far.values_mut().for_each(new);
        renamed
    }

    /// The ids by their numbers.
    pub(crate) fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// How many of them are this worker's.
    pub(crate) fn num_own(&self) -> usize {
        self.num_own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_near_and_far_have_one_number_each() {
        let ownership = Ownership::new(3).with_range(4);
        let mut met = Met::new(ownership, 1);
        let ids: Vec<u64> =
            (0..200u64).map(|k| k * k % 97).chain([u64::MAX, 1 << 40, (1 << 40) + 4, 0, 5, NEAR * 9]).collect();
        let first: Vec<u32> = ids.iter().map(|&id| met.number(id).unwrap()).collect();
        assert!(
            ids.iter()
                .zip(&first)
                .all(|(&id, &number)| met.number(id) == Ok(number) && met.ids()[number as usize] == id)
        );
        // No arc leads to every third vertex, many lead to few.
        let counts: Vec<u32> = (0..met.ids().len() as u32).map(|k| if k % 3 == 0 { 0 } else { 1 << (k % 7) }).collect();
        let renamed = met.sort(&counts);
        assert!(ids.iter().zip(&first).all(|(&id, &number)| met.get(id) == Some(renamed[number as usize])));
        let mut count = vec![0; renamed.len()];
        renamed.iter().zip(&counts).for_each(|(&new, &old)| count[new as usize] = old);
        let own = met.num_own();
        let owner = |&id: &u64| ownership.owner(id);
        assert!(met.ids()[..own].iter().all(|id| owner(id) == 1));
        for stretch in [0..own, own..renamed.len()] {
            // The counts are powers of two: each is a group of its own, but for those up to the mean, which is 11.
            let groups = stretch.clone().map(|k| if (1..=8).contains(&count[k]) { 8 } else { count[k] });
            let order = groups.zip(&met.ids()[stretch]).map(|(group, id)| (Reverse(group), (owner(id) + 2) % 3, *id));
            assert!(order.is_sorted());
        }
        assert_eq!(met.get(98), None);
        assert_eq!(met.first_own(|_| true), Some(met.ids()[..own].iter().copied().find(|_| true).unwrap()));
    }
}
