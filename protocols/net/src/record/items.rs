//! Items of a record: messages of one channel, in the order of writing.

use bytes::Bytes;
use syncvar_runtime::unstable::packet::Entries;
use syncvar_runtime::unstable::prefab::message::FIRST_MESSAGE;
use syncvar_runtime::{Channel, NetId, NetworkReader, NetworkWriter, ReadError};

use super::head::invalid;
use crate::MessageType;
use crate::message::{Frame, Message, SpawnFinished, frames, unknown};

/// Bits of the audience in the first byte; 0 for all observers.
const AUDIENCE: u8 = 0x03;

/// Audience of the facts of the server in saves and journals.
const SERVER: u8 = 3;

/// Flag of messages on an unreliable channel.
const UNRELIABLE: u8 = 0x04;

/// Messages of a [`TickRecord`](crate::TickRecord) on one channel.
///
/// ```
/// # use std::time::Duration;
/// # use syncvar::prelude::*;
/// use syncvar::Channel;
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// # let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
/// # server.spawn(Door::default());
/// # server.start_recording();
/// # server.update(Duration::from_millis(100));
/// for item in server.keyframe().unwrap().items() {
///     assert_eq!((item.channel, item.delivery), (0, Channel::Reliable));
///     assert!(!item.messages.is_empty());
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordItem<'a> {
    /// Number of the channel.
    pub channel: u8,
    /// Delivery guarantee of the channel.
    pub delivery: Channel,
    /// Whole messages in the framing `Compact`.
    pub messages: &'a [u8],
}

impl RecordItem<'_> {
    /// Returns the parts of the messages with their lengths: a part for each object of a batch, and one for the rest of
    /// each message. Together they are as long as the messages.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use syncvar::prelude::*;
    /// use syncvar::stats::MessageType;
    /// # #[derive(NetworkBehaviour, Default)]
    /// # struct Door {
    /// #     #[sync_var]
    /// #     open: SyncVar<bool>,
    /// # }
    /// # let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// # let door = server.spawn(Door::default());
    /// # server.start_recording();
    /// # server.update(Duration::from_millis(100));
    /// for item in server.keyframe().unwrap().items() {
    ///     let parts: Vec<_> = item.parts().collect();
    ///     assert_eq!(parts[0].object, Some(door));
    ///     assert_eq!(parts[0].message_type, Some(MessageType::SpawnBatch));
    ///     let length: usize = parts.iter().map(|part| part.length).sum();
    ///     assert_eq!(length, item.messages.len());
    /// }
    /// ```
    pub fn parts(&self) -> impl Iterator<Item = RecordPart> {
        let frames = frames(self.messages).map_while(Result::ok);
        frames.flat_map(|frame| {
            let message_type = MessageType::from_number(frame.message_type);
            let is_batch = [MessageType::UpdateBatch, MessageType::SpawnBatch]
                .map(Some)
                .contains(&message_type);
            let batch = if is_batch { frame.payload } else { &[] };
            let part = move |object, length| RecordPart {
                message_type,
                object,
                length,
            };
            let entries = || Entries::new(batch).map_while(Result::ok);
            let length: usize = entries().map(|(_, bytes)| bytes.len()).sum();
            let objects = entries().map(move |(object, bytes)| part(Some(object), bytes.len()));
            objects.chain([part(None, frame.length().saturating_sub(length))])
        })
    }
}

/// Part of the messages of a [`RecordItem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordPart {
    /// Type of the message; `None` for a message of the program.
    pub message_type: Option<MessageType>,
    /// Object of an entry of a batch; `None` for the rest of a message.
    pub object: Option<NetId>,
    /// Length in bytes.
    pub length: usize,
}

