//! What commands say beside their results: manual pages, costs, losses, progress on a terminal, and refusals before the work.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, errors, failure, json, pleach, stdout};

/// The long options that the help of a command lists.
fn options(help: &str) -> impl Iterator<Item = &str> {
    help.lines().filter_map(|line| {
        let line = line.trim_start();
        let name =
            line.strip_prefix("--").or_else(|| line.get(2..)?.strip_prefix(", --").filter(|_| line.starts_with('-')));
        name?.split([' ', '=']).next()
    })
}

#[test]
fn every_command_has_a_manual_page_with_all_its_options() {
    let folder = Folder::new();
    let pages = folder.path("share/man1");
    stdout(&["man", &pages]);
    let all = stdout(&["reference", "commands"]);
    let mut count = 0;
    for section in all.split("\n## ").skip(1) {
        let (path, help) = section.split_once('\n').expect("a heading");
        let name = path.replace(' ', "-");
        let page = fs::read_to_string(Path::new(&pages).join(format!("{name}.1"))).expect("there is a page");
        let plain = page.replace('\\', "");
        assert!(plain.starts_with(".ie") && plain.contains(&format!(".TH {name} 1")), "{page}");
        assert!(plain.contains(&format!("\n{name} - ")), "{path}: {page}");
        let mut listed = 0;
        for option in options(help) {
            listed += 1;
            assert!(plain.contains(&format!("--{option}")), "{path}: --{option} is missing");
        }
        assert!(listed > 0, "{path}");
        count += 1;
    }
    assert!(count > 60);
    // Those of `pleach` itself and of `pleach help` are not among the sections.
    assert_eq!(fs::read_dir(&pages).expect("a folder").count(), count + 2);
    let refused = failure(&["man", &folder.file("file", "")], 1);
    assert!(refused.contains("cannot write manual pages to"), "{refused}");
}

#[test]
fn ranks_are_checked_wherever_they_are_computed() {
    let result =
        |arguments: &[&str]| json(&[&["run", "pagerank", "karate", "--json"], arguments].concat())["result"].take();
    assert_eq!(result(&["--verify"])["verified"], true);
    assert_eq!(result(&["--verify", "--iterations", "7"])["verified"], true);
    let early = result(&["--verify", "--max-iterations", "3"]);
    assert_eq!((&early["verified"], &early["converged"]), (&true.into(), &false.into()));
    let folder = Folder::new();
    let file = folder.file("u", "1 2\n2 3\n3 1\n4 1\n");
    for app in
        ["pagerank --verify", "pagerank --verify --iterations 3", "pagerank --verify --personalise 4", "cc --verify"]
    {
        for more in [&["--undirected"][..], &["--every", "2", "--batch", "1"]] {
            let printed = stdout(&[&["stream", "empty", "--updates", &file, "--app", app, "--json"], more].concat());
            let end: serde_json::Value = serde_json::from_str(printed.lines().last().expect("an end")).expect("JSON");
            assert_eq!(end["app"]["result"]["verified"], true, "{app}");
        }
    }
    let follow = ["stream", "empty", "--updates", &file, "--app", "pagerank --verify", "--every", "1", "--follow"];
    assert!(failure(&follow, 2).contains("does not follow"));
}

