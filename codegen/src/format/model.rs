//! A checked format: levels with resolved coordinates, properties switched, and the way back to the tensor's indices.

use std::fmt;
use std::sync::Arc;

use super::ast::RemapOp;
use super::inverse::Inverse;
use crate::level::{FieldKind, Kinds, Level, Properties, Switches};
use crate::notation::ast::Literal;

/// A format whose names are resolved and whose parameters are numbers.
#[derive(Clone, Debug)]
pub struct Format {
    /// What kernels compiled for it are named after: `csr`, `bcsr_4_4`, `dense_ctree`.
    pub name: String,
    /// The names of the tensor's own indices.
    pub indices: Vec<String>,
    /// The levels, outermost first.
    pub levels: Vec<FormatLevel>,
    /// The value of what is not stored, if the format says it.
    pub fill: Option<Literal>,
    /// For each index, how it is found again from the levels' coordinates.
    pub inverse: Vec<Inverse>,
}

/// One level of a format.
#[derive(Clone, Debug)]
pub struct FormatLevel {
    /// Which coordinate it keeps.
    pub coordinate: Coordinate,
    /// How it keeps it.
    pub kind: Arc<dyn Level>,
    /// Numbers for a store's parameters.
    pub args: Vec<i64>,
    /// What was written in brackets.
    pub switches: Switches,
    /// What holds of the level here.
    pub properties: Properties,
    /// Whether a shifted part is seen: an index along it may run where the part has no coordinates, also if `properties.full` holds.
    pub shifted: bool,
}

impl FormatLevel {
    /// A level that is accessed as a whole, not shifted.
    pub(crate) fn new(coordinate: Coordinate, kind: Arc<dyn Level>, args: Vec<i64>, switches: Switches) -> FormatLevel {
        let properties = kind.properties(&switches);
        FormatLevel { coordinate, kind, args, switches, properties, shifted: false }
    }

    /// The names and kinds of its fields. A level that is a store has the fields of the segments from which stores are built.
    pub(crate) fn kept(&self) -> Vec<(&'static str, FieldKind)> {
        let own = self.kind.fields(&self.switches);
        let in_stores = own.iter().any(|(_, kind)| *kind == FieldKind::Stores);
        if in_stores { Kinds::list().fields(&self.switches) } else { own }
    }

    /// The name of its first field of a kind.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub(crate) fn field(&self, kind: FieldKind) -> &'static str {
        self.kept().into_iter().find(|field| field.1 == kind).expect("a field of this kind").0
    }

    /// Whether its fields have exactly these kinds, in this order.
    pub(crate) fn keeps(&self, kinds: &[FieldKind]) -> bool {
        self.kept().iter().map(|field| field.1).eq(kinds.iter().copied())
    }

    /// Whether every coordinate that its index may have has a position.
    pub(crate) fn is_full(&self) -> bool {
        self.properties.full && !self.shifted
    }
}

/// A level for a plain index: the number of the index, the kind of the level, whether it is ordered, and whether it is unique.
pub(crate) type Keeps = (usize, Arc<dyn Level>, bool, bool);

impl Format {
    /// The format of entries that are sorted by these indices: a compressed level for each, but for the first if it is to be `dense`.
    pub(crate) fn sorted(indices: Vec<String>, dense: bool) -> Format {
        let kind = |m: usize| if m == 0 && dense { Kinds::array() } else { Kinds::list() };
        let levels = (0..indices.len()).map(|m| (m, kind(m), true, true)).collect();
        Format::keeping("sorted", &indices, None, levels)
    }

    /// A format whose levels keep plain indices, without computed coordinates.
    pub(crate) fn keeping(name: &str, indices: &[String], fill: Option<Literal>, levels: Vec<Keeps>) -> Format {
        let place = |n: usize| levels.iter().position(|level| level.0 == n).unwrap_or(0);
        let inverse = (0..indices.len()).map(|n| Inverse::Level(place(n))).collect();
        let level = |(m, kind, ordered, unique): Keeps| {
            let (ordered, unique) = ((!ordered).then_some(false), (!unique).then_some(false));
            let switches = Switches { ordered, unique, ..Switches::default() };
            FormatLevel::new(Coordinate::Index(m), kind, Vec::new(), switches)
        };
        let levels = levels.into_iter().map(level).collect();
        Format { name: name.to_owned(), indices: indices.to_vec(), levels, fill, inverse }
    }
}

