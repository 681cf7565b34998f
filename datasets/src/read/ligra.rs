//! Ligra's and Aspen's adjacency arrays: the line `AdjacencyGraph` or `WeightedAdjacencyGraph`, the number of vertices, that of arcs,
//! an offset for each vertex, a target for each arc, then perhaps a weight for each (Shun and Blelloch, "Ligra", PPoPP 2013).

use super::arcs::Arcs;
use super::{Raw, pairs};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::scan;
use crate::source::Source;

const PLAIN: &[u8] = b"AdjacencyGraph";
const WEIGHTED: &[u8] = b"WeightedAdjacencyGraph";

pub(super) fn has_banner(text: &[u8]) -> bool {
    text.starts_with(PLAIN) || text.starts_with(WEIGHTED)
}

/// The header, which precedes the numbers.
pub(super) struct Header {
    pub(super) weighted: bool,
    pub(super) vertices: u64,
    pub(super) arcs: u64,
}

impl Header {
    pub(super) fn read(source: &mut Source) -> Result<Header, Error> {
        let banner = source.line()?.unwrap_or_default();
        let weighted = match banner.trim_ascii() {
            PLAIN => false,
            WEIGHTED => true,
            _ => {
                let expected = "`AdjacencyGraph` or `WeightedAdjacencyGraph`".to_owned();
                return Err(source.fault(1, Fault::Header { expected, found: scan::quote(&banner) }));
            }
        };
        let vertices = read_count(source, "the number of vertices")?;
        let arcs = read_count(source, "the number of arcs")?;
        if vertices > u64::from(u32::MAX) {
            let path = source.path().to_owned();
            return Err(Error::TooManyVertices { what: crate::input::VERTICES, path, vertices });
        }
        Ok(Header { weighted, vertices, arcs })
    }
}

pub(super) fn read(mut source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let Header { weighted, vertices, arcs: total } = Header::read(&mut source)?;
    let columns = if weighted { 2 } else { 1 };
    let expected = vertices.saturating_add(total.saturating_mul(columns));

    // Numbers up to 2^53 are exact in floating point, and there are no more arcs than that.
    let parts = source.parse(|text| pairs::values(text, false))?;
    let (numbers, rounded): (Vec<Vec<f64>>, Vec<bool>) = parts.into_iter().unzip();
    let (numbers, rounded) = (numbers.concat(), rounded.contains(&true));
    if numbers.len() as u64 != expected {
        return Err(super::wrong_count(&path, 3, expected, numbers.len() as u64, |_| true));
    }
    let (offsets, rest) = numbers.split_at(vertices as usize);
    let (targets, weights) = rest.split_at(total as usize);
    // The line of each number is known: one a line, behind the three of the header.
    let at = |index: usize, fault| Error::at(&path, index as u64 + 4, 1, fault);
    let mut last = 0.0;
    for (vertex, &offset) in offsets.iter().enumerate() {
        let most = if vertex == 0 { 0.0 } else { total as f64 };
        if offset < last || offset > most || offset.fract() != 0.0 {
            let expected = format!("an offset between {last} and {most}");
            return Err(at(vertex, Fault::Header { expected, found: format!("`{offset}`") }));
        }
        last = offset;
    }
    let mut arcs = Arcs { src: Vec::with_capacity(targets.len()), dst: Vec::new(), weight: weights.to_vec() };
    for (vertex, &end) in offsets.iter().skip(1).chain([&(total as f64)]).enumerate().take(offsets.len()) {
        arcs.src.resize(end as usize, vertex as u32);
    }
    arcs.dst.reserve_exact(targets.len());
    for (k, &target) in targets.iter().enumerate() {
        if !(0.0..vertices as f64).contains(&target) || target.fract() != 0.0 {
            let expected = format!("a vertex between 0 and {}", vertices.saturating_sub(1));
            return Err(at(offsets.len() + k, Fault::Header { expected, found: format!("`{target}`") }));
        }
        arcs.dst.push(target as u32);
    }
    if arcs.src.len() != arcs.dst.len() {
        let expected = "at least one vertex".to_owned();
        return Err(at(0, Fault::Header { expected, found: format!("{total} arcs") }));
    }
    Ok(Raw { rounded, ..Raw::graph(&path, arcs, IdMap::identity(vertices as usize), weighted) })
}

fn read_count(source: &mut Source, expected: &str) -> Result<u64, Error> {
    let line = source.line()?.unwrap_or_default();
    match std::str::from_utf8(line.trim_ascii()).ok().and_then(|text| text.parse().ok()) {
        Some(count) => Ok(count),
        None => Err(source.fault(1, Fault::Header { expected: expected.to_owned(), found: scan::quote(&line) })),
    }
}
