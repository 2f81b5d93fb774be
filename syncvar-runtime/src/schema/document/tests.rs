use super::{MAX_SCHEMA_TEXT, Schema, SchemaType};

const WHOLE: &str = r#"message "a chat" was talk = 50: Chat { text: String }
message input = 48: Move { x: f32, jump: bool }
prefab chest/large was crate 0000000000000000000000000176acd4
  behaviour Chest, channel 0, with data
    class Chest
      open: bool
prefab player 0123456789abcdef0123456789abcdef
  behaviour Player was Hero, channel 1, optional
    class Entity
      position: Vector3 as Quantized<-500, 500, 100>
      command: u8
      command was order: u8
    class Player
      health was hp was life: i32
      gold: u32, read by the owner, written by the owner and the server, sent once
      aim: f32?, read by all but the owner
      cards: SyncList<Card { suit: u8, "odd name": { 0: u8, 1: {{ 0: u16 }} } }>, read by the owner and its group
      map: [u8: [String; 3] measured?] as Odd measured
      empty: Nothing { }
      gait: Gait [Stand = 0, Walk was Stroll = -1, Unknown = 2 other { x: u8 }]
      command fire was shoot = CmdFire(at: i32, by: NetId), after the state
      client_rpc reload = RpcReload()
      command was = CmdWas()
    class present
      present: bool
"#;

#[test]
fn text_of_a_parsed_schema_is_the_same_text() {
    let schema = Schema::parse(WHOLE).unwrap();
    assert_eq!(schema.to_string(), WHOLE);
    let player = &schema.prefab("player").unwrap().behaviours[0];
    assert_eq!((player.fields().count(), player.calls().count()), (11, 3));
    assert_eq!(schema.message("a chat").unwrap().names.was, ["talk"]);
}

#[test]
fn prefabs_and_messages_are_sorted_by_name() {
    let text =
        "prefab b 00000000000000000000000000000001\nprefab a 00000000000000000000000000000002\n";
    let names: Vec<_> = Schema::parse(text)
        .unwrap()
        .prefabs
        .into_iter()
        .map(|it| it.names.name)
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn names_with_other_characters_are_quoted() {
    for name in ["", "a b", "\"", "\\", "ä\n", "\u{7}", "-a", "<T>", "a:b"] {
        let value = SchemaType::Named(name.into());
        assert_eq!(SchemaType::parse(&value.to_string()), Ok(value), "{name:?}");
    }
    assert_eq!(
        SchemaType::Named("Tür-9/b.c_".into()).to_string(),
        "Tür-9/b.c_"
    );
}

#[test]
fn an_owner_reads_the_fields_that_it_writes() {
    let text = "prefab a 00000000000000000000000000000001\n  behaviour B, channel 0\n    class B\n      \
                a: u8, read by all but the owner, written by the owner\n";
    let error = Schema::parse(text).unwrap_err();
    let message = "line 4, column 39: the owner does not read the field, so it cannot write it";
    assert_eq!(error.to_string(), message);
}

#[test]
fn mistakes_are_errors_with_their_place() {
    let prefab = "prefab a 00000000000000000000000000000001\n";
    let class = format!("{prefab}  behaviour B, channel 0\n    class B\n");
    let deep = format!("message m = 48: {}u8{}\n", "[".repeat(64), "]".repeat(64));
    let marks = format!("message m = 48: u8{}\n", "?".repeat(64));
    let fields: String = (0..65).fold(String::new(), |text, n| text + &format!("      f{n}: u8\n"));
    let behaviours = "  behaviour B, channel 0\n".repeat(65);
    let cases = [
        (
            "object a".into(),
            "line 1, column 1: expected `message` or `prefab`",
        ),
        (
            "prefab a 12\n".into(),
            "line 1, column 10: expected 32 hexadecimal digits",
        ),
        (
            "message m = 70000: u8\n".into(),
            "line 1, column 13: expected a number of this range",
        ),
        (
            "message m = 48: u8 \n".into(),
            "line 1, column 19: expected the end of the line",
        ),
        (
            "message m = 48: [u8\n".into(),
            "line 1, column 20: expected `]`",
        ),
        (
            "message \"m = 48: u8\n".into(),
            "line 1, column 20: expected the end of a quoted name",
        ),
        (
            "message \"\\u{d800}\" = 48: u8".into(),
            "line 1, column 17: expected the end of a quoted name",
        ),
        (
            "  behaviour B, channel 0\n".into(),
            "line 1, column 3: a behaviour without a prefab",
        ),
        (
            format!("{prefab}    class B\n"),
            "line 2, column 5: a class without a behaviour",
        ),
        (
            format!("{prefab}      a: u8\n"),
            "line 2, column 7: a field without a class",
        ),
        (
            format!("{prefab}  behaviour B, channel 300\n"),
            "line 2, column 24: expected a number of this range",
        ),
        (
            format!("{prefab}  behaviour B, channel 0\n"),
            "line 1, column 1: a behaviour of this prefab has no class",
        ),
        (
            format!("{class}        a: u8\n"),
            "line 4, column 9: a line that is indented too far",
        ),
        (
            format!("{class}      a: u8, read by me\n"),
            "line 4, column 12: expected the end of the line",
        ),
        (
            format!("{class}{fields}"),
            "line 68, column 7: more than 64 fields in a behaviour",
        ),
        (
            format!("{prefab}{behaviours}"),
            "line 66, column 3: more than 64 behaviours",
        ),
        (deep, "line 1, column 80: more than 64 nested types"),
        (marks, "line 1, column 83: more than 64 nested types"),
        (
            format!("{prefab}{prefab}"),
            "line 2, column 1: a prefab of this name twice",
        ),
        (
            format!("{prefab}{}", prefab.replace(" a ", " b ")),
            "line 2, column 1: a prefab of this asset id twice",
        ),
        (
            "message a = 48: u8\nmessage a = 49: u8\n".into(),
            "line 2, column 1: a message of this name twice",
        ),
        (
            "message a = 48: u8\nmessage b = 48: u8\n".into(),
            "line 2, column 1: a message of this number twice",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(
            Schema::parse(&text).unwrap_err().to_string(),
            message,
            "{text}"
        );
    }
}

#[test]
fn long_text_is_refused_before_it_is_read() {
    let text = "message a = 48: u8\n".repeat(MAX_SCHEMA_TEXT / 19 + 1);
    let error = Schema::parse(&text).unwrap_err().to_string();
    assert!(error.starts_with("a schema of 1048"), "{error}");
    assert!(SchemaType::parse(&text).is_err());
}

#[test]
fn a_part_matches_by_its_present_name_or_a_former_one() {
    let names = |text: &str| {
        Schema::parse(&format!("message {text} = 48: u8\n"))
            .unwrap()
            .messages
            .remove(0)
            .names
    };
    assert!(
        names("health was hp").matches(&names("hp"))
            && names("hp").matches(&names("health was hp"))
    );
    assert!(!names("a was hp").matches(&names("b was hp")));
}
