//! What statements consist of, read, write and declare.

use super::block::{Block, Stmt};
use super::parallel::{Domain, Partition};
use crate::ir::expr::Expr;
use crate::ir::kernel::Var;

/// The blocks directly inside of a statement, shared or mutable.
macro_rules! blocks {
    ($stmt:expr, $iter:ident) => {
        match $stmt {
            Stmt::For { body, .. }
            | Stmt::Along { body, .. }
            | Stmt::While(_, body)
            | Stmt::Rest { body, .. }
            | Stmt::ForEntries { body, .. }
            | Stmt::Gather { body, .. } => vec![body],
            Stmt::If { arms, otherwise } => arms.$iter().map(|(_, b)| b).chain([otherwise]).collect(),
            Stmt::Parallel { scratch, body, .. } => vec![scratch, body],
            Stmt::Locate { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    };
}

/// The expressions directly inside of a statement, shared or mutable, without those of its blocks.
macro_rules! exprs {
    ($stmt:expr, $iter:ident $(, $mutable:ident)?) => {
        match $stmt {
            Stmt::Let(_, x)
            | Stmt::Assign(_, x)
            | Stmt::Update(_, _, x)
            | Stmt::Push(_, x)
            | Stmt::While(x, _)
            | Stmt::OpenCursor { store: x, .. }
            | Stmt::CopyArray { len: x, .. }
            | Stmt::NewUncleared { len: x, .. }
            | Stmt::Numbers { len: x, .. }
            | Stmt::Gather { value: x, .. }
            | Stmt::ForEntries { store: x, .. } => vec![x],
            Stmt::NewArray { len, fill, .. } | Stmt::Resize { len, fill, .. } => vec![len, fill],
            Stmt::NewVec { capacity, .. } => capacity.$iter().collect(),
            Stmt::Store(_, i, x) | Stmt::StoreUpdate(_, i, _, x) => vec![i, x],
            Stmt::Fill { lo, hi, value, .. } => vec![lo, hi, value],
            Stmt::For { lo, hi, .. } | Stmt::Sort { lo, hi, .. } | Stmt::Slice { lo, hi, .. } => vec![lo, hi],
            Stmt::Along { walked, .. } => walked.$iter().map(|one| &$($mutable)? one.at).collect(),
            Stmt::CopyPart { at, first, .. } => vec![at, first],
            Stmt::TaskCounts { tasks, parents, .. } => vec![tasks, parents],
            Stmt::If { arms, .. } => arms.$iter().map(|(c, _)| c).collect(),
            Stmt::Parallel { domain, owned, .. } => {
                let mut all = match domain {
                    Domain::Range { lo, hi } | Domain::Listed { lo, hi, .. } => vec![lo, hi],
                    Domain::Entries { store, .. } => vec![store],
                    Domain::Rows { .. } => Vec::new(),
                };
                for share in owned {
                    match &$($mutable)? share.partition {
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
            | Stmt::NewLocal { .. }
            | Stmt::PrefixSum(_)
            | Stmt::Advance(_)
            | Stmt::Rest { .. }
            | Stmt::FindRows { .. } => Vec::new(),
        }
    };
}

impl Stmt {
    /// The blocks directly inside.
    pub fn blocks(&self) -> Vec<&Block> {
        blocks!(self, iter)
    }

    /// The blocks directly inside, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        blocks!(self, iter_mut)
    }

    /// The expressions directly inside, without those of inner blocks.
    pub fn exprs(&self) -> Vec<&Expr> {
        exprs!(self, iter)
    }

    /// The expressions directly inside, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        exprs!(self, iter_mut, mut)
    }

    /// The variables that the statement itself declares: for its successors, or (a loop's) for its blocks.
    pub fn declares(&self) -> Vec<Var> {
        match self {
            Stmt::Let(v, _)
            | Stmt::NewArray { var: v, .. }
            | Stmt::NewLocal { var: v, .. }
            | Stmt::CopyArray { var: v, .. }
            | Stmt::NewUncleared { var: v, .. }
            | Stmt::NewVec { var: v, .. }
            | Stmt::Numbers { var: v, .. }
            | Stmt::OpenCursor { cursor: v, .. }
            | Stmt::FindRows { finder: v, .. }
            | Stmt::Slice { slice: v, .. }
            | Stmt::For { var: v, .. } => vec![*v],
            Stmt::Along { walked, .. } => walked.iter().map(|one| one.element).collect(),
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
            | Stmt::Slice { array: v, written: true, .. }
            | Stmt::CopyPart { array: v, .. }
            | Stmt::Sort { array: v, .. }
            | Stmt::PrefixSum(v)
            | Stmt::TaskCounts { array: v, .. }
            | Stmt::Advance(v)
            | Stmt::Rest { cursor: v, .. } => vec![*v],
            Stmt::Along { walked, .. } => walked.iter().filter(|one| one.written).map(|one| one.array).collect(),
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
            Stmt::Sort { keys, .. } => keys.clone(),
            Stmt::CopyArray { from, .. } | Stmt::CopyPart { from, .. } => vec![*from],
            Stmt::Slice { array, written: false, .. } => vec![*array],
            Stmt::Along { walked, .. } => walked.iter().filter(|one| !one.written).map(|one| one.array).collect(),
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

    /// The names under which elements of arrays are changed, and these arrays.
    pub fn written_names(&self) -> Vec<(Var, Var)> {
        match self {
            Stmt::Slice { slice, array, written: true, .. } => vec![(*slice, *array)],
            Stmt::Along { walked, .. } => {
                walked.iter().filter(|one| one.written).map(|one| (one.element, one.array)).collect()
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

    /// Whether `v` is read or written in this statement or below it.
    pub fn mentions(&self, v: Var) -> bool {
        let mut found = false;
        self.visit(&mut |s| found |= s.writes().contains(&v) || s.own_reads().contains(&v));
        self.visit_exprs(&mut |e| found |= e.names(v));
        found
    }

    /// Whether `v` is changed in this statement or below it.
    pub fn changes(&self, v: Var) -> bool {
        let mut found = false;
        self.visit(&mut |s| found |= s.writes().contains(&v));
        found
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
        self.0.iter().any(|stmt| stmt.mentions(v))
    }

    /// How often the block reads or writes `v`.
    pub fn uses(&self, v: Var) -> usize {
        let mut count = 0;
        self.visit(&mut |s| {
            count += usize::from(s.writes().contains(&v)) + usize::from(s.own_reads().contains(&v));
        });
        self.visit_exprs(&mut |e| count += usize::from(e.names(v)));
        count
    }

    /// Whether `v` is changed anywhere in the block.
    pub fn changes(&self, v: Var) -> bool {
        self.0.iter().any(|stmt| stmt.changes(v))
    }
}
