#include "backend/notifications/curl_library.h"

#include <dlfcn.h>

#include "common/log.h"

namespace carme {
namespace {

// Of the ABI whose header this was compiled with.
constexpr char kName[] = "libcurl.so.4";

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

const CurlLibrary* Load() {
  static CurlLibrary curl;
  void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  const bool is_whole =
      library != nullptr &&
      Find(library, "curl_global_init", &curl.global_init) &&
      Find(library, "curl_easy_init", &curl.easy_init) &&
      Find(library, "curl_easy_setopt", &curl.easy_setopt) &&
      Find(library, "curl_easy_perform", &curl.easy_perform) &&
      Find(library, "curl_easy_getinfo", &curl.easy_getinfo) &&
      Find(library, "curl_easy_strerror", &curl.easy_strerror) &&
      Find(library, "curl_easy_cleanup", &curl.easy_cleanup) &&
      Find(library, "curl_slist_append", &curl.slist_append) &&
      Find(library, "curl_slist_free_all", &curl.slist_free_all) &&
      Find(library, "curl_url", &curl.url) &&
      Find(library, "curl_url_set", &curl.url_set) &&
      Find(library, "curl_url_get", &curl.url_get) &&
      Find(library, "curl_url_cleanup", &curl.url_cleanup) &&
      Find(library, "curl_free", &curl.free);
  if (is_whole && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) {
    return &curl;
  }
  const char* const why = dlerror();
  LogError("libcurl cannot be loaded: no mails and webhooks are sent",
           {{"library", kName}, {"error", why != nullptr ? why : "unknown"}});
  return nullptr;
}

}  // namespace

const CurlLibrary* LoadedCurl() {
  static const CurlLibrary* const curl = Load();
  return curl;
}

}  // namespace carme
