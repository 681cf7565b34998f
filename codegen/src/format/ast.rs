//! The text of `format` declarations as a tree.

use crate::diagnostic::Span;
use crate::notation::ast::{Expr, Name};

/// `format bcsr<M, N>(i, j) = (i / M): dense, (j / N): compressed, (i % M): dense, (j % N): dense fill 0`.
#[derive(Clone, Debug)]
pub struct FormatDecl {
    /// Its name.
    pub name: Name,
    /// `<M, N = 4>`: whole numbers that uses give.
    pub params: Vec<FormatParam>,
    /// The tensor's own indices, in their order.
    pub indices: Vec<Name>,
    /// The levels, outermost first.
    pub levels: Vec<LevelDecl>,
    /// `fill inf`: the value of what is not stored.
    pub fill: Option<Expr>,
    /// The whole item.
    pub span: Span,
}

/// A parameter of a format, with what it is if not given.
#[derive(Clone, Debug)]
pub struct FormatParam {
    /// Its name.
    pub name: Name,
    /// Its value if none is given.
    pub default: Option<i64>,
}

/// `(i / M): dense`: which coordinate, kept how.
#[derive(Clone, Debug)]
pub struct LevelDecl {
    /// The coordinate, computed from the tensor's own.
    pub coordinate: Remap,
    /// How it is kept.
    pub kind: LevelKind,
    /// Both.
    pub span: Span,
}

/// `compressed(nonunique)`, `blist<64>`.
#[derive(Clone, Debug)]
pub struct LevelKind {
    /// A static level, or a store's name.
    pub name: Name,
    /// Whole numbers for the store's parameters.
    pub args: Vec<i64>,
    /// Property switches.
    pub switches: Vec<Name>,
    /// All of it.
    pub span: Span,
}

/// A format where one is used: by name, or written in place.
#[derive(Clone, Debug)]
pub enum FormatRef {
    /// `csr`, `bcsr<4, 4>`.
    Named {
        /// The name.
        name: Name,
        /// Whole numbers for its parameters.
        args: Vec<i64>,
        /// All of it.
        span: Span,
    },
    /// `(dense, ctree)`: one level for each index, in their order.
    Nameless {
        /// The levels.
        levels: Vec<LevelKind>,
        /// All of it.
        span: Span,
    },
}

impl FormatRef {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            FormatRef::Named { span, .. } | FormatRef::Nameless { span, .. } => *span,
        }
    }

    /// Has it stand at another place, with all of its parts.
    pub fn move_to(&mut self, place: Span) {
        match self {
            FormatRef::Named { name, span, .. } => (name.span, *span) = (place, place),
            FormatRef::Nameless { levels, span } => {
                *span = place;
                for level in levels {
                    (level.name.span, level.span) = (place, place);
                    level.switches.iter_mut().for_each(|switch| switch.span = place);
                }
            }
        }
    }
}

/// Coordinate remapping notation (the conversion paper, section 4.1).
#[derive(Clone, Debug)]
pub struct Remap {
    /// What it is.
    pub kind: RemapKind,
    /// Where it stands.
    pub span: Span,
}

impl PartialEq for Remap {
    fn eq(&self, other: &Remap) -> bool {
        self.kind == other.kind
    }
}

/// What a remapping expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum RemapKind {
    /// A whole number.
    Const(i64),
    /// An index, a parameter, or a variable of a `let`.
    Name(Name),
    /// `#i j`: how many nonzeros with these coordinates came before this one.
    Counter(Vec<Name>),
    /// `-a`.
    Neg(Box<Remap>),
    /// `a + b`.
    Binary {
        /// The operator.
        op: RemapOp,
        /// The left operand.
        left: Box<Remap>,
        /// The right operand.
        right: Box<Remap>,
    },
    /// `let r = i / N in r & 1`.
    Let {
        /// The variable.
        name: Name,
        /// Its value.
        value: Box<Remap>,
        /// Where it is seen.
        body: Box<Remap>,
    },
}

/// Operators of the remapping notation, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum RemapOp {
    Or,
    Xor,
    And,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl RemapOp {
    /// Its spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            RemapOp::Or => "|",
            RemapOp::Xor => "^",
            RemapOp::And => "&",
            RemapOp::Shl => "<<",
            RemapOp::Shr => ">>",
            RemapOp::Add => "+",
            RemapOp::Sub => "-",
            RemapOp::Mul => "*",
            RemapOp::Div => "/",
            RemapOp::Rem => "%",
        }
    }

    /// How tightly it binds. All group from the left; a `let` binds with 1.
    pub fn binding(self) -> u8 {
        match self {
            RemapOp::Or => 2,
            RemapOp::Xor => 3,
            RemapOp::And => 4,
            RemapOp::Shl | RemapOp::Shr => 5,
            RemapOp::Add | RemapOp::Sub => 6,
            RemapOp::Mul | RemapOp::Div | RemapOp::Rem => 7,
        }
    }
}
