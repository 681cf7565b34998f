//! Constants and the types of scalars to tokens.

use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::quote;

use crate::ir::types::{Literal, Scalar};

/// The Rust type of a scalar.
pub(super) fn scalar_type(scalar: Scalar) -> TokenStream {
    let name = Ident::new(scalar.name(), Span::call_site());
    quote!(#name)
}

/// Whether a constant is written with a minus in front.
pub(super) fn is_negative(l: Literal) -> bool {
    match l {
        Literal::F32(x) => x.is_sign_negative() && !x.is_nan(),
        Literal::F64(x) => x.is_sign_negative() && !x.is_nan(),
        Literal::I32(x) => x < 0,
        Literal::I64(x) => x < 0,
        _ => false,
    }
}

/// A constant that says its type.
pub(super) fn suffixed(l: Literal) -> TokenStream {
    number(l, true)
}

/// A constant, with its type behind it or without.
pub(super) fn number(l: Literal, suffix: bool) -> TokenStream {
    macro_rules! integer {
        ($x:expr, $suffixed:ident, $unsuffixed:ident) => {{
            let token = if suffix { Token::$suffixed($x) } else { Token::$unsuffixed($x) };
            quote!(#token)
        }};
    }
    macro_rules! extreme {
        ($x:expr, $ty:ident) => {
            match $x {
                $ty::MAX => return quote!($ty::MAX),
                $ty::MIN if $ty::MIN != 0 => return quote!($ty::MIN),
                _ => {}
            }
        };
    }
    macro_rules! float {
        ($x:expr, $ty:ident, $suffixed:ident, $unsuffixed:ident) => {
            if $x.is_nan() {
                quote!($ty::NAN)
            } else if $x == $ty::INFINITY {
                quote!($ty::INFINITY)
            } else if $x == $ty::NEG_INFINITY {
                quote!($ty::NEG_INFINITY)
            } else {
                let token = if suffix { Token::$suffixed($x.abs()) } else { Token::$unsuffixed($x.abs()) };
                if $x.is_sign_negative() { quote!(-#token) } else { quote!(#token) }
            }
        };
    }
    match l {
        Literal::F32(x) => float!(x, f32, f32_suffixed, f32_unsuffixed),
        Literal::F64(x) => float!(x, f64, f64_suffixed, f64_unsuffixed),
        Literal::I32(x) => {
            extreme!(x, i32);
            let size = integer!(x.unsigned_abs() as i32, i32_suffixed, i32_unsuffixed);
            if x < 0 { quote!(-#size) } else { size }
        }
        Literal::I64(x) => {
            extreme!(x, i64);
            let size = integer!(x.unsigned_abs() as i64, i64_suffixed, i64_unsuffixed);
            if x < 0 { quote!(-#size) } else { size }
        }
        Literal::U32(x) => {
            extreme!(x, u32);
            integer!(x, u32_suffixed, u32_unsuffixed)
        }
        Literal::U64(x) => {
            extreme!(x, u64);
            integer!(x, u64_suffixed, u64_unsuffixed)
        }
        Literal::Bool(x) => quote!(#x),
        Literal::Usize(x) => {
            extreme!(x, usize);
            integer!(x, usize_suffixed, usize_unsuffixed)
        }
    }
}
