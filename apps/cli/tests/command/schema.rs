//! What commands print with `--json` is what the schema says, which the guide has.

use std::collections::BTreeSet;
use std::fs;

use crate::common::served::Served;
use crate::common::{failure, json, stdout};
use serde_json::Value;

/// The schema, as the command prints it.
fn schema() -> Value {
    serde_json::from_str(&stdout(&["help", "json"])).expect("the schema is JSON")
}

/// Whether a value has a type of JSON schema.
fn is(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema names the type {other}"),
    }
}

/// What is wrong with a value, by the keywords that our schema uses; any other keyword in it is an error.
fn wrong(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let keywords = schema.as_object().expect("a schema is an object");
    let says = |what: &str| Some(format!("{at}: {what}: {value}"));
    for (keyword, rule) in keywords {
        let list = || rule.as_array().expect("a list");
        let found = match keyword.as_str() {
            "description" | "title" | "$schema" | "$id" | "$defs" | "else" | "then" => None,
            "$ref" => {
                let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a path within the schema");
                wrong(root, root.pointer(path).expect("what is referred to is there"), value, at)
            }
            "type" => {
                let names: Vec<&str> = match rule {
                    Value::String(name) => vec![name],
                    names => names.as_array().expect("names").iter().filter_map(Value::as_str).collect(),
                };
                (!names.iter().any(|name| is(value, name))).then(|| says(&format!("no {names:?}"))).flatten()
            }
            "const" => (rule != value).then(|| says(&format!("not {rule}"))).flatten(),
            "enum" => (!list().contains(value)).then(|| says(&format!("none of {rule}"))).flatten(),
            "minimum" => (value.as_f64() < rule.as_f64()).then(|| says("too small")).flatten(),
            "pattern" => {
                assert_eq!(rule, "^[a-z_]+,[a-z_]+$");
                let words: Vec<&str> = value.as_str().unwrap_or_default().split(',').collect();
                let word = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                (words.len() != 2 || !words.iter().all(word)).then(|| says("no pair")).flatten()
            }
            "properties" => rule.as_object().expect("properties").iter().find_map(|(name, rule)| {
                value.get(name).and_then(|value| wrong(root, rule, value, &format!("{at}.{name}")))
            }),
            "required" => list().iter().find_map(|name| match value.get(name.as_str().expect("a name")) {
                None => says(&format!("lacks {name}")),
                Some(_) => None,
            }),
            "additionalProperties" => {
                assert_eq!(rule, false);
                let known = schema["properties"].as_object().expect("properties");
                value
                    .as_object()
                    .and_then(|value| value.keys().find(|key| !known.contains_key(*key)))
                    .and_then(|key| says(&format!("`{key}` is not in the schema")))
            }
            "items" if *rule == false => {
                let most = schema["prefixItems"].as_array().map_or(0, Vec::len);
                (value.as_array().is_some_and(|value| value.len() > most)).then(|| says("too long")).flatten()
            }
            "items" => value
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
                .find_map(|(k, value)| wrong(root, rule, value, &format!("{at}[{k}]"))),
            "prefixItems" => list()
                .iter()
                .zip(value.as_array().into_iter().flatten())
                .find_map(|(rule, value)| wrong(root, rule, value, at)),
            "minItems" => {
                (value.as_array().map(|value| value.len() as u64) < rule.as_u64()).then(|| says("too short")).flatten()
            }
            "maxItems" => {
                (value.as_array().map(|value| value.len() as u64) > rule.as_u64()).then(|| says("too long")).flatten()
            }
            "anyOf" => {
                let all: Vec<_> = list().iter().map(|rule| wrong(root, rule, value, at)).collect();
                all.iter().all(Option::is_some).then(|| says(&format!("none of {all:?}"))).flatten()
            }
            "not" => wrong(root, rule, value, at).is_none().then(|| says(&format!("as {rule}"))).flatten(),
            "allOf" => list().iter().find_map(|rule| wrong(root, rule, value, at)),
            "if" => wrong(root, rule, value, at).is_none().then(|| wrong(root, &schema["then"], value, at)).flatten(),
            other => panic!("{at}: this test does not know the keyword {other}"),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Holds each line that a command prints against a definition of the schema.
fn holds(definition: &str, arguments: &[&str]) -> Vec<Value> {
    let root = schema();
    let text = stdout(arguments);
    let values: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line is a value")).collect();
    assert!(!values.is_empty(), "{arguments:?}");
    for value in &values {
        let of_stream = match value["type"].as_str() {
            Some(name) if arguments[0] == "cluster" => format!("cluster_{name}"),
            Some("result") => "outcome".to_owned(),
            Some(name) => name.to_owned(),
            None => definition.to_owned(),
        };
        let problem = wrong(&root, &root["$defs"][&of_stream], value, &of_stream);
        assert_eq!(problem, None, "{arguments:?}");
        // Whoever reads a line of any command finds it in the whole schema, too.
        assert_eq!(wrong(&root, &root, value, "line"), None, "{arguments:?}");
    }
    values
}

#[test]
fn the_schema_refuses_what_is_no_output() {
    let root = schema();
    let mut run = json(&["run", "cc", "karate", "--json"]);
    let refuses = |value: &Value| wrong(&root, &root["$defs"]["run"], value, "run");
    assert_eq!(refuses(&run), None);
    run["surplus"] = 1.into();
    assert!(refuses(&run).expect("a key too many").contains("surplus"));
    run.as_object_mut().unwrap().remove("surplus");
    run["graph"]["vertices"] = "34".into();
    assert!(refuses(&run).expect("text for a number").contains("graph.vertices"));
    run["graph"]["vertices"] = 34.into();
    run["result"].as_object_mut().unwrap().remove("components");
    assert!(refuses(&run).expect("a result that lacks what it must have").contains("components"));
}

#[test]
fn every_algorithm_prints_what_the_schema_says() {
    let apps = [
        "ancestors --source 1",
        "articulation",
        "bc",
        "bfs --source 1",
        "bridges",
        "cc --top 2",
        "cdlp",
        "closeness",
        "coloring",
        "degree",
        "descendants --source 1",
        "diameter",
        "eigenvector",
        "harmonic",
        "hits --top 2",
        "katz --alpha 0.05",
        "kcore",
        "khop --sources 1 --hops 2",
        "ktruss --verify",
        "lcc",
        "leiden",
        "louvain --top 2",
        "mis",
        "msf",
        "nibble --source 1",
        "pagerank",
        "scc",
        "similarity --pairs 1:2,1:34",
        "sssp --source 1 --to 34",
        "tc",
        "walks --sources 1 --walks 2",
    ];
    for app in apps {
        let words: Vec<&str> = app.split(' ').collect();
        let printed = &holds("run", &[&["run", words[0], "karate", "--json"], &words[1..]].concat())[0];
        let bytes = |key: &str| printed["memory"][key].as_f64().unwrap();
        assert!((bytes("bytes_per_edge") * 78.0 - bytes("bytes")).abs() < 1e-6, "{app}: bytes by edges");
        assert!((bytes("bytes_per_arc") * 156.0 - bytes("bytes")).abs() < 1e-6, "{app}: bytes by arcs");
    }
}

#[test]
fn streams_directories_and_data_print_what_the_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("s.txt"), "+ 1 2\n+ 2 3\n+ 3 1\n+ 3 4\n- 1 2\n").unwrap();
    let (updates, kept) = (path("s.txt"), path("graph.d"));
    let stream = [
        "stream",
        "empty",
        "--updates",
        &updates,
        "--batch",
        "2",
        "--json",
        "--app",
        "cc",
        "--every",
        "1",
        "--into",
        &kept,
        "--changes",
    ];
    let lines = holds("end", &stream);
    let types: BTreeSet<&str> = lines.iter().map(|line| line["type"].as_str().expect("a type")).collect();
    assert_eq!(types.into_iter().collect::<Vec<_>>(), ["batch", "changes", "end", "result"]);
    holds("open", &["open", &kept, "--json"]);
    holds("run", &["run", "cc", &kept, "--json"]);
    holds("info", &["data", "info", "karate", "--json"]);
    fs::write(path("dag.txt"), "1 2\n2 3\n1 3\n").unwrap();
    holds("run", &["run", "topological", &path("dag.txt"), "--json"]);
    stdout(&["data", "write", &path("dag.txt"), "-o", &path("dag.mtx")]);
    holds("info", &["data", "info", &path("dag.mtx"), "--json"]);
    holds("info", &["data", "info", &path("dag.mtx"), "--measure", "--json"]);
    holds("convert", &["convert", &path("dag.mtx"), &path("dag.npz"), "--to", "csc", "--stats", "--json"]);
    holds("cluster", &["cluster", "run", "cc", "karate", "--processes", "2", "--json"]);
    fs::write(path("more.txt"), "+ 1 99\n- 1 2\n+ 99 34\n").unwrap();
    let line =
        ["cluster", "stream", "karate", "--updates", &path("more.txt"), "--batch", "2", "--json", "--processes", "2"];
    let lines = holds("cluster_end", &[&line[..], &["--app", "bfs", "--source", "99", "--every", "1"]].concat());
    let kinds: BTreeSet<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["end", "epoch", "result"]);
    fs::write(path("t.tns"), "1 1 1 2.5\n2 1 3 -1\n").unwrap();
    holds("tensor", &["data", "info", &path("t.tns"), "--json"]);
    fs::write(path("w.tns"), "1 4000000000 2.5\n").unwrap();
    holds("tensor", &["data", "info", &path("w.tns"), "--json"]);
    holds("list", &["data", "list", "--json"]);
    holds("schemas", &["schema", "list", "--json"]);
    holds("pairs", &["schema", "list", "--pairs", "--json"]);
    let bench =
        ["bench", "pagerank", "--graph", "karate", "--store", "aspen", "--rounds", "2", "--seconds", "0.01", "--json"];
    holds("bench", &bench);
    holds(
        "bench",
        &["bench", "apps", "--graph", "karate", "--app", "cc", "--rounds", "1", "--seconds", "0.01", "--json"],
    );
    let properties = "directed = true\nalgorithms = bfs, wcc\nbfs.source-vertex = 7";
    let properties: String = properties.lines().map(|line| format!("graph.g.{line}\n")).collect();
    for (file, text) in
        [("g.properties", &properties[..]), ("g.v", "7\n8\n"), ("g.e", "7 8\n"), ("g-BFS", "7 0\n8 1\n")]
    {
        fs::write(path(file), text).unwrap();
    }
    let found = holds("graphalytics", &["bench", "graphalytics", &path("g.properties"), "--json"]);
    let validations = found[0]["algorithms"].as_array().unwrap().iter().map(|one| one["validation"].as_str().unwrap());
    assert_eq!(validations.collect::<Vec<_>>(), ["valid", "missing"]);
}

