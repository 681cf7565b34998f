//! Matrices on punched cards, serialized graphs, tensors and our own binary: what they read as, what is refused, and that every
//! writer's files read back.

use std::path::{Path, PathBuf};

use pleach::EdgeList;
use pleach_datasets::plg::Archive;
use pleach_datasets::{
    Coo, Direction, Edges, Error, Format, IdMap, Input, Observer, Options, Sparse, open, read, read_tensor, write,
    write_sparse, write_tensor,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tempfile::TempDir;

fn put(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn read_as(name: &str, content: impl AsRef<[u8]>) -> Result<Input, Error> {
    let folder = tempfile::tempdir().unwrap();
    read(put(&folder, name, content), &Options::default())
}

/// The message about a file, without its folder.
fn message(name: &str, content: impl AsRef<[u8]>) -> String {
    let message = read_as(name, content).map(drop).expect_err(name).to_string();
    message[message.find(name).expect("the file is named")..].to_owned()
}

/// Arcs with the ids of the file, in the order of the file.
fn arcs(input: &Input) -> Vec<(u64, u64, f64)> {
    let weight = |k: usize| input.edges.weight().map_or(1.0, |w| w[k]);
    let ends = input.edges.src().iter().zip(input.edges.dst()).enumerate();
    ends.map(|(k, (&s, &d))| (input.ids.external(s), input.ids.external(d), weight(k))).collect()
}

/// The same as a sorted bag of coordinates.
fn bag(input: &Input, undirected: bool) -> Vec<(u32, u32, u64)> {
    let weight = |k: usize| input.edges.weight().map_or(0, |w| w[k].to_bits());
    let ends = input.edges.src().iter().zip(input.edges.dst()).enumerate();
    let turn = |s: u32, d: u32| if undirected { (s.min(d), s.max(d)) } else { (s, d) };
    let mut bag: Vec<_> = ends.map(|(k, (&s, &d))| (turn(s, d).0, turn(s, d).1, weight(k))).collect();
    bag.sort_unstable();
    bag
}

/// The rows that are built from a graph: each arc once, with the weight that is listed last; both directions of edges that stand for two arcs.
fn rows(input: &Input) -> BTreeMap<(u32, u32), u64> {
    let weight = |k: usize| input.edges.weight().map_or(0, |w| w[k].to_bits());
    let mut rows = BTreeMap::new();
    for (k, (&s, &d)) in input.edges.src().iter().zip(input.edges.dst()).enumerate() {
        rows.insert((s, d), weight(k));
        if input.mirrored {
            rows.insert((d, s), weight(k));
        }
    }
    rows
}

/// Whether the arcs of a graph ascend by source and target, and none is there twice.
fn ascends(input: &Input) -> bool {
    let arcs: Vec<_> = input.edges.src().iter().zip(input.edges.dst()).collect();
    arcs.windows(2).all(|pair| pair[0] < pair[1])
}

/// A 3 by 4 matrix: (1,1)=1.5, (3,1)=-2, (2,2)=0.25, (1,4)=1000, (3,4)=1e-3; pointers and indices abut.
const CARDS: &str = "\
A small matrix                                                          SMALL
             3             1             1             1             0
RUA                        3             4             5             0
(5I2)           (5I1)           (1P,5E9.2)
 1 3 4 4 6
13213
 1.50E+00-2.00D+00   .25+00 1.00E+03 1.00-003
";

#[test]
fn cards_are_read_by_their_columns() {
    let input = read_as("small.rua", CARDS).unwrap();
    assert_eq!(arcs(&input), [(1, 1, 1.5), (3, 1, -2.0), (2, 2, 0.25), (1, 4, 1000.0), (3, 4, 1e-3)]);
    assert_eq!((input.edges.num_rows(), input.edges.num_cols(), input.format), (3, 4, Format::HarwellBoeing));
    assert_eq!((input.directed, input.mirrored, input.declared), (true, false, None));

    let pattern = "t\n 2 1 1 0\npsa                   3 3 3 0\n(4I3)           (2I2)\n  1  3  4  4\n 1 2\n 3\n";
    let input = read_as("p.psa", pattern).unwrap();
    assert_eq!(arcs(&input), [(1, 1, 1.0), (2, 1, 1.0), (3, 2, 1.0)]);
    assert!(!input.edges.is_weighted() && input.mirrored && input.declared == Some(Direction::Undirected));

    let both = pattern.replace("\n 3\n", "\n 1\n");
    let expected = "expected entries of one triangle: each stands for its mirror image, too, found row 1 and column 2";
    assert_eq!(message("p.psa", both), format!("p.psa:7:1: {expected}"));

    let skew = "t\n 3 1 1 1 1\nRZA                   2 2 1 0\n(3I3)           (2I2)           (F5.2)              (F5.2)\nF\n  1  2  2\n 2\n  150\n 1.00\n";
    let input = read_as("s.rza", skew).unwrap();
    assert_eq!(arcs(&input), [(2, 1, 1.5), (1, 2, -1.5)]);
    assert!(!input.mirrored);
}

#[test]
fn cards_that_are_wrong() {
    let with = |from: &str, to: &str| CARDS.replacen(from, to, 1);
    assert_eq!(
        message("a.cua", with("RUA", "CUA")),
        "a.cua:3:1: complex matrices are not supported: expected real, integer or pattern"
    );
    assert!(message("a.rua", with("RUA", "RHA")).starts_with("a.rua:3:2: hermitian"));
    assert!(message("a.rua", with("RUA", "RUE")).starts_with("a.rua:3:3: elemental"));
    assert!(message("a.rua", with("RUA", "XUA")).contains("expected a type such as RUA"));
    assert!(message("a.rua", with("RUA", "RSA")).contains("as many rows as columns"));
    assert!(message("a.rua", with("(5I1)", "(5A1)")).starts_with("a.rua:4:17: expected a Fortran format"));
    assert_eq!(message("a.rua", with("13213", "14213")), "a.rua:6:2: expected a row between 1 and 3, found 4");
    assert_eq!(message("a.rua", with("13213", "1x213")), "a.rua:6:2: expected a number, found `x`");
    assert_eq!(
        message("a.rua", with(" 1 3 4 4 6", " 1 3 2 4 6")),
        "a.rua:5:6: expected a pointer between 3 and 6, found 2"
    );
    assert!(message("a.rua", with(" 1 3 4 4 6", " 1 3 4 4 5")).contains("6 as the last column pointer, for 5 entries"));
    assert_eq!(message("a.rua", with("1.50E+00", "     NaN")), "a.rua:7:7: expected a number, found `NaN`");
    assert!(message("a.rua", with("1.50E+00", "1.50E+999")).contains("a.rua:7:"));
    let cut = CARDS.lines().take(6).collect::<Vec<_>>().join("\n");
    assert_eq!(message("a.rua", cut), "a.rua:6:1: expected 5 values, found only 0");
    let cut = CARDS.lines().take(3).collect::<Vec<_>>().join("\n");
    assert!(message("a.rua", cut).contains("found the end of the file"));
    let huge = with("             5             0\n", " 18446744073709551615 0\n");
    assert!(message("a.rua", huge).contains("a.rua:3:4"));
    let huge = with("             3             4             5", "    4000000000             4             5");
    assert!(message("a.rua", huge).contains("declares 4000000000 rows or columns and lists 5 entries"));
}

/// A serialized graph: three vertices, arcs 0→1, 0→2, 2→0; if it is undirected, a loop at 0 and the edge between 0 and 2.
fn serialized(directed: bool, weighted: bool) -> Vec<u8> {
    let mut bytes = vec![u8::from(directed)];
    let mut put = |numbers: &[u64]| numbers.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    put(&[3, 3, 0, 2, 2, 3]);
    let mut targets = |targets: &[i32]| {
        for (k, target) in targets.iter().enumerate() {
            bytes.extend(target.to_le_bytes());
            if weighted {
                let weight = if directed { 10 * k as i32 - 5 } else { 5 };
                bytes.extend(weight.to_le_bytes());
            }
        }
    };
    targets(&[u8::from(directed).into(), 2, 0]);
    if directed {
        for n in [0u64, 1, 2, 3] {
            bytes.extend(n.to_le_bytes());
        }
        bytes.extend(vec![0; if weighted { 24 } else { 12 }]);
    }
    bytes
}

#[test]
fn serialized_graphs_of_gap() {
    for directed in [false, true] {
        let input = read_as("g.sg", serialized(directed, false)).unwrap();
        let first = u64::from(directed);
        assert_eq!(arcs(&input), [(0, first, 1.0), (0, 2, 1.0), (2, 0, 1.0)]);
        assert_eq!((input.directed, input.mirrored, input.edges.is_weighted()), (directed, false, false));
        let packed = zstd::bulk::compress(&serialized(directed, true), 1).unwrap();
        for (name, content) in [("g.wsg", serialized(directed, true)), ("g.wsg.zst", packed)] {
            let input = read_as(name, content).unwrap();
            let (least, most) = if directed { (-5.0, 15.0) } else { (5.0, 5.0) };
            assert_eq!(arcs(&input), [(0, first, least), (0, 2, 5.0), (2, 0, most)]);
        }
    }
    let with = |at: usize, byte: u8| {
        let mut bytes = serialized(false, false);
        bytes[at] = byte;
        bytes
    };
    assert!(message("g.sg", with(0, 7)).contains("offset 0: expected 0 or 1"));
    assert!(message("g.sg", with(1, 2)).contains("expected an offset between 2 and 2, found 3"));
    assert!(message("g.sg", with(8, 0x70)).contains("offset 49: expected 8070450532247928835 targets"));
    assert!(message("g.sg", with(25, 9)).contains("offset 25: expected an offset between 0 and 3, found 9"));
    assert!(message("g.sg", with(49, 3)).contains("offset 49: expected a vertex below 3, found 3"));
    assert!(message("g.sg", with(52, 0xff)).contains("found -16777216"));
    assert!(message("g.sg", with(13, 1)).contains("vertices, and at most 4294967295"));
    assert!(message("g.sg", with(12, 0x10)).contains("offset 17: expected 268435460 offsets of rows"));
    let whole = serialized(true, false);
    assert!(message("g.sg", &whole[..whole.len() - 1]).contains("incoming arcs"));
    assert!(message("g.sg", [&whole[..], b"x"].concat()).contains("expected the end of the file, found more"));
}

#[test]
fn serialized_graphs_are_written_as_gap_does() {
    let folder = tempfile::tempdir().unwrap();
    // Unsorted, and one arc twice.
    let read_list = |directed: bool, text: &str| {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        read(put(&folder, "list.wel", text), &Options::default().with_direction(direction)).unwrap()
    };
    let pattern = |directed| {
        let mut input = read_list(directed, "2 0\n0 2\n0 1\n0 2\n");
        input.edges = Edges::Pattern(input.edges.into_pattern());
        input
    };
    let sg = folder.path().join("graph.sg");
    write(&pattern(true), &sg).unwrap();
    let mut expected = serialized(true, false);
    // The incoming arcs: of 0 from 2, of 1 from 0, of 2 from 0.
    let at = expected.len() - 12;
    [2u32, 0, 0].iter().enumerate().for_each(|(k, u)| expected[at + 4 * k..][..4].copy_from_slice(&u.to_le_bytes()));
    assert_eq!(std::fs::read(&sg).unwrap(), expected);
    for name in ["graph.sg", "graph.sg.zst", "graph.wsg", "graph.wsg.gz"] {
        for directed in [false, true] {
            let path = folder.path().join(name);
            write(&pattern(directed), &path).unwrap();
            let back = read(&path, &Options::default()).unwrap();
            assert_eq!((back.directed, back.edges.is_weighted()), (directed, name.contains("wsg")));
            let both: &[_] = if directed {
                &[(0, 1, 1.0), (0, 2, 1.0), (2, 0, 1.0)]
            } else {
                &[(0, 1, 1.0), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0)]
            };
            assert_eq!(arcs(&back), both, "{name}");
        }
    }
    let weighted = folder.path().join("weights.wsg");
    write(&read_list(true, "0 1 -7\n1 0 2147483647\n"), &weighted).unwrap();
    assert_eq!(arcs(&read(&weighted, &Options::default()).unwrap()), [(0, 1, -7.0), (1, 0, 2_147_483_647.0)]);
    let refused =
        |name: &str, text: &str| write(&read_list(true, text), folder.path().join(name)).unwrap_err().to_string();
    assert!(refused("half.wsg", "0 1 0.5\n").contains("whole weights of 32 bits, and this graph has 0.5"));
    assert!(refused("large.wsg", "0 1 2147483648\n").contains("2147483648"));
    assert!(refused("weights.sg", "0 1 2\n").contains(".wsg"));
    assert!(!folder.path().join("half.wsg").exists());
}

#[test]
fn tensors_are_read_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# a comment\n\n1 2 3 0.5\n4\t1 1 -2\r\n 2 2 2  1e3 \n# another\n";
    let tensor = read_tensor(put(&folder, "t.tns", text), &Options::default()).unwrap();
    assert_eq!(tensor.dims, [4, 2, 3]);
    assert_eq!(tensor.coords, [[0, 3, 1], [1, 0, 1], [2, 0, 1]]);
    assert_eq!(tensor.values, [0.5, -2.0, 1000.0]);
    let sized = put(&folder, "d.tns", format!("# dimensions: 4 9 3\n{text}"));
    assert_eq!(read_tensor(&sized, &Options::default()).unwrap().dims, [4, 9, 3]);
    assert!(matches!(read(&sized, &Options::default()), Err(Error::Order { order: 3, .. })));
    let empty = put(&folder, "e.tns", "# dimensions: 2 3 4 5\n");
    assert_eq!(read_tensor(&empty, &Options::default()).unwrap(), Coo::new(vec![2, 3, 4, 5]));
    let vector = put(&folder, "v.tns", "3 1.5\n1 2\n");
    assert_eq!(read_tensor(&vector, &Options::default()).unwrap().coords, [[2, 0]]);
    let matrix = put(&folder, "m.tns.zst", zstd::bulk::compress(b"1 3 0.5\n2 1 7\n", 3).unwrap());
    let input = read(&matrix, &Options::default()).unwrap();
    assert_eq!(arcs(&input), [(1, 3, 0.5), (2, 1, 7.0)]);
    assert_eq!((input.edges.num_rows(), input.edges.num_cols()), (2, 3));
    let graph = put(&folder, "g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 2\n");
    let tensor = read_tensor(graph, &Options::default()).unwrap();
    assert_eq!((tensor.dims, tensor.coords), (vec![3, 3], vec![vec![0, 2, 1], vec![0, 1, 2]]));
    assert_eq!(tensor.values, [1.0, 1.0, 1.0]);
}

