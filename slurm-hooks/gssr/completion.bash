# Completion of `gssr-record`, `gssr-analyze` and `gssr` for bash.

_gssr_record() {
  local index word=${COMP_WORDS[COMP_CWORD]}
  for ((index = 1; index < COMP_CWORD; ++index)); do
    case ${COMP_WORDS[index]} in
      -o | --label | --max-runtime | --sampling-time) ((++index)) ;;
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
    mapfile -t COMPREPLY < <(compgen -W '-h --help --version -o -v -vv --test-only --label --max-runtime --sampling-time --' -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$word")
  fi
}

_gssr_analyze() {
  local word=${COMP_WORDS[COMP_CWORD]}
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '-h --help --version -o --output --text-only --export' -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

_gssr() {
  local word=${COMP_WORDS[COMP_CWORD]} options='-i -s -rp -e -f -o'
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'profile analyze' -- "$word")
    return
  fi
  [[ ${COMP_WORDS[1]} != profile ]] || options='-w -l -m -t -f -a -o'
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -o filenames -F _gssr_record gssr-record
complete -o filenames -F _gssr_analyze gssr-analyze gssr-analyze.py
complete -o filenames -F _gssr gssr
