#include "backend/images/image_catalogue.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/file.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/fake_project_memberships.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

const Person kAda = {.username = "ada",
                     .display_name = "Ada",
                     .uid = Uid(20001),
                     .role = Role::kUser};
const Person kBob = {.username = "bob",
                     .display_name = "Bob",
                     .uid = Uid(20002),
                     .role = Role::kUser};
const Person kSam = {.username = "sam",
                     .display_name = "Sam",
                     .uid = Uid(20004),
                     .role = Role::kSupport};

Image Fixed(const std::string& id) {
  Image image;
  image.id = id;
  return image;
}

ImageRecord Record(const std::string& id) {
  ImageRecord record;
  record.image.id = id;
  record.image.path = "/images/" + id;
  record.image.sha256.assign(64, 'a');
  return record;
}

struct Site {
  Site() {
    memberships.memberships[kAda.uid] = {{.project = "p",
                                          .is_member = true,
                                          .manages = false,
                                          .is_active = true}};
    Start();
  }
  void Start() {
    catalogue.reset();
    database.reset();
    database = Database::Open(dir.File("carme.db"), Migrations()).value();
    catalogue = ImageCatalogue::Open({.database = database.get(),
                                      .clock = &clock,
                                      .person_lookup = &directory,
                                      .project_memberships = &memberships},
                                     fixed, needs_copies)
                    .value();
  }
  std::vector<std::string> IdsFor(const Person& person) {
    std::vector<std::string> ids;
    for (const Image& image : catalogue->UsableBy(person)) {
      ids.push_back(image.id);
    }
    return ids;
  }
  ImageRecord SetState(const std::string& id, ImageState state) {
    return catalogue
        ->Change(id,
                 [&](ImageRecord* record) {
                   record->state = state;
                   return absl::OkStatus();
                 })
        .value();
  }

  TempDir dir;
  FakeClock clock;
  bool needs_copies = false;     // of the next Start
  bool bob_is_chemist = false;   // in the directory
  absl::Status directory_error;  // the result of each lookup, unless OK
  FakeDirectory directory{
      [this](const std::string& username) -> absl::StatusOr<Person> {
        if (!directory_error.ok()) return directory_error;
        Person person = username == "ada" ? kAda : kBob;
        if (username == "ada" || bob_is_chemist) person.groups = {"chem"};
        return person;
      }};
  FakeProjectMemberships memberships;
  ProjectMembership& AdasMembership() {
    return memberships.memberships[kAda.uid].at(0);
  }
  std::vector<Image> fixed = {Fixed("base:1"), Fixed(kNoImage)};
  std::unique_ptr<Database> database;
  std::unique_ptr<ImageCatalogue> catalogue;
};

using Ids = std::vector<std::string>;

TEST_CASE("images: an id is never reused", "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
  CHECK(absl::IsAlreadyExists(site.catalogue->Add(Record("torch:2")).status()));
  CHECK(absl::IsAlreadyExists(site.catalogue->Add(Record("base:1")).status()));
  site.SetState("torch:2", v1::IMAGE_STATE_WITHDRAWN);
  CHECK(absl::IsAlreadyExists(site.catalogue->Add(Record("torch:2")).status()));
}

TEST_CASE("images: backend.toml's are changed there alone", "[backend]") {
  Site site;
  const auto nothing = [](ImageRecord*) { return absl::OkStatus(); };
  CHECK(absl::IsFailedPrecondition(
      site.catalogue->Change("base:1", nothing).status()));
  CHECK(absl::IsNotFound(site.catalogue->Change("no:1", nothing).status()));
}

TEST_CASE("images: a group's image is for its members alone", "[backend]") {
  Site site;
  ImageRecord record = Record("gaussian:16");
  record.groups = {"chem"};
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  CHECK(site.IdsFor(kBob) == Ids{"base:1", "none"});
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "gaussian:16", "none"});
  CHECK(absl::IsFailedPrecondition(
      site.catalogue->ForStart("gaussian:16", "bob", Uid(20002)).status()));
  CHECK_THAT(site.catalogue->ForStart("gaussian:16", "ada", Uid(20001)),
             IsOk());
}

