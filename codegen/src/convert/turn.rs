//! Buckets, through which entries go that come in another order than the target's: by one index after the other, from the least significant
//! on, as a radix sort has them.

use super::converter::Converter;
use super::copy::same_arrays;
use super::{make, order};
use crate::format::{Coordinate, Format};
use crate::level::Kinds;

impl Converter<'_> {
    /// Formats on the way: buckets, or rows in which equal entries are one.
    pub(super) fn turn(&self, source: &Format, target: &Format) -> Option<Vec<Format>> {
        // The bucket of a vector would be a value, and a value does not say whether it is an entry.
        if target.rank() < 2 {
            return None;
        }
        self.by_buckets(source, target).or_else(|| self.by_lines(source, target))
    }

    /// Rows, or columns, where the source may have equal entries and the target cannot fold them; and what makes these rows.
    fn by_lines(&self, source: &Format, target: &Format) -> Option<Vec<Format>> {
        let roomy = self.room || target.levels.iter().any(|level| level.properties.full);
        if order::is_unique(source) || !roomy {
            return None;
        }
        (0..source.rank()).find_map(|m| {
            let lines = lines(source, m);
            self.direct(&lines, target)?;
            let mut steps = match self.direct(source, &lines) {
                Some(_) => Vec::new(),
                None => self.by_buckets(source, &lines)?,
            };
            steps.push(lines);
            Some(steps)
        })
    }

    /// Buckets by one index after the other, from the least significant on, as a radix sort has them.
    fn by_buckets(&self, source: &Format, target: &Format) -> Option<Vec<Format>> {
        // Where neither has room for each coordinate of a dimension, buckets would cost more than they save. Diagonals have.
        let roomy =
            |format: &Format| format.levels.iter().any(|level| level.properties.full || !level.properties.zeroless);
        if !self.room && !roomy(target) && !roomy(source) {
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
            make::fits(from, &step, self.fold).ok()?;
            steps.push(step);
        }
        self.direct(steps.last()?, target)?;
        // The last buckets may be the target itself, which is then made at once.
        while let Some((last, before)) = steps.split_last()
            && same_arrays(last, target)
            && self.direct(before.last().unwrap_or(source), target).is_some()
        {
            steps.pop();
        }
        Some(steps)
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
        let last = indices.len() - 1;
        let level = |(at, n): (usize, usize)| match at {
            0 => (n, Kinds::array(), true, true),
            1 => (n, Kinds::list(), at <= ordered, at == last && order.unique),
            _ => (n, Kinds::single(), at <= ordered, at == last && order.unique),
        };
        let levels = indices.into_iter().enumerate().map(level).collect();
        Format::keeping(&format!("by_{}", from.indices[m]), &from.indices, from.fill, levels)
    }
}

/// The format of rows along index `m`: a dense level for it, and a compressed level for each other index.
pub(crate) fn lines(from: &Format, m: usize) -> Format {
    let below = (0..from.rank()).filter(|&n| n != m).map(|n| (n, Kinds::list(), true, true));
    let levels = std::iter::once((m, Kinds::array(), true, true)).chain(below).collect();
    Format::keeping(&format!("lines_by_{}", from.indices[m]), &from.indices, from.fill, levels)
}
