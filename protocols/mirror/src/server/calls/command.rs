//! Commands of clients, checked against the connection that sent them.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::unstable::call::CallPlace;
use syncvar_runtime::{CommandRefusal, ConnectionId};

use crate::message::CommandMessage;
use crate::server::event::MirrorServerEvent;
use crate::server::rooms::Rooms;
use crate::server::sessions::connection::Connection;

/// Returns the call of a command that the connection may run; reports a refusal.
pub(crate) fn admit_command(
    rooms: &mut Rooms<'_>,
    from: ConnectionId,
    command: &CommandMessage<'_>,
) -> Option<CallPlace> {
    let place = find_command(rooms, from, command);
    let refusal = match &place {
        Ok(place) => allow_command(rooms, from, place, command).err(),
        Err(refusal) => Some(refusal.clone()),
    };
    match refusal {
        None => place.ok(),
        Some(refusal) => {
            refuse_command(rooms, from, command, place.ok().as_ref(), refusal);
            None
        }
    }
}

/// Counts and reports a refused command.
pub(crate) fn refuse_command(
    rooms: &mut Rooms<'_>,
    connection: ConnectionId,
    command: &CommandMessage<'_>,
    place: Option<&CallPlace>,
    reason: CommandRefusal,
) {
    let context = &mut *rooms.context;
    context.stats.refused_commands.count(&reason);
    rooms.sessions.intake.count((&reason).into());
    let (object, name) = (command.net_id, place.map(|place| place.schema.name));
    tracing::debug!(connection = connection.0, %object, command = name, %reason, "refused a command");
    context
        .events
        .push_minor(MirrorServerEvent::CommandRefused {
            connection,
            object: command.net_id,
            command: place.map(|place| (place.name, place.schema.name)),
            reason,
        });
}

fn find_command(
    rooms: &Rooms<'_>,
    from: ConnectionId,
    command: &CommandMessage<'_>,
) -> Result<CallPlace, CommandRefusal> {
    let client = rooms.sessions.get(from);
    if !client.is_some_and(Connection::is_ready) {
        return Err(CommandRefusal::NotReady);
    }
    let entry = rooms.objects.entry(command.net_id);
    let entry = entry.ok_or(CommandRefusal::UnknownObject)?;
    let (component, hash) = (command.component_index, command.function_hash);
    if usize::from(component) >= entry.components.len() {
        return Err(CommandRefusal::UnknownComponent(component));
    }
    let place = entry.call(component, hash);
    let place = place.filter(CallPlace::is_command);
    place.ok_or(CommandRefusal::UnknownHash(hash))
}

fn allow_command(
    rooms: &mut Rooms<'_>,
    from: ConnectionId,
    place: &CallPlace,
    command: &CommandMessage<'_>,
) -> Result<(), CommandRefusal> {
    if place.schema.requires_ownership && rooms.objects.owner(command.net_id) != Some(from) {
        return Err(CommandRefusal::NotOwner);
    }
    let default_rate = rooms.context.config.limits.command_rate;
    let rate = place.schema.rate.unwrap_or(default_rate);
    let now = rooms.context.now();
    let client = rooms.sessions.get_mut(from);
    if !client.is_some_and(|client| client.rates.allow(place.declared, rate, now)) {
        return Err(CommandRefusal::TooOften);
    }
    Ok(())
}
