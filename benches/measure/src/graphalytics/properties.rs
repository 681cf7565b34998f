//! The `.properties` file of a data set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pleach_datasets::Columns;

use super::Algorithm;

/// What the properties file of a data set says.
#[derive(Clone, Debug)]
pub struct Properties {
    /// The file.
    pub file: PathBuf,
    /// The name of the graph: that of the file without its ending.
    pub name: String,
    /// Whether edges have a direction.
    pub directed: bool,
    /// The values behind `graph.NAME.`.
    values: BTreeMap<String, String>,
}

/// Why a data set's properties cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PropertiesError {
    /// The file, or the directory, cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// What cannot be read.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A directory without a data set.
    #[error("{} has no data set of Graphalytics: expected a file NAME.properties, beside NAME.v and NAME.e", path.display())]
    None {
        /// The directory.
        path: PathBuf,
    },
    /// A property is not there.
    #[error("{}: there is no property `{key}`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The whole name of the property.
        key: String,
    },
    /// A property has another value than such a property can have.
    #[error("{}: `{key}` is `{found}`, expected {expected}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The whole name of the property.
        key: String,
        /// What can be there.
        expected: String,
        /// What is there.
        found: String,
    },
}

impl Properties {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or does not say whether the graph is directed.
    pub fn read(file: &Path) -> Result<Self, PropertiesError> {
        let text = std::fs::read(file).map_err(|error| PropertiesError::Io { path: file.to_owned(), error })?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self::parse(file, name, &String::from_utf8_lossy(&text))
    }

    fn parse(file: &Path, name: String, text: &str) -> Result<Self, PropertiesError> {
        let prefix = format!("graph.{name}.");
        let mut values = BTreeMap::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut line = line.trim().to_owned();
            if line.starts_with(['#', '!']) {
                continue;
            }
            // A line that ends in a backslash goes on in the next one.
            while line.ends_with('\\') {
                line.pop();
                line.push_str(lines.next().unwrap_or_default().trim());
            }
            if let Some((key, value)) = line.split_once(['=', ':'])
                && let Some(key) = key.trim().strip_prefix(&prefix)
            {
                values.insert(key.to_owned(), value.trim().to_owned());
            }
        }
        let mut properties = Properties { file: file.to_owned(), name, directed: false, values };
        properties.directed = properties.parsed("directed", "`true` or `false`")?;
        Ok(properties)
    }

    fn key(&self, key: &str) -> String {
        format!("graph.{}.{key}", self.name)
    }

    fn text(&self, key: &str) -> Result<&str, PropertiesError> {
        let missing = || PropertiesError::Missing { path: self.file.clone(), key: self.key(key) };
        self.values.get(key).map(String::as_str).ok_or_else(missing)
    }

    fn parsed<T: FromStr>(&self, key: &str, expected: &str) -> Result<T, PropertiesError> {
        let found = self.text(key)?;
        found.parse().map_err(|_| self.wrong(key, expected))
    }

    fn wrong(&self, key: &str, expected: &str) -> PropertiesError {
        let found = self.values.get(key).cloned().unwrap_or_default();
        PropertiesError::Value { path: self.file.clone(), key: self.key(key), expected: expected.to_owned(), found }
    }

    /// The number that a property has.
    ///
    /// # Errors
    ///
    /// If it is not there, or has another value.
    pub fn number<T: FromStr>(&self, key: &str) -> Result<T, PropertiesError> {
        self.parsed(key, "a number")
    }

    /// The names in a list that commas separate.
    fn names(&self, key: &str) -> Vec<&str> {
        let list = self.values.get(key).map_or("", String::as_str);
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
    }

    /// The algorithms that the data set is meant for, in the order of [`Algorithm::ALL`].
    ///
    /// # Errors
    ///
    /// If there is no such list, or one of them is none of the benchmark.
    pub fn algorithms(&self) -> Result<Vec<Algorithm>, PropertiesError> {
        self.text("algorithms")?;
        let names = self.names("algorithms");
        if names.iter().any(|name| Algorithm::ALL.iter().all(|known| known.name() != *name)) {
            return Err(self.wrong("algorithms", "some of bfs, pr, wcc, cdlp, lcc and sssp, separated by commas"));
        }
        Ok(Algorithm::ALL.into_iter().filter(|known| names.contains(&known.name())).collect())
    }

    /// The columns of the file of edges, where it has several properties of which one is the weight. `None` if there is nothing to choose.
    ///
    /// # Errors
    ///
    /// If the property that is the weight is not there.
    pub fn columns(&self) -> Result<Option<Columns>, PropertiesError> {
        let (names, key) = (self.names("edge-properties.names"), "sssp.weight-property");
        let Some(weight) = self.values.get(key) else { return Ok(None) };
        if !names.contains(&weight.as_str()) {
            return Err(self.wrong(key, "one of the properties of edges that `edge-properties.names` lists"));
        }
        if names.len() < 2 {
            return Ok(None);
        }
        let mut columns = "src,dst".to_owned();
        for name in names {
            columns.push_str(if name == weight { ",weight" } else { ",_" });
        }
        columns.parse().map(Some).map_err(|_| self.wrong("edge-properties.names", "properties with different names"))
    }

    /// A file of the data set, by what follows the name and a dot.
    pub fn beside(&self, ending: &str) -> PathBuf {
        self.file.with_file_name(format!("{}.{ending}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Properties, PropertiesError> {
        Properties::parse(Path::new("g.properties"), "g".to_owned(), text)
    }

    #[test]
    fn values_lists_and_lines_that_go_on() {
        let text = "# graph.g.directed = false\n! no\n graph.g.directed=true \ngraph.g.algorithms : wcc, \\\n  bfs\n\
                    graph.other.directed = false\ngraph.g.bfs.source-vertex = 7\n";
        let properties = parse(text).unwrap();
        assert!(properties.directed);
        assert_eq!(properties.algorithms().unwrap(), [Algorithm::Bfs, Algorithm::Wcc]);
        assert_eq!(properties.number::<u64>("bfs.source-vertex").unwrap(), 7);
        let missing = properties.number::<u64>("pr.num-iterations").unwrap_err();
        assert_eq!(missing.to_string(), "g.properties: there is no property `graph.g.pr.num-iterations`");
        assert!(properties.columns().unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            ("", "there is no property `graph.g.directed`"),
            ("graph.g.directed = yes", "`graph.g.directed` is `yes`, expected `true` or `false`"),
        ] {
            assert!(parse(text).unwrap_err().to_string().ends_with(says), "{says}");
        }
        let properties = parse("graph.g.directed=true\ngraph.g.algorithms = bfs, dfs").unwrap();
        assert!(properties.algorithms().unwrap_err().to_string().contains("`bfs, dfs`, expected some of bfs"));
    }

    #[test]
    fn the_weight_is_one_of_several_properties() {
        let with = |names: &str, weight: &str| {
            let text = format!(
                "graph.g.directed = true\ngraph.g.edge-properties.names = {names}\ngraph.g.sssp.weight-property = {weight}"
            );
            parse(&text).unwrap().columns()
        };
        assert_eq!(with("since, length", "length").unwrap(), Some("src,dst,_,weight".parse().unwrap()));
        assert_eq!(with("length", "length").unwrap(), None);
        assert!(with("since", "length").unwrap_err().to_string().contains("`edge-properties.names` lists"));
    }
}
