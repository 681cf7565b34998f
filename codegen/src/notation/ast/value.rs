//! Types and constants of values, and the operators of expressions and assignments.

/// The types that values have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueType {
    /// No value is stored. An entry counts as `1` (`true`), a coordinate without an entry as the fill.
    Pattern,
    /// `true` or `false`.
    Bool,
    /// 32 bits, unsigned.
    U32,
    /// 32 bits, signed.
    I32,
    /// 64 bits, unsigned.
    U64,
    /// 64 bits, signed.
    I64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl ValueType {
    /// All of them.
    pub const ALL: [ValueType; 8] = [
        ValueType::Pattern,
        ValueType::Bool,
        ValueType::U32,
        ValueType::I32,
        ValueType::U64,
        ValueType::I64,
        ValueType::F32,
        ValueType::F64,
    ];

    /// Its name in the notation.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::Pattern => "pattern",
            ValueType::Bool => "bool",
            ValueType::U32 => "u32",
            ValueType::I32 => "i32",
            ValueType::U64 => "u64",
            ValueType::I64 => "i64",
            ValueType::F32 => "f32",
            ValueType::F64 => "f64",
        }
    }

    /// The type called `name`.
    pub fn from_name(name: &str) -> Option<ValueType> {
        ValueType::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Whether values are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, ValueType::F32 | ValueType::F64)
    }

    /// Whether values are numbers, and no truth values.
    pub fn is_number(self) -> bool {
        !matches!(self, ValueType::Pattern | ValueType::Bool)
    }

    /// The type in which values of both types are computed: the later one in the order
    /// `pattern bool u32 i32 u64 i64 f32 f64`.
    pub fn join(self, other: ValueType) -> ValueType {
        self.max(other)
    }
}

impl std::fmt::Display for ValueType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What happens to the value that stands on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `*=`
    Mul,
    /// `min=`
    Min,
    /// `max=`
    Max,
    /// `|=`
    Or,
    /// `&=`
    And,
}

impl AssignOp {
    /// Its spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            AssignOp::Set => "=",
            AssignOp::Add => "+=",
            AssignOp::Mul => "*=",
            AssignOp::Min => "min=",
            AssignOp::Max => "max=",
            AssignOp::Or => "|=",
            AssignOp::And => "&=",
        }
    }
}

/// A number or truth value in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// Without fraction or exponent: it takes the type that the context needs. Wide enough for every integer type and for sums of them.
    Int(i128),
    /// With fraction or exponent, or `inf`.
    Float(f64),
    /// `true`, `false`.
    Bool(bool),
}

/// Operators between two expressions, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    /// `A without D`: A where D has no entry.
    Without,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl BinaryOp {
    /// Its spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Without => "without",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }

    /// How tightly it binds: the higher, the tighter. All of them group from the left; comparisons do not chain.
    pub fn binding(self) -> u8 {
        match self {
            BinaryOp::Without => 1,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 2,
            BinaryOp::Add | BinaryOp::Sub => 3,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 4,
        }
    }

    /// Whether it compares.
    pub fn compares(self) -> bool {
        self.binding() == 2
    }
}
