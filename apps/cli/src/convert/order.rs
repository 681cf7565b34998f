//! Whether the coordinates of each parent come in the order, and as often, as the levels of a format promise: kernels rely on it.
//!
//! Levels that keep one coordinate for each position of the level above are seen together with it: what ascends in a list of entries is
//! their tuples. Each position is looked at once, or once for each level of the list.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use pleach_codegen::format::{Coordinate, Format, FormatLevel};
use pleach_codegen::level::{GAP, Properties};
use pleach_datasets::Coo;

/// How the positions of a level are divided among its parents.
pub enum Parts<'a> {
    /// Each parent has those between two of these numbers.
    Ends(&'a [usize]),
    /// Each parent has a hash table of so many.
    Tables(usize),
}

impl Parts<'_> {
    fn ranges(&self, count: usize) -> Box<dyn Iterator<Item = Range<usize>> + '_> {
        match self {
            Parts::Ends(ends) => Box::new(ends.windows(2).map(|ends| ends[0]..ends[1])),
            Parts::Tables(width) => {
                Box::new((0..count / (*width).max(1)).map(move |parent| parent * width..(parent + 1) * width))
            }
        }
    }
}

/// The coordinates of one level: of which one they are, counted from 0, and what holds of it.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    /// The level's number, counted from 0.
    pub level: usize,
    /// The name of its kind.
    pub name: &'a str,
    /// What holds of it.
    pub properties: Properties,
    /// Its coordinates.
    pub crd: &'a [u32],
}

impl Keys<'_> {
    /// A fault of this level.
    fn wrong(&self, what: &str) -> String {
        format!("level {} (`{}`): {what}", self.level + 1, self.name)
    }
}

/// A level with those below it that keep one coordinate for each of its positions.
pub struct Chain<'a> {
    /// How positions are divided among the parents of the first level.
    pub parts: Parts<'a>,
    /// The levels.
    pub keys: Vec<Keys<'a>>,
}

