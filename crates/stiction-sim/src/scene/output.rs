//! What a run writes.

use serde::Deserialize;

use super::{Scene, SceneError};
use crate::fields::{FieldChoice, FieldKind};

/// `[output]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The fields of frames, by name; `["all"]` are all, `[]` is none.
    pub fields: Option<Vec<String>>,
}

impl Scene {
    /// The fields that the scene names for its frames; nothing if it names none, see [`FieldChoice::usual`].
    pub fn field_choice(&self) -> Option<FieldChoice> {
        // Names were checked when the scene was read.
        self.given_fields().ok().flatten()
    }

    /// The same, if there is a field with each of the names.
    pub(super) fn given_fields(&self) -> Result<Option<FieldChoice>, SceneError> {
        let Some(names) = &self.output.fields else { return Ok(None) };
        if names.len() == 1 && names[0] == "all" {
            return Ok(Some(FieldChoice::all()));
        }
        let kind = |(index, name): (usize, &String)| {
            name.parse::<FieldKind>().map_err(|error| {
                self.error(&format!("output.fields[{index}]"), format!("{error}, or [\"all\"]"))
            })
        };
        let kinds = names.iter().enumerate().map(kind).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(FieldChoice::these(kinds)))
    }
}