#[test]
fn what_could_not_be_written_is_refused_before_the_work() {
    let folder = Folder::new();
    // The inputs are not there either: what is said first is what was looked at first.
    let (missing, odd) = (folder.path("missing.mtx"), folder.path("out.docx"));
    let nowhere = folder.path("none/picture.svg");
    assert!(failure(&["data", "info", &missing, "--plot", &nowhere], 1).contains("none/picture.svg"));
    let refused = failure(&["convert", &missing, &odd, "--to", "csr"], 1);
    assert!(refused.contains("out.docx") && refused.contains(".npz"), "{refused}");
    let given = format!("A={missing}");
    let refused = failure(&["eval", "C(i,j) = A(j,i)", &given, "-o", &odd], 1);
    assert!(refused.contains("out.docx"), "{refused}");
    let matrix = folder.file("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n");
    let (given, out) = (format!("A={matrix}"), folder.path("s.mtx"));
    let refused = failure(&["eval", "s = A(i,j)", &given, "-o", &out], 2);
    assert!(refused.contains("`s` is a scalar") && !Path::new(&out).exists(), "{refused}");
    // A file on standard output is not mixed with the report.
    let output = pleach(&["convert", &matrix, "-", "--to", "csr", "--json"]);
    assert!(String::from_utf8_lossy(&output.stdout).lines().any(|line| line == "1 2 5"), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("entries"), "{output:?}");
    let report = String::from_utf8_lossy(&output.stderr).lines().last().map(str::to_owned).expect("a report");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&report).expect("JSON")["entries"], 1);
}

#[test]
fn what_holds_for_all_commands_may_stand_before_several_algorithms() {
    let folder = Folder::new();
    let file = folder.file("g.txt", "1 2 5\n2 3 7\n");
    let run = |flags: &[&str]| {
        let output = pleach(&[flags, &["cc,degree", &file]].concat());
        assert!(output.status.success(), "{output:?}");
        (String::from_utf8_lossy(&output.stdout).matches(" of g (3 vertices").count(), output.stderr.is_empty())
    };
    assert_eq!(run(&["run"]), (2, false));
    assert_eq!(run(&["run", "-q"]), (2, true));
    assert_eq!(run(&["-q", "run"]), (2, true));
}

#[test]
fn a_stream_says_what_it_cannot_do_and_what_its_file_loses() {
    use std::io::Write;
    let folder = Folder::new();
    let file = folder.file("u", "10 20\n20 40\n");
    let kept = folder.path("kept");
    stdout(&["stream", "empty", "--updates", &file, "--into", &kept]);
    assert_eq!(json(&["data", "info", &kept, "--json"])["edges"], 2, "a directory is described as a file is");
    let saved = |name: &str| errors(&["stream", "empty", "--updates", &file, "--save", &folder.path(name)]);
    assert!(saved("g.mtx").contains("not kept: ids of vertices"));
    let said = saved("g.plg");
    assert!(!said.contains("not kept") && said.contains("g.plg: 3 vertices, 2 edges"), "{said}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"1 2\n2 3\n").expect("written");
    let packed = folder.file("u.gz", packed.finish().expect("packed"));
    let flushed = |file: &str| errors(&["stream", "empty", "--updates", file, "--flush", "1"]);
    assert!(flushed(&packed).contains("--flush ends no batch here"));
    assert!(!flushed(&file).contains("--flush"));
}

#[test]
fn the_largest_of_lists_are_told_too() {
    let folder = Folder::new();
    // 1 and 2 have both neighbours in common, 1 and 5 one of three, and 3 and 5 none.
    let file = folder.file("g.txt", "1 3\n1 4\n2 3\n2 4\n5 4\n6 5\n");
    let run =
        |arguments: &[&str]| json(&[&["run"], arguments, &[&file, "--undirected", "--json"]].concat())["result"].take();
    let pairs = run(&["similarity", "--pairs", "3:5,1:2,1:5", "--top", "2"]);
    let told: Vec<_> =
        pairs["likeness"].as_array().expect("a list").iter().map(|pair| (&pair["u"], &pair["v"])).collect();
    assert_eq!(told, [(&1.into(), &2.into()), (&1.into(), &5.into())]);
    assert_eq!(pairs["pairs"], 3);
    // Both bridges end at 5.
    assert_eq!(run(&["bridges", "--top", "1"])["top"], serde_json::json!([[5, 2.0]]));
    let walks = run(&["walks", "--sources", "6", "--length", "1", "--walks", "4", "--top", "2"]);
    assert_eq!(walks["top"], serde_json::json!([[5, 4.0], [6, 4.0]]));
}

/// What a terminal shows at the end, a string a line.
fn screen(bytes: &str) -> Vec<String> {
    let (mut lines, mut row, mut column) = (vec![Vec::<char>::new()], 0_usize, 0_usize);
    let mut rest = bytes.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' => column = 0,
            '\n' => {
                row += 1;
                lines.resize_with(lines.len().max(row + 1), Vec::new);
            }
            '\x1b' => {
                assert_eq!(rest.next(), Some('['), "a sequence that this terminal knows");
                let mut number = String::new();
                let last = loop {
                    match rest.next().expect("a whole sequence") {
                        digit @ ('0'..='9' | ';' | '?') => number.push(digit),
                        last => break last,
                    }
                };
                match last {
                    'K' => lines[row].clear(),
                    'A' => row = row.saturating_sub(number.parse().unwrap_or(1)),
                    'B' => row += number.parse().unwrap_or(1),
                    'm' | 'h' | 'l' | 'G' => {}
                    other => panic!("unknown sequence {number}{other}"),
                }
                lines.resize_with(lines.len().max(row + 1), Vec::new);
            }
            c => {
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
        }
    }
    let texts = lines.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_owned());
    texts.filter(|line| !line.is_empty()).collect()
}

