// The user database and MUNGE.
#include <munge.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

Outcome MungeFailed(const char* step, munge_err_t error) {
  return Outcome::Failed(
      FormatMessage(evaluation_messages::kMunge,
                    {{"step", step}, {"cause", munge_strerror(error)}}));
}

}  // namespace

Outcome EvaluateUser(const Evaluation& evaluation) {
  const std::string name = evaluation.parameters.Text("user");
  errno = 0;
  const passwd* const entry =
      name.empty() ? getpwuid(geteuid()) : getpwnam(name.c_str());
  const std::string user = name.empty() ? absl::StrCat(geteuid()) : name;
  if (entry == nullptr) {
    // what NSS says of a name that it does not have, depends on its sources
    const bool unknown = errno == 0 || errno == ENOENT || errno == ESRCH;
    return Outcome::Failed(FormatMessage(
        evaluation_messages::kNoUser,
        {{"user", user},
         {"cause", unknown ? "unknown name" : std::strerror(errno)}}));
  }
  const auto expected = evaluation.parameters.Number("uid");
  if (expected.has_value() && static_cast<double>(entry->pw_uid) != *expected) {
    return Outcome::Failed(FormatMessage(
        evaluation_messages::kWrongUid,
        {{"user", user}, {"found", entry->pw_uid}, {"expected", *expected}}));
  }
  Outcome outcome;
  outcome.metrics["uid"] = entry->pw_uid;
  return outcome;
}

Outcome EvaluateMunge(const Evaluation&) {
  char* text = nullptr;
  munge_err_t error = munge_encode(&text, nullptr, nullptr, 0);
  const std::unique_ptr<char, FreeText> credential(text);
  if (error != EMUNGE_SUCCESS) return MungeFailed("encoding", error);
  uid_t uid = 0;
  error =
      munge_decode(credential.get(), nullptr, nullptr, nullptr, &uid, nullptr);
  if (error != EMUNGE_SUCCESS) return MungeFailed("decoding", error);
  if (uid == geteuid()) return {};
  return Outcome::Failed(
      FormatMessage(evaluation_messages::kMungeUid,
                    {{"expected", geteuid()}, {"found", uid}}));
}

}  // namespace carme::vet
