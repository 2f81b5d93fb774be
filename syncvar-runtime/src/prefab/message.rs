//! Messages of the program: values without an object, registered by name.

use std::any::{Any, TypeId, type_name};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::former::assert_not_former;
use crate::schema::TypeSchema;
use crate::translate::layout::{Layout, Measures};
use crate::untyped::{UntypedType, Value};
use crate::{
    ConnectionId, Encoding, NetworkReader, NetworkWriter, ReadError, SyncValue, WriteError,
};

/// Lowest number of a message. UNet's lower numbers belong to its own messages.
pub const FIRST_MESSAGE: i16 = 48;

/// Received message of the program.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(SyncValue, Clone, PartialEq, Debug)]
/// struct Chat {
///     text: String,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().message::<Chat>("chat"));
/// net.settle();
/// net.server.send_to_ready(&Chat { text: "hello".into() })?;
/// net.settle();
/// let message = std::iter::from_fn(|| net.client_mut(0).poll_event()).find_map(|event| match event {
///     ClientEvent::Message(message) => Some(message),
///     _ => None,
/// });
/// let message = message.expect("a received message");
/// assert_eq!(message.name(), "chat");
/// assert_eq!(message.get(), Some(&Chat { text: "hello".into() }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ReceivedMessage(Arc<MessageContent<dyn Any + Send + Sync>>);

struct MessageContent<T: ?Sized> {
    name: Arc<str>,
    value: T,
}

impl ReceivedMessage {
    /// Creates a message.
    pub fn new<M: SyncValue>(name: Arc<str>, value: M) -> Self {
        Self(Arc::new(MessageContent { name, value }))
    }

    /// Creates a message of a client without compiled types.
    fn of_value(name: Arc<str>, value: Value) -> Self {
        Self(Arc::new(MessageContent { name, value }))
    }

    /// Returns the message of a client without compiled types.
    pub fn value(&self) -> Option<&Value> {
        self.0.value.downcast_ref()
    }

    /// Returns the registered name of its type.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the message, if it has this type.
    pub fn get<M: SyncValue>(&self) -> Option<&M> {
        self.0.value.downcast_ref()
    }
}

impl fmt::Debug for ReceivedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReceivedMessage")
            .field(&self.name())
            .finish()
    }
}

