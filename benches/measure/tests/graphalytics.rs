//! The data sets of LDBC Graphalytics, with published results, with damaged ones and with none.

use std::fs;
use std::path::{Path, PathBuf};

use pleach_erased::DEFAULT_STORE;
use pleach_measure::graphalytics::reference::Verdict;
use pleach_measure::graphalytics::{Algorithm, GraphalyticsError, Measured, Options, data_sets, run};

fn options(store: &str, algorithms: &[Algorithm]) -> Options {
    Options::new(store.parse().unwrap()).with_algorithms(algorithms.to_vec())
}

fn measure(file: &Path, options: &Options) -> Result<Vec<Measured>, GraphalyticsError> {
    let (mut found, mut loaded) = (Vec::new(), 0);
    run(file, options, |_| loaded += 1, |one| found.push(one))?;
    assert_eq!(loaded, 1);
    Ok(found)
}

/// The folder of the examples, copied so that it can be changed.
fn examples(folder: &Path) -> Option<()> {
    let data = std::env::var_os("PLEACH_DATA").map(PathBuf::from);
    if data.is_none() {
        eprintln!("skipped: PLEACH_DATA names no folder with published answers");
    }
    for file in fs::read_dir(data?.join("golden/ldbc/example")).unwrap() {
        let file = file.unwrap();
        // The files may be read-only: what is written has rights of its own.
        fs::write(folder.join(file.file_name()), fs::read(file.path()).unwrap()).unwrap();
    }
    Some(())
}

#[test]
fn the_examples_are_valid_in_every_kind_of_store() {
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = examples(folder.path()) else { return };
    let sets = data_sets(folder.path()).unwrap();
    assert_eq!(sets.len(), 2);
    for file in &sets {
        assert_eq!(&data_sets(file).unwrap(), std::slice::from_ref(file));
        for store in [DEFAULT_STORE, "csr", "aspen"] {
            let found = measure(file, &options(store, &[])).unwrap();
            let algorithms: Vec<Algorithm> = found.iter().map(|one| one.algorithm).collect();
            assert_eq!(algorithms, Algorithm::ALL);
            for one in found {
                assert_eq!(one.verdict, Verdict::Valid, "{} of {} in {store}", one.algorithm, file.display());
                assert!(one.processing_seconds > 0.0 && one.evps > 0.0);
            }
        }
    }
}

#[test]
fn a_wrong_value_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = examples(folder.path()) else { return };
    let set = folder.path().join("example-directed.properties");
    let damage = |algorithm: &str, from: &str, to: &str| {
        let file = folder.path().join(format!("example-directed-{algorithm}"));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from));
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
    };
    damage("BFS", "\n4 2\n", "\n4 3\n");
    damage("PR", "\n3 1.550469444444444e-01\n", "\n3 1.5507e-01\n");
    damage("WCC", "\n10 1\n", "\n10 2\n");
    damage("CDLP", "\n7 2\n", "\n7 3\n");
    damage("LCC", "1 6.666666666666666e-01\n", "1 6.6661e-01\n");
    fs::remove_file(folder.path().join("example-directed-SSSP")).unwrap();
    let found = measure(&set, &options("csr", &[])).unwrap();
    let verdicts: Vec<_> = found
        .iter()
        .map(|one| match &one.verdict {
            Verdict::Wrong { vertex, expected, found, wrong } => (*vertex, &expected[..], &found[..], *wrong),
            // A difference of 0.008 % is allowed.
            Verdict::Valid => (0, "", "", 0),
            other => {
                let file = folder.path().join("example-directed-SSSP");
                assert_eq!(other, &Verdict::Missing { file });
                (0, "missing", "", 0)
            }
        })
        .collect();
    assert_eq!(verdicts[0], (4, "3", "2", 1));
    assert_eq!((verdicts[1].0, verdicts[1].1, verdicts[1].3), (3, "0.15507", 1));
    assert_eq!(verdicts[2], (10, "2", "1, which vertices of 1 have", 1));
    assert_eq!(verdicts[3], (7, "3", "2", 1));
    assert_eq!(verdicts[4], (0, "", "", 0));
    assert_eq!(verdicts[5], (0, "missing", "", 0));
}

