//! Parameters, nodes and supertypes under their names.

use std::collections::HashMap;

use super::checker::{Checker, GREATEST_SIZE, MOST};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::schema::MOST_MISTAKES;
use crate::schema::ast::{self, Def, Name, SupertypeDef};
use crate::schema::model::{Node, NodeId, Param, SuperId, Supertype, Target, type_name};

/// Words that begin a type and so cannot be the name of a node.
const TYPE_WORDS: [&str; 5] = ["elem", "size", "count", "parent", "supertype"];

impl<'a> Checker<'a> {
    pub(super) fn params(&mut self, arguments: &[(&str, u64)]) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut constants: HashMap<String, &Name> = HashMap::new();
        for param in &self.store.params {
            let name = &param.name;
            let constant = name.text.to_ascii_uppercase();
            if let Some(first) = constants.insert(constant.clone(), name)
                && first.text != name.text
            {
                let message = format!("`{}` and `{}` are both `{constant}` in Rust", first.text, name.text);
                self.say(
                    Diagnostic::new(name.span(), message).related(first.span(), "the other one").help("rename one"),
                );
            }
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
    pub(super) fn defs(&mut self) {
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
            if let Some(&(_, first)) = self.targets.get(name.text.as_str()) {
                self.say(
                    Diagnostic::new(name.span(), format!("`{}` is defined twice", name.text))
                        .related(first, "first defined here")
                        .help("remove or rename one"),
                );
                continue;
            }
            self.check_type_name(name, &mut rust_names);
            let target = match def {
                Def::Supertype(supertype) => {
                    super_defs.push(supertype);
                    let (name, doc) = (name.text.clone(), supertype.doc.clone());
                    self.supertypes.push(Supertype { name, doc, subtypes: Vec::new() });
                    Target::Super(SuperId(self.supertypes.len() - 1))
                }
                Def::Node(node) => {
                    self.node_defs.push(node);
                    Target::Node(NodeId(self.node_defs.len() - 1))
                }
            };
            self.targets.insert(&name.text, (target, name.span()));
        }
        if self.node_defs.is_empty() {
            self.say(
                Diagnostic::new(self.span, format!("store `{}` has no nodes", self.name))
                    .help("define what a row holds: `def list_head { h : list }`"),
            );
        }
        self.subtypes(&super_defs);
    }

    /// A name of a node or supertype: no word of the language, and one that Rust can tell from all others.
    fn check_type_name(&mut self, name: &'a Name, rust_names: &mut HashMap<String, &'a Name>) {
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
            let message = format!("`{}` and `{}` are both `{}` in Rust", first.text, name.text, type_name(&name.text));
            self.say(Diagnostic::new(name.span(), message).related(first.span(), "the other one").help("rename one"));
        }
    }

    /// Finds the subtypes of every supertype.
    fn subtypes(&mut self, super_defs: &[&SupertypeDef]) {
        for (at, node) in self.node_defs.clone().into_iter().enumerate() {
            let Some(name) = &node.supertype else { continue };
            match self.targets.get(name.text.as_str()) {
                Some((Target::Super(supertype), _)) => self.supertypes[supertype.0].subtypes.push(NodeId(at)),
                Some(&(Target::Node(_), span)) => self.say(
                    Diagnostic::new(name.span(), format!("`{}` is a node, not a supertype", name.text))
                        .related(span, "defined here")
                        .help("only what `def supertype` defines has subtypes"),
                ),
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

    pub(super) fn nodes(&mut self) -> Vec<Node> {
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
}
