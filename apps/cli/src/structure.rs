//! Where the nonzeros of a matrix lie, which formats suit it, and a picture of it.

use std::collections::HashSet;
use std::path::Path;

use pleach::Csr;
use pleach_codegen::convert::size_of;
use pleach_codegen::session::Session;
use pleach_datasets::Coo;
use serde_json::{Value, json};

use super::measured::Times;
use super::output::write_file;
use super::{Failure, measured};

/// Formats whose sizes are compared.
pub const FORMATS: [&str; 9] = ["csr", "csc", "dcsr", "coo", "dia", "ell", "bcsr<2, 2>", "bcsr", "skyline"];

/// What decides which format suits a matrix.
pub struct Structure {
    rows: usize,
    cols: usize,
    entries: usize,
    diagonals: usize,
    longest: usize,
    empty: usize,
    /// How far entries lie below the diagonal, and how far above.
    lower: usize,
    upper: usize,
    /// Block size, and the share of places in blocks that hold an entry.
    fill: Vec<(usize, f64)>,
    /// The smallest first.
    formats: Vec<Suited>,
    /// Whether products were measured.
    measured: bool,
}

/// How a format suits a matrix.
struct Suited {
    name: &'static str,
    bytes: u128,
    values: u128,
    /// Whether it takes too much memory to be made without need.
    explodes: bool,
    /// How long a product with a vector takes.
    times: Option<Times>,
}

impl Structure {
    /// The structure of a matrix. Equal entries count once. Takes time in proportion to entries.
    pub fn of(matrix: &Coo) -> Result<Option<Structure>, Failure> {
        let &[rows, cols] = &matrix.dims[..] else {
            return Err(Failure::usage("only a matrix has rows and diagonals"));
        };
        let mut all: Vec<(u32, u32)> = matrix.coords[0].iter().copied().zip(matrix.coords[1].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        let mut diagonals = HashSet::new();
        let (mut lower, mut upper) = (0, 0);
        for &(i, j) in &all {
            let (i, j) = (i as usize, j as usize);
            diagonals.insert(j as i64 - i as i64);
            lower = lower.max(i.saturating_sub(j));
            upper = upper.max(j.saturating_sub(i));
        }
        // There may be far more rows than entries.
        let lengths = || all.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len);
        let fill = [2u32, 4, 8].into_iter().map(|size| {
            let blocks: HashSet<(u32, u32)> = all.iter().map(|&(i, j)| (i / size, j / size)).collect();
            let places = blocks.len() as f64 * f64::from(size * size);
            (size as usize, if places == 0.0 { 1.0 } else { all.len() as f64 / places })
        });
        let fill = fill.collect();
        let session = Session::bundled();
        let mut formats = Vec::new();
        for name in FORMATS {
            let format = session.format(name).map_err(|wrong| Failure::input(wrong.to_string()))?;
            let place = |m: usize, e: usize| if m == 0 { all[e].0 as usize } else { all[e].1 as usize };
            let size = size_of(&format, &matrix.dims, all.len(), &place);
            let explodes = super::convert::explodes(&size, all.len());
            formats.push(Suited { name, bytes: size.bytes, values: size.values(), explodes, times: None });
        }
        formats.sort_by_key(|format| format.bytes);
        Ok(Some(Structure {
            rows,
            cols,
            entries: all.len(),
            diagonals: diagonals.len(),
            longest: lengths().max().unwrap_or(0),
            empty: rows - lengths().count(),
            lower,
            upper,
            fill,
            formats,
            measured: false,
        }))
    }

    /// Multiplies the matrix with a vector in each format that does not take far more memory than the entries.
    pub fn measure(&mut self, matrix: &Coo) -> Result<(), Failure> {
        let [rows, cols] = &matrix.coords[..] else { return Ok(()) };
        let entries = rows.iter().zip(cols).zip(&matrix.values).map(|((&i, &j), &value)| (i, j, value));
        let csr = Csr::from_entries(self.rows, self.cols, entries).map_err(Failure::input)?;
        for format in self.formats.iter_mut().filter(|format| !format.explodes) {
            format.times = measured::times(&csr, format.name);
        }
        self.measured = true;
        Ok(())
    }

    /// Lines of text.
    pub fn text(&self) -> String {
        let mean = if self.rows == 0 { 0.0 } else { self.entries as f64 / self.rows as f64 };
        let mut text = format!(
            "as a matrix: {} × {}, {} entries, {} nonzero diagonals\nrows: {mean:.2} entries on average, {} at most, {} rows without any\n\
             bandwidth: {} below the diagonal, {} above it\n",
            self.rows, self.cols, self.entries, self.diagonals, self.longest, self.empty, self.lower, self.upper
        );
        let fill: Vec<String> =
            self.fill.iter().map(|(size, share)| format!("{size} × {size} {:.1} %", 100.0 * share)).collect();
        text += &format!("entries in the blocks that hold any: {}\n", fill.join(", "));
        text += "formats by bytes:\n";
        for Suited { name, bytes, values, times, .. } in &self.formats {
            text += &format!("  {name:<12}{bytes:>16} bytes{values:>16} values");
            text += &match (self.measured, times) {
                (false, _) => String::new(),
                (true, Some(times)) => format!("{:>16.6} ms times a vector", times.median * 1e3),
                (true, None) => "  too large to be measured".to_owned(),
            };
            text += "\n";
        }
        let fastest = match &self.fastest()[..] {
            [] => return text,
            [only] => (*only).to_owned(),
            several => format!("unclear, as the times of {} overlap", several.join(", ")),
        };
        text += &format!("fastest times a vector, with {} threads: {fastest}\n", rayon::current_num_threads());
        text
    }

