//! Cycles of a directed graph.

use std::collections::{BTreeMap, BTreeSet};

/// Edges of a graph by the name of their start.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Adds an edge.
pub fn connect(graph: &mut Graph, from: &str, to: &str) {
    graph
        .entry(from.to_owned())
        .or_default()
        .insert(to.to_owned());
}

/// Returns the strongly connected groups of two or more names, in order.
pub fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph
        .keys()
        .map(|name| (&**name, reachable(graph, name)))
        .collect();
    let mut found = BTreeSet::new();
    for (name, targets) in &reached {
        let group: Vec<String> = targets
            .iter()
            .filter(|target| {
                reached
                    .get(**target)
                    .is_some_and(|back| back.contains(name))
            })
            .map(|target| (*target).to_owned())
            .collect();
        if group.len() > 1 {
            found.insert(group);
        }
    }
    found.into_iter().collect()
}

/// Returns all names that a name leads to.
fn reachable<'a>(graph: &'a Graph, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(name) = open.pop() {
        for next in graph.get(name).into_iter().flatten() {
            if reached.insert(&**next) {
                open.push(next);
            }
        }
    }
    reached
}
