//! Edge lists: a line an edge, two ids and perhaps a weight, as SNAP, KONECT and spreadsheets write them.
//!
//! Lines that begin with `#` or `%` are comments, but below a heading names may begin so. Columns are separated by blanks, commas or semicolons,
//! and may be quoted; names may have blanks and commas in them where tabs separate them. Below a heading of tabs, and in a file called `.tsv`, only
//! tabs separate columns, if there is one in the first edge. What columns hold is said by the options, or by a line of names above them, or by the
//! header of KONECT or SNAP, or else by how many there are in the first line: the third is a weight, the fourth a time. The other lines must
//! follow. The direction is taken from the header, or from Gephi's column `Type`.

use std::path::Path;

use super::arcs::AnyPart;
use super::cells::Cells;
use super::head::Head;
use super::pairs::{self, Comments, Rules, Separator, TAB};
use super::{Raw, arcs, edge_type, names};
use crate::columns::{Column, Columns};
use crate::error::{Error, Fault};
use crate::input::{Direction, Format, Options, Weights};
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
    pub(super) declared: Option<Direction>,
}

pub(super) fn read(mut source: Source, options: &Options) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let Some(layout) = sniff(&mut source, options)? else {
        return Err(Error::Empty { path, expected: "at least one edge" });
    };
    let declared = layout.head.direction;
    if layout.named {
        let raw = names::read_edges(source, &layout.rules, &layout.columns, &layout.cells)?;
        let notes = layout.notes((raw.arcs.src.len(), raw.ids.len()), None);
        return Ok(Raw { declared, notes, ..raw });
    }
    let separator = layout.rules.separator.byte();
    let both = |text: Text<'_>| {
        Ok((pairs::parse(text, &layout.rules)?, layout.cells.block(text, separator, layout.rules.comments)?))
    };
    let (mut parts, blocks): (Vec<AnyPart>, Vec<_>) = source.parse(both)?.into_iter().unzip();
    let extra = layout.cells.put_together(blocks, parts.iter().map(AnyPart::len));
    let rounded = parts.iter().any(AnyPart::is_rounded);
    let left = if layout.head.bipartite { Some(set_apart(&path, &mut parts, layout.head.left)?) } else { None };
    let (arcs, ids) = arcs::number(&path, parts)?;
    if arcs.src.is_empty() {
        return Err(Error::Empty { path, expected: "at least one edge" });
    }
    let notes = layout.notes((arcs.src.len(), ids.len()), left);
    Ok(Raw { declared, notes, extra, rounded, ..Raw::graph(&path, arcs, ids, layout.rules.weighted) })
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

    /// Notes for the user on how edges between so many vertices were read.
    fn notes(&self, (edges, vertices): (usize, usize), left: Option<u64>) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.given && (self.columns.as_slice().len() > 2 || self.headed || self.named) {
            let names = if self.named { " (src and dst are names)" } else { "" };
            notes.push(format!("read as: {:#}{names}", self.columns));
        }
        if let Some(left) = left {
            notes.push(format!("the graph is bipartite: vertex v of the right set has the id {left} + v"));
        }
        if let Some(said) = self.head.edges.filter(|&said| said != edges as u64) {
            notes.push(format!("the header says {said} edges, the file lists {edges}"));
        }
        if let Some(said) = self.head.vertices.filter(|&said| said != vertices as u64) {
            notes.push(format!("the header says {said} vertices, the edges have {vertices}"));
        }
        notes
    }
}

/// The line of names above the columns.
#[derive(Default)]
struct Heading {
    /// The names; none if there is no such line.
    names: Vec<String>,
    /// The columns that they name.
    columns: Option<Columns>,
    /// What separates the names.
    separator: u8,
    /// The fault of the first line below that begins like a comment. It is none if vertices turn out to have names.
    comment: Option<Error>,
}

impl Heading {
    /// Consumes the line, and comments below, if there is such a line.
    fn consume(source: &mut Source, first: &[u8], head: &Head, options: &Options) -> Result<Heading, Error> {
        let may_be_named = head.named || columns_may_be_named(source.path());
        let Some(names) = headings(first, may_be_named) else { return Ok(Heading::default()) };
        let columns = Columns::of_headings(names.iter().map(String::as_str));
        // Words that name no columns are a heading all the same where numbers follow.
        let words_follow =
            second_line(source.peek()).is_some_and(|line| begins_with_words(line, separator_of(line, head.named)));
        match (&columns, words_follow, &options.columns) {
            (None, _, _) if head.named => Ok(Heading::default()),
            (Some(_), _, _) | (None, false, _) => {
                let separator = separator_of(first, false);
                // Between blanks, `# note` looks like two names, and is a comment above ids.
                let ids_follow = second_line(source.peek())
                    .and_then(|line| fields(line, separator).next())
                    .is_none_or(|(_, field)| !is_word(field));
                let is_note = separator == b' ' && ids_follow;
                source.line()?;
                let comments = if is_note { Comments::All } else { Comments::Unlike(names.len()) };
                let comment = skip_bare(source, separator, comments, names.len())?;
                Ok(Heading { names, columns, separator, comment })
            }
            (None, true, Some(_)) => Ok(Heading::default()),
            // Behind a comment that counts vertices and edges, as SNAP and our writers have it, names of vertices follow at once.
            (None, true, None) if head.edges.is_some() => Ok(Heading::default()),
            (None, true, None) => {
                let expected = "a line that names the columns, such as `source,target`, or --columns and no such line";
                source.line()?;
                Err(source.fault(1, Fault::Header { expected: expected.to_owned(), found: scan::quote(first) }))
            }
        }
    }

