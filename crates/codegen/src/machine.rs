//! Functions for the integers of a machine's type: what leaves the type wraps around, and nothing
//! rests on what C leaves open. Operands are widened without a sign first, since C would compute
//! small ones as `int`.

use provoke_model::{IntWidth, MachineInt};

use crate::notation::int_type;
use crate::support::Support;

/// The definition of a function for a type.
pub(crate) fn definition(support: Support, ty: MachineInt, name: &str) -> String {
    let int = int_type(IntWidth::Machine(ty));
    let amount = int_type(IntWidth::Machine(MachineInt::unsigned(ty.bits)));
    let body = match support {
        Support::Add => returned(ty, "($wide)a + ($wide)b"),
        Support::Sub => returned(ty, "($wide)a - ($wide)b"),
        Support::Mul => returned(ty, "($wide)a * ($wide)b"),
        Support::Neg => returned(ty, "0U - ($wide)a"),
        Support::Wrap => returned(ty, "($wide)a"),
        Support::BitAnd => returned(ty, "($wide)a & ($wide)b"),
        Support::BitOr => returned(ty, "($wide)a | ($wide)b"),
        Support::BitNot => returned(ty, "~($wide)a"),
        Support::ShiftLeft => {
            format!("    if (b >= $bitsU) {{\n        return 0;\n    }}\n{}", {
                returned(ty, "($wide)a << b")
            })
        }
        Support::ShiftRight if ty.signed => SIGNED_SHIFT.to_string(),
        Support::ShiftRight => "    return ($int)((b < $bitsU) ? (a >> b) : 0);\n".to_string(),
        Support::Quotient if ty.signed => {
            format!("    if (b == -1) {{\n    {}    }}\n{QUOTIENT}", returned(ty, "0U - ($wide)a"))
        }
        Support::Quotient => QUOTIENT.to_string(),
        Support::Remainder if ty.signed => {
            "    return ($int)(((b == 0) || (b == -1)) ? 0 : (a % b));\n".to_string()
        }
        Support::Remainder => "    return ($int)((b == 0) ? 0 : (a % b));\n".to_string(),
        Support::Div | Support::Mod | Support::Floor => {
            unreachable!("`{name}` is for unbounded integers")
        }
    };
    let parameters = match support {
        Support::Neg | Support::BitNot => "$int a".to_string(),
        Support::Wrap => "uint64_t a".to_string(),
        Support::ShiftLeft | Support::ShiftRight => format!("$int a, {amount} b"),
        _ => "$int a, $int b".to_string(),
    };
    let comment = match support {
        Support::Quotient => "/* Towards zero. By zero: zero. */\n",
        Support::Remainder => "/* With the sign of the dividend. By zero: zero. */\n",
        _ => "",
    };
    format!("{comment}static $int {name}({parameters})\n{{\n{body}}}\n\n")
        .replace("$wide", if ty.bits <= 32 { "uint32_t" } else { "uint64_t" })
        .replace("$int", int)
        .replace("$bits", &ty.bits.to_string())
}

/// The statement that returns the low bits of a word without a sign.
fn returned(ty: MachineInt, word: &str) -> String {
    let has_own_type = matches!(ty.bits, 8 | 16 | 32 | 64);
    let mask = (1_u128 << ty.bits) - 1;
    let sign = 1_u128 << (ty.bits - 1);
    match (has_own_type, ty.signed) {
        (true, _) => format!("    return ($int)({word});\n"),
        (false, false) => format!("    return ($int)(({word}) & {mask}U);\n"),
        (false, true) => format!(
            "    return ($int)((int64_t)((({word}) & {mask}U) ^ {sign}U) - (int64_t){sign});\n"
        ),
    }
}

const QUOTIENT: &str = "    return ($int)((b == 0) ? 0 : (a / b));\n";

/// C leaves open what a shift of a negative number is.
const SIGNED_SHIFT: &str = "    \
    const uint32_t places = (b < $bitsU) ? (uint32_t)b : ($bitsU - 1U);
    return ($int)((a < 0) ? (-1 - ((-1 - a) >> places)) : (a >> places));
";
