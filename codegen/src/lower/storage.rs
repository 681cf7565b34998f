//! Where the values of tensors lie in generated code.

use std::collections::BTreeMap;

use crate::format::ast::RemapOp;
use crate::format::{Coordinate, Format, Inverse};
use crate::ir::{
    self, ArrayType, Block, Domain, Element, Expr, Field, Growth, Owned, Reduce, Scalar, Stmt, StoreType, Type, Var,
    Vars,
};
use crate::level::{FieldKind, Located, Place, Spot, Walk};
use crate::notation::ast::{Literal, ValueType};

/// The scalar type that values of `ty` are computed in.
pub(super) fn scalar(ty: ValueType) -> Scalar {
    match ty {
        ValueType::Pattern | ValueType::Bool => Scalar::Bool,
        ValueType::U32 => Scalar::U32,
        ValueType::I32 => Scalar::I32,
        ValueType::U64 => Scalar::U64,
        ValueType::I64 => Scalar::I64,
        ValueType::F32 => Scalar::F32,
        ValueType::F64 => Scalar::F64,
    }
}

/// A constant of type `ty`.
pub(super) fn literal(value: Literal, ty: Scalar) -> Expr {
    ir::lit(match (value, ty) {
        (Literal::Int(x), Scalar::I32) => ir::Literal::I32(x as i32),
        (Literal::Int(x), Scalar::I64) => ir::Literal::I64(x as i64),
        (Literal::Int(x), Scalar::U32) => ir::Literal::U32(x as u32),
        (Literal::Int(x), Scalar::U64) => ir::Literal::U64(x as u64),
        (value, ty) => ir::Literal::from_f64(ty, crate::notation::concrete::number(value)),
    })
}

/// A tensor kept in levels.
#[derive(Clone, Debug)]
pub(super) struct Levels {
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
    /// What is seen of each dimension, where that is not all of it; empty if all of all of them is.
    pub windows: Vec<Option<Window>>,
}

/// The coordinates `lo + step * c` of a dimension, `c` below `len`.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub lo: Expr,
    pub step: usize,
    pub len: Expr,
}

impl Window {
    /// The tensor's own coordinate that is seen as `c`.
    pub fn own(&self, c: Expr) -> Expr {
        let c = if self.step == 1 { c } else { c * ir::usize(self.step) };
        if self.lo == ir::usize(0) { c } else { c + self.lo.clone() }
    }

    /// What a coordinate of the tensor is seen as, and whether it is.
    fn seen(&self, c: Expr) -> (Expr, Expr) {
        let off = c.clone() - self.lo.clone();
        let beyond = self.lo.clone() + self.len.clone() * ir::usize(self.step);
        let within = c.clone().greater_equal(self.lo.clone()).and(c.less(beyond));
        if self.step == 1 {
            return (off, within);
        }
        let step = || ir::usize(self.step);
        (off.clone() / step(), within.and((off % step()).equal(ir::usize(0))))
    }
}

/// A place in a tensor's levels.
#[derive(Clone, Debug)]
pub(super) enum Pos {
    /// A position.
    At(Expr),
    /// The store of the next level.
    Store(Expr),
    /// The value itself, from a store.
    Value(Expr),
    /// All positions from the first up to, but not including, the second: they have the same coordinates so far.
    Span(Expr, Expr),
}

/// What a tensor is called in generated code.
pub(super) fn prefix(name: &str) -> String {
    name.to_lowercase()
}

/// Names of the extents of a tensor of `rank` indices.
pub fn extent_names(rank: usize) -> Vec<String> {
    match rank {
        1 => vec!["len".into()],
        2 => vec!["rows".into(), "cols".into()],
        _ => (0..rank).map(|m| format!("dim{m}")).collect(),
    }
}

