//! The fields of a node, and what they hold.

use std::collections::HashMap;

use super::checker::{Checker, GREATEST_SIZE, MOST};
use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::schema::ast::{self, Name, NodeDef, Type};
use crate::schema::model::{
    Amount, Array, CoordWidth, Extent, Field, FieldId, FieldKind, Layout, Node, NodeId, Recursion, Size, Slots, Target,
};

/// The most slots of an array that lies in its node: such a node is copied whole when it is written while shared.
const MOST_SLOTS: u64 = 1 << 16;

impl<'a> Checker<'a> {
    pub(super) fn node(&mut self, def: &'a NodeDef) -> Node {
        if def.fields.len() > MOST {
            self.say(Diagnostic::new(def.name.span(), format!("a node has at most {MOST} fields")));
        }
        let own_fields = &def.fields[..def.fields.len().min(MOST)];
        let by_name = self.field_names(def, own_fields);
        self.check_element_names(own_fields, &by_name);

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
        let fields = own_fields.iter().zip(scope.kinds).map(|(field, kind)| Field {
            name: field.name.text.clone(),
            doc: field.doc.clone(),
            span: field.name.span().to(field.at.0),
            kind,
        });
        Node {
            name: def.name.text.clone(),
            doc: def.doc.clone(),
            supertype,
            fields: fields.collect(),
            sequence,
            has_seq: def.seq.is_some(),
            ordered,
            component: 0,
            recursion: Recursion::None,
            min_elems: 0,
        }
    }

    /// Collects the fields of a node under their names, which differ from each other and from those of parameters.
    fn field_names(&mut self, def: &NodeDef, fields: &'a [ast::Field]) -> HashMap<&'a str, FieldId> {
        let mut by_name: HashMap<&str, FieldId> = HashMap::new();
        for (at, field) in fields.iter().enumerate() {
            let name = &field.name;
            self.check_name(name);
            if let Some(first) = by_name.get(name.text.as_str()) {
                let message = format!("`{}` has two fields called `{}`", def.name.text, name.text);
                self.say(
                    Diagnostic::new(name.span(), message)
                        .related(fields[first.0].name.span(), "the first one")
                        .help("remove or rename one"),
                );
                continue;
            }
            if let Some(param) = self.store.params.iter().find(|param| param.name.text == name.text) {
                self.say(
                    Diagnostic::new(name.span(), format!("field `{}` has a parameter's name", name.text))
                        .related(param.name.span(), "the parameter")
                        .help("rename one, so that a size can only mean one of them"),
                );
            }
            by_name.insert(&name.text, FieldId(at));
        }
        by_name
    }

    /// Generated code keeps the elements of `e` in fields that it calls `e_coord` and `e_value`.
    fn check_element_names(&mut self, fields: &[ast::Field], by_name: &HashMap<&str, FieldId>) {
        for field in fields {
            let name = &field.name;
            let elements = ["_coord", "_value"].into_iter().filter_map(|suffix| name.text.strip_suffix(suffix));
            for of in elements {
                if let Some(elem) = by_name.get(of).map(|id| &fields[id.0])
                    && matches!(elem.ty, Type::Elem { .. })
                {
                    let message = format!("`{}` is where the elements of `{of}` are kept", name.text);
                    self.say(
                        Diagnostic::new(name.span(), message)
                            .related(elem.name.span(), "these elements")
                            .help("rename one"),
                    );
                }
            }
        }
    }

    /// What a field holds, as far as it can be said without the other fields' kinds.
    fn field(&mut self, scope: &Scope<'a>, field: &'a ast::Field) -> FieldKind {
        match &field.ty {
            Type::Elem { array, annotations } => self.elem(scope, field, array.as_ref(), annotations),
            Type::Child { node, array, annotations } => self.child(scope, field, node, array.as_ref(), annotations),
            Type::Size { range } => self.size(scope, field, range.as_ref()),
            Type::Count { deep } => {
                if let Some(other) = scope.earlier(&field.ty) {
                    self.say(
                        Diagnostic::new(field.name.span(), format!("`{}` counts the same again", field.name.text))
                            .related(other.name.span(), "counted here")
                            .help("remove one"),
                    );
                }
                FieldKind::Count { deep: *deep }
            }
            Type::Parent => {
                if let Some(other) = scope.earlier(&field.ty) {
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

    fn elem(
        &mut self,
        scope: &Scope<'a>,
        field: &ast::Field,
        array: Option<&ast::Amount>,
        annotations: &ast::Annotations,
    ) -> FieldKind {
        if let Some(width) = &annotations.coord {
            self.coord(width);
        }
        let slots = self.slots(scope, field, array, annotations);
        if let (Some(delta), None) = (annotations.delta, &slots.array) {
            self.say(
                Diagnostic::new(delta.0, format!("`{}` is no array", field.name.text))
                    .note("`delta` stores the differences between the coordinates of an array"),
            );
        }
        FieldKind::Elem { delta: annotations.delta.is_some() && slots.array.is_some(), slots }
    }

    fn child(
        &mut self,
        scope: &Scope<'a>,
        field: &ast::Field,
        node: &Name,
        array: Option<&ast::Amount>,
        annotations: &ast::Annotations,
    ) -> FieldKind {
        for (word, at) in
            [("delta", annotations.delta.map(|at| at.0)), ("coord", annotations.coord.as_ref().map(|name| name.span()))]
        {
            if let Some(span) = at {
                self.say(
                    Diagnostic::new(span, format!("`{word}` says nothing of a child")).help("it belongs behind `elem`"),
                );
            }
        }
        let target = self.child_target(node);
        FieldKind::Child { target, slots: self.slots(scope, field, array, annotations) }
    }

    /// The node type or supertype of a child.
    fn child_target(&mut self, node: &Name) -> Target {
        if let Some((target, _)) = self.targets.get(node.text.as_str()) {
            return *target;
        }
        let known = self.targets.keys().copied().chain(["elem", "size", "count", "parent", "bool"]);
        let meant = nearest(&node.text, known).map(|name| format!("did you mean `{name}`?"));
        let help = meant.unwrap_or_else(|| format!("define it: `def {} {{ … }}`", node.text));
        self.say(Diagnostic::new(node.span(), format!("no node is called `{}`", node.text)).help(help));
        // Stands in for what is missing; a model with mistakes is never handed out.
        Target::Node(NodeId(0))
    }

    fn size(&mut self, scope: &Scope<'a>, field: &ast::Field, range: Option<&ast::SizeRange>) -> FieldKind {
        let (mut lo, mut hi) = (None, None);
        if let Some(range) = range {
            lo = self.bound(scope, &range.lo);
            hi = range.hi.as_ref().and_then(|hi| self.bound(scope, hi));
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
        }
        let lo = lo.unwrap_or(Amount { value: 0, param: None });
        FieldKind::Size(Size { lo, hi, sizes: Vec::new(), fills: Vec::new() })
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
}
