//! Counterpart: the `kcp` crate with Mirror's settings and messages.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::mem;
use std::rc::Rc;

use kcp::Kcp;

/// First byte of a datagram, and of its message.
const RELIABLE: u8 = 1;
const UNRELIABLE: u8 = 2;
const HELLO: u8 = 1;
const PING: u8 = 2;
const DATA: u8 = 3;
const UNRELIABLE_DATA: u8 = 4;
const DISCONNECT: u8 = 5;

/// Longest message of the crate: 127 fragments, without the byte of the message type.
pub(crate) const MAX_RELIABLE: usize = 127 * 1171 - 1;

/// Bodies of outgoing datagrams.
#[derive(Clone, Default)]
struct Bodies(Rc<RefCell<Vec<Vec<u8>>>>);

impl io::Write for Bodies {
    fn write(&mut self, body: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().push(body.to_vec());
        Ok(body.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// End of a connection.
pub(crate) struct Stock {
    kcp: Kcp<Bodies>,
    bodies: Bodies,
    is_server: bool,
    /// 0 for a client before the answer.
    cookie: u32,
    is_connected: bool,
    /// Times of the last ping and of the last complete message.
    pinged: u64,
    heard: u64,
    unreliable: Vec<Vec<u8>>,
    pub(crate) reliable: VecDeque<Vec<u8>>,
    pub(crate) datagrams: usize,
    pub(crate) goodbyes: usize,
}

impl Stock {
    /// Makes a client, which sends `Hello`.
    pub(crate) fn client(now: u64) -> Self {
        let mut client = Self::new(now, false, 0);
        client.say(HELLO, &[]);
        client
    }

    /// Makes a server, which gives this cookie to its client.
    pub(crate) fn server(now: u64, cookie: u32) -> Self {
        Self::new(now, true, cookie)
    }

    fn new(now: u64, is_server: bool, cookie: u32) -> Self {
        let bodies = Bodies::default();
        let mut kcp = Kcp::new(0, bodies.clone());
        kcp.set_nodelay(true, 10, 2, true);
        kcp.set_wndsize(4096, 4096);
        kcp.set_mtu(1195).unwrap();
        kcp.set_maximum_resend_times(40);
        Self {
            kcp,
            bodies,
            is_server,
            cookie,
            is_connected: false,
            pinged: now,
            heard: now,
            unreliable: Vec::new(),
            reliable: VecDeque::new(),
            datagrams: 0,
            goodbyes: 0,
        }
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.is_connected
    }

    pub(crate) fn send(&mut self, message: &[u8]) {
        self.say(DATA, message);
    }

    pub(crate) fn send_unreliable(&mut self, message: &[u8]) {
        self.unreliable.push([&[UNRELIABLE_DATA], message].concat());
    }

    fn say(&mut self, word: u8, message: &[u8]) {
        self.kcp.send(&[&[word], message].concat()).unwrap();
    }

    /// Returns the number of unacknowledged segments.
    pub(crate) fn waiting(&self) -> usize {
        self.kcp.wait_snd()
    }

    /// Handles a datagram. Returns its unreliable message.
    pub(crate) fn handle(&mut self, now: u64, datagram: &[u8]) -> Option<Vec<u8>> {
        let (head, body) = datagram.split_at(5);
        let cookie = u32::from_le_bytes(head[1..].try_into().unwrap());
        if !self.is_server && self.cookie == 0 {
            self.cookie = cookie;
        }
        let knows = cookie == self.cookie || (self.is_server && !self.is_connected);
        if !knows || body.is_empty() {
            return None;
        }
        self.datagrams += 1;
        match (head[0], body[0]) {
            (RELIABLE, _) => {
                self.kcp.input(body).unwrap();
                self.receive(now);
                None
            }
            (UNRELIABLE, UNRELIABLE_DATA) => self.is_connected.then(|| {
                self.heard = now;
                body[1..].to_vec()
            }),
            (UNRELIABLE, DISCONNECT) => {
                self.goodbyes += 1;
                None
            }
            other => panic!("{other:?}"),
        }
    }

    /// Returns the complete messages.
    fn receive(&mut self, now: u64) {
        while let Ok(length) = self.kcp.peeksize() {
            let mut message = vec![0; length];
            assert_eq!(self.kcp.recv(&mut message).unwrap(), length);
            self.heard = now;
            match message.remove(0) {
                HELLO => {
                    assert!(
                        !mem::replace(&mut self.is_connected, true),
                        "a second hello"
                    );
                    if self.is_server {
                        self.say(HELLO, &[]);
                    }
                }
                PING => assert!(message.is_empty()),
                DATA => {
                    assert!(self.is_connected && !message.is_empty());
                    self.reliable.push_back(message);
                }
                word => panic!("{word}"),
            }
        }
    }

    /// Returns the due datagrams.
    pub(crate) fn update(&mut self, now: u64) -> Vec<Vec<u8>> {
        assert!(!self.kcp.is_dead_link());
        // Mirror's timeout counts complete messages.
        assert!(now - self.heard < 10_000, "nothing was heard for 10 s");
        // Mirror's client pings before it is connected, too.
        if (self.is_connected || !self.is_server) && now - self.pinged >= 1000 {
            self.pinged = now;
            self.say(PING, &[]);
        }
        let millis = u32::try_from(now % (1 << 32)).unwrap();
        self.kcp.update(millis).unwrap();
        let put = |channel: u8, body: Vec<u8>| {
            let datagram = [&[channel][..], &self.cookie.to_le_bytes(), &body].concat();
            assert!(datagram.len() <= 1200);
            datagram
        };
        let unreliable = mem::take(&mut self.unreliable).into_iter();
        let unreliable = unreliable.map(|body| put(UNRELIABLE, body));
        let reliable = mem::take(&mut *self.bodies.0.borrow_mut()).into_iter();
        unreliable
            .chain(reliable.map(|body| put(RELIABLE, body)))
            .collect()
    }
}
