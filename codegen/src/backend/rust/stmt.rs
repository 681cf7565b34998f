//! Statements to tokens.

use proc_macro2::{Literal as Token, TokenStream};
use quote::{ToTokens, quote};

use super::expr::{ANY, is_dereference};
use super::literal::{scalar_type, suffixed};
use super::walk::{Stretch, Walk, along};
use super::{EmitError, Emitter, braced, bracketed, comments, joined};
use crate::ir::expr::{BinaryOp, Expr, after};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Reduce, Stmt, Turn};
use crate::ir::types::{ArrayType, Element, Literal, Scalar, Type};

type Emitted = Result<TokenStream, EmitError>;

/// Keys that Rust compares at once: longer tuples have no order. What is sorted by more is sorted several times.
const MOST_KEYS: usize = 12;

impl Emitter<'_> {
    pub(super) fn stmt(&self, stmt: &Stmt) -> Emitted {
        Ok(match stmt {
            Stmt::Comment(text) if self.comments => comments::marker(text),
            Stmt::Comment(_) => TokenStream::new(),
            Stmt::Let(v, x) => self.declare(*v, self.type_to_read(*v), self.initial(*v, x)?),
            Stmt::NewArray { .. }
            | Stmt::NewUncleared { .. }
            | Stmt::CopyArray { .. }
            | Stmt::NewVec { .. }
            | Stmt::Numbers { .. } => self.new_array(stmt)?,
            Stmt::Slice { slice, array, hi, .. } if self.shared.borrow().contains(array) => {
                // All of it that a task may touch, of a length that is known.
                self.shared.borrow_mut().insert(*slice);
                let (slice, array, len) = (self.ident(*slice), self.ident(*array), self.any(hi)?);
                quote!(let #slice = #array.first(#len);)
            }
            Stmt::Slice { slice, array, lo, hi, written } => {
                let (slice, part) = (self.ident(*slice), self.part(*array, lo, hi)?);
                let borrow = if *written { quote!(&mut) } else { quote!(&) };
                quote!(let #slice = #borrow #part;)
            }
            Stmt::NewLocal { var, len } => self.new_local(*var, *len)?,
            Stmt::CopyPart { array, at, from, first, len } => {
                let (to, from) =
                    (self.part(*array, at, &after(at, *len))?, self.part(*from, first, &after(first, *len))?);
                quote!(#to.copy_from_slice(&#from);)
            }
            Stmt::Assign(v, x) => self.assign(*v, x)?,
            Stmt::Update(v, op, x) => self.fold(self.target(*v), *op, x)?,
            Stmt::Store(array, at, x) => self.store(*array, at, x)?,
            Stmt::StoreUpdate(array, at, op, x) => self.store_update(*array, at, *op, x)?,
            Stmt::Push(..) | Stmt::Resize { .. } | Stmt::Fill { .. } => self.fill_array(stmt)?,
            Stmt::For { .. } => self.for_loop(stmt)?,
            // A loop emits what it goes along.
            Stmt::Along { body, .. } => self.block(&body.0)?,
            Stmt::Gather { .. } => self.gathered(stmt)?,
            Stmt::FindRows { finder, matrix } => {
                let (finder, matrix) = (self.ident(*finder), self.ident(*matrix));
                quote!(let #finder = #matrix.finder();)
            }
            Stmt::While(condition, body) => {
                let (condition, body) = (self.any(condition)?, braced(self.block(&body.0)?));
                quote!(while #condition #body)
            }
            Stmt::If { arms, otherwise } => self.branches(arms, otherwise)?,
            Stmt::Break => quote!(break;),
            Stmt::Parallel { .. } => self.parallel(stmt)?,
            Stmt::Sort { array, lo, hi, keys } => self.sort(*array, lo, hi, keys)?,
            Stmt::PrefixSum(a) => {
                let (a, prefix_sum) = (self.exclusive(*a), self.import("prefix_sum"));
                quote!(#prefix_sum(#a);)
            }
            Stmt::TaskCounts { array, tasks, parents, turn } => self.task_counts(*array, tasks, parents, turn)?,
            Stmt::OpenCursor { .. }
            | Stmt::Advance(_)
            | Stmt::Rest { .. }
            | Stmt::ForEntries { .. }
            | Stmt::Locate { .. } => self.store_stmt(stmt)?,
        })
    }

    /// The declaration of an array.
    fn new_array(&self, stmt: &Stmt) -> Emitted {
        Ok(match stmt {
            Stmt::NewArray { var, len, fill } => {
                let (fill, len) = (self.initial(*var, fill)?, self.any(len)?);
                self.declare(*var, None, quote!(vec![#fill; #len]))
            }
            Stmt::NewUncleared { var, len } => {
                self.uncleared.borrow_mut().insert(*var, len.clone());
                let ty = self.array_type(*var);
                self.declare(*var, Some(quote!(Vec<#ty>)), quote!(Vec::new()))
            }
            Stmt::CopyArray { var, from, len } => {
                let (copied, from, len) = (self.import("copied"), self.ident(*from), self.bound(len)?);
                self.declare(*var, None, quote!(#copied(&#from[..#len])))
            }
            Stmt::NewVec { var, capacity } => {
                let ty = self.array_type(*var);
                let new = match capacity {
                    Some(capacity) => {
                        let capacity = self.any(capacity)?;
                        quote!(Vec::with_capacity(#capacity))
                    }
                    None => quote!(Vec::new()),
                };
                self.declare(*var, Some(quote!(Vec<#ty>)), new)
            }
            Stmt::Numbers { var, len } => {
                let (ty, len) = (self.array_type(*var), self.bound(len)?);
                self.declare(*var, Some(quote!(Vec<#ty>)), quote!((0..#len).collect()))
            }
            _ => TokenStream::new(),
        })
    }

    /// `let mut v = [0.0; 6];`
    fn new_local(&self, var: Var, len: usize) -> Emitted {
        let zero = self.kernel.vars[var].ty.array_scalar().unwrap_or(Scalar::F64).zero();
        let (zero, len) = (self.initial(var, &zero.into())?, Token::usize_unsuffixed(len));
        Ok(self.declare(var, None, quote!([#zero; #len])))
    }

    /// `v = x;`, or `v += y;` where the value is `v + y` and neither wraps.
    fn assign(&self, v: Var, value: &Expr) -> Emitted {
        let target = self.target(v);
        if let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), x, y) = value
            && **x == Expr::Var(v)
            && (self.scalar_of(x).is_float() || self.scalar_of(x) == Scalar::Usize)
        {
            let y = self.any(y)?;
            return Ok(match op {
                BinaryOp::Add => quote!(#target += #y;),
                BinaryOp::Sub => quote!(#target -= #y;),
                _ => quote!(#target *= #y;),
            });
        }
        let value = self.any(value)?;
        Ok(joined([quote!(#target =), value, quote!(;)]))
    }

    /// A variable to write to: an element that has a name is reached through it.
    fn target(&self, v: Var) -> TokenStream {
        let name = self.ident(v);
        if self.places.contains(&v) { quote!(*#name) } else { quote!(#name) }
    }

    /// `array[at] = value;`
    fn store(&self, array: Var, at: &Expr, value: &Expr) -> Emitted {
        if self.shared.borrow().contains(&array) {
            return self.store_shared(array, at, value);
        }
        let (before, place) = self.place(array, at)?;
        let value = self.any(value)?;
        Ok(joined([before, place, quote!(=), value, quote!(;)]))
    }

    /// `array[at] op= value;`
    fn store_update(&self, array: Var, at: &Expr, op: Reduce, value: &Expr) -> Emitted {
        if self.shared.borrow().contains(&array) {
            let new = Expr::Load(array, Box::new(at.clone())).binary(op.binary(), value.clone());
            return self.store_shared(array, at, &new);
        }
        let (before, place) = self.place(array, at)?;
        let fold = self.fold(place, op, value)?;
        Ok(quote!(#before #fold))
    }

    /// The same for an array that is shared as atomics.
    fn store_shared(&self, array: Var, at: &Expr, value: &Expr) -> Emitted {
        let (array, at, value) = (self.ident(array), self.any(at)?, self.any(value)?);
        Ok(quote!(#array.set(#at, #value);))
    }

    /// What appends to an array, changes its length, or writes one value to a part of it.
    fn fill_array(&self, stmt: &Stmt) -> Emitted {
        Ok(match stmt {
            Stmt::Push(a, x) => {
                let (a, x) = (self.ident(*a), self.any(x)?);
                quote!(#a.push(#x);)
            }
            Stmt::Resize { array, len: Expr::Literal(Literal::Usize(0)), .. } => {
                let a = self.ident(*array);
                quote!(#a.clear();)
            }
            Stmt::Resize { array, len, fill } => {
                let (a, len, fill) = (self.ident(*array), self.any(len)?, self.any(fill)?);
                quote!(#a.resize(#len, #fill);)
            }
            Stmt::Fill { array, lo, hi, value } => {
                let (part, value) = (self.part(*array, lo, hi)?, self.any(value)?);
                quote!(#part.fill(#value);)
            }
            _ => TokenStream::new(),
        })
    }

    /// Sorts a part of an array: by its values, or by the keys at these positions.
    fn sort(&self, array: Var, lo: &Expr, hi: &Expr, keys: &[Var]) -> Emitted {
        let part = self.part(array, lo, hi)?;
        if keys.is_empty() {
            return Ok(quote!(#part.sort_unstable();));
        }
        // Each sort is stable: the last one decides first.
        let sorts = keys.chunks(MOST_KEYS).rev().map(|keys| {
            let keys: Vec<_> = keys.iter().map(|key| self.ident(*key)).collect();
            match &keys[..] {
                [key] => quote!(#part.sort_by_key(|&p| #key[p]);),
                _ => quote!(#part.sort_by_key(|&p| (#(#keys[p]),*));),
            }
        });
        Ok(sorts.collect())
    }

    /// Turns what tasks have counted into where each of them begins.
    fn task_counts(&self, array: Var, tasks: &Expr, parents: &Expr, turn: &Turn) -> Emitted {
        let (a, tasks, parents) = (self.ident(array), self.any(tasks)?, self.any(parents)?);
        Ok(match turn {
            Turn::Starts(total) => {
                let starts = self.import("starts");
                self.declare(*total, None, quote!(#starts(&mut #a[1..], #tasks, #parents)))
            }
            Turn::StartsWithin(most) => {
                let starts = self.import("starts_within");
                self.declare(*most, None, quote!(#starts(&mut #a, #tasks, #parents)))
            }
            Turn::Bounds => {
                let bounds = self.import("bounds");
                quote!(#bounds(&mut #a, #tasks, #parents);)
            }
        })
    }

    fn for_loop(&self, stmt: &Stmt) -> Emitted {
        let Stmt::For { var, lo, hi, body } = stmt else { return Ok(TokenStream::new()) };
        let (walked, body) = along(body);
        if !walked.is_empty() {
            let stretch = Stretch::Bounds(lo, hi);
            return self.walk(&Walk { p: *var, stretch, walked, before: TokenStream::new(), body });
        }
        let literals = matches!((lo, hi), (Expr::Literal(_), Expr::Literal(_)));
        let (v, lo) = (self.binding(*var), self.bound(lo)?);
        // A number whose method is called must have a type.
        let hi = self.with_suffixes(literals && is_receiver(*var, body), || self.bound(hi))?;
        let body = braced(self.block(&body.0)?);
        Ok(quote!(for #v in #lo..#hi #body))
    }

    /// What a variable, or each element of an array, starts from: a literal says its type where methods are called on it, because
    /// Rust looks for a method before it infers.
    fn initial(&self, v: Var, value: &Expr) -> Emitted {
        match value {
            Expr::Literal(literal @ (Literal::F32(_) | Literal::F64(_))) if self.receivers.contains(&v) => {
                Ok(suffixed(*literal))
            }
            _ => self.typed(value),
        }
    }

    /// `let (mut) v(: ty) = value;`
    pub(super) fn declare(&self, v: Var, ty: Option<TokenStream>, value: TokenStream) -> TokenStream {
        let name = self.binding(v);
        let mutable = self.changes(v).then(|| quote!(mut));
        let ty = ty.map(|ty| quote!(: #ty));
        joined([quote!(let #mutable #name #ty =), value, quote!(;)])
    }

    /// The end of a range: an operand that `..` does not tear apart.
    pub(super) fn bound(&self, expr: &Expr) -> Emitted {
        // Everything that binds tighter than `..`, which is everything but `if`.
        self.expr(expr, ANY + 1)
    }

    /// An element as a place to write to, and what must come before it: a position that is read from the same array.
    fn place(&self, array: Var, index: &Expr) -> Result<(TokenStream, TokenStream), EmitError> {
        let (a, i) = (self.ident(array), self.any(index)?);
        Ok(if index.mentions(array) {
            (quote!(let at = #i;), quote!(#a[at]))
        } else {
            let i = bracketed(i);
            (TokenStream::new(), quote!(#a #i))
        })
    }

    /// `array[lo..hi]`, or the array itself where that is all of it.
    pub(super) fn part(&self, array: Var, lo: &Expr, hi: &Expr) -> Emitted {
        let a = self.ident(array);
        if *lo == Expr::Literal(Literal::Usize(0)) && *hi == Expr::Len(array) {
            return Ok(quote!(#a));
        }
        let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
        Ok(quote!(#a[#lo..#hi]))
    }

    /// An array as an exclusive borrow: parameters are one already.
    pub(super) fn exclusive(&self, array: Var) -> TokenStream {
        let a = self.ident(array);
        if self.is_param(array) { quote!(#a) } else { quote!(&mut #a) }
    }

    pub(super) fn is_param(&self, v: Var) -> bool {
        self.kernel.is_param(v)
    }

    /// The Rust type of an array's elements.
    pub(super) fn array_type(&self, array: Var) -> TokenStream {
        match &self.kernel.vars[array].ty {
            Type::Array(ArrayType { element: Element::Scalar(s), .. }) => scalar_type(*s),
            _ => quote!(_),
        }
    }

    /// `target op= value;`
    fn fold(&self, target: TokenStream, op: Reduce, value: &Expr) -> Emitted {
        let scalar = self.scalar_of(value);
        // `a && b` asks for operands that bind tighter than itself.
        let value = if matches!(op, Reduce::And | Reduce::Or) { self.expr(value, 4)? } else { self.any(value)? };
        Ok(self.folded(target, op, scalar, value))
    }

    fn branches(&self, arms: &[(Expr, Block)], otherwise: &Block) -> Emitted {
        let mut chain = if otherwise.is_empty() {
            None
        } else {
            let body = self.block(&otherwise.0)?;
            Some(match &otherwise.0[..] {
                // `else { if … }` is `else if …`.
                [Stmt::If { .. }] => body,
                _ => braced(body).into_token_stream(),
            })
        };
        for (condition, body) in arms.iter().rev() {
            let (condition, body) = (self.any(condition)?, braced(self.block(&body.0)?));
            let arm = quote!(if #condition #body);
            chain = Some(match chain {
                Some(rest) => joined([arm, quote!(else), rest]),
                None => arm,
            });
        }
        Ok(chain.unwrap_or_default())
    }

    /// `target op= value;` for a value that has been emitted.
    pub(super) fn folded(&self, target: TokenStream, op: Reduce, scalar: Scalar, value: TokenStream) -> TokenStream {
        let plain = scalar.is_float() || scalar == Scalar::Usize;
        match op {
            Reduce::Add if plain => joined([target, quote!(+=), value, quote!(;)]),
            Reduce::Mul if plain => joined([target, quote!(*=), value, quote!(;)]),
            Reduce::And if scalar != Scalar::Bool => quote!(#target &= #value;),
            Reduce::Or if scalar != Scalar::Bool => quote!(#target |= #value;),
            op => {
                // A dereference is no receiver.
                let dereference = !scalar.is_float() && is_dereference(&target);
                let left = if dereference { quote!((#target)) } else { target.clone() };
                let new = self.two(op, scalar, left, value);
                quote!(#target = #new;)
            }
        }
    }

    /// `left op right` for values that have been emitted.
    pub(super) fn two(&self, op: Reduce, scalar: Scalar, left: TokenStream, right: TokenStream) -> TokenStream {
        let plain = scalar.is_float() || scalar == Scalar::Usize;
        let boolean = scalar == Scalar::Bool;
        match op {
            Reduce::Add if plain => quote!(#left + #right),
            Reduce::Mul if plain => quote!(#left * #right),
            Reduce::Add => quote!(#left.wrapping_add(#right)),
            Reduce::Mul => quote!(#left.wrapping_mul(#right)),
            Reduce::Min | Reduce::Max if scalar.is_float() => {
                let function = self.import(if op == Reduce::Min { "minimum" } else { "maximum" });
                quote!(#function(#left, #right))
            }
            Reduce::Min => quote!(#left.min(#right)),
            Reduce::Max => quote!(#left.max(#right)),
            Reduce::And if boolean => quote!(#left && #right),
            Reduce::Or if boolean => quote!(#left || #right),
            Reduce::And => quote!(#left & #right),
            Reduce::Or => quote!(#left | #right),
        }
    }
}

/// Whether a method of a variable is called.
fn is_receiver(var: Var, body: &Block) -> bool {
    let mut found = false;
    body.visit_exprs(&mut |expr| {
        let method = matches!(expr, Expr::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::Min | BinaryOp::Max, x, _)
            if matches!(**x, Expr::Var(receiver) if receiver == var));
        found |= method;
    });
    found
}
