//! Files of a Unity project.

mod encoding;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

use crate::report::{Report, SourcePlace};

/// Largest file that is read, in bytes. Source files are thousands of times smaller.
const MAX_BYTES: u64 = 64 << 20;
/// Deepest folder, against links that lead in a circle.
const MAX_DEPTH: usize = 64;
/// Folders without source code of the game: what Unity and editors write, and code of Unity's editor.
const SKIPPED: &[&str] = &[
    "Build",
    "Builds",
    "Editor",
    "Library",
    "Logs",
    "Temp",
    "UserSettings",
    "bin",
    "obj",
];

/// File with the version of Unity's editor.
pub(crate) const PROJECT_VERSION: &str = "ProjectSettings/ProjectVersion.txt";

/// Paths of the files that are read, by their names relative to the project, in order.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) sources: BTreeMap<Rc<str>, PathBuf>,
    pub(crate) metas: BTreeMap<Rc<str>, PathBuf>,
    pub(crate) prefabs: BTreeMap<Rc<str>, PathBuf>,
    pub(crate) scenes: BTreeMap<Rc<str>, PathBuf>,
    /// Controllers of animators.
    pub(crate) controllers: BTreeMap<Rc<str>, PathBuf>,
    /// Version of the project's editor: (2021, 3) or (6000, 0).
    pub(crate) editor: Option<(u32, u32)>,
    /// Folder of Mirror's own examples, which are not read.
    pub(crate) examples: Option<String>,
}

impl Files {
    /// Lists a project. Its source files are below `Assets` and `Packages`; without an `Assets` folder, below the
    /// given one.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be listed. A folder below is reported.
    pub(crate) fn list(project: &Path, report: &mut Report) -> io::Result<Self> {
        let mut files = Self::default();
        fs::read_dir(project)?;
        files.editor = editor(&project.join(PROJECT_VERSION));
        let roots = ["Assets", "Packages"];
        if project.join("Assets").is_dir() {
            for root in roots.iter().filter(|root| project.join(root).is_dir()) {
                files.walk(&project.join(root), root, 0, report);
            }
        } else {
            files.walk(project, "", 0, report);
        }
        Ok(files)
    }

    fn walk(&mut self, folder: &Path, name: &str, depth: usize, report: &mut Report) {
        let place = |name: &str| SourcePlace::new(&name.into(), 1);
        if depth > MAX_DEPTH {
            report.add(&place(name), "folder is too deep; it is not read");
            return;
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                report.add(&place(name), format!("folder is not readable: {error}"));
                return;
            }
        };
        for entry in entries.flatten() {
            let file = entry.file_name();
            let Some(file) = file.to_str() else {
                let shown = format!("{name}/{}", file.to_string_lossy());
                report.add(&place(&shown), "name is not UTF-8; the file is not read");
                continue;
            };
            // Unity ignores these, too.
            if file.starts_with('.') || file.ends_with('~') {
                continue;
            }
            let path = entry.path();
            let name = match name {
                "" => file.to_owned(),
                folder => format!("{folder}/{file}"),
            };
            if path.is_dir() {
                if name.ends_with("/Mirror/Examples") {
                    self.examples = Some(name);
                } else if !SKIPPED.contains(&file) {
                    self.walk(&path, &name, depth + 1, report);
                }
            } else if let Some((_, extension)) = file.rsplit_once('.') {
                self.add(extension, name, path);
            }
        }
    }

    fn add(&mut self, extension: &str, name: String, path: PathBuf) {
        let list = match extension {
            "cs" => &mut self.sources,
            "meta" => &mut self.metas,
            "prefab" => &mut self.prefabs,
            "unity" => &mut self.scenes,
            "controller" | "overrideController" => &mut self.controllers,
            _ => return,
        };
        list.insert(name.into(), path);
    }
}

/// Returns the version of the editor that a project names.
fn editor(path: &Path) -> Option<(u32, u32)> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let version = lines.find_map(|line| line.strip_prefix("m_EditorVersion:"))?;
    let mut numbers = version.trim().split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Returns the text of a file; reports an unreadable file.
pub(crate) fn read(name: &Rc<str>, path: &Path, report: &mut Report) -> Option<String> {
    let bytes = match fs::metadata(path) {
        Ok(data) if data.len() > MAX_BYTES => Err(format!("longer than {MAX_BYTES} bytes")),
        Ok(_) => fs::read(path).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let place = SourcePlace::new(name, 1);
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            report.add(&place, format!("file is not readable: {error}"));
            return None;
        }
    };
    let (text, is_certain) = encoding::decoded(&bytes);
    if !is_certain {
        let text = "file is not UTF-8; it is read as Windows-1252: save it as UTF-8";
        report.add(&place, text);
    }
    Some(text)
}
