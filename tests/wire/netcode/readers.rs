//! Readers: bounds and places, and one path of code for both directions.

use syncvar::prelude::*;
use syncvar::wire::{NetworkReader, NetworkWriter, ReadErrorKind};

/// T67: a read beyond the end is an error with what was wanted and what was there, moves nothing and
/// does not keep what is there from being read.
#[test]
fn read_beyond_the_end_is_an_error_without_movement() {
    let mut reader = NetworkReader::new(&[1, 2, 3]);
    let beyond = |reader: &mut NetworkReader<'_>, needed: usize| {
        let (position, left) = (reader.position(), reader.remaining());
        let error = reader.read_bytes(needed).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::UnexpectedEnd { needed, left });
        assert_eq!(error.offset(), position);
        assert_eq!((reader.position(), reader.remaining()), (position, left));
    };
    beyond(&mut reader, 4);
    beyond(&mut reader, usize::MAX);
    assert!(reader.read_u32().is_err() && reader.read_u64().is_err() && reader.read_f64().is_err());
    assert_eq!(reader.position(), 0);
    assert_eq!(reader.read_u16().unwrap(), 0x0201);
    assert_eq!((reader.position(), reader.remaining()), (2, 1));
    beyond(&mut reader, 2);
    let error = reader.finish().unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::TrailingBytes { left: 1 });
    assert_eq!(reader.read_u8().unwrap(), 3);
    beyond(&mut reader, 1);
    assert_eq!(reader.read_bytes(0).unwrap(), [0_u8; 0]);
    reader.finish().unwrap();
}

/// T67: position and rest always make up the whole, and what is read are the bytes that are there,
/// however they are cut.
#[test]
fn position_and_rest_make_up_the_whole() {
    let bytes: Vec<u8> = (0..200).collect();
    for step in 1..=13 {
        let mut reader = NetworkReader::new(&bytes);
        let mut read: Vec<u8> = Vec::new();
        while reader.remaining() > 0 {
            read.extend(reader.read_bytes(step.min(reader.remaining())).unwrap());
            assert_eq!(reader.position(), read.len());
            assert_eq!(reader.position() + reader.remaining(), bytes.len());
        }
        assert_eq!(read, bytes);
    }
}

/// T67: the fixed forms take as many bytes as their types, lowest first, wherever they stand.
#[test]
fn numbers_of_fixed_size_come_back_at_any_place() {
    for place in 0..8 {
        let mut writer = NetworkWriter::new();
        writer.write_bytes(&vec![0xff; place]);
        write_fixed(&mut writer);
        assert_eq!(writer.len(), place + 2 * (1 + 2 + 4 + 8) + 4 + 8 + 1);
        assert_eq!(writer.as_bytes()[place + 2..place + 4], [0xdc, 0xfe]);
        let mut reader = NetworkReader::new(writer.as_bytes());
        reader.read_bytes(place).unwrap();
        assert_eq!(reader.read_u8().unwrap(), 0xfe);
        assert_eq!(reader.read_i8().unwrap(), -2);
        assert_eq!(reader.read_u16().unwrap(), 0xfedc);
        assert_eq!(reader.read_i16().unwrap(), -300);
        assert_eq!(reader.read_u32().unwrap(), 0xfedc_ba98);
        assert_eq!(reader.read_i32().unwrap(), -70_000);
        assert_eq!(reader.read_u64().unwrap(), 0xfedc_ba98_7654_3210);
        assert_eq!(reader.read_i64().unwrap(), -5_000_000_000);
        assert_eq!(reader.read_f32().unwrap().to_bits(), (-1.5_f32).to_bits());
        assert_eq!(reader.read_f64().unwrap().to_bits(), 0.1_f64.to_bits());
        assert!(reader.read_bool().unwrap());
        reader.finish().unwrap();
    }

    /// Every numeric type in its fixed form.
    fn write_fixed(writer: &mut NetworkWriter) {
        writer.write_u8(0xfe);
        writer.write_i8(-2);
        writer.write_u16(0xfedc);
        writer.write_i16(-300);
        writer.write_u32(0xfedc_ba98);
        writer.write_i32(-70_000);
        writer.write_u64(0xfedc_ba98_7654_3210);
        writer.write_i64(-5_000_000_000);
        writer.write_f32(-1.5);
        writer.write_f64(0.1);
        writer.write_bool(true);
    }
}

/// T68: what is declared once is written and read; what was read is written as the same bytes.
#[test]
fn one_declaration_writes_and_reads_the_same_bytes() {
    /// Both directions are made from one declaration.
    #[derive(SyncValue, Clone, Default, PartialEq, Debug)]
    struct Order {
        amount: i32,
        goods: Vec<(String, Option<f64>)>,
        #[sync_value(skip)]
        note: u8,
        urgency: Urgency,
    }

    #[derive(SyncValue, Clone, Default, PartialEq, Debug)]
    enum Urgency {
        #[default]
        None,
        Until {
            day: u16,
            hour: u8,
        },
    }

    let order = Order {
        amount: -1,
        goods: vec![(String::new(), Some(0.5)), ("iron".into(), None)],
        note: 0,
        urgency: Urgency::Until { day: 366, hour: 23 },
    };
    for order in [Order::default(), order] {
        let mut writer = NetworkWriter::new();
        writer.write(&order);
        let mut reader = NetworkReader::new(writer.as_bytes());
        let back: Order = reader.read().unwrap();
        reader.finish().unwrap();
        assert_eq!(back, order);
        let mut again = NetworkWriter::new();
        again.write(&back);
        assert_eq!(again.as_bytes(), writer.as_bytes());
    }
}
