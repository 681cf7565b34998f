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

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::algebra::converted;
use super::ast::{AssignOp, BinaryOp, Literal, ValueType};
use crate::diagnostic::Span;
use crate::format::{Coordinate, Format};

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

/// A coordinate of a tensor that a view shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// An index of the view.
    Index(usize),
    /// `lo + step * index`, as far as `hi`.
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
    /// Computed from the indices of the view; quotients and remainders are those of the floor. Where it lies outside of the tensor,
    /// nothing is read but the fill, and nothing is written.
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
        self.format.as_ref().is_none_or(Format::is_full)
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

impl Statement {
    /// Calls `f` with each assignment.
    pub fn assigns(&self, f: &mut impl FnMut(&Assign)) {
        match self {
            Statement::Index(assign) => f(assign),
            Statement::Concrete(stmt) => stmt.assigns(f),
        }
    }

    /// Calls `f` with each assignment, to be changed.
    pub fn assigns_mut(&mut self, f: &mut impl FnMut(&mut Assign)) {
        match self {
            Statement::Index(assign) => f(assign),
            Statement::Concrete(stmt) => stmt.assigns_mut(f),
        }
    }
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
    /// Whether it is turned round.
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

/// What combines values.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Operator {
    Neg,
    Abs,
    Sqrt,
    Not,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `first(a, b)` is a.
    First,
    /// `second(a, b)` is b.
    Second,
    /// `pair(a, b)` is 1.
    Pair,
    /// `select(a, c)` is a where c holds, and nothing elsewhere.
    Select,
    /// `a without b` is a where b has no entry, and nothing elsewhere.
    Without,
    /// The value in a type: what comparisons take, once it is known what they compare.
    As(ValueType),
    /// A function that was declared.
    Function(Arc<Function>),
    /// `+` over a semiring.
    Plus(Arc<Semiring>),
    /// `*` over a semiring.
    Times(Arc<Semiring>),
}

/// What folds values into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Reduction {
    Add,
    Mul,
    Min,
    Max,
    Or,
    And,
}

impl Reduction {
    /// The operator that folds two.
    pub fn operator(self) -> Operator {
        match self {
            Reduction::Add => Operator::Add,
            Reduction::Mul => Operator::Mul,
            Reduction::Min => Operator::Min,
            Reduction::Max => Operator::Max,
            Reduction::Or => Operator::Or,
            Reduction::And => Operator::And,
        }
    }

    /// The reduction that folds by `operator`.
    pub fn of(operator: &Operator) -> Option<Reduction> {
        Some(match operator {
            Operator::Add => Reduction::Add,
            Operator::Mul => Reduction::Mul,
            Operator::Min => Reduction::Min,
            Operator::Max => Reduction::Max,
            Operator::Or => Reduction::Or,
            Operator::And => Reduction::And,
            _ => return None,
        })
    }

    /// What folding nothing gives, as a value of the type: for `min=` the largest that there is, which is `inf` among floats only. For
    /// `&=` of integers it is −1, all bits.
    pub fn identity(self, value: ValueType) -> Literal {
        let boolean = !value.is_number();
        match self {
            Reduction::Add | Reduction::Or => Literal::Int(0),
            Reduction::Mul => Literal::Int(1),
            Reduction::Min | Reduction::And if boolean => Literal::Bool(true),
            Reduction::Max if boolean => Literal::Bool(false),
            Reduction::Min => converted(Literal::Float(f64::INFINITY), value),
            Reduction::Max => converted(Literal::Float(f64::NEG_INFINITY), value),
            Reduction::And => Literal::Int(-1),
        }
    }

    /// Its spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            Reduction::Add => "+=",
            Reduction::Mul => "*=",
            Reduction::Min => "min=",
            Reduction::Max => "max=",
            Reduction::Or => "|=",
            Reduction::And => "&=",
        }
    }

    /// What a statement's operator means; `None` for `=`.
    pub fn from_assign(op: AssignOp) -> Option<Reduction> {
        Some(match op {
            AssignOp::Set => return None,
            AssignOp::Add => Reduction::Add,
            AssignOp::Mul => Reduction::Mul,
            AssignOp::Min => Reduction::Min,
            AssignOp::Max => Reduction::Max,
            AssignOp::Or => Reduction::Or,
            AssignOp::And => Reduction::And,
        })
    }
}

