//! Pictures of results, as SVG: points and lines over axes that are linear or logarithmic.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use rayon::prelude::*;

use super::Failure;
use super::output::write_file;

/// What is drawn.
pub struct Picture {
    /// What it shows; the name of the graph is set behind it.
    pub title: &'static str,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// What is drawn over the axes. Points that a logarithmic axis has no place for, those at zero and below, are left out.
    pub series: Vec<Series>,
}

/// An axis.
pub struct Axis {
    /// What it measures.
    pub label: &'static str,
    /// Whether equal ratios, and not equal differences, are equally long.
    pub logarithmic: bool,
    /// Whether only whole numbers are marked, as on an axis of depths or of numbers of vertices.
    pub whole: bool,
}

impl Axis {
    /// An axis of whole numbers: counts, depths, ranks in an order.
    pub fn whole(label: &'static str) -> Self {
        Axis { label, logarithmic: false, whole: true }
    }

    /// An axis of any numbers.
    pub fn real(label: &'static str) -> Self {
        Axis { label, logarithmic: false, whole: false }
    }

    /// The same with equal ratios equally long.
    pub fn logarithmic(self) -> Self {
        Axis { logarithmic: true, ..self }
    }
}

/// Points that belong together.
pub struct Series {
    /// What they are called where there are several series.
    pub name: &'static str,
    /// Whether each is joined to the next.
    pub joined: bool,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Width and height in pixels.
const SIZE: (u32, u32) = (900, 600);

/// Columns of the picture, in each of which no more than the lowest and the highest point of a series are drawn: what lies between them cannot be seen,
/// and the file stays small however large the graph is.
const COLUMNS: f64 = 900.0;

/// One colour a series.
const COLORS: [RGBColor; 2] = [RGBColor(0x1f, 0x5f, 0xa8), RGBColor(0xc0, 0x4a, 0x1a)];

/// What shows the same picture in light colours on a dark ground where the reader's program prefers that. The colours are named as they stand in the file.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) {\
    [fill=\"#FFFFFF\"] {fill: #14161a} [fill=\"#000000\"] {fill: #e6e8ec} [stroke=\"#000000\"] {stroke: #e6e8ec} \
    [fill=\"#1F5FA8\"] {fill: #7ab3f5} [stroke=\"#1F5FA8\"] {stroke: #7ab3f5} \
    [fill=\"#C04A1A\"] {fill: #ff9d6b} [stroke=\"#C04A1A\"] {stroke: #ff9d6b}}</style>\n";

/// The file that a picture is asked for in, which must be named as what it will be.
///
/// # Errors
///
/// If it has another ending.
pub fn named_as_svg(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        Ok(path)
    } else {
        Err("pictures are drawn as SVG: name the file `….svg`".to_owned())
    }
}

impl Picture {
    /// Draws it to a file.
    pub fn write(&self, graph: &str, path: &Path) -> Result<(), Failure> {
        let svg =
            self.svg(graph).map_err(|error| Failure::input(format!("cannot draw {}: {error}", path.display())))?;
        write_file(path, |file| file.write_all(svg.as_bytes()))
    }

