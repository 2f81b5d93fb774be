//! Components on their way to the shadows.

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::prelude::*;
use syncvar::error::ObjectError;
use syncvar::{NetId, NetworkServer};

use crate::{Net, NetEntities, ShadowOf};

/// Components on their way to the shadows.
pub(super) struct Transfer<'a, 'w, C> {
    /// Objects of the components.
    ids: &'a mut Vec<NetId>,
    components: Vec<Mut<'w, C>>,
}

impl<'a, 'w, C> Transfer<'a, 'w, C> {
    /// `ids` is memory for the objects.
    pub(super) fn new(ids: &'a mut Vec<NetId>) -> Self {
        ids.clear();
        let components = Vec::with_capacity(ids.capacity());
        Self { ids, components }
    }

    pub(super) fn add(&mut self, from: impl IntoIterator<Item = (&'w Net, Mut<'w, C>)>) {
        for (net, component) in from {
            self.ids.push(net.id);
            self.components.push(component);
        }
    }

    pub(super) fn run<S: ShadowOf<C>>(
        &mut self,
        server: &mut NetworkServer,
        entities: &NetEntities,
        misfits: &mut Vec<NetId>,
    ) {
        server.edit_all::<S>(self.ids, |position, shadow| {
            let Some(component) = self.components.get_mut(position) else {
                return;
            };
            match shadow {
                Ok(shadow) => shadow.write(component.bypass_change_detection(), u64::MAX, entities),
                Err(ObjectError::NoSuchBehaviour { object, .. }) => misfits.push(object),
                // An object that could not be spawned has been reported.
                Err(_) => {}
            }
        });
    }

    /// Like [`run`](Self::run) on a host. Returns the changes of the entities that the local client sees.
    pub(super) fn run_told<S: ShadowOf<C>>(
        &mut self,
        server: &mut NetworkServer,
        entities: &NetEntities,
        misfits: &mut Vec<NetId>,
    ) -> Vec<(Entity, S::Before)> {
        let is_seen = |id: &NetId| {
            let local = server.local_client();
            local.is_some_and(|local| local.get::<S>(*id).is_some())
        };
        let mut before: Vec<(NetId, Option<C>)> = Vec::with_capacity(self.ids.len());
        let seen: Vec<bool> = self.ids.iter().map(is_seen).collect();
        for (id, is_seen) in self.ids.iter().zip(seen) {
            let shadow = server.get_mut::<S>(*id).ok().filter(|_| is_seen);
            let own = shadow.map(|mut shadow| shadow.create(entities));
            before.push((*id, own));
        }
        self.run::<S>(server, entities, misfits);
        let told = before.into_iter().filter_map(|(id, own)| {
            let mut shadow = server.get_mut::<S>(id).ok()?;
            let previous = shadow.read(&mut own?, u64::MAX, entities)?;
            Some((entities.entity(id)?, previous))
        });
        told.collect()
    }
}
