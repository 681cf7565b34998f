//! [`ast`](super::ast) to [`model`](super::model): resolves names, decides layout and order, and tells what is wrong.
//!
//! The checks of one node's fields are here; those that need the whole store (who is the handle, what can end, what
//! recurses) are in [`graph`](super::graph).

use std::collections::HashMap;

use super::ast::{self, Def, Entry, Name, NodeDef, Store, Type};
use super::model::{
    Amount, Array, CoordWidth, Extent, Field, FieldId, FieldKind, Layout, Model, Node, NodeId, Param, Recursion, Size,
    Slots, SuperId, Supertype, Target, Term, type_name,
};
use super::{MOST_MISTAKES, graph, tell};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, nearest};

/// The most node types, supertypes, parameters of a store and fields of a node.
const MOST: usize = 256;

/// The most slots of an array that lies in its node: such a node is copied whole when it is written while shared.
const MOST_SLOTS: u64 = 1 << 16;

/// The greatest bound of a size: sizes are stored in 32 bits.
const GREATEST_SIZE: u64 = u32::MAX as u64;

/// Words that begin a type and so cannot be the name of a node.
const TYPE_WORDS: [&str; 5] = ["elem", "size", "count", "parent", "supertype"];

/// Checks `store` with every parameter at its default. `name_if_bare` names a store of bare `def`s, as the file does.
///
/// # Errors
///
/// What the schema gets wrong, several mistakes per run.
pub fn check(store: &Store, name_if_bare: &str) -> Result<Model, Diagnostics> {
    check_with(store, name_if_bare, &[])
}

/// Checks `store` with the parameters that `arguments` name at the values beside them.
///
/// # Errors
///
/// What the schema gets wrong, or what only these arguments do; an argument that is no parameter.
pub fn check_with(store: &Store, name_if_bare: &str, arguments: &[(&str, u64)]) -> Result<Model, Diagnostics> {
    let mut checker = Checker::new(store, name_if_bare, arguments);
    let nodes = checker.nodes();
    tell(std::mem::take(&mut checker.diagnostics), ())?;
    let mut model = Model {
        name: checker.name,
        doc: store.doc.clone(),
        params: checker.params,
        nodes,
        supertypes: checker.supertypes,
        handle: NodeId(0),
        coord: checker.coord.map(|(width, _)| width),
        ordered: false,
        components: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    graph::complete(&mut model, store, &mut diagnostics);
    tell(diagnostics, model)
}

struct Checker<'a> {
    store: &'a Store,
    name: String,
    /// What stands for the whole store in a message.
    span: Span,
    params: Vec<Param>,
    used: Vec<bool>,
    node_defs: Vec<&'a NodeDef>,
    supertypes: Vec<Supertype>,
    targets: HashMap<&'a str, (Target, Span)>,
    coord: Option<(CoordWidth, Span)>,
    diagnostics: Diagnostics,
}

impl<'a> Checker<'a> {
    fn new(store: &'a Store, name_if_bare: &str, arguments: &[(&str, u64)]) -> Checker<'a> {
        let mut checker = Checker {
            store,
            name: store.name.as_ref().map_or(name_if_bare, |name| &name.text).to_owned(),
            span: store_span(store),
            params: Vec::new(),
            used: vec![false; store.params.len()],
            node_defs: Vec::new(),
            supertypes: Vec::new(),
            targets: HashMap::new(),
            coord: None,
            diagnostics: Diagnostics::new(),
        };
        checker.params(arguments);
        checker.defs();
        checker
    }

    fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn params(&mut self, arguments: &[(&str, u64)]) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for param in &self.store.params {
            let name = &param.name;
            if let Some(first) = seen.insert(&name.text, name.span()) {
                self.say(
                    Diagnostic::new(name.span(), format!("parameter `{}` is defined twice", name.text))
                        .related(first, "first defined here")
                        .help("remove or rename one"),
                );
            }
            self.check_name(name);
            let given = arguments.iter().find(|(argument, _)| *argument == name.text).map(|&(_, value)| value);
            let default = param.default.value;
            let value = given.unwrap_or(default);
            if value > GREATEST_SIZE {
                self.say(
                    Diagnostic::new(param.default.at.0, format!("parameter `{}` is too large", name.text))
                        .help(format!("sizes are at most {GREATEST_SIZE}")),
                );
            }
            self.params.push(Param { name: name.text.clone(), default, value });
        }
        for (argument, _) in arguments {
            if !seen.contains_key(argument) {
                let known: Vec<String> = self.params.iter().map(|param| format!("`{}`", param.name)).collect();
                let help = match known.is_empty() {
                    true => "it has no parameters".to_owned(),
                    false => format!("its parameters are {}", known.join(", ")),
                };
                self.say(
                    Diagnostic::new(self.span, format!("store `{}` has no parameter `{argument}`", self.name))
                        .help(help),
                );
            }
        }
        if self.params.len() > MOST {
            self.say(Diagnostic::new(self.span, format!("a store has at most {MOST} parameters")));
        }
    }

