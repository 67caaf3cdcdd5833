# What a site has before Carme: Slurm with MUNGE, a directory, names in DNS, the
# homes, a certificate for browsers.

PORTAL=carme.example.org
JOBS=jobs.example.net

# site_prepare: before the hosts start.
site_prepare() {
  mkdir -p "$dir"/{home,log,site/head/etc/ldap,site/secret,layers}
  chmod 700 "$dir/site"
  (umask 077 && users_create > "$dir/users")
  authority_create "$dir/pki" &&
    certificate_issue "$dir/pki" ldap DNS:head &&
    certificate_issue "$dir/pki" public "DNS:$PORTAL,DNS:*.$JOBS" || return 1
  mkdir "$dir/site/head/secret"
  ldap_create "$dir" "$dir/site/head"
  homes_create "$dir/users" "$dir/home"
  head -c 1024 /dev/urandom > "$dir/site/munge.key"
  site_slurm > "$dir/site/slurm.conf"
  template cgroup.conf.in PLUGIN="cgroup/$(cgroups_version)" \
    > "$dir/site/cgroup.conf"
  echo 'nameserver 10.77.0.1' > "$dir/resolv.conf"
}

# site_slurm: the cluster's slurm.conf, at the paths of Debian's packages and
# without what is Carme's.
site_slurm() {
  template slurm.conf.in CPUS="$(nproc)" MEMORY=3000 HOOKS= |
    sed -E -e 's|/run/slurm/state|/var/lib/slurm/slurmctld|' \
      -e 's|/run/slurm/spool|/var/lib/slurm/slurmd|' \
      -e 's|/run/slurm/(slurm.*\.pid)|/run/\1|' -e 's|/run/log/|/var/log/slurm/|' \
      -e '/^(PrologFlags|SrunPortRange|MpiDefault|GresTypes|NodeName=n2)/d' \
      -e '/^#/d' -e 's/ (Gres|Feature)=[^ ]*//g'
}

# site_install: on the hosts that run.
site_install() {
  local host
  site_file head root 644 /etc/dnsmasq.d/site.conf << END
listen-address=10.77.0.1
bind-interfaces
no-resolv
no-hosts
host-record=head,10.77.0.1
host-record=dmz,10.77.0.2
host-record=n1,10.77.0.11
address=/$PORTAL/10.77.0.2
address=/$JOBS/10.77.0.2
END
  # nscd would keep that a name is unknown
  in_host "$dir" head systemctl restart dnsmasq
  site_directory
  for host in head n1; do
    site_file "$host" root 644 /etc/carme-site/ca.pem < "$dir/pki/ca.pem"
    site_file "$host" root 600 /etc/nslcd.conf < "$dir/site/head/etc/nslcd.conf"
    site_file "$host" munge 400 /etc/munge/munge.key < "$dir/site/munge.key"
    site_file "$host" root 644 /etc/slurm/slurm.conf < "$dir/site/slurm.conf"
    site_file "$host" root 644 /etc/slurm/cgroup.conf < "$dir/site/cgroup.conf"
    in_host "$dir" "$host" sed -i -e 's/^passwd:.*/passwd: files ldap/' \
      -e 's/^group:.*/group: files ldap/' /etc/nsswitch.conf
  done
  in_host "$dir" head install -d -o slurm -g slurm /var/lib/slurm/slurmctld
  in_host "$dir" head systemctl restart slapd nslcd nscd munge slurmctld
  in_host "$dir" n1 systemctl restart nslcd nscd munge slurmd
  site_file head root 644 /root/public.pem < "$dir/pki/public.pem"
  site_file head root 600 /root/public.key < "$dir/pki/public.key"
  wait_for 60 in_host "$dir" n1 getent passwd ada ||
    fail 'the directory does not answer on n1'
  wait_for 60 site_node_idle || fail "the node is not idle: $(
    in_host "$dir" head sinfo -hN -o '%N %T %E')"
}

site_node_idle() {
  [ -n "$(in_host "$dir" head sinfo -hN -t idle -o %N)" ]
}

# site_directory: slapd with the cluster's entries, as Debian starts it.
site_directory() {
  local etc=$dir/site/head/etc
  in_host "$dir" head systemctl stop slapd
  site_file head root 644 /etc/carme-site/ca.pem < "$dir/pki/ca.pem"
  sed 's|^directory .*|directory /var/lib/ldap|' "$etc/ldap/slapd.conf" |
    site_file head root 644 /etc/ldap/slapd.conf
  site_file head openldap 400 /etc/ldap/tls/ldap.pem < "$etc/ldap/tls/ldap.pem"
  site_file head openldap 400 /etc/ldap/tls/ldap.key < "$etc/ldap/tls/ldap.key"
  site_file head root 644 /etc/default/slapd << 'END'
SLAPD_CONF=/etc/ldap/slapd.conf
SLAPD_USER=openldap
SLAPD_GROUP=openldap
SLAPD_SERVICES="ldaps:/// ldapi:///"
END
  in_host "$dir" head sh -euc 'rm -rf /var/lib/ldap/*
    slapadd -q -f /etc/ldap/slapd.conf -l /dev/stdin
    chown -R openldap:openldap /var/lib/ldap' \
    < "$dir/site/head/secret/directory.ldif"
}

# site_file HOST USER MODE PATH: standard input becomes the file.
site_file() {
  in_host "$dir" "$1" install -D -o "$2" -g "$2" -m "$3" /dev/stdin "$4"
}

# site_json: what the browser's steps read, as of a demo.
site_json() {
  jq -n --arg portal "https://$PORTAL/" --arg jobs_domain "$JOBS" \
    --arg password "$(awk '$1 == "ada" { print $4 }' "$dir/users")" \
    '{$portal, $jobs_domain, users: [{name: "ada", $password}]}'
}
