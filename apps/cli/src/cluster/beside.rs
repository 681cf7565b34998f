//! The algorithm that `pleach cluster stream` runs on versions of the graph, while later epochs are applied.

use std::sync::mpsc::Receiver;
use std::time::Instant;

use pleach::graph::Ids;
use pleach_cluster::stream::Version;
use pleach_cluster::{App, Found, RunError, Wire};
use serde_json::{Value, json};

use super::super::Failure;
use super::super::output::{print_beside, print_json_beside};
use super::stream::StreamArgs;
use super::worker::{Ended, Naming, write_values};

/// A version to run the algorithm on, and whether it is the last.
pub type Handed = (Version, bool);

/// The algorithm that runs beside the stream.
pub struct Running<'a, 'w> {
    pub args: &'a StreamArgs,
    pub app: App,
    pub wire: &'a mut Wire<'w>,
    /// The names of vertices by their numbers, if they have any and this is worker 0.
    pub names: Option<Ids<str>>,
    /// Whether the vertex that it starts from was not in the last version.
    pub missing: bool,
}

impl Running<'_, '_> {
    /// Runs it on all versions that are handed over. Says if the vertex that it starts from was not in the last one: which one is the last
    /// may not have been known.
    pub fn all(mut self, versions: &Receiver<Handed>) -> Result<Option<Failure>, Ended> {
        versions.iter().try_for_each(|(version, is_last)| self.one(&version, is_last))?;
        Ok(self.missing.then(|| self.no_vertex()))
    }

    fn one(&mut self, version: &Version, is_last: bool) -> Result<(), Ended> {
        let begin = Instant::now();
        let part = version.part(self.wire)?;
        let app = self.started_from()?;
        let mut found = match pleach_cluster::run(app, &part, self.wire) {
            Ok(found) => Some(found),
            Err(RunError::Lost(lost)) => return Err(lost.into()),
            // A vertex that is named may come later.
            Err(RunError::NoVertex(_)) if !is_last => None,
            Err(RunError::NoVertex(_)) => return Err(self.no_vertex().into()),
            Err(other) => return Err(Failure::input(other).into()),
        };
        self.missing = found.is_none();
        let seconds = begin.elapsed().as_secs_f64();
        if let (Some(out), Some(found), true) = (&self.args.out, &found, is_last) {
            write_values(out, &part, self.wire, self.names.as_ref().map_or(Naming::Numbers, Naming::Here), found)?;
        }
        if let (Some(names), Some(found)) = (&self.names, &mut found)
            && let Some(best) = found.figures.get_mut("max_vertex")
            && let Some(name) = best.as_u64().and_then(|number| names.key(number as u32))
        {
            *best = name.into();
        }
        if self.wire.worker() == 0 {
            self.print_result(version.number(), (part.vertices, part.arcs), found.as_ref(), seconds)?;
        }
        Ok(())
    }

    /// The algorithm with the number of the vertex that it starts from.
    fn started_from(&mut self) -> Result<App, Ended> {
        let Some(source) = self.args.options.source.as_ref().filter(|_| self.args.names) else { return Ok(self.app) };
        // Worker 0 knows it, if it has come.
        let number = self.names.as_ref().and_then(|names| names.get(source)).map_or(u64::MAX, u64::from);
        Ok(self.app.from(self.wire.all(number)?[0]))
    }

    fn no_vertex(&self) -> Failure {
        let source = self.args.options.source.as_deref().unwrap_or_default();
        Failure::NoVertex(format!("the graph has no vertex {source} at the end of the stream"))
    }

    fn print_result(
        &self,
        epoch: u64,
        (vertices, arcs): (u64, u64),
        found: Option<&Found>,
        seconds: f64,
    ) -> Result<(), Failure> {
        let app = self.args.name.map(super::name_of).unwrap_or_default();
        let figures = found.map(|found| &found.figures);
        if self.args.json {
            return print_json_beside(
                self.args.out.as_deref(),
                &json!({
                    "type": "result",
                    "app": app,
                    "epoch": epoch,
                    "vertices": vertices,
                    "arcs": arcs,
                    "seconds": seconds,
                    "result": figures,
                }),
            );
        }
        let figure = |(name, value): (&String, &Value)| format!(", {name} {value}");
        let figures = figures.map_or(", no vertex to start from".to_owned(), |all| all.iter().map(figure).collect());
        let text = format!("epoch {epoch}: {vertices} vertices, {arcs} arcs; {app} in {seconds:.3} s{figures}\n");
        print_beside(self.args.out.as_deref(), text.as_bytes())
    }
}

/// The algorithm has ended early, and says why.
pub fn stopped() -> Ended {
    Ended::Failed(Failure::input("the algorithm has ended"))
}