/// The screen after a command on a terminal of its own, and everything that was written to it; nothing where there is no `script`.
#[cfg(target_os = "linux")]
fn on_terminal(command: &str) -> Option<(Vec<String>, String)> {
    let line = format!("stty cols 100; {} {command}", env!("CARGO_BIN_EXE_pleach"));
    let output = Command::new("script").args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").output();
    let Ok(output) = output else {
        eprintln!("skipped, because there is no program `script`");
        return None;
    };
    let bytes = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{command}: {bytes}");
    Some((screen(&bytes), bytes))
}

#[test]
#[cfg(target_os = "linux")]
fn progress_is_shown_on_a_terminal_and_leaves_nothing_behind() {
    let folder = Folder::new();
    let (list, matrix) = (folder.path("g.tsv"), folder.path("g.mtx"));
    let Some((left, bytes)) = on_terminal(&format!("data gen rmat:15 -o {list}")) else { return };
    assert!(bytes.contains(" left"), "a bar with the time left: {bytes:?}");
    let notes = ["wrote ", "not kept: ", "the header says "];
    let is_note = |line: &String| notes.iter().any(|note| line.starts_with(note));
    assert!(left.iter().all(is_note), "{left:?}");
    let (left, bytes) = on_terminal(&format!("data write {list} -o {matrix}")).expect("it was there before");
    assert!(bytes.contains(" left"), "{bytes:?}");
    assert!(left.iter().all(is_note), "{left:?}");
    let (left, bytes) = on_terminal(&format!("run pagerank {matrix} --verify --top 1")).expect("as above");
    assert!(bytes.contains(" left") && bytes.contains("iteration "), "{bytes:?}");
    assert!(left.iter().all(|line| !line.contains("left") && !line.contains("iteration ")), "{left:?}");
    let (left, bytes) = on_terminal(&format!("-q run pagerank {matrix} --verify --top 1")).expect("as above");
    assert!(!bytes.contains(" left") && !bytes.contains('\x1b') && left.len() > 3, "{bytes:?}");
    // Results of a stream stand above the line that changes.
    let stream = format!("stream empty --updates {list} --batch 20000 --app 'cc --verify' --every 3 --threads 2");
    let (left, bytes) = on_terminal(&stream).expect("as above");
    assert!(bytes.contains("updates/s, version"), "{bytes:?}");
    let wrong = left.iter().find(|line| line.contains("updates/s, version") || line.contains("so far"));
    assert_eq!(wrong, None, "{left:?}");
    assert!(left.iter().filter(|line| line.starts_with("batch ")).count() > 2, "{left:?}");
}

