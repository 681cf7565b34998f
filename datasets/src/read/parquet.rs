//! Parquet.

use std::path::Path;

use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;

use super::parquet_values;
use super::table::{DIRECTED, Ends, Table, Weighed};
use super::{Raw, edge_type};
use crate::error::Error;
use crate::input::{Direction, Format, Options};

pub(super) fn read(path: &Path, bytes: Vec<u8>, options: &Options) -> Result<Raw, Error> {
    let mut groups = Groups::open(path, bytes.len(), Bytes::from(bytes), options)?;
    for group in 0..groups.len() {
        groups.add(group)?;
    }
    groups.table.into_raw()
}

/// A file whose columns are known, of which row groups are read.
pub(super) struct Groups<R: ChunkReader> {
    reader: SerializedFileReader<R>,
    pub(super) table: Table,
}

impl<R: ChunkReader + 'static> Groups<R> {
    /// Reads the metadata of a file of so many bytes.
    pub(super) fn open(path: &Path, size: usize, bytes: R, options: &Options) -> Result<Self, Error> {
        let reader = Table::caught(path, Format::Parquet, || SerializedFileReader::new(bytes))?;
        let file = reader.metadata().file_metadata();
        let pairs = file.key_value_metadata().into_iter().flatten();
        let directed = pairs.into_iter().find(|pair| pair.key == DIRECTED).and_then(|pair| pair.value.as_deref());
        let columns = file.schema_descr().columns();
        // Columns of columns have the name of the whole path.
        let names: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut table = Table::new(path, Format::Parquet, size, &names, directed, options)?;
        let (src, dst, weight) = table.places;
        for at in [Some(src), Some(dst), weight].into_iter().flatten() {
            if columns[at].max_rep_level() > 0 || columns[at].max_def_level() > 1 {
                return Err(table.error(format!("has lists in the column `{}`: expected one value a row", names[at])));
            }
        }
        for at in [src, dst].into_iter().chain(weight) {
            let column = &columns[at];
            let decimal = matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }));
            if decimal || column.converted_type() == ConvertedType::DECIMAL {
                return Err(table.error(format!(
                    "has decimals in the column `{}`: expected whole numbers, floating-point numbers or texts",
                    names[at]
                )));
            }
        }
        for (at, name) in table.others.clone() {
            parquet_values::unknown(&columns[at]).into_iter().for_each(|kind| table.lose(at, &name, kind));
        }
        for column in reader.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns) {
            let kind = match column.compression() {
                Compression::BROTLI(_) => "Brotli",
                Compression::LZO => "LZO",
                _ => continue,
            };
            let known = "no compression, Snappy, gzip, Zstandard or LZ4";
            return Err(table.error(format!("is compressed by {kind}: expected {known}")));
        }
        let mut groups = Groups { reader, table };
        groups.find_type()?;
        Ok(groups)
    }

    /// Looks at what the first edge has in a column that may be Gephi's `Type`.
    fn find_type(&mut self) -> Result<(), Error> {
        let Some(at) = self.table.place_of_type() else { return Ok(()) };
        let column = self.column(at);
        let is_text = column.physical_type() == Type::BYTE_ARRAY && column.max_rep_level() == 0;
        let first_group = self.rows().iter().position(|&rows| rows > 0).filter(|_| is_text);
        let mut first = Vec::new();
        if let Some(group) = first_group
            && let (ColumnReader::ByteArrayColumnReader(mut reader), _, gaps) = self.open_column(group, at)?
        {
            let mut levels = Vec::new();
            self.table.decode(|| reader.read_records(1, gaps.then_some(&mut levels), None, &mut first))?;
        }
        let text = first.first().and_then(|text| text.as_utf8().ok());
        self.table.take_type(text);
        Ok(())
    }

    fn column(&self, at: usize) -> &ColumnDescPtr {
        &self.reader.metadata().file_metadata().schema_descr().columns()[at]
    }

    /// The number of row groups.
    pub(super) fn len(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// How many rows each group has: as many as its sources, which is what [`add`](Self::add) reads.
    pub(super) fn rows(&self) -> Vec<u64> {
        let of = |group: &RowGroupMetaData| group.columns().get(self.table.places.0).map(|column| column.num_values());
        let groups = self.reader.metadata().row_groups().iter();
        groups.map(|group| of(group).and_then(|rows| u64::try_from(rows).ok()).unwrap_or(0)).collect()
    }

    /// Whether the column of sources has texts.
    pub(super) fn is_named(&self) -> bool {
        let columns = self.reader.metadata().file_metadata().schema_descr().columns();
        columns[self.table.places.0].physical_type() == Type::BYTE_ARRAY
    }

    /// Adds the rows of a group to the table.
    pub(super) fn add(&mut self, group: usize) -> Result<(), Error> {
        let mut rows = self.rows_of(group)?;
        let columns = self.reader.metadata().file_metadata().schema_descr().columns();
        for (at, name) in self.table.others.clone() {
            let open = self.open_column(group, at)?;
            parquet_values::set_all(&mut self.table, &name, &columns[at], open)?;
        }
        rows.add_next(&mut self.table, usize::MAX).map(|_| ())
    }

    /// The rows of a group.
    pub(super) fn rows_of(&self, group: usize) -> Result<Rows, Error> {
        let (src, dst, weight) = self.table.places;
        let open = |at| self.open_column(group, at);
        let kind = self.table.checked_type().map(|(at, direction)| Ok::<_, Error>((open(at)?, direction)));
        Ok(Rows { src: open(src)?, dst: open(dst)?, weight: weight.map(open).transpose()?, kind: kind.transpose()? })
    }

    fn open_column(&self, group: usize, at: usize) -> Result<Open, Error> {
        let columns = self.reader.metadata().file_metadata().schema_descr().columns();
        let unsigned = matches!(
            columns[at].converted_type(),
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        );
        let gaps = columns[at].max_def_level() > 0;
        let rows = self.table.decode(|| self.reader.get_row_group(group))?;
        let pages = self.table.decode(|| rows.get_column_page_reader(at))?;
        let reader = get_column_reader(columns[at].clone(), Box::new(CheckedPages(pages)));
        Ok((reader, unsigned, gaps))
    }
}

