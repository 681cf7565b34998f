//! What is absent, by examples that were computed by hand: `docs/src/absence.md` is the table.

use pleach_codegen::compile::stages;
use pleach_codegen::notation::ast::Item;
use pleach_codegen::notation::{parse_source, resolve};

use crate::examples::{examples, page};
use crate::harness::{becomes_rust, interpret, stated, world};

#[test]
fn examples_come_out_as_computed_by_hand() {
    let text = std::fs::read_to_string(page()).unwrap();
    let world = world();
    let (mut ran, mut wrong) = (0, Vec::new());
    for example in examples(&text) {
        let (source, mistakes) = parse_source(&example.kernel);
        assert!(mistakes.is_empty(), "{}", mistakes.render("absence.md", &example.kernel));
        let Item::Kernel(ast) = &source.items[0] else { panic!("a kernel") };
        let kernels = resolve(ast, &world.declarations);
        if let Some(message) = &example.refused {
            let compiled = kernels.and_then(|kernels| kernels.iter().try_for_each(|kernel| stages(kernel).map(|_| ())));
            match compiled {
                Ok(()) => wrong.push(format!("line {} is not refused", example.line)),
                Err(why) if why.to_string().contains(message) => ran += 1,
                Err(why) => wrong.push(format!("line {}: {why}", example.line)),
            }
            continue;
        }
        for kernel in kernels.unwrap_or_else(|wrong| panic!("{}", wrong.render("absence.md", &example.kernel))) {
            let held = (|| {
                let case = stated(&world, ast, &kernel, &example)?;
                let plain = stages(&kernel).map_err(|why| why.to_string())?.lowered;
                let mut simplified = plain.clone();
                simplified.simplify();
                case.judge(&kernel, &plain, &interpret(&plain)).map_err(|why| format!("{why}\n{plain}"))?;
                case.judge(&kernel, &simplified, &interpret(&simplified))
            })();
            if let Err(why) = held {
                wrong.push(format!("line {}, {}: {why}", example.line, kernel.name));
            }
            becomes_rust(&kernel);
            ran += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {ran}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran > 200, "{ran} choices of formats");
}
