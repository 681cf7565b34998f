//! `pleach run pagerank`.

use std::time::{Duration, Instant};

use clap::Args;
use pleach::Rows;
use pleach::traverse::DynRows;
use pleach_erased::{Ends, GraphView, Held, StoredGraph};
use serde_json::{Value, json};

use super::super::output::note;
use super::super::plot::falling;
use super::super::{Failure, progress};
use super::common::{Checked, Common, Loaded, Vertices, load};
use super::following::{Following, FollowingRanks};
use super::report::{Measured, Report, Times};
use super::snapshot::{Finding, Tells};
use super::source::Source;
use super::verifying;
use pleach_algorithms::incremental::MovingRanks;
use pleach_algorithms::pagerank::{PageRank, PageRankError, Ranks, Stop, top};
use pleach_compiled::pagerank;

/// Options of PageRank.
#[derive(Args)]
pub struct PageRankArgs {
    #[command(flatten)]
    checked: Checked,
    /// Probability of following an arc rather than teleporting
    #[arg(long, value_name = "C", default_value_t = 0.85)]
    damping: f64,
    /// Stop when one iteration changes the ranks by no more than this (sum of absolute differences)
    #[arg(long, value_name = "CHANGE", default_value_t = 1e-10, conflicts_with = "iterations")]
    tolerance: f64,
    /// Stop after this many iterations even if the tolerance is not reached
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "iterations")]
    max_iterations: usize,
    /// Run exactly this many iterations instead
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// Teleport to these vertices only, by their ids or names in the input; the weight is 1 if not given
    #[arg(long, value_name = "ID[:WEIGHT],…", value_delimiter = ',')]
    personalise: Vec<String>,
}

impl PageRankArgs {
    /// Runs it.
    pub fn on(&self, source: &mut Source) -> Result<(), Failure> {
        let (common, verify) = (&self.checked.common, self.checked.verify);
        common.with_threads(|| {
            let Loaded { input, weighted, counted, graph } = load(common, source, Ends::In, &|_| ())?;
            let vertices = Vertices::of(&input);
            let options = self.options(&vertices)?;
            let (held, ran) = RunPageRank { options, directed: input.graph.directed, verify }.held(&graph);
            let Ran { ranks, prepare, run, checked, all: _ } = ran.map_err(|error| fault(error, &vertices))?;
            checked?;
            self.warn(&ranks);
            let times = Times { build: held.build.as_secs_f64() + prepare, run };
            let mut report = report(&ranks, self.tolerance, self.top(), &vertices);
            if verify {
                report.result("verified", true);
            }
            report.print("pagerank", common, &Measured { input: &input, counted, weighted, held }, times)
        })
    }

    /// How many of the highest ranks are printed.
    fn top(&self) -> usize {
        self.checked.common.top.unwrap_or(10)
    }

    /// The options that all algorithms share.
    pub fn common(&self) -> &Common {
        &self.checked.common
    }

    fn options(&self, vertices: &Vertices<'_>) -> Result<PageRank, Failure> {
        let until = Stop::Tolerance { change: self.tolerance, most: self.max_iterations };
        let personalisation = self.personalise.iter().map(|text| teleport(text, vertices)).collect::<Result<_, _>>()?;
        Ok(PageRank::default()
            .with_damping(self.damping)
            .with_stop(self.iterations.map_or(until, Stop::Iterations))
            .with_personalisation(personalisation))
    }

    /// Computes the ranks of a graph.
    pub fn ranked(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Ranked, Failure> {
        let mut options = self.options(vertices)?;
        let ranks = pagerank::pagerank(graph, &options).map_err(|error| fault(error, vertices))?;
        self.warn(&ranks);
        let verified = self.checked.verify;
        if verified {
            if options.personalisation.is_empty() {
                // Numbers that are no vertices have no share.
                options.personalisation = graph.vertices().map(|vertex| (vertex, 1.0)).collect();
            }
            // The rows of an undirected graph are those of in-arcs, too.
            graph.over(|graph| check(graph.incoming().unwrap_or(graph.out()), &options, &ranks))?;
        }
        Ok(Ranked { ranks, tolerance: self.tolerance, top: self.top(), verified })
    }

    /// Ranks that go on from version to version, unless iterations are counted, some vertices are preferred, or ranks are to be checked.
    pub fn moving(&self) -> Option<Box<dyn Following<'_> + '_>> {
        if self.iterations.is_some() || !self.personalise.is_empty() || self.checked.verify {
            return None;
        }
        let found = |moving: &MovingRanks| -> Finding<'_> {
            let ranks = Ranks {
                ranks: moving.ranks(),
                iterations: moving.last().iterations,
                residual: moving.residual(),
                converged: moving.converged(),
            };
            Box::new(Ranked { ranks, tolerance: self.tolerance, top: self.top(), verified: false })
        };
        Some(Box::new(FollowingRanks {
            damping: self.damping,
            tolerance: self.tolerance,
            most: self.max_iterations,
            kept: None,
            found,
        }))
    }

    fn warn(&self, ranks: &Ranks) {
        if !ranks.converged {
            note(format_args!(
                "warning: after {} iterations the ranks still change by {:e}, more than {:e}",
                ranks.iterations, ranks.residual, self.tolerance
            ));
        }
    }
}

/// Whose fault it is.
fn fault(error: PageRankError, vertices: &Vertices<'_>) -> Failure {
    match error {
        PageRankError::Shape(_) => Failure::input(error),
        PageRankError::Weight { vertex, weight, .. } => Failure::usage(format!(
            "--personalise: weights must be finite, not negative and not all zero, with a finite sum ({} has {weight})",
            vertices.ids.label(vertex)
        )),
        _ => Failure::usage(error),
    }
}

