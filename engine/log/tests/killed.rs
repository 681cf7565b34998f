//! A process that writes to a graph and is killed at random moments: nothing that it was told to be kept is lost.
#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pleach::graph::{GraphOptions, Update};
use pleach_log::{Options, Sync};

/// Names the directory to the child.
const CHILD: &str = "PLEACH_LOG_CHILD";

fn options(version: u64) -> Options {
    let sync = [Sync::EachBatch, Sync::Every(Duration::from_millis(3)), Sync::Never][version as usize % 3];
    // Checkpoints come all the time.
    Options::of(GraphOptions::undirected()).with_sync(sync).with_checkpoint_bytes(Some(30_000))
}

/// The batch that makes a version.
fn batch(version: u64) -> Vec<(u32, u32, bool)> {
    let mut random = version.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut below = |n: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((u128::from(random) * u128::from(n)) >> 64) as u32
    };
    (0..30).map(|_| (below(400), below(400), below(3) > 0)).collect()
}

/// What the child does: writes batches and says so, until it is killed.
#[test]
fn child() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let seed = std::process::id().into();
    let durable = pleach_log::open(Path::new(&directory), options(seed)).unwrap();
    let mut out = std::io::stdout();
    let mut version = durable.fresh().version();
    loop {
        version += 1;
        let updates = batch(version)
            .into_iter()
            .map(|(from, to, insert)| if insert { Update::insert((from, to)) } else { Update::delete(from, to) });
        assert_eq!(durable.apply(updates).unwrap().version, version);
        writeln!(out, "kept {version}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_a_process_is_killed() {
    let kills = std::env::var("PLEACH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12);
    let folder = tempfile::tempdir().unwrap();
    let (mut model, mut modelled, mut random) = (BTreeSet::new(), 0, 17u64);
    let mut checkpoints = 0;
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture", "--test-threads", "1"])
            .env(CHILD, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (send, first) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut last = 0;
            for line in lines.map_while(Result::ok) {
                // The name of the test stands before the first line.
                if let Some((_, version)) = line.split_once("kept ") {
                    last = version.parse().unwrap_or(last);
                    let _ = send.send(());
                }
            }
            last
        });
        // From before the first batch to after many.
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        if kill % 5 > 0 {
            let _ = first.recv_timeout(Duration::from_secs(60));
        }
        std::thread::sleep(Duration::from_micros(random >> 49));
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged: u64 = reader.join().unwrap();
        let durable =
            pleach_log::open(folder.path(), options(0)).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
        let snapshot = durable.fresh();
        assert!(snapshot.version() >= acknowledged, "kill {kill}: {} of {acknowledged}", snapshot.version());
        for version in modelled + 1..=snapshot.version() {
            for (from, to, insert) in batch(version) {
                let edge = (from.min(to), from.max(to));
                if insert {
                    model.insert(edge)
                } else {
                    model.remove(&edge)
                };
            }
        }
        modelled = snapshot.version();
        let mut edges = Vec::new();
        snapshot.for_each_edge(|from, to, ()| edges.push((from, to)));
        assert!(edges.iter().eq(&model), "kill {kill}: version {modelled}");
        checkpoints += usize::from(durable.recovery().checkpoint > 0);
    }
    assert!(modelled > 0 && checkpoints > 0, "{modelled} batches, {checkpoints} of {kills} behind a checkpoint");
}
