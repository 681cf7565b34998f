//! Every row store with 64-bit coordinates, alone as a vector, and three levels deep under several outer levels, against maps.

mod cube;
mod vector;

use pleach_runtime::{Coord, Store, Value};
use pleach_stores as stores;

type Packed<V, C> = pleach_runtime::Packed<C, V>;
type PackedDelta<V, C> = pleach_runtime::PackedDelta<C, V>;

/// Calls the same tests for every row store.
macro_rules! row_stores {
    ($($name:ident: $($store:ident)::+,)*) => {
        /// What the stores call themselves.
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(mod $name {
            use super::*;

            #[test]
            fn a_vector() {
                vector::check::<$($store)::+<f64, u64>>(2);
            }

            #[test]
            fn three_levels_deep() {
                assert_eq!(<$($store)::+<f64, u64> as Store>::NAME, stringify!($name));
                // One innermost store for all: the types are new with every pair, and each takes a second to compile.
                cube::check::<$($store)::+<stores::Blist<f64, u64>, u64>, _>();
            }
        })*
    };
}

row_stores! {
    packed: Packed,
    packed_delta: PackedDelta,
    list: stores::List,
    blist: stores::Blist,
    blist_prefix: stores::BlistPrefix,
    blist_gaps: stores::BlistGaps,
    blist_unsorted: stores::BlistUnsorted,
    vblist: stores::Vblist,
    bst: stores::Bst,
    rbtree: stores::Rbtree,
    ttree: stores::Ttree,
    ctree: stores::Ctree,
    ctree_delta: stores::CtreeDelta,
    btree: stores::Btree,
}

#[test]
fn no_bundled_store_is_left_out() {
    for schema in pleach_catalog::SCHEMAS {
        assert!(NAMES.contains(&schema.name), "{} is not in the list above", schema.name);
    }
}

/// The elements of a fiber in coordinate order, whatever order it is kept in.
fn elements<S: Store>(store: &S) -> (Vec<S::Coord>, Vec<S::Value>) {
    sorted(pleach_runtime::Fiber::fold_runs(store.fiber(), Vec::new(), |mut all, run| {
        all.extend(run.iter().map(|(coord, value)| (coord, value.clone())));
        all
    }))
}

fn sorted<C: Coord, V: Value>(mut all: Vec<(C, V)>) -> (Vec<C>, Vec<V>) {
    all.sort_by_key(|&(coord, _)| coord);
    all.into_iter().unzip()
}