    /// Whether a field begins like a comment, and is none.
    fn is_like_comment(&self, field: &[u8]) -> bool {
        !self.names.is_empty() && matches!(field.first(), Some(b'#' | b'%'))
    }

    /// Which lines below are comments, where this byte separates columns.
    fn comments(&self, named: bool, separator: u8) -> Comments {
        match (self.names.len(), named) {
            (0, _) => Comments::All,
            (_, true) => Comments::None,
            // No id begins so, between blanks.
            (_, false) if separator == b' ' => Comments::All,
            (count, false) => Comments::Unlike(count),
        }
    }

    /// The place of Gephi's column `Type` and what it says in the first line, if it is used.
    fn edge_type(&self, line: &[u8], separator: u8, options: &Options) -> Option<(usize, Direction)> {
        let place = edge_type::place(self.names.iter().map(String::as_str))?;
        let used = self.columns.is_some() && options.columns.is_none();
        used.then(|| edge_type::of_field(nth_field(line, separator, place).1).map(|direction| (place, direction)))?
    }

    /// The names under which columns are attributes of edges: not that of an index, and not Gephi's `Type`.
    fn attributes(&self, edge_type: Option<usize>) -> Vec<String> {
        let is_index = |place: usize, name: &str| place == 0 && name == INDEX || Some(place) == edge_type;
        let kept = |(place, name): (usize, &String)| if is_index(place, name) { String::new() } else { name.clone() };
        self.names.iter().enumerate().map(kept).collect()
    }
}

/// What pandas calls a column without a name that it has read as the first, which is the index of a table that it wrote.
const INDEX: &str = "Unnamed: 0";

/// Skips comments and reads the form of all lines off the header and the first line of data. `None` if there is no such line.
pub(super) fn sniff(source: &mut Source, options: &Options) -> Result<Option<Layout>, Error> {
    let mut head = Head::of(source.peek());
    source.skip_comments(b"#%")?;
    let Some(first) = source.peek_line()?.map(<[u8]>::to_vec) else { return Ok(None) };
    let mut heading = Heading::consume(source, &first, &head, options)?;
    let Some(line) = source.peek_line()?.map(<[u8]>::to_vec) else { return Ok(None) };
    let like_comment = heading.is_like_comment(line.trim_ascii());
    let by_tabs = heading.separator == TAB || super::ending(source.path()) == "tsv";
    let separator = match like_comment {
        true => heading.separator,
        false if by_tabs && line.contains(&TAB) => TAB,
        false => separator_of(&line, head.named),
    };
    check_first(source, &line, separator)?;
    let columns = columns_meant(source, &line, separator, (&heading, &head), options)?;
    let named = are_names(source, &line, separator, (&heading, &head), &columns, options)?;
    if let Some(comment) = heading.comment.take().filter(|_| named) {
        return Err(comment);
    }
    if columns.contains(Column::Operation) {
        source.line()?;
        return Err(source.fault(1, Fault::Updates));
    }
    let plain = matches!(
        columns.as_slice(),
        [Column::Source, Column::Target] | [Column::Source, Column::Target, Column::Weight]
    ) && !line.contains(&b'"');
    let edge_type = heading.edge_type(&line, separator, options);
    head.direction = edge_type.map(|kind| kind.1).or(head.direction);
    let rules = Rules {
        separator: if separator == b' ' { Separator::Blanks } else { Separator::Byte(separator) },
        lead: None,
        weighted: columns.contains(Column::Weight),
        columns: (!plain).then(|| columns.clone()),
        more: options.columns.is_some(),
        any_number: options.any_number || options.weights == Weights::Ignore,
        comments: heading.comments(named, separator),
        // Where the user says which direction edges have, it does not count.
        direction: edge_type.filter(|_| options.direction.is_none()),
        keep_weights: options.weights != Weights::Ignore,
        matrix: None,
    };
    let given = options.columns.is_some();
    let headed = heading
        .columns
        .as_ref()
        .is_some_and(|headed| headed.as_slice() != columns.as_slice() || columns.as_slice().len() != 2);
    let names =
        if heading.columns.is_some() && !given { heading.attributes(edge_type.map(|kind| kind.0)) } else { Vec::new() };
    let cells = if options.attributes { Cells::of(&columns, &names) } else { Cells::default() };
    Ok(Some(Layout { rules, columns, named, headed, given, head, cells }))
}

