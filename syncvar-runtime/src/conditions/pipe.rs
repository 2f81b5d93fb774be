//! `Pipe`: one direction of a simulated link.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;

use super::Conditions;
use crate::{Channel, Random};

/// Least additional travel time of a packet that is overtaken.
const LEAST_DETOUR: Duration = Duration::from_millis(20);

/// Greatest share of lost packets: a stream must go on.
const MAX_LOSS: f64 = 0.99;

/// One direction of a simulated link. It is without a clock.
///
/// ```
/// use std::time::Duration;
/// use syncvar_runtime::Channel;
/// use syncvar_runtime::conditions::{Conditions, Pipe};
///
/// let conditions = Conditions { delay: Duration::from_millis(30), ..Conditions::default() };
/// let mut pipe = Pipe::new(&conditions, 0);
/// pipe.send(Duration::ZERO, (Channel::Reliable, 0), "packet".into());
/// assert_eq!(pipe.next_arrival(), Some(Duration::from_millis(30)));
/// assert_eq!(pipe.next_arrived(Duration::from_millis(29)), None);
/// let arrived = pipe.next_arrived(Duration::from_millis(30));
/// assert_eq!(arrived, Some((Channel::Reliable, 0, "packet".into())));
/// ```
#[derive(Debug)]
pub struct Pipe {
    conditions: Conditions,
    random: Random,
    /// In order of arrival.
    in_flight: VecDeque<InFlight>,
    bytes: usize,
    /// Arrival time of the last packet on a reliable channel.
    last_reliable: Duration,
    /// Time when the last packet has left the narrow end.
    free: Duration,
    /// Time before which no packet arrives.
    held_until: Duration,
}

#[derive(Debug)]
struct InFlight {
    arrival: Duration,
    /// Carrier and channel.
    place: (Channel, u8),
    packet: Bytes,
}

