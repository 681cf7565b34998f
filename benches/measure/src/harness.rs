//! The harness: runs competitors in turn and keeps their figures.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use crate::clock::Clock;
use crate::method::{Caches, Method, Spread, THEIRS};
use crate::peers::{Asked, Kernel, Peers, Subject};
use crate::result::{FORMAT, GraphFacts, Machine, Results, Row, Side, Unit};

/// What is done, by all competitors alike.
#[derive(Clone, Debug)]
pub struct Work {
    /// What it is called.
    pub name: String,
    /// What its figures count.
    pub unit: Unit,
    /// Bytes that any competitor must move through memory at least, where that is known.
    pub bytes: Option<usize>,
}

impl Work {
    /// Work whose time counts.
    pub fn timed(name: impl Into<String>) -> Self {
        Work { name: name.into(), unit: Unit::Seconds, bytes: None }
    }

    /// Work whose figure is in another unit.
    pub fn in_unit(name: impl Into<String>, unit: Unit) -> Self {
        Work { name: name.into(), unit, bytes: None }
    }

    /// The same work, which moves so many bytes at least.
    pub fn moving(self, bytes: usize) -> Self {
        Work { bytes: Some(bytes), ..self }
    }
}

/// What a repetition finds: a figure for each work, or why there is none. Without figures, it takes part in no further repetition.
pub type Found = Result<Vec<f64>, String>;

/// One of those who do the same.
pub struct Competitor<'a> {
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub side: Side,
    /// What differs from what the others do.
    note: Option<String>,
    /// Repetitions that it takes part in at most.
    turns: usize,
    /// How many of the works, from the first on, it does.
    works: usize,
    /// One repetition.
    run: Run<'a>,
}

/// How a competitor does its work once.
enum Run<'a> {
    /// It measures itself.
    Alone(Box<dyn FnMut() -> Found + Send + 'a>),
    /// It measures with a clock.
    Clocked(Box<dyn FnMut(Clock) -> Found + Send + 'a>),
}

impl<'a> Competitor<'a> {
    /// A competitor that measures itself.
    pub fn new(name: impl Into<String>, side: Side, run: impl FnMut() -> Found + Send + 'a) -> Self {
        Competitor::running(name, side, Run::Alone(Box::new(run)))
    }

    fn running(name: impl Into<String>, side: Side, run: Run<'a>) -> Self {
        let (turns, works) = (usize::MAX, usize::MAX);
        Competitor { name: name.into(), side, note: None, turns, works, run }
    }

    /// The same, with what differs from what the others do; nothing if that is empty.
    pub fn with_note(self, note: &str) -> Self {
        Competitor { note: (!note.is_empty()).then(|| note.to_owned()), ..self }
    }

    /// What rows say of it.
    fn named(self) -> Named {
        Named { name: self.name, side: self.side, note: self.note, works: self.works }
    }

    /// The same, for so many repetitions at most.
    pub fn with_turns(self, turns: usize) -> Self {
        Competitor { turns, ..self }
    }

    /// The same, which does only so many of the works, from the first on.
    pub fn with_works(self, works: usize) -> Self {
        Competitor { works, ..self }
    }

    /// A competitor that measures what counts with a clock.
    pub fn clocked(name: impl Into<String>, side: Side, run: impl FnMut(Clock) -> Found + Send + 'a) -> Self {
        Competitor::running(name, side, Run::Clocked(Box::new(run)))
    }

    /// A competitor whose whole call counts. What it makes is freed outside of the time.
    pub fn timed<T>(name: impl Into<String>, side: Side, mut run: impl FnMut() -> T + Send + 'a) -> Self {
        Competitor::clocked(name, side, move |clock| {
            let (made, figures) = clock.measure(&mut run);
            drop(made);
            Ok(figures)
        })
    }

    /// Runs it once, by the threads of a pool; a program of others has threads of its own, on whichever cores it likes.
    fn repeat(&mut self, clock: Clock, pool: &ThreadPool) -> Found {
        match &mut self.run {
            Run::Alone(run) if self.side == Side::Peer => run(),
            Run::Alone(run) => pool.install(run),
            Run::Clocked(run) => pool.install(|| run(clock)),
        }
    }

    /// Whether its work and its span can be recorded: it computes by our scheduler, and is not measured by itself.
    fn can_be_recorded(&self) -> bool {
        matches!(self.run, Run::Clocked(_)) && matches!(self.side, Side::Ours | Side::Static)
    }

    /// A competitor that cannot take part.
    pub fn missing(name: impl Into<String>, side: Side, why: impl Into<String>) -> Self {
        let why = why.into();
        Competitor::new(name, side, move || Err(why.clone()))
    }
}

/// What rows say of a competitor.
struct Named {
    name: String,
    side: Side,
    note: Option<String>,
    works: usize,
}

/// Where rows go as soon as they are known: those of one comparison at a time.
pub type Show<'a> = Box<dyn FnMut(&[Row]) + 'a>;

/// A run: how it measures, and what it has found.
pub struct Bench<'a> {
    /// How it measures.
    pub method: Method,
    /// What it measures.
    clock: Clock,
    /// The suite that all rows belong to, whichever measures them.
    within: Option<&'static str>,
    pool: ThreadPool,
    caches: Option<Caches>,
    /// Done before each repetition: see [`Bench::preparing`].
    prepare: Option<fn()>,
    suite: &'static str,
    graph: Option<String>,
    /// Whether what is measured now is serial: see [`Bench::serially`].
    serial: bool,
    results: Results,
    peers: Arc<Peers>,
    show: Show<'a>,
}

