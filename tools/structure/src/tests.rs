//! Planted mistakes, and the workspace itself.

use crate::exceptions::EXCEPTIONS;
use crate::findings::{Rule, compare};
use crate::measure;
use crate::source::{Source, read_workspace};

/// Returns the rules and places of all findings in some files.
fn found(files: &[(&str, &str)]) -> Vec<(Rule, String)> {
    let sources: Vec<_> = files
        .iter()
        .map(|(path, text)| Source::parse(path, text).unwrap())
        .collect();
    let findings = measure(&sources).into_iter();
    findings
        .map(|finding| (finding.rule, finding.place))
        .collect()
}

fn one(rule: Rule, place: &str) -> Vec<(Rule, String)> {
    vec![(rule, place.to_owned())]
}

#[test]
fn modules_at_the_top_that_import_each_other_are_found() {
    let files = [
        ("core/src/lib.rs", "mod a; mod b;"),
        ("core/src/a.rs", "use crate::b::B; pub struct A(B);"),
        ("core/src/b.rs", "pub struct B(Option<crate::a::A>);"),
    ];
    assert_eq!(found(&files), one(Rule::FolderCycle, "core/src: a b"));
}

#[test]
fn modules_in_a_deep_folder_that_import_each_other_are_found() {
    let files = [
        ("core/src/x/y.rs", "mod a; mod b; mod c;"),
        ("core/src/x/y/a/part.rs", "use super::super::b::B;"),
        ("core/src/x/y/b.rs", "use super::c;"),
        ("core/src/x/y/c.rs", "fn f() { super::a::part::g() }"),
        ("core/src/x/y/a.rs", "pub mod part;"),
    ];
    assert_eq!(found(&files), one(Rule::FolderCycle, "core/src/x/y: a b c"));
}

#[test]
fn imports_through_re_exports_lead_to_the_definition() {
    let files = [
        (
            "core/src/lib.rs",
            "mod a; mod b; pub use b::{B as Renamed};",
        ),
        ("core/src/a.rs", "use crate::Renamed;"),
        ("core/src/b.rs", "use crate::a; pub struct B;"),
    ];
    assert_eq!(found(&files), one(Rule::FolderCycle, "core/src: a b"));
}

#[test]
fn imports_of_tests_and_of_the_parent_are_free() {
    let files = [
        ("core/src/lib.rs", "mod a; mod b; pub struct Root;"),
        ("core/src/a.rs", "use crate::Root; use crate::b::B;"),
        (
            "core/src/b.rs",
            "pub struct B; #[cfg(test)] mod tests { use crate::a; } #[cfg(test)] use crate::a;",
        ),
    ];
    assert_eq!(found(&files), []);
}

#[test]
fn equal_names_in_two_crates_are_no_cycle() {
    let files = [
        ("one/src/a.rs", "use crate::b::B;"),
        ("one/src/b.rs", ""),
        ("two/src/a.rs", ""),
        ("two/src/b.rs", "use crate::a::A;"),
    ];
    assert_eq!(found(&files), []);
}

#[test]
fn rooms_of_an_end_that_call_each_other_are_found() {
    let files = [
        (
            "protocols/net/src/server/calls.rs",
            "impl NetworkServer { fn call(&mut self) { self.show() } }",
        ),
        (
            "protocols/net/src/server/view/areas.rs",
            "impl NetworkServer { fn show(&mut self) { debug_assert!(self.is_called()); } }",
        ),
        (
            "protocols/net/src/server/replies.rs",
            "impl NetworkServer { fn is_called(&self) -> bool { true } }
             impl Endpoint for NetworkServer { fn begin(server: &mut NetworkServer) { server.call() } }",
        ),
    ];
    let place = "NetworkServer: calls replies view";
    assert_eq!(found(&files), one(Rule::CallCycle, place));
}

