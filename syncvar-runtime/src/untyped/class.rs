//! `UntypedClass`: everything about a behaviour that its schema says, shared by all its objects.

use std::error::Error;
use std::fmt;

use crate::object::SlotInfo;
use crate::schema::BehaviourSchema;
use crate::translate::behaviour::Classes;
use crate::translate::layout::{Layout, ValueError};
use crate::value::Value;

/// A behaviour of a learned schema.
#[derive(Debug)]
pub(crate) struct UntypedClass {
    /// Facts for the update loop.
    pub(super) info: SlotInfo,
    /// Fields in the order of the dirty bits. The last field of an optional behaviour is its presence.
    pub(super) fields: Box<[UntypedField]>,
    /// Division into classes.
    pub(super) classes: Classes,
    /// Layouts of the arguments of each call, by its number.
    pub(super) calls: Box<[Box<[Layout]>]>,
}

/// A field of a learned schema.
#[derive(Debug)]
pub(super) struct UntypedField {
    /// Name of the field.
    pub(super) name: &'static str,
    /// Name as `Class.field`, for errors.
    pub(super) place: &'static str,
    /// Layout of the value.
    pub(super) layout: Layout,
    /// Layout without the codec: the codec may not hold a value of a server of a different build.
    pub(super) plain: Option<Layout>,
    /// Value of a field that was never received.
    pub(super) zero: Value,
}

impl UntypedField {
    /// Returns the layout of the value, or of its plain form.
    pub(super) fn layout_in(&self, plain: bool) -> &Layout {
        let plain = self.plain.as_ref().filter(|_| plain);
        plain.unwrap_or(&self.layout)
    }
}

impl UntypedClass {
    /// Returns the schema of the behaviour.
    pub(super) const fn schema(&self) -> &BehaviourSchema {
        &self.info.schema
    }

    /// Returns the field with a name: of the class itself rather than of a base.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().rposition(|field| field.name == name)
    }

    /// Returns the error for an unknown field.
    #[cold]
    pub(super) fn no_such_field(&self, name: &str) -> FieldError {
        FieldError::new(self.info.schema.name, name, FieldErrorKind::NoSuchField)
    }
}

/// A field of an untyped behaviour that cannot be written.
///
/// ```
/// use syncvar::{prelude::*, schema::Schema, untyped::Value};
///
/// let text = "\
/// prefab door 5b882675757277b806e97060b8398901
///   behaviour Door, channel 0
///     class Door
///       open: bool
/// ";
/// let mut client = NetworkClient::new(Prefabs::from_schema(&Schema::parse(text)?)?);
/// let error = client.set_value(NetId(1), "Door", "open", true).unwrap_err();
/// assert_eq!(error.to_string(), "Door.open: object #1 does not exist here");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    behaviour: String,
    field: String,
    kind: FieldErrorKind,
}

/// Reason why a field of an untyped behaviour cannot be written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldErrorKind {
    /// The object does not exist, or is checked out.
    Object(crate::ObjectError),
    /// The object has no untyped behaviour of this name.
    NoSuchBehaviour,
    /// The behaviour has no field of this name.
    NoSuchField,
    /// The optional behaviour is absent.
    Absent,
    /// This client does not own the object, or its owner does not write the field.
    NotWritable,
    /// The value does not fit the type of the field.
    Value(ValueError),
}

impl FieldError {
    /// Creates the error of a field.
    #[cold]
    pub fn new(behaviour: &str, field: &str, kind: FieldErrorKind) -> Self {
        Self {
            behaviour: behaviour.into(),
            field: field.into(),
            kind,
        }
    }

    /// Returns the name of the behaviour.
    pub fn behaviour(&self) -> &str {
        &self.behaviour
    }

    /// Returns the name of the field.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the reason.
    pub const fn kind(&self) -> &FieldErrorKind {
        &self.kind
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}: {}", self.behaviour, self.field, self.kind)
    }
}

impl fmt::Display for FieldErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(error) => error.fmt(f),
            Self::NoSuchBehaviour => f.write_str("no such behaviour on the object"),
            Self::NoSuchField => f.write_str("no such field"),
            Self::Absent => f.write_str("the optional behaviour is absent"),
            Self::NotWritable => f.write_str("this client may not write the field"),
            Self::Value(error) => error.fmt(f),
        }
    }
}

impl Error for FieldError {}
