//! Messages on their way from the server, as recorded and as ours.

use std::fmt;

use syncvar::{NetId, wire::NetworkReader};

use syncvar_testing::golden::{Json, Node};

/// One message, with its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The recorder's number of the connection.
    pub(crate) connection: u32,
    pub(crate) channel: u8,
    pub(crate) bytes: Vec<u8>,
}

impl Frame {
    /// The messages of a packet.
    pub(crate) fn split(connection: u32, channel: u8, packet: &[u8]) -> Vec<Self> {
        let mut frames = Vec::new();
        let mut rest = packet;
        while let Some((low, high)) = rest.first().zip(rest.get(1)) {
            let length = usize::from(u16::from_le_bytes([*low, *high])) + 4;
            let (message, behind) = rest.split_at(length.min(rest.len()));
            frames.push(Self {
                connection,
                channel,
                bytes: message.to_vec(),
            });
            rest = behind;
        }
        frames
    }

    /// The messages of recorded packets.
    pub(crate) fn recorded(packets: &Json) -> Vec<Self> {
        let packets = packets.list().iter().flat_map(|packet| {
            let channel = packet.at("channel").number();
            Self::split(packet.at("conn").number(), channel, &packet.at("hex").hex())
        });
        packets.collect()
    }

    pub(crate) fn message_type(&self) -> i16 {
        let header = self.bytes.get(2..4).unwrap_or_default();
        NetworkReader::new(header).read_i16().unwrap_or_default()
    }

    /// Whether it is a message of the program's own, not of the library.
    pub(crate) fn is_of_the_user(&self) -> bool {
        self.message_type() > 47
    }

    pub(crate) fn payload(&self) -> &[u8] {
        self.bytes.get(4..).unwrap_or_default()
    }

    /// The object that the message is about, if it is about one.
    pub(crate) fn object(&self) -> Option<NetId> {
        matches!(self.message_type(), 1 | 3 | 4 | 8 | 9 | 10 | 13 | 15)
            .then(|| NetworkReader::new(self.payload()).read().ok())?
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = hex::encode(&self.bytes);
        write!(
            f,
            "{bytes} to {} on channel {}",
            self.connection, self.channel
        )
    }
}

/// Messages as text, those of each connection and channel together: the order between these means
/// nothing.
pub(crate) fn show(frames: &[Frame]) -> String {
    let mut frames: Vec<_> = frames.iter().collect();
    frames.sort_by_key(|frame| (frame.connection, frame.channel));
    let frames: Vec<_> = frames.into_iter().map(Frame::to_string).collect();
    format!("[{}]", frames.join(", "))
}
