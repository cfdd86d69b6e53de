//! Families of timed automata that grow with a number, as UPPAAL files: the usual measures of model
//! checkers.

use std::fmt::Write;

/// A family of models.
pub struct Family {
    /// How it is called.
    pub name: &'static str,
    /// The model of a size; its first question needs all states, and holds.
    pub model: fn(usize) -> String,
    /// Sizes worth measuring.
    pub sizes: &'static [usize],
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "fischer", model: fischer, sizes: &[5, 6, 7, 8, 9, 10] },
    Family { name: "csma/cd", model: csma_cd, sizes: &[5, 6, 7, 8, 9] },
    Family { name: "csma/cd-broadcast", model: csma_cd_broadcast, sizes: &[4, 5, 6] },
    Family { name: "train-gate", model: train_gate, sizes: &[3, 4, 5, 6] },
    Family { name: "train-gate-ring", model: train_gate_ring, sizes: &[3, 4, 5] },
    Family { name: "critical-region", model: critical_region, sizes: &[2, 3, 4] },
    Family { name: "token-ring", model: token_ring, sizes: &[3, 4, 5, 6] },
];

/// Text of one automaton.
struct Template {
    text: String,
    edges: String,
    columns: usize,
}

impl Template {
    fn new(name: &str, parameter: &str, declaration: &str) -> Template {
        let text = format!(
            "\t<template>\n\t\t<name>{name}</name>\n\t\t<parameter>{parameter}</parameter>\n\
             \t\t<declaration>{declaration}</declaration>\n"
        );
        Template { text, edges: String::new(), columns: 0 }
    }

    fn location(&mut self, name: &str, invariant: &str) {
        let label = match invariant {
            "" => String::new(),
            text => format!("<label kind=\"invariant\">{}</label>", escape(text)),
        };
        self.labelled_location(name, &label);
    }

    fn committed(&mut self, name: &str) {
        self.labelled_location(name, "<committed/>");
    }

    fn labelled_location(&mut self, name: &str, label: &str) {
        let x = 200 * self.columns;
        self.columns += 1;
        let _ = writeln!(
            self.text,
            "\t\t<location id=\"{name}\" x=\"{x}\" y=\"0\"><name>{name}</name>{label}</location>"
        );
    }

    /// An edge with guard, synchronisation and update; empty texts leave them out.
    fn edge(&mut self, source: &str, target: &str, [guard, sync, update]: [&str; 3]) {
        let label = |kind: &str, text: &str| match text {
            "" => String::new(),
            text => format!("<label kind=\"{kind}\">{}</label>", escape(text)),
        };
        let labels =
            label("guard", guard) + &label("synchronisation", sync) + &label("assignment", update);
        let _ = writeln!(
            self.edges,
            "\t\t<transition><source ref=\"{source}\"/><target ref=\"{target}\"/>{labels}</transition>"
        );
    }

    fn finish(self, initial: &str) -> String {
        format!("{}\t\t<init ref=\"{initial}\"/>\n{}\t</template>\n", self.text, self.edges)
    }
}

fn escape(text: &str) -> String {
    provoke_base::svg::escape(text)
}

fn file(declaration: &str, templates: &[String], system: &str, queries: &[&str]) -> String {
    let queries: String = queries
        .iter()
        .map(|q| format!("\t\t<query><formula>{}</formula><comment/></query>\n", escape(q)))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<nta>\n\t<declaration>{}</declaration>\n{}\
         \t<system>{system}</system>\n\t<queries>\n{queries}\t</queries>\n</nta>\n",
        escape(declaration),
        templates.concat()
    )
}

