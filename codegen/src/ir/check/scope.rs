//! The variables of a kernel while it is checked: which of them are in scope, of what type they are, and what may be done with them.

use std::collections::{HashMap, HashSet};

use super::error::CheckError;
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::Reduce;
use crate::ir::types::{ArrayType, Element, Scalar, StoreType, Type};

impl Kernel {
    pub(super) fn name_of(&self, var: Var) -> String {
        self.vars.get(var).map_or_else(|| format!("variable {}", var.0), |info| info.name.clone())
    }

    pub(super) fn kernel_type(&self, var: Var) -> Result<&Type, CheckError> {
        self.vars.get(var).map(|info| &info.ty).ok_or_else(|| CheckError::Undeclared(self.name_of(var)))
    }
}

/// What may be done with a variable.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum State {
    /// Read only: a parameter.
    Param,
    /// Read only: bound by a loop or a look-up.
    Bound,
    /// Everything.
    Mutable,
    /// From outside of the parallel loop that we are in: read only.
    Outside,
    /// Belongs in parts to the iterations of the parallel loop that we are in.
    Owned,
    /// The same as owned, and any element may be that of the iteration.
    Shared,
    /// Waits for the parallel loop that makes it.
    Uncleared,
    /// The same as owned, and elements may be pushed: it is made by the parallel loop that we are in.
    Made,
    /// Folded into by the parallel loop that we are in.
    Folded(Reduce),
    /// Out of scope, or used up.
    Gone,
}

pub(super) struct Checker<'a> {
    pub kernel: &'a Kernel,
    pub state: HashMap<Var, State>,
    /// Loops around us that `break` could leave.
    pub loops: usize,
    /// Whether we are inside a parallel loop.
    pub in_parallel: bool,
    /// What the loop counts whose body comes next.
    pub counted: Option<Var>,
    /// Names of parts of arrays.
    pub slices: HashSet<Var>,
}

pub(super) type Checked<T = ()> = Result<T, CheckError>;

impl<'a> Checker<'a> {
    pub fn new(kernel: &'a Kernel) -> Checker<'a> {
        Checker { kernel, state: HashMap::new(), loops: 0, in_parallel: false, counted: None, slices: HashSet::new() }
    }
}

impl Checker<'_> {
    pub(super) fn name(&self, var: Var) -> String {
        self.kernel.name_of(var)
    }

    pub(super) fn ty(&self, var: Var) -> Checked<&Type> {
        self.kernel.kernel_type(var)
    }

    pub(super) fn declare(&mut self, var: Var, state: State) -> Checked {
        self.ty(var)?;
        match self.state.insert(var, state) {
            None => Ok(()),
            Some(_) => Err(CheckError::Redeclared(self.name(var))),
        }
    }

    pub(super) fn forget(&mut self, vars: &[Var]) {
        for &v in vars {
            self.state.insert(v, State::Gone);
        }
    }

    pub(super) fn live(&self, var: Var) -> Checked<State> {
        match self.state.get(&var) {
            None | Some(State::Gone) => Err(CheckError::Undeclared(self.name(var))),
            Some(&state) => Ok(state),
        }
    }

    pub(super) fn mismatch<T>(place: &str, expected: impl ToString, found: impl ToString) -> Checked<T> {
        Err(CheckError::Type { place: place.into(), expected: expected.to_string(), found: found.to_string() })
    }

    pub(super) fn no_operator<T>(op: impl std::fmt::Debug, ty: Scalar) -> Checked<T> {
        Err(CheckError::Operator { op: format!("{op:?}").to_lowercase(), ty: ty.to_string() })
    }

    /// A variable is not of the type that its place asks for.
    pub(super) fn wrong_type<T>(&self, var: Var, expected: impl ToString) -> Checked<T> {
        Self::mismatch(&format!("`{}`", self.name(var)), expected, self.ty(var)?)
    }

