//! Runs programs and machines over an abstract heap.
//!
//! A program's variables live as long as an activation of its procedure; a machine's block can read its parameters only, so that a missing
//! parameter is found.

use std::collections::HashMap;

use pleach_codegen::derive::ir::{
    Block, Jump, Label, Machine, Place, ProcId, Program, Stmt, Test, Value, VarId, Yield,
};

use crate::heap::Heap;
use crate::visit::{Run, stretches};

#[derive(Clone, Copy, Debug)]
enum Is {
    Node(Option<usize>),
    Slot(usize),
}

type Vars = HashMap<VarId, Is>;

/// How a statement ended.
enum Flow {
    Next,
    Again(Label),
    Goto(usize, Vec<Is>),
    Return,
}

struct Interpreter<'a> {
    heap: &'a Heap,
    program: Option<&'a Program<'a>>,
    stack: Vec<(usize, Vec<Is>)>,
    out: Vec<Run>,
}

pub fn program(program: &Program<'_>, heap: &Heap) -> Vec<Run> {
    let mut interpreter = Interpreter { heap, program: Some(program), stack: Vec::new(), out: Vec::new() };
    interpreter.call(ProcId(0), Is::Node(Some(heap.handle)));
    interpreter.out
}

pub fn machine(machine: &Machine<'_>, heap: &Heap) -> Vec<Run> {
    let mut interpreter = Interpreter { heap, program: None, stack: Vec::new(), out: Vec::new() };
    let mut at = 0;
    let mut arguments: Vec<Is> = machine.blocks[0].params.iter().map(|_| Is::Node(Some(heap.handle))).collect();
    assert!(arguments.len() <= 1);
    loop {
        let Block { params, body, name } = &machine.blocks[at];
        assert_eq!(params.len(), arguments.len(), "{name}");
        let mut vars: Vars = params.iter().copied().zip(arguments).collect();
        (at, arguments) = match interpreter.body(body, &mut vars) {
            Flow::Goto(block, arguments) => (block, arguments),
            Flow::Return => match interpreter.stack.pop() {
                Some(frame) => frame,
                None => return interpreter.out,
            },
            Flow::Next | Flow::Again(_) => panic!("{name} does not say where to go on"),
        };
    }
}

