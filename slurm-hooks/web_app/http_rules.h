// Rules for requests and responses that all apps of Carme share. The proxy
// authenticates people; these rules protect an app from other web sites.
#ifndef CARME_SLURM_HOOKS_WEB_APP_HTTP_RULES_H_
#define CARME_SLURM_HOOKS_WEB_APP_HTTP_RULES_H_

#include <boost/beast/http/field.hpp>
#include <string>

namespace carme::web_app {

// Sets the headers that each response has.
template <typename Response>
void SetSecurityHeaders(Response* response,
                        const char* content_security_policy) {
  response->set("Content-Security-Policy", content_security_policy);
  response->set("X-Content-Type-Options", "nosniff");
  response->set("Referrer-Policy", "no-referrer");
  response->set("Cross-Origin-Resource-Policy", "same-origin");
}

// Browsers send cookies with websockets and some requests of other sites, too.
// Requires exactly one Host and Origin, and that they agree.
template <typename Request>
bool HasOwnOrigin(const Request& request) {
  namespace http = boost::beast::http;
  if (request.count(http::field::host) != 1 ||
      request.count(http::field::origin) != 1) {
    return false;
  }
  const std::string host(request[http::field::host]);
  return request[http::field::origin] == "https://" + host;
}

}  // namespace carme::web_app

#endif  // CARME_SLURM_HOOKS_WEB_APP_HTTP_RULES_H_
