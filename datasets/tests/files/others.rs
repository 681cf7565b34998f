//! Formats of other programs: GraphML, GEXF, Pajek, JSON (node-link), DOT and SciPy's matrices.

use std::path::PathBuf;

use pleach_datasets::{Edges, Input, Options, read, write};
use tempfile::TempDir;

fn put(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn try_read(name: &str, content: impl AsRef<[u8]>) -> Result<Input, String> {
    let folder = tempfile::tempdir().unwrap();
    read(put(&folder, name, content), &Options::default()).map_err(|error| error.to_string())
}

fn read_as(name: &str, content: impl AsRef<[u8]>) -> Input {
    try_read(name, content).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(name: &str, content: impl AsRef<[u8]>) -> String {
    try_read(name, content).map(|input| arcs(&input)).expect_err("it is refused")
}

/// Arcs with what the file calls their ends, sorted.
fn arcs(input: &Input) -> Vec<String> {
    let weight = |k: usize| input.edges.weight().map_or(String::new(), |w| format!(" {}", w[k]));
    let ends = input.edges.src().iter().zip(input.edges.dst()).enumerate();
    let mut arcs: Vec<String> =
        ends.map(|(k, (&s, &d))| format!("{}>{}{}", input.ids.label(s), input.ids.label(d), weight(k))).collect();
    arcs.sort_unstable();
    arcs
}

/// As NetworkX 3 writes it.
const GRAPHML: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d1" for="edge" attr.name="weight" attr.type="double" />
  <key id="d0" for="node" attr.name="colour" attr.type="string" />
  <graph edgedefault="directed">
    <node id="a &amp; b"><data key="d0">red</data></node>
    <node id="c" />
    <node id="alone" />
    <edge source="a &amp; b" target="c"><data key="d1">0.5</data></edge>
    <edge source="c" target="c" />
  </graph>
</graphml>"#;

#[test]
fn graphml_is_read() {
    let input = read_as("g.graphml", GRAPHML);
    assert_eq!(arcs(&input), ["a & b>c 0.5", "c>c 1"]);
    assert_eq!((input.num_vertices(), input.directed), (3, true));
    assert_eq!(input.notes, ["not kept: `colour` of vertices"]);
    assert_eq!(read_as("g.xml", GRAPHML).num_vertices(), 3, "it is printed by its content");
    assert!(refused("g.graphml", GRAPHML.replace("0.5", "heavy")).contains(":9:"));
    assert!(refused("g.graphml", GRAPHML.replace("</graph>", "")).contains("a document of XML"));
    assert!(
        refused("g.graphml", GRAPHML.replace("edgedefault=\"directed\"", "")).contains("an attribute `edgedefault`")
    );
    let mixed = GRAPHML.replace("target=\"c\" />", "target=\"c\" directed=\"false\" />");
    assert!(refused("g.graphml", mixed).contains("all edges directed or all undirected"));
}

/// NetworkX 3.6 declares weights twice where some are whole numbers and others are not.
#[test]
fn weights_of_two_types_are_weights() {
    let text = r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d1" for="edge" attr.name="weight" attr.type="long"/>
<key id="d0" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"><data key="d0">2.5</data></edge>
<edge source="b" target="c"><data key="d1">3</data></edge>
<edge source="c" target="a"/>
</graph></graphml>"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.graphml");
    std::fs::write(&path, text).unwrap();
    let input = read(&path, &Options::default()).unwrap();
    assert_eq!(arcs(&input), ["a>b 2.5", "b>c 3", "c>a 1"]);
    assert!(input.notes.is_empty(), "{:?}", input.notes);
}

/// As igraph 1.0 writes it: ids are places, and names an attribute.
const IGRAPH: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns
         http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
<!-- Created by igraph -->
  <key id="v_name" for="node" attr.name="name" attr.type="string"/>
  <key id="v_age" for="node" attr.name="age" attr.type="double"/>
  <key id="e_weight" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="G" edgedefault="undirected">
    <node id="n0">
      <data key="v_name">ann</data>
      <data key="v_age">1.5</data>
    </node>
    <node id="n1">
      <data key="v_name">bob</data>
      <data key="v_age">0</data>
    </node>
    <edge source="n0" target="n1">
      <data key="e_weight">2</data>
    </edge>
  </graph>
</graphml>
"#;

#[test]
fn graphml_of_igraph_calls_vertices_by_their_names() {
    let input = read_as("g.graphml", IGRAPH);
    assert_eq!((arcs(&input), input.directed), (vec!["ann>bob 2".to_owned()], false));
    assert_eq!(input.notes, ["not kept: `age` of vertices"]);
    // Names are ids only if every vertex has one, and no two share one.
    for odd in [IGRAPH.replace(">bob<", ">ann<"), IGRAPH.replace("<data key=\"v_name\">bob</data>", "")] {
        let input = read_as("g.graphml", odd);
        assert_eq!(arcs(&input), ["n0>n1 2"]);
        assert_eq!(input.notes, ["not kept: `name` of vertices, `age` of vertices"]);
    }
}

/// As igraph 1.0 writes it, without and with names and weights.
#[test]
fn pajek_of_igraph_is_read() {
    let input = read_as("g.net", "*Vertices 3\r\n*Edges\r\n1 2\r\n2 3\r\n");
    assert_eq!((arcs(&input), input.directed), (vec!["1>2".to_owned(), "2>3".to_owned()], false));
    let input = read_as("g.net", "*Vertices 2\n1 \"new york\"\n2 \"b\"\n*Arcs\n1 2 0.5\n");
    assert_eq!((arcs(&input), input.directed), (vec!["new york>b 0.5".to_owned()], true));
    let input = read_as("g.net", "*Vertices 2\n1 \"AC\\DC\"\n2 \"ACDC\"\n*Arcs\n1 2\n");
    assert_eq!(arcs(&input), ["AC\\DC>ACDC"]);
}

#[test]
fn gexf_pajek_and_json_are_read() {
    let gexf = r#"<gexf version="1.2"><graph defaultedgetype="undirected"><nodes><node id="0" label="x"/><node id="1"/></nodes>
        <edges><edge id="0" source="0" target="1" weight="2.5"/></edges></graph></gexf>"#;
    let input = read_as("g.gexf", gexf);
    assert_eq!((arcs(&input), input.mirrored), (vec!["0>1 2.5".to_owned()], true));
    assert_eq!(input.notes, ["not kept: `label` of vertices"]);
    let pajek =
        "*Vertices 3\n1 \"new york\" 0.1 0.2\n2 \"b\"\n3 \"c\"\n*Arcs\n1 2 4\n*Edges\n2 3 1\n*Arcslist\n3 1 2\n";
    let input = read_as("g.net", pajek);
    assert_eq!(arcs(&input), ["b>c 1", "c>b 1", "c>b 1", "c>new york 1", "new york>b 4"]);
    assert!(refused("g.net", "*Vertices 2\n*Arcs\n1 3\n").contains(":3:1: expected a vertex between 1 and 2, found 3"));
    assert!(refused("g.net", "*Vertices 4000000000\n*Arcs\n").contains("declares 4000000000 vertices"));
    let json = r#"{"directed": true, "nodes": [{"id": 5}, {"id": 7, "size": 2}], "links": [{"source": 5, "target": 7, "weight": 3}]}"#;
    let input = read_as("g.json", json);
    assert_eq!((arcs(&input), input.directed), (vec!["5>7 3".to_owned()], true));
    assert_eq!(input.notes, ["not kept: `size` of vertices"]);
    assert!(refused("g.json", "{\"nodes\": [}").contains(":1:12"));
    assert!(refused("g.json", "{\"nodes\": []}").contains("an array `edges` or `links`"));
}

#[test]
fn ids_in_json_are_numbers_or_strings() {
    let graph = |nodes: &str, links: &str| format!("{{\"nodes\": [{nodes}], \"links\": [{links}]}}");
    let input = read_as("g.json", graph(r#"{"id": 1.0}, {"id": 2}, {"id": 0.5}"#, r#"{"source": 1, "target": 2e0}"#));
    assert_eq!(input.ids.labels().map(|label| label.to_string()).collect::<Vec<_>>(), ["0.5", "1", "2"]);
    assert_eq!((arcs(&input), &input.notes[..]), (vec!["1>2".to_owned()], &[][..]));
    for (nodes, links) in [
        (r#"{"id": 1}, {"id": "1"}"#, ""),
        (r#"{"id": 1}, {"id": 2}"#, r#"{"source": "1", "target": "2"}"#),
        (r#"{"id": "1"}, {"id": "2"}"#, r#"{"source": 1, "target": 2}"#),
        (r#"{"id": "1"}, {}"#, ""),
    ] {
        let why = refused("g.json", graph(nodes, links));
        assert!(why.ends_with("expected ids that differ by more than quotes, found `1` and `\"1\"`"), "{why}");
    }
    let why = refused("g.json", graph(r#"{"id": 18446744073709551616}, {"id": 18446744073709551617}"#, ""));
    assert!(why.contains("a number of at most 64 bits"), "{why}");
    let mixed = graph(r#"{"id": 1}, {"id": "2"}, {"id": "a"}"#, r#"{"source": 1, "target": "2"}"#);
    assert_eq!(arcs(&read_as("g.json", mixed)), ["1>2"]);
}

/// A column may be called by a year.
#[test]
fn headings_of_tables_may_be_numbers_in_quotes() {
    let input = read_as("g.csv", "src,dst,\"2020\"\n1,2,5\n2,3,6\n");
    assert_eq!(arcs(&input), ["1>2", "2>3"]);
    assert_eq!(input.notes, ["read as: src dst _"]);
}

/// A process that was killed leaves a file, and another process may have its number.
#[test]
fn files_left_behind_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..500 {
        let left = format!(".g.el.{}-{number}.part", std::process::id());
        std::fs::write(folder.path().join(left), "left").unwrap();
    }
    let input = read_as("g.el", "0 1\n1 2\n");
    write(&input, folder.path().join("g.el")).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("g.el")).unwrap(), "0 1\n1 2\n");
}

/// The largest id that 64 bits hold is one.
#[test]
fn the_largest_ids_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let input = read_as("g.el", "18446744073709551614 18446744073709551615\n");
    for name in ["g.plg", "g.el"] {
        write(&input, folder.path().join(name)).unwrap();
        let back = read(folder.path().join(name), &Options::default()).unwrap();
        assert_eq!(arcs(&back), arcs(&input), "{name}");
    }
}

/// Older programs have places of vertices as ends of edges, even where vertices have ids.
#[test]
fn places_of_vertices_in_json_are_not_taken_for_ids() {
    let why = refused("g.json", r#"{"links": [{"source": 1, "target": 0}], "nodes": [{"id": "a"}, {"id": "b"}]}"#);
    assert!(why.ends_with("which are strings here, and not between their places, found `1`"), "{why}");
    let input =
        read_as("g.json", r#"{"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 1, "target": 0}]}"#);
    assert_eq!(arcs(&input), ["1>0"]);
}

#[test]
fn json_has_no_infinities() {
    for word in ["NaN", "Infinity", "-Infinity"] {
        let text = format!("{{\"nodes\": [],\n\"edges\": [{{\"source\": 1, \"target\": 2, \"weight\": {word}}}]}}");
        let expected = format!(
            "g.json:2:48: expected a finite number or null, since JSON has no infinity and no NaN, found `{word}`"
        );
        let why = refused("g.json", text);
        assert!(why.ends_with(&expected), "{why}");
    }
}

#[test]
fn vertices_that_only_edges_name_are_noted() {
    let gexf = r#"<gexf><graph><nodes><node id="0"/></nodes><edges><edge source="0" target="1"/><edge source="1" target="x"/></edges></graph></gexf>"#;
    assert_eq!(read_as("g.gexf", gexf).notes, ["2 vertices of edges are not among the nodes"]);
    let graphml =
        r#"<graphml><graph edgedefault="directed"><node id="a"/><edge source="a" target="b"/></graph></graphml>"#;
    assert_eq!(read_as("g.graphml", graphml).notes, ["1 vertex of edges is not among the nodes"]);
    let json = r#"{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}, {"source": 2, "target": 3}]}"#;
    assert_eq!(read_as("g.json", json).notes, ["2 vertices of edges are not among the nodes"]);
}

#[test]
fn what_is_written_in_other_formats_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.txt", "# Undirected graph\n1 2 0.5\n2 30 -4\n"),
        ("b.txt", "1 2\n2 1\n7 7\n"),
        ("c.csv", "source,target,weight\n\"x <&> \"\"y\"\"\",z,2\nz,q \\ r,1\n"),
    ] {
        let input = read_as(name, text);
        for ending in ["graphml", "gexf", "net", "json", "graphml.gz"] {
            let path = folder.path().join(format!("{name}.{ending}"));
            write(&input, &path).unwrap();
            let back = read(&path, &Options::default()).unwrap();
            // Pajek numbers vertices from 1 and has what they are called as labels.
            assert_eq!(arcs(&back), arcs(&input), "{ending}");
            assert_eq!((back.directed, back.mirrored), (input.directed, input.mirrored), "{ending}");
        }
        let dot = folder.path().join("g.dot");
        write(&input, &dot).unwrap();
        let dot = std::fs::read_to_string(dot).unwrap();
        assert!(
            dot.starts_with(if input.directed { "digraph {\n" } else { "graph {\n" }) && dot.ends_with("}\n"),
            "{dot}"
        );
    }
}

#[test]
fn matrices_of_scipy_go_and_come() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 0.5\n2 1 -1e300\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
    ] {
        let input = read_as("a.mtx", text);
        let path = folder.path().join("a.npz");
        write(&input, &path).unwrap();
        let back = read(&path, &Options::default()).unwrap();
        assert_eq!((&back.edges, back.mirrored), (&input.edges, false));
        let bytes = std::fs::read(&path).unwrap();
        assert!(refused("a.npz", &bytes[..bytes.len() / 2]).contains("a.npz"));
    }
    let symmetric = read_as("s.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n");
    let path = folder.path().join("s.npz");
    write(&symmetric, &path).unwrap();
    assert_eq!(arcs(&read(&path, &Options::default()).unwrap()), ["0>0 3", "0>1 4", "1>0 4"]);
}

/// A directed graph whose vertices have these names, which ascend.
fn directed(names: &[&str]) -> Input {
    let mut graph = pleach_datasets::open("florentine", &Options::default()).unwrap();
    graph.ids = pleach_datasets::IdMap::from_sorted_names(names.iter().copied());
    (graph.directed, graph.mirrored) = (true, false);
    graph
}

/// Names with separators, quotes, blanks and marks of comments in them, and names that look like ids, each of them in the first line.
#[test]
fn names_come_back_from_lists_of_edges() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        " pad ",
        "#1",
        "01",
        "12",
        "Alice, A.",
        "a\tb",
        "a, b",
        "from",
        "plain",
        "say \"so\"",
        "to",
        "two words",
        "x;y",
    ];
    let (mut graph, n) = (directed(&names), names.len() as u32);
    for first in 0..n {
        let mut list = pleach::EdgeList::new(names.len(), names.len());
        for vertex in (first..n).chain(0..first) {
            list.push(vertex, (vertex + 3) % n, f64::from(vertex));
        }
        for edges in [Edges::Weighted(list.clone()), Edges::Pattern(Edges::Weighted(list).into_pattern())] {
            graph.edges = edges;
            for ending in ["csv", "tsv", "txt", "el", "wel"] {
                let path = folder.path().join(format!("g.{ending}"));
                write(&graph, &path).unwrap();
                let again = read(&path, &Options::default()).unwrap();
                let context = format!("{:?} first in .{ending}", names[first as usize]);
                assert_eq!((&again.ids, &again.edges, again.directed), (&graph.ids, &graph.edges, true), "{context}");
            }
        }
    }
}

/// The same in lists of neighbours, where vertices may have no edges, or none has any.
#[test]
fn names_come_back_from_lists_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "\tx",
        " pad ",
        "\"",
        "\"a\"",
        "\"a\" b",
        "#1",
        "%",
        "5\" disk",
        "a\tb",
        "a\rb",
        "a, b",
        "from",
        "to",
        "two words",
        "x;y",
    ];
    let (mut graph, n) = (directed(&names), names.len() as u32);
    for (first, count) in (0..n).map(|first| (first, n)).chain([(0, 0), (5, 1), (12, 4)]) {
        let mut list = pleach::EdgeList::new(names.len(), names.len());
        for k in 0..count {
            list.push((first + k) % n, (first + k + 3) % n, ());
        }
        graph.edges = Edges::Pattern(list);
        let path = folder.path().join("g.names");
        write(&graph, &path).unwrap();
        let again = read(&path, &Options::default()).unwrap();
        assert_eq!((&again.ids, &again.edges), (&graph.ids, &graph.edges), "{first} {count}");
    }
    for wrong in ["", "a\nb", "\0"] {
        graph.ids = pleach_datasets::IdMap::from_sorted_names([wrong, "x"]);
        graph.edges = Edges::Pattern(pleach::EdgeList::new(2, 2));
        for ending in ["names", "csv", "tsv", "el"] {
            let path = folder.path().join(format!("w.{ending}"));
            let why = write(&graph, &path).unwrap_err().to_string();
            let expected = format!("expected names of vertices of one line of text each, found {wrong:?}");
            assert!(why.ends_with(&expected) && !path.exists(), "{why}");
        }
    }
}

