//! Lines over time.

use std::fmt::Write as _;

use super::{Area, NAME_HEIGHT, text};

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// By their logarithms; values that are not positive are left out.
    Log,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// Its colour.
    pub color: &'static str,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Times in s and values.
    pub points: Vec<(f64, f64)>,
}

/// Some lines with axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What is shown.
    pub title: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The vertical axis.
    pub scale: Scale,
    /// The lines.
    pub series: Vec<Series>,
}

/// Points that a line has at most, or a long run would make a huge file.
const MAX_POINTS: usize = 2000;

/// From times and (scaled) values to places.
struct Axes {
    area: Area,
    x: [f64; 2],
    y: [f64; 2],
}

impl Axes {
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let [left, top, width, height] = self.area;
        let across = (x - self.x[0]) / (self.x[1] - self.x[0]);
        let up = (y - self.y[0]) / (self.y[1] - self.y[0]);
        (left + width * across, top + height * (1.0 - up))
    }
}

impl Plot {
    /// Draws the plot into a field of the sheet.
    pub fn draw(&self, out: &mut String, area: Area) {
        let legend = NAME_HEIGHT * self.series.len() as f64;
        let [left, top, width, height] = area;
        text(out, left, top + 14.0, 15.0, "start", &format!("{} [{}]", self.title, self.unit));
        let inner = [left + 58.0, top + 28.0, width - 66.0, height - 68.0 - legend];
        let axes = Axes { area: inner, x: self.time_range(), y: self.value_range() };
        self.draw_axes(out, &axes);
        // Spikes end at the frame.
        let clip = format!("plot{left:.0}");
        let [x, y, w, h] = inner;
        let _ = writeln!(
            out,
            "<clipPath id=\"{clip}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"/></clipPath>\n\
             <g clip-path=\"url(#{clip})\">"
        );
        self.series.iter().for_each(|series| self.draw_line(out, &axes, series));
        out.push_str("</g>\n");
        for (index, series) in self.series.iter().enumerate() {
            draw_name(out, series, inner[0], top + height - legend + NAME_HEIGHT * index as f64 + 8.0);
        }
    }

    fn scaled(&self, value: f64) -> Option<f64> {
        match self.scale {
            Scale::Linear => value.is_finite().then_some(value),
            Scale::Log => (value > 0.0 && value.is_finite()).then(|| value.log10()),
        }
    }

    fn time_range(&self) -> [f64; 2] {
        let times = self.series.iter().flat_map(|series| series.points.iter().map(|point| point.0));
        widened(times.fold([f64::INFINITY, f64::NEG_INFINITY], |r, t| [r[0].min(t), r[1].max(t)]), 0.0)
    }

    /// Where all values lie but for a short spike, such as that of an impact, which would flatten the rest. Dashed lines always fit.
    fn value_range(&self) -> [f64; 2] {
        let of = |dashed: bool| {
            let series = self.series.iter().filter(move |series| series.dashed == dashed);
            series.flat_map(|series| series.points.iter().filter_map(|p| self.scaled(p.1)))
        };
        let both = of(true).fold(without_spikes(of(false).collect()), |r, v| [r[0].min(v), r[1].max(v)]);
        widened(both, 0.05)
    }

    fn draw_axes(&self, out: &mut String, axes: &Axes) {
        let [left, top, width, height] = axes.area;
        let levels = ticks(axes.y, self.scale);
        let value = |tick: &f64| if self.scale == Scale::Log { 10_f64.powf(*tick) } else { *tick };
        let names = labels(&levels.iter().map(value).collect::<Vec<_>>());
        for (&tick, name) in levels.iter().zip(&names) {
            let (_, y) = axes.place(axes.x[0], tick);
            let right = left + width;
            let _ = writeln!(out, "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"#e3e3e3\"/>");
            text(out, left - 6.0, y + 4.0, 11.0, "end", name);
        }
        let times = ticks(axes.x, Scale::Linear);
        for (&tick, name) in times.iter().zip(&labels(&times)) {
            let (x, _) = axes.place(tick, axes.y[0]);
            let bottom = top + height;
            let _ = writeln!(out, "<path d=\"M{x:.1} {bottom:.1}v4\" stroke=\"#888888\"/>");
            text(out, x, bottom + 17.0, 11.0, "middle", name);
        }
        text(out, left + width, top + height + 31.0, 11.0, "end", "time [s]");
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             stroke=\"#888888\"/>"
        );
    }

    fn draw_line(&self, out: &mut String, axes: &Axes, series: &Series) {
        let mut path = String::new();
        let mut pen_down = false;
        let stride = series.points.len().div_ceil(MAX_POINTS).max(1);
        let last = series.points.len().saturating_sub(1);
        let shown = series.points.iter().enumerate().filter(|(k, _)| k % stride == 0 || *k == last);
        for (_, &(time, value)) in shown {
            let Some(value) = self.scaled(value) else {
                pen_down = false;
                continue;
            };
            let (x, y) = axes.place(time, value);
            let _ = write!(path, "{}{x:.2} {y:.2}", if pen_down { 'L' } else { 'M' });
            pen_down = true;
        }
        let dash = if series.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let color = series.color;
        let _ =
            writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"{dash}/>");
    }
}

fn draw_name(out: &mut String, series: &Series, x: f64, y: f64) {
    let dash = if series.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let color = series.color;
    let _ = writeln!(out, "<path d=\"M{x:.1} {y:.1}h22\" stroke=\"{color}\" stroke-width=\"2.4\"{dash}/>");
    text(out, x + 28.0, y + 4.0, 12.0, "start", &series.name);
}

/// The part of values at either end that a spike may have.
const SPIKE: f64 = 0.02;

/// How much larger the range of all values must be than that of those without spikes before they are cut off.
const TALL: f64 = 4.0;

