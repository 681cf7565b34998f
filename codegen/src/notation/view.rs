//! Accesses at other coordinates than index variables: slices, and computed coordinates.
//!
//! ```text
//! A(2:10, j)        slice_1 runs from 0 to 8, and A is accessed at (2 + slice_1, j)
//! x(i in 0:n:2)     the same with a name for the index, n a scalar
//! Q(j - i)          the place in Q follows from i and j; other accesses say how far these run
//! ```
//!
//! In concrete notation such an access reads a *view*: a tensor of its own that shows another one. A slice of a sparse tensor is walked
//! level by level, as the tensor is, and so is one that is shifted by a constant, as `A(i + 1, j)` is. Other computed coordinates are looked
//! up, as all coordinates of dense tensors are: no loop runs over the entries of such a view, and generated code finds out whether a sparse
//! tensor has an entry there.

use super::ast::{self, BinaryOp, ExprKind, Literal, ValueType};
use super::concrete::{Bound, Index, Reduction, Role, Seen, Tensor, TensorId, View};
use super::resolve::Resolver;
use crate::diagnostic::Span;
use crate::format::ast::RemapOp;
use crate::format::{Coordinate, Format, FormatLevel};

impl<'a> Resolver<'a> {
    /// The view that shows `of` at these coordinates, and the indices that the view is accessed with. It is `of` itself if the coordinates
    /// are plain index variables. Equal accesses share a view.
    pub(super) fn seen(
        &mut self,
        of: TensorId,
        coordinates: &'a [ast::Expr],
        span: Span,
    ) -> Option<(TensorId, Vec<Index>)> {
        let tensor = self.kernel.tensor(of).clone();
        if tensor.role == Role::Workspace {
            self.wrong(span, format!("`{}` is a workspace, which is accessed with index variables only", tensor.name));
            return None;
        }
        let mut indices: Vec<Index> = Vec::new();
        let mut seen = Vec::new();
        for coordinate in coordinates {
            seen.push(self.seen_coordinate(coordinate, &mut indices)?);
        }
        let plain = seen.iter().enumerate().all(|(m, seen)| *seen == Seen::Index(m));
        if plain && seen.len() == indices.len() {
            return Some((of, indices));
        }
        let full = tensor.format.as_ref().is_none_or(Format::is_full_in_place);
        let format = tensor.format.clone().and_then(|format| walked(format, &seen, &indices));
        let walked = format.is_some();
        if let Some((_, shown, own)) = &format {
            (seen, indices) = (shown.clone(), own.clone());
        }
        let view = View { of, coordinates: seen };
        let known = self.kernel.views.iter().find(|(_, known)| **known == view).map(|(id, _)| *id);
        let id = known.unwrap_or_else(|| {
            let format = format.map(|(format, ..)| format);
            let role = if walked || full { Role::View } else { Role::LookedUp };
            self.kernel.tensors.push(Tensor { role, rank: indices.len(), format, ..tensor });
            TensorId(self.kernel.tensors.len() - 1)
        });
        // A fill or type that was not declared may be known only now.
        self.kernel.tensors[id.0].fill = self.kernel.tensor(of).fill;
        self.kernel.tensors[id.0].value = self.kernel.tensor(of).value;
        self.kernel.views.insert(id, view);
        Some((id, indices))
    }

    /// As [`Resolver::seen`], for the target of an assignment. It must be dense and have a size, and `=` must not write one place twice.
    pub(super) fn seen_target(
        &mut self,
        of: TensorId,
        assign: &'a ast::Assign,
        coordinates: &'a [ast::Expr],
    ) -> Option<(TensorId, Vec<Index>)> {
        let span = assign.target.span;
        self.check_rank(of, coordinates.len(), span).then_some(())?;
        let (id, indices) = self.seen(of, coordinates, span)?;
        if id == of {
            return Some((id, indices));
        }
        let tensor = self.kernel.tensor(of);
        let (name, format) = (tensor.name.clone(), tensor.format.as_ref().map(ToString::to_string));
        if tensor.role != Role::Param && !self.written.contains(&of) {
            let mistake = self.wrong(span, format!("nothing says how large `{name}` is: only a part is written here"));
            mistake.help.push(format!("pass `{name}` as a parameter, or write all of it first"));
            return None;
        }
        if tensor.format.as_ref().is_some_and(|format| !format.is_dense()) {
            let mistake = self.wrong(span, format!("`{name}` is not dense, and only a part of it is written"));
            mistake.notes.extend(format.map(|format| format!("its format is {format}")));
            mistake.help.push("pass it in a dense format, or compute all of it by one statement".into());
            return None;
        }
        // A semiring adds up over the indices of the right side, and not the values that meet at one place.
        let folds = Reduction::from_assign(assign.op).is_some();
        if let (false, Some(at)) = (folds, coordinates.iter().find(|coordinate| !is_injective(coordinate))) {
            let mistake = self.wrong(at.span, format!("several values may be assigned to one place of `{name}`"));
            mistake.help.push("say how they are folded: `+=`, `min=`, …".into());
            return None;
        }
        Some((id, indices))
    }