    /// A variable that holds a coordinate or a position. It need not be in scope yet.
    pub(super) fn counter(&self, var: Var) -> Checked {
        match self.ty(var)? {
            Type::Scalar(Scalar::Usize) => Ok(()),
            _ => self.wrong_type(var, Scalar::Usize),
        }
    }

    /// An array that is in scope, and no part of another one.
    pub(super) fn array(&self, var: Var) -> Checked<&ArrayType> {
        if self.slices.contains(&var) {
            return Err(CheckError::Read { name: self.name(var), reason: "of a part only elements are used" });
        }
        self.elements(var)
    }

    /// An array that is in scope, or a part of one.
    pub(super) fn elements(&self, var: Var) -> Checked<&ArrayType> {
        self.live(var)?;
        match self.ty(var)? {
            Type::Array(a) => Ok(a),
            _ => self.wrong_type(var, "an array"),
        }
    }

    pub(super) fn array_of_integers(&self, var: Var) -> Checked {
        match &self.array(var)?.element {
            Element::Scalar(s) if s.is_integer() => Ok(()),
            other => Self::mismatch(&format!("`{}`", self.name(var)), "an array of integers", other),
        }
    }

    pub(super) fn array_of_usize(&self, var: Var) -> Checked {
        match &self.array(var)?.element {
            Element::Scalar(Scalar::Usize) => Ok(()),
            other => Self::mismatch(&format!("`{}`", self.name(var)), "an array of usize", other),
        }
    }

    pub(super) fn cursor(&self, var: Var) -> Checked<&StoreType> {
        self.live(var)?;
        match self.ty(var)? {
            Type::Cursor(s) => Ok(s),
            _ => self.wrong_type(var, "a cursor"),
        }
    }

    /// The type of a matrix's rows.
    pub(super) fn row_type(&self, matrix: Var) -> Checked<StoreType> {
        self.live(matrix)?;
        match self.ty(matrix)? {
            Type::Array(ArrayType { element: Element::Store(row), .. })
            | Type::Store(StoreType { element: Element::Store(row), .. }) => Ok((**row).clone()),
            _ => self.wrong_type(matrix, "a matrix whose rows are stores"),
        }
    }

    pub(super) fn row(&self, row: Var, of: &StoreType) -> Checked {
        match self.ty(row)? {
            Type::Store(own) if own == of => Ok(()),
            _ => self.wrong_type(row, of),
        }
    }

    pub(super) fn writable(&self, var: Var, in_place: bool) -> Checked {
        let reason = match self.live(var)? {
            State::Mutable => return Ok(()),
            State::Owned | State::Shared | State::Made if in_place => return Ok(()),
            State::Uncleared => "waits for the parallel loop that makes it",
            State::Owned | State::Shared | State::Made => {
                "inside a parallel loop only elements may change, not lengths"
            }
            State::Param => "is a parameter that is only read",
            State::Bound => "is bound by a loop or a look-up",
            State::Outside => "belongs to the outside of a parallel loop that does not own it",
            State::Folded(_) => "is folded into by a parallel loop",
            State::Gone => "is out of scope",
        };
        Err(CheckError::Write { name: self.name(var), reason })
    }

    pub(super) fn growable(&self, var: Var) -> Checked<&ArrayType> {
        let array = self.array(var)?;
        if !array.growable {
            return self.wrong_type(var, "a growable array");
        }
        self.writable(var, false)?;
        Ok(array)
    }

    /// Whether a reduction exists for a type of scalars.
    pub(super) fn fold(&self, op: Reduce, scalar: Scalar) -> Checked {
        match op.identity(scalar) {
            Some(_) => Ok(()),
            None => Self::no_operator(op, scalar),
        }
    }
}

/// Whether values of a type are elements of this kind.
pub(super) fn is_element(ty: &Type, element: &Element) -> bool {
    match (ty, element) {
        (Type::Scalar(s), Element::Scalar(e)) => s == e,
        (Type::Store(s), Element::Store(e)) => *s == **e,
        _ => false,
    }
}
