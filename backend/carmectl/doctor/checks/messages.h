// What the checks of this host find, and the remedies. Why a finding matters is
// in the table at the top of its check.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::host_check_messages {

inline constexpr MessageTemplate kRenewRemedy{
    "at the authority: carmectl pki renew DIR {role} NAME; copy both files to "
    "{certificate} and {key}"};

inline constexpr MessageTemplate kNotYetValid{
    "\"{path}\" is valid from {begin} UTC, and this host's clock shows {now}"};

inline constexpr MessageTemplate kNotYetValidRemedy{
    "compare `date -u` with a correct clock and start a time service, such as "
    "chrony"};

inline constexpr MessageTemplate kExpired{"\"{path}\" expired on {end} UTC"};

inline constexpr MessageTemplate kExpiring{"\"{path}\" expires on {end} UTC"};

inline constexpr MessageTemplate kAuthorityRemedy{
    "copy the authority's certificate to {path}"};

inline constexpr MessageTemplate kNewAuthorityRemedy{
    "create a new authority (docs/admin/certificates.md)"};

inline constexpr MessageTemplate kIssueRemedy{
    "at the authority: carmectl pki renew DIR {role} NAME, or carmectl pki "
    "issue DIR {role} NAME for a new host; copy both files to {certificate} "
    "and {key}"};

inline constexpr MessageTemplate kKeyMismatch{
    "\"{key}\" is not the key of \"{certificate}\""};

inline constexpr MessageTemplate kNotIssuedBy{
    "\"{certificate}\" was not issued by the authority \"{authority}\""};

inline constexpr MessageTemplate kWrongIdentity{
    "\"{certificate}\" belongs to {found}: expected {expected}"};

inline constexpr MessageTemplate kNoDnsName{
    "\"{certificate}\" has no DNS name"};

inline constexpr MessageTemplate kNoDnsNameRemedy{
    "carmectl pki issue DIR backend NAME --dns carme-backend"};

inline constexpr MessageTemplate kRevocationList{
    "revocation list \"{path}\": {cause}"};

inline constexpr MessageTemplate kRevocationListRemedy{
    "copy crl.pem of the site's authority to {path}"};

inline constexpr MessageTemplate kRevoked{
    "\"{certificate}\" (serial {serial}) is revoked"};

inline constexpr MessageTemplate kNoTimeService{
    "no time service synchronizes this host's clock"};

inline constexpr MessageTemplate kNoTimeServiceRemedy{
    "timedatectl set-ntp true, or start chrony"};

inline constexpr MessageTemplate kCompareClocksRemedy{
    "compare `date -u` of both hosts"};

inline constexpr MessageTemplate kFileMissing{"\"{path}\" does not exist"};

inline constexpr MessageTemplate kFileMissingRemedy{
    "copy it from deploy/config to {path}"};

inline constexpr MessageTemplate kWritableRemedy{
    "chown root: {path} && chmod go-w {path}; the same for its directory"};

inline constexpr MessageTemplate kNotChecked{
    "\"{path}\" was not checked: {cause}"};

inline constexpr MessageTemplate kNotCheckedRemedy{
    "install the program, then run: {command}"};

inline constexpr MessageTemplate kInvalidRemedy{
    "correct the file; check with: {command}"};

inline constexpr MessageTemplate kRefused{
    "{program} refuses \"{path}\" with exit code {exit_code}"};

inline constexpr MessageTemplate kRestoreRemedy{
    "systemctl stop carme-backend; carmectl restore --replace --state-dir "
    "{directory} BACKUP (the present files are kept); systemctl start "
    "carme-backend"};

inline constexpr MessageTemplate kDatabaseMissingRemedy{
    "on a new site, start carme-backend; otherwise: carmectl restore --replace "
    "--state-dir {directory} BACKUP"};

inline constexpr MessageTemplate kSchemaVersion{
    "\"{path}\" has schema version {found}, this release has {expected}"};

inline constexpr MessageTemplate kNewerRemedy{
    "install the release that wrote it; or, with a backup from before the "
    "upgrade: carmectl restore --replace --state-dir {directory} BACKUP"};