TEST_CASE("images: offers no group's images while LDAP is unavailable",
          "[backend]") {
  Site site;
  ImageRecord record = Record("gaussian:16");
  record.groups = {"chem"};
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  site.directory_error = absl::UnavailableError("away");
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  // A job that is about to begin waits for it.
  CHECK(absl::IsUnavailable(
      site.catalogue->ForStart("gaussian:16", "ada", Uid(20001)).status()));
  site.directory_error = absl::NotFoundError("gone");
  CHECK(absl::IsFailedPrecondition(
      site.catalogue->ForStart("gaussian:16", "ada", Uid(20001)).status()));
}

TEST_CASE("images: the directory is not queried if no groups matter",
          "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
  ImageRecord for_support = Record("tools:1");
  for_support.roles = {Role::kSupport};
  REQUIRE_THAT(site.catalogue->Add(for_support), IsOk());
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "torch:2", "none"});
  CHECK(site.IdsFor(kSam) == Ids{"base:1", "tools:1", "torch:2", "none"});
  CHECK_THAT(site.catalogue->ForStart("torch:2", "ada", Uid(20001)), IsOk());
  CHECK(site.directory.lookups() == 0);
}

TEST_CASE("images: a withdrawn image starts no job; running jobs keep it",
          "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
  site.SetState("torch:2", v1::IMAGE_STATE_WITHDRAWN);
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK(absl::IsFailedPrecondition(
      site.catalogue->ForStart("torch:2", "ada", Uid(20001)).status()));
  CHECK(site.catalogue->Find("torch:2").has_value());
  CHECK(site.catalogue->List(kAda).size() == 1);
  CHECK(site.catalogue->List(kSam).size() == 2);
}

TEST_CASE("images: a deprecated image is marked and listed last", "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Record("a:1")), IsOk());
  REQUIRE_THAT(site.catalogue->Add(Record("b:1")), IsOk());
  site.SetState("a:1", v1::IMAGE_STATE_DEPRECATED);
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "b:1", "a:1", "none"});
  CHECK(site.catalogue->ForStart("a:1", "ada", Uid(20001))->deprecated);
}

TEST_CASE("images: additions and changes survive a restart", "[backend]") {
  Site site;
  ImageRecord record = Record("torch:2");
  record.image.description = "PyTorch";
  record.image.apps = {"jupyter"};
  record.image.mounts = {{"/data", "/mnt", true}};
  record.image.environment = {{"A", "b"}};
  record.image.driver = "550";
  record.image.cuda = "12.4";
  record.groups = {"chem"};
  record.roles = {Role::kManager};
  record.size_bytes = 5;
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  site.SetState("torch:2", v1::IMAGE_STATE_DEPRECATED);
  site.Start();
  const auto shown = site.catalogue->List(kSam);
  REQUIRE(shown.size() == 2);
  const ImageRecord& read = shown[1].record;
  CHECK(read.state == v1::IMAGE_STATE_DEPRECATED);
  CHECK(read.image.path == "/images/torch:2");
  CHECK(read.image.sha256 == std::string(64, 'a'));
  CHECK(read.image.description == "PyTorch");
  CHECK(read.image.apps == Ids{"jupyter"});
  REQUIRE(read.image.mounts.size() == 1);
  CHECK(read.image.mounts[0].target == "/mnt");
  CHECK(read.image.mounts[0].read_only);
  CHECK(read.image.environment.at("A") == "b");
  CHECK(read.image.driver == "550");
  CHECK(read.image.cuda == "12.4");
  CHECK(read.groups == Ids{"chem"});
  CHECK(read.roles == std::vector<Role>{Role::kManager});
  CHECK(read.size_bytes == 5);
  CHECK(read.created_at == site.clock.Now());
}

ImageRecord Own(const std::string& id) {
  ImageRecord record = Record(id);
  record.image.owner = "ada";
  record.image.owner_uid = kAda.uid;
  record.source = v1::IMAGE_SOURCE_DEFINITION;
  record.source_path = "~/x.def";
  return record;
}

