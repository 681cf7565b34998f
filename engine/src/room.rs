//! Whether memory can be allocated, found out before it is needed.

use pleach_runtime::attempt;

/// Fewer bytes than this are not tried beforehand.
const LARGE: usize = 1 << 26;

/// Whether so many bytes can be allocated in one piece: allocates them, and frees them again. Few bytes are not tried.
pub(crate) fn has_room(bytes: usize) -> bool {
    bytes <= LARGE || attempt(|| Vec::<u8>::new().try_reserve_exact(bytes)).is_ok()
}