#[test]
fn tensors_that_are_wrong() {
    let of = |text: &str| message("t.tns", text);
    let expected = "expected a coordinate between 1 and 4294967295, found";
    assert_eq!(of("1 2 3 4\n1 2 0 4\n"), format!("t.tns:2:5: {expected} `0`"));
    assert_eq!(of("1 2 3 4\n1 -2 1 4\n"), format!("t.tns:2:3: {expected} `-2`"));
    assert_eq!(of("1 4294967296 3 4\n"), format!("t.tns:1:3: {expected} `4294967296`"));
    assert_eq!(of("1 99999999999999999999999 3 4\n"), format!("t.tns:1:3: {expected} `99999999999999999999999`"));
    assert_eq!(of("1 2 3 4\n1 2.5 1 4\n"), format!("t.tns:2:3: {expected} `2.5`"));
    assert_eq!(of("1 2 3 4\n1 2 1\n"), "t.tns:2:6: expected a value, found the end of the line");
    assert_eq!(of("1 2 3 4\n1 2\n"), "t.tns:2:4: expected a coordinate, found the end of the line");
    assert_eq!(
        of("1 2 3 4\n1 2 1 4 5\n"),
        "t.tns:2:9: expected as many columns as in the lines before, found more: `5`"
    );
    assert_eq!(of("1 2 3 nan\n"), "t.tns:1:7: expected a finite number, found `nan`");
    assert_eq!(of("1 2 3 4x\n"), "t.tns:1:7: expected a number, found `4x`");
    assert_eq!(of("7\n"), "t.tns:1:1: expected a coordinate and a value, found the end of the line");
    assert!(of("# dimensions: 2 2\n1 3 1\n").contains("expected a dimension of 3 or more in mode 2, found 2"));
    assert!(
        of("# dimensions: 2 2 2\n1 1 1\n")
            .contains("expected 2 dimensions, as the first nonzero has coordinates, found 3")
    );
    assert!(of("# dimensions: 2 x\n1 1 1\n").contains("t.tns:1:14: expected 1 to 32 dimensions"));
    assert!(of("1 4000000000 1\n").contains("mode 2 of the tensor has extent 4000000000 for 1 nonzero, expected"));
    assert!(of("# only\n").contains("is empty"));
    let wide = of(&format!("{}\n", "1 ".repeat(40)));
    assert_eq!(wide, "t.tns:1:1: expected at most 32 coordinates and a value in a line, found 39 coordinates");
    assert!(of("1 2 3 4\n").contains("is a tensor of order 3, expected a graph or a matrix"));
    assert!(of("1 2 4000000000 4\n").contains("is a tensor of order 3, expected a graph or a matrix"));
}