impl Chain<'_> {
    /// Checks all positions.
    ///
    /// # Errors
    ///
    /// The level, the parent and the position that break what the levels promise.
    pub fn check(&self) -> Result<(), String> {
        let Some(first) = self.keys.first() else { return Ok(()) };
        let ordered = self.keys.iter().take_while(|keys| keys.properties.ordered).count();
        // In a list, it is the last level that tells entries apart.
        let last = self.keys.len() - 1;
        let unique = match (first.properties.unique, self.keys[last].properties.unique) {
            (true, _) => Some(0),
            (false, true) => Some(last),
            (false, false) => None,
        };
        for (parent, part) in self.parts.ranges(first.crd.len()).enumerate() {
            if let Parts::Tables(_) = self.parts {
                self.found(parent, part.clone())?;
            }
            self.ascends(parent, part.clone(), ordered, unique)?;
            if let Some(unique) = unique.filter(|&unique| unique >= ordered) {
                self.once(parent, part, unique)?;
            }
        }
        Ok(())
    }

    /// The coordinates at a position, down to a level.
    fn tuple(&self, position: usize, down_to: usize) -> impl Iterator<Item = u32> {
        self.keys[..=down_to].iter().map(move |keys| keys.crd[position])
    }

    fn shown(&self, position: usize, down_to: usize) -> String {
        let all: Vec<String> = self.tuple(position, down_to).map(|c| c.to_string()).collect();
        if all.len() == 1 { all.concat() } else { format!("({})", all.join(", ")) }
    }

    fn is_empty(&self, position: usize) -> bool {
        self.keys.iter().any(|keys| keys.crd[position] == GAP && !keys.properties.compact)
    }

    /// Checks that the first `ordered` levels ascend, and that none is equal down to the level `unique` where that is one of them.
    fn ascends(&self, parent: usize, part: Range<usize>, ordered: usize, unique: Option<usize>) -> Result<(), String> {
        let mut before: Option<usize> = None;
        for position in part.filter(|&position| ordered > 0 && !self.is_empty(position)) {
            let Some(earlier) = before.replace(position) else { continue };
            for (k, keys) in self.keys[..ordered].iter().enumerate() {
                match keys.crd[earlier].cmp(&keys.crd[position]) {
                    Ordering::Less => break,
                    Ordering::Equal if unique == Some(k) => return Err(self.twice(parent, earlier, position, k)),
                    Ordering::Equal => {}
                    Ordering::Greater => {
                        return Err(keys.wrong(&format!(
                            "the coordinates of parent {parent} do not ascend: {} at position {position} stands behind {}",
                            self.shown(position, k),
                            self.shown(earlier, k)
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that no two positions of a parent are equal down to a level, in whatever order they come.
    fn once(&self, parent: usize, part: Range<usize>, unique: usize) -> Result<(), String> {
        let all = part.clone().filter(|&position| !self.is_empty(position));
        let repeated = if part.len() <= FEW {
            all.clone()
                .find(|&q| all.clone().take_while(|&p| p < q).any(|p| self.tuple(p, unique).eq(self.tuple(q, unique))))
        } else {
            let mut seen = HashSet::new();
            all.clone().find(|&q| !seen.insert(self.tuple(q, unique).collect::<Box<[u32]>>()))
        };
        let Some(position) = repeated else { return Ok(()) };
        let earlier = all.clone().find(|&p| self.tuple(p, unique).eq(self.tuple(position, unique)));
        Err(self.twice(parent, earlier.unwrap_or(position), position, unique))
    }

    fn twice(&self, parent: usize, earlier: usize, position: usize, level: usize) -> String {
        self.keys[level].wrong(&format!(
            "parent {parent} has the coordinate{} {} twice, at positions {earlier} and {position}",
            if level == 0 { "" } else { "s" },
            self.shown(position, level)
        ))
    }

    /// Checks that a lookup finds each coordinate of a hash table: it goes from the place of the coordinate on, up to a gap.
    fn found(&self, parent: usize, table: Range<usize>) -> Result<(), String> {
        let (keys, width) = (&self.keys[0], table.len());
        let Some(gap) = keys.crd[table.clone()].iter().position(|&c| c == GAP) else { return Ok(()) };
        let mut run = 0;
        for slot in (gap + 1..=gap + width).map(|slot| slot % width) {
            let c = keys.crd[table.start + slot];
            if c == GAP {
                run = 0;
                continue;
            }
            if (slot + width - c as usize % width) % width > run {
                let position = table.start + slot;
                return Err(keys.wrong(&format!(
                    "a lookup does not find the coordinate {c} of parent {parent}, which is at position {position}"
                )));
            }
            run += 1;
        }
        Ok(())
    }
}

/// Checks that slots are filled in order: where a level counts the entries that have the same coordinates, as the columns of ELL count those of
/// a row, these ascend from slot to slot. `entries` are those of the tensor as they are kept.
///
/// # Errors
///
/// The level, and the first entry that comes behind a later one.
pub fn counted(format: &Format, entries: &Coo) -> Result<(), String> {
    for (k, level) in format.levels.iter().enumerate() {
        let Coordinate::Counter(of) = &level.coordinate else { continue };
        // Below levels of other indices, entries that are counted together are not all kept by the counter's order.
        let together = |above: &FormatLevel| matches!(&above.coordinate, Coordinate::Index(m) if of.contains(m));
        if !format.levels[..k].iter().all(together) {
            continue;
        }
        let place = |e: usize| entries.coords.iter().map(move |mode| mode[e]);
        let mut last: HashMap<Vec<u32>, usize> = HashMap::new();
        for e in 0..entries.nnz() {
            let own = of.iter().map(|&m| entries.coords[m][e]).collect();
            let Some(earlier) = last.insert(own, e).filter(|&earlier| !place(earlier).lt(place(e))) else { continue };
            let shown = |e: usize| place(e).map(|c| c.to_string()).collect::<Vec<_>>().join(", ");
            return Err(format!(
                "level {} (`{}`): it counts entries in order, and the one at ({}) stands behind ({})",
                k + 1,
                level.kind.name(),
                shown(e),
                shown(earlier)
            ));
        }
    }
    Ok(())
}

/// So many positions are compared with each other; of more, a set is made.
const FEW: usize = 8;
