//! The common part of GraphML and GEXF: XML whose vertices and edges are elements with attributes of declared types. It is read element by element;
//! only the current vertex or edge is in memory.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::Raw;
use super::listed::{Listed, Of, Told};
use crate::attributes::{Fields, Value};
use crate::error::{Error, Fault};
use crate::scan::is_rounded;
use crate::source::{Source, wrap};

/// The name of the attribute for labels of vertices.
const LABEL: &str = "label";

/// The deepest nesting of elements within a vertex or an edge.
const DEPTH: usize = 64;

/// An element with its content.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    /// Names and values of its attributes.
    pub(super) attributes: Vec<(String, String)>,
    /// The text before its first child.
    pub(super) text: String,
    pub(super) elements: Vec<Element>,
    /// The line and the column where it begins.
    at: (u64, usize),
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }
}

/// Makes errors about a file.
pub(super) struct Wrong(PathBuf);

impl Wrong {
    pub(super) fn at(&self, element: &Element, expected: &str, found: &str) -> Error {
        let (expected, found) = (expected.to_owned(), crate::scan::quote(found.as_bytes()));
        Error::at(&self.0, element.at.0, element.at.1, Fault::Header { expected, found })
    }

    /// An attribute that must be there.
    pub(super) fn attribute(&self, element: &Element, name: &str) -> Result<String, Error> {
        let found = element.attribute(name).map(str::to_owned);
        found.ok_or_else(|| self.at(element, &format!("an attribute `{name}` of <{}>", element.name), "none"))
    }

    fn number(&self, element: &Element, text: &str) -> Result<f64, Error> {
        let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.at(element, "a finite number", text))
    }

    /// A weight, and whether it is a whole number that was rounded.
    pub(super) fn weight(&self, element: &Element, text: &str) -> Result<(f64, bool), Error> {
        let weight = self.number(element, text)?;
        Ok((weight, is_rounded(text.trim().as_bytes(), weight)))
    }

    /// Whether edges have a direction, by `directed` or `undirected`; the same is expected of every edge.
    pub(super) fn direction(&self, element: &Element, text: &str) -> Result<bool, Error> {
        match text {
            "directed" | "true" => Ok(true),
            "undirected" | "false" => Ok(false),
            other => Err(self.at(element, "`directed` or `undirected`", other)),
        }
    }
}

/// A reader of bytes that counts lines and columns.
struct Placed {
    from: BufReader<Box<dyn Read + Send>>,
    line: u64,
    column: usize,
}

impl Read for Placed {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let got = self.from.fill_buf()?.len().min(bytes.len());
        bytes[..got].copy_from_slice(&self.from.buffer()[..got]);
        self.consume(got);
        Ok(got)
    }
}

impl BufRead for Placed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.from.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let bytes = &self.from.buffer()[..count];
        self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.column = memchr::memrchr(b'\n', bytes).map_or(self.column + count, |end| count - end);
        self.from.consume(count);
    }
}

/// A document that is being read.
pub(super) struct Document {
    pub(super) wrong: Wrong,
    compressed: bool,
    reader: quick_xml::Reader<Placed>,
    buffer: Vec<u8>,
    /// The number of open elements.
    open: usize,
}

impl Document {
    pub(super) fn of(source: Source) -> Document {
        let (wrong, compressed) = (Wrong(source.path().to_owned()), source.plain_len().is_none());
        let from = BufReader::new(Box::new(source.into_reader()) as Box<dyn Read + Send>);
        let mut reader = quick_xml::Reader::from_reader(Placed { from, line: 1, column: 1 });
        reader.config_mut().expand_empty_elements = true;
        Document { wrong, compressed, reader, buffer: Vec::new(), open: 0 }
    }

    fn at(&self) -> (u64, usize) {
        let Placed { line, column, .. } = self.reader.get_ref();
        (*line, *column)
    }

    fn fault(&self, found: &str) -> Error {
        let (line, column) = self.at();
        let fault = Fault::Header { expected: "a document of XML".to_owned(), found: found.to_owned() };
        Error::at(&self.wrong.0, line, column, fault)
    }