/// Compares identity, not content.
impl PartialEq for ReceivedMessage {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Form of the messages of a type.
#[derive(Clone, Copy)]
enum MessageForm {
    /// A compiled type.
    Typed(fn(Arc<str>, &mut NetworkReader<'_>) -> Result<ReceivedMessage, ReadError>),
    /// A type of a learned schema.
    Untyped(&'static UntypedType),
}

/// Registered type of messages.
#[derive(Clone)]
pub struct MessageKind {
    /// Name of the type on both ends.
    pub name: Arc<str>,
    /// Former names, newest first.
    pub(super) was: Vec<String>,
    /// Number on the wire.
    pub number: i16,
    /// Whether the program has chosen the number.
    fixed: bool,
    /// Type of the values.
    pub type_id: TypeId,
    /// Type of the values in the schema.
    pub(super) schema: TypeSchema,
    form: MessageForm,
}

impl MessageKind {
    /// Writes a message that is given as a value. The writer holds the error of a value without a form on the wire.
    ///
    /// # Errors
    ///
    /// When the value does not fit the type, and when the layout of the type is unknown.
    pub fn write(&self, value: &Value, writer: &mut NetworkWriter) -> Result<(), MessageError> {
        let written = match self.form {
            MessageForm::Untyped(UntypedType { layout, .. }) => layout.write_value(value, writer),
            MessageForm::Typed(_) => match Layout::of(&(&self.schema).into(), &Measures::default())
            {
                Ok(layout) => layout.write_value(value, writer),
                Err(unknown) => return Err(MessageError::Unfit(unknown.to_string())),
            },
        };
        written.map_err(|error| MessageError::Unfit(error.to_string()))
    }

    /// Returns the message that an end receives for a value.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write), and when the value has no form on the wire.
    pub fn received(&self, value: &Value) -> Result<ReceivedMessage, MessageError> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        self.write(value, &mut writer)?;
        if let Some(error) = writer.take_error() {
            return Err(error.into());
        }
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact);
        let received = self.read(&mut reader);
        received.map_err(|error| MessageError::Unfit(error.to_string()))
    }

    /// Reads a message. Surplus bytes are an error.
    ///
    /// # Errors
    ///
    /// When the bytes are not a value of the type.
    pub fn read(&self, reader: &mut NetworkReader<'_>) -> Result<ReceivedMessage, ReadError> {
        let name = Arc::clone(&self.name);
        let message = match self.form {
            MessageForm::Typed(read) => read(name, reader)?,
            MessageForm::Untyped(UntypedType { layout, .. }) => {
                ReceivedMessage::of_value(name, layout.read_value(reader)?)
            }
        };
        reader.finish()?;
        Ok(message)
    }
}

/// Registered types of messages, by name.
#[derive(Default)]
pub struct Messages {
    pub(super) kinds: Vec<MessageKind>,
    by_number: FxHashMap<i16, usize>,
    by_type: FxHashMap<TypeId, usize>,
}

impl Messages {
    /// Adds a type.
    ///
    /// # Panics
    ///
    /// When the name, the type or the number is taken, or the number is not a message of programs.
    pub(crate) fn register<M: SyncValue>(&mut self, name: &str, number: Option<i16>) {
        assert!(
            self.kinds.iter().all(|kind| &*kind.name != name),
            "a message named `{name}` is already registered"
        );
        assert_not_former(name, self.kinds.iter().map(|kind| &kind.was));
        let type_id = TypeId::of::<M>();
        if let Some(other) = self.by_type(type_id) {
            let (message, other) = (type_name::<M>(), &other.name);
            panic!("message type `{message}` is already registered as `{other}`");
        }
        if let Some(number) = number {
            assert!(
                number >= FIRST_MESSAGE,
                "message `{name}`: the numbers below {FIRST_MESSAGE} belong to UNet, this is {number}"
            );
            let taken = |kind: &&MessageKind| kind.fixed && kind.number == number;
            if let Some(other) = self.kinds.iter().find(taken) {
                panic!(
                    "message `{name}` has the number {number} of `{}`",
                    other.name
                );
            }
        }
        let at = self.kinds.partition_point(|kind| &*kind.name < name);
        self.kinds.insert(
            at,
            MessageKind {
                name: name.into(),
                was: Vec::new(),
                number: number.unwrap_or_default(),
                fixed: number.is_some(),
                type_id,
                schema: M::SCHEMA,
                form: MessageForm::Typed(|name, reader| {
                    Ok(ReceivedMessage::new(name, M::read(reader)?))
                }),
            },
        );
        self.number_all();
    }

    /// Adds a type of a learned schema. Returns `None` if the name or the number is taken, or the number is not a message of
    /// programs. [`number_all`](Self::number_all) completes the registration of all.
    pub(super) fn register_untyped(
        &mut self,
        name: &str,
        number: i16,
        interned: &'static UntypedType,
    ) -> Option<&mut MessageKind> {
        let is_taken = |kind: &MessageKind| &*kind.name == name || kind.number == number;
        if number < FIRST_MESSAGE || self.kinds.iter().any(is_taken) {
            return None;
        }
        let at = self.kinds.partition_point(|kind| &*kind.name < name);
        self.kinds.insert(
            at,
            MessageKind {
                name: name.into(),
                was: Vec::new(),
                number,
                fixed: true,
                type_id: TypeId::of::<UntypedType>(),
                schema: interned.schema,
                form: MessageForm::Untyped(interned),
            },
        );
        self.kinds.get_mut(at)
    }

    /// Returns the registered type with a name.
    pub fn by_name(&self, name: &str) -> Option<&MessageKind> {
        self.kinds.iter().find(|kind| &*kind.name == name)
    }

