//! A real browser, driven as a user would: Chromium behind its driver, by plain HTTP.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take that the page does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one window, closed when it is dropped.
pub(crate) struct Browser {
    driver: Child,
    /// Kept open: the driver goes on talking.
    _said: BufReader<ChildStdout>,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts the driver and a browser without a screen.
    pub(crate) fn start() -> Browser {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed: scripts/install-browser.sh");
        let mut said = BufReader::new(driver.stdout.take().expect("a pipe"));
        let port = port_told(&mut said);
        let mut browser = Browser { driver, _said: said, port, session: String::new() };
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments, "perfLoggingPrefs": {"enableNetwork": true}},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let started = browser.call("POST", "/session", &capabilities);
        browser.session = started["sessionId"].as_str().expect("a session").to_string();
        browser
    }

    /// Opens a file and waits until the page says that it is ready; gives its own milliseconds.
    pub(crate) fn open(&self, page: &Path) -> u64 {
        self.go(&format!("file://{}", page.display()));
        self.wait("return document.documentElement.dataset.ready")
            .as_str()
            .expect("a text")
            .parse()
            .expect("a number")
    }

    /// Loads the page again and tells how much processor time its thread uses until it is ready:
    /// unlike a clock, that does not count what others do on the machine.
    pub(crate) fn busy_ms(&self) -> f64 {
        let command = |name: &str, parameters: Value| {
            let body = json!({"cmd": name, "params": parameters});
            self.ask("POST", "/goog/cdp/execute", &body)
        };
        command("Performance.enable", json!({"timeDomain": "threadTicks"}));
        self.ask("POST", "/refresh", &json!({}));
        self.wait("return document.documentElement.dataset.ready");
        let metrics = command("Performance.getMetrics", json!({}));
        let all = metrics["metrics"].as_array().expect("metrics");
        let task = all.iter().find(|metric| metric["name"] == "TaskDuration").expect("a metric");
        task["value"].as_f64().expect("seconds") * 1000.0
    }

    /// Goes to an address.
    pub(crate) fn go(&self, url: &str) {
        self.ask("POST", "/url", &json!({"url": url}));
    }

    /// What a script returns.
    pub(crate) fn script(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// What a script returns as soon as that is something.
    pub(crate) fn wait(&self, script: &str) -> Value {
        let start = Instant::now();
        loop {
            let value = self.script(script);
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return value;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain for: {script}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The text of the first element that a selector finds.
    pub(crate) fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({selector:?})?.textContent");
        self.wait(&script).as_str().expect("a text").to_string()
    }

    /// How many elements a selector finds.
    pub(crate) fn count(&self, selector: &str) -> u64 {
        let script = format!("return document.querySelectorAll({selector:?}).length");
        self.script(&script).as_u64().expect("a number")
    }

    /// Clicks with the mouse where an element is.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.ask("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Types into an element.
    pub(crate) fn type_into(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.ask("POST", &format!("/element/{element}/value"), &json!({"text": text}));
    }

    fn element(&self, selector: &str) -> String {
        self.wait(&format!("return document.querySelector({selector:?}) !== null"));
        let body = json!({"using": "css selector", "value": selector});
        let found = self.ask("POST", "/element", &body);
        let (_, id) =
            found.as_object().and_then(|object| object.iter().next()).expect("an element");
        id.as_str().expect("an id").to_string()
    }

    /// What was logged as an error since the last time.
    pub(crate) fn errors(&self) -> Vec<String> {
        let logged = self.ask("POST", "/se/log", &json!({"type": "browser"}));
        let severe = |entry: &&Value| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING"));
        let entries = logged.as_array().expect("a log").iter();
        entries.filter(severe).map(|entry| entry["message"].to_string()).collect()
    }

    /// What was asked for since the last time, whether it came or not.
    pub(crate) fn requests(&self) -> Vec<String> {
        let logged = self.ask("POST", "/se/log", &json!({"type": "performance"}));
        let mut urls = Vec::new();
        for entry in logged.as_array().expect("a log") {
            let message = entry["message"].as_str().expect("a text");
            let message: Value = serde_json::from_str(message).expect("JSON");
            if message["message"]["method"] == "Network.requestWillBeSent" {
                let url = &message["message"]["params"]["request"]["url"];
                urls.push(url.as_str().expect("a URL").to_string());
            }
        }
        urls
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.call(method, &format!("/session/{}{path}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("the driver reads");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time is set");
        let content = content(&mut BufReader::new(stream));
        let value: Value = serde_json::from_slice(&content).expect("JSON");
        let error = &value["value"]["error"];
        assert!(error.is_null(), "{method} {path} {body}: {error} {}", value["value"]["message"]);
        value["value"].clone()
    }
}

/// The body of an answer: the driver leaves the line open behind it.
fn content(answer: &mut impl BufRead) -> Vec<u8> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        answer.read_line(&mut line).expect("the driver answers");
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a number");
        }
    }
    let mut content = vec![0; length];
    answer.read_exact(&mut content).expect("the driver answers in full");
    content
}

/// The port that the driver has found free.
fn port_told(said: &mut impl BufRead) -> u16 {
    let told = |line: String| {
        line.rsplit_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
    };
    said.lines().map_while(Result::ok).find_map(told).expect("chromedriver tells its port")
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failed test the browser has to end; nothing here may fail once more.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let line = format!("DELETE /session/{} HTTP/1.1", self.session);
            let _ = write!(stream, "{line}\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.set_read_timeout(Some(PATIENCE));
            let _ = BufReader::new(stream).read_line(&mut String::new());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
