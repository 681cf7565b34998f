//! The page at `/`, driven in headless Chromium, where there is one.
//!
//! `PLEACH_PICTURES=DIR cargo test -p pleach-server --test page` keeps a picture of each size and colour scheme in DIR.

mod common;

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine;
use common::{CSV, graph, post, serve};
use pleach::graph::GraphOptions;
use pleach_log::IdKind;
use pleach_server::Limits;
use serde_json::{Value, json};

/// A Chromium that is asked over two pipes: messages of the DevTools protocol, each ended by a zero byte.
struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    last: u64,
    /// What the page complained about.
    complaints: Vec<Value>,
    _folder: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first Chromium that is installed.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

impl Browser {
    fn start(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pipes = ["to", "from"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
        // Chromium reads from descriptor 3 and writes to descriptor 4, which a shell opens for it.
        let mut command = Command::new("sh");
        command.arg("-c").arg("exec \"$@\" 3<\"$TO\" 4>\"$FROM\"").arg("sh").arg(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.args(["--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]);
        command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
        command.env("TO", &pipes[0]).env("FROM", &pipes[1]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let to = OpenOptions::new().write(true).open(&pipes[0]).unwrap();
        let from = BufReader::new(File::open(&pipes[1]).unwrap());
        Browser { child, to, from, last: 0, complaints: Vec::new(), _folder: folder }
    }

    fn ask(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            let answer: Value = serde_json::from_slice(bytes.strip_suffix(b"\0").unwrap_or(&bytes)).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            let failed = answer["method"] == "Runtime.exceptionThrown"
                || answer["method"] == "Log.entryAdded" && answer["params"]["entry"]["level"] == "error";
            if failed {
                self.complaints.push(answer["params"].clone());
            }
        }
    }
}

/// A tab with the page.
struct Tab<'b> {
    browser: &'b mut Browser,
    session: String,
}

impl<'b> Tab<'b> {
    fn open(browser: &'b mut Browser, url: &str, (width, height): (u32, u32), scheme: &str) -> Self {
        let target = browser.ask(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask(None, "Target.attachToTarget", attach)["sessionId"].as_str().unwrap().to_owned();
        let mut tab = Tab { browser, session };
        tab.ask("Runtime.enable", json!({}));
        tab.ask("Log.enable", json!({}));
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        tab.ask("Emulation.setDeviceMetricsOverride", size);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        tab.ask("Emulation.setEmulatedMedia", features);
        tab.ask("Page.navigate", json!({ "url": url }));
        tab
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.browser.ask(Some(&self.session), method, params)
    }

    /// The value of an expression in the page.
    fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    fn until(&mut self, expression: &str) {
        for _ in 0..1200 {
            if self.value(expression) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let text = self.value("document.body.innerText");
        panic!("`{expression}` did not become true; the page says: {text}");
    }

    fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("PLEACH_PICTURES") else { return };
        let height = self.value("document.documentElement.scrollHeight");
        let width = self.value("innerWidth");
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let params = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let picture = self.ask("Page.captureScreenshot", params);
        let bytes = base64::engine::general_purpose::STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
        std::fs::write(Path::new(&folder).join(name), bytes).unwrap();
    }
}

#[test]
fn the_page_shows_the_graph_in_a_browser() {
    let Some(program) = chromium() else {
        println!("skipped: there is no Chromium in the path");
        return;
    };
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    let names = ["ada", "bob", "eve", "a name that is rather long, longer than a column", "zoe"];
    let rows = |round: usize| -> String {
        let edge = |k: usize| format!("\"{}\",\"person {}\"\n", names[k % 5], (k * 7 + round) % 60);
        "from,to\n".to_owned() + &(0..40).map(edge).collect::<String>()
    };
    assert_eq!(post(address, CSV, rows(0) + "ada,bob\nbob,eve\n").status, 200);
    let mut browser = Browser::start(&program);
    let mut backgrounds = Vec::new();
    for (at, (size, scheme)) in
        [((1280, 900), "light"), ((1280, 900), "dark"), ((390, 844), "light"), ((390, 844), "dark")]
            .into_iter()
            .enumerate()
    {
        let mut tab = Tab::open(&mut browser, &format!("http://{address}/"), size, scheme);
        tab.until("document.getElementById('state')?.textContent === 'live'");
        assert_eq!(tab.value("document.querySelectorAll('#tiles b').length"), 6);
        // Plots go on while updates come.
        for round in 0..4 {
            assert_eq!(post(address, CSV, rows(1 + at * 10 + round)).status, 200);
            std::thread::sleep(Duration::from_millis(300));
        }
        for plot in ["updates", "latency", "bytes", "versions"] {
            tab.until(&format!("document.querySelectorAll('#{plot} polyline').length > 0"));
            tab.until(&format!(
                "document.querySelector('#{plot} polyline').getAttribute('points').split(' ').length > 2"
            ));
        }
        // A standing result, by its form.
        tab.value("document.getElementById('app').value = 'pagerank'; document.querySelector('#add button').click()");
        tab.until("document.querySelectorAll('#results table tr').length === 10");
        // A neighbourhood, and a walk from there and back.
        tab.value("document.getElementById('id').value = 'ada'; document.querySelector('#go button').click()");
        tab.until("document.querySelectorAll('#picture g').length > 2");
        tab.value("[...document.querySelectorAll('#list button')].find((b) => b.textContent === 'bob').click()");
        tab.until("document.getElementById('id').value === 'bob'");
        tab.until("[...document.querySelectorAll('#list button')].some((b) => b.textContent === 'eve')");
        tab.value("document.getElementById('back').click()");
        tab.until("document.getElementById('id').value === 'ada'");
        tab.until("document.querySelectorAll('#picture g').length > 2");
        tab.value("document.getElementById('id').value = 'nobody'; document.querySelector('#go button').click()");
        tab.until("document.querySelector('#list .bad')?.textContent.includes('nobody')");
        tab.value("document.getElementById('id').value = 'ada'; document.querySelector('#go button').click()");
        tab.until("document.querySelectorAll('#picture g').length > 2");
        // Nothing is wider than the window.
        assert_eq!(tab.value("document.documentElement.scrollWidth <= innerWidth"), true, "{size:?}");
        let wide = "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length";
        assert_eq!(tab.value(wide), 0, "{size:?}");
        backgrounds.push(tab.value("getComputedStyle(document.body).backgroundColor"));
        tab.picture(&format!("page-{}-{scheme}.png", size.0));
        // What asked for a vertex that is not there was answered with 404, which the browser notes. Nothing else went wrong.
        let complaints = std::mem::take(&mut tab.browser.complaints);
        let others: Vec<_> = complaints
            .iter()
            .filter(|each| !each["entry"]["text"].as_str().is_some_and(|text| text.contains("404")))
            .collect();
        assert!(others.is_empty(), "{others:?}");
    }
    assert_ne!(backgrounds[0], backgrounds[1], "light and dark are alike");
    assert_eq!((&backgrounds[0], &backgrounds[1]), (&backgrounds[2], &backgrounds[3]));
    server.stop().unwrap();
}
