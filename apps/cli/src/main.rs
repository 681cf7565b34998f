//! The `pleach` command.
#![forbid(unsafe_code)]

use pleach::runtime::OrExit;

/// Many threads build and drop small nodes: jemalloc does this well, and knows how much memory is in use. Where there is none left, the
/// command says so and ends.
#[global_allocator]
static ALLOCATOR: OrExit<jemallocator::Jemalloc> = OrExit(jemallocator::Jemalloc);

fn main() -> std::process::ExitCode {
    pleach_apps::main()
}
