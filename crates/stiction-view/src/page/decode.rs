//! Reads pages back, as the player does: what tests compare with films.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use serde_json::Value;

use super::CHUNK;

/// A page that was written.
pub struct Decoded<'a> {
    html: &'a str,
    /// Its header.
    pub header: Value,
}

/// A decoded contact: things, place, forces, regime.
pub struct DecodedContact {
    pub things: [i32; 2],
    pub point: [f64; 3],
    pub forces: [f64; 6],
    pub regime: i32,
}

impl<'a> Decoded<'a> {
    pub fn new(html: &'a str) -> Self {
        let header = serde_json::from_str(script(html, "header")).unwrap();
        Self { html, header }
    }

    pub fn block(&self, name: &str) -> Vec<u8> {
        let packed = STANDARD.decode(script(self.html, name)).unwrap();
        let mut bytes = Vec::new();
        ZlibDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    }

    pub fn frames(&self) -> usize {
        self.header["frames"].as_array().unwrap().len()
    }

    pub fn steps(&self) -> Vec<u64> {
        self.header["frames"].as_array().unwrap().iter().map(|frame| frame[0].as_u64().unwrap()).collect()
    }

    /// Positions of all vertices in a frame.
    pub fn positions(&self, frame: usize) -> Vec<[f64; 3]> {
        let parts = self.header["parts"].as_array().unwrap();
        let arrays = self.arrays(&format!("positions-{}", frame / CHUNK), parts.len(), true);
        let first = (frame % CHUNK) * parts.len();
        let mut out = Vec::new();
        for (part, integers) in parts.iter().zip(&arrays[first..]) {
            let (origin, step) = grid(part);
            out.extend(integers.chunks_exact(3).map(|point| place(origin, step, point)));
        }
        out
    }

    /// Values of a field in a frame.
    pub fn values(&self, field: usize, frame: usize) -> Vec<f64> {
        let head = &self.header["fields"][field];
        let integers = &self.arrays(&format!("field-{field}-{}", frame / CHUNK), 1, true)[frame % CHUNK];
        let components = head["components"].as_u64().unwrap() as usize;
        let value = |(index, integer): (usize, &i32)| {
            if *integer == 0 {
                return f64::NAN;
            }
            let [low, high] = ["low", "high"].map(|end| head[end][index % components].as_f64().unwrap());
            low + f64::from(integer - 1) * (high - low) / head["levels"].as_f64().unwrap()
        };
        integers.iter().enumerate().map(value).collect()
    }

    /// Contacts of a frame.
    pub fn contacts(&self, frame: usize) -> Vec<DecodedContact> {
        let arrays = self.arrays(&format!("contacts-{}", frame / CHUNK), 4, false);
        let [things, points, forces, regimes] = &arrays[4 * (frame % CHUNK)..][..4] else { panic!() };
        let (origin, step) = grid(&self.header["contacts"]);
        let contact = |(index, regime): (usize, &i32)| DecodedContact {
            things: [things[2 * index], things[2 * index + 1]],
            point: place(origin, step, &points[3 * index..]),
            forces: std::array::from_fn(|k| {
                f64::from(f32::from_bits((forces[6 * index + k].cast_unsigned()) << 8))
            }),
            regime: *regime,
        };
        regimes.iter().enumerate().map(contact).collect()
    }

    /// All arrays of a block; those of the same place follow each other after so many.
    fn arrays(&self, name: &str, places: usize, remember: bool) -> Vec<Vec<i32>> {
        let bytes = self.block(name);
        let mut rest = bytes.as_slice();
        let mut arrays: Vec<Vec<i32>> = Vec::new();
        while !rest.is_empty() {
            let earlier = |frames: usize| {
                let index = arrays.len().checked_sub(frames * places).filter(|_| remember);
                index.map_or(&[][..], |index| arrays[index].as_slice())
            };
            let array = array(&mut rest, earlier(1), earlier(2));
            arrays.push(array);
        }
        arrays
    }
}

/// The text of a script of data.
fn script<'a>(html: &'a str, name: &str) -> &'a str {
    let (_, rest) = html.split_once(&format!("id=\"data-{name}\">")).unwrap();
    rest.split_once("</script>").unwrap().0
}

fn grid(head: &Value) -> ([f64; 3], f64) {
    ([0, 1, 2].map(|axis| head["origin"][axis].as_f64().unwrap()), head["step"].as_f64().unwrap())
}

fn place(origin: [f64; 3], step: f64, integers: &[i32]) -> [f64; 3] {
    [0, 1, 2].map(|axis| origin[axis] + step * f64::from(integers[axis]))
}

/// The next array: see `ints`.
pub fn array(bytes: &mut &[u8], last: &[i32], before: &[i32]) -> Vec<i32> {
    let (head, rest) = bytes.split_at(7);
    let count = u32::from_le_bytes(head[..4].try_into().unwrap()) as usize;
    let [stride, forecast, planes] = [4, 5, 6].map(|index| usize::from(head[index]));
    let (body, rest) = rest.split_at(planes * count);
    *bytes = rest;
    let mut values: Vec<i32> = Vec::with_capacity(count);
    for index in 0..count {
        let byte = |plane: usize| u32::from(body[plane * count + index]) << (8 * plane);
        let zigzag = (0..planes).map(byte).fold(0, |all, byte| all | byte);
        let residual = (zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed());
        let expected = match forecast {
            1 if index >= stride => values[index - stride],
            0 | 1 => 0,
            2 => last[index],
            _ => last[index].wrapping_mul(2).wrapping_sub(before[index]),
        };
        values.push(residual.wrapping_add(expected));
    }
    values
}
