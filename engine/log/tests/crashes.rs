//! What is left of a graph when the machine stops, or the disk fails, at any operation.
#![allow(missing_docs)]

mod simulated;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pleach::graph::{Conflict, GraphOptions, Update};
use pleach_erased::{AnyGraph, AnySnapshot};
use pleach_log::{Durable, IdKind, LogError, OpenError, Options, Storage, Sync};
use simulated::{Disk, Fault, Random};

/// Whether tests run at their full size, as by night.
const FULL: bool = option_env!("PLEACH_FULL_SIZE").is_some();

type Contents = (Vec<(u32, u32, u64)>, Vec<u32>);

/// Edges, with the bits of their weights, and vertices.
fn contents(snapshot: &AnySnapshot<f64>) -> Contents {
    let mut all = Vec::new();
    snapshot.for_each_edge(|from, to, weight| all.push((from, to, weight.to_bits())));
    (all, snapshot.vertices().collect())
}

/// A random history: batches of all kinds, some longer than a sector, some empty.
fn history(random: &mut Random, batches: usize) -> Vec<Vec<Update<f64>>> {
    let mut small = |n: u64| random.below(n) as u32;
    (0..batches)
        .map(|k| {
            let updates = if k % 4 == 3 { 300 } else { small(8) };
            (0..updates)
                .map(|_| {
                    let (from, to, weight) = (small(90), small(90), f64::from(small(64)) / 4.0);
                    match small(12) {
                        0..8 => Update::insert((from, to, weight)),
                        8 => Update::reweight(from, to, weight),
                        9..11 => Update::delete(from, to),
                        _ => Update::remove_vertex(from),
                    }
                })
                .collect()
        })
        .collect()
}

fn shape(directed: bool) -> GraphOptions<f64> {
    GraphOptions::default().with_directed(directed).with_conflict(Conflict::Sum)
}

fn options(directed: bool, sync: Sync) -> Options<f64> {
    Options::of(shape(directed)).with_sync(sync).with_checkpoint_bytes(None).with_keep(2)
}

/// The contents of all versions.
fn versions(history: &[Vec<Update<f64>>], directed: bool) -> Vec<Contents> {
    let graph = AnyGraph::new(&"graph".parse().unwrap(), shape(directed)).unwrap();
    let mut all = vec![contents(&graph.fresh())];
    for batch in history {
        graph.apply(batch.iter().copied()).unwrap();
        all.push(contents(&graph.fresh()));
    }
    all
}

/// Applies what is left of a history, with a checkpoint after every fifth batch, until something fails; the last version that was
/// acknowledged.
fn run(disk: &Disk, options: Options<f64>, history: &[Vec<Update<f64>>]) -> (u64, Result<(), LogError>) {
    let Ok(durable) = pleach_log::open_in(Arc::new(disk.clone()), options) else { return (0, Ok(())) };
    let mut acknowledged = durable.fresh().version();
    let mut go = || {
        for batch in &history[acknowledged as usize..] {
            acknowledged = durable.apply(batch.iter().copied())?.version;
            if acknowledged % 5 == 0 {
                assert_eq!(durable.checkpoint()?, acknowledged);
            }
        }
        Ok(())
    };
    let ended = go();
    // A machine that has stopped closes nothing.
    let _ = durable.close();
    (acknowledged, ended)
}

