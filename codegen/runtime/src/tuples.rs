//! The tuples that traits are implemented for.

/// Calls a macro with the tuples of one to eight types, each type with its place: `(A 0) (A 0, B 1) …`.
macro_rules! each_tuple {
    ($implement:ident) => {
        $implement! {
            (A 0)
            (A 0, B 1)
            (A 0, B 1, C 2)
            (A 0, B 1, C 2, D 3)
            (A 0, B 1, C 2, D 3, E 4)
            (A 0, B 1, C 2, D 3, E 4, F 5)
            (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
            (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
        }
    };
}
pub(crate) use each_tuple;
