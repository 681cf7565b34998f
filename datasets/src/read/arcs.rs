//! Parsed blocks put together: ids become coordinates, parts become one edge list.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use pleach::runtime::{par_each, par_items, par_map, par_sort};

use crate::error::Error;
use crate::ids::IdMap;
use crate::scan::Id;

/// The arcs of one block, with ids as the file has them.
pub(crate) struct Part<I> {
    pub(crate) src: Vec<I>,
    pub(crate) dst: Vec<I>,
    /// As long as `src`, or empty if there are no weights.
    pub(crate) weight: Vec<f64>,
    /// Vertices that are named outside of arcs.
    pub(crate) alone: Vec<I>,
    /// Whether a whole number among the weights was rounded.
    pub(crate) rounded: bool,
}

impl<I> Part<I> {
    pub(crate) fn with_capacity(arcs: usize, weighted: bool) -> Self {
        Part {
            src: Vec::with_capacity(arcs),
            dst: Vec::with_capacity(arcs),
            weight: Vec::with_capacity(if weighted { arcs } else { 0 }),
            alone: Vec::new(),
            rounded: false,
        }
    }
}

/// The arcs of one block, in the width that they need.
pub(crate) enum AnyPart {
    /// All ids are below 2^32.
    Narrow(Part<u32>),
    /// Some are not.
    Wide(Part<u64>),
}

impl AnyPart {
    pub(crate) fn len(&self) -> usize {
        match self {
            AnyPart::Narrow(part) => part.src.len(),
            AnyPart::Wide(part) => part.src.len(),
        }
    }

    /// Whether a whole number among the weights was rounded.
    pub(crate) fn is_rounded(&self) -> bool {
        match self {
            AnyPart::Narrow(part) => part.rounded,
            AnyPart::Wide(part) => part.rounded,
        }
    }

    /// The largest source.
    pub(crate) fn largest_source(&self) -> Option<u64> {
        match self {
            AnyPart::Narrow(part) => part.src.iter().max().map(|&id| id.wide()),
            AnyPart::Wide(part) => part.src.iter().max().copied(),
        }
    }

    /// Adds so much to all targets; false if they do not fit 64 bits.
    pub(crate) fn shift_targets(&mut self, by: u64) -> bool {
        if let AnyPart::Narrow(part) = self {
            let fits = |id: u32| u64::from(id).checked_add(by).is_some_and(|id| u32::try_from(id).is_ok());
            if part.dst.iter().all(|&id| fits(id)) {
                part.dst.iter_mut().for_each(|id| *id += by as u32);
                return true;
            }
            let wide = |ids: &[u32]| ids.iter().map(|id| id.wide()).collect();
            *self = AnyPart::Wide(Part {
                src: wide(&part.src),
                dst: wide(&part.dst),
                alone: wide(&part.alone),
                weight: std::mem::take(&mut part.weight),
                rounded: part.rounded,
            });
        }
        let AnyPart::Wide(part) = self else { return true };
        part.dst.iter_mut().all(|id| {
            let shifted = id.checked_add(by);
            *id = shifted.unwrap_or(*id);
            shifted.is_some()
        })
    }

    /// Calls `each` with all ids that occur.
    fn for_each(&self, mut each: impl FnMut(u64)) {
        match self {
            AnyPart::Narrow(p) => [&p.src, &p.dst, &p.alone].into_iter().flatten().for_each(|id| each(id.wide())),
            AnyPart::Wide(p) => [&p.src, &p.dst, &p.alone].into_iter().flatten().for_each(|id| each(*id)),
        }
    }

    /// The smallest and the largest id that occur, the other way round if none does.
    fn spread(&self) -> (u64, u64) {
        fn of<I: Id>(part: &Part<I>) -> (u64, u64) {
            [&part.src, &part.dst, &part.alone].into_iter().filter(|ids| !ids.is_empty()).fold(
                (u64::MAX, 0),
                |spread, ids| {
                    // In the width of the ids: several at once.
                    let (least, largest) = ids.iter().fold((ids[0], ids[0]), |s, &id| (s.0.min(id), s.1.max(id)));
                    (spread.0.min(least.wide()), spread.1.max(largest.wide()))
                },
            )
        }
        match self {
            AnyPart::Narrow(part) => of(part),
            AnyPart::Wide(part) => of(part),
        }
    }

    fn count(&self) -> usize {
        let alone = match self {
            AnyPart::Narrow(p) => p.alone.len(),
            AnyPart::Wide(p) => p.alone.len(),
        };
        2 * self.len() + alone
    }
}

