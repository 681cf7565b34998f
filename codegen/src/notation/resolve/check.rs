//! Checks that need resolved names: what is never read or computed, divisors that are 0, indices that nothing gives an extent.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::notation::algebra::{converted, simplify};
use crate::notation::ast::{self, ExprKind, Literal, ValueType};
use crate::notation::concrete::*;
use crate::notation::cursor::DEEPEST;
use crate::notation::presence::Presence;
use crate::notation::types::{type_among, type_into, type_of};

impl<'a> Resolver<'a> {
    /// What must hold of parameters, results and temporaries once all statements are read.
    pub(super) fn check_roles(&mut self) {
        let mut read = Vec::new();
        for statement in &self.kernel.body {
            match statement {
                Statement::Index(assign) => assign.reads(&mut |access| read.push(self.kernel.base(access.tensor))),
                Statement::Concrete(stmt) => read.extend(stmt.read().into_iter().map(|id| self.kernel.base(id))),
            }
        }
        let said = !self.mistakes.is_empty();
        for at in 0..self.kernel.tensors.len() {
            let id = TensorId(at);
            let tensor = &self.kernel.tensors[at];
            let (name, span) = (tensor.name.clone(), tensor.span);
            let candidates: Vec<String> = self
                .kernel
                .tensors
                .iter()
                .filter(|t| matches!(t.role, Role::Param | Role::Result))
                .map(|t| t.name.clone())
                .collect();
            match tensor.role {
                Role::Result if !self.written.contains(&id) && !said => {
                    self.wrong(span, format!("result `{name}` is never computed")).help.push(format!("{name}(…) = …"));
                }
                Role::Temporary | Role::Workspace if !read.contains(&id) && !said => {
                    let near = nearest(&name, candidates.iter().map(String::as_str)).map(str::to_owned);
                    let mistake = self.wrong(span, format!("there is no tensor called `{name}`"));
                    mistake.notes.push("it is neither a parameter nor a result, and no statement reads it".into());
                    mistake.help.push(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("return it: `-> {name}: FORMAT`"),
                    });
                }
                _ => {}
            }
        }
    }

    /// Refuses to fold in one type and to store in another where the neutral element is infinite or depends on the type, as that of `min=`
    /// does: converted, it would be an ordinary number.
    pub(super) fn check_bounds(
        &mut self,
        id: TensorId,
        reduce: Option<Reduction>,
        over: Option<&Semiring>,
        value: &Expr,
        span: Span,
    ) {
        let Some(reduce) = reduce else { return };
        let tensor = self.kernel.tensor(id);
        let ty = type_into(value, id, &self.kernel.tensors);
        let nothing = over.map_or(reduce.identity(ty), |semiring| semiring.zero);
        let bounded =
            number(nothing).is_infinite() || matches!(reduce, Reduction::Min | Reduction::Max | Reduction::And);
        if bounded && over.is_none_or(|over| number(over.zero) != 0.0) && ty != tensor.value && !tensor.value.is_float()
        {
            let (name, own) = (tensor.name.clone(), tensor.value);
            let symbol = reduce.symbol();
            self.wrong(span, format!("values are folded by `{symbol}` as {ty}, and `{name}` holds {own}"))
                .notes
                .push(format!("what folding nothing gives is another number as {own}"));
            self.mistakes.last_mut().expect("just pushed").help.push(format!("declare `{name}` as {ty}"));
        }
    }

    /// Refuses a divisor that is 0 where none of its sparse operands has an entry.
    pub(super) fn check_divisor(&mut self, divisor: &Expr, span: Span) -> Option<()> {
        let mut sparse = None;
        divisor.accesses(&mut |access| {
            if sparse.is_none() && !self.kernel.tensor(access.tensor).is_full() {
                sparse = Some(access);
            }
        });
        let Some(sparse) = sparse else { return Some(()) };
        let tensors = &self.kernel.tensors;
        let missing =
            |access: &Access| if tensors[access.tensor.0].is_full() { Presence::When(()) } else { Presence::Never };
        match simplify(divisor, &missing) {
            Expr::Literal(value) if number(value) == 0.0 => {
                let tensor = self.kernel.tensor(sparse.tensor);
                let (name, at, how) =
                    (tensor.name.clone(), tensor.span, tensor.format.as_ref().map(ToString::to_string));
                let mut mistake =
                    Diagnostic::new(span, format!("division by `{name}`, which is 0 wherever nothing is stored"))
                        .related(at, "declared here")
                        .help("divide by an operand that is dense, or declare another fill: `fill 1`");
                if let Some(how) = how {
                    mistake = mistake.note(format!("its format is {how}"));
                }
                self.mistakes.push(mistake);
                None
            }
            _ => Some(()),
        }
    }

    /// Refuses what cannot stand on the right side of `without`.
    pub(super) fn check_without(&mut self, right: &Expr, span: Span) -> Option<()> {
        let Expr::Access(access) = right else {
            self.wrong(span, "what stands behind `without` is a tensor, whose entries are taken away")
                .help
                .push("assign the expression to a tensor first".into());
            return None;
        };
        let tensor = self.kernel.tensor(access.tensor);
        if tensor.role == Role::Param && tensor.is_full() {
            let name = tensor.name.clone();
            self.wrong(span, format!("`{name}` has an entry everywhere, so nothing would be left")).help.push(
                "`without` takes the entries of a sparse tensor away; `select(A(i,j), condition)` goes by values"
                    .into(),
            );
            return None;
        }
        Some(())
    }

    /// Checks that implied loops are not too many, and that the index of each has an extent. `written` is the statement as it was parsed.
    pub(super) fn check_implied(&mut self, assign: &Assign, written: &ast::Assign) {
        let mut loops = assign.value.indices();
        loops.extend(assign.target.indices.iter().filter(|index| !assign.value.uses(**index)));
        if loops.len() > DEEPEST {
            let message = format!(
                "this statement has {} index variables, and at most {DEEPEST} loops run inside of each other",
                loops.len()
            );
            self.wrong(assign.span, message).help.push("compute parts of it in statements of their own".into());
        }
        let mut ranged: Vec<Index> = Vec::new();
        assign.reads(&mut |access| ranged.extend(self.kernel.ranged(access)));
        let target = self.kernel.tensor(assign.target.tensor);
        let known = target.role == Role::Param;
        ranged.extend(
            self.kernel
                .views
                .contains_key(&assign.target.tensor)
                .then(|| self.kernel.ranged(&assign.target))
                .into_iter()
                .flatten(),
        );
        let name = target.name.clone();
        let mut own = own_slices(&written.value, &written.target.indices).into_iter();
        for index in &assign.target.indices {
            if !ranged.contains(index) && !known {
                let computed = assign.value.indices().contains(index);
                let index = self.kernel.indices[index.0].clone();
                let slice = own.next().map(|slice| slice.named(&index));
                let message = match computed {
                    true => {
                        format!("index `{index}` is used in computed coordinates only, so nothing says how far it runs")
                    }
                    false => format!("index `{index}` is only on the left, so nothing says how far it runs"),
                };
                let mistake = self.wrong(assign.target.span, message);
                mistake.help.push(match slice {
                    Some(slice) => format!("a slice runs over an index of its own; call it `{index}`: `{slice}`"),
                    None => {
                        format!("pass `{name}` as a parameter, whose size is known, or use `{index}` on the right")
                    }
                });
                if computed {
                    mistake.help.push(format!(
                        "where a coordinate is only shifted, take a slice, such as `A({index} in 1:, j)`"
                    ));
                }
            }
        }
        if known {
            ranged.extend(&assign.target.indices);
        }
        for index in assign.value.indices() {
            if !ranged.contains(&index) && !assign.target.indices.contains(&index) {
                let index = self.kernel.indices[index.0].clone();
                self.wrong(assign.span, format!("`{index}` is no tensor, and no index that a tensor is accessed with"))
                    .help
                    .push(format!("declare a scalar: `{index}: f64`"));
            }
        }
    }
}

