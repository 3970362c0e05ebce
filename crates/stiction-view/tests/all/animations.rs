//! Animations, read back.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use stiction_view::animation::{self, Clip};
use stiction_view::error::Error;
use stiction_view::film::Film;
use stiction_view::look::Look;
use stiction_view::picture::Renderer;
use stiction_view::tempo::Tempo;

use crate::films::blocks;

const SIZE: [u32; 2] = [120, 90];

fn look() -> Look {
    Look { size: SIZE, ..Look::default() }
}

/// A film whose frames are unevenly spaced.
fn film() -> Film {
    blocks(2).film_of(&[0.0, 0.1, 0.3, 0.4, 1.0], |frame, time| {
        for point in &mut frame.points {
            point[0] += 0.1 * time;
        }
    })
}

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("stiction-view-{}-{name}", std::process::id()))
}

/// Writes an animation at 10 pictures a second.
fn write(name: &str) -> PathBuf {
    let path = path(name);
    let tempo = Tempo { fps: 10.0, speed: Some(1.0) };
    let clip = Clip { tempo, ..Clip::for_path(&path).unwrap() };
    // An answer to the last report comes too late to stop anything.
    animation::write(&film(), &look(), &path, &clip, &|done, of| done < of).unwrap();
    path
}

/// Red, green and blue of the last frame.
fn last_picture() -> Vec<[u8; 3]> {
    let film = film();
    let picture = Renderer::new(&film, &look()).unwrap().picture(4).unwrap();
    picture.rgba.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

#[test]
fn gifs_have_all_frames_with_their_delays() {
    let path = write("a.gif");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
    assert_eq!([decoder.width(), decoder.height()], SIZE.map(|side| side as u16));
    let mut delays = Vec::new();
    let mut canvas = vec![[0; 3]; (SIZE[0] * SIZE[1]) as usize];
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
        for (index, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (width, left, top) = (frame.width as usize, frame.left as usize, frame.top as usize);
            canvas[(top + index / width) * SIZE[0] as usize + left + index % width] =
                [pixel[0], pixel[1], pixel[2]];
        }
    }
    assert_eq!(delays, [10, 20, 10, 60, 60]);
    assert_eq!(canvas[0], [255; 3]);
    let apart = |pair: (&[u8; 3], &[u8; 3])| (0..3).map(|i| pair.0[i].abs_diff(pair.1[i])).max().unwrap();
    let worst = canvas.iter().zip(&last_picture()).map(apart).max().unwrap();
    assert!(worst < 32, "{worst}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn animated_pngs_have_all_frames_with_their_delays() {
    let path = write("b.png");
    let decoder = png::Decoder::new(BufReader::new(File::open(&path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    assert_eq!([reader.info().width, reader.info().height], SIZE);
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 5);
    let mut canvas = vec![[0; 3]; (SIZE[0] * SIZE[1]) as usize];
    let mut delays = Vec::new();
    for _ in 0..5 {
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut buffer).unwrap();
        let control = *reader.info().frame_control().unwrap();
        delays.push((control.delay_num, control.delay_den));
        for index in 0..(control.width * control.height) as usize {
            let (x, y) = (index as u32 % control.width, index as u32 / control.width);
            let at = (control.y_offset + y) * SIZE[0] + control.x_offset + x;
            canvas[at as usize].copy_from_slice(&buffer[3 * index..3 * index + 3]);
        }
    }
    assert_eq!(delays.map_to_seconds(), [0.1, 0.2, 0.1, 0.6, 0.6]);
    assert_eq!(canvas, last_picture());
    std::fs::remove_file(path).unwrap();
}

trait Seconds {
    fn map_to_seconds(&self) -> Vec<f64>;
}

impl Seconds for Vec<(u16, u16)> {
    fn map_to_seconds(&self) -> Vec<f64> {
        self.iter().map(|(steps, per_second)| f64::from(*steps) / f64::from(*per_second)).collect()
    }
}

#[test]
fn what_is_stopped_leaves_no_file() {
    let path = path("c.gif");
    let clip = Clip::for_path(&path).unwrap();
    let ending = animation::write(&film(), &look(), &path, &clip, &|done, of| done < 2 && of == 5);
    assert!(matches!(ending, Err(Error::Stopped)));
    let name = "-c.gif";
    let left = std::fs::read_dir(std::env::temp_dir()).unwrap().filter_map(Result::ok).find(|entry| {
        let entry = entry.file_name().to_string_lossy().into_owned();
        entry.contains(&std::process::id().to_string()) && entry.contains(name)
    });
    assert!(left.is_none(), "{left:?}");
}

#[test]
fn wrong_requests_are_refused() {
    assert!(Clip::for_path(&path("d.avi")).unwrap_err().to_string().contains(".gif, .png or .mp4"));
    let path = path("e.gif");
    let fast = Clip { tempo: Tempo { fps: 60.0, speed: None }, ..Clip::for_path(&path).unwrap() };
    let refused = |path: &std::path::Path, clip: &Clip| {
        animation::write(&film(), &look(), path, clip, &|_, _| true).unwrap_err().to_string()
    };
    assert!(refused(&path, &fast).contains("at most 50"));
    let never = Clip { tempo: Tempo { fps: 0.0, speed: None }, ..Clip::for_path(&path).unwrap() };
    assert!(refused(&path, &never).contains("0.1 to 120"));
    let movie = Clip::for_path(&self::path("f.mp4")).unwrap();
    let huge = Look { size: [u32::MAX; 2], ..look() };
    let error = animation::write(&film(), &huge, &path, &movie, &|_, _| true).unwrap_err();
    assert!(error.to_string().contains("4096"), "{error}");
    for (name, limit) in [("g.gif", "655.3 s"), ("g.png", "65.5 s")] {
        let path = self::path(name);
        let slow = Clip { tempo: Tempo { fps: 1.0, speed: Some(5e-4) }, ..Clip::for_path(&path).unwrap() };
        assert!(refused(&path, &slow).contains(limit), "{}", refused(&path, &slow));
    }
    let nowhere = PathBuf::from("/nonexistent/folder/e.gif");
    let clip = Clip::for_path(&nowhere).unwrap();
    assert!(refused(&nowhere, &clip).contains("/nonexistent/folder/e.gif"));
}
