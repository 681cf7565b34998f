//! Levels: how the coordinates of one dimension are kept. Each kind is a plug-in that says what it can do, what holds of
//! it, and how its arrays are read and written; nothing else in the compiler knows a level by its name.
//!
//! Capabilities and properties are those of the format paper (sections 3.2 to 3.4) and, for stores described by a schema,
//! those of the dynamic-tensor paper.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::format::{Coordinate, Format};
pub use crate::ir::Growth;
use crate::ir::{Block, Expr, Stmt, Vars};

mod banded;
mod compressed;
mod dense;
mod diagonal;
mod extent;
mod hashed;
mod insert;
mod offset;
mod range;
mod singleton;
mod sliced;
mod squeezed;
mod store;
mod walk;
mod window;

use diagonal::{Diagonal, difference_above};
pub(crate) use extent::extent;
pub use insert::{By, ByTask, Insertion, Kept, Made, Making, Question, Statistic};
pub use store::StoreLevel;
pub(crate) use walk::array_of;
pub use walk::{Located, Packed, Packing, Spot, Walk};
pub(crate) use window::Window;

/// The coordinate of a position that keeps no entry.
pub const GAP: u32 = u32::MAX;

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

/// What is known of a tensor's entries before it is stored: what decides how large a level becomes.
#[derive(Clone, Copy, Debug)]
pub struct Tally<'a> {
    /// How many parents there are.
    pub parents: u128,
    /// How many coordinates there can be.
    pub extent: u128,
    /// How many entries there are; for a level that keeps equal coordinates once, how many different paths of coordinates lead to it.
    pub distinct: u128,
    /// How many different coordinates occur under any parent.
    pub own: u128,
    /// One more than the largest coordinate.
    pub most: u128,
    /// The lengths of all intervals from the first to the last coordinate of a parent.
    pub bands: u128,
    /// The most different coordinates of one parent.
    pub longest: u128,
    /// What was written in brackets.
    pub switches: &'a Switches,
}

/// What a level keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// One number, a `usize`.
    Size,
    /// An array of positions, `usize`.
    Positions,
    /// An array of coordinates, `u32`.
    Coordinates,
    /// An array of stores, one for each parent.
    Stores,
}

/// The fields of a level that stores entries in segments, one for each parent: where each segment ends, and the coordinates.
pub(crate) const SEGMENTS: [FieldKind; 2] = [FieldKind::Positions, FieldKind::Coordinates];

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

    /// What it stores, in one sentence for the reference of levels.
    fn summary(&self) -> &str;

    /// Whether it is a table of rows that the runtime keeps, whose entries are stores.
    fn is_table(&self) -> bool {
        false
    }

    /// Whether its arrays are passed together, as a structure of the runtime that has the name of the level. Otherwise each array is an argument
    /// of its own.
    fn is_structured(&self) -> bool {
        false
    }

    /// The default of each number that it takes in angle brackets.
    fn parameters(&self) -> &[i64] {
        &[]
    }

    /// Which properties can be switched.
    fn switches(&self) -> &[Switch] {
        &[]
    }

    /// What holds of it, switched so.
    fn properties(&self, switches: &Switches) -> Properties;

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// How the cost of looking up one coordinate grows with the number of entries of a parent; `None` if the level cannot be searched. By default
    /// the position is computed in constant time. All other operations visit entries one by one.
    fn lookup(&self, switches: &Switches) -> Option<Growth> {
        let _ = switches;
        self.capabilities().locate.then_some(Growth::Constant)
    }

    /// The arrays and numbers it keeps, in the order in which tensors hold them.
    fn fields(&self, switches: &Switches) -> Vec<(&'static str, FieldKind)> {
        let _ = switches;
        Vec::new()
    }

    /// Code that walks the coordinates of one parent.
    fn walk(&self, spot: &Spot<'_>) -> Walk;

    /// Code that looks a coordinate up; `None` if the level cannot.
    fn locate(&self, spot: &Spot<'_>, coordinate: Expr, vars: &mut Vars) -> Option<Located> {
        let _ = (spot, coordinate, vars);
        None
    }

    /// Whether the level, below one that keeps the difference of its index and another one, has only coordinates with which that other
    /// index stays within the tensor.
    fn keeps_within_diagonals(&self) -> bool {
        false
    }

    /// How the level is made from entries; `None` if the level cannot.
    fn insertion(&self) -> Option<&dyn Insertion> {
        None
    }

    /// How many positions the level has for entries of which `tally` is known: each coordinate of a parent once, unless the level keeps
    /// places for more.
    fn stored(&self, tally: &Tally) -> u128 {
        if self.properties(tally.switches).branchless { tally.parents } else { tally.distinct }
    }

    /// How long an array is that is needed only while the level is made.
    fn workspace(&self, tally: &Tally) -> u128 {
        let _ = tally;
        0
    }

    /// Makes the level from entries, the plain way: what tests and interpreted kernels are fed with.
    fn pack(&self, packing: &Packing<'_>) -> Packed;

    /// The coordinates of one parent and their positions, the plain way.
    fn children(&self, packed: &Packed, packing: &Packing<'_>, parent: usize, above: &[usize]) -> Vec<(usize, usize)>;

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

    /// The level that keeps the coordinates of each parent as a list: what operands are sorted into, and results without a store made
    /// as.
    pub fn list() -> Arc<dyn Level> {
        Arc::new(compressed::Compressed)
    }

    /// The level that keeps one coordinate for each parent: what follows the first coordinate of an entry in a list.
    pub fn single() -> Arc<dyn Level> {
        Arc::new(singleton::Singleton)
    }

    /// The level that has a position for every coordinate: the rows of results without a store.
    pub fn array() -> Arc<dyn Level> {
        Arc::new(dense::Dense)
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
