//! Graphs in a directory of the file system: made, closed, opened again, gone back in, damaged.
#![allow(missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use pleach::graph::{Conflict, GraphOptions, Update};
use pleach_erased::{AnyGraph, AnySnapshot, StoreName};
use pleach_log::{Durable, IdKind, LogError, NewIds, OpenError, Options, Sync, VertexIds, Weights};

fn edges<V: Weights>(snapshot: &AnySnapshot<V>) -> Vec<(u32, u32, V)> {
    let mut all = Vec::new();
    snapshot.for_each_edge(|from, to, weight| all.push((from, to, weight)));
    all
}

/// What two versions have in common if they are the same.
fn assert_same<V: Weights + std::fmt::Debug>(a: &AnySnapshot<V>, b: &AnySnapshot<V>) {
    assert_eq!((a.version(), a.num_edges(), a.num_arcs()), (b.version(), b.num_edges(), b.num_arcs()));
    assert_eq!(edges(a), edges(b));
    assert!(a.vertices().eq(b.vertices()));
    a.audit().unwrap();
}

/// Some batches that insert, insert again, reweight, delete and remove.
fn batches(count: u64) -> Vec<Vec<Update<f64>>> {
    let mut random = 5u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((u128::from(random) * u128::from(n)) >> 64) as u32
    };
    (0..count)
        .map(|_| {
            (0..below(40))
                .map(|_| {
                    let (from, to, weight) = (below(300), below(300), f64::from(below(100)) / 8.0);
                    match below(20) {
                        0..13 => Update::insert((from, to, weight)),
                        13..15 => Update::reweight(from, to, weight),
                        15..19 => Update::delete(from, to),
                        _ => Update::remove_vertex(from),
                    }
                })
                .collect()
        })
        .collect()
}

fn shapes() -> Vec<GraphOptions<f64>> {
    let directed = GraphOptions::default();
    let conflicts = [Conflict::Last, Conflict::Sum, Conflict::Min];
    let of = |options: GraphOptions<f64>| conflicts.map(|conflict| options.with_conflict(conflict));
    [of(directed), of(directed.with_incoming(false)), of(GraphOptions::undirected())].concat()
}

#[test]
fn every_shape_comes_back_with_its_version_in_any_store() {
    for (k, shape) in shapes().into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let plain = AnyGraph::new(&"graph".parse().unwrap(), shape).unwrap();
        for (part, batches) in batches(60).chunks(15).enumerate() {
            // Another store each time.
            let store: StoreName = ["graph", "bst,ctree", "dense,blist", "paged,packed_delta"][part].parse().unwrap();
            let options = Options::of(shape).with_store(store).with_sync(Sync::Never);
            let durable = pleach_log::open(folder.path().join("graph"), options).unwrap();
            assert_same(&durable.fresh(), &plain.fresh());
            assert_eq!(durable.recovery().replayed, if k % 2 == 0 { 0 } else { part as u64 * 15 });
            for batch in batches {
                assert_eq!(durable.apply(batch.iter().copied()).unwrap(), plain.apply(batch.iter().copied()).unwrap());
            }
            if k % 2 == 0 {
                assert_eq!(durable.checkpoint().unwrap(), plain.fresh().version());
            }
            durable.close().unwrap();
        }
    }
}

/// A batch with so many sources is written by several threads, piece by piece.
#[test]
fn large_batches_come_back() {
    let next = |k: u32| (k.wrapping_mul(2_654_435_761) >> 7) % 50_000;
    for shape in [GraphOptions::<f64>::default(), GraphOptions::undirected()] {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::of(shape).with_sync(Sync::Never);
        let durable = pleach_log::open(folder.path(), options.clone()).unwrap();
        let all: Vec<_> = (0..70_000).map(|k| (k % 50_000, next(k), f64::from(k))).collect();
        durable.insert(all.iter().copied()).unwrap();
        durable.apply((0..45_000).map(|k| Update::delete(k, next(k)))).unwrap();
        // A small one in the memory of a large one.
        durable.insert([(0, 1, 0.5)]).unwrap();
        let before = durable.fresh();
        durable.close().unwrap();
        let again = pleach_log::open(folder.path(), options).unwrap();
        assert_eq!(again.recovery().replayed, 3);
        assert_same(&again.fresh(), &before);
    }
}

