//! Parts of tensors: the coordinates of an access to a slice, or at computed places, as the tensor has them.

use crate::format::Coordinate;
use crate::ir::{Block, Expr, Scalar, Stmt, Vars};
use crate::level::Window;
use crate::notation::concrete::{Seen, View};

/// How the coordinates of a tensor follow from the indices that a part of it is accessed with.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// How each coordinate is found.
    places: Vec<Place>,
    /// How far the indices run that dimensions are accessed with, plainly or by a slice, in the order of the dimensions.
    pub ranges: Vec<Expr>,
    /// How large the tensor is.
    shape: Vec<Expr>,
}

/// How a coordinate is found.
#[derive(Clone, Debug)]
enum Place {
    /// The value of an index of the access, by number; in a slice, counted along a part of the dimension.
    Along(usize, Option<Window>),
    /// Computed from indices.
    Computed(Coordinate),
}

impl Part {
    /// The part of a tensor that a view shows; a slice of a dimension shows what its window says.
    pub fn of(view: &View, windows: Vec<Option<Window>>, shape: Vec<Expr>) -> Part {
        let (mut places, mut ranges) = (Vec::new(), Vec::new());
        for ((seen, window), extent) in view.coordinates.iter().zip(windows).zip(&shape) {
            places.push(match seen {
                Seen::Index(m) | Seen::Slice { index: m, .. } | Seen::Shifted { index: m, .. } => {
                    ranges.push(window.as_ref().map_or(extent.clone(), |window| window.len.clone()));
                    Place::Along(*m, window)
                }
                Seen::Computed(coordinate) => Place::Computed(coordinate.clone()),
            });
        }
        Part { places, ranges, shape }
    }

    /// The coordinates in the tensor, and whether they lie in it, if that is not certain. Variables are named after `name`.
    pub fn coordinates(
        &self,
        indices: &[Expr],
        name: &str,
        vars: &mut Vars,
        block: &mut Block,
    ) -> (Vec<Expr>, Option<Expr>) {
        let (mut coords, mut inside) = (Vec::new(), Vec::new());
        for (place, extent) in self.places.iter().zip(&self.shape) {
            coords.push(match place {
                Place::Along(m, None) => indices[*m].clone(),
                Place::Along(m, Some(window)) => window.own(indices[*m].clone()),
                Place::Computed(coordinate) => {
                    let at = vars.fresh(format!("{name}_at"), Scalar::Usize);
                    // What is below 0 becomes too large.
                    block.push(Stmt::Let(at, coordinate.code(indices, None).cast(Scalar::Usize)));
                    inside.push(Expr::Var(at).less(extent.clone()));
                    at.into()
                }
            });
        }
        (coords, inside.into_iter().reduce(Expr::and))
    }
}
