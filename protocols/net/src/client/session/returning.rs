//! Return to a session after a lost link.

use crate::SessionToken;
use crate::client::arrivals::Arrivals;
use crate::client::outbound::Outbound;
use crate::client::{ClientState, NetworkClient};
use crate::message::{Counts, Grant, GrantKind, Message, Return};
use crate::recent::Recent;
use syncvar_runtime::ReadError;
use syncvar_runtime::ordered::Ids;

/// Session that the server has granted.
#[derive(Debug, Default)]
pub(crate) struct Ticket {
    pub(super) token: Option<SessionToken>,
    /// Number of received packets on reliable channels.
    pub(crate) received: u64,
    /// State of the lost link, while the objects are here.
    pub(super) lost: Option<Box<Lost>>,
    /// Answer of the server before its `Connect`.
    granted: Option<Grant>,
}

/// State of a lost link.
#[derive(Debug)]
pub(super) struct Lost {
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

impl NetworkClient {
    /// Returns the token of the session, if the server has granted one. After a lost link the client
    /// returns with it at its next connection. Each return brings another token.
    pub fn session_token(&self) -> Option<SessionToken> {
        self.session.ticket.token
    }

    /// Sets the token for the next connection: the token of an earlier run of the program, or none to
    /// join as a new client. A set token brings the connection back, and all objects anew. A token that the
    /// server does not know begins a new session. No effect while a connection is open.
    pub fn set_session_token(&mut self, token: Option<SessionToken>) {
        if self.session.state == ClientState::Disconnected {
            self.session.ticket = Ticket {
                token,
                ..Ticket::default()
            };
        }
    }

    /// Returns whether the link is lost and the objects wait for the next one.
    pub(crate) fn is_away(&self) -> bool {
        !self.session.is_connected() && self.session.ticket.lost.is_some()
    }

    /// Keeps the state of a lost link, if the client can return.
    pub(super) fn keep_link(&mut self) -> bool {
        let new = Outbound::new(self.segment_size());
        let ticket = &mut self.session.ticket;
        if ticket.token.is_none() {
            return false;
        }
        if self.session.state == ClientState::Connected {
            ticket.lost = Some(Box::new(Lost {
                received: ticket.received,
                outbound: std::mem::replace(&mut self.outbound, new),
                arrivals: self.arrivals.take(),
            }));
        }
        ticket.lost.is_some()
    }

    /// Forgets the state of a lost link: its objects are gone.
    pub(crate) fn drop_link(&mut self) {
        self.session.ticket.lost = None;
    }

    /// Handles the session that the server grants, up to its `Connect`.
    pub(crate) fn handle_grant(&mut self, payload: &[u8]) -> Result<(), ReadError> {
        self.session.ticket.granted = Some(Grant::decode(payload)?);
        Ok(())
    }

    /// Removes the objects of the lost link if the server does not know its session: it may have
    /// restarted. Returns whether the connection stands after the callbacks.
    pub(super) fn end_former_session(&mut self) -> bool {
        let granted = self.session.ticket.granted.as_ref();
        let returns = granted.is_some_and(|granted| granted.kind != GrantKind::New);
        if returns || self.session.ticket.lost.is_none() {
            return true;
        }
        let number = self.session.number;
        self.drop_all_early();
        self.forget_all();
        if self.session.number != number || self.session.state != ClientState::Connecting {
            return false;
        }
        let (granted, asked) = (self.session.ticket.granted.take(), self.session.asked);
        self.reset_session();
        (self.session.ticket.granted, self.session.asked) = (granted, asked);
        // The packet in progress is the first one of the new session.
        self.session.ticket.received = 1;
        true
    }

    /// Enters the granted session, if any. Returns whether it is an earlier one, and whether its packets
    /// continue.
    pub(super) fn enter_session(&mut self) -> Option<bool> {
        let Some(granted) = self.session.ticket.granted.take() else {
            if self.session.is_heard() {
                self.session.ticket.token = None;
            }
            return None;
        };
        self.session.ticket.token = Some(granted.token);
        let lost = self.session.ticket.lost.take();
        match (granted.kind, lost) {
            (GrantKind::New, _) => None,
            (GrantKind::Resumed, Some(lost)) => {
                self.outbound = lost.outbound;
                self.arrivals = lost.arrivals;
                self.outbound.recent.resume(None, granted.received);
                self.session.ticket.received = lost.received;
                Some(true)
            }
            (_, lost) => {
                self.outbound.recent = lost.map_or_else(Recent::default, |lost| {
                    let mut recent = lost.outbound.recent;
                    recent.restart(None);
                    recent
                });
                self.session.ticket.received = granted.sent;
                self.forget_stream();
                Some(false)
            }
        }
    }

    /// Drops the state of a stream of packets that does not continue. The objects stay.
    fn forget_stream(&mut self) {
        self.session.joining = false;
        self.session.deferred.clear();
        self.forget_missed();
        self.inbound.reset();
        self.drop_all_early();
        // The objects follow anyway.
        self.writes.refused = Ids::default();
        self.context.clock.reset_server();
    }
}
