//! `Schema::compare`: the differences of two builds, in each role.

use super::{Resolution, Sources, Traffic};
use crate::schema::{Schema, SchemaType};
use crate::translate::change::SchemaChange;
use crate::translate::layout::Measures;
use crate::value::Value;

/// Differences of an old and a new build, by the role of the old one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaComparison {
    /// A client of the old build on a server of the new one.
    pub old_client: Vec<SchemaChange>,
    /// A client of the new build on a server of the old one.
    pub old_server: Vec<SchemaChange>,
    /// A recording of the old build, played by the new one.
    pub old_recording: Vec<SchemaChange>,
}

impl SchemaComparison {
    /// Returns whether the builds can play together in each role.
    pub fn is_compatible(&self) -> bool {
        let mut all = { self.old_client.iter() }
            .chain(&self.old_server)
            .chain(&self.old_recording);
        !all.any(SchemaChange::is_refused)
    }
}

/// Sources of a client of which only the schema is known.
struct TextAlone(Measures);

impl TextAlone {
    /// Takes each type that the program of the schema can measure. The measures measure nothing: a comparison of two texts has
    /// no bytes.
    fn of(schema: &Schema) -> Self {
        let mut measures = Measures::default();
        schema.each_type(&mut |of| {
            if let SchemaType::Measured(of) = of {
                measures.insert(of.to_string(), |_, _| None);
            }
        });
        Self(measures)
    }
}

impl Sources for TextAlone {
    fn measures(&self) -> &Measures {
        &self.0
    }

    fn present(&self, _: usize, _: usize, _: usize) -> Option<Value> {
        None
    }
}

impl Schema {
    /// Compares an old build (`self`) with a new one: every difference with its place and its effect, as a client of one build finds
    /// them at the connection to a server of the other build.
    ///
    /// ```
    /// use syncvar::schema::Schema;
    ///
    /// let schema = |field: &str| {
    ///     let text = format!("prefab orc 00000000000000000000000000000001\n  behaviour Orc, channel 0\n    class Orc\n      {field}\n");
    ///     Schema::parse(&text)
    /// };
    /// let (old, new) = (schema("hp: u8")?, schema("health was hp: u32")?);
    /// let comparison = old.compare(&new);
    /// assert!(comparison.is_compatible());
    /// let texts: Vec<_> = comparison.old_client.iter().map(ToString::to_string).collect();
    /// assert_eq!(texts, [
    ///     "prefab `orc`, behaviour `Orc`, field `health`: its name on the client is `hp`",
    ///     "prefab `orc`, behaviour `Orc`, field `health`: `u32` of the server is converted to `u8`",
    /// ]);
    /// # Ok::<(), syncvar::error::SchemaError>(())
    /// ```
    #[must_use]
    pub fn compare(&self, new: &Self) -> SchemaComparison {
        let changes = |server: &Self, client: &Self, traffic| {
            let sources = TextAlone::of(client);
            match Resolution::new(server, client, &sources, traffic) {
                Ok(resolution) => resolution.changes,
                Err(changes) => changes,
            }
        };
        SchemaComparison {
            old_client: changes(new, self, Traffic::Connection),
            old_server: changes(self, new, Traffic::Connection),
            old_recording: changes(self, new, Traffic::Recording),
        }
    }
}
