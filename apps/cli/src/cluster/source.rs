//! What each worker reads of the graph.

use std::ops::Range;
use std::sync::Arc as Common;

use pleach_cluster::{Arc, Arcs, Lost, Names, Numbered, Places, Wire};
use pleach_datasets::{Edges, IdMap, ListedIds, Share, Shared, Weights};

use super::super::Failure;
use super::super::input::InputArgs;
use super::super::output::note;
use super::worker::Ended;

/// Arcs of a whole graph that are handed out at a time.
const PIECE: usize = 1 << 18;

/// What a worker reads of a graph, and of what kind the graph is.
pub struct Source {
    arcs: Origin,
    /// The file, if it is read in shares.
    shared: Option<Shared>,
    /// Whether arcs have a direction.
    pub directed: bool,
    /// Whether every arc stands for two.
    pub mirrored: bool,
    /// The ids of vertices, if arcs have their places among all.
    places: Option<Places>,
    /// The names of vertices, if they have any.
    pub names: Option<Common<Names>>,
    /// Whether all vertices are listed besides the arcs.
    pub listed: bool,
}

enum Origin {
    /// The share of a file.
    Share(Box<Share>),
    /// The share of a file with names.
    Named(Box<Numbered>),
    /// Nothing, or the whole of a graph that cannot be read in parts.
    Whole(Option<Whole>),
}

/// A graph in memory, and the part of it that has not been sent yet.
struct Whole {
    edges: Edges,
    ids: IdMap,
    arcs: Range<usize>,
    vertices: Range<usize>,
}

impl Whole {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> bool {
        let Whole { edges, ids, .. } = self;
        alone.extend(self.vertices.by_ref().take(PIECE).map(|vertex| ids.external(vertex as u32)));
        let (src, dst) = (edges.src(), edges.dst());
        let weight = |k: usize| edges.weight().map_or(1.0, |weights| weights[k]);
        let arc = |k: usize| Arc { from: ids.external(src[k]), to: ids.external(dst[k]), weight: weight(k) };
        arcs.extend(self.arcs.by_ref().take(PIECE).map(arc));
        !self.arcs.is_empty() || !self.vertices.is_empty()
    }
}

impl Arcs for Source {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        Ok(match &mut self.arcs {
            Origin::Share(share) => {
                let mut arc = |from, to, weight| arcs.push(Arc { from, to, weight });
                share.next(&mut arc, &mut |vertex| alone.push(vertex)).map_err(|error| error.to_string())?
            }
            Origin::Named(named) => named.next(arcs, alone)?,
            Origin::Whole(whole) => whole.as_mut().is_some_and(|whole| whole.next(arcs, alone)),
        })
    }

    fn translate(&mut self, wire: &mut Wire<'_>, arcs: &mut [Arc], alone: &mut [u64]) -> Result<(), Lost> {
        if let Origin::Named(named) = &mut self.arcs {
            return named.translate(wire, arcs, alone);
        }
        let ends = arcs.iter_mut().flat_map(|arc| [&mut arc.from, &mut arc.to]);
        self.call(wire, ends.chain(alone).collect())
    }
}

impl Source {
    /// What this worker will read; all workers call it alike.
    pub fn open(args: &InputArgs, weights: Weights, wire: &mut Wire<'_>) -> Result<Source, Ended> {
        let mine = Self::of(args, weights, (wire.worker(), wire.workers()));
        let words = |failure: Failure| match failure {
            Failure::Input(words) | Failure::Usage(words) | Failure::NoVertex(words) | Failure::Exhausted(words) => {
                words
            }
            _ => "was interrupted".to_owned(),
        };
        let (mut source, named) = wire.agree(mine.map_err(words))?.map_err(Failure::input)?;
        source.count(wire)?;
        let named = source.shared.as_ref().map_or(named, |shared| shared.named);
        let kind = [source.directed, source.mirrored, named, source.listed].map(u8::from);
        // Worker 0 always knows.
        let [directed, mirrored, named, listed] = wire.all(kind)?[0].map(|known| known == 1);
        (source.directed, source.mirrored, source.listed) = (directed, mirrored, listed);
        if source.shared.as_ref().is_some_and(|shared| shared.num_listed().is_some()) {
            source.list(wire)?;
        } else if named {
            source.number(wire)?;
        }
        Ok(source)
    }

