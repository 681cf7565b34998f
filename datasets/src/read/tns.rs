//! FROSTT's tensors: a line a nonzero, its coordinates, counted from 1, and its value, separated by blanks; lines that begin with `#`
//! are comments (Smith et al., "FROSTT: The Formidable Repository of Open Sparse Tensors and Tools", 2017).
//!
//! The number of columns of the first line says the order. The size of a mode is its largest coordinate, unless a comment before the
//! first nonzero says more: `# dimensions: 4 5 6`, as our writer does.

use pleach::runtime::par_map;

use super::arcs::Arcs;
use super::{Held, Listing, Raw, ReadTensor, pairs};
use crate::error::{Error, Fault};
use crate::ids::IdMap;
use crate::scan;
use crate::source::{At, Source, Text};
use crate::tensor::Coo;

/// The comment that says the size of each mode.
pub(crate) const DIMENSIONS: &str = "# dimensions:";

/// The nonzeros of one block.
struct Part {
    /// One nonzero's coordinates after the other's, from 0.
    coords: Vec<u32>,
    values: Vec<f64>,
    /// Whether a whole number among the values was rounded.
    rounded: bool,
}

/// Reads the nonzeros; `any_number` allows values that are infinite or no number.
pub(super) fn read(mut source: Source, any_number: bool) -> Result<Held, Error> {
    let path = source.path().to_owned();
    let mut declared = None;
    while let Some(line) = source.peek_line()? {
        let text = line.trim_ascii();
        if !text.is_empty() && text[0] != b'#' {
            break;
        }
        let line = source.line()?.unwrap_or_default();
        if let Some(sizes) = line.strip_prefix(DIMENSIONS.as_bytes()) {
            declared = Some(read_dimensions(&source, sizes)?);
        }
    }
    let first = source.peek_line()?.unwrap_or_default();
    let columns = first.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count();
    let order = match (columns, &declared) {
        (0, Some(dims)) => dims.len(),
        (0, None) => return Err(Error::Empty { path, expected: "at least one nonzero" }),
        (1, _) => {
            source.line()?;
            return Err(source.fault(1, Fault::MissingColumn { expected: "a coordinate and a value" }));
        }
        (columns, _) if columns - 1 > Coo::MAX_ORDER => {
            source.line()?;
            let expected = format!("at most {} coordinates and a value in a line", Coo::MAX_ORDER);
            return Err(source.fault(1, Fault::Header { expected, found: format!("{} coordinates", columns - 1) }));
        }
        (columns, _) => columns - 1,
    };
    let parts = source.parse(|text| parse(text, order, any_number))?;

    let mut dims = sizes(&parts, order);
    let states_extents = declared.is_some();
    if let Some(declared) = declared {
        if declared.len() != order {
            let expected = format!("{order} dimensions, as the first nonzero has coordinates");
            return Err(Error::at(&path, 1, 1, Fault::Header { expected, found: declared.len().to_string() }));
        }
        if let Some(mode) = (0..order).find(|&mode| declared[mode] < dims[mode]) {
            let expected = format!("a dimension of {} or more in mode {}", dims[mode], mode + 1);
            return Err(Error::at(&path, 1, 1, Fault::Header { expected, found: declared[mode].to_string() }));
        }
        dims = declared;
    }
    let nonzeros = parts.iter().map(|part| part.values.len()).sum();
    let coords = par_map(order, 1, |mode| {
        let mut all = Vec::with_capacity(nonzeros);
        parts.iter().for_each(|part| all.extend(part.coords.iter().skip(mode).step_by(order)));
        all
    });
    let mut values = Vec::with_capacity(nonzeros);
    parts.iter().for_each(|part| values.extend_from_slice(&part.values));
    let read = ReadTensor { states_extents, ..ReadTensor::stated(Coo { dims, coords, values }) };
    Ok(Held::Tensor(read, parts.iter().any(|part| part.rounded)))
}

