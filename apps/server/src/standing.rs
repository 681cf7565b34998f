//! Standing results: the answer of an algorithm, kept up to date with the newest version.
//!
//! One result is brought up to date at a time. While an algorithm is busy with one version, more versions may appear; the next round takes
//! the newest of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use pleach::traverse::Cancel;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use crate::apps::Question;
use crate::host::{Host, State};
use crate::refusal::Refusal;
use crate::runs::Runs;

/// The most results that are kept.
const MOST: usize = 16;

/// A result.
struct Entry {
    app: String,
    question: Question,
    /// The newest version that was tried.
    tried: Option<u64>,
    result: Arc<Value>,
    failed: Option<String>,
    /// What the result of the next version goes on from.
    kept: State,
    /// Cancels the run for this result when the result is deleted or replaced. A run that ends looks for its entry by it.
    cancel: Arc<Cancel>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// What is to be computed next.
struct Due {
    name: String,
    question: Question,
    kept: State,
    cancel: Arc<Cancel>,
}

/// A result as it is answered.
fn shown(name: &str, app: &str, result: &Value, failed: Option<&str>) -> Value {
    let mut value = json!({ "name": name, "app": app, "result": result });
    value["version"] = result["version"].clone();
    if let Some(failed) = failed {
        value["failed"] = failed.into();
    }
    value
}

/// All results that are kept.
#[derive(Default)]
pub(crate) struct Standing {
    entries: Mutex<BTreeMap<String, Entry>>,
    added: Notify,
}

impl Standing {
    /// Keeps a result from now on.
    pub fn put(&self, name: &str, app: String, question: Question) -> Result<Value, Refusal> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
            return Err(Refusal::bad("a name has at most 64 letters, digits, `-`, `_` and `.`"));
        }
        let mut entries = self.entries.lock();
        if entries.len() >= MOST && !entries.contains_key(name) {
            return Err(Refusal::busy(format!("{MOST} results are kept already, as many as may: delete one first")));
        }
        let cancel = Arc::default();
        let value = shown(name, &app, &Value::Null, None);
        let entry = Entry { app, question, tried: None, result: Arc::default(), failed: None, kept: None, cancel };
        entries.insert(name.to_owned(), entry);
        self.added.notify_one();
        Ok(value)
    }

    /// A result. Takes a while if it lists many vertices: not for a thread that other requests need.
    pub fn get(&self, name: &str) -> Result<Value, Refusal> {
        let entries = self.entries.lock();
        let entry = entries.get(name).ok_or_else(|| absent(name))?;
        let (app, result, failed) = (entry.app.clone(), entry.result.clone(), entry.failed.clone());
        // Nobody waits for the lock while the list is copied.
        drop(entries);
        Ok(shown(name, &app, &result, failed.as_deref()))
    }

    pub fn delete(&self, name: &str) -> Result<Value, Refusal> {
        self.entries.lock().remove(name).map(|_| json!({ "deleted": name })).ok_or_else(|| absent(name))
    }

    pub fn list(&self) -> Value {
        let value = |(name, entry): (&String, &Entry)| json!({ "name": name, "app": entry.app, "version": entry.result["version"] });
        json!({ "standing": self.entries.lock().iter().map(value).collect::<Vec<_>>() })
    }

    /// Computes what is not of the newest version, for ever.
    pub async fn follow(self: Arc<Self>, host: Arc<dyn Host>, runs: Arc<Runs>, mut newest: watch::Receiver<u64>) {
        loop {
            let version = *newest.borrow_and_update();
            while let Some(Due { name, question, kept, cancel }) = self.due(version) {
                let found = runs.follow(&host, question, kept, cancel.clone()).await;
                self.found(&name, &cancel, version, found);
            }
            tokio::select! {
                changed = newest.changed() => if changed.is_err() { return },
                () = self.added.notified() => {}
            }
        }
    }

    fn due(&self, version: u64) -> Option<Due> {
        let mut entries = self.entries.lock();
        let (name, entry) = entries.iter_mut().find(|(_, entry)| entry.tried.is_none_or(|tried| tried < version))?;
        let (name, question) = (name.clone(), entry.question.clone());
        // One for each run: it is spent when the run ends.
        entry.cancel = Arc::default();
        Some(Due { name, question, kept: entry.kept.take(), cancel: entry.cancel.clone() })
    }

    fn found(&self, name: &str, cancel: &Arc<Cancel>, version: u64, found: Result<(u64, Arc<Value>, State), Refusal>) {
        let mut entries = self.entries.lock();
        // It may have been deleted or replaced meanwhile.
        let Some(entry) = entries.get_mut(name).filter(|entry| Arc::ptr_eq(&entry.cancel, cancel)) else { return };
        match found {
            Ok((reached, result, kept)) => {
                (entry.tried, entry.failed) = (Some(reached.max(version)), None);
                (entry.result, entry.kept) = (result, kept);
            }
            Err(refusal) => (entry.tried, entry.failed) = (Some(version), Some(refusal.reason().to_owned())),
        }
    }
}

fn absent(name: &str) -> Refusal {
    Refusal::absent(format!("no result is kept under the name `{name}`"))
}
