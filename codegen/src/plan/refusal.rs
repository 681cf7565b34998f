//! Why a loop is not dealt out to tasks, in words.

use crate::notation::concrete::{Access, Index, Kernel, TensorId};

/// Why a loop is not dealt out to tasks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// It only copies.
    OnlyCopies,
    /// It visits entries, and tasks would have to visit all coordinates.
    VisitsEntries,
    /// It would have to look up every row only to have tasks.
    LooksUpRows,
    /// Its iterations write more arrays than can be dealt out: how many, and how many can be.
    ManyArrays(usize, usize),
    /// The coordinates that it visits are computed.
    ComputedCoordinates,
    /// The coordinates that it visits are found in these tensors, one after the other.
    OneByOne(Vec<TensorId>),
    /// A result has the levels of an operand that the loop does not visit.
    OtherLevels,
    /// One scalar is folded into by two reductions.
    TwoReductions(Access),
    /// One iteration writes several parts of a tensor.
    SeveralParts(TensorId),
    /// Rows of a result are counted before they are filled, and the other tensor would be written both times.
    WrittenTwice { row: TensorId, other: TensorId },
    /// Iterations read what others write of a tensor.
    ReadsOthers(TensorId),
    /// It matters whether anything was written to a scalar.
    Remembers(Access),
    /// Every iteration assigns a scalar.
    Assigned(Access),
    /// The loop's index does not number the rows of an appended result.
    NotItsRows(Access),
    /// The loop's index is not that of the outermost level of a copied result.
    NotOutermost(Access),
    /// The place that is written is computed.
    ComputedPlace(Access),
    /// Entries of a sparse result are folded into.
    FoldedEntries(Access),
    /// Entries are collected in the order in which they are computed.
    Collected(Access),
    /// Several iterations may write the same element; the index to deal out instead, where that helps.
    SameElement(Access, Option<Index>),
    /// Only a part of a tensor is visited in the order in which it is stored.
    PartOf(TensorId),
    /// It stands inside of another parallel loop.
    InsideParallel,
    /// A sparse result is made in it, and it stands inside of another loop.
    InsideLoop,
    /// It runs over the rows of a store, and each task would need a workspace of its own.
    OwnWorkspace,
}

impl Refusal {
    /// Why the loop over `index` is not dealt out.
    pub fn show(&self, kernel: &Kernel, index: Index) -> String {
        let (i, shown) = (&kernel.indices[index.0], |access: &Access| kernel.show_access(access));
        let name = |id: &TensorId| &kernel.tensor(*id).name;
        match self {
            Refusal::OnlyCopies => "it does little more than copy, which memory bounds".into(),
            Refusal::VisitsEntries => "it visits entries, which costs less than all coordinates do".into(),
            Refusal::LooksUpRows => "looking up every row costs more than visiting the rows that have entries".into(),
            Refusal::ManyArrays(arrays, most) => {
                format!("its iterations write {arrays} arrays, and {most} can be dealt out")
            }
            Refusal::ComputedCoordinates => "its coordinates are computed".into(),
            Refusal::OneByOne(tensors) => {
                let names: Vec<String> = tensors.iter().map(|id| format!("`{}`", name(id))).collect();
                format!("its coordinates are found in {}, entry by entry", names.join(" and "))
            }
            Refusal::OtherLevels => "a result is stored like an operand that the loop does not visit".into(),
            Refusal::TwoReductions(target) => format!("`{}` is folded into in two ways", shown(target)),
            Refusal::SeveralParts(id) => {
                format!("one iteration writes several parts of `{}`, and others write the same elements", name(id))
            }
            Refusal::WrittenTwice { row, other } => format!(
                "rows of `{}` are counted before they are filled, and `{}` would be written both times",
                name(row),
                name(other)
            ),
            Refusal::ReadsOthers(id) => format!("iterations read what others write of `{}`", name(id)),
            Refusal::Remembers(target) => format!(
                "whether anything is folded into `{}` matters, and no task knows that of the others",
                shown(target)
            ),
            Refusal::Assigned(target) => format!("every iteration assigns `{}`", shown(target)),
            Refusal::NotItsRows(target) => {
                format!("the entries of `{}` are dealt out by rows, and `{i}` does not number them", shown(target))
            }
            Refusal::NotOutermost(target) => format!(
                "the entries of `{}` are dealt out by its outermost level, and `{i}` is not its index",
                shown(target)
            ),
            Refusal::ComputedPlace(target) => {
                format!("where `{}` writes is computed, and iterations may write the same element", shown(target))
            }
            Refusal::FoldedEntries(target) => format!(
                "`{}` is folded into, and the entries of a sparse result are appended, each once",
                shown(target)
            ),
            Refusal::Collected(target) => {
                format!("entries of `{}` are collected in the order in which they are computed", shown(target))
            }
            Refusal::SameElement(target, _) => {
                format!("several iterations may write the same element of `{}`", shown(target))
            }
            Refusal::PartOf(id) => format!("only a part of `{}` is visited", name(id)),
            Refusal::InsideParallel => "it stands inside of another parallel loop".into(),
            Refusal::InsideLoop => "a sparse result is made in it, and it stands inside of another loop".into(),
            Refusal::OwnWorkspace => {
                "each task would need a workspace of its own, and an outer level deals out its rows itself".into()
            }
        }
    }

