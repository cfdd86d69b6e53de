//! A Slurm cluster of one node, which only this machine can reach.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// How long daemons may take to start.
const PATIENCE: Duration = Duration::from_secs(120);

/// The daemons, ended when it is dropped.
pub(crate) struct Cluster {
    folder: PathBuf,
    node: String,
}

impl Cluster {
    /// Starts munged, slurmctld and slurmd in a folder of their own.
    pub(crate) fn start() -> Cluster {
        // Short: names of sockets are limited.
        let folder = std::env::temp_dir().join(format!("provoke-slurm-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        for inner in ["munge", "state", "spool"] {
            std::fs::create_dir_all(folder.join(inner)).expect("a folder");
        }
        let node = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
        let cluster = Cluster { folder, node: node.trim().to_string() };
        std::fs::write(cluster.config(), cluster.settings()).expect("written");
        cluster.start_munge();
        cluster.run("slurmctld", &["-f", cluster.config().to_str().expect("UTF-8")]);
        cluster.start_node();
        cluster.wait_until_idle();
        cluster
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    fn start_munge(&self) {
        let munge = self.folder.join("munge");
        let key: Vec<u8> = (0..=255).cycle().take(1024).collect();
        std::fs::write(munge.join("key"), key).expect("written");
        self.run("chmod", &["600", munge.join("key").to_str().expect("UTF-8")]);
        let place = |option: &str, name: &str| format!("--{option}={}", munge.join(name).display());
        let options = [("key-file", "key"), ("socket", "socket"), ("pid-file", "pid")];
        let mut words: Vec<String> = options.map(|(option, name)| place(option, name)).to_vec();
        words.extend([("log-file", "log"), ("seed-file", "seed")].map(|(o, n)| place(o, n)));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.run("munged", &[&["--force", "--num-threads=2"], &words[..]].concat());
    }

    /// Starts the daemon of the node, once more if it was killed.
    pub(crate) fn start_node(&self) {
        let config = self.config();
        self.run("slurmd", &["-N", &self.node, "-f", config.to_str().expect("UTF-8")]);
    }

    /// Kills the daemon of the node, as a power failure would.
    pub(crate) fn kill_node(&self) {
        let pid = std::fs::read_to_string(self.folder.join("slurmd.pid")).expect("a number");
        self.run("kill", &["-9", pid.trim()]);
    }

    /// Runs a script as so many tasks, and waits for the last of them.
    pub(crate) fn run_array(&self, tasks: usize, script: &str) {
        let array = format!("--array=0-{}", tasks - 1);
        let said =
            self.command("sbatch", &["--parsable", "--output=/dev/null", &array, "--wrap", script]);
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let job = String::from_utf8_lossy(&said.stdout).trim().to_string();
        while !self.ask("squeue", &["-h", "-j", &job]).trim().is_empty() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Ends all jobs, and waits until they are gone.
    pub(crate) fn cancel_all(&self) {
        self.run("scancel", &["--user=root", "--signal=KILL"]);
        self.run("scancel", &["--user=root"]);
        self.wait_until_idle();
    }

    fn wait_until_idle(&self) {
        let start = Instant::now();
        while !self.ask("sinfo", &["-h", "-o", "%T"]).contains("idle") {
            assert!(start.elapsed() < PATIENCE, "the node does not come up");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// What one of Slurm's commands says.
    fn ask(&self, command: &str, words: &[&str]) -> String {
        let said = self.command(command, words);
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    fn run(&self, command: &str, words: &[&str]) {
        let said = self.command(command, words);
        let errors = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success(), "{command}: {errors}");
    }

    fn command(&self, command: &str, words: &[&str]) -> Output {
        let said = Command::new(command).args(words).env("SLURM_CONF", self.config()).output();
        said.unwrap_or_else(|error| panic!("{command}: {error}; scripts/install-slurm.sh"))
    }

    fn settings(&self) -> String {
        let (node, folder) = (&self.node, self.folder.display());
        format!(
            "ClusterName=provoke\n\
             SlurmctldHost={node}(127.0.0.1)\n\
             SlurmctldPort=16817\n\
             SlurmdPort=16818\n\
             AuthType=auth/munge\n\
             AuthInfo=socket={folder}/munge/socket\n\
             CredType=cred/munge\n\
             SlurmUser=root\n\
             SlurmdUser=root\n\
             StateSaveLocation={folder}/state\n\
             SlurmdSpoolDir={folder}/spool\n\
             SlurmctldPidFile={folder}/slurmctld.pid\n\
             SlurmdPidFile={folder}/slurmd.pid\n\
             SlurmctldLogFile={folder}/slurmctld.log\n\
             SlurmdLogFile={folder}/slurmd.log\n\
             ProctrackType=proctrack/pgid\n\
             TaskPlugin=task/none\n\
             SwitchType=switch/none\n\
             MpiDefault=none\n\
             JobRequeue=1\n\
             ReturnToService=2\n\
             SlurmdTimeout=10\n\
             KillWait=5\n\
             MinJobAge=10\n\
             SelectType=select/cons_tres\n\
             SelectTypeParameters=CR_Core\n\
             SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,\
             bf_interval=2,default_queue_depth=1000\n\
             CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n\
             AccountingStorageType=accounting_storage/none\n\
             JobAcctGatherType=jobacct_gather/none\n\
             MailProg=/bin/true\n\
             NodeName={node} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
        )
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.command("scancel", &["--user=root"]);
        for pid in ["slurmd.pid", "slurmctld.pid", "munge/pid"] {
            end(&self.folder.join(pid));
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Ends the process whose number is in a file, and waits until it is gone.
fn end(file: &Path) {
    let Ok(pid) = std::fs::read_to_string(file) else { return };
    let _ = Command::new("kill").arg(pid.trim()).output();
    let process = Path::new("/proc").join(pid.trim());
    let start = Instant::now();
    while process.exists() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
}
