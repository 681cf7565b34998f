//! The calling convention: what each tensor of a kernel is passed or returned as, as data.
//!
//! ```text
//!   y   slice    written    vals: [f64]                                    x: dense
//!   A   rows     read       stores: [ctree of f64]                         A: (dense, ctree)
//!   B   whole    read       extents: rows, cols                            B: csr
//!                           level 0: dense
//!                           level 1: compressed  pos: [usize]  crd: [u32]
//!                           vals: [f64]
//! ```
//!
//! [`Kernel::convention`] makes it of a kernel, and whoever calls kernels or prints functions for them reads it: the Rust printer, the
//! callers of the tests, any other backend. The variables are those of the kernel. Its text form is what the example shows.

use std::fmt;

use super::kernel::{Access, Field, Kernel, LevelLayout, Tensor, Var};
use super::types::{ArrayType, Element, Scalar, StoreType, Type};

/// What the tensors of a kernel are passed and returned as.
#[derive(Clone, Debug, PartialEq)]
pub struct Convention<'k> {
    kernel: &'k Kernel,
    /// The parameters, in the caller's order.
    pub params: Vec<Passed<'k>>,
    /// The results, in the caller's order.
    pub results: Vec<Passed<'k>>,
}

/// How one tensor is passed or returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed<'k> {
    /// The tensor.
    pub tensor: &'k Tensor,
    /// As what.
    pub form: Form,
    /// Whether it is read, written or returned.
    pub mode: Mode,
    /// The extents, one for each index.
    pub extents: Vec<Var>,
    /// The levels, outermost first, without those whose stores are the entries of stores above them.
    pub levels: Vec<Level<'k>>,
    /// The values.
    pub values: Values,
}

/// As what a tensor is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each of its fields by itself.
    Fields,
    /// As one array, whose length is the extent: one dense level.
    Slice(Var),
    /// As a matrix whose rows are stores: two levels, of which the inner one is kept by this variable.
    Rows(Var),
    /// As one structure of extents, levels and values.
    Whole,
}

/// What a kernel does with what is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Reads it: the caller lends it.
    Read,
    /// Writes the values in place: the caller lends them for that. Extents and levels are read.
    Write,
    /// Makes and returns it. Its arrays are growable; they belong to the caller then.
    Return,
}

/// One level.
#[derive(Clone, Debug, PartialEq)]
pub struct Level<'k> {
    /// Its number, counted from the outermost.
    pub at: usize,
    /// Its kind, and what it keeps.
    pub layout: &'k LevelLayout,
    /// How many coordinates it has, where that is a number of its own.
    pub extent: Option<Var>,
    /// Its other fields: arrays and numbers. Empty where stores keep the level.
    pub fields: Vec<&'k Field>,
    /// What keeps the level, if stores do: one store, or an array of them.
    pub stores: Option<Var>,
}

/// Where the values of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// In an array, by position in the innermost level.
    Array(Var),
    /// In the stores of the innermost level.
    Stores,
    /// Nowhere: only the pattern is kept.
    None,
}

impl Kernel {
    /// What the tensors of the kernel are passed and returned as.
    pub fn convention(&self) -> Convention<'_> {
        Convention {
            kernel: self,
            params: self.params.iter().map(|tensor| self.passed(tensor)).collect(),
            results: self.results.iter().map(|tensor| self.returned(tensor)).collect(),
        }
    }

    /// What a parameter is passed as.
    pub fn passed<'k>(&'k self, tensor: &'k Tensor) -> Passed<'k> {
        let mode = match tensor.access {
            Access::Read => Mode::Read,
            Access::Write => Mode::Write,
        };
        self.parts(tensor, mode)
    }

    /// What a result is returned as.
    pub fn returned<'k>(&'k self, tensor: &'k Tensor) -> Passed<'k> {
        self.parts(tensor, Mode::Return)
    }

    fn parts<'k>(&'k self, tensor: &'k Tensor, mode: Mode) -> Passed<'k> {
        let levels = self.levels(tensor);
        let values = tensor.fields.iter().find(|field| field.level.is_none() && field.name == "vals");
        let values = match values {
            Some(values) => Values::Array(values.var),
            None if levels.last().is_some_and(|level| level.stores.is_some()) => Values::Stores,
            None => Values::None,
        };
        Passed { tensor, form: self.form(tensor), mode, extents: tensor.extents().collect(), levels, values }
    }

    /// The levels of a tensor without those whose stores are held by the stores above them.
    fn levels<'k>(&'k self, tensor: &'k Tensor) -> Vec<Level<'k>> {
        let layouts = tensor.layout.iter().flat_map(|layout| &layout.levels);
        let mut held = 0;
        let mut all = Vec::new();
        for (at, layout) in layouts.enumerate() {
            if held > 0 {
                held -= 1;
                continue;
            }
            let own = || tensor.fields.iter().filter(move |field| field.level == Some(at));
            let stores = own().find(|field| self.is_stores(field.var)).map(|field| field.var);
            held = stores.map_or(0, |stores| stores_below(&self.vars[stores].ty));
            let extent = own().find(|field| field.name == "extent").map(|field| field.var);
            let fields = own().filter(|field| field.name != "extent" && stores.is_none()).collect();
            all.push(Level { at, layout, extent, fields, stores });
        }
        all
    }

    /// As what a tensor is passed.
    pub fn form(&self, tensor: &Tensor) -> Form {
        let Some(layout) = &tensor.layout else { return Form::Fields };
        let unstructured = |(at, level): (usize, &LevelLayout)| {
            let mut own =
                tensor.fields.iter().filter(|field| field.level == Some(at) && field.name != "extent").peekable();
            own.peek().is_some() && own.all(|field| !self.is_stores(field.var)) && !level.structured
        };
        if layout.levels.iter().enumerate().any(unstructured) {
            return Form::Fields;
        }
        let of_levels = tensor.fields.iter().filter(|field| field.level.is_some()).count();
        let stores = tensor.fields.iter().find(|field| self.is_stores(field.var));
        let vals = tensor.fields.iter().find(|field| field.name == "vals");
        match (layout.levels.len(), stores, vals) {
            (1, None, Some(vals)) if of_levels == 0 && layout.is_plain() => Form::Slice(vals.var),
            // A matrix by columns is no matrix by rows: it is passed whole, and its type says what its levels keep.
            (2, Some(stores), _)
                if of_levels == 1
                    && layout.is_plain()
                    && stores.level.is_some_and(|at| at + stores_below(&self.vars[stores.var].ty) == 1) =>
            {
                Form::Rows(stores.var)
            }
            _ => Form::Whole,
        }
    }

    /// Whether a variable is a store, or an array of them.
    pub fn is_stores(&self, v: Var) -> bool {
        matches!(self.vars[v].ty, Type::Store(_) | Type::Array(ArrayType { element: Element::Store(_), .. }))
    }
}

