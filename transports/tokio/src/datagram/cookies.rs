//! `Cookies`: numbers that prove the address of a client.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::time::Duration;

/// Least validity of a cookie, in seconds. The longest is twice as long.
const LIFETIME: u64 = 10;

/// Most addresses with a used cookie in memory.
const MAX_USED: usize = 4096;

/// Source of cookies, without memory for the addresses that ask: a cookie is a keyed hash of the
/// address and the time. A cookie is valid for a single connection: used cookies are stored until they expire.
#[derive(Debug)]
pub(super) struct Cookies {
    random: RandomState,
    /// Bits of a cookie that may be set.
    mask: u64,
    used: BTreeMap<SocketAddr, Used>,
    /// Addresses by the time of the use.
    order: VecDeque<SocketAddr>,
}

#[derive(Debug, Default)]
struct Used {
    /// Number of used cookies.
    count: u32,
    /// Time of the last use or request.
    at: Duration,
}

impl Cookies {
    /// Makes a source of cookies of at most 64 bits.
    pub(super) fn new(bits: u32) -> Self {
        Self {
            random: RandomState::new(),
            mask: u64::MAX
                .checked_shr(u64::BITS.saturating_sub(bits))
                .unwrap_or_default(),
            used: BTreeMap::new(),
            order: VecDeque::new(),
        }
    }

    /// Returns the cookie for an address: the same one for some seconds, unless it is used.
    pub(super) fn give(&mut self, to: SocketAddr, now: Duration) -> NonZeroU64 {
        let mut count = 0;
        if let Some(used) = self.used.get_mut(&to) {
            used.at = now;
            count = used.count;
        }
        self.cookie(to, count, epoch(now))
    }

    /// Returns whether a cookie is valid for an address.
    pub(super) fn is_valid(&self, from: SocketAddr, cookie: NonZeroU64, now: Duration) -> bool {
        let count = self.used.get(&from).map_or(0, |used| used.count);
        let epoch = epoch(now);
        let mut good = [Some(epoch), epoch.checked_sub(1)].into_iter().flatten();
        good.any(|epoch| cookie == self.cookie(from, count, epoch))
    }

    /// Uses the valid cookies of an address.
    pub(super) fn take(&mut self, from: SocketAddr, now: Duration) {
        self.forget_old(now);
        let used = self.used.entry(from).or_default();
        if used.count == 0 {
            self.order.push_back(from);
        }
        used.count = used.count.wrapping_add(1).max(1);
        used.at = now;
    }

    fn cookie(&self, of: SocketAddr, count: u32, epoch: u64) -> NonZeroU64 {
        let hash = self.random.hash_one((of, count, epoch));
        NonZeroU64::new(hash & self.mask).unwrap_or(NonZeroU64::MIN)
    }

    /// Drops expired cookies, and the oldest beyond the limit.
    fn forget_old(&mut self, now: Duration) {
        for _ in 0..self.order.len() {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            let used = self.used.get(&oldest).map(|used| used.at);
            let is_old = used.is_none_or(|at| now.saturating_sub(at).as_secs() >= 2 * LIFETIME);
            if is_old || self.order.len() >= MAX_USED - 1 {
                self.used.remove(&oldest);
            } else {
                self.order.push_front(oldest);
                return;
            }
        }
    }
}

fn epoch(now: Duration) -> u64 {
    now.as_secs() / LIFETIME
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses a cookie, if it is valid.
    fn take(cookies: &mut Cookies, from: SocketAddr, cookie: NonZeroU64, now: Duration) -> bool {
        let is_valid = cookies.is_valid(from, cookie, now);
        if is_valid {
            cookies.take(from, now);
        }
        is_valid
    }

    fn addr(number: u32) -> SocketAddr {
        let [a, b, c, d] = number.to_be_bytes();
        ([a, b, c, d], 7000).into()
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn cookie_request_stores_no_state() {
        let mut cookies = Cookies::new(64);
        let first = cookies.give(addr(0), secs(0));
        for number in 1..100_000 {
            cookies.give(addr(number), secs(0));
        }
        assert!(cookies.used.is_empty() && cookies.order.is_empty());
        assert!(take(&mut cookies, addr(0), first, secs(0)));
    }

    #[test]
    fn a_cookie_is_good_for_its_address_and_one_connection() {
        let mut cookies = Cookies::new(64);
        let cookie = cookies.give(addr(1), secs(3));
        assert_eq!(cookies.give(addr(1), secs(4)), cookie);
        assert_ne!(cookies.give(addr(2), secs(4)), cookie);
        assert!(!take(&mut cookies, addr(2), cookie, secs(4)));
        assert!(take(&mut cookies, addr(1), cookie, secs(4)));
        assert!(!take(&mut cookies, addr(1), cookie, secs(4)));

        let next = cookies.give(addr(1), secs(4));
        assert_ne!(next, cookie);
        assert!(take(&mut cookies, addr(1), next, secs(4)));
        for old in [cookie, next] {
            assert!(!take(&mut cookies, addr(1), old, secs(4)));
        }
    }

    #[test]
    fn a_cookie_is_good_for_ten_seconds_at_least_and_not_for_ever() {
        for given in 0..20 {
            let mut cookies = Cookies::new(64);
            let cookie = cookies.give(addr(1), secs(given));
            assert!(!take(&mut cookies, addr(1), cookie, secs(given + 20)));
            assert!(take(&mut cookies, addr(1), cookie, secs(given + 10)));
        }
    }

    #[test]
    fn a_used_cookie_is_invalid_and_a_new_one_is_valid() {
        for at in 0..60 {
            let mut cookies = Cookies::new(64);
            let cookie = cookies.give(addr(1), secs(0));
            assert!(take(&mut cookies, addr(1), cookie, secs(5)));
            let next = cookies.give(addr(1), secs(5 + at));
            // Another address, so that expired cookies are dropped.
            let other = cookies.give(addr(2), secs(10 + at));
            assert!(take(&mut cookies, addr(2), other, secs(10 + at)));
            assert!(!take(&mut cookies, addr(1), cookie, secs(10 + at)), "{at}");
            assert!(take(&mut cookies, addr(1), next, secs(10 + at)), "{at}");
        }
    }

    #[test]
    fn used_cookies_are_limited_in_number_and_time() {
        let mut cookies = Cookies::new(64);
        let come = |cookies: &mut Cookies, number: u32, now: Duration| {
            let cookie = cookies.give(addr(number), now);
            assert!(take(cookies, addr(number), cookie, now));
        };
        for number in 0..10_000 {
            come(&mut cookies, number, secs(0));
        }
        assert_eq!(
            (cookies.used.len(), cookies.order.len()),
            (MAX_USED, MAX_USED)
        );
        come(&mut cookies, 1, secs(30));
        assert_eq!((cookies.used.len(), cookies.order.len()), (1, 1));
    }
}
