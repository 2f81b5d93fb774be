//! `SchemaChange`: a difference between two schemas, and its effect.

use std::fmt;

/// Difference between the schemas of a server and a client.
///
/// ```
/// use syncvar::schema::Schema;
///
/// let old = Schema::parse("message hit = 48: Hit { damage: u8 }\n")?;
/// let new = Schema::parse("message hit = 48: Hit { damage: u16, at: Vector3 }\n")?;
/// let changes = old.compare(&new).old_client;
/// assert_eq!(
///     changes[0].to_string(),
///     "message `hit`: `Hit { damage: u16, at: Vector3 }` of the server is converted to `Hit { damage: u8 }`",
/// );
/// assert!(!changes[0].is_refused());
/// # Ok::<(), syncvar::error::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaChange {
    /// Part of the schema.
    pub place: SchemaPlace,
    /// Effect on the connection.
    pub effect: SchemaEffect,
}

/// Part of a schema, by the names on the server, or on the client if the server lacks it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaPlace {
    /// Name of the prefab; `None` for a message.
    pub prefab: Option<String>,
    /// Name of the behaviour.
    pub behaviour: Option<String>,
    /// Name of the field.
    pub field: Option<String>,
    /// Name of the remote call.
    pub call: Option<String>,
    /// Name of the message; `input` for the inputs.
    pub message: Option<String>,
}

/// Effect of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaEffect {
    /// Only the server has the part: the client skips it.
    Extra,
    /// Only the client has the part: a field keeps the value of the prefab, and a call or message to the server is an error.
    Missing,
    /// The part has another name on the client.
    Renamed(String),
    /// The types differ, and values are converted.
    Converted {
        /// Type on the server.
        server: String,
        /// Type on the client.
        client: String,
    },
    /// The order, the classes, the channel or the rules differ. Those of the server apply.
    Moved,
    /// The two builds cannot play together, for this reason.
    Refused(String),
}

impl SchemaChange {
    /// Returns whether the difference keeps the two builds apart.
    pub const fn is_refused(&self) -> bool {
        matches!(self.effect, SchemaEffect::Refused(_))
    }
}

impl fmt::Display for SchemaChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.effect)
    }
}

impl fmt::Display for SchemaPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("prefab", &self.prefab),
            ("behaviour", &self.behaviour),
            ("field", &self.field),
            ("call", &self.call),
            ("message", &self.message),
        ];
        let mut separator = "";
        for (kind, name) in parts {
            if let Some(name) = name {
                write!(f, "{separator}{kind} `{name}`")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

impl fmt::Display for SchemaEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extra => f.write_str("only the server has it"),
            Self::Missing => f.write_str("only the client has it"),
            Self::Renamed(name) => write!(f, "its name on the client is `{name}`"),
            Self::Converted { server, client } => {
                write!(f, "`{server}` of the server is converted to `{client}`")
            }
            Self::Moved => {
                f.write_str("its place or its rules differ, and those of the server apply")
            }
            Self::Refused(reason) => write!(f, "refused: {reason}"),
        }
    }
}
