//! Harwell-Boeing (`.rua .rsa .pua …`; Duff, Grimes and Lewis, "Users' Guide for the Harwell-Boeing Sparse Matrix Collection", 1992)
//! and its successor Rutherford-Boeing (`.rb`): compressed columns on punched cards.
//!
//! ```text
//!  title (72 columns), key (8)
//!  cards: in all, of pointers, of row indices, of values, of right-hand sides
//!  type (RUA, PSA, …), rows, columns, entries, 0
//!  the Fortran format of pointers, of indices, of values, of right-hand sides
//!  [what right-hand sides there are]
//!  pointers …  row indices …  values …
//! ```
//!
//! Numbers stand in columns of fixed width, often without a blank between them, so that only the Fortran format says where one ends. The
//! type's letters say what values are (real, integer, pattern; complex is refused by name), which symmetry they have
//! (unsymmetric, symmetric, skew, rectangular; hermitian is refused) and that the matrix is assembled (elements are refused).
//! Right-hand sides are skipped. A matrix with a symmetry that lists entries in both triangles is refused: each stands for its mirror image, too.

use std::path::PathBuf;
use std::sync::Arc;

use super::share_steps::{BLOCK, InSteps, Matrix, Steps, check_square};
use super::symmetry::{Symmetry, Triangle};
use super::{Raw, check_proportion};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::read::arcs::Arcs;
use crate::scan;
use crate::source::Source;

/// What the first lines say.
#[derive(Clone, Copy, Debug)]
struct Header {
    pattern: bool,
    symmetry: Symmetry,
    rows: u64,
    cols: u64,
    entries: u64,
    /// The formats of pointers, of indices and, unless the matrix is a pattern, of values.
    pointers: Cards,
    indices: Cards,
    values: Option<Cards>,
}

impl Header {
    fn pointers(&self) -> Pointers {
        let fields = Fields::of(self.pointers, self.cols + 1, "column pointers");
        Pointers { fields, last: None, entries: self.entries }
    }

    fn indices(&self) -> Fields {
        Fields::of(self.indices, self.entries, "row indices")
    }

    fn values(&self) -> Option<Fields> {
        self.values.map(|cards| Fields::of(cards, self.entries, "values"))
    }
}

pub(super) fn read(mut source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let header = read_header(&mut source)?;
    let Header { rows, cols, entries, symmetry, .. } = header;
    let (mut pointers, mut indices) = (header.pointers(), header.indices());
    let mut begins = vec![pointers.next(&mut source)?];
    for _ in 0..cols {
        begins.push(pointers.next(&mut source)?);
    }
    pointers.check(&source)?;
    let mut arcs = Arcs { src: Vec::new(), dst: Vec::new(), weight: Vec::new() };
    let mut triangle = Triangle::of(symmetry);
    for (col, ends) in begins.windows(2).enumerate() {
        for _ in ends[0]..ends[1] {
            let row = indices.whole(&mut source, "row", 1, rows)?;
            triangle.take(row, col as u64 + 1).map_err(|fault| source.fault(1, fault))?;
            arcs.src.push((row - 1) as u32);
        }
        arcs.dst.resize(arcs.src.len(), col as u32);
    }
    let mut rounded = false;
    if let Some(mut values) = header.values() {
        for _ in 0..entries {
            arcs.weight.push(values.next(&mut source, |cards, text| {
                cards.real(text).inspect(|&value| rounded |= scan::is_rounded(text, value))
            })?);
        }
    }
    symmetry.write_out(&mut arcs);
    let ids = IdMap::offset(1, rows.max(cols) as usize);
    let (num_rows, num_cols, weighted) = (rows as usize, cols as usize, !header.pattern);
    Ok(Raw {
        path,
        num_rows,
        num_cols,
        arcs,
        weighted,
        ids,
        declared: symmetry.declared(),
        listing: symmetry.listing(),
        rounded,
        notes: Vec::new(),
        extra: Default::default(),
    })
}

