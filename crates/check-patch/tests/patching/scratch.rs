//! Scratch provers, under the target folder, and what the tests ask of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The `--config` arguments of the two override files, used where they lie.
pub fn filecoin() -> [String; 2] {
    config("filecoin.toml")
}

pub fn bellpepper_0_4() -> [String; 2] {
    config("bellpepper-0.4.toml")
}

fn config(file: &str) -> [String; 2] {
    let path = fork().join("patches").join(file);
    ["--config".to_string(), path.display().to_string()]
}

/// The checkout that holds the fork.
pub fn fork() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("this package is two folders below the root")
}

/// The `file://` URL of a clone of the fork, as last committed.
pub fn fork_url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| {
        let clone = folder("fork-clone");
        succeed(
            Command::new("git")
                .args(["clone", "-q"])
                .arg(fork())
                .arg(&clone),
        );
        format!("file://{}", clone.display())
    })
}

/// The `file://` URL of a repository with a `bellpepper-core` 0.2.1 that is not the fork, in
/// `name`.
pub fn stranger_url(name: &str) -> String {
    let repository = folder(name);
    write(
        &repository.join("Cargo.toml"),
        "[package]\nname = \"bellpepper-core\"\nversion = \"0.2.1\"\nedition = \"2021\"\n",
    );
    write(&repository.join("src/lib.rs"), "");
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        succeed(
            Command::new("git")
                .arg("-C")
                .arg(&repository)
                .args(identity)
                .args(args),
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "Not the fork"]);
    format!("file://{}", repository.display())
}

/// A prover in a folder of its own, called as the test that makes it.
pub struct Prover(PathBuf);

impl Prover {
    /// A package with these sections after `[package]`, and this program.
    pub fn new(name: &str, sections: &str, main: &str) -> Self {
        let prover = Prover(folder(name));
        let package = "[package]\nname = \"prover\"\nversion = \"0.0.0\"\nedition = \"2021\"\n";
        prover.write("Cargo.toml", &format!("{package}[workspace]\n{sections}"));
        prover.write("src/main.rs", main);
        prover
    }

    /// A package that only has dependencies.
    pub fn with_dependencies(name: &str, sections: &str) -> Self {
        Self::new(name, sections, "fn main() {}\n")
    }

    pub fn without_manifest(name: &str) -> Self {
        Prover(folder(name))
    }

    pub fn write(&self, file: &str, text: &str) {
        write(&self.0.join(file), text);
    }

    /// What cargo prints on standard output. Panics if it fails.
    pub fn cargo(&self, args: &[&str], config: &[String]) -> String {
        let output = succeed(
            Command::new(env!("CARGO"))
                .current_dir(&self.0)
                .env(
                    "CARGO_TARGET_DIR",
                    Path::new(env!("CARGO_TARGET_TMPDIR")).join("target"),
                )
                .args(args)
                .args(config),
        );
        String::from_utf8(output.stdout).expect("text")
    }

    /// What cargo prints on standard output without network and without a home that it has filled
    /// before: there is only what was vendored. Panics if it fails.
    pub fn cargo_alone(&self, args: &[&str]) -> String {
        let home = self.0.join("empty-home");
        let output = succeed(
            Command::new(env!("CARGO"))
                .current_dir(&self.0)
                .env("CARGO_HOME", home)
                .args(args)
                .args(["--offline", "--locked"]),
        );
        String::from_utf8(output.stdout).expect("text")
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).expect("a scratch file can be read")
    }

    /// A `PATH` whose `cargo` runs `script` (of sh) first.
    #[cfg(unix)]
    pub fn path_to_cargo(&self, script: &str) -> String {
        use std::os::unix::fs::PermissionsExt;

        let real = env!("CARGO");
        self.write(
            "bin/cargo",
            &format!("#!/bin/sh\n{script}\nexec '{real}' \"$@\"\n"),
        );
        let cargo = self.0.join("bin/cargo");
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("own file");
        let path = std::env::var("PATH").expect("tests find cargo");
        format!("{}:{path}", self.0.join("bin").display())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The exit code of the checker, and all that it and cargo print.
    pub fn check(&self, config: &[String]) -> (Option<i32>, String) {
        self.check_under(&[], config)
    }

    /// The same, with more in the environment.
    pub fn check_under(
        &self,
        environment: &[(&str, &str)],
        config: &[String],
    ) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_check-patch"))
            .arg(&self.0)
            .args(config)
            .envs(environment.iter().copied())
            .output()
            .expect("the checker starts");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("text"))
    }

    /// The exit code of the checker when what it prints goes into closed pipes.
    pub fn check_unread(&self) -> Option<i32> {
        let mut checker = Command::new(env!("CARGO_BIN_EXE_check-patch"))
            .arg(&self.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the checker starts");
        drop((checker.stdout.take(), checker.stderr.take()));
        checker.wait().expect("the checker ends").code()
    }
}

/// An empty folder under the target folder: a stable path, since cargo keeps a copy of every git
/// URL that it meets.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old scratch folder can be removed");
    }
    fs::create_dir_all(&folder).expect("a scratch folder can be made");
    folder
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a file has a folder")).expect("a folder can be made");
    fs::write(file, text).expect("a scratch file can be written");
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{errors}");
    output
}
