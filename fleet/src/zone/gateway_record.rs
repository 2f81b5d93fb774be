//! `GatewayRecord`: a record of a zone with the facts that a gateway needs. WIRE.md, section 12.

use bytes::Bytes;
use syncvar_net::TickRecord;
use syncvar_runtime::{Encoding, NetId, NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

use super::message::{read_list, read_sized, read_u32, whole, write_list, write_sized, writer};
use crate::WorldState;
use crate::sealed::{opened, sealed};
use crate::zone::{ClientId, ZoneId};

/// An object that is real in the zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resident {
    pub(crate) object: NetId,
    pub(crate) epoch: u64,
    /// Key of its player; empty without one.
    pub(crate) player: Bytes,
}

/// Message of the zone for the client of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientMessage {
    pub(crate) client: ClientId,
    pub(crate) channel: u8,
    pub(crate) message: Bytes,
}

/// Facts about the objects of a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GatewayFacts {
    pub(crate) zone: ZoneId,
    /// Objects that are new in the zone, or have perhaps a new player; in a keyframe, all objects.
    pub(crate) residents: Vec<Resident>,
    /// Objects that leave by a handover; in a keyframe, all that are on their way.
    pub(crate) departed: Vec<NetId>,
    pub(crate) messages: Vec<ClientMessage>,
    /// Private fields.
    pub(crate) private: TickRecord,
}

/// A record with its facts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GatewayRecord {
    pub(crate) facts: GatewayFacts,
    pub(crate) record: TickRecord,
}

/// A keyframe with its facts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GatewayState {
    pub(crate) facts: GatewayFacts,
    pub(crate) state: WorldState,
}

impl GatewayFacts {
    fn write(&self) -> Bytes {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write_varint(self.zone.0.into());
        write_list(&mut writer, &self.residents, |writer, resident| {
            writer.write_varint(resident.object.0.into());
            writer.write_varint(resident.epoch);
            write_sized(writer, &resident.player);
        });
        write_list(&mut writer, &self.departed, |writer, object| {
            writer.write_varint(object.0.into());
        });
        write_list(&mut writer, &self.messages, |writer, message| {
            writer.write_u64(message.client.0);
            writer.write_u8(message.channel);
            write_sized(writer, &message.message);
        });
        write_sized(&mut writer, self.private.as_bytes());
        sealed(&writer)
    }

    fn read(reader: &mut NetworkReader<'_>) -> ReadResult<Self> {
        let zone = ZoneId(read_u32(reader)?);
        let residents = read_list(reader, |reader| {
            Ok(Resident {
                object: NetId(read_u32(reader)?),
                epoch: reader.read_varint()?,
                player: read_sized(reader)?,
            })
        })?;
        let departed = read_list(reader, |reader| Ok(NetId(read_u32(reader)?)))?;
        let messages = read_list(reader, |reader| {
            Ok(ClientMessage {
                client: ClientId(reader.read_u64()?),
                channel: reader.read_u8()?,
                message: read_sized(reader)?,
            })
        })?;
        let private = read_sized(reader)?;
        let private = TickRecord::from_bytes(&private);
        let malformed = ReadErrorKind::Custom("a private record");
        Ok(Self {
            zone,
            residents,
            departed,
            messages,
            private: private.map_err(|_| reader.error(malformed))?,
        })
    }

    /// Returns the facts, and the bytes behind them.
    fn open(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Compact);
        let length = usize::try_from(reader.read_varint().ok()?).ok()?;
        let content = opened(reader.read_bytes(length).ok()?)?;
        let rest = reader.rest();
        let mut reader = NetworkReader::with_encoding(content, Encoding::Compact);
        let facts = Self::read(&mut reader).ok()?;
        reader.finish().ok()?;
        Some((facts, rest))
    }

    fn before(&self, rest: &[u8]) -> Bytes {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        write_sized(&mut writer, &self.write());
        writer.write_bytes(rest);
        writer.take_bytes()
    }
}

