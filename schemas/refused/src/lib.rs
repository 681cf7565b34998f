//! Nothing but a test: the programs in `programs/`, written in safe Rust by somebody who means harm, must not compile. Beside each
//! lies what the compiler says of it; `TRYBUILD=overwrite cargo test -p pleach-refused` writes that anew, to be reviewed.
