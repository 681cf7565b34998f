//! Jumps whose arguments clash.

use std::collections::HashMap;

use pleach_codegen::derive::finish::unfold_body;
use pleach_codegen::derive::ir::{BlockId, Jump, Stmt, Value, VarKind, Vars};

#[test]
fn values_that_clash_are_read_before_they_change() {
    let mut vars = Vars::default();
    let [a, b] = ["a", "b"].map(|name| vars.add(name, VarKind::Slot));
    let swap = Stmt::Goto(Jump { block: BlockId(0), arguments: vec![Value::Var(b), Value::Var(a)] });
    let mut body = vec![swap];
    unfold_body(&mut body, &[vec![a, b]], &mut vars);
    let mut registers = HashMap::from([(a, 1), (b, 2)]);
    for stmt in &body {
        if let Stmt::Set { var, value: Value::Var(value) } = stmt {
            registers.insert(*var, registers[value]);
        }
    }
    assert_eq!((registers[&a], registers[&b]), (2, 1), "{body:?}");
    assert!(matches!(&body[..], [.., Stmt::Goto(jump)] if jump.arguments.is_empty()));
}
