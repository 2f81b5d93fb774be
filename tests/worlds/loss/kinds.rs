//! Objects of the schedules: five numbers, of which four travel in datagrams.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{ConnectionId, SpawnOptions};
use syncvar_testing::loss::FIELDS;

/// Id of the object that is always there, for the calls.
pub(super) const BELL: NetId = NetId(1_000);

/// A number that may be too long for a datagram.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(super) struct Value {
    number: u32,
    padding: Vec<u8>,
}

impl Value {
    pub(super) fn new(number: u32, is_large: bool) -> Self {
        let padding = vec![7; if is_large { 100 } else { 0 }];
        Self { number, padding }
    }
}

/// Receiver of the calls.
#[derive(NetworkBehaviour, Default)]
pub(super) struct Bell {
    rung: Vec<u32>,
}

#[network_calls]
impl Bell {
    #[target_rpc(channel = 1)]
    pub(super) fn ring(&mut self, value: u32) {
        self.rung.push(value);
    }
}

impl Bell {
    /// Returns the values of the calls, in the order of their run.
    pub(super) fn rung(&self) -> &[u32] {
        &self.rung
    }
}

/// Class of an object and its numbers.
type ClassAndNumbers = (u32, [u32; FIELDS]);

/// Access to the objects of one kind.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) spawn: fn(&mut NetworkServer, NetId, u32) -> bool,
    pub(super) write: fn(&mut NetworkServer, NetId, usize, Value),
    pub(super) write_owned: fn(&mut NetworkClient, NetId, Value),
    pub(super) on_server: fn(&NetworkServer, NetId) -> Option<[u32; FIELDS]>,
    /// Returns the fields that wait for a frame.
    pub(super) dirty: fn(&NetworkServer, NetId) -> [bool; FIELDS],
    pub(super) on_client: fn(&NetworkClient, NetId) -> Option<ClassAndNumbers>,
}

macro_rules! kind {
    ($module:ident, $interval:tt, $redundancy:tt) => {
        mod $module {
            use super::*;

            #[derive(NetworkBehaviour, Default)]
            #[network_behaviour(channel = unreliable, redundancy = $redundancy)]
            #[network_behaviour(send_interval = $interval)]
            struct State {
                #[sync_var]
                first: SyncVar<Value>,
                #[sync_var]
                second: SyncVar<Value>,
                #[sync_var(read = owner)]
                secret: SyncVar<Value>,
                #[sync_var(write = owner)]
                owned: SyncVar<Value>,
            }

            #[derive(NetworkBehaviour, Default)]
            #[network_behaviour(send_interval = $interval)]
            struct Order {
                #[sync_var]
                ordered: SyncVar<Value>,
                #[sync_var(initial_only)]
                class: SyncVar<u32>,
            }

            impl State {
                fn numbers(&self, order: &Order) -> [u32; FIELDS] {
                    let Self {
                        first,
                        second,
                        secret,
                        owned,
                    } = self;
                    [first, second, secret, owned, &order.ordered].map(|field| field.number)
                }
            }

            fn spawn(server: &mut NetworkServer, id: NetId, class: u32) -> bool {
                let value = || SyncVar::new(Value::new(class, false));
                let state = State {
                    first: value(),
                    second: value(),
                    secret: value(),
                    owned: value(),
                };
                let order = Order {
                    ordered: value(),
                    class: class.into(),
                };
                let options = SpawnOptions {
                    net_id: Some(id),
                    ..SpawnOptions::default()
                };
                server.try_spawn((state, order), options).is_ok()
            }

            fn write(server: &mut NetworkServer, id: NetId, field: usize, value: Value) {
                if field == 4 {
                    if let Ok(mut order) = server.get_mut::<Order>(id) {
                        order.ordered.set(value);
                    }
                } else if let Ok(mut state) = server.get_mut::<State>(id) {
                    let state = &mut *state;
                    match field {
                        0 => state.first.set(value),
                        1 => state.second.set(value),
                        _ => state.secret.set(value),
                    };
                }
            }

            fn write_owned(client: &mut NetworkClient, id: NetId, value: Value) {
                if let Ok(mut state) = client.get_mut::<State>(id) {
                    state.owned.set(value);
                }
            }

            fn on_server(server: &NetworkServer, id: NetId) -> Option<[u32; FIELDS]> {
                let state = server.get::<State>(id)?;
                Some(state.numbers(server.get::<Order>(id)?))
            }

            fn dirty(server: &NetworkServer, id: NetId) -> [bool; FIELDS] {
                let state = server.get::<State>(id).map(|it| it.sync_var_dirty_bits());
                let order = server.get::<Order>(id).map(|it| it.sync_var_dirty_bits());
                let bits = state.unwrap_or(0) & 0b1111 | (order.unwrap_or(0) & 1) << 4;
                std::array::from_fn(|field| bits >> field & 1 == 1)
            }

            fn on_client(client: &NetworkClient, id: NetId) -> Option<(u32, [u32; FIELDS])> {
                let order = client.get::<Order>(id)?;
                let numbers = client.get::<State>(id)?.numbers(order);
                Some((*order.class, numbers))
            }

            pub(super) fn register(prefabs: Prefabs) -> Prefabs {
                prefabs.register::<(State, Order)>(stringify!($module))
            }

            pub(super) const KIND: Kind = Kind {
                spawn,
                write,
                write_owned,
                on_server,
                dirty,
                on_client,
            };
        }
    };
}

kind!(quick, 0.0, 0);
kind!(slow, 0.000_25, 0);
kind!(quick_echo, 0.0, 1);
kind!(slow_echo, 0.000_25, 1);

pub(super) fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Bell>("bell");
    let prefabs = quick_echo::register(quick::register(prefabs));
    slow_echo::register(slow::register(prefabs))
}

/// Returns the kind of an object: odd numbers are written every third tick.
pub(super) fn kind(number: u32, has_echo: bool) -> Kind {
    match (number % 2 == 1, has_echo) {
        (false, false) => quick::KIND,
        (true, false) => slow::KIND,
        (false, true) => quick_echo::KIND,
        (true, true) => slow_echo::KIND,
    }
}

/// Calls a client by datagram.
pub(super) fn ring(server: &mut NetworkServer, connection: ConnectionId, value: u32) {
    // A client without the object cannot be called.
    let _ = server.calls::<Bell>(BELL).ring(connection, value);
}
