//! Shares are the file, whatever their number.

use super::*;

/// All arcs by so many readers, in order.
fn by_shares(path: &Path, readers: usize) -> Vec<(u64, u64, f64)> {
    let shared = Shared::open(path, &Options::default()).unwrap().unwrap();
    let mut arcs = Vec::new();
    for reader in 0..readers {
        let mut share = shared.share(reader, readers).unwrap();
        while share.next(&mut |src, dst, weight| arcs.push((src, dst, weight)), &mut |_| ()).unwrap() {}
    }
    arcs
}

#[test]
#[cfg_attr(miri, ignore)]
fn shares_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, expected) in [
        ("one.txt", "1 2", vec![(1, 2, 1.0)]),
        ("ends.txt", "# a comment\n1 2\n\n3 4\n5 6\n", vec![(1, 2, 1.0), (3, 4, 1.0), (5, 6, 1.0)]),
        ("head.csv", "source,target\n7,8\r\n9,10\r\n", vec![(7, 8, 1.0), (9, 10, 1.0)]),
        (
            "long.wel",
            "5000000000 2 0.25\n1 18446744073709551615 4\n",
            vec![(5_000_000_000, 2, 0.25), (1, u64::MAX, 4.0)],
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        for readers in 1..=text.len() + 2 {
            assert_eq!(by_shares(&path, readers), expected, "{name} in {readers}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn blocks_end_with_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.txt");
    let expected: Vec<(u64, u64, f64)> = (0..400_000u64).map(|k| (k * k % 100_003, k, 1.0)).collect();
    let text: String = expected.iter().map(|(src, dst, _)| format!("{src} {dst}\n")).collect();
    assert!(text.len() > 4 << 20, "several blocks");
    std::fs::write(&path, text).unwrap();
    for readers in [1, 2, 3, 7] {
        assert!(by_shares(&path, readers) == expected, "{readers} readers");
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn faults_name_the_line_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.txt");
    let text: String = (0..1000).map(|k| if k == 900 { "1 x\n".to_owned() } else { format!("{k} {k}\n") }).collect();
    std::fs::write(&path, text).unwrap();
    let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
    let mut share = shared.share(3, 4).unwrap();
    let error = share.next(&mut |_, _, _| (), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("bad.txt") && error.contains("901"), "{error}");
}

#[test]
#[cfg_attr(miri, ignore)]
fn rows_of_our_binary_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["karate", "dijkstra", "rmat:10"] {
        let input = crate::open(name, &Options::default()).unwrap();
        let path = folder.path().join("graph.plg");
        crate::write(&input, &path).unwrap();
        let again = crate::read(&path, &Options::default()).unwrap();
        let weights: Vec<f64> = again.edges.weight().map_or(vec![1.0; again.edges.len()], <[f64]>::to_vec);
        let ends = again.edges.src().iter().zip(again.edges.dst());
        let expected: Vec<_> =
            ends.zip(weights).map(|((&s, &d), w)| (again.ids.external(s), again.ids.external(d), w)).collect();
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        assert_eq!((shared.directed, shared.mirrored), (again.directed, again.mirrored));
        for readers in [1, 2, 5, 40] {
            assert!(by_shares(&path, readers) == expected, "{name} by {readers}");
            let mut seen: std::collections::BTreeSet<u64> = expected.iter().map(|arc| arc.0).collect();
            for reader in 0..readers {
                let mut share = shared.share(reader, readers).unwrap();
                while share.next(&mut |_, _, _| (), &mut |id| seen.extend([id])).unwrap() {}
            }
            assert!(seen.into_iter().eq(again.ids.iter()), "{name} by {readers}");
        }
        // A byte of the targets that is wrong, and a file that is cut.
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 70]).unwrap();
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        let read = |reader| {
            let mut share = shared.share(reader, 2).unwrap();
            while share.next(&mut |_, _, _| (), &mut |_| ())? {}
            Ok::<(), Error>(())
        };
        assert!(read(0).and_then(|()| read(1)).is_err(), "{name}");
    }
}

/// A file as it is, compressed: as one reader hands it out.
fn packed(path: &Path, compression: crate::compress::Compression) -> PathBuf {
    let name = format!("{}.{}", path.file_name().unwrap().to_str().unwrap(), compression.ending());
    let packed = path.with_file_name(name);
    std::fs::write(&packed, compression.compress(&std::fs::read(path).unwrap())).unwrap();
    packed
}

/// Sources, targets and weights by ids, as the reader of a whole file finds them.
fn by_whole(path: &Path) -> (crate::Input, Vec<(u64, u64, f64)>) {
    let whole = crate::read(path, &Options::default()).unwrap();
    let weights: Vec<f64> = whole.edges.weight().map_or(vec![1.0; whole.edges.len()], <[f64]>::to_vec);
    let ends = whole.edges.src().iter().zip(whole.edges.dst());
    let arcs =
        ends.zip(weights).map(|((&s, &d), w)| (whole.ids.external(s), whole.ids.external(d), w)).collect::<Vec<_>>();
    (whole, arcs)
}

