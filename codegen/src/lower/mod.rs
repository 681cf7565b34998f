//! Lowers a plan to kernel IR: loops, cases, and how values are read and written.
//!
//! ```text
//! forall(i, S)      the operands whose next level keeps i  ─ lattice ─►  loops and cases
//! S where T         a workspace: a scalar, an array, an array that remembers where it was written
//! A(i,j) op= e      a value, if the algebra leaves one; written in place, appended, or collected
//! ```
//!
//! A kernel is lowered by its plan (`crate::plan`), node by node: nothing is decided here, and emitted code is not changed any more. What is
//! emitted for a level is said in `crate::tensor`. Statements that cannot be computed in the given formats are refused before. The plan knows
//! three ways around a format that loops cannot read as it is stored:
//!
//! * One operand drives a fold: its entries are taken in the order in which they are stored, and the others are looked up.
//!   `y(i) += A(i,j) * x(j)` is computed so on COO, DIA, ELL, BCSR and CSB.
//! * Equal coordinates that follow each other, as in ordered COO, are taken as one, and equal entries are added up (chaining). So
//!   COO + CSR merges without a copy.
//! * An operand is sorted into compressed levels in the order of the loops before they start: where its levels come in another order (a
//!   transpose), keep computed coordinates, or cannot be merged as they are. `A + Aᵀ`, CSR + CSC and sums with DIA, ELL, BCSR, unordered
//!   COO or hash tables are computed so, for one sort.
//!
//! A sparse result to whose levels entries cannot be appended is collected as a list of entries, of which `crate::convert` makes the levels.
//!
//! Loops that are written by hand keep their order: the compiler refuses a format that would have to be sorted for it
//! (`notation::check_orders`), and sorts a shifted operand.
//!
//! # Files
//!
//! ```text
//! nest                       the state: the values of indices, and where operands have been followed to
//! stored                     where tensors are stored
//! loops, lead, flags, swap   loops that merge operands: by cases, behind the map of a store, by flags, along the shorter row
//! arms                       the cases of one loop
//! parallel, drive            loops that are dealt out to tasks, and loops over all entries of one operand
//! assign, value, presence    one assignment: its condition, its value, its write
//! access, view               the value of one access
//! operand, workspace         what operands are read from, and how they are walked
//! result                     results: their places, and their levels at the end
//! ranges                     extents
//! ```

mod access;
mod arms;
mod assign;
mod drive;
mod flags;
mod lead;
mod loops;
mod nest;
mod operand;
mod parallel;
mod presence;
mod ranges;
mod result;
mod stored;
mod swap;
mod value;
mod view;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::nest::{Lower, State};
use self::stored::Storage;
use crate::checks::Checks;
use crate::ir::{self, Access as IrAccess, Block, Field, Scalar, Stmt as IrStmt, Var, Vars};
use crate::notation::concrete::{Kernel, Role, Tensor, TensorId};
use crate::plan::{Node, Plan};
use crate::tensor::{Levels, described, prefix, scalar};

/// The fields of the results that have been made.
type Made = BTreeMap<TensorId, Vec<Field>>;

/// Lowers a kernel by its plan.
pub fn lower(kernel: &Kernel, plan: &Plan) -> ir::Kernel {
    lowered(kernel, plan, |lower, body, results| lower.statement(body, results))
}

/// A kernel without a body: its parameters, and the checks before it starts.
pub(crate) fn interface(kernel: &Kernel, plan: &Plan) -> ir::Kernel {
    lowered(kernel, plan, |_, _, _| ())
}

fn lowered(kernel: &Kernel, plan: &Plan, statement: fn(&mut Lower<'_>, &mut Block, &mut Made)) -> ir::Kernel {
    let mut stores = vec![None; kernel.tensors.len()];
    let mut vars = Vars::new();
    let params = parameters(kernel, plan, &mut vars, &mut stores);
    let (mut body, mut results) = (Block::new(), BTreeMap::new());
    let mut checks = Checks::new(kernel, given(&params));
    let mut functions = Vec::new();
    for plan in &plan.statements {
        let mut lower = Lower {
            kernel,
            plan,
            vars,
            functions,
            stores,
            extents: BTreeMap::new(),
            sources: Vec::new(),
            prelude: Block::new(),
            scratch: None,
            conditions: None,
        };
        lower.show_views(&mut checks);
        lower.ranges(&mut checks);
        lower.end_shifted();
        checks.sizes(plan, &lower.extents);
        statement(&mut lower, &mut body, &mut results);
        Lower { vars, functions, stores, .. } = lower;
    }
    let made = kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Result);
    let mut fields = |at| results.remove(&TensorId(at)).unwrap_or_default();
    let results =
        made.map(|(at, tensor)| described(&tensor.name, tensor.format.as_ref(), IrAccess::Write, fields(at))).collect();
    let doc = plan.statements.iter().map(|statement| statement.text.clone()).collect();
    ir::Kernel { name: kernel.name.clone(), doc, vars, functions, params, checks: checks.into_found(), body, results }
}

