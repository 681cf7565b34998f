//! Tensors that are kept in levels, as generated code has them: their variables, and how a level is walked, searched and read.

use std::collections::BTreeMap;

use super::field::{extent_names, prefix};
use super::value::scalar;
use crate::format::{Coordinate, Format, FormatLevel};
use crate::ir::{self, ArrayType, Block, Element, Expr, Field, Growth, Scalar, StoreType, Type, Var, Vars};
use crate::level::{FieldKind, Located, Place, Spot, Walk, Window};
use crate::notation::ast::ValueType;

/// A tensor kept in levels.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    pub format: Format,
    /// Extents of the tensor, one for each index.
    pub shape: Vec<Expr>,
    /// How many coordinates each level can have.
    pub extents: Vec<Expr>,
    /// The fields of each level.
    pub fields: Vec<BTreeMap<String, Var>>,
    /// The array of values; `None` for a pattern, and where a store holds them.
    pub vals: Option<Var>,
    pub value: ValueType,
    /// For each dimension, the part that is accessed; `None` where that is all of it. Empty if every dimension is accessed as a whole.
    pub windows: Vec<Option<Window>>,
}

/// A place in a tensor's levels.
#[derive(Clone, Debug)]
pub(crate) enum Pos {
    /// A position.
    At(Expr),
    /// The store of the next level.
    Store(Expr),
    /// The value itself, from a store.
    Value(Expr),
    /// All positions from the first up to, but not including, the second: they have the same coordinates so far.
    Span(Expr, Expr),
}

/// How many coordinates the levels of a plain format have: each keeps one of the tensor's own.
fn level_extents(format: &Format, shape: &[Expr]) -> Vec<Expr> {
    let extent = |coordinate: &Coordinate| match coordinate {
        Coordinate::Index(m) => shape[*m].clone(),
        _ => ir::usize(0),
    };
    format.levels.iter().map(|level| extent(&level.coordinate)).collect()
}

/// How many places an array of this shape has.
pub(crate) fn size(shape: impl IntoIterator<Item = Expr>) -> Expr {
    shape.into_iter().reduce(|a, b| a * b).unwrap_or(ir::usize(1))
}

/// The position of coordinates in an array of values.
pub(crate) fn row_major(shape: &[Expr], coords: &[Expr]) -> Expr {
    let mut places = shape.iter().zip(coords);
    let first = places.next().map_or(ir::usize(0), |(_, c)| c.clone());
    places.fold(first, |at, (extent, c)| at * extent.clone() + c.clone())
}

/// The type of the store that is level `at`. Above a static level its entries hold the positions that are its parents.
pub(crate) fn store_type(format: &Format, at: usize, value: ValueType) -> StoreType {
    let level = &format.levels[at];
    let element = match format.levels.get(at + 1) {
        None if value == ValueType::Pattern => Element::Pattern,
        None => Element::Scalar(scalar(value)),
        Some(next) if next.is_store() => Element::Store(Box::new(store_type(format, at + 1, value))),
        Some(_) => Element::Scalar(Scalar::Usize),
    };
    let lookup = level.kind.lookup(&level.switches).unwrap_or(Growth::Linear);
    StoreType { name: level.kind.name().to_owned(), coord: Scalar::U32, element, lookup }
}

/// The type of the field that holds the stores of level `at`; `None` if the entries of the level above do.
pub(crate) fn stores_type(format: &Format, at: usize, value: ValueType) -> Option<Type> {
    let store = store_type(format, at, value);
    match at.checked_sub(1).map(|above| &format.levels[above]) {
        Some(above) if above.is_store() => None,
        Some(_) => Some(Type::Array(ArrayType { element: Element::Store(Box::new(store)), growable: false })),
        None => Some(Type::Store(store)),
    }
}

/// Declares the fields of a level whose entries lie in segments and that is being made: where each segment begins, and the coordinates.
pub(crate) fn segments(level: &FormatLevel, vars: &mut Vars, prefix: &str) -> (Var, Var) {
    let [begins, coordinates] = level.segment_names()[..] else { unreachable!("segments have two arrays") };
    let begins = vars.fresh(format!("{prefix}_{begins}"), Type::vec(Scalar::Usize));
    (begins, vars.fresh(format!("{prefix}_{coordinates}"), Type::vec(Scalar::U32)))
}

impl Levels {
    /// The levels of a tensor in a plain format, before it is known what their fields are.
    pub(crate) fn without_fields(format: &Format, shape: Vec<Expr>, vals: Option<Var>, value: ValueType) -> Levels {
        let (extents, fields) = (level_extents(format, &shape), vec![BTreeMap::new(); format.levels.len()]);
        Levels { format: format.clone(), shape, extents, fields, vals, value, windows: Vec::new() }
    }

