//! Return to a session after a lost link.

use super::Session;
use crate::SessionToken;
use crate::client::arrivals::Arrivals;
use crate::client::outbound::Outbound;
use crate::message::{Alternates, Counts, Grant, GrantKind, Return, Start};
use crate::recent::Recent;

/// Most addresses of further servers, and their longest text.
const MAX_ALTERNATES: usize = 16;
const MAX_ADDRESS: usize = 256;

/// Session that the server has granted.
#[derive(Debug, Default)]
pub(crate) struct Ticket {
    pub(crate) token: Option<SessionToken>,
    /// Number of received packets on reliable channels.
    pub(crate) received: u64,
    /// State of the lost link, while the objects are here.
    pub(crate) lost: Option<Box<Lost>>,
    /// Answer of the server before its `Connect`.
    pub(crate) granted: Option<Grant>,
}

/// State of a lost link.
#[derive(Debug)]
pub(crate) struct Lost {
    received: u64,
    outbound: Outbound,
    arrivals: Option<Arrivals>,
}

impl Ticket {
    /// Keeps the token only, for a connection without the objects of the session.
    pub(super) fn without_objects(&self) -> Self {
        Self {
            token: self.token,
            ..Self::default()
        }
    }

    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Returns the contents of the join request.
    pub(super) fn returning(&self) -> Option<Return> {
        let counts = self.lost.as_ref().map(|lost| Counts {
            received: lost.received,
            gone: lost.outbound.recent.gone(),
            sent: lost.outbound.recent.sent(),
        });
        self.token.map(|token| Return { token, counts })
    }
}

impl Session {
    /// Keeps the state of a lost link, if the client can return. Messages to the server go to a new `Outbound`
    /// meanwhile.
    pub(crate) fn keep_link(
        &mut self,
        outbound: &mut Outbound,
        arrivals: &mut Option<Arrivals>,
        packet_size: usize,
    ) -> bool {
        let new = Outbound::new(self.carrier.segment_size(packet_size));
        let is_connected = self.is_connected();
        let ticket = &mut self.ticket;
        if ticket.token.is_none() {
            return false;
        }
        if is_connected {
            ticket.lost = Some(Box::new(Lost {
                received: ticket.received,
                outbound: std::mem::replace(outbound, new),
                arrivals: arrivals.take(),
            }));
        }
        ticket.lost.is_some()
    }

    /// Returns whether objects of the lost link are here whose session the server does not know: it may have restarted.
    pub(crate) fn has_outdated_objects(&self) -> bool {
        let granted = self.ticket.granted.as_ref();
        let returns = granted.is_some_and(|granted| granted.kind != GrantKind::New);
        !returns && self.ticket.lost.is_some()
    }

    /// Returns whether a server has the world of the lost link: it is another relay of the same origin.
    pub(crate) fn is_same_world(&self, start: Option<Start>) -> bool {
        let known = start.filter(|start| start.incarnation != 0);
        known.is_some() && known == self.server.start && self.ticket.lost.is_some()
    }

    /// Takes the addresses of further servers of the same world, within limits.
    pub(crate) fn take_alternates(&mut self, alternates: Alternates) {
        let mut addresses = alternates.addresses;
        addresses.retain(|address| address.len() <= MAX_ADDRESS);
        addresses.truncate(MAX_ALTERNATES);
        self.request.alternates = addresses;
    }

    /// Enters the granted session, if any. Returns whether it is an earlier one, and whether its packets
    /// continue. `is_same_world` makes a new session continue the objects.
    pub(crate) fn enter(
        &mut self,
        is_same_world: bool,
        outbound: &mut Outbound,
        arrivals: &mut Option<Arrivals>,
    ) -> Option<bool> {
        let is_heard = self.is_heard();
        let ticket = &mut self.ticket;
        let Some(granted) = ticket.granted.take() else {
            if is_heard {
                ticket.token = None;
            }
            let lost = ticket.lost.take_if(|_| is_same_world)?;
            *arrivals = lost.arrivals;
            return Some(false);
        };
        ticket.token = Some(granted.token);
        let lost = ticket.lost.take();
        match (granted.kind, lost) {
            (GrantKind::New, Some(lost)) if is_same_world => {
                *arrivals = lost.arrivals;
                Some(false)
            }
            (GrantKind::New, _) => None,
            (GrantKind::Resumed, Some(lost)) => {
                *outbound = lost.outbound;
                *arrivals = lost.arrivals;
                outbound.recent.resume(None, granted.received);
                ticket.received = lost.received;
                Some(true)
            }
            (_, lost) => {
                outbound.recent = lost.map_or_else(Recent::default, |lost| {
                    // The calls in it wait for the state of their ticks.
                    *arrivals = lost.arrivals;
                    let mut recent = lost.outbound.recent;
                    recent.restart(None);
                    recent
                });
                ticket.received = granted.sent;
                Some(false)
            }
        }
    }
}
