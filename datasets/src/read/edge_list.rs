//! Edge lists: a line an edge, two ids and perhaps a weight, as SNAP, KONECT and spreadsheets write them.
//!
//! Lines that begin with `#` or `%` are comments. Columns are separated by blanks, commas or semicolons, and may be quoted; names may have
//! blanks and commas in them where tabs separate them. What columns hold is said by the options, or by a line of names above them, or by the header of KONECT or SNAP, or else by how many there are in the
//! first line: the third is a weight, the fourth a time. The other lines must follow. The direction is taken from the header.

use std::path::Path;

use super::arcs::AnyPart;
use super::cells::Cells;
use super::head::Head;
use super::pairs::{self, Rules, Separator};
use super::{Raw, arcs, names};
use crate::columns::{Column, Columns};
use crate::error::{Error, Fault};
use crate::input::{Format, Options, Weights};
use crate::scan;
use crate::source::{Source, Text};

/// The form of all lines of a list of edges.
pub(super) struct Layout {
    pub(super) rules: Rules,
    columns: Columns,
    /// Whether vertices have names instead of ids.
    named: bool,
    /// Whether a line of names gave the columns.
    headed: bool,
    /// Whether the options gave the columns.
    given: bool,
    head: Head,
    /// The columns that are attributes of edges.
    cells: Cells,
}

/// What a line can be read by alone.
pub(super) struct Kind {
    pub(super) rules: Rules,
    pub(super) columns: Columns,
    /// Whether vertices have names instead of ids.
    pub(super) named: bool,
    /// Vertices of the left set of a bipartite graph, which come before those of the right set.
    pub(super) left: u64,
    /// The direction that the header says.
    pub(super) declared: Option<crate::input::Direction>,
}

pub(super) fn read(mut source: Source, options: &Options) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let Some(layout) = sniff(&mut source, options)? else {
        return Err(Error::Empty { path, expected: "at least one edge" });
    };
    let declared = layout.head.direction;
    if layout.named {
        let raw = names::read_edges(source, &layout.rules, &layout.columns, &layout.cells)?;
        let notes = layout.notes(raw.arcs.src.len() as u64, None);
        return Ok(Raw { declared, notes, ..raw });
    }
    let separator = match layout.rules.separator {
        Separator::Byte(byte) => byte,
        Separator::Blanks => b' ',
    };
    let both = |text: Text<'_>| {
        Ok((pairs::parse(text, &layout.rules)?, layout.cells.block(text, separator, layout.rules.headings)?))
    };
    let (mut parts, blocks): (Vec<AnyPart>, Vec<_>) = source.parse(both)?.into_iter().unzip();
    let extra = layout.cells.put_together(blocks, parts.iter().map(AnyPart::len));
    let left = if layout.head.bipartite { Some(set_apart(&path, &mut parts, layout.head.left)?) } else { None };
    let (arcs, ids) = arcs::number(&path, parts)?;
    if arcs.src.is_empty() {
        return Err(Error::Empty { path, expected: "at least one edge" });
    }
    let notes = layout.notes(arcs.src.len() as u64, left);
    Ok(Raw { declared, notes, extra, ..Raw::graph(&path, arcs, ids, layout.rules.weighted) })
}

/// Numbers the targets of a bipartite graph after its sources. There are `left` sources, or as many as the largest source id.
fn set_apart(path: &Path, parts: &mut [AnyPart], left: Option<u64>) -> Result<u64, Error> {
    let largest = parts.iter().filter_map(AnyPart::largest_source).max().unwrap_or(0);
    let left = left.unwrap_or(largest);
    if largest > left {
        let fault = Fault::OutOfRange { what: "vertex of the left set", first: 1, last: left, found: largest };
        return Err(Error::at(path, 1, 1, fault));
    }
    for part in parts {
        if !part.shift_targets(left) {
            return Err(Error::TooManyVertices {
                what: crate::input::VERTICES,
                path: path.to_owned(),
                vertices: u64::MAX,
            });
        }
    }
    Ok(left)
}

impl Layout {
    /// What each line can be read by alone; `None` for a bipartite graph whose header does not say how many vertices the left set has.
    pub(super) fn kind(&self) -> Option<Kind> {
        let left = if self.head.bipartite { self.head.left? } else { 0 };
        let (rules, columns) = (self.rules.clone(), self.columns.clone());
        Some(Kind { rules, columns, named: self.named, left, declared: self.head.direction })
    }

