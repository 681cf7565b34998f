//! From errors and panics to a status and a message.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach::graph::{GraphError, IdsError};

/// What a function returns. The values are those of `enum pleach_status` in `pleach.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It did what it was to do.
    Ok = 0,
    /// A pointer is null that must not be.
    NullPointer = 1,
    /// A handle names nothing, nothing any more, or something of another kind.
    BadHandle = 2,
    /// An argument is not one that the function takes.
    BadArgument = 3,
    /// A vertex is not in the graph.
    NoVertex = 4,
    /// The edges of the graph have no weights.
    NoWeights = 5,
    /// An array is too short for the result.
    BufferTooSmall = 6,
    /// There are too many vertices or handles.
    TooMany = 7,
    /// Memory cannot be allocated.
    OutOfMemory = 8,
    /// The algorithm was cancelled.
    Cancelled = 9,
    /// A defect of Pleach.
    Panic = 10,
}

/// Why a function fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Failure { status, message: message.into() }
    }

    pub(crate) fn argument(message: impl fmt::Display) -> Self {
        Failure::new(Status::BadArgument, message.to_string())
    }

    pub(crate) fn no_vertex(id: u64) -> Self {
        Failure::new(Status::NoVertex, format!("there is no vertex {id}"))
    }

    pub(crate) fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Failure::new(Status::Panic, format!("this is a defect of Pleach, please report it: {text}"))
    }
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        let status = match error {
            GraphError::OutOfMemory { .. } => Status::OutOfMemory,
            GraphError::NoWeights { .. } => Status::NoWeights,
            GraphError::VertexOutOfRange { .. } | GraphError::TooFar { .. } => Status::TooMany,
            _ => Status::Panic,
        };
        Failure::new(status, error.to_string())
    }
}

impl From<IdsError> for Failure {
    fn from(error: IdsError) -> Self {
        let status = match error {
            IdsError::OutOfMemory { .. } => Status::OutOfMemory,
            IdsError::Full => Status::TooMany,
            _ => Status::Panic,
        };
        Failure::new(status, error.to_string())
    }
}

thread_local! {
    /// The message of the last failure of this thread.
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs what a function does. Keeps the message of a failure, and lets no panic out.
pub(crate) fn guard(run: impl FnOnce() -> Result<(), Failure>) -> Status {
    // What a panic leaves in the middle of a change is never seen: graphs go back to the last batch, and the rest is dropped.
    let done = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(Failure::panicked(&*panic)));
    let Err(Failure { status, message }) = done else { return Status::Ok };
    let message = CString::new(message.replace('\0', "")).unwrap_or_default();
    // A thread that is ending keeps no message any more.
    let _ = MESSAGE.try_with(|last| last.replace(message));
    status
}

/// The message of the last failure of this thread; empty if there was none.
pub(crate) fn last_message() -> *const c_char {
    const NONE: &CStr = c"";
    MESSAGE.try_with(|last| last.borrow().as_ptr()).unwrap_or(NONE.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> String {
        MESSAGE.with(|last| last.borrow().to_str().unwrap().to_owned())
    }

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(guard(|| panic!("a {} that\0 failed", "check")), Status::Panic);
        assert_eq!(message(), "this is a defect of Pleach, please report it: a check that failed");
        assert_eq!(guard(|| std::panic::panic_any(7)), Status::Panic);
        assert!(message().ends_with("no message"));
        assert_eq!(guard(|| Err(Failure::no_vertex(3))), Status::NoVertex);
        assert_eq!(guard(|| Ok(())), Status::Ok);
        assert_eq!(message(), "there is no vertex 3", "a success leaves the message");
        std::thread::spawn(|| assert_eq!(message(), "")).join().unwrap();
    }
}
