//! Lists of edges as spreadsheets and other programs write them.

use pleach_datasets::{Direction, Format, Input, Options, Shared, Weights, read, read_tensor, write};

/// Reads a text as the file of this name.
fn read_by(name: &str, text: &str, options: &Options) -> Result<Input, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    read(&path, options).map_err(|error| error.to_string())
}

fn refused(name: &str, text: &str) -> String {
    read_by(name, text, &Options::default()).map(|input| arcs(&input)).expect_err(text)
}

/// Arcs in the order of the file.
fn arcs(input: &Input) -> Vec<String> {
    let weight = |k: usize| input.edges.weight().map_or(String::new(), |weight| format!(" {}", weight[k]));
    let ends = input.edges.src().iter().zip(input.edges.dst()).enumerate();
    ends.map(|(k, (&s, &d))| format!("{}>{}{}", input.ids.label(s), input.ids.label(d), weight(k))).collect()
}

/// Weights that are left out may be any numbers. Where they are kept, the line is named.
#[test]
fn weights_that_are_left_out_need_not_be_finite() {
    let ignoring = Options::default().with_weights(Weights::Ignore);
    for (name, text, line) in [
        ("a.tsv", "1 2 0.5\n2 3 inf\n3 1 nan\n", 2),
        ("a.csv", "source,target,weight\n1,2,0.5\n2,3,1\n3,1,-Infinity\n", 4),
        ("a.csv", "source,target,weight\na,b,0.5\nb,c,NaN\nc,a,1\n", 3),
        ("a.gr", "p sp 3 3\na 1 2 5\na 2 3 inf\na 3 1 1\n", 3),
    ] {
        let read = read_by(name, text, &ignoring).unwrap();
        assert_eq!((read.edges.len(), read.edges.is_weighted()), (3, false), "{text:?}");
        let why = refused(name, text);
        assert!(why.contains(&format!("{name}:{line}:")) && why.contains("expected a finite number"), "{why}");
        let any = read_by(name, text, &Options::default().with_any_number(true)).unwrap();
        assert!(any.edges.weight().unwrap().iter().any(|weight| !weight.is_finite()));
    }
    assert!(read_by("a.tsv", "1 2 0.5\n2 3 x\n", &ignoring).unwrap_err().contains(":2:5: expected a number"));
}

#[test]
fn a_comma_in_the_place_of_a_point_is_named() {
    for (name, text, place) in [
        ("a.csv", "1,2,\"0,5\"\n", "1:5"),
        ("a.csv", "source,target,weight\n1,2,0.5\n1,2,\"1,5\"\n", "3:5"),
        ("a.csv", "source;target;weight\n1;2;0\n1;2;1,5\n", "3:5"),
        ("a.csv", "1;2;1,5\n", "1:5"),
        ("a.csv", "source;target;weight\na;b;1,5\n", "2:5"),
        ("a.csv", "source,target,weight\na,b,\"-1,5\"\n", "2:5"),
        ("a.tsv", "1\t2\t1,5\n", "1:5"),
    ] {
        let why = refused(name, text);
        let ends = why.contains(&format!("{name}:{place}: expected a number with a decimal point, found `"));
        assert!(ends, "{text:?}: {why}");
    }
    assert!(refused("a.csv", "1;2;x,5\n").contains("expected a number, found"));
}

