//! Sizes that an allocator hands out anyway.

/// Rounds a request up to what an allocator with four size classes a doubling (jemalloc, mimalloc) would hand out for it, so
/// that the rest of the class serves as room to insert into instead of being lost.
pub(crate) fn round_up(bytes: usize) -> usize {
    if bytes <= 128 {
        return bytes.next_multiple_of(16);
    }
    bytes.next_multiple_of(1 << ((bytes - 1).ilog2() - 2))
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn classes_are_those_of_the_allocator() {
        let pairs = [(0, 0), (1, 16), (128, 128), (129, 160), (160, 160), (161, 192), (1025, 1280), (2048, 2048)];
        for (bytes, class) in pairs {
            assert_eq!(round_up(bytes), class, "{bytes}");
        }
        for bytes in 1..5000 {
            let class = round_up(bytes);
            assert!(class >= bytes && class <= bytes + bytes / 4 + 16);
            assert_eq!(round_up(class), class);
        }
    }
}
