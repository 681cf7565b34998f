//! `pleach run similarity`.

use std::str::FromStr;

use clap::Args;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::{Ends, GraphView};
use serde_json::{Value, json};

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use super::verifying::{Size, of_sorted};
use pleach_algorithms::similarity::Likeness;
use pleach_compiled::similarity;

/// Options of the likeness of vertices.
#[derive(Args)]
pub struct SimilarityArgs {
    #[command(flatten)]
    checked: Checked,
    /// Pairs of vertices to compare, by their ids or names in the input
    #[arg(long, value_name = "ID:ID,…", value_delimiter = ',', required = true)]
    pairs: Vec<Pair>,
}

/// Two vertices, as the user calls them, with a colon between them. Names may have colons, too.
#[derive(Clone, Debug)]
struct Pair(String);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ends = text.split_once(':').filter(|(u, v)| !u.trim().is_empty() && !v.trim().is_empty());
        ends.map(|_| Pair(text.to_owned()))
            .ok_or_else(|| format!("expected two vertices, such as 1:34, found `{text}`"))
    }
}

impl Pair {
    /// The vertices. Of several colons that between the names of two of them counts.
    fn find(&self, vertices: &Vertices<'_>) -> Result<(u32, u32), Failure> {
        let cut = |at: usize| -> Result<_, Failure> {
            Ok((vertices.find(&self.0[..at])?, vertices.find(&self.0[at + 1..])?))
        };
        let mut all = self.0.match_indices(':').map(|(at, _)| cut(at));
        let first = all.next().unwrap_or_else(|| Err(Failure::usage(format!("`{}` is no pair", self.0))));
        first.or_else(|failure| all.find_map(Result::ok).ok_or(failure))
    }
}

impl SimilarityArgs {
    fn pairs(&self, vertices: &Vertices<'_>) -> Result<Vec<(u32, u32)>, Failure> {
        self.pairs.iter().map(|pair| pair.find(vertices)).collect()
    }
}

impl Algorithm for SimilarityArgs {
    const NAME: &'static str = "similarity";
    const ENDS: Ends = Ends::Out;
    const HAS_VALUES: bool = false;
    type Value = ();
    type Found = Vec<Likeness>;

    fn options(&self) -> &Checked {
        &self.checked
    }

    fn by_number(&self) -> bool {
        false
    }

    fn compute(&self, graph: GraphView<'_, ()>, vertices: &Vertices<'_>) -> Result<Vec<Likeness>, Failure> {
        similarity::similarity(graph, &self.pairs(vertices)?).map_err(Failure::input)
    }

    fn steps_to_verify(&self, size: &Size<'_, ()>, vertices: &Vertices<'_>, _: &Vec<Likeness>) -> f64 {
        let pairs = self.pairs(vertices).unwrap_or_default();
        pairs.into_iter().map(|(u, v)| 1.0 + size.len(u) * of_sorted(size.len(v))).sum()
    }

    fn verify(
        &self,
        graph: Adjacency<'_, DynRows<'_, ()>>,
        vertices: &Vertices<'_>,
        found: &Vec<Likeness>,
    ) -> Result<(), String> {
        let pairs = self.pairs(vertices).map_err(|_| "a vertex is gone".to_owned())?;
        similarity::verify(graph, &pairs, found).map_err(|wrong| wrong.to_string())
    }

    fn report<'a>(&self, found: &'a Vec<Likeness>, vertices: &'a Vertices<'_>) -> Report<'a> {
        let mut report = Report::new();
        report.result("pairs", found.len());
        let (ids, pairs) = (vertices.ids, self.pairs(vertices).unwrap_or_default());
        let mut told: Vec<_> = pairs.into_iter().zip(found).collect();
        if let Some(count) = self.checked.common.top {
            told.sort_by(|a, b| b.1.jaccard.total_cmp(&a.1.jaccard));
            told.truncate(count);
        }
        let all: Vec<Value> = told
            .iter()
            .map(|&((u, v), Likeness { common, jaccard, overlap })| {
                json!({ "u": ids.json(u), "v": ids.json(v), "common": common, "jaccard": jaccard, "overlap": overlap })
            })
            .collect();
        for ((u, v), Likeness { common, jaccard, overlap }) in told {
            let (u, v) = (ids.label(u), ids.label(v));
            report.lines(&format!("{u} {v}  common {common}, Jaccard {jaccard}, overlap {overlap}\n"));
        }
        report.hidden("likeness", all);
        report
    }
}
