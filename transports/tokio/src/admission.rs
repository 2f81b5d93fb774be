//! `Admission`: the places of a host's connections.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use syncvar_runtime::{ConnectionId, Endpoint};
use tokio::time::Instant;

use crate::{PeerAddrs, ReservedPlaces, TransportCounters, TransportOptions};

/// Time whose connections can arrive at once, within the rate.
const BURST: Duration = Duration::from_millis(250);

/// Bits of an IPv6 address beyond its /64 network.
const HOST_BITS: u128 = (1 << 64) - 1;

/// Places and rate of new connections, shared by the listeners of a host.
#[derive(Debug)]
pub(crate) struct Admission {
    max_connections: usize,
    max_per_address: usize,
    reserved: ReservedPlaces,
    /// Time of a connection at the highest rate.
    interval: Duration,
    state: Mutex<AdmissionState>,
    max_inbox_bytes: usize,
    max_inbox_total: usize,
    /// Bytes that one connection can have in its inbox.
    inbox_share: AtomicUsize,
    counters: TransportCounters,
    peers: PeerAddrs,
}

#[derive(Debug)]
struct AdmissionState {
    taken: usize,
    by_address: HashMap<IpAddr, usize>,
    /// Time at which all accepted connections are within the rate.
    due: Instant,
    /// Sessions that wait for their clients, with the network of the last link. Their packets cost the server memory.
    away: Vec<(ConnectionId, IpAddr)>,
}

/// Place of a connection, free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    admission: Arc<Admission>,
    network: IpAddr,
}

/// Reason for a refused connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("all places are taken")]
    Full,
    #[error("all places of the address are taken")]
    Address,
}

impl Admission {
    pub(crate) fn new(
        options: &TransportOptions,
        counters: TransportCounters,
        peers: PeerAddrs,
    ) -> Arc<Self> {
        Arc::new(Self {
            max_connections: options.max_connections,
            max_per_address: options.max_connections_per_address,
            reserved: options.reserved.clone(),
            interval: Duration::from_secs(1) / options.max_accepts_per_second.max(1),
            state: Mutex::new(AdmissionState {
                taken: 0,
                by_address: HashMap::new(),
                due: Instant::now(),
                away: Vec::new(),
            }),
            max_inbox_bytes: options.max_inbox_bytes,
            max_inbox_total: options.max_inbox_total,
            inbox_share: AtomicUsize::new(options.max_inbox_bytes.min(options.max_inbox_total)),
            counters,
            peers,
        })
    }

    /// Returns the addresses of the connections.
    pub(crate) fn peers(&self) -> &PeerAddrs {
        &self.peers
    }

    pub(crate) fn counters(&self) -> &TransportCounters {
        &self.counters
    }