/// Every operation of a history is the last one once. What is left is the graph after one of its batches, with every one that was
/// acknowledged, and it goes on from there to the same end.
#[test]
fn the_machine_stops_at_every_operation() {
    for directed in [true, false] {
        let mut random = Random(if directed { 1 } else { 2 });
        let history = history(&mut random, 14);
        let expected = versions(&history, directed);
        let whole = Disk::default();
        assert_eq!(run(&whole, options(directed, Sync::EachBatch), &history).0, 14);
        let operations = whole.operations();
        assert!(operations > 60, "{operations}");
        let mut seen = BTreeMap::new();
        for stop in 0..operations {
            for _ in 0..if FULL { 3 } else { 1 } {
                let disk = Disk::default();
                disk.fail_at(stop, Fault::Stop);
                let (acknowledged, ended) = run(&disk, options(directed, Sync::EachBatch), &history);
                assert!(ended.is_err() || acknowledged == 0 || stop + 4 > operations);
                for after in [disk.killed(), disk.stopped(&mut random)] {
                    let durable = pleach_log::open_in(Arc::new(after.clone()), options(directed, Sync::EachBatch))
                        .unwrap_or_else(|error| panic!("stopped at {stop}: {error}"));
                    let snapshot = durable.fresh();
                    let version = snapshot.version();
                    assert!(
                        (acknowledged..=acknowledged + 1).contains(&version),
                        "{stop}: {version} of {acknowledged}"
                    );
                    assert!(contents(&snapshot) == expected[version as usize], "{stop}: version {version}");
                    snapshot.audit().unwrap();
                    *seen.entry(version - acknowledged).or_insert(0) += 1;
                    drop(durable);
                    // A second stop, while the first is recovered from, and a third one later.
                    let again = after.killed();
                    again.fail_at(random.below(12), Fault::Stop);
                    let (more, _) = run(&again, options(directed, Sync::EachBatch), &history);
                    let third = again.stopped(&mut random);
                    let (last, ended) = run(&third, options(directed, Sync::EachBatch), &history);
                    assert!(ended.is_ok() && last == 14 && more.max(version) <= 14, "{stop}: {ended:?}");
                    let done = pleach_log::open_in(Arc::new(third), options(directed, Sync::EachBatch)).unwrap();
                    assert!(contents(&done.fresh()) == expected[14]);
                }
            }
        }
        // Both a batch that was lost and one that came through unacknowledged were among them.
        assert!(seen.len() == 2, "{seen:?}");
    }
}

/// Without a sync of each batch some may be lost when the machine stops, but never one in the middle, and none when the process is killed.
#[test]
fn what_is_not_synced_is_lost_from_the_end_only() {
    let mut random = Random(3);
    let history = history(&mut random, 14);
    let expected = versions(&history, true);
    let whole = Disk::default();
    run(&whole, options(true, Sync::Never), &history).1.unwrap();
    let mut lost = 0;
    for stop in 0..whole.operations() {
        for _ in 0..if FULL { 5 } else { 2 } {
            let disk = Disk::default();
            disk.fail_at(stop, Fault::Stop);
            let (acknowledged, _) = run(&disk, options(true, Sync::Never), &history);
            let killed = pleach_log::open_in(Arc::new(disk.killed()), options(true, Sync::Never)).unwrap().fresh();
            assert!((acknowledged..=acknowledged + 1).contains(&killed.version()));
            let after = disk.stopped(&mut random);
            let snapshot = pleach_log::open_in(Arc::new(after), options(true, Sync::Never))
                .unwrap_or_else(|error| panic!("stopped at {stop}: {error}"))
                .fresh();
            assert!(contents(&snapshot) == expected[snapshot.version() as usize]);
            // Checkpoints are on the disk.
            assert!(snapshot.version() >= acknowledged.saturating_sub(1) / 5 * 5);
            lost += acknowledged.saturating_sub(snapshot.version());
        }
    }
    assert!(lost > 0);
}

/// Every operation fails once: a full disk, a sync that fails, a file that cannot be made. Nothing wrong is acknowledged, readers go on,
/// and a checkpoint lets writing go on.
#[test]
fn the_disk_fails_at_every_operation() {
    let mut random = Random(4);
    let history = history(&mut random, 14);
    let whole = Disk::default();
    run(&whole, options(false, Sync::EachBatch), &history).1.unwrap();
    let (mut stopped, mut not_durable) = (0, 0);
    for at in 0..whole.operations() {
        let disk = Disk::default();
        disk.fail_at(at, Fault::Once([ErrorKind::StorageFull, ErrorKind::Other][at as usize % 2]));
        let open = || pleach_log::open_in(Arc::new(disk.clone()), options(false, Sync::EachBatch));
        // The second time it works.
        let durable = open().or_else(|_| open()).unwrap();
        let (mut seen, mut acknowledged) = (BTreeMap::new(), 0);
        seen.insert(0, contents(&durable.fresh()));
        for (k, batch) in history.iter().enumerate() {
            let before = durable.fresh().version();
            match durable.apply(batch.iter().copied()) {
                Ok(applied) => acknowledged = applied.version,
                Err(LogError::NotDurable { version, durable, .. }) => {
                    not_durable += 1;
                    assert!(version == before + 1 && durable <= before);
                }
                Err(error) => panic!("{error}"),
            }
            let snapshot = durable.fresh();
            seen.insert(snapshot.version(), contents(&snapshot));
            if durable.status().stopped.is_some() {
                stopped += 1;
                assert!(matches!(durable.insert([(1, 2, 3.0)]), Err(LogError::Stopped(_))));
                assert_eq!(durable.fresh().version(), snapshot.version());
                assert_eq!(durable.checkpoint().unwrap(), snapshot.version());
                assert!(durable.status().stopped.is_none());
                acknowledged = snapshot.version();
            }
            if k % 5 == 4 && durable.checkpoint().is_err() {
                durable.checkpoint().unwrap();
            }
        }
        if durable.close().is_err() {
            // What a close could not sync was acknowledged before.
            acknowledged = acknowledged.min(14);
        }
        let after = disk.stopped(&mut random);
        let snapshot = pleach_log::open_in(Arc::new(after), options(false, Sync::EachBatch)).unwrap().fresh();
        assert!(snapshot.version() >= acknowledged, "{at}");
        assert!(contents(&snapshot) == seen[&snapshot.version()], "{at}");
    }
    assert!(stopped > 20 && not_durable > 20, "{stopped} {not_durable}");
}