    /// Collects supertypes and nodes under their names.
    fn defs(&mut self) {
        let mut rust_names: HashMap<String, &Name> = HashMap::new();
        let mut super_defs = Vec::new();
        for def in &self.store.defs {
            let name = match def {
                Def::Supertype(supertype) => &supertype.name,
                Def::Node(node) => &node.name,
            };
            if self.targets.len() == MOST {
                self.say(Diagnostic::new(name.span(), format!("a store has at most {MOST} types of nodes")));
                break;
            }
            let target = match def {
                Def::Supertype(_) => Target::Super(SuperId(self.supertypes.len())),
                Def::Node(_) => Target::Node(NodeId(self.node_defs.len())),
            };
            if let Some((_, first)) = self.targets.get(name.text.as_str()) {
                let first = *first;
                self.say(
                    Diagnostic::new(name.span(), format!("`{}` is defined twice", name.text))
                        .related(first, "first defined here")
                        .help("remove or rename one"),
                );
                continue;
            }
            self.check_name(name);
            if TYPE_WORDS.contains(&name.text.as_str()) || ast::Metadata::named(&name.text).is_some() {
                self.say(
                    Diagnostic::new(name.span(), format!("a node cannot be called `{}`", name.text))
                        .note("it is a word of the language"),
                );
            } else if !type_name(&name.text).starts_with(|c: char| c.is_ascii_alphabetic()) {
                self.say(
                    Diagnostic::new(name.span(), format!("a node cannot be called `{}`", name.text))
                        .help("its name, without underscores, begins with a letter"),
                );
            } else if let Some(first) = rust_names.insert(type_name(&name.text), name) {
                let message =
                    format!("`{}` and `{}` are both `{}` in Rust", first.text, name.text, type_name(&name.text));
                self.say(
                    Diagnostic::new(name.span(), message).related(first.span(), "the other one").help("rename one"),
                );
            }
            self.targets.insert(&name.text, (target, name.span()));
            match def {
                Def::Supertype(supertype) => {
                    super_defs.push(supertype);
                    self.supertypes.push(Supertype {
                        name: name.text.clone(),
                        doc: supertype.doc.clone(),
                        subtypes: Vec::new(),
                    });
                }
                Def::Node(node) => self.node_defs.push(node),
            }
        }
        if self.node_defs.is_empty() {
            self.say(
                Diagnostic::new(self.span, format!("store `{}` has no nodes", self.name))
                    .help("define what a row holds: `def list_head { h : list }`"),
            );
        }
        for (at, node) in self.node_defs.clone().into_iter().enumerate() {
            let Some(name) = &node.supertype else { continue };
            match self.targets.get(name.text.as_str()) {
                Some((Target::Super(supertype), _)) => self.supertypes[supertype.0].subtypes.push(NodeId(at)),
                Some((Target::Node(_), span)) => {
                    let span = *span;
                    self.say(
                        Diagnostic::new(name.span(), format!("`{}` is a node, not a supertype", name.text))
                            .related(span, "defined here")
                            .help("only what `def supertype` defines has subtypes"),
                    );
                }
                None => {
                    let known = super_defs.iter().map(|supertype| supertype.name.text.as_str());
                    let mut diagnostic =
                        Diagnostic::new(name.span(), format!("no supertype is called `{}`", name.text))
                            .help(format!("define it: `def supertype {}`", name.text));
                    diagnostic.help.extend(nearest(&name.text, known).map(|name| format!("or did you mean `{name}`?")));
                    self.say(diagnostic);
                }
            }
        }
        for (supertype, def) in self.supertypes.clone().iter().zip(super_defs) {
            if supertype.subtypes.is_empty() {
                self.say(
                    Diagnostic::new(def.name.span(), format!("supertype `{}` has no subtypes", supertype.name))
                        .help(format!("define one: `def {0}_leaf : {0} {{ … }}`", supertype.name)),
                );
            }
        }
    }

