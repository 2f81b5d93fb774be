//! Changed parents of objects.

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::ordered::IdPairs;

use crate::MessageType;
use crate::message::{Message, SetParent};
use crate::server::context::Context;
use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::visibility::Visibility;

impl Visibility {
    /// Queues the new parent of an object for the observers. Later snapshots contain the parent.
    pub(crate) fn queue_parent(&mut self, context: &Context, objects: &Objects, child: NetId) {
        let replicated = objects.world.objects.get(child.0);
        if context.config.compare_schemas
            && replicated.is_some_and(|replicated| replicated.is(State::Announced))
        {
            self.reparented.insert(child);
        }
    }
}

impl Visibility {
    /// Sends the changed parents. Objects with fewer ancestors come first, so that no client sees a
    /// cycle in between.
    pub(crate) fn send_parents(&mut self, ground: &mut Ground<'_>) {
        if self.reparented.is_empty() {
            return;
        }
        let reparented = std::mem::take(&mut self.reparented);
        let depths = ground.objects.world.relations.depths(reparented.iter());
        let mut by_depth = IdPairs::default();
        for (depth, child) in depths.into_iter().zip(reparented.iter()) {
            by_depth.insert(depth as u64, child);
        }
        let (mut last, mut is_mixed) = (None, false);
        for (depth, child) in by_depth.iter() {
            let Some(replicated) = ground.objects.world.objects.get(child.0) else {
                continue;
            };
            let audience = replicated.audience;
            let (above, former) = last.replace((depth, audience)).unwrap_or((depth, audience));
            is_mixed |= former != audience;
            // The outputs of different audiences are in no common order.
            if is_mixed && above != depth {
                self.deliver(ground);
                is_mixed = false;
            }
            self.send_parent(ground, child);
        }
        self.deliver(ground);
    }

    fn send_parent(&mut self, ground: &mut Ground<'_>, child: NetId) {
        let Some(replicated) = ground.objects.world.objects.get(child.0) else {
            return;
        };
        let audience = replicated.audience;
        if !replicated.is(State::Announced) || !self.audiences.get(audience).has_observers() {
            return;
        }
        let parent = ground.objects.world.relations.parent(child);
        let parent = parent.unwrap_or(NetId::NONE);
        for segments in self.audiences.outputs(audience).channel(0) {
            SetParent { child, parent }.encode(segments.begin());
            let length = segments.commit();
            ground
                .context
                .stats
                .count_encoded(MessageType::SetParent, length);
        }
    }
}
