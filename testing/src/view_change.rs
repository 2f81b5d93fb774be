//! `ViewChange`: what random worlds do to views, owners and clients.

use syncvar::Budget;
use syncvar::prelude::*;

/// Change of a view, an owner or a client in a random world. A number chooses among the objects or the clients.
#[derive(Clone, Debug)]
pub enum ViewChange {
    /// Shows an object to a client.
    Show(usize, usize),
    /// Hides an object from a client.
    Hide(usize, usize),
    /// Hides an object from all clients.
    HideFromAll(usize),
    /// Shows an object to all clients.
    ShowToAll(usize),
    /// Gives an object to a client.
    SetOwner(usize, usize),
    /// Sets the priority of an object.
    SetPriority(usize, f32),
    /// Limits a client to these bytes per update, or to none.
    SetBudget(usize, Option<usize>),
    /// Ends the link of a client.
    Leave(usize),
    /// Makes a client not ready.
    NotReady(usize),
    /// Makes a client ready.
    Ready(usize),
}

impl ViewChange {
    /// Changes a network with at least one client. An impossible change has no effect.
    pub fn apply(&self, net: &mut MemoryNetwork, objects: &[NetId]) {
        let of = |number| object_of(objects, number);
        let client_of = |net: &MemoryNetwork, number: usize| number % net.client_count();
        let connection_of = |net: &MemoryNetwork, number| net.connection(client_of(net, number));
        let changed = match *self {
            Self::Show(object, client) => {
                let connection = connection_of(net, client);
                net.server.show(of(object), connection)
            }
            Self::Hide(object, client) => {
                let connection = connection_of(net, client);
                net.server.hide(of(object), connection)
            }
            Self::HideFromAll(object) => net.server.hide_from_all(of(object)),
            Self::ShowToAll(object) => net.server.show_to_all(of(object)),
            Self::SetOwner(object, client) => {
                let owner = Some(connection_of(net, client));
                net.server.set_owner(of(object), owner)
            }
            Self::SetPriority(object, priority) => net.server.set_priority(of(object), priority),
            Self::SetBudget(client, bytes) => {
                let (connection, budget) = (connection_of(net, client), bytes.map(Budget::new));
                net.server.set_budget(connection, budget)
            }
            Self::Leave(client) => {
                net.cut(client_of(net, client));
                return;
            }
            Self::NotReady(client) => {
                let connection = connection_of(net, client);
                return net.server.set_not_ready(connection);
            }
            Self::Ready(client) => {
                let client = client_of(net, client);
                return net.client_mut(client).ready();
            }
        };
        // An object that is absent, or a client that has left.
        let _ = changed;
    }
}

/// Returns the object that a number chooses; an id without an object if there are none.
#[must_use]
pub fn object_of(objects: &[NetId], number: usize) -> NetId {
    let object = objects.get(number % objects.len().max(1));
    object.copied().unwrap_or(NetId(9999))
}
