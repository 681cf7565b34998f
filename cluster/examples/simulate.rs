//! What many workers would hold and send: workers as threads of one process, with every byte counted.
//!
//! ```sh
//! cargo run --release -p pleach-cluster --example simulate -- rmat:20 64
//! ```
#![forbid(unsafe_code)]

use pleach_cluster::algorithms::{Stop, bfs, pagerank};
use pleach_cluster::{Arc, LoadOptions, Ownership, Wire, load, on_loop_back};
use pleach_datasets::{Options, Weights};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "rmat:16".to_owned());
    let workers: usize = arguments.next().unwrap_or_else(|| "64".to_owned()).parse()?;
    if workers == 0 {
        return Err("expected at least one worker".into());
    }
    let input = pleach_datasets::open(&name, &Options::default().with_weights(Weights::Ignore))?;
    let source = input.edges.src().first().map_or(0, |&vertex| input.ids.external(vertex));
    let found = on_loop_back(workers, |end| {
        let mut wire = Wire::new(end);
        let all = input.edges.len();
        let share = all * wire.worker() / workers..all * (wire.worker() + 1) / workers;
        let (src, dst) = (input.edges.src(), input.edges.dst());
        let arc = |k: usize| Arc { from: input.ids.external(src[k]), to: input.ids.external(dst[k]), weight: 1.0 };
        let arcs: Vec<Arc> = share.map(arc).collect();
        let options =
            LoadOptions::new(Ownership::new(workers)).with_directed(input.directed).with_mirrored(input.mirrored);
        let part = load(&mut wire, arcs.into_iter(), &options).map_err(|error| error.to_string())?;
        let loading = wire.take_traffic().bytes();
        pagerank(&part, &mut wire, 0.85, Stop::Iterations(3)).map_err(|error| error.to_string())?;
        let ranks = wire.take_traffic().steps[0];
        bfs(&part, &mut wire, source).map_err(|error| error.to_string())?;
        let search = wire.take_traffic();
        let sizes = [part.own.len() as u64, part.local_arcs(), part.num_ghosts() as u64, part.bytes() as u64];
        Ok::<_, String>((sizes, [loading, ranks, search.bytes(), search.steps.len() as u64]))
    });
    let found: Vec<_> = found.into_iter().collect::<Result<_, _>>()?;
    println!("{name} on {workers} workers: mean, largest, largest over mean");
    let tell = |what: &str, of: Vec<u64>| {
        let (sum, most) = of.into_iter().fold((0, 0), |(sum, most), each| (sum + each, most.max(each)));
        let mean = sum as f64 / workers as f64;
        println!("{what:<28} {mean:>14.0} {most:>14} {:>6.2}", most as f64 / mean.max(1.0));
    };
    for (at, what) in ["vertices", "arcs", "ghosts", "bytes of a part"].into_iter().enumerate() {
        tell(what, found.iter().map(|found| found.0[at]).collect());
    }
    for (at, what) in ["bytes to load", "bytes an iteration", "bytes of a search"].into_iter().enumerate() {
        tell(what, found.iter().map(|found| found.1[at]).collect());
    }
    println!("{:<28} {:>14}", "supersteps of a search", found[0].1[3]);
    Ok(())
}
