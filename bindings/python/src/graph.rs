//! A graph that changes: in memory, or kept in a directory.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use numpy::PyReadonlyArray1;
use parking_lot::Mutex;
use pleach::EdgeList;
use pleach::graph::{Action, Applied, Conflict, GraphOptions, MAX_VERTICES, Prepared, UpdateList};
use pleach::sort::Weight;
use pleach_erased::{AnyGraph, AnySnapshot, Bundled, StoreName};
use pleach_log::{Durable, IdKind, Options, Sync, VertexIds, Weights};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{copied, has_room};
use crate::failure::Failure;
use crate::jobs::{Threads, run, run_to_end};
use crate::snapshot::{Snap, SnapshotCore};

/// Where a graph is.
pub(crate) enum Home<V: Weights + Bundled> {
    Memory(AnyGraph<V>),
    Kept(Durable<V>),
}

impl<V: Weights + Bundled> Home<V> {
    fn prepare(&self, updates: UpdateList<V>) -> Result<Prepared<V>, Failure> {
        Ok(match self {
            Home::Memory(graph) => graph.prepare_list(updates)?,
            Home::Kept(graph) => graph.prepare_list(updates)?,
        })
    }

    fn commit(&self, prepared: Prepared<V>) -> Result<Applied, Failure> {
        Ok(match self {
            Home::Memory(graph) => graph.commit(prepared)?,
            Home::Kept(graph) => graph.commit(prepared)?,
        })
    }

    fn add_vertices(&self, vertices: Vec<u32>) -> Result<Applied, Failure> {
        Ok(match self {
            Home::Memory(graph) => graph.commit(graph.prepare_vertices(vertices)?)?,
            Home::Kept(graph) => graph.add_vertices(vertices)?,
        })
    }

    fn fresh(&self) -> AnySnapshot<V> {
        match self {
            Home::Memory(graph) => graph.fresh(),
            Home::Kept(graph) => graph.fresh(),
        }
    }

    fn ids(&self) -> Option<&VertexIds> {
        match self {
            Home::Memory(_) => None,
            Home::Kept(graph) => Some(graph.ids()),
        }
    }
}

pub(crate) enum Held {
    Pattern(Home<()>),
    Weighted(Home<f64>),
}

/// The same for graphs with weights and without.
macro_rules! each {
    ($held:expr, $home:ident => $do:expr) => {
        match $held {
            Held::Pattern($home) => $do,
            Held::Weighted($home) => $do,
        }
    };
}

/// A graph of numbered vertices.
#[pyclass(frozen, module = "pleach_graph._pleach")]
pub(crate) struct GraphCore {
    held: Mutex<Option<Arc<Held>>>,
    process: u32,
    /// Number of batches that were applied.
    batches: Arc<AtomicU64>,
}

/// What happens to an edge that is inserted again.
fn conflict<V: Weight>(name: &str) -> PyResult<Conflict<V>> {
    Ok(match name {
        "last" => Conflict::Last,
        "first" => Conflict::First,
        "sum" => Conflict::Sum,
        "min" => Conflict::Min,
        "max" => Conflict::Max,
        "error" => Conflict::Error,
        _ => {
            let text = format!("conflict must be 'last', 'first', 'sum', 'min', 'max' or 'error', not {name:?}");
            return Err(PyValueError::new_err(text));
        }
    })
}

fn options<V: Weight>(directed: bool, name: &str, max_vertices: Option<usize>) -> PyResult<GraphOptions<V>> {
    let options = GraphOptions::default().with_directed(directed).with_conflict(conflict(name)?);
    match max_vertices {
        None => Ok(options),
        Some(most @ 1..=MAX_VERTICES) => Ok(options.with_max_vertices(most)),
        Some(most) => Err(PyValueError::new_err(format!("max_vertices must be 1 to {MAX_VERTICES}, not {most}"))),
    }
}

