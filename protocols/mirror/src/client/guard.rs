//! `MirrorReplicaMut`: a behaviour of a replica for writing.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::{Deref, DerefMut};

use syncvar_runtime::object::{Slot, Slots};
use syncvar_runtime::{NetId, NetworkBehaviour};

use super::MirrorClient;
use super::object::Stage;

/// A behaviour of a replica, for writing.
///
/// What is written to a component that this client writes (`SyncDirection.ClientToServer`), of an object that
/// it [owns](MirrorClient::is_owned), is sent by the next [`MirrorClient::update`]. All else that is written
/// is this client's own, until the server sends something else.
pub struct MirrorReplicaMut<'a, B: NetworkBehaviour> {
    behaviour: &'a mut B,
    /// What fields with a codec were, to see whether they have changed as far as they travel.
    before: Option<B::Previous>,
    net_id: NetId,
    /// Where to note that something is to be sent, if this client writes the component.
    writing: Option<&'a mut BTreeSet<NetId>>,
}

impl MirrorClient {
    /// The first behaviour of this type on an object, for writing.
    pub fn get_mut<B: NetworkBehaviour>(&mut self, id: NetId) -> Option<MirrorReplicaMut<'_, B>> {
        let object = self.objects.get(id.0)?;
        let index = object.behaviours.as_ref()?.slots().position::<B>()?;
        self.get_mut_at(id, index)
    }

    /// The behaviour at a position of an object, if it is of this type, for writing.
    pub fn get_mut_at<B: NetworkBehaviour>(
        &mut self,
        id: NetId,
        index: usize,
    ) -> Option<MirrorReplicaMut<'_, B>> {
        let written = self.written_components(id);
        let object = self.objects.get_mut(id.0)?;
        let object = Some(object).filter(|object| object.stage != Stage::Parked)?;
        let slot = object.behaviours.as_mut()?.slots_mut().slot_mut(index)?;
        let behaviour: &mut dyn Any = slot.behaviour_mut();
        let behaviour: &mut B = behaviour.downcast_mut()?;
        let is_written = has_bit(written, index);
        Some(MirrorReplicaMut {
            before: behaviour.before_change(),
            behaviour,
            net_id: id,
            writing: is_written.then_some(&mut self.writing),
        })
    }

    /// The bits of the components of an object that this client writes.
    pub(super) fn written_components(&self, id: NetId) -> u64 {
        let object = self.objects.get(id.0).filter(|object| object.owned);
        let prefab = object.and_then(|object| self.prefabs.get(object.prefab));
        prefab.map_or(0, |prefab| prefab.client_to_server)
    }

    /// Something of an object may have been written, by hooks or callbacks: what is to be sent is noted, and
    /// the rest is this client's own.
    pub(super) fn note_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        let written = self.written_components(id);
        for index in 0..slots.len() {
            let slot = slots.slot_mut(index);
            if let Some(slot) = slot.filter(|slot| slot.dirty_bits() != 0) {
                if has_bit(written, index) {
                    self.writing.insert(id);
                } else {
                    clean(slot);
                }
            }
        }
    }
}

/// Whether the component at a position is among those whose bits are set.
pub(super) fn has_bit(components: u64, index: usize) -> bool {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    components.checked_shr(index).unwrap_or(0) & 1 == 1
}

/// Nothing of a component is to be sent.
pub(super) fn clean(slot: &mut dyn Slot) {
    let last_send = slot.last_send();
    slot.mark_sent(last_send);
}

impl<B: NetworkBehaviour> Deref for MirrorReplicaMut<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> DerefMut for MirrorReplicaMut<'_, B> {
    fn deref_mut(&mut self) -> &mut B {
        self.behaviour
    }
}

impl<B: NetworkBehaviour> Drop for MirrorReplicaMut<'_, B> {
    fn drop(&mut self) {
        self.behaviour.notice_replacements();
        if self.writing.is_some() {
            // Those that have taken the place of others.
            self.behaviour.set_verbatim(true, 0);
        }
        if let Some(before) = self.before.take() {
            self.behaviour.withdraw_changes(before);
        }
        match &mut self.writing {
            None => self.behaviour.clear_all_dirty_bits(),
            Some(writing) if self.behaviour.sync_var_dirty_bits() != 0 => {
                writing.insert(self.net_id);
            }
            Some(_) => {}
        }
    }
}

impl<B: NetworkBehaviour + fmt::Debug> fmt::Debug for MirrorReplicaMut<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MirrorReplicaMut")
            .field("net_id", &self.net_id)
            .field("behaviour", &self.behaviour)
            .finish_non_exhaustive()
    }
}
