//! Stage 1: a schema to coroutines, one for each type of nodes and each supertype.
//!
//! Each yields its node's elements and calls on its children, in the order of the node's `seq` (or, where coordinate
//! order is not needed, elements first). A coroutine may be called with a reference that is null, and begins with a check
//! for that. Paper: §4.3, Figure 11a.

use super::ir::{Arm, Place, Proc, ProcId, Program, Stmt, Test, Value, VarId, VarKind, Vars, Yield};
use super::{Order, names};
use crate::schema::model::{Extent, FieldId, FieldKind, Model, Node, NodeId, SuperId, Target, Term};

/// The coroutines that visit `model` in `order`. The first one is the handle's.
pub fn coroutine(model: &Model, order: Order) -> Program<'_> {
    let mut program = Program { model, vars: Vars::default(), procs: Vec::new(), labels: 0 };
    let mut targets: Vec<Target> = vec![Target::Node(model.handle)];
    for id in (0..model.supertypes.len()).map(SuperId) {
        if model.nodes.iter().any(|node| node.children().any(|(_, target, _)| target == Target::Super(id))) {
            targets.push(Target::Super(id));
        }
    }
    targets.extend(model.node_ids().filter(|&id| id != model.handle).map(Target::Node));
    let nullable = |target: Target| {
        let mut references = model.nodes.iter().flat_map(Node::children);
        references.any(|(_, to, slots)| to == target && !slots.nonempty)
    };
    let procs = Callees { targets: &targets };
    for &target in &targets {
        let name = var_name(model, target);
        let param = program.vars.add(&name, VarKind::Node(target));
        let visited = match nullable(target) {
            true => {
                let bound = program.vars.add(&name, VarKind::Node(target));
                program.vars.0[bound.0].alias = Some(Value::Var(param));
                bound
            }
            false => param,
        };
        let body = match target {
            Target::Node(node) => {
                let mut body = Body { model, node, order, var: visited, procs: &procs, vars: &mut program.vars };
                body.stmts()
            }
            Target::Super(supertype) => {
                let arms = model.supertype(supertype).subtypes.iter().map(|&node| {
                    let target = Target::Node(node);
                    let var = program.vars.add(var_name(model, target), VarKind::Node(target));
                    let call = Stmt::Call { proc: procs.of(target), argument: Value::Var(var) };
                    Arm { node, var, body: vec![call] }
                });
                vec![Stmt::Match { node: visited, arms: arms.collect() }]
            }
        };
        let body = match visited == param {
            true => body,
            false => {
                let test = Test::Some { value: Value::Var(param), bound: visited };
                vec![Stmt::If { test, then: body, otherwise: Vec::new() }]
            }
        };
        program.procs.push(Proc { target, param, body });
    }
    names::unique_in_program(&mut program);
    program
}

/// `ctree n`, `prefix p`: nodes are called `n`, except for the handle and for subtypes, which go by the first letter of
/// (the last word of) their name.
fn var_name(model: &Model, target: Target) -> String {
    let initial = |word: &str| word.chars().next().map_or("n".to_owned(), |c| c.to_ascii_lowercase().to_string());
    match target {
        Target::Node(node) if node == model.handle => initial(model.node(node).name.trim_start_matches('_')),
        Target::Node(node) if model.node(node).supertype.is_some() => {
            let mut words = model.node(node).name.rsplit('_').filter(|word| !word.is_empty());
            initial(words.next().unwrap_or("n"))
        }
        _ => "n".to_owned(),
    }
}

struct Callees<'a> {
    targets: &'a [Target],
}

impl Callees<'_> {
    fn of(&self, target: Target) -> ProcId {
        let at = self.targets.iter().position(|&other| other == target);
        ProcId(at.expect("every target of a reference has a coroutine"))
    }
}

/// The body of the coroutine of one type of nodes.
struct Body<'a> {
    model: &'a Model,
    node: NodeId,
    order: Order,
    var: VarId,
    procs: &'a Callees<'a>,
    vars: &'a mut Vars,
}

impl<'a> Body<'a> {
    fn node(&self) -> &'a Node {
        self.model.node(self.node)
    }

    fn stmts(&mut self) -> Vec<Stmt> {
        let sequence = &self.node().sequence;
        match self.order {
            Order::Coordinate => sequence.iter().flat_map(|term| self.term(term)).collect(),
            Order::Storage => {
                let of = |elems: bool| {
                    let node = self.node();
                    sequence.iter().filter_map(move |term| {
                        let fields = term.fields().iter().copied();
                        let fields: Vec<FieldId> = fields.filter(|&id| node.field(id).is_elem() == elems).collect();
                        (!fields.is_empty()).then(|| match term {
                            Term::One(field) => vec![Term::One(*field)],
                            // Nothing is interleaved where only elements are visited.
                            Term::Interleaved(_) | Term::Bag(_) if elems => fields.into_iter().map(Term::Bag).collect(),
                            Term::Interleaved(_) => vec![Term::Interleaved(fields)],
                            Term::Bag(field) => vec![Term::Bag(*field)],
                        })
                    })
                };
                let terms: Vec<Term> = of(true).chain(of(false)).flatten().collect();
                terms.iter().flat_map(|term| self.term(term)).collect()
            }
        }
    }

    fn term(&mut self, term: &Term) -> Vec<Stmt> {
        match term {
            Term::One(field) => vec![self.slot(*field, None)],
            Term::Bag(field) => vec![self.whole(*field)],
            Term::Interleaved(fields) => match &fields[..] {
                [field] => vec![self.whole(*field)],
                fields => vec![self.interleaved(fields)],
            },
        }
    }

    fn place(&self, field: FieldId, slot: Option<VarId>) -> Place {
        Place { node: self.var, field, slot }
    }

    /// One element or one child.
    fn slot(&mut self, field: FieldId, slot: Option<VarId>) -> Stmt {
        let place = self.place(field, slot);
        match &self.node().field(field).kind {
            FieldKind::Child { target, .. } => {
                Stmt::Call { proc: self.procs.of(*target), argument: Value::Child(place) }
            }
            _ => Stmt::Yield(Yield::One(place)),
        }
    }

    /// An array by itself.
    fn whole(&mut self, field: FieldId) -> Stmt {
        let elem = self.node().field(field);
        let place = self.place(field, None);
        match elem.is_elem() {
            true if elem.slots().is_some_and(|slots| slots.nonempty) => Stmt::Yield(Yield::Run(place)),
            true => Stmt::Yield(Yield::Slots(place)),
            false => self.interleaved(&[field]),
        }
    }

    /// Arrays slot by slot. Where one is shorter than another, every slot is checked against its length.
    fn interleaved(&mut self, fields: &[FieldId]) -> Stmt {
        let slot = self.vars.add("k", VarKind::Slot);
        let extents: Vec<Option<&Extent>> = fields.iter().map(|&field| self.extent(field)).collect();
        let equal = extents.iter().all(|extent| *extent == extents[0]);
        let mut body = Vec::new();
        for &field in fields {
            let stmt = self.slot(field, Some(slot));
            body.push(match equal {
                true => stmt,
                false => {
                    let test = Test::Within { slot, arrays: vec![self.place(field, None)] };
                    Stmt::If { test, then: vec![stmt], otherwise: Vec::new() }
                }
            });
        }
        let counted = if equal { &fields[..1] } else { fields };
        let arrays = counted.iter().map(|&field| self.place(field, None)).collect();
        Stmt::For { slot, arrays, body }
    }

    fn extent(&self, field: FieldId) -> Option<&'a Extent> {
        self.node().field(field).slots()?.array.as_ref().map(|array| &array.extent)
    }
}