/// Ranks, and how many of the highest are printed.
pub struct Ranked {
    ranks: Ranks,
    /// At which change of an iteration they count as converged.
    tolerance: f64,
    top: usize,
    /// Whether they were checked.
    verified: bool,
}

impl Tells for Ranked {
    fn report<'a>(&'a self, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = report(&self.ranks, self.tolerance, self.top, vertices);
        if self.verified {
            report.result("verified", true);
        }
        report
    }
}

/// Checks ranks by the equation that defines them; where they have not come down to the tolerance, by as many iterations again.
fn check(in_arcs: &DynRows<'_, ()>, options: &PageRank, ranks: &Ranks) -> Result<(), Failure> {
    let stop = if ranks.converged { options.stop } else { Stop::Iterations(ranks.iterations) };
    let passes = match stop {
        Stop::Iterations(count) => count as f64,
        Stop::Tolerance { .. } => 1.0,
    };
    let pass = in_arcs.num_rows() as f64 + in_arcs.nnz() as f64;
    let options = options.clone().with_stop(stop);
    // The arcs are listed first.
    verifying::watched("pagerank", (2.0 + passes) * pass, &|| {
        pagerank::verify(in_arcs, &options, &ranks.ranks).map_err(|wrong| wrong.to_string())
    })
}

fn report<'a>(ranks: &'a Ranks, tolerance: f64, k: usize, vertices: &Vertices<'_>) -> Report<'a> {
    // Vertices whose ids were removed have no rank.
    let best: Vec<(u32, f64)> = top(&ranks.ranks, k).into_iter().filter(|best| vertices.ids.has(best.0)).collect();
    let mut report = Report::new();
    report.iterations(ranks.iterations);
    report.hidden("sum", ranks.ranks.iter().sum::<f64>());
    let most = top(&ranks.ranks, 1).into_iter().find(|most| vertices.ids.has(most.0));
    report.hidden("max_vertex", most.map(|(vertex, _)| vertices.ids.json(vertex)));
    report.hidden("residual", if ranks.residual.is_finite() { json!(ranks.residual) } else { Value::Null });
    // A fixed number of iterations ends there, converged or not.
    report.hidden("converged", ranks.ranks.is_empty() || ranks.residual <= tolerance);
    report
        .hidden("top", best.iter().map(|&(vertex, rank)| json!([vertices.ids.json(vertex), rank])).collect::<Vec<_>>());
    report.lines(&format!("residual {:.1e}\n", ranks.residual));
    let width = best.iter().map(|&(vertex, _)| vertices.ids.label(vertex).to_string().chars().count()).max();
    let width = width.unwrap_or(0).max(12);
    for (vertex, rank) in best {
        report.lines(&format!("{:>width$}  {rank:.12}\n", vertices.ids.label(vertex)));
    }
    report.value(|file, vertex| write!(file, "{}", ranks.ranks[vertex as usize]));
    report.picture(|| falling("distribution of ranks", "vertices of at least this rank", "rank", ranks.ranks.clone()));
    report
}

/// `ID` or `ID:WEIGHT`. A name may have colons, too.
fn teleport(text: &str, vertices: &Vertices<'_>) -> Result<(u32, f64), Failure> {
    let Some((id, weight)) = text.rsplit_once(':') else { return Ok((vertices.find(text)?, 1.0)) };
    if let Ok(vertex) = vertices.find(text) {
        return Ok((vertex, 1.0));
    }
    let wrong = || Failure::usage(format!("--personalise {text}: `{weight}` is not a weight"));
    let weight = weight.trim().parse().map_err(|_| wrong())?;
    Ok((vertices.find(id)?, weight))
}

/// PageRank over whichever store holds the graph.
struct RunPageRank {
    options: PageRank,
    directed: bool,
    verify: bool,
}

/// What it found, and the seconds that degrees and ranks took.
struct Ran {
    ranks: Ranks,
    prepare: f64,
    run: f64,
    /// What is wrong with them, if that was looked for.
    checked: Result<(), Failure>,
    /// What all of it took, and the check.
    all: Duration,
}

impl RunPageRank {
    /// Ranks the vertices of in-arcs in a store.
    fn held(self, in_arcs: &StoredGraph<()>) -> (Held, Result<Ran, PageRankError>) {
        let begin = Instant::now();
        let ran = in_arcs.view(|in_arcs| self.over(in_arcs));
        let mut held = in_arcs.held;
        // A view of the rows is a part of building.
        held.build += begin.elapsed().saturating_sub(ran.as_ref().map_or(Duration::ZERO, |ran| ran.all));
        (held, ran)
    }

    fn over(self, in_arcs: GraphView<'_, ()>) -> Result<Ran, PageRankError> {
        let all = Instant::now();
        let out_degrees = if self.directed { in_arcs.in_degrees() } else { in_arcs.out_degrees() };
        let prepare = all.elapsed().as_secs_f64();
        let line = progress::line();
        let begin = Instant::now();
        let ranks = pagerank::from_in_arcs(in_arcs, &out_degrees, &self.options, &mut |iteration, residual| {
            line.set_message(format!("iteration {iteration}, residual {residual:.3e}"));
            line.tick();
        });
        let run = begin.elapsed().as_secs_f64();
        line.finish_and_clear();
        let ranks = ranks?;
        let check = || in_arcs.over(|graph| check(graph.out(), &self.options, &ranks));
        let checked = if self.verify { check() } else { Ok(()) };
        Ok(Ran { ranks, prepare, run, checked, all: all.elapsed() })
    }
}
