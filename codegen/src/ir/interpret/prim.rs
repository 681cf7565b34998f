//! Scalar types as the interpreter's closures see them.

use super::frame::{Code, Fault, Frame, Stop};
use super::value::Array;
use crate::ir::expr::{BinaryOp, UnaryOp};
use crate::ir::types::{Literal, Scalar};

/// Any scalar, wide enough that Rust's `as` from here equals `as` from the original type.
pub(super) enum Wide {
    Int(i128),
    Float(f64),
}

/// A scalar type.
pub(super) trait Prim: Copy + PartialEq + PartialOrd + Send + Sync + 'static {
    const SCALAR: Scalar;
    fn decode(bits: u64) -> Self;
    fn encode(self) -> u64;
    fn wide(self) -> Wide;
    fn from_wide(wide: Wide) -> Self;
    /// The elements of an array of this type. The kernel has been checked; of any other array there are none.
    fn slice(array: &Array) -> &[Self];
    fn vec(array: &mut Array) -> Option<&mut Vec<Self>>;
    fn new_array(elements: Vec<Self>) -> Array;
    fn unary(op: UnaryOp, x: Code<Self>) -> Option<Code<Self>>;
    fn binary(op: BinaryOp, x: Code<Self>, y: Code<Self>) -> Option<Code<Self>>;
    /// Code for a `bool` as code for this type: itself for `bool`.
    fn lift_bool(code: Code<bool>) -> Code<Self> {
        Box::new(move |f| Ok(Self::decode(u64::from(code(f)?))))
    }
    /// Code for a `usize` as code for this type: itself for `usize`.
    fn lift_usize(code: Code<usize>) -> Code<Self> {
        Box::new(move |f| Ok(Self::decode(code(f)? as u64)))
    }
    fn literal(self) -> Literal {
        Literal::from_bits(Self::SCALAR, self.encode())
    }
}

/// Runs `$body` with `$T` standing for the Rust type of `$scalar`.
macro_rules! with_scalar {
    ($scalar:expr, $T:ident => $body:expr) => {
        match $scalar {
            $crate::ir::types::Scalar::F32 => {
                type $T = f32;
                $body
            }
            $crate::ir::types::Scalar::F64 => {
                type $T = f64;
                $body
            }
            $crate::ir::types::Scalar::I32 => {
                type $T = i32;
                $body
            }
            $crate::ir::types::Scalar::I64 => {
                type $T = i64;
                $body
            }
            $crate::ir::types::Scalar::U32 => {
                type $T = u32;
                $body
            }
            $crate::ir::types::Scalar::U64 => {
                type $T = u64;
                $body
            }
            $crate::ir::types::Scalar::Bool => {
                type $T = bool;
                $body
            }
            $crate::ir::types::Scalar::Usize => {
                type $T = usize;
                $body
            }
        }
    };
}
pub(super) use with_scalar;

/// A closure for `x op y` that cannot fail.
macro_rules! total {
    ($x:ident, $y:ident, |$a:ident, $b:ident| $value:expr) => {{
        let f: Code<Self> = Box::new(move |f: &mut Frame| {
            let $a = $x(f)?;
            let $b = $y(f)?;
            Ok($value)
        });
        Some(f)
    }};
}

/// A closure for `x op y` that can.
macro_rules! partial {
    ($x:ident, $y:ident, |$a:ident, $b:ident| $value:expr) => {{
        let f: Code<Self> = Box::new(move |f: &mut Frame| {
            let $a = $x(f)?;
            let $b = $y(f)?;
            match $value {
                Some(v) => Ok(v),
                None => f.fail(Fault::Overflow),
            }
        });
        Some(f)
    }};
}

macro_rules! storage {
    ($variant:ident) => {
        const SCALAR: Scalar = Scalar::$variant;
        fn slice(array: &Array) -> &[Self] {
            match array {
                Array::$variant(a) => a,
                _ => &[],
            }
        }
        fn vec(array: &mut Array) -> Option<&mut Vec<Self>> {
            match array {
                Array::$variant(a) => Some(a),
                _ => None,
            }
        }
        fn new_array(elements: Vec<Self>) -> Array {
            Array::$variant(elements)
        }
    };
}

macro_rules! float {
    ($($variant:ident $ty:ty, $bits:ty;)*) => {$(
        impl Prim for $ty {
            storage!($variant);
            fn decode(bits: u64) -> Self {
                <$ty>::from_bits(bits as $bits)
            }
            fn encode(self) -> u64 {
                self.to_bits().into()
            }
            fn wide(self) -> Wide {
                Wide::Float(self.into())
            }
            fn from_wide(wide: Wide) -> Self {
                match wide {
                    Wide::Int(x) => x as $ty,
                    Wide::Float(x) => x as $ty,
                }
            }
            fn unary(op: UnaryOp, x: Code<Self>) -> Option<Code<Self>> {
                match op {
                    UnaryOp::Abs => Some(Box::new(move |f| Ok(x(f)?.abs()))),
                    UnaryOp::Sqrt => Some(Box::new(move |f| Ok(x(f)?.sqrt()))),
                    UnaryOp::Not => None,
                }
            }
            fn binary(op: BinaryOp, x: Code<Self>, y: Code<Self>) -> Option<Code<Self>> {
                match op {
                    BinaryOp::Add => total!(x, y, |a, b| a + b),
                    BinaryOp::Sub => total!(x, y, |a, b| a - b),
                    BinaryOp::Mul => total!(x, y, |a, b| a * b),
                    BinaryOp::Div => total!(x, y, |a, b| a / b),
                    BinaryOp::Rem => total!(x, y, |a, b| a % b),
                    BinaryOp::Min => total!(x, y, |a, b| if a < b || a.is_nan() { a } else { b }),
                    BinaryOp::Max => total!(x, y, |a, b| if a > b || a.is_nan() { a } else { b }),
                    _ => None,
                }
            }
        }
    )*};
}

