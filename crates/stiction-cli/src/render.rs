//! `stiction render`: pictures, animations, pages and files for other programs, from the results of a run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum;
use indicatif::ProgressBar;
use stiction_sim::fields::FieldKind;
use stiction_view::animation::{self, Clip};
use stiction_view::camera::View;
use stiction_view::error::{Error, Result};
use stiction_view::film::Film;
use stiction_view::look::{Arrows, Look};
use stiction_view::picture::Renderer;
use stiction_view::progress::Progress;
use stiction_view::tempo::Tempo;
use stiction_view::{gltf, page, png, sequence};

use crate::film;

/// What is made of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A picture of one frame.
    Png,
    /// An animated GIF.
    Gif,
    /// An animated PNG.
    Apng,
    /// A film; needs the program ffmpeg.
    Mp4,
    /// A picture of every frame, in a folder.
    Frames,
    /// Binary glTF with animated vertices, for Blender and three.js.
    Glb,
    /// A Wavefront OBJ file of every frame, in a folder.
    Obj,
    /// A PLY file of every frame with its fields, in a folder.
    Ply,
    /// A page that plays in a browser.
    Page,
}

impl Format {
    const fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::Mp4 => "mp4",
            Self::Glb => "glb",
            Self::Page => "html",
            Self::Frames | Self::Obj | Self::Ply => "",
        }
    }

    /// The format that the name of a file says.
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        Self::value_variants().iter().copied().find(|format| format.ending() == ending)
    }

    /// Where results go if nobody says so: into the folder of the run.
    fn place(self, run: &Path) -> PathBuf {
        match self {
            Self::Page => run.join("view.html"),
            Self::Frames => run.join("pictures"),
            Self::Obj => run.join("obj"),
            Self::Ply => run.join("ply"),
            other => run.join(format!("render.{}", other.ending())),
        }
    }
}

/// What `stiction render` takes.
#[derive(Clone, Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[command(after_help = "Examples:
  stiction render out/slide-2d                                         a picture of the last frame: out/slide-2d/render.png
  stiction render out/drape -o drape.gif --camera azimuth=30,zoom=1.2  an animation
  stiction render out/rub --color contact_pressure --arrows forces     pressures and forces
  stiction render out/drape -o drape.glb                               for Blender")]
pub struct RenderArgs {
    /// The folder of a run: what `stiction run -o` wrote.
    pub run: PathBuf,
    /// File or folder to write; its ending says the format. By default a file in the folder of the run.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to make; by default what the ending of the output says, or png.
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// The frame of a picture: `last`, or a part of the film from 0 (start) to 1 (end).
    #[arg(long, value_name = "PLACE", default_value = "last")]
    pub frame: String,
    /// The view: front, back, left, right, top, bottom, iso, or azimuth=…, elevation=…, zoom=…, eye=x:y:z, target=x:y:z, up=x:y:z,
    /// perspective=…, distance=…, separated by commas.
    #[arg(long, value_name = "VIEW", allow_hyphen_values = true)]
    pub camera: Option<String>,
    /// Colour by a field, such as `velocity`, `contact_pressure`, `von_mises` or `velocity.x`; `bodies` gives each body its own colour.
    #[arg(long, value_name = "FIELD", default_value = "bodies")]
    pub color: String,
    /// Ends of the colour bar, in the unit of the field, such as 0:1e4.
    #[arg(long, value_name = "LOW:HIGH", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// Arrows: all contact forces, or those of friction.
    #[arg(long, value_name = "WHICH", num_args = 0..=1, default_missing_value = "forces")]
    pub arrows: Option<ArrowChoice>,
    /// No lines between elements.
    #[arg(long)]
    pub no_mesh: bool,
    /// No shadows.
    #[arg(long)]
    pub no_shadows: bool,
    /// No title, legend, scale and colour bar.
    #[arg(long)]
    pub plain: bool,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", default_value = "1200x900")]
    pub size: String,
    /// Pictures a second of an animation.
    #[arg(long, value_name = "N", default_value_t = 25.0)]
    pub fps: f64,
    /// Seconds of the run in a second of an animation; by default 1, but so that it lasts from 2 to 20 s.
    #[arg(long, value_name = "FACTOR")]
    pub speed: Option<f64>,
    /// Most frames of a page or a glTF file; longer runs are thinned evenly.
    #[arg(long, value_name = "N")]
    pub max_frames: Option<usize>,
    /// Replace files of an earlier sequence.
    #[arg(long)]
    pub overwrite: bool,
    /// No progress bar.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Which arrows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrowChoice {
    /// Normal forces and friction.
    Forces,
    /// Friction only.
    Friction,
}

