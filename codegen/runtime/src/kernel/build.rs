//! Stores as results of kernels.

use crate::{Coord, Elements, Store, Value};

/// The store of strictly ascending coordinates and their values.
///
/// # Panics
///
/// If the lengths differ.
pub fn build<S: Store<Coord = C, Value = V>, C: Coord, V: Value + Copy>(coords: &[C], values: &[V]) -> S {
    S::build_row(Elements::copied(coords, values))
}

/// The store of strictly ascending coordinates and the stores that it holds, which it shares with `stores`.
///
/// # Panics
///
/// If the lengths differ.
pub fn build_of_stores<S: Store<Coord = C>, C: Coord>(coords: &[C], stores: &[S::Value]) -> S {
    S::build_row(Elements::drain(coords, &mut stores.to_vec()))
}

/// The store of strictly ascending coordinates, a pattern.
pub fn build_pattern<S: Store<Coord = C, Value = ()>, C: Coord>(coords: &[C]) -> S {
    build(coords, &vec![(); coords.len()])
}
