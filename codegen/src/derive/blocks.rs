//! Cuts bodies into blocks that jump: behind every call for stage 4, behind every run handed out for stage 5.
//!
//! Bodies are cut from their end. A statement that must be cut, such as a call, makes a block of
//! what follows it; other statements stay as they are, with their contents. At this stage jumps carry no
//! arguments: variables are registers, and [`finish`](super::finish) finds out later what each block needs.

use std::collections::HashMap;

use super::ir::{
    Arm, Block, BlockId, Jump, Label, Machine, Place, Proc, Stmt, Test, Value, VarId, VarKind, Vars, Yield, bodies,
    field,
};
use crate::schema::model::Model;

/// What a body is cut behind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Calls, which become jumps that leave what follows on the stack.
    Calls,
    /// Yielded runs, at which the traversal stops until the next call.
    Yields,
}

/// Where control continues at the end of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Return,
    Goto(BlockId),
}

pub(super) struct Cutter<'a, 'm> {
    cut: Cut,
    machine: Machine<'m>,
    procs: &'a [Proc],
    /// The first block of each procedure.
    entries: Vec<BlockId>,
    /// Blocks that loops became.
    heads: HashMap<Label, BlockId>,
    /// A block that does nothing but return, once one is needed.
    leave: Option<BlockId>,
}

impl<'a, 'm> Cutter<'a, 'm> {
    /// A cutter with a block for each of `entries`, which are still to be [filled](Cutter::fill).
    pub(super) fn new(
        cut: Cut,
        model: &'m Model,
        vars: Vars,
        labels: usize,
        entries: Vec<String>,
        procs: &'a [Proc],
    ) -> Cutter<'a, 'm> {
        let machine = Machine { model, vars, blocks: Vec::new(), labels };
        let mut cutter = Cutter { cut, machine, procs, entries: Vec::new(), heads: HashMap::new(), leave: None };
        cutter.entries = entries.iter().map(|name| cutter.block(name)).collect();
        cutter
    }

    /// Cuts the body of an entry.
    pub(super) fn fill(&mut self, entry: usize, body: &[Stmt]) {
        let block = self.entries[entry];
        self.machine.blocks[block.0].body = match body {
            // A loop that is all there is begins where the entry does.
            [Stmt::Loop { label, body: round }] if self.is_cut(&body[0]) => {
                self.heads.insert(*label, block);
                self.body(round, Then::Return)
            }
            body => self.body(body, Then::Return),
        };
    }

