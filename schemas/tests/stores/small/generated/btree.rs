use ::pleach_runtime as runtime;

/// The parameter `B` of the schema.
pub const B: usize = 3;

/// The parameter `L` of the schema.
pub const L: usize = 3;

/// A B-tree: between any two neighbouring children of an internal node lies one element.
///
/// The handle of a store `btree`. Cloning it shares all nodes.
pub struct Btree<V: runtime::Value, C: runtime::Coord = u32> {
    root: nodes::BtreeRoot<V, C>,
}

impl<V: runtime::Value, C: runtime::Coord> Btree<V, C> {
    /// A store with the given root.
    pub fn new(root: nodes::BtreeRoot<V, C>) -> Self {
        Self { root }
    }

    /// The root.
    pub fn root(&self) -> runtime::NodeRef<'_, nodes::BtreeRoot<V, C>> {
        runtime::NodeRef::of(&self.root)
    }

    /// The root, for writing.
    pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::BtreeRoot<V, C>> {
        runtime::NodeMut::of(&mut self.root)
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Btree<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for Btree<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: Default::default() }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for Btree<V, C> {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        let mut map = f.debug_map();
        runtime::Fiber::fold_runs(
            runtime::Store::fiber(self),
            (),
            |(), run| {
                map.entries(run.iter());
            },
        );
        map.finish()
    }
}

/// A view of the fiber that a store holds.
pub struct Fiber<'a, V: runtime::Value, C: runtime::Coord = u32> {
    handle: runtime::NodeRef<'a, nodes::BtreeRoot<V, C>>,
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Fiber<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for Fiber<'_, V, C> {}

impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Fiber<'a> for Fiber<'a, V, C> {
    type Coord = C;
    type Value = V;
    type Runs = Runs<'a, V, C>;
    const ORDERED: bool = true;

    fn len(self) -> usize {
        runtime::Fiber::fold_storage(self, 0, |len, run| len + run.len())
    }

    #[inline(always)]
    fn runs(self) -> Runs<'a, V, C> {
        Runs {
            step: Step::Start(self.handle),
            stack: runtime::Stack::new(),
            current: runtime::Run::empty(),
        }
    }

    #[inline(always)]
    fn try_fold_runs<A, B, F>(
        self,
        mut folded: A,
        mut visit: F,
    ) -> ::std::ops::ControlFlow<B, A>
    where
        F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
    {
        let handle = self.handle;
        let mut stack = runtime::Stack::<_, 32>::new();
        let mut step = FoldStep::Start(handle);
        'walk: loop {
            'visit: {
                match step {
                    FoldStep::Start(b) => {
                        // r
                        if let Some(r) = nodes::BtreeRoot::r(b) {
                            step = FoldStep::EnterBtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    FoldStep::EnterBtree(n) => {
                        match nodes::Btree::kind(n) {
                            nodes::BtreeKind::BtreeInternal(i) => {
                                step = FoldStep::EachC(i, 0);
                                continue 'walk;
                            }
                            nodes::BtreeKind::BtreeLeaf(l) => {
                                // {e}
                                folded = visit(folded, nodes::BtreeLeaf::e(l))?;
                                break 'visit;
                            }
                        }
                    }
                    FoldStep::EachC(i, k) => {
                        if k < nodes::BtreeInternal::c(i).len() {
                            stack.push(FoldStep::AfterC(i, k));
                            step = FoldStep::EnterBtree(
                                runtime::follow(&nodes::BtreeInternal::c(i)[k])
                                    .expect("`c` is nonempty"),
                            );
                            continue 'walk;
                        }
                        step = FoldStep::EnterBtree(
                            nodes::BtreeInternal::cl(i).expect("`cl` is nonempty"),
                        );
                        continue 'walk;
                    }
                    FoldStep::AfterC(i, mut k) => {
                        // e[k]
                        folded = visit(
                            folded,
                            nodes::BtreeInternal::e(i).part(k..k + 1),
                        )?;
                        k += 1;
                        step = FoldStep::EachC(i, k);
                        continue 'walk;
                    }
                }
            }
            match stack.pop() {
                Some(next) => step = next,
                None => {
                    return ::std::ops::ControlFlow::Continue(folded);
                }
            }
        }
    }

    #[inline(always)]
    fn try_fold_storage<A, B, F>(
        self,
        mut folded: A,
        mut visit: F,
    ) -> ::std::ops::ControlFlow<B, A>
    where
        F: FnMut(A, runtime::Run<'_, 'a, C, V>) -> ::std::ops::ControlFlow<B, A>,
    {
        let handle = self.handle;
        let mut stack = runtime::Stack::<_, 32>::new();
        let mut step = StorageStep::Start(handle);
        'walk: loop {
            'visit: {
                match step {
                    StorageStep::Start(b) => {
                        // r
                        if let Some(r) = nodes::BtreeRoot::r(b) {
                            step = StorageStep::EnterBtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    StorageStep::EnterBtree(n) => {
                        match nodes::Btree::kind(n) {
                            nodes::BtreeKind::BtreeInternal(i) => {
                                // e
                                folded = visit(folded, nodes::BtreeInternal::e(i))?;
                                step = StorageStep::EachC(i, 0);
                                continue 'walk;
                            }
                            nodes::BtreeKind::BtreeLeaf(l) => {
                                // {e}
                                folded = visit(folded, nodes::BtreeLeaf::e(l))?;
                                break 'visit;
                            }
                        }
                    }
                    StorageStep::EachC(i, k) => {
                        if k < nodes::BtreeInternal::c(i).len() {
                            stack.push(StorageStep::AfterC(i, k));
                            step = StorageStep::EnterBtree(
                                runtime::follow(&nodes::BtreeInternal::c(i)[k])
                                    .expect("`c` is nonempty"),
                            );
                            continue 'walk;
                        }
                        step = StorageStep::EnterBtree(
                            nodes::BtreeInternal::cl(i).expect("`cl` is nonempty"),
                        );
                        continue 'walk;
                    }
                    StorageStep::AfterC(i, mut k) => {
                        k += 1;
                        step = StorageStep::EachC(i, k);
                        continue 'walk;
                    }
                }
            }
            match stack.pop() {
                Some(next) => step = next,
                None => {
                    return ::std::ops::ControlFlow::Continue(folded);
                }
            }
        }
    }

    fn par_fold<A, I, F, G>(self, identity: &I, fold: &F, combine: &G) -> A
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync,
        G: Fn(A, A) -> A + Sync,
    {
        if !runtime::is_large(self) {
            return runtime::Fiber::fold_runs(self, identity(), fold);
        }
        let handle = self.handle;
        par_btree_root(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::BtreeRoot(self.handle);
        loop {
            match place {
                Place::BtreeRoot(n) => {
                    // r
                    match nodes::BtreeRoot::r(n) {
                        Some(child) => {
                            place = Place::Btree(child);
                            continue;
                        }
                        None => return None,
                    }
                }
                Place::Btree(n) => {
                    match nodes::Btree::kind(n) {
                        nodes::BtreeKind::BtreeInternal(n) => {
                            // {c, e}
                            let parting = nodes::BtreeInternal::e(n);
                            let slot = parting
                                .coords()
                                .partition_point(|&at| at < coord);
                            if slot < parting.len() {
                                if parting.coords()[slot] == coord {
                                    return Some(&parting.values()[slot]);
                                }
                                match runtime::follow(&nodes::BtreeInternal::c(n)[slot]) {
                                    Some(child) => {
                                        place = Place::Btree(child);
                                        continue;
                                    }
                                    None => return None,
                                }
                            }
                            // cl
                            match nodes::BtreeInternal::cl(n) {
                                Some(child) => {
                                    place = Place::Btree(child);
                                    continue;
                                }
                                None => return None,
                            }
                        }
                        nodes::BtreeKind::BtreeLeaf(n) => {
                            // {e}
                            match nodes::BtreeLeaf::e(n).search(coord) {
                                runtime::Search::Found(value) => return Some(value),
                                _ => return None,
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The resumable iterator over the runs, derived from `seq = {c, e}, cl` and `seq = {e}`.
pub struct Runs<'a, V: runtime::Value, C: runtime::Coord = u32> {
    step: Step<'a, V, C>,
    stack: runtime::Stack<Step<'a, V, C>, 16>,
    current: runtime::Run<'a, 'a, C, V>,
}

impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Runs<'a> for Runs<'a, V, C> {
    type Coord = C;
    type Value = V;

    #[inline]
    fn advance(&mut self) -> bool {
        let mut step = self.step;
        'walk: loop {
            'visit: {
                match step {
                    Step::Start(b) => {
                        // r
                        if let Some(r) = nodes::BtreeRoot::r(b) {
                            step = Step::EnterBtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    Step::EnterBtree(n) => {
                        match nodes::Btree::kind(n) {
                            nodes::BtreeKind::BtreeInternal(i) => {
                                step = Step::EachC(i, 0);
                                continue 'walk;
                            }
                            nodes::BtreeKind::BtreeLeaf(l) => {
                                // {e}
                                self.current = nodes::BtreeLeaf::e(l);
                                self.step = Step::Leave;
                                return true;
                            }
                        }
                    }
                    Step::EachC(i, k) => {
                        if k < nodes::BtreeInternal::c(i).len() {
                            self.stack.push(Step::AfterC(i, k));
                            step = Step::EnterBtree(
                                runtime::follow(&nodes::BtreeInternal::c(i)[k])
                                    .expect("`c` is nonempty"),
                            );
                            continue 'walk;
                        }
                        step = Step::EnterBtree(
                            nodes::BtreeInternal::cl(i).expect("`cl` is nonempty"),
                        );
                        continue 'walk;
                    }
                    Step::AfterC(i, k) => {
                        // e[k]
                        self.current = nodes::BtreeInternal::e(i).part(k..k + 1);
                        self.step = Step::AfterE(i, k);
                        return true;
                    }
                    Step::AfterE(i, mut k) => {
                        k += 1;
                        step = Step::EachC(i, k);
                        continue 'walk;
                    }
                    Step::Leave => {
                        break 'visit;
                    }
                    Step::End => return false,
                }
            }
            match self.stack.pop() {
                Some(next) => step = next,
                None => {
                    self.step = Step::End;
                    self.current = runtime::Run::empty();
                    return false;
                }
            }
        }
    }

    #[inline(always)]
    fn run(&self) -> runtime::Run<'_, 'a, C, V> {
        self.current
    }
}

/// Where the iterator goes on.
enum Step<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::BtreeRoot<V, C>>),
    EnterBtree(runtime::NodeRef<'a, nodes::Btree<V, C>>),
    EachC(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
    AfterC(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
    AfterE(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
    Leave,
    End,
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Step<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for Step<'_, V, C> {}

/// Where a fold in coordinate order goes on.
enum FoldStep<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::BtreeRoot<V, C>>),
    EnterBtree(runtime::NodeRef<'a, nodes::Btree<V, C>>),
    EachC(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
    AfterC(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldStep<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldStep<'_, V, C> {}

/// Where a fold in storage order goes on.
enum StorageStep<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::BtreeRoot<V, C>>),
    EnterBtree(runtime::NodeRef<'a, nodes::Btree<V, C>>),
    EachC(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
    AfterC(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for StorageStep<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for StorageStep<'_, V, C> {}

/// A node in which a coordinate is looked for.
enum Place<'a, V: runtime::Value, C: runtime::Coord> {
    BtreeRoot(runtime::NodeRef<'a, nodes::BtreeRoot<V, C>>),
    Btree(runtime::NodeRef<'a, nodes::Btree<V, C>>),
}

/// Maps over a `btree_internal` and everything below it in parallel.
fn par_btree_internal<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    if depth == 0 {
        return fold_btree_internal(n, identity(), fold);
    }
    let (left, right) = runtime::join(
        || {
            // {c, e}
            let slots = nodes::BtreeInternal::c(n)
                .len()
                .max(nodes::BtreeInternal::e(n).len());
            runtime::par_slots(
                slots,
                identity,
                &|slot| {
                    let mut folded = identity();
                    if let Some(Some(child)) = nodes::BtreeInternal::c(n)
                        .get(slot)
                        .map(runtime::follow)
                    {
                        let depth = depth.saturating_sub(runtime::WIDE_DEPTH);
                        folded = combine(
                            folded,
                            par_btree(child, depth, identity, fold, combine),
                        );
                    }
                    if slot < nodes::BtreeInternal::e(n).len() {
                        folded = fold(
                            folded,
                            nodes::BtreeInternal::e(n).part(slot..slot + 1),
                        );
                    }
                    folded
                },
                combine,
            )
        },
        || {
            // cl
            match nodes::BtreeInternal::cl(n) {
                Some(child) => par_btree(child, depth - 1, identity, fold, combine),
                None => identity(),
            }
        },
    );
    combine(left, right)
}

/// Where a fold over a `btree_internal` goes on.
enum FoldBtreeInternal<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>),
    EachC(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
    AfterE(runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>, usize),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldBtreeInternal<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldBtreeInternal<'_, V, C> {}

/// Folds over a `btree_internal` and everything below it.
fn fold_btree_internal<'a, V: runtime::Value, C: runtime::Coord, A>(
    n: runtime::NodeRef<'a, nodes::BtreeInternal<V, C>>,
    mut folded: A,
    visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
) -> A {
    let mut stack = runtime::Stack::<_, 32>::new();
    let mut step = FoldBtreeInternal::Start(n);
    'walk: loop {
        'visit: {
            match step {
                FoldBtreeInternal::Start(b) => {
                    step = FoldBtreeInternal::EachC(b, 0);
                    continue 'walk;
                }
                FoldBtreeInternal::EachC(mut b, mut k) => {
                    'l8: loop {
                        if k < nodes::BtreeInternal::c(b).len() {
                            let n = runtime::follow(&nodes::BtreeInternal::c(b)[k])
                                .expect("`c` is nonempty");
                            match nodes::Btree::kind(n) {
                                nodes::BtreeKind::BtreeInternal(b2) => {
                                    stack.push(FoldBtreeInternal::AfterE(b, k));
                                    b = b2;
                                    k = 0;
                                    continue 'l8;
                                }
                                nodes::BtreeKind::BtreeLeaf(l) => {
                                    // {e}
                                    folded = visit(folded, nodes::BtreeLeaf::e(l));
                                    step = FoldBtreeInternal::AfterE(b, k);
                                    continue 'walk;
                                }
                            }
                        }
                        let n2 = nodes::BtreeInternal::cl(b).expect("`cl` is nonempty");
                        match nodes::Btree::kind(n2) {
                            nodes::BtreeKind::BtreeInternal(b3) => {
                                b = b3;
                                k = 0;
                                continue 'l8;
                            }
                            nodes::BtreeKind::BtreeLeaf(l2) => {
                                // {e}
                                folded = visit(folded, nodes::BtreeLeaf::e(l2));
                                break 'visit;
                            }
                        }
                    }
                }
                FoldBtreeInternal::AfterE(b, mut k) => {
                    // e[k]
                    folded = visit(folded, nodes::BtreeInternal::e(b).part(k..k + 1));
                    k += 1;
                    step = FoldBtreeInternal::EachC(b, k);
                    continue 'walk;
                }
            }
        }
        match stack.pop() {
            Some(next) => step = next,
            None => {
                return folded;
            }
        }
    }
}

/// Maps over a `btree_leaf` and everything below it in parallel.
fn par_btree_leaf<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::BtreeLeaf<V, C>>,
    _depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    let _ = combine;
    let mut folded = identity();
    // {e}
    folded = fold(folded, nodes::BtreeLeaf::e(n));
    folded
}

/// Maps over a `btree_root` and everything below it in parallel.
fn par_btree_root<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::BtreeRoot<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    // r
    match nodes::BtreeRoot::r(n) {
        Some(child) => par_btree(child, depth - 1, identity, fold, combine),
        None => identity(),
    }
}

/// Maps over a `btree` in parallel.
fn par_btree<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Btree<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    match nodes::Btree::kind(n) {
        nodes::BtreeKind::BtreeInternal(n) => {
            par_btree_internal(n, depth, identity, fold, combine)
        }
        nodes::BtreeKind::BtreeLeaf(n) => {
            par_btree_leaf(n, depth, identity, fold, combine)
        }
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for Btree<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "btree";
    const JOIN: Option<fn(Vec<Self>) -> Self> = <Self as runtime::Build<C, V>>::JOIN;

    #[inline]
    fn build_row(elements: runtime::Elements<'_, C, V>) -> Self {
        <Self as runtime::Build<C, V>>::build(elements)
    }

    #[inline(always)]
    fn fiber(&self) -> Fiber<'_, V, C> {
        Fiber {
            handle: runtime::NodeRef::of(&self.root),
        }
    }

    fn each_mut(&mut self, coords: &[C], visit: &(dyn Fn(usize, &mut V) + Sync)) {
        <Self as runtime::Build<C, V>>::each_mut(self, coords, visit);
    }

    fn update(
        &mut self,
        batch: runtime::RowBatch<'_, C, V>,
        change: runtime::Change<'_, V>,
    ) -> runtime::Counts {
        <Self as runtime::Build<C, V>>::update(self, batch, change)
    }

    fn audit_with(
        &self,
        value: &mut dyn FnMut(&V) -> Result<(), runtime::AuditError>,
    ) -> Result<(), runtime::AuditError> {
        runtime::audit(
            "btree_root",
            true,
            |report| nodes::BtreeRoot::describe(
                runtime::NodeRef::of(&self.root),
                report,
            ),
            value,
        )
    }

    fn footprint_with(
        &self,
        value: &mut dyn FnMut(&V) -> runtime::Footprint,
    ) -> runtime::Footprint {
        runtime::footprint(
            |report| nodes::BtreeRoot::describe(
                runtime::NodeRef::of(&self.root),
                report,
            ),
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for Btree<V, C> {
    type Output = Btree<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> Btree<U, C> {
        let from = runtime::NodeRef::of(&self.root);
        let mut root = nodes::BtreeRoot::like(from, &mut Vec::new(), &mut f);
        let fields = nodes::BtreeRoot::fields(runtime::NodeMut::of(&mut root));
        if let Some(child) = nodes::BtreeRoot::r(from) {
            copy_structure(Copying::Btree(child, fields.r), &mut f);
        }
        Btree { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    Btree(
        runtime::NodeRef<'a, nodes::Btree<V, C>>,
        *mut runtime::Link<nodes::Btree<U, C>>,
    ),
}

/// Copies a node and everything below it, with the values that `f` makes of the old ones.
fn copy_structure<V: runtime::Value, C: runtime::Coord, U: runtime::Value>(
    first: Copying<'_, V, C, U>,
    f: &mut impl FnMut(C, &V) -> U,
) {
    let mut work = vec![first];
    let mut scratch = Vec::new();
    while let Some(next) = work.pop() {
        match next {
            Copying::Btree(from, slot) => {
                match nodes::Btree::kind(from) {
                    nodes::BtreeKind::BtreeInternal(from) => {
                        let mut copy = nodes::BtreeInternal::like(from, &mut scratch, f);
                        let fields = nodes::BtreeInternal::fields(copy.edit());
                        if let Some(child) = nodes::BtreeInternal::cl(from) {
                            work.push(Copying::Btree(child, fields.cl));
                        }
                        for (child, slot) in nodes::BtreeInternal::c(from)
                            .iter()
                            .zip(fields.c)
                            .rev()
                        {
                            if let Some(child) = runtime::follow(child) {
                                work.push(Copying::Btree(child, slot));
                            }
                        }
                        // SAFETY: the slot is a link of a node that was copied before and that only the copy
                        // under construction reaches
                        unsafe {
                            *slot = Some(nodes::BtreeInternal::upcast(copy.finish()))
                        };
                    }
                    nodes::BtreeKind::BtreeLeaf(from) => {
                        let copy = nodes::BtreeLeaf::like(from, &mut scratch, f);
                        // SAFETY: the slot is a link of a node that was copied before and that only the copy
                        // under construction reaches
                        unsafe { *slot = Some(nodes::BtreeLeaf::upcast(copy.finish())) };
                    }
                }
            }
        }
    }
}

/// The nodes of the store `btree`.
///
/// ```text
/// // A B-tree: between any two neighbouring children of an internal node lies one element.
/// store btree<B = 32, L = 64> {
///   def supertype btree
///
///   def btree_internal : btree {
///     e : elem[n] nonempty
///     c : btree[n] nonempty
///     // The last child: there is one more of them than there are elements.
///     cl : btree nonempty
///     n : size in [1, B]
///     seq = {c, e}, cl
///   }
///
///   def btree_leaf : btree {
///     e : elem[n] nonempty
///     n : size in [1, L]
///     seq = {e}
///   }
///
///   def btree_root {
///     r : btree
///   }
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// What all kinds of `btree` have in common.
    #[repr(C)]
    pub struct Btree<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        node_tag: u8,
        node_type: ::std::marker::PhantomData<(V, C)>,
    }

    /// A node as its subtype.
    pub enum BtreeKind<'a, V: runtime::Value, C: runtime::Coord> {
        /// A `btree_internal`.
        BtreeInternal(runtime::NodeRef<'a, BtreeInternal<V, C>>),
        /// A `btree_leaf`.
        BtreeLeaf(runtime::NodeRef<'a, BtreeLeaf<V, C>>),
    }

    /// A node as its subtype, for writing.
    pub enum BtreeKindMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// A `btree_internal`.
        BtreeInternal(runtime::NodeMut<'a, BtreeInternal<V, C>>),
        /// A `btree_leaf`.
        BtreeLeaf(runtime::NodeMut<'a, BtreeLeaf<V, C>>),
    }

    impl<V: runtime::Value, C: runtime::Coord> Btree<V, C> {
        /// The node as its subtype, for writing.
        #[inline(always)]
        pub fn kind_mut<'a>(node: runtime::NodeMut<'a, Self>) -> BtreeKindMut<'a, V, C> {
            match node.node().get().node_tag {
                0u8 => {
                    // SAFETY: the tag says which subtype the node is
                    BtreeKindMut::BtreeInternal(unsafe { node.cast() })
                }
                _ => {
                    // SAFETY: the tag says which subtype the node is
                    BtreeKindMut::BtreeLeaf(unsafe { node.cast() })
                }
            }
        }

        /// The node as its subtype.
        #[inline(always)]
        pub fn kind<'a>(node: runtime::NodeRef<'a, Self>) -> BtreeKind<'a, V, C> {
            match node.get().node_tag {
                0u8 => {
                    // SAFETY: the tag says which subtype the node is
                    BtreeKind::BtreeInternal(unsafe { node.cast() })
                }
                _ => {
                    // SAFETY: the tag says which subtype the node is
                    BtreeKind::BtreeLeaf(unsafe { node.cast() })
                }
            }
        }
    }

    // SAFETY: every subtype starts with the fields of this type, and its tag tells which one's code to run
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Btree<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            match node.get().node_tag {
                0u8 => {
                    // SAFETY: the tag says which subtype the node is
                    runtime::Node::layout(unsafe { node.cast::<BtreeInternal<V, C>>() })
                }
                _ => {
                    // SAFETY: the tag says which subtype the node is
                    runtime::Node::layout(unsafe { node.cast::<BtreeLeaf<V, C>>() })
                }
            }
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            match node.get().node_tag {
                0u8 => {
                    // SAFETY: the tag says which subtype the node is
                    let copy = BtreeInternal::<
                        V,
                        C,
                    >::upcast(
                        runtime::Node::copy(unsafe {
                                node.cast::<BtreeInternal<V, C>>()
                            })
                            .finish(),
                    );
                    runtime::Reserved::from_unique(copy)
                }
                _ => {
                    // SAFETY: the tag says which subtype the node is
                    let copy = BtreeLeaf::<
                        V,
                        C,
                    >::upcast(
                        runtime::Node::copy(unsafe { node.cast::<BtreeLeaf<V, C>>() })
                            .finish(),
                    );
                    runtime::Reserved::from_unique(copy)
                }
            }
        }

        unsafe fn destroy(
            node: ::std::ptr::NonNull<Self>,
            dead: &mut runtime::Graveyard,
        ) {
            // SAFETY: the caller's promise; the tag says which subtype the node is
            unsafe {
                match (*node.as_ptr()).node_tag {
                    0u8 => {
                        <BtreeInternal<
                            V,
                            C,
                        > as runtime::Node>::destroy(node.cast(), dead);
                    }
                    _ => {
                        <BtreeLeaf<V, C> as runtime::Node>::destroy(node.cast(), dead);
                    }
                }
            }
        }

        fn inspect<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            match node.get().node_tag {
                0u8 => {
                    // SAFETY: the tag says which subtype the node is
                    runtime::Node::inspect(
                        unsafe { node.cast::<BtreeInternal<V, C>>() },
                        report,
                    )
                }
                _ => {
                    // SAFETY: the tag says which subtype the node is
                    runtime::Node::inspect(
                        unsafe { node.cast::<BtreeLeaf<V, C>>() },
                        report,
                    )
                }
            }
        }
    }

    /// A node `btree_internal`.
    ///
    /// `seq = {c, e}, cl`
    #[repr(C)]
    pub struct BtreeInternal<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        node_tag: u8,
        n: u8,
        cl: runtime::Link<Btree<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `btree_internal`, for writing.
    pub struct BtreeInternalMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The values of `e`.
        pub e: &'a mut [V],
        /// The links `c`.
        pub c: &'a mut [runtime::Link<Btree<V, C>>],
        /// The link `cl`.
        pub cl: &'a mut runtime::Link<Btree<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeInternal<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(
            node: runtime::NodeMut<'a, Self>,
        ) -> BtreeInternalMut<'a, V, C> {
            let ptr = node.into_raw();
            let node = ptr.as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                let [c_at, _, e_values_at, _] = Self::offsets((*node).n as usize);
                BtreeInternalMut {
                    e: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, V>(ptr, e_values_at),
                        (*node).n as usize,
                    ),
                    c: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, runtime::Link<Btree<V, C>>>(ptr, c_at),
                        (*node).n as usize,
                    ),
                    cl: &mut (*node).cl,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeInternal<V, C> {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(n: usize) -> [usize; 4] {
            let c_at = runtime::align_up::<
                runtime::Link<Btree<V, C>>,
            >(::std::mem::size_of::<Self>());
            let e_coords_at = runtime::align_up::<
                C,
            >(c_at + n * ::std::mem::size_of::<runtime::Link<Btree<V, C>>>());
            let e_values_at = runtime::align_up::<
                V,
            >(e_coords_at + n * ::std::mem::size_of::<C>());
            [
                c_at,
                e_coords_at,
                e_values_at,
                e_values_at + n * ::std::mem::size_of::<V>(),
            ]
        }

        /// A new `btree_internal` that holds the given elements; its links are empty.
        ///
        /// # Panics
        ///
        /// If a length is not one that the schema allows.
        #[inline]
        pub fn reserve(e: runtime::Elements<'_, C, V>) -> runtime::Reserved<Self> {
            let n = e.len();
            assert!((1..= super::B).contains(& n), "a node's `n` must lie in [1, 3]");
            runtime::assert_fits(
                &[
                    (n, ::std::mem::size_of::<runtime::Link<Btree<V, C>>>()),
                    (n, ::std::mem::size_of::<C>()),
                    (n, ::std::mem::size_of::<V>()),
                ],
            );
            let [c_at, e_coords_at, e_values_at, end] = Self::offsets(n);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end))
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(BtreeInternal {
                        node_count: runtime::Count::one(),
                        node_tag: 0u8,
                        n: n as u8,
                        cl: None,
                        node_tail: runtime::Tail::new(),
                    });
                for slot in 0..n {
                    runtime::tail_ptr::<_, runtime::Link<Btree<V, C>>>(memory, c_at)
                        .add(slot)
                        .write(None);
                }
                e.write_to(
                    runtime::tail_ptr::<_, C>(memory, e_coords_at),
                    runtime::tail_ptr::<_, V>(memory, e_values_at),
                );
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeInternal<V, C> {
        /// The elements of `e`.
        #[inline(always)]
        pub fn e<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let fields = node.get();
            let [_, e_coords_at, e_values_at, _] = Self::offsets(fields.n as usize);
            let slots = fields.n as usize;
            // SAFETY: the node has this array, initialised when the node was made
            unsafe {
                runtime::Run::new(
                    runtime::tail_slice(node, e_coords_at, slots),
                    runtime::tail_slice(node, e_values_at, slots),
                )
            }
        }

        /// The children `c`.
        #[inline(always)]
        pub fn c<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a [runtime::Link<Btree<V, C>>] {
            let fields = node.get();
            let [c_at, _, _, _] = Self::offsets(fields.n as usize);
            let slots = fields.n as usize;
            // SAFETY: the node has this array, initialised when the node was made
            unsafe { runtime::tail_slice(node, c_at, slots) }
        }

        /// The child `cl`.
        #[inline(always)]
        pub fn cl<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Btree<V, C>>> {
            runtime::follow(&node.get().cl)
        }

        /// The link `cl`: a clone of it shares the child.
        #[inline(always)]
        pub fn cl_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Btree<V, C>> {
            &node.get().cl
        }

        /// The size `n`.
        #[inline(always)]
        pub fn n(node: runtime::NodeRef<'_, Self>) -> usize {
            node.get().n as usize
        }

        /// The node as a `Btree`.
        #[inline(always)]
        pub fn upcast(node: runtime::Ref<Self>) -> runtime::Ref<Btree<V, C>> {
            // SAFETY: a subtype's fields start with those of its supertype, and its tag says which subtype it is
            unsafe { runtime::Ref::from_raw(node.into_raw().cast()) }
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node
    for BtreeInternal<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let node = node.get();
            let [_, _, _, end] = Self::offsets(node.n as usize);
            runtime::tail_layout::<Self>(end)
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            let mut copy = Self::like(
                node,
                &mut Vec::new(),
                &mut |_, value: &V| value.clone(),
            );
            let fields = Self::fields(copy.edit());
            fields.c.clone_from_slice(Self::c(node));
            *fields.cl = node.get().cl.clone();
            copy
        }

        unsafe fn destroy(
            node: ::std::ptr::NonNull<Self>,
            dead: &mut runtime::Graveyard,
        ) {
            let ptr = node.as_ptr();
            // SAFETY: nobody else reaches the node; its links are taken, its values dropped once, its memory
            // freed last
            unsafe {
                let layout = <Self as runtime::Node>::layout(
                    runtime::NodeRef::from_raw(node),
                );
                let [c_at, _, e_values_at, _] = Self::offsets((*ptr).n as usize);
                dead.bury((*ptr).cl.take());
                for slot in 0..(*ptr).n as usize {
                    let child = runtime::tail_ptr::<
                        _,
                        runtime::Link<Btree<V, C>>,
                    >(node, c_at)
                        .add(slot);
                    dead.bury((*child).take());
                }
                if ::std::mem::needs_drop::<V>() {
                    ::std::ptr::drop_in_place(
                        ::std::ptr::slice_from_raw_parts_mut(
                            runtime::tail_ptr::<_, V>(node, e_values_at),
                            (*ptr).n as usize,
                        ),
                    );
                }
                runtime::pool::deallocate(node.cast(), layout);
            }
        }

        fn inspect<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.allocation(<Self as runtime::Node>::layout(node));
            report
                .check(
                    "n",
                    (1..=super::B).contains(&Self::n(node)),
                    || format!("is {}, but must lie in [1, 3]", Self::n(node)),
                );
            let longest = [Self::c(node).len(), Self::e(node).len()]
                .into_iter()
                .max()
                .unwrap_or(0);
            for slot in 0..longest {
                if let Some(link) = Self::c(node).get(slot) {
                    report.child("c", Some(slot), link, true);
                }
                let run = Self::e(node);
                if slot < run.len() {
                    report
                        .elements(
                            "e",
                            Some(slot),
                            &run.coords()[slot..=slot],
                            &run.values()[slot..=slot],
                            true,
                        );
                }
            }
            report.child("cl", None, &node.get().cl, true);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeInternal<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<BtreeInternal<U, C>> {
            let run = Self::e(node);
            let e_coords = run.coords();
            scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));
            BtreeInternal::<U, C>::reserve(runtime::Elements::drain(e_coords, scratch))
        }
    }

    /// A node `btree_leaf`.
    ///
    /// `seq = {e}`
    #[repr(C)]
    pub struct BtreeLeaf<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        node_tag: u8,
        n: u8,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `btree_leaf`, for writing.
    pub struct BtreeLeafMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The values of `e`.
        pub e: &'a mut [V],
        node_type: ::std::marker::PhantomData<&'a (V, C)>,
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeLeaf<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> BtreeLeafMut<'a, V, C> {
            let ptr = node.into_raw();
            let node = ptr.as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                let [_, e_values_at, _] = Self::offsets((*node).n as usize);
                BtreeLeafMut {
                    e: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, V>(ptr, e_values_at),
                        (*node).n as usize,
                    ),
                    node_type: ::std::marker::PhantomData,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeLeaf<V, C> {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(n: usize) -> [usize; 3] {
            let e_coords_at = runtime::align_up::<C>(::std::mem::size_of::<Self>());
            let e_values_at = runtime::align_up::<
                V,
            >(e_coords_at + n * ::std::mem::size_of::<C>());
            [e_coords_at, e_values_at, e_values_at + n * ::std::mem::size_of::<V>()]
        }

        /// A new `btree_leaf` that holds the given elements; its links are empty.
        ///
        /// # Panics
        ///
        /// If a length is not one that the schema allows.
        #[inline]
        pub fn reserve(e: runtime::Elements<'_, C, V>) -> runtime::Reserved<Self> {
            let n = e.len();
            assert!((1..= super::L).contains(& n), "a node's `n` must lie in [1, 3]");
            runtime::assert_fits(
                &[(n, ::std::mem::size_of::<C>()), (n, ::std::mem::size_of::<V>())],
            );
            let [e_coords_at, e_values_at, end] = Self::offsets(n);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end))
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(BtreeLeaf {
                        node_count: runtime::Count::one(),
                        node_tag: 1u8,
                        n: n as u8,
                        node_tail: runtime::Tail::new(),
                    });
                e.write_to(
                    runtime::tail_ptr::<_, C>(memory, e_coords_at),
                    runtime::tail_ptr::<_, V>(memory, e_values_at),
                );
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeLeaf<V, C> {
        /// The elements of `e`.
        #[inline(always)]
        pub fn e<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let fields = node.get();
            let [e_coords_at, e_values_at, _] = Self::offsets(fields.n as usize);
            let slots = fields.n as usize;
            // SAFETY: the node has this array, initialised when the node was made
            unsafe {
                runtime::Run::new(
                    runtime::tail_slice(node, e_coords_at, slots),
                    runtime::tail_slice(node, e_values_at, slots),
                )
            }
        }

        /// The size `n`.
        #[inline(always)]
        pub fn n(node: runtime::NodeRef<'_, Self>) -> usize {
            node.get().n as usize
        }

        /// The node as a `Btree`.
        #[inline(always)]
        pub fn upcast(node: runtime::Ref<Self>) -> runtime::Ref<Btree<V, C>> {
            // SAFETY: a subtype's fields start with those of its supertype, and its tag says which subtype it is
            unsafe { runtime::Ref::from_raw(node.into_raw().cast()) }
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for BtreeLeaf<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let node = node.get();
            let [_, _, end] = Self::offsets(node.n as usize);
            runtime::tail_layout::<Self>(end)
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            Self::like(node, &mut Vec::new(), &mut |_, value: &V| value.clone())
        }

        unsafe fn destroy(
            node: ::std::ptr::NonNull<Self>,
            _dead: &mut runtime::Graveyard,
        ) {
            let ptr = node.as_ptr();
            // SAFETY: nobody else reaches the node; its links are taken, its values dropped once, its memory
            // freed last
            unsafe {
                let layout = <Self as runtime::Node>::layout(
                    runtime::NodeRef::from_raw(node),
                );
                let [_, e_values_at, _] = Self::offsets((*ptr).n as usize);
                if ::std::mem::needs_drop::<V>() {
                    ::std::ptr::drop_in_place(
                        ::std::ptr::slice_from_raw_parts_mut(
                            runtime::tail_ptr::<_, V>(node, e_values_at),
                            (*ptr).n as usize,
                        ),
                    );
                }
                runtime::pool::deallocate(node.cast(), layout);
            }
        }

        fn inspect<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.allocation(<Self as runtime::Node>::layout(node));
            report
                .check(
                    "n",
                    (1..=super::L).contains(&Self::n(node)),
                    || format!("is {}, but must lie in [1, 3]", Self::n(node)),
                );
            let run = Self::e(node);
            report.elements("e", None, run.coords(), run.values(), true);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeLeaf<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<BtreeLeaf<U, C>> {
            let run = Self::e(node);
            let e_coords = run.coords();
            scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));
            BtreeLeaf::<U, C>::reserve(runtime::Elements::drain(e_coords, scratch))
        }
    }

    /// A node `btree_root`.
    #[repr(C)]
    pub struct BtreeRoot<V: runtime::Value, C: runtime::Coord = u32> {
        r: runtime::Link<Btree<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `btree_root`, for writing.
    pub struct BtreeRootMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The link `r`.
        pub r: &'a mut runtime::Link<Btree<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeRoot<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> BtreeRootMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe { BtreeRootMut { r: &mut (*node).r } }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeRoot<V, C> {
        /// A handle whose links are empty.
        pub fn new() -> Self {
            BtreeRoot {
                r: None,
                node_tail: runtime::Tail::new(),
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeRoot<V, C> {
        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Btree<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Btree<V, C>> {
            &node.get().r
        }
    }

    // SAFETY: the type has no arrays behind its fields
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat for BtreeRoot<V, C> {}

    impl<V: runtime::Value, C: runtime::Coord> Default for BtreeRoot<V, C> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeRoot<V, C> {
        /// Reports the fields.
        pub(super) fn describe<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.child("r", None, &node.get().r, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Clone for BtreeRoot<V, C> {
        fn clone(&self) -> Self {
            let mut copy = Self::new();
            copy.r = self.r.clone();
            copy
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> BtreeRoot<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            _node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            _f: &mut impl FnMut(C, &V) -> U,
        ) -> BtreeRoot<U, C> {
            BtreeRoot::<U, C>::new()
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < BtreeInternal < f64, u32 >> () == 16 &&
            ::std::mem::align_of:: < BtreeInternal < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeInternal < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(BtreeInternal < f64, u32 >, node_tag) == 4);
        assert!(::std::mem::offset_of!(BtreeInternal < f64, u32 >, n) == 5);
        assert!(::std::mem::offset_of!(BtreeInternal < f64, u32 >, cl) == 8);
        let offsets = BtreeInternal::<f64, u32>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 40);
        assert!(offsets[2] == 56);
        assert!(offsets[3] == 80);
        assert!(
            ::std::mem::size_of:: < BtreeLeaf < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < BtreeLeaf < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeLeaf < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(BtreeLeaf < f64, u32 >, node_tag) == 4);
        assert!(::std::mem::offset_of!(BtreeLeaf < f64, u32 >, n) == 5);
        let offsets = BtreeLeaf::<f64, u32>::offsets(3);
        assert!(offsets[0] == 8);
        assert!(offsets[1] == 24);
        assert!(offsets[2] == 48);
        assert!(
            ::std::mem::size_of:: < BtreeRoot < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < BtreeRoot < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeRoot < f64, u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < BtreeInternal < (), u32 >> () == 16 &&
            ::std::mem::align_of:: < BtreeInternal < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeInternal < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(BtreeInternal < (), u32 >, node_tag) == 4);
        assert!(::std::mem::offset_of!(BtreeInternal < (), u32 >, n) == 5);
        assert!(::std::mem::offset_of!(BtreeInternal < (), u32 >, cl) == 8);
        let offsets = BtreeInternal::<(), u32>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 40);
        assert!(offsets[2] == 52);
        assert!(offsets[3] == 52);
        assert!(
            ::std::mem::size_of:: < BtreeLeaf < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < BtreeLeaf < (), u32 >> () == 4
        );
        assert!(::std::mem::offset_of!(BtreeLeaf < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(BtreeLeaf < (), u32 >, node_tag) == 4);
        assert!(::std::mem::offset_of!(BtreeLeaf < (), u32 >, n) == 5);
        let offsets = BtreeLeaf::<(), u32>::offsets(3);
        assert!(offsets[0] == 8);
        assert!(offsets[1] == 20);
        assert!(offsets[2] == 20);
        assert!(
            ::std::mem::size_of:: < BtreeRoot < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < BtreeRoot < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeRoot < (), u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < BtreeInternal < f32, u64 >> () == 16 &&
            ::std::mem::align_of:: < BtreeInternal < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeInternal < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(BtreeInternal < f32, u64 >, node_tag) == 4);
        assert!(::std::mem::offset_of!(BtreeInternal < f32, u64 >, n) == 5);
        assert!(::std::mem::offset_of!(BtreeInternal < f32, u64 >, cl) == 8);
        let offsets = BtreeInternal::<f32, u64>::offsets(3);
        assert!(offsets[0] == 16);
        assert!(offsets[1] == 40);
        assert!(offsets[2] == 64);
        assert!(offsets[3] == 76);
        assert!(
            ::std::mem::size_of:: < BtreeLeaf < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < BtreeLeaf < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeLeaf < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(BtreeLeaf < f32, u64 >, node_tag) == 4);
        assert!(::std::mem::offset_of!(BtreeLeaf < f32, u64 >, n) == 5);
        let offsets = BtreeLeaf::<f32, u64>::offsets(3);
        assert!(offsets[0] == 8);
        assert!(offsets[1] == 32);
        assert!(offsets[2] == 44);
        assert!(
            ::std::mem::size_of:: < BtreeRoot < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < BtreeRoot < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(BtreeRoot < f32, u64 >, r) == 0);
    };
}
