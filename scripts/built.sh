# For other scripts, by `source`.

# Builds by `cargo ARGUMENT...` and prints the path of the program that came of it. Only cargo knows
# it: a `build.target` or a target folder of the user's settings moves it.
built() { # ARGUMENT...
    cargo "$@" --quiet --message-format json-render-diagnostics |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
}
