//! A level kept by a store that a node schema describes.
//!
//! ```text
//! parent p   ->   stores[p], whose entries are the coordinates of p, run by run
//! ```

use super::*;

/// What the compiler needs to know of a store; derived from its schema.
#[derive(Clone, Debug)]
pub struct StoreLevel {
    /// Its name.
    pub name: String,
    /// How many numbers it takes in angle brackets.
    pub parameters: usize,
    /// What holds of it.
    pub properties: Properties,
    /// What it can do.
    pub capabilities: Capabilities,
}

impl Level for StoreLevel {
    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> usize {
        self.parameters
    }

    fn properties(&self, _: &Switches) -> Properties {
        self.properties
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }
}
