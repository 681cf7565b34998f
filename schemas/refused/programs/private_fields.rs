//! Only functions that check invariants make such values: no literal can replace them.

use std::marker::PhantomData;

use pleach_refused::pleach_runtime::{Elements, Graveyard, RowBlock, Run, SharedOutput, SortedBatch};

fn main() {
    let _ = RowBlock::<'_, u32, String> { first_row: 0, offsets: &[0, 300, 2], elements: Elements::none() };
    let _ = SortedBatch::<'_, u32, String> { rows: &[0], offsets: &[0, 9], coords: &[], values: &[] };
    let _ = Run::<'_, '_, u32, String> { coords: &[1, 2], values: &[] };
    let _ = Graveyard { graves: Default::default() };
    let _ = SharedOutput::<'static, f64> { cells: &[] };
    let _ = Elements::<'static, u32, String> { coords: &[1], values: 1 as *mut String, marker: PhantomData };
}
