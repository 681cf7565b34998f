//! Counts of several tasks, turned into where each of them inserts.
//!
//! ```text
//!                          task 0      task 1
//!   counts                 2 0 1       1 3 0       of three parents
//!   starts                 0 3 6       2 3 7       parent by parent, and task by task for each of them; 7 in all
//!   starts within          0 0 0       2 0 1       each parent from 0 on; 3 at most
//!   ends, after inserting  2 3 7       3 6 7       those of the last task are where parents end
//! ```

use crate::{par_items, threads};

/// Parents from which on two passes in parallel beat one in sequence.
const PARALLEL: usize = 1 << 16;

/// Turns the counts of tasks into where each of them inserts its first entry of each parent, in one array for all parents. Returns how many
/// entries there are; wraps around on overflow. Long arrays are summed in parallel.
///
/// # Panics
///
/// If there are not `tasks * parents` counts.
pub fn starts(counts: &mut [usize], tasks: usize, parents: usize) -> usize {
    assert_eq!(Some(counts.len()), tasks.checked_mul(parents), "each task has a count for each parent");
    if tasks <= 1 {
        return counts.iter_mut().fold(0, |sum, count| sum.wrapping_add(std::mem::replace(count, sum)));
    }
    let mut stretches = stretches(counts, parents);
    let mut before = par_items(stretches.iter().collect(), |stretch: &Stretch<'_>| {
        stretch.iter().flat_map(|counts| counts.iter()).fold(0usize, |sum, &count| sum.wrapping_add(count))
    });
    let mut sum = 0usize;
    for own in &mut before {
        sum = sum.wrapping_add(std::mem::replace(own, sum));
    }
    par_items(stretches.iter_mut().zip(before).collect(), |(stretch, mut sum): (&mut Stretch<'_>, usize)| {
        each_parent(stretch, |count| sum = sum.wrapping_add(std::mem::replace(count, sum)), || {});
    });
    sum
}

/// Turns the counts of tasks into where each of them inserts its first entry of each parent, counted from the parent's first. Returns how
/// many entries the largest parent has; wraps around on overflow. Long arrays are summed in parallel.
///
/// # Panics
///
/// If there are not `tasks * parents` counts.
pub fn starts_within(counts: &mut [usize], tasks: usize, parents: usize) -> usize {
    assert_eq!(Some(counts.len()), tasks.checked_mul(parents), "each task has a count for each parent");
    if tasks <= 1 {
        return counts.iter_mut().fold(0, |most, count| most.max(std::mem::take(count)));
    }
    let most = par_items(stretches(counts, parents), |mut stretch: Stretch<'_>| {
        let (sum, most) = (std::cell::Cell::new(0usize), std::cell::Cell::new(0));
        let count = |count: &mut usize| sum.set(sum.get().wrapping_add(std::mem::replace(count, sum.get())));
        each_parent(&mut stretch, count, || most.set(most.get().max(sum.take())));
        most.get()
    });
    most.into_iter().max().unwrap_or(0)
}

/// Leaves, behind the first number, where the parents end: the places of the last task, after all tasks have inserted.
///
/// # Panics
///
/// If there are not `tasks * parents` numbers behind the first.
pub fn bounds(ends: &mut Vec<usize>, tasks: usize, parents: usize) {
    assert_eq!(ends.len().checked_sub(1), tasks.checked_mul(parents), "each task has a place for each parent");
    if tasks > 1 {
        ends.copy_within(1 + (tasks - 1) * parents.., 1);
        ends.truncate(1 + parents);
        ends.shrink_to_fit();
    }
}

/// The numbers of each task for some parents that follow one another.
type Stretch<'a> = Vec<&'a mut [usize]>;

/// Divides the parents among threads.
fn stretches(counts: &mut [usize], parents: usize) -> Vec<Stretch<'_>> {
    let most = if parents < PARALLEL { 1 } else { 4 * threads() };
    let length = parents.div_ceil(most).max(1);
    let mut stretches: Vec<Stretch<'_>> = (0..parents.div_ceil(length)).map(|_| Vec::new()).collect();
    for own in counts.chunks_mut(parents.max(1)) {
        for (stretch, part) in stretches.iter_mut().zip(own.chunks_mut(length)) {
            stretch.push(part);
        }
    }
    stretches
}

/// Calls `count` with the number of each task, and `done` behind those of each parent.
fn each_parent(stretch: &mut Stretch<'_>, mut count: impl FnMut(&mut usize), mut done: impl FnMut()) {
    match &mut stretch[..] {
        [first, second] => {
            for (first, second) in first.iter_mut().zip(second.iter_mut()) {
                count(first);
                count(second);
                done();
            }
        }
        all => {
            for p in 0..all.first().map_or(0, |own| own.len()) {
                all.iter_mut().for_each(|own| count(&mut own[p]));
                done();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_a_plain_sum() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
        let large = if cfg!(miri) { 40 } else { PARALLEL + 3 };
        for (tasks, parents) in [(1, 0), (3, 0), (1, 5), (2, 1), (2, 7), (5, 3), (1, large), (2, large), (3, large)] {
            let counts: Vec<usize> = (0..tasks * parents).map(|k| k * 7 % 5).collect();
            let (mut all, mut within, mut ends) = (counts.clone(), counts.clone(), vec![0; 1 + tasks * parents]);
            let (sum, most) =
                pool.install(|| (starts(&mut all, tasks, parents), starts_within(&mut within, tasks, parents)));
            let (mut end, mut longest) = (0, 0);
            for p in 0..parents {
                let mut own = 0;
                for task in 0..tasks {
                    let at = task * parents + p;
                    assert_eq!((all[at], within[at]), (end, own), "{tasks} tasks, {parents} parents, {at}");
                    end += counts[at];
                    own += counts[at];
                    ends[1 + at] = end;
                }
                longest = longest.max(own);
            }
            assert_eq!((sum, most), (end, longest));
            let last = ends[1 + (tasks - 1) * parents..].to_vec();
            bounds(&mut ends, tasks, parents);
            assert_eq!((ends[0], &ends[1..]), (0, &last[..]));
        }
    }

    #[test]
    #[should_panic(expected = "each task has a count for each parent")]
    fn counts_that_are_missing_are_refused() {
        starts(&mut [0; 5], 2, 3);
    }
}
