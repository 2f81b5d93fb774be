//! What is refused: bytes that nobody writes, values without a form, and sides that do not agree.

use proptest::prelude::*;
use syncvar::NetworkBehaviour;
use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::{
    DisconnectReason,
    codec::{Bits, Fixed, Half, Quantized, SmallestThree, SyncCodec, ZigZag},
    values::{Quaternion, Vector3},
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind},
};

type Metres = Quantized<-500, 500, 10>;

#[test]
fn unwritable_bytes_are_read_errors() {
    let invalid = |what, value| (ReadErrorKind::InvalidValue { what, value }, 0);
    let out_of_range = |value, target| (ReadErrorKind::OutOfRange { value, target }, 0);
    // 10000 steps are the last.
    assert_eq!(
        refused::<Metres, f32>(&[0x11, 0x27]),
        invalid("step of a quantised float", 10001)
    );
    let second = [0, 0, 0xff, 0xff, 0, 0];
    assert_eq!(refused::<Metres, Vector3>(&second).1, 2);
    assert_eq!(
        refused::<Bits<12>, u16>(&[0, 0x10]),
        invalid("number of so few bits", 0x1000)
    );
    assert_eq!(
        refused::<Bits<12>, i16>(&[0xff, 0xff]),
        invalid("number of so few bits", 0xffff)
    );
    assert_eq!(
        refused::<ZigZag, i8>(&[0xf1, 0x10]),
        out_of_range(256, "i8")
    );
    assert_eq!(
        refused::<Fixed, char>(&[0, 0xd8, 0, 0]),
        (ReadErrorKind::InvalidChar(0xd800), 0)
    );
    // A component beyond 1 / sqrt(2), a sum of squares beyond 1, and one that is not the largest.
    for bits in [
        0x3ff,
        0x1fe_u32 << 20 | 0x3fe << 10 | 0x3fe,
        0x3fe << 20 | 0x3fe << 10 | 0x3fe,
    ] {
        let (kind, _) = refused::<SmallestThree, Quaternion>(&bits.to_le_bytes());
        assert!(
            matches!(kind, ReadErrorKind::InvalidValue { .. }),
            "{bits:#x}"
        );
    }

    fn refused<C, T>(bytes: &[u8]) -> (ReadErrorKind, usize)
    where
        C: SyncCodec<T>,
        T: Clone + Send + Sync + 'static,
    {
        let error: ReadError = C::read(&mut NetworkReader::new(bytes))
            .err()
            .expect("it is refused");
        (error.kind(), error.offset())
    }
}

/// What is read of any bytes is what some value is written as, or an error.
fn read_is_written<C, T>(bytes: &[u8], dialect: Encoding)
where
    C: SyncCodec<T>,
    T: Clone + Send + Sync + 'static,
{
    let mut reader = NetworkReader::with_encoding(bytes, dialect);
    if let Ok(value) = C::read(&mut reader) {
        let mut writer = NetworkWriter::with_encoding(dialect);
        C::write(&value, &mut writer);
        assert_eq!(writer.error(), None);
        assert_eq!(writer.as_bytes(), &bytes[..reader.position()]);
    }
}

proptest! {
    #![proptest_config(syncvar_testing::cases(2000))]

    /// Whatever a codec of fixed size reads, it writes as the same bytes.
    #[test]
    fn any_bytes_are_a_value_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..16)) {
        for dialect in [Encoding::Unet, Encoding::Compact, Encoding::Mirror] {
            read_is_written::<Metres, f32>(&bytes, dialect);
            read_is_written::<Metres, Vector3>(&bytes, dialect);
            read_is_written::<Quantized<0, 1, 100>, [f32; 3]>(&bytes, dialect);
            read_is_written::<Bits<5>, u8>(&bytes, dialect);
            read_is_written::<Bits<13>, i32>(&bytes, dialect);
            read_is_written::<Bits<64>, i64>(&bytes, dialect);
            read_is_written::<Fixed, char>(&bytes, dialect);
            read_is_written::<SmallestThree, Quaternion>(&bytes, dialect);
            // These read some numbers that have a shorter form, and other NaNs.
            _ = <ZigZag as SyncCodec<i16>>::read(&mut NetworkReader::with_encoding(&bytes, dialect));
            _ = <Half as SyncCodec<Vector3>>::read(&mut NetworkReader::with_encoding(&bytes, dialect));
        }
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Crate {
    #[sync_var(with = Bits<6>)]
    items: SyncVar<u32>,
    #[sync_var]
    open: SyncVar<bool>,
}

#[test]
fn a_bad_value_is_an_error_that_names_the_field() {
    let mut replica = Crate::default();
    let mut reader = NetworkReader::new(&[0b01, 64]);
    let error = replica.on_deserialize(&mut reader, false).err().unwrap();
    assert_eq!(
        error.to_string(),
        "Crate.items: 64 is not a valid number of so few bits, at byte 1"
    );
}

#[test]
fn unfitting_value_is_reported_and_sent_once_it_fits() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Crate>("crate"));
    let id = net.server.spawn(Crate::default());
    net.settle();
    while net.server.poll_event().is_some() {}
    net.server.get_mut::<Crate>(id).unwrap().items.set(64);
    net.settle();
    let Some(ServerEvent::SerializeFailed { field, error, .. }) = net.server.poll_event() else {
        panic!("it is reported");
    };
    assert_eq!(field, Some("items"));
    let text = error.to_string();
    assert!(
        text.starts_with("Crate.items: a number that does not fit the 6 bits of its field"),
        "{text}"
    );
    net.server.get_mut::<Crate>(id).unwrap().items.set(63);
    net.settle();
    assert_eq!(*net.client(0).get::<Crate>(id).unwrap().items, 63);
}

