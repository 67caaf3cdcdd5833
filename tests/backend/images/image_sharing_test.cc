#include "backend/images/image_sharing.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

Person PersonIn(const std::string& name, uint32_t uid, Role role,
                const std::vector<std::string>& groups) {
  return {.username = name,
          .display_name = "",
          .uid = Uid(uid),
          .role = role,
          .groups = groups};
}

const Person kAda = PersonIn("ada", 20001, Role::kUser, {"chem"});
const Person kBob = PersonIn("bob", 20002, Role::kUser, {"chem"});
const Person kFay = PersonIn("fay", 20003, Role::kManager, {"chem"});
const Person kGus = PersonIn("gus", 20004, Role::kManager, {"bio"});
const Person kSam = PersonIn("sam", 20005, Role::kSupport, {"chem"});
const Person kCarol = PersonIn("carol", 20006, Role::kAdmin, {});

ShareTarget Group(const std::string& name) {
  return {.group = name, .project = ""};
}
const ShareTarget kChem = Group("chem");
const ShareTarget kBio = Group("bio");

ImageRecord AdasImage() {
  ImageRecord record;
  record.image.id = "ada/x:1";
  record.image.owner = "ada";
  record.image.owner_uid = kAda.uid;
  return record;
}

TEST_CASE("image sharing: refuses images and groups of other users",
          "[backend]") {
  ImageRecord record = AdasImage();
  CHECK(absl::IsNotFound(RequestImageShare(kChem, {.person = kBob}, &record)));
  CHECK(
      absl::IsNotFound(RequestImageShare(kChem, {.person = kCarol}, &record)));
  CHECK(absl::IsPermissionDenied(
      RequestImageShare(kBio, {.person = kAda}, &record)));
  CHECK(record.shares.empty());
  ImageRecord of_site;
  CHECK(absl::IsNotFound(RequestImageShare(kChem, {.person = kAda}, &of_site)));
}

TEST_CASE("image sharing: only a manager in the group may approve",
          "[backend]") {
  ImageRecord record = AdasImage();
  // An image that was not offered is NOT_FOUND for every user.
  for (const Person& person : {kBob, kFay, kGus, kSam, kCarol}) {
    CHECK(absl::IsNotFound(ApproveImage(kChem, {.person = person}, &record)));
  }
  REQUIRE_THAT(RequestImageShare(kChem, {.person = kAda}, &record), IsOk());
  for (const Person& person : {kAda, kBob, kSam}) {
    INFO(person.username);
    CHECK(absl::IsPermissionDenied(
        ApproveImage(kChem, {.person = person}, &record)));
  }
  CHECK(absl::IsNotFound(ApproveImage(kChem, {.person = kGus}, &record)));
  CHECK(record.shares[0].approved_by.empty());
  REQUIRE_THAT(ApproveImage(kChem, {.person = kFay}, &record), IsOk());
  CHECK(record.shares[0].approved_by == "fay");
  // Offering again takes nothing back.
  REQUIRE_THAT(RequestImageShare(kChem, {.person = kAda}, &record), IsOk());
  CHECK(record.shares[0].approved_by == "fay");
}

TEST_CASE("image sharing: a manager's own image needs no approval",
          "[backend]") {
  ImageRecord record = AdasImage();
  record.image.owner = "fay";
  record.image.owner_uid = kFay.uid;
  CHECK(
      absl::IsPermissionDenied(ApproveImage(kBio, {.person = kFay}, &record)));
  REQUIRE_THAT(ApproveImage(kChem, {.person = kFay}, &record), IsOk());
  CHECK(record.shares.size() == 1);
}

TEST_CASE("image sharing: owner, manager and administrator may revoke",
          "[backend]") {
  for (const Person& person : {kAda, kFay, kCarol}) {
    ImageRecord record = AdasImage();
    record.shares = {{kChem, "fay"}, {kBio, ""}};
    for (const Person& other : {kBob, kGus, kSam}) {
      CHECK(absl::IsNotFound(UnshareImage(kChem, {.person = other}, &record)));
    }
    REQUIRE_THAT(UnshareImage(kChem, {.person = person}, &record), IsOk());
    REQUIRE(record.shares.size() == 1);
    CHECK(record.shares[0].target == kBio);
    CHECK(absl::IsNotFound(UnshareImage(kChem, {.person = person}, &record)));
  }
}

