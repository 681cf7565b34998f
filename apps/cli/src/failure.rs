//! How a command ends when it does not end well.

use std::process::ExitCode;

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// The input or the environment is at fault: exit status 1.
    Input(String),
    /// The command was used wrongly: exit status 2.
    Usage(String),
    /// A vertex that the user names is not there; in a stream it may come later.
    NoVertex(String),
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
            Failure::Interrupted => ExitCode::from(super::output::INTERRUPTED),
            Failure::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}

/// Prints a message; what the compiler says of a source text begins with `error:` already.
fn print(message: &str) {
    let prefix = if message.starts_with("error: ") { "" } else { "error: " };
    eprintln!("{prefix}{}", message.trim_end());
}
