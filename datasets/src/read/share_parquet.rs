//! Rows of a Parquet file, some of them at a time.
//!
//! ```text
//!   group 0: pages of src, of dst, of weight │ group 1: …        a share is a range of rows: pages before it are not decoded
//! ```

use std::collections::VecDeque;

use super::opened::Opened;
use super::parquet::{Groups, Rows};
use super::share_table::{Kind, NextRows};
use super::table::Table;
use crate::error::Error;
use crate::input::Options;

/// Rows that are held at a time.
const ROWS: usize = 1 << 18;

/// A file, and how many rows its groups have.
#[derive(Clone, Debug)]
pub(super) struct RowGroups {
    file: Opened,
    options: Options,
    rows: Vec<u64>,
    pub(super) kind: Kind,
}

impl RowGroups {
    /// Reads the metadata of a file.
    pub(super) fn open(file: Opened, options: &Options) -> Result<Self, Error> {
        // Attributes stay in the file.
        let options = options.clone().with_attributes(false);
        let groups = open(&file, &options)?;
        let rows = groups.rows();
        let all = rows.iter().fold(0, |all: u64, &rows| all.saturating_add(rows));
        groups.table.check_rows(usize::try_from(all).unwrap_or(usize::MAX))?;
        if all == 0 {
            return Err(Error::Empty { path: file.path().to_owned(), expected: "at least one edge" });
        }
        let kind = Kind::of(&groups.table, groups.is_named());
        Ok(RowGroups { file, options, rows, kind })
    }

    /// The rows of one reader.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<GroupShare, Error> {
        let all: u64 = self.rows.iter().sum();
        let cut = |reader: usize| (u128::from(all) * reader as u128 / readers as u128) as u64;
        let (begin, end) = (cut(reader), cut(reader + 1));
        let (mut left, mut first) = (VecDeque::new(), 0);
        for (group, &rows) in self.rows.iter().enumerate() {
            let behind = first + rows;
            let (from, to) = (begin.max(first), end.min(behind));
            if from < to {
                // Up to the end of a group, so that one of another length than it claims is noticed.
                let most = if to == behind { u64::MAX } else { to - from };
                left.push_back(Piece { group, from, skip: from - first, most });
            }
            first = behind;
        }
        Ok(GroupShare { groups: open(&self.file, &self.options)?, left, open: None })
    }
}

fn open(file: &Opened, options: &Options) -> Result<Groups<Opened>, Error> {
    let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
    Groups::open(file.path(), size, file.clone(), options)
}

/// Rows of a group.
#[derive(Clone, Copy)]
struct Piece {
    group: usize,
    /// The number of the first of them in the file.
    from: u64,
    /// Rows of the group before them.
    skip: u64,
    /// How many there are.
    most: u64,
}

/// Some rows of a file.
pub(super) struct GroupShare {
    groups: Groups<Opened>,
    left: VecDeque<Piece>,
    /// The rows that are being read, and how many of them are left.
    open: Option<(Rows, u64)>,
}

impl NextRows for GroupShare {
    fn table(&mut self) -> &mut Table {
        &mut self.groups.table
    }

    fn advance(&mut self) -> Result<bool, Error> {
        loop {
            if let Some((rows, left)) = &mut self.open {
                let most = usize::try_from(*left).unwrap_or(usize::MAX).min(ROWS);
                let count = rows.add_next(&mut self.groups.table, most)?;
                *left -= count as u64;
                if count > 0 {
                    return Ok(true);
                }
                self.open = None;
            }
            let Some(Piece { group, from, skip, most }) = self.left.pop_front() else { return Ok(false) };
            let mut rows = self.groups.rows_of(group)?;
            rows.skip(&self.groups.table, skip as usize)?;
            self.groups.table.behind(from);
            self.open = Some((rows, most));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::read::share::Shared;

    /// Rows in groups of these lengths, with names instead of ids if `named`.
    fn write(path: &Path, groups: &[u64], named: bool) {
        let (ends, text) = if named { ("BYTE_ARRAY", " (UTF8)") } else { ("INT64", "") };
        let columns = format!("REQUIRED {ends} src{text}; REQUIRED {ends} dst{text};");
        let schema = parse_message_type(&format!("message edges {{ {columns} REQUIRED DOUBLE weight; }}")).unwrap();
        let file = File::create(path).unwrap();
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::default()).unwrap();
        let mut next = 0;
        for rows in groups {
            let mut group = writer.next_row_group().unwrap();
            for factor in [7, 13] {
                let ids = (next..next + rows).map(|k| k * factor % 101);
                let mut column = group.next_column().unwrap().unwrap();
                if named {
                    let names: Vec<ByteArray> = ids.map(|id| format!("v{id}").as_str().into()).collect();
                    column.typed::<ByteArrayType>().write_batch(&names, None, None).unwrap();
                } else {
                    let ids: Vec<i64> = ids.map(|id| id as i64).collect();
                    column.typed::<Int64Type>().write_batch(&ids, None, None).unwrap();
                }
                column.close().unwrap();
            }
            let weights: Vec<f64> = (next..next + rows).map(|k| k as f64 / 4.0).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<DoubleType>().write_batch(&weights, None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
            next += rows;
        }
        writer.close().unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn rows_are_read_by_many_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges.parquet");
        for groups in [&[1000][..], &[10, 500, 1, 0, 1, 300, 20], &[3, 3, 3, 3], &[70_000, 300_000]] {
            let all: u64 = groups.iter().sum();
            write(&path, groups, false);
            let expected: Vec<_> = (0..all).map(|k| (k * 7 % 101, k * 13 % 101, k as f64 / 4.0)).collect();
            for readers in [1, 2, 3, 4, 9] {
                let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
                assert!(shared.weighted && shared.directed && !shared.mirrored && !shared.named);
                let mut arcs = Vec::new();
                for reader in 0..readers {
                    let mut share = shared.share(reader, readers).unwrap();
                    let before = arcs.len() as u64;
                    while share.next(&mut |src, dst, weight| arcs.push((src, dst, weight)), &mut |_| ()).unwrap() {}
                    // Equal shares, whatever the groups.
                    assert!((arcs.len() as u64 - before).abs_diff(all / readers as u64) <= 1);
                }
                assert!(arcs == expected, "{groups:?} by {readers}");
            }
            write(&path, groups, true);
            for readers in [1, 2, 4] {
                let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
                assert!(shared.named);
                let mut arcs = Vec::new();
                for reader in 0..readers {
                    let mut share = shared.share(reader, readers).unwrap();
                    while let Some(block) = share.next_named().unwrap() {
                        let id = |at: u32| block.names[at as usize][1..].parse::<u64>().unwrap();
                        arcs.extend(block.arcs.iter().map(|&(src, dst, weight)| (id(src), id(dst), weight)));
                    }
                }
                assert!(arcs == expected, "{groups:?} by {readers}, named");
            }
        }
    }
}
