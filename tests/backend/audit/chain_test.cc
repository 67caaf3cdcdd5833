#include "backend/audit/chain.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/encoding.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

AuditEntry EntryAt(int64_t sequence) {
  return {.sequence = sequence,
          .at = 1'800'000'000'000'000 + sequence,
          .act = "submit",
          .actor = "ada",
          .actor_uid = 20001,
          .subject = "k3",
          .decision = "allow",
          .result = "ok",
          .source = "192.0.2.7",
          .machine = "carme-frontend",
          .request_id = "r",
          .session_id = "s"};
}

std::vector<AuditEntry> ChainOf(int64_t length) {
  std::vector<AuditEntry> chain;
  std::string hash = ChainStart();
  for (int64_t sequence = 1; sequence <= length; ++sequence) {
    AuditEntry entry = EntryAt(sequence);
    entry.hash = hash = ChainHash(hash, entry);
    chain.push_back(std::move(entry));
  }
  return chain;
}

// The sequence of the first entry that is refused; 0: none is.
int64_t BrokenAt(const std::vector<AuditEntry>& chain) {
  ChainCheck check;
  for (const AuditEntry& entry : chain) {
    if (!check.Take(entry).ok()) return entry.sequence;
  }
  return 0;
}

using Edit = std::function<void(AuditEntry*)>;

TEST_CASE("chain: any field that is changed is found at its entry", "[audit]") {
  const std::vector<std::pair<const char*, Edit>> edits = {
      {"at", [](AuditEntry* e) { ++e->at; }},
      {"act", [](AuditEntry* e) { e->act = "cancel"; }},
      {"actor", [](AuditEntry* e) { e->actor = "bob"; }},
      {"actor_uid", [](AuditEntry* e) { e->actor_uid += 1LL << 32; }},
      {"subject", [](AuditEntry* e) { e->subject = ""; }},
      {"decision", [](AuditEntry* e) { e->decision = "ALLOW"; }},
      {"result", [](AuditEntry* e) { e->result = "ok "; }},
      {"source", [](AuditEntry* e) { e->source = "192.0.2.8"; }},
      {"machine", [](AuditEntry* e) { e->machine.clear(); }},
      {"request_id", [](AuditEntry* e) { e->request_id = "q"; }},
      {"session_id", [](AuditEntry* e) { e->session_id = "t"; }},
      {"hash", [](AuditEntry* e) { e->hash[31] ^= 1; }},
      {"hash's length", [](AuditEntry* e) { e->hash.pop_back(); }},
      {"a byte that moved to the next field",
       [](AuditEntry* e) {
         e->subject = "k";
         e->decision = "3allow";
       }},
  };
  for (const auto& [name, edit] : edits) {
    INFO(name);
    for (const size_t place : {0, 4, 9}) {
      std::vector<AuditEntry> chain = ChainOf(10);
      edit(&chain[place]);
      CHECK(BrokenAt(chain) == static_cast<int64_t>(place) + 1);
    }
  }
}

TEST_CASE("chain: an entry that is missing is found", "[audit]") {
  std::vector<AuditEntry> chain = ChainOf(10);
  chain.erase(chain.begin() + 4);
  CHECK(BrokenAt(chain) == 6);
  for (size_t i = 4; i < chain.size(); ++i) --chain[i].sequence;
  CHECK(BrokenAt(chain) == 5);  // renumbered: the hashes do not fit
}

TEST_CASE("chain: a beginning that is missing is found", "[audit]") {
  std::vector<AuditEntry> chain = ChainOf(10);
  chain.erase(chain.begin(), chain.begin() + 3);
  CHECK(BrokenAt(chain) == 4);
}

TEST_CASE("chain: entries that changed places are found", "[audit]") {
  std::vector<AuditEntry> chain = ChainOf(10);
  std::swap(chain[3], chain[4]);
  CHECK(BrokenAt(chain) == 5);
  std::swap(chain[3].sequence, chain[4].sequence);
  CHECK(BrokenAt(chain) == 4);
}

TEST_CASE("chain: an entry that was put between is found", "[audit]") {
  std::vector<AuditEntry> chain = ChainOf(10);
  AuditEntry forged = EntryAt(5);
  forged.actor = "mallory";
  forged.hash = ChainHash(chain[3].hash, forged);  // fits what is before it
  chain.insert(chain.begin() + 4, forged);
  CHECK(BrokenAt(chain) == 5);  // then the real one does not come next
  for (size_t i = 5; i < chain.size(); ++i) ++chain[i].sequence;
  CHECK(BrokenAt(chain) == 6);
}

TEST_CASE("chain: an end that was cut off shows in the head only", "[audit]") {
  std::vector<AuditEntry> chain = ChainOf(10);
  const std::string noted = chain.back().hash;
  chain.pop_back();
  ChainCheck check;
  for (const AuditEntry& entry : chain) REQUIRE_THAT(check.Take(entry), IsOk());
  CHECK(check.head().sequence == 9);
  CHECK(check.head().hash != noted);
}

TEST_CASE("chain: an error names the position of the wrong entry", "[audit]") {
  std::vector<AuditEntry> chain = ChainOf(2);
  chain[1].actor = "bob";
  ChainCheck check;
  REQUIRE_THAT(check.Take(chain[0]), IsOk());
  const absl::Status status = check.Take(chain[1]);
  CHECK_THAT(status, StatusIs(absl::StatusCode::kDataLoss));
  CHECK(status.message() ==
        "entry 2 does not match its hash: the entry or an earlier one was "
        "changed");
  CHECK(check.head().sequence == 1);
}

// If this changes, every chain that exists is broken: a new version byte is
// needed instead.
TEST_CASE("chain: the canonical form is unchanged", "[audit]") {
  CHECK(HexEncode(Canonical({.sequence = 1, .at = 2, .act = "a"})) ==
        "01"
        "00000008"
        "0000000000000001"
        "00000008"
        "0000000000000002"
        "00000001"
        "61"
        "00000000"
        "00000008"
        "0000000000000000"
        "00000000"
        "00000000"
        "00000000"
        "00000000"
        "00000000"
        "00000000"
        "00000000");
  CHECK(BrokenAt(ChainOf(100)) == 0);
}

}  // namespace
}  // namespace carme::backend
