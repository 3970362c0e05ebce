//! What a run leaves on disk, in the order in which it has to be there.

use std::path::PathBuf;

use stiction_sim::error::Error as SimError;
use stiction_sim::io::{self, FrameWriter};
use stiction_sim::model::Model;
use stiction_sim::report::StepReport;
use stiction_sim::scene::Scene;
use stiction_sim::state::State;
use stiction_view::page;
use stiction_view::progress::Progress;

use crate::columnar;
use crate::error::Error;
use crate::film;
use crate::history::History;
use crate::lock::Lock;
use crate::output::Output;
use crate::pairs::PairTable;
use crate::picture;
use crate::resume::Resumed;
use crate::table::{Record, Table};

/// A writer of frames that can be called from another thread than that of the steps.
pub type Frames<const D: usize> = Box<dyn FrameWriter<D> + Send>;

/// What a run is of, and where its results go.
#[derive(Clone, Debug)]
pub struct Subject<'a, const D: usize> {
    /// The scene.
    pub scene: &'a Scene,
    /// Its model.
    pub model: &'a Model<D>,
    /// The folder of the results.
    pub output: Output,
}

/// What a step leaves.
#[derive(Clone, Debug)]
pub struct Entry<const D: usize> {
    /// Its row of the table.
    pub report: StepReport<D>,
    /// The state at its end, if it has a frame.
    pub frame: Option<State<D>>,
}

/// Table, frames and states of a run, and what its picture will be made of.
///
/// Row, frame, index, state: a state is on disk only after everything that a run resumed with it needs.
pub struct Journal<'a, const D: usize> {
    model: &'a Model<D>,
    output: Output,
    history: History<D>,
    frames: Frames<D>,
    table: Table<D>,
    pairs: PairTable<D>,
    /// The step of the last frame.
    framed: Option<usize>,
    /// Last, so that it is given back when all files are closed.
    _lock: Lock,
}

impl<'a, const D: usize> Journal<'a, D> {
    /// Begins a new one with the state at the start.
    ///
    /// # Errors
    /// If the folder is in use, or has results that are not to be replaced, or a file cannot be written.
    pub fn begin(
        subject: Subject<'a, D>,
        frames: Frames<D>,
        state: &State<D>,
        overwrite: bool,
    ) -> Result<Self, Error> {
        let Subject { scene, model, output } = subject;
        output.make()?;
        let lock = Lock::take(&output.lock())?;
        output.begin(&*frames, overwrite)?;
        io::replace(&output.scene(), scene.text().as_bytes())?;
        let mut table = Table::create(&output.table(), model)?;
        let mut pairs = PairTable::create(&output.pairs(), model)?;
        let start = StepReport::at_start(model, state);
        table.push(&start)?;
        pairs.push(&start)?;
        let history = History::new(model, state);
        let mut journal = Self { model, output, history, frames, table, pairs, framed: None, _lock: lock };
        journal.frame(state)?;
        Ok(journal)
    }

    /// Goes on with that of an earlier run, from the last state in it.
    ///
    /// # Errors
    /// If the folder is in use, or a state, a row or a frame is missing.
    pub fn resume(subject: Subject<'a, D>, mut frames: Frames<D>) -> Result<(Self, State<D>), Error> {
        let Subject { scene, model, output } = subject;
        let lock = Lock::take(&output.lock())?;
        let Resumed { state, history, table, pairs, has_frame } =
            Resumed::load(&output, scene, model, &mut *frames)?;
        let framed = has_frame.then_some(state.step);
        Ok((Self { model, output, history, frames, table, pairs, framed, _lock: lock }, state))
    }

    /// Writes what a step leaves; returns what is wrong with its frame, if it has one.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn push(&mut self, entry: &Entry<D>) -> Result<Option<SimError>, Error> {
        self.history.records.push(Record::from(&entry.report));
        self.table.push(&entry.report)?;
        self.pairs.push(&entry.report)?;
        entry.frame.as_ref().map_or(Ok(None), |state| self.frame(state))
    }

    /// Writes a configuration, the index of frames and the state to go on from, unless they are there already, and checks the
    /// configuration exactly: returns what is wrong with it.
    ///
    /// The state comes last: whatever it is resumed with is there before it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn frame(&mut self, state: &State<D>) -> Result<Option<SimError>, Error> {
        self.history.snapshot(self.model, state);
        if self.framed.replace(state.step) == Some(state.step) {
            return Ok(None);
        }
        self.frames.write(self.model, state)?;
        state.save(&self.output.state(), self.model)?;
        Ok(self.model.check_free(state).err())
    }

    /// Draws the picture, with a title.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn draw(&self, title: &str) -> Result<(), Error> {
        let svg = picture::sheet(title, self.model, &self.history)?;
        Ok(io::replace(&self.picture(), svg.as_bytes())?)
    }

    /// Writes the tables in Parquet, too.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn convert_tables(&self) -> Result<(), Error> {
        let tables = [(self.output.table(), self.table.kinds()), (self.output.pairs(), self.pairs.kinds())];
        tables
            .iter()
            .try_for_each(|(table, kinds)| Ok(columnar::convert(table, &Output::columnar(table), kinds)?))
    }

    /// Makes the page, with a title, from the frames on disk, and says how far it is; nothing if those are of a format that films are not made from.
    ///
    /// # Errors
    /// If a frame cannot be read or the page not be written.
    pub fn make_page(&self, title: &str, progress: Progress<'_>) -> Result<Option<PathBuf>, Error> {
        if self.frames.index_path().file_name() != Some("frames.pvd".as_ref()) {
            return Ok(None);
        }
        let mut film = film::load(self.output.folder(), Some(&film::PAGE_FIELDS))?;
        title.clone_into(&mut film.scenery.title);
        page::write(&film, &self.output.page(), page::Options::default(), progress)?;
        Ok(Some(self.output.page()))
    }

    /// The steps whose rows it has.
    pub fn steps(&self) -> usize {
        self.history.records.len() - 1
    }

    /// What happened so far.
    pub fn history(&self) -> &History<D> {
        &self.history
    }

    /// The index of frames.
    pub fn index(&self) -> PathBuf {
        self.frames.index_path()
    }

    /// The table of steps.
    pub fn table(&self) -> PathBuf {
        self.output.table()
    }

    /// The picture.
    pub fn picture(&self) -> PathBuf {
        self.output.picture()
    }
}
