//! Coreness of an undirected graph, from above: no vertex has a coreness larger than its degree, and none has a larger one than the
//! largest `k` such that `k` of its neighbours may have `k` or more.
//!
//! That bound is lowered until it holds for all vertices, which is then the coreness (Montresor, De Pellegrini & Miorandi, *Distributed
//! k-Core Decomposition*, IEEE TPDS 24, 2013). A superstep reads all rows once and sends the bounds that have become smaller, 4 bytes each;
//! there are as many as the longest chain of vertices that wait for each other.

use crate::exchange::Lost;
use crate::part::Part;
use crate::wire::Wire;

/// The coreness of each vertex of an undirected graph. Self loops do not count.
///
/// # Errors
///
/// [`Lost`], if a worker has ended.
///
/// # Panics
///
/// If the graph is directed.
pub fn coreness(part: &Part<'_>, wire: &mut Wire<'_>) -> Result<Vec<u32>, Lost> {
    assert!(!part.directed, "coreness is that of an undirected graph");
    let mut bounds = vec![0u32; part.locals()];
    for &vertex in &part.own {
        let mut degree = 0;
        part.rows.columns(false, vertex, &mut |columns| {
            degree += columns.iter().filter(|&&column| column != vertex).count() as u32;
        });
        bounds[vertex as usize] = degree;
    }
    part.refresh(wire, &mut bounds, ())?;
    let mut counts: Vec<u32> = Vec::new();
    loop {
        let mut changed = vec![false; part.locals()];
        let mut changes = 0;
        for &vertex in &part.own {
            let bound = bounds[vertex as usize];
            counts.clear();
            counts.resize(bound as usize + 1, 0);
            part.rows.columns(false, vertex, &mut |columns| {
                for &column in columns.iter().filter(|&&column| column != vertex) {
                    counts[bounds[column as usize].min(bound) as usize] += 1;
                }
            });
            let mut above = 0;
            let lower = (0..=bound).rev().find(|&k| {
                above += counts[k as usize];
                above >= k
            });
            let lower = lower.unwrap_or_default();
            if lower < bound {
                (bounds[vertex as usize], changed[vertex as usize]) = (lower, true);
                changes += 1;
            }
        }
        let changed = |vertex: u32| changed[vertex as usize];
        if part.refresh_changed(wire, &mut bounds, &changed, changes, &mut |_| ())? == 0 {
            return Ok(part.own.iter().map(|&vertex| bounds[vertex as usize]).collect());
        }
    }
}
