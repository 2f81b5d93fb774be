//! Facts of a server beside the fields of its objects, and their bytes. WIRE.md, section 9.
//!
//! A record replaces the facts about the same object or connection in earlier records.

use std::collections::BTreeMap;

use bytes::Bytes;
use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::interest::Tag;
use syncvar_runtime::{
    ConnectionId, Encoding, NetId, NetworkReader, NetworkSceneId, NetworkWriter, ReadError,
    ReadErrorKind, ReadResult,
};

use crate::record::{read_sized, write_sized};
use crate::{Framing, SessionToken};

const SERVER: u8 = 0;
const OBJECT: u8 = 1;
const CONNECTION: u8 = 2;
const PLAYER: u8 = 3;
const NOTE: u8 = 4;

/// Facts of a server, by what they are about.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) server: ServerFacts,
    pub(crate) objects: BTreeMap<NetId, ObjectFacts>,
    pub(crate) connections: BTreeMap<ConnectionId, ConnectionFacts>,
    /// Objects that wait for their player, by its key.
    pub(crate) players: BTreeMap<Bytes, Vec<NetId>>,
    /// Values of the program, by key.
    pub(crate) notes: BTreeMap<Bytes, Bytes>,
}

/// Numbers that a server continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerFacts {
    /// Next id of an object.
    pub(crate) next_object: u32,
    /// Next number of a connection.
    pub(crate) next_connection: u32,
    /// Highest permit of a removed object.
    pub(crate) last_permit: u32,
    /// Number of the last record of a recording.
    pub(crate) recorded: u64,
}

/// Facts about an object beside its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectFacts {
    pub(crate) owner: Option<ConnectionId>,
    pub(crate) permit: u32,
    pub(crate) group: Option<Tag>,
    pub(crate) scene_id: Option<NetworkSceneId>,
    pub(crate) view: DefaultView,
    /// Connections to which the object is shown or hidden by name.
    pub(crate) exceptions: Vec<(ConnectionId, bool)>,
}

/// Observers of an object without an exception.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DefaultView {
    /// Those that the interest management chooses.
    #[default]
    ByInterest,
    Everyone,
    Nobody,
}

/// Facts about a connection whose client can return.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConnectionFacts {
    pub(crate) framing: Framing,
    /// Tokens of the session, the present one first. None without a session.
    pub(crate) tokens: Vec<SessionToken>,
    /// Key of the player; empty without one.
    pub(crate) key: Bytes,
    pub(crate) payload: Payload,
    pub(crate) groups: Vec<Tag>,
    /// Players by number.
    pub(crate) players: Vec<(i16, NetId)>,
}

/// Writer of facts.
#[derive(Debug)]
pub(crate) struct FactsWriter(NetworkWriter);

impl Default for FactsWriter {
    fn default() -> Self {
        Self(NetworkWriter::with_encoding(Encoding::Compact))
    }
}

impl FactsWriter {
    /// Adds an entry: a kind, a number, and contents behind their length.
    fn entry(&mut self, kind: u8, number: u32, write: impl FnOnce(&mut NetworkWriter)) {
        let mut contents = NetworkWriter::with_encoding(Encoding::Compact);
        write(&mut contents);
        self.0.write_u8(kind);
        self.0.write_varint(number.into());
        write_sized(&mut self.0, contents.as_bytes());
    }

    pub(crate) fn server(&mut self, facts: &ServerFacts) {
        self.entry(SERVER, 0, |writer| {
            let numbers = [facts.next_object, facts.next_connection, facts.last_permit];
            let numbers = numbers.map(u64::from).into_iter();
            for number in numbers.chain([facts.recorded]) {
                writer.write_varint(number);
            }
        });
    }

