//! What is in scope where a kernel is compiled: levels and stores, formats, functions, semirings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::*;
use super::concrete::{Expr as Value, Function, Operator, Reduction, Semiring};
use super::cursor::DEEPEST;
use super::parse::parse_source;
use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::format::{Formats, check, constant};
use crate::level::Kinds;

/// Semirings that are always in scope.
pub(crate) const SEMIRINGS: &str = "
    semiring plus_times  { plus: +,   zero: 0,     times: *,      one: 1 }
    semiring min_plus    { plus: min, zero: inf,   times: +,      one: 0 }
    semiring max_plus    { plus: max, zero: -inf,  times: +,      one: 0 }
    semiring min_times   { plus: min, zero: inf,   times: *,      one: 1 }
    semiring max_times   { plus: max, zero: -inf,  times: *,      one: 1 }
    semiring min_max     { plus: min, zero: inf,   times: max,    one: -inf }
    semiring max_min     { plus: max, zero: -inf,  times: min,    one: inf }
    semiring or_and      { plus: or,  zero: false, times: and,    one: true }
    semiring plus_min    { plus: +,   zero: 0,     times: min }
    semiring plus_first  { plus: +,   zero: 0,     times: first }
    semiring plus_second { plus: +,   zero: 0,     times: second }
    semiring plus_pair   { plus: +,   zero: 0,     times: pair }
    semiring min_first   { plus: min, zero: inf,   times: first }
    semiring min_second  { plus: min, zero: inf,   times: second }
    semiring max_first   { plus: max, zero: -inf,  times: first }
    semiring max_second  { plus: max, zero: -inf,  times: second }
";

/// The most nodes that a function may have, including those of the functions that it calls.
const LARGEST_FUNCTION: usize = 4096;

/// Everything that kernels can name.
#[derive(Clone, Debug)]
pub struct Declarations {
    /// The kinds of levels, stores among them.
    pub kinds: Kinds,
    /// The formats.
    pub formats: Formats,
    functions: BTreeMap<String, Arc<Function>>,
    semirings: BTreeMap<String, Arc<Semiring>>,
}

impl Default for Declarations {
    fn default() -> Declarations {
        Declarations::new()
    }
}

impl Declarations {
    /// The levels and semirings that are always there.
    pub fn new() -> Declarations {
        let mut scope = Declarations {
            kinds: Kinds::fixed(),
            formats: Formats::default(),
            functions: BTreeMap::new(),
            semirings: BTreeMap::new(),
        };
        let (source, _) = parse_source(SEMIRINGS);
        let mistakes = scope.add(&source);
        debug_assert!(mistakes.is_empty(), "{mistakes}");
        scope
    }

    /// Adds the formats, functions and semirings of a file, in their order. The stores they name must be in scope.
    pub fn add(&mut self, source: &Source) -> Diagnostics {
        let mut mistakes = Diagnostics::new();
        let mut seen: BTreeMap<(&str, &str), &Name> = BTreeMap::new();
        for item in &source.items {
            let (what, name) = match item {
                Item::Format(decl) => ("format", &decl.name),
                Item::Function(decl) => ("function", &decl.name),
                Item::Semiring(decl) => ("semiring", &decl.name),
                Item::Kernel(decl) => ("kernel", &decl.name),
                // Two stores of one name may stand in different files: who generates them says so.
                Item::Store(_) | Item::Use(_) => continue,
            };
            if let Some(first) = seen.insert((what, &name.text), name) {
                let mistake = Diagnostic::new(name.span, format!("{what} `{name}` is declared twice"));
                mistakes.push(mistake.related(first.span, "first here"));
            }
            match item {
                Item::Format(decl) => match check(decl, &self.kinds) {
                    Ok(()) => drop(self.formats.add(decl.clone())),
                    Err(wrong) => {
                        mistakes.extend(wrong);
                        self.formats.add_broken(decl.clone());
                    }
                },
                Item::Function(decl) => {
                    if let Some(function) = self.function_of(decl, &mut mistakes) {
                        self.functions.insert(decl.name.text.clone(), Arc::new(function));
                    }
                }
                Item::Semiring(decl) => {
                    if let Some(semiring) = self.semiring_of(decl, &mut mistakes) {
                        self.semirings.insert(decl.name.text.clone(), Arc::new(semiring));
                    }
                }
                _ => {}
            }
        }
        mistakes
    }

