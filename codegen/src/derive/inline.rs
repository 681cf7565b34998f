//! Stage 3: procedures are inlined into their callers, so that only those remain that must call themselves.
//!
//! Of every circle of calls the fewest procedures are kept that break it, supertypes before others: visiting a B-tree
//! becomes one procedure with a branch for each subtype. Paper: §4.3.

use std::collections::HashMap;

use super::ir::{Label, ProcId, Program, Stmt, Value, VarId, any, bodies_mut, depth, size, visit};
use super::{names, rename, tail};
use crate::schema::model::Target;

/// An inlined procedure has at most so many statements, its caller grows to at most so many, and statements nest no deeper than this.
/// Procedures that do not fit stay calls: a schema in which every type refers twice to the next would double at every step.
const MOST_INLINED: usize = 128;
const MOST_STMTS: usize = 1024;
const DEEPEST: usize = 48;

/// Inlines procedures until only those remain that recursion must pass through.
pub fn inline<'m>(tail: &Program<'m>) -> Program<'m> {
    let mut program = tail.clone();
    let calls = calls(&program);
    let kept = kept(&program, &calls);
    // Callees first, so that what is inlined is complete already.
    let mut done = kept.clone();
    while let Some(at) = (0..program.procs.len()).find(|&at| !done[at] && calls[at].iter().all(|callee| done[callee.0]))
    {
        expand(&mut program, at, &kept);
        done[at] = true;
    }
    for at in (0..program.procs.len()).filter(|&at| kept[at]) {
        expand(&mut program, at, &kept);
    }
    tail::tail_calls(&mut program);
    drop_uncalled(&mut program);
    names::unique_in_program(&mut program);
    program
}

/// Whom each procedure calls.
fn calls(program: &Program<'_>) -> Vec<Vec<ProcId>> {
    let of = |body: &[Stmt]| {
        let mut callees = Vec::new();
        visit(body, &mut |stmt| {
            if let Stmt::Call { proc, .. } = stmt
                && !callees.contains(proc)
            {
                callees.push(*proc);
            }
        });
        callees
    };
    program.procs.iter().map(|proc| of(&proc.body)).collect()
}

/// The handle's procedure, and enough others that without them no calls go round in a circle.
fn kept(program: &Program<'_>, calls: &[Vec<ProcId>]) -> Vec<bool> {
    let mut kept = vec![false; calls.len()];
    kept[0] = true;
    loop {
        // What neither calls nor is called by what is left lies on no circle.
        let mut left: Vec<bool> = kept.iter().map(|kept| !kept).collect();
        loop {
            let called_from: Vec<usize> = (0..calls.len()).filter(|&from| left[from]).collect();
            let mut callers = vec![0; calls.len()];
            for &from in &called_from {
                for callee in &calls[from] {
                    callers[callee.0] += 1;
                }
            }
            let loose = |at: &usize| callers[*at] == 0 || !calls[*at].iter().any(|callee| left[callee.0]);
            let loose: Vec<usize> = called_from.into_iter().filter(loose).collect();
            if loose.is_empty() {
                break;
            }
            for at in loose {
                left[at] = false;
            }
        }
        // The best one to break circles at: a supertype, else a procedure that calls itself anyway, else the one that is called most.
        let left_ids = || (0..calls.len()).filter(|&at| left[at]);
        let best = left_ids().max_by_key(|&at| {
            let is_supertype = matches!(program.procs[at].target, Target::Super(_));
            let calls_itself = calls[at].contains(&ProcId(at));
            let callers = left_ids().filter(|&from| calls[from].contains(&ProcId(at))).count();
            (is_supertype, calls_itself, callers, std::cmp::Reverse(at))
        });
        match best {
            Some(at) => kept[at] = true,
            None => return kept,
        }
    }
}

/// Replaces the calls in one procedure by the bodies of those that are called and not kept.
fn expand(program: &mut Program<'_>, at: usize, kept: &[bool]) {
    let body = std::mem::take(&mut program.procs[at].body);
    let mut room = MOST_STMTS.saturating_sub(size(&body));
    program.procs[at].body = expand_body(program, body, kept, 0, &mut room);
}