/// A graph takes memory for each vertex, a list of entries none for each row.
#[test]
fn matrices_and_tensors_may_have_any_extents() {
    let folder = tempfile::tempdir().unwrap();
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let (billion, last) = (1_000_000_000, 999_999_999);
    let sparse = |row, col| Sparse::Coo { row, col, data: vec![5.0, 1.0] };
    write_sparse(&sparse(vec![0, last], vec![1, 6]), (billion, billion), folder.path().join("a.npz")).unwrap();
    write_sparse(&sparse(vec![0, 16_999_999], vec![0, 0]), (17_000_000, 1), folder.path().join("b.npz")).unwrap();
    put(&folder, "a.tns", "# dimensions: 1000000000 1000000000\n1 2 5\n1000000000 7 1\n");
    put(&folder, "a.mtx", format!("{header}1000000000 1000000000 2\n1 2 5\n1000000000 7 1\n"));
    put(&folder, "b.mtx", format!("{header}17000000 1 2\n1 1 5\n17000000 1 1\n"));
    for (name, dims, coords) in [
        ("a.tns", vec![billion, billion], vec![vec![0, last], vec![1, 6]]),
        ("a.mtx", vec![billion, billion], vec![vec![0, last], vec![1, 6]]),
        ("a.npz", vec![billion, billion], vec![vec![0, last], vec![1, 6]]),
        ("b.mtx", vec![17_000_000, 1], vec![vec![0, 16_999_999], vec![0, 0]]),
        ("b.npz", vec![17_000_000, 1], vec![vec![0, 16_999_999], vec![0, 0]]),
    ] {
        let path = folder.path().join(name);
        let tensor = Coo { dims, coords, values: vec![5.0, 1.0] };
        assert_eq!(read_tensor(&path, &Options::default()).unwrap(), tensor, "{name}");
        let refused = read(&path, &Options::default()).map(drop).expect_err(name);
        assert!(matches!(refused, Error::TooSparse { .. } | Error::TooWide { .. }), "{refused}");
        assert!(refused.is_of_tensor(), "{refused}");
    }
    let refused = read_as("a.gr", "p sp 4000000000 1\na 1 2 3\n").map(drop).expect_err("a graph of so many vertices");
    assert!(!refused.is_of_tensor(), "{refused}");
}

