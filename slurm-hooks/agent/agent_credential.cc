#include "slurm-hooks/agent/agent_credential.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>
#include <munge.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/hash.h"

namespace carme::agent {
namespace {

// A request takes milliseconds; clocks of a cluster agree to seconds.
constexpr int kLifetime_s = 60;

std::string SerializeDeterministically(
    const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream out(&bytes);
  google::protobuf::io::CodedOutputStream coded(&out);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

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

std::string CredentialPayload(std::string_view method,
                              const google::protobuf::MessageLite& request) {
  std::string text(method);
  text.push_back('\0');
  text += SerializeDeterministically(request);
  return Sha256(text);
}

absl::StatusOr<std::string> EncodeCredential(std::string_view payload) {
  const std::unique_ptr<munge_ctx, Destroy> context(munge_ctx_create());
  if (context == nullptr) return absl::ResourceExhaustedError("munge: memory");
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
