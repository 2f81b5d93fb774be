//! One component by itself, as the server and the client of Mirror's protocol hold it.

use std::any::Any;

use syncvar::{
    behaviour::{BehaviourList, BehaviourSet, Behaviours},
    wire::{Encoding, NetworkReader, NetworkWriter},
};
use syncvar_runtime::unstable::object::{ErasedHooks, Slot};

use super::subject::{Class, Subject};

/// A component that nothing else is around.
pub(crate) struct Component {
    class: &'static Class,
    behaviours: Behaviours,
}

impl Component {
    /// As the prefab makes it.
    pub(crate) fn new(class: &'static Class) -> Self {
        let list = (class.append)(BehaviourList::new());
        let behaviours = list.into_behaviours();
        Self { class, behaviours }
    }

    /// One of a spawned object that somebody observes, and that has nothing to send.
    pub(crate) fn observed(class: &'static Class) -> Self {
        let mut component = Self::new(class);
        component
            .slot_mut()
            .set_log(syncvar::fields::OperationLog::Full { pending: 0 });
        component.slot_mut().set_observed(true);
        component.clear();
        component
    }

    pub(crate) fn slot(&self) -> &dyn Slot {
        self.behaviours.slots().slot(0).expect("one component")
    }

    pub(crate) fn slot_mut(&mut self) -> &mut dyn Slot {
        let slots = self.behaviours.slots_mut();
        slots.slot_mut(0).expect("one component")
    }

    pub(crate) fn subject(&self) -> &dyn Subject {
        let behaviour: &dyn Any = self.slot().behaviour();
        (self.class.as_subject)(behaviour).expect("of its class")
    }

    pub(crate) fn subject_mut(&mut self) -> &mut dyn Subject {
        let class = self.class;
        let behaviour: &mut dyn Any = self.slot_mut().behaviour_mut();
        (class.as_subject_mut)(behaviour).expect("of its class")
    }

    /// `ClearAllDirtyBits`
    pub(crate) fn clear(&mut self) {
        self.slot_mut().mark_sent(0, None);
    }

    /// Mirror's two masks: of the variables and of the collections.
    pub(crate) fn masks(&self) -> (u64, u64) {
        let (slot, dirty_bits) = (self.slot(), self.slot().dirty_bits());
        let sections = &slot.info().packed;
        (
            sections.pack_values(dirty_bits),
            sections.pack_collections(dirty_bits),
        )
    }

    /// `OnSerialize`
    pub(crate) fn write(&mut self, initial: bool, everything_dirty: bool) -> Vec<u8> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        let slot = self.slot_mut();
        slot.write_layout(&mut writer, initial, everything_dirty);
        assert_eq!(writer.error(), None, "what was written");
        writer.as_bytes().to_vec()
    }

    /// `OnDeserialize`, of all these bytes. No hook is called.
    pub(crate) fn read(&mut self, bytes: &[u8], initial: bool) -> Result<(), String> {
        self.apply(bytes, initial).map(drop)
    }

    /// `OnDeserialize`, of all these bytes, and then the hooks.
    pub(crate) fn read_and_notify(&mut self, bytes: &[u8], initial: bool) -> Result<(), String> {
        let hooks = self.apply(bytes, initial)?;
        let called = self
            .slot_mut()
            .call_hooks(syncvar_runtime::unstable::object::Hooks::Changed(hooks));
        called.map_err(|panic| format!("a hook panicked: {panic:?}"))
    }

    fn apply(&mut self, bytes: &[u8], initial: bool) -> Result<ErasedHooks, String> {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
        let hooks = self.slot_mut().read_layout(&mut reader, initial);
        let hooks = hooks.map_err(|error| format!("what was recorded is not read: {error}"))?;
        reader
            .finish()
            .map_err(|error| format!("not all of what was recorded is read: {error}"))?;
        Ok(hooks)
    }
}
