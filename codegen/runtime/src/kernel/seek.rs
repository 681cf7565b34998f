//! Galloping: the way from one coordinate of an ascending array to another one, in the logarithm of the distance.

/// What ascending arrays hold: coordinates, or positions.
pub trait Sought: Copy {
    /// It as a number.
    fn number(self) -> usize;
}

impl Sought for u32 {
    #[inline(always)]
    fn number(self) -> usize {
        self as usize
    }
}

impl Sought for usize {
    #[inline(always)]
    fn number(self) -> usize {
        self
    }
}

/// The first position from `from` on at which `coords` holds `coord` or more; `to` if none below `to` does. `coords[from..to]` ascend.
///
/// Steps double until they pass `coord`, and the last one is searched by halves. The next position is looked at first, so that a caller
/// who moves on by one pays for one comparison.
///
/// # Panics
///
/// If `to` is beyond the end of `coords` and positions there are looked at.
#[inline]
pub fn seek<C: Sought>(coords: &[C], from: usize, to: usize, coord: usize) -> usize {
    if from >= to || coords[from].number() >= coord { from } else { far(&coords[..to], from, coord) }
}

/// The same, where the coordinate at `from` is less than `coord`.
#[inline(never)]
fn far<C: Sought>(coords: &[C], from: usize, coord: usize) -> usize {
    let (mut below, mut step) = (from, 1);
    while coords.get(below + step).is_some_and(|&c| c.number() < coord) {
        below += step;
        step *= 2;
    }
    let end = coords.len().min(below + step);
    below + 1 + coords[below + 1..end].partition_point(|&c| c.number() < coord)
}

#[cfg(test)]
mod tests {
    use super::seek;

    #[test]
    fn every_coordinate_is_found_from_everywhere() {
        let coords = [1, 3, 4, 9, 10, 11, 40, 41, 100, u32::MAX];
        for to in 0..=coords.len() {
            for from in 0..=to {
                for coord in (0..110).chain([u32::MAX as usize, u32::MAX as usize + 1]) {
                    let expected = (from..to).find(|&p| coords[p] as usize >= coord).unwrap_or(to);
                    assert_eq!(seek(&coords, from, to, coord), expected, "{from}..{to}, {coord}");
                }
            }
        }
        assert_eq!(seek::<u32>(&[], 0, 0, 7), 0);
        assert_eq!(seek(&[0usize, 2, 2, 9], 0, 4, 3), 3);
        assert_eq!(seek(&coords, 7, 3, 0), 7);
    }
}
