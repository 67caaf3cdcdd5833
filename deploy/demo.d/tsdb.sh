# The site's time-series database on the head. It is not part of Carme: it is not
# restarted, and it ends with its host.

tsdb_start() {
  tsdb_become > "$dir/log/tsdb.log" 2>&1 < /dev/null &
}

# This process becomes the database, which keeps samples for a month.
tsdb_become() {
  local enter
  host_entrance "$dir" head
  close_descriptors 3
  exec "${enter[@]}" env -i PATH=/usr/bin:/bin LANG=C.UTF-8 \
    setpriv --reuid carme-tsdb --regid carme-tsdb --clear-groups \
    --no-new-privs --inh-caps -all --bounding-set -all \
    victoria-metrics -storageDataPath=/run/disk/carme-tsdb \
    -httpListenAddr=127.0.0.1:8428 -retentionPeriod=1 \
    -memory.allowedPercent=5 -search.latencyOffset=0s \
    -search.maxStepForPointsAdjustment=1ms
}

tsdb_listens() {
  in_host "$dir" head bash -c ': < /dev/tcp/127.0.0.1/8428' 2> /dev/null
}
