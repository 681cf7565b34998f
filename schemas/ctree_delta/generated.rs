use ::pleach_runtime as runtime;

/// The store `ctree_delta`.
///
/// The handle of a store `ctree_delta`. Cloning it shares all nodes.
pub struct CtreeDelta<V: runtime::Value, C: runtime::Coord = u32> {
    root: runtime::Link<nodes::Prefix<V, C>>,
}

impl<V: runtime::Value, C: runtime::Coord> CtreeDelta<V, C> {
    /// A store with the given root.
    pub fn new(root: runtime::Link<nodes::Prefix<V, C>>) -> Self {
        Self { root }
    }

    /// The root; none if the store is empty.
    pub fn root(&self) -> Option<runtime::NodeRef<'_, nodes::Prefix<V, C>>> {
        runtime::follow(&self.root)
    }

    /// The link to the root.
    pub fn root_mut(&mut self) -> &mut runtime::Link<nodes::Prefix<V, C>> {
        &mut self.root
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for CtreeDelta<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for CtreeDelta<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: None }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for CtreeDelta<V, C> {
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
    handle: Option<runtime::NodeRef<'a, nodes::Prefix<V, C>>>,
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
        let Some(handle) = self.handle else { return 0 };
        let mut len = 0;
        let mut stack = runtime::Stack::<_, 32>::new();
        let mut step = LenStep::Start(handle);
        'walk: loop {
            'visit: {
                match step {
                    LenStep::Start(p) => {
                        // {e}
                        len += nodes::Prefix::e(p).len();
                        // r
                        if let Some(r) = nodes::Prefix::r(p) {
                            step = LenStep::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    LenStep::EnterCtree(mut n) => {
                        'l3: loop {
                            // h
                            len += nodes::Ctree::h(n).len();
                            // {t}
                            len += nodes::Ctree::t(n).len();
                            // l
                            if let Some(l) = nodes::Ctree::l(n) {
                                if let Some(r) = nodes::Ctree::r(n) {
                                    stack.push(r);
                                }
                                n = l;
                                continue 'l3;
                            }
                            step = LenStep::AfterL(n);
                            continue 'walk;
                        }
                    }
                    LenStep::AfterL(n) => {
                        // r
                        if let Some(r) = nodes::Ctree::r(n) {
                            step = LenStep::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                }
            }
            match stack.pop() {
                Some(next) => step = LenStep::EnterCtree(next),
                None => {
                    return len;
                }
            }
        }
    }

    #[inline(always)]
    fn runs(self) -> Runs<'a, V, C> {
        Runs {
            step: match self.handle {
                Some(handle) => Step::Start(handle),
                None => Step::End,
            },
            stack: runtime::Stack::new(),
            blocks: runtime::CodedRuns::empty(),
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
        let Some(handle) = self.handle else {
            return ::std::ops::ControlFlow::Continue(folded)
        };
        let mut stack = runtime::Stack::<_, 32>::new();
        let mut step = FoldStep::Start(handle);
        'walk: loop {
            'visit: {
                match step {
                    FoldStep::Start(p) => {
                        // {e}
                        folded = runtime::Fiber::try_fold_runs(
                            nodes::Prefix::e(p),
                            folded,
                            &mut visit,
                        )?;
                        // r
                        if let Some(r) = nodes::Prefix::r(p) {
                            step = FoldStep::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    FoldStep::EnterCtree(mut n) => {
                        // l
                        while let Some(l) = nodes::Ctree::l(n) {
                            stack.push(n);
                            n = l;
                        }
                        step = FoldStep::AfterL(n);
                        continue 'walk;
                    }
                    FoldStep::AfterL(n) => {
                        // h
                        folded = visit(folded, nodes::Ctree::h(n))?;
                        // {t}
                        folded = runtime::Fiber::try_fold_runs(
                            nodes::Ctree::t(n),
                            folded,
                            &mut visit,
                        )?;
                        // r
                        if let Some(r) = nodes::Ctree::r(n) {
                            step = FoldStep::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                }
            }
            match stack.pop() {
                Some(next) => step = FoldStep::AfterL(next),
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
        let Some(handle) = self.handle else {
            return ::std::ops::ControlFlow::Continue(folded)
        };
        let mut stack = runtime::Stack::<_, 32>::new();
        let mut step = StorageStep::Start(handle);
        'walk: loop {
            'visit: {
                match step {
                    StorageStep::Start(p) => {
                        // {e}
                        folded = runtime::Fiber::try_fold_runs(
                            nodes::Prefix::e(p),
                            folded,
                            &mut visit,
                        )?;
                        // r
                        if let Some(r) = nodes::Prefix::r(p) {
                            step = StorageStep::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    StorageStep::EnterCtree(mut n) => {
                        'l3: loop {
                            // h
                            folded = visit(folded, nodes::Ctree::h(n))?;
                            // {t}
                            folded = runtime::Fiber::try_fold_runs(
                                nodes::Ctree::t(n),
                                folded,
                                &mut visit,
                            )?;
                            // l
                            if let Some(l) = nodes::Ctree::l(n) {
                                if let Some(r) = nodes::Ctree::r(n) {
                                    stack.push(r);
                                }
                                n = l;
                                continue 'l3;
                            }
                            step = StorageStep::AfterL(n);
                            continue 'walk;
                        }
                    }
                    StorageStep::AfterL(n) => {
                        // r
                        if let Some(r) = nodes::Ctree::r(n) {
                            step = StorageStep::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                }
            }
            match stack.pop() {
                Some(next) => step = StorageStep::EnterCtree(next),
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
        let Some(handle) = self.handle else { return identity() };
        par_prefix(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::Prefix(self.handle?);
        let mut within: Option<runtime::CodedView<'a, C, V>> = None;
        loop {
            match place {
                Place::Prefix(n) => {
                    // {e}
                    let coded = nodes::Prefix::e(n);
                    match coded.coords().first() {
                        Some(first) if coord < first => break,
                        Some(_) => within = Some(coded),
                        None => {}
                    }
                    // r
                    match nodes::Prefix::r(n) {
                        Some(child) => {
                            place = Place::Ctree(child);
                            continue;
                        }
                        None => break,
                    }
                }
                Place::Ctree(n) => {
                    // h
                    match nodes::Ctree::h(n).search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        runtime::Search::Before => {
                            match nodes::Ctree::l(n) {
                                Some(child) => {
                                    place = Place::Ctree(child);
                                    continue;
                                }
                                None => break,
                            }
                        }
                        runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    }
                    // {t}
                    within = Some(nodes::Ctree::t(n));
                    // r
                    match nodes::Ctree::r(n) {
                        Some(child) => {
                            place = Place::Ctree(child);
                            continue;
                        }
                        None => break,
                    }
                }
            }
        }
        runtime::Fiber::locate(within?, coord)
    }
}

/// The resumable iterator over the runs, derived from `seq = l, h, {t}, r` and `seq = {e}, r`.
pub struct Runs<'a, V: runtime::Value, C: runtime::Coord = u32> {
    step: Step<'a, V, C>,
    stack: runtime::Stack<runtime::NodeRef<'a, nodes::Ctree<V, C>>, 16>,
    blocks: runtime::CodedRuns<'a, C, V>,
    current: runtime::Run<'a, 'a, C, V>,
}

impl<'a, V: runtime::Value, C: runtime::Coord> runtime::Runs<'a> for Runs<'a, V, C> {
    type Coord = C;
    type Value = V;

    #[inline]
    fn advance(&mut self) -> bool {
        if runtime::Runs::advance(&mut self.blocks) {
            return true;
        }
        let mut step = self.step;
        'walk: loop {
            'visit: {
                match step {
                    Step::Start(p) => {
                        if !nodes::Prefix::e(p).is_empty() {
                            // {e}
                            self.current = runtime::Run::empty();
                            self.blocks.restart(nodes::Prefix::e(p));
                            self.step = Step::AfterE(p);
                            return runtime::Runs::advance(&mut self.blocks);
                        }
                        step = Step::AfterE(p);
                        continue 'walk;
                    }
                    Step::AfterE(p) => {
                        // r
                        if let Some(r) = nodes::Prefix::r(p) {
                            step = Step::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    Step::EnterCtree(mut n) => {
                        // l
                        while let Some(l) = nodes::Ctree::l(n) {
                            self.stack.push(n);
                            n = l;
                        }
                        step = Step::AfterL(n);
                        continue 'walk;
                    }
                    Step::AfterL(n) => {
                        // h
                        self.current = nodes::Ctree::h(n);
                        self.step = Step::AfterH(n);
                        return true;
                    }
                    Step::AfterH(n) => {
                        if !nodes::Ctree::t(n).is_empty() {
                            // {t}
                            self.current = runtime::Run::empty();
                            self.blocks.restart(nodes::Ctree::t(n));
                            self.step = Step::AfterT(n);
                            return runtime::Runs::advance(&mut self.blocks);
                        }
                        step = Step::AfterT(n);
                        continue 'walk;
                    }
                    Step::AfterT(n) => {
                        // r
                        if let Some(r) = nodes::Ctree::r(n) {
                            step = Step::EnterCtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    Step::End => return false,
                }
            }
            match self.stack.pop() {
                Some(next) => step = Step::AfterL(next),
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
        if self.current.is_empty() {
            runtime::Runs::run(&self.blocks)
        } else {
            self.current
        }
    }
}

/// Where the iterator goes on.
enum Step<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::Prefix<V, C>>),
    AfterE(runtime::NodeRef<'a, nodes::Prefix<V, C>>),
    EnterCtree(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterH(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterT(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
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
    Start(runtime::NodeRef<'a, nodes::Prefix<V, C>>),
    EnterCtree(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
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
    Start(runtime::NodeRef<'a, nodes::Prefix<V, C>>),
    EnterCtree(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for StorageStep<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for StorageStep<'_, V, C> {}

/// Where counting goes on.
enum LenStep<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::Prefix<V, C>>),
    EnterCtree(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for LenStep<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for LenStep<'_, V, C> {}

/// A node in which a coordinate is looked for.
enum Place<'a, V: runtime::Value, C: runtime::Coord> {
    Prefix(runtime::NodeRef<'a, nodes::Prefix<V, C>>),
    Ctree(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
}

/// Maps over a `ctree` and everything below it in parallel.
fn par_ctree<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Ctree<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    if depth == 0 {
        return fold_ctree(n, identity(), fold);
    }
    let (left, right) = runtime::join(
        || {
            // l
            match nodes::Ctree::l(n) {
                Some(child) => par_ctree(child, depth - 1, identity, fold, combine),
                None => identity(),
            }
        },
        || {
            let mut folded = identity();
            // h, {t}
            folded = fold(folded, nodes::Ctree::h(n));
            folded = runtime::Fiber::fold_runs(nodes::Ctree::t(n), folded, fold);
            combine(
                folded,
                {
                    // r
                    match nodes::Ctree::r(n) {
                        Some(child) => {
                            par_ctree(child, depth - 1, identity, fold, combine)
                        }
                        None => identity(),
                    }
                },
            )
        },
    );
    combine(left, right)
}

/// Where a fold over a `ctree` goes on.
enum FoldCtree<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldCtree<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldCtree<'_, V, C> {}

/// Folds over a `ctree` and everything below it.
fn fold_ctree<'a, V: runtime::Value, C: runtime::Coord, A>(
    n: runtime::NodeRef<'a, nodes::Ctree<V, C>>,
    mut folded: A,
    visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
) -> A {
    let mut stack = runtime::Stack::<_, 32>::new();
    let mut step = FoldCtree::Start(n);
    'walk: loop {
        'visit: {
            match step {
                FoldCtree::Start(mut c) => {
                    // l
                    while let Some(l) = nodes::Ctree::l(c) {
                        stack.push(c);
                        c = l;
                    }
                    step = FoldCtree::AfterL(c);
                    continue 'walk;
                }
                FoldCtree::AfterL(c) => {
                    // h
                    folded = visit(folded, nodes::Ctree::h(c));
                    // {t}
                    folded = runtime::Fiber::fold_runs(
                        nodes::Ctree::t(c),
                        folded,
                        visit,
                    );
                    // r
                    if let Some(r) = nodes::Ctree::r(c) {
                        step = FoldCtree::Start(r);
                        continue 'walk;
                    }
                    break 'visit;
                }
            }
        }
        match stack.pop() {
            Some(next) => step = FoldCtree::AfterL(next),
            None => {
                return folded;
            }
        }
    }
}

/// Maps over a `prefix` and everything below it in parallel.
fn par_prefix<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Prefix<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    if depth == 0 {
        return fold_prefix(n, identity(), fold);
    }
    let mut folded = identity();
    // {e}
    folded = runtime::Fiber::fold_runs(nodes::Prefix::e(n), folded, fold);
    combine(
        folded,
        {
            // r
            match nodes::Prefix::r(n) {
                Some(child) => par_ctree(child, depth - 1, identity, fold, combine),
                None => identity(),
            }
        },
    )
}

/// Where a fold over a `prefix` goes on.
enum FoldPrefix<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::Prefix<V, C>>),
    EnterCtree(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ctree<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldPrefix<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldPrefix<'_, V, C> {}

/// Folds over a `prefix` and everything below it.
fn fold_prefix<'a, V: runtime::Value, C: runtime::Coord, A>(
    n: runtime::NodeRef<'a, nodes::Prefix<V, C>>,
    mut folded: A,
    visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
) -> A {
    let mut stack = runtime::Stack::<_, 32>::new();
    let mut step = FoldPrefix::Start(n);
    'walk: loop {
        'visit: {
            match step {
                FoldPrefix::Start(p) => {
                    // {e}
                    folded = runtime::Fiber::fold_runs(
                        nodes::Prefix::e(p),
                        folded,
                        visit,
                    );
                    // r
                    if let Some(r) = nodes::Prefix::r(p) {
                        step = FoldPrefix::EnterCtree(r);
                        continue 'walk;
                    }
                    break 'visit;
                }
                FoldPrefix::EnterCtree(mut n) => {
                    // l
                    while let Some(l) = nodes::Ctree::l(n) {
                        stack.push(n);
                        n = l;
                    }
                    step = FoldPrefix::AfterL(n);
                    continue 'walk;
                }
                FoldPrefix::AfterL(n) => {
                    // h
                    folded = visit(folded, nodes::Ctree::h(n));
                    // {t}
                    folded = runtime::Fiber::fold_runs(
                        nodes::Ctree::t(n),
                        folded,
                        visit,
                    );
                    // r
                    if let Some(r) = nodes::Ctree::r(n) {
                        step = FoldPrefix::EnterCtree(r);
                        continue 'walk;
                    }
                    break 'visit;
                }
            }
        }
        match stack.pop() {
            Some(next) => step = FoldPrefix::AfterL(next),
            None => {
                return folded;
            }
        }
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for CtreeDelta<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "ctree_delta";
    const JOIN: Option<fn(Vec<Self>) -> Self> = <Self as runtime::Build<C, V>>::JOIN;

    #[inline]
    fn build_row(elements: runtime::Elements<'_, C, V>) -> Self {
        <Self as runtime::Build<C, V>>::build(elements)
    }

    #[inline(always)]
    fn fiber(&self) -> Fiber<'_, V, C> {
        Fiber {
            handle: runtime::follow(&self.root),
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
            "prefix",
            true,
            |report| {
                if let Some(root) = runtime::follow(&self.root) {
                    runtime::Node::inspect(root, report);
                }
            },
            value,
        )
    }

    fn footprint_with(
        &self,
        value: &mut dyn FnMut(&V) -> runtime::Footprint,
    ) -> runtime::Footprint {
        runtime::footprint(
            |report| {
                if let Some(root) = runtime::follow(&self.root) {
                    runtime::Node::inspect(root, report);
                }
            },
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for CtreeDelta<V, C> {
    type Output = CtreeDelta<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> CtreeDelta<U, C> {
        let mut root = None;
        if let Some(from) = runtime::follow(&self.root) {
            copy_structure(Copying::Prefix(from, &raw mut root), &mut f);
        }
        CtreeDelta { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    Prefix(
        runtime::NodeRef<'a, nodes::Prefix<V, C>>,
        *mut runtime::Link<nodes::Prefix<U, C>>,
    ),
    Ctree(
        runtime::NodeRef<'a, nodes::Ctree<V, C>>,
        *mut runtime::Link<nodes::Ctree<U, C>>,
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
            Copying::Prefix(from, slot) => {
                let mut copy = nodes::Prefix::like(from, &mut scratch, f);
                let fields = nodes::Prefix::fields(copy.edit());
                if let Some(child) = nodes::Prefix::r(from) {
                    work.push(Copying::Ctree(child, fields.r));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
            Copying::Ctree(from, slot) => {
                let mut copy = nodes::Ctree::like(from, &mut scratch, f);
                let fields = nodes::Ctree::fields(copy.edit());
                if let Some(child) = nodes::Ctree::r(from) {
                    work.push(Copying::Ctree(child, fields.r));
                }
                if let Some(child) = nodes::Ctree::l(from) {
                    work.push(Copying::Ctree(child, fields.l));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
        }
    }
}

/// The nodes of the store `ctree_delta`.
///
/// ```text
/// // A C-tree whose chunks are difference-coded: each coordinate is stored as its distance from the one before.
/// def ctree {
///   h : elem nonempty
///   t : elem[N] nonempty delta inline
///   l : ctree
///   r : ctree
///   N : size
///   seq = l, h, {t}, r
/// }
///
/// // The elements before the first head, and the tree.
/// def prefix {
///   e : elem[N] nonempty delta
///   r : ctree
///   N : size
///   seq = {e}, r
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// A C-tree whose chunks are difference-coded: each coordinate is stored as its distance from the one before.
    ///
    /// `seq = l, h, {t}, r`
    #[repr(C)]
    pub struct Ctree<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        n: u32,
        node_t_bytes: u32,
        h_coord: C,
        l: runtime::Link<Ctree<V, C>>,
        r: runtime::Link<Ctree<V, C>>,
        h_value: V,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `ctree`, for writing.
    pub struct CtreeMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The value of `h`.
        pub h: &'a mut V,
        /// The values of `t`.
        pub t: &'a mut [V],
        /// The link `l`.
        pub l: &'a mut runtime::Link<Ctree<V, C>>,
        /// The link `r`.
        pub r: &'a mut runtime::Link<Ctree<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> Ctree<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> CtreeMut<'a, V, C> {
            let ptr = node.into_raw();
            let node = ptr.as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                let [t_values_at, _, _] = Self::offsets(
                    (*node).n as usize,
                    (*node).node_t_bytes as usize,
                );
                CtreeMut {
                    h: &mut (*node).h_value,
                    t: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, V>(ptr, t_values_at),
                        (*node).n as usize,
                    ),
                    l: &mut (*node).l,
                    r: &mut (*node).r,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Ctree<V, C> {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(n: usize, node_t_bytes: usize) -> [usize; 3] {
            let t_values_at = runtime::align_up::<V>(::std::mem::size_of::<Self>());
            let t_coded_at = t_values_at + n * ::std::mem::size_of::<V>();
            [t_values_at, t_coded_at, t_coded_at + node_t_bytes]
        }

        /// A new `ctree` that holds the given elements; its links are empty.
        ///
        /// # Panics
        ///
        /// If a length is not one that the schema allows.
        #[inline]
        pub fn reserve(
            h: (C, V),
            t: runtime::Elements<'_, C, V>,
        ) -> runtime::Reserved<Self> {
            let n = t.len();
            assert!(n <= u32::MAX as usize, "a node's `n` must fit into 32 bits");
            let node_t_bytes = runtime::coded_len(t.coords(), Some(h.0));
            assert!(
                node_t_bytes <= u32::MAX as usize,
                "the coded coordinates of `t` must fit into 32 bits of bytes"
            );
            runtime::assert_fits(&[(n, ::std::mem::size_of::<V>()), (node_t_bytes, 1)]);
            let [t_values_at, t_coded_at, end] = Self::offsets(n, node_t_bytes);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end))
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(Ctree {
                        node_count: runtime::Count::one(),
                        n: n as u32,
                        node_t_bytes: node_t_bytes as u32,
                        l: None,
                        r: None,
                        h_coord: h.0,
                        h_value: h.1,
                        node_tail: runtime::Tail::new(),
                    });
                t.write_coded_to(
                    Some(h.0),
                    runtime::tail_ptr::<_, u8>(memory, t_coded_at),
                    node_t_bytes,
                    runtime::tail_ptr::<_, V>(memory, t_values_at),
                );
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Ctree<V, C> {
        /// The element `h`.
        #[inline(always)]
        pub fn h<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let node = node.get();
            runtime::Run::one(&node.h_coord, &node.h_value)
        }

        /// The elements of `t`, whose coordinates are difference-coded.
        #[inline(always)]
        pub fn t<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::CodedView<'a, C, V> {
            let fields = node.get();
            let [t_values_at, t_coded_at, _] = Self::offsets(
                fields.n as usize,
                fields.node_t_bytes as usize,
            );
            // SAFETY: the node has this array, initialised when the node was made
            let (coded, values) = unsafe {
                (
                    runtime::tail_slice(node, t_coded_at, fields.node_t_bytes as usize),
                    runtime::tail_slice(node, t_values_at, fields.n as usize),
                )
            };
            runtime::CodedView::new(coded, values, Some(fields.h_coord))
        }

        /// The child `l`.
        #[inline(always)]
        pub fn l<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Ctree<V, C>>> {
            runtime::follow(&node.get().l)
        }

        /// The link `l`: a clone of it shares the child.
        #[inline(always)]
        pub fn l_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Ctree<V, C>> {
            &node.get().l
        }

        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Ctree<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Ctree<V, C>> {
            &node.get().r
        }

        /// The size `n`.
        #[inline(always)]
        pub fn n(node: runtime::NodeRef<'_, Self>) -> usize {
            node.get().n as usize
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Ctree<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let node = node.get();
            let [_, _, end] = Self::offsets(node.n as usize, node.node_t_bytes as usize);
            runtime::tail_layout::<Self>(end)
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            let mut copy = Self::like(
                node,
                &mut Vec::new(),
                &mut |_, value: &V| value.clone(),
            );
            let fields = Self::fields(copy.edit());
            *fields.l = node.get().l.clone();
            *fields.r = node.get().r.clone();
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
                let [t_values_at, _, _] = Self::offsets(
                    (*ptr).n as usize,
                    (*ptr).node_t_bytes as usize,
                );
                dead.bury((*ptr).l.take());
                dead.bury((*ptr).r.take());
                if ::std::mem::needs_drop::<V>() {
                    ::std::ptr::drop_in_place(&raw mut (*ptr).h_value);
                    ::std::ptr::drop_in_place(
                        ::std::ptr::slice_from_raw_parts_mut(
                            runtime::tail_ptr::<_, V>(node, t_values_at),
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
            report.child("l", None, &node.get().l, false);
            let run = Self::h(node);
            report.elements("h", None, run.coords(), run.values(), true);
            report.coded("t", Self::t(node));
            report.child("r", None, &node.get().r, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Ctree<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<Ctree<U, C>> {
            let run = Self::h(node);
            let h = (run.coords()[0], f(run.coords()[0], &run.values()[0]));
            let t_coords = Self::t(node).decoded();
            let run = runtime::Run::new(&t_coords, Self::t(node).values());
            scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));
            Ctree::<U, C>::reserve(h, runtime::Elements::drain(&t_coords, scratch))
        }
    }

    /// The elements before the first head, and the tree.
    ///
    /// `seq = {e}, r`
    #[repr(C)]
    pub struct Prefix<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        n: u32,
        node_e_bytes: u32,
        r: runtime::Link<Ctree<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `prefix`, for writing.
    pub struct PrefixMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The values of `e`.
        pub e: &'a mut [V],
        /// The link `r`.
        pub r: &'a mut runtime::Link<Ctree<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> Prefix<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> PrefixMut<'a, V, C> {
            let ptr = node.into_raw();
            let node = ptr.as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                let [e_values_at, _, _] = Self::offsets(
                    (*node).n as usize,
                    (*node).node_e_bytes as usize,
                );
                PrefixMut {
                    e: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, V>(ptr, e_values_at),
                        (*node).n as usize,
                    ),
                    r: &mut (*node).r,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Prefix<V, C> {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(n: usize, node_e_bytes: usize) -> [usize; 3] {
            let e_values_at = runtime::align_up::<V>(::std::mem::size_of::<Self>());
            let e_coded_at = e_values_at + n * ::std::mem::size_of::<V>();
            [e_values_at, e_coded_at, e_coded_at + node_e_bytes]
        }

        /// A new `prefix` that holds the given elements; its links are empty.
        ///
        /// # Panics
        ///
        /// If a length is not one that the schema allows.
        #[inline]
        pub fn reserve(e: runtime::Elements<'_, C, V>) -> runtime::Reserved<Self> {
            let n = e.len();
            assert!(n <= u32::MAX as usize, "a node's `n` must fit into 32 bits");
            let node_e_bytes = runtime::coded_len(e.coords(), None);
            assert!(
                node_e_bytes <= u32::MAX as usize,
                "the coded coordinates of `e` must fit into 32 bits of bytes"
            );
            runtime::assert_fits(&[(n, ::std::mem::size_of::<V>()), (node_e_bytes, 1)]);
            let [e_values_at, e_coded_at, end] = Self::offsets(n, node_e_bytes);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end))
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(Prefix {
                        node_count: runtime::Count::one(),
                        n: n as u32,
                        node_e_bytes: node_e_bytes as u32,
                        r: None,
                        node_tail: runtime::Tail::new(),
                    });
                e.write_coded_to(
                    None,
                    runtime::tail_ptr::<_, u8>(memory, e_coded_at),
                    node_e_bytes,
                    runtime::tail_ptr::<_, V>(memory, e_values_at),
                );
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Prefix<V, C> {
        /// The elements of `e`, whose coordinates are difference-coded.
        #[inline(always)]
        pub fn e<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::CodedView<'a, C, V> {
            let fields = node.get();
            let [e_values_at, e_coded_at, _] = Self::offsets(
                fields.n as usize,
                fields.node_e_bytes as usize,
            );
            // SAFETY: the node has this array, initialised when the node was made
            let (coded, values) = unsafe {
                (
                    runtime::tail_slice(node, e_coded_at, fields.node_e_bytes as usize),
                    runtime::tail_slice(node, e_values_at, fields.n as usize),
                )
            };
            runtime::CodedView::new(coded, values, None)
        }

        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Ctree<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Ctree<V, C>> {
            &node.get().r
        }

        /// The size `n`.
        #[inline(always)]
        pub fn n(node: runtime::NodeRef<'_, Self>) -> usize {
            node.get().n as usize
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Prefix<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let node = node.get();
            let [_, _, end] = Self::offsets(node.n as usize, node.node_e_bytes as usize);
            runtime::tail_layout::<Self>(end)
        }

        fn copy(node: runtime::NodeRef<'_, Self>) -> runtime::Reserved<Self> {
            let mut copy = Self::like(
                node,
                &mut Vec::new(),
                &mut |_, value: &V| value.clone(),
            );
            let fields = Self::fields(copy.edit());
            *fields.r = node.get().r.clone();
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
                let [e_values_at, _, _] = Self::offsets(
                    (*ptr).n as usize,
                    (*ptr).node_e_bytes as usize,
                );
                dead.bury((*ptr).r.take());
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
            report.coded("e", Self::e(node));
            report.child("r", None, &node.get().r, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Prefix<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<Prefix<U, C>> {
            let e_coords = Self::e(node).decoded();
            let run = runtime::Run::new(&e_coords, Self::e(node).values());
            scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));
            Prefix::<U, C>::reserve(runtime::Elements::drain(&e_coords, scratch))
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < Ctree < f64, u32 >> () == 40 &&
            ::std::mem::align_of:: < Ctree < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Ctree < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Ctree < f64, u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Ctree < f64, u32 >, node_t_bytes) == 8);
        assert!(::std::mem::offset_of!(Ctree < f64, u32 >, h_coord) == 12);
        assert!(::std::mem::offset_of!(Ctree < f64, u32 >, l) == 16);
        assert!(::std::mem::offset_of!(Ctree < f64, u32 >, r) == 24);
        assert!(::std::mem::offset_of!(Ctree < f64, u32 >, h_value) == 32);
        let offsets = Ctree::<f64, u32>::offsets(3, 4);
        assert!(offsets[0] == 40);
        assert!(offsets[1] == 64);
        assert!(offsets[2] == 68);
        assert!(
            ::std::mem::size_of:: < Prefix < f64, u32 >> () == 24 &&
            ::std::mem::align_of:: < Prefix < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Prefix < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Prefix < f64, u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Prefix < f64, u32 >, node_e_bytes) == 8);
        assert!(::std::mem::offset_of!(Prefix < f64, u32 >, r) == 16);
        let offsets = Prefix::<f64, u32>::offsets(3, 4);
        assert!(offsets[0] == 24);
        assert!(offsets[1] == 48);
        assert!(offsets[2] == 52);
        assert!(
            ::std::mem::size_of:: < Ctree < (), u32 >> () == 32 && ::std::mem::align_of::
            < Ctree < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Ctree < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Ctree < (), u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Ctree < (), u32 >, node_t_bytes) == 8);
        assert!(::std::mem::offset_of!(Ctree < (), u32 >, h_coord) == 12);
        assert!(::std::mem::offset_of!(Ctree < (), u32 >, l) == 16);
        assert!(::std::mem::offset_of!(Ctree < (), u32 >, r) == 24);
        assert!(::std::mem::offset_of!(Ctree < (), u32 >, h_value) == 32);
        let offsets = Ctree::<(), u32>::offsets(3, 4);
        assert!(offsets[0] == 32);
        assert!(offsets[1] == 32);
        assert!(offsets[2] == 36);
        assert!(
            ::std::mem::size_of:: < Prefix < (), u32 >> () == 24 &&
            ::std::mem::align_of:: < Prefix < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Prefix < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Prefix < (), u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Prefix < (), u32 >, node_e_bytes) == 8);
        assert!(::std::mem::offset_of!(Prefix < (), u32 >, r) == 16);
        let offsets = Prefix::<(), u32>::offsets(3, 4);
        assert!(offsets[0] == 24);
        assert!(offsets[1] == 24);
        assert!(offsets[2] == 28);
        assert!(
            ::std::mem::size_of:: < Ctree < f32, u64 >> () == 48 &&
            ::std::mem::align_of:: < Ctree < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(Ctree < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Ctree < f32, u64 >, n) == 4);
        assert!(::std::mem::offset_of!(Ctree < f32, u64 >, node_t_bytes) == 8);
        assert!(::std::mem::offset_of!(Ctree < f32, u64 >, h_coord) == 16);
        assert!(::std::mem::offset_of!(Ctree < f32, u64 >, l) == 24);
        assert!(::std::mem::offset_of!(Ctree < f32, u64 >, r) == 32);
        assert!(::std::mem::offset_of!(Ctree < f32, u64 >, h_value) == 40);
        let offsets = Ctree::<f32, u64>::offsets(3, 4);
        assert!(offsets[0] == 48);
        assert!(offsets[1] == 60);
        assert!(offsets[2] == 64);
        assert!(
            ::std::mem::size_of:: < Prefix < f32, u64 >> () == 24 &&
            ::std::mem::align_of:: < Prefix < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(Prefix < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Prefix < f32, u64 >, n) == 4);
        assert!(::std::mem::offset_of!(Prefix < f32, u64 >, node_e_bytes) == 8);
        assert!(::std::mem::offset_of!(Prefix < f32, u64 >, r) == 16);
        let offsets = Prefix::<f32, u64>::offsets(3, 4);
        assert!(offsets[0] == 24);
        assert!(offsets[1] == 36);
        assert!(offsets[2] == 40);
    };
}
