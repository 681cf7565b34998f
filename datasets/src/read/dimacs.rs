//! DIMACS: `c` comments, a line `p sp VERTICES ARCS`, then lines `a SOURCE TARGET WEIGHT` (9th challenge, shortest paths), or
//! `p edge VERTICES EDGES` and `e END END` (2nd challenge, undirected).
//!
//! Files without the `p` line exist; their ids are taken as they are. With it, vertices are counted from 1 and those without arcs are kept.

use super::pairs::{self, Rules, Separator};
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

pub(super) fn read(mut source: Source, options: &Options) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    source.skip_comments(b"c")?;
    let mut problem = None;
    if source.peek_line()?.is_some_and(|line| line.starts_with(b"p")) {
        problem = Some(read_problem(&mut source)?);
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
        any_number: false,
        keep_weights: options.weights != Weights::Ignore,
        matrix: problem.as_ref().map(|p| (p.vertices, p.vertices)),
    };
    let parts = source.parse(|text| pairs::parse(text, &rules))?;
    let (arcs, ids) = match &problem {
        Some(problem) => {
            let found = parts.iter().map(|p| p.len() as u64).sum::<u64>();
            if found != problem.arcs {
                return Err(super::wrong_count(&path, 0, problem.arcs, found, |line| line.first() == Some(&lead)));
            }
            (arcs::concatenate(parts), IdMap::offset(1, problem.vertices as usize))
        }
        None => arcs::number(&path, parts)?,
    };
    if ids.is_empty() {
        return Err(Error::Empty { path, expected: "at least one arc" });
    }
    let declared = Some(if lead == b'e' { Direction::Undirected } else { Direction::Directed });
    Ok(Raw { declared, ..Raw::graph(&path, arcs, ids, rules.weighted) })
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
