//! Formulas of time, as scenes have them: `0.1 * sin(2 * pi * t)`.

use std::fmt;

/// A formula of the time `t` in s.
///
/// Numbers, `t`, `pi`, `+ - * / ^`, brackets, and `sin cos tan exp log sqrt abs min max`; `min` and `max` take two arguments. A power binds
/// before a sign: `-2^2` is −4.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: String,
    root: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Time,
    Negative(Box<Node>),
    Pair(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Sin,
    Cos,
    Tan,
    Exp,
    Log,
    Sqrt,
    Abs,
    Min,
    Max,
}

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("\"{text}\", character {place}: {message}")]
pub struct FormulaError {
    /// The formula.
    pub text: String,
    /// The character, from 1.
    pub place: usize,
    /// What is wrong.
    pub message: String,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// If it is not one.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        if text.len() > MAX_LENGTH {
            let message = format!("longer than {MAX_LENGTH} characters");
            return Err(FormulaError { text: "…".to_owned(), place: MAX_LENGTH, message });
        }
        let mut reader = Reader { text, characters: text.chars().collect(), place: 0, depth: 0 };
        let root = reader.sum()?;
        match reader.peek() {
            None => Ok(Self { text: text.to_owned(), root }),
            Some(other) => Err(reader.error(format!("expected an operator or the end, found \"{other}\""))),
        }
    }

    /// Its value at the time `t` in s.
    pub fn at(&self, t: f64) -> f64 {
        self.root.at(t)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Node {
    fn at(&self, t: f64) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Time => t,
            Self::Negative(node) => -node.at(t),
            Self::Pair(operator, a, b) => operator.of(a.at(t), b.at(t)),
            Self::Call(function, arguments) => {
                function.of(arguments[0].at(t), arguments.get(1).map_or(0.0, |b| b.at(t)))
            }
        }
    }
}

impl Operator {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => a.powf(b),
        }
    }
}

impl Function {
    const ALL: [(&'static str, Self, usize); 9] = [
        ("sin", Self::Sin, 1),
        ("cos", Self::Cos, 1),
        ("tan", Self::Tan, 1),
        ("exp", Self::Exp, 1),
        ("log", Self::Log, 1),
        ("sqrt", Self::Sqrt, 1),
        ("abs", Self::Abs, 1),
        ("min", Self::Min, 2),
        ("max", Self::Max, 2),
    ];

    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sin => a.sin(),
            Self::Cos => a.cos(),
            Self::Tan => a.tan(),
            Self::Exp => a.exp(),
            Self::Log => a.ln(),
            Self::Sqrt => a.sqrt(),
            Self::Abs => a.abs(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
        }
    }
}

/// Characters of a formula at most: long sums are as deep as they are long.
const MAX_LENGTH: usize = 2000;

/// Brackets and signs inside each other at most: a formula that needs more is a slip.
const MAX_DEPTH: usize = 64;

/// Reads from left to right, one function for each rank of operators.
struct Reader<'a> {
    text: &'a str,
    characters: Vec<char>,
    place: usize,
    depth: usize,
}

