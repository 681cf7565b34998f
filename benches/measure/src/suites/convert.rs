//! Conversions of formats beside routines written by hand, and of static rows into stores and back beside a copy of the arrays.
//!
//! Each routine allocates what it returns, which is freed before the next one runs. All is measured twice: with buffers that are reused, and
//! with fresh pages, which the system clears when they are first written. Routines by hand use one thread.

use pleach::convert::{self as compiled, convert};
use pleach::runtime::tensor::{Arranged, Compressed, Dense, Singleton, Tensor, View};
use pleach::runtime::{Nested, Packed, Paged};
use pleach::stores::{Bst, Ctree};
use pleach::{Csr as Rows, CsrView, Matrix as Held};

use crate::by_hand::conversions::{self as hand, Coo, Lines};
use crate::matrices::{Csr, Matrix};
use crate::peers::{Kernel, Subject};
use crate::{Bench, Competitor, Side, Work};

/// Where that lies which a routine allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Where something else was that has been freed.
    Reused,
    /// In pages that the system clears first.
    Fresh,
}

impl Pages {
    /// What works are called.
    fn named(self, work: &str) -> Work {
        Work::timed(match self {
            Pages::Reused => work.to_owned(),
            Pages::Fresh => format!("{work}, fresh pages"),
        })
    }
}

/// Slots for each nonzero from which on diagonals and slices are left out.
const PADDING: usize = 20;

/// What the suite asks of the allocator.
pub struct Allocator<H> {
    /// Keeps what is freed, for as long as what it returns is held.
    pub keep: fn() -> H,
    /// Returns to the system what is free.
    pub give_back: fn(),
}

/// Measures all conversions of one matrix.
///
/// # Panics
///
/// If two routines make different tensors.
pub fn run<H>(bench: &mut Bench<'_>, input: &Matrix, allocator: &Allocator<H>) {
    bench.begin("convert", Some(&input.name));
    let kept = (allocator.keep)();
    measure(bench, input, Pages::Reused);
    // What a routine frees stays until all of it is returned at once. A store that returned its pages one by one would tear huge pages apart,
    // and the next routine would get them back in pieces.
    bench.preparing(allocator.give_back, |bench| measure(bench, input, Pages::Fresh));
    drop(kept);
}

fn measure(bench: &mut Bench<'_>, input: &Matrix, pages: Pages) {
    use compiled::{Bcsr, Csc, Csr, Dia, Ell};
    let a = &input.rows;
    let csr = &Lines {
        shape: [a.rows, a.cols],
        levels: (Dense, Compressed { pos: a.pos.clone(), crd: a.crd.clone() }),
        vals: a.vals.clone(),
    };
    let (csc, coo): (hand::Csc, Coo) =
        bench.within(|| (convert::<Csr, Csc>(csr.view()), convert::<Csr, compiled::Coo>(csr.view())));
    let of_coo = || Tensor {
        shape: coo.shape,
        levels: (
            Compressed { pos: &coo.levels.0.pos[..], crd: &coo.levels.0.crd[..] },
            Singleton { crd: &coo.levels.1.crd[..] },
        ),
        vals: &coo.vals[..],
    };
    beside(bench, (a, pages), "coo to csr", || hand::coo_to_csr(&coo), || convert::<compiled::Coo, Csr>(of_coo()));
    beside(bench, (a, pages), "csr to coo", || hand::csr_to_coo(csr), || convert::<Csr, compiled::Coo>(csr.view()));
    beside(bench, (a, pages), "csr to csc", || hand::csr_to_csc(csr), || convert::<Csr, Csc>(csr.view()));
    let most = PADDING * a.crd.len().max(1);
    let why = format!("it would have more than {PADDING} slots for each nonzero");
    if a.longest() * a.rows <= most {
        beside(bench, (a, pages), "csr to ell", || hand::csr_to_ell(csr), || convert::<Csr, Ell>(csr.view()));
        beside(bench, (a, pages), "csc to ell", || hand::csc_to_ell(&csc), || convert::<Csc, Ell>(csc.view()));
    } else {
        for work in ["csr to ell", "csc to ell"] {
            bench.skip(&pages.named(work), "pleach", Side::Ours, &why);
        }
    }
    if a.blocks_of(4) * 16 <= most {
        beside(
            bench,
            (a, pages),
            "csr to bcsr",
            || Arranged::new(hand::csr_to_bcsr(csr)),
            || convert::<Csr, Bcsr>(csr.view()),
        );
    } else {
        bench.skip(&pages.named("csr to bcsr"), "pleach", Side::Ours, &why);
    }
    if a.diagonals() * a.rows <= most {
        beside(bench, (a, pages), "csr to dia", || hand::csr_to_dia(csr), || convert::<Csr, Dia>(csr.view()));
        beside(bench, (a, pages), "coo to dia", || hand::coo_to_dia(&coo), || convert::<compiled::Coo, Dia>(of_coo()));
        beside(bench, (a, pages), "csc to dia", || hand::csc_to_dia(&csc), || convert::<Csc, Dia>(csc.view()));
    } else {
        for work in ["csr to dia", "coo to dia", "csc to dia"] {
            bench.skip(&pages.named(work), "pleach", Side::Ours, &why);
        }
    }
    stores(bench, csr, pages);
}

