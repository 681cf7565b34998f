//! From a stream of edge updates to the batches that a graph takes.
//!
//! ```text
//!   lines ──► checked ──► graph::Batcher: ids become vertices, windows, grouping ──► Graph::prepare_list
//! ```
//!
//! What is left after a stream does not depend on how it was cut into batches.

use std::time::{Duration, Instant};

use pleach::graph::{
    BatchError, Batcher, EdgeChange, Event, EventBatch, GraphError, Grouping, Ids, UpdateList, Window,
};
use pleach::sort::Weight;

use crate::stream::{EdgeUpdate, Operation, Polled};
use crate::{Error, Updates};

/// How a stream becomes batches.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BatchOptions<V> {
    /// Where a batch ends.
    pub grouping: Grouping,
    /// How long an insertion counts. Default `None`: without end.
    pub window: Option<Window<V>>,
    /// Skip lines that the graph or the window does not accept, and count them. Default false.
    pub skip_bad: bool,
    /// Leave out updates of edges from a vertex to itself, and count them. Default false.
    pub drop_self_loops: bool,
    /// End a batch this long after its first line came, if it is not full before. The stream must be read by a thread of its own. Default
    /// `None`: wait until it is full.
    pub flush: Option<Duration>,
}

impl<V> BatchOptions<V> {
    /// Batches that end where `grouping` says, and the defaults.
    #[must_use]
    pub fn new(grouping: Grouping) -> Self {
        BatchOptions { grouping, window: None, skip_bad: false, drop_self_loops: false, flush: None }
    }

    /// How long an insertion counts; `None`: without end.
    #[must_use]
    pub fn with_window(mut self, window: Option<Window<V>>) -> Self {
        self.window = window;
        self
    }

    /// Whether lines that the graph or the window does not accept are skipped and counted.
    #[must_use]
    pub fn with_skip_bad(mut self, skip: bool) -> Self {
        self.skip_bad = skip;
        self
    }

    /// Whether updates of edges from a vertex to itself are left out and counted.
    #[must_use]
    pub fn with_drop_self_loops(mut self, drop: bool) -> Self {
        self.drop_self_loops = drop;
        self
    }

    /// How long after its first line a batch ends, if it is not full before.
    #[must_use]
    pub fn with_flush(mut self, flush: Option<Duration>) -> Self {
        self.flush = flush;
        self
    }
}

/// Why a stream ends early. What came in earlier batches stays.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// A line cannot be read, or the file.
    #[error(transparent)]
    Read(#[from] Error),
    /// A line makes no sense for this graph.
    #[error("{path}:{line}: {fault}")]
    Line {
        /// The stream.
        path: String,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// A line cannot be in a batch: its ids cannot be kept.
    #[error("{path}:{line}: {error}")]
    Event {
        /// The stream.
        path: String,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong.
        error: BatchError,
    },
    /// The graph does not take a batch.
    #[error("{path}: lines {first} to {last} were not applied: {error}")]
    Batch {
        /// The stream.
        path: String,
        /// The first line of the batch.
        first: u64,
        /// Its last line.
        last: u64,
        /// What the graph says.
        error: GraphError,
    },
}

/// Why a line makes no sense for a graph.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// There is a weight, and the graph has none.
    #[error(
        "the line has a weight, but the edges of this graph have none: --weighted stores weights, and `_` in --columns ignores them"
    )]
    Weight,
    /// A weight is to be changed, and the line has none.
    #[error("the line changes a weight, but has none")]
    NoWeight,
    /// A line without a time, where times say when a batch or the window ends.
    #[error("the line has no time, which batches by time and windows need; say which column holds it")]
    NoTime,
    /// Time goes backwards.
    #[error(
        "expected a time of {} or later, as the lines before have, found {}; --sort-time and --late take lines in another order",
        shown(.before, .digits),
        shown(.time, .digits)
    )]
    Backwards {
        /// The time.
        time: i64,
        /// That of an earlier line.
        before: i64,
        /// Digits behind the point that both count in.
        digits: u32,
    },
}

/// A time as its stream has it.
fn shown(time: &i64, digits: &u32) -> String {
    let (unit, sign) = (10_u64.pow(*digits), if *time < 0 { "-" } else { "" });
    let (whole, part) = (time.unsigned_abs() / unit, time.unsigned_abs() % unit);
    let part = format!(".{part:0width$}", width = *digits as usize);
    format!("{sign}{whole}{}", if *digits == 0 { "" } else { part.trim_end_matches('0').trim_end_matches('.') })
}

/// What edges carry in a graph that a stream changes: nothing, or a weight.
pub trait Streamed: Weight {
    /// What a line gives to an edge.
    ///
    /// # Errors
    ///
    /// If the line has a weight and edges have none.
    fn of(weight: Option<f64>) -> Result<Self, LineFault>;