/// Rows of a group, read one after the other.
pub(super) struct Rows {
    src: Open,
    dst: Open,
    weight: Option<Open>,
    /// Gephi's column `Type`, and what it must say.
    kind: Option<(Open, Direction)>,
}

impl Rows {
    /// Leaves out so many rows.
    pub(super) fn skip(&mut self, table: &Table, rows: usize) -> Result<(), Error> {
        let kind = self.kind.as_mut().map(|(column, _)| column);
        let columns = [Some(&mut self.src), Some(&mut self.dst), self.weight.as_mut(), kind];
        columns.into_iter().flatten().try_for_each(|column| skip(table, column, rows))
    }

    /// Adds the next rows to a table, at most so many; how many there were.
    pub(super) fn add_next(&mut self, table: &mut Table, most: usize) -> Result<usize, Error> {
        let (src, dst) = (ends(table, &mut self.src, most)?, ends(table, &mut self.dst, most)?);
        let weight = self.weight.as_mut().map(|open| weights(table, open, most)).transpose()?;
        let count = src.len();
        if let Some(((ColumnReader::ByteArrayColumnReader(reader), _, gaps), direction)) = &mut self.kind {
            let expected = "`Directed` or `Undirected` in the column `Type`";
            for (row, text) in values(table, reader, *gaps, most, expected)?.iter().enumerate() {
                edge_type::check(text.data(), *direction).map_err(|fault| table.error_at(row, fault))?;
            }
        }
        table.add(src, dst, weight).map(|()| count)
    }
}

/// The pages of a column. A dictionary that claims more values than its bytes can hold is refused: its reader takes the memory for them
/// before it reads them.
struct CheckedPages(Box<dyn PageReader>);

impl CheckedPages {
    fn check(page: Option<Page>) -> Result<Option<Page>, ParquetError> {
        match page {
            // Of the types of ends and weights, none takes less than four bytes a value.
            Some(Page::DictionaryPage { ref buf, num_values, .. }) if num_values as usize > buf.len() / 4 => {
                Err(ParquetError::General("a dictionary claims more values than its bytes can hold".to_owned()))
            }
            page => Ok(page),
        }
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        self.0.get_next_page().and_then(CheckedPages::check)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0.skip_next_page()
    }
}

/// Rows that are decoded at a time.
pub(super) const ROWS: usize = 1 << 16;

