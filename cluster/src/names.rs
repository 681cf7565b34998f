//! Vertices that have names: each name gets a number, its place among all in the order of their bytes.
//!
//! ```text
//!   each worker:  names of its share ─► a sample to all ─► stretches of the alphabet ─► each name to the owner of its stretch
//!                                                                                       │
//!                 worker 0: adam … carl = 0 … 2        worker 1: dora … eve = 3 … 4   ◄─┘  sorted, each once
//! ```
//!
//! The number of a name is an id as any other, so that the owner of a vertex and the owner of its name may differ. No worker has all names.

use std::collections::{HashMap, HashSet};
use std::sync::Arc as Common;

use pleach_datasets::{NamedArcs, Share};

use crate::exchange::Lost;
use crate::load::{Arc, Arcs, LoadError};
use crate::wire::Wire;

/// Names that each worker shows the others of its own, for each of them, so that stretches become equally long.
const SAMPLES: usize = 32;

/// A worker's stretch of all names.
#[derive(Debug)]
pub struct Names {
    /// The first name behind the stretch of each worker but the last.
    bounds: Vec<Box<str>>,
    /// The number of the first name of each worker, and how many there are.
    first: Vec<u64>,
    /// The names of this worker, ascending.
    own: Vec<Box<str>>,
}

impl Names {
    /// Numbers the names that all workers find in their shares. Each share is read once for it.
    ///
    /// # Errors
    ///
    /// [`LoadError`], the same at every worker.
    pub fn gather(wire: &mut Wire<'_>, share: &mut Share) -> Result<Self, LoadError> {
        let mut met = HashSet::new();
        let mut read = || -> Result<(), String> {
            while let Some(block) = share.next_named().map_err(|error| error.to_string())? {
                met.extend(block.names);
            }
            Ok(())
        };
        let read = read();
        wire.agree(read)??;
        Ok(Self::of(wire, met.into_iter().collect())?)
    }

    /// Numbers the names that each worker has met. A superstep for a sample, one for the names, and one for how many there are.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    pub fn of(wire: &mut Wire<'_>, mut met: Vec<Box<str>>) -> Result<Self, Lost> {
        let (me, workers) = (wire.worker(), wire.workers());
        met.sort_unstable();
        let samples = SAMPLES * workers;
        let sample = met.iter().step_by(met.len() / samples + 1).map(|name| &**name).collect::<Vec<_>>().join("\n");
        let shown = wire.swap(vec![sample.into_bytes(); workers])?;
        let mut shown: Vec<Box<str>> = shown.iter().flat_map(|bytes| lines(bytes)).collect();
        shown.sort_unstable();
        shown.dedup();
        let bound = |worker: usize| shown.get(shown.len() * worker / workers).cloned();
        let bounds: Vec<Box<str>> = (1..workers).filter_map(bound).collect();
        let mut to: Vec<Vec<u8>> = vec![Vec::new(); workers];
        for name in &met {
            put(&mut to[owner(&bounds, name)], name);
        }
        drop(met);
        let mut own: Vec<Box<str>> = wire.swap(to)?.iter().flat_map(|bytes| lines(bytes)).collect();
        own.sort_unstable();
        own.dedup();
        let counts = wire.all(own.len() as u64)?;
        let mut first = vec![0];
        counts.iter().for_each(|count| first.push(first[first.len() - 1] + count));
        debug_assert_eq!(first[me + 1] - first[me], own.len() as u64);
        Ok(Names { bounds, first, own })
    }

    /// How many names there are.
    pub fn len(&self) -> u64 {
        self.first.last().copied().unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of names, of each worker its own; `None` for what no vertex is called. Two supersteps.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    pub fn find(&self, wire: &mut Wire<'_>, names: &[Box<str>]) -> Result<Vec<Option<u64>>, Lost> {
        let me = wire.worker();
        let mut to: Vec<Vec<u8>> = vec![Vec::new(); wire.workers()];
        let owners: Vec<usize> = names.iter().map(|name| owner(&self.bounds, name)).collect();
        names.iter().zip(&owners).for_each(|(name, &owner)| put(&mut to[owner], name));
        let number = |name: Box<str>| self.own.binary_search(&name).map_or(u64::MAX, |at| self.first[me] + at as u64);
        let found = wire.swap(to)?.iter().map(|bytes| lines(bytes).map(number).collect()).collect();
        let mut answers: Vec<_> = wire.swap_numbers::<u64>(found)?.into_iter().map(Vec::into_iter).collect();
        let answer = |owner: usize| answers[owner].next().filter(|&number| number != u64::MAX);
        Ok(owners.into_iter().map(answer).collect())
    }

    /// The names of numbers, of each worker its own. Two supersteps.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    ///
    /// # Panics
    ///
    /// If there is no name of such a number.
    pub fn of_numbers(&self, wire: &mut Wire<'_>, asked: &[u64]) -> Result<Vec<Box<str>>, Lost> {
        let me = wire.worker();
        let mut to: Vec<Vec<u64>> = vec![Vec::new(); wire.workers()];
        let owner = |number: u64| self.first[1..].partition_point(|&end| end <= number);
        asked.iter().for_each(|&number| to[owner(number)].push(number));
        let mut answers = Vec::new();
        for numbers in wire.swap_numbers(to)? {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|number| put(&mut bytes, &self.own[(number - self.first[me]) as usize]));
            answers.push(bytes);
        }
        let answers = wire.swap(answers)?;
        let mut answers: Vec<_> = answers.iter().map(|bytes| lines(bytes)).collect();
        let answer = |&number: &u64| answers[owner(number)].next().expect("every number that is asked for has a name");
        Ok(asked.iter().map(answer).collect())
    }

    /// The arcs of a share, by the numbers of their ends.
    pub fn arcs(self: &Common<Self>, share: Share) -> Numbered {
        Numbered { names: self.clone(), share, met: Vec::new(), places: HashMap::new() }
    }
}

