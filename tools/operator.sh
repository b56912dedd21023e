# For the recipes of prometheus-operators. Each comes with its CRDs in crds/.

# operator MODULE@VERSION [LINE…]: the operator, with further lines for go.mod, since what its own go.mod replaces does not count here
operator() {
  local source=${1%@*}
  module "$name" "$1" "$source/cmd/operator" "${@:2}"
  (cd "$work/module" && cp -r "$(GOWORK=off go list -mod=mod -m -f '{{.Dir}}' "$source")/example/prometheus-operator-crd" "$out/crds" && chmod -R u+w "$out/crds")
}