/// Opens the matrix, to be read in blocks.
pub(super) fn share(mut source: Source) -> Result<Matrix, Error> {
    let header = read_header(&mut source)?;
    let Header { rows, cols, entries, symmetry, pattern, .. } = header;
    check_square(source.path(), rows, cols)?;
    // An entry takes at least a byte, which bounds the number of vertices that a plain file may declare.
    let most = source.plain_len().map_or(entries, |bytes| entries.min(bytes));
    check_proportion(source.path(), crate::input::ROWS, rows, most)?;
    let steps = Arc::new(File { path: source.path().to_owned(), header });
    Ok(Matrix { steps, vertices: 1..rows + 1, weighted: !pattern, symmetry })
}

/// A file with a matrix.
#[derive(Debug)]
struct File {
    path: PathBuf,
    header: Header,
}

impl InSteps for File {
    fn begin(&self) -> Result<Box<dyn Steps>, Error> {
        let header = self.header;
        // The file is opened three times: at the pointers, at the indices, and at the values.
        let at = |skipped: &mut [Fields]| {
            let mut source = Source::again(&self.path, None)?;
            read_header(&mut source)?;
            skipped.iter_mut().try_for_each(|fields| fields.skip(&mut source))?;
            Ok::<_, Error>(source)
        };
        let pointers = (at(&mut [])?, header.pointers());
        let indices = (at(&mut [header.pointers().fields])?, header.indices());
        let values = match header.values() {
            Some(values) => Some((at(&mut [header.pointers().fields, header.indices()])?, values)),
            None => None,
        };
        let triangle = Triangle::of(header.symmetry);
        let mut columns = Columns { header, pointers, indices, values, triangle, col: 0, at: 1, end: 1 };
        columns.pointers.1.next(&mut columns.pointers.0)?;
        Ok(Box::new(columns))
    }
}

/// A matrix that is read in blocks of entries.
struct Columns {
    header: Header,
    pointers: (Source, Pointers),
    indices: (Source, Fields),
    values: Option<(Source, Fields)>,
    triangle: Triangle,
    /// The current column, the number of the next entry (from 1), and the number of the entry after this column.
    col: u64,
    at: u64,
    end: u64,
}

impl Steps for Columns {
    fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        for done in 0..BLOCK {
            while self.at == self.end {
                if self.col == self.header.cols {
                    self.pointers.1.check(&self.pointers.0)?;
                    return Ok(done > 0);
                }
                self.end = self.pointers.1.next(&mut self.pointers.0)?;
                self.col += 1;
            }
            let row = self.indices.1.whole(&mut self.indices.0, "row", 1, self.header.rows)?;
            self.triangle.take(row, self.col).map_err(|fault| self.indices.0.fault(1, fault))?;
            let value = self.values.as_mut().map_or(Ok(1.0), |(source, values)| values.real(source))?;
            self.header.symmetry.write((row, self.col), value, each);
            self.at += 1;
        }
        Ok(true)
    }
}

