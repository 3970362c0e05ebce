//! What pictures look like, and which requests are refused.

use stiction_view::camera::View;
use stiction_view::color::Map;
use stiction_view::film::{Field, Film, Frame, Kind, Place};
use stiction_view::look::{Arrows, Look};
use stiction_view::picture::{Picture, Renderer};

use crate::films::{Builder, blocks, cloth, rods, sheet, slope};

fn small() -> Look {
    Look { size: [200, 150], ..Look::default() }
}

fn picture(film: &Film, look: &Look) -> Picture {
    Renderer::new(film, look).unwrap().picture(0).unwrap()
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let mut tinted = cloth(10);
    tinted.field("pressure", "Pa", |point| point[0]);
    let film = tinted.film();
    let look = Look { field: Some("pressure".to_owned()), ..small() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| picture(&film_of(&tinted), &look))
    };
    assert_eq!(with(1), with(3));
    assert_eq!(with(1), picture(&film, &look));
}

fn film_of(builder: &Builder) -> Film {
    builder.film()
}

#[test]
fn films_with_little_in_them_make_pictures() {
    let empty = Builder::new("", 3);
    let mut point = Builder::new("", 3);
    point.add("point", Kind::Solid, &[[1.0, 2.0, 3.0]], &[]);
    let mut line = Builder::new("", 3);
    line.rod("rod", &[[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]]);
    let mut flat = Builder::new("", 2);
    flat.rod("rod", &[[0.0; 3], [1.0, 0.0, 0.0]]);
    let mut sliver = Builder::new("", 3);
    sliver.add("sliver", Kind::Sheet, &[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[[0, 1, 2], [0, 0, 0]]);
    let mut floor = Builder::new("", 3);
    floor.add("floor", Kind::Obstacle, &[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]], &[[0, 2, 1]]);
    let mut vast = Builder::new("", 3);
    vast.add("vast", Kind::Sheet, &[[-1e300; 3], [1e300, 0.0, 0.0], [0.0, 1e300, 0.0]], &[[0, 1, 2]]);
    let mut tiny = Builder::new("", 3);
    tiny.add("tiny", Kind::Sheet, &[[1e-300; 3], [2e-300, 0.0, 0.0], [0.0, 1e-300, 0.0]], &[[0, 1, 2]]);
    for builder in [empty, point, line, flat, sliver, floor, vast, tiny] {
        for view in ["", "zoom=2"] {
            let look = Look { view: view.parse().unwrap(), arrows: Arrows::Forces, ..small() };
            picture(&builder.film(), &look);
        }
        if builder.scenery.dimension == 3 {
            picture(&builder.film(), &Look { view: "top,perspective=50".parse().unwrap(), ..small() });
        }
    }
}

#[test]
fn huge_obstacles_do_not_shrink_bodies() {
    let covered = |film: &Film| {
        let shown = picture(film, &Look { view: "azimuth=30,elevation=20".parse().unwrap(), ..small() });
        shown.things.iter().filter(|thing| matches!(thing, Some(0 | 1))).count()
    };
    let film = cloth(6).film();
    let mut alone = cloth(6);
    alone.scenery.things.pop();
    alone.scenery.triangles.truncate(alone.scenery.things[1].triangles.end as usize);
    assert_eq!(covered(&film), covered(&alone.film()));
}

#[test]
fn the_camera_fits_all_frames() {
    let film = blocks(1).film_of(&[0.0, 1.0], |frame, time| {
        for point in &mut frame.points {
            point[1] += time;
        }
    });
    let renderer = Renderer::new(&film, &small()).unwrap();
    for index in 0..2 {
        let frame = film.frame(index).unwrap();
        // The last thing is the floor.
        let bodies = film.scenery.things[3].vertices.start as usize;
        for point in &frame.points[..bodies] {
            let [x, y, _] = renderer.camera().project(*point);
            assert!((0.0..200.0).contains(&x) && (0.0..150.0).contains(&y));
        }
    }
}

