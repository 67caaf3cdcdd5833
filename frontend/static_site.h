// The web application, in memory: a request can reach only files that were read
// at startup, whatever its path.
//
// Immutable and thread-safe.
#ifndef CARME_FRONTEND_STATIC_SITE_H_
#define CARME_FRONTEND_STATIC_SITE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

// One representation of a file: plain or compressed.
struct SiteContent {
  std::string bytes;
  std::string etag;  // with its quotes
};

struct SiteFile {
  std::string type;
  bool immutable = false;  // its name changes with its content
  SiteContent plain;
  std::optional<SiteContent> br;
  std::optional<SiteContent> gzip;
};

// A <meta name="…" content="…"> that the page reads.
struct PageField {
  std::string name;
  std::string content;
};

// A file that is not in the folder. It replaces one that is.
struct SiteAddition {
  std::string path;  // "/branding/logo.svg"
  std::string bytes;
};

class StaticSite {
 public:
  // Reads the folder: at most 1000 files and 32 MiB; NAME.br and NAME.gz are
  // compressed forms of NAME. Hidden files are skipped. NOT_FOUND without an
  // index.html; FAILED_PRECONDITION: a link or special file;
  // RESOURCE_EXHAUSTED. `fields` are added to index.html, except those without
  // content; without any the files are unchanged.
  static absl::StatusOr<StaticSite> Load(
      const std::string& folder, const std::vector<PageField>& fields = {},
      std::vector<SiteAddition> additions = {});

  // The response to GET or HEAD. Returns nothing if the file does not exist.
  std::optional<HttpResponse> Answer(const HttpRequest& request) const;
  // The page for an address that does not exist, with status 404, in the
  // language of the request. Nothing: the folder has none.
  std::optional<HttpResponse> NotFound(const HttpRequest& request) const;

  size_t files() const { return files_.size(); }

 private:
  StaticSite() = default;
  absl::flat_hash_map<std::string, SiteFile> files_;  // by path: "/index.html"
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_STATIC_SITE_H_
