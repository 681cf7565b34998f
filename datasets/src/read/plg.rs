//! Our own binary: the page of [`plg`](crate::plg) says what is in it.

use pleach::BuildError;
use pleach::runtime::par_first;

use super::arcs::Arcs;
use super::{Held, Listing, Raw, ReadTensor};
use crate::error::Error;
use crate::ids::IdMap;
use crate::input::{Direction, Input};
use crate::plg::{Archive, Values};
use crate::rows::{self, BadOffset, Rows};
use crate::scan;
use crate::source::Source;
use crate::tensor::Coo;

/// Numbers that one task checks.
const NUMBERS: usize = 1 << 14;

/// What a file that claims to be an archive is held to.
pub(super) struct Reading {
    pub(super) path: std::path::PathBuf,
    pub(super) archive: Archive<'static>,
    /// Whether values may be infinite or no number.
    pub(super) any_number: bool,
}

/// What the fields of a graph say.
pub(super) struct Shape {
    pub(super) num_rows: usize,
    pub(super) num_cols: usize,
    pub(super) directed: bool,
    mirrored: bool,
}

impl Shape {
    pub(super) fn vertices(&self) -> usize {
        self.num_rows.max(self.num_cols)
    }

    /// How the rows list edges.
    pub(super) fn listing(&self) -> Listing {
        match (self.directed, self.mirrored) {
            (true, false) | (false, true) => Listing::Once,
            (true, true) => Listing::Symmetric,
            (false, false) => Listing::Both,
        }
    }
}

pub(super) fn read(source: Source, any_number: bool) -> Result<Held, Error> {
    let path = source.path().to_owned();
    let reading = Reading { path, archive: Archive::from_source(source)?, any_number };
    match reading.archive.kind() {
        "graph" => reading.graph(),
        "tensor" => Ok(Held::Tensor(ReadTensor::stated(reading.tensor()?), false)),
        "levels" => {
            let reason = "holds the arrays of a tensor in some format, which `pleach convert` and `pleach eval` read; \
                          `pleach convert FILE OUT.mtx --to coo` writes it as a matrix";
            Err(Error::Damaged { path: reading.path, offset: 0, reason: reason.to_owned() })
        }
        other => {
            let reason = format!("holds a `{other}`, expected a graph or a tensor");
            Err(reading.fault(reason))
        }
    }
}

impl Reading {
    fn fault(&self, reason: impl Into<String>) -> Error {
        Error::Damaged { path: self.path.clone(), offset: 0, reason: reason.into() }
    }

    fn text(&self, name: &str) -> Result<&str, Error> {
        self.archive.field(name).ok_or_else(|| self.fault(format!("expected a field `{name}`")))
    }

    fn parsed<T: std::str::FromStr>(&self, name: &str, expected: &str) -> Result<T, Error> {
        let text = self.text(name)?;
        text.parse().map_err(|_| self.fault(format!("expected {expected} in the field `{name}`, found `{text}`")))
    }

    fn dimension(&self, name: &str) -> Result<usize, Error> {
        let size: u64 = self.parsed(name, "a number")?;
        match u32::try_from(size) {
            Ok(size) => Ok(size as usize),
            Err(_) => {
                Err(Error::TooManyVertices { what: crate::input::VERTICES, path: self.path.clone(), vertices: size })
            }
        }
    }

    /// Takes an array that must be there, `len` long if that is known.
    fn array<T>(&mut self, name: &str, len: Option<usize>) -> Result<Vec<T>, Error>
    where
        Vec<T>: TryFrom<Values<'static>, Error = crate::plg::WrongType>,
    {
        let values = self.archive.take(name).ok_or_else(|| self.fault(format!("expected an array `{name}`")))?;
        let numbers = Vec::try_from(values).map_err(|e| self.fault(format!("array `{name}`: {e}")))?;
        match len {
            Some(len) if len != numbers.len() => {
                Err(self.fault(format!("expected {len} numbers in the array `{name}`, found {}", numbers.len())))
            }
            _ => Ok(numbers),
        }
    }

    /// Refuses coordinates that are not below `size`.
    fn check_below(&self, name: &str, coords: &[u32], size: usize) -> Result<(), Error> {
        match par_first(coords.len(), NUMBERS, |at| coords[at] as usize >= size) {
            None => Ok(()),
            Some(at) => Err(self.fault(format!(
                "expected coordinates below {size} in the array `{name}`, found {} at position {at}",
                coords[at]
            ))),
        }
    }

    fn check_finite(&self, name: &str, values: &[f64]) -> Result<(), Error> {
        if self.any_number {
            return Ok(());
        }
        match par_first(values.len(), NUMBERS, |at| !values[at].is_finite()) {
            None => Ok(()),
            Some(at) => Err(self.fault(format!(
                "expected finite numbers in the array `{name}`, found {} at position {at}",
                values[at]
            ))),
        }
    }

    /// What the fields say.
    pub(super) fn shape(&self) -> Result<Shape, Error> {
        Ok(Shape {
            num_rows: self.dimension("rows")?,
            num_cols: self.dimension("columns")?,
            directed: self.parsed("directed", "`true` or `false`")?,
            mirrored: self.parsed("mirrored", "`true` or `false`")?,
        })
    }

