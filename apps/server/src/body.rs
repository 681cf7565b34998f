//! Bodies of requests, in bounded memory.

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::StatusCode;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::options::{Limits, time_of};
use crate::refusal::Refusal;

/// Memory for bodies, which all requests share.
#[derive(Clone)]
pub(crate) struct Memory {
    /// A permit for each byte.
    bytes: Arc<Semaphore>,
    all: usize,
    most: usize,
    /// Time for a body, and how many of its bytes give it another second.
    time: Duration,
    rate: usize,
}

/// A body, or part of one, with its share of the memory.
pub(crate) struct Bytes {
    pub bytes: Vec<u8>,
    permit: OwnedSemaphorePermit,
}

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Plain,
    Gzip,
    Zstd,
}

impl Encoding {
    /// By the header `Content-Encoding`.
    pub fn read(name: &str) -> Result<Self, Refusal> {
        match name.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Encoding::Plain),
            "gzip" | "x-gzip" => Ok(Encoding::Gzip),
            "zstd" => Ok(Encoding::Zstd),
            other => Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!("bodies are read without Content-Encoding, with `gzip` or with `zstd`, not with `{other}`"),
            )),
        }
    }
}

impl Memory {
    /// Memory for bodies within the given limits.
    pub fn new(limits: &Limits) -> Self {
        let all = limits.bodies.min(Semaphore::MAX_PERMITS);
        let (time, rate) = (limits.body_time, limits.body_rate);
        Memory { bytes: Arc::new(Semaphore::new(all)), all, most: limits.body.min(all), time, rate }
    }

    fn too_large(&self) -> Refusal {
        let reason = format!("the body has more than {} bytes: send it in several batches", self.most);
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, reason)
    }

    fn empty(&self) -> Result<Bytes, Refusal> {
        Ok(Bytes { bytes: Vec::new(), permit: self.take(0)? })
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let permits = u32::try_from(bytes).map_err(|_| self.too_large())?;
        self.bytes.clone().try_acquire_many_owned(permits).map_err(|_| {
            Refusal::busy(format!("the bodies of other requests take all {} bytes that are kept for them", self.all))
        })
    }

    fn append(&self, to: &mut Bytes, part: &[u8]) -> Result<(), Refusal> {
        if part.len() > self.most - to.bytes.len().min(self.most) {
            return Err(self.too_large());
        }
        to.permit.merge(self.take(part.len())?);
        to.bytes.extend_from_slice(part);
        Ok(())
    }

    /// Reads a body to its end. A body that keeps coming may take longer than one that stops.
    pub async fn read(&self, mut body: Body, declared: Option<u64>) -> Result<Bytes, Refusal> {
        if declared.is_some_and(|declared| declared > self.most as u64) {
            return Err(self.too_large());
        }
        let (begin, mut time, mut read) = (Instant::now(), self.time, self.empty()?);
        loop {
            // The timer alone would not do: it rounds up, and a byte may come before the end of each of its milliseconds.
            let left = time.checked_sub(begin.elapsed()).ok_or_else(|| too_slow(begin))?;
            let frame = tokio::time::timeout(left, body.frame()).await.map_err(|_| too_slow(begin))?;
            let Some(frame) = frame else { return Ok(read) };
            let frame = frame.map_err(|error| Refusal::bad(format!("the body cannot be read: {error}")))?;
            if let Ok(part) = frame.into_data() {
                self.append(&mut read, &part)?;
                time = time.saturating_add(time_of(part.len(), self.rate));
            }
        }
    }

    /// Decompresses a body. Takes a while: not for a thread that other requests need.
    pub fn decompress(&self, body: Bytes, encoding: Encoding) -> Result<Bytes, Refusal> {
        match encoding {
            Encoding::Plain => Ok(body),
            Encoding::Gzip => self.drain(flate2::read::MultiGzDecoder::new(&body.bytes[..])),
            Encoding::Zstd => {
                let mut reader = zstd::Decoder::with_buffer(&body.bytes[..]).map_err(broken)?;
                // The window is memory too: 8 MiB are what a decoder must support.
                reader.window_log_max(23).map_err(broken)?;
                self.drain(reader)
            }
        }
    }

    fn drain(&self, mut reader: impl Read) -> Result<Bytes, Refusal> {
        let (mut all, mut part) = (self.empty()?, vec![0; 64 << 10]);
        loop {
            match reader.read(&mut part).map_err(broken)? {
                0 => return Ok(all),
                n => self.append(&mut all, &part[..n])?,
            }
        }
    }
}

fn too_slow(begin: Instant) -> Refusal {
    let seconds = begin.elapsed().as_secs_f64();
    let reason = format!("the body had not come after {seconds:.1} seconds: send it in smaller batches");
    Refusal::new(StatusCode::REQUEST_TIMEOUT, reason)
}

fn broken(error: std::io::Error) -> Refusal {
    Refusal::bad(format!("the body cannot be decompressed: {error}"))
}

#[cfg(test)]
mod tests {
    use http_body_util::channel::Channel;

    use super::*;

    #[test]
    fn a_body_that_keeps_coming_gets_more_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let read = |rate: usize| {
            let limits = Limits { body_time: Duration::from_millis(100), body_rate: rate, ..Limits::default() };
            let memory = Memory::new(&limits);
            runtime.block_on(async {
                let (mut sender, body) = Channel::<axum::body::Bytes>::new(2);
                sender.send_data("x".repeat(100).into()).await.unwrap();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    // Nobody reads the rest of a body that was given up.
                    let _ = sender.send_data(" and the rest".into()).await;
                });
                memory.read(Body::new(body), None).await.map(|read| read.bytes)
            })
        };
        assert!(read(1).unwrap().ends_with(b" and the rest"));
        let refusal = format!("{:?}", read(usize::MAX).unwrap_err());
        assert!(refusal.contains("408") && refusal.contains("in smaller batches"), "{refusal}");
    }
}
