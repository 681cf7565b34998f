//! Compiles the kernels that are measured against the apps.

fn main() {
    pleach_codegen::Build::new().file("src/bin/algebra/algebra.pleach").runtime("::pleach::runtime").run();
}