    fn failed(&self, error: quick_xml::Error) -> Error {
        match error {
            quick_xml::Error::Io(error) => {
                let again = |code| io::Error::from_raw_os_error(code);
                let error = error.raw_os_error().map_or_else(|| io::Error::new(error.kind(), error.to_string()), again);
                wrap(&self.wrong.0, self.compressed, error)
            }
            other => self.fault(&other.to_string()),
        }
    }

    /// The start of the next child of the current element, or `None` at its end. Text in between is appended to `text` if there is one.
    fn next(&mut self, mut text: Option<&mut String>) -> Result<Option<Element>, Error> {
        loop {
            let at = self.at();
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            let event = self.reader.read_event_into(&mut buffer);
            let event = event.map_err(|error| self.failed(error))?;
            let outside = self.open == 0;
            let mut piece = |piece: &str| text.iter_mut().for_each(|text| text.push_str(piece));
            match event {
                Event::Start(start) => {
                    let element = element(&start, at).map_err(|error| self.failed(error))?;
                    (self.open, self.buffer) = (self.open + 1, buffer);
                    return Ok(Some(element));
                }
                Event::End(_) | Event::Eof if outside => return Ok(None),
                Event::End(_) => {
                    (self.open, self.buffer) = (self.open - 1, buffer);
                    return Ok(None);
                }
                Event::Eof => return Err(self.fault("the end of the file")),
                Event::DocType(_) => return Err(self.fault("a declaration of a document type")),
                Event::Text(found) if outside && !found.trim().is_empty() => {
                    return Err(self.fault("text outside of elements"));
                }
                Event::CData(_) | Event::GeneralRef(_) if outside => {
                    return Err(self.fault("text outside of elements"));
                }
                Event::Text(found) => piece(&found.xml10_content()),
                Event::CData(found) => piece(&found.xml10_content()),
                Event::GeneralRef(found) => match found.resolve_char_ref().map_err(|error| self.failed(error))? {
                    Some(character) => piece(character.encode_utf8(&mut [0; 4])),
                    None => match quick_xml::escape::resolve_predefined_entity(&found) {
                        Some(known) => piece(known),
                        None => return Err(self.fault(&format!("&{};", &*found))),
                    },
                },
                // Comments, declarations and the like.
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Empty(_) => {}
            }
            self.buffer = buffer;
        }
    }

    /// The next child of the current element; `None` at its end.
    pub(super) fn element(&mut self) -> Result<Option<Element>, Error> {
        self.next(None)
    }

    /// Reads the content of an element whose start has been read.
    pub(super) fn whole(&mut self, element: Element) -> Result<Element, Error> {
        let mut begun = vec![element];
        loop {
            let Some(last) = begun.last_mut() else { return Err(self.fault("the end of an element")) };
            let text = if last.elements.is_empty() { Some(&mut last.text) } else { None };
            match self.next(text)? {
                Some(element) if begun.len() < DEPTH => begun.push(element),
                Some(element) => {
                    let expected = format!("elements that stand at most {DEPTH} deep in each other");
                    return Err(self.wrong.at(&element, &expected, &element.name));
                }
                None => match (begun.pop(), begun.last_mut()) {
                    (Some(done), Some(around)) => around.elements.push(done),
                    (Some(done), None) => return Ok(done),
                    (None, _) => return Err(self.fault("the end of an element")),
                },
            }
        }
    }