    fn seen_coordinate(&mut self, coordinate: &'a ast::Expr, indices: &mut Vec<Index>) -> Option<Seen> {
        Some(match &coordinate.kind {
            ExprKind::Name(name) => {
                let index = self.index(name);
                Seen::Index(place(indices, index))
            }
            ExprKind::Slice(slice) => {
                let index = self.index(&slice.index);
                let lo = match &slice.lo {
                    None => Bound::Const(0),
                    Some(lo) => self.bound(lo)?,
                };
                let hi = match &slice.hi {
                    None => None,
                    Some(hi) => Some(self.bound(hi)?),
                };
                if let (Bound::Const(lo), Some(Bound::Const(hi))) = (lo, hi)
                    && lo > hi
                {
                    self.wrong(coordinate.span, format!("this slice ends at {hi}, before it begins at {lo}"));
                    return None;
                }
                let index = place(indices, index);
                match (lo, hi, slice.step) {
                    (Bound::Const(0), None, 1) => Seen::Index(index),
                    (lo, hi, step) => Seen::Slice { index, lo, hi, step: step as usize },
                }
            }
            _ => {
                let computed = self.computed(coordinate, indices)?;
                if bounds(&computed).is_none() {
                    let mistake = self.wrong(coordinate.span, "this coordinate may not fit a whole number of 64 bits");
                    mistake.help.push("multiply by smaller numbers: an index may be as large as 2^40".into());
                    return None;
                }
                Seen::Computed(computed)
            }
        })
    }

    /// A bound of a slice: a number, or a scalar.
    fn bound(&mut self, bound: &'a ast::Expr) -> Option<Bound> {
        let help = "write a whole number of 0 or more, or the name of a scalar: `n: u64`";
        match &bound.kind {
            ExprKind::Literal(Literal::Int(n)) if u32::try_from(*n).is_ok() => Some(Bound::Const(*n as usize)),
            ExprKind::Literal(Literal::Int(n)) => {
                let most = u32::MAX;
                let mistake = self.wrong(bound.span, format!("{n} is too large for a bound of a slice"));
                mistake.help.push(format!("a bound is at most {most}; pass a larger one as a scalar: `n: u64`"));
                None
            }
            ExprKind::Name(name) => {
                let Some(&id) = self.tensors.get(name.text.as_str()) else {
                    let mistake = self.unknown(name);
                    self.mistakes.push(mistake.help("a bound of a slice is a number or a scalar: `n: u64`"));
                    return None;
                };
                let tensor = self.kernel.tensor(id);
                let (rank, value, role) = (tensor.rank, tensor.value, tensor.role);
                let whole = matches!(value, ValueType::U32 | ValueType::I32 | ValueType::U64 | ValueType::I64);
                if rank > 0 || !whole || role != Role::Param {
                    self.wrong(bound.span, format!("`{name}` is no whole number that is passed in"))
                        .help
                        .push(help.into());
                    return None;
                }
                Some(Bound::Scalar(id))
            }
            _ => {
                self.wrong(bound.span, "a slice has bounds that are known before the loops start")
                    .help
                    .push(help.into());
                None
            }
        }
    }

    /// A coordinate that is computed from index variables and whole numbers.
    fn computed(&mut self, coordinate: &'a ast::Expr, indices: &mut Vec<Index>) -> Option<Coordinate> {
        match &coordinate.kind {
            ExprKind::Name(name) => {
                let index = self.index(name);
                Some(Coordinate::Index(place(indices, index)))
            }
            ExprKind::Literal(Literal::Int(n)) => match i32::try_from(*n) {
                Ok(n) => Some(Coordinate::Const(n.into())),
                Err(_) => {
                    self.wrong(
                        coordinate.span,
                        format!("coordinates are computed with whole numbers of 32 bits, and not {n}"),
                    );
                    None
                }
            },
            ExprKind::Neg(inner) => Some(Coordinate::Neg(Box::new(self.computed(inner, indices)?))),
            ExprKind::Binary { op, left, right } => {
                let remap = match op {
                    BinaryOp::Add => RemapOp::Add,
                    BinaryOp::Sub => RemapOp::Sub,
                    BinaryOp::Mul => RemapOp::Mul,
                    BinaryOp::Div => RemapOp::Div,
                    BinaryOp::Rem => RemapOp::Rem,
                    _ => return self.no_coordinate(coordinate.span),
                };
                if matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && !matches!(right.kind, ExprKind::Literal(Literal::Int(1..)))
                {
                    self.wrong(right.span, "a coordinate is divided by a whole number of 1 or more");
                    return None;
                }
                let left = self.computed(left, indices)?;
                let right = self.computed(right, indices)?;
                Some(Coordinate::Binary(remap, Box::new(left), Box::new(right)))
            }
            _ => self.no_coordinate(coordinate.span),
        }
    }

    fn no_coordinate<T>(&mut self, span: Span) -> Option<T> {
        self.wrong(span, "this is no coordinate of a tensor").help.push(
            "a coordinate is an index variable, a slice such as `2:10`, or computed of index variables and whole numbers by `+ - * / %`"
                .into(),
        );
        None
    }
}

