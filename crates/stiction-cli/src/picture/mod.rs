//! The picture of a run: a sheet with some frames and plots, as SVG.

mod plot;
mod rendered;
mod view;

use std::fmt::Write as _;

use stiction::friction::Mu;
use stiction_sim::model::Model;
use stiction_view::error::Result;

use crate::history::History;
use crate::table::Record;
use plot::{Plot, Scale, Series};
use view::{Configuration, View};

/// Colours of bodies and lines, distinguishable also by people who do not see red and green apart.
const COLORS: [&str; 6] = ["#2f6fb2", "#e08a1e", "#3a9d6e", "#b4438f", "#7a6ad8", "#8a8a8a"];

/// Colours of energies that users added.
const ADDED_COLORS: [&str; 4] = ["#8c6d31", "#17a2a8", "#c0504d", "#8a8a8a"];

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 24.0;
const FRAME_HEIGHT: f64 = 300.0;
const PLOT_HEIGHT: f64 = 320.0;
/// Height of a name below a plot.
const NAME_HEIGHT: f64 = 16.0;
const FRAMES: usize = 4;

/// A rectangle on the sheet: left, top, width, height.
type Area = [f64; 4];

/// The sheet of a run so far.
///
/// # Errors
/// If frames in 3D cannot be rendered.
pub fn sheet<const D: usize>(title: &str, model: &Model<D>, history: &History<D>) -> Result<String> {
    let frames_top = 58.0;
    let plots_top = frames_top + FRAME_HEIGHT + 34.0;
    // Energies that users added have names below the plot, not instead of it.
    let added = history.records.first().map_or(0, |record| record.added.len());
    let plot_height = PLOT_HEIGHT + NAME_HEIGHT * added as f64;
    let height = plots_top + plot_height + 16.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    text(&mut out, MARGIN, 30.0, 20.0, "start", title);
    text(&mut out, MARGIN, 48.0, 12.0, "start", &summary(model, history));
    names(&mut out, model);
    frames(&mut out, frames_top, model, history)?;
    for (index, plot) in plots(model, history).iter().enumerate() {
        let area = cell(index, 3, plots_top, plot_height);
        plot.draw(&mut out, area);
    }
    out.push_str("</svg>\n");
    Ok(out)
}

/// Bodies that have their names in the sheet; more would not fit.
const NAMED: usize = 8;

/// The names of bodies with their colours, at the right of the title.
fn names<const D: usize>(out: &mut String, model: &Model<D>) {
    let mut right = WIDTH - MARGIN;
    if model.parts.len() > NAMED {
        return;
    }
    for (index, part) in model.parts.iter().enumerate().rev() {
        text(out, right, 30.0, 12.0, "end", &part.name);
        right -= 7.0 * part.name.chars().count() as f64 + 16.0;
        let color = COLORS[index % COLORS.len()];
        let _ =
            writeln!(out, "<rect x=\"{right:.1}\" y=\"20.5\" width=\"10\" height=\"10\" fill=\"{color}\"/>");
        right -= 14.0;
    }
}

/// The length in m that a field's scale bar shows, and how long it is in the sheet, for so many units of the sheet per metre.
fn scale_bar(out: &mut String, [left, top, width, height]: Area, per_metre: f64) {
    let longest = 0.3 * width / per_metre;
    let power = 10_f64.powf(longest.log10().floor());
    let length =
        [5.0, 2.0, 1.0].map(|m| m * power).into_iter().find(|length| *length <= longest).unwrap_or(power);
    let (x, y, end) = (left + 8.0, top + height - 8.0, left + 8.0 + length * per_metre);
    let _ =
        writeln!(out, "<path d=\"M{x:.1} {:.1}v4H{end:.1}v-4\" fill=\"none\" stroke=\"#444444\"/>", y - 4.0);
    let words = format!("{length:.12}");
    let words = words.trim_end_matches('0').trim_end_matches('.');
    text(out, x, y - 7.0, 11.0, "start", &format!("{words} m"));
}