    /// The variables of a tensor that is passed in, with the fields that hold them.
    pub(crate) fn passed(vars: &mut Vars, name: &str, format: &Format, value: ValueType) -> (Levels, Vec<Field>) {
        let prefix = prefix(name);
        let mut all = Vec::new();
        let mut shape = Vec::new();
        for extent in extent_names(format.rank()) {
            let var = vars.fresh(format!("{prefix}_{extent}"), Scalar::Usize);
            all.push(Field { name: extent, level: None, var });
            shape.push(Expr::Var(var));
        }
        let mut fields = Vec::new();
        let mut extents = Vec::new();
        let many = format.levels.iter().filter(|level| !level.kind.fields(&level.switches).is_empty()).count() > 1;
        for (at, level) in format.levels.iter().enumerate() {
            let mut own = BTreeMap::new();
            let number = if many { (at + 1).to_string() } else { String::new() };
            match &level.coordinate {
                Coordinate::Index(m) => extents.push(shape[*m].clone()),
                Coordinate::Counter(_) => extents.push(ir::usize(0)),
                _ => {
                    let var = vars.fresh(format!("{prefix}{}_extent", at + 1), Scalar::Usize);
                    all.push(Field { name: "extent".into(), level: Some(at), var });
                    extents.push(var.into());
                }
            }
            for (field, kind) in level.kind.fields(&level.switches) {
                let ty = match kind {
                    FieldKind::Size => Type::Scalar(Scalar::Usize),
                    FieldKind::Positions => Type::array(Scalar::Usize),
                    FieldKind::Coordinates => Type::array(Scalar::U32),
                    FieldKind::Stores => match stores_type(format, at, value) {
                        Some(ty) => ty,
                        None => continue,
                    },
                };
                let var = vars.fresh(format!("{prefix}{number}_{field}"), ty);
                all.push(Field { name: field.to_owned(), level: Some(at), var });
                own.insert(field.to_owned(), var);
            }
            fields.push(own);
        }
        let in_store = format.levels.last().is_some_and(FormatLevel::is_store);
        let vals = (value != ValueType::Pattern && !in_store).then(|| {
            let var = vars.fresh(format!("{prefix}_vals"), Type::array(scalar(value)));
            all.push(Field { name: "vals".into(), level: None, var });
            var
        });
        (Levels { format: format.clone(), shape, extents, fields, vals, value, windows: Vec::new() }, all)
    }

