//! A program of others as a process: started, read line by line, and ended when its time is over or it has said enough.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::known::last;

/// Bytes and lines that a program may print; more is no list of figures.
const MOST: usize = 64 << 20;
const MOST_LINES: usize = 1 << 20;
/// Bytes of a line that are kept.
const LINE: u64 = 1 << 16;
/// How long a wait for the next line is at most, before the process is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long a program may be open for writing before it is taken for one that cannot be started.
const BUSY: Duration = Duration::from_secs(2);

/// A program and what it is started with.
pub(super) struct Call {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// The folder that it runs in: some write files where they are started.
    pub folder: PathBuf,
    pub threads: usize,
    pub limit: Duration,
}

/// The variables by which programs take their number of threads: OpenMP, Cilk, parlaylib, and Aspen's own scheduler.
const THREADS: [&str; 4] = ["OMP_NUM_THREADS", "CILK_NWORKERS", "PARLAY_NUM_THREADS", "NUM_THREADS"];

/// Processes that run now.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Ends the processes that were started and still run: for a signal handler's thread, which ends this process.
pub(super) fn end_all() {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|&process| end_group(process));
}

/// Ends a process and those that it has started.
#[cfg(unix)]
fn end_group(process: u32) {
    use nix::sys::signal::{Signal, killpg};
    // It may have ended by itself.
    let _ended = killpg(nix::unistd::Pid::from_raw(process as i32), Signal::SIGKILL);
}

#[cfg(not(unix))]
fn end_group(_: u32) {}

/// A process that is ended when this is dropped.
struct Running(Child);

impl Running {
    fn start(call: &Call) -> Result<Self, String> {
        let mut command = Command::new(&call.program);
        command.args(&call.arguments).current_dir(&call.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        THREADS.iter().for_each(|name| _ = command.env(name, call.threads.to_string()));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let begin = Instant::now();
        let child = loop {
            match command.spawn() {
                // Who has written it may not have closed it yet.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && begin.elapsed() < BUSY => {
                    thread::sleep(LOOK);
                }
                started => break started,
            }
        };
        let child = child.map_err(|error| format!("{} does not start: {error}", last(&call.program)))?;
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(child.id());
        Ok(Running(child))
    }

    fn status(&mut self) -> Result<Option<ExitStatus>, String> {
        self.0.try_wait().map_err(|error| format!("it cannot be waited for: {error}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let process = self.0.id();
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            end_group(process);
            // A process that has ended already cannot be ended, and needs not.
            let _ended = self.0.kill();
            let _status = self.0.wait();
        }
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|&other| other != process);
    }
}

/// A line, and whether it is one of the results.
type Line = (bool, String);

/// Runs a program until it ends or has printed a line that is `enough`; gives the lines of its standard output.
///
/// Errors are sentences about the program: it does not start, fails, takes too long, or prints too much.
pub(super) fn lines(call: &Call, enough: impl Fn(&str) -> bool) -> Result<Vec<String>, String> {
    let mut running = Running::start(call)?;
    let (sender, receiver) = sync_channel(1024);
    let pipes: [(bool, Option<Box<dyn Read + Send>>); 2] = [
        (true, running.0.stdout.take().map(|pipe| Box::new(pipe) as _)),
        (false, running.0.stderr.take().map(|pipe| Box::new(pipe) as _)),
    ];
    for (results, pipe) in pipes {
        if let Some(pipe) = pipe {
            let sender = sender.clone();
            thread::spawn(move || send(pipe, results, &sender));
        }
    }
    drop(sender);
    let (mut printed, mut bytes, mut count, mut complaint) = (Vec::new(), 0, 0, String::new());
    let deadline = Instant::now() + call.limit;
    while let Some((results, line)) = next(&mut running, &receiver, deadline, call.limit)? {
        (bytes, count) = (bytes + line.len(), count + 1);
        if bytes > MOST || count > MOST_LINES {
            return Err(format!("it printed more than {} MB or {MOST_LINES} lines", MOST >> 20));
        }
        match results {
            true if enough(&line) => return Ok(printed),
            true => printed.push(line),
            false if line.trim().is_empty() => {}
            false => complaint = line,
        }
    }
    let status = loop {
        match running.status()? {
            Some(status) => break status,
            None if Instant::now() >= deadline => return Err(too_long(call.limit)),
            None => thread::sleep(LOOK),
        }
    };
    if status.success() {
        return Ok(printed);
    }
    let said: String = complaint.trim().chars().take(200).collect();
    Err(format!("it failed ({status}){}{said}", if said.is_empty() { "" } else { ": " }))
}

fn too_long(limit: Duration) -> String {
    format!("it took more than {} s and was ended: --peer-limit allows more", limit.as_secs_f64())
}

/// The next line; none when the process has ended, or both of its outputs have.
fn next(
    running: &mut Running,
    lines: &Receiver<Line>,
    deadline: Instant,
    limit: Duration,
) -> Result<Option<Line>, String> {
    let mut ended = false;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match lines.recv_timeout(left.min(LOOK)) {
            _ if left.is_zero() => return Err(too_long(limit)),
            Ok(line) => return Ok(Some(line)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            // What it has started may keep its output open.
            Err(RecvTimeoutError::Timeout) if ended => return Ok(None),
            Err(RecvTimeoutError::Timeout) => ended = running.status()?.is_some(),
        }
    }
}

/// Sends the lines of an output until it ends or the receiver has gone.
fn send(pipe: Box<dyn Read + Send>, results: bool, sender: &SyncSender<Line>) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match pipe.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if sender.send((results, text)).is_err() {
            return;
        }
    }
}
