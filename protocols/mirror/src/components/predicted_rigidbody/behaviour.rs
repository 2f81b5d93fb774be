//! A predicted body as a behaviour.

use syncvar_runtime::behaviour::{Frame, NetworkFrame};
use syncvar_runtime::unstable::relations::Place;
use syncvar_runtime::{
    BehaviourInfo, BehaviourSchema, FieldSchema, FieldVisitor, HasLifecycle, LifecycleResult,
    NetworkBehaviour, NetworkContext, NetworkLifecycle, NetworkReader, NetworkWriter, ReadResult,
    SyncValue, SyncVar,
};

use super::{PredictedRigidbody, PublishedPlace, ServerSide};
use crate::components::PredictedState;
use crate::components::math::is_finite;
use crate::{MirrorClient, MirrorServer};

/// Interval of states of a resting body, in seconds.
const IDLE_INTERVAL: f64 = 1.0;

impl NetworkBehaviour for PredictedRigidbody {
    type Previous = Option<PredictedState>;

    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "PredictedRigidbody",
        base: None,
        fields: &[FieldSchema::of::<SyncVar<PredictedState>>("state")],
    };

    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT
        .own_layout()
        .context_hooks(true)
        .frame::<Self>()
        .lifecycle::<Self>();

    fn sync_var_dirty_bits(&self) -> u64 {
        u64::from(self.state.is_dirty())
    }

    fn visit(&mut self, _: &mut Self::Previous, visitor: &mut impl FieldVisitor) {
        visitor.field(1, "PredictedRigidbody.state", &mut self.state);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let state = PredictedState {
            delta_time: self.server.delta,
            position: self.position,
            rotation: self.rotation,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
        };
        state.write(writer);
        if !initial_state {
            self.server.sent = Some(self.server.now);
        }
        true
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        _: bool,
    ) -> ReadResult<Self::Previous> {
        self.state.read_full(reader)?;
        Ok(Some(*self.state))
    }

    fn call_hooks(&mut self, state: Self::Previous, ctx: &mut NetworkContext<'_>) {
        self.begin(ctx);
        if let (Some(state), Some(time)) = (state, ctx.message_time())
            && !ctx.is_server()
        {
            self.receive(&state, time);
        }
    }
}

impl NetworkFrame for PredictedRigidbody {
    fn on_frame(&mut self, frame: &mut Frame<'_>) {
        let time = frame.time();
        if frame.role().is_server {
            self.server.now = time.now;
            self.server.delta = delta(time.delta);
            let is_due = { self.server.sent }.is_none_or(|sent| time.now >= sent + IDLE_INTERVAL);
            if is_due || !self.settings.reduce_sends_while_idle || self.is_moving() {
                self.state.set_dirty();
            }
        } else {
            self.record_motion(time.shown, time.predicted);
            self.follow(time.now, time.delta);
        }
        let pose = (self.position, self.rotation);
        if self.place.pose != Some(pose) && is_finite(self.position) {
            self.place.pose = Some(pose);
            let (position, rotation) = pose;
            frame.set_place(Place { position, rotation }, self.place.scale);
        }
    }
}

/// Returns seconds as Mirror's `float`.
#[expect(clippy::cast_possible_truncation, reason = "as in Mirror")]
fn delta(seconds: f64) -> f32 {
    seconds as f32
}

impl HasLifecycle for PredictedRigidbody {}

impl NetworkLifecycle for PredictedRigidbody {
    fn on_network_pre_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        self.begin(ctx);
        Ok(())
    }

    fn on_network_despawn(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        self.place = PublishedPlace::default();
        self.server = ServerSide::default();
        self.record.history.clear();
        Ok(())
    }
}

impl PredictedRigidbody {
    /// Takes the place of a new object: on a server only if the program has not placed the body.
    fn begin(&mut self, ctx: &mut NetworkContext<'_>) {
        if std::mem::replace(&mut self.place.has_begun, true) {
            return;
        }
        let (id, position, rotation) = (ctx.net_id(), ctx.position(), ctx.rotation());
        let origin = Self::default();
        if let Some(server) = ctx.side::<MirrorServer>() {
            self.place.scale = server.scale(id).unwrap_or(self.place.scale);
            if (self.position, self.rotation) == (origin.position, origin.rotation) {
                (self.position, self.rotation) = (position, rotation);
            } else {
                // The object exists.
                let _ = server.set_transform(id, self.position, self.rotation);
            }
        } else if let Some(client) = ctx.side::<MirrorClient>() {
            self.place.scale = client.scale(id).unwrap_or(self.place.scale);
            (self.position, self.rotation) = (position, rotation);
        }
    }
}
