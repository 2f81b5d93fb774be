//! What the struct says about all of its fields: `sync_mode` and `sync_direction`.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;

use crate::ownership::{DIALECTS, crowd, marker};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var]
    name: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_mode = owner, sync_direction = client_to_server)]
struct Rider {
    #[network_behaviour(base)]
    unit: Unit,
    #[sync_var]
    thoughts: SyncVar<String>,
    #[sync_var(server_override)]
    plans: SyncList<String>,
}

#[test]
fn sync_mode_and_direction_apply_to_fields_but_not_to_the_base() {
    for dialect in DIALECTS {
        let mut world = crowd(prefabs, dialect);
        let (owner, other) = (world.join(), world.join());
        let id = world.owned(Rider::default(), owner);
        world.steps(3);
        let mut replica = world.client(owner).get_mut::<Rider>(id).unwrap();
        replica.thoughts.set(marker(1));
        replica.unit.name.set(marker(2));
        replica.plans.push(marker(3));
        drop(replica);
        let mut rider = world.server.get_mut::<Rider>(id).unwrap();
        rider.unit.name.set(marker(4));
        rider.plans.push(marker(5));
        drop(rider);
        world.steps(3);
        let rider = world.server.get::<Rider>(id).unwrap();
        assert_eq!(*rider.thoughts, marker(1), "the owner writes it");
        assert_eq!(*rider.unit.name, marker(4), "the server does");
        assert!(rider.plans.contains(&marker(5)), "both do");
        assert!(world.was_sent(other, &marker(4)));
        for secret in [1, 3, 5] {
            assert!(!world.was_sent(other, &marker(secret)), "{secret}");
        }
        assert!(world.was_sent(owner, &marker(5)));
    }

    fn prefabs() -> Prefabs {
        Prefabs::new().register::<Rider>("rider")
    }
}

/// The usual settings can be said aloud.
#[test]
fn the_usual_sync_mode_and_sync_direction_are_no_rules() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(sync_mode = observers, sync_direction = server_to_client)]
    struct Aloud {
        #[sync_var(read = everyone)]
        name: SyncVar<String>,
    }
    let aloud = Aloud::SCHEMA.fields[0].to_string();
    assert_eq!(aloud, Unit::SCHEMA.fields[0].to_string());
    assert_ne!(aloud, Rider::SCHEMA.fields[0].to_string());
}
