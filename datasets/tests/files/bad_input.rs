//! Every kind of bad file gives one clear error that names the place and what would be right.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use pleach_datasets::{Error, Fault, Format, Options, open, read};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn put(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn gz(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn fails(path: &Path) -> Error {
    read(path, &Options::default()).expect_err("a bad file was read")
}

/// Reads `content` as a file called `name` and compares the place and the message.
#[track_caller]
fn check(name: &str, content: &str, line: u64, column: usize, message: &str) {
    for (name, bytes) in
        [(name.to_owned(), content.as_bytes().to_vec()), (format!("{name}.gz"), gz(content.as_bytes()))]
    {
        let folder = folder();
        let path = put(&folder, &name, bytes);
        let error = fails(&path);
        assert!(matches!(error, Error::Malformed { .. }), "{error:?}");
        let expected = format!("{}:{line}:{column}: {message}", path.display());
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn edge_lists() {
    check("a.tsv", "1\t2\n3\t-4\n", 2, 3, "expected a vertex id of 0 or more, found the negative `-4`");
    check("a.tsv", "-1\t2\n", 1, 1, "expected a vertex id of 0 or more, found the negative `-1`");
    check(
        "a.tsv",
        "1 18446744073709551616\n",
        1,
        3,
        "expected a vertex id of at most 18446744073709551615, found `18446744073709551616`",
    );
    check("a.tsv", "1 2 0.5\n2 3 nan\n", 2, 5, "expected a finite number, found `nan`");
    check("a.tsv", "1 2 1e999\n", 1, 5, "expected a finite number, found `1e999`");
    check("a.tsv", "1 2 0.5\n2 3 x\n", 2, 5, "expected a number, found `x`");
    check("a.tsv", "# c\n1 2\n\n3\n", 4, 2, "expected a second vertex id, found the end of the line");
    check("a.tsv", "1 2 3\n4 5\n", 2, 4, "expected a weight, found the end of the line");
    check("a.tsv", "1 2\n4 5 6\n", 2, 5, "expected 2 columns as in the lines before, found more: `6`");
    check("a.tsv", "1 2 3\n4 5 6 7\n", 2, 7, "expected 3 columns as in the lines before, found more: `7`");
    let columns = "expected 2 to 4 columns (src dst weight time), or a line of names above them, found more: `5`";
    check("a.tsv", "1 2 3 4 5\n", 1, 9, columns);
    check("a.tsv", "1 2 3 4\n1 2 3 x\n", 2, 7, "expected a time (a number), found `x`");
    check("a.tsv", "1 2 3 4\n1 2 3\n", 2, 6, "expected a time, found the end of the line");
    check(
        "out.a",
        "% asym dynamic\n1 2 1 10\n",
        2,
        1,
        "expected a list of edges, found one of updates, which insert and delete: `pleach stream empty --updates FILE` applies them",
    );
    let names = "expected a vertex id (a whole number), or --format names where vertices have names, found `hello`";
    check("a.txt", "hello world\n", 1, 1, names);
    check("a.txt", "hello 1\n", 1, 1, "expected a vertex id (a whole number), found `hello`");
    check("a.csv", "from,to\n1,2\nx,3\n", 3, 1, "expected a vertex id (a whole number), found `x`");
    check("a.csv", "1,2\n3 4\n", 2, 3, "expected a comma between columns, found `4`");
    check("a.csv", "1,2\n3,\n", 2, 3, "expected a vertex id, found the end of the line");
    check("a.el", "1 2\n1.5 2\n", 2, 1, "expected a vertex id (a whole number), found `1.5`");
}

#[test]
fn matrices() {
    let general = "%%MatrixMarket matrix coordinate real general\n";
    check("a.mtx", "1 2 3\n", 1, 1, "expected the banner `%%MatrixMarket`, found `1`");
    check(
        "a.mtx",
        "%%MatrixMarket tensor coordinate real general\n",
        1,
        16,
        "expected the object `matrix`, found `tensor`",
    );
    check(
        "a.mtx",
        "%%MatrixMarket matrix coordinate real\n",
        1,
        38,
        "expected `general`, `symmetric` or `skew-symmetric`, found nothing",
    );
    check(
        "a.mtx",
        "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 0 0\n",
        1,
        34,
        "complex matrices are not supported: expected real, integer or pattern",
    );
    check(
        "a.mtx",
        "%%MatrixMarket matrix array real hermitian\n1 1\n1\n",
        1,
        34,
        "hermitian matrices are not supported: expected general, symmetric or skew-symmetric",
    );
    check(
        "a.mtx",
        &format!("{general}% c\n2 2\n1 1 1\n"),
        3,
        1,
        "expected the sizes: rows, columns and entries, found `2 2`",
    );
    check("a.mtx", general, 1, 1, "expected the sizes: rows, columns and entries, found nothing");
    check("a.mtx", &format!("{general}2 2 2\n1 1 1\n"), 3, 1, "expected 2 entries as the header says, found only 1");
    check("a.mtx", &format!("{general}2 2 1\n1 1 1\n2 2 1\n"), 4, 1, "expected 1 entry as the header says, found more");
    check("a.mtx", &format!("{general}2 2 1\n3 1 1\n"), 3, 1, "expected a row between 1 and 2, found 3");
    check("a.mtx", &format!("{general}2 2 1\n1 0 1\n"), 3, 3, "expected a column between 1 and 2, found 0");
    check("a.mtx", &format!("{general}2 2 1\n1 1 nan\n"), 3, 5, "expected a finite number, found `nan`");
    check("a.mtx", &format!("{general}2 2 1\n1 1\n"), 3, 4, "expected a value, found the end of the line");
    check("a.mtx", &format!("{general}2 2 1\n1\n"), 3, 2, "expected a column, found the end of the line");
    check("a.mtx", &format!("{general}2 3 1\n1 x 1\n"), 3, 3, "expected a column between 1 and 3, found `x`");
    check("a.mtx", &format!("{general}2 3 1\n-1 2 1\n"), 3, 1, "expected a row between 1 and 2, found `-1`");
    check("a.mtx", &format!("{general}2 3 1\n1.5 2 1\n"), 3, 1, "expected a row between 1 and 2, found `1.5`");
    let huge = "18446744073709551616";
    let line = format!("{general}2 3 1\n1 {huge} 1\n");
    check("a.mtx", &line, 3, 3, &format!("expected a column between 1 and 3, found `{huge}`"));
    let more = "expected a row, a column and a value, found more: `4`";
    check("a.mtx", &format!("{general}2 3 1\n1 2 3 4\n"), 3, 7, more);
    check(
        "a.mtx",
        "%%MatrixMarket matrix coordinate pattern symmetric\n2 3 0\n",
        2,
        1,
        "expected as many rows as columns in a symmetric matrix, found 2 and 3",
    );
    check(
        "a.mtx",
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
        5,
        1,
        "expected 4 entries as the header says, found only 3",
    );
    check(
        "a.mtx",
        "%%MatrixMarket matrix array real general\n2 1\n1 2\n",
        3,
        3,
        "expected one value a line, found more: `2`",
    );
}

#[test]
fn matrices_list_one_triangle() {
    let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n";
    let one = "expected entries of one triangle: each stands for its mirror image, too, found";
    check(
        "a.mtx",
        &format!("{symmetric}1 1 7\n2 1 5\n\n% here\n1 2 5\n3 2 1\n"),
        8,
        1,
        &format!("{one} row 1 and column 2"),
    );
    check("a.mtx", &format!("{symmetric}1 2 5\n2 3 5\n3 3 5\n3 1 5\n"), 7, 1, &format!("{one} row 3 and column 1"));
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n";
    let one =
        "expected entries of one triangle, without the diagonal: each stands for its mirror image, too, found row";
    check("a.mtx", &format!("{skew}2 1 5\n1 2 -5\n"), 4, 1, &format!("{one} 1 and column 2"));
    check("a.mtx", &format!("{skew}2 1 5\n2 2 1\n"), 4, 1, &format!("{one} 2 and column 2"));
    check("a.mtx", &format!("{skew}3 3 0\n2 1 5\n"), 3, 1, &format!("{one} 3 and column 3"));
    // Either triangle is accepted, because other programs write the upper one.
    let folder = folder();
    let path = put(&folder, "upper.mtx", format!("{symmetric}1 2 5\n1 3 6\n2 2 1\n2 3 7\n"));
    let upper = read(&path, &Options::default()).unwrap();
    assert_eq!((upper.edges.len(), upper.mirrored), (4, true));
}

const BANNER: &str = "%%MatrixMarket matrix coordinate pattern general\n";

#[test]
fn a_size_line_may_claim_anything() {
    let folder = folder();
    let path = put(&folder, "a.mtx", format!("{BANNER}5 5 1000000000000000000\n1 2\n"));
    assert_eq!(
        fails(&path).to_string(),
        format!("{}:3:1: expected 1000000000000000000 entries as the header says, found only 1", path.display())
    );
    let path = put(&folder, "b.mtx", format!("{BANNER}1000000000000000000 5 1\n1 2\n"));
    assert!(matches!(fails(&path), Error::TooManyVertices { vertices: 1_000_000_000_000_000_000, .. }));
    let path = put(&folder, "c.mtx", "%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n");
    assert!(matches!(fails(&path), Error::Malformed { fault: Fault::TooFewEntries { .. }, .. }));
    let path = put(&folder, "d.mtx", "%%MatrixMarket matrix array real general\n0 1000000\n");
    assert_eq!(read(&path, &Options::default()).unwrap().edges.len(), 0);
}

/// Lines that are read again for the place of a fault are those that were read, with or without a byte-order mark.
#[test]
fn a_mark_in_front_shifts_no_place() {
    let folder = folder();
    for (name, content, place) in [
        ("a.mtx", &*format!("{BANNER}3 3 1\n1 2\n2 3\n"), "a.mtx:4:1: expected 1 entry as the header says"),
        ("a.mtx", &*format!("{BANNER}3 3 9\n1 2\n"), "a.mtx:3:1: expected 9 entries as the header says"),
        ("a.graph", "% a comment\n2 1\n2\n1\n1\n", "a.graph:5:1: expected 2 entries as the header says"),
        ("a.graph", "% a comment\n3 1\n2\n3\n\n", "a.graph:3:1: expected each edge at both ends"),
        ("g.e", "1 2\n2 9\n", "g.e:2:3: expected a vertex that is listed in"),
    ] {
        for mark in ["", "\u{feff}"] {
            put(&folder, "g.v", format!("{mark}1\n2\n"));
            let error = fails(&put(&folder, name, format!("{mark}{content}"))).to_string();
            assert!(error.contains(place), "{mark:?}: {error}");
        }
    }
}

/// A few bytes of text must not make anybody allocate gigabytes.
#[test]
fn vertices_are_in_proportion_to_entries() {
    let folder = folder();
    for (name, content, vertices, arcs) in [
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n4000000000 5 1\n1 2\n", 4_000_000_000u64, 1),
        ("b.mtx", "%%MatrixMarket matrix coordinate real symmetric\n20000000 20000000 1\n1 1 1\n", 20_000_000, 1),
        ("c.mtx", "%%MatrixMarket matrix array real general\n0 4000000000\n", 4_000_000_000, 0),
        ("a.graph", "4000000000 1\n2\n1\n", 4_000_000_000u64, 2),
        ("a.gr", "p sp 4000000000 1\na 1 2 3\n", 4_000_000_000, 1),
        ("b.gr", "p edge 4000000000 1\ne 1 2\n", 4_000_000_000, 1),
    ] {
        let path = put(&folder, name, content);
        let most = (1 << 24) + 16 * arcs;
        let what = if name.ends_with(".mtx") { "rows or columns" } else { "vertices" };
        let entries = if arcs == 1 { "entry" } else { "entries" };
        let expected = format!(
            "{}: declares {vertices} {what} and lists {arcs} {entries}, expected at most {most} {what} for so many; \
             in an edge list, ids may have gaps of any size",
            path.display()
        );
        assert_eq!(fails(&path).to_string(), expected);
    }
    for (name, content) in [
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5000000000 1\n1 2\n"),
        ("a.graph", "5000000000 1\n2\n1\n"),
        ("a.gr", "p sp 5000000000 1\na 1 2 3\n"),
        ("a.adj", "AdjacencyGraph\n5000000000\n1\n0\n1\n"),
    ] {
        let path = put(&folder, name, content);
        assert!(matches!(fails(&path), Error::TooManyVertices { vertices: 5_000_000_000, .. }), "{}", fails(&path));
    }
    // The limit itself is allowed, and edge lists number only what occurs.
    let path = put(&folder, "e.mtx", format!("{BANNER}{0} {0} 1\n1 2\n", (1 << 24) + 16));
    assert_eq!(read(&path, &Options::default()).unwrap().num_vertices(), (1 << 24) + 16);
    let path = put(&folder, "e.tsv", "0 18446744073709551615\n");
    assert_eq!(read(&path, &Options::default()).unwrap().num_vertices(), 2);
}

#[test]
fn neighbour_lists() {
    let folder = folder();
    let options = Options::default().with_format(Format::Adjacency);
    for (content, line, column) in [("1 2\n3 -4", 2, 3), ("1 2,3\n", 1, 4), ("a\n", 1, 1), ("1 2\n2 13x\n", 2, 3)] {
        let path = put(&folder, "a.txt", content);
        match read(&path, &options).unwrap_err() {
            Error::Malformed { line: l, column: c, .. } => assert_eq!((l, c), (line, column), "{content:?}"),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn metis_files() {
    let header = "expected `VERTICES EDGES [FORMAT [CONSTRAINTS]]`, found";
    check("a.graph", "2\n2\n1\n", 1, 1, &format!("{header} `2`"));
    check("a.graph", "2 1 7\n2\n1\n", 1, 1, &format!("{header} `2 1 7`"));
    // Cut off in the middle, it holds as many neighbours as a directed graph of so many edges.
    check("a.graph", "4 3\n2 3 4\n", 2, 1, "expected 4 entries as the header says, found only 1");
    check("a.graph", "2 1\n2\n3\n", 3, 1, "expected a vertex between 1 and 2, found 3");
    check("a.graph", "2 1\n2\n0\n", 3, 1, "expected a vertex between 1 and 2, found 0");
    check("a.graph", "2 1\n2\nx\n", 3, 1, "expected a vertex id (a whole number), found `x`");
    check("a.graph", "2 1 1\n2 5\n1\n", 3, 2, "expected the weight of the edge, found the end of the line");
    check("a.graph", "2 1 1\n2 5\n1 nan\n", 3, 3, "expected a finite number, found `nan`");
    check("a.graph", "2 1\n2\n1\n\n1\n", 4, 1, "expected 2 entries as the header says, found more");
    check("a.graph", "2 2\n2\n1\n", 1, 1, "expected 2 edges, each listed at both ends, found 2 neighbours");
    check("a.graph", "2 2\n", 1, 1, "expected 2 entries as the header says, found only 0");
    check(
        "a.graph",
        "5 1000000000000000000\n2\n1\n",
        1,
        1,
        "expected 1000000000000000000 edges, each listed at both ends, or 1000000000000000000 arcs, found 2 neighbours",
    );
}

#[test]
fn dimacs_files() {
    check(
        "a.gr",
        "p sp 2\na 1 2 3\n",
        1,
        1,
        "expected `p sp VERTICES ARCS` or `p edge VERTICES EDGES`, found `p sp 2`",
    );
    check("a.gr", "p sp 2 1\na 1 3 3\n", 2, 5, "expected a column between 1 and 2, found 3");
    check("a.gr", "p sp 2 2\na 1 2 3\n", 2, 1, "expected 2 entries as the header says, found only 1");
    check("a.gr", "p sp 2 1\na 1 2 3\na 2 1 3\n", 3, 1, "expected 1 entry as the header says, found more");
    check("a.gr", "a 1 2 3\nb 1 2 3\n", 2, 1, "expected a line that begins with `a`, found `b`");
    check("a.gr", "a 1 2 3\na 1 2\n", 2, 6, "expected a weight, found the end of the line");
    check("a.gr", "a 1 -2 3\n", 1, 5, "expected a vertex id of 0 or more, found the negative `-2`");
}

#[test]
fn ligra_files() {
    check("a.adj", "Graph\n1\n", 1, 1, "expected `AdjacencyGraph` or `WeightedAdjacencyGraph`, found `Graph`");
    check("a.adj", "AdjacencyGraph\nx\n", 2, 1, "expected the number of vertices, found `x`");
    check("a.adj", "AdjacencyGraph\n2\n1\n0\n1\n", 5, 1, "expected 3 entries as the header says, found only 2");
    check("a.adj", "AdjacencyGraph\n2\n1\n0\n1\n0\n0\n", 7, 1, "expected 3 entries as the header says, found more");
    check("a.adj", "AdjacencyGraph\n2\n1\n0\n2\n0\n", 5, 1, "expected an offset between 0 and 1, found `2`");
    check("a.adj", "AdjacencyGraph\n2\n1\n1\n1\n0\n", 4, 1, "expected an offset between 0 and 0, found `1`");
    check("a.adj", "AdjacencyGraph\n2\n1\n0\n1\n2\n", 6, 1, "expected a vertex between 0 and 1, found `2`");
    check("a.adj", "AdjacencyGraph\n2\n1\n0\n1\n-1\n", 6, 1, "expected a vertex between 0 and 1, found `-1`");
}

#[test]
fn ldbc_graphs() {
    let folder = folder();
    put(&folder, "g.v", "1\n2\n3\n");
    let edges = put(&folder, "g.e", "1 2\n2 3\n3 4\n");
    let vertices = folder.path().join("g.v");
    let message = format!("expected a vertex that is listed in {}, found 4", vertices.display());
    assert_eq!(fails(&edges).to_string(), format!("{}:3:3: {message}", edges.display()));
    put(&folder, "g.v", "1\nx\n");
    assert!(matches!(fails(&edges), Error::Malformed { line: 2, column: 1, path, .. } if path == vertices));
    put(&folder, "g.v", "1\n2x\n");
    assert!(matches!(fails(&edges), Error::Malformed { line: 2, column: 1, fault: Fault::Id { .. }, .. }));
    put(&folder, "g.v", "1\n");
    std::fs::remove_file(&edges).unwrap();
    assert!(matches!(fails(&vertices), Error::Io { path, .. } if path == edges));
    put(&folder, "g.e", "");
    put(&folder, "g.v", "");
    assert!(matches!(fails(&edges), Error::Empty { .. }));
    put(&folder, "g.properties", "graph.g.directed = maybe\n");
    assert!(matches!(fails(&edges), Error::Malformed { line: 1, fault: Fault::Header { .. }, .. }));
}

#[test]
fn no_text_at_all() {
    let folder = folder();
    for name in ["a.tsv", "a.csv", "a.mtx", "a.txt", "a", "a.e"] {
        for content in ["", "\n", " \n\n", "\r\n"] {
            let path = put(&folder, name, content);
            assert!(matches!(fails(&path), Error::Empty { .. }), "{name} {content:?}");
            let path = put(&folder, &format!("{name}.gz"), gz(content.as_bytes()));
            let error = fails(&path);
            assert!(matches!(error, Error::Empty { .. }), "{name} {content:?}: {error}");
        }
    }
    for name in ["a.tsv", "a.csv"] {
        let path = put(&folder, name, "# only a comment\n");
        assert!(matches!(fails(&path), Error::Empty { .. }), "{name}");
    }
    let path = put(&folder, "b.csv", "source,target\n");
    assert!(matches!(fails(&path), Error::Empty { .. }));
    let path = put(&folder, "b.tsv", [0x7f, b'E', b'L', b'F', 1, 2, 3]);
    assert!(matches!(fails(&path), Error::Binary { offset: 4, byte: 1, .. }), "{}", fails(&path));
    let path = put(&folder, "b.mtx.gz", gz(&[b'1', 0, 0, 7]));
    assert!(matches!(fails(&path), Error::Binary { offset: 1, byte: 0, .. }));
    let path = put(&folder, "b.tsv", [0xff, 0xfd, b'1', b' ']);
    assert!(matches!(fails(&path), Error::Malformed { line: 1, column: 1, .. }));
}

#[test]
fn files_of_other_programs() {
    let folder = folder();
    let tar = [&b"a.tsv"[..], &[0; 252], b"ustar\x0000", &[0; 248], b"1 2\n"].concat();
    let zip = |name: &[u8]| [b"PK\x03\x04", &[0; 22][..], &[name.len() as u8, 0, 0, 0], name, b"1 2\n"].concat();
    let unpack = "unpack it first; .gz, .zst, .xz and .bz2 are read";
    let export = "expected a graph; save its edges as text, Parquet or Arrow first";
    let encode = "expected UTF-8; `iconv -f UTF-16 -t UTF-8` converts it";
    for (name, content, kind, advice) in [
        ("a.tsv.lz4", b"\x04\x22\x4d\x18\x64\x40\xa7".to_vec(), "an lz4 file", unpack),
        ("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), "a 7z archive", unpack),
        ("a.tar", tar.clone(), "a tar archive", unpack),
        ("a.tar.gz", gz(&tar), "a tar archive", unpack),
        ("a.tgz", gz(&tar), "a tar archive", unpack),
        ("a.tsv.Z", b"\x1f\x9d\x90\x31".to_vec(), "a .Z file", unpack),
        ("a.rar", b"Rar!\x1a\x07\x01\0".to_vec(), "a rar archive", unpack),
        ("a.zip", zip(b"a.tsv"), "a zip archive", unpack),
        ("a.tsv", zip(b"a.tsv"), "a zip archive", unpack),
        ("a.xlsx", zip(b"[Content_Types].xml"), "an Office document, such as .xlsx", export),
        ("a.h5", b"\x89HDF\r\n\x1a\n\0".to_vec(), "an HDF5 file", export),
        ("a.db", b"SQLite format 3\0\x10".to_vec(), "an SQLite database", export),
        ("a.tsv", b"\xff\xfe1\0 \x002\0".to_vec(), "text in UTF-16", encode),
        ("a.csv", b"\xfe\xff\x001\0,\x002".to_vec(), "text in UTF-16", encode),
        ("a.tsv.br", b"\x0b\x01\x80\x31".to_vec(), "a Brotli file", unpack),
    ] {
        let path = put(&folder, name, content);
        assert_eq!(fails(&path).to_string(), format!("{}: is {kind}: {advice}", path.display()));
    }
    assert_eq!(read(put(&folder, "a.names", "LZIP\tgcc\n"), &Options::default()).unwrap().edges.len(), 1);
}

#[test]
fn broken_compression() {
    let folder = folder();
    let text: String = (0..200_000).map(|k| format!("{k} {}\n", k * 7919 % 200_000)).collect();
    let whole = gz(text.as_bytes());
    for keep in [3, 9, 10, 18, 100, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let path = put(&folder, "a.tsv.gz", &whole[..keep]);
        let error = fails(&path);
        assert!(matches!(&error, Error::Compressed { reason, .. } if reason.contains("truncated")), "{keep}: {error}");
    }
    for at in [2, whole.len() / 2, whole.len() - 6, whole.len() - 2] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        let path = put(&folder, "a.tsv.gz", damaged);
        let error = fails(&path);
        assert!(
            matches!(error, Error::Compressed { .. } | Error::Malformed { .. } | Error::Binary { .. }),
            "{at}: {error}"
        );
    }
    let whole = zstd::bulk::compress(text.as_bytes(), 1).unwrap();
    for keep in [2, 4, 5, 9, 100, whole.len() / 2, whole.len() - 1] {
        let path = put(&folder, "a.tsv.zst", &whole[..keep]);
        let error = fails(&path);
        assert!(matches!(error, Error::Compressed { .. } | Error::NotCompressed { .. }), "{keep}: {error}");
    }
    for at in [4, 5, 20, whole.len() / 2] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        let path = put(&folder, "a.tsv.zst", damaged);
        // Without a checksum, damage may go unnoticed by the decoder; it must do no harm.
        let _ = read(&path, &Options::default());
    }
    let path = put(&folder, "e.tsv.zst", [whole, b"trailing".to_vec()].concat());
    assert!(matches!(fails(&path), Error::Compressed { .. }), "{}", fails(&path));
    let path = put(&folder, "b.tsv.zst", "1 2\n");
    assert_eq!(fails(&path).to_string(), format!("{}: is named .zst, but is not zst-compressed", path.display()));
    let whole = gz(text.as_bytes());
    let path = put(&folder, "b.tsv.gz", "1 2\n");
    assert_eq!(fails(&path).to_string(), format!("{}: is named .gz, but is not gz-compressed", path.display()));
    let path = put(&folder, "c.tsv.gz", "");
    assert!(matches!(fails(&path), Error::Empty { .. }));
    let path = put(&folder, "d.tsv.gz", [whole, b"trailing".to_vec()].concat());
    assert!(matches!(fails(&path), Error::Compressed { .. }));
}

#[test]
fn what_is_no_file() {
    let folder = folder();
    assert!(matches!(fails(folder.path()), Error::Directory { .. }));
    assert!(matches!(open(folder.path().to_str().unwrap(), &Options::default()), Err(Error::Directory { .. })));
    let missing = folder.path().join("missing.tsv");
    let error = fails(&missing);
    assert!(matches!(&error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound));
    assert!(error.to_string().starts_with(&missing.display().to_string()));
    let path = put(&folder, "a.xyz", "some words\n");
    let error = fails(&path).to_string();
    assert!(error.contains(".xyz") && error.contains("mtx, edges, ldbc, adjacency, names, metis"), "{error}");
    let path = put(&folder, "b", "1 2 3 0.5 7\n");
    assert!(matches!(fails(&path), Error::UnknownFormat { .. }));
}

/// A file of many blocks with faults in several of them: the first is reported, with its line in the whole file.
#[test]
fn the_first_fault_is_reported_on_any_number_of_threads() {
    let folder = folder();
    let mut lines: Vec<String> = (0..400_000).map(|k| format!("{k}\t{}", k + 1)).collect();
    for at in [123_456, 250_000, 399_999] {
        lines[at] = "1\tx".to_owned();
    }
    let path = put(&folder, "a.tsv", format!("# comment\n{}\n", lines.join("\n")));
    for threads in [1, 2, 4, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        match pool.install(|| fails(&path)) {
            Error::Malformed { line, column, .. } => assert_eq!((line, column), (123_458, 3)),
            other => panic!("{other}"),
        }
    }
}