TEST_CASE("images: a user's image belongs to the uid, not the name",
          "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Own("ada/x:1")), IsOk());
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "ada/x:1", "none"});
  CHECK(site.IdsFor(kBob) == Ids{"base:1", "none"});
  CHECK(site.catalogue->List(kBob).size() == 1);
  Person namesake = kAda;
  namesake.uid = Uid(29999);
  CHECK(site.IdsFor(namesake) == Ids{"base:1", "none"});
  CHECK_THAT(site.catalogue->ForStart("ada/x:1", "ada", kAda.uid), IsOk());
  CHECK_FALSE(site.catalogue->ForStart("ada/x:1", "bob", kBob.uid).ok());
  CHECK_FALSE(site.catalogue->ForStart("ada/x:1", "ada", Uid(29999)).ok());
  CHECK(absl::IsNotFound(site.catalogue->Remove("ada/x:1", kBob.uid)));
  CHECK(absl::IsNotFound(site.catalogue->Remove("base:1", kAda.uid)));
  CHECK_THAT(site.catalogue->Remove("ada/x:1", kAda.uid), IsOk());
  site.Start();
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
}

TEST_CASE("images: an offer does not share an image, an approval does",
          "[backend]") {
  Site site;
  ImageRecord record = Own("bob/x:1");
  record.image.owner = "bob";
  record.image.owner_uid = kBob.uid;
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  const auto share = [&](const std::string& approved_by) {
    REQUIRE_THAT(
        site.catalogue->Change("bob/x:1",
                               [&](ImageRecord* known) {
                                 known->shares = {{{"chem", ""}, approved_by}};
                                 return absl::OkStatus();
                               }),
        IsOk());
    site.Start();
  };
  share("");
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  share("fay");
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "bob/x:1", "none"});
  CHECK_THAT(site.catalogue->ForStart("bob/x:1", "ada", kAda.uid), IsOk());
}

TEST_CASE("images: a project's image depends on membership, not the directory",
          "[backend]") {
  Site site;
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK(site.memberships.lookups == 0);
  ImageRecord record = Own("bob/x:1");
  record.image.owner = "bob";
  record.image.owner_uid = kBob.uid;
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  REQUIRE_THAT(site.catalogue->Change("bob/x:1",
                                      [](ImageRecord* known) {
                                        known->shares = {{{"", "p"}, "gus"}};
                                        return absl::OkStatus();
                                      }),
               IsOk());
  site.Start();
  const auto start = [&](Uid uid) {
    return site.catalogue->ForStart("bob/x:1", "ada", uid).status();
  };
  site.AdasMembership().is_active = false;
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK(absl::IsFailedPrecondition(start(kAda.uid)));
  site.AdasMembership().is_active = true;
  site.memberships.error = absl::InternalError("disk");
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK(absl::IsUnavailable(start(kAda.uid)));
  site.memberships.error = absl::OkStatus();
  CHECK(absl::IsFailedPrecondition(start(Uid(29999))));
  site.directory_error = absl::UnavailableError("ldap");
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "bob/x:1", "none"});
  CHECK_THAT(start(kAda.uid), IsOk());
}

TEST_CASE("images: a site's one for a project is for its members alone",
          "[backend]") {
  Site site;
  ImageRecord record = Record("course:1");
  record.projects = {"p"};
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  site.Start();  // as the table has it
  const auto start = [&](const Person& who) {
    return site.catalogue->ForStart("course:1", who.username, who.uid).status();
  };
  CHECK(site.IdsFor(kBob) == Ids{"base:1", "none"});
  CHECK(absl::IsFailedPrecondition(start(kBob)));
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "course:1", "none"});
  CHECK_THAT(start(kAda), IsOk());
  site.AdasMembership().is_active = false;
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK(absl::IsFailedPrecondition(start(kAda)));
  site.AdasMembership() = {
      .project = "p", .is_member = false, .is_active = true};
  CHECK(absl::IsFailedPrecondition(start(kAda)));
  site.AdasMembership().is_member = true;
  site.memberships.error = absl::InternalError("disk");
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK(absl::IsUnavailable(start(kAda)));
}

TEST_CASE("images: hides the project of an image from other users",
          "[backend]") {
  Site site;
  ImageRecord record = Record("course:1");
  record.projects = {"p", "q"};
  record.groups = {"chem"};
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  const auto projects = [&](const Person& who) {
    for (const auto& shown : site.catalogue->List(who)) {
      if (shown.record.image.id == "course:1") return shown.record.projects;
    }
    return Ids{"not listed"};
  };
  CHECK(projects(kAda) == Ids{"p"});
  CHECK(projects(kSam) == Ids{"p", "q"});  // support
  CHECK(projects(kBob) == Ids{"not listed"});
}

