//! Difference-coded coordinates: an ascending array in a quarter to a half of its size.
//!
//! Each coordinate is kept as the number of coordinates skipped since the one before, in as many bits as the largest of eight
//! neighbours needs. Eight numbers of `w` bits fill `w` bytes, so groups begin at bytes and the widths tell where:
//!
//! ```text
//!   n = 19 coordinates                                     base 100: 103 104 110 …  ─►  gaps 2 0 5 …   (w0 = 3 bits)
//!  ┌────┬────┬────┬──────────┬──────────┬─────────────┐    no base:  103 104 110 …  ─►  gaps 103 0 5 … (w0 = 7 bits)
//!  │ w0 │ w1 │ w2 │ w0 bytes │ w1 bytes │ ⌈3·w2/8⌉    │
//!  └────┴────┴────┴──────────┴──────────┴─────────────┘    bit k·w of a group is bit (k·w mod 8) of its byte k·w/8:
//!    ⌈n/8⌉ widths   8 gaps     8 gaps     the last 3       gap k starts there, lowest bit first
//! ```
//!
//! Widths are 0 to 26, 28 and 32 bits, and for 64-bit coordinates also 33 to 57 and 64: those for which every gap lies within
//! four or eight bytes. The number of coordinates and the base are known from elsewhere: a node's size field, and the element before
//! the array.
//!
//! On R-MAT graphs (2^20 vertices in random order, 31.4M arcs) this takes 1.76 bytes an arc, where bytes with a continuation bit
//! take 1.99 and Stream VByte takes 2.06. A group is decoded in one piece by a shuffle, a shift a lane and a prefix sum where the
//! machine has AVX2 (after D. Lemire, N. Kurz and C. Rupp, *Stream VByte*, 2018, whose control bytes choose the shuffle; here the
//! width does), and gap by gap elsewhere.
//!
//! Any bytes can be decoded: wrong ones give wrong coordinates, [`Coded::check`] says which.

use std::ops::ControlFlow;

mod view;

pub use view::{CodedRuns, CodedView};

use crate::Coord;

/// Coordinates whose gaps have a common width.
const GROUP: usize = 8;

/// Coordinates that are decoded at a time.
pub const CODED_BLOCK: usize = 128;

/// Bytes that decoding one group may read, from its start.
const WINDOW: usize = 64;

/// What is wrong with a difference-coded array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodedError {
    /// The widths say that the array takes more or fewer bytes.
    #[error("{found} bytes of coded coordinates where {expected} are needed")]
    Length {
        /// Bytes that the widths ask for.
        expected: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// No group has gaps of that width.
    #[error("group {group} of coded coordinates has gaps of {width} bits, which no coder writes")]
    Width {
        /// Number of the group.
        group: usize,
        /// Its width in bits.
        width: u8,
    },
    /// A gap leads beyond the largest coordinate.
    #[error("coded coordinate {position} lies beyond the largest coordinate")]
    Overflow {
        /// Position of the coordinate in the array.
        position: usize,
    },
}

/// The narrowest width that is written for numbers of `bits` significant bits.
#[inline(always)]
const fn width(bits: u32) -> usize {
    match bits {
        0..=26 | 33..=57 => bits as usize,
        27 | 28 => 28,
        29..=32 => 32,
        _ => 64,
    }
}

/// Bytes of a group of `count` gaps of `width` bits.
#[inline(always)]
const fn group_bytes(width: usize, count: usize) -> usize {
    (width * count).div_ceil(8)
}

/// The coordinate that the first gap is counted from; from "before zero" if there is no base.
#[inline(always)]
fn start<C: Coord>(base: Option<C>) -> C {
    base.unwrap_or(C::GAP)
}

#[inline(always)]
fn gap<C: Coord>(previous: C, coord: C) -> u64 {
    C::from_u64(coord.to_u64().wrapping_sub(previous.to_u64()).wrapping_sub(1)).to_u64()
}

/// The width of a group of gaps: those from `previous` to the first coordinate and between the coordinates.
#[inline(always)]
fn group_width<C: Coord>(previous: C, coords: &[C]) -> usize {
    let mut bits = 0;
    let mut previous = previous;
    for &coord in coords {
        bits |= gap(previous, coord);
        previous = coord;
    }
    width(u64::BITS - bits.leading_zeros())
}

