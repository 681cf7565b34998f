//! Programs of others ("peers") beside us: the user builds them and names them, `pleach bench … --peer NAME=PATH` runs them.
//!
//! ```text
//!   kernel, graph ──► the file that the program reads, once for each graph
//!        │                  ▼
//!        └──► plan ──► process with some trials ──► lines ──► figures ──► one for each turn of the rotation
//! ```
//!
//! Reading a graph takes a program longer than most kernels do. So a process runs several trials, and each turn of the rotation takes one of
//! them; the next process starts when there are none left. The first figure is the one that is not counted, as with all competitors. With
//! several vertices to start from, a turn is the mean over one process for each, as ours is the mean over them. A program that prints one figure
//! of several trials is run once, and its row has one repetition. One whose processes take long in all is not started again, not from further
//! vertices either: its row says so.

mod known;
mod printed;
mod process;
mod subject;

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pleach_datasets::write;
use tempfile::TempDir;

use self::known::{KNOWN, Plan, Turn};
use self::subject::without_loops;
use crate::harness::Found;
use crate::{Competitor, Side};

pub use self::subject::{Subject, Weight};

/// Trials of the first process: as many as are taken at least, and the one that is not counted.
const FIRST: usize = 4;
/// Trials of each further process.
const FURTHER: usize = 7;

/// A program of others: a name, and the program or the folder with its tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// As it is called in the table.
    pub name: String,
    /// The program, or the folder.
    pub path: PathBuf,
}

/// Why a text names no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPeer {
    /// It has another form.
    #[error("expected NAME=PATH, such as gap=../gapbs, where the name is of small letters, digits, - and _")]
    Form,
    /// The name is that of a competitor of ours.
    #[error("{0} is a competitor of ours: expected another name")]
    Taken(String),
}

impl FromStr for Given {
    type Err = NoPeer;

    fn from_str(text: &str) -> Result<Self, NoPeer> {
        let (name, path) = text.split_once('=').ok_or(NoPeer::Form)?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        if name.is_empty() || path.is_empty() || !name.chars().all(plain) {
            return Err(NoPeer::Form);
        }
        match name {
            "csr" | "pleach" | "petgraph" | "graph_builder" | "sprs" | "bst" => Err(NoPeer::Taken(name.to_owned())),
            _ => Ok(Given { name: name.to_owned(), path: path.into() }),
        }
    }
}

/// What programs are asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Breadth-first search.
    Bfs,
    /// Connected components.
    Cc,
    /// Shortest paths.
    Sssp,
    /// The same in 32 bits.
    Sssp32,
    /// Betweenness from one source.
    Bc,
    /// Triangles.
    Tc,
    /// Ten iterations of PageRank.
    PageRank,
    /// The same in 32 bits.
    PageRank32,
    /// A maximal independent set.
    Mis,
    /// `y += A x / d`.
    PageRankKernel,
    /// Batches are inserted.
    Insert {
        /// Arcs of a batch.
        arcs: usize,
        /// The largest batch that is asked for, now or later.
        largest: usize,
        /// Whether a version is published after each.
        published: bool,
    },
    /// Bytes for each arc.
    Memory,
    /// A matrix times a vector.
    Spmv,
    /// The same, with a search tree as the result.
    SpmvTree,
    /// The union of two vectors in search trees.
    Union,
    /// The sum of two matrices in compressed sparse rows.
    Add,
    /// The sum of a matrix in search trees and one in compressed sparse rows, into compressed sparse rows.
    AddTree,
    /// The transposition of compressed sparse rows.
    Transpose,
    /// A list of entries in order, to compressed sparse rows.
    CooToCsr,
    /// Compressed sparse rows to compressed sparse columns.
    CsrToCsc,
    /// Compressed sparse rows to diagonals.
    CsrToDia,
    /// Compressed sparse rows to blocks of 4 × 4.
    CsrToBcsr,
    /// A matrix times itself, in compressed sparse rows.
    Spgemm,
    /// A matrix times a dense one of 32 columns.
    Spmm,
    /// The products of rows of two dense matrices of 32 columns, at the entries of a matrix and times these.
    Sddmm,
}