/// A declared function of scalars.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Names of its parameters.
    pub params: Vec<String>,
    /// The value that makes it this value, whichever argument has it.
    pub annihilator: Option<Literal>,
    /// The argument that leaves the other one alone.
    pub identity: Option<Literal>,
    /// What it computes; for a function of Rust, its path.
    pub body: Result<Expr, String>,
    /// Nodes of the body, those of called functions counted in.
    pub(crate) size: usize,
    /// Height of the body, that of called functions counted in.
    pub(crate) height: usize,
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

/// A declared semiring.
#[derive(Clone, Debug)]
pub struct Semiring {
    /// Its name.
    pub name: String,
    /// What reduces, and what `+` means.
    pub plus: Reduction,
    /// Identity of plus, annihilator of times, value of what is not stored.
    pub zero: Literal,
    /// What `*` means.
    pub times: Operator,
    /// Identity of times, if it has one.
    pub one: Option<Literal>,
}

impl PartialEq for Semiring {
    fn eq(&self, other: &Semiring) -> bool {
        self.name == other.name
    }
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

impl Expr {
    /// Calls `f` with every access, from left to right.
    pub fn accesses<'e>(&'e self, f: &mut impl FnMut(&'e Access)) {
        match self {
            Expr::Access(access) => f(access),
            Expr::Apply(_, args) => args.iter().for_each(|arg| arg.accesses(f)),
            _ => {}
        }
    }

    /// Calls `f` with every access, to change it.
    pub fn accesses_mut(&mut self, f: &mut impl FnMut(&mut Access)) {
        match self {
            Expr::Access(access) => f(access),
            Expr::Apply(_, args) => args.iter_mut().for_each(|arg| arg.accesses_mut(f)),
            _ => {}
        }
    }

    /// The index variables that occur, as indices or as values, in order of appearance.
    pub fn indices(&self) -> Vec<Index> {
        fn go(expr: &Expr, found: &mut Vec<Index>) {
            let mut add = |index: Index| {
                if !found.contains(&index) {
                    found.push(index);
                }
            };
            match expr {
                Expr::Index(index) => add(*index),
                Expr::Access(access) => access.indices.iter().copied().for_each(add),
                Expr::Apply(_, args) => args.iter().for_each(|arg| go(arg, found)),
                Expr::Literal(_) | Expr::Argument(_) => {}
            }
        }
        let mut found = Vec::new();
        go(self, &mut found);
        found
    }

    /// Whether `index` occurs, as an index or as a value.
    pub fn uses(&self, index: Index) -> bool {
        match self {
            Expr::Index(found) => *found == index,
            Expr::Access(access) => access.indices.contains(&index),
            Expr::Apply(_, args) => args.iter().any(|arg| arg.uses(index)),
            Expr::Literal(_) | Expr::Argument(_) => false,
        }
    }

    /// Says in which type the operands of comparisons and the like are computed, before any of them turns out to be a constant.
    pub fn typed(&mut self, tensors: &[Tensor]) {
        let Expr::Apply(op, args) = self else { return };
        args.iter_mut().for_each(|arg| arg.typed(tensors));
        if op.has_own_type() {
            let ty = super::type_among(args, tensors).unwrap_or(ValueType::F64);
            for arg in args.iter_mut() {
                let inner = std::mem::replace(arg, Expr::Literal(Literal::Int(0)));
                *arg = Expr::Apply(Operator::As(ty), vec![inner]);
            }
        }
    }

    /// The expression with `arguments` for the parameters.
    pub fn with_arguments(&self, arguments: &[Expr]) -> Expr {
        match self {
            Expr::Argument(at) => arguments[*at].clone(),
            Expr::Apply(op, args) => {
                Expr::Apply(op.clone(), args.iter().map(|arg| arg.with_arguments(arguments)).collect())
            }
            other => other.clone(),
        }
    }
}

impl Default for Stmt {
    /// Nothing.
    fn default() -> Stmt {
        Stmt::Sequence(Vec::new())
    }
}

impl Stmt {
    /// `forall(i, forall(j, … S))` for the indices in their order.
    pub fn foralls(
        indices: impl IntoIterator<Item = Index, IntoIter: DoubleEndedIterator>,
        body: Stmt,
        span: Span,
    ) -> Stmt {
        indices.into_iter().rev().fold(body, |body, index| Stmt::Forall {
            index,
            parallel: false,
            body: Box::new(body),
            span,
        })
    }