    /// What to do about it.
    pub fn help(&self, kernel: &Kernel, index: Index) -> String {
        let i = &kernel.indices[index.0];
        match self {
            Refusal::LooksUpRows => "ask for it: `forall(…, parallel, …)`".into(),
            Refusal::ManyArrays(..) => "split it into several loops".into(),
            Refusal::ComputedCoordinates | Refusal::OtherLevels => "run another index in parallel".into(),
            Refusal::OneByOne(_) => "run an index in parallel whose levels are dense, or can be searched".into(),
            Refusal::TwoReductions(_) => "use one reduction".into(),
            Refusal::SeveralParts(_) => "write one of them in a statement of its own".into(),
            Refusal::WrittenTwice { other, .. } => {
                format!("compute `{}` in a statement of its own", kernel.tensor(*other).name)
            }
            Refusal::ReadsOthers(_) => "compute it in a statement of its own".into(),
            Refusal::Assigned(_) => "fold into it: `+=`, `min=`, …".into(),
            Refusal::NotItsRows(_) => {
                "let the index of the dense level run in parallel, with one compressed level below it".into()
            }
            Refusal::NotOutermost(_) => {
                "let the index of the outermost level run in parallel, with one compressed level below it".into()
            }
            Refusal::FoldedEntries(target) => {
                let entries: Vec<&str> = target.indices.iter().map(|index| &kernel.indices[index.0][..]).collect();
                let (last, name) = (entries.last().copied().unwrap_or_default(), &kernel.tensor(target.tensor).name);
                let entries = entries.join(",");
                format!(
                    "fold a row in a workspace first: `forall({last}, {name}({entries}) = w({last})) where …`; or return a dense format"
                )
            }
            Refusal::Collected(_) => {
                "run the loops in the order of the result's levels, the outermost of them dense".into()
            }
            Refusal::SameElement(target, None) => {
                format!("run an index of `{}` in parallel, not `{i}`", kernel.show_access(target))
            }
            Refusal::SameElement(_, Some(first)) => {
                format!("run `{}` in parallel, or around it", kernel.indices[first.0])
            }
            Refusal::InsideParallel => "let one of them run in order".into(),
            Refusal::InsideLoop => "let the outermost loop run in parallel".into(),
            Refusal::OnlyCopies
            | Refusal::VisitsEntries
            | Refusal::Remembers(_)
            | Refusal::ComputedPlace(_)
            | Refusal::PartOf(_)
            | Refusal::OwnWorkspace => "let the loop run in order".into(),
        }
    }
}