TEST_CASE("images: an unfinished image starts no job and belongs to its job",
          "[backend]") {
  Site site;
  ImageRecord record = Own("ada/x:1");
  record.state = v1::IMAGE_STATE_BUILDING;
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK_FALSE(site.catalogue->ForStart("ada/x:1", "ada", kAda.uid).ok());
  const JobId job("aaaaaaaaaaaaaaaa"), other("bbbbbbbbbbbbbbbb");
  CHECK_THAT(site.catalogue->WorkOf("ada/x:1", kAda.uid, job), IsOk());
  REQUIRE_THAT(site.catalogue->ChangeOwn("ada/x:1", kAda.uid,
                                         [&](ImageRecord* known) {
                                           known->build_job = job;
                                           return absl::OkStatus();
                                         }),
               IsOk());
  CHECK_THAT(site.catalogue->WorkOf("ada/x:1", kAda.uid, job), IsOk());
  CHECK_FALSE(site.catalogue->WorkOf("ada/x:1", kAda.uid, other).ok());
  CHECK_FALSE(site.catalogue->WorkOf("ada/x:1", kBob.uid, job).ok());
  // While its job lives the name is taken; when it has ended it is free.
  site.catalogue->FailOrphaned([](const JobId&) { return true; });
  CHECK(absl::IsAlreadyExists(site.catalogue->Add(record).status()));
  site.catalogue->FailOrphaned([](const JobId&) { return false; });
  const auto shown = site.catalogue->List(kAda);
  REQUIRE(shown.size() == 2);
  CHECK(shown[1].record.state == v1::IMAGE_STATE_FAILED);
  CHECK(shown[1].own);
  CHECK_FALSE(shown[1].usable);
  CHECK_THAT(site.catalogue->Add(record), IsOk());
}

// Ada's, shared with all users, at a site that stores copies.
ImageRecord Shared(const std::string& id) {
  ImageRecord record = Own(id);
  record.size_bytes = 7;
  record.shares = {{.target = {.group = "chem"}, .approved_by = "fay"}};
  return record;
}

TEST_CASE("images: others use a shared one by its copy alone", "[backend]") {
  Site site;
  site.needs_copies = true;
  site.bob_is_chemist = true;
  site.Start();
  REQUIRE_THAT(site.catalogue->Add(Shared("ada/x:1")), IsOk());
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "ada/x:1", "none"});
  CHECK(site.IdsFor(kBob) == Ids{"base:1", "none"});
  CHECK(absl::IsFailedPrecondition(
      site.catalogue->ForStart("ada/x:1", "bob", kBob.uid).status()));
  CHECK(site.catalogue->WhyNot(kBob, "ada/x:1")
            .text.starts_with(
                "image \"ada/x:1\" is not in the site's directory"));
  // It was approved before the site kept copies: that can be repeated.
  const auto may_approve = [&] {
    Person admin;
    admin.username = "carol";
    admin.uid = Uid(20003);
    admin.role = Role::kAdmin;
    for (const ImageCatalogue::Shown& shown : site.catalogue->List(admin)) {
      if (shown.record.image.id == "ada/x:1") return shown.to_approve.at(0);
    }
    return false;
  };
  CHECK(may_approve());
  const auto copy = [&](ImageCopy state) {
    REQUIRE_THAT(site.catalogue->Change("ada/x:1",
                                        [&](ImageRecord* record) {
                                          record->copy = state;
                                          return absl::OkStatus();
                                        }),
                 IsOk());
  };
  copy({.state = v1::IMAGE_COPY_STATE_STORING,
        .path = "/shared/incoming/r.sif"});
  CHECK(site.catalogue->StoredNames() ==
        Ids{std::string(64, 'a') + ".sif", "r.sif"});
  CHECK(site.catalogue->WhyNot(kBob, "ada/x:1")
            .text.starts_with("image \"ada/x:1\" is being copied"));
  CHECK(site.catalogue->CopiesToSubmit().size() == 1);
  CHECK_FALSE(may_approve());
  copy({.state = v1::IMAGE_COPY_STATE_READY,
        .path = "/shared/store/c.sif",
        .uid = Uid(990)});
  site.Start();  // it is in the table
  CHECK(site.IdsFor(kBob) == Ids{"base:1", "ada/x:1", "none"});
  const auto bobs = site.catalogue->ForStart("ada/x:1", "bob", kBob.uid);
  REQUIRE_THAT(bobs, IsOk());
  CHECK(bobs->path == "/shared/store/c.sif");
  CHECK(bobs->store_uid == Uid(990));
  const auto adas = site.catalogue->ForStart("ada/x:1", "ada", kAda.uid);
  REQUIRE_THAT(adas, IsOk());
  CHECK(adas->path == Shared("ada/x:1").image.path);
  CHECK_FALSE(adas->store_uid.has_value());
  CHECK(site.catalogue->StoredNames() == Ids{std::string(64, 'a') + ".sif"});
}