    /// Calls `f` with level `at` below the position `parent`.
    fn spot<R>(&self, at: usize, parent: &Pos, above: &[Expr], f: impl FnOnce(&Spot<'_>) -> R) -> R {
        let coordinates: Vec<Coordinate> = self.format.levels.iter().map(|level| level.coordinate.clone()).collect();
        let kinds: Vec<_> = self.format.levels[..at].iter().map(|level| level.kind.clone()).collect();
        let parent = match parent {
            Pos::At(position) | Pos::Span(position, _) => position.clone(),
            Pos::Store(_) | Pos::Value(_) => ir::usize(0),
        };
        let level = &self.format.levels[at];
        f(&Spot {
            fields: &self.fields[at],
            parent,
            extent: self.extents[at].clone(),
            above,
            shape: &self.shape,
            place: Place { coordinates: &coordinates, above: &kinds, at, indices: &self.format.indices },
            switches: &level.switches,
        })
    }

    /// The part of the dimension of level `at` that is accessed; `None` if that is all of it.
    fn window(&self, at: usize) -> Option<&Window> {
        self.windows.get(self.format.levels[at].dimension()?)?.as_ref()
    }

    /// The extent of the accessed part of a dimension.
    pub(crate) fn seen_extent(&self, m: usize) -> Expr {
        match self.windows.get(m) {
            Some(Some(window)) => window.len.clone(),
            _ => self.shape[m].clone(),
        }
    }

    /// How the accessed part of level `at` is walked below `parent`. Coordinates, also those of `above`, are counted within the part.
    pub(crate) fn walk(&self, at: usize, parent: &Pos, above: &[Expr]) -> Walk {
        let own: Vec<Expr> = above
            .iter()
            .enumerate()
            .map(|(level, c)| self.window(level).map_or(c.clone(), |window| window.own(c.clone())))
            .collect();
        let walk = self.walk_whole(at, parent, &own);
        match self.window(at) {
            Some(window) => window.clone().walk(walk, &self.extents[at]),
            None => walk,
        }
    }

    /// How all of level `at` is walked below `parent`, with the tensor's own coordinates.
    pub(crate) fn walk_whole(&self, at: usize, parent: &Pos, above: &[Expr]) -> Walk {
        if let Pos::Store(store) = parent {
            return Walk::Entries { store: store.clone() };
        }
        if let Pos::Span(lo, hi) = parent {
            // Each position has one child, at the same position.
            let (levels, above) = (self.clone(), above.to_vec());
            let coordinate = move |p: Expr| match levels.walk(at, &Pos::At(p.clone()), &above) {
                Walk::One { coordinate, .. } => coordinate,
                _ => p,
            };
            let (lo, hi) = (lo.clone(), hi.clone());
            return Walk::Positions { lo, hi, coordinate: Box::new(coordinate), present: None };
        }
        self.spot(at, parent, above, |spot| self.format.levels[at].kind.walk(spot))
    }

    /// How `coordinate` is looked up in level `at` below `parent`.
    pub(crate) fn locate(
        &self,
        at: usize,
        parent: &Pos,
        above: &[Expr],
        coordinate: Expr,
        vars: &mut Vars,
    ) -> Option<Located> {
        let level = &self.format.levels[at];
        let (own, within) = match self.window(at) {
            Some(window) => window.sought(coordinate, &self.extents[at], level.properties.full),
            None => (coordinate, None),
        };
        if let Pos::Store(store) = parent {
            return Some(Located::InStore { store: store.clone(), coordinate: own });
        }
        let located = self.spot(at, parent, above, |spot| level.kind.locate(spot, own, vars))?;
        Some(match located {
            Located::At { setup, found, position } => {
                Located::At { setup, found: within.into_iter().chain(found).reduce(Expr::and), position }
            }
            in_store => in_store,
        })
    }

    /// The position of coordinates, one for each level, where all levels can be searched.
    pub(crate) fn position(&self, coords: Vec<Expr>, vars: &mut Vars, block: &mut Block) -> Pos {
        let mut pos = Pos::At(ir::usize(0));
        for at in 0..coords.len() {
            let Some(Located::At { setup, position, .. }) =
                self.locate(at, &pos, &coords[..at], coords[at].clone(), vars)
            else {
                unreachable!("what is not walked can be searched");
            };
            block.append(setup);
            pos = Pos::At(position);
        }
        pos
    }

    /// The array of a level that holds what `kind` says, if there is one.
    fn array(&self, at: usize, kind: FieldKind) -> Option<Var> {
        let level = &self.format.levels[at];
        let (name, _) = level.kind.fields(&level.switches).into_iter().find(|(_, own)| *own == kind)?;
        self.fields[at].get(name).copied()
    }

    /// The array of coordinates of a level, if it has one.
    pub(crate) fn coordinates_of(&self, at: usize) -> Option<Var> {
        self.array(at, FieldKind::Coordinates)
    }

    /// How many entries there are, if an array says it.
    pub(crate) fn entries(&self) -> Option<Expr> {
        self.vals.or(self.coordinates_of(self.fields.len() - 1)).map(ir::len)
    }

    /// The arrays of positions and coordinates of a level that has both.
    pub(crate) fn arrays(&self, at: usize) -> (Var, Var) {
        let both = self.array(at, FieldKind::Positions).zip(self.coordinates_of(at));
        both.expect("a level whose arrays are copied has both")
    }

    /// Where the entry `value` of a store of level `at` leads.
    pub(crate) fn below(&self, at: usize, value: Expr) -> Pos {
        match self.format.levels.get(at + 1) {
            None => Pos::Value(value),
            Some(next) if next.is_store() => Pos::Store(value),
            Some(_) => Pos::At(value),
        }
    }

    /// A variable for what the entries of the store hold that is level `at`, and where they lead; no variable for a pattern.
    pub(crate) fn entry(&self, at: usize, name: String, vars: &mut Vars) -> (Option<Var>, Pos) {
        let value = self.entry_type(at).map(|ty| vars.fresh(name, ty));
        (value, self.below(at, value.map_or(ir::bool(true), Expr::Var)))
    }

    /// The type of the entries of the store that is level `at`; `None` for a pattern.
    fn entry_type(&self, at: usize) -> Option<Type> {
        match self.store_type(at).element {
            Element::Scalar(scalar) => Some(Type::Scalar(scalar)),
            Element::Store(store) => Some(Type::Store(*store)),
            Element::Pattern => None,
        }
    }

    /// The type of the store that is level `at`.
    pub(crate) fn store_type(&self, at: usize) -> StoreType {
        store_type(&self.format, at, self.value)
    }

    /// The value at a place below all levels, in the type of the tensor.
    pub(crate) fn value_at(&self, pos: &Pos) -> Expr {
        match (pos, self.vals) {
            (Pos::Value(value), _) if self.value != ValueType::Pattern => value.clone(),
            (Pos::At(position), Some(vals)) => ir::load(vals, position.clone()),
            _ => ir::bool(true),
        }
    }
}
