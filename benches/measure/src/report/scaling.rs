//! The speed-up that threads can give, by work and span.

use std::fmt::Write;

use super::text;
use crate::result::{Row, Side};

/// Width and height of a plot without its margins, and the margins: left and below, right, above.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 260.0;
const MARGIN: f64 = 44.0;
const RIGHT: f64 = 260.0;
const TOP: f64 = 26.0;

/// Colours that both light and dark pages show.
const COLORS: [&str; 12] = [
    "#2f7ed8", "#d9822b", "#2a9d5c", "#c0476b", "#8461c9", "#1b9aaa", "#a07b1f", "#6b7a8f", "#d65fb0", "#7a9a01",
    "#b5533c", "#4f6bd0",
];

/// What can be gained at most for one work: threads and speed-up.
struct Curve<'a> {
    name: &'a str,
    points: Vec<(usize, f64)>,
}

/// A plot for each graph and each of our stores: the speed-up over one thread that each work can have at most.
pub(super) fn plots(rows: &[&Row]) -> String {
    let mut drawn: Vec<(Option<&str>, &str)> = Vec::new();
    let mut page = String::new();
    for row in rows.iter().filter(|row| row.side == Side::Ours) {
        let of = (row.graph.as_deref(), &row.competitor[..]);
        if !drawn.contains(&of) {
            drawn.push(of);
            let own: Vec<&Row> =
                rows.iter().copied().filter(|row| (row.graph.as_deref(), &row.competitor[..]) == of).collect();
            let title = format!("{}, {}", of.0.unwrap_or("–"), of.1);
            page += &plot(&title, &curves(&own));
        }
    }
    if page.is_empty() {
        return page;
    }
    "<p>At most: the work by one thread over the larger of the span and the work divided by the threads. Caches and the bandwidth of memory, which threads \
     share, are not in it.</p>\n"
        .to_owned()
        + &page
}

/// The curves of the works for which work and span were recorded.
fn curves<'a>(rows: &[&'a Row]) -> Vec<Curve<'a>> {
    let figure = |name: &str, part: &str, threads: usize| {
        let of = |row: &&&Row| row.threads == threads && row.work.strip_suffix(part) == Some(name);
        rows.iter().find(of)?.median
    };
    let mut curves: Vec<Curve<'a>> = Vec::new();
    for row in rows {
        let Some(name) = row.work.strip_suffix(", span") else { continue };
        let (Some(one), Some(work), Some(span)) =
            (figure(name, ", work", 1), figure(name, ", work", row.threads), row.median)
        else {
            continue;
        };
        let most = one / span.max(work / row.threads as f64).max(1e-12);
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push((row.threads, most)),
            None => curves.push(Curve { name, points: vec![(row.threads, most)] }),
        }
    }
    curves.iter_mut().for_each(|curve| curve.points.sort_by_key(|point| point.0));
    curves.retain(|curve| curve.points.len() > 1);
    curves
}

/// Both axes are logarithmic; the dashed line is as many times as there are threads.
fn plot(title: &str, curves: &[Curve<'_>]) -> String {
    let most = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).max().unwrap_or(1) as f64;
    if curves.is_empty() || most < 2.0 {
        return String::new();
    }
    let decades = most.log2();
    let x = |threads: f64| MARGIN + WIDTH * threads.max(1.0).log2() / decades;
    let y = |times: f64| TOP + HEIGHT * (1.0 - times.clamp(1.0, most).log2() / decades);
    let (width, height) = (MARGIN + WIDTH + RIGHT, TOP + HEIGHT + MARGIN);
    let mut page = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"{title}: speed-up by threads\">\n\
         <text x=\"{MARGIN}\" y=\"14\">{title}: speed-up at most, by threads</text>\n",
        title = text(title)
    );
    let (bottom, end) = (TOP + HEIGHT, MARGIN + WIDTH);
    let mut ticks: Vec<f64> = (0..=decades as u32).map(|power| f64::from(1u32 << power)).collect();
    if most / ticks[ticks.len() - 1] > 1.3 {
        ticks.push(most);
    }
    for tick in ticks {
        writeln!(
            page,
            "<path class=\"axis\" d=\"M{x:.1} {TOP}V{bottom}M{MARGIN} {y:.1}H{end}\"/>\
             <text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{tick}</text>\
             <text x=\"{left}\" y=\"{base:.1}\" text-anchor=\"end\">{tick}</text>",
            x = x(tick),
            y = y(tick),
            below = bottom + 16.0,
            left = MARGIN - 6.0,
            base = y(tick) + 4.0
        )
        .expect("writing to a string succeeds");
    }
    writeln!(page, "<path class=\"diagonal\" d=\"M{MARGIN} {bottom}L{end} {TOP}\"/>")
        .expect("writing to a string succeeds");
    for (at, curve) in curves.iter().enumerate() {
        let color = COLORS[at % COLORS.len()];
        let points: Vec<String> =
            curve.points.iter().map(|&(threads, most)| format!("{:.1},{:.1}", x(threads as f64), y(most))).collect();
        let line = TOP + 14.0 * at as f64;
        writeln!(
            page,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <path d=\"M{key} {line}h14\" stroke=\"{color}\" stroke-width=\"3\"/><text x=\"{name}\" y=\"{base}\">{}</text>",
            points.join(" "),
            text(curve.name),
            key = end + 14.0,
            name = end + 32.0,
            base = line + 4.0
        )
        .expect("writing to a string succeeds");
    }
    page + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    fn row(work: &str, threads: usize, median: f64) -> Row {
        Row {
            suite: "scaling".to_owned(),
            graph: Some("g".to_owned()),
            work: work.to_owned(),
            competitor: "paged,packed".to_owned(),
            side: Side::Ours,
            threads,
            unit: Unit::Seconds,
            median: Some(median),
            quartiles: Some([median; 2]),
            repetitions: 3,
            ratio: None,
            beside: None,
            over_bandwidth: None,
            note: None,
            skipped: None,
        }
    }

    /// One thread takes 8 s; by four the work is 10 s, of which each does 2.5 s; by 96 the span of 0.5 s is what remains.
    #[test]
    fn a_curve_is_bounded_by_threads_and_by_the_span() {
        let rows = [
            row("bfs, work", 1, 8.0),
            row("bfs, span", 1, 8.0),
            row("bfs, work", 4, 10.0),
            row("bfs, span", 4, 0.5),
            row("bfs, work", 96, 12.0),
            row("bfs, span", 96, 0.5),
            row("bfs", 1, 7.0),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let curves = curves(&rows);
        assert_eq!((curves.len(), curves[0].name), (1, "bfs"));
        assert_eq!(curves[0].points, [(1, 1.0), (4, 3.2), (96, 16.0)]);
        let page = plots(&rows);
        assert_eq!(page.matches("<svg").count(), 1);
        assert!(page.contains(">bfs</text>") && page.contains(">96</text>"));
    }
}