#[test]
fn nan_is_reported_with_its_field_even_from_the_least_value() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Kite {
        #[sync_var(with = Quantized<-500, 500, 100>)]
        height: SyncVar<f32>,
        #[sync_var(with = SmallestThree)]
        rotation: SyncVar<Quaternion>,
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Kite>("kite"));
    let id = net.server.spawn(Kite::default());
    let failure = |net: &mut MemoryNetwork, height: f32, y: f32| {
        let mut kite = net.server.get_mut::<Kite>(id).unwrap();
        kite.height.set(height);
        kite.rotation.set(Quaternion::new(0.0, y, 0.0, 1.0));
        drop(kite);
        net.settle();
        std::iter::from_fn(|| net.server.poll_event()).find_map(|event| match event {
            ServerEvent::SerializeFailed { field, error, .. } => field.zip(Some(error.kind())),
            _ => None,
        })
    };
    let nan = |field| Some((field, WriteErrorKind::NotANumber));
    let height = |net: &MemoryNetwork| *net.client(0).get::<Kite>(id).unwrap().height;
    assert_eq!(failure(&mut net, -500.0, 0.0), None);
    assert_eq!(failure(&mut net, f32::NAN, 0.0), nan("height"));
    assert_eq!(height(&net), -500.0);
    assert_eq!(failure(&mut net, 1.0, 0.0), None);
    assert_eq!(height(&net), 1.0);
    for y in [f32::NAN, f32::INFINITY] {
        assert_eq!(failure(&mut net, 1.0, y), nan("rotation"));
    }
}

mod server_side {
    use syncvar::prelude::*;
    use syncvar::{codec::Quantized, values::Vector3};

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Unit {
        #[sync_var(with = Quantized<-500, 500, 100>)]
        position: SyncVar<Vector3>,
    }
}

mod client_side {
    use syncvar::prelude::*;
    use syncvar::{codec::Quantized, values::Vector3};

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Unit {
        #[sync_var(with = Quantized<-500, 500, 10>)]
        position: SyncVar<Vector3>,
    }
}

#[test]
fn sides_with_other_parameters_refuse_each_other_and_name_them() {
    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<server_side::Unit>("unit"));
    let prefabs = Prefabs::new().register::<client_side::Unit>("unit");
    let config = ClientConfig {
        builds: Builds::Exact,
        ..ClientConfig::default()
    };
    let client = net.connect_client(NetworkClient::with_config(prefabs, config));
    net.settle();
    let Some(ClientEvent::Refused {
        reason: DisconnectReason::SchemaMismatch(Some(report)),
    }) = net.client_mut(client).poll_event()
    else {
        panic!("it is refused");
    };
    assert_eq!(
        report.to_string(),
        "prefab `unit`, behaviour `Unit`, field `position`: `Vector3 as Quantized<-500, 500, 100>` of the server is \
         converted to `Vector3 as Quantized<-500, 500, 10>`"
    );
    let schema = <Half as SyncCodec<f64>>::SCHEMA;
    assert_eq!(schema.to_string(), "f64 as Half");
    assert_eq!(
        <Bits<6> as SyncCodec<u32>>::SCHEMA.to_string(),
        "u32 as Bits<6>"
    );
}
