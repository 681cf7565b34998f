//! Loops over positions as iterators over slices.
//!
//! ```text
//!   for p in pos[i]..pos[i + 1] {               let span = pos[i]..pos[i + 1];
//!     let j = crd[p] as usize                   for (&j, &a_ij) in crd[span.clone()].iter().zip(&vals[span]) {
//!     sum += vals[p] * x[j]                         let j = j as usize;
//!   }                                               sum += a_ij * x[j];
//!                                               }
//! ```
//!
//! This holds wherever the loop variable only indexes arrays, each of which the body either reads or writes at that position, or at
//! a distance from it that is the same all along, as in a row of a dense matrix: one bounds check for the whole loop instead of one
//! for each array and element.
//!
//! ```text
//!   for k in 0..x_cols {                        for (y_k, &x_jk) in y[i * x_cols..i * x_cols + x_cols].iter_mut()
//!     y[i * x_cols + k] += a * x[j * x_cols + k]        .zip(&x[j * x_cols..j * x_cols + x_cols]) {
//!   }                                               *y_k += a * x_jk;
//!                                               }
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{EmitError, Emitter};
use crate::ir::expr::{BinaryOp, Expr};
use crate::ir::kernel::{Access, Var};
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::{Literal, Scalar};

/// More arrays than this side by side are no longer pleasant to read.
const MAX_ARRAYS: usize = 4;

/// The positions that a loop visits.
pub(super) enum Stretch<'a> {
    /// From one expression up to another.
    Bounds(&'a Expr, &'a Expr),
    /// The block of iterations that a task was given, which is called `block`.
    Block,
}

/// An array that is walked along.
pub(super) struct Walked {
    pub array: Var,
    /// The position that is read or written: the loop variable, or at a distance from it.
    pub at: Expr,
    /// Whether it is the loop variable itself.
    pub plain: bool,
    pub written: bool,
}

/// An element that is bound by a loop and stands for `array[at]`.
pub(super) struct Bound {
    pub array: Var,
    pub at: Expr,
    pub name: Ident,
    pub written: bool,
}