/// A quote in a name is no quote around it.
#[test]
fn quotes_within_listed_names_are_kept() {
    let input = read_as("a.names", "5\" disk\tsay \"so\"\t\"a\" b\t\" q\"\t\"x\" or \"y\"\n");
    let labels: Vec<String> = input.ids.labels().map(|label| label.to_string()).collect();
    assert_eq!(labels, [" q", "\"a\" b", "\"x\" or \"y\"", "5\" disk", "say \"so\""]);
}

/// Below a heading, what begins like a comment and has all columns is a row.
#[test]
fn rows_below_a_heading_are_no_comments() {
    let names = ["#a>b", "c>%d", "%e>f"];
    for text in [
        "source,target\n#a,b\nc,%d\n%e,f\n",
        "source\ttarget\n\n#a\tb\nc\t%d\n%e\tf\n",
        "# a comment\nsource target\n#a b\nc %d\n%e f\n",
        "source;target\n\"#a\";b\nc;%d\n%e;f\n",
    ] {
        let mut found = arcs(&read_as(if text.contains(',') || text.contains(';') { "a.csv" } else { "a.tsv" }, text));
        found.sort();
        let mut expected = names.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text:?}");
    }
    // No line is lost: one that looks like a comment, and is no row, is refused.
    for text in ["source,target\n# a comment\na,b\n", "source,target\na,b\n#c,d,e\n", "source,target\na,b\n# c\n"] {
        let why = refused("a.csv", text);
        let line = text.lines().position(|line| line.starts_with('#')).expect("there is one") + 1;
        assert!(why.contains(&format!("a.csv:{line}:")), "{text:?}: {why}");
    }
    assert_eq!(
        arcs(&read_as("a.csv", "source,target\n# a comment\n1,2\n# another, one more, and one\n3,4\n")),
        ["1>2", "3>4"]
    );
    assert_eq!(arcs(&read_as("a.names", "a,b\n#c,d\n")), ["a>b"], "without a heading");
    let text = "tag,source,target\n#x,1,2\n# a comment, of two parts\n%y,3,4\nz,5,6\n";
    let input = read_as("a.csv", text);
    assert_eq!(arcs(&input), ["1>2", "3>4", "5>6"]);
    let why = refused("a.csv", "source,target\n1,2\n#3,4\n");
    assert!(why.ends_with("a.csv:3:1: expected a vertex id (a whole number), found `#3`"), "{why}");
    assert_eq!(arcs(&read_as("a.csv", "1,2\n#3,4\n")), ["1>2"]);
}