float! { F32 f32, u32; F64 f64, u64; }

macro_rules! wrapping {
    ($($variant:ident $ty:ty, $abs:expr;)*) => {$(
        impl Prim for $ty {
            storage!($variant);
            fn decode(bits: u64) -> Self {
                bits as $ty
            }
            fn encode(self) -> u64 {
                Literal::$variant(self).bits()
            }
            fn wide(self) -> Wide {
                Wide::Int(self.into())
            }
            fn from_wide(wide: Wide) -> Self {
                match wide {
                    Wide::Int(x) => x as $ty,
                    Wide::Float(x) => x as $ty,
                }
            }
            fn unary(op: UnaryOp, x: Code<Self>) -> Option<Code<Self>> {
                let abs: Option<fn($ty) -> $ty> = $abs;
                match op {
                    UnaryOp::Abs => abs.map(|abs| -> Code<Self> { Box::new(move |f| Ok(abs(x(f)?))) }),
                    UnaryOp::Not => Some(Box::new(move |f| Ok(!x(f)?))),
                    UnaryOp::Sqrt => None,
                }
            }
            fn binary(op: BinaryOp, x: Code<Self>, y: Code<Self>) -> Option<Code<Self>> {
                match op {
                    BinaryOp::Add => total!(x, y, |a, b| a.wrapping_add(b)),
                    BinaryOp::Sub => total!(x, y, |a, b| a.wrapping_sub(b)),
                    BinaryOp::Mul => total!(x, y, |a, b| a.wrapping_mul(b)),
                    BinaryOp::Div => total!(x, y, |a, b| a.checked_div(b).unwrap_or(0)),
                    BinaryOp::Rem => total!(x, y, |a, b| a.checked_rem(b).unwrap_or(0)),
                    BinaryOp::Min => total!(x, y, |a, b| a.min(b)),
                    BinaryOp::Max => total!(x, y, |a, b| a.max(b)),
                    BinaryOp::And => total!(x, y, |a, b| a & b),
                    BinaryOp::Or => total!(x, y, |a, b| a | b),
                    BinaryOp::Xor => total!(x, y, |a, b| a ^ b),
                    BinaryOp::Shl => total!(x, y, |a, b| shl(a.wide(), b.wide(), <$ty>::BITS).map_or(0, |v| v as $ty)),
                    BinaryOp::Shr => total!(x, y, |a, b| shr(a.wide(), b.wide(), <$ty>::BITS) as $ty),
                    _ => None,
                }
            }
        }
    )*};
}

wrapping! {
    I32 i32, Some(i32::wrapping_abs);
    I64 i64, Some(i64::wrapping_abs);
    U32 u32, None;
    U64 u64, None;
}

/// `x << by` in a type of `width` bits, before it is cut to that width; `None` if nothing is left of it.
fn shl(x: Wide, by: Wide, width: u32) -> Option<i128> {
    match (x, by) {
        (Wide::Int(x), Wide::Int(by)) if (0..i128::from(width)).contains(&by) => Some(x << by),
        _ => None,
    }
}

/// `x >> by` in a type of `width` bits: 0 or −1 if nothing is left of it.
fn shr(x: Wide, by: Wide, width: u32) -> i128 {
    match (x, by) {
        (Wide::Int(x), Wide::Int(by)) if (0..i128::from(width)).contains(&by) => x >> by,
        (Wide::Int(x), _) if x < 0 => -1,
        _ => 0,
    }
}