TEST_CASE("image sharing: refuses to approve an unfinished image",
          "[backend]") {
  for (const ImageState state :
       {v1::IMAGE_STATE_BUILDING, v1::IMAGE_STATE_FAILED,
        v1::IMAGE_STATE_WITHDRAWN}) {
    ImageRecord record = AdasImage();
    record.state = state;
    CHECK(absl::IsFailedPrecondition(
        RequestImageShare(kChem, {.person = kAda}, &record)));
    CHECK(record.shares.empty());
    record.shares.push_back({.target = kChem});
    CHECK(absl::IsFailedPrecondition(
        ApproveImage(kChem, {.person = kFay}, &record)));
    CHECK(record.shares[0].approved_by.empty());
  }
}

TEST_CASE("image sharing: the shares of an image have an end", "[backend]") {
  ImageRecord record = AdasImage();
  Person ada = kAda;
  for (size_t i = 0; i <= kMaxImageShares; ++i) {
    ada.groups.push_back("g" + std::to_string(i));
  }
  for (size_t i = 0; i < kMaxImageShares; ++i) {
    REQUIRE_THAT(RequestImageShare(Group("g" + std::to_string(i)),
                                   {.person = ada}, &record),
                 IsOk());
  }
  CHECK(absl::IsResourceExhausted(RequestImageShare(
      Group("g" + std::to_string(kMaxImageShares)), {.person = ada}, &record)));
}

// Projects. Of `p` the owner of the image is a plain member; all are plain
// users of the site where nothing else is said.
const ShareTarget kProject = {.group = "", .project = "p"};

ImageUser In(const Person& person, bool is_member, bool manages = false,
             bool is_active = true) {
  return {.person = person,
          .memberships = {{.project = "other",
                           .is_member = true,
                           .manages = true,
                           .is_active = true},
                          {.project = "p",
                           .is_member = is_member,
                           .manages = manages,
                           .is_active = is_active}}};
}
ImageUser Out(const Person& person) {
  return {.person = person,
          .memberships = {{.project = "other",
                           .is_member = true,
                           .manages = true,
                           .is_active = true}}};
}

TEST_CASE("image sharing: refuses projects of other users", "[backend]") {
  ImageRecord record = AdasImage();
  const absl::Status outside = RequestImageShare(kProject, Out(kAda), &record);
  CHECK(absl::IsNotFound(outside));
  CHECK(RequestImageShare({.group = "", .project = "none"}, Out(kAda),
                          &record) == outside);
  // Invited, and no member yet.
  CHECK(RequestImageShare(kProject, In(kAda, false), &record) == outside);
  CHECK(absl::IsFailedPrecondition(
      RequestImageShare(kProject, In(kAda, true, true, false), &record)));
  // Nor another's image, as a manager of the project or administrator.
  for (const Person& person : {kBob, kFay, kCarol}) {
    CHECK(absl::IsNotFound(
        RequestImageShare(kProject, In(person, true, true), &record)));
  }
  // A group that is called as the project is another.
  Person namesake = kAda;
  namesake.groups = {"p"};
  CHECK(absl::IsNotFound(RequestImageShare(kProject, Out(namesake), &record)));
  CHECK(record.shares.empty());
}

