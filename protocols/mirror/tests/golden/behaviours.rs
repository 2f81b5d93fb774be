//! `behaviours.json`, `behaviours_random.json`: what one component writes, and what reading that makes.

use serde_json::{Value, json};

use super::classes;
use super::component::Component;
use super::differences::Rule;
use super::json::Json;
use super::subject::Class;
use crate::{Report, Verdict};
use syncvar_testing::golden::{same, same_bytes};

pub(crate) fn run(json: &Value, report: &mut Report) {
    for class in json.at("classes").list() {
        let name = class.at("class").text();
        for case in class.at("cases").list() {
            report.case(name, case.at("name").text(), || one(name, case));
        }
    }
}

fn find(name: &str) -> Result<&'static Class, String> {
    classes::find(name).ok_or_else(|| format!("no class `{name}`"))
}

/// A case: a component with one observer and nothing to send, to which something is done.
fn one(name: &str, case: &Value) -> Result<Verdict, String> {
    let class = find(name)?;
    let mut component = Component::observed(class);
    let mut cleared = false;
    let mut everything = false;
    if let Some(fields) = case.get("set") {
        if !component.subject_mut().set_all(fields) {
            return Ok(Verdict::Ruled(Rule::ComparesByBits));
        }
    } else {
        let Some(steps) = steps(name, case.at("actions").text()) else {
            return Ok(Verdict::Ruled(Rule::NoUnnoticedWrites));
        };
        for step in steps.list() {
            match step {
                Value::String(step) if step == "everything" => everything = true,
                Value::String(step) if step == "clear" => {
                    component.clear();
                    cleared = true;
                }
                Value::Array(_) => {
                    if !component.subject_mut().set_all(&json!([step])) {
                        return Ok(Verdict::Ruled(Rule::ComparesByBits));
                    }
                }
                operation => {
                    component.subject_mut().operate(operation);
                }
            }
        }
    }
    if name == "CustomSer" && case.at("name").text().contains("custom=1") {
        let behaviour: &mut dyn std::any::Any = component.slot_mut().behaviour_mut();
        let custom = behaviour.downcast_mut::<classes::special::CustomSer>();
        custom.expect("of this class").custom = 1;
    }
    written(&mut component, case, everything)?;
    read(class, case, cleared || everything)?;
    Ok(Verdict::Matched)
}

/// Compares masks and bytes, and whatever else was recorded of the component.
fn written(component: &mut Component, case: &Value, everything: bool) -> Result<(), String> {
    let (values, collections) = component.masks();
    let recorded = case.at("syncvar_dirty").number();
    let values = if everything { u64::MAX } else { values };
    same("dirty variables", &values, &recorded)?;
    let recorded = case.at("syncobject_dirty").number();
    same("dirty collections", &collections, &recorded)?;
    let full = component.write(true, false);
    same_full(component, &full, &case.at("initial").hex())?;
    let delta = component.write(false, everything);
    same_bytes("delta", &delta, &case.at("delta").hex())?;
    framed(&full, &case.at("initial_framed").hex())?;
    framed(&delta, &case.at("delta_framed").hex())?;
    same_state(component, case)
}

/// One safety byte stands before the payload: the low byte of its length.
fn framed(payload: &[u8], framed: &[u8]) -> Result<(), String> {
    same(
        "length with the safety byte",
        &(payload.len() + 1),
        &framed.len(),
    )?;
    same(
        "safety byte",
        &(payload.len() & 0xff),
        &usize::from(framed[0]),
    )
}

/// The full states are the same, or differ in the order of what is in no order.
fn same_full(component: &Component, ours: &[u8], recorded: &[u8]) -> Result<(), String> {
    let in_no_order = ["SyncDictionary", "SyncHashSet"];
    let members = component.subject().members();
    let mut kinds = members.iter().map(|(_, member)| member.kind());
    if ours == recorded
        || !kinds.any(|kind| in_no_order.iter().any(|start| kind.starts_with(start)))
    {
        return same_bytes("initial", ours, recorded);
    }
    let mut sorted = (ours.to_vec(), recorded.to_vec());
    sorted.0.sort_unstable();
    sorted.1.sort_unstable();
    same_bytes("initial, its bytes sorted", &sorted.0, &sorted.1)
}

fn same_state(component: &Component, case: &Value) -> Result<(), String> {
    component.subject().same_values(case.at("values"))?;
    match case.get("syncobject_contents") {
        Some(contents) => component.subject().same_content_list(contents),
        None => Ok(()),
    }
}

/// Reading the recorded bytes into a new component makes it what was recorded.
fn read(class: &'static Class, case: &Value, only_full: bool) -> Result<(), String> {
    let mut component = Component::new(class);
    component.read(&case.at("initial").hex(), true)?;
    if !class.name.starts_with("CustomSerNoBase") {
        same_state(&component, case).map_err(|fault| format!("after the full state: {fault}"))?;
    }
    if only_full {
        return Ok(());
    }
    let mut component = Component::new(class);
    component.read(&case.at("delta").hex(), false)?;
    if !class.name.starts_with("CustomSerNoBase") {
        same_state(&component, case).map_err(|fault| format!("after the change: {fault}"))?;
    }
    Ok(())
}

