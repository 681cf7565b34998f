//! Edge lists: readers and generators produce them, and graphs and matrices are built from them.

/// An unsorted list of weighted arcs between `num_rows` sources and `num_cols` targets.
///
/// The three arrays have equal length; arc `k` leads from `src[k]` to `dst[k]` with weight `weight[k]`. Coordinates are dense
/// internal ids below `num_rows` and `num_cols`. With `V = ()` (a pattern) the weights take no memory. Duplicates and self loops
/// are allowed; the options of a build say how they are treated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeList<V = ()> {
    /// Number of rows: one more than the largest source that may occur.
    pub num_rows: usize,
    /// Number of columns: one more than the largest target that may occur.
    pub num_cols: usize,
    /// Source (row coordinate) of each arc.
    pub src: Vec<u32>,
    /// Target (column coordinate) of each arc.
    pub dst: Vec<u32>,
    /// Weight of each arc.
    pub weight: Vec<V>,
}

impl<V> EdgeList<V> {
    /// An empty list between `num_rows` sources and `num_cols` targets.
    pub fn new(num_rows: usize, num_cols: usize) -> Self {
        EdgeList { num_rows, num_cols, src: Vec::new(), dst: Vec::new(), weight: Vec::new() }
    }

    /// The number of arcs, duplicates included.
    pub fn len(&self) -> usize {
        self.src.len()
    }

    /// Whether there is no arc.
    pub fn is_empty(&self) -> bool {
        self.src.is_empty()
    }

    /// Appends one arc. The caller keeps coordinates below the declared dimensions.
    pub fn push(&mut self, src: u32, dst: u32, weight: V) {
        debug_assert!((src as usize) < self.num_rows && (dst as usize) < self.num_cols);
        self.src.push(src);
        self.dst.push(dst);
        self.weight.push(weight);
    }
}