    /// The source, and whether vertices have names, as far as this worker knows.
    fn of(args: &InputArgs, weights: Weights, (me, workers): (usize, usize)) -> Result<(Source, bool), Failure> {
        let options = args.reading(weights)?;
        let source = |arcs, shared, [directed, mirrored, listed]: [bool; 3]| Source {
            arcs,
            shared,
            directed,
            mirrored,
            places: None,
            names: None,
            listed,
        };
        if let Some(shared) = Shared::open(args.name(), &options).map_err(Failure::input)? {
            // What is part of the program needs no note.
            if workers > 1 && me == 0 && !shared.is_divided() && std::path::Path::new(args.name()).exists() {
                note(format_args!("worker 0 reads {}, and hands it out block by block", args.name()));
            }
            let origin = match shared.needs_counts() {
                true => Origin::Whole(None),
                false => Origin::Share(Box::new(shared.share(me, workers).map_err(Failure::input)?)),
            };
            let (kind, named) = ([shared.directed, shared.mirrored, shared.listed], shared.named);
            return Ok((source(origin, Some(shared), kind), named));
        }
        if me > 0 {
            return Ok((source(Origin::Whole(None), None, [false; 3]), false));
        }
        let mut input = args.load(weights)?;
        if workers > 1 {
            note(format_args!("{} cannot be read in parts: worker 0 holds it while it hands it out", args.name()));
        }
        let edges = input.take_edges()?;
        let (kind, named) = ([input.graph.directed, input.graph.mirrored, false], input.graph.ids.has_names());
        let ids = input.graph.ids;
        let whole = Whole { arcs: 0..edges.len(), vertices: 0..ids.len(), edges, ids };
        Ok((source(Origin::Whole(Some(whole)), None, kind), named))
    }

    /// Counts the rows of all shares, where a share cannot be read before.
    fn count(&mut self, wire: &mut Wire<'_>) -> Result<(), Ended> {
        let (me, workers) = (wire.worker(), wire.workers());
        let Some(shared) = self.shared.as_mut().filter(|shared| shared.needs_counts()) else { return Ok(()) };
        let counts = shared.count(me, workers).map_err(|error| error.to_string());
        let mine = wire.agree(counts)?.map_err(Failure::input)?;
        let all = wire.all(mine)?;
        // All workers find the same.
        shared.take_counts(&all).map_err(Failure::input)?;
        (self.directed, self.mirrored) = (shared.directed, shared.mirrored);
        let share = shared.share(me, workers).map_err(|error| error.to_string());
        self.arcs = Origin::Share(Box::new(wire.agree(share)?.map_err(Failure::input)?));
        Ok(())
    }

    /// Gives vertices their ids, where [`next`](Arcs::next) has called them by places. All workers call it alike.
    pub fn call(&self, wire: &mut Wire<'_>, places: Vec<&mut u64>) -> Result<(), Lost> {
        self.places.as_ref().map_or(Ok(()), |list| list.call(wire, places))
    }

    /// Reads what vertices are called in a file that lists it.
    fn list(&mut self, wire: &mut Wire<'_>) -> Result<(), Ended> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let own = shared.listed_ids(wire.worker(), wire.workers()).map_err(|error| error.to_string());
        match wire.agree(own)?.map_err(Failure::input)? {
            ListedIds::Numbers(own) => self.places = Some(Places::of(wire, own)?),
            ListedIds::Names(own) => self.names = Some(Common::new(ascending(wire, own, shared)?)),
            ListedIds::Labels(own) => (self.places, self.names) = labelled(wire, own)?,
        }
        Ok(())
    }

