//! clang has nothing to say about the generated C either.

mod common;

use common::silent::{
    examples_give_no_warning, models_give_no_warning, random_code_gives_no_warning,
};

#[test]
#[ignore = "needs clang-19; run by make clang"]
fn clang_does_not_warn_of_any_code() {
    models_give_no_warning("clang-19");
    examples_give_no_warning("clang-19");
    random_code_gives_no_warning("clang-19");
}
