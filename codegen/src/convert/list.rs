//! Lists of entries in any order: entries are collected in arrays, sorted, and folded where coordinates are equal. Also the stores that are built
//! from segments of a list.

use std::collections::BTreeMap;

use crate::format::{Coordinate, Format};
use crate::ir::{self, ArrayType, Block, Element, Expr, Reduce, Scalar, Stmt, Type, Var, Vars};
use crate::notation::ast::ValueType;
use crate::tensor::{OwnFields, shift, store_type};

/// The fields of one level by their names.
pub(crate) fn by_name(own: &[(&'static str, Var)]) -> BTreeMap<String, Var> {
    own.iter().map(|(name, var)| ((*name).to_owned(), *var)).collect()
}

/// Entries under collection.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// Coordinates, an array for each index of the tensor.
    pub coords: Vec<Var>,
    /// Values; `None` for a pattern.
    pub vals: Option<Var>,
    /// The type of the values while they are folded.
    pub scalar: Scalar,
    /// Whether entries come in the order of the levels, each once: then there is nothing to sort.
    pub in_order: bool,
}

impl List {
    /// Declares an empty list of entries with `rank` coordinates.
    pub fn declare(vars: &mut Vars, block: &mut Block, prefix: &str, rank: usize, scalar: Option<Scalar>) -> List {
        let mut array = |name: String, scalar: Scalar| {
            let var = vars.fresh(name, Type::vec(scalar));
            block.push(Stmt::NewVec { var, capacity: None });
            var
        };
        let coords = (0..rank).map(|m| array(format!("{prefix}_coords{m}"), Scalar::Usize)).collect();
        let vals = scalar.map(|scalar| array(format!("{prefix}_list"), scalar));
        List { coords, vals, scalar: scalar.unwrap_or(Scalar::Bool), in_order: false }
    }

    /// Appends an entry.
    pub fn push(&self, coords: impl IntoIterator<Item = Expr>, value: Expr) -> Block {
        let mut block: Block = self.coords.iter().zip(coords).map(|(&array, c)| Stmt::Push(array, c)).collect();
        if let Some(vals) = self.vals {
            block.push(Stmt::Push(vals, value));
        }
        block
    }

    /// The entries sorted by `keys`, the first of which is the major one, and equal ones folded: an array for each key, and the values.
    pub fn sorted(
        &self,
        vars: &mut Vars,
        block: &mut Block,
        prefix: &str,
        keys: &[Var],
        fold: Reduce,
    ) -> (Vec<Var>, Option<Var>) {
        let n = ir::len(self.coords[0]);
        let order = sorted_by(keys, n.clone(), format!("{prefix}_order"), vars, block);
        let sorted: Vec<Var> = keys
            .iter()
            .enumerate()
            .map(|(at, _)| vars.fresh(format!("{prefix}_sorted{at}"), Type::vec(Scalar::Usize)))
            .collect();
        let folded = self.vals.map(|_| vars.fresh(format!("{prefix}_folded"), Type::vec(self.scalar)));
        block.append(
            sorted.iter().chain(&folded).map(|&var| Stmt::NewVec { var, capacity: Some(n.clone()) }).collect::<Block>(),
        );
        let (s, from, last) =
            (vars.fresh("s", Scalar::Usize), vars.fresh("from", Scalar::Usize), vars.fresh("last", Scalar::Usize));
        let count = || ir::len(sorted[0]);
        let mut same = count().greater(ir::usize(0));
        for (&key, &array) in keys.iter().zip(&sorted) {
            same = same.and(ir::load(array, last).equal(ir::load(key, from)));
        }
        let append: Block = keys
            .iter()
            .zip(&sorted)
            .map(|(&key, &array)| Stmt::Push(array, ir::load(key, from)))
            .chain(self.vals.zip(folded).map(|(vals, folded)| Stmt::Push(folded, ir::load(vals, from))))
            .collect();
        let fold: Block = self
            .vals
            .zip(folded)
            .map(|(vals, folded)| Stmt::StoreUpdate(folded, last.into(), fold, ir::load(vals, from)))
            .into_iter()
            .collect();
        let body = vec![
            Stmt::Let(from, ir::load(order, s)),
            Stmt::Let(last, count().max(ir::usize(1)) - ir::usize(1)),
            Stmt::either(same, fold, append),
        ];
        block.push(Stmt::count(s, ir::usize(0), n, body));
        (sorted, folded)
    }

    /// For each level an array with its coordinate for each entry.
    pub fn keys(&self, vars: &mut Vars, block: &mut Block, prefix: &str, format: &Format, shape: &[Expr]) -> Vec<Var> {
        let mut keys = Vec::new();
        for (at, level) in format.levels.iter().enumerate() {
            if let Coordinate::Index(m) = level.coordinate {
                keys.push(self.coords[m]);
                continue;
            }
            let n = ir::len(self.coords[0]);
            let key = vars.fresh(format!("{prefix}_key{at}"), Type::vec(Scalar::Usize));
            block.push(Stmt::NewArray { var: key, len: n.clone(), fill: ir::usize(0) });
            if let Coordinate::Counter(of) = &level.coordinate {
                self.count(vars, block, key, of);
                keys.push(key);
                continue;
            }
            let e = vars.fresh("e", Scalar::Usize);
            let coords: Vec<Expr> = self.coords.iter().map(|&c| ir::load(c, e)).collect();
            let mut value = level.coordinate.code(&coords, None);
            if let Some(shift) = shift(&level.coordinate, shape) {
                value = value + shift.cast(Scalar::I64);
            }
            block.push(Stmt::count(e, ir::usize(0), n, Stmt::Store(key, e.into(), value.cast(Scalar::Usize))));
            keys.push(key);
        }
        keys
    }

    /// Counts the entries with the same coordinates `of`, in the order of all their coordinates; equal entries count once.
    fn count(&self, vars: &mut Vars, block: &mut Block, key: Var, of: &[usize]) {
        let n = ir::len(self.coords[0]);
        let rest = (0..self.coords.len()).filter(|m| !of.contains(m));
        let major: Vec<usize> = of.iter().copied().chain(rest).collect();
        let keys: Vec<Var> = major.iter().map(|&m| self.coords[m]).collect();
        let order = sorted_by(&keys, n.clone(), "order".into(), vars, block);
        let (s, count) = (vars.fresh("s", Scalar::Usize), vars.fresh("count", Scalar::Usize));
        let (this, before) = (vars.fresh("this", Scalar::Usize), vars.fresh("before", Scalar::Usize));
        let same = |by: &[usize]| {
            by.iter().fold(Expr::Var(s).greater(ir::usize(0)), |same, &m| {
                same.and(ir::load(self.coords[m], this).equal(ir::load(self.coords[m], before)))
            })
        };
        let next = Stmt::either(
            same(of),
            Stmt::when(!same(&major), Stmt::Assign(count, Expr::Var(count) + ir::usize(1))),
            Stmt::Assign(count, ir::usize(0)),
        );
        block.push(Stmt::Let(count, ir::usize(0)));
        let body = vec![
            Stmt::Let(this, ir::load(order, s)),
            Stmt::Let(before, ir::load(order, Expr::Var(s).max(ir::usize(1)) - ir::usize(1))),
            next,
            Stmt::Store(key, this.into(), count.into()),
        ];
        block.push(Stmt::count(s, ir::usize(0), n, body));
    }
}

/// The numbers of `n` entries, sorted by `keys`, the first of which is the major one.
fn sorted_by(keys: &[Var], n: Expr, name: String, vars: &mut Vars, block: &mut Block) -> Var {
    let order = vars.fresh(name, Type::vec(Scalar::Usize));
    block.push(Stmt::Numbers { var: order, len: n });
    if !keys.is_empty() {
        block.push(Stmt::Sort { array: order, lo: ir::usize(0), hi: ir::len(order), keys: keys.to_vec() });
    }
    order
}

/// Makes stores of the segments that their levels have been assembled as, the innermost ones first: the stores of one level are
/// the values of those above it.
#[allow(clippy::too_many_arguments, reason = "all of it describes the one tensor that is made")]
pub(crate) fn build_stores(
    vars: &mut Vars,
    block: &mut Block,
    prefix: &str,
    format: &Format,
    value: ValueType,
    fields: &mut [BTreeMap<String, Var>],
    ordered: &mut [OwnFields],
    vals: &mut Option<Var>,
) {
    // What the entries of the level in question hold.
    let mut held = *vals;
    for at in (0..format.levels.len()).rev().filter(|&at| format.levels[at].is_store()) {
        let [.., (_, pos), (_, crd)] = ordered[at][..] else { unreachable!("a store is built of segments") };
        if format.levels.get(at + 1).is_some_and(|next| !next.is_store()) {
            // Entries hold their own positions.
            let positions = vars.fresh(format!("{prefix}{}_positions", at + 1), Type::vec(Scalar::Usize));
            block.push(Stmt::Numbers { var: positions, len: ir::len(crd) });
            held = Some(positions);
        }
        let store = store_type(format, at, value);
        let build = |lo: Expr, hi: Expr| Expr::Build {
            store: store.clone(),
            coords: crd,
            values: held,
            lo: Box::new(lo),
            hi: Box::new(hi),
        };
        let made = if at == 0 {
            let made = vars.fresh(prefix, Type::Store(store.clone()));
            block.push(Stmt::Let(made, build(ir::usize(0), ir::len(crd))));
            made
        } else {
            let ty = ArrayType { element: Element::Store(Box::new(store.clone())), growable: true };
            let made = vars.fresh(format!("{prefix}{}_stores", at + 1), Type::Array(ty));
            let p = vars.fresh("p", Scalar::Usize);
            let parents = ir::len(pos) - ir::usize(1);
            let one = build(ir::load(pos, p), ir::load(pos, Expr::Var(p) + ir::usize(1)));
            block.push(Stmt::NewVec { var: made, capacity: Some(parents.clone()) });
            block.push(Stmt::count(p, ir::usize(0), parents, Stmt::Push(made, one)));
            made
        };
        held = Some(made);
        let (field, _) = format.levels[at].kind.fields(&format.levels[at].switches)[0];
        fields[at] = BTreeMap::from([(field.to_owned(), made)]);
        let kept = ordered[at].len() - 2;
        ordered[at].truncate(kept);
        if at == 0 || !format.levels[at - 1].is_store() {
            ordered[at].push((field, made));
        }
    }
    // The innermost stores hold the values themselves.
    if format.levels.last().is_some_and(crate::format::FormatLevel::is_store) {
        *vals = None;
    }
}
