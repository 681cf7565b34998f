//! The conversions that the library has compiled, found by the names of their formats.

use pleach::convert::{
    Bcsr, ConvertTo, Coo, Coo3, CooDuplicates, CooUnsorted, Csb, Csc, Csf, Csr, Dcsr, Dia, Ell, Format, Hicoo, Hicoo3,
    Skyline, convert,
};
use pleach::runtime::tensor::{
    Arranged, Banded, Compressed, Dense, Offset, Range, Remapped, Singleton, Sliced, Squeezed, Tensor,
};
use pleach_codegen::ir::Literal;
use pleach_codegen::ir::interpret::{Array, Value};

/// A compiled conversion: from the fields of a tensor to those of another one. `None` if the fields are those of another format.
pub type Routine = fn(&[Value]) -> Option<Vec<Value>>;

/// The compiled conversion between two formats.
pub fn routine(from: &str, to: &str) -> Option<Routine> {
    ROUTINES.iter().find(|routine| (routine.0, routine.1) == (from, to)).map(|routine| routine.2)
}

const ROUTINES: &[(&str, &str, Routine)] = &[
    ("bcsr", "csr", run::<Bcsr, Csr>),
    ("coo", "csc", run::<Coo, Csc>),
    ("coo", "csr", run::<Coo, Csr>),
    ("coo", "dia", run::<Coo, Dia>),
    ("coo", "ell", run::<Coo, Ell>),
    ("coo3", "csf", run::<Coo3, Csf>),
    ("coo3", "hicoo3", run::<Coo3, Hicoo3>),
    ("coo_duplicates", "csr", run::<CooDuplicates, Csr>),
    ("coo_unsorted", "csr", run::<CooUnsorted, Csr>),
    ("csb", "csr", run::<Csb, Csr>),
    ("csf", "coo3", run::<Csf, Coo3>),
    ("csc", "coo", run::<Csc, Coo>),
    ("csc", "csr", run::<Csc, Csr>),
    ("csc", "dia", run::<Csc, Dia>),
    ("csc", "ell", run::<Csc, Ell>),
    ("csr", "bcsr", run::<Csr, Bcsr>),
    ("csr", "coo", run::<Csr, Coo>),
    ("csr", "csb", run::<Csr, Csb>),
    ("csr", "csc", run::<Csr, Csc>),
    ("csr", "dcsr", run::<Csr, Dcsr>),
    ("csr", "dia", run::<Csr, Dia>),
    ("csr", "ell", run::<Csr, Ell>),
    ("csr", "hicoo", run::<Csr, Hicoo>),
    ("csr", "skyline", run::<Csr, Skyline>),
    ("dcsr", "csr", run::<Dcsr, Csr>),
    ("dia", "csr", run::<Dia, Csr>),
    ("ell", "csr", run::<Ell, Csr>),
    ("hicoo", "csr", run::<Hicoo, Csr>),
    ("hicoo3", "coo3", run::<Hicoo3, Coo3>),
    ("skyline", "csr", run::<Skyline, Csr>),
];

fn run<From: ConvertTo<To>, To: Format>(fields: &[Value]) -> Option<Vec<Value>>
where
    for<'a> From::View<'a>: Take<'a>,
    To::Tensor: Give,
{
    let mut rest = fields.iter();
    let tensor = Take::take(&mut rest)?;
    rest.next().is_none().then(|| {
        let mut made = Vec::new();
        convert::<From, To>(tensor).give(&mut made);
        made
    })
}

type Fields<'a> = std::slice::Iter<'a, Value>;

/// What can be taken from the fields of a tensor, in their order.
trait Take<'a>: Sized {
    fn take(fields: &mut Fields<'a>) -> Option<Self>;
}

/// What becomes fields of a tensor.
trait Give {
    fn give(self, fields: &mut Vec<Value>);
}

impl Take<'_> for usize {
    fn take(fields: &mut Fields<'_>) -> Option<usize> {
        match fields.next()? {
            Value::Scalar(Literal::Usize(n)) => Some(*n),
            _ => None,
        }
    }
}

impl Give for usize {
    fn give(self, fields: &mut Vec<Value>) {
        fields.push(Value::usize(self));
    }
}

macro_rules! arrays {
    ($($kind:ident $number:ty),*) => {$(
        impl<'a> Take<'a> for &'a [$number] {
            fn take(fields: &mut Fields<'a>) -> Option<Self> {
                match fields.next()? {
                    Value::Array(Array::$kind(array)) => Some(array),
                    _ => None,
                }
            }
        }

        impl Give for Vec<$number> {
            fn give(self, fields: &mut Vec<Value>) {
                fields.push(self.into());
            }
        }
    )*};
}

arrays!(Usize usize, U32 u32, F64 f64);

macro_rules! levels {
    ($($level:ident $([$($array:ident $of:ident),*])?;)*) => {$(
        impl<'a $($(, $of: Take<'a>)*)?> Take<'a> for $level$(<$($of),*>)? {
            fn take(_fields: &mut Fields<'a>) -> Option<Self> {
                Some($level { $($($array: Take::take(_fields)?),*)? })
            }
        }

        impl$(<$($of: Give),*>)? Give for $level$(<$($of),*>)? {
            fn give(self, _fields: &mut Vec<Value>) {
                $($(self.$array.give(_fields);)*)?
            }
        }
    )*};
}

levels! {
    Dense;
    Range;
    Offset;
    Compressed[pos P, crd C];
    Singleton[crd C];
    Squeezed[crd C];
    Banded[pos P, first C];
}

impl<'a, L: Take<'a>> Take<'a> for Remapped<L> {
    fn take(fields: &mut Fields<'a>) -> Option<Self> {
        Some(Remapped { extent: Take::take(fields)?, level: L::take(fields)? })
    }
}

impl<L: Give> Give for Remapped<L> {
    fn give(self, fields: &mut Vec<Value>) {
        self.extent.give(fields);
        self.level.give(fields);
    }
}

impl<'a, T: Take<'a>, C> Take<'a> for Arranged<T, C> {
    fn take(fields: &mut Fields<'a>) -> Option<Self> {
        T::take(fields).map(Arranged::new)
    }
}

impl<T: Give, C> Give for Arranged<T, C> {
    fn give(self, fields: &mut Vec<Value>) {
        self.tensor.give(fields);
    }
}

impl Take<'_> for Sliced {
    fn take(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Sliced { slices: Take::take(fields)? })
    }
}

impl Give for Sliced {
    fn give(self, fields: &mut Vec<Value>) {
        self.slices.give(fields);
    }
}

macro_rules! tuples {
    ($($($level:ident $at:tt),*;)*) => {$(
        impl<'a, const RANK: usize, $($level: Take<'a>,)* V: Take<'a>> Take<'a> for Tensor<RANK, ($($level,)*), V> {
            fn take(fields: &mut Fields<'a>) -> Option<Self> {
                let mut shape = [0; RANK];
                for extent in &mut shape {
                    *extent = Take::take(fields)?;
                }
                Some(Tensor { shape, levels: ($($level::take(fields)?,)*), vals: Take::take(fields)? })
            }
        }

        impl<const RANK: usize, $($level: Give,)* V: Give> Give for Tensor<RANK, ($($level,)*), V> {
            fn give(self, fields: &mut Vec<Value>) {
                self.shape.into_iter().for_each(|n| n.give(fields));
                $(self.levels.$at.give(fields);)*
                self.vals.give(fields);
            }
        }
    )*};
}

tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
