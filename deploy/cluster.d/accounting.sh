# Slurm's accounting, if the cluster has it: MariaDB, slurmdbd, and the accounts
# of the users.

accounting_wanted() { [ -n "${CARME_CLUSTER_ACCOUNTING:-}" ]; }

# accounting_configure ETC: slurm.conf's lines and the two servers' own files.
accounting_configure() {
  local etc=$1
  add_system_user "$etc" mysql 64104
  cp "$here/mariadb.cnf" "$etc/slurm/mariadb.cnf"
  install -m 600 -o slurm -g slurm "$here/slurmdbd.conf" \
    "$etc/slurm/slurmdbd.conf"
  cat "$here/slurm.conf.accounting" >> "$etc/slurm/slurm.conf"
}

# mariadb_server WORD…: Debian 12 has the messages in another directory than 13.
mariadb_server() {
  local share=/usr/share/mariadb
  [ -e $share/english ] || share=/usr/share/mysql
  mariadbd --defaults-file=/etc/slurm/mariadb.cnf --lc-messages-dir=$share "$@"
}

# The tables that a server needs, and one account: Slurm's, authenticated by the
# kernel. The server has no root account.
mariadb_create() {
  local tables=/usr/share/mariadb/mariadb_system_tables.sql
  [ -e $tables ] || tables=/usr/share/mysql/mysql_system_tables.sql
  install -d -o mysql -g mysql /run/mysqld /run/mysqld/data
  {
    echo 'CREATE DATABASE mysql;'
    echo 'USE mysql;'
    cat $tables
    echo 'FLUSH PRIVILEGES;'
    echo 'CREATE USER slurm@localhost IDENTIFIED VIA unix_socket;'
    # slurmdbd of 24.11 creates it only with rights on all databases
    echo 'CREATE DATABASE slurm_acct_db;'
    echo 'GRANT ALL ON slurm_acct_db.* TO slurm@localhost;'
  } | mariadb_server --bootstrap \
    > /run/log/mariadb-bootstrap.log 2>&1 ||
    fail "MariaDB made no tables: $(tail -n 1 /run/log/mariadb.log)"
}

start_mariadb() {
  touch /run/log/mariadb.log
  chown mysql /run/log/mariadb.log
  [ -e /run/mysqld/data/mysql ] || mariadb_create
  mariadb_server &
  wait_for 120 test -S /run/mysqld/mysqld.sock ||
    fail "no MariaDB: $(tail -n 1 /run/log/mariadb.log)"
}

# slurmdbd reads its configuration as root and becomes `slurm`.
start_slurmdbd() {
  install -d -o slurm -g slurm /run/slurm
  touch /run/log/slurmdbd.log
  chown slurm /run/log/slurmdbd.log
  slurmdbd
  wait_for 120 port_open head 6819 ||
    fail "no slurmdbd: $(tail -n 1 /run/log/slurmdbd.log)"
}

# accounting_fill: all users may use Slurm; ada and bob have a second account.
# Later limits are for the tests that need them.
accounting_fill() {
  local everybody=ada,bob,carol,dave,eve,fay,carme-images
  {
    sacctmgr -i add cluster carme &&
      sacctmgr -i add account site,vision Organization=carme &&
      sacctmgr -i add user "$everybody" Account=site DefaultAccount=site &&
      sacctmgr -i add user ada,bob Account=vision &&
      sacctmgr -i add qos short MaxWall=30 &&
      sacctmgr -i modify account site,vision set QOS=normal,short \
        DefaultQOS=normal
  } > /run/log/accounting.log 2>&1 ||
    fail "sacctmgr: $(tail -n 1 /run/log/accounting.log)"
}