    /// The next batch of a stream. It is compiled in this crate, because each implementation names what edges carry.
    ///
    /// # Errors
    ///
    /// [`StreamError`].
    fn batch(batches: &mut Batches<'_, Self>) -> Result<Option<StreamBatch<Self>>, StreamError>;
}

impl Streamed for () {
    fn of(weight: Option<f64>) -> Result<Self, LineFault> {
        if weight.is_some() { Err(LineFault::Weight) } else { Ok(()) }
    }

    #[inline(never)]
    fn batch(batches: &mut Batches<'_, ()>) -> Result<Option<StreamBatch<()>>, StreamError> {
        batches.batch()
    }
}

impl Streamed for f64 {
    /// An edge without a weight weighs one.
    fn of(weight: Option<f64>) -> Result<Self, LineFault> {
        Ok(weight.unwrap_or(1.0))
    }

    #[inline(never)]
    fn batch(batches: &mut Batches<'_, f64>) -> Result<Option<StreamBatch<f64>>, StreamError> {
        batches.batch()
    }
}

/// A batch of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamBatch<V> {
    /// What the graph takes, in columns.
    pub updates: UpdateList<V>,
    /// Lines read for it.
    pub lines: usize,
    /// Number of its first line, from 1.
    pub first_line: u64,
    /// Number of its last line.
    pub last_line: u64,
    /// Deletions and changes of edges whose ends the graph has never seen; they are not among the updates.
    pub unknown: usize,
    /// Insertions that leave the window; what follows from that is among the updates.
    pub expired: usize,
    /// The latest time so far.
    pub time: Option<i64>,
}

/// A line as an event.
struct Line<V> {
    event: Event<u64, V>,
    number: u64,
    /// Its time, also where times do not matter.
    time: Option<i64>,
}

/// The ids by which updates call vertices.
#[derive(Clone, Copy)]
pub enum Callers<'a> {
    /// Numbers.
    Numbers(&'a Ids<u64>),
    /// Names.
    Names(&'a Ids<str>),
}

impl<'a> From<&'a Ids<u64>> for Callers<'a> {
    fn from(ids: &'a Ids<u64>) -> Self {
        Callers::Numbers(ids)
    }
}

impl<'a> From<&'a Ids<str>> for Callers<'a> {
    fn from(ids: &'a Ids<str>) -> Self {
        Callers::Names(ids)
    }
}

/// Makes batches of events whose vertices are called by numbers, or by the numbers of names.
enum AnyBatcher<'a, V> {
    Numbers(Batcher<'a, u64, V>),
    Names(Batcher<'a, str, V>, Ids<str>),
}

impl<V: Weight> AnyBatcher<'_, V> {
    fn is_full(&self) -> bool {
        match self {
            AnyBatcher::Numbers(batcher) => batcher.is_full(),
            AnyBatcher::Names(batcher, _) => batcher.is_full(),
        }
    }

    fn ends_before(&self, time: i64) -> bool {
        match self {
            AnyBatcher::Numbers(batcher) => batcher.ends_before(time),
            AnyBatcher::Names(batcher, _) => batcher.ends_before(time),
        }
    }

    fn push(&mut self, event: Event<u64, V>) -> Result<(), BatchError> {
        match self {
            AnyBatcher::Numbers(batcher) => batcher.push(event),
            AnyBatcher::Names(batcher, texts) => {
                // The stream has read the names that the numbers stand for.
                let name = |number: u64| texts.key(number as u32).unwrap_or_default();
                let Event { from, to, change, time } = event;
                batcher.push(Event { from: name(from), to: name(to), change, time })
            }
        }
    }

    fn take(&mut self) -> Option<EventBatch<V>> {
        match self {
            AnyBatcher::Numbers(batcher) => batcher.take(),
            AnyBatcher::Names(batcher, _) => batcher.take(),
        }
    }
}

/// What comes next in a stream.
enum Next<V> {
    Line(Line<V>),
    /// Nothing for now.
    Pending,
    End,
}

/// The batches of a stream, in order. Ends after the first error.
///
/// Reading runs ahead of applying where the two are on different threads: a batch needs nothing of the graph but the ids.
pub struct Batches<'a, V> {
    stream: Updates,
    batcher: AnyBatcher<'a, V>,
    /// Whether times matter.
    timed: bool,
    skip_bad: bool,
    drop_self_loops: bool,
    /// Updates of edges from a vertex to itself that were left out.
    dropped: u64,
    flush: Option<Duration>,
    /// Read, and of the next batch.
    pending: Option<Line<V>>,
    /// The latest time so far.
    time: Option<i64>,
    skipped: u64,
    ended: bool,
}

impl<'a, V: Streamed> Batches<'a, V> {
    /// The batches of a stream whose ids become vertices by `ids`.
    ///
    /// # Panics
    ///
    /// If vertices are called by names and the stream does not read names.
    pub fn new(stream: impl Into<Updates>, ids: impl Into<Callers<'a>>, options: BatchOptions<V>) -> Self {
        let stream = stream.into();
        let BatchOptions { grouping, window, .. } = options;
        let batcher = match ids.into() {
            Callers::Numbers(ids) => AnyBatcher::Numbers(Batcher::new(ids, grouping, window)),
            Callers::Names(ids) => {
                let texts = stream.stream().names().expect("the stream reads names").clone();
                AnyBatcher::Names(Batcher::new(ids, grouping, window), texts)
            }
        };
        Batches {
            stream,
            batcher,
            timed: options.window.is_some() || matches!(options.grouping, Grouping::Span(_)),
            skip_bad: options.skip_bad,
            drop_self_loops: options.drop_self_loops,
            dropped: 0,
            flush: options.flush,
            pending: None,
            time: None,
            skipped: 0,
            ended: false,
        }
    }

