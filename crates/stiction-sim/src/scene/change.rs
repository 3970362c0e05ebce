//! What two versions of a scene differ in.

use toml::{Table, Value};

use super::{Scene, SceneError};

/// Nothing before the end depends on it: a run may be made longer.
const HARMLESS: &str = "time.end";

impl Scene {
    /// The first key whose value is not what it was in the `earlier` text of the scene, as an error at its place; nothing if the two describe the
    /// same simulation. Comments, order and `time.end` do not count.
    pub fn change_since(&self, earlier: &str) -> Option<SceneError> {
        let (Ok(before), Ok(now)) = (earlier.parse::<Table>(), self.text().parse::<Table>()) else {
            return Some(SceneError::plain("the scene of the run cannot be read"));
        };
        let (key, was) = difference("", &Value::Table(before), &Value::Table(now))?;
        let was = was.map_or("was not given".to_owned(), |value| format!("was {}", short(&value)));
        Some(SceneError::at(self.text(), &key, was))
    }
}

/// The first key below `key` that differs, and its value before.
fn difference(key: &str, before: &Value, now: &Value) -> Option<(String, Option<Value>)> {
    match (before, now) {
        (Value::Table(before), Value::Table(now)) => {
            let added = now.keys().filter(|name| !before.contains_key(*name));
            let name = |name: &String| if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            before.keys().chain(added).find_map(|k| entry(&name(k), before.get(k), now.get(k)))
        }
        (Value::Array(before), Value::Array(now)) => {
            let count = before.len().max(now.len());
            (0..count).find_map(|i| entry(&format!("{key}[{i}]"), before.get(i), now.get(i)))
        }
        _ if before == now => None,
        _ => Some((key.to_owned(), Some(before.clone()))),
    }
}

/// The same of two values of which one may be missing.
fn entry(key: &str, before: Option<&Value>, now: Option<&Value>) -> Option<(String, Option<Value>)> {
    match (before, now) {
        _ if key == HARMLESS => None,
        (Some(before), Some(now)) => difference(key, before, now),
        _ => Some((key.to_owned(), before.cloned())),
    }
}

/// A value in few characters.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { text.chars().take(60).chain("…".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"dimension = 2
time = { step = 0.01, end = 0.1 }
[[bodies]]
name = "block"
shape.box = { center = [0.0, 0.2], size = [0.2, 0.2], cells = [2, 2] }
material = { young = 1e5, poisson = 0.3, density = 1000.0 }
"#;

    fn change(from: &str, to: &str) -> Option<String> {
        assert!(TEXT.contains(from), "{from}");
        let scene = Scene::parse(&TEXT.replacen(from, to, 1)).unwrap();
        scene.change_since(TEXT).map(|error| error.to_string())
    }

    #[test]
    fn changes_are_named_with_key_line_and_value() {
        for (from, to, words) in [
            ("young = 1e5", "young = 2e5", ["line 6: bodies[0].material.young: was 100000.0", "young = 2e5"]),
            ("size = [0.2, 0.2]", "size = [0.2, 0.3]", ["line 5: bodies[0].shape.box.size[1]: was 0.2", ""]),
            ("[[bodies]]", "contact.dhat = 1e-3\n[[bodies]]", ["line 3: contact: was not given", ""]),
        ] {
            let message = change(from, to).unwrap();
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        }
        let scene = Scene::parse(TEXT).unwrap();
        let message =
            scene.change_since(&TEXT.replace("end = 0.1 }", "end = 0.1, frame_every = 2 }")).unwrap();
        assert_eq!(message.key.as_deref(), Some("time.frame_every"));
        assert!(message.to_string().contains("was 2"), "{message}");
        assert!(scene.change_since("= broken").is_some());
    }

    #[test]
    fn words_that_change_nothing_are_no_change() {
        assert_eq!(change("dimension = 2", "# A comment.\ndimension = 2"), None);
        assert_eq!(change("step = 0.01, end = 0.1", "end = 0.1, step = 0.01"), None);
        assert_eq!(change("end = 0.1", "end = 0.5"), None);
    }
}
