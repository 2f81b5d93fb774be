//! Log files, played without compiled types.

mod channels;
mod export;
mod info;
mod row;

pub(crate) use export::{ExportForm, export};
pub(crate) use info::info;

use std::fs::File;
use std::path::Path;

use syncvar::NetworkIdentity;
use syncvar::log::LogReader;
use syncvar::prelude::*;
use syncvar::records::{RecordError, TickRecord};

/// A file on its way through a client.
struct Log {
    reader: LogReader<File>,
    client: NetworkClient,
}

/// A record that was played.
struct Played {
    record: TickRecord,
    /// Objects and positions of the behaviours that the record has changed or spawned, with the names of the fields;
    /// all fields of a spawned object.
    changes: Vec<Change>,
    /// Set if records before this one are missing, so that this record is skipped.
    is_lost: bool,
}

/// Behaviour that a record has changed.
struct Change {
    object: NetId,
    behaviour: usize,
    /// `None` for all fields.
    fields: Option<Vec<&'static str>>,
}

impl Log {
    fn open(path: &Path) -> Result<Self, String> {
        let reader = LogReader::open(path).map_err(|error| at(path, &error))?;
        let prefabs = Prefabs::from_schema(&reader.header().schema);
        let prefabs = prefabs.map_err(|error| at(path, &error))?;
        let client = NetworkClient::new(prefabs);
        Ok(Self { reader, client })
    }

    /// Plays the next record.
    fn next(&mut self) -> Result<Option<Played>, String> {
        let entry = self
            .reader
            .next_entry()
            .map_err(|error| error.to_string())?;
        let Some(entry) = entry else {
            return Ok(None);
        };
        let record = entry.record().map_err(|error| error.to_string())?;
        let is_lost = match self.client.handle_record(&record) {
            Ok(()) => false,
            Err(RecordError::Missing { .. }) => true,
            Err(error) => return Err(format!("record {}: {error}", record.seq())),
        };
        let mut changes = Vec::new();
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Changed {
                    object,
                    behaviour,
                    fields,
                } => changes.push(Change {
                    object,
                    behaviour,
                    fields: Some(fields.names().collect()),
                }),
                ClientEvent::Spawned { object } | ClientEvent::Restored { object } => {
                    let count = self.client.untyped_behaviours(object).count();
                    changes.extend((0..count).map(|behaviour| Change {
                        object,
                        behaviour,
                        fields: None,
                    }));
                }
                _ => {}
            }
        }
        Ok(Some(Played {
            record,
            changes,
            is_lost,
        }))
    }

    /// Returns the name of the prefab of an object.
    fn prefab(&self, object: NetId) -> Option<&str> {
        self.client.identity(object).map(NetworkIdentity::prefab)
    }
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}
