//! `Files`: the files of a recording, one after another.

use std::fmt;
use std::io::{self, Read, Seek};
use std::time::Duration;

use super::chunk::Chunk;
use super::index::{ChunkPlace, Index};
use super::source::Source;
use crate::LogError;
use crate::header::{SYNCVAR, nanos};

/// Function that opens a file of a recording by its number, if it exists.
type Opener<R> = Box<dyn FnMut(u32) -> io::Result<Option<R>> + Send>;

/// Files of a recording. The numbers of the chunks run through the files.
pub(super) struct Files<R> {
    parts: Vec<LogFile<R>>,
    /// `None` for a single file.
    open: Option<Opener<R>>,
    /// Most decompressed bytes of a chunk.
    limit: u64,
}

#[derive(Debug)]
struct LogFile<R> {
    source: Source<R>,
    index: Index,
}

impl<R: Read + Seek> LogFile<R> {
    fn new(file: R) -> Result<Self, LogError> {
        let mut source = Source::new(file)?;
        let index = Index::read(&mut source)?;
        Ok(Self { source, index })
    }
}

impl<R: Read + Seek> Files<R> {
    /// Reads the index of the first file.
    pub(super) fn new(file: R, open: Option<Opener<R>>, limit: u64) -> Result<Self, LogError> {
        let parts = vec![LogFile::new(file)?];
        Ok(Self { parts, open, limit })
    }

    /// Returns the index of the first file.
    pub(super) fn first(&self) -> Option<&Index> {
        self.parts.first().map(|file| &file.index)
    }

    /// Returns the number of files.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.parts.len()).unwrap_or(u32::MAX)
    }

    /// Returns the chunks of the files.
    pub(super) fn chunks(&self) -> impl DoubleEndedIterator<Item = &ChunkPlace> {
        self.parts.iter().flat_map(|file| &file.index.chunks)
    }

    /// Returns the place of a chunk.
    pub(super) fn chunk(&self, number: usize) -> Option<&ChunkPlace> {
        let (file, number) = self.find(number)?;
        self.parts[file].index.chunks.get(number)
    }

    /// Returns the number of the file of a chunk, and the number of the chunk in it.
    fn find(&self, mut number: usize) -> Option<(usize, usize)> {
        for (file, LogFile { index, .. }) in self.parts.iter().enumerate() {
            match number.checked_sub(index.chunks.len()) {
                Some(rest) => number = rest,
                None => return Some((file, number)),
            }
        }
        None
    }

    /// Returns whether the last file has its end, and no further file continues it.
    pub(super) fn is_whole(&self) -> bool {
        let last = self.parts.last();
        last.is_some_and(|file| file.index.is_whole && !file.index.is_continued)
    }

    /// Returns whether the index of the file of a chunk has a checksum.
    pub(super) fn is_checked(&self, number: usize) -> bool {
        let file = self.find(number).map(|(file, _)| &self.parts[file]);
        file.is_some_and(|file| file.index.is_whole)
    }

    /// Reads a chunk.
    pub(super) fn read_chunk(&mut self, number: usize) -> Result<Option<Chunk>, LogError> {
        let Some((file, number)) = self.find(number) else {
            return Ok(None);
        };
        self.read(file, number).map(Some)
    }

    fn read(&mut self, file: usize, number: usize) -> Result<Chunk, LogError> {
        let LogFile { source, index } = &mut self.parts[file];
        let ChunkPlace { place, times, .. } = index.chunks[number];
        let content = source.content(place, self.limit.saturating_add(1024))?;
        let chunk = Chunk::decode(place, &content, self.limit, times);
        chunk.map_err(|error| error.in_file(file))
    }

    /// Finds chunks behind the last one, the end of the file, and the files behind it.
    pub(super) fn extend(&mut self) -> Result<(), LogError> {
        if let Some(LogFile { source, index }) = self.parts.last_mut()
            && !index.is_whole
            && source.measure()?
        {
            index.extend(source)?;
        }
        self.complete()
    }

    /// Opens the files behind the last one, as far as they exist, and reads the channels of the last chunk.
    pub(super) fn complete(&mut self) -> Result<(), LogError> {
        self.complete_channels()?;
        while let Some(file) = self.next_file()? {
            self.parts.push(file);
            self.complete_channels()?;
        }
        Ok(())
    }

    /// Opens the file behind the last one, unless it is missing, has no whole chunk, or belongs to another recording: a file
    /// of an earlier recording may have its name.
    fn next_file(&mut self) -> Result<Option<LogFile<R>>, LogError> {
        let count = self.count();
        let is_continued = { self.parts.last() }.is_some_and(|file| file.index.is_continued);
        let Some(open) = self.open.as_mut().filter(|_| is_continued) else {
            return Ok(None);
        };
        let number = self.parts.len();
        let Some(file) = open(count)? else {
            return Ok(None);
        };
        let file = match LogFile::new(file) {
            Err(LogError::Foreign(_)) => return Ok(None),
            file => file.map_err(|error| error.in_file(number))?,
        };
        let facts = |index: &Index| index.metadata.get(SYNCVAR).cloned();
        let is_next = self
            .first()
            .is_some_and(|first| facts(first) == facts(&file.index));
        let begin = file.index.chunks.first().map(|chunk| chunk.times.0);
        let end = self.chunks().next_back().map_or(0, |chunk| chunk.times.1);
        Ok((is_next && begin.is_some_and(|begin| end <= begin)).then_some(file))
    }

    /// Reads the channels of the last chunk of a cut file, whose index may be cut. A chunk that is not readable, as after a
    /// loss of power, counts as cut.
    fn complete_channels(&mut self) -> Result<(), LogError> {
        let number = self.parts.len() - 1;
        let index = &self.parts[number].index;
        let Some(last) = index
            .chunks
            .len()
            .checked_sub(1)
            .filter(|_| !index.is_whole)
        else {
            return Ok(());
        };
        let read = self.read(number, last);
        let chunks = &mut self.parts[number].index.chunks;
        match read {
            Ok(chunk) => {
                let messages = chunk.messages.iter();
                chunks[last].channels = Some(messages.map(|it| it.channel).collect());
            }
            Err(LogError::Damaged { .. }) => chunks.truncate(last),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Returns the length of the part of each file with the whole chunks up to a time.
    pub(super) fn lengths_until(&self, time: Duration) -> Vec<u64> {
        let length = |LogFile { source, index }: &LogFile<R>| {
            let chunks = &index.chunks;
            let count = chunks.partition_point(|chunk| chunk.times.1 <= nanos(time));
            match chunks.get(count) {
                Some(_) if count == 0 => 0,
                Some(next) => next.start(),
                None if index.is_whole => source.length(),
                None => index.end,
            }
        };
        self.parts.iter().map(length).collect()
    }
}

impl<R: fmt::Debug> fmt::Debug for Files<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files")
            .field("parts", &self.parts)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
