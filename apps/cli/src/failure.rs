//! How a command ends when it does not end well.

use std::process::ExitCode;

use pleach::runtime::OUT_OF_MEMORY;

use super::output::tell;

/// Why a command ends early.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The input or the environment is at fault: exit status 1.
    Input(String),
    /// The command was used wrongly: exit status 2.
    Usage(String),
    /// A vertex that the user names is not there; in a stream it may come later.
    NoVertex(String),
    /// There is no memory left, or less than the command would need: exit status 3.
    Exhausted(String),
    /// The command was interrupted, and has ended what it was doing.
    Interrupted,
    /// The reader of our output has closed it: no error.
    ClosedPipe,
}

impl Failure {
    /// The input or the environment is at fault, as `error` says.
    pub fn input(error: impl std::fmt::Display) -> Self {
        Failure::Input(error.to_string())
    }

    /// The command was used wrongly, as `error` says.
    pub fn usage(error: impl std::fmt::Display) -> Self {
        Failure::Usage(error.to_string())
    }

    /// So many threads could not be started: there is no room for what each of them takes.
    pub fn threads(threads: usize, error: impl std::fmt::Display) -> Self {
        Failure::Exhausted(format!("out of memory: cannot start {threads} threads: {error}"))
    }

    /// Prints the message and gives the exit status.
    pub fn report(self) -> ExitCode {
        match self {
            Failure::Input(message) | Failure::NoVertex(message) => {
                print(&message);
                ExitCode::from(1)
            }
            Failure::Usage(message) => {
                print(&message);
                ExitCode::from(2)
            }
            Failure::Exhausted(message) => {
                print(&message);
                ExitCode::from(OUT_OF_MEMORY)
            }
            Failure::Interrupted => ExitCode::from(super::output::INTERRUPTED),
            Failure::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}

/// Prints a message; what the compiler says of a source text begins with `error:` already.
fn print(message: &str) {
    let prefix = if message.starts_with("error: ") { "" } else { "error: " };
    tell(format_args!("{prefix}{}\n", message.trim_end()));
}
