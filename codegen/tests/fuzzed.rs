//! What fuzzing has found, and what it started from, replayed; and each of those texts cut short and with a byte exchanged.

#[path = "../../fuzz/bodies.rs"]
mod bodies;

#[test]
fn nothing_in_the_corpus_panics() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/kernel");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read(&file).unwrap();
        bodies::kernel(&text);
        for at in (0..text.len()).step_by(7) {
            bodies::kernel(&text[..at]);
            let mut other = text.clone();
            other[at] = b"(),=<+*:{}ij09"[at % 14];
            bodies::kernel(&other);
        }
    }
}
