//! Makes blocks readable after they were cut: jumps that lead only to jumps are shortened, blocks with one way in are
//! merged into where it comes from, jumps of a block to itself become loops, and each block gets the parameters that it needs.

use std::collections::{HashMap, HashSet};

use super::ir::{Block, BlockId, Jump, Label, Machine, Stmt, Test, Value, VarId, bodies_mut, depth, visit};
use super::live::{self, live};
use super::names;
use crate::schema::model::type_name;

/// Blocks are merged into others as long as statements are nested no deeper than this.
const DEEPEST: usize = 64;

pub(super) fn finish(mut machine: Machine<'_>) -> Machine<'_> {
    shorten(&mut machine);
    merge(&mut machine);
    drop_unreachable(&mut machine);
    for at in 0..machine.blocks.len() {
        loop_on_itself(&mut machine, BlockId(at));
    }
    hand_on(&mut machine);
    names::unique_in_machine(&mut machine);
    machine
}

/// Where a jump to a block ends up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Return,
    Block(BlockId),
}

/// Leads jumps past blocks that do nothing but jump.
fn shorten(machine: &mut Machine<'_>) {
    let next: Vec<Option<End>> = machine
        .blocks
        .iter()
        .map(|block| match &block.body[..] {
            [Stmt::Return] => Some(End::Return),
            [Stmt::Goto(jump)] => Some(End::Block(jump.block)),
            _ => None,
        })
        .collect();
    let end = |from: BlockId| {
        let mut at = from;
        for _ in 0..next.len() {
            match next[at.0] {
                None => break,
                Some(End::Return) => return End::Return,
                Some(End::Block(to)) => at = to,
            }
        }
        End::Block(at)
    };
    fn walk(body: &mut Vec<Stmt>, end: &impl Fn(BlockId) -> End) {
        body.retain_mut(|stmt| {
            match stmt {
                Stmt::Goto(jump) => match end(jump.block) {
                    End::Return => *stmt = Stmt::Return,
                    End::Block(block) => jump.block = block,
                },
                // What would only return need not be on the stack.
                Stmt::Push(jump) => match end(jump.block) {
                    End::Return => return false,
                    End::Block(block) => jump.block = block,
                },
                Stmt::Suspend { resume, .. } => {
                    if let End::Block(block) = end(resume.block) {
                        resume.block = block;
                    }
                }
                _ => {}
            }
            for body in bodies_mut(stmt) {
                walk(body, end);
            }
            true
        });
    }
    for block in &mut machine.blocks {
        walk(&mut block.body, &end);
    }
}

/// Puts the body of a block in the place of the only jump to it, or of every jump to it if it is tiny.
fn merge(machine: &mut Machine<'_>) {
    let n = machine.blocks.len();
    let mut jumps = vec![0; n];
    let mut stays = vec![false; n];
    stays[0] = true;
    for (at, block) in machine.blocks.iter().enumerate() {
        visit(&block.body, &mut |stmt| match stmt {
            Stmt::Goto(jump) => {
                jumps[jump.block.0] += 1;
                // A block that jumps to itself is a loop.
                stays[jump.block.0] |= jump.block.0 == at;
            }
            Stmt::Push(jump) | Stmt::Suspend { resume: jump, .. } => stays[jump.block.0] = true,
            _ => {}
        });
    }
    let candidate = |at: usize| {
        let body = &machine.blocks[at].body;
        body.len() == 2 && matches!(body[..], [Stmt::Let { .. } | Stmt::Set { .. } | Stmt::Next(_), Stmt::Goto(_)])
    };
    // A tiny block that jumps to a tiny block stays, so that copying them ends.
    let tiny: Vec<Option<Vec<Stmt>>> = (0..n)
        .map(|at| match &machine.blocks[at].body[..] {
            body @ [_, Stmt::Goto(jump)] if candidate(at) && !candidate(jump.block.0) => Some(body.to_vec()),
            _ => None,
        })
        .collect();
    let mut bodies: Vec<Option<Vec<Stmt>>> =
        machine.blocks.iter_mut().map(|block| Some(std::mem::take(&mut block.body))).collect();
    let mut waiting: Vec<usize> = (0..n).filter(|&at| stays[at] || jumps[at] != 1).collect();
    while let Some(at) = waiting.pop() {
        let Some(mut body) = bodies[at].take() else { continue };
        fill_in(&mut body, 0, &mut |jump, level| {
            let block = jump.0;
            if let Some(tiny) = &tiny[block] {
                return Some(tiny.clone());
            }
            if stays[block] || jumps[block] != 1 || block == at {
                return None;
            }
            match &bodies[block] {
                Some(body) if level + depth(body) <= DEEPEST => bodies[block].take(),
                _ => {
                    waiting.push(block);
                    None
                }
            }
        });
        machine.blocks[at].body = body;
    }
    for (block, body) in machine.blocks.iter_mut().zip(bodies) {
        // What was not reached is a circle of blocks that nothing else jumps to.
        if let Some(body) = body {
            block.body = body;
        }
    }
}

