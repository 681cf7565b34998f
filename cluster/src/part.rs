//! What one worker holds of a graph: the rows of its vertices, and the names of the ghosts in their columns.
//!
//! ```text
//!   worker 0 owns 0 … 4095, 8192 … 12287, …            worker 1 owns 4096 … 8191, …
//!
//!   local   0    1    2    3  │  4     5               local   0     1     2   │  3   4
//!   id      0    2    7   80  │ 4097  5000             id     4096  4097  5000 │  2   80
//!           its own vertices  │ ghosts                        its own vertices │ ghosts
//!
//!   superstep:  worker 1 sends 0 the values of [4097, 5000], worker 0 sends 1 those of [2, 80]: both know the order
//! ```
//!
//! A ghost is a vertex that another worker owns and that is a column of a row here. Arrays have an entry for each local vertex, its own and
//! the ghosts, and for nobody else. Owner and holder of ghosts agree once on their order, by ids; then only values travel.

use bytemuck::Pod;

use crate::exchange::Lost;
use crate::marks::Marks;
use crate::owner::Ownership;
use crate::rows::LocalRows;
use crate::wire::{Wire, numbers};

/// Marks local vertices that are no ghosts.
const OWN: u32 = u32::MAX;

/// One worker's part of a graph.
pub struct Part<'a> {
    /// Who owns what.
    pub ownership: Ownership,
    /// Whether arcs have a direction.
    pub directed: bool,
    /// The vertices of the whole graph.
    pub vertices: u64,
    /// The arcs of the whole graph; an undirected edge counts twice.
    pub arcs: u64,
    /// Rows of its vertices, by local numbers.
    pub rows: Box<dyn LocalRows + 'a>,
    /// The id of each local vertex.
    pub ids: Vec<u64>,
    /// Its vertices, ascending by their ids.
    pub own: Vec<u32>,
    /// Ghosts by their owner, those of one owner ascending by their ids.
    ghosts: Vec<u32>,
    /// Where the ghosts of each owner begin.
    bounds: Vec<usize>,
    /// The place of each local vertex among the ghosts.
    places: Vec<u32>,
    /// For each worker the vertices that are ghosts there, in the order in which it has them.
    wanted: Vec<Vec<u32>>,
}

/// What a part is made of.
pub(crate) struct Pieces<'a> {
    pub ownership: Ownership,
    pub directed: bool,
    pub rows: Box<dyn LocalRows + 'a>,
    pub ids: Vec<u64>,
    pub own: Vec<u32>,
}