#[test]
fn calls_of_the_end_itself_and_of_its_api_are_free() {
    let files = [
        (
            "protocols/net/src/client.rs",
            "impl NetworkClient { fn update(&mut self) { self.read() } fn close(&mut self) {} }",
        ),
        (
            "protocols/net/src/client/api/packets.rs",
            "impl NetworkClient { pub fn handle(&mut self) { self.read() } }",
        ),
        (
            "protocols/net/src/client/inbound.rs",
            "impl NetworkClient { fn read(&mut self) { self.close(); self.handle() } }",
        ),
    ];
    assert_eq!(found(&files), []);
}

/// Returns a struct with fields of a type.
fn with_fields(name: &str, count: usize, of: &str) -> String {
    let fields: Vec<_> = (0..count).map(|index| format!("f{index}: {of}")).collect();
    format!("pub struct {name} {{ {} }}", fields.join(", "))
}

#[test]
fn structs_of_more_than_12_fields_are_found_but_for_settings() {
    let text = [
        with_fields("Wide", 13, "u8"),
        with_fields("Narrow", 12, "u8"),
        with_fields("WideConfig", 20, "u8"),
    ];
    let files = [("core/src/a.rs", &*text.concat())];
    assert_eq!(found(&files), one(Rule::Fields, "core Wide"));
}

#[test]
fn structs_of_more_than_3_bools_are_found_and_settings_too() {
    let text = [
        with_fields("FlagOptions", 4, "bool"),
        with_fields("Flags", 3, "bool"),
    ];
    let files = [("src/a.rs", &*text.concat())];
    assert_eq!(found(&files), one(Rule::Bools, ". FlagOptions"));
}

#[test]
fn functions_of_more_than_60_lines_are_found() {
    let body = |lines: usize| "\n".repeat(lines - 1);
    let text = format!(
        "fn long() {{{}}} fn short() {{{}}}
        impl Part {{ #[inline]\n\n fn long(&self) {{{}}} }}
        trait Room {{ fn long(&self) {{{}}} }}
        #[cfg(test)] mod tests {{ fn long() {{{}}} }}
        #[test] fn longest() {{{}}}",
        body(61),
        body(60),
        body(61),
        body(61),
        body(61),
        body(61)
    );
    let places = ["core Part::long", "core Room::long", "core long"];
    let expected: Vec<_> = places
        .iter()
        .map(|place| (Rule::Lines, (*place).to_owned()))
        .collect();
    assert_eq!(found(&[("core/src/a.rs", &text)]), expected);
}

#[test]
fn exceptions_allow_findings_and_fail_without_one() {
    let text = with_fields("Wide", 13, "u8");
    let source = Source::parse("core/src/a.rs", &text).unwrap();
    let findings = measure(&[source]);
    assert_eq!(
        compare(&findings, &[]),
        ["above a limit: (Fields, \"core Wide\"): 13 fields, core/src/a.rs"]
    );
    let allowed = (Rule::Fields, "core Wide", "columns of a table");
    assert!(compare(&findings, &[allowed]).is_empty());
    let ended = (Rule::Bools, "core Wide", "columns of a table");
    assert_eq!(
        compare(&findings, &[allowed, ended]),
        ["exception that is no longer needed: (Bools, \"core Wide\")"]
    );
    let unexplained = (Rule::Fields, "core Wide", " ");
    assert_eq!(compare(&findings, &[unexplained]).len(), 1);
}

#[test]
fn workspace_keeps_its_structure() {
    let sources = read_workspace(&crate::root()).unwrap();
    assert!(sources.len() > 500, "{} files", sources.len());
    let failures = compare(&measure(&sources), EXCEPTIONS);
    assert!(
        failures.is_empty(),
        "{} differences from tools/structure/src/exceptions.rs:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn contributing_states_the_measured_limits() {
    let text = std::fs::read_to_string(crate::root().join("CONTRIBUTING.md")).unwrap();
    for limit in [
        format!("at most {} fields", crate::MAX_FIELDS),
        format!("at most {} bools", crate::MAX_BOOLS),
        format!("at most {} lines", crate::MAX_LINES),
    ] {
        assert!(
            text.contains(&limit),
            "CONTRIBUTING.md does not state: {limit}"
        );
    }
}
