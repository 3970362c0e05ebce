//! Changes of bytes and of words, for any file.

use super::random::Random;

/// Numbers that programs trip over.
pub const NUMBERS: [&str; 40] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "3",
    "1e-320",
    "1e-300",
    "1e-160",
    "1e-30",
    "1e-16",
    "1e-8",
    "0.5",
    "1e8",
    "1e16",
    "1e30",
    "1e154",
    "1e160",
    "1e300",
    "1.7976931348623157e308",
    "nan",
    "inf",
    "-inf",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "0.1",
    "1000",
    "-0.5",
    "7",
];

/// Changes of single bytes and of runs of them.
pub fn change(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let length = (1 + random.below(8)).min(bytes.len().saturating_sub(at));
        match random.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 => drop(bytes.drain(at..at + length)),
            3 => bytes.insert(at, random.next() as u8),
            4 => {
                let copy = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            5 => bytes.truncate(at),
            _ => {
                let extreme = [0_u64, 1, 255, 1 << 31, u64::from(u32::MAX), 1 << 62, u64::MAX];
                let number = random.pick(&extreme).to_le_bytes();
                let size = *random.pick(&[1, 2, 4, 8]);
                let end = (at + size).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
            }
        }
    }
}

/// Where the words are: runs of letters, digits, points and signs.
fn words(bytes: &[u8]) -> Vec<(usize, usize)> {
    let inside = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+' | b'_');
    let mut out = Vec::new();
    let mut start = None;
    for (i, b) in bytes.iter().copied().chain([b' ']).enumerate() {
        match (inside(b), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                out.push((from, i));
                start = None;
            }
            _ => {}
        }
    }
    out
}

/// Changes of words: a number for another, a word for another, one twice or not at all.
pub fn change_words(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        let all = words(bytes);
        if all.is_empty() {
            return;
        }
        let (from, to) = *random.pick(&all);
        let is_number = bytes[from].is_ascii_digit() || bytes[from] == b'-';
        let new = match random.below(5) {
            0 | 1 if is_number => random.pick(&NUMBERS).as_bytes().to_vec(),
            0..=2 => {
                let (from, to) = *random.pick(&all);
                bytes[from..to].to_vec()
            }
            3 => Vec::new(),
            _ => [&bytes[from..to], b" ", &bytes[from..to]].concat(),
        };
        bytes.splice(from..to, new);
    }
}
