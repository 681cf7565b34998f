//! Loops that go along arrays: the number that such a loop counts is nothing but the position of elements, which get names.
//!
//! ```text
//!   for p in pos[i]..pos[i + 1] {               for p in pos[i]..pos[i + 1] along j = crd[p], a_ij = vals[p] {
//!     let j = crd[p] as usize                     let j = j as usize
//!     sum += vals[p] * x[j]                       sum += a_ij * x[j]
//!   }                                           }
//! ```
//!
//! This holds wherever the number only indexes arrays, each of which the body either reads or writes at that position, or at a distance
//! from it that is the same all along, as in a row of a dense matrix. A backend then moves from element to element, and checks once for the
//! whole loop, and not for each array and element, that they exist.

mod arrays;
mod name;

use self::arrays::{Around, Place};
pub(super) use self::arrays::{counted, is_of_loops};
use self::name::ElementNames;
use crate::ir::expr::{Expr, usize};
use crate::ir::kernel::{Kernel, Var};
use crate::ir::stmt::{Block, Domain, Partition, Stmt, Walked};

/// More arrays than this side by side are no longer pleasant to read.
const MAX_ARRAYS: usize = 4;

/// Has every loop that can go along arrays do so.
pub fn run(kernel: &mut Kernel) {
    let (around, mut lengths) = (Around { counted: counted(&kernel.body), shared: Vec::new() }, Vec::new());
    known_lengths(&kernel.body, &kernel.body, &mut lengths);
    let names = ElementNames::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    let mut walks = Walks { kernel, around, lengths, names, parts: Vec::new() };
    walks.block(&mut body);
    kernel.body = body;
}

/// What is known of a kernel, and of what is around a loop.
struct Walks<'k> {
    kernel: &'k mut Kernel,
    around: Around,
    /// Arrays that keep the number of elements that they are made of.
    lengths: Vec<(Var, Expr)>,
    names: ElementNames,
    /// Arrays that loops around deal out.
    parts: Vec<Var>,
}

impl Walks<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.0 {
            let (parts, shared, named) = (self.parts.len(), self.around.shared.len(), self.names.depth());
            if let Stmt::Parallel { domain, owned, scratch, .. } = &*stmt {
                let by_row = matches!(domain, Domain::Entries { .. } | Domain::Rows { .. });
                self.parts.extend(owned.iter().map(|share| share.array));
                let anywhere = owned.iter().filter(|share| by_row || share.partition == Partition::Anywhere);
                self.around.shared.extend(anywhere.map(|share| share.array));
                self.around.shared.extend(scratch.0.iter().filter_map(|stmt| match stmt {
                    Stmt::Slice { slice, .. } => Some(*slice),
                    _ => None,
                }));
            }
            self.go_along(stmt);
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            self.parts.truncate(parts);
            self.around.shared.truncate(shared);
            self.names.leave(named);
        }
    }

    /// Has a loop go along arrays, if it can.
    fn go_along(&mut self, stmt: &mut Stmt) {
        let (p, bounds, most, body) = match stmt {
            Stmt::For { var, lo, hi, body } => (*var, Some((&*lo, &*hi)), MAX_ARRAYS, body),
            Stmt::Parallel { var, domain: Domain::Range { .. }, work, body, .. } if !work.is_task => {
                (*var, None, MAX_ARRAYS, body)
            }
            // The coordinates are gone along as well.
            Stmt::Parallel { var, domain: Domain::Listed { position, .. }, body, .. } => {
                (*position, None, MAX_ARRAYS - usize::from(body.mentions(*var)), body)
            }
            _ => return,
        };
        let Some(places) = self.around.places(self.kernel, p, bounds, body, most) else { return };
        let mut walked = Vec::new();
        for place in places {
            let whole = place.is_at(p) && bounds.is_some_and(|bounds| self.is_whole(place.array, bounds));
            let element = self.names.element(&place, p, body, self.kernel);
            replace(body, &place, element);
            let Place { array, at, written } = place;
            walked.push(Walked { element, array, at, written, whole });
        }
        *body = Stmt::Along { walked, body: std::mem::take(body) }.into();
    }

    /// Whether positions are known to be all of an array's.
    fn is_whole(&self, array: Var, (lo, hi): (&Expr, &Expr)) -> bool {
        if *lo != usize(0) || self.parts.contains(&array) {
            return false;
        }
        let own = Expr::Len(array);
        let mut equal = self.kernel.checks.iter().map(|check| (&check.left, &check.right));
        if *hi == own
            || self.lengths.iter().any(|(v, n)| *v == array && n == hi)
            || equal.any(|(x, y)| (*x == own && y == hi) || (*y == own && x == hi))
        {
            return true;
        }
        // The arrays that a tensor keeps for its nonzeros are of one length.
        let Expr::Len(other) = hi else { return false };
        self.kernel.params.iter().any(|t| [array, *other].iter().all(|v| t.fields.iter().any(|f| f.var == *v)))
    }
}

/// Has a block read and write an element under its name.
fn replace(block: &mut Block, place: &Place, element: Var) {
    for stmt in &mut block.0 {
        for expr in stmt.exprs_mut() {
            expr.rewrite(&mut |e| {
                if place.is_read_by(e) {
                    *e = Expr::Var(element);
                }
            });
        }
        match stmt {
            Stmt::Store(array, at, value) if *array == place.array && *at == place.at => {
                *stmt = Stmt::Assign(element, std::mem::replace(value, usize(0)));
            }
            Stmt::StoreUpdate(array, at, op, value) if *array == place.array && *at == place.at => {
                *stmt = Stmt::Update(element, *op, std::mem::replace(value, usize(0)));
            }
            _ => {}
        }
        stmt.blocks_mut().into_iter().for_each(|inner| replace(inner, place, element));
    }
}

/// The arrays in a block of which the length is known, and what it is: local ones, and those of numbers that keep it.
fn known_lengths(block: &Block, kernel: &Block, lengths: &mut Vec<(Var, Expr)>) {
    for (at, stmt) in block.0.iter().enumerate() {
        if let Stmt::NewLocal { var, len } = stmt {
            lengths.push((*var, usize(*len)));
        }
        if let Stmt::Numbers { var, len } = stmt {
            let mut keeps = true;
            kernel.visit(&mut |stmt| match stmt {
                Stmt::Push(array, _) | Stmt::Resize { array, .. } => keeps &= array != var,
                _ => {}
            });
            len.visit(&mut |e| keeps &= e.own_vars().all(|v| block.0[at..].iter().all(|stmt| !stmt.changes(v))));
            if keeps {
                lengths.push((*var, len.clone()));
            }
        }
        stmt.blocks().into_iter().for_each(|inner| known_lengths(inner, kernel, lengths));
    }
}
