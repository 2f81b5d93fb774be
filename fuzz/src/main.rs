//! `corpus`: the inputs of the targets without libFuzzer.
//!
//! * `corpus targets` prints the names of the targets.
//! * `corpus seed TARGET FOLDER` writes the first inputs.
//! * `corpus unpack TARGET FOLDER` writes the inputs of the tree and the scripts of the target.
//! * `corpus pack TARGET FOLDER` replaces the inputs of the tree by the files of a folder.
//! * `corpus replay TARGET FILE...` runs inputs; a finding panics.
//! * `corpus check` runs all inputs of the tree.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use syncvar_fuzz::{
    TARGETS, Target,
    seeds::{scripts, seeds},
};

/// Longest input in the tree, in bytes.
const MAX_INPUT: usize = 512;

/// Most bytes of a target in the tree, as hexadecimal digits.
const MAX_FILE: usize = 26_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["targets"] => TARGETS.iter().for_each(|(name, _)| println!("{name}")),
        ["seed", name, folder] => {
            let root = here().join("..");
            write(Path::new(folder), "seed", &seeds(target(name)?.0, &root))?;
        }
        ["unpack", name, folder] => {
            let name = target(name)?.0;
            write(Path::new(folder), "tree", &inputs(name)?)?;
            write(Path::new(folder), "script", &scripts(name))?;
        }
        ["pack", name, folder] => pack(target(name)?.0, Path::new(folder))?,
        ["replay", name, ref files @ ..] => {
            for file in files {
                println!("{file}");
                target(name)?.1(&fs::read(file)?);
            }
        }
        ["check"] => {
            for (name, run) in TARGETS {
                let inputs = [inputs(name)?, scripts(name)].concat();
                println!("{name}: {} inputs", inputs.len());
                for input in inputs {
                    run(&input);
                }
            }
        }
        _ => return Err("usage: corpus targets|seed|unpack|pack|replay|check".into()),
    }
    Ok(())
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn target(name: &str) -> Result<Target, String> {
    let found = TARGETS.iter().find(|target| target.0 == name);
    found
        .copied()
        .ok_or_else(|| format!("no target has the name {name}"))
}

fn file_of(target: &str) -> PathBuf {
    here().join("corpus").join(target).with_extension("txt")
}

/// Returns the inputs of a target in the tree: one per line, in hexadecimal digits.
fn inputs(target: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let text = fs::read_to_string(file_of(target)).unwrap_or_default();
    Ok(text.lines().map(hex::decode).collect::<Result<_, _>>()?)
}

/// Writes inputs as numbered files.
fn write(folder: &Path, name: &str, inputs: &[Vec<u8>]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for (number, input) in inputs.iter().enumerate() {
        fs::write(folder.join(format!("{name}-{number:05}")), input)?;
    }
    Ok(())
}

/// Replaces the inputs of a target by the shortest files of a folder, up to the limit.
fn pack(target: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let input = fs::read(entry?.path())?;
        if !input.is_empty() && input.len() <= MAX_INPUT {
            found.insert((input.len(), input));
        }
    }
    let mut room = MAX_FILE;
    let mut lines = BTreeSet::new();
    for (length, input) in found {
        let Some(left) = room.checked_sub(2 * length + 1) else {
            break;
        };
        room = left;
        lines.insert(hex::encode(input));
    }
    let file = file_of(target);
    fs::create_dir_all(file.with_file_name(""))?;
    let text = lines
        .into_iter()
        .chain([String::new()])
        .collect::<Vec<_>>()
        .join("\n");
    println!(
        "{target}: {} inputs, {} bytes",
        text.lines().count(),
        text.len()
    );
    Ok(fs::write(file, text)?)
}
