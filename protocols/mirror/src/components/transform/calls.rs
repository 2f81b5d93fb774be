//! Remote calls of transforms.

use std::marker::PhantomData;

use syncvar_runtime::RpcSender;
use syncvar_runtime::unstable::call::Class;
use syncvar_runtime::{
    CallContext, CallError, CallSchema, CommandSender, MemberSchema, NetworkCalls, NetworkReader,
    Quaternion, ReadError, SyncValue, Target, TypeSchema, Vector3,
};

use super::{NetworkTransform, TransformMethod};
use crate::MirrorServer;

const CMD_TELEPORT: u32 = 0;
const CMD_TELEPORT_AND_TURN: u32 = 1;
/// Number of `RpcResetState`.
pub(super) const RPC_RESET: u32 = 2;
const RPC_TELEPORT: u32 = 3;
const RPC_TELEPORT_AND_TURN: u32 = 4;
/// Number of `CmdClientToServerSync`.
pub(super) const CLIENT_TO_SERVER: u32 = 5;
/// Number of `RpcServerToClientSync`.
pub(super) const SERVER_TO_CLIENT: u32 = 6;

/// Name of the base in the names of UNet.
const CLASS: &str = "NetworkTransformBase";
const POSITION: MemberSchema = MemberSchema::new("position", <Vector3 as SyncValue>::SCHEMA);
const ROTATION: MemberSchema = MemberSchema::new("rotation", <Quaternion as SyncValue>::SCHEMA);
const DATA: MemberSchema = MemberSchema::new("data", TypeSchema::Named("SyncData"));
/// Commands per second and connection. Mirror sets no limit; an owner sends a command per object and interval.
const RATE: f64 = 20_000.0;

/// The calls of all transforms.
pub(super) const BASE: &[CallSchema] = &[
    TELEPORT[0],
    TELEPORT[1],
    TELEPORT[2],
    TELEPORT[3],
    TELEPORT[4],
];

/// The calls of a `NetworkTransformUnreliable`.
pub(super) const UNRELIABLE: &[CallSchema] = &[
    TELEPORT[0],
    TELEPORT[1],
    TELEPORT[2],
    TELEPORT[3],
    TELEPORT[4],
    CallSchema::command(CLASS, "client_to_server_sync", "CmdClientToServerSync")
        .with_mirror_name(
            "System.Void Mirror.NetworkTransformUnreliable::CmdClientToServerSync(Mirror.SyncData)",
        )
        .with_arguments(&[DATA])
        .at_most(RATE)
        .on_channel(1),
    CallSchema::client_rpc(CLASS, "server_to_client_sync", "RpcServerToClientSync")
        .with_mirror_name(
            "System.Void Mirror.NetworkTransformUnreliable::RpcServerToClientSync(Mirror.SyncData)",
        )
        .with_arguments(&[DATA])
        .on_channel(1),
];

const TELEPORT: [CallSchema; 5] = [
    CallSchema::command(CLASS, "teleport", "CmdTeleport")
        .with_mirror_name(
            "System.Void Mirror.NetworkTransformBase::CmdTeleport(UnityEngine.Vector3)",
        )
        .with_arguments(&[POSITION]),
    CallSchema::command(CLASS, "teleport_and_turn", "CmdTeleportAndTurn")
        .with_mirror_name(
            "System.Void Mirror.NetworkTransformBase::CmdTeleport(UnityEngine.Vector3,UnityEngine.Quaternion)",
        )
        .with_arguments(&[POSITION, ROTATION]),
    CallSchema::client_rpc(CLASS, "reset_state", "RpcResetState")
        .with_mirror_name("System.Void Mirror.NetworkTransformBase::RpcResetState()"),
    CallSchema::client_rpc(CLASS, "teleport", "RpcTeleport")
        .with_mirror_name(
            "System.Void Mirror.NetworkTransformBase::RpcTeleport(UnityEngine.Vector3)",
        )
        .with_arguments(&[POSITION])
        .to_everyone(),
    CallSchema::client_rpc(CLASS, "teleport_and_turn", "RpcTeleportAndTurn")
        .with_mirror_name(
            "System.Void Mirror.NetworkTransformBase::RpcTeleport(UnityEngine.Vector3,UnityEngine.Quaternion)",
        )
        .with_arguments(&[POSITION, ROTATION])
        .to_everyone(),
];

/// Commands of a transform, for its owner.
#[derive(Debug)]
pub struct TransformCommands<'call, M> {
    sender: CommandSender<'call>,
    method: PhantomData<M>,
}

