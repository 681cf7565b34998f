//! What `pleach stream` prints: as JSON, as text, and on a line that changes while it goes on.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use pleach::graph::{Applied, Difference, Edge};
use pleach_datasets::Label;
use pleach_log::VertexIds;
use serde_json::{Value, json};

use super::held::Held;

use crate::allocator::allocated;
use crate::ids::label;
use crate::input::label_json;
use crate::progress;
use pleach_datasets::batches::StreamBatch;

/// Updates per second.
pub fn rate(updates: u64, time: Duration) -> f64 {
    updates as f64 / time.as_secs_f64().max(1e-9)
}

/// Bytes of a graph, and of the process.
pub fn memory(bytes: usize, edges: u64, arcs: u64) -> Value {
    let per = |count: u64| bytes as f64 / count.max(1) as f64;
    json!({ "bytes": bytes, "bytes_per_edge": per(edges), "bytes_per_arc": per(arcs), "allocated": allocated() })
}

/// A time in the units of the stream.
fn units(time: i64, digits: u32) -> Value {
    if digits == 0 { time.into() } else { (time as f64 / 10_f64.powi(digits as i32)).into() }
}

/// A batch as a JSON object.
pub fn batch_object<V>(
    number: u64,
    batch: &StreamBatch<V>,
    time_digits: u32,
    applied: &Applied,
    took: Duration,
    begin: Instant,
) -> Value {
    json!({
        "type": "batch",
        "batch": number,
        "version": applied.version,
        "lines": batch.lines,
        "last_line": batch.last_line,
        "time": batch.time.map(|time| units(time, time_digits)),
        "new": applied.new,
        "changed": applied.changed,
        "unchanged": applied.unchanged,
        "removed": applied.removed,
        "absent": applied.absent + batch.unknown,
        "merged": applied.merged,
        "expired": batch.expired,
        "seconds": { "apply": took.as_secs_f64(), "since_start": begin.elapsed().as_secs_f64() },
        "edges_per_second": rate(applied.updates() as u64, took),
        "memory": { "allocated": allocated() },
    })
}

/// What differs from the version before, as a JSON object or as lines of text: `+` what is there now, `-` what was there, `~` another weight.
pub fn changes<V: Held>(changes: &Difference<V>, ids: &VertexIds, json: bool) -> Vec<u8> {
    let called = |vertex: u32| label(ids, vertex).unwrap_or(Label::Id(vertex.into()));
    if json {
        let id = |vertex: u32| label_json(called(vertex));
        let edge = |edge: &Edge<V>| match edge.weight.as_weight() {
            Some(weight) => json!([id(edge.from), id(edge.to), weight]),
            None => json!([id(edge.from), id(edge.to)]),
        };
        let vertices = |vertices: &[u32]| vertices.iter().map(|&vertex| id(vertex)).collect::<Vec<Value>>();
        let reweighted = changes
            .reweighted
            .iter()
            .map(|edge| json!([id(edge.from), id(edge.to), edge.before.as_weight(), edge.after.as_weight()]));
        let object = json!({
            "type": "changes",
            "version": changes.to,
            "since": changes.from,
            "added": changes.added.iter().map(edge).collect::<Vec<_>>(),
            "removed": changes.removed.iter().map(edge).collect::<Vec<_>>(),
            "reweighted": reweighted.collect::<Vec<_>>(),
            "vertices_added": vertices(&changes.vertices_added),
            "vertices_removed": vertices(&changes.vertices_removed),
        });
        return format!("{object}\n").into_bytes();
    }
    let mut text = String::new();
    let mut line = |sign: char, from: u32, to: u32, weight: V| {
        let weight = weight.as_weight().map_or(String::new(), |weight| format!(" {weight}"));
        text += &format!("{sign} {} {}{weight}\n", called(from), called(to));
    };
    changes.removed.iter().for_each(|edge| line('-', edge.from, edge.to, edge.weight));
    changes.added.iter().for_each(|edge| line('+', edge.from, edge.to, edge.weight));
    changes.reweighted.iter().for_each(|edge| line('~', edge.from, edge.to, edge.after));
    text.into_bytes()
}

/// A run of an algorithm as text: a line, and one for each of its largest values. Only `--json` prints other lists.
pub fn text(object: &Value) -> String {
    if let Some(reason) = object["reason"].as_str() {
        return format!(
            "batch {}, version {}: {} gives no result: {reason}\n",
            object["batch"],
            object["version"],
            object["app"].as_str().unwrap_or_default()
        );
    }
    let figures = object["result"].as_object().into_iter().flatten().filter(|(_, value)| !value.is_array());
    let result = figures.map(|(name, value)| format!("{name} {value}"));
    let top: String = object["result"]["top"].as_array().into_iter().flatten().map(largest).collect();
    format!(
        "batch {}, version {}: {} in {:.3} s: {}\n{top}",
        object["batch"],
        object["version"],
        object["app"].as_str().unwrap_or_default(),
        object["seconds"].as_f64().unwrap_or_default(),
        result.collect::<Vec<_>>().join(", ")
    )
}

/// A vertex or a group and its value, as `pleach run --top` prints them.
fn largest(pair: &Value) -> String {
    let name = pair[0].as_str().map_or_else(|| pair[0].to_string(), str::to_owned);
    format!("{name:>12}  {}\n", pair[1].as_f64().unwrap_or_default())
}

/// The end as text.
pub fn summary(end: &Value) -> String {
    let mut text = format!(
        "{} lines in {} batches onto {} in {}: {:.3} s, of which {:.3} s were spent applying them ({:.2} M updates/s)\n\
         {} vertices, {} edges, {:.2} bytes per arc\n",
        end["lines"],
        end["batches"],
        end["graph"].as_str().unwrap_or_default(),
        end["store"].as_str().unwrap_or_default(),
        end["seconds"]["total"].as_f64().unwrap_or_default(),
        end["seconds"]["apply"].as_f64().unwrap_or_default(),
        end["edges_per_second"].as_f64().unwrap_or_default() / 1e6,
        end["vertices"],
        end["edges"],
        end["memory"]["bytes_per_arc"].as_f64().unwrap_or_default(),
    );
    if end["whole"] == false {
        text += "the stream was stopped: this is what the last whole batch left\n";
    }
    if end["dropped_self_loops"] != 0 {
        text += &format!("{} updates of self loops were left out\n", end["dropped_self_loops"]);
    }
    if end["skipped"] != 0 {
        text += &format!("{} lines were passed over\n", end["skipped"]);
    }
    if let Some(app) = end["app"].as_object() {
        let mut object = Value::Object(app.clone());
        object["batch"] = end["batches"].clone();
        text += &self::text(&object);
    }
    text
}

/// A line that shows how far the stream has come, where no lines of JSON show it.
pub fn live_line(json: bool) -> ProgressBar {
    if json { ProgressBar::hidden() } else { progress::line() }
}
