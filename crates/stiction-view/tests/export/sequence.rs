//! Sequences of OBJ and PLY files.

use std::fs;

use stiction_view::error::Error;
use stiction_view::sequence::{self, Format, Options};

use crate::folder::Folder;
use crate::sample::{film, frame, on, scenery};

fn options(format: Format) -> Options {
    Options { format, ..Options::default() }
}

#[test]
fn obj_has_an_object_for_each_thing_and_exact_coordinates() {
    let folder = Folder::new();
    assert_eq!(sequence::write(&film(3), &folder.path, &options(Format::Obj), &on).unwrap(), 3);
    assert_eq!(folder.names(), ["frame_000000.obj", "frame_000001.obj", "frame_000002.obj"]);
    let text = fs::read_to_string(folder.path.join("frame_000002.obj")).unwrap();
    let lines = |start: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.strip_prefix(start)?.to_owned())).collect()
    };
    let numbers = |line: &String| line.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<f64>>();
    let points: Vec<_> = lines("v ").iter().map(numbers).collect();
    assert_eq!(points, frame(2).points.map_to_vec());
    assert_eq!(lines("o "), ["block", "a sheet", "rod", "floor", "paddle"]);
    assert_eq!((lines("f ").len(), lines("l ")), (12, vec!["10 11".to_owned(), "11 12".to_owned()]));
    assert_eq!(lines("f ")[0], "1 3 2");
}

trait MapToVec {
    fn map_to_vec(&self) -> Vec<Vec<f64>>;
}

impl MapToVec for Vec<[f64; 3]> {
    fn map_to_vec(&self) -> Vec<Vec<f64>> {
        self.iter().map(|point| point.to_vec()).collect()
    }
}

#[test]
fn ply_has_points_things_fields_triangles_and_edges() {
    let folder = Folder::new();
    sequence::write(&film(2), &folder.path, &options(Format::Ply), &on).unwrap();
    let bytes = fs::read(folder.path.join("frame_000001.ply")).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    for line in [
        "comment sample_of things",
        "property float contact_pressure",
        "element vertex 20",
        "element face 12",
    ] {
        assert!(header.lines().any(|found| found == line), "{line} is not in\n{header}");
    }
    assert_eq!(bytes.len() - end, 20 * 20 + 12 * 13 + 2 * 8);
    let word = |at: usize| -> [u8; 4] { bytes[end + at..end + at + 4].try_into().unwrap() };
    for (vertex, point) in frame(1).points.iter().enumerate() {
        let read = [0, 4, 8].map(|at| f32::from_le_bytes(word(20 * vertex + at)));
        assert_eq!(read, point.map(|coordinate| coordinate as f32));
        assert_eq!(f32::from_le_bytes(word(20 * vertex + 16)), vertex as f32);
    }
    assert_eq!(i32::from_le_bytes(word(20 * 16 + 12)), 4);
    let edges = [0, 4, 8, 12].map(|at| u32::from_le_bytes(word(20 * 20 + 12 * 13 + at)));
    assert_eq!(edges.as_slice(), scenery().edges.as_flattened());
}

#[test]
fn folders_with_files_are_left_alone_unless_asked() {
    let folder = Folder::new();
    let mut options = options(Format::Obj);
    sequence::write(&film(3), &folder.path, &options, &on).unwrap();
    let error = sequence::write(&film(2), &folder.path, &options, &on).unwrap_err();
    assert!(error.to_string().contains("not empty"), "{error}");
    assert_eq!(folder.names().len(), 3);
    options.overwrite = true;
    fs::write(folder.path.join("notes.txt"), "mine").unwrap();
    sequence::write(&film(2), &folder.path, &options, &on).unwrap();
    assert_eq!(folder.names(), ["frame_000000.obj", "frame_000001.obj", "notes.txt"]);
}

#[test]
fn wrong_names_and_stops() {
    let folder = Folder::new();
    let wrong = Options { name: "../a".to_owned(), ..options(Format::Obj) };
    assert!(matches!(sequence::write(&film(1), &folder.path, &wrong, &on), Err(Error::Request(_))));
    let stop = |done: usize, total: usize| done < 2 && total == 5;
    let result = sequence::write(&film(5), &folder.path, &options(Format::Obj), &stop);
    assert!(matches!(result, Err(Error::Stopped)));
    assert_eq!(folder.names().len(), 2);
}
