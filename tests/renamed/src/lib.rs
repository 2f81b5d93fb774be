//! The derives work where `syncvar` has another name: `crate = net` says which.
#![no_implicit_prelude]

use ::net::fields::ListChange;
use ::net::{SyncDictionary, SyncList, SyncVar};

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
    /// Who has switched it.
    #[sync_var(hook = on_name, batch_hook = on_names)]
    pub names: SyncList<u8>,
    /// How often each of them has.
    #[sync_var]
    pub times: SyncDictionary<u8, Look>,
    /// How often it was switched, as a client has seen it.
    pub switched: u32,
}

impl Lamp {
    fn on_lit(&mut self, _previous: bool) {
        self.switched += 1;
    }

    const fn on_name(&mut self, _change: &ListChange<u8>) {
        self.switched += 10;
    }

    const fn on_names(&mut self, _changes: &[ListChange<u8>]) {
        self.switched += 100;
    }
}

/// Calls that find their crate by `crate = net`.
#[::net::network_calls(crate = ::net)]
impl Lamp {
    /// Switches it.
    #[command(requires_ownership = false)]
    pub fn switch(&mut self, _context: &::net::CallContext<'_>, on: bool) {
        self.lit.set(on);
    }

    /// It has burst.
    #[sync_event]
    pub fn burst(brightness: u8);
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
    use ::net::Prefabs;
    use ::net::testing::MemoryNetwork;
    use ::std::{assert_eq, option::Option::Some, result::Result::Ok};

    use super::{Lamp, Look};

    #[::std::prelude::v1::test]
    fn a_renamed_crate_replicates() {
        let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Lamp>("lamp"));
        let client = net.connect();
        let id = net
            .server
            .spawn(<Lamp as ::std::default::Default>::default());
        net.settle();
        if let Ok(mut lamp) = net.server.get_mut::<Lamp>(id) {
            lamp.lit.set(true);
            lamp.look.brightness = 9;
            lamp.names.push(4);
            lamp.times.insert(4, Look { brightness: 9 });
        }
        net.settle();
        let lamp = net.client(client).get::<Lamp>(id);
        let seen = lamp.map(|lamp| (*lamp.lit, lamp.look.brightness, lamp.switched));
        assert_eq!(seen, Some((true, 9, 111)));
        let entry = lamp.map(|lamp| (lamp.names[0], lamp.times[&4].brightness));
        assert_eq!(entry, Some((4, 9)));
    }
}
