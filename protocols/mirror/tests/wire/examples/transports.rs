//! Section 7: what the transports put around a batch.

use crate::examples::Examples;

pub(crate) fn examples() -> Examples {
    let mut examples = Examples::new();
    examples.extend(telepathy());
    examples.extend(kcp());
    examples.sort_unstable();
    examples
}

fn telepathy() -> Examples {
    use syncvar::mirror::telepathy::head;

    let batch = hex::decode("5bb9725188dbba3f02bcaa0206c1").expect("hexadecimal digits");
    let frame = [&head(batch.len()).expect("it is short")[..], &batch].concat();
    vec![(
        "Telepathy: a batch of 14 bytes: a time, `Ready` and `AddPlayer`",
        hex::encode(frame),
    )]
}

fn kcp() -> Examples {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use syncvar::Channel;
    use syncvar::mirror::kcp::{Hello, KcpConnection};

    let ms = Duration::from_millis;
    let cookie = NonZeroU32::new(0x6001_51ca).expect("it is not 0");
    let mut client = KcpConnection::connect(ms(0));
    client.update(ms(62));
    let hello = client.poll_transmit().expect("it says hello");
    let answer = Hello::read(&hello)
        .expect("it is one")
        .answer(cookie, ms(7));
    client.handle_datagram(ms(105), &answer);
    let batch = hex::decode("a41f68603f1fc63f02bcaa0206c1").expect("hexadecimal digits");
    client
        .send(Channel::Reliable, &[batch.into()])
        .expect("it is short");
    client.update(ms(105));
    let ready = client.poll_transmit().expect("a batch");

    let mut server = KcpConnection::accept(cookie, ms(0));
    let snapshot = hex::decode("1aff999c35d3f63f0a09df1aff999c35d3f63f");
    let snapshot = snapshot.expect("hexadecimal digits");
    server
        .send(Channel::Unreliable, &[snapshot.into()])
        .expect("it is short");
    server.close(ms(0), ms(0));
    server.update(ms(0));
    let snapshot = server.poll_transmit().expect("a batch");
    let last = server.poll_transmit().expect("the last word");
    vec![
        (
            "KCP: the client's `Hello`, sent at 62 ms, without a cookie",
            hex::encode(hello),
        ),
        (
            "KCP: the server's answer with the cookie: it has the `Hello`, and says its own",
            hex::encode(answer),
        ),
        (
            "KCP: the client has the server's `Hello`, and sends a batch with `Ready` and `AddPlayer`",
            hex::encode(ready),
        ),
        ("KCP: the server's `TimeSnapshot`", hex::encode(snapshot)),
        ("KCP: `Disconnect`", hex::encode(last)),
    ]
}
