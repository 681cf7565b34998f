//! Weakly connected components: union and find within each worker, then labels between them.
//!
//! A worker joins its vertices and ghosts along its rows. Each set has as its label the smallest id in it that is known. In a superstep,
//! owners and holders of ghosts tell each other labels that have become smaller, 8 bytes and a place of 4 each, until none has. The number of
//! supersteps grows with how often a path changes its worker, not with its length.
//!
//! In-arcs are read if they are kept. The answer does not depend on them, because every arc is in the row of its source, too.

use crate::exchange::Lost;
use crate::part::Part;
use crate::wire::Wire;

/// The smallest id in the component of each vertex, when the direction of arcs is ignored; and the number of components.
///
/// # Errors
///
/// [`Lost`], if a worker has ended.
pub fn components(part: &Part<'_>, wire: &mut Wire<'_>) -> Result<(Vec<u64>, u64), Lost> {
    let mut parents: Vec<u32> = (0..part.locals() as u32).collect();
    for &vertex in &part.own {
        for incoming in [false, true].into_iter().take(1 + usize::from(part.rows.has_incoming())) {
            part.rows.columns(incoming, vertex, &mut |columns| {
                columns.iter().for_each(|&column| join(&mut parents, vertex, column));
            });
        }
    }
    let roots: Vec<u32> = (0..part.locals() as u32).map(|vertex| root(&mut parents, vertex)).collect();
    drop(parents);
    let mut labels = part.ids.clone();
    for (vertex, &root) in roots.iter().enumerate() {
        labels[root as usize] = labels[root as usize].min(part.ids[vertex]);
    }
    let ghosts: Vec<u32> = (0..part.locals() as u32).filter(|&vertex| part.is_ghost(vertex)).collect();
    // The label of each vertex that owner and holders know.
    let mut told = part.ids.clone();
    loop {
        let label = |vertex: u32| labels[roots[vertex as usize] as usize];
        let news: Vec<(u32, u64)> = ghosts
            .iter()
            .map(|&ghost| (ghost, label(ghost)))
            .filter(|&(ghost, label)| label < told[ghost as usize])
            .collect();
        news.iter().for_each(|&(ghost, label)| told[ghost as usize] = label);
        let (arrived, mut changes) = part.report(wire, &news, news.len() as u64)?;
        for (vertex, label) in arrived {
            let to = &mut labels[roots[vertex as usize] as usize];
            *to = label.min(*to);
        }
        let mut changed = vec![false; part.locals()];
        let mut smaller = 0;
        for &vertex in &part.own {
            let label = labels[roots[vertex as usize] as usize];
            if label < told[vertex as usize] {
                (told[vertex as usize], changed[vertex as usize]) = (label, true);
                smaller += 1;
            }
        }
        let mut came = Vec::new();
        changes +=
            part.refresh_changed(wire, &mut told, &|vertex| changed[vertex as usize], smaller, &mut |ghost| {
                came.push(ghost);
            })?;
        for ghost in came {
            let to = &mut labels[roots[ghost as usize] as usize];
            *to = told[ghost as usize].min(*to);
        }
        if changes == 0 {
            break;
        }
    }
    let labels: Vec<u64> = part.own.iter().map(|&vertex| labels[roots[vertex as usize] as usize]).collect();
    let own = part.own.iter().zip(&labels).filter(|&(&vertex, &label)| part.ids[vertex as usize] == label).count();
    let count = wire.sum(own as u64)?;
    Ok((labels, count))
}

/// The root of a vertex; the path to it is halved.
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        let above = parents[parents[vertex as usize] as usize];
        parents[vertex as usize] = above;
        vertex = above;
    }
    vertex
}

/// Joins two sets: the larger root is hooked below the smaller one.
fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}
