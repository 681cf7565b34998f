//! Entries that the loops of a kernel have collected: a list, which is a source like any other. Levels are made of it by counts where a
//! conversion makes them so, and by sorting elsewhere.
//!
//! ```text
//! forall(i, forall(j, C(j,i) = A(i,j) + B(i,j)))    entries come by i, then by j, each once      Sorted
//! forall(i, forall(j, …)) through a workspace       in any order, each once                     Once
//! forall(k, forall(j, forall(i, C(i,k) += …)))      in any order, and several at one place      Repeated
//! ```

use super::appendable::Appendable;
use super::converter::{Converter, with_extents};
use super::fold::Fold;
use super::list::List;
use super::made::{Lowered, Method};
use super::refuse::{ConvertError, check_extents, check_formats, refused};
use super::turn::lines;
use super::{append, make, order, walk};
use crate::format::{Format, FormatLevel};
use crate::ir::{self, Block, Expr, Scalar, Stmt, Type, Var, Vars};
use crate::level::{FieldKind, Kinds};
use crate::notation::ast::{Literal, ValueType};
use crate::notation::concrete::{Access, Assign, Index, Kernel, Reduction, Stmt as Concrete, Tensor};
use crate::notation::is_driven;
use crate::tensor::{Levels, OwnFields, prefix, scalar};

/// How the entries of a list come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coming {
    /// In the order of these indices of the tensor, the first of which counts most, each entry once.
    Sorted(Vec<usize>),
    /// In any order, each once.
    Once,
    /// In any order, and perhaps several at one place.
    Repeated,
}

/// A list of entries, and how a target is made of it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The list as a source.
    pub list: Format,
    /// The type of its values, in which entries at the same place are folded.
    pub value: ValueType,
    /// How these become one.
    pub fold: Fold,
    /// What brings entries into the order of the target.
    pub via: Via,
    /// How the target is made of them, in words.
    pub steps: Vec<String>,
}

/// What was collected.
pub(crate) enum Collected<'a> {
    /// Entries in any order.
    List(&'a List),
    /// Rows.
    Rows(&'a Levels),
}

/// What brings the entries of a list into the order of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// They are in this order already.
    Order,
    /// They are counted and inserted.
    Counts,
    /// They are sorted.
    Sort,
}

/// What a list of entries of `target` is as a source.
fn list_format(target: &Format, fill: Literal, coming: &Coming) -> Format {
    let rank = target.rank();
    let order = match coming {
        Coming::Sorted(order) => order.clone(),
        Coming::Once | Coming::Repeated => (0..rank).collect(),
    };
    let level = |(at, &m): (usize, &usize)| {
        let kind = if at == 0 { Kinds::list() } else { Kinds::single() };
        let unique = at + 1 == rank && *coming != Coming::Repeated;
        (m, kind, matches!(coming, Coming::Sorted(_)), unique)
    };
    let levels = order.iter().enumerate().map(level).collect();
    Format::keeping("list", &target.indices, Some(fill), levels)
}

/// What is made of a list: `target` with the fill of the list, and each entry once, also if the format would keep several at one place.
fn filled(list: &Format, target: &Format) -> Format {
    let mut filled = Format { fill: list.fill, ..target.clone() };
    if let Some(last) = filled.levels.last_mut().filter(|last| !last.properties.unique) {
        last.switches.unique = None;
        last.properties = last.kind.properties(&last.switches);
    }
    filled
}

