//! `Handovers`: the zone with the real copy of an object, and the numbers of its commands.
//!
//! An object has one real copy, in one zone. A handover moves it by two messages, which may be lost, repeated and reordered:
//!
//! ```text
//!   zone A                                      zone B
//!   Real, epoch 4
//!     │ depart: the state leaves the server
//!   Leaving ── Offer (epoch 5, number 9, state) ──>  admits it:  Real, epoch 5
//!     │     <──────── Answer (number 9, yes) ──────    │ not:     the number is refused, for ever
//!   gone                                             Real
//!   or, behind a no: Real, epoch 6
//! ```
//!
//! *Numbers.* The offers of A to B are numbered. B remembers its answer for each number, so a repeated offer receives the same
//! answer. An offer also contains the lowest number without an answer: B forgets the numbers below, and passes over late offers
//! with them. So the memory is bounded at both ends by the offers on their way.
//!
//! The first offer to a zone has the term of the process in its upper half: a process without the journal of the one before it begins
//! with numbers that the receiver has not seen.
//!
//! *Commit.* The state machine is a part of the state that a zone writes to its journal. A message leaves a zone only when the
//! journal has the transition that the message reports. A zone that ends and starts again from its journal therefore never
//! contradicts its messages. The journal of A with the departure is the commit of the offer, and the journal of B with the
//! answer is the commit of the handover:
//!
//! | end of a process | state behind the start from the journal |
//! | --- | --- |
//! | A before the departure is written | A: Real. Nobody has received an offer |
//! | A behind it | A: Leaving. It repeats the offer, and B its answer |
//! | B before the answer is written | B: without the object. The next offer finds it so |
//! | B behind it | B: Real. The next offer receives the answer |
//!
//! A is never Real again without a refusal, because B may have admitted the object. While B is silent the object is Leaving.
//!
//! *Commands.* A client numbers its commands to an object. The last number is a part of the object, and moves with it: a command
//! is applied once, in the zone that is Real, directly behind its predecessor. The gateway keeps a command until a zone has
//! written it to the journal.
//!
//! `search` proves all this for two zones, with every order of the messages.

#[cfg(test)]
mod search;

use std::collections::BTreeMap;

use bytes::Bytes;
use syncvar_runtime::NetId;

use super::{ClientId, ZoneId};

/// Object on its way between two zones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Offer {
    /// Number among the offers between the two zones, from 1.
    pub(crate) number: u64,
    /// Lowest number without an answer.
    pub(crate) settled: u64,
    pub(crate) object: NetId,
    /// Epoch of the object in the new zone.
    pub(crate) epoch: u64,
    pub(crate) state: Bytes,
    /// Last command number by client.
    pub(crate) commands: BTreeMap<ClientId, u32>,
}

/// Answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OfferAnswer {
    pub(crate) number: u64,
    pub(crate) admitted: bool,
}

/// Effect of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// The object belongs to this zone now: its state enters the server.
    Admitted(OfferAnswer),
    /// The answer to a refused or repeated offer.
    Known(OfferAnswer),
    /// The offer is older than its answer.
    Late,
}

/// Effect of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// The object belongs to the receiver.
    Moved(NetId),
    /// The object belongs to this zone again: its state enters the server.
    Returned(NetId, Bytes),
}

/// Place of a command among those of its client to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandPlace {
    /// Directly behind the last one: it is applied now.
    Next,
    /// It was applied. The number is that of the last command.
    Known(u32),
    /// A command before it is missing.
    Early,
    /// The object is not real in this zone.
    Elsewhere,
}

/// Object with its real copy in this zone, or on its way from this zone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Residence {
    pub(crate) epoch: u64,
    /// Last command number by client.
    pub(crate) commands: BTreeMap<ClientId, u32>,
    pub(crate) departure: Option<Departure>,
}

/// Offer without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Departure {
    pub(crate) to: ZoneId,
    pub(crate) number: u64,
    pub(crate) state: Bytes,
}

/// Offers to a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct OutgoingOffers {
    /// Number of the last offer.
    pub(crate) last: u64,
    /// Objects of the offers without an answer, by number.
    pub(crate) open: BTreeMap<u64, NetId>,
}

/// Offers from a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct IncomingOffers {
    /// All lower numbers are settled.
    pub(crate) settled: u64,
    /// Answers to the higher numbers: whether the object was admitted.
    pub(crate) answers: BTreeMap<u64, bool>,
}

/// Objects of a zone, and the offers between this zone and its neighbours. A zone keeps it in its journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Handovers {
    pub(crate) residences: BTreeMap<NetId, Residence>,
    pub(crate) outgoing: BTreeMap<ZoneId, OutgoingOffers>,
    pub(crate) incoming: BTreeMap<ZoneId, IncomingOffers>,
    /// Number before that of the first offer to a zone.
    pub(crate) begin: u64,
}

impl OutgoingOffers {
    /// Returns the lowest number without an answer.
    fn settled(&self) -> u64 {
        self.open.keys().next().copied().unwrap_or(self.last + 1)
    }
}

impl Handovers {
    /// Adds a new object of this zone.
    pub(crate) fn spawn(&mut self, object: NetId) {
        self.residences.entry(object).or_insert(Residence {
            epoch: 1,
            commands: BTreeMap::new(),
            departure: None,
        });
    }

