//! Batches to messages.

use syncvar_runtime::{Encoding, NetworkReader};

/// The messages of a batch. Mirror's `Unbatcher`, for one batch.
///
/// The iteration ends with the first error. A batch without messages is valid.
///
/// ```
/// use syncvar::mirror::batch::Unbatcher;
///
/// let mut messages = Unbatcher::new(b"\0\0\0\0\0\0\xf0\x3f\x02\xaa\xbb\x01\xcc")?;
/// assert_eq!(messages.time(), 1.0);
/// assert_eq!(messages.next(), Some(Ok(&[0xaa, 0xbb][..])));
/// assert_eq!(messages.next(), Some(Ok(&[0xcc][..])));
/// assert_eq!(messages.next(), None);
/// # Ok::<(), syncvar_mirror::BatchError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Unbatcher<'a> {
    time: f64,
    reader: NetworkReader<'a>,
}

/// Error of a malformed batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The bytes end before the time.
    #[error("{length} bytes are fewer than the 8 of the time")]
    TooShort {
        /// The number of bytes.
        length: usize,
    },
    /// The length of a message is cut off.
    #[error("the length of a message at byte {offset} is cut off")]
    UnfinishedSize {
        /// Its start.
        offset: usize,
    },
    /// A message is longer than the rest.
    #[error("a message of {size} bytes at byte {offset} exceeds the {left} left")]
    BeyondEnd {
        /// The start of its length.
        offset: usize,
        /// Its stated length.
        size: u64,
        /// The bytes left after the length.
        left: usize,
    },
}

impl<'a> Unbatcher<'a> {
    /// Begins to split a batch.
    ///
    /// # Errors
    ///
    /// [`BatchError::TooShort`] for fewer bytes than a time.
    pub fn new(batch: &'a [u8]) -> Result<Self, BatchError> {
        let mut reader = NetworkReader::with_encoding(batch, Encoding::Mirror);
        match reader.read_f64() {
            Ok(time) => Ok(Self { time, reader }),
            Err(_) => Err(BatchError::TooShort {
                length: batch.len(),
            }),
        }
    }

    /// Returns the queue time of the messages, in seconds of the sender's clock; any bits, NaN
    /// included.
    pub fn time(&self) -> f64 {
        self.time
    }

    fn take(&mut self) -> Result<&'a [u8], BatchError> {
        let offset = self.reader.position();
        let Ok(size) = self.reader.read_var_u64() else {
            return Err(BatchError::UnfinishedSize { offset });
        };
        let left = self.reader.remaining();
        let message = usize::try_from(size).ok();
        let message = message.and_then(|size| self.reader.read_bytes(size).ok());
        message.ok_or(BatchError::BeyondEnd { offset, size, left })
    }
}

impl<'a> Iterator for Unbatcher<'a> {
    type Item = Result<&'a [u8], BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.remaining() == 0 {
            return None;
        }
        let message = self.take();
        if message.is_err() {
            self.reader = NetworkReader::with_encoding(&[], Encoding::Mirror);
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::BATCH_HEADER;

    const TIME: &[u8] = b"\0\0\0\0\0\0\xf0\x3f";

    fn only_error(rest: &[u8]) -> Result<BatchError, BatchError> {
        let batch = [TIME, rest].concat();
        let mut messages = Unbatcher::new(&batch)?;
        let error = messages.next();
        assert_eq!(messages.next(), None, "nothing comes after an error");
        match error {
            Some(Err(error)) => Ok(error),
            other => panic!("no error: {other:?}"),
        }
    }

    #[test]
    fn a_batch_without_a_time_is_refused() {
        for length in 0..BATCH_HEADER {
            let batch = TIME.get(..length).unwrap_or_default();
            let error = Unbatcher::new(batch).map(|_| ());
            assert_eq!(error, Err(BatchError::TooShort { length }));
        }
    }

    #[test]
    fn a_batch_may_have_no_messages() {
        assert_eq!(Unbatcher::new(TIME).map(Iterator::count), Ok(0));
    }

    #[test]
    fn message_beyond_the_batch_is_refused() -> Result<(), BatchError> {
        let (offset, size, left) = (BATCH_HEADER, 5, 1);
        let error = BatchError::BeyondEnd { offset, size, left };
        assert_eq!(only_error(&[5, 0xaa])?, error);
        let (size, left) = (u64::MAX, 0);
        let error = BatchError::BeyondEnd { offset, size, left };
        assert_eq!(only_error(&[0xff; 9])?, error);
        Ok(())
    }

    #[test]
    fn truncated_length_is_refused() -> Result<(), BatchError> {
        let offset = BATCH_HEADER;
        assert_eq!(only_error(&[0xfa])?, BatchError::UnfinishedSize { offset });
        Ok(())
    }

    #[test]
    fn empty_message_is_valid() {
        let batch = [TIME, &[0, 1, 0xaa]].concat();
        let messages = Unbatcher::new(&batch).map(Iterator::collect::<Result<Vec<_>, _>>);
        assert_eq!(messages, Ok(Ok(vec![&[][..], &[0xaa]])));
    }
}
