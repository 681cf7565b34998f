//! Shortest paths against published answers, and weights that have none.

use crate::common::{STORES, data, difference, failure, json, out, values};

#[test]
fn equals_the_published_distances() {
    let Some(data) = data("sssp") else { return };
    let ldbc = data.join("golden/ldbc");
    let gnutella = data.join("golden/p2p-31");
    for (input, direction, source, answer) in [
        (ldbc.join("sssp/dir-input.e"), "--directed", "1", ldbc.join("sssp/dir-output")),
        (ldbc.join("sssp/undir-input.e"), "--undirected", "1", ldbc.join("sssp/undir-output")),
        (ldbc.join("example/example-directed.e"), "--directed", "1", ldbc.join("example/example-directed-SSSP")),
        (ldbc.join("example/example-undirected.e"), "--undirected", "2", ldbc.join("example/example-undirected-SSSP")),
        (gnutella.join("p2p-31.e.gz"), "--directed", "6", gnutella.join("p2p-31-SSSP-directed.gz")),
        (gnutella.join("p2p-31.e.gz"), "--undirected", "6", gnutella.join("p2p-31-SSSP.gz")),
    ] {
        let expected = values(&answer);
        let arguments = ["sssp", input.to_str().unwrap(), direction, "--source", source, "--verify", "--store"];
        let first = out::<f64>(&[&arguments[..], &["csr"]].concat());
        let off = difference(&first, &expected);
        assert!(off < 1e-9, "{} is off by {off}", input.display());
        for store in &STORES[1..] {
            assert_eq!(out(&[&arguments[..], &[store]].concat()), first, "{} in {store}", input.display());
        }
    }
}

#[test]
fn any_width_of_buckets_and_any_number_of_threads_gives_the_same_distances() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weighted.wel");
    let mut text = String::new();
    for k in 0..20_000u64 {
        let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        text += &format!("{} {} {}\n", hash >> 20 & 1023, hash >> 40 & 1023, (hash >> 55) as f64 / 8.0);
    }
    std::fs::write(&file, text).unwrap();
    let run = |more: &[&str]| {
        out::<f64>(&[&["sssp", file.to_str().unwrap(), "--source", "0", "--verify", "--store", "csr"], more].concat())
    };
    let expected = run(&["--threads", "1"]);
    for more in [["--delta", "1e-300"], ["--delta", "0.5"], ["--delta", "1e300"], ["--threads", "4"]] {
        assert_eq!(run(&more), expected, "{more:?}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let with = |weight: &str, arguments: &[&str], status| {
        let file = folder.path().join("weights.wel");
        std::fs::write(&file, format!("1 2 0.5\n2 5 {weight}\n")).unwrap();
        failure(&[&["run", "sssp", file.to_str().unwrap()], arguments].concat(), status)
    };
    let message = with("-0.25", &["--source", "1"], 1);
    assert!(message.contains("-0.25") && message.contains("from 2 to 5"), "{message}");
    for weight in ["nan", "inf", "-inf"] {
        let message = with(weight, &["--source", "1"], 1);
        assert!(message.contains("weights.wel") && message.contains('2'), "{message}");
    }
    assert!(with("1", &["--source", "3"], 1).contains("no vertex 3"));
    assert!(with("1", &["--source", "1", "--delta", "0"], 2).contains("width of a bucket"));
}

#[test]
fn zero_weights_and_parallel_arcs_are_short() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zero.wel");
    std::fs::write(&file, "1 2 0\n2 1 0\n2 3 5\n2 3 1\n3 4 0\n9 1 1\n").unwrap();
    let found = out::<f64>(&["sssp", file.to_str().unwrap(), "--source", "1", "--verify"]);
    let expected = [(1, 0.0), (2, 0.0), (3, 1.0), (4, 1.0), (9, f64::INFINITY)];
    assert_eq!(found, expected.into_iter().collect());
    let object = json(&["run", "sssp", "karate", "--source", "1", "--json"]);
    assert_eq!(object["result"]["farthest"], 3.0, "weights are 1 where there are none");
}
