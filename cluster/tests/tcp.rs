//! The exchange over TCP: the same messages as in memory, and workers that end too early.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use pleach_cluster::tcp::{Hosts, JoinError, Tcp, free_ports};
use pleach_cluster::{
    App, Arc, Exchange, LoadOptions, Lost, Ownership, RunError, Wire, algorithms, load, on_loop_back, run,
};

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

/// Runs algorithms on a directed path whose parts are kept without in-arcs.
fn without_incoming(end: impl Exchange) {
    let mut wire = Wire::new(end);
    let options = LoadOptions::new(Ownership::new(wire.workers()).with_range(2)).with_incoming(false);
    let arcs: Vec<Arc> = (0..9).map(|v| Arc { from: v, to: v + 1, weight: 1.0 }).collect();
    let arcs = if wire.worker() == 0 { arcs } else { Vec::new() };
    let part = load(&mut wire, arcs.into_iter(), &options).unwrap();
    assert!(part.directed && !part.has_incoming());
    wire.take_traffic();
    let ranks = App::PageRank { damping: 0.85, stop: algorithms::Stop::Iterations(3) };
    for app in [ranks, App::LabelPropagation { iterations: 3 }, App::Triangles] {
        assert!(app.needs_incoming());
        let error = run(app, &part, &mut wire).unwrap_err();
        let RunError::Unfit(words) = &error else { panic!("{app:?}: {error}") };
        assert!(words.contains("needs in-arcs") && words.contains("with_incoming(true)"), "{app:?}: {words}");
    }
    let ones = vec![1.0; part.own.len()];
    let multiply =
        |wire: &mut Wire<'_>, incoming| algorithms::multiply::<algorithms::PlusTimes>(&part, wire, incoming, &ones);
    assert_eq!(multiply(&mut wire, true), Err(algorithms::IncomingError::NoIncoming));
    assert!(wire.take_traffic().steps.is_empty(), "something was sent");
    // For the others out-arcs are enough.
    let ids: Vec<u64> = part.own.iter().map(|&vertex| part.ids[vertex as usize]).collect();
    let sums: Vec<f64> = ids.iter().map(|&id| if id < 9 { 1.0 } else { 0.0 }).collect();
    assert_eq!(multiply(&mut wire, false), Ok(sums));
    assert_eq!(algorithms::components(&part, &mut wire), Ok((vec![0; ids.len()], 1)));
    assert_eq!(algorithms::bfs(&part, &mut wire, 0), Ok(Some(ids)));
}