    /// Notes for the user on how the `edges` edges were read.
    fn notes(&self, edges: u64, left: Option<u64>) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.given && (self.columns.as_slice().len() > 2 || self.headed || self.named) {
            let names = if self.named { " (src and dst are names)" } else { "" };
            notes.push(format!("read as: {:#}{names}", self.columns));
        }
        if let Some(left) = left {
            notes.push(format!("the graph is bipartite: vertex v of the right set has the id {left} + v"));
        }
        if let Some(said) = self.head.edges.filter(|&said| said != edges) {
            notes.push(format!("the header says {said} edges, the file lists {edges}"));
        }
        notes
    }
}

/// Skips comments and reads the form of all lines off the header and the first line of data. `None` if there is no such line.
pub(super) fn sniff(source: &mut Source, options: &Options) -> Result<Option<Layout>, Error> {
    let head = Head::of(source.peek());
    source.skip_comments(b"#%")?;
    let may_be_named = head.named || columns_may_be_named(source.path());
    let Some(first) = source.peek_line()?.map(<[u8]>::to_vec) else { return Ok(None) };
    let headings = headings(&first, may_be_named);
    let mut headed_columns = None;
    let (mut heading_separator, mut heading_count) = (b' ', 0);
    if let Some(names) = &headings {
        headed_columns = Columns::of_headings(names.iter().map(String::as_str));
        // Words that name no columns are a heading all the same where numbers follow.
        let words_follow =
            second_line(source.peek()).is_some_and(|line| begins_with_words(line, separator_of(line, head.named)));
        match (&headed_columns, words_follow, &options.columns) {
            (None, _, _) if head.named => {}
            (Some(_), _, _) | (None, false, _) => {
                source.line()?;
                heading_separator = separator_of(&first, false);
                heading_count = if heading_separator == b' ' { 0 } else { names.len() };
                skip_bare(source, heading_separator, heading_count)?;
            }
            (None, true, Some(_)) => {}
            // Behind a comment that counts vertices and edges, as SNAP and our writers have it, names of vertices follow at once.
            (None, true, None) if head.edges.is_some() => {}
            (None, true, None) => {
                let expected = "a line that names the columns, such as `source,target`, or --columns and no such line";
                source.line()?;
                return Err(
                    source.fault(1, Fault::Header { expected: expected.to_owned(), found: scan::quote(&first) })
                );
            }
        }
    }
    let Some(line) = source.peek_line()?.map(<[u8]>::to_vec) else { return Ok(None) };
    let like_comment = |field: &[u8]| heading_count > 0 && matches!(field.first(), Some(b'#' | b'%'));
    let separator = if like_comment(line.trim_ascii()) { heading_separator } else { separator_of(&line, head.named) };
    let count = columns_of(&line, separator);
    let columns = match &options.columns {
        Some(columns) => columns.clone(),
        None => {
            match headed_columns.clone().or_else(|| head.columns(count)).or_else(|| Columns::of_count(false, count)) {
                Some(columns) => columns,
                None if count < 2 => Columns::of_count(false, 2).expect("two columns are a list of edges"),
                None => {
                    let (column, field) = nth_field(&line, separator, 4);
                    let expected = "2 to 4 columns (src dst weight time), or a line of names above them";
                    let fault = Fault::ExtraColumn { expected, found: scan::quote(field) };
                    source.line()?;
                    return Err(source.fault(column, fault));
                }
            }
        }
    };
    let ends = [Column::Source, Column::Target].map(|end| {
        let (_, field) = columns.position(end).map_or((0, &b""[..]), |at| nth_field(&line, separator, at));
        is_word(field) || like_comment(field)
    });
    let words = ends == [true; 2];
    let may_be_names = separator != b' ' || headed_columns.is_some();
    let named = options.format == Some(Format::Names) || head.named || words && may_be_names;
    if words && !named {
        let (column, field) = nth_field(&line, separator, columns.position(Column::Source).unwrap_or(0));
        let expected = "a vertex id (a whole number), or --format names where vertices have names";
        let fault = Fault::Header { expected: expected.to_owned(), found: scan::quote(field) };
        source.line()?;
        return Err(source.fault(column, fault));
    }
    if columns.contains(Column::Operation) {
        source.line()?;
        return Err(source.fault(1, Fault::Updates));
    }
    let weighted = columns.contains(Column::Weight);
    let plain = matches!(
        columns.as_slice(),
        [Column::Source, Column::Target] | [Column::Source, Column::Target, Column::Weight]
    ) && !line.contains(&b'"');
    let rules = Rules {
        separator: if matches!(separator, b' ' | b'\t') { Separator::Blanks } else { Separator::Byte(separator) },
        lead: None,
        weighted,
        columns: (!plain).then(|| columns.clone()),
        more: options.columns.is_some(),
        any_number: false,
        headings: heading_count,
        keep_weights: options.weights != Weights::Ignore,
        matrix: None,
    };
    let headed_columns_are_used = headed_columns.is_some() && options.columns.is_none();
    let headed = headed_columns
        .is_some_and(|headed_columns| headed_columns.as_slice() != columns.as_slice() || columns.as_slice().len() != 2);
    let headings = headings.filter(|_| headed_columns_are_used).unwrap_or_default();
    let cells = if options.attributes { Cells::of(&columns, &headings) } else { Cells::default() };
    Ok(Some(Layout { rules, columns, named, headed, given: options.columns.is_some(), head, cells }))
}

