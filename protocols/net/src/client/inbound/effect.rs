//! `Effect`: what a message leads to beyond the parts that it was read into.

use super::calls::read_refusal;
use super::{Deltas, Inbound, OwnerState, Reading, ReceivedCall, ReceivedSnapshot};
use crate::client::ClientEvent;
use crate::client::objects::{ObjectChange, parent_from_wire};
use crate::client::state_message::StateMessage;
use crate::client::translation::{NO_PREFAB, translate_message};
use crate::message::{
    Alternates, Frame, LocalClientAuthority, Message, NotReady, ObjectDestroy, ObjectHide,
    ObjectSpawn, ObjectSpawnScene, Owner, SetParent, SpawnFinished, Void, unknown,
};
use crate::{Framing, MessageType};
use syncvar_runtime::unstable::packet::Entries;
use syncvar_runtime::unstable::translate::resolve::MessagePlan;
use syncvar_runtime::unstable::world::Departure;
use syncvar_runtime::{NetId, NetworkReader, ReadError, ReadErrorKind};

/// Work of a visited object, in bytes.
const WORK_PER_OBJECT: usize = 64;

/// What the conductor does after a message was read: it runs callbacks, or hands the message to a part above.
#[derive(Debug)]
pub(crate) enum Effect<'a> {
    Nothing,
    /// The waiting hooks run.
    Hooks,
    /// The hooks of an object run.
    OwnerState(OwnerState),
    Deltas(Deltas<'a>),
    Snapshot(ReceivedSnapshot<'a>),
    /// The prefab of an object is unknown to this build.
    Skipped(NetId),
    /// Snapshots of several objects: the payload of a `SpawnBatch`. With an error, the objects are made and their
    /// states are not read.
    Snapshots(&'a [u8], Option<ReadError>),
    Call(ReceivedCall<'a>),
    /// A change is reported.
    Changed(ObjectChange),
    Removed(NetId, Departure),
    /// An object became a player, and with `is_new_owner` an object of this client.
    Player {
        number: i16,
        object: NetId,
        is_new_owner: bool,
    },
    BurstEnded,
    /// A message for the clocks.
    Pong(&'a [u8]),
    /// A message for the inputs.
    InputState(&'a [u8]),
}

impl Inbound {
    /// Reads a message of an accepted connection, as far as no callback is due.
    pub(crate) fn read_state<'a>(
        &mut self,
        message: StateMessage<'a>,
        lent: &mut Reading<'_>,
    ) -> Result<Effect<'a>, ReadError> {
        let (channel, payload) = (message.channel, message.payload);
        let announced_parent = self.announced_parent.take();
        Ok(match message.message_type {
            MessageType::ObjectSpawn | MessageType::ObjectSpawnScene | MessageType::SpawnBatch => {
                read_spawn(message, announced_parent, lent)?
            }
            MessageType::UpdateVars => {
                let mut reader = NetworkReader::new(payload);
                let object = NetId(reader.read_packed_u32()?);
                let delta = reader.read_bytes(reader.remaining())?;
                self.read_delta(Framing::Unet, channel, object, delta, lent);
                Effect::Hooks
            }
            MessageType::UpdateBatch => Effect::Deltas(self.begin_deltas(channel, payload, lent)),
            MessageType::SetParent => self.read_parent(payload, lent)?,
            MessageType::Rpc | MessageType::SyncEvent | MessageType::Call => {
                let call = self.read_call(message, lent)?;
                call.map_or(Effect::Nothing, Effect::Call)
            }
            MessageType::ObjectDestroy | MessageType::ObjectHide => {
                self.read_removal(message, lent)?
            }
            MessageType::LocalClientAuthority | MessageType::Owner => {
                self.read_owner(message, lent)?
            }
            MessageType::Pong => Effect::Pong(payload),
            MessageType::Alternates => {
                lent.session.take_alternates(Alternates::decode(payload)?);
                Effect::Nothing
            }
            MessageType::InputState => Effect::InputState(payload),
            MessageType::CommandRefused => {
                read_refusal(payload, lent)?;
                Effect::Nothing
            }
            MessageType::Void => {
                let Void { net_id } = Void::decode(payload)?;
                self.early.drop_void(net_id, lent);
                Effect::Nothing
            }
            MessageType::OwnerState => {
                let state = self.read_owner_state(payload, lent)?;
                state.map_or(Effect::Nothing, Effect::OwnerState)
            }
            MessageType::SpawnFinished => self.read_spawn_finished(channel, payload, lent)?,
            MessageType::NotReady => {
                NotReady::decode(payload)?;
                self.early.drop_before_pause(channel, lent.context);
                tracing::debug!("the server has stopped the updates");
                lent.context.events.push(ClientEvent::NotReady);
                Effect::Nothing
            }
            _ => return Err(unknown(message.frame())),
        })
    }

    fn read_parent<'a>(
        &mut self,
        payload: &[u8],
        lent: &mut Reading<'_>,
    ) -> Result<Effect<'a>, ReadError> {
        let SetParent { child, parent } = SetParent::decode(payload)?;
        // The snapshot of the child may follow.
        self.announced_parent = Some((child, parent));
        let (world, parent) = (&mut lent.objects.world, parent_from_wire(parent));
        let is_moved = world.contains(child) && world.relations.set_parent(child, parent);
        Ok(if is_moved {
            Effect::Changed(ObjectChange::Parent(child))
        } else {
            Effect::Nothing
        })
    }

    fn read_removal<'a>(
        &mut self,
        message: StateMessage<'_>,
        lent: &mut Reading<'_>,
    ) -> Result<Effect<'a>, ReadError> {
        let (object, departure) = if message.message_type == MessageType::ObjectDestroy {
            let ObjectDestroy { net_id } = ObjectDestroy::decode(message.payload)?;
            (net_id, Departure::Destroyed)
        } else {
            let ObjectHide { net_id } = ObjectHide::decode(message.payload)?;
            (net_id, Departure::Hidden)
        };
        if self.early.end_skip(object) {
            return Ok(Effect::Nothing);
        }
        Ok(if self.early.defer(object, message, lent) {
            Effect::Nothing
        } else {
            Effect::Removed(object, departure)
        })
    }

    /// Takes or loses the ownership of an object.
    fn read_owner<'a>(
        &mut self,
        message: StateMessage<'_>,
        lent: &mut Reading<'_>,
    ) -> Result<Effect<'a>, ReadError> {
        if message.message_type == MessageType::LocalClientAuthority {
            let LocalClientAuthority { net_id, authority } =
                LocalClientAuthority::decode(message.payload)?;
            let is_deferred = self.early.defer(net_id, message, lent);
            return Ok(if !is_deferred && lent.set_owned(net_id, authority) {
                let (object, owned) = (net_id, authority);
                Effect::Changed(ObjectChange::Owner { object, owned })
            } else {
                Effect::Nothing
            });
        }
        let player = Owner::decode(message.payload)?;
        let object = player.net_id;
        if self.early.defer(object, message, lent) {
            return Ok(Effect::Nothing);
        }
        let exists = lent.objects.world.contains(object);
        let number = lent.session.take_player(&player, exists);
        Ok(number.map_or(Effect::Nothing, |number| Effect::Player {
            number,
            object,
            is_new_owner: lent.set_owned(object, true),
        }))
    }

    fn read_spawn_finished<'a>(
        &mut self,
        channel: u8,
        payload: &[u8],
        lent: &mut Reading<'_>,
    ) -> Result<Effect<'a>, ReadError> {
        match SpawnFinished::decode(payload)?.state {
            0 => {
                let objects = lent.objects.world.objects.len();
                self.charge(objects.saturating_mul(WORK_PER_OBJECT), payload)?;
                self.early.drop_before_burst(channel, lent.context);
                self.begin_burst(lent);
                Ok(Effect::Nothing)
            }
            1 => Ok(Effect::BurstEnded),
            // During a burst, its end reports the scene objects.
            2 if lent.session.is_joining() => Ok(Effect::Nothing),
            2 => Ok(Effect::Changed(ObjectChange::SceneObjects)),
            state => {
                let (what, value) = ("state of SpawnFinished", state.into());
                let kind = ReadErrorKind::InvalidValue { what, value };
                Err(NetworkReader::new(payload).error(kind))
            }
        }
    }

    /// Begins a burst. The server sends all objects and all ownership again.
    fn begin_burst(&mut self, lent: &mut Reading<'_>) {
        lent.session.burst.in_progress = true;
        if let (Some(arrivals), Some(tick)) = (&mut lent.arrivals, self.packet.tick) {
            arrivals.end_forged_ticks(tick);
        }
        self.early.end_skips();
        lent.objects.forget_missed();
        lent.objects.begin_burst();
    }

    /// Skips a message above the size limit and poisons its objects. Their ids are in the first bytes of its
    /// entries.
    #[cold]
    pub(crate) fn skip_oversized<'a>(
        &mut self,
        message: StateMessage<'a>,
        error: ReadError,
        lent: &mut Reading<'_>,
    ) -> Result<Effect<'a>, ReadError> {
        match message.message_type {
            MessageType::UpdateBatch => {
                for entry in Entries::new(message.payload) {
                    let (object, delta) = entry?;
                    self.skip_delta(object, delta, &error, lent);
                }
                Ok(Effect::Nothing)
            }
            MessageType::SpawnBatch => Ok(Effect::Snapshots(message.payload, Some(error))),
            _ => Err(error),
        }
    }

    /// Reports a message of the server's program.
    pub(crate) fn read_program_message(
        &mut self,
        frame: Frame<'_>,
        lent: &mut Reading<'_>,
    ) -> Result<(), ReadError> {
        let translation = lent.session.build.translation.clone();
        let plan = translation
            .as_ref()
            .map(|it| it.received_message(frame.message_type));
        let number = match plan {
            None => frame.message_type,
            Some(Some(MessagePlan { to: Some(to), .. })) => *to,
            // This build lacks the message.
            Some(Some(_)) => return Ok(()),
            Some(None) => return Err(unknown(frame)),
        };
        let messages = lent.objects.world.prefabs.messages();
        let kind = messages.by_number(number);
        let kind = kind.filter(|_| lent.session.is_connected());
        let kind = kind.ok_or_else(|| unknown(frame))?;
        let encoding = lent.session.server.framing.encoding();
        let mut reader =
            NetworkReader::with_encoding(frame.payload, encoding).with_budget(self.budget);
        let message = match plan.flatten() {
            None => kind.read(&mut reader),
            Some(plan) => {
                let translated = translate_message(plan, &mut reader)?;
                if !translated.fits {
                    let message = plan.name.clone();
                    lent.context
                        .events
                        .push(ClientEvent::UnfitMessage { message });
                    return Ok(());
                }
                let mut reader = NetworkReader::with_encoding(&translated.bytes, encoding)
                    .with_budget(reader.budget());
                kind.read(&mut reader)
            }
        };
        self.budget = reader.budget();
        lent.context.stats.program_received.add(frame.length());
        lent.context.events.push(ClientEvent::Message(message?));
        Ok(())
    }
}

/// Reads the snapshot of a message; the entries of a batch are read later.
fn read_spawn<'a>(
    message: StateMessage<'a>,
    announced_parent: Option<(NetId, NetId)>,
    lent: &Reading<'_>,
) -> Result<Effect<'a>, ReadError> {
    let payload = message.payload;
    Ok(match message.message_type {
        MessageType::ObjectSpawn => {
            let spawn = ObjectSpawn::decode(payload)?;
            let prefabs = &lent.objects.world.prefabs;
            let translation = lent.session.build.translation.as_deref();
            let snapshot =
                ReceivedSnapshot::from_spawn(&spawn, prefabs, translation, announced_parent);
            if snapshot.prefab == Some(NO_PREFAB) {
                return Ok(Effect::Skipped(snapshot.object));
            }
            Effect::Snapshot(snapshot)
        }
        MessageType::ObjectSpawnScene => {
            let spawn = ObjectSpawnScene::decode(payload)?;
            Effect::Snapshot(ReceivedSnapshot::from_scene_spawn(&spawn, announced_parent))
        }
        _ => Effect::Snapshots(payload, None),
    })
}
