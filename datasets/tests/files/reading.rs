//! What readers make of good files, of every shape a good file can have.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use pleach_datasets::{Direction, Edges, Format, Input, Observer, Options, Weights, read};
use proptest::prelude::*;
use tempfile::TempDir;

fn put(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn gz(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zst(content: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(content, 1).unwrap()
}

fn read_as(name: &str, content: impl AsRef<[u8]>, options: &Options) -> Input {
    let folder = tempfile::tempdir().unwrap();
    read(put(&folder, name, content), options).unwrap_or_else(|e| panic!("{e}"))
}

/// Arcs with the ids of the file, in the order of the file.
fn arcs(input: &Input) -> Vec<(u64, u64, f64)> {
    let weight = |k: usize| input.edges.weight().map_or(1.0, |w| w[k]);
    let ends = input.edges.src().iter().zip(input.edges.dst()).enumerate();
    ends.map(|(k, (&s, &d))| (input.ids.external(s), input.ids.external(d), weight(k))).collect()
}

#[test]
fn columns_may_be_separated_and_named_in_many_ways() {
    let expected = vec![(5, 7, 0.5), (7, 1 << 40, 2.0)];
    for (name, content) in [
        ("a.tsv", "5\t7\t0.5\n7\t1099511627776\t2\n"),
        ("a.txt", "# Directed graph: x\n5 7 0.5\n7 1099511627776 2"),
        ("a.csv", "Source,Target,Weight\n5,7,0.5\n7,1099511627776,2\n"),
        ("a.csv", "\"from\";\"to\";\"w\"\r\n5;7;.5\r\n7;1099511627776;2e0\r\n"),
        ("a.tsv", "from\tto\tweight\n5\t7\t0.5\n7\t1099511627776\t2\n"),
        ("a.wel", "5 7 0.5\n7 1099511627776 2\n"),
        ("a", "% asym positive\n 5  7  0.5 \n\n7\t1099511627776 +2\n"),
        ("a.dat", "5, 7, 0.5\n7 ,1099511627776 , 2 \n"),
    ] {
        let plain = (name.to_owned(), content.as_bytes().to_vec());
        for (name, content) in [plain, (format!("{name}.gz"), gz(content.as_bytes()))] {
            let input = read_as(&name, content, &Options::default().with_format(Format::EdgeList));
            assert_eq!(arcs(&input), expected, "{name}");
            assert!(input.directed && !input.mirrored);
            assert_eq!(input.num_vertices(), 3);
        }
    }
}

#[test]
fn the_file_is_believed_about_direction_unless_overruled() {
    for (name, content, declared) in [
        ("a.txt", "# Undirected graph: x\n1 2\n", Some(Direction::Undirected)),
        ("a.txt", "# x\n# Directed graph (each unordered pair once)\n1 2\n", Some(Direction::Directed)),
        ("a.tsv", "% sym unweighted\n1 2\n", Some(Direction::Undirected)),
        ("a.tsv", "1 2\n", None),
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", None),
    ] {
        let input = read_as(name, content, &Options::default());
        assert_eq!(input.declared, declared, "{content}");
        assert_eq!(input.directed, declared != Some(Direction::Undirected));
        for direction in [Direction::Directed, Direction::Undirected] {
            let input = read_as(name, content, &Options::default().with_direction(direction));
            let directed = direction == Direction::Directed;
            assert_eq!((input.directed, input.mirrored, input.declared), (directed, !directed, declared));
        }
    }
}

#[test]
fn a_symmetric_matrix_stays_symmetric_when_it_is_called_directed() {
    let text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n2 1 5\n3 2 6\n";
    let input = read_as("a.mtx", text, &Options::default());
    assert_eq!(arcs(&input), [(1, 1, 4.0), (2, 1, 5.0), (3, 2, 6.0)]);
    assert_eq!((input.directed, input.mirrored, input.self_loops), (false, true, 1));
    let directed = Options::default().with_direction(Direction::Directed);
    let input = read_as("a.mtx", text, &directed);
    assert_eq!((input.directed, input.mirrored), (true, true));
}

#[test]
fn a_skew_symmetric_matrix_is_written_out() {
    let text = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 2 -6\n";
    let input = read_as("a.mtx", text, &Options::default());
    assert_eq!(arcs(&input), [(2, 1, 5.0), (3, 2, -6.0), (1, 2, -5.0), (2, 3, 6.0)]);
    assert!(!input.mirrored);
    let ignored = read_as("a.mtx", text, &Options::default().with_weights(Weights::Ignore));
    assert_eq!(ignored.edges.len(), 4);
    assert!(!ignored.edges.is_weighted());
    let text = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n5\n0\n-6\n";
    assert_eq!(arcs(&read_as("a.mtx", text, &Options::default())), arcs(&input));
}

#[test]
fn arrays_are_read_column_by_column() {
    let text = "%%matrixmarket MATRIX Array Real General\n% c\n2 3\n1\n0\n\n2.5\n3\n0\n-4\n";
    let input = read_as("a.mtx", text, &Options::default());
    let expected = vec![(1, 1, 1.0), (1, 2, 2.5), (2, 2, 3.0), (2, 3, -4.0)];
    assert_eq!(arcs(&input), expected);
    assert_eq!((input.edges.num_rows(), input.edges.num_cols()), (2, 3));
    let text = "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n";
    let input = read_as("a.mtx", text, &Options::default());
    assert_eq!(arcs(&input), [(1, 1, 1.0), (2, 1, 2.0), (2, 2, 3.0)]);
    assert!(input.mirrored);
}

#[test]
fn weights_are_kept_left_out_or_made_up() {
    for (content, as_read) in [("1 2 3\n", true), ("1 2\n", false)] {
        let weighted = |weights| read_as("a.tsv", content, &Options::default().with_weights(weights)).edges;
        assert_eq!(weighted(Weights::AsRead).is_weighted(), as_read);
        assert!(matches!(weighted(Weights::Ignore), Edges::Pattern(_)));
        assert_eq!(weighted(Weights::OrOne).weight(), Some(&[if as_read { 3.0 } else { 1.0 }][..]));
    }
}

#[test]
fn vertices_without_edges_are_kept_where_the_format_has_them() {
    let folder = tempfile::tempdir().unwrap();
    put(&folder, "g.v", "9 some property\n1\n\n5\n");
    put(&folder, "g.e.gz", gz(b"5 1 0.25\n"));
    put(&folder, "g.properties", "# x\ngraph.g.directed = false\n");
    for name in ["g", "g.v", "g.e", "g.e.gz", "g.properties"] {
        let input = read(folder.path().join(name), &Options::default()).unwrap();
        assert_eq!(input.ids.iter().collect::<Vec<_>>(), [1, 5, 9], "{name}");
        assert_eq!((arcs(&input), input.name.as_str()), (vec![(5, 1, 0.25)], "g"));
        assert_eq!((input.format, input.mirrored), (Format::Ldbc, true));
    }
    put(&folder, "h.v", "2\n1\n");
    put(&folder, "h.e", "");
    let input = read(folder.path().join("h"), &Options::default()).unwrap();
    assert_eq!((input.num_vertices(), input.edges.len(), input.declared), (2, 0, None));
    let input = read_as("adjacency", "3 1\n7\n1\n", &Options::default());
    assert_eq!((input.format, input.ids.iter().collect::<Vec<_>>()), (Format::Adjacency, vec![1, 3, 7]));
}

#[test]
fn metis_files_are_read_with_weights_of_every_kind() {
    let expected = vec![(1, 2, 7.0), (1, 3, 8.0), (2, 1, 7.0), (3, 1, 8.0)];
    for (header, lines) in [
        ("5 2 001", ["2 7 3 8", "1 7", "1 8", "", ""]),
        ("5 2 1", ["2 7 3 8 ", " 1 7", "\t1 8", " ", ""]),
        ("5 2 011", ["4 2 7 3 8", "4 1 7", "4 1 8", "4", "4"]),
        ("5 2 011 2", ["4 9 2 7 3 8", "4 9 1 7", "4 9 1 8", "4 9", "4 9"]),
        ("5 2 111 2", ["6 4 9 2 7 3 8", "6 4 9 1 7", "6 4 9 1 8", "6 4 9", "6 4 9"]),
    ] {
        let text = format!("% comment\n{header}\n% another\n{}\n", lines.join("\n"));
        for text in [text.replace('\n', "\r\n"), text] {
            let input = read_as("a.graph", &text, &Options::default());
            assert_eq!(arcs(&input), expected, "{text}");
            assert_eq!((input.num_vertices(), input.directed, input.mirrored), (5, false, false));
        }
    }
    let input = read_as("a.graph", "3 1\n2\n1\n\n\n\n", &Options::default());
    assert_eq!((input.num_vertices(), input.edges.len(), input.edges.is_weighted()), (3, 2, false));
    assert_eq!(read_as("a.graph", "4 0\n", &Options::default()).num_vertices(), 4);
}

#[test]
fn metis_vertices_are_counted_across_blocks() {
    let n = 300_000;
    let neighbours = |v: usize| [v.checked_sub(1), (v + 1 < n).then_some(v + 1)].into_iter().flatten();
    let lines: Vec<String> =
        (0..n).map(|v| neighbours(v).map(|u| (u + 1).to_string()).collect::<Vec<_>>().join(" ")).collect();
    let input = read_as("path.graph", format!("{n} {}\n{}\n", n - 1, lines.join("\n")), &Options::default());
    let expected: Vec<(u64, u64, f64)> =
        (0..n).flat_map(|v| neighbours(v).map(move |u| (v as u64 + 1, u as u64 + 1, 1.0))).collect();
    assert!(arcs(&input) == expected);
}

#[test]
fn dimacs_files_are_read_with_and_without_a_problem_line() {
    let expected = vec![(1, 2, 5.0), (3, 1, 0.5)];
    let text = "c comment\n\np sp 4 2\nc more\na 1 2 5\nc\na  3\t1 0.5 \n";
    let input = read_as("a.gr", text, &Options::default());
    assert_eq!((arcs(&input), input.num_vertices(), input.directed), (expected.clone(), 4, true));
    let input = read_as("a.gr", "a 1 2 5\na 3 1 0.5\n", &Options::default());
    assert_eq!((arcs(&input), input.num_vertices()), (expected, 3));
    let input = read_as("a.gr", "p edge 3 2\ne 1 2\ne 2 3\n", &Options::default());
    assert_eq!((input.edges.len(), input.mirrored, input.edges.is_weighted()), (2, true, false));
}

#[test]
fn ligra_files_are_read_with_and_without_weights() {
    let text = "AdjacencyGraph\n4\n3\n0\n2\n2\n3\n1\n3\n0\n";
    let input = read_as("a.adj", text, &Options::default());
    assert_eq!(arcs(&input), [(0, 1, 1.0), (0, 3, 1.0), (2, 0, 1.0)]);
    assert_eq!((input.num_vertices(), input.format, input.edges.is_weighted()), (4, Format::Ligra, false));
    let text = format!("Weighted{text}5\n-6\n0.5\n");
    let input = read_as("whatever", text, &Options::default());
    assert_eq!(arcs(&input), [(0, 1, 5.0), (0, 3, -6.0), (2, 0, 0.5)]);
    assert_eq!(read_as("a.adj", "AdjacencyGraph\n2\n0\n0\n0\n", &Options::default()).num_vertices(), 2);
}

#[test]
fn a_vertex_file_of_another_name_is_found_through_the_properties() {
    let folder = tempfile::tempdir().unwrap();
    put(&folder, "nodes.v", "1\n2\n3\n");
    put(&folder, "links.e", "1 2\n");
    let properties = put(
        &folder,
        "g.properties",
        "graph.g.vertex-file = nodes.v\ngraph.g.edge-file = links.e\ngraph.g.directed = true\n",
    );
    let input = read(properties, &Options::default()).unwrap();
    assert_eq!((input.num_vertices(), input.edges.len(), input.declared), (3, 1, Some(Direction::Directed)));
}

/// Text of several blocks, with lines across their borders, plain and compressed, in one member and in several.
#[test]
fn large_files_are_the_same_in_every_dress_and_on_any_number_of_threads() {
    let lines: Vec<(u64, u64)> = (0..300_000u64).map(|k| (k * 7919 % 100_003, k * k % 99_991)).collect();
    let mut text: String = lines.iter().map(|(s, d)| format!("{s}\t{d}\n")).collect();
    text.pop();
    let (a, b) = text.as_bytes().split_at(1_234_567);
    let folder = tempfile::tempdir().unwrap();
    let paths = [
        put(&folder, "a.tsv", &text),
        put(&folder, "b.tsv.gz", gz(text.as_bytes())),
        put(&folder, "c.tsv.gz", [gz(a), gz(b)].concat()),
        put(&folder, "compressed-without-saying-so.tsv", gz(text.as_bytes())),
        put(&folder, "d.tsv.zst", zst(text.as_bytes())),
        put(&folder, "e.tsv.ZST", [zst(a), zst(b)].concat()),
        put(&folder, "also-without-saying-so.tsv", zst(text.as_bytes())),
        // What counts is what is there, not what the name says.
        put(&folder, "f.tsv.gz", zst(text.as_bytes())),
    ];
    for path in &paths {
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let input = pool.install(|| read(path, &Options::default())).unwrap();
            let found: Vec<(u64, u64)> = arcs(&input).into_iter().map(|(s, d, _)| (s, d)).collect();
            assert!(found == lines, "{}", path.display());
        }
    }
}

#[test]
fn a_line_longer_than_a_block_is_read() {
    let neighbours: Vec<String> = (1..400_000).map(|v| v.to_string()).collect();
    let text = format!("0 {}\n7 8\n400001\n", neighbours.join(" "));
    let input = read_as("hub", text, &Options::default().with_format(Format::Adjacency));
    assert_eq!((input.num_vertices(), input.edges.len()), (400_001, 400_000));
}

#[test]
fn progress_reaches_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..200_000).map(|k| format!("{k} {}\n", k / 2)).collect();
    for path in [put(&folder, "a.tsv", &text), put(&folder, "a.tsv.gz", gz(text.as_bytes()))] {
        let last = Arc::new(AtomicU64::new(0));
        let size = std::fs::metadata(&path).unwrap().len();
        let seen = last.clone();
        let progress = Observer::new(move |p| {
            assert!(p.done <= p.total);
            assert_eq!(p.total, size);
            seen.fetch_max(p.done, Ordering::Relaxed);
        });
        read(&path, &Options::default().with_progress(progress)).unwrap();
        assert_eq!(last.load(Ordering::Relaxed), size);
    }
}

