//! Compiles the kernels that are measured against loops written by hand.

fn main() {
    pleach_codegen::Build::new().file("src/bin/kernels/kernels.pleach").runtime("::pleach::runtime").run();
}
