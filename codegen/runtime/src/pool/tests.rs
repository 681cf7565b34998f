//! The search for free stretches in a chunk's bitmap. What the pool promises as a whole is tested in `tests/pool.rs`, in a process of
//! its own, where nobody else's nodes count.

use super::chunk::{Chunk, TOTAL};
use super::shared;

#[test]
fn free_stretches_are_found_across_words() {
    let chunk = shared::acquire_fresh();
    let first = Chunk::first();
    assert_eq!(chunk.find(first, 1), None);
    chunk.set_free(first + 60, 200);
    chunk.set_free(first + 300, 1);
    chunk.set_free(first + TOTAL - 5, 5);
    assert_eq!(chunk.find(first, 1), Some((first + 60, 200)));
    assert_eq!(chunk.find(first + 100, 3), Some((first + 100, 160)));
    assert_eq!(chunk.find(first + 100, 161), None);
    assert_eq!(chunk.find(first + 260, 1), Some((first + 300, 1)));
    assert_eq!(chunk.find(first + 260, 2), Some((first + TOTAL - 5, 5)));
    assert_eq!(chunk.find(first + 260, 6), None);
    chunk.claim(first + 60, 199);
    assert_eq!(chunk.find(first, 1), Some((first + 259, 1)));
    chunk.claim(first + 259, 1);
    chunk.claim(first + 300, 1);
    chunk.claim(first + TOTAL - 5, 5);
    assert_eq!(chunk.find(first, 1), None);
    chunk.set_free(first, TOTAL);
    assert_eq!(chunk.find(first, TOTAL), Some((first, TOTAL)));
    shared::release(chunk, -(TOTAL as i64), shared::Release::Unsearched);
}