/// Bytes of coordinates in difference-coded form. Linear in the number of coordinates.
///
/// The coordinates strictly ascend and lie above the base; if not, what is counted is what would be written, but neither makes sense.
pub fn coded_len<C: Coord>(coords: &[C], base: Option<C>) -> usize {
    let mut previous = start(base);
    let mut bytes = 0;
    for group in coords.chunks(GROUP) {
        bytes += 1 + group_bytes(group_width(previous, group), group.len());
        previous = group[group.len() - 1];
    }
    bytes
}

/// Writes the difference-coded form of strictly ascending coordinates above `base` to the front of `out`; returns its length.
///
/// # Panics
///
/// If `out` is shorter than [`coded_len`].
pub(crate) fn encode_coords<C: Coord>(coords: &[C], base: Option<C>, out: &mut [u8]) -> usize {
    let (widths, mut data) = out.split_at_mut(coords.len().div_ceil(GROUP));
    let mut previous = start(base);
    let mut bytes = widths.len();
    for (group, width) in coords.chunks(GROUP).zip(widths) {
        let bits = group_width(previous, group);
        *width = bits as u8;
        let mut packed = [0; WINDOW];
        // Gaps are collected in 64 bits; what does not fit starts the next 64.
        let (mut word, mut filled, mut at) = (0u64, 0, 0);
        for &coord in group {
            let gap = gap(previous, coord);
            previous = coord;
            word |= gap << filled;
            filled += bits;
            if filled >= 64 {
                packed[at..at + 8].copy_from_slice(&word.to_le_bytes());
                at += 8;
                filled -= 64;
                word = if filled == 0 { 0 } else { gap >> (bits - filled) };
            }
        }
        if filled > 0 {
            packed[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        let length = group_bytes(bits, group.len());
        let (front, rest) = data.split_at_mut(length);
        front.copy_from_slice(&packed[..length]);
        data = rest;
        bytes += length;
    }
    bytes
}

/// A difference-coded array of ascending coordinates, see the module's picture.
#[derive(Clone, Copy, Debug)]
pub struct Coded<'a, C> {
    widths: &'a [u8],
    data: &'a [u8],
    len: usize,
    start: C,
}

impl<'a, C: Coord> Coded<'a, C> {
    /// The array of `len` coordinates above `base` that `bytes` holds. Bytes behind it are not looked at, but may make decoding faster.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], len: usize, base: Option<C>) -> Self {
        let (widths, data) = bytes.split_at(len.div_ceil(GROUP).min(bytes.len()));
        Coded { widths, data, len, start: start(base) }
    }

    /// Number of coordinates.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no coordinates.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Checks that this is the code of strictly ascending coordinates, none of them the gap mark, and that nothing follows it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(self) -> Result<(), CodedError> {
        let groups = self.len.div_ceil(GROUP);
        let found = self.widths.len() + self.data.len();
        if self.widths.len() < groups {
            return Err(CodedError::Length { expected: groups, found });
        }
        let mut expected = groups;
        for (group, &bits) in self.widths.iter().enumerate() {
            if u32::from(bits) > C::BITS || width(u32::from(bits)) != usize::from(bits) {
                return Err(CodedError::Width { group, width: bits });
            }
            expected += group_bytes(usize::from(bits), (self.len - group * GROUP).min(GROUP));
        }
        if expected != found {
            return Err(CodedError::Length { expected, found });
        }
        let mut above = (self.start != C::GAP).then_some(self.start);
        let mut position = 0;
        self.try_fold(|coord| {
            if coord == C::GAP || above.is_some_and(|above| coord <= above) {
                return ControlFlow::Break(CodedError::Overflow { position });
            }
            above = Some(coord);
            position += 1;
            ControlFlow::Continue(())
        })
        .break_value()
        .map_or(Ok(()), Err)
    }

    /// The coordinates, a block at a time.
    #[inline(always)]
    pub fn blocks(self) -> CodedBlocks<'a, C> {
        CodedBlocks { rest: self, coords: [C::default(); CODED_BLOCK], count: 0 }
    }

    /// Calls `f` with each block of at most [`CODED_BLOCK`] coordinates and the position of its first, until `f` breaks.
    #[inline(always)]
    pub fn try_for_each_block<B>(mut self, mut f: impl FnMut(usize, &[C]) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut block = [C::default(); CODED_BLOCK];
        let mut position = 0;
        while self.len > 0 {
            let count = self.decode_block(&mut block);
            f(position, &block[..count])?;
            position += count;
        }
        ControlFlow::Continue(())
    }

    /// Calls `f` with each coordinate, until `f` breaks.
    #[inline(always)]
    pub fn try_fold<B>(self, mut f: impl FnMut(C) -> ControlFlow<B>) -> ControlFlow<B> {
        self.try_for_each_block(|_, block| block.iter().try_for_each(|&coord| f(coord)))
    }

    /// Folds over the coordinates.
    #[inline(always)]
    pub fn fold<A>(self, init: A, mut f: impl FnMut(A, C) -> A) -> A {
        let mut acc = Some(init);
        let done: ControlFlow<std::convert::Infallible> = self.try_for_each_block(|_, block| {
            acc = acc.take().map(|acc| block.iter().fold(acc, |acc, &coord| f(acc, coord)));
            ControlFlow::Continue(())
        });
        match done {
            ControlFlow::Continue(()) => acc.expect("every block leaves a result"),
        }
    }

    /// Writes all coordinates to the front of `out`.
    ///
    /// # Panics
    ///
    /// If `out` is shorter than [`len`](Coded::len).
    pub fn decode(mut self, out: &mut [C]) {
        let mut out = &mut out[..self.len];
        let mut block = [C::default(); CODED_BLOCK];
        while !out.is_empty() {
            let count = match out.first_chunk_mut() {
                Some(whole) => self.decode_block(whole),
                None => {
                    let count = self.decode_block(&mut block);
                    out.copy_from_slice(&block[..count]);
                    count
                }
            };
            out = &mut out[count..];
        }
    }

    /// The first coordinate. Decodes its group only.
    #[inline]
    pub fn first(mut self) -> Option<C> {
        let mut group = [C::default(); GROUP];
        (self.len > 0 && self.decode_group(&mut group) > 0).then_some(group[0])
    }

    /// The position of a coordinate. Decodes group after group up to it: the widths say nothing about sums.
    pub fn locate(self, coord: C) -> Option<usize> {
        let (position, found) = self.lower_bound(coord);
        (found == Some(coord)).then_some(position)
    }

    /// The position of the first coordinate that is at least `target`, and that coordinate; the length if there is none.
    pub fn lower_bound(mut self, target: C) -> (usize, Option<C>) {
        let mut position = 0;
        let mut group = [C::default(); GROUP];
        while self.len > 0 {
            let count = self.decode_group(&mut group);
            if group[count - 1] >= target {
                let below = group[..count].partition_point(|&coord| coord < target);
                return (position + below, group.get(below).copied());
            }
            position += count;
        }
        (position, None)
    }

    /// Takes the next block off the array; returns its length. What lies behind it in `out` is overwritten.
    #[inline(always)]
    fn decode_block(&mut self, out: &mut [C; CODED_BLOCK]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if C::BITS == 32 && is_x86_feature_detected!("avx2") {
            let rest =
                Rest { widths: self.widths, data: self.data, len: self.len, previous: self.start.to_u64() as u32 };
            // SAFETY: the machine has AVX2; `Coord` is sealed and its only type of 32 bits is `u32`, so this is an array of it.
            let (count, rest) = unsafe { avx2::decode_block(rest, &mut *out.as_mut_ptr().cast()) };
            *self =
                Coded { widths: rest.widths, data: rest.data, len: rest.len, start: C::from_u64(rest.previous.into()) };
            return count;
        }
        self.decode_block_portably(out)
    }

    fn decode_block_portably(&mut self, out: &mut [C; CODED_BLOCK]) -> usize {
        let count = self.len.min(CODED_BLOCK);
        for group in out.as_chunks_mut().0.iter_mut().take(count.div_ceil(GROUP)) {
            self.decode_group_portably(group);
        }
        count
    }

    /// Takes the next group off the array; returns its length.
    #[inline(always)]
    pub(crate) fn decode_group(&mut self, out: &mut [C; GROUP]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if C::BITS == 32 && is_x86_feature_detected!("avx2") {
            let rest =
                Rest { widths: self.widths, data: self.data, len: self.len, previous: self.start.to_u64() as u32 };
            // SAFETY: the machine has AVX2; `Coord` is sealed and its only type of 32 bits is `u32`, so this is an array of it.
            let (count, rest) = unsafe { avx2::decode_group(rest, &mut *out.as_mut_ptr().cast()) };
            *self =
                Coded { widths: rest.widths, data: rest.data, len: rest.len, start: C::from_u64(rest.previous.into()) };
            return count;
        }
        self.decode_group_portably(out)
    }

    #[inline(always)]
    fn decode_group_portably(&mut self, out: &mut [C; GROUP]) -> usize {
        let count = self.len.min(GROUP);
        let (&bits, widths) = self.widths.split_first().unwrap_or((&0, &[]));
        // Wrong widths are taken for the next larger that can be decoded.
        let width = width(u32::from(bits)).min(C::BITS as usize);
        let padded;
        let window: &[u8; WINDOW] = match self.data.first_chunk() {
            Some(window) => window,
            None => {
                padded = padded_window(self.data);
                &padded
            }
        };
        let mask = u64::MAX.checked_shr(64 - width as u32).unwrap_or(0);
        let mut previous = self.start.to_u64();
        for (k, coord) in out.iter_mut().enumerate() {
            let bit = k * width;
            // At most 7·64/8 + 8 bytes of the window.
            let word = u64::from_le_bytes(window[bit / 8..][..8].try_into().expect("eight bytes"));
            previous = previous.wrapping_add(word >> (bit % 8) & mask).wrapping_add(1);
            *coord = C::from_u64(previous);
            previous = coord.to_u64();
        }
        self.start = out[GROUP - 1];
        self.widths = widths;
        self.data = &self.data[group_bytes(width, count).min(self.data.len())..];
        self.len -= count;
        count
    }
}

