#include "tests/proxy/nginx.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "common/file.h"
#include "tests/support/signals.h"

namespace carme::testing {

Nginx::Nginx(int app_port, const std::string& listen, const std::string& more) {
  const std::string& path = directory_.path();
  std::string places;
  for (const char* kind :
       {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
    places += std::string(kind) + "_temp_path " + path + "/" + kind + ";\n";
  }
  const std::string config =
      "daemon off;\nmaster_process off;\nerror_log " + path +
      "/error.log info;\npid " + path +
      "/pid;\nevents {}\nhttp {\naccess_log off;\n" + places +
      "client_max_body_size 16g;\nkeepalive_timeout 3;\n"
      "lingering_time 1;\nlingering_timeout 1;\n"
      "upstream app { server 127.0.0.1:" +
      std::to_string(app_port) + "; keepalive 8; }\nserver {\nlisten " +
      listen + ";\n" + more +
      "location / {\nproxy_pass http://app;\nproxy_http_version 1.1;\n"
      "proxy_set_header Connection \"\";\nproxy_set_header Host $host;\n"
      "proxy_request_buffering off;\n}\n}\n}\n";
  REQUIRE(WriteFile(path + "/nginx.conf", config, 0600).ok());
  const std::string file = path + "/nginx.conf";
  pid_ = fork();
  if (pid_ == 0) {
    execl("/usr/sbin/nginx", "nginx", "-p", path.c_str(), "-c", file.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
}

Nginx::~Nginx() {
  testing::Signal(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace carme::testing
