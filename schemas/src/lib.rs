//! The bundled stores.
