#!/usr/bin/env bash
# scale.sh WORK, on the head of a private cluster: 2,688 nodes more, of which
# slurmctld alone knows, a backend and an impersonator as they are installed, and
# scale_bench. The nodes are such as a cloud's, which a program wakes when a job
# is for them: so jobs get nodes, and run for all that slurmctld can tell. They
# have few processors, or slurmctld would be busy for hours with starting jobs.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
people=20 work=$1/scale

sed -i '/^PartitionName/d; /^SchedulerParameters/d' /etc/slurm/slurm.conf
cat >> /etc/slurm/slurm.conf <<'END'
MaxJobCount=100000
SuspendTime=36000
SuspendProgram=/bin/true
ResumeProgram=/bin/true
ResumeTimeout=36000
ResumeRate=0
SchedulerParameters=defer,default_queue_depth=500,sched_interval=5
PrivateData=cloud
TreeWidth=65000
NodeName=big[0001-2688] NodeAddr=10.77.0.250 CPUs=8 RealMemory=800000 Gres=gpu:gh200:4 Feature=carme State=CLOUD
PartitionName=main Nodes=big[0001-2688] Default=YES MaxTime=1-0 State=UP
END
"$CARME_CLUSTER_SERVICE" slurmctld restart
wait_for 60 sinfo > /dev/null

bench_people "$people"
bench_homes "$people"
bench_backend_install "$work"
bench_impersonator_start "$work"
trap 'kill "$impersonator" "${backend:-}" 2> /dev/null || true' EXIT
bench_backend_start "$work"
BENCH_PASSWORD=$bench_password "$CARME_BENCH_BUILD/tests/bench/scale_bench" \
  "$work" "$people" "$backend" || {
  tail -n 20 "$work/backend.log" "$work/impersonator.log" >&2
  exit 1
}
