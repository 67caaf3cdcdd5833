// A TLS server on 127.0.0.1 that stands for the backend's ports and for the
// portal: it answers an HTTP/2 preface with empty settings, and GET with a
// response that has a Date.
#ifndef CARME_TESTS_BACKEND_CARMECTL_DOCTOR_TLS_LISTENER_H_
#define CARME_TESTS_BACKEND_CARMECTL_DOCTOR_TLS_LISTENER_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "common/unique_fd.h"

struct ssl_ctx_st;

namespace carme::carmectl {

struct TlsListenerFiles {
  std::string certificate;
  std::string key;
  std::string client_ca;  // clients must send a certificate of it
};

class TlsListener {
 public:
  // Throws when the files cannot be used.
  explicit TlsListener(const TlsListenerFiles& files);
  TlsListener(const TlsListener&) = delete;
  TlsListener& operator=(const TlsListener&) = delete;
  ~TlsListener();

  std::string address() const;  // "127.0.0.1:PORT"
  void SetDate(absl::Time date) { date_unix_ = absl::ToUnixSeconds(date); }
  // Of responses for hosts of jobs, which are those of the proxy.
  void SetJobsDate(absl::Time date) {
    jobs_date_unix_ = absl::ToUnixSeconds(date);
  }

 private:
  void Accept();
  void Serve(int fd);

  std::shared_ptr<ssl_ctx_st> context_;
  UniqueFd listener_;
  int port_ = 0;
  std::atomic<int64_t> date_unix_ = 0;
  std::atomic<int64_t> jobs_date_unix_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace carme::carmectl

#endif  // CARME_TESTS_BACKEND_CARMECTL_DOCTOR_TLS_LISTENER_H_
