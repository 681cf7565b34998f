//! Tokens to items: what stands in a `.pleach` file.

use super::ast::*;
use super::cursor::{Cursor, Parsed};
use super::lexer::TokenKind;
use super::parse_expr::{constant, expr};
use super::parse_stmt::statements;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::format::parse::{format_decl, format_ref};

/// The words that begin an item.
const ITEMS: [&str; 6] = ["store", "format", "function", "semiring", "kernel", "use"];

/// Mistakes that are reported in one run; a file that is not in this notation at all makes no more.
pub(super) const MOST_MISTAKES: usize = 64;

/// Reads a whole `.pleach` text. What could be read is returned beside the mistakes.
pub fn parse_source(text: &str) -> (Source, Diagnostics) {
    let mut cursor = Cursor::new(text);
    let mut mistakes = Diagnostics::new();
    let mut source = Source::default();
    while !cursor.at_end() && mistakes.len() < MOST_MISTAKES {
        let start = cursor.peek().span.start;
        match item(&mut cursor, &mut mistakes) {
            Ok(item) => source.items.push(item),
            Err(mistake) => {
                mistakes.push(*mistake);
                let begins = |c: &Cursor<'_>| {
                    c.peek().span.start > start && c.starts_line() && ITEMS.iter().any(|word| c.at_word(word))
                };
                while !cursor.at_end() && !begins(&cursor) {
                    cursor.bump();
                }
            }
        }
    }
    (source, mistakes)
}

/// Reads a text that holds statements only, as the body of a kernel does.
pub fn parse_statements(text: &str) -> (Vec<Stmt>, Diagnostics) {
    let mut cursor = Cursor::new(text);
    let mut mistakes = Diagnostics::new();
    let body = statements(&mut cursor, &mut mistakes);
    if mistakes.is_empty() && !cursor.at_end() {
        mistakes.push(*cursor.expected("a statement"));
    }
    (body, mistakes)
}

/// Reads what stands behind the colon of a parameter, such as `csr of f32` or `f64`, and makes the parameter `name` of it. `text` is not
/// the text of the kernel, so that the parameter, its name and its formats all get the span `span` there.
///
/// # Errors
///
/// The mistake that stopped the parser, in `text`.
pub fn parse_param(name: &str, text: &str, span: Span) -> Result<Param, Diagnostics> {
    let mut cursor = Cursor::new(text);
    let read = declared(&mut cursor, Name { text: name.to_owned(), span }, 0).and_then(|mut param| {
        if !cursor.at_end() {
            return Err(cursor.expected("nothing behind the format"));
        }
        param.formats.iter_mut().for_each(|format| format.move_to(span));
        Ok(Param { span, ..param })
    });
    read.map_err(|mistake| Diagnostics::from(*mistake))
}

/// Reads one format as it stands behind the colon of a parameter.
///
/// # Errors
///
/// The mistake that stopped the parser.
pub fn parse_format(text: &str) -> Result<crate::format::ast::FormatRef, Diagnostics> {
    let mut cursor = Cursor::new(text);
    let read = format_ref(&mut cursor).and_then(|format| {
        if cursor.at_end() { Ok(format) } else { Err(cursor.expected("nothing behind the format")) }
    });
    read.map_err(|mistake| Diagnostics::from(*mistake))
}

fn item(cursor: &mut Cursor<'_>, mistakes: &mut Diagnostics) -> Parsed<Item> {
    let start = cursor.peek().span.start;
    if cursor.eat_word("store") {
        return store(cursor, start).map(Item::Store);
    }
    if cursor.eat_word("format") {
        return format_decl(cursor, start).map(Item::Format);
    }
    if cursor.eat_word("function") {
        return function(cursor, start).map(Item::Function);
    }
    if cursor.eat_word("semiring") {
        return semiring(cursor, start).map(Item::Semiring);
    }
    if cursor.eat_word("kernel") {
        return kernel(cursor, start, mistakes).map(Item::Kernel);
    }
    if cursor.eat_word("use") {
        let path = text(cursor, "the path of a file in double quotes")?;
        cursor.eat(";");
        return Ok(Item::Use(UseDecl { path, span: cursor.since(start) }));
    }
    let mut mistake = cursor.expected("an item: `store`, `format`, `function`, `semiring`, `kernel` or `use`");
    if cursor.at_word("def") {
        *mistake = mistake.help("node definitions stand inside a store: `store NAME { def … }`");
    }
    Err(mistake)
}

fn text(cursor: &mut Cursor<'_>, what: &str) -> Parsed<String> {
    let token = cursor.peek();
    if token.kind != TokenKind::Text {
        return Err(cursor.expected(what));
    }
    cursor.bump();
    Ok(cursor.text(token).trim_matches('"').to_owned())
}

fn store(cursor: &mut Cursor<'_>, start: usize) -> Parsed<StoreText> {
    let name = cursor.name("the store's name")?;
    cursor.skip_until(|c| c.at_mark("{"));
    cursor.expect("{", "before the node definitions")?;
    cursor.skip_until(|_| false);
    cursor.expect("}", "behind the node definitions")?;
    Ok(StoreText { name, span: cursor.since(start) })
}

