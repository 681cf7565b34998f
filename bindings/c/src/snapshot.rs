//! A graph as it was when the snapshot was taken, and the algorithms on it.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use pleach::Matrix;
use pleach::graph::{Ids, Snapshot};
use pleach::runtime::Packed;
use pleach::sort::Weight;
use pleach::traverse::{Adjacency, Cancel};
use pleach_algorithms::bfs::{UNREACHED, bfs};
use pleach_algorithms::cc::components;
use pleach_algorithms::cdlp::{Cdlp, cdlp_from};
use pleach_algorithms::lcc::lcc;
use pleach_algorithms::pagerank::{PageRank, Stop, pagerank};
use pleach_algorithms::sssp::{Sssp, SsspError, sssp};
use rayon::prelude::*;

use crate::failure::{Failure, Status};
use crate::ranked::Vertices;

type Rows<V> = Matrix<Packed<u32, V>>;

/// The weight of an edge in memory: a number, or nothing.
pub(crate) trait Value: Weight {
    const WEIGHTED: bool;
    fn of(weight: f64) -> Self;
    fn number(self) -> f64;
    fn distances(graph: Adjacency<'_, Rows<Self>>, source: u32) -> Result<Vec<f64>, SsspError>;
}

impl Value for f64 {
    const WEIGHTED: bool = true;

    fn of(weight: f64) -> Self {
        weight
    }

    fn number(self) -> f64 {
        self
    }

    fn distances(graph: Adjacency<'_, Rows<f64>>, source: u32) -> Result<Vec<f64>, SsspError> {
        Ok(sssp(graph, source, &Sssp::default())?.distances)
    }
}

impl Value for () {
    const WEIGHTED: bool = false;

    fn of(_: f64) -> Self {}

    fn number(self) -> f64 {
        1.0
    }

    fn distances(graph: Adjacency<'_, Rows<()>>, source: u32) -> Result<Vec<f64>, SsspError> {
        let distance = |depth| if depth == UNREACHED { f64::INFINITY } else { f64::from(depth) };
        Ok(bfs(graph, source)?.depths.into_iter().map(distance).collect())
    }
}

/// Memory for a result, which nothing has been written to.
pub(crate) type Out<'a, T> = &'a mut [MaybeUninit<T>];

/// A snapshot with weights or without. Results have an element for each vertex, in the order of [`vertices`](Self::vertices).
pub(crate) trait AnySnapshot: Send + Sync {
    fn version(&self) -> u64;
    fn counts(&self) -> (u64, u64);
    fn has_vertex(&self, id: u64) -> bool;
    fn weight(&self, from: u64, to: u64) -> Option<f64>;
    fn degree(&self, id: u64, incoming: bool) -> Result<u64, Failure>;
    /// Writes neighbours and weights as far as both arrays reach.
    fn neighbors(&self, id: u64, incoming: bool, ids: Out<u64>, weights: Option<Out<f64>>) -> Result<(), Failure>;
    fn vertices(&self, out: Out<u64>) -> Result<(), Failure>;
    fn bfs(&self, source: u64, out: Out<i64>) -> Result<(), Failure>;
    fn pagerank(&self, iterations: u64, damping: f64, out: Out<f64>) -> Result<(), Failure>;
    fn wcc(&self, out: Out<u64>) -> Result<(), Failure>;
    fn cdlp(&self, iterations: u64, out: Out<u64>) -> Result<(), Failure>;
    fn lcc(&self, out: Out<f64>) -> Result<(), Failure>;
    fn sssp(&self, source: u64, out: Out<f64>) -> Result<(), Failure>;
    fn cancel(&self);
}

pub(crate) struct Taken<V: Value> {
    snapshot: Snapshot<Packed<u32, V>>,
    ids: Ids<u64>,
    /// Listed when they are first used.
    vertices: OnceLock<Vertices>,
    cancel: Cancel,
}

impl<V: Value> Taken<V> {
    pub(crate) fn new(snapshot: Snapshot<Packed<u32, V>>, ids: Ids<u64>) -> Self {
        Taken { snapshot, ids, vertices: OnceLock::new(), cancel: Cancel::new() }
    }

    /// The number of a vertex that exists in this version.
    fn vertex(&self, id: u64) -> Result<u32, Failure> {
        let vertex = self.ids.get(&id).filter(|&vertex| self.snapshot.has_vertex(vertex));
        vertex.ok_or_else(|| Failure::no_vertex(id))
    }

    fn listed(&self) -> &Vertices {
        self.vertices.get_or_init(|| Vertices::new(self.snapshot.vertices(), &self.ids))
    }

    fn graph(&self) -> Adjacency<'_, Rows<V>> {
        self.snapshot.adjacency().expect("in-arcs are kept").with_cancel(&self.cancel)
    }

