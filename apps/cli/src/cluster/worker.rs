//! One worker of several: loads its share, runs the algorithm, and, if it is the first, prints what all have found.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use pleach::SelfLoops;
use pleach::graph::Ids;
use pleach_cluster::tcp::{Hosts, JoinError, Tcp};
use pleach_cluster::{
    App, Called, Found, LoadError, LoadOptions, Lost, Names, Ownership, Part, RunError, Traffic, Values, Wire, collect,
    load,
};
use pleach_datasets::Weights;
use serde_json::{Value, json};

use super::super::Failure;
use super::super::output::{check_out, print_beside, print_json_beside, tell, write_file};
use super::source::Source;
use super::{RunArgs, Task, Workers, launch, read_hosts};

/// Most bytes of a secret.
const MOST_SECRET: u64 = 1 << 16;

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
pub fn run(args: &RunArgs, task: &Task, started: bool) -> Result<(), Failure> {
    check_out(args.out.as_deref())?;
    if let (Task::Expression(computed), false, Some(0)) = (task, started, args.workers.process) {
        computed.emit(args.compute.emit);
    }
    take_part(started, || work(args, task, &mut Wire::new(join(&args.workers, 0, 1)?)))
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
            tell(format_args!("error: {lost}\n"));
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
    let key = if workers.addresses.is_empty() {
        key_of(std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()))
    } else {
        0
    };
    let hosts = Hosts::new(worker, addresses)
        .with_patience(Duration::from_secs(workers.patience))
        .with_silence(Duration::from_secs(workers.silence))
        .with_key(key.wrapping_add(exchange as u64))
        .with_secret(secret(workers)?);
    Tcp::join(hosts, None).map_err(|error| {
        if let (JoinError::Listen { error: reason, .. }, None) = (&error, &workers.hosts)
            && reason.kind() == ErrorKind::AddrInUse
        {
            tell(format_args!("error: {error}\n"));
            std::process::exit(launch::TAKEN.into());
        }
        Failure::input(error)
    })
}

/// The secret of the run: from the environment where one process has started all, from --secret otherwise.
fn secret(workers: &Workers) -> Result<Vec<u8>, Failure> {
    if !workers.addresses.is_empty() {
        return Ok(std::env::var(launch::SECRET).unwrap_or_default().into_bytes());
    }
    let Some(file) = &workers.secret else { return Ok(Vec::new()) };
    let wrong = |what: &str| Failure::input(format!("{}: {what}", file.display()));
    let mut secret = Vec::new();
    let opened = std::fs::File::open(file).and_then(|from| from.take(MOST_SECRET + 1).read_to_end(&mut secret));
    opened.map_err(|error| wrong(&error.to_string()))?;
    if secret.len() as u64 > MOST_SECRET {
        return Err(wrong(&format!("expected a secret of at most {MOST_SECRET} bytes")));
    }
    // An editor ends the line.
    secret.truncate(secret.trim_ascii_end().len());
    match secret.is_empty() {
        true => Err(wrong("expected a secret, found nothing")),
        false => Ok(secret),
    }
}

/// A number of the arguments that all processes of a run have in common. Folders may differ from machine to machine.
fn key_of(arguments: impl Iterator<Item = String>) -> u64 {
    const OWN: [&str; 7] = ["--hosts", "--process", "--patience", "--silence", "--secret", "--out", "--into"];
    let (mut hash, mut skipped) = (0u64, false);
    for argument in arguments {
        let name = argument.split('=').next().unwrap_or_default();
        let own = OWN.contains(&name);
        // What prints, and how, is the matter of each.
        let beside = ["--json", "-q", "--quiet"].contains(&argument.as_str());
        if !skipped && !own && !beside {
            let last = argument.rsplit('/').next().unwrap_or_default();
            // FNV-1a, with an end behind each argument.
            hash = last
                .bytes()
                .chain([0])
                .fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
            hash = hash.wrapping_add(0xcbf2_9ce4_8422_2325);
        }
        skipped = !skipped && own && name == argument;
    }
    hash
}

