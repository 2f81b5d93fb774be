//! Lifecycle callbacks for several objects at once.

use syncvar::NetworkBehaviour;
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{
    LifecycleCallback, LifecycleResult, NetId, NetworkContext, NetworkLifecycle, Prefabs,
};

use crate::MemoryNetwork;

#[test]
fn scene_and_parent_callbacks_run_on_both_ends() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(lifecycle)]
    struct Probe {
        told: Vec<String>,
    }

    impl NetworkLifecycle for Probe {
        fn on_in_scene_objects_spawned(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
            let others = (1..=3).filter(|id| ctx.identity(NetId(*id)).is_some());
            self.told.push(format!("in scene with {}", others.count()));
            Ok(())
        }
        fn on_parent_changed(
            &mut self,
            _ctx: &mut NetworkContext<'_>,
            parent: Option<NetId>,
        ) -> LifecycleResult {
            self.told.push(format!("parent {parent:?}"));
            Err("no".into())
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Probe>("probe"));
    let ids = [1, 2, 3].map(|_| net.server.spawn(Probe::default()));
    net.settle();
    let in_scene = [ids[0], ids[2], NetId(99)];
    let parent = LifecycleCallback::ParentChanged(Some(ids[0]));
    net.server
        .dispatch_to(&in_scene, LifecycleCallback::InSceneObjectsSpawned);
    net.server.dispatch_to(&ids[2..], parent);
    let client = net.client_mut(0);
    client.dispatch_to(&in_scene, LifecycleCallback::InSceneObjectsSpawned);
    client.dispatch_to(&ids[2..], parent);
    let expected = [
        &["in scene with 2"][..],
        &[],
        &["in scene with 2", "parent Some(NetId(1))"],
    ];
    for (id, expected) in ids.into_iter().zip(expected) {
        let probes = [net.server.get::<Probe>(id), net.client(0).get::<Probe>(id)];
        for probe in probes {
            assert_eq!(probe.unwrap().told, expected, "{id}");
        }
    }
    let failed = std::iter::from_fn(|| net.server.poll_event())
        .last()
        .unwrap();
    assert!(
        format!("{failed:?}").contains("ParentChanged"),
        "{failed:?}"
    );
}
