#include "common/journal.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace carme {
namespace {

constexpr int kMaxJournalFields = 32;
constexpr size_t kMaxFieldNameBytes = 64;  // journald's limit
constexpr size_t kMaxFieldValueBytes = 4096;

using FileId = std::pair<dev_t, ino_t>;

bool IsFile(int fd, const FileId& id) {
  struct stat info {};
  return fstat(fd, &info) == 0 && FileId(info.st_dev, info.st_ino) == id;
}

// Written by OpenJournal() only.
struct Journal {
  int socket = -1;
  FileId socket_id{};  // another file may have its number later
  FileId stream_id{};
};
Journal& TheJournal() {
  static Journal journal;
  return journal;
}

std::string FieldName(std::string_view key) {
  if (key == "request") return "CARME_REQUEST_ID";
  if (key == "job") return "CARME_JOB_ID";
  std::string name = "CARME_";
  for (const char c : key) {
    name.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c))
                       ? absl::ascii_toupper(static_cast<unsigned char>(c))
                       : '_');
  }
  return name;
}

}  // namespace

JournalEntry::JournalEntry(int priority, std::string_view message) {
  Append("MESSAGE", message);
  Append("PRIORITY", absl::StrCat(priority));
  Append("SYSLOG_IDENTIFIER", program_invocation_short_name);
}

void JournalEntry::Add(std::string_view key, std::string_view value) {
  if (key.empty() || fields_ >= kMaxJournalFields) return;
  const std::string name = FieldName(key);
  if (name.size() > kMaxFieldNameBytes) return;
  ++fields_;
  Append(name, value.substr(0, kMaxFieldValueBytes));
}

void JournalEntry::Append(std::string_view name, std::string_view value) {
  data_.append(name).push_back('=');
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    data_.push_back(byte < 0x20 || byte == 0x7f ? '?' : c);
  }
  data_.push_back('\n');
}

bool IsJournalStream(int fd, std::string_view journal_stream) {
  struct stat info {};
  return fstat(fd, &info) == 0 &&
         journal_stream == absl::StrCat(info.st_dev, ":", info.st_ino);
}

void OpenJournal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  Journal& journal = TheJournal();
  struct stat info {};
  if (stream == nullptr || journal.socket >= 0 ||
      !IsJournalStream(STDERR_FILENO, stream) ||
      fstat(STDERR_FILENO, &info) != 0) {
    return;
  }
  journal.stream_id = {info.st_dev, info.st_ino};
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0 || fstat(socket, &info) != 0) return;
  journal.socket_id = {info.st_dev, info.st_ino};
  journal.socket = socket;
}

bool SendToJournal(const JournalEntry& entry, const char* address) {
  const Journal& journal = TheJournal();
  if (journal.socket < 0 || !IsFile(STDERR_FILENO, journal.stream_id) ||
      !IsFile(journal.socket, journal.socket_id)) {
    return false;
  }
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const size_t length = std::strlen(address);
  if (length >= sizeof to.sun_path) return false;
  std::memcpy(to.sun_path, address, length);
  const std::string& data = entry.data();
  return sendto(journal.socket, data.data(), data.size(),
                MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&to),
                sizeof to) == static_cast<ssize_t>(data.size());
}

}  // namespace carme
