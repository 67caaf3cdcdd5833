#include "backend/metrics/archive/archive_store.h"

#include <sys/stat.h>
#include <sys/time.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::metrics {
namespace {

archive::v1::JobArchive ArchiveOf(const std::string& job, int series,
                                  int points) {
  archive::v1::JobArchive archive;
  archive.set_schema(ArchiveStore::kSchema);
  archive.mutable_job()->set_job_id(job);
  uint32_t random = 1;
  for (int i = 0; i < series; ++i) {
    archive::v1::ArchivedSeries* one = archive.add_series();
    one->set_name("carme_gpu_power_watts");
    (*one->mutable_labels())["gpu"] = absl::StrCat(i);
    archive::v1::Resolution* resolution = one->add_resolutions();
    resolution->set_step_s(1);
    resolution->set_first_ms(1'800'000'000'000);
    for (int k = 0; k < points; ++k) {
      random = random * 1664525 + 1013904223;
      resolution->add_values(random / 4.0);
    }
  }
  return archive;
}

std::string FileOf(const TempDir& dir, const std::string& job) {
  return dir.File(job + ".zst");
}

void SetAge(const std::string& path, absl::Duration age) {
  const timeval then = absl::ToTimeval(absl::Now() - age);
  const timeval times[] = {then, then};
  REQUIRE(utimes(path.c_str(), times) == 0);
}

TEST_CASE("archive store: refuses damaged archives", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  REQUIRE_THAT(store.Write(ArchiveOf(kJob, 2, 100)), IsOk());
  const std::string good = ReadFile(FileOf(dir, kJob)).value();
  std::string bad = good;
  SECTION("cut short") { bad.resize(good.size() / 2); }
  SECTION("empty") { bad.clear(); }
  SECTION("another file") { bad = std::string(1000, 'x'); }
  SECTION("a changed byte") { bad[good.size() / 2] ^= 0x55; }
  SECTION("no JobArchive") {
    archive::v1::JobArchive other;
    other.set_schema(1);
    bad = EncodeArchive(other);
  }
  SECTION("of another job") { bad = EncodeArchive(ArchiveOf(kOtherJob, 1, 1)); }
  REQUIRE_THAT(WriteFile(FileOf(dir, kJob), bad, 0600), IsOk());
  CHECK_THAT(store.Read(kJob), StatusIs(absl::StatusCode::kDataLoss, kJob));
}

TEST_CASE("archive store: refuses a schema of the future", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  archive::v1::JobArchive archive = ArchiveOf(kJob, 1, 1);
  archive.set_schema(ArchiveStore::kSchema + 1);
  REQUIRE_THAT(WriteFile(FileOf(dir, kJob), EncodeArchive(archive), 0600),
               IsOk());
  CHECK_THAT(store.Read(kJob), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        "update carme-metrics"));
}

TEST_CASE("archive store: does not find what is not there", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  CHECK_FALSE(store.Has(kJob));
  CHECK_THAT(store.Read(kJob), StatusIs(absl::StatusCode::kNotFound));
  const ArchiveStore nowhere(dir.File("none"), {});
  CHECK_FALSE(nowhere.Write(ArchiveOf(kJob, 1, 1)).ok());
}

TEST_CASE("archive store: reads the receipt of an archive alone", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  CHECK_THAT(store.ReadReceipt(kJob), StatusIs(absl::StatusCode::kNotFound));
  archive::v1::JobArchive archive = ArchiveOf(kJob, 10, 1000);
  REQUIRE_THAT(store.Write(archive), IsOk());
  CHECK_THAT(store.ReadReceipt(kJob), StatusIs(absl::StatusCode::kNotFound));
  archive.mutable_receipt()->set_length_s(60);
  archive.mutable_receipt()->add_findings()->set_rule("idle");
  REQUIRE_THAT(store.Write(archive), IsOk());
  const auto receipt = store.ReadReceipt(kJob);
  REQUIRE_THAT(receipt, IsOk());
  CHECK(receipt->length_s() == 60);
  CHECK(receipt->findings(0).rule() == "idle");
  REQUIRE_THAT(WriteFile(FileOf(dir, kJob),
                         EncodeArchive(ArchiveOf(kOtherJob, 1, 1)), 0600),
               IsOk());
  CHECK_THAT(store.ReadReceipt(kJob), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_CASE("archive store: makes an archive coarser until it fits",
          "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {.bytes_per_job = 60'000});
  REQUIRE_THAT(store.Write(ArchiveOf(kJob, 10, 3600)), IsOk());
  const auto archive = store.Read(kJob);
  REQUIRE_THAT(archive, IsOk());
  CHECK(archive->series_size() == 10);
  CHECK(archive->series(0).resolutions(0).step_s() == 10);
  CHECK(archive->series(0).resolutions(0).values_size() == 361);
}

TEST_CASE("archive store: leaves out series that cannot fit", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {.bytes_per_job = 2'000});
  REQUIRE_THAT(store.Write(ArchiveOf(kJob, 1000, 60)), IsOk());
  const auto archive = store.Read(kJob);
  REQUIRE_THAT(archive, IsOk());
  CHECK(archive->series_size() < 1000);
  CHECK(archive->series_size() > 0);
  CHECK(ReadFile(FileOf(dir, kJob)).value().size() <= 2'000);
}

TEST_CASE("archive store: removes the oldest archives first", "[metrics]") {
  TempDir dir;
  const ArchiveStore writer(dir.path(), {});
  REQUIRE_THAT(writer.Write(ArchiveOf(kJob, 1, 1000)), IsOk());
  REQUIRE_THAT(writer.Write(ArchiveOf(kOtherJob, 1, 1000)), IsOk());
  SetAge(FileOf(dir, kJob), absl::Hours(1));
  const auto size =
      static_cast<int64_t>(ReadFile(FileOf(dir, kJob)).value().size());
  const ArchiveStore store(dir.path(), {.bytes_total = size * 3 / 2});
  const ArchiveStore::Totals totals = store.Enforce(absl::Now());
  CHECK(totals.removed == 1);
  CHECK(totals.files == 1);
  CHECK_FALSE(store.Has(kJob));
  CHECK(store.Has(kOtherJob));
  // The other one, when it is too old.
  const ArchiveStore brief(dir.path(), {.max_age = absl::Minutes(10)});
  SetAge(FileOf(dir, kOtherJob), absl::Minutes(11));
  CHECK(brief.Enforce(absl::Now()).removed == 1);
}

}  // namespace
}  // namespace carme::metrics
