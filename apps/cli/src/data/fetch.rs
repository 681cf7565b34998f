//! `pleach data fetch`: published graphs and matrices, downloaded once.

use clap::Args;
use pleach_datasets::fetch::{FetchOptions, Remote, catalogue};
use serde_json::{Value, json};

use super::Failure;
use crate::output::{note, print, print_json};
use crate::progress::{bar, shown_by};

/// Options of `data fetch`.
#[derive(Args)]
pub struct FetchArgs {
    /// Name of the graph (`pleach data list` shows the names)
    #[arg(value_name = "NAME")]
    name: String,
    /// Another address of the same file, such as a mirror's
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl FetchArgs {
    /// Fetches the graph, and prints where it is kept.
    pub fn run(self) -> Result<(), Failure> {
        let remote = Remote::named(&self.name).map_err(Failure::input)?;
        let bar = bar();
        let options = FetchOptions::default().with_from(self.from).with_progress(shown_by(&bar));
        let fetched = remote.fetch(&options);
        bar.finish_and_clear();
        let fetched = fetched.map_err(Failure::input)?;
        if self.json {
            return print_json(&json!({
                "name": remote.name,
                "path": fetched.path.display().to_string(),
                "sha256": fetched.sha256,
                "cached": fetched.cached,
                "vertices": fetched.vertices,
                "entries": fetched.entries,
            }));
        }
        let state = if fetched.cached { "was there already" } else { "fetched" };
        note(format_args!(
            "{} {state}: {} vertices and {} entries, as published; SHA-256 {}",
            remote.name, fetched.vertices, fetched.entries, fetched.sha256
        ));
        print(format!("{}\n", fetched.path.display()).as_bytes())
    }
}

/// What can be fetched, for JSON.
pub fn described() -> impl Iterator<Item = Value> {
    catalogue().map(|remote| {
        json!({
            "name": remote.name,
            "bundled": false,
            "url": remote.url,
            "vertices": remote.vertices.number(),
            "edges": remote.entries.number(),
            "summary": remote.summary,
        })
    })
}

/// What can be fetched, a line each.
pub fn listed() -> String {
    let mut text = "\nOnce fetched (pleach data fetch NAME):\n\n".to_owned();
    for remote in catalogue() {
        let (vertices, entries) = (remote.vertices.number(), remote.entries.number());
        text += &format!("{:<18}{vertices:>10} vertices {entries:>10} entries  {}\n", remote.name, remote.summary);
    }
    text
}
