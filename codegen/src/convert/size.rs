//! How large a tensor becomes in a format, before it is made.

use std::collections::{HashMap, HashSet};

use super::order::is_settled;
use crate::format::{Coordinate, Counters, Format, FormatLevel};
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
    let holds_entries = |level: &FormatLevel| level.properties.zeroless && level.properties.compact;
    (0..format.levels.len()).find(|&k| {
        let properties = &format.levels[k].properties;
        let Some(first) = unique_above(format, k).filter(|_| properties.branchless) else { return false };
        !is_settled(format, k) || properties.compact && !format.levels[first..k].iter().all(holds_entries)
    })
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
    let size = size_of(format, shape, &mut entries.iter().map(|(coords, _)| coords.clone()));
    size.refusal(format, |entry| place(&entries[entry].0))
}

/// What `format` keeps of entries at `coords`, of a tensor of extents `shape`. Takes time in proportion to entries and levels; values are of
/// 8 bytes. Equal entries count once where the format keeps them once. Of a store its coordinates and values are counted, and not its nodes.
pub fn size_of(format: &Format, shape: &[usize], entries: &mut dyn Iterator<Item = Vec<usize>>) -> Size {
    let signed: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    let bounds: Vec<(i64, i64)> = format.bounds(&signed).into_iter().map(|bounds| bounds.unwrap_or((0, 0))).collect();
    let mut counters = Counters::default();
    // For each entry the number of the path of coordinates that it has followed so far.
    let mut paths: Vec<u32> = Vec::new();
    let mut all: Vec<Vec<u32>> = vec![Vec::new(); format.levels.len()];
    for coords in entries {
        let coords: Vec<i64> = coords.into_iter().map(|c| c as i64).collect();
        let levels = format.remap(&mut counters, &coords);
        for ((own, c), (lo, _)) in all.iter_mut().zip(levels).zip(&bounds) {
            own.push(u32::try_from(c - lo).unwrap_or(u32::MAX));
        }
        paths.push(0);
    }
    let (mut parents, mut positions, mut bytes, mut workspace) = (1u128, Vec::new(), 0u128, 0u128);
    let (mut overfull, mut gapped) = (None, None);
    for (k, level) in format.levels.iter().enumerate() {
        let extent = match &level.coordinate {
            Coordinate::Index(m) => shape[*m] as u128,
            Coordinate::Counter(_) => 0,
            computed => match computed.quotient() {
                Some((m, size)) => (shape[m] as u128).div_ceil(size as u128),
                None => ((bounds[k].1 - bounds[k].0 + 1).max(0) as u128).max(computed.block() as u128),
            },
        };
        let keeps = level.properties.unique || level.properties.branchless;
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let (mut own, mut bands, mut lengths) = (HashMap::new(), HashMap::new(), HashMap::new());
        // The first entry that has another coordinate than one before it at the same position.
        let mut second = None;
        for (entry, (path, &c)) in paths.iter_mut().zip(&all[k]).enumerate() {
            own.insert(c, ());
            let band: &mut (u32, u32) = bands.entry(*path).or_insert((c, c));
            *band = (band.0.min(c), band.1.max(c));
            let next = known.len() as u32;
            let above = *path;
            *path = *known.entry((above, c)).or_insert_with(|| {
                let length = lengths.entry(above).or_insert(0u128);
                *length += 1;
                if *length > 1 {
                    second = second.or(Some(entry));
                }
                next
            });
        }
        let distinct = match chain_end(format, k) {
            _ if keeps => known.len(),
            // Of entries that agree down to the end of the chain one is kept.
            Some(end) => {
                let chains = (0..paths.len()).map(|e| (paths[e], all[k + 1..=end].iter().map(|own| own[e]).collect()));
                chains.collect::<HashSet<(u32, Vec<u32>)>>().len()
            }
            None => paths.len(),
        };
        let tally = Tally {
            parents,
            extent,
            distinct: distinct as u128,
            own: own.len() as u128,
            most: own.keys().max().map_or(0, |&c| u128::from(c) + 1),
            bands: bands.values().map(|&(lo, hi)| u128::from(hi - lo) + 1).sum(),
            longest: lengths.values().max().copied().unwrap_or(0),
            switches: &level.switches,
        };
        if level.properties.branchless && unique_above(format, k).is_some() {
            overfull = overfull.or(second.map(|entry| Overfull { level: k, entry }));
            gapped = gapped.or((level.properties.compact && parents > known.len() as u128).then_some(k));
        }
        let stored = level.kind.stored(&tally);
        workspace = workspace.max(level.kind.workspace(&tally));
        let fields = level.kind.fields(&level.switches);
        let has = |wanted: FieldKind| fields.iter().any(|(_, kind)| *kind == wanted);
        let coordinates = match has(FieldKind::Positions) {
            // Of an interval the first coordinate is stored.
            true if level.kind.capabilities().value_iteration => parents,
            // Coordinates that are the same for each parent are stored once.
            false if !has(FieldKind::Size) && !level.properties.branchless => tally.own,
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
        parents = stored;
        positions.push(stored);
    }
    Size { bytes: bytes.saturating_add(parents.saturating_mul(8)), positions, workspace, overfull, gapped }
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
