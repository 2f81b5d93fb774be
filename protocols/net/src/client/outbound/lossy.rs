//! `LossyWrites`: fields of unreliable behaviours that this client writes, in datagrams.
//!
//! A message of an object supersedes the earlier messages: it has all fields whose last packet is undecided or lost, with
//! their present values. So the server needs one tick per object.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::sent_inputs::SentInputs;
use crate::link::ack::Ack;
use crate::link::header::DatagramHeader;
use crate::link::header_bytes::HeaderBytes;
use crate::link::losses::Losses;
use crate::link::round_trip::RoundTrip;
use crate::link::sender::{Content, Sender, Verdict, VerdictKind};
use crate::link::settings::LossSettings;
use bytes::Bytes;
use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::FieldTicks;
use syncvar_runtime::unstable::ordered::Ids;

/// Lost and undecided fields of a behaviour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MissingFields {
    /// Lost fields.
    pub(crate) owed: u64,
    /// Undecided fields that this update repeats.
    pub(crate) repeated: u64,
    /// Fields in undecided packets.
    pub(crate) flying: u64,
}

/// Fields of a behaviour in a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnWrite {
    pub(crate) object: NetId,
    pub(crate) behaviour: u8,
    /// Number under which the client may write.
    pub(crate) permit: u32,
    pub(crate) fields: u64,
}

/// Datagram with owner writes that waits for the transport.
#[derive(Debug, Default)]
struct WaitingDatagram {
    channel: u8,
    tick: u32,
    messages: Vec<u8>,
    written: Vec<OwnWrite>,
    /// Newest tick of the inputs in it.
    inputs: Option<u64>,
}

/// Fields of an object under a permit.
#[derive(Debug)]
struct WrittenObject {
    permit: u32,
    behaviours: Vec<WrittenBehaviour>,
    stream: StreamWrite,
}

/// Last write of an object on the stream. Until the server has handled it, the next writes follow on the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamWrite {
    Handled,
    /// The packet is not cut yet.
    Queued,
    /// Number of its packet.
    Sent(u64),
}

/// Fields of a behaviour.
#[derive(Debug)]
struct WrittenBehaviour {
    index: u8,
    /// Updates whose packets have carried the fields last.
    carried: FieldTicks,
    owed: u64,
}

/// Writes of an owner over packets that may be lost.
#[derive(Debug)]
pub(crate) struct LossyWrites {
    sender: Sender<OwnWrite>,
    objects: BTreeMap<NetId, WrittenObject>,
    /// Objects with lost fields.
    owed: Ids<NetId>,
    /// New values of the last update that are sent once more, and those of this update.
    repeated: [Vec<OwnWrite>; 2],
    /// Fields in undecided packets, during an update.
    flying: FxHashMap<(NetId, u8), u64>,
    waiting: VecDeque<WaitingDatagram>,
    verdicts: Vec<Verdict<OwnWrite>>,
    /// Behaviours that were sent again after a loss.
    pub(crate) repaired: u64,
    /// Room for the messages of a datagram.
    room: usize,
    inputs: SentInputs,
}

impl LossyWrites {
    /// Returns the state of a new connection, whose datagrams have this much room behind the header.
    pub(crate) fn new(settings: LossSettings, room: usize, round_trip: RoundTrip) -> Self {
        Self {
            sender: Sender::new(settings, round_trip),
            objects: BTreeMap::new(),
            owed: Ids::default(),
            repeated: [Vec::new(), Vec::new()],
            flying: FxHashMap::default(),
            waiting: VecDeque::new(),
            verdicts: Vec::new(),
            repaired: 0,
            room,
            inputs: SentInputs::default(),
        }
    }

    /// Returns whether all writes have arrived, as far as the server has told.
    pub(crate) fn is_settled(&self) -> bool {
        let flying = self.sender.undecided_own().next();
        self.owed.is_empty() && self.waiting.is_empty() && flying.is_none()
    }

    /// Returns the delay and the losses of the datagrams.
    pub(crate) fn losses(&self, now: Duration) -> Losses {
        let handled = self.sender.handled();
        let is_on_stream = |object: &&WrittenObject| match object.stream {
            StreamWrite::Handled => false,
            StreamWrite::Queued => true,
            StreamWrite::Sent(packet) => packet > handled,
        };
        Losses {
            backlog: self.owed.len(),
            shown: self.objects.values().filter(is_on_stream).count(),
            repaired: self.repaired,
            ..Losses::of(&self.sender, now)
        }
    }

    /// Returns whether datagrams wait.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Handles an acknowledgement of the server.
    pub(crate) fn handle_ack(&mut self, ack: &Ack, now: Duration) {
        let mut verdicts = std::mem::take(&mut self.verdicts);
        self.sender.on_ack(now, ack, &mut verdicts);
        self.inputs.decide(&self.sender);
        self.judge(&mut verdicts);
        self.sender.on_gap(&mut verdicts);
        self.judge(&mut verdicts);
        self.verdicts = verdicts;
    }

