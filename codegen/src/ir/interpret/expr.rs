//! Expressions to closures.

use std::collections::HashMap;
use std::sync::Arc;

use super::Function;
use super::error::RunError;
use super::frame::{Code, Cursor, Fault, Frame};
use super::prim::{Prim, compare, constant_cast, with_scalar};
use super::value::{Array, Store};
use crate::ir::check::CheckError;
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::{FunctionId, Kernel, Var};
use crate::ir::types::{Growth, Literal, Scalar, Type};

/// Code of any scalar type.
pub(super) enum AnyCode {
    F32(Code<f32>),
    F64(Code<f64>),
    I32(Code<i32>),
    I64(Code<i64>),
    U32(Code<u32>),
    U64(Code<u64>),
    Bool(Code<bool>),
    Usize(Code<usize>),
}

pub(super) struct Compiler<'a> {
    pub kernel: &'a Kernel,
    pub functions: &'a HashMap<String, Function>,
    /// Whether an array is dealt out to the iterations of the parallel loop that is being compiled.
    pub owned: Vec<bool>,
    /// What each part is a part of that has a name: an array that is not a part itself.
    pub slices: HashMap<Var, Var>,
    pub iterations_per_task: Option<usize>,
}

pub(super) type Compiled<T> = Result<T, RunError>;

