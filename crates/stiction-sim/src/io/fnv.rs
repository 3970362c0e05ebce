//! A hash of bytes: FNV-1a with 64 bits.

/// ```text
/// h₀ = 0xcbf29ce484222325        hₙ₊₁ = (hₙ xor byte) · 0x100000001b3   mod 2⁶⁴
/// ```
/// It finds accidents, not forgeries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fnv(u64);

impl Fnv {
    /// The hash of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut hash = Self::new();
        hash.add(bytes);
        hash.value()
    }

    /// Goes on with more bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// Goes on with the bits of numbers, and how many there are: lists in a row stay apart.
    pub fn add_reals(&mut self, numbers: &[f64]) {
        self.add(&(numbers.len() as u64).to_le_bytes());
        for number in numbers {
            self.add(&number.to_le_bytes());
        }
    }

    /// Goes on with rows of vertices, and how many there are.
    pub fn add_rows<'a, const N: usize>(&mut self, rows: impl ExactSizeIterator<Item = &'a [u32; N]>) {
        self.add(&(rows.len() as u64).to_le_bytes());
        for vertex in rows.flatten() {
            self.add(&vertex.to_le_bytes());
        }
    }

    /// The hash of all bytes so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_definition() {
        assert_eq!(Fnv::of(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::of(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::of(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
