//! Why a kernel is not valid.

/// How deep expressions and blocks may be nested.
pub const MAX_DEPTH: usize = 200;

/// Why a kernel is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A variable is used where it is not declared.
    #[error("`{0}` is used where it is not declared")]
    Undeclared(String),
    /// A variable is declared a second time.
    #[error("`{0}` is declared twice")]
    Redeclared(String),
    /// An expression is of another type than its place asks for.
    #[error("{place} must be {expected}, not {found}")]
    Type {
        /// Where.
        place: String,
        /// What would be right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// An operator is applied to a type that does not have it.
    #[error("there is no `{op}` for {ty}")]
    Operator {
        /// The operator.
        op: String,
        /// The type.
        ty: String,
    },
    /// Something is written that must not be.
    #[error("`{name}` is written, but {reason}")]
    Write {
        /// The variable.
        name: String,
        /// Why it must not be written.
        reason: &'static str,
    },
    /// Something is read that must not be.
    #[error("`{name}` is read, but {reason}")]
    Read {
        /// The variable.
        name: String,
        /// Why it must not be read.
        reason: &'static str,
    },
    /// A `break` outside of any loop that can be left.
    #[error("`break` outside of a `for` or `while`")]
    Break,
    /// A statement goes along arrays, and is not all that a counting loop does.
    #[error("`along` must be all that a loop which counts does")]
    Along,
    /// A parallel loop inside another one.
    #[error("a parallel loop inside a parallel loop")]
    NestedParallel,
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("nested more than {MAX_DEPTH} levels deep")]
    Depth,
}
