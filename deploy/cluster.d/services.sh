# The services of a host, each started and ended by name. slurmd and munged
# fork when they are ready; callers that need slapd or slurmctld wait for them.

start_slapd() {
  install -d -o openldap -g openldap /run/slapd
  [ -e /run/ldap/data.mdb ] || {
    install -d -m 700 -o openldap -g openldap /run/ldap
    slapadd -q -f /etc/ldap/slapd.conf -l "$tree/secret/directory.ldif"
  }
  chown openldap:openldap /run/ldap/* # root's slapmodify makes files of root's
  slapd -f /etc/ldap/slapd.conf -u openldap -g openldap \
    -h 'ldaps://head/ ldap://head/ ldapi://%2Frun%2Fslapd%2Fldapi'
}

start_nslcd() {
  install -d -o nslcd -g nslcd /run/nslcd
  nslcd
}

# Started after nslcd: it would cache responses from before nslcd's start.
start_nscd() {
  mkdir -p /run/nscd
  nscd --config-file /run/carme-site/cluster.d/nscd.conf
}

start_munged() {
  install -d -o munge -g munge /run/munge
  setpriv --reuid munge --regid munge --clear-groups \
    /usr/sbin/munged --pid-file=/run/munge/munged.pid \
    --seed-file=/run/munge/seed --log-file=/run/munge/log
}

start_slurmctld() {
  install -d -o slurm -g slurm /run/slurm /run/slurm/state
  touch /run/log/slurmctld.log
  chown slurm /run/log/slurmctld.log
  slurmctld
}

start_slurmd() {
  mkdir -p /run/slurm/{spool,pmix}
  slurmd -N "$(hostname)"
}

pid_file() {
  case $1 in
    slapd) echo /run/slapd/pid ;;
    nslcd) echo /run/nslcd/nslcd.pid ;;
    nscd) echo /run/nscd/nscd.pid ;;
    munged) echo /run/munge/munged.pid ;;
    mariadb) echo /run/mysqld/mariadb.pid ;;
    slurmctld | slurmd | slurmdbd) echo "/run/slurm/$1.pid" ;;
    *) fail "no service \"$1\": expected slapd, nslcd, nscd, munged, mariadb, slurmdbd, slurmctld or slurmd" ;;
  esac
}

stop_service() {
  local pid
  pid=$(cat "$(pid_file "$1")") || return 1
  kill "$pid"
  wait_for 60 service_gone "$pid" || fail "$1 ($pid) does not end"
}

service_gone() { ! kill -0 "$1"; }

nodes_idle() { [ "$(sinfo -hN -p main -t idle -o %N | wc -l)" = 2 ]; }
