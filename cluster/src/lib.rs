//! The same graph on several machines: owned rows, ghosts, and supersteps.
//!
//! ```text
//!   file ─► each worker reads its share ─► arcs go to the owners of their ends ─► Part: rows, and names of ghosts
//!                                                                                  │
//!   algorithm:  compute on own rows ─► values of ghosts go over the wire ─► compute …   (a superstep each)
//! ```
//!
//! Rows are dealt to workers by ranges of ids ([`Ownership`]). A worker holds the rows of its vertices and a number for each ghost, a
//! vertex of another worker that occurs in them ([`Part`]); nobody holds the whole graph. Everything that travels goes through one
//! operation ([`Exchange`]): in memory between threads ([`LoopBack`]), or between processes by timely dataflow over TCP ([`tcp`]).
//!
//! ```
//! use pleach_cluster::{Arc, LoadOptions, Ownership, Wire, algorithms, load, on_loop_back};
//!
//! // A path of ten vertices, which three workers own by turns, two vertices at a time.
//! let lengths = on_loop_back(3, |end| {
//!     let mut wire = Wire::new(end);
//!     let options = LoadOptions::new(Ownership::new(3).with_range(2)).with_directed(false);
//!     // Worker 0 has read all arcs; the others none.
//!     let arcs: Vec<Arc> = (0..9).map(|v| Arc { from: v, to: v + 1, weight: 1.0 }).collect();
//!     let arcs = if wire.worker() == 0 { arcs } else { Vec::new() };
//!     let part = load(&mut wire, arcs.into_iter(), &options)?;
//!     let depths = algorithms::bfs(&part, &mut wire, 0)?.expect("there is a vertex 0");
//!     Ok::<_, pleach_cluster::LoadError>(depths)
//! });
//! assert_eq!(lengths, [Ok(vec![0, 1, 6, 7]), Ok(vec![2, 3, 8, 9]), Ok(vec![4, 5])]);
//! ```
//!
//! | to | use |
//! |---|---|
//! | say which worker owns a vertex | [`Ownership`] |
//! | read a worker's share of a graph | [`load()`], with [`LoadOptions`] |
//! | run a named algorithm, and collect its result | [`run()`], [`collect`] |
//! | call an algorithm on a part | [`algorithms`] |
//! | compute an expression in index notation | [`expression::Expression`] |
//! | let the graph grow and change | [`stream::Growing`] |
//! | connect workers | threads by [`on_loop_back`], processes by [`tcp::Tcp`] |
#![forbid(unsafe_code)]

pub mod algorithms;
mod exchange;
pub mod expression;
mod load;
mod marks;
mod met;
mod names;
mod owner;
mod part;
mod places;
mod rows;
mod run;
pub mod stream;
pub mod tcp;
mod wire;

pub use exchange::{Exchange, LoopBack, Lost, on_loop_back};
pub use load::{Arc, Arcs, LoadError, LoadOptions, load};
pub use marks::Marks;
pub use names::{Names, Numbered};
pub use owner::{Ownership, RANGE};
pub use part::Part;
pub use places::Places;
pub use rows::{Cost, LocalRows, Sides, Visit};
pub use run::{App, Called, Found, RunError, Values, collect, run};
pub use wire::{Refused, Traffic, Wire};
