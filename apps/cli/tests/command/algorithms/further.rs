//! Algorithms beyond the basic ones, on graphs small enough to be computed by hand.

use std::path::PathBuf;

use crate::common::{failure, json, pleach, stdout};
use serde_json::{Value, json as value};

/// Two triangles that share the edge 3-4, and a path that hangs on: 1-2, 1-3, 2-3, 3-4, 4-5, 4-6, 5-6, 6-7.
const TRIANGLES: &str = "1 2\n1 3\n2 3\n3 4\n4 5\n4 6\n5 6\n6 7\n";

/// 1 → 2 → 4, 1 → 3 → 4, 4 → 5.
const DAG: &str = "1 2\n1 3\n2 4\n3 4\n4 5\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The values that an algorithm writes, in three stores, each checked by the verifier.
    fn values(&self, arguments: &[&str]) -> Vec<String> {
        let out = self.path("out");
        let mut all = Vec::new();
        for store in ["csr", "paged,packed", "aspen"] {
            let more = ["--verify", "--store", store, "--out", out.to_str().unwrap()];
            assert!(stdout(&[&["run"], arguments, &more[..]].concat()).contains("verified"), "{arguments:?}");
            let text = std::fs::read_to_string(&out).unwrap();
            let values = text.lines().map(|line| line.split_once(' ').unwrap().1.to_owned());
            all.push(values.collect::<Vec<_>>());
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{arguments:?}: {all:?}");
        all.remove(0)
    }
}

fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

fn result(arguments: &[&str]) -> Value {
    json(&[&["run"], arguments, &["--json", "--verify"]].concat())["result"].clone()
}

#[test]
fn bridges_and_articulation_points() {
    let folder = folder();
    let graph = folder.file("g.txt", TRIANGLES);
    let found = result(&["bridges", &graph, "--undirected"]);
    assert_eq!((&found["bridges"], &found["edges"]), (&value!(2), &value!([[3, 4], [6, 7]])));
    assert_eq!(folder.values(&["articulation", &graph, "--undirected"]), ["0", "0", "1", "1", "0", "1", "0"]);
    assert!(stdout(&["run", "bridges", &graph, "--undirected"]).contains("3 4\n6 7\n"));
}

#[test]
fn centralities_by_distance() {
    let folder = folder();
    // A path 1-2-3: the middle is at distance 1 from both others.
    let path = folder.file("p.txt", "1 2\n2 3\n");
    assert_eq!(folder.values(&["harmonic", &path, "--undirected"]), ["1.5", "2", "1.5"]);
    let closeness = folder.values(&["closeness", &path, "--undirected"]);
    let closeness: Vec<f64> = closeness.iter().map(|text| text.parse().unwrap()).collect();
    assert_eq!(closeness, [2.0 / 3.0, 1.0, 2.0 / 3.0]);
    // Directed: two of three vertices reach the last one, by 1 and 2 steps.
    assert_eq!(folder.values(&["harmonic", &path, "--directed"]), ["0", "1", "1.5"]);
}

#[test]
fn centralities_by_products() {
    let folder = folder();
    let star = folder.file("s.txt", "1 2\n1 3\n1 4\n1 5\n");
    let found = result(&["eigenvector", &star, "--undirected"]);
    // The hub of a star has half of the square of the norm.
    assert_eq!(found["max_vertex"], 1);
    assert!((found["max"].as_f64().unwrap() - 0.5_f64.sqrt()).abs() < 1e-6, "{found}");
    let found = result(&["katz", &star, "--undirected", "--alpha", "0.25"]);
    assert_eq!((&found["max_vertex"], &found["converged"]), (&value!(1), &value!(true)));
    let found = result(&["hits", &star, "--directed", "--hubs"]);
    assert_eq!((&found["max_vertex"], &found["max"]), (&value!(1), &value!(1.0)));
    let diverging = pleach(&["run", "katz", &star, "--undirected", "--alpha", "3", "--iterations", "5", "--verify"]);
    let message = String::from_utf8_lossy(&diverging.stderr).into_owned();
    assert!(
        diverging.status.code() == Some(1) && message.contains("error: the result is wrong: the scores"),
        "{message}"
    );
    assert!(failure(&["run", "katz", &star, "--alpha", "nan"], 2).contains("finite"));
    let beyond = failure(&["run", "katz", &star, "--undirected", "--alpha", "3"], 2);
    assert!(beyond.contains("expected an alpha below the inverse of the largest eigenvalue, found 3"), "{beyond}");
}

