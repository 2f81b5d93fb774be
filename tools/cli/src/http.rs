//! Requests and answers of HTTP/1.1, as far as a page of static files needs.

use std::io::{self, BufRead, BufReader, Read, Write};

/// Longest head of a request, in bytes.
const MAX_HEAD: u64 = 16 * 1024;

/// Request without a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// Path without its query.
    pub(crate) path: String,
    pub(crate) host: Option<String>,
    pub(crate) range: Option<String>,
    /// Set if the connection ends with the answer.
    pub(crate) is_last: bool,
}

impl HttpRequest {
    /// Reads a request; `None` at the end of the connection.
    pub(crate) fn read(reader: &mut BufReader<impl Read>) -> io::Result<Option<Self>> {
        let mut head = reader.take(MAX_HEAD);
        let line = read_line(&mut head)?;
        let Some(line) = line else {
            return Ok(None);
        };
        let mut words = line.split(' ');
        let (Some(method), Some(target), Some(version)) =
            (words.next(), words.next(), words.next())
        else {
            return Err(malformed());
        };
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let mut request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            host: None,
            range: None,
            is_last: version != "HTTP/1.1",
        };
        loop {
            let line = read_line(&mut head)?.ok_or_else(malformed)?;
            if line.is_empty() {
                return Ok(Some(request));
            }
            let (name, value) = line.split_once(':').ok_or_else(malformed)?;
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" => request.host = Some(value.to_owned()),
                "range" => request.range = Some(value.to_owned()),
                "connection" => request.is_last |= value.eq_ignore_ascii_case("close"),
                // The bytes of a body would be read as the next request.
                "content-length" | "transfer-encoding" => request.is_last = true,
                _ => {}
            }
        }
    }
}

/// Reads a line without its end; `None` at the end of the connection.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let line = line.strip_suffix('\n').ok_or_else(malformed)?;
    Ok(Some(line.strip_suffix('\r').unwrap_or(line).to_owned()))
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed request")
}

/// Writes the head of an answer.
pub(crate) fn write_head(
    stream: &mut impl Write,
    status: &str,
    length: u64,
    lines: &[(&str, &str)],
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
    );
    for (name, value) in lines {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> io::Result<Option<HttpRequest>> {
        HttpRequest::read(&mut BufReader::new(text.as_bytes()))
    }

    #[test]
    fn a_request_has_its_path_and_range() {
        let text = "GET /a?b HTTP/1.1\r\nHost: x:1\r\nRANGE: bytes=0-1\r\n\r\n";
        let request = read(text).unwrap().unwrap();
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("GET", "/a")
        );
        assert_eq!(request.host.as_deref(), Some("x:1"));
        assert_eq!(request.range.as_deref(), Some("bytes=0-1"));
        assert!(!request.is_last);
        assert_eq!(read("").unwrap(), None);
    }

    #[test]
    fn a_malformed_or_endless_request_is_an_error() {
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(20_000));
        for text in [
            "GET",
            "\r\n",
            "GET / HTTP/1.1\r\nx",
            "GET / HTTP/1.1\r\nx\r\n\r\n",
            &long,
        ] {
            assert!(read(text).is_err(), "{text:.40}");
        }
    }
}