impl Compiler<'_> {
    pub fn scalar_type(&self, expr: &Expr) -> Compiled<Scalar> {
        match expr.type_in(&self.kernel.vars) {
            Some(Type::Scalar(s)) => Ok(s),
            _ => Err(self.unexpected(expr, "a scalar")),
        }
    }

    fn unexpected(&self, expr: &Expr, expected: &str) -> RunError {
        RunError::Invalid(CheckError::Type {
            place: self.kernel.show_expr(expr),
            expected: expected.into(),
            found: "something else".into(),
        })
    }

    pub fn usize(&self, expr: &Expr) -> Compiled<Code<usize>> {
        self.typed(expr)
    }

    pub fn any(&self, expr: &Expr) -> Compiled<AnyCode> {
        Ok(match self.scalar_type(expr)? {
            Scalar::F32 => AnyCode::F32(self.typed(expr)?),
            Scalar::F64 => AnyCode::F64(self.typed(expr)?),
            Scalar::I32 => AnyCode::I32(self.typed(expr)?),
            Scalar::I64 => AnyCode::I64(self.typed(expr)?),
            Scalar::U32 => AnyCode::U32(self.typed(expr)?),
            Scalar::U64 => AnyCode::U64(self.typed(expr)?),
            Scalar::Bool => AnyCode::Bool(self.typed(expr)?),
            Scalar::Usize => AnyCode::Usize(self.typed(expr)?),
        })
    }

    /// Code for an expression whose type is known to be `T`.
    pub fn typed<T: Prim>(&self, expr: &Expr) -> Compiled<Code<T>> {
        Ok(match expr {
            Expr::Literal(l) => {
                let value = T::decode(l.bits());
                Box::new(move |_| Ok(value))
            }
            Expr::Var(v) => {
                let slot = v.0 as usize;
                Box::new(move |f| Ok(T::decode(f.scalars[slot])))
            }
            Expr::Load(a, i) => self.load(*a, i)?,
            Expr::Len(a) => {
                let (_, extent) = self.found_in(*a);
                T::lift_usize(Box::new(move |f| extent(f).map(|(_, len)| len)))
            }
            Expr::Seek { array, from, to, coord } => T::lift_usize(self.seek(*array, from, to, coord)?),
            Expr::Unary(op, x) => T::unary(*op, self.typed(x)?).ok_or_else(|| self.unexpected(expr, "an operation"))?,
            Expr::Binary(op, x, y) if op.is_comparison() => {
                let code = with_scalar!(self.scalar_type(x)?, S => compare::<S>(*op, self.typed(x)?, self.typed(y)?));
                T::lift_bool(code.ok_or_else(|| self.unexpected(expr, "a comparison"))?)
            }
            Expr::Binary(BinaryOp::Add, x, y)
                if T::SCALAR == Scalar::Usize
                    && let Expr::Literal(n) = **y =>
            {
                T::lift_usize(self.add_constant(x, n.bits() as usize)?)
            }
            Expr::Binary(op, x, y) => {
                T::binary(*op, self.typed(x)?, self.typed(y)?).ok_or_else(|| self.unexpected(expr, "an operation"))?
            }
            Expr::Select(c, x, y) => {
                let (c, x, y): (Code<bool>, Code<T>, Code<T>) = (self.typed(c)?, self.typed(x)?, self.typed(y)?);
                Box::new(move |f| if c(f)? { x(f) } else { y(f) })
            }
            Expr::Cast(_, x) => with_scalar!(self.scalar_type(x)?, S => {
                let x: Code<S> = self.typed(x)?;
                Box::new(move |f| Ok(T::from_wide(x(f)?.wide())))
            }),
            Expr::Call(function, args, _) => self.call(*function, args)?,
            Expr::CursorValid(c) => T::lift_bool(cursor_valid(*c)),
            Expr::CursorCoord(c) => T::lift_usize(cursor_coord(*c)),
            Expr::CursorValue(c) => cursor_value(*c),
            // Up to three tasks, so that tests also run what one task prepares for another.
            Expr::Tasks(work) => {
                let work = self.usize(work)?;
                T::lift_usize(Box::new(move |f| Ok(work(f)?.clamp(1, 3))))
            }
            Expr::Build { .. } => return Err(self.unexpected(expr, "a scalar")),
        })
    }

    /// The first position of `array[from..to]` whose element is not below `coord`, by a search that takes a logarithmic number of steps.
    fn seek(&self, array: Var, from: &Expr, to: &Expr, coord: &Expr) -> Compiled<Code<usize>> {
        let slot = array.0 as usize;
        let (from, to, coord) = (self.usize(from)?, self.usize(to)?, self.usize(coord)?);
        let positions = self.kernel.vars[array].ty.array_scalar() == Some(Scalar::Usize);
        Ok(Box::new(move |f| {
            let (from, to, coord) = (from(f)?, to(f)?, coord(f)?);
            let to = to.min(f.arrays[slot].len());
            let from = from.min(to);
            let before = match positions {
                true => usize::slice(&f.arrays[slot])[from..to].partition_point(|&p| p < coord),
                false => u32::slice(&f.arrays[slot])[from..to].partition_point(|&c| (c as usize) < coord),
            };
            let found = from + before;
            f.tick(Growth::Logarithmic.steps(0, found - from))?;
            Ok(found)
        }))
    }

    /// A position plus a constant. They are everywhere, and this is one closure instead of three.
    fn add_constant(&self, x: &Expr, n: usize) -> Compiled<Code<usize>> {
        let x = self.usize(x)?;
        Ok(Box::new(move |f| match x(f)?.checked_add(n) {
            Some(sum) => Ok(sum),
            None => f.fail(Fault::Overflow),
        }))
    }

    /// A call of a user's function.
    fn call<T: Prim>(&self, id: FunctionId, args: &[Expr]) -> Compiled<Code<T>> {
        let from = self.kernel.function(id).map_or("", |foreign| &foreign.from[..]);
        let function = self.functions.get(from).ok_or_else(|| RunError::UnknownFunction(from.to_owned()))?.clone();
        let args = args.iter().map(|arg| self.literal(arg)).collect::<Compiled<Vec<_>>>()?;
        Ok(Box::new(move |f| {
            let values = args.iter().map(|arg| arg(f)).collect::<Result<Vec<_>, _>>()?;
            let value = function(&values);
            Ok(T::decode(constant_cast(T::SCALAR, value).bits()))
        }))
    }

    /// Code for a scalar of any type, with its type.
    fn literal(&self, expr: &Expr) -> Compiled<Code<Literal>> {
        Ok(with_scalar!(self.scalar_type(expr)?, S => {
            let code: Code<S> = self.typed(expr)?;
            Box::new(move |f| Ok(code(f)?.literal()))
        }))
    }

    /// The array that holds the elements of an array or a part of one, and code that says where they begin in it, and how many there are.
    pub fn found_in(&self, array: Var) -> (Var, Code<(usize, usize)>) {
        let slot = array.0 as usize;
        match self.slices.get(&array) {
            Some(of) => (*of, Box::new(move |f| Ok(f.slices[slot]))),
            None => (array, Box::new(move |f| Ok((0, f.arrays[slot].len())))),
        }
    }

    /// The array that holds an element of an array or a part of one, and code that says where.
    pub fn place(&self, array: Var, index: &Expr) -> Compiled<(Var, Code<usize>)> {
        let (index, slot) = (self.usize(index)?, array.0 as usize);
        let Some(of) = self.slices.get(&array) else { return Ok((array, index)) };
        Ok((
            *of,
            Box::new(move |f| {
                let (i, (start, len)) = (index(f)?, f.slices[slot]);
                if i < len { Ok(start + i) } else { f.fail(Fault::OutOfBounds(array, i, len)) }
            }),
        ))
    }

    fn load<T: Prim>(&self, array: Var, index: &Expr) -> Compiled<Code<T>> {
        let (of, place) = self.place(array, index)?;
        if self.owned[of.0 as usize] {
            return Ok(Box::new(move |f| {
                let i = place(f)?;
                f.own(of, i)?;
                read(f, of, i)
            }));
        }
        Ok(match index {
            // Positions that are variables are everywhere, and this is one closure instead of two.
            Expr::Var(v) if of == array => {
                let v = v.0 as usize;
                Box::new(move |f| {
                    let i = f.scalars[v] as usize;
                    read(f, array, i)
                })
            }
            _ => Box::new(move |f| {
                let i = place(f)?;
                read(f, of, i)
            }),
        })
    }

    /// Code for an expression that is a store.
    pub fn store(&self, expr: &Expr) -> Compiled<Code<Arc<Store>>> {
        Ok(match expr {
            Expr::Var(v) => {
                let (slot, v) = (v.0 as usize, *v);
                Box::new(move |f| match &f.stores[slot] {
                    Some(store) => Ok(store.clone()),
                    None => f.fail(Fault::CursorAtEnd(v)),
                })
            }
            Expr::Load(a, i) => {
                let (a, i, owned) = (*a, self.usize(i)?, self.owned[a.0 as usize]);
                Box::new(move |f| {
                    let i = i(f)?;
                    if owned {
                        f.own(a, i)?;
                    }
                    let array = &f.arrays[a.0 as usize];
                    let len = array.len();
                    match array {
                        Array::Stores(stores) if i < len => Ok(stores[i].clone()),
                        _ => f.fail(Fault::OutOfBounds(a, i, len)),
                    }
                })
            }
            Expr::CursorValue(c) => {
                let (slot, c) = (c.0 as usize, *c);
                Box::new(move |f| {
                    let store = match &f.cursors[slot] {
                        Some(Cursor { store, at }) => store_at(store, *at),
                        None => None,
                    };
                    match store {
                        Some(store) => Ok(store),
                        None => f.fail(Fault::CursorAtEnd(c)),
                    }
                })
            }
            Expr::Build { store, coords, values, lo, hi } => {
                let (lo, hi) = (self.usize(lo)?, self.usize(hi)?);
                let (coords, values, coord) = (*coords, *values, store.coord);
                Box::new(move |f| {
                    let (lo, hi) = (lo(f)?, hi(f)?);
                    let hi = hi.max(lo);
                    f.tick((hi - lo) as u64)?;
                    f.charge(coords, 2 * (hi - lo))?;
                    for array in [Some(coords), values].into_iter().flatten() {
                        let len = f.arrays[array.0 as usize].len();
                        if hi > len {
                            return f.fail(Fault::OutOfBounds(array, hi - 1, len));
                        }
                    }
                    let coords = with_scalar!(coord, T => {
                        T::slice(&f.arrays[coords.0 as usize])[lo..hi]
                            .iter()
                            .map(|c| usize::from_wide(c.wide()))
                            .collect::<Vec<usize>>()
                    });
                    let values = values.map(|v| slice_of(&f.arrays[v.0 as usize], lo, hi));
                    let ordered = coords.is_sorted();
                    Ok(Arc::new(Store { coords, values, ordered }))
                })
            }
            _ => return Err(self.unexpected(expr, "a store")),
        })
    }
}

