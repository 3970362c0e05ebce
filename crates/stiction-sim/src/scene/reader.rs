//! From TOML to the types of a scene, with errors in the words of whoever wrote it.
//!
//! The usual deserializer takes a list for a table, ignores what a list has too much and speaks of the types of this program. This one looks at the kind of
//! each value before its type does, so all of that is one place's business, whatever keys a scene has.

use std::fmt::{self, Display};

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::locate::{SceneError, shortened};

/// Reads a whole text.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, SceneError> {
    let table = DeTable::parse(text).map_err(|error| SceneError::from_toml(&error, text))?;
    let value = DeValue::Table(table.into_inner());
    T::deserialize(Reader(&value)).map_err(|wrong| wrong.in_text(text))
}

/// Keys of earlier versions and what they are called now.
const RENAMED: [(&str, &str); 2] = [("refinements", "lag_iterations"), ("stiffness", "barrier_stiffness")];

/// What is wrong, at a key that grows from the inside out.
#[derive(Debug)]
struct Wrong {
    key: String,
    offset: Option<usize>,
    message: String,
}

impl Wrong {
    fn new(message: impl Into<String>) -> Self {
        Self { key: String::new(), offset: None, message: message.into() }
    }

    /// The same, one level further out: below `name`, whose value or key is at `offset`.
    fn below(self, name: &str, offset: usize) -> Self {
        let dot = if self.key.is_empty() || self.key.starts_with('[') { "" } else { "." };
        Self { key: [name, dot, &self.key].concat(), offset: self.offset.or(Some(offset)), ..self }
    }

    fn in_text(self, text: &str) -> SceneError {
        let Self { key, offset, message } = self;
        let error = SceneError { key: (!key.is_empty()).then_some(key), ..SceneError::plain(message) };
        match offset {
            Some(offset) => error.with_offset(text, offset),
            // What is missing from the whole file is at no line of it.
            None => error,
        }
    }
}

impl Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("needs {expected}, not {}", found_words(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_field(found: &str, known: &'static [&'static str]) -> Self {
        if let Some((_, now)) = RENAMED.iter().find(|(old, now)| *old == found && known.contains(now)) {
            return Self::new(format!("is now called {now}: rename it"));
        }
        Self::new(format!("is not a key here: there are {}", known.join(", ")))
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self::new(format!("\"{}\" is unknown: choose one of {}", shortened(found, 40), known.join(", ")))
    }

    fn missing_field(name: &'static str) -> Self {
        Self { key: name.to_owned(), ..Self::new("is missing") }
    }
}

fn found_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Float(value) => value.to_string(),
        Unexpected::Str(text) => format!("the text \"{}\"", shortened(text, 40)),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        _ => "a date".to_owned(),
    }
}

/// A value that is being read.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a DeValue<'a>);

