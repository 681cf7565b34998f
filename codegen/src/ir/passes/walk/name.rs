//! What elements are called that a loop goes along.

use super::arrays::Place;
use crate::ir::convention::Form;
use crate::ir::expr::Expr;
use crate::ir::kernel::{Kernel, Var};
use crate::ir::names::Names;
use crate::ir::stmt::{Block, Stmt};
use crate::ir::types::Scalar;

/// The names of a kernel's variables, and of the elements that loops around have named.
pub(super) struct ElementNames {
    variables: Vec<String>,
    elements: Vec<String>,
}

impl ElementNames {
    pub fn of(kernel: &Kernel) -> ElementNames {
        let names = Names::of(kernel, &[]);
        let mut variables: Vec<String> = kernel.vars.iter().map(|(v, _)| names[v].to_owned()).collect();
        for tensor in kernel.params.iter().chain(&kernel.results) {
            // An array that is all of a tensor is called what that is.
            if let Form::Slice(vals) = kernel.form(tensor) {
                variables[vals.0 as usize] = tensor.name.to_lowercase();
            }
        }
        ElementNames { variables, elements: Vec::new() }
    }

    /// How many elements have names.
    pub fn depth(&self) -> usize {
        self.elements.len()
    }

    /// Forgets the names of elements, but for the first ones.
    pub fn leave(&mut self, depth: usize) {
        self.elements.truncate(depth);
    }

    /// A variable for an element. Where the body does no more with it than to name it, it is called so: `j` if the body only makes a
    /// coordinate `j` of it. It is called `a_ij` if it is a value of `A(i,j)`, and otherwise after the array and the position.
    pub fn element(&mut self, place: &Place, p: Var, body: &mut Block, kernel: &mut Kernel) -> Var {
        let scalar = kernel.vars[place.array].ty.array_scalar().unwrap_or(Scalar::Usize);
        let mut mentions = 0;
        body.visit_exprs(&mut |e| mentions += usize::from(place.is_read_by(e)));
        let named = body.0.iter().position(|stmt| match stmt {
            Stmt::Let(_, Expr::Cast(Scalar::Usize, x)) => place.is_read_by(x),
            Stmt::Let(j, x) => place.is_read_by(x) && !body.changes(*j) && !body.changes(place.array),
            _ => false,
        });
        if let (Some(at), 1) = (named, mentions)
            && let Stmt::Let(j, value) = &body.0[at]
        {
            let j = *j;
            self.elements.push(self.variables[j.0 as usize].clone());
            if matches!(value, Expr::Cast(..)) {
                return kernel.vars.fresh(kernel.vars[j].name.clone(), scalar);
            }
            body.0.remove(at);
            return j;
        }
        let mut wishes = Vec::new();
        for tensor in kernel.params.iter().chain(&kernel.results) {
            let modes = modes(&tensor.format);
            if !modes.is_empty() && tensor.fields.iter().any(|f| f.var == place.array && f.name == "vals") {
                wishes.push(format!("{}_{modes}", tensor.name.to_lowercase()));
            }
        }
        let name_of = |v: Var| &self.variables[v.0 as usize];
        wishes.push(format!("{}_{}", name_of(place.array), name_of(p)));
        let free = |wish: &&String| !self.variables.contains(*wish) && !self.elements.contains(*wish);
        let name = wishes.iter().find(free).or(wishes.last()).cloned().unwrap_or_default();
        self.elements.push(name.clone());
        kernel.vars.fresh(name, scalar)
    }
}

/// The modes of a format such as `i: dense, j: compressed`, run together: `ij`. Empty where they are no plain names.
fn modes(format: &str) -> String {
    let mut all = String::new();
    for level in format.split(',') {
        let mode = level.split(':').next().unwrap_or_default().trim();
        if mode.len() != 1 || !mode.chars().all(|c| c.is_ascii_lowercase()) {
            return String::new();
        }
        all.push_str(mode);
    }
    all
}
