//! Parallel loops: an outermost loop whose iterations do not meet.
//!
//! ```text
//!   for i in 0..rows { …; y[i] = sum }              parallel for i in 0..rows, y by i
//!   for i in 0..rows { …; C[i * cols + j] += … }    parallel for i in 0..rows, C by i * cols
//!   for i in 0..n { alpha += x[i] * z[i] }          parallel for i in 0..n, alpha folded
//! ```
//!
//! Iterations do not meet if each writes only the elements that its own number leads to, folds into scalars that it does not read,
//! and fills workspaces that nothing outside of the loop looks at. Those are then made once for each task: lowering leaves a
//! workspace as it found it, or fills it before it is used.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::expr::{BinaryOp, Expr};
use super::kernel::{Kernel, Var};
use super::stmt::{Block, Domain, Owned, Partition, Reduce, Stmt};
use super::types::{Element, Literal, Scalar, Type};

/// The most arrays that one parallel loop writes: the runtime deals out no more.
const MOST_OWNED: usize = 8;

impl Kernel {
    /// Makes each outermost loop parallel whose iterations do not meet. Floating-point sums over a whole loop may then be added up
    /// in another order.
    pub fn parallelize(&mut self) {
        let results: HashSet<Var> = self.result_fields().map(|field| field.var).collect();
        let mut at = 0;
        while at < self.body.0.len() {
            if let Some(found) = self.independent(at, &results) {
                at -= self.replace(at, found);
            }
            at += 1;
        }
    }

    /// What the iterations of the loop at `at` write, if they do not meet.
    fn independent(&self, at: usize, results: &HashSet<Var>) -> Option<Found> {
        let (i, extent, body) = match &self.body.0[at] {
            Stmt::For { var, hi, body, .. } => (*var, Some(hi), body),
            Stmt::ForEntries { store: Expr::Var(store), coord, body, .. } => {
                let Type::Store(ty) = &self.vars[*store].ty else { return None };
                if !matches!(ty.element, Element::Store(_)) {
                    return None;
                }
                (*coord, None, body)
            }
            _ => return None,
        };
        let mut inside = HashSet::new();
        let mut names: HashMap<Var, Expr> = HashMap::new();
        let mut nested = false;
        let mut work = false;
        body.visit(&mut |stmt| {
            inside.extend(stmt.declares());
            nested |= matches!(stmt, Stmt::Parallel { .. });
            work |= matches!(stmt, Stmt::For { .. } | Stmt::While(..) | Stmt::ForEntries { .. } | Stmt::Rest { .. });
            if let Stmt::Let(v, x) = stmt {
                names.insert(*v, x.clone());
            }
        });
        if nested || leaves(body) {
            return None;
        }
        let mut written: BTreeMap<Var, Vec<Stmt>> = BTreeMap::new();
        body.visit(&mut |stmt| {
            for v in stmt.writes().into_iter().filter(|v| !inside.contains(v)) {
                written.entry(v).or_default().push(stmt.clone());
            }
        });
        let mut found = Found::default();
        for (v, writers) in written {
            match &self.vars[v].ty {
                Type::Scalar(scalar) => {
                    let op = folded(v, *scalar, &writers, body)?;
                    extent?;
                    found.reductions.push((v, op));
                }
                Type::Array(_) if !results.contains(&v) && self.is_workspace(v, at) => {
                    extent?;
                    found.scratch.push(v);
                }
                Type::Array(ty) => {
                    let Element::Scalar(scalar) = ty.element else { return None };
                    let own = Own { kernel: self, i, body, names: &names, inside: &inside };
                    let stride = own.stride_of(v, &writers)?;
                    if extent.is_none() && scalar == Scalar::Usize {
                        return None;
                    }
                    let partition = Partition::Each { offset: Literal::Usize(0).into(), stride };
                    found.owned.push(Owned { array: v, partition });
                }
                _ => return None,
            }
        }
        // A loop that only copies is bound by memory, and done before tasks have started.
        let empty = found.owned.is_empty() && found.reductions.is_empty();
        if empty || found.owned.len() > MOST_OWNED || !(work || !found.reductions.is_empty() || found.owned.len() > 1) {
            return None;
        }
        Some(found)
    }

    /// Whether an array is a workspace that is declared at the top, above the loop at `at`, and mentioned nowhere else but in the loop.
    fn is_workspace(&self, v: Var, at: usize) -> bool {
        let declares = |stmt: &Stmt| stmt.declares().contains(&v);
        self.vars[v].workspace
            && self.body.0[..at].iter().any(declares)
            && self
                .body
                .0
                .iter()
                .enumerate()
                .all(|(k, stmt)| k == at || declares(stmt) || !Block::from(stmt.clone()).mentions(v))
    }