TEST_CASE("images: a copy is its two jobs' alone, one after the other",
          "[backend]") {
  using Kind = ImageWork::Kind;
  Site site;
  site.needs_copies = true;
  site.Start();
  ImageRecord record = Shared("ada/x:1");
  record.copy = {.state = v1::IMAGE_COPY_STATE_STAGING, .path = "/in/r.sif"};
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  const JobId job("aaaaaaaaaaaaaaaa"), other("bbbbbbbbbbbbbbbb");
  const Uid account(990);
  const auto work = [&](Uid uid, const JobId& by) {
    return site.catalogue->WorkOf("ada/x:1", uid, by);
  };
  CHECK(work(kAda.uid, job)->kind == Kind::kStage);
  CHECK_FALSE(work(kBob.uid, job).ok());
  CHECK_FALSE(work(account, job).ok());
  const auto change = [&](auto edit) {
    REQUIRE_THAT(site.catalogue->Change("ada/x:1",
                                        [&](ImageRecord* known) {
                                          edit(&known->copy);
                                          return absl::OkStatus();
                                        }),
                 IsOk());
  };
  change([&](ImageCopy* copy) { copy->job = job; });
  CHECK_FALSE(work(kAda.uid, other).ok());
  // The owner cannot report that it is stored, not even before the account is
  // known.
  change([&](ImageCopy* copy) {
    *copy = {.state = v1::IMAGE_COPY_STATE_STORING, .path = "/in/r.sif"};
  });
  CHECK_FALSE(work(kAda.uid, job).ok());
  change([&](ImageCopy* copy) { copy->uid = account; });
  CHECK_FALSE(work(kAda.uid, job).ok());
  CHECK(work(account, other)->kind == Kind::kStore);
  // Its job ends without a word.
  change([&](ImageCopy* copy) { copy->job = other; });
  site.catalogue->FailOrphaned([](const JobId&) { return false; });
  CHECK(site.catalogue->List(kAda)[1].record.copy.state ==
        v1::IMAGE_COPY_STATE_FAILED);
  CHECK_FALSE(work(account, other).ok());
}

TEST_CASE("images: its users see why an image cannot be used", "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
  ImageRecord gaussian = Record("gaussian:16");
  gaussian.groups = {"chem"};
  REQUIRE_THAT(site.catalogue->Add(gaussian), IsOk());
  CHECK(site.catalogue->WhyNot(kAda, "torch:2").empty());
  for (const char* id : {"torch:2", "gaussian:16"}) {
    site.SetState(id, v1::IMAGE_STATE_WITHDRAWN);
  }
  CHECK(site.catalogue->WhyNot(kAda, "torch:2").text ==
        "image \"torch:2\" is withdrawn");
  CHECK(site.catalogue->WhyNot(kAda, "gaussian:16").text ==
        "image \"gaussian:16\" is withdrawn");
  CHECK(site.catalogue->WhyNot(kBob, "gaussian:16").empty());
  CHECK(site.catalogue->WhyNot(kAda, "none:1").empty());
}

TEST_CASE("images: one of the site's is removed, a user's or the file's is not",
          "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
  REQUIRE_THAT(site.catalogue->Add(Own("ada/x:1")), IsOk());
  CHECK(absl::IsFailedPrecondition(site.catalogue->RemoveOfSite("ada/x:1")));
  CHECK(absl::IsFailedPrecondition(site.catalogue->RemoveOfSite("base:1")));
  CHECK(absl::IsNotFound(site.catalogue->RemoveOfSite("none:1")));
  CHECK_THAT(site.catalogue->RemoveOfSite("torch:2"), IsOk());
  site.Start();
  CHECK(site.IdsFor(kBob) == Ids{"base:1", "none"});
}