/// How many coordinates the levels of a plain format have: each keeps one of the tensor's own.
pub(super) fn level_extents(format: &Format, shape: &[Expr]) -> Vec<Expr> {
    let extent = |coordinate: &Coordinate| match coordinate {
        Coordinate::Index(m) => shape[*m].clone(),
        _ => ir::usize(0),
    };
    format.levels.iter().map(|level| extent(&level.coordinate)).collect()
}

/// Whether the number of coordinates of a level is kept as a number of its own: it is not an extent of the tensor.
pub fn keeps_extent(coordinate: &Coordinate) -> bool {
    !matches!(coordinate, Coordinate::Index(_) | Coordinate::Counter(_))
}

/// The type of the store that is level `at`. Above a static level its entries hold the positions that are its parents.
pub(super) fn store_type(format: &Format, at: usize, value: ValueType) -> StoreType {
    let level = &format.levels[at];
    let element = match format.levels.get(at + 1) {
        None if value == ValueType::Pattern => Element::Pattern,
        None => Element::Scalar(scalar(value)),
        Some(next) if next.is_store() => Element::Store(Box::new(store_type(format, at + 1, value))),
        Some(_) => Element::Scalar(Scalar::Usize),
    };
    let lookup = level.kind.costs(&level.switches).lookup.unwrap_or(Growth::Linear);
    StoreType { name: level.kind.name().to_owned(), coord: Scalar::U32, element, lookup }
}

/// The type of the field that holds the stores of level `at`; `None` if the entries of the level above do.
pub(super) fn stores_type(format: &Format, at: usize, value: ValueType) -> Option<Type> {
    let store = store_type(format, at, value);
    match at.checked_sub(1).map(|above| &format.levels[above]) {
        Some(above) if above.is_store() => None,
        Some(_) => Some(Type::Array(ArrayType { element: Element::Store(Box::new(store)), growable: false })),
        None => Some(Type::Store(store)),
    }
}

impl crate::format::FormatLevel {
    /// Whether the level keeps coordinates in memory, at 32 bits each.
    pub fn keeps_coordinates(&self) -> bool {
        let kept = |kind: &FieldKind| matches!(kind, FieldKind::Coordinates | FieldKind::Stores);
        self.kind.fields(&self.switches).iter().any(|(_, kind)| kept(kind))
    }

    /// Whether the level is kept by stores.
    pub fn is_store(&self) -> bool {
        self.kind.fields(&self.switches).iter().any(|(_, kind)| *kind == FieldKind::Stores)
    }
}

impl Levels {
    /// The variables of a tensor that is passed in, with the fields that hold them.
    pub(super) fn passed(vars: &mut Vars, name: &str, format: &Format, value: ValueType) -> (Levels, Vec<Field>) {
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
        let in_store = format.levels.last().is_some_and(crate::format::FormatLevel::is_store);
        let vals = (value != ValueType::Pattern && !in_store).then(|| {
            let var = vars.fresh(format!("{prefix}_vals"), Type::array(scalar(value)));
            all.push(Field { name: "vals".into(), level: None, var });
            var
        });
        (Levels { format: format.clone(), shape, extents, fields, vals, value, windows: Vec::new() }, all)
    }

    fn coordinates(&self) -> Vec<Coordinate> {
        self.format.levels.iter().map(|level| level.coordinate.clone()).collect()
    }

