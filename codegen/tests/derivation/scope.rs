//! Checks that a machine can be emitted as it stands: every variable is assigned in the lexical scope in which it is
//! read, first assignments are marked as such, and every path through a block ends by going on elsewhere.

use std::collections::HashSet;

use pleach_codegen::derive::ir::{Jump, Machine, Place, Stmt, Test, Value, VarId, Yield};

pub fn assert_scoped(machine: &Machine<'_>) {
    let mut names = HashSet::new();
    for block in &machine.blocks {
        assert!(names.insert(&block.name), "two blocks called {}", block.name);
        let mut check = Check { machine, block: &block.name };
        let ends = check.body(&block.body, &mut block.params.iter().copied().collect());
        assert!(ends, "{} does not say where to go on\n{machine}", block.name);
    }
}

struct Check<'a> {
    machine: &'a Machine<'a>,
    block: &'a str,
}

type Scope = HashSet<VarId>;

impl Check<'_> {
    /// Says whether every path ends in a jump.
    fn body(&mut self, body: &[Stmt], scope: &mut Scope) -> bool {
        let mut ends = false;
        for stmt in body {
            assert!(!ends, "{} goes on behind a jump\n{}", self.block, self.machine);
            ends = self.stmt(stmt, scope);
        }
        ends
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &mut Scope) -> bool {
        match stmt {
            Stmt::Yield(run) => self.run(run, scope),
            Stmt::Call { .. } => panic!("a machine calls nothing"),
            Stmt::Let { var, value } => {
                self.value(value, scope);
                assert!(
                    scope.insert(*var),
                    "{} assigns {var:?} for the first time twice\n{}",
                    self.block,
                    self.machine
                );
            }
            Stmt::Set { var, value } => {
                self.value(value, scope);
                self.var(*var, scope);
            }
            Stmt::Next(var) => self.var(*var, scope),
            Stmt::If { test, then, otherwise } => {
                let mut inner = scope.clone();
                match test {
                    Test::Some { value, bound } => {
                        self.value(value, scope);
                        inner.insert(*bound);
                    }
                    Test::Within { slot, arrays } => {
                        self.var(*slot, scope);
                        arrays.iter().for_each(|array| self.place(array, scope));
                    }
                    Test::Present(run) => self.run(run, scope),
                    Test::Stretch { array, from, lo, hi } => {
                        self.place(array, scope);
                        self.var(*from, scope);
                        inner.extend([*lo, *hi]);
                    }
                }
                let then = self.body(then, &mut inner);
                return self.body(otherwise, &mut scope.clone()) && then;
            }
            Stmt::Match { node, arms } => {
                self.var(*node, scope);
                let mut ends = true;
                for arm in arms {
                    let mut inner = scope.clone();
                    inner.insert(arm.var);
                    ends &= self.body(&arm.body, &mut inner);
                }
                return ends;
            }
            Stmt::For { slot, arrays, body } => {
                arrays.iter().for_each(|array| self.place(array, scope));
                let mut inner = scope.clone();
                inner.insert(*slot);
                assert!(!self.body(body, &mut inner));
            }
            Stmt::Loop { body, .. } => return self.body(body, &mut scope.clone()),
            Stmt::Goto(jump) => {
                self.jump(jump, scope);
                return true;
            }
            Stmt::Push(jump) => self.jump(jump, scope),
            Stmt::Again(_) | Stmt::Return => return true,
            Stmt::Suspend { run, resume } => {
                self.run(run, scope);
                self.jump(resume, scope);
                return true;
            }
        }
        false
    }

    fn jump(&self, jump: &Jump, scope: &Scope) {
        assert_eq!(jump.arguments.len(), self.machine.blocks[jump.block.0].params.len());
        jump.arguments.iter().for_each(|value| self.value(value, scope));
    }

    fn run(&self, run: &Yield, scope: &Scope) {
        self.place(run.place(), scope);
        if let Yield::Stretch { lo, hi, .. } = run {
            self.var(*lo, scope);
            self.var(*hi, scope);
        }
    }

    fn value(&self, value: &Value, scope: &Scope) {
        match value {
            Value::Var(var) => self.var(*var, scope),
            Value::Child(place) => self.place(place, scope),
            Value::Zero => {}
        }
    }

    fn place(&self, place: &Place, scope: &Scope) {
        self.var(place.node, scope);
        place.slot.iter().for_each(|slot| self.var(*slot, scope));
    }

    fn var(&self, var: VarId, scope: &Scope) {
        assert!(scope.contains(&var), "{} reads {var:?} out of scope\n{}", self.block, self.machine);
    }
}
