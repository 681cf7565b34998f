//! `pleach cluster start`: the commands for those that start the processes on other machines themselves.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::super::output::print;
use super::super::{Cli, Command, Failure};
use super::{Cluster, read_hosts};

/// Options of printing commands.
#[derive(Args)]
pub struct StartArgs {
    /// File with the address `host:port` of each process, one a line
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,
    /// The command that all processes run: `run` or `stream`, with its arguments
    #[arg(required = true, last = true)]
    command: Vec<String>,
}

impl StartArgs {
    /// Prints them.
    pub fn run(self) -> Result<(), Failure> {
        let addresses = read_hosts(&self.hosts)?;
        self.check()?;
        let quoted: Vec<String> = self.command.iter().map(|word| quote(word)).collect();
        let hosts = quote(&self.hosts.to_string_lossy());
        let line = |(process, address): (usize, &String)| {
            let command = quoted.join(" ");
            format!("# {address}\npleach cluster {command} --hosts {hosts} --process {process}\n")
        };
        let text: String = addresses.iter().enumerate().map(line).collect();
        print(text.as_bytes())
    }

    /// Refuses a command that the processes would refuse.
    fn check(&self) -> Result<(), Failure> {
        let other = || Failure::usage("the command behind `--`: expected `run` or `stream`, with its arguments");
        if !["run", "stream"].contains(&self.command[0].as_str()) {
            return Err(other());
        }
        let mut words = vec!["pleach".to_owned(), "cluster".to_owned()];
        words.extend(self.command.iter().cloned());
        words.extend(["--hosts".to_owned(), self.hosts.to_string_lossy().into_owned(), "--process=0".to_owned()]);
        let parsed = Cli::try_parse_from(words).map_err(|error| {
            let said = error.to_string();
            let first = said.lines().next().unwrap_or_default();
            Failure::usage(format!("the command behind `--`: {}", first.trim_start_matches("error: ")))
        })?;
        match parsed.command {
            Command::Cluster(Cluster::Run(args)) => args.check().map(drop),
            Command::Cluster(Cluster::Stream(args)) => args.check().map(drop),
            _ => Err(other()),
        }
    }
}

/// A word as a shell reads it.
fn quote(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
