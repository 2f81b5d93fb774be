//! `Payload`: bytes of the program in the handshake; `Refusal`: its reason to refuse a connection.

use std::fmt;

use bytes::Bytes;

use crate::{Encoding, Limits, NetworkReader, NetworkWriter, ReadError, SyncValue, WriteError};

/// Bytes of the program in the handshake: the payload of a join request or of a refusal.
///
/// The bytes are the program's own, or a value in [`Encoding::Compact`] in every framing. The schema
/// of the two ends does not contain it, so a server can read the payload of a different build.
///
/// ```
/// use syncvar::join::Payload;
/// use syncvar::prelude::*;
///
/// #[derive(SyncValue, Clone, PartialEq, Debug)]
/// struct Join {
///     name: String,
///     build: u32,
/// }
///
/// let join = Join { name: "ann".into(), build: 7 };
/// let payload = Payload::of(&join)?;
/// assert_eq!(payload.as_bytes(), [3, b'a', b'n', b'n', 7]);
/// assert_eq!(payload.decode::<Join>()?, join);
/// assert!(payload.decode::<bool>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Payload(Bytes);

impl Payload {
    /// Encodes a value.
    ///
    /// # Errors
    ///
    /// When the value lacks an encoding, such as a text of more than 32 767 bytes.
    pub fn of<T: SyncValue>(value: &T) -> Result<Self, WriteError> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write(value);
        match writer.take_error() {
            Some(error) => Err(error),
            None => Ok(Self(writer.take_bytes())),
        }
    }

    /// Decodes a value, within the default [`Limits`].
    ///
    /// # Errors
    ///
    /// When the bytes are not a value of this type, and for surplus bytes.
    pub fn decode<T: SyncValue>(&self) -> Result<T, ReadError> {
        let limits = Limits::DEFAULT;
        let budget = limits.budget(self.0.len(), limits.max_work);
        let mut reader =
            NetworkReader::with_encoding(&self.0, Encoding::Compact).with_budget(budget);
        let value = reader.read()?;
        reader.finish()?;
        Ok(value)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns whether the payload is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

/// Reason of a program to refuse a connection: a text for a person, and a payload for the client's
/// program.
///
/// ```
/// use syncvar::join::{Payload, Refusal};
/// use syncvar::prelude::*;
///
/// #[derive(SyncValue, Clone, PartialEq, Debug)]
/// enum Denied {
///     WrongBuild { wanted: u32 },
///     Banned,
/// }
///
/// let refusal = Refusal::new("please update").with(Payload::of(&Denied::WrongBuild { wanted: 8 })?);
/// assert_eq!(refusal.to_string(), "please update");
/// assert_eq!(refusal.payload.decode::<Denied>()?, Denied::WrongBuild { wanted: 8 });
/// assert_eq!(Refusal::from("banned"), Refusal::new("banned"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// Text, of which 32 767 bytes are sent.
    pub text: String,
    /// Payload, of which at most 4 096 bytes are sent; a longer payload is omitted.
    pub payload: Payload,
}

impl Refusal {
    /// Longest payload in bytes.
    pub const MAX_PAYLOAD: usize = 4096;

    /// Creates a refusal without a payload.
    pub fn new(text: impl Into<String>) -> Self {
        let (text, payload) = (text.into(), Payload::default());
        Self { text, payload }
    }

    /// Adds a payload.
    #[must_use]
    pub fn with(mut self, payload: Payload) -> Self {
        self.payload = payload;
        self
    }
}

impl From<&str> for Refusal {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