    /// The text of the file.
    fn svg(&self, graph: &str) -> Result<String, String> {
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            // What cannot stand in an XML file, which is what control characters are, is no part of a title.
            let graph: String = graph.chars().filter(|c| !c.is_control()).collect();
            self.draw(&area, &graph).map_err(|error| error.to_string())?;
            area.present().map_err(|error| error.to_string())?;
        }
        // Behind the element that opens the picture.
        let begin = text.find("<svg").and_then(|svg| Some(svg + text[svg..].find('>')? + 1));
        text.insert_str(begin.ok_or("the drawing has no element `svg`")?, DARK);
        Ok(text)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        graph: &str,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        area.fill(&WHITE)?;
        let fits = |axis: &Axis, at: f64| at.is_finite() && (at > 0.0 || !axis.logarithmic);
        let shown: Vec<Vec<(f64, f64)>> = self
            .series
            .iter()
            .map(|series| {
                let points = series.points.iter().copied();
                points.filter(|&(x, y)| fits(&self.x, x) && fits(&self.y, y)).collect()
            })
            .collect();
        let x = Scale::of(&self.x, shown.iter().flatten().map(|point| point.0));
        let y = Scale::of(&self.y, shown.iter().flatten().map(|point| point.1));
        let mut chart = ChartBuilder::on(area)
            .caption(format!("{} of {graph}", self.title), ("sans-serif", 24))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(80)
            .build_cartesian_2d(x.clone(), y)?;
        chart
            .configure_mesh()
            .x_desc(self.x.label)
            .y_desc(self.y.label)
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .axis_desc_style(("sans-serif", 18))
            .label_style(("sans-serif", 14))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for ((series, points), color) in self.series.iter().zip(shown).zip(COLORS.iter().cycle()) {
            let points = thinned(&points, &x);
            if series.joined {
                chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?;
            }
            let radius = 3;
            let dots = chart.draw_series(points.iter().map(|&point| Circle::new(point, radius, color.filled())))?;
            if self.series.len() > 1 {
                dots.label(series.name).legend(|at| Circle::new(at, 4, color.filled()));
            }
        }
        if self.series.len() > 1 {
            let legend = &mut chart.configure_series_labels();
            legend.label_font(("sans-serif", 16)).background_style(WHITE).border_style(BLACK).draw()?;
        }
        Ok(())
    }
}

/// The lowest and the highest point of each column.
fn thinned(points: &[(f64, f64)], x: &Scale) -> Vec<(f64, f64)> {
    let Range { start, end } = x.linear.range();
    let mut columns: BTreeMap<i64, [usize; 2]> = BTreeMap::new();
    for (k, point) in points.iter().enumerate() {
        let column = ((x.place(point.0) - start) / (end - start) * COLUMNS) as i64;
        let [low, high] = columns.entry(column).or_insert([k, k]);
        if point.1 < points[*low].1 {
            *low = k;
        }
        if point.1 > points[*high].1 {
            *high = k;
        }
    }
    columns
        .into_values()
        .flat_map(|[low, high]| [Some(low.min(high)), (low != high).then_some(low.max(high))])
        .flatten()
        .map(|k| points[k])
        .collect()
}

/// Where numbers lie along an axis.
#[derive(Clone)]
struct Scale {
    logarithmic: bool,
    whole: bool,
    /// Of the numbers, or of their decimal logarithms.
    linear: RangedCoordf64,
}

impl Scale {
    /// A scale that has room for all of these.
    fn of(axis: &Axis, at: impl Iterator<Item = f64>) -> Self {
        let mut scale = Scale { logarithmic: axis.logarithmic, whole: axis.whole, linear: (0.0..1.0).into() };
        let (low, high) = at
            .map(|at| scale.place(at))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        let (mut low, mut high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        if high - low <= f64::EPSILON * high.abs() {
            // A single value stands in the middle.
            let beside = if axis.logarithmic { 0.5 } else { high.abs().max(f64::from(u8::from(high == 0.0))) };
            (low, high) = (low - beside, high + beside);
        } else if !axis.logarithmic {
            low = low.min(0.0);
            high = high.max(0.0);
        }
        // No point lies on the frame.
        let room = (high - low) / 40.0;
        if axis.logarithmic || low < 0.0 {
            low -= room;
        }
        high += room;
        scale.linear = (low..high).into();
        scale
    }

    fn place(&self, at: f64) -> f64 {
        if self.logarithmic { at.log10() } else { at }
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, at: &f64, pixels: (i32, i32)) -> i32 {
        self.linear.map(&self.place(*at), pixels)
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        let most = hint.max_num_points().clamp(2, 12);
        let range = self.range();
        if !self.logarithmic {
            return even(&range, most, self.whole);
        }
        let fits = |at: &f64| range.contains(at) && (!self.whole || *at >= 1.0);
        let (first, last) = (range.start.log10().floor() as i32, range.end.log10().ceil() as i32);
        let powers: Vec<f64> = (first..=last).map(|power| 10f64.powi(power)).filter(fits).collect();
        let between: Vec<f64> = (first..=last)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)))
            .filter(fits)
            .collect();
        match between.len() {
            0..3 => even(&range, most, self.whole).into_iter().filter(|&at| at > 0.0).collect(),
            few if few <= most => between,
            _ => powers.iter().copied().step_by(powers.len().div_ceil(most).max(1)).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        let Range { start, end } = self.linear.range();
        if self.logarithmic { 10f64.powf(start)..10f64.powf(end) } else { start..end }
    }
}

