//! Tensors in files: coordinates, the arrays of a format in our own binary, and what SciPy reads and writes.

use std::borrow::Cow;
use std::path::Path;

use pleach_codegen::convert::order::{Order, indices, is_unique};
use pleach_codegen::convert::{Size, convert, size_of};
use pleach_codegen::format::{Coordinate, Format, FormatLevel};
use pleach_codegen::ir::interpret::{Array, Value};
use pleach_codegen::ir::{Kernel, Literal};
use pleach_codegen::notation::ast::ValueType;
use pleach_codegen::reference::{Number, unpack_with};
use pleach_codegen::session::Session;
use pleach_datasets::plg::{Archive, Values};
use pleach_datasets::{Coo, Observer, Options, Sparse, ending, write_sparse};

use super::super::Failure;
use super::super::output::{not_written, note};

/// A tensor and the format that it is kept in.
pub struct Held {
    /// The format.
    pub format: Format,
    /// Its fields, in the order in which conversions take them.
    pub fields: Vec<Value>,
}

impl Held {
    /// The extents.
    pub fn shape(&self) -> Vec<usize> {
        self.fields[..self.format.rank()].iter().map(number).collect()
    }

    /// The entries: what is stored, without the padding of formats that pad.
    pub fn entries(&self) -> Result<Coo, Failure> {
        match (self.columns(), self.fields.last()) {
            (Some(columns), Some(Value::Array(Array::F64(values)))) => Ok(Coo {
                dims: self.shape(),
                coords: columns.into_iter().map(<[u32]>::to_vec).collect(),
                values: values.clone(),
            }),
            _ => match self.as_list() {
                Some(list) => list.into_entries(),
                None => self.unpacked().map_err(Failure::input),
            },
        }
    }

    /// As [`entries`](Self::entries), but moves the arrays of a list instead of copying them.
    pub fn into_entries(self) -> Result<Coo, Failure> {
        if self.columns().is_none() {
            return self.entries();
        }
        let mut entries = Coo::new(self.shape());
        let mut modes = modes(&self.format).into_iter();
        for field in self.fields {
            match field {
                Value::Array(Array::U32(crd)) => {
                    if let Some(m) = modes.next() {
                        entries.coords[m] = crd;
                    }
                }
                Value::Array(Array::F64(values)) => entries.values = values,
                _ => {}
            }
        }
        Ok(entries)
    }

