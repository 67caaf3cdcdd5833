# The site's mail server on the head, which keeps every mail and delivers none.
# It is not part of Carme: it is not restarted, and it ends with its host.

mail_start() {
  mail_become > "$dir/log/mail.log" 2>&1 < /dev/null &
}

# This process becomes the server.
mail_become() {
  local enter
  host_entrance "$dir" head
  close_descriptors 3
  exec "${enter[@]}" env -i PATH=/usr/bin:/bin LANG=C.UTF-8 \
    setpriv --reuid carme-mail --regid carme-mail --clear-groups \
    --no-new-privs --inh-caps -all --bounding-set -all \
    /run/mail-sink --listen 0.0.0.0:2525 --folder /run/carme-mail \
    --certificate /etc/carme/mail.pem --key /etc/carme/mail.key
}

mail_listens() { in_host "$dir" head bash -c ': < /dev/tcp/head/2525' 2> /dev/null; }
