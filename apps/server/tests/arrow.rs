//! Batches and answers as streams of Arrow's IPC format.

mod common;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{
    ArrayRef, Float32Array, Float64Array, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, UInt8Array, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use common::{ask, graph, post, serve, value};
use pleach::graph::GraphOptions;
use pleach_log::IdKind;
use pleach_server::Limits;
use serde_json::json;

const ARROW: &str = "Content-Type: application/vnd.apache.arrow.stream\r\n";

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn array<A: arrow_array::Array + 'static>(array: A) -> ArrayRef {
    Arc::new(array)
}

/// The stream that a request is answered with.
fn read(address: SocketAddr, path: &str) -> (RecordBatch, HashMap<String, String>) {
    let mut client = TcpStream::connect(address).unwrap();
    let accept = "application/json;q=0.5, application/vnd.apache.arrow.stream";
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: {accept}\r\n\r\n");
    client.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    let body = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8_lossy(&answer[..body]).to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 200") && head.contains("content-type: application/vnd.apache.arrow.stream"));
    let mut reader = StreamReader::try_new(&answer[body..], None).unwrap();
    let schema = reader.schema();
    let metadata = schema.metadata().iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let metadata = metadata.collect();
    (reader.next().unwrap().unwrap(), metadata)
}

#[test]
fn batches_of_numbers_are_read() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::None);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    let first =
        batch(vec![("from", array(Int64Array::from(vec![1, 1, 2]))), ("to", array(Int64Array::from(vec![2, 3, 3])))]);
    let second = batch(vec![("from", array(Int64Array::from(vec![7]))), ("to", array(Int64Array::from(vec![8])))]);
    let applied = post(address, ARROW, stream(&[first, second])).json();
    assert_eq!((&applied["new"], &applied["updates"], &applied["version"]), (&json!(4), &json!(4), &json!(1)));
    // What has a null in `to` removes a vertex.
    let changes = batch(vec![
        ("op", array(StringArray::from(vec![Some("delete"), None, Some("remove")]))),
        ("from", array(UInt64Array::from(vec![1, 4, 7]))),
        ("to", array(Int32Array::from(vec![Some(2), Some(5), None]))),
    ]);
    let applied = post(address, ARROW, stream(&[changes])).json();
    assert_eq!((&applied["new"], &applied["removed"], &applied["vertices_removed"]), (&json!(1), &json!(2), &json!(1)));
    let (found, facts) = read(address, "/vertices/1/neighbours");
    assert_eq!(found.column(0).as_primitive::<UInt64Type>().values(), &[3]);
    assert_eq!((found.num_columns(), &facts["degree"][..], &facts["version"][..]), (1, "1", "2"));
}