/// Renders a run; returns what was written.
///
/// # Errors
/// If there is no run, an option is wrong, a file cannot be written, or `stop` is raised ([`Error::Stopped`]).
pub fn render(args: &RenderArgs, stop: &AtomicBool) -> Result<PathBuf> {
    let format = format(args)?;
    let path = args.output.clone().unwrap_or_else(|| format.place(&args.run));
    let look = look(args)?;
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new(0) };
    let progress = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        !stop.load(Ordering::Relaxed)
    };
    let film = film::load(&args.run, fields(format, args).as_deref())?;
    let done = Job { args, format, film: &film, look, path: &path }.run(&progress);
    bar.finish_and_clear();
    done.map(|()| path)
}

/// What is asked for, or what the ending of the output says.
fn format(args: &RenderArgs) -> Result<Format> {
    match (args.format, &args.output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(Format::Png),
        (None, Some(path)) => Format::of(path).ok_or_else(|| {
            let path = path.display();
            Error::Request(format!(
                "{path}: names of results end with .png, .gif, .apng, .mp4, .glb or .html; for others say --format"
            ))
        }),
    }
}

/// The fields that have to be read: all that a page or a sequence shows, or what colours a picture.
fn fields(format: Format, args: &RenderArgs) -> Option<Vec<FieldKind>> {
    match format {
        Format::Page => Some(film::PAGE_FIELDS.to_vec()),
        Format::Ply => None,
        Format::Glb | Format::Obj => Some(Vec::new()),
        _ if args.color == "bodies" => Some(Vec::new()),
        // One that is not there is an error with all that are.
        _ => None,
    }
}

fn look(args: &RenderArgs) -> Result<Look> {
    let view = args.camera.as_deref().map_or_else(|| Ok(View::default()), str::parse)?;
    let arrows = match args.arrows {
        None => Arrows::Off,
        Some(ArrowChoice::Forces) => Arrows::Forces,
        Some(ArrowChoice::Friction) => Arrows::Friction,
    };
    Ok(Look {
        size: size(&args.size)?,
        view,
        field: Some(args.color.clone()).filter(|color| color != "bodies"),
        range: args.range.as_deref().map(range).transpose()?,
        arrows,
        mesh: !args.no_mesh,
        shadows: !args.no_shadows,
        decoration: !args.plain,
        ..Look::default()
    })
}

fn size(text: &str) -> Result<[u32; 2]> {
    let sides =
        text.split_once(['x', '×']).and_then(|(w, h)| Some([w.trim().parse().ok()?, h.trim().parse().ok()?]));
    sides.ok_or_else(|| {
        Error::Request(format!("--size {text}: give width and height in pixels, such as 1200x900"))
    })
}

fn range(text: &str) -> Result<[f64; 2]> {
    let ends = text
        .split_once(':')
        .and_then(|(low, high)| Some([low.trim().parse().ok()?, high.trim().parse().ok()?]));
    ends.ok_or_else(|| Error::Request(format!("--range {text}: give both ends, such as 0:1e4")))
}