/// Ids in quotes, as spreadsheets write texts of digits, are no heading.
#[test]
fn numbers_in_quotes_are_ids() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    for text in ["\"1\",\"2\"\n\"3\",\"4\"\n", "\"from\",\"to\"\n\"1\",\"2\"\n\"3\",\"4\"\n"] {
        std::fs::write(&path, text).unwrap();
        let input = read(&path, &Options::default()).unwrap();
        assert_eq!((arcs(&input), input.ids.has_names()), (vec!["1>2".to_owned(), "3>4".to_owned()], false), "{text}");
    }
}

/// A comma in quotes or between tabs separates no columns, whichever line it is in.
#[test]
fn separators_in_names_separate_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.csv", "\"Alice, A.\",Bob,2\n"),
        ("b.csv", "\"Alice, A.\";Bob;2\n"),
        ("a.tsv", "Alice, A.\tBob\t2\n"),
        ("b.tsv", "from\tto\tweight\nAlice, A.\tBob\t2\n"),
        ("a.txt", "\"Alice, A.\"\tBob\t2\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let input = read(&path, &Options::default()).unwrap_or_else(|why| panic!("{why}"));
        let labels: Vec<String> = input.ids.labels().map(|label| label.to_string()).collect();
        assert_eq!(
            (labels, arcs(&input)),
            (vec!["Alice, A.".to_owned(), "Bob".to_owned()], vec!["Alice, A.>Bob 2".to_owned()]),
            "{name}"
        );
    }
}

