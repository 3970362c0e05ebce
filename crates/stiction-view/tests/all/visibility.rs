//! Pictures against rays: does every pixel show what is nearest there?

use stiction_view::film::{Film, Kind};
use stiction_view::look::Look;
use stiction_view::picture::{Picture, Renderer};
use stiction_view::ray::{Hit, first_hit};

use crate::films::{Builder, ball, blocks, cloth, cuboid, draped, sheet, slope};

const VIEWS: [&str; 6] = [
    "",
    "front",
    "azimuth=200,elevation=-15,zoom=1.7",
    "top,perspective=60",
    "iso,perspective=30,zoom=1.3",
    "azimuth=-70,elevation=5,perspective=90,zoom=2",
];

/// How a picture differs from what rays find.
#[derive(Default)]
struct Comparison {
    pixels: usize,
    wrong_things: usize,
    wrong_triangles: usize,
    far_from_boundaries: usize,
    depth_error: f64,
}

impl Comparison {
    fn add(&mut self, film: &Film, view: &str) {
        let look = Look {
            size: [160, 120],
            view: view.parse().unwrap(),
            samples: 1,
            shadows: false,
            ..Look::default()
        };
        let renderer = Renderer::new(film, &look).unwrap();
        for index in 0..film.count() {
            let frame = film.frame(index).unwrap();
            let picture = renderer.picture(index).unwrap();
            let pixels = (0..160 * 120).map(|pixel| [pixel % 160, pixel / 160]);
            let hits: Vec<Option<Hit>> =
                pixels.map(|pixel| first_hit(&film.scenery, &frame, renderer.camera(), pixel)).collect();
            self.compare(&picture, &hits);
        }
    }

    fn compare(&mut self, picture: &Picture, hits: &[Option<Hit>]) {
        for (pixel, hit) in hits.iter().enumerate() {
            self.pixels += 1;
            if picture.things[pixel] != hit.map(|hit| hit.thing) {
                self.wrong_things += 1;
                self.far_from_boundaries += usize::from(!at_boundary(hits, pixel));
            } else if picture.triangles[pixel] != hit.map(|hit| hit.triangle) {
                self.wrong_triangles += 1;
            } else if let Some(hit) = hit {
                self.depth_error = self.depth_error.max((picture.depth[pixel] - hit.depth).abs());
            }
        }
    }

    fn check(&self, name: &str) {
        println!(
            "{name}: of {} pixels {} show a wrong thing, {} a wrong triangle; depth to {:.1e} m",
            self.pixels, self.wrong_things, self.wrong_triangles, self.depth_error
        );
        assert!(self.wrong_things * 1000 < self.pixels, "{name}");
        assert!(self.wrong_triangles * 1000 < self.pixels, "{name}");
        assert_eq!(self.far_from_boundaries, 0, "{name}");
        assert!(self.depth_error < 1e-6, "{name}");
    }
}

/// Whether rays through the pixels around find something else.
fn at_boundary(hits: &[Option<Hit>], pixel: usize) -> bool {
    let (x, y) = (pixel % 160, pixel / 160);
    let thing = |pixel: usize| hits[pixel].map(|hit| hit.thing);
    (y.saturating_sub(1)..(y + 2).min(120))
        .flat_map(|row| (x.saturating_sub(1)..(x + 2).min(160)).map(move |column| row * 160 + column))
        .any(|other| thing(other) != thing(pixel))
}

fn check(name: &str, film: &Film, views: &[&str]) {
    let mut comparison = Comparison::default();
    for view in views {
        comparison.add(film, view);
    }
    comparison.check(name);
}

/// Numbers from 0 to 1 that are the same each time.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn triangle_soups_show_what_rays_find() {
    let mut next = numbers(1);
    let mut soup = Builder::new("Soup", 3);
    for _ in 0..40 {
        let points: Vec<[f64; 3]> = (0..9).map(|_| [next(), next(), next()]).collect();
        soup.add("part", Kind::Sheet, &points, &[[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
    }
    let film = soup.film_of(&[0.0, 1.0], |frame, time| {
        for point in &mut frame.points {
            point[0] += time * point[1] * point[2];
        }
    });
    check("soup", &film, &VIEWS);
}

#[test]
fn sheets_that_nearly_touch_do_not_shine_through() {
    let mut draping = Builder::new("Two sheets", 3);
    for gap in [5e-4, 1e-3] {
        let (points, triangles) = sheet(14, |s, t| draped(s, t, gap));
        draping.add("sheet", Kind::Sheet, &points, &triangles);
    }
    let (points, triangles) = cuboid([-0.1, -0.2, -0.1], [0.1, 0.0, 0.1], 2);
    draping.add("box", Kind::Solid, &points, &triangles);
    check("sheets", &draping.film(), &VIEWS);
}

#[test]
fn solids_show_what_rays_find() {
    let mut solid = Builder::new("Ball", 3);
    let (points, triangles) = ball([0.1, 0.2, 0.3], 0.5, 8);
    solid.add("ball", Kind::Solid, &points, &triangles);
    check("ball", &solid.film(), &VIEWS);
    check("blocks", &blocks(3).film(), &VIEWS);
}

#[test]
fn a_camera_among_things_shows_what_rays_find() {
    let near = [
        "eye=0:0.05:0,target=0.2:-0.1:0.1,perspective=100",
        "eye=0.3:-0.1:0.2,target=0:-0.1:0,perspective=120",
    ];
    check("inside", &cloth(10).film(), &near);
}

#[test]
fn obstacles_as_large_as_continents_show_what_rays_find() {
    let mut huge = cloth(6);
    let (points, triangles) = sheet(1, |s, t| [4e6 * (t - 0.5), -0.3, 4e6 * (s - 0.5)]);
    huge.add("earth", Kind::Obstacle, &points, &triangles);
    let mut comparison = Comparison::default();
    for view in VIEWS {
        comparison.add(&huge.film(), view);
    }
    // Depths of some 10⁶ m are exact to so many digits only.
    comparison.depth_error *= 1e-3;
    comparison.check("earth");
}

#[test]
fn the_plane_shows_what_rays_find() {
    check("slope", &slope().film(), &["", "zoom=3"]);
}

#[test]
fn a_closed_surface_has_no_cracks() {
    // Every pixel within the outline of a flat grid shows it, wherever its vertices lie in pixels.
    for cells in [1, 7, 20, 61] {
        let mut grid = Builder::new("", 2);
        let (points, triangles) = sheet(cells, |s, t| [s, t, 0.0]);
        grid.add("grid", Kind::Solid, &points, &triangles);
        let look = Look { size: [150, 150], decoration: false, ..Look::default() };
        let film = grid.film();
        let renderer = Renderer::new(&film, &look).unwrap();
        let picture = renderer.picture(0).unwrap();
        let [low, high] = [[0.0; 3], [1.0, 1.0, 0.0]].map(|corner| renderer.camera().project(corner));
        for pixel in 0..150 * 150u32 {
            let (x, y) = (f64::from(pixel % 150) + 0.5, f64::from(pixel / 150) + 0.5);
            let inside = x > low[0] && x < high[0] && y > high[1] && y < low[1];
            assert_eq!(picture.things[pixel as usize].is_some(), inside, "{cells} cells, {x}, {y}");
        }
    }
}