/// A tensor that was computed may hold what no weight of a graph can be.
#[test]
fn tensors_hold_infinities_and_what_is_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let tensor = Coo {
        dims: vec![2, 2],
        coords: vec![vec![0, 0, 1], vec![0, 1, 1]],
        values: vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
    };
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for name in ["t.tns", "t.mtx", "t.plg", "t.plg.gz"] {
        let path = folder.path().join(name);
        write_tensor(&tensor, &path).unwrap();
        let back = read_tensor(&path, &Options::default()).unwrap();
        assert_eq!((back.coords, bits(&back.values)), (tensor.coords.clone(), bits(&tensor.values)), "{name}");
        let refused = read(&path, &Options::default()).expect_err(name).to_string();
        assert!(refused.contains("expected") && refused.contains("finite number"), "{refused}");
    }
    let path = folder.path().join("t.npz");
    let matrix = Sparse::Csr { indptr: vec![0, 2, 3], indices: vec![0, 1, 1], data: tensor.values.clone() };
    write_sparse(&matrix, (2, 2), &path).unwrap();
    let back = read_tensor(&path, &Options::default()).unwrap();
    assert_eq!((back.coords, bits(&back.values)), (tensor.coords, bits(&tensor.values)));
    let refused = read(&path, &Options::default()).expect_err("a weight that is no number").to_string();
    assert!(refused.contains("expected finite numbers in `data`, found NaN at (0, 0)"), "{refused}");
}

