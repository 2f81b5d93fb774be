//! What a hook on the owner's client writes to a field that the owner writes.

use syncvar::prelude::*;

use crate::ownership::{DIALECTS, World};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Sentry {
    #[sync_var(hook = on_alarm)]
    alarm: SyncVar<bool>,
    #[sync_var(write = owner)]
    stance: SyncVar<u32>,
    looked_at: u32,
}

impl Sentry {
    fn on_alarm(&mut self, _previous: bool) {
        self.stance.set(7);
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Sentry>("sentry")
}

#[test]
fn hook_writes_for_the_owner_are_sent() {
    for (dialect, lent_before) in DIALECTS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
        let mut world = World::new(prefabs, dialect);
        let [owner, other] = [(); 2].map(|()| world.connect());
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
