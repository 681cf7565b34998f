//! Loading: every worker reads its share of the arcs and sends each to the owners of its ends.

use std::collections::HashMap;

use pleach::{BuildOptions, Csr, Duplicates, EdgeList, SelfLoops};

use crate::exchange::Lost;
use crate::owner::Ownership;
use crate::part::{Part, Pieces};
use crate::rows::{LocalRows, Sides};
use crate::wire::{Refused, Wire};

/// An arc with the ids of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// The source.
    pub from: u64,
    /// The target.
    pub to: u64,
    /// The weight; 1 if there is none.
    pub weight: f64,
}

/// An arc without a weight, as it travels.
type Ends = [u64; 2];

/// An arc with a weight, as it travels: the bits of the weight come last.
type Weighted = [u64; 3];

/// Arcs that one worker reads, in blocks.
pub trait Arcs {
    /// The next block, appended to `arcs`, and vertices without arcs, appended to `alone`; whether there is more.
    ///
    /// # Errors
    ///
    /// In words, with the place.
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String>;
}

/// Arcs in memory.
impl Arcs for std::vec::IntoIter<Arc> {
    fn next(&mut self, arcs: &mut Vec<Arc>, _: &mut Vec<u64>) -> Result<bool, String> {
        arcs.extend(self.by_ref().take(BLOCK));
        Ok(self.len() > 0)
    }
}

/// Arcs that a worker reads, at least, before it sends them.
const BLOCK: usize = 1 << 18;

/// How a graph is loaded.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Who owns what.
    pub ownership: Ownership,
    /// Whether arcs have a direction. If not, each is read as two unless `mirrored` is false.
    pub directed: bool,
    /// Whether every arc that is read stands for two.
    pub mirrored: bool,
    /// Whether weights are kept.
    pub weighted: bool,
    /// Whether in-arcs of a directed graph are kept, too.
    pub incoming: bool,
    /// Which weight an arc has that is read more than once.
    pub duplicates: Duplicates<f64>,
    /// Whether arcs from a vertex to itself stay.
    pub self_loops: SelfLoops,
}

impl LoadOptions {
    /// Of a directed graph without weights, with in-arcs.
    pub fn new(ownership: Ownership) -> Self {
        LoadOptions {
            ownership,
            directed: true,
            mirrored: false,
            weighted: false,
            incoming: true,
            duplicates: Duplicates::Last,
            self_loops: SelfLoops::Keep,
        }
    }

    /// Whether arcs have a direction. Without one, each that is read stands for two.
    #[must_use]
    pub fn with_directed(self, directed: bool) -> Self {
        LoadOptions { directed, mirrored: !directed, ..self }
    }

    /// Whether every arc that is read stands for two.
    #[must_use]
    pub fn with_mirrored(self, mirrored: bool) -> Self {
        LoadOptions { mirrored, ..self }
    }

    /// Whether weights are kept.
    #[must_use]
    pub fn with_weighted(self, weighted: bool) -> Self {
        LoadOptions { weighted, ..self }
    }

    /// Whether in-arcs of a directed graph are kept, too.
    #[must_use]
    pub fn with_incoming(self, incoming: bool) -> Self {
        LoadOptions { incoming, ..self }
    }

    /// Which weight an arc has that is read more than once.
    #[must_use]
    pub fn with_duplicates(self, duplicates: Duplicates<f64>) -> Self {
        LoadOptions { duplicates, ..self }
    }

    /// Whether arcs from a vertex to itself stay.
    #[must_use]
    pub fn with_self_loops(self, self_loops: SelfLoops) -> Self {
        LoadOptions { self_loops, ..self }
    }
}

/// Why a graph could not be loaded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A worker has ended.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A worker could not read or hold its part.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// What arrived at one worker: from each other in the order in which that one read it.
#[derive(Default)]
struct Arrived {
    arcs: Vec<Vec<Arc>>,
    alone: Vec<u64>,
}

