//! `ReservedPlaces`.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// Places for connections from known addresses: returning players, operators, load balancers.
///
/// ```
/// use std::net::{IpAddr, Ipv4Addr};
/// use syncvar::tcp::{ReservedPlaces, TransportOptions};
///
/// let office = IpAddr::from(Ipv4Addr::new(192, 0, 2, 7));
/// let mut options = TransportOptions {
///     max_connections: 100,
///     ..TransportOptions::default()
/// };
/// // 90 places for all addresses, 10 more for the office.
/// options.reserved = ReservedPlaces::new(10, move |address| address == office);
/// ```
#[derive(Clone, Default)]
pub struct ReservedPlaces {
    places: usize,
    is_known: Option<Arc<dyn Fn(IpAddr) -> bool + Send + Sync>>,
}

impl ReservedPlaces {
    /// Reserves places for the addresses that `is_known` accepts. A host asks it for each connection
    /// that finds the remaining places taken.
    pub fn new(places: usize, is_known: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> Self {
        Self {
            places,
            is_known: Some(Arc::new(is_known)),
        }
    }

    /// Returns the number of reserved places.
    pub fn count(&self) -> usize {
        self.places
    }

    /// Returns whether an address is known.
    pub fn is_known(&self, address: IpAddr) -> bool {
        let is_known = self.is_known.as_ref();
        is_known.is_some_and(|is_known| is_known(address))
    }
}

impl fmt::Debug for ReservedPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("ReservedPlaces");
        tuple.field(&self.places).finish_non_exhaustive()
    }
}
