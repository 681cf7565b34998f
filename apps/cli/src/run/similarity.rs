//! `pleach run similarity`.

use std::str::FromStr;

use clap::Args;
use pleach::Rows;
use pleach::traverse::{Adjacency, DynRows};
use pleach_erased::Ends;
use serde_json::{Value, json};

use super::super::Failure;
use super::common::{Algorithm, Checked, Vertices};
use super::report::Report;
use pleach_algorithms::similarity::{self, Likeness};

/// Options of the likeness of vertices.
#[derive(Args)]
pub struct SimilarityArgs {
    #[command(flatten)]
    checked: Checked,
    /// Pairs of vertices to compare, by their ids or names in the input
    #[arg(long, value_name = "ID:ID,…", value_delimiter = ',', required = true)]
    pairs: Vec<Pair>,
}

/// Two vertices, as the user calls them.
#[derive(Clone, Debug)]
struct Pair(String, String);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ends = text.split_once(':').filter(|(u, v)| !u.trim().is_empty() && !v.trim().is_empty());
        let (u, v) = ends.ok_or_else(|| format!("expected two vertices, such as 1:34, found `{text}`"))?;
        Ok(Pair(u.to_owned(), v.to_owned()))
    }
}

impl SimilarityArgs {
    fn pairs(&self, vertices: &Vertices<'_>) -> Result<Vec<(u32, u32)>, Failure> {
        self.pairs.iter().map(|Pair(u, v)| Ok((vertices.find(u)?, vertices.find(v)?))).collect()
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

    fn compute<A: Rows<Value = ()>>(
        &self,
        graph: Adjacency<'_, A>,
        vertices: &Vertices<'_>,
    ) -> Result<Vec<Likeness>, Failure> {
        similarity::similarity(graph, &self.pairs(vertices)?).map_err(Failure::input)
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
        let ids = vertices.ids;
        let pairs = self.pairs(vertices).unwrap_or_default();
        let all: Vec<Value> = pairs
            .iter()
            .zip(found)
            .map(|(&(u, v), likeness)| {
                let Likeness { common, jaccard, overlap } = likeness;
                json!({ "u": ids.json(u), "v": ids.json(v), "common": common, "jaccard": jaccard, "overlap": overlap })
            })
            .collect();
        for (&(u, v), Likeness { common, jaccard, overlap }) in pairs.iter().zip(found) {
            let (u, v) = (ids.label(u), ids.label(v));
            report.lines(&format!("{u} {v}  common {common}, Jaccard {jaccard}, overlap {overlap}\n"));
        }
        report.hidden("likeness", all);
        report
    }
}