/// Loads a graph: every worker reads what `arcs` has at that worker.
///
/// A worker holds the rows of its vertices and, while it loads, a block of what it reads. O(m / workers) time and supersteps of
/// some megabytes, if the shares are equal.
///
/// # Errors
///
/// [`LoadError`], the same at every worker: of the first worker that could not read its share.
pub fn load(wire: &mut Wire<'_>, mut arcs: impl Arcs, options: &LoadOptions) -> Result<Part<'static>, LoadError> {
    let arrived = route(wire, &mut arcs, options)?;
    let built = build(wire.worker(), arrived, options);
    let (pieces, table) = wire.agree(built)??;
    let found = |id: u64| table.get(&id).copied();
    Ok(Part::agree(wire, pieces, &found)?)
}

/// Reads block after block and sends every arc to the owners of its ends.
fn route(wire: &mut Wire<'_>, source: &mut dyn Arcs, options: &LoadOptions) -> Result<Arrived, LoadError> {
    let (workers, ownership) = (wire.workers(), options.ownership);
    let mut arrived = Arrived { arcs: vec![Vec::new(); workers], alone: Vec::new() };
    let (mut block, mut alone) = (Vec::new(), Vec::new());
    let mut more = true;
    loop {
        let mut failed = None;
        while more && block.len() < BLOCK {
            match source.next(&mut block, &mut alone) {
                Ok(left) => more = left,
                Err(error) => (more, failed) = (false, Some(error)),
            }
        }
        // Each message: whether there is more, how many arcs, the arcs, vertices without arcs.
        let mut to: Vec<(Vec<Arc>, Vec<u64>)> = vec![Default::default(); workers];
        for arc in block.drain(..) {
            let (from, target) = (ownership.owner(arc.from), ownership.owner(arc.to));
            to[from].0.push(arc);
            if target != from {
                match options.incoming || options.mirrored {
                    true => to[target].0.push(arc),
                    false => to[target].1.push(arc.to),
                }
            }
        }
        alone.drain(..).for_each(|id| to[ownership.owner(id)].1.push(id));
        let message = |(arcs, mut alone): (Vec<Arc>, Vec<u64>)| {
            alone.sort_unstable();
            alone.dedup();
            let mut bytes = Vec::new();
            bytes.extend_from_slice(bytemuck::bytes_of(&[u64::from(more), arcs.len() as u64]));
            match options.weighted {
                true => arcs.iter().for_each(|arc| {
                    bytes.extend_from_slice(bytemuck::bytes_of(&[arc.from, arc.to, arc.weight.to_bits()]));
                }),
                false => arcs.iter().for_each(|arc| bytes.extend_from_slice(bytemuck::bytes_of(&[arc.from, arc.to]))),
            }
            bytes.extend_from_slice(bytemuck::cast_slice(&alone));
            bytes
        };
        let from = wire.swap(to.into_iter().map(message).collect())?;
        let mut going_on = false;
        for (worker, bytes) in from.iter().enumerate() {
            let (head, rest) = bytes.split_at(16);
            let [more, count]: [u64; 2] = bytemuck::pod_read_unaligned(head);
            going_on |= more == 1;
            let size = if options.weighted { size_of::<Weighted>() } else { size_of::<Ends>() };
            let (arcs, alone) = rest.split_at(count as usize * size);
            let read = |bytes: &[u8]| match options.weighted {
                true => {
                    let [from, to, weight]: Weighted = bytemuck::pod_read_unaligned(bytes);
                    Arc { from, to, weight: f64::from_bits(weight) }
                }
                false => {
                    let [from, to]: Ends = bytemuck::pod_read_unaligned(bytes);
                    Arc { from, to, weight: 1.0 }
                }
            };
            arrived.arcs[worker].extend(arcs.chunks_exact(size).map(read));
            arrived.alone.extend(crate::wire::numbers::<u64>(alone));
        }
        if let Some(error) = failed {
            wire.agree::<()>(Err(error))??;
        } else {
            wire.agree(Ok(()))??;
        }
        if !going_on {
            return Ok(arrived);
        }
        arrived.alone.sort_unstable();
        arrived.alone.dedup();
    }
}

type Built = Result<(Pieces<'static>, HashMap<u64, u32, foldhash::fast::FixedState>), String>;

/// Numbers the vertices of a worker and builds its rows.
fn build(me: usize, arrived: Arrived, options: &LoadOptions) -> Built {
    let ownership = options.ownership;
    let Arrived { arcs, alone } = arrived;
    let mut ids = alone;
    let ends = |arc: &Arc| [arc.from, arc.to];
    ids.extend(arcs.iter().flatten().flat_map(ends));
    ids.sort_unstable();
    ids.dedup();
    // Its own vertices come first; ghosts follow, by their owners.
    ids.sort_by_key(|&id| (ownership.owner(id) + ownership.workers() - me) % ownership.workers());
    if u32::try_from(ids.len()).is_err() {
        let limit = "one worker can hold 2^32 - 1 vertices and ghosts: use more workers";
        return Err(format!("{} vertices and ghosts; {limit}", ids.len()));
    }
    let mut table = HashMap::with_capacity_and_hasher(ids.len(), Default::default());
    ids.iter().enumerate().for_each(|(local, &id)| {
        table.insert(id, local as u32);
    });
    let owned = ids.iter().take_while(|&&id| ownership.owner(id) == me).count();
    let mut out = EdgeList::<f64>::new(owned, ids.len());
    let mut incoming = EdgeList::<f64>::new(owned, ids.len());
    for arc in arcs.into_iter().flatten() {
        let (from, to) = (table[&arc.from], table[&arc.to]);
        let (has_from, has_to) = ((from as usize) < owned, (to as usize) < owned);
        if has_from {
            out.push(from, to, arc.weight);
        }
        if has_to && options.mirrored && from != to {
            out.push(to, from, arc.weight);
        }
        if has_to && options.directed && options.incoming {
            incoming.push(to, from, arc.weight);
        }
    }
    let keeps_incoming = options.directed && options.incoming;
    let rows = if options.weighted {
        let rules = BuildOptions::default().with_duplicates(options.duplicates).with_self_loops(options.self_loops);
        let rows = |list: EdgeList<f64>| Csr::from_edges(&list, &rules).map(|built| built.0);
        sides(out, keeps_incoming.then_some(incoming), rows, Csr::footprint)
    } else {
        let rules = BuildOptions::default().with_duplicates(Duplicates::Last).with_self_loops(options.self_loops);
        let rows = |list: EdgeList<f64>| {
            let EdgeList { num_rows, num_cols, src, dst, weight } = list;
            let list = EdgeList { num_rows, num_cols, weight: vec![(); weight.len()], src, dst };
            Csr::from_edges(&list, &rules).map(|built| built.0)
        };
        sides(out, keeps_incoming.then_some(incoming), rows, Csr::footprint)
    };
    let own = (0..owned as u32).collect();
    let directed = options.directed;
    let rows = rows.map_err(|error| error.to_string())?;
    Ok((Pieces { ownership, directed, rows, ids, own }, table))
}

/// The rows of both directions.
fn sides<R>(
    out: EdgeList<f64>,
    incoming: Option<EdgeList<f64>>,
    rows: impl Fn(EdgeList<f64>) -> Result<R, pleach::BuildError>,
    bytes: impl Fn(&R) -> usize,
) -> Result<Box<dyn LocalRows>, pleach::BuildError>
where
    Sides<R>: LocalRows + 'static,
{
    let out = rows(out)?;
    let incoming = incoming.map(rows).transpose()?;
    let bytes = bytes(&out) + incoming.as_ref().map_or(0, bytes);
    Ok(Box::new(Sides { out, incoming, bytes }))
}