#[test]
fn ids_come_back_with_their_vertices_and_removed_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options::of(GraphOptions::undirected()).with_ids(IdKind::Names);
    for checkpointed in [false, true] {
        let path = folder.path().join(checkpointed.to_string());
        let durable: Durable = pleach_log::open(&path, options()).unwrap();
        let ids = durable.ids().names().unwrap().clone();
        let edge = |a: &str, b: &str| (ids.intern(a).unwrap(), ids.intern(b).unwrap());
        durable.insert([edge("ada", "bob"), edge("bob", "eve"), edge("", "ada")]).unwrap();
        // An id that no batch has named so far is none of the directory's.
        ids.intern("nobody").unwrap();
        assert_eq!(durable.remove_ids([1]).unwrap().removed, 2);
        if checkpointed {
            durable.checkpoint().unwrap();
        }
        durable.insert([edge("bob", "zoe")]).unwrap();
        let (before, version) = (durable.fresh(), durable.fresh().version());
        drop(durable);
        let durable: Durable = pleach_log::open(&path, options()).unwrap();
        assert_same(&durable.fresh(), &before);
        assert_eq!(durable.fresh().version(), version);
        let again = durable.ids().names().unwrap();
        assert!(again.iter().eq(ids.iter()), "{again:?}");
        assert_eq!((again.get("bob"), again.key(1), again.bound()), (Some(5), None, 7));
    }
}

/// Ids of a batch are added with it or not at all, and those of vertices that it removes at once are not given to others afterwards.
#[test]
fn ids_that_come_with_a_batch_are_kept_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options::of(GraphOptions::undirected()).with_ids(IdKind::Names);
    let durable: Durable = pleach_log::open(folder.path(), options()).unwrap();
    let batch = || durable.prepare([Update::insert((0, 1)), Update::remove_vertex(1)]).unwrap();
    let submit = |first, names: &[&str]| {
        let submitted = durable.submit_with_ids(batch(), first, &NewIds::Names(names.to_vec()))?;
        durable.wait(submitted)
    };
    for wrong in [["ada", "ada"], ["", ""]] {
        assert!(matches!(submit(0, &wrong), Err(LogError::OtherIds { first: 0, bound: 0 })));
    }
    submit(0, &["ada", "bob"]).unwrap();
    let known = || durable.ids().names().unwrap().iter().map(|(v, name)| (v, name.to_owned())).collect::<Vec<_>>();
    let two = vec![(0, "ada".to_owned()), (1, "bob".to_owned())];
    for (first, wrong) in [(2, ["new", "ada"]), (0, ["eve", "zoe"])] {
        assert!(matches!(submit(first, &wrong), Err(LogError::OtherIds { bound: 2, .. })));
        assert_eq!(known(), two);
    }
    // A vertex that was never in the graph loses its id, too.
    assert_eq!(durable.ids().names().unwrap().intern("new").unwrap(), 2);
    durable.remove_ids([2]).unwrap();
    // One without an id is removed all the same.
    durable.insert([(0, 9)]).unwrap();
    assert_eq!(durable.remove_ids([9]).unwrap().removed, 1);
    drop(durable);
    let durable: Durable = pleach_log::open(folder.path(), options()).unwrap();
    assert_eq!(durable.ids().names().unwrap().iter().map(|(v, name)| (v, name.to_owned())).collect::<Vec<_>>(), two);
    assert_eq!(durable.ids().bound(), 3);
}