    pub(crate) fn object(&mut self, id: NetId, facts: &ObjectFacts) {
        self.entry(OBJECT, id.0, |writer| {
            writer.write_varint(facts.owner.map_or(0, |owner| owner.0).into());
            writer.write_varint(facts.permit.into());
            writer.write_u8(u8::from(facts.group.is_some()));
            if let Some(Tag(tag)) = facts.group {
                writer.write_varint(tag);
            }
            writer.write_varint(facts.scene_id.map_or(0, |scene| scene.0).into());
            writer.write_u8(facts.view as u8);
            for (connection, shown) in &facts.exceptions {
                writer.write_varint(u64::from(connection.0) << 1 | u64::from(*shown));
            }
        });
    }

    /// Adds the end of an object.
    pub(crate) fn removed_object(&mut self, id: NetId) {
        self.entry(OBJECT, id.0, |_| {});
    }

    /// Adds a connection, or its end.
    pub(crate) fn connection(&mut self, id: ConnectionId, facts: Option<&ConnectionFacts>) {
        self.entry(CONNECTION, id.0, |writer| {
            let Some(facts) = facts else {
                return;
            };
            writer.write_u8(facts.framing.number());
            writer.write_varint(facts.tokens.len() as u64);
            for token in &facts.tokens {
                writer.write_bytes(&token.as_bytes());
            }
            write_sized(writer, &facts.key);
            write_sized(writer, facts.payload.as_bytes());
            writer.write_varint(facts.groups.len() as u64);
            for tag in &facts.groups {
                writer.write_varint(tag.0);
            }
            for (number, player) in &facts.players {
                writer.write_u16(number.cast_unsigned());
                writer.write_varint(player.0.into());
            }
        });
    }

    /// Adds the objects that wait for a player; none ends the wait.
    pub(crate) fn player(&mut self, key: &[u8], objects: &[NetId]) {
        self.entry(PLAYER, 0, |writer| {
            write_sized(writer, key);
            for object in objects {
                writer.write_varint(object.0.into());
            }
        });
    }

    /// Adds a value of the program; an empty one ends it.
    pub(crate) fn note(&mut self, key: &[u8], value: &[u8]) {
        self.entry(NOTE, 0, |writer| {
            write_sized(writer, key);
            writer.write_bytes(value);
        });
    }

