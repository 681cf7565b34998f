//! Nothing but tests. The programs in `programs/`, which misuse the crates in safe Rust, must not compile; nor must those in `messages/`, which
//! show the errors and warnings of the macro. Beside each lies the message of the compiler; `PLEACH_REFUSED=write cargo test -p pleach-refused`
//! writes that anew, to be reviewed.

// The programs name these crates through this one, so that all three are of the build that it was linked with.
pub use pleach_macros::pleach;
pub use {pleach_runtime, pleach_stores};