/// The worker whose stretch a name is in.
fn owner(bounds: &[Box<str>], name: &str) -> usize {
    bounds.partition_point(|bound| **bound <= *name)
}

/// Appends a name, which has no line end in it.
fn put(bytes: &mut Vec<u8>, name: &str) {
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(b'\n');
}

/// The names in a message.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Box<str>> + '_ {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let all = (!bytes.is_empty()).then(|| bytes.split(|&byte| byte == b'\n'));
    all.into_iter().flatten().map(|name| String::from_utf8_lossy(name).into())
}

/// Arcs of a share between vertices that have names.
pub struct Numbered {
    names: Common<Names>,
    share: Share,
    /// The names of the blocks that were read last, and the place of each.
    met: Vec<Box<str>>,
    places: HashMap<Box<str>, u64>,
}

impl Arcs for Numbered {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        let Some(NamedArcs { names, arcs: read }) = self.share.next_named().map_err(|error| error.to_string())? else {
            return Ok(false);
        };
        let mut place = |name: Box<str>| {
            *self.places.entry(name).or_insert_with_key(|name| {
                self.met.push(name.clone());
                self.met.len() as u64 - 1
            })
        };
        let places: Vec<u64> = names.into_iter().map(&mut place).collect();
        let mut is_end = vec![false; places.len()];
        for (from, to, weight) in read {
            (is_end[from as usize], is_end[to as usize]) = (true, true);
            arcs.push(Arc { from: places[from as usize], to: places[to as usize], weight });
        }
        alone.extend(places.iter().zip(is_end).filter(|(_, is_end)| !is_end).map(|(&place, _)| place));
        Ok(true)
    }

    fn translate(&mut self, wire: &mut Wire<'_>, arcs: &mut [Arc], alone: &mut [u64]) -> Result<(), Lost> {
        let numbers = self.names.find(wire, &self.met)?;
        // A file that has changed meanwhile may have a name that had none before: such a vertex is called by the last number.
        let number = |place: u64| numbers[place as usize].unwrap_or(self.names.len().saturating_sub(1));
        for arc in arcs {
            (arc.from, arc.to) = (number(arc.from), number(arc.to));
        }
        alone.iter_mut().for_each(|place| *place = number(*place));
        self.met.clear();
        self.places.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_loop_back;

    #[test]
    fn names_are_numbered_in_their_order() {
        for workers in 1..=4 {
            let all: Vec<String> = (0..500).map(|k| format!("v{}", k * k % 331)).collect();
            let mut expected: Vec<&String> = all.iter().collect();
            expected.sort();
            expected.dedup();
            on_loop_back(workers, |end| {
                let mut wire = Wire::new(end);
                let me = wire.worker();
                // The last worker has met none.
                let mine = all
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| k % workers.max(2) == me)
                    .map(|(_, name)| name.as_str().into());
                let names = Names::of(&mut wire, mine.collect()).unwrap();
                if workers > 1 {
                    assert_eq!(names.len(), expected.len() as u64);
                }
                let asked: Vec<Box<str>> = ["v9", "nobody", "v1"].map(Into::into).to_vec();
                let found = names.find(&mut wire, &asked[me.min(2)..]).unwrap();
                if workers > 1 {
                    let right = |name: &str| expected.iter().position(|other| **other == name).map(|at| at as u64);
                    assert!(found.iter().copied().eq(asked[me.min(2)..].iter().map(|name| right(name))));
                    let numbers: Vec<u64> = (0..names.len()).rev().step_by(me + 1).collect();
                    let called = names.of_numbers(&mut wire, &numbers).unwrap();
                    assert!(called.iter().zip(&numbers).all(|(name, &k)| **name == **expected[k as usize]));
                }
            });
        }
    }
}
