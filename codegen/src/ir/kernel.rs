//! Variables, parameters, results and the kernel itself.

use super::expr::Expr;
use super::stmt::Block;
use super::types::Type;
use crate::format::Coordinate;

/// A variable of one kernel: an index into its [`Vars`]. Two variables may bear the same name; see [`names`](super::names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct VarInfo {
    /// What it would like to be called: a lower-case Rust identifier such as `j` or `a_pos`.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The variables of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vars(Vec<VarInfo>);

impl Vars {
    /// No variables yet.
    pub fn new() -> Vars {
        Vars::default()
    }

    /// A new variable.
    pub fn fresh(&mut self, name: impl Into<String>, ty: impl Into<Type>) -> Var {
        let var = Var(u32::try_from(self.0.len()).expect("a kernel has fewer than 2^32 variables"));
        self.0.push(VarInfo { name: name.into(), ty: ty.into() });
        var
    }

    /// Has a variable ask for another name.
    pub fn rename(&mut self, var: Var, name: impl Into<String>) {
        self.0[var.0 as usize].name = name.into();
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All variables in the order of their making.
    pub fn iter(&self) -> impl Iterator<Item = (Var, &VarInfo)> {
        self.0.iter().enumerate().map(|(k, info)| (Var(k as u32), info))
    }

    /// A variable, if it belongs to this table.
    pub fn get(&self, var: Var) -> Option<&VarInfo> {
        self.0.get(var.0 as usize)
    }
}

impl std::ops::Index<Var> for Vars {
    type Output = VarInfo;

    fn index(&self, var: Var) -> &VarInfo {
        &self.0[var.0 as usize]
    }
}

/// A function that stands outside of a kernel: an index into [`Kernel::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A function that stands outside of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What the notation calls it.
    pub name: String,
    /// Where it is found, as its declaration says behind `extern`: backends know what that means.
    pub from: String,
}

/// What a kernel does with a tensor that its caller passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes its arrays in place; its scalars (extents) are only read.
    Write,
}

/// One array, scalar or store that a tensor is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it is within the tensor: `rows`, `pos`, `crd`, `vals`.
    pub name: String,
    /// The level it belongs to, counted from 0; none for values and for the extents of the whole.
    pub level: Option<usize>,
    /// The variable that holds it.
    pub var: Var,
}

/// How a tensor is put together, for whoever passes it as one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The format's name: `csr`.
    pub name: String,
    /// The levels, outermost first.
    pub levels: Vec<LevelLayout>,
    /// Whether several entries may have the same coordinates.
    pub repeats: bool,
    /// Whether it is a matrix in static rows or columns, as any library keeps them.
    pub lines: Option<Lines>,
    /// Where a result of static rows is to be held by the engine.
    pub held: Option<Held>,
}

impl Layout {
    /// Whether level 0 keeps index 0, level 1 keeps index 1, and so on, all of them in order, and no two entries have the same coordinates.
    /// Only such tensors are plain; the type of all others says what each level keeps, whether in order, and whether entries repeat.
    pub fn is_plain(&self) -> bool {
        let plain = |(at, level): (usize, &LevelLayout)| level.index() == Some(at) && !level.unordered;
        !self.repeats && self.levels.iter().enumerate().all(plain)
    }
}

/// One level of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelLayout {
    /// Its kind: `dense`, `compressed`, the name of a store.
    pub kind: String,
    /// What it keeps.
    pub coordinate: Coordinate,
    /// Whether its arrays are passed together, as one structure of the runtime. Otherwise each array is an argument of its own.
    pub structured: bool,
    /// Whether its arrays keep coordinates in any order, where those of its kind ascend as a rule.
    pub unordered: bool,
}

impl LevelLayout {
    /// The index that the level keeps; none where it keeps a number computed of indices.
    pub fn index(&self) -> Option<usize> {
        match self.coordinate {
            Coordinate::Index(m) => Some(m),
            _ => None,
        }
    }
}

/// The two ways of a matrix with an array of ascending coordinates for each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Compressed sparse rows.
    Rows,
    /// Compressed sparse columns.
    Columns,
}

/// A matrix of the engine: an outer level over rows of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The kind of the outer level: the runtime's, or a store's name.
    pub outer: String,
    /// Whether the outer level is a store, nested around the rows.
    pub nested: bool,
    /// The store that keeps each row.
    pub row: String,
}

/// A tensor as the kernel sees it: a parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The user's name: `A`.
    pub name: String,
    /// Its format, as printed in the kernel's documentation: `i: dense, j: compressed`; empty for a scalar.
    pub format: String,
    /// How it is put together; without it, it is passed field by field.
    pub layout: Option<Layout>,
    /// What the kernel does with it; [`Access::Write`] for a result.
    pub access: Access,
    /// What it is made of.
    pub fields: Vec<Field>,
}

/// Two extents that must agree before the kernel starts.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeCheck {
    /// One extent, a `usize` expression over the parameters.
    pub left: Expr,
    /// What it is, in the user's words: `` `y` along `i` ``.
    pub left_name: String,
    /// The other extent.
    pub right: Expr,
    /// What that one is.
    pub right_name: String,
}

impl ShapeCheck {
    /// How the left name of a check ends that bounds an extent by what memory can hold.
    pub const WITHIN_MEMORY: &str = "that fits into memory";

    /// What the left name of such a check says of a sparse tensor that gets an entry everywhere, for which the bound is 2^28.
    pub const EVERYWHERE: &str = "with an entry at each coordinate";
}

/// A kernel: what lowering makes of one statement in index notation for one choice of formats.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// A Rust identifier.
    pub name: String,
    /// Documentation, line by line: the expression and the formats it was compiled for.
    pub doc: Vec<String>,
    /// Every variable.
    pub vars: Vars,
    /// The functions that it calls.
    pub functions: Vec<Foreign>,
    /// What the caller passes, in the user's order.
    pub params: Vec<Tensor>,
    /// What must hold of the parameters' extents.
    pub checks: Vec<ShapeCheck>,
    /// What is done.
    pub body: Block,
    /// What is returned: variables declared at the top level of `body`.
    pub results: Vec<Tensor>,
}

impl Kernel {
    /// A function that it calls, if it belongs to its table.
    pub fn function(&self, id: FunctionId) -> Option<&Foreign> {
        self.functions.get(id.0 as usize)
    }

    /// The fields of all parameters with their access, in order.
    pub fn param_fields(&self) -> impl Iterator<Item = (Access, &Field)> {
        self.params.iter().flat_map(|t| t.fields.iter().map(move |f| (t.access, f)))
    }

    /// Whether a variable is passed by the caller.
    pub fn is_param(&self, v: Var) -> bool {
        self.param_fields().any(|(_, field)| field.var == v)
    }

    /// The fields of all results, in order.
    pub fn result_fields(&self) -> impl Iterator<Item = &Field> {
        self.results.iter().flat_map(|t| &t.fields)
    }
}