#[test]
fn communities_by_modularity() {
    let folder = folder();
    // Two cliques of four vertices and an edge between them.
    let mut text = String::new();
    for first in [1, 5] {
        for u in first..first + 4 {
            (u + 1..first + 4).for_each(|v| text += &format!("{u} {v}\n"));
        }
    }
    let cliques = folder.file("c.txt", &(text + "4 5\n"));
    for app in ["louvain", "leiden"] {
        let expected: Vec<String> = (0..8).map(|k| (if k < 4 { 1 } else { 5 }).to_string()).collect();
        assert_eq!(folder.values(&[app, &cliques, "--undirected"]), expected, "{app}");
        let found = result(&[app, &cliques, "--undirected", "--top", "1"]);
        // 12 of 13 edges are inside, and each half has half of all ends.
        assert!((found["modularity"].as_f64().unwrap() - (12.0 / 13.0 - 0.5)).abs() < 1e-12, "{found}");
        assert_eq!((&found["communities"], found["top"][0][1].as_f64()), (&value!(2), Some(4.0)));
    }
    assert!(failure(&["run", "louvain", &cliques, "--resolution=-1"], 2).contains("resolution"));
}

#[test]
fn orders_descendants_and_ancestors() {
    let folder = folder();
    let dag = folder.file("d.txt", DAG);
    assert_eq!(folder.values(&["topological", &dag]), ["0", "1", "1", "2", "3"]);
    assert_eq!(folder.values(&["topological", &dag, "--places"]), ["0", "1", "2", "3", "4"]);
    let none = "9223372036854775807";
    assert_eq!(folder.values(&["descendants", &dag, "--source", "2"]), [none, "0", none, "1", "2"]);
    assert_eq!(folder.values(&["ancestors", &dag, "--source", "4"]), ["2", "1", "1", "0", none]);
    let found = result(&["ancestors", &dag, "--source", "4"]);
    assert_eq!((&found["size"], &found["levels"]), (&value!(3), &value!([1, 2, 1])));
    let cycle = folder.file("c.txt", "1 2\n2 1\n");
    assert!(failure(&["run", "topological", &cycle], 1).contains("cycle"));
    // By the ids of the file, which are not those inside.
    let far = folder.file("far.txt", "70 80\n80 70\n");
    let said = failure(&["run", "topological", &far], 1);
    assert!(said.contains("vertex 70 is") || said.contains("vertex 80 is"), "{said}");
    let loops = folder.file("loops.txt", "1 1\n");
    assert!(stdout(&["run", "msf", &loops, "--json"]).contains("\"weight\":0.0"));
    assert!(failure(&["run", "topological", &dag, "--undirected"], 1).contains("direct"));
}

#[test]
fn likeness_walks_and_paths() {
    let folder = folder();
    let graph = folder.file("g.txt", TRIANGLES);
    let found = result(&["similarity", &graph, "--undirected", "--pairs", "1:2,3:4,1:7"]);
    // 1 and 2 share 3, of 3, 2 and 1; 3 and 4 share nothing.
    assert_eq!(
        found["likeness"],
        value!([
            { "u": 1, "v": 2, "common": 1, "jaccard": 1.0 / 3.0, "overlap": 0.5 },
            { "u": 3, "v": 4, "common": 0, "jaccard": 0.0, "overlap": 0.0 },
            { "u": 1, "v": 7, "common": 0, "jaccard": 0.0, "overlap": 0.0 },
        ])
    );
    assert!(failure(&["run", "similarity", &graph, "--pairs", "1-2"], 2).contains("expected two vertices"));
    assert!(failure(&["run", "similarity", &graph, "--pairs", "1:99"], 1).contains("no vertex 99"));
    let dag = folder.file("d.txt", DAG);
    let found = result(&["walks", &dag, "--sources", "4", "--walks", "2", "--length", "3"]);
    assert_eq!((&found["vertices"], &found["steps"]), (&value!([[4, 5], [4, 5]]), &value!(2)));
    assert!(stdout(&["run", "walks", &dag, "--sources", "5"]).ends_with("5\n"));
    assert_eq!(result(&["walks", &dag])["walks"], 5);
    assert!(failure(&["run", "walks", &dag, "--p", "0"], 2).contains("positive"));
    assert!(failure(&["run", "walks", &dag, "--walks", "18446744073709551615"], 2).contains("at most"));
    let weighted = folder.file("w.wel", "1 2 5\n1 3 1\n3 2 1\n2 4 1\n5 1 1\n");
    let found = result(&["sssp", &weighted, "--source", "1", "--to", "4"]);
    assert_eq!((&found["path"], &found["farthest"]), (&value!([1, 3, 2, 4]), &value!(3.0)));
    assert!(stdout(&["run", "sssp", &weighted, "--source", "1", "--to", "5"]).contains("no path leads to 5"));
    assert_eq!(result(&["sssp", &weighted, "--source", "1", "--to", "1"])["path"], value!([1]));
}

