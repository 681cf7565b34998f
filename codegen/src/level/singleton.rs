//! One coordinate for each parent.
//!
//! ```text
//! crd 1 3 0 2 3                  parent p   ->   position p, coordinate crd[p]
//!
//! interleaved with the level above, which keeps coordinate 2q at position q:
//! crd 0 1  0 3  2 0  2 2  2 3    parent p   ->   coordinate crd[2p + 1]
//! ```
//!
//! Padded, a position whose coordinate is the gap mark keeps no entry.

use super::*;

/// One coordinate for each parent.
#[derive(Debug)]
pub(super) struct Singleton;

impl Level for Singleton {
    fn name(&self) -> &str {
        "singleton"
    }

    fn switches(&self) -> &[Switch] {
        &[Switch::Order, Switch::Uniqueness, Switch::Interleaving, Switch::Padding]
    }

    fn properties(&self, switches: &Switches) -> Properties {
        Properties {
            full: false,
            ordered: switches.ordered.unwrap_or(true),
            unique: switches.unique.unwrap_or(true),
            branchless: true,
            compact: !switches.padded,
            zeroless: true,
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { position_iteration: true, append: true, ..Capabilities::default() }
    }

    fn fits(&self, place: &Place<'_>) -> Result<(), String> {
        if place.at == 0 {
            return Err(
                "a singleton keeps one coordinate for each entry of the level above, and there is none above".into()
            );
        }
        Ok(())
    }
}
