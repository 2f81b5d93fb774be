//! Connections of a peer, in succession.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crate::link::ServerLink;
use crate::{Reconnect, Timeout, TransportOptions};

/// Attempt to connect.
type Attempt = Pin<Box<dyn Future<Output = io::Result<Box<dyn ServerLink>>> + Send>>;

/// Way to connect, first and again.
pub(super) struct Dial {
    connect: Box<dyn Fn(TransportOptions) -> Attempt + Send + Sync>,
    /// Attempts after a lost connection.
    schedule: Option<Reconnect>,
    /// Attempts since the last packet.
    attempts: u32,
    /// Attempt that runs or waits for its time. The mutex makes a peer `Sync`.
    attempt: Mutex<Option<Attempt>>,
    state: DialState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DialState {
    /// Before the first connection, with one attempt.
    First,
    Again,
}

impl Dial {
    pub(super) fn new<F, L>(
        connect: impl Fn(TransportOptions) -> F + Send + Sync + 'static,
        options: &TransportOptions,
    ) -> Self
    where
        F: Future<Output = io::Result<L>> + Send + 'static,
        L: ServerLink + 'static,
    {
        Self {
            connect: Box::new(move |options| {
                let connecting = connect(options);
                Box::pin(async move {
                    let link: Box<dyn ServerLink> = Box::new(connecting.await?);
                    Ok(link)
                })
            }),
            schedule: options.reconnect,
            attempts: 0,
            attempt: Mutex::new(None),
            state: DialState::First,
        }
    }

    /// Repeats the first attempt as all later ones.
    pub(super) fn repeat_first(&mut self) {
        self.state = DialState::Again;
    }

    /// Starts the count anew: the connection works.
    pub(super) fn succeed(&mut self) {
        self.attempts = 0;
    }

    /// Returns whether an attempt is left.
    pub(super) fn has_attempts(&self) -> bool {
        let most = match (self.state, self.schedule) {
            (DialState::First, _) => 1,
            (DialState::Again, Some(schedule)) => schedule.max_attempts,
            (DialState::Again, None) => 0,
        };
        self.is_running() || self.attempts < most
    }

    fn is_running(&self) -> bool {
        let attempt = self.attempt.lock();
        attempt.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Ready with a connection, or with the error of the last attempt.
    pub(super) fn poll_connect(
        &mut self,
        options: &TransportOptions,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<Box<dyn ServerLink>>> {
        let mut last = io::ErrorKind::NotConnected.into();
        while self.has_attempts() {
            let result = ready!(self.attempt(options).as_mut().poll(cx));
            *unlocked(&mut self.attempt) = None;
            match result {
                Ok(link) => {
                    if self.state == DialState::First {
                        (self.state, self.attempts) = (DialState::Again, 0);
                    }
                    return Poll::Ready(Ok(link));
                }
                Err(error) => {
                    tracing::info!(%error, attempts = self.attempts, "not connected");
                    last = error;
                }
            }
        }
        if self.state == DialState::First {
            (self.state, self.schedule) = (DialState::Again, None);
        }
        Poll::Ready(Err(last))
    }

    fn attempt(&mut self, options: &TransportOptions) -> &mut Attempt {
        let delay = match (self.state, self.schedule) {
            (DialState::Again, Some(schedule)) => schedule.delay(self.attempts),
            _ => Duration::ZERO,
        };
        unlocked(&mut self.attempt).get_or_insert_with(|| {
            let connecting = (self.connect)(options.clone());
            let limit = options.connect_timeout;
            self.attempts += 1;
            Box::pin(async move {
                if !delay.is_zero() {
                    tokio::time::sleep(delay).await;
                }
                within(limit, connecting).await
            })
        })
    }
}

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Dial");
        debug.field("attempts", &self.attempts);
        debug.finish_non_exhaustive()
    }
}

fn unlocked<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// Awaits a connection for at most `limit`.
async fn within<T>(
    limit: Duration,
    connecting: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    match tokio::time::timeout(limit, connecting).await {
        Ok(result) => result,
        Err(_) => Err(Timeout::Connect.into()),
    }
}