#[test]
fn tiny_and_huge_numbers_are_written_short() {
    let folder = tempfile::tempdir().unwrap();
    let values = vec![1e-310, 5e-324, -1.5e-7, 1e-6, 0.1, 1e20, 1e21, f64::MAX, -0.0];
    let count = values.len() as u32;
    let tensor = Coo { dims: vec![count as usize], coords: vec![(0..count).collect()], values };
    let path = folder.path().join("t.tns");
    write_tensor(&tensor, &path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let written: Vec<&str> = text.lines().skip(1).map(|line| line.split_once(' ').unwrap().1).collect();
    let short = ["1e-310", "5e-324", "-1.5e-7", "0.000001", "0.1", "100000000000000000000", "1e21"];
    assert_eq!(written[..7], short);
    assert_eq!(written[7..], ["1.7976931348623157e308", "-0"]);
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read_tensor(&path, &Options::default()).unwrap().values), bits(&tensor.values));
}

/// A graph of `n` vertices with ids that have gaps.
fn some_graph(n: u32, list: &[(u32, u32)], weighted: bool, directed: bool) -> Input {
    let mut edges = EdgeList::new(n as usize, n as usize);
    list.iter().enumerate().for_each(|(k, &(s, d))| edges.push(s % n, d % n, 0.1 * k as f64 - 1.0));
    let edges = if weighted { Edges::Weighted(edges) } else { Edges::Pattern(Edges::Weighted(edges).into_pattern()) };
    let self_loops = edges.src().iter().zip(edges.dst()).filter(|(s, d)| s == d).count() as u64;
    let ids = IdMap::from_sorted((0..u64::from(n)).map(|v| v * v * 1_000_003 + 7).collect());
    let declared = Some(if directed { Direction::Directed } else { Direction::Undirected });
    Input {
        name: "g".into(),
        format: Format::Plg,
        ids,
        self_loops,
        attributes: Default::default(),
        edges,
        directed,
        declared,
        mirrored: !directed,
        notes: Vec::new(),
    }
}

