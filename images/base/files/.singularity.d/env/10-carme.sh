# Read by Apptainer before a program of the image starts.
export LANG="${LANG:-C.UTF-8}"
