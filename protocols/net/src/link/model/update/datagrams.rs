//! The datagrams and the packet of the stream for one connection.

use std::rc::Rc;
use std::time::Duration;

use super::{Addressed, Echo, PACKET_ENTRIES};
use crate::link::model::connection::OwnRepair;
use crate::link::model::packet::{Chunk, Datagram, Message, ModelEntry, Packet};
use crate::link::model::rules::Rule;
use crate::link::model::server::ModelServer;
use crate::link::model::{Mask, bits};
use crate::link::sender::ChunkRef;
use crate::link::sequence::low_bits;

/// Contents of a datagram in the making.
#[derive(Default)]
struct Load {
    chunks: Vec<Rc<Chunk>>,
    /// Chunks for the record: echoes name their originals.
    records: Vec<ChunkRef>,
    own: Vec<OwnRepair>,
    entries: usize,
}

/// Datagrams of one connection in an update.
struct Loads {
    budget: usize,
    loads: Vec<Load>,
}

impl Loads {
    /// Returns a datagram with room for some entries, if the budget has one.
    fn place(&mut self, entries: usize) -> Option<&mut Load> {
        let last = self.loads.last();
        if last.is_none_or(|load| load.entries + entries > PACKET_ENTRIES) {
            if self.loads.len() >= self.budget {
                return None;
            }
            self.loads.push(Load::default());
        }
        let load = self.loads.last_mut()?;
        load.entries += entries;
        Some(load)
    }
}

fn chunk_ref(chunk: &Chunk) -> ChunkRef {
    ChunkRef {
        number: chunk.number,
        tick: chunk.tick,
    }
}

impl ModelServer {
    pub(super) fn send(
        &mut self,
        client: usize,
        now: Duration,
        chunks: &[Addressed],
        echoes: &[Echo],
        out: &mut Vec<(usize, Packet)>,
    ) {
        let mut verdicts = Vec::new();
        let (tick, budget) = (self.tick, self.budget);
        let link = &mut self.connections[client].link;
        let must_probe = link.on_time(now, tick, &mut verdicts);
        self.judge(client, &verdicts);
        let link = &mut self.connections[client].link;
        let mut must_probe = must_probe;
        if link.is_stalled(now, budget + 1) {
            verdicts.clear();
            link.detach(now, tick - 1, &mut verdicts);
            self.connections[client].traffic.detached += 1;
            self.judge(client, &verdicts);
            must_probe = true;
        }
        let mut loads = Loads {
            budget,
            loads: Vec::new(),
        };
        let is_detached = self.connections[client].link.is_detached();
        let before = self.connections[client].link.reliable_sent();
        let mut partial = is_detached;
        if !is_detached {
            partial |= self.load_frame(client, chunks, &mut loads);
            self.load_echoes(client, echoes, &mut loads);
            partial |= self.load_repairs(client, &mut loads);
        }
        let connection = &mut self.connections[client];
        let call = connection.call.take().filter(|_| !is_detached);
        if loads.loads.is_empty() && (call.is_some() || must_probe) {
            loads.loads.push(Load::default());
            if must_probe {
                connection.link.probe_sent(now);
            }
        }
        partial &= self.has(Rule::Partial);
        self.send_packets(client, now, (before, partial, call), loads.loads, out);
        let connection = &mut self.connections[client];
        let oldest = connection.link.oldest_open_tick().unwrap_or(u32::MAX);
        connection.shown.retain(|shown| shown.2 >= oldest);
    }

    /// Returns whether a chunk was withheld.
    fn load_frame(&mut self, client: usize, chunks: &[Addressed], loads: &mut Loads) -> bool {
        let mut partial = false;
        for (_, chunk) in chunks
            .iter()
            .filter(|(audience, _)| audience >> client & 1 == 1)
        {
            let entries = chunk.entries.len();
            let traffic = &mut self.connections[client].traffic;
            traffic.framed += entries as u64;
            if let Some(load) = loads.place(entries) {
                traffic.sent += entries as u64;
                load.chunks.push(Rc::clone(chunk));
                load.records.push(chunk_ref(chunk));
                continue;
            }
            partial = true;
            for entry in &chunk.entries {
                self.owe(client, entry.object, entry.mask, chunk.tick);
            }
        }
        partial
    }

    fn load_echoes(&self, client: usize, echoes: &[Echo], loads: &mut Loads) {
        let link = &self.connections[client].link;
        if loads.loads.is_empty() && !link.has_losses() {
            return;
        }
        let of_link = |original: &Chunk| link.last_tick() == Some(original.tick);
        for (_, original, copy) in echoes.iter().filter(|echo| echo.0 >> client & 1 == 1) {
            let awaits = link.awaits(original.number) || !self.has(Rule::EchoFlying);
            if awaits
                && of_link(original)
                && let Some(load) = loads.place(copy.entries.len())
            {
                load.chunks.push(Rc::clone(copy));
                load.records.push(chunk_ref(original));
            }
        }
    }