/// Either all lines have operations, or none: lists of updates are for streams.
#[test]
fn operations_come_in_all_lines_or_in_none() {
    for (name, text, place) in [
        ("a.tsv", "1 2\n+ 3 4\n", "2:1"),
        ("a.csv", "1,2\n3,4\n-,1,2\n", "3:1"),
        ("a.csv", "source,target\na,b\n+,a,c\n", "3:1"),
        ("a.names", "a b\n- a c\n", "2:1"),
    ] {
        let why = refused(name, text);
        assert!(
            why.contains(&format!("{name}:{place}: expected no operation, as in the first line, found `")),
            "{why}"
        );
    }
    for text in ["+ 1 2\n3 4\n", "+,1,2\n", "-\ta\tb\nc\td\n"] {
        let why = refused("a.tsv", text);
        assert!(why.contains("a.tsv:1:1: expected a list of edges, found one of updates"), "{text:?}: {why}");
    }
    let columns = Options::default().with_columns("src,dst".parse::<pleach_datasets::Columns>().ok());
    assert!(read_by("a.csv", "a,b\nc,d\n+,a,b\n", &columns).unwrap_err().contains("a.csv:3:1: expected no operation"));
    // A vertex may be called so, in quotes, and is written so.
    let named = read_by("a.csv", "source,target\n\"+\",a\n-,b\n", &Options::default()).unwrap();
    assert_eq!(arcs(&named), ["+>a", "->b"]);
    let folder = tempfile::tempdir().unwrap();
    for name in ["again.names", "again.csv", "again.tsv"] {
        let path = folder.path().join(name);
        write(&named, &path).unwrap();
        let mut again = arcs(&read(&path, &Options::default()).unwrap());
        again.sort();
        assert_eq!(again, ["+>a", "->b"], "{name}");
    }
}

/// Gephi's export says of each edge whether it has a direction.
#[test]
fn the_column_type_decides_the_direction() {
    let head = "Source,Target,Type,Id,Label,timeset,Weight\n";
    let gephi = |kinds: [&str; 2]| format!("{head}1,2,{},0,,,0.5\n2,3,{},1,\"a, b\",,2\n", kinds[0], kinds[1]);
    for (kind, direction) in [("Undirected", Direction::Undirected), ("directed", Direction::Directed)] {
        let text = gephi([kind; 2]);
        let graph = read_by("a.csv", &text, &Options::default().with_attributes(true)).unwrap();
        assert_eq!((arcs(&graph), graph.declared), (vec!["1>2 0.5".to_owned(), "2>3 2".to_owned()], Some(direction)));
        let kept: Vec<&str> = graph.attributes.edges.iter().map(|column| column.name()).collect();
        assert_eq!(kept, ["Id", "Label"]);
    }
    let named = read_by("a.csv", "Source,Target,Type\na,b,Undirected\n", &Options::default()).unwrap();
    assert!(!named.directed && named.ids.has_names());
    // Of both kinds, there is no graph.
    let mixed = gephi(["Undirected", "Directed"]);
    let why = refused("a.csv", &mixed);
    assert!(
        why.contains("a.csv:3:5: expected Undirected in the column `Type`") && why.contains("found `Directed`"),
        "{why}"
    );
    let why = refused("a.csv", "Source,Target,Type\na,b,Directed\nb,c,Undirected\n");
    assert!(why.contains("a.csv:3:5: expected Directed in the column `Type`"), "{why}");
    let forced = read_by("a.csv", &mixed, &Options::default().with_direction(Direction::Directed)).unwrap();
    assert!(forced.directed && forced.edges.len() == 2);
    // Another type is none.
    let other = read_by("a.csv", "Source,Target,Type\n1,2,road\n2,3,Directed\n", &Options::default()).unwrap();
    assert_eq!((other.edges.len(), other.declared), (2, None));
}

#[test]
fn shares_know_the_column_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let lines = |wrong: usize| -> String {
        let kind = |k: usize| if k == wrong { "Directed" } else { "Undirected" };
        (0..100).map(|k| format!("{k},{},{},1.5\n", k + 1, kind(k))).collect()
    };
    let all = |options: &Options| -> Result<usize, String> {
        let shared = Shared::open(&path, options).map_err(|error| error.to_string())?.unwrap();
        assert!(!shared.directed);
        let mut count = 0;
        for reader in 0..3 {
            let mut share = shared.share(reader, 3).unwrap();
            while share.next(&mut |_, _, _| count += 1, &mut |_| ()).map_err(|error| error.to_string())? {}
        }
        Ok(count)
    };
    std::fs::write(&path, format!("Source,Target,Type,Weight\n{}", lines(100))).unwrap();
    assert_eq!(all(&Options::default()), Ok(100));
    std::fs::write(&path, format!("Source,Target,Type,Weight\n{}", lines(90))).unwrap();
    let why = all(&Options::default()).unwrap_err();
    assert!(why.contains("a.csv:92:") && why.contains("expected Undirected in the column `Type`"), "{why}");
}

