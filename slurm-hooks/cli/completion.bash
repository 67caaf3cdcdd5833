# Completion of `carme` for bash, in share/bash-completion/completions/carme.

# Environments by name, where `carme edf` looks for them.
_carme_environments() {
  local directory file
  local -a directories
  IFS=: read -r -a directories <<< "${EDF_PATH:-$HOME/.edf}:/etc/edf"
  for directory in "${directories[@]}"; do
    for file in "$directory"/*.toml; do
      [ -e "$file" ] || continue
      file=${file##*/}
      echo "${file%.toml}"
    done
  done
}

# What `edf rm` removes: names, and digests of images without one.
_carme_images() {
  carme edf images 2> /dev/null | awk 'NR > 1 { print $1 == "-" ? $2 : $1 }'
}

_carme() {
  local word=${COMP_WORDS[COMP_CWORD]} words=
  # ":" splits words in COMP_WORDS: nvcr.io#nvidia/pytorch:24.01
  if declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref -n : -c word
  fi
  COMPREPLY=()
  case ${COMP_WORDS[1]:-}/${COMP_WORDS[2]:-}/$COMP_CWORD in
    */*/1) words='edf help mpirun torchrun vet --help --version' ;;
    help/*/2) words='edf mpirun torchrun vet' ;;
    edf/*/2 | help/edf/3) words='images pull render rm validate' ;;
    edf/render/* | edf/validate/*)
      words=$(_carme_environments)
      [ "${COMP_WORDS[2]}" = validate ] || words+=' --json'
      mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$word")
      compopt -o filenames 2> /dev/null # outside of a completion: an error
      ;;
    edf/rm/*) words=$(_carme_images) ;;
    vet/*)
      words='diagnose --check-config --config --connect-timeout --grid --help
        --json --learn --report --requeue --require --spare --timeout --verbose'
      compopt -o default 2> /dev/null
      ;;
    mpirun/* | torchrun/*) compopt -o default 2> /dev/null ;;
  esac
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$word")
  ! declare -F __ltrim_colon_completions > /dev/null ||
    __ltrim_colon_completions "$word"
}

complete -F _carme carme
