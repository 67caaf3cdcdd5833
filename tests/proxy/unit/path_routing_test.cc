// Path-based routing: matching paths and rewriting responses.
#include <catch2/catch.hpp>
#include <list>
#include <string>

#include "common/file.h"
#include "proxy/config/proxy_config.h"
#include "proxy/http/head_writer.h"
#include "proxy/http/path_prefix.h"
#include "proxy/http/virtual_hosts.h"
#include "proxy/local_reply/https_redirect.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::proxy {
namespace {

constexpr char kPrefix[] = "/j23456789abcdefg";

VirtualHosts TheSite() {
  auto hosts =
      VirtualHosts::CreateWithPaths("carme.example", "jobs.example:8443");
  REQUIRE_THAT(hosts, IsOk());
  return *std::move(hosts);
}

TEST_CASE("path routing: rejects the portal's own host with any port",
          "[proxy]") {
  for (auto [portal, jobs] : {std::pair("carme.example", "carme.example"),
                              std::pair("carme.example", "carme.example:8443"),
                              std::pair("carme.example:1", "carme.example:2"),
                              std::pair("carme.example", "example"),
                              std::pair("carme.example", "Jobs.example"),
                              std::pair("carme.example", "jobs.example/x"),
                              std::pair("carme.example", "")}) {
    INFO(portal << " " << jobs);
    CHECK_FALSE(VirtualHosts::CreateWithPaths(portal, jobs).ok());
  }
  CHECK_THAT(
      VirtualHosts::CreateWithPaths("carme.example", "carme-jobs.example"),
      IsOk());
  CHECK_THAT(
      VirtualHosts::CreateWithPaths("carme.example", "jobs.carme.example"),
      IsOk());
}

TEST_CASE("path routing: prefixes match byte for byte", "[proxy]") {
  const VirtualHosts hosts = TheSite();
  for (const char* target : {"",
                             "xj23456789abcdefg/lab",
                             "/",
                             "//",
                             "/echo",
                             "/.carme/open?ticket=x",
                             "/j23456789abcdefg",
                             "/j23456789abcdefg?x=/",
                             "/j23456789abcdefg?/",
                             "//j23456789abcdefg/lab",
                             "/J23456789abcdefg/lab",
                             "/j23456789abcdefG/lab",
                             "/%6a23456789abcdefg/lab",
                             "/j23456789abcdefg%2flab",
                             "/j23456789abcdefg%2Flab/",
                             "/./j23456789abcdefg/lab",
                             "/x/../j23456789abcdefg/lab",
                             "/j23456789abcdefg-/lab",
                             "/j23456789abcdefg--code/lab",
                             "/j23456789abcdefg-Code/lab",
                             "/j23456789abcdefg-code_x/lab",
                             "/j23456789abcdefgx/lab",
                             "/j23456789abcdef/lab",
                             "/j23456789abcdefg;x/lab",
                             "/j23456789abcdefg\\/lab",
                             "/j23456789abcdefg /lab",
                             "/0123456789abcdef/lab"}) {
    INFO(target);
    CHECK(hosts.Match("jobs.example:8443", target).kind == HostKind::kNoJob);
  }
}

TEST_CASE("path routing: only the jobs' host has jobs", "[proxy]") {
  const VirtualHosts hosts = TheSite();
  for (const char* host :
       {"", "jobs.example", "jobs.example:1", "x.jobs.example:8443",
        "j23456789abcdefg.jobs.example:8443", "example"}) {
    INFO(host);
    CHECK(hosts.Match(host, "/j23456789abcdefg/").kind == HostKind::kUnknown);
  }
  CHECK(hosts.Match("carme.example", "/j23456789abcdefg/").kind ==
        HostKind::kPortal);
  for (const char* host : {"jobs.example:8443", "JOBS.example:8443"}) {
    const HostMatch job = hosts.Match(host, "/j23456789abcdefg/lab?a=/b/");
    CHECK(job.kind == HostKind::kJob);
    CHECK(job.host == JobHost{JobId("j23456789abcdefg"), "j23456789abcdefg"});
    CHECK(hosts.JobOrigin(job.host) == "https://jobs.example:8443");
  }
  const HostMatch app =
      hosts.Match("jobs.example:8443", "/j23456789abcdefg-code/");
  CHECK(app.kind == HostKind::kJob);
  CHECK(app.host.job.value() == "j23456789abcdefg");
  CHECK(app.host.label == "j23456789abcdefg-code");
  // A path that leaves its prefix stays with its job.
  CHECK(hosts
            .Match("jobs.example:8443",
                   "/j23456789abcdefg/../k23456789abcdefg/lab")
            .host.label == "j23456789abcdefg");
  CHECK(hosts.PrefixOf("/j23456789abcdefg/lab") == kPrefix);
  // With host-based routing, paths have no meaning.
  auto by_host = VirtualHosts::Create("carme.example", "jobs.example");
  CHECK(by_host->PrefixOf("/j23456789abcdefg/lab").empty());
  CHECK(by_host->Match("jobs.example", "/j23456789abcdefg/").kind ==
        HostKind::kUnknown);
}

TEST_CASE("path routing: a ticket over plain HTTP leads to the portal",
          "[proxy]") {
  const VirtualHosts hosts = TheSite();
  auto answer = [&](const std::string& target, const std::string& host) {
    const std::string bytes =
        "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    RequestHead head;
    const ScanResult scan = ScanRequest(bytes, HeadLimits(), &head);
    return HttpsRedirectResponse(scan, head, hosts);
  };
  auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(answer("/j23456789abcdefg/.carme/open?ticket=x", "jobs.example"),
            "Location: https://carme.example/\r\n"));
  CHECK(has(answer("/j23456789abcdefg/lab", "jobs.example"),
            "Location: https://jobs.example:8443/j23456789abcdefg/lab\r\n"));
  CHECK(has(answer("/", "x.jobs.example"), " 421 "));
}

