//! The Pleach compiler: four small notations in, Rust out.
