//! What is counted, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;

use crate::host::Figures;

/// Upper ends of the buckets of times, in seconds.
const BUCKETS: [f64; 14] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];

/// How long the requests to a route took.
#[derive(Default)]
struct Times {
    buckets: [u64; BUCKETS.len() + 1],
    sum: f64,
}

/// Counters of a server.
#[derive(Default)]
pub(crate) struct Metrics {
    /// By route and status. Routes are patterns, so that there are few.
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    times: Mutex<BTreeMap<String, Times>>,
    batches: AtomicU64,
    updates: AtomicU64,
    pub connections: AtomicUsize,
    pub runs: AtomicUsize,
    pub runs_cancelled: AtomicU64,
}

impl Metrics {
    /// A batch of so many updates was applied.
    pub fn applied(&self, updates: usize) {
        self.batches.fetch_add(1, Relaxed);
        self.updates.fetch_add(updates as u64, Relaxed);
    }

    /// A request was answered.
    pub fn answered(&self, route: &str, status: u16, time: Duration) {
        *self.requests.lock().entry((route.to_owned(), status)).or_default() += 1;
        let seconds = time.as_secs_f64();
        let mut times = self.times.lock();
        let times = times.entry(route.to_owned()).or_default();
        times.buckets[BUCKETS.partition_point(|&end| end < seconds)] += 1;
        times.sum += seconds;
    }

    /// All figures.
    pub fn text(&self, graph: &Figures, waiting: usize, told: usize) -> String {
        let mut text = String::new();
        let mut one = |name: &str, kind: &str, help: &str, value: u64| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        one("pleach_version", "gauge", "Newest version that readers see.", graph.version);
        one("pleach_durable_version", "gauge", "Newest version that is on the disk.", graph.log.durable);
        one("pleach_checkpoint_version", "gauge", "Version of the last checkpoint.", graph.log.checkpoint);
        one("pleach_log_bytes", "gauge", "Bytes of log behind the last checkpoint.", graph.log.log_bytes);
        one(
            "pleach_stopped",
            "gauge",
            "1 if nothing is written any more since a failure.",
            graph.log.stopped.is_some().into(),
        );
        one("pleach_vertices", "gauge", "Vertices of the newest version.", graph.vertices as u64);
        one("pleach_edges", "gauge", "Edges of the newest version.", graph.edges);
        one("pleach_batches_total", "counter", "Batches applied since the start.", self.batches.load(Relaxed));
        one("pleach_updates_total", "counter", "Updates applied since the start.", self.updates.load(Relaxed));
        one("pleach_batches_waiting", "gauge", "Batches that wait for the writer.", waiting as u64);
        one("pleach_changes_bytes", "gauge", "Bytes of changes that are being sent to readers.", told as u64);
        one("pleach_connections", "gauge", "Open connections.", self.connections.load(Relaxed) as u64);
        one("pleach_runs", "gauge", "Algorithms that run.", self.runs.load(Relaxed) as u64);
        one(
            "pleach_runs_cancelled_total",
            "counter",
            "Algorithms that were cancelled: the client left, or the time was over.",
            self.runs_cancelled.load(Relaxed),
        );
        if let Some(bytes) = resident() {
            one("process_resident_memory_bytes", "gauge", "Memory of the process.", bytes);
        }
        text += "# HELP pleach_requests_total Requests answered.\n# TYPE pleach_requests_total counter\n";
        for ((route, status), count) in &*self.requests.lock() {
            let _ = writeln!(text, "pleach_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
        }
        text += "# HELP pleach_request_seconds Time until the answer.\n# TYPE pleach_request_seconds histogram\n";
        for (route, times) in &*self.times.lock() {
            let mut below = 0;
            for (end, count) in BUCKETS.iter().map(f64::to_string).chain(["+Inf".to_owned()]).zip(times.buckets) {
                below += count;
                let _ = writeln!(text, "pleach_request_seconds_bucket{{route=\"{route}\",le=\"{end}\"}} {below}");
            }
            let _ = writeln!(text, "pleach_request_seconds_sum{{route=\"{route}\"}} {}", times.sum);
            let _ = writeln!(text, "pleach_request_seconds_count{{route=\"{route}\"}} {below}");
        }
        text
    }
}

/// Bytes of memory of this process, where the system says so.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
