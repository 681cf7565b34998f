//! Nothing but tests. The programs in `programs/`, which misuse the crates in safe Rust, must not compile; nor must those in `messages/`, which
//! show the errors and warnings of the macro. Beside each lies the message of the compiler; `PLEACH_REFUSED=write cargo test -p pleach-refused`
//! writes that anew, to be reviewed.
