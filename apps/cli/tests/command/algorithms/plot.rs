//! Pictures: the SVG is parsed, and what is drawn lies where the numbers say.

use std::path::Path;

use crate::common::{data, failure, json, stdout};

/// Texts and the centres of the dots of a picture.
fn picture(file: &Path) -> (Vec<String>, Vec<(f64, f64)>) {
    let text = std::fs::read_to_string(file).unwrap();
    let svg = roxmltree::Document::parse(&text).expect("well-formed XML");
    assert_eq!(svg.root_element().tag_name().name(), "svg");
    let nodes = |name: &'static str| svg.descendants().filter(move |node| node.has_tag_name(name));
    let texts =
        nodes("text").map(|node| node.text().unwrap_or_default().trim().to_owned()).filter(|text| !text.is_empty());
    let number = |node: roxmltree::Node<'_, '_>, name| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let dots = nodes("circle").map(|node| (number(node, "cx"), number(node, "cy"))).collect::<Vec<_>>();
    assert!(dots.iter().all(|&(x, y)| (0.0..900.0).contains(&x) && (0.0..600.0).contains(&y)), "{dots:?}");
    (texts.collect(), dots)
}

/// Draws a picture.
fn drawn(arguments: &[&str]) -> (Vec<String>, Vec<(f64, f64)>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("it.svg");
    stdout(&[&["run"], arguments, &["--plot", file.to_str().unwrap()]].concat());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    picture(&file)
}

/// Whether places along an axis are an affine function of numbers, up to a pixel, with the given sign.
fn affine(places: &[f64], numbers: &[f64], sign: f64) {
    assert_eq!(places.len(), numbers.len());
    let least = (0..numbers.len()).min_by(|&a, &b| numbers[a].total_cmp(&numbers[b])).unwrap();
    let most = (0..numbers.len()).max_by(|&a, &b| numbers[a].total_cmp(&numbers[b])).unwrap();
    let slope = (places[most] - places[least]) / (numbers[most] - numbers[least]);
    assert!(slope * sign > 0.0, "{places:?} for {numbers:?}");
    for (place, number) in places.iter().zip(numbers) {
        let expected = places[least] + slope * (number - numbers[least]);
        assert!((place - expected).abs() <= 1.5, "{place} is not {expected}: {places:?} for {numbers:?}");
    }
}

/// Holds dots against points; whether each axis is logarithmic.
fn holds(dots: &[(f64, f64)], points: &[(f64, f64)], logarithmic: (bool, bool)) {
    let scaled = |logarithmic: bool, at: f64| if logarithmic { at.log10() } else { at };
    let axis = |pick: fn(&(f64, f64)) -> f64, logarithmic| {
        (
            dots.iter().map(pick).collect::<Vec<_>>(),
            points.iter().map(|point| scaled(logarithmic, pick(point))).collect::<Vec<_>>(),
        )
    };
    let (x, numbers) = axis(|dot| dot.0, logarithmic.0);
    affine(&x, &numbers, 1.0);
    let (y, numbers) = axis(|dot| dot.1, logarithmic.1);
    affine(&y, &numbers, -1.0);
}

#[test]
fn frontiers_of_searches() {
    let (texts, dots) = drawn(&["bfs", "karate", "--source", "1"]);
    for expected in ["sizes of frontiers of karate", "distance from the source", "vertices"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} is not among {texts:?}");
    }
    let points = [(0.0, 1.0), (1.0, 16.0), (2.0, 9.0), (3.0, 8.0)];
    holds(&dots, &points, (false, true));
    // One step less is one dot less.
    let (_, dots) = drawn(&["khop", "karate", "--sources", "1", "--hops", "2"]);
    holds(&dots, &points[..3], (false, true));
}

#[test]
fn profile_of_cores() {
    let (texts, dots) = drawn(&["kcore", "karate"]);
    assert!(texts.iter().any(|text| text == "vertices in the k-core"), "{texts:?}");
    let points = [(0.0, 34.0), (1.0, 34.0), (2.0, 33.0), (3.0, 22.0), (4.0, 10.0)];
    holds(&dots, &points, (false, true));
}

