//! Plots of a suite: our costs against those of others in the same comparison, both in logarithms, with a diagonal.

use std::fmt::Write;

use super::text;
use crate::result::{Row, Side, Unit};
use crate::table::figure;

/// Length of an axis, and the margins left, right, below and above.
const SIDE: f64 = 330.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 30.0;
const BELOW: f64 = 46.0;
const ABOVE: f64 = 14.0;

/// A point: a row of ours, one of others, and the costs of both.
struct Point<'a> {
    ours: &'a Row,
    theirs: &'a Row,
    at: [f64; 2],
}

/// The plots of a suite, one for each unit of costs; none where there are fewer than two points.
pub fn scatter(suite: &str, rows: &[&Row]) -> String {
    let mut page = String::new();
    for (unit, name) in [
        (Unit::Seconds, "time"),
        (Unit::ArcsPerSecond, "time of an arc"),
        (Unit::LinesPerSecond, "time of a line"),
        (Unit::BytesPerArc, "bytes per arc"),
    ] {
        let points = points(rows, unit);
        if points.len() >= 2 {
            page += &plot(suite, name, unit, &points);
        }
    }
    page
}

/// What a figure costs: seconds, seconds of one arc or line, or bytes.
fn cost(unit: Unit, figure: f64) -> f64 {
    if unit.is_rate() { 1.0 / figure } else { figure }
}

/// Every row of ours beside every one of others, in the same comparison.
fn points<'a>(rows: &[&'a Row], unit: Unit) -> Vec<Point<'a>> {
    let with = |row: &&&'a Row| row.unit == unit && row.median.is_some_and(|median| median > 0.0 && median.is_finite());
    let mut points = Vec::new();
    for ours in rows.iter().filter(with).filter(|row| row.side == Side::Ours) {
        let same = |row: &&&'a Row| {
            row.side != Side::Ours && (&row.graph, &row.work, row.threads) == (&ours.graph, &ours.work, ours.threads)
        };
        for theirs in rows.iter().filter(with).filter(same) {
            let at = [theirs, ours].map(|row| cost(unit, row.median.unwrap_or(1.0)));
            points.push(Point { ours, theirs, at });
        }
    }
    points
}

/// A cost as it stands on an axis, whose title says what is counted.
fn tick(unit: Unit, cost: f64) -> String {
    if unit == Unit::BytesPerArc {
        cost.to_string()
    } else {
        figure(cost, Unit::Seconds).replace(".00", "").replace(".0", "")
    }
}

/// A cost as it is written.
fn shown(unit: Unit, cost: f64) -> String {
    figure(cost, if unit == Unit::BytesPerArc { unit } else { Unit::Seconds })
}

/// A mark of its own for each side, so that colours are not all that tells which is which.
fn mark(side: Side, x: f64, y: f64, title: &str) -> String {
    let class = format!("{side:?}").to_lowercase();
    let title = format!("<title>{}</title>", text(title));
    match side {
        Side::Hand => {
            format!(
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"7\" height=\"7\">{title}</rect>",
                x - 3.5,
                y - 3.5
            )
        }
        Side::Peer => format!("<path class=\"{class}\" d=\"M{x:.1} {:.1}l5 9h-10z\">{title}</path>", y - 5.0),
        Side::Static | Side::Ours => {
            format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\">{title}</circle>")
        }
    }
}

fn plot(suite: &str, name: &str, unit: Unit, points: &[Point<'_>]) -> String {
    let all = || points.iter().flat_map(|point| point.at.map(f64::log10));
    let low = all().fold(f64::INFINITY, f64::min).floor();
    let high = all().fold(f64::NEG_INFINITY, f64::max).ceil().max(low + 1.0);
    let place = |cost: f64| SIDE * (cost.log10() - low) / (high - low);
    let (wide, tall, end, bottom) = (LEFT + SIDE + RIGHT, ABOVE + SIDE + BELOW, LEFT + SIDE, ABOVE + SIDE);
    let mut page = format!(
        "<figure><svg viewBox=\"0 0 {wide} {tall}\" width=\"{wide}\" role=\"img\" aria-label=\"{}: ours against theirs, {name}\">\n",
        text(suite)
    );
    let write = "writing to a string succeeds";
    // No more than about six marks on an axis.
    let step = ((high - low) / 6.0).ceil().max(1.0) as usize;
    for decade in (low as i32..=high as i32).step_by(step) {
        let (at, name) = (place(10f64.powi(decade)), tick(unit, 10f64.powi(decade)));
        writeln!(
            page,
            "<path class=\"axis\" d=\"M{x:.1} {ABOVE}V{bottom}M{LEFT} {y:.1}H{end}\"/><text x=\"{x:.1}\" y=\"{}\" \
             text-anchor=\"middle\">{name}</text><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            bottom + 16.0,
            LEFT - 6.0,
            bottom - at + 4.0,
            x = LEFT + at,
            y = bottom - at,
        )
        .expect(write);
    }
    writeln!(page, "<path class=\"diagonal\" d=\"M{LEFT} {bottom}L{end} {ABOVE}\"/>").expect(write);
    for Point { ours, theirs, at: [x, y] } in points {
        let graph = ours.graph.as_deref().unwrap_or("");
        let title = format!(
            "{} {graph}: {} {}, {} {}",
            ours.work,
            ours.competitor,
            shown(unit, *y),
            theirs.competitor,
            shown(unit, *x)
        );
        page += &mark(theirs.side, LEFT + place(*x), bottom - place(*y), &title);
    }
    let middle = ABOVE + SIDE / 2.0;
    write!(
        page,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">theirs</text><text x=\"14\" y=\"{middle}\" text-anchor=\"middle\" \
         transform=\"rotate(-90 14 {middle})\">ours</text></svg>\n<figcaption>{}: {name}. {}</figcaption></figure>\n",
        LEFT + SIDE / 2.0,
        tall - 6.0,
        text(suite),
        legend(points),
    )
    .expect(write);
    page
}

/// Which marks there are.
fn legend(points: &[Point<'_>]) -> String {
    let there = |side| points.iter().any(|point| point.theirs.side == side);
    let sides = [
        (Side::Static, "●", "static rows"),
        (Side::Hand, "■", "by hand and libraries"),
        (Side::Peer, "▲", "programs of others"),
    ];
    let marks = sides.iter().filter(|(side, ..)| there(*side)).map(|(side, mark, name)| {
        format!("<span class=\"{}\">{mark}</span> {name}", format!("{side:?}").to_lowercase())
    });
    marks.collect::<Vec<_>>().join(", ")
}