#[test]
#[cfg_attr(miri, ignore)]
fn rows_of_other_binaries_and_of_compressed_ones_are_shared() {
    use crate::compress::Compression::{Gzip, Zstd};
    let folder = tempfile::tempdir().unwrap();
    for (graph, ending) in
        [("karate", "sg"), ("rmat:10", "sg"), ("dijkstra", "wsg"), ("rmat:12", "plg"), ("dijkstra", "plg")]
    {
        for direction in [None, Some(Direction::Directed)] {
            let options = Options { direction, ..Options::default() };
            let input = crate::open(graph, &options).unwrap();
            let plain = folder.path().join(format!("graph.{ending}"));
            crate::write(&input, &plain).unwrap();
            for path in [plain.clone(), packed(&plain, Gzip), packed(&plain, Zstd)] {
                let (whole, expected) = by_whole(&path);
                let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
                let kind = (shared.directed, shared.mirrored, shared.weighted, shared.is_divided());
                assert_eq!(kind, (whole.directed, whole.mirrored, whole.edges.weight().is_some(), path == plain));
                for readers in [1, 2, 5, 40] {
                    assert!(by_shares(&path, readers) == expected, "{} by {readers}", path.display());
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn damaged_rows_of_other_binaries_are_refused() {
    use crate::compress::Compression::Gzip;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.sg");
    // Three vertices: 0 → 1, 0 → 2, 2 → 1.
    let file = |arcs: u64, offsets: [u64; 4], targets: &[u32], more: &[u8]| {
        let mut bytes = vec![0u8];
        [arcs, 3].into_iter().chain(offsets).for_each(|number| bytes.extend(number.to_le_bytes()));
        targets.iter().for_each(|target| bytes.extend(target.to_le_bytes()));
        bytes.extend(more);
        bytes
    };
    let read = |path: &Path| -> Result<usize, Error> {
        let shared = Shared::open(path, &Options::default())?.unwrap();
        let mut arcs = 0;
        for reader in 0..2 {
            let mut share = shared.share(reader, 2)?;
            while share.next(&mut |_, _, _| arcs += 1, &mut |_| ())? {}
        }
        Ok(arcs)
    };
    let good = file(3, [0, 2, 2, 3], &[1, 2, 1], &[]);
    let bad = [
        (file(3, [0, 2, 2, 3], &[1, 2, 3], &[]), "a vertex below 3, found 3"),
        (file(3, [1, 2, 2, 3], &[1, 2, 1], &[]), "ascend from 0 to 3"),
        (file(3, [0, 2, 1, 3], &[1, 2, 1], &[]), "ascend from 0 to 3"),
        (file(3, [0, 2, 2, 2], &[1, 2, 1], &[]), "ascend from 0 to 3"),
        (file(3, [0, 2, 2, u64::MAX], &[1, 2, 1], &[]), "ascend from 0 to 3"),
        (file(3, [0, 2, 2, 3], &[1, 2, 1], &[0]), "the end of the file"),
        (file(u64::MAX, [0, 2, 2, 3], &[1, 2, 1], &[]), "more arcs than a file can"),
        (good[..good.len() - 1].to_vec(), "end"),
        (good[..30].to_vec(), "end"),
    ];
    std::fs::write(&path, &good).unwrap();
    assert_eq!((read(&path).unwrap(), read(&packed(&path, Gzip)).unwrap()), (3, 3));
    for (bytes, words) in bad {
        std::fs::write(&path, bytes).unwrap();
        for path in [path.clone(), packed(&path, Gzip)] {
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("graph.sg"), "{error} instead of {words}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn ids_are_listed_beside_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (text, path) = (folder.path().join("gaps.txt"), folder.path().join("graph.plg"));
    let lines: String = (0..500).map(|k| format!("{} {}\n", 7 * (k * k % 101), 1000 + 3 * (k % 37))).collect();
    std::fs::write(&text, lines).unwrap();
    for name in [text.to_str().unwrap(), "debian"] {
        let input = crate::open(name, &Options::default()).unwrap();
        crate::write(&input, &path).unwrap();
        let zipped = packed(&path, crate::compress::Compression::Zstd);
        let whole = crate::read(&path, &Options::default()).unwrap();
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        assert_eq!((shared.named, shared.num_listed()), (whole.ids.has_names(), Some(whole.ids.len() as u64)));
        let ends = whole.edges.src().iter().zip(whole.edges.dst());
        let expected: Vec<(u64, u64)> = ends.map(|(&src, &dst)| (src.into(), dst.into())).collect();
        for readers in [1, 2, 5, 1000] {
            for path in [&path, &zipped].into_iter().filter(|path| readers < 1000 || path.ends_with("graph.plg")) {
                let arcs: Vec<_> = by_shares(path, readers).into_iter().map(|(src, dst, _)| (src, dst)).collect();
                assert!(arcs == expected, "{name} by {readers}");
                let shared = Shared::open(path, &Options::default()).unwrap().unwrap();
                let mut called = Vec::new();
                for reader in 0..readers {
                    match shared.listed_ids(reader, readers).unwrap() {
                        ListedIds::Numbers(ids) => called.extend(ids.iter().map(ToString::to_string)),
                        ListedIds::Names(names) => called.extend(names.iter().map(ToString::to_string)),
                        ListedIds::Labels(_) => panic!("its names increase"),
                    }
                }
                let right = whole.ids.labels().map(|label| label.to_string());
                assert!(called.into_iter().eq(right), "{name} by {readers}");
            }
        }
        // Two ids, or names, that do not increase: the second is as the first.
        let mut bytes = std::fs::read(&path).unwrap();
        let (two, all) = match shared.named {
            true => (format!("\n{}\n", whole.ids.label(7)).into_bytes(), format!("\n{}\n", whole.ids.label(7)).len()),
            false => ([whole.ids.external(7).to_le_bytes(), whole.ids.external(8).to_le_bytes()].concat(), 16),
        };
        let at = bytes.windows(two.len()).position(|window| window == two).unwrap();
        bytes[at + 1..at + all - 1].fill(b'\0');
        std::fs::write(&path, &bytes).unwrap();
        for readers in [1, 2, 5] {
            let read = |reader| shared.listed_ids(reader, readers);
            assert!((0..readers).any(|reader| read(reader).is_err()), "{name} by {readers}");
        }
        // A list that is cut off.
        std::fs::write(&path, &bytes[..at]).unwrap();
        assert!(shared.listed_ids(1, 2).is_err() || shared.listed_ids(0, 2).is_err(), "{name}");
        assert!(Shared::open(&path, &Options::default()).is_err(), "{name}");
    }
}

/// A graph that so many readers have counted.
fn counted(path: &Path, options: &Options, readers: usize) -> Shared {
    let mut shared = Shared::open(path, options).unwrap().unwrap();
    if shared.needs_counts() {
        let counts: Vec<_> = (0..readers).map(|reader| shared.count(reader, readers).unwrap()).collect();
        shared.take_counts(&counts).unwrap();
    }
    shared
}

/// Arcs and vertices of a graph by so many readers, and what a reader of the whole says.
fn equals_the_whole(path: &Path, options: &Options) {
    let whole = crate::read(path, options).unwrap();
    let shared = counted(path, options, 1);
    assert_eq!((shared.directed, shared.mirrored), (whole.directed, whole.mirrored), "{}", path.display());
    assert_eq!(shared.weighted, whole.edges.is_weighted(), "{}", path.display());
    let weights: Vec<f64> = whole.edges.weight().map_or(vec![1.0; whole.edges.len()], <[f64]>::to_vec);
    let ends = whole.edges.src().iter().zip(whole.edges.dst()).zip(weights);
    let mut expected: Vec<_> =
        ends.map(|((&s, &d), w)| (whole.ids.external(s), whole.ids.external(d), w.to_bits())).collect();
    // A matrix is written out in another order.
    expected.sort_unstable();
    for readers in [1, 2, 5, 40] {
        let shared = counted(path, options, readers);
        let (mut arcs, mut vertices, mut tallies) = (Vec::new(), std::collections::BTreeSet::new(), Vec::new());
        for reader in 0..readers {
            let mut share = shared.share(reader, readers).unwrap();
            let mut arc = |src, dst, weight: f64| arcs.push((src, dst, weight.to_bits()));
            while share.next(&mut arc, &mut |id| vertices.extend([id])).unwrap() {}
            tallies.push(share.tally());
        }
        shared.check(&tallies).unwrap();
        arcs.sort_unstable();
        assert!(arcs == expected, "{} by {readers}", path.display());
        vertices.extend(arcs.iter().flat_map(|arc| [arc.0, arc.1]));
        assert!(vertices.into_iter().eq(whole.ids.iter()), "vertices of {} by {readers}", path.display());
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn shares_of_every_format_of_lines_are_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let banner = "%%MatrixMarket matrix coordinate";
    for (name, text) in [
        ("a.mtx", format!("{banner} real general\n% a comment\n4 4 3\n1 2 0.5\n\n4 1 -2\n2 2 3\n")),
        ("sym.mtx", format!("{banner} pattern symmetric\n5 5 2\n2 1\n3 3\n")),
        ("skew.mtx", format!("{banner} integer skew-symmetric\n3 3 2\n2 1 7\n3 1 -1\n")),
        ("a.gr", "c roads\np sp 5 3\na 1 2 10\nc\na 2 1 20\na 4 2 5\n".to_owned()),
        ("old.gr", "p edge 4 2\ne 1 2\ne 3 2\n".to_owned()),
        ("free.gr", "a 7 8 3\na 9 7 4\n".to_owned()),
        ("out.bip", "% bip unweighted\n% 3 2 4\n1 1\n2 4\n1 3\n".to_owned()),
        ("weights.csv", "source;target;weight\n1;2;0.25\n7;1;4\n".to_owned()),
        ("a.graph", "% rows\n5 4\n2 3\n1 3\n% in between\n2 1 5\n\n3\n\n".to_owned()),
        ("w.graph", "3 2 11\n7 2 0.5 3 2\n1 1 0.5\n9 1 2\n".to_owned()),
        ("gap.graph", "4 3\n2\n\n4 1\n\n".to_owned()),
        ("crlf.graph", "% rows\r\n4 4 1\r\n2 0.5 3 1\r\n1 0.5\r\n\r\n".to_owned() + "3 7\r\n"),
        ("sizes.graph", "3 2 110 2\n5 1 1 2\n5 1 1 1 3\n5 1 1 2".to_owned()),
        ("all.graph", "3 2 111 1\n5 1 2 9 3 8\n5 1 1 9\n% the last line has no end\n5 1 1 8".to_owned()),
        ("twice.graph", "3 4\n2 2 3\n1 1\n1 3 3\n".to_owned()),
        ("empty.graph", "4 0\n".to_owned()),
        ("few.graph", "300 1\n3\n\n1\n".to_owned()),
        ("loop.graph", "2 2\n1 2\n\n".to_owned()),
        ("neighbours", "1 2 3 9\n5\n2 9\n9 1 4 4 4\n".to_owned()),
        ("a.adj", "AdjacencyGraph\n4\n5\n0\n2\n2\n4\n1\n3\n\n0\n2\n1\n".to_owned()),
        ("w.adj", "WeightedAdjacencyGraph\r\n3\r\n3\r\n0\r\n0\r\n3\r\n1\r\n2\r\n0\r\n0.5\r\n-2\r\n1e3\r\n".to_owned()),
        ("bare.adj", "AdjacencyGraph\n5\n0\n0\n0\n0\n0\n0".to_owned()),
        ("tagged.csv", "tag,from,to\n#a,1,2\n# a comment\n%b,3,1\n".to_owned()),
        ("quoted.csv", "\"from\",\"to\"\n\"1\",\"2\"\n\"3\",\"1\"\n".to_owned()),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, &text).unwrap();
        for weights in [Weights::AsRead, Weights::Ignore] {
            equals_the_whole(&path, &Options::default().with_weights(weights));
        }
        for direction in [Direction::Directed, Direction::Undirected] {
            equals_the_whole(&path, &Options::default().with_direction(direction));
        }
        // The same compressed, which the first reader reads.
        let packed = folder.path().join(format!("{name}.gz"));
        let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut to, text.as_bytes()).unwrap();
        std::fs::write(&packed, to.finish().unwrap()).unwrap();
        equals_the_whole(&packed, &Options::default());
        assert!(!Shared::open(&packed, &Options::default()).unwrap().unwrap().is_divided());
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn damaged_adjacency_arrays_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.adj");
    for text in [
        "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n3\n",
        "AdjacencyGraph\n3\n3\n0\n2\n1\n1\n2\n0\n",
        "AdjacencyGraph\n3\n3\n1\n2\n2\n1\n2\n0\n",
        "AdjacencyGraph\n3\n3\n0\n2\n4\n1\n2\n0\n",
        "AdjacencyGraph\n3\n3\n0\n2\n2.5\n1\n2\n0\n",
        "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n-2\n0\n",
        "AdjacencyGraph\n3\n3\n0\n2\n2\n1\nx\n0\n",
        "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n",
        "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n1\n",
        "AdjacencyGraph\n3\n18446744073709551615\n0\n2\n2\n1\n2\n0\n",
        "AdjacencyGraph\n5000000000\n1\n0\n",
        "WeightedAdjacencyGraph\n1\n1\n0\n0\ninf\n",
        "AdjacencyGraph\nthree\n1\n0\n",
    ] {
        std::fs::write(&path, text).unwrap();
        let expected = crate::read(&path, &Options::default()).unwrap_err().to_string();
        for readers in [1, 2, 3, 9] {
            let read = || {
                let mut shared = Shared::open(&path, &Options::default())?.unwrap();
                let counts = (0..readers).map(|reader| shared.count(reader, readers));
                shared.take_counts(&counts.collect::<Result<Vec<_>, _>>()?)?;
                (0..readers).try_for_each(|reader| all_of(shared.share(reader, readers)?).map(drop))
            };
            assert_eq!(read().unwrap_err().to_string(), expected, "{text:?} by {readers}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn ldbc_graphs_list_their_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let (v, e) = (folder.path().join("g.v"), folder.path().join("g.e"));
    std::fs::write(&v, "9\n2\n3\n7\n").unwrap();
    std::fs::write(&e, "2 3 0.5\n9 2 1\n").unwrap();
    std::fs::write(folder.path().join("g.properties"), "graph.g.directed = false\n").unwrap();
    equals_the_whole(&e, &Options::default());
    assert!(Shared::open(&v, &Options::default()).unwrap().unwrap().listed);
}

#[test]
#[cfg_attr(miri, ignore)]
fn names_are_read_in_shares() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        |k: u64| format!("{}person {},person {},{}\n", ["", "#", "%"][k as usize % 3], k * k % 101, k % 37, k % 5);
    let text: String = "source,target,weight\n".to_owned() + &(0..5000).map(line).collect::<String>();
    let lines: String = (0..300).map(|k| format!("v{k} v{} v{}\n", k * 7 % 301, k * k % 311)).collect();
    let quoted: String = (0..300).map(|k| format!("\"#{k}\"\t\"a\tb {}\"\n", k % 7)).collect();
    for (name, text) in [("people.csv", text), ("some.names", lines + "nobody\n"), ("quoted.names", quoted)] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let whole = crate::read(&path, &Options::default()).unwrap();
        let called = |vertex: u32| whole.ids.label(vertex).to_string();
        let weight = |k: usize| whole.edges.weight().map_or(1.0, |weights| weights[k]);
        let ends = whole.edges.src().iter().zip(whole.edges.dst()).enumerate();
        let expected: Vec<_> = ends.map(|(k, (&s, &d))| (called(s), called(d), weight(k))).collect();
        let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
        assert!(shared.named);
        for readers in [1, 2, 9] {
            let (mut arcs, mut names) = (Vec::new(), std::collections::BTreeSet::new());
            for reader in 0..readers {
                let mut share = shared.share(reader, readers).unwrap();
                while let Some(block) = share.next_named().unwrap() {
                    let name = |at: u32| block.names[at as usize].to_string();
                    arcs.extend(block.arcs.iter().map(|&(s, d, w)| (name(s), name(d), w)));
                    names.extend(block.names.iter().map(ToString::to_string));
                }
            }
            assert!(arcs == expected, "{name} by {readers}");
            assert!(names.into_iter().eq((0..whole.ids.len()).map(|vertex| called(vertex as u32))));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn promises_of_headers_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short.mtx");
    std::fs::write(&path, "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n").unwrap();
    let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
    let error = shared.check(&[[1, 0], [1, 0]]).unwrap_err().to_string();
    assert!(error.contains("short.mtx:4") && error.contains('3'), "{error}");
    // As many vertices as no file of this size has.
    std::fs::write(&path, "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 2\n").unwrap();
    assert!(matches!(Shared::open(&path, &Options::default()), Err(Error::TooSparse { .. })));
    std::fs::write(&path, "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 4\n").unwrap();
    let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
    let read = |reader| {
        let mut share = shared.share(reader, 2).unwrap();
        while share.next(&mut |_, _, _| (), &mut |_| ())? {}
        Ok::<(), Error>(())
    };
    let error = read(0).and_then(|()| read(1)).unwrap_err().to_string();
    assert!(error.contains("short.mtx:4") && error.contains('4'), "{error}");
}

#[test]
#[cfg_attr(miri, ignore)]
fn both_triangles_are_seen_by_any_number_of_readers() {
    let folder = tempfile::tempdir().unwrap();
    let banner = "%%MatrixMarket matrix coordinate integer";
    let cards = "t\n 2 1 1 0\nPSA                   3 3 3 0\n(4I3)           (2I2)\n  1  3  4  4\n 1 2\n 1\n";
    for (name, text) in [
        ("a.mtx", format!("{banner} symmetric\n4 4 4\n2 1 1\n% between\n4 3 1\n1 4 2\n3 3 1\n")),
        ("a.mtx", format!("{banner} skew-symmetric\n4 4 3\n1 2 1\n1 3 1\n3 1 -1\n")),
        ("a.mtx", format!("{banner} skew-symmetric\n4 4 3\n2 1 1\n3 1 1\n3 3 1\n")),
        ("a.psa", cards.to_owned()),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, &text).unwrap();
        for path in [path.clone(), packed(&path, crate::compress::Compression::Gzip)] {
            let expected = crate::read(&path, &Options::default()).unwrap_err().to_string();
            for readers in [1, 2, 3, 9] {
                let shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
                let tallies = (0..readers).map(|reader| all_of(shared.share(reader, readers)?));
                let read = tallies.collect::<Result<Vec<_>, _>>().and_then(|tallies| shared.check(&tallies));
                assert_eq!(read.unwrap_err().to_string(), expected, "{text:?} by {readers}");
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn rows_that_contradict_the_header_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.graph");
    for text in [
        "3 2\n2\n1 3\n",
        "2 1\n2\n1\n\n1\n",
        "3 5\n2\n1 3\n2\n",
        "4 4\n2 3\n1 3\n",
        "3 18446744073709551615\n2\n1\n",
        // Each edge is listed at both ends, and counted twice.
        "4 6\n2 3\n1 4\n1\n2\n",
    ] {
        std::fs::write(&path, text).unwrap();
        let expected = crate::read(&path, &Options::default()).unwrap_err().to_string();
        for readers in [1, 2, 3, 9] {
            let mut shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
            let counts: Vec<_> = (0..readers).map(|reader| shared.count(reader, readers).unwrap()).collect();
            let taken = shared.take_counts(&counts).and_then(|()| {
                let tally = |reader| all_of(shared.share(reader, readers)?);
                shared.check(&(0..readers).map(tally).collect::<Result<Vec<_>, _>>()?)
            });
            assert_eq!(taken.unwrap_err().to_string(), expected, "{text:?} by {readers}");
        }
    }
}

/// Reads a share to its end.
fn all_of(mut share: Share) -> Result<Tally, Error> {
    while share.next(&mut |_, _, _| (), &mut |_| ())? {}
    Ok(share.tally())
}

#[test]
#[cfg_attr(miri, ignore)]
fn no_vertex_is_handed_out_before_a_promise_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 900000000\n1 2\n"),
        ("a.graph", "4000000000 900000000\n2\n1\n"),
    ] {
        // Nothing is known of the size of what is compressed.
        let path = folder.path().join(format!("{name}.gz"));
        let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut to, text.as_bytes()).unwrap();
        std::fs::write(&path, to.finish().unwrap()).unwrap();
        let read = || {
            let mut shared = Shared::open(&path, &Options::default())?.unwrap();
            if shared.needs_counts() {
                let counts = [shared.count(0, 2)?, shared.count(1, 2)?];
                shared.take_counts(&counts)?;
            }
            let mut vertices = 0;
            for reader in [1, 0] {
                let mut share = shared.share(reader, 2)?;
                while share.next(&mut |_, _, _| (), &mut |_| vertices += 1)? {
                    assert!(vertices == 0, "{name}");
                }
            }
            Ok::<_, Error>(())
        };
        let message = read().unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn matrices_of_other_formats_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    let banner = "%%MatrixMarket matrix array real";
    let values = |count: usize| (0..count).map(|k| format!("{}\n", k * k % 7)).collect::<String>();
    let title = format!("{:72}{:8}\n", "a matrix", "KEY");
    let cards = |kind: &str, formats: &str, body: &str| {
        format!(
            "{title}             3             1             1             1\n{kind}  4  4  5  0\n{formats}\n{body}\n"
        )
    };
    let formats = format!("{:16}{:16}{:20}", "(3I3)", "(2I4)", "(3F6.2)");
    for (name, text) in [
        ("array.mtx", format!("{banner} general\n% every value\n5 5\n{}", values(25))),
        ("sym.mtx", format!("{banner} symmetric\n6 6\n{}", values(21))),
        ("skew.mtx", format!("{banner} skew-symmetric\n4 4\n{}", values(6))),
        ("one.mtx", format!("{banner} skew-symmetric\n1 1\n")),
        (
            "a.rua",
            cards("RUA", &formats, "  1  3  3\n  5  6\n   1   4\n   2   3\n   1\n  1.50 -2.00  3.25\n  4.00   500"),
        ),
        ("a.psa", cards("PSA", &formats, "  1  3  3\n  5  6\n   1   4\n   3   4\n   4")),
        (
            "a.rza",
            cards("RZA", &formats, "  1  4  5\n  6  6\n   2   3\n   4   3\n   4\n  1.50 -2.00  3.25\n  4.00   500"),
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, &text).unwrap();
        for weights in [Weights::AsRead, Weights::Ignore] {
            equals_the_whole(&path, &Options::default().with_weights(weights));
        }
        for direction in [Direction::Directed, Direction::Undirected] {
            equals_the_whole(&path, &Options::default().with_direction(direction));
        }
        equals_the_whole(&packed(&path, crate::compress::Compression::Gzip), &Options::default());
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn archives_of_numpy_are_shared() {
    use crate::npz::{Sparse, write_sparse};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let data = |count: usize| (0..count).map(|k| k as f64 / 2.0 - 3.0).collect::<Vec<f64>>();
    let (indptr, indices) = (vec![0, 2, 2, 3, 6], vec![0, 3, 1, 0, 1, 2]);
    for (size, matrix) in [
        (4, Sparse::Csr { indptr: indptr.clone(), indices: indices.clone(), data: data(6) }),
        (4, Sparse::Csc { indptr, indices, data: data(6) }),
        (5, Sparse::Coo { row: vec![4, 0, 0, 2], col: vec![1, 1, 1, 4], data: data(4) }),
        (5, Sparse::Dia { offsets: vec![-2, 0, 3], data: data(15) }),
        (6, Sparse::Bsr { indptr: vec![0, 1, 3], indices: vec![1, 0, 1], data: data(18), block: (3, 2) }),
    ] {
        write_sparse(&matrix, (size, size), &path).unwrap();
        if !matches!(matrix, Sparse::Bsr { .. }) {
            equals_the_whole(&path, &Options::default());
        }
        equals_the_whole(
            &path,
            &Options::default().with_direction(Direction::Undirected).with_weights(Weights::Ignore),
        );
        // Another number, so that the checksum is wrong.
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 3;
        bytes[middle] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        let read = || all_of(Shared::open(&path, &Options::default())?.unwrap().share(0, 1)?);
        let (whole, shared) = (crate::read(&path, &Options::default()), read());
        assert!(whole.is_err() == shared.is_err(), "{matrix:?}: {whole:?} and {shared:?}");
    }
    let many = crate::open("rmat:12", &Options::default()).unwrap();
    crate::write(&many, &path).unwrap();
    equals_the_whole(&path, &Options::default());
}

#[test]
#[cfg_attr(miri, ignore)]
fn what_is_read_at_places_is_unpacked_where_it_is_compressed() {
    use crate::compress::Compression::{Gzip, Zstd};
    let folder = tempfile::tempdir().unwrap();
    let endings: &[&str] = if cfg!(feature = "tables") { &["npz", "parquet", "arrow", "arrows"] } else { &["npz"] };
    for (ending, compression) in endings.iter().flat_map(|ending| [(ending, Gzip), (ending, Zstd)]) {
        let path = folder.path().join(format!("graph.{ending}"));
        for graph in ["karate", "dijkstra", "rmat:9"] {
            crate::write(&crate::open(graph, &Options::default()).unwrap(), &path).unwrap();
            let packed = packed(&path, compression);
            equals_the_whole(&packed, &Options::default());
            equals_the_whole(&packed, &Options::default().with_weights(Weights::Ignore));
        }
        // Errors name the file, and not the temporary one.
        std::fs::write(&path, b"nothing").unwrap();
        let shared = Shared::open(packed(&path, compression), &Options::default()).unwrap().unwrap();
        let error = shared.count(0, 2).unwrap_err().to_string();
        assert!(error.contains(&format!("graph.{ending}")), "{error}");
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn damaged_matrices_are_refused_in_shares_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rua");
    let head = format!("{:72}{:8}\n 3 1 1 1\nRUA 3 3 3 0\n{:16}{:16}{:20}\n", "", "", "(4I3)", "(3I4)", "(3F6.2)");
    for body in [
        "  1  2  3  4\n   1   2   4\n  1.00  2.00  3.00\n",
        "  1  2  3  3\n   1   2   3\n  1.00  2.00  3.00\n",
        "  1  3  2  4\n   1   2   3\n  1.00  2.00  3.00\n",
        "  2  2  3  4\n   1   2   3\n  1.00  2.00  3.00\n",
        "  1  2  3  4\n   1   2\n  1.00  2.00  3.00\n",
        "  1  2  3  4\n   1   2   3\n  1.00  2.00\n",
        "  1  2  3  4\n   1   2   3\n  1.00  x.00  3.00\n",
        "  1  2\n",
    ] {
        std::fs::write(&path, format!("{head}{body}")).unwrap();
        assert!(crate::read(&path, &Options::default()).is_err(), "{body:?}");
        let read = || all_of(Shared::open(&path, &Options::default())?.unwrap().share(0, 2)?);
        assert!(read().unwrap_err().to_string().contains("a.rua:"), "{body:?}");
    }
    let path = folder.path().join("a.mtx");
    for lines in ["1\n2\n3\n", "1\n2\n3\n4\n5\n", "1\n2\nx\n4\n"] {
        std::fs::write(&path, format!("%%MatrixMarket matrix array real general\n2 2\n{lines}")).unwrap();
        let expected = crate::read(&path, &Options::default()).unwrap_err().to_string();
        for readers in [1, 2, 5] {
            let mut shared = Shared::open(&path, &Options::default()).unwrap().unwrap();
            let counts: Result<Vec<_>, _> = (0..readers).map(|reader| shared.count(reader, readers)).collect();
            let taken = counts.and_then(|counts| shared.take_counts(&counts));
            assert_eq!(taken.unwrap_err().to_string(), expected, "{lines:?} by {readers}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn bundled_graphs_are_shared() {
    for name in ["karate", "florentine", "davis", "dijkstra"] {
        let whole = crate::open(name, &Options::default()).unwrap();
        let shared = Shared::open(name, &Options::default()).unwrap().unwrap();
        assert_eq!((shared.directed, shared.mirrored), (whole.directed, whole.mirrored), "{name}");
        let ends = whole.edges.src().iter().zip(whole.edges.dst());
        let expected: Vec<(u64, u64)> = ends.map(|(&s, &d)| (whole.ids.external(s), whole.ids.external(d))).collect();
        for readers in [1, 3] {
            let found = by_shares(Path::new(name), readers);
            assert!(found.iter().map(|arc| (arc.0, arc.1)).eq(expected.iter().copied()), "{name} by {readers}");
        }
    }
    let mut share = Shared::open("debian", &Options::default()).unwrap().unwrap().share(0, 2).unwrap();
    let (mut arcs, mut names) = (0, std::collections::BTreeSet::new());
    while let Some(block) = share.next_named().unwrap() {
        arcs += block.arcs.len();
        names.extend(block.names);
    }
    assert_eq!((names.len(), arcs), (63_437, 247_709));
}

#[test]
#[cfg_attr(miri, ignore)]
fn networks_list_labels_beside_edges() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.net");
    let net = "\u{feff}*Network x\n% a comment\n*Vertices 4\n2 \"b b\" 0.5 1 box\n1 a\n4 d\n3 c\n\n*Arcs\n1 2 0.5\n*Edges\n4 3 1\n3 3 2 c red\n";
    std::fs::write(&path, net).unwrap();
    let whole = crate::read(&path, &Options::default()).unwrap();
    for path in [path.clone(), packed(&path, crate::compress::Compression::Gzip)] {
        for readers in [1, 2, 3, 7] {
            let shared = counted(&path, &Options::default(), readers);
            assert_eq!((shared.directed, shared.mirrored, shared.weighted), (true, false, true));
            assert_eq!(shared.num_listed(), Some(4));
            let mut labels = Vec::new();
            for reader in 0..readers {
                let ListedIds::Labels(own) = shared.listed_ids(reader, readers).unwrap() else {
                    panic!("all are there")
                };
                labels.extend(own);
            }
            assert_eq!(labels.iter().map(|label| &**label).collect::<Vec<_>>(), ["a", "b b", "c", "d"]);
            let (mut arcs, mut vertices) = (Vec::new(), Vec::new());
            for reader in 0..readers {
                let mut share = shared.share(reader, readers).unwrap();
                while share.next(&mut |s, d, w| arcs.push((s, d, w)), &mut |v| vertices.push(v)).unwrap() {}
            }
            assert_eq!(arcs, [(0, 1, 0.5), (3, 2, 1.0), (2, 3, 1.0), (2, 2, 2.0)]);
            assert_eq!((vertices, whole.edges.len()), (vec![0, 1, 2, 3], 4));
        }
    }
    for (text, words) in [
        ("*Vertices 4000000000\n", "4000000000"),
        ("*Vertices 2\n1 a\n*Arcs\n1 3\n", "a.net:4:1"),
        ("*Vertices 2\n*Arcs\n1\n", "a second vertex"),
        ("*Vertices 0\n", "at least one vertex"),
        ("1 2\n", "`*Vertices N`"),
    ] {
        std::fs::write(&path, text).unwrap();
        let options = Options::default().with_format(Format::Pajek);
        let shared = Shared::open(&path, &options).unwrap().unwrap();
        let error = shared.count(0, 2).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(crate::read(&path, &options).is_err());
    }
    // A vertex that is listed twice, in the place of another one or beside it: labels are no names.
    for text in ["*Vertices 2\n1 a\n1 b\n*Arcs\n1 2\n", "*Vertices 2\n1 a\n2 b\n2 c\n*Arcs\n1 2\n"] {
        std::fs::write(&path, text).unwrap();
        assert!(!crate::read(&path, &Options::default()).unwrap().ids.has_names(), "{text:?}");
        let shared = counted(&path, &Options::default(), 2);
        assert_eq!(shared.listed_ids(0, 1).unwrap(), ListedIds::Numbers(vec![1, 2]), "{text:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn documents_are_read_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    for text in [
        r#"{"directed": true, "nodes": [{"id": 5}, {"id": "7", "x": [1]}], "links": [{"source": 5, "target": 9, "weight": 2.5}]}"#,
        r#"{"edges": [{"source": 1, "target": 0}], "nodes": [{}, {}, {}], "graph": {"a": 1}, "more": [{"a": []}]}"#,
    ] {
        std::fs::write(&path, text).unwrap();
        equals_the_whole(&path, &Options::default());
        equals_the_whole(&path, &Options::default().with_direction(Direction::Directed).with_weights(Weights::Ignore));
        equals_the_whole(&packed(&path, crate::compress::Compression::Gzip), &Options::default());
    }
    let edges: Vec<String> =
        (0..100_000).map(|k| format!("{{\"source\": \"v{}\", \"target\": \"v{}\"}}", k % 997, k % 13)).collect();
    std::fs::write(&path, format!("{{\"nodes\": [{{\"id\": \"alone\"}}], \"links\": [{}]}}", edges.join(",\n")))
        .unwrap();
    let whole = crate::read(&path, &Options::default()).unwrap();
    let shared = counted(&path, &Options::default(), 2);
    assert!(shared.named && !shared.directed && !shared.weighted);
    let (mut share, mut arcs, mut names) = (shared.share(0, 2).unwrap(), 0, std::collections::BTreeSet::new());
    while let Some(block) = share.next_named().unwrap() {
        arcs += block.arcs.len();
        names.extend(block.names.iter().map(ToString::to_string));
    }
    assert_eq!(arcs, 100_000);
    assert!(names.into_iter().eq(whole.ids.labels().map(|label| label.to_string())));
    assert!(shared.share(1, 2).unwrap().next_named().unwrap().is_none());
    // A reader that is dropped early.
    drop(shared.share(0, 1).unwrap());
    for (text, words) in [
        ("{\"nodes\": []}", "`edges` or `links`"),
        ("{\"nodes\": {}, \"links\": []}", "an array `nodes`"),
        ("{\"nodes\": [], \"links\": [], \"edges\": []}", "both"),
        ("{\"nodes\": [], \"links\": []}", "at least one vertex"),
        ("{\"nodes\": [{\"id\": \"\"}], \"links\": []}", "one line each"),
        ("{\"nodes\": [{\"id\": []}], \"links\": []}", "an id, a number or a string"),
        ("{\"nodes\": [1], \"links\": []}", "an object for each vertex"),
        ("{\"nodes\": [], \"links\": [{\"source\": 1, \"target\": 2, \"weight\": \"x\"}]}", "a number as `weight`"),
        ("{\"nodes\": [], \"links\": [{\"source\": 1, \"target\": 2}", "a JSON object"),
        ("{\"nodes\": [{\"id\": 1}], \"links\": []} x", "trailing"),
    ] {
        std::fs::write(&path, text).unwrap();
        let expected = crate::read(&path, &Options::default()).unwrap_err().to_string();
        let error = Shared::open(&path, &Options::default()).unwrap().unwrap().count(0, 2).unwrap_err().to_string();
        assert_eq!(error, expected);
        assert!(error.contains(words) && error.contains("a.json"), "{error}");
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn documents_of_xml_are_read_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let graphml = r#"<?xml version="1.0"?><!-- a --><graphml xmlns="x"><key id="w" for="edge" attr.name="weight" attr.type="double"/>
        <graph edgedefault="undirected"><node id="3"/><edge source="3" target="&#55;"><data key="w">0.5</data></edge>
        <node id="9"><data key="z"><b/></data></node><desc>x &lt; <a>y</a></desc></graph></graphml>"#;
    let gexf = r#"<gexf xmlns:viz="v"><meta><creator>me</creator></meta><graph defaultedgetype="directed"><nodes><node id="1" label="x">
        <viz:color r="1"/></node></nodes><edges><edge source="1" target="2" weight="4"/></edges></graph></gexf>"#;
    for (name, text) in [("a.graphml", graphml), ("a.gexf", gexf)] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        equals_the_whole(&path, &Options::default());
        equals_the_whole(&packed(&path, crate::compress::Compression::Zstd), &Options::default());
        for (from, to, words) in [
            ("</graph>", "", "a document of XML"),
            ("edge source=\"", "edge Source=\"", "an attribute `source`"),
            ("<graph ", "<!DOCTYPE a><graph ", "a document of XML"),
            ("<graph ", "<graf ", "a document of XML"),
            ("</graph>", "</graph>&", "a document of XML"),
            ("</graph>", "&wrong;</graph>", "&wrong;"),
        ] {
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let expected = crate::read(&path, &Options::default()).unwrap_err().to_string();
            let error = Shared::open(&path, &Options::default()).unwrap().unwrap().count(0, 2).unwrap_err().to_string();
            assert_eq!(error, expected);
            assert!(error.contains(words) && error.contains(name), "{error}");
        }
        // Deep nesting, inside of an element that is read and outside.
        let (begin, end) =
            if name == "a.gexf" { ("<node id=\"1\" label=\"x\">", "</nodes>") } else { ("<node id=\"9\">", "<desc>") };
        let deep = format!("{}{}", "<q>".repeat(100_000), "</q>".repeat(100_000));
        std::fs::write(&path, text.replacen(begin, &format!("{begin}{deep}"), 1)).unwrap();
        assert!(crate::read(&path, &Options::default()).unwrap_err().to_string().contains("64 deep"));
        std::fs::write(&path, text.replacen(end, &format!("{deep}{end}"), 1)).unwrap();
        equals_the_whole(&path, &Options::default());
    }
}

#[test]
#[cfg_attr(miri, ignore)]
fn a_mark_before_the_text_is_skipped_in_compressed_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marked.txt");
    std::fs::write(&path, "\u{feff}1 2\n3 4\n").unwrap();
    equals_the_whole(&path, &Options::default());
    equals_the_whole(&packed(&path, crate::compress::Compression::Zstd), &Options::default());
}

#[test]
#[cfg_attr(miri, ignore)]
fn other_files_are_not_shared() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Shared::open(&path, &Options::default())
    };
    let wide =
        open("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 1\n").unwrap_err().to_string();
    assert!(wide.contains("wide.mtx: is a matrix of 1 rows and 2 columns"), "{wide}");
    // Whether the names of igraph are all different is known only after all vertices have been read.
    let igraph =
        "<graphml><key id=\"v_name\" for=\"node\" attr.name=\"name\"/><graph edgedefault=\"directed\"/></graphml>";
    assert!(open("a.graphml", igraph).unwrap().is_none());
}
