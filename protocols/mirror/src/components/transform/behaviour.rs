//! A transform as a behaviour.

use syncvar_runtime::behaviour::{Frame, NetworkFrame};
use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::{
    BehaviourInfo, BehaviourSchema, Delivery, Encoding, FieldSchema, FieldVisitor, HasLifecycle,
    LifecycleResult, NetworkBehaviour, NetworkContext, NetworkLifecycle, NetworkReader,
    NetworkWriter, ReadResult,
};

use super::calls::RPC_RESET;
use super::pose::{Pose, Received, TransformMotion};
use super::{NetworkTransform, TransformMethod, TransformTarget};
use crate::components::math::is_finite;
use crate::{MirrorClient, MirrorServer};

/// Values of a message to a transform, between their read and their use.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceivedTransform(Option<Received>);

impl<M: TransformMethod> NetworkBehaviour for NetworkTransform<M> {
    type Previous = ReceivedTransform;

    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: M::NAME,
        base: None,
        fields: &[FieldSchema::of::<TransformMotion>("transform")],
    };

    const INFO: BehaviourInfo = {
        let info = BehaviourInfo::DEFAULT
            .own_layout()
            .context_hooks(true)
            .calls::<Self>()
            .frame::<Self>()
            .lifecycle::<Self>();
        match M::DELIVERY {
            Delivery::Reliable => info,
            Delivery::Hybrid => info.hybrid(),
        }
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        u64::from(self.motion.is_dirty)
    }

    fn visit(&mut self, _: &mut ReceivedTransform, visitor: &mut impl FieldVisitor) {
        visitor.field(1, M::NAME, &mut self.motion);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        M::write(self, writer, initial_state)
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<ReceivedTransform> {
        let received = M::read(self, reader, initial_state)?;
        Ok(ReceivedTransform(Some(received)))
    }

    fn call_hooks(&mut self, received: ReceivedTransform, ctx: &mut NetworkContext<'_>) {
        let Some(received) = received.0 else {
            return;
        };
        let base = self.motion.received;
        if self.begin(ctx) {
            // The message that spawns the object has set it.
            self.motion.received = base;
        }
        let (Some(time), Some(settings)) = (ctx.message_time(), ctx.sync_settings()) else {
            return;
        };
        let is_receiver = if ctx.is_server() {
            settings.owner_writes
        } else {
            !(settings.owner_writes && ctx.is_owner())
        };
        if is_receiver {
            M::receive(self, &received, time, settings);
        }
    }
}

impl<M: TransformMethod> NetworkFrame for NetworkTransform<M> {
    fn on_frame(&mut self, frame: &mut Frame<'_>) {
        let (role, time) = (frame.role(), frame.time());
        if role.is_server {
            self.follow_owner(frame);
        }
        self.interpolate(role, frame.settings().owner_writes, &time);
        M::send(self, frame);
        let pose = self.pose();
        if self.settings.target == TransformTarget::Object
            && self.published != Some(pose)
            && is_finite(pose.position)
        {
            self.published = Some(pose);
            let (position, rotation) = (pose.position, pose.rotation);
            frame.set_place(Place { position, rotation }, pose.scale);
        }
    }
}

impl<M: TransformMethod> HasLifecycle for NetworkTransform<M> {}

impl<M: TransformMethod> NetworkLifecycle for NetworkTransform<M> {
    fn on_network_pre_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.begin(ctx);
        Ok(())
    }

    fn on_network_despawn(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.has_begun = false;
        self.published = None;
        self.has_run = false;
        self.reset();
        Ok(())
    }
}

impl<M: TransformMethod> NetworkTransform<M> {
    /// Takes the place of a new object. Returns whether it is new.
    fn begin(&mut self, ctx: &mut NetworkContext<'_>) -> bool {
        if std::mem::replace(&mut self.has_begun, true) {
            return false;
        }
        if self.settings.target == TransformTarget::Object {
            self.take_place(ctx);
        }
        self.reset();
        true
    }

    /// Takes the place of the spawn; on a server only if the program has not placed the transform.
    fn take_place(&mut self, ctx: &mut NetworkContext<'_>) {
        let (id, position, rotation) = (ctx.net_id(), ctx.position(), ctx.rotation());
        if let Some(server) = ctx.side::<MirrorServer>() {
            if self.pose() == Pose::default() {
                self.set_pose(Pose {
                    position,
                    rotation,
                    scale: server.scale(id).unwrap_or(self.scale),
                });
            } else {
                // The object exists.
                let _ = server.set_transform(id, self.position, self.rotation);
                server.set_scale(id, self.scale);
            }
        } else if let Some(client) = ctx.side::<MirrorClient>() {
            self.set_pose(Pose {
                position,
                rotation,
                scale: client.scale(id).unwrap_or(self.scale),
            });
        }
    }

    /// Begins anew on the server and all observers after a change of the writing owner. Mirror,
    /// `OnClientAuthorityChanged`.
    fn follow_owner(&mut self, frame: &mut Frame<'_>) {
        let owner = frame.role().owner;
        let former = std::mem::replace(&mut self.owner, owner);
        let had_run = std::mem::replace(&mut self.has_run, true);
        if had_run && former != owner && frame.settings().owner_writes {
            self.reset();
            let arguments = NetworkWriter::with_encoding(Encoding::Mirror);
            frame.call::<Self>(RPC_RESET, &arguments);
        }
    }
}
