//! `reader_errors.json`: what the reader makes of input that is short or malformed.

use syncvar::wire::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

use super::Check;
use super::Report;
use super::bytes::RecordedBytes;
use super::codec::{self, Codec};
use super::plane_and_ray;
use super::recorded::Recorded;
use super::rule::Rule;
use syncvar_testing::golden::{Json, Node};

pub(crate) fn run(file: &Json, report: &mut Report) -> usize {
    let vectors = file.at("vectors").list();
    for (number, vector) in vectors.iter().enumerate() {
        let call = vector.at("call").text();
        let bytes = RecordedBytes::find(vector, "bytes");
        let name = match &bytes {
            Some(RecordedBytes::Full(bytes)) => format!("#{number} {call} {}", hex::encode(bytes)),
            _ => format!("#{number} {call}"),
        };
        report.vector(name.trim_end().into(), |check| match bytes {
            Some(bytes) => run_call(call, vector, &bytes, check),
            None if call.starts_with("new NetworkReader(writer)") => run_past_the_writer(check),
            None if call.starts_with("writer growth") => check.under(Rule::OwnMemory),
            None => check.fault("call", "a call that this test knows", call),
        });
    }
    vectors.len()
}

fn run_call(call: &str, vector: &Json, bytes: &RecordedBytes, check: &mut Check) {
    let rebuilt = rebuild(vector);
    let Some(bytes) = bytes.resolve(&rebuilt) else {
        return check.fault("input", bytes, "other bytes, rebuilt from the result");
    };
    if let Some(codec) = codec::by_read_call(call) {
        return run_codec(codec.as_ref(), vector, bytes, check);
    }
    if let Some((first, then)) = call.split_once(" then ") {
        return run_pair(first, then, vector, bytes, check);
    }
    match call
        .strip_prefix("ReadBytes(")
        .and_then(|call| call.strip_suffix(')'))
    {
        Some(length) => run_bytes(length, vector, bytes, check),
        None => check.fault("call", "a call that this test knows", call),
    }
}

/// The input of a call that gave a long string, which is recorded as a digest.
fn rebuild(vector: &Json) -> Vec<u8> {
    let mut writer = NetworkWriter::new();
    if let Some(result @ Json::Object(_)) = vector.get("result")
        && result.get("repeat").is_some()
    {
        writer.write_string(&String::from_json(result).unwrap_or_default());
    }
    writer.as_bytes().to_vec()
}

fn run_codec(codec: &dyn Codec, vector: &Json, bytes: &[u8], check: &mut Check) {
    let mut reader = NetworkReader::new(bytes);
    let read = codec.read(&mut reader);
    let Some(result) = vector.get("result") else {
        return compare_error(vector, read, check);
    };
    let expected = codec.show(result).unwrap_or_else(|rule| rule.to_string());
    match read {
        Ok(read) => {
            if read != expected {
                check.differs(why_other_value(vector, bytes), "result", expected, read);
            }
            check.equal(
                "position",
                vector.at("position_after").number(),
                reader.position(),
            );
        }
        Err(error) => check.differs(why_error(vector, bytes, &error), "result", expected, error),
    }
}

/// UNet throws: so ours is an error, and of the same kind.
fn compare_error(vector: &Json, read: Result<String, ReadError>, check: &mut Check) {
    let throws = vector.at("throws");
    let message = throws.at("message").text();
    let is_of_the_kind = |kind| match throws.at("type").text() {
        "ArgumentException" => matches!(kind, ReadErrorKind::InvalidDecimal(_)),
        _ if message.starts_with("ReadString() too long") => {
            matches!(kind, ReadErrorKind::StringTooLong { .. })
        }
        // A prefix that is too wide is refused before its bytes are missed.
        _ => matches!(
            kind,
            ReadErrorKind::UnexpectedEnd { .. } | ReadErrorKind::TooWide(_)
        ),
    };
    match read {
        Ok(read) => check.fault("error", message, read),
        Err(error) if !is_of_the_kind(error.kind()) => check.fault("error", message, error),
        Err(_) => {}
    }
}

/// Why ours reads another value than UNet.
fn why_other_value(vector: &Json, bytes: &[u8]) -> Option<Rule> {
    let result = vector.at("result");
    match vector.at("call").text() {
        "ReadPlane" => {
            plane_and_ray::is_read_as("Plane", bytes, result).then_some(Rule::PlaneAndRay)
        }
        "ReadRay" => plane_and_ray::is_read_as("Ray", bytes, result).then_some(Rule::PlaneAndRay),
        "ReadGameObject" | "ReadNetworkIdentity" | "ReadTransform" => {
            result.is_null().then_some(Rule::ReferencesAreIds)
        }
        _ => None,
    }
}

/// Why ours is an error where UNet gives this value.
fn why_error(vector: &Json, bytes: &[u8], error: &ReadError) -> Option<Rule> {
    match (error.kind(), vector.at("result")) {
        (ReadErrorKind::InvalidBool(_), Json::Bool(false)) => Some(Rule::StrictBool),
        (ReadErrorKind::InvalidUtf8, Json::Text(text)) => text
            .contains(char::REPLACEMENT_CHARACTER)
            .then_some(Rule::StrictUtf8),
        (_, Json::Number(_)) => {
            let [252..=255, rest @ ..] = bytes else {
                return None;
            };
            let four_bytes = NetworkReader::new(rest).read_u32().ok();
            (four_bytes == Some(vector.at("result").number())).then_some(Rule::WidePrefix)
        }
        _ => None,
    }
}

/// Two reads of which the second goes past the end.
fn run_pair(first: &str, then: &str, vector: &Json, bytes: &[u8], check: &mut Check) {
    let (Some(first), Some(then)) = (codec::by_read_call(first), codec::by_read_call(then)) else {
        return check.fault(
            "call",
            "two calls that this test knows",
            vector.at("call").text(),
        );
    };
    let mut reader = NetworkReader::new(bytes);
    if let Err(error) = first.read(&mut reader) {
        check.fault("first read", "a value", error);
    }
    compare_error(vector, then.read(&mut reader), check);
}

fn run_bytes(length: &str, vector: &Json, bytes: &[u8], check: &mut Check) {
    let Ok(length) = length.parse() else {
        return check.under(Rule::SliceKnowsItsLength);
    };
    let mut reader = NetworkReader::new(bytes);
    let read = reader.read_bytes(length).map(hex::encode);
    match vector.get("result") {
        Some(result) => check.equal(
            "result",
            result.at("bytes").text(),
            &read.unwrap_or_default(),
        ),
        None => compare_error(vector, read, check),
    }
}

/// A reader over what was written ends where the writer ended.
fn run_past_the_writer(check: &mut Check) {
    let mut writer = NetworkWriter::new();
    writer.write_u8(1);
    let mut reader = NetworkReader::new(writer.as_bytes());
    let reads = [reader.read_u8().is_ok(), reader.read_u8().is_ok()];
    check.equal(
        "reads that succeed",
        "[true, false]".into(),
        format!("{reads:?}"),
    );
    check.under(Rule::ReaderEnds);
}