/// A slice whose index has no name in the text: coordinate number `at` of an access.
pub(super) struct OwnSlice<'e> {
    access: &'e ast::Expr,
    at: usize,
    /// The name that the parser made up for its index.
    pub index: &'e ast::Name,
}

impl OwnSlice<'_> {
    /// The access as it is written if the index of the slice is called `index`.
    pub fn named(&self, index: &str) -> ast::Expr {
        let mut access = self.access.clone();
        if let ExprKind::Apply { args, .. } = &mut access.kind
            && let ExprKind::Slice(slice) = &mut args[self.at].kind
        {
            slice.named = true;
            index.clone_into(&mut slice.index.text);
        }
        access
    }
}

/// The slices of an expression whose indices have no name in the text and do not stand on the left side, which has the indices `left`.
pub(super) fn own_slices<'e>(expr: &'e ast::Expr, left: &[ast::Name]) -> Vec<OwnSlice<'e>> {
    let own = |(at, arg): (usize, &'e ast::Expr)| match &arg.kind {
        ExprKind::Slice(slice) if !slice.named && !left.contains(&slice.index) => {
            Some(OwnSlice { access: expr, at, index: &slice.index })
        }
        _ => None,
    };
    match &expr.kind {
        ExprKind::Apply { args, .. } => {
            let inside = args.iter().flat_map(|arg| own_slices(arg, left));
            args.iter().enumerate().filter_map(own).chain(inside).collect()
        }
        ExprKind::Neg(inner) => own_slices(inner, left),
        ExprKind::Binary { left: a, right: b, .. } => {
            own_slices(a, left).into_iter().chain(own_slices(b, left)).collect()
        }
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::Slice(_) => Vec::new(),
    }
}