#[test]
fn distribution_of_degrees() {
    let (texts, dots) = drawn(&["degree", "karate"]);
    assert!(texts.iter().any(|text| text == "distribution of degrees of karate"), "{texts:?}");
    // From 10 on ten bins for each factor of ten: 10 to 12, 13 to 15, 16 to 19. A dot lies at the mean of the degrees of its bin.
    let points = [(1.0, 1.0), (2.0, 11.0), (3.0, 6.0), (4.0, 6.0), (5.0, 3.0), (6.0, 2.0)];
    let bins = [(9.0, 1.0), (11.0, 2.0 / 3.0), (16.5, 0.5)];
    holds(&dots, &[&points[..], &bins].concat(), (true, true));
    // Both ends of a directed graph are named in a legend.
    let (texts, _) = drawn(&["degree", "karate", "--directed"]);
    assert!(["out-arcs", "in-arcs"].iter().all(|name| texts.iter().any(|text| text == name)), "{texts:?}");
}

#[test]
fn distribution_of_ranks() {
    let (texts, dots) = drawn(&["pagerank", "karate"]);
    assert!(texts.iter().any(|text| text == "distribution of ranks of karate"), "{texts:?}");
    let top = json(&["run", "pagerank", "karate", "--json", "--top", "34"])["result"]["top"].take();
    let ranks = top.as_array().unwrap().iter().map(|entry| entry[1].as_f64().unwrap());
    let points: Vec<_> = ranks.enumerate().map(|(k, rank)| (k as f64 + 1.0, rank)).collect();
    holds(&dots, &points, (true, true));
}

#[test]
fn sizes_of_groups_and_trusses_and_coefficients() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.txt");
    // A triangle, a path of three vertices, and two edges.
    std::fs::write(&file, "1 2\n2 3\n3 1\n4 5\n5 6\n7 8\n9 10\n").unwrap();
    let file = file.to_str().unwrap();
    let sizes = [(1.0, 3.0), (2.0, 3.0), (3.0, 2.0), (4.0, 2.0)];
    for app in ["cc", "cdlp"] {
        let (_, dots) = drawn(&[app, file, "--undirected"]);
        // Label propagation splits neither the triangle nor a single edge; the path may end as one or two communities.
        if app == "cc" {
            holds(&dots, &sizes, (true, true));
        }
        assert!(dots.len() >= 4, "{app}: {dots:?}");
    }
    let (_, dots) = drawn(&["scc", file, "--directed"]);
    assert_eq!(dots.len(), 8, "the triangle and seven vertices of their own");
    // All 7 edges are in the 2-truss, and the triangle in the 3-truss.
    let (_, dots) = drawn(&["ktruss", file, "--undirected"]);
    holds(&dots, &[(2.0, 7.0), (3.0, 3.0)], (false, true));
    // Three vertices have coefficient 1 and seven 0.
    let (_, dots) = drawn(&["lcc", file, "--undirected"]);
    holds(&dots, &[(0.025, 7.0), (0.975, 3.0)], (false, true));
    let (_, dots) = drawn(&["sssp", file, "--undirected", "--source", "4"]);
    holds(&dots, &[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)], (false, false));
    // Only the middle of the path lies between others.
    let (_, dots) = drawn(&["bc", file, "--undirected", "--samples", "10"]);
    assert_eq!(dots.len(), 1);
    let (_, dots) = drawn(&["coloring", file, "--undirected"]);
    assert_eq!(dots.len(), 3);
}

#[test]
fn ticks_are_whole_and_a_dark_ground_is_allowed_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("it.svg");
    stdout(&["run", "bfs", "karate", "--source", "1", "--plot", file.to_str().unwrap()]);
    let (texts, _) = picture(&file);
    let numbers: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    assert!(numbers.iter().all(|at| at.fract() == 0.0) && numbers.len() >= 6, "depths and vertices: {texts:?}");
    assert!(["1", "2", "5", "10"].iter().all(|tick| texts.iter().any(|text| text == tick)), "{texts:?}");
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.contains("prefers-color-scheme: dark"));
    // The colours that the style names are those that are drawn with.
    let (style, drawing) = svg.split_once("</style>").unwrap();
    for color in ["#FFFFFF", "#000000", "#1F5FA8"] {
        assert!(style.contains(color) && drawing.contains(color), "{color}");
    }
}

#[test]
fn graphs_without_anything_to_draw() {
    let folder = tempfile::tempdir().unwrap();
    for (name, size) in [("none", 0), ("one <&\"> vertex", 1)] {
        let file = folder.path().join(format!("{name}.mtx"));
        std::fs::write(&file, format!("%%MatrixMarket matrix coordinate pattern symmetric\n{size} {size} 0\n"))
            .unwrap();
        for app in ["degree", "kcore", "pagerank"] {
            let (texts, dots) = drawn(&[app, file.to_str().unwrap()]);
            // The one vertex is in the 0-core, and has all rank; no logarithm shows its degree.
            assert_eq!(dots.len(), if app == "degree" { 0 } else { size }, "{app} of {name}");
            assert!(texts.iter().any(|text| text.ends_with(&format!("of {name}"))), "{texts:?}");
        }
    }
}