/// How many levels of stores are held by the stores of a type.
fn stores_below(ty: &Type) -> usize {
    let (Type::Store(StoreType { element, .. }) | Type::Array(ArrayType { element, .. })) = ty else { return 0 };
    let (mut element, mut levels) = (element, usize::from(matches!(ty, Type::Store(_))));
    while let Element::Store(store) = element {
        (element, levels) = (&store.element, levels + 1);
    }
    levels.saturating_sub(1)
}

impl Tensor {
    /// The variables that hold the extents of the tensor, one for each index.
    pub fn extents(&self) -> impl Iterator<Item = Var> {
        let extents =
            self.fields.iter().filter(|field| field.level.is_none() && field.name != "vals" && field.name != "value");
        extents.map(|field| field.var)
    }
}

impl Passed<'_> {
    /// Whether fields of a level have no place in what is passed: stores below other stores whose entries are not they.
    pub fn leaves_out(&self) -> bool {
        let passed = |at: usize| self.levels.iter().any(|level| level.at == at);
        self.tensor.fields.iter().any(|field| field.level.is_some_and(|at| !passed(at)))
    }

    /// Whether stores keep any of the levels.
    pub fn has_stores(&self) -> bool {
        self.levels.iter().any(|level| level.stores.is_some())
    }

    /// Whether level 0 keeps index 0, level 1 keeps index 1, and so on, and no coordinates repeat. If not, what the levels keep is part of
    /// the type of a tensor that is passed whole.
    pub fn is_plain(&self) -> bool {
        self.tensor.layout.as_ref().is_none_or(|layout| layout.is_plain())
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Form::Fields => "fields",
            Form::Slice(_) => "slice",
            Form::Rows(_) => "rows",
            Form::Whole => "whole",
        })
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::Read => "read",
            Mode::Write => "written",
            Mode::Return => "returned",
        })
    }
}

impl fmt::Display for Convention<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.params.iter().chain(&self.results).map(|passed| passed.tensor.name.len()).max().unwrap_or(0);
        for passed in self.params.iter().chain(&self.results) {
            write!(f, "{:width$}   {:<8} {:<10}", passed.tensor.name, passed.form, passed.mode)?;
            let lines = self.lines(passed);
            let indent = width + 3 + 8 + 1 + 10;
            for (n, line) in lines.iter().enumerate() {
                if n > 0 {
                    write!(f, "{:indent$}", "")?;
                }
                writeln!(f, "{line}")?;
            }
        }
        Ok(())
    }
}

impl Convention<'_> {
    fn lines(&self, passed: &Passed<'_>) -> Vec<String> {
        let vars = &self.kernel.vars;
        let show = |name: &str, v: Var| format!("{name}: {}", shown(&vars[v].ty));
        match passed.form {
            Form::Fields => passed.tensor.fields.iter().map(|field| show(&field.name, field.var)).collect(),
            Form::Slice(vals) => vec![show("vals", vals)],
            Form::Rows(stores) => vec![show("stores", stores)],
            Form::Whole => {
                let names: Vec<&str> = passed.extents.iter().map(|extent| &vars[*extent].name[..]).collect();
                let mut lines = vec![format!("extents: {}", names.join(", "))];
                for level in &passed.levels {
                    let mut line = format!("level {}: {}", level.at, level.layout.kind);
                    if level.extent.is_some() {
                        line += "  extent: usize";
                    }
                    if let Some(stores) = level.stores {
                        line += &format!("  {}", show("stores", stores));
                    }
                    for field in &level.fields {
                        line += &format!("  {}", show(&field.name, field.var));
                    }
                    lines.push(line);
                }
                match passed.values {
                    Values::Array(vals) => lines.push(show("vals", vals)),
                    Values::Stores => lines.push("vals: in the stores".into()),
                    Values::None => lines.push("vals: none".into()),
                }
                lines
            }
        }
    }
}

/// A type as the text form shows it: `[u32]`, and `[u32] growable` for an array that a kernel may lengthen.
fn shown(ty: &Type) -> String {
    match ty {
        Type::Array(ArrayType { element, growable }) => {
            format!("[{element}]{}", if *growable { " growable" } else { "" })
        }
        other => other.to_string(),
    }
}

/// The scalar type of an array's elements, for callers that allocate it.
impl Passed<'_> {
    /// The type of the values; `None` where there is no array of them.
    pub fn value_type(&self, kernel: &Kernel) -> Option<Scalar> {
        match self.values {
            Values::Array(vals) => kernel.vars[vals].ty.array_scalar(),
            Values::Stores | Values::None => None,
        }
    }
}
