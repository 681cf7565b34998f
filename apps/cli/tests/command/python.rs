//! Files that SciPy, NetworkX, igraph and PyArrow write are read right, and they read back what we write. Skipped, with a word, where Python or these are missing.

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

/// Attributes of all types through every pair of formats that have them.
const ATTRIBUTES: &str = r#"
import networkx as nx
graph = nx.DiGraph()
graph.add_node("ann b", age=3, colour="red & <blue>", ok=True, height=1.5)
graph.add_node("c", age=-7, colour="say \"so\"")
graph.add_node("d")
graph.add_edge("ann b", "c", weight=2.5, since=1999, note="two words", sure=False)
graph.add_edge("c", "d", weight=1.0, share=0.25)
graph.add_edge("d", "d", weight=4.0, since=2001, share=0.5, note="007")
def node_link(graph, file):
    with open(file, "w") as out:
        json.dump(nx.node_link_data(graph, edges="edges"), out)
def as_texts(graph):
    # NetworkX writes only texts to Pajek.
    texts = graph.copy()
    for node in texts:
        texts.nodes[node].update({key: str(value) for key, value in texts.nodes[node].items()})
    for *_, data in texts.edges(data=True):
        data.update({key: str(value) for key, value in data.items() if key != "weight"})
    return texts
writers = {"graphml": nx.write_graphml, "gexf": nx.write_gexf, "json": node_link}
readers = {"graphml": nx.read_graphml, "gexf": nx.read_gexf, "json": lambda file: nx.node_link_graph(json.load(open(file)), edges="edges"), "net": lambda file: nx.DiGraph(nx.read_pajek(file))}
def plain(data, kind):
    hidden = {"gexf": ("label", "id"), "net": ("id", "x", "y", "shape")}.get(kind, ())
    return {key: str(value).lower() if kind == "net" else value for key, value in data.items() if key not in hidden and key != "weight"}
for ending, write in writers.items():
    write(graph, at(f"a.{ending}"))
    for to, read in readers.items():
        pleach("data", "write", f"a.{ending}", "-o", f"b.{to}")
        back = read(at(f"b.{to}"))
        for node, data in graph.nodes(data=True):
            assert plain(back.nodes[node], to) == plain(data, to), (ending, to, node, back.nodes[node])
        for u, v, data in graph.edges(data=True):
            assert back.edges[u, v]["weight"] == data["weight"], (ending, to)
            assert plain(back.edges[u, v], to) == plain(data, to), (ending, to, u, v, back.edges[u, v])
nx.write_pajek(as_texts(graph), at("p.net"))
pleach("data", "write", "p.net", "-o", "p.json")
back = readers["json"](at("p.json"))
assert (back.nodes["ann b"]["age"], back.edges["ann b", "c"]["since"]) == (3, 1999), back.nodes(data=True)
print("done")
"#;

/// Attributes of edges, with rows that have none, in the tables of PyArrow.
const COLUMNS: &str = r#"
import pyarrow as pa, pyarrow.parquet as pq, datetime
columns = {"src": pa.array([1, 2, 3]), "dst": pa.array([2, 3, 1]), "since": pa.array([1999, None, -5], pa.int16()),
    "share": pa.array([None, 0.5, 2.0], pa.float32()), "ok": pa.array([True, None, False]), "kind": pa.array(["a, \"b\"", "é", None]).dictionary_encode(),
    "big": pa.array([2**63 - 1, 0, None], pa.uint64()), "none": pa.array([None, None, None], pa.string())}
expected = {"since": [1999, None, -5], "share": [None, 0.5, 2.0], "ok": [True, None, False], "kind": ["a, \"b\"", "é", None], "big": [2**63 - 1, 0, None]}
when = pa.array([datetime.datetime(2020, 2, 29, 12, 30, 5, 120), None, datetime.datetime(1969, 12, 31, 23, 59, 59)], pa.timestamp("us"))
day = pa.array([datetime.date(2000, 2, 29), datetime.date(1900, 3, 1), None])
expected |= {"when": ["2020-02-29T12:30:05.00012", None, "1969-12-31T23:59:59"], "day": ["2000-02-29", "1900-03-01", None]}
clock = pa.array([datetime.time(1, 2)] * 3)
table = pa.table({**columns, "when": when, "day": day, "clock": clock})
pq.write_table(table, at("a.parquet"), row_group_size=2)
with pa.ipc.new_file(at("a.arrow"), table.schema) as out:
    out.write_table(table, max_chunksize=2)