/// pandas writes the index of a table as a first column, whose heading is empty.
#[test]
fn a_column_without_a_heading_is_ignored() {
    let options = Options::default().with_attributes(true);
    for head in [",src,dst,weight", "\"\",\"src\",\"dst\",\"weight\"", "Unnamed: 0,src,dst,weight"] {
        let graph = read_by("a.csv", &format!("{head}\n0,1,2,0.5\n1,2,3,1.5\n"), &options).unwrap();
        assert_eq!(arcs(&graph), ["1>2 0.5", "2>3 1.5"], "{head}");
        assert!(graph.attributes.edges.is_empty(), "{head}: {:?}", graph.attributes.edges);
        let named = read_by("a.csv", &format!("{head}\n0,a,b,0.5\n"), &options).unwrap();
        assert_eq!(arcs(&named), ["a>b 0.5"], "{head}");
    }
    let semicolons = read_by("a.csv", ";source;target\n0;1;2\n", &options).unwrap();
    assert_eq!(arcs(&semicolons), ["1>2"]);
    assert!(refused("a.csv", ",a,b\n0,1,x\n").contains("a.csv:1:"), "nothing names the ends");
}

/// A quoted field with a line end in it is read as no lines of its own.
#[test]
fn quotes_close_in_their_line() {
    for (text, place) in [
        ("source,target,note\n1,2,\"x\n3,4,z\"\n5,6,\"y\"\n", "2:5"),
        ("source,target,note\na,b,\"x\nc,d,z\"\n", "2:5"),
        ("source,note,target\n1,\"x\n3\",4\n", "2:3"),
        ("source;target;a;b\n1;2;\"x\";\"\"\"\n", "2:9"),
    ] {
        let why = refused("a.csv", text);
        let ends = format!("a.csv:{place}: expected a closing `\"` before the end of the line, found");
        assert!(why.contains(&ends), "{text:?}: {why}");
    }
    let columns = |list: &str| Options::default().with_columns(list.parse::<pleach_datasets::Columns>().unwrap());
    for text in ["1,2,\"x\n3,4,z\"\n", "a,b,\"x\nc,d,z\"\n"] {
        let why = read_by("a.csv", text, &columns("src,dst")).map(|input| arcs(&input)).expect_err(text);
        assert!(why.contains("expected a closing `\"`"), "{why}");
    }
    // Quotes in the middle of a field, and doubled ones, open nothing.
    for text in ["source,target,note\n1,2,5\" pipe\n", "source,target,note\n1,2,\"5\"\" pipe\"\n"] {
        assert_eq!(arcs(&read_by("a.csv", text, &Options::default()).unwrap()), ["1>2"]);
    }
    // Between tabs, a quote is a letter like others.
    let text = "source\ttarget\tnote\n1\t2\t\"x\n";
    assert_eq!(arcs(&read_by("a.tsv", text, &Options::default()).unwrap()), ["1>2"]);
}

