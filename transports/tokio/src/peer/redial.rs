//! Connections of a peer, one after another.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crate::link::ServerLink;
use crate::{Reconnect, Timeout, TransportOptions};

/// Attempt to connect.
type Attempt = Pin<Box<dyn Future<Output = io::Result<Box<dyn ServerLink>>> + Send>>;

/// Way to connect again.
pub(super) struct Redial {
    connect: Box<dyn Fn(TransportOptions) -> Attempt + Send>,
    schedule: Reconnect,
    /// Attempts since the last packet.
    attempts: u32,
    /// Attempt that runs or waits for its time.
    attempt: Option<Attempt>,
}

impl Redial {
    /// Returns `None` if the options exclude it.
    pub(super) fn new<F, L>(
        connect: impl Fn(TransportOptions) -> F + Send + 'static,
        options: &TransportOptions,
    ) -> Option<Self>
    where
        F: Future<Output = io::Result<L>> + Send + 'static,
        L: ServerLink + 'static,
    {
        options.reconnect.map(|schedule| Self {
            connect: Box::new(move |options| {
                let connecting = connect(options);
                Box::pin(async move {
                    let link: Box<dyn ServerLink> = Box::new(connecting.await?);
                    Ok(link)
                })
            }),
            schedule,
            attempts: 0,
            attempt: None,
        })
    }

    /// Starts the count anew: the connection works.
    pub(super) fn succeed(&mut self) {
        self.attempts = 0;
    }

    /// Returns whether an attempt is left.
    pub(super) fn has_attempts(&self) -> bool {
        self.attempt.is_some() || self.attempts < self.schedule.max_attempts
    }

    /// Ready with a connection, or with `None` after the last attempt.
    pub(super) fn poll_connect(
        &mut self,
        options: &TransportOptions,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Box<dyn ServerLink>>> {
        while self.has_attempts() {
            let attempt = match &mut self.attempt {
                Some(attempt) => attempt,
                None => {
                    let delay = self.schedule.delay(self.attempts);
                    let connecting = (self.connect)(options.clone());
                    let limit = options.connect_timeout;
                    self.attempts += 1;
                    self.attempt.insert(Box::pin(async move {
                        tokio::time::sleep(delay).await;
                        within(limit, connecting).await
                    }))
                }
            };
            let result = ready!(attempt.as_mut().poll(cx));
            self.attempt = None;
            match result {
                Ok(link) => return Poll::Ready(Some(link)),
                Err(error) => tracing::debug!(%error, attempts = self.attempts, "not connected"),
            }
        }
        Poll::Ready(None)
    }
}

impl fmt::Debug for Redial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Redial");
        debug.field("attempts", &self.attempts);
        debug.finish_non_exhaustive()
    }
}

/// Awaits a connection for at most `limit`.
pub(super) async fn within<T>(
    limit: Duration,
    connecting: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    match tokio::time::timeout(limit, connecting).await {
        Ok(result) => result,
        Err(_) => Err(Timeout::Connect.into()),
    }
}