    /// Skips the rest of an element whose start has been read, at any depth.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        let around = self.open - 1;
        while self.open > around {
            self.next(None)?;
        }
        Ok(())
    }

    /// Reads the children of the root: collects each `<key>`, and reads the graph, which follows them, by `graph`.
    pub(super) fn tell(
        mut self,
        mut graph: impl FnMut(&mut Document, Element, &[Element]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let root = self.element()?.ok_or_else(|| self.fault("the end of the file"))?;
        let (mut found, mut keys) = (false, Vec::new());
        while let Some(element) = self.element()? {
            match (element.name.as_str(), found) {
                ("key", false) => keys.push(self.whole(element)?),
                ("key", true) => return Err(self.wrong.at(&element, "every <key> before the <graph>", "<key>")),
                ("graph", true) => return Err(self.wrong.at(&element, "one graph in a file", "a second <graph>")),
                ("graph", false) => {
                    found = true;
                    graph(&mut self, element, &keys)?;
                }
                _ => self.skip()?,
            }
        }
        if !found {
            return Err(self.wrong.at(&root, "an element <graph>", &root.name));
        }
        match self.element()? {
            None => Ok(()),
            Some(_) => Err(self.fault("a second root")),
        }
    }
}

/// The start of an element. Declarations of namespaces are left out of its attributes.
fn element(start: &BytesStart<'_>, at: (u64, usize)) -> Result<Element, quick_xml::Error> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(quick_xml::Error::from)?;
        let name: &str = attribute.key.as_ref();
        if name != "xmlns" && !name.starts_with("xmlns:") {
            attributes.push((name.to_owned(), attribute.normalized_value(XmlVersion::Implicit1_0)?.into_owned()));
        }
    }
    let name: &str = start.local_name().into_inner();
    Ok(Element { name: name.to_owned(), attributes, text: String::new(), elements: Vec::new(), at })
}

/// A value of the type that a file declares, in the words of GraphML and GEXF. One that is not of the type is a text.
fn typed<'t>(text: &'t str, kind: Option<&str>) -> Value<'t> {
    let plain = text.trim();
    let value = match kind {
        Some("boolean") => match plain {
            "true" | "True" | "1" => Some(Value::Boolean(true)),
            "false" | "False" | "0" => Some(Value::Boolean(false)),
            _ => None,
        },
        Some("int" | "integer" | "long" | "short" | "byte") => plain.parse().ok().map(Value::Integer),
        Some("float" | "double") => plain.parse().ok().map(Value::Float),
        _ => None,
    };
    value.unwrap_or(Value::Text(text))
}

/// An attribute that a file declares.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) name: String,
    kind: Option<String>,
    pub(super) default: Option<String>,
}

impl Key {
    /// The attribute that an element declares. `names` are the XML attributes that hold its name and its type.
    pub(super) fn of(element: &Element, [name, kind]: [&str; 2]) -> Option<(String, Key)> {
        let id = element.attribute("id")?.to_owned();
        let default = element.all("default").next().map(|default| default.text.clone());
        let name = element.attribute(name).unwrap_or(&id).to_owned();
        Some((id, Key { name, kind: element.attribute(kind).map(str::to_owned), default }))
    }
}

impl Key {
    /// Whether this is the weight of edges, by its name, and of a type of numbers.
    pub(super) fn is_weight(&self) -> bool {
        let kind = self.kind.as_deref();
        self.name.eq_ignore_ascii_case("weight") && !matches!(kind, Some("string" | "boolean" | "anyURI"))
    }
}

/// Those of vertices or of edges, by their ids.
pub(super) type Keys = BTreeMap<String, Key>;

/// The attributes of a vertex or an edge.
#[derive(Default)]
pub(super) struct Said {
    /// Names, types and values.
    pub(super) fields: Vec<(String, Option<String>, String)>,
    /// Names of parts that cannot be kept as attributes.
    pub(super) lost: Vec<String>,
    /// The id of an edge.
    pub(super) id: Option<String>,
    /// A name of the vertex besides its id.
    pub(super) called: Option<String>,
    /// The label of a vertex. Many programs write its id there.
    pub(super) label: Option<String>,
    /// Whether the weight of an edge is a whole number that was rounded.
    pub(super) rounded: bool,
}

/// Passes the defaults of keys to a listener: once, since every vertex and edge might have all of them.
pub(super) fn tell_defaults(keys: &Keys, of: Of, told: &mut dyn Told<Said>) {
    for key in keys.values() {
        if let Some(default) = &key.default {
            told.usual(of, &key.name, typed(default, key.kind.as_deref()));
        }
    }
}

