//! What fits into the batch that is open, by lengths alone.

use super::{BATCH_HEADER, framed};

/// How full the open batch of a channel is: what decides whether a message goes into it or begins another
/// one.
///
/// It counts; it holds no bytes. Connections whose rooms are equal cut the same messages in the same way.
///
/// ```
/// use syncvar_mirror::batch::Room;
///
/// let mut room = Room::new(20);
/// assert!(room.add(5, 1.0)); // begins the first batch
/// assert!(!room.add(5, 1.0)); // 8 + 6 + 6 = 20: still fits
/// assert!(room.add(1, 1.0)); // begins another one
/// assert!(room.add(1, 2.0)); // at another time, too
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    threshold: usize,
    /// The length of the open batch; 0 if none is open.
    used: usize,
    time: f64,
}

impl Room {
    /// No batch is open, and batches are filled up to so many bytes.
    pub const fn new(threshold: usize) -> Self {
        Self {
            threshold,
            used: 0,
            time: 0.0,
        }
    }

    /// The length of the open batch with all that stands around its messages; 0 if none is open.
    pub const fn used(&self) -> usize {
        self.used
    }

    /// Whether a message of so many bytes, queued at this time, begins another batch.
    pub fn begins(&self, message: usize, time: f64) -> bool {
        let full = self.used.saturating_add(framed(message)) > self.threshold;
        self.used == 0 || self.time.to_bits() != time.to_bits() || full
    }

    /// Counts a message of so many bytes in, and says whether it begins another batch.
    pub fn add(&mut self, message: usize, time: f64) -> bool {
        let begins = self.begins(message, time);
        if begins {
            (self.used, self.time) = (BATCH_HEADER, time);
        }
        self.used = self.used.saturating_add(framed(message));
        begins
    }

    /// How many messages of these lengths, all queued at this time, go into the open batch one after
    /// another, and how many bytes they take there with their lengths. None if none is open.
    pub fn fitting(&self, messages: impl IntoIterator<Item = usize>, time: f64) -> (usize, usize) {
        let (mut room, before) = (*self, self.used);
        let fitting = messages.into_iter().take_while(|message| {
            let fits = !room.begins(*message, time);
            if fits {
                room.add(*message, time);
            }
            fits
        });
        let count = fitting.count();
        (count, room.used.saturating_sub(before))
    }

    /// The open batch was taken away.
    pub fn close(&mut self) {
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_messages_fit_as_stay_within_the_threshold() {
        let mut room = Room::new(32);
        assert_eq!(room.fitting([4, 4], 1.0), (0, 0), "no batch is open");
        room.add(4, 1.0);
        assert_eq!(room.fitting([4; 9], 1.0), (3, 15));
        assert_eq!(room.fitting([4, 40, 4], 1.0), (1, 5));
        assert_eq!(room.fitting([4], 2.0), (0, 0));
    }

    #[test]
    fn a_message_beyond_the_threshold_is_alone() {
        let mut room = Room::new(20);
        let begun = [1, 50, 1].map(|message| room.add(message, 1.0));
        assert_eq!(begun, [true, true, true]);
    }

    #[test]
    fn a_batch_that_was_taken_away_is_not_filled_further() {
        let mut room = Room::new(100);
        room.add(1, 1.0);
        room.close();
        assert!(room.begins(1, 1.0));
    }
}