/// The place of one of `count` equal fields in a row.
fn cell(index: usize, count: usize, top: f64, height: f64) -> Area {
    let width = (WIDTH - MARGIN * (count as f64 + 1.0)) / count as f64;
    [MARGIN + index as f64 * (width + MARGIN), top, width, height]
}

fn summary<const D: usize>(model: &Model<D>, history: &History<D>) -> String {
    let steps = history.records.len().saturating_sub(1);
    let iterations: usize = history.records.iter().map(|record| record.iterations).sum();
    let params = &model.params;
    format!(
        "{D}D, {} vertices, {}, {}; {steps} steps of {} s, {:.1} Newton iterations a step; \
         friction coefficient {}, stick below {} m/s, barrier below {} m",
        model.surface.rest().len(),
        counted(model.parts.len(), "body", "bodies"),
        counted(model.obstacles.len(), "obstacle", "obstacles"),
        params.time.step,
        iterations as f64 / steps.max(1) as f64,
        friction(model),
        params.friction.eps_v,
        length(model.barrier.reach()),
    )
}

/// The coefficient, or both, or that there are several.
fn friction<const D: usize>(model: &Model<D>) -> String {
    let Mu { s, k } = model.coefficients.default.mu;
    let one = if s == k { s.to_string() } else { format!("{s} (static) and {k} (kinetic)") };
    if model.coefficients.pairs().is_some() { format!("{one}, by pairs") } else { one }
}