    /// Names that Rust has no way to spell.
    fn check_name(&mut self, name: &Name) {
        if matches!(name.text.as_str(), "self" | "Self" | "super" | "crate" | "_") {
            self.say(
                Diagnostic::new(name.span(), format!("nothing can be called `{}`", name.text))
                    .note("Rust keeps it for itself"),
            );
        }
    }

    fn nodes(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for def in self.node_defs.clone() {
            // Further mistakes would not be reported, and the search for similar names takes time.
            if self.diagnostics.len() <= MOST_MISTAKES {
                nodes.push(self.node(def));
            }
        }
        // A mistake elsewhere may be why it is not used.
        let any_mistake = !self.diagnostics.is_empty();
        for (param, used) in self.store.params.iter().zip(self.used.clone()) {
            if !used && !any_mistake {
                self.say(
                    Diagnostic::new(param.name.span(), format!("parameter `{}` is used by nothing", param.name.text))
                        .help("remove it, or use it as the size of an array or as the bound of a `size`"),
                );
            }
        }
        nodes
    }

    fn node(&mut self, def: &'a NodeDef) -> Node {
        if def.fields.len() > MOST {
            self.say(Diagnostic::new(def.name.span(), format!("a node has at most {MOST} fields")));
        }
        let own_fields = &def.fields[..def.fields.len().min(MOST)];
        let mut by_name: HashMap<&str, FieldId> = HashMap::new();
        for (at, field) in own_fields.iter().enumerate() {
            self.check_name(&field.name);
            if let Some(first) = by_name.get(field.name.text.as_str()) {
                let first = own_fields[first.0].name.span();
                self.say(
                    Diagnostic::new(
                        field.name.span(),
                        format!("`{}` has two fields called `{}`", def.name.text, field.name.text),
                    )
                    .related(first, "the first one")
                    .help("remove or rename one"),
                );
                continue;
            }
            if let Some(param) = self.store.params.iter().find(|param| param.name.text == field.name.text) {
                let span = param.name.span();
                self.say(
                    Diagnostic::new(field.name.span(), format!("field `{}` has a parameter's name", field.name.text))
                        .related(span, "the parameter")
                        .help("rename one, so that a size can only mean one of them"),
                );
            }
            by_name.insert(&field.name.text, FieldId(at));
        }
        for field in own_fields {
            let coords = ["_coord", "_value"].into_iter().filter_map(|suffix| field.name.text.strip_suffix(suffix));
            for of in coords {
                if let Some(elem) = by_name.get(of).map(|id| &own_fields[id.0])
                    && matches!(elem.ty, Type::Elem { .. })
                {
                    let message = format!("`{}` is where the elements of `{of}` are kept", field.name.text);
                    self.say(
                        Diagnostic::new(field.name.span(), message)
                            .related(elem.name.span(), "these elements")
                            .help("rename one"),
                    );
                }
            }
        }

        let mut scope = Scope { def, fields: own_fields, by_name, kinds: Vec::new() };
        for field in own_fields {
            let kind = self.field(&scope, field);
            scope.kinds.push(kind);
        }
        self.sizes(&mut scope);
        let (sequence, ordered) = self.sequence(&mut scope);
        self.delta(&scope, &sequence);

        let own_supertype = def.supertype.as_ref().and_then(|name| self.targets.get(name.text.as_str()));
        let supertype = match own_supertype {
            Some((Target::Super(supertype), _)) => Some(*supertype),
            _ => None,
        };
        let fields = own_fields
            .iter()
            .zip(scope.kinds)
            .map(|(field, kind)| Field {
                name: field.name.text.clone(),
                doc: field.doc.clone(),
                span: field.name.span().to(field.at.0),
                kind,
            })
            .collect();
        Node {
            name: def.name.text.clone(),
            doc: def.doc.clone(),
            supertype,
            fields,
            sequence,
            has_seq: def.seq.is_some(),
            ordered,
            component: 0,
            recursion: Recursion::None,
            min_elems: 0,
        }
    }

