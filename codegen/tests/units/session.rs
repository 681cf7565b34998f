//! Sessions: several files compiled together.

use pleach_codegen::diagnostic::SourceFile;
use pleach_codegen::session::{Content, Module, Session};

const LIST: &str = "def list { e : elem nonempty  n : list  seq = e, n }\ndef list_head { h : list  seq = h }\n";

fn nothing(path: &str, _: &str) -> std::io::Result<SourceFile> {
    Err(std::io::Error::new(std::io::ErrorKind::NotFound, format!("no {path} here")))
}

#[test]
fn stores_become_modules_wherever_they_stand() {
    let mut session = Session::new();
    session.add(SourceFile::new("src/mine.schema", LIST), &mut nothing);
    let text = format!("use \"more.pleach\"\nstore other {{ {LIST} }}\nformat rows(i, j) = i: dense, j: other\n");
    let more = "format cols(i, j) = j: dense, i: mine\n";
    session.add(SourceFile::new("all.pleach", text), &mut |path, from| {
        assert_eq!((path, from), ("more.pleach", "all.pleach"));
        Ok(SourceFile::new(path, more))
    });
    let modules = session.finish("::pleach_runtime").unwrap();
    assert_eq!(modules.iter().map(|m| &m.name[..]).collect::<Vec<_>>(), ["mine", "other"]);
    assert!(modules[0].rust.contains("pub struct Mine<"), "{}", modules[0].rust);
}

#[test]
fn kernels_become_functions_of_a_module_named_after_their_file() {
    let mut session = Session::bundled();
    let text = "format mine(i, j) = i: dense, j: compressed\n\
                kernel spmv(y: dense, A: mine | aspen, x: dense) {\n  y(i) = A(i,j)\n     * x(j)\n}\n\
                kernel dot(x: dense, y: dense) -> t: f64 { t = x(i) * y(i) }\n";
    session.add(SourceFile::new("src/my-kernels.pleach", text), &mut nothing);
    assert_eq!(session.kernels().map(|k| &k.kernel.name[..]).collect::<Vec<_>>(), ["spmv_mine", "spmv_aspen", "dot"]);
    let modules = session.finish("::pleach::runtime").unwrap();
    let [Module { name, content: Content::Kernels, rust }] = &modules[..] else { panic!("{modules:?}") };
    assert_eq!(name, "my_kernels");
    for part in [
        "/// y(i) = A(i,j) * x(j)          A: i: dense, j: compressed\n",
        "pub fn spmv_mine(\n    y: &mut [f64],\n    a: MineView<'_, f64>,\n    x: &[f64],\n)",
        "    a: &impl ::pleach::runtime::Rows<Value = f64>,\n",
        "pub fn dot(",
        "-> Result<f64, ::pleach::runtime::kernel::ShapeError>",
    ] {
        assert!(rust.contains(part), "{part}: {rust}");
    }
}

#[test]
fn kernels_that_cannot_be_are_mistakes_in_their_file() {
    for (name, text, message) in [
        ("a.pleach", "kernel f(y: dense, A: csr) { y(i) = A(j,i) * B(j) }", "there is no tensor"),
        ("7.pleach", "kernel f(x: dense) -> t: f64 { t = x(i) }", "which is no name in Rust"),
        (
            "a.pleach",
            "kernel f(x: dense) -> t: f64 { t = x(i) }\nkernel fn(x: dense) -> t: f64 { t = x(i) }",
            "`fn` is a word of Rust, and cannot name the function that a kernel becomes\n --> a.pleach:2:8",
        ),
        (
            "a.pleach",
            "kernel r#g(x: dense) -> t: f64 { t = x(i) }",
            "`r#g` is a raw identifier of Rust\n --> a.pleach:1:8",
        ),
        (
            "list.pleach",
            "store list { def list { e : elem nonempty  n : list  seq = e, n }  def head { h : list  seq = h } }\n\
             kernel f(x: dense) -> t: f64 { t = x(i) }",
            "which a store is called as well",
        ),
        (
            "a.pleach",
            "kernel f(A: csr | csc, x: dense) -> t: f64 { t = A(i,j) * x(j) }\n\
             kernel f_csc(x: dense) -> t: f64 { t = x(i) }",
            "there are two kernels called `f_csc`",
        ),
    ] {
        let mut session = Session::bundled();
        session.add(SourceFile::new(name, text), &mut nothing);
        let error = session.finish("::pleach_runtime").unwrap_err().to_string();
        assert!(error.contains(message) && error.contains(name), "{error}");
    }
}