    /// Lines passed over so far.
    pub fn skipped(&self) -> u64 {
        self.stream.stream().skipped() + self.skipped
    }

    /// Updates of edges from a vertex to itself that were left out so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The error of a batch of this stream that a graph does not take.
    pub fn refused(&self, batch: &StreamBatch<V>, error: GraphError) -> StreamError {
        StreamError::Batch { path: self.path(), first: batch.first_line, last: batch.last_line, error }
    }

    fn path(&self) -> String {
        self.stream.stream().path().display().to_string()
    }

    /// Skips a line that does not fit, or ends the stream with it.
    fn misfit(&mut self, line: u64, fault: LineFault) -> Result<(), StreamError> {
        if !self.skip_bad {
            return Err(StreamError::Line { path: self.path(), line, fault });
        }
        self.skipped += 1;
        Ok(())
    }

    /// A line as an event, if it fits a graph like this.
    fn event(&self, update: &EdgeUpdate) -> Result<Event<u64, V>, LineFault> {
        // Where times do not matter they may go back, or be missing.
        let time = if self.timed { update.time.ok_or(LineFault::NoTime)? } else { 0 };
        let change = match update.operation {
            Operation::Insert => EdgeChange::Insert(V::of(update.weight)?),
            Operation::Reweight if update.weight.is_none() => return Err(LineFault::NoWeight),
            Operation::Reweight => EdgeChange::Reweight(V::of(update.weight)?),
            // The weight of what is deleted is not looked at.
            Operation::Delete => EdgeChange::Delete,
        };
        Ok(Event { from: update.src, to: update.dst, change, time })
    }

    /// The next line that fits.
    fn read(&mut self, deadline: Option<Instant>) -> Result<Next<V>, StreamError> {
        if let Some(line) = self.pending.take() {
            return Ok(Next::Line(line));
        }
        loop {
            let update = match self.stream.poll(deadline) {
                Polled::Update(update) => update,
                Polled::Error(error) => return Err(error.into()),
                Polled::Pending => return Ok(Next::Pending),
                Polled::End => return Ok(Next::End),
            };
            if self.drop_self_loops && update.src == update.dst {
                self.dropped += 1;
                continue;
            }
            match self.event(&update) {
                Ok(event) => return Ok(Next::Line(Line { event, number: update.line, time: update.time })),
                Err(fault) => self.misfit(update.line, fault)?,
            }
        }
    }

    fn batch(&mut self) -> Result<Option<StreamBatch<V>>, StreamError> {
        let mut lines: Option<(u64, u64)> = None;
        let mut deadline = None;
        // A full batch does not wait for the line after it.
        while !self.batcher.is_full() {
            let line = match self.read(deadline)? {
                Next::Line(line) => line,
                Next::End => break,
                // The time of a batch that has begun is over.
                Next::Pending if deadline.is_some_and(|deadline| deadline <= Instant::now()) => break,
                // A stop is asked for: what is left is no whole batch.
                Next::Pending => return Ok(None),
            };
            if self.batcher.ends_before(line.event.time) {
                self.pending = Some(line);
                break;
            }
            match self.batcher.push(line.event) {
                Ok(()) => {
                    // A line that is passed over begins no batch.
                    if let Some(flush) = self.flush {
                        deadline.get_or_insert_with(|| Instant::now() + flush);
                    }
                    // Times may go back where neither spans nor a window are asked for.
                    self.time = self.time.max(line.time);
                    // Lines that were sorted by their times do not ascend.
                    let (first, last) = lines.unwrap_or((line.number, line.number));
                    lines = Some((first.min(line.number), last.max(line.number)));
                }
                Err(BatchError::Backwards { time, before, .. }) => {
                    let digits = self.stream.stream().time_digits();
                    self.misfit(line.number, LineFault::Backwards { time, before, digits })?;
                }
                Err(error) => return Err(StreamError::Event { path: self.path(), line: line.number, error }),
            }
        }
        let Some((batch, (first_line, last_line))) = self.batcher.take().zip(lines) else { return Ok(None) };
        Ok(Some(StreamBatch {
            updates: batch.updates,
            lines: batch.events,
            first_line,
            last_line,
            unknown: batch.unknown,
            expired: batch.expired,
            time: self.time,
        }))
    }
}

impl<V: Streamed> Iterator for Batches<'_, V> {
    type Item = Result<StreamBatch<V>, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = V::batch(self).transpose();
        self.ended = !matches!(batch, Some(Ok(_)));
        batch
    }
}
