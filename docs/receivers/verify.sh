# bash and openssl: verify <secret> <file with the raw body> <X-Hub-Signature-256>. For trying things out: the secret is
# visible to whoever can list processes, and the comparison does not take constant time.
verify() {
  local expected
  expected="sha256=$(openssl dgst -sha256 -hmac "$1" -r <"$2" | cut -d' ' -f1)"
  [ "$expected" = "$3" ]
}
