# For the recipes of programs out of k8s.io/kubernetes, whose go.mod takes its staging modules from directories that the module does not contain.

# kubernetes VERSION COMMAND [LINE…]: cmd/COMMAND of Kubernetes VERSION, without the cloud providers, whose libraries are most of what old versions need
kubernetes() {
  local version=$1 command=$2 staging mod package=k8s.io/component-base/version minor
  shift 2
  mod=$(cd "$work" && GOWORK=off GOFLAGS=-mod=mod go mod download -json "k8s.io/kubernetes@v$version" | sed -nE 's/.*"GoMod": "(.*)",?/\1/p')
  mapfile -t staging < <(sed -nE "s,^[[:space:]]*(k8s.io/[a-z-]+) => ./staging/.*,replace \1 => \1 v0.${version#*.},p" "$mod")
  minor=${version#*.}
  ldflags="-checklinkname=0 -X $package.gitVersion=v$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%.*}"
  gobuild="-tags=providerless"
  module "$name" "k8s.io/kubernetes@v$version" "k8s.io/kubernetes/cmd/$command" "${staging[@]}" "$@"
}
