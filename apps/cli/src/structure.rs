//! Where the nonzeros of a matrix lie, which formats suit it, and a picture of it.

use std::collections::HashSet;
use std::path::Path;

use pleach::Csr;
use pleach_codegen::convert::size_of;
use pleach_codegen::session::Session;
use pleach_datasets::Coo;
use serde_json::{Value, json};

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
    /// How long a product with a vector takes, in seconds.
    seconds: Option<f64>,
}

impl Structure {
    /// The structure of a matrix. Equal entries count once. Takes time in proportion to entries.
    pub fn of(matrix: &Coo) -> Result<Structure, Failure> {
        let &[rows, cols] = &matrix.dims[..] else {
            return Err(Failure::usage("only a matrix has rows and diagonals"));
        };
        let mut all: Vec<(u32, u32)> = matrix.coords[0].iter().copied().zip(matrix.coords[1].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        let mut diagonals = HashSet::new();
        let mut lengths = vec![0usize; rows];
        let (mut lower, mut upper) = (0, 0);
        for &(i, j) in &all {
            let (i, j) = (i as usize, j as usize);
            diagonals.insert(j as i64 - i as i64);
            lengths[i] += 1;
            lower = lower.max(i.saturating_sub(j));
            upper = upper.max(j.saturating_sub(i));
        }
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
            let size = size_of(&format, &matrix.dims, &mut all.iter().map(|&(i, j)| vec![i as usize, j as usize]));
            let explodes = super::convert::explodes(&size, all.len());
            formats.push(Suited { name, bytes: size.bytes, values: size.values(), explodes, seconds: None });
        }
        formats.sort_by_key(|format| format.bytes);
        Ok(Structure {
            rows,
            cols,
            entries: all.len(),
            diagonals: diagonals.len(),
            longest: lengths.iter().copied().max().unwrap_or(0),
            empty: lengths.iter().filter(|&&length| length == 0).count(),
            lower,
            upper,
            fill,
            formats,
            measured: false,
        })
    }

    /// Multiplies the matrix with a vector in each format that does not take far more memory than the entries.
    pub fn measure(&mut self, matrix: &Coo) -> Result<(), Failure> {
        let [rows, cols] = &matrix.coords[..] else { return Ok(()) };
        let entries = rows.iter().zip(cols).zip(&matrix.values).map(|((&i, &j), &value)| (i, j, value));
        let csr = Csr::from_entries(self.rows, self.cols, entries).map_err(Failure::input)?;
        for format in self.formats.iter_mut().filter(|format| !format.explodes) {
            format.seconds = measured::seconds(&csr, format.name);
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
        for Suited { name, bytes, values, seconds, .. } in &self.formats {
            text += &format!("  {name:<12}{bytes:>16} bytes{values:>16} values");
            text += &match (self.measured, seconds) {
                (false, _) => String::new(),
                (true, Some(seconds)) => format!("{:>14.4} ms times a vector", seconds * 1e3),
                (true, None) => "  too large to be measured".to_owned(),
            };
            text += "\n";
        }
        let times = self.formats.iter().filter_map(|format| Some((format, format.seconds?)));
        if let Some((fastest, _)) = times.min_by(|a, b| a.1.total_cmp(&b.1)) {
            text +=
                &format!("fastest times a vector, with {} threads: {}\n", rayon::current_num_threads(), fastest.name);
        }
        text
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let fill: Vec<Value> = self.fill.iter().map(|(size, share)| json!({"block": size, "share": share})).collect();
        let formats: Vec<Value> = self
            .formats
            .iter()
            .map(|Suited { name, bytes, values, seconds, .. }| {
                let mut shown = json!({"format": name, "bytes": *bytes as u64, "values": *values as u64});
                if self.measured {
                    shown["product_seconds"] = json!(seconds);
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
