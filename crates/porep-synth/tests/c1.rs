//! `--c1` on the files that a real sealing by filecoin-proofs-api leaves, whole and damaged.

use std::{
    fs::{self, File},
    io::Cursor,
    ops::RangeInclusive,
    path::Path,
    process::{Command, Output},
    sync::OnceLock,
};

use base64::prelude::{Engine, BASE64_STANDARD};
use bellpepper_core::Circuit;
use blstrs::Scalar;
use filecoin_proofs::{
    constants::{DefaultPieceHasher, SectorShape2KiB},
    parameters::public_params,
};
use filecoin_proofs_api::{
    seal::{self, SealCommitPhase1Output, VanillaSealProof},
    RegisteredSealProof, SectorId, UnpaddedBytesAmount,
};
use porep_synth::{
    assignment::ProvingAssignment,
    c1,
    digest::{self, Hash},
    synthesize::{assign, Assignment},
    workdir::Workdir,
};
use serde_json::{json, Value};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_porep::stacked::{PublicInputs, StackedCompound, Tau};
use tempfile::TempDir;

/// The outputs of both kinds: of one partition, and of thirteen.
struct Sealed {
    interactive: SealCommitPhase1Output,
    non_interactive: SealCommitPhase1Output,
}

fn sealed() -> &'static Sealed {
    static SEALED: OnceLock<Sealed> = OnceLock::new();
    SEALED.get_or_init(|| {
        let workdir = Workdir::new(1 << 20).unwrap();
        let seal = |name: &str, proof| seal(&workdir.path().join(name), proof);
        Sealed {
            interactive: seal("interactive", RegisteredSealProof::StackedDrg2KiBV1_1),
            non_interactive: seal(
                "non-interactive",
                RegisteredSealProof::StackedDrg2KiBV1_2_Feat_NonInteractivePoRep,
            ),
        }
    })
}

/// Seals a sector full of data in `folder`, up to the first commit phase.
fn seal(folder: &Path, proof: RegisteredSealProof) -> SealCommitPhase1Output {
    let cache = folder.join("cache");
    let (staged, replica) = (folder.join("staged"), folder.join("replica"));
    fs::create_dir_all(&cache).unwrap();
    File::create(&replica).unwrap();

    let data: Vec<u8> = (0..2032).map(|byte| byte as u8).collect();
    let mut target = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&staged)
        .unwrap();
    let size = UnpaddedBytesAmount(data.len() as u64);
    let (piece, _) = seal::add_piece(proof, Cursor::new(data), &mut target, size, &[]).unwrap();
    let pieces = [piece];

    let (prover, sector, ticket) = ([1; 32], SectorId::from(7), [2; 32]);
    let phase1 = seal::seal_pre_commit_phase1(
        proof, &cache, &staged, &replica, prover, sector, ticket, &pieces,
    )
    .unwrap();
    let phase2 = seal::seal_pre_commit_phase2(phase1, &cache, &replica).unwrap();
    seal::seal_commit_phase1(
        &cache, &replica, prover, sector, ticket, [3; 32], phase2, &pieces,
    )
    .unwrap()
}

/// The digest of the circuits that the second commit phase would prove.
fn digest_of_circuits(
    output: &SealCommitPhase1Output,
    partitions: RangeInclusive<usize>,
) -> String {
    let VanillaSealProof::StackedDrg2KiBV1(proofs) = &output.vanilla_proofs else {
        panic!("another size was sealed");
    };
    let params = public_params::<SectorShape2KiB>(&output.registered_proof.as_v1_config()).unwrap();
    let inputs = PublicInputs {
        replica_id: output.replica_id,
        tau: Some(Tau {
            comm_d: output.comm_d.into(),
            comm_r: output.comm_r.into(),
        }),
        seed: Some(output.seed),
        k: None,
    };
    let digest = |index: usize| -> Hash {
        let circuit = StackedCompound::<SectorShape2KiB, DefaultPieceHasher>::circuit(
            &inputs,
            (),
            &proofs[index],
            &params,
            Some(index),
        )
        .unwrap();
        digest_of(circuit)
    };
    digest::whole(&partitions.map(digest).collect::<Vec<_>>())
}

fn digest_of(circuit: impl Circuit<Scalar>) -> Hash {
    assign::<ProvingAssignment>(circuit, None).unwrap().digest()
}

fn run(file: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_porep-synth"))
        .arg("--c1")
        .arg(file)
        .args(options)
        .output()
        .unwrap()
}

