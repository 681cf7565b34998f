//! One worker of several: loads its share, runs the algorithm, and, if it is the first, prints what all have found.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use pleach::SelfLoops;
use pleach_cluster::tcp::{Hosts, Tcp};
use pleach_cluster::{
    App, Arc, Arcs, Found, LoadError, LoadOptions, Lost, Ownership, Part, RunError, Traffic, Values, Wire, collect,
    load,
};
use pleach_datasets::{Share, Shared, Weights};
use serde_json::{Value, json};

use super::super::Failure;
use super::super::input::InputArgs;
use super::super::output::{check_out, note, print_beside, print_json, write_file};
use super::{RunArgs, Workers, launch, read_hosts};

/// Why a worker ends early.
pub enum Ended {
    Lost(Lost),
    Failed(Failure),
}

impl From<Lost> for Ended {
    fn from(lost: Lost) -> Self {
        Ended::Lost(lost)
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Failed(failure)
    }
}

/// Takes part in a run.
pub fn run(args: &RunArgs, app: App, started: bool) -> Result<(), Failure> {
    check_out(args.out.as_deref())?;
    take_part(started, || work(args, app, &mut Wire::new(join(&args.workers, 0, 1)?)))
}

/// Does the work of a worker, which may have been `started` by a process on this machine.
pub fn take_part(started: bool, work: impl FnOnce() -> Result<(), Ended>) -> Result<(), Failure> {
    if started {
        end_with_parent();
    }
    // A worker is one thread.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    match work() {
        Ok(()) => Ok(()),
        Err(Ended::Failed(failure)) => Err(failure),
        Err(Ended::Lost(lost)) => {
            eprintln!("error: {lost}");
            // Its connections wait for a worker that does not come back.
            std::process::exit(if started { launch::LOST.into() } else { 1 });
        }
    }
}

/// Ends this process when the one that started it has ended.
fn end_with_parent() {
    std::thread::spawn(|| {
        let mut byte = [0];
        while let Ok(1..) = std::io::stdin().read(&mut byte) {}
        pleach_datasets::remove_unfinished();
        std::process::exit(1);
    });
}

/// An exchange with the others, of so many: each has addresses of its own. Those in a file of hosts are the addresses of the first; the
/// ports of another one lie above them.
pub fn join(workers: &Workers, exchange: usize, exchanges: usize) -> Result<Tcp, Failure> {
    let addresses: Vec<String> = match &workers.hosts {
        Some(hosts) => {
            let above = |address: String| {
                let (host, port) = address.rsplit_once(':')?;
                Some(format!("{host}:{}", port.parse::<u16>().ok()?.checked_add(exchange as u16)?))
            };
            let addresses: Option<_> = read_hosts(hosts)?.into_iter().map(above).collect();
            addresses.ok_or_else(|| Failure::input(format!("{}: port 65535 has none above it", hosts.display())))?
        }
        None => {
            let workers_there = workers.addresses.len() / exchanges;
            workers.addresses[exchange * workers_there..(exchange + 1) * workers_there].to_vec()
        }
    };
    let worker = workers.process.unwrap_or_default();
    let key = workers.key.wrapping_add(exchange as u64);
    let hosts = Hosts::new(worker, addresses).with_patience(Duration::from_secs(workers.patience)).with_key(key);
    Tcp::join(hosts, None).map_err(Failure::input)
}

fn work(args: &RunArgs, app: App, wire: &mut Wire<'_>) -> Result<(), Ended> {
    let begin = Instant::now();
    let part = loaded(args, app, wire)?;
    let loading = wire.take_traffic();
    let load_seconds = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let found = pleach_cluster::run(app, &part, wire).map_err(|error| match error {
        RunError::Lost(lost) => Ended::Lost(lost),
        other => Ended::Failed(Failure::input(other)),
    })?;
    let run_seconds = begin.elapsed().as_secs_f64();
    let running = wire.take_traffic();
    let totals = totals(&part, wire, &loading, &running)?;
    if let Some(out) = &args.out {
        write_values(out, &part, wire, &found)?;
    }
    if wire.worker() == 0 {
        report(args, &part, &found, &totals, [load_seconds, run_seconds])?;
    }
    // No worker ends before the result is there.
    wire.sum(0)?;
    Ok(())
}