/// An option that would change nothing is refused: who gives it expects something of it.
#[test]
fn options_without_an_effect_are_refused() {
    let folder = Folder::new();
    let (list, weighted) = (folder.file("g.tsv", "1 2\n2 3\n"), folder.file("w.tsv", "1 2 5\n2 3 1\n"));
    let out = folder.path("out.tsv");
    for (arguments, option) in [
        (&["run", "cc", &list, "--seed", "1"][..], "--seed"),
        (&["run", "cc", "karate", "--seed", "1"], "--seed"),
        (&["run", "cc", "grid:4x4", "--seed", "1"], "--seed"),
        (&["data", "write", &list, "--seed", "1", "-o", &out], "--seed"),
        (&["data", "gen", "grid:4x4", "--seed", "1", "-o", &out], "--seed"),
        (&["data", "gen", "rmat:4", "--permute", "-o", &out], "--permute"),
        (&["run", "cc", "rmat:4", "--format", "mtx"], "--format"),
        (&["run", "cc", "rmat:4", "--columns", "src,dst"], "--columns"),
        (&["cluster", "run", "cc", "rmat:4", "--format", "mtx"], "--format"),
        (&["run", "cc", &weighted, "--conflict", "min"], "--conflict"),
        (&["run", "cc,bfs", &weighted, "--source", "1", "--conflict", "min"], "--conflict"),
        (&["cluster", "run", "cc", &weighted, "--conflict", "min"], "--conflict"),
        (&["data", "info", &weighted, "--conflict", "min"], "--conflict"),
        (&["serve", &list, "--conflict", "min"], "--conflict"),
        (&["stream", "empty", "--updates", &list, "--conflict", "min"], "--conflict"),
        (&["stream", "empty", "--updates", &list, "--format", "mtx"], "--format"),
        (&["stream", "empty", "--updates", &list, "--graph-columns", "src,dst"], "--graph-columns"),
        (&["eval", "c = a", "a=1", "--conflict", "min"], "--conflict"),
        (&["schema", "show", "bst", "--storage-order"], "--storage-order"),
        (&["schema", "show", "bst", "--storage-order", "--emit", "rust"], "--storage-order"),
        (&["compile", "s = A(i,j)", "--emit", "plan", "--runtime", "::other"], "--runtime"),
    ] {
        let message = failure(arguments, 2);
        assert!(message.starts_with(&format!("error: {option}")), "{arguments:?}: {message}");
    }
    for arguments in [
        &["run", "cc", "rmat:4", "--seed", "1"][..],
        &["run", "cc,sssp", &weighted, "--source", "1", "--conflict", "max"],
        &["data", "gen", "grid:4x4", "--permute", "--seed", "1", "-o", &out],
        &["data", "write", &list, "--sample", "0.5", "--seed", "1", "-o", &out],
        &["stream", "empty", "--updates", &weighted, "--weighted", "--conflict", "min"],
        &["schema", "show", "bst", "--storage-order", "--emit", "step"],
    ] {
        assert!(pleach(arguments).status.success(), "{arguments:?}: {}", errors(arguments));
    }
}

