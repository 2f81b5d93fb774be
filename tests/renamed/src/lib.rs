//! The derives work where `syncvar` has another name: `crate = net` says which.
#![no_implicit_prelude]

use ::net::SyncVar;

/// A behaviour that finds its crate by `crate = net`.
#[derive(::net::NetworkBehaviour, ::std::default::Default)]
#[network_behaviour(crate = ::net, send_interval = 0)]
pub struct Lamp {
    /// Whether it is lit.
    #[sync_var(hook = on_lit)]
    pub lit: SyncVar<bool>,
    /// What it looks like.
    #[sync_var]
    pub look: SyncVar<Look>,
    /// How often it was switched, as a client has seen it.
    pub switched: u32,
}

impl Lamp {
    fn on_lit(&mut self, _previous: bool) {
        self.switched += 1;
    }
}

/// A value that finds its crate by `crate = net`.
#[derive(::net::SyncValue, ::std::clone::Clone, ::std::default::Default)]
#[sync_value(crate = ::net)]
pub struct Look {
    /// How bright.
    pub brightness: u8,
}

#[cfg(test)]
mod tests {
    use ::net::{MemoryNetwork, Prefabs};
    use ::std::{assert_eq, option::Option::Some};

    use super::Lamp;

    #[::std::prelude::v1::test]
    fn a_renamed_crate_replicates() {
        let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Lamp>("lamp"));
        let client = net.connect();
        let id = net
            .server
            .spawn(<Lamp as ::std::default::Default>::default());
        net.settle();
        if let Some(mut lamp) = net.server.get_mut::<Lamp>(id) {
            lamp.lit.set(true);
            lamp.look.brightness = 9;
        }
        net.settle();
        let lamp = net.client(client).get::<Lamp>(id);
        let seen = lamp.map(|lamp| (*lamp.lit, lamp.look.brightness, lamp.switched));
        assert_eq!(seen, Some((true, 9, 1)));
    }
}
