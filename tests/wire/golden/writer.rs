//! `writer.json` and `writer_random.json`: what each call of the writer writes, and what its
//! reader makes of that.

use syncvar::wire::{NetworkReader, NetworkWriter, ReadError};

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
        let name = format!("#{number} {call} {}", brief(vector.at("value")));
        report.vector(name.trim_end().into(), |check| {
            match codec::by_write_call(call) {
                Some(codec) => run_codec(codec.as_ref(), vector, check),
                None => run_other(call, vector, check),
            }
        });
    }
    vectors.len()
}

/// A value in a few characters, for a vector's name.
fn brief(value: &Json) -> String {
    let text = match value {
        Json::Null => "null",
        Json::Bool(value) => return value.to_string(),
        Json::Number(number) => return number.to_string(),
        Json::Text(text) => text,
        Json::List(_) | Json::Object(_) => {
            let member = ["text", "bytes", "repeat"]
                .into_iter()
                .find_map(|key| value.get(key));
            member.map_or("", Json::text)
        }
    };
    text.chars().filter(|c| !c.is_control()).take(32).collect()
}

fn run_codec(codec: &dyn Codec, vector: &Json, check: &mut Check) {
    let value = vector.at("value");
    let (sent, writer) = match (codec.show(value), codec.write(value)) {
        (Ok(sent), Ok(writer)) => (sent, writer),
        (Err(rule), _) | (_, Err(rule)) => return check.under(rule),
    };
    compare_written(vector, &writer, check);
    compare_read_back(codec, vector, &sent, writer.as_bytes(), check);
}

/// Compares what is read from what was written, which was `sent`.
fn compare_read_back(
    codec: &dyn Codec,
    vector: &Json,
    sent: &str,
    written: &[u8],
    check: &mut Check,
) {
    let Some(read_back) = vector.get("read_back") else {
        return;
    };
    let mut reader = NetworkReader::new(written);
    let read = codec
        .read(&mut reader)
        .unwrap_or_else(|error| error.to_string());
    check.equal(
        "read_pos",
        vector.at("read_pos").number(),
        reader.position(),
    );
    let expected = codec
        .show(read_back)
        .unwrap_or_else(|rule| rule.to_string());
    if read != expected {
        let kind = match vector.at("call").text() {
            "Write(Plane)" => "Plane",
            "Write(Ray)" => "Ray",
            _ => "",
        };
        let may_differ = read == sent && plane_and_ray::is_read_as(kind, written, read_back);
        let rule = may_differ.then_some(Rule::PlaneAndRay);
        check.differs(rule, "read_back", expected, read);
    }
}

/// Whether UNet throws or logs an error.
fn is_refused(vector: &Json) -> bool {
    let logged = vector.get("log").map(Json::list).unwrap_or_default();
    let refused = logged.iter().any(|line| line.text().starts_with("error"));
    vector.get("throws").is_some() || refused
}

/// Compares what was written, or that nothing was where UNet throws or logs an error.
fn compare_written(vector: &Json, writer: &NetworkWriter, check: &mut Check) {
    let fails = is_refused(vector);
    check.equal("whether it is refused", fails, writer.error().is_some());
    if fails {
        for key in ["hex", "hex_written_before_throw"] {
            let recorded = vector.get(key).map(Json::hex).unwrap_or_default();
            check.equal_bytes("bytes of what is refused", &recorded, writer.as_bytes());
        }
        return;
    }
    let expected = RecordedBytes::find(vector, "hex").expect("bytes");
    if !expected.are(writer.as_bytes()) {
        check.fault("bytes", expected, hex::encode(writer.as_bytes()));
    }
}

/// The calls that are no pair of one value.
fn run_other(call: &str, vector: &Json, check: &mut Check) {
    let value = vector.at("value");
    match call {
        "WriteBytesAndSize(buf,count)" | "Write(byte[],count)" => run_counted(call, vector, check),
        "Write(byte[],offset,count)" => check.under(Rule::SliceKnowsItsLength),
        "StartMessage(type)+FinishMessage" => {
            compare_written(vector, &message(value.number(), &[]), check);
        }
        "StartMessage(type)+bytes+FinishMessage" => {
            let (message_type, payload) = (value.at("type").number(), value.at("payload").hex());
            compare_written(vector, &message(message_type, &payload), check);
        }
        "StartMessage twice" | "FinishMessage without payload start" => {
            check.under(Rule::MessageStartToken);
        }
        "documentation example" => run_again(vector, copy_strings, check),
        "mixed sequence" => run_again(vector, copy_mixed, check),
        _ => match typed_message(call) {
            Some(message_type) => {
                let payload = Vec::from_json(value).unwrap_or_default();
                compare_written(vector, &message(message_type, &payload), check);
            }
            None => check.fault("call", "a call that this test knows", call),
        },
    }
}

