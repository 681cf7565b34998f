//! Tables of edges in Arrow's IPC format and in Parquet, by these writers and readers and by those of other libraries.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int16Type;
use arrow_array::{
    ArrayRef, Date32Array, DictionaryArray, Float32Array, Float64Array, Int16Array, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, StringViewArray, TimestampMillisecondArray, UInt8Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::ArrowError;
use pleach_datasets::{Format, Input, Label, Options, Value, open, read, write};

/// What both ends are called, and the weight.
type NamedEdge = (String, String, f64);

/// The edges of a graph as a sorted list of labels and weights.
fn edges(input: &Input) -> Vec<NamedEdge> {
    let (src, dst) = (input.edges.src(), input.edges.dst());
    let label = |vertex: u32| input.ids.label(vertex).to_string();
    let weight = |k: usize| input.edges.weight().map_or(1.0, |weight| weight[k]);
    let mut all: Vec<_> = (0..src.len()).map(|k| (label(src[k]), label(dst[k]), weight(k))).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    // Undirected, with weights, with names, and more than one batch of rows.
    for name in ["karate", "dijkstra", "florentine", "rmat:13"] {
        let graph = open(name, &Options::default()).unwrap();
        for ending in ["parquet", "arrow", "feather", "arrows", "parquet.gz", "arrow.zst"] {
            let path = folder.path().join(format!("graph.{ending}"));
            write(&graph, &path).unwrap();
            let again = read(&path, &Options::default()).unwrap();
            let format = if ending.starts_with("parquet") { Format::Parquet } else { Format::Arrow };
            assert_eq!((again.format, again.directed), (format, graph.directed), "{name}.{ending}");
            assert_eq!(again.edges.is_weighted(), graph.edges.is_weighted(), "{name}.{ending}");
            assert!(edges(&again) == edges(&graph), "{name}.{ending}");
        }
    }
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Writes a table, as a stream if its name says so.
fn put(path: &Path, batches: &[RecordBatch]) -> Result<(), ArrowError> {
    let file = std::fs::File::create(path)?;
    let schema = batches[0].schema();
    if path.extension().is_some_and(|ending| ending == "arrows") {
        let mut writer = StreamWriter::try_new(file, &schema)?;
        batches.iter().try_for_each(|batch| writer.write(batch))?;
        return writer.finish();
    }
    let mut writer = FileWriter::try_new(file, &schema)?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()
}

fn found(path: &Path, columns: &str) -> Result<(Vec<NamedEdge>, Vec<String>), String> {
    let columns = (!columns.is_empty()).then(|| columns.parse().unwrap());
    let input = read(path, &Options::default().with_columns(columns)).map_err(|error| error.to_string())?;
    Ok((edges(&input), input.notes))
}

fn edge(src: &str, dst: &str, weight: f64) -> NamedEdge {
    (src.to_owned(), dst.to_owned(), weight)
}

#[test]
fn columns_of_many_types_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let of = |src: ArrayRef, dst: ArrayRef, weight: ArrayRef| {
        batch(vec![("source", src), ("target", dst), ("weight", weight)])
    };
    let numbers = of(
        Arc::new(Int32Array::from(vec![1, 700])),
        Arc::new(UInt8Array::from(vec![200, 3])),
        Arc::new(Float32Array::from(vec![0.5, 2.0])),
    );
    for name in ["a.arrow", "a.arrows"] {
        put(&path(name), &[numbers.clone(), numbers.clone()]).unwrap();
        let (edges, notes) = found(&path(name), "").unwrap();
        assert_eq!(edges, [edge("1", "200", 0.5), edge("1", "200", 0.5), edge("700", "3", 2.0), edge("700", "3", 2.0)]);
        assert!(notes.is_empty());
    }
    let dictionary: DictionaryArray<Int16Type> = vec!["ada", "bob"].into_iter().collect();
    let names = batch(vec![
        ("since", Arc::new(Int64Array::from(vec![1999, 2001]))),
        ("from", Arc::new(dictionary)),
        ("to", Arc::new(StringViewArray::from(vec!["bob", "7"]))),
    ]);
    put(&path("n.feather"), &[names]).unwrap();
    let (edges, notes) = found(&path("n.feather"), "").unwrap();
    assert_eq!(edges, [edge("ada", "bob", 1.0), edge("bob", "7", 1.0)]);
    assert_eq!(notes, ["not kept: `since` of edges"]);
    let (edges, _) = found(&path("n.feather"), "weight,src,dst").unwrap();
    assert_eq!(edges, [edge("ada", "bob", 1999.0), edge("bob", "7", 2001.0)]);
    let input = read(path("n.feather"), &Options::default()).unwrap();
    assert_eq!((input.ids.label(0), input.ids.has_names()), (Label::Name("7"), true));
}

/// A filtered table keeps the dictionary of the whole table, as pandas does with categories.
#[test]
fn whole_weights_that_are_rounded_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrow");
    let whole = |number: i64| -> ArrayRef { Arc::new(Int64Array::from(vec![number])) };
    let real: ArrayRef = Arc::new(Float64Array::from(vec![1e20]));
    for (weights, rounded) in [(whole(-(1 << 53) - 1), true), (whole(1 << 60), false), (real, false)] {
        put(&path, &[batch(vec![("src", whole(1)), ("dst", whole(2)), ("weight", weights)])]).unwrap();
        let notes = read(&path, &Options::default()).unwrap().notes;
        assert_eq!(notes.iter().any(|note| note.contains("whole weights of 2^53 and more were rounded")), rounded);
    }
}

