//! Streams: versions of the whole, algorithms on them while later epochs are applied, and what is left after a crash.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use pleach::graph::Action;
use pleach_cluster::algorithms::{components, degrees};
use pleach_cluster::stream::{Change, Growing, GrowingOptions, StreamError, digest};
use pleach_cluster::{Exchange, Ownership, Wire, on_loop_back};

/// A process that is started holds the locks of open directories until it runs its own program: tests that open and close directories do
/// not run meanwhile.
static STARTING: RwLock<()> = RwLock::new(());

fn nobody_starts() -> RwLockReadGuard<'static, ()> {
    STARTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Changes between ids that are far apart: insertions, deletions and new weights.
fn change(k: u64) -> Change {
    let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (from, to) = (7 * (hash >> 30 & 127), 7 * (hash >> 50 & 127) + (1 << 40));
    let action = match hash >> 60 {
        0..=8 => Action::Insert,
        9..=10 => Action::Reweight,
        _ => Action::Delete,
    };
    Change { action, from, to, weight: (hash & 15) as f64 }
}

fn epoch(k: u64) -> Vec<Change> {
    // Some epochs have no change, one has many.
    let changes = if k == 3 { 0 } else { 20 + 40 * (k % 5) };
    (0..changes).map(|c| change(1000 * k + c)).collect()
}

/// The edges after so many epochs, by a map.
fn model(epochs: u64) -> BTreeMap<(u64, u64), f64> {
    let mut edges = BTreeMap::new();
    for change in (1..=epochs).flat_map(epoch) {
        let edge = (change.from, change.to);
        match change.action {
            Action::Delete => drop(edges.remove(&edge)),
            Action::Reweight => drop(edges.entry(edge).and_modify(|weight| *weight = change.weight)),
            _ => drop(edges.insert(edge, change.weight)),
        };
    }
    edges
}

/// The edges that a version has at a worker.
fn edges(growing: &Growing, wire: &mut Wire<'_>) -> Vec<((u64, u64), f64)> {
    let version = growing.version();
    assert_eq!(version.number(), growing.epoch());
    let part = version.part(wire).unwrap();
    let mut edges = Vec::new();
    for &vertex in &part.own {
        let from = part.ids[vertex as usize];
        part.rows.arcs(false, vertex, &mut |column, weight| edges.push(((from, part.ids[column as usize]), weight)));
    }
    edges
}

/// All edges at worker 0's side: those of all workers.
fn together(parts: Vec<Vec<((u64, u64), f64)>>) -> BTreeMap<(u64, u64), f64> {
    let count: usize = parts.iter().map(Vec::len).sum();
    let all: BTreeMap<_, _> = parts.into_iter().flatten().collect();
    assert_eq!(all.len(), count, "every edge is in one row");
    all
}

#[test]
fn a_version_of_the_whole_is_one_of_each_part() {
    for workers in 1..=4 {
        for last in [1, 3, 9] {
            let parts = on_loop_back(workers, |end| {
                let mut wire = Wire::new(end);
                let ownership = Ownership::new(workers).with_range(5);
                let mut growing = Growing::in_memory(GrowingOptions::new(ownership));
                for k in 1..=last {
                    // Every worker reads a stretch of the epoch; the order is that of workers.
                    let all = epoch(k);
                    let cut = |worker: usize| all.len() * worker / workers;
                    let mine = &all[cut(wire.worker())..cut(wire.worker() + 1)];
                    assert_eq!(growing.apply(&mut wire, mine).unwrap(), k);
                }
                assert_eq!(growing.updates(), (1..=last).map(|k| epoch(k).len() as u64).sum::<u64>());
                edges(&growing, &mut wire)
            });
            assert_eq!(together(parts), model(last), "{workers} workers after {last}");
        }
    }
}