/// What a worker reads of the graph.
pub enum Source {
    /// Its share of a file.
    Share(Box<Share>),
    /// Nothing, or the whole of a graph that cannot be read in parts.
    Whole(VecDeque<Arc>, Vec<u64>),
}

impl Arcs for Source {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        match self {
            Source::Share(share) => {
                let mut arc = |from, to, weight| arcs.push(Arc { from, to, weight });
                share.next(&mut arc, &mut |vertex| alone.push(vertex)).map_err(|error| error.to_string())
            }
            Source::Whole(all, vertices) => {
                alone.append(vertices);
                arcs.extend(all.drain(..all.len().min(1 << 20)));
                Ok(!all.is_empty())
            }
        }
    }
}

/// What a worker will read, and of what kind the graph is: whether it is directed, and whether each arc stands for two.
fn source(args: &InputArgs, weights: Weights, (me, workers): (usize, usize)) -> Result<(Source, [bool; 2]), Failure> {
    let options = args.reading(weights)?;
    if let Some(shared) = Shared::open(args.name(), &options).map_err(Failure::input)? {
        let share = shared.share(me, workers).map_err(Failure::input)?;
        return Ok((Source::Share(Box::new(share)), [shared.directed, shared.mirrored]));
    }
    if me > 0 {
        return Ok((Source::Whole(VecDeque::new(), Vec::new()), [false; 2]));
    }
    let mut input = args.load(weights)?;
    if input.graph.ids.has_names() {
        let hint = "workers share vertices by numbers, and cannot read it";
        return Err(Failure::input(format!("{} names its vertices; {hint}", args.name())));
    }
    if workers > 1 {
        note(format!("{} cannot be read in parts: worker 0 reads it and hands it out", args.name()));
    }
    let kind = [input.graph.directed, input.graph.mirrored];
    let edges = input.take_edges()?;
    let ids = &input.graph.ids;
    let weight = |k: usize| edges.weight().map_or(1.0, |weights| weights[k]);
    let arc =
        |k: usize| Arc { from: ids.external(edges.src()[k]), to: ids.external(edges.dst()[k]), weight: weight(k) };
    let arcs = (0..edges.len()).map(arc).collect();
    Ok((Source::Whole(arcs, ids.iter().collect()), kind))
}

/// What this worker will read, and whether the graph is directed, and each arc stands for two; the same kind at every worker.
pub fn agreed_source(args: &InputArgs, weights: Weights, wire: &mut Wire<'_>) -> Result<(Source, [bool; 2]), Ended> {
    let mine = source(args, weights, (wire.worker(), wire.workers()));
    let words = |failure: Failure| match failure {
        Failure::Input(words) | Failure::Usage(words) | Failure::NoVertex(words) => words,
        _ => "was interrupted".to_owned(),
    };
    let (source, kind) = wire.agree(mine.map_err(words))?.map_err(Failure::input)?;
    // Worker 0 always knows.
    Ok((source, wire.all(kind.map(u8::from))?[0].map(|known| known == 1)))
}

