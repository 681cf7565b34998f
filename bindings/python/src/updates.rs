//! Updates of edges from a file, a batch at a time.

use std::io::{self, BufReader, Read};
use std::path::Path;

use numpy::PyArray1;
use parking_lot::Mutex;
use pleach::graph::Ids;
use pleach_datasets::stream::{EdgeStream, EdgeUpdate, Operation, StreamOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrays::array;
use crate::files::read_failure;

/// A file that was opened in Python, in text or in bytes.
struct Opened {
    file: Py<PyAny>,
    /// What was read and not taken yet, and from where on.
    piece: (Vec<u8>, usize),
}

impl Read for Opened {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.piece.1 == self.piece.0.len() {
            let piece = Python::attach(|py| {
                let piece = self.file.bind(py).call_method1("read", (room.len(),))?;
                if piece.is_none() {
                    return Ok(Vec::new());
                }
                match piece.cast::<PyString>() {
                    Ok(text) => Ok(text.to_str()?.as_bytes().to_vec()),
                    Err(_) => piece.extract::<Vec<u8>>(),
                }
            });
            // What the file raises is raised again by whoever asked for updates.
            self.piece = (piece.map_err(|error: PyErr| io::Error::other(error))?, 0);
        }
        let count = (&self.piece.0[self.piece.1..]).read(room)?;
        self.piece.1 += count;
        Ok(count)
    }
}

/// What vertices are called in a batch.
#[derive(IntoPyObject)]
pub(crate) enum Ends<'py> {
    Numbers(Bound<'py, PyArray1<u64>>),
    Names(Vec<String>),
}

type Batch<'py> = (Bound<'py, PyArray1<u8>>, Ends<'py>, Ends<'py>, Option<Bound<'py, PyArray1<f64>>>);

/// The updates that lines of a file are.
#[pyclass(frozen, module = "pleach_graph._pleach")]
pub(crate) struct UpdatesCore(Mutex<EdgeStream>);

#[pymethods]
impl UpdatesCore {
    /// Opens the file at a path, or takes one that is open. ``columns`` says what the columns are, where the first line does not.
    #[new]
    #[pyo3(signature = (source, *, names, weighted, columns=None))]
    fn new(source: &Bound<'_, PyAny>, names: bool, weighted: bool, columns: Option<&str>) -> PyResult<Self> {
        let columns =
            columns.map(|list| list.parse().map_err(|error| PyValueError::new_err(format!("columns: {error}"))));
        let options = StreamOptions::default().with_columns(columns.transpose()?).with_names(names);
        let options = options.with_ignore_weights(!weighted);
        let stream = match source.cast::<PyString>() {
            Ok(path) => EdgeStream::open(Path::new(path.to_str()?), options).map_err(read_failure)?,
            Err(_) => {
                let reader = Opened { file: source.clone().unbind(), piece: (Vec::new(), 0) };
                EdgeStream::new("source", BufReader::with_capacity(1 << 16, reader), options)
            }
        };
        Ok(UpdatesCore(Mutex::new(stream)))
    }

    /// At most so many further updates: actions as `GraphCore.apply` takes them, sources, targets, and weights if a line has one. No updates at
    /// the end.
    fn next<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Batch<'py>> {
        let read = || {
            let mut stream = self.0.lock();
            let updates: Result<Vec<EdgeUpdate>, _> = stream.by_ref().take(most).collect();
            let updates = updates.map_err(read_failure)?;
            let names = |end: fn(&EdgeUpdate) -> u64| stream.names().map(|names| named(names, &updates, end));
            let ends = (names(|update| update.src), names(|update| update.dst));
            Ok::<_, crate::failure::Failure>((updates, ends))
        };
        let (updates, (src, dst)) = py.detach(read)?;
        let ends = |names: Option<Vec<String>>, end: fn(&EdgeUpdate) -> u64| match names {
            Some(names) => Ends::Names(names),
            None => Ends::Numbers(array(py, updates.iter().map(end).collect())),
        };
        let (src, dst) = (ends(src, |update| update.src), ends(dst, |update| update.dst));
        let has_weights = updates.iter().any(|update| update.weight.is_some());
        let weight = || array(py, updates.iter().map(|update| update.weight.unwrap_or(1.0)).collect());
        Ok((array(py, updates.iter().map(code).collect()), src, dst, has_weights.then(weight)))
    }
}

fn named(names: &Ids<str>, updates: &[EdgeUpdate], end: fn(&EdgeUpdate) -> u64) -> Vec<String> {
    updates
        .iter()
        .map(|update| names.key(end(update) as u32).map_or_else(String::new, |name| name.to_string()))
        .collect()
}

fn code(update: &EdgeUpdate) -> u8 {
    match update.operation {
        Operation::Insert => 0,
        Operation::Reweight => 1,
        Operation::Delete => 2,
    }
}
