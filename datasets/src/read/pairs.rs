//! Lines of two ids and perhaps a weight: the body of edge lists, of LDBC's `.e` files and of Matrix Market's coordinate format.

use crate::columns::{Column, Columns};
use crate::error::Fault;
use crate::input::Direction;
use crate::read::arcs::{AnyPart, Part};
use crate::read::edge_type;
use crate::read::matrix_fault;
use crate::read::names::{check_quote, fields, is_bare, trimmed, unquoted};
use crate::scan::{self, Id};
use crate::source::{At, Text};

/// What stands between two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Any number of spaces and tabs.
    Blanks,
    /// One of these, with blanks around it allowed. Of several tabs, each separates two columns.
    Byte(u8),
}

/// A separator of columns that may be empty or contain blanks.
pub(crate) const TAB: u8 = b'\t';

/// Tabs, and no other blanks.
const TABS: Separator = Separator::Byte(TAB);

impl Separator {
    /// The byte; a blank for any number of blanks.
    pub(crate) fn byte(self) -> u8 {
        match self {
            Separator::Blanks => b' ',
            Separator::Byte(byte) => byte,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Separator::Blanks => "a space or a tab",
            TABS => "a tab",
            Separator::Byte(b';') => "a semicolon",
            Separator::Byte(_) => "a comma",
        }
    }
}

/// Which of the lines that begin with `#` or `%` are comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comments {
    /// All.
    All,
    /// Below a heading of so many columns: those that have another number of columns.
    Unlike(usize),
    /// Below a heading where vertices have names: none, since names may begin so.
    None,
}

/// How the lines of a file look.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) separator: Separator,
    /// The letter that every line of data begins with, in formats that have one; lines of `c` are comments then.
    pub(crate) lead: Option<u8>,
    /// Whether there is a column of weights: the third, unless `columns` says otherwise.
    pub(crate) weighted: bool,
    /// The columns, if they are others than two ids and perhaps a weight.
    pub(crate) columns: Option<Columns>,
    /// Whether more columns may follow, which are ignored.
    pub(crate) more: bool,
    /// Whether weights may be infinite or no number.
    pub(crate) any_number: bool,
    /// Which lines are comments.
    pub(crate) comments: Comments,
    /// The place of the column that says whether an edge has a direction, and what it must say.
    pub(crate) direction: Option<(usize, Direction)>,
    /// Whether the weights are kept.
    pub(crate) keep_weights: bool,
    /// Number of rows and columns of a matrix whose coordinates begin at 1; `None` if ids are free.
    pub(crate) matrix: Option<(u64, u64)>,
}

/// Parses one block, in 32 bits if its ids allow it.
pub(crate) fn parse(text: Text<'_>, rules: &Rules) -> Result<AnyPart, At> {
    match parse_as::<u32>(text, rules)? {
        Some(part) => Ok(AnyPart::Narrow(part)),
        None => {
            let part = parse_as::<u64>(text, rules)?.expect("every id fits 64 bits");
            Ok(AnyPart::Wide(part))
        }
    }
}

/// `None` if an id does not fit.
fn parse_as<I: Id>(text: Text<'_>, rules: &Rules) -> Result<Option<Part<I>>, At> {
    let bytes = text.padded();
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let mut part = Part::with_capacity(lines, rules.weighted && rules.keep_weights);
    let mut line = 0;
    let mut at = 0;
    while at < text.len() {
        let start = at;
        match parse_line(bytes, &mut at, rules, &mut part) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(mut fault) => {
                if let Some(shape) = rules.matrix {
                    fault = matrix_fault::of_matrix(fault, matrix_fault::line_at(bytes, start), at - start, shape);
                }
                return Err(At { line, column: at - start + 1, fault });
            }
        }
        line += 1;
    }
    Ok(Some(part))
}