fn report(file: &Path, options: &[&str]) -> Value {
    let output = run(file, &[options, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The one line of a failed run.
fn error(contents: impl AsRef<[u8]>) -> String {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("c1.json");
    fs::write(&file, contents).unwrap();
    error_of(&file, &[])
}

fn error_of(file: &Path, options: &[&str]) -> String {
    let output = run(file, options);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(output.stdout.is_empty());
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}

#[test]
fn same_digest_as_the_circuits_built_directly() {
    let output = &sealed().interactive;
    let folder = TempDir::new().unwrap();
    let bare = folder.path().join("bare.json");
    let json = serde_json::to_vec(output).unwrap();
    fs::write(&bare, &json).unwrap();
    let wrapped = folder.path().join("wrapped.json");
    let wrapping = json!({
        "SectorNum": 7,
        "Phase1Out": BASE64_STANDARD.encode(&json),
        "SectorSize": 2048,
    });
    fs::write(&wrapped, wrapping.to_string()).unwrap();

    let expected = digest_of_circuits(output, 0..=0);
    for report in [report(&bare, &[]), report(&wrapped, &["--stream"])] {
        assert_eq!(report["digest"], expected);
        assert_eq!(report["sector_size_bytes"], 2048);
        assert_eq!(report["layers"], 2);
        assert_eq!(report["challenges"], 2);
        assert_eq!(report["partitions"], 1);
    }
}

#[test]
fn some_of_the_partitions() {
    let output = &sealed().non_interactive;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("c1.json");
    fs::write(&file, serde_json::to_vec(output).unwrap()).unwrap();

    let two = report(&file, &["--partition", "11-12"]);
    assert_eq!(two["partitions"], 2);
    assert_eq!(two["digest"], digest_of_circuits(output, 11..=12));
    let one = report(&file, &["--partition", "12"]);
    assert_eq!(one["digest"], digest_of_circuits(output, 12..=12));

    let error = error_of(&file, &["--partition", "12-13"]);
    assert!(error.contains("it has 0 to 12"), "{error}");
}

/// One file serves all sectors whose challenges are of one circuit.
#[test]
fn compiled_constraints_compute_the_same() {
    let sealed = sealed();
    let folder = TempDir::new().unwrap();
    let compiled = folder.path().join("constraints");
    let compiled = ["--compiled", compiled.to_str().unwrap()];
    let file = folder.path().join("c1.json");
    let with = |output: &SealCommitPhase1Output, options: &[&str]| {
        fs::write(&file, serde_json::to_vec(output).unwrap()).unwrap();
        report(&file, &[&compiled, options].concat())
    };

    let made = with(&sealed.interactive, &[]);
    assert!(made["compile_seconds"].is_f64());
    assert_eq!(
        made["digest"],
        digest_of_circuits(&sealed.interactive, 0..=0)
    );
    assert_eq!(made["compiled_rows"], made["constraints"]);

    let output = &sealed.non_interactive;
    let read = with(output, &["--partition", "11-12"]);
    assert!(read["load_seconds"].is_f64());
    assert_eq!(read["digest"], digest_of_circuits(output, 11..=12));
    assert_eq!(read["compiled_rows"], read["constraints"]);
}

#[test]
fn damaged_and_foreign_files_are_named() {
    let json = serde_json::to_string(&sealed().interactive).unwrap();
    let expected = "expected the JSON of a SealCommitPhase1Output";

    for text in [
        "",
        "{}",
        "[1, 2]",
        "null",
        "{\"Phase1Out\": \"no base64\"}",
        "{\"Phase1Out\": \"e30=\", \"SectorSize\": 2048}",
        "\u{0}\u{1}",
        &json[..json.len() / 2],
        &"[".repeat(1 << 20),
    ] {
        let error = error(text);
        assert!(error.contains("c1.json"), "{error}");
        assert!(error.contains(expected), "{error}");
    }
    let wrapping = json!({ "Phase1Out": BASE64_STANDARD.encode(&json), "SectorSize": 4096 });
    let error = error(wrapping.to_string());
    assert!(error.contains("`SectorSize` is 4096"), "{error}");
}

#[test]
fn what_does_not_hold_together_is_refused() {
    let original = serde_json::to_value(&sealed().interactive).unwrap();
    let change = |change: fn(&mut Value)| {
        let mut changed = original.clone();
        change(&mut changed);
        assert_ne!(changed, original);
        error(changed.to_string())
    };

    let error = change(|c1| c1["seed"][0] = json!(99));
    assert!(error.contains("do not verify"), "{error}");
    let error = change(|c1| c1["comm_d"][0] = json!(99));
    assert!(error.contains("do not verify"), "{error}");
    let error = change(|c1| c1["comm_r"] = json!(vec![255; 32]));
    assert!(error.contains("`comm_r`"), "{error}");
    // No field element: storage-proofs panics.
    let error = change(|c1| c1["replica_id"] = json!(vec![255; 32]));
    assert!(
        error.contains("panicked") || error.contains("verify"),
        "{error}"
    );
    let error = change(|c1| c1["vanilla_proofs"]["StackedDrg2KiBV1"] = json!([]));
    assert!(error.contains("0 partitions"), "{error}");
    let error = change(|c1| c1["vanilla_proofs"]["StackedDrg2KiBV1"][0] = json!([]));
    assert!(error.contains("partitions"), "{error}");
    let error = change(|c1| c1["registered_proof"] = json!("StackedDrg8MiBV1_1"));
    assert!(
        error.contains("of 8388608 bytes, the vanilla proofs of 2048"),
        "{error}"
    );
    let error = change(|c1| {
        let proof = &mut c1["vanilla_proofs"]["StackedDrg2KiBV1"][0][0];
        proof["labeling_proofs"] = json!([]);
    });
    assert!(
        error.contains("verify") || error.contains("panicked"),
        "{error}"
    );
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("c1.json");
    // Takes no space: there is nothing but a hole in it.
    File::create(&file)
        .unwrap()
        .set_len(c1::LIMIT_BYTES + 1)
        .unwrap();
    let error = error_of(&file, &[]);
    assert!(error.contains(&c1::LIMIT_BYTES.to_string()), "{error}");

    let error = error_of(&folder.path().join("missing.json"), &[]);
    assert!(error.contains("missing.json: No such file"), "{error}");
}
