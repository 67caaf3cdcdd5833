#include "backend/notifications/delivery/transfer.h"

#include <algorithm>
#include <new>

namespace carme::backend {

Transfer::Transfer(const std::string& url, const char* protocols,
                   const Limits& limits, const std::atomic<bool>* stopping)
    : limits_(limits), stopping_(*stopping), handle_(curl_easy_init()) {
  if (handle_ == nullptr) throw std::bad_alloc();
  curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle_, CURLOPT_PROTOCOLS_STR, protocols);
  curl_easy_setopt(handle_, CURLOPT_FOLLOWLOCATION, 0L);
  // Not from the environment either.
  curl_easy_setopt(handle_, CURLOPT_PROXY, "");
  curl_easy_setopt(handle_, CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
  curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle_, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  curl_easy_setopt(
      handle_, CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(absl::ToInt64Milliseconds(limits.connect)));
  curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(limits.whole)));
  curl_easy_setopt(handle_, CURLOPT_ERRORBUFFER, words_.data());
  curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &Transfer::OnAnswer);
  curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, &Transfer::OnAnswer);
  curl_easy_setopt(handle_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(handle_, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle_, CURLOPT_XFERINFOFUNCTION, &Transfer::OnProgress);
  curl_easy_setopt(handle_, CURLOPT_XFERINFODATA, this);
}

Transfer::~Transfer() {
  curl_easy_cleanup(handle_);
  for (const List& list : lists_) curl_slist_free_all(list.lines);
}

void Transfer::Add(CURLoption list, const std::string& line) {
  auto found = std::find_if(lists_.begin(), lists_.end(), [&](const List& one) {
    return one.option == list;
  });
  if (found == lists_.end()) {
    found = lists_.insert(lists_.end(), {list, nullptr});
  }
  curl_slist* const longer = curl_slist_append(found->lines, line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  found->lines = longer;
  curl_easy_setopt(handle_, list, longer);
}

Transfer::Result Transfer::Run() {
  Result result;
  // A name server that does not respond must not delay the call beyond the
  // time-out.
  curl_easy_setopt(handle_, CURLOPT_QUICK_EXIT, 1L);
  result.code = curl_easy_perform(handle_);
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &result.response_code);
  result.error =
      words_[0] != '\0' ? words_.data() : curl_easy_strerror(result.code);
  result.stopped = result.code == CURLE_ABORTED_BY_CALLBACK && stopping_;
  return result;
}

size_t Transfer::OnAnswer(char* /*bytes*/, size_t size, size_t count,
                          void* self) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  transfer.answered_ += size * count;
  return transfer.answered_ <= transfer.limits_.max_response_bytes
             ? size * count
             : 0;
}

int Transfer::OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t,
                         curl_off_t) {
  return static_cast<Transfer*>(self)->stopping_ ? 1 : 0;
}

}  // namespace carme::backend
