//! Round numbers: ticks, lengths of scale bars, units with prefixes.

/// A unit with a prefix, such as kPa.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// How it is written.
    pub text: String,
    /// How many of the unit without prefix it is.
    pub factor: f64,
}

const PREFIXES: [(i32, &str); 9] =
    [(-12, "p"), (-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T")];

impl Unit {
    /// The unit in which a quantity is neither a very large nor a very small number.
    pub fn for_size(unit: &str, size: f64) -> Self {
        if size == 0.0 || !size.is_finite() || (0.1..1e4).contains(&size) {
            return Self { text: unit.to_owned(), factor: 1.0 };
        }
        let power = (size.log10().floor() as i32).div_euclid(3) * 3;
        match PREFIXES.iter().find(|prefix| prefix.0 == power) {
            Some((_, prefix)) if takes_prefix(unit) => {
                Self { text: format!("{prefix}{unit}"), factor: 10f64.powi(power) }
            }
            _ if unit.is_empty() => {
                Self { text: format!("10{}", superscript(power)), factor: 10f64.powi(power) }
            }
            _ => Self { text: format!("10{} {unit}", superscript(power)), factor: 10f64.powi(power) },
        }
    }
}

/// Whether a unit begins with a symbol that is not raised to a power and has no prefix.
fn takes_prefix(unit: &str) -> bool {
    let symbol: String = unit.chars().take_while(char::is_ascii_alphabetic).collect();
    let next = unit[symbol.len()..].chars().next();
    matches!(symbol.as_str(), "m" | "s" | "N" | "Pa" | "J" | "W" | "K" | "g" | "rad" | "Hz")
        && matches!(next, None | Some('/' | '·' | '*' | ' '))
}

fn superscript(power: i32) -> String {
    let digit = |digit: char| match digit {
        '-' => '⁻',
        _ => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit.to_digit(10).unwrap_or(0) as usize],
    };
    power.to_string().chars().map(digit).collect()
}

/// The greatest of 1, 2 and 5 times a power of ten that is at most `size`.
pub fn round_down(size: f64) -> f64 {
    let power = 10f64.powf(size.log10().floor());
    let times = [5.0, 2.0, 1.0].into_iter().find(|times| times * power <= size * (1.0 + 1e-12));
    times.unwrap_or(1.0) * power
}

/// Round numbers from `least` to `most`, some `count` of them, with labels that have as many digits as they need.
pub fn ticks([least, most]: [f64; 2], count: usize) -> Vec<(f64, String)> {
    let span = most - least;
    if !(span > 0.0 && span.is_finite()) {
        return vec![(least, label(least, 3))];
    }
    // The least round step of which no more than `count` fit.
    let at_most = count.max(2) as f64;
    let first = round_down(span / at_most);
    let step = [1.0, 2.0, 2.5, 4.0, 5.0, 10.0]
        .into_iter()
        .map(|times| round_down(first * times))
        .find(|step| span / step <= at_most * (1.0 + 1e-9))
        .unwrap_or(first);
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let (from, to) = ((least / step - 1e-6).ceil(), (most / step + 1e-6).floor());
    let number = |index: f64| (from + index) * step;
    (0..=(to - from).max(0.0) as usize)
        .map(|index| number(index as f64))
        .map(|at| (at, label(at, digits)))
        .collect()
}

/// A number with a fixed number of digits, without a minus before zero.
pub fn label(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let zero = text.chars().all(|letter| matches!(letter, '-' | '0' | '.'));
    if zero { text.trim_start_matches('-').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let labels = |range, count| ticks(range, count).into_iter().map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(labels([0.0, 1.0], 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels([-3.1, 3.1], 5), ["-2", "0", "2"]);
        assert_eq!(labels([0.0, 37.0], 5), ["0", "10", "20", "30"]);
        assert_eq!(labels([4.0, 4.0], 5), ["4.000"]);
        assert_eq!(labels([0.0, 0.05], 5), ["0.00", "0.01", "0.02", "0.03", "0.04", "0.05"]);
    }

    #[test]
    fn there_are_neither_many_ticks_nor_one() {
        for i in 1..2000 {
            let most = 10f64.powf(f64::from(i) / 200.0 - 5.0);
            let count = ticks([0.0, most], 5).len();
            assert!((3..=6).contains(&count), "{count} ticks up to {most}");
        }
    }

    #[test]
    fn units_take_prefixes_only_where_those_mean_what_they_say() {
        let text = |unit, size| Unit::for_size(unit, size).text;
        assert_eq!(text("Pa", 2e6), "MPa");
        assert_eq!(text("m/s", 3e-3), "mm/s");
        assert_eq!(text("m", 5e-5), "µm");
        assert_eq!(text("m²", 5e-5), "10⁻⁶ m²");
        assert_eq!(text("1/m", 5e5), "10³ 1/m");
        assert_eq!(text("", 5e-5), "10⁻⁶");
        assert_eq!(text("N", 12.0), "N");
    }

    #[test]
    fn lengths_are_rounded_down_to_1_2_5() {
        for (size, round) in [(1.0, 1.0), (1.9, 1.0), (2.0, 2.0), (4.9, 2.0), (0.07, 0.05), (730.0, 500.0)] {
            assert!((round_down(size) - round).abs() < 1e-9 * round, "{size}: {}", round_down(size));
        }
    }
}