#[test]
fn a_graph_that_is_in_memory_is_written_down_whole() {
    let folder = tempfile::tempdir().unwrap();
    let shape = GraphOptions::undirected().with_conflict(Conflict::Sum);
    let plain = AnyGraph::<f64>::new(&"graph".parse().unwrap(), shape).unwrap();
    plain.insert((0..5000).map(|k| (k, (k * 7) % 900, 0.5))).unwrap();
    plain.remove_vertex(17).unwrap();
    let before = plain.fresh();
    let options = || Options::of(shape);
    let path = folder.path().join("graph");
    let durable = pleach_log::create(&path, plain, VertexIds::None, options()).unwrap();
    durable.insert([(1, 1, 1.0)]).unwrap();
    drop(durable);
    let durable = pleach_log::open(&path, options()).unwrap();
    assert_eq!((durable.recovery().checkpoint, durable.recovery().replayed), (2, 1));
    durable.delete([(1, 1)]).unwrap();
    let after = durable.fresh();
    assert_eq!((after.version(), edges(&after)), (4, edges(&before)));
    drop(durable);
    let graph = AnyGraph::<f64>::new(&"graph".parse().unwrap(), shape).unwrap();
    let refused = pleach_log::create(&path, graph, VertexIds::None, options());
    assert!(matches!(refused, Err(OpenError::Exists { .. })));
}

#[test]
fn one_process_writes_and_others_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options::<()>::of(GraphOptions::default());
    let missing = pleach_log::open_at(folder.path().join("none"), None, &options());
    assert!(matches!(missing, Err(OpenError::NoGraph { .. })));
    let durable = pleach_log::open(folder.path(), options()).unwrap();
    assert!(matches!(pleach_log::open(folder.path(), options()), Err(OpenError::InUse { .. })));
    assert!(matches!(pleach_log::open_at(folder.path(), None, &options()), Err(OpenError::InUse { .. })));
    drop(durable);
    let one = pleach_log::open_at(folder.path(), None, &options()).unwrap();
    let other = pleach_log::open_at(folder.path(), None, &options()).unwrap();
    assert_eq!(one.snapshot().version() + other.snapshot().version(), 0);
    // What is only read holds no lock once it is in memory.
    drop(pleach_log::open(folder.path(), options()).unwrap());
    // Another graph than the one that is there, and a place that others use.
    let undirected = pleach_log::open(folder.path(), Options::<()>::of(GraphOptions::undirected()));
    assert!(matches!(undirected, Err(OpenError::OtherGraph { what: "directed", .. })));
    let weighted = pleach_log::open(folder.path(), Options::<f64>::of(GraphOptions::default()));
    assert_eq!(
        weighted.err().unwrap().to_string(),
        format!("the graph in {} has values none, and not f64", folder.path().display())
    );
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("notes.txt"), "mine").unwrap();
    assert!(
        matches!(pleach_log::open(other.path(), options()), Err(OpenError::OtherFiles { file, .. }) if file == "notes.txt")
    );
    assert!(other.path().join("notes.txt").exists());
}

#[test]
fn earlier_versions_are_kept_as_configured() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options::of(GraphOptions::<()>::default()).with_keep(2).with_sync(Sync::Never);
    let durable = pleach_log::open(folder.path(), options()).unwrap();
    for version in 1..=40u32 {
        assert_eq!(durable.insert([(version, 0)]).unwrap().version, u64::from(version));
        if version % 10 == 0 {
            assert_eq!(durable.checkpoint().unwrap(), u64::from(version));
        }
    }
    durable.insert([(41, 0)]).unwrap();
    drop(durable);
    for version in 30..=41 {
        let view = pleach_log::open_at(folder.path(), Some(version), &options()).unwrap();
        let snapshot = view.snapshot();
        assert_eq!((snapshot.version(), snapshot.num_edges()), (version, version));
        assert_eq!(view.recovery().checkpoint, if version < 40 { 30 } else { 40 });
    }
    for version in [0, 29, 42] {
        let error = pleach_log::open_at(folder.path(), Some(version), &options()).err().unwrap();
        let expected = format!("version {version} is not kept: {} has versions 30 to 41", folder.path().display());
        assert_eq!(error.to_string(), expected);
    }
}

