//! A priority queue of vertices by distance, for Dijkstra's algorithm.
//!
//! ```text
//!   distances   0.5 │ 0.9  0.7  1.3  0.8 │ 1.1 …  ∞ ∞ ∞ ∞        the children of position k are 4 k + 1 to 4 k + 4
//!   vertices     7  │  2    9    4    1  │  3  …
//! ```
//!
//! The heap has four children a node and stores the position of each vertex. So the distance of a vertex in the heap can be lowered, and a
//! vertex is in the heap at most once; in the standard library's heap it would be once for each arc that lowered its distance. Positions
//! behind the last vertex have an infinite distance, so that a node always has four children to choose from.

/// Children of a node.
const CHILDREN: usize = 4;

/// A heap of vertices, the nearest one first.
pub(super) struct Heap {
    distances: Vec<f64>,
    vertices: Vec<u32>,
    /// The position of each vertex in the heap.
    positions: Vec<u32>,
    len: usize,
}

impl Heap {
    /// An empty heap for the vertices `0..vertices`.
    pub fn new(vertices: usize) -> Self {
        let room = vertices + CHILDREN + 1;
        Heap { distances: vec![f64::INFINITY; room], vertices: vec![0; room], positions: vec![0; vertices], len: 0 }
    }

    /// Inserts a vertex that is not in the heap.
    pub fn push(&mut self, distance: f64, vertex: u32) {
        self.len += 1;
        self.rise(self.len - 1, distance, vertex);
    }

    /// Lowers the distance of a vertex in the heap.
    pub fn lower(&mut self, distance: f64, vertex: u32) {
        self.rise(self.positions[vertex as usize] as usize, distance, vertex);
    }

    /// Removes the nearest vertex.
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        self.len = self.len.checked_sub(1)?;
        let nearest = (self.distances[0], self.vertices[0]);
        // The last vertex takes its position.
        let (distance, vertex) = (self.distances[self.len], self.vertices[self.len]);
        self.distances[self.len] = f64::INFINITY;
        if self.len > 0 {
            self.sink(distance, vertex);
        }
        Some(nearest)
    }

    /// Writes a vertex to a position.
    #[inline]
    fn put(&mut self, position: usize, distance: f64, vertex: u32) {
        self.distances[position] = distance;
        self.vertices[position] = vertex;
        self.positions[vertex as usize] = position as u32;
    }

    /// Moves a vertex up from a position while its parent is farther away.
    #[inline]
    fn rise(&mut self, mut position: usize, distance: f64, vertex: u32) {
        while position > 0 {
            let parent = (position - 1) / CHILDREN;
            if self.distances[parent] <= distance {
                break;
            }
            self.put(position, self.distances[parent], self.vertices[parent]);
            position = parent;
        }
        self.put(position, distance, vertex);
    }

    /// Moves a vertex down from the top while a child is nearer.
    #[inline]
    fn sink(&mut self, distance: f64, vertex: u32) {
        let mut position = 0;
        loop {
            let first = CHILDREN * position + 1;
            if first >= self.len {
                break;
            }
            let child = first + nearest(&self.distances[first..first + CHILDREN]);
            if self.distances[child] >= distance {
                break;
            }
            self.put(position, self.distances[child], self.vertices[child]);
            position = child;
        }
        self.put(position, distance, vertex);
    }
}

/// The index of the least of four distances.
#[inline]
fn nearest(of: &[f64]) -> usize {
    let left = if of[1] < of[0] { 1 } else { 0 };
    let right = if of[3] < of[2] { 3 } else { 2 };
    if of[right] < of[left] { right } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach::runtime::SplitMix64;

    #[test]
    fn vertices_come_by_their_last_distances() {
        let mut random = SplitMix64(3);
        let mut heap = Heap::new(500);
        for round in 1..200u64 {
            // Few different distances, so that many vertices have the same.
            let mut distances = vec![f64::INFINITY; 500];
            for _ in 0..4 * round {
                let (vertex, distance) = (random.below(500) as usize, random.below(round + 10) as f64);
                if distances[vertex] == f64::INFINITY {
                    heap.push(distance, vertex as u32);
                } else if distance < distances[vertex] {
                    heap.lower(distance, vertex as u32);
                } else {
                    continue;
                }
                distances[vertex] = distance;
            }
            let mut expected: Vec<f64> =
                distances.iter().copied().filter(|&distance| distance < f64::INFINITY).collect();
            expected.sort_unstable_by(f64::total_cmp);
            let found: Vec<(f64, u32)> = std::iter::from_fn(|| heap.pop()).collect();
            assert!(found.iter().map(|&(distance, _)| distance).eq(expected));
            assert!(found.iter().all(|&(distance, vertex)| distances[vertex as usize] == distance));
        }
    }
}
