#!/bin/sh
# Makes the secrets of one installation, a file a role, as `docker compose` and `kubectl create secret
# --from-env-file` read them. Passwords and the key of webhooks are made at random; the keys of the chain
# are yours to fill in (the lines that end in "=").
#   RPC_URL=https://… sh deploy/secrets.sh [FOLDER]
# NATS_HOSTS (nats:4222; several, comma-separated, of a cluster) and REDIS_HOST (redis:6379) say where the
# servers are. A folder that is there is left as it is: its passwords are in use.
#   sh deploy/secrets.sh --update-acl [FOLDER]
# gives the users of Redis in FOLDER/users.acl what redis-users.acl allows them now. Passwords stay, and so
# do users of your own.
set -eu
umask 077

here=$(dirname "$0")

# The server may have this very file mounted: it is written anew in its place, never replaced.
update_acl() {
  file=$1/users.acl
  if [ ! -s "$file" ]; then
    echo "$file is not there or empty; is $file.before what it was?" >&2
    exit 1
  fi
  updated=$(awk '
    NR == FNR {
      if ($1 != "user") next
      lines[$2] = $0
      order[++count] = $2
      for (i = 3; i <= NF; i++) if ($i ~ /^#/) hashes[$2] = hashes[$2] " " $i
      next
    }
    $1 == "user" { known[$2] = 1 }
    / #\$/ {
      if (!($2 in hashes)) { print $2 | "cat >&2"; missing = 1; next }
      sub(/ #\$[A-Z0-9_]+/, hashes[$2])
    }
    { print }
    END {
      for (i = 1; i <= count; i++) if (!(order[i] in known)) print lines[order[i]]
      exit missing
    }
  ' "$file" "$here/redis-users.acl") || {
    echo "$file has no password of the users above: add a line 'user NAME on #SHA256' for each" >&2
    exit 1
  }
  # Not the only copy of the hashes, should there be no room for it after all.
  cp -p "$file" "$file.before"
  printf '%s\n' "$updated" >"$file"
  rm "$file.before"
  echo "$file is up to date. Now ACL LOAD, as operator."
}

if [ "${1:-}" = --update-acl ]; then
  update_acl "${2:-$here/secrets}"
  exit
fi

folder=${1:-$here/secrets}
nats_hosts=${NATS_HOSTS:-nats:4222}
redis_host=${REDIS_HOST:-redis:6379}
rpc_url=${RPC_URL:?is not set: the JSON-RPC address of the settlement chain}

if [ -e "$folder" ]; then
  echo "$folder is there already: remove it only where nothing uses its passwords any more" >&2
  exit 1
fi

random_hex() { openssl rand -hex "$1"; }
# nats-server takes a value from its environment as a word only if it begins with a letter.
password() { echo "p$(random_hex 24)"; }
hash_of() { printf %s "$1" | openssl dgst -sha256 -r | cut -d ' ' -f 1; }
# The user stands in the first address: it is good for all.
nats_url() { echo "nats://$1:$2@$nats_hosts" | sed 's#,#,nats://#g'; }
variable() { echo "$1" | tr '[:lower:]' '[:upper:]'; }

work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT

cp "$here/redis-users.acl" "$work/users.acl"
for user in edge web pool actors operator auditor; do
  nats_password=$(password)
  redis_password=$(random_hex 24)
  echo "SVC_NATS_$(variable "$user")_PASSWORD=$nats_password" >>"$work/nats.env"
  sed "s/^user $user on #[^ ]*/user $user on #$(hash_of "$redis_password")/" "$work/users.acl" >"$work/new"
  mv "$work/new" "$work/users.acl"
  {
    echo "NATS_URL=$(nats_url "$user" "$nats_password")"
    echo "REDIS_URL=redis://$user:$redis_password@$redis_host"
  } >"$work/$user.env"
done

for user in web pool actors auditor; do echo "RPC_URL=$rpc_url" >>"$work/$user.env"; done
# The lanes run as actors, with keys that no other actor host is given.
cp "$work/actors.env" "$work/settlement.env"
printf '%s\n' 'LOCKER_PRIVATE_KEY=' 'SETTLER_PRIVATE_KEY=' >>"$work/settlement.env"
{
  echo "WEBHOOK_SECRET_KEYS=$(random_hex 32)"
  printf '%s\n' 'WITHDRAWAL_SIGNER_PRIVATE_KEY=' 'KEEPER_PRIVATE_KEY='
} >>"$work/actors.env"
echo 'WEB_RELAYER_PRIVATE_KEY=' >>"$work/web.env"
printf '%s\n' "WORKER_PASSWORD=$(random_hex 16)" 'UPSTREAM_URL=http://host.docker.internal:11434/v1' \
  'UPSTREAM_API_KEY=' >"$work/worker.env"

# Hashes of random passwords only, and the server reads it as a user of its own.
chmod 644 "$work/users.acl"
mv "$work" "$folder"
trap - EXIT
echo "$folder is made. Fill in the keys in settlement.env, actors.env and web.env."
