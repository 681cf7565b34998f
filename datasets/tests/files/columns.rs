//! Lists of edges whose columns mean what their files say: headers of KONECT and SNAP, lines of names, quoted fields, names of vertices, and what
//! could be two things.

use std::path::PathBuf;

use pleach_datasets::{Direction, Format, Input, Options, Weights, read};
use tempfile::TempDir;

fn put(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn read_with(name: &str, content: impl AsRef<[u8]>, options: &Options) -> Result<Input, String> {
    let folder = tempfile::tempdir().unwrap();
    read(put(&folder, name, content), options).map_err(|error| {
        let message = error.to_string();
        message[message.find(name).expect("the file is named")..].to_owned()
    })
}

fn read_as(name: &str, content: impl AsRef<[u8]>) -> Input {
    read_with(name, content, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(name: &str, content: &str) -> String {
    read_with(name, content, &Options::default()).map(|input| arcs(&input)).expect_err("it is refused")
}

/// Arcs with what the file calls their ends.
fn arcs(input: &Input) -> Vec<(String, String, f64)> {
    let weight = |k: usize| input.edges.weight().map_or(1.0, |w| w[k]);
    let ends = input.edges.src().iter().zip(input.edges.dst()).enumerate();
    ends.map(|(k, (&s, &d))| (input.ids.label(s).to_string(), input.ids.label(d).to_string(), weight(k))).collect()
}

fn arc(src: &str, dst: &str, weight: f64) -> (String, String, f64) {
    (src.to_owned(), dst.to_owned(), weight)
}

#[test]
fn konect_with_weights_and_times() {
    let text = "% asym positive\n% 3 4 4\n1 2 5 1082040961\n3 4 1 1082155839\n1 4 2 1082414391.5\n";
    let input = read_as("out.messages", text);
    assert_eq!(arcs(&input), [arc("1", "2", 5.0), arc("3", "4", 1.0), arc("1", "4", 2.0)]);
    assert_eq!((input.format, input.declared), (Format::EdgeList, Some(Direction::Directed)));
    assert_eq!(input.notes, ["read as: src dst weight time"]);
    // Without a header the name still says whose file it is.
    assert_eq!(arcs(&read_as("out.messages", "1 2 5 1082040961\n3 4 1 7\n")).len(), 2);
    // The ones of a graph without weights are none.
    let input = read_as("out.x", "% sym unweighted\n1 2 1 100\n2 3 1 200\n");
    assert!(!input.edges.is_weighted() && input.mirrored);
    assert_eq!(input.notes, ["read as: src dst _ time"]);
    // The header of a file that is cut short says so.
    let cut = read_as("out.x", "% sym unweighted\n% 3 3 3\n1 2\n2 3\n");
    assert_eq!(cut.notes, ["the header says 3 edges, the file lists 2"]);
}

#[test]
fn the_two_sides_of_a_bipartite_graph_are_apart() {
    for header in ["% bip posweighted\n% 3 3 2\n", "% bip posweighted\n"] {
        let input = read_as("out.movies", format!("{header}1 1 4\n2 1 2\n3 2 5\n"));
        assert_eq!(arcs(&input), [arc("1", "4", 4.0), arc("2", "4", 2.0), arc("3", "5", 5.0)]);
        assert_eq!((input.num_vertices(), input.mirrored), (5, true));
        assert!(input.notes.iter().any(|note| note.contains("vertex v of the right set has the id 3 + v")));
    }
    assert!(refused("out.movies", "% bip unweighted\n% 1 2 2\n3 1\n").contains("between 1 and 2, found 3"));
    let far = format!("% bip unweighted\n% 1 {0} 2\n{0} 2\n", u64::from(u32::MAX));
    assert_eq!(arcs(&read_as("out.far", far)), [arc("4294967295", "4294967297", 1.0)]);
}

#[test]
fn names_above_the_columns_say_what_they_hold() {
    let input = read_as("a.csv", "id,source,target,timestamp,rating\n7,1,2,99.5,0.5\n8,2,3,100,-2\n");
    assert_eq!(arcs(&input), [arc("1", "2", 0.5), arc("2", "3", -2.0)]);
    assert_eq!(input.notes, ["read as: _ src dst time weight"]);
    let input = read_as("a.txt", "# Directed graph: x\n# FromNodeId\tToNodeId\tTime\n1\t2\t9\n");
    assert!(!input.edges.is_weighted());
    // The ends may stand the other way around.
    assert_eq!(arcs(&read_as("a.csv", "target,source\n1,2\n")), [arc("2", "1", 1.0)]);
    let quoted = "\"source\",\"target\",\"note\",\"weight\"\n\"1\",\"2\",\"a, \"\"b\"\"\",\"0.5\"\n3,4,,2\n";
    assert_eq!(arcs(&read_as("a.csv", quoted)), [arc("1", "2", 0.5), arc("3", "4", 2.0)]);
}

#[test]
fn options_say_more_than_the_file() {
    let options = |columns: &str| Options::default().with_columns(columns.parse().ok());
    let read = |text: &str, columns| read_with("a.txt", text, &options(columns));
    let input = read("1 2 5\n", "src,dst,time").unwrap();
    assert!(!input.edges.is_weighted());
    // No note on the meaning of columns that the options gave.
    assert!(input.notes.is_empty());
    assert_eq!(arcs(&read("0.5 9 1 2 more\n", "weight,time,dst,src").unwrap()), [arc("2", "1", 0.5)]);
    assert_eq!(
        read("1 2 5\n", "src,dst,op").unwrap_err().split(": ").nth(1),
        Some("expected a list of edges, found one of updates, which insert and delete")
    );
    // They are enough for a file of an unknown ending, and wrong for one that has no columns.
    assert_eq!(read_with("a.log", "1 2 5\n", &options("src,dst,weight")).unwrap().format, Format::EdgeList);
    let graph =
        read_with("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", &options("src,dst"));
    assert!(graph.unwrap_err().contains("is read as mtx, which has no columns that could be named"));
    let ignored = options("src,dst,weight").with_weights(Weights::Ignore);
    assert!(!read_with("a.txt", "1 2 5\n", &ignored).unwrap().edges.is_weighted());
}

#[test]
fn what_could_be_two_things_is_refused() {
    for text in ["1 2 5\n2 3 6\n", "1 2 5 6\n2 3 6 7\n"] {
        let message = refused("a.dat", text);
        assert!(message.contains("--format edges") && message.contains("--format adjacency"), "{message}");
        assert_eq!(read_with("a.dat", text, &Options::default().with_format(Format::EdgeList)).unwrap().edges.len(), 2);
        assert!(read_with("a.dat", text, &Options::default().with_format(Format::Adjacency)).unwrap().edges.len() > 2);
    }
    assert_eq!(read_as("a.dat", "1 2 0.5\n2 3 6\n").format, Format::EdgeList);
    assert_eq!(read_as("a.dat", "1 2\n2 3\n").format, Format::EdgeList);
    let listed = read_as("a.dat", "1 2 3\n2 3\n3\n");
    assert_eq!(listed.format, Format::Adjacency);
    assert_eq!(listed.notes, ["read as: a vertex and its neighbours, a line each"]);
    assert!(refused("a.dat", "person,friend\nalice,bob\n").contains("name its format"));
    assert!(refused("a.csv", "person,friend\nalice,bob\n").contains("expected a line that names the columns"));
}

#[test]
fn vertices_may_have_names_in_any_list_of_edges() {
    let text = "source,target,weight\nalice,bob,2\n\"carol, jr.\",alice,0.5\n";
    let input = read_as("a.csv", text);
    assert_eq!(arcs(&input), [arc("alice", "bob", 2.0), arc("carol, jr.", "alice", 0.5)]);
    assert_eq!(input.notes, ["read as: src dst weight (src and dst are names)"]);
    let printed = Options::default().with_columns("src,dst".parse().ok());
    assert_eq!(arcs(&read_with("a.csv", "alice,bob\nbob,carol\n", &printed).unwrap()).len(), 2);
    assert_eq!(arcs(&read_as("a.tsv", "from\tto\nnew york\tsan jose\n")), [arc("new york", "san jose", 1.0)]);
    let message = refused("a.csv", "source,target,weight\nalice,bob,2\ncarol,dan\n");
    assert!(message.starts_with("a.csv:3:10: expected a weight"), "{message}");
    let message = refused("a.csv", "source,target,weight\nalice,bob,heavy\n");
    assert!(message.starts_with("a.csv:2:11: expected a number, found `heavy`"), "{message}");
}

#[test]
fn files_of_matrix_market_that_scipy_reads() {
    // `pattern` above values: SciPy takes ones.
    let input = read_as("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2 7\n2 1 8.5\n");
    assert_eq!(input.notes, ["not kept: values, of which the header says that there are none (`pattern`)"]);
    assert!(!input.edges.is_weighted());
    assert_eq!(arcs(&input), [arc("1", "2", 1.0), arc("2", "1", 1.0)]);
    let unsigned = "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 7\n";
    assert_eq!(arcs(&read_as("a.mtx", unsigned)), [arc("1", "1", 7.0)]);
    // A matrix may hold what no weight of a graph can be.
    let odd = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 inf\n1 2 nan\n2 2 -Infinity\n";
    assert!(refused("a.mtx", odd).starts_with("a.mtx:3:5: expected a finite number, found `inf`"));
    assert_eq!(read_with("a.mtx", odd, &Options::default().with_weights(Weights::Ignore)).unwrap().edges.len(), 3);
    let folder = tempfile::tempdir().unwrap();
    let tensor = pleach_datasets::read_tensor(put(&folder, "a.mtx", odd), &Options::default()).unwrap();
    assert!(tensor.values[0] == f64::INFINITY && tensor.values[1].is_nan() && tensor.values[2] == f64::NEG_INFINITY);
    let array = "%%MatrixMarket matrix array real general\n2 1\ninf\n0\n";
    let tensor = pleach_datasets::read_tensor(put(&folder, "b.mtx", array), &Options::default()).unwrap();
    assert_eq!(tensor.values, [f64::INFINITY]);
}

#[test]
fn neighbours_may_be_listed_once() {
    let input = read_as("a.graph", "3 3\n2 3\n3\n\n");
    assert_eq!(arcs(&input), [arc("1", "2", 1.0), arc("1", "3", 1.0), arc("2", "3", 1.0)]);
    assert_eq!((input.directed, input.mirrored), (true, false));
    let both = read_as("a.graph", "3 2\n2\n1 3\n2\n");
    assert_eq!((both.directed, both.mirrored, both.edges.len()), (false, false, 4));
    assert!(refused("a.graph", "3 4\n2 3\n3\n\n").contains("expected 4 edges, each listed at both ends, or 4 arcs"));
}

/// What Python's `lzma` and `bz2` make of the lines `1 2` and `2 3`.
const WHOLE_XZ: &str = "fd377a585a000004e6d6b4460200210116000000742fe5a30100073120320a3220330a00c4a4916dde89433e00012008bb19d9bb1fb6f37d010000000004595a";
const WHOLE_BZ2: &str = "425a68393141592653593b17f9f000000258000010400038002000221e8d0668152a185dc914e14240ec5fe7c0";

#[test]
fn other_compressions_are_read() {
    let hex = |text: &str| -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    };
    for (name, bytes) in
        [("a.txt.xz", hex(WHOLE_XZ)), ("a.txt.bz2", hex(WHOLE_BZ2)), ("a.txt", hex(WHOLE_BZ2).repeat(2))]
    {
        let input = read_as(name, &bytes);
        assert_eq!(arcs(&input)[..2], [arc("1", "2", 1.0), arc("2", "3", 1.0)], "{name}");
        let cut = &bytes[..bytes.len() - 9];
        let message = read_with(name, cut, &Options::default()).map(|input| arcs(&input)).unwrap_err();
        assert!(message.contains("the compressed data"), "{name}: {message}");
    }
    assert!(refused("a.txt.xz", "1 2\n").contains("is named .xz, but is not xz-compressed"));
    let folder = tempfile::tempdir().unwrap();
    let written = pleach_datasets::write(&read_as("a.txt", "1 2\n"), folder.path().join("b.txt.xz"));
    assert!(written.unwrap_err().to_string().contains("not written as .xz: expected .gz or .zst"));
}