/// A tensor of order 2 is a matrix, whose rows and columns are counted from 1.
pub(super) fn into_raw(path: &std::path::Path, tensor: Coo) -> Result<Raw, Error> {
    let order = tensor.order();
    let Ok([src, dst]) = <[Vec<u32>; 2]>::try_from(tensor.coords) else {
        return Err(Error::Order { path: path.to_owned(), order });
    };
    let (num_rows, num_cols) = (tensor.dims[0], tensor.dims[1]);
    Ok(Raw {
        path: path.to_owned(),
        num_rows,
        num_cols,
        arcs: Arcs { src, dst, weight: tensor.values },
        weighted: true,
        ids: IdMap::offset(1, num_rows.max(num_cols)),
        declared: None,
        listing: Listing::Once,
        rounded: false,
        notes: Vec::new(),
        extra: Default::default(),
    })
}

fn read_dimensions(source: &Source, sizes: &[u8]) -> Result<Vec<usize>, Error> {
    let text = String::from_utf8_lossy(sizes);
    let sizes: Option<Vec<u32>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    match sizes {
        Some(sizes) if !sizes.is_empty() && sizes.len() <= Coo::MAX_ORDER => {
            Ok(sizes.into_iter().map(|size| size as usize).collect())
        }
        _ => {
            let expected = format!("1 to {} dimensions of at most {}", Coo::MAX_ORDER, u32::MAX);
            Err(source.fault(DIMENSIONS.len() + 1, Fault::Header { expected, found: scan::quote(text.as_bytes()) }))
        }
    }
}

/// One more than the largest coordinate of each mode.
fn sizes(parts: &[Part], order: usize) -> Vec<usize> {
    let of_part = |part: &Part| {
        let mut sizes = vec![0; order];
        for nonzero in part.coords.chunks_exact(order) {
            sizes.iter_mut().zip(nonzero).for_each(|(size, &coord)| *size = (*size).max(coord as usize + 1));
        }
        sizes
    };
    let larger = |a: Vec<usize>, b: Vec<usize>| a.into_iter().zip(b).map(|(a, b)| a.max(b)).collect();
    par_map(parts.len(), 1, |part| of_part(&parts[part])).into_iter().fold(vec![0; order], larger)
}

fn parse(text: Text<'_>, order: usize, any_number: bool) -> Result<Part, At> {
    let bytes = text.padded();
    let guess = text.len() / (2 * order + 2);
    let (coords, values) = (Vec::with_capacity(guess * order), Vec::with_capacity(guess));
    let mut part = Part { coords, values, rounded: false };
    let (mut at, mut line) = (0, 0);
    while at < text.len() {
        let start = at;
        at = scan::blanks(bytes, at);
        if bytes[at].is_ascii_digit() || !pairs::line_is_bare(bytes, &mut at) {
            parse_nonzero(bytes, &mut at, order, any_number, &mut part).map_err(|fault| At {
                line,
                column: at - start + 1,
                fault,
            })?;
        }
        line += 1;
    }
    Ok(part)
}

/// Parses one line and moves `at` behind it, or to the place of the fault.
fn parse_nonzero(bytes: &[u8], at: &mut usize, order: usize, any_number: bool, part: &mut Part) -> Result<(), Fault> {
    for _ in 0..order {
        let begin = *at;
        if scan::line_ends(bytes, begin) {
            return Err(Fault::MissingColumn { expected: "a coordinate" });
        }
        let coord = scan::whole(bytes, at).ok().and_then(|coord| u32::try_from(coord.checked_sub(1)?).ok());
        let behind = scan::blanks(bytes, *at);
        match coord {
            Some(coord) if coord < u32::MAX && (behind > *at || scan::line_ends(bytes, behind)) => {
                part.coords.push(coord)
            }
            _ => {
                *at = begin;
                return Err(Fault::Coordinate { found: scan::token(bytes, begin) });
            }
        }
        *at = behind;
    }
    if scan::line_ends(bytes, *at) {
        return Err(Fault::MissingColumn { expected: "a value" });
    }
    let begin = *at;
    let value = if any_number { scan::number(bytes, at)? } else { scan::real(bytes, at)? };
    part.rounded |= scan::is_rounded(&bytes[begin..*at], value);
    let behind = scan::blanks(bytes, *at);
    if !scan::line_ends(bytes, behind) {
        if behind == *at {
            *at = begin;
            return Err(Fault::Number { found: scan::token(bytes, begin) });
        }
        *at = behind;
        let expected = "as many columns as in the lines before";
        return Err(Fault::ExtraColumn { expected, found: scan::token(bytes, behind) });
    }
    part.values.push(value);
    *at = behind + if bytes[behind] == b'\r' { 2 } else { 1 };
    Ok(())
}