#[test]
fn a_matrix_by_columns_is_not_passed_as_rows() {
    let mut session = Session::bundled();
    let text = "format fr(i, j) = j: dense, i: ctree\nformat trees(i, j) = j: bst, i: ctree\n\
                kernel f(y: dense, A: fr | trees | (dense, ctree), x: dense) { y(i) = A(i,j) * x(j) }\n";
    session.add(SourceFile::new("f.pleach", text), &mut nothing);
    let modules = session.finish("::pleach_runtime").unwrap();
    let rust = modules[0].rust.split_whitespace().collect::<String>();
    let of = |name: &str| rust.split(&format!("pubfn{name}(")).nth(1).unwrap().split("{").next().unwrap().to_owned();
    assert!(of("f_dense_ctree").contains("a:&impl::pleach_runtime::Rows<Value=f64>"), "{rust}");
    for name in ["f_fr", "f_trees"] {
        let signature = of(name);
        let ty = "a:::pleach_runtime::tensor::Arranged<::pleach_runtime::tensor::Tensor<2,(";
        assert!(signature.contains(ty), "{signature}");
        assert!(signature.contains("Stores<&impl::pleach_runtime::Rows<Value=f64>"), "{signature}");
        let index = |m| format!("::pleach_runtime::tensor::coordinate::Index<{m}>");
        assert!(signature.contains(&format!("({},{},)", index(1), index(0))), "{signature}");
    }
}

#[test]
fn a_bad_format_is_reported_once_and_where_it_stands() {
    let mut session = Session::bundled();
    let formats = "format good(i, j) = i: dense, j: compressed\nformat bad(i, j) = i: dense, j: nosuch\n";
    session.declare(SourceFile::new("formats.pleach", formats));
    let kernels = "kernel f(A: bad, B: bad) -> t: f64 { t = A(i,j) * B(i,j) }\n\
                   kernel g(A: good | bad) -> C: bad { C(i,j) = A(i,j) }\n";
    session.add(SourceFile::new("kernels.pleach", kernels), &mut nothing);
    let error = session.finish("::pleach_runtime").unwrap_err().to_string();
    assert_eq!(error.matches("nosuch").count(), 2, "the message, and the line that it quotes: {error}");
    assert!(error.contains("formats.pleach:2:") && !error.contains("kernels.pleach"), "{error}");
}

