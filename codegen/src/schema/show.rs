//! [`model`](super::model) to text, for people: what was resolved and decided.

use std::fmt::{self, Display, Formatter};

use super::model::{Amount, Extent, FieldKind, Layout, Model, Node, Recursion, Slots, Term};

impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "store {}", self.name)?;
        if !self.params.is_empty() {
            let params: Vec<String> =
                self.params.iter().map(|param| format!("{} = {}", param.name, param.value)).collect();
            write!(f, "<{}>", params.join(", "))?;
        }
        let order = if self.ordered { "ordered" } else { "unordered" };
        let coord = self.coord.map_or("of any width".to_owned(), |coord| coord.rust().to_owned());
        writeln!(f, ": {order}, coordinates {coord}, handle {}", self.node(self.handle).name)?;
        for supertype in &self.supertypes {
            let subtypes: Vec<&str> = supertype.subtypes.iter().map(|&id| self.node(id).name.as_str()).collect();
            writeln!(f, "\nsupertype {}: {}", supertype.name, subtypes.join(" or "))?;
        }
        for id in self.components.iter().flatten() {
            node(f, self, self.node(*id))?;
        }
        Ok(())
    }
}

fn node(f: &mut Formatter<'_>, model: &Model, node: &Node) -> fmt::Result {
    let mut facts = vec![match node.recursion {
        Recursion::None => "does not recurse",
        Recursion::Chain => "forms chains",
        Recursion::Tree => "forms trees",
    }];
    facts.push(if node.ordered { "ordered" } else { "unordered" });
    writeln!(f, "\nnode {}: {}, least elements {}", node.name, facts.join(", "), node.min_elems)?;
    let lines: Vec<(String, String)> = node
        .fields
        .iter()
        .map(|field| {
            let (ty, facts) = match &field.kind {
                FieldKind::Elem { slots, delta } => {
                    let (size, mut facts) = describe(node, slots, ("never a gap", "may have gaps"));
                    if *delta {
                        facts.push("differences".to_owned());
                    }
                    (format!("elem{size}"), facts)
                }
                FieldKind::Child { target, slots } => {
                    let (size, facts) = describe(node, slots, ("never null", "may be null"));
                    (format!("{}{size}", model.target_name(*target)), facts)
                }
                FieldKind::Size(size) => {
                    let hi = size.hi.as_ref().map_or("*".to_owned(), amount);
                    let names = |ids: &[super::model::FieldId]| {
                        ids.iter().map(|&id| node.field(id).name.as_str()).collect::<Vec<_>>().join(", ")
                    };
                    let of = match size.sizes.is_empty() {
                        true => format!("used slots of {}", names(&size.fills)),
                        false => format!("size of {}", names(&size.sizes)),
                    };
                    (format!("{}..={hi}", amount(&size.lo)), vec![of])
                }
                FieldKind::Count { deep: false } => ("count".to_owned(), vec!["entries below".to_owned()]),
                FieldKind::Count { deep: true } => ("count".to_owned(), vec!["leaf nonzeros below".to_owned()]),
                FieldKind::Parent { target } => {
                    ("parent".to_owned(), vec![format!("a {} or none", model.target_name(*target))])
                }
                FieldKind::Metadata(metadata) => (metadata.name().to_owned(), Vec::new()),
            };
            (format!("{} : {ty}", field.name), facts.join(", "))
        })
        .collect();
    let width = lines.iter().map(|(field, _)| field.chars().count()).max().unwrap_or(0);
    for (field, facts) in lines {
        writeln!(f, "{}", format!("    {field:width$}  {facts}").trim_end())?;
    }
    let terms: Vec<String> = node
        .sequence
        .iter()
        .map(|term| {
            let names: Vec<&str> = term.fields().iter().map(|&id| node.field(id).name.as_str()).collect();
            match term {
                Term::Interleaved(_) => format!("{{{}}}", names.join(", ")),
                Term::One(_) | Term::Bag(_) => names.join(", "),
            }
        })
        .collect();
    match node.has_seq {
        true => writeln!(f, "    seq = {}", terms.join(", ")),
        false => Ok(()),
    }
}

/// The size in brackets, and what else is to be said.
fn describe(node: &Node, slots: &Slots, (full, empty): (&str, &str)) -> (String, Vec<String>) {
    let mut facts = Vec::new();
    let size = match &slots.array {
        None => String::new(),
        Some(array) => {
            facts.push(match &array.layout {
                Layout::Member { capacity } => format!("array of {} in the node", amount(capacity)),
                Layout::Pointer => "array behind a pointer".to_owned(),
                Layout::Tail => "array behind the header".to_owned(),
            });
            facts.push(if array.ordered { "ordered" } else { "unordered" }.to_owned());
            match &array.extent {
                Extent::Const(slots) => format!("[{}]", amount(slots)),
                Extent::Sized(size) => format!("[{}]", node.field(*size).name),
                Extent::Filled { slots, used } => format!("[{}, {} used]", amount(slots), node.field(*used).name),
            }
        }
    };
    facts.push(if slots.nonempty { full } else { empty }.to_owned());
    (size, facts)
}

fn amount(amount: &Amount) -> String {
    match &amount.param {
        Some(param) => format!("{param} = {}", amount.value),
        None => amount.value.to_string(),
    }
}