#[test]
fn names_that_no_row_has_are_no_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.arrow");
    let all: DictionaryArray<Int16Type> = vec!["ada", "bob", "cyd", "dan", "eve"].into_iter().collect();
    let ends = |keys: Vec<i16>| -> ArrayRef {
        Arc::new(DictionaryArray::<Int16Type>::new(Int16Array::from(keys), all.values().clone()))
    };
    put(&path, &[batch(vec![("src", ends(vec![1, 3])), ("dst", ends(vec![3, 0]))])]).unwrap();
    let input = read(&path, &Options::default()).unwrap();
    assert_eq!(edges(&input), [edge("bob", "dan", 1.0), edge("dan", "ada", 1.0)]);
    assert_eq!(input.ids.labels().collect::<Vec<_>>(), ["ada", "bob", "dan"].map(Label::Name));
}

#[test]
fn dates_and_times_are_kept_as_texts() {
    let folder = tempfile::tempdir().unwrap();
    let ids = |all: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(all)) };
    let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(11_016), None]));
    let times = TimestampMillisecondArray::from(vec![1_600_000_000_120, -1]);
    let zoned: ArrayRef = Arc::new(times.clone().with_timezone("UTC"));
    let columns =
        vec![("src", ids(vec![1, 2])), ("dst", ids(vec![2, 3])), ("day", days), ("at", zoned), ("t", Arc::new(times))];
    put(&folder.path().join("d.arrow"), &[batch(columns)]).unwrap();
    let expected = [
        [Some("2000-02-29"), None],
        [Some("2020-09-13T12:26:40.12Z"), Some("1969-12-31T23:59:59.999Z")],
        [Some("2020-09-13T12:26:40.12"), Some("1969-12-31T23:59:59.999")],
    ];
    let read = |name: &str| read(folder.path().join(name), &Options::default().with_attributes(true)).unwrap();
    for name in ["d.arrow", "e.csv", "e.parquet"] {
        let input = read(name);
        for (column, texts) in input.attributes.edges.iter().zip(expected) {
            assert_eq!([0, 1].map(|row| column.get(row)), texts.map(|text| text.map(Value::Text)), "{name}");
        }
        assert_eq!(input.attributes.edges.len(), 3, "{name}");
        ["e.csv", "e.parquet"].iter().for_each(|to| write(&input, folder.path().join(to)).unwrap());
    }
}