    /// What a field holds, as far as it can be said without the other fields' kinds.
    fn field(&mut self, scope: &Scope<'a>, field: &'a ast::Field) -> FieldKind {
        match &field.ty {
            Type::Elem { array, annotations } => {
                if let Some(width) = &annotations.coord {
                    self.coord(width);
                }
                let slots = self.slots(scope, field, array.as_ref(), annotations);
                if let (Some(delta), None) = (annotations.delta, &slots.array) {
                    self.say(
                        Diagnostic::new(delta.0, format!("`{}` is no array", field.name.text))
                            .note("`delta` stores the differences between the coordinates of an array"),
                    );
                }
                FieldKind::Elem { delta: annotations.delta.is_some() && slots.array.is_some(), slots }
            }
            Type::Child { node, array, annotations } => {
                for (word, at) in [
                    ("delta", annotations.delta.map(|at| at.0)),
                    ("coord", annotations.coord.as_ref().map(|name| name.span())),
                ] {
                    if let Some(span) = at {
                        self.say(
                            Diagnostic::new(span, format!("`{word}` says nothing of a child"))
                                .help("it belongs behind `elem`"),
                        );
                    }
                }
                let target = match self.targets.get(node.text.as_str()) {
                    Some((target, _)) => *target,
                    None => {
                        let known = self.targets.keys().copied().chain(["elem", "size", "count", "parent", "bool"]);
                        let meant = nearest(&node.text, known).map(|name| format!("did you mean `{name}`?"));
                        let mut diagnostic = Diagnostic::new(node.span(), format!("no node is called `{}`", node.text));
                        diagnostic
                            .help
                            .push(meant.unwrap_or_else(|| format!("define it: `def {} {{ … }}`", node.text)));
                        self.say(diagnostic);
                        // Stands in for what is missing; a model with mistakes is never handed out.
                        Target::Node(NodeId(0))
                    }
                };
                FieldKind::Child { target, slots: self.slots(scope, field, array.as_ref(), annotations) }
            }
            Type::Size { range } => {
                let (lo, hi) = match range {
                    None => (None, None),
                    Some(range) => {
                        let lo = self.bound(scope, &range.lo);
                        let hi = range.hi.as_ref().and_then(|hi| self.bound(scope, hi));
                        if let (Some(lo), Some(hi)) = (&lo, &hi) {
                            if lo.value > hi.value {
                                let message = format!("no size lies between {} and {}", lo.value, hi.value);
                                self.say(Diagnostic::new(range.at.0, message).help("write the smaller bound first"));
                            } else if hi.value == 0 {
                                self.say(
                                    Diagnostic::new(range.at.0, format!("`{}` is always 0", field.name.text))
                                        .help("let the greatest size be at least 1, or `*`"),
                                );
                            }
                        }
                        (lo, hi)
                    }
                };
                let lo = lo.unwrap_or(Amount { value: 0, param: None });
                FieldKind::Size(Size { lo, hi, sizes: Vec::new(), fills: Vec::new() })
            }
            Type::Count { deep } => {
                let other = scope.fields[..scope.kinds.len()].iter().find(|other| other.ty == field.ty);
                if let Some(other) = other {
                    self.say(
                        Diagnostic::new(field.name.span(), format!("`{}` counts the same again", field.name.text))
                            .related(other.name.span(), "counted here")
                            .help("remove one"),
                    );
                }
                FieldKind::Count { deep: *deep }
            }
            Type::Parent => {
                let other = scope.fields[..scope.kinds.len()].iter().find(|other| other.ty == Type::Parent);
                if let Some(other) = other {
                    self.say(
                        Diagnostic::new(field.name.span(), "a node has one parent")
                            .related(other.name.span(), "the first one")
                            .help("remove one"),
                    );
                }
                let own = scope.def.supertype.as_ref().unwrap_or(&scope.def.name);
                let target = self.targets.get(own.text.as_str()).map(|(target, _)| *target);
                FieldKind::Parent { target: target.unwrap_or(Target::Node(NodeId(0))) }
            }
            Type::Metadata(metadata) => FieldKind::Metadata(*metadata),
        }
    }