#[test]
fn what_needs_in_arcs_refuses_parts_without() {
    for workers in 1..=3 {
        over_tcp(workers, without_incoming);
        on_loop_back(workers, without_incoming);
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
    let error = join(0, std::slice::from_ref(&address));
    assert!(matches!(error, JoinError::Listen { worker: 0, .. }));
    let words = error.to_string();
    assert!(words.contains(&address) && words.contains("end the program that listens there"), "{words}");
}

/// Changes bytes on their way from worker 1 to worker 0, given the number of bytes before them. Returns whether they are passed on.
type Change = fn(usize, &mut [u8]) -> bool;

/// Passes bytes from one socket to another through `change`. Keeps the connection open after `change` has stopped the flow.
fn relay(mut from: TcpStream, mut to: TcpStream, change: Change) {
    let (mut before, mut buffer, mut open) = (0, vec![0; 1 << 16], true);
    while let Ok(got @ 1..) = from.read(&mut buffer) {
        open = open && change(before, &mut buffer[..got]);
        if open && to.write_all(&buffer[..got]).is_err() {
            return;
        }
        before += got;
    }
}

/// The error that worker 0 gets about worker 1 when somebody between them changes bytes.
fn between(change: Change) -> Lost {
    let (mut listeners, addresses) = free_ports(2).unwrap();
    let middle = TcpListener::bind("127.0.0.1:0").unwrap();
    let other = vec![middle.local_addr().unwrap().to_string(), addresses[1].clone()];
    let hosts = |worker, addresses: &[String]| {
        Hosts::new(worker, addresses.to_vec()).with_key(9).with_silence(Duration::from_secs(2))
    };
    let (first, second) = (listeners.remove(0), listeners.pop());
    let (zero, one) = (hosts(0, &addresses), hosts(1, &other));
    std::thread::spawn(move || {
        let caller = middle.accept().unwrap().0;
        let listener = TcpStream::connect(&addresses[0]).unwrap();
        let (back, forth) = (listener.try_clone().unwrap(), caller.try_clone().unwrap());
        std::thread::spawn(move || relay(back, forth, |_, _| true));
        relay(caller, listener, change);
    });
    std::thread::spawn(move || {
        let mut tcp = Tcp::join(one, second).unwrap();
        while tcp.all_to_all(vec![vec![1; 5000]; 2]).is_ok() {}
        // Leaves the connection open.
        std::mem::forget(tcp);
    });
    let mut tcp = Tcp::join(zero, Some(first)).unwrap();
    loop {
        if let Err(lost) = tcp.all_to_all(vec![vec![2; 5000]; 2]) {
            return lost;
        }
    }
}

/// Bytes that a caller sends in the handshake: a hello and a code.
const GREETING: usize = 72;

#[test]
fn what_no_worker_has_sent_ends_the_run() {
    /// Flips a bit of the byte at a position.
    fn flip<const AT: usize>(before: usize, bytes: &mut [u8]) -> bool {
        if let Some(byte) = AT.checked_sub(before).and_then(|at| bytes.get_mut(at)) {
            *byte ^= 4;
        }
        true
    }
    // In the bytes of the first record, in its length, in its code, and in a later record.
    for change in [flip::<{ GREETING + 9 }>, flip::<{ GREETING + 3 }>, flip::<{ GREETING + 300 }>, flip::<90_000>] {
        let lost = between(change);
        assert_eq!((lost.worker, lost.reason.as_str()), (1, "sends what no worker of this run does"));
        assert!(lost.to_string().starts_with("worker 1 (127.0.0.1:"), "{lost}");
    }
}

#[test]
fn a_worker_that_falls_silent_is_named() {
    /// Stops before a position.
    fn stop<const AT: usize>(before: usize, bytes: &mut [u8]) -> bool {
        before + bytes.len() <= AT
    }
    // Both at once: each waits for two seconds.
    let changes: [Change; 2] = [stop::<GREETING>, stop::<50_000>];
    let found = std::thread::scope(|scope| {
        let waiting = changes.map(|change| scope.spawn(move || between(change)));
        waiting.map(|waiting| waiting.join().unwrap())
    });
    for lost in found {
        assert_eq!(lost.worker, 1);
        assert!(lost.reason.contains("for 2 s"), "{lost}");
    }
}

#[test]
fn a_worker_that_computes_for_long_is_waited_for() {
    let (listeners, addresses) = free_ports(2).unwrap();
    std::thread::scope(|scope| {
        for (worker, listener) in listeners.into_iter().enumerate() {
            let hosts = Hosts::new(worker, addresses.clone()).with_silence(Duration::from_secs(3));
            scope.spawn(move || {
                let mut tcp = Tcp::join(hosts, Some(listener)).unwrap();
                if worker == 1 {
                    std::thread::sleep(Duration::from_secs(4));
                }
                assert_eq!(tcp.all_to_all(vec![vec![7]; 2]).unwrap(), [[7], [7]]);
            });
        }
    });
}

#[test]
fn callers_that_send_nothing_hold_up_no_worker() {
    let (mut listeners, addresses) = free_ports(2).unwrap();
    let first = listeners.remove(0);
    let hosts = |worker, seconds| Hosts::new(worker, addresses.clone()).with_patience(Duration::from_secs(seconds));
    let connected = || TcpStream::connect(&addresses[0]).unwrap();
    // One after the other, they would take up a hundred seconds before the workers' turn.
    let silent: Vec<TcpStream> = (0..20).map(|_| connected()).collect();
    (&silent[7]).write_all(&[1; 30]).unwrap();
    let again = first.try_clone().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| Tcp::join(hosts(0, 20), Some(first)).unwrap());
        scope.spawn(|| Tcp::join(hosts(1, 20), listeners.pop()).unwrap());
    });
    let more: Vec<TcpStream> = (0..20).map(|_| connected()).collect();
    let error = Tcp::join(hosts(0, 1), Some(again)).err().unwrap().to_string();
    assert!(error.contains("worker 1 (") && error.contains("sent no greeting"), "{error}");
    drop((silent, more));
}

#[test]
fn a_flood_of_callers_keeps_no_worker_out() {
    let (mut listeners, addresses) = free_ports(2).unwrap();
    let (second, first) = (listeners.pop(), listeners.remove(0));
    let hosts = |worker, seconds| Hosts::new(worker, addresses.clone()).with_patience(Duration::from_secs(seconds));
    std::thread::scope(|scope| {
        scope.spawn(|| Tcp::join(hosts(0, 8), Some(first)).map(drop).unwrap());
        // More than there are handshakes at a time. All stay, and none sends a byte.
        let silent: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(&addresses[0]).unwrap()).collect();
        // The worker waits for less time than a handshake may take.
        let one = scope.spawn(|| Tcp::join(hosts(1, 3), second).map(drop).unwrap());
        one.join().unwrap();
        drop(silent);
    });
}

#[test]
fn a_recorded_greeting_does_not_authenticate() {
    let (mut listeners, addresses) = free_ports(2).unwrap();
    let hosts = |worker| {
        Hosts::new(worker, addresses.clone()).with_secret("some words").with_patience(Duration::from_millis(1500))
    };
    let (second, first) = (listeners.pop(), listeners.remove(0));
    std::thread::scope(|scope| {
        let one = scope.spawn(|| Tcp::join(hosts(1), second).err().unwrap());
        let mut heard = [0; 40];
        let mut calls = first.accept().unwrap().0;
        calls.read_exact(&mut heard).unwrap();
        // The listener repeats the caller's hello and sends a wrong code.
        calls.write_all(&heard).unwrap();
        calls.write_all(&[0; 32]).unwrap();
        assert!(matches!(one.join().unwrap(), JoinError::Stranger { worker: 0, .. }));
        let zero = scope.spawn(|| Tcp::join(hosts(0), Some(first)).err().unwrap());
        let mut socket = TcpStream::connect(&addresses[0]).unwrap();
        socket.write_all(&heard).unwrap();
        socket.write_all(&[0x5a; 4000]).unwrap();
        let error = zero.join().unwrap();
        assert!(matches!(error, JoinError::Absent { worker: 1, .. }), "{error}");
        assert!(error.to_string().contains("callers were refused"), "{error}");
    });
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