/// A column, whether its numbers have no sign, and whether it may have gaps.
pub(super) type Open = (ColumnReader, bool, bool);

/// What is expected in each row.
const WHOLE: &str = "both ends and the weight, where there is a column of weights";

/// The next values of a column, at most so many, among which there must be no gap.
fn values<T: DataType>(
    table: &Table,
    reader: &mut ColumnReaderImpl<T>,
    gaps: bool,
    most: usize,
    expected: &str,
) -> Result<Vec<T::T>, Error> {
    let (mut all, mut levels) = (Vec::new(), Vec::new());
    while all.len() < most {
        levels.clear();
        let before = all.len();
        let count = ROWS.min(most - before);
        let read = table.decode(|| reader.read_records(count, gaps.then_some(&mut levels), None, &mut all))?;
        if let Some(row) = levels.iter().position(|&level| level == 0) {
            return Err(table.error_at(before + row, format_args!("expected {expected}, found nothing")));
        }
        if read.0 == 0 {
            break;
        }
        table.check_rows(all.len())?;
    }
    Ok(all)
}

fn skip(table: &Table, (reader, ..): &mut Open, rows: usize) -> Result<(), Error> {
    let skipped = match reader {
        ColumnReader::Int32ColumnReader(reader) => table.decode(|| reader.skip_records(rows)),
        ColumnReader::Int64ColumnReader(reader) => table.decode(|| reader.skip_records(rows)),
        ColumnReader::ByteArrayColumnReader(reader) => table.decode(|| reader.skip_records(rows)),
        ColumnReader::DoubleColumnReader(reader) => table.decode(|| reader.skip_records(rows)),
        ColumnReader::FloatColumnReader(reader) => table.decode(|| reader.skip_records(rows)),
        // Such ends and weights are refused when they are read.
        _ => Ok(rows),
    }?;
    match skipped == rows {
        true => Ok(()),
        false => Err(table.error("has columns of different lengths")),
    }
}

fn ends(table: &Table, (reader, unsigned, gaps): &mut Open, most: usize) -> Result<Ends, Error> {
    let of = |ids: Result<Vec<u64>, Error>| ids.map(Ends::Ids);
    match reader {
        ColumnReader::Int32ColumnReader(reader) => {
            let all = values(table, reader, *gaps, most, WHOLE)?.into_iter().enumerate();
            of(all.map(|(row, id)| if *unsigned { Ok(u64::from(id as u32)) } else { table.id(row, id) }).collect())
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let all = values(table, reader, *gaps, most, WHOLE)?.into_iter().enumerate();
            of(all.map(|(row, id)| if *unsigned { Ok(id as u64) } else { table.id(row, id) }).collect())
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            let all = values(table, reader, *gaps, most, WHOLE)?.into_iter().enumerate();
            let name = |(row, text): (usize, parquet::data_type::ByteArray)| {
                let text = text.as_utf8().map_err(|_: ParquetError| table.error_at(row, "expected a name in UTF-8"))?;
                table.name(row, text)
            };
            all.map(name).collect::<Result<_, Error>>().map(Ends::Names)
        }
        _ => Err(table.error("has ends that are neither whole numbers nor texts")),
    }
}

fn weights(table: &Table, (reader, unsigned, gaps): &mut Open, most: usize) -> Result<Weighed, Error> {
    let (unsigned, gaps) = (*unsigned, *gaps);
    Ok(match reader {
        ColumnReader::DoubleColumnReader(reader) => Weighed::of_real(values(table, reader, gaps, most, WHOLE)?),
        ColumnReader::FloatColumnReader(reader) => {
            Weighed::of_real(values(table, reader, gaps, most, WHOLE)?.into_iter().map(f64::from).collect())
        }
        ColumnReader::Int32ColumnReader(reader) => {
            let all = values(table, reader, gaps, most, WHOLE)?.into_iter();
            Weighed::of_whole(all.map(|weight| if unsigned { i64::from(weight as u32) } else { i64::from(weight) }))
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let all = values(table, reader, gaps, most, WHOLE)?.into_iter();
            Weighed::of_whole(all.map(|weight| if unsigned { i128::from(weight as u64) } else { i128::from(weight) }))
        }
        _ => return Err(table.error("has weights that are no numbers")),
    })
}