/// Below a heading of tabs, and in a file called `.tsv`, blanks and commas are parts of fields, and fields may be empty.
#[test]
fn tabs_alone_separate_columns() {
    let keeping = Options::default().with_attributes(true);
    let rows = "1\t2\tNew York, NY\t\n2\t3\t\t5\n3\t1\tSan Jose\t6\n";
    let graph = read_by("a.tsv", &format!("source\ttarget\tcity\tlanes\n{rows}"), &keeping).unwrap();
    assert_eq!(arcs(&graph), ["1>2", "2>3", "3>1"]);
    let cells = |graph: &Input| -> Vec<String> {
        let mut all = Vec::new();
        for column in &graph.attributes.edges {
            all.extend(column.iter().map(|(row, value)| format!("{} {row} {value}", column.name())));
        }
        all
    };
    assert_eq!(cells(&graph), ["city 0 New York, NY", "city 2 San Jose", "lanes 1 5", "lanes 2 6"]);
    let named = "source\ttarget\tcity\tlanes\na b\tc\tNew York, NY\t\nc\td\t\t5\n#e\ta b\tSan Jose\t6\n";
    let graph = read_by("a.tsv", named, &keeping).unwrap();
    assert_eq!(arcs(&graph), ["a b>c", "c>d", "#e>a b"]);
    assert_eq!(cells(&graph), ["city 0 New York, NY", "city 2 San Jose", "lanes 1 5", "lanes 2 6"]);
    // The index of a table.
    let index = "\tsource\ttarget\tweight\n0\t1\t2\t0.5\n\t2\t3\t1.5\n";
    assert_eq!(arcs(&read_by("a.tsv", index, &keeping).unwrap()), ["1>2 0.5", "2>3 1.5"]);
    // A line is a comment unless it has as many columns as the heading.
    let marked = "city\tsource\ttarget\n#a b\t1\t2\n# a comment\nc\t2\t3\n";
    assert_eq!(arcs(&read_by("a.tsv", marked, &keeping).unwrap()), ["1>2", "2>3"]);
    // Without a heading, the name of the file says it.
    let columns = |list: &str| Options::default().with_columns(list.parse::<pleach_datasets::Columns>().unwrap());
    assert_eq!(arcs(&read_by("a.tsv", "1\t2\tNew York, NY\n", &columns("src,dst,_")).unwrap()), ["1>2"]);
    assert_eq!(arcs(&read_by("a.tsv", "New York\t1\t\t2\n", &columns("_,src,_,dst")).unwrap()), ["1>2"]);
    // Lines without tabs are separated by blanks.
    for text in ["1 2 0.5\n2 3 1\n", "source\ttarget\tweight\n1 2 0.5\n2  3 1\n"] {
        assert_eq!(arcs(&read_by("a.tsv", text, &keeping).unwrap()), ["1>2 0.5", "2>3 1"], "{text:?}");
    }
    assert_eq!(arcs(&read_by("a.txt", "1 2\t0.5\n", &keeping).unwrap()), ["1>2 0.5"]);
    let why = refused("a.tsv", "1\t2\n3 4\n");
    assert!(why.contains("a.tsv:2:3: expected a tab between columns, found `4`"), "{why}");
}

#[test]
fn graphs_in_lgl_are_refused() {
    for (name, text) in [("a.lgl", "# ada\nbob 1\n"), ("a.txt", "# 0\n1 4\n2 5\n# 1\n2 7\n"), ("a", "# 0\n1\n# 1\n2\n")]
    {
        assert!(refused(name, text).contains("is a graph in LGL: expected an edge a line"), "{name}");
    }
    let edges = read_by("a.txt", "# 0\n1 4\n2 5\n# 1\n2 7\n", &Options::default().with_format(Format::EdgeList));
    assert_eq!(edges.unwrap().edges.len(), 3);
    assert_eq!(read_by("a.txt", "# 3\n1 4\n2 5\n# two more\n2 7\n", &Options::default()).unwrap().edges.len(), 3);
}

#[test]
fn headers_that_count_other_vertices_are_told() {
    let notes = |name: &str, text: &str| read_by(name, text, &Options::default()).unwrap().notes;
    let told = "the header says 9 vertices, the edges have 3";
    assert_eq!(notes("a.txt", "# Nodes: 9 Edges: 2\n1 2\n2 3\n"), [told]);
    assert_eq!(notes("out.a", "% asym unweighted\n% 2 9 9\n1 2\n2 3\n"), [told]);
    assert!(notes("out.a", "% bip unweighted\n% 2 9 1\n1 1\n2 1\n")[1].contains("says 10 vertices, the edges have 3"));
    assert!(notes("a.txt", "# Nodes: 3 Edges: 2\n1 2\n2 3\n").is_empty());
}