    /// Calls `f` with every assignment.
    pub fn assigns<'s>(&'s self, f: &mut impl FnMut(&'s Assign)) {
        match self {
            Stmt::Assign(assign) => f(assign),
            Stmt::Forall { body, .. } => body.assigns(f),
            Stmt::Where { consumer, producer } => {
                producer.assigns(f);
                consumer.assigns(f);
            }
            Stmt::Sequence(parts) => parts.iter().for_each(|part| part.assigns(f)),
        }
    }

    /// Calls `f` with every assignment, to change it.
    pub fn assigns_mut(&mut self, f: &mut impl FnMut(&mut Assign)) {
        match self {
            Stmt::Assign(assign) => f(assign),
            Stmt::Forall { body, .. } => body.assigns_mut(f),
            Stmt::Where { consumer, producer } => {
                producer.assigns_mut(f);
                consumer.assigns_mut(f);
            }
            Stmt::Sequence(parts) => parts.iter_mut().for_each(|part| part.assigns_mut(f)),
        }
    }

    /// The tensors that are written, each once.
    pub fn written(&self) -> Vec<TensorId> {
        let mut found = Vec::new();
        self.assigns(&mut |assign| {
            if !found.contains(&assign.target.tensor) {
                found.push(assign.target.tensor);
            }
        });
        found
    }

    /// The tensors that are read, masks among them, each once.
    pub fn read(&self) -> Vec<TensorId> {
        let mut found = Vec::new();
        self.assigns(&mut |assign| {
            assign.reads(&mut |access| {
                if !found.contains(&access.tensor) {
                    found.push(access.tensor);
                }
            });
        });
        found
    }
}

impl Assign {
    /// Calls `f` with everything that is read: the accesses of the value, then the mask.
    pub fn reads<'a>(&'a self, f: &mut impl FnMut(&'a Access)) {
        self.value.accesses(f);
        if let Some(mask) = &self.mask {
            f(&mask.access);
        }
    }
}

impl Kernel {
    /// The tensor `id`.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// A new index variable, called `name` or, if that is taken, something like it.
    pub fn fresh_index(&mut self, name: &str) -> Index {
        let name = free_name(name, |name| {
            self.indices.iter().any(|i| i == name) || self.tensors.iter().any(|t| t.name == name)
        });
        self.indices.push(name);
        Index(self.indices.len() - 1)
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

    /// The statement as text.
    pub fn show<'k>(&'k self, stmt: &'k Stmt) -> impl fmt::Display + 'k {
        Shown { kernel: self, what: What::Stmt(stmt) }
    }

    /// The assignment as text.
    pub fn show_assign<'k>(&'k self, assign: &'k Assign) -> impl fmt::Display + 'k {
        Shown { kernel: self, what: What::Assign(assign) }
    }

    /// The expression as text.
    pub fn show_expr<'k>(&'k self, expr: &'k Expr) -> impl fmt::Display + 'k {
        Shown { kernel: self, what: What::Expr(expr) }
    }

    /// The access as text.
    pub fn show_access(&self, access: &Access) -> String {
        let mut text = self.tensor(access.tensor).name.clone();
        if let Some(view) = self.views.get(&access.tensor) {
            let coordinates: Vec<String> =
                view.coordinates.iter().map(|seen| self.show_seen(seen, &access.indices)).collect();
            text.push_str(&format!("({})", coordinates.join(", ")));
            return text;
        }
        if !access.indices.is_empty() {
            let names: Vec<&str> = access.indices.iter().map(|index| self.indices[index.0].as_str()).collect();
            text.push_str(&format!("({})", names.join(",")));
        }
        text
    }
}

impl Kernel {
    /// The tensor itself, or the one that it shows.
    pub fn base(&self, id: TensorId) -> TensorId {
        self.views.get(&id).map_or(id, |view| view.of)
    }

    /// The indices of which an access says how far they run: all but those that places are computed from.
    pub fn ranged(&self, access: &Access) -> Vec<Index> {
        let Some(view) = self.views.get(&access.tensor) else { return access.indices.clone() };
        let ranged = |seen: &Seen| match seen {
            Seen::Index(m) | Seen::Slice { index: m, .. } => Some(access.indices[*m]),
            Seen::Computed(_) => None,
        };
        view.coordinates.iter().filter_map(ranged).collect()
    }

