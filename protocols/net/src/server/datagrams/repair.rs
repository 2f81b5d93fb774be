//! Repairs of lost datagrams: lost fields are written again with the frame after the loss, or join a backlog.

use syncvar_runtime::unstable::packet::{FRAME, Room, Segments, update_length};
use syncvar_runtime::{Channel, ConnectionId};

use crate::Framing;
use crate::link::sender::{Content, VerdictKind};
use crate::server::ServerConfig;
use crate::server::datagram_link::DatagramLink;
use crate::server::datagrams::Datagrams;
use crate::server::ground::Ground;
use crate::server::ledger::field_set::FieldSet;
use crate::server::objects::Objects;
use crate::server::outbound::PlacedFields;
use crate::server::replication::bandwidth::BandwidthLimiter;
use crate::server::sessions::connection::Connection;
use crate::server::visibility::Visibility;
use crate::server::visibility::observer_view::ObserverView;

/// Result of writing the lost fields of an object.
enum Repair {
    Written,
    Waits,
    /// A value cannot be written any more.
    Dropped,
    /// The bytes of this update are used up.
    Full,
}

impl Datagrams {
    /// Writes the fields again that have been lost since the last frame. Fields that have to wait join the backlogs.
    pub(crate) fn repair_losses(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        limiter: &mut BandwidthLimiter,
    ) {
        if !ground.outbound.records.is_open {
            return;
        }
        for place in 0..self.links.len() {
            let id = self.links[place];
            let connection = ground.sessions.connections.get(id.0);
            let has_losses = connection.is_some_and(|connection| {
                connection.datagrams.is_some() && !connection.ledger.packets.is_empty()
            });
            if has_losses && self.repair_losses_of(ground, visibility, id) {
                limiter.add_connection(id);
            }
        }
        self.lost_chunks.clear();
    }

    /// Repairs the losses of a connection. Returns whether fields have joined its backlog.
    fn repair_losses_of(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &Visibility,
        id: ConnectionId,
    ) -> bool {
        let Some(connection) = ground.sessions.connections.get_mut(id.0) else {
            return false;
        };
        let Connection {
            datagrams: Some(link),
            ledger,
            ..
        } = &mut *connection
        else {
            return false;
        };
        // Fields in a backlog have waited longer.
        let has_backlog = ledger.is_limited() || ledger.waiting() > 0;
        let is_free = !has_backlog && !link.sender.is_detached();
        let config = &ground.context.config;
        let mut packets = std::mem::take(&mut ledger.packets);
        for packet in packets.drain(..) {
            let former = self.missing.len();
            let chunk = match packet.content {
                Content::Chunk(number) if is_free => {
                    let (objects, size) = (&*ground.objects, config.gathered_size());
                    self.lost_chunks.get(number, objects, ground.outbound, size)
                }
                _ => None,
            };
            let view = ObserverView::new(ground.objects, visibility, id);
            let streamed = &ledger.streamed;
            let sent = chunk.and_then(|chunk| {
                let sent = chunk.send(view, link, streamed, config.loss.repair_bytes)?;
                view.add_outstanding(streamed, chunk.others, chunk.tick(), &mut self.missing);
                Some(sent)
            });
            if sent.is_none() {
                let sets = ground.outbound.records.entries_in(&packet.content);
                view.add_outstanding(streamed, sets, packet.tick, &mut self.missing);
            }
            if packet.kind == VerdictKind::Lost {
                link.counts.repaired += (sent.unwrap_or(0) + self.missing.len() - former) as u64;
            }
        }
        ledger.packets = packets;
        if is_free {
            let placed = &mut ground.outbound.unicast;
            self.write_missing(ground.objects, config, link, placed);
            let is_lossy = |channel| config.is_lossy(channel);
            ground
                .outbound
                .queue_unicast(connection, is_lossy, &mut self.repairs);
        }
        let view = ObserverView::new(ground.objects, visibility, id);
        self.note_missing(view, connection, ground.outbound.records.tick())
    }

    /// Writes missing fields with their present values, within the bytes of an update. Leaves the fields that have to wait.
    fn write_missing(
        &mut self,
        objects: &mut Objects,
        config: &ServerConfig,
        link: &mut DatagramLink,
        placed: &mut PlacedFields,
    ) {
        let (missing, outputs) = (&mut self.missing, &mut self.repairs);
        if !missing.is_sorted_by_key(FieldSet::order) {
            missing.sort_unstable_by_key(FieldSet::order);
        }
        let (mut kept, mut start) = (0, 0);
        while let Some(first) = missing.get(start).copied() {
            let of_object = missing[start..].iter();
            let of_object = of_object
                .take_while(|set| (set.net_id, set.channel) == (first.net_id, first.channel))
                .count();
            let end = start + of_object;
            while outputs.len() <= usize::from(first.channel) {
                let size = config.gathered_size();
                outputs.push(Framing::Compact.segments_of(Channel::Unreliable, size));
            }
            let output = &mut outputs[usize::from(first.channel)];
            let lost = &missing[start..end];
            let repair = write_lost_fields(objects, link, lost, output, config.loss.repair_bytes);
            match repair {
                Repair::Written => placed.place(lost, output.last_update().end),
                Repair::Dropped => {}
                Repair::Waits => {
                    missing.copy_within(start..end, kept);
                    kept += of_object;
                }
                Repair::Full => break,
            }
            start = end;
        }
        missing.drain(kept..start);
    }
}

/// Writes lost fields of an object on a channel. An object waits with dirty fields, which their frame sends, and
/// with fields that cannot be written again. `limit`: bytes of all repairs in
/// an update.
fn write_lost_fields(
    objects: &mut Objects,
    link: &mut DatagramLink,
    lost: &[FieldSet],
    output: &mut Segments,
    limit: usize,
) -> Repair {
    let Some(FieldSet {
        net_id, channel, ..
    }) = lost.first().copied()
    else {
        return Repair::Dropped;
    };
    let Some(slots) = objects.world.slots_mut(net_id) else {
        return Repair::Waits;
    };
    let form = output.form();
    let writer = output.begin_update(net_id);
    let (mut behaviour, mut waits) = (0_u8, false);
    slots.for_each_mut(|slot| {
        let info = slot.info();
        if info.channel == channel {
            let of_slot = lost.iter().filter(|set| set.behaviour == behaviour);
            let fields = of_slot.fold(0, |fields, set| fields | set.fields);
            waits |= !info.resendable || slot.write_again(fields, writer) != 0;
        }
        behaviour = behaviour.saturating_add(1);
    });
    // The frame has reported a value without a form. The next write makes it fit.
    let failed = output.check_update(Room::any()).is_some();
    let bytes = update_length(form, net_id, output.last_update().len());
    let repair = match (waits || !link.carries(FRAME + bytes), failed) {
        (true, _) => Repair::Waits,
        (_, true) => Repair::Dropped,
        _ if !link.reserve_repair(bytes, limit) => Repair::Full,
        _ => Repair::Written,
    };
    if !matches!(repair, Repair::Written) {
        output.give_up_object();
        return repair;
    }
    output.commit_object();
    repair
}
