#include "slurm-hooks/agent/control/munge_credential.h"

#include <munge.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "slurm-hooks/agent/control/messages.h"

namespace carme::agent {
namespace {

// A request takes milliseconds; clocks of a cluster agree to seconds.
constexpr int kLifetime_s = 60;

struct Destroy {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
  void operator()(char* text) const { std::free(text); }
};

absl::Status MungeError(munge_err_t error, munge_ctx_t context) {
  const char* detail = munge_ctx_strerror(context);
  const std::string message = absl::StrCat(
      "munge: ", detail != nullptr ? detail : munge_strerror(error));
  return error == EMUNGE_SOCKET || error == EMUNGE_TIMEOUT
             ? absl::UnavailableError(message)
             : absl::InternalError(message);
}

}  // namespace

absl::StatusOr<std::string> EncodeCredential(std::string_view payload) {
  const std::unique_ptr<munge_ctx, Destroy> context(munge_ctx_create());
  if (context == nullptr)
    return MakePlainError(agent_control_messages::kMungeMemory);
  munge_err_t error = munge_ctx_set(context.get(), MUNGE_OPT_TTL, kLifetime_s);
  if (error != EMUNGE_SUCCESS) return MungeError(error, context.get());
  char* text = nullptr;
  error = munge_encode(&text, context.get(), payload.data(),
                       static_cast<int>(payload.size()));
  const std::unique_ptr<char, Destroy> credential(text);
  if (error != EMUNGE_SUCCESS) return MungeError(error, context.get());
  return std::string(credential.get());
}

}  // namespace carme::agent
