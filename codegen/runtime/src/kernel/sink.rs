//! Stores as results of kernels.

use crate::{Coord, Elements, Store, Value};

/// A store under assembly: entries are collected in order and the store is built from all of them at the end.
pub struct Sink<S: Store> {
    coords: Vec<S::Coord>,
    values: Vec<S::Value>,
}

impl<S: Store> Sink<S> {
    /// Nothing yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Sink { coords: Vec::new(), values: Vec::new() }
    }

    /// Appends an entry; coordinates strictly ascend.
    #[inline(always)]
    pub fn append(&mut self, coord: S::Coord, value: S::Value) {
        self.coords.push(coord);
        self.values.push(value);
    }

    /// The store.
    pub fn finish(mut self) -> S {
        S::build_row(Elements::drain(&self.coords, &mut self.values))
    }
}

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
