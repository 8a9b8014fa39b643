/** Shell scripts that ask this program for candidates: `cli __complete <words…> <partial>`. */

/** Candidates come one per line, `value<TAB>description`. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for cli; load it with: source <(cli completion bash)
_cli() {
  local line candidates=()
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # bash cuts words at colons; join srv and //… again
  local joined=() word
  for word in "\${words[@]}"; do
    if [[ \${#joined[@]} -gt 0 && ( $word == :* || \${joined[-1]} == *: ) ]]; then joined[-1]+=$word; else joined+=("$word"); fi
  done
  local current="\${joined[-1]}"
  while IFS= read -r line; do candidates+=("\${line%%$'\\t'*}"); done < <(cli __complete "\${joined[@]}" 2>/dev/null)
  local prefix="\${current%"\${current##*:}"}"
  COMPREPLY=()
  for line in "\${candidates[@]}"; do [[ $line == "$current"* ]] && COMPREPLY+=("\${line#"$prefix"}"); done
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]]; then compopt -o nospace; fi
}
complete -o default -F _cli cli
`,
  zsh: `#compdef cli
# zsh completion for cli; put it in a folder of $fpath as _cli, or: source <(cli completion zsh)
_cli() {
  local -a values descriptions
  local line
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    descriptions+=("\${line/$'\\t'/ -- }")
  done < <(cli __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#values} == 0 )); then _files; return; fi
  compadd -S '' -d descriptions -a values
}
if [[ $funcstack[1] == _cli ]]; then
  # loaded from $fpath by its first use
  _cli "$@"
else
  # a shell without a configuration has no completion yet
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _cli cli
fi
`,
  fish: `# fish completion for cli; load it with: cli completion fish | source
function __cli_complete
  set -l words (commandline -opc) (commandline -ct)
  cli __complete $words[2..-1] 2>/dev/null
end
complete -c cli -f -a '(__cli_complete)'
complete -c cli -l source -s s -r -F
complete -c cli -l config -s c -r -F
`,
};