/// The ending of a name, or of `--to`, says how a file is compressed; what is only read is refused before the work.
#[test]
fn outputs_are_compressed_by_their_endings() {
    let folder = Folder::new();
    let begins = |name: &str, magic: &[u8]| {
        let bytes = fs::read(folder.path(name)).expect("the file is there");
        assert!(bytes.starts_with(magic), "{name}: {:?}", &bytes[..4]);
    };
    let (gzip, zstd) = (&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd][..]);
    for (name, to, magic) in
        [("a", "csv.gz", gzip), ("b", "plg.zst", zstd), ("c", "parquet.gz", gzip), ("d.gz", "csv.gz", gzip)]
    {
        stdout(&["-q", "data", "write", "karate", "-o", &folder.path(name), "--to", to]);
        begins(name, magic);
    }
    assert_eq!(json(&["data", "info", &folder.path("b"), "--json"])["vertices"], 34);
    let list = folder.file("g.tsv", "1 2\n2 3\n");
    stdout(&["run", "bfs", &list, "--source", "1", "--out", &folder.path("run.gz")]);
    stdout(&["stream", "empty", "--updates", &list, "--app", "cc", "--out", &folder.path("stream.zst")]);
    stdout(&["cluster", "run", "cc", &list, "--out", &folder.path("cluster.gz")]);
    begins("run.gz", gzip);
    begins("stream.zst", zstd);
    begins("cluster.gz", gzip);
    assert_eq!(crate::common::text(Path::new(&folder.path("run.gz"))), "1 0\n2 1\n3 2\n");
    for ending in ["xz", "bz2"] {
        let (out, plain) = (folder.path(&format!("out.{ending}")), folder.path("plain"));
        for arguments in [
            &["run", "cc", &list, "--out", &out][..],
            &["stream", "empty", "--updates", &list, "--app", "cc", "--out", &out],
            &["stream", "empty", "--updates", &list, "--save", &folder.path(&format!("out.csv.{ending}"))],
            &["data", "write", "karate", "-o", &plain, "--to", &format!("csv.{ending}")],
            &["data", "write", "karate", "-o", &folder.path(&format!("out.csv.{ending}"))],
        ] {
            let message = failure(arguments, 1);
            assert!(message.contains(&format!("not written as .{ending}: expected .gz or .zst")), "{message}");
        }
    }
    let message = failure(&["data", "write", "karate", "-o", &folder.path("e.csv.zst"), "--to", "csv.gz"], 1);
    assert!(message.contains("is named .zst, and would be written as .gz"), "{message}");
    let message = failure(&["convert", "karate.mtx", &folder.path("f.plg"), "--to", "plg.zst"], 2);
    assert!(message.contains("`plg.zst` is the ending of a file"), "{message}");
}

/// How many entries of a matrix stand where others do, and which of them counts.
#[test]
fn duplicates_of_a_matrix_are_told() {
    let folder = Folder::new();
    let text = "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 5\n1 2 1\n2 3 1\n1 2 3\n";
    let file = folder.file("a.mtx", text);
    for (arguments, told) in [
        (
            &["run", "sssp", &file, "--source", "1"][..],
            "2 entries have the coordinates of others, of whose values the least counts",
        ),
        (&["run", "sssp", &file, "--source", "1", "--conflict", "sum"], "of whose values the sum counts"),
        (&["run", "msf", &file], "of whose values the least counts"),
        (&["run", "louvain", &file], "of whose values the last counts"),
        (&["run", "cc", &file], "2 entries have the coordinates of others\n"),
    ] {
        let said = errors(arguments);
        assert!(said.contains(told), "{arguments:?}: {said}");
    }
    let given = format!("A={file}");
    let entries = |conflict: &[&str]| {
        stdout(&[&["eval", "C(i,j) = A(i,j)", &given, "-f", "A=csr", "-f", "C=csr"], conflict].concat())
    };
    assert_eq!(entries(&[]), "1 2 9\n2 3 1\n");
    for (rule, value) in [("sum", 9), ("last", 3), ("first", 5), ("min", 1), ("max", 5)] {
        assert_eq!(entries(&["--conflict", rule]), format!("1 2 {value}\n2 3 1\n"), "{rule}");
    }
    assert!(errors(&["eval", "C(i,j) = A(i,j)", &given, "-f", "A=csr", "-f", "C=csr"]).contains("the sum counts"));
    let once = folder.file("b.tsv", "1 2\n1 2\n");
    assert_eq!(errors(&["run", "cc", &once]), "", "only matrices state each entry once");
}