#[test]
fn a_server_answers_what_the_schema_says() {
    let root = schema();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.csv");
    fs::write(&file, "src,dst,weight\nann,bob,2\nbob,eve,0.5\n").unwrap();
    let mut printed = BTreeSet::new();
    for graph in ["karate", file.to_str().unwrap()] {
        let served = Served::start(&[graph, "--listen", "127.0.0.1:0"]);
        let mut answers = |definition: &str, status: u16, method: &str, path: &str, body: &str| -> Value {
            let kind = if path == "/updates" { "text/csv" } else { "application/json" };
            let (found, value) = served.json(method, path, kind, body);
            assert_eq!(found, status, "{path}: {value}");
            assert_eq!(wrong(&root, &root["$defs"][definition], &value, definition), None, "{path}");
            assert_eq!(wrong(&root, &root, &value, definition), None, "{path}, as one of all");
            printed.insert(definition.to_owned());
            value
        };
        let about = answers("served_graph", 200, "GET", "/graph", "");
        let names = about["ids"] == "names";
        let (vertex, new) = if names { ("bob", "eve,dan,1") } else { ("34", "34,99,") };
        answers("served_vertex", 200, "GET", &format!("/vertices/{vertex}"), "");
        answers("served_neighbours", 200, "GET", &format!("/vertices/{vertex}/neighbours?limit=3"), "");
        answers("served_versions", 200, "GET", "/versions", "");
        for app in ["cc", "degree", "kcore", "pagerank", "tc"] {
            answers("served_run", 200, "GET", &format!("/run/{app}"), "");
        }
        let searches: &[&str] = if names { &["bfs", "sssp"] } else { &["bfs"] };
        for app in searches {
            answers("served_run", 200, "GET", &format!("/run/{app}?source={vertex}&values=true"), "");
        }
        answers("served_standing", 200, "PUT", "/standing/parts", "{\"app\": \"cc\"}");
        answers("served_updates", 200, "POST", "/updates", &format!("from,to,weight\n{new}\n"));
        answers("served_standing", 200, "GET", "/standing/parts", "");
        answers("served_list", 200, "GET", "/standing", "");
        answers("served_deleted", 200, "DELETE", "/standing/parts", "");
        answers("served_error", 400, "POST", "/updates", "from,to,weight\nx\n");
        answers("served_error", 404, "GET", if names { "/vertices/nobody" } else { "/vertices/987654" }, "");
        let since = about["version"].as_u64().unwrap();
        let event = served.first_event(&format!("/changes?since={since}"));
        assert_eq!(wrong(&root, &root["$defs"]["served_changes"], &event, "served_changes"), None);
        assert_eq!(event["added"][0].as_array().unwrap().len(), if names { 3 } else { 2 });
        printed.insert("served_changes".to_owned());
        served.end();
    }
    let all = root["$defs"].as_object().unwrap().keys().filter(|name| name.starts_with("served_"));
    assert_eq!(all.cloned().collect::<BTreeSet<_>>(), printed, "each definition was held against an answer");
}

