//! Breadth-first search along out-arcs: a superstep a level.
//!
//! ```text
//!   few vertices on a level    push   each looks at its neighbours; ghosts that are met for the first time are reported to their owners
//!   many                       pull   every vertex that is not reached looks for a neighbour on the level; a bit a ghost says who is on it
//! ```
//!
//! What is looked up for an arc that is pulled along is a bit of its column, so that all of them stay in a near cache. The vertices that are not
//! reached are a list that becomes shorter.
//!
//! A level of many vertices reaches most of the graph, and a vertex finds a neighbour on it soon: so most arcs are never looked at. To pull,
//! a worker needs the in-arcs of its vertices, which are its rows in an undirected graph.

use crate::exchange::Lost;
use crate::marks::Marks;
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
    let mut frontier: Vec<u32> = part.find(source).into_iter().collect();
    let mut found = wire.sum(frontier.len() as u64)?;
    if found == 0 {
        return Ok(None);
    }
    let mut search = Search { part, depths: vec![NOT_YET; part.locals()], depth: 0, level: None, rest: None };
    frontier.iter().for_each(|&vertex| search.depths[vertex as usize] = 0);
    while found > 0 {
        search.depth += 1;
        let many = !part.directed && found > part.vertices / MANY;
        (frontier, found) = match many {
            true => search.pull(wire, &frontier)?,
            false => search.push(wire, &frontier)?,
        };
    }
    let depth = |&vertex: &u32| match search.depths[vertex as usize] {
        NOT_YET => UNREACHED,
        depth => depth.into(),
    };
    Ok(Some(part.own.iter().map(depth).collect()))
}

/// A search, and the level that it reaches next.
struct Search<'p, 'a> {
    part: &'p Part<'a>,
    /// The depth of each local vertex.
    depths: Vec<u32>,
    /// The depth of the vertices that the next step reaches.
    depth: u32,
    /// The local vertices of the last level, if it was pulled: its ghosts are known then.
    level: Option<Marks>,
    /// Vertices of this worker that may not be reached yet: all that are not, from the first level on that is pulled.
    rest: Option<Vec<u32>>,
}

impl Search<'_, '_> {
    /// Reaches the next level from the vertices of the last one: its vertices here, and at least as many as there are anywhere.
    fn push(&mut self, wire: &mut Wire<'_>, frontier: &[u32]) -> Result<(Vec<u32>, u64), Lost> {
        let Search { part, depths, depth, level, .. } = self;
        *level = None;
        let (mut next, mut met) = (Vec::new(), Vec::new());
        for &vertex in frontier {
            part.rows.columns(false, vertex, &mut |columns| {
                for &column in columns {
                    if depths[column as usize] == NOT_YET {
                        depths[column as usize] = *depth;
                        if part.is_ghost(column) { met.push((column, ())) } else { next.push(column) }
                    }
                }
            });
        }
        let found = (next.len() + met.len()) as u64;
        let (arrived, found) = part.report(wire, &met, found)?;
        for (vertex, ()) in arrived {
            if depths[vertex as usize] == NOT_YET {
                depths[vertex as usize] = *depth;
                next.push(vertex);
            }
        }
        Ok((next, found))
    }

    /// Reaches the next level from the vertices that are not reached yet: its vertices here, and how many there are everywhere. The holders
    /// of ghosts know it then.
    fn pull(&mut self, wire: &mut Wire<'_>, frontier: &[u32]) -> Result<(Vec<u32>, u64), Lost> {
        let part = self.part;
        let mut level = match self.level.take() {
            Some(level) => level,
            None => self.mark(wire, Marks::new(part.locals()), (frontier, self.depth - 1))?.0,
        };
        let mut rest = self.rest.take().unwrap_or_else(|| part.own.clone());
        rest.retain(|&vertex| self.depths[vertex as usize] == NOT_YET);
        let mut next = Vec::new();
        part.rows.take_near(false, &mut rest, &level, &mut next);
        self.rest = Some(rest);
        next.iter().for_each(|&vertex| self.depths[vertex as usize] = self.depth);
        level.clear();
        let (level, found) = self.mark(wire, level, (&next, self.depth))?;
        self.level = Some(level);
        Ok((next, found))
    }

    /// Marks the vertices of a level here, and has the holders of ghosts mark theirs; how many there are everywhere.
    fn mark(
        &mut self,
        wire: &mut Wire<'_>,
        mut level: Marks,
        (vertices, depth): (&[u32], u32),
    ) -> Result<(Marks, u64), Lost> {
        vertices.iter().for_each(|&vertex| level.set(vertex));
        let depths = &mut self.depths;
        // A ghost that was met later than it was reached has no neighbour here that is not reached.
        let found = self.part.mark(wire, &mut level, vertices.len() as u64, |ghost| depths[ghost as usize] = depth)?;
        Ok((level, found))
    }
}
