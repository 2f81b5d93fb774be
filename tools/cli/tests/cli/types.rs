//! Types for TypeScript. `clients/typescript` checks them with a page of the game, by `tsc --strict`.

use crate::support::{file, page_file, run};

#[test]
fn types_are_those_of_the_page() {
    let (source, target) = (page_file("game.syncvar"), page_file("game.ts"));
    let (code, output, errors) = run(&["types", &source.display().to_string(), "--typescript"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    if std::env::var_os("SYNCVAR_VECTORS").is_some_and(|mode| mode == "write") {
        std::fs::write(&target, &output).expect("the types are written");
    }
    let stored = std::fs::read_to_string(&target).expect("the types");
    assert_eq!(stored, output, "write them anew by SYNCVAR_VECTORS=write");
}

/// Returns the types of a prefab with one behaviour.
fn types_of(name: &str, class: &str) -> String {
    let text =
        format!("prefab a 00000000000000000000000000000001\n  behaviour A, channel 0\n{class}");
    let (code, output, errors) = run(&["types", &file(name, text), "--typescript"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    output
}

#[test]
fn names_are_identifiers_and_each_is_used_once() {
    let output = types_of(
        "names.syncvar",
        "    class A
      a: A { x: u8 }
      b: A { y: u8 }
      c: \"Pair<u8>\" { \"the \\\"left\\\"\": u8 }
      d: Map { x: u8 }
      e: \"9 */\" [\"*/\" = 0]
",
    );
    for part in [
        "export interface A {\n  fields: {",
        "export interface A2 {\n  /** `u8`. */\n  x: number;",
        "export interface A3 {\n  /** `u8`. */\n  y: number;",
        "export interface Pair_u8 {\n  /** `u8`. */\n  \"the \\\"left\\\"\": number;",
        "export interface Map2 {",
        "export type _9 = \"*/\";",
        "/** `\"9 * /\"`. */\n    e: _9;",
    ] {
        assert!(output.contains(part), "{part}\n{output}");
    }
}

#[test]
fn a_field_takes_the_place_of_a_field_of_a_base() {
    let output = types_of(
        "bases.syncvar",
        "    class Base\n      a: u8\n      b: u8\n    class A\n      a: String\n",
    );
    let fields =
        "  fields: {\n    /** `u8`. */\n    b: number;\n    /** `String`. */\n    a: string;\n  };";
    assert!(output.contains(fields), "{output}");
}

#[test]
fn a_text_with_quotes_of_templates_stays_a_text() {
    let output = types_of("quotes.syncvar", "    class A\n      \"`${a}\\\\\": u8\n");
    assert!(output.contains("\"\\`\\${a}\\\\\\\\\": u8\n"), "{output}");
}
