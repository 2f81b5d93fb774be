//! Datagrams of Mirror's `NetworkDiscovery`: a client finds the servers of its local network.
//!
//! A client broadcasts a [`request`] to UDP port [`PORT`] every 3 s, and a server answers the sender with a
//! [`Response`]. The program owns the socket.
//!
//! ```
//! use syncvar::mirror::discovery::{self, Response};
//!
//! const GAME: i64 = 0x1122_3344_5566_7788; // the same on both sides
//! let request = discovery::request(GAME);
//! assert!(discovery::is_request(GAME, &request));
//!
//! let response = Response { uri: "tcp4://host:7777/".into(), server: 5 };
//! let datagram = response.to_bytes(GAME);
//! assert_eq!(Response::from_bytes(GAME, &datagram), Some(response));
//! ```

use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter, SyncValue};

/// UDP port of a server. Mirror, `serverBroadcastListenPort`.
pub const PORT: u16 = 47_777;

/// Answer of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Address of the server, with a final slash: `tcp4://HOST:7777/` for Telepathy, `kcp://HOST:7777/` for KCP.
    /// A client replaces the host by the sender of the datagram.
    pub uri: String,
    /// Number of the server, chosen at random at its start.
    pub server: i64,
}

/// Returns the datagram of a client. The handshake identifies the game.
pub fn request(handshake: i64) -> Vec<u8> {
    handshake.to_le_bytes().to_vec()
}

/// Returns whether a datagram is a request of this game. Own data may follow the handshake.
pub fn is_request(handshake: i64, datagram: &[u8]) -> bool {
    datagram.starts_with(&handshake.to_le_bytes())
}

impl Response {
    /// Returns the datagram. An address of more than 65 534 bytes is sent empty.
    pub fn to_bytes(&self, handshake: i64) -> Vec<u8> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        writer.write_bytes(&handshake.to_le_bytes());
        let uri = Some(&*self.uri).filter(|uri| uri.len() < usize::from(u16::MAX));
        uri.unwrap_or_default().to_owned().write(&mut writer);
        self.server.write(&mut writer);
        writer.as_bytes().to_vec()
    }

    /// Reads a datagram; `None` for a datagram of a different game, and for a malformed datagram.
    pub fn from_bytes(handshake: i64, datagram: &[u8]) -> Option<Self> {
        let rest = datagram.strip_prefix(&handshake.to_le_bytes())?;
        let mut reader = NetworkReader::with_encoding(rest, Encoding::Mirror);
        Some(Self {
            uri: String::read(&mut reader).ok()?,
            server: i64::read(&mut reader).ok()?,
        })
    }
}
