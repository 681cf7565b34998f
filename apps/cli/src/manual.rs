//! `pleach man`: a manual page for each command.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use super::Failure;

/// Where manual pages go.
#[derive(Args)]
pub struct Manual {
    /// The folder, which is made if it is not there
    folder: PathBuf,
}

impl Manual {
    /// Writes the pages of a command and of all below it.
    pub fn run(self, mut command: Command) -> Result<(), Failure> {
        // Each command learns by which words it is called.
        command.build();
        let source = format!("{} {}", command.get_name(), command.get_version().unwrap_or_default());
        let written = std::fs::create_dir_all(&self.folder).and_then(|()| write(&command, &source, &self.folder));
        written
            .map_err(|error| Failure::input(format!("cannot write manual pages to {}: {error}", self.folder.display())))
    }
}

fn write(command: &Command, source: &str, folder: &Path) -> std::io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write(below, source, folder)?;
    }
    Man::new(command.clone()).source(source).manual("Pleach").generate_to(folder).map(drop)
}
