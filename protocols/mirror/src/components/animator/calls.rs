//! Remote calls of an animator.

use syncvar_runtime::RpcSender;
use syncvar_runtime::unstable::call::Class;
use syncvar_runtime::{
    CallContext, CallSchema, CommandSender, Encoding, MemberSchema, NetworkCalls, NetworkReader,
    NetworkWriter, ReadError, SyncValue,
};

use super::layers::LayerChange;
use super::{AnimatorState, AnimatorTrigger, NetworkAnimator};
use crate::MirrorServer;

/// Numbers of the commands; the call of clients with the same arguments has the number plus
/// [`TO_CLIENTS`].
pub(super) const STATE: u32 = 0;
pub(super) const PARAMETERS: u32 = 1;
const TRIGGER: u32 = 2;
const RESET_TRIGGER: u32 = 3;
pub(super) const TO_CLIENTS: u32 = 4;
pub(super) const SPEED: u32 = 8;

const CLASS: &str = "NetworkAnimator";
/// Commands per second and connection. Mirror sets no limit.
const RATE: f64 = 20_000.0;

const HASH: MemberSchema = MemberSchema::new("hash", <i32 as SyncValue>::SCHEMA);
const BYTES: MemberSchema = MemberSchema::new("parameters", <Vec<u8> as SyncValue>::SCHEMA);
const FLOAT: MemberSchema = MemberSchema::new("value", <f32 as SyncValue>::SCHEMA);

const fn command(
    name: &'static str,
    unity: &'static str,
    full: &'static str,
    arguments: &'static [MemberSchema],
) -> CallSchema {
    CallSchema::command(CLASS, name, unity)
        .with_mirror_name(full)
        .with_arguments(arguments)
        .at_most(RATE)
}

const fn rpc(
    name: &'static str,
    unity: &'static str,
    full: &'static str,
    arguments: &'static [MemberSchema],
) -> CallSchema {
    CallSchema::client_rpc(CLASS, name, unity)
        .with_mirror_name(full)
        .with_arguments(arguments)
}

const CALLS: &[CallSchema] = &[
    command(
        "state_command",
        "CmdOnAnimationServerMessage",
        "System.Void Mirror.NetworkAnimator::CmdOnAnimationServerMessage(System.Int32,System.Single,System.Int32,System.Single,System.Byte[])",
        &[HASH, FLOAT, HASH, FLOAT, BYTES],
    ),
    command(
        "parameters_command",
        "CmdOnAnimationParametersServerMessage",
        "System.Void Mirror.NetworkAnimator::CmdOnAnimationParametersServerMessage(System.Byte[])",
        &[BYTES],
    ),
    command(
        "trigger_command",
        "CmdOnAnimationTriggerServerMessage",
        "System.Void Mirror.NetworkAnimator::CmdOnAnimationTriggerServerMessage(System.Int32)",
        &[HASH],
    ),
    command(
        "reset_trigger_command",
        "CmdOnAnimationResetTriggerServerMessage",
        "System.Void Mirror.NetworkAnimator::CmdOnAnimationResetTriggerServerMessage(System.Int32)",
        &[HASH],
    ),
    rpc(
        "state_rpc",
        "RpcOnAnimationClientMessage",
        "System.Void Mirror.NetworkAnimator::RpcOnAnimationClientMessage(System.Int32,System.Single,System.Int32,System.Single,System.Byte[])",
        &[HASH, FLOAT, HASH, FLOAT, BYTES],
    ),
    rpc(
        "parameters_rpc",
        "RpcOnAnimationParametersClientMessage",
        "System.Void Mirror.NetworkAnimator::RpcOnAnimationParametersClientMessage(System.Byte[])",
        &[BYTES],
    ),
    rpc(
        "trigger_rpc",
        "RpcOnAnimationTriggerClientMessage",
        "System.Void Mirror.NetworkAnimator::RpcOnAnimationTriggerClientMessage(System.Int32)",
        &[HASH],
    ),
    rpc(
        "reset_trigger_rpc",
        "RpcOnAnimationResetTriggerClientMessage",
        "System.Void Mirror.NetworkAnimator::RpcOnAnimationResetTriggerClientMessage(System.Int32)",
        &[HASH],
    ),
    command(
        "speed_command",
        "CmdSetAnimatorSpeed",
        "System.Void Mirror.NetworkAnimator::CmdSetAnimatorSpeed(System.Single)",
        &[FLOAT],
    ),
];

