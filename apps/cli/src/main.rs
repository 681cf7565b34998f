//! The `pleach` command.
#![forbid(unsafe_code)]

/// Many threads build and drop small nodes: jemalloc does this well, and knows how much memory is in use.
#[global_allocator]
static ALLOCATOR: jemallocator::Jemalloc = jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    pleach_apps::main()
}