impl Coming {
    /// How the entries of a target come that a statement computes from `reads`.
    fn of(kernel: &Kernel, (stmt, assign): (&Concrete, &Assign), reads: &[&Access]) -> Coming {
        let formats = || reads.iter().filter_map(|access| kernel.tensor(access.tensor).format.as_ref());
        let [path] = &stmt.paths(assign.target.tensor)[..] else { return Coming::Repeated };
        let place = |index: &Index| assign.target.indices.iter().position(|own| own == index);
        let order: Option<Vec<usize>> = path.iter().map(place).collect();
        let once = |order: &Vec<usize>| order.len() == assign.target.indices.len();
        match order.filter(once) {
            Some(order) if assign.reduce.is_none() && !is_driven(kernel, stmt) && formats().all(order::is_unique) => {
                let ordered = |format: &Format| format.levels.iter().all(|level| level.properties.ordered);
                if stmt.is_nest() && formats().all(ordered) { Coming::Sorted(order) } else { Coming::Once }
            }
            _ => Coming::Repeated,
        }
    }
}

/// Whether each dimension of a target has an array as long as it is, in the target or in an operand.
fn has_room(kernel: &Kernel, assign: &Assign, target: &Format, reads: &[&Access]) -> bool {
    let own = full(target);
    let read = |index: Index| {
        reads.iter().any(|access| {
            let format = kernel.tensor(access.tensor).format.as_ref();
            format.is_some_and(|format| full(format).iter().any(|&m| access.indices.get(m) == Some(&index)))
        })
    };
    assign.target.indices.iter().enumerate().all(|(m, &index)| own.contains(&m) || read(index))
}

/// The dimensions for which the outermost levels of a format have a position for each coordinate.
fn full(format: &Format) -> Vec<usize> {
    let above = format.levels.iter().take_while(|level| level.is_full());
    above.filter_map(FormatLevel::dimension).collect()
}

impl Source {
    /// The list of entries that a tensor is made of; they come in its order, each once, if they are `in_order`.
    pub fn by_entries(
        kernel: &Kernel,
        (stmt, assign): (&Concrete, &Assign),
        (tensor, target): (&Tensor, &Format),
        in_order: bool,
    ) -> Source {
        let value = tensor.value;
        if in_order {
            let order = target.levels.iter().filter_map(FormatLevel::dimension).collect();
            let list = list_format(target, tensor.fill, &Coming::Sorted(order));
            let fold = Fold::of(Reduction::Add, value);
            return Source { list, value, fold, via: Via::Order, steps: Vec::new() };
        }
        let reads = stmt.reads();
        let coming = Coming::of(kernel, (stmt, assign), &reads);
        // Entries are folded in the type that they are computed in.
        let folded = match coming {
            Coming::Repeated if value != ValueType::Pattern => assign.computed_type(&kernel.tensors),
            _ => value,
        };
        let fold = Fold::of(assign.reduce.unwrap_or(Reduction::Add), folded);
        let room = has_room(kernel, assign, target, &reads);
        Source::of(&coming, (folded, fold), (target, tensor.fill, value), room)
    }

    /// Rows from which a matrix is made, if the outermost loop visits each row and the loop inside visits its entries in order. Tasks count the
    /// entries of rows, and then fill them in. If entries can be `appended` to the matrix itself, rows are used only if tasks also make the
    /// matrix from them.
    pub fn by_rows(
        kernel: &Kernel,
        (stmt, assign): (&Concrete, &Assign),
        (tensor, target): (&Tensor, &Format),
        (once, appended): (bool, bool),
    ) -> Option<(Source, Appendable)> {
        if target.rank() != 2 {
            return None;
        }
        let [path] = &stmt.paths(assign.target.tensor)[..] else { return None };
        let row = *path.first()?;
        let rows = assign.target.indices.iter().position(|index| *index == row)?;
        let rows = lines(&Format { fill: Some(tensor.fill), ..target.clone() }, rows);
        let places = Appendable::of(assign, &rows)?;
        let reads = stmt.reads();
        // Each operand has an array as long as there are rows, and none has to be sorted.
        let fits = |access: &&Access| {
            kernel.tensor(access.tensor).format.as_ref().is_none_or(|format| {
                let every = !access.indices.contains(&row) || full(format).iter().any(|&m| access.indices[m] == row);
                every && format.levels.iter().all(|level| level.properties.ordered)
            })
        };
        if !places.are_appended(stmt, assign, once) || !reads.iter().all(fits) {
            return None;
        }
        let room = has_room(kernel, assign, target, &reads);
        let source = Source::of_rows(rows, (target, tensor.value), (room, appended))?;
        Some((source, places))
    }

