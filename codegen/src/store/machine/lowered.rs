//! The model that traversals are derived from.

use crate::schema::model::{FieldKind, Model, Term};
use crate::store::plan::{Plan, Shape};

/// The model with what its layout joins: an element that leads an array comes with it, and slots in use have no gaps.
pub fn lowered(plan: &Plan<'_>) -> Model {
    let mut model = plan.model.clone();
    for (node, laid) in model.nodes.iter_mut().zip(&plan.nodes) {
        for elem in &laid.elems {
            match elem.shape {
                Shape::Lead { .. } => {
                    node.sequence.retain(|term| *term != Term::One(elem.field));
                }
                Shape::Array { used: Some(_), .. } => {
                    if let FieldKind::Elem { slots, .. } = &mut node.fields[elem.field.0].kind {
                        slots.nonempty = true;
                    }
                }
                _ => {}
            }
        }
    }
    model
}