/// A close writes a mark behind the last batch, and syncs it. If either fails, it says so, and no batch is lost.
#[test]
fn a_close_that_cannot_write_its_mark_fails() {
    let open = |disk: &Disk| pleach_log::open_in(Arc::new(disk.clone()), options(true, Sync::EachBatch)).unwrap();
    // The bytes of half a mark are cut off; a whole one stays.
    for (operation, cut) in [(0, Some(20)), (1, None)] {
        let disk = Disk::default();
        let durable = open(&disk);
        durable.insert([(0, 1, 0.5)]).unwrap();
        assert_eq!(durable.durable_version(), 1);
        disk.fail_at(disk.operations() + operation, Fault::Once(ErrorKind::StorageFull));
        let error = durable.close().unwrap_err();
        let LogError::NotDurable { version: 1, durable: 1, failure } = &error else { panic!("{error}") };
        assert_eq!(failure.error().kind(), ErrorKind::StorageFull);
        let durable = open(&disk.killed());
        assert_eq!(durable.recovery().cut.as_ref().map(|cut| cut.bytes), cut);
        assert_eq!(contents(&durable.fresh()), (vec![(0, 1, 0.5f64.to_bits())], vec![0, 1]));
        assert_eq!(durable.insert([(1, 2, 0.25)]).unwrap().version, 2);
        durable.close().unwrap();
    }
    // Nothing new, and so no mark.
    let disk = Disk::default();
    let durable = open(&disk);
    disk.fail_at(disk.operations(), Fault::Once(ErrorKind::StorageFull));
    durable.close().unwrap();
}

