//! `Save`: the state of a server as bytes. WIRE.md, section 9.

mod error;
mod pending;

use std::sync::Arc;
use std::time::Duration;

use syncvar_runtime::NetworkReader;
use syncvar_runtime::NetworkWriter;
use syncvar_runtime::schema::Schema;

use crate::TickRecord;
use crate::record::{read_sized, write_sized};
pub use error::SaveError;
pub use pending::PendingSave;
pub(crate) use pending::SaveResult;

/// First bytes of a save: a name, and the version of the layout.
const HEAD: &[u8; 8] = b"syncsav\x01";

/// State of a [`NetworkServer`](crate::NetworkServer): every field, also of restricted readers, and what the server knows
/// beside the fields.
///
/// [`NetworkServer::save`](crate::NetworkServer::save) writes it, and [`NetworkServer::load`](crate::NetworkServer::load)
/// reads it, in the same build or in a different one. A save contains the tokens of sessions and fields that no client
/// receives: keep its bytes as a secret.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::saving::Save;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Chest {
///     #[sync_var]
///     open: SyncVar<bool>,
///     #[sync_var(read = server)]
///     seed: SyncVar<u64>,
/// }
///
/// let prefabs = || Prefabs::new().register::<Chest>("chest");
/// let mut server = NetworkServer::new(prefabs());
/// let chest = server.spawn(Chest { open: true.into(), seed: 7.into() });
/// let bytes = server.save()?.to_bytes();
///
/// let mut server = NetworkServer::new(prefabs());
/// server.load(&Save::from_bytes(&bytes)?)?;
/// let chest = server.get::<Chest>(chest).unwrap();
/// assert_eq!((*chest.open, *chest.seed), (true, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Save {
    schema: Arc<str>,
    keyframe: TickRecord,
    /// Records of a journal behind the keyframe.
    records: Vec<TickRecord>,
    /// Time without a server since the last record.
    pause: Duration,
}

impl Save {
    /// Creates a save from a keyframe of [`NetworkServer::save`](crate::NetworkServer::save), and the text of the schema of
    /// its server.
    ///
    /// # Errors
    ///
    /// For a record of a recording, a record without the state, and a different schema.
    pub fn new(schema: &str, keyframe: TickRecord) -> Result<Self, SaveError> {
        let hash = keyframe.schema_hash().ok_or(SaveError::NoState)?;
        if !keyframe.is_private() {
            return Err(SaveError::NoState);
        }
        if Schema::parse(schema)?.hash() != hash {
            return Err(SaveError::OtherSchema);
        }
        Ok(Self {
            schema: schema.into(),
            keyframe,
            records: Vec::new(),
            pause: Duration::ZERO,
        })
    }

    /// Creates a save of this server's build.
    pub(crate) fn of_server(schema: Arc<str>, keyframe: TickRecord) -> Self {
        Self {
            schema,
            keyframe,
            records: Vec::new(),
            pause: Duration::ZERO,
        }
    }

    /// Decodes a save.
    ///
    /// # Errors
    ///
    /// For bytes of something else, a different version, damaged bytes, and a malformed schema.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SaveError> {
        let mut reader = NetworkReader::new(bytes);
        let head = reader.read_bytes(HEAD.len()).unwrap_or_default();
        match head.split_last() {
            Some((version, name)) if *name == HEAD[..HEAD.len() - 1] => {
                if *version != HEAD[HEAD.len() - 1] {
                    return Err(SaveError::Version(*version));
                }
            }
            _ => return Err(SaveError::NoSave),
        }
        let schema = read_sized(&mut reader)?;
        let schema = std::str::from_utf8(schema).map_err(|_| SaveError::OtherSchema)?;
        // The checksum of the record covers its bytes; the hash of the schema in it covers the schema.
        let keyframe = TickRecord::from_bytes(reader.rest())?;
        Self::new(schema, keyframe)
    }

    /// Encodes the save, without the records of [`push`](Self::push).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = NetworkWriter::new();
        writer.write_bytes(HEAD);
        write_sized(&mut writer, self.schema.as_bytes());
        writer.write_bytes(self.keyframe.as_bytes());
        writer.take_bytes().to_vec()
    }

    /// Adds a record of a journal: [`load`](crate::NetworkServer::load) plays it behind the state and the earlier records.
    ///
    /// # Errors
    ///
    /// For a record that does not continue the state.
    pub fn push(&mut self, record: TickRecord) -> Result<(), SaveError> {
        let last = self.records.last().unwrap_or(&self.keyframe);
        let follows = record.seq() == last.seq() + 1 && record.origin() == last.origin();
        if !follows || record.is_keyframe() || !record.is_private() {
            return Err(SaveError::NoSuccessor {
                last: last.seq(),
                found: record.seq(),
            });
        }
        self.records.push(record);
        Ok(())
    }

    /// Sets the time without a server: the time of the loaded server continues behind it, so that no tick comes twice.
    /// A second is added in any case.
    #[must_use]
    pub fn after(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Returns the text of the schema of the server.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the state, as a keyframe. A client plays it, with every field.
    pub fn keyframe(&self) -> &TickRecord {
        &self.keyframe
    }

    /// Returns the tick of the server at the last record.
    pub fn tick(&self) -> u64 {
        self.records.last().unwrap_or(&self.keyframe).tick()
    }

    /// Returns the time at which the loaded server continues.
    pub(crate) fn resumes_at(&self) -> Duration {
        let last = self.records.last().unwrap_or(&self.keyframe).time();
        last.saturating_add(self.pause.max(Duration::from_secs(1)))
    }

    /// Returns the keyframe and the records behind it.
    pub(crate) fn all_records(&self) -> impl Iterator<Item = &TickRecord> {
        std::iter::once(&self.keyframe).chain(&self.records)
    }
}
