//! Breadth-first search along out-arcs: a superstep a level.
//!
//! A worker visits the frontier among its vertices. Ghosts that it meets for the first time are reported to their owners by their place, 4
//! bytes each; a ghost is reported once in the whole search.

use crate::exchange::Lost;
use crate::part::Part;
use crate::wire::Wire;

/// The depth of a vertex that no path from the source reaches, as LDBC writes it.
pub const UNREACHED: u64 = i64::MAX as u64;

/// The number of steps from the vertex with the id `source` to each vertex; `None` if there is no such vertex.
///
/// O(arcs / workers) time, a superstep a level, 4 bytes a ghost over all of them.
///
/// # Errors
///
/// [`Lost`], if a worker has ended.
pub fn bfs(part: &Part<'_>, wire: &mut Wire<'_>, source: u64) -> Result<Option<Vec<u64>>, Lost> {
    let mut depths = vec![UNREACHED; part.locals()];
    let mut frontier: Vec<u32> = part.find(source).into_iter().collect();
    if wire.sum(frontier.len() as u64)? == 0 {
        return Ok(None);
    }
    frontier.iter().for_each(|&vertex| depths[vertex as usize] = 0);
    for depth in 1.. {
        let (mut next, mut met) = (Vec::new(), Vec::new());
        for &vertex in &frontier {
            part.rows.columns(false, vertex, &mut |columns| {
                for &column in columns {
                    if depths[column as usize] == UNREACHED {
                        depths[column as usize] = depth;
                        if part.is_ghost(column) { met.push((column, ())) } else { next.push(column) }
                    }
                }
            });
        }
        let found = (next.len() + met.len()) as u64;
        let (arrived, found) = part.report(wire, &met, found)?;
        for (vertex, ()) in arrived {
            if depths[vertex as usize] == UNREACHED {
                depths[vertex as usize] = depth;
                next.push(vertex);
            }
        }
        if found == 0 {
            break;
        }
        frontier = next;
    }
    Ok(Some(part.own.iter().map(|&vertex| depths[vertex as usize]).collect()))
}
