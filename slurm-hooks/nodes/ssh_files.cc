#include "slurm-hooks/nodes/ssh_files.h"

#include <sys/stat.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status.h"
#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/nodes/ssh_key.h"

namespace carme::node {
namespace {

// Host pattern in known_hosts: the job's own nodes share one key.
std::string AliasOf(const v1::JobNode& node) {
  if (node.host_key().empty()) return "carme-job";
  return absl::StrCat("carme-node-", node.rank());
}

std::string InSsh(const std::string& directory, const char* name) {
  return absl::StrCat(SshDirectory(directory), "/", name);
}

// All values in both configurations are quoted.
std::string SshQuoted(const std::string& text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// "%" starts a token of ssh.
std::string SshPath(const std::string& path) {
  return SshQuoted(absl::StrReplaceAll(path, {{"%", "%%"}}));
}

}  // namespace

std::string SshDirectory(const std::string& directory) {
  return absl::StrCat(directory, "/ssh");
}

std::string SshConfigPath(const std::string& directory) {
  return InSsh(directory, "config");
}

std::string SshHostsPath(const std::string& directory) {
  return InSsh(directory, "hosts");
}

std::string SshdConfigPath(const std::string& directory) {
  return InSsh(directory, "sshd_config");
}

absl::StatusOr<v1::SshKeys> NewSshKeys(const std::string& comment) {
  ASSIGN_OR_RETURN(const SshKey host, NewSshKey(comment));
  ASSIGN_OR_RETURN(const SshKey user, NewSshKey(comment));
  v1::SshKeys keys;
  keys.set_host_private(host.private_text);
  keys.set_host_public(host.public_line);
  keys.set_user_private(user.private_text);
  keys.set_user_public(user.public_line);
  return keys;
}

std::string KnownHostsText(const v1::NodeList& list, const v1::SshKeys& own) {
  std::string text =
      absl::StrCat(AliasOf(v1::JobNode()), " ", own.host_public(), "\n");
  for (const v1::JobNode& node : list.nodes()) {
    if (node.host_key().empty()) continue;
    absl::StrAppend(&text, AliasOf(node), " ", node.host_key(), "\n");
  }
  return text;
}

std::string AuthorizedKeysText(const v1::NodeList& list,
                               const v1::SshKeys& own) {
  std::string text = absl::StrCat(own.user_public(), "\n");
  for (const std::string& key : list.user_keys()) {
    absl::StrAppend(&text, key, "\n");
  }
  return text;
}

std::string SshHostsText(const v1::NodeList& list, const std::string& directory,
                         const std::string& user) {
  std::string text = "# How the nodes of this job reach each other.\n";
  for (const v1::JobNode& node : list.nodes()) {
    if (node.ssh_port() == 0) continue;
    absl::StrAppend(
        &text, "Host ", node.name(), " ", node.address(), "\n  HostName ",
        node.address(), "\n  Port ", node.ssh_port(), "\n  User ",
        SshQuoted(user), "\n  HostKeyAlias ", AliasOf(node),
        "\n  IdentityFile ", SshPath(InSsh(directory, "id")),
        "\n  IdentitiesOnly yes\n  IdentityAgent none\n  UserKnownHostsFile ",
        SshPath(InSsh(directory, "known_hosts")),
        "\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n"
        "  UpdateHostKeys no\n  PreferredAuthentications publickey\n"
        "  ProxyCommand none\n  ControlPath none\n  ForwardAgent no\n"
        "  ConnectTimeout 20\n  ServerAliveInterval 15\n  LogLevel ERROR\n");
  }
  return text;
}

std::string SshConfigText(const std::string& directory) {
  return absl::StrCat("Include ", SshPath(SshHostsPath(directory)),
                      "\nInclude ~/.ssh/config\n");
}

std::string SshdConfigText(const std::string& directory,
                           const std::vector<std::string>& environment) {
  // StrictModes requires that all directories above the keys belong to root or
  // the user, and in a user namespace root is neither. The barrier is the
  // runtime directory, 0700, which the agent has checked.
  std::string text = absl::StrCat(
      "# sshd between the nodes of this job, as its user, for its key alone.\n"
      "HostKey ",
      SshPath(InSsh(directory, "host_key")), "\nAuthorizedKeysFile ",
      SshPath(InSsh(directory, "authorized_keys")),
      "\nStrictModes no\nAuthenticationMethods publickey\n"
      "PubkeyAuthentication yes\nPasswordAuthentication no\n"
      "KbdInteractiveAuthentication no\nHostbasedAuthentication no\n"
      "PermitRootLogin no\nPermitEmptyPasswords no\nUsePAM no\n"
      "LoginGraceTime 20\nMaxAuthTries 2\nMaxSessions 100\nUseDNS no\n"
      "AllowAgentForwarding no\nAllowTcpForwarding local\nX11Forwarding no\n"
      "PermitTunnel no\nPermitUserRC no\nPermitUserEnvironment no\n"
      "PrintMotd no\nPrintLastLog no\nPidFile none\nLogLevel ERROR\n"
      "ClientAliveInterval 30\nSubsystem sftp internal-sftp\n");
  std::string assigned;
  for (const std::string& entry : environment) {
    if (entry.find_first_of("\r\n") != std::string::npos) continue;
    absl::StrAppend(&assigned, " ", SshQuoted(entry));
  }
  if (!assigned.empty()) absl::StrAppend(&text, "SetEnv", assigned, "\n");
  return text;
}

absl::Status WriteSshTrust(const std::string& directory,
                           const v1::NodeList& list, const v1::SshKeys& own) {
  RETURN_IF_ERROR(WriteInPlace(InSsh(directory, "authorized_keys"),
                               AuthorizedKeysText(list, own)));
  return WriteInPlace(InSsh(directory, "known_hosts"),
                      KnownHostsText(list, own));
}

absl::Status WriteSshKeys(const std::string& directory,
                          const v1::SshKeys& keys) {
  const std::string folder = SshDirectory(directory);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, absl::StrCat("make \"", folder, "\""));
  }
  const std::pair<const char*, std::string> files[] = {
      {"host_key", keys.host_private()},
      {"id", keys.user_private()},
      {"authorized_keys", AuthorizedKeysText({}, keys)},
      {"known_hosts", KnownHostsText({}, keys)}};
  for (const auto& [name, text] : files) {
    RETURN_IF_ERROR(WriteInPlace(InSsh(directory, name), text));
  }
  return absl::OkStatus();
}

}  // namespace carme::node
