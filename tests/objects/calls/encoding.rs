//! What calls are called by.

use syncvar::NetworkBehaviour;
use syncvar::calls::{CallKind, CallSchema};
use syncvar::prelude::*;

use super::world::Unit;

#[test]
fn names_for_unet_are_made_from_the_methods() {
    #[derive(NetworkBehaviour, Default)]
    struct Names;

    #[network_calls]
    impl Names {
        #[command]
        fn take_damage(&mut self) {}
        #[command]
        fn cmd_fire(&mut self) {}
        #[command]
        fn cmdlet(&mut self) {}
        #[command(name = "CmdÜ")]
        fn other(&mut self) {}
        #[client_rpc]
        fn r#type(&mut self) {}
        #[target_rpc]
        fn target_hi(&mut self) {}
        #[sync_event]
        fn event();
        #[sync_event(name = "die")]
        fn died();
    }

    let names: Vec<_> = Names::INFO
        .calls
        .own()
        .iter()
        .map(|call| call.unity_name)
        .collect();
    assert_eq!(
        names,
        [
            "CmdTakeDamage",
            "CmdFire",
            "CmdCmdlet",
            "CmdÜ",
            "RpcType",
            "TargetHi",
            "EventEvent",
            "die"
        ]
    );
    let hash = CallSchema::hash_of("Names", CallKind::Command, "CmdÜ");
    assert_eq!(Names::INFO.calls.own()[3].hash, hash);
    let text = "Names:Cmd:CmdÜ".encode_utf16();
    let by_hand = text.fold(0_u32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    });
    assert_eq!(hash, by_hand);
    let (class, text) = ("🎲あ", "🎲あ:Rpc:x𝄞".encode_utf16());
    let by_hand = text.fold(0_u32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    });
    assert_eq!(
        CallSchema::hash_of(class, CallKind::ClientRpc, "x𝄞"),
        by_hand
    );
}

#[test]
fn attributes_are_part_of_the_schema() {
    let calls = Unit::INFO.calls.own();
    let find = |name| *calls.iter().find(|call| call.name == name).expect("a call");
    assert!(find("fire").requires_ownership && find("fire").rate.is_none());
    assert_eq!(
        (find("open").requires_ownership, find("open").rate),
        (false, Some(5.0))
    );
    assert_eq!((find("steer").channel, find("glimpse").channel), (1, 1));
    assert_eq!(find("hear").target(), Target::Observers);
    assert_eq!(find("reload").target(), Target::Owner);
    assert_eq!(find("notice").target(), Target::NotOwner);
    assert_eq!(find("explode").target(), Target::Everyone);
    assert_eq!(find("burst").arguments.len(), 2);
    assert_eq!(find("whisper").kind, CallKind::TargetRpc);
}

#[test]
fn supported_argument_types() {
    #[derive(SyncValue, Clone, Debug, Default, PartialEq)]
    struct Buff {
        id: u32,
        name: String,
    }

    type Told = (Vec<i32>, Vec<Vec<i32>>, NetId, Option<Buff>);

    #[derive(NetworkBehaviour, Default)]
    struct Bag {
        told: Option<Told>,
    }

    #[network_calls]
    impl Bag {
        // Private: so is the method that calls it.
        #[client_rpc]
        fn tell(
            &mut self,
            list: Vec<i32>,
            lists: Vec<Vec<i32>>,
            r#type: NetId,
            mut buff: Option<Buff>,
        ) {
            if let Some(buff) = &mut buff {
                buff.id += 1;
            }
            self.told = Some((list, lists, r#type, buff));
        }

        /// Arguments called like what is around them.
        #[command(requires_ownership = false)]
        fn ask(
            &mut self,
            context: &mut CallContext<'_>,
            reader: u8,
            writer: u8,
            call: u8,
            connection: u8,
            sender: u8,
        ) {
            let id = context.net_id();
            let list = [reader, writer, call, connection, sender].map(i32::from);
            let buff = Buff {
                id: 1,
                name: "x".into(),
            };
            let server = context.server().expect("the server");
            let calls = server.calls::<Self>(id);
            calls
                .tell(list.to_vec(), vec![vec![], vec![7]], id, Some(buff))
                .expect("a call");
        }
    }

    for dialect in super::world::DIALECTS {
        let config = ServerConfig {
            framing: dialect,
            ..ServerConfig::default()
        };
        let prefabs = || Prefabs::new().register::<Bag>("bag");
        let mut net =
            MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
        net.connect();
        let id = net.server.spawn(Bag::default());
        net.settle();
        net.client_mut(0)
            .calls::<Bag>(id)
            .ask(1, 2, 3, 4, 5)
            .unwrap();
        net.settle();
        let buff = Buff {
            id: 2,
            name: "x".into(),
        };
        let expected = (vec![1, 2, 3, 4, 5], vec![vec![], vec![7]], id, Some(buff));
        let told = &net.client(0).get::<Bag>(id).unwrap().told;
        assert_eq!(told.as_ref(), Some(&expected));
    }
}

#[test]
fn long_call_arrives_up_to_the_limit_but_no_long_command() {
    #[derive(NetworkBehaviour, Default)]
    struct Mail {
        length: usize,
    }

    #[network_calls]
    impl Mail {
        #[client_rpc]
        fn deliver(&mut self, bytes: Vec<u8>) {
            self.length = bytes.len();
        }

        #[command(requires_ownership = false)]
        fn post(&mut self, bytes: Vec<u8>) {
            self.length = bytes.len();
        }
    }

    let config = ServerConfig {
        max_message_size: 200_000,
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().register::<Mail>("mail");
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    net.connect();
    let id = net.server.spawn(Mail::default());
    net.settle();
    let calls = net.server.calls::<Mail>(id);
    assert!(calls.deliver(vec![7; 200_001]).is_err());
    let calls = net.server.calls::<Mail>(id);
    calls.deliver(vec![7; 100_000]).unwrap();
    net.settle();
    assert_eq!(net.client(0).get::<Mail>(id).unwrap().length, 100_000);
    let calls = net.client_mut(0).calls::<Mail>(id);
    assert!(calls.post(vec![7; 65_536]).is_err());
    let calls = net.client_mut(0).calls::<Mail>(id);
    calls.post(vec![7; 65_000]).unwrap();
    net.settle();
    assert_eq!(net.server.get::<Mail>(id).unwrap().length, 65_000);
}
