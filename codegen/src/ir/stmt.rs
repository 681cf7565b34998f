//! Statements.

use super::expr::Expr;
use super::kernel::Var;
use super::types::{Literal, Scalar};

/// An operator that folds values together: associative, commutative, with a neutral element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// `+=`
    Add,
    /// `*=`
    Mul,
    /// `min=`
    Min,
    /// `max=`
    Max,
    /// `&=`
    And,
    /// `|=`
    Or,
}

impl Reduce {
    /// What folding nothing gives; `None` if the operator does not exist for the type. `and` and `or` of integers are bitwise.
    pub fn identity(self, scalar: Scalar) -> Option<Literal> {
        let boolean = scalar == Scalar::Bool;
        match self {
            Reduce::Add if !boolean => Some(scalar.zero()),
            Reduce::Mul if !boolean => Some(scalar.one()),
            Reduce::Min if !boolean => Some(scalar.max_value()),
            Reduce::Max if !boolean => Some(scalar.min_value()),
            Reduce::And if boolean => Some(Literal::Bool(true)),
            Reduce::Or if boolean => Some(Literal::Bool(false)),
            Reduce::And if scalar.is_integer() => Some(Literal::from_bits(scalar, u64::MAX)),
            Reduce::Or if scalar.is_integer() => Some(scalar.zero()),
            _ => None,
        }
    }

    /// The operator as one of two operands.
    pub fn binary(self) -> super::BinaryOp {
        use super::BinaryOp;
        match self {
            Reduce::Add => BinaryOp::Add,
            Reduce::Mul => BinaryOp::Mul,
            Reduce::Min => BinaryOp::Min,
            Reduce::Max => BinaryOp::Max,
            Reduce::And => BinaryOp::And,
            Reduce::Or => BinaryOp::Or,
        }
    }

    /// The operator as index notation spells it: `+=`, `min=`.
    pub fn symbol(self) -> &'static str {
        match self {
            Reduce::Add => "+=",
            Reduce::Mul => "*=",
            Reduce::Min => "min=",
            Reduce::Max => "max=",
            Reduce::And => "&=",
            Reduce::Or => "|=",
        }
    }
}

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

/// What a parallel loop runs over.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// The numbers from `lo` up to, but not including, `hi`.
    Range {
        /// First number.
        lo: Expr,
        /// One past the last number.
        hi: Expr,
    },
    /// The entries of a store: the loop variable is the coordinate.
    Entries {
        /// The store.
        store: Expr,
        /// The entry's value, where it is wanted.
        value: Option<Var>,
    },
    /// The rows of a matrix, in any order: the loop variable is the row's number. Rows that hold nothing may be left out.
    Rows {
        /// The matrix: an array of stores, or a store of stores.
        matrix: Var,
        /// The row, where it is wanted.
        row: Option<Var>,
    },
    /// The coordinates `crd[lo..hi]`, no two of which are the same: the loop variable is the coordinate.
    Listed {
        /// First position.
        lo: Expr,
        /// One past the last position.
        hi: Expr,
        /// The position, a `usize`.
        position: Var,
        /// The coordinates, an array of `u32`.
        crd: Var,
    },
}

/// How an array is dealt out to the iterations of a parallel loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Partition {
    /// Iteration `i` owns `array[offset + i * stride .. offset + (i + 1) * stride]`.
    Each {
        /// Elements before those of iteration 0.
        offset: Expr,
        /// Elements of each iteration.
        stride: Expr,
    },
    /// Iteration `i` owns `array[pos[i] * stride .. pos[i + 1] * stride]`; in a loop over positions, `i` is the position.
    Segments {
        /// An ascending array of positions.
        pos: Var,
        /// Elements for each position.
        stride: Expr,
    },
    /// In a loop over positions, the iteration at `p` owns `array[p * stride .. (p + 1) * stride]`.
    Positions {
        /// Elements of each iteration.
        stride: Expr,
    },
    /// Any iteration may own any element, and no two iterations own the same one, or both store the same value there.
    Anywhere,
}

/// An array that the iterations of a parallel loop write, and the part of it that is each one's own. Inside the loop the array
/// is indexed as outside of it; reading or writing another iteration's part is an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Owned {
    /// The array.
    pub array: Var,
    /// Who owns which part.
    pub partition: Partition,
}