#[test]
fn mesh_lines_fade_where_elements_are_small() {
    let darkening = |cells: u32| {
        let mut builder = Builder::new("", 2);
        let (points, triangles) = sheet(cells, |s, t| [s, t, 0.0]);
        builder.add("grid", Kind::Solid, &points, &triangles);
        let without = Look { mesh: false, decoration: false, size: [200, 200], ..Look::default() };
        let with = Look { mesh: true, ..without.clone() };
        let sum = |look: &Look| -> f64 {
            picture(&builder.film(), look).rgba.iter().map(|part| f64::from(*part)).sum()
        };
        1.0 - sum(&with) / sum(&without)
    };
    assert!(darkening(8) > 1e-3, "{}", darkening(8));
    assert_eq!(darkening(100), 0.0);
}

#[test]
fn rods_are_seen_and_hidden() {
    let film = rods().film();
    let shown = picture(&film, &small());
    let of = |thing: u32| shown.things.iter().filter(|shown| **shown == Some(thing)).count();
    assert!(of(0) > 300 && of(1) > 3000);
    let rod = shown.things.iter().position(|thing| *thing == Some(0)).unwrap();
    assert_eq!(shown.triangles[rod], None);
}

#[test]
fn named_views_look_where_they_say() {
    let film = blocks(1).film();
    let forward = |view: &str| {
        let look = Look { view: view.parse().unwrap(), ..small() };
        let camera = *Renderer::new(&film, &look).unwrap().camera();
        [camera.forward, camera.up].map(|axis| axis.map(|part| part.round() as i32))
    };
    assert_eq!(forward("front"), [[0, 0, -1], [0, 1, 0]]);
    assert_eq!(forward("back"), [[0, 0, 1], [0, 1, 0]]);
    assert_eq!(forward("right"), [[-1, 0, 0], [0, 1, 0]]);
    assert_eq!(forward("left"), [[1, 0, 0], [0, 1, 0]]);
    assert_eq!(forward("top"), [[0, -1, 0], [0, 0, -1]]);
    assert_eq!(forward("bottom"), [[0, 1, 0], [0, 0, 1]]);
}

#[test]
fn up_is_against_gravity() {
    let mut builder = blocks(1);
    builder.scenery.gravity = [0.0, 0.0, -9.81];
    let look = Look { view: "front".parse().unwrap(), ..small() };
    let film = builder.film();
    let camera = *Renderer::new(&film, &look).unwrap().camera();
    assert_eq!(camera.up.map(|part| part.round() as i32), [0, 0, 1]);
    assert_eq!(camera.right.map(|part| part.round() as i32), [1, 0, 0]);
}

