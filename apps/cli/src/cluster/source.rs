//! What each worker reads of the graph.

use std::sync::Arc as Common;

use pleach_cluster::{Arc, Arcs, Lost, Names, Numbered, Places, Wire};
use pleach_datasets::{ListedIds, Share, Shared, Weights};

use super::super::Failure;
use super::super::input::InputArgs;
use super::super::output::note;
use super::worker::Ended;

/// What a worker reads of a graph, and of what kind the graph is.
pub struct Source {
    arcs: Origin,
    shared: Shared,
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
    /// Nothing yet: the shares of all workers must be counted first.
    Uncounted,
}

impl Arcs for Source {
    fn next(&mut self, arcs: &mut Vec<Arc>, alone: &mut Vec<u64>) -> Result<bool, String> {
        Ok(match &mut self.arcs {
            Origin::Share(share) => {
                let mut arc = |from, to, weight| arcs.push(Arc { from, to, weight });
                share.next(&mut arc, &mut |vertex| alone.push(vertex)).map_err(|error| error.to_string())?
            }
            Origin::Named(named) => named.next(arcs, alone)?,
            Origin::Uncounted => false,
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
        let mut source = wire.agree(mine.map_err(words))?.map_err(Failure::input)?;
        source.count(wire)?;
        let kind = [source.directed, source.mirrored, source.shared.named, source.listed].map(u8::from);
        // Worker 0 always knows.
        let [directed, mirrored, named, listed] = wire.all(kind)?[0].map(|known| known == 1);
        (source.directed, source.mirrored, source.listed) = (directed, mirrored, listed);
        if source.shared.num_listed().is_some() {
            source.list(wire)?;
        } else if named {
            source.number(wire)?;
        }
        Ok(source)
    }

    /// The source, as this worker sees it before the workers have talked to each other.
    fn of(args: &InputArgs, weights: Weights, (me, workers): (usize, usize)) -> Result<Source, Failure> {
        let options = args.reading(weights)?;
        let Some(shared) = Shared::open(args.name(), &options).map_err(Failure::input)? else {
            let name = args.name();
            return Err(Failure::input(format!(
                "{name} cannot be read in parts by workers: convert it first, `pleach data write {name} -o FILE.plg`"
            )));
        };
        // Bundled and generated graphs need no note.
        if workers > 1 && me == 0 && !shared.is_divided() && std::path::Path::new(args.name()).exists() {
            note(format_args!("worker 0 reads {}, and hands it out block by block", args.name()));
        }
        let arcs = match shared.needs_counts() {
            true => Origin::Uncounted,
            false => Origin::Share(Box::new(shared.share(me, workers).map_err(Failure::input)?)),
        };
        let (directed, mirrored, listed) = (shared.directed, shared.mirrored, shared.listed);
        Ok(Source { arcs, shared, directed, mirrored, places: None, names: None, listed })
    }

    /// Counts the rows of all shares, where a share cannot be read before.
    fn count(&mut self, wire: &mut Wire<'_>) -> Result<(), Ended> {
        let (me, workers) = (wire.worker(), wire.workers());
        let shared = &mut self.shared;
        if !shared.needs_counts() {
            return Ok(());
        }
        let counts = shared.count(me, workers).map_err(|error| error.to_string());
        let mine = wire.agree(counts)?.map_err(Failure::input)?;
        let all = wire.all(mine)?;
        // All workers find the same.
        shared.take_counts(&all).map_err(Failure::input)?;
        if me == 0 {
            shared.note.iter().for_each(note);
        }
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
        let shared = &self.shared;
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
        let Origin::Share(share) = &mut self.arcs else { return Ok(()) };
        let names = Common::new(Names::gather(wire, share).map_err(failed)?);
        // Each share is read once more, for its arcs.
        let again = self.shared.share(wire.worker(), wire.workers()).map_err(|error| error.to_string());
        let again = wire.agree(again)?.map_err(Failure::input)?;
        self.arcs = Origin::Named(Box::new(names.arcs(again)));
        self.names = Some(names);
        Ok(())
    }

    /// Checks that all workers together have read what the file promises.
    pub fn check(&self, wire: &mut Wire<'_>) -> Result<(), Ended> {
        let mine = if let Origin::Share(share) = &self.arcs { share.tally() } else { Default::default() };
        let all = wire.all(mine)?;
        let checked = match &self.arcs {
            Origin::Share(_) => self.shared.check(&all),
            _ => Ok(()),
        };
        Ok(checked.map_err(Failure::input)?)
    }
}

/// The names of a file that lists all of them in ascending order, so that the number of a name is its place in the list. Refuses a list in another
/// order, or of another length than the file states.
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

/// What vertices are called, of which the file has labels: by their labels as ids if all are different whole numbers, by their labels as names if
/// all are different, and by their places in the file otherwise. Returns the ids by places, and the names if there are any.
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
