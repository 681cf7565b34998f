//! `pleach bench graphalytics`: the whole data set in one command.

use std::fs;

use serde_json::Value;

use crate::common::{data, failure, pleach, stdout};

#[test]
fn data_sets_of_the_benchmark() {
    let Some(data) = data("data_sets_of_the_benchmark") else { return };
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(data.join("golden/ldbc/example")).unwrap() {
        let file = file.unwrap();
        fs::write(folder.path().join(file.file_name()), fs::read(file.path()).unwrap()).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let text = stdout(&["bench", "graphalytics", path, "--rounds", "1"]);
    assert_eq!(text.matches("   valid\n").count(), 12, "{text}");
    assert!(text.contains("\nexample-directed in paged,packed, ") && text.contains("10 vertices, 17 directed edges\n"));

    // One object for each data set, as the schema says.
    let text = stdout(&["bench", "graphalytics", path, "--json", "--threads", "1", "--store", "csr"]);
    let objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let schema: Value = serde_json::from_str(&stdout(&["help", "json"])).unwrap();
    let described = &schema["$defs"]["graphalytics"];
    for (object, name) in objects.iter().zip(["example-directed", "example-undirected"]) {
        let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
        let mut required: Vec<&str> =
            described["required"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        required.sort_unstable();
        assert_eq!(keys, required);
        assert_eq!((&object["graph"], &object["threads"], &object["store"]), (&name.into(), &1.into(), &"csr".into()));
        let algorithms = object["algorithms"].as_array().unwrap();
        assert_eq!(algorithms.len(), 6);
        let known = described["properties"]["algorithms"]["items"]["properties"].as_object().unwrap();
        for algorithm in algorithms {
            assert_eq!(algorithm["validation"], "valid");
            assert!(algorithm.as_object().unwrap().keys().all(|key| known.contains_key(key)), "{algorithm}");
        }
    }

    // A result that is not the published one ends the command with status 1, after all others were measured.
    let wrong = folder.path().join("example-directed-SSSP");
    let text = fs::read_to_string(&wrong).unwrap();
    fs::write(&wrong, text.replace("8 4.0", "8 4.1")).unwrap();
    let reference = folder.path().join("example-undirected-LCC");
    fs::remove_file(&reference).unwrap();
    let output = pleach(&["bench", "graphalytics", path]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: example-directed: SSSP is not as published: vertex 8: expected 0.41, found 0.4 (1 wrong in all)\n"
    );
    assert_eq!(said.matches("   valid\n").count(), 10, "{said}");
    assert!(said.contains(&format!("not validated: there is no reference file {}\n", reference.display())), "{said}");

    let message = failure(&["bench", "graphalytics", path, "--algorithm", "dfs"], 2);
    assert!(message.contains("[possible values: bfs, pr, wcc, cdlp, lcc, sssp]"), "{message}");
    let message = failure(&["bench", "graphalytics", "/nonexistent"], 1);
    assert!(message.starts_with("error: /nonexistent: "), "{message}");
}
