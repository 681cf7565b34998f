//! Compiles the schema of our own store.

fn main() {
    pleach_codegen::Build::new().file("src/ladder.schema").runtime("::pleach::runtime").run();
}
