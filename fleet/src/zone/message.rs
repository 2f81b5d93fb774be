//! Messages between zones, voters and the senders of commands. WIRE.md, section 12.

use std::collections::BTreeMap;

use bytes::Bytes;
use syncvar_runtime::{
    Encoding, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, ReadResult,
};

use crate::sealed::{opened, sealed};
use crate::zone::handovers::{Offer, OfferAnswer};
use crate::zone::lease::{LeaseAnswer, LeaseRequest};
use crate::zone::{ClientId, VoterId, ZoneId};

/// Version of the layout, in a byte that no message of a spectator has.
const VERSION: u8 = 0x81;

const LEASE: u8 = 0;
const OFFERS: u8 = 1;
const COMMANDS: u8 = 2;
const CALLS: u8 = 3;
const PLAYERS: u8 = 4;
const INPUTS: u8 = 5;
const RECORDS: u8 = 6;

/// Content of a call between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ZoneCall {
    Lease(LeaseRequest),
    /// Objects on their way from a zone to a zone.
    Offers {
        from: ZoneId,
        to: ZoneId,
        offers: Vec<Offer>,
    },
    Commands(Vec<NumberedCommand>),
    /// Commands of the players of a gateway: calls of methods.
    Calls(Vec<NumberedCommand>),
    /// Players of the sending gateway, all of them. A later list has a higher number.
    Players {
        number: u64,
        clients: Vec<GatewayClient>,
    },
    /// Inputs of players.
    Inputs(Vec<ClientInputs>),
    /// Question for the records behind a number.
    Records(u64),
}

/// Player of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GatewayClient {
    pub(crate) client: ClientId,
    /// Key of the player.
    pub(crate) key: Bytes,
}

/// Last inputs of a player, by ticks of the zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientInputs {
    pub(crate) client: ClientId,
    pub(crate) inputs: Bytes,
}

/// Command of a client to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NumberedCommand {
    pub(crate) client: ClientId,
    pub(crate) object: NetId,
    /// Number among the commands of the client to the object, from 1.
    pub(crate) number: u32,
    pub(crate) command: Bytes,
}

/// State of the commands of a client to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandState {
    /// Number of the last command that the journal has; 0 before the first.
    Applied(u32),
    /// The object is not here, but perhaps in this zone.
    Elsewhere(Option<ZoneId>),
}

/// Answer to [`ZoneCall::Commands`], in the order of the commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandStates(pub(crate) Vec<CommandState>);

pub(crate) fn writer() -> NetworkWriter {
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    writer.write_u8(VERSION);
    writer
}

/// Returns a reader behind the version, for undamaged bytes.
fn open_message(bytes: &[u8]) -> Option<NetworkReader<'_>> {
    let mut reader = NetworkReader::with_encoding(opened(bytes)?, Encoding::Compact);
    (reader.read_u8().ok()? == VERSION).then_some(reader)
}

