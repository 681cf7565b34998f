//! Pleach from C: `include/pleach.h` documents the interface for those who use it, and this crate is what is behind it.
//!
//! ```text
//!   C, many threads ──► border ──► handles ──► graph ──► combine ──► changes ──► Graph::commit     a batch of all calls that wait
//!                       pointers   who lives   ids       one thread applies for all
//!                          └─────────────────► snapshot ──► neighbours, algorithms
//! ```
//!
//! * `border` has the functions that C calls. All `unsafe` code of the crate is there.
//! * `failure` turns errors and panics into a status and a message.
//! * `handles` finds what a handle names, and notices handles that name nothing any more.
//! * `combine` makes batches of calls that come at the same time, and `changes` applies such a batch.
#![deny(unsafe_code)]

mod border;
mod changes;
mod combine;
mod failure;
mod graph;
mod handles;
mod ranked;
mod snapshot;

pub use border::*;
pub use failure::Status;