/// The number in `StartMessage(1000)+payload+FinishMessage`.
fn typed_message(call: &str) -> Option<i16> {
    let number = call
        .strip_prefix("StartMessage(")?
        .strip_suffix(")+payload+FinishMessage")?;
    number.parse().ok()
}

fn message(message_type: i16, payload: &[u8]) -> NetworkWriter {
    let mut writer = NetworkWriter::new();
    let start = writer.start_message(message_type);
    writer.write_bytes(payload);
    writer.finish_message(start);
    writer
}

/// Bytes with a count of their own: here a slice, which cannot be shorter than it says.
fn run_counted(call: &str, vector: &Json, check: &mut Check) {
    let bytes = Vec::from_json(vector.at("value")).unwrap_or_default();
    let has_prefix = call == "WriteBytesAndSize(buf,count)";
    if is_refused(vector) {
        return compare_refused(&bytes, has_prefix, vector, check);
    }
    let recorded = vector.at("hex").hex();
    let count = if let Some(count) = noted_count(vector, &bytes) {
        Some(count)
    } else if has_prefix {
        let prefix = NetworkReader::new(&recorded).read_u16();
        prefix.ok().map(usize::from)
    } else {
        Some(recorded.len())
    };
    let Some(slice) = count.and_then(|count| bytes.get(..count)) else {
        return check.fault("count", "one within the bytes", hex::encode(recorded));
    };
    let mut writer = NetworkWriter::new();
    if has_prefix {
        writer.write_bytes_and_size(slice);
        let codec = codec::by_write_call("WriteBytesFull").expect("a call with a codec");
        compare_read_back(codec.as_ref(), vector, "", writer.as_bytes(), check);
    } else {
        writer.write_bytes(slice);
    }
    compare_written(vector, &writer, check);
}

/// The count in `count=4` or `raw, first 3`, which stands beside some calls.
fn noted_count(vector: &Json, bytes: &[u8]) -> Option<usize> {
    let note = match vector.get("note")?.text() {
        "raw, none" => return Some(0),
        "raw bytes, no length" => return Some(bytes.len()),
        note => note,
    };
    let count = note.strip_prefix("count=");
    let count = count.or(note.strip_prefix("raw, first "));
    count?.parse().ok()
}

/// UNet writes a count that is larger than the buffer before it throws, and nothing if the count is
/// larger than its limit.
fn compare_refused(bytes: &[u8], has_prefix: bool, vector: &Json, check: &mut Check) {
    let written = vector.get("hex").or(vector.get("hex_written_before_throw"));
    let written = written.map(Json::hex).unwrap_or_default();
    let count = <[u8; 2]>::try_from(written.as_slice()).map(u16::from_le_bytes);
    let is_too_large = count.is_ok_and(|count| usize::from(count) > bytes.len());
    if !(written.is_empty() || has_prefix && is_too_large) {
        let expected = "nothing or a count that is too large";
        check.fault("bytes of what is refused", expected, hex::encode(written));
    }
    check.under(Rule::SliceKnowsItsLength);
}

/// A sequence of which only the bytes are recorded: what is read from them is written again.
fn run_again(
    vector: &Json,
    copy: fn(&mut NetworkReader<'_>, &mut NetworkWriter) -> Result<(), ReadError>,
    check: &mut Check,
) {
    let bytes = vector.at("hex").hex();
    let (mut reader, mut writer) = (NetworkReader::new(&bytes), NetworkWriter::new());
    let copied = copy(&mut reader, &mut writer).and_then(|()| reader.finish());
    if let Err(error) = copied {
        check.fault("reading", "no error", error);
    }
    compare_written(vector, &writer, check);
}

/// A message that holds strings.
fn copy_strings(
    reader: &mut NetworkReader<'_>,
    writer: &mut NetworkWriter,
) -> Result<(), ReadError> {
    reader.read_u16()?;
    let start = writer.start_message(reader.read_i16()?);
    while reader.remaining() > 0 {
        writer.write_string(reader.read_string()?);
    }
    writer.finish_message(start);
    Ok(())
}

fn copy_mixed(reader: &mut NetworkReader<'_>, writer: &mut NetworkWriter) -> Result<(), ReadError> {
    writer.write_bool(reader.read_bool()?);
    writer.write_i16(reader.read_i16()?);
    writer.write_packed_u32(reader.read_packed_u32()?);
    writer.write_string(reader.read_string()?);
    writer.write_f32(reader.read_f32()?);
    writer.write_u32(reader.read_u32()?);
    writer.write_packed_u64(reader.read_packed_u64()?);
    Ok(())
}
