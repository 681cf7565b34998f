//! Shortest paths in 32 bits, as GAP computes them: over static rows and the default store, as the bundled stores are compiled for weights of 64 bits.

use std::sync::OnceLock;

use pleach::runtime::{Packed, Paged};
use pleach::traverse::Adjacency;
use pleach::{BuildError, BuildOptions, Csr, EdgeList, Matrix, Rows};
use pleach_algorithms::sssp::{Distances, Sssp, SsspError};
use pleach_compiled::narrow::{sssp_packed, sssp_static};
use pleach_erased::StoreName;

use super::apps::{App, Found, Job, number};
use crate::peers::{Kernel, Subject};
use crate::targets::DEFAULT;
use crate::{Bench, Competitor, Side, Work};

/// Rows of out-arcs, and of in-arcs if these differ.
struct Ends<M> {
    out: M,
    incoming: Option<M>,
}

impl<M: Rows> Ends<M> {
    fn graph(&self) -> Adjacency<'_, M> {
        let graph = match &self.incoming {
            Some(incoming) => Adjacency::assume_directed(&self.out, incoming),
            None => Adjacency::assume_undirected(&self.out),
        };
        graph.expect("rows and their transpose")
    }
}

/// Measures shortest paths over static rows, and over the default store if it is among `stores`.
pub(super) fn measure(
    bench: &mut Bench<'_>,
    stores: &[StoreName],
    edges: &EdgeList<f64>,
    build: &BuildOptions<f64>,
    sources: &[u32],
    subject: Subject<'_>,
) -> Result<(), BuildError> {
    let work = Work::timed(App::Sssp32.name());
    let rows = bench.within(|| narrow(edges, build))?;
    let incoming = (!build.undirected).then(|| rows.transpose());
    let matrix = |rows: &Csr<f32>| Matrix::<Packed<u32, f32>>::from_csr::<Paged<_>>(rows.view());
    let default = stores.iter().any(|store| store.to_string() == DEFAULT);
    let store = default.then(|| bench.within(|| Ends { out: matrix(&rows), incoming: incoming.as_ref().map(matrix) }));
    let rows = Ends { out: rows, incoming };
    for other in stores.iter().filter(|store| ![DEFAULT, "csr"].contains(&&*store.to_string())) {
        bench.skip(
            &work,
            &other.to_string(),
            Side::Ours,
            "only the default store is compiled for weights of 32 bits here",
        );
    }
    if sources.is_empty() {
        bench.skip(&work, "csr", Side::Static, "the graph has no arc, and so no vertex to start from");
        return Ok(());
    }
    let found = OnceLock::new();
    let job = Job { app: App::Sssp32, sources, found: &found };
    let theirs = bench.theirs_from(Kernel::Sssp32, subject, sources, |at| number(&found, at));
    let mut first = true;
    let mut competitors = vec![Competitor::clocked("csr", Side::Static, {
        let rows = &rows;
        move |clock| {
            job.repeat(
                clock,
                |source| short(sssp_static(rows.graph(), source, &Sssp::default())),
                "csr",
                std::mem::take(&mut first),
            )
        }
    })];
    if let Some(store) = &store {
        let mut first = true;
        let run = move |clock| {
            job.repeat(
                clock,
                |source| short(sssp_packed(store.graph(), source, &Sssp::default())),
                DEFAULT,
                std::mem::take(&mut first),
            )
        };
        competitors.push(Competitor::clocked(DEFAULT, Side::Ours, run));
    }
    competitors.extend(theirs);
    bench.compare(&[work], competitors);
    Ok(())
}

/// Distances in 32 bits, or why there are none.
fn short(found: Result<Distances<f32>, SsspError>) -> Result<Found, String> {
    found.map(|found| Found::Short(found.distances)).map_err(|error| error.to_string())
}

/// Static rows with weights rounded to 32 bits.
fn narrow(edges: &EdgeList<f64>, build: &BuildOptions<f64>) -> Result<Csr<f32>, BuildError> {
    let (rows, _) = Csr::from_edges(edges, build)?;
    let parts = rows.into_parts();
    let values = parts.values.into_iter().map(|weight| weight as f32).collect();
    Ok(Csr::from_parts(parts.num_cols, parts.offsets, parts.coords, values).expect("they were rows before"))
}
