//! Matrix Market: a banner, comments, a line of sizes, then the entries (Boisvert, Pozo and Remington, NISTIR 5935, 1996).
//!
//! Coordinate files become their arcs; array files become the arcs of their nonzeros. A symmetric matrix lists one triangle and is
//! an undirected graph; a skew-symmetric one is written out in full. Each entry stands for its mirror image, too: one that is listed in both
//! triangles, or on the diagonal of a skew-symmetric matrix, is refused. Complex and hermitian matrices are refused by name.

use std::path::Path;

use pleach::runtime::par_map;

use super::expect::Expected;
use super::pairs::{self, Comments, Rules, Separator};
use super::share_dense::Dense;
use super::share_lines::{Body, Form, Lines, Promise};
use super::share_steps::check_square;
use super::symmetry::{Symmetry, Triangle};
use super::{Raw, arcs};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::input::{Options, Weights};
use crate::read::arcs::{AnyPart, Arcs};
use crate::scan;
use crate::source::Source;

const BANNER: &[u8] = b"%%matrixmarket";

pub(super) fn has_banner(text: &[u8]) -> bool {
    text.get(..BANNER.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(BANNER))
}

/// What the banner says.
#[derive(Clone, Copy, Debug)]
struct Banner {
    array: bool,
    pattern: bool,
    symmetry: Symmetry,
}

pub(super) fn read(mut source: Source, options: &Options) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let Header { banner, rows, cols, entries } = read_header(&mut source)?;
    // Behind the sizes stand two coordinates, and a value where there are values.
    let has_value = |line: &[u8]| line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() > 2;
    let loses_values = banner.pattern && source.peek_line()?.is_some_and(has_value);
    let (mut arcs, rounded) = match banner.array {
        true => {
            let any_number = options.any_number || !keeps_weights(banner.symmetry, options);
            read_array(source, rows, cols, banner.symmetry, any_number)?
        }
        false => read_entries(source, rows, cols, entries, banner, options)?,
    };
    banner.symmetry.write_out(&mut arcs);
    Ok(Raw {
        path,
        num_rows: rows as usize,
        num_cols: cols as usize,
        arcs,
        weighted: !banner.pattern,
        ids: IdMap::offset(1, rows.max(cols) as usize),
        declared: banner.symmetry.declared(),
        listing: banner.symmetry.listing(),
        rounded,
        notes: if loses_values {
            vec!["not kept: values, of which the header says that there are none (`pattern`)".to_owned()]
        } else {
            Vec::new()
        },
        extra: Default::default(),
    })
}

/// The header, which precedes the entries.
struct Header {
    banner: Banner,
    rows: u64,
    cols: u64,
    /// The number of entries, in the coordinate format.
    entries: u64,
}

fn read_header(source: &mut Source) -> Result<Header, Error> {
    let banner = read_banner(source)?;
    let sizes = read_sizes(source, if banner.array { 2 } else { 3 })?;
    let (rows, cols) = (sizes[0], sizes[1]);
    if let Some(vertices) = [rows, cols].into_iter().find(|&n| n > u64::from(u32::MAX)) {
        let path = source.path().to_owned();
        return Err(Error::TooManyVertices { what: crate::input::ROWS, path, vertices });
    }
    if banner.symmetry != Symmetry::General && rows != cols {
        let expected = "as many rows as columns in a symmetric matrix".to_owned();
        return Err(source.fault(1, Fault::Header { expected, found: format!("{rows} and {cols}") }));
    }
    Ok(Header { banner, rows, cols, entries: sizes.get(2).copied().unwrap_or(0) })
}

/// How many entries the header promises.
pub(super) fn expect(source: &mut Source) -> Result<Expected, Error> {
    let banner = read_banner(source)?;
    let sizes = read_sizes(source, if banner.array { 2 } else { 3 })?;
    let edges = if banner.array { sizes[0].saturating_mul(sizes[1]) } else { sizes[2] };
    Ok(Expected { edges, weighted: !banner.pattern })
}

