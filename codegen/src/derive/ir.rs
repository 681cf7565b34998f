//! The language in which a traversal is written while it is derived: procedures over nodes, then blocks that jump.
//!
//! The first three stages are a [`Program`]: procedures that yield runs and call each other. The last two are a
//! [`Machine`]: blocks with parameters, jumps between them and one explicit stack; nothing in it recurses.
//!
//! A variable stands for a register: assigning it again changes what it holds, wherever it was assigned before.

mod walk;

pub(super) use walk::vars_mut;
pub use walk::{any, bodies, bodies_mut, depth, field, size, visit};

use crate::schema::model::{FieldId, Model, NodeId, Target};

/// Index of a variable in [`Vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub usize);

/// Index of a procedure in [`Program::procs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcId(pub usize);

/// Index of a block in [`Machine::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub usize);

/// Name of a [`Stmt::Loop`], so that [`Stmt::Again`] can say which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub usize);

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// What it is called. Unique in a finished stage.
    pub name: String,
    /// What it holds.
    pub kind: VarKind,
    /// The reference that it was bound to by [`Test::Some`], which it is printed as.
    pub alias: Option<Value>,
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarKind {
    /// A reference to a node: never null, except for parameters in the coroutine stage.
    Node(Target),
    /// A position in an array.
    Slot,
}

/// The variables of a program or machine.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Vars(pub Vec<Var>);

impl Vars {
    /// A new variable.
    pub fn add(&mut self, name: impl Into<String>, kind: VarKind) -> VarId {
        self.0.push(Var { name: name.into(), kind, alias: None });
        VarId(self.0.len() - 1)
    }

    /// The variable with this index.
    pub fn get(&self, id: VarId) -> &Var {
        &self.0[id.0]
    }
}

/// A field of the node that a variable refers to, or one of its slots: `n.l`, `i.c[k]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// A variable that holds a node of one type.
    pub node: VarId,
    /// A field of this type.
    pub field: FieldId,
    /// A variable that holds a position, if the field is an array and one slot of it is meant.
    pub slot: Option<VarId>,
}

/// A reference to a node, or a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// What a variable holds.
    Var(VarId),
    /// The child at a place.
    Child(Place),
    /// The first position.
    Zero,
}

/// A run of nonzeros to hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Yield {
    /// One element, alone or a slot of an array. Where it is not `nonempty` it may be a gap: then nothing is handed
    /// out.
    One(Place),
    /// All used slots of an array without gaps. If there are none, nothing is handed out.
    Run(Place),
    /// Every stretch between the gaps of an array, one run each.
    Slots(Place),
    /// The slots `lo..hi` of an array, at least one, without gaps among them.
    Stretch {
        /// The array.
        array: Place,
        /// The first position.
        lo: VarId,
        /// The position behind the last one.
        hi: VarId,
    },
}

impl Yield {
    /// Where its elements are.
    pub fn place(&self) -> &Place {
        match self {
            Yield::One(place) | Yield::Run(place) | Yield::Slots(place) | Yield::Stretch { array: place, .. } => place,
        }
    }
}

