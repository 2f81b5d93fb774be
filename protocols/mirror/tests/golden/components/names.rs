//! `components_names.json`: hashes of calls, ids of messages, and the messages of authenticators and of the
//! discovery.

use serde_json::Value;
use syncvar::SyncValue;
use syncvar::mirror::components::{
    NetworkTransformHybrid, NetworkTransformReliable, NetworkTransformUnreliable,
};
use syncvar::mirror::discovery::{self, Response};
use syncvar::mirror::message::{
    DeviceAuthRequestMessage, DeviceAuthResponseMessage, NameAuthRequestMessage,
    NameAuthResponseMessage,
};
use syncvar::mirror::{
    AuthRequestMessage, AuthResponseMessage, MirrorMessage, MirrorPrefab, MirrorPrefabs, hash16,
};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};

use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::{same, same_bytes};

const HANDSHAKE: i64 = 0x1122_3344_5566_7788;

pub(crate) fn run(json: &Value, report: &mut Report) {
    let prefabs = MirrorPrefabs::new().register::<(
        NetworkTransformReliable,
        NetworkTransformUnreliable,
        NetworkTransformHybrid,
    )>(MirrorPrefab::new("all", 1.into()));
    for case in json.at("cases").list() {
        if let Some(name) = case.get("full_name").map(Json::text) {
            report.check("calls", name, || call(&prefabs, name, case));
        } else if let Some(name) = case.get("message").map(Json::text) {
            report.check("messages", name, || {
                same("id", &hash16(name), &case.at("id").number())
            });
        } else {
            let name = case.at("packed").text();
            report.check("packed", name, || packed(name, &case.at("hex").hex()));
        }
    }
}

fn call(prefabs: &MirrorPrefabs, name: &str, case: &Value) -> Result<(), String> {
    let hash: u16 = case.at("hash").number();
    same("hash", &hash16(name), &hash)?;
    if !name.contains("NetworkTransform") {
        return Ok(());
    }
    let ours = prefabs.calls("all").find(|call| call.name == name);
    let ours = ours.ok_or("no transform has this call")?;
    same("hash", &ours.hash, &hash)?;
    let kind = format!("{:?}", ours.kind);
    same("kind", &&*kind, &case.at("kind").text())
}

fn packed(name: &str, bytes: &[u8]) -> Result<(), String> {
    let (kind, rest) = name.split_once(' ').unwrap_or((name, ""));
    let text = |text: &str| text.to_owned();
    match kind {
        "BasicAuthenticator+AuthRequestMessage" => {
            let (username, password) = rest.split_once(" / ").ok_or("a name and a password")?;
            let (username, password) = (text(username), text(password));
            message(&AuthRequestMessage { username, password }, bytes)
        }
        "BasicAuthenticator+AuthResponseMessage" => {
            let (code, answer) = rest.split_once(' ').ok_or("a code and a text")?;
            let code = code.parse().map_err(|_| "a code")?;
            let message_text = text(answer);
            message(
                &AuthResponseMessage {
                    code,
                    message: message_text,
                },
                bytes,
            )
        }
        "DeviceAuthenticator+AuthRequestMessage" => {
            message(&DeviceAuthRequestMessage { device: text(rest) }, bytes)
        }
        "DeviceAuthenticator+AuthResponseMessage" => message(&DeviceAuthResponseMessage, bytes),
        "UniqueNameAuthenticator+AuthRequestMessage" => {
            message(&NameAuthRequestMessage { name: text(rest) }, bytes)
        }
        "UniqueNameAuthenticator+AuthResponseMessage" => {
            let (success, answer) = rest.split_once(' ').ok_or("a result and a text")?;
            let success = success == "true";
            let message_text = text(answer);
            message(
                &NameAuthResponseMessage {
                    success,
                    message: message_text,
                },
                bytes,
            )
        }
        "discovery" if rest.starts_with("request") => {
            same_bytes("request", &discovery::request(HANDSHAKE), bytes)
        }
        "discovery" => {
            let (_, rest) = rest.split_once("uri ").ok_or("an address")?;
            let (uri, server) = rest.split_once(", serverId ").ok_or("a number")?;
            let server = server.parse().map_err(|_| "a number")?;
            let response = Response {
                uri: format!("{uri}/"),
                server,
            };
            same_bytes("response", &response.to_bytes(HANDSHAKE), bytes)?;
            same(
                "read",
                &Response::from_bytes(HANDSHAKE, bytes),
                &Some(response),
            )
        }
        other => Err(format!("`{other}` is not understood")),
    }
}

fn message<M: MirrorMessage + PartialEq + std::fmt::Debug>(
    message: &M,
    bytes: &[u8],
) -> Result<(), String> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    writer.write_u16(M::ID);
    message.write(&mut writer);
    same_bytes("packed", writer.as_bytes(), bytes)?;
    let mut reader = NetworkReader::with_encoding(&bytes[2..], Encoding::Mirror);
    let read = <M as SyncValue>::read(&mut reader).map_err(|error| error.to_string())?;
    reader.finish().map_err(|error| error.to_string())?;
    same("read", &&read, &message)
}
