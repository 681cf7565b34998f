//! What generated code stands on.
