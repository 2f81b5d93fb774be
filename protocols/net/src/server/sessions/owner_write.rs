//! Writes of owners: the checks of the connection, and the effects on it.

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::unstable::object::{Location, Slot};
use syncvar_runtime::unstable::ordered::IdPairs;
use syncvar_runtime::{ChangedFields, ConnectionId, NetId, NetworkReader, ReadError};

use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::objects::owner_write::{OwnerWrite, WrittenFields};
use crate::server::sessions::Sessions;
use crate::server::sessions::incoming::Origin;

/// Write of an owner under the present permit, not applied yet.
#[derive(Debug)]
pub(crate) struct PermittedWrite<'a> {
    from: ConnectionId,
    pub(crate) id: NetId,
    pub(crate) at: Location,
    reader: NetworkReader<'a>,
}

impl Sessions {
    /// Reads the head of a write of an owner. `None` for a write that is ignored: of another connection than the
    /// owner, under an earlier permit, or after a rejected write of this update.
    pub(crate) fn read_owner_write<'a>(
        &mut self,
        context: &mut Context,
        objects: &Objects,
        from: ConnectionId,
        payload: &'a [u8],
    ) -> Result<Option<PermittedWrite<'a>>, ReadError> {
        let framing = self.framing(from).unwrap_or_default();
        let mut reader = NetworkReader::with_encoding(payload, framing.encoding())
            .with_budget(self.intake.budget)
            .relaying();
        let id = NetId(reader.read_packed_u32()?);
        let permit = reader.read_packed_u32()?;
        let owned = objects.world.objects.get(id.0);
        let owned = owned.filter(|replicated| replicated.owner == Some(from));
        let Some(replicated) = owned else {
            self.ignore_write(context);
            context.events.push_minor(ServerEvent::WriteIgnored {
                connection: from,
                object: id,
            });
            return Ok(None);
        };
        let is_rejected = self.pending.owner_corrections.contains(from, id);
        if replicated.permit != permit || permit == 0 || is_rejected {
            self.ignore_write(context);
            return Ok(None);
        }
        let at = replicated.at;
        let write = PermittedWrite {
            from,
            id,
            at,
            reader,
        };
        let is_newer = self.is_newer_write(context, objects, &write, permit);
        Ok(is_newer.then_some(write))
    }

    /// Returns whether a write is newer than the last one of its object under the same permit. Only those of
    /// unreliable behaviours can be older: their packets overtake each other.
    fn is_newer_write(
        &mut self,
        context: &Context,
        objects: &Objects,
        write: &PermittedWrite<'_>,
        permit: u32,
    ) -> bool {
        let slots = objects.world.pools.slots(write.at);
        let first = write.reader.peek().map_or(0, usize::from);
        let first = slots.and_then(|slots| slots.slot(first)).map(Slot::info);
        let is_lossy = first.is_some_and(|info| {
            let channel = context.config.channel_info(info.channel);
            channel.lossy && info.resendable
        });
        let Some(connection) = self.connections.get_mut(write.from.0) else {
            return false;
        };
        let Some(datagrams) = &mut connection.datagrams else {
            return true;
        };
        datagrams.writes.clean(&connection.ownership.objects);
        match self.origin {
            Origin::Datagram { tick, .. } => datagrams.writes.note_datagram(write.id, permit, tick),
            Origin::Stream { tick } if is_lossy => {
                datagrams.writes.note_stream(write.id, permit, tick);
                true
            }
            Origin::Stream { .. } | Origin::Plain => true,
        }
    }

    /// Applies a write of an owner.
    ///
    /// A malformed, unauthorized or oversized write changes no field. The next update sends the owner
    /// the server's values; writes of the owner until then are ignored.
    pub(crate) fn apply_owner_write(
        &mut self,
        context: &mut Context,
        objects: &mut Objects,
        write: PermittedWrite<'_>,
    ) -> Result<(), ReadError> {
        let PermittedWrite {
            from,
            id,
            at,
            mut reader,
        } = write;
        let tick = context.wire_tick();
        let Some(slots) = objects.world.pools.slots_mut(at) else {
            context.stats.ignored_writes += 1;
            return Ok(());
        };
        let Some(connection) = self.connections.get_mut(from.0) else {
            return Ok(());
        };
        let write = OwnerWrite {
            id,
            tick,
            // A message repeats the fields whose arrival the client does not know.
            repeats: matches!(self.origin, Origin::Datagram { .. }),
            memory: &mut connection.ownership.memory,
            max_memory: context.config.limits.max_owner_memory,
        };
        let written = write.apply(slots, &mut reader);
        self.intake.budget = reader.budget();
        match written {
            Ok(WrittenFields { refused, .. }) if !refused.is_empty() => {
                self.refuse_write(context, from, id, refused);
            }
            Ok(WrittenFields { accepted, .. }) if accepted.is_empty() => {}
            Ok(WrittenFields { accepted, .. }) => {
                for (behaviour, fields) in accepted {
                    context.events.push_minor(ServerEvent::Written {
                        connection: from,
                        object: id,
                        behaviour,
                        fields,
                    });
                }
                objects.schedule.queue_dirty(id);
            }
            Err(error) => {
                context.stats.ignored_writes += 1;
                self.pending.owner_corrections.insert(from, id);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Rejects a write to an object of a server that this server follows: the next update sends the owner the present values.
    pub(crate) fn refuse_followed_write(
        &mut self,
        context: &mut Context,
        connection: ConnectionId,
        object: NetId,
    ) {
        self.pending.owner_corrections.insert(connection, object);
        context.stats.ignored_writes += 1;
        context
            .events
            .push_minor(ServerEvent::WriteIgnored { connection, object });
    }

    /// Takes the owners with a rejected write, and the objects.
    pub(crate) fn take_owner_corrections(&mut self) -> IdPairs<ConnectionId, NetId> {
        std::mem::take(&mut self.pending.owner_corrections)
    }

    /// Counts a write that was sent too late, or by another connection than the owner.
    fn ignore_write(&mut self, context: &mut Context) {
        context.stats.ignored_writes += 1;
        self.intake.count(Misbehaviour::Ignored);
    }

    /// Reports a write with values that a check refused.
    fn refuse_write(
        &mut self,
        context: &mut Context,
        owner: ConnectionId,
        id: NetId,
        refused: Vec<(usize, ChangedFields)>,
    ) {
        self.ignore_write(context);
        context.stats.refused.checked_writes += 1;
        self.pending.owner_corrections.insert(owner, id);
        for (behaviour, fields) in refused {
            tracing::debug!(connection = %owner, object = %id, ?fields, "a check refused a write");
            context.events.push_minor(ServerEvent::CheckFailed {
                connection: owner,
                object: id,
                behaviour,
                fields,
            });
        }
    }
}
