//! Nothing but a test: the programs in `programs/`, which misuse the crates in safe Rust, must not compile. Beside each lies the message of
//! the compiler; `TRYBUILD=overwrite cargo test -p pleach-refused` writes that anew, to be reviewed.
