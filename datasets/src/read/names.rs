//! Graphs whose vertices have names: a line a vertex, first its name, then the names of those that its edges lead to.
//!
//! ```text
//!   # Directed graph: packages and what they need
//!   bash base-files libc6 libtinfo6
//!   libc6 libgcc-s1
//!   doc-base                            a vertex without edges
//! ```
//!
//! An edge list of two names a line is a case of it. Columns are separated by tabs if there is one in the head of the file, or else by
//! commas if there is one, or else by blanks; names may have blanks in them in the first two cases. Blanks around a name do not count.
//! Names are compared byte by byte. Lines that begin with `#` or `%` are comments, as in edge lists. A name may stand in quotes, such as `"#1"` or
//! `" a, b"`; a quote within it is doubled. Quotes that do not enclose the whole name are part of it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use pleach::runtime::par_items;
use rayon::slice::ParallelSliceMut;

use super::Raw;
use super::arcs::Arcs;
use super::cells::Cells;
use super::edge_type;
use super::head::Head;
use super::pairs::{Comments, Rules, Separator, TAB, is_time};
use super::share::NamedArcs;
use crate::columns::{Column, Columns};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::scan;
use crate::source::{At, Source, Text};

/// The arcs of one block, between positions in its own list of names.
#[derive(Default)]
pub(super) struct Part {
    /// Each name once, in the order in which they occur.
    names: Vec<Box<str>>,
    known: HashMap<Box<str>, u32>,
    src: Vec<u32>,
    dst: Vec<u32>,
    /// As long as `src`, or empty if there are no weights.
    weight: Vec<f64>,
    /// Whether a whole number among the weights was rounded.
    rounded: bool,
}

impl Part {
    /// The arcs alone, with the names that they are between.
    pub(super) fn into_named(self) -> NamedArcs {
        let weights = self.weight.into_iter().chain(std::iter::repeat(1.0));
        let arcs = self.src.into_iter().zip(self.dst).zip(weights).map(|((src, dst), weight)| (src, dst, weight));
        NamedArcs { names: self.names, arcs: arcs.collect() }
    }

    /// The position of a name, which is added if it is new.
    fn vertex(&mut self, name: &str) -> u32 {
        if let Some(&vertex) = self.known.get(name) {
            return vertex;
        }
        let vertex = self.names.len() as u32;
        self.names.push(name.into());
        self.known.insert(name.into(), vertex);
        vertex
    }
}

/// Reads lines of a name and those that its edges lead to.
pub(super) fn read(mut source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let declared = Head::of(source.peek()).direction;
    source.skip_comments(b"#%")?;
    let separator = separator(source.peek());
    let parts = source.parse(|text| parse(text, separator))?;
    Ok(Raw { declared, ..put_together(&path, &parts, false)? })
}

/// Reads lines of columns, in which the ends of edges are names.
pub(super) fn read_edges(source: Source, rules: &Rules, columns: &Columns, cells: &Cells) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let separator = separator_of(&source, rules);
    let both = |text: Text<'_>| {
        Ok((parse_columns(text, separator, rules, columns)?, cells.block(text, separator, rules.comments)?))
    };
    let (parts, blocks): (Vec<Part>, Vec<_>) = source.parse(both)?.into_iter().unzip();
    let extra = cells.put_together(blocks, parts.iter().map(|part| part.src.len()));
    Ok(Raw { extra, ..put_together(&path, &parts, rules.weighted)? })
}

/// What stands between the names of a line, by the head of the file.
pub(super) fn separator(head: &[u8]) -> u8 {
    [TAB, b','].into_iter().find(|byte| head.contains(byte)).unwrap_or(b' ')
}

/// What stands between columns. Names may have blanks in them where tabs separate them.
pub(super) fn separator_of(source: &Source, rules: &Rules) -> u8 {
    match rules.separator {
        Separator::Byte(byte) => byte,
        Separator::Blanks if source.peek().contains(&TAB) => TAB,
        Separator::Blanks => b' ',
    }
}

