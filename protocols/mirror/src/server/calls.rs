//! Remote calls: calls to clients on their way into the batches, and the checks of commands.

pub(crate) mod command;
mod shared;

use std::collections::VecDeque;

use bytes::Bytes;
use syncvar_runtime::unstable::call::{CallPlace, CallRequest, RoutedCall};
use syncvar_runtime::{CallError, Channel, Encoding, NetId, NetworkWriter, Target, WriteErrorKind};

use super::encoding::{write_head, write_segment_size};
use super::rooms::Rooms;
use super::stats::count;
use crate::message::{NetworkMessage, RpcMessage};
use shared::SharedCalls;

/// Queued calls, and memory for new calls.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Calls of the server on itself, oldest first.
    pub(crate) local: VecDeque<LocalCall>,
    /// A call of the server on itself is running.
    pub(crate) is_running: bool,
    /// Memory for arguments.
    spare: Option<NetworkWriter>,
    head: CallHead,
    shared: SharedCalls,
}

/// A call of the server on itself.
#[derive(Debug)]
pub(crate) struct LocalCall {
    pub(crate) object: NetId,
    pub(crate) place: CallPlace,
    pub(crate) arguments: Bytes,
}

/// Memory for the head of a call.
#[derive(Debug)]
struct CallHead(NetworkWriter);

impl Default for CallHead {
    fn default() -> Self {
        Self(NetworkWriter::with_encoding(Encoding::Mirror))
    }
}

impl Calls {
    /// Drops the calls on a despawned object.
    pub(crate) fn remove_object(&mut self, id: NetId) {
        self.local.retain(|local| local.object != id);
    }

    /// Begins a call: finds it and checks its target.
    pub(crate) fn begin(
        &mut self,
        rooms: &Rooms<'_>,
        request: CallRequest,
    ) -> Result<RoutedCall, CallError> {
        let CallRequest {
            object: id,
            class,
            number,
            direction,
        } = request;
        let object = rooms.objects.get(id).ok_or(CallError::UnknownObject(id))?;
        let entry = rooms.objects.prefabs.get(object.prefab);
        let place = entry.and_then(|entry| {
            let place = entry.declared_call(class, number)?;
            entry.name_of(&place).map(|_| place)
        });
        let place = place.ok_or(CallError::NoSuchBehaviour {
            object: id,
            behaviour: class.name,
        })?;
        if place.schema.channel > 1 {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let target = direction.target().unwrap_or_else(|| place.schema.target());
        rooms.observers.check_target(id, object, &target)?;
        let spare = self.spare.take();
        let writer = spare.unwrap_or_else(|| NetworkWriter::with_encoding(Encoding::Mirror));
        Ok(RoutedCall {
            object: id,
            place,
            target,
            writers: [writer].into_iter().collect(),
        })
    }

    /// Queues a call for its receivers. Returns whether calls of the server on itself are due.
    pub(crate) fn send(
        &mut self,
        rooms: &mut Rooms<'_>,
        call: RoutedCall,
    ) -> Result<bool, CallError> {
        let RoutedCall {
            object: id,
            place,
            target,
            writers,
        } = call;
        let mut writer = writers.into_iter().next().unwrap_or_default();
        let entry = rooms.objects.entry(id);
        let name = entry.and_then(|entry| entry.name_of(&place));
        let (component, hash) = name.ok_or(CallError::UnknownObject(id))?;
        let channel = match place.schema.channel {
            0 => Channel::Reliable,
            _ => Channel::Unreliable,
        };
        let CallHead(head) = &mut self.head;
        write_head(head, RpcMessage::ID, id);
        head.write_u8(component);
        head.write_u16(hash);
        write_segment_size(head, writer.len());
        let parts = [head.as_bytes(), writer.as_bytes()];
        let is_shared = target == Target::Observers;
        if is_shared && self.shared.add(rooms, id, channel, parts) {
            writer.truncate(0);
            self.spare = Some(writer);
            return Ok(false);
        }
        self.shared.send(rooms);
        if !self.send_to_receivers(rooms, id, channel, &target, &writer) {
            writer.fail(WriteErrorKind::Custom(
                "the call is longer than the transport carries",
            ));
            if let Some(error) = writer.take_error() {
                return Err(error.into());
            }
        }
        if target == Target::Everyone {
            let arguments = Bytes::copy_from_slice(writer.as_bytes());
            self.local.push_back(LocalCall {
                object: id,
                place,
                arguments,
            });
        }
        writer.truncate(0);
        self.spare = Some(writer);
        Ok(true)
    }

    /// Queues the written head and arguments for the receivers of a target. Returns false if a transport does not
    /// carry them.
    fn send_to_receivers(
        &mut self,
        rooms: &mut Rooms<'_>,
        id: NetId,
        channel: Channel,
        target: &Target,
        arguments: &NetworkWriter,
    ) -> bool {
        let Some(object) = rooms.objects.get(id) else {
            return true;
        };
        let CallHead(head) = &self.head;
        let length = head.len() + arguments.len();
        let receivers = rooms.observers.receivers(object, target);
        let clients = receivers.iter().filter_map(|it| rooms.sessions.get(*it));
        let longest = clients.map(|client| client.outbox.longest(channel)).min();
        if longest.is_some_and(|longest| length > longest) {
            return false;
        }
        for receiver in receivers {
            if let Some(client) = rooms.sessions.get_mut(receiver) {
                let parts = [head.as_bytes(), arguments.as_bytes()];
                client.outbox.send(channel, rooms.context.now(), &parts);
                count(&mut rooms.context.stats.calls, length);
            }
        }
        true
    }

    /// Begins the calls of a frame: those to the same observers are copied into their batches at once.
    pub(crate) fn open(&mut self) {
        self.shared.is_open = true;
    }

    /// Ends the calls of a frame.
    pub(crate) fn close(&mut self, rooms: &mut Rooms<'_>) {
        self.shared.is_open = false;
        self.shared.send(rooms);
    }
}