impl<'a> Reader<'a> {
    fn refuse<T>(self, needed: &str) -> Result<T, Wrong> {
        let found = match self.0 {
            DeValue::String(text) => found_words(Unexpected::Str(text)),
            DeValue::Integer(number) => shortened(&number.to_string(), 40),
            DeValue::Float(number) => shortened(number.as_str(), 40),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        Err(Wrong::new(format!("needs {needed}, not {found}")))
    }

    /// A whole number; none if it is something else.
    fn integer(self) -> Result<Option<i64>, Wrong> {
        let DeValue::Integer(number) = self.0 else { return Ok(None) };
        match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Wrong::new("is a whole number with too many digits")),
        }
    }

    fn number(self) -> Result<f64, Wrong> {
        if let Some(whole) = self.integer()? {
            return Ok(whole as f64);
        }
        let DeValue::Float(number) = self.0 else { return self.refuse("a number") };
        match number.as_str().parse::<f64>() {
            Ok(value) if value.is_finite() || number.as_str().ends_with(['f', 'n']) => Ok(value),
            _ => Err(Wrong::new(format!("{} is too large", shortened(number.as_str(), 40)))),
        }
    }

    fn count(self, most: u64) -> Result<u64, Wrong> {
        match self.integer()?.map(u64::try_from) {
            None => self.refuse("a whole number"),
            Some(Err(_)) => self.refuse("a whole number from 0 on"),
            Some(Ok(count)) if count > most => self.refuse(&format!("a whole number up to {most}")),
            Some(Ok(count)) => Ok(count),
        }
    }

    fn list(self) -> Result<&'a DeArray<'a>, Wrong> {
        match self.0 {
            DeValue::Array(list) => Ok(list),
            DeValue::Table(_) => {
                Err(Wrong::new("needs a list, not a table; headers of tables in a list have double brackets"))
            }
            _ => self.refuse("a list such as [ … ]"),
        }
    }

    fn table(self, keys: &[&str]) -> Result<&'a DeTable<'a>, Wrong> {
        let DeValue::Table(table) = self.0 else {
            let (some, more) = (&keys[..keys.len().min(3)], if keys.len() > 3 { ", …" } else { "" });
            let some: Vec<_> = some.iter().map(|key| format!("{key} = …")).collect();
            return self.refuse(&format!("a table such as {{ {}{more} }}", some.join(", ")));
        };
        Ok(table)
    }
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(_) => visitor.visit_i64(self.integer()?.unwrap_or_default()),
            DeValue::Float(_) => visitor.visit_f64(self.number()?),
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            DeValue::Datetime(_) => Err(Wrong::invalid_type(Unexpected::Other("a date"), &visitor)),
            DeValue::Array(list) => visitor.visit_seq(List { entries: list, next: 0 }),
            DeValue::Table(table) => visitor.visit_map(Table::new(table)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            _ => self.refuse("true or false"),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_f64(self.number()?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_u64(self.count(u64::from(u32::MAX))?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_u64(self.count(usize::MAX as u64)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            DeValue::String(text) => visitor.visit_str(text),
            _ => self.refuse("a text in quotes"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_seq(List { entries: self.list()?, next: 0 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, Wrong> {
        let entries = self.list()?;
        if entries.len() != count {
            return Err(Wrong::new(format!("needs {count} entries, has {}", entries.len())));
        }
        visitor.visit_seq(List { entries, next: 0 })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_map(Table::new(self.table(keys)?))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self.0 {
            DeValue::String(name) => visitor.visit_enum(Choice { name, inside: None }),
            DeValue::Table(table) => match (table.iter().next(), table.len()) {
                (Some((name, value)), 1) => {
                    visitor.visit_enum(Choice { name: name.get_ref(), inside: Some((name, value)) })
                }
                (_, count) => {
                    Err(Wrong::new(format!("needs one of the keys {}, not {count}", names.join(", "))))
                }
            },
            _ => self.refuse(&format!("one of {}", names.join(", "))),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct newtype_struct tuple_struct map
        identifier ignored_any
    }
}

/// The entries of a list.
struct List<'a> {
    entries: &'a DeArray<'a>,
    next: usize,
}

impl<'de> SeqAccess<'de> for List<'_> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        let Some(entry) = self.entries.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        let read = seed.deserialize(Reader(entry.get_ref()));
        read.map(Some).map_err(|wrong| wrong.below(&format!("[{index}]"), entry.span().start))
    }
}

/// A key and its value.
type Entry<'a> = (&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>);

/// The entries of a table.
struct Table<'a, I> {
    entries: I,
    now: Option<Entry<'a>>,
}

impl<'a> Table<'a, std::vec::IntoIter<Entry<'a>>> {
    fn new(table: &'a DeTable<'a>) -> Self {
        Self { entries: table.iter().collect::<Vec<_>>().into_iter(), now: None }
    }
}

impl<'a, 'de, I: Iterator<Item = Entry<'a>>> MapAccess<'de> for Table<'a, I> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        self.now = self.entries.next();
        let Some((key, _)) = self.now else { return Ok(None) };
        let name = DeValue::String(std::borrow::Cow::Borrowed(key.get_ref()));
        let read = seed.deserialize(Reader(&name));
        read.map(Some).map_err(|wrong| wrong.below(key.get_ref(), key.span().start))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Wrong> {
        let Some((key, value)) = self.now.take() else { return Err(Wrong::new("has no value")) };
        let read = seed.deserialize(Reader(value.get_ref()));
        read.map_err(|wrong| wrong.below(key.get_ref(), value.span().start))
    }
}

/// One of several names, alone or as the key of a table.
struct Choice<'a> {
    name: &'a str,
    inside: Option<Entry<'a>>,
}

impl<'de> EnumAccess<'de> for Choice<'_> {
    type Error = Wrong;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Wrong> {
        let name = DeValue::String(std::borrow::Cow::Borrowed(self.name));
        match (seed.deserialize(Reader(&name)), self.inside) {
            (Ok(value), _) => Ok((value, self)),
            (Err(wrong), None) => Err(wrong),
            (Err(wrong), Some((key, _))) => Err(wrong.below(key.get_ref(), key.span().start)),
        }
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = Wrong;

    fn unit_variant(self) -> Result<(), Wrong> {
        match self.inside {
            None => Ok(()),
            Some(_) => Err(Wrong::new("needs a text in quotes, not a table")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Wrong> {
        let Some((key, value)) = self.inside else {
            return Err(Wrong::new(format!("needs a table such as {{ {} = {{ … }} }}", self.name)));
        };
        let read = seed.deserialize(Reader(value.get_ref()));
        read.map_err(|wrong| wrong.below(key.get_ref(), value.span().start))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        Err(Wrong::invalid_type(Unexpected::Map, &visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        Err(Wrong::invalid_type(Unexpected::Map, &visitor))
    }
}
