//! Audits and footprints of linked stores.
//!
//! Each node type reports its fields in the order of its sequence attribute ([`Node::inspect`]); the walk over the nodes, the order
//! across nodes, the counts and the path in a message are the same for all and live here. Neither walk recurses.

use std::alloc::Layout;
use std::borrow::Cow;
use std::fmt::Write;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use crate::node::{Link, Node, NodeRef, Parent};
use crate::{AuditError, CodedView, Coord, Footprint, Slots, Value};

/// A node whose type is known only by what it reports.
struct AnyNode<'a, C: Clone, V> {
    node: NonNull<u8>,
    /// # Safety
    ///
    /// To be called with `node`, which lives for `'a`.
    inspect: unsafe fn(NonNull<u8>, &mut Inspection<'a, C, V>),
}

/// # Safety
///
/// `node` is a `T` that lives for `'a`.
unsafe fn inspect_any<'a, T: Node>(node: NonNull<u8>, report: &mut Inspection<'a, T::Coord, T::Value>) {
    // SAFETY: the caller's promise.
    T::inspect(unsafe { NodeRef::from_raw(node.cast()) }, report);
}

enum Term<'a, C: Clone, V> {
    Elements { field: &'static str, index: Option<usize>, coords: Cow<'a, [C]>, values: Values<'a, V>, sorted: bool },
    Child { field: &'static str, index: Option<usize>, node: AnyNode<'a, C, V> },
}

