//! Trees back to text that parses to the same tree. Brackets stand only where they are needed.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::*;
use crate::format::ast::*;

/// `a, b, c`
pub(crate) fn commas<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

fn index_list(f: &mut Formatter<'_>, indices: &[Name]) -> fmt::Result {
    f.write_char('(')?;
    for (at, index) in indices.iter().enumerate() {
        if at > 0 {
            f.write_char(',')?;
        }
        f.write_str(&index.text)?;
    }
    f.write_char(')')
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            writeln!(f, "{item}")?;
        }
        Ok(())
    }
}

/// A store is printed by its name only: its text belongs to the schema notation.
impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Store(store) => write!(f, "// store {}", store.name),
            Item::Format(format) => format.fmt(f),
            Item::Function(function) => function.fmt(f),
            Item::Semiring(semiring) => semiring.fmt(f),
            Item::Kernel(kernel) => kernel.fmt(f),
            Item::Use(path) => write!(f, "use \"{}\"", path.path),
        }
    }
}

impl Display for FunctionDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "function {}(", self.name)?;
        commas(f, &self.params)?;
        f.write_str(")")?;
        if let Some(value) = &self.annihilator {
            write!(f, " annihilator {value}")?;
        }
        if let Some(value) = &self.identity {
            write!(f, " identity {value}")?;
        }
        match &self.body {
            FunctionBody::Expr(body) => write!(f, " = {body}"),
            FunctionBody::Extern(path) => write!(f, " = extern \"{path}\""),
        }
    }
}

impl Display for SemiringDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "semiring {} {{ plus: {}, zero: {}, times: {}", self.name, self.plus, self.zero, self.times)?;
        if let Some(one) = &self.one {
            write!(f, ", one: {one}")?;
        }
        f.write_str(" }")
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}(", self.name)?;
        commas(f, &self.params)?;
        f.write_str(")")?;
        if !self.results.is_empty() {
            f.write_str(" -> ")?;
            commas(f, &self.results)?;
        }
        f.write_str(" {\n")?;
        for (at, stmt) in self.body.iter().enumerate() {
            let end = if at + 1 < self.body.len() { ";" } else { "" };
            match stmt.kind {
                StmtKind::Sequence(_) => writeln!(f, "    ({stmt}){end}")?,
                _ => writeln!(f, "    {stmt}{end}")?,
            }
        }
        f.write_str("}")
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        for (at, format) in self.formats.iter().enumerate() {
            if at > 0 {
                f.write_str(" | ")?;
            }
            write!(f, "{format}")?;
        }
        match (self.formats.is_empty(), self.value) {
            (true, value) => write!(f, "{}", value.unwrap_or(ValueType::F64))?,
            (false, Some(value)) => write!(f, " of {value}")?,
            (false, None) => {}
        }
        if let Some(fill) = &self.fill {
            write!(f, " fill {fill}")?;
        }
        Ok(())
    }
}

/// A sequence, and a `where`, stand in brackets where something follows them.
impl Display for Stmt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StmtKind::Assign(assign) => assign.fmt(f),
            StmtKind::Forall { index, parallel, body } => {
                write!(f, "forall({index}, {}{body})", if *parallel { "parallel, " } else { "" })
            }
            StmtKind::Where { consumer, producer } => {
                match consumer.kind {
                    StmtKind::Sequence(_) => write!(f, "({consumer})")?,
                    _ => write!(f, "{consumer}")?,
                }
                f.write_str(" where ")?;
                match producer.kind {
                    StmtKind::Sequence(_) | StmtKind::Where { .. } => write!(f, "({producer})"),
                    _ => write!(f, "{producer}"),
                }
            }
            StmtKind::Sequence(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        f.write_str("; ")?;
                    }
                    match part.kind {
                        StmtKind::Sequence(_) => write!(f, "({part})")?,
                        _ => write!(f, "{part}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl Display for Assign {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.target)?;
        if let Some(mask) = &self.mask {
            write!(f, "{mask}")?;
        }
        write!(f, " {} {}", self.op.symbol(), self.value)?;
        if let Some(over) = &self.over {
            write!(f, " over {over}")?;
        }
        Ok(())
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tensor.text)?;
        match &self.coordinates {
            Some(coordinates) => argument_list(f, coordinates),
            None if self.indices.is_empty() => Ok(()),
            None => index_list(f, &self.indices),
        }
    }
}

impl Display for Mask {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "<{}{}", if self.negated { "!" } else { "" }, self.tensor)?;
        if let Some(indices) = &self.indices {
            index_list(f, indices)?;
        }
        f.write_char('>')
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Int(value) => write!(f, "{value}"),
            Literal::Float(value) => write!(f, "{value:?}"),
            Literal::Bool(value) => write!(f, "{value}"),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print_expr(f, self, 0)
    }
}

