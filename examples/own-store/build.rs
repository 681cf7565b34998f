//! Compiles the schema of our own store, and kernels over it.

fn main() {
    pleach_codegen::Build::new().file("src/kernels.pleach").engine("::pleach").run();
}
