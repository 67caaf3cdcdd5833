# window.sh DIR with|without: a window on a desktop of its own, with its cookie
# or without.
carme-desktop "$1/socket" "$1" &
until [ -s "$1/desktop/env" ]; do sleep 0.1; done
. "$1/desktop/env"
[ "$2" = with ] || export XAUTHORITY=/dev/null
python3 -c 'import tkinter; tkinter.Tk().update()'
