//! Loading: every worker reads its share of the arcs and sends each to the owners of its ends.
//!
//! ```text
//!   share ─► block of arcs ─► to the owners ─► local numbers in the order in which vertices come ─► by arcs and ids ─► rows
//! ```
//!
//! An arc that has arrived is kept by local numbers at once: 8 bytes, and its weight.

use std::borrow::Cow;
use std::mem;

use pleach::{BuildError, BuildOptions, Csr, Duplicates, EdgeList, SelfLoops};

use crate::exchange::Lost;
use crate::met::Met;
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

/// Arcs that one worker reads, in blocks.
pub trait Arcs {
    /// The next block, appended to `arcs`, and vertices without arcs, appended to `alone`; whether there is more.
    ///
    /// # Errors
    ///
    /// In words, with the place.
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String>;

    /// Gives vertices their ids where [`next`](Self::next) has called them by other numbers. All workers call it alike, once for all blocks
    /// that they have read since.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    fn translate(&mut self, wire: &mut Wire<'_>, arcs: &mut [Arc], alone: &mut [u64]) -> Result<(), Lost> {
        let _ = (wire, arcs, alone);
        Ok(())
    }
}

impl<A: Arcs + ?Sized> Arcs for &mut A {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        (**self).next(arcs, alone)
    }

    fn translate(&mut self, wire: &mut Wire<'_>, arcs: &mut [Arc], alone: &mut [u64]) -> Result<(), Lost> {
        (**self).translate(wire, arcs, alone)
    }
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
    /// Whether arcs have a direction. By default they do. If not, each is read as two unless `mirrored` is false.
    pub directed: bool,
    /// Whether every arc that is read stands for two. By default it does if arcs have no direction.
    pub mirrored: bool,
    /// Whether weights are kept. By default they are not.
    pub weighted: bool,
    /// Whether in-arcs of a directed graph are kept, too. By default they are.
    pub incoming: bool,
    /// Which weight an arc has that is read more than once. By default the last.
    pub duplicates: Duplicates<f64>,
    /// Whether arcs from a vertex to itself stay. By default they do.
    pub self_loops: SelfLoops,
    /// Whether all vertices are listed besides the arcs, so that an arc to any other is refused. By
    /// default they are not.
    pub listed: bool,
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
            listed: false,
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

    /// Whether all vertices are listed besides the arcs.
    #[must_use]
    pub fn with_listed(self, listed: bool) -> Self {
        LoadOptions { listed, ..self }
    }

    /// Whether in-arcs are kept in rows of their own.
    fn keeps_incoming(&self) -> bool {
        self.directed && self.incoming
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

/// What is kept of a weight.
trait Kept: Copy + Send + Sync + 'static {
    /// Numbers of eight bytes that an arc takes on the wire.
    const WORDS: usize;
    fn of(weight: f64) -> Self;
    /// Rows of arcs, which are freed meanwhile.
    fn rows(arcs: EdgeList<Self>, options: &LoadOptions) -> Result<Csr<Self>, BuildError>;
}

impl Kept for () {
    const WORDS: usize = 2;
    fn of(_: f64) -> Self {}
    fn rows(arcs: EdgeList<()>, options: &LoadOptions) -> Result<Csr<()>, BuildError> {
        let rules = BuildOptions::default().with_duplicates(Duplicates::Last).with_self_loops(options.self_loops);
        Csr::from_arcs(Cow::Owned(arcs), &rules).map(|built| built.0)
    }
}

impl Kept for f64 {
    const WORDS: usize = 3;
    fn of(weight: f64) -> Self {
        weight
    }
    fn rows(arcs: EdgeList<f64>, options: &LoadOptions) -> Result<Csr<f64>, BuildError> {
        let rules = BuildOptions::default().with_duplicates(options.duplicates).with_self_loops(options.self_loops);
        Csr::from_arcs(Cow::Owned(arcs), &rules).map(|built| built.0)
    }
}

/// Arcs that have arrived, by local numbers: first those of rows of out-arcs, then those of in-arcs.
struct Arrived<V> {
    met: Met,
    sides: [EdgeList<V>; 2],
    /// Whether each vertex is listed, by its local number.
    listed: Vec<bool>,
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
    load_from(wire, &mut arcs, options)
}

