//! Tokens to expressions, by precedence climbing: `without`, comparison, `+ -`, `* / %`, unary minus.

use super::ast::*;
use super::cursor::{Cursor, DEEPEST, Parsed, too_deep};
use super::lexer::TokenKind;
use crate::diagnostic::Diagnostic;

/// Words that are no names of tensors, scalars or indices.
const RESERVED: [&str; 7] = ["forall", "where", "without", "over", "parallel", "of", "fill"];

const OPERATORS: [BinaryOp; 12] = [
    BinaryOp::Without,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Le,
    BinaryOp::Lt,
    BinaryOp::Ge,
    BinaryOp::Gt,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
];

/// An expression with its height, counted in nodes: how deep a pass over it recurses.
struct Tall {
    expr: Expr,
    height: usize,
}

/// Reads an expression.
pub fn expr(cursor: &mut Cursor<'_>) -> Parsed<Expr> {
    Ok(binary(cursor, 0, 0)?.expr)
}

/// Reads a number or truth value, with a minus or without.
pub fn constant(cursor: &mut Cursor<'_>) -> Parsed<Expr> {
    let start = cursor.peek().span.start;
    let negative = cursor.eat("-");
    let Some(literal) = literal(cursor)? else {
        return Err(cursor.expected("a constant such as `0`, `-1.5`, `inf` or `true`"));
    };
    let span = cursor.since(start);
    let value = Expr { kind: ExprKind::Literal(literal), span };
    Ok(if negative { Expr { kind: ExprKind::Neg(Box::new(value)), span } } else { value })
}

fn operator(cursor: &Cursor<'_>) -> Option<BinaryOp> {
    let token = cursor.peek();
    match token.kind {
        TokenKind::Mark(mark) => OPERATORS.into_iter().find(|op| op.symbol() == mark),
        TokenKind::Name if cursor.text(token) == "without" => Some(BinaryOp::Without),
        _ => None,
    }
}

fn binary(cursor: &mut Cursor<'_>, loosest: u8, depth: usize) -> Parsed<Tall> {
    let start = cursor.peek().span.start;
    let mut left = unary(cursor, depth)?;
    while let Some(op) = operator(cursor).filter(|op| op.binding() > loosest) {
        let mark = cursor.bump();
        let right = binary(cursor, op.binding(), depth + 1)?;
        let span = cursor.since(start);
        let height = 1 + left.height.max(right.height);
        if height > DEEPEST {
            let chain = "a chain of operators nests as deep as it has operands: `a + b + c` is `(a + b) + c`";
            return Err(Box::new(too_deep(span, "the expression").note(chain)));
        }
        // The span of an expression in brackets begins behind the bracket: one that begins at `start` stands in none.
        let unbracketed = left.expr.span.start == start;
        if op.compares() && unbracketed && matches!(&left.expr.kind, ExprKind::Binary { op, .. } if op.compares()) {
            return Err(Box::new(
                Diagnostic::new(mark.span, "comparisons do not chain")
                    .help("compare two by two and join with `and(a < b, b < c)`"),
            ));
        }
        let kind = ExprKind::Binary { op, left: Box::new(left.expr), right: Box::new(right.expr) };
        left = Tall { expr: Expr { kind, span }, height };
    }
    Ok(left)
}