/// An older checkpoint replaces one that cannot be read only if the logs after it reach the version of the unreadable one. Otherwise
/// nothing is opened and nothing removed, because the next attempt may succeed.
#[test]
fn a_checkpoint_that_cannot_be_read_loses_nothing() {
    let mut random = Random(6);
    let history = history(&mut random, 14);
    let expected = versions(&history, true);
    let disk = Disk::default();
    run(&disk, options(true, Sync::EachBatch), &history).1.unwrap();
    let (checkpoint, log) = (|version: u64| format!("checkpoint-{version:020}"), |base: u64| format!("log-{base:020}"));
    let open = |disk: &Disk, repair: bool| {
        pleach_log::open_in(Arc::new(disk.clone()), options(true, Sync::EachBatch).with_repair(repair))
    };
    let unread = [PathBuf::from("disk").join(checkpoint(10))];
    for repair in [false, true] {
        let whole = disk.killed();
        whole.set_unreadable(&checkpoint(10), true);
        let durable = open(&whole, repair).unwrap();
        assert_eq!((durable.recovery().checkpoint, durable.recovery().replayed), (5, 9));
        assert_eq!(durable.recovery().damaged_checkpoints, unread);
        assert!(contents(&durable.fresh()) == expected[14]);
        drop(durable);
        whole.set_unreadable(&checkpoint(10), false);
        let durable = open(&whole, repair).unwrap();
        assert_eq!((durable.recovery().checkpoint, durable.recovery().replayed), (10, 4));
        drop(durable);
        // The log after the older checkpoint ends within its last batch.
        let short = disk.killed();
        let bytes = short.bytes(&log(5));
        short.set_bytes(&log(5), bytes[..bytes.len() - 8].to_vec());
        short.set_unreadable(&checkpoint(10), true);
        let names = short.names();
        let error = open(&short, repair).err().unwrap();
        assert!(matches!(&error, OpenError::Io { path, .. } if *path == unread[0]), "{error}");
        assert_eq!(short.names(), names);
        short.set_unreadable(&checkpoint(10), false);
        assert!(contents(&open(&short, repair).unwrap().fresh()) == expected[14]);
        // There is no log after it: only the unreadable checkpoint shows that version 10 existed.
        let torn = disk.killed();
        torn.set_bytes(&log(5), bytes[..bytes.len() - 8].to_vec());
        torn.remove(&log(10)).unwrap();
        let mut bytes = torn.bytes(&checkpoint(10));
        bytes[40] ^= 1;
        torn.set_bytes(&checkpoint(10), bytes);
        let error = open(&torn, false).err().unwrap();
        assert!(matches!(&error, OpenError::Damaged { path, .. } if *path == unread[0]), "{error}");
        let durable = open(&torn, true).unwrap();
        assert!(durable.recovery().cut.as_ref().unwrap().repaired);
        assert!(contents(&durable.fresh()) == expected[9]);
        assert!(!torn.names().contains(&checkpoint(10)));
    }
}

/// Writers that commit at the same time share syncs, and each is acknowledged only once its batch is on the disk.
#[test]
fn writers_share_syncs() {
    let disk = Disk::slow(Duration::from_millis(2));
    let options = || Options::<()>::of(GraphOptions::default()).with_ids(IdKind::Numbers);
    let durable: Durable = pleach_log::open_in(Arc::new(disk.clone()), options()).unwrap();
    let before = disk.syncs.load(Ordering::Relaxed);
    std::thread::scope(|threads| {
        for writer in 0..8u64 {
            let durable = &durable;
            threads.spawn(move || {
                let ids = durable.ids().numbers().unwrap();
                for k in 0..25 {
                    let [from, to] = [writer * 1000 + k, k].map(|id| ids.intern(&id).unwrap());
                    let version = durable.insert([(from, to)]).unwrap().version;
                    assert!(durable.durable_version() >= version);
                }
            });
        }
    });
    let syncs = disk.syncs.load(Ordering::Relaxed) - before;
    assert!(syncs < 150, "200 batches took {syncs} syncs");
    let ids = durable.ids().numbers().unwrap().clone();
    let snapshot = durable.fresh();
    assert_eq!((snapshot.version(), snapshot.num_edges()), (200, 200));
    // Without a close.
    let after = pleach_log::open_in(Arc::new(disk.stopped(&mut Random(7))), options()).unwrap();
    assert!(after.ids().numbers().unwrap().iter().eq(ids.iter()));
    let (a, b) = (after.fresh(), snapshot);
    assert_eq!((a.version(), a.num_edges()), (200, 200));
    b.for_each_edge(|from, to, ()| assert!(a.has_edge(from, to)));
}

