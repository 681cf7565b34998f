//! Typed messages over an [`Exchange`], and how many bytes they have.

use bytemuck::Pod;

use crate::exchange::{Exchange, Lost};

/// A worker's end of an exchange, with a count of what is sent.
pub struct Wire<'e> {
    exchange: Box<dyn Exchange + 'e>,
    traffic: Traffic,
}

/// What one worker has sent to others. What it sends to itself stays in memory and is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes of each superstep, in order.
    pub steps: Vec<u64>,
}

impl Traffic {
    /// Bytes of all supersteps.
    pub fn bytes(&self) -> u64 {
        self.steps.iter().sum()
    }
}

impl<'e> Wire<'e> {
    /// A wire over an exchange.
    pub fn new(exchange: impl Exchange + 'e) -> Self {
        Wire { exchange: Box::new(exchange), traffic: Traffic::default() }
    }

    /// The number of this worker, from 0.
    pub fn worker(&self) -> usize {
        self.exchange.worker()
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.exchange.workers()
    }

    /// As [`Exchange::bytes_on_network`].
    pub fn bytes_on_network(&self) -> u64 {
        self.exchange.bytes_on_network()
    }

    /// What was sent since this was called last.
    pub fn take_traffic(&mut self) -> Traffic {
        std::mem::take(&mut self.traffic)
    }

    /// Exchanges a message with each worker: a superstep.
    ///
    /// # Errors
    ///
    /// [`Lost`], as [`Exchange::all_to_all`].
    pub fn swap(&mut self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        let me = self.worker();
        let others = to.iter().enumerate().filter(|&(worker, _)| worker != me);
        self.traffic.steps.push(others.map(|(_, message)| message.len() as u64).sum());
        self.exchange.all_to_all(to)
    }

    /// Exchanges numbers with each worker.
    ///
    /// # Errors
    ///
    /// As [`swap`](Self::swap).
    pub fn swap_numbers<T: Pod>(&mut self, to: Vec<Vec<T>>) -> Result<Vec<Vec<T>>, Lost> {
        let to = to.iter().map(|numbers| bytemuck::cast_slice(numbers).to_vec()).collect();
        Ok(self.swap(to)?.iter().map(|bytes| numbers(bytes)).collect())
    }

    /// The number of each worker, at every worker.
    ///
    /// # Errors
    ///
    /// As [`swap`](Self::swap).
    pub fn all<T: Pod>(&mut self, mine: T) -> Result<Vec<T>, Lost> {
        let to = vec![bytemuck::bytes_of(&mine).to_vec(); self.workers()];
        Ok(self.swap(to)?.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes)).collect())
    }

    /// The sum over all workers.
    ///
    /// # Errors
    ///
    /// As [`swap`](Self::swap).
    pub fn sum(&mut self, mine: u64) -> Result<u64, Lost> {
        Ok(self.all(mine)?.into_iter().fold(0, u64::wrapping_add))
    }

    /// Whether all workers have succeeded; if not, the error of the first that has not, with its number, at every worker.
    ///
    /// # Errors
    ///
    /// As [`swap`](Self::swap).
    pub fn agree<T>(&mut self, mine: Result<T, String>) -> Result<Result<T, Refused>, Lost> {
        let words = mine.as_ref().err().cloned().unwrap_or_default();
        // The first byte tells an error without words from none.
        let message: Vec<u8> = match &mine {
            Ok(_) => Vec::new(),
            Err(_) => std::iter::once(1).chain(words.into_bytes()).collect(),
        };
        let all = self.swap(vec![message; self.workers()])?;
        let failed = all.iter().enumerate().find(|(_, message)| !message.is_empty());
        Ok(match (failed, mine) {
            (Some((worker, message)), _) => {
                Err(Refused { worker, reason: String::from_utf8_lossy(&message[1..]).into_owned() })
            }
            (None, Ok(done)) => Ok(done),
            (None, Err(_)) => unreachable!("a worker gets its own message"),
        })
    }
}

/// A worker could not do its part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("worker {worker}: {reason}")]
pub struct Refused {
    /// Its number.
    pub worker: usize,
    /// Why, in its words.
    pub reason: String,
}

/// The numbers that some bytes are, wherever they begin in memory.
pub(crate) fn numbers<T: Pod>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}
