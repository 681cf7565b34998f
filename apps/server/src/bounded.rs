//! JSON that is written item by item, up to a length.

use std::io;

use serde::{Serialize, Serializer};

/// A text of at most `most` bytes. Writing more is an error.
pub(crate) struct Bounded {
    text: Vec<u8>,
    most: usize,
}

impl Bounded {
    /// An empty text.
    pub fn new(most: usize) -> Self {
        Bounded { text: Vec::new(), most }
    }

    /// The text.
    pub fn into_text(self) -> Vec<u8> {
        self.text
    }
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.most - self.text.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A list whose items are made while it is written.
pub(crate) struct Listed<I>(pub I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Listed<I> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.clone())
    }
}
