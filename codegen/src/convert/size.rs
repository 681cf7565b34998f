//! How large a tensor becomes in a format, before it is made.

use super::entries::Entries;
use super::order::is_determined;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::level::{FieldKind, Tally};

/// The size of a tensor in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Positions of each level, the outermost first. Below the last one lie the values.
    pub positions: Vec<u128>,
    /// Bytes of all arrays: coordinates of 4, positions and values of 8.
    pub bytes: u128,
    /// Elements of the longest array that is needed only while the tensor is made.
    pub workspace: u128,
    /// Where entries would be lost: the first level with room for one coordinate at each position above it where some position has several.
    pub overfull: Option<Overfull>,
    /// The first such level without padding, if some position above it has no coordinate.
    pub gapped: Option<usize>,
}

/// A level that has no room for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overfull {
    /// The level.
    pub level: usize,
    /// The number of the first entry that it has no room for.
    pub entry: usize,
}

impl Size {
    /// How many values are stored.
    pub fn values(&self) -> u128 {
        self.positions.last().copied().unwrap_or(1)
    }

    /// Why `format`, of which this is the size, cannot keep the entries, if it cannot. `place` says where the entry of a number lies.
    pub fn refusal(&self, format: &Format, place: impl Fn(usize) -> String) -> Option<String> {
        let level = |k: usize| format!("`{}` of `{}`", format.level_text(&format.levels[k]), format.name);
        if let Some(Overfull { level: k, entry }) = self.overfull {
            return Some(format!(
                "{} keeps one coordinate for each position of the level above, and would lose entries: the position of the entry at {} has \
                 another coordinate, too; `compressed` in its place keeps them all",
                level(k),
                place(entry)
            ));
        }
        let gapped = self.gapped?;
        Some(format!(
            "{} keeps one coordinate for each position of the level above, and some positions have none; `singleton(padded)` marks them",
            level(gapped)
        ))
    }
}

/// The first level with room for one coordinate at each position above it, where the format alone does not say that every position has one: a
/// tensor with several there, or with none and no padding, does not fit. [`size_of`] says whether entries fit.
pub fn may_not_fit(format: &Format) -> Option<usize> {
    (0..format.levels.len()).find(|&k| Misfit::of(format, k).is_some())
}

/// Why `format` cannot keep all entries of a tensor of extents `shape`, if it cannot; an entry is its coordinates and anything else. `place`
/// says where the coordinates lie. Takes no time for formats that fit every tensor, and otherwise as much as [`size_of`].
pub fn why_not_fit<T>(
    format: &Format,
    shape: &[usize],
    entries: &[(Vec<usize>, T)],
    place: impl Fn(&[usize]) -> String,
) -> Option<String> {
    may_not_fit(format)?;
    let size = size_of(format, shape, entries.len(), &|m, e| entries[e].0[m]);
    size.refusal(format, |entry| place(&entries[entry].0))
}

/// Whether no level has more than `most` positions, and no array that is needed while the tensor is made has more elements, wherever `count`
/// entries of a tensor of extents `shape` lie. Looks at no entry.
pub fn is_within(format: &Format, shape: &[usize], count: usize, most: u128) -> bool {
    let (bounds, count) = (bounds(format, shape), count as u128);
    let mut parents = 1u128;
    format.levels.iter().zip(bounds).all(|(level, bounds)| {
        let extent = extent(level, shape, bounds);
        // How many coordinates there can be.
        let range = match (&level.coordinate, bounds) {
            (Coordinate::Counter(_), _) => count,
            (_, None) => u128::MAX,
            _ => extent,
        };
        let tally = Tally {
            parents,
            extent,
            distinct: count,
            own: count.min(range),
            most: range,
            bands: count.min(parents).saturating_mul(range),
            longest: count.min(range),
            switches: &level.switches,
        };
        parents = level.kind.stored(&tally);
        parents.max(level.kind.workspace(&tally)) <= most
    })
}

