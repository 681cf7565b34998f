//! Every readable file of the shared data folder against the counts in its manifest.
//!
//! The folder is named by the environment variable `PLEACH_DATA`; without it these tests say that they were skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pleach_datasets::{Direction, Edges, Input, Options, open, read};

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("PLEACH_DATA");
    if folder.is_none() {
        eprintln!("skipped: PLEACH_DATA does not name the data folder");
    }
    folder.map(PathBuf::from)
}

/// What the manifest counts, counted the simple way.
struct Counts {
    arcs: usize,
    edges: usize,
    loops: usize,
    touched: usize,
}

fn count(input: &Input) -> Counts {
    let arcs: BTreeSet<(u32, u32)> = input.edges.src().iter().copied().zip(input.edges.dst().iter().copied()).collect();
    let edges: BTreeSet<(u32, u32)> = arcs.iter().map(|&(s, d)| (s.min(d), s.max(d))).collect();
    let touched: BTreeSet<u32> = arcs.iter().flat_map(|&(s, d)| [s, d]).collect();
    let loops = arcs.iter().filter(|(s, d)| s == d).count();
    Counts { arcs: arcs.len(), edges: edges.iter().filter(|(s, d)| s != d).count(), loops, touched: touched.len() }
}

/// The number before `what` in a manifest's line of details.
fn stated(detail: &str, what: &str) -> Option<usize> {
    let rest = &detail[detail.find(what)? + what.len()..];
    rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn counts_are_those_of_the_manifest() {
    let Some(data) = data() else { return };
    let manifest = std::fs::read_to_string(data.join("MANIFEST.tsv")).unwrap();
    let mut read_files = 0;
    for line in manifest.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (file, rows, detail) = (fields[0], fields[2], fields[4]);
        let plain = file.trim_end_matches(".gz");
        let readable = ["mtx", "txt", "tsv", "csv", "graph", "gr"].iter().any(|e| plain.ends_with(&format!(".{e}")));
        if !readable || !detail.contains("unique arcs") {
            continue;
        }
        let input = read(data.join(file), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let counts = count(&input);
        assert_eq!(Some(counts.arcs), stated(detail, "unique arcs"), "arcs of {file}");
        assert_eq!(Some(counts.loops), stated(detail, "self loops"), "loops of {file}");
        if plain.ends_with(".mtx") {
            let sizes: Vec<usize> = rows.split('x').map(|n| n.parse().unwrap()).collect();
            assert_eq!(input.edges.num_rows(), sizes[0], "rows of {file}");
            assert_eq!(input.edges.num_cols(), *sizes.last().unwrap(), "columns of {file}");
            assert_eq!(input.mirrored, detail.contains("symmetric"), "symmetry of {file}");
            assert_eq!(input.edges.is_weighted(), !detail.contains("pattern"), "values of {file}");
        } else {
            assert_eq!(Some(counts.touched), stated(detail, "vertices touched"), "vertices of {file}");
            assert_eq!(input.num_vertices().to_string(), rows, "vertices of {file}");
        }
        if plain.ends_with(".graph") {
            assert_eq!((input.directed, input.mirrored), (false, false), "{file} lists edges from both ends");
            assert_eq!(input.edges.is_weighted(), detail.contains("fmt=001"), "weights of {file}");
        }
        if !file.starts_with("temporal") && input.is_square() {
            assert_eq!(Some(counts.edges), stated(detail, "undirected edges"), "edges of {file}");
        }
        read_files += 1;
    }
    assert!(read_files >= 25, "only {read_files} files were found");
}

#[test]
fn formats_of_one_graph_agree() {
    let Some(data) = data() else { return };
    let arcs = |file: &str, first: u64| -> BTreeSet<(u64, u64)> {
        let input = read(data.join(file), &Options::default()).unwrap();
        let id = |v: u32| input.ids.external(v) - first;
        input.edges.src().iter().zip(input.edges.dst()).map(|(&s, &d)| (id(s), id(d))).collect()
    };
    assert_eq!(arcs("graphs/karate.csv", 0), arcs("graphs/karate.graph", 1));
}

#[test]
fn cnr_2000_is_whole() {
    let Some(data) = data() else { return };
    let input = read(data.join("graphs/cnr-2000.tsv.gz"), &Options::default()).unwrap();
    assert_eq!((input.num_vertices(), input.edges.len()), (325_557, 3_216_152));
    assert_eq!(input.name, "cnr-2000");
    assert!(input.directed && !input.edges.is_weighted());
}

#[test]
fn a_dense_matrix_has_an_arc_a_nonzero() {
    let Some(data) = data() else { return };
    let input = read(data.join("graphs/usroads_coord.mtx.gz"), &Options::default()).unwrap();
    assert_eq!(input.edges.num_rows(), 129_164);
    assert!(input.edges.is_weighted() && !input.is_square());
}

#[test]
fn ldbc_graphs_have_the_answers_vertices() {
    let Some(data) = data() else { return };
    let ldbc = data.join("golden/ldbc");
    for (file, direction, answer) in [
        ("example/example-directed.v", Direction::Directed, "example/example-directed-WCC"),
        ("example/example-directed.e", Direction::Directed, "example/example-directed-WCC"),
        ("example/example-undirected", Direction::Undirected, "example/example-undirected-WCC"),
        ("example/example-undirected.properties", Direction::Undirected, "example/example-undirected-WCC"),
    ] {
        let input = read(ldbc.join(file), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(input.declared, Some(direction), "{file}");
        assert_eq!(input.directed, direction == Direction::Directed);
        assert_eq!(input.mirrored, !input.directed);
        assert!(input.edges.is_weighted());
        assert_eq!(input.ids.iter().collect::<Vec<_>>(), answers(&ldbc.join(answer)), "{file}");
    }
    for folder in ["bfs", "cdlp", "lcc", "pr", "wcc"] {
        for kind in ["dir", "undir"] {
            let input = read(ldbc.join(format!("{folder}/{kind}-input")), &Options::default());
            let input = input.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(input.format.name(), "adjacency");
            let expected = answers(&ldbc.join(format!("{folder}/{kind}-output")));
            assert_eq!(input.ids.iter().collect::<Vec<_>>(), expected, "{folder}/{kind}");
        }
    }
    for kind in ["dir", "undir"] {
        assert_eq!(read(ldbc.join(format!("ffm/{kind}-input")), &Options::default()).unwrap().num_vertices(), 50);
        let input = read(ldbc.join(format!("sssp/{kind}-input")), &Options::default()).unwrap();
        assert_eq!(input.ids.iter().collect::<Vec<_>>(), answers(&ldbc.join(format!("sssp/{kind}-output"))));
    }
}

/// The vertices of a file of answers, sorted.
fn answers(path: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(path).unwrap();
    let ids: BTreeSet<u64> = text.lines().map(|l| l.split_whitespace().next().unwrap().parse().unwrap()).collect();
    ids.into_iter().collect()
}

#[test]
fn p2p_31_has_its_vertices_and_weights() {
    let Some(data) = data() else { return };
    let input = read(data.join("golden/p2p-31/p2p-31.e.gz"), &Options::default()).unwrap();
    assert_eq!((input.num_vertices(), input.edges.len()), (62_586, 147_892));
    let Edges::Weighted(edges) = &input.edges else { panic!("weights are lost") };
    assert_eq!((input.ids.external(edges.src[0]), input.ids.external(edges.dst[0]), edges.weight[0]), (1, 2, 8.0));
}

#[test]
fn bundled_karate_is_the_published_one() {
    let Some(data) = data() else { return };
    let published = read(data.join("graphs/karate.csv"), &Options::default()).unwrap();
    let bundled = open("karate", &Options::default()).unwrap();
    // The file counts vertices from 0 and lists every edge from both ends.
    let edges = |input: &Input, first: u64| -> BTreeSet<(u64, u64)> {
        let id = |v: u32| input.ids.external(v) - first;
        let ends = input.edges.src().iter().zip(input.edges.dst());
        ends.map(|(&s, &d)| (id(s).min(id(d)), id(s).max(id(d)))).collect()
    };
    assert_eq!(edges(&published, 0), edges(&bundled, 1));
    assert_eq!(published.edges.len(), 2 * bundled.edges.len());
}