type Read = Result<Node, FormulaError>;

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> FormulaError {
        FormulaError { text: self.text.to_owned(), place: self.place + 1, message: message.into() }
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        while self.characters.get(self.place).is_some_and(|c| c.is_whitespace()) {
            self.place += 1;
        }
        self.characters.get(self.place).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.place += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), FormulaError> {
        if self.take(wanted) { Ok(()) } else { Err(self.error(format!("expected \"{wanted}\""))) }
    }

    fn sum(&mut self) -> Read {
        let mut node = self.product()?;
        loop {
            let operator = match self.peek() {
                Some('+') => Operator::Add,
                Some('-') => Operator::Subtract,
                _ => return Ok(node),
            };
            self.place += 1;
            node = Node::Pair(operator, Box::new(node), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Read {
        let mut node = self.signed()?;
        loop {
            let operator = match self.peek() {
                Some('*') => Operator::Multiply,
                Some('/') => Operator::Divide,
                _ => return Ok(node),
            };
            self.place += 1;
            node = Node::Pair(operator, Box::new(node), Box::new(self.signed()?));
        }
    }

    fn signed(&mut self) -> Read {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("more than {MAX_DEPTH} brackets and signs inside each other")));
        }
        let node = if self.take('-') { Node::Negative(Box::new(self.signed()?)) } else { self.power()? };
        self.depth -= 1;
        Ok(node)
    }

    fn power(&mut self) -> Read {
        let base = self.atom()?;
        if !self.take('^') {
            return Ok(base);
        }
        Ok(Node::Pair(Operator::Power, Box::new(base), Box::new(self.signed()?)))
    }

    fn atom(&mut self) -> Read {
        match self.peek() {
            None => Err(self.error("ends where a number is expected")),
            Some('(') => {
                self.place += 1;
                let node = self.sum()?;
                self.expect(')')?;
                Ok(node)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.word(),
            Some(other) => Err(self.error(format!("expected a number, found \"{other}\""))),
        }
    }

    fn number(&mut self) -> Read {
        let start = self.place;
        let mut end = start;
        while let Some(c) = self.characters.get(end) {
            let after_e = end > start && matches!(self.characters[end - 1], 'e' | 'E');
            if !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || (after_e && matches!(c, '+' | '-'))) {
                break;
            }
            end += 1;
        }
        let text: String = self.characters[start..end].iter().collect();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.place = end;
                Ok(Node::Number(number))
            }
            _ => Err(self.error(format!("\"{text}\" is not a number"))),
        }
    }

    fn word(&mut self) -> Read {
        let letters = self.characters[self.place..].iter().take_while(|c| c.is_ascii_alphanumeric());
        let word: String = letters.collect();
        match word.as_str() {
            "t" => {
                self.place += 1;
                return Ok(Node::Time);
            }
            "pi" => {
                self.place += 2;
                return Ok(Node::Number(std::f64::consts::PI));
            }
            _ => {}
        }
        let Some((_, function, count)) = Function::ALL.into_iter().find(|(name, ..)| *name == word) else {
            let known = Function::ALL.map(|(name, ..)| name).join(", ");
            return Err(self.error(format!("\"{word}\" is not known: there are t, pi, {known}")));
        };
        self.place += word.len();
        self.expect('(')?;
        let mut arguments = vec![self.sum()?];
        while arguments.len() < count {
            self.expect(',')?;
            arguments.push(self.sum()?);
        }
        self.expect(')')?;
        Ok(Node::Call(function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, t: f64) -> f64 {
        Formula::parse(text).unwrap_or_else(|error| panic!("{error}")).at(t)
    }

    #[test]
    fn formulas_have_their_values() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("8 / 4 / 2", 1.0),
            ("7 - 4 - 2", 1.0),
            ("1.5e-1*t", 0.3),
            ("min(t, 1) + max(t, 5)", 6.0),
            ("abs(-t) + sqrt(4)", 4.0),
            ("sin(pi / 2) + cos(0) + log(exp(1))", 3.0),
        ] {
            assert!((value(text, 2.0) - expected).abs() < 1e-15, "{text}");
        }
    }

    #[test]
    fn errors_have_their_place() {
        for (text, place, words) in [
            ("", 1, "ends where"),
            ("1 +", 4, "ends where"),
            ("2 * x", 5, "\"x\" is not known: there are t, pi, sin"),
            ("sin 3", 5, "expected \"(\""),
            ("min(1)", 6, "expected \",\""),
            ("(1", 3, "expected \")\""),
            ("1 2", 3, "expected an operator"),
            ("1.2.3", 1, "not a number"),
            ("1e999", 1, "not a number"),
            ("§", 1, "expected a number"),
            (&"(".repeat(500), 65, "brackets"),
            (&"1+".repeat(5000), 2000, "longer than 2000"),
        ] {
            let error = Formula::parse(text).unwrap_err();
            assert!(error.place == place && error.message.contains(words), "{error}");
        }
    }
}