/// NetworkX merges parallel edges of a graph that does not say that it has some.
#[test]
fn json_says_whether_edges_are_parallel() {
    let folder = tempfile::tempdir().unwrap();
    let written = |text: &str| {
        let json = folder.path().join("a.json");
        write(&read(put(&folder, "a.txt", text), &Options::default()).unwrap(), &json).unwrap();
        let multiple = std::fs::read_to_string(&json).unwrap().contains("\"multigraph\": true");
        assert_eq!(
            read(&json, &Options::default()).unwrap().edges.len(),
            text.lines().filter(|l| !l.starts_with('#')).count()
        );
        multiple
    };
    assert!(written("1 2\n1 2\n2 3\n"));
    assert!(!written("1 2\n2 1\n2 3\n"));
    assert!(written("# Undirected graph\n1 2\n2 1\n2 3\n"));
    assert!(!written("# Undirected graph\n1 2\n2 3\n"));
}

#[test]
fn files_of_several_graphs_are_refused() {
    let graph = "<graph edgedefault=\"directed\"><node id=\"a\"/></graph>";
    let two = format!("<graphml>\n{graph}\n{graph}\n</graphml>");
    assert!(
        refused("g.graphml", &two).contains("g.graphml:3:1: expected one graph in a file, found `a second <graph>`")
    );
    for text in [
        "*Network a\n*Vertices 2\n*Arcs\n1 2\n*Network b\n*Vertices 2\n*Arcs\n2 1\n",
        "% a\n*Vertices 2\n*Arcs\n1 2\n*Vertices 2\n*Arcs\n2 1\n",
    ] {
        assert!(refused("g.net", text).contains("g.net:5:1: expected one network in a file, found `*"), "{text}");
    }
}

/// Of what has no place of its own in JSON, the error names where the item ends.
#[test]
fn errors_in_json_name_a_line() {
    let json =
        |vertex: &str, edge: &str| format!("{{\"nodes\": [\n{{\"id\": 1}},\n{vertex}],\n\"edges\": [\n{edge}\n]}}\n");
    let edge = "{\"source\": 1, \"target\": 2}";
    for (text, line) in [
        (json("{\"id\": [2]}", edge), 3),
        (json("{\"id\": 2}", "{\"source\": 1}"), 5),
        (json("{\"id\": 2}", "{\"source\": 1, \"target\": 2, \"weight\": \"x\"}"), 5),
        (json("{\"id\": 2}", "\"x\""), 5),
        ("{\n\"nodes\": {}}".to_owned(), 2),
    ] {
        let why = refused("g.json", &text);
        assert!(why.contains(&format!("g.json:{line}:")), "{text}: {why}");
    }
}
