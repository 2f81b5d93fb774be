//! `Protocol` for the client: objects check out of their pools, so that a callback may use the whole
//! client.

use crate::client::objects::Replica;
use crate::client::writes::begin_callback;
use crate::client::{ClientEvent, NetworkClient};
use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::unstable::world::{CallbackReport, Departure, Protocol, World};

impl Protocol for NetworkClient {
    type Object = Replica;

    fn world(&self) -> &World<Replica> {
        &self.objects.world
    }

    fn world_mut(&mut self) -> &mut World<Replica> {
        &mut self.objects.world
    }

    fn begin_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        begin_callback(id, slots, &mut self.objects.world);
    }

    fn end_writes(&mut self, id: NetId, slots: &mut dyn Slots) {
        let may_write = self.is_owner(id) && self.session.may_write(&self.context.config);
        let events = &mut self.context.events;
        self.writes.end_callback(id, slots, may_write, events);
    }

    fn checked_in(&mut self, id: NetId, departure: Option<Departure>) {
        let events = &mut self.context.events;
        // The despawn callbacks of an object that leaves have run: it leaves every part.
        if let Some(departure) = departure
            && self.objects.remove(id, departure, events)
        {
            self.inbound.early.remember_gone(id);
            self.writes.permits.remove(id);
            self.writes.apart.remove(id);
            if let Some(lossy) = &mut self.outbound.lossy {
                lossy.forget(id);
            }
        }
    }

    fn report(&mut self, report: CallbackReport<'_>) {
        let events = &mut self.context.events;
        match report {
            CallbackReport::Called(called) => events.push(ClientEvent::Called(called)),
            CallbackReport::Failed(failure) => {
                events.push(ClientEvent::CallbackFailed(Box::new(failure)));
            }
            CallbackReport::HooksCalled {
                hooks,
                fields,
                result,
            } => self.objects.report_hooks(hooks, fields, result, events),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ClientConfig, NetworkClient};
    use syncvar::NetworkBehaviour;
    use syncvar_runtime::unstable::object::call;
    use syncvar_runtime::unstable::world::CheckOut;
    use syncvar_runtime::{NetId, NetworkSceneId, Prefabs};

    /// Behaviour with a local number and no field.
    #[derive(NetworkBehaviour, Default)]
    struct Lamp(u8);

    /// `ObjectSpawnScene` of object 1 with scene id 5.
    const SPAWN: [u8; 20] = [16, 0, 10, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    #[test]
    fn scene_object_removed_during_a_callback_becomes_dormant() {
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
            let ran = client.check_out(id, |slots, client| {
                let behaviour: &mut dyn std::any::Any = slots.slot_mut(0).unwrap().behaviour_mut();
                behaviour.downcast_mut::<Lamp>().unwrap().0 = number;
                let asked = call(slots, 0, id, client, |_, context| {
                    assert_eq!(context.scene_id(), Some(scene_id));
                    assert_eq!(context.parent(), Some(NetId(9)));
                });
                assert_eq!(asked, Some(Ok(())));
                client.handle_connect();
                assert!(client.dormant(scene_id).is_none(), "still checked out");
            });
            assert!(ran.is_some());
            let lamp: &Lamp = client.dormant(scene_id).unwrap().behaviour().unwrap();
            assert_eq!(lamp.0, number);
        }
    }
}
