//! Suites to test with: one by hand, and random ones.
#![allow(dead_code, reason = "each test file uses its part of this module")]

use proptest::prelude::*;
use proptest::sample::select;
use provoke_base::index::Id;
use provoke_base::{IndexVec, Int, Rational, Span};
use provoke_model::{
    EnumId, EnumType, Instance, InstanceId, Origin, Role, Signal, Step, Suite, System, TestCase,
    Type, Value, Var,
};
use provoke_suite::{Format, Output, ReadError, ReadSuite, Typing, read, write};

pub(crate) fn int(text: &str) -> Value {
    Value::Int(Int::parse(text).unwrap())
}

pub(crate) fn real(text: &str) -> Value {
    Value::Real(Rational::parse(text).unwrap())
}

pub(crate) fn signal(name: &str, ty: Type) -> Signal {
    Signal { name: name.to_string(), ty }
}

pub(crate) fn mode() -> Type {
    Type::Enum(EnumId::new(0))
}

/// A suite with every type, unknowns, huge and negative numbers, and odd names.
pub(crate) fn example() -> Suite {
    let constants = ["OFF", "ON", "FAILED"].map(str::to_string).to_vec();
    let mode_type = EnumType { name: "Mode".into(), constants };
    let unused = EnumType { name: "Unused".into(), constants: vec!["ONLY".into()] };
    let step = |inputs: [Value; 4], outputs: [Value; 2]| Step {
        inputs: inputs.into(),
        outputs: outputs.into(),
    };
    let late = TestCase {
        name: "brake, \"late\"".into(),
        covers: vec!["mcdc:3:T".into(), "mcdc:4:F".into()],
        requirements: vec!["REQ-12".into(), "SYS/7".into()],
        steps: vec![
            step(
                [true.into(), 7.into(), real("-1/3"), Value::Enum(1)],
                [Value::Unknown, Value::Enum(2)],
            ),
            step(
                [
                    Value::Unknown,
                    int("-123456789012345678901234567890"),
                    real("1/4"),
                    Value::Unknown,
                ],
                [real("2"), Value::Unknown],
            ),
            step(
                [false.into(), Value::Unknown, Value::Unknown, Value::Enum(0)],
                [real("1e-30"), Value::Enum(0)],
            ),
        ],
    };
    let open = step([const { Value::Unknown }; 4], [const { Value::Unknown }; 2]);
    let second = TestCase { name: "t2".into(), steps: vec![open], ..TestCase::default() };
    Suite {
        model: "Root".into(),
        numbers: None,
        enums: IndexVec::from(vec![mode_type, unused]),
        inputs: vec![
            signal("go", Type::Bool),
            signal("pump.level~1", Type::Int),
            signal("flow!x#2[3]", Type::Real),
            signal("mode", mode()),
        ],
        outputs: vec![signal("pump.rate", Type::Real), signal("state", mode())],
        tests: vec![late, second],
    }
}

/// A system with the signals of a suite, enough for its types.
pub(crate) fn system_of(suite: &Suite) -> System {
    let mut system = System {
        name: suite.model.clone(),
        enums: suite.enums.clone(),
        instances: IndexVec::from(vec![Instance {
            path: String::new(),
            node: suite.model.clone(),
            span: Span::default(),
        }]),
        ..System::default()
    };
    for (signals, role) in [(&suite.inputs, Role::Input), (&suite.outputs, Role::Output)] {
        for signal in signals {
            let var = system.vars.push(Var {
                name: signal.name.clone(),
                ty: signal.ty,
                range: None,
                machine: None,
                role,
                origin: Origin::Declared,
                instance: InstanceId::new(0),
                span: Span::default(),
            });
            if role == Role::Input { &mut system.inputs } else { &mut system.outputs }.push(var);
        }
    }
    system
}

pub(crate) fn write_one(suite: &Suite, format: Format) -> Vec<u8> {
    let outputs = write(suite, format).unwrap();
    assert_eq!(outputs.len(), 1);
    outputs.into_iter().next().unwrap().bytes
}

pub(crate) fn write_all(suite: &Suite, format: Format) -> Vec<Output> {
    write(suite, format).unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Reads without a model.
pub(crate) fn infer(bytes: &[u8], format: Format) -> Result<ReadSuite, ReadError> {
    read("file", bytes, Some(format), Typing::Infer)
}

/// What a suite is without the obligations that its tests cover.
pub(crate) fn without_covers(suite: &Suite) -> Suite {
    let mut suite = suite.clone();
    suite.tests.iter_mut().for_each(|test| test.covers.clear());
    suite
}

fn any_int() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-20..20_i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "-?[1-9][0-9]{17,60}".prop_map(|text| int(&text)),
    ]
}

