//! Entries of a matrix that have the same coordinates.

use pleach_datasets::Coo;

use super::input::Winner;

/// The entries in the order of their coordinates, with one for all that have the same, and how many were merged into others.
pub fn merged(tensor: &Coo, winner: Winner) -> (Coo, usize) {
    let at = |k: usize| tensor.coords.iter().map(move |mode| mode[k]);
    let mut order: Vec<usize> = (0..tensor.nnz()).collect();
    // Of one place in the order of the file.
    order.sort_by(|&a, &b| at(a).cmp(at(b)));
    let mut all = Coo::new(tensor.dims.clone());
    for group in order.chunk_by(|&a, &b| at(a).eq(at(b))) {
        let values = group.iter().map(|&k| tensor.values[k]);
        if let Some(value) = values.reduce(|a, b| winner.choose(a, b)) {
            all.push(&at(group[0]).collect::<Vec<_>>(), value);
        }
    }
    let merged = tensor.nnz() - all.nnz();
    (all, merged)
}