fn put_together(path: &Path, parts: &[Part], weighted: bool) -> Result<Raw, Error> {
    let mut names: Vec<&str> = parts.iter().flat_map(|part| part.names.iter().map(|name| &**name)).collect();
    names.par_sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Err(Error::Empty { path: path.to_owned(), expected: "at least one vertex" });
    }
    if names.len() > u32::MAX as usize {
        return Err(Error::TooManyVertices {
            what: crate::input::VERTICES,
            path: path.to_owned(),
            vertices: names.len() as u64,
        });
    }
    let place = |name: &str| names.binary_search(&name).expect("every name is listed") as u32;
    let numbered: Vec<(Vec<u32>, Vec<u32>)> = par_items(parts.iter().collect(), |part: &Part| {
        let places: Vec<u32> = part.names.iter().map(|name| place(name)).collect();
        let all = |ends: &[u32]| ends.iter().map(|&at| places[at as usize]).collect();
        (all(&part.src), all(&part.dst))
    });
    let arcs = Arcs {
        src: numbered.iter().flat_map(|(src, _)| src).copied().collect(),
        dst: numbered.iter().flat_map(|(_, dst)| dst).copied().collect(),
        weight: parts.iter().flat_map(|part| &part.weight).copied().collect(),
    };
    let ids = IdMap::from_sorted_names(names);
    let rounded = parts.iter().any(|part| part.rounded);
    Ok(Raw { rounded, ..Raw::graph(path, arcs, ids, weighted) })
}

/// The name in a field; the fault of one that is not text, at a place counted from the beginning of the line.
pub(super) fn name<'a>(field: &'a [u8], line: &[u8], number: u64) -> Result<&'a str, At> {
    std::str::from_utf8(field).map_err(|_| {
        let column = field.as_ptr().addr() - line.as_ptr().addr() + 1;
        At { line: number, column, fault: Fault::Name { found: scan::quote(field) } }
    })
}

/// What is expected below a heading where vertices have names, in a line that begins like a comment.
pub(super) fn beside_heading(columns: usize) -> String {
    format!("{columns} columns as in the heading, below which names may begin with `#` or `%`")
}

/// The fault of an operation before the names of a line.
#[cold]
fn unexpected_operation(field: &[u8], line: &[u8], number: u64) -> At {
    let column = field.as_ptr().addr() - line.as_ptr().addr() + 1;
    At { line: number, column, fault: Fault::UnexpectedOperation { found: scan::quote(field) } }
}

pub(super) fn parse(text: Text<'_>, separator: u8) -> Result<Part, At> {
    let mut part = Part::default();
    for (number, whole) in (0..).zip(text.as_bytes().split(|&b| b == b'\n')) {
        let line = whole.trim_ascii();
        if matches!(line.first(), None | Some(b'#' | b'%')) {
            continue;
        }
        let operation = listed_names(line, separator).next().filter(|first| scan::is_operation(first));
        if let Some(found) = operation.filter(|_| listed_names(line, separator).nth(2).is_some()) {
            return Err(unexpected_operation(found, whole, number));
        }
        let mut source = None;
        for field in listed_names(line, separator) {
            name(field, whole, number)?;
            let is_quoted = quoted_end(field) == Some(field.len());
            let plain = if is_quoted { unquoted(field) } else { Cow::Borrowed(field) };
            if plain.is_empty() {
                continue;
            }
            let vertex = part.vertex(&String::from_utf8_lossy(&plain));
            match source {
                None => source = Some(vertex),
                Some(source) => {
                    part.src.push(source);
                    part.dst.push(vertex);
                }
            }
        }
    }
    Ok(part)
}

/// The names of a line. Separators within a quoted name are part of the name.
fn listed_names(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let separates = move |byte: &u8| *byte == separator || separator == b' ' && *byte == b'\t';
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?.trim_ascii_start();
        let end_from = |from: usize| line[from..].iter().position(separates).map_or(line.len(), |end| from + end);
        let closed = quoted_end(line).filter(|&quoted| line[quoted..end_from(quoted)].trim_ascii().is_empty());
        let end = end_from(closed.unwrap_or(0));
        rest = line.get(end + 1..);
        Some(line[..end].trim_ascii())
    })
}

/// Refuses a field of a line that begins with a quote and has none at its end, where commas or semicolons separate fields: it would go on in the
/// next line.
#[inline]
pub(crate) fn check_quote(field: &[u8], separator: u8) -> Result<(), Fault> {
    match field.first() == Some(&b'"') && matches!(separator, b',' | b';') && quoted_end(field).is_none() {
        true => Err(Fault::OpenQuote { found: scan::quote(field) }),
        false => Ok(()),
    }
}