    /// Returns whether the rate allows a further connection.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.state().due.saturating_duration_since(now) < BURST
    }

    /// Counts an accepted connection for the rate.
    pub(crate) fn spend(&self, now: Instant) {
        self.delay(now, self.interval);
    }

    /// Counts a connection that was closed at once: a single one is cheap, a flood is not.
    pub(crate) fn spend_refused(&self, now: Instant) {
        self.delay(now, self.interval / 4);
    }

    fn delay(&self, now: Instant, time: Duration) {
        let mut state = self.state();
        state.due = state.due.max(now) + time;
    }

    /// Takes a place for a connection.
    pub(crate) fn admit(self: &Arc<Self>, from: IpAddr) -> Result<Place, Refusal> {
        let address = from.to_canonical();
        let network = network(address);
        let mut state = self.state();
        let unreserved = self.max_connections.saturating_sub(self.reserved.count());
        let is_full = state.taken >= self.max_connections
            || (state.taken >= unreserved && !self.reserved.is_known(address));
        if is_full {
            self.counters.count(|stats| &mut stats.refused_full);
            return Err(Refusal::Full);
        }
        let of_network = state.by_address.entry(network).or_default();
        if *of_network >= self.max_per_address {
            self.counters.count(|stats| &mut stats.refused_address);
            return Err(Refusal::Address);
        }
        *of_network += 1;
        state.taken += 1;
        self.share_inbox(state.taken);
        self.counters.count(|stats| &mut stats.accepted);
        let admission = Arc::clone(self);
        Ok(Place { admission, network })
    }

    /// Ends a link by `end`. Its session ends, too, if as many sessions of the address wait as it may have connections.
    pub(crate) fn end_link<E: Endpoint>(
        &self,
        server: &mut E,
        link: ConnectionId,
        end: impl FnOnce(&mut E),
    ) {
        let returned = server.returned().find(|(_, of)| *of == link);
        let session = returned.map_or(link, |(session, _)| session);
        let Some(address) = self.peers.of_link(link) else {
            return end(server);
        };
        let network = network(address.ip().to_canonical());
        if self.count_away(server, network) >= self.max_per_address && server.is_connected(link) {
            server.disconnect(link, "too many lost links of the address");
            self.counters.count(|stats| &mut stats.refused_away);
        }
        end(server);
        if server.is_away(session) {
            self.state().away.push((session, network));
        }
    }

    /// Returns the number of a network's sessions that wait for their clients.
    fn count_away(&self, server: &impl Endpoint, network: IpAddr) -> usize {
        let mut state = self.state();
        state.away.retain(|(session, _)| server.is_away(*session));
        let same = state.away.iter().filter(|(_, of)| *of == network);
        same.count()
    }

    /// Returns the bytes that each connection can have in its inbox now.
    pub(crate) fn inbox_share(&self) -> usize {
        self.inbox_share.load(Ordering::Relaxed)
    }

    fn share_inbox(&self, connections: usize) {
        let share = self.max_inbox_total / connections.max(1);
        let share = share.min(self.max_inbox_bytes);
        self.inbox_share.store(share, Ordering::Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, AdmissionState> {
        // A predicate of the program that panics leaves the numbers whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.admission.state();
        state.taken -= 1;
        self.admission.share_inbox(state.taken);
        if let Some(of_network) = state.by_address.get_mut(&self.network) {
            *of_network -= 1;
            if *of_network == 0 {
                state.by_address.remove(&self.network);
            }
        }
    }
}

/// Returns the addresses that count as one: one address of IPv4, a /64 network of IPv6.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !HOST_BITS).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn admission(options: &TransportOptions) -> Arc<Admission> {
        Admission::new(options, TransportCounters::default(), PeerAddrs::default())
    }

    #[tokio::test]
    async fn an_address_has_its_places_and_no_more() {
        let admission = admission(&TransportOptions {
            max_connections_per_address: 2,
            ..TransportOptions::mirror()
        });
        let of_one = ["10.0.0.1", "10.0.0.1", "::ffff:10.0.0.1"].map(address);
        let [first, _second, third] = of_one.map(|from| admission.admit(from));
        assert_eq!(third.unwrap_err(), Refusal::Address);
        let _other = admission.admit(address("10.0.0.2")).unwrap();
        drop(first);
        admission.admit(of_one[0]).unwrap();
        let stats = admission.counters().stats();
        assert_eq!((stats.accepted, stats.refused_address), (4, 1));
    }

    #[tokio::test]
    async fn a_network_of_ipv6_is_one_address() {
        let admission = admission(&TransportOptions {
            max_connections_per_address: 1,
            ..TransportOptions::mirror()
        });
        let _first = admission.admit(address("2001:db8::1")).unwrap();
        let second = admission.admit(address("2001:db8::ffff:2"));
        assert_eq!(second.unwrap_err(), Refusal::Address);
        admission.admit(address("2001:db8:0:1::1")).unwrap();
    }

    #[tokio::test]
    async fn reserved_places_are_for_known_addresses() {
        let known = address("10.0.0.9");
        let admission = admission(&TransportOptions {
            max_connections: 2,
            reserved: ReservedPlaces::new(1, move |from| from == known),
            ..TransportOptions::mirror()
        });
        let stranger = address("10.0.0.1");
        let _first = admission.admit(stranger).unwrap();
        assert_eq!(admission.admit(stranger).unwrap_err(), Refusal::Full);
        let _returning = admission.admit(known).unwrap();
        assert_eq!(admission.admit(known).unwrap_err(), Refusal::Full);
        assert_eq!(admission.counters().stats().refused_full, 2);
    }

    #[tokio::test]
    async fn known_addresses_leave_the_other_places_alone() {
        let known = address("10.0.0.9");
        let admission = admission(&TransportOptions {
            max_connections: 4,
            reserved: ReservedPlaces::new(2, move |from| from == known),
            ..TransportOptions::mirror()
        });
        let from = ["10.0.0.9", "10.0.0.1"].map(address);
        let _places = from.map(|from| admission.admit(from).unwrap());
        assert_eq!(admission.counters().stats().refused_full, 0);
    }

    #[tokio::test]
    async fn connections_share_the_total_of_their_inboxes() {
        let admission = admission(&TransportOptions {
            max_inbox_bytes: 1000,
            max_inbox_total: 2400,
            ..TransportOptions::mirror()
        });
        let mut places = Vec::new();
        for share in [1000, 1000, 800, 600] {
            places.push(admission.admit(address("10.0.0.1")).unwrap());
            assert_eq!(admission.inbox_share(), share);
        }
        places.truncate(2);
        assert_eq!(admission.inbox_share(), 1000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_waits_for_the_rate() {
        let admission = admission(&TransportOptions {
            max_accepts_per_second: 100,
            ..TransportOptions::mirror()
        });
        let accept = |now| {
            let open = admission.is_open(now);
            if open {
                admission.spend(now);
            }
            open
        };
        let start = Instant::now();
        assert_eq!((0..1000).filter(|_| accept(start)).count(), 25);
        let later = start + Duration::from_millis(100);
        assert_eq!((0..1000).filter(|_| accept(later)).count(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn half_the_rate_never_waits() {
        let admission = admission(&TransportOptions {
            max_accepts_per_second: 100,
            ..TransportOptions::mirror()
        });
        let mut now = Instant::now();
        for _ in 0..1000 {
            assert!(admission.is_open(now));
            admission.spend(now);
            now += Duration::from_millis(20);
        }
    }
}
