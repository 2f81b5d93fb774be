//! Memory for what is being written, and messages of the server.

use bytes::{Bytes, BytesMut};
use syncvar_runtime::object::{Slot, Slots};
use syncvar_runtime::{Encoding, NetId, NetworkHash128, NetworkWriter, WriteError};

use super::frame::{put_message, var_length};
use crate::AssetId;
use crate::batch::framed;
use crate::message::{EntityStateMessage, NetworkMessage, SpawnFlags};

/// Memory that is used again and again.
#[derive(Debug)]
pub(super) struct Scratch {
    /// A message that is small, or the beginning of one.
    pub(super) head: NetworkWriter,
    /// Components for all who observe the object.
    pub(super) observers: Components,
    /// The same for the owner.
    pub(super) owner: Components,
    /// What is not of a frame, to be cut off one by one.
    own: BytesMut,
    /// Objects to be looked at.
    pub(super) ids: Vec<NetId>,
    /// Components and the mask before them.
    pub(super) payload: Vec<u8>,
    /// A spawn that may be for others, too.
    pub(super) spawn: NetworkWriter,
    /// Of which object it is, and with which flags; none if that may have changed since.
    pub(super) spawn_of: Option<(NetId, SpawnFlags)>,
}

/// Components of an object, each behind its safety byte: what Mirror's `NetworkIdentity` writes.
#[derive(Debug)]
pub(super) struct Components {
    /// Which they are.
    pub(super) mask: u64,
    writer: NetworkWriter,
}

/// A behaviour that could not be written.
#[derive(Debug)]
pub(super) struct Unwritable {
    pub(super) behaviour: &'static str,
    pub(super) error: WriteError,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            head: NetworkWriter::with_encoding(Encoding::Mirror),
            observers: Components::default(),
            owner: Components::default(),
            own: BytesMut::new(),
            ids: Vec::new(),
            payload: Vec::new(),
            spawn: NetworkWriter::with_encoding(Encoding::Mirror),
            spawn_of: None,
        }
    }
}

impl Default for Components {
    fn default() -> Self {
        Self {
            mask: 0,
            writer: NetworkWriter::with_encoding(Encoding::Mirror),
        }
    }
}

impl Components {
    fn clear(&mut self) {
        self.mask = 0;
        self.writer.truncate(0);
        self.writer.take_promised();
    }

    /// How many operations their full states have said are still to come.
    pub(super) fn take_promised(&mut self) -> usize {
        self.writer.take_promised()
    }

    /// They, without the mask.
    pub(super) fn bytes(&self) -> &[u8] {
        self.writer.as_bytes()
    }

    /// How many bytes they are, with the mask, which stands before them if there are any.
    pub(super) fn len(&self) -> usize {
        match self.mask {
            0 => 0,
            mask => var_length(mask) + self.writer.len(),
        }
    }

    /// Writes a component behind its safety byte. Returns whether there was something to write.
    #[inline]
    fn write(&mut self, slot: &mut dyn Slot, bit: u64, wanted: Wanted) -> Result<bool, Unwritable> {
        let writer = &mut self.writer;
        let start = writer.len();
        writer.write_u8(0);
        let everything_dirty = wanted.everything_dirty & bit != 0;
        let written = slot.write_mirror(writer, wanted.initial_state, everything_dirty);
        if let Some(error) = writer.take_error() {
            let behaviour = slot.info().schema.name;
            return Err(Unwritable { behaviour, error });
        }
        if !written && !wanted.initial_state {
            writer.truncate(start);
            return Ok(false);
        }
        let [length, ..] = (writer.len() - start - 1).to_le_bytes();
        writer.add_bits(start, length.into());
        self.mask |= bit;
        Ok(true)
    }
}

/// What is to be written of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The components for all who observe it, and for the owner.
    pub(super) observers: u64,
    pub(super) owner: u64,
    /// Whether their whole state is, or what has changed.
    pub(super) initial_state: bool,
    /// Of what has changed: the components of which that is everything.
    pub(super) everything_dirty: u64,
}

impl Scratch {
    /// Writes components of an object, each once; if all who observe it and the owner want the same, it is
    /// the former's only. A behaviour whose
    /// [`on_serialize`](syncvar_runtime::NetworkBehaviour::on_serialize) says that it has written no
    /// changes is left out.
    pub(super) fn write_components(
        &mut self,
        slots: &mut dyn Slots,
        wanted: Wanted,
    ) -> Result<(), Unwritable> {
        let Self {
            observers, owner, ..
        } = self;
        observers.clear();
        owner.clear();
        let is_shared = wanted.observers == wanted.owner;
        let mut rest = wanted.observers | wanted.owner;
        while rest != 0 {
            let index = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(slot) = slots.slot_mut(index as usize) else {
                continue;
            };
            let bit = 1 << index;
            if wanted.observers & bit == 0 {
                owner.write(slot, bit, wanted)?;
                continue;
            }
            let start = observers.writer.len();
            let written = observers.write(slot, bit, wanted)?;
            if written && !is_shared && wanted.owner & bit != 0 {
                owner.mask |= bit;
                let component = observers.bytes().get(start..).unwrap_or_default();
                owner.writer.write_bytes(component);
            }
        }
        Ok(())
    }