/// What the words of a recording do; none where they write without anybody noticing.
fn steps(class: &str, actions: &str) -> Option<Value> {
    let item = json!({"id": 1, "name": "a", "weight": {"bits": "40000000"}});
    let klass = json!({"id": 1, "name": "a"});
    let zero = json!({"id": 0, "name": null, "weight": {"bits": "00000000"}});
    let nan = json!({"bits": "ffc00000"});
    let add = |object: &str, value: Value| json!({"object": object, "op": "Add", "args": [value]});
    let put = |key: i32, text: &str| {
        let name = if class == "SyncObjs" {
            "dict"
        } else {
            "leafDict"
        };
        json!({"object": name, "op": "Set", "args": [key, text]})
    };
    let decimal =
        |low: &str, scale: &str| json!({"lo_mid_hi_flags": [low, "00000000", "00000000", scale]});
    Some(match actions {
        "SetDirty() sets all 64 bits" => json!(["everything"]),
        "int1=5; ClearAllDirtyBits()" => json!([["int1", 5], "clear"]),
        "vFloat=NaN; clear; vFloat=NaN" => json!([["vFloat", nan], "clear", ["vFloat", nan]]),
        "vDouble=-0.0" => json!([["vDouble", {"bits": "8000000000000000"}]]),
        "vDecimal=1.0; clear; vDecimal=1.00" => json!([
            ["vDecimal", decimal("0000000a", "00010000")],
            "clear",
            ["vDecimal", decimal("00000064", "00020000")]
        ]),
        "vString=\"\" (default null)" => json!([["vString", ""]]),
        "item={1,a,2}; clear; item={1,a,2}" => json!([["item", item], "clear", ["item", item]]),
        "klass={1,a}; clear; klass=new {1,a}" => {
            json!([["klass", klass], "clear", ["klass", klass]])
        }
        "item={1,a,2}; clear; ResetItem(): item = default" => {
            json!([["item", item], "clear", ["item", zero]])
        }
        "klass=new ItemClassChild{1,a,extra 5}" => json!([["klass", klass]]),
        "MutateMember(77): item.id = 77" | "ints=arr; clear; arr[0]=9" => return None,
        "ints=[9,2,3]; clear; ints=new [9,2,3]" => {
            json!([["ints", [9, 2, 3]], "clear", ["ints", [9, 2, 3]]])
        }
        "UserSetA(50)" => json!([["a", 50]]),
        "UserIncrementA()" => json!([["a", 2]]),
        "list.Add(5); c=9" => json!([add("list", json!(5)), ["c", 9]]),
        "baseA=100; baseList.Add(1),Add(2); mid=2; midSet.Add(x)" => json!([
            ["baseA", 100],
            add("baseList", json!(1)),
            add("baseList", json!(2)),
            ["mid", {"bits": "40000000"}],
            add("midSet", json!("x"))
        ]),
        "baseA=100; baseList.Add(1),Add(2); leafB=5; leafDict[1]=one; midSet.Add(x)" => json!([
            ["baseA", 100],
            add("baseList", json!(1)),
            add("baseList", json!(2)),
            ["leafB", "5"],
            put(1, "one"),
            add("midSet", json!("x"))
        ]),
        "baseA=100; baseList.Add(1),Add(2); crossB=99; crossList.Add(7)" => json!([
            ["baseA", 100],
            add("baseList", json!(1)),
            add("baseList", json!(2)),
            ["crossB", 99],
            add("crossList", json!(7))
        ]),
        "Set(10,20,30,40); list2.Add(z)" => json!([
            ["privateFirst", 10],
            ["prot", 20],
            ["pub", 30],
            ["inter", 40],
            add("list2", json!("z"))
        ]),
        "ints.Add(1); strings.Add(s); items.Add({1,n,2}); dict[3]=three; hset.Add(h); \
         sset.Add(9),Add(4); after=43" => json!([
            add("ints", json!(1)),
            add("strings", json!("s")),
            add(
                "items",
                json!({"id": 1, "name": "n", "weight": {"bits": "40000000"}})
            ),
            put(3, "three"),
            add("hset", json!("h")),
            add("sset", json!(9)),
            add("sset", json!(4)),
            ["after", 43]
        ]),
        "dict[1]=a; dict[1]=b; dict.Remove(1)" => json!([
            put(1, "a"),
            put(1, "b"),
            {"object": "dict", "op": "Remove", "args": [1]}
        ]),
        "ints.Add(1); ClearAllDirtyBits; ints.Add(2)" => {
            json!([add("ints", json!(1)), "clear", add("ints", json!(2))])
        }
        "v=10; custom=1" => json!([["v", 10]]),
        other => panic!("`{other}` is not understood"),
    })
}

/// The random ones: several steps, each of which is sent.
pub(crate) fn run_random(json: &Value, report: &mut Report) {
    for (index, case) in json.at("cases").list().iter().enumerate() {
        let name = case.at("class").text();
        report.case(name, &index.to_string(), || random(name, case));
    }
}

fn random(name: &str, case: &Value) -> Result<Verdict, String> {
    let class = find(name)?;
    let mut component = Component::observed(class);
    // Somebody who has been there from the beginning.
    let mut replica = Component::new(class);
    replica.read(&component.write(true, false), true)?;
    let mut verdict = Verdict::Matched;
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let at = |fault| format!("step {index}: {fault}");
        if !component.subject_mut().set_all(step.at("set")) {
            verdict = Verdict::Ruled(Rule::ComparesByBits);
        }
        for operation in step.at("ops").list() {
            component.subject_mut().operate(operation);
        }
        written(&mut component, step, false).map_err(at)?;
        component.clear();
        replica.read(&step.at("delta").hex(), false).map_err(at)?;
        if !name.starts_with("CustomSerNoBase") {
            same_state(&replica, step).map_err(|fault| at(format!("a replica: {fault}")))?;
        }
        read(class, step, true).map_err(at)?;
    }
    Ok(verdict)
}