/// At most about `most` numbers with equal steps of 1, 2 or 5 times a power of ten.
fn even(range: &Range<f64>, most: usize, whole: bool) -> Vec<f64> {
    let least = (range.end - range.start) / most as f64;
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|&step| step >= least);
    let step = step.unwrap_or(10.0 * power).max(if whole { 1.0 } else { 0.0 });
    let (first, last) = ((range.start / step).ceil() as i64, (range.end / step).floor() as i64);
    (first..=last.min(first.saturating_add(2 * most as i64))).map(|k| k as f64 * step).collect()
}

/// How large each group of vertices is, the largest first.
pub fn sizes_of_groups(title: &'static str, label: &'static str, groups: impl Iterator<Item = u32>) -> Picture {
    let mut sizes = std::collections::HashMap::<u32, u64>::new();
    groups.for_each(|group| *sizes.entry(group).or_default() += 1);
    let sizes: Vec<f64> = sizes.into_values().map(|size| size as f64).collect();
    Picture { y: Axis::whole("vertices").logarithmic(), ..falling(title, label, "vertices", sizes) }
}

/// Shares of the largest number below which a number is what rounding left of zero.
const ROUNDING: f64 = 1e-15;

/// Numbers, the largest first. What rounding left of zero is left out, as zeros are.
pub fn falling(title: &'static str, x: &'static str, y: &'static str, mut numbers: Vec<f64>) -> Picture {
    numbers.par_sort_unstable_by(|a, b| b.total_cmp(a));
    let least = numbers.first().map_or(0.0, |largest| largest * ROUNDING);
    numbers.retain(|&number| number >= least);
    let points = numbers.into_iter().enumerate().map(|(before, number)| (before as f64 + 1.0, number)).collect();
    Picture {
        title,
        x: Axis::whole(x).logarithmic(),
        y: Axis::real(y).logarithmic(),
        series: vec![Series { name: "", joined: false, points }],
    }
}

/// Numbers, the largest first, along an axis that is logarithmic only where all of them have a place on it: 0 and less have none.
pub fn falling_all(title: &'static str, x: &'static str, y: &'static str, mut numbers: Vec<f64>) -> Picture {
    if numbers.iter().all(|&number| number > 0.0) {
        return falling(title, x, y, numbers);
    }
    numbers.par_sort_unstable_by(|a, b| b.total_cmp(a));
    let points = numbers.into_iter().enumerate().map(|(before, number)| (before as f64 + 1.0, number)).collect();
    let series = vec![Series { name: "", joined: false, points }];
    Picture { title, x: Axis::whole(x).logarithmic(), y: Axis::real(y), series }
}

/// Draws scores, the largest first. The axis is linear if a score is below zero by more than rounding errors, and logarithmic otherwise.
pub fn falling_scores(title: &'static str, scores: Vec<f64>) -> Picture {
    let (x, y) = ("vertices of at least this score", "score");
    let largest = scores.iter().fold(0.0, |largest: f64, score| largest.max(score.abs()));
    if scores.iter().any(|&score| score < -largest * ROUNDING) {
        return falling_all(title, x, y, scores);
    }
    falling(title, x, y, scores)
}

/// A number beside an axis.
fn number(at: &f64) -> String {
    // Sums of steps are not exact.
    let rounded = format!("{at:.6e}").parse::<f64>().unwrap_or(*at);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e6 => format!("{rounded}"),
        _ => format!("{rounded:e}"),
    }
}