/// As [`load`], compiled once for all kinds of arcs. The kernels that read the rows later are compiled with it, in this crate.
#[inline(never)]
fn load_from(wire: &mut Wire<'_>, arcs: &mut dyn Arcs, options: &LoadOptions) -> Result<Part<'static>, LoadError> {
    match options.weighted {
        true => load_as::<f64>(wire, arcs, options),
        false => load_as::<()>(wire, arcs, options),
    }
}

fn load_as<V: Kept>(wire: &mut Wire<'_>, arcs: &mut dyn Arcs, options: &LoadOptions) -> Result<Part<'static>, LoadError>
where
    Sides<Csr<V>>: LocalRows,
{
    let arrived = route::<V>(wire, arcs, options)?;
    let built = arrived.and_then(|arrived| build(arrived, options));
    let (pieces, met) = wire.agree(built)??;
    Ok(Part::agree(wire, pieces, &|id| met.get(id))?)
}

/// A message of a superstep: whether there is more, how many arcs, the arcs, vertices without arcs. Of a worker that has failed, why.
struct Message {
    words: Vec<u64>,
    alone: Vec<u64>,
}

/// What a message says of its sender.
const DONE: u64 = 0;
const MORE: u64 = 1;
const FAILED: u64 = 2;

/// Reads block after block and sends every arc to the owners of its ends. The inner error is that of this worker alone.
fn route<V: Kept>(
    wire: &mut Wire<'_>,
    source: &mut dyn Arcs,
    options: &LoadOptions,
) -> Result<Result<Arrived<V>, String>, LoadError> {
    let workers = wire.workers();
    let mut arrived = Inbox::<V>::new(wire, options);
    let (mut block, mut alone) = (Vec::new(), Vec::new());
    let (mut state, mut full) = (MORE, Ok(()));
    loop {
        let mut failed = None;
        while state == MORE && block.len() < BLOCK && alone.len() < BLOCK {
            match source.next(&mut block, &mut alone) {
                Ok(true) => {}
                Ok(false) => state = DONE,
                Err(error) => (state, failed) = (FAILED, Some(error)),
            }
        }
        source.translate(wire, &mut block, &mut alone)?;
        let to = match &failed {
            Some(error) => vec![[&FAILED.to_ne_bytes()[..], error.as_bytes()].concat(); workers],
            None => deal::<V>(&mut block, &mut alone, workers, options)
                .into_iter()
                .map(|message| message.bytes(state, V::WORDS))
                .collect(),
        };
        let from = wire.swap(to)?;
        let mut going_on = false;
        for (worker, bytes) in from.iter().enumerate() {
            let (state, rest) = bytes.split_at(8);
            match bytemuck::pod_read_unaligned(state) {
                FAILED => {
                    let reason = String::from_utf8_lossy(rest).into_owned();
                    return Err(Refused { worker, reason }.into());
                }
                state => going_on |= state == MORE,
            }
        }
        for (worker, bytes) in from.into_iter().enumerate() {
            full = full.and_then(|()| arrived.take(worker, &bytes[8..]));
        }
        if !going_on {
            return Ok(full.map(|()| arrived.into_one()));
        }
    }
}

/// Deals arcs and vertices to their owners.
fn deal<V: Kept>(block: &mut Vec<Arc>, alone: &mut Vec<u64>, workers: usize, options: &LoadOptions) -> Vec<Message> {
    let ownership = options.ownership;
    // An owner of the target that keeps no arc of it needs to know that the vertex is there.
    let whole = options.keeps_incoming() || options.mirrored || options.listed;
    let mut to: Vec<Message> = (0..workers).map(|_| Message { words: Vec::new(), alone: Vec::new() }).collect();
    for arc in block.drain(..) {
        let words = [arc.from, arc.to, arc.weight.to_bits()];
        let (from, target) = (ownership.owner(arc.from), ownership.owner(arc.to));
        to[from].words.extend_from_slice(&words[..V::WORDS]);
        if target != from {
            match whole {
                true => to[target].words.extend_from_slice(&words[..V::WORDS]),
                false => to[target].alone.push(arc.to),
            }
        }
    }
    alone.drain(..).for_each(|id| to[ownership.owner(id)].alone.push(id));
    to
}

impl Message {
    fn bytes(mut self, state: u64, words: usize) -> Vec<u8> {
        self.alone.sort_unstable();
        self.alone.dedup();
        let mut bytes = Vec::with_capacity(16 + 8 * (self.words.len() + self.alone.len()));
        bytes.extend_from_slice(bytemuck::cast_slice(&[state, (self.words.len() / words) as u64]));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.words));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.alone));
        bytes
    }
}

/// Arcs of vertices whose number is not known yet.
fn list<V>() -> EdgeList<V> {
    EdgeList::new(usize::MAX, usize::MAX)
}

/// What has arrived at a worker so far.
struct Inbox<'o, V> {
    me: usize,
    options: &'o LoadOptions,
    met: Met,
    /// Arcs from each worker where the order decides which weight an arc has, or all together.
    sides: Vec<[EdgeList<V>; 2]>,
    listed: Vec<bool>,
}

