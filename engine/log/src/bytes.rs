//! Numbers in bytes, the lowest byte first, and back.

use bytemuck::Pod;

/// Bytes to which arrays of numbers are appended.
#[derive(Default)]
pub(crate) struct Writer {
    pub bytes: Vec<u8>,
}

/// A number as files hold it.
pub(crate) trait Number: Pod {
    /// Its bytes, the lowest first, whatever the machine's order is.
    fn little(self) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Number for $number {
            #[inline(always)]
            fn little(self) -> Self {
                <$number>::from_le_bytes(self.to_ne_bytes())
            }
        })*
    };
}

numbers!(u32, u64, f64);

impl Writer {
    pub fn number<T: Number>(&mut self, number: T) {
        self.bytes.extend_from_slice(bytemuck::bytes_of(&number.little()));
    }

    pub fn array<T: Number>(&mut self, numbers: &[T]) {
        if cfg!(target_endian = "little") {
            self.bytes.extend_from_slice(bytemuck::cast_slice(numbers));
        } else {
            numbers.iter().for_each(|&number| self.number(number));
        }
    }

    /// Fills up with zeros to a multiple of eight bytes.
    pub fn align(&mut self) {
        let len = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(len, 0);
    }
}

/// Bytes that are read from the front. Nothing is allocated for more than there are.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    len: usize,
}

/// The bytes do not hold what they are to hold: this is said of them.
pub(crate) type Malformed = &'static str;

/// What is said of bytes that end too early.
const SHORT: Malformed = "it ends too early";

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes, len: bytes.len() }
    }

    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.rest.split_at_checked(n).ok_or(SHORT)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub fn number<T: Number>(&mut self) -> Result<T, Malformed> {
        let bytes = self.bytes(size_of::<T>())?;
        Ok(bytemuck::pod_read_unaligned::<T>(bytes).little())
    }

    pub fn array<T: Number>(&mut self, n: usize) -> Result<Vec<T>, Malformed> {
        let bytes = self.bytes(n.checked_mul(size_of::<T>()).ok_or(SHORT)?)?;
        let mut numbers = vec![T::zeroed(); n];
        bytemuck::cast_slice_mut(&mut numbers).copy_from_slice(bytes);
        if cfg!(target_endian = "big") {
            numbers.iter_mut().for_each(|number| *number = number.little());
        }
        Ok(numbers)
    }

    /// Passes over what fills up to a multiple of eight bytes.
    pub fn align(&mut self) -> Result<(), Malformed> {
        let read = self.len - self.rest.len();
        self.bytes(read.next_multiple_of(8) - read).map(drop)
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Refuses bytes that are left.
    pub fn finish(self) -> Result<(), Malformed> {
        if self.is_empty() { Ok(()) } else { Err("it goes on behind its end") }
    }
}

/// A count of files as one in memory.
pub(crate) fn count(number: u64) -> Result<usize, Malformed> {
    usize::try_from(number).map_err(|_| SHORT)
}
