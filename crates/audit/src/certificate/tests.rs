use super::*;

const HEAD: &str = "provoke-cert 1\nmodel sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff node n numbers exact\n";

fn read(body: &str) -> Parsed<Certificate> {
    parse(format!("{HEAD}{body}").as_bytes())
}

fn complaint(body: &str) -> String {
    read(body).err().map_or_else(|| "nothing".to_string(), |wrong| wrong.to_string())
}

#[test]
fn groups_claims_and_shared_expressions_are_read() {
    let certificate = read(
        "assume x > 0\nlet v1 = (pre (`a.b#2` + 1))\ngroup G0\nfact (v1 <= 3)\n\
         group G1 uses G0 on m17\nfact ((pre `mutant:x`) = (- 3))\n\
         claim infeasible mcdc n.3:T\nengine kind\nk 2\nuses G0 G1\nend\n\
         claim holds x <= 3\nk 0\nuses G1\ninvariant (if (not (pre `c`)) then false else (v1 = v1))\nend\n",
    )
    .unwrap();
    assert_eq!(certificate.assumptions, ["x > 0"]);
    assert_eq!(
        (certificate.groups[1].uses.clone(), certificate.groups[1].facts.len()),
        (vec![0], 1)
    );
    assert_eq!(certificate.groups[1].mutant.as_deref(), Some("m17"));
    let [first, second] = &certificate.claims[..] else { panic!("two claims") };
    assert_eq!((first.k, &first.uses[..], first.line), (2, &[0, 1][..], 9));
    assert_eq!(second.subject, Subject::Holds("x <= 3".to_string()));
    let Node::If(_, _, both) = &certificate.terms[second.invariant.unwrap()] else { panic!() };
    let Node::Binary(BinaryOp::Eq, left, right) = &certificate.terms[*both] else { panic!() };
    assert_eq!(left, right, "a shared expression is kept once");
}

#[test]
fn complaints_name_the_line() {
    let cases = [
        ("fact true\n", "line 3: a fact outside a group"),
        ("group G\nclaim holds p\nend\nfact true\n", "line 6: a fact outside a group"),
        ("group G uses G\n", "line 3: `G` is no group above this line"),
        ("group A uses B\ngroup B\n", "line 3: `B` is no group above this line"),
        ("group A\ngroup A\n", "line 4: group `A` is there twice"),
        ("claim holds p\nk 1\n", "line 4: the file ends inside a claim"),
        ("claim holds p\nk 1\nend", "line 5: the last line is cut"),
        ("claim holds p\nk -1\nend\n", "line 4: expected a number from 0 to 1000"),
        ("claim holds p\nk 1\nk 2\nend\n", "line 5: `k` is there twice"),
        ("claim maybe p\nend\n", "line 3: expected `claim infeasible CRITERION ID`"),
        ("let v1 = (1 +\n", "line 3: the expression is cut"),
        ("let v1 = (1 & 2)\n", "line 3: unexpected `&`"),
        ("let v1 = (1 shl 2)\n", "line 3: `shl` is no operator"),
        ("let v1 = (1 ->)\n", "line 3: unexpected `)`"),
        ("let v1 = `a\n", "line 3: a name without its closing backquote"),
        ("let v1 = 1 2\n", "line 3: `2` follows the expression"),
        ("let v1 = 1\nlet v1 = 2\n", "line 4: `v1` is named twice"),
        ("surprise\n", "line 3: unexpected `surprise`"),
    ];
    for (body, expected) in cases {
        let found = complaint(body);
        assert!(found.starts_with(expected), "{body:?}: {found}");
    }
    let elsewhere = parse(b"provoke-cert 2\n").unwrap_err();
    assert_eq!(elsewhere.to_string(), "line 1: expected `provoke-cert 1`");
}

#[test]
fn sharing_costs_no_room_and_depth_has_a_limit() {
    let mut doubled = "let v0 = (pre `x`)\n".to_string();
    for i in 0..200 {
        doubled += &format!("let v{} = (v{i} + v{i})\n", i + 1);
    }
    assert_eq!(read(&doubled).unwrap().terms.len(), 202);
    let deep = |n: usize| format!("let v = {}true{}\n", "(not ".repeat(n), ")".repeat(n));
    assert!(read(&deep(5_000)).is_ok());
    assert!(complaint(&deep(30_000)).contains("nested deeper"));
    let mut chained = "let v0 = true\n".to_string();
    for i in 0..30_000 {
        chained += &format!("let v{} = (not v{i})\n", i + 1);
    }
    assert!(complaint(&chained).contains("nested deeper"));
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let text = format!("{HEAD}group G\nfact ((pre `x`) <= (3.0 / 4.0))\nclaim holds p\nk 1\nend\n");
    let mut random = provoke_base::Random::new(7);
    for _ in 0..20_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"() `\n.1v"[random.below(8)]),
            }
        }
        let _ = parse(&bytes);
    }
}