#[test]
fn algorithms_run_on_a_version_while_later_epochs_are_applied() {
    let workers = 3;
    let run = |growing: &Growing, wire: &mut Wire<'_>| {
        let version = growing.version();
        let part = version.part(wire).unwrap();
        (components(&part, wire).unwrap().0, degrees(&part, wire).unwrap().degrees)
    };
    let ownership = Ownership::new(workers).with_range(5);
    let expected = on_loop_back(workers, |end| {
        let mut wire = Wire::new(end);
        let mut growing = Growing::in_memory(GrowingOptions::new(ownership));
        for k in 1..=4 {
            let all = if wire.worker() == 0 { epoch(k) } else { Vec::new() };
            growing.apply(&mut wire, &all).unwrap();
        }
        run(&growing, &mut wire)
    });
    let others = pleach_cluster::LoopBack::new(workers).into_iter().map(Some).collect::<Vec<_>>();
    let others = std::sync::Mutex::new(others);
    let found = on_loop_back(workers, |end| {
        let mut wire = Wire::new(end);
        let mut beside = Wire::new(others.lock().unwrap()[wire.worker()].take().unwrap());
        let mut growing = Growing::in_memory(GrowingOptions::new(ownership));
        let mut apply = |growing: &mut Growing, k| {
            let all = if wire.worker() == 0 { epoch(k) } else { Vec::new() };
            growing.apply(&mut wire, &all).unwrap();
        };
        (1..=4).for_each(|k| apply(&mut growing, k));
        let version = growing.version();
        let (go, wait) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let running = scope.spawn(move || {
                // Starts when later epochs are there, and goes on while more are applied.
                wait.recv().unwrap();
                let part = version.part(&mut beside).unwrap();
                (components(&part, &mut beside).unwrap().0, degrees(&part, &mut beside).unwrap().degrees)
            });
            apply(&mut growing, 5);
            go.send(()).unwrap();
            (6..=30).for_each(|k| apply(&mut growing, k));
            running.join().unwrap()
        })
    });
    assert_eq!(found, expected);
}

/// Opens the parts in a folder and applies epochs up to `last`; calls `acknowledged` with each.
fn go_on(
    wire: &mut Wire<'_>,
    folder: &Path,
    last: u64,
    mut acknowledged: impl FnMut(u64),
) -> Result<Growing, StreamError> {
    let ownership = Ownership::new(wire.workers()).with_range(5);
    let mut growing = Growing::open(wire, folder, GrowingOptions::new(ownership))?;
    let before: u64 = (1..=growing.epoch()).map(|k| epoch(k).len() as u64).sum();
    assert_eq!(growing.updates(), before, "the place in the source");
    acknowledged(growing.epoch());
    while growing.epoch() < last {
        let all = if wire.worker() == 0 { epoch(growing.epoch() + 1) } else { Vec::new() };
        assert!(growing.pending().is_none_or(|pending| wire.worker() > 0 || pending == all.len() as u64));
        growing.apply(wire, &all)?;
        acknowledged(growing.epoch());
        if growing.epoch() % 7 == 0 {
            growing.checkpoint(wire)?;
        }
    }
    Ok(growing)
}

#[test]
fn parts_in_a_directory_go_on() {
    let _nobody_starts = nobody_starts();
    let folder = tempfile::tempdir().unwrap();
    for last in [0, 2, 3, 8, 8, 15] {
        let parts = on_loop_back(3, |end| {
            let mut wire = Wire::new(end);
            let growing = go_on(&mut wire, folder.path(), last, |_| ()).unwrap();
            edges(&growing, &mut wire)
        });
        assert_eq!(together(parts), model(last), "after {last}");
    }
    let refused = on_loop_back(3, |end| {
        let undirected = GrowingOptions::new(Ownership::new(3).with_range(5)).with_directed(false);
        Growing::open(&mut Wire::new(end), folder.path(), undirected).err().unwrap().to_string()
    });
    assert!(refused.iter().all(|message| message.contains("holds a graph that is directed")), "{refused:?}");
}

