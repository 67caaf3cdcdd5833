# step TEXT: ends the step before it and begins one of $step_total, or eight. A
# step that prints other lines calls step_output first.
step() {
  step_end
  step_number=$((${step_number:-0} + 1))
  step_started=$SECONDS
  step_line=open
  printf '[%d/%d] %s' "$step_number" "${step_total:-8}" "$*"
}

step_output() {
  [ "${step_line:-}" = open ] || return 0
  step_line=ended
  echo
}

# step_end: prints the time that the step took.
step_end() {
  case ${step_line:-} in
    open) printf ' (%d s)\n' $((SECONDS - step_started)) ;;
    ended) printf '      (%d s)\n' $((SECONDS - step_started)) ;;
  esac
  step_line=
}

# The progress of a long step: on a terminal one line that is overwritten,
# elsewhere a line for each quarter.

# progress_line PERCENT WHAT
progress_line() {
  if [ -t 1 ]; then
    printf '\r      %3d %%  %-60.60s' "$1" "$2"
  elif [ "$(($1 / 25))" -gt "${progress_quarter:-0}" ]; then
    progress_quarter=$(($1 / 25))
    printf '      %3d %%\n' $((progress_quarter * 25))
  fi
}

progress_end() {
  [ ! -t 1 ] || printf '\r%-76s\r' ''
  progress_quarter=0
}

# Reads what ninja prints: "[12/345] Building CXX object …".
progress_of_ninja() {
  local line
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
    progress_line $((BASH_REMATCH[1] * 100 / BASH_REMATCH[2])) \
      "${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
  done
  progress_end
}

# Reads apt's status: "dlstatus:…:PERCENT:text", "pmstatus:PACKAGE:PERCENT:text".
# Fetching is shown as the first half, installing as the second.
progress_of_apt() {
  local kind item percent text
  while IFS=: read -r kind item percent text; do
    percent=${percent%%.*}
    case $kind in
      dlstatus) progress_line $((percent / 2)) fetching ;;
      pmstatus) progress_line $((50 + percent / 2)) "$text" ;;
    esac
  done
  progress_end
}