/// Levels are the same if they are written the same.
impl PartialEq for FormatLevel {
    fn eq(&self, other: &FormatLevel) -> bool {
        self.coordinate == other.coordinate
            && self.kind.name() == other.kind.name()
            && self.args == other.args
            && self.switches == other.switches
    }
}

/// A coordinate as a function of the tensor's own indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// One of the tensor's indices, counted from 0.
    Index(usize),
    /// A constant.
    Const(i64),
    /// The n-th variable of a `let`, counted over the whole coordinate.
    Var(usize),
    /// How many entries with the same values of these indices came before this one.
    Counter(Vec<usize>),
    /// `-a`
    Neg(Box<Coordinate>),
    /// An operation of two.
    Binary(RemapOp, Box<Coordinate>, Box<Coordinate>),
    /// Binds a variable.
    Let(usize, Box<Coordinate>, Box<Coordinate>),
}

impl Coordinate {
    /// How many of its parts lie above each other.
    pub(crate) fn height(&self) -> usize {
        1 + match self {
            Coordinate::Neg(of) => of.height(),
            Coordinate::Binary(_, left, right) | Coordinate::Let(_, left, right) => left.height().max(right.height()),
            Coordinate::Index(_) | Coordinate::Counter(_) | Coordinate::Const(_) | Coordinate::Var(_) => 0,
        }
    }

    /// Whether it is computed from an index that `of` holds for. A counter is not: it is as large as entries make it.
    pub(crate) fn uses(&self, of: &impl Fn(usize) -> bool) -> bool {
        match self {
            Coordinate::Index(m) => of(*m),
            Coordinate::Counter(_) | Coordinate::Const(_) | Coordinate::Var(_) => false,
            Coordinate::Neg(inner) => inner.uses(of),
            Coordinate::Binary(_, left, right) | Coordinate::Let(_, left, right) => left.uses(of) || right.uses(of),
        }
    }

    /// Whether it depends on the other entries, and not on the coordinates of an entry alone.
    pub(crate) fn counts(&self) -> bool {
        match self {
            Coordinate::Counter(_) => true,
            Coordinate::Index(_) | Coordinate::Const(_) | Coordinate::Var(_) => false,
            Coordinate::Neg(of) => of.counts(),
            Coordinate::Binary(_, left, right) | Coordinate::Let(_, left, right) => left.counts() || right.counts(),
        }
    }

    /// `m / size`, also where it is written as a shift: `m` and `size`.
    pub(crate) fn quotient(&self) -> Option<(usize, i64)> {
        let Coordinate::Binary(op, left, right) = self else { return None };
        match (op, &**left, &**right) {
            (RemapOp::Div, Coordinate::Index(m), Coordinate::Const(size @ 1..)) => Some((*m, *size)),
            (RemapOp::Shr, Coordinate::Index(m), Coordinate::Const(by @ 0..62)) => Some((*m, 1 << by)),
            _ => None,
        }
    }

    /// `m % size`, also where it is written as a mask: `m` and `size`.
    pub(crate) fn remainder(&self) -> Option<(usize, i64)> {
        let Coordinate::Binary(op, left, right) = self else { return None };
        match (op, &**left, &**right) {
            (RemapOp::Rem, Coordinate::Index(m), Coordinate::Const(size @ 1..)) => Some((*m, *size)),
            (RemapOp::And, Coordinate::Index(m), Coordinate::Const(mask @ 0..0x3fff_ffff_ffff_ffff))
                if mask & (mask + 1) == 0 =>
            {
                Some((*m, mask + 1))
            }
            _ => None,
        }
    }

    /// The same for a tensor whose index `m` is called `indices[m]`.
    pub(crate) fn with_indices(&self, indices: &[usize]) -> Coordinate {
        let inner = |c: &Coordinate| Box::new(c.with_indices(indices));
        match self {
            Coordinate::Index(m) => Coordinate::Index(indices[*m]),
            Coordinate::Counter(of) => Coordinate::Counter(of.iter().map(|m| indices[*m]).collect()),
            Coordinate::Neg(of) => Coordinate::Neg(inner(of)),
            Coordinate::Binary(op, left, right) => Coordinate::Binary(*op, inner(left), inner(right)),
            Coordinate::Let(n, value, body) => Coordinate::Let(*n, inner(value), inner(body)),
            Coordinate::Const(_) | Coordinate::Var(_) => self.clone(),
        }
    }
}

impl Format {
    /// How many indices a tensor of this format has.
    pub fn rank(&self) -> usize {
        self.indices.len()
    }