fn work(args: &RunArgs, task: &Task, wire: &mut Wire<'_>) -> Result<(), Ended> {
    let begin = Instant::now();
    let (part, names) = loaded(args, task, wire)?;
    let names = names.as_deref();
    let loading = wire.take_traffic();
    let load_seconds = begin.elapsed().as_secs_f64();
    let begin = (Instant::now(), wire.bytes_on_network());
    let mut found = match task {
        Task::App(app) => {
            let app = started_from(*app, args, names, wire)?;
            pleach_cluster::run(app, &part, wire).map_err(|error| match error {
                RunError::Lost(lost) => Ended::Lost(lost),
                RunError::NoVertex(id) => Ended::Failed(no_vertex(args, &id.to_string())),
                other => Ended::Failed(Failure::input(other)),
            })?
        }
        Task::Expression(computed) => computed.run(&part, wire, names)?,
    };
    let run_seconds = begin.0.elapsed().as_secs_f64();
    let running = (wire.take_traffic(), wire.bytes_on_network() - begin.1);
    let totals = totals(&part, wire, &loading, &running)?;
    if let Some(names) = names {
        call_best(&mut found, names, wire)?;
    }
    if let Some(out) = &args.out {
        write_values(out, &part, wire, names.map_or(Naming::Numbers, Naming::Dealt), &found)?;
    }
    if wire.worker() == 0 {
        report(args, &part, &found, &totals, [load_seconds, run_seconds])?;
    }
    // No worker ends before the result is there.
    wire.sum(0)?;
    Ok(())
}

/// The algorithm with the number of the vertex that it starts from.
fn started_from(app: App, args: &RunArgs, names: Option<&Names>, wire: &mut Wire<'_>) -> Result<App, Ended> {
    let Some(source) = args.options.source.as_deref() else { return Ok(app) };
    let id = match names {
        Some(names) => names.find(wire, &[source.into()])?[0],
        None => source.parse().ok(),
    };
    let Some(source) = id else {
        return Err(no_vertex(args, source).into());
    };
    Ok(app.from(source))
}

fn no_vertex(args: &RunArgs, source: &str) -> Failure {
    Failure::NoVertex(format!("{} has no vertex {source}", args.input.name()))
}

/// Calls the best vertex by its name.
fn call_best(found: &mut Found, names: &Names, wire: &mut Wire<'_>) -> Result<(), Lost> {
    let best = found.figures.get("max_vertex").and_then(Value::as_u64);
    let asked: Vec<u64> = best.into_iter().filter(|_| wire.worker() == 0).collect();
    if let Some(name) = names.of_numbers(wire, &asked)?.first() {
        found.figures.insert("max_vertex".to_owned(), name.to_string().into());
    }
    Ok(())
}

/// The part of this worker, and the names of vertices, if they have any.
fn loaded(
    args: &RunArgs,
    task: &Task,
    wire: &mut Wire<'_>,
) -> Result<(Part<'static>, Option<std::sync::Arc<Names>>), Ended> {
    let (weighted, incoming, paths) = match task {
        Task::App(app) => (app.is_weighted(), app.needs_incoming(), app.is_weighted()),
        Task::Expression(_) => (true, false, false),
    };
    let weights = if weighted { Weights::OrOne } else { Weights::Ignore };
    let mut source = Source::open(&args.input, weights, wire)?;
    if matches!(task, Task::App(app) if app.needs_undirected()) && source.directed {
        // As in one process, an arc is an edge for it.
        (source.directed, source.mirrored) = (false, true);
    }
    let self_loops = if args.input.drops_self_loops() { SelfLoops::Drop } else { SelfLoops::Keep };
    let options = LoadOptions::new(Ownership::new(wire.workers()).with_range(args.workers.range))
        .with_directed(source.directed)
        .with_mirrored(source.mirrored)
        .with_weighted(weighted)
        .with_incoming(incoming)
        .with_duplicates(args.input.duplicates(paths))
        .with_self_loops(self_loops)
        .with_listed(source.listed);
    let part = load(wire, &mut source, &options).map_err(|error| match error {
        LoadError::Lost(lost) => Ended::Lost(lost),
        other => Ended::Failed(Failure::input(other)),
    })?;
    source.check(wire)?;
    Ok((part, source.names))
}

/// What the report says of the workers.
struct Totals {
    /// Of each worker: vertices, arcs, ghosts, bytes of its part, most bytes of the process.
    workers: Vec<[u64; 5]>,
    /// Bytes of all workers while loading.
    loading: u64,
    /// Bytes of all workers in each superstep.
    steps: Vec<u64>,
    /// Bytes that all workers have written to sockets in these supersteps.
    sockets: u64,
}

fn totals(
    part: &Part<'_>,
    wire: &mut Wire<'_>,
    loading: &Traffic,
    (running, sockets): &(Traffic, u64),
) -> Result<Totals, Lost> {
    let mine = [part.own.len() as u64, part.local_arcs(), part.num_ghosts() as u64, part.bytes() as u64, peak()];
    let workers = wire.all(mine)?;
    let loading = wire.sum(loading.bytes())?;
    let sockets = wire.sum(*sockets)?;
    let mut to = vec![Vec::new(); wire.workers()];
    to[0] = running.steps.clone();
    let all = wire.swap_numbers(to)?;
    let steps = (0..running.steps.len()).map(|step| all.iter().filter_map(|steps| steps.get(step)).sum()).collect();
    Ok(Totals { workers, loading, steps, sockets })
}

