#!/bin/sh
# Runs workerd, the program in LACEWING_WORKERD, so that it ends with the process that started it, however that
# process ends. Descriptor 3 is the control pipe, which only that process holds at its other end.
(
  exec >/dev/null 2>&1
  read -r _ <&3
  # by now the number may belong to another program
  case "$(cat "/proc/$$/comm" 2>/dev/null || ps -o comm= -p $$)" in
    *workerd) kill -9 $$ ;;
  esac
) &
exec "$LACEWING_WORKERD" "$@"
