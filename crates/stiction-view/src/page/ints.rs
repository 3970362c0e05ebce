//! Arrays of integers as bytes that compress well.
//!
//! ```text
//! array     = count: u32, stride: u8, forecast: u8, planes: u8, planes × count bytes
//! residual  = value − forecast             (wrapping)
//! zigzag    = 2 residual ≥ 0, or −2 residual − 1
//! ```
//!
//! All little-endian. The bytes of the residuals are written plane by plane, the lowest first; planes that are zero throughout are left out. The
//! player decodes this in `viewer/src/ints.ts`.

/// What a value is forecast to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// Zero.
    Zero,
    /// The same component of the value before it in the array.
    Neighbour,
    /// The same value in the frame before.
    Same,
    /// The same value in the frame before, moving on as it did from the frame before that.
    Moving,
}

/// Arrays of the same place in successive frames.
#[derive(Clone, Debug)]
pub struct Channel {
    stride: usize,
    last: Vec<i32>,
    before: Vec<i32>,
    frames: usize,
}

impl Channel {
    /// Arrays whose values have so many components, 1 to 255.
    pub fn new(stride: usize) -> Self {
        // What lies in a byte is the stride of the player, too.
        let stride = stride.clamp(1, 255);
        Self { stride, last: Vec::new(), before: Vec::new(), frames: 0 }
    }

    /// Writes the array of the next frame.
    pub fn push(&mut self, values: Vec<i32>, out: &mut Vec<u8>) {
        let (forecast, residuals) = self.cheapest(&values);
        put(out, self.stride, forecast, &residuals);
        self.before = std::mem::replace(&mut self.last, values);
        self.frames += 1;
    }

    fn cheapest(&self, values: &[i32]) -> (Forecast, Vec<u32>) {
        let mut best = (Forecast::Zero, self.residuals(values, Forecast::Zero));
        let mut lowest = bits(&best.1);
        for forecast in [Forecast::Neighbour, Forecast::Same, Forecast::Moving] {
            if !self.knows(forecast, values.len()) {
                continue;
            }
            let residuals = self.residuals(values, forecast);
            let price = bits(&residuals);
            if price < lowest {
                (best, lowest) = ((forecast, residuals), price);
            }
        }
        best
    }

    fn knows(&self, forecast: Forecast, count: usize) -> bool {
        match forecast {
            Forecast::Zero | Forecast::Neighbour => true,
            Forecast::Same => self.frames > 0 && self.last.len() == count,
            Forecast::Moving => self.frames > 1 && self.last.len() == count && self.before.len() == count,
        }
    }

    fn residuals(&self, values: &[i32], forecast: Forecast) -> Vec<u32> {
        let minus = |(value, other): (&i32, &i32)| zigzag(value.wrapping_sub(*other));
        match forecast {
            Forecast::Zero => values.iter().map(|value| zigzag(*value)).collect(),
            Forecast::Neighbour => {
                let first = values.iter().take(self.stride).map(|value| zigzag(*value));
                first.chain(values.iter().skip(self.stride).zip(values).map(minus)).collect()
            }
            Forecast::Same => values.iter().zip(&self.last).map(minus).collect(),
            Forecast::Moving => {
                let pairs = self.last.iter().zip(&self.before);
                let moved = pairs.map(|(last, before)| last.wrapping_mul(2).wrapping_sub(*before));
                values.iter().zip(moved).map(|(value, moved)| zigzag(value.wrapping_sub(moved))).collect()
            }
        }
    }
}

fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)).cast_unsigned()
}

/// About how many bits residuals need.
fn bits(residuals: &[u32]) -> u64 {
    residuals.iter().map(|residual| u64::from(u32::BITS - residual.leading_zeros())).sum()
}

fn put(out: &mut Vec<u8>, stride: usize, forecast: Forecast, residuals: &[u32]) {
    let all = residuals.iter().fold(0, |all, residual| all | residual);
    let planes = (u32::BITS - all.leading_zeros()).div_ceil(8);
    out.extend_from_slice(&(residuals.len() as u32).to_le_bytes());
    out.extend_from_slice(&[stride as u8, forecast as u8, planes as u8]);
    for plane in 0..planes {
        out.extend(residuals.iter().map(|residual| (residual >> (8 * plane)) as u8));
    }
}