#[test]
fn batches_of_names_and_weights_are_read() {
    let (_folder, directory) = graph(GraphOptions::<f64>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    let names = batch(vec![
        ("from", array(StringViewArray::from(vec!["ada", "eve", "a name that is longer than a view holds"]))),
        ("to", array(LargeStringArray::from(vec!["eve", "bob", "ada"]))),
        ("weight", array(Float32Array::from(vec![0.5, 1.0, 2.0]))),
    ]);
    assert_eq!(post(address, ARROW, stream(&[names])).json()["new"], 3);
    let (found, _) = read(address, "/run/sssp?source=ada&values=true");
    assert_eq!(found.schema().field(0).name(), "id");
    let ids: Vec<_> = found.column(0).as_string::<i32>().iter().flatten().collect();
    assert_eq!(ids, ["ada", "eve", "bob"]);
    assert_eq!(found.column(1).as_primitive::<Float64Type>().values(), &[0.0, 0.5, 1.5]);
    let (found, facts) = read(address, "/run/cc?top=1");
    assert_eq!((found.column(0).as_string::<i32>().value(0), &facts["components"][..]), ("ada", "1"));
    assert_eq!(found.column(1).as_primitive::<UInt64Type>().values(), &[4]);
    let (found, _) = read(address, "/vertices/ada/neighbours?direction=in");
    assert_eq!(found.column(1).as_primitive::<Float64Type>().values(), &[2.0]);
    // There is no list to answer.
    let accept = "Accept: application/vnd.apache.arrow.stream\r\n";
    assert_eq!(ask(address, "GET", "/run/tc", accept, b"").status, 406);
}

#[test]
fn what_is_wrong_is_named_and_leaves_the_graph_as_it_was() {
    let (_folder, directory) = graph(GraphOptions::<f64>::default(), IdKind::Numbers);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    let ids = |numbers: Vec<i64>| array(Int64Array::from(numbers));
    let weights = |n: usize| array(Float64Array::from(vec![1.0; n]));
    let good =
        |n: usize| batch(vec![("from", ids((0..n as i64).collect())), ("to", ids(vec![9; n])), ("weight", weights(n))]);
    let negative = batch(vec![("from", ids(vec![1, -2])), ("to", ids(vec![2, 3])), ("weight", weights(2))]);
    let without =
        batch(vec![("from", ids(vec![1])), ("to", ids(vec![2])), ("weight", array(Float64Array::from(vec![None])))]);
    let mut compressed = {
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &good(100).schema(), options).unwrap();
        writer.write(&good(100)).unwrap();
        writer.finish().unwrap();
        writer.into_inner().unwrap()
    };
    // Each buffer says that it is as long as it can be. That must not be believed before it is read.
    let length = 800_i64.to_le_bytes();
    for at in 0..compressed.len() - 8 {
        if compressed[at..at + 8] == length {
            compressed[at..at + 8].copy_from_slice(&i64::MAX.to_le_bytes());
        }
    }
    let cases: [(Vec<u8>, Option<u64>, &str); 8] = [
        (compressed, None, "compressed"),
        (stream(&[good(3), negative]), Some(5), "`-2` is no number"),
        (stream(&[without]), Some(1), "none is given"),
        (stream(&[batch(vec![("from", ids(vec![1]))])]), None, "`from` and `to`"),
        (stream(&[batch(vec![("from", ids(vec![1])), ("to", ids(vec![1])), ("time", ids(vec![1]))])]), None, "`time`"),
        (
            stream(&[batch(vec![("from", array(UInt8Array::from(vec![1]))), ("to", ids(vec![1]))])]),
            None,
            "has type UInt8",
        ),
        (b"no stream at all".to_vec(), None, "no stream"),
        (Vec::new(), None, "no schema"),
    ];
    for (body, line, reason) in cases {
        let answer = post(address, ARROW, body);
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.json()["line"].as_u64(), line, "{answer:?}");
        assert!(answer.json()["error"].as_str().unwrap().contains(reason), "{answer:?}");
    }
    // An unknown column is refused before any column is read.
    let foreign = stream(&[batch(vec![("from", ids(vec![1])), ("to", ids(vec![1])), ("time", ids(vec![1]))])]);
    let answer = post(address, ARROW, &foreign[..foreign.len() - 40]);
    assert!(answer.status == 400 && answer.body.contains("column `time`"), "{answer:?}");
    // Cut off anywhere, or with any byte changed: refused or read, and the server goes on.
    let whole = stream(&[good(5)]);
    for end in 0..whole.len() - 8 {
        let answer = post(address, ARROW, &whole[..end]);
        assert!(matches!(answer.status, 200 | 400), "cut off at {end}: {answer:?}");
    }
    for at in 0..whole.len() {
        for byte in [0x00, 0x7f, 0xff] {
            let mut changed = whole.clone();
            changed[at] = byte;
            let answer = post(address, ARROW, changed);
            assert!(matches!(answer.status, 200 | 400 | 413), "byte {at}: {answer:?}");
        }
    }
    assert_eq!(post(address, ARROW, whole).status, 200);
    assert_eq!(value(address, "/graph")["weighted"], true);
}

#[test]
fn texts_that_share_their_bytes_take_no_more_memory_than_some_bodies() {
    let (_folder, directory) = graph(GraphOptions::<()>::default(), IdKind::Names);
    let server = serve(&directory, Limits::default());
    let address = server.address();
    let long = "n".repeat(10_000);
    let names = |count: usize| {
        let mut names = arrow_array::builder::StringViewBuilder::new().with_deduplicate_strings();
        (0..count).for_each(|_| names.append_value(&long));
        let to = StringArray::from(vec!["m"; count]);
        stream(&[batch(vec![("from", array(names.finish())), ("to", array(to))])])
    };
    assert_eq!(post(address, ARROW, names(3)).json()["new"], 1);
    let mut refused = names(5_000);
    assert_eq!(post(address, ARROW, &refused).status, 413);
    // It is refused before the texts are read. Otherwise the message would be about the text that is not UTF-8.
    let at = refused.windows(5_000).position(|bytes| bytes.iter().all(|&byte| byte == b'n')).unwrap();
    refused[at + 4_000] = 0xff;
    assert_eq!(post(address, ARROW, &refused).status, 413);
    assert_eq!(post(address, ARROW, names(3)).json()["unchanged"], 1, "the graph is as it was");
}
