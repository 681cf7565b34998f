//! Every stage as text, so that the derivation can be read.

use std::fmt::{self, Display, Formatter};

use super::ir::{Block, Jump, Label, Machine, Place, Program, Stmt, Test, Value, VarId, VarKind, Vars, Yield, field};
use crate::schema::model::{Extent, Model};

impl Display for Program<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, proc) in self.procs.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            let text = Text { model: self.model, vars: &self.vars, blocks: &[], procs: true };
            writeln!(f, "runs({} {}):", self.model.target_name(proc.target), self.vars.get(proc.param).name)?;
            text.body(f, &proc.body, 1, None)?;
        }
        Ok(())
    }
}

impl Display for Machine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, block) in self.blocks.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            let text = Text { model: self.model, vars: &self.vars, blocks: &self.blocks, procs: false };
            let params: Vec<String> = block
                .params
                .iter()
                .map(|param| {
                    let var = self.vars.get(*param);
                    match var.kind {
                        VarKind::Node(target) => format!("{} {}", self.model.target_name(target), var.name),
                        VarKind::Slot => format!("slot {}", var.name),
                    }
                })
                .collect();
            writeln!(f, "{}({}):", block.name, params.join(", "))?;
            text.body(f, &block.body, 1, None)?;
        }
        Ok(())
    }
}

struct Text<'a> {
    model: &'a Model,
    vars: &'a Vars,
    blocks: &'a [Block],
    procs: bool,
}

