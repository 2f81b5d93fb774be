//! Source files: their encodings and folders.

use super::program::{project, run, text};

#[test]
fn sources_in_other_encodings_are_read() {
    let behaviour = |name: &str| {
        format!(
            "public class {name} : Mirror.NetworkBehaviour {{ [Mirror.SyncVar] string word = \"caf\u{e9}\"; }}"
        )
    };
    let utf16 = |name: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = format!("\u{feff}{}", behaviour(name));
        text.encode_utf16().flat_map(bytes).collect()
    };
    let (little, big) = (
        utf16("Little", u16::to_le_bytes),
        utf16("Big", u16::to_be_bytes),
    );
    let marked = format!("\u{feff}{}", behaviour("Marked"));
    let letters = behaviour("Western");
    let western: Vec<u8> = letters
        .chars()
        .map(|letter| u8::try_from(letter).expect("a letter of Western Europe"))
        .collect();
    let files: &[(&str, &[u8])] = &[
        ("Little.cs", &little),
        ("Big.cs", &big),
        ("Marked.cs", marked.as_bytes()),
        ("Western.cs", &western),
    ];
    let output = run(&project("encodings", files), &[]);
    let (module, told) = (text(&output.stdout), text(&output.stderr));
    for name in ["Little", "Big", "Marked", "Western"] {
        assert!(
            module.contains(&format!("pub struct {name} {{")),
            "{name}: {told}"
        );
    }
    let words = module
        .matches("word: \"caf\u{e9}\".to_owned().into()")
        .count();
    assert_eq!(words, 4, "{module}");
    let warned: Vec<&str> = told.lines().filter(|line| line.contains("UTF-8")).collect();
    let expected =
        "Assets/Western.cs:1: file is not UTF-8; it is read as Windows-1252: save it as UTF-8";
    assert_eq!(warned, [expected]);
}

#[test]
fn examples_of_mirror_are_left_out_and_told() {
    let behaviour = |name: &str| {
        format!(
            "namespace Mirror.Examples {{ class {name} : NetworkBehaviour {{ [SyncVar] int a; }} }}"
        )
    };
    let (pong, own) = (behaviour("Pong"), behaviour("Own"));
    let files: &[(&str, &[u8])] = &[
        ("Mirror/Examples/Pong/Pong.cs", pong.as_bytes()),
        ("Examples/Own.cs", own.as_bytes()),
    ];
    let output = run(&project("examples", files), &["--strict"]);
    let (module, told) = (text(&output.stdout), text(&output.stderr));
    assert!(
        module.contains("pub struct Own {") && !module.contains("Pong"),
        "{module}"
    );
    let expected = "mirror-import: Assets/Mirror/Examples is not read: examples of Mirror are no part of a game\n";
    assert_eq!((told, output.status.code()), (expected, Some(0)));
}
