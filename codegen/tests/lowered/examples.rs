//! The examples of the page on absence: statements, tensors with what they hold, and what comes out, all computed by hand.

use std::collections::BTreeMap;
use std::path::Path;

/// A tensor as an example writes it.
#[derive(Clone, Debug)]
pub struct Written {
    /// The formats it is declared with, and its fill.
    pub declaration: String,
    pub shape: Vec<usize>,
    /// The cells in row-major order; `None` where nothing is stored.
    pub cells: Vec<Option<f64>>,
}

/// One example.
#[derive(Clone, Debug)]
pub struct Example {
    /// The line of the page that it begins on.
    pub line: usize,
    /// The kernel that it stands for, called after its line.
    pub kernel: String,
    pub given: BTreeMap<String, Written>,
    pub expected: BTreeMap<String, Written>,
    /// The beginning of the message with which it is refused.
    pub refused: Option<String>,
}

/// The page.
pub fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|up| up.join("docs/src/absence.md"))
        .find(|p| p.exists())
        .expect("the page")
}

/// Every example of a page.
pub fn examples(text: &str) -> Vec<Example> {
    let mut all = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line == "```absence" {
            let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            all.push(example(at + 2, &body));
        }
    }
    all
}

fn example(line: usize, body: &[&str]) -> Example {
    let (statement, rest) = body.split_first().expect("an example begins with a statement");
    let (mut params, mut results) = (Vec::new(), Vec::new());
    let (mut given, mut expected) = (BTreeMap::new(), BTreeMap::new());
    let mut refused = None;
    for text in rest {
        if let Some(message) = text.strip_prefix("refused: ") {
            refused = Some(message.to_owned());
            continue;
        }
        let (result, text) = match text.strip_prefix("-> ") {
            Some(text) => (true, text),
            None => (false, *text),
        };
        let (declared, cells) = text.split_once('=').unwrap_or((text, ""));
        let declared = declared.trim();
        let name: String = declared.chars().take_while(|c| c.is_alphanumeric()).collect();
        let declaration = match declared.split_once(':') {
            Some((_, formats)) => formats.trim().to_owned(),
            None => declared[name.len()..].trim().to_owned(),
        };
        let rows: Vec<Vec<&str>> = cells.split('/').map(|row| row.split_whitespace().collect()).collect();
        let numbers = rows.iter().flatten().map(|cell| (*cell != ".").then(|| cell.parse().expect("a number")));
        let rank = if cells.contains('/') { 2 } else { 1 };
        let shape = [rows.len(), rows[0].len()][2 - rank..].to_vec();
        let scalar = result && !declared.contains(':') && !given.contains_key(&name);
        let shape = if scalar { Vec::new() } else { shape };
        let written = Written { declaration: declaration.clone(), shape, cells: numbers.collect() };
        match (result, declared.contains(':')) {
            (false, _) => params.push(format!("{name}: {declaration}")),
            (true, true) => results.push(format!("{name}: {declaration}")),
            (true, false) if scalar => results.push(format!("{name}: f64")),
            // A parameter that the kernel gives back.
            (true, false) => {}
        }
        if result {
            expected.insert(name, written)
        } else {
            given.insert(name, written)
        };
    }
    let results = if results.is_empty() { String::new() } else { format!(" -> {}", results.join(", ")) };
    let kernel = format!("kernel line_{line}({}){results} {{ {statement} }}\n", params.join(", "));
    Example { line, kernel, given, expected, refused }
}
