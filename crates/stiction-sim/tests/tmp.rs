//! tmp
use stiction_sim::{scene::Scene, step::step, newton::Workspace, report::StepReport};
fn go<const D: usize>(name: &str) {
    let scene = Scene::load(std::path::Path::new(&format!("../../scenes/{name}.toml"))).unwrap();
    let (model, mut state) = scene.build::<D>().unwrap();
    let mut work = Workspace::default();
    let r0 = StepReport::at_start(&model, &state);
    println!("{name}: {} verts, kappa {:?} range {:?}, E0 {:?}", state.x.len(), state.kappa, model.stiffness_range, r0.energies);
    let mut last = r0;
    let t0 = std::time::Instant::now();
    for i in 0..scene.steps() {
        let r = match step(&model, &mut state, &mut work) { Ok(r)=>r, Err(e)=>{println!("ERR {e}"); return;} };
        let dv = r.bodies.last().unwrap().velocity - last.bodies.last().unwrap().velocity;
        if i % 10 == 9 || i<10 {
            println!("t {:.2} it {} gap {:.3e} N {:.3} v {:.5e} a {:.6} E {:.6e} dE {:.2e} work {:.2e} diss {:.2e} stick {} slip {} lag {:.1e} pc {} reg {}", r.time, r.iterations, r.gap, r.normal_force, r.bodies.last().unwrap().velocity.norm(), dv.norm()/0.01, r.energies.total(), r.energies.total()-last.energies.total()-r.work, r.work, r.friction.dissipation, r.friction.stick, r.friction.slip, r.friction.lag_residual, r.pair_contacts, r.regularised);
        }
        last = r;
    }
    model.check_free(&state.x).unwrap();
    println!("time {:?}", t0.elapsed());
}
#[test] fn a() { go::<2>("slide-2d"); }
#[test] fn b() { go::<2>("stick-2d"); }
#[test] fn c() { go::<3>("slide-3d"); }
#[test] fn d() { go::<3>("stick-3d"); }
#[test] fn e() { go::<2>("rub-2d"); }
#[test] fn f() { go::<3>("rub-3d"); }
