//! Expressions to tokens. Parentheses are put where Rust's precedence asks for them and nowhere else.

use proc_macro2::{Delimiter, Group, Ident, Literal as Token, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::literal::{is_negative, number, scalar_type};
use super::{EmitError, Emitter, bracketed, joined};
use crate::ir::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::kernel::Var;
use crate::ir::types::{Scalar, Type};

/// How tightly an expression binds; larger binds tighter. Statements and arguments ask for [`ANY`].
pub(super) const ANY: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const COMPARE: u8 = 3;
const BIT_OR: u8 = 4;
const XOR: u8 = 5;
const BIT_AND: u8 = 6;
const SHIFT: u8 = 7;
const SUM: u8 = 8;
const PRODUCT: u8 = 9;
const CAST: u8 = 10;
const UNARY: u8 = 11;
/// The receiver of a method.
pub(super) const RECEIVER: u8 = 12;

/// Whether tokens begin with a mark.
fn begins_with(tokens: &TokenStream, mark: char) -> bool {
    matches!(tokens.clone().into_iter().next(), Some(TokenTree::Punct(first)) if first.as_char() == mark)
}

/// Whether tokens are `*place`.
pub(super) fn is_dereference(tokens: &TokenStream) -> bool {
    begins_with(tokens, '*')
}

/// Tokens and how tightly they bind.
struct Piece(TokenStream, u8);

type Emitted<T> = Result<T, EmitError>;

impl Emitter<'_> {
    /// An expression for a place that asks for binding at least as tight as `outer`.
    pub(super) fn expr(&self, expr: &Expr, outer: u8) -> Emitted<TokenStream> {
        let Piece(tokens, own) = self.piece(expr)?;
        Ok(if own < outer { Group::new(Delimiter::Parenthesis, tokens).into_token_stream() } else { tokens })
    }

    /// A variable, or where it is found: the extents of rows are asked of them, and elements that are written are reached through their names.
    fn variable(&self, v: Var) -> Piece {
        if let Some((stood_for, tokens)) = &*self.stand_in.borrow()
            && *stood_for == v
        {
            return Piece(tokens.clone(), RECEIVER);
        }
        let name = self.ident(v);
        match self.extent_of_rows(v) {
            Some(tokens) => Piece(tokens, RECEIVER),
            None if self.places.contains(&v) => Piece(quote!(*#name), UNARY),
            None => Piece(quote!(#name), RECEIVER),
        }
    }

    pub(super) fn any(&self, expr: &Expr) -> Emitted<TokenStream> {
        self.expr(expr, ANY)
    }

    pub(super) fn scalar_of(&self, expr: &Expr) -> Scalar {
        match expr.type_in(&self.kernel.vars) {
            Some(Type::Scalar(s)) => s,
            // The kernel has been checked: everything else is a store, and has no operators.
            _ => Scalar::Usize,
        }
    }

    /// The left side of a method call: literals say their type there, because Rust looks for the method before it infers.
    pub(super) fn receiver(&self, expr: &Expr) -> Emitted<TokenStream> {
        self.with_suffixes(true, || self.expr(expr, RECEIVER))
    }

    /// Emits with literals that say their type, or without.
    pub(super) fn with_suffixes<T>(&self, suffixes: bool, emit: impl FnOnce() -> T) -> T {
        let before = self.suffixes.replace(suffixes);
        let result = emit();
        self.suffixes.set(before);
        result
    }

    fn method(&self, receiver: &Expr, name: &str, args: &[&Expr]) -> Emitted<Piece> {
        let receiver = self.receiver(receiver)?;
        let name = Ident::new(name, Span::call_site());
        let args = self.with_suffixes(false, || args.iter().map(|a| self.any(a)).collect::<Emitted<Vec<_>>>())?;
        Ok(Piece(quote!(#receiver.#name(#(#args),*)), RECEIVER))
    }

    fn piece(&self, expr: &Expr) -> Emitted<Piece> {
        Ok(match expr {
            Expr::Literal(l) => Piece(number(*l, self.suffixes.get()), if is_negative(*l) { UNARY } else { RECEIVER }),
            Expr::Var(v) => self.variable(*v),
            Expr::Load(array, at) => self.load(expr, *array, at)?,
            Expr::Len(a) => {
                let a = self.ident(*a);
                Piece(quote!(#a.len()), RECEIVER)
            }
            Expr::Seek { array, from, to, coord } => {
                let (seek, array) = (self.import("seek"), self.borrowed(*array));
                let (from, to, coord) = (self.any(from)?, self.any(to)?, self.any(coord)?);
                Piece(quote!(#seek(#array, #from, #to, #coord)), RECEIVER)
            }
            Expr::Unary(op, x) => self.unary(*op, x)?,
            Expr::Binary(op, x, y) => self.binary(*op, x, y)?,
            Expr::Select(c, x, y) => {
                let (c, x, y) = (self.any(c)?, self.any(x)?, self.any(y)?);
                Piece(quote!(if #c { #x } else { #y }), ANY)
            }
            Expr::Cast(to, x) => self.cast(*to, x)?,
            Expr::Call(function, args, _) => {
                let name = self.kernel.function(*function).map_or("", |foreign| &foreign.from[..]);
                let path: syn::Path = syn::parse_str(name).map_err(|e| EmitError::Syntax(format!("`{name}`: {e}")))?;
                let args = args.iter().map(|a| self.typed(a)).collect::<Emitted<Vec<_>>>()?;
                Piece(quote!(#path(#(#args),*)), RECEIVER)
            }
            Expr::CursorValid(c) => {
                let c = self.ident(*c);
                Piece(quote!(#c.coord().is_some()), RECEIVER)
            }
            Expr::CursorCoord(c) => {
                let c = self.ident(*c);
                Piece(quote!(#c.coord().map_or(usize::MAX, |c| c as usize)), RECEIVER)
            }
            Expr::CursorValue(cursor) => self.cursor_value(expr, *cursor),
            Expr::Tasks(work) => {
                let (tasks, work) = (self.import("tasks"), self.any(work)?);
                Piece(quote!(#tasks(#work)), RECEIVER)
            }
            Expr::Build { coords, values, lo, hi, .. } => self.build(*coords, *values, lo, hi)?,
        })
    }

    /// `array[at]`, or how the element is named or reached where it is not read from a slice.
    fn load(&self, load: &Expr, array: Var, at: &Expr) -> Emitted<Piece> {
        let (name, at) = (self.ident(array), self.with_suffixes(false, || self.any(at))?);
        let tokens = if self.shared.borrow().contains(&array) {
            quote!(#name.get(#at))
        } else if let Some(Type::Scalar(_)) = load.type_in(&self.kernel.vars) {
            let at = bracketed(at);
            quote!(#name #at)
        } else if self.is_made(array) {
            // An array of stores is an outer level, which has rows.
            let runtime = &self.runtime;
            quote!(#runtime::Store::fiber(&#name[#at]))
        } else {
            self.found_row(array, at)
        };
        Ok(Piece(tokens, RECEIVER))
    }

    /// The value at a cursor: a number, a row, or the fiber of an entry that is a store itself.
    fn cursor_value(&self, value: &Expr, cursor: Var) -> Piece {
        let name = self.ident(cursor);
        if let Some(Type::Scalar(_)) = value.type_in(&self.kernel.vars) {
            Piece(quote!(*#name.value()), UNARY)
        } else if self.is_row_cursor(cursor) {
            Piece(quote!(#name.value()), RECEIVER)
        } else {
            let runtime = &self.runtime;
            Piece(quote!(#runtime::Store::fiber(#name.value())), RECEIVER)
        }
    }

    /// A store that is built from a part of arrays: of coordinates and values, or of coordinates alone for a pattern.
    fn build(&self, coords: Var, values: Option<Var>, lo: &Expr, hi: &Expr) -> Emitted<Piece> {
        let (coords, lo, hi) = (self.ident(coords), self.bound(lo)?, self.bound(hi)?);
        let tokens = match values {
            Some(values) => {
                let stores = self.kernel.vars[values].ty.array_scalar().is_none();
                let values = self.ident(values);
                let build = self.import(if stores { "build_of_stores" } else { "build" });
                quote!(#build(&#coords[#lo..#hi], &#values[#lo..#hi]))
            }
            None => {
                let build = self.import("build_pattern");
                quote!(#build(&#coords[#lo..#hi]))
            }
        };
        Ok(Piece(tokens, RECEIVER))
    }

    fn unary(&self, op: UnaryOp, x: &Expr) -> Emitted<Piece> {
        let float = self.scalar_of(x).is_float();
        match op {
            UnaryOp::Abs if float => self.method(x, "abs", &[]),
            UnaryOp::Abs => self.method(x, "wrapping_abs", &[]),
            UnaryOp::Sqrt => self.method(x, "sqrt", &[]),
            UnaryOp::Not => {
                let x = self.expr(x, UNARY)?;
                Ok(Piece(quote!(!#x), UNARY))
            }
        }
    }

    /// An expression whose type can be read off it, for places that give no hint.
    pub(super) fn typed(&self, expr: &Expr) -> Emitted<TokenStream> {
        fn says(expr: &Expr) -> bool {
            match expr {
                Expr::Literal(_) => false,
                Expr::Unary(_, x) => says(x),
                Expr::Binary(op, x, y) => op.is_comparison() || says(x) || says(y),
                Expr::Select(_, x, y) => says(x) || says(y),
                Expr::Cast(_, x) => says(x),
                _ => true,
            }
        }
        // Floats are `f64` unless something says otherwise; integers would be `i32`.
        let default = self.scalar_of(expr) == Scalar::F64 && !matches!(expr, Expr::Cast(..));
        self.with_suffixes(!default && !says(expr), || self.any(expr))
    }

    fn infix(&self, symbol: TokenStream, own: u8, x: &Expr, y: &Expr) -> Emitted<Piece> {
        // Comparisons do not associate. `a as usize < b` and `<<` would read as the start of generic arguments.
        let left = if own == COMPARE { COMPARE + 1 } else { own };
        let x_tokens = self.expr(x, left)?;
        let ends_in_cast = matches!(self.last_operand(x), Expr::Cast(..));
        let opens = begins_with(&symbol, '<');
        let x = if opens && ends_in_cast { quote!((#x_tokens)) } else { x_tokens };
        let y = self.expr(y, own + 1)?;
        Ok(Piece(joined([x, symbol, y]), own))
    }

    /// The operand that stands last in an expression's tokens.
    fn last_operand<'e>(&self, expr: &'e Expr) -> &'e Expr {
        match expr {
            Expr::Binary(op, _, y) if !matches!(op, BinaryOp::Min | BinaryOp::Max) => self.last_operand(y),
            Expr::Unary(UnaryOp::Not, x) => self.last_operand(x),
            _ => expr,
        }
    }

    fn binary(&self, op: BinaryOp, x: &Expr, y: &Expr) -> Emitted<Piece> {
        use BinaryOp::*;
        let scalar = self.scalar_of(x);
        let float = scalar.is_float();
        let plain = float || scalar == Scalar::Usize;
        let positive = |expr: &Expr| matches!(expr, Expr::Literal(l) if l.bits() != 0 && !is_negative(*l));
        let nonzero = positive(y) || matches!(y, Expr::Binary(Max, a, b) if positive(a) || positive(b));
        match op {
            Add if plain => self.infix(quote!(+), SUM, x, y),
            Sub if plain => self.infix(quote!(-), SUM, x, y),
            Mul if plain => self.infix(quote!(*), PRODUCT, x, y),
            Add => self.method(x, "wrapping_add", &[y]),
            Sub => self.method(x, "wrapping_sub", &[y]),
            Mul => self.method(x, "wrapping_mul", &[y]),
            Div if float || nonzero => self.infix(quote!(/), PRODUCT, x, y),
            Rem if float || nonzero => self.infix(quote!(%), PRODUCT, x, y),
            Div => {
                let Piece(tokens, _) = self.method(x, "checked_div", &[y])?;
                Ok(Piece(quote!(#tokens.unwrap_or(0)), RECEIVER))
            }
            Rem => {
                let Piece(tokens, _) = self.method(x, "checked_rem", &[y])?;
                Ok(Piece(quote!(#tokens.unwrap_or(0)), RECEIVER))
            }
            Min | Max if float => {
                let function = self.import(if op == Min { "minimum" } else { "maximum" });
                let (x, y) = (self.any(x)?, self.any(y)?);
                Ok(Piece(quote!(#function(#x, #y)), RECEIVER))
            }
            Min => self.method(x, "min", &[y]),
            Max => self.method(x, "max", &[y]),
            And if scalar == Scalar::Bool => self.infix(quote!(&&), AND, x, y),
            Or if scalar == Scalar::Bool => self.infix(quote!(||), OR, x, y),
            And => self.infix(quote!(&), BIT_AND, x, y),
            Or => self.infix(quote!(|), BIT_OR, x, y),
            Xor => self.infix(quote!(^), XOR, x, y),
            Shl | Shr => self.shift(op, x, y, scalar),
            Eq => self.infix(quote!(==), COMPARE, x, y),
            Ne => self.infix(quote!(!=), COMPARE, x, y),
            Lt => self.infix(quote!(<), COMPARE, x, y),
            Le => self.infix(quote!(<=), COMPARE, x, y),
            Gt => self.infix(quote!(>), COMPARE, x, y),
            Ge => self.infix(quote!(>=), COMPARE, x, y),
        }
    }

    fn shift(&self, op: BinaryOp, x: &Expr, y: &Expr, scalar: Scalar) -> Emitted<Piece> {
        let width = match scalar {
            Scalar::I32 | Scalar::U32 => 32,
            Scalar::I64 | Scalar::U64 => 64,
            _ => usize::BITS as u64,
        };
        if let Expr::Literal(l) = y
            && l.bits() < width.min(usize::BITS as u64)
        {
            let symbol = if op == BinaryOp::Shl { quote!(<<) } else { quote!(>>) };
            return self.infix(symbol, SHIFT, x, y);
        }
        let (value, by) = (self.receiver(x)?, self.typed(y)?);
        let method = Ident::new(if op == BinaryOp::Shl { "checked_shl" } else { "checked_shr" }, Span::call_site());
        let gone = if op == BinaryOp::Shr && scalar.is_signed() {
            let last = Token::u64_unsuffixed(width - 1);
            quote!(#value >> #last)
        } else {
            quote!(0)
        };
        Ok(Piece(quote!(u32::try_from(#by).ok().and_then(|by| #value.#method(by)).unwrap_or(#gone)), RECEIVER))
    }

    fn cast(&self, to: Scalar, x: &Expr) -> Emitted<Piece> {
        let from = self.scalar_of(x);
        if from == to {
            return self.piece(x);
        }
        let ty = scalar_type(to);
        Ok(match (from, to) {
            (_, Scalar::Bool) => {
                let zero = number(from.zero(), false);
                let x = self.expr(x, COMPARE + 1)?;
                Piece(quote!(#x != #zero), COMPARE)
            }
            (Scalar::Bool, to) if to.is_float() => {
                let x = self.any(x)?;
                Piece(quote!(#ty::from(u8::from(#x))), RECEIVER)
            }
            _ => {
                // A literal must not take the target's type.
                let x = self.with_suffixes(true, || self.expr(x, CAST))?;
                Piece(joined([x, quote!(as #ty)]), CAST)
            }
        })
    }
}