TEST_CASE("path routing: paths are kept below the prefix", "[proxy]") {
  const std::pair<const char*, const char*> table[] = {
      {"/", "/j23456789abcdefg/"},
      {"", "/j23456789abcdefg/"},
      {"x", "/j23456789abcdefg/"},
      {"\"/\"", "/j23456789abcdefg/"},
      {"/lab", "/j23456789abcdefg/lab"},
      {"/j23456789abcdefg", "/j23456789abcdefg"},
      {"/j23456789abcdefg/", "/j23456789abcdefg/"},
      {"/j23456789abcdefg/lab/", "/j23456789abcdefg/lab/"},
      {"/j23456789abcdefg-code/", "/j23456789abcdefg/j23456789abcdefg-code/"},
      {"/k23456789abcdefg/lab", "/j23456789abcdefg/k23456789abcdefg/lab"},
      {"/j23456789abcdefg/../k23456789abcdefg/", "/j23456789abcdefg/"},
      {"/j23456789abcdefg/%2e%2E/k23456789abcdefg/", "/j23456789abcdefg/"},
      {"/j23456789abcdefg/.%2e", "/j23456789abcdefg/"},
      {"/./x", "/j23456789abcdefg/"},
      {"/..", "/j23456789abcdefg/"},
      {"/\\evil", "/j23456789abcdefg/"},
      {"/.\t./x", "/j23456789abcdefg/"},
      {"/...", "/j23456789abcdefg/..."},
      {"/.hidden/a..b", "/j23456789abcdefg/.hidden/a..b"},
  };
  for (const auto& [path, below] : table) {
    INFO(path);
    CHECK(PathBelowPrefix(kPrefix, path) == below);
  }
}

// The rewritten field of a response; empty: dropped.
std::string Kept(const std::string& field) {
  const std::string bytes = "HTTP/1.1 200 OK\r\n" + field + "\r\n\r\n";
  ResponseHead head;
  REQUIRE(ScanResponse(bytes, HeadLimits(), &head).state == ScanState::kDone);
  std::list<std::string> values;
  RewriteForPrefix(kPrefix, "jobs.example:8443", &head, &values);
  std::string out;
  AppendResponse(head, UpstreamKind::kJob, {}, false, &out);
  const size_t start = out.find("\r\n") + 2;
  return out.substr(start, out.find("\r\n", start) - start);
}

