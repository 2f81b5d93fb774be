//! Prefabs of a schema, without compiled types.

use super::{INPUT, Prefabs};
use crate::NetworkHash128;
use crate::motion::InputKind;
use crate::schema::{MAX_BEHAVIOURS, Schema, SchemaPrefab};
use crate::untyped::{InputBytes, UntypedClass, UntypedError, UntypedRow, intern, intern_type};

/// Limit of prefabs, and of messages.
const MAX_PARTS: usize = 4096;

impl Prefabs {
    /// Creates the registry of a schema: prefabs whose behaviours hold [values](crate::untyped::Value), for a client without
    /// compiled types. It joins a server of this schema like a client of the same build. The schema comes from the server
    /// (`NetworkClient::learning`), from a file, or from the program of a server.
    ///
    /// Fields and calls are found by name. Changes, calls, events and messages are events of the client; no hook runs.
    /// A field that was never received has the zero value of its type in place of the prefab's default.
    ///
    /// ```
    /// use syncvar::{prelude::*, schema::Schema};
    ///
    /// let text = "\
    /// prefab door 5b882675757277b806e97060b8398901
    ///   behaviour Door, channel 0
    ///     class Door
    ///       open: bool
    /// ";
    /// let prefabs = Prefabs::from_schema(&Schema::parse(text)?)?;
    /// assert!(prefabs.asset_id("door").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the layout of a type is unknown: a type written by hand that does not state its layout. When a name, number,
    /// asset id or hash of a call occurs twice, an object has more than 64 behaviours, a schema has more than 4 096 prefabs
    /// or messages, and when the descriptions of all schemas that the process has learned take more than 64 MiB.
    pub fn from_schema(schema: &Schema) -> Result<Self, UntypedError> {
        if schema.prefabs.len().max(schema.messages.len()) > MAX_PARTS {
            return Err(UntypedError::TooMuchMemory);
        }
        let mut prefabs = Self::new();
        for message in &schema.messages {
            let name = &message.names.name;
            let place = format!("message `{name}`");
            let interned = intern_type(&message.value).map_err(|error| error.in_part(&place))?;
            let number = message.number;
            let kind = prefabs.messages.register_untyped(name, number, interned);
            let kind = kind.ok_or(UntypedError::Invalid { place })?;
            kind.was.clone_from(&message.names.was);
        }
        prefabs.messages.number_all();
        if prefabs.messages.by_name(INPUT).is_some() {
            prefabs.input = Some(InputKind::of::<InputBytes>());
        }
        for prefab in &schema.prefabs {
            let place = format!("prefab `{}`", prefab.names.name);
            prefabs = prefabs
                .with_prefab(prefab)
                .map_err(|error| error.in_part(&place))?;
        }
        for (entry, prefab) in prefabs.entries.iter_mut().zip(&schema.prefabs) {
            entry.was.clone_from(&prefab.names.was);
        }
        Ok(prefabs)
    }

    /// Adds a prefab of a schema.
    fn with_prefab(self, prefab: &SchemaPrefab) -> Result<Self, UntypedError> {
        let (name, asset_id) = (&prefab.names.name, prefab.asset_id);
        let is_taken = asset_id != NetworkHash128::default() && self.name(asset_id).is_some();
        let is_valid = !name.is_empty()
            && self.by_name(name).is_none()
            && !is_taken
            && prefab.behaviours.len() <= MAX_BEHAVIOURS;
        if !is_valid {
            let place = String::new();
            return Err(UntypedError::Invalid { place });
        }
        let classes: Vec<&'static UntypedClass> = { prefab.behaviours.iter() }
            .map(intern)
            .collect::<Result<_, _>>()?;
        Ok(self.register_asset(name, asset_id, move || UntypedRow::new(&classes)))
    }
}
