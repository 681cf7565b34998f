//! The GAP Benchmark Suite's serialized graphs (Beamer, Asanović and Patterson, "The GAP Benchmark Suite", 2015; `writer.h` of its
//! sources): a byte that says whether the graph is directed, the numbers of arcs and of vertices (64 bits), the offset of each row and
//! of the end (64 bits), then the targets (32 bits), in `.wsg` each with a whole weight (32 bits) behind it. Of a directed graph the
//! same follows for the arcs turned around, which is skipped.

use std::path::Path;

use super::arcs::Arcs;
use super::both_ends::{self, EachArc, balance_of};
use super::{Listing, Raw, split_ending};
use crate::binary::Binary;
use crate::error::Error;
use crate::ids::IdMap;
use crate::input::Direction;
use crate::rows;
use crate::source::Source;

/// The header, which precedes the offsets.
pub(super) struct Header {
    pub(super) directed: bool,
    pub(super) arcs: u64,
    pub(super) vertices: u64,
    pub(super) weighted: bool,
}

impl Header {
    pub(super) fn read(file: &mut Binary) -> Result<Header, Error> {
        let path = file.path().to_owned();
        let (directed, _) = file.array::<u8>(1, "byte that says whether the graph is directed")?;
        let directed = match directed[0] {
            bit @ 0..=1 => bit == 1,
            other => {
                return Err(file.damaged(0, format!("expected 0 or 1 (whether the graph is directed), found {other}")));
            }
        };
        let (counts, _) = file.array::<u64>(2, "numbers of arcs and vertices")?;
        let (arcs, vertices) = (counts[0], counts[1]);
        match vertices {
            0 => return Err(Error::Empty { path, expected: "at least one vertex" }),
            1..=0xffff_ffff => {}
            _ => return Err(Error::TooManyVertices { what: crate::input::VERTICES, path, vertices }),
        }
        // The file does not state whether it has weights; the ending of its name does.
        let weighted = split_ending(&path.file_name().unwrap_or_default().to_string_lossy()).1 == "wsg";
        Ok(Header { directed, arcs, vertices, weighted })
    }
}

pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let mut file = source.into_binary();
    let Header { directed, arcs, vertices, weighted } = Header::read(&mut file)?;
    let offsets_at = file.at();
    let (offsets, _) = file.array::<u64>(vertices + 1, "offsets of rows")?;
    let targets_at = file.at();
    let (targets, _) = match weighted {
        true => file.array::<u32>(arcs.saturating_mul(2), "targets and weights")?,
        false => file.array::<u32>(arcs, "targets")?,
    };
    let (dst, weight): (Vec<u32>, Vec<f64>) = match weighted {
        true => targets.chunks_exact(2).map(|pair| (pair[0], f64::from(pair[1] as i32))).unzip(),
        false => (targets, Vec::new()),
    };
    if let Some(at) = dst.iter().position(|&target| u64::from(target) >= vertices) {
        let width = if weighted { 8 } else { 4 };
        let reason = format!("expected a vertex below {vertices}, found {}", dst[at] as i32);
        return Err(file.damaged(targets_at + width * at as u64, reason));
    }
    let src = rows::sources(&offsets, arcs).map_err(|bad| {
        let (least, most) = bad.between;
        let reason = format!("expected an offset between {least} and {most}, found {}", offsets[bad.at]);
        file.damaged(offsets_at + 8 * bad.at as u64, reason)
    })?;
    if directed {
        let bytes = 8 * (vertices + 1) + if weighted { 8 } else { 4 } * arcs;
        file.skip(bytes, "bytes of incoming arcs")?;
    }
    file.finish()?;
    let arcs = Arcs { src, dst, weight };
    if !directed && balance_of(&arcs, true) != 0 {
        check_both(&path, (vertices, weighted), &mut |each| {
            arcs.for_each(each);
            Ok(())
        })?;
    }
    let raw = Raw::graph(&path, arcs, IdMap::identity(vertices as usize), weighted);
    Ok(match directed {
        true => Raw { declared: Some(Direction::Directed), ..raw },
        false => Raw { declared: Some(Direction::Undirected), listing: Listing::Both, ..raw },
    })
}

/// Refuses a file of an undirected graph that does not list each edge at both ends. `each` gives the arcs.
pub(super) fn check_both(path: &Path, (vertices, weighted): (u64, bool), each: EachArc<'_>) -> Result<(), Error> {
    match both_ends::find(vertices, each)? {
        // The row of the source: behind the byte and the two numbers of the header.
        Some(odd) => {
            let (offset, reason) = (17 + 8 * odd.src, odd.fault(0, weighted).to_string());
            Err(Error::Damaged { path: path.to_owned(), offset, reason })
        }
        None => Ok(()),
    }
}