/// Refuses a first line that has an operation, or a comma in the place of a decimal point.
fn check_first(source: &mut Source, line: &[u8], separator: u8) -> Result<(), Error> {
    let first = nth_field(line, separator, 0);
    if scan::is_operation(first.1) && columns_of(line, separator) > 2 {
        source.line()?;
        return Err(source.fault(first.0, Fault::Updates));
    }
    let digits = |(_, field): (usize, &[u8])| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let (column, field) = nth_field(line, b' ', 2);
    match scan::decimal_comma(field).filter(|_| separator == b',' && fields(line, b' ').take(2).all(digits)) {
        None => Ok(()),
        Some(fault) => {
            source.line()?;
            Err(source.fault(column, fault))
        }
    }
}

/// What the columns hold: as the options say, or the heading, or the comments, or the number of columns.
fn columns_meant(
    source: &mut Source,
    line: &[u8],
    separator: u8,
    (heading, head): (&Heading, &Head),
    options: &Options,
) -> Result<Columns, Error> {
    let count = columns_of(line, separator);
    let said = options.columns.clone().or_else(|| heading.columns.clone());
    match said.or_else(|| head.columns(count)).or_else(|| Columns::of_count(false, count)) {
        Some(columns) => Ok(columns),
        None if count < 2 => Ok(Columns::of_count(false, 2).expect("two columns are a list of edges")),
        None => {
            let (column, field) = nth_field(line, separator, 4);
            let expected = "2 to 4 columns (src dst weight time), or a line of names above them";
            let fault = Fault::ExtraColumn { expected, found: scan::quote(field) };
            source.line()?;
            Err(source.fault(column, fault))
        }
    }
}

/// Whether vertices have names, by the ends of the first edge. Refuses names where only ids are expected.
fn are_names(
    source: &mut Source,
    line: &[u8],
    separator: u8,
    (heading, head): (&Heading, &Head),
    columns: &Columns,
    options: &Options,
) -> Result<bool, Error> {
    let ends = [Column::Source, Column::Target].map(|end| {
        let (_, field) = columns.position(end).map_or((0, &b""[..]), |at| nth_field(line, separator, at));
        is_word(field) || heading.is_like_comment(field)
    });
    let words = ends == [true; 2];
    let may_be_names = separator != b' ' || heading.columns.is_some();
    let named = options.format == Some(Format::Names) || head.named || words && may_be_names;
    if words && !named {
        let (column, field) = nth_field(line, separator, columns.position(Column::Source).unwrap_or(0));
        let expected = "a vertex id (a whole number), or --format names where vertices have names";
        let fault = Fault::Header { expected: expected.to_owned(), found: scan::quote(field) };
        source.line()?;
        return Err(source.fault(column, fault));
    }
    Ok(named)
}

/// Consumes empty lines and comments below a heading. Gives the fault of the first comment, if vertices have names.
fn skip_bare(source: &mut Source, separator: u8, comments: Comments, headings: usize) -> Result<Option<Error>, Error> {
    let mut comment = None;
    while let Some(line) = source.peek_line()?.map(<[u8]>::to_vec) {
        if !names::is_bare(names::trimmed(&line, separator), separator, comments) {
            break;
        }
        source.line()?;
        let line = line.trim_ascii();
        if !line.is_empty() && comment.is_none() {
            let fault = Fault::Header { expected: names::beside_heading(headings), found: scan::quote(line) };
            comment = Some(source.fault(1, fault));
        }
    }
    Ok(comment)
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
    let is_name =
        |f: &[u8]| matches!(f, [b'"', ..]) && is_word(f) || matches!(f, [b'_' | b'\'' | b'a'..=b'z' | b'A'..=b'Z', ..]);
    // The index of a table, as pandas writes it, has no name; and the name of a column may be a number in quotes.
    let of_table = || Columns::of_headings(fields(line, separator).filter_map(|(_, f)| std::str::from_utf8(f).ok()));
    (named || !matches!(separator, b' ' | TAB))
        && columns_of(line, separator) >= 2
        && fields(line, separator).all(|(_, f)| is_name(f) || matches!(f, b"" | [b'"', ..]))
        && (fields(line, separator).all(|(_, f)| is_name(f)) || of_table().is_some())
}

/// What stands between the columns of a line: a tab between words, or else the first comma or semicolon that is in no quotes, or else
/// blanks.
fn separator_of(line: &[u8], named: bool) -> u8 {
    let by_tabs: Vec<&[u8]> = names::fields(line.trim_ascii(), TAB).take(2).collect();
    if by_tabs.len() == 2 && (named || by_tabs.iter().all(|field| is_word(field))) {
        return TAB;
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

/// The fields of a line, which may be quoted, with the columns, counted from 1, at which they begin. Tabs at the end of the line are left out.
fn fields(line: &[u8], separator: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let column_of = move |field: &[u8]| field.as_ptr().addr() - line.as_ptr().addr() + 1;
    names::fields(names::trimmed(line, separator).trim_ascii_end(), separator)
        .map(move |field| (column_of(field), field))
        .filter(move |(_, field)| separator != b' ' || !field.is_empty())
}

fn nth_field(line: &[u8], separator: u8, n: usize) -> (usize, &[u8]) {
    fields(line, separator).nth(n).unwrap_or((line.len() + 1, b""))
}
