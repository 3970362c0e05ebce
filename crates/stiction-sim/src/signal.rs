//! Numbers that change with time.

use crate::error::{Error, Result};
use crate::formula::Formula;

/// A number as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// Always the same.
    Constant(f64),
    /// Straight lines between key frames of time in s and value; constant before the first and after the last.
    Frames(Vec<(f64, f64)>),
    /// A formula.
    Formula(Formula),
}

impl Default for Signal {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

impl Signal {
    /// Lines between key frames of time in s (ascending) and value.
    ///
    /// # Errors
    /// If there is none, a number is not finite or the times do not ascend.
    pub fn frames(frames: Vec<(f64, f64)>) -> Result<Self> {
        let mut last = f64::NEG_INFINITY;
        for &(time, value) in &frames {
            if !(time > last && time.is_finite() && value.is_finite()) {
                let must = "finite and later than the one before";
                return Err(Error::BadParameter { name: "time of a key frame", value: time, must });
            }
            last = time;
        }
        if frames.is_empty() {
            let must = "1 or more";
            return Err(Error::BadParameter { name: "number of key frames", value: 0.0, must });
        }
        Ok(Self::Frames(frames))
    }

    /// The value at time `t` in s.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Formula(formula) => formula.at(t),
            Self::Frames(frames) => {
                let after = frames.partition_point(|&(time, _)| time <= t);
                match (after.checked_sub(1).map(|i| frames[i]), frames.get(after)) {
                    (None, None) => 0.0,
                    (None, Some(&(_, first))) => first,
                    (Some((_, last)), None) => last,
                    (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * ((t - t0) / (t1 - t0)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_values() {
        assert_eq!(Signal::default().at(5.0), 1.0);
        let frames = Signal::frames(vec![(1.0, 0.0), (3.0, 4.0)]).unwrap();
        assert_eq!([0.0, 2.0, 9.0].map(|t| frames.at(t)), [0.0, 2.0, 4.0]);
        assert_eq!(Signal::Formula(Formula::parse("2 * t").unwrap()).at(3.0), 6.0);
        assert!(Signal::frames(vec![]).is_err() && Signal::frames(vec![(1.0, 0.0), (1.0, 0.0)]).is_err());
    }
}
