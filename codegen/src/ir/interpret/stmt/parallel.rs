//! Parallel loops, one iteration after the other; each is given its part of the owned arrays and nothing else of them.

use std::sync::Arc;

use super::entries::Bind;
use crate::ir::interpret::expr::{Compiled, Compiler};
use crate::ir::interpret::frame::{Action, Code, Fault, Frame, Stop};
use crate::ir::interpret::prim::Prim;
use crate::ir::interpret::value::{Array, Store};
use crate::ir::kernel::Var;
use crate::ir::stmt::{Block, Domain, Owned, Partition, Stmt};

/// Says what an iteration owns.
type Share = Box<dyn Fn(&mut Frame, Iteration) -> Result<(), Stop> + Send + Sync>;

/// One iteration of a parallel loop.
#[derive(Clone, Copy)]
struct Iteration {
    /// The value of the loop variable.
    number: usize,
    /// Where a loop over positions is; in others, the same.
    position: usize,
}

/// What a parallel loop runs over.
enum Source {
    Range { lo: Code<usize>, hi: Code<usize> },
    Entries { store: Code<Arc<Store>>, bind: Bind },
    Rows { matrix: usize, row: Option<usize>, bind: Bind },
    Listed { lo: Code<usize>, hi: Code<usize>, position: usize, crd: Var },
}

impl Compiler<'_> {
    pub(super) fn parallel(&mut self, stmt: &Stmt) -> Compiled<Action> {
        let Stmt::Parallel { var, domain, owned, scratch, body, .. } = stmt else { return Ok(Box::new(|_| Ok(()))) };
        let shares = owned.iter().map(|share| self.share(share)).collect::<Compiled<Vec<_>>>()?;
        let mut pushed: Vec<Var> = owned.iter().map(|share| share.array).collect();
        pushed.retain(|array| pushes(body, *array));
        let source = self.source(domain)?;
        for share in owned {
            self.owned[share.array.0 as usize] = true;
        }
        let (scratch, body) = (self.block(scratch)?, self.block(body)?);
        for share in owned {
            self.owned[share.array.0 as usize] = false;
        }
        let slot = var.0 as usize;
        let per_task = self.iterations_per_task;
        Ok(Box::new(move |f| {
            let mut done = 0;
            source.each(f, &mut |f: &mut Frame, at: Iteration| {
                f.tick(1)?;
                if done == 0 || per_task.is_some_and(|n| done % n.max(1) == 0) {
                    scratch(f)?;
                }
                done += 1;
                f.scalars[slot] = at.number as u64;
                for share in &shares {
                    share(f, at)?;
                }
                f.begin(&pushed);
                body(f)?;
                f.filled(&pushed)
            })
        }))
    }

    fn source(&self, domain: &Domain) -> Compiled<Source> {
        Ok(match domain {
            Domain::Range { lo, hi } => Source::Range { lo: self.usize(lo)?, hi: self.usize(hi)? },
            Domain::Entries { store, value } => {
                Source::Entries { store: self.store(store)?, bind: self.bind_value(*value) }
            }
            Domain::Rows { matrix, row } => {
                let bind = self.bind_value(*row);
                Source::Rows { matrix: matrix.0 as usize, row: row.map(|row| row.0 as usize), bind }
            }
            Domain::Listed { lo, hi, position, crd } => {
                let (lo, hi) = (self.usize(lo)?, self.usize(hi)?);
                Source::Listed { lo, hi, position: position.0 as usize, crd: *crd }
            }
        })
    }

    /// Code that says which part of an array iteration `i` owns.
    fn share(&self, owned: &Owned) -> Compiled<Share> {
        let slot = owned.array.0 as usize;
        Ok(match &owned.partition {
            Partition::Each { offset, stride } => {
                let (offset, stride) = (self.usize(offset)?, self.usize(stride)?);
                Box::new(move |f, at| {
                    let (offset, stride) = (offset(f)?, stride(f)?);
                    let Some(lo) = at.number.checked_mul(stride).and_then(|n| n.checked_add(offset)) else {
                        return f.fail(Fault::Overflow);
                    };
                    let Some(hi) = lo.checked_add(stride) else { return f.fail(Fault::Overflow) };
                    f.owned[slot] = (lo, hi);
                    Ok(())
                })
            }
            Partition::Segments { pos, stride } => {
                let (pos, stride) = (*pos, self.usize(stride)?);
                Box::new(move |f, Iteration { position: p, .. }| {
                    let stride = stride(f)?;
                    let pos_slice = usize::slice(&f.arrays[pos.0 as usize]);
                    match (pos_slice.get(p), p.checked_add(1).and_then(|n| pos_slice.get(n))) {
                        (Some(&lo), Some(&hi)) => {
                            let (Some(lo), Some(hi)) = (lo.checked_mul(stride), hi.checked_mul(stride)) else {
                                return f.fail(Fault::Overflow);
                            };
                            f.owned[slot] = (lo, hi);
                            Ok(())
                        }
                        _ => {
                            let len = pos_slice.len();
                            f.fail(Fault::OutOfBounds(pos, p.saturating_add(1), len))
                        }
                    }
                })
            }
            Partition::Anywhere => Box::new(move |f, _| {
                f.owned[slot] = (0, usize::MAX);
                Ok(())
            }),
            Partition::Positions { stride } => {
                let stride = self.usize(stride)?;
                Box::new(move |f, Iteration { position: p, .. }| {
                    let stride = stride(f)?;
                    let (Some(lo), Some(hi)) =
                        (p.checked_mul(stride), p.checked_add(1).and_then(|p| p.checked_mul(stride)))
                    else {
                        return f.fail(Fault::Overflow);
                    };
                    f.owned[slot] = (lo, hi);
                    Ok(())
                })
            }
        })
    }
}