/// Parses one line and moves `at` behind it, or to the place of the fault. `false` if an id does not fit.
#[inline(always)]
fn parse_line<I: Id>(bytes: &[u8], at: &mut usize, rules: &Rules, part: &mut Part<I>) -> Result<bool, Fault> {
    let begin = *at;
    *at = scan::blanks(bytes, *at);
    if !bytes[*at].is_ascii_digit() && !is_headed_row(bytes, begin, *at, rules) && line_is_bare(bytes, at) {
        return Ok(true);
    }
    if rules.separator == TABS {
        // The first column may be empty.
        *at = spaces(bytes, begin);
    }
    if let Some(lead) = rules.lead
        && !led(bytes, at, lead)?
    {
        return Ok(true);
    }
    if let Some(columns) = &rules.columns {
        return parse_columns(bytes, at, rules, columns, part);
    }
    let src_at = *at;
    let mut src = id(bytes, at)?;
    separate(bytes, at, rules.separator, "a second vertex id")?;
    let dst_at = *at;
    let mut dst = id(bytes, at)?;
    if let Some((rows, columns)) = rules.matrix {
        src = coordinate("row", src, rows).inspect_err(|_| *at = src_at)?;
        dst = coordinate("column", dst, columns).inspect_err(|_| *at = dst_at)?;
    }
    if rules.weighted {
        separate(bytes, at, rules.separator, "a weight")?;
        let begin = *at;
        let weight = weight(bytes, at, rules)?;
        if !matches!(bytes[*at], b'\n' | b' ' | b'\t' | b'\r')
            && !matches!(rules.separator, Separator::Byte(b) if b == bytes[*at])
        {
            *at = begin;
            return Err(weight_fault(bytes, begin, rules.separator));
        }
        if rules.keep_weights {
            part.weight.push(weight);
            part.rounded |= scan::is_rounded(&bytes[begin..*at], weight);
        }
    }
    end_line(bytes, at, rules)?;
    let (Some(src), Some(dst)) = (I::from_wide(src), I::from_wide(dst)) else { return Ok(false) };
    part.src.push(src);
    part.dst.push(dst);
    Ok(true)
}

/// Parses a line of columns of any kind, the separators between which may be quoted. `false` if an id does not fit.
fn parse_columns<I: Id>(
    bytes: &[u8],
    at: &mut usize,
    rules: &Rules,
    columns: &Columns,
    part: &mut Part<I>,
) -> Result<bool, Fault> {
    let (mut src, mut dst) = (0, 0);
    for (k, column) in columns.as_slice().iter().enumerate() {
        if k > 0 {
            separate(bytes, at, rules.separator, column.expected())?;
        }
        let first = *at;
        let quoted = bytes[*at] == b'"' && !matches!(column, Column::Other | Column::Time);
        *at += usize::from(quoted);
        let begin = *at;
        match column {
            Column::Source => src = id(bytes, at)?,
            Column::Target => dst = id(bytes, at)?,
            Column::Weight => {
                let weight = weight(bytes, at, rules)?;
                if rules.keep_weights {
                    part.weight.push(weight);
                    part.rounded |= scan::is_rounded(&bytes[begin..*at], weight);
                }
            }
            Column::Time => {
                let end = field_end(bytes, begin, rules.separator);
                if !is_time(&unquoted(bytes[begin..end].trim_ascii())) {
                    return Err(Fault::Time { found: scan::token(bytes, begin) });
                }
                *at = end;
            }
            Column::Other => {
                *at = field_end(bytes, begin, rules.separator);
                check_quotes(bytes, begin, *at, rules.separator).inspect_err(|_| *at = begin)?;
                if let Some((_, direction)) = rules.direction.filter(|kind| kind.0 == k) {
                    edge_type::check(&bytes[begin..*at], direction).inspect_err(|_| *at = begin)?;
                }
            }
            Column::Operation => return Err(Fault::Updates),
        }
        if quoted {
            if bytes[*at] != b'"' {
                let fault = scan::decimal_comma(&bytes[first..field_end(bytes, first, rules.separator)]);
                if let Some(fault) = fault.filter(|_| *column == Column::Weight) {
                    *at = first;
                    return Err(fault);
                }
                return Err(Fault::Separator { expected: "a closing `\"`", found: scan::token(bytes, *at) });
            }
            *at += 1;
        }
        let ends = matches!(bytes[*at], b'\n' | b' ' | b'\t' | b'\r')
            || matches!(rules.separator, Separator::Byte(b) if b == bytes[*at]);
        if !ends && *column == Column::Weight {
            *at = begin;
            return Err(weight_fault(bytes, first, rules.separator));
        }
    }
    end_line(bytes, at, rules)?;
    let (Some(src), Some(dst)) = (I::from_wide(src), I::from_wide(dst)) else { return Ok(false) };
    part.src.push(src);
    part.dst.push(dst);
    Ok(true)
}

