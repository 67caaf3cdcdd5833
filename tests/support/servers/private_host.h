// A host of the test's own, without a container: network and mounts.
#ifndef CARME_TESTS_SUPPORT_SERVERS_PRIVATE_HOST_H_
#define CARME_TESTS_SUPPORT_SERVERS_PRIVATE_HOST_H_

#include <string>

namespace carme {

// Puts the calling thread, and what it starts from then on, into network and
// mount namespaces of their own: there is nothing but a loopback, every port of
// which is free, and mounts are visible here only. There is no way
// back. Needs root; throws without.
void EnterPrivateHost();

// REQUIRES: EnterPrivateHost(). Shows `file` or directory at `path`.
void CoverPath(const std::string& path, const std::string& file);

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_PRIVATE_HOST_H_