/// Columns of numbers between `rows` vertices.
fn edges<V>(rows: usize, src: Vec<u32>, dst: Vec<u32>, weight: Vec<V>) -> Result<EdgeList<V>, Failure> {
    let (sources, targets, weights) = (src.len(), dst.len(), weight.len());
    if sources != targets || sources != weights {
        return Err(Failure::Value(format!("src, dst and weight have {sources}, {targets} and {weights} elements")));
    }
    Ok(EdgeList { num_rows: rows, num_cols: rows, src, dst, weight })
}

type Column<'py, T> = PyReadonlyArray1<'py, T>;

/// What a batch did, as a dictionary.
fn told<'py>(py: Python<'py>, applied: &Applied) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let Applied { new, changed, unchanged, removed, absent, merged, vertices_removed, version } = *applied;
    let fields = [
        ("new", new),
        ("changed", changed),
        ("unchanged", unchanged),
        ("removed", removed),
        ("absent", absent),
        ("merged", merged),
        ("vertices_removed", vertices_removed),
    ];
    fields.into_iter().try_for_each(|(name, count)| found.set_item(name, count))?;
    found.set_item("version", version)?;
    Ok(found)
}

impl GraphCore {
    fn of(held: Held) -> Self {
        GraphCore { held: Mutex::new(Some(Arc::new(held))), process: std::process::id(), batches: Arc::default() }
    }

    /// The graph, if it can be used: not after it was closed, nor in a child of the process that made it, where its threads are missing
    /// and its locks may be held for ever.
    fn held(&self) -> PyResult<Arc<Held>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "this graph was made before the process was forked: use its snapshots here, or build a graph in this process",
            ));
        }
        let held = self.held.lock().clone();
        held.ok_or_else(|| PyRuntimeError::new_err("the graph was closed"))
    }
}

