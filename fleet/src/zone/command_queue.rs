//! `CommandQueue`: commands of a client to an object, until a zone has applied them.

use std::collections::VecDeque;

use bytes::Bytes;

/// Commands of a client to an object. They are sent again until a zone acknowledges them, to whichever zone has the object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CommandQueue {
    /// Number of the last command.
    last: u32,
    /// Commands without an acknowledgement. The last command has the last number.
    pending: VecDeque<Bytes>,
}

impl CommandQueue {
    /// Adds a command. Returns its number, from 1.
    pub(crate) fn push(&mut self, command: Bytes) -> u32 {
        self.last += 1;
        self.pending.push_back(command);
        self.last
    }

    /// Returns the commands without an acknowledgement, with their numbers.
    pub(crate) fn pending(&self) -> impl Iterator<Item = (u32, &Bytes)> {
        let lacking = u32::try_from(self.pending.len()).unwrap_or(self.last);
        (self.last - lacking + 1..).zip(&self.pending)
    }

    /// Removes the commands up to a number.
    pub(crate) fn acknowledge(&mut self, number: u32) {
        let lacking = self.last.saturating_sub(number) as usize;
        while self.pending.len() > lacking {
            self.pending.pop_front();
        }
    }
}
