#include "backend/jobs/image_copies.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// Ada's image, whose share was approved, at a site with a directory for such.
struct Copying {
  explicit Copying(int max_running_jobs = 0) : world(max_running_jobs) {
    world.config_.shared_images = {.directory = "/shared",
                                   .account = "carme-images"};
    world.directory_.SetLookUp([this](const std::string& name)
                                   -> absl::StatusOr<Person> {
      if (!directory.ok()) return directory;
      Person person;
      person.username = name;
      person.uid = Uid(name == "ada" ? 20001 : name == "bob" ? 20002 : 20090);
      return person;
    });
    ImageRecord record;
    record.image.id = "ada/x:1";
    record.image.owner = "ada";
    record.image.owner_uid = Uid(20001);
    record.image.path = "/home/ada/x.sif";
    record.image.sha256.assign(64, 'd');
    record.size_bytes = 7;
    RequestCopy(world.config_.shared_images, &record);
    REQUIRE_THAT(world.images_->Add(record), IsOk());
  }
  ImageCopy Copy() {
    return world.images_
        ->Change("ada/x:1", [](ImageRecord*) { return absl::OkStatus(); })
        ->copy;
  }
  Job JobOf() { return world.jobs_->active().Find(Copy().job).value(); }
  void Report(const std::string& path) {
    REQUIRE_THAT(world.images_->Change(
                     "ada/x:1",
                     [&](ImageRecord* record) {
                       const CopiedImage copied{.path = path,
                                                .sha256 = std::string(64, 'd'),
                                                .size_bytes = 7};
                       if (record->copy.state == v1::IMAGE_COPY_STATE_STAGING) {
                         ApplyStagedReport(copied, record);
                       } else {
                         ApplyStoredReport(world.config_.shared_images, copied,
                                           record);
                       }
                       return absl::OkStatus();
                     }),
                 IsOk());
  }
  absl::Status directory;  // what it answers, unless OK
  JobFixture world;
  ImageCopies copies{{.images = world.images_,
                      .jobs = world.jobs_.get(),
                      .person_lookup = &world.directory_,
                      .config = &world.config_.shared_images,
                      .clock = &world.clock_}};
};

TEST_CASE("image copies: disabled without a directory", "[jobs]") {
  ImageRecord record;
  RequestCopy({}, &record);
  CHECK(record.copy.state == v1::IMAGE_COPY_STATE_UNSPECIFIED);
}

TEST_CASE("image copies: a copy waits while its owner may start no job",
          "[jobs]") {
  Copying site(/*max_running_jobs=*/1);
  const Job other = site.world.Submit(site.world.ada_).value();
  site.copies.Follow();
  CHECK(site.Copy().state == v1::IMAGE_COPY_STATE_STAGING);
  CHECK(site.Copy().job == JobId());
  CHECK_THAT(site.Copy().problem, Catch::Contains("allows at most 1"));
  site.world.slurm_.Run(other.slurm_id);
  site.world.slurm_.End(other.slurm_id, SlurmState::kCompleted);
  site.world.slurm_.Poll();
  site.copies.Follow();  // not at once again
  CHECK(site.Copy().job == JobId());
  site.world.clock_.Advance(absl::Seconds(31));
  site.copies.Follow();
  CHECK(site.JobOf().owner == "ada");
  CHECK(site.Copy().problem.empty());
}

TEST_CASE("image copies: fails if the owner was removed or the name reused",
          "[jobs]") {
  Copying site;
  SECTION("the directory does not answer: later") {
    site.directory = absl::UnavailableError("away");
    site.copies.Follow();
    CHECK(site.Copy().state == v1::IMAGE_COPY_STATE_STAGING);
    return;
  }
  SECTION("gone") {
    site.directory = absl::NotFoundError("there is no user \"ada\"");
    site.copies.Follow();
    CHECK(site.Copy().state == v1::IMAGE_COPY_STATE_FAILED);
    CHECK(site.Copy().problem == "there is no user \"ada\"");
  }
  CHECK(site.world.slurm_.Jobs().size() <= 1);
}

TEST_CASE("image copies: one job of the owner, then one of the account",
          "[jobs]") {
  Copying site;
  site.copies.Follow();
  const Job first = site.JobOf();
  CHECK(first.owner == "ada");
  CHECK(first.spec.builds == "ada/x:1");
  site.copies.Follow();  // has one
  CHECK(site.Copy().job == first.id);
  const std::string staged = site.Copy().path;
  CHECK(staged.starts_with("/shared/incoming/"));
  site.Report(staged);
  CHECK(site.Copy().state == v1::IMAGE_COPY_STATE_STORING);
  site.copies.Follow();
  const Job second = site.JobOf();
  CHECK(second.owner == "carme-images");
  CHECK(second.owner_uid == Uid(20090));
  CHECK(site.Copy().uid == Uid(20090));
  site.Report("/shared/store/" + std::string(64, 'd') + ".sif");
  CHECK(site.Copy().state == v1::IMAGE_COPY_STATE_READY);
  CHECK(site.Copy().uid == Uid(20090));
}