#[test]
fn weights_that_are_rounded_are_told() {
    let told = "whole weights of 2^53 and more were rounded: they are held as floating-point numbers";
    let notes = |name: &str, text: &str, options: &Options| read_by(name, text, options).unwrap().notes;
    assert!(notes("a.wel", "1 2 9007199254740993\n", &Options::default()).contains(&told.to_owned()));
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 -9007199254740993\n";
    assert_eq!(notes("a.mtx", matrix, &Options::default()), [told.replace("weights", "values")]);
    assert!(!notes("a.wel", "1 2 9007199254740991\n", &Options::default()).contains(&told.to_owned()));
    let ignoring = Options::default().with_weights(Weights::Ignore);
    assert!(!notes("a.wel", "1 2 9007199254740993\n", &ignoring).contains(&told.to_owned()));
}

/// What floating-point numbers hold is not rounded, however large it is.
#[test]
fn only_whole_numbers_that_are_rounded_are_told() {
    let edges = "\"edges\": [{\"source\": 1, \"target\": 2, \"weight\": @}]";
    let json = format!("{{\"nodes\": [{{\"id\": 1}}, {{\"id\": 2}}], {edges}}}\n");
    let cards = format!("{:80}\n 3 1 1 1\nRUA 1 1 1 0\n{:16}{:16}{:20}\n", "", "(2I3)", "(1I4)", "(1F20.0)");
    for (name, text) in [
        ("a.wel", "1 2 @\n"),
        ("a.csv", "source,target,weight\n1,2,\"@\"\n"),
        ("a.csv", "source,target,weight\na,b,@\n"),
        ("a.gr", "p sp 2 1\na 1 2 @\n"),
        ("a.graph", "2 1 1\n2 @\n1 @\n"),
        ("a.adj", "WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n@\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 @\n"),
        ("a.mtx", "%%MatrixMarket matrix array integer general\n1 1\n@\n"),
        ("a.rua", &*format!("{cards}  1  2\n   1\n@\n")),
        ("a.tns", "1 2 @\n"),
        ("a.net", "*Vertices 2\n*Arcs\n1 2 @\n"),
        ("a.json", &*json),
        (
            "a.graphml",
            "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"long\"/><graph edgedefault=\"directed\">\
             <node id=\"1\"/><node id=\"2\"/><edge source=\"1\" target=\"2\"><data key=\"w\">@</data></edge></graph></graphml>",
        ),
        (
            "a.gexf",
            "<gexf><graph defaultedgetype=\"directed\"><nodes><node id=\"1\"/><node id=\"2\"/></nodes><edges>\
             <edge id=\"0\" source=\"1\" target=\"2\" weight=\"@\"/></edges></graph></gexf>",
        ),
    ] {
        for (weight, rounded) in
            [("9007199254740993", true), ("9007199254740992", false), ("1e20", false), ("1.7e308", false)]
        {
            let notes = read_by(name, &text.replace('@', weight), &Options::default()).unwrap().notes;
            assert_eq!(notes.iter().any(|note| note.contains("were rounded")), rounded, "{name}, {weight}: {notes:?}");
        }
    }
}

/// An edge of an undirected list stands for two entries, of which none comes before those of an earlier edge.
#[test]
fn both_entries_of_an_edge_stand_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "# Undirected graph\n1 2 5\n2 1 3\n3 3 1\n1 2 4\n").unwrap();
    let tensor = read_tensor(&path, &Options::default()).unwrap();
    let entries: Vec<_> =
        (0..tensor.nnz()).map(|k| (tensor.coords[0][k], tensor.coords[1][k], tensor.values[k])).collect();
    let expected = [(0, 1, 5.0), (1, 0, 5.0), (1, 0, 3.0), (0, 1, 3.0), (2, 2, 1.0), (0, 1, 4.0), (1, 0, 4.0)];
    assert_eq!(entries, expected);
}
