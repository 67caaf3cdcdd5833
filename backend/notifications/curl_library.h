// libcurl, loaded when something is sent for the first time: it and what it
// needs are 1.5 MB of memory, which a site that sends nothing does not spend.
#ifndef CARME_BACKEND_NOTIFICATIONS_CURL_LIBRARY_H_
#define CARME_BACKEND_NOTIFICATIONS_CURL_LIBRARY_H_

#include <curl/curl.h>

#include "absl/status/status.h"

namespace carme {

// What is called of it, under libcurl's own names.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_url) url = nullptr;
  decltype(&curl_url_set) url_set = nullptr;
  decltype(&curl_url_get) url_get = nullptr;
  decltype(&curl_url_cleanup) url_cleanup = nullptr;
  decltype(&curl_free) free = nullptr;
};

// Loads it once, for good. Thread-safe. Null: it is not installed; the log says
// so.
const CurlLibrary* LoadedCurl();
inline absl::Status CurlIsMissing() {
  return absl::UnavailableError("nothing can be sent here now");
}

}  // namespace carme

#endif  // CARME_BACKEND_NOTIFICATIONS_CURL_LIBRARY_H_
