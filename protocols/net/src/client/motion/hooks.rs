//! Hooks at the view time: `#[sync_var(on_view = ...)]`.

use std::collections::BTreeMap;

use syncvar_runtime::behaviour::{HookFailure, Panicked};
use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::object::HookContext;
use syncvar_runtime::{ChangedFields, NetId, NetworkContext};

use crate::client::ClientEvent;
use crate::client::objects::Objects;

/// Most samples that wait for the view; further samples are dropped.
const MAX_WAITING: usize = 65_536;

/// Samples that the view has not passed: tick, object and behaviour, with the fields.
#[derive(Debug, Default)]
pub(crate) struct WillShow(BTreeMap<(u32, NetId, usize), u64>);

impl WillShow {
    /// Adds samples of a behaviour in a tick.
    pub(crate) fn add(&mut self, tick: u32, object: NetId, behaviour: usize, fields: u64) {
        if self.0.len() < MAX_WAITING {
            *self.0.entry((tick, object, behaviour)).or_default() |= fields;
        } else {
            tracing::warn!(%object, "a client without updates misses hooks of its view");
        }
    }

    /// Takes the first samples up to a tick of the view.
    pub(super) fn take(&mut self, shown: f64) -> Option<((u32, NetId, usize), u64)> {
        let first = self.0.first_entry()?;
        (f64::from(first.key().0) <= shown).then(|| first.remove_entry())
    }
}

/// Hook of the samples of a behaviour in a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewHook {
    pub(crate) object: NetId,
    pub(crate) behaviour: usize,
    pub(crate) fields: u64,
    pub(crate) tick: u32,
}

/// Result of a hook of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookRun {
    Done,
    /// The hook may have written fields of the owner.
    HasWritten,
    /// The hook has not run: it needs the checked-out object.
    NeedsContext,
}

impl ViewHook {
    /// Runs a hook without a context.
    pub(crate) fn run(&self, objects: &mut Objects, events: &mut Events<ClientEvent>) -> HookRun {
        let slots = objects.world.slots_mut(self.object);
        let Some(slot) = slots.and_then(|slots| slots.slot_mut(self.behaviour)) else {
            return HookRun::Done;
        };
        if slot.info().hook_context == HookContext::Object {
            return HookRun::NeedsContext;
        }
        let result = NetworkContext::detached(|ctx| slot.show(self.fields, self.tick, ctx));
        let has_written = slot.dirty_bits() & slot.policy().owner_write != 0;
        let fields = ChangedFields::new(slot.info().class, self.fields);
        self.report(fields, result, events);
        if has_written {
            HookRun::HasWritten
        } else {
            HookRun::Done
        }
    }

    /// Reports the panic of a hook.
    pub(crate) fn report(
        &self,
        fields: ChangedFields,
        result: Result<(), Panicked>,
        events: &mut Events<ClientEvent>,
    ) {
        if let Err(Panicked(message)) = result {
            let failure = HookFailure::new(self.object, fields, message);
            events.push(ClientEvent::HookFailed(Box::new(failure)));
        }
    }
}