    /// The components that have been written, for whomever.
    pub(super) fn mask(&self) -> u64 {
        self.observers.mask | self.owner.mask
    }

    /// How long the longer one of the messages is that they are, where they travel unreliably.
    pub(super) fn longest_message(&self, net_id: NetId) -> usize {
        let messages = [&self.observers, &self.owner].map(|it| hybrid_length(net_id, it));
        messages.into_iter().max().unwrap_or_default()
    }

    /// What has been written for all who observe an object, behind the mask, in memory that is given
    /// [back](Self::payload).
    pub(super) fn take_payload(&mut self) -> Vec<u8> {
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        if self.observers.mask != 0 {
            self.head.truncate(0);
            self.head.write_var_u64(self.observers.mask);
            payload.extend_from_slice(self.head.as_bytes());
            payload.extend_from_slice(self.observers.bytes());
        }
        payload
    }

    /// A message for one connection, of what has been written for the owner, or for all: a piece of memory
    /// that many have parts of.
    pub(super) fn own_state(&mut self, is_shared: bool) -> Bytes {
        let components = if is_shared {
            &self.observers
        } else {
            &self.owner
        };
        let parts = [self.head.as_bytes(), components.bytes()];
        take_piece(&mut self.own, parts.iter().map(|part| part.len()).sum());
        for part in parts {
            self.own.extend_from_slice(part);
        }
        self.own.split().freeze()
    }

    /// A batch of this header and this message, in a piece of the same memory.
    pub(super) fn own_batch<'a, M: NetworkMessage<'a>>(
        &mut self,
        before: &[u8],
        message: &M,
    ) -> Bytes {
        write_message(&mut self.head, message);
        let message = self.head.as_bytes();
        take_piece(&mut self.own, before.len() + framed(message.len()));
        self.own.extend_from_slice(before);
        put_message(&mut self.own, &[message]);
        self.own.split().freeze()
    }
}

/// How much memory is taken at once for messages of single connections.
const OWN: usize = 4096;

/// Sees to it that so much can be written without moving anything.
fn take_piece(own: &mut BytesMut, length: usize) {
    if own.capacity() < length {
        own.reserve(length.max(OWN));
    }
}

/// Writes the beginning of a message that ends with some bytes: its id, its fields, and how many bytes
/// follow. Mirror, `WriteArraySegmentAndSize`.
pub(super) fn write_head(head: &mut NetworkWriter, id: u16, net_id: NetId) {
    head.truncate(0);
    head.write_u16(id);
    head.write_var_u64(net_id.0.into());
}

/// Writes how many bytes follow.
pub(super) fn write_segment_size(head: &mut NetworkWriter, length: usize) {
    head.write_var_u64(u64::try_from(length).unwrap_or(u64::MAX).saturating_add(1));
}

/// What a message about components that travel unreliably begins with: its id and the number of a baseline.
pub(super) type Head = (u16, u8);

/// How long such a message is, without its length.
fn hybrid_length(net_id: NetId, components: &Components) -> usize {
    let payload = components.len();
    2 + 1 + var_length(net_id.0.into()) + var_length(payload as u64 + 1) + payload
}

/// Writes the beginning of such a message as it stands in a batch: all but the components.
pub(super) fn write_framed_head(
    head: &mut NetworkWriter,
    (id, tick): Head,
    net_id: NetId,
    components: &Components,
) {
    head.truncate(0);
    head.write_var_u64(hybrid_length(net_id, components) as u64);
    write_hybrid_head(head, (id, tick), net_id, components);
}

/// The same as it stands alone.
pub(super) fn write_hybrid_head(
    head: &mut NetworkWriter,
    (id, tick): Head,
    net_id: NetId,
    components: &Components,
) {
    head.write_u16(id);
    head.write_u8(tick);
    head.write_var_u64(net_id.0.into());
    write_segment_size(head, components.len());
    head.write_var_u64(components.mask);
}

/// Writes the beginning of the changes of an object as they stand in a batch: all but the components.
#[inline]
pub(super) fn write_state_head(head: &mut NetworkWriter, net_id: NetId, components: &Components) {
    let (id, payload) = (u64::from(net_id.0), components.len() as u64);
    let length = 2 + var_length(id) as u64 + var_length(payload + 1) as u64 + payload;
    head.truncate(0);
    head.write_var_u64(length);
    head.write_u16(EntityStateMessage::ID);
    head.write_var_u64(id);
    head.write_var_u64(payload + 1);
    head.write_var_u64(components.mask);
}

/// Writes a whole message.
pub(super) fn write_message<'a, M: NetworkMessage<'a>>(head: &mut NetworkWriter, message: &M) {
    head.truncate(0);
    message.encode(head);
}

/// An asset id where one of 128 bits is asked for.
pub(super) fn asset_hash(asset_id: AssetId) -> NetworkHash128 {
    let mut hash = [0; 16];
    let id = asset_id.0.to_be_bytes();
    for (byte, id) in hash.iter_mut().rev().zip(id.into_iter().rev()) {
        *byte = id;
    }
    NetworkHash128(hash)
}
