#include "frontend/static_site.h"

#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/status.h"
#include "frontend/http/content_coding.h"
#include "frontend/messages.h"

namespace carme::frontend {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 1000;
constexpr size_t kMaxBytes = 32 << 20;
constexpr size_t kEtagBytes = 12;
constexpr std::string_view kAssets = "/assets/";

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTypes =
    {{{".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".json", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".txt", "text/plain; charset=utf-8"},
      {".png", "image/png"},
      {".webp", "image/webp"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".map", "application/json"}}};

std::string TypeOf(const std::string& path) {
  for (const auto& [suffix, type] : kTypes) {
    if (path.ends_with(suffix)) return std::string(type);
  }
  return "application/octet-stream";
}

// Path within the folder to content, in order of names.
using Contents = std::map<std::string, std::string>;

absl::Status ReadInto(const fs::directory_entry& entry,
                      const std::string& folder, size_t* total,
                      Contents* contents) {
  const std::string path = entry.path().string();
  if (entry.is_symlink() || !entry.is_regular_file()) {
    return MakePlainError(frontend_messages::kNotAFile, {{"path", path}});
  }
  ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxBytes - *total));
  *total += bytes.size();
  if (contents->size() == kMaxFiles) {
    return MakePlainError(frontend_messages::kTooManyFiles,
                          {{"folder", folder}, {"max", kMaxFiles}});
  }
  contents->emplace(path.substr(folder.size()), std::move(bytes));
  return absl::OkStatus();
}

absl::StatusOr<Contents> ReadFolder(const std::string& folder) {
  Contents contents;
  size_t total = 0;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  const fs::recursive_directory_iterator end;
  while (!error && entries != end) {
    const fs::directory_entry& entry = *entries;
    if (entry.path().filename().string().starts_with('.')) {
      entries.disable_recursion_pending();
    } else if (entry.is_symlink() || !entry.is_directory(error)) {
      RETURN_IF_ERROR(ReadInto(entry, folder, &total, &contents));
    }
    entries.increment(error);
  }
  if (error) {
    return ErrnoError(error.value(), absl::StrCat("read \"", folder, "\""));
  }
  return contents;
}

std::string ElementOf(const PageField& field) {
  return absl::StrCat(
      "<meta name=\"", field.name, "\" content=\"",
      absl::StrReplaceAll(
          field.content,
          {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}}),
      "\">");
}

// The compressed forms do not have them, so that they are dropped.
absl::Status AddFields(const std::vector<PageField>& fields,
                       Contents* contents) {
  std::string elements;
  for (const PageField& field : fields) {
    if (!field.content.empty()) absl::StrAppend(&elements, ElementOf(field));
  }
  if (elements.empty()) return absl::OkStatus();
  const auto index = contents->find("/index.html");
  if (index == contents->end()) return absl::OkStatus();  // refused later
  const size_t head_end = index->second.find("</head>");
  if (head_end == std::string::npos) {
    return MakePlainError(frontend_messages::kNoHead);
  }
  index->second.insert(head_end, elements);
  contents->erase("/index.html.br");
  contents->erase("/index.html.gz");
  return absl::OkStatus();
}

std::optional<SiteContent> TakeContent(Contents* contents,
                                       const std::string& path) {
  const auto found = contents->find(path);
  if (found == contents->end()) return std::nullopt;
  SiteContent content;
  content.bytes = std::move(found->second);
  content.etag = absl::StrCat(
      "\"", Base64UrlEncode(Sha256(content.bytes).substr(0, kEtagBytes)), "\"");
  contents->erase(found);
  return content;
}

}  // namespace

absl::StatusOr<StaticSite> StaticSite::Load(
    const std::string& folder, const std::vector<PageField>& fields,
    std::vector<SiteAddition> additions) {
  const std::string base =
      folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder;
  ASSIGN_OR_RETURN(Contents contents, ReadFolder(base));
  RETURN_IF_ERROR(AddFields(fields, &contents));
  for (SiteAddition& file : additions) {
    contents[file.path] = std::move(file.bytes);
  }
  StaticSite site;
  while (!contents.empty()) {
    // In this order, a name precedes the same name with a suffix.
    const std::string path = contents.begin()->first;
    SiteFile file;
    file.type = TypeOf(path);
    file.immutable = path.starts_with(kAssets);
    file.br = TakeContent(&contents, path + ".br");
    file.gzip = TakeContent(&contents, path + ".gz");
    file.plain = *TakeContent(&contents, path);
    site.files_.emplace(path, std::move(file));
  }
  if (!site.files_.contains("/index.html")) {
    return MakePlainError(frontend_messages::kNoIndex, {{"folder", folder}});
  }
  return site;
}

std::optional<HttpResponse> StaticSite::Answer(
    const HttpRequest& request) const {
  const auto found =
      files_.find(request.path == "/" ? "/index.html" : request.path);
  if (found == files_.end()) return std::nullopt;
  const SiteFile& file = found->second;
  const std::string_view accepted = request.headers.Get("accept-encoding");
  HttpResponse response;
  const SiteContent* content = &file.plain;
  if (file.br && AcceptsCoding(accepted, "br")) {
    content = &*file.br;
    response.Set("Content-Encoding", "br");
  } else if (file.gzip && AcceptsCoding(accepted, "gzip")) {
    content = &*file.gzip;
    response.Set("Content-Encoding", "gzip");
  }
  if (file.br || file.gzip) response.Set("Vary", "Accept-Encoding");
  response.Set("ETag", content->etag);
  response.Set("Cache-Control", file.immutable
                                    ? "public, max-age=31536000, immutable"
                                    : "no-cache");
  if (request.headers.Get("if-none-match") == content->etag) {
    response.status = 304;
    return response;
  }
  response.Set("Content-Type", file.type);
  response.body = content->bytes;
  return response;
}

std::optional<HttpResponse> StaticSite::NotFound(
    const HttpRequest& request) const {
  const std::string_view languages = request.headers.Get("accept-language");
  HttpRequest page{.method = request.method,
                   .path = languages.starts_with("de") ? "/not-found.de.html"
                                                       : "/not-found.html"};
  page.headers.Add("accept-encoding",
                   std::string(request.headers.Get("accept-encoding")));
  std::optional<HttpResponse> response = Answer(page);
  if (!response) return std::nullopt;
  response->status = 404;
  // Unlike a page that exists, it is not kept.
  std::erase_if(response->headers, [](const auto& header) {
    return header.first == "Cache-Control" || header.first == "ETag" ||
           header.first == "Vary";
  });
  response->Set("Cache-Control", "no-store");
  response->Set("Vary", "Accept-Encoding, Accept-Language");
  return response;
}

}  // namespace carme::frontend
