//! Asset ids of prefabs: serialised by Unity's editor, or computed from their GUIDs as the project's editor does.

use std::path::{Path, PathBuf};

use super::program::{project, run, text};

const GUID: &str = "6f43bf5488a7443d19ab2a83c6b91f35";
const NEWER: u32 = 2_638_947_628;
const OLDER: u32 = 3_454_335_836;

/// Returns a prefab with a `NetworkIdentity`.
fn prefab(asset_id: u32) -> String {
    format!(
        "--- !u!1 &1\nGameObject:\n  m_Component:\n  - component: {{fileID: 2}}\n  - component: {{fileID: 3}}\n--- !u!4 \
         &2\nTransform:\n  m_GameObject: {{fileID: 1}}\n  m_Children: []\n  m_Father: {{fileID: 0}}\n--- !u!114 &3\n\
         MonoBehaviour:\n  m_GameObject: {{fileID: 1}}\n  m_Script: {{fileID: 11500000, guid: \
         9b91ecbcc199f4492b9a91e820070131, type: 3}}\n  _assetId: {asset_id}\n"
    )
}

/// Writes a project with one prefab, and the version of its editor.
fn thing(name: &str, asset_id: u32, editor: &str) -> PathBuf {
    let version = format!("m_EditorVersion: {editor}\nm_EditorVersionWithRevision: {editor} (0)\n");
    let (prefab, meta) = (prefab(asset_id), format!("guid: {GUID}\n"));
    let files: &[(&str, &[u8])] = &[
        ("Empty.cs", b""),
        ("Thing.prefab", prefab.as_bytes()),
        ("Thing.prefab.meta", meta.as_bytes()),
        ("../ProjectSettings/ProjectVersion.txt", version.as_bytes()),
    ];
    project(name, files)
}

/// Returns the id of the only prefab in the module, and the list of places.
#[track_caller]
fn imported(folder: &Path) -> (u32, String) {
    let output = run(folder, &[]);
    let (module, told) = (text(&output.stdout), text(&output.stderr));
    let (_, id) = module.split_once("AssetId(").expect("a prefab");
    let (id, _) = id.split_once(')').expect("a number");
    (id.parse().expect("a number"), told.to_owned())
}

#[test]
fn serialised_asset_id_precedes_that_of_the_guid() {
    for (name, id, editor) in [
        ("kept-new", NEWER, "6000.0.23f1"),
        ("kept-old", OLDER, "2020.3.48f1"),
    ] {
        assert_eq!(imported(&thing(name, id, editor)), (id, String::new()));
    }
}

#[test]
fn asset_id_without_a_serialised_one_is_that_of_the_editor() {
    for (editor, id) in [
        ("2019.4.40f1", OLDER),
        ("2021.1.28f1", OLDER),
        ("2021.2.0f1", NEWER),
        ("6000.0.23f1", NEWER),
        ("unknown", NEWER),
    ] {
        let folder = thing(&format!("editor-{editor}"), 0, editor);
        assert_eq!(imported(&folder), (id, String::new()), "{editor}");
    }
}

#[test]
fn asset_id_of_another_guid_or_editor_is_told() {
    let (id, told) = imported(&thing("stray-id", 7, "2022.3.1f1"));
    assert_eq!(id, 7);
    let expected = "Assets/Thing.prefab:11: asset id 7 is not that of the GUID, 2638947628 (3454335836 before Unity \
                    2021.2): save the prefab in Unity's editor";
    assert!(told.contains(expected), "{told}");

    let (id, told) = imported(&thing("outdated-id", OLDER, "2022.3.1f1"));
    assert_eq!(id, OLDER);
    let expected = "ProjectSettings/ProjectVersion.txt:1: asset ids of 1 prefabs are those of an editor before Unity \
                    2021.2; a build may have others: save the prefabs in this project's editor";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn variant_without_an_own_asset_id_does_not_inherit_one() {
    let variant = "--- !u!1001 &9\nPrefabInstance:\n  m_Modification:\n    m_TransformParent: {fileID: 0}\n    \
                   m_Modifications: []\n  m_SourcePrefab: {fileID: 1, guid: 22222222222222222222222222222222, type: 3}\n";
    let (base, meta) = (prefab(5), format!("guid: {GUID}\n"));
    let files: &[(&str, &[u8])] = &[
        ("Empty.cs", b""),
        ("Base.prefab", base.as_bytes()),
        (
            "Base.prefab.meta",
            b"guid: 22222222222222222222222222222222\n",
        ),
        ("Variant.prefab", variant.as_bytes()),
        ("Variant.prefab.meta", meta.as_bytes()),
    ];
    let output = run(&project("inherited-id", files), &[]);
    let module = text(&output.stdout);
    assert!(
        module.contains("MirrorPrefab::new(\"Base\", AssetId(5))"),
        "{module}"
    );
    let variant = format!("MirrorPrefab::new(\"Variant\", AssetId({NEWER}))");
    assert!(module.contains(&variant), "{module}");
}
