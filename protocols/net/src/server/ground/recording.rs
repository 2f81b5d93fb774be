//! Records of an update: the messages for the observer of a recording.

use crate::message::Start;
use crate::record::{RecordHead, RecordKind, RecordOrigin};
use crate::server::ground::Ground;

impl Ground<'_> {
    /// Begins the keyframe of this update. Earlier messages belong to the record.
    pub(crate) fn begin_keyframe(&mut self) {
        self.flush_recorded();
        self.outbound.recorder.begin_keyframe();
    }

    /// Completes the keyframe of this update.
    pub(crate) fn end_keyframe(&mut self) {
        let origin = self.record_origin();
        let head = self.record_head(RecordKind::Keyframe(origin));
        self.flush_recorded();
        self.outbound.recorder.end_keyframe(head);
    }

    /// Completes the record of this update.
    pub(crate) fn finish_record(&mut self) {
        let kind = RecordKind::Changes(self.record_origin().checksum());
        let (now, head) = (self.context.clock.now(), self.record_head(kind));
        self.flush_recorded();
        self.outbound.recorder.finish(now, head);
    }

    /// Adds the messages for the observer alone to the record.
    fn flush_recorded(&mut self) {
        let observer = self.outbound.recorder.observer();
        let observer = observer.and_then(|id| self.sessions.connections.get_mut(id.0));
        if let Some(observer) = observer {
            self.outbound.recorder.add(observer, 0, &[]);
        }
    }

    /// Returns the origin of the records.
    pub(crate) fn record_origin(&mut self) -> RecordOrigin {
        RecordOrigin {
            schema_hash: self.sessions.schema_hash,
            start: Start {
                incarnation: self.context.config.incarnation,
                first_tick: self.context.ticks.first(),
            },
        }
    }

    /// Returns the head of a record of this update, without its number.
    pub(crate) fn record_head(&mut self, kind: RecordKind) -> RecordHead {
        let since = u64::from(self.tick().saturating_sub(1));
        RecordHead {
            kind,
            partial: false,
            seq: 0,
            tick: self.context.ticks.first().saturating_add(since),
            time: u64::try_from(self.context.clock.now().as_micros()).unwrap_or(u64::MAX),
        }
    }
}
