// The adapter for BeeOND, with fakes/beeond for its command: what is tried
// is how we call it and what we make of its answers, not BeeOND.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "common/file.h"
#include "slurm-hooks/hooks/job_storage.h"
#include "tests/slurm-hooks/hooks/root_dir.h"
#include "tests/support/status_matchers.h"

namespace carme::hooks {
namespace {

const HookJob kJob = {SlurmJobId(7), Uid(kUser)};

class Site {
 public:
  Site() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    std::filesystem::copy_file(CARME_FAKE_BEEOND, dir_.At("beeond"));
    const std::string program = dir_.At("beeond");
    storage_.directory = dir_.At("mnt/{job}");
    storage_.start = {program, "start", "-n", "{nodefile}",
                      "-d",    "/data", "-c", "{directory}"};
    storage_.stop = {program, "stop", "-n", "{nodefile}", "-L", "-d", "-c"};
    storage_.min_nodes = 2;
    storage_.time_limit = absl::Seconds(60);
    storage_.record_directory = dir_.At("jobs");
    Be("n2", "n[2-3]");
  }
  static void Be(const std::string& node, const std::string& list) {
    setenv("SLURMD_NODENAME", node.c_str(), 1);
    setenv("SLURM_NODELIST", list.c_str(), 1);
  }
  void Feel(const std::string& mood) const {
    REQUIRE_THAT(WriteFile(dir_.At("mood"), mood, 0644), IsOk());
  }
  std::string Calls() const { return ReadFile(dir_.At("calls")).value_or(""); }
  std::string jobs_own() const { return dir_.At("mnt/7/7"); }
  JobStorage& storage() { return storage_; }

 private:
  RootDir dir_;
  JobStorage storage_;
};

TEST_CASE("job storage: refuses an invalid list of nodes", "[slurm-hooks]") {
  for (const char* list :
       {"", ",", "n1,", "n[", "n[1", "n[]", "n[2-1]", "n[a]", "n[1-2-3]",
        "n[0-1000000]", "a b", "n1;id", "[0-999][0-999]", "n[1234567890]"}) {
    INFO(list);
    CHECK_FALSE(ExpandNodeList(list).has_value());
  }
}

TEST_CASE("job storage: a list of nodes is written out", "[slurm-hooks]") {
  using Names = std::vector<std::string>;
  CHECK(*ExpandNodeList("n1") == Names{"n1"});
  CHECK(*ExpandNodeList("a-1.x,n[08-10,2]b") ==
        Names{"a-1.x", "n08b", "n09b", "n10b", "n2b"});
  CHECK(*ExpandNodeList("r[1-2]n[1-2]") ==
        Names{"r1n1", "r1n2", "r2n1", "r2n2"});
}

TEST_CASE("job storage: a failed command is reported and undone",
          "[slurm-hooks]") {
  Site site;
  site.Feel("half");
  const absl::Status started = StartJobStorage(site.storage(), kJob);
  CHECK(started.message().find(
            "the job's parallel file system does not start") == 0);
  CHECK(started.message().find("ended with exit code 6") !=
        std::string_view::npos);
  CHECK(site.Calls() == "start n2 n3 \nstop n2 n3 \n");
  CHECK_FALSE(Exists(site.jobs_own()));
  site.Feel("fails");
  CHECK_FALSE(StopJobStorage(site.storage(), kJob).ok());
}

TEST_CASE("job storage: a command that hangs is ended", "[slurm-hooks]") {
  Site site;
  site.Feel("slow");
  site.storage().time_limit = absl::Milliseconds(300);
  const absl::Time begun = absl::Now();
  const absl::Status started = StartJobStorage(site.storage(), kJob);
  CHECK(absl::IsDeadlineExceeded(started));
  CHECK(absl::Now() - begun < absl::Seconds(300));
}

TEST_CASE("job storage: only the first node of a job that is large enough",
          "[slurm-hooks]") {
  Site site;
  Site::Be("n3", "n[2-3]");
  CHECK_THAT(StartJobStorage(site.storage(), kJob), IsOk());
  Site::Be("n2", "n2");
  CHECK_THAT(StartJobStorage(site.storage(), kJob), IsOk());
  CHECK_THAT(StopJobStorage(site.storage(), kJob), IsOk());
  Site::Be("n2", "n[2-3]");
  CHECK_THAT(StopJobStorage(site.storage(), kJob), IsOk());
  CHECK_THAT(StartJobStorage(JobStorage(), kJob), IsOk());
  CHECK(site.Calls().empty());
}

TEST_CASE("job storage: starts, gives the job its directory, stops",
          "[slurm-hooks]") {
  Site site;
  const absl::Status started = StartJobStorage(site.storage(), kJob);
  INFO(started.ToString());
  REQUIRE_THAT(started, IsOk());
  struct stat info {};
  REQUIRE(stat(site.jobs_own().c_str(), &info) == 0);
  CHECK(info.st_uid == kUser);
  CHECK((info.st_mode & 07777) == 0700);
  CHECK_THAT(StopJobStorage(site.storage(), kJob), IsOk());
  CHECK_FALSE(Exists(site.jobs_own()));
  CHECK(site.Calls() == "start n2 n3 \nstop n2 n3 \n");
  CHECK_THAT(StopJobStorage(site.storage(), kJob), IsOk());  // once
  CHECK(site.Calls() == "start n2 n3 \nstop n2 n3 \n");
}

// As slurmd calls the Epilog: with the nodes that end at that time.
TEST_CASE("job storage: stays while nodes are returned, and stops on all",
          "[slurm-hooks]") {
  Site site;
  site.storage().min_nodes = 1;
  REQUIRE_THAT(StartJobStorage(site.storage(), kJob), IsOk());
  {
    // the returned node, which has a directory of its own
    JobStorage other = site.storage();
    other.record_directory += "-n3";
    Site::Be("n3", "n3");
    CHECK_THAT(StopJobStorage(other, kJob), IsOk());
  }
  CHECK(site.Calls() == "start n2 n3 \n");
  Site::Be("n2", "n2");
  CHECK_THAT(StopJobStorage(site.storage(), kJob), IsOk());
  CHECK(site.Calls() == "start n2 n3 \nstop n2 n3 \n");
}

}  // namespace
}  // namespace carme::hooks
