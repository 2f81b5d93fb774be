//! Hooks of fields that the owner writes, and writes of hooks to them.

use syncvar::prelude::*;

use crate::ownership::{DIALECTS, crowd};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Sentry {
    #[sync_var(hook = on_alarm)]
    alarm: SyncVar<bool>,
    #[sync_var(write = owner)]
    stance: SyncVar<u32>,
    #[sync_var(write = owner, server_override, hook = on_mode)]
    mode: SyncVar<u32>,
    #[sync_var(write = owner, server_override, hook = on_order)]
    orders: SyncList<u32>,
    looked_at: u32,
    modes: Vec<(u32, u32)>,
    order_changes: u32,
}

impl Sentry {
    fn on_alarm(&mut self, _previous: bool) {
        self.stance.set(7);
    }

    fn on_mode(&mut self, previous: u32) {
        self.modes.push((previous, *self.mode));
    }

    fn on_order(&mut self, _: &ListChange<u32>) {
        self.order_changes += 1;
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Sentry>("sentry")
}

#[test]
fn hook_writes_for_the_owner_are_sent() {
    for (dialect, lent_before) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
        let mut world = crowd(prefabs, dialect);
        let [owner, other] = [(); 2].map(|()| world.join());
        let id = world.owned(Sentry::default(), owner);
        world.step();
        if lent_before {
            let client = world.client(owner);
            client.get_mut::<Sentry>(id).unwrap().looked_at += 1;
        }
        world.server.get_mut::<Sentry>(id).unwrap().alarm.set(true);
        world.steps(3);
        assert_eq!(*world.server.get::<Sentry>(id).unwrap().stance, 7);
        for connection in [owner, other] {
            assert_eq!(*world.replica::<Sentry>(connection, id).stance, 7);
        }
        // The owner goes on from there.
        world
            .client(owner)
            .get_mut::<Sentry>(id)
            .unwrap()
            .stance
            .set(8);
        world.steps(3);
        assert_eq!(*world.server.get::<Sentry>(id).unwrap().stance, 8);
        assert_eq!(*world.replica::<Sentry>(other, id).stance, 8);
    }
}

#[test]
fn hook_of_a_field_with_a_pending_write_does_not_run() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let [owner, other] = [(); 2].map(|()| world.join());
        let id = world.owned(Sentry::default(), owner);
        world.step();
        // Both write at the same time: the owner keeps its own values.
        let mut sentry = world.client(owner).get_mut::<Sentry>(id).unwrap();
        sentry.mode.set(1);
        sentry.orders.push(1);
        drop(sentry);
        let mut sentry = world.server.get_mut::<Sentry>(id).unwrap();
        sentry.mode.set(2);
        sentry.orders.push(2);
        drop(sentry);
        world.down();
        let sentry = world.replica::<Sentry>(owner, id);
        assert_eq!((*sentry.mode, &sentry.orders[..]), (1, &[1][..]));
        assert_eq!((&sentry.modes[..], sentry.order_changes), (&[][..], 0));
        assert_eq!(world.replica::<Sentry>(other, id).modes, [(0, 2)]);
        world.steps(3);
        for connection in [owner, other] {
            assert_eq!(*world.replica::<Sentry>(connection, id).mode, 1);
        }
        assert!(world.replica::<Sentry>(owner, id).modes.is_empty());
        assert_eq!(world.replica::<Sentry>(other, id).modes, [(0, 2), (2, 1)]);
    }
}
