use super::{ReadError, ReadErrorKind, ReadResultExt};

#[test]
fn a_read_error_is_one_pointer_and_says_the_same_as_its_parts() {
    assert_eq!(size_of::<ReadError>(), 8);
    assert_eq!(size_of::<Result<(), ReadError>>(), 8);
    let read: Result<(), ReadError> = Err(ReadError::new(ReadErrorKind::InvalidUtf8, 3));
    let error = read
        .in_member("Buff.name")
        .at("Player.buff")
        .at("Outer")
        .unwrap_err();
    assert_eq!(
        format!("{error:?}"),
        "ReadError { kind: InvalidUtf8, offset: 3, field: Some(\"Player.buff\"), \
         member: Some(\"Buff.name\") }"
    );
    assert_eq!(error.clone(), error);
    assert_ne!(error, ReadError::new(ReadErrorKind::InvalidUtf8, 3));
}