    /// Puts the parallel loop in the place of the one at `at`. Returns how many statements before it went away.
    fn replace(&mut self, at: usize, found: Found) -> usize {
        let (var, domain, body) = match std::mem::replace(&mut self.body.0[at], Stmt::Break) {
            Stmt::For { var, lo, hi, body } => (var, Domain::Range { lo, hi }, body),
            Stmt::ForEntries { store, coord, value, body, .. } => (coord, Domain::Entries { store, value }, body),
            other => {
                self.body.0[at] = other;
                return 0;
            }
        };
        let Found { owned, reductions, scratch } = found;
        let mut made = Block::new();
        let mut kept = Vec::new();
        for (k, stmt) in std::mem::take(&mut self.body.0).into_iter().enumerate() {
            if k < at && stmt.declares().iter().any(|v| scratch.contains(v)) {
                made.push(stmt);
            } else {
                kept.push(stmt);
            }
        }
        self.body.0 = kept;
        let gone = made.0.len();
        self.body.0[at - gone] = Stmt::Parallel { var, domain, owned, reductions, scratch: made, body };
        gone
    }
}

/// What the iterations of a loop write.
#[derive(Default)]
struct Found {
    owned: Vec<Owned>,
    reductions: Vec<(Var, Reduce)>,
    scratch: Vec<Var>,
}

/// Whether a block leaves the loop around it.
fn leaves(body: &Block) -> bool {
    body.0.iter().any(|stmt| match stmt {
        Stmt::Break => true,
        Stmt::For { .. } | Stmt::While(..) => false,
        _ => stmt.blocks().into_iter().any(leaves),
    })
}

/// The operator by which a scalar from outside is folded into, if that is all that happens to it.
fn folded(v: Var, scalar: Scalar, writers: &[Stmt], body: &Block) -> Option<Reduce> {
    let Some(Stmt::Update(_, op, _)) = writers.first() else { return None };
    let same = writers.iter().all(|stmt| matches!(stmt, Stmt::Update(_, o, _) if o == op));
    let mut read = false;
    body.visit_exprs(&mut |e| read |= e.own_vars().contains(&v));
    (same && !read && op.identity(scalar).is_some()).then_some(*op)
}

/// The body of a loop over `i`, asked what belongs to each iteration.
struct Own<'a> {
    kernel: &'a Kernel,
    i: Var,
    body: &'a Block,
    /// What variables of the body stand for.
    names: &'a HashMap<Var, Expr>,
    /// What the body declares.
    inside: &'a HashSet<Var>,
}

impl Own<'_> {
    /// How many elements of an array belong to each iteration, if every access of the body stays among its own.
    fn stride_of(&self, v: Var, writers: &[Stmt]) -> Option<Expr> {
        let mut indices = Vec::new();
        for stmt in writers {
            match stmt {
                Stmt::Store(_, index, _) | Stmt::StoreUpdate(_, index, ..) => indices.push(index.clone()),
                _ => return None,
            }
        }
        let mut other = false;
        self.body.visit(&mut |stmt| other |= stmt.own_reads().contains(&v));
        self.body.visit_exprs(&mut |e| match e {
            Expr::Load(a, index) if *a == v => indices.push((**index).clone()),
            e => other |= e.own_vars().contains(&v),
        });
        if other {
            return None;
        }
        let mut stride = None;
        for index in indices {
            let own = self.stride(&index)?;
            if *stride.get_or_insert_with(|| own.clone()) != own {
                return None;
            }
        }
        stride
    }

    /// `s` if a position is one of `i * s .. (i + 1) * s` for certain.
    fn stride(&self, index: &Expr) -> Option<Expr> {
        let i = Expr::Var(self.i);
        match index {
            Expr::Var(v) if *v == self.i => Some(Literal::Usize(1).into()),
            Expr::Var(v) => self.stride(self.names.get(v)?),
            Expr::Binary(BinaryOp::Mul, x, s) if **x == i && self.is_invariant(s) => Some((**s).clone()),
            Expr::Binary(BinaryOp::Add, x, rest) => match (&**x, &**rest) {
                (Expr::Binary(BinaryOp::Mul, y, s), Expr::Var(rest))
                    if **y == i && self.is_invariant(s) && self.is_below(*rest, s) =>
                {
                    Some((**s).clone())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether an expression is the same in every iteration.
    fn is_invariant(&self, e: &Expr) -> bool {
        let mut same = true;
        e.visit(&mut |e| {
            same &= match e {
                Expr::Var(v) => *v != self.i && !self.inside.contains(v),
                Expr::Literal(_) | Expr::Binary(..) | Expr::Len(_) => true,
                _ => false,
            }
        });
        same
    }

    /// Whether a variable is below `end` for certain, or would be no coordinate of the dimension that has that extent.
    fn is_below(&self, v: Var, end: &Expr) -> bool {
        let equal = |hi: &Expr| {
            hi == end
                || self.kernel.checks.iter().any(|check| {
                    (check.left == *hi && check.right == *end) || (check.right == *hi && check.left == *end)
                })
        };
        let mut known = false;
        self.body.visit(&mut |stmt| match stmt {
            Stmt::For { var, hi, .. } if *var == v => known |= equal(hi),
            // Coordinates that are kept in memory are below the extent.
            Stmt::Let(w, Expr::Cast(Scalar::Usize, x)) if *w == v => known |= matches!(**x, Expr::Load(..)),
            Stmt::ForEntries { coord, .. } | Stmt::Rest { coord, .. } if *coord == v => known = true,
            _ => {}
        });
        known
    }
}
