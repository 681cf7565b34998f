//! Tables of edges as other libraries write them: the whole file, and shares of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use pleach_datasets::{Direction, Input, Options, Shared, read};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name)
}

fn refused(path: &Path) -> String {
    let why = read(path, &Options::default()).map(|input| input.edges.len()).unwrap_err().to_string();
    let shares = Shared::open(path, &Options::default()).and_then(|shared| all_of(&shared.unwrap(), 1));
    assert_eq!(shares.unwrap_err().to_string(), why);
    why
}

/// The arcs of all shares, with what their ends are called.
fn all_of(shared: &Shared, readers: usize) -> Result<Vec<String>, pleach_datasets::Error> {
    let mut arcs = Vec::new();
    for reader in 0..readers {
        let mut share = shared.share(reader, readers)?;
        if shared.named {
            while let Some(block) = share.next_named()? {
                let name = |at: u32| &block.names[at as usize];
                arcs.extend(block.arcs.iter().map(|&(src, dst, w)| format!("{}>{} {w}", name(src), name(dst))));
            }
        } else {
            while share.next(&mut |src, dst, w| arcs.push(format!("{src}>{dst} {w}")), &mut |_| ())? {}
        }
    }
    Ok(arcs)
}

/// The arcs of a file, which are those of its shares.
fn arcs(path: &Path) -> (Input, Vec<String>) {
    let input = read(path, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let weight = |k: usize| input.edges.weight().map_or(1.0, |weight| weight[k]);
    let ends = input.edges.src().iter().zip(input.edges.dst()).enumerate();
    let label = |vertex: u32| input.ids.label(vertex).to_string();
    let all: Vec<_> = ends.map(|(k, (&src, &dst))| format!("{}>{} {}", label(src), label(dst), weight(k))).collect();
    for readers in [1, 3] {
        let shared = Shared::open(path, &Options::default()).unwrap().unwrap();
        assert_eq!(shared.directed, input.directed);
        assert_eq!(all_of(&shared, readers).unwrap(), all, "{} by {readers}", path.display());
    }
    (input, all)
}

#[test]
fn arrow_files_of_polars_are_read() {
    for compression in ["uncompressed", "lz4", "zstd"] {
        let path = corpus(&format!("polars-{compression}.arrow"));
        assert_eq!(arcs(&path).1, ["ada>bob 0.5", "bob>cyd 2", "cyd>ada 1", "ada>cyd 4"], "{compression}");
        // Cut or damaged at any place, such a file is refused or read.
        let whole = std::fs::read(&path).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let damaged = folder.path().join("damaged.arrow");
        for at in (0..whole.len()).step_by(3) {
            std::fs::write(&damaged, &whole[..at]).unwrap();
            read(&damaged, &Options::default()).unwrap_err();
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            std::fs::write(&damaged, &bytes).unwrap();
            let whole = read(&damaged, &Options::default()).is_ok();
            let shared = Shared::open(&damaged, &Options::default()).map(|shared| all_of(&shared.unwrap(), 2));
            assert!(!whole || matches!(shared, Ok(Ok(_))), "byte {at}");
        }
    }
}

#[test]
fn dictionaries_of_numbers_are_ends() {
    assert_eq!(arcs(&corpus("dictionary.arrow")).1, ["7>8 1", "8>9 1", "7>9 1"]);
}

#[test]
fn what_cannot_be_read_is_named() {
    assert!(refused(&corpus("one.feather")).contains("is a Feather V1 file: expected Feather V2"));
    assert!(refused(&corpus("brotli.parquet")).contains("is compressed by Brotli: expected no compression"));
}

/// Two streams or a stream with something behind it are no table.
#[test]
fn nothing_follows_the_end_of_a_stream() {
    let ids = || Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("src", ids()), ("dst", ids())]).unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let bytes = writer.into_inner().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.arrows");
    std::fs::write(&path, [&bytes[..], &bytes[..]].concat()).unwrap();
    assert!(refused(&path).contains("it goes on behind its end"));
}

#[test]
fn the_column_type_of_gephi_says_the_direction() {
    let (input, all) = arcs(&corpus("gephi.parquet"));
    assert_eq!((input.directed, all.len()), (false, 2));
    assert_eq!(input.notes, ["not kept: `place.x` of edges"]);
    let keeping = Options::default().with_attributes(true);
    assert_eq!(
        read(corpus("gephi.parquet"), &keeping).unwrap().notes,
        ["not kept: `place.x` of edges (part of a struct)"]
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gephi.arrow");
    let write = |types: [Option<&str>; 3]| {
        let ids = || Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef;
        let types = Arc::new(StringArray::from(types.to_vec())) as ArrayRef;
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("Source", ids(), false),
            ("Target", ids(), false),
            ("type", types, true),
        ]);
        let batch = batch.unwrap();
        let mut writer = FileWriter::try_new(std::fs::File::create(&path).unwrap(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    };
    write([Some("undirected"); 3]);
    let (input, _) = arcs(&path);
    assert_eq!((input.directed, &input.notes), (false, &Vec::new()));
    write([Some("Directed"), Some("Undirected"), None]);
    let why = refused(&path);
    assert!(
        why.contains("row 2: expected Directed in the column `Type`") && why.contains("found `Undirected`"),
        "{why}"
    );
    let given = Options::default().with_direction(Direction::Directed);
    assert_eq!(read(&path, &given).unwrap().edges.len(), 3);
    write([Some("Directed"), None, None]);
    assert!(refused(&path).contains("row 2: expected Directed in the column `Type`"));
    // Other types are an attribute.
    write([Some("friend"), Some("Directed"), None]);
    assert_eq!(read(&path, &keeping).unwrap().attributes.edges.len(), 1);
    assert_eq!(arcs(&path).0.notes, ["not kept: `type` of edges"]);
}
