//! Positions that are counted from where the part of a task begins.

use pleach_codegen::ir::passes::tasks::{relative, without};
use pleach_codegen::ir::{Block, Expr, Literal, Scalar, Stmt, Type, Vars};

#[test]
fn positions_are_counted_from_where_a_part_begins() {
    let mut vars = Vars::new();
    let [task, rows, i] = ["task", "rows", "i"].map(|name| vars.fresh(name, Scalar::Usize));
    let array = vars.fresh("pos", Type::vec(Scalar::Usize));
    let one = || Expr::Literal(Literal::Usize(1));
    let at = Expr::Var(task) * rows + i + one();
    let terms = [Expr::Var(task) * rows, one()];
    let block = Block::from(Stmt::Store(array, at.clone(), Expr::Load(array, Box::new(at.clone())) + one()));
    let expected = Stmt::Store(array, i.into(), Expr::Load(array, Box::new(i.into())) + one());
    assert_eq!(relative(&block, array, &terms), Some(expected.into()));
    // A position elsewhere, and the length, are those of the whole array.
    for other in [Expr::Load(array, Box::new(i.into())), Expr::Len(array)] {
        let block = Block::from(Stmt::Store(array, at.clone(), other));
        assert_eq!(relative(&block, array, &terms), None);
    }
    assert_eq!(without(&(Expr::Var(task) * rows + one()), &terms), Some(Expr::Literal(Literal::Usize(0))));
}
