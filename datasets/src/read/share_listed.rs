//! Documents that list vertices and edges by whatever they call them: the first reader reads them, a block at a time.
//!
//! ```text
//!   parser ── items ─► block ─► waits until the one before was taken ─► next block …
//! ```
//!
//! The parser calls who hears it, so that it runs on a thread of its own and is at most two blocks ahead. Whether all are called by
//! whole numbers, which are ids then, is known when the document was read once.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use serde_json::Deserializer;

use super::listed::{Told, check_name, id};
use super::share::NamedArcs;
use super::share_steps::BLOCK;
use super::xml::Said;
use super::{gexf, graphml, node_link};
use crate::error::Error;
use crate::input::Format;
use crate::source::Source;

/// A file with a document.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) format: Format,
    /// What the file holds, once that was counted.
    pub(super) counts: Option<Counts>,
}

/// What a document holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) named: bool,
    pub(super) directed: bool,
    pub(super) weighted: bool,
}

const NAMED: u64 = 1;
const DIRECTED: u64 = 2;
const WEIGHTED: u64 = 4;

impl Document {
    /// Reads the document once, at the first reader.
    pub(super) fn count(&self, reader: usize) -> Result<[u64; 3], Error> {
        if reader > 0 {
            return Ok([0; 3]);
        }
        let mut counted = Counted { path: &self.path, counts: Counts::default(), some: false };
        tell(&self.path, self.format, &mut counted)?;
        if !counted.some {
            return Err(Error::Empty { path: self.path.clone(), expected: "at least one vertex" });
        }
        let Counts { named, directed, weighted } = counted.counts;
        let flags = [(named, NAMED), (directed, DIRECTED), (weighted, WEIGHTED)];
        Ok([flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1).sum(), 0, 0])
    }

    /// Takes what the first reader has found.
    pub(super) fn take_counts(&mut self, counts: &[[u64; 3]]) -> Counts {
        let flags = counts.first().map_or(0, |count| count[0]);
        let flag = |flag| flags & flag > 0;
        *self.counts.insert(Counts { named: flag(NAMED), directed: flag(DIRECTED), weighted: flag(WEIGHTED) })
    }

    /// Begins to read it.
    pub(super) fn begin(&self) -> Result<DocumentShare, Error> {
        let (to, blocks) = sync_channel(1);
        let (path, format) = (self.path.clone(), self.format);
        let named = self.counts.is_some_and(|counts| counts.named);
        let read = move || {
            let mut blocks = Blocks { to, path: path.clone(), named, block: Block::default(), places: HashMap::new() };
            let read = tell(&path, format, &mut blocks).and_then(|()| blocks.send());
            // If nobody hears of it any more, there is nobody to be told.
            let _ = blocks.to.send(read.map(|()| None));
        };
        let started = std::thread::Builder::new().name("pleach:document".to_owned()).spawn(read);
        started.map_err(|error| Error::io(&self.path, error))?;
        Ok(DocumentShare { path: self.path.clone(), blocks })
    }
}

/// Tells what a document of a format says.
fn tell<T>(path: &Path, format: Format, told: &mut T) -> Result<(), Error>
where
    T: Told<Said> + Told<serde_json::Map<String, serde_json::Value>>,
{
    let mut source = Source::again(path, None)?;
    source.skip_mark();
    match format {
        Format::GraphMl => {
            let mut plain = Plain { told, vertices: 0, called: 0 };
            graphml::tell(source, &mut plain)?;
            plain.check(path)
        }
        Format::Gexf => gexf::tell(source, told),
        _ => node_link::tell(path, &mut Deserializer::from_reader(BufReader::new(source.into_reader())), told),
    }
}

/// A document of GraphML whose vertices are called by their ids. Those of igraph, which call them otherwise, are known by their beginnings.
struct Plain<'t> {
    told: &'t mut dyn Told<Said>,
    vertices: u64,
    /// Vertices that have a name that they could be called by.
    called: u64,
}

impl Plain<'_> {
    fn check(&self, path: &Path) -> Result<(), Error> {
        if self.vertices == 0 || self.called < self.vertices {
            return Ok(());
        }
        let key = graphml::IGRAPH_NAME;
        let reason =
            format!("expected a <key> `{key}` in the beginning of the file, since every vertex has a name by it");
        Err(Error::Damaged { path: path.to_owned(), offset: 0, reason })
    }
}