    /// The formats that may be the fastest: the one with the smallest median, and those whose lower quartile is not above its upper quartile.
    fn fastest(&self) -> Vec<&'static str> {
        let measured = || self.formats.iter().filter_map(|format| Some((format.name, format.times?)));
        let Some((_, best)) = measured().min_by(|a, b| a.1.median.total_cmp(&b.1.median)) else { return Vec::new() };
        measured().filter(|(_, times)| times.middle.0 <= best.middle.1).map(|(name, _)| name).collect()
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let fill: Vec<Value> = self.fill.iter().map(|(size, share)| json!({"block": size, "share": share})).collect();
        let formats: Vec<Value> = self
            .formats
            .iter()
            .map(|Suited { name, bytes, values, times, .. }| {
                let mut shown = json!({"format": name, "bytes": *bytes as u64, "values": *values as u64});
                if self.measured {
                    shown["product_seconds"] = json!(times.map(|times| times.median));
                }
                shown
            })
            .collect();
        json!({
            "rows": self.rows, "columns": self.cols, "entries": self.entries, "diagonals": self.diagonals,
            "longest_row": self.longest, "empty_rows": self.empty,
            "bandwidth": {"lower": self.lower, "upper": self.upper}, "fill": fill, "formats": formats,
        })
    }
}

/// Cells along the longer side of a picture.
const CELLS: usize = 256;

/// Draws where entries lie: a cell is the darker the more of its places hold one.
pub fn draw(matrix: &Coo, path: &Path) -> Result<(), Failure> {
    let (rows, cols) = (matrix.dims[0].max(1), matrix.dims[1].max(1));
    let step = rows.max(cols).div_ceil(CELLS).max(1);
    let (high, wide) = (rows.div_ceil(step), cols.div_ceil(step));
    let mut counts = vec![0u32; high * wide];
    for (&i, &j) in matrix.coords[0].iter().zip(&matrix.coords[1]) {
        counts[(i as usize / step) * wide + j as usize / step] += 1;
    }
    let most = f64::from(counts.iter().copied().max().unwrap_or(1).max(1));
    write_file(path, |file| {
        writeln!(
            file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"-1 -1 {} {}\" shape-rendering=\"crispEdges\">",
            (wide + 2) * 3,
            (high + 2) * 3,
            wide + 2,
            high + 2
        )?;
        writeln!(file, "<title>{rows} rows, {cols} columns, {} entries</title>", matrix.nnz())?;
        writeln!(
            file,
            "<rect x=\"-0.5\" y=\"-0.5\" width=\"{}\" height=\"{}\" fill=\"white\" stroke=\"black\" stroke-width=\"0.4\"/>",
            wide + 1,
            high + 1
        )?;
        for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            // One entry in a cell is to be seen as well.
            let shade = 0.25 + 0.75 * f64::from(count) / most;
            let (y, x) = (at / wide, at % wide);
            writeln!(
                file,
                "<rect x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\" fill=\"#1f5fa8\" fill-opacity=\"{shade:.2}\"/>"
            )?;
        }
        writeln!(file, "</svg>")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No format is named as the fastest where times overlap. Short times are printed with enough digits.
    #[test]
    fn the_fastest_format_is_named_where_times_differ() {
        let matrix = Coo { dims: vec![2, 2], coords: vec![vec![0, 1], vec![0, 1]], values: vec![1.0, 2.0] };
        let mut structure = Structure::of(&matrix).unwrap().unwrap();
        assert!(!structure.text().contains("fastest"));
        structure.measured = true;
        let mut text = |times: &[(&str, f64, f64, f64)]| {
            for format in &mut structure.formats {
                let found = times.iter().find(|(name, ..)| *name == format.name);
                format.times = found.map(|&(_, low, median, high)| Times { median, middle: (low, high) });
            }
            structure.text()
        };
        let apart = text(&[("csr", 2e-8, 3e-8, 4e-8), ("dia", 5e-8, 6e-8, 9e-8)]);
        assert!(apart.contains(" threads: csr\n") && apart.contains(" 0.000030 ms times a vector"), "{apart}");
        let together = text(&[("csr", 2e-8, 3e-8, 5e-8), ("dia", 5e-8, 6e-8, 9e-8), ("ell", 6e-8, 7e-8, 8e-8)]);
        assert!(together.contains("unclear, as the times of "), "{together}");
        let (_, named) = together.split_once("the times of ").unwrap();
        assert!(named.contains("csr") && named.contains("dia") && !named.contains("ell"), "{together}");
    }
}