/// How much an iteration of a parallel loop does: how many of them make a task follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Iteration `i` goes over the positions from `weights[i]` to `weights[i + 1]`.
    pub weights: Option<Var>,
    /// About how many steps it takes besides: 0 for a few instructions, 1 for a loop, 32 for each further loop inside.
    pub steps: usize,
    /// Whether each iteration is a task of its own, whatever it does.
    pub is_task: bool,
}

impl Work {
    /// That of a loop whose iterations are tasks.
    pub const TASK: Work = Work { weights: None, steps: 1, is_task: true };
}

impl Default for Work {
    fn default() -> Work {
        Work { weights: None, steps: 1, is_task: false }
    }
}

/// A step that turns the counts of several tasks into insertion positions, or these into bounds. Each task has a number for each parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Counts behind the first element become places in one array for all parents: parent by parent, and task by task for each of them.
    /// Declares how many places there are.
    Starts(Var),
    /// Counts become places in an array for each parent, task by task. Declares how many places the longest one has.
    StartsWithin(Var),
    /// Places behind the first element, each moved to its end by the task, become the bounds of parents: the array keeps those of the
    /// last task.
    Bounds,
}

impl Turn {
    /// The number that is declared.
    pub fn declares(self) -> Option<Var> {
        match self {
            Turn::Starts(var) | Turn::StartsWithin(var) => Some(var),
            Turn::Bounds => None,
        }
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
    /// Changes a scalar variable.
    Assign(Var, Expr),
    /// `variable op= value`
    Update(Var, Reduce, Expr),
    /// `array[index] = value`
    Store(Var, Expr, Expr),
    /// `array[index] op= value`
    StoreUpdate(Var, Expr, Reduce, Expr),
    /// Appends one element to a growable array.
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
    /// Sorts `array[lo..hi]`, ascending, by the elements themselves or, stably, by `keys[element]`.
    Sort {
        /// An array of integers.
        array: Var,
        /// First position.
        lo: Expr,
        /// One past the last position.
        hi: Expr,
        /// An array of integers that the elements index.
        keys: Option<Var>,
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
    OpenCursor(Var, Expr),
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

    /// The blocks directly inside.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Stmt::For { body, .. }
            | Stmt::While(_, body)
            | Stmt::Rest { body, .. }
            | Stmt::ForEntries { body, .. }
            | Stmt::Gather { body, .. } => vec![body],
            Stmt::If { arms, otherwise } => arms.iter().map(|(_, b)| b).chain([otherwise]).collect(),
            Stmt::Parallel { scratch, body, .. } => vec![scratch, body],
            Stmt::Locate { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// The blocks directly inside, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Stmt::For { body, .. }
            | Stmt::While(_, body)
            | Stmt::Rest { body, .. }
            | Stmt::ForEntries { body, .. }
            | Stmt::Gather { body, .. } => vec![body],
            Stmt::If { arms, otherwise } => arms.iter_mut().map(|(_, b)| b).chain([otherwise]).collect(),
            Stmt::Parallel { scratch, body, .. } => vec![scratch, body],
            Stmt::Locate { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// The expressions directly inside, those of inner blocks left out.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Stmt::Let(_, x)
            | Stmt::Assign(_, x)
            | Stmt::Update(_, _, x)
            | Stmt::Push(_, x)
            | Stmt::While(x, _)
            | Stmt::OpenCursor(_, x)
            | Stmt::CopyArray { len: x, .. }
            | Stmt::Gather { value: x, .. }
            | Stmt::ForEntries { store: x, .. } => vec![x],
            Stmt::NewArray { len, fill, .. } | Stmt::Resize { len, fill, .. } => vec![len, fill],
            Stmt::NewVec { capacity, .. } => capacity.iter().collect(),
            Stmt::Store(_, i, x) | Stmt::StoreUpdate(_, i, _, x) => vec![i, x],
            Stmt::Fill { lo, hi, value, .. } => vec![lo, hi, value],
            Stmt::For { lo, hi, .. } | Stmt::Sort { lo, hi, .. } => vec![lo, hi],
            Stmt::TaskCounts { tasks, parents, .. } => vec![tasks, parents],
            Stmt::If { arms, .. } => arms.iter().map(|(c, _)| c).collect(),
            Stmt::Parallel { domain, owned, .. } => {
                let mut all = match domain {
                    Domain::Range { lo, hi } | Domain::Listed { lo, hi, .. } => vec![lo, hi],
                    Domain::Entries { store, .. } => vec![store],
                    Domain::Rows { .. } => Vec::new(),
                };
                for share in owned {
                    match &share.partition {
                        Partition::Each { offset, stride } => all.extend([offset, stride]),
                        Partition::Segments { stride, .. } | Partition::Positions { stride } => all.push(stride),
                        Partition::Anywhere => {}
                    }
                }
                all
            }
            Stmt::Locate { store, coord, .. } => vec![store, coord],
            Stmt::Comment(_)
            | Stmt::Break
            | Stmt::PrefixSum(_)
            | Stmt::Advance(_)
            | Stmt::Rest { .. }
            | Stmt::FindRows { .. } => Vec::new(),
        }
    }

    /// The expressions directly inside, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Stmt::Let(_, x)
            | Stmt::Assign(_, x)
            | Stmt::Update(_, _, x)
            | Stmt::Push(_, x)
            | Stmt::While(x, _)
            | Stmt::OpenCursor(_, x)
            | Stmt::CopyArray { len: x, .. }
            | Stmt::Gather { value: x, .. }
            | Stmt::ForEntries { store: x, .. } => vec![x],
            Stmt::NewArray { len, fill, .. } | Stmt::Resize { len, fill, .. } => vec![len, fill],
            Stmt::NewVec { capacity, .. } => capacity.iter_mut().collect(),
            Stmt::Store(_, i, x) | Stmt::StoreUpdate(_, i, _, x) => vec![i, x],
            Stmt::Fill { lo, hi, value, .. } => vec![lo, hi, value],
            Stmt::For { lo, hi, .. } | Stmt::Sort { lo, hi, .. } => vec![lo, hi],
            Stmt::TaskCounts { tasks, parents, .. } => vec![tasks, parents],
            Stmt::If { arms, .. } => arms.iter_mut().map(|(c, _)| c).collect(),
            Stmt::Parallel { domain, owned, .. } => {
                let mut all = match domain {
                    Domain::Range { lo, hi } | Domain::Listed { lo, hi, .. } => vec![lo, hi],
                    Domain::Entries { store, .. } => vec![store],
                    Domain::Rows { .. } => Vec::new(),
                };
                for share in owned {
                    match &mut share.partition {
                        Partition::Each { offset, stride } => all.extend([offset, stride]),
                        Partition::Segments { stride, .. } | Partition::Positions { stride } => all.push(stride),
                        Partition::Anywhere => {}
                    }
                }
                all
            }
            Stmt::Locate { store, coord, .. } => vec![store, coord],
            Stmt::Comment(_)
            | Stmt::Break
            | Stmt::PrefixSum(_)
            | Stmt::Advance(_)
            | Stmt::Rest { .. }
            | Stmt::FindRows { .. } => Vec::new(),
        }
    }