    /// A coordinate of a view as text.
    fn show_seen(&self, seen: &Seen, indices: &[Index]) -> String {
        let name = |m: usize| self.indices[indices[m].0].as_str();
        let bound = |bound: &Bound| match bound {
            Bound::Const(n) => n.to_string(),
            Bound::Scalar(id) => self.tensor(*id).name.clone(),
        };
        match seen {
            Seen::Index(m) => name(*m).to_owned(),
            Seen::Slice { index, lo, hi, step } => {
                let lo = if *lo == Bound::Const(0) { String::new() } else { bound(lo) };
                let hi = hi.as_ref().map_or(String::new(), bound);
                let step = if *step == 1 { String::new() } else { format!(":{step}") };
                format!("{} in {lo}:{hi}{step}", name(*index))
            }
            Seen::Computed(coordinate) => show_coordinate(coordinate, &name, 0),
        }
    }
}

fn show_coordinate<'k>(coordinate: &Coordinate, name: &impl Fn(usize) -> &'k str, loosest: u8) -> String {
    match coordinate {
        Coordinate::Index(m) => name(*m).to_owned(),
        Coordinate::Const(n) => n.to_string(),
        Coordinate::Neg(inner) => format!("-{}", show_coordinate(inner, name, u8::MAX)),
        Coordinate::Binary(op, left, right) => {
            let binding = op.binding();
            let (left, right) = (show_coordinate(left, name, binding - 1), show_coordinate(right, name, binding));
            let text = format!("{left} {} {right}", op.symbol());
            if binding <= loosest { format!("({text})") } else { text }
        }
        // No access holds others.
        Coordinate::Var(_) | Coordinate::Counter(_) | Coordinate::Let(..) => String::new(),
    }
}

fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_owned();
    }
    (1usize..).map(|n| format!("{wanted}{n}")).find(|name| !taken(name)).expect("some number is free")
}

enum What<'k> {
    Stmt(&'k Stmt),
    Assign(&'k Assign),
    Expr(&'k Expr),
}

struct Shown<'k> {
    kernel: &'k Kernel,
    what: What<'k>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Stmt(stmt) => self.stmt(f, stmt),
            What::Assign(assign) => self.assign(f, assign),
            What::Expr(expr) => self.expr(f, expr, 0),
        }
    }
}

impl Shown<'_> {
    fn stmt(&self, f: &mut fmt::Formatter<'_>, stmt: &Stmt) -> fmt::Result {
        let bracketed = |f: &mut fmt::Formatter<'_>, stmt: &Stmt, brackets: bool| {
            f.write_str(if brackets { "(" } else { "" })?;
            self.stmt(f, stmt)?;
            f.write_str(if brackets { ")" } else { "" })
        };
        match stmt {
            Stmt::Assign(assign) => self.assign(f, assign),
            Stmt::Forall { index, parallel, body, .. } => {
                write!(f, "forall({}, {}", self.kernel.indices[index.0], if *parallel { "parallel, " } else { "" })?;
                self.stmt(f, body)?;
                f.write_str(")")
            }
            Stmt::Where { consumer, producer } => {
                bracketed(f, consumer, matches!(**consumer, Stmt::Sequence(_)))?;
                f.write_str(" where ")?;
                bracketed(f, producer, matches!(**producer, Stmt::Sequence(_) | Stmt::Where { .. }))
            }
            Stmt::Sequence(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    f.write_str(if at > 0 { "; " } else { "" })?;
                    bracketed(f, part, matches!(part, Stmt::Sequence(_)))?;
                }
                Ok(())
            }
        }
    }

    fn assign(&self, f: &mut fmt::Formatter<'_>, assign: &Assign) -> fmt::Result {
        f.write_str(&self.kernel.show_access(&assign.target))?;
        if let Some(mask) = &assign.mask {
            write!(f, "<{}{}>", if mask.negated { "!" } else { "" }, self.kernel.show_access(&mask.access))?;
        }
        write!(f, " {} ", assign.reduce.map_or("=", Reduction::symbol))?;
        self.expr(f, &assign.value, 0)?;
        match &assign.over {
            Some(semiring) => write!(f, " over {}", semiring.name),
            None => Ok(()),
        }
    }

    fn expr(&self, f: &mut fmt::Formatter<'_>, expr: &Expr, loosest: u8) -> fmt::Result {
        let (op, args) = match expr {
            Expr::Literal(literal) => return write!(f, "{literal}"),
            Expr::Index(index) => return f.write_str(&self.kernel.indices[index.0]),
            Expr::Argument(at) => return write!(f, "argument{at}"),
            Expr::Access(access) => return f.write_str(&self.kernel.show_access(access)),
            Expr::Apply(op, args) => (op, args),
        };
        if let (Operator::Neg, [arg]) = (op, args.as_slice()) {
            f.write_str("-")?;
            return self.expr(f, arg, u8::MAX);
        }
        if let (Some(symbol), [left, right]) = (op.infix(), args.as_slice()) {
            let binding = symbol.binding();
            f.write_str(if binding <= loosest { "(" } else { "" })?;
            self.expr(f, left, if symbol.compares() { binding } else { binding - 1 })?;
            write!(f, " {} ", symbol.symbol())?;
            self.expr(f, right, binding)?;
            return f.write_str(if binding <= loosest { ")" } else { "" });
        }
        write!(f, "{}(", op.name())?;
        for (at, arg) in args.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { "" })?;
            self.expr(f, arg, 0)?;
        }
        f.write_str(")")
    }
}