/// What a branch asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// Whether a reference is not null; if so `bound` is it.
    Some {
        /// A reference that may be null.
        value: Value,
        /// The same reference, known not to be null.
        bound: VarId,
    },
    /// Whether a position is one of the used slots of any of these arrays.
    Within {
        /// Holds the position.
        slot: VarId,
        /// At least one array, without a slot.
        arrays: Vec<Place>,
    },
    /// Whether there is anything to hand out: the element is no gap, the array has a slot.
    Present(Yield),
    /// Whether there is an element in a used slot from a position on; if so `lo..hi` is the first stretch of them.
    Stretch {
        /// An array that may have gaps.
        array: Place,
        /// Holds the position to look from.
        from: VarId,
        /// Becomes the first position of the stretch.
        lo: VarId,
        /// Becomes the position behind the stretch.
        hi: VarId,
    },
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Hands out runs.
    Yield(Yield),
    /// Runs a procedure to its end. Only in a [`Program`].
    Call {
        /// Which.
        proc: ProcId,
        /// What it visits.
        argument: Value,
    },
    /// Gives a variable its first value (as far as the statements around it go).
    Let {
        /// The variable.
        var: VarId,
        /// Its value.
        value: Value,
    },
    /// Changes the value of a variable.
    Set {
        /// The variable.
        var: VarId,
        /// Its new value.
        value: Value,
    },
    /// Moves a position on by one.
    Next(VarId),
    /// Does one or the other.
    If {
        /// The condition.
        test: Test,
        /// Done if so.
        then: Vec<Stmt>,
        /// Done if not.
        otherwise: Vec<Stmt>,
    },
    /// Goes by the type of a node.
    Match {
        /// Holds a reference to a supertype.
        node: VarId,
        /// One for each subtype.
        arms: Vec<Arm>,
    },
    /// Does the same for every position that is a used slot of one of these arrays, in ascending order.
    For {
        /// Holds the position.
        slot: VarId,
        /// At least one array, without a slot. Any one stands for all of equal length.
        arrays: Vec<Place>,
        /// Done for each.
        body: Vec<Stmt>,
    },
    /// Does its body once, and anew for every [`Stmt::Again`] with its label.
    Loop {
        /// Its label.
        label: Label,
        /// The body. Reaching its end leaves the loop.
        body: Vec<Stmt>,
    },
    /// Starts the body of an enclosing loop anew.
    Again(Label),
    /// Continues in another block. Only in a [`Machine`], as are the following.
    Goto(Jump),
    /// Pushes a block on the stack, to continue in later.
    Push(Jump),
    /// Continues in the block on top of the stack. If the stack is empty, the traversal ends.
    Return,
    /// Yields one run and stops. The next call continues in another block. Only in the last stage.
    Suspend {
        /// What to hand out. There is something.
        run: Yield,
        /// Where to continue.
        resume: Jump,
    },
}

/// One subtype of a [`Stmt::Match`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The subtype.
    pub node: NodeId,
    /// Refers to the node, of which the type is now known.
    pub var: VarId,
    /// Done for a node of this type.
    pub body: Vec<Stmt>,
}

/// A block in which to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Which.
    pub block: BlockId,
    /// A value for each of its parameters.
    pub arguments: Vec<Value>,
}

/// A procedure: visits a node and everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proc {
    /// What it visits.
    pub target: Target,
    /// Holds the node that it visits.
    pub param: VarId,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// Procedures that visit a store from its handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'m> {
    /// The store.
    pub model: &'m Model,
    /// All variables of all procedures. No two procedures share one.
    pub vars: Vars,
    /// The procedures; the first one visits the handle.
    pub procs: Vec<Proc>,
    /// How many labels were given out.
    pub labels: usize,
}

/// A block: statements of which every path ends in a jump.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Block {
    /// What it is called, in lower case with underscores. Unique.
    pub name: String,
    /// Its parameters. It reads no other variables of other blocks.
    pub params: Vec<VarId>,
    /// What it does. Every path ends in [`Stmt::Goto`], [`Stmt::Return`] or [`Stmt::Suspend`], or in an
    /// [`Stmt::Again`] of a loop around it.
    pub body: Vec<Stmt>,
}

/// Blocks that visit a store from its handle, with one stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine<'m> {
    /// The store.
    pub model: &'m Model,
    /// All variables of all blocks.
    pub vars: Vars,
    /// The blocks; the first one is where the traversal starts. Its only parameter, if it has one, is the handle.
    pub blocks: Vec<Block>,
    /// How many labels were given out.
    pub labels: usize,
}

impl Program<'_> {
    /// A new label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }
}

impl Machine<'_> {
    /// The blocks that are ever put on the stack. If there are none the traversal needs no stack.
    pub fn pushed(&self) -> Vec<BlockId> {
        self.jumps(|stmt| match stmt {
            Stmt::Push(jump) => Some(jump.block),
            _ => None,
        })
    }

    /// The blocks in which a traversal continues after it yielded a run. None before the last stage.
    pub fn resumed(&self) -> Vec<BlockId> {
        self.jumps(|stmt| match stmt {
            Stmt::Suspend { resume, .. } => Some(resume.block),
            _ => None,
        })
    }

    fn jumps(&self, of: impl Fn(&Stmt) -> Option<BlockId>) -> Vec<BlockId> {
        let mut found = vec![false; self.blocks.len()];
        for block in &self.blocks {
            visit(&block.body, &mut |stmt| {
                if let Some(block) = of(stmt) {
                    found[block.0] = true;
                }
            });
        }
        (0..self.blocks.len()).filter(|&at| found[at]).map(BlockId).collect()
    }
}
