//! `ServerSchema`: the schema of a server of a different build, from its first part to its resolution.
//!
//! ```text
//! handle_connect   Connect: the hash of the last server, or the own one
//! Schema, Schema, Schema (last)
//!                  take: the text is whole
//!                  resolve: Connect with the hash of the text, or Disconnect and the reasons
//! Connect          accept: the text goes, the translation stays for the next connection
//! ```

use syncvar_runtime::schema::document::hash_of;
use syncvar_runtime::schema::{MAX_SCHEMA_TEXT, Schema, SchemaReport};
use syncvar_runtime::unstable::translate::resolve::Traffic;
use syncvar_runtime::{NetworkReader, Prefabs, ReadError, ReadErrorKind};

use crate::client::translation::Translation;
use crate::message::{Message as _, SchemaPart};

/// Schema of a server of a different build.
#[derive(Debug, Default)]
pub(crate) struct ServerSchema {
    /// Bytes of the text so far.
    text: Vec<u8>,
    /// Set behind the last part.
    is_whole: bool,
}

impl ServerSchema {
    /// Adds a part of the text. Returns whether it is whole.
    pub(crate) fn take(&mut self, payload: &[u8]) -> Result<bool, ReadError> {
        let part = SchemaPart::decode(payload)?;
        let reader = NetworkReader::new(payload);
        if self.is_whole {
            let kind = ReadErrorKind::Custom("a part of a schema behind the last one");
            return Err(reader.error(kind));
        }
        let (needed, left) = (
            part.text.len(),
            MAX_SCHEMA_TEXT.saturating_sub(self.text.len()),
        );
        if needed > left {
            return Err(reader.error(ReadErrorKind::TooMuchMemory { needed, left }));
        }
        self.text.extend(part.text);
        self.is_whole = part.is_last;
        if part.is_last && str::from_utf8(&self.text).is_err() {
            return Err(reader.error(ReadErrorKind::InvalidUtf8));
        }
        Ok(part.is_last)
    }

    /// Resolves the schema of the server. `None` for the schema of this client.
    ///
    /// # Errors
    ///
    /// With every reason why the two builds do not play together.
    pub(crate) fn resolve(&self, prefabs: &Prefabs) -> Result<Option<Translation>, SchemaReport> {
        let text = self.text().unwrap_or_default();
        if hash_of(text) == prefabs.schema_hash() {
            return Ok(None);
        }
        let translation = Translation::new(&parse(text)?, prefabs, Traffic::Connection);
        translation.map(Some).map_err(|changes| {
            let refused = changes.iter().filter(|change| change.is_refused());
            SchemaReport::of_changes(refused)
        })
    }

    /// Returns the prefabs of the schema, for a client that learns it.
    ///
    /// # Errors
    ///
    /// With the reason why the schema has no prefabs.
    pub(crate) fn prefabs(&self) -> Result<Prefabs, SchemaReport> {
        let schema = parse(self.text().unwrap_or_default())?;
        Prefabs::from_schema(&schema).map_err(|error| SchemaReport::new(error.to_string()))
    }

    /// Returns the differences from the own schema; `None` if the server has not described its schema.
    pub(crate) fn report(&self, prefabs: &Prefabs) -> Option<SchemaReport> {
        let server = match parse(self.text()?) {
            Ok(server) => server,
            Err(report) => return Some(report),
        };
        let translation = Translation::new(&server, prefabs, Traffic::Connection);
        let changes = translation.map(|translation| translation.changes().to_vec());
        let report = SchemaReport::of_changes(changes.unwrap_or_else(|changes| changes));
        if report.reasons.is_empty() && server.hash() != prefabs.schema_hash() {
            let reason = "the order of behaviours, the classes of fields, the numbers of messages or the asset ids of prefabs differ";
            return Some(SchemaReport::new(reason));
        }
        Some(report)
    }

    /// Returns the text, once it is whole.
    pub(crate) fn text(&self) -> Option<&str> {
        let text = self.is_whole.then_some(&self.text)?;
        str::from_utf8(text).ok()
    }
}

/// Reads the schema of a server.
fn parse(text: &str) -> Result<Schema, SchemaReport> {
    Schema::parse(text).map_err(|error| {
        SchemaReport::new(format!("the schema of the server cannot be read: {error}"))
    })
}