impl Kernel {
    /// As it is written in `kernel=`.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Bfs => "bfs",
            Kernel::Cc => "cc",
            Kernel::Sssp => "sssp",
            Kernel::Sssp32 => "sssp32",
            Kernel::Bc => "bc",
            Kernel::Tc => "tc",
            Kernel::PageRank => "pagerank",
            Kernel::PageRank32 => "pagerank32",
            Kernel::Mis => "mis",
            Kernel::PageRankKernel => "pagerank-kernel",
            Kernel::Insert { published: false, .. } => "insert",
            Kernel::Insert { published: true, .. } => "insert-published",
            Kernel::Memory => "memory",
            Kernel::Spmv => "spmv",
            Kernel::SpmvTree => "spmv-tree",
            Kernel::Union => "union",
            Kernel::Add => "add",
            Kernel::AddTree => "add-tree",
            Kernel::Transpose => "transpose",
            Kernel::CooToCsr => "coo-to-csr",
            Kernel::CsrToCsc => "csr-to-csc",
            Kernel::CsrToDia => "csr-to-dia",
            Kernel::CsrToBcsr => "csr-to-bcsr",
            Kernel::Spgemm => "spgemm",
            Kernel::Spmm => "spmm",
            Kernel::Sddmm => "sddmm",
        }
    }

    /// Whether it is about the graph without self loops: some programs count on there being none.
    fn is_without_loops(self) -> bool {
        matches!(self, Kernel::Tc | Kernel::Mis)
    }

    /// Whether it is over arcs with weights.
    pub fn has_weights(self) -> bool {
        matches!(self, Kernel::Sssp | Kernel::Sssp32)
    }

    /// Whether it starts from vertices.
    pub fn has_sources(self) -> bool {
        self.has_weights() || matches!(self, Kernel::Bfs | Kernel::Bc)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kernel on a graph.
pub struct Asked<'a> {
    /// The kernel.
    pub kernel: Kernel,
    /// The graph's name.
    pub graph: String,
    /// Its vertices.
    pub vertices: usize,
    /// Its arcs, as static rows have them.
    pub arcs: usize,
    /// Threads.
    pub threads: usize,
    /// Vertices to start from.
    pub sources: &'a [u32],
    /// The time of its processes after which no further one is started.
    pub enough: Duration,
    /// What we have found from each of them, if that is one number: components, triangles, vertices reached.
    pub expected: Box<dyn Fn(usize) -> Option<u64> + Send + Sync + 'a>,
}

/// Folders of files, in the order of their making.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Ends the programs that run now and removes their files. For a process that is interrupted and about to end.
pub fn abandon() {
    process::end_all();
    for folder in locked(&FOLDERS).iter() {
        // It is gone already, unless the run was interrupted; a failure cannot be reported.
        let _removed = std::fs::remove_dir_all(folder);
    }
}