/// A network of 62,586 vertices, compressed as it was published, with a properties file of our own.
#[test]
fn a_compressed_network() {
    let Some(data) = std::env::var_os("PLEACH_DATA").map(PathBuf::from) else {
        return eprintln!("skipped: PLEACH_DATA names no folder with published answers");
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["p2p-31.v", "p2p-31.e", "p2p-31-BFS", "p2p-31-CDLP", "p2p-31-LCC", "p2p-31-PR", "p2p-31-SSSP"] {
        let name = format!("{name}.gz");
        fs::copy(data.join("golden/p2p-31").join(&name), folder.path().join(&name)).unwrap();
    }
    let properties = "vertex-file = p2p-31.v\nedge-file = p2p-31.e\ndirected = false\nedge-properties.names = weight\n\
                      algorithms = bfs, cdlp, lcc, pr, sssp, wcc\nbfs.source-vertex = 6\ncdlp.max-iterations = 10\n\
                      pr.damping-factor = 0.85\npr.num-iterations = 10\nsssp.weight-property = weight\n\
                      sssp.source-vertex = 6\n";
    let properties: String = properties.lines().map(|line| format!("graph.p2p-31.{line}\n")).collect();
    let set = folder.path().join("p2p-31.properties");
    fs::write(&set, &properties).unwrap();
    let found = measure(&set, &options(DEFAULT_STORE, &[])).unwrap();
    for one in found {
        match one.algorithm {
            Algorithm::Wcc => assert!(matches!(one.verdict, Verdict::Missing { .. })),
            _ => assert_eq!(one.verdict, Verdict::Valid, "{}", one.algorithm),
        }
    }
    // Parameters that do not fit.
    fs::write(&set, properties.replace("bfs.source-vertex = 6", "bfs.source-vertex = 99999999")).unwrap();
    let refused = measure(&set, &options("csr", &[Algorithm::Bfs])).unwrap_err().to_string();
    assert!(refused.ends_with("`bfs.source-vertex` is 99999999, which is no vertex of the graph"), "{refused}");
    fs::write(&set, properties.replace("pr.damping-factor = 0.85", "pr.damping-factor = 1.5")).unwrap();
    let refused = measure(&set, &options("csr", &[Algorithm::Pr])).unwrap_err().to_string();
    assert!(refused.starts_with("PR: ") && refused.contains("1.5"), "{refused}");
}

#[test]
fn shortest_paths_need_weights() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("g.properties");
    let text = "graph.g.directed = true\ngraph.g.algorithms = bfs\ngraph.g.bfs.source-vertex = 1\n";
    fs::write(&set, text).unwrap();
    fs::write(folder.path().join("g.v"), "1\n2\n3\n").unwrap();
    fs::write(folder.path().join("g.e"), "1 2\n").unwrap();
    fs::write(folder.path().join("g-BFS"), "1 0\n2 1\n3 9223372036854775807\n").unwrap();
    assert_eq!(measure(&set, &options("csr", &[])).unwrap()[0].verdict, Verdict::Valid);
    let refused = measure(&set, &options("csr", &[Algorithm::Sssp])).unwrap_err();
    assert!(matches!(refused, GraphalyticsError::Unweighted { .. }));

    // Of several properties of edges, one is the weight.
    let more = "graph.g.edge-properties.names = since, length\ngraph.g.sssp.weight-property = length\n\
                graph.g.sssp.source-vertex = 1\n";
    fs::write(&set, format!("{text}{more}")).unwrap();
    fs::write(folder.path().join("g.e"), "1 2 1999 0.5\n2 3 2004 0.25\n").unwrap();
    fs::write(folder.path().join("g-SSSP"), "1 0\n2 0.5\n3 0.75\n").unwrap();
    assert_eq!(measure(&set, &options("csr", &[Algorithm::Sssp])).unwrap()[0].verdict, Verdict::Valid);

    let refused = data_sets(&folder.path().join("nothing")).unwrap_err().to_string();
    assert!(refused.contains("nothing: "), "{refused}");
    let empty = tempfile::tempdir().unwrap();
    let refused = data_sets(empty.path()).unwrap_err().to_string();
    assert!(refused.ends_with("expected a file NAME.properties, beside NAME.v and NAME.e"), "{refused}");
}