fn argument_list(f: &mut Formatter<'_>, args: &[Expr]) -> fmt::Result {
    let plain = args.iter().all(|arg| matches!(arg.kind, ExprKind::Name(_)));
    f.write_char('(')?;
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            f.write_str(if plain { "," } else { ", " })?;
        }
        write!(f, "{arg}")?;
    }
    f.write_char(')')
}

/// Prints `expr` where operators that bind no tighter than `loosest` need brackets.
fn print_expr(f: &mut Formatter<'_>, expr: &Expr, loosest: u8) -> fmt::Result {
    match &expr.kind {
        ExprKind::Literal(literal) => write!(f, "{literal}"),
        ExprKind::Name(name) => f.write_str(&name.text),
        ExprKind::Apply { name, args } => {
            f.write_str(&name.text)?;
            argument_list(f, args)
        }
        ExprKind::Slice(slice) => {
            if slice.named {
                write!(f, "{} in ", slice.index)?;
            }
            slice.lo.iter().try_for_each(|lo| write!(f, "{lo}"))?;
            f.write_char(':')?;
            slice.hi.iter().try_for_each(|hi| write!(f, "{hi}"))?;
            if slice.step == 1 { Ok(()) } else { write!(f, ":{}", slice.step) }
        }
        ExprKind::Neg(inner) => {
            f.write_char('-')?;
            print_expr(f, inner, u8::MAX)
        }
        ExprKind::Binary { op, left, right } => {
            let binding = op.binding();
            if binding <= loosest {
                f.write_char('(')?;
            }
            print_expr(f, left, if op.compares() { binding } else { binding - 1 })?;
            write!(f, " {} ", op.symbol())?;
            print_expr(f, right, binding)?;
            if binding <= loosest {
                f.write_char(')')?;
            }
            Ok(())
        }
    }
}

impl Display for FormatDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "format {}", self.name)?;
        if !self.params.is_empty() {
            f.write_char('<')?;
            for (at, param) in self.params.iter().enumerate() {
                write!(f, "{}{}", if at > 0 { ", " } else { "" }, param.name)?;
                if let Some(default) = param.default {
                    write!(f, " = {default}")?;
                }
            }
            f.write_char('>')?;
        }
        f.write_char('(')?;
        commas(f, &self.indices)?;
        f.write_str(") = ")?;
        commas(f, &self.levels)?;
        if let Some(fill) = &self.fill {
            write!(f, " fill {fill}")?;
        }
        Ok(())
    }
}

impl Display for LevelDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.coordinate.kind {
            RemapKind::Name(_) => write!(f, "{}: {}", self.coordinate, self.kind),
            _ => write!(f, "({}): {}", self.coordinate, self.kind),
        }
    }
}

fn arguments(f: &mut Formatter<'_>, args: &[i64]) -> fmt::Result {
    if args.is_empty() {
        return Ok(());
    }
    f.write_char('<')?;
    commas(f, args)?;
    f.write_char('>')
}

impl Display for LevelKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        arguments(f, &self.args)?;
        if self.switches.is_empty() {
            return Ok(());
        }
        f.write_char('(')?;
        commas(f, &self.switches)?;
        f.write_char(')')
    }
}

impl Display for FormatRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            FormatRef::Named { name, args, .. } => {
                write!(f, "{name}")?;
                arguments(f, args)
            }
            FormatRef::Nameless { levels, .. } => {
                f.write_char('(')?;
                commas(f, levels)?;
                f.write_char(')')
            }
        }
    }
}

impl Display for Remap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print_remap(f, self, 0)
    }
}

fn print_remap(f: &mut Formatter<'_>, remap: &Remap, loosest: u8) -> fmt::Result {
    match &remap.kind {
        RemapKind::Const(value) => write!(f, "{value}"),
        RemapKind::Name(name) => write!(f, "{name}"),
        // In brackets, a name behind the counter would belong to it.
        RemapKind::Counter(of) => {
            let bracket = loosest > 0;
            f.write_str(if bracket { "(#" } else { "#" })?;
            for (at, name) in of.iter().enumerate() {
                write!(f, "{}{name}", if at > 0 { " " } else { "" })?;
            }
            f.write_str(if bracket { ")" } else { "" })
        }
        RemapKind::Neg(inner) => {
            f.write_char('-')?;
            print_remap(f, inner, u8::MAX)
        }
        RemapKind::Binary { op, left, right } => {
            let binding = op.binding();
            let bracket = binding <= loosest;
            f.write_str(if bracket { "(" } else { "" })?;
            print_remap(f, left, binding - 1)?;
            write!(f, " {} ", op.symbol())?;
            print_remap(f, right, binding)?;
            f.write_str(if bracket { ")" } else { "" })
        }
        RemapKind::Let { name, value, body } => {
            // It reaches as far to the right as it can, so it is bracketed wherever it is an operand.
            let bracket = loosest > 0;
            f.write_str(if bracket { "(" } else { "" })?;
            write!(f, "let {name} = {value} in {body}")?;
            f.write_str(if bracket { ")" } else { "" })
        }
    }
}
