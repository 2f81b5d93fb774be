//! Spawn of objects.

use syncvar_runtime::Behaviours;
use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::{AudienceId, ConnectionId, NetId, NetworkSceneId, Quaternion, Vector3};

use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::objects::replicated::{Replicated, State};

/// Options of a spawn.
///
/// ```
/// use syncvar::{NetId, SpawnOptions, values::Vector3};
///
/// let options = SpawnOptions {
///     position: Vector3::new(0.0, 1.0, 0.0),
///     hidden: true,
///     ..SpawnOptions::default()
/// };
/// # assert_eq!(options.net_id, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SpawnOptions {
    /// Name of the prefab, if several have the same behaviours. By default, the first prefab
    /// registered with behaviours of these types.
    pub prefab: Option<String>,
    /// A particular id. By default, the next unused one. Later ids follow the highest chosen id,
    /// unless it was more than 2^24 ahead: distant ids are a separate range of the game.
    pub net_id: Option<NetId>,
    /// Position of the object.
    pub position: Vector3,
    /// Rotation of the object; none by default.
    pub rotation: Option<Quaternion>,
    /// Owner of the object.
    pub owner: Option<ConnectionId>,
    /// Hides the object from all connections until it is shown.
    pub hidden: bool,
    /// Scene id, not 0, for an object that exists on the clients already
    /// ([`NetworkClient::add_scene_object`](crate::NetworkClient::add_scene_object)). They receive
    /// only its state.
    pub scene_id: Option<NetworkSceneId>,
}

/// Object to insert, with its prefab and first observers.
#[derive(Debug)]
pub(crate) struct NewObject {
    pub(crate) prefab: u32,
    pub(crate) behaviours: Behaviours,
    pub(crate) audience: AudienceId,
    /// Whether the interest management chooses the observers.
    pub(crate) by_interest: bool,
    pub(crate) scene_id: Option<NetworkSceneId>,
    pub(crate) place: Place,
}

impl Objects {
    /// Inserts an object under an id that is not in use.
    pub(crate) fn insert(&mut self, context: &mut Context, id: NetId, new: NewObject) {
        report_unknown_channels(context, id, &new.behaviours);
        let (permit, scene_id) = (self.last_permit, new.scene_id);
        self.world.insert(id, new.prefab, new.behaviours, |at| {
            let mut replicated = Replicated::new(at, new.audience, permit);
            replicated.set(State::ByInterest, new.by_interest);
            replicated.set(State::Related, scene_id.is_some());
            replicated
        });
        self.world.set_place(id, new.place);
        self.schedule.queue_new(id);
        self.note_spawned(id);
        if let Some(scene_id) = scene_id {
            self.world.relations.set_scene_id(id, scene_id);
        }
    }
}

/// Reports behaviours on channels that the server does not have.
fn report_unknown_channels(context: &mut Context, object: NetId, behaviours: &Behaviours) {
    for slot in behaviours.slots().iter() {
        let (behaviour, channel) = (slot.info().schema.name, slot.info().channel);
        if usize::from(channel) >= context.config.channels.len() {
            tracing::warn!(%object, behaviour, channel, "the server has no such channel");
            context.events.push(ServerEvent::UnknownChannel {
                object,
                behaviour,
                channel,
            });
        }
    }
}
