//! `ObjectState`: all state of an object on its way between two zones.

use bytes::Bytes;
use syncvar_net::{NetworkServer, SaveError, TickRecord};
use syncvar_runtime::{Encoding, NetId, NetworkReader, NetworkWriter};

use super::ZoneProgram;
use super::message::{read_sized, read_u32, write_sized};

/// State of an object: the record of its fields and facts, and the values that mean nothing in the record of a second server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ObjectState {
    pub(super) parent: Option<NetId>,
    /// Key of its player; empty without one.
    player: Bytes,
    /// State of the program.
    program: Bytes,
    record: TickRecord,
}

impl ObjectState {
    /// Takes the state of an object. The object stays in the server.
    ///
    /// # Errors
    ///
    /// For a value without a form.
    pub(super) fn of(
        server: &mut NetworkServer,
        object: NetId,
        program: &mut dyn ZoneProgram,
    ) -> Result<Self, SaveError> {
        let parent = server.ancestors(object).next();
        let player = server.player_of(object).unwrap_or_default();
        let program = program.leave(server, object).into();
        let record = server.export_objects(&[object])?;
        Ok(Self {
            parent,
            player,
            program,
            record,
        })
    }

    /// Inserts the object into a server. Returns whether the server has taken it.
    pub(super) fn insert(
        &self,
        server: &mut NetworkServer,
        object: NetId,
        program: &mut dyn ZoneProgram,
    ) -> bool {
        let ids = match server.import_objects(&self.record, |_| None) {
            Ok(ids) => ids,
            Err(error) => {
                tracing::error!(%object, %error, "a zone refuses an object");
                return false;
            }
        };
        if ids != [object] {
            for id in ids {
                server.remove_silently(id);
            }
            return false;
        }
        if !self.player.is_empty() {
            // It exists.
            let _ = server.give_to_player(object, self.player.clone());
        }
        program.arrive(server, object, &self.program);
        true
    }

    pub(super) fn to_bytes(&self) -> Bytes {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write_varint(self.parent.map_or(0, |parent| parent.0).into());
        write_sized(&mut writer, &self.player);
        write_sized(&mut writer, &self.program);
        writer.write_bytes(self.record.as_bytes());
        writer.take_bytes()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Compact);
        let parent = read_u32(&mut reader).ok()?;
        let player = read_sized(&mut reader).ok()?;
        let program = read_sized(&mut reader).ok()?;
        let record = TickRecord::from_bytes(reader.rest()).ok()?;
        Some(Self {
            parent: Some(NetId(parent)).filter(|parent| *parent != NetId::NONE),
            player,
            program,
            record,
        })
    }
}