/// Consumes empty lines and comments below a heading.
fn skip_bare(source: &mut Source, separator: u8, headings: usize) -> Result<(), Error> {
    while source.peek_line()?.is_some_and(|line| names::is_bare(line.trim_ascii(), separator, headings)) {
        source.line()?;
    }
    Ok(())
}

/// The line behind the first, comments left out.
fn second_line(text: &[u8]) -> Option<&[u8]> {
    let is_data = |line: &&[u8]| !matches!(line.trim_ascii_start().first(), None | Some(b'#' | b'%'));
    text.split(|&b| b == b'\n').skip(1).find(is_data)
}

/// Whether the first two fields of a line are words.
fn begins_with_words(line: &[u8], separator: u8) -> bool {
    fields(line, separator).take(2).all(|(_, field)| is_word(field))
}

fn is_word(field: &[u8]) -> bool {
    field.first().is_some_and(|&byte| is_letter(byte) || byte == b'"' && !is_quoted_number(field))
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Whether a field is a number in quotes.
fn is_quoted_number(field: &[u8]) -> bool {
    field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).is_some_and(|number| {
        !number.first().is_some_and(|&b| is_letter(b)) && fast_float2::parse::<f64, _>(number).is_ok()
    })
}

/// The words of a line that may name the columns, in a kind of file that has such lines.
fn headings(line: &[u8], named: bool) -> Option<Vec<String>> {
    is_header(line, named).then(|| {
        let plain = |field: &[u8]| String::from_utf8_lossy(&names::unquoted(field)).trim_matches('\'').to_owned();
        fields(line, separator_of(line, false)).map(|(_, field)| plain(field)).collect()
    })
}

fn columns_may_be_named(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    matches!(super::split_ending(&name).1.as_str(), "csv" | "tsv")
}

/// Whether the line names the columns: words only, and in a kind of file that has such lines.
fn is_header(line: &[u8], named: bool) -> bool {
    let separator = separator_of(line, false);
    (named || !matches!(separator, b' ' | b'\t'))
        && columns_of(line, separator) >= 2
        && fields(line, separator).all(|(_, f)| {
            matches!(f, [b'"', ..]) && is_word(f) || matches!(f, [b'_' | b'\'' | b'a'..=b'z' | b'A'..=b'Z', ..])
        })
}

/// What stands between the columns of a line: a tab between words, or else the first comma or semicolon that is in no quotes, or else
/// blanks.
fn separator_of(line: &[u8], named: bool) -> u8 {
    let by_tabs: Vec<&[u8]> = names::fields(line.trim_ascii(), b'\t').take(2).collect();
    if by_tabs.len() == 2 && (named || by_tabs.iter().all(|field| is_word(field))) {
        return b'\t';
    }
    let mut quoted = false;
    let outside = |byte: &&u8| {
        quoted ^= **byte == b'"';
        !quoted && matches!(**byte, b',' | b';')
    };
    line.iter().find(outside).copied().unwrap_or(b' ')
}

fn columns_of(line: &[u8], separator: u8) -> usize {
    fields(line, separator).count()
}

/// The fields of a line, which may be quoted, with the columns, counted from 1, at which they begin.
fn fields(line: &[u8], separator: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let column_of = move |field: &[u8]| field.as_ptr().addr() - line.as_ptr().addr() + 1;
    names::fields(line.trim_ascii(), separator)
        .map(move |field| (column_of(field), field))
        .filter(move |(_, field)| separator != b' ' || !field.is_empty())
}

fn nth_field(line: &[u8], separator: u8, n: usize) -> (usize, &[u8]) {
    fields(line, separator).nth(n).unwrap_or((line.len() + 1, b""))
}