/// What is left of the data, with zeros behind it.
#[inline(never)]
fn padded_window(data: &[u8]) -> [u8; WINDOW] {
    let mut window = [0; WINDOW];
    let length = data.len().min(WINDOW);
    window[..length].copy_from_slice(&data[..length]);
    window
}

/// The blocks of a [`Coded`] array, one after the other in a buffer.
#[derive(Clone, Debug)]
pub struct CodedBlocks<'a, C> {
    rest: Coded<'a, C>,
    coords: [C; CODED_BLOCK],
    count: usize,
}

impl<'a, C: Coord> CodedBlocks<'a, C> {
    /// Continues with the blocks of another array, in the same buffer.
    #[inline]
    pub fn restart(&mut self, coords: Coded<'a, C>) {
        (self.rest, self.count) = (coords, 0);
    }

    /// Decodes the next block; `false` when there is none left, and ever after.
    #[inline]
    pub fn advance(&mut self) -> bool {
        self.count = if self.rest.len > 0 { self.rest.decode_block(&mut self.coords) } else { 0 };
        self.count > 0
    }

    /// The coordinates of the current block; none before the first `advance` and after the last.
    #[inline(always)]
    pub fn coords(&self) -> &[C] {
        &self.coords[..self.count]
    }
}

/// A [`Coded`] array of 32-bit coordinates.
#[cfg(target_arch = "x86_64")]
struct Rest<'a> {
    widths: &'a [u8],
    data: &'a [u8],
    len: usize,
    previous: u32,
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! Eight gaps at a time: lane `k` takes the four bytes that gap `k` starts in, shifts out what lies before it and masks what
    //! lies behind; then the gaps are summed up.

    use std::arch::x86_64::*;

    use super::{CODED_BLOCK, GROUP, Rest, padded_window};

    /// For each width the bytes that go to each lane, counted from the group's start for the first four lanes, and from byte
    /// `width / 2` on for the others, where gap 4 starts.
    static SHUFFLE: [[u8; 32]; 33] = shuffles();

    /// For each width the number of bits before each lane's gap.
    static SHIFT: [[u32; 8]; 33] = shifts();

    const fn shuffles() -> [[u8; 32]; 33] {
        let mut table = [[0; 32]; 33];
        let mut width = 0;
        while width <= 32 {
            let mut lane = 0;
            while lane < 8 {
                let from = if lane < 4 { 0 } else { width / 2 };
                let mut byte = 0;
                while byte < 4 {
                    table[width][lane * 4 + byte] = (lane * width / 8 - from + byte) as u8;
                    byte += 1;
                }
                lane += 1;
            }
            width += 1;
        }
        table
    }

    const fn shifts() -> [[u32; 8]; 33] {
        let mut table = [[0; 8]; 33];
        let mut width = 0;
        while width <= 32 {
            let mut lane = 0;
            while lane < 8 {
                table[width][lane] = (lane * width % 8) as u32;
                lane += 1;
            }
            width += 1;
        }
        table
    }

    /// Decodes one group above `previous`, which is in all lanes; `width` is at most 32.
    ///
    /// # Safety
    ///
    /// 32 bytes can be read at `data`.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn group(data: *const u8, width: usize, previous: __m256i) -> __m256i {
        debug_assert!(width <= 32);
        // SAFETY: 16 bytes from byte 0 and from byte `width / 2 <= 16` on; the tables have a line for each width.
        let (low, high, shuffle, shift) = unsafe {
            (
                _mm_loadu_si128(data.cast()),
                _mm_loadu_si128(data.add(width / 2).cast()),
                _mm256_loadu_si256(SHUFFLE.as_ptr().add(width).cast()),
                _mm256_loadu_si256(SHIFT.as_ptr().add(width).cast()),
            )
        };
        let bytes = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), shuffle);
        let mask = _mm256_set1_epi32(((1u64 << width) - 1) as i32);
        let gaps = _mm256_and_si256(_mm256_srlv_epi32(bytes, shift), mask);
        // Sums within each half, then the lower half's to the upper half.
        let sums = _mm256_add_epi32(gaps, _mm256_slli_si256::<4>(gaps));
        let sums = _mm256_add_epi32(sums, _mm256_slli_si256::<8>(sums));
        let carry = _mm256_shuffle_epi32::<0b11_11_11_11>(_mm256_permute2x128_si256::<0x08>(sums, sums));
        let sums = _mm256_add_epi32(_mm256_add_epi32(sums, carry), _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8));
        _mm256_add_epi32(sums, previous)
    }

    /// Takes a block off the array; returns its length and the rest.
    #[target_feature(enable = "avx2")]
    pub(super) fn decode_block<'a>(rest: Rest<'a>, out: &mut [u32; CODED_BLOCK]) -> (usize, Rest<'a>) {
        let count = rest.len.min(CODED_BLOCK);
        let groups = count.div_ceil(GROUP);
        let mut previous = _mm256_set1_epi32(rest.previous as i32);
        let mut at = 0;
        for (number, out) in out.as_chunks_mut::<GROUP>().0.iter_mut().enumerate().take(groups) {
            let width = usize::from(rest.widths.get(number).map_or(0, |&width| width.min(32)));
            let data = &rest.data[at..];
            let coords = if data.len() >= 32 {
                // SAFETY: there are 32 bytes, and the width was limited.
                unsafe { group(data.as_ptr(), width, previous) }
            } else {
                let padded = padded_window(data);
                // SAFETY: a window has more than 32 bytes, and the width was limited.
                unsafe { group(padded.as_ptr(), width, previous) }
            };
            // SAFETY: `out` has eight elements.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), coords) };
            previous = _mm256_permutevar8x32_epi32(coords, _mm256_set1_epi32(7));
            at = (at + width).min(rest.data.len());
        }
        let rest = Rest {
            widths: rest.widths.get(groups..).unwrap_or(&[]),
            // The last group may be short, and then nothing follows it.
            data: &rest.data[at..],
            len: rest.len - count,
            previous: _mm256_extract_epi32::<0>(previous) as u32,
        };
        (count, rest)
    }

    /// Takes a group off the array; returns its length and the rest.
    #[target_feature(enable = "avx2")]
    pub(super) fn decode_group<'a>(rest: Rest<'a>, out: &mut [u32; GROUP]) -> (usize, Rest<'a>) {
        let count = rest.len.min(GROUP);
        let (&width, widths) = rest.widths.split_first().unwrap_or((&0, &[]));
        let width = usize::from(width.min(32));
        let previous = _mm256_set1_epi32(rest.previous as i32);
        let coords = if rest.data.len() >= 32 {
            // SAFETY: there are 32 bytes, and the width was limited.
            unsafe { group(rest.data.as_ptr(), width, previous) }
        } else {
            let padded = padded_window(rest.data);
            // SAFETY: a window has more than 32 bytes, and the width was limited.
            unsafe { group(padded.as_ptr(), width, previous) }
        };
        // SAFETY: `out` has eight elements.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), coords) };
        let data = &rest.data[width.min(rest.data.len())..];
        (count, Rest { widths, data, len: rest.len - count, previous: out[GROUP - 1] })
    }
}

#[cfg(test)]
mod tests;