/// The variables of the extents of parameters, and of scalar parameters.
fn given(params: &[ir::Tensor]) -> BTreeSet<Var> {
    let fields = params.iter().flat_map(|tensor| &tensor.fields);
    fields.filter(|field| field.level.is_none() && field.name != "vals").map(|field| field.var).collect()
}

/// The parameters, and where each of them is stored.
fn parameters(kernel: &Kernel, plan: &Plan, vars: &mut Vars, stores: &mut [Option<Storage>]) -> Vec<ir::Tensor> {
    let written = kernel.written(plan.statements.iter().map(|statement| &statement.stmt));
    let params = kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Param);
    let param = |(at, tensor): (usize, &Tensor)| {
        let (storage, fields) = passed(vars, tensor);
        stores[at] = Some(storage);
        let access = if written.contains(&TensorId(at)) { IrAccess::Write } else { IrAccess::Read };
        described(&tensor.name, tensor.format.as_ref(), access, fields)
    };
    params.map(param).collect()
}

fn passed(vars: &mut Vars, tensor: &Tensor) -> (Storage, Vec<Field>) {
    match &tensor.format {
        None => {
            let var = vars.fresh(prefix(&tensor.name), scalar(tensor.value));
            (Storage::Scalar { var, flag: None }, vec![Field { name: "value".into(), level: None, var }])
        }
        Some(format) => {
            let (levels, fields) = Levels::passed(vars, &tensor.name, format, tensor.value);
            (Storage::Levels(Arc::new(levels)), fields)
        }
    }
}

impl Lower<'_> {
    /// A statement by its plan: what it makes, its operands, its loops, and the levels of results that were collected.
    fn statement(&mut self, body: &mut Block, results: &mut BTreeMap<TensorId, Vec<Field>>) {
        let plan = self.plan;
        plan.made.iter().for_each(|assign| self.make(assign, body, results));
        self.read_operands();
        let lowered = self.node(&plan.root, &State::default());
        body.append(std::mem::take(&mut self.prelude));
        body.append(lowered);
        plan.made.iter().for_each(|assign| self.finish(assign, body, results));
    }

    /// What is done at a place of the statement.
    fn node(&mut self, node: &Node, state: &State) -> Block {
        match node {
            Node::Nothing => Block::new(),
            Node::Assign(one) => self.assign(one, state),
            Node::Loop(at) => {
                let plan = self.plan;
                let one = &plan.loops[*at];
                let mut block = Block::new();
                let found = self.looked_up(one.body.accesses(), state, &mut block);
                block.append(self.forall(one, found.as_ref().unwrap_or(state)));
                block
            }
            Node::Where(one) => self.where_(one, state),
            Node::Sequence(parts) => {
                let mut block = Block::new();
                parts.iter().for_each(|part| block.append(self.node(part, state)));
                block
            }
            Node::Stored { at, present, absent } => {
                let entry = self.is_entry(*at, state);
                let mut here = state.clone();
                here.test(*at, None);
                let (present, absent) = (self.node(present, &here), self.node(absent, state));
                match (present.is_empty(), absent.is_empty()) {
                    (true, true) => Block::new(),
                    (_, true) => IrStmt::when(entry, present).into(),
                    _ => IrStmt::either(entry, present, absent).into(),
                }
            }
            Node::Flagged { at, body } => {
                let mut entry = self.is_entry(*at, state);
                if let Some(flag) = state.at(*at).flag {
                    entry = ir::Expr::Var(flag).and(entry);
                }
                let here = self.vars.fresh(format!("{}_here", self.tensor_name(*at)), Scalar::Bool);
                let mut block = Block::from(IrStmt::Let(here, entry));
                let mut state = state.clone();
                state.test(*at, Some(here));
                block.append(self.node(body, &state));
                block
            }
            Node::Driven { at, searched, deal, body, .. } => self.driven(*at, searched, deal.as_ref().ok(), body),
        }
    }
}