#[test]
fn mistakes_of_all_files_are_told_together() {
    let mut session = Session::new();
    session.add(SourceFile::new("a.schema", "def a { e : elem[N] }"), &mut nothing);
    session.add(SourceFile::new("b.pleach", "use \"c.pleach\"\nformat f(i) = i: nowhere\n"), &mut nothing);
    let error = session.finish("::pleach_runtime").unwrap_err().to_string();
    for part in ["a.schema:1:", "`c.pleach` cannot be read: no c.pleach here", "nowhere"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn files_that_use_each_other_are_compiled_once() {
    let mut session = Session::new();
    session.add(SourceFile::new("a.pleach", "use \"b.pleach\"\n"), &mut |path, _| {
        let other = if path == "a.pleach" { "b.pleach" } else { "a.pleach" };
        Ok(SourceFile::new(path, format!("use \"{other}\"\n")))
    });
    assert_eq!(session.finish("::pleach_runtime").unwrap(), []);
}

#[test]
fn a_chain_of_files_without_an_end_is_an_error() {
    let mut session = Session::new();
    session.add(SourceFile::new("0.pleach", "use \"1.pleach\"\n"), &mut |path, _| {
        let number: usize = path.trim_end_matches(".pleach").parse().unwrap();
        let next = number + 1;
        Ok(SourceFile::new(path, format!("use \"{next}.pleach\"\nuse \"{next}.pleach\"\n")))
    });
    let error = session.finish("::pleach_runtime").unwrap_err().to_string();
    let message = "`256.pleach` is one file too many: at most 256 are compiled together\n --> 256.pleach:1:1";
    assert!(error.contains(message), "{error}");
    assert_eq!(error.matches("error: ").count(), 1, "{error}");
}

#[test]
fn a_file_that_is_used_under_two_spellings_is_compiled_once() {
    let mut session = Session::new();
    let text = "use \"x.pleach\"\nuse \"b/y.pleach\"\n";
    session.add(SourceFile::new("dir/a.pleach", text), &mut |path, from| {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = match path.ends_with("y.pleach") {
            true => "use \"../x.pleach\"\nuse \"./../b/y.pleach\"\n",
            false => "kernel f(x: dense) -> t: f64 { t = x(i) }\n",
        };
        Ok(SourceFile::new(format!("{folder}/{path}"), text))
    });
    let modules = session.finish("::pleach_runtime").unwrap();
    assert_eq!(modules.iter().map(|m| &m.name[..]).collect::<Vec<_>>(), ["x"]);
}

#[test]
fn stores_become_modules_that_rust_has_names_for() {
    let mut session = Session::new();
    session.add(SourceFile::new("src/my-list.schema", LIST), &mut nothing);
    let modules = session.finish("::pleach_runtime").unwrap();
    assert_eq!(modules.iter().map(|m| &m.name[..]).collect::<Vec<_>>(), ["my_list"]);
    assert!(modules[0].rust.contains("pub struct MyList<"), "{}", modules[0].rust);
    for (name, text, message) in [
        ("src/3d.schema", LIST.to_owned(), "`3d`, which is no name in Rust\n --> src/3d.schema:1:5"),
        ("a.pleach", format!("\n  store fn {{ {LIST} }}\n"), "`fn`, which is no name in Rust\n --> a.pleach:2:9"),
        (
            "a.pleach",
            format!("store one {{ {LIST} }}\nstore one {{ {LIST} }}\n"),
            "there are two stores called `one` in this session\n --> a.pleach:4:7",
        ),
        // Mistakes that only the Rust backend finds have the place of the store, too.
        (
            "a.pleach",
            "format rows(i, j) = i: dense, j: compressed\n\nstore mine {\n\
             \x20 def list { e : elem nonempty  n : list  seq = e, n }\n\
             \x20 def list_mut { h : list  seq = h }\n}\n"
                .to_owned(),
            "Rust would call both `list_mut` and `list` `ListMut`\n --> a.pleach:5:18",
        ),
    ] {
        let mut session = Session::new();
        session.add(SourceFile::new(name, text), &mut nothing);
        let error = session.finish("::pleach_runtime").unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(error.matches("error: ").count(), 1, "{error}");
    }
}

#[test]
fn results_in_a_store_of_other_sizes_than_its_defaults_are_refused() {
    let blocks = "store mine<B = 8> { def list { e : elem[n] nonempty  n : size in [0, B]  next : list  seq = {e}, next }\n\
                  def list_head { h : list } }\n";
    let made = |mut session: Session, format: &str| {
        let kernels = format!(
            "kernel f(A: csr | csc, B: csr) -> C: {format} {{ C(i,j) = A(i,j) + B(i,j) }}\n\
             kernel g(A: (dense, mine<16>)) -> t: f64 {{ t = A(i,j) }}\n"
        );
        session.add(SourceFile::new("kernels.pleach", format!("{blocks}{kernels}")), &mut nothing);
        session.check().map_err(|error| error.to_string())
    };
    let embedded = || Session::bundled().embedded("::pleach");
    for format in ["(dense, mine)", "(dense, mine<8>)", "(dense, btree<32>)", "csr"] {
        made(embedded(), format).unwrap_or_else(|error| panic!("{format}: {error}"));
    }
    for (format, message) in [
        ("(dense, mine<16>)", "`C` would be returned in `mine<8>`, not in `mine<16>`"),
        ("(dense, btree<32, 8>)", "`C` would be returned in `btree<32, 64>`, not in `btree<32, 8>`"),
        ("(mine<16>, ctree)", "`C` would be returned in `mine<8>`, not in `mine<16>`"),
    ] {
        let error = made(embedded(), format).unwrap_err();
        assert_eq!(error.matches(message).count(), 1, "{error}");
        // The caller names the type where kernels know nothing of the engine.
        made(Session::bundled(), format).unwrap_or_else(|error| panic!("{format}: {error}"));
    }
}

#[test]
fn results_in_a_store_of_the_session_have_its_type() {
    for (name, ty) in [("mine", "mine::Mine"), ("t", "t::TNode"), ("place", "place::PlaceNode")] {
        let mut session = Session::bundled().embedded("::pleach");
        let kernel = format!("kernel f(A: csr, B: csr) -> C: (dense, {name}) {{ C(i,j) = A(i,j) + B(i,j) }}");
        session.add(SourceFile::new("pleach!", format!("store {name} {{ {LIST} }}\n{kernel}\n")), &mut nothing);
        let modules = session.finish("::pleach::runtime").unwrap();
        let [store, kernels] = &modules[..] else { panic!("{modules:?}") };
        let type_alone = ty.rsplit(':').next().unwrap();
        assert!(store.rust.contains(&format!("pub struct {type_alone}<")), "{}", store.rust);
        let rust: String = kernels.rust.split_whitespace().collect();
        assert!(rust.contains(&format!("::pleach::Matrix<{ty}<f64>>")), "{rust}");
    }
}