    /// The variables that the statement itself declares: for its successors, or (a loop's) for its blocks.
    pub fn declares(&self) -> Vec<Var> {
        match self {
            Stmt::Let(v, _)
            | Stmt::NewArray { var: v, .. }
            | Stmt::CopyArray { var: v, .. }
            | Stmt::NewVec { var: v, .. }
            | Stmt::OpenCursor(v, _)
            | Stmt::FindRows { finder: v, .. }
            | Stmt::For { var: v, .. } => vec![*v],
            Stmt::Gather { coord, row, .. } => vec![*coord, *row],
            Stmt::Parallel { var, domain: Domain::Entries { value, .. } | Domain::Rows { row: value, .. }, .. } => {
                std::iter::once(*var).chain(*value).collect()
            }
            Stmt::Parallel { var, domain: Domain::Listed { position, .. }, .. } => vec![*position, *var],
            Stmt::Parallel { var, .. } => vec![*var],
            Stmt::Rest { coord, value, .. } | Stmt::ForEntries { coord, value, .. } => {
                std::iter::once(*coord).chain(*value).collect()
            }
            Stmt::Locate { value, .. } => value.iter().copied().collect(),
            Stmt::TaskCounts { turn, .. } => turn.declares().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The variables that the statement itself changes after their declaration, inner blocks left out.
    pub fn writes(&self) -> Vec<Var> {
        match self {
            Stmt::Assign(v, _)
            | Stmt::Update(v, _, _)
            | Stmt::Store(v, _, _)
            | Stmt::StoreUpdate(v, _, _, _)
            | Stmt::Push(v, _)
            | Stmt::Resize { array: v, .. }
            | Stmt::Fill { array: v, .. }
            | Stmt::Sort { array: v, .. }
            | Stmt::PrefixSum(v)
            | Stmt::TaskCounts { array: v, .. }
            | Stmt::Advance(v)
            | Stmt::Rest { cursor: v, .. } => vec![*v],
            Stmt::Gather { crd, vals, .. } => vec![*crd, *vals],
            Stmt::Parallel { owned, reductions, .. } => {
                owned.iter().map(|o| o.array).chain(reductions.iter().map(|(v, _)| *v)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Variables that the statement itself reads without an expression: keys of a sort, the positions of segments, what is copied, the
    /// matrix whose rows are asked for.
    pub fn own_reads(&self) -> Vec<Var> {
        match self {
            Stmt::Sort { keys, .. } => keys.iter().copied().collect(),
            Stmt::CopyArray { from, .. } => vec![*from],
            Stmt::FindRows { matrix, .. } => vec![*matrix],
            Stmt::Gather { matrix, flag, .. } => vec![*matrix, *flag],
            Stmt::TaskCounts { array, .. } => vec![*array],
            Stmt::Parallel { domain, owned, .. } => {
                let listed = match domain {
                    Domain::Listed { crd: array, .. } | Domain::Rows { matrix: array, .. } => Some(*array),
                    _ => None,
                };
                let segments = owned.iter().filter_map(|o| match o.partition {
                    Partition::Segments { pos, .. } => Some(pos),
                    Partition::Each { .. } | Partition::Positions { .. } | Partition::Anywhere => None,
                });
                listed.into_iter().chain(segments).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Calls `f` with this statement and every one below it, the outer before the inner.
    pub fn visit(&self, f: &mut impl FnMut(&Stmt)) {
        f(self);
        for block in self.blocks() {
            for stmt in &block.0 {
                stmt.visit(f);
            }
        }
    }

    /// Calls `f` with every expression in this statement and below it.
    pub fn visit_exprs(&self, f: &mut impl FnMut(&Expr)) {
        self.visit(&mut |stmt| {
            for expr in stmt.exprs() {
                expr.visit(f);
            }
        });
    }

    /// Replaces every expression in this statement and below it by what `f` makes of it, the inner before the outer.
    pub fn rewrite_exprs(&mut self, f: &mut impl FnMut(&mut Expr)) {
        for expr in self.exprs_mut() {
            expr.rewrite(f);
        }
        for block in self.blocks_mut() {
            for stmt in &mut block.0 {
                stmt.rewrite_exprs(f);
            }
        }
    }
}

impl Block {
    /// Calls `f` with every statement of the block and below it, the outer before the inner.
    pub fn visit(&self, f: &mut impl FnMut(&Stmt)) {
        for stmt in &self.0 {
            stmt.visit(f);
        }
    }

    /// Calls `f` with every expression in the block and below it.
    pub fn visit_exprs(&self, f: &mut impl FnMut(&Expr)) {
        for stmt in &self.0 {
            stmt.visit_exprs(f);
        }
    }

    /// Whether `v` is read or written anywhere in the block.
    pub fn mentions(&self, v: Var) -> bool {
        let mut found = false;
        self.visit(&mut |s| found |= s.writes().contains(&v) || s.own_reads().contains(&v));
        self.visit_exprs(&mut |e| found |= e.own_vars().contains(&v));
        found
    }

    /// Whether `v` is changed anywhere in the block.
    pub fn changes(&self, v: Var) -> bool {
        let mut found = false;
        self.visit(&mut |s| found |= s.writes().contains(&v));
        found
    }
}
