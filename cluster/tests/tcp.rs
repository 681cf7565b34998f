//! The exchange over TCP: the same messages as in memory, and workers that end too early.

use std::net::TcpListener;
use std::time::Duration;

use pleach_cluster::tcp::{Hosts, JoinError, Tcp, free_ports};
use pleach_cluster::{Arc, Exchange, LoadOptions, Lost, Ownership, Wire, algorithms, load, on_loop_back};

/// Runs one worker a thread, connected over TCP.
fn over_tcp<T: Send>(workers: usize, work: impl Fn(Tcp) -> T + Sync) -> Vec<T> {
    let (listeners, addresses) = free_ports(workers).unwrap();
    std::thread::scope(|scope| {
        let threads: Vec<_> = listeners
            .into_iter()
            .enumerate()
            .map(|(worker, listener)| {
                let (work, hosts) = (&work, Hosts::new(worker, addresses.clone()).with_key(17));
                scope.spawn(move || work(Tcp::join(hosts, Some(listener)).unwrap()))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// A message that only one worker sends to only one other, in one superstep.
fn message(from: usize, to: usize, step: usize) -> Vec<u8> {
    let long = if step == 3 && from == 0 { 5_000_000 } else { step * 7 % 5 };
    (0..long).map(|k| (k * 31 + from * 7 + to * 3 + step) as u8).collect()
}

#[test]
fn messages_come_from_whom_and_to_whom_they_are_sent() {
    for workers in 1..=4 {
        over_tcp(workers, |mut tcp| {
            let me = tcp.worker();
            for step in 0..40 {
                let from = tcp.all_to_all((0..workers).map(|to| message(me, to, step)).collect()).unwrap();
                let expected: Vec<_> = (0..workers).map(|from| message(from, me, step)).collect();
                assert!(from == expected, "step {step} at {me} of {workers}");
            }
        });
    }
}

fn ranks(end: impl Exchange) -> (Vec<u64>, Vec<f64>, Vec<u64>, u64) {
    let mut wire = Wire::new(end);
    let (me, workers) = (wire.worker() as u64, wire.workers() as u64);
    let options = LoadOptions::new(Ownership::new(wire.workers()).with_range(8));
    let arcs: Vec<Arc> = (0..5_000u64)
        .filter(|k| k % workers == me)
        .map(|k| {
            let hash = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            Arc { from: hash >> 20 & 511, to: hash >> 40 & 511, weight: 1.0 }
        })
        .collect();
    let part = load(&mut wire, arcs.into_iter(), &options).unwrap();
    let ranks = algorithms::pagerank(&part, &mut wire, 0.85, algorithms::Stop::Iterations(20)).unwrap().ranks;
    let depths = algorithms::bfs(&part, &mut wire, 0).unwrap().unwrap();
    let ids = part.own.iter().map(|&vertex| part.ids[vertex as usize]).collect();
    (ids, ranks, depths, wire.take_traffic().bytes())
}

#[test]
fn results_and_bytes_are_those_of_loop_back() {
    for workers in 1..=4 {
        assert_eq!(over_tcp(workers, ranks), on_loop_back(workers, ranks), "{workers} workers");
    }
}

#[test]
fn a_worker_that_ends_early_is_named_by_all_others() {
    let found = over_tcp(3, |mut tcp| {
        for _ in 0..3 {
            tcp.all_to_all(vec![vec![1]; 3]).unwrap();
        }
        if tcp.worker() == 1 {
            return None;
        }
        Some(tcp.all_to_all(vec![vec![1]; 3]).unwrap_err())
    });
    assert_eq!(found[1], None);
    for lost in [&found[0], &found[2]] {
        let Lost { worker, at, .. } = lost.as_ref().unwrap();
        assert_eq!(*worker, 1);
        assert!(at.as_ref().unwrap().starts_with("127.0.0.1:"), "{at:?}");
        assert!(lost.as_ref().unwrap().to_string().starts_with("worker 1 (127.0.0.1:"));
    }
    let found = on_loop_back(3, |mut end| match end.worker() {
        1 => None,
        _ => Some(end.all_to_all(vec![vec![1]; 3]).unwrap_err().worker),
    });
    assert_eq!(found, [Some(1), None, Some(1)]);
}

#[test]
fn who_does_not_come_is_named() {
    let addresses = |n| free_ports(n).unwrap().1;
    let join = |worker, addresses: &[String]| {
        Tcp::join(Hosts::new(worker, addresses.to_vec()).with_patience(Duration::from_millis(200)), None).err().unwrap()
    };
    // Whoever is before this worker is called, whoever is behind it is waited for.
    assert!(matches!(join(1, &addresses(2)), JoinError::Absent { worker: 0, .. }));
    assert!(matches!(join(0, &addresses(2)), JoinError::Absent { worker: 1, .. }));
    assert!(matches!(join(2, &addresses(2)), JoinError::NoSuchWorker { worker: 2, workers: 2 }));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert!(matches!(join(0, &[address]), JoinError::Listen { worker: 0, .. }));
}

#[test]
fn a_worker_of_another_run_is_not_let_in() {
    let (mut listeners, addresses) = free_ports(2).unwrap();
    let first = listeners.remove(0);
    let hosts =
        |worker, key| Hosts::new(worker, addresses.clone()).with_key(key).with_patience(Duration::from_millis(1500));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| Tcp::join(hosts(0, 1), Some(first)).err().unwrap());
        let stranger = Tcp::join(hosts(1, 2), listeners.pop());
        assert!(matches!(stranger.err().unwrap(), JoinError::Stranger { worker: 0, .. }));
        assert!(matches!(waiting.join().unwrap(), JoinError::Absent { worker: 1, .. }));
    });
}