#[test]
fn eval_prints_results_as_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.mtx");
    fs::write(&file, "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 2 4\n2 3 0.5\n").unwrap();
    let matrix = format!("A={}", file.display());
    let of = |expression: &str, more: &[&str]| {
        holds("eval", &[&["eval", expression, &matrix, "--json"], more].concat()).remove(0)
    };
    let printed = of("B(j,i) = A(i,j)", &["-f", "A=csr", "-f", "B=csr"]);
    assert_eq!(printed["results"][0]["name"], "B");
    assert_eq!(printed["results"][0]["dims"], serde_json::json!([3, 2]));
    assert_eq!(printed["results"][0]["entries"], serde_json::json!([[2, 1, 4.0], [3, 2, 0.5]]));
    assert_eq!(of("s = A(i,j)", &["-f", "A=csr"])["results"][0]["value"], 4.5);
    // JSON has no infinity.
    assert_eq!(of("s = A(i,j) * alpha", &["-f", "A=csr", "alpha=inf"])["results"][0]["value"], "inf");
    let out = folder.path().join("b.mtx");
    let printed = of("B(j,i) = A(i,j)", &["-f", "A=csr", "-f", "B=csr", "-o", out.to_str().unwrap()]);
    assert_eq!(printed["out"], out.to_str().unwrap());
    assert!(printed["results"][0].get("entries").is_none() && out.exists());
}