fn fill_in(body: &mut Vec<Stmt>, level: usize, take: &mut impl FnMut(BlockId, usize) -> Option<Vec<Stmt>>) {
    let mut at = 0;
    while at < body.len() {
        if let Stmt::Goto(jump) = &body[at]
            && let Some(block) = take(jump.block, level)
        {
            body.truncate(at);
            body.extend(block);
            continue;
        }
        for body in bodies_mut(&mut body[at]) {
            fill_in(body, level + 1, take);
        }
        at += 1;
    }
}

/// Drops blocks that nothing leads to, and puts the others in the order in which they are reached.
fn drop_unreachable(machine: &mut Machine<'_>) {
    let mut moved: Vec<Option<BlockId>> = vec![None; machine.blocks.len()];
    let mut order: Vec<usize> = Vec::new();
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if moved[at].is_some() {
            continue;
        }
        moved[at] = Some(BlockId(order.len()));
        order.push(at);
        let before = open.len();
        visit(&machine.blocks[at].body, &mut |stmt| {
            if let Stmt::Goto(jump) | Stmt::Push(jump) | Stmt::Suspend { resume: jump, .. } = stmt {
                open.push(jump.block.0);
            }
        });
        open[before..].reverse();
    }
    let mut taken: HashMap<String, usize> = HashMap::new();
    let blocks = &mut machine.blocks;
    let ordered = order.iter().map(|&at| {
        let Block { name, params, body } = std::mem::take(&mut blocks[at]);
        let mut unique = name.clone();
        // `after_a_b` and `after_a__b` become the same name in camel case.
        while taken.contains_key(&type_name(&unique)) {
            let number = taken.entry(type_name(&name)).or_insert(1);
            *number += 1;
            unique = format!("{name}_{number}");
        }
        taken.insert(type_name(&unique), 1);
        Block { name: unique, params, body }
    });
    let ordered = ordered.collect();
    machine.blocks = ordered;
    for block in &mut machine.blocks {
        // Every jump in a block that is reached leads to one that is reached.
        each_jump(&mut block.body, &mut |jump| jump.block = moved[jump.block.0].unwrap_or(jump.block));
    }
}

pub(super) fn each_jump(body: &mut [Stmt], f: &mut impl FnMut(&mut Jump)) {
    for stmt in body {
        if let Stmt::Goto(jump) | Stmt::Push(jump) | Stmt::Suspend { resume: jump, .. } = stmt {
            f(jump);
        }
        for body in bodies_mut(stmt) {
            each_jump(body, f);
        }
    }
}

/// Turns jumps of a block to itself into a loop.
fn loop_on_itself(machine: &mut Machine<'_>, id: BlockId) {
    fn walk(body: &mut [Stmt], id: BlockId, label: Label) -> bool {
        let mut any = false;
        for stmt in body {
            if matches!(stmt, Stmt::Goto(jump) if jump.block == id) {
                *stmt = Stmt::Again(label);
                any = true;
            }
            for body in bodies_mut(stmt) {
                any |= walk(body, id, label);
            }
        }
        any
    }
    let label = Label(machine.labels);
    let body = &mut machine.blocks[id.0].body;
    if walk(body, id, label) {
        machine.labels += 1;
        *body = vec![Stmt::Loop { label, body: std::mem::take(body) }];
    }
}

/// Gives blocks the variables that are live in them as parameters, and jumps these as arguments.
fn hand_on(machine: &mut Machine<'_>) {
    let bodies: Vec<&[Stmt]> = machine.blocks.iter().map(|block| &block.body[..]).collect();
    let params: Vec<Vec<VarId>> = live(&bodies).into_iter().map(|live| live.into_iter().collect()).collect();
    for (block, params_of_block) in machine.blocks.iter_mut().zip(&params) {
        block.params.clone_from(params_of_block);
        each_jump(&mut block.body, &mut |jump| {
            jump.arguments = params[jump.block.0].iter().map(|&param| Value::Var(param)).collect();
        });
        fold_assignments(&mut block.body, &params);
        let mut scope: HashSet<VarId> = block.params.iter().copied().collect();
        scopes(&mut block.body, &mut scope);
    }
}