#[test]
fn what_is_no_table_of_edges_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |columns: Vec<(&str, ArrayRef)>, options: &str, expected: &str| {
        let path = folder.path().join("t.arrow");
        put(&path, &[batch(columns)]).unwrap();
        let message = found(&path, options).unwrap_err();
        assert!(message.contains("t.arrow: ") && message.contains(expected), "{message}");
    };
    let ids = |all: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(all)) };
    let two = || ids(vec![1, 2]);
    refused(vec![("a", two()), ("b", two())], "", "expected columns called src and dst");
    refused(vec![("src", two())], "src,dst", "fewer than --columns names");
    refused(vec![("src", two()), ("dst", ids(vec![1, -2]))], "", "row 2: expected an id of 0 or more, found -2");
    let gap: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    refused(vec![("src", two()), ("dst", gap)], "", "row 2: expected both ends");
    let text: ArrayRef = Arc::new(LargeStringArray::from(vec!["a", "b"]));
    refused(vec![("src", two()), ("dst", text.clone())], "", "by numbers and targets by names");
    refused(vec![("src", two()), ("dst", two()), ("weight", text)], "", "weights of type LargeUtf8");
    let infinite: ArrayRef = Arc::new(Float32Array::from(vec![1.0, f32::INFINITY]));
    refused(vec![("src", two()), ("dst", two()), ("w", infinite)], "", "row 2: expected a finite weight");
    // Where weights are left out, they do not matter.
    let unweighted = Options::default().with_weights(pleach_datasets::Weights::Ignore);
    assert_eq!(read(folder.path().join("t.arrow"), &unweighted).unwrap().edges.len(), 2);
    let real: ArrayRef = Arc::new(Float32Array::from(vec![1.0, 2.0]));
    refused(vec![("src", real), ("dst", two())], "", "ends of type Float32");
    let none = ids(Vec::new());
    refused(vec![("src", none.clone()), ("dst", none)], "", "at least one edge");
}

#[test]
fn compressed_buffers_are_read_and_their_lengths_are_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let ids = |by: i64| -> ArrayRef { Arc::new(Int64Array::from((0..1000).map(|k| k / by).collect::<Vec<i64>>())) };
    let rows = batch(vec![("src", ids(100)), ("dst", ids(1))]);
    for (kind, name) in [(CompressionType::ZSTD, "z.arrow"), (CompressionType::LZ4_FRAME, "l.arrow")] {
        let path = folder.path().join(name);
        let options = IpcWriteOptions::default().try_with_compression(Some(kind)).unwrap();
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &rows.schema(), options).unwrap();
        writer.write(&rows).unwrap();
        let bytes = writer.into_inner().unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let (edges, _) = found(&path, "").unwrap();
        assert_eq!((edges.len(), &edges[999]), (1000, &edge("9", "999", 1.0)));
        // 8000 bytes each, say the buffers; here they say more than there is memory.
        let mut lie = bytes.clone();
        let lengths: Vec<usize> = (0..lie.len() - 8).filter(|&at| lie[at..at + 8] == 8000_i64.to_le_bytes()).collect();
        assert_eq!(lengths.len(), 2, "{name}");
        lengths.iter().for_each(|&at| lie[at..at + 8].copy_from_slice(&(1_i64 << 50).to_le_bytes()));
        std::fs::write(&path, &lie).unwrap();
        assert!(found(&path, "").unwrap_err().contains("claims more than its bytes can hold"), "{name}");
    }
}

#[test]
fn files_that_are_cut_or_damaged_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open("karate", &Options::default()).unwrap();
    for ending in ["parquet", "arrow"] {
        let path = folder.path().join(format!("g.{ending}"));
        write(&graph, &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for length in (0..bytes.len()).step_by(7) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            read(&path, &Options::default()).unwrap_err();
        }
    }
}