impl<'o, V: Kept> Inbox<'o, V> {
    fn new(wire: &Wire<'_>, options: &'o LoadOptions) -> Self {
        let lists = if V::WORDS > 2 { wire.workers() } else { 1 };
        let sides = (0..lists).map(|_| [list(), list()]).collect();
        let me = wire.worker();
        Inbox { me, options, met: Met::new(options.ownership, me), sides, listed: Vec::new() }
    }

    /// Takes what a worker has sent: how many arcs, the arcs, and vertices without arcs.
    fn take(&mut self, worker: usize, bytes: &[u8]) -> Result<(), String> {
        let (count, rest) = bytes.split_at(8);
        let size = 8 * V::WORDS;
        let (arcs, alone) = rest.split_at(bytemuck::pod_read_unaligned::<u64>(count) as usize * size);
        let at = worker.min(self.sides.len() - 1);
        let Inbox { me, options, met, sides, listed } = self;
        let [out, incoming] = &mut sides[at];
        let owner = |id| options.ownership.owner(id) == *me;
        for arc in arcs.chunks_exact(size) {
            let word = |k: usize| -> u64 { bytemuck::pod_read_unaligned(&arc[8 * k..8 * k + 8]) };
            let (from, to) = (word(0), word(1));
            let (has_from, has_to) = (owner(from), owner(to));
            let kept = has_from || options.mirrored || options.keeps_incoming();
            if !kept {
                met.number(to)?;
                continue;
            }
            let weight = V::of(if V::WORDS > 2 { f64::from_bits(word(2)) } else { 1.0 });
            let (from, to) = (met.number(from)?, met.number(to)?);
            if has_from {
                out.push(from, to, weight);
            }
            if has_to && options.mirrored && from != to {
                out.push(to, from, weight);
            }
            if has_to && options.keeps_incoming() {
                incoming.push(to, from, weight);
            }
            if has_from && options.mirrored && options.keeps_incoming() && from != to {
                incoming.push(from, to, weight);
            }
        }
        for id in alone.chunks_exact(8) {
            let vertex = met.number(bytemuck::pod_read_unaligned(id))? as usize;
            if options.listed {
                listed.resize(listed.len().max(vertex + 1), false);
                listed[vertex] = true;
            }
        }
        Ok(())
    }

    /// The arcs of all workers one after the other.
    fn into_one(self) -> Arrived<V> {
        let mut lists = self.sides.into_iter();
        let mut sides = lists.next().unwrap_or_else(|| [list(), list()]);
        for from in lists {
            for (side, more) in sides.iter_mut().zip(from) {
                side.src.extend_from_slice(&more.src);
                side.dst.extend_from_slice(&more.dst);
                side.weight.extend_from_slice(&more.weight);
            }
        }
        Arrived { met: self.met, sides, listed: self.listed }
    }
}

/// How many arcs lead to each of `vertices` vertices.
fn counts<V>(sides: &[EdgeList<V>], vertices: usize) -> Vec<u32> {
    let mut counts = vec![0u32; vertices];
    for &vertex in sides.iter().flat_map(|side| &side.dst) {
        counts[vertex as usize] = counts[vertex as usize].saturating_add(1);
    }
    counts
}

/// Numbers the vertices of a worker and builds its rows.
fn build<V: Kept>(arrived: Arrived<V>, options: &LoadOptions) -> Result<(Pieces<'static>, Met), String>
where
    Sides<Csr<V>>: LocalRows,
{
    let Arrived { mut met, mut sides, listed } = arrived;
    if options.listed
        && let Some(id) = met.first_own(|vertex| !listed.get(vertex as usize).is_some_and(|&listed| listed))
    {
        return Err(format!("an arc leads from or to {id}, which is not among the vertices that the graph lists"));
    }
    let all = met.ids().len();
    let renamed = met.sort(&counts(&sides, all));
    let owned = met.num_own();
    let mut rows = |side: usize| {
        let mut list = mem::replace(&mut sides[side], list());
        (list.num_rows, list.num_cols) = (owned, all);
        for end in list.src.iter_mut().chain(&mut list.dst) {
            *end = renamed[*end as usize];
        }
        V::rows(list, options)
    };
    let out = rows(0).map_err(|error| error.to_string())?;
    let incoming = options.keeps_incoming().then(|| rows(1)).transpose().map_err(|error| error.to_string())?;
    let bytes = out.footprint() + incoming.as_ref().map_or(0, Csr::footprint);
    let rows: Box<dyn LocalRows> = Box::new(Sides { out, incoming, bytes });
    let mut own: Vec<u32> = (0..owned as u32).collect();
    own.sort_unstable_by_key(|&vertex| met.ids()[vertex as usize]);
    let pieces =
        Pieces { ownership: options.ownership, directed: options.directed, rows, ids: met.ids().to_vec(), own };
    Ok((pieces, met))
}