    fn coord(&mut self, name: &Name) {
        let width = match ast::Metadata::named(&name.text) {
            Some(ast::Metadata::Uint16) => CoordWidth::U16,
            Some(ast::Metadata::Uint32) => CoordWidth::U32,
            Some(ast::Metadata::Uint64) => CoordWidth::U64,
            _ => {
                self.say(
                    Diagnostic::new(name.span(), format!("coordinates cannot be `{}`", name.text))
                        .help("they are `uint16`, `uint32` or `uint64`"),
                );
                return;
            }
        };
        match self.coord {
            Some((first, span)) if first != width => self.say(
                Diagnostic::new(name.span(), "all elements of a store have coordinates of one width")
                    .related(span, "another one is said here")
                    .help("say it once"),
            ),
            Some(_) => {}
            None => self.coord = Some((width, name.span())),
        }
    }

    /// A parameter or a constant that bounds a size.
    fn bound(&mut self, scope: &Scope<'a>, amount: &ast::Amount) -> Option<Amount> {
        match amount {
            ast::Amount::Const(number) if number.value > GREATEST_SIZE => {
                self.say(
                    Diagnostic::new(number.at.0, "this size is too large")
                        .help(format!("sizes are at most {GREATEST_SIZE}; `*` leaves them unbounded")),
                );
                None
            }
            ast::Amount::Const(number) => Some(Amount { value: number.value, param: None }),
            ast::Amount::Named(name) => match self.param(name) {
                Some(amount) => Some(amount),
                None => {
                    let mut diagnostic = match scope.by_name.get(name.text.as_str()) {
                        Some(_) => Diagnostic::new(name.span(), format!("`{}` is a field, not a constant", name.text)),
                        None => Diagnostic::new(name.span(), format!("no parameter is called `{}`", name.text)),
                    };
                    diagnostic = diagnostic.help("bounds are constants or parameters of the store, such as `<B = 64>`");
                    self.say(diagnostic);
                    None
                }
            },
        }
    }

    fn param(&mut self, name: &Name) -> Option<Amount> {
        let at = self.params.iter().position(|param| param.name == name.text)?;
        self.used[at] = true;
        Some(Amount { value: self.params[at].value, param: Some(name.text.clone()) })
    }

    fn slots(
        &mut self,
        scope: &Scope<'a>,
        field: &ast::Field,
        array: Option<&ast::Amount>,
        annotations: &ast::Annotations,
    ) -> Slots {
        let array = array.map(|amount| self.array(scope, amount, annotations));
        if let (Some(inline), None) = (annotations.inline, &array) {
            self.say(
                Diagnostic::new(inline.0, format!("`{}` is no array", field.name.text))
                    .note("`inline` puts an array behind the node's header; everything else is in the node anyway"),
            );
        }
        Slots { array, nonempty: annotations.nonempty.is_some() }
    }

