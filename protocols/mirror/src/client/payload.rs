//! The payload of an object: a mask of its components, and then what each of them is or what has changed of
//! it, behind a byte that says how long it is. WIRE.md, section 4.

use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::object::{MirrorHooks, Slots};
use syncvar_runtime::{
    Behaviours, ChangedFields, Encoding, HookFailure, NetId, NetworkReader, ReadError,
    ReadErrorKind,
};

use super::guard::has_bit;
use super::object::Stage;
use super::{MirrorClient, MirrorClientEvent, PayloadMismatch};
use crate::MirrorError;

/// What a component has read.
#[derive(Debug)]
pub(super) struct Component {
    index: usize,
    hooks: MirrorHooks,
    /// The fields that have been received.
    fields: u64,
}

impl MirrorClient {
    /// Reads the state of an object that is known, or what has changed of it: all of it first, then the
    /// hooks run.
    ///
    /// # Errors
    ///
    /// When not even the components can be told from one another: a malformed message of this name.
    pub(super) fn read_payload(
        &mut self,
        id: NetId,
        (message, payload): (&'static str, &[u8]),
        initial_state: bool,
    ) -> Result<(), MirrorError> {
        let object = self.objects.get_mut(id.0);
        let Some(mut behaviours) = object.and_then(|object| object.behaviours.take()) else {
            return Ok(());
        };
        let result = self.read_components(id, &mut behaviours, payload, initial_state);
        self.note_writes(id, behaviours.slots_mut());
        if let Some(object) = self.objects.get_mut(id.0) {
            object.behaviours = Some(behaviours);
        }
        result.map_err(|error| MirrorError::Message { message, error })
    }

    fn read_components(
        &mut self,
        id: NetId,
        behaviours: &mut Behaviours,
        payload: &[u8],
        initial_state: bool,
    ) -> Result<(), ReadError> {
        let slots = behaviours.slots_mut();
        let mut reader = self.reader(payload);
        let mask = reader.read_var_u64()?;
        let (mut rest, mut result) = (reader.rest(), Ok(()));
        let mut read = std::mem::take(&mut self.read);
        for index in (0..slots.len()).filter(|index| has_bit(mask, *index)) {
            match self.read_component((id, index), slots, &mut rest, initial_state) {
                Ok(component) => read.push(component),
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        let is_known = self
            .objects
            .get(id.0)
            .is_some_and(|object| object.stage == Stage::Spawned);
        self.call_hooks(id, slots, &mut read, is_known);
        self.read = read;
        result
    }

    /// Reads one component, and goes on to where the next one begins.
    fn read_component(
        &mut self,
        (object, index): (NetId, usize),
        slots: &mut dyn Slots,
        rest: &mut &[u8],
        initial_state: bool,
    ) -> Result<Component, ReadError> {
        let Some((safety, body)) = rest.split_first() else {
            let (needed, left) = (1, 0);
            let kind = ReadErrorKind::UnexpectedEnd { needed, left };
            return Err(self.reader(rest).error(kind));
        };
        let mut reader = self.reader(body);
        let mut component = Component {
            index,
            hooks: MirrorHooks::default(),
            fields: 0,
        };
        let mut behaviour = None;
        let mut error = None;
        if let Some(slot) = slots.slot_mut(index) {
            let schema = &slot.info().schema;
            behaviour = Some(schema.name);
            match slot.read_mirror(&mut reader, initial_state) {
                Ok(hooks) => component.hooks = hooks,
                Err(failed) => error = Some(failed),
            }
            component.fields = if initial_state {
                schema.dirty_bits()
            } else {
                reader.take_seen_bits()
            };
        }
        let read = reader.position();
        let length = read & !0xff | usize::from(*safety);
        let next = body.get(length..);
        if error.is_some() || length != read || next.is_none() {
            self.report_mismatch(PayloadMismatch {
                object,
                component: index,
                behaviour,
                read,
                corrected: next.is_some().then_some(length),
                error,
            });
        }
        *rest = next.unwrap_or_default();
        Ok(component)
    }

    fn report_mismatch(&mut self, mismatch: PayloadMismatch) {
        self.stats.mismatches = self.stats.mismatches.wrapping_add(1);
        tracing::error!(
            ?mismatch,
            "a component has not read what was written for it"
        );
        self.events
            .push(MirrorClientEvent::Mismatch(Box::new(mismatch)));
    }

    /// Calls the hooks of an object, and tells the application what it has received, if it knows the object.
    fn call_hooks(
        &mut self,
        id: NetId,
        slots: &mut dyn Slots,
        read: &mut Vec<Component>,
        is_known: bool,
    ) {
        for Component {
            index,
            hooks,
            fields,
        } in read.drain(..)
        {
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            let fields = ChangedFields::new(&slot.info().schema, fields);
            if !hooks.is_empty() {
                slot.begin_change();
                let called = slot.call_mirror_hooks(hooks);
                // A hook may have put something into the place of a collection.
                slot.end_change();
                if let Err(Panicked(message)) = called {
                    let failure = HookFailure::new(id, fields, message);
                    self.events
                        .push(MirrorClientEvent::HookFailed(Box::new(failure)));
                }
            }
            if is_known && fields.dirty_bits() != 0 {
                self.events.push(MirrorClientEvent::Changed {
                    object: id,
                    component: index,
                    fields,
                });
            }
        }
    }

    /// A reader with the limits of this client.
    pub(super) fn reader<'a>(&self, bytes: &'a [u8]) -> NetworkReader<'a> {
        NetworkReader::with_encoding(bytes, Encoding::Mirror)
            .with_max_elements(self.config.max_elements)
    }
}
