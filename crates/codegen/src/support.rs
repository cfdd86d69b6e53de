//! The few functions that the step needs for integers. They have a result for all operands, as
//! `provoke_model::fixed` defines it.

use provoke_model::IntWidth;

use crate::CodeOptions;
use crate::machine;
use crate::notation::{int_type, real_type};

/// A function of the generated file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Support {
    Add,
    Sub,
    Mul,
    Neg,
    Div,
    Mod,
    Floor,
    /// The low bits as a number of a machine's type.
    Wrap,
    Quotient,
    Remainder,
    BitAnd,
    BitOr,
    BitNot,
    ShiftLeft,
    ShiftRight,
}

impl Support {
    /// The function of this name, in the code of a model.
    pub(crate) fn named(name: &str, model: &str) -> Option<Support> {
        use Support::{Add, Div, Floor, Mod, Mul, Neg, Sub};
        use Support::{BitAnd, BitNot, BitOr, Quotient, Remainder, ShiftLeft, ShiftRight, Wrap};
        const OF_WIDTHS: [Support; 7] = [Add, Sub, Mul, Neg, Div, Mod, Floor];
        const OF_MACHINES: [Support; 12] = [
            Add, Sub, Mul, Neg, Quotient, Remainder, Wrap, BitAnd, BitOr, BitNot, ShiftLeft,
            ShiftRight,
        ];
        let own = name.strip_prefix(model)?.strip_prefix('_')?;
        let (word, all): (_, &[Support]) = match own.split_once('_') {
            Some((word, ty)) if ty.trim_start_matches('u').starts_with("int") => {
                (word, &OF_MACHINES)
            }
            Some(_) => return None,
            None => (own.trim_end_matches("32").trim_end_matches("64"), &OF_WIDTHS),
        };
        all.iter().copied().find(|support| support.word() == word)
    }

    /// What its conditions are there for.
    pub(crate) fn purpose(self) -> &'static str {
        match self {
            Support::Add | Support::Sub | Support::Mul | Support::Neg => "wraps on overflow",
            Support::Div => "guards a division: by 0, by -1, and negative remainders",
            Support::Mod => "guards a remainder: by 0, by -1, and negative ones",
            Support::Floor => "stops at the largest and the smallest integer",
            Support::Quotient | Support::Remainder => "guards a division: by 0 and by -1",
            Support::ShiftLeft | Support::ShiftRight => "guards a shift by the width or more",
            Support::Wrap | Support::BitAnd | Support::BitOr | Support::BitNot => {
                "takes the low bits"
            }
        }
    }

    /// Its name without the model's.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Support::Add => "add",
            Support::Sub => "sub",
            Support::Mul => "mul",
            Support::Neg => "neg",
            Support::Div => "div",
            Support::Mod => "mod",
            Support::Floor => "floor",
            Support::Wrap => "to",
            Support::Quotient => "div",
            Support::Remainder => "mod",
            Support::BitAnd => "and",
            Support::BitOr => "or",
            Support::BitNot => "not",
            Support::ShiftLeft => "lsh",
            Support::ShiftRight => "rsh",
        }
    }

    /// Its name; with the width where there are several.
    pub(crate) fn name(self, model: &str, width: IntWidth, options: &CodeOptions) -> String {
        let bits = match width {
            IntWidth::Machine(ty) => {
                format!("_{}{}", if ty.signed { "int" } else { "uint" }, ty.bits)
            }
            _ if options.narrow => width.machine().bits.to_string(),
            _ => String::new(),
        };
        format!("{model}_{}{bits}", self.word())
    }

    /// Its definition.
    pub(crate) fn definition(self, model: &str, width: IntWidth, options: &CodeOptions) -> String {
        let int = int_type(width);
        if let IntWidth::Machine(ty) = width {
            return machine::definition(self, ty, &self.name(model, width, options));
        }
        let limit = match width {
            IntWidth::Bits32 => "2147483648.0",
            _ => "9223372036854775808.0",
        };
        let body = match self {
            Support::Add => WRAPPING.replace("$op", "+"),
            Support::Sub => WRAPPING.replace("$op", "-"),
            Support::Mul => WRAPPING.replace("$op", "*"),
            Support::Neg => NEG.to_string(),
            Support::Div => DIV.to_string(),
            Support::Mod => MOD.to_string(),
            Support::Floor => FLOOR.to_string(),
            _ => unreachable!("only a machine's integers have bits"),
        };
        let parameters = match self {
            Support::Neg => "$int a",
            Support::Floor => "$real a",
            _ => "$int a, $int b",
        };
        let comment = match self {
            Support::Div => "/* Euclidean: the remainder is never negative. By zero: zero. */\n",
            Support::Mod => "/* The remainder, never negative. By zero: zero. */\n",
            Support::Floor => "/* Stops at the smallest and the largest integer. */\n",
            _ => "",
        };
        let name = self.name(model, width, options);
        format!("{comment}static $int {name}({parameters})\n{{\n{body}}}\n\n")
            .replace("$int", int)
            .replace("$bits", &width.machine().bits.to_string())
            .replace("$real", real_type(options.arithmetic.real))
            .replace("$limit", limit)
    }
}

const WRAPPING: &str = "    \
    const u$int wrapped = (u$int)a $op (u$int)b;
    return ($int)wrapped;
";

const NEG: &str = "    \
    const u$int wrapped = 0U - (u$int)a;
    return ($int)wrapped;
";

const DIV: &str = "    \
    $int quotient = 0;
    if (b == -1) {
        /* The smallest number has no opposite: it wraps. */
        const u$int wrapped = 0U - (u$int)a;
        quotient = ($int)wrapped;
    } else if (b != 0) {
        quotient = a / b;
        if ((a % b) < 0) {
            quotient = (b > 0) ? (quotient - 1) : (quotient + 1);
        }
    } else {
        /* zero */
    }
    return quotient;
";

const MOD: &str = "    \
    $int remainder = 0;
    if ((b != 0) && (b != -1)) {
        remainder = a % b;
        if (remainder < 0) {
            remainder = (b > 0) ? (remainder + b) : (remainder - b);
        }
    }
    return remainder;
";

const FLOOR: &str = "    \
    $int whole = 0;
    if (a >= ($real)$limit) {
        whole = INT$bits_MAX;
    } else if (a < -($real)$limit) {
        whole = INT$bits_MIN;
    } else if (a == a) {
        whole = ($int)a;
        if (($real)whole > a) {
            whole = whole - 1;
        }
    } else {
        /* not a number: zero */
    }
    return whole;
";
