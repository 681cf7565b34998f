//! One readable name for each variable, without capture.
//!
//! A variable keeps the name that it was created with, unless another variable of that name is visible where it is declared. Then a number is
//! appended: `j`, `j2`, `j3`. Variables whose scopes do not overlap may share a name, and so may a variable and what it is made of, if that is
//! not mentioned any more: `let j = j as usize`. A backend can reserve words: a variable with such a name gets an underscore at its end.

use std::collections::HashMap;

use super::expr::Expr;
use super::kernel::{Kernel, Var};
use super::stmt::{Block, Stmt};

/// The names of a kernel's variables, in the order of its [`Vars`](super::Vars).
pub struct Names(Vec<String>);

impl Names {
    /// Chooses a name for each variable. No chosen name is one of the `reserved` words. A variable without a declaration keeps the name that it
    /// was created with.
    pub fn of(kernel: &Kernel, reserved: &[&str]) -> Names {
        let names = vec![String::new(); kernel.vars.len()];
        let mut scope = Scope { names, live: HashMap::new(), kernel, reserved };
        for (_, field) in kernel.param_fields() {
            scope.declare(field.var);
        }
        scope.block(&kernel.body);
        for (var, info) in kernel.vars.iter() {
            let name = &mut scope.names[var.0 as usize];
            if name.is_empty() {
                *name = identifier(&info.name, reserved);
            }
        }
        Names(scope.names)
    }
}

impl std::ops::Index<Var> for Names {
    type Output = str;

    fn index(&self, var: Var) -> &str {
        &self.0[var.0 as usize]
    }
}

struct Scope<'a> {
    names: Vec<String>,
    /// How many live declarations there are of each name.
    live: HashMap<String, usize>,
    kernel: &'a Kernel,
    /// The words that no variable may have as its name.
    reserved: &'a [&'a str],
}

impl Scope<'_> {
    fn declare(&mut self, var: Var) {
        let wish = identifier(&self.kernel.vars[var].name, self.reserved);
        let mut name = wish.clone();
        let mut suffix = 2;
        while self.live.get(&name).is_some_and(|&n| n > 0) {
            name = format!("{wish}{}{suffix}", if wish.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" });
            suffix += 1;
        }
        *self.live.entry(name.clone()).or_default() += 1;
        self.names[var.0 as usize] = name;
    }

    /// Whether a variable may have the name of another one that it would like to have as well: nothing behind mentions that one.
    fn may_share(&self, var: Var, of: Var, behind: &[&[Stmt]]) -> bool {
        let [own, other] = [var, of].map(|v| identifier(&self.kernel.vars[v].name, self.reserved));
        own == other && behind.iter().all(|stmts| stmts.iter().all(|stmt| !stmt.mentions(of)))
    }

    fn forget(&mut self, var: Var) {
        if let Some(n) = self.live.get_mut(&self.names[var.0 as usize]) {
            *n -= 1;
        }
    }

    fn block(&mut self, block: &Block) {
        for v in self.stmts(block, &[]) {
            self.forget(v);
        }
    }

    /// Names what the statements declare, `behind` which others may see it, and returns those variables that stay visible behind the last one.
    fn stmts(&mut self, block: &Block, behind: &[Stmt]) -> Vec<Var> {
        let mut visible = Vec::new();
        for (at, stmt) in block.0.iter().enumerate() {
            let own = stmt.declares();
            match made_of(stmt).filter(|(v, of)| self.may_share(*v, *of, &[&block.0[at + 1..], behind])) {
                Some((v, of)) => {
                    let name = self.names[of.0 as usize].clone();
                    *self.live.entry(name.clone()).or_default() += 1;
                    self.names[v.0 as usize] = name;
                }
                None => own.iter().for_each(|v| self.declare(*v)),
            }
            if let Stmt::Parallel { scratch, body, .. } = stmt {
                let scratch = self.stmts(scratch, &body.0);
                self.block(body);
                for v in scratch {
                    self.forget(v);
                }
            } else {
                for inner in stmt.blocks() {
                    self.block(inner);
                }
            }
            if stmt.blocks().is_empty() {
                visible.extend(own);
            } else {
                for v in own {
                    self.forget(v);
                }
            }
        }
        visible
    }
}

/// A variable that a statement makes of another one.
fn made_of(stmt: &Stmt) -> Option<(Var, Var)> {
    match stmt {
        Stmt::Let(v, Expr::Cast(_, x)) => match **x {
            Expr::Var(of) => Some((*v, of)),
            _ => None,
        },
        Stmt::Slice { slice, array, .. } => Some((*slice, *array)),
        _ => None,
    }
}

/// The nearest lower-case identifier that is not reserved.
fn identifier(wish: &str, reserved: &[&str]) -> String {
    let mut name: String =
        wish.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if name.chars().all(|c| c == '_') {
        name.insert(0, 'v');
    }
    if reserved.contains(&&*name) {
        name.push('_');
    }
    name
}
