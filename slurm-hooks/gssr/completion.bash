# Completion of `gssr-record` and `gssr-analyze` for bash.

_gssr_record() {
  local index word=${COMP_WORDS[COMP_CWORD]}
  for ((index = 1; index < COMP_CWORD; ++index)); do
    case ${COMP_WORDS[index]} in
      -o) ((++index)) ;;
      --) ((++index)); break ;;
      -*) ;;
      *) break ;;
    esac
  done
  if ((index < COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -o ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '-h --help --version -o -v -vv --test-only --' -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$word")
  fi
}

_gssr_analyze() {
  local word=${COMP_WORDS[COMP_CWORD]}
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '-h --help --version -o --export' -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -o filenames -F _gssr_record gssr-record
complete -o filenames -F _gssr_analyze gssr-analyze