/// Fischer's protocol: `n` processes that exclude each other by waiting.
pub fn fischer(n: usize) -> String {
    let declaration =
        format!("const int N = {n};\nconst int K = 10;\ntypedef int[1,N] id_t;\nint[0,N] id;\n");
    let mut p = Template::new("P", "const id_t pid", "clock x;");
    p.location("A", "");
    p.location("Request", "x <= K");
    p.location("Wait", "");
    p.location("Critical", "");
    p.edge("A", "Request", ["id == 0", "", "x = 0"]);
    p.edge("Request", "Wait", ["x <= K", "", "x = 0, id = pid"]);
    p.edge("Wait", "Request", ["id == 0", "", "x = 0"]);
    p.edge("Wait", "Critical", ["x > K && id == pid", "", ""]);
    p.edge("Critical", "A", ["", "", "id = 0"]);
    let exclusion = "A[] forall (i : id_t) forall (j : id_t) \
                     P(i).Critical && P(j).Critical imply i == j";
    let queries = [exclusion, "E<> P(1).Critical", "A[] not deadlock"];
    file(&declaration, &[p.finish("A")], "system P;", &queries)
}

/// CSMA/CD: `n` stations on a bus that detects collisions and tells the stations one by one.
pub fn csma_cd(n: usize) -> String {
    let declaration = format!(
        "const int N = {n};\nconst int LAMBDA = 808;\nconst int SIGMA = 26;\ntypedef int[1,N] id_t;\n\
         chan begin, end, busy, cd[N + 1];\n"
    );
    let mut bus = Template::new("Bus", "", "clock y;\nint[1,N+1] next = 1;");
    bus.location("Idle", "");
    bus.location("Active", "");
    bus.location("Collision", "y < SIGMA");
    bus.committed("Telling");
    bus.edge("Idle", "Active", ["", "begin?", "y = 0"]);
    bus.edge("Active", "Collision", ["y < SIGMA", "begin?", "y = 0"]);
    bus.edge("Active", "Active", ["y >= SIGMA", "busy!", ""]);
    bus.edge("Active", "Idle", ["", "end?", "y = 0"]);
    bus.edge("Collision", "Telling", ["y < SIGMA", "", "next = 1"]);
    bus.edge("Telling", "Telling", ["next <= N", "cd[next]!", "next++"]);
    bus.edge("Telling", "Idle", ["next == N + 1 && y < SIGMA", "", "y = 0, next = 1"]);
    let mut station = Template::new("Station", "const id_t id", "clock x;");
    station.location("Wait", "");
    station.location("Start", "x <= LAMBDA");
    station.location("Retry", "x < 2 * SIGMA");
    station.edge("Wait", "Start", ["", "begin!", "x = 0"]);
    station.edge("Wait", "Retry", ["", "busy?", "x = 0"]);
    station.edge("Wait", "Wait", ["", "cd[id]?", "x = 0"]);
    station.edge("Wait", "Retry", ["", "cd[id]?", "x = 0"]);
    station.edge("Start", "Wait", ["x == LAMBDA", "end!", "x = 0"]);
    station.edge("Start", "Retry", ["x < SIGMA", "cd[id]?", "x = 0"]);
    station.edge("Retry", "Start", ["x < 2 * SIGMA", "begin!", "x = 0"]);
    station.edge("Retry", "Retry", ["x < 2 * SIGMA", "busy?", "x = 0"]);
    station.edge("Retry", "Retry", ["x < 2 * SIGMA", "cd[id]?", "x = 0"]);
    let queries = [
        "A[] Bus.next <= N + 1",
        "A[] Bus.Idle imply not (Station(1).Start && Station(2).Start)",
        "E<> Bus.Collision",
    ];
    let templates = [bus.finish("Idle"), station.finish("Wait")];
    file(&declaration, &templates, "system Bus, Station;", &queries)
}

