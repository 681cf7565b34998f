//! What `--verify` costs, said beforehand, and that it is still at work.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pleach::Rows;
use pleach::runtime::{Fiber, par_parts};
use pleach::traverse::Adjacency;

use super::super::output::{detail, note, shows_progress};

/// What the cost of a verifier depends on.
pub struct Size {
    /// Number of vertices.
    pub vertices: f64,
    /// Number of arcs.
    pub arcs: f64,
    /// Paths of two arcs.
    pub wedges: f64,
}

/// Vertices that one task counts.
const VERTICES: usize = 1 << 14;

impl Size {
    /// The size of a graph, in a pass over its vertices.
    pub fn of<A: Rows>(graph: Adjacency<'_, A>) -> Self {
        let squares = par_parts(graph.bound(), VERTICES, |vertices| {
            let degree = |vertex| graph.out().row(vertex).map_or(0, |row| row.len()) as f64;
            vertices.map(|vertex| degree(vertex) * degree(vertex)).sum::<f64>()
        });
        Size { vertices: graph.num_vertices() as f64, arcs: graph.num_arcs() as f64, wedges: squares.into_iter().sum() }
    }

    /// A pass over the graph.
    pub fn pass(&self) -> f64 {
        self.vertices + self.arcs
    }

    /// Triangles are listed in at most so many steps (Chiba and Nishizeki, *Arboricity and Subgraph Listing Algorithms*, 1985).
    pub fn triangles(&self) -> f64 {
        self.pass() + self.wedges.min(self.arcs * self.arcs.sqrt())
    }
}

/// Steps from which on their number is said without `--verbose`: about the tenth of a second.
const MANY: f64 = 1e7;

/// Says how many steps checking a result takes. On a terminal, a line shows that the check is running, until the returned bar is cleared.
pub fn begin(app: &str, steps: f64) -> ProgressBar {
    let text = format!("checking the result of {app}: about {} steps", short(steps));
    if steps >= MANY {
        note(&text)
    } else {
        detail(&text)
    }
    if !shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} checking, {elapsed} so far").expect("a valid template");
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A number of two digits and a word.
fn short(number: f64) -> String {
    let units = [(1e18, "quintillion"), (1e15, "quadrillion"), (1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
    match units.into_iter().find(|unit| number >= unit.0) {
        Some((unit, word)) => {
            let digits = number / unit;
            if digits < 10.0 { format!("{digits:.1} {word}") } else { format!("{digits:.0} {word}") }
        }
        None => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let expected = [
            (0.0, "0"),
            (999_999.0, "999999"),
            (1.26e6, "1.3 million"),
            (34e9, "34 billion"),
            (5e21, "5000 quintillion"),
        ];
        for (number, text) in expected {
            assert_eq!(short(number), text);
        }
    }
}
