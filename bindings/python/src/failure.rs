//! What went wrong, until it is a Python exception.

use std::fmt::Display;
use std::io::{self, ErrorKind};

use pleach::BuildError;
use pleach::graph::GraphError;
use pleach_erased::HoldError;
use pleach_log::LogError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError, PyValueError};

/// Why something could not be done. Any thread may make it.
pub(crate) enum Failure {
    /// An argument or a graph is not as it must be.
    Value(String),
    /// A result grows beyond all numbers.
    Overflow(String),
    /// Memory is short.
    Memory(String),
    /// A file or a directory cannot be read or written.
    File(ErrorKind, String),
    /// An edge is there already, or twice in a batch: what is said of it, and the numbers of its ends, for which Python knows the ids.
    Edge(&'static str, u32, u32),
    /// Something else.
    Runtime(String),
    /// What a file that was opened in Python has raised.
    Raised(PyErr),
}

impl Failure {
    /// The value of an argument, or a graph, does not fit.
    pub fn value(error: impl Display) -> Self {
        Failure::Value(error.to_string())
    }

    /// A file or a directory.
    pub fn file(error: impl Display) -> Self {
        Failure::File(ErrorKind::Other, error.to_string())
    }

    /// Anything else.
    pub fn runtime(error: impl Display) -> Self {
        Failure::Runtime(error.to_string())
    }
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::OutOfMemory { .. } | GraphError::TooFar { .. } => Failure::Memory(error.to_string()),
            GraphError::VertexOutOfRange { vertex, limit, .. } => Failure::Value(format!(
                "vertex number {vertex} is beyond the {limit} vertices that this graph may have: raise `max_vertices`"
            )),
            GraphError::InsertedTwice { from, to } => Failure::Edge("is inserted twice by one batch", from, to),
            GraphError::AlreadyThere { from, to } => Failure::Edge("is there already", from, to),
            _ => Failure::value(error),
        }
    }
}

impl From<HoldError> for Failure {
    fn from(error: HoldError) -> Self {
        match error {
            HoldError::Build(BuildError::TooManyVertices { vertices, limit }) => Failure::Value(format!(
                "{vertices} vertices are more than the {limit} that this graph may have: raise `max_vertices`"
            )),
            HoldError::Build(BuildError::Duplicate { src, dst }) => Failure::Edge("is there twice", src, dst),
            _ => Failure::value(error),
        }
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Graph(error) => error.into(),
            LogError::Ids(_) => Failure::value(error),
            _ => Failure::file(error),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Value(text) => PyValueError::new_err(text),
            Failure::Overflow(text) => PyOverflowError::new_err(text),
            Failure::Memory(text) => PyMemoryError::new_err(text),
            Failure::File(kind, text) => io::Error::new(kind, text).into(),
            Failure::Edge(what, from, to) => PyValueError::new_err((what, from, to)),
            Failure::Runtime(text) => PyRuntimeError::new_err(text),
            Failure::Raised(raised) => raised,
        }
    }
}