#[test]
fn a_manifest_with_too_many_workers_is_refused() {
    let _nobody_starts = nobody_starts();
    let folder = tempfile::tempdir().unwrap();
    on_loop_back(2, |end| drop(go_on(&mut Wire::new(end), folder.path(), 2, |_| ()).unwrap()));
    let file = folder.path().join("cluster.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let changed = text.replace("\"workers\":2,", &format!("\"workers\":{},", 1u64 << 60));
    assert_ne!(changed, text);
    std::fs::write(&file, changed).unwrap();
    let refused =
        on_loop_back(2, |end| go_on(&mut Wire::new(end), folder.path(), 2, |_| ()).err().unwrap().to_string());
    assert!(refused.iter().all(|message| message.contains("part-2")), "{refused:?}");
}

/// Vertices of a version at a worker, with or without edges.
fn vertices(growing: &Growing, wire: &mut Wire<'_>) -> Vec<u64> {
    let version = growing.version();
    let part = version.part(wire).unwrap();
    part.own.iter().map(|&vertex| part.ids[vertex as usize]).collect()
}

#[test]
fn any_number_of_workers_goes_on() {
    let _nobody_starts = nobody_starts();
    let folder = tempfile::tempdir().unwrap();
    for (workers, last) in [(3, 2), (2, 2), (2, 5), (5, 9), (1, 10), (4, 10), (4, 17), (3, 18)] {
        let parts = on_loop_back(workers, |end| {
            let mut wire = Wire::new(end);
            let growing = go_on(&mut wire, folder.path(), last, |_| ()).unwrap();
            (edges(&growing, &mut wire), vertices(&growing, &mut wire))
        });
        let (edges, vertices): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        assert_eq!(together(edges), model(last), "{workers} workers after {last}");
        // A vertex stays when its last edge is deleted.
        let mut vertices = vertices.concat();
        vertices.sort_unstable();
        let seen = (1..=last).flat_map(epoch).filter(|change| change.action == Action::Insert);
        let seen: std::collections::BTreeSet<u64> = seen.flat_map(|change| [change.from, change.to]).collect();
        assert!(vertices.iter().copied().eq(seen), "{workers} workers after {last}");
        let generations = std::fs::read_dir(folder.path())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("generation-"));
        assert_eq!(generations.count(), 1, "old parts are removed");
    }
}

#[test]
fn a_digest_tells_updates_and_their_order() {
    let all = epoch(4);
    let whole = digest(7, &all);
    for cut in 0..all.len() {
        let (first, second) = all.split_at(cut);
        assert_eq!(digest(7, first).wrapping_add(digest(7 + cut as u64, second)), whole, "cut at {cut}");
    }
    assert_ne!(digest(8, &all), whole, "they stand elsewhere");
    let mut other = all.clone();
    other.swap(0, 1);
    assert_ne!(digest(7, &other), whole, "in another order");
    let other_action =
        |c: &mut Change| c.action = if c.action == Action::Delete { Action::Insert } else { Action::Delete };
    let changes: [fn(&mut Change); 4] = [|c| c.to += 1, |c| c.from += 1, |c| c.weight += 1.0, other_action];
    for change in changes {
        let mut other = all.clone();
        change(&mut other[0]);
        assert_ne!(digest(7, &other), whole, "{:?}", other[0]);
    }
}

/// A vertex that one worker lists keeps the loop that another one reads.
#[test]
fn vertices_at_the_beginning_leave_edges_alone() {
    let parts = on_loop_back(2, |end| {
        let mut wire = Wire::new(end);
        let mut growing = Growing::in_memory(GrowingOptions::new(Ownership::new(2).with_range(1)));
        let edge = Change { action: Action::Insert, from: 3, to: 3, weight: 2.0 };
        let (vertices, changes) = if wire.worker() == 0 { (vec![], vec![edge]) } else { (vec![3, 4], vec![]) };
        growing.begin(&mut wire, &vertices, &changes).unwrap();
        edges(&growing, &mut wire)
    });
    assert_eq!(together(parts), [((3, 3), 2.0)].into());
}

