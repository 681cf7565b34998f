//! Row groups of a Parquet file, read one after the other.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::arcs::{AnyPart, Part};
use super::parquet::Groups;
use super::share::NamedArcs;
use crate::error::Error;
use crate::input::{Direction, Options};
use crate::scan::Id;

/// A file, and how many rows its groups have.
#[derive(Clone, Debug)]
pub(super) struct RowGroups {
    path: PathBuf,
    options: Options,
    rows: Vec<u64>,
    pub(super) declared: Option<Direction>,
    pub(super) weighted: bool,
    pub(super) named: bool,
}

impl RowGroups {
    /// Reads the metadata of a file.
    pub(super) fn open(path: &Path, options: &Options) -> Result<Self, Error> {
        // Attributes stay in the file.
        let options = options.clone().with_attributes(false);
        let groups = open(path, &options)?;
        let rows = groups.rows();
        if rows.iter().all(|&rows| rows == 0) {
            return Err(Error::Empty { path: path.to_owned(), expected: "at least one edge" });
        }
        let (declared, weighted) = (groups.table.declared(), groups.table.places.2.is_some());
        Ok(RowGroups { path: path.to_owned(), options, rows, declared, weighted, named: groups.is_named() })
    }

    /// The groups of one reader: those whose first rows are in its part of all rows.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<GroupShare, Error> {
        let all: u64 = self.rows.iter().sum();
        let cut = |reader: usize| {
            let begin = (u128::from(all) * reader as u128 / readers as u128) as u64;
            let firsts = self.rows.iter().scan(0, |next, rows| {
                *next += rows;
                Some(*next - rows)
            });
            firsts.take_while(|&first| first < begin).count()
        };
        let left = cut(reader)..if reader + 1 == readers { self.rows.len() } else { cut(reader + 1) };
        Ok(GroupShare { groups: open(&self.path, &self.options)?, rows: self.rows.clone(), left })
    }
}

fn open(path: &Path, options: &Options) -> Result<Groups<File>, Error> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let (size, file) = opened.map_err(|error| Error::io(path, error))?;
    Groups::open(path, usize::try_from(size).unwrap_or(usize::MAX), file, options)
}

/// Some row groups of a file.
pub(super) struct GroupShare {
    groups: Groups<File>,
    rows: Vec<u64>,
    /// Groups that were not read.
    left: Range<usize>,
}

impl GroupShare {
    /// Has the table hold the rows of the next group; whether there is one.
    fn advance(&mut self) -> Result<bool, Error> {
        let Some(group) = self.left.next() else { return Ok(false) };
        self.groups.table.behind(self.rows[..group].iter().sum());
        self.groups.add(group)?;
        Ok(true)
    }

    pub(super) fn next(&mut self, each: &mut dyn FnMut(u64, u64, f64)) -> Result<bool, Error> {
        let more = self.advance()?;
        for part in self.groups.table.take_parts() {
            match part {
                AnyPart::Narrow(part) => visit(&part, each),
                AnyPart::Wide(part) => visit(&part, each),
            }
        }
        Ok(more)
    }

    pub(super) fn next_named(&mut self) -> Result<Option<NamedArcs>, Error> {
        Ok(self.advance()?.then(|| self.groups.table.take_named()))
    }
}

fn visit<I: Id>(part: &Part<I>, each: &mut dyn FnMut(u64, u64, f64)) {
    let weights = part.weight.iter().copied().chain(std::iter::repeat(1.0));
    part.src.iter().zip(&part.dst).zip(weights).for_each(|((src, dst), weight)| each(src.wide(), dst.wide(), weight));
}

#[cfg(test)]
mod tests {
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
    fn groups_are_read_by_many_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges.parquet");
        for groups in [&[1000][..], &[10, 500, 1, 1, 300, 20], &[3, 3, 3, 3]] {
            let all: u64 = groups.iter().sum();
            write(&path, groups, false);
            let expected: Vec<_> = (0..all).map(|k| (k * 7 % 101, k * 13 % 101, k as f64 / 4.0)).collect();
            for readers in [1, 2, 3, 4, 9] {
                let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
                assert!(shared.weighted && shared.directed && !shared.mirrored && !shared.named);
                let mut arcs = Vec::new();
                for reader in 0..readers {
                    let mut share = shared.share(reader, readers).unwrap();
                    let mut before = arcs.len();
                    while share.next(&mut |src, dst, weight| arcs.push((src, dst, weight)), &mut |_| ()).unwrap() {
                        // A group at a time.
                        assert!(groups.contains(&((arcs.len() - before) as u64)));
                        before = arcs.len();
                    }
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