enum Values<'a, V> {
    All(&'a [V]),
    Slots(&'a [MaybeUninit<V>]),
}

/// What one node reports of itself.
pub struct Inspection<'a, C: Clone, V> {
    terms: Vec<Term<'a, C, V>>,
    bytes: usize,
    nodes: usize,
    gaps: usize,
    /// The field that counts the nonzeros reachable from the node, and what it says.
    claim: Option<(&'static str, u64)>,
    broken: Option<(&'static str, Option<usize>, String)>,
    broken_parent: Option<&'static str>,
}

impl<'a, C: Coord, V: Value> Inspection<'a, C, V> {
    fn new() -> Self {
        Inspection { terms: Vec::new(), bytes: 0, nodes: 0, gaps: 0, claim: None, broken: None, broken_parent: None }
    }

    fn reset(&mut self) {
        self.terms.clear();
        (self.bytes, self.nodes, self.gaps) = (0, 0, 0);
        (self.claim, self.broken, self.broken_parent) = (None, None, None);
    }

    /// The node's allocation.
    pub fn allocation(&mut self, layout: Layout) {
        self.bytes += layout.size();
        self.nodes += 1;
    }

    /// Nonzeros that lie here in the sequence, ascending if `sorted`.
    pub fn elements(
        &mut self,
        field: &'static str,
        index: Option<usize>,
        coords: &'a [C],
        values: &'a [V],
        sorted: bool,
    ) {
        self.terms.push(Term::Elements {
            field,
            index,
            coords: Cow::Borrowed(coords),
            values: Values::All(values),
            sorted,
        });
    }

    /// Nonzeros that lie here in the sequence with difference-coded coordinates, of which there must be nothing behind the last.
    pub fn coded(&mut self, field: &'static str, elements: CodedView<'a, C, V>) {
        if let Err(error) = elements.coords().check() {
            self.check(field, false, || error.to_string());
        }
        let (coords, values) = (Cow::Owned(elements.decoded()), Values::All(elements.values()));
        self.terms.push(Term::Elements { field, index: None, coords, values, sorted: true });
    }

    /// Slots that lie here in the sequence, the nonzeros in them ascending if `sorted`. Those from `used` on must be empty.
    pub fn slots(
        &mut self,
        field: &'static str,
        index: Option<usize>,
        slots: Slots<'a, C, V>,
        sorted: bool,
        used: Option<usize>,
    ) {
        self.gaps += slots.gaps();
        if let Some(used) = used {
            for (slot, &coord) in slots.coords().iter().enumerate() {
                self.check(field, (coord != C::GAP) == (slot < used), || match slot < used {
                    true => format!("slot {slot} is empty, but the first {used} are in use"),
                    false => format!("slot {slot} holds coordinate {coord}, but only the first {used} are in use"),
                });
            }
        }
        let coords = Cow::Borrowed(slots.coords());
        self.terms.push(Term::Elements { field, index, coords, values: Values::Slots(slots.raw_values()), sorted });
    }

    /// A child that lies here in the sequence.
    pub fn child<T: Node<Coord = C, Value = V>>(
        &mut self,
        field: &'static str,
        index: Option<usize>,
        link: &'a Link<T>,
        nonempty: bool,
    ) {
        match link {
            Some(child) => {
                let node = NonNull::new(child.node().as_ptr().cast_mut()).expect("a reference is not null").cast();
                self.terms.push(Term::Child { field, index, node: AnyNode { node, inspect: inspect_any::<T> } });
            }
            None if nonempty && self.broken.is_none() => {
                self.broken = Some((field, index, "is empty, but the schema says `nonempty`".into()));
            }
            None => {}
        }
    }

    /// A child knows its parent.
    pub fn parent<T>(&mut self, child_field: &'static str, parent: Parent<T>, expected: Option<NodeRef<'_, T>>) {
        let right = match expected {
            Some(expected) => parent.is(expected),
            None => parent.is_none(),
        };
        if !right {
            self.broken_parent = Some(child_field);
        }
    }

    /// An invariant of the node itself.
    pub fn check(&mut self, field: &'static str, holds: bool, message: impl FnOnce() -> String) {
        if !holds && self.broken.is_none() {
            self.broken = Some((field, None, message()));
        }
    }

    /// A field that counts the nonzeros reachable from the node.
    pub fn count(&mut self, field: &'static str, claimed: u64) {
        self.claim = Some((field, claimed));
    }

    fn verdict(&self) -> Result<(), (Segment, String)> {
        if let Some((field, index, message)) = &self.broken {
            return Err((Segment::new(field, *index), message.clone()));
        }
        if let Some(field) = self.broken_parent {
            let message = "its parent link does not point to the node that links to it".into();
            return Err((Segment::new(field, None), message));
        }
        Ok(())
    }
}

/// A step of a path: a field followed so many times in a row.
#[derive(Clone, Copy)]
struct Segment {
    field: &'static str,
    index: Option<usize>,
    repeat: usize,
}

impl Segment {
    fn new(field: &'static str, index: Option<usize>) -> Self {
        Segment { field, index, repeat: 1 }
    }
}

struct Path {
    root: &'static str,
    segments: Vec<Segment>,
}

impl Path {
    /// Follows a field; returns what undoes it.
    fn push(&mut self, field: &'static str, index: Option<usize>) {
        match self.segments.last_mut() {
            Some(last) if last.field == field && last.index == index => last.repeat += 1,
            _ => self.segments.push(Segment::new(field, index)),
        }
    }

    fn mark(&self) -> (usize, usize) {
        (self.segments.len(), self.segments.last().map_or(0, |last| last.repeat))
    }

    fn back_to(&mut self, (len, repeat): (usize, usize)) {
        self.segments.truncate(len);
        if let Some(last) = self.segments.last_mut() {
            last.repeat = repeat;
        }
    }

    fn error(&self, tail: Segment, slot: Option<usize>, message: String) -> AuditError {
        let mut text = self.root.to_owned();
        for segment in self.segments.iter().chain([&tail]) {
            // A million equal steps are written as one step and a number.
            let spelt = if segment.repeat <= 8 { segment.repeat } else { 1 };
            for _ in 0..spelt {
                let _ = write!(text, ".{}", segment.field);
                if let Some(index) = segment.index {
                    let _ = write!(text, "[{index}]");
                }
            }
            if spelt < segment.repeat {
                let _ = write!(text, "{{{} times}}", segment.repeat);
            }
        }
        if let Some(slot) = slot {
            let _ = write!(text, "[{slot}]");
        }
        AuditError::new(text, message)
    }
}

struct Frame<'a, C: Clone, V> {
    terms: std::vec::IntoIter<Term<'a, C, V>>,
    path: (usize, usize),
    /// The count field, what it says, and how many nonzeros had been seen before the node.
    claim: Option<(&'static str, u64, u64)>,
}

/// The frame of the node whose report this is.
fn open<'a, C: Clone, V>(report: &mut Inspection<'a, C, V>, path: (usize, usize), seen: u64) -> Frame<'a, C, V> {
    let claim = report.claim.map(|(field, claimed)| (field, claimed, seen));
    Frame { terms: std::mem::take(&mut report.terms).into_iter(), path, claim }
}

/// Checks a store whose handle is inspected by `handle`; `ordered` says that the sequence attribute orders all of it.
///
/// # Errors
///
/// The first invariant that does not hold, in the order of the sequence attribute.
pub fn audit<'a, C: Coord, V: Value>(
    root: &'static str,
    ordered: bool,
    handle: impl FnOnce(&mut Inspection<'a, C, V>),
    value: &mut dyn FnMut(&V) -> Result<(), AuditError>,
) -> Result<(), AuditError> {
    let mut report = Inspection::new();
    handle(&mut report);
    audit_from(root, ordered, report, value)
}

