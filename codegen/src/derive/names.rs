//! Names of variables: the shortest that are unique.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::ir::{Block, Machine, Program, Stmt, VarId, Vars, bodies_mut, vars_mut};

/// Gives the variables of each procedure different names.
pub(super) fn unique_in_program(program: &mut Program<'_>) {
    let groups: Vec<Vec<VarId>> =
        program.procs.iter_mut().map(|proc| mentioned(&[proc.param], &mut proc.body)).collect();
    unique(&mut program.vars, &groups);
}

/// Gives the variables of each block different names.
pub(super) fn unique_in_machine(machine: &mut Machine<'_>) {
    let of = |block: &mut Block| mentioned(&block.params, &mut block.body);
    let groups: Vec<Vec<VarId>> = machine.blocks.iter_mut().map(of).collect();
    unique(&mut machine.vars, &groups);
}

/// The variables of a body, in the order in which they are first mentioned.
fn mentioned(params: &[VarId], body: &mut [Stmt]) -> Vec<VarId> {
    fn walk(body: &mut [Stmt], seen: &mut HashSet<VarId>, order: &mut Vec<VarId>) {
        for stmt in body {
            for var in vars_mut(stmt) {
                if seen.insert(*var) {
                    order.push(*var);
                }
            }
            for body in bodies_mut(stmt) {
                walk(body, seen, order);
            }
        }
    }
    let mut order = params.to_vec();
    let mut seen = params.iter().copied().collect();
    walk(body, &mut seen, &mut order);
    order
}

/// Numbers names such that no two variables of a group share one.
fn unique(vars: &mut Vars, groups: &[Vec<VarId>]) {
    let mut groups_of: HashMap<VarId, Vec<usize>> = HashMap::new();
    let mut order: Vec<VarId> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for &var in group {
            let of = groups_of.entry(var).or_default();
            if of.is_empty() {
                order.push(var);
            }
            of.push(at);
        }
    }
    // Those that are printed as a place take what is left over.
    order.sort_by_key(|var| vars.get(*var).alias.is_some());
    let mut taken: Vec<BTreeSet<String>> = vec![BTreeSet::new(); groups.len()];
    for var in order {
        let base = vars.get(var).name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let base = if base.is_empty() { "n".to_owned() } else { base };
        let groups = &groups_of[&var];
        let mut name = base.clone();
        let mut number = 2;
        while groups.iter().any(|&group| taken[group].contains(&name)) {
            name = format!("{base}{number}");
            number += 1;
        }
        for &group in groups {
            taken[group].insert(name.clone());
        }
        vars.0[var.0].name = name;
    }
}