    /// Where the entries lie, mode by mode.
    pub fn places(&self) -> Result<Places<'_>, Failure> {
        Ok(match self.columns() {
            Some(columns) => Places(columns.into_iter().map(Cow::Borrowed).collect()),
            None => Places::of(self.entries()?),
        })
    }

    /// As [`places`](Self::places), with each place once.
    pub fn places_once(&self) -> Result<Places<'_>, Failure> {
        match is_unique(&self.format) && self.columns().is_some() {
            true => self.places(),
            false => Ok(Places::of(once(self.entries()?))),
        }
    }

    /// The coordinates of a list of entries as they are kept, mode by mode; `None` for other formats.
    fn columns(&self) -> Option<Vec<&[u32]>> {
        let levels = &self.format.levels;
        let entries_only = |level: &FormatLevel| {
            level.properties.zeroless && level.properties.compact && !level.is_store() && !level.switches.interleaved
        };
        let single = |(k, level): (usize, &FormatLevel)| level.properties.branchless == (k > 0);
        if !self.format.is_plain() || !levels.iter().all(entries_only) || !levels.iter().enumerate().all(single) {
            return None;
        }
        let arrays = self.fields.iter().filter_map(|field| match field {
            Value::Array(Array::U32(crd)) => Some(&crd[..]),
            _ => None,
        });
        let mut columns = vec![None; self.format.rank()];
        for (m, crd) in modes(&self.format).into_iter().zip(arrays) {
            columns[m] = Some(crd).filter(|crd| crd.len() == self.stored());
        }
        columns.into_iter().collect()
    }

    /// A list of the same entries in the same order, if a routine that makes it is compiled.
    fn as_list(&self) -> Option<Held> {
        let rank = self.format.rank();
        let in_order: Vec<Coordinate> = (0..rank).map(Coordinate::Index).collect();
        if !Order::of(&self.format).ascends(rank, &[], &in_order) {
            return None;
        }
        let list = if rank == 3 { "coo3" } else { "coo" };
        let routine = super::compiled::routine(&super::bundled_name(&self.format), list)?;
        Some(Held { format: super::bundled(list).ok()?, fields: routine(&self.fields)? })
    }

    /// How many entries there are at most, and whether there are exactly so many; `None` for stores.
    pub fn count(&self) -> Option<(usize, bool)> {
        let levels = &self.format.levels;
        let one_each = self.format.keeps_entries_only() && levels.iter().all(|level| level.properties.compact);
        let exact = one_each && is_unique(&self.format);
        (!levels.iter().any(FormatLevel::is_store)).then(|| (self.stored(), exact))
    }

    /// Refuses a target, called `there`, with the fill `other` if this tensor has another fill and does not store every place.
    pub fn check_fill(&self, other: f64, there: &str) -> Result<(), Failure> {
        let own = fill(&self.format);
        if own == other || own.is_nan() && other.is_nan() || self.holds_every_place()? {
            return Ok(());
        }
        Err(Failure::input(format!(
            "what is not stored is {own} in `{}`, and {other} in {there}; --force converts the entries all the same",
            self.format.name
        )))
    }

    fn holds_every_place(&self) -> Result<bool, Failure> {
        let places = self.shape().iter().fold(1u128, |places, &n| places.saturating_mul(n as u128));
        Ok(match self.count() {
            Some((count, exact)) if exact || (count as u128) < places => count as u128 == places,
            _ => self.places_once()?.count() as u128 == places,
        })
    }

    fn unpacked(&self) -> Result<Coo, String> {
        let mut tensor = Coo::new(self.shape());
        let (padded, fill) = (!self.format.keeps_entries_only(), fill(&self.format));
        unpack_with(&self.format, &self.shape(), ValueType::F64, &self.fields, &mut |coords, value| {
            if !padded || value.float() != fill {
                tensor.push(&coords.iter().map(|&c| c as u32).collect::<Vec<_>>(), value.float());
            }
        })?;
        Ok(tensor)
    }

    /// Whether each dimension is worth an array of its length.
    pub fn is_narrow(&self) -> bool {
        self.shape().iter().all(|&n| n as u128 <= most_extent(self.stored()))
    }

    /// How many values are stored.
    pub fn stored(&self) -> usize {
        match self.fields.last() {
            Some(Value::Array(vals)) => vals.len(),
            _ => 0,
        }
    }
}

/// Where entries lie: their coordinates, mode by mode.
pub struct Places<'a>(Vec<Cow<'a, [u32]>>);

impl Places<'_> {
    fn of(entries: Coo) -> Places<'static> {
        Places(entries.coords.into_iter().map(Cow::Owned).collect())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.first().map_or(0, |mode| mode.len())
    }

    /// The coordinates of an entry.
    pub fn coordinates(&self, entry: usize) -> impl Iterator<Item = usize> {
        self.0.iter().map(move |mode| mode[entry] as usize)
    }

    /// The size of a tensor of extents `shape` in a format.
    pub fn size_in(&self, format: &Format, shape: &[usize]) -> Size {
        let columns: Vec<&[u32]> = self.0.iter().map(|mode| &mode[..]).collect();
        size_of(format, shape, self.count(), &|m, e| columns[m][e] as usize)
    }
}

/// The value of what is not stored.
pub fn fill(format: &Format) -> f64 {
    format.fill.map_or(0.0, |fill| Number::from(fill).float())
}

/// The mode that each level of a plain format keeps.
fn modes(format: &Format) -> Vec<usize> {
    format.levels.iter().flat_map(|level| indices(&level.coordinate)).collect()
}

fn number(value: &Value) -> usize {
    match value {
        Value::Scalar(literal) => literal.bits() as usize,
        _ => 0,
    }
}

