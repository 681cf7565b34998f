//! What many workers would hold and send: workers as threads of one process, with every byte counted.
//!
//! ```sh
//! cargo run --release -p pleach-cluster --example simulate -- rmat:22 64
//! cargo run --release -p pleach-cluster --example simulate -- grid:2048 64
//! ```
//!
//! The graph is generated, or a file that can be read in shares: no worker holds all of it.
#![forbid(unsafe_code)]

use pleach_cluster::algorithms::{Stop, bfs, pagerank};
use pleach_cluster::{Arc, Arcs, LoadOptions, Ownership, Wire, load, on_loop_back};
use pleach_datasets::{Options, Share, Shared, Weights};

/// The share of a worker.
struct Mine(Share);

impl Arcs for Mine {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        let mut arc = |from, to, weight| arcs.push(Arc { from, to, weight });
        self.0.next(&mut arc, &mut |vertex| alone.push(vertex)).map_err(|error| error.to_string())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "rmat:16".to_owned());
    let workers: usize = arguments.next().unwrap_or_else(|| "64".to_owned()).parse()?;
    if workers == 0 {
        return Err("expected at least one worker".into());
    }
    let options = Options::default().with_weights(Weights::Ignore);
    let Some(shared) =
        Shared::open(&name, &options)?.filter(|shared| shared.is_divided() && !shared.named && !shared.needs_counts())
    else {
        return Err(format!("{name} cannot be read in shares").into());
    };
    let found = on_loop_back(workers, |end| {
        let mut wire = Wire::new(end);
        let share = shared.share(wire.worker(), workers).map_err(|error| error.to_string())?;
        let options =
            LoadOptions::new(Ownership::new(workers)).with_directed(shared.directed).with_mirrored(shared.mirrored);
        let part = load(&mut wire, Mine(share), &options).map_err(|error| error.to_string())?;
        let loading = wire.take_traffic().bytes();
        // The search starts at the neighbour of the first vertex that has one.
        let first = part.own.iter().find(|&&vertex| part.rows.degree(false, vertex) > 0);
        let first = first.map_or(u64::MAX, |&vertex| part.ids[vertex as usize]);
        let source = wire.all(first).map_err(|error| error.to_string())?.into_iter().min().unwrap_or(0);
        wire.take_traffic();
        pagerank(&part, &mut wire, 0.85, Stop::Iterations(3)).map_err(|error| error.to_string())?;
        let ranks = wire.take_traffic().steps[0];
        bfs(&part, &mut wire, source).map_err(|error| error.to_string())?;
        let search = wire.take_traffic();
        let sizes = [part.own.len() as u64, part.local_arcs(), part.num_ghosts() as u64, part.bytes() as u64];
        let most = search.steps.iter().copied().max().unwrap_or(0);
        Ok::<_, String>((sizes, [loading, ranks, search.bytes(), most, search.steps.len() as u64]))
    });
    let found: Vec<_> = found.into_iter().collect::<Result<_, _>>()?;
    println!("{name} on {workers} workers: mean, largest, largest over mean");
    let tell = |what: &str, of: Vec<u64>| {
        let (sum, most) = of.into_iter().fold((0, 0), |(sum, most), each| (sum + each, most.max(each)));
        let mean = sum as f64 / workers as f64;
        println!("{what:<30} {mean:>14.0} {most:>14} {:>6.2}", most as f64 / mean.max(1.0));
    };
    for (at, what) in ["vertices", "arcs", "ghosts", "bytes of a part"].into_iter().enumerate() {
        tell(what, found.iter().map(|found| found.0[at]).collect());
    }
    let traffic = ["bytes to load", "bytes an iteration", "bytes of a search", "bytes of its largest superstep"];
    for (at, what) in traffic.into_iter().enumerate() {
        tell(what, found.iter().map(|found| found.1[at]).collect());
    }
    println!("{:<30} {:>14}", "supersteps of a search", found[0].1[4]);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or(" unknown").trim();
    println!("{:<30} {peak:>14}", "memory of all workers at most");
    Ok(())
}
