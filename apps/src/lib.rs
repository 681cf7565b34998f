//! Graph algorithms and the command line.