read = {"parquet": pq.read_table, "arrow": lambda file: pa.ipc.open_file(file).read_all(), "arrows": lambda file: pa.ipc.open_stream(file).read_all()}
for file in ("a.parquet", "a.arrow"):
    said = subprocess.run([command, "data", "write", file, "-o", "b.csv"], capture_output=True, text=True, cwd=folder).stderr
    assert "not kept: `clock` of edges (Time" in said, said
    for source in (file, "b.csv"):
        for to, reader in read.items():
            pleach("data", "write", source, "-o", f"c.{to}")
            found = reader(at(f"c.{to}")).to_pydict()
            assert {key: found[key] for key in expected} == expected, (source, to, found)
            assert (found["src"], found["dst"]) == ([1, 2, 3], [2, 3, 1]) and "clock" not in found and "none" not in found, found
print("done")
"#;

#[test]
fn attributes_go_between_the_formats_of_networkx() {
    let folder = tempfile::tempdir().unwrap();
    let said = python(&format!("{BEGIN}{ATTRIBUTES}"), "networkx", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}

#[test]
fn attributes_go_between_the_tables_of_pyarrow() {
    let folder = tempfile::tempdir().unwrap();
    let said = python(&format!("{BEGIN}{COLUMNS}"), "pyarrow, pyarrow.parquet", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}

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

const IGRAPH: &str = r#"
import igraph
def same(graph, other, named, what):
    label = lambda graph, v: graph.vs[v][named] if named in graph.vs.attributes() else str(v)
    weights = lambda graph: graph.es["weight"] if "weight" in graph.es.attributes() else [1.0] * graph.ecount()
    key = lambda graph, e: (lambda pair: pair if graph.is_directed() else tuple(sorted(pair)))((label(graph, e.source), label(graph, e.target)))
    edges = lambda graph: sorted((key(graph, e), float(w)) for e, w in zip(graph.es, weights(graph)))
    assert graph.is_directed() == other.is_directed(), what
    assert edges(graph) == edges(other), (what, edges(graph), edges(other))
    assert sorted(label(graph, v) for v in range(graph.vcount())) == sorted(label(other, v) for v in range(other.vcount())), what
readers = {"graphml": (igraph.Graph.Read_GraphML, "id"), "net": (igraph.Graph.Read_Pajek, "name")}
for directed in (False, True):
    graph = igraph.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (4, 2)], directed=directed)
    graph.add_vertices(1)
    # No `&`, which igraph reads wrong in attributes of XML.
    graph.vs["name"] = ["ann", "bob", "new york", "Zoë", "x <y>", "alone"]
    graph.es["weight"] = [0.5, 2.0, -1.0, 1e-3, 7.0]
    graph.es["since"] = [1999, 2000, 2001, 2002, 2003]
    for ending, write in (("graphml", graph.write_graphml), ("net", graph.write_pajek)):
        file = f"graph{directed}.{ending}"
        write(at(file))
        for to, (read, named) in readers.items():
            out = f"{directed}-{ending}.{to}"
            pleach("-q", "data", "write", file, "-o", out)
            back = read(at(out))
            back.vs["name"] = back.vs[named]
            same(graph, back, "name", (file, out))
            if ending == "graphml":
                assert sorted(back.es["since"]) == [1999, 2000, 2001, 2002, 2003] or to == "net", back.es["since"]
                assert sorted(map(float, back.es["since"])) == [1999, 2000, 2001, 2002, 2003], back.es["since"]
    info = json.loads(pleach("data", "info", f"graph{directed}.graphml", "--json"))
    assert (info["notes"], info["attributes"]["edges"]) == ([], [{"name": "since", "type": "float", "values": 5}]), info
    plain = igraph.Graph.Ring(5, directed=directed)
    plain.write_pajek(at("plain.net"))
    info = json.loads(pleach("data", "info", "plain.net", "--json"))
    assert (info["vertices"], info["edges"], info["directed"], info["ids"]) == (5, 5, directed, [1, 5]), info
