//! The time of each shape on each of its subjects: `cargo bench -p lc-benches [SHAPE[/SUBJECT]]`.

#![forbid(unsafe_code)]

use std::time::Duration;

use criterion::{criterion_group, criterion_main, Criterion};
use lc_benches::shapes;

fn time(criterion: &mut Criterion) {
    for shape in shapes() {
        let mut group = criterion.benchmark_group(shape.name);
        for (subject, prepare) in shape.subjects {
            group.bench_function(subject, |bencher| {
                let mut body = prepare();
                bencher.iter(&mut body);
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(1));
    targets = time
}
criterion_main!(benches);
