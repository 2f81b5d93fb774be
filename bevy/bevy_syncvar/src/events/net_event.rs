//! `NetEvent`: events that travel.

use bevy_ecs::prelude::*;

use crate::NetValue;

/// An event that travels between the apps: `#[derive(Event, NetValue)]` or `#[derive(EntityEvent, NetValue)]`.
pub trait NetEvent: NetValue + Send + Sync + 'static + for<'a> Event<Trigger<'a>: Default> {}

impl<M> NetEvent for M where
    M: NetValue + Send + Sync + 'static + for<'a> Event<Trigger<'a>: Default>
{
}
