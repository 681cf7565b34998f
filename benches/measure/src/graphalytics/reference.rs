//! The published results of a data set, and the benchmark's rules by which others are compared with them.
//!
//! | results | rule |
//! |---|---|
//! | BFS, CDLP | each value is the same |
//! | WCC | the same vertices have the same label, whatever it is |
//! | PR, LCC, SSSP | each value is within 0.01 % of the published one |

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::str::FromStr;

use flate2::read::MultiGzDecoder;
use pleach_datasets::IdMap;
use serde::Serialize;

use super::properties::Properties;
use super::{Algorithm, Values};

/// The relative difference that is allowed.
pub const EPSILON: f64 = 1e-4;

/// Whether a result is right.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "validation", rename_all = "lowercase")]
pub enum Verdict {
    /// It agrees with the published one.
    Valid,
    /// There is no published one.
    Missing {
        /// The file that is not there.
        file: PathBuf,
    },
    /// It is wrong.
    Wrong {
        /// The first vertex whose value is wrong.
        vertex: u64,
        /// What is published.
        expected: String,
        /// What was computed.
        found: String,
        /// How many values are wrong.
        wrong: usize,
    },
    /// The published result cannot be compared with.
    Unusable {
        /// Why.
        reason: String,
    },
}

impl Verdict {
    /// Whether the result was compared, or should have been, and does not agree.
    pub fn is_failure(&self) -> bool {
        matches!(self, Verdict::Wrong { .. } | Verdict::Unusable { .. })
    }
}

/// Where a published result is.
pub struct Reference {
    /// The file, whether or not it is there.
    file: PathBuf,
    /// The file that is there: this one or its compressed form.
    found: Option<PathBuf>,
}

impl Reference {
    /// The published result of an algorithm: `NAME-BFS`, or `NAME-BFS.gz`.
    pub fn find(properties: &Properties, algorithm: Algorithm) -> Self {
        let name = format!("{}-{algorithm}", properties.name);
        let (file, packed) = (properties.file.with_file_name(&name), properties.file.with_file_name(name + ".gz"));
        let found = [&file, &packed].into_iter().find(|file| file.is_file()).cloned();
        Reference { file, found }
    }

    /// Compares a result, whose elements are those of the vertices of `ids`, with the published one.
    pub fn judge(&self, ids: &IdMap, result: &Values) -> Verdict {
        let Some(path) = &self.found else { return Verdict::Missing { file: self.file.clone() } };
        let judged = File::open(path).map_err(|error| error.to_string()).and_then(|file| {
            let text: Box<dyn Read> = match path.extension() {
                Some(ending) if ending == "gz" => Box::new(MultiGzDecoder::new(file)),
                _ => Box::new(file),
            };
            judge(BufReader::new(text), ids, result)
        });
        judged.unwrap_or_else(|reason| Verdict::Unusable { reason: format!("{}: {reason}", path.display()) })
    }
}

fn judge(text: impl BufRead, ids: &IdMap, result: &Values) -> Result<Verdict, String> {
    match result {
        Values::Depths(found) => Ok(compare(&values(text, ids)?, found, ids, |a, b| a == b)),
        Values::Labels(found) => Ok(compare(&values(text, ids)?, found, ids, |a, b| a == b)),
        Values::Numbers(found) => Ok(compare(&values(text, ids)?, found, ids, close)),
        Values::Groups(found) => Ok(groups(&values(text, ids)?, found, ids)),
    }
}

/// Whether a number is close to the published one; what is infinite or zero is so itself.
fn close(expected: &f64, found: &f64) -> bool {
    found == expected || (found - expected).abs() <= EPSILON * expected.abs() && expected.is_finite()
}

/// The published value of each vertex.
fn values<T: FromStr + Copy>(mut text: impl BufRead, ids: &IdMap) -> Result<Vec<T>, String> {
    let mut values: Vec<Option<T>> = vec![None; ids.len()];
    let (mut line, mut number) = (String::new(), 0);
    while {
        line.clear();
        number += 1;
        text.read_line(&mut line).map_err(|error| format!("line {number}: {error}"))? > 0
    } {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        let pair = first.parse().ok().zip(words.next().and_then(|word| word.parse().ok()));
        let (Some((vertex, value)), None) = (pair, words.next()) else {
            return Err(format!("line {number}: expected a vertex and a value, found `{}`", line.trim()));
        };
        let place = ids.internal(vertex).and_then(|vertex| values.get_mut(vertex as usize));
        match place {
            None => return Err(format!("line {number}: {vertex} is no vertex of the graph")),
            Some(Some(_)) => return Err(format!("line {number}: vertex {vertex} has a value already")),
            Some(place) => *place = Some(value),
        }
    }
    if let Some(missing) = values.iter().position(Option::is_none) {
        return Err(format!("there is no value for vertex {}", ids.external(missing as u32)));
    }
    Ok(values.into_iter().flatten().collect())
}

/// What is wrong about a vertex: its number, the published value and the one that was found.
type Difference = (usize, String, String);