    /// The function called `name`.
    pub fn function(&self, name: &str) -> Option<&Arc<Function>> {
        self.functions.get(name)
    }

    /// All semirings, by name.
    pub fn semirings(&self) -> impl Iterator<Item = &Semiring> {
        self.semirings.values().map(|semiring| &**semiring)
    }

    /// The semiring called `name`.
    ///
    /// # Errors
    ///
    /// That there is none.
    pub fn semiring(&self, name: &Name) -> Result<&Arc<Semiring>, Box<Diagnostic>> {
        self.semirings.get(&name.text).ok_or_else(|| {
            let mistake = Diagnostic::new(name.span, format!("there is no semiring called `{name}`"));
            Box::new(match nearest(&name.text, self.semirings.keys().map(String::as_str)) {
                Some(near) => mistake.help(format!("did you mean `{near}`?")),
                None => mistake.help(format!(
                    "in scope are {}",
                    self.semirings.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
                )),
            })
        })
    }

    /// The function or built-in called `name`, with the number of its arguments.
    ///
    /// # Errors
    ///
    /// That there is none.
    pub(crate) fn operator(&self, name: &Name) -> Result<(Operator, usize), Box<Diagnostic>> {
        if let Some((_, op, arity)) = Operator::FUNCTIONS.iter().find(|(function, _, _)| *function == name.text) {
            return Ok((op.clone(), *arity));
        }
        if let Some(function) = self.functions.get(&name.text) {
            return Ok((Operator::Function(function.clone()), function.params.len()));
        }
        let mistake = Diagnostic::new(name.span, format!("there is no tensor or function called `{name}`"));
        let functions = self.functions.keys().map(String::as_str);
        Err(Box::new(
            match nearest(&name.text, Operator::FUNCTIONS.iter().map(|(name, _, _)| *name).chain(functions)) {
                Some(near) => mistake.help(format!("did you mean `{near}`?")),
                None => mistake,
            },
        ))
    }

    fn function_of(&self, decl: &FunctionDecl, mistakes: &mut Diagnostics) -> Option<Function> {
        let before = mistakes.len();
        if Operator::FUNCTIONS.iter().any(|(name, _, _)| *name == decl.name.text) {
            mistakes
                .push(Diagnostic::new(decl.name.span, format!("`{}` is built in and cannot be declared", decl.name)));
        }
        for (at, param) in decl.params.iter().enumerate() {
            if decl.params[..at].contains(param) {
                mistakes.push(Diagnostic::new(param.span, format!("parameter `{param}` is declared twice")));
            }
        }
        if let Some(identity) = &decl.identity
            && decl.params.len() != 2
        {
            mistakes.push(
                Diagnostic::new(identity.span, "only a function of two arguments has an identity")
                    .note("an identity is the argument that leaves the other one alone"),
            );
        }
        let (mut size, mut height) = (1, 1);
        let body = match &decl.body {
            FunctionBody::Extern(path) => {
                if path.is_empty() || path.split("::").any(|part| !is_rust_name(part)) {
                    let mistake = Diagnostic::new(decl.span, format!("`{path}` is not the path of a Rust function"));
                    mistakes.push(mistake.help("such as \"my_crate::logistic\""));
                }
                Err(path.clone())
            }
            FunctionBody::Expr(expr) => {
                let (body, h) = self.body(expr, decl, &mut size, mistakes);
                height = h;
                Ok(body)
            }
        };
        if size > LARGEST_FUNCTION || height > DEEPEST {
            mistakes.push(Diagnostic::new(
                decl.span,
                format!("function `{}` has {size} operations, nested {height} deep; at most {LARGEST_FUNCTION} and {DEEPEST} are allowed", decl.name),
            ));
        }
        (mistakes.len() == before).then(|| Function {
            name: decl.name.text.clone(),
            params: decl.params.iter().map(|param| param.text.clone()).collect(),
            annihilator: decl.annihilator.as_ref().and_then(constant),
            identity: decl.identity.as_ref().and_then(constant),
            body,
            size,
            height,
        })
    }

