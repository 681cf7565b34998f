//! Files that SciPy and NetworkX write are read right, and read back what we write. Skipped, with a word, where Python or these are missing.

mod common;

use std::path::Path;
use std::process::Command;

/// Runs a script with the path of the command and a folder; its output, or nothing if a module is missing.
fn python(script: &str, modules: &str, folder: &Path) -> Option<String> {
    let there = Command::new("python3").args(["-c", &format!("import {modules}")]).output();
    if !there.is_ok_and(|found| found.status.success()) {
        eprintln!("skipped, because python3 has no {modules}");
        return None;
    }
    let run = Command::new("python3").args(["-c", script, env!("CARGO_BIN_EXE_pleach")]).arg(folder).output();
    let run = run.expect("python3 starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(String::from_utf8(run.stdout).expect("text"))
}

/// What both scripts begin with: the command as a function.
const BEGIN: &str = r#"
import os, subprocess, sys, json
command, folder = sys.argv[1:]
def pleach(*arguments):
    done = subprocess.run([command, *arguments], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout
at = lambda name: os.path.join(folder, name)
"#;

const NETWORKX: &str = r#"
import networkx as nx
def same(a, b, what):
    key = lambda graph, u, v: (str(u), str(v)) if graph.is_directed() else tuple(sorted((str(u), str(v))))
    edges = lambda graph: {key(graph, u, v): float(w) for u, v, w in graph.edges(data="weight", default=1.0)}
    assert edges(a) == edges(b), (what, edges(a), edges(b))
    assert sorted(map(str, a)) == sorted(map(str, b)), what
def simple(graph, directed):
    return (nx.DiGraph if directed else nx.Graph)(graph)
readers = {
    "graphml": lambda file: nx.read_graphml(file),
    "gexf": lambda file: nx.relabel_nodes(g := nx.read_gexf(file), {n: g.nodes[n].get("label") or n for n in g}),
    "net": lambda file: nx.read_pajek(file),
    "json": lambda file: nx.node_link_graph(json.load(open(file)), edges="edges" if "edges" in json.load(open(file)) else "links"),
}
def node_link(graph, file):
    with open(file, "w") as out:
        json.dump(nx.node_link_data(graph, edges="links"), out)
writers = {
    "graphml": nx.write_graphml, "gexf": nx.write_gexf, "net": nx.write_pajek, "json": node_link,
}
for directed in (False, True):
    kind = nx.DiGraph if directed else nx.Graph
    weighted = kind()
    weighted.add_weighted_edges_from([("1", "2", 0.5), ("2", "3", 4.0), ("3", "1", 2.25), ("3", "3", 1.5), ("5", "1", 7.0)])
    if directed:
        weighted.add_edge("2", "1", weight=9.0)
    weighted.add_node("8")
    named = kind([("ann", "bob"), ("bob", "Zoë Z."), ("dan", "ann")])
    for graph, name in ((weighted, "weighted"), (named, "named")):
        for ending, write in writers.items():
            file = f"{name}{directed}.{ending}"
            write(graph, at(file))
            info = json.loads(pleach("data", "info", file, "--json"))
            assert (info["vertices"], info["edges"]) == (len(graph), graph.number_of_edges()), (file, info)
            assert info["directed"] == directed, (file, info)
            for to, read in readers.items():
                out = f"{name}{directed}-{ending}.{to}"
                pleach("-q", "data", "write", file, "-o", out)
                same(simple(read(at(out)), directed), graph, (file, out))
    ranks = nx.pagerank(weighted, alpha=0.85, tol=1e-12, weight=None)
    pleach("run", "pagerank", f"weighted{directed}.graphml", "--out", "ranks")
    for line in open(at("ranks")):
        vertex, rank = line.rsplit(" ", 1)
        assert abs(ranks[vertex] - float(rank)) < 1e-8, (vertex, ranks[vertex], rank)
print("done")
"#;

const SCIPY: &str = r#"
import numpy as np, scipy.io, scipy.sparse as sp
rng = np.random.default_rng(5)
matrix = sp.random(40, 40, 0.1, format="csr", random_state=rng, data_rvs=lambda n: rng.integers(1, 1000, n) / 8)
def same(a, b, what):
    assert a.shape == b.shape, (what, a.shape, b.shape)
    assert abs(sp.csr_matrix(a) - sp.csr_matrix(b)).nnz == 0, what
kinds = ["csr", "csc", "coo", "bsr", "dia"]
for kind in kinds:
    sp.save_npz(at(f"{kind}.npz"), matrix.asformat(kind))
scipy.io.mmwrite(at("general.mtx"), matrix)
symmetric = (matrix + matrix.T).tocsr()
scipy.io.mmwrite(at("symmetric.mtx"), symmetric, symmetry="symmetric")
scipy.io.mmwrite(at("pattern.mtx"), matrix, field="pattern")
scipy.io.hb_write(at("matrix.rua"), matrix.tocsc())
sources = {**{f"{kind}.npz": matrix for kind in kinds}, "general.mtx": matrix, "symmetric.mtx": symmetric, "matrix.rua": matrix}
for file, expected in sources.items():
    for to in ["npz", "mtx"]:
        out = file.replace(".", "-") + "." + to
        pleach("-q", "data", "write", file, "-o", out)
        back = sp.load_npz(at(out)) if to == "npz" else scipy.io.mmread(at(out))
        same(back, expected, (file, out))
pleach("-q", "data", "write", "pattern.mtx", "-o", "pattern-out.npz")
same(sp.load_npz(at("pattern-out.npz")).astype(float), (matrix != 0).astype(float), "pattern")
# Through our own binary, and rectangular ones.
wide = sp.random(7, 19, 0.3, format="csr", random_state=rng)
sp.save_npz(at("wide.npz"), wide)
for step, to in [("wide.npz", "wide.plg"), ("wide.plg", "wide.mtx")]:
    pleach("-q", "data", "write", step, "-o", to)
same(scipy.io.mmread(at("wide.mtx")), wide, "wide")
product = pleach("eval", "y(i) = A(i,j) * x(j)", "-f", "A=csr", "A=csr.npz", "x=1", "--json")
entries = {row: value for row, value in json.loads(product)["results"][0]["entries"]}
assert np.allclose([entries.get(k + 1, 0.0) for k in range(40)], matrix @ np.ones(40)), "product"
print("done")
"#;

#[test]
fn networkx_reads_what_is_written_and_writes_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let said = python(&format!("{BEGIN}{NETWORKX}"), "networkx, numpy, scipy", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}

#[test]
fn scipy_reads_what_is_written_and_writes_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let said = python(&format!("{BEGIN}{SCIPY}"), "numpy, scipy", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}
