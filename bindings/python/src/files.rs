//! Files, and bundled and generated graphs.

use std::io::ErrorKind;
use std::path::PathBuf;

use numpy::{PyArray1, PyReadonlyArray1};
use pleach::EdgeList;
use pleach_datasets::{Direction, Edges, Format, IdMap, Input, Options, open};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{array, copied};
use crate::failure::Failure;
use crate::jobs::run;

/// What vertices are called: so many numbers from the first on, any numbers, or names.
#[derive(IntoPyObject)]
pub(crate) enum Called<'py> {
    Range((u64, usize)),
    Numbers(Bound<'py, PyArray1<u64>>),
    Names(Vec<String>),
}

type Read<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Option<Bound<'py, PyArray1<f64>>>,
    (usize, usize),
    bool,
    bool,
    Called<'py>,
);

/// Reads a graph from a file, or makes a bundled or generated one by its name: sources, targets, weights, numbers of rows and columns,
/// whether edges have a direction, whether each stands for both, and what vertices are called.
#[pyfunction]
#[pyo3(signature = (name, directed=None, format=None, columns=None, seed=0))]
pub(crate) fn read<'py>(
    py: Python<'py>,
    name: String,
    directed: Option<bool>,
    format: Option<&str>,
    columns: Option<&str>,
    seed: u64,
) -> PyResult<Read<'py>> {
    let direction = directed.map(|directed| if directed { Direction::Directed } else { Direction::Undirected });
    let format =
        format.map(|format| format.parse::<Format>().map_err(|error| PyValueError::new_err(error.to_string())));
    let columns = columns.map(|list| list.parse().map_err(|error| PyValueError::new_err(format!("columns: {error}"))));
    let options = Options::default().with_direction(direction).with_format(format.transpose()?);
    let options = options.with_columns(columns.transpose()?).with_seed(seed);
    let input = run(py, None, move || open(&name, &options).map_err(read_failure))?;
    let called = match input.ids.range() {
        _ if input.ids.has_names() => Called::Names(input.ids.labels().map(|label| label.to_string()).collect()),
        Some(range) => Called::Range(range),
        None => {
            let ids = (0..input.ids.len()).map(|vertex| input.ids.external(vertex as u32)).collect();
            Called::Numbers(array(py, ids))
        }
    };
    let (rows, cols) = (input.edges.num_rows(), input.edges.num_cols());
    let (src, dst, weight) = match input.edges {
        Edges::Pattern(list) => (list.src, list.dst, None),
        Edges::Weighted(list) => (list.src, list.dst, Some(list.weight)),
    };
    let weight = weight.map(|weight| array(py, weight));
    Ok((array(py, src), array(py, dst), weight, (rows, cols), input.directed, input.mirrored, called))
}

/// A file that is not there or cannot be opened is another error than one with a mistake.
pub(crate) fn read_failure(error: pleach_datasets::Error) -> Failure {
    match error {
        pleach_datasets::Error::Io { source, .. } if source.get_ref().is_some_and(|inner| inner.is::<PyErr>()) => {
            source.downcast().map_or_else(Failure::file, Failure::Raised)
        }
        pleach_datasets::Error::Io { ref source, .. } => Failure::File(source.kind(), error.to_string()),
        pleach_datasets::Error::Directory { .. } => Failure::File(ErrorKind::IsADirectory, error.to_string()),
        _ => Failure::value(error),
    }
}

/// Writes a graph of columns to a file, whose ending chooses the format.
#[pyfunction]
#[pyo3(signature = (path, rows, src, dst, weight, directed, names=None))]
#[expect(clippy::too_many_arguments, reason = "columns and what they are")]
pub(crate) fn write(
    py: Python<'_>,
    path: PathBuf,
    rows: usize,
    src: PyReadonlyArray1<'_, u32>,
    dst: PyReadonlyArray1<'_, u32>,
    weight: Option<PyReadonlyArray1<'_, f64>>,
    directed: bool,
    names: Option<Vec<u64>>,
) -> PyResult<()> {
    let (src, dst) = (copied("src", &src)?, copied("dst", &dst)?);
    let edges = match weight {
        None => {
            let weight = vec![(); src.len()];
            Edges::Pattern(EdgeList { num_rows: rows, num_cols: rows, src, dst, weight })
        }
        Some(weight) => {
            let weight = copied("weight", &weight)?;
            Edges::Weighted(EdgeList { num_rows: rows, num_cols: rows, src, dst, weight })
        }
    };
    let ids = match names {
        None => IdMap::identity(rows),
        Some(ids) if ids.len() == rows && ids.is_sorted_by(|a, b| a < b) => IdMap::from_sorted(ids),
        Some(_) => return Err(PyValueError::new_err("ids must be one for each vertex, ascending")),
    };
    let self_loops = edges.src().iter().zip(edges.dst()).filter(|(src, dst)| src == dst).count() as u64;
    let input = Input {
        name: String::new(),
        format: Format::Generated,
        edges,
        ids,
        directed,
        declared: None,
        mirrored: !directed,
        self_loops,
        attributes: Default::default(),
        notes: Vec::new(),
    };
    run(py, None, move || pleach_datasets::write(&input, path).map_err(read_failure))
}
