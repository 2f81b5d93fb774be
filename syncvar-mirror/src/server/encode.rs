//! Memory for what is being written, and messages of the server.

use bytes::BytesMut;
use syncvar_runtime::engine::Slots;
use syncvar_runtime::{Dialect, NetId, NetworkHash128, NetworkWriter, WriteError};

use super::frame::put_var;
use crate::AssetId;
use crate::message::{NetworkMessage, SpawnFlags};

/// Memory that is used again and again.
#[derive(Debug)]
pub(super) struct Scratch {
    /// A message that is small, or the beginning of one.
    pub(super) head: NetworkWriter,
    /// One component.
    component: NetworkWriter,
    /// Components for all who observe the object.
    pub(super) observers: Components,
    /// The same for the owner.
    pub(super) owner: Components,
    /// Messages for owners, to be cut off one by one.
    pub(super) own: BytesMut,
    /// Objects to be looked at.
    pub(super) ids: Vec<NetId>,
    /// A spawn that may be for others, too.
    pub(super) spawn: NetworkWriter,
    /// Of which object it is, and with which flags; none if that may have changed since.
    pub(super) spawn_of: Option<(NetId, SpawnFlags)>,
}

/// Components of an object, each behind its safety byte: what Mirror's `NetworkIdentity` writes.
#[derive(Debug, Default)]
pub(super) struct Components {
    /// Which they are.
    pub(super) mask: u64,
    pub(super) bytes: BytesMut,
    /// The mask as it is written.
    pub(super) head: BytesMut,
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
            head: NetworkWriter::with_dialect(Dialect::Mirror),
            component: NetworkWriter::with_dialect(Dialect::Mirror),
            observers: Components::default(),
            owner: Components::default(),
            own: BytesMut::new(),
            ids: Vec::new(),
            spawn: NetworkWriter::with_dialect(Dialect::Mirror),
            spawn_of: None,
        }
    }
}

impl Components {
    fn clear(&mut self) {
        self.mask = 0;
        self.bytes.clear();
        self.head.clear();
    }

    /// Everything has been written.
    fn finish(&mut self) {
        if self.mask != 0 {
            put_var(&mut self.head, self.mask);
        }
    }

    /// How many bytes they are.
    pub(super) fn len(&self) -> usize {
        self.head.len() + self.bytes.len()
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
    /// Writes components of an object, each once. A behaviour whose
    /// [`on_serialize`](syncvar_runtime::NetworkBehaviour::on_serialize) says that it has written no
    /// changes is left out.
    pub(super) fn write_components(
        &mut self,
        slots: &mut dyn Slots,
        wanted: Wanted,
    ) -> Result<(), Unwritable> {
        let Self {
            component,
            observers,
            owner,
            ..
        } = self;
        observers.clear();
        owner.clear();
        let mut rest = wanted.observers | wanted.owner;
        while rest != 0 {
            let index = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(slot) = slots.slot_mut(index as usize) else {
                continue;
            };
            let bit = 1 << index;
            component.truncate(0);
            let everything_dirty = wanted.everything_dirty & bit != 0;
            let written = slot.write_mirror(component, wanted.initial_state, everything_dirty);
            if let Some(error) = component.take_error() {
                let behaviour = slot.info().schema.name;
                return Err(Unwritable { behaviour, error });
            }
            if !written && !wanted.initial_state {
                continue;
            }
            for (components, wanted) in [
                (&mut *observers, wanted.observers),
                (&mut *owner, wanted.owner),
            ] {
                if wanted & bit != 0 {
                    components.mask |= bit;
                    let payload = component.as_bytes();
                    let [safety, ..] = payload.len().to_le_bytes();
                    components.bytes.extend_from_slice(&[safety]);
                    components.bytes.extend_from_slice(payload);
                }
            }
        }
        observers.finish();
        owner.finish();
        Ok(())
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
