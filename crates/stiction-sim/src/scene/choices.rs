//! Values that may be of several kinds: a word or a number, a formula or rows of numbers.

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::StiffnessValue;
use super::friction::{LawValue, StribeckNumbers};
use super::motions::Factor;

struct StiffnessVisitor;

impl Visitor<'_> for StiffnessVisitor {
    type Value = StiffnessValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or \"auto\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<StiffnessValue, E> {
        if text == "auto" {
            Ok(StiffnessValue::Auto)
        } else {
            Err(E::invalid_type(Unexpected::Str(text), &self))
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<StiffnessValue, E> {
        Ok(StiffnessValue::Number(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<StiffnessValue, E> {
        Ok(StiffnessValue::Number(number as f64))
    }
}

impl<'de> Deserialize<'de> for StiffnessValue {
    fn deserialize<R: Deserializer<'de>>(reader: R) -> Result<Self, R::Error> {
        reader.deserialize_any(StiffnessVisitor)
    }
}

struct LawVisitor;

/// A law with numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LawTable {
    stribeck: StribeckNumbers,
}

impl<'de> Visitor<'de> for LawVisitor {
    type Value = LawValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a law, or a table such as { stribeck = { speed = …, viscous = … } }")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<LawValue, E> {
        Ok(LawValue::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<LawValue, A::Error> {
        let LawTable { stribeck } = LawTable::deserialize(MapAccessDeserializer::new(table))?;
        Ok(LawValue::Stribeck { stribeck })
    }
}

impl<'de> Deserialize<'de> for LawValue {
    fn deserialize<R: Deserializer<'de>>(reader: R) -> Result<Self, R::Error> {
        reader.deserialize_any(LawVisitor)
    }
}

struct FactorVisitor;

impl<'de> Visitor<'de> for FactorVisitor {
    type Value = Factor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a formula such as \"sin(t)\", or rows of time and factor such as [[0.0, 0.0], [1.0, 1.0]]",
        )
    }

    fn visit_str<E: Error>(self, formula: &str) -> Result<Factor, E> {
        Ok(Factor::Formula(formula.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, rows: A) -> Result<Factor, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(rows)).map(Factor::Frames)
    }
}

impl<'de> Deserialize<'de> for Factor {
    fn deserialize<R: Deserializer<'de>>(reader: R) -> Result<Self, R::Error> {
        reader.deserialize_any(FactorVisitor)
    }
}