/// Arcs in coordinates, before loops and duplicates are looked at.
pub(crate) struct Arcs {
    pub(crate) src: Vec<u32>,
    pub(crate) dst: Vec<u32>,
    /// As long as `src`, or empty if there are no weights.
    pub(crate) weight: Vec<f64>,
}

impl Arcs {
    /// Calls `each` with source, target and weight (1 without) of each arc.
    pub(crate) fn for_each(&self, each: &mut dyn FnMut(u64, u64, f64)) {
        let weights = self.weight.iter().copied().chain(std::iter::repeat(1.0));
        let all = self.src.iter().zip(&self.dst).zip(weights);
        all.for_each(|((&src, &dst), weight)| each(src.into(), dst.into(), weight));
    }
}

/// Gives every id that occurs a coordinate in the order of the ids and puts the parts together.
pub(crate) fn number(path: &Path, parts: Vec<AnyPart>) -> Result<(Arcs, IdMap), Error> {
    let numbering = Numbering::of(&parts);
    let vertices = numbering.len();
    if vertices > u64::from(u32::MAX) {
        return Err(Error::TooManyVertices { what: crate::input::VERTICES, path: path.to_owned(), vertices });
    }
    let arcs = assemble(parts, |id| numbering.get(id)).expect("every id that occurs is numbered");
    Ok((arcs, numbering.into_ids()))
}

/// Gives the listed ids their coordinates and puts the parts together; `None` if an arc ends at an id that is not listed.
pub(crate) fn number_by(
    path: &Path,
    parts: Vec<AnyPart>,
    mut listed: Vec<u64>,
) -> Result<Option<(Arcs, IdMap)>, Error> {
    par_sort(&mut listed);
    listed.dedup();
    if listed.len() > u32::MAX as usize {
        return Err(Error::TooManyVertices {
            what: crate::input::VERTICES,
            path: path.to_owned(),
            vertices: listed.len() as u64,
        });
    }
    let numbering = Numbering::of_sorted(listed);
    Ok(assemble(parts, |id| numbering.get(id)).map(|arcs| (arcs, numbering.into_ids())))
}

/// Puts parts together whose ids are coordinates already.
pub(crate) fn concatenate(parts: Vec<AnyPart>) -> Arcs {
    assemble(parts, |id| Some(id as u32)).expect("coordinates stay what they are")
}

/// Maps every id and copies each part to its place, in parallel. `None` if an id has no coordinate.
fn assemble(parts: Vec<AnyPart>, map: impl Fn(u64) -> Option<u32> + Sync) -> Option<Arcs> {
    let total = parts.iter().map(AnyPart::len).sum();
    let weights = match parts.iter().find(|p| p.len() > 0) {
        Some(AnyPart::Narrow(p)) => p.weight.len(),
        Some(AnyPart::Wide(p)) => p.weight.len(),
        None => 0,
    };
    // Zeroed memory comes untouched from the system: the first write to it is the parallel one below.
    let mut arcs =
        Arcs { src: vec![0; total], dst: vec![0; total], weight: vec![0.0; if weights > 0 { total } else { 0 }] };
    let (mut src, mut dst, mut weight) = (&mut arcs.src[..], &mut arcs.dst[..], &mut arcs.weight[..]);
    let mut places = Vec::with_capacity(parts.len());
    for part in parts {
        let n = part.len();
        let here = (src.split_off_mut(..n)?, dst.split_off_mut(..n)?, weight.split_off_mut(..n.min(weight.len()))?);
        places.push((part, here));
    }
    fn copy<I: Id>(
        part: &Part<I>,
        place: (&mut [u32], &mut [u32], &mut [f64]),
        map: impl Fn(u64) -> Option<u32>,
    ) -> Option<()> {
        for (to, from) in place.0.iter_mut().zip(&part.src) {
            *to = map(from.wide())?;
        }
        for (to, from) in place.1.iter_mut().zip(&part.dst) {
            *to = map(from.wide())?;
        }
        place.2.copy_from_slice(&part.weight);
        Some(())
    }
    let copied = par_items(places, |(part, place)| match &part {
        AnyPart::Narrow(part) => copy(part, place, &map),
        AnyPart::Wide(part) => copy(part, place, &map),
    });
    copied.into_iter().collect::<Option<()>>()?;
    Some(arcs)
}