/// As [`audit`], from the report of the handle on; compiled once for all stores of the same values.
fn audit_from<C: Coord, V: Value>(
    root: &'static str,
    ordered: bool,
    mut report: Inspection<'_, C, V>,
    value: &mut dyn FnMut(&V) -> Result<(), AuditError>,
) -> Result<(), AuditError> {
    let mut path = Path { root, segments: Vec::new() };
    let mut seen = 0_u64;
    let mut last: Option<C> = None;
    let mut unordered: Vec<C> = Vec::new();
    let mut scratch: Vec<C> = Vec::new();
    let mut frames: Vec<Frame<'_, C, V>> = Vec::new();

    report.verdict().map_err(|(at, message)| path.error(at, None, message))?;
    frames.push(open(&mut report, path.mark(), seen));

    while let Some(frame) = frames.last_mut() {
        match frame.terms.next() {
            None => {
                if let Some((field, claimed, before)) = frame.claim
                    && claimed != seen - before
                {
                    let message = format!("counts {claimed} nonzeros, but {} are reachable", seen - before);
                    return Err(path.error(Segment::new(field, None), None, message));
                }
                let mark = frame.path;
                frames.pop();
                // The path of a node is that of the frame below it until that frame moves on.
                path.back_to(mark);
            }
            Some(Term::Elements { field, index, coords, values, sorted }) => {
                let at = Segment::new(field, index);
                let slot = |slot: usize| if index.is_none() && coords.len() != 1 { Some(slot) } else { None };
                let before = last;
                for (position, &coord) in coords.iter().enumerate() {
                    let found = match &values {
                        Values::All(values) => {
                            if coord == C::GAP {
                                let message = "is empty, but the schema says `nonempty`".into();
                                return Err(path.error(at, slot(position), message));
                            }
                            &values[position]
                        }
                        Values::Slots(_) if coord == C::GAP => continue,
                        // SAFETY: the slot is not empty, so its value is initialised.
                        Values::Slots(values) => unsafe { values[position].assume_init_ref() },
                    };
                    seen += 1;
                    if ordered {
                        // Inside an unsorted array only what came before the array is a bound.
                        let bound = if sorted { last } else { before };
                        if let Some(bound) = bound
                            && bound >= coord
                        {
                            let message = format!("coordinate {coord} is not above {bound}, which comes before it");
                            return Err(path.error(at, slot(position), message));
                        }
                        last = last.max(Some(coord));
                    } else {
                        unordered.push(coord);
                    }
                    value(found).map_err(|error| {
                        let outer = path.error(at, slot(position), String::new());
                        error.within(&outer.path)
                    })?;
                }
                if ordered && !sorted {
                    scratch.clear();
                    scratch.extend(coords.iter().filter(|&&coord| coord != C::GAP));
                    scratch.sort_unstable();
                    if let Some(pair) = scratch.windows(2).find(|pair| pair[0] == pair[1]) {
                        return Err(path.error(at, None, format!("coordinate {} occurs twice", pair[0])));
                    }
                }
            }
            Some(Term::Child { field, index, node }) => {
                let mark = path.mark();
                // A child in tail position takes its parent's place, so that a list needs one frame.
                let tail = frame.terms.len() == 0 && frame.claim.is_none();
                let mark = if tail { frame.path } else { mark };
                if tail {
                    frames.pop();
                }
                path.push(field, index);
                report.reset();
                // SAFETY: the node is reachable from the handle, which is borrowed for `'a`.
                unsafe { (node.inspect)(node.node, &mut report) };
                report.verdict().map_err(|(at, message)| path.error(at, None, message))?;
                frames.push(open(&mut report, mark, seen));
            }
        }
    }
    unordered.sort_unstable();
    match unordered.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(AuditError::new(root, format!("coordinate {} occurs twice", pair[0]))),
        None => Ok(()),
    }
}

/// Sums up the memory of a store whose handle is inspected by `handle`.
pub fn footprint<'a, C: Coord, V: Value>(
    handle: impl FnOnce(&mut Inspection<'a, C, V>),
    value: &mut dyn FnMut(&V) -> Footprint,
) -> Footprint {
    let mut report = Inspection::new();
    handle(&mut report);
    footprint_from(report, value)
}

/// As [`footprint`], from the report of the handle on.
fn footprint_from<C: Coord, V: Value>(
    mut report: Inspection<'_, C, V>,
    value: &mut dyn FnMut(&V) -> Footprint,
) -> Footprint {
    let mut sum = Footprint::default();
    let mut nodes: Vec<AnyNode<'_, C, V>> = Vec::new();
    loop {
        sum += Footprint { bytes: report.bytes, nodes: report.nodes, gaps: report.gaps };
        for term in report.terms.drain(..) {
            match term {
                Term::Child { node, .. } => nodes.push(node),
                Term::Elements { coords, values: Values::Slots(values), .. } => {
                    for (coord, held) in coords.iter().zip(values) {
                        if *coord != C::GAP {
                            // SAFETY: the slot is not empty, so its value is initialised.
                            sum += value(unsafe { held.assume_init_ref() });
                        }
                    }
                }
                Term::Elements { values: Values::All(values), .. } => sum += values.iter().map(&mut *value).sum(),
            }
        }
        let Some(node) = nodes.pop() else { return sum };
        report.reset();
        // SAFETY: the node is reachable from the handle, which is borrowed for `'a`.
        unsafe { (node.inspect)(node.node, &mut report) };
    }
}
