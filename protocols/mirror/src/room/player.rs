//! `NetworkRoomPlayer`.

use syncvar_runtime::{
    BehaviourInfo, BehaviourSchema, CallContext, CallError, CallSchema, CommandSender, FieldSchema,
    FieldVisitor, MemberSchema, NetworkBehaviour, NetworkCalls, NetworkReader, ReadError,
    RpcSender, SyncValue, SyncVar,
};

/// Number of `CmdChangeReadyState`.
const CHANGE_READY_STATE: u32 = 0;

/// Player in a room, equal to Mirror's component bit for bit. A class of the game has it as its base:
/// a field with `#[network_behaviour(base)]`, and `AsRef` and `AsMut` for it.
///
/// The server writes both fields. A client asks for a change of its own state:
/// `client.calls::<NetworkRoomPlayer>(id).change_ready_state(true)`.
#[derive(Debug, Default)]
pub struct NetworkRoomPlayer {
    /// Whether the player is ready for the game.
    pub ready_to_begin: SyncVar<bool>,
    /// Place among the players of the room, from 0.
    pub index: SyncVar<i32>,
}

impl NetworkBehaviour for NetworkRoomPlayer {
    type Previous = ();

    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "NetworkRoomPlayer",
        base: None,
        fields: &[
            FieldSchema::of::<SyncVar<bool>>("readyToBegin"),
            FieldSchema::of::<SyncVar<i32>>("index"),
        ],
    };

    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.calls::<Self>();

    fn sync_var_dirty_bits(&self) -> u64 {
        u64::from(self.ready_to_begin.is_dirty()) | u64::from(self.index.is_dirty()) << 1
    }

    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(
            1,
            "NetworkRoomPlayer.readyToBegin",
            &mut self.ready_to_begin,
        );
        visitor.field(2, "NetworkRoomPlayer.index", &mut self.index);
    }
}

impl AsRef<Self> for NetworkRoomPlayer {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AsMut<Self> for NetworkRoomPlayer {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

/// Commands of a room player, for its owner.
#[derive(Debug)]
pub struct RoomPlayerCommands<'call> {
    sender: CommandSender<'call>,
}

impl RoomPlayerCommands<'_> {
    /// Declares the player ready for the game, or not. Mirror, `CmdChangeReadyState`.
    ///
    /// # Errors
    ///
    /// When it cannot be sent; nothing is then.
    pub fn change_ready_state(self, is_ready: bool) -> Result<(), CallError> {
        let mut call = self.sender.begin(CHANGE_READY_STATE);
        call.writer().write(&is_ready);
        call.send()
    }
}

impl NetworkCalls for NetworkRoomPlayer {
    const OWN_CALLS: &'static [CallSchema] = &[CallSchema::command(
        "NetworkRoomPlayer",
        "change_ready_state",
        "CmdChangeReadyState",
    )
    .with_mirror_name("System.Void Mirror.NetworkRoomPlayer::CmdChangeReadyState(System.Boolean)")
    .with_arguments(&[MemberSchema::new("readyState", <bool as SyncValue>::SCHEMA)])];

    type Commands<'call> = RoomPlayerCommands<'call>;
    type Rpcs<'call> = ();

    fn commands(sender: CommandSender<'_>) -> Self::Commands<'_> {
        RoomPlayerCommands { sender }
    }

    fn rpcs(_: RpcSender<'_>) {}

    fn handle_own_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        _: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        if call != CHANGE_READY_STATE {
            return Err(reader.unknown_call(call));
        }
        let is_ready = bool::read(reader)?;
        reader.finish()?;
        self.ready_to_begin.set(is_ready);
        Ok(())
    }
}
