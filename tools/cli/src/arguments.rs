//! Arguments of the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Error, Parser, ValueExt as _};

use crate::check::FormerEnd;
use crate::log::ExportForm;
use crate::relay::RelayArguments;
use crate::replay::Place;
use crate::source::{Access, Address, Source};

pub(crate) const USAGE: &str = "\
usage: syncvar schema SOURCE [OPTIONS]
       syncvar check OLD NEW [OPTIONS]
       syncvar types SOURCE --typescript [OPTIONS]
       syncvar info FILE [--json]
       syncvar export FILE --json|--csv|--mcap [--out FILE]
       syncvar replay FILE [--listen ADDRESS] [--delay SECONDS]
       syncvar replay FILE --export DIR
       syncvar relay ADDRESS... --listen ADDRESS... [OPTIONS]

schema   writes the canonical text of a schema
check    compares the schemas of two builds: lists each difference, and whether the builds play together
types    writes types for a program in TypeScript
info     describes a log file: its time, ticks, objects and markers, and its bytes by prefab and field
export   writes the values of a log file: a line of JSON for each changed behaviour, a row of CSV for each changed number, or
         a file in MCAP with a channel of JSON for each behaviour, for tools that plot them
replay   serves a page that plays a log file, and follows a file that is being written; or writes the page and the file for a
         web space with range requests. A FILE stands for its whole recording: the files that continue it, NAME-1.mcap and so on,
         belong to it. FILE may be the folder of a recording
relay    serves the objects of an origin to spectators; its ADDRESS is where the origin or another relay listens for relays. Of several
         addresses the first that answers is followed, and the next one when it ends

A SOURCE is a file with the text of a schema, or the address of a running server: tcp://HOST:PORT, udp://HOST:PORT,
quic://HOST:PORT, ws://HOST:PORT.

  --role ROLE        `check`: asks only for an old-client on the new server, an old-server with the new client, or an
                     old-recording in the new program; repeatable, by default all three
  --listen ADDRESS   `replay`: port of the page, 127.0.0.1:7780 by default; port 0 for a free one
                     `relay`: address for spectators, such as tcp://0.0.0.0:7777, ws://, quic:// or udp://; repeatable
  --relays ADDRESS   `relay`: address for further relays that follow this one, by TCP
  --delay SECONDS    `replay`: age of a record of a file that is being written before the page gets it: 0 by default
                     `relay`: time by which spectators are behind the origin, 0 by default
  --forward NAME     `relay`: message that spectators may send to the origin; repeatable, by default none
  --alternate TEXT   `relay`: address of another relay of this world, for spectators whose relay ends; repeatable
  --key TEXT         `relay`: key of the fleet
  --health ADDRESS   `relay`: port that answers /live and /ready by HTTP, for an orchestrator
  --drain SECONDS    `relay`: longest time from SIGTERM to the end, in which spectators turn to another relay: 10 by default
  --export DIR       `replay`: folder of the page as static files
  --out FILE         writes to a file in place of the standard output
  --authority FILE   accepts servers by QUIC whose certificates come from these authorities, in PEM; by default every server
  --timeout SECONDS  longest time for the answer of a server: 10 by default
  --help             prints this text

Each option of `relay` may come from a variable such as SYNCVAR_LISTEN, the addresses from SYNCVAR_SOURCES.

exit codes:
  0  the output is written; `check`: the builds play together
  1  `check`: they do not
  2  wrong arguments, no such file or server, text that is not a schema, a damaged log file
";

/// Command with its sources.
#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Schema(Source),
    Check {
        old: Source,
        new: Source,
        roles: Vec<FormerEnd>,
    },
    TypeScript(Source),
    Info {
        file: PathBuf,
        is_json: bool,
    },
    Export {
        file: PathBuf,
        form: ExportForm,
    },
    Replay {
        file: PathBuf,
        place: Place,
    },
    Relay(RelayArguments),
}

/// Port of the page of a replay.
const PAGE: &str = "127.0.0.1:7780";

