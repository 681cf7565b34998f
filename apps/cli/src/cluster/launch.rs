//! Workers as processes on this machine: started, watched, and ended together.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::super::Failure;
use super::super::output::{INTERRUPTED, note};

/// The exit status of a worker that ends because another one has.
pub const LOST: u8 = 75;

/// The exit status of a worker whose port another program has taken.
pub const TAKEN: u8 = 76;

/// How often workers are started where other programs take the ports that were free.
const ATTEMPTS: usize = 5;

/// The environment variable that hands workers on this machine the secret of their run.
pub const SECRET: &str = "PLEACH_CLUSTER_SECRET";

/// How long the others may take to end by themselves when one has failed.
const GRACE: Duration = Duration::from_secs(2);

/// A worker that was started.
struct Started {
    child: Child,
    status: Option<ExitStatus>,
    /// What it said of its failure.
    errors: Arc<Mutex<String>>,
    reading: Option<JoinHandle<()>>,
}

/// Starts so many processes with the arguments of this one, with addresses for so many exchanges, and waits for them. When one fails, all
/// are ended.
pub fn run(processes: usize, exchanges: usize) -> Result<(), Failure> {
    let taken = |worker: &Started| worker.status.and_then(|status| status.code()) == Some(TAKEN.into());
    let mut left = ATTEMPTS;
    let (blamed, started) = loop {
        let (blamed, started) = attempt(processes, exchanges)?;
        left -= 1;
        if left == 0 || !started.iter().any(taken) {
            break (blamed, started);
        }
    };
    let Some(worker) = blamed else { return Ok(()) };
    let Started { child, status, errors, .. } = &started[worker];
    let said = errors.lock().expect("no thread panics with the lock").trim().to_owned();
    let how = status.map_or("does not end".to_owned(), describe);
    if status.and_then(|status| status.code()) == Some(2) {
        return Err(Failure::Usage(said));
    }
    Err(Failure::input(match said.is_empty() {
        true => format!("worker {worker} (process {}) {how}; all others were ended", child.id()),
        // All workers know which one could not do its part, and what is wrong for all.
        false if said.starts_with("worker ") || said_by_all(&started, &said) => said,
        false => format!("worker {worker}: {said}"),
    }))
}

/// Starts the processes and waits until all have ended; which of them failed first, if one did.
fn attempt(processes: usize, exchanges: usize) -> Result<(Option<usize>, Vec<Started>), Failure> {
    let program =
        std::env::current_exe().map_err(|error| Failure::input(format!("cannot find this program: {error}")))?;
    // The ports are free now; a worker that finds its own taken meanwhile ends so.
    let (listeners, addresses) = pleach_cluster::tcp::free_ports(processes * exchanges)
        .map_err(|error| Failure::input(format!("no port is free: {error}")))?;
    drop(listeners);
    let secret = pleach_cluster::tcp::random_secret()
        .map_err(|error| Failure::input(format!("cannot draw a secret for the workers: {error}")))?;
    let mut started = Vec::new();
    for process in 0..processes {
        let mut command = Command::new(&program);
        // A worker whose standard input ends has lost the process that started it.
        command.args(std::env::args_os().skip(1)).stdin(Stdio::piped()).stderr(Stdio::piped());
        command.args(["--process", &process.to_string(), "--addresses", &addresses.join(",")]);
        // Other users of the machine can list the arguments of a process, but not its environment.
        command.env(SECRET, &secret);
        command.stdout(if process == 0 { Stdio::inherit() } else { Stdio::null() });
        match command.spawn() {
            Ok(child) => started.push(Started::watch(child)),
            Err(error) => {
                end(&mut started);
                return Err(Failure::input(format!("cannot start worker {process}: {error}")));
            }
        }
    }
    let mut failed: Option<Instant> = None;
    loop {
        let mut running = false;
        for worker in &mut started {
            if worker.status.is_none() {
                worker.status = worker.child.try_wait().ok().flatten();
            }
            running |= worker.status.is_none();
            if worker.status.is_some_and(|status| !status.success()) {
                failed.get_or_insert_with(Instant::now);
            }
        }
        if !running || failed.is_some_and(|since| since.elapsed() > GRACE) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let blamed = blame(&started);
    end(&mut started);
    Ok((blamed, started))
}

impl Started {
    /// Passes on what a worker says; what it says of its failure is kept.
    fn watch(mut child: Child) -> Self {
        let errors = Arc::<Mutex<String>>::default();
        let (stderr, kept) = (child.stderr.take(), errors.clone());
        let reading = stderr.map(|stderr| {
            std::thread::spawn(move || {
                let mut failing = false;
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    let said = line.strip_prefix("error: ");
                    failing |= said.is_some();
                    match failing {
                        true => {
                            let mut kept = kept.lock().expect("no thread panics with the lock");
                            if kept.len() < 1 << 16 {
                                *kept += &format!("{}\n", said.unwrap_or(&line));
                            }
                        }
                        false => note(line),
                    }
                }
            })
        });
        Started { child, status: None, errors, reading }
    }
}

/// The worker whose failure was not that of another one, if any has failed.
fn blame(started: &[Started]) -> Option<usize> {
    let failed = |worker: &Started| worker.status.is_some_and(|status| !status.success());
    let own = |worker: &Started| failed(worker) && worker.status.and_then(|s| s.code()) != Some(LOST.into());
    // One that was killed says nothing itself.
    let killed = |worker: &Started| failed(worker) && worker.status.is_some_and(|status| status.code().is_none());
    // Where one has done its work, and the others have lost it: nobody reads what it prints any more.
    let done = started.iter().any(|worker| worker.status.is_some_and(|status| status.success()));
    let lost = || started.iter().position(failed).filter(|_| !done);
    started.iter().position(killed).or_else(|| started.iter().position(own)).or_else(lost)
}

/// Whether all workers say the same of their failure.
fn said_by_all(started: &[Started], said: &str) -> bool {
    let same = |worker: &Started| worker.errors.lock().expect("no thread panics with the lock").trim() == said;
    started.iter().all(same)
}

/// Ends all that still run.
fn end(started: &mut [Started]) {
    for worker in started.iter_mut() {
        if worker.status.is_none() {
            // One that has ended meanwhile needs no end.
            let _ = worker.child.kill();
            worker.status = worker.child.wait().ok();
        }
        if let Some(reading) = worker.reading.take() {
            let _ = reading.join();
        }
    }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) if code == i32::from(INTERRUPTED) => "was ended by a signal".to_owned(),
        Some(code) => format!("has failed with status {code}"),
        None => "has failed".to_owned(),
    }
}
