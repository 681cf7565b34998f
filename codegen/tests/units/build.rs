//! The build helper: files in, files out, mistakes told.

use pleach_codegen::Build;

const LIST: &str = "def list { e : elem nonempty  n : list  seq = e, n }\ndef list_head { h : list  seq = h }\n";

#[test]
#[cfg_attr(miri, ignore)]
fn stores_are_written_where_they_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (schema, pleach) = (dir.path().join("mine.schema"), dir.path().join("all.pleach"));
    std::fs::write(&schema, LIST).unwrap();
    std::fs::write(&pleach, "use \"mine.schema\"\nformat rows(i, j) = i: dense, j: mine\n").unwrap();
    let out = dir.path().join("generated");
    let written = Build::new().file(&pleach).out_dir(&out).compile().unwrap();
    assert_eq!(written, [out.join("mine.rs")]);
    let text = std::fs::read_to_string(&written[0]).unwrap();
    assert!(text.contains("pub struct Mine<") && text.contains("::pleach_runtime"), "{text}");

    let before = written[0].metadata().unwrap().modified().unwrap();
    Build::new().file(&schema).out_dir(&out).compile().unwrap();
    assert_eq!(written[0].metadata().unwrap().modified().unwrap(), before, "an unchanged file is left alone");
}

#[test]
#[cfg_attr(miri, ignore)]
fn mistakes_name_file_line_and_column_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let schema = dir.path().join("wrong.schema");
    std::fs::write(&schema, "def wrong {\n  e : elem[M] nonempty\n}\n").unwrap();
    let out = dir.path().join("generated");
    let error = Build::new().file(&schema).out_dir(&out).compile().unwrap_err().to_string();
    assert!(error.contains("wrong.schema:2:12"), "{error}");
    assert!(!out.exists());
    let error = Build::new().file(dir.path().join("absent.pleach")).out_dir(&out).compile().unwrap_err().to_string();
    assert!(error.contains("absent.pleach"), "{error}");
}