fn unary(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Tall> {
    let start = cursor.peek().span;
    if depth > DEEPEST {
        return Err(too_deep(start, "the expression"));
    }
    if !cursor.eat("-") {
        return primary(cursor, depth);
    }
    let inner = unary(cursor, depth + 1)?;
    if inner.height >= DEEPEST {
        return Err(too_deep(start, "the expression"));
    }
    let kind = ExprKind::Neg(Box::new(inner.expr));
    Ok(Tall { expr: Expr { kind, span: cursor.since(start.start) }, height: inner.height + 1 })
}

fn primary(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Tall> {
    let start = cursor.peek().span.start;
    if cursor.eat("(") {
        let inner = binary(cursor, 0, depth + 1)?;
        cursor.expect(")", "behind the expression in brackets")?;
        return Ok(inner);
    }
    if let Some(literal) = literal(cursor)? {
        return Ok(Tall { expr: Expr { kind: ExprKind::Literal(literal), span: cursor.since(start) }, height: 1 });
    }
    let token = cursor.peek();
    if token.kind != TokenKind::Name || RESERVED.contains(&cursor.text(token)) {
        return Err(cursor.expected("an operand: a tensor, scalar, number, function or `(`"));
    }
    let name = cursor.name("an operand")?;
    if !cursor.at_mark("(") {
        return Ok(Tall { expr: Expr { kind: ExprKind::Name(name), span: cursor.since(start) }, height: 1 });
    }
    let (args, height) = arguments(cursor, depth)?;
    let span = cursor.since(start);
    if height >= DEEPEST {
        return Err(too_deep(span, "the expression"));
    }
    Ok(Tall { expr: Expr { kind: ExprKind::Apply { name, args }, span }, height: height + 1 })
}

/// Reads the coordinates of an access, or the arguments of a function.
pub fn coordinates(cursor: &mut Cursor<'_>) -> Parsed<Vec<Expr>> {
    Ok(arguments(cursor, 0)?.0)
}

fn arguments(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<(Vec<Expr>, usize)> {
    let mut height = 0;
    let mut args = cursor.list("(", ")", "before the indices", |c| {
        let arg = argument(c, depth + 1)?;
        height = height.max(arg.height);
        Ok(arg.expr)
    })?;
    let mut slices = 0;
    for arg in &mut args {
        if let ExprKind::Slice(slice) = &mut arg.kind
            && !slice.named
        {
            slices += 1;
            slice.index.text = format!("slice_{slices}");
        }
    }
    Ok((args, height))
}

fn argument(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Tall> {
    let start = cursor.peek().span.start;
    let second = cursor.second();
    let named = cursor.peek().kind == TokenKind::Name && second.kind == TokenKind::Name && cursor.text(second) == "in";
    let index = if named {
        let index = cursor.name("an index variable")?;
        cursor.bump();
        Some(index)
    } else {
        None
    };
    let (mut lo, mut height) = (None, 1);
    if !cursor.at_mark(":") {
        let first = binary(cursor, 0, depth)?;
        if index.is_none() && !cursor.at_mark(":") {
            return Ok(first);
        }
        height = height.max(first.height);
        lo = Some(Box::new(first.expr));
    }
    cursor.expect(":", "between the first coordinate of a slice and the one behind its last")?;
    let ends = |c: &Cursor<'_>| c.at_mark(":") || c.at_mark(",") || c.at_mark(")");
    let mut hi = None;
    if !ends(cursor) {
        let last = binary(cursor, 0, depth)?;
        height = height.max(last.height);
        hi = Some(Box::new(last.expr));
    }
    let step = if cursor.eat(":") { cursor.integer("the distance of two coordinates of the slice")? } else { 1 };
    let span = cursor.since(start);
    if step < 1 {
        return Err(Box::new(
            Diagnostic::new(span, format!("the coordinates of a slice ascend, and this one goes by {step}"))
                .help("write a step of 1 or more"),
        ));
    }
    let named = index.is_some();
    let index = index.unwrap_or(Name { text: String::new(), span });
    Ok(Tall { expr: Expr { kind: ExprKind::Slice(Slice { index, named, lo, hi, step }), span }, height: height + 1 })
}

fn literal(cursor: &mut Cursor<'_>) -> Parsed<Option<Literal>> {
    let token = cursor.peek();
    let text = cursor.text(token);
    let literal = match token.kind {
        TokenKind::Number => {
            let digits: String = text.chars().filter(|&c| c != '_').collect();
            let whole = digits.bytes().all(|b| b.is_ascii_digit());
            let value = match whole {
                true => digits.parse::<u64>().ok().map(|value| Literal::Int(value.into())),
                false => digits.parse().ok().filter(|value: &f64| value.is_finite()).map(Literal::Float),
            };
            value.ok_or_else(|| {
                let (number, help) = match whole {
                    true => ("whole", "write it with a fraction, such as `1e30`, to have a floating-point number"),
                    false => ("floating-point", "write `inf` for infinity"),
                };
                let message = format!("`{text}` does not fit a {number} number of 64 bits");
                Box::new(Diagnostic::new(token.span, message).help(help))
            })?
        }
        TokenKind::Name => match text {
            "inf" => Literal::Float(f64::INFINITY),
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    cursor.bump();
    Ok(Some(literal))
}