fn read_header(source: &mut Source) -> Result<Header, Error> {
    next_line(source, "the title")?;
    let counts = next_line(source, "the numbers of cards")?;
    let counts = whole_words(source, &counts, 0, "the numbers of cards: in all, pointers, indices, values")?;
    let line = next_line(source, "the type and the sizes of the matrix")?;
    let kind = line.get(..3).unwrap_or(&line).to_ascii_uppercase();
    let sizes = whole_words(source, &line, 3, "a type (RUA, RSA, PUA, …), rows, columns and entries")?;
    let [rows, cols, entries, ..] = sizes[..] else {
        let expected = "rows, columns and entries".to_owned();
        return Err(source.fault(4, Fault::Header { expected, found: scan::quote(line.trim_ascii()) }));
    };
    let unsupported =
        |column, kind: &str, expected| source.fault(column, Fault::Unsupported { kind: kind.to_owned(), expected });
    let unknown = |column| {
        let expected = "a type such as RUA, RSA, PUA or PSA".to_owned();
        source.fault(column, Fault::Header { expected, found: scan::quote(&kind) })
    };
    let [values, symmetry, assembled] = kind[..] else { return Err(unknown(1)) };
    let pattern = match values {
        b'R' | b'I' => false,
        b'P' => true,
        b'C' => return Err(unsupported(1, "complex", "real, integer or pattern")),
        _ => return Err(unknown(1)),
    };
    let symmetry = match symmetry {
        b'U' | b'R' => Symmetry::General,
        b'S' => Symmetry::Symmetric,
        b'Z' => Symmetry::Skew,
        b'H' => return Err(unsupported(2, "hermitian", "unsymmetric, symmetric, skew-symmetric or rectangular")),
        _ => return Err(unknown(2)),
    };
    match assembled {
        b'A' => {}
        b'E' => return Err(unsupported(3, "elemental", "assembled ones (a type that ends in A)")),
        _ => return Err(unknown(3)),
    }
    if let Some(vertices) = [rows, cols].into_iter().find(|&n| n > u64::from(u32::MAX)) {
        return Err(Error::TooManyVertices { what: crate::input::ROWS, path: source.path().to_owned(), vertices });
    }
    if entries >= u64::MAX / 2 {
        let expected = "a number of entries that a file can hold".to_owned();
        return Err(source.fault(4, Fault::Header { expected, found: entries.to_string() }));
    }
    if symmetry != Symmetry::General && rows != cols {
        let expected = "as many rows as columns in a symmetric matrix".to_owned();
        return Err(source.fault(4, Fault::Header { expected, found: format!("{rows} and {cols}") }));
    }
    if pattern && symmetry == Symmetry::Skew {
        return Err(unsupported(2, "skew-symmetric pattern", "skew-symmetric matrices with values"));
    }
    let line = next_line(source, "the formats of pointers, indices and values")?;
    let cards = |k: usize| {
        let (from, to) = (16 * k, if k == 2 { 52 } else { 16 * k + 16 });
        let text = line.get(from..to.min(line.len())).unwrap_or_default().trim_ascii();
        Cards::parse(text).ok_or_else(|| {
            let expected = "a Fortran format such as (16I5) or (1P,5E16.8)".to_owned();
            source.fault(from + 1, Fault::Header { expected, found: scan::quote(text) })
        })
    };
    let (pointers, indices) = (cards(0)?, cards(1)?);
    let values = if pattern { None } else { Some(cards(2)?) };
    // Rutherford-Boeing's second line has no count of right-hand sides, and no line about them.
    if counts.get(4).is_some_and(|&cards| cards > 0) {
        next_line(source, "the kinds of right-hand sides")?;
    }
    Ok(Header { pattern, symmetry, rows, cols, entries, pointers, indices, values })
}

fn next_line(source: &mut Source, expected: &str) -> Result<Vec<u8>, Error> {
    match source.line()? {
        Some(line) => Ok(line),
        None => {
            Err(source.fault(1, Fault::Header { expected: expected.to_owned(), found: "the end of the file".into() }))
        }
    }
}

/// The whole numbers on a line, from a column on; at least three.
fn whole_words(source: &Source, line: &[u8], from: usize, expected: &str) -> Result<Vec<u64>, Error> {
    let text = String::from_utf8_lossy(line.get(from..).unwrap_or_default());
    let numbers: Option<Vec<u64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() >= 3).ok_or_else(|| {
        source.fault(from + 1, Fault::Header { expected: expected.to_owned(), found: scan::quote(line.trim_ascii()) })
    })
}

/// A Fortran format of one repeated field: `(16I5)`, `(5E16.8)`, `(1P,4D20.12)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cards {
    /// Fields on a card.
    repeat: usize,
    /// Columns of a field.
    width: usize,
    /// Digits behind the point of a number without one.
    decimals: i32,
    /// Powers of ten by which a number without an exponent was multiplied (`kP`).
    scale: i32,
}

