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
        self.edit::<S>(server, misfits, |_, shadow, component| {
            shadow.write(component, u64::MAX, entities);
        });
    }

    /// Gives each shadow its component.
    fn edit<S: ShadowOf<C>>(
        &mut self,
        server: &mut NetworkServer,
        misfits: &mut Vec<NetId>,
        mut change: impl FnMut(usize, &mut S, &mut C),
    ) {
        server.edit_all::<S>(self.ids, |position, shadow| {
            let Some(component) = self.components.get_mut(position) else {
                return;
            };
            match shadow {
                Ok(shadow) => change(position, shadow, component.bypass_change_detection()),
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
        let local = server.local_client();
        let seen = self.ids.iter().map(|id| {
            let is_seen = local.is_some_and(|local| local.get::<S>(*id).is_some());
            entities.entity(*id).filter(|_| is_seen)
        });
        let seen: Vec<Option<Entity>> = seen.collect();
        let mut told = Vec::new();
        self.edit::<S>(server, misfits, |position, shadow, component| {
            if let Some(Some(entity)) = seen.get(position) {
                let previous = shadow.change(component, entities);
                told.extend(previous.map(|previous| (*entity, previous)));
            } else {
                shadow.write(component, u64::MAX, entities);
            }
        });
        told
    }
}
