//! Tokens to `format` declarations and to formats where they are used.

use super::ast::*;
use crate::diagnostic::Diagnostic;
use crate::notation::cursor::{Cursor, DEEPEST, Parsed, too_deep};
use crate::notation::lexer::TokenKind;
use crate::notation::parse_expr::constant;

/// Reads a declaration whose word `format`, at `start`, has been stepped over.
pub(crate) fn format_decl(cursor: &mut Cursor<'_>, start: usize) -> Parsed<FormatDecl> {
    let name = cursor.name("the format's name")?;
    let params = if cursor.at_mark("<") { cursor.list("<", ">", "before the parameters", param)? } else { Vec::new() };
    let indices = cursor.list("(", ")", "before the format's indices", |c| c.name("an index"))?;
    cursor.expect("=", "before the format's levels")?;
    let mut levels = vec![level(cursor)?];
    while cursor.eat(",") {
        levels.push(level(cursor)?);
    }
    let fill = if cursor.eat_word("fill") { Some(constant(cursor)?) } else { None };
    cursor.eat(";");
    Ok(FormatDecl { name, params, indices, levels, fill, span: cursor.since(start) })
}

fn param(cursor: &mut Cursor<'_>) -> Parsed<FormatParam> {
    let name = cursor.name("a parameter's name")?;
    let default = if cursor.eat("=") { Some(cursor.integer("the parameter's value")?) } else { None };
    Ok(FormatParam { name, default })
}

fn level(cursor: &mut Cursor<'_>) -> Parsed<LevelDecl> {
    let start = cursor.peek().span.start;
    let coordinate = remap(cursor)?;
    cursor.expect(":", "and a level behind the coordinate")?;
    let kind = level_kind(cursor)?;
    Ok(LevelDecl { coordinate, kind, span: cursor.since(start) })
}

/// `compressed(nonunique)`, `blist<64>`.
fn level_kind(cursor: &mut Cursor<'_>) -> Parsed<LevelKind> {
    let start = cursor.peek().span.start;
    let name = cursor.name("a level such as `dense` or `compressed`, or a store's name")?;
    let args = arguments(cursor)?;
    let switches = if cursor.at_mark("(") {
        cursor.list("(", ")", "before the properties", |c| c.name("a property such as `unordered`"))?
    } else {
        Vec::new()
    };
    Ok(LevelKind { name, args, switches, span: cursor.since(start) })
}

fn arguments(cursor: &mut Cursor<'_>) -> Parsed<Vec<i64>> {
    if !cursor.at_mark("<") {
        return Ok(Vec::new());
    }
    cursor.list("<", ">", "before the parameters", |c| c.integer("a whole number"))
}

/// Reads a format where one is used: `csr`, `bcsr<4, 4>`, `(dense, ctree)`.
pub(crate) fn format_ref(cursor: &mut Cursor<'_>) -> Parsed<FormatRef> {
    let start = cursor.peek().span.start;
    if cursor.at_mark("(") {
        let levels = cursor.list("(", ")", "before the levels", level_kind)?;
        return Ok(FormatRef::Nameless { levels, span: cursor.since(start) });
    }
    let name = cursor.name("a format: a name, or levels in brackets such as `(dense, compressed)`")?;
    let args = arguments(cursor)?;
    Ok(FormatRef::Named { name, args, span: cursor.since(start) })
}

struct Tall {
    remap: Remap,
    height: usize,
}

/// Reads a coordinate in remapping notation.
pub(crate) fn remap(cursor: &mut Cursor<'_>) -> Parsed<Remap> {
    Ok(binary(cursor, 0, 0)?.remap)
}

fn operator(cursor: &Cursor<'_>) -> Option<RemapOp> {
    use RemapOp::*;
    match cursor.peek().kind {
        TokenKind::Mark(mark) => {
            [Or, Xor, And, Shl, Shr, Add, Sub, Mul, Div, Rem].into_iter().find(|op| op.symbol() == mark)
        }
        _ => None,
    }
}

fn binary(cursor: &mut Cursor<'_>, loosest: u8, depth: usize) -> Parsed<Tall> {
    let start = cursor.peek().span.start;
    let mut left = unary(cursor, depth)?;
    while let Some(op) = operator(cursor).filter(|op| op.binding() > loosest) {
        cursor.bump();
        let right = binary(cursor, op.binding(), depth + 1)?;
        left = tall(
            RemapKind::Binary { op, left: Box::new(left.remap), right: Box::new(right.remap) },
            left.height.max(right.height) + 1,
            cursor,
            start,
        )?;
    }
    Ok(left)
}

fn tall(kind: RemapKind, height: usize, cursor: &Cursor<'_>, start: usize) -> Parsed<Tall> {
    let span = cursor.since(start);
    if height > DEEPEST { Err(deep(span)) } else { Ok(Tall { remap: Remap { kind, span }, height }) }
}

fn deep(span: crate::diagnostic::Span) -> Box<Diagnostic> {
    let mut mistake = too_deep(span, "the coordinate");
    mistake.help.clear();
    mistake
}

fn unary(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Tall> {
    let start = cursor.peek().span.start;
    if depth > DEEPEST {
        return Err(deep(cursor.peek().span));
    }
    if cursor.eat("-") {
        let inner = unary(cursor, depth + 1)?;
        return tall(RemapKind::Neg(Box::new(inner.remap)), inner.height + 1, cursor, start);
    }
    if cursor.eat("(") {
        let inner = binary(cursor, 0, depth + 1)?;
        cursor.expect(")", "behind the coordinate in brackets")?;
        return Ok(inner);
    }
    if cursor.eat("#") {
        let mut of = Vec::new();
        while cursor.peek().kind == TokenKind::Name && !cursor.at_word("in") {
            of.push(cursor.name("an index")?);
        }
        return tall(RemapKind::Counter(of), 1, cursor, start);
    }
    if cursor.eat_word("let") {
        let name = cursor.name("the variable's name")?;
        cursor.expect("=", "behind the variable's name")?;
        let value = binary(cursor, 0, depth + 1)?;
        if !cursor.eat_word("in") {
            return Err(cursor.expected("`in` behind the variable's value"));
        }
        let body = binary(cursor, 0, depth + 1)?;
        let height = value.height.max(body.height) + 1;
        let kind = RemapKind::Let { name, value: Box::new(value.remap), body: Box::new(body.remap) };
        return tall(kind, height, cursor, start);
    }
    if cursor.peek().kind == TokenKind::Number {
        let value = cursor.integer("a whole number")?;
        return tall(RemapKind::Const(value), 1, cursor, start);
    }
    let name = cursor.name("a coordinate: an index, a number, `#`, `let` or `(`")?;
    tall(RemapKind::Name(name), 1, cursor, start)
}