impl Cards {
    /// `None` if the format is another.
    fn parse(text: &[u8]) -> Option<Cards> {
        let text: String = std::str::from_utf8(text).ok()?.chars().filter(|c| !c.is_whitespace()).collect();
        let text = text.strip_prefix('(')?.strip_suffix(')')?.to_ascii_uppercase();
        let (scale, text) = match text.split_once('P') {
            Some((scale, rest)) => (scale.parse().ok()?, rest.strip_prefix(',').unwrap_or(rest)),
            None => (0, &text[..]),
        };
        let letter = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (repeat, field) = text.split_at(letter);
        let repeat = if repeat.is_empty() { 1 } else { repeat.parse().ok()? };
        if !matches!(field.as_bytes()[0], b'I' | b'E' | b'D' | b'F' | b'G') {
            return None;
        }
        // What may follow the width: `.8` digits behind the point, `E3` digits of the exponent.
        let (width, decimals) = match field[1..].split_once('.') {
            Some((width, decimals)) => (width, decimals.split('E').next()?.parse().ok()?),
            None => (&field[1..], 0),
        };
        let width = width.parse().ok()?;
        let sensible = (1..=1000).contains(&repeat)
            && (1..=1000).contains(&width)
            && (0..=100).contains(&decimals)
            && (-100..=100).contains(&scale);
        sensible.then_some(Cards { repeat, width, decimals, scale })
    }

    /// The whole number in a field.
    fn whole(self, text: &[u8], what: &'static str, first: u64, last: u64) -> Result<u64, Fault> {
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
        match number {
            Some(number) if (first..=last).contains(&number) => Ok(number),
            Some(found) => Err(Fault::OutOfRange { what, first, last, found }),
            None => Err(Fault::Number { found: scan::quote(text) }),
        }
    }

    /// The number in a field as Fortran reads it: the exponent's letter may be `D` or missing, and without a point the last digits are
    /// those behind it.
    fn real(self, text: &[u8]) -> Result<f64, Fault> {
        let wrong = || Fault::Number { found: scan::quote(text) };
        let string = std::str::from_utf8(text).map_err(|_| wrong())?.to_ascii_uppercase();
        let exponent_at = string.char_indices().skip(1).find(|(_, c)| matches!(c, 'E' | 'D' | 'Q' | '+' | '-'));
        let (mantissa, exponent) = match exponent_at {
            Some((at, _)) => {
                let (mantissa, exponent) = string.split_at(at);
                let exponent = exponent.trim_start_matches(['E', 'D', 'Q']);
                (mantissa, exponent.parse::<i32>().map_err(|_| wrong())?)
            }
            None => (&string[..], -self.scale),
        };
        let decimals = if mantissa.contains('.') { 0 } else { self.decimals };
        let plain = mantissa.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-'));
        let number = format!("{mantissa}E{}", exponent.saturating_sub(decimals));
        match fast_float2::parse::<f64, _>(&number) {
            Ok(value) if plain && value.is_finite() => Ok(value),
            Ok(_) if plain => Err(Fault::NotFinite { found: scan::quote(text) }),
            _ => Err(wrong()),
        }
    }
}

/// Numbers in columns of fixed width, which are read one after the other.
struct Fields {
    cards: Cards,
    count: u64,
    what: &'static str,
    /// How many of them have been read.
    found: u64,
    /// The current card (line), and its next field.
    card: Vec<u8>,
    field: usize,
}

impl Fields {
    fn of(cards: Cards, count: u64, what: &'static str) -> Self {
        Fields { cards, count, what, found: 0, card: Vec::new(), field: cards.repeat }
    }

    /// Parses the next field.
    fn next<T>(
        &mut self,
        source: &mut Source,
        parse: impl FnOnce(Cards, &[u8]) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        loop {
            if self.field == self.cards.repeat {
                let Some(card) = source.line()? else {
                    let expected = format!("{} {}", self.count, self.what);
                    return Err(source.fault(1, Fault::Header { expected, found: format!("only {}", self.found) }));
                };
                (self.card, self.field) = (card, 0);
            }
            let begin = self.field * self.cards.width;
            let text = self.card.get(begin..self.card.len().min(begin + self.cards.width)).unwrap_or_default();
            if text.trim_ascii().is_empty() && self.field > 0 {
                self.field = self.cards.repeat;
                continue;
            }
            (self.field, self.found) = (self.field + 1, self.found + 1);
            let blanks = text.len() - text.trim_ascii_start().len();
            return parse(self.cards, text.trim_ascii()).map_err(|fault| source.fault(begin + blanks + 1, fault));
        }
    }