impl AnimatorTrigger {
    /// Returns the number of the command, and the arguments.
    pub(super) fn call(self) -> (u32, NetworkWriter) {
        let (number, hash) = match self {
            Self::Set(hash) => (TRIGGER, hash),
            Self::Reset(hash) => (RESET_TRIGGER, hash),
        };
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        writer.write(&hash);
        (number, writer)
    }
}

/// Writes a change of a layer, with parameters.
pub(super) fn write_state(change: &LayerChange, parameters: &NetworkWriter) -> NetworkWriter {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write(&change.state.hash);
    writer.write_f32(change.state.normalized_time);
    writer.write(&change.layer);
    writer.write_f32(change.weight);
    write_blob(&mut writer, parameters);
    writer
}

/// Writes parameters as an argument.
pub(super) fn write_blob(writer: &mut NetworkWriter, parameters: &NetworkWriter) {
    writer.write(&parameters.as_bytes().to_vec());
}

/// Arguments of a call.
enum Arguments {
    State(LayerChange, Vec<u8>),
    AnimatorParameters(Vec<u8>),
    Trigger(AnimatorTrigger),
}

impl Arguments {
    fn read(call: u32, reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let arguments = match call % TO_CLIENTS {
            STATE => {
                let hash = i32::read(reader)?;
                let normalized_time = reader.read_f32()?;
                let change = LayerChange {
                    state: AnimatorState {
                        hash,
                        normalized_time,
                    },
                    layer: i32::read(reader)?,
                    weight: reader.read_f32()?,
                };
                Self::State(change, Vec::read(reader)?)
            }
            PARAMETERS => Self::AnimatorParameters(Vec::read(reader)?),
            TRIGGER => Self::Trigger(AnimatorTrigger::Set(i32::read(reader)?)),
            _ => Self::Trigger(AnimatorTrigger::Reset(i32::read(reader)?)),
        };
        reader.finish()?;
        Ok(arguments)
    }
}

impl NetworkCalls for NetworkAnimator {
    const OWN_CALLS: &'static [CallSchema] = CALLS;

    // Each frame sends the calls.
    type Commands<'call> = ();
    type Rpcs<'call> = ();

    fn commands(_: CommandSender<'_>) {}

    fn rpcs(_: RpcSender<'_>) {}

    fn handle_own_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        ctx: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        if call == SPEED {
            self.speed = reader.read_f32()?;
            reader.finish()?;
            self.previous_speed = self.speed;
            self.animator_speed.set(self.speed);
            return Ok(());
        }
        if call > SPEED {
            return Err(reader.unknown_call(call));
        }
        let bytes = reader.rest();
        let arguments = Arguments::read(call, reader)?;
        let owner_writes = ctx.sync_settings().is_some_and(|it| it.owner_writes);
        if call < TO_CLIENTS {
            if owner_writes {
                self.apply(&arguments)?;
                relay(call + TO_CLIENTS, bytes, ctx);
            }
        } else if !(owner_writes && ctx.is_owner()) {
            self.apply(&arguments)?;
        }
        Ok(())
    }
}

impl NetworkAnimator {
    fn apply(&mut self, arguments: &Arguments) -> Result<(), ReadError> {
        let blob = match arguments {
            Arguments::Trigger(trigger) => {
                self.add_trigger(*trigger);
                return Ok(());
            }
            Arguments::State(change, blob) => {
                self.layers.apply(change, self.enabled);
                blob
            }
            Arguments::AnimatorParameters(blob) => blob,
        };
        let mut reader = NetworkReader::with_encoding(blob, Encoding::Mirror);
        self.parameters.read(&mut reader)
    }
}

/// Sends the arguments of an owner on to all observers.
fn relay(call: u32, bytes: &[u8], ctx: &mut CallContext<'_>) {
    let (id, class) = (
        ctx.net_id(),
        Class::of::<NetworkAnimator>(Some(ctx.behaviour_index())),
    );
    let Some(server) = ctx.side::<MirrorServer>() else {
        return;
    };
    let mut call = RpcSender::through(server, id, class).begin(call);
    if let Some(writer) = call.next_writer() {
        writer.write_bytes(bytes);
    }
    if let Err(error) = call.send() {
        tracing::error!(object = %id, %error, "cannot relay an animation");
    }
}