/// The position after the closing quote of a line that begins with a quote.
fn quoted_end(line: &[u8]) -> Option<usize> {
    let mut at = 1;
    line.first().filter(|&&byte| byte == b'"')?;
    loop {
        at += 1 + line[at..].iter().position(|&byte| byte == b'"')?;
        if line.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

/// A line without the blanks around it. Tabs that separate columns stay: the first column and the last may be empty.
pub(crate) fn trimmed(line: &[u8], separator: u8) -> &[u8] {
    if separator != TAB {
        return line.trim_ascii();
    }
    let is_part = |byte: &u8| *byte == TAB || !byte.is_ascii_whitespace();
    match (line.iter().position(is_part), line.iter().rposition(is_part)) {
        (Some(first), Some(last)) => &line[first..=last],
        _ => &line[..0],
    }
}

/// Whether a [trimmed] line is empty or a comment.
pub(crate) fn is_bare(line: &[u8], separator: u8, comments: Comments) -> bool {
    match (line.trim_ascii_start().first(), comments) {
        (None, _) | (Some(b'#' | b'%'), Comments::All) => true,
        (Some(b'#' | b'%'), Comments::Unlike(headings)) => fields(line, separator).count() != headings,
        _ => false,
    }
}

pub(super) fn parse_columns(text: Text<'_>, separator: u8, rules: &Rules, columns: &Columns) -> Result<Part, At> {
    let mut part = Part::default();
    for (number, whole) in (0..).zip(text.as_bytes().split(|&b| b == b'\n')) {
        let line = trimmed(whole, separator);
        if is_bare(line, separator, rules.comments) {
            continue;
        }
        let count = columns.as_slice().len();
        if matches!(line[0], b'#' | b'%') && fields(line, separator).nth(count - 1).is_none() {
            let fault = Fault::Header { expected: beside_heading(count), found: scan::quote(line) };
            return Err(At { line: number, column: 1, fault });
        }
        let operation = fields(line, separator).next().filter(|first| scan::is_operation(first));
        if let Some(found) = operation.filter(|_| fields(line, separator).nth(count).is_some()) {
            return Err(unexpected_operation(found, whole, number));
        }
        let column_of = |field: &[u8]| field.as_ptr().addr() - whole.as_ptr().addr() + 1;
        let mut fields = fields(line, separator);
        let (mut src, mut dst) = (0, 0);
        for (place, column) in columns.as_slice().iter().enumerate() {
            let Some(field) = fields.next() else {
                let fault = Fault::MissingColumn { expected: column.expected() };
                return Err(At { line: number, column: whole.len() + 1, fault });
            };
            let plain = unquoted(field);
            let fault = |fault| At { line: number, column: column_of(field), fault };
            check_quote(field, separator).map_err(fault)?;
            match column {
                Column::Source | Column::Target => {
                    if plain.is_empty() {
                        return Err(fault(Fault::Name { found: "nothing".to_owned() }));
                    }
                    name(field, whole, number)?;
                    let vertex = part.vertex(&String::from_utf8_lossy(&plain));
                    *(if *column == Column::Source { &mut src } else { &mut dst }) = vertex;
                }
                Column::Time if !is_time(&plain) => return Err(fault(Fault::Time { found: scan::quote(field) })),
                Column::Weight => {
                    let value: f64 = fast_float2::parse(&plain).map_err(|_| fault(scan::number_fault(field)))?;
                    if !value.is_finite() && !rules.any_number {
                        return Err(fault(Fault::NotFinite { found: scan::quote(field) }));
                    }
                    if rules.keep_weights {
                        part.weight.push(value);
                        part.rounded |= scan::is_rounded(&plain, value);
                    }
                }
                Column::Time | Column::Other | Column::Operation => {}
            }
            if let Some((_, direction)) = rules.direction.filter(|kind| kind.0 == place) {
                edge_type::check(field, direction).map_err(fault)?;
            }
        }
        // Tabs at the end of a line do no harm.
        for field in fields.filter(|field| separator != TAB || !field.is_empty()) {
            let expected = "as many columns as in the lines before";
            let more =
                if rules.more { Ok(()) } else { Err(Fault::ExtraColumn { expected, found: scan::quote(field) }) };
            let checked = check_quote(field, separator).and(more);
            checked.map_err(|fault| At { line: number, column: column_of(field), fault })?;
        }
        part.src.push(src);
        part.dst.push(dst);
    }
    Ok(part)
}

/// The fields of a line, in which separators may be quoted.
pub(crate) fn fields(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> + Clone {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        let mut quoted = false;
        let end = line.iter().position(|&byte| {
            quoted ^= byte == b'"';
            !quoted && (byte == separator || separator == b' ' && byte == b'\t')
        });
        let field = &line[..end.unwrap_or(line.len())];
        if let Some(end) = end {
            let behind = &line[end + 1..];
            rest = Some(if separator == b' ' { behind.trim_ascii_start() } else { behind });
        }
        Some(field.trim_ascii())
    })
}

/// What is in a field: without the quotes, if there are any, and with a quote for two in them.
pub(crate) fn unquoted(field: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return Cow::Borrowed(field);
    };
    if !inner.contains(&b'"') {
        return Cow::Borrowed(inner);
    }
    let mut last = 0;
    let single = inner.iter().copied().filter(|&byte| {
        let second = byte == b'"' && last == b'"';
        last = if second { 0 } else { byte };
        !second
    });
    Cow::Owned(single.collect())
}

