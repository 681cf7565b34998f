//! The graphs on which algorithms stumble, from one table: each algorithm on each of them, verified, alone and with several threads, in static
//! rows and in stores.

use std::path::{Path, PathBuf};

use crate::common::{FULL, failure, json, stdout};

/// A name, the number of vertices, and the edges.
type Named = (&'static str, u32, &'static [(u32, u32)]);

/// Small graphs, to be written as Matrix Market files.
const GRAPHS: &[Named] = &[
    ("empty", 0, &[]),
    ("one vertex", 1, &[]),
    ("one loop", 1, &[(1, 1)]),
    ("loops only", 3, &[(1, 1), (2, 2), (3, 3)]),
    ("no arcs", 4, &[]),
    ("loops and a triangle", 4, &[(1, 1), (1, 2), (2, 3), (3, 1), (3, 3)]),
    ("two components", 7, &[(1, 2), (2, 3), (3, 1), (5, 6), (6, 7)]),
    ("there and back", 3, &[(1, 2), (2, 1), (2, 3)]),
    ("complete", 5, &[(1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)]),
];

/// An algorithm with its options, and what its summary says of the star and of the path.
struct App {
    arguments: &'static [&'static str],
    needs_source: bool,
    /// A name of the result, and its value on a star with [`LARGE`] leaves and on a path of [`LARGE`] vertices.
    large: (&'static str, f64, f64),
    /// Whether its verifier is quick on a star.
    verifies_star: bool,
}

const fn app(arguments: &'static [&'static str], large: (&'static str, f64, f64)) -> App {
    App { arguments, needs_source: false, large, verifies_star: true }
}

/// Vertices of the large graphs. An algorithm that recurses once for each would overflow the stack.
const LARGE: u32 = if FULL { 200_000 } else { 50_000 };

const N: f64 = LARGE as f64;

const APPS: &[App] = &[
    app(&["bc", "--samples", "1"], ("sources", 1.0, 1.0)),
    App { needs_source: true, ..app(&["bfs", "--source", "1"], ("depth", 1.0, N - 1.0)) },
    app(&["cc"], ("components", 1.0, 1.0)),
    app(&["cdlp", "--iterations", "2"], ("communities", 2.0, N - 2.0)),
    app(&["coloring"], ("colors", 2.0, f64::NAN)),
    app(&["degree"], ("out_most", N, 2.0)),
    app(&["diameter"], ("least", 2.0, N - 1.0)),
    app(&["kcore"], ("degeneracy", 1.0, 1.0)),
    App { needs_source: true, ..app(&["khop", "--sources", "1", "--hops", "3"], ("size", N + 1.0, 4.0)) },
    app(&["ktruss"], ("most", 2.0, 2.0)),
    App { verifies_star: false, ..app(&["lcc"], ("mean", 0.0, 0.0)) },
    app(&["mis"], ("size", f64::NAN, f64::NAN)),
    app(&["msf"], ("weight", N, N - 1.0)),
    App { needs_source: true, ..app(&["nibble", "--source", "1"], ("size", f64::NAN, f64::NAN)) },
    app(&["scc"], ("components", 1.0, 1.0)),
    App { needs_source: true, ..app(&["sssp", "--source", "1"], ("farthest", 1.0, N - 1.0)) },
    App { verifies_star: false, ..app(&["tc"], ("triangles", 0.0, 0.0)) },
];

/// Writes a graph.
fn write(folder: &Path, name: &str, vertices: u32, arcs: impl ExactSizeIterator<Item = (u32, u32)>) -> PathBuf {
    let file = folder.join(format!("{}.mtx", name.replace(' ', "-")));
    let mut text = format!("%%MatrixMarket matrix coordinate pattern general\n{vertices} {vertices} {}\n", arcs.len());
    arcs.for_each(|(from, to)| text += &format!("{from} {to}\n"));
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn every_algorithm_stands_small_graphs() {
    let folder = tempfile::tempdir().unwrap();
    // One of these by turns, so that each algorithm sees both in each direction; by night all.
    let stores = [["--store", "paged,packed", "--threads", "4"], ["--store", "aspen", "--threads", "2"]];
    for (number, &(name, vertices, arcs)) in GRAPHS.iter().enumerate() {
        let file = write(folder.path(), name, vertices, arcs.iter().copied());
        for (of_app, app) in APPS.iter().enumerate() {
            // By day one direction by turns.
            let (directions, one) = (["--directed", "--undirected"], (number + of_app) % 2);
            for &direction in if FULL { &directions[..] } else { &directions[one..=one] } {
                let mut arguments = vec!["run", app.arguments[0], file.to_str().unwrap(), direction];
                arguments.extend(&app.arguments[1..]);
                if app.needs_source && vertices == 0 {
                    assert!(failure(&arguments, 1).contains("no vertex 1; it has none"), "{arguments:?}");
                    continue;
                }
                let values = |more: &[&str]| {
                    let out = folder.path().join("out");
                    let mut all = arguments.clone();
                    all.extend(more);
                    all.push("--verify");
                    if !["tc", "diameter"].contains(&app.arguments[0]) {
                        all.extend(["--out", out.to_str().unwrap()]);
                    }
                    let text = stdout(&all);
                    assert!(text.contains("verified"), "{all:?}: {text}");
                    std::fs::read_to_string(out).unwrap_or_default()
                };
                let expected = values(&["--store", "csr", "--threads", "1"]);
                let turn = (number / 2 + usize::from(direction == "--directed")) % stores.len();
                for more in if FULL { &stores[..] } else { &stores[turn..=turn] } {
                    assert_eq!(values(more), expected, "{arguments:?} {more:?}");
                }
            }
        }
    }
}

#[test]
fn every_algorithm_stands_a_large_star_and_a_long_path() {
    let folder = tempfile::tempdir().unwrap();
    let star = write(folder.path(), "star", LARGE + 1, (0..LARGE).map(|k| (1, k + 2)));
    let path = write(folder.path(), "path", LARGE, (0..LARGE - 1).map(|k| (k + 1, k + 2)));
    for app in APPS {
        let (name, on_star, on_path) = app.large;
        for (file, expected, verified) in [(&star, on_star, app.verifies_star), (&path, on_path, true)] {
            let mut arguments =
                vec!["run", app.arguments[0], file.to_str().unwrap(), "--undirected", "--store", "csr", "--json"];
            arguments.extend(&app.arguments[1..]);
            if verified {
                arguments.push("--verify");
            }
            let object = json(&arguments);
            if !expected.is_nan() {
                assert_eq!(object["result"][name], expected, "{arguments:?}");
            }
        }
    }
}