/// Whether a block pushes elements to an array.
fn pushes(block: &Block, array: Var) -> bool {
    let mut found = false;
    block.visit(&mut |stmt| found |= matches!(stmt, Stmt::Push(a, _) if *a == array));
    found
}

/// The body of the loop, run for each iteration.
type Body<'b> = dyn FnMut(&mut Frame, Iteration) -> Result<(), Stop> + 'b;

impl Source {
    /// Runs all iterations.
    fn each(&self, f: &mut Frame, body: &mut Body<'_>) -> Result<(), Stop> {
        match self {
            Source::Range { lo, hi } => {
                let (lo, hi) = (lo(f)?, hi(f)?);
                for i in lo..hi {
                    body(f, Iteration { number: i, position: i })?;
                }
                Ok(())
            }
            Source::Listed { lo, hi, position, crd } => {
                let (lo, hi) = (lo(f)?, hi(f)?);
                for p in lo..hi {
                    let coords = u32::slice(&f.arrays[crd.0 as usize]);
                    let Some(&i) = coords.get(p) else {
                        let len = coords.len();
                        return f.fail(Fault::OutOfBounds(*crd, p, len));
                    };
                    f.scalars[*position] = p as u64;
                    body(f, Iteration { number: i as usize, position: p })?;
                }
                Ok(())
            }
            Source::Rows { matrix, row, bind } => {
                if let Some(store) = f.stores[*matrix].clone() {
                    return each_entry(f, &store, bind, body);
                }
                for i in 0..f.arrays[*matrix].len() {
                    if let (Array::Stores(rows), Some(row)) = (&f.arrays[*matrix], row) {
                        f.stores[*row] = rows.get(i).cloned();
                    }
                    body(f, Iteration { number: i, position: i })?;
                }
                Ok(())
            }
            Source::Entries { store, bind } => {
                let store = store(f)?;
                each_entry(f, &store, bind, body)
            }
        }
    }
}

fn each_entry(f: &mut Frame, store: &Arc<Store>, bind: &Bind, body: &mut Body<'_>) -> Result<(), Stop> {
    for k in 0..store.coords.len() {
        bind(f, store, k);
        body(f, Iteration { number: store.coords[k], position: k })?;
    }
    Ok(())
}