/// The names of the files in a directory.
fn files(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_checkpoint_takes_the_place_of_the_log_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options::of(GraphOptions::<()>::default());
    let durable = pleach_log::open(folder.path(), options()).unwrap();
    for k in 0..7 {
        durable.insert([(k, k + 1)]).unwrap();
    }
    let long = durable.status().log_bytes;
    assert!(long > 7 * 40);
    assert_eq!(durable.checkpoint().unwrap(), 7);
    // Nothing new, nothing to do.
    assert_eq!(durable.checkpoint().unwrap(), 7);
    assert_eq!((durable.status().checkpoint, durable.status().log_bytes), (7, 0));
    let number = |k: u64| format!("{k:020}");
    assert_eq!(
        files(folder.path()),
        ["GRAPH".to_owned(), "LOCK".to_owned(), format!("checkpoint-{}", number(7)), format!("log-{}", number(7))]
    );
    durable.insert([(0, 5)]).unwrap();
    drop(durable);
    let durable = pleach_log::open(folder.path(), options()).unwrap();
    assert_eq!((durable.recovery().checkpoint, durable.recovery().replayed, durable.fresh().version()), (7, 1, 8));
}

/// A directory with ten batches in its log, closed.
fn ten(folder: &Path) -> (PathBuf, Options) {
    let options = Options::of(GraphOptions::default());
    let durable = pleach_log::open(folder, options.clone()).unwrap();
    for k in 0..10 {
        durable.insert([(k, k + 1)]).unwrap();
    }
    durable.close().unwrap();
    (folder.join(format!("log-{:020}", 0)), options)
}

#[test]
fn a_torn_end_is_cut_off_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let (log, options) = ten(folder.path());
    let whole = fs::read(&log).unwrap();
    // Without the mark of the end, and a part of the last batch.
    let last = whole.len() - 40;
    for cut in [1, 7, 39, 40, 41, 60] {
        fs::write(&log, &whole[..last - cut]).unwrap();
        let view = pleach_log::open_at(folder.path(), None, &options).unwrap();
        assert_eq!((view.snapshot().version(), fs::metadata(&log).unwrap().len()), (9, (last - cut) as u64));
        let durable: Durable = pleach_log::open(folder.path(), options.clone()).unwrap();
        let cut_off = durable.recovery().cut.clone().unwrap();
        assert_eq!((durable.fresh().version(), durable.fresh().num_edges(), cut_off.repaired), (9, 9, false));
        assert_eq!(fs::metadata(&log).unwrap().len(), cut_off.offset);
        assert_eq!(durable.insert([(100, 101)]).unwrap().version, 10);
        drop(durable);
        let durable: Durable = pleach_log::open(folder.path(), options.clone()).unwrap();
        assert_eq!((durable.recovery().cut.clone(), durable.fresh().version()), (None, 10));
        assert!(durable.fresh().has_edge(100, 101));
        drop(durable);
        fs::write(&log, &whole).unwrap();
    }
    // Bytes behind the end.
    fs::write(&log, [&whole[..], &[0; 100], b"PLfr"].concat()).unwrap();
    let durable: Durable = pleach_log::open(folder.path(), options).unwrap();
    assert_eq!((durable.fresh().version(), durable.recovery().cut.as_ref().unwrap().bytes), (10, 104));
}