    fn array(&mut self, scope: &Scope<'a>, amount: &ast::Amount, annotations: &ast::Annotations) -> Array {
        let mut constant = None;
        let mut sized = None;
        match amount {
            ast::Amount::Const(number) => constant = Some(Amount { value: number.value, param: None }),
            ast::Amount::Named(name) => match scope.by_name.get(name.text.as_str()) {
                Some(id) if matches!(scope.fields[id.0].ty, Type::Size { .. }) => sized = Some(*id),
                Some(id) => {
                    let other = scope.fields[id.0].name.span();
                    self.say(
                        Diagnostic::new(name.span(), format!("`{}` is no size", name.text))
                            .related(other, "defined here")
                            .help("the size of an array is a constant, a parameter or a `size` field of its node"),
                    );
                }
                None => match self.param(name) {
                    Some(amount) => constant = Some(amount),
                    None => {
                        let known = scope
                            .fields
                            .iter()
                            .filter(|field| matches!(field.ty, Type::Size { .. }))
                            .map(|field| field.name.text.as_str())
                            .chain(self.params.iter().map(|param| param.name.as_str()));
                        let meant = nearest(&name.text, known).map(|name| format!("did you mean `{name}`?"));
                        let mut diagnostic = Diagnostic::new(name.span(), format!("no size is called `{}`", name.text))
                            .help(format!(
                                "add a field `{0} : size`, or a parameter `<{0} = 64>` to the store",
                                name.text
                            ));
                        diagnostic.help.extend(meant);
                        self.say(diagnostic);
                    }
                },
            },
        }
        if let Some(constant) = constant {
            if constant.value == 0 {
                self.say(Diagnostic::new(amount.span(), "an array of no slots").help("let it have at least 1"));
            }
            self.check_capacity(amount.span(), &constant);
            if let Some(inline) = annotations.inline {
                self.say(
                    Diagnostic::new(inline.0, "an array of constant size lies in its node anyway")
                        .help("leave out `inline`, or size the array by a `size` field"),
                );
            }
            let layout = Layout::Member { capacity: constant.clone() };
            return Array { extent: Extent::Const(constant), layout, ordered: false };
        }
        let size = sized.unwrap_or(FieldId(0));
        let bound = match scope.fields.get(size.0).map(|field| &field.ty) {
            Some(Type::Size { range: Some(ast::SizeRange { hi: Some(hi), .. }) }) => match hi {
                ast::Amount::Const(number) => Some(Amount { value: number.value, param: None }),
                ast::Amount::Named(name) => self.param(name),
            },
            _ => None,
        };
        // Difference-coded arrays have no capacity in slots, so a bound on these decides nothing.
        let layout = match bound {
            _ if annotations.inline.is_some() => Layout::Tail,
            Some(capacity) if annotations.delta.is_none() => {
                self.check_capacity(amount.span(), &capacity);
                Layout::Member { capacity }
            }
            _ => Layout::Pointer,
        };
        Array { extent: Extent::Sized(size), layout, ordered: false }
    }

    fn check_capacity(&mut self, span: Span, capacity: &Amount) {
        if capacity.value > MOST_SLOTS {
            self.say(
                Diagnostic::new(span, format!("an array of {} slots is too large for a node", capacity.value)).help(
                    format!("let it have at most {MOST_SLOTS}, or size it by a `size` field without a greatest value"),
                ),
            );
        }
    }

    /// Finds the arrays of every size, and what its value bounds where no array has it as its size.
    fn sizes(&mut self, scope: &mut Scope<'a>) {
        for at in 0..scope.kinds.len() {
            let FieldKind::Size(size) = &scope.kinds[at] else { continue };
            let hi = size.hi.clone();
            let id = FieldId(at);
            let sizes: Vec<FieldId> =
                scope.arrays().filter(|(_, array)| array.extent == Extent::Sized(id)).map(|(id, _)| id).collect();
            let mut fills = Vec::new();
            if sizes.is_empty() {
                let same = |extent: &Extent| match (extent, &hi) {
                    (Extent::Const(slots) | Extent::Filled { slots, .. }, Some(hi)) => {
                        slots.param == hi.param && slots.value == hi.value
                    }
                    _ => false,
                };
                fills = scope.arrays().filter(|(_, array)| same(&array.extent)).map(|(id, _)| id).collect();
                self.fills(scope, id, &fills);
            }
            if let FieldKind::Size(size) = &mut scope.kinds[at] {
                size.sizes = sizes;
                size.fills = fills;
            }
        }
    }

