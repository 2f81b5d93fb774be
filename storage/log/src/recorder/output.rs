//! `Output`: bytes on their way into files. A failed write goes on where it has ended.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, ErrorKind, Write};

/// Part of a file.
#[derive(Debug)]
pub(super) enum Piece {
    Bytes(Vec<u8>),
    /// The end of a file of a length.
    End {
        length: u64,
    },
}

type Create = Box<dyn FnMut(u32) -> io::Result<Box<dyn Write + Send>> + Send>;

/// Bytes that the storage lacks.
pub(super) struct Output {
    create: Create,
    /// The open file.
    file: Option<Box<dyn Write + Send>>,
    /// Number of the next file.
    number: u32,
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that are written.
    written: usize,
}

/// A file that was completed: its number and length.
pub(super) type Ended = (u32, u64);

impl Output {
    pub(super) fn new<W: Write + Send + 'static>(
        mut create: impl FnMut(u32) -> io::Result<W> + Send + 'static,
    ) -> Self {
        Self {
            create: Box::new(move |number| Ok(Box::new(create(number)?) as Box<dyn Write + Send>)),
            file: None,
            number: 0,
            pieces: VecDeque::new(),
            written: 0,
        }
    }

    pub(super) fn add(&mut self, pieces: Vec<Piece>) {
        self.pieces.extend(pieces);
    }

    /// Writes all bytes. Files that end are added to `ended`.
    pub(super) fn write(&mut self, ended: &mut Vec<Ended>) -> io::Result<()> {
        while let Some(piece) = self.pieces.front() {
            match piece {
                Piece::Bytes(bytes) => {
                    let file = match &mut self.file {
                        Some(file) => file,
                        None => self.file.insert((self.create)(self.number)?),
                    };
                    while let Some(rest) = bytes.get(self.written..).filter(|it| !it.is_empty()) {
                        match file.write(rest) {
                            Ok(0) => return Err(ErrorKind::WriteZero.into()),
                            Ok(count) => self.written += count,
                            Err(error) if error.kind() == ErrorKind::Interrupted => {}
                            Err(error) => return Err(error),
                        }
                    }
                    file.flush()?;
                }
                Piece::End { length } => {
                    ended.push((self.number, *length));
                    self.file = None;
                    self.number += 1;
                }
            }
            self.written = 0;
            self.pieces.pop_front();
        }
        Ok(())
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("number", &self.number)
            .field("pieces", &self.pieces.len())
            .finish_non_exhaustive()
    }
}