/// The range of values; without the largest and smallest few if those are far from all others.
fn without_spikes(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_unstable_by(f64::total_cmp);
    let (Some(low), Some(high)) = (values.first().copied(), values.last().copied()) else {
        return [f64::INFINITY, f64::NEG_INFINITY];
    };
    let cut = (SPIKE * values.len() as f64).ceil();
    #[expect(clippy::cast_sign_loss, reason = "a part of a number of values")]
    let cut = (cut as usize).min((values.len() - 1) / 2);
    let usual = [values[cut], values[values.len() - 1 - cut]];
    let room = usual[1] - usual[0];
    if room > 0.0 && high - low > TALL * room {
        [low.max(usual[0] - room), high.min(usual[1] + room)]
    } else {
        [low, high]
    }
}

/// A range that is not empty, with some room.
fn widened([low, high]: [f64; 2], room: f64) -> [f64; 2] {
    if low > high {
        return [0.0, 1.0];
    }
    let extent = high - low;
    if extent <= 1e-12 * (low.abs() + high.abs()) {
        let half = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
        return [low - half, high + half];
    }
    [low - room * extent, high + room * extent]
}

/// Round values in a range, scaled.
fn ticks(range: [f64; 2], scale: Scale) -> Vec<f64> {
    match scale {
        Scale::Linear => round_numbers(range),
        Scale::Log if range[1] - range[0] < 1.0 => {
            round_numbers(range.map(|power| 10_f64.powf(power))).iter().map(|value| value.log10()).collect()
        }
        Scale::Log if range[1] - range[0] < 3.0 => {
            let powers = round_numbers([range[0].floor(), range[1].ceil()]);
            let decades = powers.iter().filter(|power| power.fract() == 0.0);
            let all = decades.flat_map(|power| [1.0_f64, 2.0, 5.0].map(|m| power + m.log10()));
            all.filter(|tick| (range[0]..=range[1]).contains(tick)).collect()
        }
        Scale::Log => round_numbers(range).into_iter().filter(|power| power.fract() == 0.0).collect(),
    }
}

/// About five multiples of 1, 2 or 5 times a power of ten.
fn round_numbers([low, high]: [f64; 2]) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(power);
    let first = (low / step).ceil();
    (0..12).map(|k| (first + f64::from(k)) * step).take_while(|tick| *tick <= high + 1e-9 * step).collect()
}

/// Numbers in few characters, but so many that they are told apart.
fn labels(values: &[f64]) -> Vec<String> {
    let apart = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(f64::INFINITY, f64::min);
    let near = |label: &String, value: &f64| {
        label.parse::<f64>().is_ok_and(|shown| (shown - value).abs() <= 0.01 * apart)
    };
    let with = |digits: usize| values.iter().map(|value| short(*value, digits)).collect::<Vec<_>>();
    let good = |names: &Vec<String>| names.iter().zip(values).all(|(name, value)| near(name, value));
    (1..16).map(with).find(good).unwrap_or_else(|| with(16))
}

/// A number with so many digits behind the point of a power of ten, or three more without one.
fn short(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if (1e-3..1e5).contains(&value.abs()) {
        let more = digits + 3;
        let text = format!("{value:.more$}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((front, power)) => format!("{}e{power}", front.trim_end_matches('0').trim_end_matches('.')),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(labels(&ticks([0.0, 1.0], Scale::Linear)).join(" "), "0 0.2 0.4 0.6 0.8 1");
        assert!(ticks([-7.3, -2.1], Scale::Log).iter().all(|t| t.fract() == 0.0));
        assert!(ticks([-3.2, -3.1], Scale::Log).len() > 2);
        assert!(ticks([-4.2, -2.7], Scale::Log).len() > 2);
    }

    #[test]
    fn numbers_are_short() {
        let one = |value: f64| short(value, 1);
        assert_eq!([0.0, 0.25, 1500.0, 1e-7, -2.5e9].map(one), ["0", "0.25", "1500", "1e-7", "-2.5e9"]);
    }

    #[test]
    fn numbers_are_long_enough_to_be_told_apart() {
        assert_eq!(labels(&[0.0049, 0.00495, 0.005]), ["0.0049", "0.00495", "0.005"]);
        assert_eq!(labels(&[1e-7, 1.005e-7]), ["1e-7", "1.005e-7"]);
        assert_eq!(labels(&[3.0]), ["3"]);
        assert!(labels(&[]).is_empty());
    }

    #[test]
    fn spikes_do_not_flatten_the_rest() {
        let wave = |k: usize| 1.0 + 0.1 * (k as f64).sin();
        let quiet: Vec<f64> = (0..200).map(wave).collect();
        assert_eq!(without_spikes(quiet.clone())[1], quiet.iter().copied().fold(0.0, f64::max));
        let spiked: Vec<f64> = quiet.iter().copied().chain([50.0, 30.0]).collect();
        let [low, high] = without_spikes(spiked);
        assert!(low > 0.6 && high < 1.5, "{low} {high}");
        // A ramp, a step and a single value are as they are.
        assert_eq!(without_spikes((0..100).map(f64::from).collect()), [0.0, 99.0]);
        assert_eq!(without_spikes([0.0; 50].into_iter().chain([1.0; 50]).collect()), [0.0, 1.0]);
        assert_eq!(without_spikes(vec![3.0]), [3.0, 3.0]);
    }

    #[test]
    fn empty_and_constant_data_have_axes() {
        assert_eq!(widened([f64::INFINITY, f64::NEG_INFINITY], 0.1), [0.0, 1.0]);
        assert_eq!(widened([2.0, 2.0], 0.1), [1.0, 3.0]);
        assert_eq!(widened([0.0, 0.0], 0.1), [-1.0, 1.0]);
    }
}
