//! Type aliases of tensors, by which the functions of a module name them.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;

/// Type aliases that the functions of a module name.
#[derive(Default)]
pub(super) struct Aliases {
    /// The declarations by name, with their documentation.
    pub items: BTreeMap<String, TokenStream>,
    /// The type that each name of a format stands for.
    types: BTreeMap<String, String>,
}

impl Aliases {
    /// The name of a type that a format of the name `wanted` has. Formats that are written out where they are used may have one name and
    /// different types: `compressed` and `compressed(nonunique)`. The second of them gets a number.
    pub fn name(&mut self, wanted: &str, owned: &TokenStream) -> String {
        let owned = owned.to_string();
        let numbered = |n: usize| if n == 1 { wanted.to_owned() } else { format!("{wanted}{n}") };
        let free = |name: &String| self.types.get(name).is_none_or(|of| *of == owned);
        let name = (1..).map(numbered).find(free).expect("there are more numbers than formats");
        self.types.insert(name.clone(), owned);
        name
    }
}
