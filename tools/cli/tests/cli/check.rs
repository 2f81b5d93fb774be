//! Comparisons of two builds, as in a repository's CI.

use crate::support::{file, run};

/// Compares two builds of a prefab with these fields and calls.
fn check(test: &str, old: &str, new: &str, options: &[&str]) -> (i32, String, String) {
    let schema = |lines: &str| {
        let begin = "prefab orc 00000000000000000000000000000001\n  behaviour Orc, channel 0\n    class Orc\n";
        let lines = lines.lines().map(|line| format!("      {}\n", line.trim()));
        begin.to_owned() + &lines.collect::<String>()
    };
    let old = file(&format!("{test}-old.syncvar"), schema(old));
    let new = file(&format!("{test}-new.syncvar"), schema(new));
    run(&[&["check", &old, &new], options].concat())
}

#[test]
fn equal_builds_are_equal() {
    let (code, output, errors) = check("equal", "hp: u8", "hp: u8", &[]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(
        output,
        "old client: equal\nold server: equal\nold recording: equal\n"
    );
}

#[test]
fn differences_that_are_converted_are_listed() {
    let (code, output, _) = check("plays", "hp: u8", "health was hp: u32\nname: String", &[]);
    assert_eq!(code, 0);
    let orc = "  prefab `orc`, behaviour `Orc`, field";
    let expected = [
        "old client: plays".to_owned(),
        format!("{orc} `health`: its name on the client is `hp`"),
        format!("{orc} `health`: `u32` of the server is converted to `u8`"),
        format!("{orc} `name`: only the server has it"),
        "old server: plays".to_owned(),
        format!("{orc} `hp`: its name on the client is `health`"),
        format!("{orc} `hp`: `u8` of the server is converted to `u32`"),
        format!("{orc} `name`: only the client has it"),
        "old recording: plays".to_owned(),
        format!("{orc} `hp`: its name on the client is `health`"),
        format!("{orc} `hp`: `u8` of the server is converted to `u32`"),
        format!("{orc} `name`: only the client has it"),
    ];
    assert_eq!(output.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn each_reason_of_a_refusal_is_listed() {
    let (code, output, errors) = check(
        "refused",
        "hp: u8\nat: Vector3",
        "hp: String\nat: bool",
        &[],
    );
    assert_eq!((code, errors.as_str()), (1, ""));
    for reason in [
        "`String` cannot become `u8`",
        "`bool` cannot become `Vector3`",
        "`u8` cannot become `String`",
    ] {
        let line = format!(": refused: {reason}\n");
        assert!(output.contains(&line), "{line}{output}");
    }
    assert_eq!(
        output.lines().filter(|it| it.ends_with("refused")).count(),
        3
    );
}

#[test]
fn a_role_may_be_left_out() {
    // A command with another argument keeps clients apart, and no recording.
    let (old, new) = (
        "command go = CmdGo(at: u8)",
        "command go = CmdGo(at: String)",
    );
    let (code, output, _) = check("roles", old, new, &[]);
    assert_eq!(code, 1);
    assert!(output.contains("old recording: equal\n"), "{output}");
    let (code, output, _) = check("role", old, new, &["--role", "old-recording"]);
    assert_eq!((code, output.as_str()), (0, "old recording: equal\n"));
    let (code, output, _) = check("role", old, new, &["--role", "old-client"]);
    assert_eq!(code, 1);
    assert!(output.starts_with("old client: refused\n"), "{output}");
}

#[test]
fn the_file_with_a_mistake_is_named() {
    let (old, new) = (
        file("good.syncvar", ""),
        file("bad.syncvar", "prefab a 1\n"),
    );
    let (code, output, errors) = run(&["check", &old, &new]);
    assert_eq!((code, output.as_str()), (2, ""));
    assert_eq!(
        errors,
        format!("{new}: line 1, column 10: expected 32 hexadecimal digits")
    );
    let (code, _, errors) = run(&["check", "no/such.syncvar", &new]);
    assert_eq!(code, 2);
    assert!(errors.starts_with("no/such.syncvar: "), "{errors}");
}
