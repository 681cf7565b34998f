//! From a stream of edge updates to the batches that a graph takes.
//!
//! ```text
//!   lines ──► ids become vertices ──► what left the window is deleted ──► grouped by count or by time ──► Graph::prepare_list
//! ```
//!
//! A batch ends after so many lines, or where the time of a line passes the end of its span. With a window of `w`, an edge whose
//! last insertion is `w` or longer ago when a line comes is deleted before that line; inserting it again renews it, deleting it
//! forgets it. A vertex is there from the first line on that inserts an edge at it. What is left after a stream does not depend on how
//! it was cut into batches.

mod window;

use std::num::{NonZeroU64, NonZeroUsize};

use pleach::graph::{Action, GraphError, Ids, IdsError, UpdateList};
use pleach_datasets::Error;
use pleach_datasets::stream::{EdgeStream, EdgeUpdate, Operation};
use window::Window;

/// Where a batch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// After so many lines.
    Count(NonZeroUsize),
    /// Where the time passes a multiple of so much, counted from the first line's time.
    Span(NonZeroU64),
}

/// How a stream becomes batches.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions {
    /// Where a batch ends.
    pub grouping: Grouping,
    /// How long an edge stays after its last insertion; for ever, if it is not said.
    pub window: Option<NonZeroU64>,
    /// Whether edges have a direction; if not, an insertion of either direction renews an edge.
    pub directed: bool,
    /// Skip lines that the graph or the window does not accept, and count them.
    pub skip_bad: bool,
}

/// Why a stream ends early. What came in earlier batches stays.
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
    /// The ids cannot be kept.
    #[error("{path}:{line}: {error}")]
    Ids {
        /// The stream.
        path: String,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong.
        error: IdsError,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// There is a weight, and the graph has none.
    #[error("the line has a weight, but the edges of this graph have none; store weights, or ignore the column")]
    Weight,
    /// A weight is to be changed, and the line has none.
    #[error("the line changes a weight, but has none")]
    NoWeight,
    /// There is no time to tell where a batch or the window ends.
    #[error("the line has no time, which batches by time and windows need; say which column holds it")]
    NoTime,
    /// Time goes backwards.
    #[error("expected a time of {before} or later, as the lines before have, found {time}")]
    Backwards {
        /// The time.
        time: i64,
        /// That of an earlier line.
        before: i64,
    },
}

/// What edges carry in a graph that a stream changes: nothing, or a weight.
pub trait Streamed: Copy + Default + Send + 'static {
    /// What a line gives to an edge.
    ///
    /// # Errors
    ///
    /// If the line has a weight and edges have none.
    fn of(weight: Option<f64>) -> Result<Self, LineFault>;
}

impl Streamed for () {
    fn of(weight: Option<f64>) -> Result<Self, LineFault> {
        if weight.is_some() { Err(LineFault::Weight) } else { Ok(()) }
    }
}

impl Streamed for f64 {
    /// An edge without a weight weighs one.
    fn of(weight: Option<f64>) -> Result<Self, LineFault> {
        Ok(weight.unwrap_or(1.0))
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
    /// Edges that leave the window; their deletions are among the updates.
    pub expired: usize,
    /// The latest time so far.
    pub time: Option<i64>,
}

/// The batches of a stream, in order. Ends after the first error.
///
/// Reading runs ahead of applying where the two are on different threads: a batch needs nothing of the graph but the ids.
pub struct Batches<'a, V> {
    stream: EdgeStream,
    ids: &'a Ids,
    options: BatchOptions,
    window: Option<Window>,
    /// Read, and of the next batch.
    pending: Option<EdgeUpdate>,
    /// The latest time so far.
    time: Option<i64>,
    /// The time at which the current span ends.
    span_end: Option<i128>,
    skipped: u64,
    ended: bool,
    carried: std::marker::PhantomData<V>,
}

impl<'a, V: Streamed> Batches<'a, V> {
    /// The batches of a stream whose ids become vertices by `ids`.
    pub fn new(stream: EdgeStream, ids: &'a Ids, options: BatchOptions) -> Self {
        Batches {
            stream,
            ids,
            options,
            window: options.window.map(|length| Window::new(length.get(), options.directed)),
            pending: None,
            time: None,
            span_end: None,
            skipped: 0,
            ended: false,
            carried: std::marker::PhantomData,
        }
    }

    /// Lines passed over so far.
    pub fn skipped(&self) -> u64 {
        self.stream.skipped() + self.skipped
    }