    /// Numbers the messages in the order of their names, around the chosen numbers.
    pub(super) fn number_all(&mut self) {
        let fixed: Vec<i16> = { self.kinds.iter() }
            .filter(|kind| kind.fixed)
            .map(|kind| kind.number)
            .collect();
        let mut free = (FIRST_MESSAGE..=i16::MAX).filter(|number| !fixed.contains(number));
        for kind in self.kinds.iter_mut().filter(|kind| !kind.fixed) {
            kind.number = free.next().expect("fewer messages than numbers");
        }
        let kinds = || self.kinds.iter().enumerate();
        self.by_number = kinds().map(|(at, kind)| (kind.number, at)).collect();
        self.by_type = kinds().map(|(at, kind)| (kind.type_id, at)).collect();
    }

    /// Returns the type with a number on the wire.
    #[inline]
    pub fn by_number(&self, number: i16) -> Option<&MessageKind> {
        self.kinds.get(*self.by_number.get(&number)?)
    }

    /// Returns a registered type.
    #[inline]
    pub fn by_type(&self, type_id: TypeId) -> Option<&MessageKind> {
        self.kinds.get(*self.by_type.get(&type_id)?)
    }

    /// Returns the registered type of a value to send.
    ///
    /// # Errors
    ///
    /// When the type is not registered.
    pub fn find<M: SyncValue>(&self) -> Result<&MessageKind, MessageError> {
        let found = self.by_type(TypeId::of::<M>());
        found.ok_or(MessageError::NotRegistered(type_name::<M>()))
    }
}

/// Reason why a message of the program is not sent.
///
/// ```
/// use syncvar::error::MessageError;
/// use syncvar::prelude::*;
///
/// let mut server = NetworkServer::new(Prefabs::new());
/// let error = server.send_to_ready(&5_u32).unwrap_err();
/// assert_eq!(error, MessageError::NotRegistered("u32"));
/// assert_eq!(error.to_string(), "message type `u32` is not registered: call `Prefabs::message`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// The type is not registered.
    NotRegistered(&'static str),
    /// No message has the name.
    UnknownName(String),
    /// The value does not fit the type of the message.
    Unfit(String),
    /// The connection does not exist, is closing, or is not accepted yet.
    NotConnected(ConnectionId),
    /// The server has a different build, without the message of this name.
    ServerLacks(String),
    /// The channel does not exist.
    UnknownChannel(u8),
    /// The value lacks an encoding, or is too long for the channel.
    Write(WriteError),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRegistered(message) => write!(
                f,
                "message type `{message}` is not registered: call `Prefabs::message`"
            ),
            Self::UnknownName(name) => write!(f, "no message is named `{name}`"),
            Self::Unfit(error) => write!(f, "the message does not fit its type: {error}"),
            Self::NotConnected(connection) => write!(f, "{connection} is not connected"),
            Self::ServerLacks(message) => {
                write!(f, "the build of the server lacks the message `{message}`")
            }
            Self::UnknownChannel(channel) => write!(f, "no channel {channel}"),
            Self::Write(error) => write!(f, "the message cannot be sent: {error}"),
        }
    }
}

impl Error for MessageError {}

impl From<WriteError> for MessageError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

#[cfg(test)]
mod tests {
    use super::Messages;

    fn numbers(messages: &Messages) -> Vec<(&str, i16)> {
        let kinds = messages.kinds.iter();
        kinds.map(|kind| (&*kind.name, kind.number)).collect()
    }

    #[test]
    fn numbers_follow_the_names_around_the_chosen_ones() {
        let mut messages = Messages::default();
        messages.register::<u8>("b", None);
        messages.register::<u16>("c", Some(49));
        messages.register::<u32>("a", None);
        assert_eq!(numbers(&messages), [("a", 48), ("b", 50), ("c", 49)]);
        assert!(messages.by_number(48).is_some() && messages.by_number(47).is_none());
        assert_eq!(messages.find::<u16>().unwrap().number, 49);
        assert!(messages.find::<i8>().is_err());
    }

    #[test]
    #[should_panic(expected = "message `b` has the number 1003 of `a`")]
    fn chosen_number_is_unique() {
        let mut messages = Messages::default();
        messages.register::<u8>("a", Some(1003));
        messages.register::<u16>("b", Some(1003));
    }

    #[test]
    #[should_panic(expected = "message type `u8` is already registered as `a`")]
    fn type_has_one_name() {
        let mut messages = Messages::default();
        messages.register::<u8>("a", None);
        messages.register::<u8>("b", None);
    }
}
