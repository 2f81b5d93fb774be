//! `LossLedger`: state that a connection has not received, and the way of each field to the client.
//!
//! A connection lacks state for four reasons. A datagram was lost. A datagram was not sent: no transport polled the
//! packet in time, or a chunk was too long while an earlier long chunk was under way. A budget is spent. Or the connection
//! was detached: acknowledgements stopped, or the transport held the state back. The ledger holds all four, so that each
//! field has a single way back.
//!
//! ```text
//!   datagram lost ──────┐                       ┌─> chunk as it was written, copied once for all connections
//!   datagram not sent ──┴─> packets ── frame ───┼─> fields written again, in a datagram for this connection
//!                                               └─┐
//!   budget spent ─────────────────────────────────┼─> backlog ── turn ──> fields with their present values
//!   attached again: all changes since a tick ─────┘
//!
//!   snapshot, owner state, long entry, all on the stream ──> streamed: makes earlier losses void
//! ```
//!
//! `packets` names the content of lost packets: the number of a shared chunk, or a set of fields that only this
//! connection was sent. The next frame reduces each content to the *outstanding* fields: fields that no later frame has
//! written, that the connection observes and reads at this time, and that the stream has not carried since. Most fit into
//! the datagrams of the same update. The rest joins the `backlog`, which holds masks and no bytes: a field travels with the
//! value of its turn, and values in between are skipped.
//!
//! A late acknowledgement or a snapshot removes entries again. The ledger knows no bytes of earlier ticks:
//! [`WriteRecords`](crate::server::outbound::write_records::WriteRecords) maps chunk numbers to fields, for the ledgers of
//! all connections.

pub(crate) mod backlog;
pub(crate) mod budget;
pub(crate) mod field_set;
pub(crate) mod masks;
pub(crate) mod streamed;

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::WriteLog;

use crate::link::sender::{Content, Verdict, VerdictKind};
use crate::server::ledger::backlog::Backlog;
use crate::server::ledger::field_set::FieldSet;
use crate::server::ledger::streamed::StreamedFields;

/// State that a connection has not received.
#[derive(Debug, Default)]
pub(crate) struct LossLedger {
    /// Lost and withheld parts of packets, until the next frame.
    pub(crate) packets: Vec<Verdict<FieldSet>>,
    /// Fields that wait for their turn, and the budget. Boxed: few connections have a backlog or a budget.
    pub(crate) backlog: Option<Box<Backlog>>,
    /// Fields that the stream has carried while older datagrams are undecided.
    pub(crate) streamed: StreamedFields,
    /// Last tick with state on unreliable channels, while the transport holds the state back: a slow reader of a
    /// stream.
    pub(crate) detached_since: Option<u32>,
}

impl LossLedger {
    /// Returns whether a budget delays the changes of the connection.
    #[inline]
    pub(crate) fn is_limited(&self) -> bool {
        self.backlog.as_ref().is_some_and(|it| it.is_limited())
    }

    /// Subtracts bytes from the budget, for messages that no budget delays.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: usize) {
        if let Some(backlog) = self.backlog.as_mut().filter(|it| it.is_limited()) {
            backlog.meter.charge(bytes);
        }
    }

    /// Returns the number of the entries in the backlog.
    pub(crate) fn waiting(&self) -> usize {
        let backlog = self.backlog.as_ref();
        backlog.map_or(0, |backlog| backlog.entries.len())
    }

    /// Returns whether a loss of the connection waits for a frame or for its turn.
    pub(crate) fn is_open(&self) -> bool {
        !self.packets.is_empty() || self.waiting() > 0
    }

    /// Returns whether changes of a connection without datagrams are withheld.
    pub(crate) fn withholds(&self) -> bool {
        self.detached_since.is_some() || self.waiting() > 0
    }

    /// Notes that a chunk of a tick is not sent.
    pub(crate) fn withhold(&mut self, tick: u32, number: u64) {
        self.packets.push(Verdict {
            kind: VerdictKind::Withheld,
            tick,
            content: Content::Chunk(number),
        });
    }

    /// Adds missing fields of a tick to the backlog, in the order of objects, channels and behaviours. `refresh` removes
    /// fields that are not outstanding, and `width` returns the number of behaviours of an object. The log is
    /// a buffer, empty before and afterwards.
    pub(crate) fn add_missing(
        &mut self,
        missing: &[FieldSet],
        tick: u32,
        refresh: impl FnOnce(&StreamedFields, &mut Backlog),
        width: impl Fn(NetId) -> usize,
        log: &mut WriteLog,
    ) {
        let backlog = self.backlog.get_or_insert_default();
        // Later in its tick a backlog has no field that has changed since.
        if backlog.oldest() < Some(tick) {
            refresh(&self.streamed, backlog);
        }
        backlog.add_missing(missing, width, log, tick);
    }

    /// Forgets fields that have arrived although their packets were declared lost. `arrived` is in the order of objects
    /// and behaviours.
    pub(crate) fn forget_arrived(&mut self, arrived: &[FieldSet]) {
        let lost = self.packets.iter_mut();
        for set in lost.filter_map(|lost| lost.content.own_mut()) {
            set.remove(arrived);
        }
        if let Some(backlog) = &mut self.backlog {
            for set in arrived {
                backlog.forget_arrived(set);
            }
        }
    }

    /// Forgets the losses of an object: the stream carries its snapshot in a tick. `has_datagrams`: older datagrams
    /// may be lost later.
    pub(crate) fn forget_object(&mut self, id: NetId, tick: u32, has_datagrams: bool) {
        if let Some(backlog) = &mut self.backlog {
            backlog.remove_object(id);
        }
        if has_datagrams {
            self.streamed.add_snapshot(id, tick);
        }
    }

    /// Forgets the losses of datagrams.
    pub(crate) fn forget_datagrams(&mut self) {
        self.streamed.clear();
        self.packets.clear();
    }
}