print("done")
"#;

const PYARROW: &str = r#"
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.feather as feather, random
random.seed(7)
count = 5000
numbers = [(random.randrange(300), random.randrange(300), random.randrange(1, 9) / 4) for _ in range(count)]
def named(pair): return [(f"v{a}", f"v{b}", w) for a, b, w in pair]
def table(edges, ends, weights=pa.float64()):
    src, dst, weight = zip(*edges)
    return pa.table({"src": pa.array(src, ends), "dst": pa.array(dst, ends), "weight": pa.array(weight, weights), "when": pa.array(range(len(src)))})
def written(file):
    text = pleach("-q", "data", "write", file, "-o", "-", "--to", "tsv")
    rows = [line.split("\t") for line in text.splitlines() if line[0] not in "%\x23"]
    return sorted((a, b, float(w)) for a, b, w in rows)
expected = sorted((str(a), str(b), w) for a, b, w in numbers)
texts = sorted((f"v{a}", f"v{b}", w) for a, b, w in numbers)
for ends in (pa.int16(), pa.int32(), pa.int64(), pa.uint16(), pa.uint32(), pa.uint64()):
    pq.write_table(table(numbers, ends), at("t.parquet"), row_group_size=1000)
    assert written("t.parquet") == expected, ends
    feather.write_feather(table(numbers, ends, pa.float32()), at("t.feather"), chunksize=700)
    assert written("t.feather") == expected, ends
for compression in ("none", "snappy", "gzip", "zstd", "lz4"):
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            options = dict(compression=compression, data_page_version=version, use_dictionary=dictionary, data_page_size=4096)
            pq.write_table(table(numbers, pa.int64()), at("c.parquet"), **options)
            assert written("c.parquet") == expected, options
            pq.write_table(table(named(numbers), pa.string()), at("c.parquet"), **options)
            assert written("c.parquet") == texts, options
delta = dict(use_dictionary=False, column_encoding={"src": "DELTA_BINARY_PACKED", "dst": "DELTA_BINARY_PACKED", "weight": "BYTE_STREAM_SPLIT", "when": "PLAIN"})
pq.write_table(table(numbers, pa.int64()), at("d.parquet"), **delta)
assert written("d.parquet") == expected
for ends in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
    for codec in ("uncompressed", "lz4", "zstd"):
        options = pa.ipc.IpcWriteOptions(compression=None if codec == "uncompressed" else codec)
        columns = table(named(numbers), pa.string()).cast(pa.schema([("src", ends), ("dst", ends), ("weight", pa.float64()), ("when", pa.int64())]))
        for name, writer in (("n.arrow", pa.ipc.new_file), ("n.arrows", pa.ipc.new_stream)):
            with writer(at(name), columns.schema, options=options) as out:
                out.write_table(columns, max_chunksize=900)
            assert written(name) == texts, (ends, codec, name)
# What the command writes, for graphs with ids and with names.
for graph, directed in (("karate", False), ("florentine", False), ("rmat:10", False), ("d.parquet", True)):
    facts = json.loads(pleach("data", "info", graph, "--json"))
    for out, read in (("g.parquet", pq.read_table), ("g.arrow", lambda f: pa.ipc.open_file(f).read_all()), ("g.arrows", lambda f: pa.ipc.open_stream(f).read_all()),
                      ("g.feather", feather.read_table)):
        pleach("-q", "data", "write", graph, "-o", out)
        found = read(at(out))
        assert found.schema.names[:2] == ["src", "dst"], found.schema
        assert found.schema.metadata[b"directed"] == str(directed).lower().encode(), found.schema.metadata
        again = json.loads(pleach("data", "info", out, "--json"))
        assert (again["edges"], again["directed"]) == (facts["edges"], directed), (graph, out)
        # A table of edges has no place for the last vertex of this one, which has no edge.
        assert again["ids"] == ([0, 1022] if graph == "rmat:10" else facts["ids"]), (graph, out)
        assert len(found) == facts["edges"] + facts["duplicates"], (graph, out)
