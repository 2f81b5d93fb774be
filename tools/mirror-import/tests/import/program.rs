//! The program: its arguments, output and exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MODULE: &str = "tests/import/game.rs";

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn example() -> PathBuf {
    package().join("tests/import/project")
}

pub(super) fn run(project: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mirror-import"));
    let output = command.args(options).arg(project).output();
    output.expect("the program starts")
}

pub(super) fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("UTF-8")
}

/// Writes a project of one folder, by the names and contents of its files.
pub(super) fn project(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    for (file, content) in files {
        let path = folder.join("Assets").join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders can be made");
        fs::write(path, content).expect("files can be written");
    }
    folder
}

#[test]
fn committed_module_is_current() {
    let module = package().join(MODULE);
    let output = run(&example(), &["--check", module.to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn same_project_gives_the_same_text_and_list() {
    let (first, second) = (run(&example(), &[]), run(&example(), &[]));
    assert_eq!(first.status.code(), Some(0));
    assert!(first.stdout == second.stdout && first.stderr == second.stderr);
    // The list on the standard error is that of the module.
    for line in text(&first.stderr)
        .lines()
        .filter(|line| line.starts_with("Assets/"))
    {
        assert!(
            text(&first.stdout).contains(&format!("// - {line}\n")),
            "{line}"
        );
    }
}

#[test]
fn places_that_are_not_read_are_listed_with_file_and_line() {
    let output = run(&example(), &[]);
    for line in [
        "Assets/Scripts/World/Broken.cs:8: syntax error",
        "Assets/Scripts/World/Unread.cs:18: `Game.World.Shop.mystery` is not read: type `Mystery` is not known",
        "Assets/Scripts/World/Unread.cs:25: `Game.World.Shop.CmdSell` is not read: parameter `what`: type `Mystery` is \
         not known",
        "Assets/Prefabs/Vehicles/Tower.prefab:33: component 0 of prefab `Tower` is not read: built-in component \
         RemoteStatistics",
        "Assets/Prefabs/Units/Puppet.prefab:34: component 0 of prefab `Puppet` is not read: its `animator` is not set",
        "Assets/Scenes/Arena.unity:172: object `New door` of the scene is left out: it has no `sceneId`: save the scene \
         in Unity's editor",
        "Assets/Scenes/Arena.unity:217: object `Copied door` of the scene is left out: its `sceneId` is that of the \
         object in line 116",
    ] {
        assert!(
            text(&output.stderr).lines().any(|told| told == line),
            "{line} in {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn exit_codes_tell_failures_apart() {
    let missing = run(Path::new("no/such/folder"), &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        text(&missing.stderr).contains("no/such/folder: "),
        "{}",
        text(&missing.stderr)
    );

    let empty = project("empty", &[("Readme.txt", b"")]);
    assert_eq!(run(&empty, &[]).status.code(), Some(2));
    assert_eq!(run(&example(), &["--strict"]).status.code(), Some(1));
    assert_eq!(run(&example(), &["--nonsense"]).status.code(), Some(2));
    assert_eq!(
        run(&example(), &["--check", "no/such/file"]).status.code(),
        Some(2)
    );

    let other = package().join("tests/import/server.rs");
    let differs = run(&example(), &["--check", other.to_str().expect("UTF-8")]);
    assert_eq!(differs.status.code(), Some(1));
    assert!(differs.stdout.is_empty());
}

#[test]
fn rest_of_a_project_is_imported_past_errors() {
    let files: &[(&str, &[u8])] = &[
        (
            "Good.cs",
            b"public class Good : Mirror.NetworkBehaviour { [Mirror.SyncVar] int a; }",
        ),
        (
            "Open.cs",
            b"using Mirror;\nclass Open : NetworkBehaviour {\n  [SyncVar] int a;\n  void F( {\n}\n",
        ),
    ];
    let output = run(&project("errors", files), &[]);
    let (module, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
    assert!(module.contains("pub struct Good {"), "{module}");
    assert!(told.contains("Assets/Open.cs:"), "{told}");
}

#[test]
fn components_with_a_syntax_error_are_on_no_registered_prefab() {
    let script = "fileFormatVersion: 2\nguid: 11111111111111111111111111111111\n";
    let prefab = "--- !u!1 &1\nGameObject:\n  m_Component:\n  - component: {fileID: 2}\n  - component: {fileID: 3}\n  \
         - component: {fileID: 4}\n--- !u!4 &2\nTransform:\n  m_GameObject: {fileID: 1}\n  m_Children: []\n  m_Father: \
         {fileID: 0}\n--- !u!114 &3\nMonoBehaviour:\n  m_Script: {fileID: 11500000, guid: \
         9b91ecbcc199f4492b9a91e820070131, type: 3}\n  _assetId: 5\n--- !u!114 &4\nMonoBehaviour:\n  m_Script: {fileID: \
         11500000, guid: 11111111111111111111111111111111, type: 3}\n";
    let with = |name: &str, member: &str| {
        let source = format!(
            "using Mirror;\nclass Thing : NetworkBehaviour {{\n  [SyncVar] int a;\n  {member}\n}}\n"
        );
        let files: &[(&str, &[u8])] = &[
            ("Thing.cs", source.as_bytes()),
            ("Thing.cs.meta", script.as_bytes()),
            ("Thing.prefab", prefab.as_bytes()),
        ];
        let output = run(&project(name, files), &[]);
        text(&output.stdout)
            .contains("\n        .register_with(MirrorPrefab::new(\"Thing\", AssetId(5)), thing)\n")
    };
    assert!(with("sound", "int local;"));
    assert!(!with("broken-field", "[SyncVar] int = 1;"));
    // A body hides no field.
    assert!(with("broken-body", "void F() { a = = 1; }"));
}

#[test]
fn symbols_and_types_are_given_by_options() {
    let source = b"using Mirror;\nstruct Coin { public int a; }\nstatic class W { static void WriteCoin(this NetworkWriter \
          w, Coin c) { } }\nclass Bag : NetworkBehaviour {\n#if SAILS\n  [SyncVar] int sails;\n#endif\n  [SyncVar] Coin \
          coin;\n}\n";
    let folder = project("options", &[("Bag.cs", source)]);
    let plain = run(&folder, &[]);
    assert!(
        !text(&plain.stdout).contains("sails: SyncVar"),
        "{}",
        text(&plain.stdout)
    );
    assert!(
        text(&plain.stderr)
            .contains("Assets/Bag.cs:5: `[SyncVar` is in a part that `#if SAILS` leaves out")
    );
    assert!(
        text(&plain.stderr).contains("Assets/Bag.cs:8: `Bag.coin` is not read"),
        "{}",
        text(&plain.stderr)
    );

    let given = run(
        &folder,
        &[
            "--strict",
            "--define",
            "SAILS",
            "--type",
            "Coin=crate::Coin",
        ],
    );
    assert_eq!(given.status.code(), Some(0), "{}", text(&given.stderr));
    assert!(text(&given.stdout).contains("pub sails: SyncVar<i32>,"));
    assert!(text(&given.stdout).contains("pub coin: SyncVar<crate::Coin>,"));
}

#[test]
fn hostile_files_end_with_a_list() {
    let deep = |open: &str, close: &str| open.repeat(20_000) + &close.repeat(20_000);
    let expression = format!(
        "using Mirror;\nclass A : NetworkBehaviour {{ [SyncVar] int a = {}; }}",
        deep("(", ")")
    );
    let types = deep("class T { ", "}");
    let generic = format!(
        "class B : Mirror.NetworkBehaviour {{ [Mirror.SyncVar] {} b; }}",
        deep("List<", ">")
    );
    let condition = format!("#if {}\n#endif\n", deep("(", ")"));
    let circles = "using Mirror;\nclass C : D { [SyncVar] int a; }\nclass D : C { }\nclass E : E { [SyncVar] int a; }\n\
         struct F { public G g; }\nstruct G { public F f; }\nclass H : NetworkBehaviour { [SyncVar] F f; const int X = \
         Y; const int Y = X; [SyncVar] int z = X; }\n";
    let lines: Vec<String> = (0..2_000).map(|depth| " ".repeat(depth) + "a:").collect();
    let yaml = lines.join("\n");
    let nested = format!("--- !u!114 &1\nMonoBehaviour:\n{yaml}");
    let itself = "--- !u!1001 &9\nPrefabInstance:\n  m_Modification:\n    m_TransformParent: {fileID: 0}\n  \
         m_SourcePrefab: {fileID: 1, guid: 22222222222222222222222222222222, type: 3}\n";
    // An object below itself, and a controller that overrides itself.
    let identity = "--- !u!114 &3\nMonoBehaviour:\n  m_GameObject: {fileID: 1}\n  m_Script: {fileID: 11500000, guid: \
         9b91ecbcc199f4492b9a91e820070131, type: 3}\n  sceneId: 9\n";
    let scene = format!(
        "--- !u!1 &1\nGameObject:\n  m_Component:\n  - component: {{fileID: 3}}\n--- !u!4 &2\nTransform:\n  \
         m_GameObject: {{fileID: 1}}\n  m_Children:\n  - {{fileID: 2}}\n  m_LocalPosition: {{x: nan, y: 0, z: 0}}\n\
         {identity}"
    );
    let chain = b"--- !u!221 &22100000\nAnimatorOverrideController:\n  m_Controller: {fileID: 9100000, guid: \
         33333333333333333333333333333333, type: 2}\n";
    let doll = format!(
        "--- !u!1 &1\nGameObject:\n  m_Component:\n  - component: {{fileID: 3}}\n  - component: {{fileID: 4}}\n  - \
         component: {{fileID: 5}}\n--- !u!4 &2\nTransform:\n  m_GameObject: {{fileID: 1}}\n{identity}--- !u!95 &4\n\
         Animator:\n  m_Controller: {{fileID: 9100000, guid: 33333333333333333333333333333333, type: 2}}\n--- !u!114 \
         &5\nMonoBehaviour:\n  m_Script: {{fileID: 11500000, guid: 7f6f3bf89aa97405989c802ba270f815, type: 3}}\n  \
         animator: {{fileID: 4}}\n"
    );
    let files: &[(&str, &[u8])] = &[
        ("Expression.cs", expression.as_bytes()),
        ("Types.cs", types.as_bytes()),
        ("Generic.cs", generic.as_bytes()),
        ("Condition.cs", condition.as_bytes()),
        ("Circles.cs", circles.as_bytes()),
        ("Deep.prefab", nested.as_bytes()),
        ("Itself.prefab", itself.as_bytes()),
        (
            "Itself.prefab.meta",
            b"guid: 22222222222222222222222222222222\n",
        ),
        ("Street.unity", scene.as_bytes()),
        ("Chain.overrideController", chain),
        (
            "Chain.overrideController.meta",
            b"guid: 33333333333333333333333333333333\n",
        ),
        ("Doll.prefab", doll.as_bytes()),
        (
            "Doll.prefab.meta",
            b"guid: 44444444444444444444444444444444\n",
        ),
    ];
    let output = run(&project("hostile", files), &[]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    for file in ["Expression", "Types", "Generic", "Condition", "Circles"] {
        assert!(
            told.contains(&format!("Assets/{file}.cs:")),
            "{file} in {told}"
        );
    }
    assert!(told.contains("Assets/Itself.prefab:"), "{told}");
    assert!(
        told.contains("Assets/Street.unity:5: objects are nested too deeply"),
        "{told}"
    );
    assert!(
        told.contains(
            "the controller with the GUID 33333333333333333333333333333333 is not readable"
        ),
        "{told}"
    );
}

#[test]
fn components_of_interest_managements_have_their_place() {
    let rock = include_str!("project/Assets/Prefabs/Props/Rock.prefab");
    let script = |id: u32, guid: &str| {
        format!(
            "--- !u!114 &{id}\nMonoBehaviour:\n  m_GameObject: {{fileID: 100}}\n  m_Enabled: 1\n  \
             m_Script: {{fileID: 11500000, guid: {guid}, type: 3}}\n"
        )
    };
    let listed = "  - component: {fileID: 110}\n";
    let both = format!("{listed}  - component: {{fileID: 111}}\n  - component: {{fileID: 112}}\n");
    let prefab = [
        rock.replace(listed, &both),
        script(111, "5d17e718851449a6879986e45c458fb7"),
        script(112, "2576730625b1632468cbcbfe5e721f88"),
    ];
    let meta = include_bytes!("project/Assets/Prefabs/Props/Rock.prefab.meta");
    let folder = project(
        "interest",
        &[
            ("Rock.prefab", prefab.concat().as_bytes()),
            ("Rock.prefab.meta", meta),
            ("Game.cs", b"public enum Phase { Lobby, Game }"),
        ],
    );
    let output = run(&folder, &[]);
    let module = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let names = ["NetworkMatch", "NetworkTeam"];
    let places = names.map(|name| module.find(&format!("syncvar::mirror::interest::{name}")));
    assert!(
        matches!(places, [Some(first), Some(second)] if first < second),
        "{module}"
    );
}