inline constexpr MessageTemplate kOlderRemedy{
    "systemctl start carme-backend, which first makes a backup beside {path}"};

inline constexpr MessageTemplate kDescriptorLimit{
    "{program} (process {process}) may open {limit} files, its configuration "
    "needs {needed}"};

inline constexpr MessageTemplate kDescriptorLimitRemedy{
    "systemctl edit {program}: LimitNOFILE={needed}; or lower max_connections"};

inline constexpr MessageTemplate kDiskSpaceRemedy{
    "df -h {directory}; remove files or enlarge the file system"};

inline constexpr MessageTemplate kDiskSpace{
    "\"{directory}\" has {free_mib} MiB free: expected at least {min_mib}"};

inline constexpr MessageTemplate kInodes{
    "\"{directory}\" has {inodes} free inodes"};

inline constexpr MessageTemplate kInodesRemedy{
    "df -i {directory}; remove files"};

inline constexpr MessageTemplate kAgentUnreachable{
    "the proxy does not reach the agent of job {job}: {cause}"};

inline constexpr MessageTemplate kAgentUnreachableRemedy{
    "allow this host to connect to the node's ports from port_first to "
    "port_last of its {config} (docs/admin/dmz.md)"};

inline constexpr ErrorTemplate kRoutesMalformed{
    absl::StatusCode::kInvalidArgument, "HOST_CHECK_ROUTES_MALFORMED",
    "malformed message"};

inline constexpr MessageTemplate kRoutesUnreadable{
    "\"{path}\" cannot be read: {cause}"};

inline constexpr MessageTemplate kRoutesUnreadableRemedy{
    "run as root; remove a damaged file: carme-proxy writes it again when a "
    "route changes"};

inline constexpr MessageTemplate kDatabaseUnreachable{
    "the time-series database at {url} does not accept connections: {cause}"};

inline constexpr MessageTemplate kDatabaseUnreachableRemedy{
    "start the database, such as victoria-metrics or prometheus; or correct "
    "`url` of [database] in {config}"};

inline constexpr MessageTemplate kFirewallUnreadableRemedy{
    "run as root; or compare the site's firewall with docs/admin/dmz.md and "
    "use --skip firewall"};

inline constexpr MessageTemplate kPortUnlimited{
    "no rule of nftables on this host mentions port {port} (for {purpose})"};

inline constexpr MessageTemplate kPortUnlimitedRemedy{
    "nft add table inet filter && nft add chain inet filter input "
    "'{chain}' && nft add rule inet filter input ct state new tcp dport {port} "
    "ip saddr != ADDRESSES drop; with a firewall elsewhere use --skip "
    "firewall"};

inline constexpr MessageTemplate kPortalUnresolvedRemedy{
    "add an A or AAAA record for {host}"};

inline constexpr MessageTemplate kJobsUnresolvedRemedy{
    "add an A or AAAA record for {record}, or use path-based routing "
    "(docs/admin/dmz.md)"};

inline constexpr MessageTemplate kJobsElsewhere{
    "\"{name}\" resolves to {address}, \"{host}\" to {expected}"};

inline constexpr MessageTemplate kJobsElsewhereRemedy{
    "point {record} to the proxy or its load balancer"};

inline constexpr MessageTemplate kBackendUnreachable{
    "the backend at {address} (certificate name {name}): {cause}"};

inline constexpr MessageTemplate kNameUnknownRemedy{
    "add the name to DNS or /etc/hosts, or correct `{key}` in {file}"};

inline constexpr MessageTemplate kPortClosedRemedy{
    "start carme-backend; allow the connection in the firewall "
    "(docs/admin/dmz.md)"};

inline constexpr MessageTemplate kNotListening{
    "{program} does not accept connections at {address}: {cause}"};

inline constexpr MessageTemplate kProgramRemedy{
    "systemctl start {program}; journalctl -u {program}"};

inline constexpr MessageTemplate kVersionDiffers{
    "installed is \"{version}\", and carmectl {own}"};