/// The first negative constant of an expression that is computed in the type of the whole expression.
pub(super) fn negative(expr: &Expr) -> Option<Literal> {
    match expr {
        Expr::Literal(value) => (number(*value) < 0.0).then_some(*value),
        Expr::Apply(op, _) if op.has_own_type() => None,
        Expr::Apply(Operator::Select | Operator::Without, args) => negative(&args[0]),
        Expr::Apply(Operator::Function(function), args) => {
            let of_body = function.body.as_ref().ok().and_then(negative);
            of_body.or_else(|| args.iter().find_map(negative))
        }
        Expr::Apply(_, args) => args.iter().find_map(negative),
        _ => None,
    }
}

/// The first whole constant of an expression that a type does not have in which it is computed: `ty`, or that of the operands which it is
/// compared with.
pub(super) fn unfit(expr: &Expr, ty: ValueType, tensors: &[Tensor]) -> Option<(Literal, ValueType)> {
    match expr {
        Expr::Literal(value @ Literal::Int(_)) if ty.is_number() && !ty.is_float() => {
            (!same(converted(*value, ty), *value)).then_some((*value, ty))
        }
        Expr::Apply(Operator::Select, args) => {
            let own = type_of(&args[1], tensors).unwrap_or(ty);
            unfit(&args[0], ty, tensors).or_else(|| unfit(&args[1], own, tensors))
        }
        Expr::Apply(Operator::Without, args) => unfit(&args[0], ty, tensors),
        Expr::Apply(Operator::As(own), args) => unfit(&args[0], *own, tensors),
        Expr::Apply(op, args) => {
            let own = if op.has_own_type() { type_among(args, tensors).unwrap_or(ValueType::F64) } else { ty };
            let body = match op {
                Operator::Function(function) => function.body.as_ref().ok(),
                _ => None,
            };
            args.iter().chain(body).find_map(|arg| unfit(arg, own, tensors))
        }
        _ => None,
    }
}