#[test]
fn metis_files_hold_whole_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.graph");
    let mut graph = some_graph(4, &[(2, 3), (0, 1), (2, 1)], true, false);
    for (weight, held) in [(3.0, true), (0.5, false), (-2.0, false), (0.0, false), (1e300, false), (8e18, true)] {
        if let Edges::Weighted(list) = &mut graph.edges {
            list.weight = vec![weight, 1.0, weight];
        }
        match write(&graph, &path) {
            Ok(()) => {
                assert!(held, "{weight}");
                assert_eq!(rows(&read(&path, &Options::default()).unwrap()), rows(&graph));
                std::fs::remove_file(&path).unwrap();
            }
            Err(error) => {
                let expected = format!(
                    "{}: METIS files hold whole weights above 0, and the edge between 1000010 and 4000019 has {}",
                    path.display(),
                    pleach_datasets::Shortest(weight)
                );
                assert_eq!((error.to_string(), held, path.exists()), (expected, false, false));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn graphs_read_back_from_every_format(
        n in 1u32..40,
        list in prop::collection::vec((0u32..40, 0u32..40), 0..60),
        weighted: bool,
        directed: bool,
        compression in prop::sample::select(vec!["", ".gz", ".zst"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let place = |ending: &str| folder.path().join(format!("g.{ending}{compression}"));
        let graph = some_graph(n, &list, weighted, directed);

        write(&graph, place("plg")).unwrap();
        let back = read(place("plg"), &Options::default()).unwrap();
        prop_assert_eq!(rows(&back), rows(&graph));
        prop_assert!(ascends(&back), "what is opened need not be sorted");
        let whole = |g: &Input| (g.ids.clone(), g.directed, g.declared, g.edges.is_weighted(), g.edges.num_rows(), g.name.clone());
        prop_assert_eq!(whole(&back), whole(&graph));
        prop_assert!(!back.mirrored, "both directions are listed");
        // In lists of edges each edge is there once, whatever listed it before.
        write(&back, place("tsv")).unwrap();
        let ids = |g: &Input| -> BTreeMap<(String, String), u64> {
            rows(g).into_iter().map(|((s, d), w)| ((g.ids.label(s).to_string(), g.ids.label(d).to_string()), w)).collect()
        };
        if !list.is_empty() {
            let listed = read(place("tsv"), &Options::default().with_direction(graph.declared)).unwrap();
            prop_assert_eq!(ids(&listed), ids(&graph));
            let edges = if directed { rows(&graph).len() } else { rows(&graph).keys().filter(|(s, d)| s <= d).count() };
            prop_assert_eq!(listed.edges.len(), edges);
        }

        write(&graph, place("mtx")).unwrap();
        let back = read(place("mtx"), &Options::default()).unwrap();
        prop_assert_eq!(bag(&back, !directed), bag(&graph, !directed));
        prop_assert_eq!((back.num_vertices(), back.mirrored), (n as usize, !directed));

        write(&graph, place("adj")).unwrap();
        let back = read(place("adj"), &Options::default()).unwrap();
        let written_out = Coo::of_graph(&graph);
        prop_assert_eq!((back.num_vertices(), rows(&back)), (n as usize, rows(&graph)));
        prop_assert!(ascends(&back));
        let tns = folder.path().join("back.tns");
        write(&graph, &tns).unwrap();
        prop_assert_eq!(read_tensor(&tns, &Options::default()).unwrap(), written_out);

        // METIS has whole weights above 0.
        let mut whole = graph.clone();
        if let Edges::Weighted(list) = &mut whole.edges {
            list.weight.iter_mut().for_each(|weight| *weight = (*weight * 10.0).round() + 11.0);
        }
        let metis = write(&whole, place("graph"));
        if directed || whole.self_loops > 0 {
            let refused = matches!(metis, Err(Error::CannotWrite { .. }));
            prop_assert!(refused);
        } else {
            let back = read(place("graph"), &Options::default()).unwrap();
            prop_assert_eq!(rows(&back), rows(&whole));
            prop_assert_eq!((back.num_vertices(), back.directed, back.mirrored), (n as usize, false, false));
            // What lists edges at both ends is written as it is.
            write(&back, folder.path().join("again.graph")).unwrap();
            let again = read(folder.path().join("again.graph"), &Options::default()).unwrap();
            prop_assert_eq!(again.edges, back.edges);
        }
    }

    #[test]
    fn tensors_read_back_from_every_format(
        dims in prop::collection::vec(1usize..9, 1..6),
        nonzeros in prop::collection::vec((prop::collection::vec(0u32..9, 6), -100i32..100), 0..40),
        ending in prop::sample::select(vec!["tns", "tns.gz", "plg", "plg.zst", "mtx"]),
    ) {
        let mut tensor = Coo::new(dims.clone());
        for (coords, value) in &nonzeros {
            let coords: Vec<u32> = dims.iter().zip(coords).map(|(&size, &c)| c % size as u32).collect();
            tensor.push(&coords, f64::from(*value) / 8.0);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("t.{ending}"));
        let written = write_tensor(&tensor, &path);
        if ending == "mtx" && dims.len() > 2 {
            let refused = matches!(written, Err(Error::Order { .. }));
            prop_assert!(refused);
        } else {
            if ending == "mtx" && dims.len() == 1 {
                // A vector is written as a matrix of one column.
                tensor.dims.push(1);
                tensor.coords.push(vec![0; tensor.nnz()]);
            }
            written.unwrap();
            prop_assert_eq!(read_tensor(&path, &Options::default()).unwrap(), tensor);
        }
    }

    /// Damage is noticed, or was where nothing lies.
    #[test]
    fn damage_to_a_binary_file_does_no_harm(at in 0usize..2000, byte: u8, cut: bool) {
        let folder = tempfile::tempdir().unwrap();
        let graph = some_graph(20, &[(1, 2), (7, 3), (19, 19), (3, 4)], true, true);
        let path = folder.path().join("g.plg");
        write(&graph, &path).unwrap();
        let whole = read(&path, &Options::default()).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at % bytes.len();
        if cut {
            bytes.truncate(at);
            std::fs::write(&path, &bytes).unwrap();
            prop_assert!(read(&path, &Options::default()).is_err());
        } else {
            bytes[at] ^= byte;
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(read) = read(&path, &Options::default()) {
                prop_assert_eq!(read.edges, whole.edges);
                prop_assert_eq!(read.ids, whole.ids);
            }
        }
    }
}

/// Archives whose checksums are right and whose content is not.
#[test]
fn binary_files_are_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.plg");
    let fails = |archive: Archive<'_>, expected: &str| {
        archive.write(&path).unwrap();
        let error = read(&path, &Options::default()).map(drop).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} does not say: {expected}");
    };
    let head = |rows: u64, columns: u64| {
        let graph = Archive::new("graph").with("rows", rows).with("columns", columns);
        graph.with("directed", true).with("mirrored", false)
    };
    let good = |offsets: Vec<u64>, targets: Vec<u32>| {
        head(2, 2).with("first_id", 0).with_array("offsets", offsets).with_array("targets", targets)
    };
    good(vec![0, 1, 2], vec![1, 0]).write(&path).unwrap();
    assert_eq!(arcs(&read(&path, &Options::default()).unwrap()), [(0, 1, 1.0), (1, 0, 1.0)]);

    fails(good(vec![0, 3, 2], vec![1, 0]), "expected a number from 0 to 2 at position 1 of `offsets`, found 3");
    fails(good(vec![0, 1, 1], vec![1, 0]), "expected a number from 2 to 2 at position 2 of `offsets`, found 1");
    fails(good(vec![1, 1, 2], vec![1, 0]), "position 0 of `offsets`, found 1");
    fails(good(vec![0, 2], vec![1, 0]), "expected 3 numbers in the array `offsets`, found 2");
    fails(
        good(vec![0, 1, 2], vec![1, 2]),
        "expected coordinates below 2 in the array `targets`, found 2 at position 1",
    );
    let weighted = |weights: Vec<f64>| good(vec![0, 1, 2], vec![1, 0]).with_array("weights", weights);
    fails(weighted(vec![1.0, f64::NAN]), "expected finite numbers in the array `weights`, found NaN at position 1");
    fails(weighted(vec![1.0]), "expected 2 numbers in the array `weights`, found 1");
    fails(good(vec![0, 1, 2], vec![1, 0]).with_array("weights", vec![1u32, 2]), "type f64, found u32");
    fails(Archive::new("novel"), "holds a `novel`, expected a graph or a tensor");
    fails(Archive::new("graph"), "expected a field `rows`");
    fails(head(2, 2).with("first_id", 0), "expected an array `offsets`");
    fails(head(2, 2).with("first_id", u64::MAX), "do not fit 64 bits");
    fails(head(2, 2).with_array("ids", vec![5u64, 5]), "expected ids that increase, found 5 before 5");
    fails(head(1 << 32, 2), "vertices, and at most 4294967295");
    fails(
        head(2, 4_000_000_000)
            .with("first_id", 0)
            .with_array("offsets", vec![0u64, 0, 0])
            .with_array("targets", Vec::<u32>::new()),
        "declares 4000000000 vertices and lists 0 entries",
    );
    fails(Archive::new("graph").with("rows", "many"), "expected a number in the field `rows`, found `many`");
    let tensor = |dims: &str| Archive::new("tensor").with("dims", dims).with_array("values", vec![1.0]);
    fails(tensor(""), "expected dimensions");
    fails(tensor("2 x"), "expected dimensions in the field `dims`, found `2 x`");
    fails(tensor("2 2").with_array("mode0", vec![0u32]), "expected an array `mode1`");
    fails(tensor("2 2").with_array("mode0", vec![2u32]), "expected coordinates below 2 in the array `mode0`");
    fails(tensor("2").with_array("mode0", vec![1u32]), "is a tensor of order 1");

    let put = |bytes: &[u8]| put(&folder, "g.plg", bytes);
    good(vec![0, 1, 2], vec![1, 0]).write(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let expect = |bytes: &[u8], expected: &str| {
        let error = read(put(bytes), &Options::default()).map(drop).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} does not say: {expected}");
    };
    let with = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    expect(b"1 2\n", "expected 8 bytes of a .plg's signature");
    expect(b"1 2\n3 4\n5 6\n", "offset 0: expected the signature of a .plg file");
    expect(&with(8, 9), "offset 8: expected version 1, found 9");
    expect(&with(15, 9), "offset 12: expected a header of 24 to 1048576 bytes");
    expect(&with(30, b'?'), "offset 16: expected a header of checksum");
    expect(&with(whole.len() - 1, 7), "expected the array `targets` to have checksum");
    expect(&[&whole[..], b"x"].concat(), "expected the end of the file, found more");
    expect(b"", "is empty");
}

#[test]
fn archives_hold_any_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let numbers: Vec<f64> = (0..1_500_000).map(f64::from).collect();
    for name in ["a.plg", "a.plg.gz", "a.plg.zst"] {
        let path = folder.path().join(name);
        let bytes: &[u8] = b"abc";
        let archive = Archive::new("mixed")
            .with("text", "two\nlines")
            .with_array("bytes", bytes)
            .with_array("numbers", &numbers[..]);
        archive.with_array("none", Vec::<i32>::new()).with_array("negative", vec![-1i32]).write(&path).unwrap();
        let mut back = Archive::read(&path, &Observer::default()).unwrap();
        assert_eq!((back.kind(), back.field("text")), ("mixed", Some("two lines")));
        assert_eq!(back.field("other"), None);
        assert_eq!(Vec::<u8>::try_from(back.take("bytes").unwrap()).unwrap(), b"abc");
        assert!(Vec::<f64>::try_from(back.take("numbers").unwrap()).unwrap() == numbers);
        assert!(back.take("none").unwrap().is_empty() && back.take("none").is_none());
        assert_eq!(Vec::<i32>::try_from(back.take("negative").unwrap()).unwrap(), [-1]);
    }
}

