//! Conversions between static formats, each compiled from the two formats: no list of entries, no sort, one pass that analyses and one
//! that assembles.
//!
//! ```
//! use pleach::convert::{Convert, Csr, Dia, Ell, convert};
//! use pleach::runtime::tensor::{Compressed, Dense, Tensor, View};
//!
//! let a = Tensor {
//!     shape: [2, 3],
//!     levels: (Dense, Compressed { pos: vec![0, 2, 3], crd: vec![0, 1, 2] }),
//!     vals: vec![1.0, 2.0, 3.0],
//! };
//! let diagonals = a.convert::<Dia>();
//! // The diagonals 0 and 1, counted from the lowest there can be, which is -1.
//! assert_eq!(diagonals.levels.0.level.crd, [1, 2]);
//! assert_eq!(diagonals.convert::<Csr>(), a);
//! // A tensor whose arrays are borrowed does not say by its type what format it has.
//! assert_eq!(convert::<Csr, Ell>(a.view()).levels.0.slices, 2);
//! ```
//!
//! Values are `f64`. For other pairs, other values and formats of your own, [`pleach!`](crate::pleach) and the build script compile
//! a kernel that copies: `kernel to_blocks(A: csr) -> B: bcsr { B(i,j) = A(i,j) }`.
//!
//! A tensor whose arrays do not fit together, which [`Tensor::new`](pleach_runtime::tensor::Tensor::new) refuses, makes a conversion panic
//! or its result wrong.

#[rustfmt::skip]
mod generated;

use pleach_runtime::tensor::View;

/// A format that conversions are compiled for. It has no values: it only names the format.
pub trait Format {
    /// A tensor of this format with arrays of its own.
    type Tensor;
    /// The same with borrowed arrays.
    type View<'a>;
}

/// Formats that convert to the format `To`.
pub trait ConvertTo<To: Format>: Format {
    /// Converts a tensor.
    fn convert(tensor: Self::View<'_>) -> To::Tensor;
}

/// Converts a tensor of format `From` to format `To`. Time and memory are those of the two tensors, and of the extents that either format
/// keeps an array for.
///
/// # Panics
///
/// If the arrays of the tensor do not fit together.
pub fn convert<From: ConvertTo<To>, To: Format>(tensor: From::View<'_>) -> To::Tensor {
    From::convert(tensor)
}

/// Tensors that convert to other formats, which their type tells from which: `a.convert::<Dia>()`.
pub trait Convert {
    /// The tensor's format.
    type Format: Format<Tensor = Self>;

    /// The tensor in format `To`; see [`convert()`].
    ///
    /// # Panics
    ///
    /// If the arrays of the tensor do not fit together.
    fn convert<To: Format>(&self) -> To::Tensor
    where
        Self::Format: ConvertTo<To>;
}

macro_rules! methods {
    ($($name:ident)*) => {$(
        impl Convert for generated::$name<f64> {
            type Format = $name;

            fn convert<To: Format>(&self) -> To::Tensor
            where
                $name: ConvertTo<To>,
            {
                <$name as ConvertTo<To>>::convert(self.view())
            }
        }
    )*};
}

methods! { Coo CooUnsorted CooDuplicates Csr Csc Dcsr Dia Ell Bcsr Csb Skyline Hicoo Coo3 Csf Hicoo3 }

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident $view:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl Format for $name {
            type Tensor = generated::$name<f64>;
            type View<'a> = generated::$view<'a, f64>;
        }
    )*};
}

formats! {
    /// Coordinates in order, each once.
    Coo CooView;
    /// Coordinates in any order, each once. They are no [`Coo`], as conversions from that one rely on its order:
    ///
    /// ```compile_fail,E0308
    /// use pleach::convert::{Coo, CooUnsorted, Csr, Format, convert};
    ///
    /// fn rows(list: <CooUnsorted as Format>::View<'_>) -> <Csr as Format>::Tensor {
    ///     convert::<Coo, Csr>(list)
    /// }
    /// ```
    CooUnsorted CooUnsortedView;
    /// Coordinates in any order, of which several may be of one place; such entries are added up. They are no [`Coo`]:
    ///
    /// ```compile_fail,E0308
    /// use pleach::convert::{Coo, CooDuplicates, Csr, Format, convert};
    ///
    /// fn rows(list: <CooDuplicates as Format>::View<'_>) -> <Csr as Format>::Tensor {
    ///     convert::<Coo, Csr>(list)
    /// }
    /// ```
    CooDuplicates CooDuplicatesView;
    /// Compressed sparse rows.
    Csr CsrView;
    /// Compressed sparse columns.
    Csc CscView;
    /// Compressed rows of which the empty ones are left out.
    Dcsr DcsrView;
    /// Diagonals.
    Dia DiaView;
    /// As many slots for each row as the longest one needs.
    Ell EllView;
    /// Blocks of 4 × 4, those that hold an entry.
    Bcsr BcsrView;
    /// Blocks of 256 × 256, with the coordinates within each block.
    Csb CsbView;
    /// For each row the columns from the first to the last entry.
    Skyline SkylineView;
    /// Blocks of 4 × 4 in Morton order, and the entries of a block in Morton order.
    Hicoo HicooView;
    /// Coordinates of a tensor of the third order, in order, each once.
    Coo3 Coo3View;
    /// Compressed sparse fibers.
    Csf CsfView;
    /// Blocks of 4 × 4 × 4 in Morton order, and the entries of a block in Morton order.
    Hicoo3 Hicoo3View;
}

macro_rules! pairs {
    ($($from:ident $to:ident $routine:ident;)*) => {$(
        impl ConvertTo<$to> for $from {
            fn convert(tensor: Self::View<'_>) -> <$to as Format>::Tensor {
                match generated::$routine(tensor) {
                    Ok(converted) => converted,
                    Err(_) => unreachable!("there is one operand, whose extents agree with themselves"),
                }
            }
        }
    )*};
}

pairs! {
    Coo Csr coo_to_csr;
    Coo Dia coo_to_dia;
    Csr Csc csr_to_csc;
    Csr Dia csr_to_dia;
    Csr Ell csr_to_ell;
    Csc Dia csc_to_dia;
    Csc Ell csc_to_ell;
    Bcsr Csr bcsr_to_csr;
    Coo Csc coo_to_csc;
    Coo Ell coo_to_ell;
    Coo3 Csf coo3_to_csf;
    Coo3 Hicoo3 coo3_to_hicoo3;
    CooDuplicates Csr coo_duplicates_to_csr;
    CooUnsorted Csr coo_unsorted_to_csr;
    Csb Csr csb_to_csr;
    Csf Coo3 csf_to_coo3;
    Csc Coo csc_to_coo;
    Csc Csr csc_to_csr;
    Csr Bcsr csr_to_bcsr;
    Csr Coo csr_to_coo;
    Csr Csb csr_to_csb;
    Csr Dcsr csr_to_dcsr;
    Csr Hicoo csr_to_hicoo;
    Csr Skyline csr_to_skyline;
    Dcsr Csr dcsr_to_csr;
    Dia Csr dia_to_csr;
    Ell Csr ell_to_csr;
    Hicoo Csr hicoo_to_csr;
    Hicoo3 Coo3 hicoo3_to_coo3;
    Skyline Csr skyline_to_csr;
}
