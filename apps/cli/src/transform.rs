//! What `pleach data write` makes of a graph before it writes it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pleach::runtime::{GOLDEN, mix};
use pleach::{BuildOptions, EdgeList};
use pleach_datasets::{Attributes, Direction, Edges, IdMap, Input};

use super::Failure;
use super::input::{self, InputArgs, Winner};

/// Transformations, in the order in which they are made.
#[derive(Args)]
pub struct Transform {
    /// Make the graph undirected: every edge leads both ways
    #[arg(long)]
    symmetrise: bool,
    /// Merge edges that occur more than once, by --conflict
    #[arg(long)]
    merge: bool,
    /// Turn every edge around
    #[arg(long)]
    transpose: bool,
    /// Keep the vertices whose ids or names a file lists, one a line, and the edges between them
    #[arg(long, value_name = "FILE")]
    induced: Option<PathBuf>,
    /// Keep each edge with this probability, drawn with --seed
    #[arg(long, value_name = "P", value_parser = probability)]
    sample: Option<f64>,
    /// Keep the largest weakly connected component
    #[arg(long)]
    largest_component: bool,
    /// Number the vertices from 0: by falling degree, or by ascending id
    #[arg(long, value_enum, value_name = "ORDER")]
    relabel: Option<Order>,
}

/// How vertices are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Degree,
    Id,
}

fn probability(text: &str) -> Result<f64, String> {
    let wrong = || format!("expected a probability between 0 and 1, found `{text}`");
    text.parse().ok().filter(|p| (0.0..=1.0).contains(p)).ok_or_else(wrong)
}

impl Transform {
    /// Whether nothing is transformed.
    pub fn is_none(&self) -> bool {
        let Transform { merge, transpose, symmetrise, induced, sample, largest_component, relabel } = self;
        !(merge | transpose | symmetrise | largest_component)
            && induced.is_none()
            && sample.is_none()
            && relabel.is_none()
    }

    /// Refuses what cannot be read together with the graph.
    pub fn check(&self, args: &InputArgs) -> Result<(), Failure> {
        if args.name() == "-" && self.induced.as_deref().is_some_and(|path| path.as_os_str() == "-") {
            return Err(Failure::usage("the graph and the vertices of --induced cannot both come from standard input"));
        }
        Ok(())
    }

    /// Whether random numbers are drawn.
    pub fn draws(&self) -> bool {
        self.sample.is_some()
    }

    /// Makes them.
    pub fn apply(&self, args: &InputArgs, input: input::Input) -> Result<Input, Failure> {
        let loops = !args.drops_self_loops();
        let (named, merges) = (input.graph.name.clone(), self.merge || input.has_conflict_rule());
        let undirects = self.symmetrise && input.graph.directed;
        let (pattern, weighted) = (input.build_options::<()>(), input.build_options::<f64>());
        let is_undirected = pattern.undirected || undirects;
        let options = (pattern.with_undirected(is_undirected), weighted.with_undirected(is_undirected));
        let first = args.conflict == Some(Winner::First);
        let mut graph = input.graph;
        let changes = self.transpose
            || self.symmetrise
            || self.induced.is_some()
            || self.largest_component
            || self.relabel.is_some();
        if changes && !graph.is_square() {
            return Err(Failure::input(format!("{named} is no graph: it has not as many rows as columns")));
        }
        if !loops {
            graph = kept(graph, |_, src, dst| src != dst);
        }
        if undirects {
            // Merging comes afterwards: opposite arcs are one edge then, and the one that is last in the file counts.
            graph.directed = false;
            graph.mirrored = true;
            graph.declared = Some(Direction::Undirected);
        }
        if merges {
            graph = with_each_once(graph, options, first)?;
        }
        if self.transpose {
            graph.edges = match graph.edges {
                Edges::Pattern(list) => Edges::Pattern(turned(list)),
                Edges::Weighted(list) => Edges::Weighted(turned(list)),
            };
        }
        if let Some(path) = &self.induced {
            let text = if path.as_os_str() == "-" {
                std::io::read_to_string(std::io::stdin())
            } else {
                std::fs::read_to_string(path)
            };
            let text = text.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
            let mut keep = vec![false; graph.num_vertices()];
            for (line, name) in (1..).zip(text.lines().map(str::trim)) {
                if name.is_empty() || name.starts_with('#') {
                    continue;
                }
                let vertex = graph.ids.find(name);
                let missing = || Failure::input(format!("{}:{line}: {named} has no vertex {name}", path.display()));
                keep[vertex.ok_or_else(missing)? as usize] = true;
            }
            graph = among(graph, &keep);
        }
        if let Some(share) = self.sample {
            let seed = args.seed();
            // An edge that is listed from both ends is kept with both, or with none.
            let from_both = !graph.directed && !graph.mirrored;
            graph = kept(graph, |edge, src, dst| {
                let number = u64::from(src.min(dst)) << 32 | u64::from(src.max(dst));
                uniform(seed, if from_both { number } else { edge as u64 }) < share
            });
        }
        if self.largest_component {
            let keep = largest_component(&graph);
            graph = among(graph, &keep);
        }
        match self.relabel {
            None => {}
            Some(Order::Id) => graph.ids = IdMap::identity(graph.num_vertices()),
            Some(Order::Degree) => {
                let mut degrees = vec![0u32; graph.num_vertices()];
                let ends = graph.edges.src().iter().chain(graph.edges.dst());
                ends.for_each(|&vertex| degrees[vertex as usize] = degrees[vertex as usize].saturating_add(1));
                let mut order: Vec<u32> = (0..degrees.len() as u32).collect();
                order.sort_by_key(|&vertex| std::cmp::Reverse(degrees[vertex as usize]));
                let mut place = vec![0; order.len()];
                order.iter().zip(0..).for_each(|(&vertex, at)| place[vertex as usize] = at);
                graph.ids = IdMap::identity(place.len());
                let size = place.len();
                graph.attributes = graph.attributes.rearranged(|vertex| Some(place[vertex] as usize), Some);
                graph.edges = each(graph.edges, size, |_, src, dst| Some((place[src as usize], place[dst as usize])));
            }
        }
        graph.self_loops =
            graph.edges.src().iter().zip(graph.edges.dst()).filter(|(src, dst)| src == dst).count() as u64;
        Ok(graph)
    }
}