/// The format, the coordinates and the indices of a view that loops can walk; `None` if they cannot. They can if each coordinate of the view is a
/// different index, plain, sliced or shifted. Coordinates and indices come in the order of the dimensions of the tensor. Levels of which a
/// shifted part is seen are marked in the format.
fn walked(mut format: Format, seen: &[Seen], indices: &[Index]) -> Option<(Format, Vec<Seen>, Vec<Index>)> {
    let (mut shown, mut own): (Vec<Seen>, Vec<Index>) = (Vec::new(), Vec::new());
    for (index, one) in seen.iter().cloned().enumerate() {
        let (m, one) = match one {
            Seen::Index(m) => (m, Seen::Index(index)),
            Seen::Slice { index: m, lo, hi, step } => (m, Seen::Slice { index, lo, hi, step }),
            Seen::Shifted { index: m, along, by } => (m, Seen::Shifted { index, along, by }),
            Seen::Computed(coordinate) => {
                let (m, by) = shift(&coordinate).filter(|_| !format.is_full_in_place())?;
                (m, Seen::Shifted { index, along: indices[m], by })
            }
        };
        let again = own.contains(&indices[m]);
        own.push((!again).then_some(indices[m])?);
        shown.push(one);
    }
    let shifted = |level: &FormatLevel| level.dimension().is_some_and(|m| matches!(shown[m], Seen::Shifted { .. }));
    let dense = format.is_dense();
    format.levels.iter_mut().filter(|level| shifted(level)).for_each(|level| level.shifted = true);
    (!dense).then_some((format, shown, own))
}

/// The index and the constant of a coordinate of the form `index + constant`; `None` for any other coordinate.
fn shift(coordinate: &Coordinate) -> Option<(usize, i64)> {
    let Coordinate::Binary(op, left, right) = coordinate else { return None };
    match (op, &**left, &**right) {
        (RemapOp::Add, Coordinate::Index(m), Coordinate::Const(by)) => Some((*m, *by)),
        (RemapOp::Add, Coordinate::Const(by), Coordinate::Index(m)) => Some((*m, *by)),
        (RemapOp::Sub, Coordinate::Index(m), Coordinate::Const(by)) => Some((*m, -by)),
        _ => None,
    }
}

/// The place of an index among those of a view.
fn place(indices: &mut Vec<Index>, index: Index) -> usize {
    indices.iter().position(|known| *known == index).unwrap_or_else(|| {
        indices.push(index);
        indices.len() - 1
    })
}

/// The least and the largest value that a coordinate may have; `None` if it, or a part of it, may not fit 64 bits.
fn bounds(coordinate: &Coordinate) -> Option<(i64, i64)> {
    const LARGEST_INDEX: i64 = 1 << 40;
    let of_all = |(a, b): (i64, i64), (c, d): (i64, i64), f: fn(i64, i64) -> Option<i64>| {
        let ends = [f(a, c)?, f(a, d)?, f(b, c)?, f(b, d)?];
        Some((ends.into_iter().min()?, ends.into_iter().max()?))
    };
    Some(match coordinate {
        Coordinate::Const(n) => (*n, *n),
        Coordinate::Neg(of) => {
            let (lo, hi) = bounds(of)?;
            (hi.checked_neg()?, lo.checked_neg()?)
        }
        Coordinate::Binary(op, left, right) => {
            let (left, right) = (bounds(left)?, bounds(right)?);
            match op {
                RemapOp::Add => of_all(left, right, i64::checked_add)?,
                RemapOp::Sub => of_all(left, right, i64::checked_sub)?,
                RemapOp::Mul => of_all(left, right, i64::checked_mul)?,
                // By a whole number of 1 or more: a remainder is less than that, a quotient no further from 0 than what is divided.
                RemapOp::Rem => (0, right.1),
                _ => (left.0.min(0), left.1.max(0)),
            }
        }
        _ => (0, LARGEST_INDEX),
    })
}

/// Whether different values of the index variables of a coordinate give different coordinates: there is one variable, which is shifted,
/// scaled or negated.
fn is_injective(coordinate: &ast::Expr) -> bool {
    let constant = |expr: &ast::Expr| matches!(expr.kind, ExprKind::Literal(Literal::Int(_)));
    match &coordinate.kind {
        // A constant says nothing of any index: the other coordinates do.
        ExprKind::Name(_) | ExprKind::Slice(_) | ExprKind::Literal(Literal::Int(_)) => true,
        ExprKind::Neg(inner) => is_injective(inner),
        ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
            constant(left) && is_injective(right) || constant(right) && is_injective(left)
        }
        ExprKind::Binary { op: BinaryOp::Mul, left, right } => {
            let factor = |expr: &ast::Expr| matches!(expr.kind, ExprKind::Literal(Literal::Int(1..)));
            factor(left) && is_injective(right) || factor(right) && is_injective(left)
        }
        _ => false,
    }
}
