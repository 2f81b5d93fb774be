//! Schemas of files, and arguments.

use std::fmt::Write as _;

use crate::support::{file, page_file, run};

#[test]
fn a_schema_is_printed_in_its_canonical_form() {
    let text =
        "\nprefab b 00000000000000000000000000000001\nprefab a 00000000000000000000000000000002\n";
    let (code, output, errors) = run(&["schema", &file("disordered.syncvar", text)]);
    let sorted =
        "prefab a 00000000000000000000000000000002\nprefab b 00000000000000000000000000000001\n";
    assert_eq!((code, output.as_str(), errors.as_str()), (0, sorted, ""));
    let game = page_file("game.syncvar").display().to_string();
    let (code, output, _) = run(&["schema", &game]);
    assert_eq!(code, 0);
    assert_eq!(output, std::fs::read_to_string(&game).expect("the schema"));
}

#[test]
fn output_goes_to_a_file() {
    let source = file("source.syncvar", "message a = 48: u8\n");
    let target = file("target.syncvar", "");
    let (code, output, _) = run(&["schema", &source, "--out", &target]);
    assert_eq!((code, output.as_str()), (0, ""));
    let written = std::fs::read_to_string(&target).expect("the output");
    assert_eq!(written, "message a = 48: u8\n");
    let (code, _, errors) = run(&["schema", &source, "--out", "/no/such/folder"]);
    assert_eq!(code, 2);
    assert!(errors.starts_with("/no/such/folder: "), "{errors}");
}

#[test]
fn a_malformed_schema_is_an_error_with_its_place() {
    let source = file(
        "malformed.syncvar",
        "message a = 48: u8\nmessage b = x: u8\n",
    );
    let (code, output, errors) = run(&["schema", &source]);
    assert_eq!((code, output.as_str()), (2, ""));
    assert_eq!(
        errors,
        format!("{source}: line 2, column 13: expected a number of this range")
    );
    let source = file("binary.syncvar", [0xff, 0xfe]);
    let (code, _, errors) = run(&["schema", &source]);
    assert_eq!(code, 2);
    assert!(
        errors.starts_with(&format!("{source}: invalid utf-8")),
        "{errors}"
    );
}

#[test]
fn a_missing_file_is_an_error_with_its_name() {
    let (code, _, errors) = run(&["types", "no/such.syncvar", "--typescript"]);
    assert_eq!(code, 2);
    assert!(
        errors.starts_with("no/such.syncvar: No such file"),
        "{errors}"
    );
}

#[test]
fn a_schema_of_a_million_fields_is_refused() {
    let mut text = String::from("prefab a 00000000000000000000000000000001\n");
    for behaviour in 0..15_625 {
        let _ = write!(text, "  behaviour B{behaviour}, channel 0\n    class B\n");
        for field in 0..64 {
            let _ = writeln!(text, "      f{field}: u8");
        }
    }
    let source = file("million.syncvar", text);
    let (code, _, errors) = run(&["schema", &source]);
    assert_eq!(code, 2);
    assert_eq!(
        errors,
        format!("{source}: a schema of more than 1048576 bytes")
    );
}

#[test]
fn wrong_arguments_are_named() {
    let cases = [
        (&[][..], "a command is needed"),
        (&["frobnicate"], "unknown command `frobnicate`"),
        (&["schema"], "one source is needed"),
        (&["schema", "a", "b"], "one source is needed"),
        (
            &["schema", "a", "--typescript"],
            "--typescript is an option of `types`",
        ),
        (&["check", "a"], "an old and a new source are needed"),
        (
            &["check", "a", "b", "--role", "new-client"],
            "cannot parse argument \"new-client\": one of old-client, old-server, old-recording",
        ),
        (&["types", "a"], "types of what language? --typescript"),
        (
            &["schema", "a", "--frobnicate"],
            "invalid option '--frobnicate'",
        ),
        (
            &["schema", "http://a:1"],
            "unknown transport `http`: tcp, udp, quic or ws",
        ),
        (&["schema", "tcp://a"], "no port in the address `tcp://a`"),
        (
            &["schema", "tcp://a:99999"],
            "no port in the address `tcp://a:99999`",
        ),
        (
            &["schema", "a", "--timeout", "-1"],
            "cannot convert float seconds to Duration: value is negative",
        ),
    ];
    for (arguments, message) in cases {
        let (code, output, errors) = run(arguments);
        assert_eq!((code, output.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(errors, format!("{message}; --help lists the arguments"));
    }
    let (code, output, _) = run(&["--help"]);
    assert_eq!(code, 0);
    assert!(
        output.starts_with("usage: syncvar schema SOURCE"),
        "{output}"
    );
}
