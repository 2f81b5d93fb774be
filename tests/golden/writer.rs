//! `writer.json` and `writer_random.json`: what each call of the writer writes, and what its
//! reader makes of that.

use syncvar::{NetworkReader, NetworkWriter, ReadError};

use super::bytes::RecordedBytes;
use super::check::Check;
use super::codec::{self, Codec};
use super::json::Json;
use super::recorded::Recorded;
use super::report::Report;
use super::rule::Rule;

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
    let Some(read_back) = vector.get("read_back") else {
        return;
    };
    let mut reader = NetworkReader::new(writer.as_bytes());
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
        let call = vector.at("call").text();
        let may_differ = read == sent && ["Write(Plane)", "Write(Ray)"].contains(&call);
        let rule = may_differ.then_some(Rule::PlaneAndRay);
        check.differs(rule, "read_back", expected, read);
    }
}

/// Compares what was written, or that nothing was where UNet throws or logs an error.
fn compare_written(vector: &Json, writer: &NetworkWriter, check: &mut Check) {
    let logged = vector.get("log").map(Json::items).unwrap_or_default();
    let refused = logged.iter().any(|line| line.text().starts_with("error"));
    let fails = vector.get("throws").is_some() || refused;
    check.equal("whether it is refused", fails, writer.error().is_some());
    if fails {
        check.equal_bytes("bytes of what is refused", &[], writer.as_bytes());
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
    let recorded = vector.get("hex").map(Json::hex).unwrap_or_default();
    let mut writer = NetworkWriter::new();
    if call == "Write(byte[],count)" {
        match bytes.get(..recorded.len()) {
            Some(slice) => writer.write_bytes(slice),
            None => return check.under(Rule::SliceKnowsItsLength),
        }
    } else {
        let count = NetworkReader::new(&recorded).read_u16().map(usize::from);
        match count.ok().and_then(|count| bytes.get(..count)) {
            Some(slice) => writer.write_bytes_and_size(slice),
            None => return check.under(Rule::SliceKnowsItsLength),
        }
    }
    compare_written(vector, &writer, check);
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