/// What `format` keeps of `count` entries of a tensor of extents `shape`; coordinate `m` of entry `e` is `at(m, e)`. Takes time in proportion
/// to entries for each level whose size does not follow from their number and the extents; values are of 8 bytes. Equal entries count once
/// where the format keeps them once. Of a store its coordinates and values are counted, and not its nodes.
///
/// # Panics
///
/// If a coordinate lies outside of `shape`.
pub fn size_of(format: &Format, shape: &[usize], count: usize, at: &dyn Fn(usize, usize) -> usize) -> Size {
    let bounds = bounds(format, shape);
    let mut entries = Entries::new(format, shape, bounds, count, at);
    let (mut parents, mut positions, mut bytes, mut workspace) = (1u128, Vec::new(), 0u128, 0u128);
    let (mut overfull, mut gapped) = (None, None);
    for (k, level) in format.levels.iter().enumerate() {
        let fields = level.kind.fields(&level.switches);
        let has = |wanted: FieldKind| fields.iter().any(|(_, kind)| *kind == wanted);
        // Coordinates that are the same for each parent are stored once.
        let shared = has(FieldKind::Coordinates)
            && !has(FieldKind::Positions)
            && !has(FieldKind::Size)
            && !level.properties.branchless;
        let mut tally = Tally { parents, extent: extent(level, shape, entries.bounds[k]), ..nothing(level) };
        if shared || depends(level, |tally| &mut tally.own) {
            tally.own = entries.own(k);
        }
        if depends(level, |tally| &mut tally.most) {
            tally.most = entries.column(k).into_iter().max().map_or(0, |c| u128::from(c) + 1);
        }
        if depends(level, |tally| &mut tally.bands) {
            tally.bands = entries.bands(k);
        }
        if depends(level, |tally| &mut tally.longest) {
            tally.longest = entries.longest(k);
        }
        let misfit = Misfit::of(format, k);
        if misfit.is_some_and(|misfit| misfit.several) {
            overfull = overfull.or(entries.second(k).map(|entry| Overfull { level: k, entry }));
        }
        if depends(level, |tally| &mut tally.distinct) {
            tally.distinct = match chain_end(format, k) {
                _ if level.properties.unique || level.properties.branchless => entries.paths_down_to(k),
                // Of entries that agree down to the end of the chain one is kept.
                Some(end) => entries.chains(k, end),
                None => count as u128,
            };
        }
        if misfit.is_some_and(|misfit| misfit.none) && parents > entries.paths_down_to(k) {
            gapped = gapped.or(Some(k));
        }
        let stored = level.kind.stored(&tally);
        workspace = workspace.max(level.kind.workspace(&tally));
        let coordinates = match has(FieldKind::Positions) {
            // Of an interval the first coordinate is stored.
            true if level.kind.capabilities().value_iteration => parents,
            false if shared => tally.own,
            _ => stored,
        };
        for (_, kind) in &fields {
            let own = match kind {
                FieldKind::Size => 8,
                FieldKind::Positions => parents.saturating_add(1).saturating_mul(8),
                FieldKind::Coordinates => coordinates.saturating_mul(4),
                FieldKind::Stores => stored.saturating_mul(4).saturating_add(parents.saturating_mul(8)),
            };
            bytes = bytes.saturating_add(own);
        }
        positions.push(stored);
        // Products of more would not fit into 128 bits.
        parents = stored.min(1 << 88);
    }
    let values = positions.last().copied().unwrap_or(1);
    Size { bytes: bytes.saturating_add(values.saturating_mul(8)), positions, workspace, overfull, gapped }
}

/// The smallest and the largest coordinate of each level, where they follow from the extents.
fn bounds(format: &Format, shape: &[usize]) -> Vec<Option<(i64, i64)>> {
    format.bounds(&shape.iter().map(|&n| n as i64).collect::<Vec<_>>())
}

/// How many coordinates a level can have; 0 if it counts.
fn extent(level: &FormatLevel, shape: &[usize], bounds: Option<(i64, i64)>) -> u128 {
    match &level.coordinate {
        Coordinate::Index(m) => shape[*m] as u128,
        Coordinate::Counter(_) => 0,
        computed => match computed.quotient() {
            Some((m, size)) => (shape[m] as u128).div_ceil(size as u128),
            None => {
                let (lo, hi) = bounds.unwrap_or((0, 0));
                ((hi - lo + 1).max(0) as u128).max(computed.block() as u128)
            }
        },
    }
}

/// The tally of a level before anything is counted.
fn nothing(level: &FormatLevel) -> Tally<'_> {
    Tally { parents: 0, extent: 0, distinct: 0, own: 0, most: 0, bands: 0, longest: 0, switches: &level.switches }
}

/// Whether the size of a level depends on a number of its tally. Others are not counted.
fn depends(level: &FormatLevel, number: for<'t, 'a> fn(&'t mut Tally<'a>) -> &'t mut u128) -> bool {
    let size = |n: u128| {
        let one = nothing(level);
        let mut tally = Tally { parents: 1, extent: 1, distinct: 1, own: 1, most: 1, bands: 1, longest: 1, ..one };
        *number(&mut tally) = n;
        (level.kind.stored(&tally), level.kind.workspace(&tally))
    };
    size(0) != size(1) || size(1) != size(2)
}

/// How entries may not fit a level that has room for one coordinate at each position above it.
#[derive(Clone, Copy)]
struct Misfit {
    /// Some position may have several.
    several: bool,
    /// Some position may have none, and the level has no padding.
    none: bool,
}

impl Misfit {
    /// Level `k`, if the format alone does not say that entries fit.
    fn of(format: &Format, k: usize) -> Option<Misfit> {
        let holds_entries = |level: &FormatLevel| level.properties.zeroless && level.properties.compact;
        let properties = &format.levels[k].properties;
        let first = unique_above(format, k).filter(|_| properties.branchless)?;
        let none = properties.compact && !format.levels[first..k].iter().all(holds_entries);
        let misfit = Misfit { several: !is_determined(format, k), none };
        (misfit.several || misfit.none).then_some(misfit)
    }
}

/// The nearest level above level `k` that may have several coordinates for each position, if it keeps each of them once. All levels
/// between have one coordinate for each position.
fn unique_above(format: &Format, k: usize) -> Option<usize> {
    let first = format.levels[..k].iter().rposition(|level| !level.properties.branchless)?;
    format.levels[first].properties.unique.then_some(first)
}

/// The last of the levels below level `k` that keep one coordinate for each of its positions, if it keeps each chain of coordinates once.
fn chain_end(format: &Format, k: usize) -> Option<usize> {
    let below = format.levels[k + 1..].iter().take_while(|level| level.properties.branchless).count();
    (below > 0 && format.levels[k + below].properties.unique).then_some(k + below)
}
