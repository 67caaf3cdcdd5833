#include "common/monitoring/monitored_program.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/monitoring/admin_http.h"

namespace carme {
namespace {

std::string ProbeResponse(const absl::Status& status) {
  if (status.ok()) return TextResponse("200 OK", "", "ok\n");
  return TextResponse("503 Service Unavailable", "",
                      absl::StrCat(status.message(), "\n"));
}

std::string WholeResponse(std::string_view path,
                          const MonitoredProgram& program) {
  if (path == "/metrics") return TextResponse("200 OK", "", program.Metrics());
  if (path == "/healthz") return ProbeResponse(program.Alive());
  if (path == "/readyz") return ProbeResponse(program.Ready());
  return TextResponse("404 Not Found", "",
                      "Only /metrics, /healthz and /readyz are served.\n");
}

}  // namespace

std::string MonitoringResponse(const ScanResult& scan, const RequestHead& head,
                               const MonitoredProgram& program) {
  if (scan.state != ScanState::kDone) return RejectionResponse(scan);
  if (head.method != "GET" && head.method != "HEAD") {
    return TextResponse("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "");
  }
  std::string response =
      WholeResponse(head.target.substr(0, head.target.find('?')), program);
  if (head.method == "HEAD") response.resize(response.find("\r\n\r\n") + 4);
  return response;
}

}  // namespace carme