/// Reads a tensor from a file that holds the arrays of a format, if it is such a file, whatever it is called.
pub fn stored(path: &str, session: &Session) -> Result<Option<Held>, Failure> {
    // A pipe can be read once only.
    if !Path::new(path).is_file() {
        return Ok(None);
    }
    match pleach_datasets::plg::kind(path) {
        Ok(kind) if kind == KIND => {}
        Err(error) if ending(Path::new(path)) == "plg" => return Err(Failure::input(error)),
        _ => return Ok(None),
    }
    let archive = Archive::read(path, &Observer::default()).map_err(Failure::input)?;
    from_archive(path, archive, session).map(Some)
}

/// Reads a tensor: a list of entries, or the arrays of the format that they were written in.
pub fn read(path: &str, session: &Session) -> Result<Held, Failure> {
    if let Some(held) = stored(path, session)? {
        return Ok(held);
    }
    let read = pleach_datasets::read_whole_tensor(path, &Options::default()).map_err(Failure::input)?;
    read.notes.into_iter().for_each(note);
    listed(read.tensor, session)
}

/// The longest dimension for which an array is worth its memory, where so many entries are stored.
pub fn most_extent(entries: usize) -> u128 {
    (32 * entries as u128).max(1 << 22)
}

fn ascends(tensor: &Coo) -> bool {
    let at = |k: usize| tensor.coords.iter().map(move |mode| mode[k]);
    (1..tensor.nnz()).all(|k| at(k - 1).lt(at(k)))
}

/// The same entries in order, those of one place added up.
fn sorted(tensor: &Coo) -> Coo {
    let at = |k: usize| tensor.coords.iter().map(move |mode| mode[k]);
    let mut order: Vec<usize> = (0..tensor.nnz()).collect();
    order.sort_by(|&a, &b| at(a).cmp(at(b)));
    let mut all = Coo::new(tensor.dims.clone());
    let mut last = None;
    for k in order {
        match last {
            Some(before) if at(before).eq(at(k)) => {
                if let Some(value) = all.values.last_mut() {
                    *value += tensor.values[k];
                }
            }
            _ => all.push(&at(k).collect::<Vec<_>>(), tensor.values[k]),
        }
        last = Some(k);
    }
    all
}

/// A list in which no two entries have the same place.
pub fn once(tensor: Coo) -> Coo {
    if ascends(&tensor) { tensor } else { sorted(&tensor) }
}

/// A list of entries in the format of lists: in order and each once, or in any order.
pub fn listed(mut tensor: Coo, session: &Session) -> Result<Held, Failure> {
    let rank = tensor.order();
    let mut ascends = ascends(&tensor);
    // Buckets as many as a dimension is long would take more than sorting does. Conversions of the third order are compiled from lists in
    // order.
    if !ascends && (rank == 3 || tensor.dims.iter().any(|&n| n as u128 > most_extent(tensor.nnz()))) {
        tensor = sorted(&tensor);
        ascends = true;
    }
    let name = match (rank, ascends) {
        (2, true) => "coo".to_owned(),
        (2, false) => "coo_duplicates".to_owned(),
        (3, true) => "coo3".to_owned(),
        (_, true) => {
            let mut levels = vec!["singleton(nonunique)"; rank];
            levels[rank - 1] = "singleton";
            levels[0] = if rank == 1 { "compressed" } else { "compressed(nonunique)" };
            format!("({})", levels.join(", "))
        }
        (_, false) => {
            let mut levels = vec!["singleton(unordered, nonunique)"; rank];
            levels[0] = "compressed(unordered, nonunique)";
            format!("({})", levels.join(", "))
        }
    };
    let format = session.format(&name).map_err(|wrong| Failure::input(wrong.to_string()))?;
    let mut fields: Vec<Value> = tensor.dims.iter().map(|&n| Value::usize(n)).collect();
    fields.push(vec![0usize, tensor.nnz()].into());
    fields.extend(tensor.coords.into_iter().map(Value::from));
    fields.push(tensor.values.into());
    Ok(Held { format, fields })
}

/// The kind of archives that hold the arrays of a format.
const KIND: &str = "levels";

/// Why a file could not be written.
fn refused(error: pleach_datasets::Error) -> Failure {
    not_written(error, |error| error.to_string())
}