fn function(cursor: &mut Cursor<'_>, start: usize) -> Parsed<FunctionDecl> {
    let name = cursor.name("the function's name")?;
    let params = cursor.list("(", ")", "before the function's parameters", |c| c.name("a parameter's name"))?;
    let (mut annihilator, mut identity) = (None, None);
    loop {
        let slot = if cursor.eat_word("annihilator") {
            &mut annihilator
        } else if cursor.eat_word("identity") {
            &mut identity
        } else {
            break;
        };
        let value = constant(cursor)?;
        if slot.is_some() {
            return Err(Box::new(Diagnostic::new(value.span, "declared a second time")));
        }
        *slot = Some(value);
    }
    cursor.expect("=", "before what the function computes")?;
    let body = if cursor.eat_word("extern") {
        FunctionBody::Extern(text(cursor, "the path of a Rust function in double quotes")?)
    } else {
        FunctionBody::Expr(expr(cursor)?)
    };
    cursor.eat(";");
    Ok(FunctionDecl { name, params, annihilator, identity, body, span: cursor.since(start) })
}

fn semiring(cursor: &mut Cursor<'_>, start: usize) -> Parsed<SemiringDecl> {
    let name = cursor.name("the semiring's name")?;
    let (mut plus, mut times, mut zero, mut one) = (None, None, None, None);
    let again = |name: &Name| Box::new(Diagnostic::new(name.span, format!("`{name}` is given twice")));
    cursor.list("{", "}", "before the semiring's parts", |c| {
        let part = c.name("`plus`, `zero`, `times` or `one`")?;
        c.expect(":", "behind the part's name")?;
        let twice = match part.text.as_str() {
            "plus" => plus.replace(operator_name(c)?).is_some(),
            "times" => times.replace(operator_name(c)?).is_some(),
            "zero" => zero.replace(constant(c)?).is_some(),
            "one" => one.replace(constant(c)?).is_some(),
            _ => {
                return Err(Box::new(
                    Diagnostic::new(part.span, format!("a semiring has no part called `{part}`"))
                        .help("its parts are `plus`, `zero`, `times` and, if `times` has an identity, `one`"),
                ));
            }
        };
        if twice { Err(again(&part)) } else { Ok(()) }
    })?;
    let span = cursor.since(start);
    let missing = |part: &str| {
        Box::new(
            Diagnostic::new(name.span, format!("semiring `{name}` does not say its `{part}`"))
                .help(format!("semiring {name} {{ plus: min, zero: inf, times: +, one: 0 }}")),
        )
    };
    Ok(SemiringDecl {
        plus: plus.ok_or_else(|| missing("plus"))?,
        zero: zero.ok_or_else(|| missing("zero"))?,
        times: times.ok_or_else(|| missing("times"))?,
        one,
        span,
        name,
    })
}

fn operator_name(cursor: &mut Cursor<'_>) -> Parsed<OperatorName> {
    for mark in ["+", "*"] {
        let span = cursor.peek().span;
        if cursor.eat(mark) {
            return Ok(Name { text: mark.to_owned(), span });
        }
    }
    cursor.name("an operator: `+`, `*` or the name of a function such as `min`")
}

fn kernel(cursor: &mut Cursor<'_>, start: usize, mistakes: &mut Diagnostics) -> Parsed<Kernel> {
    let name = cursor.name("the kernel's name")?;
    let params = cursor.list("(", ")", "before the kernel's parameters", param)?;
    let mut results = Vec::new();
    if cursor.eat("->") {
        loop {
            results.push(param(cursor)?);
            if !cursor.eat(",") {
                break;
            }
        }
    }
    cursor.expect("{", "before the kernel's statements")?;
    let body = statements(cursor, mistakes);
    cursor.expect("}", "behind the kernel's statements")?;
    Ok(Kernel { name, params, results, body, span: cursor.since(start) })
}

fn param(cursor: &mut Cursor<'_>) -> Parsed<Param> {
    let start = cursor.peek().span.start;
    let name = cursor.name("a parameter's name")?;
    cursor.expect(":", "and a format behind the parameter's name")?;
    declared(cursor, name, start)
}

/// What stands behind the colon of the parameter `name`, which begins at `start`.
fn declared(cursor: &mut Cursor<'_>, name: Name, start: usize) -> Parsed<Param> {
    let mut formats = Vec::new();
    let token = cursor.peek();
    let scalar = ValueType::from_name(cursor.text(token)).filter(|_| token.kind == TokenKind::Name);
    let value = match scalar {
        Some(value) => {
            cursor.bump();
            Some(value)
        }
        None => {
            formats.push(format_ref(cursor)?);
            while cursor.eat("|") {
                formats.push(format_ref(cursor)?);
            }
            if cursor.eat_word("of") { Some(value_type(cursor)?) } else { None }
        }
    };
    let fill = if cursor.eat_word("fill") { Some(constant(cursor)?) } else { None };
    Ok(Param { name, formats, value, fill, span: cursor.since(start) })
}

fn value_type(cursor: &mut Cursor<'_>) -> Parsed<ValueType> {
    let mistake = cursor.expected("a value type: `f32 f64 i32 i64 u32 u64 bool` or `pattern`");
    let name = cursor.name("a value type: `f32 f64 i32 i64 u32 u64 bool` or `pattern`")?;
    ValueType::from_name(&name.text).ok_or(mistake)
}
