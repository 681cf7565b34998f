//! Concrete index notation: names resolved, loops and reductions explicit.
//!
//! ```text
//! S ::= A(i,j) op= e           one value; op is nothing or a reduction
//!     | forall(i, S)           for every value of i, in order
//!     | forall(i, parallel, S) in any order, at the same time
//!     | S where T              T first, into a workspace that S reads
//!     | S; S                   one after the other
//! ```
//!
//! A workspace is fresh each time its `where` is reached: it holds nothing but its fill. A statement prints to the text
//! it could have been written as by hand.

mod operator;
mod show;
mod visit;

pub use operator::{Function, Operator, Reduction, Semiring};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::Span;
use crate::format::ast::RemapOp;
use crate::format::{Coordinate, Format};
use crate::notation::ast::{Literal, ValueType};

/// A tensor of a kernel: an index into [`Kernel::tensors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub usize);

/// An index variable of a kernel: an index into [`Kernel::indices`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Index(pub usize);

/// A kernel for one choice of formats.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name; with several choices, followed by what distinguishes this one.
    pub name: String,
    /// Parameters, results, temporaries and workspaces.
    pub tensors: Vec<Tensor>,
    /// Names of the index variables.
    pub indices: Vec<String>,
    /// The statements, in order.
    pub body: Vec<Statement>,
    /// What tensors of [`Role::View`] show.
    pub views: BTreeMap<TensorId, View>,
    /// For each statement, why its loops do not run in the order nearest to how it is written.
    pub orders: Vec<Vec<String>>,
}

/// A tensor seen at other coordinates than its own: slices of it, or places that are computed from indices.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The tensor.
    pub of: TensorId,
    /// How its coordinates follow from the indices of the view, dimension by dimension.
    pub coordinates: Vec<Seen>,
}

impl View {
    /// Whether different values of the view's `rank` indices always lead to different elements: each index can be computed back from one of
    /// the coordinates.
    pub(crate) fn shows_apart(&self, rank: usize) -> bool {
        let found = |m: usize| {
            self.coordinates.iter().any(|seen| match seen {
                Seen::Index(own) | Seen::Slice { index: own, .. } | Seen::Shifted { index: own, .. } => *own == m,
                Seen::Computed(coordinate) => moved(coordinate) == Some(m),
            })
        };
        (0..rank).all(found)
    }
}

/// The only index of a coordinate, if the coordinate is that index shifted, scaled or negated.
fn moved(coordinate: &Coordinate) -> Option<usize> {
    match coordinate {
        Coordinate::Index(m) => Some(*m),
        Coordinate::Neg(of) => moved(of),
        Coordinate::Binary(RemapOp::Add | RemapOp::Sub, left, right) => match (&**left, &**right) {
            (Coordinate::Const(_), of) | (of, Coordinate::Const(_)) => moved(of),
            _ => None,
        },
        Coordinate::Binary(RemapOp::Mul, left, right) => match (&**left, &**right) {
            (Coordinate::Const(1..), of) | (of, Coordinate::Const(1..)) => moved(of),
            _ => None,
        },
        _ => None,
    }
}

/// A coordinate of a tensor that a view shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// An index of the view.
    Index(usize),
    /// `lo + step * index`, below `hi`.
    Slice {
        /// An index of the view.
        index: usize,
        /// The first coordinate.
        lo: Bound,
        /// One past the last coordinate; none for the extent.
        hi: Option<Bound>,
        /// The distance of two coordinates.
        step: usize,
    },
    /// `index + by`, of a sparse tensor whose entries are visited. There are no entries outside of the tensor.
    Shifted {
        /// An index of the view.
        index: usize,
        /// The index variable. No coordinate beyond its extent is visited.
        along: Index,
        /// The distance from the index variable to the coordinate.
        by: i64,
    },
    /// Computed from the indices of the view. Quotients round down, and remainders are not negative. Where the coordinate lies outside of
    /// the tensor, a read gives the fill, and a write does nothing.
    Computed(Coordinate),
}

/// A bound of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A number.
    Const(usize),
    /// A scalar, which is an integer.
    Scalar(TensorId),
}

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The caller's; written in place if it stands on the left.
    Param,
    /// Made here and returned.
    Result,
    /// Made by one statement, read by later ones.
    Temporary,
    /// Made on the right of a `where`, read on its left.
    Workspace,
    /// Another tensor, seen at other coordinates: [`Kernel::views`] says which and how.
    View,
    /// A view of a sparse tensor in which a coordinate is computed or an index stands twice. No loop runs over its entries: each is looked
    /// up at the coordinates of an access.
    LookedUp,
}

/// A tensor, or a scalar.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The user's name, or one made up.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// How many indices it has; 0 for a scalar.
    pub rank: usize,
    /// How it is stored; `None` for scalars and for workspaces that are not chosen yet.
    pub format: Option<Format>,
    /// The type of its values.
    pub value: ValueType,
    /// The value of what is not stored.
    pub fill: Literal,
    /// Where it is declared.
    pub span: Span,
}

