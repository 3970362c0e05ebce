//! One run at a time in a folder of results.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;

/// A lock on a folder, held until it is dropped.
///
/// A file that only one process can create holds the number of that process and when it started. Whoever finds the file of a process that is
/// no more takes it over, so a run that was killed blocks nothing.
#[derive(Debug)]
pub struct Lock(PathBuf);

impl Lock {
    /// Locks a folder with this file in it.
    ///
    /// # Errors
    /// If another run has it, or the disk does not let it.
    pub fn take(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::File { path: path.to_owned(), source };
        // Those who find the same dead lock try again: one of them is first.
        for _ in 0..100 {
            match create(path, std::process::id()) {
                Ok(()) => return Ok(Self(path.to_owned())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
            match fs::read_to_string(path) {
                Ok(holder) if is_alive(&holder) => return Err(busy(path, &holder)),
                Ok(holder) => remove_dead(path, &holder).map_err(failed)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(busy(path, ""))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A lock that stays is that of a process that will be no more.
        let _ = fs::remove_file(&self.0);
    }
}

fn busy(path: &Path, holder: &str) -> Error {
    let process = holder.lines().next().unwrap_or_default().to_owned();
    Error::Busy { path: path.to_owned(), process }
}

/// Creates the file with all it has to say; an error if it is there.
fn create(path: &Path, process: u32) -> io::Result<()> {
    // Under another name first, so that nobody reads half of it.
    let draft = path.with_extension(format!("{process}-{:?}", std::thread::current().id()));
    let text = format!("{process}\n{}\n", started(process).unwrap_or_default());
    let written = OpenOptions::new().write(true).create(true).truncate(true).open(&draft);
    let linked = written.and_then(|mut file| file.write_all(text.as_bytes())).and_then(|()| {
        match fs::hard_link(&draft, path) {
            // Some disks have no links, and say so in many ways.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
            }
            done => done,
        }
    });
    let _ = fs::remove_file(&draft);
    linked
}

/// Removes the lock of a process that is no more, but not one that somebody has taken since.
fn remove_dead(path: &Path, holder: &str) -> io::Result<()> {
    let aside = path.with_extension(format!("dead-{}", std::process::id()));
    match fs::rename(path, &aside) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        done => done?,
    }
    if fs::read_to_string(&aside)? == holder { fs::remove_file(&aside) } else { fs::rename(&aside, path) }
}

/// Whether the process that wrote this still runs.
fn is_alive(holder: &str) -> bool {
    let mut lines = holder.lines();
    let Some(process) = lines.next().and_then(|line| line.parse().ok()) else { return false };
    started(process).is_some_and(|now| lines.next().unwrap_or_default() == now)
}

/// When a process started, in words that say the same whenever they are asked for; nothing if there is no such process.
fn started(process: u32) -> Option<String> {
    if let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) {
        // The name of the program, in brackets, may have spaces; the start is the 20th word after it.
        let (_, words) = stat.rsplit_once(')')?;
        return words.split_ascii_whitespace().nth(19).map(str::to_owned);
    }
    if Path::new("/proc/self/stat").exists() {
        return None;
    }
    asked(process)
}

#[cfg(unix)]
fn asked(process: u32) -> Option<String> {
    let said = Command::new("ps")
        .args(["-o", "lstart=", "-p", &process.to_string()])
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .output()
        .ok()?;
    let start = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    (!start.is_empty()).then_some(start)
}

#[cfg(not(unix))]
fn asked(process: u32) -> Option<String> {
    let filter = format!("PID eq {process}");
    let said = Command::new("tasklist").args(["/NH", "/FO", "CSV", "/FI", &filter]).output().ok()?;
    String::from_utf8_lossy(&said.stdout).contains(&format!("\"{process}\"")).then(String::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stiction-lock-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder.join("run.lock")
    }

    #[test]
    fn a_lock_is_for_one_until_it_is_dropped() {
        let path = place("one");
        let lock = Lock::take(&path).unwrap();
        let message = Lock::take(&path).unwrap_err().to_string();
        assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
        drop(lock);
        assert!(!path.exists());
        drop(Lock::take(&path).unwrap());
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn dead_locks_are_taken_over() {
        let path = place("dead");
        // No such process, one that started at another time, and no words of ours.
        for text in ["4000000000\n12\n".to_owned(), format!("{}\n1\n", std::process::id()), "?".to_owned()] {
            fs::write(&path, text).unwrap();
            drop(Lock::take(&path).unwrap());
            assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
        }
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn of_many_one_is_first() {
        let path = place("many");
        fs::write(&path, "4000000000\n12\n").unwrap();
        let taken: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| Lock::take(&path))).collect();
            all.into_iter().filter_map(|one| one.join().unwrap().ok()).collect()
        });
        assert_eq!(taken.len(), 1);
        drop(taken);
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
