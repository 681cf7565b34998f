//! Columns of a list of edges that are attributes: those with a heading of their own, and times.

use super::Extra;
use super::names::{fields, is_bare, name, trimmed, unquoted};
use super::pairs::Comments;
use crate::attributes::{Attribute, Attributes, Fields, Value, unlike};
use crate::columns::{Column, Columns};
use crate::source::{At, Text};

/// The places and names of the columns.
#[derive(Default)]
pub(super) struct Cells(Vec<(usize, String)>);

/// A column of one block, and whether any of its cells is quoted, and all are texts therefore.
pub(super) type Part = (Attribute, bool);

impl Cells {
    /// Those among the columns of a list; headings are empty if there are none, or other columns are meant.
    pub(super) fn of(columns: &Columns, headings: &[String]) -> Cells {
        let heading = |at: usize| headings.get(at).filter(|heading| !heading.is_empty()).cloned();
        let name = |(at, column): (usize, &Column)| match column {
            Column::Time => Some((at, heading(at).unwrap_or_else(|| "time".to_owned()))),
            Column::Other => Some((at, heading(at)?)),
            _ => None,
        };
        let mut cells: Vec<(usize, String)> = columns.as_slice().iter().enumerate().filter_map(name).collect();
        unlike(&mut cells);
        Cells(cells)
    }

    /// What one block has in these columns.
    pub(super) fn block(&self, text: Text<'_>, separator: u8, comments: Comments) -> Result<Vec<Part>, At> {
        let mut parts: Vec<Part> = self.0.iter().map(|(_, name)| (Attribute::new(name), false)).collect();
        if parts.is_empty() {
            return Ok(parts);
        }
        let mut row = 0;
        for (number, whole) in (0..).zip(text.as_bytes().split(|&byte| byte == b'\n')) {
            let line = trimmed(whole, separator);
            if is_bare(line, separator, comments) {
                continue;
            }
            let mut wanted = self.0.iter().zip(&mut parts).peekable();
            for (at, field) in fields(line, separator).enumerate() {
                let Some(((_, _), (column, quoted))) = wanted.next_if(|((place, _), _)| *place == at) else { continue };
                if field.is_empty() {
                    continue;
                }
                name(field, whole, number)?;
                *quoted |= field.starts_with(b"\"");
                column.set(row, Value::Text(&String::from_utf8_lossy(&unquoted(field))));
            }
            row += 1;
        }
        // Times would take much memory as texts.
        let narrow = |(column, quoted): Part| (if quoted { column } else { column.narrowed_to_integers() }, quoted);
        Ok(parts.into_iter().map(narrow).collect())
    }

    /// The columns of all blocks, which have `rows` edges each.
    pub(super) fn put_together(&self, blocks: Vec<Vec<Part>>, rows: impl Iterator<Item = usize>) -> Extra {
        let mut columns: Vec<Part> = self.0.iter().map(|(_, name)| (Attribute::new(name), false)).collect();
        let mut first = 0;
        for (block, rows) in blocks.into_iter().zip(rows) {
            for ((column, quoted), (part, part_quoted)) in columns.iter_mut().zip(block) {
                part.iter().for_each(|(row, value)| column.set(first + row, value));
                *quoted |= part_quoted;
            }
            first += rows;
        }
        let mut fields = Fields::default();
        for (column, quoted) in columns {
            fields.add(&if quoted { column } else { column.narrowed() });
        }
        let (edges, lost) = fields.finish("edges");
        Extra { attributes: Attributes { vertices: Vec::new(), edges }, lost }
    }
}
