//! Scopes: reads and writes within a context, which ends with them.

use std::mem;

use super::{
    DeserializeContext, DeserializeReport, NetworkReader, NetworkWriter, SerializeContext,
    SerializeReport,
};

impl NetworkWriter {
    /// Returns the context of the present `on_serialize`.
    #[inline]
    pub fn context(&self) -> &SerializeContext {
        &self.context
    }

    /// Writes in a given context, and restores the present context.
    #[inline]
    pub fn with_context<R>(
        &mut self,
        context: SerializeContext,
        write: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = mem::replace(&mut self.context, context);
        let result = write(self);
        self.context = outer;
        result
    }

    /// Takes the report of every write since the last call.
    #[inline]
    pub fn take_report(&mut self) -> SerializeReport {
        mem::take(&mut self.report)
    }

    /// Writes the delta of a base, by its `on_serialize`, for a class with these dirty bits. UNet repeats
    /// the mask of the derived class at every level.
    #[inline]
    pub fn write_base<B>(
        &mut self,
        dirty_bits: u64,
        base: &mut B,
        on_serialize: impl FnOnce(&mut B, &mut Self, bool) -> bool,
    ) -> bool {
        let outer = self.context.derived_bits;
        self.context.derived_bits |= dirty_bits;
        let written = on_serialize(base, self, false);
        self.context.derived_bits = outer;
        written
    }
}

impl NetworkReader<'_> {
    /// Returns the context of the present `on_deserialize`.
    #[inline]
    pub fn context(&self) -> &DeserializeContext {
        &self.context
    }

    /// Reads in a given context, and restores the present context.
    #[inline]
    pub fn with_context<R>(
        &mut self,
        context: DeserializeContext,
        read: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = mem::replace(&mut self.context, context);
        let result = read(self);
        self.context = outer;
        result
    }

    /// Runs reads whose references are not noted: their bytes are read a second time.
    pub(crate) fn without_references<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let references = self.references.take();
        let result = read(self);
        self.references = references;
        result
    }

    /// Sets the context of the reads to come.
    pub(crate) fn set_context(&mut self, context: DeserializeContext) {
        self.context = context;
    }

    /// Adds the report of a second reader.
    pub(crate) fn add_report(&mut self, report: DeserializeReport) {
        self.report.seen |= report.seen;
        if let Some(role) = report.role {
            self.note_role(role);
        }
    }

    /// Takes the report of every read since the last call.
    #[inline]
    pub fn take_report(&mut self) -> DeserializeReport {
        mem::take(&mut self.report)
    }

    /// Runs a read of a base, whose mask may contain the fields of a derived class.
    #[inline]
    pub(crate) fn with_derived_bits<R>(
        &mut self,
        bits: u64,
        read: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.context.derived_bits;
        self.context.derived_bits |= bits;
        let result = read(self);
        self.context.derived_bits = outer;
        result
    }
}
