#include "backend/carmectl/portal/portal_client.h"

#include <curl/curl.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "backend/carmectl/portal/messages.h"
#include "common/name_rules.h"
#include "common/printable.h"

namespace carme::carmectl {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

constexpr size_t kMaxResponseBytes = size_t{64} << 20;
constexpr size_t kMaxMessageBytes = 2000;
constexpr absl::Duration kConnectTimeout = absl::Seconds(10);

absl::Status FromPortal(absl::Status status) {
  if (!status.ok()) status.SetPayload(kPortalPayload, absl::Cord());
  return status;
}

absl::StatusCode CodeNamed(std::string_view name) {
  constexpr std::pair<std::string_view, absl::StatusCode> kCodes[] = {
      {"canceled", absl::StatusCode::kCancelled},
      {"invalid_argument", absl::StatusCode::kInvalidArgument},
      {"deadline_exceeded", absl::StatusCode::kDeadlineExceeded},
      {"not_found", absl::StatusCode::kNotFound},
      {"already_exists", absl::StatusCode::kAlreadyExists},
      {"permission_denied", absl::StatusCode::kPermissionDenied},
      {"resource_exhausted", absl::StatusCode::kResourceExhausted},
      {"failed_precondition", absl::StatusCode::kFailedPrecondition},
      {"aborted", absl::StatusCode::kAborted},
      {"out_of_range", absl::StatusCode::kOutOfRange},
      {"unimplemented", absl::StatusCode::kUnimplemented},
      {"internal", absl::StatusCode::kInternal},
      {"unavailable", absl::StatusCode::kUnavailable},
      {"data_loss", absl::StatusCode::kDataLoss},
      {"unauthenticated", absl::StatusCode::kUnauthenticated},
  };
  for (const auto& [word, code] : kCodes) {
    if (word == name) return code;
  }
  return absl::StatusCode::kUnknown;
}

std::string TextOf(const Struct& object, const char* key) {
  const auto found = object.fields().find(key);
  return found == object.fields().end() ? "" : found->second.string_value();
}

// Each violation of the details of google.rpc: "field: description".
std::string ViolationsOf(const Struct& error) {
  std::string lines;
  const auto details = error.fields().find("details");
  if (details == error.fields().end()) return lines;
  for (const Value& detail : details->second.list_value().values()) {
    const auto& fields = detail.struct_value().fields();
    const auto debug = fields.find("debug");
    if (debug == fields.end()) continue;
    for (const char* list : {"fieldViolations", "violations"}) {
      const auto rows = debug->second.struct_value().fields().find(list);
      if (rows == debug->second.struct_value().fields().end()) continue;
      for (const Value& row : rows->second.list_value().values()) {
        const Struct& violation = row.struct_value();
        const std::string field = TextOf(violation, "field");
        absl::StrAppend(
            &lines, "\n  ",
            Readable(field.empty() ? TextOf(violation, "subject") : field,
                     kMaxMessageBytes),
            ": ", Readable(TextOf(violation, "description"), kMaxMessageBytes));
      }
    }
  }
  return lines;
}

bool IsWorthRetrying(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
}

class CurlClient : public PortalClient {
 public:
  explicit CurlClient(Config config)
      : PortalClient(std::move(config)),
        curl_(curl_easy_init(), &curl_easy_cleanup),
        headers_(nullptr, &curl_slist_free_all) {
    for (const std::string& header :
         {std::string("Content-Type: application/json"),
          absl::StrCat("Authorization: Bearer ", config_.token)}) {
      headers_.reset(curl_slist_append(headers_.release(), header.c_str()));
    }
    if (!config_.cluster.empty()) {
      headers_.reset(curl_slist_append(
          headers_.release(),
          absl::StrCat("Carme-Cluster: ", config_.cluster).c_str()));
    }
  }

 private:
  static size_t Take(char* bytes, size_t size, size_t count, void* body) {
    auto* text = static_cast<std::string*>(body);
    if (text->size() + size * count > kMaxResponseBytes) return 0;
    text->append(bytes, size * count);
    return size * count;
  }