    /// Owes or takes back the fields of decided packets.
    fn judge(&mut self, verdicts: &mut Vec<Verdict<OwnWrite>>) {
        for verdict in verdicts.drain(..) {
            if let Content::Own(written) = verdict.content {
                self.decide(verdict.kind, verdict.tick, &written);
            }
        }
    }

    fn decide(&mut self, kind: VerdictKind, tick: u32, written: &OwnWrite) {
        let Some(behaviour) = behaviour_of(&mut self.objects, written) else {
            return;
        };
        // A later packet decides about the remaining fields.
        let last = behaviour.carried.changed_until(written.fields, tick);
        match kind {
            VerdictKind::Lost | VerdictKind::Withheld => behaviour.owed |= last,
            VerdictKind::TakenBack => behaviour.owed &= !last,
        }
        if behaviour.owed != 0 {
            self.owed.insert(written.object);
        }
    }

    /// Begins an update. Returns the objects with fields to send again.
    pub(crate) fn begin(&mut self, now: Duration, update: u32) -> Vec<NetId> {
        let mut verdicts = std::mem::take(&mut self.verdicts);
        self.sender.on_time(now, update, &mut verdicts);
        self.judge(&mut verdicts);
        // A datagram that no transport has polled is out of date.
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.inputs.is_some() {
                self.inputs.note_drop();
            }
            for written in &waiting.written {
                self.decide(VerdictKind::Lost, waiting.tick, written);
            }
        }
        self.verdicts = verdicts;
        self.flying.clear();
        for (tick, written) in self.sender.undecided_own() {
            let behaviour = behaviour_of(&mut self.objects, written);
            // A later packet decides about the remaining fields.
            let last = behaviour.map_or(0, |it| it.carried.changed_until(written.fields, tick));
            if last != 0 {
                let key = (written.object, written.behaviour);
                *self.flying.entry(key).or_default() |= last;
            }
        }
        self.repeated.swap(0, 1);
        self.repeated[1].clear();
        let flying = &self.flying;
        self.repeated[0].retain_mut(|it| {
            it.fields &= flying.get(&(it.object, it.behaviour)).copied().unwrap_or(0);
            it.fields != 0
        });
        let owed = std::mem::take(&mut self.owed);
        let repeated = self.repeated[0].iter().map(|it| it.object);
        owed.iter().chain(repeated).collect()
    }

    /// Returns the missing fields of a behaviour. A message of its object must contain them.
    pub(crate) fn missing(&self, object: NetId, permit: u32, behaviour: u8) -> MissingFields {
        let known = self.objects.get(&object).filter(|it| it.permit == permit);
        let Some(known) = known else {
            return MissingFields::default();
        };
        let mut behaviours = known.behaviours.iter();
        let owed = behaviours.find(|it| it.index == behaviour);
        let of_behaviour = |it: &&OwnWrite| (it.object, it.behaviour) == (object, behaviour);
        let repeated = self.repeated[0].iter().filter(of_behaviour);
        let flying = self.flying.get(&(object, behaviour)).copied();
        MissingFields {
            owed: owed.map_or(0, |behaviour| behaviour.owed),
            repeated: repeated.fold(0, |all, it| all | it.fields),
            flying: flying.unwrap_or_default(),
        }
    }

    /// Keeps an object whose fields could not be sent yet.
    pub(crate) fn keep(&mut self, object: NetId) {
        let behaviours = self.objects.get(&object).map(|it| &it.behaviours);
        if behaviours.is_some_and(|all| all.iter().any(|it| it.owed != 0)) {
            self.owed.insert(object);
        }
    }

    /// Returns whether a message of an object fits a datagram, and no earlier one is on the stream.
    pub(crate) fn fits(&mut self, object: NetId, permit: u32, length: usize) -> bool {
        let handled = self.sender.handled();
        let known = self.objects.get_mut(&object);
        let waits = known.filter(|it| it.permit == permit).is_some_and(|known| {
            if matches!(known.stream, StreamWrite::Sent(packet) if packet <= handled) {
                known.stream = StreamWrite::Handled;
            }
            known.stream != StreamWrite::Handled
        });
        !waits && length <= self.room
    }

    /// Appends a message of an object to the datagrams of this update.
    pub(crate) fn push(&mut self, channel: u8, update: u32, message: &[u8], written: &[OwnWrite]) {
        let room = self.room;
        let last = self
            .waiting
            .back_mut()
            .filter(|last| last.channel == channel && last.messages.len() + message.len() <= room);
        let last = match last {
            Some(last) => last,
            None => {
                self.waiting.push_back(WaitingDatagram {
                    channel,
                    tick: update,
                    ..WaitingDatagram::default()
                });
                let Some(last) = self.waiting.back_mut() else {
                    return;
                };
                last
            }
        };
        last.messages.extend_from_slice(message);
        last.written.extend_from_slice(written);
    }

    /// Returns the newest tick whose input the server has.
    pub(crate) fn known_input(&self) -> Option<u64> {
        self.inputs.known()
    }

    /// Takes the newest input that the server has, after it has refused some.
    pub(crate) fn set_known_input(&mut self, known: Option<u64>) {
        self.inputs.set_known(known);
        self.waiting.iter_mut().for_each(|it| it.inputs = None);
    }

    /// Returns whether an update has dropped inputs that no transport had polled, once.
    pub(crate) fn take_dropped_inputs(&mut self) -> bool {
        self.inputs.take_drop()
    }

    /// Returns whether a message fits a datagram.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        length <= self.room
    }

    /// Appends a message with inputs up to a tick to the datagrams of this update.
    pub(crate) fn push_inputs(&mut self, channel: u8, update: u32, message: &[u8], newest: u64) {
        self.push(channel, update, message, &[]);
        if let Some(last) = self.waiting.back_mut() {
            last.inputs = Some(newest);
        }
    }

    /// Notes the fields in a message of an object. `count` is the number of the behaviour's fields.
    pub(crate) fn note(&mut self, written: &OwnWrite, update: u32, count: u32, on_stream: bool) {
        let new = || WrittenObject {
            permit: written.permit,
            behaviours: Vec::new(),
            stream: StreamWrite::Handled,
        };
        let object = self.objects.entry(written.object).or_insert_with(new);
        if object.permit != written.permit {
            *object = new();
        }
        if on_stream {
            object.stream = StreamWrite::Queued;
        }
        let known = object
            .behaviours
            .iter()
            .position(|it| it.index == written.behaviour);
        let at = known.unwrap_or_else(|| {
            object.behaviours.push(WrittenBehaviour {
                index: written.behaviour,
                carried: FieldTicks::new(count, 0),
                owed: 0,
            });
            object.behaviours.len() - 1
        });
        if let Some(behaviour) = object.behaviours.get_mut(at) {
            behaviour.carried.set(written.fields, update);
            behaviour.owed &= !written.fields;
        }
    }

    /// Notes new values that the next update repeats.
    pub(crate) fn repeat(&mut self, written: OwnWrite) {
        self.repeated[1].push(written);
    }

    /// Forgets an object that this client has no more, or must not write.
    pub(crate) fn forget(&mut self, object: NetId) {
        self.objects.remove(&object);
    }

    /// Notes a packet on the stream. `is_last`: no message waits behind it.
    pub(crate) fn stream_sent(&mut self, is_last: bool) {
        self.sender.count_reliable();
        if is_last {
            let packet = self.sender.reliable_sent();
            let queued = self.objects.values_mut();
            for object in queued.filter(|object| object.stream == StreamWrite::Queued) {
                object.stream = StreamWrite::Sent(packet);
            }
        }
    }

    /// Takes the next datagram with owner writes: channel, header, messages.
    pub(crate) fn pop(
        &mut self,
        now: Duration,
        ack: Option<Ack>,
    ) -> Option<(u8, HeaderBytes, Bytes)> {
        let waiting = self.waiting.pop_front()?;
        let header = self.header(now, waiting.tick, &waiting.written, ack);
        if let Some(newest) = waiting.inputs {
            self.inputs.note(self.sender.last_sequence(), newest);
        }
        Some((waiting.channel, header, waiting.messages.into()))
    }

    /// Returns the header of a datagram with these fields, which is sent now.
    pub(crate) fn header(
        &mut self,
        now: Duration,
        update: u32,
        written: &[OwnWrite],
        ack: Option<Ack>,
    ) -> HeaderBytes {
        let mut verdicts = std::mem::take(&mut self.verdicts);
        // The server waits for no packets of the stream.
        let sequence = self
            .sender
            .record(now, update, 0, [], written, &mut verdicts);
        self.judge(&mut verdicts);
        self.verdicts = verdicts;
        let place = self.sender.place(sequence, update);
        DatagramHeader::new(Some(place), ack).encode()
    }
}

/// Returns the fields of a behaviour, if its permit is the present one.
fn behaviour_of<'a>(
    objects: &'a mut BTreeMap<NetId, WrittenObject>,
    written: &OwnWrite,
) -> Option<&'a mut WrittenBehaviour> {
    let object = objects.get_mut(&written.object);
    let object = object.filter(|object| object.permit == written.permit)?;
    let mut behaviours = object.behaviours.iter_mut();
    behaviours.find(|it| it.index == written.behaviour)
}
