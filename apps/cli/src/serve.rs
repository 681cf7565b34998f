//! `pleach serve`: a graph in a directory, over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc;

use clap::{Args, ValueEnum};
use pleach_server::{Options, Server};
use tracing_subscriber::filter::LevelFilter;

use super::Failure;
use super::output::{Verbosity, print, verbosity};

/// Options of the server.
#[derive(Args)]
pub struct ServeArgs {
    /// The directory, as `pleach stream --into` makes it
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Address and port to listen on; one that other machines can reach needs `--token`
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7474")]
    listen: SocketAddr,
    /// File with the token that requests must carry, as `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// How the log on standard error is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// What is logged: off, error, warn, info, or debug, which tells of each request and batch [default: info; with --quiet warn, with
    /// --verbose debug]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<LevelFilter>,
}

/// How the log is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Lines to be read
    Text,
    /// A JSON object a line
    Json,
}

impl ServeArgs {
    /// Serves until the process is told to end.
    pub fn run(self) -> Result<(), Failure> {
        let level = self.log_level.unwrap_or(match verbosity() {
            Verbosity::Quiet => LevelFilter::WARN,
            Verbosity::Normal => LevelFilter::INFO,
            Verbosity::Verbose => LevelFilter::DEBUG,
        });
        let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_max_level(level);
        match self.log_format {
            LogFormat::Text => log.init(),
            LogFormat::Json => log.json().init(),
        }
        let token = self.token.map(|path| {
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())));
            text.map(|text| text.trim().to_owned())
        });
        // An interrupt that comes while the graph is opened ends the server as soon as it is there.
        let (end, ended) = mpsc::channel();
        let tell = move || {
            // Nobody listens any more when the server has ended.
            let _ = end.send(());
        };
        ctrlc::set_handler(tell).map_err(Failure::input)?;
        let options = Options::default().with_listen(self.listen).with_token(token.transpose()?);
        let server = Server::start(&self.directory, options).map_err(Failure::input)?;
        print(format!("serving {} at http://{}/\n", self.directory.display(), server.address()).as_bytes())?;
        // It fails when the handler is gone, and then nobody could end the server any more.
        let _ = ended.recv();
        server.stop().map_err(Failure::input)
    }
}