    /// Removes an object that has ended. An object on its way stays.
    pub(crate) fn despawn(&mut self, object: NetId) {
        if self.is_real(object) {
            self.residences.remove(&object);
        }
    }

    /// Returns whether the real copy of an object is in this zone.
    pub(crate) fn is_real(&self, object: NetId) -> bool {
        let residence = self.residences.get(&object);
        residence.is_some_and(|it| it.departure.is_none())
    }

    /// Begins the numbers of the offers to further zones, by the term of the process.
    pub(crate) fn begin_offers(&mut self, term: u64) {
        self.begin = self.begin.max(term.min(u32::MAX.into()) << 32);
    }

    /// Begins a handover of a real object. `state` leaves the server. Returns whether the object was real.
    pub(crate) fn depart(&mut self, object: NetId, to: ZoneId, state: Bytes) -> bool {
        let residence = self.residences.get_mut(&object);
        let Some(residence) = residence.filter(|it| it.departure.is_none()) else {
            return false;
        };
        let last = self.begin;
        let outgoing = self.outgoing.entry(to).or_insert_with(|| OutgoingOffers {
            last,
            open: BTreeMap::new(),
        });
        outgoing.last += 1;
        let number = outgoing.last;
        outgoing.open.insert(number, object);
        residence.departure = Some(Departure { to, number, state });
        true
    }

    /// Returns the offers without an answer. A zone repeats them until their answers arrive.
    pub(crate) fn offers(&self) -> impl Iterator<Item = (ZoneId, Offer)> {
        self.outgoing.iter().flat_map(|(to, outgoing)| {
            outgoing.open.iter().filter_map(|(number, object)| {
                let residence = self.residences.get(object)?;
                let departure = residence.departure.as_ref()?;
                let offer = Offer {
                    number: *number,
                    settled: outgoing.settled(),
                    object: *object,
                    epoch: residence.epoch + 1,
                    state: departure.state.clone(),
                    commands: residence.commands.clone(),
                };
                Some((*to, offer))
            })
        })
    }

    /// Returns whether an offer waits for its first answer.
    pub(crate) fn is_new(&self, from: ZoneId, offer: &Offer) -> bool {
        self.incoming.get(&from).is_none_or(|incoming| {
            offer.number >= incoming.settled && !incoming.answers.contains_key(&offer.number)
        })
    }

    /// Takes an offer. `admits` says whether the server can have the object.
    pub(crate) fn take_offer(&mut self, from: ZoneId, offer: &Offer, admits: bool) -> Reception {
        let incoming = self.incoming.entry(from).or_default();
        if offer.number < incoming.settled {
            return Reception::Late;
        }
        if offer.settled > incoming.settled {
            incoming.settled = offer.settled;
            incoming.answers = incoming.answers.split_off(&offer.settled);
        }
        let number = offer.number;
        if let Some(admitted) = incoming.answers.get(&number).copied() {
            return Reception::Known(OfferAnswer { number, admitted });
        }
        // This zone may wait for the answer to its own offer of the object: it is refused until then.
        let admitted = admits && !self.residences.contains_key(&offer.object);
        incoming.answers.insert(number, admitted);
        if !admitted {
            return Reception::Known(OfferAnswer { number, admitted });
        }
        self.residences.insert(
            offer.object,
            Residence {
                epoch: offer.epoch,
                commands: offer.commands.clone(),
                departure: None,
            },
        );
        Reception::Admitted(OfferAnswer { number, admitted })
    }

    /// Takes an answer. `None` for a repeated answer.
    pub(crate) fn take_answer(&mut self, from: ZoneId, answer: OfferAnswer) -> Option<Settlement> {
        let outgoing = self.outgoing.get_mut(&from)?;
        let object = outgoing.open.remove(&answer.number)?;
        if answer.admitted {
            self.residences.remove(&object);
            return Some(Settlement::Moved(object));
        }
        let residence = self.residences.get_mut(&object)?;
        let departure = residence.departure.take()?;
        // The offered epoch may be known to observers.
        residence.epoch += 2;
        Some(Settlement::Returned(object, departure.state))
    }

    /// Returns the place of a command.
    pub(crate) fn place(&self, object: NetId, client: ClientId, number: u32) -> CommandPlace {
        let residence = self.residences.get(&object);
        let Some(residence) = residence.filter(|it| it.departure.is_none()) else {
            return CommandPlace::Elsewhere;
        };
        let last = residence.commands.get(&client).copied().unwrap_or_default();
        match number {
            _ if number <= last => CommandPlace::Known(last),
            _ if number - 1 == last => CommandPlace::Next,
            _ => CommandPlace::Early,
        }
    }

    /// Returns the number of the last command of a client to an object that is real here.
    pub(crate) fn applied(&self, object: NetId, client: ClientId) -> Option<u32> {
        let residence = self.residences.get(&object);
        let residence = residence.filter(|it| it.departure.is_none())?;
        Some(residence.commands.get(&client).copied().unwrap_or_default())
    }

    /// Notes that a command in its [place](Self::place) was applied.
    pub(crate) fn note_applied(&mut self, object: NetId, client: ClientId, number: u32) {
        if let Some(residence) = self.residences.get_mut(&object) {
            residence.commands.insert(client, number);
        }
    }
}