/// Writes the arrays of a tensor as they are; `spelled` is how the user wrote its format.
fn to_archive(held: &Held, spelled: &str, kernel: &Kernel, path: &Path) -> Result<(), Failure> {
    let mut archive = Archive::new(KIND).with("format", spelled).with("levels", &held.format);
    for (field, value) in kernel.results[0].fields.iter().zip(&held.fields) {
        let name = match field.level {
            Some(level) => format!("{}_{}", field.name, level + 1),
            None => field.name.clone(),
        };
        match value {
            Value::Scalar(literal) => archive = archive.with(&name, literal.bits()),
            Value::Array(Array::U32(array)) => archive = archive.with_array(&name, &array[..]),
            Value::Array(Array::F64(array)) => archive = archive.with_array(&name, &array[..]),
            Value::Array(Array::Usize(array)) => {
                let wide: Vec<u64> = array.iter().map(|&n| n as u64).collect();
                archive = archive.with_array(&name, Values::U64(wide.into()));
            }
            _ => return Err(Failure::input("arrays of this kind are not written")),
        }
    }
    archive.write(path).map_err(refused)
}

/// The tensor in an archive of a format's arrays.
fn from_archive(path: &str, mut archive: Archive<'_>, session: &Session) -> Result<Held, Failure> {
    let damaged = |what: String| Failure::input(format!("{path}: {what}"));
    let spelled = archive.field("format").unwrap_or_default().to_owned();
    let format = session.format(&spelled);
    let format = format.map_err(|_| {
        damaged(format!("it holds the format `{spelled}`, which is not in scope: declare it with --with"))
    })?;
    if archive.field("levels") != Some(format.to_string().as_str()) {
        return Err(damaged(format!("the format `{spelled}` is another one here: {format}")));
    }
    // The fields are those of a conversion from this format.
    let same = convert(&format, &format, ValueType::F64).map_err(Failure::input)?;
    let mut fields = Vec::new();
    for field in &same.kernel.params[0].fields {
        let name = match field.level {
            Some(level) => format!("{}_{}", field.name, level + 1),
            None => field.name.clone(),
        };
        if let Some(text) = archive.field(&name) {
            let n = text.parse().map_err(|_| damaged(format!("`{name}` is `{text}`, and not a number")))?;
            fields.push(Value::Scalar(Literal::Usize(n)));
            continue;
        }
        let array = archive.take(&name).ok_or_else(|| damaged(format!("expected an array `{name}`")))?;
        fields.push(match array {
            Values::U32(array) => array.into_owned().into(),
            Values::F64(array) => array.into_owned().into(),
            Values::U64(array) => array.iter().map(|&n| n as usize).collect::<Vec<usize>>().into(),
            _ => return Err(damaged(format!("the numbers of `{name}` have another type"))),
        });
    }
    let held = Held { format, fields };
    super::check::check(&held).map_err(damaged)?;
    if !held.format.is_plain() {
        let entries = held.unpacked().map_err(damaged)?;
        super::order::counted(&held.format, &entries).map_err(damaged)?;
    }
    Ok(held)
}

/// Writes a tensor to a file, whose ending says how. The user wrote its format as `spelled`, and it has the arrays of the kernel's result. What
/// SciPy would need far more values for than there are entries is refused, unless it is forced. So is a list of a tensor with a fill other than 0.
pub fn write(held: Held, (spelled, kernel): (&str, &Kernel), path: &Path, force: bool) -> Result<(), Failure> {
    let stores = held.format.levels.iter().any(FormatLevel::is_store);
    match &ending(path)[..] {
        "plg" if !stores => to_archive(&held, spelled, kernel, path),
        "npz" => to_scipy(held, kernel, path, force),
        _ => {
            check_listed(&held, path, force)?;
            pleach_datasets::write_tensor(&held.into_entries()?, path).map_err(refused)
        }
    }
}

/// Refuses to write a tensor with a fill other than 0 to a file whose fill is 0, unless every place is stored or it is forced.
fn check_listed(held: &Held, path: &Path, force: bool) -> Result<(), Failure> {
    if force { Ok(()) } else { held.check_fill(0.0, &path.display().to_string()) }
}