    fn fills(&mut self, scope: &mut Scope<'a>, size: FieldId, fills: &[FieldId]) {
        let field = &scope.fields[size.0];
        if fills.is_empty() {
            self.say(
                Diagnostic::new(field.name.span(), format!("size `{}` belongs to nothing", field.name.text))
                    .note("a `size` is the size of an array, or its greatest value is the constant size of one")
                    .help(format!("write `[{}]` behind the array that it sizes, or remove it", field.name.text)),
            );
        }
        for id in fills {
            let array_field = &scope.fields[id.0];
            let Some(slots) = scope.kinds[id.0].slots_mut() else { continue };
            if slots.nonempty {
                self.say(
                    Diagnostic::new(
                        array_field.name.span().to(array_field.at.0),
                        format!(
                            "`{}` is nonempty, but only as many of its slots are used as `{}` says",
                            array_field.name.text, field.name.text
                        ),
                    )
                    .related(field.name.span().to(field.at.0), "says how many slots are used")
                    .help(format!(
                        "write `[{}]` for an array that is never longer than what it holds, or leave out `nonempty`",
                        field.name.text
                    )),
                );
            }
            if let Some(array) = &mut slots.array {
                match &array.extent {
                    Extent::Const(slots) => array.extent = Extent::Filled { slots: slots.clone(), used: size },
                    Extent::Filled { used, .. } => {
                        let other = &scope.fields[used.0];
                        self.say(
                            Diagnostic::new(
                                field.name.span(),
                                format!("a second size for `{}`", array_field.name.text),
                            )
                            .related(other.name.span(), "the first one")
                            .help("remove one"),
                        );
                    }
                    Extent::Sized(_) => {}
                }
            }
        }
    }

    /// Resolves the `seq`: the node's terms, and whether coordinates ascend along them.
    fn sequence(&mut self, scope: &mut Scope<'a>) -> (Vec<Term>, bool) {
        let Some(seq) = &scope.def.seq else {
            let terms: Vec<Term> = (0..scope.kinds.len())
                .filter_map(|at| scope.kinds[at].slots().map(|slots| (FieldId(at), slots)))
                .map(|(id, slots)| if slots.array.is_some() { Term::Bag(id) } else { Term::One(id) })
                .collect();
            let ordered = matches!(terms[..], [] | [Term::One(_)]);
            return (terms, ordered);
        };
        let mut mentioned: HashMap<FieldId, Span> = HashMap::new();
        let mut terms = Vec::new();
        for entry in &seq.entries {
            let names = match entry {
                Entry::Bare(name) => std::slice::from_ref(name),
                Entry::Group(names, _) => names,
            };
            let ids: Vec<FieldId> = names.iter().filter_map(|name| self.mention(scope, &mut mentioned, name)).collect();
            let Entry::Group(_, span) = entry else {
                terms.extend(ids.into_iter().map(|id| match scope.is_array(id) {
                    true => Term::Bag(id),
                    false => Term::One(id),
                }));
                continue;
            };
            if let [id] = ids[..]
                && !scope.is_array(id)
            {
                terms.push(Term::One(id));
                continue;
            }
            for (id, name) in ids.iter().zip(names) {
                if !scope.is_array(*id) {
                    self.say(
                        Diagnostic::new(name.span(), format!("`{}` is no array", scope.name(*id)))
                            .related(span.0, "a group interleaves the slots of arrays")
                            .help(format!("put `{}` before or behind the group", scope.name(*id))),
                    );
                }
                if let Some(array) = scope.kinds[id.0].slots_mut().and_then(|slots| slots.array.as_mut()) {
                    array.ordered = true;
                }
            }
            if !ids.is_empty() {
                terms.push(Term::Interleaved(ids));
            }
        }
        for (at, field) in scope.fields.iter().enumerate() {
            if scope.kinds[at].slots().is_some() && !mentioned.contains_key(&FieldId(at)) {
                let message = format!("the `seq` of `{}` forgets `{}`", scope.def.name.text, field.name.text);
                self.say(
                    Diagnostic::new(seq.at.0, message)
                        .related(field.name.span(), "holds elements, here or below")
                        .help(format!("say where the coordinates of `{}` lie among the others", field.name.text)),
                );
            }
        }
        let ordered = terms.iter().all(|term| !matches!(term, Term::Bag(_)));
        (terms, ordered)
    }