/// The number of the frame at a place of a film.
fn frame(place: &str, count: usize) -> Result<usize> {
    let last = count.saturating_sub(1);
    if place == "last" {
        return Ok(last);
    }
    let part = place.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    let part: f64 =
        part.ok_or_else(|| Error::Request(format!("--frame {place}: give last, or a part from 0 to 1")))?;
    #[expect(clippy::cast_sign_loss, reason = "a part is not negative")]
    Ok((part * last as f64).round() as usize)
}

/// Something to be made.
struct Job<'a> {
    args: &'a RenderArgs,
    format: Format,
    film: &'a Film,
    look: Look,
    path: &'a Path,
}

impl Job<'_> {
    fn run(&self, progress: Progress<'_>) -> Result<()> {
        match self.format {
            Format::Png => self.picture(),
            Format::Gif => self.animation(animation::Format::Gif, progress),
            Format::Apng => self.animation(animation::Format::Apng, progress),
            Format::Mp4 => self.animation(animation::Format::Mp4, progress),
            Format::Frames => self.pictures(progress),
            Format::Glb => {
                let usual = gltf::Options::default();
                let max_frames = self.args.max_frames.unwrap_or(usual.max_frames);
                gltf::write(self.film, self.path, &gltf::Options { max_frames }, progress).map(|_| ())
            }
            Format::Obj => self.sequence(sequence::Format::Obj, progress),
            Format::Ply => self.sequence(sequence::Format::Ply, progress),
            Format::Page => {
                let usual = page::Options::default();
                let max_frames = self.args.max_frames.unwrap_or(usual.max_frames);
                page::write(self.film, self.path, page::Options { max_frames }, progress).map(|_| ())
            }
        }
    }

    fn picture(&self) -> Result<()> {
        let index = frame(&self.args.frame, self.film.count())?;
        png::write(&Renderer::new(self.film, &self.look)?.picture(index)?, self.path)
    }

    fn animation(&self, format: animation::Format, progress: Progress<'_>) -> Result<()> {
        let tempo = Tempo { fps: self.args.fps, speed: self.args.speed };
        animation::write(self.film, &self.look, self.path, &Clip { format, tempo }, progress)
    }

    fn pictures(&self, progress: Progress<'_>) -> Result<()> {
        std::fs::create_dir_all(self.path).map_err(Error::at(self.path))?;
        let used = std::fs::read_dir(self.path).map_err(Error::at(self.path))?.next().is_some();
        if used && !self.args.overwrite {
            let path = self.path.display();
            return Err(Error::Request(format!(
                "{path} is not empty: choose another folder, or --overwrite"
            )));
        }
        let renderer = Renderer::new(self.film, &self.look)?;
        for index in 0..self.film.count() {
            if !progress(index, self.film.count()) {
                return Err(Error::Stopped);
            }
            let step = self.film.frame(index)?.step;
            png::write(&renderer.picture(index)?, &self.path.join(format!("{step:06}.png")))?;
        }
        Ok(())
    }

    fn sequence(&self, format: sequence::Format, progress: Progress<'_>) -> Result<()> {
        let usual = sequence::Options::default();
        let options = sequence::Options { format, overwrite: self.args.overwrite, ..usual };
        sequence::write(self.film, self.path, &options, progress).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused_with_an_example() {
        assert_eq!(size("640x480").unwrap(), [640, 480]);
        assert!(size("640").unwrap_err().to_string().contains("1200x900"));
        assert_eq!(range("-1:2e3").unwrap(), [-1.0, 2e3]);
        assert!(range("1").unwrap_err().to_string().contains("0:1e4"));
        assert_eq!((frame("last", 5).unwrap(), frame("0.5", 5).unwrap(), frame("0", 5).unwrap()), (4, 2, 0));
        assert!(frame("7", 5).unwrap_err().to_string().contains("from 0 to 1"));
    }

    #[test]
    fn endings_say_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/b.GIF"), Some(Format::Gif));
        assert_eq!(of("b.html"), Some(Format::Page));
        assert_eq!((of("b.png"), of("folder"), of("b.xyz")), (Some(Format::Png), None, None));
    }
}
