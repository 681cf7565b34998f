//! Two runs held against each other, with the noise known.

use serde::Serialize;

use crate::result::{Results, Row};

/// What can be said of a figure in two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The quartiles overlap: no difference can be told.
    Same,
    /// The second run costs less.
    Better,
    /// The second run costs more.
    Worse,
    /// Only the first run has the figure.
    Gone,
    /// Only the second run has the figure.
    New,
}

impl Verdict {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Same => "no difference",
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Gone => "only in the first",
            Verdict::New => "only in the second",
        }
    }
}

/// A figure in two runs.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The figure of the first run, or of the second where the first has none.
    #[serde(flatten)]
    pub row: Row,
    /// The median of the second run.
    pub other: Option<f64>,
    /// The cost in the second run over that in the first: smaller is better.
    pub change: Option<f64>,
    /// What can be said.
    pub verdict: Verdict,
}

/// Compares all figures that one of the runs has.
pub fn compare(first: &Results, second: &Results) -> Vec<Compared> {
    let old = first.rows.iter().filter(|row| row.median.is_some());
    let new = |row: &Row| second.rows.iter().find(|other| other.is_same(row) && other.median.is_some());
    let mut all: Vec<Compared> = old.map(|row| of(row, new(row))).collect();
    for row in second.rows.iter().filter(|row| row.median.is_some()) {
        if !first.rows.iter().any(|other| other.is_same(row) && other.median.is_some()) {
            all.push(Compared { row: row.clone(), other: row.median, change: None, verdict: Verdict::New });
        }
    }
    all
}

fn of(row: &Row, other: Option<&Row>) -> Compared {
    let pair = row.spread().zip(other.and_then(Row::spread));
    let (change, verdict) = match pair {
        None => (None, Verdict::Gone),
        Some((a, b)) => {
            let change = row.unit.ratio(b.median, a.median);
            let overlap = a.quartiles[0] <= b.quartiles[1] && b.quartiles[0] <= a.quartiles[1];
            let verdict = match () {
                () if overlap => Verdict::Same,
                () if change < 1.0 => Verdict::Better,
                () => Verdict::Worse,
            };
            (change.is_finite().then_some(change), verdict)
        }
    };
    Compared { row: row.clone(), other: pair.map(|(_, b)| b.median), change, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{FORMAT, Machine, Side, Unit};

    fn row(work: &str, unit: Unit, median: f64, quartiles: [f64; 2]) -> Row {
        Row {
            suite: "suite".to_owned(),
            graph: None,
            work: work.to_owned(),
            competitor: "pleach".to_owned(),
            side: Side::Ours,
            threads: 1,
            unit,
            median: Some(median),
            quartiles: Some(quartiles),
            repetitions: 20,
            ratio: None,
            beside: None,
            over_bandwidth: None,
            note: None,
            skipped: None,
        }
    }

    fn run(rows: Vec<Row>) -> Results {
        Results { format: FORMAT.to_owned(), machine: Machine::default(), graphs: Vec::new(), rows }
    }

    #[test]
    fn quartiles_that_overlap_are_no_difference() {
        let first = run(vec![
            row("noisy", Unit::Seconds, 1.0, [0.8, 1.3]),
            row("faster", Unit::Seconds, 1.0, [0.9, 1.1]),
            row("slower", Unit::Seconds, 1.0, [0.9, 1.1]),
            row("rate", Unit::ArcsPerSecond, 10.0, [9.0, 11.0]),
            row("gone", Unit::Seconds, 1.0, [1.0, 1.0]),
        ]);
        let second = run(vec![
            row("new", Unit::Seconds, 1.0, [1.0, 1.0]),
            row("rate", Unit::ArcsPerSecond, 20.0, [19.0, 21.0]),
            row("slower", Unit::Seconds, 1.5, [1.2, 1.6]),
            row("faster", Unit::Seconds, 0.5, [0.4, 0.6]),
            row("noisy", Unit::Seconds, 1.4, [1.3, 1.5]),
        ]);
        let found = compare(&first, &second);
        let said: Vec<_> = found.iter().map(|one| (&one.row.work[..], one.verdict, one.change)).collect();
        assert_eq!(
            said,
            [
                ("noisy", Verdict::Same, Some(1.4)),
                ("faster", Verdict::Better, Some(0.5)),
                ("slower", Verdict::Worse, Some(1.5)),
                ("rate", Verdict::Better, Some(0.5)),
                ("gone", Verdict::Gone, None),
                ("new", Verdict::New, None),
            ]
        );
    }
}