impl Interpreter<'_> {
    fn call(&mut self, proc: ProcId, argument: Is) {
        let proc = &self.program.unwrap().procs[proc.0];
        match self.body(&proc.body, &mut HashMap::from([(proc.param, argument)])) {
            Flow::Next => {}
            _ => panic!("a procedure ends at its end"),
        }
    }

    fn body(&mut self, body: &[Stmt], vars: &mut Vars) -> Flow {
        for stmt in body {
            match self.stmt(stmt, vars) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, stmt: &Stmt, vars: &mut Vars) -> Flow {
        match stmt {
            Stmt::Yield(run) => self.hand_out(run, vars),
            Stmt::Call { proc, argument } => {
                let argument = self.value(argument, vars);
                self.call(*proc, argument);
            }
            Stmt::Let { var, value } | Stmt::Set { var, value } => {
                let value = self.value(value, vars);
                vars.insert(*var, value);
            }
            Stmt::Next(var) => {
                let next = self.slot(*var, vars) + 1;
                vars.insert(*var, Is::Slot(next));
            }
            Stmt::If { test, then, otherwise } => {
                return match self.test(test, vars) {
                    true => self.body(then, vars),
                    false => self.body(otherwise, vars),
                };
            }
            Stmt::Match { node, arms } => {
                let node = self.node(*node, vars);
                let arm = arms.iter().find(|arm| arm.node == self.heap.nodes[node].ty).expect("an arm for each type");
                vars.insert(arm.var, Is::Node(Some(node)));
                return self.body(&arm.body, vars);
            }
            Stmt::For { slot, arrays, body } => {
                let length = self.longest(arrays, vars);
                for at in 0..length {
                    vars.insert(*slot, Is::Slot(at));
                    match self.body(body, vars) {
                        Flow::Next => {}
                        flow => return flow,
                    }
                }
            }
            Stmt::Loop { label, body } => loop {
                match self.body(body, vars) {
                    Flow::Again(again) if again == *label => {}
                    flow => return flow,
                }
            },
            Stmt::Again(label) => return Flow::Again(*label),
            Stmt::Goto(jump) => {
                let (block, arguments) = self.jump(jump, vars);
                return Flow::Goto(block, arguments);
            }
            Stmt::Push(jump) => {
                let frame = self.jump(jump, vars);
                self.stack.push(frame);
            }
            Stmt::Return => return Flow::Return,
            Stmt::Suspend { run, resume } => {
                let before = self.out.len();
                self.hand_out(run, vars);
                assert_eq!(self.out.len(), before + 1, "a step hands one run out");
                let (block, arguments) = self.jump(resume, vars);
                return Flow::Goto(block, arguments);
            }
        }
        Flow::Next
    }

    fn jump(&self, jump: &Jump, vars: &Vars) -> (usize, Vec<Is>) {
        (jump.block.0, jump.arguments.iter().map(|value| self.value(value, vars)).collect())
    }

    fn test(&self, test: &Test, vars: &mut Vars) -> bool {
        match test {
            Test::Some { value, bound } => match self.value(value, vars) {
                Is::Node(Some(node)) => {
                    vars.insert(*bound, Is::Node(Some(node)));
                    true
                }
                Is::Node(None) => false,
                Is::Slot(_) => panic!("a position is no reference"),
            },
            Test::Within { slot, arrays } => self.slot(*slot, vars) < self.longest(arrays, vars),
            Test::Present(Yield::One(place)) => self.is_there(place, vars),
            Test::Present(Yield::Run(place)) => self.longest(&[*place], vars) > 0,
            Test::Present(run) => panic!("{run:?} is looked for stretch by stretch"),
            Test::Stretch { array, from, lo, hi } => {
                let mut all = Vec::new();
                stretches(self.heap, self.node(array.node, vars), array.field, &mut all);
                let from = self.slot(*from, vars);
                let Some((.., first, end)) = all.into_iter().find(|(.., end)| *end > from) else { return false };
                vars.insert(*lo, Is::Slot(first.max(from)));
                vars.insert(*hi, Is::Slot(end));
                true
            }
        }
    }

    fn hand_out(&mut self, run: &Yield, vars: &Vars) {
        let Place { node, field, slot } = *run.place();
        let node = self.node(node, vars);
        match run {
            Yield::One(place) => {
                let slot = slot.map_or(0, |slot| self.slot(slot, vars));
                if self.is_there(place, vars) {
                    self.out.push((node, field, slot, slot + 1));
                }
            }
            Yield::Run(_) => {
                let slots = self.heap.elems(node, field);
                assert!(slots.iter().all(|&there| there), "no gaps in a run");
                if !slots.is_empty() {
                    self.out.push((node, field, 0, slots.len()));
                }
            }
            Yield::Slots(_) => stretches(self.heap, node, field, &mut self.out),
            Yield::Stretch { lo, hi, .. } => {
                self.out.push((node, field, self.slot(*lo, vars), self.slot(*hi, vars)));
            }
        }
    }

    fn is_there(&self, place: &Place, vars: &Vars) -> bool {
        let slot = place.slot.map_or(0, |slot| self.slot(slot, vars));
        self.heap.elems(self.node(place.node, vars), place.field)[slot]
    }

    fn longest(&self, arrays: &[Place], vars: &Vars) -> usize {
        let used = |array: &Place| self.heap.used[self.node(array.node, vars)][array.field.0];
        arrays.iter().map(used).max().unwrap()
    }

    fn value(&self, value: &Value, vars: &Vars) -> Is {
        match value {
            Value::Var(var) => vars[var],
            Value::Child(Place { node, field, slot }) => {
                let slot = slot.map_or(0, |slot| self.slot(slot, vars));
                Is::Node(self.heap.children(self.node(*node, vars), *field)[slot])
            }
            Value::Zero => Is::Slot(0),
        }
    }

    fn node(&self, var: VarId, vars: &Vars) -> usize {
        match vars[&var] {
            Is::Node(Some(node)) => node,
            other => panic!("{other:?} is no node"),
        }
    }

    fn slot(&self, var: VarId, vars: &Vars) -> usize {
        match vars[&var] {
            Is::Slot(slot) => slot,
            Is::Node(_) => panic!("a node is no position"),
        }
    }
}
