#include "slurm-hooks/files/file_api.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/files/download.h"
#include "slurm-hooks/files/file_error.h"
#include "slurm-hooks/files/upload.h"
#include "slurm-hooks/web_app/page_assets.h"

namespace carme::files {
namespace {

using boost::beast::http::verb;

void SendPage(Exchange* exchange, const web_app::PageAsset& asset) {
  // File names change with their content; the page refers to them.
  exchange->Send(
      200, std::string(asset.bytes), asset.type,
      {{"Cache-Control", asset.path == "/" ? "no-cache"
                                           : "public, max-age=31536000, "
                                             "immutable"}});
}

// The response to a request for JSON.
void SendJson(Exchange* exchange, const absl::StatusOr<std::string>& json,
              unsigned status = 200) {
  if (!json.ok()) return exchange->SendError(json.status());
  exchange->Send(status, *json);
}

void SendTask(Exchange* exchange, const absl::StatusOr<std::string>& id) {
  if (!id.ok()) return exchange->SendError(id.status());
  exchange->Send(202, absl::StrCat("{\"task\":\"", *id, "\"}"));
}

absl::StatusOr<std::string> Search(const RequestTarget& target) {
  ASSIGN_OR_RETURN(const std::string path, target.FilePath());
  return SearchJson(path, target.Find("name").value_or(""));
}

absl::StatusOr<std::string> List(const RequestTarget& target) {
  ASSIGN_OR_RETURN(const std::string path, target.FilePath());
  return ListJson(path);
}

absl::Status CreateFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) return absl::OkStatus();
  return FileErrno(errno, absl::StrCat("create \"", path, "\""));
}

}  // namespace

void FileApi::HandleGet(Exchange* exchange, const RequestTarget& target) {
  const std::string& name = target.path();
  if (name == "/ready") return exchange->Send(200, "ready\n", "text/plain");
  if (const auto* asset = web_app::FindPageAsset(name)) {
    return SendPage(exchange, *asset);
  }
  if (name == "/api/places") return SendJson(exchange, PlacesJson(places_));
  if (name == "/api/tasks") return SendJson(exchange, tasks_.ListJson());
  if (name == "/api/list") return SendJson(exchange, List(target));
  if (name == "/api/search") return SendJson(exchange, Search(target));
  if (name == "/api/upload") return SendUploadState(exchange, target);
  void (*send)(Exchange*, const std::string&) =
      name == "/api/file"      ? SendDownload
      : name == "/api/view"    ? SendView
      : name == "/api/archive" ? SendArchive
                               : nullptr;
  if (send == nullptr) {
    return exchange->SendError(FileError(kNotFound, "no such page"));
  }
  const auto path = target.FilePath();
  if (!path.ok()) return exchange->SendError(path.status());
  send(exchange, *path);
}

void FileApi::HandlePost(Exchange* exchange, const RequestTarget& target) {
  const std::string& name = target.path();
  if (name == "/api/tasks/cancel") {
    if (tasks_.Cancel(target.Find("id").value_or(""))) {
      return exchange->Send(204, "", "");
    }
    return exchange->SendError(FileError(kNotFound, "no such task"));
  }
  const bool has_target =
      name == "/api/rename" || name == "/api/copy" || name == "/api/move";
  if (!has_target && name != "/api/folder" && name != "/api/delete") {
    return exchange->SendError(FileError(kNotFound, "no such operation"));
  }
  const auto path = target.FilePath();
  if (!path.ok()) return exchange->SendError(path.status());
  if (name == "/api/delete") {
    return SendTask(exchange, tasks_.Delete(*path));
  }
  if (name == "/api/folder") {
    const absl::Status created = CreateFolder(*path);
    if (!created.ok()) return exchange->SendError(created);
    return exchange->Send(201, "{}");
  }
  const auto to = target.FilePath("to");
  if (!to.ok()) return exchange->SendError(to.status());
  if (name == "/api/copy") {
    return SendTask(exchange, tasks_.Copy(*path, *to));
  }
  if (name == "/api/move") {
    return SendTask(exchange, tasks_.Move(*path, *to));
  }
  const absl::Status renamed = RenameToNew(*path, *to);
  if (!renamed.ok()) return exchange->SendError(renamed);
  exchange->Send(200, "{}");
}

void FileApi::Handle(Exchange* exchange) {
  const auto target = RequestTarget::Parse(exchange->target());
  if (!target.ok()) return exchange->SendError(target.status());
  const verb method = exchange->method();
  if (method == verb::get) return HandleGet(exchange, *target);
  if (method != verb::put && method != verb::post && method != verb::delete_) {
    return exchange->Send(405, "{}", "application/json",
                          {{"Allow", "GET, PUT, POST, DELETE"}});
  }
  // The proxy authenticates users, but other sites' pages can make their
  // browsers send requests, too.
  if (!exchange->HasOwnOrigin()) {
    return exchange->SendError(FileError(
        kForbidden, "expected the header Origin to be https:// and Host"));
  }
  if (method == verb::post) return HandlePost(exchange, *target);
  if (method == verb::put && target->path() == "/api/file") {
    return ReceiveFile(exchange, *target, umask_);
  }
  if (method == verb::delete_ && target->path() == "/api/upload") {
    return DeleteUpload(exchange, *target);
  }
  exchange->SendError(FileError(kNotFound, "no such operation"));
}

}  // namespace carme::files