  absl::StatusOr<Answer> Post(const std::string& url,
                              const std::string& json) override {
    CURL* const curl = curl_.get();
    if (curl == nullptr) return absl::InternalError("libcurl cannot start");
    Answer answer;
    char why[CURL_ERROR_SIZE] = "";
    curl_easy_reset(curl);  // keeps the connection
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!config_.ca_file.empty()) {
      curl_easy_setopt(curl, CURLOPT_CAINFO, config_.ca_file.c_str());
    }
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(ToInt64Milliseconds(kConnectTimeout)));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                     static_cast<long>(ToInt64Milliseconds(config_.timeout)));
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "carmectl/" CARME_VERSION);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(json.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, json.c_str());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &CurlClient::Take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) {
      return MakePlainError(
          portal_messages::kPortalUnreachable,
          {{"portal", config_.portal},
           {"cause", *why == 0 ? curl_easy_strerror(code) : why}});
    }
    long http_status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &http_status);
    answer.http_status = static_cast<int>(http_status);
    return answer;
  }

  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_;
};

}  // namespace

absl::Status PortalError(int http_status, const std::string& body) {
  Struct error;
  if (!google::protobuf::util::JsonStringToMessage(body, &error).ok() ||
      TextOf(error, "code").empty()) {
    return FromPortal(MakePlainError(portal_messages::kNotThePortal,
                                     {{"http_status", http_status}}));
  }
  absl::Status status(
      CodeNamed(TextOf(error, "code")),
      absl::StrCat(Readable(TextOf(error, "message"), kMaxMessageBytes),
                   ViolationsOf(error)));
  return FromPortal(std::move(status));
}

absl::StatusOr<std::unique_ptr<PortalClient>> PortalClient::Create(
    Config config) {
  while (absl::EndsWith(config.portal, "/")) config.portal.pop_back();
  if (!absl::StartsWith(config.portal, "https://")) {
    return MakePlainError(portal_messages::kNoPortal,
                          {{"value", config.portal}});
  }
  if (!absl::StartsWith(config.token, "carme_")) {
    return MakePlainError(portal_messages::kNoToken);
  }
  // It becomes a line of the request.
  if (!config.cluster.empty() && !kSlurmNameRule.Allows(config.cluster)) {
    return MakePlainError(portal_messages::kInvalidCluster);
  }
  return std::make_unique<CurlClient>(std::move(config));
}

absl::StatusOr<std::string> PortalClient::CallJson(std::string_view method,
                                                   const std::string& json) {
  const std::string url =
      absl::StrCat(config_.portal, "/carme.v1.", std::string(method));
  absl::Status failed;
  absl::Duration pause = absl::Seconds(1);
  for (int attempt = 0; attempt <= config_.retries; ++attempt) {
    if (attempt > 0) {
      absl::SleepFor(pause);
      pause = std::min(2 * pause, absl::Seconds(30));
    }
    absl::StatusOr<Answer> answer = Post(url, json);
    if (answer.ok() && answer->http_status == 200) {
      return std::move(answer->body);
    }
    failed = answer.ok() ? PortalError(answer->http_status, answer->body)
                         : FromPortal(answer.status());
    if (!IsWorthRetrying(failed)) return failed;
  }
  return failed;
}

absl::Status PortalClient::Call(std::string_view method,
                                const google::protobuf::Message& request,
                                google::protobuf::Message* response) {
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(request, &json).ok()) {
    return MakePlainError(portal_messages::kNotUtf8);
  }
  ASSIGN_OR_RETURN(const std::string answer, CallJson(method, json));
  // A newer portal may send fields that this program does not know.
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(answer, response, options);
  if (parsed.ok()) return absl::OkStatus();
  return FromPortal(absl::InternalError(absl::StrCat(
      "the portal's response to ", std::string(method), " is not valid")));
}

}  // namespace carme::carmectl