/// CSMA/CD as above, but a collision is broadcast.
pub fn csma_cd_broadcast(n: usize) -> String {
    let declaration = format!(
        "const int N = {n};\nconst int LAMBDA = 808;\nconst int SIGMA = 26;\ntypedef int[1,N] id_t;\n\
         chan begin, end, busy;\nbroadcast chan cd;\n"
    );
    let mut bus = Template::new("Bus", "", "clock y;");
    bus.location("Idle", "");
    bus.location("Active", "");
    bus.location("Collision", "y < SIGMA");
    bus.edge("Idle", "Active", ["", "begin?", "y = 0"]);
    bus.edge("Active", "Collision", ["y < SIGMA", "begin?", "y = 0"]);
    bus.edge("Active", "Active", ["y >= SIGMA", "busy!", ""]);
    bus.edge("Active", "Idle", ["", "end?", "y = 0"]);
    bus.edge("Collision", "Idle", ["y < SIGMA", "cd!", "y = 0"]);
    let mut station = Template::new("Station", "const id_t id", "clock x;");
    station.location("Wait", "");
    station.location("Start", "x <= LAMBDA");
    station.location("Retry", "x < 2 * SIGMA");
    station.edge("Wait", "Start", ["", "begin!", "x = 0"]);
    station.edge("Wait", "Retry", ["", "busy?", "x = 0"]);
    station.edge("Wait", "Wait", ["", "cd?", "x = 0"]);
    station.edge("Start", "Wait", ["x == LAMBDA", "end!", "x = 0"]);
    station.edge("Start", "Retry", ["x < 2 * SIGMA", "cd?", "x = 0"]);
    station.edge("Retry", "Start", ["x < 2 * SIGMA", "begin!", "x = 0"]);
    station.edge("Retry", "Retry", ["x < 2 * SIGMA", "cd?", "x = 0"]);
    let queries = [
        "A[] not (Station(1).Start && Station(2).Start && Station(1).x >= 2 * SIGMA && Station(2).x >= 2 * SIGMA)",
        "E<> Bus.Collision",
    ];
    let templates = [bus.finish("Idle"), station.finish("Wait")];
    file(&declaration, &templates, "system Bus, Station;", &queries)
}

/// A bridge with one track: `n` trains are stopped in time and let go in the order they came.
pub fn train_gate(n: usize) -> String {
    let declaration = format!(
        "const int N = {n};\ntypedef int[0,N-1] id_t;\nchan appr[N], stop[N], leave[N];\n\
         urgent chan go[N];\nid_t queue[N + 1];\nint[0,N] length;\n\
         void add(id_t train) {{ queue[length] = train; length++; }}\n\
         void remove() {{\n  int i;\n  length--;\n\
         \x20 for (i = 0; i < length; i++) queue[i] = queue[i + 1];\n  queue[length] = 0;\n}}\n"
    );
    let mut train = Template::new("Train", "const id_t id", "clock x;");
    train.location("Far", "");
    train.location("Near", "x <= 20");
    train.location("Stopped", "");
    train.location("Starting", "x <= 15");
    train.location("Crossing", "x <= 5");
    train.edge("Far", "Near", ["", "appr[id]!", "x = 0"]);
    train.edge("Near", "Stopped", ["x <= 10", "stop[id]?", "x = 0"]);
    train.edge("Near", "Crossing", ["x >= 10", "", "x = 0"]);
    train.edge("Stopped", "Starting", ["", "go[id]?", "x = 0"]);
    train.edge("Starting", "Crossing", ["x >= 7", "", "x = 0"]);
    train.edge("Crossing", "Far", ["x >= 3", "leave[id]!", "x = 0"]);
    let mut gate = Template::new("Gate", "", "id_t last;");
    gate.location("Free", "");
    gate.location("Taken", "");
    gate.committed("Stopping");
    gate.edge("Free", "Taken", ["length > 0", "go[queue[0]]!", ""]);
    for id in 0..n {
        gate.edge("Free", "Taken", ["length == 0", &format!("appr[{id}]?"), &format!("add({id})")]);
        let guard = format!("queue[0] == {id}");
        gate.edge("Taken", "Free", [&guard, &format!("leave[{id}]?"), "remove()"]);
        let update = format!("add({id}), last = {id}");
        gate.edge("Taken", "Stopping", ["", &format!("appr[{id}]?"), &update]);
    }
    gate.edge("Stopping", "Taken", ["", "stop[last]!", ""]);
    let exclusion = "A[] forall (i : id_t) forall (j : id_t) \
                     Train(i).Crossing && Train(j).Crossing imply i == j";
    let queries =
        [exclusion, "Train(0).Near --> Train(0).Crossing", "A[] not deadlock", "E<> length == N"];
    let templates = [train.finish("Far"), gate.finish("Free")];
    file(&declaration, &templates, "system Train, Gate;", &queries)
}

