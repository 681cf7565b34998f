//! The state of a running kernel, and how its closures stop.

use std::sync::Arc;

use super::error::RunError;
use super::value::{Array, Store};
use crate::ir::kernel::Var;

/// Compiled code that computes a `T`.
pub(super) type Code<T> = Box<dyn Fn(&mut Frame) -> Result<T, Stop> + Send + Sync>;

/// Compiled code that does something.
pub(super) type Action = Code<()>;

/// Why a statement did not come to its end: small, so that results travel in registers. The details of a fault wait in the frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Stop {
    Break,
    Fault,
}

/// A fault with variables not yet named.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    OutOfBounds(Var, usize, usize),
    NotOwned(Var, usize),
    Unfilled(Var),
    Overflow,
    CursorAtEnd(Var),
    Steps,
    Memory(Var, usize, u64),
}

impl Fault {
    pub(super) fn into_error(self, name: impl Fn(Var) -> String) -> RunError {
        match self {
            Fault::OutOfBounds(array, index, len) => RunError::OutOfBounds { array: name(array), index, len },
            Fault::NotOwned(array, index) => RunError::NotOwned { array: name(array), index },
            Fault::Unfilled(array) => RunError::Unfilled(name(array)),
            Fault::Overflow => RunError::Overflow,
            Fault::CursorAtEnd(cursor) => RunError::CursorAtEnd(name(cursor)),
            Fault::Steps => RunError::Steps,
            Fault::Memory(array, elements, left) => RunError::Memory { array: name(array), elements, left },
        }
    }
}

/// A cursor: a store and a position in it.
#[derive(Clone)]
pub(super) struct Cursor {
    pub store: Arc<Store>,
    pub at: usize,
}

/// One slot for each variable, in the table that its type asks for.
pub(super) struct Frame {
    pub scalars: Vec<u64>,
    pub arrays: Vec<Array>,
    pub stores: Vec<Option<Arc<Store>>>,
    pub cursors: Vec<Option<Cursor>>,
    /// What the current iteration of a parallel loop owns of each array.
    pub owned: Vec<(usize, usize)>,
    /// Where each part of an array begins that has a name, and how long it is.
    pub slices: Vec<(usize, usize)>,
    /// Where the current iteration pushes the next element of each array that its loop makes.
    pub next: Vec<usize>,
    pub steps: u64,
    pub memory: u64,
    pub fault: Option<Fault>,
}

impl Frame {
    #[cold]
    pub fn fail<T>(&mut self, fault: Fault) -> Result<T, Stop> {
        self.fault = Some(fault);
        Err(Stop::Fault)
    }

    /// Takes `n` steps from the budget.
    #[inline]
    pub fn tick(&mut self, n: u64) -> Result<(), Stop> {
        match self.steps.checked_sub(n) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => self.fail(Fault::Steps),
        }
    }

    /// Takes the `n` elements that an array grows by from the memory budget.
    #[inline]
    pub fn charge(&mut self, array: Var, n: usize) -> Result<(), Stop> {
        match self.memory.checked_sub(n as u64) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => self.fail(Fault::Memory(array, n, self.memory)),
        }
    }

    /// The length of a new array, taken from the memory budget; one that no number says is more than there is.
    pub fn length(&mut self, array: Var, len: &Code<usize>) -> Result<usize, Stop> {
        let len = match len(self) {
            Err(Stop::Fault) if matches!(self.fault, Some(Fault::Overflow)) => usize::MAX,
            len => len?,
        };
        self.charge(array, len).map(|()| len)
    }

    /// An iteration begins to push elements to its parts of arrays.
    pub fn begin(&mut self, pushed: &[Var]) {
        for array in pushed {
            self.next[array.0 as usize] = self.owned[array.0 as usize].0;
        }
    }

    /// The place of the element that is pushed next to an iteration's part of an array.
    pub fn place(&mut self, array: Var) -> Result<usize, Stop> {
        let at = self.next[array.0 as usize];
        self.own(array, at)?;
        self.next[array.0 as usize] += 1;
        Ok(at)
    }

    /// Checks that the iteration has filled its parts.
    pub fn filled(&mut self, pushed: &[Var]) -> Result<(), Stop> {
        let unfilled = |array: &&Var| self.next[array.0 as usize] < self.owned[array.0 as usize].1;
        match pushed.iter().find(unfilled) {
            Some(array) => self.fail(Fault::Unfilled(*array)),
            None => Ok(()),
        }
    }

    /// Checks that `index` of `array` belongs to the current iteration.
    #[inline]
    pub fn own(&mut self, array: Var, index: usize) -> Result<(), Stop> {
        let (lo, hi) = self.owned[array.0 as usize];
        if lo <= index && index < hi { Ok(()) } else { self.fail(Fault::NotOwned(array, index)) }
    }
}

/// Evaluates the bounds of a part of an array, checks them and charges for its length; an empty part may lie anywhere.
pub(super) fn checked_range(
    f: &mut Frame,
    array: Var,
    owned: bool,
    lo: &Code<usize>,
    hi: &Code<usize>,
) -> Result<(usize, usize), Stop> {
    let (lo, hi) = (lo(f)?, hi(f)?);
    if lo >= hi {
        return Ok((0, 0));
    }
    let len = f.arrays[array.0 as usize].len();
    if hi > len {
        return f.fail(Fault::OutOfBounds(array, hi - 1, len));
    }
    if owned {
        f.own(array, lo)?;
        f.own(array, hi - 1)?;
    }
    f.tick((hi - lo) as u64)?;
    Ok((lo, hi))
}
