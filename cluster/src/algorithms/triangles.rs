//! Counting triangles: rows travel to where they are compared.
//!
//! Every edge leads from its end of smaller degree to the other (ids decide between equals). The owner of `a` sends the successors of `a`
//! to each worker that owns one of them, `b`, and counts there which of them are successors of `b`, too. Self loops and the direction of
//! arcs are ignored. 8 bytes a successor and worker, in supersteps of some megabytes.

use super::{IncomingError, check_incoming};
use crate::part::Part;
use crate::wire::{Wire, numbers};

/// Bytes after which a worker stops and sends what it has.
const ENOUGH: usize = 8 << 20;

/// The number of triangles of the whole graph. A directed graph must have been loaded with its in-arcs.
///
/// # Errors
///
/// [`IncomingError`]: there are no in-arcs, or a worker has ended.
pub fn triangles(part: &Part<'_>, wire: &mut Wire<'_>) -> Result<u64, IncomingError> {
    check_incoming(part)?;
    let mut degrees = vec![0u32; part.locals()];
    for &vertex in &part.own {
        degrees[vertex as usize] = neighbours(part, vertex).len() as u32;
    }
    part.refresh(wire, &mut degrees, ())?;
    let key = |vertex: u32| (degrees[vertex as usize], part.ids[vertex as usize]);
    // The successors of this worker's vertices, as ids.
    let (mut offsets, mut successors) = (vec![0], Vec::new());
    for &vertex in &part.own {
        let after = neighbours(part, vertex).into_iter().filter(|&other| key(other) > key(vertex));
        let begin = successors.len();
        successors.extend(after.map(|other| part.ids[other as usize]));
        successors[begin..].sort_unstable();
        offsets.push(successors.len());
    }
    let row = |at: usize| &successors[offsets[at]..offsets[at + 1]];
    let (mut next, mut count) = (0, 0);
    loop {
        let mut to: Vec<Vec<u64>> = vec![vec![0]; wire.workers()];
        let mut bytes = 0;
        while next < part.own.len() && bytes < ENOUGH {
            let row = row(next);
            next += 1;
            let mut owners: Vec<usize> = row.iter().map(|&id| part.ownership.owner(id)).collect();
            owners.sort_unstable();
            owners.dedup();
            for owner in owners.into_iter().filter(|_| row.len() > 1) {
                to[owner].push(row.len() as u64);
                to[owner].extend_from_slice(row);
                bytes += 8 * (row.len() + 1);
            }
        }
        to.iter_mut().for_each(|message| message[0] = u64::from(next < part.own.len()));
        let to = to.iter().map(|message| bytemuck::cast_slice(message).to_vec()).collect();
        let mut more = false;
        for bytes in wire.swap(to)? {
            let message: Vec<u64> = numbers(&bytes);
            more |= message[0] == 1;
            let mut rest = &message[1..];
            while let Some((&length, tail)) = rest.split_first() {
                let (theirs, tail) = tail.split_at(length as usize);
                rest = tail;
                for &id in theirs.iter().filter(|&&id| part.ownership.owner(id) == wire.worker()) {
                    let at = part.own.binary_search_by_key(&id, |&vertex| part.ids[vertex as usize]);
                    count += common(theirs, row(at.expect("an owner knows its vertices")));
                }
            }
        }
        if !more {
            return Ok(wire.sum(count)?);
        }
    }
}

/// The neighbours of a vertex in either direction, once each, without itself.
fn neighbours(part: &Part<'_>, vertex: u32) -> Vec<u32> {
    let mut all = Vec::new();
    for incoming in [false, true].into_iter().take(1 + usize::from(part.directed)) {
        part.rows.columns(incoming, vertex, &mut |columns| all.extend_from_slice(columns));
    }
    all.retain(|&other| other != vertex);
    all.sort_unstable();
    all.dedup();
    all
}

/// How many numbers two ascending rows have in common.
fn common(a: &[u64], b: &[u64]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        count += u64::from(a[i] == b[j]);
        (i, j) = (i + usize::from(a[i] <= b[j]), j + usize::from(b[j] <= a[i]));
    }
    count
}