/// The edges that `choose` maps to others, of a graph with `vertices` vertices.
fn each(edges: Edges, size: usize, choose: impl Fn(usize, u32, u32) -> Option<(u32, u32)>) -> Edges {
    fn list<V: Copy>(
        from: EdgeList<V>,
        size: usize,
        choose: impl Fn(usize, u32, u32) -> Option<(u32, u32)>,
    ) -> EdgeList<V> {
        let (rows, cols) = if size == usize::MAX { (from.num_rows, from.num_cols) } else { (size, size) };
        let mut list = EdgeList::new(rows, cols);
        for (edge, ((&src, &dst), &weight)) in from.src.iter().zip(&from.dst).zip(&from.weight).enumerate() {
            if let Some((src, dst)) = choose(edge, src, dst) {
                list.push(src, dst, weight);
            }
        }
        list
    }
    match edges {
        Edges::Pattern(from) => Edges::Pattern(list(from, size, choose)),
        Edges::Weighted(from) => Edges::Weighted(list(from, size, choose)),
    }
}

/// The same vertices, and the edges that `keep` says.
fn kept(graph: Input, keep: impl Fn(usize, u32, u32) -> bool) -> Input {
    let choose = |edge, src, dst| keep(edge, src, dst).then_some((src, dst));
    let attributes = of_kept(&graph, Some, choose);
    Input { edges: each(graph.edges, usize::MAX, choose), attributes, ..graph }
}

/// The vertices that are kept, and the edges between them.
fn among(graph: Input, keep: &[bool]) -> Input {
    let mut place = vec![u32::MAX; keep.len()];
    let mut vertices = Vec::new();
    for (vertex, _) in keep.iter().enumerate().filter(|(_, keep)| **keep) {
        place[vertex] = vertices.len() as u32;
        vertices.push(vertex as u32);
    }
    let ids = if graph.ids.has_names() {
        let names: Vec<String> = vertices.iter().map(|&vertex| graph.ids.label(vertex).to_string()).collect();
        IdMap::from_sorted_names(names.iter().map(String::as_str))
    } else {
        IdMap::from_sorted(vertices.iter().map(|&vertex| graph.ids.external(vertex)).collect())
    };
    let there = |vertex: u32| Some(place[vertex as usize]).filter(|&place| place != u32::MAX);
    let choose = |_, src, dst| Some((there(src)?, there(dst)?));
    let attributes = of_kept(&graph, |vertex| there(vertex as u32).map(|place| place as usize), choose);
    Input { edges: each(graph.edges, vertices.len(), choose), ids, attributes, ..graph }
}

