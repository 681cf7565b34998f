//! `pleach run eigenvector`, `pleach run katz` and `pleach run hits`.

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};

use super::super::Failure;
use super::super::output::note;
use super::super::plot::{Picture, falling_scores};
use super::common::{Algorithm, Checked, Vertices};
use super::report::{Report, scored};
use pleach_algorithms::spectral::{Hits, Scores, Spectral, SpectralError};
use pleach_compiled::spectral;

/// When an iteration ends.
#[derive(Args)]
struct Iterated {
    #[command(flatten)]
    checked: Checked,
    /// Mean absolute change of a score at which the iteration ends
    #[arg(long, value_name = "CHANGE", default_value_t = 1e-9)]
    tolerance: f64,
    /// Largest number of iterations
    #[arg(long, value_name = "N", default_value_t = 1000)]
    iterations: usize,
}

impl Iterated {
    fn options(&self) -> Spectral {
        Spectral::default().with_tolerance(self.tolerance).with_iterations(self.iterations)
    }
}

fn failure(error: SpectralError) -> Failure {
    match error {
        SpectralError::Graph(_) | SpectralError::Arc { .. } => Failure::input(error),
        _ => Failure::usage(error),
    }
}

/// Says so where the tolerance was not reached.
fn note_unless(converged: bool, iterations: usize) {
    if !converged {
        note(format_args!("the scores have not settled after {iterations} iterations: --iterations allows more"));
    }
}

/// A result that has not settled is not checked.
fn settled(converged: bool) -> Result<(), String> {
    match converged {
        true => Ok(()),
        false => {
            Err("the scores have not settled, so that there is nothing to check: --iterations allows more".to_owned())
        }
    }
}

fn iterated<'a>(found: &'a Scores, vertices: &'a Vertices<'_>) -> Report<'a> {
    let mut report = scored(&found.scores, vertices);
    report.iterations(found.iterations).result("converged", found.converged);
    report
}

/// Options of eigenvector centrality.
#[derive(Args)]
pub struct EigenvectorArgs {
    #[command(flatten)]
    iterated: Iterated,
}

impl Algorithm for EigenvectorArgs {
    const NAME: &'static str = "eigenvector";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Scores) -> Picture> =
        Some(|found| falling_scores("distribution of eigenvector centrality", found.scores.clone()));
    type Value = f64;
    type Found = Scores;

    fn options(&self) -> &Checked {
        &self.iterated.checked
    }

    fn compute(&self, graph: GraphView<'_, f64>, _: &Vertices<'_>) -> Result<Scores, Failure> {
        let found = spectral::eigenvector(graph, &self.iterated.options()).map_err(failure)?;
        note_unless(found.converged, found.iterations);
        Ok(found)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, f64>>, _: &Vertices<'_>, found: &Scores) -> Result<(), String> {
        settled(found.converged)?;
        spectral::verify_eigenvector(graph, &self.iterated.options(), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Scores, vertices: &'a Vertices<'_>) -> Report<'a> {
        iterated(found, vertices)
    }
}

/// Options of Katz centrality.
#[derive(Args)]
pub struct KatzArgs {
    #[command(flatten)]
    iterated: Iterated,
    /// Attenuation factor: a walk of n steps counts its n-th power. It must be below the inverse of the largest eigenvalue
    #[arg(long, value_name = "FACTOR", default_value_t = 0.1)]
    alpha: f64,
    /// Constant that is added to the score of each vertex
    #[arg(long, value_name = "SCORE", default_value_t = 1.0)]
    beta: f64,
}

impl KatzArgs {
    fn katz(&self) -> Spectral {
        self.iterated.options().with_katz(self.alpha, self.beta)
    }
}

impl Algorithm for KatzArgs {
    const NAME: &'static str = "katz";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&Scores) -> Picture> =
        Some(|found| falling_scores("distribution of Katz centrality", found.scores.clone()));
    type Value = f64;
    type Found = Scores;

    fn options(&self) -> &Checked {
        &self.iterated.checked
    }

    fn compute(&self, graph: GraphView<'_, f64>, _: &Vertices<'_>) -> Result<Scores, Failure> {
        let found = spectral::katz(graph, &self.katz()).map_err(failure)?;
        note_unless(found.converged, found.iterations);
        Ok(found)
    }

    fn verify(&self, graph: Adjacency<'_, DynRows<'_, f64>>, _: &Vertices<'_>, found: &Scores) -> Result<(), String> {
        settled(found.converged)?;
        spectral::verify_katz(graph, &self.katz(), found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Scores, vertices: &'a Vertices<'_>) -> Report<'a> {
        iterated(found, vertices)
    }
}

/// Options of hubs and authorities.
#[derive(Args)]
pub struct HitsArgs {
    #[command(flatten)]
    iterated: Iterated,
    /// Print and write the hub scores of vertices instead of their authority scores
    #[arg(long)]
    hubs: bool,
}

/// Hubs and authorities, and whether hubs are what is told.
pub struct HitsFound {
    hits: Hits,
    hubs: bool,
}

impl HitsFound {
    fn scores(&self) -> &[f64] {
        if self.hubs { &self.hits.hubs } else { &self.hits.authorities }
    }
}

impl Algorithm for HitsArgs {
    const NAME: &'static str = "hits";
    const ENDS: Ends = Ends::Both;
    const PICTURE: Option<fn(&HitsFound) -> Picture> = Some(|found| {
        let title = if found.hubs { "distribution of hubs" } else { "distribution of authority" };
        falling_scores(title, found.scores().to_vec())
    });
    type Value = f64;
    type Found = HitsFound;

    fn options(&self) -> &Checked {
        &self.iterated.checked
    }

    fn compute(&self, graph: GraphView<'_, f64>, _: &Vertices<'_>) -> Result<HitsFound, Failure> {
        let hits = spectral::hits(graph, &self.iterated.options()).map_err(failure)?;
        note_unless(hits.converged, hits.iterations);
        Ok(HitsFound { hits, hubs: self.hubs })
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, f64>>,
        _: &Vertices<'_>,
        found: &HitsFound,
    ) -> Result<(), String> {
        settled(found.hits.converged)?;
        spectral::verify_hits(graph, &self.iterated.options(), &found.hits).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a HitsFound, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = scored(found.scores(), vertices);
        report.iterations(found.hits.iterations).result("converged", found.hits.converged);
        report
    }
}