/// Reads a weight, which may be any number where the rules say so.
#[inline(always)]
fn weight(bytes: &[u8], at: &mut usize, rules: &Rules) -> Result<f64, Fault> {
    let begin = *at;
    let weight = if rules.any_number { scan::number(bytes, at) } else { scan::real(bytes, at) };
    weight.map_err(|fault| if bytes[begin] == b'"' { weight_fault(bytes, begin, rules.separator) } else { fault })
}

/// The fault of a weight with something behind it.
#[cold]
fn weight_fault(bytes: &[u8], begin: usize, separator: Separator) -> Fault {
    let field = bytes[begin..field_end(bytes, begin, separator)].trim_ascii();
    scan::decimal_comma(field).unwrap_or_else(|| Fault::Number { found: scan::token(bytes, begin) })
}

/// Refuses a field that begins with a quote and has none at its end, among those in a part of a line.
#[inline]
fn check_quotes(bytes: &[u8], begin: usize, end: usize, separator: Separator) -> Result<(), Fault> {
    let Separator::Byte(byte) = separator else { return Ok(()) };
    match memchr::memchr(b'"', &bytes[begin..end]) {
        None => Ok(()),
        Some(_) => fields(&bytes[begin..end], byte).try_for_each(|field| check_quote(field, byte)),
    }
}

/// Whether a field of a column of times holds one: a number, or a date in digits, or nothing.
pub(crate) fn is_time(field: &[u8]) -> bool {
    let Some(first) = field.first() else { return true };
    let in_date = |byte: &u8| byte.is_ascii_digit() || b"-+:./TZ ".contains(byte);
    fast_float2::parse::<f64, _>(field).is_ok_and(f64::is_finite) || first.is_ascii_digit() && field.iter().all(in_date)
}

/// Where the field that begins at `at` ends, quoted or not.
pub(crate) fn field_end(bytes: &[u8], mut at: usize, separator: Separator) -> usize {
    let mut quoted = false;
    loop {
        match bytes[at] {
            b'\n' => return at,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b' ' | b'\t' if separator == Separator::Blanks => return at,
            byte if separator == Separator::Byte(byte) => return at,
            b'\r' if bytes[at + 1] == b'\n' => return at,
            _ => {}
        }
        at += 1;
    }
}

/// Moves over the letter that a line of data begins with; `false` if the line is a comment, which is skipped.
fn led(bytes: &[u8], at: &mut usize, lead: u8) -> Result<bool, Fault> {
    let behind = scan::blanks(bytes, *at + 1);
    if bytes[*at] == lead && behind > *at + 1 {
        *at = behind;
        return Ok(true);
    }
    if bytes[*at] == b'c' {
        *at = scan::find_line_end(bytes, *at) + 1;
        return Ok(false);
    }
    let expected = format!("a line that begins with `{}`", char::from(lead));
    Err(Fault::Header { expected, found: scan::token(bytes, *at) })
}

/// Reads a vertex id, or leaves `at` where it should begin.
#[inline(always)]
pub(crate) fn id(bytes: &[u8], at: &mut usize) -> Result<u64, Fault> {
    let begin = *at;
    scan::whole(bytes, at).map_err(|why| {
        *at = begin;
        scan::id_fault(bytes, begin, why)
    })
}

/// Checks a coordinate of a matrix and makes it begin at 0.
#[inline(always)]
fn coordinate(what: &'static str, found: u64, last: u64) -> Result<u64, Fault> {
    let from_zero = found.wrapping_sub(1);
    if from_zero < last { Ok(from_zero) } else { Err(Fault::OutOfRange { what, first: 1, last, found }) }
}

/// Moves over an empty line or a comment, if there is one.
#[inline(never)]
pub(crate) fn line_is_bare(bytes: &[u8], at: &mut usize) -> bool {
    let comment = matches!(bytes[*at], b'#' | b'%');
    if comment || scan::line_ends(bytes, *at) {
        *at = scan::find_line_end(bytes, *at) + 1;
        return true;
    }
    false
}

/// Whether a line whose first letter, at `at`, is that of a comment has as many columns as the heading.
#[inline(never)]
fn is_headed_row(bytes: &[u8], begin: usize, at: usize, rules: &Rules) -> bool {
    let Separator::Byte(separator) = rules.separator else { return false };
    let line = &bytes[begin..scan::find_line_end(bytes, at)];
    matches!(bytes[at], b'#' | b'%') && !is_bare(trimmed(line, separator), separator, rules.comments)
}

