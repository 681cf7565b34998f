use ::pleach_runtime as runtime;

/// The parameter `B` of the schema.
pub const B: usize = 4;

/// A T-tree: a binary search tree of sorted blocks.
///
/// The handle of a store `ttree`. Cloning it shares all nodes.
pub struct Ttree<V: runtime::Value, C: runtime::Coord = u32> {
    root: nodes::TtreeRoot<V, C>,
}

impl<V: runtime::Value, C: runtime::Coord> Ttree<V, C> {
    /// A store with the given root.
    pub fn new(root: nodes::TtreeRoot<V, C>) -> Self {
        Self { root }
    }

    /// The root.
    pub fn root(&self) -> runtime::NodeRef<'_, nodes::TtreeRoot<V, C>> {
        runtime::NodeRef::of(&self.root)
    }

    /// The root, for writing.
    pub fn root_mut(&mut self) -> runtime::NodeMut<'_, nodes::TtreeRoot<V, C>> {
        runtime::NodeMut::of(&mut self.root)
    }
}

impl<V: runtime::Value, C: runtime::Coord> Clone for Ttree<V, C> {
    #[inline]
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<V: runtime::Value, C: runtime::Coord> Default for Ttree<V, C> {
    #[inline]
    fn default() -> Self {
        Self { root: Default::default() }
    }
}

impl<V: runtime::Value + ::std::fmt::Debug, C: runtime::Coord> ::std::fmt::Debug
for Ttree<V, C> {
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
    handle: runtime::NodeRef<'a, nodes::TtreeRoot<V, C>>,
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
                    FoldStep::Start(t) => {
                        // r
                        if let Some(r) = nodes::TtreeRoot::r(t) {
                            step = FoldStep::EnterTtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    FoldStep::EnterTtree(mut n) => {
                        // l
                        while let Some(l) = nodes::Ttree::l(n) {
                            stack.push(n);
                            n = l;
                        }
                        step = FoldStep::AfterL(n);
                        continue 'walk;
                    }
                    FoldStep::AfterL(n) => {
                        // {v}
                        folded = visit(folded, nodes::Ttree::v(n))?;
                        // r
                        if let Some(r) = nodes::Ttree::r(n) {
                            step = FoldStep::EnterTtree(r);
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
        let handle = self.handle;
        let mut stack = runtime::Stack::<_, 32>::new();
        let mut step = StorageStep::Start(handle);
        'walk: loop {
            'visit: {
                match step {
                    StorageStep::Start(t) => {
                        // r
                        if let Some(r) = nodes::TtreeRoot::r(t) {
                            step = StorageStep::EnterTtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    StorageStep::EnterTtree(mut n) => {
                        'l3: loop {
                            // {v}
                            folded = visit(folded, nodes::Ttree::v(n))?;
                            // l
                            if let Some(l) = nodes::Ttree::l(n) {
                                if let Some(r) = nodes::Ttree::r(n) {
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
                        if let Some(r) = nodes::Ttree::r(n) {
                            step = StorageStep::EnterTtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                }
            }
            match stack.pop() {
                Some(next) => step = StorageStep::EnterTtree(next),
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
        par_ttree_root(handle, runtime::FORK_DEPTH, identity, fold, combine)
    }

    #[inline]
    fn locate(self, coord: C) -> Option<&'a V> {
        let mut place = Place::TtreeRoot(self.handle);
        loop {
            match place {
                Place::TtreeRoot(n) => {
                    // r
                    match nodes::TtreeRoot::r(n) {
                        Some(child) => {
                            place = Place::Ttree(child);
                            continue;
                        }
                        None => return None,
                    }
                }
                Place::Ttree(n) => {
                    // {v}
                    match nodes::Ttree::v(n).search(coord) {
                        runtime::Search::Found(value) => return Some(value),
                        runtime::Search::Before => {
                            match nodes::Ttree::l(n) {
                                Some(child) => {
                                    place = Place::Ttree(child);
                                    continue;
                                }
                                None => return None,
                            }
                        }
                        runtime::Search::Missing => return None,
                        runtime::Search::After => {}
                    }
                    // r
                    match nodes::Ttree::r(n) {
                        Some(child) => {
                            place = Place::Ttree(child);
                            continue;
                        }
                        None => return None,
                    }
                }
            }
        }
    }
}

/// The resumable iterator over the runs, derived from `seq = l, {v}, r`.
pub struct Runs<'a, V: runtime::Value, C: runtime::Coord = u32> {
    step: Step<'a, V, C>,
    stack: runtime::Stack<runtime::NodeRef<'a, nodes::Ttree<V, C>>, 16>,
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
                    Step::Start(t) => {
                        // r
                        if let Some(r) = nodes::TtreeRoot::r(t) {
                            step = Step::EnterTtree(r);
                            continue 'walk;
                        }
                        break 'visit;
                    }
                    Step::EnterTtree(mut n) => {
                        // l
                        while let Some(l) = nodes::Ttree::l(n) {
                            self.stack.push(n);
                            n = l;
                        }
                        step = Step::AfterL(n);
                        continue 'walk;
                    }
                    Step::AfterL(n) => {
                        // {v}
                        self.current = nodes::Ttree::v(n);
                        self.step = Step::AfterV(n);
                        return true;
                    }
                    Step::AfterV(n) => {
                        // r
                        if let Some(r) = nodes::Ttree::r(n) {
                            step = Step::EnterTtree(r);
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
        self.current
    }
}

/// Where the iterator goes on.
enum Step<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::TtreeRoot<V, C>>),
    EnterTtree(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
    AfterV(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
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
    Start(runtime::NodeRef<'a, nodes::TtreeRoot<V, C>>),
    EnterTtree(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
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
    Start(runtime::NodeRef<'a, nodes::TtreeRoot<V, C>>),
    EnterTtree(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
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
    TtreeRoot(runtime::NodeRef<'a, nodes::TtreeRoot<V, C>>),
    Ttree(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
}

/// Maps over a `ttree` and everything below it in parallel.
fn par_ttree<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::Ttree<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    if depth == 0 {
        return fold_ttree(n, identity(), fold);
    }
    let (left, right) = runtime::join(
        || {
            // l
            match nodes::Ttree::l(n) {
                Some(child) => par_ttree(child, depth - 1, identity, fold, combine),
                None => identity(),
            }
        },
        || {
            let mut folded = identity();
            // {v}
            folded = fold(folded, nodes::Ttree::v(n));
            combine(
                folded,
                {
                    // r
                    match nodes::Ttree::r(n) {
                        Some(child) => {
                            par_ttree(child, depth - 1, identity, fold, combine)
                        }
                        None => identity(),
                    }
                },
            )
        },
    );
    combine(left, right)
}

/// Where a fold over a `ttree` goes on.
enum FoldTtree<'a, V: runtime::Value, C: runtime::Coord> {
    Start(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
    AfterL(runtime::NodeRef<'a, nodes::Ttree<V, C>>),
}

impl<V: runtime::Value, C: runtime::Coord> Clone for FoldTtree<'_, V, C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: runtime::Value, C: runtime::Coord> Copy for FoldTtree<'_, V, C> {}

/// Folds over a `ttree` and everything below it.
fn fold_ttree<'a, V: runtime::Value, C: runtime::Coord, A>(
    n: runtime::NodeRef<'a, nodes::Ttree<V, C>>,
    mut folded: A,
    visit: &impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A,
) -> A {
    let mut stack = runtime::Stack::<_, 32>::new();
    let mut step = FoldTtree::Start(n);
    'walk: loop {
        'visit: {
            match step {
                FoldTtree::Start(mut t) => {
                    // l
                    while let Some(l) = nodes::Ttree::l(t) {
                        stack.push(t);
                        t = l;
                    }
                    step = FoldTtree::AfterL(t);
                    continue 'walk;
                }
                FoldTtree::AfterL(t) => {
                    // {v}
                    folded = visit(folded, nodes::Ttree::v(t));
                    // r
                    if let Some(r) = nodes::Ttree::r(t) {
                        step = FoldTtree::Start(r);
                        continue 'walk;
                    }
                    break 'visit;
                }
            }
        }
        match stack.pop() {
            Some(next) => step = FoldTtree::AfterL(next),
            None => {
                return folded;
            }
        }
    }
}

/// Maps over a `ttree_root` and everything below it in parallel.
fn par_ttree_root<'a, V: runtime::Value, C: runtime::Coord, A: Send>(
    n: runtime::NodeRef<'a, nodes::TtreeRoot<V, C>>,
    depth: u32,
    identity: &(impl Fn() -> A + Sync),
    fold: &(impl Fn(A, runtime::Run<'_, 'a, C, V>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    // r
    match nodes::TtreeRoot::r(n) {
        Some(child) => par_ttree(child, depth - 1, identity, fold, combine),
        None => identity(),
    }
}

impl<V: runtime::Value, C: runtime::Coord> runtime::Store for Ttree<V, C> {
    type Coord = C;
    type Value = V;
    type Fiber<'a> = Fiber<'a, V, C>;
    type Page = runtime::ArrayPage<Self>;
    const NAME: &'static str = "ttree";
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
            "ttree_root",
            true,
            |report| nodes::TtreeRoot::describe(
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
            |report| nodes::TtreeRoot::describe(
                runtime::NodeRef::of(&self.root),
                report,
            ),
            value,
        )
    }
}

impl<V: runtime::Value, C: runtime::Coord, U: runtime::Value> runtime::MapValues<U>
for Ttree<V, C> {
    type Output = Ttree<U, C>;

    fn map_values<F: FnMut(C, &V) -> U>(&self, mut f: F) -> Ttree<U, C> {
        let from = runtime::NodeRef::of(&self.root);
        let mut root = nodes::TtreeRoot::like(from, &mut Vec::new(), &mut f);
        let fields = nodes::TtreeRoot::fields(runtime::NodeMut::of(&mut root));
        if let Some(child) = nodes::TtreeRoot::r(from) {
            copy_structure(Copying::Ttree(child, fields.r), &mut f);
        }
        Ttree { root }
    }
}

/// A node to copy, and the link that the copy belongs in.
enum Copying<'a, V: runtime::Value, C: runtime::Coord, U: runtime::Value> {
    Ttree(
        runtime::NodeRef<'a, nodes::Ttree<V, C>>,
        *mut runtime::Link<nodes::Ttree<U, C>>,
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
            Copying::Ttree(from, slot) => {
                let mut copy = nodes::Ttree::like(from, &mut scratch, f);
                let fields = nodes::Ttree::fields(copy.edit());
                if let Some(child) = nodes::Ttree::r(from) {
                    work.push(Copying::Ttree(child, fields.r));
                }
                if let Some(child) = nodes::Ttree::l(from) {
                    work.push(Copying::Ttree(child, fields.l));
                }
                // SAFETY: the slot is a link of a node that was copied before and that only the copy under
                // construction reaches
                unsafe { *slot = Some(copy.finish()) };
            }
        }
    }
}

/// The nodes of the store `ttree`.
///
/// ```text
/// // A T-tree: a binary search tree of sorted blocks.
/// store ttree<B = 32> {
///   def ttree {
///     v : elem[n] nonempty
///     l : ttree
///     r : ttree
///     n : size in [1, B]
///     seq = l, {v}, r
///   }
///
///   def ttree_root {
///     r : ttree
///   }
/// }
/// ```
pub mod nodes {
    use super::runtime;

    /// A node `ttree`.
    ///
    /// `seq = l, {v}, r`
    #[repr(C)]
    pub struct Ttree<V: runtime::Value, C: runtime::Coord = u32> {
        node_count: runtime::Count,
        n: u8,
        l: runtime::Link<Ttree<V, C>>,
        r: runtime::Link<Ttree<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `ttree`, for writing.
    pub struct TtreeMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The values of `v`.
        pub v: &'a mut [V],
        /// The link `l`.
        pub l: &'a mut runtime::Link<Ttree<V, C>>,
        /// The link `r`.
        pub r: &'a mut runtime::Link<Ttree<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> Ttree<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> TtreeMut<'a, V, C> {
            let ptr = node.into_raw();
            let node = ptr.as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe {
                let [_, v_values_at, _] = Self::offsets((*node).n as usize);
                TtreeMut {
                    v: ::std::slice::from_raw_parts_mut(
                        runtime::tail_ptr::<_, V>(ptr, v_values_at),
                        (*node).n as usize,
                    ),
                    l: &mut (*node).l,
                    r: &mut (*node).r,
                }
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Ttree<V, C> {
        /// Where the arrays start behind the node, in bytes, and where the last one ends.
        #[inline(always)]
        const fn offsets(n: usize) -> [usize; 3] {
            let v_coords_at = runtime::align_up::<C>(::std::mem::size_of::<Self>());
            let v_values_at = runtime::align_up::<
                V,
            >(v_coords_at + n * ::std::mem::size_of::<C>());
            [v_coords_at, v_values_at, v_values_at + n * ::std::mem::size_of::<V>()]
        }

        /// A new `ttree` that holds the given elements; its links are empty.
        ///
        /// # Panics
        ///
        /// If a length is not one that the schema allows.
        #[inline]
        pub fn reserve(v: runtime::Elements<'_, C, V>) -> runtime::Reserved<Self> {
            let n = v.len();
            assert!((1..= super::B).contains(& n), "a node's `n` must lie in [1, 4]");
            runtime::assert_fits(
                &[(n, ::std::mem::size_of::<C>()), (n, ::std::mem::size_of::<V>())],
            );
            let [v_coords_at, v_values_at, end] = Self::offsets(n);
            let memory = runtime::pool::allocate(runtime::tail_layout::<Self>(end))
                .cast::<Self>();
            // SAFETY: the memory is fresh and large enough; every field and every array is written before the
            // node is handed out
            unsafe {
                memory
                    .write(Ttree {
                        node_count: runtime::Count::one(),
                        n: n as u8,
                        l: None,
                        r: None,
                        node_tail: runtime::Tail::new(),
                    });
                v.write_to(
                    runtime::tail_ptr::<_, C>(memory, v_coords_at),
                    runtime::tail_ptr::<_, V>(memory, v_values_at),
                );
                runtime::Reserved::from_raw(memory)
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Ttree<V, C> {
        /// The elements of `v`.
        #[inline(always)]
        pub fn v<'a>(node: runtime::NodeRef<'a, Self>) -> runtime::Run<'a, 'a, C, V> {
            let fields = node.get();
            let [v_coords_at, v_values_at, _] = Self::offsets(fields.n as usize);
            let slots = fields.n as usize;
            // SAFETY: the node has this array, initialised when the node was made
            unsafe {
                runtime::Run::new(
                    runtime::tail_slice(node, v_coords_at, slots),
                    runtime::tail_slice(node, v_values_at, slots),
                )
            }
        }

        /// The child `l`.
        #[inline(always)]
        pub fn l<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Ttree<V, C>>> {
            runtime::follow(&node.get().l)
        }

        /// The link `l`: a clone of it shares the child.
        #[inline(always)]
        pub fn l_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Ttree<V, C>> {
            &node.get().l
        }

        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Ttree<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Ttree<V, C>> {
            &node.get().r
        }

        /// The size `n`.
        #[inline(always)]
        pub fn n(node: runtime::NodeRef<'_, Self>) -> usize {
            node.get().n as usize
        }
    }

    // SAFETY: `reserve` makes every node with this layout and initialises all of it
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Node for Ttree<V, C> {
        type Coord = C;
        type Value = V;

        fn layout(node: runtime::NodeRef<'_, Self>) -> ::std::alloc::Layout {
            let node = node.get();
            let [_, _, end] = Self::offsets(node.n as usize);
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
                let [_, v_values_at, _] = Self::offsets((*ptr).n as usize);
                dead.bury((*ptr).l.take());
                dead.bury((*ptr).r.take());
                if ::std::mem::needs_drop::<V>() {
                    ::std::ptr::drop_in_place(
                        ::std::ptr::slice_from_raw_parts_mut(
                            runtime::tail_ptr::<_, V>(node, v_values_at),
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
                    || format!("is {}, but must lie in [1, 4]", Self::n(node)),
                );
            report.child("l", None, &node.get().l, false);
            let run = Self::v(node);
            report.elements("v", None, run.coords(), run.values(), true);
            report.child("r", None, &node.get().r, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Ttree<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            node: runtime::NodeRef<'_, Self>,
            scratch: &mut Vec<U>,
            f: &mut impl FnMut(C, &V) -> U,
        ) -> runtime::Reserved<Ttree<U, C>> {
            let run = Self::v(node);
            let v_coords = run.coords();
            scratch.extend(run.iter().map(|(coord, value)| f(coord, value)));
            Ttree::<U, C>::reserve(runtime::Elements::drain(v_coords, scratch))
        }
    }

    /// A node `ttree_root`.
    #[repr(C)]
    pub struct TtreeRoot<V: runtime::Value, C: runtime::Coord = u32> {
        r: runtime::Link<Ttree<V, C>>,
        node_tail: runtime::Tail<C, V>,
    }

    /// The fields of a `ttree_root`, for writing.
    pub struct TtreeRootMut<'a, V: runtime::Value, C: runtime::Coord> {
        /// The link `r`.
        pub r: &'a mut runtime::Link<Ttree<V, C>>,
    }

    impl<V: runtime::Value, C: runtime::Coord> TtreeRoot<V, C> {
        /// The fields, for writing.
        #[inline(always)]
        pub fn fields<'a>(node: runtime::NodeMut<'a, Self>) -> TtreeRootMut<'a, V, C> {
            let node = node.into_raw().as_ptr();
            // SAFETY: the node is reached by nobody else during `'a`, and the fields and arrays handed out are
            // disjoint
            unsafe { TtreeRootMut { r: &mut (*node).r } }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> TtreeRoot<V, C> {
        /// A handle whose links are empty.
        pub fn new() -> Self {
            TtreeRoot {
                r: None,
                node_tail: runtime::Tail::new(),
            }
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> TtreeRoot<V, C> {
        /// The child `r`.
        #[inline(always)]
        pub fn r<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> Option<runtime::NodeRef<'a, Ttree<V, C>>> {
            runtime::follow(&node.get().r)
        }

        /// The link `r`: a clone of it shares the child.
        #[inline(always)]
        pub fn r_link<'a>(
            node: runtime::NodeRef<'a, Self>,
        ) -> &'a runtime::Link<Ttree<V, C>> {
            &node.get().r
        }
    }

    // SAFETY: the type has no arrays behind its fields
    unsafe impl<V: runtime::Value, C: runtime::Coord> runtime::Flat for TtreeRoot<V, C> {}

    impl<V: runtime::Value, C: runtime::Coord> Default for TtreeRoot<V, C> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> TtreeRoot<V, C> {
        /// Reports the fields.
        pub(super) fn describe<'a>(
            node: runtime::NodeRef<'a, Self>,
            report: &mut runtime::Inspection<'a, C, V>,
        ) {
            report.child("r", None, &node.get().r, false);
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> Clone for TtreeRoot<V, C> {
        fn clone(&self) -> Self {
            let mut copy = Self::new();
            copy.r = self.r.clone();
            copy
        }
    }

    impl<V: runtime::Value, C: runtime::Coord> TtreeRoot<V, C> {
        /// A node of the same shape whose values are what `f` makes of this one's; its links are empty.
        pub(super) fn like<U: runtime::Value>(
            _node: runtime::NodeRef<'_, Self>,
            _scratch: &mut Vec<U>,
            _f: &mut impl FnMut(C, &V) -> U,
        ) -> TtreeRoot<U, C> {
            TtreeRoot::<U, C>::new()
        }
    }

    #[cfg(target_pointer_width = "64")]
    const _: () = {
        assert!(
            ::std::mem::size_of:: < Ttree < f64, u32 >> () == 24 &&
            ::std::mem::align_of:: < Ttree < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Ttree < f64, u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Ttree < f64, u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Ttree < f64, u32 >, l) == 8);
        assert!(::std::mem::offset_of!(Ttree < f64, u32 >, r) == 16);
        let offsets = Ttree::<f64, u32>::offsets(3);
        assert!(offsets[0] == 24);
        assert!(offsets[1] == 40);
        assert!(offsets[2] == 64);
        assert!(
            ::std::mem::size_of:: < TtreeRoot < f64, u32 >> () == 8 &&
            ::std::mem::align_of:: < TtreeRoot < f64, u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(TtreeRoot < f64, u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < Ttree < (), u32 >> () == 24 && ::std::mem::align_of::
            < Ttree < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(Ttree < (), u32 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Ttree < (), u32 >, n) == 4);
        assert!(::std::mem::offset_of!(Ttree < (), u32 >, l) == 8);
        assert!(::std::mem::offset_of!(Ttree < (), u32 >, r) == 16);
        let offsets = Ttree::<(), u32>::offsets(3);
        assert!(offsets[0] == 24);
        assert!(offsets[1] == 36);
        assert!(offsets[2] == 36);
        assert!(
            ::std::mem::size_of:: < TtreeRoot < (), u32 >> () == 8 &&
            ::std::mem::align_of:: < TtreeRoot < (), u32 >> () == 8
        );
        assert!(::std::mem::offset_of!(TtreeRoot < (), u32 >, r) == 0);
        assert!(
            ::std::mem::size_of:: < Ttree < f32, u64 >> () == 24 &&
            ::std::mem::align_of:: < Ttree < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(Ttree < f32, u64 >, node_count) == 0);
        assert!(::std::mem::offset_of!(Ttree < f32, u64 >, n) == 4);
        assert!(::std::mem::offset_of!(Ttree < f32, u64 >, l) == 8);
        assert!(::std::mem::offset_of!(Ttree < f32, u64 >, r) == 16);
        let offsets = Ttree::<f32, u64>::offsets(3);
        assert!(offsets[0] == 24);
        assert!(offsets[1] == 48);
        assert!(offsets[2] == 60);
        assert!(
            ::std::mem::size_of:: < TtreeRoot < f32, u64 >> () == 8 &&
            ::std::mem::align_of:: < TtreeRoot < f32, u64 >> () == 8
        );
        assert!(::std::mem::offset_of!(TtreeRoot < f32, u64 >, r) == 0);
    };
}