#[test]
fn wrong_views_are_refused_with_a_reason() {
    let cases = [
        ("azimut=3", "there is no \"azimut\""),
        ("sideways", "\"sideways\" is not understood"),
        ("zoom=big", "zoom must be a number"),
        ("zoom=0", "zoom must be positive"),
        ("zoom=nan", "finite"),
        ("distance=-1", "distance must be positive"),
        ("perspective=170", "from 1 to 150"),
        ("eye=1:2", "three numbers"),
        ("eye=1:2:3,azimuth=4", "either eye or azimuth"),
        ("up=0:0:0", "up must not be zero"),
    ];
    for (text, reason) in cases {
        let error = text.parse::<View>().unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    let refused = |look: &Look| Renderer::new(&slope().film(), look).err().unwrap().to_string();
    assert!(refused(&Look { view: "iso".parse().unwrap(), ..small() }).contains("2D"));
    let at_eye = Look { view: "eye=0:0:0,target=0:0:0".parse().unwrap(), ..small() };
    assert!(Renderer::new(&blocks(1).film(), &at_eye).err().unwrap().to_string().contains("at the target"));
    let inside = Look { view: "eye=0:0:0".parse().unwrap(), ..small() };
    picture(&blocks(1).film(), &inside);
}

#[test]
fn wrong_looks_are_refused_with_a_reason() {
    let mut builder = blocks(1);
    builder.field("pressure", "Pa", |_| 1.0);
    let film = builder.film();
    let refused = |look: &Look| Renderer::new(&film, look).err().unwrap().to_string();
    assert!(refused(&Look { size: [0, 10], ..small() }).contains("16 to 4096"));
    assert!(refused(&Look { samples: 2, ..small() }).contains("1, 3 or 5"));
    assert!(refused(&Look { range: Some([1.0, 1.0]), ..small() }).contains("small to large"));
    let error = refused(&Look { field: Some("presure".to_owned()), ..small() });
    assert!(error.contains("no field \"presure\": it has pressure"), "{error}");
    assert!(refused(&Look { field: Some("pressure.y".to_owned()), ..small() }).contains("no field"));
}

#[test]
fn fields_of_all_places_color_pictures() {
    let mut builder = slope();
    let field = |name: &str, place, components, categories: &[&str]| Field {
        name: name.to_owned(),
        unit: "N".to_owned(),
        meaning: String::new(),
        place,
        components,
        categories: categories.iter().map(|name| (*name).to_owned()).collect(),
    };
    let (vertices, triangles, contacts) =
        (builder.frame.points.len(), builder.scenery.triangles.len(), builder.frame.contacts.len());
    builder.scenery.fields = vec![
        field("velocity", Place::Vertices, 3, &[]),
        field("stress", Place::Triangles, 1, &[]),
        field("regime", Place::Vertices, 1, &["free", "stick", "slip"]),
        field("gap", Place::Contacts, 1, &[]),
        field("nothing", Place::Vertices, 1, &[]),
    ];
    let ramp = |count: usize| (0..count).map(|i| i as f32).collect::<Vec<_>>();
    builder.frame.fields = vec![
        ramp(3 * vertices),
        ramp(triangles),
        (0..vertices).map(|i| (i % 3) as f32).collect(),
        ramp(contacts),
        vec![f32::NAN; vertices],
    ];
    let film = builder.film();
    let plain = picture(&film, &small());
    for name in ["velocity", "velocity.x", "stress", "regime", "gap", "nothing"] {
        let tinted = picture(&film, &Look { field: Some(name.to_owned()), ..small() });
        assert_ne!(tinted.rgba, plain.rgba, "{name}");
    }
}

#[test]
fn a_frame_that_does_not_exist_is_an_error() {
    let film = blocks(1).film();
    assert!(Renderer::new(&film, &small()).unwrap().picture(1).is_err());
    let wrong = Frame::default();
    let film = Film::new(blocks(1).scenery, Box::new(vec![wrong])).unwrap();
    assert!(Renderer::new(&film, &small()).is_err());
}

#[test]
fn in_2d_colors_are_those_of_the_colour_bar() {
    let mut builder = Builder::new("", 2);
    let (points, triangles) = sheet(5, |s, t| [s + 0.3 * t, t, 0.0]);
    builder.add("grid", Kind::Solid, &points, &triangles);
    builder.field("height", "m", |point| point[1] + 2.0 * point[0]);
    let look = Look {
        field: Some("height".to_owned()),
        range: Some([0.5, 2.5]),
        mesh: false,
        decoration: false,
        ..small()
    };
    let film = builder.film();
    let renderer = Renderer::new(&film, &look).unwrap();
    let shown = renderer.picture(0).unwrap();
    let mut compared = 0;
    for pixel in 0..200 * 150u32 {
        let (x, y) = (f64::from(pixel % 200) + 0.5, f64::from(pixel / 200) + 0.5);
        let point = renderer.camera().ray(x, y).at(0.0);
        let (s, t) = (point[0] - 0.3 * point[1], point[1]);
        if !(0.05..0.95).contains(&s) || !(0.05..0.95).contains(&t) {
            continue;
        }
        let value = point[1] + 2.0 * point[0];
        let expected = Map::Sequential.at((value - 0.5) / 2.0);
        for (part, expected) in expected.into_iter().enumerate() {
            let found = shown.rgba[4 * pixel as usize + part];
            assert!(found.abs_diff(expected) <= 3, "{value} at {x}, {y}: {found} instead of {expected}");
        }
        compared += 1;
    }
    assert!(compared > 5000);
}