    fn whole(&mut self, source: &mut Source, what: &'static str, first: u64, last: u64) -> Result<u64, Error> {
        self.next(source, |cards, text| cards.whole(text, what, first, last))
    }

    fn real(&mut self, source: &mut Source) -> Result<f64, Error> {
        self.next(source, Cards::real)
    }

    /// Skips all of them.
    fn skip(&mut self, source: &mut Source) -> Result<(), Error> {
        (0..self.count).try_for_each(|_| self.next(source, |_, _| Ok(())))
    }
}

/// The pointers: the number of the first entry of each column, from 1, and one more at the end.
struct Pointers {
    fields: Fields,
    last: Option<u64>,
    entries: u64,
}

impl Pointers {
    fn next(&mut self, source: &mut Source) -> Result<u64, Error> {
        let most = if self.last.is_none() { 1 } else { self.entries + 1 };
        let begin = self.fields.whole(source, "pointer", self.last.unwrap_or(1), most)?;
        self.last = Some(begin);
        Ok(begin)
    }

    /// After the last pointer: checks that it fits the number of entries.
    fn check(&self, source: &Source) -> Result<(), Error> {
        let end = self.entries + 1;
        if self.last == Some(end) {
            return Ok(());
        }
        let expected = format!("{end} as the last column pointer, for {} entries", self.entries);
        let found = self.last.map_or("nothing".to_owned(), |last| last.to_string());
        Err(source.fault(1, Fault::Header { expected, found }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_understood() {
        let cards = |repeat, width, decimals, scale| Some(Cards { repeat, width, decimals, scale });
        assert_eq!(Cards::parse(b"(16I5)"), cards(16, 5, 0, 0));
        assert_eq!(Cards::parse(b"( 5E16.8 )"), cards(5, 16, 8, 0));
        assert_eq!(Cards::parse(b"(1P,5D16.8)"), cards(5, 16, 8, 1));
        assert_eq!(Cards::parse(b"(1p5e16.8e3)"), cards(5, 16, 8, 1));
        assert_eq!(Cards::parse(b"(F7.1)"), cards(1, 7, 1, 0));
        for text in
            ["", "16I5", "(16)", "(16I)", "(I0)", "(0I5)", "(3(1X,E20.12))", "(99999999999I5)", "(5A8)", "(2I5000)"]
        {
            assert_eq!(Cards::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_fortran_reads_them() {
        let cards = Cards::parse(b"(5E16.3)").unwrap();
        for (text, value) in [
            ("1.5", 1.5),
            ("-1.5D+02", -150.0),
            ("1.5+2", 150.0),
            ("1.5-2", 0.015),
            (".5", 0.5),
            ("5.", 5.0),
            ("1234", 1.234),
            ("12E1", 0.12),
            ("+7.0E0", 7.0),
            ("0", 0.0),
        ] {
            assert_eq!(cards.real(text.as_bytes()), Ok(value), "{text}");
        }
        assert_eq!(Cards::parse(b"(2P,5F8.1)").unwrap().real(b"150.0"), Ok(1.5));
        assert_eq!(Cards::parse(b"(2P,5F8.1)").unwrap().real(b"150.0E0"), Ok(150.0));
        for text in ["", "x", "1.5E", "1.5.5", "--1", "NaN", "inf", "1E99999999999", "\u{ff}"] {
            assert!(cards.real(text.as_bytes()).is_err(), "{text}");
        }
        assert!(matches!(cards.real(b"1.0E999"), Err(Fault::NotFinite { .. })));
    }
}
