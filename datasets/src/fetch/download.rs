//! One file over HTTP, resumed where it broke.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::Agent;
use ureq::http::StatusCode;
use ureq::http::header::{CONTENT_RANGE, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};

use super::{FetchOptions, Remote};
use crate::error::Error;
use crate::progress::{Observer, Progress};

/// How often a download may break in a row without a byte of progress.
const ATTEMPTS: u32 = 4;
/// How long a server may take to accept a connection, or to begin an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one answer may take; what is missing after that is requested again.
const ANSWER: Duration = Duration::from_secs(1800);

/// Why an attempt ended early.
enum Broken {
    /// It may be tried again.
    Again(String),
    /// It may not.
    Never(String),
    /// The disk is at fault.
    Disk(io::Error),
}

/// Downloads to `place`. What has come so far is kept in `place.part`, and the state of the file it belongs to in `place.part.tag`, so
/// that neither a broken connection nor the end of the process loses it. A file that has changed on the server is downloaded from its beginning.
pub(super) fn download(remote: &Remote, options: &FetchOptions, place: &Path) -> Result<(), Error> {
    let url = options.from.as_deref().unwrap_or(&remote.url);
    let part = with(place, ".part");
    let disk = |e: io::Error| Error::io(&part, e);
    let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&part).map_err(disk)?;
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(PATIENCE))
        .timeout_recv_response(Some(PATIENCE))
        .timeout_recv_body(Some(ANSWER))
        .user_agent(concat!("pleach/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut idle = 0;
    loop {
        let before = file.metadata().map_err(disk)?.len();
        let broken = match attempt(&agent, url, &mut file, &with(place, ".part.tag"), &options.progress) {
            Ok(()) => break,
            Err(Broken::Disk(error)) => return Err(disk(error)),
            Err(Broken::Never(reason)) => (reason, true),
            Err(Broken::Again(reason)) => (reason, false),
        };
        let now = file.metadata().map_err(disk)?.len();
        idle = if now > before { 0 } else { idle + 1 };
        let (reason, never) = broken;
        if never || idle >= ATTEMPTS {
            if now == 0 {
                let _ = std::fs::remove_file(&part);
                let _ = std::fs::remove_file(with(place, ".part.tag"));
            }
            return Err(Error::Network { url: url.to_owned(), reason, place: place.to_owned() });
        }
        std::thread::sleep(options.pause * idle);
    }
    file.sync_all().map_err(disk)?;
    drop(file);
    std::fs::rename(&part, place).map_err(disk)?;
    let _ = std::fs::remove_file(with(place, ".part.tag"));
    Ok(())
}

fn with(place: &Path, ending: &str) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Requests the missing bytes and appends them.
fn attempt(agent: &Agent, url: &str, file: &mut File, tag_file: &Path, progress: &Observer) -> Result<(), Broken> {
    let mut have = file.seek(SeekFrom::End(0)).map_err(Broken::Disk)?;
    let tag = std::fs::read_to_string(tag_file).unwrap_or_default();
    if tag.is_empty() {
        // Without a tag it is not known whether the file is still the same, so that the download cannot be resumed.
        restart(file, &mut have)?;
    }
    let mut request = agent.get(url);
    if have > 0 {
        request = request.header(RANGE, format!("bytes={have}-")).header(IF_RANGE, tag.trim());
    }
    let response = request.call().map_err(|e| refused(&e))?;
    let status = response.status();
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    match status {
        StatusCode::PARTIAL_CONTENT if have > 0 => {
            let range = header(CONTENT_RANGE).unwrap_or_default();
            if !range.starts_with(&format!("bytes {have}-")) {
                restart(file, &mut have)?;
                return Err(Broken::Again(format!("the server answered with another part of the file ({range})")));
            }
        }
        StatusCode::OK => {
            restart(file, &mut have)?;
            let tag = header(ETAG).filter(|tag| !tag.starts_with("W/")).or_else(|| header(LAST_MODIFIED));
            std::fs::write(tag_file, tag.unwrap_or_default()).map_err(Broken::Disk)?;
        }
        StatusCode::RANGE_NOT_SATISFIABLE => {
            restart(file, &mut have)?;
            return Err(Broken::Again("the server has no more of the file than is here already".to_owned()));
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
            return Err(Broken::Again(format!("the server answered {status}")));
        }
        _ if status.is_server_error() => return Err(Broken::Again(format!("the server answered {status}"))),
        _ => return Err(Broken::Never(format!("the server answered {status}"))),
    }
    let mut body = response.into_body();
    let total = body.content_length().map(|rest| have + rest);
    let mut reader = body.as_reader();
    let mut buffer = vec![0; 1 << 17];
    loop {
        let got = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => got,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(Broken::Again(format!("the connection broke: {e}"))),
        };
        file.write_all(&buffer[..got]).map_err(Broken::Disk)?;
        have += got as u64;
        progress.report(Progress { done: have, total: total.unwrap_or(0).max(have) });
    }
    match total {
        Some(total) if have < total => {
            Err(Broken::Again(format!("the connection broke after {have} of {total} bytes")))
        }
        _ => Ok(()),
    }
}

/// Removes what has been downloaded so far.
fn restart(file: &mut File, have: &mut u64) -> Result<(), Broken> {
    file.set_len(0).and_then(|()| file.rewind()).map_err(Broken::Disk)?;
    *have = 0;
    Ok(())
}

/// Whether a failure may pass when the download is tried again.
fn refused(error: &ureq::Error) -> Broken {
    match error {
        ureq::Error::Io(_) | ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed | ureq::Error::Protocol(_) => {
            Broken::Again(error.to_string())
        }
        ureq::Error::HostNotFound => Broken::Never("the name of the host is not known; is there a network?".to_owned()),
        other => Broken::Never(other.to_string()),
    }
}
