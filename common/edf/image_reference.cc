#include "common/edf/image_reference.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/edf/limits.h"
#include "common/edf/messages.h"
#include "common/edf/paths.h"
#include "common/name_rules.h"

namespace carme {
namespace {

constexpr std::string_view kStore = "store";
constexpr std::string_view kSha256 = "@sha256:";
// Whether `text` consists of letters, digits and `more`, and begins with a
// letter or digit.
bool IsWord(std::string_view text, const CharacterSet& more) {
  return NameRule{.characters = kAlphanumeric | more,
                  .max_bytes = kMaxEdfKeyBytes,
                  .first = kAlphanumeric}
      .Allows(text);
}

// A word, or several separated by "/".
bool IsName(std::string_view text) {
  while (true) {
    const size_t slash = text.find('/');
    if (!IsWord(text.substr(0, slash), "._-")) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

// Removes the text after the last `mark` from `text`; false: there is no mark.
bool CutLast(std::string_view* text, std::string_view mark,
             std::string_view* last) {
  const size_t at = text->rfind(mark);
  if (at == std::string_view::npos) return false;
  *last = text->substr(at + mark.size());
  *text = text->substr(0, at);
  return true;
}

// Why `text` is not a reference; empty: it is one.
DisplayText ReadReference(std::string_view text, EdfImage* image) {
  std::string_view digest, tag, registry, user;
  const bool has_digest = CutLast(&text, kSha256, &digest);
  if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
    registry = text.substr(0, hash);
    text.remove_prefix(hash + 1);
    if (registry.empty()) return MakeText(edf_messages::kNoRegistry);
  }
  std::string_view* const head = registry.empty() ? &text : &registry;
  if (const size_t at = head->find('@'); at != std::string_view::npos) {
    user = head->substr(0, at);
    head->remove_prefix(at + 1);
    // NVIDIA's registry has one user, "$oauthtoken"
    const std::string_view word = user.substr(user.starts_with("$"));
    if (!IsWord(word, "._-+")) return MakeText(edf_messages::kNoUserName);
  }
  if (CutLast(&text, ":", &tag) && !IsWord(tag, "._-")) {
    return MakeText(edf_messages::kNoTag);
  }
  if (!registry.empty() && !IsWord(registry, ".-:")) {
    return MakeText(edf_messages::kNoHostName);
  }
  if (!IsName(text)) return MakeText(edf_messages::kNoImageName);
  if (has_digest && !kSha256HexRule.Allows(digest)) {
    return MakeText(edf_messages::kNoDigest);
  }
  image->kind =
      registry == kStore ? EdfImage::Kind::kStore : EdfImage::Kind::kRegistry;
  image->user = user;
  image->registry = image->kind == EdfImage::Kind::kStore ? "" : registry;
  image->name = text;
  image->tag = tag;
  image->digest = digest;
  if (image->kind == EdfImage::Kind::kStore && (has_digest || !user.empty())) {
    return MakeText(edf_messages::kNamesTheStore);
  }
  return {};
}

std::optional<EdfImage> PathImage(const EdfText& found, std::string_view cwd,
                                  EdfProblems* problems) {
  EdfImage image;
  image.path = AbsolutePath(found.text, cwd);
  DisplayText fault = PathFault(image.path);
  if (fault.empty()) return image;
  problems->Refuse(EdfNumber::kPath, found, std::move(fault));
  return std::nullopt;
}

}  // namespace

std::optional<EdfImage> ParseImage(const EdfText& found, std::string_view cwd,
                                   EdfProblems* problems) {
  if (LooksLikePath(found.text)) return PathImage(found, cwd, problems);
  EdfImage image;
  DisplayText fault;
  if (found.text.find("://") != std::string::npos) {
    fault = MakeText(edf_messages::kHasAScheme);
  } else {
    fault = ReadReference(found.text, &image);
  }
  if (fault.empty()) return image;
  problems->Refuse(EdfNumber::kImage, found,
                   MakeText(edf_messages::kNotAnImage, {{"fault", fault}}));
  return std::nullopt;
}

DisplayText ReferenceWarning(const EdfImage& image) {
  if (image.kind != EdfImage::Kind::kRegistry) return "";
  if (image.name == "sha256" && !image.user.empty() && image.registry.empty()) {
    return MakeText(edf_messages::kDigestOfUser, {{"user", image.user}});
  }
  const size_t slash = image.name.find('/');
  const std::string host = image.name.substr(0, slash);
  if (slash == std::string::npos || !image.registry.empty() ||
      host.find('.') == std::string::npos) {
    return {};
  }
  EdfImage meant = image;
  meant.registry = host;
  meant.name = image.name.substr(slash + 1);
  return MakeText(edf_messages::kRefersToDockerHub,
                  {{"host", host}, {"image", ImageText(meant)}});
}

std::string ImageText(const EdfImage& image) {
  if (image.kind == EdfImage::Kind::kPath) return image.path;
  const bool store = image.kind == EdfImage::Kind::kStore;
  const std::string registry = store ? std::string(kStore) : image.registry;
  return absl::StrCat(image.user, image.user.empty() ? "" : "@", registry,
                      registry.empty() ? "" : "#", image.name,
                      image.tag.empty() ? "" : ":", image.tag,
                      image.digest.empty() ? "" : std::string(kSha256),
                      image.digest);
}

}  // namespace carme
