//! The text of a `.pleach` file as a tree: items, kernels, statements, expressions. Nothing is resolved here.

mod value;

pub use value::{AssignOp, BinaryOp, Literal, ValueType};

use crate::diagnostic::Span;
use crate::format::ast::{FormatDecl, FormatRef};

/// A name and where it stands. Two names are equal if their texts are.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl Name {
    /// A name that stands in no source text.
    pub fn new(text: impl Into<String>) -> Name {
        Name { text: text.into(), span: Span::default() }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// A file: items in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The items.
    pub items: Vec<Item>,
}

/// One item of a file.
#[allow(clippy::large_enum_variant, reason = "a file holds a handful of items")]
#[derive(Clone, Debug)]
pub enum Item {
    /// `store NAME { … }`: read by the schema parser from the same text; here only its extent.
    Store(StoreText),
    /// `format NAME(i, j) = …`.
    Format(FormatDecl),
    /// `function NAME(a, b) … = …`.
    Function(FunctionDecl),
    /// `semiring NAME { … }`.
    Semiring(SemiringDecl),
    /// `kernel NAME(…) { … }`.
    Kernel(Kernel),
    /// `use "file.pleach"`.
    Use(UseDecl),
}

/// Where a `store` item stands in the text.
#[derive(Clone, Debug)]
pub struct StoreText {
    /// The store's name.
    pub name: Name,
    /// From `store` to the closing brace.
    pub span: Span,
}

/// `use "file.pleach"`.
#[derive(Clone, Debug)]
pub struct UseDecl {
    /// The path as written.
    pub path: String,
    /// The whole item.
    pub span: Span,
}

/// A function of scalars: `function relu(a) annihilator 0 = max(a, 0)`.
///
/// What is declared decides how operands are merged: an annihilator makes the function an intersection, an identity
/// a union, as `0` does for `*` and `+`. What is declared holds by definition, whatever the body would compute.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Name>,
    /// `annihilator v`: the function is `v` as soon as one argument is.
    pub annihilator: Option<Expr>,
    /// `identity v`: of a function of two, an argument that leaves the other one alone.
    pub identity: Option<Expr>,
    /// What it computes.
    pub body: FunctionBody,
    /// The whole item.
    pub span: Span,
}

/// What a function computes.
#[derive(Clone, Debug)]
pub enum FunctionBody {
    /// An expression over its parameters.
    Expr(Expr),
    /// A Rust function, by path: `extern "my_crate::logistic"`. Only generated Rust can call it.
    Extern(String),
}

/// `semiring NAME { plus: min, zero: inf, times: +, one: 0 }`. `zero` annihilates `times`, by definition.
#[derive(Clone, Debug)]
pub struct SemiringDecl {
    /// Its name.
    pub name: Name,
    /// The reduction, which is also what `+` means.
    pub plus: OperatorName,
    /// Identity of `plus`, annihilator of `times`, and the value of what is not stored.
    pub zero: Expr,
    /// What `*` means.
    pub times: OperatorName,
    /// Identity of `times`, if it has one.
    pub one: Option<Expr>,
    /// The whole item.
    pub span: Span,
}

/// An operator named in a semiring: `+`, `*`, or a function's name such as `min` or `second`.
pub type OperatorName = Name;

/// `kernel NAME(PARAMS) -> RESULTS { STATEMENTS }`.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: Name,
    /// Tensors and scalars of the caller; those on the left of a statement are written in place.
    pub params: Vec<Param>,
    /// Tensors that are made and returned.
    pub results: Vec<Param>,
    /// Its statements, run one after the other.
    pub body: Vec<Stmt>,
    /// The whole item.
    pub span: Span,
}

impl Kernel {
    /// A kernel around statements that stand in a text of their own, all of which it takes.
    pub fn around(name: &str, params: Vec<Param>, results: Vec<Param>, body: Vec<Stmt>) -> Kernel {
        let end = body.iter().map(|stmt| stmt.span.end).max().unwrap_or_default();
        let span = Span { start: 0, end };
        Kernel { name: Name { text: name.to_owned(), span }, params, results, body, span }
    }
}

/// `A: csr | aspen of f32 fill inf`, or a scalar: `alpha: f64`.
#[derive(Clone, Debug)]
pub struct Param {
    /// The tensor's name.
    pub name: Name,
    /// The formats it may have, one entry point for each; none for a scalar.
    pub formats: Vec<FormatRef>,
    /// `of f32`, or the type of a scalar; `f64` if not written.
    pub value: Option<ValueType>,
    /// `fill inf`: the value of what is not stored, if not the format's.
    pub fill: Option<Expr>,
    /// The whole parameter.
    pub span: Span,
}