    /// Calls `f` with level `at` below the position `parent`.
    fn spot<R>(&self, at: usize, parent: &Pos, above: &[Expr], f: impl FnOnce(&Spot<'_>) -> R) -> R {
        let coordinates = self.coordinates();
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

    /// What is seen of the dimension that level `at` keeps, if that is not all of it.
    fn window(&self, at: usize) -> Option<&Window> {
        match self.format.levels[at].coordinate {
            Coordinate::Index(m) => self.windows.get(m)?.as_ref(),
            _ => None,
        }
    }

    /// How far the tensor is seen, dimension by dimension.
    pub(super) fn seen_shape(&self) -> Vec<Expr> {
        let seen = |(m, extent): (usize, &Expr)| match self.windows.get(m) {
            Some(Some(window)) => window.len.clone(),
            _ => extent.clone(),
        };
        self.shape.iter().enumerate().map(seen).collect()
    }

    /// Whether what is seen of the tensor can be walked where it is stored. A level whose coordinates have positions computes them; one
    /// that keeps ascending coordinates in an array has a part of it.
    pub(super) fn shows_in_place(&self) -> bool {
        (0..self.format.levels.len()).all(|at| {
            let (Some(window), level) = (self.window(at), &self.format.levels[at]) else { return true };
            let searched = level.properties.full && level.kind.capabilities().locate;
            let array = || match self.walk_whole(at, &Pos::At(ir::usize(0)), &vec![ir::usize(0); at]) {
                Walk::Positions { coordinate, present: None, .. } => array_of(&*coordinate).is_some(),
                _ => false,
            };
            searched
                || window.step == 1
                    && level.properties.ordered
                    && level.properties.unique
                    && !level.is_store()
                    && array()
        })
    }

    /// How what is seen of level `at` is walked below `parent`.
    pub(super) fn walk(&self, at: usize, parent: &Pos, above: &[Expr]) -> Walk {
        let own: Vec<Expr> = above
            .iter()
            .enumerate()
            .map(|(level, c)| self.window(level).map_or(c.clone(), |window| window.own(c.clone())))
            .collect();
        let walk = self.walk_whole(at, parent, &own);
        match (self.window(at).cloned(), walk) {
            (Some(window), Walk::Positions { lo, hi, coordinate, present }) => {
                let Some(array) = array_of(&*coordinate) else {
                    return Walk::Positions { lo, hi, coordinate, present };
                };
                let seek = |coord: Expr| Expr::Seek {
                    array,
                    from: Box::new(lo.clone()),
                    to: Box::new(hi.clone()),
                    coord: Box::new(coord),
                };
                let (first, behind) = (seek(window.lo.clone()), seek(window.lo.clone() + window.len.clone()));
                Walk::Positions {
                    lo: first,
                    hi: behind,
                    coordinate: Box::new(move |p| coordinate(p) - window.lo.clone()),
                    present,
                }
            }
            (_, walk) => walk,
        }
    }

    /// How all of level `at` is walked below `parent`.
    fn walk_whole(&self, at: usize, parent: &Pos, above: &[Expr]) -> Walk {
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
    pub(super) fn locate(
        &self,
        at: usize,
        parent: &Pos,
        above: &[Expr],
        coordinate: Expr,
        vars: &mut Vars,
    ) -> Option<Located> {
        if let Pos::Store(store) = parent {
            return Some(Located::InStore { store: store.clone() });
        }
        let coordinate = self.window(at).map_or(coordinate.clone(), |window| window.own(coordinate));
        self.spot(at, parent, above, |spot| self.format.levels[at].kind.locate(spot, coordinate, vars))
    }

    /// The first level from which on entries with the same coordinates lie side by side and are taken as one (deduplication with
    /// chaining, section 3.2.5 of the format paper): it keeps coordinates more than once, in order, and each level below has one
    /// child for each of its positions.
    pub(super) fn chained(&self) -> Option<usize> {
        let levels = &self.format.levels;
        let from = levels.iter().position(|level| !level.properties.unique)?;
        let positions = |at: usize| {
            levels[at].properties.ordered
                && levels[at].properties.compact
                && self.format.capabilities(at).position_iteration
        };
        let below = |at: usize| positions(at) && levels[at].properties.branchless;
        (positions(from) && (from + 1..levels.len()).all(below)).then_some(from)
    }

    /// Where the entry `value` of a store of level `at` leads.
    pub(super) fn below(&self, at: usize, value: Expr) -> Pos {
        match self.format.levels.get(at + 1) {
            None => Pos::Value(value),
            Some(next) if next.is_store() => Pos::Store(value),
            Some(_) => Pos::At(value),
        }
    }

    /// The type of the entries of the store that is level `at`; `None` for a pattern.
    pub(super) fn entry_type(&self, at: usize) -> Option<Type> {
        match self.store_type(at).element {
            Element::Scalar(scalar) => Some(Type::Scalar(scalar)),
            Element::Store(store) => Some(Type::Store(*store)),
            Element::Pattern => None,
        }
    }

    /// The type of the store that is level `at`.
    pub(super) fn store_type(&self, at: usize) -> StoreType {
        store_type(&self.format, at, self.value)
    }

    /// The value at a place below all levels, in the type of the tensor.
    pub(super) fn value_at(&self, pos: &Pos) -> Expr {
        match (pos, self.vals) {
            (Pos::Value(value), _) if self.value != ValueType::Pattern => value.clone(),
            (Pos::At(position), Some(vals)) => ir::load(vals, position.clone()),
            _ => ir::bool(true),
        }
    }

    /// Code that visits every entry in the order of storage. `body` is given the tensor's own coordinates, whose variables are
    /// called `names`, and the place.
    pub(super) fn drive(
        &self,
        vars: &mut Vars,
        names: &[String],
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        let along = Along { names, edges: Edges::Tested, dealt: None };
        self.drive_level(0, Pos::At(ir::usize(0)), &mut Vec::new(), along, vars, body)
    }

    /// The same with loops of their own for blocks that lie wholly inside of the tensor, and one level's loop dealt out to tasks.
    /// `body` is asked for twice as much.
    pub(super) fn drive_blocks(
        &self,
        vars: &mut Vars,
        names: &[String],
        dealt: Option<&Dealt>,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        let along = Along { names, edges: Edges::Apart, dealt };
        self.drive_level(0, Pos::At(ir::usize(0)), &mut Vec::new(), along, vars, body)
    }

    /// The levels with blocks of the size that the format gives them, or of no more than that: loops over a size that is known are
    /// better than any others, and that the rows of blocks do not meet is known in both cases.
    fn with_blocks(&self, full: bool) -> Levels {
        let known = |(level, extent): (&crate::format::FormatLevel, &Expr)| match remainder(&level.coordinate) {
            Some((_, size)) if full => ir::usize(size),
            Some((_, size)) => extent.clone().min(ir::usize(size)),
            None => extent.clone(),
        };
        Levels { extents: self.format.levels.iter().zip(&self.extents).map(known).collect(), ..self.clone() }
    }

    /// Whether a block is of full size and lies wholly inside of the tensor, if all levels from `at` on are dense and keep the places
    /// within blocks.
    fn whole_block(&self, at: usize, above: &[Expr]) -> Option<Expr> {
        let levels = &self.format.levels[at..];
        if levels.is_empty() || !levels.iter().all(|l| l.properties.full && remainder(&l.coordinate).is_some()) {
            return None;
        }
        let mut whole: Option<Expr> = None;
        // The blocks of a tensor that is smaller than one of them may be smaller too.
        for (level, extent) in levels.iter().zip(&self.extents[at..]) {
            let full = remainder(&level.coordinate).map(|(_, size)| extent.clone().equal(ir::usize(size)))?;
            whole = Some(match whole {
                None => full,
                Some(whole) => whole.and(full),
            });
        }
        for (m, inverse) in self.format.inverse.iter().enumerate() {
            if let Inverse::Level(_) = inverse {
                continue;
            }
            let (outer, size, _) = blocked(inverse).filter(|(outer, _, inner)| *outer < at && *inner >= at)?;
            let last = above[outer].clone() * ir::usize(size) + ir::usize(size - 1);
            let inside = last.less(self.shape[m].clone());
            whole = Some(match whole {
                None => inside,
                Some(whole) => whole.and(inside),
            });
        }
        whole
    }

    fn drive_level(
        &self,
        at: usize,
        parent: Pos,
        above: &mut Vec<Expr>,
        along: Along<'_>,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        if at == self.format.levels.len() {
            return self.leaf(above, parent, along, vars, body);
        }
        if along.edges == Edges::Apart
            && let Some(whole) = self.whole_block(at, above)
        {
            let (full, any) = (self.with_blocks(true), self.with_blocks(false));
            let inside = full.drive_level(at, parent.clone(), above, along.edges(Edges::Inside), vars, body);
            let tested = any.drive_level(at, parent, above, along.edges(Edges::Tested), vars, body);
            return Stmt::either(whole, inside, tested).into();
        }
        let name = match self.format.levels[at].coordinate {
            Coordinate::Index(m) => along.names[m].clone(),
            _ => format!("c{}", at + 1),
        };
        let walk = self.walk_whole(at, &parent, above);
        let mut deeper = |this: &Levels, pos: Pos, coordinate: Expr, vars: &mut Vars| {
            above.push(coordinate);
            let block = this.drive_level(at + 1, pos, above, along, vars, body);
            above.pop();
            block
        };
        match walk {
            Walk::Interval { lo, hi, position } => {
                let c = vars.fresh(name, Scalar::Usize);
                let inner = deeper(self, Pos::At(position(c.into())), c.into(), vars);
                match along.dealt.filter(|dealt| dealt.level == at) {
                    Some(dealt) => dealt.parallel(c, lo, hi, inner).into(),
                    None => Stmt::count(c, lo, hi, inner).into(),
                }
            }
            Walk::Positions { lo, hi, coordinate, present } => {
                let p = vars.fresh(format!("p{}", at + 1), Scalar::Usize);
                let c = vars.fresh(name, Scalar::Usize);
                let mut inner = Block::from(Stmt::Let(c, coordinate(p.into())));
                inner.append(deeper(self, Pos::At(p.into()), c.into(), vars));
                if let Some(present) = present {
                    inner = Stmt::when(present(p.into()), inner).into();
                }
                // Positions are no coordinates: who goes by them may fold, but not write.
                match along.dealt.filter(|dealt| dealt.level == at && dealt.owned.is_empty()) {
                    Some(dealt) => dealt.parallel(p, lo, hi, inner).into(),
                    None => Stmt::count(p, lo, hi, inner).into(),
                }
            }
            Walk::One { position, coordinate, present } => {
                let c = vars.fresh(name, Scalar::Usize);
                let mut inner = Block::from(Stmt::Let(c, coordinate));
                inner.append(deeper(self, Pos::At(position), c.into(), vars));
                match present {
                    Some(present) => Stmt::when(present, inner).into(),
                    None => inner,
                }
            }
            Walk::Entries { store } => {
                let c = vars.fresh(name, Scalar::Usize);
                let value = self.entry_type(at).map(|ty| vars.fresh("entry", ty));
                let pos = self.below(at, value.map_or(ir::bool(true), Expr::Var));
                let inner = deeper(self, pos, c.into(), vars);
                Stmt::ForEntries { store, coord: c, value, ordered: false, body: inner }.into()
            }
        }
    }

    /// The tensor's own coordinates, from those of the levels.
    fn leaf(
        &self,
        levels: &[Expr],
        pos: Pos,
        along: Along<'_>,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        if self.format.is_plain() {
            let mut coords = vec![ir::usize(0); self.format.rank()];
            for (level, c) in self.format.levels.iter().zip(levels) {
                if let Coordinate::Index(m) = level.coordinate {
                    coords[m] = c.clone();
                }
            }
            return self.show(coords, pos, vars, body);
        }
        let mut block = Block::new();
        let mut coords = Vec::new();
        let mut inside = None;
        for (m, inverse) in self.format.inverse.iter().enumerate() {
            let c = match inverse {
                Inverse::Level(at) => levels[*at].clone(),
                _ => {
                    let c = vars.fresh(along.names[m].clone(), Scalar::Usize);
                    block.push(Stmt::Let(c, self.invert(inverse, levels)));
                    c.into()
                }
            };
            // Blocks reach over the edge; what an index itself is kept by does not.
            if along.edges != Edges::Inside && !matches!(inverse, Inverse::Level(_)) {
                let bound = c.clone().less(self.shape[m].clone());
                inside = Some(match inside {
                    None => bound,
                    Some(inside) => Expr::and(inside, bound),
                });
            }
            coords.push(c);
        }
        let inner = self.show(coords, pos, vars, body);
        match inside {
            Some(inside) => block.push(Stmt::when(inside, inner)),
            None => block.append(inner),
        }
        block
    }

    /// An entry at the tensor's own coordinates, if it is seen.
    fn show(
        &self,
        mut coords: Vec<Expr>,
        pos: Pos,
        vars: &mut Vars,
        body: &mut dyn FnMut(&mut Vars, Vec<Expr>, Pos) -> Block,
    ) -> Block {
        let mut visible = None;
        for (c, window) in coords.iter_mut().zip(&self.windows) {
            let Some(window) = window else { continue };
            let (seen, within) = window.seen(c.clone());
            *c = seen;
            visible = Some(match visible {
                None => within,
                Some(visible) => Expr::and(visible, within),
            });
        }
        let inner = body(vars, coords, pos);
        match visible {
            None => inner,
            Some(visible) => Stmt::when(visible, inner).into(),
        }
    }

    /// The smallest coordinate of level `at`, negated, if it is not 0.
    pub(super) fn shift(&self, at: usize) -> Option<Expr> {
        shift(&self.format.levels[at].coordinate, &self.shape)
    }

    fn invert(&self, inverse: &Inverse, levels: &[Expr]) -> Expr {
        let signed = |inverse: &Inverse| self.signed(inverse, levels);
        if let Some((outer, size, inner)) = blocked(inverse) {
            return levels[outer].clone() * ir::usize(size) + levels[inner].clone();
        }
        // Differences can be negative in between; what is outside of the tensor becomes too large.
        signed(inverse).cast(Scalar::Usize)
    }

    fn signed(&self, inverse: &Inverse, levels: &[Expr]) -> Expr {
        let int = |n: i64| ir::lit(ir::Literal::I64(n));
        match inverse {
            Inverse::Level(at) => {
                let c = levels[*at].clone().cast(Scalar::I64);
                match self.shift(*at) {
                    Some(shift) => c - shift.cast(Scalar::I64),
                    None => c,
                }
            }
            Inverse::Index(m) => self.signed(&self.format.inverse[*m], levels),
            Inverse::Const(n) => int(*n),
            Inverse::Binary(op, left, right) => binary(*op, self.signed(left, levels), self.signed(right, levels)),
        }
    }
}

/// The array in which the coordinates of positions lie, if they lie in one.
fn array_of(coordinate: &dyn Fn(Expr) -> Expr) -> Option<Var> {
    match coordinate(ir::usize(0)) {
        Expr::Cast(Scalar::Usize, stored) => match *stored {
            Expr::Load(array, at) if *at == ir::usize(0) => Some(array),
            _ => None,
        },
        _ => None,
    }
}

/// How entries are visited in the order of storage.
#[derive(Clone, Copy)]
struct Along<'a> {
    /// What the coordinates are called.
    names: &'a [String],
    edges: Edges,
    dealt: Option<&'a Dealt>,
}