/// Moves over spaces, but not over tabs.
#[inline(always)]
pub(crate) fn spaces(bytes: &[u8], mut at: usize) -> usize {
    while bytes[at] == b' ' {
        at += 1;
    }
    at
}

/// Moves over the separator to the next column, which `expected` names.
#[inline(always)]
fn separate(bytes: &[u8], at: &mut usize, separator: Separator, expected: &'static str) -> Result<(), Fault> {
    let behind = scan::blanks(bytes, *at);
    match separator {
        TABS if bytes[spaces(bytes, *at)] == TAB => {
            *at = spaces(bytes, spaces(bytes, *at) + 1);
            Ok(())
        }
        Separator::Blanks if behind > *at && !scan::line_ends(bytes, behind) => {
            *at = behind;
            Ok(())
        }
        Separator::Byte(byte) if bytes[behind] == byte => {
            *at = scan::blanks(bytes, behind + 1);
            Ok(())
        }
        _ => Err(separator_fault(bytes, at, behind, separator, expected)),
    }
}

/// The fault of an id with something behind its digits: the whole word is to blame, from its beginning.
#[cold]
pub(crate) fn trailing_fault(bytes: &[u8], at: &mut usize) -> Fault {
    while *at > 0 && bytes[*at - 1].is_ascii_digit() {
        *at -= 1;
    }
    Fault::Id { found: scan::token(bytes, *at) }
}

#[cold]
fn separator_fault(bytes: &[u8], at: &mut usize, behind: usize, separator: Separator, expected: &'static str) -> Fault {
    let touching = behind == *at;
    *at = behind;
    if scan::line_ends(bytes, behind) {
        return Fault::MissingColumn { expected };
    }
    if touching && !matches!(bytes[behind], b',' | b';') {
        return trailing_fault(bytes, at);
    }
    let found = scan::token(bytes, behind);
    Fault::Separator {
        expected: separator.name(),
        found: if found == "nothing" { scan::quote(&bytes[behind..=behind]) } else { found },
    }
}

/// Moves over the end of the line, before which only blanks may stand.
#[inline(always)]
fn end_line(bytes: &[u8], at: &mut usize, rules: &Rules) -> Result<(), Fault> {
    if bytes[*at] != b'\n' {
        let behind = scan::blanks(bytes, *at);
        if !scan::line_ends(bytes, behind) {
            let separated = match rules.separator {
                TABS => bytes[*at..behind].contains(&TAB),
                Separator::Byte(b) if b == bytes[behind] => true,
                _ => behind > *at,
            };
            if rules.more && separated {
                let end = scan::find_line_end(bytes, behind);
                check_quotes(bytes, behind, end, rules.separator).inspect_err(|_| *at = behind)?;
                *at = end + 1;
                return Ok(());
            }
            return Err(end_fault(bytes, at, behind, rules));
        }
        *at = behind + usize::from(bytes[behind] == b'\r');
    }
    *at += 1;
    Ok(())
}

/// What a line without a weight holds.
pub(crate) const TWO: &str = "2 columns as in the lines before";
/// What a line with a weight holds.
pub(crate) const THREE: &str = "3 columns as in the lines before";
/// What a line of other columns holds.
const ALL: &str = "as many columns as in the lines before";

#[cold]
fn end_fault(bytes: &[u8], at: &mut usize, behind: usize, rules: &Rules) -> Fault {
    let touching = behind == *at;
    *at = behind;
    if touching && !matches!(bytes[behind], b',' | b';') {
        return if rules.weighted {
            Fault::Number { found: scan::token(bytes, behind) }
        } else {
            trailing_fault(bytes, at)
        };
    }
    let from = if matches!(bytes[behind], b',' | b';') { behind + 1 } else { behind };
    let expected = match (&rules.columns, rules.weighted) {
        (Some(_), _) => ALL,
        (None, true) => THREE,
        (None, false) => TWO,
    };
    Fault::ExtraColumn { expected, found: scan::token(bytes, scan::blanks(bytes, from)) }
}