/// Removals of vertices are refused, and not taken for insertions.
#[test]
fn removals_of_vertices_are_refused_by_all_workers() {
    let edge = Change { action: Action::Insert, from: 3, to: 4, weight: 2.0 };
    let removal = Change { action: Action::RemoveVertex, from: 4, to: 4, weight: 0.0 };
    let parts = on_loop_back(2, |end| {
        let mut wire = Wire::new(end);
        let mut growing = Growing::in_memory(GrowingOptions::new(Ownership::new(2).with_range(1)));
        let mine = if wire.worker() == 0 { vec![] } else { vec![edge, removal] };
        for error in [growing.begin(&mut wire, &[], &mine), growing.apply(&mut wire, &mine)] {
            let words = error.unwrap_err().to_string();
            assert!(words.starts_with("worker 1: change 1 of an epoch removes the vertex 4"), "{words}");
        }
        assert_eq!(growing.epoch(), 0);
        growing.apply(&mut wire, &mine[..mine.len().min(1)]).unwrap();
        edges(&growing, &mut wire)
    });
    assert_eq!(together(parts), [((3, 4), 2.0)].into());
}

#[test]
fn undirected_graphs_begin_with_edges_and_are_dealt_anew() {
    let _nobody_starts = nobody_starts();
    let folder = tempfile::tempdir().unwrap();
    let begin: Vec<Change> = epoch(1).into_iter().filter(|change| change.action == Action::Insert).collect();
    let mut expected: Option<BTreeMap<(u64, u64), f64>> = None;
    for workers in [2, 3, 1] {
        let parts = on_loop_back(workers, |end| {
            let mut wire = Wire::new(end);
            let ownership = Ownership::new(workers).with_range(5);
            let options = GrowingOptions::new(ownership).with_directed(false);
            let mut growing = Growing::open(&mut wire, folder.path(), options).unwrap();
            if growing.epoch() == 0 {
                let mine = if wire.worker() == 1 { &begin[..] } else { &[] };
                growing.begin(&mut wire, &[], mine).unwrap();
                assert!(growing.begin(&mut wire, &[], mine).is_err(), "it has begun");
                growing.apply(&mut wire, &[]).unwrap();
            }
            assert_eq!((growing.epoch(), growing.updates()), (2, 0), "no updates of the source");
            edges(&growing, &mut wire)
        });
        let found = together(parts);
        let both = begin.iter().flat_map(|edge| [(edge.from, edge.to), (edge.to, edge.from)]);
        assert!(found.keys().copied().eq(both.collect::<std::collections::BTreeSet<_>>()), "{workers} workers");
        assert_eq!(*expected.get_or_insert(found.clone()), found, "{workers} workers");
    }
}

/// A worker that is a process: what [`killed`] starts. Not a test of its own.
#[test]
fn worker_process() {
    let Ok(number) = std::env::var("PLEACH_CLUSTER_WORKER") else { return };
    let get = |name: &str| std::env::var(name).unwrap();
    let addresses = get("PLEACH_CLUSTER_ADDRESSES").split(',').map(str::to_owned).collect();
    let folder = std::path::PathBuf::from(get("PLEACH_CLUSTER_FOLDER"));
    // One may be killed before it comes.
    let patience = std::time::Duration::from_secs(3);
    let hosts = pleach_cluster::tcp::Hosts::new(number.parse().unwrap(), addresses).with_patience(patience);
    let tcp = pleach_cluster::tcp::Tcp::join(hosts, None).unwrap();
    let (worker, mut wire) = (tcp.worker(), Wire::new(tcp));
    let told = std::fs::File::options().create(true).append(true).open(folder.join(format!("told-{worker}"))).unwrap();
    let tell = |epoch: u64| {
        use std::io::Write;
        (&told).write_all(format!("{epoch}\n").as_bytes()).unwrap();
    };
    let growing = match go_on(&mut wire, &folder, LAST, tell) {
        Ok(growing) => growing,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(75);
        }
    };
    let mine: Vec<String> =
        edges(&growing, &mut wire).iter().map(|((from, to), weight)| format!("{from} {to} {weight}\n")).collect();
    std::fs::write(folder.join(format!("edges-{worker}")), mine.concat()).unwrap();
    wire.sum(0).unwrap();
}

