//! What a format says of the coordinates of a tensor of some shape.

use std::sync::Arc;

use crate::format::{Coordinate, Counters, Format};
use crate::level::{Level, Packed, Packing, Place};

use super::number::Number;

/// A level with what it holds, and how many coordinates it can have.
pub(super) type PackedLevel = (Packed, usize);

/// What is done at each place that levels keep: with the tensor's coordinates, the position, and the coordinates of all levels.
pub(super) type Each<'a> = dyn FnMut(Vec<usize>, usize, &[usize]) + 'a;

/// A format with the shape of a tensor.
pub(super) struct Layout<'a> {
    pub format: &'a Format,
    pub shape: &'a [usize],
    /// The coordinate of each level.
    coordinates: Vec<Coordinate>,
    /// The kind of each level.
    kinds: Vec<Arc<dyn Level>>,
    /// The least and the greatest coordinate of each level; 0 and 0 where they do not follow from the shape.
    bounds: Vec<(i64, i64)>,
    /// Levels whose coordinates follow from those of others, as numbers in Morton order do from the blocks that they number.
    derived: Vec<usize>,
}

impl<'a> Layout<'a> {
    pub fn new(format: &'a Format, shape: &'a [usize]) -> Layout<'a> {
        let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
        let derived = |n: &usize| {
            let counts = matches!(format.levels[*n].coordinate, Coordinate::Counter(_));
            !counts && format.inverse.iter().all(|index| !index.reads(*n))
        };
        Layout {
            format,
            shape,
            coordinates: format.levels.iter().map(|level| level.coordinate.clone()).collect(),
            kinds: format.levels.iter().map(|level| level.kind.clone()).collect(),
            bounds: format.bounds(&signed).into_iter().map(|bounds| bounds.unwrap_or((0, 0))).collect(),
            derived: (0..format.levels.len()).filter(derived).collect(),
        }
    }

    /// How many coordinates level `n` can have; 0 if it counts.
    pub fn extent(&self, n: usize) -> usize {
        match &self.coordinates[n] {
            Coordinate::Index(m) => self.shape[*m],
            Coordinate::Counter(_) => 0,
            _ => (self.bounds[n].1 - self.bounds[n].0 + 1).max(0) as usize,
        }
    }

    /// Level `n` with `entries` below `parents` positions.
    pub fn packing<'p>(
        &'p self,
        n: usize,
        parents: usize,
        entries: &'p [(usize, usize)],
        extent: usize,
    ) -> Packing<'p> {
        let (coordinates, above) = (&self.coordinates[..], &self.kinds[..n]);
        let place = Place { coordinates, above, at: n, indices: &self.format.indices };
        Packing { parents, entries, extent, shape: self.shape, place, switches: &self.format.levels[n].switches }
    }

    /// Entries with a coordinate for each level, counted from its lower bound.
    pub fn keyed(&self, entries: &[(Vec<usize>, Number)]) -> Vec<(Vec<usize>, Number)> {
        // Counters count in the order of all coordinates.
        let mut order: Vec<usize> = (0..entries.len()).collect();
        if self.coordinates.iter().any(|c| matches!(c, Coordinate::Counter(_))) {
            order.sort_by_key(|&e| &entries[e].0);
        }
        let mut counters = Counters::default();
        let keyed = order.into_iter().map(|e| {
            let (coords, value) = &entries[e];
            let coords: Vec<i64> = coords.iter().map(|&c| c as i64).collect();
            let levels = self.format.remap(&mut counters, &coords);
            let keys = levels.iter().zip(&self.bounds).map(|(c, (lo, _))| (c - lo) as usize);
            (keys.collect(), *value)
        });
        keyed.collect()
    }

    /// The number of a cell in row-major order.
    pub fn cell(&self, coords: &[usize]) -> usize {
        coords.iter().zip(self.shape).fold(0, |at, (c, n)| at * n + c)
    }

    /// The level whose coordinate is not the one that follows from the tensor's coordinates, and that one; `levels` are the coordinates
    /// of all levels.
    pub fn misplaced(&self, coords: &[usize], levels: &[usize]) -> Option<(usize, i64)> {
        let signed = || coords.iter().map(|&c| c as i64).collect::<Vec<_>>();
        self.derived.iter().find_map(|&n| {
            let belongs = self.format.level_at(n, &signed()) - self.bounds[n].0;
            (belongs != levels[n] as i64).then_some((n, belongs))
        })
    }

    /// Calls `f` with the coordinates and the position of everything that the levels keep, and with the coordinates of all levels.
    pub fn visit(&self, levels: &[PackedLevel], f: &mut Each<'_>) {
        self.visit_below(levels, 0, &mut Vec::new(), f);
    }

    /// The same below the position `parent`, at which the levels above have the coordinates `above`.
    fn visit_below(&self, levels: &[PackedLevel], parent: usize, above: &mut Vec<usize>, f: &mut Each<'_>) {
        let n = above.len();
        if n == levels.len() {
            if let Some(coords) = self.indices(above) {
                f(coords, parent, above);
            }
            return;
        }
        let (packed, extent) = &levels[n];
        let packing = self.packing(n, 0, &[], *extent);
        for (coordinate, position) in self.kinds[n].children(packed, &packing, parent, above) {
            above.push(coordinate);
            self.visit_below(levels, position, above, f);
            above.pop();
        }
    }

    /// The tensor's indices at coordinates of the levels; `None` outside of the tensor.
    fn indices(&self, levels: &[usize]) -> Option<Vec<usize>> {
        let signed: Vec<i64> = levels.iter().zip(&self.bounds).map(|(&c, (lo, _))| c as i64 + lo).collect();
        let inverse = &self.format.inverse;
        let coords = inverse.iter().map(|index| index.evaluate(inverse, &signed));
        let inside = coords.zip(self.shape).map(|(c, &n)| usize::try_from(c).ok().filter(|c| *c < n));
        inside.collect()
    }
}
