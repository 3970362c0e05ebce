//! Films that contradict themselves are refused with what was found, what was expected and where.

use stiction_view::film::{Film, Frame, Kind};

use crate::films::{Builder, blocks};

fn two() -> Builder {
    let mut builder = Builder::new("two", 3);
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    builder.add("left", Kind::Sheet, &points, &[[0, 1, 2]]);
    builder.add("right", Kind::Sheet, &points, &[[0, 1, 2]]);
    builder.rod("rod", &points);
    builder
}

/// Why a film is refused, after a change to it.
fn refusal(change: impl Fn(&mut Builder)) -> String {
    let mut builder = two();
    change(&mut builder);
    let film = Film::new(builder.scenery, Box::new(vec![Frame::default(), builder.frame]));
    let reason = film.and_then(|film| film.frame(1).map(|_| ()));
    reason.unwrap_err().to_string()
}

#[test]
fn each_triangle_and_each_edge_belongs_to_one_thing() {
    let none = refusal(|film| film.scenery.things[1].triangles = 2..2);
    assert!(none.contains("triangle 1, at vertex 3, belongs to 0 things, expected 1"), "{none}");
    let both = refusal(|film| film.scenery.things[1].triangles = 0..2);
    assert!(both.contains("triangle 0, at vertex 0, belongs to 2 things"), "{both}");
    let edge = refusal(|film| film.scenery.things[2].edges = 1..2);
    assert!(edge.contains("edge 0, at vertex 6, belongs to 0 things"), "{edge}");
    let nothing = refusal(|film| film.scenery.things.clear());
    assert!(nothing.contains("belongs to 0 things"), "{nothing}");
}

#[test]
fn refusals_say_what_was_found_and_where() {
    let corner = refusal(|film| film.scenery.triangles[1][2] = 99);
    assert!(corner.contains("triangle 1 has vertex 99, but there are 9 vertices"), "{corner}");
    let range = refusal(|film| film.scenery.things[0].vertices = 0..10);
    assert!(range.contains("\"left\" has vertices 0..10, expected a range within 0..9"), "{range}");
    let lost = refusal(|film| film.frame.points[4][1] = f64::NAN);
    assert!(lost.contains("frame 1, of step 0, has vertex 4 at [1.0, NaN, 0.0]"), "{lost}");
    let short = refusal(|film| film.frame.points.truncate(2));
    assert!(short.contains("has 2 points, expected 9"), "{short}");
}

#[test]
fn up_is_against_gravity_in_3d_and_y_in_2d() {
    let mut scenery = blocks(1).scenery;
    scenery.gravity = [0.0, 0.0, -9.81];
    assert_eq!(scenery.up(), [0.0, 0.0, 1.0]);
    scenery.dimension = 2;
    scenery.gravity = [9.81, 0.0, 0.0];
    assert_eq!(scenery.up(), [0.0, 1.0, 0.0]);
}
