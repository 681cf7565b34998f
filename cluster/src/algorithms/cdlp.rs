//! Communities by label propagation, as `pleach_algorithms::cdlp` defines them: synchronous, the smallest of the most frequent labels.
//!
//! Labels are ids. In a superstep the ghosts get the labels that have changed, 8 bytes each.

use super::{IncomingError, check_incoming};
use crate::part::Part;
use crate::wire::Wire;

/// The label of each vertex after at most so many iterations; fewer, if no label changes any more. A directed graph must have been loaded
/// with its in-arcs.
///
/// # Errors
///
/// [`IncomingError`]: there are no in-arcs, or a worker has ended.
pub fn label_propagation(part: &Part<'_>, wire: &mut Wire<'_>, iterations: usize) -> Result<Vec<u64>, IncomingError> {
    check_incoming(part)?;
    let mut labels = part.ids.clone();
    let mut seen = Vec::new();
    for _ in 0..iterations {
        let mut next = Vec::with_capacity(part.own.len());
        for &vertex in &part.own {
            seen.clear();
            for incoming in [false, true].into_iter().take(1 + usize::from(part.directed)) {
                part.rows.columns(incoming, vertex, &mut |columns| {
                    seen.extend(columns.iter().map(|&column| labels[column as usize]));
                });
            }
            seen.sort_unstable();
            let most = seen.chunk_by(|a, b| a == b).fold((0, labels[vertex as usize]), |best, run| {
                if run.len() > best.0 { (run.len(), run[0]) } else { best }
            });
            next.push(most.1);
        }
        let mut changed = vec![false; part.locals()];
        let mut changes = 0;
        for (&vertex, label) in part.own.iter().zip(next) {
            if labels[vertex as usize] != label {
                (labels[vertex as usize], changed[vertex as usize]) = (label, true);
                changes += 1;
            }
        }
        let changed = |vertex: u32| changed[vertex as usize];
        if part.refresh_changed(wire, &mut labels, &changed, changes, &mut |_| ())? == 0 {
            break;
        }
    }
    Ok(part.own.iter().map(|&vertex| labels[vertex as usize]).collect())
}
