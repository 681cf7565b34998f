//! Edge lists: a line an edge, two ids and perhaps a weight, as SNAP, KONECT and spreadsheets write them.
//!
//! Lines that begin with `#` or `%` are comments. Columns are separated by blanks, commas or semicolons, and may have a line of
//! names above them; the first line of data says which separator it is and whether there are weights, and the others must follow.
//! The direction is taken from the comments of SNAP and KONECT.

use std::path::Path;

use super::pairs::{self, Rules, Separator};
use super::{Raw, arcs};
use crate::error::{Error, Fault};
use crate::input::{Direction, Options, Weights};
use crate::scan;
use crate::source::Source;

pub(super) fn read(mut source: Source, options: &Options) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let declared = declared_direction(source.peek());
    let Some(rules) = sniff(&mut source, options)? else {
        return Err(Error::Empty { path, expected: "at least one edge" });
    };
    let parts = source.parse(|text| pairs::parse(text, &rules))?;
    let (arcs, ids) = arcs::number(&path, parts)?;
    if arcs.src.is_empty() {
        return Err(Error::Empty { path, expected: "at least one edge" });
    }
    Ok(Raw { declared, ..Raw::graph(&path, arcs, ids, rules.weighted) })
}

/// What the comments at the head of a file say about direction: SNAP writes `# Undirected graph` or `# Directed graph`, KONECT
/// `% sym` or `% asym`.
pub(super) fn declared_direction(head: &[u8]) -> Option<Direction> {
    let comments = head.split(|&b| b == b'\n').take_while(|line| matches!(line.first(), Some(b'#' | b'%')));
    for line in comments {
        let words: Vec<&[u8]> = line[1..].split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).take(2).collect();
        let [first, ref rest @ ..] = words[..] else { continue };
        let second = rest.first().copied().unwrap_or_default();
        let graph = second.len() >= 5 && second[..5].eq_ignore_ascii_case(b"graph");
        if (graph && first.eq_ignore_ascii_case(b"undirected")) || (line[0] == b'%' && first == b"sym") {
            return Some(Direction::Undirected);
        }
        if (graph && first.eq_ignore_ascii_case(b"directed")) || (line[0] == b'%' && first == b"asym") {
            return Some(Direction::Directed);
        }
    }
    None
}

/// Skips comments and reads the form of all lines off the first line of data. `None` if there is no such line.
pub(super) fn sniff(source: &mut Source, options: &Options) -> Result<Option<Rules>, Error> {
    source.skip_comments(b"#%")?;
    let named = columns_may_be_named(source.path());
    let Some(line) = source.peek_line()? else { return Ok(None) };
    if is_header(line, named) {
        source.line()?;
        source.skip_comments(b"#%")?;
    }
    let Some(line) = source.peek_line()? else { return Ok(None) };
    let separator = separator_of(line);
    let columns = columns_of(line, separator);
    if columns > 3 {
        let (column, field) = nth_field(line, separator, 3);
        let fault = Fault::ExtraColumn { expected: "2 columns, or 3 with a weight", found: scan::quote(field) };
        source.line()?;
        return Err(source.fault(column, fault));
    }
    let keep_weights = options.weights != Weights::Ignore;
    Ok(Some(Rules { separator, lead: None, weighted: columns == 3, keep_weights, matrix: None }))
}

fn columns_may_be_named(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    matches!(super::split_ending(&name).1.as_str(), "csv" | "tsv")
}

/// Whether the line names the columns: words only, and in a kind of file that has such lines.
fn is_header(line: &[u8], named: bool) -> bool {
    let separator = separator_of(line);
    (named || separator != Separator::Blanks)
        && columns_of(line, separator) >= 2
        && fields(line, separator)
            .all(|(_, f)| f.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'"' | b'_' | b'\'')))
}

fn separator_of(line: &[u8]) -> Separator {
    match line.iter().find(|b| matches!(b, b',' | b';')) {
        Some(&byte) => Separator::Byte(byte),
        None => Separator::Blanks,
    }
}

fn columns_of(line: &[u8], separator: Separator) -> usize {
    fields(line, separator).count()
}

/// The fields of a line with the columns, counted from 1, at which they begin.
fn fields(line: &[u8], separator: Separator) -> impl Iterator<Item = (usize, &[u8])> {
    let splits = move |b: &u8| match separator {
        Separator::Byte(byte) => *b == byte,
        Separator::Blanks => matches!(b, b' ' | b'\t'),
    };
    let mut begin = 0;
    line.split(splits).filter_map(move |field| {
        let column = begin + (field.len() - field.trim_ascii_start().len()) + 1;
        begin += field.len() + 1;
        let field = field.trim_ascii();
        (separator != Separator::Blanks || !field.is_empty()).then_some((column, field))
    })
}

fn nth_field(line: &[u8], separator: Separator, n: usize) -> (usize, &[u8]) {
    fields(line, separator).nth(n).unwrap_or((line.len() + 1, b""))
}
