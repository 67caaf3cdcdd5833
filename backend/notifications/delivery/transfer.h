// One transfer by libcurl, within what is the same for mails and webhooks: no
// proxy, no redirect, no protocol but the named ones, bounded in time and
// bytes, and over at once when the program stops.
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

// Used by one thread, for one transfer.
class Transfer {
 public:
  struct Limits {
    absl::Duration connect = absl::Seconds(10);
    absl::Duration whole = absl::Seconds(60);
    size_t max_answer_bytes = 64 * 1024;  // its head, too
  };
  struct Result {
    CURLcode code = CURLE_OK;
    long answer = 0;    // the status that the other side gave last
    std::string words;  // libcurl's, for the log
    bool stopped = false;
  };

  // `protocols` as CURLOPT_PROTOCOLS_STR has them. `stopping` outlives this.
  Transfer(const std::string& url, const char* protocols, const Limits& limits,
           const std::atomic<bool>* stopping);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // For what is special about it.
  CURL* handle() { return handle_; }
  // A line of the request's head, or a recipient: kept until the end.
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