impl Told<Said> for Plain<'_> {
    fn vertex(&mut self, name: String, said: &Said) -> Result<(), Error> {
        self.vertices += 1;
        self.called += u64::from(said.called.as_deref().is_some_and(graphml::is_name));
        self.told.vertex(name, said)
    }

    fn edge(&mut self, ends: [String; 2], weight: Option<f64>, said: &Said) -> Result<(), Error> {
        self.told.edge(ends, weight, said)
    }

    fn directed(&mut self, directed: bool) {
        self.told.directed(directed);
    }
}

struct Counted<'p> {
    path: &'p Path,
    counts: Counts,
    some: bool,
}

impl Counted<'_> {
    fn name(&mut self, name: &str) -> Result<(), Error> {
        self.some = true;
        self.counts.named |= id(name).is_none();
        check_name(self.path, name)
    }
}

impl<I> Told<I> for Counted<'_> {
    fn vertex(&mut self, name: String, _: &I) -> Result<(), Error> {
        self.name(&name)
    }

    fn edge(&mut self, ends: [String; 2], weight: Option<f64>, _: &I) -> Result<(), Error> {
        self.counts.weighted |= weight.is_some();
        ends.iter().try_for_each(|end| self.name(end))
    }

    fn directed(&mut self, directed: bool) {
        self.counts.directed = directed;
    }
}

/// Some vertices and edges: by their names, or by their ids.
#[derive(Default)]
struct Block {
    named: NamedArcs,
    arcs: Vec<(u64, u64, f64)>,
    alone: Vec<u64>,
}

/// What a parser has sent: a block, none at the end, or what is wrong.
type Sent = Result<Option<Block>, Error>;

/// Puts blocks together, and hands them over.
struct Blocks {
    to: SyncSender<Sent>,
    path: PathBuf,
    named: bool,
    block: Block,
    /// The place of each name of the block.
    places: HashMap<Box<str>, u32>,
}

impl Blocks {
    fn send(&mut self) -> Result<(), Error> {
        self.places.clear();
        let block = std::mem::take(&mut self.block);
        // Whoever reads no more has gone, and hears of no error.
        self.to.send(Ok(Some(block))).map_err(|_| Error::io(&self.path, std::io::ErrorKind::BrokenPipe.into()))
    }

    fn sent_if_full(&mut self) -> Result<(), Error> {
        let Block { named, arcs, alone } = &self.block;
        match named.names.len().max(named.arcs.len()).max(arcs.len()).max(alone.len()) >= BLOCK {
            true => self.send(),
            false => Ok(()),
        }
    }

    fn place(&mut self, name: String) -> u32 {
        let names = &mut self.block.named.names;
        *self.places.entry(name.into()).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() as u32 - 1
        })
    }
}

impl<I> Told<I> for Blocks {
    fn vertex(&mut self, name: String, _: &I) -> Result<(), Error> {
        match self.named {
            true => drop(self.place(name)),
            false => self.block.alone.extend(id(&name)),
        }
        self.sent_if_full()
    }

    fn edge(&mut self, [src, dst]: [String; 2], weight: Option<f64>, _: &I) -> Result<(), Error> {
        let weight = weight.unwrap_or(1.0);
        if self.named {
            let (src, dst) = (self.place(src), self.place(dst));
            self.block.named.arcs.push((src, dst, weight));
        } else if let (Some(src), Some(dst)) = (id(&src), id(&dst)) {
            self.block.arcs.push((src, dst, weight));
        }
        self.sent_if_full()
    }

    fn directed(&mut self, _: bool) {}
}

/// A document that is being read.
pub(super) struct DocumentShare {
    path: PathBuf,
    blocks: Receiver<Sent>,
}

impl DocumentShare {
    fn block(&mut self) -> Sent {
        let gone = || Error::io(&self.path, std::io::Error::other("is not read any more"));
        self.blocks.recv().map_err(|_| gone())?
    }

    pub(super) fn next(
        &mut self,
        each: &mut dyn FnMut(u64, u64, f64),
        alone: &mut dyn FnMut(u64),
    ) -> Result<bool, Error> {
        let Some(block) = self.block()? else { return Ok(false) };
        block.arcs.into_iter().for_each(|(src, dst, weight)| each(src, dst, weight));
        block.alone.into_iter().for_each(alone);
        Ok(true)
    }

    pub(super) fn next_named(&mut self) -> Result<Option<NamedArcs>, Error> {
        Ok(self.block()?.map(|block| block.named))
    }
}