    pub(super) fn finish(self) -> Machine<'m> {
        self.machine
    }

    /// A new block without a body. Names are made unique when it is known which blocks remain.
    fn block(&mut self, name: &str) -> BlockId {
        self.machine.blocks.push(Block { name: name.to_owned(), params: Vec::new(), body: Vec::new() });
        BlockId(self.machine.blocks.len() - 1)
    }

    /// Cuts `body`, after which control continues in `then`.
    fn body(&mut self, body: &[Stmt], then: Then) -> Vec<Stmt> {
        // From its end, and turned around until it is complete.
        let mut after = vec![go(then)];
        for stmt in body.iter().rev() {
            match stmt {
                _ if !self.is_cut(stmt) => after.push(stmt.clone()),
                // Nothing follows what jumps.
                Stmt::Goto(_) | Stmt::Return => after = vec![stmt.clone()],
                Stmt::Push(_) => after.push(stmt.clone()),
                stmt => {
                    after.reverse();
                    let then = match &after[..] {
                        [Stmt::Return] => Then::Return,
                        [Stmt::Goto(jump)] => Then::Goto(jump.block),
                        _ => {
                            let block = self.block(&self.name(stmt));
                            self.machine.blocks[block.0].body = after;
                            Then::Goto(block)
                        }
                    };
                    after = self.stmt(stmt, then);
                    after.reverse();
                }
            }
        }
        after.reverse();
        after
    }

    /// Whether a statement cannot stay as it is.
    fn is_cut(&self, stmt: &Stmt) -> bool {
        let itself = match stmt {
            Stmt::Call { .. } | Stmt::Goto(_) | Stmt::Push(_) | Stmt::Return => true,
            Stmt::Yield(_) => self.cut == Cut::Yields,
            Stmt::Again(label) => self.heads.contains_key(label),
            _ => false,
        };
        itself || bodies(stmt).into_iter().any(|body| body.iter().any(|stmt| self.is_cut(stmt)))
    }

    /// A statement that is cut, after which control continues in `then`.
    fn stmt(&mut self, stmt: &Stmt, then: Then) -> Vec<Stmt> {
        match stmt {
            Stmt::Call { proc, argument } => {
                let mut jump = Vec::new();
                if let Then::Goto(block) = then {
                    jump.push(Stmt::Push(to(block)));
                }
                jump.push(Stmt::Set { var: self.procs[proc.0].param, value: *argument });
                jump.push(Stmt::Goto(to(self.entries[proc.0])));
                jump
            }
            Stmt::Yield(run) => self.hand_out(run, then),
            Stmt::If { test, then: yes, otherwise } => {
                let yes = self.body(yes, then);
                let mut both = vec![Stmt::If { test: test.clone(), then: yes, otherwise: Vec::new() }];
                both.extend(self.body(otherwise, then));
                both
            }
            Stmt::Match { node, arms } => {
                let arms = arms
                    .iter()
                    .map(|arm| Arm { node: arm.node, var: arm.var, body: self.body(&arm.body, then) })
                    .collect();
                vec![Stmt::Match { node: *node, arms }]
            }
            Stmt::For { slot, arrays, body } => {
                let head = self.block(&format!("each_{}", self.field_name(&arrays[0])));
                let mut round = body.clone();
                round.push(Stmt::Next(*slot));
                let round = self.body(&round, Then::Goto(head));
                let test = Test::Within { slot: *slot, arrays: arrays.clone() };
                let next = Stmt::If { test, then: round, otherwise: Vec::new() };
                self.machine.blocks[head.0].body = vec![next, go(then)];
                vec![Stmt::Let { var: *slot, value: Value::Zero }, go(Then::Goto(head))]
            }
            Stmt::Loop { label, body } => {
                let head = self.block("again");
                self.heads.insert(*label, head);
                self.machine.blocks[head.0].body = self.body(body, then);
                vec![go(Then::Goto(head))]
            }
            Stmt::Again(label) => vec![go(Then::Goto(self.heads[label]))],
            stmt => unreachable!("{stmt:?} is not cut"),
        }
    }

    /// Stops with a run, if there is one.
    fn hand_out(&mut self, run: &Yield, then: Then) -> Vec<Stmt> {
        let place = *run.place();
        let slots = field(self.machine.model, &self.machine.vars, &place).slots();
        let node = match self.machine.vars.get(place.node).kind {
            VarKind::Node(crate::schema::model::Target::Node(node)) => Some(self.machine.model.node(node)),
            _ => None,
        };
        let always = match (run, slots, node) {
            (Yield::One(_), Some(slots), _) => slots.nonempty,
            (Yield::Run(_), Some(slots), Some(node)) => node.min_slots(slots) > 0,
            (Yield::Stretch { .. }, ..) => true,
            _ => false,
        };
        match run {
            Yield::Slots(array) => {
                let vars = &mut self.machine.vars;
                let [from, lo, hi] = ["p", "lo", "hi"].map(|name| vars.add(name, VarKind::Slot));
                let head = self.block(&format!("stretch_{}", self.field_name(array)));
                let test = Test::Stretch { array: *array, from, lo, hi };
                let stop = vec![
                    Stmt::Set { var: from, value: Value::Var(hi) },
                    Stmt::Suspend { run: Yield::Stretch { array: *array, lo, hi }, resume: to(head) },
                ];
                self.machine.blocks[head.0].body = vec![Stmt::If { test, then: stop, otherwise: Vec::new() }, go(then)];
                vec![Stmt::Let { var: from, value: Value::Zero }, go(Then::Goto(head))]
            }
            run => {
                let resume = match then {
                    Then::Goto(block) => block,
                    Then::Return => self.leave(),
                };
                let stop = Stmt::Suspend { run: *run, resume: to(resume) };
                match always {
                    true => vec![stop],
                    false => {
                        let test = Test::Present(*run);
                        vec![Stmt::If { test, then: vec![stop], otherwise: Vec::new() }, go(then)]
                    }
                }
            }
        }
    }

    fn leave(&mut self) -> BlockId {
        if let Some(block) = self.leave {
            return block;
        }
        let block = self.block("leave");
        self.machine.blocks[block.0].body = vec![Stmt::Return];
        self.leave = Some(block);
        block
    }

    /// What the block behind a statement is called: after the field that the statement visits last.
    fn name(&self, stmt: &Stmt) -> String {
        let mut place = None;
        super::ir::visit(std::slice::from_ref(stmt), &mut |stmt| match stmt {
            Stmt::Call { argument, .. } => place = self.place_of(argument).or(place),
            Stmt::Yield(run) => place = Some(*run.place()),
            Stmt::Set { value, .. } => place = self.place_of(value).or(place),
            _ => {}
        });
        place.map_or("after".to_owned(), |place| format!("after_{}", self.field_name(&place)))
    }

    fn place_of(&self, value: &Value) -> Option<Place> {
        match value {
            Value::Child(place) => Some(*place),
            Value::Var(var) => match self.var_alias(*var) {
                Some(Value::Child(place)) => Some(place),
                _ => None,
            },
            Value::Zero => None,
        }
    }

    fn var_alias(&self, var: VarId) -> Option<Value> {
        self.machine.vars.get(var).alias
    }

    fn field_name(&self, place: &Place) -> String {
        field(self.machine.model, &self.machine.vars, place).name.to_ascii_lowercase()
    }
}

fn to(block: BlockId) -> Jump {
    Jump { block, arguments: Vec::new() }
}

fn go(then: Then) -> Stmt {
    match then {
        Then::Return => Stmt::Return,
        Then::Goto(block) => Stmt::Goto(to(block)),
    }
}
