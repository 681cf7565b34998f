//! Measurements that compare stores with static CSR in one run: what `pleach bench` prints.
//!
//! ```text
//!   round 1   CSR   store   CSR   store …      in turn, so that a change in the machine's speed affects both alike
//!   round 2   …
//!             └─ median ─┘ ─► ratio
//! ```
//!
//! Each suite is a module with an `Options` type, a function `measure`, and a result type that serde writes: [`pagerank`] (the kernel over
//! stores), [`stream`] (updates), [`apps`] (whole algorithms) and [`incremental`] (results that follow a graph). They use two functions:
//!
//! ```
//! use pleach_measure::{in_turn, median};
//! use std::time::Duration;
//!
//! assert_eq!(median([3, 1, 2].map(Duration::from_millis).to_vec()), Duration::from_millis(2));
//!
//! // Three counted rounds each, after one that is not counted.
//! let (mut first, mut second) = (0, 0);
//! let (_, _) = in_turn(3, || first += 1, || second += 1);
//! assert_eq!((first, second), (4, 4));
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

/// Runs two pieces of work in turn, `rounds` times each after one round that is not counted. Returns the median time of each. A change in
/// the machine's speed affects both alike.
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