    /// The error of a batch of this stream that a graph does not take.
    pub fn refused(&self, batch: &StreamBatch<V>, error: GraphError) -> StreamError {
        StreamError::Batch { path: self.path(), first: batch.first_line, last: batch.last_line, error }
    }

    fn path(&self) -> String {
        self.stream.path().display().to_string()
    }

    fn fault(&self, line: u64, fault: LineFault) -> StreamError {
        StreamError::Line { path: self.path(), line, fault }
    }

    /// Whether times matter.
    fn timed(&self) -> bool {
        self.window.is_some() || matches!(self.options.grouping, Grouping::Span(_))
    }

    /// What does not fit in a line.
    fn check(&self, update: &EdgeUpdate) -> Result<V, LineFault> {
        if self.timed() {
            let time = update.time.ok_or(LineFault::NoTime)?;
            if let Some(before) = self.time.filter(|&before| time < before) {
                return Err(LineFault::Backwards { time, before });
            }
        }
        if update.operation == Operation::Reweight && update.weight.is_none() {
            return Err(LineFault::NoWeight);
        }
        match update.operation {
            // The weight of what is deleted is not looked at.
            Operation::Delete => Ok(V::default()),
            _ => V::of(update.weight),
        }
    }

    /// The next line that fits.
    fn read(&mut self) -> Result<Option<(EdgeUpdate, V)>, StreamError> {
        loop {
            let update = match self.pending.take() {
                Some(update) => update,
                None => match self.stream.next() {
                    Some(update) => update?,
                    None => return Ok(None),
                },
            };
            match self.check(&update) {
                Ok(value) => return Ok(Some((update, value))),
                Err(_) if self.options.skip_bad => self.skipped += 1,
                Err(fault) => return Err(self.fault(update.line, fault)),
            }
        }
    }

    fn batch(&mut self) -> Result<Option<StreamBatch<V>>, StreamError> {
        let mut batch = StreamBatch {
            updates: UpdateList::new(),
            lines: 0,
            first_line: 0,
            last_line: 0,
            unknown: 0,
            expired: 0,
            time: self.time,
        };
        let most = match self.options.grouping {
            Grouping::Count(count) => count.get(),
            Grouping::Span(_) => usize::MAX,
        };
        while batch.lines < most {
            let Some((update, weight)) = self.read()? else { break };
            if let (Grouping::Span(span), Some(time)) = (self.options.grouping, update.time) {
                let (time, span) = (i128::from(time), i128::from(span.get()));
                let end = *self.span_end.get_or_insert(time + span);
                if time >= end {
                    // Spans in which nothing happens make no batches.
                    self.span_end = Some(end + ((time - end) / span + 1) * span);
                    if batch.lines > 0 {
                        self.pending = Some(update);
                        break;
                    }
                }
            }
            self.time = update.time.or(self.time);
            if batch.lines == 0 {
                batch.first_line = update.line;
            }
            (batch.lines, batch.last_line) = (batch.lines + 1, update.line);
            if let (Some(window), Some(now)) = (&mut self.window, self.time) {
                window.expire(now, |from, to| {
                    batch.updates.push(Action::Delete, from, to, V::default());
                    batch.expired += 1;
                });
            }
            self.push(&mut batch, &update, weight)?;
        }
        if batch.lines == 0 {
            return Ok(None);
        }
        batch.time = self.time;
        Ok(Some(batch))
    }

    /// Adds a line to a batch.
    fn push(&mut self, batch: &mut StreamBatch<V>, update: &EdgeUpdate, weight: V) -> Result<(), StreamError> {
        let action = match update.operation {
            Operation::Insert => Action::Insert,
            Operation::Reweight => Action::Reweight,
            Operation::Delete => Action::Delete,
        };
        let ends = if action == Action::Insert {
            let intern = |id: u64| {
                self.ids.intern(&id).map_err(|error| StreamError::Ids { path: self.path(), line: update.line, error })
            };
            Some((intern(update.src)?, intern(update.dst)?))
        } else {
            self.ids.get(&update.src).zip(self.ids.get(&update.dst))
        };
        let Some((from, to)) = ends else {
            batch.unknown += 1;
            return Ok(());
        };
        batch.updates.push(action, from, to, weight);
        if let Some(window) = &mut self.window {
            match (action, update.time) {
                (Action::Insert, Some(time)) => window.insert(time, from, to),
                (Action::Delete, _) => window.forget(from, to),
                _ => {}
            }
        }
        Ok(())
    }
}

impl<V: Streamed> Iterator for Batches<'_, V> {
    type Item = Result<StreamBatch<V>, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch().transpose();
        self.ended = !matches!(batch, Some(Ok(_)));
        batch
    }
}
