//! Compiles the kernels that are measured against loops written by hand, and against the apps.

fn main() {
    pleach_codegen::Build::new()
        .file("src/bin/kernels/kernels.pleach")
        .file("src/bin/algebra/algebra.pleach")
        .runtime("::pleach::runtime")
        .run();
}
