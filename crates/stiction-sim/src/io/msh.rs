//! MSH, the format of Gmsh, versions 2 and 4.1, as text or bytes.

use std::collections::HashMap;

use super::mesh::{Draft, Mesh};
use super::scan::{Coding, Number, Scan, Scanned};

/// Gmsh's numbers for what we read.
const SEGMENT: u8 = 1;
const TRIANGLE: u8 = 2;
const QUADRANGLE: u8 = 3;
const TETRAHEDRON: u8 = 4;
const POINT: u8 = 15;

/// Reads nodes, segments, triangles, quadrangles (cut in two) and tetrahedra.
pub(super) fn read(bytes: &[u8]) -> Scanned<Mesh> {
    let scan = Scan::new(bytes);
    let mut reader =
        Reader { scan, draft: Draft::default(), places: HashMap::new(), coding: Coding::Text, new: false };
    let mut complete = false;
    while let Some(line) = reader.scan.line() {
        // Whatever is between sections does not matter.
        let Some(name) = line.strip_prefix(b"$") else { continue };
        let name = String::from_utf8_lossy(name).into_owned();
        match name.as_str() {
            "MeshFormat" => reader.format()?,
            "Nodes" => reader.nodes()?,
            "Elements" => {
                reader.elements()?;
                complete = true;
            }
            _ => {}
        }
        if !reader.scan.skip_past(&format!("$End{name}")) {
            return Err(reader.scan.trouble(format!("${name} has no $End{name}")));
        }
    }
    if !complete {
        return Err(reader.scan.trouble("there is no $Elements"));
    }
    reader.draft.finished(&reader.scan)
}

struct Reader<'a> {
    scan: Scan<'a>,
    draft: Draft,
    /// The places of nodes by their tags.
    places: HashMap<i64, u32>,
    coding: Coding,
    /// Whether the version is 4.1.
    new: bool,
}

impl Reader<'_> {
    fn format(&mut self) -> Scanned<()> {
        let version = self.scan.word("the version")?;
        self.new = match version {
            "4.1" => true,
            "2" | "2.0" | "2.1" | "2.2" => false,
            other => {
                let message = format!("version {other} cannot be read: save it as 2.2 or 4.1");
                return Err(self.scan.trouble(message));
            }
        };
        let binary = self.scan.integer(Number::I32, "the file type")?;
        if self.scan.integer(Number::I32, "the data size")? != 8 {
            return Err(self.scan.trouble("only numbers of 8 bytes can be read"));
        }
        if binary != 0 {
            self.scan.line();
            let one = self.scan.take(4, "the byte order")?;
            self.coding = if one == [1, 0, 0, 0] { Coding::Little } else { Coding::Big };
        }
        Ok(())
    }

    /// Nodes and elements come in bytes in binary files; the count of version 2 is in digits all the same.
    fn old_count(&mut self, what: &str) -> Scanned<usize> {
        let count = self.scan.count(Number::U64, what)?;
        if self.coding != Coding::Text {
            self.scan.line();
        }
        self.scan.coding = self.coding;
        Ok(count)
    }

    fn nodes(&mut self) -> Scanned<()> {
        if self.new {
            self.scan.coding = self.coding;
            self.new_nodes()?;
        } else {
            for _ in 0..self.old_count("the number of nodes")? {
                let tag = self.scan.integer(Number::I32, "the tag of a node")?;
                self.node(tag, 0)?;
            }
        }
        self.scan.coding = Coding::Text;
        Ok(())
    }

    fn new_nodes(&mut self) -> Scanned<()> {
        for _ in 0..self.blocks()? {
            let dimension = self.scan.count(Number::I32, "the dimension of an entity")?;
            self.scan.integer(Number::I32, "the tag of an entity")?;
            let parametric = self.scan.integer(Number::I32, "whether nodes have parameters")? != 0;
            let mut tags = Vec::new();
            for _ in 0..self.scan.count(Number::U64, "the number of nodes")? {
                tags.push(self.scan.integer(Number::U64, "the tag of a node")?);
            }
            for tag in tags {
                self.node(tag, if parametric { dimension } else { 0 })?;
            }
        }
        Ok(())
    }

    /// The number of blocks, and three numbers that follow from what is in them.
    fn blocks(&mut self) -> Scanned<usize> {
        let blocks = self.scan.count(Number::U64, "the number of blocks")?;
        for what in ["their number", "the smallest tag", "the largest tag"] {
            self.scan.integer(Number::U64, what)?;
        }
        Ok(blocks)
    }

    /// A node, with numbers that say where on its entity it is.
    fn node(&mut self, tag: i64, parameters: usize) -> Scanned<()> {
        let mut point = [0.0; 3];
        for coordinate in &mut point {
            *coordinate = self.scan.real(Number::F64, "a coordinate")?;
        }
        for _ in 0..parameters {
            self.scan.real(Number::F64, "a parameter of a node")?;
        }
        let number = self.draft.mesh.points.len() as u32;
        if self.places.insert(tag, number).is_some() {
            return Err(self.scan.trouble(format!("node {tag} comes twice")));
        }
        self.draft.point(&self.scan, point)
    }

    fn elements(&mut self) -> Scanned<()> {
        if self.new {
            self.scan.coding = self.coding;
            self.new_elements()?;
        } else {
            let count = self.old_count("the number of elements")?;
            if self.coding == Coding::Text {
                self.old_text_elements(count)?;
            } else {
                self.old_binary_elements(count)?;
            }
        }
        self.scan.coding = Coding::Text;
        Ok(())
    }

    fn new_elements(&mut self) -> Scanned<()> {
        for _ in 0..self.blocks()? {
            self.scan.integer(Number::I32, "the dimension of an entity")?;
            self.scan.integer(Number::I32, "the tag of an entity")?;
            let kind = self.scan.integer(Number::I32, "the type of elements")?;
            for _ in 0..self.scan.count(Number::U64, "the number of elements")? {
                self.scan.integer(Number::U64, "the tag of an element")?;
                self.element(kind, Number::U64)?;
            }
        }
        Ok(())
    }

    fn old_text_elements(&mut self, count: usize) -> Scanned<()> {
        for _ in 0..count {
            self.scan.integer(Number::I32, "the tag of an element")?;
            let kind = self.scan.integer(Number::I32, "the type of an element")?;
            for _ in 0..self.scan.count(Number::I32, "the number of tags")? {
                self.scan.integer(Number::I32, "a tag")?;
            }
            self.element(kind, Number::I32)?;
        }
        Ok(())
    }

    /// Elements of the same type follow each other behind one header.
    fn old_binary_elements(&mut self, count: usize) -> Scanned<()> {
        let mut made = 0;
        while made < count {
            let kind = self.scan.integer(Number::I32, "the type of elements")?;
            let together = self.scan.count(Number::I32, "the number of elements")?;
            let tags = self.scan.count(Number::I32, "the number of tags")?;
            for _ in 0..together {
                for _ in 0..=tags {
                    self.scan.integer(Number::I32, "a tag")?;
                }
                self.element(kind, Number::I32)?;
            }
            made = made.saturating_add(together.max(1));
        }
        Ok(())
    }

    fn element(&mut self, kind: i64, number: Number) -> Scanned<()> {
        match u8::try_from(kind).unwrap_or_default() {
            POINT => self.vertices::<1>(number).map(|_| ()),
            SEGMENT => self.vertices(number).map(|edge| self.draft.mesh.edges.push(edge)),
            TRIANGLE => self.vertices(number).map(|triangle| self.draft.mesh.triangles.push(triangle)),
            QUADRANGLE => {
                let vertices: [u32; 4] = self.vertices(number)?;
                self.draft.polygon(&self.scan, &vertices)
            }
            TETRAHEDRON => self.vertices(number).map(|element| self.draft.mesh.tetrahedra.push(element)),
            _ => Err(self.scan.trouble(format!(
                "elements of type {kind} cannot be read: only linear segments, triangles, quadrangles and tetrahedra"
            ))),
        }
    }

    fn vertices<const N: usize>(&mut self, number: Number) -> Scanned<[u32; N]> {
        let mut out = [0; N];
        for vertex in &mut out {
            let tag = self.scan.integer(number, "a node")?;
            let known = self.places.get(&tag).copied();
            *vertex = known.ok_or_else(|| self.scan.trouble(format!("there is no node {tag}")))?;
        }
        Ok(out)
    }
}

