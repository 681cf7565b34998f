//! Breadth-first search along out-arcs: a superstep a level.
//!
//! ```text
//!   few vertices on a level    push   each looks at its neighbours; ghosts that are met for the first time are reported to their owners
//!   many                       pull   every vertex that is not reached looks for a neighbour on the level; a bit a ghost says who is on it
//! ```
//!
//! A level of many vertices reaches most of the graph, and a vertex finds a neighbour on it soon: so most arcs are never looked at. To pull,
//! a worker needs the in-arcs of its vertices, which are its rows in an undirected graph.

use std::cell::Cell;

use crate::exchange::Lost;
use crate::part::Part;
use crate::wire::Wire;

/// The depth of a vertex that no path from the source reaches, as LDBC writes it.
pub const UNREACHED: u64 = i64::MAX as u64;

/// As [`UNREACHED`], while the search goes on.
const NOT_YET: u32 = u32::MAX;

/// A level is pulled from if it has more than the vertices of the graph divided by this.
const MANY: u64 = 24;

/// The number of steps from the vertex with the id `source` to each vertex; `None` if there is no such vertex.
///
/// O(arcs / workers) time, a superstep a level. Over all levels that are pushed 4 bytes a ghost travel, and in each that is pulled a bit a ghost.
///
/// # Errors
///
/// [`Lost`], if a worker has ended.
pub fn bfs(part: &Part<'_>, wire: &mut Wire<'_>, source: u64) -> Result<Option<Vec<u64>>, Lost> {
    let mut depths = vec![NOT_YET; part.locals()];
    let mut frontier: Vec<u32> = part.find(source).into_iter().collect();
    let mut found = wire.sum(frontier.len() as u64)?;
    if found == 0 {
        return Ok(None);
    }
    frontier.iter().for_each(|&vertex| depths[vertex as usize] = 0);
    // Whether ghosts know which of them are on the last level.
    let mut marked = false;
    for depth in 1.. {
        let many = !part.directed && found > part.vertices / MANY;
        if many && !marked {
            mark(part, wire, &mut depths, (depth - 1, 0))?;
        }
        (frontier, found) = match many {
            true => pull(part, wire, &mut depths, depth)?,
            false => push(part, wire, &mut depths, (&frontier, depth))?,
        };
        if found == 0 {
            break;
        }
        marked = many;
    }
    let depth = |&vertex: &u32| match depths[vertex as usize] {
        NOT_YET => UNREACHED,
        depth => depth.into(),
    };
    Ok(Some(part.own.iter().map(depth).collect()))
}

/// Reaches the next level from the vertices of the last one: its vertices here, and at least as many as there are anywhere.
fn push(
    part: &Part<'_>,
    wire: &mut Wire<'_>,
    depths: &mut [u32],
    (frontier, depth): (&[u32], u32),
) -> Result<(Vec<u32>, u64), Lost> {
    let (mut next, mut met) = (Vec::new(), Vec::new());
    for &vertex in frontier {
        part.rows.columns(false, vertex, &mut |columns| {
            for &column in columns {
                if depths[column as usize] == NOT_YET {
                    depths[column as usize] = depth;
                    if part.is_ghost(column) { met.push((column, ())) } else { next.push(column) }
                }
            }
        });
    }
    let found = (next.len() + met.len()) as u64;
    let (arrived, found) = part.report(wire, &met, found)?;
    for (vertex, ()) in arrived {
        if depths[vertex as usize] == NOT_YET {
            depths[vertex as usize] = depth;
            next.push(vertex);
        }
    }
    Ok((next, found))
}

/// Tells the holders of ghosts which of them are on a level; the sum over all workers of how many each `found`.
fn mark(part: &Part<'_>, wire: &mut Wire<'_>, depths: &mut [u32], (depth, found): (u32, u64)) -> Result<u64, Lost> {
    let depths = Cell::from_mut(depths).as_slice_of_cells();
    // A ghost that was met later than it was reached has no neighbour here that is not reached.
    part.mark(wire, |vertex| depths[vertex as usize].get() == depth, found, |ghost| depths[ghost as usize].set(depth))
}

/// Reaches the next level from the vertices that are not reached yet: its vertices here, and how many there are everywhere. The holders of
/// ghosts know it then.
fn pull(part: &Part<'_>, wire: &mut Wire<'_>, depths: &mut [u32], depth: u32) -> Result<(Vec<u32>, u64), Lost> {
    let last = depth - 1;
    let mut next = Vec::new();
    for &vertex in part.own.iter().filter(|&&vertex| depths[vertex as usize] == NOT_YET) {
        let mut near = false;
        part.rows.columns(false, vertex, &mut |columns| {
            near = near || columns.iter().any(|&column| depths[column as usize] == last);
        });
        if near {
            next.push(vertex);
        }
    }
    next.iter().for_each(|&vertex| depths[vertex as usize] = depth);
    let found = mark(part, wire, depths, (depth, next.len() as u64))?;
    Ok((next, found))
}
