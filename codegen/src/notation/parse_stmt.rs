//! Statements as text.

use super::ast::*;
use super::cursor::{Cursor, DEEPEST, Parsed, too_deep};
use super::lexer::TokenKind;
use super::parse::MOST_MISTAKES;
use super::parse_expr::{coordinates, expr};
use crate::diagnostic::{Diagnostics, Span};

/// Statements up to a closing brace or the end. A mistake costs the rest of its statement only.
pub(super) fn statements(cursor: &mut Cursor<'_>, mistakes: &mut Diagnostics) -> Vec<Stmt> {
    let mut body = Vec::new();
    while !cursor.at_end() && !cursor.at_mark("}") && mistakes.len() < MOST_MISTAKES {
        if cursor.eat(";") {
            continue;
        }
        let start = cursor.peek().span.start;
        match where_statement(cursor, 0) {
            Ok(stmt) => body.push(stmt),
            Err(mistake) => {
                mistakes.push(*mistake);
                cursor.skip_until(|c| c.peek().span.start > start && (c.at_mark(";") || c.starts_line()));
                while cursor.eat(")") || cursor.eat("]") {
                    cursor.skip_until(|c| c.at_mark(";") || c.starts_line());
                }
            }
        }
    }
    body
}

/// `S; T; U`, as it stands in brackets.
pub(super) fn sequence(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Stmt> {
    let start = cursor.peek().span.start;
    let mut parts = vec![where_statement(cursor, depth)?];
    while cursor.eat(";") {
        if cursor.at_mark(")") {
            break;
        }
        parts.push(where_statement(cursor, depth)?);
    }
    if parts.len() == 1 {
        return Ok(parts.remove(0));
    }
    Ok(Stmt { kind: StmtKind::Sequence(parts), span: cursor.since(start) })
}

/// `S where T where U`, which is `(S where T) where U`.
pub(super) fn where_statement(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Stmt> {
    let start = cursor.peek().span.start;
    let mut stmt = statement(cursor, depth)?;
    let mut height = 0;
    while cursor.eat_word("where") {
        height += 1;
        if height + depth > DEEPEST / 2 {
            return Err(too_deep(cursor.since(start), "the statement"));
        }
        let producer = statement(cursor, depth)?;
        stmt = Stmt {
            kind: StmtKind::Where { consumer: Box::new(stmt), producer: Box::new(producer) },
            span: cursor.since(start),
        };
    }
    Ok(stmt)
}

pub(super) fn statement(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Stmt> {
    let start = cursor.peek().span;
    if depth >= DEEPEST / 2 {
        return Err(too_deep(start, "the statement"));
    }
    if cursor.eat("(") {
        let stmt = sequence(cursor, depth + 1)?;
        cursor.expect(")", "behind the statement in brackets")?;
        return Ok(stmt);
    }
    if cursor.at_word("forall") && cursor.second().kind == TokenKind::Mark("(") {
        cursor.bump();
        cursor.expect("(", "behind `forall`")?;
        let index = cursor.name("the index variable of the `forall`")?;
        cursor.expect(",", "behind the index variable")?;
        let parallel = cursor.at_word("parallel") && cursor.second().kind == TokenKind::Mark(",");
        if parallel {
            cursor.bump();
            cursor.bump();
        }
        let body = sequence(cursor, depth + 1)?;
        cursor.expect(")", "behind the statement of the `forall`")?;
        return Ok(Stmt {
            kind: StmtKind::Forall { index, parallel, body: Box::new(body) },
            span: cursor.since(start.start),
        });
    }
    let assign = assign(cursor)?;
    Ok(Stmt { kind: StmtKind::Assign(assign), span: cursor.since(start.start) })
}

pub(super) fn assign(cursor: &mut Cursor<'_>) -> Parsed<Assign> {
    let start = cursor.peek().span.start;
    let tensor = cursor.name("a statement: a tensor, `forall` or `(`")?;
    let coordinates = if cursor.at_mark("(") { coordinates(cursor)? } else { Vec::new() };
    let target = target(tensor, coordinates, cursor.since(start));
    let mask = if cursor.at_mark("<") { Some(mask(cursor)?) } else { None };
    let op = assign_op(cursor)?;
    let value = expr(cursor)?;
    let over = if cursor.eat_word("over") { Some(cursor.name("a semiring's name")?) } else { None };
    Ok(Assign { target, mask, op, value, over })
}

pub(super) fn target(tensor: Name, coordinates: Vec<Expr>, span: Span) -> Target {
    let plain: Option<Vec<Name>> = coordinates
        .iter()
        .map(|coordinate| match &coordinate.kind {
            ExprKind::Name(index) => Some(index.clone()),
            _ => None,
        })
        .collect();
    if let Some(indices) = plain {
        return Target { tensor, indices, coordinates: None, span };
    }
    let mut indices = Vec::new();
    coordinates.iter().for_each(|coordinate| coordinate.index_names(&mut indices));
    Target { tensor, indices, coordinates: Some(coordinates), span }
}

pub(super) fn indices(cursor: &mut Cursor<'_>) -> Parsed<Vec<Name>> {
    cursor.list("(", ")", "before the indices", |c| c.name("an index variable"))
}

pub(super) fn mask(cursor: &mut Cursor<'_>) -> Parsed<Mask> {
    let start = cursor.expect("<", "before the mask")?.start;
    let negated = cursor.eat("!");
    let tensor = cursor.name("the tensor that masks")?;
    let indices = if cursor.at_mark("(") { Some(indices(cursor)?) } else { None };
    cursor.expect(">", "behind the mask")?;
    Ok(Mask { negated, tensor, indices, span: Span::new(start, cursor.last_end().max(start + 1)) })
}

pub(super) fn assign_op(cursor: &mut Cursor<'_>) -> Parsed<AssignOp> {
    for op in [AssignOp::Set, AssignOp::Add, AssignOp::Mul, AssignOp::Or, AssignOp::And] {
        if cursor.eat(op.symbol()) {
            return Ok(op);
        }
    }
    for (word, op) in [("min", AssignOp::Min), ("max", AssignOp::Max)] {
        let next = cursor.second();
        if cursor.at_word(word) && next.kind == TokenKind::Mark("=") && next.span.start == cursor.peek().span.end {
            cursor.bump();
            cursor.bump();
            return Ok(op);
        }
    }
    Err(cursor.expected("`=`, `+=`, `*=`, `min=`, `max=`, `|=` or `&=` behind what is written"))
}
