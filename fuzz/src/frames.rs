//! Streams of frames, as Telepathy and TCP cut them.

use syncvar::mirror::telepathy::{FrameError, Frames, head};

use crate::limits::bounded;
use crate::script::Script;

/// Runs an input: the longest frame, then the reads of a stream.
///
/// # Panics
///
/// When the frames depend on the reads, or differ from a slice of the stream.
pub fn run(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let longest = usize::from(u16::from_le_bytes([script.byte(), script.byte()]));
    let mut frames = Frames::new(longest);
    let (mut stream, mut read) = (Vec::new(), Vec::new());
    let mut error = None;
    for step in script {
        stream.extend_from_slice(step.bytes);
        bounded(step.bytes.len(), || {
            frames.buffer().extend_from_slice(step.bytes);
        });
        if step.op % 2 == 0 {
            error = drain(&mut frames, &mut read, longest).or(error);
        }
    }
    error = drain(&mut frames, &mut read, longest).or(error);
    assert_eq!((read, error), expected(&stream, longest));
}

fn drain(frames: &mut Frames, read: &mut Vec<Vec<u8>>, longest: usize) -> Option<FrameError> {
    loop {
        match frames.next_frame() {
            Ok(Some(frame)) => {
                assert!(frame.len() <= longest);
                let length = head(frame.len()).expect("a frame with bytes");
                assert_eq!(u32::from_be_bytes(length) as usize, frame.len());
                read.push(frame.to_vec());
            }
            Ok(None) => return None,
            Err(error) => return Some(error),
        }
    }
}

/// Returns the frames of a stream and the error that ends them, by slices.
fn expected(mut stream: &[u8], longest: usize) -> (Vec<Vec<u8>>, Option<FrameError>) {
    let mut frames = Vec::new();
    while let Some((head, rest)) = stream.split_first_chunk() {
        let length = u32::from_be_bytes(*head);
        let size = length as usize;
        if size > longest {
            return (frames, Some(FrameError::TooLong(length)));
        }
        if size == 0 {
            return (frames, Some(FrameError::Empty));
        }
        let Some((frame, rest)) = rest.split_at_checked(size) else {
            break;
        };
        frames.push(frame.to_vec());
        stream = rest;
    }
    (frames, None)
}
