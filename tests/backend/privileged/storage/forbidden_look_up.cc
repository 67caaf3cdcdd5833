// Replaces the look-up of a user, as a compromised NSS module would: it starts
// a program. Look-ups of the start, before the filter, are not affected.
#include <dlfcn.h>
#include <pwd.h>
#include <unistd.h>

#include <cstring>

extern "C" int getpwnam_r(const char* name, passwd* entry, char* buffer,
                          size_t length, passwd** found) {
  using LookUp = int(const char*, passwd*, char*, size_t, passwd**);
  if (std::strcmp(name, "ada") == 0) execl("/bin/true", "true", nullptr);
  auto* const real = reinterpret_cast<LookUp*>(dlsym(RTLD_NEXT, "getpwnam_r"));
  return real(name, entry, buffer, length, found);
}
