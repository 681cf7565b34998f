//! Measurements that compare stores with static CSR in one run: what `pleach bench` prints.
//!
//! ```text
//!   round 1   CSR   store   CSR   store …      in turn, so that what drifts on the machine drifts for both
//!   round 2   …
//!             └─ median ─┘ ─► ratio
//! ```
//!
//! ```
//! use pleach_measure::median;
//! use std::time::Duration;
//!
//! assert_eq!(median([3, 1, 2].map(Duration::from_millis).to_vec()), Duration::from_millis(2));
//! ```

pub mod apps;
pub mod incremental;
pub mod pagerank;
pub mod stream;

use std::time::{Duration, Instant};

/// The median of some durations; zero of none.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Runs two pieces of work in turn, `rounds` times each after one round that does not count, and gives the median time of each.
/// What drifts on the machine drifts for both.
pub fn in_turn(rounds: usize, mut first: impl FnMut(), mut second: impl FnMut()) -> (Duration, Duration) {
    let mut times = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for round in 0..=rounds {
        let begin = Instant::now();
        first();
        let middle = Instant::now();
        second();
        if round > 0 {
            times.0.push(middle - begin);
            times.1.push(middle.elapsed());
        }
    }
    (median(times.0), median(times.1))
}