    /// The body of a function and its height.
    fn body(&self, expr: &Expr, decl: &FunctionDecl, size: &mut usize, mistakes: &mut Diagnostics) -> (Value, usize) {
        *size = size.saturating_add(1);
        let mut apply = |op: Operator, args: &[&Expr], mistakes: &mut Diagnostics| {
            let mut height = 0;
            let args = args
                .iter()
                .map(|arg| {
                    let (arg, h) = self.body(arg, decl, size, mistakes);
                    height = height.max(h);
                    arg
                })
                .collect();
            if let Operator::Function(function) = &op {
                *size = size.saturating_add(function.size);
                height += function.height;
            }
            (Value::Apply(op, args), height + 1)
        };
        match &expr.kind {
            ExprKind::Literal(literal) => (Value::Literal(*literal), 1),
            ExprKind::Name(name) => match decl.params.iter().position(|param| param == name) {
                Some(at) => (Value::Argument(at), 1),
                None => {
                    let mistake =
                        Diagnostic::new(name.span, format!("`{}` has no parameter called `{name}`", decl.name));
                    mistakes.push(mistake.note("a function sees its parameters only"));
                    (Value::Literal(Literal::Int(0)), 1)
                }
            },
            ExprKind::Slice(_) => {
                mistakes.push(Diagnostic::new(
                    expr.span,
                    "a slice is a coordinate of a tensor, and a function sees values only",
                ));
                (Value::Literal(Literal::Int(0)), 1)
            }
            ExprKind::Neg(inner) => apply(Operator::Neg, &[inner], mistakes),
            ExprKind::Binary { op: BinaryOp::Without, .. } => {
                mistakes.push(Diagnostic::new(
                    expr.span,
                    "`without` is an operator of tensors, and a function sees values only",
                ));
                (Value::Literal(Literal::Int(0)), 1)
            }
            ExprKind::Binary { op, left, right } => apply(Operator::from_infix(*op), &[left, right], mistakes),
            ExprKind::Apply { name, args } => match self.operator(name) {
                Err(mistake) => {
                    mistakes.push(mistake.note("a function may call those declared before it"));
                    (Value::Literal(Literal::Int(0)), 1)
                }
                Ok((Operator::Select, _)) => {
                    mistakes.push(Diagnostic::new(
                        expr.span,
                        "`select` is an operator of tensors, and a function sees values only",
                    ));
                    (Value::Literal(Literal::Int(0)), 1)
                }
                Ok((op, arity)) => {
                    if arity != args.len() {
                        mistakes.push(wrong_arity(name, arity, args.len()));
                    }
                    apply(op, &args.iter().collect::<Vec<_>>(), mistakes)
                }
            },
        }
    }

    fn semiring_of(&self, decl: &SemiringDecl, mistakes: &mut Diagnostics) -> Option<Semiring> {
        let plus = match self.semiring_operator(&decl.plus) {
            Ok((op, _)) => Reduction::of(&op).or_else(|| {
                let mistake = Diagnostic::new(decl.plus.span, format!("`{}` cannot reduce", decl.plus));
                mistakes.push(mistake.help("what reduces is one of `+`, `*`, `min`, `max`, `or`, `and`"));
                None
            }),
            Err(mistake) => {
                mistakes.push(*mistake);
                None
            }
        };
        let times = match self.semiring_operator(&decl.times) {
            Ok((op, 2)) if op != Operator::Select => Some(op),
            Ok(_) => {
                mistakes.push(Diagnostic::new(
                    decl.times.span,
                    format!("`{}` is not a function of two values", decl.times),
                ));
                None
            }
            Err(mistake) => {
                mistakes.push(*mistake);
                None
            }
        };
        Some(Semiring {
            name: decl.name.text.clone(),
            plus: plus?,
            zero: constant(&decl.zero)?,
            times: times?,
            one: decl.one.as_ref().and_then(constant),
        })
    }

    fn semiring_operator(&self, name: &Name) -> Result<(Operator, usize), Box<Diagnostic>> {
        match name.text.as_str() {
            "+" => Ok((Operator::Add, 2)),
            "*" => Ok((Operator::Mul, 2)),
            _ => self.operator(name),
        }
    }
}

pub(super) fn wrong_arity(name: &Name, arity: usize, given: usize) -> Diagnostic {
    let s = if arity == 1 { "" } else { "s" };
    Diagnostic::new(name.span, format!("`{name}` takes {arity} argument{s}, and {given} are given"))
}

fn is_rust_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
