//! Attributes of vertices and edges: kept between formats that have them, named where they are lost.

use std::path::{Path, PathBuf};

use pleach_datasets::{Attribute, Input, Kind, Options, Value, lost_attributes, read, write};
use tempfile::TempDir;

fn put(folder: &TempDir, name: &str, content: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn open(path: &Path) -> Input {
    read(path, &Options::default().with_attributes(true)).unwrap_or_else(|error| panic!("{error}"))
}

fn read_as(name: &str, content: &str) -> Input {
    let folder = tempfile::tempdir().unwrap();
    open(&put(&folder, name, content))
}

/// Attributes by the labels of vertices or of the ends of edges, sorted: `ann: age=42`.
fn said(input: &Input, of_vertices: bool) -> Vec<String> {
    let (src, dst) = (input.edges.src(), input.edges.dst());
    let called = |row: usize| match of_vertices {
        true => input.ids.label(row as u32).to_string(),
        false => format!("{}>{}", input.ids.label(src[row]), input.ids.label(dst[row])),
    };
    let columns = if of_vertices { &input.attributes.vertices } else { &input.attributes.edges };
    let one = |column: &Attribute| -> Vec<String> {
        column.iter().map(|(row, value)| format!("{}: {}={value:?}", called(row), column.name())).collect()
    };
    let mut all: Vec<String> = columns.iter().flat_map(one).collect();
    all.sort();
    all
}

const GRAPHML: &str = r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="a" for="node" attr.name="age" attr.type="int"><default>7</default></key>
  <key id="b" for="node" attr.name="ok" attr.type="boolean"/>
  <key id="c" for="edge" attr.name="share" attr.type="double"/>
  <key id="d" for="all" attr.name="note" attr.type="string"/>
  <key id="w" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>
  <graph edgedefault="directed">
    <node id="zoe"><data key="b">true</data></node>
    <node id="ann"><data key="a">42</data><data key="d">a &lt;b&gt; "c"</data></node>
    <edge source="zoe" target="ann"><data key="c">0.5</data><data key="w">3</data></edge>
    <edge source="ann" target="ann"><data key="d">  two words</data></edge>
  </graph>
</graphml>"#;

#[test]
#[cfg_attr(miri, ignore)]
fn types_and_defaults_of_graphml_are_kept() {
    let input = read_as("g.graphml", GRAPHML);
    assert_eq!(
        said(&input, true),
        ["ann: age=Integer(42)", "ann: note=Text(\"a <b> \\\"c\\\"\")", "zoe: age=Integer(7)", "zoe: ok=Boolean(true)"]
    );
    assert_eq!(said(&input, false), ["ann>ann: note=Text(\"  two words\")", "zoe>ann: share=Float(0.5)"]);
    assert_eq!(input.edges.weight(), Some(&[3.0, 2.0][..]));
    assert!(input.notes.is_empty(), "{:?}", input.notes);
}

/// A default is the value of all that say none. What is said counts, under whichever key of the name.
#[test]
#[cfg_attr(miri, ignore)]
fn defaults_stand_for_what_is_not_said() {
    let graphml = r#"<graphml>
      <key id="a" for="node" attr.name="x" attr.type="int"><default>7</default></key>
      <key id="b" for="node" attr.name="x" attr.type="string"/>
      <key id="c" for="edge" attr.name="y" attr.type="boolean"><default>true</default></key>
      <key id="d" for="node" attr.name="z" attr.type="int"><default>1</default></key>
      <graph edgedefault="directed">
        <node id="0"><data key="b">two</data></node><node id="1"/>
        <edge source="0" target="1"/><edge source="1" target="2"><data key="c">false</data></edge>
      </graph>
    </graphml>"#;
    let gexf = r#"<gexf><graph defaultedgetype="directed">
      <attributes class="node"><attribute id="a" title="x" type="integer"><default>7</default></attribute></attributes>
      <attributes class="node"><attribute id="b" title="x" type="string"/>
        <attribute id="d" title="z" type="integer"><default>1</default></attribute></attributes>
      <attributes class="edge"><attribute id="c" title="y" type="boolean"><default>true</default></attribute>
        <attribute id="w" title="weight" type="double"><default>2.5</default></attribute></attributes>
      <nodes><node id="0"><attvalues><attvalue for="b" value="two"/></attvalues></node></nodes><nodes><node id="1"/></nodes>
      <edges><edge source="0" target="1"/></edges>
      <edges><edge source="1" target="2"><attvalues><attvalue for="c" value="false"/></attvalues></edge></edges>
    </graph></gexf>"#;
    for (name, text, weight) in [("g.graphml", graphml, None), ("g.gexf", gexf, Some(&[2.5, 2.5][..]))] {
        let input = read_as(name, text);
        let expected = [
            "0: x=Text(\"two\")",
            "0: z=Integer(1)",
            "1: x=Text(\"7\")",
            "1: z=Integer(1)",
            "2: x=Text(\"7\")",
            "2: z=Integer(1)",
        ];
        assert_eq!(said(&input, true), expected, "{name}");
        assert_eq!(said(&input, false), ["0>1: y=Boolean(true)", "1>2: y=Boolean(false)"], "{name}");
        assert_eq!(input.edges.weight(), weight, "{name}");
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn formats_hand_attributes_on() {
    let folder = tempfile::tempdir().unwrap();
    let input = open(&put(&folder, "g.graphml", GRAPHML));
    for ending in ["graphml", "gexf", "json", "net"] {
        let path = folder.path().join(format!("again.{ending}"));
        write(&input, &path).unwrap();
        let again = open(&path);
        assert_eq!((said(&again, true), said(&again, false)), (said(&input, true), said(&input, false)), "{ending}");
        assert_eq!(lost_attributes(&input, ending), [""; 0]);
    }
    for ending in ["csv", "parquet", "arrow", "arrows"] {
        if ending != "csv" && !cfg!(feature = "tables") {
            continue;
        }
        let path = folder.path().join(format!("again.{ending}"));
        write(&input, &path).unwrap();
        let again = open(&path);
        assert_eq!((said(&again, true), said(&again, false)), (vec![], said(&input, false)), "{ending}");
        assert_eq!(
            lost_attributes(&input, ending),
            ["not kept: `ok` of vertices, `age` of vertices, `note` of vertices"]
        );
    }
    assert_eq!(lost_attributes(&input, "mtx").len(), 1);
    let dot = folder.path().join("g.dot");
    write(&input, &dot).unwrap();
    let dot = std::fs::read_to_string(dot).unwrap();
    assert!(dot.contains(r#""ann" ["age"=42, "note"="a <b> \"c\""];"#), "{dot}");
    assert!(dot.contains(r#""zoe" -> "ann" [weight=3, "share"="0.5"];"#), "{dot}");
}

#[test]
#[cfg_attr(miri, ignore)]
fn columns_of_csv_are_attributes_by_their_headings() {
    let text = "source,target,weight,timestamp,\"say \"\"x\"\", y\",code,flag\n\
                1,2,0.5,1082040961,\"a, b\",007,true\n2,3,1,1082040962,,5,\n\n# comment\n3,1,1,1082040963,\"\",6,false\n";
    let input = read_as("g.csv", text);
    let kinds: Vec<_> = input.attributes.edges.iter().map(|column| (column.name(), column.kind())).collect();
    let expected =
        [("timestamp", Kind::Integer), ("say \"x\", y", Kind::Text), ("code", Kind::Text), ("flag", Kind::Boolean)];
    assert_eq!(kinds, expected);
    assert_eq!(input.attributes.edges[1].get(0), Some(Value::Text("a, b")));
    assert_eq!(input.attributes.edges[1].get(1), None);
    assert_eq!(input.attributes.edges[1].get(2), Some(Value::Text("")));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.csv");
    write(&input, &path).unwrap();
    assert_eq!(open(&path).attributes, input.attributes);
    // Whole numbers of one block among texts of another.
    let lines: String =
        (0..200_000).map(|k| format!("1,2,{}\n", if k == 199_000 { "007".into() } else { k.to_string() })).collect();
    let input = read_as("g.csv", &format!("source,target,code\n{lines}"));
    let code = |row| input.attributes.edges[0].get(row);
    assert_eq!((code(5), code(199_000)), (Some(Value::Text("5")), Some(Value::Text("007"))));
    // Times without a heading are called so; other columns are left out where the user names all of them.
    let times = read_as("out.k", "% asym positive\n1 2 4 1082040961\n2 1 5 1082040962\n");
    assert_eq!(said(&times, false), ["1>2: time=Integer(1082040961)", "2>1: time=Integer(1082040962)"]);
}

#[test]
#[cfg_attr(miri, ignore)]
fn rows_of_several_blocks_keep_their_places() {
    let lines: String = (0..200_000).map(|k| format!("{},{},k{k}\n", k % 1000, k % 777)).collect();
    let input = read_as("g.csv", &format!("source,target,name\n{lines}"));
    let column = &input.attributes.edges[0];
    assert_eq!(column.len(), 200_000);
    for row in [0, 1, 99_999, 199_999] {
        assert_eq!(column.get(row), Some(Value::Text(&format!("k{row}"))));
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn what_no_attribute_holds_is_named() {
    let json = r#"{"graph": {"name": "x"}, "nodes": [{"id": 1, "tags": ["a"], "n": null, "big": 18446744073709551615},
        {"id": 2, "size": 1}, {"id": 3, "size": 2.5}], "edges": [{"source": 1, "target": 2, "key": 0}]}"#;
    let input = read_as("g.json", json);
    let expected = ["1: big=Text(\"18446744073709551615\")", "2: size=Float(1.0)", "3: size=Float(2.5)"];
    assert_eq!(said(&input, true), expected);
    assert_eq!(input.notes, ["not kept: `name` of the graph, `tags` of vertices"]);
    let gexf = r#"<gexf xmlns:viz="v"><graph><attributes class="node"><attribute id="0" title="n" type="integer"><default>4</default></attribute></attributes>
        <nodes><node id="0" label="x"><viz:color r="1"/></node><node id="1"><attvalues><attvalue for="0" value="9"/></attvalues></node></nodes>
        <edges><edge id="e7" source="0" target="1" label="l"/></edges></graph></gexf>"#;
    let input = read_as("g.gexf", gexf);
    assert_eq!(said(&input, true), ["0: label=Text(\"x\")", "0: n=Integer(4)", "1: n=Integer(9)"]);
    assert_eq!(said(&input, false), ["0>1: id=Text(\"e7\")", "0>1: label=Text(\"l\")"]);
    assert_eq!(input.notes, ["not kept: `color` of vertices"]);
}

/// Many programs write ids as labels of GEXF. If some label differs from its id, all labels become an attribute.
#[test]
#[cfg_attr(miri, ignore)]
fn labels_that_are_ids_are_kept_among_others() {
    let gexf = |nodes: &str| format!("<gexf><graph><nodes>{nodes}</nodes><edges/></graph></gexf>");
    let same = r#"<node id="a" label="a"/><node id="b"/><node id="c" label="c"/>"#;
    let other = r#"<node id="d" label="x"/><node id="e" label="e"/>"#;
    assert!(said(&read_as("g.gexf", &gexf(same)), true).is_empty());
    let expected = ["a: label=Text(\"a\")", "c: label=Text(\"c\")", "d: label=Text(\"x\")", "e: label=Text(\"e\")"];
    for nodes in [format!("{same}{other}"), format!("{other}{same}")] {
        assert_eq!(said(&read_as("g.gexf", &gexf(&nodes)), true), expected);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.gexf");
    for nodes in [
        r#"{"id": "a", "label": "a"}, {"id": "b"}"#,
        r#"{"id": "a", "label": "a"}, {"id": "b"}, {"id": "c", "label": "x"}"#,
        r#"{"id": 1, "label": 1, "size": 2}, {"id": 2, "label": 2}"#,
        r#"{"id": "a", "size": 2}, {"id": "b"}"#,
    ] {
        let input = read_as("g.json", &format!("{{\"nodes\": [{nodes}], \"edges\": []}}"));
        write(&input, &path).unwrap();
        assert_eq!(said(&open(&path), true), said(&input, true));
    }
    // Vertices without an attribute have their ids as labels, as other programs expect.
    assert!(std::fs::read_to_string(&path).unwrap().contains("<node id=\"b\" label=\"b\"/>"));
}

/// An attribute of the name that ids of edges, or labels, would get.
#[test]
#[cfg_attr(miri, ignore)]
fn attributes_of_one_name_are_kept_apart() {
    let gexf = r#"<gexf><graph><attributes class="edge"><attribute id="0" title="id" type="string"/></attributes><nodes/><edges>
        <edge id="0" source="0" target="1"/><edge id="z" source="1" target="2"><attvalues><attvalue for="0" value="own"/></attvalues></edge>
        </edges></graph></gexf>"#;
    let input = read_as("g.gexf", gexf);
    assert_eq!(said(&input, false), ["0>1: id_=Text(\"0\")", "1>2: id=Text(\"own\")", "1>2: id_=Text(\"z\")"]);
    let pajek = "*Vertices 3\n3 same\n2 same 0 0 box label inner\n1 first 1 1 box label outer\n*Arcs\n1 2\n";
    let input = read_as("g.net", pajek);
    let labels: Vec<String> = said(&input, true).into_iter().filter(|said| said.contains("label")).collect();
    let expected = [
        "1: label=Text(\"outer\")",
        "1: label_=Text(\"first\")",
        "2: label=Text(\"inner\")",
        "2: label_=Text(\"same\")",
        "3: label_=Text(\"same\")",
    ];
    assert_eq!(labels, expected);
    let input = read_as("g.csv", "source,target,x,x\n1,2,,5\n2,1,7,\n");
    assert_eq!(said(&input, false), ["1>2: x_=Integer(5)", "2>1: x=Integer(7)"]);
}

/// Names that mean something else in a format, values that it cannot hold, and lines in any order.
#[test]
#[cfg_attr(miri, ignore)]
fn odd_attributes_are_kept_or_named() {
    let json = r#"{"nodes": [{"id": 1, "x": "left", "line": "a\nb", "bell": "\u0007"}, {"id": 2}],
        "edges": [{"source": 1, "target": 2, "src": 5, "key of 2": "é\\\"q"}]}"#;
    let input = read_as("g.json", json);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.net");
    write(&input, &path).unwrap();
    assert_eq!(
        lost_attributes(&input, "net"),
        [
            "not kept: 1 value of `bell` of vertices, which .net cannot hold",
            "not kept: 1 value of `line` of vertices, which .net cannot hold",
            "`x` of vertices is written as `x_`",
            "edges get a weight of 1, which Pajek has in front of attributes"
        ]
    );
    let again = open(&path);
    assert_eq!(said(&again, true), ["1: x_=Text(\"left\")"]);
    assert_eq!(said(&again, false), said(&input, false));
    let path = folder.path().join("g.graphml");
    write(&input, &path).unwrap();
    assert_eq!(said(&open(&path), true), ["1: line=Text(\"a\\nb\")", "1: x=Text(\"left\")"]);
    assert_eq!(
        lost_attributes(&input, "graphml"),
        ["not kept: 1 value of `bell` of vertices, which .graphml cannot hold"]
    );
    assert_eq!(lost_attributes(&input, "csv")[1], "`src` of edges is written as `edge_src`");
    let pajek = "*Vertices 2\n2 \"b\" 0.5 1 box c red\n1 \"a\" 0.0 0.0 ellipse age 3\n*Edges\n2 1 4 since 1999\n";
    let input = read_as("g.net", pajek);
    assert_eq!(said(&input, true)[..3], ["a: age=Integer(3)", "a: shape=Text(\"ellipse\")", "a: x=Float(0.0)"]);
    assert_eq!(said(&input, false), ["b>a: since=Integer(1999)"]);
    let path = folder.path().join("h.net");
    write(&input, &path).unwrap();
    assert_eq!(said(&open(&path), true), said(&input, true));
}

/// Texts that look like times, line ends in names of attributes, and what no document of XML can have.
#[test]
#[cfg_attr(miri, ignore)]
fn odd_texts_and_names_come_back_or_are_refused() {
    let json = r#"{"nodes": [{"id": "v", "tags": "[a]", "color": "red", "x\ny": 2}],
        "edges": [{"source": "v", "target": "v", "tags": "[a]", "kind": "x"}]}"#;
    let input = read_as("g.json", json);
    let folder = tempfile::tempdir().unwrap();
    for ending in ["net", "graphml", "gexf"] {
        let path = folder.path().join(format!("g.{ending}"));
        write(&input, &path).unwrap();
        let again = open(&path);
        let name = if ending == "net" { "x_y" } else { "x\ny" };
        let expected =
            ["v: color=Text(\"red\")".to_owned(), "v: tags=Text(\"[a]\")".to_owned(), format!("v: {name}=Integer(2)")];
        assert_eq!(said(&again, true), expected, "{ending}");
        assert_eq!(said(&again, false), said(&input, false), "{ending}");
    }
    let bell = read_as("g.json", r#"{"nodes": [{"id": "a\u0001", "b\u0002": 1}], "edges": []}"#);
    for ending in ["net", "graphml", "gexf"] {
        let refused = write(&bell, folder.path().join(format!("b.{ending}"))).unwrap_err().to_string();
        assert!(refused.contains("has a control character"), "{refused}");
    }
    let named = read_as("g.json", r#"{"nodes": [{"id": "a", "b\u0002": 1}], "edges": []}"#);
    let path = folder.path().join("c.graphml");
    write(&named, &path).unwrap();
    assert_eq!(said(&open(&path), true), ["a: b_=Integer(1)"]);
    let infinite = folder.path().join("i.mtx");
    std::fs::write(&infinite, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 inf\n").unwrap();
    let infinite = read(&infinite, &Options::default().with_any_number(true)).unwrap();
    let refused = write(&infinite, folder.path().join("i.json")).unwrap_err().to_string();
    assert!(refused.contains("finite weights"), "{refused}");
}

/// Attributes whose names stand for weights, times or operations in tables of edges.
#[test]
#[cfg_attr(miri, ignore)]
fn attributes_stay_attributes_in_tables() {
    let names = [
        "w", "value", "sign", "cost", "distance", "capacity", "rating", "Weight", "length", "weight_", "op", "source",
        "t", "Type",
    ];
    let values: Vec<String> = names
        .iter()
        .map(|name| format!("\"{name}\": {}", if *name == "Type" { "\"Directed\"" } else { "\"x\"" }))
        .collect();
    // An attribute is not called as the ends are in JSON.
    let values = values.join(", ").replace("\"source\":", "\"from\":");
    let json = format!(
        "{{\"directed\": false, \"nodes\": [], \"edges\": [{{\"source\": \"a\", \"target\": \"b\", {values}, \"date\": \"2020-02-29\"}}]}}"
    );
    let graph = read_as("g.json", &json);
    assert_eq!(graph.attributes.edges.len(), 15);
    let folder = tempfile::tempdir().unwrap();
    let tables: &[&str] = if cfg!(feature = "tables") { &["csv", "parquet", "arrow"] } else { &["csv"] };
    for ending in tables {
        let path = folder.path().join(format!("g.{ending}"));
        write(&graph, &path).unwrap();
        let again = open(&path);
        assert_eq!((again.directed, again.edges.is_weighted()), (false, false), "{ending}");
        let mut found: Vec<&str> = again.attributes.edges.iter().map(Attribute::name).collect();
        found.sort_unstable();
        let mut expected: Vec<String> =
            names.iter().map(|name| format!("edge_{name}").replace("source", "from")).collect();
        // Times remain such.
        expected.push("date".to_owned());
        expected.sort_unstable();
        assert_eq!(found, expected, "{ending}");
        let notes = lost_attributes(&graph, ending);
        assert!(notes.contains(&"`value` of edges is written as `edge_value`".to_owned()), "{notes:?}");
        assert_eq!(notes.len(), names.len());
    }
}

/// NetworkX and older programs write weights of GEXF as attributes.
#[test]
#[cfg_attr(miri, ignore)]
fn weights_among_the_attributes_of_gexf_are_weights() {
    let gexf = |kind: &str, edges: &str| {
        format!(
            "<gexf><graph defaultedgetype=\"directed\"><attributes class=\"edge\"><attribute id=\"0\" title=\"Weight\" type=\"{kind}\"/>\
             <attribute id=\"1\" title=\"kind\" type=\"string\"/></attributes><nodes><node id=\"a\"/><node id=\"b\"/></nodes><edges>{edges}</edges>\
             </graph></gexf>"
        )
    };
    let edge = |own: &str, value: &str| {
        format!(
            "<edge source=\"a\" target=\"b\" {own}><attvalues>{value}<attvalue for=\"1\" value=\"x\"/></attvalues></edge>"
        )
    };
    let value = "<attvalue for=\"0\" value=\"4.0\"/>";
    let edges = [edge("", value), edge("", ""), edge("weight=\"7\"", value)].concat();
    let input = read_as("g.gexf", &gexf("double", &edges));
    assert_eq!(input.edges.weight(), Some(&[4.0, 1.0, 7.0][..]));
    assert_eq!(said(&input, false), ["a>b: kind=Text(\"x\")"; 3]);
    // A text is no weight.
    let input = read_as("g.gexf", &gexf("string", &edge("", value)));
    assert!(!input.edges.is_weighted());
    // What is written as an attribute is read as one.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.gexf");
    let json = "{\"nodes\": [], \"edges\": [{\"source\": 1, \"target\": 2, \"Weight\": 3}]}";
    write(&read_as("g.json", json), &path).unwrap();
    let again = open(&path);
    assert!(!again.edges.is_weighted());
    assert_eq!(said(&again, false), ["1>2: Weight_=Integer(3)"]);
}

#[test]
#[cfg_attr(miri, ignore)]
fn what_pajek_says_beside_is_told() {
    let net = "*Vertices 3 2\n1 \"a\" [1-3]\n2 \"b\" 0.1 0.2 box\n3 \"c\"\n*Arcs :1 \"likes\"\n1 3 2 [1]\n*Arcs :2 \"knows\"\n2 3 1\n";
    let input = read_as("g.net", net);
    assert_eq!(arcs_of(&input), 2);
    assert_eq!(
        input.notes,
        ["not kept: `two modes` of the network, `times` of vertices, `relation` of edges, `times` of edges"]
    );
    assert_eq!(said(&input, true), ["b: shape=Text(\"box\")", "b: x=Float(0.1)", "b: y=Float(0.2)"]);
}

/// An edge among arcs is two arcs, and both have its attributes.
#[test]
#[cfg_attr(miri, ignore)]
fn both_arcs_of_an_edge_of_pajek_have_its_attributes() {
    let net =
        "*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Arcs\n1 2 1 kind road\n*Edges\n2 3 2 lanes 4\n3 1 1\n1 1 1 lanes 2\n";
    let input = read_as("g.net", net);
    let expected =
        ["a>a: lanes=Integer(2)", "a>b: kind=Text(\"road\")", "b>c: lanes=Integer(4)", "c>b: lanes=Integer(4)"];
    assert_eq!((said(&input, false), arcs_of(&input)), (expected.map(str::to_owned).to_vec(), 6));
}

fn arcs_of(input: &Input) -> usize {
    input.edges.len()
}