/// The bridge as another checker's examples have it: the queue is a ring, and a train that was told to
/// go may take its time.
pub fn train_gate_ring(n: usize) -> String {
    let declaration = format!(
        "const int N = {n};\ntypedef int[1,N] id_t;\nchan appr[N + 1], stop[N + 1], go[N + 1], leave[N + 1];\n\
         id_t buffer[N];\nint[0,N-1] head;\nint[0,N] length;\n"
    );
    let mut train = Template::new("Train", "const id_t id", "clock x;");
    train.location("Safe", "");
    train.location("Appr", "x <= 20");
    train.location("Stop", "");
    train.location("Start", "x <= 15");
    train.location("Cross", "x <= 5");
    train.edge("Safe", "Appr", ["", "appr[id]!", "x = 0"]);
    train.edge("Appr", "Cross", ["x >= 10", "", "x = 0"]);
    train.edge("Appr", "Stop", ["x <= 10", "stop[id]?", ""]);
    train.edge("Stop", "Start", ["", "go[id]?", "x = 0"]);
    train.edge("Start", "Cross", ["x >= 7", "", "x = 0"]);
    train.edge("Cross", "Safe", ["x >= 3", "leave[id]!", ""]);
    let mut gate = Template::new("Gate", "", "");
    gate.location("Free", "");
    gate.location("Occupied", "");
    gate.committed("Stopping");
    gate.edge("Free", "Occupied", ["length > 0", "go[buffer[head]]!", ""]);
    gate.edge("Stopping", "Occupied", ["", "stop[buffer[(head + length - 1) % N]]!", ""]);
    for id in 1..=n {
        let appr = format!("appr[{id}]?");
        let add = format!("buffer[(head + length) % N] = {id}, length++");
        gate.edge("Free", "Occupied", ["length == 0", &appr, &add]);
        gate.edge("Occupied", "Stopping", ["", &appr, &add]);
        let (guard, leave) =
            (format!("length > 0 && buffer[head] == {id}"), format!("leave[{id}]?"));
        gate.edge("Occupied", "Free", [&guard, &leave, "head = (head + 1) % N, length--"]);
    }
    let exclusion = "A[] forall (i : id_t) forall (j : id_t) \
                     Train(i).Cross && Train(j).Cross imply i == j";
    let templates = [train.finish("Safe"), gate.finish("Free")];
    file(&declaration, &templates, "system Gate, Train;", &[exclusion])
}