fn any_real() -> impl Strategy<Value = Value> {
    prop_oneof![
        (any::<i32>(), 1..1000_i32).prop_map(|(n, d)| real(&format!("{n}/{d}"))),
        "-?[1-9][0-9]{0,30}/[1-9][0-9]{0,30}".prop_map(|text| real(&text)),
        "-?[0-9]{1,10}[.][0-9]{0,12}e-?[0-9]{1,2}".prop_map(|text| real(&text)),
    ]
}

fn value_of(ty: Type, enums: &[EnumType]) -> BoxedStrategy<Value> {
    let known = match ty {
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::Int => any_int().boxed(),
        Type::Real => any_real().boxed(),
        Type::Enum(id) => {
            (0..enums[id.index()].constants.len() as u32).prop_map(Value::Enum).boxed()
        }
    };
    prop_oneof![1 => Just(Value::Unknown), 4 => known].boxed()
}

fn any_type(enum_count: usize) -> BoxedStrategy<Type> {
    let plain = select(vec![Type::Bool, Type::Int, Type::Real]);
    match enum_count {
        0 => plain.boxed(),
        _ => prop_oneof![
            3 => plain,
            1 => (0..enum_count).prop_map(|index| Type::Enum(EnumId::new(index))),
        ]
        .boxed(),
    }
}

fn any_enums() -> impl Strategy<Value = Vec<EnumType>> {
    let constants = proptest::collection::btree_set("[A-Za-z_][A-Za-z0-9_]{0,5}", 1..5);
    proptest::collection::vec(constants, 0..3).prop_map(|all| {
        let ty = |(index, constants): (usize, std::collections::BTreeSet<String>)| EnumType {
            name: format!("Enum {index}"),
            constants: constants.into_iter().collect(),
        };
        all.into_iter().enumerate().map(ty).collect()
    })
}

/// Names as models have them, with all that Lustre and our flattening put into them.
fn any_names() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        8 => "[A-Za-z_][A-Za-z0-9_]{0,3}([.][a-z]{1,2}|[~][0-9]|!|#|\\[[0-3]\\]){0,3}",
        1 => select(["test", "time", "suite", "requirements"].map(str::to_string).to_vec()),
    ];
    proptest::collection::hash_set(name, 1..7).prop_map(|names| names.into_iter().collect())
}

fn any_test_names(count: usize) -> impl Strategy<Value = Vec<String>> {
    let name = "[ -\\[\\]-~äß…]{0,40}".prop_map(|name| name.trim_end().to_string());
    proptest::collection::hash_set(name, count)
        .prop_map(|names| names.into_iter().collect::<Vec<_>>())
}

fn any_step(inputs: &[Signal], outputs: &[Signal], enums: &[EnumType]) -> BoxedStrategy<Step> {
    let values = |signals: &[Signal]| {
        signals.iter().map(|signal| value_of(signal.ty, enums)).collect::<Vec<_>>()
    };
    (values(inputs), values(outputs)).prop_map(|(inputs, outputs)| Step { inputs, outputs }).boxed()
}

/// A suite of any shape; every test has at least `min_steps` steps.
pub(crate) fn any_suite(min_steps: usize) -> impl Strategy<Value = Suite> {
    (any_enums(), any_names())
        .prop_flat_map(|(enums, names)| {
            let types = proptest::collection::vec(any_type(enums.len()), names.len());
            (Just(enums), Just(names), types, any::<prop::sample::Index>())
        })
        .prop_flat_map(move |(enums, names, types, split)| {
            let signals = names.into_iter().zip(types).map(|(name, ty)| Signal { name, ty });
            let mut inputs: Vec<Signal> = signals.collect();
            let outputs = inputs.split_off(split.index(inputs.len()) + 1);
            let step = any_step(&inputs, &outputs, &enums);
            let tests = proptest::collection::vec(
                proptest::collection::vec(step, min_steps..min_steps + 4),
                0..4,
            );
            (Just((enums, inputs, outputs)), tests, "[A-Za-z]{0,6}(::[a-z]{1,3})?")
        })
        .prop_flat_map(|(signals, tests, model)| {
            let covers = proptest::collection::vec("[a-z:0-9.]{1,8}", 0..3);
            let ids = proptest::collection::hash_set("[A-Z]{1,3}[-:/][0-9]{1,2}", 0..3);
            let ids = ids.prop_map(|ids| ids.into_iter().collect::<Vec<_>>());
            let links = proptest::collection::vec((covers, ids), tests.len());
            (Just(signals), any_test_names(tests.len()), Just(tests), links, Just(model))
        })
        .prop_map(|((enums, inputs, outputs), names, tests, links, model)| {
            let parts = names.into_iter().zip(tests).zip(links);
            let test = |((name, steps), (covers, requirements))| TestCase {
                name,
                covers,
                requirements,
                steps,
            };
            let tests = parts.map(test).collect();
            let enums = IndexVec::from(enums);
            Suite { model, numbers: None, enums, inputs, outputs, tests }
        })
}
