//! The entries of a tensor, and how many there are of what the size of a level depends on.

use std::collections::{HashMap, HashSet};

use super::order::single_out;
use crate::format::{Coordinate, Counters, Format};

/// The entries of a tensor. Numbers that the size of a level depends on are counted on request, from the outermost level inwards.
pub(super) struct Entries<'a> {
    format: &'a Format,
    shape: &'a [usize],
    /// The smallest and the largest coordinate of each level, where they follow from the extents.
    pub(super) bounds: Vec<Option<(i64, i64)>>,
    count: usize,
    at: &'a dyn Fn(usize, usize) -> usize,
    /// Whether entries strictly ascend, so that no two are equal; `None` until this is checked.
    ascend: Option<bool>,
    /// For each entry the number of its path: its coordinates at the levels above level `depth`.
    paths: Vec<u32>,
    /// The number of different paths.
    known: usize,
    depth: usize,
}

impl<'a> Entries<'a> {
    /// `count` entries of a tensor; coordinate `m` of entry `e` is `at(m, e)`.
    pub(super) fn new(
        format: &'a Format,
        shape: &'a [usize],
        bounds: Vec<Option<(i64, i64)>>,
        count: usize,
        at: &'a dyn Fn(usize, usize) -> usize,
    ) -> Entries<'a> {
        Entries { format, shape, bounds, count, at, ascend: None, paths: vec![0; count], known: 1, depth: 0 }
    }

    /// The coordinate of level `k` for each entry, counted from the smallest one.
    pub(super) fn column(&self, k: usize) -> Vec<u32> {
        let coordinate = &self.format.levels[k].coordinate;
        let (at, lo) = (self.at, self.bounds[k].map_or(0, |(lo, _)| lo));
        let own = |c: i64| u32::try_from(c - lo).unwrap_or(u32::MAX);
        let mut counters = Counters::default();
        let mut coords = vec![0; self.shape.len()];
        let mut computed = |e: usize| {
            coords.iter_mut().enumerate().for_each(|(m, c)| *c = at(m, e) as i64);
            match coordinate.counts() {
                true => own(self.format.remap(&mut counters, &coords)[k]),
                false => own(self.format.level_at(k, &coords)),
            }
        };
        match coordinate {
            Coordinate::Index(m) => (0..self.count).map(|e| own(at(*m, e) as i64)).collect(),
            Coordinate::Counter(of) => self.counted(of),
            _ => (0..self.count).map(&mut computed).collect(),
        }
    }

    /// How many entries with the same coordinates `of` come before each entry.
    fn counted(&self, of: &[usize]) -> Vec<u32> {
        let at = self.at;
        let next = |count: &mut u32| {
            *count += 1;
            *count - 1
        };
        match of {
            // An array that is not much longer than the list of entries is faster than a map.
            &[m] if self.shape[m] / 4 <= self.count => {
                let mut counts = vec![0; self.shape[m]];
                (0..self.count).map(|e| next(&mut counts[at(m, e)])).collect()
            }
            _ => {
                let mut counts: HashMap<Vec<usize>, u32> = HashMap::new();
                let key = |e: usize| of.iter().map(|&m| at(m, e)).collect();
                (0..self.count).map(|e| next(counts.entry(key(e)).or_insert(0))).collect()
            }
        }
    }

    /// The number of different coordinates of level `k`.
    pub(super) fn own(&self, k: usize) -> u128 {
        let mut column = self.column(k);
        column.sort_unstable();
        column.dedup();
        column.len() as u128
    }

    /// The sum, over all paths, of the length of the interval from the first to the last coordinate of level `k`.
    pub(super) fn bands(&mut self, k: usize) -> u128 {
        self.follow(k);
        let mut bands: Vec<Option<(u32, u32)>> = vec![None; self.known];
        for (&path, c) in self.paths.iter().zip(self.column(k)) {
            let (lo, hi) = bands[path as usize].unwrap_or((c, c));
            bands[path as usize] = Some((lo.min(c), hi.max(c)));
        }
        bands.into_iter().flatten().map(|(lo, hi)| u128::from(hi - lo) + 1).sum()
    }

    /// The most different coordinates of one path.
    pub(super) fn longest(&mut self, k: usize) -> u128 {
        self.follow(k);
        let mut lengths = vec![0u128; self.known];
        if self.are_apart(k) {
            self.paths.iter().for_each(|&path| lengths[path as usize] += 1);
        } else {
            let pairs: HashSet<(u32, u32)> = self.paths.iter().copied().zip(self.column(k)).collect();
            pairs.iter().for_each(|(path, _)| lengths[*path as usize] += 1);
        }
        lengths.into_iter().max().unwrap_or(0)
    }

    /// The first entry that has another coordinate than one before it on the same path.
    pub(super) fn second(&mut self, k: usize) -> Option<usize> {
        self.follow(k);
        let mut firsts: Vec<Option<u32>> = vec![None; self.known];
        self.column(k).into_iter().zip(&self.paths).position(|(c, &path)| *firsts[path as usize].get_or_insert(c) != c)
    }

    /// How many different chains of coordinates from level `k` down to level `end` there are below all paths.
    pub(super) fn chains(&mut self, k: usize, end: usize) -> u128 {
        if self.are_apart(end) {
            return self.count as u128;
        }
        self.follow(k);
        let columns: Vec<Vec<u32>> = (k..=end).map(|level| self.column(level)).collect();
        let chain = |e: usize| (self.paths[e], columns.iter().map(|column| column[e]).collect());
        (0..self.count).map(chain).collect::<HashSet<(u32, Vec<u32>)>>().len() as u128
    }

    /// How many different paths lead down to level `k`, with that level's own coordinates.
    pub(super) fn paths_down_to(&mut self, k: usize) -> u128 {
        if self.are_apart(k) {
            return self.count as u128;
        }
        self.follow(k + 1);
        self.known as u128
    }

    /// Whether entries are known to differ from one another in their coordinates down to level `k`.
    fn are_apart(&mut self, k: usize) -> bool {
        let coordinates: Vec<Coordinate> =
            self.format.levels[..=k].iter().map(|level| level.coordinate.clone()).collect();
        if self.count == 0 || !single_out(self.shape.len(), &coordinates) {
            return self.count == 0;
        }
        let (at, rank) = (self.at, self.shape.len());
        let place = |e: usize| (0..rank).map(move |m| at(m, e));
        *self.ascend.get_or_insert_with(|| (1..self.count).all(|e| place(e - 1).lt(place(e))))
    }

    /// Numbers the paths above level `k`.
    fn follow(&mut self, k: usize) {
        for level in self.depth..k {
            let column = self.column(level);
            let mut known = HashMap::new();
            let mut last = None;
            for (path, c) in self.paths.iter_mut().zip(column) {
                // Entries that follow one another often have the same coordinate.
                *path = match last {
                    Some((before, number)) if before == (*path, c) => number,
                    _ => {
                        let (pair, next) = ((*path, c), known.len() as u32);
                        let number = *known.entry(pair).or_insert(next);
                        last = Some((pair, number));
                        number
                    }
                };
            }
            self.known = known.len();
        }
        self.depth = self.depth.max(k);
    }
}