/// What JSON does not have, and vertices that are not declared, are told by one process and by several.
#[test]
fn json_is_told_about_alike_by_one_process_and_by_several() {
    let folder = Folder::new();
    let links = |weight: &str| {
        let text = format!(
            "{{\"nodes\": [{{\"id\": \"a\"}}],\n\"links\": [{{\"source\": \"a\", \"target\": \"b\", \"weight\": {weight}}}]}}\n"
        );
        folder.file("g.json", text)
    };
    for word in ["NaN", "Infinity", "-Infinity"] {
        let file = links(word);
        for command in [&["run", "cc", &file][..], &["cluster", "run", "cc", &file]] {
            let message = failure(command, 1);
            assert!(
                message.contains("g.json:2:52: expected a finite number or null") && message.contains(word),
                "{message}"
            );
        }
    }
    let file = links("1");
    for command in [&["run", "cc", &file][..], &["cluster", "run", "cc", &file]] {
        assert!(errors(command).contains("1 vertex of edges is not among the nodes"), "{command:?}");
    }
}

/// A stream of lines from a file of another kind, or from one that says otherwise of its edges than the graph does.
#[test]
fn streams_name_what_they_cannot_take() {
    let folder = Folder::new();
    for ending in ["mtx", "graphml", "plg", "parquet", "json", "tsv"] {
        let file = folder.path(&format!("g.{ending}"));
        stdout(&["-q", "data", "write", "karate", "-o", &file]);
        let said = errors(&["stream", "empty", "--updates", &file]);
        let named = said.contains(&format!("is read as {ending}, expected updates"));
        assert_eq!(named, ending != "tsv", "{ending}: {said}");
    }
    let hidden = folder.path("hidden");
    stdout(&["-q", "data", "write", "karate", "-o", &hidden, "--to", "plg.zst"]);
    assert!(errors(&["stream", "empty", "--updates", &hidden]).contains("is read as plg"), "by its content");
    let file = folder.file("g.csv", "Source,Target,Type\n1,2,Undirected\n");
    let said = errors(&["stream", "empty", "--updates", &file]);
    assert!(said.contains("g.csv:2:5: expected Directed in the column `Type`"), "{said}");
    for undirected in [
        &["stream", "empty", "--undirected", "--updates", &file][..],
        &["cluster", "stream", "empty", "--undirected", "--updates", &file],
    ] {
        assert!(pleach(undirected).status.success(), "{}", errors(undirected));
    }
    assert!(
        errors(&["cluster", "stream", "empty", "--updates", &file]).contains("expected Directed in the column `Type`")
    );
}

#[test]
fn names_may_have_colons() {
    let folder = Folder::new();
    let file = folder.file("g.csv", "src,dst\nurn:a,urn:b\nurn:b,urn:c\nx,urn:b\n");
    let run =
        |arguments: &[&str]| json(&[&["run"], arguments, &[&file, "--undirected", "--json"]].concat())["result"].take();
    let pairs = run(&["similarity", "--pairs", "urn:a:urn:c,x:urn:a"]);
    let told: Vec<_> =
        pairs["likeness"].as_array().expect("a list").iter().map(|pair| pair["jaccard"].as_f64()).collect();
    assert_eq!(told, [Some(1.0), Some(1.0)]);
    let ranks = |vertex: &str| run(&["pagerank", "--personalise", vertex])["max_vertex"].take();
    assert_eq!((ranks("x"), ranks("urn:b:2")), ("urn:b".into(), "urn:b".into()));
    assert!(failure(&["run", "similarity", &file, "--pairs", "urn:a:urn:z"], 1).contains("has no vertex"));
}

#[test]
fn standard_output_has_values_or_a_report() {
    let folder = Folder::new();
    let updates = folder.file("u", "1 2\n2 3\n4 5\n");
    for more in [&[][..], &["--json"], &["--every", "1", "--batch", "2"]] {
        let stream = ["stream", "empty", "--undirected", "--updates", &updates, "--app", "cc", "--out", "-"];
        let output = pleach(&[&stream[..], more].concat());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1 1\n2 1\n3 1\n4 4\n5 4\n", "{more:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("components"), "{more:?}");
    }
    let saved = pleach(&["stream", "empty", "--updates", &updates, "--save", "-"]);
    let saved = String::from_utf8_lossy(&saved.stdout).into_owned();
    assert!(saved.lines().all(|line| line.starts_with('#') || line.split('\t').count() == 2), "{saved}");
}