#[test]
fn damage_before_the_end_is_an_error_that_says_where_and_is_repaired_if_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (log, options) = ten(folder.path());
    let whole = fs::read(&log).unwrap();
    let frame = (whole.len() - 24 - 40) / 10;
    for at in [24 + 4 * frame, 24 + 4 * frame + 9, 24 + 4 * frame + 50, 24 + 5 * frame - 1, 24 + 9 * frame + 45] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&log, &damaged).unwrap();
        let broken = (at - 24) / frame;
        let error = pleach_log::open(folder.path(), options.clone()).err().unwrap();
        let expected = format!(
            "{} is damaged at byte {}: version {} should be there, and was on the disk once",
            log.display(),
            24 + broken * frame,
            broken + 1
        );
        assert_eq!(error.to_string(), expected);
        assert!(matches!(error, OpenError::Damaged { repairable: true, .. }));
        assert_eq!(fs::read(&log).unwrap(), damaged);
        let durable: Durable = pleach_log::open(folder.path(), options.clone().with_repair(true)).unwrap();
        assert!(durable.recovery().cut.as_ref().unwrap().repaired);
        assert_eq!(durable.fresh().version(), broken as u64);
        durable.insert([(7, 3)]).unwrap();
        drop(durable);
        let durable: Durable = pleach_log::open(folder.path(), options.clone()).unwrap();
        assert_eq!(durable.fresh().version(), broken as u64 + 1);
    }
}

/// A mark confirms only the batches before it. The batch after it may be the last one, which no frame confirms.
#[test]
fn a_damaged_mark_loses_no_batch() {
    let folder = tempfile::tempdir().unwrap();
    let (log, options) = ten(folder.path());
    let mark = fs::read(&log).unwrap().len() - 40;
    let durable: Durable = pleach_log::open(folder.path(), options.clone()).unwrap();
    durable.insert([(10, 11)]).unwrap();
    drop(durable);
    // As after a kill: without the mark that closing the log writes.
    let mut whole = fs::read(&log).unwrap();
    whole.truncate(whole.len() - 40);
    for at in (mark..mark + 40).step_by(3) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&log, &damaged).unwrap();
        let durable: Durable = pleach_log::open(folder.path(), options.clone()).unwrap();
        assert_eq!((durable.recovery().cut.clone(), durable.fresh().version()), (None, 11), "{at}");
        assert!(durable.fresh().has_edge(10, 11));
        assert_eq!(durable.insert([(11, 12)]).unwrap().version, 12);
        drop(durable);
        let durable: Durable = pleach_log::open(folder.path(), options.clone()).unwrap();
        assert_eq!((durable.recovery().cut.clone(), durable.fresh().num_edges()), (None, 12));
    }
    // A torn batch behind it is still cut off.
    let mut torn = whole[..whole.len() - 8].to_vec();
    torn[mark] ^= 0x20;
    fs::write(&log, &torn).unwrap();
    let view = pleach_log::open_at(folder.path(), None, &options).unwrap();
    let cut = view.recovery().cut.clone().unwrap();
    assert_eq!((view.snapshot().version(), cut.offset, cut.repaired), (10, mark as u64 + 40, false));
    // More bad bytes than a mark has, and then the next batch: the log is damaged, and nothing is cut off.
    let strange = [&whole[..mark], &[0; 48], &whole[mark + 40..]].concat();
    fs::write(&log, &strange).unwrap();
    let error = pleach_log::open(folder.path(), options).err().unwrap();
    assert!(matches!(error, OpenError::Damaged { offset, .. } if offset == mark as u64), "{error}");
    assert_eq!(fs::read(&log).unwrap(), strange);
}

#[test]
fn files_of_a_newer_format_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (log, options) = ten(folder.path());
    let checkpoint = folder.path().join(format!("checkpoint-{:020}", 0));
    let graph = folder.path().join("GRAPH");
    for (path, at) in [(log, 8), (checkpoint, 8), (graph, 13)] {
        let whole = fs::read(&path).unwrap();
        let mut newer = whole.clone();
        newer[at] += 1;
        fs::write(&path, &newer).unwrap();
        let error = pleach_log::open(folder.path(), options.clone()).err().unwrap();
        let expected = format!(
            "{} is in format 2, and this program reads formats up to 1: open it with a newer one",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
        fs::write(&path, &whole).unwrap();
    }
    assert!(pleach_log::describe(folder.path()).unwrap().options::<()>().graph.directed);
}

