//! Objects of models, whose files are not read: what prefabs say about them.

use super::program::{project, run, text};

const BASE: &str = "11111111111111111111111111111111";
const MODEL: &str = "22222222222222222222222222222222";
/// Numbers of the instances: of the model in the base, and of the base in the tank.
const MODEL_IN_BASE: i64 = 0x1000;
const BASE_IN_TANK: i64 = 0x2_0000;
/// Numbers of transforms in the model: of its root, as Unity gives it, and of the barrel.
const ROOT: i64 = 0x0cc1_69d1_e40d_3d51;
const BARREL: i64 = 0x77;

/// Returns an instance of a prefab or model below a transform.
fn instance(id: i64, parent: i64, guid: &str) -> String {
    format!(
        "--- !u!1001 &{id}\nPrefabInstance:\n  m_Modification:\n    m_TransformParent: {{fileID: {parent}}}\n    \
         m_Modifications: []\n  m_SourcePrefab: {{fileID: 1, guid: {guid}, type: 3}}\n"
    )
}

#[test]
fn transform_has_a_target_in_the_model_of_a_nested_prefab() {
    let base = instance(MODEL_IN_BASE, 0, MODEL);
    let barrel = BARREL ^ MODEL_IN_BASE;
    let target = barrel ^ BASE_IN_TANK;
    let root = BASE_IN_TANK ^ MODEL_IN_BASE ^ ROOT;
    let tank = format!(
        "--- !u!1 &1\nGameObject:\n  m_Component:\n  - component: {{fileID: 2}}\n  - component: {{fileID: 3}}\n  - component: \
         {{fileID: 4}}\n--- !u!4 &2\nTransform:\n  m_GameObject: {{fileID: 1}}\n  m_Children:\n  - {{fileID: {root}}}\n  \
         m_Father: {{fileID: 0}}\n--- !u!114 &3\nMonoBehaviour:\n  m_GameObject: {{fileID: 1}}\n  m_Script: {{fileID: \
         11500000, guid: 9b91ecbcc199f4492b9a91e820070131, type: 3}}\n  _assetId: 5\n--- !u!114 &4\nMonoBehaviour:\n  \
         m_GameObject: {{fileID: 1}}\n  m_Script: {{fileID: 11500000, guid: 8ff3ba0becae47b8b9381191598957c8, type: 3}}\n  \
         target: {{fileID: {target}}}\n{}--- !u!4 &{root} stripped\nTransform:\n  m_CorrespondingSourceObject: {{fileID: {}, \
         guid: {BASE}, type: 3}}\n  m_PrefabInstance: {{fileID: {BASE_IN_TANK}}}\n--- !u!4 &{target} stripped\nTransform:\n  \
         m_CorrespondingSourceObject: {{fileID: {barrel}, guid: {BASE}, type: 3}}\n  m_PrefabInstance: {{fileID: \
         {BASE_IN_TANK}}}\n",
        instance(BASE_IN_TANK, 2, BASE),
        root ^ BASE_IN_TANK,
    );
    let [model_meta, base_meta] = [MODEL, BASE].map(|guid| format!("guid: {guid}\n"));
    let files: &[(&str, &[u8])] = &[
        ("Empty.cs", b""),
        ("Tank.fbx", b""),
        ("Tank.fbx.meta", model_meta.as_bytes()),
        ("Base.prefab", base.as_bytes()),
        ("Base.prefab.meta", base_meta.as_bytes()),
        ("Tank.prefab", tank.as_bytes()),
    ];
    let output = run(&project("nested-target", files), &[]);
    let (module, told) = (text(&output.stdout), text(&output.stderr));
    assert!(
        module
            .contains("\n        .register_with(MirrorPrefab::new(\"Tank\", AssetId(5)), tank)\n"),
        "{told}"
    );
    assert!(module.contains("TransformTarget::Child"), "{module}");
    let expected = "place of the target, an object of a model, is not read; it is the origin";
    assert!(told.contains(expected), "{told}");
}