#[pymethods]
impl GraphCore {
    /// A graph of columns of edges between ``rows`` vertices, in a named store.
    #[staticmethod]
    #[pyo3(signature = (rows, src, dst, weight, *, directed, conflict, store, max_vertices=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn build(
        py: Python<'_>,
        rows: usize,
        src: Column<'_, u32>,
        dst: Column<'_, u32>,
        weight: Option<Column<'_, f64>>,
        directed: bool,
        conflict: &str,
        store: &str,
        max_vertices: Option<usize>,
        threads: Option<Threads>,
    ) -> PyResult<Self> {
        let name: StoreName = store.parse().map_err(|error| PyValueError::new_err(format!("store: {error}")))?;
        // A vertex takes some bytes while the graph is built.
        has_room(rows)?;
        let (src, dst) = (copied("src", &src)?, copied("dst", &dst)?);
        let max_vertices = max_vertices.or_else(|| Some(rows.max(pleach::graph::DEFAULT_MAX_VERTICES)));
        let held = match weight {
            None => {
                let options = options(directed, conflict, max_vertices)?;
                let units = vec![(); src.len()];
                run(py, threads, move || {
                    let graph = AnyGraph::from_edges(&name, edges(rows, src, dst, units)?, options);
                    Ok(Held::Pattern(Home::Memory(graph?.0)))
                })?
            }
            Some(weight) => {
                let options = options(directed, conflict, max_vertices)?;
                let weight = copied("weight", &weight)?;
                run(py, threads, move || {
                    let graph = AnyGraph::from_edges(&name, edges(rows, src, dst, weight)?, options);
                    Ok(Held::Weighted(Home::Memory(graph?.0)))
                })?
            }
        };
        Ok(GraphCore::of(held))
    }

    /// Opens the graph in a directory, or makes an empty one there. ``description`` of `GraphCore.describe`, or what a new one shall be.
    #[staticmethod]
    #[pyo3(signature = (directory, *, weighted, directed, conflict, ids, store, sync, max_vertices=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn open(
        py: Python<'_>,
        directory: PathBuf,
        weighted: bool,
        directed: bool,
        conflict: &str,
        ids: &str,
        store: &str,
        sync: &str,
        max_vertices: Option<usize>,
    ) -> PyResult<Self> {
        let store: StoreName = store.parse().map_err(|error| PyValueError::new_err(format!("store: {error}")))?;
        let ids = match ids {
            "none" => IdKind::None,
            "numbers" => IdKind::Numbers,
            "names" => IdKind::Names,
            _ => return Err(PyValueError::new_err(format!("ids must be 'none', 'numbers' or 'names', not {ids:?}"))),
        };
        let sync = match (sync, sync.parse::<f64>()) {
            ("each", _) => Sync::EachBatch,
            ("never", _) => Sync::Never,
            (_, Ok(seconds)) if seconds > 0.0 && seconds < 1e6 => Sync::Every(Duration::from_secs_f64(seconds)),
            _ => return Err(PyValueError::new_err(format!("sync must be 'each', 'never' or seconds, not {sync:?}"))),
        };
        fn opened<V: Weights + Bundled>(directory: PathBuf, options: Options<V>) -> Result<Home<V>, Failure> {
            Ok(Home::Kept(pleach_log::open(directory, options).map_err(Failure::file)?))
        }
        let held = if weighted {
            let options = Options::of(options(directed, conflict, max_vertices)?);
            let options = options.with_store(store).with_ids(ids).with_sync(sync);
            run(py, None, move || Ok(Held::Weighted(opened(directory, options)?)))?
        } else {
            let options = Options::of(options(directed, conflict, max_vertices)?);
            let options = options.with_store(store).with_ids(ids).with_sync(sync);
            run(py, None, move || Ok(Held::Pattern(opened(directory, options)?)))?
        };
        Ok(GraphCore::of(held))
    }

    /// What graph a directory holds.
    #[staticmethod]
    fn describe(py: Python<'_>, directory: PathBuf) -> PyResult<Bound<'_, PyDict>> {
        let held = pleach_log::describe(directory).map_err(|error| PyOSError::new_err(error.to_string()))?;
        let told = PyDict::new(py);
        told.set_item("weighted", held.weighted)?;
        told.set_item("directed", held.directed)?;
        told.set_item("conflict", held.conflict)?;
        let ids = match held.ids {
            IdKind::None => "none",
            IdKind::Numbers => "numbers",
            IdKind::Names => "names",
        };
        told.set_item("ids", ids)?;
        Ok(told)
    }

    /// Applies a batch of columns: ``action`` is 0 to insert, 1 to change a weight, 2 to delete, 3 to remove the vertex ``src``.
    #[pyo3(signature = (action, src, dst, weight, threads=None))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        action: Column<'_, u8>,
        src: Column<'_, u32>,
        dst: Column<'_, u32>,
        weight: Option<Column<'_, f64>>,
        threads: Option<Threads>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let held = self.held()?;
        let (action, src, dst) = (copied("action", &action)?, copied("src", &src)?, copied("dst", &dst)?);
        let weight = weight.map(|weight| copied("weight", &weight)).transpose()?;
        let lengths = [src.len(), dst.len(), weight.as_ref().map_or(src.len(), Vec::len)];
        if lengths.iter().any(|&length| length != action.len()) {
            return Err(PyValueError::new_err("the columns of a batch differ in length"));
        }
        let batches = self.batches.clone();
        let applied = run_to_end(py, threads, move || {
            fn list<V>(
                columns: (Vec<u8>, Vec<u32>, Vec<u32>),
                weight: impl Fn(usize) -> V,
            ) -> Result<UpdateList<V>, Failure> {
                let mut updates = UpdateList::new();
                for (k, ((action, src), dst)) in columns.0.into_iter().zip(columns.1).zip(columns.2).enumerate() {
                    let action = match action {
                        0 => Action::Insert,
                        1 => Action::Reweight,
                        2 => Action::Delete,
                        3 => Action::RemoveVertex,
                        _ => return Err(Failure::Value(format!("action {action} is none of 0 to 3"))),
                    };
                    updates.push(action, src, dst, weight(k));
                }
                Ok(updates)
            }
            let applied = match &*held {
                Held::Pattern(home) => home.commit(home.prepare(list((action, src, dst), |_| ())?)?),
                Held::Weighted(home) => {
                    let of = |k| weight.as_ref().map_or(1.0, |weight| weight[k]);
                    home.commit(home.prepare(list((action, src, dst), of)?)?)
                }
            }?;
            batches.fetch_add(1, Ordering::Relaxed);
            Ok(applied)
        })?;
        told(py, &applied)
    }

    /// Makes vertices be there, with or without an edge.
    fn add_vertices<'py>(&self, py: Python<'py>, vertices: Column<'_, u32>) -> PyResult<Bound<'py, PyDict>> {
        let (held, vertices) = (self.held()?, copied("vertices", &vertices)?);
        let batches = self.batches.clone();
        let applied = run_to_end(py, None, move || {
            let applied = each!(&*held, home => home.add_vertices(vertices))?;
            batches.fetch_add(1, Ordering::Relaxed);
            Ok(applied)
        })?;
        told(py, &applied)
    }

    /// Number of batches that were applied, also where a signal raised something meanwhile.
    fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    /// Whether the graph can be used; if not, this says why. It makes no version, which would slow the next batch down.
    fn check(&self) -> PyResult<()> {
        self.held().map(drop)
    }

    /// A version that holds every batch that was applied before.
    fn snapshot(&self, py: Python<'_>) -> PyResult<SnapshotCore> {
        let held = self.held()?;
        let snap = py.detach(|| match &*held {
            Held::Pattern(home) => Snap::Pattern(home.fresh()),
            Held::Weighted(home) => Snap::Weighted(home.fresh()),
        });
        Ok(SnapshotCore::of(snap))
    }

    /// The numbers of vertices by their ids, which are added if they are new: for a directory whose vertices have names.
    fn intern_names(&self, names: Vec<String>) -> PyResult<Vec<u32>> {
        let held = self.held()?;
        let ids = each!(&*held, home => home.ids().and_then(VertexIds::names));
        let ids = ids.ok_or_else(|| PyRuntimeError::new_err("the vertices of this graph have no names"))?;
        let number = |name: &String| ids.intern(name).map_err(|error| PyValueError::new_err(error.to_string()));
        names.iter().map(number).collect()
    }

    /// The same for a directory whose vertices have 64-bit numbers.
    fn intern_numbers(&self, numbers: Vec<u64>) -> PyResult<Vec<u32>> {
        let held = self.held()?;
        let ids = each!(&*held, home => home.ids().and_then(VertexIds::numbers));
        let ids = ids.ok_or_else(|| PyRuntimeError::new_err("the vertices of this graph have no ids"))?;
        let number = |number: &u64| ids.intern(number).map_err(|error| PyValueError::new_err(error.to_string()));
        numbers.iter().map(number).collect()
    }

    /// The names of all vertices that have one, with their numbers.
    fn names(&self) -> PyResult<Vec<(u32, String)>> {
        let held = self.held()?;
        let ids = each!(&*held, home => home.ids().and_then(VertexIds::names));
        Ok(ids.map(|ids| ids.iter().map(|(vertex, name)| (vertex, name.to_string())).collect()).unwrap_or_default())
    }

    /// The 64-bit numbers of all vertices that have one, with their numbers here.
    fn numbers(&self) -> PyResult<Vec<(u32, u64)>> {
        let held = self.held()?;
        let ids = each!(&*held, home => home.ids().and_then(VertexIds::numbers));
        Ok(ids.map(|ids| ids.iter().collect()).unwrap_or_default())
    }

    /// Writes a checkpoint, if the graph is kept in a directory. Returns its version.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<u64> {
        let held = self.held()?;
        run(py, None, move || {
            each!(&*held, home => match home {
                Home::Memory(_) => Err(Failure::Runtime("the graph is in memory only".to_owned())),
                Home::Kept(graph) => Ok(graph.checkpoint()?),
            })
        })
    }

    /// Writes what is left to the directory, and ends. A graph in memory is given back.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.process != std::process::id() {
            return Ok(());
        }
        let Some(held) = self.held.lock().take() else { return Ok(()) };
        run(py, None, move || {
            let Some(held) = Arc::into_inner(held) else {
                return Err(Failure::runtime("another thread still writes to the graph; it is closed when that ends"));
            };
            each!(held, home => match home {
                Home::Memory(_) => Ok(()),
                Home::Kept(graph) => Ok(graph.close()?),
            })
        })
    }
}
