//! The GAP Benchmark Suite's serialized graphs, as [`read`](crate::read()) describes them: the arcs of each vertex sorted and each once, because that
//! is what their kernels count on.

use pleach::runtime::Value;
use pleach::{Csr, CsrView};

use super::{Output, Target};
use crate::error::Error;
use crate::input::{Edges, Input};
use crate::progress::{Meter, Observer};

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 22;

/// Bytes in front of the rows.
const HEAD: u64 = 1 + 2 * 8;

/// Writes a graph; weights behind the targets if `weighted`, which are 1 where the graph has none.
pub(super) fn write(input: &Input, target: Target<'_>, weighted: bool, progress: &Observer) -> Result<(), Error> {
    let refuse = |reason: String| Error::CannotWrite { path: target.path.to_owned(), reason };
    if !input.is_square() {
        let (rows, columns) = (input.edges.num_rows(), input.edges.num_cols());
        return Err(refuse(format!("expected a graph, found a matrix of {rows} rows and {columns} columns")));
    }
    let output = |rows: usize, arcs: usize| {
        let (sides, width) = (1 + u64::from(input.directed), if weighted { 8 } else { 4 });
        let bytes = HEAD + sides * (8 * (rows as u64 + 1) + width * arcs as u64);
        Output::watched(target, Meter::new(progress, bytes))
    };
    match (&input.edges, weighted) {
        (Edges::Weighted(_), false) => Err(refuse(
            "files that end in .sg hold no weights, and this graph has some: those that end in .wsg do".to_owned(),
        )),
        (Edges::Pattern(edges), _) => {
            let (rows, _) =
                Csr::from_edges(edges, &input.build_options()).map_err(|error| refuse(error.to_string()))?;
            let one = 1i32.to_le_bytes();
            let arc = |target: u32, _: &()| Ok((target.to_le_bytes(), weighted.then_some(one)));
            write_rows(input, output(rows.num_rows(), rows.nnz())?, &rows, arc)
        }
        (Edges::Weighted(edges), true) => {
            let (rows, _) =
                Csr::from_edges(edges, &input.build_options()).map_err(|error| refuse(error.to_string()))?;
            let arc = |target: u32, &weight: &f64| {
                let whole = weight as i32;
                if f64::from(whole) != weight {
                    return Err(refuse(format!(
                        "files that end in .wsg hold whole weights of 32 bits, and this graph has {weight}"
                    )));
                }
                Ok((target.to_le_bytes(), Some(whole.to_le_bytes())))
            };
            write_rows(input, output(rows.num_rows(), rows.nnz())?, &rows, arc)
        }
    }
}

/// The bytes of a target, and of a weight if there is one.
type ArcBytes = ([u8; 4], Option<[u8; 4]>);

fn write_rows<V: Value + Copy + Default>(
    input: &Input,
    mut output: Output,
    rows: &Csr<V>,
    arc: impl Fn(u32, &V) -> Result<ArcBytes, Error>,
) -> Result<(), Error> {
    let mut head = vec![u8::from(input.directed)];
    [rows.nnz(), rows.num_rows()].into_iter().for_each(|count| head.extend((count as u64).to_le_bytes()));
    output.bytes(&head)?;
    write_side(&mut output, rows.view(), &arc)?;
    if input.directed {
        write_side(&mut output, rows.transpose().view(), &arc)?;
    }
    output.finish()
}

/// Offsets, then targets.
fn write_side<V>(
    output: &mut Output,
    rows: CsrView<'_, V>,
    arc: &impl Fn(u32, &V) -> Result<ArcBytes, Error>,
) -> Result<(), Error> {
    let mut bytes = Vec::with_capacity(BUFFER + 16);
    for &offset in rows.offsets() {
        bytes.extend((offset as u64).to_le_bytes());
        flush(output, &mut bytes, BUFFER)?;
    }
    for (&target, value) in rows.coords().iter().zip(rows.values()) {
        let (target, weight) = arc(target, value)?;
        bytes.extend(target);
        bytes.extend(weight.as_slice().iter().flatten());
        flush(output, &mut bytes, BUFFER)?;
    }
    flush(output, &mut bytes, 1)
}

/// The size at which the buffer is written out, in bytes.
fn flush(output: &mut Output, bytes: &mut Vec<u8>, least: usize) -> Result<(), Error> {
    if bytes.len() >= least {
        output.bytes(bytes)?;
        bytes.clear();
    }
    Ok(())
}