fn read_banner(source: &mut Source) -> Result<Banner, Error> {
    let line = source.line()?.unwrap_or_default();
    let mut words = Vec::new();
    for word in line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
        let column = word.as_ptr() as usize - line.as_ptr() as usize + 1;
        words.push((column, String::from_utf8_lossy(word).to_ascii_lowercase()));
    }
    let mut words = words.into_iter();
    let mut next = |expected: &str, known: &[&str]| {
        let (column, word) = words.next().unwrap_or((line.len() + 1, String::new()));
        match known.iter().position(|&k| k == word) {
            Some(at) => Ok((at, column)),
            None => {
                let (expected, found) = (expected.to_owned(), scan::quote(word.as_bytes()));
                Err(source.fault(column, Fault::Header { expected, found }))
            }
        }
    };
    next("the banner `%%MatrixMarket`", &["%%matrixmarket"])?;
    next("the object `matrix`", &["matrix"])?;
    let (layout, _) = next("`coordinate` or `array`", &["coordinate", "array"])?;
    let (field, field_at) = next(
        "`real`, `integer` or `pattern`",
        &["real", "double", "integer", "pattern", "complex", "unsigned-integer"],
    )?;
    let (symmetry, symmetry_at) =
        next("`general`, `symmetric` or `skew-symmetric`", &["general", "symmetric", "skew-symmetric", "hermitian"])?;
    if field == 4 {
        let fault = Fault::Unsupported { kind: "complex".to_owned(), expected: "real, integer or pattern" };
        return Err(source.fault(field_at, fault));
    }
    if symmetry == 3 {
        let expected = "general, symmetric or skew-symmetric";
        return Err(source.fault(symmetry_at, Fault::Unsupported { kind: "hermitian".to_owned(), expected }));
    }
    let (array, pattern) = (layout == 1, field == 3);
    let symmetry = [Symmetry::General, Symmetry::Symmetric, Symmetry::Skew][symmetry];
    if pattern && (array || symmetry == Symmetry::Skew) {
        let (expected, found) = ("`real` or `integer` values".to_owned(), "`pattern`".to_owned());
        return Err(source.fault(field_at, Fault::Header { expected, found }));
    }
    Ok(Banner { array, pattern, symmetry })
}

/// Reads the line of sizes: rows, columns and, where entries are listed, their number.
fn read_sizes(source: &mut Source, count: usize) -> Result<Vec<u64>, Error> {
    let expected = match count {
        2 => "the sizes: rows and columns",
        _ => "the sizes: rows, columns and entries",
    };
    source.skip_comments(b"%")?;
    let line = source.line()?.unwrap_or_default();
    let words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let sizes: Option<Vec<u64>> = words.map(|w| std::str::from_utf8(w).ok()?.parse().ok()).collect();
    match sizes {
        Some(sizes) if sizes.len() == count => Ok(sizes),
        _ => Err(source.fault(1, Fault::Header { expected: expected.to_owned(), found: scan::quote(&line) })),
    }
}

/// How a line of an entry looks.
fn rules(rows: u64, cols: u64, banner: Banner, options: &Options) -> Rules {
    let keep_weights = keeps_weights(banner.symmetry, options);
    Rules {
        separator: Separator::Blanks,
        lead: None,
        weighted: !banner.pattern,
        columns: None,
        comments: Comments::All,
        direction: None,
        // SciPy writes values below some headers that promise none; they are not read there either.
        more: banner.pattern,
        any_number: options.any_number || !keep_weights,
        keep_weights,
        matrix: Some((rows, cols)),
    }
}

/// The entries of a file, to be read in shares.
pub(super) enum Entries {
    /// The coordinate format: a line for each entry.
    Lines(Body),
    /// The array format: a line for each value, column by column.
    Dense(Dense),
}

/// Opens the entries to be read in shares.
pub(super) fn share(mut source: Source, options: &Options) -> Result<Entries, Error> {
    let Header { banner, rows, cols, entries } = read_header(&mut source)?;
    check_square(source.path(), rows, cols)?;
    let symmetry = banner.symmetry;
    if banner.array {
        let lines = Lines::behind(&source, Form::Numbers(options.any_number));
        return Ok(Entries::Dense(Dense { lines, rows, symmetry, firsts: Vec::new() }));
    }
    let promise = Promise { entries, header: 1, is_entry };
    let keep_weights = options.weights != Weights::Ignore;
    let rules = Rules { keep_weights, ..rules(rows, cols, banner, options) };
    let body = Body::sized(&source, rules, rows, promise, symmetry.declared())?;
    Ok(Entries::Lines(Body { symmetry, lines: Lines { symmetry, ..body.lines }, ..body }))
}