impl Said {
    /// Adds values by keys.
    pub(super) fn add(&mut self, keys: &Keys, said: &[(&str, &str)]) {
        for (id, text) in said {
            let key = keys.get(*id);
            let name = key.map_or_else(|| (*id).to_owned(), |key| key.name.clone());
            self.fields.push((name, key.and_then(|key| key.kind.clone()), (*text).to_owned()));
        }
    }

    /// Adds a text.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.fields.push((name.to_owned(), None, text.to_owned()));
    }

    fn set(&self, fields: &mut Fields, row: usize) {
        self.fields.iter().for_each(|(name, kind, text)| fields.set(row, name, typed(text, kind.as_deref())));
    }
}

/// A whole document in memory.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) listed: Listed,
    /// Names of vertices besides their ids, and ids of edges.
    pub(super) called: Vec<Option<String>>,
    ids: Vec<Option<String>>,
    /// Whether some label of a vertex differs from its id. Until then, `repeated` lists the vertices whose labels equal their ids.
    labelled: bool,
    repeated: Vec<usize>,
}

impl Told<Said> for Whole {
    fn vertex(&mut self, name: String, said: &Said) -> Result<(), Error> {
        self.label(&name, said.label.as_deref());
        said.set(&mut self.listed.of_vertices, self.listed.vertices.len());
        said.lost.iter().for_each(|lost| self.listed.lose("vertices", lost));
        self.listed.vertices.push(name);
        self.called.push(said.called.clone());
        Ok(())
    }

    fn edge(&mut self, [src, dst]: [String; 2], weight: Option<f64>, said: &Said) -> Result<(), Error> {
        said.set(&mut self.listed.of_edges, self.listed.edges.len());
        said.lost.iter().for_each(|lost| self.listed.lose("edges", lost));
        self.listed.edge(&src, &dst, weight);
        self.listed.rounded |= said.rounded;
        self.ids.push(said.id.clone());
        Ok(())
    }

    fn directed(&mut self, directed: bool) {
        self.listed.directed = directed;
    }

    fn of_graph(&mut self, key: &str) {
        self.listed.lose("the graph", key);
    }

    fn usual(&mut self, of: Of, name: &str, value: Value<'_>) {
        let fields = match of {
            Of::Vertices => &mut self.listed.of_vertices,
            Of::Edges => &mut self.listed.of_edges,
        };
        fields.set_usual(name, value);
    }
}

impl Whole {
    /// Keeps the label of the next vertex. Labels that equal ids are kept only if some label differs from its id.
    fn label(&mut self, name: &str, label: Option<&str>) {
        let Listed { vertices, of_vertices, .. } = &mut self.listed;
        let Some(label) = label else { return };
        if label != name && !self.labelled {
            self.labelled = true;
            for row in std::mem::take(&mut self.repeated) {
                of_vertices.set(row, LABEL, Value::Text(&vertices[row]));
            }
        }
        match self.labelled {
            true => of_vertices.set(vertices.len(), LABEL, Value::Text(label)),
            false => self.repeated.push(vertices.len()),
        }
    }

    pub(super) fn into_raw(mut self, path: &Path) -> Result<Raw, Error> {
        keep_ids(&mut self.listed, &self.ids);
        self.listed.into_raw(path)
    }
}

/// Keeps the ids of edges, unless they only count them.
fn keep_ids(listed: &mut Listed, ids: &[Option<String>]) {
    let counts = |(place, id): (usize, &Option<String>)| {
        id.as_ref().is_none_or(|id| id.strip_prefix('e').unwrap_or(id).parse() == Ok(place))
    };
    if !ids.iter().enumerate().all(counts) {
        let name = listed.of_edges.unused("id");
        let known = ids.iter().enumerate().filter_map(|(row, id)| Some((row, id.as_deref()?)));
        known.for_each(|(row, id)| listed.of_edges.set(row, &name, Value::Text(id)));
    }
}
