#include "backend/images/image_sharing.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme {
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

ImageRecord AdasImage() {
  ImageRecord record;
  record.image.id = "ada/x:1";
  record.image.owner = "ada";
  record.image.owner_uid = kAda.uid;
  return record;
}

TEST_CASE("image sharing: nobody offers another's, or to a group not theirs",
          "[backend]") {
  ImageRecord record = AdasImage();
  CHECK(absl::IsNotFound(OfferImage("chem", kBob, &record)));
  CHECK(absl::IsNotFound(OfferImage("chem", kCarol, &record)));
  CHECK(absl::IsPermissionDenied(OfferImage("bio", kAda, &record)));
  CHECK(record.shares.empty());
  ImageRecord of_site;
  CHECK(absl::IsNotFound(OfferImage("chem", kAda, &of_site)));
}

TEST_CASE("image sharing: a manager in the group approves, and nobody else",
          "[backend]") {
  ImageRecord record = AdasImage();
  // What was not offered is not there, whoever asks.
  for (const Person& person : {kBob, kFay, kGus, kSam, kCarol}) {
    CHECK(absl::IsNotFound(ApproveImage("chem", person, &record)));
  }
  REQUIRE(OfferImage("chem", kAda, &record).ok());
  for (const Person& person : {kAda, kBob, kGus, kSam}) {
    INFO(person.username);
    CHECK(absl::IsPermissionDenied(ApproveImage("chem", person, &record)));
  }
  CHECK(record.shares[0].approved_by.empty());
  REQUIRE(ApproveImage("chem", kFay, &record).ok());
  CHECK(record.shares[0].approved_by == "fay");
  // Offering again takes nothing back.
  REQUIRE(OfferImage("chem", kAda, &record).ok());
  CHECK(record.shares[0].approved_by == "fay");
}

TEST_CASE("image sharing: a manager shares their own at once", "[backend]") {
  ImageRecord record = AdasImage();
  record.image.owner = "fay";
  record.image.owner_uid = kFay.uid;
  CHECK(absl::IsPermissionDenied(ApproveImage("bio", kFay, &record)));
  REQUIRE(ApproveImage("chem", kFay, &record).ok());
  CHECK(record.shares.size() == 1);
}

TEST_CASE("image sharing: owner, manager and administrator take it back",
          "[backend]") {
  for (const Person& person : {kAda, kFay, kCarol}) {
    ImageRecord record = AdasImage();
    record.shares = {{"chem", "fay"}, {"bio", ""}};
    for (const Person& other : {kBob, kGus, kSam}) {
      CHECK(absl::IsNotFound(UnshareImage("chem", other, &record)));
    }
    REQUIRE(UnshareImage("chem", person, &record).ok());
    REQUIRE(record.shares.size() == 1);
    CHECK(record.shares[0].group == "bio");
    CHECK(absl::IsNotFound(UnshareImage("chem", person, &record)));
  }
}

TEST_CASE("image sharing: nobody vouches for what is not made yet",
          "[backend]") {
  for (const ImageState state :
       {ImageState::kBuilding, ImageState::kFailed, ImageState::kWithdrawn}) {
    ImageRecord record = AdasImage();
    record.state = state;
    CHECK(absl::IsFailedPrecondition(OfferImage("chem", kAda, &record)));
    CHECK(record.shares.empty());
    record.shares.push_back({.group = "chem"});
    CHECK(absl::IsFailedPrecondition(ApproveImage("chem", kFay, &record)));
    CHECK(record.shares[0].approved_by.empty());
  }
}

TEST_CASE("image sharing: the shares of an image have an end", "[backend]") {
  ImageRecord record = AdasImage();
  Person ada = kAda;
  for (size_t i = 0; i <= kMostImageShares; ++i) {
    ada.groups.push_back("g" + std::to_string(i));
  }
  for (size_t i = 0; i < kMostImageShares; ++i) {
    REQUIRE(OfferImage("g" + std::to_string(i), ada, &record).ok());
  }
  CHECK(absl::IsResourceExhausted(
      OfferImage("g" + std::to_string(kMostImageShares), ada, &record)));
}

}  // namespace
}  // namespace carme
