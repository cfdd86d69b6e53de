//! What a compiler must not do with reals: round them in another way than `provoke_model::fixed` says.
//! What a macro tells is refused when the code is compiled; what none tells is looked for when a suite is
//! replayed.

use provoke_model::{RealWidth, System, Type};

use crate::CodeOptions;
use crate::notation::real_type;

/// What every build file asks for: `a * b + c` in two roundings, not in one. Without it gcc joins the
/// two wherever the machine can, across statements.
pub(crate) const ONE_ROUNDING_EACH: &str = "-ffp-contract=off";

/// Whether the code of a system computes with reals.
pub(crate) fn has_reals(system: &System) -> bool {
    system.exprs.iter().any(|expr| expr.ty == Type::Real)
}

/// The lines that stop a compiler which would round differently.
pub(crate) fn refusals(options: &CodeOptions) -> String {
    let wide = match options.arithmetic.real {
        RealWidth::Single => "",
        RealWidth::Double => SHORT_DOUBLE,
    };
    format!("{ROUNDING}{wide}\n")
}

/// A function that tells whether `a * b + c` is rounded once, and the lines of `main` that ask it.
pub(crate) fn probe(options: &CodeOptions) -> [String; 2] {
    let (suffix, tiny) = match options.arithmetic.real {
        RealWidth::Single => ("F", "0.0001220703125"),
        RealWidth::Double => ("", "0.000000000931322574615478515625"),
    };
    let function =
        PROBE.replace("$real", real_type(options.arithmetic.real)).replace("$tiny", tiny);
    [function.replace("$F", suffix), ASK.to_string()]
}

const ROUNDING: &str = "\
#if defined(__FAST_MATH__)
#error \"reals would be computed inexactly: compile without -ffast-math and -Ofast\"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ != 0) && (__FLT_EVAL_METHOD__ != 16)
#error \"reals would have more bits than they should: on x86 compile with -msse2 -mfpmath=sse\"
#endif
";

const SHORT_DOUBLE: &str = "\
#if defined(__SIZEOF_DOUBLE__) && (__SIZEOF_DOUBLE__ != 8)
#error \"double has no 64 bits here: generate the code with --real float\"
#endif
";

// (1 + t) * (1 - t) is 1 - t*t, of which t*t is lost in rounding, unless -1 is added before that.
const PROBE: &str = "
/* Whether this compiler rounds a * b + c only once, which the code must not be subjected to. */
static int rounds_once(void)
{
    static volatile $real above = 1.0$F + $tiny$F;
    static volatile $real below = 1.0$F - $tiny$F;
    static volatile $real minus_one = -1.0$F;
    const $real product = above * below;
    const $real sum = product + minus_one;
    return (sum < 0.0$F) || (sum > 0.0$F);
}
";

const ASK: &str = "    if (rounds_once()) {
        (void)printf(\"FAIL the compiler rounds a * b + c only once: compile all files with -ffp-contract=off\\n\");
        return 2;
    }
";