#[test]
fn standard_input_is_read_once() {
    assert!(failure(&["stream", "-", "--updates", "-"], 2).contains("cannot both come from standard input"));
    let folder = Folder::new();
    let induced = ["data", "write", "-", "--induced", "-", "-o", &folder.path("out.tsv")];
    assert!(failure(&induced, 2).contains("cannot both come from standard input"));
    assert_eq!(folder.count(), 0);
}

#[test]
fn an_edge_that_is_listed_twice_is_drawn_once() {
    let folder = Folder::new();
    // A cycle in METIS' format, which lists each edge at both ends.
    let n = 400;
    let rows = |v: usize| format!("{} {}\n", (v + n - 1) % n + 1, (v + 1) % n + 1);
    let cycle = folder.file("g.graph", format!("{n} {n}\n") + &(0..n).map(rows).collect::<String>());
    let half = folder.path("half.graph");
    stdout(&["data", "write", &cycle, "--sample", "0.5", "-o", &half]);
    let kept = json(&["data", "info", &half, "--json"])["edges"].as_u64().expect("a number");
    assert!((150..250).contains(&kept), "{kept} of {n} edges");
    let text = folder.read("half.graph");
    let arcs = text.lines().skip(1).map(|line| line.split_whitespace().count()).sum::<usize>();
    assert_eq!(arcs as u64, 2 * kept, "{text}");
}

#[test]
fn what_a_tensor_does_not_have_is_refused() {
    let folder = Folder::new();
    let tensor = folder.file("t.txt", "1 1 1 2.5\n2 1 3 1\n");
    let dims = json(&["data", "info", &tensor, "--format", "tns", "--json"]);
    assert_eq!(dims["modes"].as_array().expect("modes").len(), 3, "{dims}");
    let refused = failure(&["data", "info", &tensor, "--format", "tns", "--undirected"], 2);
    assert!(refused.contains("are for graphs"), "{refused}");
}

#[test]
fn names_that_look_like_numbers_stay_names() {
    let folder = Folder::new();
    let file = folder.file("n.names", "007 a\n007 b\n42 c\n");
    let found = json(&["run", "cc", &file, "--top", "2", "--json"]);
    let top: Vec<&str> =
        found["result"]["top"].as_array().expect("groups").iter().filter_map(|g| g[0].as_str()).collect();
    assert_eq!(top, ["007", "42"], "{found}");
}

#[cfg(unix)]
#[test]
fn paths_may_be_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::ffi::OsStringExt;

    let folder = Folder::new();
    let mut path = folder.path("g").into_bytes();
    path.extend(b"\xff.d");
    let path = std::ffi::OsString::from_vec(path);
    let word = |text: &'static str| OsStr::from_bytes(text.as_bytes());
    let updates = folder.file("u", "1 2\n");
    let stream = [word("stream"), word("empty"), word("--updates"), OsStr::new(&updates), word("--into"), &path];
    assert!(pleach(&stream).status.success());
    let opened = pleach(&[word("open"), &path, word("--json")]);
    assert!(opened.status.success(), "{}", String::from_utf8_lossy(&opened.stderr));
    let mut out = folder.path("x").into_bytes();
    out.extend(b"\xff.mtx");
    let (out, matrix) = (
        std::ffi::OsString::from_vec(out),
        folder.file("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"),
    );
    let given = format!("A={matrix}");
    let eval = pleach(&[word("eval"), word("C(i,j) = A(i,j)"), OsStr::new(&given), word("-o"), &out, word("--json")]);
    assert!(eval.status.success(), "{}", String::from_utf8_lossy(&eval.stderr));
}