impl Emitter<'_> {
    /// The loop as an iterator, if it can be one.
    pub(super) fn walk(&self, p: Var, stretch: &Stretch<'_>, body: &Block) -> Result<Option<TokenStream>, EmitError> {
        if let Some(tokens) = self.filled(p, stretch, body)? {
            return Ok(Some(tokens));
        }
        let Some(arrays) = self.walked(p, stretch, body) else { return Ok(None) };
        let depth = self.bound_elements.borrow().len();
        for walked in &arrays {
            let name = self.element_name(walked, p, body);
            let bound = Bound { array: walked.array, at: walked.at.clone(), name, written: walked.written };
            self.bound_elements.borrow_mut().push(bound);
        }

        let whole = arrays.iter().all(|w| w.plain && self.is_whole(w.array, stretch));
        let last = arrays.len() - 1;
        // Bounds that cost something, or are long, are written once.
        let mut before = TokenStream::new();
        let plain = arrays.iter().filter(|w| w.plain).count();
        let (first, middle, end) = match stretch {
            Stretch::Block if plain < 2 && plain == arrays.len() => (quote!(block), quote!(block), quote!(block)),
            Stretch::Block if plain < arrays.len() => {
                (quote!(block.clone()), quote!(block.clone()), quote!(block.clone()))
            }
            Stretch::Block => (quote!(block.clone()), quote!(block.clone()), quote!(block)),
            Stretch::Bounds(lo, hi) => {
                let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
                let simple = |t: &TokenStream| t.clone().into_iter().count() == 1;
                if whole || plain < 2 || (simple(&lo) && simple(&hi)) {
                    (quote!(#lo..#hi), quote!(#lo..#hi), quote!(#lo..#hi))
                } else {
                    before = quote!(let span = #lo..#hi;);
                    (quote!(span.clone()), quote!(span.clone()), quote!(span))
                }
            }
        };
        let mut pattern = TokenStream::new();
        let mut iterator = TokenStream::new();
        let mut left = plain;
        for (k, walked) in arrays.iter().enumerate() {
            let a = self.ident(walked.array);
            let name = self.bound_elements.borrow()[depth + k].name.clone();
            let element = if walked.written { quote!(#name) } else { quote!(&#name) };
            if let Some(row) = self.walked_row(walked, p, stretch) {
                let part = match walked.written {
                    true => quote!(#row.iter_mut()),
                    false if k == 0 && last > 0 => quote!(#row.iter()),
                    false => quote!(#row),
                };
                (pattern, iterator) = match k {
                    0 => (element, part),
                    _ => (quote!((#pattern, #element)), quote!(#iterator.zip(#part))),
                };
                continue;
            }
            let positions = if !walked.plain {
                self.distant(&walked.at, p, stretch)?
            } else {
                left -= 1;
                if left + 1 == plain {
                    first.clone()
                } else if left > 0 {
                    middle.clone()
                } else {
                    end.clone()
                }
            };
            let param = self.is_param(walked.array);
            if self.may_begin_beyond(&walked.at, p) {
                let part = match walked.written {
                    true => quote!(#a.get_mut(#positions).unwrap_or_default()),
                    false => quote!(#a.get(#positions).unwrap_or_default()),
                };
                (pattern, iterator) = match (k, walked.written) {
                    (0, false) if last > 0 => (element, quote!(#part.iter())),
                    (0, true) if last > 0 => (element, quote!(#part.iter_mut())),
                    (0, _) => (element, part),
                    _ => (quote!((#pattern, #element)), quote!(#iterator.zip(#part))),
                };
                continue;
            }
            // The first array is asked for its iterator if there is more than one; the others turn into theirs.
            let part = match (whole, walked.written) {
                // What may be written is only borrowed here.
                (true, false) if k == 0 && last > 0 || self.is_written_param(walked.array) => quote!(#a.iter()),
                (true, false) if param => quote!(#a),
                (true, false) => quote!(&#a),
                (true, true) => quote!(#a.iter_mut()),
                (false, false) if k == 0 && last > 0 => quote!(#a[#positions].iter()),
                (false, true) if k == 0 && last > 0 => quote!(#a[#positions].iter_mut()),
                (false, false) => quote!(&#a[#positions]),
                (false, true) => quote!(&mut #a[#positions]),
            };
            if k == 0 {
                (pattern, iterator) = (element, part);
            } else {
                (pattern, iterator) = (quote!((#pattern, #element)), quote!(#iterator.zip(#part)));
            }
        }
        let body = self.block(&body.0)?;
        self.bound_elements.borrow_mut().truncate(depth);
        Ok(Some(quote!(#before for #pattern in #iterator { #body })))
    }

    /// `y.fill(0.0)`, where a loop does nothing else.
    fn filled(&self, p: Var, stretch: &Stretch<'_>, body: &Block) -> Result<Option<TokenStream>, EmitError> {
        let [Stmt::Store(array, Expr::Var(at), value @ Expr::Literal(_))] = &body.0[..] else { return Ok(None) };
        if *at != p || self.shared.borrow().contains(array) {
            return Ok(None);
        }
        let (a, value) = (self.ident(*array), self.any(value)?);
        Ok(Some(match stretch {
            Stretch::Block => quote!(#a[block].fill(#value);),
            Stretch::Bounds(..) if self.is_whole(*array, stretch) => quote!(#a.fill(#value);),
            Stretch::Bounds(lo, hi) => {
                let (lo, hi) = (self.bound(lo)?, self.bound(hi)?);
                quote!(#a[#lo..#hi].fill(#value);)
            }
        }))
    }

    /// Whether positions may begin beyond the end of their array where there are none of them: `x(2:)` of a shorter `x` is empty.
    fn may_begin_beyond(&self, at: &Expr, p: Var) -> bool {
        let Expr::Binary(BinaryOp::Add, x, y) = at else { return false };
        let offset = match (&**x, &**y) {
            (offset, Expr::Var(v)) | (Expr::Var(v), offset) if *v == p => offset,
            _ => return false,
        };
        match offset {
            Expr::Literal(_) => true,
            Expr::Var(bound) => self.is_param(*bound),
            _ => false,
        }
    }

    /// The positions that `at` runs through while `p` runs through a stretch.
    fn distant(&self, at: &Expr, p: Var, stretch: &Stretch<'_>) -> Result<TokenStream, EmitError> {
        let (lo, hi) = match stretch {
            Stretch::Bounds(lo, hi) => {
                let end = |end: &Expr| {
                    let mut at = at.clone();
                    at.rewrite(&mut |e| {
                        if *e == Expr::Var(p) {
                            *e = end.clone();
                        }
                    });
                    // Nothing is added to where a row begins.
                    at.rewrite(&mut |e| {
                        if let Expr::Binary(BinaryOp::Add, x, y) = e {
                            let zero = Expr::Literal(Literal::Usize(0));
                            if **y == zero {
                                *e = (**x).clone();
                            } else if **x == zero {
                                *e = (**y).clone();
                            }
                        }
                    });
                    self.bound(&at)
                };
                (end(lo)?, end(hi)?)
            }
            Stretch::Block => {
                let end = |end: TokenStream| {
                    self.stand_in.replace(Some((p, end)));
                    let tokens = self.bound(at);
                    self.stand_in.replace(None);
                    tokens
                };
                (end(quote!(block.start))?, end(quote!(block.end))?)
            }
        };
        Ok(quote!(#lo..#hi))
    }

    /// The element `array[index]`, if a loop around has bound it: a value, or a place to write to.
    pub(super) fn element(&self, array: Var, index: &Expr) -> Option<TokenStream> {
        self.bound_elements.borrow().iter().rev().find(|b| b.array == array && b.at == *index).map(|b| {
            let name = &b.name;
            if b.written { quote!(*#name) } else { quote!(#name) }
        })
    }

    /// Whether an element or a row goes by this name.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.bound_elements.borrow().iter().any(|b| b.name == name)
            || self.named.borrow().iter().any(|row| row.name == name)
    }

    fn is_written_param(&self, v: Var) -> bool {
        self.kernel.param_fields().any(|(access, field)| field.var == v && access == Access::Write)
    }

    /// Whether a loop around has bound the element `array[index]` by the name of `v`.
    pub(super) fn is_element(&self, v: Var, array: Var, index: &Expr) -> bool {
        let Expr::Var(p) = index else { return false };
        let bound = self.bound_elements.borrow();
        let element = bound.iter().rev().find(|b| b.array == array && b.at == Expr::Var(*p));
        element.is_some_and(|b| !b.written && b.name == self.names[v] && !self.changes(v))
    }

    /// The arrays that the body walks along, in the order of their first mention; `None` if the loop is no walk.
    pub(super) fn walked(&self, p: Var, stretch: &Stretch<'_>, body: &Block) -> Option<Vec<Walked>> {
        let mut walk = true;
        let mut arrays: Vec<Walked> = Vec::new();
        let mut inside: Vec<Var> = Vec::new();
        // Mentions of arrays at `p`, and mentions of `p` at all.
        let (mut at_p, mut of_p) = (0usize, 0usize);
        let mut note = |array: Var, at: &Expr, written: bool, arrays: &mut Vec<Walked>| {
            if !steps(at, p) {
                return;
            }
            at_p += 1;
            match arrays.iter_mut().find(|w| w.array == array && w.at == *at) {
                Some(walked) => walked.written |= written,
                None => arrays.push(Walked { array, at: at.clone(), plain: *at == Expr::Var(p), written }),
            }
        };
        body.visit(&mut |stmt| {
            inside.extend(stmt.declares());
            match stmt {
                Stmt::Parallel { .. } => walk = false,
                Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) => note(*a, at, true, &mut arrays),
                _ => {}
            }
            for expr in stmt.exprs() {
                expr.visit(&mut |e| match e {
                    Expr::Var(q) if *q == p => of_p += 1,
                    Expr::Load(a, at) => note(*a, at, false, &mut arrays),
                    _ => {}
                });
            }
        });
        if !walk || at_p != of_p || arrays.is_empty() || arrays.len() > MAX_ARRAYS {
            return None;
        }
        for walked in &arrays {
            let scalar = self.kernel.vars[walked.array].ty.array_scalar();
            // `pos[i]..pos[i + 1]` reads better than two names for its ends.
            let ends = scalar == Some(Scalar::Usize) && !walked.plain;
            if scalar.is_none()
                || ends
                || inside.contains(&walked.array)
                || self.shared.borrow().contains(&walked.array)
            {
                return None;
            }
            let apart = if walked.written {
                let bounds = matches!(stretch, Stretch::Bounds(lo, hi) if lo.mentions(walked.array) || hi.mentions(walked.array) && **hi != Expr::Len(walked.array));
                !bounds && !mentioned_elsewhere(walked, body)
            } else {
                !body.changes(walked.array)
            };
            let mut same_distance = true;
            walked.at.visit(&mut |e| {
                same_distance &= match e {
                    Expr::Var(v) => *v == p || !inside.contains(v) && !body.changes(*v),
                    Expr::Load(a, _) | Expr::Len(a) => !body.changes(*a),
                    Expr::Literal(_) | Expr::Binary(..) => true,
                    _ => false,
                }
            });
            if !apart || !same_distance || !walked.plain && !self.is_in_range(walked, p, body) {
                return None;
            }
        }
        Some(arrays)
    }

    /// Whether a row that a loop goes along is sure to lie inside of its array. What only parameters and the loops around say does;
    /// the position of an operand that may have no entry here lies inside where the body touches it, and a body that does so under
    /// a condition may not have come to it.
    fn is_in_range(&self, walked: &Walked, p: Var, body: &Block) -> bool {
        self.is_of_loops(&walked.at, p) || always_touches(walked, body)
    }

    /// Whether a position depends on nothing but parameters and variables of `for` loops.
    pub(super) fn is_of_loops(&self, at: &Expr, p: Var) -> bool {
        let mut of_loops = true;
        at.visit(&mut |e| {
            of_loops &= match e {
                Expr::Var(v) => *v == p || self.is_param(*v) || self.is_counted(*v),
                Expr::Load(..) => false,
                _ => true,
            }
        });
        of_loops
    }

    /// Whether a variable is that of a `for` loop.
    fn is_counted(&self, v: Var) -> bool {
        let mut counted = false;
        self.kernel.body.visit(&mut |stmt| {
            counted |= match stmt {
                Stmt::For { var, .. } | Stmt::Parallel { var, .. } | Stmt::Gather { coord: var, .. } => *var == v,
                _ => false,
            }
        });
        counted
    }

    /// Whether the positions are known to be all of the array's.
    fn is_whole(&self, array: Var, stretch: &Stretch<'_>) -> bool {
        let Stretch::Bounds(lo, hi) = stretch else { return false };
        if **lo != Expr::Literal(Literal::Usize(0)) || self.parts.borrow().contains(&array) {
            return false;
        }
        let own = Expr::Len(array);
        if **hi == own
            || self.lengths.borrow().iter().any(|(v, n)| *v == array && n == *hi)
            || self
                .kernel
                .checks
                .iter()
                .any(|c| (c.left == own && c.right == **hi) || (c.right == own && c.left == **hi))
        {
            return true;
        }
        // The arrays that a tensor keeps for its nonzeros are of one length.
        let Expr::Len(other) = **hi else { return false };
        self.kernel.params.iter().any(|t| [array, other].iter().all(|v| t.fields.iter().any(|f| f.var == *v)))
    }

    /// What to call an element: `j` if the body only makes a coordinate `j` of it, `a_ij` if it is a value of `A(i,j)`, and
    /// otherwise the array's name with the position's.
    fn element_name(&self, walked: &Walked, p: Var, body: &Block) -> Ident {
        let array = walked.array;
        let mut wishes = Vec::new();
        let is_element = |e: &Expr| matches!(e, Expr::Load(a, i) if *a == array && **i == walked.at);
        let mut mentions = 0;
        body.visit_exprs(&mut |e| mentions += usize::from(is_element(e)));
        let converted = body.0.iter().find_map(|stmt| match stmt {
            Stmt::Let(j, Expr::Cast(Scalar::Usize, x)) if is_element(x) => Some(*j),
            Stmt::Let(j, x) if is_element(x) && !self.changes(*j) && !body.changes(array) => Some(*j),
            _ => None,
        });
        if let (Some(j), 1) = (converted, mentions) {
            return Ident::new(&self.names[j], Span::call_site());
        }
        for tensor in self.kernel.params.iter().chain(&self.kernel.results) {
            if let Some(field) = tensor.fields.iter().find(|f| f.var == array)
                && field.name == "vals"
            {
                let modes: String = modes(&tensor.format);
                if !modes.is_empty() {
                    wishes.push(format!("{}_{modes}", tensor.name.to_lowercase()));
                }
            }
        }
        wishes.push(format!("{}_{}", &self.names[array], &self.names[p]));
        let free = |name: &str| {
            !self.kernel.vars.iter().any(|(v, _)| self.names[v] == *name)
                && !self.is_bound(name)
                && syn::parse_str::<Ident>(name).is_ok()
        };
        let mut name = wishes.iter().find(|w| free(w)).cloned().unwrap_or_else(|| wishes[wishes.len() - 1].clone());
        while !free(&name) {
            name.push('_');
        }
        Ident::new(&name, Span::call_site())
    }
}

/// Whether a position is `p`, or always as far from it.
fn steps(at: &Expr, p: Var) -> bool {
    match at {
        Expr::Var(q) => *q == p,
        Expr::Binary(BinaryOp::Add, x, y) => steps(x, p) && !y.mentions(p) || steps(y, p) && !x.mentions(p),
        Expr::Binary(BinaryOp::Sub, x, y) => steps(x, p) && !y.mentions(p),
        _ => false,
    }
}

/// Whether the body reads or writes the array where it is walked along, whatever its conditions are.
fn always_touches(walked: &Walked, body: &Block) -> bool {
    fn reads(e: &Expr, walked: &Walked) -> bool {
        match e {
            Expr::Load(a, at) if *a == walked.array && **at == walked.at => true,
            Expr::Select(condition, _, _) => reads(condition, walked),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, first, _) => reads(first, walked),
            Expr::Load(_, x) | Expr::Unary(_, x) | Expr::Cast(_, x) => reads(x, walked),
            Expr::Binary(_, x, y) => reads(x, walked) || reads(y, walked),
            Expr::Call(_, args, _) => args.iter().any(|x| reads(x, walked)),
            _ => false,
        }
    }
    body.0.iter().any(|stmt| {
        let writes = matches!(stmt, Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) if *a == walked.array && *at == walked.at);
        // Of a branch only the first condition is sure to be evaluated, and nothing of what is in it.
        let exprs = match stmt {
            Stmt::If { .. } => stmt.exprs().into_iter().take(1).collect(),
            _ => stmt.exprs(),
        };
        writes || exprs.into_iter().any(|e| reads(e, walked))
    })
}

/// Whether the body reads or writes the array anywhere but where it is walked along.
fn mentioned_elsewhere(walked: &Walked, body: &Block) -> bool {
    let mut found = false;
    body.visit(&mut |stmt| {
        let here = matches!(stmt, Stmt::Store(a, at, _) | Stmt::StoreUpdate(a, at, _, _) if *a == walked.array && *at == walked.at);
        found |= !here && (stmt.writes().contains(&walked.array) || stmt.own_reads().contains(&walked.array));
    });
    body.visit_exprs(&mut |e| {
        let here = matches!(e, Expr::Load(a, i) if *a == walked.array && **i == walked.at);
        found |= !here && e.own_vars().contains(&walked.array);
    });
    found
}

/// The modes of a format such as `i: dense, j: compressed`, run together: `ij`. Empty where they are no plain names.
fn modes(format: &str) -> String {
    let mut all = String::new();
    for level in format.split(',') {
        let mode = level.split(':').next().unwrap_or_default().trim();
        if mode.len() != 1 || !mode.chars().all(|c| c.is_ascii_lowercase()) {
            return String::new();
        }
        all.push_str(mode);
    }
    all
}