/// Puts the value of a variable that is assigned right before a jump among the jump's arguments.
fn fold_assignments(body: &mut Vec<Stmt>, params: &[Vec<VarId>]) {
    for stmt in body.iter_mut() {
        for body in bodies_mut(stmt) {
            fold_assignments(body, params);
        }
    }
    while let [.., Stmt::Let { var, value } | Stmt::Set { var, value }, jump] = &mut body[..] {
        let (run, jump) = match jump {
            Stmt::Goto(jump) => (None, jump),
            Stmt::Suspend { run, resume } => (Some(run), resume),
            _ => return,
        };
        let mut read = live::Set::new();
        for (argument, param) in jump.arguments.iter().zip(&params[jump.block.0]) {
            if param != var {
                live::read_value(argument, &mut read);
            }
        }
        if let Some(run) = run {
            live::read_yield(run, &mut read);
        }
        if read.contains(var) {
            return;
        }
        match params[jump.block.0].iter().position(|param| param == var) {
            Some(at) if jump.arguments[at] == Value::Var(*var) => jump.arguments[at] = *value,
            // Its argument reads something else already, or the block does not need it.
            _ => {}
        }
        let before = body.len() - 2;
        body.remove(before);
    }
}

/// Tells first assignments from changes.
fn scopes(body: &mut [Stmt], scope: &mut HashSet<VarId>) {
    let mut own: Vec<VarId> = Vec::new();
    for stmt in body {
        let mut inner: Vec<VarId> = Vec::new();
        match stmt {
            Stmt::Let { var, value } | Stmt::Set { var, value } => {
                let (var, value) = (*var, *value);
                *stmt = match scope.insert(var) {
                    true => {
                        own.push(var);
                        Stmt::Let { var, value }
                    }
                    false => Stmt::Set { var, value },
                };
                continue;
            }
            Stmt::If { test: Test::Some { bound, .. }, .. } => inner.push(*bound),
            Stmt::If { test: Test::Stretch { lo, hi, .. }, .. } => inner.extend([*lo, *hi]),
            Stmt::For { slot, .. } => inner.push(*slot),
            Stmt::Match { arms, .. } => inner.extend(arms.iter().map(|arm| arm.var)),
            _ => {}
        }
        inner.retain(|var| scope.insert(*var));
        for body in bodies_mut(stmt) {
            scopes(body, scope);
        }
        for var in inner {
            scope.remove(&var);
        }
    }
    for var in own {
        scope.remove(&var);
    }
}

/// Undoes what [`finish`] did to arguments: jumps carry none, and what they carried is assigned before them.
pub(super) fn unfold(machine: &mut Machine<'_>) {
    let params: Vec<Vec<VarId>> = machine.blocks.iter().map(|block| block.params.clone()).collect();
    let Machine { blocks, vars, .. } = machine;
    for Block { params: own, body, .. } in blocks {
        own.clear();
        unfold_body(body, &params, vars);
    }
}

/// Sets the parameters of jumps before the jumps; values that clash are read first.
pub fn unfold_body(body: &mut Vec<Stmt>, params: &[Vec<VarId>], vars: &mut super::ir::Vars) {
    let mut unfolded = Vec::with_capacity(body.len());
    for mut stmt in std::mem::take(body) {
        for body in bodies_mut(&mut stmt) {
            unfold_body(body, params, vars);
        }
        if let Stmt::Goto(jump) | Stmt::Push(jump) | Stmt::Suspend { resume: jump, .. } = &mut stmt {
            let params = &params[jump.block.0];
            let arguments = std::mem::take(&mut jump.arguments);
            let moves: Vec<(VarId, Value)> =
                params.iter().copied().zip(arguments).filter(|(param, value)| Value::Var(*param) != *value).collect();
            let clash = moves.iter().enumerate().any(|(at, (_, value))| {
                let mut read = live::Set::new();
                live::read_value(value, &mut read);
                moves[..at].iter().any(|(param, _)| read.contains(param))
            });
            // All values are read before any variable changes.
            let held = moves.iter().map(|&(param, value)| match clash {
                false => (param, value),
                true => {
                    let held = vars.add(vars.get(param).name.clone(), vars.get(param).kind);
                    unfolded.push(Stmt::Set { var: held, value });
                    (param, Value::Var(held))
                }
            });
            let held: Vec<(VarId, Value)> = held.collect();
            unfolded.extend(held.into_iter().map(|(var, value)| Stmt::Set { var, value }));
        }
        unfolded.push(stmt);
    }
    *body = unfolded;
}
