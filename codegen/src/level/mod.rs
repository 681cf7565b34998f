//! Levels: how the coordinates of one dimension are kept. Each kind is a plug-in that says what it can do, what holds of
//! it, and how its arrays are read and written; nothing else in the compiler knows a level by its name.
//!
//! Capabilities and properties are those of the format paper (sections 3.2 to 3.4) and, for stores described by a schema,
//! those of the dynamic-tensor paper.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::format::{Coordinate, Format};

mod banded;
mod compressed;
mod dense;
mod hashed;
mod offset;
mod range;
mod singleton;
mod sliced;
mod squeezed;
mod store;

pub use store::StoreLevel;

/// What holds of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Properties {
    /// Every valid coordinate is there.
    pub full: bool,
    /// Coordinates of one parent ascend.
    pub ordered: bool,
    /// No coordinate of one parent is there twice.
    pub unique: bool,
    /// Each parent has exactly one child.
    pub branchless: bool,
    /// Positions follow one another without a gap.
    pub compact: bool,
    /// What is stored was put there: no padding.
    pub zeroless: bool,
}

/// What a level can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Capabilities {
    /// Coordinates can be counted through between two bounds.
    pub value_iteration: bool,
    /// Positions can be counted through between two bounds, each giving its coordinate.
    pub position_iteration: bool,
    /// A coordinate can be looked up.
    pub locate: bool,
    /// Coordinates can be written in any order, at the position that `locate` gives.
    pub insert: bool,
    /// Coordinates can be appended in order.
    pub append: bool,
    /// All entries can be visited by a map.
    pub map: bool,
    /// Entries can be visited one by one with others in between.
    pub step: bool,
    /// A store can be built from a sequence of entries.
    pub build: bool,
}

/// What is written in brackets behind a level's kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Switches {
    /// `ordered` or `unordered`.
    pub ordered: Option<bool>,
    /// `unique` or `nonunique`.
    pub unique: Option<bool>,
    /// `interleaved`: coordinates lie beside those of the level above, entry by entry (an array of structs).
    pub interleaved: bool,
    /// `padded`: some positions keep no entry.
    pub padded: bool,
}

/// A property that a kind of level lets its user switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// `ordered`, `unordered`
    Order,
    /// `unique`, `nonunique`
    Uniqueness,
    /// `interleaved`
    Interleaving,
    /// `padded`
    Padding,
}

impl Switch {
    /// The words that switch it.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Switch::Order => &["ordered", "unordered"],
            Switch::Uniqueness => &["unique", "nonunique"],
            Switch::Interleaving => &["interleaved"],
            Switch::Padding => &["padded"],
        }
    }
}

impl fmt::Display for Switches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.ordered.map(|yes| if yes { "ordered" } else { "unordered" }));
        words.extend(self.unique.map(|yes| if yes { "unique" } else { "nonunique" }));
        words.extend(self.interleaved.then_some("interleaved"));
        words.extend(self.padded.then_some("padded"));
        if words.is_empty() { Ok(()) } else { write!(f, "({})", words.join(", ")) }
    }
}

/// Where a level stands in a format.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The coordinates of all levels.
    pub coordinates: &'a [Coordinate],
    /// The kinds of the levels above.
    pub above: &'a [Arc<dyn Level>],
    /// Which one it is, counted from 0.
    pub at: usize,
    /// Names of the tensor's indices.
    pub indices: &'a [String],
}

/// A kind of level.
pub trait Level: fmt::Debug + Send + Sync {
    /// What formats call it.
    fn name(&self) -> &str;

    /// How many numbers it takes in angle brackets, at most.
    fn parameters(&self) -> usize {
        0
    }

    /// Which properties can be switched.
    fn switches(&self) -> &[Switch] {
        &[]
    }

    /// What holds of it, switched so.
    fn properties(&self, switches: &Switches) -> Properties;

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Whether it can stand there.
    ///
    /// # Errors
    ///
    /// What it asks of its coordinate and of the levels above, in the user's words.
    fn fits(&self, place: &Place<'_>) -> Result<(), String> {
        match place.coordinates[place.at] {
            Coordinate::Counter(_) => Err(format!(
                "a counter has no bounds that `{}` could keep; `sliced` finds them from the entries",
                self.name()
            )),
            _ => Ok(()),
        }
    }
}

/// The kinds of levels that are in scope, by name.
#[derive(Clone, Debug)]
pub struct Kinds(BTreeMap<String, Arc<dyn Level>>);

impl Kinds {
    /// The levels that need no store.
    pub fn fixed() -> Kinds {
        let mut kinds = Kinds(BTreeMap::new());
        kinds.add(Arc::new(dense::Dense));
        kinds.add(Arc::new(compressed::Compressed));
        kinds.add(Arc::new(singleton::Singleton));
        kinds.add(Arc::new(range::Range));
        kinds.add(Arc::new(offset::Offset));
        kinds.add(Arc::new(hashed::Hashed));
        kinds.add(Arc::new(squeezed::Squeezed));
        kinds.add(Arc::new(sliced::Sliced));
        kinds.add(Arc::new(banded::Banded));
        kinds
    }

    /// Adds a kind, or replaces the one of the same name.
    pub fn add(&mut self, kind: Arc<dyn Level>) {
        self.0.insert(kind.name().to_owned(), kind);
    }

    /// The kind called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Level>> {
        self.0.get(name)
    }

    /// All names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// A level that stands in a format: what the other passes ask about.
impl Format {
    /// The property-based capabilities of level `at`.
    pub fn capabilities(&self, at: usize) -> Capabilities {
        self.levels[at].kind.capabilities()
    }
}

/// If a level above keeps the difference of index `m` and another one, that other one.
fn difference_above(place: &Place<'_>, m: usize) -> Option<usize> {
    use crate::format::ast::RemapOp;
    place.coordinates[..place.at].iter().find_map(|above| match above {
        Coordinate::Binary(RemapOp::Sub, left, right) => match (&**left, &**right) {
            (Coordinate::Index(a), Coordinate::Index(b)) if *a == m && *b != m => Some(*b),
            (Coordinate::Index(a), Coordinate::Index(b)) if *b == m && *a != m => Some(*a),
            _ => None,
        },
        _ => None,
    })
}
