//! Bytes of a question. WIRE.md, section 12, "Zenoh".

use bytes::Bytes;
use syncvar_fleet::{NodeId, Question, QuestionId, Topic};

const KEYFRAME: u8 = 0;
const CALL: u8 = 1;

/// Returns the bytes of a question of a node.
pub(crate) fn write(from: NodeId, id: QuestionId, question: &Question) -> Vec<u8> {
    let (kind, content) = match question {
        Question::Keyframe(topic) => (KEYFRAME, topic.0.to_le_bytes().to_vec()),
        Question::Call(call) => (CALL, call.to_vec()),
    };
    [
        &from.0.to_le_bytes()[..],
        &id.0.to_le_bytes(),
        &[kind],
        &content,
    ]
    .concat()
}

/// Returns the asking node, the number and the question; `None` for malformed bytes.
pub(crate) fn read(bytes: &Bytes) -> Option<(NodeId, QuestionId, Question)> {
    let (from, rest) = bytes.split_first_chunk()?;
    let (id, rest) = rest.split_first_chunk()?;
    let (kind, content) = rest.split_first()?;
    let question = match *kind {
        KEYFRAME => Question::Keyframe(Topic(u64::from_le_bytes(content.try_into().ok()?))),
        CALL => Question::Call(bytes.slice_ref(content)),
        _ => return None,
    };
    let from = NodeId(u64::from_le_bytes(*from));
    Some((from, QuestionId(u64::from_le_bytes(*id)), question))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_from_its_bytes() {
        let (from, id) = (NodeId(1), QuestionId(u64::MAX));
        for question in [
            Question::Keyframe(Topic(257)),
            Question::Call(Bytes::from_static(b"call")),
            Question::Call(Bytes::new()),
        ] {
            let bytes = write(from, id, &question).into();
            assert_eq!(read(&bytes), Some((from, id, question)));
        }
        let call = write(from, id, &Question::Keyframe(Topic::WORLD));
        for length in 0..call.len() {
            assert_eq!(
                read(&Bytes::copy_from_slice(&call[..length])),
                None,
                "{length}"
            );
        }
        assert_eq!(read(&[&call[..16], &[2]].concat().into()), None);
    }
}
