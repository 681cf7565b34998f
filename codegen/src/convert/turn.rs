//! Buckets, through which entries go that come in another order than the target's: by one index after the other, from the least significant
//! on, as a radix sort has them.

use super::{Converter, make, order};
use crate::format::{Coordinate, Format, FormatLevel, Inverse};
use crate::level::{Kinds, Switches};

impl Converter<'_> {
    /// Formats to go through: buckets by one index after the other, from the least significant on, as a radix sort has them.
    pub(super) fn turn(&self, source: &Format, target: &Format) -> Option<Vec<Format>> {
        // Where neither has room for each coordinate of a dimension, buckets would cost more than they save.
        let full = |format: &Format| format.levels.iter().any(|level| level.properties.full);
        if !full(target) && !full(source) {
            return None;
        }
        let mut wanted: Vec<usize> = Vec::new();
        for level in &target.levels {
            for m in order::indices(&level.coordinate) {
                if !wanted.contains(&m) {
                    wanted.push(m);
                }
            }
        }
        // Counters and blocks are filled in the order of the tensor's indices.
        if !target.is_plain() {
            wanted = (0..target.rank()).collect();
        }
        // As few buckets as will do: the source may come in the order of the less significant indices already.
        (1..=wanted.len()).find_map(|count| self.buckets(source, target, &wanted[..count]))
    }

    /// Buckets by the indices `by`, the last one first, if `target` can be made of them.
    fn buckets(&self, source: &Format, target: &Format, by: &[usize]) -> Option<Vec<Format>> {
        let mut steps: Vec<Format> = Vec::new();
        for &m in by.iter().rev() {
            let from = steps.last().unwrap_or(source);
            let step = Self::bucket(from, m);
            make::fits(from, &step).ok()?;
            steps.push(step);
        }
        self.direct(steps.last()?, target).is_some().then_some(steps)
    }

    /// Entries by index `m`, and in each bucket as `from` has them.
    fn bucket(from: &Format, m: usize) -> Format {
        let mut indices = vec![m];
        let order = order::Order::of(from);
        // The order within buckets is that of the source as far as it keeps indices themselves.
        let mut ordered = 0;
        for key in &order.keys {
            match key {
                Coordinate::Index(n) if *n == m => {}
                Coordinate::Index(n) if !indices.contains(n) => {
                    indices.push(*n);
                    ordered += 1;
                }
                _ => break,
            }
        }
        indices.extend((0..from.rank()).filter(|n| !indices.contains(n)).collect::<Vec<_>>());
        let unique = order.unique;
        let mut levels = Vec::new();
        for (at, &n) in indices.iter().enumerate() {
            let kind = match at {
                0 => Kinds::array(),
                1 => Kinds::list(),
                _ => Kinds::single(),
            };
            let mut switches = Switches::default();
            if at > 0 {
                switches.ordered = (at > ordered).then_some(false);
                let last = at + 1 == indices.len();
                switches.unique = (!last || !unique).then_some(false);
            }
            let properties = kind.properties(&switches);
            levels.push(FormatLevel { coordinate: Coordinate::Index(n), kind, args: Vec::new(), switches, properties });
        }
        let inverse =
            (0..from.rank()).map(|n| Inverse::Level(indices.iter().position(|k| *k == n).unwrap_or(0))).collect();
        Format {
            name: format!("by_{}", from.indices[m]),
            indices: from.indices.clone(),
            levels,
            fill: from.fill,
            inverse,
        }
    }
}