impl Prim for usize {
    storage!(Usize);
    fn decode(bits: u64) -> Self {
        bits as usize
    }
    fn encode(self) -> u64 {
        self as u64
    }
    fn wide(self) -> Wide {
        Wide::Int(self as i128)
    }
    fn from_wide(wide: Wide) -> Self {
        match wide {
            Wide::Int(x) => x as usize,
            Wide::Float(x) => x as usize,
        }
    }
    fn unary(op: UnaryOp, x: Code<Self>) -> Option<Code<Self>> {
        match op {
            UnaryOp::Not => Some(Box::new(move |f| Ok(!x(f)?))),
            _ => None,
        }
    }
    fn binary(op: BinaryOp, x: Code<Self>, y: Code<Self>) -> Option<Code<Self>> {
        match op {
            BinaryOp::Add => partial!(x, y, |a, b| a.checked_add(b)),
            BinaryOp::Sub => partial!(x, y, |a, b| a.checked_sub(b)),
            BinaryOp::Mul => partial!(x, y, |a, b| a.checked_mul(b)),
            BinaryOp::Div => total!(x, y, |a, b| a.checked_div(b).unwrap_or(0)),
            BinaryOp::Rem => total!(x, y, |a, b| a.checked_rem(b).unwrap_or(0)),
            BinaryOp::Min => total!(x, y, |a, b| a.min(b)),
            BinaryOp::Max => total!(x, y, |a, b| a.max(b)),
            BinaryOp::And => total!(x, y, |a, b| a & b),
            BinaryOp::Or => total!(x, y, |a, b| a | b),
            BinaryOp::Xor => total!(x, y, |a, b| a ^ b),
            BinaryOp::Shl => total!(x, y, |a, b| shl(a.wide(), b.wide(), usize::BITS).map_or(0, |v| v as usize)),
            BinaryOp::Shr => total!(x, y, |a, b| shr(a.wide(), b.wide(), usize::BITS) as usize),
            _ => None,
        }
    }
    fn lift_usize(code: Code<usize>) -> Code<usize> {
        code
    }
}

impl Prim for bool {
    storage!(Bool);
    fn decode(bits: u64) -> Self {
        bits != 0
    }
    fn encode(self) -> u64 {
        self.into()
    }
    fn wide(self) -> Wide {
        Wide::Int(self.into())
    }
    fn from_wide(wide: Wide) -> Self {
        match wide {
            Wide::Int(x) => x != 0,
            Wide::Float(x) => x != 0.0,
        }
    }
    fn unary(op: UnaryOp, x: Code<Self>) -> Option<Code<Self>> {
        match op {
            UnaryOp::Not => Some(Box::new(move |f| Ok(!x(f)?))),
            _ => None,
        }
    }
    fn binary(op: BinaryOp, x: Code<Self>, y: Code<Self>) -> Option<Code<Self>> {
        match op {
            BinaryOp::And => Some(Box::new(move |f| Ok(x(f)? && y(f)?))),
            BinaryOp::Or => Some(Box::new(move |f| Ok(x(f)? || y(f)?))),
            BinaryOp::Xor => total!(x, y, |a, b| a ^ b),
            _ => None,
        }
    }
    fn lift_bool(code: Code<bool>) -> Code<bool> {
        code
    }
}

/// Code for a comparison.
pub(super) fn compare<T: Prim>(op: BinaryOp, x: Code<T>, y: Code<T>) -> Option<Code<bool>> {
    macro_rules! closure {
        ($a:ident $op:tt $b:ident) => {
            Some(Box::new(move |f: &mut Frame| -> Result<bool, Stop> {
                let $a = x(f)?;
                Ok($a $op y(f)?)
            }))
        };
    }
    match op {
        BinaryOp::Eq => closure!(a == b),
        BinaryOp::Ne => closure!(a != b),
        BinaryOp::Lt => closure!(a < b),
        BinaryOp::Le => closure!(a <= b),
        BinaryOp::Gt => closure!(a > b),
        BinaryOp::Ge => closure!(a >= b),
        _ => None,
    }
}

/// The value of `op` on two constants, as both backends define it; `None` if the type does not have the operator or the result
/// does not exist.
pub(crate) fn constant(op: BinaryOp, x: Literal, y: Literal) -> Option<Literal> {
    with_scalar!(x.scalar(), T => {
        let (a, b) = (<T as Prim>::decode(x.bits()), <T as Prim>::decode(y.bits()));
        let (a, b): (Code<T>, Code<T>) = (Box::new(move |_| Ok(a)), Box::new(move |_| Ok(b)));
        if op.is_comparison() {
            evaluate(compare(op, a, b)?).map(Literal::Bool)
        } else {
            evaluate(T::binary(op, a, b)?).map(Prim::literal)
        }
    })
}

/// The value of `op` on a constant; `None` if the type does not have the operator.
pub(crate) fn constant_unary(op: UnaryOp, x: Literal) -> Option<Literal> {
    with_scalar!(x.scalar(), T => {
        let a = <T as Prim>::decode(x.bits());
        evaluate(T::unary(op, Box::new(move |_| Ok(a)))?).map(Prim::literal)
    })
}

/// A constant converted to another type.
pub(crate) fn constant_cast(to: Scalar, x: Literal) -> Literal {
    let wide = with_scalar!(x.scalar(), T => <T as Prim>::decode(x.bits()).wide());
    with_scalar!(to, T => T::from_wide(wide).literal())
}

fn evaluate<T>(code: Code<T>) -> Option<T> {
    let mut frame = Frame {
        scalars: Vec::new(),
        arrays: Vec::new(),
        stores: Vec::new(),
        cursors: Vec::new(),
        owned: Vec::new(),
        slices: Vec::new(),
        next: Vec::new(),
        steps: 0,
        memory: 0,
        fault: None,
    };
    code(&mut frame).ok()
}