TEST_CASE("image sharing: only a project's managers may approve", "[backend]") {
  struct Row {
    ImageUser who;
    absl::StatusCode answer;
  };
  using Code = absl::StatusCode;
  const std::vector<Row> rows = {
      {Out(kBob), Code::kNotFound},
      {Out(kFay), Code::kNotFound},  // a manager of the site
      {Out(kSam), Code::kNotFound},
      {Out(kCarol), Code::kNotFound},  // the project is gone
      {In(kBob, false), Code::kNotFound},
      {In(kBob, false, true), Code::kNotFound},
      {In(kFay, false), Code::kNotFound},
      {In(kBob, true), Code::kPermissionDenied},
      {In(kFay, true), Code::kPermissionDenied},
      {In(kSam, true), Code::kPermissionDenied},
      {In(kAda, true), Code::kPermissionDenied},  // her own image
      {In(kBob, true, true, false), Code::kFailedPrecondition},
      {In(kCarol, false, false, false), Code::kFailedPrecondition},
      {In(kBob, true, true), Code::kOk},  // a user of the site
      {In(kAda, true, true), Code::kOk},
      {In(kCarol, false), Code::kOk},
  };
  for (const Row& row : rows) {
    INFO(row.who.person.username << " " << row.who.memberships.size());
    ImageRecord offered = AdasImage();
    REQUIRE_THAT(RequestImageShare(kProject, In(kAda, true), &offered), IsOk());
    CHECK(MayApprove(offered, offered.shares[0], row.who) ==
          (row.answer == Code::kOk));
    CHECK_THAT(ApproveImage(kProject, row.who, &offered), StatusIs(row.answer));
    CHECK(offered.shares[0].approved_by.empty() == (row.answer != Code::kOk));
    CHECK_FALSE(MayApprove(offered, {kProject, "bob"}, row.who));
    // Only a copy that failed is approved once more.
    ImageRecord failed = offered;
    failed.copy.state = v1::IMAGE_COPY_STATE_FAILED;
    CHECK(MayApprove(failed, {kProject, "bob"}, row.who) ==
          (row.answer == Code::kOk));
    // Only the owner can offer an image.
    if (row.who.person.uid == kAda.uid) continue;
    ImageRecord kept = AdasImage();
    CHECK(absl::IsNotFound(ApproveImage(kProject, row.who, &kept)));
    CHECK(kept.shares.empty());
  }
  ImageRecord own = AdasImage();
  CHECK(absl::IsNotFound(ApproveImage(kProject, Out(kAda), &own)));
  CHECK(absl::IsPermissionDenied(ApproveImage(kProject, In(kAda, true), &own)));
  CHECK_THAT(ApproveImage(kProject, In(kAda, true, true), &own), IsOk());
}

TEST_CASE("image sharing: only finished images are offered or approved",
          "[backend]") {
  for (const ImageState state :
       {v1::IMAGE_STATE_BUILDING, v1::IMAGE_STATE_FAILED,
        v1::IMAGE_STATE_WITHDRAWN}) {
    ImageRecord record = AdasImage();
    record.state = state;
    CHECK(absl::IsFailedPrecondition(
        RequestImageShare(kProject, In(kAda, true), &record)));
    CHECK(record.shares.empty());
    record.shares = {{kProject, ""}};
    CHECK(absl::IsFailedPrecondition(
        ApproveImage(kProject, In(kBob, true, true), &record)));
    CHECK(record.shares[0].approved_by.empty());
  }
}

TEST_CASE(
    "image sharing: members of an active project may use an approved image",
    "[backend]") {
  ImageRecord record = AdasImage();
  record.shares = {{kProject, ""}};
  CHECK_FALSE(IsSharedWith(record, In(kBob, true, true)));
  record.shares = {{kProject, "bob"}};
  CHECK_FALSE(IsSharedWith(record, Out(kBob)));
  CHECK_FALSE(IsSharedWith(record, In(kBob, false)));
  CHECK_FALSE(IsSharedWith(record, In(kCarol, false)));
  CHECK_FALSE(IsSharedWith(record, In(kBob, true, true, false)));
  CHECK(IsSharedWith(record, In(kBob, true)));
  CHECK_FALSE(IsSharedWith(record, {}));
}

TEST_CASE(
    "image sharing: owner, managers and administrators revoke a share, also of "
    "an ended project",
    "[backend]") {
  for (const ImageUser& user :
       {Out(kAda), In(kBob, true, true, false), Out(kCarol)}) {
    ImageRecord record = AdasImage();
    record.shares = {{kProject, "bob"}, {Group("p"), "fay"}};
    for (const ImageUser& other :
         {Out(kBob), In(kBob, true), In(kFay, true), In(kBob, false)}) {
      CHECK(absl::IsNotFound(UnshareImage(kProject, other, &record)));
    }
    REQUIRE_THAT(UnshareImage(kProject, user, &record), IsOk());
    REQUIRE(record.shares.size() == 1);
    CHECK(record.shares[0].target == Group("p"));
  }
}

TEST_CASE("image sharing: hides project ids from other users", "[backend]") {
  const auto seen = [](const ImageUser& user) {
    ImageRecord record = AdasImage();
    record.shares = {{kProject, "bob"}, {kChem, "fay"}};
    HideShares(user, &record);
    return record.shares.size();
  };
  CHECK(seen(Out(kBob)) == 1);
  CHECK(seen(Out(kFay)) == 1);
  CHECK(seen(In(kBob, false)) == 1);
  CHECK(seen(In(kBob, true)) == 2);
  for (const Person& person : {kAda, kSam, kCarol})
    CHECK(seen(Out(person)) == 2);
}

}  // namespace
}  // namespace carme::backend