/// A length as short as it was given, or four digits of one that was computed.
fn length(value: f64) -> String {
    let (whole, rounded) = (value.to_string(), format!("{value:.3e}"));
    if whole.len() <= rounded.len() { whole } else { rounded }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A few configurations side by side, all seen from the same place at the same size.
fn frames<const D: usize>(out: &mut String, top: f64, model: &Model<D>, history: &History<D>) -> Result<()> {
    let last = history.snapshots.len() - 1;
    let mut chosen: Vec<usize> = (0..FRAMES).map(|k| last * k / (FRAMES - 1)).collect();
    chosen.dedup();
    let snapshots = chosen.iter().map(|&index| &history.snapshots[index]);
    let shown: Vec<_> = snapshots.map(|(time, x)| Configuration { time: *time, x }).collect();
    let areas: Vec<Area> = (0..shown.len()).map(|index| cell(index, FRAMES, top, FRAME_HEIGHT)).collect();
    if D == 3 {
        rendered::draw(out, model, &shown, &areas)?;
    } else {
        let view = View::new(model, &shown);
        shown
            .iter()
            .zip(&areas)
            .enumerate()
            .for_each(|(index, (frame, area))| view.draw(out, *area, *frame, index));
    }
    for (frame, [left, _, width, _]) in shown.iter().zip(&areas) {
        let words = format!("t = {:.3} s", frame.time);
        text(out, left + width / 2.0, top + FRAME_HEIGHT + 18.0, 13.0, "middle", &words);
    }
    Ok(())
}

/// A line through one value for each step.
fn line<const D: usize>(history: &History<D>, name: &str, color: usize, values: &[f64]) -> Series {
    let times = history.records.iter().map(|record| record.time);
    Series {
        name: name.to_owned(),
        color: COLORS[color],
        dashed: false,
        points: times.zip(values.iter().copied()).collect(),
    }
}

fn plots<const D: usize>(model: &Model<D>, history: &History<D>) -> [Plot; 3] {
    let slip = history.running_sum(|record| record.slip);
    let gaps: Vec<f64> = history.records.iter().map(|record| record.gap).collect();
    // As a parameter d̂ may be a part of the diagonal.
    let reach = vec![model.barrier.reach(); gaps.len()];
    [
        Plot {
            title: "Sliding distance",
            unit: "m",
            scale: Scale::Linear,
            series: vec![line(history, "mean slip of contacts", 0, &slip)],
        },
        Plot { title: "Energy", unit: "J", scale: Scale::Linear, series: energies(history) },
        Plot {
            title: "Smallest gap",
            unit: "m",
            scale: Scale::Log,
            series: vec![
                line(history, "gap", 0, &gaps),
                Series { dashed: true, ..line(history, "barrier begins", 5, &reach) },
            ],
        },
    ]
}

/// Where the energy is, that of each term that users added by its name, and the sum of it all, which only the integrator's damping makes fall.
fn energies<const D: usize>(history: &History<D>) -> Vec<Series> {
    let height = history.records.first().map_or(0.0, |record| record.gravity);
    let each = |quantity: &dyn Fn(&Record) -> f64| history.records.iter().map(quantity).collect::<Vec<f64>>();
    let heat = history.running_sum(|record| record.heat);
    let damped = history.running_sum(|record| record.damping);
    let work = history.running_sum(|record| record.work);
    let mut sum = each(&|e| e.total - height);
    for (k, value) in sum.iter_mut().enumerate() {
        *value += heat[k] + damped[k] - work[k];
    }
    let mut all = vec![
        line(history, "kinetic", 0, &each(&|e| e.kinetic)),
        line(history, "gravity, from the start", 2, &each(&|e| e.gravity - height)),
        line(history, "elastic and barrier", 1, &each(&|e| e.elastic + e.barrier)),
        line(history, "heat of friction", 3, &heat),
    ];
    if damped.last().is_some_and(|damped| *damped > 0.0) {
        all.push(line(history, "heat of damping", 4, &damped));
    }
    let added = history.records.first().map_or(&[][..], |record| &record.added);
    for (index, (name, _)) in added.iter().enumerate() {
        let values = each(&|e| e.added.get(index).map_or(f64::NAN, |(_, energy)| *energy));
        let color = ADDED_COLORS[index % ADDED_COLORS.len()];
        all.push(Series { color, ..line(history, name, 0, &values) });
    }
    all.push(Series {
        dashed: true,
        color: "#333333",
        ..line(history, "sum of these less work done", 5, &sum)
    });
    all
}

/// A line of text; `anchor` is `start`, `middle` or `end`.
fn text(out: &mut String, x: f64, y: f64, size: f64, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"#222222\">{words}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_sim::scene::Scene;

    /// The picture of the start and a step after it, with such lines in the table of contact and energies that users added.
    fn picture(contact: &str, added: &[&str]) -> String {
        let text = include_str!("../../../../scenes/slide-2d.toml");
        let changed = text.replace("[contact]\n", &format!("[contact]\n{contact}"));
        let (model, state) = Scene::parse(&changed).unwrap().build::<2>().unwrap();
        let mut history = History::new(&model, &state);
        let mut next = history.records[0].clone();
        next.time += 0.01;
        history.records.push(next);
        for (step, record) in history.records.iter_mut().enumerate() {
            record.added = added.iter().map(|name| ((*name).to_owned(), 1e3 * step as f64)).collect();
        }
        sheet("test", &model, &history).unwrap()
    }

    fn height_of(sheet: &str) -> f64 {
        let (_, rest) = sheet.split_once(" height=\"").unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    }

    #[test]
    fn energies_that_users_added_are_drawn_by_name() {
        let (without, with) = (picture("", &[]), picture("", &["spring", "glue"]));
        let lines = |sheet: &str| sheet.matches("stroke-width=\"1.8\"").count();
        assert_eq!(lines(&with), lines(&without) + 2);
        let name = |sheet: &str, name: &str| sheet.contains(&format!(">{name}</text>"));
        assert!(name(&with, "spring") && name(&with, "glue") && !name(&without, "spring"));
        for color in &ADDED_COLORS[..2] {
            assert_eq!(with.matches(&format!("stroke=\"{color}\" stroke-width=\"1.8\"")).count(), 1);
            assert!(!without.contains(color));
        }
        // Many names do not take the plots their place.
        assert!(height_of(&with) == height_of(&without) + 32.0);
        let many: Vec<String> = (0..30).map(|k| format!("term_{k}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(!picture("", &many).contains("height=\"-"));
    }

    #[test]
    fn the_summary_says_where_the_barrier_begins() {
        assert!(picture("", &[]).contains("barrier below 0.001 m"));
        assert!(picture("dmin = 1e-4\n", &[]).contains("barrier below 0.0011 m"));
    }
}