/// Two routines that make the same.
fn beside<T: PartialEq + Send>(
    bench: &mut Bench<'_>,
    (a, pages): (&Csr, Pages),
    name: &str,
    by_hand: impl Fn() -> T + Sync,
    ours: impl Fn() -> T + Sync,
) {
    assert!(bench.within(|| by_hand() == ours()), "{name}: the two make different tensors");
    let mut all =
        vec![Competitor::timed("by hand", Side::Hand, &by_hand), Competitor::timed("pleach", Side::Ours, &ours)];
    let theirs = match (pages, name) {
        (Pages::Fresh, "coo to csr") => Some(Kernel::CooToCsr),
        (Pages::Fresh, "csr to csc") => Some(Kernel::CsrToCsc),
        (Pages::Fresh, "csr to dia") => Some(Kernel::CsrToDia),
        (Pages::Fresh, "csr to bcsr") => Some(Kernel::CsrToBcsr),
        _ => None,
    };
    all.extend(theirs.into_iter().flat_map(|kernel| bench.theirs(kernel, Subject::of_matrix(&a.pos, &a.crd, a.cols))));
    bench.compare(&[pages.named(name)], all);
}

/// Stores beside a copy of the arrays, and the transposition of rows beside the routine by hand.
fn stores(bench: &mut Bench<'_>, csr: &Lines, pages: Pages) {
    let Compressed { pos, crd } = &csr.levels.1;
    let rows = CsrView::from_parts(csr.shape[1], pos, crd, &csr.vals).expect("rows are in order");
    let copy = || (pos.clone(), crd.clone(), csr.vals.clone());
    let packed = bench.within(|| Held::<Packed<u32, f64>>::from_csr::<Paged<_>>(rows));
    let ctree = bench.within(|| Held::<Ctree<f64>>::from_csr::<Nested<Bst<_>>>(rows));
    let bytes = 2 * (8 * pos.len() + 12 * crd.len());
    let into = vec![
        Competitor::timed("copy of the arrays", Side::Hand, copy),
        Competitor::timed("paged,packed", Side::Ours, || Held::<Packed<u32, f64>>::from_csr::<Paged<_>>(rows)),
        Competitor::timed("bst,ctree", Side::Ours, || Held::<Ctree<f64>>::from_csr::<Nested<Bst<_>>>(rows)),
    ];
    bench.compare(&[pages.named("csr to a store").moving(bytes)], into);
    let back = vec![
        Competitor::timed("copy of the arrays", Side::Hand, copy),
        Competitor::timed("paged,packed", Side::Ours, || Rows::from(&packed)),
        Competitor::timed("bst,ctree", Side::Ours, || Rows::from(&ctree)),
    ];
    bench.compare(&[pages.named("a store to csr").moving(bytes)], back);
    let all = vec![
        Competitor::timed("by hand", Side::Hand, || hand::csr_to_csc(csr)),
        Competitor::timed("pleach", Side::Ours, || rows.transpose()),
    ];
    bench.compare(&[pages.named("transpose csr").moving(bytes)], all);
}
