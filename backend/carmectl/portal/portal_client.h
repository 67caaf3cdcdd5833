// A client of the portal's API: HTTPS POST of JSON, as in the web application,
// with an access token.
#ifndef CARME_BACKEND_CARMECTL_PORTAL_PORTAL_CLIENT_H_
#define CARME_BACKEND_CARMECTL_PORTAL_PORTAL_CLIENT_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/status.h"

namespace google::protobuf {
class Message;
}

namespace carme::carmectl {

// Payload of a status that came from the portal or from the connection to it.
inline constexpr char kPortalPayload[] = "carmectl/portal";

// Not thread-safe; blocks. Reuses one connection.
class PortalClient {
 public:
  struct Config {
    std::string portal{};   // "https://carme.example.org"
    std::string token{};    // "carme_…"
    std::string ca_file{};  // PEM; empty: certificate authorities of the system
    std::string cluster{};  // empty: the portal chooses
    absl::Duration timeout = absl::Seconds(60);  // of one call
    // How often a call that failed with UNAVAILABLE or RESOURCE_EXHAUSTED is
    // tried again, after 1 s, 2 s, 4 s, …
    int retries = 0;
  };
  // INVALID_ARGUMENT: not an https address, a token or a name of a cluster.
  static absl::StatusOr<std::unique_ptr<PortalClient>> Create(Config config);
  virtual ~PortalClient() = default;

  // `method` is "JobService/ListJobs". The errors are the API's codes with its
  // messages; UNAVAILABLE: the portal cannot be reached, or its certificate is
  // not trusted.
  absl::Status Call(std::string_view method,
                    const google::protobuf::Message& request,
                    google::protobuf::Message* response);
  template <typename Response>
  absl::StatusOr<Response> Call(std::string_view method,
                                const google::protobuf::Message& request) {
    Response response;
    RETURN_IF_ERROR(Call(method, request, &response));
    return response;
  }

  // The same with JSON text.
  absl::StatusOr<std::string> CallJson(std::string_view method,
                                       const std::string& json);

 protected:
  explicit PortalClient(Config config) : config_(std::move(config)) {}
  struct Answer {
    int http_status = 0;
    std::string body;
  };
  virtual absl::StatusOr<Answer> Post(const std::string& url,
                                      const std::string& json) = 0;
  const Config config_;
};

// Every page of a list: `rows(response)` is the repeated field that is paged.
template <typename Response, typename Request, typename Rows>
absl::StatusOr<Response> ListAll(PortalClient& client, std::string_view method,
                                 Request request, const Rows& rows) {
  ASSIGN_OR_RETURN(Response all, client.Call<Response>(method, request));
  while (!all.next_page_token().empty()) {
    request.set_page_token(all.next_page_token());
    ASSIGN_OR_RETURN(Response page, client.Call<Response>(method, request));
    rows(&all)->MergeFrom(*rows(&page));
    all.set_next_page_token(page.next_page_token());
  }
  return all;
}

// The status of an error's JSON: its code and message, and the violations of
// its details, one a line.
absl::Status PortalError(int http_status, const std::string& body);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PORTAL_PORTAL_CLIENT_H_