/// The bytes of a mesh in version 2.2, which most programs read.
pub(super) fn bytes(mesh: &Mesh, binary: bool) -> Vec<u8> {
    let mut out = Writer { bytes: Vec::new(), binary };
    out.line(if binary { "$MeshFormat\n2.2 1 8" } else { "$MeshFormat\n2.2 0 8" });
    if binary {
        out.bytes.extend(1_i32.to_le_bytes());
        out.line("");
    }
    out.line("$EndMeshFormat\n$Nodes");
    out.line(&mesh.points.len().to_string());
    for (index, point) in mesh.points.iter().enumerate() {
        out.numbers(&[index as u32 + 1], &point.0);
    }
    out.end("$EndNodes\n$Elements");
    out.line(&(mesh.edges.len() + mesh.triangles.len() + mesh.tetrahedra.len()).to_string());
    let mut tag = 0;
    out.elements(&mut tag, u32::from(SEGMENT), &mesh.edges);
    out.elements(&mut tag, u32::from(TRIANGLE), &mesh.triangles);
    out.elements(&mut tag, u32::from(TETRAHEDRON), &mesh.tetrahedra);
    out.end("$EndElements");
    out.bytes
}

struct Writer {
    bytes: Vec<u8>,
    binary: bool,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
        self.bytes.push(b'\n');
    }

    /// The line behind what may be bytes.
    fn end(&mut self, text: &str) {
        if self.binary {
            self.line("");
        }
        self.line(text);
    }

    /// Whole numbers, then real ones.
    fn numbers(&mut self, integers: &[u32], reals: &[f64]) {
        if self.binary {
            self.bytes.extend(integers.iter().flat_map(|number| number.to_le_bytes()));
            self.bytes.extend(reals.iter().flat_map(|number| number.to_le_bytes()));
            return;
        }
        let mut words: Vec<String> = integers.iter().map(u32::to_string).collect();
        words.extend(reals.iter().map(|number| format!("{number:?}")));
        self.line(&words.join(" "));
    }

    /// Elements with two tags, as Gmsh wants them: no physical group, entity 1.
    fn elements<const N: usize>(&mut self, tag: &mut u32, kind: u32, elements: &[[u32; N]]) {
        if self.binary && !elements.is_empty() {
            self.numbers(&[kind, elements.len() as u32, 2], &[]);
        }
        for element in elements {
            *tag += 1;
            let mut numbers = if self.binary { vec![*tag, 0, 1] } else { vec![*tag, kind, 2, 0, 1] };
            numbers.extend(element.iter().map(|vertex| vertex + 1));
            self.numbers(&numbers, &[]);
        }
    }
}