    /// A list of entries for `target`, whose values have the type `value`. Those at one place are folded in the type `folded`. Buckets by
    /// indices of which the target has no array are made only if there is `room`: something else in the kernel is as long as each dimension.
    pub fn of(
        coming: &Coming,
        (folded, fold): (ValueType, Fold),
        (target, fill, value): (&Format, Literal, ValueType),
        room: bool,
    ) -> Source {
        let list = list_format(target, fill, coming);
        let steps = assembly((&list, folded, fold), target, value, room).map(|(_, steps)| steps);
        let via = if steps.is_some() { Via::Counts } else { Via::Sort };
        Source { list, value: folded, fold, via, steps: steps.unwrap_or_default() }
    }

    /// Rows of entries for `target`, each entry once; `None` if its levels cannot be made from rows without a sort. If entries could also be
    /// `appended` to the target, rows are used only if tasks make all of its levels.
    fn of_rows(list: Format, (target, value): (&Format, ValueType), (room, appended): (bool, bool)) -> Option<Source> {
        let fold = Fold::of(Reduction::Add, value);
        let (methods, steps) = assembly((&list, value, fold), target, value, room)?;
        let inserts = methods.iter().all(|method| *method == Method::Insert);
        let source = Source { list, value, fold, via: Via::Counts, steps };
        (inserts || !appended).then_some(source)
    }

    /// Makes a tensor of the format `target` of what was collected.
    #[allow(clippy::too_many_arguments, reason = "all of it describes the one tensor that is made")]
    pub fn assemble(
        &self,
        collected: Collected<'_>,
        vars: &mut Vars,
        block: &mut Block,
        prefix: &str,
        target: &Format,
        shape: Vec<Expr>,
        value: ValueType,
    ) -> (Levels, Vec<OwnFields>) {
        let filled = filled(&self.list, target);
        let between = format!("{prefix}_t");
        let mut converter = Converter::new(vars, block, prefix.to_owned(), &between, value, self.fold);
        converter.room = true;
        let made = match collected {
            Collected::List(list) if self.via != Via::Counts => {
                let made = converter.of_list(list, (self.value, &shape), &filled, prefix);
                let made = converter.narrowed(made, self.value, value, prefix);
                Ok(converter.with_stores(made, &filled, &shape))
            }
            Collected::List(list) => {
                let levels = converter.levels_of(&self.list, (&list.coords, list.vals), &shape, self.value);
                converter.all(&levels, &filled)
            }
            Collected::Rows(levels) => converter.all(levels, &filled),
        };
        let (made, own, _) = made.unwrap_or_else(|_| unreachable!("the plan has tried it"));
        (Levels { format: target.clone(), ..made }, with_extents(own))
    }
}

/// How `target` is made from a list or from rows without a sort: the method for each tensor on the way, and the steps in words. `None` if a sort
/// is needed.
fn assembly(
    (list, folded, fold): (&Format, ValueType, Fold),
    target: &Format,
    value: ValueType,
    room: bool,
) -> Option<(Vec<Method>, Vec<String>)> {
    let target = &filled(list, target);
    check_formats(list, target, value).ok()?;
    let (mut vars, mut block) = (Vars::new(), Block::new());
    let (levels, _) = Levels::passed(&mut vars, "list", list, folded);
    check_extents(target, &levels).ok()?;
    let mut converter = Converter::new(&mut vars, &mut block, "b".into(), "t", value, fold);
    converter.room = room;
    converter.all(&levels, target).ok()?;
    let Converter { methods, plan, wide, .. } = converter;
    // The list has wider coordinates than arrays that could be copied.
    let assembled = methods.first() != Some(&Method::Copy) && !methods.contains(&Method::Sort) && (room || !wide);
    assembled.then_some((methods, plan))
}

