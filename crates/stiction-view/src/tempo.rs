//! When an animation shows which frame.

use crate::error::{Error, Result};

/// The speed of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tempo {
    /// Pictures per second, at most.
    pub fps: f64,
    /// Seconds of the film per second of the animation. By default 1, but so that the animation lasts from 2 to 20 s.
    pub speed: Option<f64>,
}

impl Default for Tempo {
    fn default() -> Self {
        Self { fps: 25.0, speed: None }
    }
}

/// A frame and how long it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The frame, by its number.
    pub frame: usize,
    /// How long, in pictures: 1/[`Tempo::fps`] s each.
    pub ticks: u32,
}

const SHORTEST: f64 = 2.0;
const LONGEST: f64 = 20.0;
/// The last frame stays for so many seconds more, before an animation begins anew.
const HOLD: f64 = 0.5;
const MOST_TICKS: f64 = 1e6;

impl Tempo {
    /// The frames to show, for frames at some times in s. The animation takes from each moment the last frame that is not later; of frames
    /// that are closer than its pictures some are left out.
    ///
    /// # Errors
    /// If a number is out of its range, or times decrease.
    pub fn shots(&self, times: &[f64]) -> Result<Vec<Shot>> {
        self.check()?;
        check_times(times)?;
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return Ok(Vec::new()) };
        let span = last - first;
        let speed = self.speed.unwrap_or_else(|| span / span.clamp(SHORTEST, LONGEST));
        let pictures = if span > 0.0 { (span / speed * self.fps).round() } else { 0.0 };
        if pictures > MOST_TICKS {
            return Err(Error::Request(format!(
                "the animation would have {pictures:.0} pictures: choose a greater speed"
            )));
        }
        let moment = |tick: u32| {
            if f64::from(tick) >= pictures { *last } else { first + f64::from(tick) / pictures * span }
        };
        let mut shots = merged((0..=pictures as u32).map(moment), times);
        if let Some(shot) = shots.last_mut() {
            shot.ticks += (HOLD * self.fps).round().max(1.0) as u32;
        }
        Ok(shots)
    }

    /// Checks that the numbers make an animation.
    pub(crate) fn check(&self) -> Result<()> {
        if !(0.1..=120.0).contains(&self.fps) {
            return Err(Error::Request(format!("{} pictures a second: choose from 0.1 to 120", self.fps)));
        }
        if let Some(speed) = self.speed
            && !(speed > 0.0 && speed.is_finite())
        {
            return Err(Error::Request(format!("the speed of an animation must be positive, not {speed}")));
        }
        Ok(())
    }
}

fn check_times(times: &[f64]) -> Result<()> {
    let wrong = |what: String| Err(Error::Film(what));
    if let Some(frame) = times.iter().position(|time| !time.is_finite()) {
        return wrong(format!(
            "the times of its frames must be finite, but that of frame {frame} is {}",
            times[frame]
        ));
    }
    match times.windows(2).position(|pair| pair[0] > pair[1]) {
        Some(frame) => wrong(format!(
            "the times of its frames decrease, from {} s in frame {frame} to {} s in the next",
            times[frame],
            times[frame + 1]
        )),
        None => Ok(()),
    }
}

/// The last frame that is not later than each moment.
fn merged(moments: impl Iterator<Item = f64>, times: &[f64]) -> Vec<Shot> {
    let mut shots: Vec<Shot> = Vec::new();
    let slack = 1e-9 * (times[times.len() - 1] - times[0]);
    for moment in moments {
        let frame = times.partition_point(|time| *time <= moment + slack).max(1) - 1;
        match shots.last_mut() {
            Some(shot) if shot.frame == frame => shot.ticks += 1,
            _ => shots.push(Shot { frame, ticks: 1 }),
        }
    }
    shots
}

/// Ends of intervals of `ticks`, rounded to a clock's steps: errors do not add up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    steps_per_tick: f64,
    ticks: f64,
    steps: f64,
}

impl Clock {
    /// A clock with so many steps a second.
    pub fn new(fps: f64, steps_per_second: f64) -> Self {
        Self { steps_per_tick: steps_per_second / fps, ticks: 0.0, steps: 0.0 }
    }

    /// The steps until so many ticks later.
    pub fn advance(&mut self, ticks: u32) -> u16 {
        self.ticks += f64::from(ticks);
        let end = (self.ticks * self.steps_per_tick).round();
        let steps = (end - self.steps).clamp(1.0, f64::from(u16::MAX));
        self.steps = end;
        steps as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(shots: &[Shot], fps: f64) -> f64 {
        shots.iter().map(|shot| f64::from(shot.ticks)).sum::<f64>() / fps
    }

    #[test]
    fn animations_last_from_2_to_20_seconds_by_default() {
        let tempo = Tempo::default();
        for (span, lasts) in [(1e-3, 2.0), (5.0, 5.0), (400.0, 20.0)] {
            let times: Vec<f64> = (0..=1000).map(|i| span * f64::from(i) / 1000.0).collect();
            let shots = tempo.shots(&times).unwrap();
            let length = seconds(&shots, tempo.fps) - HOLD;
            assert!((length - lasts).abs() < 0.1, "{span} s lasts {length} s");
            assert_eq!((shots[0].frame, shots.last().unwrap().frame), (0, 1000));
        }
    }

    #[test]
    fn frames_are_shown_as_long_as_they_last() {
        let tempo = Tempo { fps: 10.0, speed: Some(0.5) };
        let shots = tempo.shots(&[0.0, 0.1, 0.5, 1.0]).unwrap();
        assert_eq!(shots.iter().map(|shot| shot.ticks).collect::<Vec<_>>(), [2, 8, 10, 6]);
        assert_eq!(tempo.shots(&[3.0]).unwrap(), [Shot { frame: 0, ticks: 6 }]);
        assert_eq!(tempo.shots(&[]).unwrap(), []);
    }

    #[test]
    fn rounding_of_delays_does_not_add_up() {
        let mut clock = Clock::new(30.0, 100.0);
        let delays: Vec<u16> = (0..30).map(|_| clock.advance(1)).collect();
        assert_eq!(delays.iter().sum::<u16>(), 100);
        assert!(delays.iter().all(|delay| matches!(delay, 3 | 4)));
    }

    #[test]
    fn what_cannot_be_played_is_refused() {
        let refused = |tempo: Tempo, times: &[f64]| tempo.shots(times).unwrap_err().to_string();
        assert!(refused(Tempo { fps: 0.0, speed: None }, &[0.0]).contains("0.1 to 120"));
        assert!(refused(Tempo { fps: 25.0, speed: Some(-1.0) }, &[0.0]).contains("positive"));
        assert!(refused(Tempo { fps: 25.0, speed: Some(1e-9) }, &[0.0, 1.0]).contains("greater speed"));
        assert!(refused(Tempo::default(), &[0.0, f64::NAN]).contains("times"));
        assert!(refused(Tempo::default(), &[1.0, 0.5]).contains("times"));
    }
}
