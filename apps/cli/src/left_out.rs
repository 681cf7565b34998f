//! Subcommands whose feature is not part of this build.

use std::ffi::OsString;

use clap::Args;

use super::Failure;

/// Any arguments of a subcommand that is not part of this build.
#[derive(Args)]
pub struct LeftOut {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl LeftOut {
    /// Refuses the subcommand, whatever its arguments.
    pub fn run(self, name: &str, feature: &str) -> Result<(), Failure> {
        drop(self.arguments);
        Err(without(name, feature))
    }
}

/// This build has no such subcommand or option, since it was built without a feature.
pub fn without(name: &str, feature: &str) -> Failure {
    Failure::usage(format!(
        "this build of pleach has no `{name}`: build it with all features (`cargo build --release -p pleach-apps`), or with \
         `--features {feature}`"
    ))
}