#[test]
fn a_damaged_checkpoint_gives_way_to_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let options = |keep| Options::of(GraphOptions::<()>::default()).with_keep(keep);
    let durable = pleach_log::open(folder.path(), options(2)).unwrap();
    for k in 0..10 {
        durable.insert([(k, k + 1)]).unwrap();
        if k == 4 {
            durable.checkpoint().unwrap();
        }
    }
    drop(durable);
    let damage = |version: u64| {
        let path = folder.path().join(format!("checkpoint-{version:020}"));
        let mut bytes = fs::read(&path).unwrap();
        bytes[40] ^= 1;
        fs::write(&path, bytes).unwrap();
        path
    };
    let path = damage(5);
    let durable = pleach_log::open(folder.path(), options(2)).unwrap();
    assert_eq!(durable.recovery().damaged_checkpoints, [path]);
    assert_eq!((durable.recovery().checkpoint, durable.recovery().replayed, durable.fresh().num_edges()), (0, 10, 10));
    // The damaged one is none of the two that are kept.
    durable.insert([(20, 21)]).unwrap();
    assert_eq!(durable.checkpoint().unwrap(), 11);
    drop(durable);
    damage(11);
    let durable = pleach_log::open(folder.path(), options(2)).unwrap();
    assert_eq!((durable.recovery().checkpoint, durable.recovery().replayed, durable.fresh().num_edges()), (0, 11, 11));
    drop(durable);
    damage(0);
    let error = pleach_log::open(folder.path(), options(2)).err().unwrap();
    assert!(error.to_string().contains("checkpoint-00000000000000000011 is damaged at byte 16"), "{error}");
}

#[test]
fn a_batch_that_the_graph_refuses_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options::of(GraphOptions::default().with_conflict(Conflict::Error));
    let durable: Durable = pleach_log::open(folder.path(), options()).unwrap();
    durable.insert([(0, 1)]).unwrap();
    assert!(matches!(durable.insert([(5, 6), (0, 1)]), Err(LogError::Graph(_))));
    assert_eq!(durable.insert([(1, 2)]).unwrap().version, 2);
    let before = durable.fresh();
    drop(durable);
    assert_same(&pleach_log::open(folder.path(), options()).unwrap().fresh(), &before);
}

/// A function of the user's that panics while a batch is prepared to be applied.
#[test]
fn a_panic_leaves_the_last_version_and_the_log_goes_on() {
    fn combine(old: f64, new: f64) -> f64 {
        assert!(new < 100.0, "too heavy");
        old.max(new)
    }
    let folder = tempfile::tempdir().unwrap();
    let options = || Options::of(GraphOptions::undirected().with_conflict(Conflict::With(combine)));
    let durable = pleach_log::open(folder.path(), options()).unwrap();
    durable.insert([(0, 1, 2.0)]).unwrap();
    let heavy = || durable.insert([(0, 1, 200.0), (1, 2, 3.0)]);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(heavy)).is_err());
    assert_eq!((durable.fresh().version(), durable.status().version), (1, 1));
    assert_eq!(durable.insert([(0, 1, 4.0), (1, 2, 3.0)]).unwrap().version, 2);
    let before = durable.fresh();
    assert_eq!(before.weight(1, 0), Some(4.0));
    drop(durable);
    // What the function made of two weights was written down: it is not called again.
    let plain =
        || Options::of(GraphOptions::undirected().with_conflict(Conflict::With(|_: f64, _: f64| unreachable!())));
    let durable = pleach_log::open(folder.path(), plain()).unwrap();
    assert_same(&durable.fresh(), &before);
    drop(durable);
    let last = pleach_log::open(folder.path(), Options::<f64>::of(GraphOptions::undirected()));
    assert!(matches!(last, Err(OpenError::OtherGraph { what: "conflict", .. })));
}
