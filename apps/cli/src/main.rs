//! The `pleach` command.
#![forbid(unsafe_code)]

use pleach::runtime::OrExit;

/// Where there is no memory left, the command says so and ends.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: OrExit<jemallocator::Jemalloc> = OrExit(jemallocator::Jemalloc);

/// Where there is no memory left, the command says so and ends.
#[cfg(not(feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: OrExit<std::alloc::System> = OrExit(std::alloc::System);

fn main() -> std::process::ExitCode {
    pleach_apps::main()
}