    /// The ids or names of so many vertices.
    pub(super) fn ids(&mut self, vertices: usize) -> Result<IdMap, Error> {
        Ok(match self.archive.field("first_id") {
            _ if self.archive.has("names") => self.names(vertices)?,
            Some(_) => {
                let first: u64 = self.parsed("first_id", "a number")?;
                if first.checked_add((vertices as u64).saturating_sub(1)).is_none() {
                    return Err(self.fault(format!("{vertices} ids from {first} on do not fit 64 bits")));
                }
                IdMap::offset(first, vertices)
            }
            None => {
                let ids: Vec<u64> = self.array("ids", Some(vertices))?;
                if let Some(at) = par_first(ids.len().saturating_sub(1), NUMBERS, |at| ids[at] >= ids[at + 1]) {
                    return Err(self.fault(format!(
                        "expected ids that increase, found {} before {}",
                        ids[at],
                        ids[at + 1]
                    )));
                }
                IdMap::from_sorted(ids)
            }
        })
    }

    /// Where the rows begin, and where the last one ends.
    pub(super) fn offsets(&mut self, num_rows: usize) -> Result<Vec<u64>, Error> {
        self.array("offsets", Some(num_rows + 1))
    }

    /// The error of an offset that cannot be.
    pub(super) fn bad_offset(&self, offsets: &[u64], bad: BadOffset) -> Error {
        let (least, most) = bad.between;
        let found = offsets.get(bad.at).map_or("nothing".to_owned(), u64::to_string);
        let reason =
            format!("expected a number from {least} to {most} at position {} of `offsets`, found {found}", bad.at);
        self.fault(reason)
    }

    fn graph(mut self) -> Result<Held, Error> {
        let shape = self.shape()?;
        let Shape { num_rows, num_cols, directed, .. } = shape;
        let ids = self.ids(shape.vertices())?;
        let offsets = self.offsets(num_rows)?;
        let dst: Vec<u32> = self.array("targets", None)?;
        let weighted = self.archive.has("weights");
        let weight: Vec<f64> = if weighted { self.array("weights", Some(dst.len()))? } else { Vec::new() };
        self.check_below("targets", &dst, num_cols)?;
        self.check_finite("weights", &weight)?;
        let src = rows::sources(&offsets, dst.len() as u64).map_err(|bad| self.bad_offset(&offsets, bad))?;
        let declared = Some(if directed { Direction::Directed } else { Direction::Undirected });
        let raw = Raw {
            path: self.path,
            num_rows,
            num_cols,
            arcs: Arcs { src, dst, weight },
            weighted,
            ids,
            declared,
            listing: shape.listing(),
            rounded: false,
            notes: Vec::new(),
            extra: Default::default(),
        };
        Ok(Held::Graph(raw))
    }

    /// The names of the vertices: text, each name ended by a line end.
    fn names(&mut self, vertices: usize) -> Result<IdMap, Error> {
        let bytes: Vec<u8> = self.array("names", None)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| self.fault("expected names in UTF-8".to_owned()))?;
        let ids = IdMap::try_from_sorted_names(text.split_terminator('\n')).map_err(|name| {
            self.fault(format!("expected names that increase, found {}", scan::quote(name.as_bytes())))
        })?;
        let ended = text.is_empty() || text.ends_with('\n');
        match ended && ids.len() == vertices {
            true => Ok(ids),
            false => {
                Err(self.fault(format!("expected {vertices} names, each ended by a line end, found {}", ids.len())))
            }
        }
    }

    fn tensor(mut self) -> Result<Coo, Error> {
        let text = self.text("dims")?.to_owned();
        let dims: Option<Vec<u64>> = text.split(' ').map(|d| d.parse().ok()).collect();
        let Some(dims) = dims.filter(|dims| !dims.is_empty() && dims.len() <= Coo::MAX_ORDER) else {
            return Err(self.fault(format!("expected dimensions in the field `dims`, found `{text}`")));
        };
        let values: Vec<f64> = self.array("values", None)?;
        self.check_finite("values", &values)?;
        let mut coords = Vec::with_capacity(dims.len());
        for (mode, &size) in dims.iter().enumerate() {
            if size > u64::from(u32::MAX) {
                return Err(Error::TooManyVertices { what: crate::input::VERTICES, path: self.path, vertices: size });
            }
            let name = format!("mode{mode}");
            let mode: Vec<u32> = self.array(&name, Some(values.len()))?;
            self.check_below(&name, &mode, size as usize)?;
            coords.push(mode);
        }
        Ok(Coo { dims: dims.into_iter().map(|d| d as usize).collect(), coords, values })
    }
}

/// The archive of a graph: its rows, sorted, with the arcs of both directions.
pub(crate) fn archive(input: &Input) -> Result<Archive<'_>, BuildError> {
    let edges = &input.edges;
    let Rows { offsets, targets, weights } = Rows::of(input)?;
    let columns = if input.mirrored { offsets.len() - 1 } else { edges.num_cols() };
    let mut archive = Archive::new("graph")
        .with("rows", offsets.len() - 1)
        .with("columns", columns)
        .with("directed", input.directed)
        .with("mirrored", false);
    archive = match input.ids.range() {
        _ if input.ids.has_names() => {
            let names: String = input.ids.labels().map(|name| format!("{name}\n")).collect();
            archive.with_array("names", names.into_bytes())
        }
        Some((first, _)) => archive.with("first_id", first),
        None => archive.with_array("ids", input.ids.iter().collect::<Vec<u64>>()),
    };
    archive = archive.with_array("offsets", offsets).with_array("targets", targets);
    Ok(match weights {
        Some(weights) => archive.with_array("weights", weights),
        None => archive,
    })
}

/// The archive of a tensor.
pub(crate) fn tensor_archive(tensor: &Coo) -> Archive<'_> {
    let dims: Vec<String> = tensor.dims.iter().map(usize::to_string).collect();
    let mut archive = Archive::new("tensor").with("dims", dims.join(" "));
    for (mode, coords) in tensor.coords.iter().enumerate() {
        archive = archive.with_array(&format!("mode{mode}"), &coords[..]);
    }
    archive.with_array("values", &tensor.values[..])
}