    /// Returns whether a large field waits.
    fn load_repairs(&mut self, client: usize, loads: &mut Loads) -> bool {
        let (mut partial, mut repairs) = (false, 0);
        let numbers: Vec<_> = self.connections[client].backlog.keys().copied().collect();
        for number in numbers {
            let (mut mask, as_of) = self.connections[client].backlog[&number];
            if self.has(Rule::Refilter) {
                mask = self.standing(client, number, mask, as_of);
            }
            let Some(object) = self.objects.get(&number) else {
                continue;
            };
            let unframed = if self.has(Rule::FramedOnly) {
                mask & object.dirty
            } else {
                0
            };
            let mut left = unframed;
            let ready = mask & !unframed;
            let (small, large) = (ready & !object.large, ready & object.large);
            let (small_entry, large_entry) =
                (object.entry(number, small), object.entry(number, large));
            if large != 0 && self.send_large(client, large_entry) {
                self.sent_reliably(client, number, large);
            } else if large != 0 {
                left |= large;
                partial = true;
            }
            let may_repair = small != 0 && repairs < self.repairs;
            if let Some(load) = Some(())
                .filter(|()| may_repair)
                .and_then(|()| loads.place(1))
            {
                repairs += 1;
                let chunk = Chunk {
                    number: 0,
                    tick: self.tick,
                    entries: vec![small_entry],
                };
                load.chunks.push(chunk.into());
                load.own.push((number, small));
                self.check_repair(client, number, small);
            } else {
                left |= small;
            }
            let connection = &mut self.connections[client];
            if left == 0 {
                connection.backlog.remove(&number);
            } else {
                connection.backlog.insert(number, (left, as_of));
            }
        }
        self.connections[client].traffic.repaired += repairs as u64;
        partial
    }

    /// Sends a large value by the stream, unless one of the object is still under way.
    fn send_large(&mut self, client: usize, entry: ModelEntry) -> bool {
        let one_large = self.has(Rule::OneLarge);
        let connection = &mut self.connections[client];
        let last = connection.large.get(&entry.object);
        let is_free = last.is_none_or(|packet| *packet <= connection.link.handled());
        if !is_free && one_large {
            return false;
        }
        if !is_free {
            self.violation = Some("P4: large values pile up on the stream".to_owned());
        }
        let packet = connection.link.reliable_sent() + 1;
        connection.large.insert(entry.object, packet);
        connection.messages.push(Message::Fields(entry));
        true
    }

    /// P3: a repair holds nothing that the client has or that is under way.
    fn check_repair(&mut self, client: usize, number: u32, mask: Mask) {
        let object = &self.objects[&number];
        let connection = &self.connections[client];
        let known = bits(mask)
            .find(|field| connection.has_or_awaits(number, *field, object.changed[*field]));
        if let Some(field) = known {
            let text = format!("P3: field {field} of object {number} is sent again to {client}");
            self.violation = Some(text);
        }
    }

    fn send_packets(
        &mut self,
        client: usize,
        now: Duration,
        (before, partial, mut call): (u64, bool, Option<u32>),
        loads: Vec<Load>,
        out: &mut Vec<(usize, Packet)>,
    ) {
        let tick = self.tick;
        let after_end = self.has(Rule::AfterEnd);
        let connection = &mut self.connections[client];
        let count = u8::try_from(loads.len()).unwrap();
        let wide = connection.link.needs_wide_tick(tick) || connection.is_stream_only;
        let header = Datagram {
            tick: low_bits(tick.into()),
            wide: wide.then_some(tick),
            partial,
            ..Datagram::default()
        };
        let mut loads = loads;
        if connection.is_stream_only {
            let states = loads.drain(..).map(|load| {
                Message::State(Datagram {
                    chunks: load.chunks,
                    ..header.clone()
                })
            });
            connection.messages.extend(states);
            call = None;
        }
        let datagrams = u8::try_from(loads.len()).unwrap();
        if let Some(packet) = connection.take_stream_packet(tick, datagrams, partial) {
            out.push((client, Packet::Stream(packet)));
        }
        let end = connection.link.reliable_sent();
        let after = if after_end { end } else { before };
        let is_owed = connection.receiver.owes_ack();
        let mut ack = is_owed.then(|| connection.receiver.take_ack());
        for (index, load) in loads.into_iter().enumerate() {
            let sequence = self.record(client, now, after, &load);
            let link = &self.connections[client].link;
            let packet = Datagram {
                sequence: Some(low_bits(sequence)),
                after: link.needs_after(after).then(|| low_bits(after)),
                part: (u8::try_from(index).unwrap(), count),
                ack: ack.take(),
                chunks: load.chunks,
                call: call.take(),
                ..header.clone()
            };
            out.push((client, Packet::Datagram(packet)));
        }
        if let Some(ack) = ack {
            let packet = Datagram {
                ack: Some(ack),
                ..header
            };
            out.push((client, Packet::Datagram(packet)));
        }
    }

    fn record(&mut self, client: usize, now: Duration, after: u64, load: &Load) -> u64 {
        let mut verdicts = Vec::new();
        let chunks = load.records.iter().copied();
        let connection = &mut self.connections[client];
        let sequence =
            connection
                .link
                .record(now, self.tick, after, chunks, &load.own, &mut verdicts);
        self.judge(client, &verdicts);
        let shared = load.records.iter().flat_map(|chunk| {
            let index = usize::try_from(chunk.number - 1).unwrap();
            let entries = self.chunks[index].entries.iter();
            entries.map(|entry| (entry.object, entry.mask, chunk.tick))
        });
        let own = load
            .own
            .iter()
            .map(|(object, mask)| (*object, *mask, self.tick));
        let content = shared.chain(own).collect();
        let contents = &mut self.connections[client].contents;
        contents.insert(sequence, content);
        sequence
    }
}