TEST_CASE("images: a lost submission is marked as failed", "[backend]") {
  Site site;
  ImageRecord record = Own("ada/x:1");
  record.state = v1::IMAGE_STATE_BUILDING;
  REQUIRE_THAT(site.catalogue->Add(record), IsOk());
  const auto none = [](const JobId&) { return false; };
  site.catalogue->FailOrphaned(none);
  CHECK(site.catalogue->List(kAda)[1].record.state == v1::IMAGE_STATE_BUILDING);
  site.clock.Advance(absl::Minutes(11));
  site.catalogue->FailOrphaned(none);
  CHECK(site.catalogue->List(kAda)[1].record.state == v1::IMAGE_STATE_FAILED);
}

// A site whose image base:1 is built by a program.
struct BuildSite : Site {
  BuildSite() {
    fixed[0].path = "/images/base.sif";
    fixed[0].status_file = dir.File("status");
    Start();
  }
  // Replaces the status file, which is read once a second.
  void Report(const std::string& text) {
    REQUIRE_THAT(WriteFile(dir.File("status"), text, 0644), IsOk());
    clock.Advance(absl::Seconds(1));
  }
  std::string Now() const {
    return std::to_string(absl::ToUnixSeconds(clock.Now()));
  }
  ImageRecord Base() { return catalogue->List(kAda).at(0).record; }
};

TEST_CASE("images: one that is being built starts no job", "[backend]") {
  BuildSite site;
  CHECK(site.IdsFor(kAda) == Ids{"none"});
  CHECK(site.Base().problem == "the build has not started");
  site.Report("state=building\nstep=1\nsteps=3\nupdated_at=" + site.Now());
  CHECK(site.IdsFor(kAda) == Ids{"none"});
  CHECK_THAT(site.catalogue->ForStart("base:1", "ada", kAda.uid),
             StatusIs(absl::StatusCode::kFailedPrecondition));
  CHECK(site.catalogue->WhyNot(kAda, "base:1").text ==
        "image \"base:1\" is being built: try again later, or start without an "
        "image");
  const ImageRecord base = site.Base();
  CHECK(base.state == v1::IMAGE_STATE_BUILDING);
  CHECK(base.problem.empty());
  REQUIRE(base.build);
  CHECK(base.build->steps == 3);
  CHECK(site.catalogue->IncompleteFixed().size() == 1);
}

TEST_CASE("images: one that was not built is shown with the reason",
          "[backend]") {
  BuildSite site;
  site.Report("state=failed\nmessage=no space left on device\n");
  CHECK(site.Base().state == v1::IMAGE_STATE_FAILED);
  CHECK(site.Base().problem == "no space left on device");
  CHECK(site.IdsFor(kAda) == Ids{"none"});
  site.Report("state=nonsense\n");
  CHECK(site.Base().problem == "the status of the build cannot be read");
  site.Report("state=ready\n");
  CHECK(site.Base().problem == "the build did not report a digest");
  site.Report("state=building\nupdated_at=" + site.Now());
  CHECK(site.Base().state == v1::IMAGE_STATE_BUILDING);
  site.clock.Advance(absl::Minutes(11));
  CHECK(site.Base().state == v1::IMAGE_STATE_FAILED);
}

TEST_CASE("images: one is usable from the end of its build on, permanently",
          "[backend]") {
  BuildSite site;
  site.Report("state=building\nupdated_at=" + site.Now());
  CHECK(site.IdsFor(kAda) == Ids{"none"});
  const std::string digest(64, 'a');
  site.Report("state=ready\nsha256=" + digest + "\n");
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
  CHECK(site.catalogue->ForStart("base:1", "ada", kAda.uid)->sha256 == digest);
  CHECK(site.catalogue->IncompleteFixed().empty());
  CHECK_FALSE(site.Base().build);
  site.Report("state=ready\nsha256=" + std::string(64, 'b') + "\n");
  CHECK(site.catalogue->Find("base:1")->sha256 == digest);
}

