/**
 * Shell scripts that ask this program for candidates: `cli __complete <words…> <partial>`. Words go out, and candidates come
 * back, without the quotes of the shell: a script takes them off what is typed, and protects what it inserts.
 */

/** Candidates come one per line, `value<TAB>description`; without one, the shell completes files. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for cli; load it with: source <(cli completion bash)

# Cuts $1, the line up to the cursor, into words without their quotes; nothing is expanded. Sets words, of which the last
# one is being typed, quote, which is open in it, and kept, how many of its characters bash does not replace.
_cli_read() {
  local line=$1 at character word= begun= broken=0
  words=() quote= kept=0
  for ((at = 0; at < \${#line}; at++)); do
    character=\${line:at:1}
    if [[ $quote ]]; then
      if [[ $character == "$quote" ]]; then quote=; continue; fi
      if [[ $quote$character == '"\\' && \${line:at+1:1} == ['"\\$\`'] ]]; then at=$((at + 1)) character=\${line:at:1}; fi
    else
      case $character in
        [[:space:]])
          if [[ $begun ]]; then words+=("$word"); fi
          word= begun= broken=0
          continue ;;
        \\' | \\") quote=$character kept=\${#word} begun=1; continue ;;
        '\\') at=$((at + 1)) character=\${line:at:1} ;;
        @ | \\$) if [[ $COMP_WORDBREAKS == *"$character"* ]]; then broken=\${#word}; fi ;;
        *) if [[ $COMP_WORDBREAKS == *"$character"* ]]; then broken=$((\${#word} + 1)); fi ;;
      esac
    fi
    word+=$character begun=1
  done
  words+=("$word")
  if [[ ! $quote ]]; then kept=$broken; fi
}

# Protects $1 from bash within the open quote: sets quoted.
_cli_quote() {
  quoted=$1
  case $quote in
    \\') quoted=\${quoted//\\'/\\'\\\\\\'\\'} ;;
    \\")
      quoted=\${quoted//\\\\/\\\\\\\\} quoted=\${quoted//\\"/\\\\\\"} quoted=\${quoted//\\$/\\\\\\$} quoted=\${quoted//\\\`/\\\\\\\`}
      quoted=\${quoted//!/\\"\\'!\\'\\"} ;;
    *) printf -v quoted %q "$quoted" ;;
  esac
}

_cli() {
  local words quote kept line quoted
  _cli_read "\${COMP_LINE:0:COMP_POINT}"
  local typed=\${words[-1]}
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ $line != "$typed"* ]]; then continue; fi
    _cli_quote "\${line:kept}"
    COMPREPLY+=("$quoted")
  done < <(cli __complete "\${words[@]:1}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && $line$quoted == */ ]]; then compopt -o nospace; fi
}
complete -o default -F _cli cli
`,
  zsh: `#compdef cli
# zsh completion for cli; put it in a folder of $fpath as _cli, or: source <(cli completion zsh)
_cli() {
  local -a values descriptions
  local line
  # zsh keeps an open quote apart from the word: with its end, too, the word is whole
  local typed=\${(Q)\${:-$QIPREFIX$PREFIX\${QIPREFIX#\\$}}}
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    descriptions+=("\${line/$'\\t'/ -- }")
  done < <(cli __complete "\${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)
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
  set -l words (commandline -opc)
  set -l raw (commandline -ct)
  # a quote may be open
  set -l typed (string unescape -- "$raw"; or string unescape -- "$raw'"; or string unescape -- "$raw\\"")
  set -l found (cli __complete $words[2..] "$typed" 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    # files, as after any other word
    complete -C "'' $raw"
  end
end
complete -c cli -f -a '(__cli_complete)'
`,
};
