//! How fast graphs are generated, and how fast files are read and written: in a temporary folder, from the memory of the system.

use std::path::Path;

use pleach_datasets::{Direction, Edges, Generator, IdMap, Input, Options, open, read, write};

use super::SuiteError;
use crate::method::seconds;
use crate::{Bench, Competitor, Side, Unit, Work};

/// Bytes of a line of an edge list, about.
const LINE: u64 = 14;

/// Measures files of about so many megabytes.
///
/// # Errors
///
/// [`SuiteError`] if files cannot be written or read.
pub fn run(bench: &mut Bench<'_>, megabytes: u64) -> Result<(), SuiteError> {
    bench.begin("load", None);
    let edges = (megabytes << 20) / LINE;
    // Half of the files' edges, so that generating takes about as long as reading.
    let side = ((edges / 4) as f64).sqrt() as u64;
    let scale = (edges / 32).max(2).ilog2();
    for generator in
        [format!("rmat:{scale}"), format!("grid:{side}:{side}"), format!("er:{}:{}", 1u64 << scale, edges / 2)]
    {
        let work =
            Work::in_unit(format!("generate {}", generator.split(':').next().unwrap_or_default()), Unit::ArcsPerSecond);
        let run = || {
            let mut drawn = 0;
            let took = seconds(|| {
                // Each edge is an arc of it.
                let options = Options::default().with_direction(Direction::Directed);
                let graph = open(&generator, &options).map_err(|error| error.to_string())?;
                drawn = graph.edges.len();
                Ok::<_, String>(graph)
            });
            Ok(vec![drawn as f64 / took.max(1e-9)])
        };
        bench.compare(&[work], vec![Competitor::new("pleach", Side::Ours, run)]);
    }
    let folder = tempfile::tempdir().map_err(|error| SuiteError::Files(error.to_string()))?;
    let options = Options::default().with_direction(Direction::Directed);
    let vertices: u32 = 1 << scale.min(20);
    let plain = Generator::ErdosRenyi { vertices: vertices.into(), edges: edges.min(u64::from(vertices) * 8) }
        .generate(&options)
        .map_err(|error| SuiteError::Files(error.to_string()))?;
    for name in
        ["plain.tsv", "plain.csv", "plain.mtx", "plain.tsv.gz", "plain.tsv.zst", "plain.adj", "plain.sg", "plain.plg"]
    {
        files(bench, &plain, &folder.path().join(name));
    }
    let mut gaps = plain.clone();
    gaps.ids = IdMap::from_sorted((0..u64::from(vertices)).map(|v| 3 * v + 7).collect());
    files(bench, &gaps, &folder.path().join("ids-with-gaps.tsv"));
    gaps.ids = IdMap::from_sorted((0..u64::from(vertices)).map(|v| v * 8_796_093_022_207 + 1).collect());
    files(bench, &gaps, &folder.path().join("64-bit-ids.tsv"));
    drop(gaps);
    let mut weighted = plain.edges.clone().into_weighted();
    weighted.weight.iter_mut().enumerate().for_each(|(k, w)| *w = (k as f64).sqrt().sin());
    let weighted = Input { edges: Edges::Weighted(weighted), ..plain };
    for name in ["real-weights.mtx", "real-weights.tsv", "real-weights.tns", "real-weights.plg"] {
        files(bench, &weighted, &folder.path().join(name));
    }
    Ok(())
}

/// Bytes a second of writing the graph to a file and of reading it again.
fn files(bench: &mut Bench<'_>, graph: &Input, path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let works = ["write", "read"].map(|what| Work::in_unit(format!("{what} {name}"), Unit::BytesPerSecond));
    let run = || {
        let mut written = Ok(());
        let writing = seconds(|| written = write(graph, path));
        written.map_err(|error| error.to_string())?;
        let bytes = std::fs::metadata(path).map_err(|error| error.to_string())?.len() as f64;
        let mut found = Ok(0);
        let reading = seconds(|| {
            let back = read(path, &Options::default());
            found = back.as_ref().map(|back| back.edges.len()).map_err(ToString::to_string);
            back
        });
        match found? {
            count if count == graph.edges.len() => Ok(vec![bytes / writing.max(1e-9), bytes / reading.max(1e-9)]),
            count => Err(format!("{count} of {} edges were read", graph.edges.len())),
        }
    };
    bench.compare(&works, vec![Competitor::new("pleach", Side::Ours, run)]);
    // The next one needs the space.
    let _ = std::fs::remove_file(path);
}