TEST_CASE("path routing: a cookie reaches no other app", "[proxy]") {
  const std::pair<const char*, const char*> table[] = {
      // Browsers use the last valid path, or the request's.
      {"a=b", "a=b"},
      {"a=b; HttpOnly", "a=b; HttpOnly"},
      {"a=b; Path=/", "a=b; Path=/j23456789abcdefg/"},
      {"a=b; Path", "a=b"},
      {"a=b; Path=", "a=b"},
      {"a=b; Path=x", "a=b"},
      {"a=b; Path=\"/\"", "a=b"},
      {"a=b;PATH = /x ;Secure", "a=b; Secure; Path=/j23456789abcdefg/x"},
      {"a=b; Path=/j23456789abcdefg/x; path=/", "a=b; Path=/j23456789abcdefg/"},
      {"a=b; Path=/; Path=x", "a=b"},
      {"a=b; Path=/j23456789abcdefg/api; Max-Age=1",
       "a=b; Max-Age=1; Path=/j23456789abcdefg/api"},
      {"a=b; Path=/k23456789abcdefg/",
       "a=b; Path=/j23456789abcdefg/k23456789abcdefg/"},
      {"a=b; Path=/j23456789abcdefg/../k23456789abcdefg/",
       "a=b; Path=/j23456789abcdefg/"},
  };
  for (const auto& [cookie, kept] : table) {
    INFO(cookie);
    CHECK(Kept(std::string("Set-Cookie: ") + cookie) ==
          std::string("Set-Cookie: ") + kept);
  }
  // Apps must not set Carme's cookies.
  for (const char* cookie :
       {"__Secure-carme-job=x", "__secure-CARME-job=x; Path=/", "a=b; Domain=x",
        "__Host-carme=x", ";a=b"}) {
    INFO(cookie);
    CHECK(Kept(std::string("Set-Cookie: ") + cookie).empty());
  }
}

TEST_CASE("path routing: rewrites redirects below the app's prefix",
          "[proxy]") {
  const std::pair<const char*, const char*> table[] = {
      {"/lab?next=/x#y", "/j23456789abcdefg/lab?next=/x#y"},
      {"/?a", "/j23456789abcdefg/?a"},
      {"/j23456789abcdefg/lab", "/j23456789abcdefg/lab"},
      {"/k23456789abcdefg/lab", "/j23456789abcdefg/k23456789abcdefg/lab"},
      {"https://jobs.example:8443",
       "https://jobs.example:8443/j23456789abcdefg/"},
      {"HTTPS://JOBS.example:8443/a?/b",
       "HTTPS://JOBS.example:8443/j23456789abcdefg/a?/b"},
      {"http://jobs.example:8443/a",
       "http://jobs.example:8443/j23456789abcdefg/a"},
      {"//jobs.example:8443/a", "//jobs.example:8443/j23456789abcdefg/a"},
      // Other hosts, or relative.
      {"//jobs.example:84433/a", "//jobs.example:84433/a"},
      {"https://jobs.example.evil/a", "https://jobs.example.evil/a"},
      {"https://other.example/a", "https://other.example/a"},
      {"./login", "./login"},
      {"?a=/b", "?a=/b"},
      {"lab", "lab"},
      {"mailto:x@y", "mailto:x@y"},
  };
  for (const auto& [location, kept] : table) {
    INFO(location);
    CHECK(Kept(std::string("Location: ") + location) ==
          std::string("Location: ") + kept);
  }
}

TEST_CASE("path routing: a service worker's scope is its prefix", "[proxy]") {
  const std::string own = "Service-Worker-Allowed: /j23456789abcdefg/";
  for (const char* scope :
       {"/", "/j23456789abcdefg", "/k23456789abcdefg/", "..", "",
        "/j23456789abcdefg/../", "https://jobs.example:8443/"}) {
    INFO(scope);
    CHECK(Kept(std::string("Service-Worker-Allowed: ") + scope) == own);
  }
  CHECK(Kept(own + "x/") == own + "x/");
}

TEST_CASE("path routing: drops fields for the whole origin", "[proxy]") {
  for (const char* field :
       {"NEL: {\"report_to\":\"x\"}", "Report-To: {\"group\":\"x\"}",
        "Use-As-Dictionary: match=\"/*\"", "Clear-Site-Data: \"cookies\"",
        "Alt-Svc: h3=\":1\""}) {
    INFO(field);
    CHECK(Kept(field).empty());
  }
  CHECK(Kept("Server: app") == "Server: app");
}

TEST_CASE("config: jobs have hosts or paths", "[proxy]") {
  TempDir directory;
  const std::string path = directory.path() + "/proxy.toml";
  auto refused = [&](const std::string& names) {
    REQUIRE_THAT(
        WriteFile(path, "portal_host = \"carme.example\"\n" + names, 0600),
        IsOk());
    return std::string(ProxyConfig::Load(path).status().message());
  };
  auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(has(refused("jobs_host = \"a\"\njobs_domain = \"b\"\n"),
            "expected either jobs_domain or jobs_host, not both"));
  CHECK(has(refused(""), "\"jobs_domain\" is missing"));
  CHECK(has(refused("jobs_host = \"carme.example:8443\"\n"),
            "lies in jobs_host"));
  const std::string good = refused("jobs_host = \"jobs.example\"\n");
  CHECK_FALSE(has(good, "jobs"));
  CHECK(has(good, "\"certificate\" is missing"));
}

}  // namespace
}  // namespace carme::proxy
