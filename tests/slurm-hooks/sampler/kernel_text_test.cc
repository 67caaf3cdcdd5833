// The kernel's texts as real systems have them.
#include <catch2/catch.hpp>
#include <string>

#include "slurm-hooks/sampler/kernel_text/cgroup_text.h"
#include "slurm-hooks/sampler/kernel_text/node_text.h"
#include "slurm-hooks/sampler/kernel_text/process_text.h"
#include "slurm-hooks/sampler/kernel_text/text_fields.h"

namespace carme::sampler {
namespace {

TEST_CASE("text fields: rejects what is not a number", "[sampler]") {
  for (const char* word : {"", "max", "-1", "1x", "99999999999999999999999"}) {
    INFO(word);
    CHECK_FALSE(ParseCount(word).has_value());
  }
  for (const char* word : {"", "nan", "inf", "1.5x", "1e999"}) {
    INFO(word);
    CHECK_FALSE(ParseFinite(word).has_value());
  }
  CHECK(ParseCount("18446744073709551615") == UINT64_MAX);
  CHECK(ParseFinite("-2.5e3") == -2500.0);
}

TEST_CASE("cgroup text: a value that a file lacks is absent, not zero",
          "[sampler]") {
  CHECK_FALSE(ParseCpuStat("").seconds.has_value());
  CHECK_FALSE(ParseCpuStat("usage_usec broken\n").seconds.has_value());
  CHECK_FALSE(ParseMemoryStat("").cache_bytes.has_value());
  CHECK_FALSE(ParseMemoryLimit("max\n").has_value());
  for (const char* cpus : {"", "\n", "a\n", "3-1\n", "0-\n", "-3\n",
                           "0-99999999999\n", "0,,1\n"}) {
    CAPTURE(cpus);
    CHECK_FALSE(CountCpus(cpus).has_value());
  }
  CHECK_FALSE(ParseMemoryLimit("9223372036854771712\n").has_value());
  CHECK_FALSE(ParseKey("oom_kill_disable 0\n", "oom_kill").has_value());
  CHECK_FALSE(ParsePressure("").some_seconds.has_value());
  CHECK(ParseIoStat("8:0\n").empty());
}

TEST_CASE("cgroup text: reads version 2", "[sampler]") {
  const CgroupCpu cpu = ParseCpuStat(
      "usage_usec 5268301234\nuser_usec 4268301234\nsystem_usec 1000000000\n"
      "core_sched.force_idle_usec 0\nnr_periods 120\nnr_throttled 7\n"
      "throttled_usec 2500000\nnr_bursts 0\nburst_usec 0\n");
  CHECK(cpu.seconds == Approx(5268.301234));
  CHECK(cpu.user_seconds == Approx(4268.301234));
  CHECK(cpu.system_seconds == Approx(1000));
  CHECK(cpu.throttled_periods == 7);
  CHECK(cpu.throttled_seconds == Approx(2.5));
  const CgroupMemory memory = ParseMemoryStat(
      "anon 937103360\nfile 5406781440\nkernel 104857600\nkernel_stack 65536\n"
      "shmem 16715776\nfile_mapped 198225920\n");
  CHECK(memory.anonymous_bytes == 937103360);
  CHECK(memory.cache_bytes == 5406781440);
  CHECK(memory.shared_bytes == 16715776);
  CHECK(ParseMemoryLimit("1073741824\n") == 1073741824);
  CHECK(CountCpus("0-3,8,10-11\n") == 7);
  CHECK(CountCpus("5\n") == 1);
  const char kEvents[] =
      "low 0\nhigh 0\nmax 512\noom 3\noom_kill 2\noom_group_kill 0\n";
  CHECK(ParseKey(kEvents, "oom_kill") == 2);
  CHECK(ParseKey(kEvents, "max") == 512);
  const auto io = ParseIoStat(
      "259:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n"
      "8:16 \n");
  REQUIRE(io.size() == 1);
  CHECK(io.at("259:0").read_bytes == 4096);
  CHECK(io.at("259:0").written_bytes == 8192);
  CHECK(io.at("259:0").reads == 1);
  CHECK(io.at("259:0").writes == 2);
}

TEST_CASE("cgroup text: reads version 1 with the groups below", "[sampler]") {
  const CgroupMemory memory = ParseMemoryStat(
      "cache 11730944\nrss 14835712\nrss_huge 0\nshmem 9084928\nswap 0\n"
      "hierarchical_memory_limit 9223372036854771712\n"
      "total_cache 5406781440\ntotal_rss 937103360\ntotal_rss_huge 0\n"
      "total_shmem 16715776\ntotal_swap 4096\n");
  CHECK(memory.anonymous_bytes == 937103360);
  CHECK(memory.cache_bytes == 5406781440);
  CHECK(memory.shared_bytes == 16715776);
  CHECK(memory.swap_bytes == 4096);
  const CgroupCpu cpu = ParseCpuStat(
      "nr_periods 10\nnr_throttled 4\nthrottled_time 1500000000\n");
  CHECK_FALSE(cpu.seconds.has_value());
  CHECK(cpu.throttled_seconds == Approx(1.5));
  CHECK(ParseCpuAcctStat("user 526830\nsystem 157184\n").user_seconds ==
        Approx(5268.30));
  const auto io = ParseBlkio(
      "8:0 Read 1024\n8:0 Write 2048\n8:0 Total 3072\n"
      "Total 3072\n",
      "8:0 Read 3\n8:0 Write 4\n");
  REQUIRE(io.size() == 1);
  CHECK(io.at("8:0").read_bytes == 1024);
  CHECK(io.at("8:0").writes == 4);
  CHECK(ParseKey("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", "oom_kill") ==
        1);
}

TEST_CASE("pressure: reads the total waiting time", "[sampler]") {
  const Pressure pressure = ParsePressure(
      "some avg10=2.84 avg60=1.27 avg300=1.16 total=74119183\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=28194707\n");
  CHECK(pressure.some_seconds == Approx(74.119183));
  CHECK(pressure.full_seconds == Approx(28.194707));
}

constexpr char kMountsV1[] =
    "29 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "30 29 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup "
    "cgroup rw,cpu,cpuacct\n"
    "31 29 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "32 29 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

TEST_CASE("job cgroups: none outside of a job", "[sampler]") {
  CHECK(FindJobCgroups("0::/user.slice\n", kMountsV1).empty());
  CHECK(
      FindJobCgroups("4:memory:/slurm/uid_1/job_/step_0\n", kMountsV1).empty());
  CHECK(FindJobCgroups("4:memory:/slurm/uid_1/job_7x\n", kMountsV1).empty());
  CHECK(FindJobCgroups("4:memory:/slurm/uid_1/job_7\n", "").empty());
}

TEST_CASE("job cgroups: finds the directories of version 1", "[sampler]") {
  const JobCgroups found = FindJobCgroups(
      "5:cpu,cpuacct:/slurm/uid_1/job_7/step_batch/task_0\n"
      "4:memory:/slurm/uid_1/job_7/step_batch\n0::/\n",
      kMountsV1);
  CHECK(found ==
        JobCgroups{{"cpu", "/sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/job_7"},
                   {"cpuacct", "/sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/job_7"},
                   {"memory", "/sys/fs/cgroup/memory/slurm/uid_1/job_7"}});
}

TEST_CASE("job cgroups: finds the directory of version 2", "[sampler]") {
  const std::string cgroups =
      "0::/system.slice/slurmstepd.scope/job_28/step_0/user/task_3\n";
  CHECK(
      FindJobCgroups(cgroups,
                     "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 none rw\n") ==
      JobCgroups{{"", "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_28"}});
  // A container shows a part of the hierarchy as its root.
  CHECK(FindJobCgroups(cgroups,
                       "30 23 0:26 /system.slice /cg rw - cgroup2 none "
                       "rw\n") ==
        JobCgroups{{"", "/cg/slurmstepd.scope/job_28"}});
}

TEST_CASE("process stat: reads a name with parentheses and blanks",
          "[sampler]") {
  CHECK_FALSE(ParseProcessStat("").has_value());
  CHECK_FALSE(ParseProcessStat("12 (cat) R 1").has_value());
  const auto stat = ParseProcessStat(
      "18953 (a) b (c) R 18930 18930 15863 0 -1 4194304 100 0 0 0 12 30 5 7 20 "
      "0 1 0 396387 3133440 390 18446744073709551615 1 1\n");
  REQUIRE(stat.has_value());
  CHECK(stat->name == "a) b (c");
  CHECK(stat->own_ticks == 42);
  CHECK(stat->children_ticks == 12);
  CHECK(stat->start_ticks == 396387);
  CHECK(stat->resident_pages == 390);
}

TEST_CASE("process environment: reads job, step and rank", "[sampler]") {
  const std::string text("A=1\0SLURM_PROCID=3\0SLURM_JOB_ID=28\0", 34);
  const ProcessRank found = ParseEnvironment(text);
  CHECK(found.job == "28");
  CHECK(found.rank == "3");
  CHECK(found.step.empty());
  CHECK(ParseEnvironment("SLURM_PROCID=../1").rank.empty());
  CHECK(ParseEnvironment("SLURM_STEP_ID=12").step == "12");
  // The batch script's.
  CHECK(ParseEnvironment("SLURM_STEP_ID=4294967291").step.empty());
}

TEST_CASE("CPU time: a process that ended is counted once", "[sampler]") {
  ProcessCounter counter;
  const auto round = [&](auto add) {
    counter.BeginRound();
    add();
    return counter.EndRound();
  };
  CHECK(round([&] {
          counter.AddProcess(1, 100, 0);
          counter.AddProcess(2, 50, 0);
        }) == 150);
  // The parent has waited for process 2, which used 10 more.
  CHECK(round([&] { counter.AddProcess(1, 110, 60); }) == 170);
  // Process 1 ends, and no other one in the set has waited for it.
  CHECK(round([&] {}) == 170);
  CHECK(round([&] { counter.AddProcess(3, 5, 0); }) == 175);
}

TEST_CASE("CPU time: short-lived children are counted", "[sampler]") {
  ProcessCounter counter;
  counter.BeginRound();
  counter.AddProcess(1, 1, 0);
  CHECK(counter.EndRound() == 1);
  counter.BeginRound();
  counter.AddProcess(1, 1, 400);
  CHECK(counter.EndRound() == 401);
}

TEST_CASE("network interfaces: reads counters without the loopback",
          "[sampler]") {
  const auto found = ParseNetDev(
      "Inter-|   Receive                                                |  "
      "Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes "
      "packets errs drop fifo colls carrier compressed\n"
      "    lo: 2162420    7917    0    0    0     0          0         0  "
      "2162420    7917    0    0    0     0       0          0\n"
      "  eth0:3434369826   75439    1    2    0     0          0         0  "
      "4113831   42032    3    4    0     0       0          0\n"
      "  ib0: broken\n");
  REQUIRE(found.size() == 1);
  const InterfaceCounters& eth0 = found.at("eth0");
  CHECK(eth0.received_bytes == 3434369826);
  CHECK(eth0.received_errors == 1);
  CHECK(eth0.received_drops == 2);
  CHECK(eth0.sent_bytes == 4113831);
  CHECK(eth0.sent_errors == 3);
  CHECK(eth0.sent_drops == 4);
}

TEST_CASE("mountstats: reads NFS mounts only", "[sampler]") {
  const auto found = ParseMountStats(
      "device proc mounted on /proc with fstype proc\n"
      "device nas:/export/home mounted on /home with fstype nfs4 "
      "statvers=1.1\n"
      "\topts:\trw,vers=4.2,rsize=1048576\n"
      "\tage:\t1234\n"
      "\tevents:\t1 2 3\n"
      "\tbytes:\t100 200 0 0 411440 5000 12 3\n"
      "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
      "\txprt:\ttcp 0 0 2 0 31 1 1 0 1\n"
      "\tper-op statistics\n"
      "\t        NULL: 1 1 0 44 24 0 0 0 0\n"
      "\t        READ: 10 10 0 1840 411440 0 12 1500 0\n"
      "\t       WRITE: 2 2 1 900 200 0 5 250 0\n"
      "\t     GETATTR: 40 40 0 7000 9000 0 9 250 0\n"
      "device tmpfs mounted on /run with fstype tmpfs\n");
  REQUIRE(found.size() == 1);
  const FileSystemCounters& home = found.at("/home");
  CHECK(home.type == "nfs4");
  CHECK(home.read_bytes == 411440);
  CHECK(home.written_bytes == 5000);
  CHECK(home.data_operations == 12);
  CHECK(home.metadata_operations == 41);
  CHECK(home.timeouts == 1);
  CHECK(home.wait_seconds == Approx(2.0));
}

TEST_CASE("Lustre: sums bytes and metadata operations", "[sampler]") {
  const FileSystemCounters found = ParseLustreStats(
      "snapshot_time             1700000000.123456789 secs.nsecs\n"
      "read_bytes                10 samples [bytes] 4096 1048576 10485760\n"
      "write_bytes               3 samples [bytes] 1 4096 8193\n"
      "read                      10 samples [usec] 1 30 120 2000\n"
      "open                      7 samples [usec] 10 300 900 90000\n"
      "getattr                   5 samples [usec] 1 2 9 20\n");
  CHECK(found.read_bytes == 10485760);
  CHECK(found.written_bytes == 8193);
  CHECK(found.data_operations == 13);
  CHECK(found.metadata_operations == 12);
  CHECK_FALSE(ParseLustreStats("").read_bytes.has_value());
}

TEST_CASE("BeeGFS: counts the open connections", "[sampler]") {
  CHECK_FALSE(ParseBeegfsConnections("").has_value());
  CHECK(ParseBeegfsConnections("meta01 [ID: 1]\n   Root: <yes>\n   "
                               "Connections: TCP: 1 (10.0.0.1:8005); \n") == 1);
  CHECK(
      ParseBeegfsConnections(
          "storage01 [ID: 1]\n   Connections: RDMA: 4 (10.0.0.1:8003); TCP: "
          "1 (10.0.0.1:8003); \nstorage02 [ID: 2]\n   Connections: <none>\n") ==
      5);
}

TEST_CASE("kernel log: reads the events that matter to a job", "[sampler]") {
  CHECK_FALSE(ParseKernelRecord("").has_value());
  CHECK_FALSE(ParseKernelRecord("6,1,2,-;usb 1-1: new device\n").has_value());
  CHECK_FALSE(ParseKernelRecord("6,1,2,-;NVRM: Xid (PCI:0000:3B:00): what\n")
                  .has_value());
  const auto xid = ParseKernelRecord(
      "3,1234,5678901,-;NVRM: Xid (PCI:0000:3B:00): 79, pid=1234, name=python, "
      "GPU has fallen off the bus.\n SUBSYSTEM=pci\n");
  REQUIRE(xid.has_value());
  CHECK(xid->kind == "xid");
  CHECK(xid->subject == "0000:3b:00");
  CHECK(xid->labels.at("code") == "79");
  CHECK(xid->text.find("fallen off the bus") != std::string::npos);
  const auto oom = ParseKernelRecord(
      "6,1,2,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),"
      "cpuset=step_0,mems_allowed=0,oom_memcg=/slurm/uid_1/job_7,"
      "task_memcg=/slurm/uid_1/job_7/step_0,task=python,pid=99,uid=1\n");
  REQUIRE(oom.has_value());
  CHECK(oom->kind == "oom");
  CHECK(oom->subject == "/slurm/uid_1/job_7/step_0");
  CHECK(oom->labels.at("program") == "python");
  CHECK(oom->labels.at("pid") == "99");
  CHECK(ParseKernelRecord("4,1,2,-;EDAC MC0: 1 CE memory read error on "
                          "CPU_SrcID#0_Ha#0_Chan#0_DIMM#0\n")
            ->kind == "edac");
  CHECK(ParseKernelRecord("6,1,2,-;mlx5_core 0000:01:00.0 eth2: Link down\n")
            ->kind == "link");
}

TEST_CASE("kernel log: tells the control groups of two jobs apart",
          "[sampler]") {
  CHECK(IsOfJob("/slurm/uid_1/job_7/step_0", "7"));
  CHECK(IsOfJob("/system.slice/slurmstepd.scope/job_7", "7"));
  CHECK_FALSE(IsOfJob("/slurm/uid_1/job_77/step_0", "7"));
  CHECK_FALSE(IsOfJob("/slurm/uid_1/job_7/step_0", ""));
  CHECK_FALSE(IsOfJob("/", "7"));
}

}  // namespace
}  // namespace carme::sampler
