//! HTTP requests: upgrades to WebSocket, and pages.

use std::io;

use bytes::{Bytes, BytesMut};
use syncvar_tokio::tasks::{Door, End, Origins};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::machine::TryParse;
use tokio_tungstenite::tungstenite::handshake::server::{Request, create_response, write_response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::ORIGIN;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::messages::MessageKind;
use crate::meter::Meter;
use crate::site::Site;
use crate::socket;

/// Longest head of a request, in bytes.
const MAX_HEAD: usize = 8 * 1024;

/// Least room for one read, in bytes.
const READ: usize = 1024;

/// End of the head.
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// Answers to the requests of a port.
#[derive(Debug)]
pub(crate) struct ServedContent {
    pub(crate) site: Site,
    /// Lines of the program for the head of each answer.
    pub(crate) head: String,
    /// Origins of pages whose scripts may upgrade.
    pub(crate) origins: Origins,
    pub(crate) messages: MessageKind,
}

/// Answers one request: runs a WebSocket, or sends a page and closes.
pub(crate) async fn serve<S>(mut stream: S, content: &ServedContent, door: Door) -> io::Result<End>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let mut buffer = BytesMut::new();
    let (method, request) = match read_request(&mut stream, &mut buffer).await? {
        Ok(request) => request,
        Err(status) => return answer(stream, &content.text(None, status, status), &door).await,
    };
    if method == HttpMethod::Other {
        let status = "405 Method Not Allowed\r\nAllow: GET, HEAD";
        let refused = content.text(Some(&request), status, "a page has GET and HEAD");
        return answer(stream, &refused, &door).await;
    }
    if method == HttpMethod::Head || !request.headers().contains_key("upgrade") {
        let page = page_of(&request, method, content);
        return answer(stream, &page, &door).await;
    }
    if !content.allows(&request) {
        let refused = content.text(
            Some(&request),
            "403 Forbidden",
            "this origin may not connect",
        );
        return answer(stream, &refused, &door).await;
    }
    let door = door.with_origin(origin(&request).map(str::to_owned));
    let upgraded = create_response(&request).and_then(|response| {
        let mut bytes = Vec::new();
        write_response(&mut bytes, &response)?;
        Ok(bytes)
    });
    match upgraded {
        Ok(response) => {
            stream.write_all(&response).await?;
            let stream = Meter::new(stream);
            // Clients send little: a server has a small buffer for each.
            let config = socket::config(door.options(), content.messages).read_buffer_size(READ);
            let early = buffer.to_vec();
            let stream =
                WebSocketStream::from_partially_read(stream, early, Role::Server, Some(config));
            let stream = stream.await;
            // Frees the request: the connection may last for hours.
            drop((request, response, buffer));
            Box::pin(socket::exchange(stream, content.messages, door)).await
        }
        Err(error) => {
            let answered = content.text(Some(&request), "400 Bad Request", &error.to_string());
            answer(stream, &answered, &door).await
        }
    }
}

/// Returns the response with the page of a request; its head alone for `HEAD`.
fn page_of(request: &Request, method: HttpMethod, content: &ServedContent) -> Vec<u8> {
    let asked = Some(request);
    let page = content
        .site
        .page(request.uri().path())
        .map(|page| content.response(asked, "200 OK", &page.content_type, &page.body()));
    let mut page = page.unwrap_or_else(|| content.text(asked, "404 Not Found", "not found"));
    if method == HttpMethod::Head {
        let body = page
            .windows(BLANK_LINE.len())
            .position(|four| four == BLANK_LINE);
        page.truncate(body.map_or(page.len(), |end| end + BLANK_LINE.len()));
    }
    page
}

/// Method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HttpMethod {
    Get,
    Head,
    Other,
}

/// Reads the head of a request. The rest of the input stays in the buffer. A malformed head is a status.
async fn read_request(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut BytesMut,
) -> io::Result<Result<(HttpMethod, Request), &'static str>> {
    let mut seen = 0_usize;
    let end = loop {
        let from = seen.saturating_sub(BLANK_LINE.len());
        let lines = buffer.get(from..).unwrap_or_default();
        let found = lines
            .windows(BLANK_LINE.len())
            .position(|four| four == BLANK_LINE);
        let end = found.map(|index| from + index + BLANK_LINE.len());
        if end.unwrap_or(buffer.len()) > MAX_HEAD {
            return Ok(Err("431 Request Header Fields Too Large"));
        }
        if let Some(end) = end {
            break end;
        }
        seen = buffer.len();
        buffer.reserve(READ);
        if stream.read_buf(buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = buffer.split_to(end);
    Ok(parse(&head).ok_or("400 Bad Request"))
}

/// Returns the method and the request of a head; `None` for a malformed head.
fn parse(head: &[u8]) -> Option<(HttpMethod, Request)> {
    let end = head.iter().position(|byte| *byte == b' ')?;
    let (name, rest) = head.split_at(end);
    let method = match name {
        b"GET" => HttpMethod::Get,
        b"HEAD" => HttpMethod::Head,
        _ if name.iter().all(u8::is_ascii_uppercase) => HttpMethod::Other,
        _ => return None,
    };
    // The parser of upgrades knows GET alone.
    let (_, request) = Request::try_parse(&[b"GET", rest].concat()).ok()??;
    Some((method, request))
}

/// Sends a response, and closes the connection.
async fn answer(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    response: &[u8],
    door: &Door,
) -> io::Result<End> {
    stream.write_all(response).await?;
    stream.shutdown().await?;
    End::after(stream, door.options().max_linger_bytes).await
}

/// Returns the origin of the page whose script has sent a request.
fn origin(request: &Request) -> Option<&str> {
    request.headers().get(ORIGIN)?.to_str().ok()
}

impl ServedContent {
    /// Returns whether the sender of a request may connect.
    fn allows(&self, request: &Request) -> bool {
        let stated = request.headers().get_all(ORIGIN).iter();
        self.origins.allows(stated.map(HeaderValue::as_bytes))
    }

    fn text(&self, request: Option<&Request>, status: &str, text: &str) -> Vec<u8> {
        let body = Bytes::copy_from_slice(text.as_bytes());
        self.response(request, status, "text/plain; charset=utf-8", &body)
    }

    /// Returns the whole response to a request. The scripts of pages that may connect may read it.
    fn response(
        &self,
        request: Option<&Request>,
        status: &str,
        content_type: &str,
        body: &Bytes,
    ) -> Vec<u8> {
        let readers = match request
            .filter(|request| self.allows(request))
            .and_then(origin)
        {
            _ if self.origins.allows_all() => "Access-Control-Allow-Origin: *\r\n".to_owned(),
            Some(origin) => format!("Access-Control-Allow-Origin: {origin}\r\nVary: Origin\r\n"),
            None => "Vary: Origin\r\n".to_owned(),
        };
        let (length, head) = (body.len(), &self.head);
        let mut bytes = format!(
            "HTTP/1.1 {status}\r\n\
             Content-Type: {content_type}\r\n\
             Content-Length: {length}\r\n\
             X-Content-Type-Options: nosniff\r\n\
             {readers}{head}\
             Cache-Control: no-cache\r\n\
             Connection: close\r\n\r\n"
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }
}
