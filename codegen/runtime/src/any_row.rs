//! Row handles whose type only the reader knows.

use std::any::{TypeId, type_name};
use std::mem::MaybeUninit;

use crate::Store;

/// Two words: what the largest handle of a bundled store takes.
type Words = MaybeUninit<[*mut (); 2]>;

/// A handle of a row store of any type, as a value of an outer store that is compiled once for all of them.
///
/// ```
/// # use pleach_runtime::{AnyRow, Elements, Fiber, Packed, Store};
/// let row: Packed<u32, f64> = Store::build_row(Elements::copied(&[3, 5], &[0.25, 0.5]));
/// let any = AnyRow::new(row);
/// assert_eq!(any.clone().get::<Packed<u32, f64>>().fiber().locate(5), Some(&0.5));
/// ```
pub struct AnyRow {
    /// The handle, or the box that holds it if it is larger; which of them, its type says.
    words: Words,
    table: &'static Table,
}

/// What is done with a handle without knowing its type.
struct Table {
    id: TypeId,
    name: fn() -> &'static str,
    clone: fn(&AnyRow) -> AnyRow,
    /// Ends the handle's life.
    drop: unsafe fn(&mut AnyRow),
}

/// Whether handles of type `R` lie in the words themselves.
const fn inline<R>() -> bool {
    size_of::<R>() <= size_of::<Words>() && align_of::<R>() <= align_of::<Words>()
}

impl AnyRow {
    /// Holds a handle.
    pub fn new<R: Store>(row: R) -> Self {
        let mut words = Words::uninit();
        if const { inline::<R>() } {
            // SAFETY: the words are as large and as aligned as the handle, which moves there.
            unsafe { words.as_mut_ptr().cast::<R>().write(row) };
        } else {
            // SAFETY: a word is as large as the pointer that is written to it.
            unsafe { words.as_mut_ptr().cast::<*mut R>().write(Box::into_raw(Box::new(row))) };
        }
        let table =
            const { &Table { id: TypeId::of::<R>(), name: type_name::<R>, clone: clone::<R>, drop: drop::<R> } };
        AnyRow { words, table }
    }

    /// The handle.
    ///
    /// # Panics
    ///
    /// If it is of another type.
    #[inline(always)]
    pub fn get<R: Store>(&self) -> &R {
        self.check::<R>();
        // SAFETY: the type says that the words hold an `R`, or the box of one, and they are borrowed as long as the result.
        unsafe {
            if const { inline::<R>() } { &*self.words.as_ptr().cast() } else { &**self.words.as_ptr().cast::<*mut R>() }
        }
    }

    /// The handle, to be changed.
    ///
    /// # Panics
    ///
    /// If it is of another type.
    #[inline(always)]
    pub fn get_mut<R: Store>(&mut self) -> &mut R {
        self.check::<R>();
        let words = self.words.as_mut_ptr();
        // SAFETY: as in `get`; the words are borrowed alone.
        unsafe { if const { inline::<R>() } { &mut *words.cast() } else { &mut **words.cast::<*mut R>() } }
    }

    #[inline(always)]
    fn check<R: Store>(&self) {
        if self.table.id != TypeId::of::<R>() {
            self.mismatch(type_name::<R>());
        }
    }

    #[cold]
    fn mismatch(&self, asked: &str) -> ! {
        panic!("a row of type {} is no {asked}", (self.table.name)())
    }
}

fn clone<R: Store>(row: &AnyRow) -> AnyRow {
    AnyRow::new(row.get::<R>().clone())
}

/// # Safety
///
/// The row is of type `R` and not used any more.
unsafe fn drop<R: Store>(row: &mut AnyRow) {
    let words = row.words.as_mut_ptr();
    // SAFETY: the words hold an `R`, or the box of one, which nobody uses any more.
    unsafe {
        if const { inline::<R>() } {
            words.cast::<R>().drop_in_place();
        } else {
            std::mem::drop(Box::from_raw(words.cast::<*mut R>().read()));
        }
    }
}

impl Clone for AnyRow {
    fn clone(&self) -> Self {
        (self.table.clone)(self)
    }
}

impl Drop for AnyRow {
    fn drop(&mut self) {
        // SAFETY: the table is that of the handle's type, and nothing is used after its drop.
        unsafe { (self.table.drop)(self) }
    }
}

// SAFETY: what is held is a store, which is `Send`.
unsafe impl Send for AnyRow {}

// SAFETY: what is held is a store, which is `Sync`.
unsafe impl Sync for AnyRow {}
