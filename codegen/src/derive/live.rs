//! Which variables a block needs: those that are read, in it or in a block after it, before they are assigned.

use std::collections::{BTreeSet, HashMap};

use super::ir::{Jump, Label, Place, Stmt, Test, Value, VarId, Yield};

pub(super) type Set = BTreeSet<VarId>;

/// The variables that are live where each of `bodies` begins. Jumps carry no arguments yet.
pub(super) fn live(bodies: &[&[Stmt]]) -> Vec<Set> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    for (from, body) in bodies.iter().enumerate() {
        super::ir::visit(body, &mut |stmt| {
            if let Stmt::Goto(jump) | Stmt::Push(jump) | Stmt::Suspend { resume: jump, .. } = stmt
                && callers[jump.block.0].last() != Some(&from)
            {
                callers[jump.block.0].push(from);
            }
        });
    }
    let mut live: Vec<Set> = vec![Set::new(); bodies.len()];
    let mut waiting: Vec<usize> = (0..bodies.len()).collect();
    let mut waits = vec![true; bodies.len()];
    while let Some(at) = waiting.pop() {
        waits[at] = false;
        let mut loops = HashMap::new();
        let now = before(bodies[at], Set::new(), &live, &mut loops);
        if now != live[at] {
            live[at] = now;
            for &caller in &callers[at] {
                if !std::mem::replace(&mut waits[caller], true) {
                    waiting.push(caller);
                }
            }
        }
    }
    live
}

/// What is live before `body` if `after` is live behind it.
fn before(body: &[Stmt], after: Set, blocks: &[Set], loops: &mut HashMap<Label, Set>) -> Set {
    let mut live = after;
    for stmt in body.iter().rev() {
        live = before_stmt(stmt, live, blocks, loops);
    }
    live
}

fn before_stmt(stmt: &Stmt, after: Set, blocks: &[Set], loops: &mut HashMap<Label, Set>) -> Set {
    let mut live = match stmt {
        Stmt::Yield(_) | Stmt::Call { .. } | Stmt::Next(_) => after,
        Stmt::Let { var, .. } | Stmt::Set { var, .. } => without(after, &[*var]),
        Stmt::If { test, then, otherwise } => {
            let then = before(then, after.clone(), blocks, loops);
            let mut then = match test {
                Test::Some { bound, .. } => without(then, &[*bound]),
                Test::Stretch { lo, hi, .. } => without(then, &[*lo, *hi]),
                Test::Within { .. } | Test::Present(_) => then,
            };
            then.extend(before(otherwise, after, blocks, loops));
            then
        }
        Stmt::Match { arms, .. } => {
            let mut all = Set::new();
            for arm in arms {
                all.extend(without(before(&arm.body, after.clone(), blocks, loops), &[arm.var]));
            }
            all
        }
        Stmt::For { slot, body, .. } => {
            let mut live = after.clone();
            loop {
                let mut again = before(body, live.clone(), blocks, loops);
                again.extend(after.iter().copied());
                if again == live {
                    break without(live, &[*slot]);
                }
                live = again;
            }
        }
        Stmt::Loop { label, body } => {
            let mut live = Set::new();
            loop {
                loops.insert(*label, live.clone());
                let again = before(body, after.clone(), blocks, loops);
                if again == live {
                    break live;
                }
                live = again;
            }
        }
        Stmt::Again(label) => loops.get(label).cloned().unwrap_or_default(),
        Stmt::Goto(Jump { block, .. }) | Stmt::Suspend { resume: Jump { block, .. }, .. } => blocks[block.0].clone(),
        Stmt::Push(Jump { block, .. }) => {
            let mut live = after;
            live.extend(blocks[block.0].iter().copied());
            live
        }
        Stmt::Return => Set::new(),
    };
    read(stmt, &mut live);
    live
}

fn without(mut set: Set, vars: &[VarId]) -> Set {
    for var in vars {
        set.remove(var);
    }
    set
}

/// Adds what a statement itself reads.
fn read(stmt: &Stmt, live: &mut Set) {
    match stmt {
        Stmt::Yield(run) | Stmt::Suspend { run, .. } => read_yield(run, live),
        Stmt::Call { argument: value, .. } | Stmt::Let { value, .. } | Stmt::Set { value, .. } => {
            read_value(value, live);
        }
        Stmt::Next(var) => {
            live.insert(*var);
        }
        Stmt::If { test, .. } => match test {
            Test::Some { value, .. } => read_value(value, live),
            Test::Within { slot, arrays } => {
                live.insert(*slot);
                arrays.iter().for_each(|array| read_place(array, live));
            }
            Test::Present(run) => read_yield(run, live),
            Test::Stretch { array, from, .. } => {
                read_place(array, live);
                live.insert(*from);
            }
        },
        Stmt::Match { node, .. } => {
            live.insert(*node);
        }
        Stmt::For { arrays, .. } => arrays.iter().for_each(|array| read_place(array, live)),
        Stmt::Loop { .. } | Stmt::Again(_) | Stmt::Goto(_) | Stmt::Push(_) | Stmt::Return => {}
    }
}

pub(super) fn read_yield(run: &Yield, live: &mut Set) {
    read_place(run.place(), live);
    if let Yield::Stretch { lo, hi, .. } = run {
        live.extend([*lo, *hi]);
    }
}

pub(super) fn read_value(value: &Value, live: &mut Set) {
    match value {
        Value::Var(var) => {
            live.insert(*var);
        }
        Value::Child(place) => read_place(place, live),
        Value::Zero => {}
    }
}

fn read_place(place: &Place, live: &mut Set) {
    live.insert(place.node);
    live.extend(place.slot);
}