/// Epochs of the stream.
const LAST: u64 = 60;

/// Starts four workers on a stream until it has ended; kills one of them at some moments: so many epochs after those that were acknowledged
/// before, and so many microseconds later. So moments are spread over the stream, however fast the machine is.
fn killed(moments: impl Iterator<Item = (u64, u64)>) {
    let folder = tempfile::tempdir().unwrap();
    let told = |worker: usize| -> Vec<u64> {
        let text = std::fs::read_to_string(folder.path().join(format!("told-{worker}"))).unwrap_or_default();
        // The last line may be cut.
        text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')?.parse().ok()).collect()
    };
    let start = || {
        let _alone = STARTING.write().unwrap_or_else(PoisonError::into_inner);
        let (listeners, addresses) = pleach_cluster::tcp::free_ports(4).unwrap();
        drop(listeners);
        let start = |worker: usize| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["worker_process", "--exact", "--nocapture"])
                .env("PLEACH_CLUSTER_WORKER", worker.to_string())
                .env("PLEACH_CLUSTER_ADDRESSES", addresses.join(","))
                .env("PLEACH_CLUSTER_FOLDER", folder.path())
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        };
        (0..4).map(start).collect::<Vec<_>>()
    };
    let mut killed = Vec::new();
    for (round, (epochs, delay)) in moments.enumerate() {
        let acknowledged = (0..4).flat_map(told).max().unwrap_or(0);
        let seen: Vec<usize> = (0..4).map(|worker| told(worker).len()).collect();
        let mut workers = start();
        let until = if epochs == 0 { 0 } else { LAST.min(acknowledged + epochs) };
        let reached = || (0..4).flat_map(told).max().unwrap_or(0) >= until;
        while !reached() && workers.iter_mut().all(|worker| worker.try_wait().unwrap().is_none()) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_micros(delay));
        let victim = round % 4;
        workers[victim].kill().unwrap();
        for worker in &mut workers {
            worker.wait().unwrap();
        }
        killed.push((victim, told(0).last().copied().unwrap_or(0)));
        // What was acknowledged before the crash is there after it.
        for (worker, &seen) in seen.iter().enumerate() {
            if let Some(&first) = told(worker).get(seen) {
                assert!(
                    first >= acknowledged,
                    "round {round}: {first} at worker {worker}, {acknowledged} acknowledged"
                );
            }
        }
    }
    let mut workers = start();
    assert!(workers.iter_mut().all(|worker| worker.wait().unwrap().success()));
    let mut found = BTreeMap::new();
    for worker in 0..4 {
        for line in std::fs::read_to_string(folder.path().join(format!("edges-{worker}"))).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            found.insert((words[0].parse().unwrap(), words[1].parse().unwrap()), words[2].parse::<f64>().unwrap());
        }
    }
    assert_eq!(found, model(LAST));
    eprintln!("killed, and the last epoch that was acknowledged: {killed:?} of {LAST}");
}

#[test]
fn kills_lose_nothing_that_was_acknowledged() {
    killed([(0, 30_000), (7, 0), (12, 900), (1, 2_300), (20, 400)].into_iter());
}

/// Takes minutes.
#[test]
#[ignore = "takes minutes: 100 kills"]
fn a_hundred_kills_lose_nothing_that_was_acknowledged() {
    for seed in 0..20u64 {
        // A kill in eight comes while the workers start.
        killed((0..5).map(|k| {
            let hash = (seed * 5 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let starts = hash >> 61 == 0;
            (
                if starts { 0 } else { 1 + (hash >> 50) % 11 },
                if starts { hash >> 44 & 0xffff } else { hash >> 30 & 0xfff },
            )
        }));
    }
}
