//! Lending: the behaviours of an object outside of their pool, so that they can be called with the
//! whole client at hand.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{ClientEvent, NetworkClient};
use crate::LifecycleCallback;
use crate::NetId;
use crate::lend::{Lends, LentObjects};
use crate::object::Slots;
use crate::object::call_all;

impl Lends for NetworkClient {
    fn lent(&mut self) -> &mut LentObjects {
        &mut self.lent
    }

    // Lends the behaviours of an object to something that has the whole client at hand. The object is
    // there meanwhile, but not its behaviours. What comes up for it is done when they are given back.
    // Does nothing if there is no such object, or if it is lent already.
    fn lend<R>(
        &mut self,
        id: NetId,
        action: impl FnOnce(&mut dyn Slots, &mut Self) -> R,
    ) -> Option<R> {
        let at = self.objects.get(id.0)?.at;
        let mut slots = self.pools.take(at)?;
        self.lent.push(id);
        self.begin_writes(id, &mut *slots);
        // What is lent is given back, whatever happens.
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut *slots, self)));
        self.run_waiting(id, &mut *slots);
        self.end_writes(id, &mut *slots);
        self.pools.give_back(at, slots);
        if let Some(leaving) = self.lent.pop() {
            self.remove(id, leaving);
        }
        match result {
            Ok(result) => Some(result),
            Err(panicked) => resume_unwind(panicked),
        }
    }

    fn call_all(&mut self, object: NetId, slots: &mut dyn Slots, callback: LifecycleCallback) {
        let report = |client: &mut Self, failure| {
            let event = ClientEvent::CallbackFailed(Box::new(failure));
            client.events.push(event);
        };
        call_all(self, (|client| client, report), (object, slots), callback);
    }
}

#[cfg(test)]
mod tests {
    use crate::lend::Lends;
    use crate::object::call;
    use crate::schema::BehaviourSchema;
    use crate::{
        ClientConfig, NetId, NetworkBehaviour, NetworkClient, NetworkReader, NetworkSceneId,
        NetworkWriter, Prefabs, ReadError,
    };

    /// A behaviour with nothing but a number of its own.
    #[derive(Default)]
    struct Lamp(u8);

    impl NetworkBehaviour for Lamp {
        type Previous = ();
        const SCHEMA: BehaviourSchema = BehaviourSchema {
            name: "Lamp",
            base: None,
            fields: &[],
        };

        fn sync_var_dirty_bits(&self) -> u64 {
            0
        }
        fn set_dirty_bit(&mut self, _: u64) {}
        fn clear_all_dirty_bits(&mut self) {}
        fn on_serialize(&mut self, _: &mut NetworkWriter, _: bool) -> bool {
            false
        }
        fn on_deserialize(&mut self, _: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> {
            Ok(())
        }
    }

    /// `ObjectSpawnScene` of object 1 with scene id 5.
    const SPAWN: [u8; 20] = [16, 0, 10, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    #[test]
    fn a_scene_object_that_goes_while_it_is_lent_is_dormant_afterwards() {
        let config = ClientConfig {
            compare_schemas: false,
            ..ClientConfig::default()
        };
        let prefabs = Prefabs::new().register::<Lamp>("lamp");
        let mut client = NetworkClient::with_config(prefabs, config);
        let scene_id = NetworkSceneId(5);
        client.add_scene_object(scene_id, Lamp(7)).unwrap();
        client.handle_connect();
        for number in [8, 9] {
            let parent = [2, 0, 29, 0, 1, 9];
            client.handle_packet(0, &parent).unwrap();
            client.handle_packet(0, &SPAWN).unwrap();
            let id = client.scene_object(scene_id).unwrap();
            let lent = client.lend(id, |slots, client| {
                let behaviour: &mut dyn std::any::Any = slots.slot_mut(0).unwrap().behaviour_mut();
                behaviour.downcast_mut::<Lamp>().unwrap().0 = number;
                let asked = call(slots, 0, id, client, |_, context| {
                    assert_eq!(context.scene_id(), Some(scene_id));
                    assert_eq!(context.parent(), Some(NetId(9)));
                });
                assert_eq!(asked, Some(Ok(())));
                client.handle_connect();
                assert!(client.dormant(scene_id).is_none(), "it is still lent");
            });
            assert!(lent.is_some());
            let lamp: &Lamp = client.dormant(scene_id).unwrap().behaviour().unwrap();
            assert_eq!(lamp.0, number);
        }
    }
}