TEST_CASE("images: one with a digest needs no status file", "[backend]") {
  BuildSite site;
  site.fixed[0].sha256.assign(64, 'c');
  site.Start();
  CHECK(site.IdsFor(kAda) == Ids{"base:1", "none"});
}

TEST_CASE("images: a change that shows nothing new has no new version",
          "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Own("ada/mine:1")), IsOk());
  CHECK(site.catalogue->Refresh());
  const uint64_t version = site.catalogue->versions().For(kAda.uid, false);
  REQUIRE_THAT(
      site.catalogue->ChangeOwn("ada/mine:1", kAda.uid,
                                [](ImageRecord*) { return absl::OkStatus(); }),
      IsOk());
  CHECK_FALSE(site.catalogue->Refresh());
  CHECK(site.catalogue->versions().For(kAda.uid, false) == version);
  CHECK(absl::IsNotFound(site.catalogue->Remove("ada/mine:1", kBob.uid)));
  CHECK_FALSE(site.catalogue->Refresh());
}

TEST_CASE("images: a new version for each change of an image", "[backend]") {
  Site site;
  const auto version = [&] {
    return site.catalogue->versions().For(kAda.uid, false);
  };
  REQUIRE_THAT(site.catalogue->Add(Own("ada/mine:1")), IsOk());
  REQUIRE_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
  const uint64_t before = version();
  SECTION("a state") { site.SetState("ada/mine:1", v1::IMAGE_STATE_WITHDRAWN); }
  SECTION("a removed image") {
    REQUIRE_THAT(site.catalogue->Remove("ada/mine:1", kAda.uid), IsOk());
  }
  SECTION("a removed site image") {
    REQUIRE_THAT(site.catalogue->RemoveOfSite("torch:2"), IsOk());
  }
  SECTION("a job that ended without a report") {
    REQUIRE_THAT(site.catalogue->Change("ada/mine:1",
                                        [](ImageRecord* record) {
                                          record->state =
                                              v1::IMAGE_STATE_BUILDING;
                                          record->build_job = JobId("j-1");
                                          return absl::OkStatus();
                                        }),
                 IsOk());
    const uint64_t building = version();
    site.catalogue->FailOrphaned([](const JobId&) { return true; });
    CHECK(version() == building);
    site.catalogue->FailOrphaned([](const JobId&) { return false; });
    CHECK(version() != building);
  }
  CHECK(version() != before);
  CHECK(site.catalogue->Refresh());
}

TEST_CASE("images: a new version for each step of a build", "[backend]") {
  BuildSite site;
  const auto version = [&] {
    site.catalogue->Refresh();
    return site.catalogue->versions().For(kBob.uid, false);
  };
  const std::string now = "\nupdated_at=" + site.Now();
  site.Report("state=building\nstep=1\nsteps=3\npercent=10" + now);
  const uint64_t first = version();
  site.Report("state=building\nstep=1\nsteps=3\npercent=10" + now);
  CHECK(version() == first);
  site.Report("state=building\nstep=1\nsteps=3\npercent=20" + now);
  const uint64_t second = version();
  CHECK(second != first);
  site.Report("state=ready\nsha256=" + std::string(64, 'a') + "\n");
  CHECK(site.catalogue->Refresh());
  CHECK(version() != second);
}

TEST_CASE("images: limits the number of images of a user", "[backend]") {
  Site site;
  for (size_t i = 0; i < ImageCatalogue::kMaxOwn; ++i) {
    REQUIRE_THAT(site.catalogue->Add(Own("ada/x:" + std::to_string(i))),
                 IsOk());
  }
  CHECK(
      absl::IsResourceExhausted(site.catalogue->Add(Own("ada/x:y")).status()));
  CHECK_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
}

TEST_CASE("images: one that came into backend.toml is that of the file",
          "[backend]") {
  Site site;
  REQUIRE_THAT(site.catalogue->Add(Record("torch:2")), IsOk());
  site.fixed.insert(site.fixed.begin(), Fixed("torch:2"));
  site.Start();
  CHECK(site.IdsFor(kAda) == Ids{"torch:2", "base:1", "none"});
  CHECK(site.catalogue->Find("torch:2")->path.empty());
}

}  // namespace
}  // namespace carme::backend
