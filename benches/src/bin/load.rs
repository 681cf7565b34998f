//! How fast graphs are generated, and how fast text is read: writes edge lists and matrices of about 200 MB to a temporary folder and prints megabytes a second.
//!
//! `cargo run --release -p pleach-benches --bin load [-- MEGABYTES]`

use std::path::Path;
use std::time::Instant;

use pleach_datasets::{Direction, Edges, Generator, IdMap, Input, Options, open, read, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in ["rmat20", "grid2048", "rgg20", "er:1048576:16777216"] {
        let start = Instant::now();
        let graph = open(name, &Options::default())?;
        println!("{name:<20} {:9} edges drawn in {:.3} s", graph.edges.len(), start.elapsed().as_secs_f64());
    }
    let megabytes: u64 = std::env::args().nth(1).map_or(Ok(200), |n| n.parse())?;
    let folder = tempfile::tempdir()?;
    // About 14 bytes a line.
    let edges = (megabytes << 20) / 14;
    let options = Options::default().with_direction(Direction::Directed);
    let graph = Generator::ErdosRenyi { vertices: 1 << 20, edges }.generate(&options)?;
    println!("{edges} edges read by {} threads, best and median of 7", rayon::current_num_threads());

    let plain = graph.clone();
    report(&plain, &folder.path().join("plain.tsv"))?;
    report(&plain, &folder.path().join("plain.csv"))?;
    report(&plain, &folder.path().join("plain.mtx"))?;
    report(&plain, &folder.path().join("plain.tsv.gz"))?;
    report(&plain, &folder.path().join("plain.tsv.zst"))?;
    report(&plain, &folder.path().join("plain.adj"))?;
    report(&plain, &folder.path().join("plain.plg"))?;

    let mut gaps = plain.clone();
    gaps.ids = IdMap::from_sorted((0..1 << 20).map(|v| 3 * v + 7).collect());
    report(&gaps, &folder.path().join("ids-with-gaps.tsv"))?;
    gaps.ids = IdMap::from_sorted((0..1 << 20).map(|v| v * 8_796_093_022_207 + 1).collect());
    report(&gaps, &folder.path().join("64-bit-ids.tsv"))?;

    let mut weighted = plain.edges.into_weighted();
    weighted.weight.iter_mut().enumerate().for_each(|(k, w)| *w = (k % 1000) as f64);
    let mut whole = Input { edges: Edges::Weighted(weighted), ..graph };
    report(&whole, &folder.path().join("whole-weights.mtx"))?;
    if let Edges::Weighted(edges) = &mut whole.edges {
        edges.weight.iter_mut().enumerate().for_each(|(k, w)| *w = (k as f64).sqrt().sin());
    }
    report(&whole, &folder.path().join("real-weights.mtx"))?;
    report(&whole, &folder.path().join("real-weights.tsv"))?;
    report(&whole, &folder.path().join("real-weights.tns"))?;
    report(&whole, &folder.path().join("real-weights.plg"))?;
    Ok(())
}

/// Writes the graph, reads it seven times, and prints the speed.
fn report(graph: &Input, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    write(graph, path)?;
    let written = start.elapsed().as_secs_f64();
    let size = std::fs::metadata(path)?.len() as f64 / 1e6;
    let mut seconds = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        let back = read(path, &Options::default())?;
        seconds.push(start.elapsed().as_secs_f64());
        assert_eq!(back.edges.len(), graph.edges.len());
    }
    seconds.sort_by(f64::total_cmp);
    println!(
        "{:<20} {size:6.0} MB   read {:6.0} {:6.0} MB/s   written {:6.0} MB/s",
        path.file_name().unwrap_or_default().to_string_lossy(),
        size / seconds[0],
        size / seconds[seconds.len() / 2],
        size / written,
    );
    std::fs::remove_file(path)?;
    Ok(())
}
