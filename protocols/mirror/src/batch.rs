//! Batches: the unit of the transport. A time, and then messages, each behind its length.
//!
//! [`Batcher`] collects the messages of a channel of a connection, [`Unbatcher`] splits a
//! batch. Servers and clients contain both; the types are public for tools and tests.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

mod batcher;
mod unbatcher;

pub use batcher::Batcher;
pub use unbatcher::{BatchError, Unbatcher};

use syncvar_runtime::Channel;

/// Length of the time at the start of a batch.
pub(crate) const BATCH_HEADER: usize = 8;

/// Limits of a transport message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Fill limit of a batch on either channel; one message may be longer. Mirror,
    /// `Transport.GetBatchThreshold`.
    pub batch_threshold: usize,
    /// Longest batch on the reliable channel. Mirror, `Transport.GetMaxPacketSize`.
    pub max_reliable: usize,
    /// Longest batch on the unreliable channel.
    pub max_unreliable: usize,
}

impl Limits {
    /// Limits of Telepathy with Mirror's settings.
    pub const TELEPATHY: Self = Self {
        batch_threshold: 16_384,
        max_reliable: 16_384,
        max_unreliable: 16_384,
    };

    /// Limits of KCP with Mirror's settings.
    pub const KCP: Self = Self {
        batch_threshold: 1194,
        max_reliable: 297_433,
        max_unreliable: 1194,
    };

    /// Returns the longest batch of a channel.
    pub const fn max_batch(&self, channel: Channel) -> usize {
        match channel {
            Channel::Unreliable => self.max_unreliable,
            Channel::Reliable => self.max_reliable,
        }
    }

    /// Returns whether a channel carries a message of this length, its id included, alone in a
    /// batch.
    ///
    /// ```
    /// use syncvar::mirror::Limits;
    /// use syncvar::Channel;
    ///
    /// // 8 bytes for the time, 3 for the length.
    /// assert!(Limits::TELEPATHY.can_carry(Channel::Reliable, 16_373));
    /// assert!(!Limits::TELEPATHY.can_carry(Channel::Reliable, 16_374));
    /// ```
    pub const fn can_carry(&self, channel: Channel, message: usize) -> bool {
        let batch = BATCH_HEADER.saturating_add(framed(message));
        batch <= self.max_batch(channel)
    }

    /// Returns the longest message of a channel, its id included.
    pub(crate) const fn longest(&self, channel: Channel) -> usize {
        let room = self.max_batch(channel).saturating_sub(BATCH_HEADER);
        let prefix = framed(room).saturating_sub(room);
        let longest = room.saturating_sub(prefix);
        // One more may need a shorter prefix than the whole room would.
        let more = longest.saturating_add(1);
        if self.can_carry(channel, more) {
            more
        } else {
            longest
        }
    }
}

/// Returns the length of a message in a batch, its prefix included.
pub(crate) const fn framed(message: usize) -> usize {
    let prefix = match message {
        0..=240 => 1,
        241..=2287 => 2,
        2288..=67_823 => 3,
        67_824..=0xff_ffff => 4,
        0x100_0000..=0xffff_ffff => 5,
        // Mirror's receivers accept no message of 2^31 bytes and more.
        _ => 9,
    };
    message.saturating_add(prefix)
}

/// Returns the batch header of a time in seconds.
pub(crate) const fn header(time: f64) -> [u8; BATCH_HEADER] {
    time.to_le_bytes()
}

#[cfg(test)]
#[expect(clippy::as_conversions, reason = "small numbers")]
mod tests {
    use proptest::prelude::*;
    use syncvar_runtime::{Encoding, NetworkWriter};

    use super::*;

    #[test]
    fn longest_message_is_the_exact_limit() {
        for max_reliable in (9..300).chain([2296, 2297, 2298, 2299, 2300, 16_384, 297_433]) {
            let limits = Limits {
                max_reliable,
                ..Limits::KCP
            };
            let longest = limits.longest(Channel::Reliable);
            assert!(
                limits.can_carry(Channel::Reliable, longest),
                "{max_reliable}"
            );
            assert!(
                !limits.can_carry(Channel::Reliable, longest + 1),
                "{max_reliable}"
            );
        }
    }

    #[test]
    fn framed_length_matches_the_writer() {
        for message in [
            0,
            240,
            241,
            2287,
            2288,
            67_823,
            67_824,
            0xff_ffff,
            0x100_0000,
            0xffff_ffff,
        ] {
            let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
            writer.write_var_u64(message as u64);
            assert_eq!(framed(message), message + writer.len(), "{message}");
        }
    }

    #[test]
    fn kcp_has_a_longer_reliable_limit() {
        assert!(Limits::KCP.can_carry(Channel::Unreliable, 1184));
        assert!(!Limits::KCP.can_carry(Channel::Unreliable, 1185));
        assert!(Limits::KCP.can_carry(Channel::Reliable, 297_421));
        assert!(!Limits::KCP.can_carry(Channel::Reliable, 297_422));
    }

    proptest! {
        #[test]
        fn messages_survive_batching(
            threshold in 8..100_usize,
            sent in proptest::collection::vec(
                (proptest::collection::vec(any::<u8>(), 0..300), 0..3_u8),
                0..20,
            ),
        ) {
            let mut batcher = Batcher::new(threshold);
            for (message, time) in &sent {
                batcher.add(message, f64::from(*time));
            }
            let mut received = Vec::new();
            while let Some(batch) = batcher.next_batch() {
                let messages = Unbatcher::new(&batch)?;
                let time = messages.time();
                let messages = messages.collect::<Result<Vec<_>, _>>()?;
                prop_assert!(batch.len() <= threshold || messages.len() == 1);
                received.extend(messages.into_iter().map(|it| (it.to_vec(), time)));
            }
            let sent: Vec<_> = sent.into_iter().map(|(it, time)| (it, f64::from(time))).collect();
            prop_assert_eq!(received, sent);
        }

        #[test]
        fn arbitrary_batches_never_panic(batch in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(messages) = Unbatcher::new(&batch) {
                let bytes: usize = messages.flatten().map(<[u8]>::len).sum();
                prop_assert!(bytes < batch.len());
            }
        }
    }
}
