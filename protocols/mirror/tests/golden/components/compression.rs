//! `components_compression.json`: steps, differences and rotations of 32 bits.

use serde_json::Value;
use syncvar::codec::SyncCodec;
use syncvar::mirror::CompressedQuaternion;
use syncvar::mirror::components::{from_steps, read_differences, to_steps, write_differences};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};

use super::{bits, float, rotation};
use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::{same, same_bytes};

pub(crate) fn run(json: &Value, report: &mut Report) {
    for (index, case) in json.at("cases").list().iter().enumerate() {
        let kind = case[0].text();
        report.check(kind, &format!("{index} {}", case.brief()), || match kind {
            "scale" => scale(case),
            "delta" => delta(case),
            "quat" => compressed(case),
            "unquat" => decompressed(&case[1], &case[2]),
            other => Err(format!("`{other}` is not understood")),
        });
    }
}

fn scale(case: &Value) -> Result<(), String> {
    let (value, precision) = (float(&case[1]), float(&case[2]));
    let steps = to_steps(value, precision);
    same("steps", &steps, &(case[4].number(), case[3].truth()))?;
    let back = from_steps(steps.0, precision);
    same("back", &back.to_bits(), &float(&case[5]).to_bits())
}

fn delta(case: &Value) -> Result<(), String> {
    let (last, now) = ([case[1].number()], [case[2].number()]);
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    write_differences(&mut writer, last, now);
    same_bytes("difference", writer.as_bytes(), &case[3].hex())?;
    let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Mirror);
    let read = read_differences(&mut reader, last);
    same("read", &read.map_err(|error| error.to_string())?, &now)
}

fn compressed(case: &Value) -> Result<(), String> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    CompressedQuaternion::write(&rotation(&case[1]), &mut writer);
    same_bytes("compressed", writer.as_bytes(), &little_endian(&case[2]))?;
    decompressed(&case[2], &case[3])
}

fn decompressed(compressed: &Value, expected: &Value) -> Result<(), String> {
    let bytes = little_endian(compressed);
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
    let read = CompressedQuaternion::read(&mut reader).map_err(|error| error.to_string())?;
    same("read back", &bits(read), &bits(rotation(expected)))
}

fn little_endian(number: &Value) -> Vec<u8> {
    let mut bytes = number.hex();
    bytes.reverse();
    bytes
}