impl GatewayRecord {
    pub(crate) fn to_bytes(&self) -> Bytes {
        self.facts.before(self.record.as_bytes())
    }

    /// Decodes a record; `None` for damaged bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (facts, rest) = GatewayFacts::open(bytes)?;
        let record = TickRecord::from_bytes(rest).ok()?;
        Some(Self { facts, record }).filter(GatewayRecord::is_whole)
    }

    /// Returns whether the facts belong to the record.
    fn is_whole(&self) -> bool {
        let private = &self.facts.private;
        (private.origin(), private.seq()) == (self.record.origin(), self.record.seq())
    }
}

impl GatewayState {
    pub(crate) fn to_bytes(&self) -> Bytes {
        self.facts.before(&self.state.to_bytes())
    }

    /// Decodes a keyframe; `None` for damaged bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (facts, rest) = GatewayFacts::open(bytes)?;
        let state = WorldState::from_bytes(rest).ok()?;
        let (private, keyframe) = (&facts.private, &state.keyframe);
        let is_whole = (private.origin(), private.seq()) == (keyframe.origin(), keyframe.seq());
        is_whole.then_some(Self { facts, state })
    }
}

/// Encodes the answer to [`ZoneCall::Records`](super::message::ZoneCall).
pub(crate) fn records_to_bytes(records: &[Bytes]) -> Bytes {
    let mut writer = writer();
    write_list(&mut writer, records, |writer, record| {
        write_sized(writer, record);
    });
    sealed(&writer)
}

/// Decodes the answer to [`ZoneCall::Records`](super::message::ZoneCall).
pub(crate) fn records_from_bytes(bytes: &[u8]) -> Option<Vec<Bytes>> {
    whole(bytes, |reader| read_list(reader, read_sized))
}

/// Encodes the answer to [`ZoneCall::Inputs`](super::message::ZoneCall): the tick of the zone at their arrival.
pub(crate) fn tick_to_bytes(tick: u64) -> Bytes {
    let mut writer = writer();
    writer.write_varint(tick);
    sealed(&writer)
}

/// Decodes the answer to [`ZoneCall::Inputs`](super::message::ZoneCall).
pub(crate) fn tick_from_bytes(bytes: &[u8]) -> Option<u64> {
    whole(bytes, read_tick)
}

fn read_tick(reader: &mut NetworkReader<'_>) -> ReadResult<u64> {
    reader.read_varint()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use syncvar_net::RecordMerge;
    use syncvar_runtime::{Prefabs, Random};

    use super::*;

    fn record(seq: usize) -> GatewayRecord {
        let time = Duration::from_millis(40);
        let (mut merge, _) = RecordMerge::begin(&Prefabs::new(), 7, 1, time);
        let record = merge.record(2, time);
        let later = merge.record(3, time);
        let facts = GatewayFacts {
            zone: ZoneId(3),
            residents: vec![Resident {
                object: NetId(7),
                epoch: 300,
                player: "ann".into(),
            }],
            departed: vec![NetId(8)],
            messages: vec![ClientMessage {
                client: ClientId(9),
                channel: 1,
                message: "hello".into(),
            }],
            private: [record.clone(), later.clone()][seq].clone(),
        };
        let record = [record, later][seq].clone();
        GatewayRecord { facts, record }
    }

    #[test]
    fn a_record_arrives_whole_or_not_at_all() {
        let (one, two) = (record(0), record(1));
        let bytes = one.to_bytes();
        assert_eq!(GatewayRecord::from_bytes(&bytes), Some(one.clone()));
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let mut damaged = bytes.to_vec();
            let at = random.below(u32::try_from(bytes.len()).expect("a short record")) as usize;
            damaged[at] ^= 1 << random.below(8);
            assert_eq!(GatewayRecord::from_bytes(&damaged), None);
            assert_eq!(GatewayRecord::from_bytes(&bytes[..at]), None);
        }
        // Facts of a record before a second record.
        let spliced = one.facts.before(two.record.as_bytes());
        assert_eq!(GatewayRecord::from_bytes(&spliced), None);
    }
}