impl Along<'_> {
    fn edges(self, edges: Edges) -> Self {
        Along { edges, ..self }
    }
}

/// What is done about blocks that reach over the edge of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edges {
    /// Every entry is tested.
    Tested,
    /// Blocks that do not reach over it get loops of their own.
    Apart,
    /// There are none here.
    Inside,
}

/// A level whose loop is dealt out to tasks: its iterations do not meet in what they write, or fold into scalars.
pub(super) struct Dealt {
    /// Which level.
    pub level: usize,
    /// What each iteration writes.
    pub owned: Vec<Owned>,
    /// What all of them fold into.
    pub reductions: Vec<(Var, Reduce)>,
}

impl Dealt {
    fn parallel(&self, var: Var, lo: Expr, hi: Expr, body: Block) -> Stmt {
        let (owned, reductions) = (self.owned.clone(), self.reductions.clone());
        Stmt::Parallel { var, domain: Domain::Range { lo, hi }, owned, reductions, scratch: Block::new(), body }
    }
}

/// The level of the block, its size, and the level of the place within it, if an index is found so.
pub(super) fn blocked(inverse: &Inverse) -> Option<(usize, usize, usize)> {
    if let Inverse::Binary(RemapOp::Add, left, right) = inverse
        && let (Inverse::Binary(RemapOp::Mul, block, size), Inverse::Level(inner)) = (&**left, &**right)
        && let (Inverse::Level(outer), Inverse::Const(size)) = (&**block, &**size)
    {
        return Some((*outer, *size as usize, *inner));
    }
    None
}