inline constexpr MessageTemplate kVersionDiffersRemedy{
    "install the packages of one release; systemctl restart {program}"};

inline constexpr MessageTemplate kIsStandby{
    "the backend of the host \"{host}\" is active, this one is its standby"};

inline constexpr MessageTemplate kIsStandbyRemedy{
    "none is needed; on {host}: carmectl doctor"};

inline constexpr MessageTemplate kActiveTwice{
    "process {process} and the backend of the host \"{host}\" use "
    "\"{database}\""};

inline constexpr MessageTemplate kActiveTwiceRemedy{
    "systemctl stop carme-backend on one of both hosts; set [standby] enabled "
    "= true on both; check that the storage has locks between hosts"};

inline constexpr MessageTemplate kTwoBackends{
    "the processes {processes} use \"{database}\""};

inline constexpr MessageTemplate kTwoBackendsRemedy{
    "stop all but the one of the unit: systemctl status carme-backend; kill "
    "PID"};

inline constexpr MessageTemplate kNoSocket{
    "{program} has no socket at \"{path}\""};

inline constexpr MessageTemplate kPublicNames{
    "no certificate of proxy.toml is valid for \"{host}\"; they have: {names}"};

inline constexpr MessageTemplate kPublicNamesRemedy{
    "request one for {names} (docs/admin/certificates.md)"};

inline constexpr MessageTemplate kPublicUnreadableRemedy{
    "copy the certificate with its chain to {certificate}"};

inline constexpr MessageTemplate kPublicPeriod{
    "\"{certificate}\" is valid from {begin} to {end}"};

inline constexpr MessageTemplate kPublicRenewRemedy{
    "renew it with the site's tool, such as `certbot renew`"};

inline constexpr MessageTemplate kPublicKeyRemedy{
    "copy certificate and key of the same renewal"};

inline constexpr MessageTemplate kAccountMissingRemedy{
    "systemd-sysusers; or name the program's account with --account"};

inline constexpr MessageTemplate kSecretMissing{"\"{path}\" cannot be found"};

inline constexpr MessageTemplate kSecretMissingRemedy{
    "copy the file to {path}, or correct its path"};

inline constexpr MessageTemplate kSecretRemedy{
    "chown {account} {path} && chmod 0400 {path}"};

inline constexpr MessageTemplate kSecretExposed{
    "\"{path}\" has mode {mode}: expected 0400 to 0640"};

inline constexpr MessageTemplate kSecretUnreadable{
    "\"{path}\" belongs to uid {owner} with mode {mode}: uid {account} cannot "
    "read it"};

inline constexpr MessageTemplate kStateDirectory{"state directory {cause}"};

inline constexpr MessageTemplate kNoSystemd{
    "systemd does not run on this host"};

inline constexpr MessageTemplate kNoSystemdRemedy{
    "none is needed in a container"};

inline constexpr MessageTemplate kUnitRemedy{
    "journalctl -u {unit} -n 20; systemctl start {unit}"};

inline constexpr MessageTemplate kUnitDisabled{"{unit} is disabled"};

inline constexpr MessageTemplate kUnitDisabledRemedy{"systemctl enable {unit}"};

inline constexpr MessageTemplate kAuthorityUnreadable{
    "authority \"{path}\": {cause}"};

inline constexpr MessageTemplate kCertificateUnreadable{
    "certificate \"{path}\": {cause}"};

inline constexpr MessageTemplate kClockAhead{
    "{clock} is {skew} ahead of this host's"};

inline constexpr MessageTemplate kClockBehind{
    "{clock} is {skew} behind this host's"};

inline constexpr ErrorTemplate kNoControllerTime{
    absl::StatusCode::kNotFound, "HOST_CHECK_NO_CONTROLLER_TIME",
    "scontrol did not print slurmctld's time"};

inline constexpr MessageTemplate kClockRemedy{
    "timedatectl set-ntp true, or start chrony, on both hosts; check with "
    "`date -u`"};

}  // namespace carme::carmectl::host_check_messages

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_MESSAGES_H_
