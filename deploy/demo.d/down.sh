# deploy/demo down: stops everything and removes all files but the logs.

demo_down() {
  local was=''
  ! demo_running || was=1
  demo_clear
  if [ -n "$was" ]; then
    echo 'The demo is stopped; its logs are in '"$dir/log"
  else
    echo 'No demo runs here.'
  fi
}

demo_clear() {
  local pid
  [ ! -d "$dir/beta" ] || CARME_DEMO_DIR=$dir/beta "$here/demo" down > /dev/null
  . "$here/demo.d/image.sh"
  image_build_stop
  if demo_running; then
    pid=$(cat "$dir/supervisor.pid")
    kill "$pid"
    wait_for 60 supervisor_gone "$pid" || kill -KILL "$pid" || true
  fi
  [ ! -d "$dir" ] || cluster_stop "$dir"
  rm -rf "${dir:?}"/{supervisor.pid,state,port,pids,restarts,totp,lock} \
    "$dir"/{demo.json,demo.json.*,ca.pem,opt,apptainer,containers,image.pid,identity}
}

supervisor_gone() { ! kill -0 "$1"; }