#[cfg(test)]
mod tests {
    use crate::{Direction, Error, Format, Input, Label, Options, read, write};

    fn read_as(text: &[u8], options: &Options) -> Result<Input, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.names");
        std::fs::write(&path, text).unwrap();
        read(&path, options)
    }

    fn arcs(input: &Input) -> Vec<(String, String)> {
        let name = |v: &u32| input.ids.label(*v).to_string();
        input.edges.src().iter().zip(input.edges.dst()).map(|(s, d)| (name(s), name(d))).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(s, d)| (s.to_string(), d.to_string())).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn lines_of_every_shape_are_read() {
        let expected = pairs(&[("b", "a"), ("b", "c d"), ("a", "b")]);
        for text in ["b\ta\tc d\na\tb\n\nz\n", "# c\r\nb, a ,c d,\r\na,b\r\n% c\r\n  z", "b,a\nb,c d\na,b\nz,"] {
            let input = read_as(text.as_bytes(), &Options::default()).unwrap();
            assert_eq!(arcs(&input), expected, "{text:?}");
            assert_eq!(input.ids.labels().collect::<Vec<_>>(), ["a", "b", "c d", "z"].map(Label::Name));
            assert!(input.directed);
        }
        let undirected = read_as(b"# Undirected graph: x\na b\n", &Options::default()).unwrap();
        assert!(undirected.mirrored && undirected.declared == Some(Direction::Undirected));
        // The same name from several blocks is one vertex.
        let many: String = (0..200_000).map(|k| format!("v{} hub\n", k % 1000)).collect();
        let input = read_as(many.as_bytes(), &Options::default()).unwrap();
        assert_eq!((input.num_vertices(), input.edges.len()), (1001, 200_000));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn bad_files_are_refused() {
        let message = |text: &[u8]| read_as(text, &Options::default()).unwrap_err().to_string();
        assert!(
            message(b"a b\n  c \xff\xfe\n")
                .ends_with("some.names:2:5: expected a name in UTF-8, found `\u{fffd}\u{fffd}`")
        );
        assert!(message(b"# nothing\n").contains("at least one vertex"));
        assert!(matches!(read_as(b"", &Options::default()), Err(Error::Empty { .. })));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn names_survive_files() {
        let input = read_as(b"b,a,c d\na,b\nz\n", &Options::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for ending in ["names", "plg", "names.zst"] {
            let path = folder.path().join(format!("again.{ending}"));
            write(&input, &path).unwrap();
            let again = read(&path, &Options::default()).unwrap();
            assert_eq!(again.ids, input.ids, "{ending}");
            let sorted = |input| {
                let mut arcs = arcs(input);
                arcs.sort();
                arcs
            };
            assert_eq!(sorted(&again), sorted(&input), "{ending}");
        }
        let path = folder.path().join("again.tsv");
        write(&input, &path).unwrap();
        let options = Options { format: Some(Format::Names), ..Options::default() };
        assert_eq!(arcs(&read(&path, &options).unwrap()), arcs(&input));
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn damaged_names_in_a_binary_are_refused() {
        use crate::plg::Archive;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.plg");
        for (names, message) in [
            (&b"b\na\n"[..], "expected names that increase, found `a`"),
            (b"a\na\n", "expected names that increase, found `a`"),
            (b"a\n", "expected 2 names, each ended by a line end, found 1"),
            (b"a\nb", "expected 2 names, each ended by a line end, found 2"),
            (b"a\n\xff\n", "expected names in UTF-8"),
        ] {
            let archive = Archive::new("graph").with("rows", 2).with("columns", 2);
            let archive = archive.with("directed", true).with("mirrored", false).with_array("names", names);
            let archive = archive.with_array("offsets", vec![0u64, 1, 1]).with_array("targets", vec![1u32]);
            archive.write(&path).unwrap();
            let error = read(&path, &Options::default()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