/// An item with its audience.
pub(super) enum Item<'a> {
    Messages(RecordItem<'a>),
    /// Facts for the server alone.
    Facts(&'a [u8]),
}

/// Writes bytes behind their length.
pub(crate) fn write_sized(writer: &mut NetworkWriter, bytes: &[u8]) {
    writer.write_varint(bytes.len() as u64);
    writer.write_bytes(bytes);
}

/// Reads bytes behind their length.
pub(crate) fn read_sized<'a>(reader: &mut NetworkReader<'a>) -> Result<&'a [u8], ReadError> {
    let length = reader.read_varint()?;
    // A length beyond the memory is beyond the rest.
    reader.read_bytes(usize::try_from(length).unwrap_or(usize::MAX))
}

/// Reads one item.
pub(super) fn read_item<'a>(reader: &mut NetworkReader<'a>) -> Result<Item<'a>, ReadError> {
    let flags = reader.read_u8()?;
    let audience = flags & AUDIENCE;
    if audience != 0 && audience != SERVER {
        return Err(invalid(reader, "audience of an item", audience.into()));
    }
    if flags & !(UNRELIABLE | AUDIENCE) != 0 {
        return Err(invalid(reader, "flags of an item", flags.into()));
    }
    let channel = reader.read_u8()?;
    let messages = read_sized(reader)?;
    if messages.is_empty() {
        return Err(invalid(reader, "length of an item", 0));
    }
    if audience == SERVER {
        return Ok(Item::Facts(messages));
    }
    Ok(Item::Messages(RecordItem {
        channel,
        delivery: if flags & UNRELIABLE == 0 {
            Channel::Reliable
        } else {
            Channel::Unreliable
        },
        messages,
    }))
}

/// Iterator over valid items.
pub(super) struct Items<'a>(NetworkReader<'a>);

impl<'a> Items<'a> {
    pub(super) fn new(items: &'a [u8]) -> Self {
        Self(NetworkReader::new(items))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        if self.0.remaining() == 0 {
            return None;
        }
        read_item(&mut self.0).ok()
    }
}

/// Items of the record in progress.
#[derive(Debug, Default)]
pub(crate) struct ItemWriter {
    /// Encoded items.
    items: NetworkWriter,
    /// Channel of the last item, which is not encoded yet, and its delivery.
    channel: Option<(u8, Channel)>,
    messages: Vec<u8>,
}

impl ItemWriter {
    /// Adds messages behind the earlier ones.
    pub(crate) fn add(&mut self, channel: u8, delivery: Channel, chunks: &[Bytes]) {
        let place = Some((channel, delivery));
        if self.channel != place {
            self.close();
            self.channel = place;
        }
        for chunk in chunks {
            self.messages.extend_from_slice(chunk);
        }
    }

    /// Adds the facts of the server behind the messages.
    pub(crate) fn add_facts(&mut self, facts: &[u8]) {
        self.close();
        self.items.write_u8(SERVER);
        self.items.write_u8(0);
        write_sized(&mut self.items, facts);
    }

    /// Encodes the last item.
    fn close(&mut self) {
        let Some((channel, delivery)) = self.channel.take() else {
            return;
        };
        if !self.messages.is_empty() {
            let unreliable = delivery == Channel::Unreliable;
            self.items.write_u8(if unreliable { UNRELIABLE } else { 0 });
            self.items.write_u8(channel);
            write_sized(&mut self.items, &self.messages);
            self.messages.clear();
        }
    }

    /// Takes the encoded items, and begins anew.
    pub(crate) fn take(&mut self) -> Bytes {
        self.close();
        self.items.take_bytes()
    }
}

/// Checks that the messages of an item are whole and shared.
///
/// # Errors
///
/// For the first other message. The position is that in the messages.
pub(crate) fn check_messages(messages: &[u8]) -> Result<(), ReadError> {
    for frame in frames(messages) {
        let frame = frame?;
        if !is_shared(frame)? {
            return Err(unknown(frame));
        }
    }
    Ok(())
}

fn is_shared(frame: Frame<'_>) -> Result<bool, ReadError> {
    if frame.message_type >= FIRST_MESSAGE {
        return Ok(true);
    }
    Ok(match MessageType::from_number(frame.message_type) {
        Some(MessageType::SpawnFinished) => SpawnFinished::decode(frame.payload)?.state == 2,
        Some(message_type) => message_type.is_shared(),
        None => false,
    })
}