/// The index and the size of blocks, if a level keeps the place within them.
fn remainder(coordinate: &Coordinate) -> Option<(usize, usize)> {
    if let Coordinate::Binary(RemapOp::Rem, index, size) = coordinate
        && let (Coordinate::Index(m), Coordinate::Const(size @ 1..)) = (&**index, &**size)
    {
        return Some((*m, *size as usize));
    }
    None
}

/// The smallest value of a coordinate, negated, if it is not 0: what is kept is counted from there on.
pub(super) fn shift(coordinate: &Coordinate, shape: &[Expr]) -> Option<Expr> {
    match coordinate {
        Coordinate::Binary(RemapOp::Sub, left, right) => match (&**left, &**right) {
            (Coordinate::Index(_), Coordinate::Index(b)) => Some(shape[*b].clone().max(ir::usize(1)) - ir::usize(1)),
            _ => None,
        },
        _ => None,
    }
}

/// `left op right` of `i64`. Quotients are of what is not negative, or by what floors (a shift).
pub(super) fn binary(op: RemapOp, left: Expr, right: Expr) -> Expr {
    use crate::ir::BinaryOp;
    let op = match op {
        RemapOp::Or => BinaryOp::Or,
        RemapOp::Xor => BinaryOp::Xor,
        RemapOp::And => BinaryOp::And,
        RemapOp::Shl => BinaryOp::Shl,
        RemapOp::Shr => BinaryOp::Shr,
        RemapOp::Add => BinaryOp::Add,
        RemapOp::Sub => BinaryOp::Sub,
        RemapOp::Mul => BinaryOp::Mul,
        RemapOp::Div => BinaryOp::Div,
        RemapOp::Rem => BinaryOp::Rem,
    };
    left.binary(op, right)
}

/// A coordinate of the levels computed from the tensor's own, as `i64`. Counters are not computed here.
pub(super) fn remap(coordinate: &Coordinate, coords: &[Expr], lets: &mut Vec<Expr>) -> Expr {
    match coordinate {
        Coordinate::Index(m) => coords[*m].clone().cast(Scalar::I64),
        Coordinate::Const(n) => ir::lit(ir::Literal::I64(*n)),
        Coordinate::Var(n) => lets[*n].clone(),
        Coordinate::Counter(_) => ir::lit(ir::Literal::I64(0)),
        Coordinate::Neg(inner) => ir::lit(ir::Literal::I64(0)) - remap(inner, coords, lets),
        Coordinate::Binary(op, left, right) => {
            let left = remap(left, coords, lets);
            let right = remap(right, coords, lets);
            binary(*op, left, right)
        }
        Coordinate::Let(n, value, body) => {
            let value = remap(value, coords, lets);
            if lets.len() <= *n {
                lets.resize(*n + 1, ir::lit(ir::Literal::I64(0)));
            }
            lets[*n] = value;
            remap(body, coords, lets)
        }
    }
}
