//! A bit for each local vertex.

/// Which local vertices are marked. As [`pleach::traverse::Bits`], but of one thread: a bit is set without an atomic operation.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// So many vertices, none marked.
    pub fn new(vertices: usize) -> Self {
        Marks { words: vec![0; vertices.div_ceil(64)] }
    }

    /// Whether a vertex is marked.
    ///
    /// # Panics
    ///
    /// If there is no such vertex.
    #[inline]
    pub fn get(&self, vertex: u32) -> bool {
        self.words[vertex as usize / 64] >> (vertex % 64) & 1 != 0
    }

    /// Marks a vertex.
    ///
    /// # Panics
    ///
    /// If there is no such vertex.
    #[inline]
    pub fn set(&mut self, vertex: u32) {
        self.words[vertex as usize / 64] |= 1 << (vertex % 64);
    }

    /// Takes all marks away.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }
}
