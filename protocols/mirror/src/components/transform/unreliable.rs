//! `NetworkTransformUnreliable`.

use syncvar_runtime::RpcSender;
use syncvar_runtime::behaviour::{Frame, MessageTime, SyncSettings};
use syncvar_runtime::unstable::call::Class;
use syncvar_runtime::{
    CallContext, CallSchema, Delivery, Encoding, NetworkReader, NetworkWriter, Quaternion,
    ReadError, ReadResult, SyncValue, Vector3,
};

use super::method::sealed::Method;
use super::pose::{Pose, Received};
use super::schedule::{intervals, seconds};
use super::sync_data::SyncData;
use super::{NetworkTransform, NetworkTransformUnreliable, calls};
use crate::MirrorServer;

/// Delivery of a [`NetworkTransformUnreliable`].
#[derive(Clone, Copy, Debug)]
pub struct Unreliable {
    /// Last sent values.
    last: Pose,
    /// A message without changes was sent since the last change.
    has_sent_rest: bool,
}

impl Default for Unreliable {
    fn default() -> Self {
        let zero = Vector3::default();
        Self {
            // Mirror begins with an empty `TransformSnapshot`.
            last: Pose {
                position: zero,
                rotation: Quaternion::new(0.0, 0.0, 0.0, 0.0),
                scale: zero,
            },
            has_sent_rest: false,
        }
    }
}

#[expect(private_interfaces, reason = "the trait is sealed")]
impl Method for Unreliable {
    const NAME: &'static str = "NetworkTransformUnreliable";
    const DELIVERY: Delivery = Delivery::Reliable;
    const CALLS: &'static [CallSchema] = calls::UNRELIABLE;

    fn reset(_: &mut NetworkTransform<Self>) {}

    fn send(transform: &mut NetworkTransform<Self>, frame: &mut Frame<'_>) {
        let (role, settings) = (frame.role(), frame.settings());
        let is_writer = if role.is_server {
            !settings.owner_writes
        } else {
            settings.owner_writes && role.is_owned && role.is_ready
        };
        if !role.is_server && !is_writer {
            return;
        }
        let count = intervals(&settings);
        transform.schedule.restart_after(count);
        let now = frame.time().now;
        transform.schedule.count(now, &settings, count);
        if !is_writer || !transform.schedule.is_due(count) {
            return;
        }
        let pose = transform.pose();
        let data = SyncData::between(&transform.method.last, &pose, &transform.settings);
        let is_rest = data.is_unchanged();
        let method = &mut transform.method;
        if is_rest && method.has_sent_rest && transform.settings.only_sync_on_change {
            return;
        }
        method.has_sent_rest = is_rest;
        if !is_rest {
            method.last = data.sent_after(&method.last);
        }
        let call = if role.is_server {
            calls::SERVER_TO_CLIENT
        } else {
            calls::CLIENT_TO_SERVER
        };
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        data.write(&mut writer);
        frame.call::<NetworkTransformUnreliable>(call, &writer);
    }

    fn write(
        transform: &mut NetworkTransform<Self>,
        writer: &mut NetworkWriter,
        initial_state: bool,
    ) -> bool {
        let settings = &transform.settings;
        if initial_state {
            if settings.sync_position {
                transform.position.write(writer);
            }
            if settings.sync_rotation {
                transform.rotation.write(writer);
            }
            if settings.sync_scale {
                transform.scale.write(writer);
            }
        }
        true
    }

    fn read(
        transform: &mut NetworkTransform<Self>,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<Received> {
        let settings = &transform.settings;
        let mut received = Received::default();
        if initial_state {
            if settings.sync_position {
                received.position = Some(Vector3::read(reader)?);
            }
            if settings.sync_rotation {
                received.rotation = Some(Quaternion::read(reader)?);
            }
            if settings.sync_scale {
                received.scale = Some(Vector3::read(reader)?);
            }
        }
        Ok(received)
    }

    fn receive(
        transform: &mut NetworkTransform<Self>,
        received: &Received,
        _: MessageTime,
        _: SyncSettings,
    ) {
        transform.position = received.position.unwrap_or(transform.position);
        transform.rotation = received.rotation.unwrap_or(transform.rotation);
        transform.scale = received.scale.unwrap_or(transform.scale);
    }

    fn call(
        transform: &mut NetworkTransform<Self>,
        call: u32,
        reader: &mut NetworkReader<'_>,
        ctx: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        let data = SyncData::read(reader)?;
        reader.finish()?;
        let Some(settings) = ctx.sync_settings() else {
            return Ok(());
        };
        match call {
            calls::CLIENT_TO_SERVER if settings.owner_writes => {
                transform.receive_data(&data, ctx, &settings);
                relay(&data, ctx);
            }
            calls::SERVER_TO_CLIENT if !ctx.is_owner() || !settings.owner_writes => {
                transform.receive_data(&data, ctx, &settings);
            }
            calls::CLIENT_TO_SERVER | calls::SERVER_TO_CLIENT => {}
            _ => return Err(reader.unknown_call(call)),
        }
        Ok(())
    }
}

impl NetworkTransformUnreliable {
    /// Adds the state of a message. Mirror, `OnServerToClientSync`.
    fn receive_data(&mut self, data: &SyncData, ctx: &CallContext<'_>, settings: &SyncSettings) {
        let Some(time) = ctx.message_time() else {
            return;
        };
        let interval = seconds(settings, intervals(settings));
        let rest = f64::from(self.settings.buffer_reset_multiplier) * interval;
        let newest = self.buffer.newest().map(|newest| newest.remote_time);
        if self.settings.only_sync_on_change
            && newest.is_some_and(|newest| newest + rest < time.remote)
        {
            self.buffer.clear();
        }
        let received = data.received_after(&self.newest());
        self.add(&received, time, settings);
    }
}

/// Sends the data of the owner on to all observers. As in Mirror, a rotation of 32 bits is compressed once
/// more.
fn relay(data: &SyncData, ctx: &mut CallContext<'_>) {
    let (id, index) = (ctx.net_id(), ctx.behaviour_index());
    let Some(server) = ctx.side::<MirrorServer>() else {
        return;
    };
    let class = Class::of::<NetworkTransformUnreliable>(Some(index));
    let mut call = RpcSender::through(server, id, class).begin(calls::SERVER_TO_CLIENT);
    if let Some(writer) = call.next_writer() {
        data.write(writer);
    }
    if let Err(error) = call.send() {
        tracing::error!(object = %id, %error, "cannot relay a transform");
    }
}