impl Converter<'_> {
    /// A list as levels of the format `format`: its coordinates, an array for each index, and its values.
    fn levels_of(
        &mut self,
        format: &Format,
        (coords, vals): (&[Var], Option<Var>),
        shape: &[Expr],
        value: ValueType,
    ) -> Levels {
        let ends = self.vars.fresh(format!("{}_ends", self.name), Type::vec(Scalar::Usize));
        self.block.push(Stmt::NewArray { var: ends, len: ir::usize(2), fill: ir::usize(0) });
        self.block.push(Stmt::Store(ends, ir::usize(1), ir::len(coords[0])));
        let (mut fields, mut extents) = (Vec::new(), Vec::new());
        for level in &format.levels {
            let Some(m) = level.dimension() else { unreachable!("a list keeps indices as they are") };
            let array = |kind| if kind == FieldKind::Positions { ends } else { coords[m] };
            fields.push(level.kept().into_iter().map(|(name, kind)| (name.to_owned(), array(kind))).collect());
            extents.push(shape[m].clone());
        }
        let (format, shape) = (format.clone(), shape.to_vec());
        Levels { format, shape, extents, fields, vals, value, windows: Vec::new() }
    }

    /// A list of all entries that is sorted.
    pub(super) fn sort(&mut self, source: &Levels, target: &Format, name: &str) -> Result<Lowered, ConvertError> {
        if let Some(at) = target.levels.iter().position(|level| level.kind.insertion().is_none()) {
            let (name, number) = (&target.name, at + 1);
            return refused(format!("`{name}` cannot be made: its level number {number} is not assembled"));
        }
        let own = (source.value != ValueType::Pattern).then(|| scalar(source.value));
        let list = List::declare(self.vars, self.block, name, source.format.rank(), own);
        let walk = walk::Visit::all(source).each(self.vars, &mut |_, entry| {
            let value = source.value_at(&entry.pos);
            list.push(entry.all(), value)
        });
        self.block.append(walk);
        Ok(self.of_list(&list, (source.value, &source.shape), target, &prefix(name)))
    }

    /// Makes `target` of a list with values of the type `value`: it is sorted by the coordinates of the levels, unless it comes so, and equal
    /// entries are folded.
    fn of_list(&mut self, list: &List, (value, shape): (ValueType, &[Expr]), target: &Format, name: &str) -> Lowered {
        let (mut keys, mut vals) = (list.keys(self.vars, self.block, name, target, shape), list.vals);
        if !list.in_order {
            (keys, vals) = list.sorted(self.vars, self.block, name, &keys, self.fold.reduce);
        }
        let order: Option<Vec<usize>> = target.levels.iter().map(FormatLevel::dimension).collect();
        let order = order.unwrap_or_default();
        let place = |m: usize| order.iter().position(|own| *own == m).map(|at| keys[at]);
        let coords = (0..target.rank()).map(place).collect::<Option<Vec<Var>>>().filter(|_| target.is_plain());
        let format = list_format(target, target.fill.unwrap_or(Literal::Int(0)), &Coming::Sorted(order));
        let inserts = make::fits(&format, target, self.fold).ok();
        let appends = append::fits(&format, target, self.fold).is_ok();
        let source = self.levels_of(&format, (coords.as_ref().unwrap_or(&list.coords), vals), shape, value);
        match (inserts, appends) {
            (Some(fit), _) if coords.is_some() => self.maker(&source, target, name).make(&fit),
            (None, true) if coords.is_some() => append::append(self.vars, self.block, &source, target, name, self.fold),
            _ => self.maker(&source, target, name).make_sorted(&keys, vals),
        }
    }
}