fn expand_body(program: &mut Program<'_>, body: Vec<Stmt>, kept: &[bool], level: usize, room: &mut usize) -> Vec<Stmt> {
    let mut expanded = Vec::with_capacity(body.len());
    for mut stmt in body {
        match stmt {
            Stmt::Call { proc, argument } if !kept[proc.0] => {
                let callee = &program.procs[proc.0].body;
                let needed = size(callee) + 1;
                if needed <= MOST_INLINED.min(*room) && level + depth(callee) <= DEEPEST {
                    *room -= needed;
                    expanded.extend(copy(program, proc, argument));
                } else {
                    expanded.push(stmt);
                }
            }
            _ => {
                for inner in bodies_mut(&mut stmt) {
                    *inner = expand_body(program, std::mem::take(inner), kept, level + 1, room);
                }
                expanded.push(stmt);
            }
        }
    }
    expanded
}

/// The body of a procedure for one argument, with variables and labels of its own.
fn copy(program: &mut Program<'_>, proc: ProcId, argument: Value) -> Vec<Stmt> {
    let param = program.procs[proc.0].param;
    let mut body = program.procs[proc.0].body.clone();
    let changes_param = any(&body, &mut |stmt| matches!(stmt, Stmt::Set { var, .. } if *var == param));
    let mut fresh: HashMap<VarId, VarId> = HashMap::new();
    let mut copied = Vec::new();
    match argument {
        // What is only a name for a place does not outlive the question whether there is something.
        Value::Var(var) if !changes_param && program.vars.get(var).alias.is_none() => {
            fresh.insert(param, var);
        }
        value => {
            let var = program.vars.get(param).clone();
            let var = program.vars.add(var.name, var.kind);
            fresh.insert(param, var);
            copied.push(Stmt::Let { var, value });
        }
    }
    rename(&mut body, &mut |var| {
        *fresh.entry(var).or_insert_with(|| {
            program.vars.0.push(program.vars.get(var).clone());
            VarId(program.vars.0.len() - 1)
        })
    });
    for (&old, &new) in &fresh {
        if old != param
            && let Some(Value::Child(place)) = &mut program.vars.0[new.0].alias
        {
            place.node = fresh.get(&place.node).copied().unwrap_or(place.node);
            place.slot = place.slot.map(|slot| fresh.get(&slot).copied().unwrap_or(slot));
        }
    }
    let mut labels: HashMap<Label, Label> = HashMap::new();
    relabel(&mut body, &mut |label| *labels.entry(label).or_insert_with(|| program.label()));
    copied.extend(body);
    copied
}

fn relabel(body: &mut [Stmt], f: &mut impl FnMut(Label) -> Label) {
    for stmt in body {
        if let Stmt::Loop { label, .. } | Stmt::Again(label) = stmt {
            *label = f(*label);
        }
        for body in bodies_mut(stmt) {
            relabel(body, f);
        }
    }
}

/// Drops procedures that are inlined everywhere.
fn drop_uncalled(program: &mut Program<'_>) {
    let calls = calls(program);
    let mut called = vec![false; calls.len()];
    let mut open = vec![ProcId(0)];
    called[0] = true;
    while let Some(at) = open.pop() {
        for &callee in &calls[at.0] {
            if !std::mem::replace(&mut called[callee.0], true) {
                open.push(callee);
            }
        }
    }
    let mut count = 0;
    let moved: Vec<ProcId> = called
        .iter()
        .map(|&called| {
            count += usize::from(called);
            ProcId(count.saturating_sub(1))
        })
        .collect();
    let mut at = 0;
    program.procs.retain(|_| {
        at += 1;
        called[at - 1]
    });
    for proc in &mut program.procs {
        renumber(&mut proc.body, &moved);
    }
}

fn renumber(body: &mut [Stmt], moved: &[ProcId]) {
    for stmt in body {
        if let Stmt::Call { proc, .. } = stmt {
            *proc = moved[proc.0];
        }
        for body in bodies_mut(stmt) {
            renumber(body, moved);
        }
    }
}