#[test]
fn several_algorithms_run_on_a_graph_that_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("g.txt"), "1 2 5\n2 3 7\n3 1 1\n3 4 2\n").unwrap();
    let values = path("values-{app}");
    let line = ["run", "bfs,sssp,cc", &path("g.txt"), "--source", "1", "--json", "--out", &values, "--store", "csr"];
    let printed = holds("run", &line);
    assert_eq!(printed.iter().map(|printed| &printed["app"]).collect::<Vec<_>>(), ["bfs", "sssp", "cc"]);
    for (app, printed) in ["bfs", "sssp", "cc"].iter().zip(&printed) {
        let source: &[&str] = if *app == "cc" { &[] } else { &["--source", "1"] };
        let alone = path(&format!("alone-{app}"));
        let own = json(&[&["run", app, &path("g.txt"), "--json", "--out", &alone, "--store", "csr"], source].concat());
        for key in ["graph", "result", "store", "memory"] {
            assert_eq!(printed[key], own[key], "{app}: {key}");
        }
        assert_eq!(fs::read(path(&format!("values-{app}"))).unwrap(), fs::read(alone).unwrap(), "{app}");
        assert_eq!(printed["seconds"]["load"], load_time(&printed["seconds"]), "{app}");
    }
    // Read once: the pipe gives the graph a single time, and all report the same time of loading.
    assert!(printed.windows(2).all(|pair| pair[0]["seconds"]["load"] == pair[1]["seconds"]["load"]));
    let graph = path("g.txt");
    let refused = |arguments: &[&str], status, expected: &str| {
        let message = failure(arguments, status);
        assert!(message.contains(expected), "{message}");
    };
    refused(&["run", "bfs,cc", &graph, "--source", "1", "--out", "both"], 2, "{app}");
    refused(&["run", "bfs,no", &graph], 2, "there is no algorithm `no`");
    refused(&["run", "cc,cc", &graph], 2, "twice");
    refused(&["run", "cc,scc", &graph, "--source", "1"], 2, "--source");
    // Nothing starts if one of them cannot use its options.
    refused(&["run", "cc,tc", &graph, "--out", "{app}"], 2, "tc has no value for each vertex");
}

