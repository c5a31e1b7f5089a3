# Runs nginx and PHP-FPM until the standard input ends. The arguments are both programs, the
# directory with their settings, and the address at which PHP-FPM listens. Descriptor 3 is the
# socket of nginx, and 4 that of PHP-FPM: requests wait there until the servers are ready.
cd "$3" || exit
NGINX='3;' "$1" -p "$3" -e nginx.log -c nginx.conf 4<&- &
nginx=$!
FPM_SOCKETS="$4=4" "$2" -R --nodaemonize --fpm-config "$3/php.conf" 3<&- &
php=$!
exec 3<&- 4<&-
cat >/dev/null
kill -TERM $nginx $php
wait $nginx
wait $php
