//! `MessageType`: numbers of the messages on the wire.

/// Defines the enum, the list of all types and the lookups by number and position.
macro_rules! message_types {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// Number of a message on the wire.
        ///
        /// ```
        /// # use syncvar::stats::MessageType;
        /// assert_eq!(MessageType::UpdateVars.number(), 8);
        /// assert_eq!(MessageType::from_number(8), Some(MessageType::UpdateVars));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum MessageType {
            $($(#[$doc])* $name = $number,)*
        }

        /// Positions of the types in [`MessageType::ALL`].
        enum Position {
            $($name,)*
        }

        const COUNT: usize = [$(MessageType::$name),*].len();

        impl MessageType {
            /// All message types, ordered by number.
            pub const ALL: [Self; COUNT] = [$(Self::$name),*];

            /// Returns the message type with a number.
            pub const fn from_number(number: i16) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// Returns the position in [`ALL`](Self::ALL).
            #[inline]
            pub(crate) const fn index(self) -> usize {
                match self {
                    $(Self::$name => Position::$name as usize,)*
                }
            }
        }
    };
}

message_types! {
    /// Server to client: an object is destroyed.
    ObjectDestroy = 1,
    /// Server to client: a remote call in UNet's format.
    Rpc = 2,
    /// Server to client: the snapshot of an object.
    ObjectSpawn = 3,
    /// Server to client: an object is the player of this client with a number.
    Owner = 4,
    /// Client to server: a remote call in UNet's format.
    Command = 5,
    /// Server to client: an event of an object in UNet's format.
    SyncEvent = 7,
    /// Server to client: the delta of an object.
    UpdateVars = 8,
    /// Server to client: the snapshot of a scene object, which both sides make on their own.
    ObjectSpawnScene = 10,
    /// Server to client: 0 at the begin and 1 at the end of a burst of objects. The value 2, an
    /// extension, declares the server's scene complete.
    SpawnFinished = 12,
    /// Server to client: an object is hidden from this client.
    ObjectHide = 13,
    /// Server to client: whether this client owns an object.
    LocalClientAuthority = 15,
    /// Client to server, before `Connect`: the return to a session, and the payload of the program. Server
    /// to client, before `Connect`: the session. Extension.
    Session = 19,
    /// Client to server: a request for a snapshot. Extension.
    Resync = 20,
    /// Server to client, before the answer to `Connect`: a part of the text of the schema. Extension.
    Schema = 21,
    /// Server to client: the deltas of several objects. Extension.
    UpdateBatch = 22,
    /// Server to client: the snapshots of several objects. Extension.
    SpawnBatch = 23,
    /// Server to client: the head of a message with more than [`MAX_BYTES`](syncvar_runtime::MAX_BYTES).
    /// Statistics count the inner message instead. Extension.
    Long = 24,
    /// Either way: a remote call or an event of an object. Extension.
    Call = 25,
    /// Client to server: the owner's writes to an object. Extension.
    OwnerWrite = 26,
    /// Client to server: a request for the server's time. Extension.
    Ping = 27,
    /// Server to client: the answer to a ping. Extension.
    Pong = 28,
    /// Server to client: the new parent of an object. Extension.
    SetParent = 29,
    /// Server to client: the fields of an object that only its owner may read, for a new owner.
    /// Extension.
    OwnerState = 30,
    /// Server to client: earlier messages for an object that this client cannot see are void. Extension.
    Void = 31,
    /// Client to server: a request for a session. Server to client: its acceptance. Extension.
    Connect = 32,
    /// Either way: the end of the connection and its reason. Extension.
    Disconnect = 33,
    /// Client to server: a request for the objects.
    Ready = 35,
    /// Server to client: no more objects until the client is ready again.
    NotReady = 36,
    /// Client to server: a request for a player.
    AddPlayer = 37,
    /// Client to server: a player is given back.
    RemovePlayer = 38,
    /// Client to server: the inputs of the last ticks. Extension.
    Inputs = 39,
    /// Server to client: the least lead of the inputs over their use. Extension.
    InputState = 40,
    /// Client to server, before a command or a message of the program: the view that it refers to. Extension.
    View = 41,
    /// Client to server: the time of an answer to a ping, as soon as it has arrived. Extension.
    Echo = 42,
    /// Server to client: commands of the client that the server has not run. Extension.
    CommandRefused = 43,
    /// Server to client: addresses of further servers of the same world. Extension.
    Alternates = 44,
}

impl MessageType {
    /// Returns the number on the wire.
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// Returns whether messages of this type have the same bytes for each connection of one framing that
    /// receives them. Others are written for one connection. [Tick records](crate::TickRecord) contain
    /// shared messages only.
    ///
    /// `SpawnFinished` is shared with the state 2, and calls are without a target of chosen connections.
    ///
    /// ```
    /// # use syncvar::stats::MessageType;
    /// assert!(MessageType::UpdateBatch.is_shared());
    /// assert!(!MessageType::OwnerState.is_shared());
    /// ```
    pub const fn is_shared(self) -> bool {
        matches!(
            self,
            Self::ObjectDestroy
                | Self::Rpc
                | Self::ObjectSpawn
                | Self::SyncEvent
                | Self::UpdateVars
                | Self::ObjectSpawnScene
                | Self::SpawnFinished
                | Self::ObjectHide
                | Self::UpdateBatch
                | Self::SpawnBatch
                | Self::Long
                | Self::Call
                | Self::SetParent
        )
    }
}

#[cfg(test)]
mod tests {
    use super::MessageType;

    #[test]
    fn list_is_ordered_and_numbers_are_unique() {
        for (index, message_type) in MessageType::ALL.into_iter().enumerate() {
            let found = MessageType::from_number(message_type.number());
            assert_eq!(found, Some(message_type));
            assert_eq!(message_type.index(), index);
        }
        assert!(MessageType::ALL.is_sorted());
        assert_eq!(MessageType::from_number(6), None);
    }
}