/// A statement of index notation or of concrete index notation.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[allow(clippy::large_enum_variant, reason = "a kernel holds a handful of statements")]
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `y(i) += A(i,j) * x(j)`. Outside every `forall` it is index notation: loops and sums are implied.
    Assign(Assign),
    /// `forall(i, parallel, S)`.
    Forall {
        /// The index variable.
        index: Name,
        /// Whether iterations may run at the same time.
        parallel: bool,
        /// The statement that is repeated.
        body: Box<Stmt>,
    },
    /// `S where T`: T first, in a workspace that only S sees.
    Where {
        /// Reads the workspace.
        consumer: Box<Stmt>,
        /// Fills the workspace.
        producer: Box<Stmt>,
    },
    /// `S; T`: one after the other.
    Sequence(Vec<Stmt>),
}

/// `C(i,j)<M> += A(i,k) * B(k,j) over min_plus`.
#[derive(Clone, Debug)]
pub struct Assign {
    /// What is written.
    pub target: Target,
    /// `<M>` or `<!M>`.
    pub mask: Option<Mask>,
    /// `=` or a reduction.
    pub op: AssignOp,
    /// What is computed.
    pub value: Expr,
    /// `over min_plus`: what `+`, `*`, the implied sum and the implied value mean here.
    pub over: Option<Name>,
}

/// `C(i,j)`, or a scalar's name.
#[derive(Clone, Debug)]
pub struct Target {
    /// The tensor.
    pub tensor: Name,
    /// The index variables of its coordinates, each once; empty for a scalar.
    pub indices: Vec<Name>,
    /// Its coordinates if some of them are no plain index variables but slices or computed.
    pub coordinates: Option<Vec<Expr>>,
    /// The whole access.
    pub span: Span,
}

impl Target {
    /// Its coordinates.
    pub fn coordinates(&self) -> Vec<Expr> {
        let plain = |index: &Name| Expr { kind: ExprKind::Name(index.clone()), span: index.span };
        self.coordinates.clone().unwrap_or_else(|| self.indices.iter().map(plain).collect())
    }
}

/// `<M>`: only where M has an entry; `<!M>`: only where it has none.
#[derive(Clone, Debug)]
pub struct Mask {
    /// Whether the mask is negated: `<!M>`.
    pub negated: bool,
    /// The tensor that masks.
    pub tensor: Name,
    /// Its indices, if not those of the target.
    pub indices: Option<Vec<Name>>,
    /// The whole mask.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `2`, `0.5`, `inf`, `true`.
    Literal(Literal),
    /// A bare name: a scalar, or an index variable as a value.
    Name(Name),
    /// `A(i, j)`, `min(a, b)`, `f(x(i))`: which one, the declarations decide.
    Apply {
        /// The tensor or function.
        name: Name,
        /// Indices or arguments.
        args: Vec<Expr>,
    },
    /// `2:10`, `0:n:2`, `:`, or with a name `i in 2:10`: a coordinate along a part of a dimension.
    Slice(Slice),
    /// `-a`.
    Neg(Box<Expr>),
    /// `a + b`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
}

impl Expr {
    /// The index variable that runs along all of a dimension: a name, or `:`.
    pub fn whole(&self) -> Option<&Name> {
        match &self.kind {
            ExprKind::Name(index) | ExprKind::Slice(Slice { index, lo: None, hi: None, step: 1, .. }) => Some(index),
            _ => None,
        }
    }

    /// Adds the index variables of a coordinate, each once.
    pub fn index_names(&self, found: &mut Vec<Name>) {
        match &self.kind {
            ExprKind::Name(name) | ExprKind::Slice(Slice { index: name, .. }) => {
                if !found.contains(name) {
                    found.push(name.clone());
                }
            }
            ExprKind::Neg(inner) => inner.index_names(found),
            ExprKind::Binary { left, right, .. } => {
                left.index_names(found);
                right.index_names(found);
            }
            ExprKind::Apply { .. } | ExprKind::Literal(_) => {}
        }
    }
}

/// A part of a dimension: `lo`, `lo + step`, and so on, below `hi`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The index variable that counts its coordinates from 0 on.
    pub index: Name,
    /// Whether the text names it. Otherwise the first slice of an access is called `slice_1`, the second `slice_2`, and so on.
    pub named: bool,
    /// The first coordinate; 0 if not written. A number, or the name of a scalar.
    pub lo: Option<Box<Expr>>,
    /// One past the last coordinate; the extent if not written.
    pub hi: Option<Box<Expr>>,
    /// The distance of two coordinates, at least 1.
    pub step: i64,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}
