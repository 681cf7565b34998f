//! Statements and blocks of them.

use super::parallel::{Domain, Owned, Turn, Work};
use super::reduce::Reduce;
use super::walk::Walked;
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;

/// A sequence of statements with a scope of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block(pub Vec<Stmt>);

impl Block {
    /// No statements.
    pub fn new() -> Block {
        Block(Vec::new())
    }

    /// Appends a statement.
    pub fn push(&mut self, stmt: Stmt) {
        self.0.push(stmt);
    }

    /// Appends the statements of another block.
    pub fn append(&mut self, mut other: Block) {
        self.0.append(&mut other.0);
    }

    /// Appends the statements that there are.
    pub fn extend(&mut self, stmts: impl IntoIterator<Item = Stmt>) {
        self.0.extend(stmts);
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<Stmt>> for Block {
    fn from(stmts: Vec<Stmt>) -> Block {
        Block(stmts)
    }
}

impl From<Stmt> for Block {
    fn from(stmt: Stmt) -> Block {
        Block(vec![stmt])
    }
}

impl FromIterator<Stmt> for Block {
    fn from_iter<I: IntoIterator<Item = Stmt>>(iter: I) -> Block {
        Block(iter.into_iter().collect())
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A remark for whoever reads the generated code.
    Comment(String),
    /// Declares a scalar variable, or names a store by reference.
    Let(Var, Expr),
    /// Declares an array of `len` elements, all equal to `fill`.
    NewArray {
        /// The array, growable or not.
        var: Var,
        /// Number of elements.
        len: Expr,
        /// Their value.
        fill: Expr,
    },
    /// Declares an array of `len` zeros that the next parallel loop owns, and nothing touches before: its tasks clear what they do not write.
    /// Iterations that push elements to it fill their parts.
    NewUncleared {
        /// The array.
        var: Var,
        /// Number of elements.
        len: Expr,
    },
    /// Declares an array of so many zeros that nobody else gets: a backend may keep it in registers.
    NewLocal {
        /// The array, not growable.
        var: Var,
        /// Number of elements.
        len: usize,
    },
    /// Declares an array of the first `len` elements of another one of its type.
    CopyArray {
        /// The array, growable or not.
        var: Var,
        /// The array that is copied.
        from: Var,
        /// Number of elements.
        len: Expr,
    },
    /// Declares an empty growable array with room for `capacity` elements.
    NewVec {
        /// The array.
        var: Var,
        /// How many elements it is expected to hold; a hint.
        capacity: Option<Expr>,
    },
    /// Declares a growable array of the numbers from 0 up to, but not including, `len`.
    Numbers {
        /// The array, of `usize`.
        var: Var,
        /// How many numbers there are.
        len: Expr,
    },
    /// Names the part `array[lo..hi]`. That is an array as well, of the same elements, which are read and written under this name only as long
    /// as it is in use.
    Slice {
        /// The part.
        slice: Var,
        /// The array.
        array: Var,
        /// First position.
        lo: Expr,
        /// One past the last position.
        hi: Expr,
        /// Whether elements are changed under this name.
        written: bool,
    },
    /// Changes a scalar variable.
    Assign(Var, Expr),
    /// `variable op= value`
    Update(Var, Reduce, Expr),
    /// `array[index] = value`
    Store(Var, Expr, Expr),
    /// `array[index] op= value`
    StoreUpdate(Var, Expr, Reduce, Expr),
    /// Appends one element to a growable array; in a loop that makes an array, to the iteration's part of it.
    Push(Var, Expr),
    /// Gives a growable array `len` elements; new ones are equal to `fill`.
    Resize {
        /// The array.
        array: Var,
        /// New number of elements.
        len: Expr,
        /// Value of new elements.
        fill: Expr,
    },
    /// Sets `array[lo..hi]` to `value`.
    Fill {
        /// The array.
        array: Var,
        /// First position.
        lo: Expr,
        /// One past the last position.
        hi: Expr,
        /// The value.
        value: Expr,
    },
    /// Sets `array[at..at + len]` to `from[first..first + len]`.
    CopyPart {
        /// The array that is written.
        array: Var,
        /// Where its part begins.
        at: Expr,
        /// Another array of the same scalars.
        from: Var,
        /// Where the part of that one begins.
        first: Expr,
        /// Number of elements.
        len: usize,
    },
    /// Counts `var` from `lo` up to, but not including, `hi`.
    For {
        /// The loop variable, a `usize`.
        var: Var,
        /// First number.
        lo: Expr,
        /// One past the last number.
        hi: Expr,
        /// What is repeated.
        body: Block,
    },
    /// All that an iteration of a loop does that goes along arrays. It stands alone in the body of a loop that counts, which does not read its
    /// number: it may as well move from element to element.
    Along {
        /// The arrays.
        walked: Vec<Walked>,
        /// What is done with the elements.
        body: Block,
    },
    /// Repeats while a condition holds.
    While(Expr, Block),
    /// The first arm whose condition holds, or else the last block.
    If {
        /// Conditions and what follows from them.
        arms: Vec<(Expr, Block)>,
        /// If none holds.
        otherwise: Block,
    },
    /// Leaves the innermost `for` or `while`.
    Break,
    /// A loop whose iterations may run at the same time, in any order.
    Parallel {
        /// The loop variable, a `usize`.
        var: Var,
        /// What it runs over.
        domain: Domain,
        /// The arrays from outside that the iterations write, and who owns which part.
        owned: Vec<Owned>,
        /// Scalars from outside that the iterations fold into with the given operator and do not read.
        reductions: Vec<(Var, Reduce)>,
        /// How much an iteration does.
        work: Work,
        /// Runs once for each task, before its first iteration. What it declares belongs to the task; every iteration must leave
        /// it as it found it.
        scratch: Block,
        /// One iteration.
        body: Block,
    },
    /// Sorts `array[lo..hi]`, ascending, by the elements themselves or, stably, by the keys of each element: `keys[0][element]`, where that is
    /// equal `keys[1][element]`, and so on.
    Sort {
        /// An array of integers.
        array: Var,
        /// First position.
        lo: Expr,
        /// One past the last position.
        hi: Expr,
        /// Arrays of integers that the elements index.
        keys: Vec<Var>,
    },
    /// Replaces each element of an array by the sum of those up to and including it.
    PrefixSum(Var),
    /// Turns what several tasks have counted into where each of them inserts.
    TaskCounts {
        /// Numbers, `usize`: those of the first task for each parent, then those of the next task.
        array: Var,
        /// How many tasks there are.
        tasks: Expr,
        /// How many numbers each has.
        parents: Expr,
        /// How the numbers are changed.
        turn: Turn,
    },
    /// Opens a cursor at the first entry of a store.
    OpenCursor {
        /// The cursor.
        cursor: Var,
        /// The store.
        store: Expr,
        /// Whether ascending order of coordinates is needed.
        ordered: bool,
    },
    /// Moves a cursor, which must be at an entry, to the next one.
    Advance(Var),
    /// Runs `body` for the entry that a cursor is at and all that follow, run by run; the cursor is then at the end.
    Rest {
        /// The cursor.
        cursor: Var,
        /// The coordinate, a `usize`.
        coord: Var,
        /// The value, where it is wanted.
        value: Option<Var>,
        /// What to do with each.
        body: Block,
    },
    /// Runs `body` for each entry of a store: a map.
    ForEntries {
        /// The store.
        store: Expr,
        /// The coordinate, a `usize`.
        coord: Var,
        /// The value, where it is wanted.
        value: Option<Var>,
        /// Whether ascending order of coordinates is needed.
        ordered: bool,
        /// A scalar, and the operator by which the body folds into it and does nothing else. It is at the operator's neutral element
        /// before the loop: parts of the store may be folded at the same time, each from there on, and then together.
        fold: Option<(Var, Reduce)>,
        /// What to do with each.
        body: Block,
    },
    /// Runs `body` for each row of a matrix; where that leaves `flag` true, appends the number of the row to `crd` and a value to `vals`.
    /// Rows that hold nothing are left out, several may be computed at the same time, and what they give is appended in ascending order.
    Gather {
        /// The matrix: an array of stores.
        matrix: Var,
        /// The row's number, a `usize`.
        coord: Var,
        /// The row.
        row: Var,
        /// What computes the entry. It writes nothing but what it declares.
        body: Block,
        /// Whether there is an entry: a `bool` that the body declares.
        flag: Var,
        /// The value of the entry, by what the body declares.
        value: Expr,
        /// A growable array of `u32`.
        crd: Var,
        /// A growable array of values.
        vals: Var,
    },
    /// Declares what finds many rows of a matrix faster than one by one: it is of the type of the matrix, and indexed or searched like it.
    FindRows {
        /// What finds them.
        finder: Var,
        /// The matrix.
        matrix: Var,
    },
    /// Looks a coordinate up in a store.
    Locate {
        /// The store.
        store: Expr,
        /// The coordinate, a `usize`.
        coord: Expr,
        /// The value, where it is wanted; bound in `then`.
        value: Option<Var>,
        /// If it is stored.
        then: Block,
        /// If it is not.
        otherwise: Block,
    },
}

impl Stmt {
    /// `if condition { then }`
    pub fn when(condition: Expr, then: impl Into<Block>) -> Stmt {
        Stmt::If { arms: vec![(condition, then.into())], otherwise: Block::new() }
    }

    /// `if condition { then } else { otherwise }`
    pub fn either(condition: Expr, then: impl Into<Block>, otherwise: impl Into<Block>) -> Stmt {
        Stmt::If { arms: vec![(condition, then.into())], otherwise: otherwise.into() }
    }

    /// `for var in lo..hi { body }`
    pub fn count(var: Var, lo: impl Into<Expr>, hi: impl Into<Expr>, body: impl Into<Block>) -> Stmt {
        Stmt::For { var, lo: lo.into(), hi: hi.into(), body: body.into() }
    }

    /// What is done where all of these conditions hold.
    pub fn when_all(conditions: impl IntoIterator<Item = Expr>, body: Block) -> Block {
        match conditions.into_iter().reduce(Expr::and) {
            None => body,
            Some(all) => Stmt::when(all, body).into(),
        }
    }
}