/// A thread syncs after the time that was set, and another writes checkpoints when the log is long, while writers go on.
#[test]
fn threads_sync_and_write_checkpoints_by_themselves() {
    let disk = Disk::default();
    let options = Options::<()>::of(GraphOptions::default())
        .with_sync(Sync::Every(Duration::from_millis(5)))
        .with_checkpoint_bytes(Some(3000));
    let durable = pleach_log::open_in(Arc::new(disk.clone()), options.clone()).unwrap();
    for k in 0..400u32 {
        durable.insert([(k, k / 2)]).unwrap();
        if k % 40 == 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    let patience = |done: &dyn Fn() -> bool| {
        for _ in 0..2000 {
            if done() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    };
    assert!(patience(&|| durable.durable_version() == 400));
    assert!(patience(&|| durable.status().checkpoint > 0 && durable.status().log_bytes < 3000), "{durable:?}");
    let after = disk.stopped(&mut Random(9));
    let again = pleach_log::open_in(Arc::new(after), options).unwrap();
    assert_eq!((again.fresh().version(), again.fresh().num_edges()), (400, 400));
    assert!(again.recovery().checkpoint > 0);
    // By time, too, and only if there is something new.
    let options = Options::<()>::of(GraphOptions::default())
        .with_checkpoint_bytes(None)
        .with_checkpoint_every(Some(Duration::from_millis(10)));
    let durable = pleach_log::open_in(Arc::new(Disk::default()), options).unwrap();
    for version in 1..3 {
        durable.insert([(version, 0)]).unwrap();
        assert!(patience(&|| durable.status().checkpoint == u64::from(version)));
    }
}

/// Whatever stands in the files: an error or a graph, no panic, and no more memory than the files account for.
#[test]
fn damaged_files_are_refused() {
    let mut random = Random(5);
    let disk = Disk::default();
    let history = history(&mut random, 14);
    let expected = versions(&history, true);
    run(&disk, options(true, Sync::EachBatch), &history).1.unwrap();
    let names: Vec<String> = disk.names().into_iter().filter(|name| name != "LOCK").collect();
    let (mut opened, mut refused) = (0, 0);
    let rounds = std::env::var("PLEACH_DAMAGES").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    for round in 0..rounds {
        let damaged = disk.killed();
        let name = &names[random.below(names.len() as u64) as usize];
        let mut bytes = damaged.bytes(name);
        for _ in 0..1 + random.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(6) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at),
                2 => {
                    let end = bytes.len().min(at + 8);
                    bytes[at..end].fill([0, 0xff, 0x7f][random.below(3) as usize]);
                }
                3 => {
                    let more = bytes[..at].to_vec();
                    bytes.extend_from_slice(&more);
                }
                4 => drop(bytes.drain(at / 2..at)),
                _ => {
                    let from = random.below(bytes.len() as u64) as usize;
                    let len = (bytes.len() - at.max(from)).min(64);
                    bytes.copy_within(from..from + len, at);
                }
            }
        }
        if round % 2 == 0 {
            seal(name, &mut bytes);
        }
        damaged.set_bytes(name, bytes);
        for repair in [false, true] {
            let options = options(true, Sync::EachBatch).with_repair(repair);
            match pleach_log::open_in(Arc::new(damaged.killed()), options) {
                Ok(durable) => {
                    opened += 1;
                    let snapshot = durable.fresh();
                    if round % 2 == 1 {
                        assert!(contents(&snapshot) == expected[snapshot.version() as usize], "{name}");
                    }
                    // Sound, whatever it is.
                    let _ = (snapshot.audit(), durable.insert([(1, 2, 0.5)]));
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains("disk"), "{error}");
                }
            }
        }
    }
    assert!(opened > rounds / 10 && refused > rounds / 10, "{opened} {refused}");
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak: u64 = peak.unwrap().trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 1 << 20, "{peak} KiB");
    }
}

/// Makes checksums right again, so that what lies behind them is reached.
fn seal(name: &str, bytes: &mut [u8]) {
    let long = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let put = |bytes: &mut [u8], at: usize, sum: u32| bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
    if name.starts_with("log-") {
        let mut at = 24;
        while at + 40 <= bytes.len() {
            let len = long(bytes, at + 24);
            let Some(end) = (at + 40).checked_add(len).filter(|&end| end <= bytes.len()) else { return };
            let sum = crc32fast::hash(&bytes[at + 40..end]);
            put(bytes, at + 32, sum);
            let sum = crc32fast::hash(&bytes[at + 8..at + 40]);
            put(bytes, at + 4, sum);
            at = end.next_multiple_of(8);
        }
    } else if name.starts_with("checkpoint-") && bytes.len() > 80 {
        let end = bytes.len() - 64;
        let table = long(bytes, end);
        if table > end || !(end - table).is_multiple_of(56) {
            return;
        }
        for entry in (table..end).step_by(56) {
            let (at, len) = (long(bytes, entry + 8), long(bytes, entry + 16));
            if let Some(part) = at.checked_add(len).and_then(|end| bytes.get(at..end)) {
                let sum = crc32fast::hash(part);
                put(bytes, entry + 4, sum);
            }
        }
        let sum = crc32fast::hash(&bytes[table..end]);
        put(bytes, end + 48, sum);
        let sum = crc32fast::hash(&bytes[end..end + 56]);
        put(bytes, end + 56, sum);
    }
}
