//! End of the spawns of a scene.

use crate::MessageType;
use crate::message::{Message, SpawnFinished};
use crate::server::ground::Ground;
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::Audiences;

impl Visibility {
    /// Sends the end of the scene's spawns to all ready clients, if the scene became complete since the last update.
    pub(crate) fn send_scene_spawned(&mut self, ground: &mut Ground<'_>) {
        let is_complete = std::mem::take(&mut self.scene_loaded);
        let everyone = Audiences::EVERYONE;
        if !is_complete
            || !ground.context.config.compare_schemas
            || !self.audiences.get(everyone).has_observers()
        {
            return;
        }
        for segments in self.audiences.outputs(everyone).channel(0) {
            SpawnFinished { state: 2 }.encode(segments.begin());
            let length = segments.commit();
            ground
                .context
                .stats
                .count_encoded(MessageType::SpawnFinished, length);
        }
        self.deliver(ground);
    }
}