/// Production cells that ask arbiters for a region; a turn goes round.
pub fn critical_region(n: usize) -> String {
    let declaration = format!(
        "const int N = {n};\nconst int T = 10;\ntypedef int[1,N] id_t;\nint[0,N] turn;\n\
         chan enter[N + 1], leave[N + 1];\n"
    );
    let mut counter = Template::new("Counter", "", "");
    counter.location("Initial", "");
    counter.location("Counting", "");
    counter.edge("Initial", "Counting", ["turn == 0", "", "turn = 1"]);
    counter.edge("Counting", "Counting", ["turn < N", "", "turn++"]);
    counter.edge("Counting", "Counting", ["turn == N", "", "turn = 1"]);
    let mut arbiter = Template::new("Arbiter", "const id_t id", "");
    arbiter.location("Request", "");
    arbiter.location("Granted", "");
    arbiter.edge("Request", "Granted", ["turn == id", "enter[id]?", "turn = 0"]);
    arbiter.edge("Granted", "Request", ["", "leave[id]?", "turn = id"]);
    let mut cell = Template::new("Cell", "const id_t id", "clock x;");
    cell.location("NotReady", "");
    cell.location("Testing", "x <= T");
    cell.location("Requesting", "");
    cell.location("Critical", "x <= 2 * T");
    cell.location("TestingAgain", "x <= T");
    cell.location("Safe", "");
    cell.location("Error", "");
    cell.edge("NotReady", "Testing", ["x <= 2 * T", "", "x = 0"]);
    cell.edge("Testing", "NotReady", ["x >= T", "", "x = 0"]);
    cell.edge("Testing", "Requesting", ["x <= T - 1", "", ""]);
    cell.edge("Requesting", "Critical", ["", "enter[id]!", "x = 0"]);
    cell.edge("Critical", "Error", ["x >= 2 * T", "", ""]);
    cell.edge("Critical", "TestingAgain", ["x <= T - 1", "leave[id]!", "x = 0"]);
    cell.edge("TestingAgain", "Error", ["x >= T", "", ""]);
    cell.edge("TestingAgain", "Safe", ["x <= T - 1", "", ""]);
    let templates = [counter.finish("Initial"), arbiter.finish("Request"), cell.finish("NotReady")];
    // The turn goes on while a cell is inside, so others may follow it.
    let queries = ["A[] turn <= N", "E<> Cell(1).Critical && Cell(2).Critical"];
    file(&declaration, &templates, "system Counter, Arbiter, Cell;", &queries)
}

/// A token ring of `n` stations in the manner of FDDI: what is left of the rotation time may be used
/// for data that can wait.
pub fn token_ring(n: usize) -> String {
    let declaration = format!(
        "const int N = {n};\nconst int SA = 20;\nconst int TTRT = 50 * N;\ntypedef int[0,N-1] id_t;\n\
         chan take[N], pass[N];\n"
    );
    let mut ring = Template::new("Ring", "", "clock x;\nid_t at;");
    ring.location("Moving", "x <= 0");
    ring.location("Held", "");
    ring.edge("Moving", "Held", ["x <= 0", "take[at]!", ""]);
    ring.edge("Held", "Moving", ["", "pass[at]?", "x = 0, at = (at + 1) % N"]);
    let mut station = Template::new("Station", "const id_t id", "clock x, y, z;");
    // Two turns, so that the time of the rotation before is still known in this one.
    let turns = [("Y", "Z", "z"), ("Z", "Y", "y")];
    for (turn, _, clock) in turns {
        station.location(&format!("{turn}Idle"), "");
        station.location(&format!("{turn}Sync"), "x <= SA");
        station.location(&format!("{turn}Async"), &format!("{clock} <= TTRT"));
    }
    for (turn, next, clock) in turns {
        let [idle, sync, spare] = ["Idle", "Sync", "Async"].map(|part| format!("{turn}{part}"));
        let take = format!("x = 0, {clock} = 0");
        station.edge(&idle, &format!("{next}Sync"), ["", "take[id]?", &take]);
        station.edge(&sync, &spare, [&format!("x >= SA && {clock} < TTRT"), "", ""]);
        station.edge(&sync, &idle, [&format!("x >= SA && {clock} >= TTRT"), "pass[id]!", ""]);
        station.edge(&spare, &idle, ["", "pass[id]!", ""]);
    }
    let alone = "A[] forall (i : id_t) forall (j : id_t) (Station(i).YSync || Station(i).ZSync) \
                 && (Station(j).YSync || Station(j).ZSync) imply i == j";
    let templates = [ring.finish("Moving"), station.finish("ZIdle")];
    file(&declaration, &templates, "system Ring, Station;", &[alone, "E<> Station(0).ZAsync"])
}
