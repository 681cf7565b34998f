//! METIS: a line a vertex, its neighbours counted from 1, each followed by the weight of the edge if there are weights, which are whole numbers
//! above 0 (METIS manual 5.1, section 4.1.1).

use std::ops::Range;
use std::path::Path;

use super::{Lines, Shortest, push_number, push_weight};
use crate::error::Error;
use crate::input::Input;
use crate::rows::Rows;

pub(super) struct Metis {
    rows: Rows,
}

impl Metis {
    /// METIS knows undirected graphs without self loops only.
    pub(super) fn of(input: &Input, path: &Path) -> Result<Self, Error> {
        let refuse = |reason: String| Err(Error::CannotWrite { path: path.to_owned(), reason });
        if input.directed {
            return refuse("METIS files hold undirected graphs, and this one is directed".to_owned());
        }
        if input.self_loops > 0 {
            return refuse(format!("METIS files hold no self loops, and this graph has {}", input.self_loops));
        }
        let rows = match Rows::of(input) {
            Ok(rows) => rows,
            Err(error) => return refuse(error.to_string()),
        };
        // Programs that read such files hold weights in 64 bits at most.
        let is_whole = |weight: f64| weight.fract() == 0.0 && (1.0..9.0e18).contains(&weight);
        let weights = rows.weights.as_deref().unwrap_or_default();
        if let Some(at) = weights.iter().position(|&weight| !is_whole(weight)) {
            let source = rows.offsets.partition_point(|&offset| offset <= at as u64) - 1;
            let [one, other] = [source as u32, rows.targets[at]].map(|vertex| input.ids.label(vertex).to_string());
            let weight = Shortest(weights[at]);
            return refuse(format!(
                "METIS files hold whole weights above 0, and the edge between {one} and {other} has {weight}"
            ));
        }
        match rows.targets.len() % 2 {
            0 => Ok(Metis { rows }),
            _ => {
                refuse("METIS files list every edge at both ends, and this graph has an odd number of arcs".to_owned())
            }
        }
    }
}

impl Lines for Metis {
    fn head(&self) -> Vec<u8> {
        let (vertices, edges) = (self.rows.offsets.len() - 1, self.rows.targets.len() / 2);
        let flags = if self.rows.weights.is_some() { " 001" } else { "" };
        format!("{vertices} {edges}{flags}\n").into_bytes()
    }

    fn count(&self) -> usize {
        self.rows.offsets.len() - 1
    }

    fn format(&self, vertices: Range<usize>, text: &mut Vec<u8>) {
        for vertex in vertices {
            let (begin, end) = (self.rows.offsets[vertex] as usize, self.rows.offsets[vertex + 1] as usize);
            for k in begin..end {
                if k > begin {
                    text.push(b' ');
                }
                push_number(text, u64::from(self.rows.targets[k]) + 1);
                if let Some(weights) = &self.rows.weights {
                    text.push(b' ');
                    push_weight(text, weights[k]);
                }
            }
            text.push(b'\n');
        }
    }
}