/// Options of all commands.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) out: Option<PathBuf>,
    pub(crate) access: Access,
}

/// Reads the arguments.
pub(crate) fn read(mut parser: Parser) -> Result<(Command, Options), Error> {
    let mut options = Options {
        out: None,
        access: Access {
            authority: None,
            timeout: Duration::from_secs(10),
        },
    };
    let (mut is_typescript, mut form) = (false, None);
    let mut page = PageArguments::default();
    let (mut roles, mut values) = (Vec::new(), Vec::new());
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok((Command::Help, options)),
            Arg::Long("out") => options.out = Some(parser.value()?.into()),
            Arg::Long("authority") => options.access.authority = Some(parser.value()?.into()),
            Arg::Long("timeout") => options.access.timeout = seconds(&mut parser)?,
            Arg::Long("role") => roles.push(parser.value()?.parse()?),
            Arg::Long("typescript") => is_typescript = true,
            Arg::Long("json") => form = Some(ExportForm::Json),
            Arg::Long("csv") => form = Some(ExportForm::Csv),
            Arg::Long("mcap") => form = Some(ExportForm::Mcap),
            Arg::Long("listen") => page.address = Some(parser.value()?.string()?),
            Arg::Long("delay") => page.delay = Some(seconds(&mut parser)?),
            Arg::Long("export") => page.folder = Some(parser.value()?.into()),
            Arg::Value(value) if values.is_empty() && value == "relay" => {
                return relay(parser, options);
            }
            Arg::Value(value) => values.push(value.string()?),
            argument => return Err(argument.unexpected()),
        }
    }
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let command = match values[..].first() {
        Some(&"replay") => replay(&values, page)?,
        _ if page != PageArguments::default() => {
            return Err("--listen, --delay and --export are options of `replay`".into());
        }
        _ => command(&values, roles, is_typescript, form)?,
    };
    if is_typescript && !matches!(command, Command::TypeScript(_)) {
        return Err("--typescript is an option of `types`".into());
    }
    if form.is_some() && !matches!(command, Command::Info { .. } | Command::Export { .. }) {
        return Err("--json, --csv and --mcap are options of `export`".into());
    }
    Ok((command, options))
}

/// Reads a number of seconds.
fn seconds(parser: &mut Parser) -> Result<Duration, Error> {
    let seconds: f64 = parser.value()?.parse()?;
    let time = Duration::try_from_secs_f64(seconds);
    time.map_err(|error| Error::Custom(error.into()))
}

/// Options of `relay` whose values may come from the environment, with lists separated by spaces.
const VARIABLES: [(&str, &str); 8] = [
    ("SYNCVAR_LISTEN", "--listen"),
    ("SYNCVAR_RELAYS", "--relays"),
    ("SYNCVAR_DELAY", "--delay"),
    ("SYNCVAR_FORWARD", "--forward"),
    ("SYNCVAR_ALTERNATES", "--alternate"),
    ("SYNCVAR_KEY", "--key"),
    ("SYNCVAR_HEALTH", "--health"),
    ("SYNCVAR_DRAIN", "--drain"),
];

/// Variable of the addresses of the sources.
const SOURCES: &str = "SYNCVAR_SOURCES";