impl<'a> Part<'a> {
    /// Puts a part together and agrees on the ghosts with the other workers: two supersteps. `find` is the local number of a vertex of
    /// this worker.
    pub(crate) fn agree(
        wire: &mut Wire<'_>,
        pieces: Pieces<'a>,
        find: &dyn Fn(u64) -> Option<u32>,
    ) -> Result<Part<'a>, Lost> {
        let Pieces { ownership, directed, rows, ids, own } = pieces;
        let me = wire.worker();
        let mut is_ghost = vec![false; ids.len()];
        let mut arcs = 0u64;
        for &vertex in &own {
            arcs += rows.degree(false, vertex) as u64;
            for incoming in [false, true].into_iter().take(1 + usize::from(rows.has_incoming())) {
                rows.columns(incoming, vertex, &mut |columns| {
                    columns.iter().for_each(|&column| is_ghost[column as usize] = true);
                });
            }
        }
        own.iter().for_each(|&vertex| is_ghost[vertex as usize] = false);
        let mut ghosts: Vec<u32> = (0..ids.len() as u32).filter(|&vertex| is_ghost[vertex as usize]).collect();
        let key = |&vertex: &u32| (ownership.owner(ids[vertex as usize]), ids[vertex as usize]);
        ghosts.sort_unstable_by_key(key);
        let bounds: Vec<usize> =
            (0..=wire.workers()).map(|w| ghosts.partition_point(|ghost| key(ghost).0 < w)).collect();
        debug_assert_eq!(bounds[me], bounds[me + 1]);
        let mut places = vec![OWN; ids.len()];
        ghosts.iter().enumerate().for_each(|(place, &ghost)| places[ghost as usize] = place as u32);
        let names = (0..wire.workers())
            .map(|w| ghosts[bounds[w]..bounds[w + 1]].iter().map(|&ghost| ids[ghost as usize]).collect())
            .collect();
        let asked: Vec<Vec<u64>> = wire.swap_numbers(names)?;
        let local = |ids: &Vec<u64>| ids.iter().map(|&id| find(id).expect("an owner knows its vertices")).collect();
        let wanted = asked.iter().map(local).collect();
        let totals = wire.all([own.len() as u64, arcs])?;
        let [vertices, arcs] = totals.iter().fold([0, 0], |[v, a], each| [v + each[0], a + each[1]]);
        Ok(Part { ownership, directed, vertices, arcs, rows, ids, own, ghosts, bounds, places, wanted })
    }

    /// Local vertices: its own and the ghosts.
    pub fn locals(&self) -> usize {
        self.ids.len()
    }

    /// How many ghosts it has.
    pub fn num_ghosts(&self) -> usize {
        self.ghosts.len()
    }

    /// How many values it sends in a superstep in which every ghost gets one.
    pub fn num_wanted(&self) -> usize {
        self.wanted.iter().map(Vec::len).sum()
    }

    /// Whether another worker owns a local vertex.
    #[inline]
    pub fn is_ghost(&self, vertex: u32) -> bool {
        self.places[vertex as usize] != OWN
    }

    /// Whether in-arcs can be read. Those of a directed graph can be read only if it was loaded with them.
    pub fn has_incoming(&self) -> bool {
        !self.directed || self.rows.has_incoming()
    }

    /// Its own vertex with an id.
    pub fn find(&self, id: u64) -> Option<u32> {
        let at = self.own.binary_search_by_key(&id, |&vertex| self.ids[vertex as usize]).ok()?;
        Some(self.own[at])
    }

    /// Arcs of its rows: out-arcs, and in-arcs where they are kept.
    pub fn local_arcs(&self) -> u64 {
        self.own.iter().map(|&vertex| self.rows.degree(false, vertex) as u64).sum()
    }

    /// Bytes that it takes: rows, ids and ghosts.
    pub fn bytes(&self) -> usize {
        let wanted: usize = self.wanted.iter().map(|wanted| 4 * wanted.capacity()).sum();
        self.rows.bytes()
            + 8 * (self.ids.capacity() + self.bounds.capacity())
            + 4 * (self.own.capacity() + self.ghosts.capacity() + self.places.capacity())
            + wanted
    }

    /// Gives every ghost the value that its owner has: one number a ghost travels, and no ids. Each worker adds `head`; the heads of all
    /// are returned, in their order.
    ///
    /// # Errors
    ///
    /// [`Lost`], if a worker has ended.
    pub fn refresh<T: Pod, H: Pod>(&self, wire: &mut Wire<'_>, values: &mut [T], head: H) -> Result<Vec<H>, Lost> {
        let message = |wanted: &Vec<u32>| {
            let mut bytes = Vec::with_capacity(size_of::<H>() + wanted.len() * size_of::<T>());
            bytes.extend_from_slice(bytemuck::bytes_of(&head));
            wanted.iter().for_each(|&vertex| bytes.extend_from_slice(bytemuck::bytes_of(&values[vertex as usize])));
            bytes
        };
        let to = self.wanted.iter().map(message).collect();
        let from = wire.swap(to)?;
        let mut heads = Vec::with_capacity(from.len());
        for (worker, bytes) in from.iter().enumerate() {
            let (head, rest) = bytes.split_at(size_of::<H>());
            heads.push(bytemuck::pod_read_unaligned(head));
            let ghosts = &self.ghosts[self.bounds[worker]..self.bounds[worker + 1]];
            for (&ghost, value) in ghosts.iter().zip(rest.chunks_exact(size_of::<T>())) {
                values[ghost as usize] = bytemuck::pod_read_unaligned(value);
            }
        }
        Ok(heads)
    }

    /// Folds what holders of ghosts have for them into what their owners have, in the order of workers: one number a ghost travels, and no ids.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh).
    pub fn reduce<T: Pod>(&self, wire: &mut Wire<'_>, values: &mut [T], fold: &dyn Fn(T, T) -> T) -> Result<(), Lost> {
        let message = |worker: usize| {
            let ghosts = &self.ghosts[self.bounds[worker]..self.bounds[worker + 1]];
            let values: Vec<T> = ghosts.iter().map(|&ghost| values[ghost as usize]).collect();
            bytemuck::cast_slice(&values).to_vec()
        };
        let to = (0..wire.workers()).map(message).collect();
        for (worker, bytes) in wire.swap(to)?.iter().enumerate() {
            for (&vertex, value) in self.wanted[worker].iter().zip(bytes.chunks_exact(size_of::<T>())) {
                let value = bytemuck::pod_read_unaligned(value);
                values[vertex as usize] = fold(values[vertex as usize], value);
            }
        }
        Ok(())
    }

    /// Marks ghosts as their owners have marked them: one bit a ghost travels. `marked` is called with each marked ghost. Returns the sum of
    /// all heads.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh).
    pub fn mark(
        &self,
        wire: &mut Wire<'_>,
        marks: &mut Marks,
        head: u64,
        mut marked: impl FnMut(u32),
    ) -> Result<u64, Lost> {
        let byte = |eight: &[u32]| {
            eight.iter().enumerate().fold(0u8, |byte, (bit, &vertex)| byte | u8::from(marks.get(vertex)) << bit)
        };
        let message = |wanted: &Vec<u32>| {
            let mut bytes = Vec::with_capacity(8 + wanted.len().div_ceil(8));
            bytes.extend_from_slice(&head.to_ne_bytes());
            bytes.extend(wanted.chunks(8).map(byte));
            bytes
        };
        let to = self.wanted.iter().map(message).collect();
        let mut sum = 0u64;
        for (worker, bytes) in wire.swap(to)?.iter().enumerate() {
            let (head, bits) = bytes.split_at(8);
            sum = sum.wrapping_add(bytemuck::pod_read_unaligned(head));
            let ghosts = &self.ghosts[self.bounds[worker]..self.bounds[worker + 1]];
            for (eight, &byte) in ghosts.chunks(8).zip(bits) {
                let mut rest = byte;
                while rest != 0 {
                    let ghost = eight[rest.trailing_zeros() as usize];
                    marks.set(ghost);
                    marked(ghost);
                    rest &= rest - 1;
                }
            }
        }
        Ok(sum)
    }

    /// As [`refresh`](Self::refresh), of vertices that have `changed` only: those are sent with their places, or all without, whatever
    /// is shorter. Returns the sum of all heads. `arrived` is called with each ghost that got a value.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh).
    pub fn refresh_changed<T: Pod>(
        &self,
        wire: &mut Wire<'_>,
        values: &mut [T],
        changed: &dyn Fn(u32) -> bool,
        head: u64,
        arrived: &mut dyn FnMut(u32),
    ) -> Result<u64, Lost> {
        let message = |wanted: &Vec<u32>| {
            let places: Vec<u32> = (0..wanted.len() as u32).filter(|&place| changed(wanted[place as usize])).collect();
            let all = places.len() * (4 + size_of::<T>()) >= wanted.len() * size_of::<T>();
            let mut bytes = head.to_ne_bytes().to_vec();
            bytes.push(u8::from(all));
            let mut value = |vertex: u32| bytes.extend_from_slice(bytemuck::bytes_of(&values[vertex as usize]));
            match all {
                true => wanted.iter().for_each(|&vertex| value(vertex)),
                false => {
                    places.iter().for_each(|&place| value(wanted[place as usize]));
                    bytes.extend_from_slice(bytemuck::cast_slice(&places));
                }
            }
            bytes
        };
        let to = self.wanted.iter().map(message).collect();
        let from = wire.swap(to)?;
        let mut sum = 0;
        for (worker, bytes) in from.iter().enumerate() {
            let (head, rest) = bytes.split_at(9);
            sum += bytemuck::pod_read_unaligned::<u64>(&head[..8]);
            let ghosts = &self.ghosts[self.bounds[worker]..self.bounds[worker + 1]];
            let n = if head[8] == 1 { ghosts.len() } else { rest.len() / (4 + size_of::<T>()) };
            let (new, places) = rest.split_at(n * size_of::<T>());
            let places: Vec<u32> = if head[8] == 1 { (0..n as u32).collect() } else { numbers(places) };
            for (value, place) in new.chunks_exact(size_of::<T>()).zip(places) {
                let ghost = ghosts[place as usize];
                values[ghost as usize] = bytemuck::pod_read_unaligned(value);
                arrived(ghost);
            }
        }
        Ok(sum)
    }

    /// Sends values of some ghosts to their owners, each with its place; returns what arrived for vertices of this worker, and the sum of
    /// all heads.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh).
    pub fn report<T: Pod>(
        &self,
        wire: &mut Wire<'_>,
        ghosts: &[(u32, T)],
        head: u64,
    ) -> Result<(Vec<(u32, T)>, u64), Lost> {
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); wire.workers()];
        let mut values: Vec<Vec<u8>> = vec![head.to_ne_bytes().to_vec(); wire.workers()];
        for &(ghost, value) in ghosts {
            let place = self.places[ghost as usize] as usize;
            let owner = self.bounds.partition_point(|&bound| bound <= place) - 1;
            places[owner].push((place - self.bounds[owner]) as u32);
            values[owner].extend_from_slice(bytemuck::bytes_of(&value));
        }
        for (values, places) in values.iter_mut().zip(&places) {
            values.extend_from_slice(bytemuck::cast_slice(places));
        }
        let from = wire.swap(values)?;
        let (mut arrived, mut sum) = (Vec::new(), 0);
        for (worker, bytes) in from.iter().enumerate() {
            let (head, rest) = bytes.split_at(8);
            sum += bytemuck::pod_read_unaligned::<u64>(head);
            let n = rest.len() / (4 + size_of::<T>());
            let (values, places) = rest.split_at(n * size_of::<T>());
            // A value may have no size.
            let value =
                |at: usize| bytemuck::pod_read_unaligned(&values[at * size_of::<T>()..(at + 1) * size_of::<T>()]);
            let values = (0..n).map(value);
            let vertices = numbers::<u32>(places).into_iter().map(|place| self.wanted[worker][place as usize]);
            arrived.extend(vertices.zip(values));
        }
        Ok((arrived, sum))
    }
}
