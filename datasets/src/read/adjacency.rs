//! Neighbour lists: a line a vertex, first its id, then those of its neighbours, separated by blanks.

use super::arcs::{self, AnyPart, Part};
use super::head::Head;
use super::{Raw, pairs};
use crate::error::{Error, Fault};
use crate::scan::{self, Id};
use crate::source::{At, Source, Text};

pub(super) fn read(source: Source) -> Result<Raw, Error> {
    let path = source.path().to_owned();
    let declared = Head::of(source.peek()).direction;
    let parts = source.parse(parse)?;
    let (arcs, ids) = arcs::number(&path, parts)?;
    if ids.is_empty() {
        return Err(Error::Empty { path, expected: "at least one vertex" });
    }
    Ok(Raw { declared, ..Raw::graph(&path, arcs, ids, false) })
}

pub(super) fn parse(text: Text<'_>) -> Result<AnyPart, At> {
    if let Some(part) = parse_as::<u32>(text)? {
        return Ok(AnyPart::Narrow(part));
    }
    Ok(AnyPart::Wide(parse_as::<u64>(text)?.expect("every id fits 64 bits")))
}

/// `None` if an id does not fit.
fn parse_as<I: Id>(text: Text<'_>) -> Result<Option<Part<I>>, At> {
    let mut part = Part::with_capacity(text.len() / 6, false);
    let mut line = 0;
    let mut at = 0;
    while at < text.len() {
        let start = at;
        match parse_line(text.padded(), &mut at, &mut part) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(fault) => return Err(At { line, column: at - start + 1, fault }),
        }
        line += 1;
    }
    Ok(Some(part))
}

fn parse_line<I: Id>(bytes: &[u8], at: &mut usize, part: &mut Part<I>) -> Result<bool, Fault> {
    *at = scan::blanks(bytes, *at);
    if !bytes[*at].is_ascii_digit() && pairs::line_is_bare(bytes, at) {
        return Ok(true);
    }
    let Some(src) = I::from_wide(pairs::id(bytes, at)?) else { return Ok(false) };
    let mut neighbours = false;
    loop {
        let behind = scan::blanks(bytes, *at);
        if scan::line_ends(bytes, behind) {
            *at = behind + if bytes[behind] == b'\r' { 2 } else { 1 };
            break;
        }
        if behind == *at && !matches!(bytes[behind], b',' | b';') {
            return Err(pairs::trailing_fault(bytes, at));
        }
        if behind == *at {
            return Err(Fault::Separator { expected: "a space or a tab", found: scan::quote(&bytes[behind..=behind]) });
        }
        *at = behind;
        let Some(dst) = I::from_wide(pairs::id(bytes, at)?) else { return Ok(false) };
        part.src.push(src);
        part.dst.push(dst);
        neighbours = true;
    }
    if !neighbours {
        part.alone.push(src);
    }
    Ok(true)
}