/// Reads the arguments of a relay, which are lists. An option counts before its variable.
fn relay(mut parser: Parser, mut options: Options) -> Result<(Command, Options), Error> {
    let words: Vec<OsString> = parser.raw_args()?.collect();
    let mut parser = Parser::from_args(words.iter().cloned().chain(from_environment(&words)));
    let mut relay = RelayArguments::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok((Command::Help, options)),
            Arg::Long("authority") => options.access.authority = Some(parser.value()?.into()),
            Arg::Long("timeout") => options.access.timeout = seconds(&mut parser)?,
            Arg::Long("listen") => relay.listen.push(parser.value()?.string()?),
            Arg::Long("relays") => relay.nodes = Some(parser.value()?.string()?),
            Arg::Long("delay") => relay.delay = seconds(&mut parser)?,
            Arg::Long("forward") => relay.forwarded.push(parser.value()?.string()?),
            Arg::Long("alternate") => relay.alternates.push(parser.value()?.string()?),
            Arg::Long("key") => relay.key = parser.value()?.string()?,
            Arg::Long("health") => relay.health = Some(parser.value()?.string()?),
            Arg::Long("drain") => relay.drain = Some(seconds(&mut parser)?),
            Arg::Value(value) => relay.sources.push(Address::parse(&value.string()?)?),
            argument => return Err(argument.unexpected()),
        }
    }
    if relay.sources.is_empty() {
        let sources = std::env::var(SOURCES).unwrap_or_default();
        for source in sources.split_whitespace() {
            relay.sources.push(Address::parse(source)?);
        }
    }
    if relay.sources.is_empty() {
        return Err("the address of an origin is needed, such as tcp://10.0.0.1:7700".into());
    }
    if relay.listen.is_empty() {
        return Err("an address for spectators is needed: --listen tcp://0.0.0.0:7777".into());
    }
    Ok((Command::Relay(relay), options))
}

/// Returns the options of the environment that are not among the words of the command line.
fn from_environment(words: &[OsString]) -> Vec<OsString> {
    let is_given = |option: &str| {
        let mut words = words.iter().filter_map(|word| word.to_str());
        words.any(|word| word.split('=').next() == Some(option))
    };
    let missing = VARIABLES.iter().filter(|(_, option)| !is_given(option));
    let mut more = Vec::new();
    for (variable, option) in missing {
        for value in std::env::var(variable)
            .unwrap_or_default()
            .split_whitespace()
        {
            more.extend([OsString::from(option), value.into()]);
        }
    }
    more
}

/// Arguments of `replay`.
#[derive(Debug, Default, PartialEq, Eq)]
struct PageArguments {
    address: Option<String>,
    delay: Option<Duration>,
    folder: Option<PathBuf>,
}

fn replay(values: &[&str], page: PageArguments) -> Result<Command, Error> {
    let ["replay", file] = values else {
        return Err("one log file is needed".into());
    };
    let place = match page {
        PageArguments {
            address: None,
            delay: None,
            folder: Some(folder),
        } => Place::Folder(folder),
        PageArguments {
            folder: Some(_), ..
        } => {
            return Err("--export writes files: --listen and --delay are options of a port".into());
        }
        PageArguments { address, delay, .. } => Place::Port {
            address: address.unwrap_or_else(|| PAGE.to_owned()),
            delay: delay.unwrap_or_default(),
        },
    };
    Ok(Command::Replay {
        file: file.into(),
        place,
    })
}

/// Returns the command of the values, with the options that belong to a single command.
fn command(
    values: &[&str],
    roles: Vec<FormerEnd>,
    is_typescript: bool,
    form: Option<ExportForm>,
) -> Result<Command, Error> {
    Ok(match values[..] {
        ["schema", source] => Command::Schema(Source::of(source)?),
        ["check", old, new] => Command::Check {
            old: Source::of(old)?,
            new: Source::of(new)?,
            roles: if roles.is_empty() {
                FormerEnd::ALL.to_vec()
            } else {
                roles
            },
        },
        ["check", ..] => return Err("an old and a new source are needed".into()),
        ["types", source] if is_typescript => Command::TypeScript(Source::of(source)?),
        ["types", _] => return Err("types of what language? --typescript".into()),
        ["schema" | "types", ..] => return Err("one source is needed".into()),
        ["info", file] if form.is_none_or(|form| form == ExportForm::Json) => Command::Info {
            file: file.into(),
            is_json: form.is_some(),
        },
        ["info", _] => return Err("the form of `info` is text, or --json".into()),
        ["export", file] => match form {
            Some(form) => Command::Export {
                file: file.into(),
                form,
            },
            None => return Err("export in what form? --json, --csv or --mcap".into()),
        },
        ["info" | "export", ..] => return Err("one log file is needed".into()),
        [other, ..] => return Err(format!("unknown command `{other}`").into()),
        [] => return Err("a command is needed".into()),
    })
}