impl Tensor {
    /// Whether every coordinate has a value in memory.
    pub fn is_full(&self) -> bool {
        self.role != Role::LookedUp && self.format.as_ref().is_none_or(Format::is_full)
    }
}

/// A statement of a kernel's body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Index notation: loops and sums are implied.
    Index(Assign),
    /// Concrete index notation, written by hand.
    Concrete(Stmt),
}

/// A statement of concrete index notation.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a kernel has a handful of statements")]
pub enum Stmt {
    /// Computes one value.
    Assign(Assign),
    /// Repeats for every value of an index.
    Forall {
        /// The index.
        index: Index,
        /// Whether iterations may run at the same time.
        parallel: bool,
        /// What is repeated.
        body: Box<Stmt>,
        /// Where it stands.
        span: Span,
    },
    /// First the producer, then the consumer.
    Where {
        /// Reads what the producer wrote.
        consumer: Box<Stmt>,
        /// Fills a workspace.
        producer: Box<Stmt>,
    },
    /// One after the other.
    Sequence(Vec<Stmt>),
}

/// `C(i,j)<M(i,j)> += e over s`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    /// What is written.
    pub target: Access,
    /// Only where this tensor has an entry, or has none.
    pub mask: Option<Mask>,
    /// `None` for `=`.
    pub reduce: Option<Reduction>,
    /// What is computed.
    pub value: Expr,
    /// The semiring, if one was named.
    pub over: Option<Arc<Semiring>>,
    /// Where it stands.
    pub span: Span,
}

/// A mask: `<M(i,j)>` or `<!M(i,j)>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Whether it is negated: `<!M>`.
    pub negated: bool,
    /// What masks.
    pub access: Access,
}

/// A tensor at some indices.
#[derive(Clone, Debug)]
pub struct Access {
    /// The tensor.
    pub tensor: TensorId,
    /// One index for each dimension.
    pub indices: Vec<Index>,
    /// The value of what is not stored, as this statement sees it.
    pub fill: Literal,
    /// Where it stands.
    pub span: Span,
}

impl PartialEq for Access {
    fn eq(&self, other: &Access) -> bool {
        self.tensor == other.tensor && self.indices == other.indices && same(self.fill, other.fill)
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Literal(Literal),
    /// The value of an index variable.
    Index(Index),
    /// A parameter of the function whose body this is.
    Argument(usize),
    /// The value of a tensor, or of a scalar.
    Access(Access),
    /// An operator or function, and its arguments.
    Apply(Operator, Vec<Expr>),
}

/// Whether two constants are the same number or truth value, whatever their types.
pub fn same(a: Literal, b: Literal) -> bool {
    match (a, b) {
        (Literal::Int(a), Literal::Int(b)) => a == b,
        _ => number(a) == number(b),
    }
}

/// A constant as a number: `true` is 1.
pub fn number(literal: Literal) -> f64 {
    match literal {
        Literal::Int(value) => value as f64,
        Literal::Float(value) => value,
        Literal::Bool(value) => f64::from(u8::from(value)),
    }
}

impl Kernel {
    /// The tensor `id`.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// A new tensor, called `tensor.name` or, if that is taken, something like it.
    pub fn fresh_tensor(&mut self, mut tensor: Tensor) -> TensorId {
        tensor.name = free_name(&tensor.name, |name| {
            self.tensors.iter().any(|t| t.name == name) || self.indices.iter().any(|i| i == name)
        });
        self.tensors.push(tensor);
        TensorId(self.tensors.len() - 1)
    }

    /// An access to a new workspace with the given indices. Its name is `name` or, if that is taken, something like it.
    pub fn workspace(&mut self, name: &str, indices: &[Index], value: ValueType, fill: Literal, span: Span) -> Access {
        let tensor = self.fresh_tensor(Tensor {
            name: name.to_owned(),
            role: Role::Workspace,
            rank: indices.len(),
            format: None,
            value,
            fill,
            span,
        });
        Access { tensor, indices: indices.to_vec(), fill, span }
    }
}

impl Kernel {
    /// The tensor that a view shows. Of a tensor that is no view, the tensor itself.
    pub fn base(&self, id: TensorId) -> TensorId {
        self.views.get(&id).map_or(id, |view| view.of)
    }

    /// The indices whose extents follow from an access: all but those that occur in computed coordinates only.
    pub fn ranged(&self, access: &Access) -> Vec<Index> {
        let Some(view) = self.views.get(&access.tensor) else { return access.indices.clone() };
        let ranged = |seen: &Seen| match seen {
            Seen::Index(m) | Seen::Slice { index: m, .. } => Some(access.indices[*m]),
            Seen::Shifted { .. } | Seen::Computed(_) => None,
        };
        view.coordinates.iter().filter_map(ranged).collect()
    }
}

fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_owned();
    }
    (1usize..).map(|n| format!("{wanted}{n}")).find(|name| !taken(name)).expect("some number is free")
}