/// The attributes of the vertices and of the edges that are kept.
fn of_kept(
    graph: &Input,
    vertex: impl Fn(usize) -> Option<usize>,
    choose: impl Fn(usize, u32, u32) -> Option<(u32, u32)>,
) -> Attributes {
    if graph.attributes.is_empty() {
        return Attributes::default();
    }
    let mut next = 0..;
    let ends = graph.edges.src().iter().zip(graph.edges.dst()).enumerate();
    let places: Vec<Option<usize>> =
        ends.map(|(edge, (&src, &dst))| choose(edge, src, dst).and_then(|_| next.next())).collect();
    graph.attributes.rearranged(vertex, |edge| places[edge])
}

/// The attributes where each edge is there once, in order: those of the last of several, or of the first.
fn of_merged(graph: &Input, first: bool) -> Attributes {
    if graph.attributes.edges.is_empty() {
        return graph.attributes.clone();
    }
    let (src, dst) = (graph.edges.src(), graph.edges.dst());
    let key = |edge: usize| {
        let (src, dst) = (src[edge], dst[edge]);
        if graph.mirrored { (src.min(dst), src.max(dst)) } else { (src, dst) }
    };
    let mut order: Vec<usize> = (0..src.len()).collect();
    order.sort_by_key(|&edge| key(edge));
    let mut places = vec![None; src.len()];
    for (place, same) in order.chunk_by(|&a, &b| key(a) == key(b)).enumerate() {
        let kept = if first { same.first() } else { same.last() };
        kept.into_iter().for_each(|&edge| places[edge] = Some(place));
    }
    graph.attributes.rearranged(Some, |edge| places[edge])
}

/// The arcs turned around.
fn turned<V>(list: EdgeList<V>) -> EdgeList<V> {
    EdgeList { num_rows: list.num_cols, num_cols: list.num_rows, src: list.dst, dst: list.src, weight: list.weight }
}

/// The graph with each edge once. Of the attributes of edges that are merged, those of the `first` one remain, or of the last.
fn with_each_once(
    mut graph: Input,
    (pattern, weighted): (BuildOptions<()>, BuildOptions<f64>),
    first: bool,
) -> Result<Input, Failure> {
    graph.attributes = of_merged(&graph, first);
    graph.edges = match graph.edges {
        Edges::Pattern(list) => Edges::Pattern(merged(&list, pattern)?),
        Edges::Weighted(list) => Edges::Weighted(merged(&list, weighted)?),
    };
    Ok(graph)
}

/// Each edge once, sorted; of an undirected graph with its smaller end first.
fn merged<V: pleach::sort::Weight + pleach::runtime::Value>(
    list: &EdgeList<V>,
    options: BuildOptions<V>,
) -> Result<EdgeList<V>, Failure> {
    let undirected = options.undirected;
    let (rows, _) = pleach::Csr::from_edges(list, &options).map_err(Failure::input)?;
    let mut merged = EdgeList::new(list.num_rows, list.num_cols);
    let view = rows.view();
    let (offsets, coords, values) = (view.offsets(), view.coords(), view.values());
    for row in 0..rows.num_rows() {
        for at in offsets[row]..offsets[row + 1] {
            if !undirected || coords[at] as usize >= row {
                merged.push(row as u32, coords[at], values[at]);
            }
        }
    }
    Ok(merged)
}

/// The vertices of the largest weakly connected component; of several that with the first vertex.
fn largest_component(graph: &Input) -> Vec<bool> {
    let mut parent: Vec<u32> = (0..graph.num_vertices() as u32).collect();
    fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
        while parent[vertex as usize] != vertex {
            parent[vertex as usize] = parent[parent[vertex as usize] as usize];
            vertex = parent[vertex as usize];
        }
        vertex
    }
    for (&src, &dst) in graph.edges.src().iter().zip(graph.edges.dst()) {
        let (a, b) = (root(&mut parent, src), root(&mut parent, dst));
        parent[a.max(b) as usize] = a.min(b);
    }
    let roots: Vec<u32> = (0..parent.len() as u32).map(|vertex| root(&mut parent, vertex)).collect();
    let mut sizes = vec![0u32; roots.len()];
    roots.iter().for_each(|&root| sizes[root as usize] += 1);
    let largest = (0..sizes.len()).rev().max_by_key(|&root| sizes[root]);
    roots.iter().map(|&root| Some(root as usize) == largest).collect()
}

/// A number between 0 and 1 that depends on two others.
fn uniform(seed: u64, index: u64) -> f64 {
    let mixed = mix(seed.wrapping_mul(GOLDEN).wrapping_add(index.wrapping_add(1).wrapping_mul(0xbf58_476d_1ce4_e5b9)));
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}