/// Whether a cursor is at an entry.
fn cursor_valid(cursor: Var) -> Code<bool> {
    let slot = cursor.0 as usize;
    Box::new(move |f| Ok(f.cursors[slot].as_ref().is_some_and(|c| c.at < c.store.coords.len())))
}

/// The coordinate that a cursor is at.
fn cursor_coord(cursor: Var) -> Code<usize> {
    let slot = cursor.0 as usize;
    Box::new(move |f| match f.cursors[slot].as_ref().and_then(|c| c.store.coords.get(c.at)) {
        Some(&coord) => Ok(coord),
        None => f.fail(Fault::CursorAtEnd(cursor)),
    })
}

/// The scalar that a cursor is at.
fn cursor_value<T: Prim>(cursor: Var) -> Code<T> {
    let slot = cursor.0 as usize;
    Box::new(move |f| match f.cursors[slot].as_ref().and_then(|c| value_at(&c.store, c.at)) {
        Some(value) => Ok(value),
        None => f.fail(Fault::CursorAtEnd(cursor)),
    })
}

#[inline]
fn read<T: Prim>(f: &mut Frame, array: Var, i: usize) -> Result<T, super::frame::Stop> {
    let elements = T::slice(&f.arrays[array.0 as usize]);
    match elements.get(i) {
        Some(&x) => Ok(x),
        None => {
            let len = elements.len();
            f.fail(Fault::OutOfBounds(array, i, len))
        }
    }
}

/// The value of entry `at`, where the store holds scalars.
pub(super) fn value_at<T: Prim>(store: &Store, at: usize) -> Option<T> {
    T::slice(store.values.as_ref()?).get(at).copied()
}

/// The value of entry `at`, where the store holds stores.
pub(super) fn store_at(store: &Store, at: usize) -> Option<Arc<Store>> {
    match store.values.as_ref()? {
        Array::Stores(stores) => stores.get(at).cloned(),
        _ => None,
    }
}

fn slice_of(array: &Array, lo: usize, hi: usize) -> Array {
    match array {
        Array::Stores(stores) => Array::Stores(stores[lo..hi].to_vec()),
        other => with_scalar!(other.scalar().unwrap_or(Scalar::Bool), T => {
            T::new_array(T::slice(other)[lo..hi].to_vec())
        }),
    }
}