fn verdict(ids: &IdMap, first: Option<Difference>, wrong: usize) -> Verdict {
    match first {
        None => Verdict::Valid,
        Some((vertex, expected, found)) => {
            Verdict::Wrong { vertex: ids.external(vertex as u32), expected, found, wrong }
        }
    }
}

fn compare<T: Display>(expected: &[T], found: &[T], ids: &IdMap, same: impl Fn(&T, &T) -> bool) -> Verdict {
    let mut wrong = expected.iter().zip(found).enumerate().filter(|(_, (expected, found))| !same(expected, found));
    let first = wrong.next().map(|(vertex, (expected, found))| (vertex, expected.to_string(), found.to_string()));
    let count = usize::from(first.is_some()) + wrong.count();
    verdict(ids, first, count)
}

/// Compares labels of groups: each published label belongs to one that was found, and the other way round.
fn groups(expected: &[u64], found: &[u64], ids: &IdMap) -> Verdict {
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    let (mut first, mut wrong) = (None, 0);
    for (vertex, (&expected, &found)) in expected.iter().zip(found).enumerate() {
        let (stands_for, comes_from) =
            (*there.entry(expected).or_insert(found), *back.entry(found).or_insert(expected));
        if stands_for == found && comes_from == expected {
            continue;
        }
        wrong += 1;
        first.get_or_insert_with(|| {
            if stands_for != found {
                let others = format!("{expected}, of which vertices before have label {stands_for}");
                (vertex, others, found.to_string())
            } else {
                let others = format!("{found}, which vertices of {comes_from} have");
                (vertex, expected.to_string(), others)
            }
        });
    }
    verdict(ids, first, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> IdMap {
        IdMap::from_sorted(vec![10, 20, 30, 40])
    }

    fn judged(text: &str, result: &Values) -> Result<Verdict, String> {
        judge(text.as_bytes(), &ids(), result)
    }

    fn wrong(vertex: u64, expected: &str, found: &str, wrong: usize) -> Result<Verdict, String> {
        Ok(Verdict::Wrong { vertex, expected: expected.to_owned(), found: found.to_owned(), wrong })
    }

    #[test]
    fn values_that_have_to_be_the_same() {
        let depths = Values::Depths(vec![0, 1, 2, i64::MAX]);
        assert_eq!(judged("40 9223372036854775807\n10 0\n20 1\n\n30 2", &depths), Ok(Verdict::Valid));
        assert_eq!(judged("10 0\n20 3\n30 2\n40 7", &depths), wrong(20, "3", "1", 2));
        assert_eq!(judged("10 1\n20 1\n30 1\n40 1", &Values::Labels(vec![1; 4])), Ok(Verdict::Valid));
    }

    #[test]
    fn numbers_that_have_to_be_close() {
        let numbers = Values::Numbers(vec![1.0, 0.0, f64::INFINITY, 2.0]);
        assert_eq!(judged("10 1.00009\n20 0.0\n30 Infinity\n40 1.99981", &numbers), Ok(Verdict::Valid));
        assert_eq!(judged("10 1.0002\n20 0.0\n30 Infinity\n40 2", &numbers), wrong(10, "1.0002", "1", 1));
        assert_eq!(judged("10 1\n20 0.0\n30 5\n40 2", &numbers), wrong(30, "5", "inf", 1));
        assert_eq!(judged("10 1\n20 0.0\n30 inf\n40 inf", &numbers), wrong(40, "inf", "2", 1));
        assert_eq!(judged("10 1\n20 1e-9\n30 inf\n40 2", &numbers), wrong(20, "0.000000001", "0", 1));
        let nan = Values::Numbers(vec![f64::NAN; 4]);
        assert_eq!(judged("10 1\n20 1\n30 1\n40 1", &nan), wrong(10, "1", "NaN", 4));
    }

    #[test]
    fn labels_that_have_to_make_the_same_groups() {
        let groups = Values::Groups(vec![10, 10, 30, 30]);
        assert_eq!(judged("10 7\n20 7\n30 5\n40 5", &groups), Ok(Verdict::Valid));
        let split = "7, of which vertices before have label 10";
        assert_eq!(judged("10 7\n20 7\n30 7\n40 5", &groups), wrong(30, split, "30", 2));
        assert_eq!(judged("10 1\n20 2\n30 3\n40 3", &groups), wrong(20, "2", "10, which vertices of 1 have", 1));
    }

    #[test]
    fn files_that_cannot_be_compared_with() {
        let depths = Values::Depths(vec![0; 4]);
        for (text, says) in [
            ("10 0\n20 x", "line 2: expected a vertex and a value, found `20 x`"),
            ("10 0\n20", "line 2: expected a vertex and a value, found `20`"),
            ("10 0 0", "line 1: expected a vertex and a value, found `10 0 0`"),
            ("10 0\n11 0", "line 2: 11 is no vertex of the graph"),
            ("10 0\n10 0", "line 2: vertex 10 has a value already"),
            ("10 0\n20 0\n40 0\n", "there is no value for vertex 30"),
            ("", "there is no value for vertex 10"),
        ] {
            assert_eq!(judged(text, &depths), Err(says.to_owned()));
        }
    }
}