    fn mention(&mut self, scope: &Scope<'a>, mentioned: &mut HashMap<FieldId, Span>, name: &Name) -> Option<FieldId> {
        let Some(&id) = scope.by_name.get(name.text.as_str()) else {
            let known = scope.by_name.keys().copied();
            let message = format!("`{}` has no field `{}`", scope.def.name.text, name.text);
            let mut diagnostic = Diagnostic::new(name.span(), message);
            diagnostic.help.extend(nearest(&name.text, known).map(|name| format!("did you mean `{name}`?")));
            self.say(diagnostic);
            return None;
        };
        if scope.kinds[id.0].slots().is_none() {
            self.say(
                Diagnostic::new(name.span(), format!("`{}` holds no elements", name.text))
                    .related(scope.fields[id.0].name.span().to(scope.fields[id.0].at.0), "neither `elem` nor a child")
                    .help("leave it out: a `seq` orders elements and children"),
            );
            return None;
        }
        if let Some(first) = mentioned.insert(id, name.span()) {
            self.say(
                Diagnostic::new(name.span(), format!("the `seq` repeats `{}`", name.text))
                    .related(first, "mentioned here already")
                    .help("mention every field once"),
            );
            return None;
        }
        Some(id)
    }

    /// Differences need coordinates that ascend without gaps from slot to slot.
    fn delta(&mut self, scope: &Scope<'a>, sequence: &[Term]) {
        for (at, field) in scope.fields.iter().enumerate() {
            let Type::Elem { annotations: ast::Annotations { delta: Some(place), .. }, .. } = &field.ty else {
                continue;
            };
            let FieldKind::Elem { slots, delta: true } = &scope.kinds[at] else { continue };
            let name = &field.name.text;
            if !slots.nonempty {
                self.say(
                    Diagnostic::new(place.0, format!("`{name}` may have gaps"))
                        .note("`delta` stores differences between neighbours, which a gap does not have")
                        .help("add `nonempty`"),
                );
            }
            if !sequence.contains(&Term::Interleaved(vec![FieldId(at)])) {
                self.say(
                    Diagnostic::new(place.0, format!("the slots of `{name}` do not follow each other in order"))
                        .note("`delta` stores differences between neighbours")
                        .help(format!("let the `seq` say `{{{name}}}`")),
                );
            }
        }
    }
}

/// What stands for the whole store in a message: its name, or the first name of bare `def`s.
pub(super) fn store_span(store: &Store) -> Span {
    let first = store.defs.first().map(|def| match def {
        Def::Supertype(supertype) => &supertype.name,
        Def::Node(node) => &node.name,
    });
    store.name.as_ref().or(first).map_or(store.at.0, Name::span)
}

/// A node while its fields are checked.
struct Scope<'a> {
    def: &'a NodeDef,
    fields: &'a [ast::Field],
    by_name: HashMap<&'a str, FieldId>,
    /// Of the fields that were looked at already.
    kinds: Vec<FieldKind>,
}

impl<'a> Scope<'a> {
    fn name(&self, id: FieldId) -> &'a str {
        &self.fields[id.0].name.text
    }

    fn is_array(&self, id: FieldId) -> bool {
        self.kinds[id.0].slots().is_some_and(|slots| slots.array.is_some())
    }

    fn arrays(&self) -> impl Iterator<Item = (FieldId, &Array)> {
        self.kinds.iter().enumerate().filter_map(|(at, kind)| Some((FieldId(at), kind.slots()?.array.as_ref()?)))
    }
}

impl FieldKind {
    fn slots(&self) -> Option<&Slots> {
        match self {
            FieldKind::Elem { slots, .. } | FieldKind::Child { slots, .. } => Some(slots),
            _ => None,
        }
    }

    fn slots_mut(&mut self) -> Option<&mut Slots> {
        match self {
            FieldKind::Elem { slots, .. } | FieldKind::Child { slots, .. } => Some(slots),
            _ => None,
        }
    }
}
