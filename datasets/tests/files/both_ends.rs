//! Files whose rows list each edge at both of its ends: by the whole, and in shares.

use std::path::Path;

use pleach_datasets::{Input, Options, Shared, read};

/// The error of a file that is read in shares, if there is one.
fn by_shares(path: &Path, readers: usize) -> Result<(), String> {
    let mut shared = Shared::open(path, &Options::default()).map_err(|error| error.to_string())?.unwrap();
    if shared.needs_counts() {
        let counts: Vec<_> = (0..readers).map(|reader| shared.count(reader, readers).unwrap()).collect();
        shared.take_counts(&counts).map_err(|error| error.to_string())?;
    }
    let mut tallies = Vec::new();
    for reader in 0..readers {
        let mut share = shared.share(reader, readers).unwrap();
        while share.next(&mut |_, _, _| (), &mut |_| ()).map_err(|error| error.to_string())? {}
        tallies.push(share.tally());
    }
    shared.check(&tallies).map_err(|error| error.to_string())
}

/// What both kinds of readers say.
fn read_as(name: &str, bytes: &[u8]) -> Result<Input, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let whole = read(&path, &Options::default()).map_err(|error| error.to_string());
    for readers in [1, 2, 3] {
        assert_eq!(by_shares(&path, readers).err(), whole.as_ref().err().cloned(), "{name} by {readers}");
    }
    whole
}

#[test]
fn metis_files_list_each_edge_at_both_ends() {
    for good in ["3 2\n2 3\n1\n1\n", "3 2 1\n2 5 3 1\n1 5\n1 1\n", "2 2\n2 2\n1 1\n", "3 2 1\n2 0 3 1\n1 -0\n1 1\n"] {
        assert!(!read_as("g.graph", good.as_bytes()).unwrap().directed, "{good:?}");
    }
    for (bad, place, found) in [
        ("3 2\n2 3\n3 1\n\n", "2:1", "found 3 among the neighbours of 1, and not 1 among those of 3"),
        ("% c\n3 2\n% d\n2\n1\n% e\n1 2\n", "7:1", "found 1 among the neighbours of 3, and not 3 among those of 1"),
        (
            "3 2 001\n2 5\n1 7 3 1\n2 1\n",
            "2:1",
            "found 2 among the neighbours of 1 with the weight 5, and not 1 among those of 2 with this weight",
        ),
    ] {
        let why = read_as("g.graph", bad.as_bytes()).map(|input| input.edges.len()).expect_err(bad);
        assert!(why.contains(&format!("g.graph:{place}: expected each edge at both ends")), "{why}");
        assert!(why.ends_with(found), "{why}");
    }
    // As many neighbours as edges are arcs.
    assert!(read_as("g.graph", b"4 4\n2\n3\n4\n1\n").unwrap().directed);
}

/// A serialized graph of the GAP Benchmark Suite.
fn gap(rows: &[&[(u32, i32)]], weighted: bool) -> Vec<u8> {
    let arcs: usize = rows.iter().map(|row| row.len()).sum();
    let mut bytes = vec![0];
    bytes.extend([arcs as u64, rows.len() as u64].map(u64::to_le_bytes).concat());
    let mut offset = 0_u64;
    bytes.extend(offset.to_le_bytes());
    for row in rows {
        offset += row.len() as u64;
        bytes.extend(offset.to_le_bytes());
    }
    for (target, weight) in rows.iter().copied().flatten() {
        bytes.extend(target.to_le_bytes());
        bytes.extend(if weighted { weight.to_le_bytes().to_vec() } else { Vec::new() });
    }
    bytes
}

#[test]
fn undirected_files_of_gap_list_each_edge_at_both_ends() {
    let good: &[&[(u32, i32)]] = &[&[(1, 3), (2, 4)], &[(0, 3)], &[(0, 4)]];
    assert_eq!(read_as("g.sg", &gap(good, false)).unwrap().edges.len(), 4);
    assert_eq!(read_as("g.wsg", &gap(good, true)).unwrap().edges.len(), 4);
    let cycle = gap(&[&[(1, 0)], &[(2, 0)], &[(3, 0)], &[(0, 0)]], false);
    let why = read_as("g.sg", &cycle).map(|input| input.edges.len()).unwrap_err();
    assert!(why.contains("g.sg: offset 17: expected each edge at both ends"), "{why}");
    assert!(why.ends_with("found 1 among the neighbours of 0, and not 0 among those of 1"), "{why}");
    let weights = gap(&[&[(1, 3)], &[(0, 5)]], true);
    let why = read_as("g.wsg", &weights).map(|input| input.edges.len()).unwrap_err();
    assert!(
        why.ends_with("1 among the neighbours of 0 with the weight 3, and not 0 among those of 1 with this weight")
    );
}