print("done")
"#;

#[test]
fn igraph_reads_what_is_written_and_writes_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let said = python(&format!("{BEGIN}{IGRAPH}"), "igraph", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}

#[test]
fn pyarrow_reads_what_is_written_and_writes_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let said = python(&format!("{BEGIN}{PYARROW}"), "pyarrow, pyarrow.parquet", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}

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

/// Published matrices in each format that SciPy has too: what we convert equals what SciPy reads, and what SciPy converts is read back.
const CONVERSIONS: &str = r#"
import glob, scipy.io, scipy.sparse as sp
formats = [("csr", "csr"), ("csc", "csc"), ("coo", "coo"), ("dia", "dia"), ("bcsr<2, 2>", "bsr")]
def same(a, b, what):
    assert a.shape == b.shape, what
    assert (a.tocsr() != b.tocsr()).nnz == 0, what
count = 0
for file in sorted(glob.glob(os.path.join(data, "matrices", "*.mtx*"))):
    want = scipy.io.mmread(file).tocsr()
    want.sum_duplicates()
    if want.nnz > 20000:
        continue
    for ours, theirs in formats:
        what = (file, ours)
        if theirs == "bsr" and (want.shape[0] % 2 or want.shape[1] % 2):
            continue
        if theirs == "dia" and want.todia().data.size > 32 * want.nnz + 2**20:
            continue
        pleach("convert", file, "ours.npz", "--to", ours)
        got = sp.load_npz(at("ours.npz"))
        assert got.format == theirs, what
        got.check_format() if hasattr(got, "check_format") else None
        same(got, want, what)
        own = want.tobsr((2, 2)) if theirs == "bsr" else want.asformat(theirs)
        sp.save_npz(at("theirs.npz"), own)
        pleach("convert", "theirs.npz", "back.mtx", "--to", "csr")
        same(scipy.io.mmread(at("back.mtx")), want, what)
        count += 1
assert count > 30, count
print("done")
"#;

#[test]
fn conversions_of_published_matrices_are_those_of_scipy() {
    let Some(data) = crate::common::data("conversions_of_published_matrices_are_those_of_scipy") else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = data.canonicalize().expect("the folder is there").display().to_string();
    let script = format!("{BEGIN}data = {data:?}\n{CONVERSIONS}");
    let said = python(&script, "numpy, scipy", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}

/// The program that runs SciPy in benches has every kernel that we compare with SciPy's.
#[test]
fn kernels_of_scipy_are_measured_beside_ours() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers/scipy_kernels.py");
    let script = format!(
        r#"{BEGIN}
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
short = ["--graph", "karate", "--threads", "1", "--rounds", "1", "--seconds", "0.01", "--json"]
for suite, works in [
    ("kernels", ["spmm, 32 columns", "sddmm, 32", "spgemm, A A"]),
    ("add", ["csr + csr", "transpose csr"]),
    ("spmv", ["spmv"]),
    ("convert", ["coo to csr, fresh pages", "csr to csc, fresh pages"]),
]:
    rows = json.loads(pleach("bench", suite, *short, "--peer", "scipy={}"))["rows"]
    for work in works:
        row = next(row for row in rows if (row["work"], row["competitor"]) == (work, "scipy"))
        assert row["median"] is not None and row["side"] == "peer", row
print("done")
"#,
        program.display()
    );
    let folder = tempfile::tempdir().unwrap();
    let said = python(&script, "numpy, scipy", folder.path());
    assert!(said.is_none_or(|said| said == "done\n"));
}
