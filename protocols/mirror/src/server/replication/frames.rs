//! Work of behaviours in each frame.

use syncvar_runtime::behaviour::{FrameRole, FrameTime};

use crate::frames::{FrameOfObject, run_object};
use crate::server::objects::Objects;
use crate::server::replication::Replication;
use crate::server::sessions::Sessions;

impl Replication {
    /// Runs the components of all objects that work in frames.
    pub(crate) fn run_objects(
        &mut self,
        objects: &mut Objects,
        sessions: &Sessions,
        time: FrameTime,
    ) {
        let send_interval = self.frames.send_interval();
        for id in &self.frames.objects {
            let Some(object) = objects.world.objects.get_mut(id.0) else {
                continue;
            };
            let (Some(entry), Some(slots)) = (
                objects.prefabs.get(object.prefab),
                objects.world.pools.slots_mut(object.at),
            ) else {
                continue;
            };
            let owner = object.owner.and_then(|owner| sessions.get(owner));
            let frame = FrameOfObject {
                id: *id,
                role: FrameRole {
                    is_server: true,
                    is_owned: object.owner.is_some(),
                    owner: object.owner,
                    is_ready: true,
                },
                time: FrameTime {
                    shown: owner.and_then(|owner| owner.times.shown()),
                    ..time
                },
                send_interval,
            };
            let is_dirty = run_object(&frame, entry, slots, &mut self.frames.requests);
            if is_dirty && !std::mem::replace(&mut object.queued, true) {
                self.dirty.push(*id);
            }
        }
    }
}
