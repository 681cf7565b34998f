//! Faults of a line of a matrix, in the words of matrices: a line has a row, a column and perhaps a value.

use crate::error::Fault;
use crate::scan;

/// The fault at the place `at` of a line, in a matrix of so many rows and columns.
#[cold]
pub(super) fn of_matrix(fault: Fault, line: &[u8], at: usize, (rows, columns): (u64, u64)) -> Fault {
    let before = line[..at.min(line.len())].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    let (what, last) = if before == 0 { ("row", rows) } else { ("column", columns) };
    match fault {
        Fault::Id { found }
        | Fault::NegativeId { found }
        | Fault::IdOverflow { found }
        | Fault::UnexpectedOperation { found } => Fault::Place { what, last, found },
        Fault::MissingColumn { .. } if before < 2 => Fault::MissingColumn { expected: "a column" },
        Fault::MissingColumn { .. } => Fault::MissingColumn { expected: "a value" },
        Fault::ExtraColumn { found, .. } if before < 3 => {
            Fault::ExtraColumn { expected: "a row and a column, and no value below the header `pattern`", found }
        }
        Fault::ExtraColumn { found, .. } => Fault::ExtraColumn { expected: "a row, a column and a value", found },
        other => other,
    }
}

/// The line that begins at `start`.
pub(super) fn line_at(bytes: &[u8], start: usize) -> &[u8] {
    &bytes[start..scan::find_line_end(bytes, start)]
}
