// What the checks of the cluster find, and the remedies. Why a finding matters
// is in the table at the top of its check.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::cluster_check_messages {

inline constexpr MessageTemplate kSettingRemedy{
    "set {setting} in {file}; restart slurmctld and slurmd"};

inline constexpr MessageTemplate kCgroupVersion{
    "CgroupPlugin is \"{plugin}\", this node has version {version}"};

inline constexpr MessageTemplate kCgroupVersionRemedy{
    "set CgroupPlugin=autodetect in cgroup.conf; restart slurmd"};

inline constexpr MessageTemplate kNoNode{"no node has Carme's feature"};

inline constexpr MessageTemplate kNoNodeRemedy{"carmectl doctor --only slurm"};

inline constexpr MessageTemplate kJobNotRunRemedy{
    "run it as a user who may use {node}, while the node is free; with another "
    "cause, on {node}: carmectl doctor"};

inline constexpr MessageTemplate kJobUnconfined{
    "a job on {node} runs outside of a control group of Slurm"};

inline constexpr MessageTemplate kJobUnconfinedRemedy{
    "set ProctrackType=proctrack/cgroup and TaskPlugin=task/cgroup in "
    "slurm.conf; restart slurmctld and slurmd"};

inline constexpr MessageTemplate kJobOpensGpu{
    "a job on {node} without GPUs can open {device}"};

inline constexpr MessageTemplate kJobOpensGpuRemedy{
    "set ConstrainDevices=yes in cgroup.conf and list all GPUs in gres.conf; "
    "restart slurmd"};

inline constexpr ErrorTemplate kJobFailed{absl::StatusCode::kUnavailable,
                                          "CLUSTER_CHECK_JOB_FAILED",
                                          "srun: {cause}"};

inline constexpr MessageTemplate kNodeClockAhead{
    "the clock of {node} is {skew} ahead of this host's"};

inline constexpr MessageTemplate kNodeClockBehind{
    "the clock of {node} is {skew} behind this host's"};

inline constexpr MessageTemplate kNodeClockRemedy{
    "on {node} and on this host: timedatectl set-ntp true, or start chrony"};

inline constexpr MessageTemplate kNodeUid{
    "\"{user}\" has uid {uid} on this host and {node_uid} on {node}"};

inline constexpr MessageTemplate kNodeUserMissing{
    "{node} does not know the user \"{user}\""};

inline constexpr MessageTemplate kNodeUidRemedy{
    "on {node}: getent passwd {user}; look for a local account in /etc/passwd, "
    "and configure sssd or nslcd as on this host"};

inline constexpr MessageTemplate kNodeRefuses{
    "{node} does not decode this host's MUNGE credential: {cause}"};

inline constexpr MessageTemplate kHostRefuses{
    "this host does not decode the MUNGE credential of {node}: {cause}"};

inline constexpr MessageTemplate kHookSlow{
    "the {hook} on {node} takes {time} or longer"};

inline constexpr MessageTemplate kHookSlowRemedy{
    "on {node}: journalctl -u slurmd; measure each program of {hook} in "
    "slurm.conf"};

inline constexpr MessageTemplate kDirectoryProgramRemedy{
    "install carme-backend on this host"};

inline constexpr MessageTemplate kDirectoryRemedy{
    "correct [ldap] of backend.toml, or the files that it names"};

inline constexpr MessageTemplate kGroupMissing{
    "the directory has no group \"{group}\": {cause}"};

inline constexpr MessageTemplate kGroupMissingRemedy{
    "create the group below group_base, or correct its name in [ldap] of "
    "backend.toml"};

inline constexpr MessageTemplate kImageMissing{
    "\"{path}\" does not exist on this host"};

inline constexpr MessageTemplate kImageMissingRemedy{
    "build or copy the image, or mount its file system (docs/admin/images.md)"};

inline constexpr MessageTemplate kImageWritable{"\"{path}\" has mode {mode}"};

inline constexpr MessageTemplate kImageWritableRemedy{"chmod go-w {path}"};

inline constexpr MessageTemplate kStoreAccountMissing{
    "the account \"{account}\" of [shared_images] does not exist"};

inline constexpr MessageTemplate kStoreAccountMissingRemedy{
    "create it in the directory (docs/admin/images.md)"};

inline constexpr MessageTemplate kStoreOwner{
    "\"{path}\" belongs to uid {owner} with mode {mode}: expected {account} "
    "with mode {expected_mode}"};

inline constexpr MessageTemplate kApptainerMissing{
    "\"{path}\" does not exist or is not executable"};

inline constexpr MessageTemplate kApptainerMissingRemedy{
    "install Apptainer, correct `apptainer` of agent.toml, or set it to \"\" "
    "for a node without images"};

inline constexpr MessageTemplate kFuseMode{
    "\"{path}\" has mode {mode}: expected 666"};

inline constexpr MessageTemplate kFuseMissing{"\"{path}\" does not exist"};

inline constexpr MessageTemplate kFuseModeRemedy{
    "chmod 666 /dev/fuse, and a udev rule that keeps it"};