impl Operator {
    /// The operator between two operands that writes it, if one does.
    pub fn infix(&self) -> Option<BinaryOp> {
        Some(match self {
            Operator::Add | Operator::Plus(_) => BinaryOp::Add,
            Operator::Sub => BinaryOp::Sub,
            Operator::Mul | Operator::Times(_) => BinaryOp::Mul,
            Operator::Div => BinaryOp::Div,
            Operator::Rem => BinaryOp::Rem,
            Operator::Eq => BinaryOp::Eq,
            Operator::Ne => BinaryOp::Ne,
            Operator::Lt => BinaryOp::Lt,
            Operator::Le => BinaryOp::Le,
            Operator::Gt => BinaryOp::Gt,
            Operator::Ge => BinaryOp::Ge,
            Operator::Without => BinaryOp::Without,
            _ => return None,
        })
    }

    /// The operator that `op` writes outside of semirings.
    pub fn from_infix(op: BinaryOp) -> Operator {
        match op {
            BinaryOp::Without => Operator::Without,
            BinaryOp::Eq => Operator::Eq,
            BinaryOp::Ne => Operator::Ne,
            BinaryOp::Lt => Operator::Lt,
            BinaryOp::Le => Operator::Le,
            BinaryOp::Gt => Operator::Gt,
            BinaryOp::Ge => Operator::Ge,
            BinaryOp::Add => Operator::Add,
            BinaryOp::Sub => Operator::Sub,
            BinaryOp::Mul => Operator::Mul,
            BinaryOp::Div => Operator::Div,
            BinaryOp::Rem => Operator::Rem,
        }
    }

    /// Functions that are always there, with the number of their arguments.
    pub const FUNCTIONS: [(&'static str, Operator, usize); 11] = [
        ("min", Operator::Min, 2),
        ("max", Operator::Max, 2),
        ("abs", Operator::Abs, 1),
        ("sqrt", Operator::Sqrt, 1),
        ("and", Operator::And, 2),
        ("or", Operator::Or, 2),
        ("not", Operator::Not, 1),
        ("select", Operator::Select, 2),
        ("first", Operator::First, 2),
        ("second", Operator::Second, 2),
        ("pair", Operator::Pair, 2),
    ];

    /// What it is called as a function.
    pub fn name(&self) -> &str {
        match self {
            Operator::Function(function) => &function.name,
            Operator::Neg => "-",
            Operator::As(ty) => ty.name(),
            op => match op.infix() {
                Some(infix) => infix.symbol(),
                None => Operator::FUNCTIONS.iter().find(|(_, found, _)| found == op).map_or("?", |(name, _, _)| name),
            },
        }
    }

    /// Whether it is computed in the type of its own operands, whatever stands around it.
    pub fn has_own_type(&self) -> bool {
        self.compares() || matches!(self, Operator::And | Operator::Or | Operator::Not | Operator::Sqrt)
    }

    /// Whether it compares two values.
    pub fn compares(&self) -> bool {
        matches!(self, Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge)
    }
}
