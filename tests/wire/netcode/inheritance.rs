//! Fields of several levels of inheritance, and types that only one of the levels has.

use syncvar::prelude::*;

/// Fields of every visibility, at three levels, in a module of their own.
mod levels {
    use syncvar::prelude::*;

    /// A type that stands nowhere but in a field of the lowest level.
    #[derive(SyncValue, Clone, Default, PartialEq, Debug)]
    pub(crate) struct OnlyHere<T> {
        values: Vec<(T, Option<T>)>,
    }

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    pub(crate) struct Grandparent {
        #[sync_var]
        pub(crate) open: SyncVar<i32>,
        #[sync_var]
        pub(super) protected: SyncVar<i32>,
        #[sync_var]
        private: SyncVar<i32>,
    }

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    pub(crate) struct Parent {
        #[network_behaviour(base)]
        base: Grandparent,
        #[sync_var]
        pub(crate) open: SyncVar<String>,
        #[sync_var]
        protected: SyncList<i32>,
        #[sync_var]
        private: SyncVar<bool>,
    }

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    pub(crate) struct Child {
        #[network_behaviour(base)]
        pub(crate) base: Parent,
        #[sync_var]
        pub(crate) open: SyncVar<OnlyHere<u16>>,
        #[sync_var]
        private: SyncDictionary<String, OnlyHere<char>>,
    }

    impl Grandparent {
        fn fill(&mut self, number: i32) {
            self.open.set(number);
            self.protected.set(number + 1);
            self.private.set(number + 2);
        }
    }

    impl Child {
        pub(crate) fn fill(&mut self, number: i32) {
            self.base.base.fill(number);
            self.base.open.set(number.to_string());
            self.base.protected.push(number);
            self.base.private.update(|on| *on = !*on);
            let values = vec![(7, Some(8)), (9, None)];
            self.open.set(OnlyHere { values });
            let values = vec![('a', None)];
            self.private.insert(number.to_string(), OnlyHere { values });
        }

        /// Every field of every level, as text.
        pub(crate) fn state(&self) -> String {
            let Parent {
                base,
                open,
                protected,
                private,
            } = &self.base;
            let lowest = (&base.open, &base.protected, &base.private);
            let mut keys: Vec<_> = self.private.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            format!(
                "{lowest:?} {open:?} {protected:?} {private:?} {:?} {keys:?}",
                self.open
            )
        }
    }
}

use levels::Child;

/// T23: those of all three levels arrive, whoever can see them; T19: and so do types that only a
/// derived class has.
#[test]
fn fields_of_three_levels_arrive_with_the_spawn_and_as_changes() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Child>("child"));
    let mut child = Child::default();
    child.fill(10);
    let id = net.server.spawn(child);
    net.settle();
    assert_equal(&net, id, "10");

    net.server.get_mut::<Child>(id).unwrap().fill(20);
    net.connect();
    net.settle();
    assert_equal(&net, id, "20");

    // One field of one level alone.
    net.server.get_mut::<Child>(id).unwrap().base.open.push('!');
    net.settle();
    assert_equal(&net, id, "20!");

    /// The replicas are as the server has it, and the open field of the middle level is in that.
    fn assert_equal(net: &MemoryNetwork, id: NetId, open: &str) {
        let server = net.server.get::<Child>(id).unwrap();
        assert_eq!(server.base.open, *open);
        assert!(server.state().contains(open));
        for replica in net.replicas::<Child>(id) {
            assert_eq!(replica.unwrap().state(), server.state());
        }
    }
}
