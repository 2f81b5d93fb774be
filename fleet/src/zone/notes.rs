//! State of the handovers as notes of the server, so that its journal has them with the changes of the same update.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use syncvar_net::NetworkServer;
use syncvar_runtime::{Encoding, NetId, NetworkReader, NetworkWriter, ReadResult};

use super::handovers::{Departure, Handovers, IncomingOffers, OutgoingOffers, Residence};
use super::message::{read_commands, read_sized, read_u32, write_commands, write_sized};
use crate::zone::ZoneId;

const TERM: &[u8] = b"zone/term";
const OBJECT: &[u8] = b"zone/object/";
const OUTGOING: &[u8] = b"zone/to/";
const INCOMING: &[u8] = b"zone/from/";

/// Writes the term of the zone.
pub(super) fn write_term(server: &mut NetworkServer, term: u64) {
    server.set_note(TERM, term.to_le_bytes().to_vec());
}

/// Returns the term of the zone at its last update.
pub(super) fn read_term(server: &NetworkServer) -> u64 {
    let bytes = server
        .note(TERM)
        .and_then(|note| note.as_ref().try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}

fn key(prefix: &[u8], number: u32) -> Vec<u8> {
    [prefix, &number.to_be_bytes()].concat()
}

fn note(write: impl FnOnce(&mut NetworkWriter)) -> Bytes {
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    write(&mut writer);
    writer.take_bytes()
}

/// Writes the state of the changed objects, and the offers.
pub(super) fn write(server: &mut NetworkServer, handovers: &Handovers, changed: &BTreeSet<NetId>) {
    for object in changed {
        let residence = handovers.residences.get(object);
        let value = residence.map_or_else(Bytes::new, |residence| {
            note(|writer| write_residence(writer, residence))
        });
        server.set_note(key(OBJECT, object.0), value);
    }
    for (zone, outgoing) in &handovers.outgoing {
        let value = note(|writer| {
            writer.write_varint(outgoing.last);
            for (number, object) in &outgoing.open {
                writer.write_varint(*number);
                writer.write_varint(object.0.into());
            }
        });
        server.set_note(key(OUTGOING, zone.0), value);
    }
    for (zone, incoming) in &handovers.incoming {
        let value = note(|writer| {
            writer.write_varint(incoming.settled);
            for (number, admitted) in &incoming.answers {
                writer.write_varint(*number);
                writer.write_u8(u8::from(*admitted));
            }
        });
        server.set_note(key(INCOMING, zone.0), value);
    }
}

/// Reads the objects and offers.
///
/// # Errors
///
/// For a malformed note.
pub(super) fn read(server: &NetworkServer) -> ReadResult<Handovers> {
    let mut handovers = Handovers::default();
    for (key, value) in server.notes() {
        let number = |prefix: &[u8]| {
            let number = key.strip_prefix(prefix)?;
            Some(u32::from_be_bytes(number.try_into().ok()?))
        };
        let mut reader = NetworkReader::with_encoding(value, Encoding::Compact);
        if let Some(object) = number(OBJECT) {
            let residence = read_residence(&mut reader)?;
            handovers.residences.insert(NetId(object), residence);
        } else if let Some(zone) = number(OUTGOING) {
            let last = reader.read_varint()?;
            let mut open = BTreeMap::new();
            while reader.remaining() > 0 {
                open.insert(reader.read_varint()?, NetId(read_u32(&mut reader)?));
            }
            let outgoing = OutgoingOffers { last, open };
            handovers.outgoing.insert(ZoneId(zone), outgoing);
        } else if let Some(zone) = number(INCOMING) {
            let settled = reader.read_varint()?;
            let mut answers = BTreeMap::new();
            while reader.remaining() > 0 {
                answers.insert(reader.read_varint()?, reader.read_u8()? != 0);
            }
            let incoming = IncomingOffers { settled, answers };
            handovers.incoming.insert(ZoneId(zone), incoming);
        }
    }
    Ok(handovers)
}

fn write_residence(writer: &mut NetworkWriter, residence: &Residence) {
    writer.write_varint(residence.epoch);
    write_commands(writer, &residence.commands);
    if let Some(departure) = &residence.departure {
        writer.write_varint(departure.to.0.into());
        writer.write_varint(departure.number);
        write_sized(writer, &departure.state);
    }
}

fn read_residence(reader: &mut NetworkReader<'_>) -> ReadResult<Residence> {
    let epoch = reader.read_varint()?;
    let commands = read_commands(reader)?;
    let departure = match reader.remaining() {
        0 => None,
        _ => Some(Departure {
            to: ZoneId(read_u32(reader)?),
            number: reader.read_varint()?,
            state: read_sized(reader)?,
        }),
    };
    Ok(Residence {
        epoch,
        commands,
        departure,
    })
}
