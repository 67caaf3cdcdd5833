#!/usr/bin/env bash
# The firewall between the hosts lets the lines of the picture through and
# drops the rest. Jobs stand in for an attacker on a node.
set -uo pipefail
. "$(dirname "$(realpath "$0")")/expect.sh"

timeout_s=1 # of connections that must fail
# reaches NODE HOST PORT: a connection is answered, by a yes or a refusal;
# what the firewall drops is not answered at all.
reaches() {
  local answer=0
  as ada srun -w "$1" timeout "$timeout_s" \
    bash -c ": < /dev/tcp/$2/$3" 2> /dev/null ||
    answer=$?
  [ "$answer" != 124 ]
}

refuse 'firewall: a node does not reach the DMZ' reaches n1 dmz 8080
refuse 'firewall: a node does not reach the backend of frontend and proxy' \
  reaches n1 head 9443
refuse 'firewall: a node does not reach ssh on the head' reaches n2 head 22
refuse 'firewall: a node does not reach LDAP without TLS' reaches n1 head 389
timeout_s=120
expect 'firewall: a node reaches the backend of the agents' \
  reaches n1 head 9444
expect 'firewall: a node reaches where agents dial to the proxy' \
  reaches n1 dmz 8444
expect 'firewall: a node reaches LDAP with TLS' reaches n2 head 636
expect 'firewall: nodes reach each other' reaches n1 n2 34000
refuse 'firewall: the head does not reach an agent' \
  timeout 1 bash -c ': < /dev/tcp/n1/34000'
expect 'firewall: the head reaches slurmd' bash -c ': < /dev/tcp/n1/6818'
# refused by the node, where no srun listens; dropped, it would time out
answered() {
  local answer=0
  timeout 10 bash -c ": < /dev/tcp/$1/$2" 2> /dev/null || answer=$?
  [ "$answer" != 124 ]
}
expect 'firewall: the head reaches an srun on a node' answered n1 60049

expect_end