impl<'a> Bench<'a> {
    /// A run that has found nothing yet.
    ///
    /// # Errors
    ///
    /// The system's message if it starts no more threads.
    pub fn new(method: Method, machine: Machine, show: Show<'a>) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Bench {
            pool: method.pool()?,
            clock: Clock::Passing,
            within: None,
            caches: method.cold.then(Caches::new),
            prepare: None,
            method,
            suite: "",
            graph: None,
            serial: false,
            results: Results { format: FORMAT.to_owned(), machine, graphs: Vec::new(), rows: Vec::new() },
            peers: Arc::default(),
            show,
        })
    }

    /// The same run, beside programs of others.
    pub fn beside(self, peers: Peers) -> Self {
        Bench { peers: Arc::new(peers), ..self }
    }

    /// Programs of others that have a kernel, to be compared with on the graph of this suite.
    pub fn theirs<'b>(&self, kernel: Kernel, subject: Subject<'b>) -> Vec<Competitor<'b>> {
        self.theirs_from(kernel, subject, &[], |_| None)
    }

    /// The same from some vertices; `expected` gives what we have found from each, if that is one number: components, triangles, vertices reached.
    pub fn theirs_from<'b>(
        &self,
        kernel: Kernel,
        subject: Subject<'b>,
        sources: &'b [u32],
        expected: impl Fn(usize) -> Option<u64> + Send + Sync + 'b,
    ) -> Vec<Competitor<'b>> {
        let graph = self.graph.clone().unwrap_or_default();
        let asked = Asked {
            kernel,
            graph,
            vertices: subject.vertices,
            arcs: subject.arcs,
            threads: self.method.threads,
            sources,
            enough: Duration::from_secs_f64(THEIRS * self.method.seconds),
            expected: Box::new(expected),
        };
        self.peers.competitors(subject, asked)
    }

    /// From now on the work is done by so many threads.
    ///
    /// # Errors
    ///
    /// The system's message if it starts no more threads.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), rayon::ThreadPoolBuildError> {
        self.method.threads = threads;
        self.pool = self.method.pool()?;
        Ok(())
    }

    /// Measures works that are serial: by one thread, as their rows say, however many threads the run has. A run with several numbers of threads
    /// measures them once.
    ///
    /// # Errors
    ///
    /// The system's message if it starts no more threads.
    pub fn serially<T>(&mut self, measure: impl FnOnce(&mut Self) -> T) -> Result<T, rayon::ThreadPoolBuildError> {
        let before = (self.method.threads, self.serial);
        self.set_threads(1)?;
        self.serial = true;
        let measured = measure(self);
        self.serial = before.1;
        self.set_threads(before.0)?;
        Ok(measured)
    }

    /// Measures works with something done before each repetition, whose time does not count.
    pub fn preparing<T>(&mut self, prepare: fn(), measure: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.prepare.replace(prepare);
        let measured = measure(self);
        self.prepare = before;
        measured
    }

    /// Whether figures of this work by so many threads are there.
    fn is_measured(&self, work: &Work) -> bool {
        let same = |row: &Row| (&row.suite[..], &row.graph, &row.work) == (self.suite, &self.graph, &work.name);
        self.results.rows.iter().any(|row| same(row) && row.threads == self.method.threads)
    }

    /// From now on rows belong to a suite and a graph.
    pub fn begin(&mut self, suite: &'static str, graph: Option<&str>) {
        self.suite = self.within.unwrap_or(suite);
        self.graph = graph.map(str::to_owned);
    }

    /// Measures with a clock what `suites` measure, as part of a suite with the given name. With [`Clock::Recorded`], there are no rows of competitors
    /// that do not run on our scheduler. Programs of others take no part.
    pub fn measure_as<T>(&mut self, suite: &'static str, clock: Clock, suites: impl FnOnce(&mut Self) -> T) -> T {
        let before = (self.within.replace(suite), std::mem::replace(&mut self.clock, clock));
        let result = suites(self);
        (self.within, self.clock) = before;
        result
    }

    /// Whether a suite has begun.
    pub fn has_begun(&self) -> bool {
        !self.suite.is_empty()
    }

    /// Describes a graph, once.
    pub fn add_graph(&mut self, facts: GraphFacts) {
        if self.results.graphs.iter().all(|known| known.name != facts.name) {
            self.results.graphs.push(facts);
        }
    }

    /// Does something by the threads of this run.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let (mut work, mut done) = (Some(work), None);
        self.on_pool(&mut || done = work.take().map(|work| work()));
        done.expect("the work is done once")
    }

    /// As [`within`](Self::within). It is compiled once for work of all types.
    fn on_pool(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    /// Bytes of the machine's memory; 0 if they are not known.
    pub fn memory(&self) -> u64 {
        self.results.machine.memory_bytes
    }

    /// The threads of this run.
    pub fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    /// Runs competitors in turn, each round beginning with another one, after a round that is not counted. Every competitor finds a figure for
    /// each of `works`; the first one is what all are compared with. A competitor that fails is a row that says why. The time of programs of
    /// others, which read their graphs anew, does not end the comparison. Returns the figures, by competitor and work.
    ///
    /// One that takes much longer than all repetitions together may take is repeated once only.
    pub fn compare(&mut self, works: &[Work], mut competitors: Vec<Competitor<'_>>) -> Vec<Vec<Option<Spread>>> {
        if self.serial && works.first().is_some_and(|work| self.is_measured(work)) {
            return vec![vec![None; works.len()]; competitors.len()];
        }
        let clock = self.clock;
        if self.within.is_some() {
            competitors.retain(|one| one.side != Side::Peer);
        }
        let mut recorded = Vec::new();
        let works = match clock {
            Clock::Passing => works,
            Clock::Recorded => {
                recorded.extend(works.iter().flat_map(|work| clock.works(&work.name)));
                &recorded
            }
        };
        let mut found: Vec<Result<Vec<Vec<f64>>, String>> = Vec::new();
        let mut slow = Vec::new();
        for competitor in &mut competitors {
            let begin = Instant::now();
            let warm = competitor.repeat(clock, &self.pool);
            // A program of others reads its graph in this time.
            slow.push(competitor.side != Side::Peer && self.method.is_slow(begin.elapsed()));
            let count = competitor.works.min(works.len());
            found.push(warm.and_then(|figures| match figures.len() == count {
                true => Ok(vec![Vec::new(); count]),
                false => Err(format!("expected {count} figures, found {}", figures.len())),
            }));
        }
        let taking_part = |who: usize| found[who].is_ok() && !slow[who];
        let ours = (0..found.len()).filter(|&who| taking_part(who) && competitors[who].side != Side::Peer).count();
        // Where all of ours are slow, one round is enough for programs of others as well.
        let all_slow = ours == 0 && found.iter().any(Result::is_ok);
        let (begin, mut apart) = (Instant::now(), Duration::ZERO);
        let mut round = 0;
        while all_slow && round == 0 || ours > 0 && !self.method.is_enough(round, begin + apart, ours) {
            for turn in 0..competitors.len() {
                let who = (round + turn) % competitors.len();
                if round > 0 && slow[who] {
                    continue;
                }
                let Ok(figures) = &mut found[who] else { continue };
                if round >= competitors[who].turns {
                    continue;
                }
                if let Some(caches) = &mut self.caches {
                    caches.evict();
                }
                if let Some(prepare) = self.prepare {
                    prepare();
                }
                let turn = Instant::now();
                match competitors[who].repeat(clock, &self.pool) {
                    Ok(new) => figures.iter_mut().zip(new).for_each(|(figures, new)| figures.push(new)),
                    Err(why) => found[who] = Err(why),
                }
                if competitors[who].side == Side::Peer {
                    apart += turn.elapsed();
                }
            }
            round += 1;
        }
        // All have run alike, as suites compare results; what is recorded of those on another scheduler says nothing.
        let shown = |one: &Competitor<'_>| clock == Clock::Passing || one.can_be_recorded();
        let (named, found): (Vec<_>, Vec<_>) = (competitors.into_iter().zip(found))
            .filter(|(one, _)| shown(one))
            .map(|(competitor, found)| (competitor.named(), found))
            .unzip();
        self.record_noted(works, &named, found)
    }

    /// Keeps figures that a suite has taken itself, by competitor and work; the first competitor is what all are compared with.
    pub fn record(
        &mut self,
        works: &[Work],
        competitors: &[(String, Side)],
        found: Vec<Result<Vec<Vec<f64>>, String>>,
    ) -> Vec<Vec<Option<Spread>>> {
        self.record_with_note(works, competitors, "", found)
    }

    /// The same with a note on how they were taken; nothing if that is empty.
    pub fn record_with_note(
        &mut self,
        works: &[Work],
        competitors: &[(String, Side)],
        note: &str,
        found: Vec<Result<Vec<Vec<f64>>, String>>,
    ) -> Vec<Vec<Option<Spread>>> {
        let note = (!note.is_empty()).then(|| note.to_owned());
        let named: Vec<_> = competitors
            .iter()
            .map(|(name, side)| Named { name: name.clone(), side: *side, note: note.clone(), works: works.len() })
            .collect();
        self.record_noted(works, &named, found)
    }

    fn record_noted(
        &mut self,
        works: &[Work],
        competitors: &[Named],
        found: Vec<Result<Vec<Vec<f64>>, String>>,
    ) -> Vec<Vec<Option<Spread>>> {
        let spreads: Vec<Result<Vec<Option<Spread>>, String>> = found
            .into_iter()
            .map(|found| found.map(|works| works.iter().map(|figures| Spread::of(figures)).collect()))
            .collect();
        let mut rows = Vec::new();
        for (at, work) in works.iter().enumerate() {
            let first = spreads.first().and_then(|spreads| *spreads.as_ref().ok()?.get(at)?);
            for (named, spreads) in competitors.iter().zip(&spreads).filter(|(named, _)| at < named.works) {
                let mut row = Row { note: named.note.clone(), ..self.row(work, &named.name, named.side) };
                match spreads {
                    Ok(spreads) => self.fill(&mut row, work, spreads[at], first.zip(competitors.first())),
                    Err(why) => row.skipped = Some(why.clone()),
                }
                rows.push(row);
            }
        }
        self.keep(rows);
        spreads.into_iter().map(|spreads| spreads.unwrap_or_else(|_| vec![None; works.len()])).collect()
    }

    /// Keeps a row that says why something is not measured.
    pub fn skip(&mut self, work: &Work, competitor: &str, side: Side, why: impl Into<String>) {
        let row = Row { skipped: Some(why.into()), ..self.row(work, competitor, side) };
        self.keep(vec![row]);
    }

    /// All that was found.
    pub fn into_results(self) -> Results {
        self.results
    }

    /// The document with what was found so far.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// What was found so far.
    pub fn rows(&self) -> &[Row] {
        &self.results.rows
    }

    fn keep(&mut self, rows: Vec<Row>) {
        (self.show)(&rows);
        self.results.rows.extend(rows);
    }

    fn row(&self, work: &Work, competitor: &str, side: Side) -> Row {
        Row {
            suite: self.suite.to_owned(),
            graph: self.graph.clone(),
            work: work.name.clone(),
            competitor: competitor.to_owned(),
            side,
            threads: self.method.threads,
            unit: work.unit,
            median: None,
            quartiles: None,
            repetitions: 0,
            ratio: None,
            beside: None,
            over_bandwidth: None,
            note: None,
            skipped: None,
        }
    }

    fn fill(&self, row: &mut Row, work: &Work, spread: Option<Spread>, first: Option<(Spread, &Named)>) {
        let Some(spread) = spread.filter(|spread| spread.median.is_finite()) else {
            row.skipped = Some("nothing was measured".to_owned());
            return;
        };
        let finite = |figure: f64| figure.is_finite().then_some(figure);
        row.median = Some(spread.median);
        row.quartiles = Some(spread.quartiles);
        row.repetitions = spread.repetitions;
        if let Some((first, Named { name, .. })) = first {
            row.ratio = finite(work.unit.ratio(spread.median, first.median));
            row.beside = row.ratio.map(|_| name.clone());
        }
        let machine = &self.results.machine;
        if let (Some(bytes), Unit::Seconds) = (work.bytes, work.unit)
            && machine.threads == self.method.threads
        {
            row.over_bandwidth = finite(spread.median * machine.triad_gb_per_second * 1e9 / bytes as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn bench(rounds: usize) -> Bench<'static> {
        let method = Method { rounds, seconds: 10.0, threads: 1, ..Method::default() };
        let machine = Machine { threads: 1, triad_gb_per_second: 10.0, ..Machine::default() };
        Bench::new(method, machine, Box::new(|_| ())).unwrap()
    }

    #[test]
    fn each_round_begins_with_another_one() {
        let order = Mutex::new(String::new());
        let one = |name: &'static str, figure| {
            let order = &order;
            Competitor::new(name, Side::Ours, move || {
                order.lock().unwrap().push_str(name);
                Ok(vec![figure])
            })
        };
        let mut bench = bench(4);
        bench.begin("suite", Some("graph"));
        let works = [Work::timed("work").moving(1_000_000_000)];
        let found = bench.compare(&works, vec![one("a", 2.0), one("b", 3.0), one("c", 1.0)]);
        assert_eq!(*order.lock().unwrap(), "abcabcbcacababc", "a warm-up, then rounds");
        assert_eq!(found[1][0].map(|spread| (spread.median, spread.repetitions)), Some((3.0, 4)));
        let rows = bench.into_results().rows;
        assert_eq!(rows[1].ratio, Some(1.5), "the ratio is to the first");
        // A gigabyte takes a tenth of a second.
        assert_eq!(rows[0].over_bandwidth, Some(20.0));
        assert_eq!(rows[0].key(), ("suite", Some("graph"), "work", "a", 1));
    }

    #[test]
    fn who_fails_is_a_row_that_says_why() {
        let mut calls = 0;
        let failing = Competitor::new("late", Side::Peer, || {
            calls += 1;
            if calls == 3 { Err("no more".to_owned()) } else { Ok(vec![1.0]) }
        });
        let works = [Work::in_unit("work", Unit::ArcsPerSecond)];
        let mut bench = bench(5);
        let all = vec![
            Competitor::new("ours", Side::Ours, || Ok(vec![4.0])),
            failing,
            Competitor::missing("gap", Side::Peer, "not given"),
            Competitor::new("rate", Side::Hand, || Ok(vec![2.0])),
        ];
        bench.compare(&works, all);
        let rows = bench.into_results().rows;
        let skipped: Vec<_> = rows.iter().map(|row| row.skipped.as_deref()).collect();
        assert_eq!(skipped, [None, Some("no more"), Some("not given"), None]);
        assert_eq!(rows[3].ratio, Some(2.0), "half the rate is twice the cost");
        assert_eq!(rows[1].median, None);
    }

    #[test]
    fn who_is_slow_is_repeated_once() {
        let wait = |name, millis| {
            Competitor::timed(name, Side::Ours, move || std::thread::sleep(Duration::from_millis(millis)))
        };
        let mut bench = bench(4);
        // Slow is what takes 0.6 seconds: no pause of a busy machine makes the other one slow.
        bench.method.seconds = 0.2;
        bench.compare(&[Work::timed("both")], vec![wait("fast", 0), wait("slow", 650)]);
        bench.compare(&[Work::timed("alone")], vec![wait("slow", 650)]);
        let repetitions: Vec<_> = bench.rows().iter().map(|row| row.repetitions).collect();
        assert_eq!((repetitions[1], repetitions[2]), (1, 1));
        assert!(repetitions[0] >= 3);
    }

    #[test]
    fn serial_works_are_measured_once() {
        let mut bench = bench(1);
        for threads in [2, 3] {
            bench.set_threads(threads).unwrap();
            bench.begin("suite", None);
            bench
                .serially(|bench| {
                    bench.compare(&[Work::timed("work")], vec![Competitor::timed("a", Side::Ours, || ())]);
                })
                .unwrap();
            assert_eq!(bench.method.threads, threads);
        }
        let rows: Vec<_> = bench.rows().iter().map(|row| row.threads).collect();
        assert_eq!(rows, [1]);
    }

    #[test]
    fn time_ends_a_comparison_that_was_repeated_three_times() {
        let mut bench = bench(1000);
        bench.method.seconds = 0.0;
        let found = bench.compare(&[Work::timed("work")], vec![Competitor::timed("a", Side::Ours, || ())]);
        assert_eq!(found[0][0].unwrap().repetitions, 3);
    }
}