    /// Whether every level keeps one of the tensor's own indices, each exactly once.
    pub fn is_plain(&self) -> bool {
        self.levels.len() == self.rank()
            && self.levels.iter().all(|level| matches!(level.coordinate, Coordinate::Index(_)))
    }

    /// Whether every coordinate has a place: nothing is ever missing, and the fill never seen.
    pub fn is_full(&self) -> bool {
        self.levels.iter().all(FormatLevel::is_full)
    }

    /// Whether every coordinate has a place of the tensor's own, which is computed from it.
    pub fn is_dense(&self) -> bool {
        self.is_full_in_place() && self.is_plain()
    }

    /// Whether every coordinate has a value, whose place follows from the coordinates alone: that of a dense tensor, or of one in dense blocks.
    pub fn is_full_in_place(&self) -> bool {
        let located = |at: usize| self.capabilities(at).locate && !self.levels[at].coordinate.counts();
        self.is_full() && (0..self.levels.len()).all(located)
    }

    /// Whether a level has a place for every coordinate along one of the dimensions for which `of` holds.
    pub(crate) fn spans(&self, of: impl Fn(usize) -> bool) -> bool {
        self.levels.iter().any(|level| level.spans(&of))
    }

    /// Whether every value of a tensor has a place of its own, so that it is written there.
    pub(crate) fn is_written_in_place(&self) -> bool {
        let can = |at: usize| self.capabilities(at).locate && self.capabilities(at).insert;
        self.is_plain() && self.is_full() && (0..self.levels.len()).all(can)
    }

    /// Whether there is a place for every entry and for nothing else: no padding, no full level below which nothing is left out.
    ///
    /// The innermost level that may have several coordinates for each position above decides, since levels below it have one each. If it keeps
    /// entries only, the levels above it do not matter: a position without entries has no places.
    pub fn keeps_entries_only(&self) -> bool {
        let segments = self.levels.iter().rfind(|level| !level.properties.branchless);
        let last = self.levels.last().is_some_and(|level| !level.properties.full);
        segments.is_some_and(|level| level.properties.zeroless)
            || last && self.levels.iter().all(|level| level.properties.full || level.properties.zeroless)
    }

    /// `i: dense, j: compressed`
    pub fn levels_text(&self) -> String {
        self.levels.iter().map(|level| self.level_text(level)).collect::<Vec<_>>().join(", ")
    }

    /// `(j - i): squeezed`
    pub fn level_text(&self, level: &FormatLevel) -> String {
        let coordinate = self.coordinate_text(&level.coordinate);
        let coordinate = match level.coordinate {
            Coordinate::Index(_) => coordinate,
            _ => format!("({coordinate})"),
        };
        let args = match level.args.as_slice() {
            [] => String::new(),
            args => format!("<{}>", args.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
        };
        format!("{coordinate}: {}{args}{}", level.kind.name(), level.switches)
    }

    /// The coordinate as it could have been written.
    pub fn coordinate_text(&self, coordinate: &Coordinate) -> String {
        fn go(format: &Format, c: &Coordinate, loosest: u8) -> String {
            let (text, binding) = match c {
                Coordinate::Index(m) => return format.indices[*m].clone(),
                Coordinate::Const(value) => return value.to_string(),
                Coordinate::Var(n) => return format!("v{n}"),
                Coordinate::Counter(of) => {
                    let of: Vec<&str> = of.iter().map(|m| format.indices[*m].as_str()).collect();
                    (format!("#{}", of.join(" ")), 1)
                }
                Coordinate::Neg(inner) => return format!("-{}", go(format, inner, u8::MAX)),
                Coordinate::Binary(op, left, right) => {
                    let b = op.binding();
                    (format!("{} {} {}", go(format, left, b - 1), op.symbol(), go(format, right, b)), b)
                }
                Coordinate::Let(n, value, body) => {
                    (format!("let v{n} = {} in {}", go(format, value, 0), go(format, body, 0)), 1)
                }
            };
            if binding <= loosest { format!("({text})") } else { text }
        }
        go(self, coordinate, 0)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.levels == other.levels && self.fill == other.fill && self.indices.len() == other.indices.len()
    }
}

/// `csr(i, j) = i: dense, j: compressed`
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}) = {}", self.name, self.indices.join(", "), self.levels_text())?;
        if let Some(fill) = self.fill {
            write!(f, " fill {fill}")?;
        }
        Ok(())
    }
}