    /// Numbers the names of all vertices.
    fn number(&mut self, wire: &mut Wire<'_>) -> Result<(), Ended> {
        let failed = |error: pleach_cluster::LoadError| match error {
            pleach_cluster::LoadError::Lost(lost) => Ended::Lost(lost),
            other => Ended::Failed(Failure::input(other)),
        };
        if let (Origin::Share(share), Some(shared)) = (&mut self.arcs, &self.shared) {
            let names = Common::new(Names::gather(wire, share).map_err(failed)?);
            // Each share is read once more, for its arcs.
            let again = shared.share(wire.worker(), wire.workers()).map_err(|error| error.to_string());
            let again = wire.agree(again)?.map_err(Failure::input)?;
            self.arcs = Origin::Named(Box::new(names.arcs(again)));
            self.names = Some(names);
            return Ok(());
        }
        // A graph in memory has its names in their order already.
        let met = match &self.arcs {
            Origin::Whole(Some(whole)) => whole.ids.labels().map(|name| name.to_string().into()).collect(),
            _ => Vec::new(),
        };
        self.names = Some(Common::new(Names::of(wire, met)?));
        Ok(())
    }

    /// Checks that all workers together have read what the file promises.
    pub fn check(&self, wire: &mut Wire<'_>) -> Result<(), Ended> {
        let mine = if let Origin::Share(share) = &self.arcs { share.tally() } else { Default::default() };
        let all = wire.all(mine)?;
        let checked = match (&self.shared, &self.arcs) {
            (Some(shared), Origin::Share(_)) => shared.check(&all),
            _ => Ok(()),
        };
        Ok(checked.map_err(Failure::input)?)
    }
}

/// Names that a file lists in their order: the number of a name is its place in the list, if the list is what it should be.
fn ascending(wire: &mut Wire<'_>, own: Vec<Box<str>>, shared: &Shared) -> Result<Names, Ended> {
    let counts = wire.all(own.len() as u64)?;
    let first: u64 = counts[..wire.worker()].iter().sum();
    let ends: Vec<Box<str>> = own.first().into_iter().chain(own.last()).cloned().collect();
    let expected = [first, (first + own.len() as u64).wrapping_sub(1)];
    let names = Names::of(wire, own)?;
    let found = names.find(wire, &ends)?;
    let right = found.iter().zip(expected).all(|(found, expected)| *found == Some(expected));
    let right = match right && shared.num_listed() == Some(names.len()) {
        true => Ok(()),
        false => Err(format!(
            "expected {} names that increase, found {} that differ",
            shared.num_listed().unwrap_or_default(),
            names.len()
        )),
    };
    wire.agree(right)?.map_err(Failure::input)?;
    Ok(names)
}

/// The ids of vertices by their places, and their names: labels are names, or ids, if all are different.
fn labelled(wire: &mut Wire<'_>, own: Vec<Box<str>>) -> Result<(Option<Places>, Option<Common<Names>>), Ended> {
    let id = |label: &str| label.parse::<u64>().ok().filter(|id| id.to_string() == label);
    let ids: Option<Vec<u64>> = own.iter().map(|label| id(label)).collect();
    let counts = wire.all([own.len() as u64, u64::from(ids.is_some())])?;
    let sum = |counts: &[[u64; 2]]| counts.iter().map(|count| count[0]).sum::<u64>();
    let (all, first) = (sum(&counts), sum(&counts[..wire.worker()]));
    let names = Names::of(wire, own.clone())?;
    let places = || (first..).zip(&own).map(|(place, _): (u64, _)| place + 1);
    if names.len() != all {
        return Ok((Some(Places::of(wire, places().collect())?), None));
    }
    if counts.iter().all(|count| count[1] == 1) {
        return Ok((Some(Places::of(wire, ids.unwrap_or_default())?), None));
    }
    let numbers = names.find(wire, &own)?;
    let numbers = numbers.into_iter().zip(places()).map(|(number, place)| number.unwrap_or(place)).collect();
    Ok((Some(Places::of(wire, numbers)?), Some(Common::new(names))))
}
