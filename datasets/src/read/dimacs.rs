//! DIMACS: `c` comments, a line `p sp VERTICES ARCS`, then lines `a SOURCE TARGET WEIGHT` (9th challenge, shortest paths), or
//! `p edge VERTICES EDGES` and `e END END` (2nd challenge, undirected).
//!
//! Files without the `p` line exist; their ids are taken as they are. With it, vertices are counted from 1 and those without arcs are kept.

use super::arcs::AnyPart;
use super::pairs::{self, Comments, Rules, Separator};
use super::share_lines::{Body, Form, Lines, Promise};
use super::symmetry::Symmetry;
use super::{Raw, arcs};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::input::{Direction, Options, Weights};
use crate::scan;
use crate::source::Source;

/// What the `p` line says.
struct Problem {
    vertices: u64,
    arcs: u64,
}

/// What is above the first arc, and how lines of arcs look.
struct Layout {
    problem: Option<Problem>,
    rules: Rules,
    declared: Direction,
}

/// Reads what is above the first arc.
fn sniff(source: &mut Source, options: &Options) -> Result<Layout, Error> {
    source.skip_comments(b"c")?;
    let mut problem = None;
    if source.peek_line()?.is_some_and(|line| line.starts_with(b"p")) {
        problem = Some(read_problem(source)?);
        source.skip_comments(b"c")?;
    }
    let first = source.peek_line()?.unwrap_or_default();
    let fields = first.split(|b| matches!(b, b' ' | b'\t')).filter(|f| !f.is_empty()).count();
    let lead = first.iter().copied().find(|b| !matches!(b, b' ' | b'\t')).filter(|b| *b == b'e').unwrap_or(b'a');
    let rules = Rules {
        separator: Separator::Blanks,
        lead: Some(lead),
        weighted: fields > 3,
        columns: None,
        more: false,
        any_number: options.any_number || options.weights == Weights::Ignore,
        comments: Comments::All,
        direction: None,
        keep_weights: options.weights != Weights::Ignore,
        matrix: problem.as_ref().map(|p| (p.vertices, p.vertices)),
    };
    let declared = if lead == b'e' { Direction::Undirected } else { Direction::Directed };
    Ok(Layout { problem, rules, declared })
}

/// Whether a line is one of an arc.
fn is_entry(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'a' | b'e'))
}

/// The arcs as lines that do not depend on each other.
pub(super) fn share(mut source: Source, options: &Options) -> Result<Body, Error> {
    let Layout { problem, rules, declared } = sniff(&mut source, options)?;
    match problem {
        Some(Problem { vertices, arcs }) => {
            let promise = Promise { entries: arcs, header: 0, is_entry };
            Body::sized(&source, rules, vertices, promise, Some(declared))
        }
        None => {
            let lines = Lines::behind(&source, Form::Pairs(rules));
            Ok(Body { lines, declared: Some(declared), symmetry: Symmetry::General, vertices: 0..0 })
        }
    }
}

pub(super) fn read(mut source: Source, options: &Options) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let Layout { problem, rules, declared } = sniff(&mut source, options)?;
    let parts = source.parse(|text| pairs::parse(text, &rules))?;
    let rounded = parts.iter().any(AnyPart::is_rounded);
    let (arcs, ids) = match &problem {
        Some(problem) => {
            let found = parts.iter().map(|p| p.len() as u64).sum::<u64>();
            if found != problem.arcs {
                return Err(super::wrong_count(&path, 0, problem.arcs, found, is_entry));
            }
            (arcs::concatenate(parts), IdMap::offset(1, problem.vertices as usize))
        }
        None => arcs::number(&path, parts)?,
    };
    if ids.is_empty() {
        return Err(Error::Empty { path, expected: "at least one arc" });
    }
    Ok(Raw { declared: Some(declared), rounded, ..Raw::graph(&path, arcs, ids, rules.weighted) })
}

fn read_problem(source: &mut Source) -> Result<Problem, Error> {
    let line = source.line()?.unwrap_or_default();
    let text = String::from_utf8_lossy(&line);
    let numbers: Vec<Option<u64>> = text.split_whitespace().skip(2).map(|w| w.parse().ok()).collect();
    match numbers[..] {
        [Some(vertices), Some(arcs)] if vertices <= u64::from(u32::MAX) => Ok(Problem { vertices, arcs }),
        [Some(vertices), Some(_)] => {
            Err(Error::TooManyVertices { what: crate::input::VERTICES, path: source.path().to_owned(), vertices })
        }
        _ => {
            let expected = "`p sp VERTICES ARCS` or `p edge VERTICES EDGES`".to_owned();
            Err(source.fault(1, Fault::Header { expected, found: scan::quote(&line) }))
        }
    }
}
