//! Hooks that panic: reported, and nothing else.

use syncvar::prelude::*;

// Lesson 4.
#[test]
fn panicking_hook_is_reported_with_its_fields_and_contained() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Touchy {
        #[sync_var(hook = on_value)]
        value: SyncVar<i32>,
        #[sync_var]
        other: SyncVar<i32>,
    }

    impl Touchy {
        fn on_value(&mut self, previous: i32) {
            assert!(previous == *self.value, "was {previous}");
        }
    }

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Calm {
        #[sync_var(hook = on_value)]
        value: SyncVar<i32>,
        calls: u32,
    }

    impl Calm {
        fn on_value(&mut self, _previous: i32) {
            self.calls += 1;
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<(Touchy, Calm)>("both"));
    let ids = [1, 2].map(|_| net.server.spawn((Touchy::default(), Calm::default())));
    net.settle();
    while net.client_mut(0).poll_event().is_some() {}
    for id in ids {
        net.server.get_mut::<Touchy>(id).unwrap().value.set(1);
        net.server.get_mut::<Touchy>(id).unwrap().other.set(2);
        net.server.get_mut::<Calm>(id).unwrap().value.set(3);
    }
    net.settle();
    let told: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
    assert_eq!(told.len(), 6, "three for each object: {told:?}");
    for (id, told) in ids.into_iter().zip(told.chunks(3)) {
        let ClientEvent::HookFailed(failure) = &told[0] else {
            panic!("{told:?}");
        };
        assert_eq!((failure.object, &*failure.message), (id, "was 0"));
        assert_eq!(failure.fields.behaviour(), "Touchy");
        assert!(failure.fields.dirty_bits() & Touchy::VALUE != 0);
        let both_changed = told[1..]
            .iter()
            .all(|event| matches!(event, ClientEvent::Changed { .. }));
        assert!(both_changed, "{told:?}");
        let touchy = net.client(0).get::<Touchy>(id).unwrap();
        assert_eq!(
            (*touchy.value, *touchy.other),
            (1, 2),
            "every field was read"
        );
        assert_eq!(
            net.client(0).get::<Calm>(id).unwrap().calls,
            1,
            "its neighbour's hook ran"
        );
    }
}