impl Pipe {
    /// Makes a pipe. Each number selects different random numbers of the seed.
    pub fn new(conditions: &Conditions, number: u64) -> Self {
        let seed = conditions.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            conditions: conditions.clone(),
            random: Random::new(seed),
            in_flight: VecDeque::new(),
            bytes: 0,
            last_reliable: Duration::ZERO,
            free: Duration::ZERO,
            held_until: Duration::ZERO,
        }
    }

    /// Returns the conditions.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Changes the conditions for the packets to come. The random numbers go on.
    pub fn set_conditions(&mut self, conditions: Conditions) {
        self.conditions = conditions;
    }

    /// Holds the packets in flight and those to come until a time, if no longer hold is under way.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar_runtime::Channel;
    /// use syncvar_runtime::conditions::{Conditions, Pipe};
    ///
    /// let mut pipe = Pipe::new(&Conditions::default(), 0);
    /// pipe.send(Duration::ZERO, (Channel::Unreliable, 1), "packet".into());
    /// pipe.hold(Duration::from_millis(20));
    /// assert_eq!(pipe.next_arrived(Duration::from_millis(19)), None);
    /// assert!(pipe.next_arrived(Duration::from_millis(20)).is_some());
    /// ```
    pub fn hold(&mut self, until: Duration) {
        self.held_until = self.held_until.max(until);
    }

    /// Returns whether no packet is in flight.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Returns the bytes in flight.
    pub fn queued_bytes(&self) -> usize {
        self.bytes
    }

    /// Drops the packets in flight.
    pub fn clear(&mut self) {
        self.in_flight.clear();
        self.bytes = 0;
    }

    /// Sends a packet: `place` is its carrier, [`Channel::Unreliable`] for a datagram, and the number of its channel.
    pub fn send(&mut self, now: Duration, place: (Channel, u8), packet: Bytes) {
        let reliable = place.0 == Channel::Reliable;
        let mut arrival = self.arrival(now, packet.len());
        while self.happens(self.conditions.loss.min(MAX_LOSS)) {
            if !reliable {
                return;
            }
            let again = self.conditions.delay.saturating_add(self.travel_time());
            arrival = arrival.saturating_add(again);
        }
        if reliable {
            arrival = arrival.max(self.last_reliable);
            self.last_reliable = arrival;
        } else {
            arrival = arrival.saturating_add(self.detour());
            self.duplicate(now, place, &packet);
        }
        self.insert(InFlight {
            arrival,
            place,
            packet,
        });
    }

    /// Removes and returns the next packet that has arrived: its carrier, channel and bytes.
    pub fn next_arrived(&mut self, now: Duration) -> Option<(Channel, u8, Bytes)> {
        if self.next_arrival()? > now {
            return None;
        }
        let in_flight = self.in_flight.pop_front()?;
        self.bytes = self.bytes.saturating_sub(in_flight.packet.len());
        let (carrier, channel) = in_flight.place;
        Some((carrier, channel, in_flight.packet))
    }

    /// Returns the time at which the next packet arrives.
    pub fn next_arrival(&self) -> Option<Duration> {
        let first = self.in_flight.front();
        first.map(|packet| packet.arrival.max(self.held_until))
    }

    fn insert(&mut self, packet: InFlight) {
        self.bytes = self.bytes.saturating_add(packet.packet.len());
        let earlier = |other: &InFlight| other.arrival <= packet.arrival;
        let index = self.in_flight.partition_point(earlier);
        self.in_flight.insert(index, packet);
    }

    /// Sends some datagrams a second time.
    fn duplicate(&mut self, now: Duration, place: (Channel, u8), packet: &Bytes) {
        if self.conditions.duplicate > 0.0 && self.happens(self.conditions.duplicate) {
            let arrival = self.arrival(now, packet.len());
            let packet = packet.clone();
            self.insert(InFlight {
                arrival,
                place,
                packet,
            });
        }
    }

    /// Returns the additional travel time of a datagram.
    fn detour(&mut self) -> Duration {
        if self.conditions.reorder > 0.0 && self.happens(self.conditions.reorder) {
            self.travel_time().max(LEAST_DETOUR)
        } else {
            Duration::ZERO
        }
    }

    /// Returns the time when a packet arrives.
    fn arrival(&mut self, now: Duration, length: usize) -> Duration {
        let departure = self.departure(now, length);
        departure.saturating_add(self.travel_time())
    }

    /// Returns the time when a packet has left.
    fn departure(&mut self, now: Duration, length: usize) -> Duration {
        let Some(rate) = self.conditions.bandwidth else {
            return now;
        };
        let bytes = u32::try_from(length).unwrap_or(u32::MAX);
        let time = Duration::from_secs(1) * bytes / rate.max(1);
        self.free = self.free.max(now).saturating_add(time);
        self.free
    }

    fn travel_time(&mut self) -> Duration {
        let part = self.random.below(1000);
        let jitter = self.conditions.jitter.saturating_mul(part) / 1000;
        self.conditions.delay.saturating_add(jitter)
    }

    /// Returns `true` for a share of the cases.
    fn happens(&mut self, share: f64) -> bool {
        // The margin absorbs the rounding of the product.
        f64::from(self.random.below(1000)) + 1e-9 < share * 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNRELIABLE: (Channel, u8) = (Channel::Unreliable, 1);
    const RELIABLE: (Channel, u8) = (Channel::Reliable, 0);

    /// Sends 1000 packets of two bytes, one per millisecond, and returns their numbers as they arrive.
    fn arrive(conditions: &Conditions, place: (Channel, u8)) -> Vec<u16> {
        let mut pipe = Pipe::new(conditions, 1);
        for number in 0..1000_u16 {
            let bytes = number.to_be_bytes().to_vec();
            pipe.send(Duration::from_millis(number.into()), place, bytes.into());
        }
        let arrived = std::iter::from_fn(|| pipe.next_arrived(Duration::MAX));
        let numbers = arrived.map(|(_, _, bytes)| u16::from_be_bytes([bytes[0], bytes[1]]));
        let numbers = numbers.collect();
        assert_eq!((pipe.queued_bytes(), pipe.is_empty()), (0, true));
        numbers
    }

    #[test]
    fn shares_of_datagrams_are_lost_and_duplicated() {
        let conditions = Conditions {
            loss: 0.2,
            duplicate: 0.1,
            ..Conditions::default()
        };
        let mut arrived = arrive(&conditions, UNRELIABLE);
        let all = arrived.len();
        arrived.dedup();
        let once = arrived.len();
        assert!((760..=840).contains(&once), "{once}");
        assert!((60..=110).contains(&(all - once)), "{}", all - once);
    }

    #[test]
    fn a_share_of_datagrams_is_overtaken() {
        let conditions = Conditions {
            reorder: 0.1,
            ..Conditions::default()
        };
        let arrived = arrive(&conditions, UNRELIABLE);
        assert_eq!(arrived.len(), 1000);
        let overtaken = arrived.windows(2).filter(|pair| pair[0] > pair[1]).count();
        assert!((60..=140).contains(&overtaken), "{overtaken}");
    }

    #[test]
    fn a_stream_keeps_its_order_under_all_conditions() {
        let conditions = Conditions {
            delay: Duration::from_millis(20),
            jitter: Duration::from_millis(50),
            loss: 0.3,
            duplicate: 0.5,
            reorder: 0.5,
            bandwidth: Some(3000),
            seed: 7,
        };
        let all: Vec<u16> = (0..1000).collect();
        assert_eq!(arrive(&conditions, RELIABLE), all);
    }

    #[test]
    fn a_narrow_pipe_takes_its_time() {
        let bandwidth = Some(1000);
        let mut pipe = Pipe::new(
            &Conditions {
                bandwidth,
                ..Conditions::default()
            },
            0,
        );
        for _ in 0..3 {
            pipe.send(Duration::ZERO, UNRELIABLE, vec![0; 500].into());
        }
        assert_eq!(pipe.queued_bytes(), 1500);
        for millis in [500, 1000, 1500] {
            let at = Duration::from_millis(millis);
            assert_eq!(pipe.next_arrival(), Some(at));
            assert!(pipe.next_arrived(at).is_some());
        }
    }
}