impl Text<'_> {
    /// Statements, one a line, except that assignments stand on the line of the jump that they are for.
    fn body(&self, f: &mut Formatter<'_>, stmts: &[Stmt], indent: usize, innermost: Option<Label>) -> fmt::Result {
        let pad = "    ".repeat(indent);
        if stmts.is_empty() {
            return writeln!(f, "{pad}pass");
        }
        let mut rest = stmts;
        while let Some((stmt, after)) = rest.split_first() {
            if let Some(jump) = rest.iter().position(|stmt| !leads_to_jump(stmt))
                && is_jump(&rest[jump])
            {
                let line: Vec<String> = rest[..=jump].iter().map(|stmt| self.simple(stmt, innermost)).collect();
                writeln!(f, "{pad}{}", line.join(", "))?;
                rest = &rest[jump + 1..];
                continue;
            }
            rest = after;
            match stmt {
                Stmt::If { test, then, otherwise } => {
                    write!(f, "{pad}if {}:", self.test(test))?;
                    self.branch(f, then, indent, innermost)?;
                    if !otherwise.is_empty() {
                        write!(f, "{pad}else:")?;
                        self.branch(f, otherwise, indent, innermost)?;
                    }
                }
                Stmt::Match { node, arms } => {
                    writeln!(f, "{pad}match {}:", self.var(*node))?;
                    for arm in arms {
                        write!(f, "{pad}    {} {}:", self.model.node(arm.node).name, self.var(arm.var))?;
                        self.branch(f, &arm.body, indent + 1, innermost)?;
                    }
                }
                Stmt::For { slot, arrays, body } => {
                    write!(f, "{pad}for {} in 0..{}:", self.var(*slot), self.longest(arrays))?;
                    self.branch(f, body, indent, innermost)?;
                }
                Stmt::Loop { label, body } => {
                    let escapes = super::ir::any(body, &mut |stmt| match stmt {
                        Stmt::Loop { body, .. } => super::ir::any(body, &mut |stmt| *stmt == Stmt::Again(*label)),
                        _ => false,
                    });
                    match escapes {
                        true => writeln!(f, "{pad}loop {}:", name(*label))?,
                        false => writeln!(f, "{pad}loop:")?,
                    }
                    self.body(f, body, indent + 1, Some(*label))?;
                }
                stmt => writeln!(f, "{pad}{}", self.simple(stmt, innermost))?,
            }
        }
        Ok(())
    }

    /// What stands behind a colon: on the same line if it is short.
    fn branch(&self, f: &mut Formatter<'_>, stmts: &[Stmt], indent: usize, innermost: Option<Label>) -> fmt::Result {
        let short = stmts.len() == 1 || stmts.len() <= 3 && stmts[..stmts.len() - 1].iter().all(leads_to_jump);
        if !stmts.is_empty() && short && stmts.iter().all(|stmt| super::ir::bodies(stmt).is_empty()) {
            let line: Vec<String> = stmts.iter().map(|stmt| self.simple(stmt, innermost)).collect();
            return writeln!(f, " {}", line.join(", "));
        }
        writeln!(f)?;
        self.body(f, stmts, indent + 1, innermost)
    }

    /// A statement without others inside of it.
    fn simple(&self, stmt: &Stmt, innermost: Option<Label>) -> String {
        match stmt {
            Stmt::Yield(run) => format!("yield {}", self.run(run)),
            Stmt::Call { argument, .. } => format!("runs({})", self.value(argument)),
            Stmt::Let { var, value } | Stmt::Set { var, value } => {
                format!("{} := {}", self.var(*var), self.value(value))
            }
            Stmt::Next(var) => format!("{0} := {0} + 1", self.var(*var)),
            Stmt::Again(label) if innermost == Some(*label) => "again".to_owned(),
            Stmt::Again(label) => format!("again {}", name(*label)),
            Stmt::Goto(jump) => format!("goto {}", self.jump(jump)),
            Stmt::Push(jump) => format!("push {}", self.jump(jump)),
            Stmt::Return if self.procs => "return".to_owned(),
            Stmt::Return => "pop".to_owned(),
            Stmt::Suspend { run, resume } => format!("yield {}, then {}", self.run(run), self.jump(resume)),
            Stmt::If { .. } | Stmt::Match { .. } | Stmt::For { .. } | Stmt::Loop { .. } => {
                unreachable!("a statement with others inside of it is not printed in one line")
            }
        }
    }

    fn jump(&self, jump: &Jump) -> String {
        let arguments: Vec<String> = jump.arguments.iter().map(|value| self.value(value)).collect();
        format!("{}({})", self.blocks[jump.block.0].name, arguments.join(", "))
    }

    fn test(&self, test: &Test) -> String {
        match test {
            Test::Some { value, .. } => self.value(value),
            Test::Within { slot, arrays } => format!("{} < {}", self.var(*slot), self.longest(arrays)),
            Test::Present(run) => format!("any {}", self.run(run).trim_end_matches(UNLESS_GAP)),
            Test::Stretch { array, from, lo, hi } => format!(
                "stretch {}..{} of {} from {}",
                self.var(*lo),
                self.var(*hi),
                self.place(array),
                self.var(*from)
            ),
        }
    }

    fn run(&self, run: &Yield) -> String {
        match run {
            Yield::One(place) => {
                let nonempty = field(self.model, self.vars, place).slots().is_some_and(|slots| slots.nonempty);
                format!("{}{}", self.place(place), if nonempty { "" } else { UNLESS_GAP })
            }
            Yield::Run(place) => format!("{{{}}}", self.place(place)),
            Yield::Slots(place) => format!("each stretch of {{{}}}", self.place(place)),
            Yield::Stretch { array, lo, hi } => {
                format!("{{{}[{}..{}]}}", self.place(array), self.var(*lo), self.var(*hi))
            }
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Var(var) => self.var(*var),
            Value::Child(place) => self.place(place),
            Value::Zero => "0".to_owned(),
        }
    }

    fn place(&self, place: &Place) -> String {
        let field = &field(self.model, self.vars, place).name;
        match place.slot {
            None => format!("{}.{field}", self.var(place.node)),
            Some(slot) => format!("{}.{field}[{}]", self.var(place.node), self.var(slot)),
        }
    }

    fn var(&self, id: VarId) -> String {
        let var = self.vars.get(id);
        match &var.alias {
            Some(value) => self.value(value),
            None => var.name.clone(),
        }
    }

    /// How many slots of the longest of these arrays are used.
    fn longest(&self, arrays: &[Place]) -> String {
        let mut lengths: Vec<String> = arrays.iter().map(|array| self.length(array)).collect();
        lengths.dedup();
        match &lengths[..] {
            [length] => length.clone(),
            lengths => format!("max({})", lengths.join(", ")),
        }
    }

    fn length(&self, array: &Place) -> String {
        let array_field = field(self.model, self.vars, array);
        match array_field.slots().and_then(|slots| slots.array.as_ref()).map(|array| &array.extent) {
            None => "1".to_owned(),
            Some(Extent::Const(amount)) => amount.param.clone().unwrap_or(amount.value.to_string()),
            Some(Extent::Sized(size) | Extent::Filled { used: size, .. }) => {
                self.place(&Place { node: array.node, field: *size, slot: None })
            }
        }
    }
}

/// Behind a single element that may not be there.
const UNLESS_GAP: &str = " unless a gap";

fn name(label: Label) -> String {
    format!("l{}", label.0)
}

/// Printed on the line of the jump behind it.
fn leads_to_jump(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let { .. } | Stmt::Set { .. } | Stmt::Next(_) | Stmt::Push(_))
}

fn is_jump(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Again(_) | Stmt::Goto(_) | Stmt::Return | Stmt::Suspend { .. })
}