/// The most memory that this process has taken, where the system says it.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Where the names of vertices are, if they have any.
#[derive(Clone, Copy)]
pub enum Naming<'a> {
    Numbers,
    /// Dealt to all workers.
    Dealt(&'a Names),
    /// At worker 0, by the numbers of vertices.
    Here(&'a Ids<str>),
}

/// Writes the value of each vertex, by ids or names, at worker 0.
pub fn write_values(
    out: &std::path::Path,
    part: &Part<'_>,
    wire: &mut Wire<'_>,
    naming: Naming<'_>,
    found: &Found,
) -> Result<(), Ended> {
    let is_real = matches!(found.values, Values::Real(_));
    let is_vertex = matches!(found.values, Values::Vertices(_));
    let (names, here) = match naming {
        Naming::Numbers => (None, None),
        Naming::Dealt(names) => (Some(names), None),
        Naming::Here(names) => (None, Some(names)),
    };
    let called = |to: &mut dyn Write, called: Called<'_>, is_vertex: bool| match called {
        Called::Number(number) => match here.filter(|_| is_vertex).and_then(|names| names.key(number as u32)) {
            Some(name) => write!(to, "{name}"),
            None => write!(to, "{number}"),
        },
        Called::Name(name) => write!(to, "{name}"),
    };
    let line = |to: &mut dyn Write, vertex: Called<'_>, value: Called<'_>| {
        called(to, vertex, true)?;
        to.write_all(b" ")?;
        match value {
            Called::Number(bits) if is_real => match f64::from_bits(bits) {
                f64::INFINITY => to.write_all(b"infinity")?,
                value => write!(to, "{value}")?,
            },
            value => called(to, value, is_vertex)?,
        }
        to.write_all(b"\n")
    };
    if wire.worker() > 0 {
        return Ok(collect(part, wire, &found.values, names, &mut |_, _| Ok(()))?.map_err(Failure::input)?);
    }
    let mut collected = Ok(Ok(()));
    let written = write_file(out, |file| {
        let mut write =
            |vertex: Called<'_>, value: Called<'_>| line(file, vertex, value).map_err(|error| error.to_string());
        collected = collect(part, wire, &found.values, names, &mut write);
        match &collected {
            Ok(Ok(())) => Ok(()),
            Ok(Err(refused)) => Err(std::io::Error::other(refused.reason.clone())),
            Err(lost) => Err(std::io::Error::other(lost.to_string())),
        }
    });
    if matches!(written, Err(Failure::ClosedPipe)) {
        return Ok(written?);
    }
    collected?.map_err(Failure::input)?;
    Ok(written?)
}

fn report(args: &RunArgs, part: &Part<'_>, found: &Found, totals: &Totals, seconds: [f64; 2]) -> Result<(), Failure> {
    let app = args.app.name();
    let ghosts: u64 = totals.workers.iter().map(|worker| worker[2]).sum();
    let most = totals.steps.iter().copied().max().unwrap_or(0);
    let bytes: u64 = totals.steps.iter().sum();
    if args.json {
        let worker = |(k, [vertices, arcs, ghosts, bytes, peak]): (usize, &[u64; 5])| json!({"worker": k, "vertices": vertices, "arcs": arcs, "ghosts": ghosts, "bytes": bytes, "peak_bytes": peak});
        let workers: Vec<Value> = totals.workers.iter().enumerate().map(worker).collect();
        return print_json_beside(
            args.out.as_deref(),
            &json!({
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
                    "sockets": totals.sockets,
                },
            }),
        );
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
    line(format_args!("steps    {} bytes", listed(&totals.steps)));
    for (name, value) in &found.figures {
        line(format_args!("{name:<8} {value}"));
    }
    print_beside(args.out.as_deref(), text.as_bytes())
}

/// Bytes of supersteps, of which equal ones that follow each other are counted: `2 × 800, 16`. Of very many, those at the beginning.
fn listed(steps: &[u64]) -> String {
    const MOST: usize = 24;
    let runs: Vec<&[u64]> = steps.chunk_by(|a, b| a == b).collect();
    let run = |run: &&[u64]| match run.len() {
        1 => run[0].to_string(),
        count => format!("{count} × {}", run[0]),
    };
    let more = if runs.len() > MOST { ", …" } else { "" };
    runs.iter().take(MOST).map(run).collect::<Vec<_>>().join(", ") + more
}
