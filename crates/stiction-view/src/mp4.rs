//! Animations as MP4 files, through the program ffmpeg.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};

use crate::draft::Draft;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::picture::Picture;
use crate::png::rgb;

/// An MP4 file that ffmpeg is writing.
pub struct Mp4 {
    ffmpeg: Child,
    draft: Draft,
}

impl Mp4 {
    /// Starts ffmpeg. Both sides of pictures must be even.
    pub fn new(draft: Draft, size: [u32; 2], (program, fps): (&str, f64)) -> Result<Self> {
        // With a protocol, ffmpeg takes neither a colon nor a minus in the name for something else.
        let mut target = OsString::from("file:");
        target.push(&draft.path);
        let ffmpeg = Command::new(program)
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &format!("{}x{}", size[0], size[1]), "-r", &fps.to_string(), "-i", "-"])
            .args(["-an", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"])
            .arg(target)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| not_started(program, &error))?;
        Ok(Self { ffmpeg, draft })
    }

    /// What ffmpeg says has gone wrong.
    fn complaint(&mut self) -> Error {
        let mut text = String::new();
        drop(self.ffmpeg.stdin.take());
        if let Some(stderr) = &mut self.ffmpeg.stderr {
            let _ = stderr.take(4000).read_to_string(&mut text);
        }
        Error::Request(format!("ffmpeg could not write the animation: {}", text.trim()))
    }
}

fn not_started(program: &str, error: &io::Error) -> Error {
    Error::Request(match error.kind() {
        io::ErrorKind::NotFound => {
            "MP4 needs the program ffmpeg, which is not on the PATH: install it, or write a .gif or a .png (APNG)"
                .to_owned()
        }
        _ => format!("{program}: {error}"),
    })
}

impl Encoder for Mp4 {
    fn add(&mut self, picture: &Picture, ticks: u32) -> Result<()> {
        let pixels = rgb(picture);
        for _ in 0..ticks {
            let written = match &mut self.ffmpeg.stdin {
                Some(stdin) => stdin.write_all(&pixels),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            };
            if written.is_err() {
                return Err(self.complaint());
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        drop(self.ffmpeg.stdin.take());
        let status = self.ffmpeg.wait().map_err(Error::at(&self.draft.target))?;
        if status.success() { self.draft.name() } else { Err(self.complaint()) }
    }
}

impl Drop for Mp4 {
    fn drop(&mut self) {
        // Has no effect on one that has ended.
        let _ = self.ffmpeg.kill();
        let _ = self.ffmpeg.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn picture() -> Picture {
        let count = 4 * 2;
        Picture {
            width: 4,
            height: 2,
            rgba: vec![200; 4 * count],
            things: vec![None; count],
            triangles: vec![None; count],
            depth: vec![0.0; count],
        }
    }

    #[test]
    fn without_ffmpeg_there_is_an_error_that_says_what_to_do() {
        let draft = Draft::new(Path::new("/tmp/stiction-view-no.mp4")).unwrap();
        let error = Mp4::new(draft, [4, 2], ("stiction-has-no-such-program", 25.0)).err().unwrap();
        assert!(error.to_string().contains("install it"), "{error}");
    }

    /// A program that takes the place of ffmpeg.
    #[cfg(unix)]
    fn stand_in(name: &str, script: &str) -> std::path::PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("stiction-view-{name}-{}", std::process::id()));
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[cfg(unix)]
    fn run(name: &str, script: &str) -> (Result<()>, std::path::PathBuf) {
        let program = stand_in(name, script);
        let target = std::env::temp_dir().join(format!("stiction-view-{name}-{}.mp4", std::process::id()));
        let draft = Draft::new(&target).unwrap();
        let mut movie = Box::new(Mp4::new(draft, [4, 2], (program.to_str().unwrap(), 25.0)).unwrap());
        let ending = movie.add(&picture(), 3).and_then(|()| movie.finish());
        std::fs::remove_file(program).unwrap();
        (ending, target)
    }

    #[cfg(unix)]
    #[test]
    fn ffmpeg_gets_every_picture_as_often_as_it_is_shown() {
        let (ending, target) =
            run("cat", "for last; do :; done; case \"$last\" in file:*) cat > \"${last#file:}\";; esac");
        ending.unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), vec![200; 3 * 4 * 2 * 3]);
        std::fs::remove_file(target).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_ffmpeg_complains_about_is_told_and_no_file_stays() {
        let (ending, target) = run("fail", "cat > /dev/null; echo no such codec >&2; exit 1");
        assert!(ending.unwrap_err().to_string().contains("no such codec"));
        assert!(!target.exists());
    }
}
