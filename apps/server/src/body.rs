//! Bodies of requests, in bounded memory.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::Refusal;

/// Memory for bodies, which all requests share.
#[derive(Clone)]
pub(crate) struct Memory {
    /// A permit for each byte.
    bytes: Arc<Semaphore>,
    all: usize,
    most: usize,
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
    /// So many bytes for all bodies, and at most so many for one.
    pub fn new(all: usize, most: usize) -> Self {
        let all = all.min(Semaphore::MAX_PERMITS);
        Memory { bytes: Arc::new(Semaphore::new(all)), all, most: most.min(all) }
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

    /// Reads a body to its end.
    pub async fn read(&self, mut body: Body, declared: Option<u64>, time: Duration) -> Result<Bytes, Refusal> {
        if declared.is_some_and(|declared| declared > self.most as u64) {
            return Err(self.too_large());
        }
        let read = async {
            let mut read = self.empty()?;
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|error| Refusal::bad(format!("the body cannot be read: {error}")))?;
                if let Ok(part) = frame.into_data() {
                    self.append(&mut read, &part)?;
                }
            }
            Ok(read)
        };
        tokio::time::timeout(time, read).await.unwrap_or_else(|_| {
            let reason = format!("the body was not there after {} seconds", time.as_secs_f64());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, reason))
        })
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

fn broken(error: std::io::Error) -> Refusal {
    Refusal::bad(format!("the body cannot be decompressed: {error}"))
}