    /// Adds entries of an earlier writer.
    pub(crate) fn append(&mut self, entries: &[u8]) {
        self.0.write_bytes(entries);
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Facts {
    /// Takes the facts of a record over.
    ///
    /// # Errors
    ///
    /// For malformed bytes.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Compact);
        while reader.remaining() > 0 {
            let kind = reader.read_u8()?;
            let number = read_u32(&mut reader)?;
            let contents = read_sized(&mut reader)?;
            let mut contents = NetworkReader::with_encoding(contents, Encoding::Compact);
            self.read_entry(kind, number, &mut contents)?;
            contents.finish()?;
        }
        Ok(())
    }

    fn read_entry(
        &mut self,
        kind: u8,
        number: u32,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<()> {
        match kind {
            SERVER => {
                self.server = ServerFacts {
                    next_object: read_u32(reader)?,
                    next_connection: read_u32(reader)?,
                    last_permit: read_u32(reader)?,
                    recorded: reader.read_varint()?,
                };
            }
            OBJECT if reader.remaining() == 0 => {
                self.objects.remove(&NetId(number));
            }
            OBJECT => {
                let facts = read_object(reader)?;
                self.objects.insert(NetId(number), facts);
            }
            CONNECTION if reader.remaining() == 0 => {
                self.connections.remove(&ConnectionId(number));
            }
            CONNECTION => {
                let facts = read_connection(reader)?;
                self.connections.insert(ConnectionId(number), facts);
            }
            PLAYER => {
                let key = Bytes::copy_from_slice(read_sized(reader)?);
                let objects = read_all(reader, |reader| Ok(NetId(read_u32(reader)?)))?;
                if objects.is_empty() {
                    self.players.remove(&key);
                } else {
                    self.players.insert(key, objects);
                }
            }
            NOTE => {
                let key = Bytes::copy_from_slice(read_sized(reader)?);
                let value = reader.read_bytes(reader.remaining())?;
                if value.is_empty() {
                    self.notes.remove(&key);
                } else {
                    self.notes.insert(key, Bytes::copy_from_slice(value));
                }
            }
            _ => return Err(invalid(reader, "kind of a fact", kind.into())),
        }
        Ok(())
    }
}

fn read_object(reader: &mut NetworkReader<'_>) -> ReadResult<ObjectFacts> {
    let owner = Some(read_u32(reader)?).filter(|owner| *owner != 0);
    let permit = read_u32(reader)?;
    let group = match reader.read_u8()? {
        0 => None,
        1 => Some(Tag(reader.read_varint()?)),
        other => return Err(invalid(reader, "group of an object", other.into())),
    };
    let scene_id = Some(read_u32(reader)?).filter(|scene| *scene != 0);
    let view = match reader.read_u8()? {
        0 => DefaultView::ByInterest,
        1 => DefaultView::Everyone,
        2 => DefaultView::Nobody,
        other => return Err(invalid(reader, "view of an object", other.into())),
    };
    let exceptions = read_all(reader, |reader| {
        let packed = reader.read_varint()?;
        let number = u32::try_from(packed >> 1);
        let number = number.map_err(|_| invalid(reader, "connection", packed))?;
        Ok((ConnectionId(number), packed & 1 == 1))
    })?;
    Ok(ObjectFacts {
        owner: owner.map(ConnectionId),
        permit,
        group,
        scene_id: scene_id.map(NetworkSceneId),
        view,
        exceptions,
    })
}

fn read_connection(reader: &mut NetworkReader<'_>) -> ReadResult<ConnectionFacts> {
    let framing = match reader.read_u8()? {
        0 => Framing::Unet,
        1 => Framing::Compact,
        other => return Err(invalid(reader, "framing", other.into())),
    };
    let tokens = read_list(reader, |reader| {
        let mut token = [0; 16];
        for byte in &mut token {
            *byte = reader.read_u8()?;
        }
        Ok(SessionToken::new(token))
    })?;
    let key = Bytes::copy_from_slice(read_sized(reader)?);
    let payload = Payload::from(read_sized(reader)?.to_vec());
    let groups = read_list(reader, |reader| Ok(Tag(reader.read_varint()?)))?;
    let players = read_all(reader, |reader| {
        let number = reader.read_u16()?.cast_signed();
        Ok((number, NetId(read_u32(reader)?)))
    })?;
    Ok(ConnectionFacts {
        framing,
        tokens,
        key,
        payload,
        groups,
        players,
    })
}

/// Reads elements behind their number.
fn read_list<T>(
    reader: &mut NetworkReader<'_>,
    mut read: impl FnMut(&mut NetworkReader<'_>) -> ReadResult<T>,
) -> ReadResult<Vec<T>> {
    let length = reader.read_varint()?;
    // No capacity: the length is not checked against the rest.
    let mut list = Vec::new();
    for _ in 0..length {
        list.push(read(reader)?);
    }
    Ok(list)
}

/// Reads elements up to the end.
fn read_all<T>(
    reader: &mut NetworkReader<'_>,
    mut read: impl FnMut(&mut NetworkReader<'_>) -> ReadResult<T>,
) -> ReadResult<Vec<T>> {
    let mut list = Vec::new();
    while reader.remaining() > 0 {
        list.push(read(reader)?);
    }
    Ok(list)
}

fn read_u32(reader: &mut NetworkReader<'_>) -> ReadResult<u32> {
    let number = reader.read_varint()?;
    u32::try_from(number).map_err(|_| invalid(reader, "number", number))
}

fn invalid(reader: &NetworkReader<'_>, what: &'static str, value: u64) -> ReadError {
    reader.error(ReadErrorKind::InvalidValue { what, value })
}