fn loaded(args: &RunArgs, app: App, wire: &mut Wire<'_>) -> Result<Part<'static>, Ended> {
    let weights = if app.is_weighted() { Weights::OrOne } else { Weights::Ignore };
    let (source, [directed, mirrored]) = agreed_source(&args.input, weights, wire)?;
    let rule = args.input.duplicates(app.is_weighted());
    let self_loops = if args.input.drops_self_loops() { SelfLoops::Drop } else { SelfLoops::Keep };
    let options = LoadOptions::new(Ownership::new(wire.workers()).with_range(args.workers.range))
        .with_directed(directed)
        .with_mirrored(mirrored)
        .with_weighted(app.is_weighted())
        .with_incoming(app.needs_incoming())
        .with_duplicates(rule)
        .with_self_loops(self_loops);
    load(wire, source, &options).map_err(|error| match error {
        LoadError::Lost(lost) => Ended::Lost(lost),
        other => Ended::Failed(Failure::input(other)),
    })
}

/// What the report says of the workers.
struct Totals {
    /// Of each worker: vertices, arcs, ghosts, bytes of its part, most bytes of the process.
    workers: Vec<[u64; 5]>,
    /// Bytes of all workers while loading.
    loading: u64,
    /// Bytes of all workers in each superstep.
    steps: Vec<u64>,
}

fn totals(part: &Part<'_>, wire: &mut Wire<'_>, loading: &Traffic, running: &Traffic) -> Result<Totals, Lost> {
    let mine = [part.own.len() as u64, part.local_arcs(), part.num_ghosts() as u64, part.bytes() as u64, peak()];
    let workers = wire.all(mine)?;
    let loading = wire.sum(loading.bytes())?;
    let mut to = vec![Vec::new(); wire.workers()];
    to[0] = running.steps.clone();
    let all = wire.swap_numbers(to)?;
    let steps = (0..running.steps.len()).map(|step| all.iter().filter_map(|steps| steps.get(step)).sum()).collect();
    Ok(Totals { workers, loading, steps })
}

/// The most memory that this process has taken, where the system says it.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Writes the value of each vertex, by ids, at worker 0.
pub fn write_values(out: &std::path::Path, part: &Part<'_>, wire: &mut Wire<'_>, found: &Found) -> Result<(), Ended> {
    let is_real = matches!(found.values, Values::Real(_));
    let line = |to: &mut dyn Write, id: u64, bits: u64| match f64::from_bits(bits) {
        _ if !is_real => writeln!(to, "{id} {bits}"),
        f64::INFINITY => writeln!(to, "{id} infinity"),
        value => writeln!(to, "{id} {value}"),
    };
    if wire.worker() > 0 {
        return Ok(collect(part, wire, &found.values, &mut |_, _| Ok(()))?.map_err(Failure::input)?);
    }
    let mut collected = Ok(Ok(()));
    let written = write_file(out, |file| {
        let mut write = |id, bits| line(file, id, bits).map_err(|error| error.to_string());
        collected = collect(part, wire, &found.values, &mut write);
        match &collected {
            Ok(Ok(())) => Ok(()),
            Ok(Err(refused)) => Err(std::io::Error::other(refused.reason.clone())),
            Err(lost) => Err(std::io::Error::other(lost.to_string())),
        }
    });
    collected?.map_err(Failure::input)?;
    Ok(written?)
}

fn report(args: &RunArgs, part: &Part<'_>, found: &Found, totals: &Totals, seconds: [f64; 2]) -> Result<(), Failure> {
    let app = super::name_of(args.app);
    let ghosts: u64 = totals.workers.iter().map(|worker| worker[2]).sum();
    let most = totals.steps.iter().copied().max().unwrap_or(0);
    let bytes: u64 = totals.steps.iter().sum();
    if args.json {
        let worker = |(k, [vertices, arcs, ghosts, bytes, peak]): (usize, &[u64; 5])| json!({"worker": k, "vertices": vertices, "arcs": arcs, "ghosts": ghosts, "bytes": bytes, "peak_bytes": peak});
        let workers: Vec<Value> = totals.workers.iter().enumerate().map(worker).collect();
        return print_json(&json!({
            "app": app,
            "graph": {
                "name": args.input.name(),
                "vertices": part.vertices,
                "arcs": part.arcs,
                "directed": part.directed,
            },
            "workers": workers,
            "seconds": {"load": seconds[0], "run": seconds[1]},
            "result": found.figures,
            "traffic": {
                "loading": totals.loading,
                "ghosts": ghosts,
                "supersteps": totals.steps,
                "bytes": bytes,
            },
        }));
    }
    let mut text = String::new();
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{arguments}");
    };
    let kind = if part.directed { "directed" } else { "undirected" };
    line(format_args!("graph    {} ({kind}), {} vertices, {} arcs", args.input.name(), part.vertices, part.arcs));
    for (worker, [vertices, arcs, ghosts, bytes, peak]) in totals.workers.iter().enumerate() {
        line(format_args!(
            "worker {worker} {vertices} vertices, {arcs} arcs, {ghosts} ghosts, {bytes} bytes ({peak} at most in the process)"
        ));
    }
    line(format_args!("time     loaded in {:.3} s, ran in {:.3} s", seconds[0], seconds[1]));
    line(format_args!(
        "wire     {} bytes to load; {} supersteps with {bytes} bytes, {most} at most; {ghosts} ghosts",
        totals.loading,
        totals.steps.len()
    ));
    for (name, value) in &found.figures {
        line(format_args!("{name:<8} {value}"));
    }
    print_beside(args.out.as_deref(), text.as_bytes())
}
