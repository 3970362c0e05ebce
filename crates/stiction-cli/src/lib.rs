//! The command line as a library: [`main`] does what the program `stiction` does.
//!
//! The order of the modules below is the order of the layers: a module uses only those above it.

pub mod error;
pub mod lock;
pub mod output;
pub mod table;
pub mod pairs;
pub mod columnar;
pub mod film;
pub mod history;
pub mod picture;
pub mod resume;
pub mod journal;
pub mod writer;
pub mod run;
pub mod timings;
pub mod render;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};

/// Contact and friction that engineers and researchers can trust.
#[derive(Debug, Parser)]
#[command(name = "stiction", version, about)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scene: a page that plays, frames for ParaView, tables of steps and a picture.
    Run(run::RunArgs),
    /// Make pictures, animations, pages and files for other programs from the results of a run.
    Render(render::RenderArgs),
}

/// Runs the command line `args` (the first is the program's name) and prints to the terminal; Ctrl-C ends it.
///
/// Exit codes: 0 done, 1 failed, 2 not understood, 130 interrupted.
pub fn main(args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
    ExitCode::from(main_until(args, &run::stop_flag()))
}

/// Like [`main`], for programs that handle signals themselves: ends when `stop` is raised. Returns the exit code.
pub fn main_until(args: impl IntoIterator<Item = impl Into<OsString> + Clone>, stop: &Arc<AtomicBool>) -> u8 {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            // Help and version go to standard output, errors to standard error; nothing to do if that fails.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(NOT_UNDERSTOOD);
        }
    };
    let done = match args.command {
        Command::Run(args) => run::run(&args, stop).map(|outcome| finish(&outcome)),
        Command::Render(args) => render::render(&args, stop).map_err(error::Error::from).map(|path| {
            println!("{}", path.display());
            DONE
        }),
    };
    done.unwrap_or_else(|error| {
        if let error::Error::View(stiction_view::error::Error::Stopped) = error {
            eprintln!("interrupted: what was being made is not complete");
            return INTERRUPTED;
        }
        eprintln!("error: {error}");
        FAILED
    })
}

const DONE: u8 = 0;
const FAILED: u8 = 1;
const NOT_UNDERSTOOD: u8 = 2;
const INTERRUPTED: u8 = 130;

fn finish(outcome: &run::Outcome) -> u8 {
    let show = |what: &str, path: &PathBuf| println!("{what:9}{}", path.display());
    if let Some(error) = &outcome.failure {
        eprintln!("error: {error}");
        eprintln!("the results up to step {} are kept:", outcome.steps);
    } else if outcome.interrupted {
        eprintln!("interrupted after step {}; the results so far are kept, --resume goes on:", outcome.steps);
    } else if outcome.resumed == Some(outcome.steps) {
        println!("the run had ended with step {}: a larger time.end would make it go on", outcome.steps);
    }
    if outcome.diverged > 0 {
        eprintln!(
            "warning: refining friction diverged in {} steps (see steps.csv); shorter time steps help",
            outcome.diverged
        );
    }
    if outcome.divided > 0 {
        eprintln!("note: {} steps could only be made in substeps (see steps.csv)", outcome.divided);
    }
    if let Some(timings) = &outcome.timings {
        print!("{}", timings::table(timings));
    }
    show("frames:", &outcome.frames);
    show("steps:", &outcome.table);
    show("picture:", &outcome.picture);
    for error in &outcome.missing {
        eprintln!("error: {error}");
    }
    if let Some(page) = &outcome.page {
        println!("open {} in a browser to play it", page.display());
    }
    match (&outcome.failure, outcome.interrupted) {
        _ if !outcome.missing.is_empty() => FAILED,
        (Some(_), _) => FAILED,
        (None, true) => INTERRUPTED,
        (None, false) => DONE,
    }
}