TEST_CASE("image copies: finds a job whose id was not recorded", "[jobs]") {
  Copying site;
  const auto crash = [&] {  // after the submission, before the record
    REQUIRE_THAT(site.world.images_->Change("ada/x:1",
                                            [](ImageRecord* record) {
                                              record->copy.job = JobId();
                                              return absl::OkStatus();
                                            }),
                 IsOk());
  };
  for (const bool is_stored : {false, true}) {
    site.copies.Follow();
    const JobId submitted = site.Copy().job;
    REQUIRE(submitted != JobId());
    crash();
    site.copies.Follow();
    CHECK(site.Copy().job == submitted);
    if (!is_stored) site.Report(site.Copy().path);
  }
  CHECK(site.world.slurm_.Jobs().size() == 2);
}

TEST_CASE("image copies: a ready copy is made again when it is asked for",
          "[jobs]") {
  const SharedImagesConfig config{.directory = "/shared",
                                  .account = "carme-images"};
  ImageRecord record;
  for (const ImageCopyState state :
       {v1::IMAGE_COPY_STATE_STAGING, v1::IMAGE_COPY_STATE_STORING}) {
    record.copy = {.state = state, .path = "/shared/incoming/r.sif"};
    RequestCopy(config, &record);
    CHECK(record.copy.path == "/shared/incoming/r.sif");
    CHECK(record.copy.state == state);
  }
  for (const ImageCopyState state :
       {v1::IMAGE_COPY_STATE_UNSPECIFIED, v1::IMAGE_COPY_STATE_READY,
        v1::IMAGE_COPY_STATE_FAILED}) {
    record.copy = {.state = state, .path = "/shared/store/d.sif"};
    RequestCopy(config, &record);
    CHECK(record.copy.state == v1::IMAGE_COPY_STATE_STAGING);
    CHECK(record.copy.path.starts_with("/shared/incoming/"));
  }
}

TEST_CASE("image copies: a job that ends without a report fails the copy",
          "[jobs]") {
  Copying site;
  site.copies.Follow();
  const Job job = site.JobOf();
  site.world.slurm_.Run(job.slurm_id);
  site.world.slurm_.End(job.slurm_id, SlurmState::kFailed, 1);
  site.world.slurm_.Poll();
  site.world.clock_.Advance(absl::Minutes(1));
  site.world.slurm_.Poll();
  site.copies.Follow();
  CHECK(site.Copy().state == v1::IMAGE_COPY_STATE_FAILED);
  // Shared again, it is copied again, to another place.
  REQUIRE_THAT(site.world.images_->Change(
                   "ada/x:1",
                   [&](ImageRecord* record) {
                     RequestCopy(site.world.config_.shared_images, record);
                     return absl::OkStatus();
                   }),
               IsOk());
  site.copies.Follow();
  CHECK(site.JobOf().id != job.id);
}

TEST_CASE("image copies: a file of another digest is a failure", "[jobs]") {
  ImageRecord record;
  record.image.sha256.assign(64, 'd');
  record.size_bytes = 7;
  const SharedImagesConfig config{.directory = "/shared",
                                  .account = "carme-images"};
  const CopiedImage good{.path = StoredPath(config, record),
                         .sha256 = std::string(64, 'd'),
                         .size_bytes = 7};
  for (const auto& edit : std::vector<std::function<void(CopiedImage*)>>{
           [](CopiedImage* copied) { copied->sha256.assign(64, 'e'); },
           [](CopiedImage* copied) { copied->size_bytes = 8; },
           [](CopiedImage* copied) { copied->path = "/home/ada/x.sif"; },
           [](CopiedImage* copied) { copied->problem = "no room"; }}) {
    record.copy = {.state = v1::IMAGE_COPY_STATE_STORING, .uid = Uid(20090)};
    CopiedImage copied = good;
    edit(&copied);
    ApplyStoredReport(config, copied, &record);
    CHECK(record.copy.state == v1::IMAGE_COPY_STATE_FAILED);
    CHECK_FALSE(record.copy.problem.empty());
  }
  record.copy = {.state = v1::IMAGE_COPY_STATE_STORING, .uid = Uid(20090)};
  ApplyStoredReport(config, good, &record);
  CHECK(record.copy.state == v1::IMAGE_COPY_STATE_READY);
}

}  // namespace
}  // namespace carme::backend