/// Real files, where the folder of published graphs is at hand.
#[test]
fn published_files_are_read() {
    let Some(data) = std::env::var_os("PLEACH_DATA").map(PathBuf::from) else {
        eprintln!("skipped: PLEACH_DATA does not name the data folder");
        return;
    };
    let options = Options::default();
    let arc130 = read(data.join("matrices/arc130.rua.gz"), &options).unwrap();
    assert_eq!((arc130.edges.num_rows(), arc130.edges.num_cols(), arc130.edges.len()), (130, 130, 1282));
    assert!(arc130.edges.is_weighted());
    let error = read(data.join("matrices/qc324.cua.gz"), &options).unwrap_err().to_string();
    assert!(error.contains("complex matrices are not supported"), "{error}");
    let fb15k = read_tensor(data.join("tensors/fb15k237.tns.gz"), &options).unwrap();
    assert_eq!((&fb15k.dims[..], fb15k.nnz()), (&[14541, 237, 14528][..], 310_116));
    let days = read_tensor(data.join("tensors/sx-mathoverflow-day.tns.gz"), &options).unwrap();
    assert_eq!((&days.dims[..], days.nnz()), (&[24818, 24818, 2351][..], 398_308));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("days.plg");
    write_tensor(&days, &path).unwrap();
    assert!(read_tensor(&path, &options).unwrap() == days);
    round_trip(&data.join("graphs/south_seattle_car.gr.gz"), folder.path());
    round_trip(&data.join("graphs/usroads.mtx.gz"), folder.path());
}

fn round_trip(graph: &Path, folder: &Path) {
    let graph = read(graph, &Options::default()).unwrap();
    let path = folder.join("graph.plg");
    write(&graph, &path).unwrap();
    let back = read(&path, &Options::default()).unwrap();
    assert!(rows(&back) == rows(&graph) && ascends(&back));
    assert_eq!((back.ids, back.directed), (graph.ids, graph.directed));
}

#[test]
fn bundled_graphs_go_through_our_binary() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["karate", "florentine", "dijkstra"] {
        let graph = open(name, &Options::default()).unwrap();
        let path = folder.path().join("g.plg");
        write(&graph, &path).unwrap();
        let back = read(&path, &Options::default()).unwrap();
        assert_eq!(rows(&back), rows(&graph));
        // An override is believed as it is of any other file.
        let directed = Options::default().with_direction(Direction::Directed);
        assert_eq!(read(&path, &directed).map(|g| (g.directed, g.mirrored)).unwrap(), (true, false));
    }
}
