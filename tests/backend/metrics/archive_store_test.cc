#include "backend/metrics/archive/archive_store.h"

#include <sys/stat.h>
#include <sys/time.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/archive/archive_file.h"
#include "common/file.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::metrics {
namespace {

archive::v1::JobArchive ArchiveOf(const std::string& job, int series,
                                  int points) {
  archive::v1::JobArchive archive;
  archive.set_schema(kArchiveSchema);
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
    bad = EncodeArchive(&other);
  }
  SECTION("of another job") {
    archive::v1::JobArchive other = ArchiveOf(kOtherJob, 1, 1);
    bad = EncodeArchive(&other);
  }
  SECTION("without its second frame") {
    bad.resize(ZSTD_findFrameCompressedSize(good.data(), good.size()));
  }
  SECTION("with something behind it") { bad += "x"; }
  SECTION("with its series twice") {
    bad += bad.substr(ZSTD_findFrameCompressedSize(good.data(), good.size()));
  }
  REQUIRE_THAT(WriteFile(FileOf(dir, kJob), bad, 0600), IsOk());
  CHECK_THAT(store.Read(kJob), StatusIs(absl::StatusCode::kDataLoss, kJob));
}

TEST_CASE("archive store: refuses a schema of the future", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  archive::v1::JobArchive archive = ArchiveOf(kJob, 1, 1);
  archive.set_schema(kArchiveSchema + 1);
  REQUIRE_THAT(WriteFile(FileOf(dir, kJob), EncodeArchive(&archive), 0600),
               IsOk());
  CHECK_THAT(store.Read(kJob), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        "update carme-metrics"));
}

TEST_CASE("archive store: calls a file that cannot be read by its error",
          "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  REQUIRE(mkdir(FileOf(dir, kJob).c_str(), 0700) == 0);
  CHECK_THAT(store.Read(kJob).status().ToString(),
             Catch::Contains("Is a directory"));
  CHECK_THAT(store.ReadHead(kJob).status().ToString(),
             Catch::Contains("Is a directory"));
}

TEST_CASE("archive store: does not find what is not there", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  CHECK_FALSE(store.Has(kJob));
  CHECK_THAT(store.Read(kJob), StatusIs(absl::StatusCode::kNotFound));
  const ArchiveStore nowhere(dir.File("none"), {});
  CHECK_FALSE(nowhere.Write(ArchiveOf(kJob, 1, 1)).ok());
}

// As carme-metrics wrote archives of schema 1.
std::string OneFrame(const archive::v1::JobArchive& archive) {
  const std::string text = archive.SerializeAsString();
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(
      ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

TEST_CASE("archive store: refuses an archive that is decoded too long",
          "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  std::string bytes;
  const std::string zeros(size_t{64} << 20, '\0');
  std::string frame(ZSTD_compressBound(zeros.size()), '\0');
  frame.resize(
      ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 3));
  // A series with an empty name, which the caller does not select.
  const auto length = static_cast<uint32_t>(kMaxDecodedArchiveBytes);
  std::string head = "\x1a";
  for (uint32_t left = length; left != 0; left >>= 7) {
    head += static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  }
  head += std::string("\x0a\x00\x12", 3) + head.substr(1);
  bytes.resize(ZSTD_compressBound(head.size()));
  bytes.resize(
      ZSTD_compress(bytes.data(), bytes.size(), head.data(), head.size(), 3));
  for (int i = 0; i < 17; ++i) bytes += frame;
  REQUIRE_THAT(WriteFile(FileOf(dir, kJob), bytes, 0600), IsOk());
  CHECK_THAT(store.ReadSeries(kJob, [](std::string_view) { return false; }),
             StatusIs(absl::StatusCode::kResourceExhausted, "too long"));
}

TEST_CASE("archive store: reads an archive without its series", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  CHECK_THAT(store.ReadHead(kJob), StatusIs(absl::StatusCode::kNotFound));
  archive::v1::JobArchive archive = ArchiveOf(kJob, 10, 1000);
  archive.mutable_receipt()->set_length_s(60);
  archive.mutable_receipt()->add_findings()->set_rule("idle");
  SECTION("of today") { REQUIRE_THAT(store.Write(archive), IsOk()); }
  SECTION("of schema 1") {
    archive.set_schema(1);
    REQUIRE_THAT(WriteFile(FileOf(dir, kJob), OneFrame(archive), 0600), IsOk());
    CHECK(store.Read(kJob)->series_size() == 10);
  }
  SECTION("whose series are damaged") {
    REQUIRE_THAT(store.Write(archive), IsOk());
    std::string bytes = ReadFile(FileOf(dir, kJob)).value();
    bytes[bytes.size() - 100] ^= 0x55;
    REQUIRE_THAT(WriteFile(FileOf(dir, kJob), bytes, 0600), IsOk());
    CHECK_THAT(store.Read(kJob), StatusIs(absl::StatusCode::kDataLoss));
  }
  const auto head = store.ReadHead(kJob);
  REQUIRE_THAT(head, IsOk());
  CHECK(head->receipt().length_s() == 60);
  CHECK(head->receipt().findings(0).rule() == "idle");
  CHECK(head->series().empty());
  archive::v1::JobArchive other = ArchiveOf(kOtherJob, 1, 1);
  REQUIRE_THAT(WriteFile(FileOf(dir, kJob), EncodeArchive(&other), 0600),
               IsOk());
  CHECK_THAT(store.ReadHead(kJob), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_CASE("archive store: reads those series that are asked for", "[metrics]") {
  TempDir dir;
  const ArchiveStore store(dir.path(), {});
  // Longer than the buffers that they are read through.
  archive::v1::JobArchive archive = ArchiveOf(kJob, 9, 50'000);
  for (int i = 0; i < 9; ++i) {
    archive.mutable_series(i)->set_name(absl::StrCat("carme_s", i % 3));
  }
  archive.mutable_series(4)->clear_resolutions();
  REQUIRE_THAT(store.Write(archive), IsOk());
  const auto read = store.ReadSeries(
      kJob, [](std::string_view name) { return name != "carme_s0"; });
  REQUIRE_THAT(read, IsOk());
  REQUIRE(read->series_size() == 6);
  CHECK(read->series(0).SerializeAsString() ==
        archive.series(1).SerializeAsString());
  CHECK(read->series(2).SerializeAsString() ==
        archive.series(4).SerializeAsString());
  CHECK(read->series(5).SerializeAsString() ==
        archive.series(8).SerializeAsString());
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
