//! Rows in an order that is not that of memory: each is found, prefetched and looked up some rows before its turn.
//!
//! ```text
//!   coordinates   … 20 21 22 23 24 25 26 27 28 29 30 31 │ 32 33 …
//!                    │           │           │           └ the places of 32 to 47 are found together
//!                    │           │           └ the row is prefetched
//!                    │           └ the row is looked up, and what it refers to is prefetched
//!                    └ its turn
//! ```

/// Rows whose places are found together.
const SOME: usize = 16;

/// A row is prefetched so many rows before its turn.
const ROW: usize = 8;

/// A row is looked up so many rows before its turn.
const SOON: usize = 4;

/// Calls `visit` with each of some coordinates and the row there, in their order.
///
/// `find` puts the places of some rows into a slice that holds `nowhere`, and prefetches what the other steps read there; `fetch` prefetches the row
/// at a place, `row` looks it up, and `soon` prefetches what the row refers to.
#[inline(always)]
pub fn ahead<P: Copy, R: Copy>(
    coords: &[u32],
    nowhere: P,
    find: impl Fn(&[u32], &mut [P]),
    fetch: impl Fn(P, usize),
    row: impl Fn(P, usize) -> Option<R>,
    mut soon: impl FnMut(u32, R),
    mut visit: impl FnMut(u32, Option<R>),
) {
    const { assert!(SOON < ROW && ROW < SOME) };
    // Of the rows from a multiple of `SOME` on, and of as many behind these.
    let mut places = [nowhere; 2 * SOME];
    let mut rows = [None; SOON];
    let some = |k: usize| &coords[k.min(coords.len())..coords.len().min(k + SOME)];
    find(some(0), &mut places[..SOME]);
    some(0).iter().zip(&places).take(ROW - SOON).for_each(|(&coord, &place)| fetch(place, coord as usize));
    for k in 0..coords.len() + SOON {
        if k.is_multiple_of(SOME) {
            let from = (k + SOME) % (2 * SOME);
            find(some(k + SOME), &mut places[from..from + SOME]);
        }
        if let Some(&later) = coords.get(k + ROW - SOON) {
            fetch(places[(k + ROW - SOON) % (2 * SOME)], later as usize);
        }
        let next = coords.get(k).and_then(|&coord| row(places[k % (2 * SOME)], coord as usize));
        if let Some(row) = next {
            soon(coords[k], row);
        }
        let found = std::mem::replace(&mut rows[k % SOON], next);
        if k >= SOON {
            visit(coords[k - SOON], found);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn every_row_has_its_steps_in_order() {
        for rows in [0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 100] {
            let coords: Vec<u32> = (0..rows).map(|k| k * 7 % 64).collect();
            let steps = RefCell::new((0, 0));
            let (mut near, mut visited) = (Vec::new(), Vec::new());
            ahead(
                &coords,
                usize::MAX,
                |coords, places| {
                    places.iter_mut().zip(coords).for_each(|(place, &coord)| *place = coord as usize + 1000);
                    steps.borrow_mut().0 += coords.len();
                },
                |place, coord| {
                    assert_eq!(place, coord + 1000);
                    steps.borrow_mut().1 += 1;
                },
                |place, coord| {
                    assert_eq!(place, coord + 1000);
                    (!coord.is_multiple_of(3)).then_some(coord)
                },
                |coord, row| near.push((coord, row)),
                |coord, row| visited.push((coord, row)),
            );
            let expected = |coord: u32| (coord, (!coord.is_multiple_of(3)).then_some(coord as usize));
            assert!(visited.iter().copied().eq(coords.iter().map(|&coord| expected(coord))), "{rows}");
            assert!(near.into_iter().eq(visited.into_iter().filter_map(|(coord, row)| Some((coord, row?)))), "{rows}");
            assert_eq!(steps.into_inner(), (coords.len(), coords.len()), "{rows}");
        }
    }
}
