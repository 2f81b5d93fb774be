//! End of the spawns of a scene.

use crate::MessageType;
use crate::message::{Message, SpawnFinished};
use crate::server::NetworkServer;
use crate::server::visibility::audience::Audiences;

impl NetworkServer {
    /// Sends the end of the scene's spawns to all ready clients.
    pub(crate) fn send_scene_spawned(&mut self) {
        if !self.context.config.compare_schemas
            || !self
                .visibility
                .audiences
                .get(Audiences::EVERYONE)
                .has_observers()
        {
            return;
        }
        for segments in self
            .visibility
            .audiences
            .outputs(Audiences::EVERYONE)
            .channel(0)
        {
            SpawnFinished { state: 2 }.encode(segments.begin());
            let length = segments.commit();
            self.context
                .stats
                .count_encoded(MessageType::SpawnFinished, length);
        }
        self.deliver();
    }
}
