//! Vectors of three numbers.

pub type Vector = [f64; 3];

pub fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn scale(a: Vector, factor: f64) -> Vector {
    a.map(|coordinate| coordinate * factor)
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn norm(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The vector of length 1 in the direction of `a`; none if `a` is zero or not finite.
pub fn unit(a: Vector) -> Option<Vector> {
    let largest = a.iter().fold(0.0, |most: f64, coordinate| most.max(coordinate.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let a = a.map(|coordinate| coordinate / largest);
    let length = norm(a);
    Some(a.map(|coordinate| coordinate / length))
}
