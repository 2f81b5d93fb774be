//! Initial values that are not read: each is told, and none is guessed.

use super::program::{project, run, text};

#[test]
fn initial_values_that_csharp_refuses_are_told() {
    let values = [
        "Color32 a = new Vector3(1, 2, 3)",
        "Vector3 a = Color.white",
        "Vector2Int a = Vector2.one",
        "Quaternion a = Vector4.one",
        "Vector3 a = Vector3.one * Vector3.one",
        "Vector3 a = Vector2.zero + Vector3.one",
        "Vector2 a = Vector2.forward",
        "Color32 a = new Color32(1, 2)",
        "uint a = -1",
        "int a = int.MaxValue + 1",
        "int a = ~0u",
        "int a = 1 / 0",
        "Vector2Int a = Vector2Int.one / 0",
        "Thing a = new Thing(1)",
        "Thing a = new Thing(1, 2)",
        "Thing a = new Thing { b = Missing }",
        "Derived a = new Derived()",
    ];
    let fields: Vec<String> = values
        .iter()
        .map(|value| format!("[SyncVar] {value};\n"))
        .collect();
    for (index, field) in fields.iter().enumerate() {
        let source = format!(
            "using Mirror; using UnityEngine;\nstruct Thing {{ public int b; public Thing(int b) {{ Log(); this.b = b; }} }}\n\
             class Base {{ public int c; public Base() {{ c = 1; }} }} class Derived : Base {{ }}\n\
             class Test : NetworkBehaviour {{\n{field}}}\n"
        );
        let folder = project(&format!("value-{index}"), &[("Test.cs", source.as_bytes())]);
        let output = run(&folder, &[]);
        let told = text(&output.stderr);
        let expected =
            "Assets/Test.cs:5: initial value of `a` is not read; it is that of `Default`";
        assert!(told.contains(expected), "{field}: {}", text(&output.stdout));
    }
}