/// Weights that no logarithm has a place for lie along a linear axis; a single value stands in the middle, between marks that tell it.
#[test]
fn weights_of_any_sign_and_single_values_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.wel");
    let file = file.to_str().unwrap();
    std::fs::write(file, "1 2 -3\n2 3 0\n3 4 5\n").unwrap();
    let (_, dots) = drawn(&["msf", file, "--undirected"]);
    holds(&dots, &[(1.0, 5.0), (2.0, 0.0), (3.0, -3.0)], (true, false));
    std::fs::write(file, "1 2 1\n2 3 10\n3 4 100\n").unwrap();
    let (_, dots) = drawn(&["msf", file, "--undirected"]);
    holds(&dots, &[(1.0, 100.0), (2.0, 10.0), (3.0, 1.0)], (true, true));
    for weight in ["7", "-7", "0", "1e-9"] {
        std::fs::write(file, format!("1 2 {weight}\n")).unwrap();
        let (texts, dots) = drawn(&["msf", file, "--undirected"]);
        let [(x, y)] = dots[..] else { panic!("one edge is one dot: {dots:?}") };
        assert!((400.0..580.0).contains(&x) && (200.0..340.0).contains(&y), "{weight}: ({x}, {y})");
        assert!(texts.iter().filter(|text| text.parse::<f64>().is_ok()).count() >= 4, "{weight}: {texts:?}");
    }
}

/// The axis of scores is linear if some are below zero, and logarithmic otherwise.
#[test]
fn scores_of_any_sign_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.wel");
    let file = file.to_str().unwrap();
    let falls = |arguments: &[&str], linear: bool| {
        let (_, dots) = drawn(arguments);
        let top = json(&[&["run"], arguments, &["--json", "--top", "9"]].concat())["result"]["top"].take();
        let scores = top.as_array().unwrap().iter().map(|entry| entry[1].as_f64().unwrap());
        let points: Vec<_> = scores.enumerate().map(|(k, score)| (k as f64 + 1.0, score)).collect();
        holds(&dots, &points, (true, !linear));
        points
    };
    std::fs::write(file, "1 2 3\n2 3 1\n3 4 5\n").unwrap();
    let below = falls(&["katz", file, "--directed", "--beta=-1"], true);
    assert!(below.len() == 4 && below.iter().all(|point| point.1 < 0.0), "{below:?}");
    falls(&["katz", file, "--directed"], false);
    std::fs::write(file, "1 2 -30\n2 3 1\n3 4 5\n").unwrap();
    let mixed = falls(&["katz", file, "--directed"], true);
    assert!(mixed.iter().any(|point| point.1 < 0.0) && mixed.iter().any(|point| point.1 > 0.0), "{mixed:?}");
}

#[test]
fn a_picture_of_a_large_graph_is_small() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ranks.svg");
    stdout(&["run", "pagerank", "rmat:14", "--iterations", "2", "--plot", file.to_str().unwrap()]);
    let (_, dots) = picture(&file);
    assert!((100..2000).contains(&dots.len()), "{}", dots.len());
    assert!(dots.windows(2).all(|dots| dots[0].0 <= dots[1].0 && dots[0].1 <= dots[1].1), "ranks fall");
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let message = failure(&["run", "tc", "karate", "--plot", "tc.svg"], 2);
    assert!(message.contains("cannot draw the result of tc"), "{message}");
    let message = failure(&["run", "degree", "karate", "--plot", "degree.png"], 2);
    assert!(message.contains("degree.png") && message.contains("SVG"), "{message}");
    for app in ["degree", "pagerank"] {
        let message = failure(&["run", app, "karate", "--out", "both.svg", "--plot", "both.svg"], 2);
        assert!(message.contains("--out and --plot cannot both write to both.svg"), "{message}");
    }
    assert!(!Path::new("both.svg").exists());
    let missing = ["run", "degree", "karate", "--plot", "/no/such/folder/degree.svg"];
    assert!(failure(&missing, 1).contains("/no/such/folder/degree.svg"));
    assert!(!Path::new("tc.svg").exists() && !Path::new("degree.png").exists());
    let Some(data) = data("plot") else { return };
    let graph = data.join("graphs/wiki-Vote.txt.gz");
    let (_, dots) = drawn(&["kcore", graph.to_str().unwrap()]);
    assert_eq!(dots.len(), 54, "its degeneracy is known to be 53");
}
