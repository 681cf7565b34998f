//! Batches of a file or stream of Arrow's IPC format, one at a time.
//!
//! ```text
//!   schema │ dictionary │ batch │ batch │ … │ end        a share is a range of batches: of the others only the heads are read
//! ```

use std::vec;

use super::arrow;
use super::arrow_messages::{Content, Decoder, Message, Messages};
use super::opened::Opened;
use super::share_table::{Kind, NextRows};
use super::table::Table;
use crate::error::Error;
use crate::input::Options;

/// A file, and where its messages are.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    file: Opened,
    options: Options,
    messages: Messages,
    pub(super) kind: Kind,
}

impl Batches {
    /// Reads the heads of all messages.
    pub(super) fn open(mut file: Opened, options: &Options) -> Result<Self, Error> {
        // Attributes stay in the file.
        let options = options.clone().with_attributes(false);
        let messages = Messages::of(&mut file)?;
        let table = arrow::open(&mut file, &messages, &options)?;
        let all = messages.rows();
        table.check_rows(usize::try_from(all).unwrap_or(usize::MAX))?;
        if all == 0 {
            return Err(Error::Empty { path: file.path().to_owned(), expected: "at least one edge" });
        }
        let kind = Kind::of(&table, arrow::is_named(&table, &messages.schema));
        Ok(Batches { file, options, messages, kind })
    }

    /// The batches of one reader: those whose first rows are in its part of all rows.
    pub(super) fn share(&self, reader: usize, readers: usize) -> Result<BatchShare, Error> {
        let all = self.messages.rows();
        let cut = |reader: usize| (u128::from(all) * reader as u128 / readers as u128) as u64;
        let mine = cut(reader)..cut(reader + 1);
        let (mut left, mut first) = (Vec::new(), 0);
        for &message in &self.messages.all {
            match message.content {
                Content::Batch(rows) => {
                    if mine.contains(&first) && rows > 0 {
                        left.push((message, first));
                    }
                    first += rows;
                }
                // Batches behind them need them, those of other readers too.
                Content::Dictionary if first < mine.end => left.push((message, first)),
                Content::Dictionary | Content::Other => {}
            }
        }
        let mut file = self.file.clone();
        let table = arrow::open(&mut file, &self.messages, &self.options)?;
        let decoder = Decoder::new(self.messages.schema.clone());
        Ok(BatchShare { file, decoder, left: left.into_iter(), table })
    }
}

/// Some batches of a file.
pub(super) struct BatchShare {
    file: Opened,
    decoder: Decoder,
    /// Batches and dictionaries that were not read, and how many rows precede them in the file.
    left: vec::IntoIter<(Message, u64)>,
    table: Table,
}

impl NextRows for BatchShare {
    fn table(&mut self) -> &mut Table {
        &mut self.table
    }

    fn advance(&mut self) -> Result<bool, Error> {
        for (message, before) in self.left.by_ref() {
            if let Some(batch) = self.decoder.decode(&mut self.file, message)? {
                self.table.behind(before);
                arrow::add(&mut self.table, &batch)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Float64Array, RecordBatch, UInt64Array};
    use arrow_ipc::writer::{FileWriter, StreamWriter};

    use super::*;
    use crate::read::share::Shared;

    /// Batches of so many rows: ids, or names of a dictionary that each batch has anew.
    fn batches(lengths: &[u64], named: bool) -> Vec<RecordBatch> {
        let mut first = 0;
        let batch = |&rows: &u64| {
            let column = |factor: u64| -> ArrayRef {
                let ids = (first..first + rows).map(|k| k * factor % 101);
                match named {
                    true => {
                        let names: Vec<String> = ids.map(|id| format!("v{id}")).collect();
                        Arc::new(names.iter().map(String::as_str).collect::<DictionaryArray<Int32Type>>())
                    }
                    false => Arc::new(UInt64Array::from_iter_values(ids)),
                }
            };
            let weights = Float64Array::from_iter_values((first..first + rows).map(|k| k as f64 / 4.0));
            let columns = [("src", column(7)), ("dst", column(13)), ("weight", Arc::new(weights) as ArrayRef)];
            first += rows;
            RecordBatch::try_from_iter(columns).unwrap()
        };
        lengths.iter().map(batch).collect()
    }

    fn write(path: &Path, batches: &[RecordBatch]) {
        let (file, schema) = (File::create(path).unwrap(), batches[0].schema());
        if path.extension().is_some_and(|ending| ending == "arrows") {
            let mut writer = StreamWriter::try_new(file, &schema).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        } else {
            let mut writer = FileWriter::try_new(file, &schema).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
    }

    /// All arcs by so many readers.
    fn read(path: &Path, readers: usize) -> Result<Vec<(u64, u64, f64)>, Error> {
        let shared = Shared::open(path, &Options::default())?.unwrap();
        let mut arcs = Vec::new();
        for reader in 0..readers {
            let mut share = shared.share(reader, readers)?;
            if shared.named {
                while let Some(block) = share.next_named()? {
                    let id = |at: u32| block.names[at as usize][1..].parse::<u64>().unwrap();
                    arcs.extend(block.arcs.iter().map(|&(src, dst, weight)| (id(src), id(dst), weight)));
                }
            } else {
                while share.next(&mut |src, dst, weight| arcs.push((src, dst, weight)), &mut |_| ())? {}
            }
        }
        Ok(arcs)
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn batches_are_read_by_many_each_once() {
        let folder = tempfile::tempdir().unwrap();
        for (name, named) in [("a.arrow", false), ("a.arrows", false), ("named.arrows", true)] {
            let path = folder.path().join(name);
            for lengths in [&[1000][..], &[10, 500, 1, 0, 1, 300, 20], &[3, 3, 3, 3]] {
                let all: u64 = lengths.iter().sum();
                write(&path, &batches(lengths, named));
                let expected: Vec<_> = (0..all).map(|k| (k * 7 % 101, k * 13 % 101, k as f64 / 4.0)).collect();
                for readers in [1, 2, 3, 9] {
                    assert!(read(&path, readers).unwrap() == expected, "{name}: {lengths:?} by {readers}");
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)]
    fn files_that_are_cut_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.arrow", "a.arrows"] {
            let path = folder.path().join(name);
            write(&path, &batches(&[40, 50], false));
            let bytes = fs::read(&path).unwrap();
            // The end of a stream may be missing.
            for len in (9..bytes.len() - 8).step_by(7) {
                fs::write(&path, &bytes[..len]).unwrap();
                let whole = crate::read(&path, &Options::default());
                let found = read(&path, 2);
                match whole {
                    Err(_) => assert!(found.is_err(), "{name} of {len} bytes"),
                    Ok(whole) => assert!(found.unwrap().len() == whole.edges.len(), "{name} of {len} bytes"),
                }
            }
            // A length that no file has.
            let begins = |four: &(usize, &[u8])| four.1 == [255; 4];
            let at = bytes.windows(4).enumerate().filter(begins).nth(1).unwrap().0 + 4;
            let mut longer = bytes.clone();
            longer[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes()[..]);
            fs::write(&path, &longer).unwrap();
            assert!(read(&path, 2).is_err(), "{name}");
        }
    }
}
