//! JSON, GraphML and GEXF, which list vertices and edges by names: the first reader reads them in blocks.
//!
//! ```text
//!   parser ── items ─► block ─► queue of two blocks ─► reader
//! ```
//!
//! A parser drives its listener, so that it runs on a thread of its own. It is at most two blocks ahead of the reader. A first pass over the
//! document finds out whether all names are whole numbers, and thus ids.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
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
    /// The counts of the first pass, after it.
    pub(super) counts: Option<Counts>,
}

/// What the first pass finds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) named: bool,
    pub(super) directed: bool,
    pub(super) weighted: bool,
    /// Vertices of edges that are not declared.
    pub(super) undeclared: u64,
}

const NAMED: u64 = 1;
const DIRECTED: u64 = 2;
const WEIGHTED: u64 = 4;

impl Document {
    /// The first pass, which only the first reader makes.
    pub(super) fn count(&self, reader: usize) -> Result<[u64; 3], Error> {
        if reader > 0 {
            return Ok([0; 3]);
        }
        let (declared, mentioned) = (HashSet::new(), HashSet::new());
        let mut counted = Counted { path: &self.path, counts: Counts::default(), some: false, declared, mentioned };
        tell(&self.path, self.format, &mut counted)?;
        if !counted.some {
            return Err(Error::Empty { path: self.path.clone(), expected: "at least one vertex" });
        }
        let Counts { named, directed, weighted, .. } = counted.counts;
        let undeclared = counted.mentioned.difference(&counted.declared).count() as u64;
        let flags = [(named, NAMED), (directed, DIRECTED), (weighted, WEIGHTED)];
        Ok([flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1).sum(), undeclared, 0])
    }

    /// Takes the counts of the first reader.
    pub(super) fn take_counts(&mut self, counts: &[[u64; 3]]) -> Counts {
        let [flags, undeclared, _] = counts.first().copied().unwrap_or_default();
        let flag = |flag| flags & flag > 0;
        let (named, directed, weighted) = (flag(NAMED), flag(DIRECTED), flag(WEIGHTED));
        *self.counts.insert(Counts { named, directed, weighted, undeclared })
    }

    /// Starts the second pass.
    pub(super) fn begin(&self) -> Result<DocumentShare, Error> {
        let (to, blocks) = sync_channel(1);
        let (path, format) = (self.path.clone(), self.format);
        let named = self.counts.is_some_and(|counts| counts.named);
        let read = move || {
            let mut blocks = Blocks { to, path: path.clone(), named, block: Block::default(), places: HashMap::new() };
            let read = tell(&path, format, &mut blocks).and_then(|()| blocks.send());
            // The reader may have been dropped.
            let _ = blocks.to.send(read.map(|()| None));
        };
        let started = std::thread::Builder::new().name("pleach:document".to_owned()).spawn(read);
        started.map_err(|error| Error::io(&self.path, error))?;
        Ok(DocumentShare { path: self.path.clone(), blocks })
    }
}

/// Passes the vertices and edges of a document to a listener.
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
        _ => {
            let mut from = Deserializer::from_reader(BufReader::new(source.into_reader()));
            node_link::tell(path, &mut from, told)
                .map_err(|error| node_link::explained(error, |line| line_of(path, line)))
        }
    }
}

/// A line of a file, for a message about it.
fn line_of(path: &Path, line: u64) -> Option<String> {
    let mut source = Source::again(path, None).ok()?;
    source.skip_mark();
    for _ in 1..line {
        source.line().ok()?;
    }
    source.line().ok()?.map(|line| String::from_utf8_lossy(&line).into_owned())
}

/// A GraphML document whose vertices have their ids as names. Documents in which igraph has stored names are not read in blocks.
struct Plain<'t> {
    told: &'t mut dyn Told<Said>,
    vertices: u64,
    /// Number of vertices with a name of igraph.
    called: u64,
}

impl Plain<'_> {
    fn check(&self, path: &Path) -> Result<(), Error> {
        if self.vertices == 0 || self.called < self.vertices {
            return Ok(());
        }
        let key = graphml::IGRAPH_NAME;
        let reason = format!(
            "expected a <key> `{key}` in the beginning of the file, since every vertex has a name under this key"
        );
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
    /// Digests of the names of vertices that are declared, and of those that edges mention: only their number counts.
    declared: HashSet<u64>,
    mentioned: HashSet<u64>,
}

impl Counted<'_> {
    /// Notes a name; its digest.
    fn name(&mut self, name: &str) -> Result<u64, Error> {
        self.some = true;
        self.counts.named |= id(name).is_none();
        check_name(self.path, name)?;
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Ok(hasher.finish())
    }
}

impl<I> Told<I> for Counted<'_> {
    fn vertex(&mut self, name: String, _: &I) -> Result<(), Error> {
        let digest = self.name(&name)?;
        self.declared.insert(digest);
        Ok(())
    }

    fn edge(&mut self, ends: [String; 2], weight: Option<f64>, _: &I) -> Result<(), Error> {
        self.counts.weighted |= weight.is_some();
        for end in &ends {
            let digest = self.name(end)?;
            self.mentioned.insert(digest);
        }
        Ok(())
    }

    fn directed(&mut self, directed: bool) {
        self.counts.directed = directed;
    }
}

/// A block of vertices and edges, with names or with ids.
#[derive(Default)]
struct Block {
    named: NamedArcs,
    arcs: Vec<(u64, u64, f64)>,
    alone: Vec<u64>,
}

/// A message of the parser: a block, nothing at the end, or an error.
type Sent = Result<Option<Block>, Error>;

/// Collects items into blocks and sends them.
struct Blocks {
    to: SyncSender<Sent>,
    path: PathBuf,
    named: bool,
    block: Block,
    /// The position of each name in the block.
    places: HashMap<Box<str>, u32>,
}

impl Blocks {
    fn send(&mut self) -> Result<(), Error> {
        self.places.clear();
        let block = std::mem::take(&mut self.block);
        // The reader has been dropped, and needs no error.
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