/// A file that was written: the graph, its direction, whether loops are left out, and the ending.
type FileKey = (String, bool, bool, &'static str);
/// A process that is run once: the graph (files of several have the same path, one after the other), the program, its arguments, threads.
type CallKey = (String, PathBuf, Vec<OsString>, usize);

/// The programs that were given, and what they share in a run.
pub struct Peers {
    given: Vec<Given>,
    limit: Duration,
    folder: Mutex<Option<TempDir>>,
    files: Mutex<HashMap<FileKey, PathBuf>>,
    said: Mutex<HashMap<CallKey, Result<Vec<String>, String>>>,
}

impl Default for Peers {
    fn default() -> Self {
        Peers::new(Vec::new(), Duration::from_secs(300))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Peers {
    /// Programs, and how long a process of theirs may take.
    pub fn new(given: Vec<Given>, limit: Duration) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let given = given.into_iter().map(|one| Given { path: absolute(&one.path), ..one }).collect();
        Peers { given, limit, folder: Mutex::default(), files: Mutex::default(), said: Mutex::default() }
    }

    /// Those that have a kernel, to run beside ours, and rows that say how others would be given.
    pub fn competitors<'a>(self: &Arc<Self>, subject: Subject<'a>, asked: Asked<'a>) -> Vec<Competitor<'a>> {
        let (subject, asked) = (Arc::new(subject), Arc::new(asked));
        let mut all = Vec::new();
        for given in &self.given {
            for plan in known::plans(given, &asked) {
                let (name, note, once) = (plan.competitor.clone(), plan.note, plan.once);
                let mut turns = Turns {
                    peers: self.clone(),
                    plan,
                    subject: subject.clone(),
                    asked: asked.clone(),
                    waiting: VecDeque::new(),
                    started: false,
                    spent: Duration::ZERO,
                };
                let competitor = Competitor::new(name, Side::Peer, move || turns.next());
                let competitor = competitor.with_note(note).with_works(1);
                all.push(if once { competitor.with_turns(1) } else { competitor });
            }
        }
        for known in KNOWN.iter().filter(|known| known.has(asked.kernel)) {
            if self.given.iter().all(|given| given.name != known.name) {
                let how = format!("not given: --peer {}={}", known.name, known.given_as);
                all.push(Competitor::missing(known.name, Side::Peer, how).with_works(1));
            }
        }
        all
    }

    /// The folder in which programs run and find their files.
    fn folder(&self) -> Result<PathBuf, String> {
        let mut folder = locked(&self.folder);
        if folder.is_none() {
            let made = tempfile::Builder::new().prefix("pleach-bench-").tempdir();
            let made = made.map_err(|error| format!("there is no folder for files: {error}"))?;
            locked(&FOLDERS).push(made.path().to_owned());
            *folder = Some(made);
        }
        Ok(folder.as_ref().map(|folder| folder.path().to_owned()).unwrap_or_default())
    }

    /// The file of a graph, which is written once. Those of other graphs are removed before: they are large.
    fn file(&self, subject: &Subject<'_>, asked: &Asked<'_>, ending: &'static str) -> Result<PathBuf, String> {
        let folder = self.folder()?;
        let mut files = locked(&self.files);
        let (graph, loops) = (&asked.graph, !asked.kernel.is_without_loops());
        let key = (graph.clone(), subject.directed, loops, ending);
        if let Some(path) = files.get(&key) {
            return Ok(path.clone());
        }
        files.retain(|(name, ..), path| name == graph || std::fs::remove_file(path).is_err());
        let kind = if subject.directed { "directed" } else { "undirected" };
        let path = folder.join(format!("{kind}{}.{ending}", if loops { "" } else { "-without-loops" }));
        let input = (subject.input)()?;
        let input = if loops { input } else { without_loops(input) };
        write(&input, &path).map_err(|error| format!("its file cannot be written: {error}"))?;
        files.insert(key, path.clone());
        Ok(path)
    }
}

/// What a program has found and not yet said: a figure for each turn.
struct Turns<'a> {
    peers: Arc<Peers>,
    plan: Plan,
    subject: Arc<Subject<'a>>,
    asked: Arc<Asked<'a>>,
    waiting: VecDeque<f64>,
    /// Whether a process has run.
    started: bool,
    /// What its processes have taken, reading the graph included.
    spent: Duration,
}

impl Turns<'_> {
    /// The figure of a turn; none if no further process is started.
    fn next(&mut self) -> Found {
        if self.waiting.is_empty() {
            if self.started && self.is_enough() {
                return Ok(Vec::new());
            }
            self.waiting = self.start()?.into();
        }
        // What is run once is also what the round that is not counted shows.
        let next = if self.plan.once { self.waiting.front().copied() } else { self.waiting.pop_front() };
        next.map(|figure| vec![figure]).ok_or_else(|| "it found nothing".to_owned())
    }

    /// Whether no further process is started.
    fn is_enough(&self) -> bool {
        self.spent > self.asked.enough
    }

    /// Runs a process, or one for each vertex to start from.
    fn start(&mut self) -> Result<Vec<f64>, String> {
        let program = self.plan.program.clone()?;
        if self.subject.directed && self.plan.ending == "adj" {
            return Err("it takes undirected graphs".to_owned());
        }
        let file = self.peers.file(&self.subject, &self.asked, self.plan.ending)?;
        let trials = if self.started { FURTHER } else { FIRST };
        let sources = match self.asked.sources {
            [] => &[0],
            all if self.plan.per_source => all,
            all => &all[..1],
        };
        let mut figures: Vec<Vec<f64>> = Vec::new();
        // Times differ from vertex to vertex: it starts from all that ours starts from, however long that takes.
        for (at, &source) in sources.iter().enumerate() {
            let (turn, begin) = (Turn { file: &file, source, trials, asked: &self.asked }, Instant::now());
            figures.push(self.process(&program, (self.plan.arguments)(&turn), at)?);
            self.spent += begin.elapsed();
        }
        self.started = true;
        let trials = figures.iter().map(Vec::len).min().unwrap_or(0);
        let mean = |trial: usize| figures.iter().map(|of_one| of_one[trial]).sum::<f64>() / figures.len() as f64;
        Ok((0..trials).map(mean).collect())
    }

    /// The figures of a process, whose answer is held against ours.
    fn process(&self, program: &Path, arguments: Vec<OsString>, at: usize) -> Result<Vec<f64>, String> {
        let (print, asked) = (self.plan.print, &*self.asked);
        let key = (asked.graph.clone(), program.to_owned(), arguments, asked.threads);
        let known = locked(&self.peers.said).get(&key).cloned();
        let run = || {
            let call = process::Call {
                program: key.1.clone(),
                arguments: key.2.clone(),
                folder: self.peers.folder()?,
                threads: asked.threads,
                limit: self.peers.limit,
            };
            let lines = process::lines(&call, |line| print.is_enough(line, asked));
            if self.plan.once {
                locked(&self.peers.said).insert(key, lines.clone());
            }
            lines
        };
        let lines = known.unwrap_or_else(run)?;
        let printed = print.read(&lines, asked)?;
        match printed.answer.zip((asked.expected)(at)) {
            Some((found, expected)) if found != expected => {
                Err(format!("it has another answer: {found}, where we have {expected}"))
            }
            _ => Ok(printed.figures),
        }
    }
}