/// Reads a message to its end.
pub(crate) fn whole<T>(
    bytes: &[u8],
    read: impl FnOnce(&mut NetworkReader<'_>) -> ReadResult<T>,
) -> Option<T> {
    let mut reader = open_message(bytes)?;
    let message = read(&mut reader).ok()?;
    reader.finish().ok()?;
    Some(message)
}

impl ZoneCall {
    pub(crate) fn to_bytes(&self) -> Bytes {
        let mut writer = writer();
        match self {
            Self::Lease(request) => {
                writer.write_u8(LEASE);
                writer.write_varint(request.zone.0.into());
                writer.write_varint(request.term);
                writer.write_u8(u8::from(request.is_held));
                writer.write_varint(request.ids.into());
            }
            Self::Offers { from, to, offers } => {
                writer.write_u8(OFFERS);
                writer.write_varint(from.0.into());
                writer.write_varint(to.0.into());
                write_list(&mut writer, offers, write_offer);
            }
            Self::Commands(commands) => {
                writer.write_u8(COMMANDS);
                write_list(&mut writer, commands, write_command);
            }
            Self::Calls(calls) => {
                writer.write_u8(CALLS);
                write_list(&mut writer, calls, write_command);
            }
            Self::Players { number, clients } => {
                writer.write_u8(PLAYERS);
                writer.write_varint(*number);
                write_list(&mut writer, clients, |writer, client| {
                    writer.write_u64(client.client.0);
                    write_sized(writer, &client.key);
                });
            }
            Self::Inputs(clients) => {
                writer.write_u8(INPUTS);
                write_list(&mut writer, clients, |writer, client| {
                    writer.write_u64(client.client.0);
                    write_sized(writer, &client.inputs);
                });
            }
            Self::Records(seq) => {
                writer.write_u8(RECORDS);
                writer.write_varint(*seq);
            }
        }
        sealed(&writer)
    }

    /// Decodes a call; `None` for damaged or different bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        whole(bytes, |reader| {
            Ok(match reader.read_u8()? {
                LEASE => Self::Lease(LeaseRequest {
                    zone: ZoneId(read_u32(reader)?),
                    term: reader.read_varint()?,
                    is_held: reader.read_u8()? != 0,
                    ids: read_u32(reader)?,
                }),
                OFFERS => Self::Offers {
                    from: ZoneId(read_u32(reader)?),
                    to: ZoneId(read_u32(reader)?),
                    offers: read_list(reader, read_offer)?,
                },
                COMMANDS => Self::Commands(read_list(reader, read_command)?),
                CALLS => Self::Calls(read_list(reader, read_command)?),
                PLAYERS => Self::Players {
                    number: reader.read_varint()?,
                    clients: read_list(reader, |reader| {
                        Ok(GatewayClient {
                            client: ClientId(reader.read_u64()?),
                            key: read_sized(reader)?,
                        })
                    })?,
                },
                INPUTS => Self::Inputs(read_list(reader, |reader| {
                    Ok(ClientInputs {
                        client: ClientId(reader.read_u64()?),
                        inputs: read_sized(reader)?,
                    })
                })?),
                RECORDS => Self::Records(reader.read_varint()?),
                _ => return Err(reader.error(ReadErrorKind::Custom("kind of a call"))),
            })
        })
    }
}

fn write_command(writer: &mut NetworkWriter, command: &NumberedCommand) {
    writer.write_u64(command.client.0);
    writer.write_varint(command.object.0.into());
    writer.write_varint(command.number.into());
    write_sized(writer, &command.command);
}

fn read_command(reader: &mut NetworkReader<'_>) -> ReadResult<NumberedCommand> {
    Ok(NumberedCommand {
        client: ClientId(reader.read_u64()?),
        object: NetId(read_u32(reader)?),
        number: read_u32(reader)?,
        command: read_sized(reader)?,
    })
}

impl LeaseAnswer {
    pub(crate) fn to_bytes(self) -> Bytes {
        let mut writer = writer();
        writer.write_u8(u8::from(self.granted));
        writer.write_varint(self.term);
        writer.write_varint(self.ids.into());
        if let Some(voter) = self.voter {
            writer.write_varint(voter.0.into());
        }
        sealed(&writer)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        whole(bytes, |reader| {
            let granted = reader.read_u8()? != 0;
            let term = reader.read_varint()?;
            let ids = read_u32(reader)?;
            let voter = match reader.remaining() {
                0 => None,
                _ => Some(VoterId(read_u32(reader)?)),
            };
            Ok(Self {
                voter,
                granted,
                term,
                ids,
            })
        })
    }
}

/// Encodes the answers to offers.
pub(crate) fn answers_to_bytes(answers: &[OfferAnswer]) -> Bytes {
    let mut writer = writer();
    write_list(&mut writer, answers, |writer, answer| {
        writer.write_varint(answer.number);
        writer.write_u8(u8::from(answer.admitted));
    });
    sealed(&writer)
}

