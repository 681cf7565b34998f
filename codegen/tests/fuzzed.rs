//! What fuzzing has found, and what it started from, replayed; and each of those texts cut short and with a byte exchanged.

#[path = "../../fuzz/bodies.rs"]
mod bodies;

#[test]
fn nothing_in_the_corpus_of_kernels_panics() {
    replay("kernel", bodies::kernel);
}

#[test]
fn nothing_in_the_corpus_of_schemas_panics() {
    replay("schema", bodies::schema);
}

fn replay(target: &str, body: fn(&[u8])) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read(&file).unwrap();
        body(&text);
        for at in (0..text.len()).step_by(7) {
            body(&text[..at]);
            let mut other = text.clone();
            other[at] = b"(),=<+*:{}ij09"[at % 14];
            body(&other);
        }
    }
}