/// Calls of a transform, for the server.
#[derive(Debug)]
pub struct TransformRpcs<'call, M> {
    sender: RpcSender<'call>,
    method: PhantomData<M>,
}

impl<M: TransformMethod> TransformCommands<'_, M> {
    /// Moves the object on the server and on all observers at once. Only for an owner that writes the
    /// transform.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; nothing is then.
    pub fn teleport(self, position: Vector3) -> Result<(), CallError> {
        let mut call = self.sender.begin(CMD_TELEPORT);
        call.writer().write(&position);
        call.send()
    }

    /// Moves and turns the object on the server and on all observers at once.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; nothing is then.
    pub fn teleport_and_turn(
        self,
        position: Vector3,
        rotation: Quaternion,
    ) -> Result<(), CallError> {
        let mut call = self.sender.begin(CMD_TELEPORT_AND_TURN);
        call.writer().write(&position);
        call.writer().write(&rotation);
        call.send()
    }
}

impl<M: TransformMethod> TransformRpcs<'_, M> {
    /// Sends the calls to receivers that are neither the observers nor the server.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.sender = self.sender.to(target);
        self
    }

    /// Moves the object here and on all observers at once.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; nothing is then.
    pub fn teleport(self, position: Vector3) -> Result<(), CallError> {
        let mut call = self.sender.begin(RPC_TELEPORT);
        while let Some(writer) = call.next_writer() {
            writer.write(&position);
        }
        call.send()
    }

    /// Moves and turns the object here and on all observers at once. Mirror, `ServerTeleport`.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; nothing is then.
    pub fn teleport_and_turn(
        self,
        position: Vector3,
        rotation: Quaternion,
    ) -> Result<(), CallError> {
        let mut call = self.sender.begin(RPC_TELEPORT_AND_TURN);
        while let Some(writer) = call.next_writer() {
            writer.write(&position);
            writer.write(&rotation);
        }
        call.send()
    }

    /// Lets all observers begin anew with their present values.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; nothing is then.
    pub fn reset_state(self) -> Result<(), CallError> {
        self.sender.begin(RPC_RESET).send()
    }
}

impl<M: TransformMethod> NetworkCalls for NetworkTransform<M> {
    const OWN_CALLS: &'static [CallSchema] = M::CALLS;

    type Commands<'call> = TransformCommands<'call, M>;
    type Rpcs<'call> = TransformRpcs<'call, M>;

    fn commands(sender: CommandSender<'_>) -> Self::Commands<'_> {
        TransformCommands {
            sender,
            method: PhantomData,
        }
    }

    fn rpcs(sender: RpcSender<'_>) -> Self::Rpcs<'_> {
        TransformRpcs {
            sender,
            method: PhantomData,
        }
    }

    fn handle_own_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        ctx: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        let is_turn = match call {
            CMD_TELEPORT | RPC_TELEPORT => false,
            CMD_TELEPORT_AND_TURN | RPC_TELEPORT_AND_TURN => true,
            RPC_RESET => {
                reader.finish()?;
                self.reset();
                return Ok(());
            }
            _ => return M::call(self, call, reader, ctx),
        };
        let position = Vector3::read(reader)?;
        let rotation = is_turn.then(|| Quaternion::read(reader)).transpose()?;
        reader.finish()?;
        if matches!(call, CMD_TELEPORT | CMD_TELEPORT_AND_TURN) {
            self.teleport_for_owner(position, rotation, ctx);
        } else {
            self.teleport(position, rotation);
        }
        Ok(())
    }
}

impl<M: TransformMethod> NetworkTransform<M> {
    /// Teleports on the server, and on all observers.
    fn teleport_for_owner(
        &mut self,
        position: Vector3,
        rotation: Option<Quaternion>,
        ctx: &mut CallContext<'_>,
    ) {
        let settings = ctx.sync_settings();
        if settings.is_none_or(|settings| !settings.owner_writes) {
            return;
        }
        self.teleport(position, rotation);
        let (id, class) = (ctx.net_id(), Class::of::<Self>(Some(ctx.behaviour_index())));
        let Some(server) = ctx.side::<MirrorServer>() else {
            return;
        };
        // This object has moved already.
        let rpcs = Self::rpcs(RpcSender::through(server, id, class)).to(Target::Observers);
        let sent = match rotation {
            None => rpcs.teleport(position),
            Some(rotation) => rpcs.teleport_and_turn(position, rotation),
        };
        if let Err(error) = sent {
            tracing::error!(object = %id, %error, "cannot teleport");
        }
    }
}