/// Text that looks like some format's, so that chance gets further than the first byte.
fn almost_a_graph() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[0-9]{1,3}",
        1 => "[0-9]{18,22}",
        6 => "[ \t\n,;]",
        1 => "[-+.eE#%x\r]",
        1 => Just("nan".to_owned()),
        1 => Just("%%MatrixMarket matrix coordinate real general\n3 3 2\n".to_owned()),
        1 => Just("%%MatrixMarket matrix coordinate pattern symmetric\n9 9 ".to_owned()),
        1 => Just("%%MatrixMarket matrix array real general\n2 2\n".to_owned()),
        1 => Just("\u{0}\u{ff}".to_owned()),
        1 => Just("AdjacencyGraph\n2\n2\n0\n1\n".to_owned()),
        1 => "[1-3] [1-3] [01]{3}( [012])?\n",
        1 => Just("t\n 1 1 1 1 0\nRUA 2 2 2 0\n(3I2)           (2I2)           (2E4.1)\n 1 2 3\n 1 2\n".to_owned()),
        1 => Just("\u{0}\u{2}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}".to_owned()),
        1 => prop_oneof![Just("a "), Just("c "), Just("e "), Just("p sp 3 2\n"), Just("p edge 3 1\n")].prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_panic(
        bytes in prop_oneof![almost_a_graph(), prop::collection::vec(any::<u8>(), 0..200)],
        name in prop::sample::select(vec!["a", "a.mtx", "a.tsv", "a.csv", "a.e", "a.v", "a.properties", "a.gz", "a.el.gz", "a.graph", "a.gr", "a.adj", "a.rua", "a.tns", "a.plg", "a.sg", "a.wsg"]),
        format in prop::option::of(prop::sample::select(Format::FILES.to_vec())),
        compress: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let content = if compress { gz(&bytes) } else { bytes };
        let path = put(&folder, name, content);
        let options = Options::default().with_format(format);
        if let Ok(input) = read(&path, &options) {
            prop_assert_eq!(input.edges.src().len(), input.edges.dst().len());
            prop_assert!(input.edges.src().iter().all(|&v| (v as usize) < input.edges.num_rows()));
            prop_assert!(input.edges.dst().iter().all(|&v| (v as usize) < input.edges.num_cols()));
            prop_assert_eq!(input.ids.len(), input.num_vertices());
            prop_assert!(input.edges.weight().is_none_or(|w| w.iter().all(|w| w.is_finite())));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn a_mark_in_front_of_text_is_skipped() {
    for (name, text) in [
        ("a.csv", "source,target\n1,2\n2,3"),
        ("a.txt", "1 2\r\n2 3\r\n"),
        ("a.net", "*Vertices 3\n*Arcs\n1 2\n2 3\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"),
        (
            "a.json",
            r#"{"directed": true, "nodes": [], "edges": [{"source": 1, "target": 2}, {"source": 2, "target": 3}]}"#,
        ),
    ] {
        let plain = read_as(name, text, &Options::default());
        let marked = read_as(name, format!("\u{feff}{text}"), &Options::default());
        assert_eq!((&marked.edges, &marked.ids, marked.directed), (&plain.edges, &plain.ids, true), "{name}");
        assert_eq!((marked.ids.external(0), marked.num_vertices()), (1, 3), "{name}");
    }
}
