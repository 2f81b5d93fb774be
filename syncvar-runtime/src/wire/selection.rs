//! Selection of the fields that a behaviour writes, and its reader.

use super::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind, ReadResult};
use crate::schema::{PolicyBits, Role};

/// Byte that the snapshot of a class begins with: it names the reader, who decides about the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// No byte: each connection reads the same fields.
    All,
    /// Whether the reader owns the object.
    ByOwner,
    /// Role of the reader.
    ByRole,
}

impl Selection {
    /// Returns the selection of a class with some fields.
    pub(crate) const fn of(fields: u64, policy: &PolicyBits) -> Self {
        if policy.group & fields != 0 {
            Self::ByRole
        } else if policy.private() & fields != 0 {
            Self::ByOwner
        } else {
            Self::All
        }
    }

    /// Writes the byte. Returns the fields of the reader, among the fields of all classes.
    #[inline]
    pub(crate) fn write(self, policy: &PolicyBits, writer: &mut NetworkWriter) -> u64 {
        let role = match self {
            Self::ByOwner if writer.write_for_owner() => Role::Owner,
            Self::All | Self::ByOwner => Role::Observer,
            Self::ByRole => writer.write_role(),
        };
        policy.readable(role)
    }

    /// Reads the byte. Returns the fields of the reader, among the fields of all classes.
    #[inline]
    pub(crate) fn read(
        self,
        policy: &PolicyBits,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<u64> {
        let role = match self {
            Self::ByOwner if reader.read_for_owner()? => Role::Owner,
            Self::All | Self::ByOwner => Role::Observer,
            Self::ByRole => reader.read_role()?,
        };
        Ok(policy.readable(role))
    }
}

impl NetworkWriter {
    /// Returns the dirty bits of the fields that may be written now, from the
    /// [context](crate::SerializeContext). Restricted fields, budgets and Mirror's layout limit them.
    /// The remaining fields stay dirty.
    #[inline]
    pub fn fields(&self) -> u64 {
        self.context.fields
    }

    /// Writes in one byte whether the reader of the snapshot owns the object, and returns it. A snapshot
    /// has this byte only if its class has fields for some readers only.
    ///
    /// ```
    /// # use syncvar::wire::NetworkWriter;
    /// let mut writer = NetworkWriter::new();
    /// assert!(!writer.write_for_owner());
    /// assert_eq!(writer.as_bytes(), [0]);
    /// ```
    #[inline]
    pub fn write_for_owner(&mut self) -> bool {
        let for_owner = self.context.role.is_owner();
        self.write_bool(for_owner);
        for_owner
    }

    /// Writes the role of the reader of the snapshot in one byte, and returns it. It takes the place of
    /// [`write_for_owner`](Self::write_for_owner) if the class has fields that a group reads.
    ///
    /// ```
    /// # use syncvar::{schema::Role, wire::NetworkWriter};
    /// let mut writer = NetworkWriter::new();
    /// let member = writer.context().with_role(Role::Member);
    /// let role = writer.with_context(member, NetworkWriter::write_role);
    /// assert_eq!((role, writer.as_bytes()), (Role::Member, &[2][..]));
    /// ```
    #[inline]
    pub fn write_role(&mut self) -> Role {
        let role = self.context.role;
        self.write_u8(role.number());
        role
    }
}

impl NetworkReader<'_> {
    /// Reads the byte of [`NetworkWriter::write_for_owner`], and adds it to the report.
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when the byte is neither 0 nor 1.
    pub fn read_for_owner(&mut self) -> ReadResult<bool> {
        let role = match self.read_u8()? {
            0 => Role::Observer,
            1 => Role::Owner,
            other => return Err(self.unknown_role(other)),
        };
        self.note_role(role);
        Ok(role.is_owner())
    }

    /// Reads the byte of [`NetworkWriter::write_role`], and adds it to the report.
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when the byte is greater than 2.
    pub fn read_role(&mut self) -> ReadResult<Role> {
        let number = self.read_u8()?;
        let role = Role::from_number(number).ok_or_else(|| self.unknown_role(number))?;
        self.note_role(role);
        Ok(role)
    }

    /// Adds a role to the report. Only a class with fields of a group distinguishes a member.
    pub(super) fn note_role(&mut self, role: Role) {
        if role != Role::Observer || self.report.role.is_none() {
            self.report.role = Some(role);
        }
    }

    #[cold]
    fn unknown_role(&self, number: u8) -> ReadError {
        let (what, value) = ("reader of a full state", number.into());
        self.error(ReadErrorKind::InvalidValue { what, value })
    }
}