/// Writes a matrix as `scipy.sparse.save_npz` does.
fn to_scipy(held: Held, kernel: &Kernel, path: &Path, force: bool) -> Result<(), Failure> {
    let [rows, cols] = held.shape()[..] else {
        return Err(Failure::input("SciPy's files hold matrices, and this tensor has another order"));
    };
    // Places of a block or a diagonal without an entry hold the fill here, and 0 in SciPy's formats.
    if !held.format.keeps_entries_only() && fill(&held.format) != 0.0 {
        return Err(Failure::input(format!(
            "`{}` has the fill {}, and SciPy's formats with padding have the fill 0; convert to a format without padding, such as `csr`",
            held.format.name,
            fill(&held.format)
        )));
    }
    check_listed(&held, path, force)?;
    // Formats are told by their levels: a user's may have any name.
    let levels = &held.format.levels;
    let (text, [i, j]) = (held.format.levels_text(), [&held.format.indices[0], &held.format.indices[1]]);
    let is = |levels: String| text == levels;
    let lists = levels.len() == 2
        && text.starts_with(&format!("{i}: compressed"))
        && text.contains(&format!(", {j}: "))
        && levels[1].properties.branchless;
    let block = |k: usize| {
        let field = kernel.results[0].fields.iter().zip(&held.fields);
        let mut extents = field.filter(|(field, _)| field.level == Some(k) && field.name == "extent");
        extents.next().map_or(1, |(_, extent)| number(extent))
    };
    let (high, wide) = (block(2), block(3));
    let (mut indptr, mut coordinates, mut data) = (Vec::new(), Vec::new(), Vec::new());
    for field in held.fields {
        match field {
            Value::Array(Array::Usize(array)) => indptr = array,
            Value::Array(Array::U32(array)) => coordinates.push(array),
            Value::Array(Array::F64(array)) => data = array,
            _ => {}
        }
    }
    let first = |coordinates: Vec<Vec<u32>>| coordinates.into_iter().next().unwrap_or_default();
    let sparse = match () {
        () if is(format!("{i}: dense, {j}: compressed")) => Sparse::Csr { indptr, indices: first(coordinates), data },
        () if is(format!("{j}: dense, {i}: compressed")) => Sparse::Csc { indptr, indices: first(coordinates), data },
        () if lists => {
            let [row, col] = <[Vec<u32>; 2]>::try_from(coordinates)
                .map_err(|_| Failure::input("a list of entries has two arrays of coordinates"))?;
            Sparse::Coo { row, col, data }
        }
        () if is(format!("({j} - {i}): squeezed, {i}: range, {j}: offset")) => {
            let diagonals = first(coordinates);
            let offsets: Vec<i64> = diagonals.iter().map(|&c| i64::from(c) - (rows.max(1) as i64 - 1)).collect();
            let (places, entries) = (offsets.len() as u128 * cols as u128, data.iter().filter(|x| **x != 0.0).count());
            if !force && places > super::most(entries) {
                return Err(Failure::input(format!(
                    "SciPy would keep {places} places in diagonals for {entries} entries; --force writes them all the same"
                )));
            }
            // SciPy aligns diagonals by columns, and we by rows.
            let mut aligned = vec![0.0; offsets.len() * cols];
            for (k, offset) in offsets.iter().enumerate() {
                for i in 0..rows {
                    if let Some(j) = usize::try_from(i as i64 + offset).ok().filter(|&j| j < cols) {
                        aligned[k * cols + j] = data[k * rows + i];
                    }
                }
            }
            Sparse::Dia { offsets, data: aligned }
        }
        () if is(format!(
            "({i} / {high}): dense, ({j} / {wide}): compressed, ({i} % {high}): dense, ({j} % {wide}): dense"
        )) =>
        {
            if rows % high != 0 || cols % wide != 0 {
                return Err(Failure::input(format!(
                    "SciPy's blocks fill the matrix: {rows} × {cols} is no multiple of {high} × {wide}; choose other blocks, as in `--to bcsr<1, 1>`"
                )));
            }
            Sparse::Bsr { indptr, indices: first(coordinates), data, block: (high, wide) }
        }
        () => {
            return Err(Failure::input(format!(
                "SciPy has no format like `{}`: write .npz from csr, csc, coo, dia or bcsr",
                held.format.name
            )));
        }
    };
    write_sparse(&sparse, (rows, cols), path).map_err(refused)
}
