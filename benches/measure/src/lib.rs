//! Measurements that compare stores with static rows, with plain Rust and with other programs: what `pleach bench` runs.
//!
//! ```text
//!   suite ──► works and competitors ──► harness: in turn, rotated, median and quartiles ──► rows ──► table, JSON
//! ```
//!
//! [`method`] says how everything is measured, [`Bench`] does it, [`result`] is what comes out. Each suite in [`suites`] has an `Options` type and a
//! function `run`.
//!
//! ```
//! use pleach_measure::{Bench, Competitor, Machine, Method, Side, Work};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let method = Method { rounds: 5, threads: 1, ..Method::default() };
//! let mut bench = Bench::new(method, Machine::default(), Box::new(|_| ()))?;
//! bench.begin("sums", None);
//! let numbers: Vec<f64> = (0..1000).map(f64::from).collect();
//! let competitors = vec![
//!     Competitor::timed("fold", Side::Hand, || numbers.iter().fold(0.0, |sum, x| sum + x)),
//!     Competitor::timed("sum", Side::Hand, || numbers.iter().sum::<f64>()),
//! ];
//! bench.compare(&[Work::timed("sum of 1000 numbers")], competitors);
//! let results = bench.into_results();
//! assert_eq!((results.rows.len(), results.rows[1].repetitions), (2, 5));
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | measure competitors in turn | [`Bench::compare`] |
//! | run a suite | `run` of a module in [`suites`], with its `Options` |
//! | read the results of an earlier run | [`Results::parse`] |
//! | compare two runs | [`compare::compare`] |
//! | hold results against the targets | [`targets::judge`] |
//! | print tables | [`table`], [`readme`] |

mod by_hand;
pub mod clock;
pub mod compare;
mod compiled;
pub mod graph;
pub mod graphalytics;
pub mod harness;
pub mod machine;
mod matrices;
pub mod method;
pub mod peers;
pub mod plain;
pub mod readme;
pub mod report;
pub mod result;
pub mod suites;
pub mod table;
pub mod targets;

pub use clock::Clock;
pub use graph::{Graph, in_random_order};
pub use harness::{Bench, Competitor, Found, Show, Work};
pub use matrices::{Matrix, NAMES};
pub use method::{Method, Spread, median};
pub use result::{GraphFacts, Machine, Results, Row, Side, Unit};
