#include "backend/jobs/agents/munge_decoder.h"

#include <munge.h>

#include <cstdlib>
#include <memory>

#include "backend/jobs/agents/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestCredential = 4096;

// Errors of munged or of this process, not of the credential.
bool IsOwnError(munge_err_t error) {
  return error == EMUNGE_SNAFU || error == EMUNGE_NO_MEMORY ||
         error == EMUNGE_SOCKET || error == EMUNGE_TIMEOUT;
}

}  // namespace

absl::StatusOr<Credential> MungeDecoder::Decode(const std::string& credential) {
  if (credential.empty() || credential.size() > kLongestCredential) {
    return MakeError(
        job_agent_messages::kCredentialLength,
        {{"bytes", credential.size()}, {"max", kLongestCredential}});
  }
  const std::unique_ptr<munge_ctx, decltype(&munge_ctx_destroy)> context(
      munge_ctx_create(), munge_ctx_destroy);
  if (context == nullptr ||
      (!socket_.empty() && munge_ctx_set(context.get(), MUNGE_OPT_SOCKET,
                                         socket_.c_str()) != EMUNGE_SUCCESS)) {
    return MakeError(job_agent_messages::kMungeUnavailable,
                     {{"cause", "no memory"}});
  }
  void* data = nullptr;
  int length = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  const munge_err_t error = munge_decode(credential.c_str(), context.get(),
                                         &data, &length, &uid, &gid);
  const std::unique_ptr<void, decltype(&std::free)> owned(data, std::free);
  if (error != EMUNGE_SUCCESS) {
    return MakeError(IsOwnError(error)
                         ? job_agent_messages::kMungeUnavailable
                         : job_agent_messages::kCredentialRejected,
                     {{"cause", munge_strerror(error)}});
  }
  return Credential{Uid(uid), std::string(static_cast<const char*>(data),
                                          static_cast<size_t>(length))};
}

}  // namespace carme::backend