/// Decodes the answers to offers.
pub(crate) fn answers_from_bytes(bytes: &[u8]) -> Option<Vec<OfferAnswer>> {
    whole(bytes, |reader| {
        read_list(reader, |reader| {
            Ok(OfferAnswer {
                number: reader.read_varint()?,
                admitted: reader.read_u8()? != 0,
            })
        })
    })
}

impl CommandStates {
    pub(crate) fn to_bytes(&self) -> Bytes {
        let mut writer = writer();
        write_list(&mut writer, &self.0, |writer, state| match state {
            CommandState::Applied(number) => {
                writer.write_u8(0);
                writer.write_varint((*number).into());
            }
            CommandState::Elsewhere(None) => writer.write_u8(1),
            CommandState::Elsewhere(Some(zone)) => {
                writer.write_u8(2);
                writer.write_varint(zone.0.into());
            }
        });
        sealed(&writer)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        whole(bytes, |reader| {
            let states = read_list(reader, |reader| {
                Ok(match reader.read_u8()? {
                    0 => CommandState::Applied(read_u32(reader)?),
                    1 => CommandState::Elsewhere(None),
                    2 => CommandState::Elsewhere(Some(ZoneId(read_u32(reader)?))),
                    _ => return Err(reader.error(ReadErrorKind::Custom("state of a command"))),
                })
            });
            states.map(Self)
        })
    }
}

fn write_offer(writer: &mut NetworkWriter, offer: &Offer) {
    writer.write_varint(offer.number);
    writer.write_varint(offer.settled);
    writer.write_varint(offer.object.0.into());
    writer.write_varint(offer.epoch);
    write_sized(writer, &offer.state);
    write_commands(writer, &offer.commands);
}

fn read_offer(reader: &mut NetworkReader<'_>) -> ReadResult<Offer> {
    Ok(Offer {
        number: reader.read_varint()?,
        settled: reader.read_varint()?,
        object: NetId(read_u32(reader)?),
        epoch: reader.read_varint()?,
        state: read_sized(reader)?,
        commands: read_commands(reader)?,
    })
}

/// Writes the numbers of the last commands.
pub(crate) fn write_commands(writer: &mut NetworkWriter, commands: &BTreeMap<ClientId, u32>) {
    writer.write_varint(commands.len() as u64);
    for (client, number) in commands {
        writer.write_u64(client.0);
        writer.write_varint((*number).into());
    }
}

/// Reads the numbers of the last commands.
pub(crate) fn read_commands(reader: &mut NetworkReader<'_>) -> ReadResult<BTreeMap<ClientId, u32>> {
    let numbers = read_list(reader, |reader| {
        Ok((ClientId(reader.read_u64()?), read_u32(reader)?))
    })?;
    Ok(numbers.into_iter().collect())
}

pub(crate) fn write_sized(writer: &mut NetworkWriter, bytes: &[u8]) {
    writer.write_varint(bytes.len() as u64);
    writer.write_bytes(bytes);
}

pub(crate) fn read_sized(reader: &mut NetworkReader<'_>) -> ReadResult<Bytes> {
    let length = reader.read_varint()?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(Bytes::copy_from_slice(reader.read_bytes(length)?))
}

pub(crate) fn write_list<T>(
    writer: &mut NetworkWriter,
    list: &[T],
    mut write: impl FnMut(&mut NetworkWriter, &T),
) {
    writer.write_varint(list.len() as u64);
    for element in list {
        write(writer, element);
    }
}

pub(crate) fn read_list<T>(
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

pub(crate) fn read_u32(reader: &mut NetworkReader<'_>) -> ReadResult<u32> {
    let number = reader.read_varint()?;
    u32::try_from(number).map_err(|_| too_high(reader))
}

#[cold]
fn too_high(reader: &NetworkReader<'_>) -> ReadError {
    reader.error(ReadErrorKind::Custom("a number below 2^32"))
}