/// The entries, and whether a whole number among the values was rounded.
fn read_entries(
    source: Source,
    rows: u64,
    cols: u64,
    entries: u64,
    banner: Banner,
    options: &Options,
) -> Result<(Arcs, bool), Error> {
    let path = source.path().to_owned();
    let rules = rules(rows, cols, banner, options);
    let parts = source.parse(|text| pairs::parse(text, &rules))?;
    let found = parts.iter().map(|p| p.len() as u64).sum::<u64>();
    if found != entries {
        return Err(super::wrong_count(&path, 1, entries, found, is_entry));
    }
    let sides = par_map(parts.len(), 1, |part| banner.symmetry.sides(&parts[part]));
    if Symmetry::are_both(sides.into_iter().sum()) {
        return Err(on_both_sides(&path, banner.symmetry));
    }
    let rounded = parts.iter().any(AnyPart::is_rounded);
    Ok((arcs::concatenate(parts), rounded))
}

/// The error for a matrix with entries on [both sides](Symmetry::sides) of the diagonal. Reads the file again to find the first entry that
/// lies on the other side.
pub(super) fn on_both_sides(path: &Path, symmetry: Symmetry) -> Error {
    let unknown = || Error::at(path, 1, 1, symmetry.fault("others".to_owned()));
    // Standard input and members of archives cannot be read again.
    if !path.is_file() {
        return unknown();
    }
    let search = || -> Result<Error, Error> {
        let mut source = Source::again(path, None)?;
        source.skip_mark();
        let (mut sizes, mut triangle) = (true, Triangle::of(symmetry));
        while let Some(line) = source.line()? {
            if !is_entry(&line) || std::mem::take(&mut sizes) {
                continue;
            }
            let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let mut places = words.map_while(|word| std::str::from_utf8(word).ok()?.parse::<u64>().ok());
            let (Some(row), Some(col)) = (places.next(), places.next()) else { continue };
            if let Err(fault) = triangle.take(row, col) {
                return Ok(source.fault(1, fault));
            }
        }
        Ok(unknown())
    };
    search().unwrap_or_else(|error| error)
}

/// Whether a line is one of sizes or an entry, not a comment.
pub(super) fn is_entry(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_some_and(|b| !matches!(b, b'%' | b'#'))
}

/// Whether the values of a matrix are kept. One that is skew-symmetric is written out, with its values.
fn keeps_weights(symmetry: Symmetry, options: &Options) -> bool {
    options.weights != Weights::Ignore || symmetry == Symmetry::Skew
}

/// Reads the values of a dense matrix, column by column, and keeps the nonzeros. Also returns whether a whole number was rounded.
fn read_array(
    source: Source,
    rows: u64,
    cols: u64,
    symmetry: Symmetry,
    any_number: bool,
) -> Result<(Arcs, bool), Error> {
    let path = source.path().to_owned();
    let parts = source.parse(|text| pairs::values(text, any_number))?;
    let (values, rounded): (Vec<Vec<f64>>, Vec<bool>) = parts.into_iter().unzip();
    let values = values.concat();
    let (n, expected) = (u128::from(rows), u128::from(rows) * u128::from(cols));
    let expected = match symmetry {
        Symmetry::General => expected,
        Symmetry::Symmetric => n * (n + 1) / 2,
        Symmetry::Skew => n * n.saturating_sub(1) / 2,
    };
    let found = values.len() as u64;
    if u128::from(found) != expected {
        return Err(super::wrong_count(&path, 1, u64::try_from(expected).unwrap_or(u64::MAX), found, is_entry));
    }
    let mut arcs = Arcs { src: Vec::new(), dst: Vec::new(), weight: Vec::new() };
    // Without values there may still be billions of columns.
    let cols = if values.is_empty() { 0 } else { cols };
    let mut values = values.into_iter();
    for col in 0..cols {
        let first = match symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => col,
            Symmetry::Skew => col + 1,
        };
        for (row, value) in (first..rows).zip(values.by_ref()).filter(|(_, value)| *value != 0.0) {
            arcs.src.push(row as u32);
            arcs.dst.push(col as u32);
            arcs.weight.push(value);
        }
    }
    Ok((arcs, rounded.contains(&true)))
}
