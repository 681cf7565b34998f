//! A small file of every kind, read as it is, and then cut and damaged at every place: no reader panics, hangs, or hands over a
//! graph that does not hold together.

use std::path::{Path, PathBuf};

use pleach_datasets::{Attribute, Format, Input, Options, read, read_tensor};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// File, format, rows, columns, lines.
const FILES: &[(&str, Format, usize, usize, usize)] = &[
    ("real.mtx", Format::MatrixMarket, 3, 4, 4),
    ("symmetric.mtx", Format::MatrixMarket, 3, 3, 3),
    ("skew.mtx", Format::MatrixMarket, 3, 3, 4),
    ("array.mtx", Format::MatrixMarket, 2, 3, 4),
    ("snap.txt", Format::EdgeList, 4, 4, 3),
    ("named.csv", Format::EdgeList, 3, 3, 2),
    ("weights.wel", Format::EdgeList, 3, 3, 3),
    ("packed.tsv.gz", Format::EdgeList, 3, 3, 3),
    ("packed.tsv.zst", Format::EdgeList, 3, 3, 3),
    ("neighbours", Format::Adjacency, 4, 4, 6),
    ("flags.graph", Format::Metis, 3, 3, 4),
    ("plain.graph", Format::Metis, 4, 4, 4),
    ("paths.gr", Format::Dimacs, 3, 3, 2),
    ("headless.gr", Format::Dimacs, 3, 3, 2),
    ("clique.gr", Format::Dimacs, 3, 3, 2),
    ("plain.adj", Format::Ligra, 4, 4, 3),
    ("weights.adj", Format::Ligra, 3, 3, 3),
    ("pair.e", Format::Ldbc, 3, 3, 2),
    ("attributes.graphml", Format::GraphMl, 3, 3, 2),
    ("small.rua", Format::HarwellBoeing, 3, 4, 5),
    ("pattern.psa", Format::HarwellBoeing, 3, 3, 3),
    ("second.tns", Format::Tensor, 2, 3, 2),
    ("undirected.sg", Format::Gap, 3, 3, 4),
    ("directed.wsg", Format::Gap, 3, 3, 3),
    #[cfg(feature = "tables")]
    ("polars-lz4.arrow", Format::Arrow, 3, 3, 4),
    // Written by the first version: what it holds must stay readable.
    ("weighted.plg", Format::Plg, 5, 5, 10),
    ("gaps.plg", Format::Plg, 3, 3, 2),
];

#[test]
fn every_file_of_the_corpus_is_read() {
    for &(file, format, rows, cols, lines) in FILES {
        let input = read(corpus().join(file), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let found = (input.format, input.edges.num_rows(), input.edges.num_cols(), input.edges.len());
        assert_eq!(found, (format, rows, cols, lines), "{file}");
        check(&input);
    }
    let third = read_tensor(corpus().join("third.tns"), &Options::default()).unwrap();
    assert_eq!((third.dims, third.values), (vec![4, 3, 5], vec![0.5, -2.0, 1e3]));
}

/// Whether a graph holds together.
fn check(input: &Input) {
    let edges = &input.edges;
    assert_eq!(edges.src().len(), edges.dst().len());
    assert!(edges.src().iter().all(|&v| (v as usize) < edges.num_rows()));
    assert!(edges.dst().iter().all(|&v| (v as usize) < edges.num_cols()));
    assert!(edges.weight().is_none_or(|w| w.len() == edges.len() && w.iter().all(|w| w.is_finite())));
    assert_eq!(input.ids.len(), input.num_vertices());
    let within = |columns: &[Attribute], rows| columns.iter().all(|column| column.iter().all(|(row, _)| row < rows));
    assert!(within(&input.attributes.vertices, input.num_vertices()));
    assert!(within(&input.attributes.edges, edges.len()));
}

/// Reads what a damaged file has become, as a graph or as a tensor.
fn digest(path: &Path) {
    if path.extension().is_some_and(|e| e == "tns")
        && let Ok(tensor) = read_tensor(path, &Options::default())
    {
        for (mode, &size) in tensor.coords.iter().zip(&tensor.dims) {
            assert_eq!(mode.len(), tensor.nnz());
            assert!(mode.iter().all(|&coord| (coord as usize) < size));
        }
    }
    if let Ok(input) = read(path, &Options::default().with_attributes(true)) {
        check(&input);
    }
}

#[test]
fn damage_does_no_harm() {
    // Tens of thousands of tiny files: waking other threads for each would take longest.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(damage_everything);
}

fn damage_everything() {
    let folder = tempfile::tempdir().unwrap();
    for beside in ["pair.v", "pair.properties"] {
        std::fs::copy(corpus().join(beside), folder.path().join(beside)).unwrap();
    }
    let names = FILES.iter().map(|file| file.0).chain(["third.tns"]);
    for name in names {
        let whole = std::fs::read(corpus().join(name)).unwrap();
        let path = folder.path().join(name);
        // Some file systems write to the disk at once when a file that holds something is replaced: there is none.
        let try_with = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            digest(&path);
            std::fs::remove_file(&path).unwrap();
        };
        for at in 0..whole.len() {
            try_with(&whole[..at]);
            for byte in [b'\n', b'9', 0xff, whole[at] ^ 1] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                try_with(&damaged);
            }
        }
    }
}