#[test]
fn results_are_drawn() {
    let folder = folder();
    let dag = folder.file("d.txt", DAG);
    let graph = folder.file("g.txt", TRIANGLES);
    for (app, graph) in [
        ("closeness", &graph),
        ("louvain", &graph),
        ("hits", &graph),
        ("msf", &graph),
        ("walks", &graph),
        ("topological", &dag),
    ] {
        let picture = folder.path("p.svg");
        stdout(&["run", app, graph, "--plot", picture.to_str().unwrap()]);
        let text = std::fs::read_to_string(&picture).unwrap();
        roxmltree::Document::parse(&text).unwrap();
        assert!(text.contains("<svg"), "{app}");
    }
    // What is drawn is what is told.
    let picture = folder.path("p.svg");
    let drawn = |more: &[&str]| {
        stdout(&[&["run", "hits", &graph, "--plot", picture.to_str().unwrap()], more].concat());
        std::fs::read_to_string(&picture).unwrap()
    };
    assert!(drawn(&["--hubs"]).contains("distribution of hubs") && drawn(&[]).contains("distribution of authority"));
}

#[test]
fn costs_of_checks_are_said() {
    let arguments = ["run", "closeness", "rmat:10", "--verify", "--json"];
    let output = pleach(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("checking the result of closeness: about "), "{said}");
    assert!(said.contains("million steps"), "{said}");
    // 6 vertices, 10 arcs, and what each verifier counts below each of them, computed by hand: a triangle with a tail, and another edge.
    let folder = folder();
    let graph = folder.file("g.txt", "0 1\n1 2\n2 0\n2 3\n5 6\n");
    // A list of a vertex's neighbours counts as 8 steps, an entry of a heap or tree of n as the binary logarithm of n + 2.
    let of_each = [
        ("cc", 24),
        ("tc", 48 + 10 + 20 + 1),
        ("lcc", 48 + 10 + 20 + 10),
        ("ktruss", 16 + 36 + 5 * 16),
        // Searches meet 20 vertices and 36 arcs in all.
        ("closeness", 6 * 24 + 4 * 20 + 9),
        ("diameter", 16 + 36 + 20 + 36),
        ("bc --sources 0,5", 2 * 6 + 2 * (12 + 4)),
        ("bfs --source 0", 6 + 12),
        ("sssp --source 0", 6 + 12 + 6 * 3),
        // Distances are looked at four times, at a quarter of a step each.
        ("khop --sources 0 --hops 9", 6 + 12),
        // 11 entries of a heap, 3.7 steps each.
        ("kcore", 58 + 10 + 41),
        // The same, and 4 edges of the forest in two trees.
        ("msf", 16 + 61),
        ("mis", 58 + 10 + 18),
        ("pagerank", 3 * 16),
        ("pagerank --iterations 5", 7 * 16),
        ("scc", 2 * 58 + 2 * 16),
        ("bridges", 3 * 16),
    ];
    for (app, steps) in of_each {
        let words: Vec<&str> = app.split(' ').collect();
        let arguments = [&["run", words[0], &graph, "--undirected", "--verify", "-v"], &words[1..]].concat();
        let output = pleach(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = format!("checking the result of {}: about {steps} steps\n", words[0]);
        assert!(output.status.success() && said.contains(&expected), "{expected}: {said}");
        assert!(said.contains("checked in "), "{said}");
    }
    let said = |more: &[&str]| {
        String::from_utf8(pleach(&[&["run", "cc", "karate", "--verify"], more].concat()).stderr).unwrap()
    };
    assert!(said(&[]).starts_with("checking the result of cc: about "));
    assert_eq!(said(&["-q"]), "");
}
