// The backend dies at each step of a submission, for real: a child process
// submits and ends there; a new one finds the job in the same database and the
// same Slurm.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "backend/audit/audit_table.h"
#include "tests/backend/jobs/crashable_backend.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

void ExitWhileSubmitting(const std::string& directory, SlurmOutcome outcome) {
  const int code = RunAndExit([&] {
    // Not destroyed: a killed process runs no destructors.
    auto* const backend = new CrashableBackend(directory);
    backend->slurm.set_outcome(outcome);
    backend->Submit().IgnoreError();
  });
  REQUIRE(code == 0);
}

TEST_CASE("crash: after the record, before Slurm has the job", "[jobs]") {
  TempDir directory;
  ExitWhileSubmitting(directory.path(), SlurmOutcome::kProcessExits);
  CrashableBackend backend(directory.path());
  backend.slurm.Poll();
  REQUIRE(backend.List().size() == 1);
  CHECK(backend.List()[0].state == v1::JOB_STATE_SUBMITTING);
  // The client that tries again gets that job, not a second one.
  CHECK(backend.Submit()->id == backend.List()[0].id);
  CHECK(backend.slurm.Jobs().empty());
  backend.clock.Advance(absl::Seconds(61));
  backend.slurm.Poll();
  CHECK(backend.List()[0].end == v1::JOB_END_NOT_SUBMITTED);
  CHECK_THAT(backend.Submit(), IsOk());
  CHECK(backend.slurm.Jobs().size() == 1);
}

TEST_CASE("crash: the audit log names the submitter before Slurm is asked",
          "[jobs]") {
  for (const SlurmOutcome outcome :
       {SlurmOutcome::kProcessExits, SlurmOutcome::kProcessExitsAfter}) {
    TempDir directory;
    ExitWhileSubmitting(directory.path(), outcome);
    CrashableBackend backend(directory.path());
    const auto piece = ReadPiece(backend.database.get(), {},
                                 AuditOrder::kOldestFirst, kOldest);
    REQUIRE(piece->entries.size() == 1);
    CHECK(piece->entries[0].act == "admit");
    CHECK(piece->entries[0].actor == "ada");
    CHECK(piece->entries[0].request_id == "request");
    CHECK(piece->entries[0].subject == backend.List().at(0).id.value());
  }
}

TEST_CASE("crash: after Slurm has the job, before its answer came", "[jobs]") {
  TempDir directory;
  ExitWhileSubmitting(directory.path(), SlurmOutcome::kProcessExitsAfter);
  CrashableBackend backend(directory.path());
  CHECK(backend.Submit()->state == v1::JOB_STATE_SUBMITTING);
  backend.slurm.Poll();
  REQUIRE(backend.List().size() == 1);
  CHECK(backend.List()[0].state == v1::JOB_STATE_PENDING);
  CHECK(backend.List()[0].slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.Submit()->slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.slurm.Jobs().size() == 1);
}

TEST_CASE("crash: after the answer, before it is in the table", "[jobs]") {
  TempDir directory;
  const int code = RunAndExit([&] {
    auto* const backend = new CrashableBackend(directory.path());
    // The watchers hear of a change just before it is given to the writer.
    static auto watcher = backend->jobs->feed().Subscribe("ada", [backend] {
      if (!backend->slurm.Jobs().empty()) _exit(0);
    });
    backend->Submit().IgnoreError();
  });
  REQUIRE(code == 0);
  CrashableBackend backend(directory.path());
  CHECK(backend.List().at(0).slurm_id == SlurmJobId());
  backend.slurm.Poll();
  CHECK(backend.List().at(0).slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.Submit()->id == backend.List().at(0).id);
  CHECK(backend.slurm.Jobs().size() == 1);
}

TEST_CASE("crash: after everything", "[jobs]") {
  TempDir directory;
  ExitWhileSubmitting(directory.path(), SlurmOutcome::kAccepted);
  CrashableBackend backend(directory.path());
  backend.slurm.Poll();
  CHECK(backend.List().at(0).slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.Submit()->id == backend.List().at(0).id);
}

}  // namespace
}  // namespace carme::backend
