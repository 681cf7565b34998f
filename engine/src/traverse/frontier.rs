//! Sets of vertices.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use pleach_runtime::{par_concat, par_items, par_parts, par_ranges};

/// One bit a vertex, set concurrently.
pub struct Bits {
    words: Vec<AtomicU64>,
    len: usize,
}

impl Bits {
    /// `len` bits, none set.
    pub fn new(len: usize) -> Self {
        Bits { words: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), len }
    }

    /// Number of bits, set or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether bit `index` is set.
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline(always)]
    pub fn get(&self, index: usize) -> bool {
        self.words[index / 64].load(Ordering::Relaxed) >> (index % 64) & 1 != 0
    }

    /// Sets bit `index`. Returns whether it was clear. If several tasks set the same bit, exactly one of them gets `true`.
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline(always)]
    pub fn set(&self, index: usize) -> bool {
        let (word, mask) = (&self.words[index / 64], 1 << (index % 64));
        word.load(Ordering::Relaxed) & mask == 0 && word.fetch_or(mask, Ordering::Relaxed) & mask == 0
    }

    /// Clears bit `index`.
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline(always)]
    pub fn clear_one(&self, index: usize) {
        self.words[index / 64].fetch_and(!(1 << (index % 64)), Ordering::Relaxed);
    }

    /// Sets the bits of the listed vertices, in parallel. Bits that are set already stay set.
    ///
    /// # Panics
    ///
    /// If there is no such vertex.
    pub fn set_all(&self, vertices: &[u32]) {
        par_ranges(vertices.len(), 1 << 12, &|range: Range<usize>| {
            vertices[range].iter().for_each(|&vertex| {
                self.set(vertex as usize);
            });
        });
    }

    /// Clears the bits of the listed vertices, in parallel.
    ///
    /// # Panics
    ///
    /// If there is no such vertex.
    pub fn clear_all(&self, vertices: &[u32]) {
        par_ranges(vertices.len(), 1 << 12, &|range: Range<usize>| {
            vertices[range].iter().for_each(|&vertex| self.clear_one(vertex as usize));
        });
    }

    /// Clears all bits, in parallel.
    pub fn clear(&mut self) {
        par_items(self.words.chunks_mut(1 << 12).collect(), |words| {
            words.iter_mut().for_each(|word| *word.get_mut() = 0);
        });
    }

    /// Sets the bits whose mark is set, clears the others and all marks. Returns the number of set bits.
    ///
    /// # Panics
    ///
    /// If there are not as many marks as bits.
    pub(super) fn take_marks(&mut self, marks: &mut [AtomicU8]) -> usize {
        assert_eq!(marks.len(), self.len, "one mark for each bit");
        const WORDS: usize = 1 << 8;
        let parts = self.words.chunks_mut(WORDS).zip(marks.chunks_mut(64 * WORDS));
        let counts = par_items(parts.collect(), |(words, marks)| {
            let one = |(word, marks): (&mut AtomicU64, &mut [AtomicU8])| {
                let bytes = marks.chunks_mut(8).enumerate();
                let bits = bytes.fold(0, |bits, (k, marks)| bits | take_eight(marks) << (8 * k));
                *word.get_mut() = bits;
                bits.count_ones() as usize
            };
            words.iter_mut().zip(marks.chunks_mut(64)).map(one).sum::<usize>()
        });
        counts.into_iter().sum()
    }

    /// Number of set bits.
    pub fn count(&self) -> usize {
        let some = |part: Range<usize>| {
            self.words[part].iter().map(|word| word.load(Ordering::Relaxed).count_ones() as usize).sum::<usize>()
        };
        par_parts(self.words.len(), 1 << 12, some).into_iter().sum()
    }

    /// Calls `f` with each of the 64 vertices or fewer of word `word` whose bit is set, ascending.
    #[inline(always)]
    fn for_each_in_word(&self, word: usize, mut f: impl FnMut(u32)) {
        let mut bits = self.words[word].load(Ordering::Relaxed);
        while bits != 0 {
            f((word * 64) as u32 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }

    /// The set bits, ascending.
    pub fn to_vertices(&self) -> Vec<u32> {
        par_concat(self.words.len(), 1 << 10, |words| {
            let mut vertices = Vec::new();
            for word in words {
                self.for_each_in_word(word, |vertex| vertices.push(vertex));
            }
            vertices
        })
    }
}

/// Clears eight marks, or fewer, that are 0 or 1. Returns them as bits, the first as the lowest.
#[inline(always)]
fn take_eight(marks: &mut [AtomicU8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(marks).for_each(|(byte, mark)| *byte = std::mem::take(mark.get_mut()));
    // The mark at bit `8 k` is moved to bit `56 + k`; no two of the sums meet below.
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// A set of vertices, as a list while it is small or as bits when it is large.
pub enum Frontier {
    /// The vertices, each once, in no particular order.
    Sparse(Vec<u32>),
    /// A bit a vertex, and how many are set.
    Dense(Bits, usize),
}

impl Default for Frontier {
    /// The empty set.
    fn default() -> Self {
        Frontier::Sparse(Vec::new())
    }
}

impl Frontier {
    /// The set of one vertex.
    pub fn single(vertex: u32) -> Self {
        Frontier::Sparse(vec![vertex])
    }

    /// The set of all of `0..vertices`.
    pub fn all(vertices: usize) -> Self {
        Frontier::Sparse((0..vertices as u32).collect())
    }

    /// Number of vertices in the set.
    pub fn len(&self) -> usize {
        match self {
            Frontier::Sparse(vertices) => vertices.len(),
            Frontier::Dense(_, count) => *count,
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The set as bits over `0..vertices`.
    pub fn into_bits(self, vertices: usize) -> Bits {
        match self {
            Frontier::Dense(bits, _) => bits,
            Frontier::Sparse(list) => {
                let bits = Bits::new(vertices);
                bits.set_all(&list);
                bits
            }
        }
    }

    /// The set as a list of its own, in no particular order.
    pub fn to_vertices(&self) -> Vec<u32> {
        match self {
            Frontier::Sparse(vertices) => vertices.clone(),
            Frontier::Dense(bits, _) => bits.to_vertices(),
        }
    }

    /// The set as a list, in no particular order.
    pub fn into_vertices(self) -> Vec<u32> {
        match self {
            Frontier::Sparse(vertices) => vertices,
            Frontier::Dense(bits, _) => bits.to_vertices(),
        }
    }

    /// Calls `f` with each vertex of the set, in parallel.
    pub fn par_for_each<F: Fn(u32) + Sync>(&self, f: F) {
        match self {
            Frontier::Sparse(vertices) => par_ranges(vertices.len(), 1 << 8, &|range: Range<usize>| {
                vertices[range].iter().for_each(|&vertex| f(vertex));
            }),
            Frontier::Dense(bits, _) => par_ranges(bits.words.len(), 1 << 6, &|words: Range<usize>| {
                words.for_each(|word| bits.for_each_in_word(word, &f));
            }),
        }
    }

    /// The vertices of the set that `keep` keeps (vertex filter), in parallel.
    pub fn filter<F: Fn(u32) -> bool + Sync>(&self, keep: F) -> Frontier {
        match self {
            Frontier::Sparse(vertices) => Frontier::Sparse(par_concat(vertices.len(), 1 << 10, |range| {
                vertices[range].iter().copied().filter(|&vertex| keep(vertex)).collect()
            })),
            Frontier::Dense(bits, _) => {
                let kept = Bits::new(bits.len());
                self.par_for_each(|vertex| {
                    if keep(vertex) {
                        kept.set(vertex as usize);
                    }
                });
                let count = kept.count();
                Frontier::Dense(kept, count)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_bits_and_are_cleared() {
        for len in [0, 1, 7, 8, 9, 63, 64, 65, 130, 64 * 300 + 5] {
            for step in [1, 2, 3, 7, 64, len + 1] {
                let marked = |k: usize| (k + 1).is_multiple_of(step);
                let mut marks: Vec<AtomicU8> = (0..len).map(|k| AtomicU8::new(marked(k).into())).collect();
                let mut bits = Bits::new(len);
                bits.set_all(&(0..len as u32).step_by(2).collect::<Vec<_>>());
                assert_eq!(bits.take_marks(&mut marks), (0..len).filter(|&k| marked(k)).count(), "{len}, {step}");
                assert!((0..len).all(|k| bits.get(k) == marked(k)), "{len}, {step}");
                assert!(marks.iter_mut().all(|mark| *mark.get_mut() == 0), "{len}, {step}");
            }
        }
    }
}