/// The time of loading is a number.
fn load_time(seconds: &Value) -> Value {
    assert!(seconds["load"].as_f64().is_some_and(|load| load >= 0.0));
    seconds["load"].clone()
}

#[test]
fn topics_of_help_name_what_there_is() {
    let formats = stdout(&["help", "formats"]);
    for format in pleach_datasets::Format::FILES {
        assert!(formats.lines().any(|line| line.starts_with(&format!("{format} "))), "{format} is not in the topic");
    }
    let (_, kept) = formats.split_once("\nAttributes of vertices and of edges are kept by ").unwrap();
    let kept = kept.split_once(". ").unwrap().0.replace('\n', " ");
    assert_eq!(kept, "graphml, gexf, pajek, json and .dot; those of edges also by .csv, arrow and parquet");
    let stores = stdout(&["help", "stores"]);
    assert!(pleach_erased::ROW_STORES.iter().chain(pleach_erased::OUTER_LEVELS).all(|name| stores.contains(name)));
    assert!(stores.contains("aspen"));
    let expressions = stdout(&["help", "expressions"]);
    for expected in ["y(i) = A(i,j) * x(j)", "min_plus", "without", "csr", "f64"] {
        assert!(expressions.contains(expected), "{expected}: {expressions}");
    }
    assert_eq!(stdout(&["help", "run", "bfs"]), stdout(&["run", "bfs", "--help"]));
    for (app, rule) in [("sssp", "min"), ("msf", "min"), ("pagerank", "last"), ("walks", "last")] {
        let expected = format!("Weight of an edge that occurs more than once [default: {rule}]");
        assert!(stdout(&["help", "run", app]).contains(&expected), "{app}");
    }
    assert!(failure(&["help", "no"], 2).contains("topics are formats"));
}
