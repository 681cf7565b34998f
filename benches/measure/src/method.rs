//! How everything is measured: the same for all suites.
//!
//! ```text
//!   warm-up   A B C          not counted; results are compared here
//!   round 1   A B C          in turn, so that a change in the machine's speed affects all alike
//!   round 2   B C A          each round begins with another one
//!   round 3   C A B          until there are enough repetitions, or enough time has passed
//!             └─ median and quartiles of each
//! ```

use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Repetitions that are taken even when the time is over, if so many are asked for.
const LEAST: usize = 3;

/// How many times the time of a competitor the processes of a program of others may take, before no further one is started: most of it is the
/// reading of the graph.
pub(crate) const THEIRS: f64 = 10.0;

/// How to measure.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Repetitions of each competitor.
    pub rounds: usize,
    /// The time after which a competitor is not repeated again once there are three repetitions, in seconds, for each competitor.
    pub seconds: f64,
    /// Whether the caches are filled with something else before each repetition.
    pub cold: bool,
    /// Threads that the work is done by.
    pub threads: usize,
    /// Whether each thread stays on a core of its own.
    pub pin: bool,
}

impl Default for Method {
    /// 20 repetitions or two seconds, by as many threads as there are cores.
    fn default() -> Self {
        Method { rounds: 20, seconds: 2.0, cold: false, threads: rayon::current_num_threads(), pin: false }
    }
}

impl Method {
    /// Whether `rounds` repetitions of `competitors` that took all the time since `begin` are enough.
    pub fn is_enough(&self, rounds: usize, begin: Instant, competitors: usize) -> bool {
        let most = self.rounds.max(1);
        let over = begin.elapsed().as_secs_f64() >= self.seconds * competitors.max(1) as f64;
        rounds >= most || rounds >= LEAST.min(most) && over
    }

    /// Whether a repetition that took so long is not worth three of its kind.
    pub fn is_slow(&self, took: Duration) -> bool {
        took.as_secs_f64() > LEAST as f64 * self.seconds.max(0.01)
    }

    /// The threads.
    ///
    /// # Errors
    ///
    /// The system's message if it starts no more threads.
    pub fn pool(&self) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(self.threads);
        let cores = if self.pin { core_affinity::get_core_ids().unwrap_or_default() } else { Vec::new() };
        if cores.is_empty() {
            return pool.build();
        }
        pool.start_handler(move |thread| {
            // A system that refuses places the thread itself.
            core_affinity::set_for_current(cores[thread % cores.len()]);
        })
        .build()
    }
}

/// The median of some figures and the quartiles below and above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Half of the figures are no larger.
    pub median: f64,
    /// A quarter of the figures is no larger, and a quarter no smaller.
    pub quartiles: [f64; 2],
    /// How many figures there are.
    pub repetitions: usize,
}

impl Spread {
    /// Of some figures; `None` of none. Between two figures, a quantile is interpolated.
    ///
    /// ```
    /// # use pleach_measure::Spread;
    /// let spread = Spread::of(&[5.0, 1.0, 2.0, 4.0, 3.0]).unwrap();
    /// assert_eq!((spread.median, spread.quartiles, spread.repetitions), (3.0, [2.0, 4.0], 5));
    /// assert_eq!(Spread::of(&[1.0, 2.0]).unwrap().quartiles, [1.25, 1.75]);
    /// assert_eq!(Spread::of(&[]), None);
    /// ```
    pub fn of(figures: &[f64]) -> Option<Self> {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |share: f64| {
            let place = share * last as f64;
            let below = sorted[place as usize];
            below + (sorted[(place as usize + 1).min(last)] - below) * place.fract()
        };
        Some(Spread { median: at(0.5), quartiles: [at(0.25), at(0.75)], repetitions: sorted.len() })
    }
}

/// Something as large as the caches, twice over, which is read and written to take their place.
pub struct Caches(Vec<u64>);

impl Caches {
    /// Memory to fill the caches with.
    pub fn new() -> Self {
        Caches(vec![1; 2 * crate::machine::cache_bytes() / size_of::<u64>()])
    }

    /// Fills the caches.
    pub fn evict(&mut self) {
        let mut sum = 0u64;
        // A line of a cache holds eight.
        for word in self.0.iter_mut().step_by(8) {
            *word = word.wrapping_add(1);
            sum = sum.wrapping_add(*word);
        }
        std::hint::black_box(sum);
    }
}

impl Default for Caches {
    fn default() -> Self {
        Caches::new()
    }
}

/// How long some work takes; what it makes is freed afterwards.
pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let begin = Instant::now();
    let made = std::hint::black_box(work());
    let took = begin.elapsed();
    drop(made);
    took.as_secs_f64()
}

/// The median of some durations; zero of none.
///
/// ```
/// # use std::time::Duration;
/// let times = [3, 1, 2].map(Duration::from_millis).to_vec();
/// assert_eq!(pleach_measure::median(times), Duration::from_millis(2));
/// ```
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
