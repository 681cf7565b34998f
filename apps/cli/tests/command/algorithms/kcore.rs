//! Coreness against known values.

use crate::common::{json, out};

#[test]
fn equals_the_known_cores_of_the_karate_club() {
    let object = json(&["run", "kcore", "karate", "--json", "--verify"]);
    assert_eq!((&object["result"]["degeneracy"], &object["result"]["in_innermost"]), (&4.into(), &10.into()));
    assert_eq!(object["result"]["sizes"], serde_json::json!([0, 1, 11, 12, 10]));
    let coreness = out::<u32>(&["kcore", "karate"]);
    assert_eq!((coreness[&1], coreness[&12], coreness[&34]), (4, 1, 4));
}

#[test]
fn more_cores_than_have_buckets_at_a_time() {
    // Cliques of 3, 70 and 200 vertices in a row: corenesses 2, 69 and 199 in three windows of buckets.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cliques.el");
    let mut text = String::new();
    let mut first = 0;
    for size in [3, 70, 200] {
        for u in first..first + size {
            (first..u).for_each(|v| text += &format!("{u} {v}\n"));
        }
        text += &format!("{first} {}\n", first + size);
        first += size;
    }
    std::fs::write(&file, text).unwrap();
    for store in ["csr", "paged,packed", "aspen"] {
        let coreness = out::<u32>(&["kcore", file.to_str().unwrap(), "--verify", "--store", store]);
        assert_eq!((coreness[&0], coreness[&3], coreness[&272], coreness[&273]), (2, 69, 199, 1), "{store}");
    }
}