/// A set of ids, numbered in their order.
enum Numbering {
    /// `first..first + len`, without gaps.
    Range { first: u64, len: u64 },
    /// One bit an id from `first` on.
    Bits { first: u64, len: u64, words: Vec<Word> },
    /// Sorted ids and an open-addressing table of positions in them. Without slots, ids are searched for.
    Table { ids: Vec<u64>, slots: Vec<u32>, shift: u32 },
}

/// 64 bits, and how many are set before them.
struct Word {
    bits: u64,
    before: u64,
}

/// Marks an empty slot: at most `u32::MAX` ids are numbered, from 0.
const EMPTY: u32 = u32::MAX;

/// Slots behind its own in which an id may lie. More are needed only of ids that were chosen to have one slot.
const PROBED: usize = 256;

impl Numbering {
    fn of(parts: &[AnyPart]) -> Numbering {
        let (first, last) = {
            let spreads = par_map(parts.len(), 1, |part| parts[part].spread());
            spreads.into_iter().fold((u64::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)))
        };
        if first > last {
            return Numbering::Range { first: 0, len: 0 };
        }
        let occurrences: usize = parts.iter().map(AnyPart::count).sum();
        // The words may take as much memory as the arcs' ends do (4 bytes each), and 8 MiB in any case.
        if (last - first) / 16 <= occurrences as u64 + (2 << 20) {
            return Numbering::of_dense(parts, first, last);
        }
        let mut ids = Vec::with_capacity(occurrences);
        for part in parts {
            part.for_each(|id| ids.push(id));
        }
        par_sort(&mut ids);
        ids.dedup();
        Numbering::of_sorted(ids)
    }

    fn of_dense(parts: &[AnyPart], first: u64, last: u64) -> Numbering {
        let bits: Vec<AtomicU64> = par_map(((last - first) / 64 + 1) as usize, 1 << 12, |_| AtomicU64::new(0));
        par_each(parts.len(), 1, &|part: usize| {
            parts[part].for_each(|id| {
                let (word, bit) = (&bits[((id - first) / 64) as usize], 1 << ((id - first) % 64));
                // Most ids occur often: looking first keeps the line shared between cores.
                if word.load(Ordering::Relaxed) & bit == 0 {
                    word.fetch_or(bit, Ordering::Relaxed);
                }
            });
        });
        let mut len = 0;
        let counted = |bits: AtomicU64| {
            let word = Word { bits: bits.into_inner(), before: len };
            len += u64::from(word.bits.count_ones());
            word
        };
        let words: Vec<Word> = bits.into_iter().map(counted).collect();
        match len == last - first + 1 {
            true => Numbering::Range { first, len },
            false => Numbering::Bits { first, len, words },
        }
    }

    /// Numbers ids that are sorted and occur once each.
    fn of_sorted(ids: Vec<u64>) -> Numbering {
        match (ids.first(), ids.last()) {
            (None, _) => return Numbering::Range { first: 0, len: 0 },
            (Some(&first), Some(&last)) if last - first == ids.len() as u64 - 1 => {
                return Numbering::Range { first, len: ids.len() as u64 };
            }
            _ => {}
        }
        if ids.len() > EMPTY as usize {
            // Too many to be numbered: the caller refuses them by their number.
            return Numbering::Table { ids, slots: Vec::new(), shift: 0 };
        }
        let size = (ids.len() * 2).next_power_of_two();
        let shift = 64 - size.trailing_zeros();
        let mut slots = vec![EMPTY; size];
        for (at, &id) in ids.iter().enumerate() {
            let first = Self::slot(id, shift);
            let Some(slot) = (first..=first + PROBED).map(|slot| slot & (size - 1)).find(|&slot| slots[slot] == EMPTY)
            else {
                return Numbering::Table { ids, slots: Vec::new(), shift };
            };
            slots[slot] = at as u32;
        }
        Numbering::Table { ids, slots, shift }
    }

    /// Where the search for `id` begins: its Fibonacci hash.
    fn slot(id: u64, shift: u32) -> usize {
        ((id ^ (id >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
    }

    fn len(&self) -> u64 {
        match self {
            Numbering::Range { len, .. } | Numbering::Bits { len, .. } => *len,
            Numbering::Table { ids, .. } => ids.len() as u64,
        }
    }

    #[inline]
    fn get(&self, id: u64) -> Option<u32> {
        match self {
            Numbering::Range { first, len } => {
                let at = id.wrapping_sub(*first);
                (at < *len).then_some(at as u32)
            }
            Numbering::Bits { first, words, .. } => {
                let at = id.wrapping_sub(*first);
                let Word { bits, before } = words.get(usize::try_from(at / 64).ok()?)?;
                let below = bits & ((1 << (at % 64)) - 1);
                (bits >> (at % 64) & 1 == 1).then(|| *before as u32 + below.count_ones())
            }
            Numbering::Table { ids, slots, .. } if slots.is_empty() => ids.binary_search(&id).ok().map(|at| at as u32),
            Numbering::Table { ids, slots, shift } => {
                let mut slot = Self::slot(id, *shift);
                loop {
                    let at = slots[slot];
                    if at == EMPTY {
                        return None;
                    }
                    if ids[at as usize] == id {
                        return Some(at);
                    }
                    slot = (slot + 1) & (slots.len() - 1);
                }
            }
        }
    }

    fn into_ids(self) -> IdMap {
        match self {
            Numbering::Range { first, len } => IdMap::offset(first, len as usize),
            Numbering::Table { ids, .. } => IdMap::from_sorted(ids),
            Numbering::Bits { first, len, words } => {
                let mut ids = Vec::with_capacity(len as usize);
                for (at, Word { bits: mut word, .. }) in words.into_iter().enumerate() {
                    while word != 0 {
                        ids.push(first + at as u64 * 64 + u64::from(word.trailing_zeros()));
                        word &= word - 1;
                    }
                }
                IdMap::from_sorted(ids)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn wide(arcs: &[(u64, u64)], alone: &[u64]) -> AnyPart {
        AnyPart::Wide(Part {
            src: arcs.iter().map(|a| a.0).collect(),
            dst: arcs.iter().map(|a| a.1).collect(),
            weight: Vec::new(),
            alone: alone.to_vec(),
            rounded: false,
        })
    }

    proptest! {
        #[test]
        fn numbers_in_the_order_of_the_ids(
            arcs in prop::collection::vec((0u64..40, 0u64..40), 0..60),
            alone in prop::collection::vec(0u64..40, 0..5),
            scale in prop::sample::select(vec![1u64, 3, 1_000_003, 1 << 58]),
            cut in 0usize..60,
        ) {
            let arcs: Vec<_> = arcs.iter().map(|&(s, d)| (s * scale + 5, d * scale + 5)).collect();
            let alone: Vec<_> = alone.iter().map(|&v| v * scale + 5).collect();
            let expected: BTreeSet<u64> = arcs.iter().flat_map(|&(s, d)| [s, d]).chain(alone.iter().copied()).collect();
            let cut = cut.min(arcs.len());
            let parts = vec![wide(&arcs[..cut], &alone), wide(&arcs[cut..], &[])];
            let (numbered, ids) = number(Path::new("test"), parts).unwrap();
            prop_assert_eq!(ids.iter().collect::<Vec<_>>(), expected.iter().copied().collect::<Vec<_>>());
            let back: Vec<_> = numbered.src.iter().zip(&numbered.dst).map(|(&s, &d)| (ids.external(s), ids.external(d))).collect();
            prop_assert_eq!(&back, &arcs);
            let listed = expected.iter().rev().copied().collect();
            let (by_list, same) = number_by(Path::new("test"), vec![wide(&arcs, &[])], listed).unwrap().unwrap();
            prop_assert_eq!((by_list.src, by_list.dst, same), (numbered.src, numbered.dst, ids));
        }
    }

    #[test]
    fn ids_that_share_a_slot_are_searched_for() {
        // All of them belong to the first of 2048 slots.
        let ids: Vec<u64> = (0..u64::MAX).filter(|&id| Numbering::slot(id, 64 - 11) == 0).take(1000).collect();
        let numbering = Numbering::of_sorted(ids.clone());
        assert!(matches!(&numbering, Numbering::Table { slots, .. } if slots.is_empty()));
        assert!(ids.iter().zip(0..).all(|(&id, at)| numbering.get(id) == Some(at)));
        assert!(numbering.get(u64::MAX).is_none());
        let numbering = Numbering::of_sorted((0..1000).map(|k| k * 1_000_003).collect());
        assert!(matches!(&numbering, Numbering::Table { slots, .. } if slots.len() == 2048));
    }

    #[test]
    fn an_unlisted_end_is_noticed() {
        for listed in [vec![1, 2], vec![1, 2, 1 << 40], vec![1, 5]] {
            let parts = vec![wide(&[(1, 3)], &[])];
            assert!(number_by(Path::new("test"), parts, listed).unwrap().is_none());
        }
    }
}
