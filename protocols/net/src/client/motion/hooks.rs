//! Hooks at the view time: `#[sync_var(on_view = ...)]`.

use std::collections::BTreeMap;

use syncvar_runtime::behaviour::{HookFailure, Panicked};
use syncvar_runtime::object::{HookContext, call};
use syncvar_runtime::world::CheckOut;
use syncvar_runtime::{ChangedFields, NetId, NetworkContext};

use crate::client::{ClientEvent, NetworkClient};

/// Most samples that wait for the view; further ones are dropped.
const MAX_WAITING: usize = 65_536;

/// Samples that the view has not passed: tick, object and behaviour, with the fields.
#[derive(Debug, Default)]
pub(crate) struct WillShow(BTreeMap<(u32, NetId, usize), u64>);

impl WillShow {
    /// Adds samples of a behaviour in a tick.
    pub(crate) fn add(&mut self, place: (u32, NetId, usize), fields: u64) {
        if self.0.len() < MAX_WAITING {
            *self.0.entry(place).or_default() |= fields;
        } else {
            tracing::warn!(object = %place.1, "a client without updates misses hooks of its view");
        }
    }

    /// Takes the first samples up to a tick of the view.
    fn take(&mut self, shown: f64) -> Option<((u32, NetId, usize), u64)> {
        let first = self.0.first_entry()?;
        (f64::from(first.key().0) <= shown).then(|| first.remove_entry())
    }
}

impl NetworkClient {
    /// Runs the hooks of the samples that the view has passed, in the order of the ticks.
    pub(super) fn run_view_hooks(&mut self) {
        while let Some(motion) = self.arrivals.as_mut().map(|arrivals| &mut arrivals.motion)
            && let Some(shown) = motion.shown
            && let Some(((tick, object, behaviour), fields)) = motion.will_show.take(shown)
        {
            self.run_view_hook((object, behaviour), fields, tick);
        }
        if !self.writes.from_hooks.is_empty() {
            self.take_hook_writes();
        }
    }

    fn run_view_hook(&mut self, (object, behaviour): (NetId, usize), fields: u64, tick: u32) {
        let slots = self.objects.world.slots_mut(object);
        let Some(slot) = slots.and_then(|slots| slots.slot_mut(behaviour)) else {
            return;
        };
        if slot.info().hook_context == HookContext::Object {
            self.run_view_hook_with_context((object, behaviour), fields, tick);
            return;
        }
        let result = NetworkContext::detached(|ctx| slot.show(fields, tick, ctx));
        if slot.dirty_bits() & slot.info().policy.owner_write != 0 {
            self.writes.from_hooks.push(object);
        }
        let fields = ChangedFields::new(slot.info().class, fields);
        self.view_hook_called(object, fields, result);
    }

    /// Runs a hook on its object, which is checked out meanwhile.
    fn run_view_hook_with_context(
        &mut self,
        (object, behaviour): (NetId, usize),
        fields: u64,
        tick: u32,
    ) {
        self.check_out(object, |slots, client| {
            let called = call(slots, behaviour, object, client, |slot, mut ctx| {
                let result = slot.show(fields, tick, &mut ctx);
                (ChangedFields::new(slot.info().class, fields), result)
            });
            if let Some(Ok((fields, result))) = called {
                client.view_hook_called(object, fields, result);
            }
        });
    }

    fn view_hook_called(
        &mut self,
        object: NetId,
        fields: ChangedFields,
        result: Result<(), Panicked>,
    ) {
        if let Err(Panicked(message)) = result {
            let failure = HookFailure::new(object, fields, message);
            self.context
                .events
                .push(ClientEvent::HookFailed(Box::new(failure)));
        }
    }
}