/// Reads one value a line; `any_number` allows those that are infinite or no number. Also returns whether a whole number was rounded.
pub(crate) fn values(text: Text<'_>, any_number: bool) -> Result<(Vec<f64>, bool), At> {
    let bytes = text.padded();
    let (mut values, mut rounded) = (Vec::with_capacity(text.len() / 4), false);
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        let start = at;
        at = scan::blanks(bytes, at);
        if !line_is_bare(bytes, &mut at) {
            let begin = at;
            let value = if any_number { scan::number(bytes, &mut at) } else { scan::real(bytes, &mut at) };
            let end = scan::blanks(bytes, at);
            match value {
                Ok(value) if scan::line_ends(bytes, end) => {
                    rounded |= scan::is_rounded(&bytes[begin..at], value);
                    values.push(value);
                }
                Ok(_) => {
                    let fault = Fault::ExtraColumn { expected: "one value a line", found: scan::token(bytes, end) };
                    return Err(At { line, column: end - start + 1, fault });
                }
                Err(fault) => return Err(At { line, column: at - start + 1, fault }),
            }
            at = scan::find_line_end(bytes, end) + 1;
        }
        line += 1;
    }
    Ok((values, rounded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::close;

    const PLAIN: Rules = Rules {
        separator: Separator::Blanks,
        lead: None,
        weighted: false,
        columns: None,
        more: false,
        any_number: false,
        comments: Comments::All,
        direction: None,
        keep_weights: true,
        matrix: None,
    };

    fn run(text: &str, rules: &Rules) -> Result<Vec<(u64, u64, f64)>, At> {
        let mut bytes = text.as_bytes().to_vec();
        close(&mut bytes);
        let weight = |w: &Vec<f64>, k: usize| w.get(k).copied().unwrap_or(1.0);
        Ok(match parse(Text::of(&bytes), rules)? {
            AnyPart::Narrow(p) => {
                (0..p.src.len()).map(|k| (p.src[k].wide(), p.dst[k].wide(), weight(&p.weight, k))).collect()
            }
            AnyPart::Wide(p) => (0..p.src.len()).map(|k| (p.src[k], p.dst[k], weight(&p.weight, k))).collect(),
        })
    }

    fn fault(text: &str, rules: &Rules) -> (u64, usize, Fault) {
        let at = run(text, rules).expect_err(text);
        (at.line, at.column, at.fault)
    }

    #[test]
    fn reads_lines_of_every_shape() {
        let edges = vec![(1, 2, 1.0), (30, 40, 1.0)];
        for text in ["1 2\n30 40", "1\t2\n30\t40\n", "1 2\r\n30 40\r\n", "# x\n\n 1  2 \n%\n30\t 40 \t\n\n"] {
            assert_eq!(run(text, &PLAIN).unwrap(), edges, "{text:?}");
        }
        let comma = Rules { separator: Separator::Byte(b','), ..PLAIN };
        assert_eq!(run("1,2\n30 , 40\n", &comma).unwrap(), edges);
        let weighted = Rules { weighted: true, ..PLAIN };
        assert_eq!(run("1 2 0.5\n3 4 7\n5 6 -1e3\n", &weighted).unwrap(), [(1, 2, 0.5), (3, 4, 7.0), (5, 6, -1000.0)]);
        let semicolon = Rules { separator: Separator::Byte(b';'), weighted: true, ..PLAIN };
        assert_eq!(run("1;2;3\n", &semicolon).unwrap(), [(1, 2, 3.0)]);
    }

    #[test]
    fn between_tabs_fields_may_be_empty_and_have_blanks() {
        let tabs = Rules { separator: TABS, ..PLAIN };
        assert_eq!(run("1\t2\n 30 \t 40 \t\n\t\t\n5\t6\r\n", &tabs).unwrap().len(), 3);
        let columns = |list: &str| Rules { columns: Some(list.parse().unwrap()), ..tabs.clone() };
        let text = "\t1\tNew York, NY\t2\nx y\t3\t\t4\n";
        assert_eq!(run(text, &columns("_,src,_,dst")).unwrap(), [(1, 2, 1.0), (3, 4, 1.0)]);
        assert_eq!(run("1\t2\t\n3\t4\ta b\n", &columns("src,dst,_")).unwrap(), [(1, 2, 1.0), (3, 4, 1.0)]);
        let more = Rules { more: true, ..columns("src,dst") };
        assert_eq!(run("1\t2\tNew York\n", &more).unwrap(), [(1, 2, 1.0)]);
        let headed = Rules { comments: Comments::Unlike(3), ..columns("_,src,dst") };
        assert_eq!(run("#a\t1\t2\n# a comment\n\t# another\n", &headed).unwrap(), [(1, 2, 1.0)]);
        assert_eq!(fault("1 2\t3\n", &tabs), (0, 3, Fault::Separator { expected: "a tab", found: "`2`".into() }));
        assert_eq!(fault("1\t\t2\n", &tabs), (0, 3, Fault::Id { found: "nothing".into() }));
        assert_eq!(fault("1\t2\t3\n", &tabs), (0, 5, Fault::ExtraColumn { expected: TWO, found: "`3`".into() }));
        assert_eq!(fault("1\t2 x\ty\n", &more), (0, 5, Fault::ExtraColumn { expected: ALL, found: "`x`".into() }));
    }

    #[test]
    fn widens_where_ids_need_it() {
        assert_eq!(run("1 4294967296\n", &PLAIN).unwrap(), [(1, 1 << 32, 1.0)]);
        assert_eq!(run("18446744073709551615 0", &PLAIN).unwrap(), [(u64::MAX, 0, 1.0)]);
    }

    #[test]
    fn points_at_the_fault() {
        assert_eq!(fault("1 2\n3 -4\n", &PLAIN), (1, 3, Fault::NegativeId { found: "`-4`".into() }));
        assert_eq!(fault("1 2\n3\n", &PLAIN), (1, 2, Fault::MissingColumn { expected: "a second vertex id" }));
        assert_eq!(fault("1 2 3\n", &PLAIN), (0, 5, Fault::ExtraColumn { expected: TWO, found: "`3`".into() }));
        assert_eq!(fault("a b\n", &PLAIN), (0, 1, Fault::Id { found: "`a`".into() }));
        assert_eq!(fault("1 2x\n", &PLAIN), (0, 3, Fault::Id { found: "`2x`".into() }));
        assert_eq!(fault("1,2\n", &PLAIN).2, Fault::Separator { expected: "a space or a tab", found: "`,`".into() });
        let weighted = Rules { weighted: true, ..PLAIN };
        assert_eq!(fault("1 2\n", &weighted), (0, 4, Fault::MissingColumn { expected: "a weight" }));
        assert_eq!(fault("1 2 nan\n", &weighted), (0, 5, Fault::NotFinite { found: "`nan`".into() }));
        assert_eq!(fault("1 2 1.5x\n", &weighted), (0, 5, Fault::Number { found: "`1.5x`".into() }));
        let matrix = Rules { matrix: Some((3, 2)), ..PLAIN };
        assert_eq!(fault("3 2\n4 1\n", &matrix).2, Fault::OutOfRange { what: "row", first: 1, last: 3, found: 4 });
        assert_eq!(fault("3 2\n 14 1\n", &matrix).1, 2);
        assert_eq!(fault("0 1\n", &matrix).2, Fault::OutOfRange { what: "row", first: 1, last: 3, found: 0 });
        assert_eq!(fault("1 3\n", &matrix).2, Fault::OutOfRange { what: "column", first: 1, last: 2, found: 3 });
        let comma = Rules { separator: Separator::Byte(b','), ..PLAIN };
        let columns = Rules { columns: Some("src,_,dst,time".parse().unwrap()), ..comma.clone() };
        assert_eq!(run("1,\"a,b\",2,1.5\n\"3\",,\"4\",-7\n", &columns).unwrap(), [(1, 2, 1.0), (3, 4, 1.0)]);
        assert_eq!(fault("1,a,2\n", &columns).2, Fault::MissingColumn { expected: "a time" });
        assert_eq!(fault("1,a,2,now\n", &columns), (0, 7, Fault::Time { found: "`now`".into() }));
        assert_eq!(run("1,,2,2020-02-29\n1,,3,\"29.2.2020 10:30\"\n1,,4,\n", &columns).unwrap().len(), 3);
        for wrong in ["nan", "1x", "-", "2020-02-29,now", "\"1"] {
            let line = format!("1,,2,{wrong}\n");
            assert!(run(&line, &columns).is_err(), "{wrong}");
        }
        assert_eq!(fault("1,a,2,3,4\n", &columns).2, Fault::ExtraColumn { expected: ALL, found: "`4`".into() });
        assert_eq!(fault("\"1,a,2,3\n", &columns).1, 3);
        assert_eq!(run("1,a,2,3,4\n", &Rules { more: true, ..columns }).unwrap(), [(1, 2, 1.0)]);
        assert_eq!(fault("1,,2\n", &comma).2, Fault::Id { found: "nothing".into() });
    }
}