    /// Runs an algorithm, unless or until it is cancelled.
    fn run<T>(&self, algorithm: impl FnOnce(Adjacency<'_, Rows<V>>) -> Result<T, Failure>) -> Result<T, Failure> {
        let graph = self.graph();
        let cancelled = |cancelled: pleach::traverse::Cancelled| Failure::new(Status::Cancelled, cancelled.to_string());
        self.cancel
            .run(|| {
                graph.check_cancel();
                algorithm(graph)
            })
            .map_err(cancelled)?
    }

    /// Refuses an array that is shorter than the vertices are many: before an algorithm runs, not after.
    fn room<T>(&self, out: &Out<'_, T>) -> Result<(), Failure> {
        let needed = self.snapshot.num_vertices();
        if out.len() >= needed { Ok(()) } else { Err(too_small(out.len(), needed)) }
    }

    /// Writes a value for each vertex, found by its number.
    fn write<T: Send>(&self, out: Out<'_, T>, value: impl Fn(usize) -> T + Sync) {
        let numbers = &self.listed().numbers;
        out[..numbers.len()].par_iter_mut().zip(numbers).for_each(|(out, &vertex)| {
            out.write(value(vertex as usize));
        });
    }

    /// An arc of an error, by ids.
    fn named(&self, error: SsspError) -> Failure {
        match error {
            SsspError::Weight { from, to, weight } => {
                let id = |vertex: u32| self.ids.key(vertex).unwrap_or_default();
                Failure::argument(format_args!(
                    "shortest paths need weights that are not negative: the edge from {} to {} weighs {weight}",
                    id(from),
                    id(to)
                ))
            }
            error => Failure::argument(error),
        }
    }
}

fn too_small(len: usize, needed: usize) -> Failure {
    Failure::new(Status::BufferTooSmall, format!("the array has room for {len} elements, and {needed} are needed"))
}

impl<V: Value> AnySnapshot for Taken<V> {
    fn version(&self) -> u64 {
        self.snapshot.version()
    }

    fn counts(&self) -> (u64, u64) {
        (self.snapshot.num_vertices() as u64, self.snapshot.num_edges())
    }

    fn has_vertex(&self, id: u64) -> bool {
        self.vertex(id).is_ok()
    }

    fn weight(&self, from: u64, to: u64) -> Option<f64> {
        let (from, to) = self.ids.get(&from).zip(self.ids.get(&to))?;
        self.snapshot.weight(from, to).map(|&weight| weight.number())
    }

    fn degree(&self, id: u64, incoming: bool) -> Result<u64, Failure> {
        let vertex = self.vertex(id)?;
        let degree = match incoming {
            true => self.snapshot.in_degree(vertex).expect("in-arcs are kept"),
            false => self.snapshot.out_degree(vertex),
        };
        Ok(degree as u64)
    }

    fn neighbors(&self, id: u64, incoming: bool, ids: Out<u64>, mut weights: Option<Out<f64>>) -> Result<(), Failure> {
        let vertex = self.vertex(id)?;
        let near = match incoming {
            true => self.snapshot.in_neighbors(vertex).expect("in-arcs are kept"),
            false => self.snapshot.neighbors(vertex),
        };
        let room = weights.as_ref().map_or(ids.len(), |weights| weights.len().min(ids.len()));
        if near.len() > room {
            return Err(too_small(room, near.len()));
        }
        for (at, (neighbor, &weight)) in near.enumerate() {
            ids[at].write(self.ids.key(neighbor).expect("a vertex has an id"));
            if let Some(weights) = &mut weights {
                weights[at].write(weight.number());
            }
        }
        Ok(())
    }

    fn vertices(&self, out: Out<u64>) -> Result<(), Failure> {
        self.room(&out)?;
        for (out, &id) in out.iter_mut().zip(&self.listed().ids) {
            out.write(id);
        }
        Ok(())
    }

    fn bfs(&self, source: u64, out: Out<i64>) -> Result<(), Failure> {
        self.room(&out)?;
        let source = self.vertex(source)?;
        let found = self.run(|graph| bfs(graph, source).map_err(Failure::argument))?;
        let depth = |depth| if depth == UNREACHED { i64::MAX } else { i64::from(depth) };
        self.write(out, |vertex| depth(found.depths[vertex]));
        Ok(())
    }

    fn pagerank(&self, iterations: u64, damping: f64, out: Out<f64>) -> Result<(), Failure> {
        self.room(&out)?;
        let stop = Stop::Iterations(usize::try_from(iterations).unwrap_or(usize::MAX));
        let options = PageRank::default().with_damping(damping).with_stop(stop);
        let found = self.run(|graph| pagerank(graph, &options).map_err(Failure::argument))?;
        self.write(out, |vertex| found.ranks[vertex]);
        Ok(())
    }

    fn wcc(&self, out: Out<u64>) -> Result<(), Failure> {
        self.room(&out)?;
        let found = self.run(|graph| Ok(components(graph)))?;
        // A component is named by its smallest id, whatever its smallest number is.
        let Vertices { numbers, ids } = self.listed();
        let mut smallest = vec![u64::MAX; found.labels.len()];
        for (&vertex, &id) in numbers.iter().zip(ids) {
            let smallest = &mut smallest[found.labels[vertex as usize] as usize];
            *smallest = id.min(*smallest);
        }
        self.write(out, |vertex| smallest[found.labels[vertex] as usize]);
        Ok(())
    }

    fn cdlp(&self, iterations: u64, out: Out<u64>) -> Result<(), Failure> {
        self.room(&out)?;
        let options = Cdlp::default().with_iterations(usize::try_from(iterations).unwrap_or(usize::MAX));
        let found = self.run(|graph| {
            let (ids, ranks) = self.listed().ranks(graph.bound());
            let found = cdlp_from(graph, &options, ranks).map_err(Failure::argument)?;
            Ok((ids, found.labels))
        })?;
        self.write(out, |vertex| found.0[found.1[vertex] as usize]);
        Ok(())
    }

    fn lcc(&self, out: Out<f64>) -> Result<(), Failure> {
        self.room(&out)?;
        let found = self.run(|graph| lcc(graph).map_err(Failure::argument))?;
        self.write(out, |vertex| found.coefficients[vertex]);
        Ok(())
    }

    fn sssp(&self, source: u64, out: Out<f64>) -> Result<(), Failure> {
        self.room(&out)?;
        let source = self.vertex(source)?;
        let found = self.run(|graph| V::distances(graph, source).map_err(|error| self.named(error)))?;
        self.write(out, |vertex| found[vertex]);
        Ok(())
    }

    fn cancel(&self) {
        self.cancel.cancel();
    }
}
