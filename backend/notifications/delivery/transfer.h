// A libcurl transfer with the restrictions for e-mail and webhooks: no proxy,
// no redirects, only the named protocols, limits on time and bytes, and
// cancelled when the program stops.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_TRANSFER_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_TRANSFER_H_

#include <curl/curl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace carme::backend {

// Not thread-safe; for one transfer.
class Transfer {
 public:
  struct Limits {
    absl::Duration connect = absl::Seconds(10);
    absl::Duration whole = absl::Seconds(60);
    size_t max_response_bytes = 64 * 1024;  // with headers
  };
  struct Result {
    CURLcode code = CURLE_OK;
    long response_code = 0;  // the latest of the server
    std::string error;       // of libcurl, for the log
    bool stopped = false;
  };

  // `protocols` as CURLOPT_PROTOCOLS_STR has them. `stopping` must
  // outlive the object.
  Transfer(const std::string& url, const char* protocols, const Limits& limits,
           const std::atomic<bool>* stopping);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // For further options.
  CURL* handle() { return handle_; }
  // Adds a request header or a recipient.
  void Add(CURLoption list, const std::string& line);
  Result Run();

 private:
  static size_t OnAnswer(char* bytes, size_t size, size_t count, void* self);
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t,
                        curl_off_t);

  const Limits limits_;
  const std::atomic<bool>& stopping_;
  CURL* const handle_;
  struct List {
    CURLoption option;
    curl_slist* lines;
  };
  std::vector<List> lists_;
  std::array<char, CURL_ERROR_SIZE> words_{};
  size_t answered_ = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_TRANSFER_H_