inline constexpr MessageTemplate kFuseMissingRemedy{"modprobe fuse"};

inline constexpr MessageTemplate kSysctlRemedy{
    "{command}; keep it in /etc/sysctl.d"};

inline constexpr MessageTemplate kMungeRemedy{
    "systemctl start munge; journalctl -u munge"};

inline constexpr MessageTemplate kMungeKeyRemedy{
    "compare the clock and `sha256sum /etc/munge/munge.key` with those of the "
    "other hosts; systemctl restart munge"};

inline constexpr MessageTemplate kNssGroupMissing{
    "`getent group {group}` finds no group"};

inline constexpr MessageTemplate kNssGroupMissingRemedy{
    "configure sssd or nslcd for the directory, and \"group\" of "
    "/etc/nsswitch.conf; then restart it"};

inline constexpr MessageTemplate kNoMember{
    "the name service lists no member of the allowed group"};

inline constexpr MessageTemplate kNoMemberRemedy{
    "name users: carmectl doctor --only name-service --user NAME"};

inline constexpr MessageTemplate kNoEntry{
    "the directory has no usable entry of \"{user}\": {cause}"};

inline constexpr MessageTemplate kNoEntryRemedy{
    "name another user: --user NAME"};

inline constexpr MessageTemplate kNssUserMissing{
    "`getent passwd {user}` finds no user"};

inline constexpr MessageTemplate kNssUserMissingRemedy{
    "configure sssd or nslcd for the directory, and \"passwd\" of "
    "/etc/nsswitch.conf; then restart it"};

inline constexpr MessageTemplate kUidDiffers{
    "\"{user}\" has uid {directory_uid} in the directory and {uid} in the name "
    "service"};

inline constexpr MessageTemplate kUidDiffersRemedy{
    "use one source of ids on all hosts; look for a local account in "
    "/etc/passwd"};

inline constexpr MessageTemplate kSlurmUnreachableRemedy{
    "scontrol ping; check slurm.conf, MUNGE and the firewall (6817/tcp)"};

inline constexpr MessageTemplate kClusterName{"ClusterName is not set"};

inline constexpr MessageTemplate kClusterNameRemedy{
    "set ClusterName in slurm.conf; scontrol reconfigure"};

inline constexpr MessageTemplate kPrologFlags{
    "PrologFlags is \"{flags}\": expected Alloc"};

inline constexpr MessageTemplate kPrologFlagsRemedy{
    "set PrologFlags=Alloc in slurm.conf; restart slurmctld and slurmd"};

inline constexpr MessageTemplate kSrunPorts{"SrunPortRange is not set"};

inline constexpr MessageTemplate kSrunPortsRemedy{
    "set SrunPortRange in slurm.conf, and allow it from slurmctld to the nodes "
    "(docs/admin/dmz.md)"};

inline constexpr MessageTemplate kRelease{
    "slurmctld has release {slurmctld}, this host {host}"};

inline constexpr MessageTemplate kReleaseRemedy{
    "install Slurm's packages, and Carme's for that release, of slurmctld's "
    "release"};

inline constexpr MessageTemplate kFeature{
    "no node has the feature \"{feature}\""};

inline constexpr MessageTemplate kFeatureRemedy{
    "add Feature={feature} to NodeName lines of slurm.conf; scontrol "
    "reconfigure"};

inline constexpr MessageTemplate kHookNotConfigured{
    "{key} of slurm.conf is not set"};

inline constexpr MessageTemplate kHookNotConfiguredRemedy{
    "set {key}=/usr/libexec/carme/{program} in slurm.conf; scontrol "
    "reconfigure"};

inline constexpr MessageTemplate kHookMissing{
    "{key} \"{path}\" does not exist or is not executable"};

inline constexpr MessageTemplate kHookMissingRemedy{
    "install Carme's hooks on this node, or correct slurm.conf"};

inline constexpr MessageTemplate kWritableRemedy{
    "chown root: {path} && chmod 755 {path}; the same for its directory"};

inline constexpr MessageTemplate kHookForeign{
    "{key} \"{path}\" does not mention carme/{program}"};

inline constexpr MessageTemplate kHookForeignRemedy{
    "call libexec/carme/{program} from it"};

inline constexpr MessageTemplate kSpankMissing{
    "\"{path}\" has no line with spank_carme_env.so"};

inline constexpr MessageTemplate kSpankMissingRemedy{"add the line: {line}"};

inline constexpr MessageTemplate kSpankRequiredRemedy{
    "replace \"optional\" by \"required\""};

inline constexpr MessageTemplate kSpankFile{
    "\"{file}\" of \"{path}\" does not exist"};

inline constexpr MessageTemplate kSpankFileRemedy{
    "install Carme on this host, or correct the line"};

inline constexpr MessageTemplate kSetting{"{key} is \"{value}\""};

inline constexpr MessageTemplate kSpankOptional{"\"{path}\" has: {line}"};

}  // namespace carme::carmectl::cluster_check_messages

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CLUSTER_MESSAGES_H_
